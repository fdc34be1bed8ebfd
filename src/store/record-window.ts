import { checkEvent, checkOptions } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { AbortError } from '../errors/request-errors.js';
import { badValue } from '../errors/unsupported-query-error.js';
import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import type { Data } from '../util/data-path.js';
import { type Listeners, Notifier } from '../util/notifier.js';
import { type Source, sourceOver, type ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import { type InnerStore, innerStore } from './inner-store.js';
import { type Page, takeUnshown } from './page-reader.js';
import type { WindowParts } from './placed-snapshot.js';
import { type Query, queryFor } from './query.js';
import type { QueryRules } from './query-rules.js';
import { RowCount } from './row-count.js';
import type { StoreStatus } from './status-feed.js';
import type { Store } from './store.js';
import { RANGE_RULES, WINDOW_RULES } from './store-options.js';
import type { IndexRange, LoadState, WindowConfig, WindowEvents, WindowSnapshot } from './window-config.js';
import { WindowFeed } from './window-feed.js';
import { WindowLoader } from './window-loader.js';
import { WindowRecords } from './window-records.js';

/**
 * Shows a part of a collection that is too large to be loaded whole. Records are read by index: those on show are loaded while a user
 * scrolls, and those far away are dropped. The store holds the records, but does not show them. Created by `windowOf()`; call `dispose()`
 * when you no longer need it.
 *
 * Each request asks for one page of the store, so the server must page by number or offset, and give that many rows at once; with tokens,
 * use `loadMore()`. Requests for rows that are no longer on show are aborted. A block that fails stays `missing`, comes as the event
 * `exception` and rejects `show()`; the next `show()` asks again.
 *
 * `getById`, edits, `remove` and `sync` of the store work as usual, and windows share records. Edited records stay, however far away.
 * Removed ones vanish at once; new ones appear once they are saved and read: call `reload()`. Another remote query loads the rows on show
 * anew, once per tick; local sorting or filtering throws `UnsupportedQueryError`. A row at two places stays at that of the newest
 * response.
 *
 * @example
 * ```ts
 * const rows = windowOf(users, { start: 0, end: 50 });
 * rows.on('change', ({ from, to }) => show(from, to));
 * await rows.show({ start: 1000, end: 1050 });
 * show(rows.count, rows.getAt(1000)?.name, rows.stateAt(2000));
 * ```
 */
export class RecordWindow<M extends Model> {
  private readonly events: Notifier<Listeners<WindowEvents>>;
  private readonly records: WindowRecords<M>;
  private readonly rowCount: RowCount = new RowCount();
  private readonly loader: WindowLoader<M>;
  private readonly feed: WindowFeed<M>;
  private readonly keep: number;
  private readonly settle: number;
  /** Ends the wait for a place to rest on show; undefined if none is awaited. */
  private cancelSettling: (() => void) | undefined = undefined;
  /** Number of rows in a block: the page size of the store when the window was created. */
  private readonly pageSize: number;
  private readonly detach: () => void;
  /** The query of its own; undefined: that of the store. */
  private readonly ownQuery: Query<M> | undefined;
  /** The range on show, as indices of the records that are not hidden. */
  private shown: IndexRange = { start: 0, end: 0 };
  /** When the oldest request in flight began. */
  private oldestRequestAt = 0;
  /** Records to release when no request is in flight that may bring older rows of them. */
  private readonly releaseLater: Set<M> = new Set();
  private isApplyingPage = false;
  /** Whether loading waits until all erases in flight have ended. */
  private waitsForErases = false;
  private isUpdateScheduled = false;
  private isDisposed = false;
  private readonly statusSource: ValueSource<StoreStatus>;

  constructor(
    private readonly store: InnerStore<M>,
    { start = 0, end, prefetch = store.pageSize, settle = 80, keep = 40 * store.pageSize, query }: WindowConfig<M>,
  ) {
    const { pageSize } = store;
    checkNumbers({ pageSize }, 1);
    checkNumbers({ prefetch, settle }, 0);
    checkNumbers({ keep }, 0, Number.POSITIVE_INFINITY);
    this.ownQuery = query && queryFor(store.model, query);
    checkSendable(this.query, store.partRules);
    this.events = new Notifier(store.recordSet.watched);
    this.keep = keep;
    this.settle = settle;
    this.pageSize = pageSize;
    const changed = (from: number, to: number) => this.markChanged(from, to);
    this.records = new WindowRecords<M>(changed);
    this.loader = new WindowLoader<M>(store, {
      ...{ records: this.records, rowCount: this.rowCount, pageSize, prefetch, changed },
      query: () => this.query,
      shownPlaces: () => this.shownPlaces(),
      applyPage: (page, from) => this.applyPage(page, from),
      ended: (operation, error) => this.update(operation, error),
    });
    this.detach = store.recordSet.observers.attach({
      keeps: (record) => this.keeps(record),
      recordChanged: (record) => this.recordChanged(record),
      recordDropped: (record) => this.recordDropped(record),
      checkQuery: (present, rules) => checkSendable(this.ownQuery ?? present, rules),
      queryChanged: () => (store.outdated ? this.pause() : this.requery(true)),
      storeDisposed: () => this.dispose(),
      shownPart: () => ({ ...this.shownPlaces(), held: this.records.size }),
    });
    this.feed = new WindowFeed<M>(this.events, () => this.snapshotParts(), store.recordSet.watched);
    this.statusSource = sourceOver(store.status, (ofStore, _, previous) => this.readStatus(ofStore, previous));
    if (end !== undefined) void this.show({ start, end });
  }

  /** The query of the records: the window's own, or that of its store. */
  get query(): Query<M> {
    return this.ownQuery ?? this.store.query;
  }

  /** Whether `dispose()` was called, for the window or its store. */
  get disposed(): boolean {
    return this.isDisposed;
  }

  /** Number of records in the collection, without those that were removed here; undefined while unknown. */
  get total(): number | undefined {
    return this.feed.list.get().total;
  }

  /** Number of records for a scroll bar: the total or, while it is unknown, an estimate that grows with each response. */
  get count(): number {
    return this.feed.list.get().count;
  }

  /**
   * The records on show as a source, for a screen. Its value is the same object while only contents of records change; cells read those
   * from the sources of the records. Listeners are told once per microtask, before the event `change`.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * rows.list.subscribe(() => show(rows.list.get().slice(0, 50).map((user) => user?.name ?? 'loading')));
   * ```
   */
  get list(): Source<WindowSnapshot<M>> {
    return this.feed.list;
  }

  /**
   * The status of the window as a source, as `store.status` is: `loading`, `error` (of the records on show), `loaded` and `total` are those of the window, `saving`
   * and `pending` those of its store.
   */
  get status(): Source<StoreStatus> {
    return this.statusSource;
  }

  /**
   * The record at an index; undefined if it is not loaded. After a change of the query, the old record stays until the new one is
   * loaded.
   *
   * @example
   * ```ts
   * const rows = windowOf(users);
   * rows.getAt(5000)?.name ?? 'loading';
   * ```
   */
  getAt(index: number): M | undefined {
    return this.feed.list.get().at(index);
  }

  /**
   * Whether the record at an index is loaded, being loaded, or missing.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * rows.on('change', ({ from, to }) => {
   *   for (let row = from; row < to; row += 1) show(row, rows.stateAt(row)); // 'missing' where a request has failed
   * });
   * ```
   */
  stateAt(index: number): LoadState {
    return this.feed.list.get().stateAt(index);
  }

  /**
   * Shows another range: loads the missing records, at once or after a jump when the range has rested (`settle`), then those ahead. Resolves when all records on show are loaded; if a later call
   * supersedes this one, when those of the later call are. Rejects with a `DataError` if a request fails; you need not handle the promise.
   * Throws `UnsupportedQueryError` if `start` or `end` is not a number.
   *
   * @example
   * ```ts
   * const rows = windowOf(users);
   * await rows.show({ start: 100, end: 150 }); // as the list is scrolled
   * show(rows.getAt(100)?.name);
   * ```
   */
  show(range: IndexRange): Promise<void> {
    inWords(this.store.definition.messages, () => {
      checkOptions('show', range, RANGE_RULES);
      checkNumbers({ start: range.start, end: range.end }, -Number.MAX_VALUE, Number.MAX_SAFE_INTEGER);
    });
    const { start, end } = range;
    const from = Math.max(Math.floor(start), 0);
    const { shown: before } = this;
    const shift = from - before.start;
    const shown = { start: from, end: Math.max(Math.ceil(end), from) };
    this.shown = shown;
    if (this.disposed) return this.loader.wait();
    const isJump = before.end > before.start && (shown.start > before.end || shown.end < before.start);
    if (isJump && this.settle > 0) this.awaitRest();
    // The estimated count depends on the range on show.
    if (this.rowCount.total === undefined) this.feed.markChanged();
    const { records } = this;
    const places = this.shownPlaces();
    for (const record of records.stale) {
      const place = records.placeOf(record) as number;
      if (place < places.start || place >= places.end) this.release(records.delete(place));
    }
    this.waitsForErases = false;
    this.schedule();
    return this.loader.show(shift);
  }

  /** Holds the requests back until the range on show has rested. */
  private awaitRest(): void {
    this.cancelSettling?.();
    this.cancelSettling = this.store.recordSet.clock().after(this.settle, () => {
      this.cancelSettling = undefined;
      this.schedule();
    });
  }

  /**
   * Loads the range on show again, and drops all other records. The present records stay on show until then. Rejects with a `DataError` if
   * a request fails.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * await rows.reload(); // the rows on show now, the others when they are scrolled to
   * ```
   */
  reload(): Promise<void> {
    if (!this.disposed) this.requery();
    return this.loader.wait();
  }

  /**
   * Asks again for the records on show that could not be loaded, and for no others. Resolves when all records on show are loaded. Rejects
   * with a `DataError` if a request fails.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * const { error } = rows.status.get();
   * if (error?.retryable) await rows.retry(); // "Try again"
   * ```
   */
  retry(): Promise<void> {
    return this.show(this.shown);
  }

  /**
   * Adds a listener; returns the function that removes it.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * rows.on('exception', ({ error }) => show(error.userMessage));
   * ```
   */
  on<K extends 'change' | 'exception'>(event: K, listener: (event: WindowEvents[K]) => void): () => void {
    const { messages } = this.store.definition;
    inWords(messages, () => {
      checkEvent('a window', event, ['change', 'exception'], listener);
    });
    return this.events.on(event, listener);
  }

  /**
   * Ends the window: aborts its requests, rejects its promises with `AbortError`, and drops its records. It emits no further event.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { end: 50 });
   * rows.dispose(); // when the list leaves the screen; the store stays
   * ```
   */
  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    const { records, store, releaseLater } = this;
    this.cancelSettling?.();
    this.events.clear();
    this.detach();
    this.loader.dispose(new AbortError('disposed', { owner: 'window' }));
    for (const place of records.occupied()) releaseLater.add(records.delete(place) as M);
    for (const record of releaseLater) store.recordSet.release(record);
    this.rowCount.update(0, 0, true, 0);
    this.feed.markChanged();
    this.feed.list.end();
    this.statusSource.end(true);
  }

  // ── Internal ──

  /**
   * Drops all records but those on show, which become stale, and loads the range on show at the end of the tick. `isWhole`: all windows of the
   * store do so.
   */
  private requery(isWhole: boolean = this.store.recordSet.observers.having('queryChanged').length === 1): void {
    const { records, store } = this;
    const { start, end } = this.shownPlaces();
    // A list that is loaded stays stale until its own load.
    if (isWhole && !store.hasLoaded) {
      store.whyStale = undefined;
      store.statusFeed.update();
    }
    for (const place of records.occupied())
      if (place >= start && place < end) records.stale.add(records.at(place) as M);
      else this.release(records.delete(place));
    this.rowCount.markStale();
    this.markChanged(start, end);
    this.loader.restart();
  }

  private pause(): void {
    this.loader.cancel();
    this.schedule();
  }

  private snapshotParts(): WindowParts<M> {
    const { records, rowCount, shown, loader, store, pageSize } = this;
    const { recordSet } = store;
    const hidden = records.placesOf([...recordSet.removed, ...recordSet.erasing]);
    const estimate = rowCount.estimate(pageSize, { start: shown.start, end: shown.end + hidden.length });
    return {
      ...{
        hidden,
        blockSize: pageSize,
        records: records.freeze(),
        stale: new Set(records.stale),
        requested: loader.requested,
      },
      total: rowCount.total === undefined ? undefined : rowCount.total - hidden.length,
      count: estimate - hidden.length,
    };
  }

  private readStatus(
    { saving, loadCount, stale, staleReason, pending, queued }: StoreStatus,
    previous: StoreStatus | undefined,
  ): StoreStatus {
    const { loader, total } = this;
    const { hasAnswer: loaded } = loader;
    const loading = loader.requested.size > 0;
    return reuseMembers<StoreStatus>(previous, {
      ...{ loading, saving, error: loader.errorOn(this.shownPlaces()), loaded, loadCount },
      ...{ stale, staleReason, pending, queued, total },
    });
  }

  /** The range on show, as places on the server. */
  private shownPlaces(): IndexRange {
    const { start, end } = this.shown;
    const snapshot = this.feed.list.get();
    return { start: snapshot.placeOf(start), end: end > start ? snapshot.placeOf(end - 1) + 1 : 0 };
  }

  /** Puts the records of a response at their places. A record that was at another place moves: the newest response wins. */
  private applyPage(page: Page, start: number): void {
    const { records, rowCount, pageSize } = this;
    const { total, next, rows, count } = page.result;
    // A server without paging sends all rows, whatever block is asked for.
    const isWhole = count > pageSize && (total ?? 0) <= count;
    const from = isWhole ? 0 : start;
    const loaded = this.toRecords(rows as readonly Data[], page);
    const replaced: (M | undefined)[] = [];
    for (let i = 0; i < Math.max(count, pageSize); i += 1)
      if (records.at(from + i) !== loaded[i]) replaced.push(records.delete(from + i));
    for (const [i, record] of loaded.entries()) if (record) records.put(from + i, record);
    rowCount.update(from, count, isWhole || (next === undefined ? count < pageSize : next === null), total);
    for (const place of records.occupied()) if (place >= rowCount.end) replaced.push(records.delete(place));
    for (const record of replaced) if (record && !records.has(record)) this.release(record);
    this.feed.markChanged();
  }

  /** The records of the rows of a response, by their places in it. */
  private toRecords(rows: readonly Data[], page: Page): (M | undefined)[] {
    const { pageReader, definition } = this.store;
    this.isApplyingPage = true;
    try {
      takeUnshown(pageReader, rows, page);
      return rows.map((row) => pageReader.find(definition.rowId(row)));
    } finally {
      this.isApplyingPage = false;
    }
  }

  /** Whether the store must keep a record: it has a place, or it is newer than the rows that requests in flight may bring. */
  private keeps(record: M): boolean {
    if (this.isApplyingPage || this.records.has(record)) return true;
    return this.loader.busy && (inner(record)[CORE]?.settledAt ?? 0) > this.oldestRequestAt;
  }

  private release(record: M | undefined): void {
    const { recordSet } = this.store;
    if (!record) return;
    if (!this.store.loading) recordSet.release(record);
    if (recordSet.holds(record)) this.releaseLater.add(record);
  }

  private recordChanged(record: M): void {
    const place = this.records.placeOf(record);
    if (this.waitsForErases) this.schedule();
    if (place !== undefined) this.markChanged(place, place + 1);
    else if (this.loader.busy) this.releaseLater.add(record);
  }

  private recordDropped(record: M): void {
    const { records, loader, rowCount } = this;
    const place = records.placeOf(record);
    if (this.waitsForErases) this.schedule();
    const erased = record.erased && !record.phantom;
    if (place !== undefined) records.delete(place);
    if (erased && place !== undefined) {
      records.close(place);
      rowCount.remove();
    } else if (erased) {
      // The place of the erased row is unknown, so all rows may have moved.
      this.requery();
    } else if (place === undefined) return;
    // Answers to requests in flight may still show the rows as they were before the record was dropped.
    loader.restart();
    this.waitsForErases = erased;
    this.schedule();
  }

  /** Drops the records farthest from the range on show, until at most `keep` are left. */
  private evict(): void {
    const { records, keep, loader, store, pageSize } = this;
    if (records.size <= keep) return;
    for (const { start, distance } of records.farthestBlocks(pageSize, (block) => loader.distance(block))) {
      if (distance === 0 || records.size <= keep) return;
      for (let place = start; place < start + pageSize; place += 1) {
        const record = records.at(place);
        // A hidden record keeps its place, because the indices of the records behind it depend on it.
        if (record && !store.recordSet.hidden(record)) this.release(records.delete(place));
      }
    }
  }

  private markChanged(from: number, to: number): void {
    this.feed.markChanged(from, to);
    this.schedule();
  }

  /** Schedules one update for the end of the tick. */
  private schedule(): void {
    if (this.isUpdateScheduled) return;
    this.isUpdateScheduled = true;
    queueMicrotask(() => {
      this.isUpdateScheduled = false;
      this.update();
    });
  }

  private update(operation?: Operation, error?: AnyDataError): void {
    if (this.disposed) return;
    const { loader, store, releaseLater } = this;
    if (!loader.busy) {
      this.oldestRequestAt = store.definition.clock.now;
      const records = [...releaseLater];
      releaseLater.clear();
      for (const record of records) if (!this.records.has(record)) this.release(record);
    }
    if (store.recordSet.erasing.size === 0) this.waitsForErases = false;
    loader.plan();
    if (!this.waitsForErases && !store.outdated) {
      loader.cancelUnplanned();
      if (!this.cancelSettling) loader.sendPlanned();
    }
    this.evict();
    this.statusSource.update();
    this.feed.flush();
    if (operation && error) this.events.emit('exception', { error, operation });
    if (!this.isUpdateScheduled) loader.settle();
  }
}

/**
 * Creates a window on the whole collection of a store, as the server sorts and filters it: records by index, loaded while a user scrolls.
 * Throws `UnsupportedQueryError` if the store sorts or filters locally, and for a query of another model.
 *
 * @example
 * ```ts
 * const rows = windowOf(users, { start: 0, end: 50 });
 * await rows.show({ start: 1000, end: 1050 });
 * ```
 */
export function windowOf<M extends Model>(store: Store<M>, config: WindowConfig<NoInfer<M>> = {}): RecordWindow<M> {
  const inside = innerStore(store);
  inside.checkOpen();
  return inside.inWords(() => {
    checkOptions('window', config, WINDOW_RULES);
    return new RecordWindow<M>(inside, config);
  });
}

/** Throws `UnsupportedQueryError` for a query that the server cannot apply as a whole. */
function checkSendable<M extends Model>(query: Query<M>, rules: QueryRules<M>): void {
  rules.refuseUnsendable(query);
  rules.refuseLocal(query);
}

/** Throws `UnsupportedQueryError` for a value that is not a number in its range. Called before anything is sent. */
function checkNumbers(values: Record<string, number>, least: number, most: number = Number.MAX_VALUE): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number' && value >= least && value <= most) continue;
    throw badValue(name, value, `a number from ${least}`);
  }
}
