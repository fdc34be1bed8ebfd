import type { Model } from '../model/model.js';
import { checkRows } from '../model/read.js';
import { nextTime } from '../model/settle.js';
import type { Data } from '../util/data-path.js';
import { idKeyOf } from './id-index.js';
import { type InnerStore, innerStore } from './inner-store.js';
import type { LoadOptions } from './paging.js';
import type { Query } from './query.js';
import {
  checkReceived,
  placesAll,
  putReceived,
  type ReceivedRows,
  type ReceivingStore,
  receiveRows,
  staleReasonOf,
} from './receive-rows.js';
import type { StaleReason } from './status-feed.js';
import type { Store } from './store.js';
import type { ReceiveOptions } from './store-config.js';
import { checkReceive } from './store-options.js';
import type { GivenRows } from './store-scope.js';

/** Takes the rows of a store that do not come by its loads, also while reads are in flight, whose responses may be older. */
export class Receiver<M extends Model> {
  /** The rows that came while reads are in flight. */
  private receivedWhileReading: readonly ReceivedRows[] = [];

  constructor(private readonly store: InnerStore<M>) {}

  /**
   * Checks rows, and whether the list becomes stale by them, before any store of a session has taken them. Returns the function that takes
   * them.
   */
  prepare(rows: readonly object[], options: ReceiveOptions<M>): () => readonly M[] {
    const { store } = this;
    const { scope, definition, hasProxy } = store;
    const given: GivenRows = scope.given?.(rows, 'receive') ?? { rows };
    store.checkOpen();
    const received = store.inWords(() => {
      checkReceive(options);
      const checked = checkReceived<M>(given.rows, options, definition);
      if (hasProxy) checkRows(definition, store.proxy, checked.rows, 0, 'received-field');
      return checked;
    });
    const reason = options.gap && hasProxy ? 'gap' : staleReasonOf<M>(this.receiving, received);
    return () => {
      const isReading = store.status.get().loading || store.readsInFlight > 0;
      this.receivedWhileReading = isReading ? [...this.receivedWhileReading, received] : [];
      const records = this.take(received, reason);
      given.placed?.();
      scope.arrange?.();
      return records;
    };
  }

  /** Puts received rows in the places of those that a response has for the same records, if its read began before they came. */
  putReceived(rows: Data[], startedAt: number): void {
    putReceived(rows, startedAt, this.receivedWhileReading, this.store.definition);
  }

  /** Takes the rows again that came since a load began, which has succeeded. */
  loaded(startedAt: number): void {
    const later = this.receivedSince(startedAt);
    if (this.store.readsInFlight === 0) this.receivedWhileReading = [];
    for (const received of later) this.take(received, staleReasonOf<M>(this.receiving, received));
  }

  /** The ids of the rows that were received since a read began. */
  idsSince(startedAt: number): ReadonlySet<unknown> {
    const { definition } = this.store;
    return new Set(
      this.receivedSince(startedAt).flatMap(({ rows }) => rows.map((row) => idKeyOf(definition.rowId(row)))),
    );
  }

  private receivedSince(startedAt: number): readonly ReceivedRows[] {
    return this.receivedWhileReading.filter((received) => received.startedAt > startedAt);
  }

  /** The parts of the store that receive rows, as they are now. */
  private get receiving(): ReceivingStore<M> {
    // Windows show the whole query of a store that was never loaded.
    const { recordSet, pageReader, definition, query, sentQuery = query, scope, hasProxy } = this.store;
    // Reading `proxy` throws for a store without one.
    const isIncomplete = hasProxy && this.store.proxy.reader.rows === 'incomplete';
    const holdsAll = placesAll(this.store);
    return { recordSet, pageReader, definition, holdsAll, sentQuery, scope, isIncomplete };
  }

  private take(received: ReceivedRows, reason: StaleReason | undefined): readonly M[] {
    const { store, receiving } = this;
    const { recordSet, definition } = store;
    return store.statusFeed.hold(() => {
      const records = receiveRows<M>(receiving, received);
      store.placeNewRecords();
      if (receiving.holdsAll) {
        const total = recordSet.count - recordSet.pendingRecords(({ phantom }) => phantom).length;
        store.paging = { ...store.paging, total, nextStart: total };
        recordSet.countDelta.restart(nextTime(definition));
      }
      store.markStale(reason);
      return records;
    });
  }
}

/** The receiver of a store, made at its first use. */
export function receiverOf<M extends Model>(store: InnerStore<M>): Receiver<M> {
  return (store.receiver ??= new Receiver<M>(store));
}

/**
 * Takes rows of a store that did not come by a load: pushed by a socket, or returned by another call. The record of a row gets it as after
 * a read, and keeps its edits; `record.$.state` shows in `newer` where an edited field has changed underneath. A row of an unknown record
 * is added if the store has all rows of its collection. Otherwise nobody knows whether and where it belongs: nothing is guessed, and the
 * status is `stale` until `refreshStale()` or another load asks again; the same holds for rows whose change may move them in the order of
 * the server. Rows that come while a load is in flight count after its response, too. Records whose ids are in `removed` leave the store,
 * except for those with changes or a write: their save tells that the row is gone.
 *
 * Returns the records of the rows that the store holds. Throws `StateError`, and changes nothing, for an item that is no row, a row
 * without an id, and an unknown field in `version`.
 *
 * With `conflicts()` or `safeWrites()`, the save of a field in `newer` is a `ConflictError`, and nothing is sent; without them it replaces
 * the value of the server, so show it. A row that the filters exclude makes nothing stale. `session.receive(Model, rows)` gives rows to
 * all stores of a session, and a feed of `repose/live` calls it by itself.
 *
 * @example
 * ```ts
 * receive(users, [{ id: 7, name: 'Ada' }], { removed: [8] });
 * if (users.status.get().stale) await refreshStale(users);
 * ```
 */
export function receive<M extends Model>(
  store: Store<M>,
  rows: readonly object[],
  options: ReceiveOptions<NoInfer<M>> = {},
): readonly M[] {
  return receiverOf(innerStore(store)).prepare(rows, options)();
}

/**
 * Loads the list of a store again, and its open windows, if rows were received that the list may lack or show in a wrong place (`stale` of the
 * status); otherwise sends nothing. A list with `fewerRows` is loaded once: if its total still counts more rows, nothing is sent until another
 * load. Resolves with the records of the list; `[]` if nothing was sent. Rejects with a `DataError` if a load fails, and with `StateError` after
 * `dispose()`.
 *
 * @example
 * ```ts
 * receive(users, [{ id: 7, name: 'Ada' }]);
 * await refreshStale(users);
 * ```
 */
export async function refreshStale<M extends Model>(store: Store<M>): Promise<readonly M[]> {
  const inside = innerStore(store);
  inside.checkOpen();
  const { whyStale, unmended } = inside;
  // Listeners to the status may ask while the list is read anew, and behind it.
  const isUnmended = unmended === 'reading' || unmended === inside.paging;
  if (!whyStale || (whyStale === 'fewerRows' && isUnmended)) return [];
  inside.recordSet.observers.tell('queryChanged');
  const { scope } = inside;
  const { hasLoaded } = inside;
  if (hasLoaded && !scope.reload) {
    inside.unmended = 'reading';
    try {
      const records = await reloadAll(store);
      inside.unmended = inside.paging;
      return records;
    } finally {
      if (inside.unmended === 'reading') inside.unmended = undefined;
    }
  }
  const records = hasLoaded ? await scope.reload?.() : undefined;
  inside.whyStale = undefined;
  inside.statusFeed.update();
  return records ?? [];
}

/** Loads the list again as it was asked for, with its parameters. */
async function reloadAll<M extends Model>(store: Store<M>): Promise<readonly M[]> {
  const { recordSet, lastLoad, paging } = innerStore(store);
  const { id, url, headers, page, query } = (paging.restarted ? undefined : lastLoad) ?? {};
  const { params, pathParams } = (query ?? {}) as Partial<Query<M>>;
  const given = Object.entries({ id, url, headers, page, params, pathParams }).filter(
    ([, value]) => value !== undefined,
  );
  const records = await store.reload(Object.fromEntries(given) as LoadOptions<M>);
  return store.disposed ? records : recordSet.inPlace();
}
