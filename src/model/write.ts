import type { WriteAction } from '../extension/write.js';
import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type OperationListener, runOperation } from './call.js';
import { isOrdinaryRequest } from './read.js';
import { coreOf, guardErased, type InnerRecord, isDirty } from './record.js';
import { didBeginSaving, didChange } from './record-owner.js';
import { RecordWrite, type WriteOptions } from './record-write.js';
import { settleErased } from './settle.js';
import { beginWrite, proxyIfAny, runQueuedHooks, settleWrite } from './settle-write.js';
import { runSteps, sendOne } from './write-steps.js';

/**
 * Saves a record in its lane: a create for a phantom, else an update. Behind a write in flight, the save waits, joins a save
 * that waits already, and sends the newest values; if nothing is left to write by then, it sends nothing.
 */
export function saveRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: WriteOptions | undefined,
  onOperation: OperationListener,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  const proxy = proxyOf();
  const isBehind = core.saving;
  const { repeat = false, waited = false } = options ?? {};
  // A call with its own address, parameters, headers, signal or values needs its own request.
  const isPlainCall = isOrdinaryRequest(options) && options?.signal === undefined && options?.edits === undefined;
  const joinable = isBehind && isPlainCall && !repeat;
  const createWrite = () => {
    const action: WriteAction = core.phantom ? 'create' : 'update';
    return new RecordWrite([record], action, proxy, options, isBehind || waited);
  };
  // Behind an erase, the save is sent only if the erase fails; until then the outbox must store the erase, not the save.
  const stored = isBehind && !core.erasing ? runQueuedHooks(createWrite()) : undefined;
  const runSave = async () => {
    if (joinable) core.waiting = undefined;
    guardErased(record);
    const write = createWrite();
    onOperation(write.operation);
    // If the earlier save was refused, the newest values may still pass. If it got no answer, sending again could create a
    // duplicate.
    if (isBehind && !repeat && core.unconfirmed && core.unconfirmed === core.failure) throw core.unconfirmed;
    if (isBehind && isPlainCall && !core.failure && !core.phantom && !isDirty(record)) return write.operation;
    return runWrite(write, onOperation);
  };
  const joined = joinable ? core.waiting : undefined;
  const result = joined ? joined.then(onOperation) : core.lane.run(runSave);
  if (joinable && !joined) core.waiting = result;
  if (!joined) didBeginSaving(record);
  return stored ? rejectAfter(result, stored) : result;
}

/**
 * Erases a record in its lane. A phantom that was never sent is erased without a request. A phantom whose create is in flight
 * is erased by its new id. The erase of a phantom in doubt is refused, because the server may have the record. If an erase
 * fails, the record is restored.
 */
export function eraseRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: WriteOptions | undefined,
  onOperation: OperationListener,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  if (core.erasing) return core.erasing.then(onOperation);
  const isBehind = core.saving;
  const isDropped = core.phantom && !isBehind;
  const proxy = isDropped ? proxyIfAny(proxyOf) : proxyOf();
  if (!proxy) return eraseLocally(record, options, onOperation);
  const write = new RecordWrite([record], 'destroy', proxy, options, isBehind);
  onOperation(write.operation);
  // The erase of a record in doubt waits in the outbox until the application decides about the create.
  const stored = isBehind || (isDropped && core.unconfirmed) ? runQueuedHooks(write) : undefined;
  if (isDropped) return rejectAfter(runErase(write, onOperation), stored);
  didChange(record, { kind: 'erasing' });
  core.erasing = core.lane.run(
    () => rejectAfter(runErase(write, onOperation), stored),
    () => {
      core.erasing = undefined;
    },
  );
  didBeginSaving(record);
  return core.erasing;
}

/** Erases a record whose turn it is in the lane: by a request, unless the server does not know the record. */
async function runErase(write: RecordWrite, onOperation: OperationListener): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  const { phantom, unconfirmed, keeper } = coreOf(record);
  if (!phantom) return runWrite(write, onOperation);
  beginWrite(write);
  // The server may have the record, and would keep it if only the local record were dropped.
  if (unconfirmed) return endWrite(write, settleWrite(write, [{ error: unconfirmed }]), onOperation);
  const forgotten = keeper?.forget(record);
  return endWrite(write, Promise.all([settleWrite(write, [{ row: undefined }]), forgotten]), onOperation);
}

/** Erases a phantom whose model has no proxy. */
async function eraseLocally(
  record: InnerRecord,
  options: WriteOptions | undefined,
  onOperation: OperationListener,
): Promise<Operation> {
  const operation = onOperation(
    new Operation(Object.assign({}, options, { action: 'destroy' as const, records: [record] })),
  );
  const forgotten = coreOf(record).keeper?.forget(record);
  settleErased(record);
  await forgotten;
  return operation;
}

/** Runs a write whose turn it is in the lane, and then the writes that follow it in the same turn. */
async function runWrite(write: RecordWrite, onOperation: OperationListener): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  beginWrite(write);
  const outcomes = await runOperation(record, write.operation, () => runSteps(write, sendOne)).catch((error) => [
    { error },
  ]);
  return endWrite(write, settleWrite(write, outcomes), onOperation);
}

/** Waits until a write has settled, and runs the write that follows. Rejects if the write has failed. */
async function endWrite(
  write: RecordWrite,
  settling: Promise<unknown> | undefined,
  onOperation: OperationListener,
): Promise<Operation> {
  if (settling) await settling;
  const [outcome] = write.outcomes;
  if (outcome?.error) throw outcome.error;
  if (!write.follow) return write.operation;
  const next = new RecordWrite(write.inner, write.follow, write.proxy, { ...write.options, url: undefined });
  onOperation(next.operation);
  return runWrite(next, onOperation);
}

/** Delays a rejection until the outbox has stored the write: a caller that sees the failure can rely on the outbox. */
function rejectAfter(result: Promise<Operation>, stored: Promise<void> | undefined): Promise<Operation> {
  if (!stored) return result;
  return result.catch(async (error) => {
    await stored;
    throw error;
  });
}
