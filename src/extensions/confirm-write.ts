import type { DataError } from '../errors/data-error.js';
import { readsElsewhere } from '../model/read-address.js';
import { holdsSent, readAgain } from '../model/read-again.js';
import type { InnerRecord } from '../model/record.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';

/**
 * Finds out whether a repeated write was refused only because an earlier attempt had succeeded: the record to erase is gone, or the
 * row on the server holds the values that were sent. Resolves with that row, or with undefined after an erase. Otherwise rejects with
 * the refusal.
 */
export async function confirmWrite(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  refusal: DataError,
): Promise<Data | undefined> {
  const isErase = operation.action === 'destroy';
  if (isGone(refusal)) {
    if (!isErase) throw refusal;
    // A 404 to a request with several records does not say which of them is gone.
    if (refusal.operation?.records.length === 1) return undefined;
  }
  let row: Data;
  try {
    row = await readAgain(record, proxy, operation);
  } catch (error) {
    if (isErase && isGone(error as DataError) && !readsElsewhere(proxy, operation)) return undefined;
    throw refusal;
  }
  if (isErase || !holdsSent(record, row)) throw refusal;
  return row;
}

function isGone(error: DataError): boolean {
  const { status } = error as { status?: number };
  return status === 404 || status === 410 || error.reason === 'reply-record';
}
