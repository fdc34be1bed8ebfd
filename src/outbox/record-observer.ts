import { coreOf, type InnerRecord, isDirty } from '../model/record.js';
import { didChange, type RecordChange } from '../model/record-owner.js';
import { CORE } from '../model/symbols.js';
import type { EntryDrafts } from './entry-drafts.js';
import { entryKeyOf, rowHoldsEntry } from './entry-records.js';
import type { JournalContext } from './journal-context.js';
import type { OutboxEntry } from './outbox-entry.js';
import { errorData, type Item, withState } from './queue.js';
import { hideErasing, innerOf, type RecordKeeper } from './record-keeper.js';

/** Updates the queue when its records change outside their writes: rejected or loaded, erased here, found on the server. */
export class RecordObserver {
  constructor(
    private readonly context: JournalContext,
    private readonly records: RecordKeeper,
    private readonly drafts: EntryDrafts,
    /** Stores the values that follow the create of a record again. */
    private readonly enqueueLater: (record: InnerRecord) => Promise<void>,
  ) {}

  /** Updates the queue after a record has changed outside its writes. */
  recordChanged(record: InnerRecord, { kind }: RecordChange): void {
    const item = this.context.queue.get(entryKeyOf(record));
    if (!item || item.record !== record || item.activeWrites > 0 || record[CORE]?.busy) return;
    const { action, state, destroy } = item.entry;
    if (kind === 'erased') void this.forget(record);
    // The application has looked the record up and settled its create.
    else if (kind === 'saved' && action === 'create')
      void this.confirmCreate(item, record).catch(this.context.reportProblem);
    // The edits were rejected or committed, or the server's row holds them already: nothing is left to send.
    else if (
      action === 'update' &&
      !isDirty(record) &&
      (kind === 'reject' || kind === 'commit' || (kind === 'loaded' && rowHoldsEntry(record, item.entry)))
    )
      void this.forget(record);
    else if (kind === 'reject' && action === 'create' && item.entry.later) void this.enqueueLater(record);
    else if (kind === 'restored' && (action === 'destroy' || destroy) && state === 'queued') hideErasing(record);
  }

  /** Removes a failed write from the queue, and restores the entry that the queue had before. */
  restore(record: InnerRecord, entryBefore: OutboxEntry | undefined): void {
    const { queue, reportProblem } = this.context;
    const { failure } = coreOf(record);
    const item = queue.get(entryKeyOf(record));
    if (!failure?.queued || !item || item.activeWrites > 0 || item.entry.state !== 'queued') return;
    const { entry } = item;
    failure.queued = false;
    const mayBeCreated = entry.action === 'create' && entry.attempts > 0;
    const restored = mayBeCreated ? withState(entry, 'unconfirmed', errorData(failure)) : entryBefore;
    if (restored) queue.commitOrRetry([restored], []).catch(reportProblem);
    else void this.forget(record);
    if (entry.action === 'destroy' && entryBefore?.action !== 'destroy') didChange(record, { kind: 'restored' });
  }

  /** Updates the queue after the record of an unconfirmed create was found on the server. */
  async confirmCreate(item: Item, record: InnerRecord): Promise<void> {
    const { queue } = this.context;
    const { entry } = item;
    const rest = this.drafts.remainingAfterSuccess(entry, entry, record);
    const puts = [...(rest ? [rest] : []), ...this.drafts.withParentId(entry.key, record)];
    if (!rest) this.records.release(item);
    else if (rest.action === 'destroy') hideErasing(record);
    try {
      await queue.commitOrRetry(puts, rest ? [] : [entry.key]);
    } finally {
      this.context.createConfirmed(item);
    }
  }

  /** Drops the queued write of a record. Never rejects. */
  async forget(record: object): Promise<void> {
    const key = entryKeyOf(innerOf(record));
    const item = this.context.queue.get(key);
    if (!item) return;
    this.records.release(item);
    await this.context.queue.commitOrRetry([], [key]).catch(this.context.reportProblem);
  }
}
