import type { Model } from '../model/model.js';
import { queuedWrite } from '../model/queued-write.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { RecordSet } from './record-set.js';

/** The records of a store or session with changes that the server does not have. */
export interface PendingRecords<M> {
  /** New records (phantoms), which were never saved. */
  readonly created: readonly M[];
  /** Saved records with edits. */
  readonly edited: readonly M[];
  /** Removed records that are not erased on the server yet. */
  readonly removed: readonly M[];
}

/** The changes of the records of a store that the server does not have: new, edited and removed records. */
export class PendingChanges<M extends Model> {
  constructor(private readonly recordSet: RecordSet<M>) {}

  records(): PendingRecords<M> {
    return { created: this.created(), edited: this.edited(), removed: [...this.recordSet.removed] };
  }

  /** Drops edits and new records, and shows removed records again. */
  reject(): void {
    const { recordSet } = this;
    for (const record of this.created())
      if (!inner(record)[CORE]?.sent && !queuedWrite(inner(record))) recordSet.drop(record);
    for (const record of recordSet.removed) {
      if (recordSet.erasing.has(record)) recordSet.keepErasing(record);
      else recordSet.unhide(record);
    }
    for (const record of [...recordSet.pendingRecords(), ...recordSet.offPage]) {
      record.reject();
      recordSet.release(record);
    }
  }

  /** Accepts edits as saved, and drops removed records. Throws `StateError`, and changes nothing, while an edited record is being saved. */
  commit(): void {
    const { recordSet } = this;
    const edited = this.edited();
    // A record with a save in flight throws here, before any other record is changed.
    edited.find((record) => inner(record)[CORE]?.sent)?.commit();
    for (const record of edited) record.commit();
    for (const record of recordSet.removed) if (!recordSet.erasing.has(record)) recordSet.drop(record);
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /** Hides records until they are erased, and drops new ones. Returns those that the store held. */
  remove(records: Iterable<M>): M[] {
    const { recordSet } = this;
    const removed = [...new Set(records)].filter((record) => recordSet.holds(record) && !recordSet.hidden(record));
    const dropped = removed.filter((record) => record.phantom && !mayBeOnServer(record));
    const parents = dropped.flatMap((record) => inner(record)[CORE]?.children?.writes ?? []);
    for (const parent of parents) {
      const refusal = parent.eraseRefusal();
      if (refusal) throw refusal;
    }
    for (const parent of parents) parent.leaveUnsaved();
    recordSet.hide(removed, recordSet.removed);
    for (const record of removed) recordSet.markChanged(record);
    for (const record of dropped) recordSet.drop(record);
    return removed;
  }

  private created(): M[] {
    return this.shown((record) => record.phantom);
  }

  private edited(): M[] {
    return this.shown((record) => !record.phantom && record.dirty);
  }

  private shown(test: (record: M) => boolean): M[] {
    return this.recordSet.pendingRecords((record) => !this.recordSet.hidden(record) && test(record));
  }
}

/** Whether a write of a record is in flight or waiting, or may have reached the server. */
function mayBeOnServer(record: Model): boolean {
  const { busy, sent } = inner(record)[CORE] ?? {};
  return Boolean(busy || sent);
}
