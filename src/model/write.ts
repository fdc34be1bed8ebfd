import type { DataError } from '../errors/data-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import { ServerProxy } from '../proxy/server-proxy.js';
import { type CallOptions, runOperation, type Use } from './call.js';
import { loadRecord } from './read.js';
import { coreOf, guardErased, type InnerRecord, isDirty } from './record.js';
import { notify } from './record-owner.js';
import { markSent, settleErased, settleFailed, settleRestored, settleSaved } from './settle.js';
import { findIssues } from './validate.js';

/**
 * Saves a record in its lane: a create for a phantom, else an update. Behind a write in flight it waits, joins other saves
 * that wait, and goes with the newest values; where then nothing is left to write, it sends nothing.
 */
export function saveRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: CallOptions,
  use: Use,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  const proxy = proxyOf();
  const waits = core.busy;
  const { params, pathParams, url, headers, signal } = options ?? {};
  // A call with options of its own is a request of its own.
  const joinable = waits && (params ?? pathParams ?? url ?? headers ?? signal) === undefined;
  if (joinable && core.waiting) return core.waiting.then(use);
  const result = core.lane.run(async () => {
    if (joinable) core.waiting = undefined;
    guardErased(record);
    const action = core.phantom ? 'create' : 'update';
    const operation = use(new Operation({ ...options, action, records: [record] }));
    if (waits) {
      // A definite no to the one before says nothing about the newest values; no answer says that this would double it.
      if (core.failure && !isDefinite(core.failure)) throw core.failure;
      if (joinable && !core.failure && !core.phantom && !isDirty(record)) return operation;
    }
    return attempt(record, operation, settleFailed, () => sendSave(record, proxy, operation));
  });
  if (joinable) core.waiting = result;
  return result;
}

/** The record's part of a save: validate, keep what is sent, send, settle. */
async function sendSave(record: InnerRecord, proxy: DataProxy, operation: Operation): Promise<void> {
  const core = coreOf(record);
  const model = record[MODEL];
  const issues = findIssues(record, true);
  if (issues.length) throw new ValidationError(issues);
  // A PUT of a row known only in part would erase the rest: it is read first (H7).
  if (core.partial && !core.phantom && isWhole(proxy, operation)) {
    await loadRecord(
      record,
      () => proxy,
      operation as never,
      (read) => read,
    );
  }
  markSent(record);
  const chosen = core.sent?.get(model.idField);
  const sentId = chosen ?? (proxy.writer.writeRecordId && core.phantom ? model.serverId(record) : undefined);
  const { rows } = await proxy.execute(operation);
  settleSaved(record, operation, rows[0], sentId);
}

/** Whether an update carries the whole row. */
function isWhole(proxy: DataProxy, operation: Operation): boolean {
  const verb = proxy instanceof ServerProxy ? proxy.getMethod(new ProxyRequest({ operation })) : '';
  return proxy.writer.writeAllFields ?? verb !== 'PATCH';
}

/**
 * Erases a record in its lane. A phantom that was never sent is just dropped; one that is being created is erased under its
 * new id. A failed erase brings the record back.
 */
export function eraseRecord(
  record: InnerRecord,
  proxy: () => DataProxy,
  options: CallOptions,
  use: Use,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  if (core.erasing) return core.erasing.then(use);
  const operation = use(new Operation({ ...options, action: 'destroy', records: [record] }));
  if (core.phantom && !core.busy) {
    settleErased(record);
    return Promise.resolve(operation);
  }
  notify(record, { kind: 'erasing' });
  core.erasing = core.lane.run(() =>
    attempt(record, operation, settleRestored, async () => {
      // Without an answer the record may be there: dropping it here would leave it behind.
      if (core.phantom && core.failure && !isDefinite(core.failure)) throw core.failure;
      if (!core.phantom) await proxy().execute(operation);
      settleErased(record);
    }).finally(() => {
      core.erasing = undefined;
    }),
  );
  return core.erasing;
}

/** Runs an operation of a record; a failure is settled. */
async function attempt(
  record: InnerRecord,
  operation: Operation,
  failed: (record: InnerRecord, error: DataError) => void,
  run: () => Promise<void>,
): Promise<Operation> {
  try {
    await runOperation(record, operation, run);
    return operation;
  } catch (error) {
    failed(record, error as DataError);
    throw error;
  }
}

/** Whether the server has certainly not done it: it said no (4xx), or nothing was sent. */
function isDefinite(error: DataError): boolean {
  const { status = 0 } = error as { status?: number };
  return (
    (status >= 400 && status < 500 && status !== 408) ||
    ['validation', 'address', 'unsupported-query'].includes(error.code)
  );
}
