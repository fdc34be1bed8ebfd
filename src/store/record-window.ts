import { AbortError } from '../errors/abort-error.js';
import { checkEvent } from '../errors/check-event.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { checkOptions } from '../errors/option-rules.js';
import { badValue } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { settleRead } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import type { Data } from '../util/data-path.js';
import { EventEmitter } from '../util/event-emitter.js';
import type { Page, PageReader } from './page-reader.js';
import { refuseLocalQuery } from './query-state.js';
import { RowCount } from './row-count.js';
import type { WindowParts } from './rows-snapshot.js';
import type { LoadOptions } from './store-config.js';
import type { ObservedStore } from './store-observer.js';
import { RANGE_RULES } from './store-options.js';
import type { IndexRange, LoadState, WindowConfig, WindowEvents, WindowSnapshot } from './window-config.js';
import { WindowFeed } from './window-feed.js';
import { WindowLoader } from './window-loader.js';
import { WindowRows } from './window-rows.js';

/** The members of a store that its windows use. */
export interface WindowHost<M extends BaseModel> extends ObservedStore<M> {
  readonly pages: PageReader<M>;
  readonly pageSize: number;
  readonly config: { readonly concurrency?: number };
  /** Whether the query has changed, and the store waits for a delay before it loads. */
  readonly outdated: boolean;
  createOperation(options: LoadOptions<M>, signal: AbortSignal): Operation;
  read(operation: Operation): Promise<Page>;
}

/**
 * Shows a part of a collection that is too large to be loaded whole. Records are read by index: those on show are loaded while a user
 * scrolls, and those far away are dropped. The store holds the records, but does not show them. Created by `store.window()`; call
 * `dispose()` when you no longer need it.
 *
 * @example
 * ```ts
 * const rows = users.window({ start: 0, end: 50 });
 * rows.on('change', ({ from, to }) => show(from, to));
 * await rows.show({ start: 1000, end: 1050 });
 * show(rows.count, rows.getAt(1000)?.name, rows.stateAt(2000));
 * ```
 */
export class RecordWindow<M extends BaseModel> {
  private readonly events: EventEmitter<WindowEvents> = new EventEmitter();
  private readonly rows: WindowRows<M>;
  private readonly size: RowCount = new RowCount();
  private readonly loader: WindowLoader<M>;
  private readonly feed: WindowFeed<M>;
  private readonly keep: number;
  /** Number of rows in a block: the page size of the store when the window was created. */
  private readonly pageSize: number;
  private readonly detach: () => void;
  /** The range on show, as indices of the records that are not hidden. */
  private range: IndexRange = { start: 0, end: 0 };
  /** When the oldest request in flight began. */
  private since = 0;
  /** Records to release when no request is in flight that may bring older rows of them. */
  private readonly late: Set<M> = new Set();
  private reading = false;
  /** Whether loading waits until all erases in flight have ended. */
  private waits = false;
  private due = false;
  private ended = false;

  constructor(
    private readonly host: WindowHost<M>,
    { start = 0, end, prefetch = host.pageSize, keep = 40 * host.pageSize }: WindowConfig,
  ) {
    const { pageSize } = host;
    check({ pageSize }, 1);
    check({ prefetch }, 0);
    check({ keep }, 0, Number.POSITIVE_INFINITY);
    this.keep = keep;
    this.pageSize = pageSize;
    const changed = (from: number, to: number) => this.change(from, to);
    this.rows = new WindowRows<M>(changed);
    this.loader = new WindowLoader<M>(host, {
      ...{ rows: this.rows, size: this.size, pageSize, ahead: Math.ceil(prefetch / pageSize), changed },
      range: () => this.places(),
      take: (page, from) => this.take(page, from),
      ended: (operation, error) => this.update(operation, error),
    });
    this.detach = host.recordSet.observers.attach({
      keeps: (record) => this.keeps(record),
      recordChanged: (record) => this.recordChanged(record),
      recordDropped: (record) => this.recordDropped(record),
      checkQuery: refuseLocalQuery,
      queryDelayed: () => this.pause(),
      queryChanged: () => this.requery(),
    });
    this.feed = new WindowFeed<M>(this.events, () => this.parts());
    if (end !== undefined) void this.show({ start, end });
  }

  /** Number of records in the collection, without those that were removed here; undefined while unknown. */
  get total(): number | undefined {
    return this.snapshot.total;
  }

  /** Number of records for a scroll bar: the total or, while it is unknown, an estimate that grows with each answer. */
  get count(): number {
    return this.snapshot.count;
  }

  /** An immutable snapshot of the window; the same object until the window changes. */
  get snapshot(): WindowSnapshot<M> {
    return this.feed.now;
  }

  /**
   * The record at an index; undefined if it is not loaded. After a change of the query, the old record stays until the new one is
   * loaded.
   */
  getAt(index: number): M | undefined {
    return this.snapshot.at(index);
  }

  /** Whether the record at an index is loaded, being loaded, or missing. */
  stateAt(index: number): LoadState {
    return this.snapshot.stateAt(index);
  }

  /**
   * Shows another range: loads the missing records, then those ahead. Resolves when all records on show are loaded; if a later call
   * supersedes this one, when those of the later call are. Rejects with a `DataError` if a request fails; you need not handle the promise.
   * Throws `UnsupportedQueryError` if `start` or `end` is not a number.
   */
  show(range: IndexRange): Promise<void> {
    checkOptions('show', range, RANGE_RULES);
    const { start, end } = range;
    check({ start, end }, -Number.MAX_VALUE, Number.MAX_SAFE_INTEGER);
    const from = Math.max(Math.floor(start), 0);
    const shift = from - this.range.start;
    this.range = { start: from, end: Math.max(Math.ceil(end), from) };
    if (this.ended) return this.loader.wait();
    // The estimated count depends on the range on show.
    if (this.size.total === undefined) this.feed.markChanged();
    const { rows } = this;
    const places = this.places();
    for (const record of rows.old) {
      const place = rows.placeOf(record) as number;
      if (place < places.start || place >= places.end) this.letGo(rows.delete(place));
    }
    this.waits = false;
    this.schedule();
    return this.loader.show(shift);
  }

  /** Loads the range on show again, and drops all other records. The present records stay on show until then. */
  reload(): Promise<void> {
    if (!this.ended) this.requery();
    return this.loader.wait();
  }

  /** Adds a listener; returns the function that removes it. */
  on<K extends keyof WindowEvents>(event: K, listener: (event: WindowEvents[K]) => void): () => void {
    checkEvent('a window', event, ['change', 'exception'], listener);
    return this.events.on(event, listener);
  }

  /**
   * Ends the window: aborts its requests, rejects its promises with `AbortError`, and drops its records. It emits no further event.
   */
  dispose(): void {
    if (this.ended) return;
    this.ended = true;
    const { rows, host, late } = this;
    this.events.clear();
    this.detach();
    this.loader.dispose(new AbortError('disposed'));
    for (const place of rows.taken()) late.add(rows.delete(place) as M);
    for (const record of late) host.recordSet.release(record);
    this.size.update(0, 0, true, 0);
    this.feed.markChanged();
  }

  // ── Internal ──

  /** Drops all records but those on show, which become stale, and loads the range on show at the end of the tick. */
  private requery(): void {
    const { rows } = this;
    const { start, end } = this.places();
    for (const place of rows.taken())
      if (place >= start && place < end) rows.old.add(rows.at(place) as M);
      else this.letGo(rows.delete(place));
    this.size.markStale();
    this.change(start, end);
    this.loader.restart();
  }

  private pause(): void {
    this.loader.cancel();
    this.schedule();
  }

  private parts(): Omit<WindowParts<M>, 'version'> {
    const { rows, size, range, loader, host, pageSize } = this;
    const { recordSet } = host;
    const places = [...recordSet.removed, ...recordSet.erasing].map((record) => rows.placeOf(record));
    const hidden = [...new Set(places)].filter((place) => place !== undefined).sort((a, b) => a - b);
    const estimate = size.estimate(pageSize, { start: range.start, end: range.end + hidden.length });
    return {
      ...{ hidden, blockSize: pageSize, records: rows.freeze(), stale: new Set(rows.old), requested: loader.asked },
      total: size.total === undefined ? undefined : size.total - hidden.length,
      count: estimate - hidden.length,
    };
  }

  /** The range on show, as places on the server. */
  private places(): IndexRange {
    const { start, end } = this.range;
    const { now } = this.feed;
    return { start: now.placeOf(start), end: end > start ? now.placeOf(end - 1) + 1 : 0 };
  }

  /** Puts the records of an answer at their places. A record that was at another place moves: the newest answer wins. */
  private take({ result, startedAt }: Page, start: number): void {
    const { rows, size, pageSize } = this;
    const { total, next } = result;
    const given = result.rows as Data[];
    const count = given.length;
    // A server without paging sends all rows, whatever block is asked for.
    const all = count > pageSize && (total ?? 0) <= count;
    const from = all ? 0 : start;
    const records = this.toRecords(given, startedAt);
    const gone: (M | undefined)[] = [];
    for (let i = 0; i < Math.max(count, pageSize); i += 1)
      if (rows.at(from + i) !== records[i]) gone.push(rows.delete(from + i));
    for (const [i, record] of records.entries()) rows.put(from + i, record);
    size.update(from, count, all || (next === undefined ? count < pageSize : next === null), total);
    for (const place of rows.taken()) if (place >= size.end) gone.push(rows.delete(place));
    for (const record of gone) if (record && !rows.has(record)) this.letGo(record);
    this.feed.markChanged();
  }

  private toRecords(given: readonly Data[], startedAt: number): M[] {
    this.reading = true;
    try {
      this.host.recordSet.notifyRowsComing(given);
      return given.map((row) => this.toRecord(row, startedAt));
    } finally {
      this.reading = false;
    }
  }

  private toRecord(row: Data, startedAt: number): M {
    const { recordSet, pages, definition, proxy } = this.host;
    const incomplete = proxy.reader.rows === 'incomplete';
    const id = definition.rowId(row);
    const known = pages.find(id);
    if (known) {
      settleRead(inner(known), row, startedAt, incomplete);
      return known;
    }
    const record = pages.create(row, incomplete);
    recordSet.addUnplaced(id, record, 0);
    recordSet.notifyAdded(record);
    recordSet.offPage.add(record);
    return record;
  }

  /** Whether the store must keep a record: it has a place, or it is newer than the rows that requests in flight may bring. */
  private keeps(record: M): boolean {
    if (this.reading || this.rows.has(record)) return true;
    return this.loader.busy && (inner(record)[CORE]?.settledAt ?? 0) > this.since;
  }

  private letGo(record: M | undefined): void {
    const { recordSet } = this.host;
    if (!record) return;
    if (!this.host.loading) recordSet.release(record);
    if (recordSet.holds(record)) this.late.add(record);
  }

  private recordChanged(record: M): void {
    const place = this.rows.placeOf(record);
    if (this.waits) this.schedule();
    if (place !== undefined) this.change(place, place + 1);
    else if (this.loader.busy) this.late.add(record);
  }

  private recordDropped(record: M): void {
    const { rows, loader, size } = this;
    const place = rows.placeOf(record);
    if (this.waits) this.schedule();
    const erased = record.erased && !record.phantom;
    if (place !== undefined) rows.delete(place);
    if (erased && place !== undefined) {
      rows.close(place);
      size.remove();
    } else if (erased) {
      // The place of the erased row is unknown, so all rows may have moved.
      this.requery();
    } else if (place === undefined) return;
    // Answers to requests in flight may still show the rows as they were before the record was dropped.
    loader.restart();
    this.waits = erased;
    this.schedule();
  }

  /** Drops the records farthest from the range on show, until at most `keep` are left. */
  private evict(): void {
    const { rows, keep, loader, host, pageSize } = this;
    if (rows.size <= keep) return;
    const blocks = [...new Set(rows.taken().map((place) => Math.floor(place / pageSize)))];
    const far = blocks.map((block) => ({ start: block * pageSize, distance: loader.distance(block) }));
    for (const { start, distance } of far.sort((a, b) => b.distance - a.distance)) {
      if (distance === 0 || rows.size <= keep) return;
      for (let place = start; place < start + pageSize; place += 1) {
        const record = rows.at(place);
        // A hidden record keeps its place, because the indices of the records behind it depend on it.
        if (record && !host.recordSet.hidden(record)) this.letGo(rows.delete(place));
      }
    }
  }

  private change(from: number, to: number): void {
    this.feed.markChanged(from, to);
    this.schedule();
  }

  /** Schedules one update for the end of the tick. */
  private schedule(): void {
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      this.update();
    });
  }

  private update(operation?: Operation, error?: AnyDataError): void {
    if (this.ended) return;
    const { loader, host, late } = this;
    if (!loader.busy) {
      this.since = host.definition.clock.now;
      const records = [...late];
      late.clear();
      for (const record of records) if (!this.rows.has(record)) this.letGo(record);
    }
    if (host.recordSet.erasing.size === 0) this.waits = false;
    loader.plan();
    if (!this.waits && !host.outdated) loader.run();
    this.evict();
    this.feed.flush();
    if (operation && error) this.events.emit('exception', { error, operation });
    if (!this.due) loader.settle();
  }
}

/** Throws `UnsupportedQueryError` for a value that is not a number in its range. Called before anything is sent. */
function check(values: Record<string, number>, least: number, most: number = Number.MAX_VALUE): void {
  for (const [name, value] of Object.entries(values)) {
    if (value >= least && value <= most) continue;
    throw badValue(name, value, `a number from ${least}`);
  }
}
