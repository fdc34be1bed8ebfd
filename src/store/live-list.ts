import type { Model } from '../model/model.js';
import { withoutEdits } from '../model/record.js';
import { compareValues } from '../operation/local-query.js';
import { countOf, cutChunks, indicesOf, itemsAt, joinChunks, pickItems } from './chunks.js';
import { ColumnCache } from './column-cache.js';
import { type Column, readColumn, sortByColumns } from './columns.js';

import type { CompiledQuery, SortKey } from './compile-query.js';
import { type FirstKey, type Place, SortedList, type Touched } from './sorted-list.js';
import type { ListHooks } from './store-observer.js';

/** The records that a view sorts and filters. */
export interface RecordSource<M> {
  /** All visible records in source order, in chunks that never change. */
  present(): readonly (readonly M[])[];
  readonly columns: ColumnCache<M>;
  /** A number that gives the place of a record in source order. */
  rank(record: M): number;
}

/** Follows a live list record by record. */
export interface LiveListObserver<M> {
  /** Returns where the observer has put a record that is about to change or to leave the list. */
  locate(record: M): unknown;
  /** A record left the list, or changed; `where` is what `locate` returned for it. */
  left(location: unknown): void;
  /** A record entered the list, or changed. */
  entered(record: M): void;
  /** Values of a record changed that affect neither order nor filters. The record may be filtered out. */
  changed(record: M, fields: readonly string[] | undefined): void;
  /** Everything may have changed. `followable`: the only reason is that the list is not built, because nobody has read it. */
  reset(followable?: boolean): void;
  /** The changes of the tick are being delivered. */
  deliver(): void;
  /** The list was disposed of: it follows no record any more. */
  end(): void;
}

/** Up to this number, records are compared one by one instead of being sorted and filtered by columns. */
const SMALL_COUNT = 64;

/**
 * The filtered and sorted records of one view. The list is built when it is first read, and updated from then on: an edit, an
 * addition or a removal costs two binary searches. A change that cannot be applied drops the list, and the next read builds it
 * again. The list is also dropped when a filter or sorter of the application throws: the next reader gets the error, and the write
 * that caused it goes on.
 */
export class LiveList<M extends Model> implements ListHooks<M> {
  observer: LiveListObserver<M> | undefined = undefined;
  private list: SortedList<M> | undefined;
  /** The record that is about to change, and its place before the change. */
  private pendingChange: { record: M; place: Place | undefined; location: unknown } | undefined;
  private disposed = false;

  constructor(
    private readonly source: RecordSource<M>,
    private readonly query: () => CompiledQuery<M>,
    readonly holdEdited: boolean,
    /** Called when the list may have changed; `record` is a record whose values changed. */
    readonly markChanged: { markChanged(record?: M): void }['markChanged'],
  ) {}

  /** The records shown, in their order. Builds the list if necessary. */
  get(): SortedList<M> {
    return (this.list ??= this.build());
  }

  /**
   * Returns the records that entered, left or moved since the last call; undefined if that is not known. They are noted from now on if
   * `again` is true.
   */
  takeTouched(again: boolean): Touched<M> | undefined {
    return this.list?.takeTouched(again);
  }

  /** The place of a record in the list; undefined if the record is not shown. */
  find(record: M): Place | undefined {
    const list = this.get();
    // A computed value may have changed since the record got its place, so its place may not fit its present value.
    return list.find(record) ?? (this.query().steady ? undefined : list.find(record, true));
  }

  /** Drops the list, because the records or the query changed. */
  recordsReplaced(): void {
    this.invalidate();
    this.markChanged();
  }

  /** Stops: the list stays empty from now on. */
  dispose(): void {
    this.disposed = true;
    this.recordsReplaced();
    this.observer?.end();
    this.observer = undefined;
  }

  private invalidate(followable?: boolean): void {
    this.list = this.pendingChange = undefined;
    this.observer?.reset(followable);
  }

  /** The values of a record are about to change. */
  recordChanging(record: M, fields: readonly string[] | undefined): void {
    this.pendingChange = undefined;
    try {
      if (!this.list || !this.isAffectedBy(fields)) return;
      const place = this.find(record);
      this.pendingChange = { record, place, location: place && this.observer?.locate(record) };
    } catch {
      this.invalidate();
    }
  }

  /** The values of a record have changed: moves the record to its new place. */
  valuesChanged(record: M, fields: readonly string[] | undefined): void {
    try {
      if (!this.isAffectedBy(fields)) this.observer?.changed(record, fields);
      else if (this.list) this.move(record, this.list);
      else this.invalidate(true);
    } catch {
      this.invalidate();
    }
    this.pendingChange = undefined;
    this.markChanged(record);
  }

  /** Notes that values of a hidden record changed: if the record is shown again before the tick ends, `change` must name it as updated. */
  hiddenChanged(record: M): void {
    this.markChanged(record);
  }

  /** Adds records that came into place. Called when the records have their ranks. */
  recordsShown(records: readonly M[]): void {
    this.change(records, true);
  }

  /** Removes records. Called while the records still have their ranks and values. */
  recordsHidden(records: readonly M[]): void {
    this.change(records, false);
  }

  private change(records: readonly M[], added: boolean): void {
    this.pendingChange = undefined;
    try {
      const { list } = this;
      if (!list || this.isRebuildCheaper(records, list)) this.invalidate(!list);
      else if (added) for (const record of records) this.enter(record, list);
      else for (const record of records) this.leave(record, list);
    } catch {
      this.invalidate();
    }
    this.markChanged();
  }

  private enter(record: M, list: SortedList<M>): void {
    if (!this.passesFilters(record)) return;
    list.insert(record);
    this.observer?.entered(record);
  }

  private leave(record: M, list: SortedList<M>): void {
    const place = this.find(record);
    if (!place) return;
    this.observer?.left(this.observer.locate(record));
    list.delete(place);
  }

  /** Whether the filters let a record pass. */
  private passesFilters(record: M): boolean {
    const { filter } = this.query();
    return !filter || filter(this.withoutHeldEdits(record));
  }

  /** Moves a record to the place that fits its new values. */
  private move(record: M, list: SortedList<M>): void {
    const { pendingChange } = this;
    if (pendingChange?.record !== record) return this.invalidate();
    const { place, location } = pendingChange;
    const fits = this.passesFilters(record);
    if (!(place && fits && list.updateInPlace(place, record))) {
      if (place) list.delete(place);
      if (fits) list.insert(record);
    }
    // First entered, then left: a group that holds the record before and after must not become empty in between.
    if (fits) this.observer?.entered(record);
    if (place) this.observer?.left(location);
  }

  /** Whether building the list again costs less than updating it. */
  private isRebuildCheaper({ length }: readonly M[], { count }: SortedList<M>): boolean {
    const { filter, order } = this.query();
    return (!filter && !order && !this.observer) || length > SMALL_COUNT + count / 4;
  }

  /** Whether changes of some fields can affect the order or the filters. */
  private isAffectedBy(fields: readonly string[] | undefined): boolean {
    const { fields: usedFields, filter, order } = this.query();
    if (!filter && !order) return false;
    return !usedFields || !fields || this.holdEdited || fields.some((name) => usedFields.has(name));
  }

  /** The records that pass the filters, in source order. */
  filtered(): readonly (readonly M[])[] {
    const all = this.present();
    // Picks from the chunks, because joining all records first takes as long as testing them.
    const passing = this.passing(all);
    return passing ? pickItems(all, passing) : all;
  }

  /** Columns of the records that pass the filters: the shared columns of the store if all records pass. */
  columnsOf(records: readonly (readonly M[])[]): ColumnCache<M> {
    const all = !this.query().filter && !this.holdEdited && !this.disposed;
    return all ? this.source.columns : new ColumnCache(() => records);
  }

  private present(): readonly (readonly M[])[] {
    return this.disposed ? [] : this.source.present();
  }

  private build(): SortedList<M> {
    const { order, keys, steady } = this.query();
    const { source } = this;
    const byRank = (a: M, b: M) => source.rank(a) - source.rank(b);
    if (!order) {
      const list = new SortedList<M>(this.filtered(), byRank);
      list.freeze();
      return list;
    }
    const compare = (a: M, b: M) => order(this.withoutHeldEdits(a), this.withoutHeldEdits(b)) || byRank(a, b);
    const all = this.present();
    const items = joinChunks(all);
    const passing = this.passing(all);
    const count = passing ? passing.length : items.length;
    // Computed values and values of embedded records may change without notice, so such keys are not cached in the list.
    const first = steady && !this.holdEdited ? firstKey(keys) : undefined;
    if (keys && !this.holdEdited && count > SMALL_COUNT) {
      const sorted = this.sort(items, passing, keys);
      return new SortedList<M>(cutChunks(sorted.items), compare, first, first && cutChunks(sorted.keys));
    }
    return new SortedList<M>(cutChunks((passing ? itemsAt(items, passing) : items).sort(compare)), compare, first);
  }

  /** Indices of the records that pass the filters; undefined if there is no filter. */
  private passing(all: readonly (readonly M[])[]): Uint32Array | undefined {
    const { filter } = this.query();
    if (!filter) return undefined;
    const quick = this.passingColumns(all);
    if (quick) return quick;
    const found = new Uint32Array(countOf(all));
    let passed = 0;
    let i = 0;
    for (const chunk of all) {
      for (const record of chunk) {
        if (filter(this.withoutHeldEdits(record))) {
          found[passed] = i;
          passed += 1;
        }
        i += 1;
      }
    }
    return found.subarray(0, passed);
  }

  /**
   * Indices of the records that pass, found by testing each distinct value once. Works only if each filter is a condition on a field
   * whose values repeat often; otherwise undefined.
   */
  private passingColumns(all: readonly (readonly M[])[]): Uint32Array | undefined {
    const { conditions } = this.query();
    const count = countOf(all);
    if (count <= SMALL_COUNT || this.holdEdited) return undefined;
    return this.source.columns.passing(conditions ?? [], count, true);
  }

  /**
   * Sorts many records by columns: by the cached columns of all records or, if few records passed the filters, by columns of these.
   */
  private sort(
    items: readonly M[],
    passing: Uint32Array | undefined,
    keys: readonly SortKey<M>[],
  ): { items: M[]; keys: unknown[] } {
    const fewItems = passing && passing.length < items.length / 4 ? itemsAt(items, passing) : undefined;
    const toSort = fewItems ?? items;
    const columns = keys.map(({ property, stored, read, compare, descending }) => {
      const sharedColumn = !fewItems && stored ? this.source.columns.get(property, read) : undefined;
      return { column: sharedColumn ?? (readColumn([toSort], toSort.length, read) as Column), descending, compare };
    });
    const sorted = sortByColumns(fewItems || !passing ? indicesOf(toSort) : passing, columns);
    return { items: itemsAt(toSort, sorted.indices), keys: sorted.keys };
  }

  /** The record by whose values a record is placed: with `holdEdited`, an edited record is placed as it was before its edits. */
  withoutHeldEdits(record: M): M {
    return this.holdEdited && record.dirty ? withoutEdits(record) : record;
  }
}

/** The value that an order compares first; undefined if a function of the application sorts. */
function firstKey<M>([first]: readonly SortKey<M>[] = []): FirstKey<M> | undefined {
  if (!first) return undefined;
  const { read, compare = compareValues, descending } = first;
  return { read, compare: descending ? (a, b) => compare(b, a) : compare };
}
