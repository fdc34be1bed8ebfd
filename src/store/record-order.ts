import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { OWNER, RANK } from '../model/symbols.js';
import { cutChunks, joinChunks } from './chunks.js';
import { type Place, SortedList } from './sorted-list.js';

/**
 * The source order of the records of a store: as the server sent them and as `insert` placed them. Each record has a rank, a number
 * that gives its place.
 */
export class RecordOrder<M extends Model> {
  private list: SortedList<M> = this.sorted([]);
  /** Ranks of records that another store held first: a record itself stores only the rank of its first store. */
  private readonly ranks: Map<M, number> = new Map();

  constructor(private readonly recordSet: { holds(record: M): boolean }) {}

  get count(): number {
    return this.list.count;
  }

  all(): M[] {
    return joinChunks(this.list.freeze());
  }

  chunks(): readonly (readonly M[])[] {
    return this.list.freeze();
  }

  rank(record: M): number {
    const { ranks } = this;
    return (ranks.size > 0 ? ranks.get(record) : undefined) ?? inner(record)[RANK];
  }

  /** Sets the rank of a record. Must be called before the store becomes an owner of the record. */
  setRank(record: M, rank: number): void {
    const innerRecord = inner(record);
    const storesRank = innerRecord[OWNER] === undefined || (this.recordSet.holds(record) && !this.ranks.has(record));
    if (storesRank) innerRecord[RANK] = rank;
    else this.ranks.set(record, rank);
  }

  /** Puts records before another record, or at the end. */
  enter(before: M | undefined, records: readonly M[]): void {
    const ranks = this.ranksFor(before, records.length);
    for (const [i, record] of records.entries()) this.setRank(record, ranks[i] as number);
    if (before) for (const record of records) this.list.insert(record);
    else this.list.append(records);
  }

  /** Replaces all records. */
  replace(records: readonly M[]): void {
    // Not `entries()`: until V8 has compiled the loop, it makes two objects per record, and collecting them takes longer than the
    // loop.
    for (let rank = 0; rank < records.length; rank += 1) this.setRank(records[rank] as M, rank);
    this.list = this.sorted(records);
  }

  delete(record: M): void {
    const place = this.list.find(record);
    if (place) this.list.delete(place);
  }

  /** Forgets the rank of a record that the store no longer holds. */
  forget(record: M): void {
    this.ranks.delete(record);
  }

  /** Forgets all ranks: the store holds no record any more. */
  forgetAll(): void {
    this.ranks.clear();
  }

  /** The first record from `record` on that does not move. */
  after(record: M, moving: readonly M[]): M | undefined {
    const all = this.all();
    const moved = new Set(moving);
    return all.slice(all.indexOf(record)).find((each) => !moved.has(each));
  }

  /** Makes `count` ascending ranks for the place before a record, or for the end. */
  private ranksFor(before: M | undefined, count: number): number[] {
    const { list } = this;
    const last = list.at((before ? list.indexOf(list.find(before) as Place) : list.count) - 1);
    const behind = before && this.rank(before);
    const from = last ? this.rank(last) : (behind ?? 0) - 1;
    const step = behind === undefined ? 1 : (behind - from) / (count + 1);
    const ranks = Array.from({ length: count }, (_, i) => from + step * (i + 1));
    const edges = behind === undefined ? [] : [from, ...ranks, behind];
    if (edges.every((rank, i) => i === 0 || rank > (edges[i - 1] as number))) return ranks;
    // No numbers are left between the two neighbours, so all records get new ranks in the same order.
    for (const [i, each] of this.all().entries()) this.setRank(each, i);
    return this.ranksFor(before, count);
  }

  private sorted(records: readonly M[]): SortedList<M> {
    return new SortedList<M>(cutChunks(records), (a, b) => this.rank(a) - this.rank(b));
  }
}
