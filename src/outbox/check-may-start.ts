import type { Write } from '../extension/write.js';
import type { InnerRecord } from '../model/record.js';
import { entryKeyOf } from './entry-records.js';
import type { JournalContext } from './journal-context.js';
import { entryName } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';

/** Throws if a write may not start: the outbox was closed, or the stored write of the record forbids it. */
export function checkMayStart(context: JournalContext, write: Write, record: InnerRecord, isSending: boolean): void {
  if (context.isClosed()) throw new OutboxError('outbox-closed');
  // A stored write that cannot be read here, but perhaps by another tab, must not be overwritten.
  const unreadable = context.queue.unreadable.get(entryKeyOf(record));
  if (unreadable) throw unreadable.error;
  // A user who saves the record by hand has decided that the create did not succeed.
  if (isSending) checkRepeatable(context, write, record);
}

/**
 * Throws if the outbox would repeat a create that may have succeeded, and the server could not recognise the duplicate because the
 * proxy now sends no idempotency key. The entry then waits for a decision of the application; a repeat carries no key either.
 */
function checkRepeatable({ queue, reportProblem }: JournalContext, write: Write, record: InnerRecord): void {
  const { entry } = queue.get(entryKeyOf(record)) ?? {};
  if (write.action !== 'create' || write.repeatable || !entry?.repeatable || entry.attempts === 0) return;
  queue.commitOrRetry([Object.freeze({ ...entry, repeatable: undefined })], []).catch(reportProblem);
  throw new OutboxError('outbox-unconfirmed', entryName(entry));
}
