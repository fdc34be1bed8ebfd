import type { DataError } from '../errors/data-error.js';
import { readRow } from '../model/read.js';
import { readsElsewhere } from '../model/read-address.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import { ROW } from '../model/symbols.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';

/**
 * Finds out whether the refusal of a repeated write means that it was done before: what is to be erased is gone, what was sent
 * stands in the row. Resolves with that row, which is undefined after an erase; rejects with the refusal where it is one.
 */
export async function confirmWrite(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  refusal: DataError,
): Promise<Data | undefined> {
  const destroys = operation.action === 'destroy';
  if (isGone(refusal)) {
    if (!destroys) throw refusal;
    // What is said of several tells of none.
    if (refusal.operation?.records.length === 1) return undefined;
  }
  let row: Data;
  try {
    row = await readAgain(record, proxy, operation);
  } catch (error) {
    if (destroys && isGone(error as DataError) && !readsElsewhere(proxy, operation)) return undefined;
    throw refusal;
  }
  if (destroys || !holdsSent(record, row)) throw refusal;
  return row;
}

function isGone(error: DataError): boolean {
  const { status } = error as { status?: number };
  return status === 404 || status === 410 || error.reason === 'reply-record';
}

/** The row as the server has it now. */
async function readAgain(record: InnerRecord, proxy: DataProxy, operation: Operation): Promise<Data> {
  const model = record[MODEL];
  const id = model.serverId(record);
  const { params, pathParams, signal, records } = operation;
  const url = records.length === 1 ? operation.url : undefined;
  // A condition on the write is none on this read.
  const headers = Object.fromEntries(Object.entries(operation.headers ?? {}).filter(([name]) => !/^if-/i.test(name)));
  const reading = new Operation({ action: 'read', records: [record], id, url, params, pathParams, headers, signal });
  const row = await readRow(model, proxy, reading);
  // The operation shows the answer that the row came with.
  operation.resultSet = reading.resultSet;
  return row;
}

/**
 * Whether a row holds the edits that were sent; where none were, whether it is the row that was sent. Members that nobody edited
 * may differ: servers count versions, and others edit.
 */
function holdsSent(record: InnerRecord, row: Data): boolean {
  const sent = [...(coreOf(record).sent ?? [])].filter(([field]) => field.persist);
  if (sent.length === 0) return isSame(record[ROW], row);
  // What was emptied is null on one server, and not there on another.
  const isAlike = (a: unknown, b: unknown) => isSame(a ?? null, b ?? null);
  return sent.every(([field, written]) => {
    if (!field.path) return Object.entries(written ?? {}).every(([name, value]) => isAlike(row[name], value));
    const received = field.raw(row);
    return isAlike(received, written) || (!field.embedding && isSame(field.read(received), field.read(written)));
  });
}
