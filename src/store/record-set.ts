import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import { coreOf, guardErased, inner, nameOf } from '../model/record.js';
import { addOwner, isOwner, type RecordOwner, removeOwner } from '../model/record-owner.js';
import { settleErased } from '../model/settle.js';
import { CORE, RANK } from '../model/symbols.js';
import { type Clock, systemClock } from '../util/clock.js';
import type { Data } from '../util/data-path.js';
import { ColumnCache } from './column-cache.js';
import { IdIndex, type IdKey, idKeyOf, idsOf } from './id-index.js';
import type { LiveList, RecordSource } from './live-list.js';
import { type DuplicateHolder, mergeDuplicate } from './merge-duplicate.js';
import { ObserverList } from './observer-list.js';
import { RecordOrder } from './record-order.js';

/** All records of a store: those in place, in source order, and those that are pending elsewhere. */
export class RecordSet<M extends BaseModel> implements RecordSource<M>, DuplicateHolder<M> {
  /** Edited, new or removed records of pages that are not shown. */
  readonly offPage: Set<M> = new Set();
  /** Removed by `remove`, not yet erased. */
  readonly removed: Set<M> = new Set();
  /** Being erased. */
  readonly erasing: Set<M> = new Set();
  readonly index: IdIndex<M> = new IdIndex();
  /** When records were erased, by id, during a load that started before. */
  readonly tombstones: Map<IdKey, number> = new Map();
  /** The views that are kept up to date. */
  readonly views: Set<LiveList<M>> = new Set();
  /** Who takes part in the store. */
  readonly observers: ObserverList<M> = new ObserverList();
  /** Whether rows are coming in: what has no place any more may be one of those to come. */
  reading = false;
  readonly columns: ColumnCache<M> = new ColumnCache(() => this.present());
  /** Records in place; hidden ones keep their place. */
  private readonly order: RecordOrder<M> = new RecordOrder(this);
  /** Records that have more than their row: only these can be pending. */
  private readonly candidates: Set<M> = new Set();

  /** What delays are measured by. */
  clock: () => Clock = () => systemClock;
  /** Who hears of what happens to the records. */
  owner: RecordOwner = { recordChanged: () => undefined };

  /** Number of records in place. */
  get count(): number {
    return this.order.count;
  }

  /** Records in place. */
  inPlace(): M[] {
    return this.order.all();
  }

  /** Records in place that are not hidden. */
  present(): readonly (readonly M[])[] {
    const chunks = this.order.chunks();
    if (this.removed.size + this.erasing.size === 0) return chunks;
    return chunks.map((chunk) => chunk.filter((record) => !this.hidden(record))).filter((chunk) => chunk.length > 0);
  }

  /** Records that may be pending and pass a test, in their order. */
  pendingRecords(test: (record: M) => boolean = () => true): M[] {
    for (const record of this.candidates) if (this.isIdle(record)) this.candidates.delete(record);
    const records = [...this.candidates].filter(test);
    const place = (record: M) => (this.offPage.has(record) ? Number.POSITIVE_INFINITY : this.rank(record));
    return records.sort((a, b) => place(a) - place(b) || 0);
  }

  /** Notes a record that may be pending now. */
  remember(record: M): void {
    if (inner(record)[CORE] && this.holds(record)) this.candidates.add(record);
  }

  rank(record: M): number {
    return this.order.rank(record);
  }

  hidden(record: M): boolean {
    return this.removed.has(record) || this.erasing.has(record);
  }

  holds(record: M): boolean {
    return isOwner(inner(record), this.owner);
  }

  isInPlace(record: M): boolean {
    return this.holds(record) && !this.offPage.has(record);
  }

  /** Whether a record is in place and not hidden. */
  isPresent(record: M): boolean {
    return this.isInPlace(record) && !this.hidden(record);
  }

  /** Hides records: until they are erased, or shown again. */
  hide(records: readonly M[], why: Set<M>): void {
    const present = records.filter((record) => this.isPresent(record));
    if (present.length > 0) this.tell((view) => view.delete(present));
    for (const record of records) why.add(record);
  }

  /** Shows a hidden record again. */
  unhide(record: M): void {
    const hidden = this.hidden(record);
    this.removed.delete(record);
    this.erasing.delete(record);
    if (hidden && this.isInPlace(record)) this.show([record]);
    this.markChanged(record);
  }

  /** Tells the views of records that are in place now. */
  private show(records: readonly M[]): void {
    const present = records.filter((record) => !this.hidden(record));
    this.tell((view) => view.add(present));
  }

  /** Takes records in before another, or at the end. Throws `StateError` before anything is changed. */
  insert(before: M | undefined, given: readonly M[]): void {
    this.check(given);
    const records = [...new Set(given)];
    // A record that comes back is no longer removed.
    for (const record of records) this.removed.delete(record);
    this.place(before, records);
    for (const record of records) this.markChanged(record);
  }

  /** Puts records before another, or at the end. */
  place(before: M | undefined, records: readonly M[]): void {
    const next = before && records.includes(before) ? this.order.after(before, records) : before;
    for (const record of records) if (this.isInPlace(record)) this.takeOut(record);
    this.enter(next, records);
  }

  /** Puts records that have no place yet before another, or at the end. */
  enter(next: M | undefined, records: readonly M[]): void {
    this.order.enter(next, records);
    for (const record of records) {
      this.hold(record);
      this.offPage.delete(record);
    }
    this.show(records);
  }

  /** Forgets a record altogether; `replacedBy` is the record of the same row that takes its place. */
  drop(record: M, replacedBy?: M): void {
    if (this.isInPlace(record)) this.takeOut(record);
    for (const each of [this.offPage, this.removed, this.erasing, this.candidates]) each.delete(record);
    this.index.delete(record);
    removeOwner(inner(record), this.owner);
    this.order.forget(record);
    for (const observer of this.observers.having('recordDropped')) observer.recordDropped(record, replacedBy);
  }

  /** Forgets a record that was erased; a load in flight shall not bring it back. */
  forgetErased(record: M, loading: boolean): void {
    const [id] = idsOf(record);
    const other = this.index.getSaved(id);
    const { settledAt } = coreOf(inner(record));
    if (loading && id !== undefined && !record.phantom) this.tombstones.set(id, settledAt);
    this.drop(record);
    // Another of its row is one of what is no more.
    if (other && other !== record && !record.phantom) settleErased(inner(other));
  }

  /** The create of a record was undone; a load in flight shall not bring its row back. */
  addTombstone(record: M, id: unknown): void {
    this.tombstones.set(idKeyOf(id) as IdKey, coreOf(inner(record)).settledAt);
  }

  /** Replaces what is in place; whatever is pending stays, elsewhere, and comes back when its row does. */
  replace(records: readonly M[]): void {
    const before = this.inPlace();
    this.order.replace(records);
    for (const record of records) this.hold(record);
    for (const record of before) if (records[this.rank(record)] !== record) this.offPage.add(record);
    if (this.offPage.size > 0) for (const record of records) this.offPage.delete(record);
    this.tell((view) => view.reset());
  }

  /** Takes in a record that has no place yet; hidden where it is being erased. */
  expect(record: M, erasing: boolean = false): void {
    this.offPage.add(record);
    if (erasing) this.erasing.add(record);
    // While it is known whether another store had it first, whose rank is not to be changed.
    this.order.setRank(record, 0);
    this.hold(record);
  }

  /** Lets go of a record that waited elsewhere for its write, when nothing is left to write. */
  release(record: M): void {
    if (this.reading || !this.offPage.has(record) || this.isPending(record)) return;
    if (this.observers.having('keeps').some((observer) => observer.keeps(record))) return;
    this.drop(record);
  }

  /** Something about a record is different. */
  markChanged(record: M): void {
    for (const observer of this.observers.having('recordChanged')) observer.recordChanged(record);
  }

  /** Finds a record by other ids than before; `previousId` is what the server knew it by, if that has changed. */
  rename(record: M, previousId: unknown): void {
    this.index.delete(record, previousId);
    const other = this.index.getSaved(idsOf(record)[0]);
    if (other === undefined || record.phantom) return this.index.add(record);
    // A page that was read while a record was being created has made another of its row: the one that was created stays.
    const [stays, duplicate] = createdAt(other) > createdAt(record) ? [other, record] : [record, other];
    this.index.add(stays);
    mergeDuplicate(stays, duplicate, this);
  }

  isErasing(record: M): boolean {
    return this.erasing.has(record);
  }

  replaceDuplicate(stays: M, duplicate: M): void {
    const removed = this.removed.has(duplicate);
    if (!this.holds(stays)) this.expect(stays);
    if (this.isInPlace(duplicate)) this.place(duplicate, [stays]);
    this.drop(duplicate, stays);
    if (removed) this.hide([stays], this.removed);
  }

  /** Tells the views that there are other records. */
  tell(what: (view: LiveList<M>) => void): void {
    this.columns.forget();
    for (const view of this.views) what(view);
  }

  /** Values of a record are about to change. */
  valuesChanging(record: M, fields: readonly string[] | undefined): void {
    if (this.isPresent(record)) for (const view of this.views) view.willChange(record, fields);
  }

  /** Values of a record have changed. */
  valuesChanged(record: M, fields: readonly string[] | undefined): void {
    const present = this.isPresent(record);
    if (present) this.columns.forget(fields);
    for (const view of this.views)
      if (present) view.hasChanged(record, fields);
      // It may be back before the tick ends.
      else view.markChanged(record);
  }

  /** Takes a record out of its place. */
  private takeOut(record: M): void {
    if (!this.hidden(record)) this.tell((view) => view.delete([record]));
    this.order.delete(record);
  }

  /** Throws `StateError` for an id that is there already, and for records that are gone. */
  check(records: readonly M[]): void {
    const coming = new Map<IdKey, M>();
    for (const record of records) {
      guardErased(inner(record));
      for (const id of idsOf(record)) {
        if (id === undefined) continue;
        const known = this.index.get(id) ?? coming.get(id) ?? record;
        if (known !== record) throw new StateError('duplicate', 'duplicate', nameOf(inner(known)));
        coming.set(id, record);
      }
    }
  }

  /** Whether a record has nothing of its own any more but its row. */
  private isIdle(record: M): boolean {
    const core = inner(record)[CORE];
    return !(this.isPending(record) || core?.edits?.size || core?.created);
  }

  /** Whether anything about a record is not on the server yet. */
  private isPending(record: M): boolean {
    const core = inner(record)[CORE];
    return this.hidden(record) || Boolean(core && (core.phantom || core.sent || core.error || record.dirty));
  }

  private hold(record: M): void {
    if (this.holds(record)) return;
    addOwner(inner(record), this.owner);
    this.index.add(record);
    this.remember(record);
    this.announce(record);
  }

  /** Tells the observers of a record that the store holds from now on. */
  announce(record: M): void {
    for (const observer of this.observers.having('recordAdded')) observer.recordAdded(record);
  }

  /** Tells the observers of rows that are about to become records. */
  announceRows(rows: readonly Data[]): void {
    for (const observer of this.observers.having('rowsComing')) observer.rowsComing(rows);
  }

  /** Takes in a record that was just made of a row, and is yet to get its place. False where another had its id, and lost it. */
  adopt(id: unknown, record: M, rank: number): boolean {
    inner(record)[RANK] = rank;
    addOwner(inner(record), this.owner);
    return this.index.addRow(id, record);
  }
}

/** When a record was created here, on the clock of its model; 0 for one that was read. */
function createdAt(record: BaseModel): number {
  return inner(record)[CORE]?.created ?? 0;
}
