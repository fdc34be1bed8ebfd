import { checkMade } from '../dev/made-options.js';
import { wrongValue } from '../errors/option-rules.js';
import type { Listed } from '../store/shown.js';
import type { ListSnapshot } from '../store/snapshot.js';
import type { StoreStatus } from '../store/status-feed.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isSameList, joinedSource, Owned, type OwnedSource, ownedSource } from './owned.js';
import { type LoadActions, loadActionsOf, type Pageable, settled } from './read-actions.js';

/** A store with records of any model. */
export interface ShownStore extends Listed<ListSnapshot<unknown>>, Pageable {
  readonly status: Source<StoreStatus>;
  readonly disposed: boolean;
  readonly hasMore: boolean;
  readonly currentPage: number;
  load(): Promise<unknown>;
  dispose(): void;
}

/** The records of a store. */
export type RecordOf<S> = S extends Listed<ListSnapshot<infer M>> ? M : never;

/**
 * A store on a screen: its records and its activity at one moment, and its loads for buttons. The store loads when the screen is first shown,
 * unless it has loaded or is loading, or its last load has failed.
 */
export interface StoreBinding<S> extends StoreStatus, LoadActions {
  /** The records that the store shows, in their order. The same array until records are added, removed or moved. */
  readonly records: readonly RecordOf<S>[];
  /** Whether a load is in flight, scheduled, or about to begin because the screen is shown for the first time. */
  readonly loading: boolean;
  /** Whether there may be more rows behind the loaded ones. */
  readonly hasMore: boolean;
  /** The number of the page that was loaded last. */
  readonly page: number;
  /** The store itself, to search, sort, filter, add and remove. */
  readonly store: S;
}

/**
 * Makes the source of a store on a screen. The store loads when somebody begins to listen, unless it has loaded, is loading, or its last load
 * has failed. A store that the given function makes is disposed of when nobody holds the source any more. Throws `DefinitionError` for
 * anything else than a store or such a function.
 */
export function storeSource<S extends ShownStore>(given: S | (() => S)): OwnedSource<StoreBinding<S>> {
  const owned =
    typeof given === 'function'
      ? new Owned<S>(
          () => newStore(given()),
          (store) => store.dispose(),
        )
      : new Owned<S>(() => checked(given));
  return ownedSource(owned, (store: S) => {
    const actions = loadActionsOf<ShownStore>(store);
    let isAsked = false;
    const asked = new ValueSource<boolean>(() => isAsked);
    let records: { readonly list: unknown; readonly all: readonly RecordOf<S>[] } | undefined;
    return {
      source: joinedSource([store.list, store.status, asked], (list, status, wasAsked): StoreBinding<S> => {
        if (records?.list !== list) records = { list, all: Object.freeze(list.slice()) as readonly RecordOf<S>[] };
        return Object.freeze({
          // The status from which a server has rendered the page has both of these, too.
          ...{ hasMore: store.hasMore, page: store.currentPage, ...status, records: records.all, store, ...actions },
          loading: status.loading || (!wasAsked && needsLoad(store)),
        });
      }),
      start: () => {
        if (needsLoad(store)) void settled(store.load(), () => store.status.get().error);
        isAsked = true;
        asked.update();
      },
    };
  });
}

/**
 * Makes a function that gives the source of a store on a screen for the present dependencies. When one of them is another value, it is another
 * source, or `update` is called with the store, after what is being computed.
 */
export function followingSource<S extends ShownStore>(
  given: S | (() => S),
  dependencies?: () => readonly unknown[],
  update?: (store: S) => void,
): () => OwnedSource<StoreBinding<S>> {
  let known: readonly unknown[] = [];
  let source: OwnedSource<StoreBinding<S>> | undefined;
  return () => {
    const now = dependencies?.() ?? [];
    const isOther = source && !isSameList(now, known);
    known = now;
    if (!source || (isOther && !update)) source = storeSource(given);
    else if (isOther) {
      const { store } = source.get();
      queueMicrotask(() => {
        if (!store.disposed) update?.(store);
      });
    }
    if (!dependencies) checkMade(source, given);
    return source;
  };
}

/** Whether nobody has asked for the records of a store yet, and it can ask a server. */
function needsLoad(store: ShownStore): boolean {
  const { loaded, loading, error } = store.status.get();
  const { hasProxy } = store as { readonly hasProxy?: boolean };
  return !loaded && !loading && !error && !store.disposed && hasProxy === true;
}

function newStore<S extends ShownStore>(made: S): S {
  if (isStore(made) && !made.disposed) return made;
  const expected = 'a store that it makes anew at each call. Pass a store that lives longer than the screen itself';
  throw wrongValue('The result of the function that makes a store', expected, made);
}

function checked<S extends ShownStore>(store: S): S {
  if (isStore(store)) return store;
  throw wrongValue('The store of a screen', 'a store, or a function that makes one', store);
}

function isStore(value: unknown): value is ShownStore {
  return typeof (value as Partial<ShownStore> | undefined)?.loadMore === 'function';
}
