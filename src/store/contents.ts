import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import { coreOf, guardErased, inner, nameOf } from '../model/record.js';
import { addOwner, type RecordOwner, removeOwner } from '../model/record-owner.js';
import { CORE } from '../model/symbols.js';
import { IdIndex, idsOf } from './id-index.js';
import { storeTexts } from './texts.js';

/** All records of a store: those in place, in source order, and those that are pending elsewhere. */
export class Contents<M extends BaseModel> {
  /** Records in the order of the server and of `insert`; hidden ones keep their place. */
  source: Set<M> = new Set();
  /** Edited, new or removed records of pages that are not shown. */
  readonly away: Set<M> = new Set();
  /** Removed by `remove`, not yet erased. */
  readonly removed: Set<M> = new Set();
  /** Being erased. */
  readonly erasing: Set<M> = new Set();
  readonly index: IdIndex<M> = new IdIndex();
  /** When records were erased, by id, during a load that started before. */
  readonly graves: Map<string, number> = new Map();

  constructor(private readonly owner: RecordOwner) {}

  /** Every record, shown or not. */
  all(): M[] {
    return [...this.source, ...this.away];
  }

  hidden(record: M): boolean {
    return this.removed.has(record) || this.erasing.has(record);
  }

  holds(record: M): boolean {
    return this.source.has(record) || this.away.has(record);
  }

  /** Takes records in before another, or at the end. Throws `StateError` before anything is changed. */
  insert(before: M | undefined, records: readonly M[]): void {
    this.check(records);
    const moving = new Set(records);
    let next = this.source;
    if (before || records.some((record) => next.has(record))) {
      next = new Set();
      for (const record of this.source) {
        if (record === before) for (const each of moving) next.add(each);
        if (!moving.has(record)) next.add(record);
      }
      this.source = next;
    }
    for (const record of moving) {
      // A record that comes back is no longer removed.
      this.removed.delete(record);
      this.away.delete(record);
      this.hold(record);
      next.add(record);
    }
  }

  /** Forgets a record altogether. */
  drop(record: M): void {
    for (const each of [this.source, this.away, this.removed, this.erasing]) each.delete(record);
    this.index.delete(record);
    removeOwner(inner(record), this.owner);
  }

  /** Forgets a record that was erased; a load in flight shall not bring it back. */
  bury(record: M, loading: boolean): void {
    const [id] = idsOf(record);
    if (loading && id !== undefined && !record.phantom) this.graves.set(id, coreOf(inner(record)).settledAt);
    this.drop(record);
  }

  /** Replaces what is in place; whatever is pending stays, elsewhere, and comes back when its row does. */
  replace(records: Iterable<M>): void {
    const before = this.source;
    this.source = new Set(records);
    for (const record of before) if (!this.source.has(record)) this.away.add(record);
    for (const record of this.source) {
      this.away.delete(record);
      this.hold(record);
    }
    for (const record of this.away) this.release(record);
  }

  /** Lets go of a record that waited elsewhere for its write, when nothing is left to write. */
  release(record: M): void {
    if (this.away.has(record) && !this.isPending(record)) this.drop(record);
  }

  /**
   * Finds a record by other ids than before; `previousId` is what the server knew it by, if that has changed.
   * Returns whether another record had to go.
   */
  rename(record: M, previousId: unknown): boolean {
    this.index.delete(record, previousId);
    const other = this.index.getSaved(idsOf(record)[0]);
    // A page that was read while the record was being created has made another of its row: the first one takes its place.
    const twice = other !== undefined && !record.phantom && !this.isPending(other);
    if (twice) {
      if (this.source.has(other)) {
        this.source.delete(record);
        this.away.delete(record);
        this.source = new Set([...this.source].map((each) => (each === other ? record : each)));
      }
      this.drop(other);
    }
    this.index.add(record);
    return twice;
  }

  /** Throws `StateError` for an id that is there already, and for records that are gone. */
  private check(records: readonly M[]): void {
    const coming = new Map<string, M>();
    for (const record of records) {
      guardErased(inner(record));
      for (const id of idsOf(record)) {
        if (id === undefined) continue;
        const known = this.index.get(id) ?? coming.get(id) ?? record;
        if (known !== record)
          throw new StateError('duplicate', 'duplicate', nameOf(inner(known)), { messages: storeTexts });
        coming.set(id, record);
      }
    }
  }

  /** Whether anything about a record is not on the server yet. */
  private isPending(record: M): boolean {
    const core = inner(record)[CORE];
    return this.hidden(record) || Boolean(core && (core.phantom || core.sent || core.error || record.dirty));
  }

  private hold(record: M): void {
    addOwner(inner(record), this.owner);
    this.index.add(record);
  }
}
