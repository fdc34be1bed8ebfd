import type { DataError } from '../errors/data-error.js';
import { AddressError } from '../errors/mistakes.js';
import { ReadError } from '../errors/read-error.js';
import { notesOf, setNotes } from '../extension/row-notes.js';
import { isValidId } from '../http/url.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { placeName } from '../reader/place.js';
import type { CompositeId } from '../util/composite-id.js';
import { type Data, withPath } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { type CallOptions, isOrdinaryRequest, type OperationListener, runOperation, unheard } from './call.js';
import { isLocalTime } from './instant.js';
import type { Model } from './model.js';
import type { ModelDefinition } from './model-definition.js';
import { coreOf, guardErased, type InnerRecord } from './record.js';
import type { SharedLoad } from './record-core.js';
import { tellOwners } from './record-owner.js';
import { nextTime, settleRead } from './settle.js';
import { isSingleton, keepPathParams } from './singleton.js';

/**
 * Reads the row of a record. Rejects with `AddressError`, without a request, if the id is not valid, and with `ReadError`
 * if the response has no row, or the row of another record and the operation has no `anyId`.
 */
export async function readRow(model: ModelDefinition, proxy: DataProxy, operation: Operation): Promise<Data> {
  const {
    id,
    anyId,
    records: [record],
  } = operation;
  const single = isSingleton(proxy);
  if (single ? record?.phantom : !isValidId(id))
    throw new AddressError('id-missing', { action: 'load', model: model.name });
  const { rows } = await proxy.read(operation);
  const row = rows[0] as Data | undefined;
  if (!row) throw new ReadError('response-record', { id, model: model.name });
  checkRows(model, proxy, [row]);
  if (model.rowId(row) === undefined) {
    // Such a response is an envelope or an error report. Taken as a row, it would empty a record that has values.
    if (model.fields.every((field) => field.raw(row) === undefined))
      throw new ReadError('response-root', {
        path: proxy.reader.rootProperty,
        place: placeName(proxy.reader.rootProperty),
        members: Object.keys(row).join(', '),
      });
    // A row may lack the id by which it was requested.
    return single ? row : withId(row, model, id);
  }
  const hint = record ? '' : '. If any record will do, pass `anyId: true` to load()';
  if (!anyId && !single) model.checkSameId([id], row, hint);
  return row;
}

/** Copies a row and sets its id. */
function withId(row: Data, { idField, idParts }: ModelDefinition, id: unknown): Data {
  let copy = row;
  for (const [at, { path }] of (idParts ?? [idField]).entries())
    if (path) copy = withPath(copy, path, idParts ? (id as CompositeId)[at] : id) as Data;
  if (copy === row) return row;
  setNotes(copy, notesOf(row));
  return copy;
}

/** Options of a read of a record, and the proxy that reads it, if it is not that of the record's class. */
type LoadOptions = (CallOptions & { readonly proxy?: DataProxy | undefined }) | undefined;

/** Reads a record again, and keeps its edits. */
export async function loadRecord(
  record: InnerRecord,
  options: LoadOptions,
  onOperation: OperationListener = unheard,
): Promise<void> {
  guardErased(record);
  const model = record[MODEL];
  const startedAt = nextTime(model);
  // The operation needs the id itself: if the id is not in the path, it is sent as a parameter.
  const id = record.phantom ? undefined : model.serverId(record);
  const operation = onOperation(
    new Operation(Object.assign({}, options, { action: 'read' as const, records: [record], id })),
  );
  const core = coreOf(record);
  core.readsInFlight += 1;
  try {
    await runOperation(record, operation, async () => {
      const proxy = options?.proxy ?? (record.constructor as typeof Model).proxy;
      const row = await readRow(model, proxy, operation);
      keepPathParams(record, operation);
      settleRead(record, row, startedAt, operation.fields !== undefined);
    });
  } catch (error) {
    // A request that started before the last write settled says nothing about the row.
    if (core.settledAt <= startedAt) tellOwners(record, 'requestFailed', error as DataError);
    throw error;
  } finally {
    core.readsInFlight -= 1;
  }
}

/**
 * Reads a record again. Calls without options share a request that is in flight, and its outcome. A request that started before the
 * last write ended is not shared, because its response may not show that write.
 */
export async function shareLoad(
  record: InnerRecord,
  options: CallOptions,
  onOperation: OperationListener,
): Promise<void> {
  if (!isOrdinaryRequest(options) || options?.signal) return loadRecord(record, options, onOperation);
  const core = coreOf(record);
  const id = record[MODEL].serverId(record);
  const { loading } = core;
  const isCurrent = loading && idKey(loading.id) === idKey(id) && loading.startedAt >= core.settledAt;
  if (isCurrent && !core.erased && !loading.operation.signal?.aborted) {
    onOperation(loading.operation);
    return loading.promise;
  }
  const startedAt = record[MODEL].clock.now;
  let shared: SharedLoad | undefined;
  let operation: Operation | undefined;
  const promise = loadRecord(record, options, (each) => onOperation((operation = each)));
  if (operation) core.loading = shared = { id, startedAt, operation, promise };
  try {
    await promise;
  } finally {
    if (core.loading === shared) core.loading = undefined;
  }
}

/**
 * With `reader: { strict: true }`, throws `ReadError` for a row with a refused value, or with a date-time that names no zone; the error names
 * the row and the field. `reason` is `given-field` or `received-field` for rows that the application has given.
 */
export function checkRows(
  model: ModelDefinition,
  proxy: DataProxy,
  rows: readonly Data[],
  first: number = 0,
  reason: 'response-field' | 'given-field' | 'received-field' = 'response-field',
): void {
  if (!proxy.reader.strict) return;
  const { name, fields, messages } = model;
  const hasRules = fields.some(({ config }) => config.validators?.length);
  for (const [row, data] of rows.entries()) {
    const values = hasRules ? fieldValues(model, data) : {};
    for (const field of fields) {
      if (field.derived) continue;
      const raw = field.raw(data);
      const [issue] = field.check(raw, true, values, messages);
      const found = issue ?? (isLocalTime(field, raw) && { path: [field.name], message: 'must name its time zone' });
      if (!found) continue;
      const place = { row: first + row, field: found.path.join('.'), why: found.message };
      throw new ReadError(reason, { model: name, ...place }, { messages });
    }
  }
}

/** The values of a row by field name, for validators that check a row before it becomes a record. */
function fieldValues({ fields }: ModelDefinition, row: Data): object {
  const stored = fields.filter(({ derived }) => !derived);
  return Object.fromEntries(stored.map((field) => [field.name, field.read(field.raw(row))]));
}
