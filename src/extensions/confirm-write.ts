import type { DataError } from '../errors/data-error.js';
import type { Outcome } from '../extension/write.js';
import type { Change } from '../model/change.js';
import { readsElsewhere } from '../model/read-address.js';
import { holdsSent, readAgain } from '../model/read-again.js';
import type { InnerRecord } from '../model/record.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';

/**
 * Finds out whether a repeated write was refused only because an earlier attempt had succeeded: the record to erase is gone, or the
 * row on the server holds the values of `change`. Resolves with the outcome: the row, undefined after an erase, or else the refusal.
 */
export async function confirmWrite(
  record: InnerRecord,
  change: Change | undefined,
  proxy: DataProxy,
  operation: Operation,
  refusal: DataError,
): Promise<Outcome> {
  const isErase = operation.action === 'destroy';
  if (isGone(refusal)) {
    if (!isErase) return { error: refusal };
    // A 404 to a request with several records does not say which of them is gone.
    if (refusal.operation?.records.length === 1) return { row: undefined };
  }
  let row: Data;
  try {
    row = await readAgain(record, proxy, operation);
  } catch (error) {
    if (isErase && isGone(error as DataError) && !readsElsewhere(proxy, operation)) return { row: undefined };
    return { error: refusal };
  }
  return !isErase && change && holdsSent(record, change, row) ? { row } : { error: refusal, isRefuted: true };
}

function isGone(error: DataError): boolean {
  const { status } = error as { status?: number };
  return status === 404 || status === 410 || error.reason === 'reply-record';
}
