import { outboxMessages } from '../dev/texts.js';
import type { DataErrorOptions } from '../errors/data-error.js';
import type { MessageParams } from '../errors/message-format.js';
import { NetworkError } from '../errors/request-errors.js';

/** The error of a write that was not sent, or not sent to its end, and stays in the outbox. */
export function unsentError(
  reason: 'outbox-offline' | 'outbox-elsewhere' | 'outbox-order' | 'outbox-interrupted',
  params: MessageParams,
  cause: Error,
  { operation, messages }: DataErrorOptions = {},
): NetworkError {
  return new NetworkError(cause, { operation, reason, params, messages: { ...outboxMessages, ...messages } });
}
