import { outboxMessages } from '../dev/texts.js';
import type { DataErrorOptions } from '../errors/data-error.js';
import type { MessageParams } from '../errors/message-format.js';
import { NetworkError } from '../errors/request-errors.js';
import type { InnerRecord } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';

/** The error of a write that was not sent, or not sent to its end, and stays in the outbox. */
export function unsentError(
  reason: 'outbox-offline' | 'outbox-elsewhere' | 'outbox-order' | 'outbox-interrupted',
  params: MessageParams,
  cause: Error,
  { operation, messages }: DataErrorOptions = {},
): NetworkError {
  return new NetworkError(cause, { operation, reason, params, messages: { ...outboxMessages, ...messages } });
}

/** The error of a write that was kept, and not sent, because there is no network. */
export function offlineError(records: readonly InnerRecord[]): NetworkError {
  const [record] = records as readonly [InnerRecord];
  return unsentError('outbox-offline', modelAndId(record), new Error('offline'));
}

/** The error of a write that was kept, and is sent by another page. */
export function elsewhereError(records: readonly InnerRecord[]): NetworkError {
  const [record] = records as readonly [InnerRecord];
  return unsentError('outbox-elsewhere', modelAndId(record), new Error('another page sends'));
}
