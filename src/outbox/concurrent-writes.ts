import { coreOf, type InnerRecord } from '../model/record.js';
import { entryKeyOf } from './entry-records.js';
import type { JournalContext } from './journal-context.js';
import { entryName } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import type { Item } from './queue.js';
import { unsentError } from './unsent-error.js';

/** Handles writes of the same record by another record object or in another tab. */
export class ConcurrentWrites {
  constructor(private readonly context: JournalContext) {}

  /** Sends earlier writes of the same records by other record objects first. Rejects if one of them gets no answer. */
  async sendEarlierWrites(items: readonly Item[]): Promise<void> {
    const { queue } = this.context;
    for (const { entry } of items) {
      for (let other = queue.earlierWrite(entry); other; other = queue.earlierWrite(entry)) {
        const { entry: before } = other;
        if (other.record && coreOf(other.record).busy) await coreOf(other.record).lane.whenEnded(undefined);
        else await this.context.sendNow(other);
        if (queue.earlierWrite(entry) === other && other.entry.seq === before.seq)
          throw unsentError('outbox-order', entryName(entry), other.error ?? new Error('no answer'));
      }
    }
  }

  /** Rejects if another tab has sent or dropped a create in the meantime; undefined if no other tab uses the storage. */
  checkNotSentElsewhere(records: readonly InnerRecord[]): Promise<void> | undefined {
    const { queue } = this.context;
    const items = queue.storage.shared ? records.flatMap((record) => queue.get(entryKeyOf(record)) ?? []) : [];
    const creates = items.filter(({ entry }) => entry.action === 'create');
    return creates.length > 0 ? this.checkStored(creates) : undefined;
  }

  private async checkStored(items: readonly Item[]): Promise<void> {
    const { queue } = this.context;
    await queue.handedOver();
    for (const item of items) {
      const { key, model } = item.entry;
      if ((await queue.storage.get(key)) || queue.get(key) !== item) continue;
      await this.context.sentElsewhere(item);
      throw new OutboxError('outbox-elsewhere', { model, id: key });
    }
  }
}
