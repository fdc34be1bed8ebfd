import { ConflictError } from '../errors/conflict-error.js';
import type { HttpErrorOptions } from '../errors/http-error.js';
import type { MessageKey, MessageParams } from '../errors/messages.js';
import { MODEL } from '../operation/operation-record.js';
import type { ProxyRequest } from './proxy-request.js';

/** The error for a response that reports a conflict: the server has another version of the record. */
export function conflictError(
  { operation: { records }, body: mine }: ProxyRequest,
  reason: MessageKey,
  params: MessageParams,
  options: HttpErrorOptions,
): ConflictError {
  const [record] = records;
  return new ConflictError(reason, params, { ...options, base: record?.[MODEL].row(record), mine });
}
