import type { DataError } from '../errors/data-error.js';
import type { Outcome } from '../extension/write-hook.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { Change } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import { readRow } from './read.js';
import type { InnerRecord } from './record.js';
import type { RecordWrite } from './record-write.js';
import { ROW } from './symbols.js';

/** Reads the row that the server has after a write. The record does not change. */
export async function readAgain(record: InnerRecord, proxy: DataProxy, operation: Operation): Promise<Data> {
  const { row, operation: reading } = await readRowAgain(record, proxy, operation);
  // The caller finds the response that confirmed the write in its operation.
  operation.resultSet = reading.resultSet;
  return row;
}

/** Reads the row that the server has, by a request with the parameters of a write. The record does not change. */
export async function readRowAgain(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
): Promise<{ readonly row: Data; readonly operation: Operation }> {
  const model = record[MODEL];
  const id = model.serverId(record);
  const { params, pathParams, calledParameters, signal, records } = operation;
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
    calledParameters,
    headers,
    signal,
  });
  return { row: await readRow(model, proxy, readOperation), operation: readOperation };
}

/**
 * Whether two raw values of a field are alike: equal, or read as the same value. Some servers return an emptied field as null, other servers
 * leave it out.
 */
export function isAlikeRaw(field: FieldDefinition, first: unknown, second: unknown): boolean {
  if (isSame(first ?? null, second ?? null)) return true;
  return !field.embedding && isSame(field.read(first), field.read(second));
}

/**
 * Whether a row holds the values that a change has sent. If no edits were sent, the whole row must be equal. Otherwise the members that were
 * not edited may differ, because servers count versions and other users edit.
 */
export function holdsSent(record: InnerRecord, change: Change, row: Data): boolean {
  const sent = [...change.written].filter(([field]) => field.persist);
  if (sent.length === 0) return isSame(record[ROW], row);
  // Some servers return an emptied field as null, other servers leave it out.
  const isAlike = (a: unknown, b: unknown) => isSame(a ?? null, b ?? null);
  return sent.every(([field, written]) => {
    if (!field.path) return Object.entries(written ?? {}).every(([name, value]) => isAlike(row[name], value));
    return isAlikeRaw(field, field.raw(row), written);
  });
}

/**
 * The outcome of a failed write. Some servers, such as MySQL, do not count rows whose values were equal already, so an update that
 * changed no row succeeds if the row holds what was sent. Otherwise it fails with its error.
 */
export async function failedOutcome(write: RecordWrite, at: number, error: DataError): Promise<Outcome> {
  const { action, proxy, operation, inner, innerChanges } = write;
  const [record, change] = [inner[at] as InnerRecord, innerChanges[at]];
  if (action !== 'update' || error.reason !== 'http-no-row') return { error };
  try {
    const row = await readAgain(record, proxy, operation);
    return change && holdsSent(record, change, row) ? { row } : { error };
  } catch {
    return { error };
  }
}
