import type { DataError } from '../errors/data-error.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { within } from '../errors/within.js';
import type { Action } from '../operation/actions.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import type { BaseModel } from './base-model.js';
import { coreOf, type InnerRecord, inner } from './record.js';
import { markSent, settleErased, settleErasing, settleFailed, settleRestored, settleSaved } from './settle.js';
import { findIssues } from './validate.js';

/** Many records of one action in one request (H16). */
export interface BulkWrite<M> {
  readonly action: Exclude<Action, 'read'>;
  readonly records: readonly M[];
  readonly proxy: DataProxy;
  readonly options: Partial<OperationConfig>;
  ended(record: M, error: AnyDataError | undefined, operation: Operation | undefined): void;
}

/** Sends the bulk form: an array to the collection. A record that the reply does not account for fails. Returns the errors. */
export async function writeBulk<M extends BaseModel>(bulk: BulkWrite<M>): Promise<Map<M, AnyDataError>> {
  const errors = new Map<M, AnyDataError>();
  const { action } = bulk;
  const valid = action === 'destroy' ? bulk.records : bulk.records.filter((record) => isWritable(record, errors));
  const own = valid.map((record) => inner(record));
  if (action === 'destroy') for (const record of own) settleErasing(record);
  // Each record's lane is held until all have been settled: nothing else of theirs is sent meanwhile.
  let ready = 0;
  let open: () => void = () => undefined;
  const allReady = new Promise<void>((resolve) => {
    open = resolve;
  });
  const sending = allReady.then(() => sendBulk(bulk, valid));
  const held = own.map((record) =>
    coreOf(record).lane.run(() => {
      ready += 1;
      if (ready === own.length) open();
      return sending;
    }),
  );
  if (own.length === 0) return report(bulk, errors, undefined);
  await Promise.all(held);
  const { failed, operation } = await sending;
  for (const [record, error] of failed) errors.set(record, error as AnyDataError);
  return report(bulk, errors, operation);
}

function report<M>(
  bulk: BulkWrite<M>,
  errors: Map<M, AnyDataError>,
  operation: Operation | undefined,
): Map<M, AnyDataError> {
  for (const record of bulk.records) bulk.ended(record, errors.get(record), operation);
  return errors;
}

function isWritable<M extends BaseModel>(record: M, errors: Map<M, AnyDataError>): boolean {
  const issues = findIssues(inner(record), true);
  if (issues.length === 0) return true;
  const error = new ValidationError(issues, { messages: inner(record)[MODEL].messages });
  settleFailed(inner(record), error);
  errors.set(record, error);
  return false;
}

async function sendBulk<M extends BaseModel>(
  bulk: BulkWrite<M>,
  records: readonly M[],
): Promise<{ failed: Map<M, DataError>; operation: Operation }> {
  const { action, proxy } = bulk;
  const own = records.map((record) => inner(record));
  const operation: Operation = new Operation({ action, records: own, ...bulk.options });
  const failed = new Map<M, DataError>();
  const fail = (at: number, error: DataError) => {
    failed.set(records[at] as M, error);
    (action === 'destroy' ? settleRestored : settleFailed)(own[at] as InnerRecord, error);
  };
  const sentIds = own.map((record) => record[MODEL].serverId(record));
  if (action !== 'destroy') for (const record of own) markSent(record);
  try {
    const { rows } = await within(operation, undefined, () => proxy.execute(operation));
    for (const [at, record] of own.entries()) {
      const row = own.length === 1 ? rows[0] : rowFor(record, at, sentIds, rows as Data[], proxy, action);
      try {
        // One record is an ordinary request; an empty answer to an update or destroy speaks for all of them.
        const spoken = own.length === 1 || (action !== 'create' && operation.response?.body === undefined);
        if (row === undefined && !spoken) throw missing(operation);
        const problem = entryError(row, operation);
        if (problem) throw problem;
        if (action === 'destroy') settleErased(record);
        else settleSaved(record, operation, row, proxy.writer.writeRecordId ? sentIds[at] : undefined);
      } catch (error) {
        fail(at, error as DataError);
      }
    }
  } catch (error) {
    for (const at of own.keys()) fail(at, error as DataError);
  }
  return { failed, operation };
}

/** The row of a reply that is a record's: by the client's id, by id, or by order where there is one for each. */
function rowFor(
  record: InnerRecord,
  at: number,
  ids: readonly unknown[],
  rows: readonly Data[],
  proxy: DataProxy,
  action: Action,
): Data | undefined {
  const { clientIdProperty } = proxy.writer;
  const model = record[MODEL];
  if (clientIdProperty) {
    const own = rows.find((row) => String(getMember(row, clientIdProperty)) === String(ids[at]));
    if (own) return own;
  }
  const byId = action === 'create' ? undefined : rows.find((row) => String(model.rowId(row)) === String(ids[at]));
  const inOrder = rows.length === ids.length && (action === 'create' || model.rowId(rows[at]) === undefined);
  return byId ?? (inOrder ? rows[at] : undefined);
}

/** An entry that carries its own failing status (207 and its kin). */
function entryError(row: unknown, operation: Operation): DataError | undefined {
  const status = isData(row) ? Number(getMember(row, 'status')) : Number.NaN;
  if (operation.response?.status !== 207 || !(status >= 400)) return undefined;
  return missing(operation, row);
}

function missing(operation: Operation, cause?: unknown): ReadError {
  const texts = { 'reply-missing': '{method} {url} does not account for this record: it stays unsaved' };
  return new ReadError('reply-missing', {}, { operation, cause, messages: texts });
}
