import { Outbox, type OutboxConfig } from 'repose/outbox';

/** Opens an outbox, and waits until it has read what is stored. */
export async function openOutbox(config: OutboxConfig): Promise<Outbox> {
  const outbox = new Outbox(config);
  await outbox.ready;
  return outbox;
}
