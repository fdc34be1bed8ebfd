import type { DataError } from '../errors/data-error.js';
import { asDataError } from '../errors/error-context.js';
import { ValidationError } from '../errors/validation-error.js';
import type { WriteAction } from '../extension/write-hook.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isOrdinaryRequest, type OperationListener, runOperation } from './call.js';
import {
  type CallRequest,
  type Change,
  captureCall,
  captureChange,
  captureErase,
  type GivenValues,
  sendsAnything,
} from './change.js';
import { coreOf, guardErased, type InnerRecord } from './record.js';
import type { WaitingSave } from './record-core.js';
import { didBeginSaving, didChange } from './record-owner.js';
import {
  beginWrite,
  isTakenBack,
  proxyIfAny,
  RecordWrite,
  runQueuedHooks,
  settleWrite,
  type WriteOptions,
} from './record-write.js';
import { holdChange, releaseChange, settleErased } from './settle.js';
import { findIssues } from './validate.js';
import { haveSameParameters } from './write-state.js';
import { runSteps, sendOne } from './write-steps.js';

/**
 * Saves a record in its lane: a create for a phantom, else an update. The save sends the edits that the record has now, whatever is
 * edited later. Behind a write in flight, the save waits, or joins a save that waits already, which then sends the edits of this call;
 * it leaves out what the writes before it have settled. If nothing is left to write by then, it sends nothing.
 */
export function saveRecord(
  record: InnerRecord,
  proxyOf: () => DataProxy,
  options: WriteOptions | undefined,
  onOperation: OperationListener,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  core.refuseWrite?.();
  const proxy = proxyOf();
  const isBehind = core.saving;
  const { repeat = false, waited = false, signal } = options ?? {};
  // A call with its own address, parameters, headers or signal needs its own request.
  const isPlainCall = isOrdinaryRequest(options) && signal === undefined;
  const joinable = isBehind && isPlainCall && !repeat && !options?.waitsAt;
  let at = options?.waitsAt?.(record);
  const makeWrite = (change: Change | undefined) => {
    const own = change ? { ...options, ...change.call } : options;
    return new RecordWrite(
      [record],
      core.phantom ? 'create' : 'update',
      change?.proxy ?? proxy,
      own,
      isBehind || waited,
    );
  };
  const isHeld = isBehind && at === undefined;
  const call = isHeld ? captureCall(proxy, options) : undefined;
  const joined = joinable && call ? joinableSave(record, call) : undefined;
  if (isHeld) {
    try {
      at = captureWaiting(record, proxy, call, undefined, joined?.at);
    } catch (cause) {
      return Promise.reject(captureFailure(record, cause));
    }
  }
  // Behind an erase, the save is sent only if the erase fails; until then the outbox must store the erase, not the save.
  const stored =
    isBehind && !core.erasing
      ? runQueuedHooks(Object.assign(makeWrite(core.waitingChange(at)), { waitsAt: () => at }))
      : undefined;
  if (joined) {
    joined.at = at as number;
    joined.stored = bothStored(joined.stored, stored);
    return rejectAfter(joined.result.then(onOperation), stored, () => joined.stored);
  }
  let write: RecordWrite | undefined;
  const waiting: WaitingSave | undefined = joinable
    ? { at: at as number, stored, result: undefined as never }
    : undefined;
  const runSave = async () => {
    if (waiting) {
      if (core.waitingSave === waiting) core.waitingSave = undefined;
      at = waiting.at;
    }
    const change = at === undefined ? undefined : core.waitingChange(at);
    try {
      guardErased(record);
      write = makeWrite(change);
      onOperation(write.operation);
      if (at !== undefined) {
        if (!change) return endSettled(record, at, write.operation);
        write.waitsAt = () => at;
        // If the earlier save got no response, sending again could create a duplicate.
        const { unconfirmed } = core;
        // Behind an erase that an outbox has queued, the outbox says what becomes of the save.
        const isKept = unconfirmed?.queued && !stored;
        if (isBehind && !repeat && unconfirmed && unconfirmed === core.failure && !isKept) {
          // The change is released after that.
          await (waiting?.stored ?? stored);
          throw unconfirmed;
        }
        if (isPlainCall && !core.failure && !core.phantom && !sendsAnything(change)) return write.operation;
      }
      return await runWrite(write, onOperation);
    } finally {
      if (at !== undefined) releaseChange(record, at);
    }
  };
  const result = core.run(runSave);
  // The write has to wait for something, or it repeats an earlier one: its own values are held until it sends them.
  if (
    at === undefined &&
    !core.erased &&
    write &&
    !write.uncaptured &&
    (write.innerChanges.length === 0 || write.resend)
  ) {
    try {
      at = captureWaiting(record, proxy, write.call);
      write.waitsAt = () => at;
    } catch (cause) {
      write.uncaptured = captureFailure(record, cause);
    }
  }
  if (waiting) {
    waiting.result = result;
    core.waitingSave = waiting;
  }
  didBeginSaving(record);
  return stored ? rejectAfter(result, stored, () => waiting?.stored ?? stored) : result;
}

/**
 * Ends a save whose change does not wait any more: the edits were taken back, or another write has sent them. Throws the error of that write
 * if it has failed.
 */
function endSettled(record: InnerRecord, at: number, operation: Operation): Operation {
  const failure = coreOf(record).failureOf(at);
  if (failure) throw failure;
  return operation;
}

/** Resolves with the error of an outbox that could not store one of two calls, of which the later one has the values of both. */
async function bothStored(...calls: readonly WaitingSave['stored'][]): Promise<DataError | undefined> {
  return (await Promise.all(calls)).find((error) => error);
}

/** The save that waits already and whose request may also have the values of a call: the parameters of both are equal. */
function joinableSave(record: InnerRecord, call: CallRequest): WaitingSave | undefined {
  const core = coreOf(record);
  const { waitingSave } = core;
  const change = core.waitingChange(waitingSave?.at);
  return !change || haveSameParameters(change, { call }) ? waitingSave : undefined;
}

/** The error of a save whose values could not be captured when it was called: it fails with this error, whatever the record has later. */
export function captureFailure(record: InnerRecord, cause: unknown): DataError {
  const issues = findIssues(record, true);
  if (issues.length > 0) return new ValidationError(issues, record[MODEL]);
  return asDataError(cause);
}

/** Sends what an outbox has stored of a record, in its lane. */
export function sendStored(record: InnerRecord, action: WriteAction, proxy: DataProxy): Promise<Operation> {
  const core = coreOf(record);
  const write = new RecordWrite([record], action, proxy, { stored: true });
  const result = core.run(
    () => runWrite(write, (operation) => operation),
    () => {
      if (core.erasing?.result === result) core.erasing = undefined;
    },
  );
  if (action === 'destroy') core.erasing = { call: write.call, result };
  didBeginSaving(record);
  return result;
}

/** Captures the edits of a record, and holds them as a waiting change. Returns the time of the change. `given` are values to write instead of the record's edits; `earlier` is the time of a change that is replaced. */
export function captureWaiting(
  record: InnerRecord,
  proxy: DataProxy,
  call: CallRequest | undefined,
  given?: GivenValues,
  earlier?: number,
): number {
  const core = coreOf(record);
  const action: WriteAction = core.phantom ? 'create' : 'update';
  const change = captureChange(record, action, proxy, captureCall(proxy, call), given);
  holdChange(record, change);
  if (earlier !== undefined) releaseChange(record, earlier);
  return change.at;
}

/**
 * Erases a record in its lane. A phantom that was never sent is erased without a request. A phantom whose create is in flight
 * is erased by its new id. The erase of an unconfirmed phantom is refused, because the server may have the record. If an erase
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
  core.refuseWrite?.();
  const { erasing } = core;
  const isBehind = core.saving;
  const isDropped = core.phantom && !isBehind;
  const proxy = isDropped ? proxyIfAny(proxyOf) : proxyOf();
  if (!proxy) return eraseLocally(record, options, onOperation);
  const write = new RecordWrite([record], 'destroy', proxy, options, isBehind);
  if (erasing && haveSameParameters(erasing, write)) return erasing.result.then(onOperation);
  onOperation(write.operation);
  const at = isDropped ? undefined : (options?.waitsAt?.(record) ?? holdErase(record, proxy, write.call));
  write.waitsAt = () => at;
  // The erase of an unconfirmed record waits in the outbox until the application decides about the create.
  const stored = isBehind || (isDropped && core.unconfirmed) ? runQueuedHooks(write) : undefined;
  if (isDropped) return rejectAfter(runErase(write, onOperation), stored);
  didChange(record, { kind: 'erasing' });
  const result = core.run(
    async () => {
      guardErased(record);
      return rejectAfter(runErase(write, onOperation), stored);
    },
    () => {
      if (core.erasing?.result === result) core.erasing = undefined;
      if (at !== undefined) releaseChange(record, at);
    },
  );
  core.erasing = { call: write.call, result };
  didBeginSaving(record);
  return result;
}

/** Captures an erase, and holds it as a waiting change. Returns the time of the change. */
export function holdErase(record: InnerRecord, proxy: DataProxy, call: CallRequest): number {
  const change = captureErase(record, proxy, captureCall(proxy, call));
  holdChange(record, change);
  return change.at;
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
  if (outcome?.error && !isTakenBack(outcome.error)) throw outcome.error;
  const { follow, waitsAt, followsStored } = write;
  if (!follow) return write.operation;
  const next = new RecordWrite(write.inner, 'update', follow.proxy ?? write.proxy, {
    ...write.options,
    calledParameters: follow.call.calledParameters,
    url: undefined,
    waitsAt,
    stored: followsStored,
  });
  onOperation(next.operation);
  return runWrite(next, onOperation);
}

/**
 * Delays a rejection until the outbox has stored the write: a caller that sees the failure can rely on the outbox. If it could not be
 * stored, the caller gets that error.
 */
function rejectAfter(
  result: Promise<Operation>,
  stored: WaitingSave['stored'],
  latest: () => WaitingSave['stored'] = () => stored,
): Promise<Operation> {
  if (!stored) return result;
  return result.catch(async (error) => {
    throw (await latest()) ?? error;
  });
}
