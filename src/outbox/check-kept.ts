import type { Write } from '../extension/write.js';
import type { InnerRecord } from '../model/record.js';
import { entryKeyOf } from './entry-records.js';
import type { JournalHost } from './journal.js';
import { OutboxError } from './outbox-error.js';

/** Throws where a write may not begin: the outbox was closed, or what it keeps of the record forbids it. */
export function checkKept(host: JournalHost, write: Write, record: InnerRecord, isSending: boolean): void {
  if (host.closed()) throw new OutboxError('outbox-closed');
  // What another tab knows of the record would be stored over.
  const aside = host.queue.unreadable.get(entryKeyOf(record));
  if (aside) throw aside.error;
  // Who saves it by hand has decided that it was not done.
  if (isSending) checkRepeatable(host, write, record);
}

/**
 * Throws where the outbox would send a create again that may have been done, and the server could not tell that: its proxy sends no
 * key now. The entry then waits for a decision, and whoever decides to repeat it does so without a key.
 */
function checkRepeatable({ queue, problem }: JournalHost, write: Write, record: InnerRecord): void {
  const { entry } = queue.get(entryKeyOf(record)) ?? {};
  if (write.action !== 'create' || write.repeatable || !entry?.repeatable || entry.attempts === 0) return;
  queue.settle([Object.freeze({ ...entry, repeatable: undefined })], []).catch(problem);
  throw new OutboxError('outbox-unconfirmed', { ...entry });
}
