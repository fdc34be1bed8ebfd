import type { WriteAction } from '../extension/write.js';
import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { runOperation, type Use } from './call.js';
import { isOrdinaryRequest } from './read.js';
import { coreOf, guardErased, type InnerRecord, isDirty } from './record.js';
import { didChange } from './record-owner.js';
import { RecordWrite, type WriteOptions } from './record-write.js';
import { settleErased } from './settle.js';
import { beginWrite, proxyIfAny, settleWrite, tellQueued } from './settle-write.js';
import { runSteps, sendOne } from './write-steps.js';

/**
 * Saves a record in its lane: a create for a phantom, else an update. Behind a write in flight, the save waits, joins a save that waits
 * already, and sends the newest values; if nothing is left to write by then, it sends nothing.
 */
export function saveRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: WriteOptions | undefined,
  use: Use,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  const proxy = proxyOf();
  const waits = core.saving;
  const { repeat = false, waited = false } = options ?? {};
  // A call with its own address, parameters, headers, signal or values needs its own request.
  const plain = isOrdinaryRequest(options) && options?.signal === undefined && options?.edits === undefined;
  const joinable = waits && plain && !repeat;
  const createWrite = () => {
    const action: WriteAction = core.phantom ? 'create' : 'update';
    return new RecordWrite([record], action, proxy, options, waits || waited);
  };
  // Behind an erase, the save is sent only if the erase fails; until then the outbox must store the erase, not the save.
  const noted = waits && !core.erasing ? tellQueued(createWrite()) : undefined;
  const send = async () => {
    if (joinable) core.waiting = undefined;
    guardErased(record);
    const write = createWrite();
    use(write.operation);
    // If the earlier save was refused, the newest values may still pass. If it got no answer, sending again could create a
    // duplicate.
    if (waits && !repeat && core.unconfirmed && core.unconfirmed === core.failure) throw core.unconfirmed;
    if (waits && plain && !core.failure && !core.phantom && !isDirty(record)) return write.operation;
    return runWrite(write, use);
  };
  const joined = joinable ? core.waiting : undefined;
  const result = joined ? joined.then(use) : core.lane.run(send);
  if (joinable && !joined) core.waiting = result;
  return noted ? failAfter(result, noted) : result;
}

/**
 * Erases a record in its lane. A phantom that was never sent is erased without a request. A phantom whose create is in flight is erased
 * by its new id. The erase of a phantom in doubt is refused, because the server may have the record. If an erase fails, the record is
 * restored.
 */
export function eraseRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: WriteOptions | undefined,
  use: Use,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  if (core.erasing) return core.erasing.then(use);
  const waits = core.saving;
  const isDropped = core.phantom && !waits;
  const proxy = isDropped ? proxyIfAny(proxyOf) : proxyOf();
  if (!proxy) return dropHere(record, options, use);
  const write = new RecordWrite([record], 'destroy', proxy, options, waits);
  use(write.operation);
  // The erase of a record in doubt waits in the outbox until the application decides about the create.
  const noted = waits || (isDropped && core.unconfirmed) ? tellQueued(write) : undefined;
  if (isDropped) return failAfter(runErase(write, use), noted);
  didChange(record, { kind: 'erasing' });
  core.erasing = core.lane.run(
    () => failAfter(runErase(write, use), noted),
    () => {
      core.erasing = undefined;
    },
  );
  return core.erasing;
}

/** Erases a record whose turn it is in the lane: by a request, unless the server does not know the record. */
async function runErase(write: RecordWrite, use: Use): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  const { phantom, unconfirmed, keeper } = coreOf(record);
  if (!phantom) return runWrite(write, use);
  beginWrite(write);
  // The server may have the record, and would keep it if only the local record were dropped.
  if (unconfirmed) return endWrite(write, settleWrite(write, [{ error: unconfirmed }]), use);
  const forgotten = keeper?.forget(record);
  return endWrite(write, Promise.all([settleWrite(write, [{ row: undefined }]), forgotten]), use);
}

/** Erases a phantom whose model has no proxy. */
async function dropHere(record: InnerRecord, options: WriteOptions | undefined, use: Use): Promise<Operation> {
  const operation = use(new Operation(Object.assign({}, options, { action: 'destroy' as const, records: [record] })));
  const forgotten = coreOf(record).keeper?.forget(record);
  settleErased(record);
  await forgotten;
  return operation;
}

/** Runs a write whose turn it is in the lane, and then the writes that follow it in the same turn. */
async function runWrite(write: RecordWrite, use: Use): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  beginWrite(write);
  const outcomes = await runOperation(record, write.operation, () => runSteps(write, sendOne)).catch((error) => [
    { error },
  ]);
  return endWrite(write, settleWrite(write, outcomes), use);
}

/** Waits until a write has settled, and runs the write that follows. Rejects if the write has failed. */
async function endWrite(write: RecordWrite, settling: Promise<unknown> | undefined, use: Use): Promise<Operation> {
  if (settling) await settling;
  const [outcome] = write.outcomes;
  if (outcome?.error) throw outcome.error;
  if (!write.follow) return write.operation;
  const next = new RecordWrite(write.inner, write.follow, write.proxy, { ...write.options, url: undefined });
  use(next.operation);
  return runWrite(next, use);
}

/** Delays a rejection until the outbox has stored the write: a caller that sees the failure can rely on the outbox. */
function failAfter(result: Promise<Operation>, noted: Promise<void> | undefined): Promise<Operation> {
  if (!noted) return result;
  return result.catch(async (error) => {
    await noted;
    throw error;
  });
}
