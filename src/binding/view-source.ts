import { wrongValue } from '../errors/option-rules.js';
import type { Model } from '../model/model.js';
import { type RecordWindow, windowOf } from '../store/record-window.js';
import type { StoreStatus } from '../store/status-feed.js';
import { Store } from '../store/store.js';
import type { ViewConfig } from '../store/store-config.js';
import { type View, viewOf } from '../store/view.js';
import type { IndexRange, WindowConfig, WindowSnapshot } from '../store/window-config.js';
import { ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { joinedSource, Owned, type OwnedSource, ownedSource } from './owned.js';
import { loadActionsOf, type ReloadActions, settled } from './read-actions.js';

/** A view on a screen at one moment. */
export interface ViewBinding<M extends Model, V = unknown> {
  /** The records that the view shows, in their order. The same array until records are added, removed or moved. */
  readonly records: readonly M[];
  /** The view itself, to sort, filter, add and remove. */
  readonly view: View<M, V>;
}

/** Makes the source of a view that a screen owns. Throws `DefinitionError` for a value that is no store. */
export function viewSource<M extends Model, V>(
  store: Store<M>,
  options: ViewConfig<M, V>,
): OwnedSource<ViewBinding<M, V>> {
  if (!(store instanceof Store)) throw wrongValue('The store of a view', 'a store', store);
  const owned = new Owned<View<M, V>>(
    () => viewOf<M, V>(store, options),
    (view) => view.dispose(),
  );
  return ownedSource(owned, (view) => ({
    source: joinedSource([view.list], (list) => Object.freeze({ records: Object.freeze(list.slice()), view })),
    start: () => undefined,
  }));
}

/** The store of a view or window, and its options. */
type ViewArguments = readonly [store: unknown, options: object];

/** Whether the same view or window is asked for, but for the range of a window: arrays and objects in options count by their contents. */
export function isSameView([store, options]: ViewArguments, [other, others]: ViewArguments): boolean {
  return store === other && isSame(contentsOf(options), contentsOf(others));
}

function contentsOf(options: WindowConfig<Model>): object {
  const { start, end, query, ...contents } = options;
  return { ...contents, query: query?.key };
}

/** A window on a screen at one moment. */
export interface WindowBinding<M extends Model> extends StoreStatus, ReloadActions {
  /** The records by index: `list.at(i)` is undefined while a record is not loaded. Its `count` is that of the whole collection. */
  readonly list: WindowSnapshot<M>;
  /** Shows another range. Resolves with whether all of its records are loaded. */
  readonly show: (range: IndexRange) => Promise<boolean>;
  /** The window itself. */
  readonly window: RecordWindow<M>;
}

/** The source of a window that a screen owns. */
export interface WindowSource<M extends Model> extends OwnedSource<WindowBinding<M>> {
  /** Shows a range from now on, or when the screen is shown. */
  readonly show: (range: IndexRange) => void;
}

/**
 * Makes the source of a window that a screen owns. The window asks for its records when somebody begins to listen. Throws `DefinitionError`
 * for a value that is no store with windows.
 */
export function windowSource<M extends Model>(
  store: Store<M>,
  { start = 0, end, ...config }: WindowConfig<M>,
): WindowSource<M> {
  if (!(store instanceof Store)) throw wrongValue('The store of a window', 'a store', store);
  let range = end === undefined ? undefined : { start, end };
  /** The window whose range was asked for. */
  let asking: RecordWindow<M> | undefined;
  const owned = new Owned<RecordWindow<M>>(
    () => windowOf<M>(store, config),
    (window) => {
      asking = undefined;
      window.dispose();
    },
  );
  const source = ownedSource(owned, (window) => {
    const show = (asked: IndexRange) => {
      range = { start: asked.start, end: asked.end };
      asking = window;
      return settled(window.show(asked), () => window.status.get().error);
    };
    const actions = { ...loadActionsOf(window), show };
    let isAsked = false;
    const asked = new ValueSource<boolean>(() => isAsked);
    return {
      source: joinedSource([window.list, window.status, asked], (list, status, wasAsked) => {
        const willAsk = !wasAsked && range !== undefined && !window.disposed;
        return Object.freeze({ ...status, loading: status.loading || willAsk, list, window, ...actions });
      }),
      start: () => {
        if (range && asking !== window && !window.disposed) void show(range);
        isAsked = true;
        asked.update();
      },
    };
  });
  return {
    ...source,
    show: (next) => {
      const isSame = range?.start === next.start && range.end === next.end;
      range = next;
      if (!isSame && asking) void source.get().show(next);
    },
  };
}
