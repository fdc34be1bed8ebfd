import type { DataError } from '../errors/data-error.js';
import type { Outcome } from '../extension/write-hook.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { isSame } from '../util/values.js';
import type { CallRequest, Change } from './change.js';
import { type FieldDefinition, isAlikeRaw } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { readRow } from './read.js';
import type { InnerRecord } from './record.js';
import { holdsPart, nextTime, settleRead } from './settle.js';
import { ROW } from './symbols.js';
import type { RecordWrite } from './write.js';

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
  const { signal, records } = operation;
  const call = callWithoutCondition(operation);
  const url = records.length === 1 ? call.url : undefined;
  const reading = operationOfRead(record, { ...call, url, signal });
  return { row: await readRow(record[MODEL], proxy, reading), operation: reading };
}

/** The read of the row of a record. A call with headers, even an empty object, is sent without `If-None-Match`, so that the response holds the row. */
export function operationOfRead(record: InnerRecord, call: CallRequest & Pick<OperationConfig, 'signal'>): Operation {
  return new Operation({ ...call, action: 'read', records: [record], id: record[MODEL].serverId(record) });
}

/** The address, parameters and headers of a write, without its condition (`If-Match`). */
export function callWithoutCondition({
  url,
  params,
  pathParams,
  calledParameters,
  headers = {},
}: Operation): CallRequest {
  const others = Object.entries(headers).filter(([name]) => !/^if-/i.test(name));
  return { url, params, pathParams, calledParameters, headers: Object.fromEntries(others) };
}

/**
 * Whether a row holds the values that a change has sent. If no edits were sent, the whole row must be equal. Otherwise the members that were
 * not edited may differ, because servers count versions and other users edit.
 */
function holdsSent(record: InnerRecord, change: Change, row: Data): boolean {
  const sent = [...change.written].filter(([field]) => field.persist);
  if (sent.length === 0) return isSame(record[ROW], row);
  // Some servers return an emptied field as null, other servers leave it out.
  const isAlike = (a: unknown, b: unknown) => isSame(a ?? null, b ?? null);
  return sent.every(([field, written]) => {
    if (!field.path) return Object.entries(written ?? {}).every(([name, value]) => isAlike(row[name], value));
    const { embedding } = field;
    const isDone = isAlikeRaw(field, field.raw(row), written);
    return (
      isDone || (embedding !== undefined && holdsLines(embedding, field.raw(change.base), written, field.raw(row)))
    );
  });
}

/**
 * Whether a received list has the lines that were sent, where the server has given ids and places to new ones: these have ids that no line had
 * before.
 */
function holdsLines(
  { model }: NonNullable<FieldDefinition['embedding']>,
  before: unknown,
  sent: unknown,
  received: unknown,
): boolean {
  if (!Array.isArray(sent) || !Array.isArray(received) || sent.length !== received.length) return false;
  const keyOf = (line: unknown) => idKey(model.rowId(line));
  const known = new Set([before].flat().map(keyOf));
  const made = received.filter((line) => model.rowId(line) !== undefined && !known.has(keyOf(line)));
  return sent.every((line) => {
    if (model.rowId(line) !== undefined) return received.some((other) => isSame(line, other));
    const at = made.findIndex((other) => holdsPart(other, line));
    return at >= 0 && made.splice(at, 1).length > 0;
  });
}

/**
 * The row of an update that was refused, if the server has carried it out. The record takes it as a read, since somebody else may have
 * changed what is edited here, too.
 */
export async function rowIfDone(
  record: InnerRecord,
  change: Change | undefined,
  proxy: DataProxy,
  operation: Operation,
): Promise<Data | undefined> {
  const startedAt = nextTime(record[MODEL]);
  const row = await readAgain(record, proxy, operation);
  if (!change || !holdsSent(record, change, row)) return undefined;
  settleRead(record, row, startedAt);
  return row;
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
    const row = await rowIfDone(record, change, proxy, operation);
    return row ? { row } : { error };
  } catch {
    return { error };
  }
}

/** Whether a received row has the values of a sent one, as far as both have a field; there must be one. */
export function hasSentValues({ fields, idField }: ModelDefinition, sent: Data, row: Data): boolean {
  const compared = fields.filter(
    (field) => field !== idField && field.persist && field.raw(sent) !== undefined && field.raw(row) !== undefined,
  );
  return compared.length > 0 && compared.every((field) => isAlikeRaw(field, field.raw(sent), field.raw(row)));
}
