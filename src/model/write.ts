import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { HttpError } from '../errors/http-error.js';
import { NetworkError } from '../errors/network-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import { ServerProxy } from '../proxy/server-proxy.js';
import type { ActionOptions } from './action-options.js';
import { abortable, requestOptions } from './call.js';
import { loadRecord } from './read.js';
import { coreOf, guardErased, type InnerRecord, isDirty } from './record.js';
import { markSent, settleErased, settleErasing, settleFailed, settleRestored, settleSaved } from './settle.js';
import { findIssues } from './validate.js';

type Use = (operation: Operation) => Operation;
type Options = ActionOptions<never> | undefined;

/**
 * Saves a record in its lane: a create for a phantom, else an update. Behind a write in flight it waits, joins other saves
 * that wait, and goes with the newest values; where then nothing is left to write, it sends nothing.
 */
export function saveRecord(record: InnerRecord, proxy: DataProxy, options: Options, use: Use): Promise<void> {
  guardErased(record);
  const core = coreOf(record);
  const waits = core.lane.busy;
  // A call with options of its own is a request of its own.
  const joinable = waits && Object.values(requestOptions(options)).every((each) => each === undefined);
  if (joinable && core.waiting) return core.waiting as Promise<void>;
  const result = core.lane.run(async () => {
    if (joinable) core.waiting = undefined;
    guardErased(record);
    if (waits) {
      // A definite no to the one before says nothing about the newest values; no answer says that this would double it.
      if (core.failure && !isDefinite(core.failure)) throw core.failure;
      if (!core.failure && !core.phantom && !isDirty(record)) return;
    }
    await sendSave(record, proxy, options, use);
  });
  if (joinable) core.waiting = result;
  return result;
}

/** The record's part of a save: validate, keep what is sent, send, settle. */
async function sendSave(record: InnerRecord, proxy: DataProxy, options: Options, use: Use): Promise<void> {
  const core = coreOf(record);
  const model = record[MODEL];
  const issues = findIssues(record, 'written');
  const operation = use(
    new Operation({ action: core.phantom ? 'create' : 'update', records: [record], ...requestOptions(options) }),
  );
  if (issues.length) {
    const error = new ValidationError(issues, { operation, messages: model.messages });
    settleFailed(record, error);
    throw error;
  }
  if (core.partial && !core.phantom) await completeRow(record, proxy, operation, options);
  markSent(record);
  const chosen = core.sent?.get(model.idField);
  const sentId = chosen ?? (proxy.writer.writeRecordId && core.phantom ? model.serverId(record) : undefined);
  const done = (result: ResultSet) => settleSaved(record, operation, result.rows[0], sentId);
  await settling(record, proxy, operation, done, settleFailed);
}

/** A PUT of a row known only in part would erase the rest: it is read first (H7). */
async function completeRow(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  options: Options,
): Promise<void> {
  const verb = proxy instanceof ServerProxy ? proxy.getMethod(new ProxyRequest({ operation })) : 'PUT';
  if (verb !== 'PATCH' && proxy.writer.writeAllFields !== false)
    await loadRecord(record, proxy, options, (read) => read);
}

/** Runs an operation of a record and settles it, however it ends. */
async function settling(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  done: (result: ResultSet) => void,
  failed: (record: InnerRecord, error: DataError) => void,
): Promise<void> {
  try {
    await abortable(record, operation.signal, async (signal) => {
      // The record's own signal stands in for the caller's, which it follows.
      Object.assign(operation, { signal });
      done(await proxy.execute(operation));
    });
  } catch (error) {
    const known = hasErrorBrand(error) ? error : new NetworkError({ why: String(error) }, { operation, cause: error });
    operation.error = known;
    failed(record, known);
    throw known;
  }
}

/**
 * Erases a record in its lane. A phantom that was never sent is just dropped; one that is being created is erased under its
 * new id. A failed erase brings the record back.
 */
export function eraseRecord(record: InnerRecord, proxy: () => DataProxy, options: Options, use: Use): Promise<void> {
  guardErased(record);
  const core = coreOf(record);
  if (core.erasing) return core.erasing as Promise<void>;
  const waits = core.lane.busy;
  if (core.phantom && !waits) {
    settleErased(record);
    return Promise.resolve();
  }
  settleErasing(record);
  const result = core.lane.run(async () => {
    try {
      if (core.phantom) {
        // Without an answer the record may be there: dropping it here would leave it behind.
        if (waits && core.failure && !isDefinite(core.failure)) {
          settleRestored(record, core.failure);
          throw core.failure;
        }
        return settleErased(record);
      }
      const operation = use(new Operation({ action: 'destroy', records: [record], ...requestOptions(options) }));
      await settling(record, proxy(), operation, () => settleErased(record), settleRestored);
    } finally {
      core.erasing = undefined;
    }
  });
  core.erasing = result;
  return result;
}

/** Whether the server has certainly not done it: it said no (4xx), or nothing was sent. */
function isDefinite(error: DataError): boolean {
  if (error instanceof HttpError) return error.status < 500 && error.status !== 408;
  return error.code === 'validation' || error.code === 'address' || error.code === 'unsupported-query';
}
