import { type Change, rowAfter } from '../model/change.js';
import type { Model } from '../model/model.js';
import { hasSentValues } from '../model/read-again.js';
import { coreOf, guardErased, inner } from '../model/record.js';
import { recordError } from '../model/record-error.js';
import {
  addOwner,
  isOwner,
  type RecordChange,
  type RecordOwner,
  removeOwner,
  type WrittenRows,
} from '../model/record-owner.js';
import { settleErased } from '../model/settle.js';
import { CORE, OWNER, RANK, ROW } from '../model/symbols.js';
import { idFieldsOf, MODEL } from '../operation/operation-record.js';
import { type Clock, systemClock } from '../util/clock.js';
import { Notifier } from '../util/notifier.js';
import { isSame } from '../util/values.js';
import { ColumnCache } from './column-cache.js';
import { CountDelta, isUndoneCreate } from './count-delta.js';
import { requestFailed } from './gone-record.js';
import { IdIndex, type IdKey, idKeyOf, idsOf } from './id-index.js';
import type { RecordSource } from './live-list.js';
import { type DuplicateHolder, mergeDuplicate } from './merge-duplicate.js';
import { RecordOrder } from './record-order.js';
import type { ObservedStore, StoreObserver } from './store-observer.js';

/** The copies of so many records that are being created at a time are looked for: each row is compared with each of them. */
const MOST_COMPARED = 20;

/** All records of a store: the records in place, in source order, and pending records of other pages. */
export class RecordSet<M extends Model> implements RecordOwner, RecordSource<M>, DuplicateHolder<M> {
  /** Pending records that have no place, because their page is not loaded any more or not loaded yet. */
  readonly offPage: Set<M> = new Set();
  /** Records removed by `remove()` that are not erased on the server yet. */
  readonly removed: Set<M> = new Set();
  /** Records whose erase is in flight or waiting. */
  readonly erasing: Set<M> = new Set();
  readonly index: IdIndex<M> = new IdIndex();
  /** When records were erased, by id: a load that started before must not bring them back. Cleared when the load ends. */
  readonly tombstones: Map<IdKey, number> = new Map();
  /** Everybody who follows the records: the lists of the views, the parts of the store, its windows and its session. */
  readonly observers: Notifier<StoreObserver<M>> = new Notifier();
  /** Number of sources and events of the store, its views and its windows that have listeners. */
  private watchedCount = 0;
  /** Created records, and the second record of their row with which each is merged as soon as that one's writes have ended. */
  private readonly duplicates: Map<M, M> = new Map();
  /**
   * Records of rows that came while a record in place with their values was being created, each with that record, which is shown for both until
   * its create is answered.
   */
  private readonly copies: Map<M, M> = new Map();
  /** Records that a running `sync()` writes. */
  readonly syncing: Set<M> = new Set();
  /** The writes that a `sync()` may still owe to a store that was disposed of: its new and its removed records at that moment. */
  readonly unwritten: Set<M> = new Set();
  /** Whether a load is putting its rows in place: an off-page record may be among the next rows, so none is released. */
  isLoadingRows = false;
  readonly columns: ColumnCache<M> = new ColumnCache(() => this.present());
  /** The order of the records in place; hidden records keep their place. */
  private readonly order: RecordOrder<M> = new RecordOrder(this);
  /** Records that have more state than their row: only these can be pending. */
  private readonly candidates: Set<M> = new Set();

  /** The clock for delays of `filter` and `search`. */
  clock: () => Clock = () => systemClock;
  /** The owner that the records call when they change: this record set, or in a session a weak reference to it. */
  owner: RecordOwner = this;
  /** The store of these records. */
  store: Pick<ObservedStore<M>, 'loading' | 'isServerFiltered'> &
    Partial<Pick<ObservedStore<M>, 'rowWritten' | 'rowErased'>> = {
    loading: false,
    isServerFiltered: false,
  };
  /** The records created and erased here since the server last told the size of the collection. */
  readonly countDelta: CountDelta<M> = new CountDelta(this);

  /** Called for a load or write of a record that has failed. */
  readonly requestFailed: typeof requestFailed = requestFailed;
  /** Called by each of these sources and events when it gets its first listener, and when its last one has gone. */
  readonly watched = (isWatched: boolean): void => {
    this.watchedCount += isWatched ? 1 : -1;
    if (this.watchedCount === (isWatched ? 1 : 0)) this.observers.tell('watched', isWatched);
  };

  /** Number of records in place. */
  get count(): number {
    return this.order.count;
  }

  /** All records in place, in source order. */
  inPlace(): M[] {
    return this.order.all();
  }

  /** All records in place that are not hidden, in source order. */
  present(): readonly (readonly M[])[] {
    const chunks = this.order.chunks();
    if (this.removed.size + this.erasing.size + this.copies.size === 0) return chunks;
    return chunks.map((chunk) => chunk.filter((record) => this.isPresent(record))).filter((chunk) => chunk.length > 0);
  }

  /** The records that may be pending and pass a test: in source order, off-page records last. */
  pendingRecords(test: (record: M) => boolean = () => true): M[] {
    for (const record of this.candidates) if (this.isIdle(record)) this.candidates.delete(record);
    const records = [...this.candidates].filter(test);
    const place = (record: M) => (this.offPage.has(record) ? Number.POSITIVE_INFINITY : this.rank(record));
    return records.sort((a, b) => place(a) - place(b) || 0);
  }

  /** Adds a record to the candidates for pending records, if it has more state than its row. */
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

  /** Whether nobody else holds a record: no other store, no session and no outbox. */
  isOnlyOwner(record: M): boolean {
    return inner(record)[OWNER] === this.owner;
  }

  /** Whether a write in flight, or a running `sync()`, brings all changes of a record to the server. */
  willBeWritten(record: M): boolean {
    const { busy, sent, edits } = inner(record)[CORE] ?? {};
    if (this.syncing.has(record)) return true;
    if (!sent) return Boolean(busy);
    return [...(edits ?? [])].every(([field, value]) => sent.has(field) && isSame(sent.get(field), value));
  }

  isInPlace(record: M): boolean {
    return this.holds(record) && !this.offPage.has(record);
  }

  /** Whether a record is in place, not hidden, and no copy. */
  isPresent(record: M): boolean {
    return this.isInPlace(record) && !this.hidden(record) && !this.copies.has(record);
  }

  /** Hides records, and adds them to `removed` or `erasing`. */
  hide(records: readonly M[], reason: Set<M>): void {
    const present = records.filter((record) => this.isPresent(record));
    if (present.length > 0) this.tellLists('recordsHidden', present);
    for (const record of records) reason.add(record);
  }

  /** Shows a hidden record again. */
  unhide(record: M, change?: RecordChange): void {
    const hidden = this.hidden(record);
    this.removed.delete(record);
    this.erasing.delete(record);
    if (hidden && this.isInPlace(record)) this.show([record]);
    this.markChanged(record, change);
  }

  /** Undoes the removal of a record that is being erased: it stays hidden until the erase has ended. */
  keepErasing(record: M): void {
    this.removed.delete(record);
    this.markChanged(record);
  }

  /** Adds records that came into place to the views. */
  private show(records: readonly M[]): void {
    const present = records.filter((record) => !this.hidden(record) && !this.copies.has(record));
    this.tellLists('recordsShown', present);
  }

  /**
   * Finds copies among the records of rows that are about to get their first place. Each record that is being created has at most one.
   */
  findCopies(added: readonly M[]): void {
    if (added.length === 0) return;
    const found = new Set(this.copies.values());
    const isOpen = (record: M) => isBeingCreated(record) && this.isInPlace(record) && !found.has(record);
    const creating = this.pendingRecords(isOpen).slice(0, MOST_COMPARED);
    for (const record of creating.length > 0 ? added : []) {
      const { [ROW]: row, [MODEL]: model } = inner(record);
      const hasValuesOf = (each: M) => {
        const { change } = coreOf(inner(each));
        return hasSentValues(model, rowAfter(change as Change), row);
      };
      const isOfRow = !this.isPending(record) && createdAt(record) === 0;
      const made = isOfRow ? creating.findIndex(hasValuesOf) : -1;
      if (made >= 0) this.copies.set(record, creating.splice(made, 1)[0] as M);
    }
  }

  /** Shows the copies of a record whose create has ended without being merged with them. */
  private showCopies(created: M): void {
    const shown = [...this.copies.keys()].filter((copy) => this.copies.get(copy) === created);
    for (const copy of shown) this.copies.delete(copy);
    this.show(shown.filter((copy) => this.isInPlace(copy)));
  }

  /** Adds records before another record, or at the end. Throws `StateError` before anything is changed. */
  insert(before: M | undefined, added: readonly M[]): void {
    this.checkIds(added);
    const records = [...new Set(added)];
    // Adding a removed record again takes the removal back.
    for (const record of records) this.removed.delete(record);
    this.place(before, records);
    for (const record of records) this.markChanged(record);
  }

  /** Moves or adds records to the place before another record, or to the end. */
  place(before: M | undefined, records: readonly M[]): void {
    const next = before && records.includes(before) ? this.order.after(before, records) : before;
    for (const record of records) if (this.isInPlace(record)) this.removeFromPlace(record);
    this.placeNew(next, records);
  }

  /** Puts records that have no place yet before another record, or at the end. */
  placeNew(next: M | undefined, records: readonly M[]): void {
    this.order.enter(next, records);
    for (const record of records) {
      this.hold(record);
      this.offPage.delete(record);
    }
    this.show(records);
  }

  /** Removes a record from the store; `replacedBy` is the record of the same row that takes its place. */
  drop(record: M, replacedBy?: M): void {
    if (this.isInPlace(record)) this.removeFromPlace(record);
    for (const set of [this.offPage, this.removed, this.erasing, this.candidates, this.copies]) set.delete(record);
    this.index.delete(record);
    this.duplicates.delete(record);
    if (this.copies.size > 0) this.showCopies(record);
    removeOwner(inner(record), this.owner);
    this.order.forget(record);
    this.observers.tell('recordDropped', record, replacedBy);
  }

  /** Drops an erased record. A tombstone keeps a load in flight from bringing the record back. */
  private forgetErased(record: M): void {
    const [id] = idsOf(record);
    const other = this.index.getSaved(id);
    const { settledAt } = coreOf(inner(record));
    if (this.store.loading && id !== undefined && !record.phantom) this.tombstones.set(id, settledAt);
    this.drop(record);
    // The store also holds a duplicate, a second record of the same row: it was erased as well.
    if (other && other !== record && !record.phantom) settleErased(inner(other));
  }

  /** Adds a tombstone for a record whose create was undone, so that a load in flight does not bring its row back. */
  addTombstone(record: M, id: unknown): void {
    this.tombstones.set(idKeyOf(id) as IdKey, coreOf(inner(record)).settledAt);
  }

  /**
   * Replaces the records in place. Pending ones stay in the store as off-page records, and get a place again when their row comes.
   */
  replace(records: readonly M[]): void {
    const before = this.inPlace();
    // A page that is loaded again mostly has the same records in the same order: then all of them have their places.
    if (before.length !== records.length || before.some((record, at) => record !== records[at])) {
      this.order.replace(records);
      for (const record of records) this.hold(record);
      for (const record of before) if (records[this.rank(record)] !== record) this.offPage.add(record);
      if (this.offPage.size > 0) for (const record of records) this.offPage.delete(record);
    }
    // A record that has lost its place is not shown for the row of another one any more.
    for (const [copy, created] of this.copies) if (!this.isInPlace(created)) this.copies.delete(copy);
    this.tellLists('recordsReplaced');
  }

  /** Releases all records, because the store was disposed of. Pending changes stay in the records, and writes in flight go on. */
  dispose(): void {
    for (const record of this.candidates) if (record.phantom) this.unwritten.add(record);
    for (const record of this.removed) this.unwritten.add(record);
    for (const record of [...this.inPlace(), ...this.offPage]) removeOwner(inner(record), this.owner);
    for (const set of [this.offPage, this.removed, this.erasing, this.candidates, this.copies]) set.clear();
    this.index.clear();
    this.duplicates.clear();
    this.tombstones.clear();
    this.replace([]);
    this.offPage.clear();
    this.order.forgetAll();
  }

  /** Takes a record from its place. It stays in the store only as long as it has pending changes. */
  displace(record: M): void {
    if (!this.isInPlace(record)) return;
    this.removeFromPlace(record);
    this.offPage.add(record);
    this.release(record);
  }

  /** Adds a record that has no place yet; it is hidden if it is being erased. */
  addOffPage(record: M, erasing: boolean = false): void {
    this.offPage.add(record);
    if (erasing) this.erasing.add(record);
    // Set before `hold()`: then the order can still see whether another store holds the record, whose rank must not change.
    this.order.setRank(record, 0);
    this.hold(record);
  }

  /** Drops an off-page record when it has nothing pending any more. */
  release(record: M): void {
    if (this.isLoadingRows || !this.offPage.has(record) || this.isPending(record)) return;
    const duplicate = this.duplicates.get(record);
    if (duplicate && this.holds(duplicate)) return;
    if (this.observers.having('keeps').some((observer) => observer.keeps(record))) return;
    this.drop(record);
  }

  /** Tells the observers that a record changed. */
  markChanged(record: M, change?: RecordChange): void {
    this.observers.tell('recordChanged', record, change);
  }

  /** Updates the index after the id of a record changed; `previousId` is the id that the server knew it by, if that has changed. */
  reindex(record: M, previousId: unknown): void {
    this.index.delete(record, previousId);
    const other = this.index.getSaved(idsOf(record)[0]);
    if (other === undefined || record.phantom) return this.index.add(record);
    // A load read the row while the create was in flight, and made a duplicate of it: the record that was created stays.
    const [stays, duplicate] = createdAt(other) > createdAt(record) ? [other, record] : [record, other];
    this.index.add(stays);
    this.duplicates.set(stays, duplicate);
    mergeDuplicate(stays, duplicate, this);
  }

  isErasing(record: M): boolean {
    return this.erasing.has(record);
  }

  replaceDuplicate(stays: M, duplicate: M): void {
    const removed = this.removed.has(duplicate);
    if (!this.holds(stays)) this.addOffPage(stays);
    if (this.isInPlace(duplicate)) this.place(duplicate, [stays]);
    this.drop(duplicate, stays);
    this.duplicates.delete(stays);
    if (removed) this.hide([stays], this.removed);
  }

  /** Tells the lists of all views that records came or went. */
  tellLists(...hook: ['recordsReplaced'] | ['recordsShown' | 'recordsHidden', readonly M[]]): void {
    this.columns.forget();
    this.observers.tell(...(hook as ['recordsShown', readonly M[]]));
  }

  /** Called by a record before its values change. */
  recordChanging(record: Model, fields?: readonly string[]): void {
    if (this.isPresent(record as M)) this.observers.tell('recordChanging', record as M, fields);
  }

  rowWritten(record: Model, written: WrittenRows): void {
    this.store.rowWritten?.(record, written);
  }

  /** Called by a record after each change: first the lists of the views follow it, then the other observers. */
  recordChanged(changed: Model, change: RecordChange): void {
    const record = changed as M;
    const { kind, previousId, same, fields } = change;
    this.countDelta.count(record, change);
    this.remember(record);
    if (kind === 'reject' && isUndoneCreate(record, previousId)) this.addTombstone(record, previousId);
    if (kind === 'erasing') this.hide([record], this.erasing);
    else if (kind === 'erased') {
      this.forgetErased(record);
      this.store.rowErased?.();
    } else if (kind === 'restored') {
      this.unhide(record, change);
      this.reindex(record, previousId);
    } else {
      if (!same) this.valuesChanged(record, fields);
      // A duplicate is merged when its last write has ended, even if that had nothing left to send.
      if (!fields || kind === 'ended' || idFieldsOf(inner(record)[MODEL]).some(({ name }) => fields.includes(name)))
        this.reindex(record, previousId);
    }
    if (this.copies.size > 0 && !isBeingCreated(record)) this.showCopies(record);
    // A load in flight may bring an older row of this record, so the record is released when the load has ended.
    if (kind !== 'set' && kind !== 'saving' && kind !== 'queued' && !this.store.loading) this.release(record);
    if (!same && this.holds(record)) this.markChanged(record, change);
  }

  /** Values of a record have changed. */
  private valuesChanged(record: M, fields: readonly string[] | undefined): void {
    if (!this.isPresent(record)) return this.observers.tell('hiddenChanged', record);
    this.columns.forget(fields);
    this.observers.tell('valuesChanged', record, fields);
  }

  /** Removes a record from its place, and from the views. */
  private removeFromPlace(record: M): void {
    if (this.isPresent(record)) this.tellLists('recordsHidden', [record]);
    this.order.delete(record);
  }

  /** Throws `StateError` for an erased record, and for an id that another record has already. */
  checkIds(records: readonly M[]): void {
    const addedById = new Map<IdKey, M>();
    for (const record of records) {
      guardErased(inner(record));
      for (const id of idsOf(record)) {
        if (id === undefined) continue;
        const other = this.index.get(id) ?? addedById.get(id) ?? record;
        if (other !== record) throw recordError(inner(other), 'duplicate', 'duplicate');
        addedById.set(id, record);
      }
    }
  }

  /** Whether a record has no state any more but its row, so that it cannot be pending. */
  private isIdle(record: M): boolean {
    const core = inner(record)[CORE];
    return !(this.isPending(record) || core?.edits?.size || core?.createdAt || core?.saving);
  }

  /** Whether a record has anything that is not on the server yet, or whose write failed. */
  private isPending(record: M): boolean {
    const core = inner(record)[CORE];
    return this.hidden(record) || Boolean(core && (core.phantom || core.sent || core.error || record.dirty));
  }

  private hold(record: M): void {
    if (this.holds(record)) return;
    addOwner(inner(record), this.owner);
    this.index.add(record);
    this.remember(record);
    this.observers.tell('recordAdded', record);
  }

  /**
   * Adds a record that was just made of a row, and will get its place later. Returns false if it replaced another record with its
   * id in the index.
   */
  addUnplaced(id: unknown, record: M, rank: number): boolean {
    inner(record)[RANK] = rank;
    addOwner(inner(record), this.owner);
    return this.index.addRow(id, record);
  }
}

/** Whether the create of a record is in flight. */
function isBeingCreated(record: Model): boolean {
  const core = inner(record)[CORE];
  return Boolean(core?.phantom && core.change && core.saving);
}

/** When a record was created here, on the clock of its model; 0 if it was read from the server. */
function createdAt(record: Model): number {
  return inner(record)[CORE]?.createdAt ?? 0;
}
