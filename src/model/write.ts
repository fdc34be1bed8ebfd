import type { ConflictError } from '../errors/conflict-error.js';
import type { DataError } from '../errors/data-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import type { ServerProxy } from '../proxy/server-proxy.js';
import { type CallOptions, runOperation, type Use } from './call.js';
import { asSent, copyEdits, mayBeDone } from './doubt.js';
import { randomId } from './identifier.js';
import { isPlain, loadRecord } from './read.js';
import { coreOf, guardErased, type InnerRecord, isDirty } from './record.js';
import type { RecordCore } from './record-core.js';
import { notify } from './record-owner.js';
import { markSent, settleErased, settleFailed, settleSaved } from './settle.js';
import { keepPathParams } from './singleton.js';
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
  const waits = core.saving;
  const { signal, repeat = false } = options ?? {};
  // A call with options of its own is a request of its own.
  const plain = isPlain(options) && signal === undefined;
  const joinable = waits && plain && !repeat;
  core.journal = proxy.journal ?? core.journal;
  // Behind an erase it goes only if that is refused: what is kept until then is the erase.
  const staged =
    waits && !core.erasing ? core.journal?.stage(record, core.phantom ? 'create' : 'update', proxy) : undefined;
  const send = async () => {
    if (joinable) core.waiting = undefined;
    guardErased(record);
    const action = core.phantom ? 'create' : 'update';
    const { idempotencyHeader } = proxy as { idempotencyHeader?: string };
    const idempotencyKey = core.phantom && idempotencyHeader ? (core.createKey ??= randomId()) : undefined;
    const first = core.doubt?.operation;
    // Under its key a create goes where it went before, unless the call says where.
    const stays =
      idempotencyKey && first?.idempotencyKey === idempotencyKey && isPlain({ ...options, headers: undefined });
    const address = stays ? { url: first.url, params: first.params, pathParams: first.pathParams } : undefined;
    const operation = use(
      new Operation(Object.assign({}, options, address, { action, records: [record], idempotencyKey } as const)),
    );
    const held = repeat ? undefined : heldBack(record, waits);
    if (held) throw held;
    if (waits && plain && !core.failure && !core.phantom && !isDirty(record)) return operation;
    // A create that is in doubt goes under the key, and so with the values, that it had before.
    const again = Boolean(idempotencyKey && core.doubt && core.createEdits);
    const run = (each: Operation, isAgain: boolean) =>
      attempt(record, proxyOf, each, () => sendSave(record, proxy, each, isAgain, repeat));
    await run(operation, again);
    if (!again || !isDirty(record) || core.journal?.erases(record)) return operation;
    // What was edited since it was first sent follows.
    return run(
      use(new Operation(Object.assign({}, options, { url: undefined, action: 'update' as const, records: [record] }))),
      false,
    );
  };
  const joined = joinable ? core.waiting : undefined;
  const result = joined ? joined.then(use) : core.lane.run(send);
  if (joinable && !joined) core.waiting = result;
  // Whoever hears that it is queued can rely on it.
  return staged
    ? result.catch((error) =>
        staged.then(() => {
          throw error;
        }),
      )
    : result;
}

/** What keeps a save from being sent; of one that waited, also how the one before ended. */
function heldBack(record: InnerRecord, waited: boolean): DataError | undefined {
  const { doubt, failure } = coreOf(record);
  // A definite no to the one before says nothing about the newest values; no answer says that this would double it.
  return erasedLater(record, waited) ?? (waited && doubt === failure ? doubt : undefined);
}

/**
 * The error of an erase that an outbox goes on with: nothing of the record is saved. Nor is what waited behind one that the
 * outbox could not do: first somebody has to hear of that.
 */
export function erasedLater(record: InnerRecord, waited: boolean): DataError | undefined {
  const { failure, journal, phantom } = coreOf(record);
  // Of a new record the create has to be done first.
  return (failure?.queued || (waited && !phantom)) && journal?.erases(record) ? failure : undefined;
}

/** The record's part of a save: validate, keep what is sent, send, settle. */
async function sendSave(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  again: boolean,
  repeat: boolean,
): Promise<void> {
  const core = coreOf(record);
  const model = record[MODEL];
  if (core.phantom && core.doubt && !again && !repeat) throw core.doubt;
  if (!again) {
    const resolving = model.references?.resolveReferences(record, proxy, operation.signal);
    if (resolving) await resolving;
    const issues = findIssues(record, true);
    if (issues.length) throw new ValidationError(issues);
    // A PUT of a row known only in part would erase the rest (H7), as would undoing the write: it is read first.
    if (isReadFirst(core, proxy, operation)) {
      // The edits are durable before the first request, which may fail.
      await core.journal?.prepare(record, operation, proxy);
      await loadRecord(
        record,
        () => proxy,
        operation as never,
        (read) => read,
      );
    }
    markSent(record);
    if (operation.idempotencyKey) core.createEdits = copyEdits(core.edits);
  }
  // Under a key the same must be sent as before: servers refuse another body, or answer as they did to the first.
  let sent = again ? asSent(record, core.createEdits) : undefined;
  if (core.journal) {
    // What is edited while it is being noted was not saved.
    sent ??= asSent(record, copyEdits(core.edits));
    await core.journal.begin([record], operation, proxy);
  }
  const chosen = core.sent?.get(model.idField);
  const sendsId = core.phantom && (proxy.writer.writeRecordId || model.naturalId);
  const sentId = chosen ?? (sendsId ? model.serverId(sent ?? record) : undefined);
  const named = operation as { records: Operation['records'] };
  if (sent) named.records = [sent];
  try {
    const { phantom } = core;
    settleSaved(record, operation, await execute(record, proxy, operation), sentId);
    if (phantom) keepPathParams(record, operation);
    // What was edited since follows.
    if (again && isDirty(record)) core.lane.settle(false);
  } finally {
    if (sent) named.records = [record];
  }
}

/** Runs an operation of one record; resolves with the row that came back. */
async function execute(record: InnerRecord, proxy: DataProxy, operation: Operation): Promise<unknown> {
  try {
    const result = await proxy.execute(operation);
    operation.resultSet ??= result as ResultSet<never>;
    return result.rows[0];
  } catch (error) {
    if (!mayBeDone(record, operation, error as DataError)) throw error;
    // Where the code cannot be fetched the refusal stands, as where the row cannot be read.
    const { confirmWrite } = await import('./repeated.js').catch(() => {
      throw error;
    });
    return await confirmWrite(record, proxy, operation, error as DataError);
  }
}

/** Whether an update needs more of the row than is known. */
function isReadFirst({ partial, phantom, willSend }: RecordCore, proxy: DataProxy, operation: Operation): boolean {
  return partial && !phantom && (willSend !== undefined || isWhole(proxy, operation));
}

/** Whether an update carries the whole row. */
export function isWhole(proxy: DataProxy, operation: Operation): boolean {
  const { getMethod } = proxy as { getMethod?: ServerProxy['getMethod'] };
  return proxy.writer.writeAllFields ?? getMethod?.call(proxy, new ProxyRequest({ operation })) !== 'PATCH';
}

/**
 * Erases a record in its lane. A phantom that was never sent is just dropped; one that is being created is erased under its
 * new id; one that is in doubt is refused, for it may be on the server. A failed erase brings the record back.
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
  const operation = use(new Operation(Object.assign({}, options, { action: 'destroy' as const, records: [record] })));
  if (core.phantom && !core.saving) return drop(record, proxy, operation);
  const staged = core.saving ? core.journal?.stage(record, 'destroy', proxy()) : undefined;
  notify(record, { kind: 'erasing' });
  const erase = async () => {
    if (core.phantom && core.doubt) {
      if (staged) await staged;
      throw core.doubt;
    }
    if (!core.phantom) {
      const via = proxy();
      core.journal = via.journal ?? core.journal;
      if (core.journal) await core.journal.begin([record], operation, via);
      await execute(record, via, operation);
    }
    settleErased(record);
  };
  core.erasing = core.lane.run(
    () => attempt(record, proxy, operation, erase),
    () => {
      core.erasing = undefined;
    },
  );
  return core.erasing;
}

/** Erases a phantom of which nothing is on its way. */
async function drop(record: InnerRecord, proxy: () => DataProxy, operation: Operation): Promise<Operation> {
  const { doubt, journal } = coreOf(record);
  // It may be there: dropping it here would leave it behind.
  if (doubt) {
    // Where the create goes by itself, so does this, behind it.
    const staged = doubt.queued && journal?.stage(record, 'destroy', proxy());
    settleFailed(record, doubt, operation);
    await staged;
    throw doubt;
  }
  const forgotten = journal?.forget(record);
  settleErased(record);
  await forgotten;
  return operation;
}

/** Runs an operation of a record; a failure is settled. */
async function attempt(
  record: InnerRecord,
  proxy: () => DataProxy,
  operation: Operation,
  run: () => Promise<void>,
): Promise<Operation> {
  const core = coreOf(record);
  // One that follows in the same turn of the lane, as an update does after a repeated create, is yet to settle.
  if (core.busy) core.lane.settle(false);
  try {
    await runOperation(record, operation, run);
    return operation;
  } catch (error) {
    const arming = arm(record, error as DataError, proxy);
    if (arming) await arming;
    settleFailed(record, error as DataError, operation);
    throw error;
  } finally {
    if (core.journal) await core.journal.end([record], operation);
  }
}

/** Gives a conflict its ways out; of another error, undefined. */
export function arm(record: InnerRecord, error: DataError, proxy: () => DataProxy): Promise<void> | undefined {
  if (error.code !== 'conflict') return undefined;
  // Where the code cannot be fetched the conflict is told all the same.
  return import('./conflict.js').then(
    ({ armConflict }) => armConflict(record, error as ConflictError, { proxy, save: saveRecord, erase: eraseRecord }),
    () => undefined,
  );
}
