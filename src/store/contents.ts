import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { addOwner, type RecordOwner, removeOwner } from '../model/record-owner.js';
import { CORE } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { IdIndex } from './id-index.js';
import { storeTexts } from './texts.js';

/** All records of a store: those in place, in source order, and those that are pending elsewhere. */
export class Contents<M extends BaseModel> {
  /** Records in the order of the server and of `insert`; hidden ones keep their place. */
  source: M[] = [];
  /** Edited, new or removed records of pages that are not shown. */
  readonly away: Set<M> = new Set();
  /** Removed by `remove`, not yet erased. */
  readonly removed: Set<M> = new Set();
  /** Being erased. */
  readonly erasing: Set<M> = new Set();
  readonly index: IdIndex<M> = new IdIndex();

  constructor(private readonly owner: RecordOwner) {}

  /** Every record, shown or not. */
  *all(): Iterable<M> {
    yield* this.source;
    yield* this.away;
  }

  hidden(record: M): boolean {
    return this.removed.has(record) || this.erasing.has(record);
  }

  /** Takes records in at a place. Throws `StateError` for an id that is there already, before anything is changed. */
  insert(at: number, records: readonly M[]): void {
    const ids = new Set<string>();
    for (const record of records) {
      const id = record.getId();
      const known = this.index.get(id);
      if ((known && known !== record) || ids.has(String(id))) {
        throw new StateError(
          'duplicate',
          'duplicate',
          { model: inner(record)[MODEL].name, id },
          { messages: storeTexts },
        );
      }
      if (id !== undefined) ids.add(String(id));
    }
    // A record that comes back is no longer removed, and leaves its old place.
    const known = new Set(
      records.filter(
        (record) =>
          this.removed.delete(record) || this.away.delete(record) || this.index.get(record.getId()) === record,
      ),
    );
    const rest = known.size ? this.source.filter((record) => !known.has(record)) : this.source;
    this.source = [...rest.slice(0, at), ...records, ...rest.slice(at)];
    for (const record of records) this.hold(record);
  }

  hold(record: M): void {
    addOwner(inner(record), this.owner);
    this.index.add(record);
  }

  /** Forgets a record altogether. */
  drop(record: M): void {
    const at = this.source.indexOf(record);
    if (at >= 0) this.source = [...this.source.slice(0, at), ...this.source.slice(at + 1)];
    this.away.delete(record);
    this.removed.delete(record);
    this.erasing.delete(record);
    this.index.delete(record);
    removeOwner(inner(record), this.owner);
  }

  /** Replaces what is in place; whatever is pending stays, elsewhere, and comes back when its row does. */
  replace(records: readonly M[]): void {
    const next = new Set(records);
    const before = this.source;
    this.source = [...next];
    for (const record of next) {
      this.away.delete(record);
      this.hold(record);
    }
    for (const record of before) {
      if (next.has(record)) continue;
      if (this.isPending(record)) this.away.add(record);
      else this.drop(record);
    }
  }

  /** Whether anything about a record is not on the server yet. */
  isPending(record: M): boolean {
    const core = inner(record)[CORE];
    return this.hidden(record) || Boolean(core && (core.phantom || record.dirty || core.lane.busy || core.error));
  }

  /** Lets go of a record that waited elsewhere for its write, when nothing is left to write. */
  release(record: M): void {
    if (this.away.has(record) && !this.isPending(record)) this.drop(record);
  }
}
