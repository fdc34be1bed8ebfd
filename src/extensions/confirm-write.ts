import type { DataError } from '../errors/data-error.js';
import type { Outcome } from '../extension/write.js';
import type { Change } from '../model/change.js';
import { readRow } from '../model/read.js';
import { readsElsewhere } from '../model/read-address.js';
import type { InnerRecord } from '../model/record.js';
import { ROW } from '../model/symbols.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';

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

/** Reads the row that the server has now. */
async function readAgain(record: InnerRecord, proxy: DataProxy, operation: Operation): Promise<Data> {
  const model = record[MODEL];
  const id = model.serverId(record);
  const { params, pathParams, signal, records } = operation;
  const url = records.length === 1 ? operation.url : undefined;
  // The read must not carry the condition (`If-Match`) of the write.
  const headers = Object.fromEntries(Object.entries(operation.headers ?? {}).filter(([name]) => !/^if-/i.test(name)));
  const readOperation = new Operation({
    action: 'read',
    records: [record],
    id,
    url,
    params,
    pathParams,
    headers,
    signal,
  });
  const row = await readRow(model, proxy, readOperation);
  // The caller finds the answer that confirmed the write in its operation.
  operation.resultSet = readOperation.resultSet;
  return row;
}

/**
 * Whether a row holds the edits that were sent. If no edits were sent, the whole row must be equal. Otherwise the members that were
 * not edited may differ, because servers count versions and other users edit.
 */
function holdsSent(record: InnerRecord, change: Change, row: Data): boolean {
  const sent = [...change.written].filter(([field]) => field.persist);
  if (sent.length === 0) return isSame(record[ROW], row);
  // Some servers return an emptied field as null, other servers leave it out.
  const isAlike = (a: unknown, b: unknown) => isSame(a ?? null, b ?? null);
  return sent.every(([field, written]) => {
    if (!field.path) return Object.entries(written ?? {}).every(([name, value]) => isAlike(row[name], value));
    const received = field.raw(row);
    return isAlike(received, written) || (!field.embedding && isSame(field.read(received), field.read(written)));
  });
}
