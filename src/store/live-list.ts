import type { BaseModel } from '../model/base-model.js';
import { compareValues } from '../operation/local-query.js';
import { countOf, cutChunks, filterChunks, indicesOf, itemsAt, joinChunks, pickItems } from './chunks.js';
import { ColumnCache } from './column-cache.js';
import { type Column, passingCodes, readColumn, sortByColumns } from './columns.js';
import { type LocalQuery, type SortKey, withoutEdits } from './query-state.js';
import { type FirstKey, type Place, SortedList } from './sorted-list.js';

/** Where a view gets its records from. */
export interface RecordSource<M> {
  /** The records that there are, in their own order, in chunks that never change. */
  present(): readonly (readonly M[])[];
  readonly columns: ColumnCache<M>;
  /** A record's place in that order. */
  rank(record: M): number;
}

/** Who follows what is shown, record by record. */
export interface LiveListObserver<M> {
  /** Where a record belongs that is about to change or to go. */
  locate(record: M): unknown;
  /** A record is shown no longer, or changed; `where` is where it belonged. */
  left(where: unknown): void;
  /** A record is shown that was not, or changed. */
  entered(record: M): void;
  /** Values changed on which neither place nor filters depend, of a record that may be shown. */
  changed(record: M, fields: readonly string[] | undefined): void;
  /** Everything may be different; `followable` where that is only because nobody has asked yet for what is shown. */
  reset(followable?: boolean): void;
  /** A tick ends. */
  deliver(): void;
}

/** Fewer records are sorted by comparing them. */
const FEW = 64;

/**
 * What is shown of some records: filtered and sorted when it is first asked for, and kept so from then on. An edit, an addition
 * or a removal costs two searches; whatever cannot be followed makes it start anew. So does a function of the application that
 * throws: its error is told to who reads what is shown, and keeps nobody from writing.
 */
export class LiveList<M extends BaseModel> {
  observer: LiveListObserver<M> | undefined = undefined;
  private list: SortedList<M> | undefined;
  /** The record that is about to change, and where it stands. */
  private changing: { record: M; place: Place | undefined; where: unknown } | undefined;
  private ended = false;

  constructor(
    private readonly source: RecordSource<M>,
    private readonly query: () => LocalQuery<M>,
    readonly holdEdited: boolean,
    /** Called whenever what is shown may be different; with a record, where its values are. */
    readonly markChanged: { markChanged(record?: M): void }['markChanged'],
  ) {}

  /** What is shown, in its order. */
  get(): SortedList<M> {
    return (this.list ??= this.build());
  }

  /** Where a record is shown; undefined where it is not. */
  find(record: M): Place | undefined {
    const list = this.get();
    // What is computed may differ from what it was when the record got its place.
    return list.find(record) ?? (this.query().steady ? undefined : list.find(record, true));
  }

  /** Everything may be different: other records, or another way to show them. */
  reset(): void {
    this.drop();
    this.markChanged();
  }

  /** Shows nothing any more. */
  end(): void {
    this.ended = true;
    this.reset();
    this.observer = undefined;
  }

  private drop(followable?: boolean): void {
    this.list = this.changing = undefined;
    this.observer?.reset(followable);
  }

  /** The values of a record are about to change. */
  willChange(record: M, fields: readonly string[] | undefined): void {
    this.changing = undefined;
    try {
      if (!this.list || !this.depends(fields)) return;
      const place = this.find(record);
      this.changing = { record, place, where: place && this.observer?.locate(record) };
    } catch {
      this.drop();
    }
  }

  /** The values of a record have changed; where its place is the same, all have theirs. */
  hasChanged(record: M, fields: readonly string[] | undefined): void {
    try {
      if (!this.depends(fields)) this.observer?.changed(record, fields);
      else if (this.list) this.follow(record, this.list);
      else this.drop(true);
    } catch {
      this.drop();
    }
    this.changing = undefined;
    this.markChanged(record);
  }

  /** Records have come; they have their ranks. */
  add(records: readonly M[]): void {
    this.change(records, true);
  }

  /** Records are to go; they still have their ranks and values. */
  delete(records: readonly M[]): void {
    this.change(records, false);
  }

  private change(records: readonly M[], come: boolean): void {
    this.changing = undefined;
    try {
      const { list } = this;
      if (!list || this.isMuch(records, list)) this.drop(!list);
      else if (come) for (const record of records) this.enter(record, list);
      else for (const record of records) this.leave(record, list);
    } catch {
      this.drop();
    }
    this.markChanged();
  }

  private enter(record: M, list: SortedList<M>): void {
    if (!this.fits(record)) return;
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
  private fits(record: M): boolean {
    const { keep } = this.query();
    return !keep || keep(this.seen(record));
  }

  /** Moves a record to where its values now want it. */
  private follow(record: M, list: SortedList<M>): void {
    const { changing } = this;
    if (changing?.record !== record) return this.drop();
    const { place, where } = changing;
    const fits = this.fits(record);
    if (!(place && fits && list.fits(place, record))) {
      if (place) list.delete(place);
      if (fits) list.insert(record);
    }
    // In this order: what has the record before and after shall not be without it in between.
    if (fits) this.observer?.entered(record);
    if (place) this.observer?.left(where);
  }

  /** Whether to start anew costs less than to follow. */
  private isMuch({ length }: readonly M[], { count }: SortedList<M>): boolean {
    const { keep, order } = this.query();
    return (!keep && !order && !this.observer) || length > FEW + count / 4;
  }

  /** Whether it matters here that some fields change. */
  private depends(fields: readonly string[] | undefined): boolean {
    const { fields: own, keep, order } = this.query();
    if (!keep && !order) return false;
    return !own || !fields || this.holdEdited || fields.some((name) => own.has(name));
  }

  /** The records that are shown, in the order of their source. */
  kept(): readonly (readonly M[])[] {
    const all = this.present();
    const { keep } = this.query();
    if (!keep) return all;
    // Chunk by chunk: to join all records first takes as long as to look at them.
    const quick = this.passingColumns(all);
    if (quick) return pickItems(all, quick);
    return filterChunks(all, this.holdEdited ? (record) => keep(this.seen(record)) : keep);
  }

  /** Columns of records that are kept: where these are all, the ones that all views share. */
  columnsOf(kept: readonly (readonly M[])[]): ColumnCache<M> {
    const all = !this.query().keep && !this.holdEdited && !this.ended;
    return all ? this.source.columns : new ColumnCache(() => kept);
  }

  private present(): readonly (readonly M[])[] {
    return this.ended ? [] : this.source.present();
  }

  private build(): SortedList<M> {
    const { order, keys, steady } = this.query();
    const { source } = this;
    const byRank = (a: M, b: M) => source.rank(a) - source.rank(b);
    if (!order) {
      const list = new SortedList<M>(this.kept(), byRank);
      list.freeze();
      return list;
    }
    const compare = (a: M, b: M) => order(this.seen(a), this.seen(b)) || byRank(a, b);
    const all = this.present();
    const items = joinChunks(all);
    const passing = this.passing(all);
    const count = passing ? passing.length : items.length;
    // What is computed may change without a word, as may what a record inside gives: it is read each time.
    const first = steady && !this.holdEdited ? firstKey(keys) : undefined;
    if (keys && !this.holdEdited && count > FEW) {
      const sorted = this.sort(items, passing, keys);
      return new SortedList<M>(cutChunks(sorted.items), compare, first, first && cutChunks(sorted.keys));
    }
    return new SortedList<M>(cutChunks((passing ? itemsAt(items, passing) : items).sort(compare)), compare, first);
  }

  /** Indices of the records that pass the filters; undefined where there is none. */
  private passing(all: readonly (readonly M[])[]): Uint32Array | undefined {
    const { keep } = this.query();
    if (!keep) return undefined;
    const quick = this.passingColumns(all);
    if (quick) return quick;
    const found = new Uint32Array(countOf(all));
    let passed = 0;
    let i = 0;
    for (const chunk of all) {
      for (const record of chunk) {
        if (keep(this.seen(record))) {
          found[passed] = i;
          passed += 1;
        }
        i += 1;
      }
    }
    return found.subarray(0, passed);
  }

  /** The same where each filter is a condition on a field of few distinct values: each of these is tested once. */
  private passingColumns(all: readonly (readonly M[])[]): Uint32Array | undefined {
    const { conditions } = this.query();
    const count = countOf(all);
    if (count <= FEW || this.holdEdited) return undefined;
    let found: Uint32Array | undefined;
    for (const { field, read, test } of conditions ?? []) {
      const column = this.source.columns.get(field, read, true);
      if (!column) return undefined;
      found = passingCodes(
        column.codes,
        Uint8Array.from(column.values, (value) => (test(value) ? 1 : 0)),
        found,
        count,
      );
    }
    return found;
  }

  /** Sorts many: by columns of all records, which are kept, or of those that passed the filters where these are few. */
  private sort(
    items: readonly M[],
    passing: Uint32Array | undefined,
    keys: readonly SortKey<M>[],
  ): { items: M[]; keys: unknown[] } {
    const few = passing && passing.length < items.length / 4 ? itemsAt(items, passing) : undefined;
    const among = few ?? items;
    const columns = keys.map(({ property, stored, read, compare, descending }) => {
      const kept = !few && stored ? this.source.columns.get(property, read) : undefined;
      return { column: kept ?? (readColumn([among], among.length, read) as Column), descending, compare };
    });
    const sorted = sortByColumns(few || !passing ? indicesOf(among) : passing, columns);
    return { items: itemsAt(among, sorted.indices), keys: sorted.keys };
  }

  /** A record as it counts for its place. */
  seen(record: M): M {
    return this.holdEdited && record.dirty ? withoutEdits(record) : record;
  }
}

/** What an order looks at first; undefined where a function orders. */
function firstKey<M>([first]: readonly SortKey<M>[] = []): FirstKey<M> | undefined {
  if (!first) return undefined;
  const { read, compare = compareValues, descending } = first;
  return { read, compare: descending ? (a, b) => compare(b, a) : compare };
}
