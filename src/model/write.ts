import type { DataError } from '../errors/data-error.js';
import { asDataError } from '../errors/error-context.js';
import { ValidationError } from '../errors/validation-error.js';
import type { Outcome, WriteAction, WrittenRecord } from '../extension/write-hook.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isOrdinaryRequest, type OperationListener, runOperation, unheard } from './call.js';
import {
  type CallRequest,
  captureCall,
  captureChange,
  eraseOf,
  type GivenValues,
  haveSameParameters,
  sendsAnything,
  withFurtherValues,
} from './change.js';
import type { FieldDefinition } from './field-definition.js';
import type { Model } from './model.js';
import { coreOf, guardErased, type InnerRecord, setValues } from './record.js';
import type { Entry } from './record-core.js';
import { didBeginSaving, didChange } from './record-owner.js';
import {
  beginWrite,
  isTakenBack,
  proxyIfAny,
  RecordWrite,
  runQueuedHooks,
  runSteps,
  sendOne,
  settleWrite,
  type WriteOptions,
} from './record-write.js';
import { addEntry, endEntry, keepAsEdits, settleErased } from './settle.js';
import { findIssues } from './validate.js';

/**
 * Saves a record in its lane: a create for a phantom, else an update. The save sends the edits that the record has now, whatever is
 * edited later. Behind a write in flight, the save waits, or joins a save that waits already, which then sends the edits of this call;
 * it leaves out what the writes before it have settled. If nothing is left to write by then, it sends nothing.
 */
export function saveRecord(
  record: InnerRecord,
  options?: WriteOptions,
  onOperation: OperationListener = unheard,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  core.refuseWrite?.();
  const proxy = options?.proxy ?? (record.constructor as typeof Model).proxy;
  const isBehind = core.saving;
  const { repeat = false, waited = false, signal } = options ?? {};
  // A call with its own address, parameters, headers or signal needs its own request.
  const isPlainCall = isOrdinaryRequest(options) && signal === undefined;
  const joinable = isBehind && isPlainCall && !repeat && !options?.entry;
  const isCaptured = options?.entry ?? options?.uncaptured;
  const { entry, uncaptured } = isCaptured ? (options as Captured) : captureSave(record, proxy, options, joinable);
  if (!isCaptured && uncaptured && isBehind) return Promise.reject(uncaptured);
  const makeWrite = () => {
    const change = core.awaited(entry);
    const write = new RecordWrite(
      [record],
      core.phantom ? 'create' : 'update',
      change?.proxy ?? proxy,
      change ? { ...options, ...change.call } : options,
      isBehind || waited,
    );
    write.entries = [entry];
    write.uncaptured = uncaptured;
    return write;
  };
  // Behind an erase, the save is sent only if the erase fails; until then the outbox must store the erase, not the save.
  const stored = isBehind && !core.erasing ? runQueuedHooks(makeWrite()) : undefined;
  if (joinable && entry?.result) {
    entry.stored = bothStored(entry.stored, stored);
    return rejectAfter(entry.result.then(onOperation), stored, () => entry?.stored);
  }
  const runSave = async () => {
    try {
      guardErased(record);
      // From now on, no further save joins.
      if (entry) entry.result = undefined;
      const write = makeWrite();
      onOperation(write.operation);
      if (entry) {
        if (!core.entries.has(entry)) return endSettled(record, entry, write.operation);
        // If the earlier save got no response, sending again could create a duplicate.
        const { unconfirmed } = core;
        // Behind an erase that an outbox has queued, the outbox says what becomes of the save.
        const isKept = unconfirmed?.queued && !stored;
        if (isBehind && !repeat && unconfirmed && unconfirmed === core.failure && !isKept) {
          // The entry ends after that.
          await entry.stored;
          throw unconfirmed;
        }
        const hasWaited = isBehind || options?.entry !== undefined;
        if (hasWaited && isPlainCall && !core.failure && !core.phantom && !sendsAnything(entry.change))
          return write.operation;
      }
      return await runWrite(write, onOperation);
    } finally {
      if (entry) endEntry(record, entry);
    }
  };
  if (entry) entry.stored = stored;
  const result = core.run(runSave);
  if (entry && joinable) entry.result = result;
  didBeginSaving(record);
  return stored ? rejectAfter(result, stored, () => entry?.stored) : result;
}

/** Ends a save that waits no more: its edits were taken back, or another write has sent them. Throws the error of that write if it has failed. */
function endSettled(record: InnerRecord, { change, error }: Entry, operation: Operation): Operation {
  const failure = error ?? coreOf(record).failureOf(change.at);
  if (failure) throw failure;
  return operation;
}

/** Resolves with the error of an outbox that could not store one of two calls, of which the later one has the values of both. */
async function bothStored(...calls: readonly Entry['stored'][]): Promise<DataError | undefined> {
  return (await Promise.all(calls)).find((error) => error);
}

/** Sends what an outbox has stored of a record, in its lane. */
export function sendStored(record: InnerRecord, action: WriteAction, proxy: DataProxy): Promise<Operation> {
  const core = coreOf(record);
  const write = new RecordWrite([record], action, proxy, { stored: true });
  const result = core.run(
    () => runWrite(write, unheard),
    () => {
      if (core.erasing?.result === result) core.erasing = undefined;
    },
  );
  if (action === 'destroy') core.erasing = { call: write.call, result };
  didBeginSaving(record);
  return result;
}

/** The entry of a save, or the error with which the save fails, whatever its record has later. */
export type Captured = Pick<WriteOptions, 'entry' | 'uncaptured'>;

/**
 * Captures what a save of a record sends: its edits, or the given values, with those of the `capture` hooks. With `joins`, the last save that
 * waits already sends them, if its request may also have the values of this call.
 */
export function captureSave(
  record: InnerRecord,
  proxy: DataProxy,
  options: WriteOptions | undefined,
  joins: boolean = false,
  given?: GivenValues,
): Captured {
  const core = coreOf(record);
  const action = core.phantom ? 'create' : 'update';
  try {
    const call = captureCall(proxy, options);
    const hooks = options?.explicit ? [] : proxy.hooks.capture;
    const names = hooks.flatMap((extension) => {
      const values = extension.capture?.(record as WrittenRecord, action) ?? {};
      setValues(record, values, true);
      return Object.keys(values);
    });
    // A value that the record shows instead of a given one is an edit.
    if (given) keepAsEdits(record, given.edits.keys());
    let change = captureChange(record, action, proxy, call, given);
    if (given && names.length > 0) {
      const isSet = ([{ name }]: readonly [FieldDefinition, unknown]) => names.includes(name);
      change = withFurtherValues(record, change, new Map([...(core.edits ?? [])].filter(isSet)));
    }
    const last = joins ? [...core.entries].findLast(({ result }) => result) : undefined;
    return { entry: addEntry(record, change, last && haveSameParameters(last.change, change) ? last : undefined) };
  } catch (cause) {
    const issues = findIssues(record, true);
    return { uncaptured: issues.length > 0 ? new ValidationError(issues, record[MODEL]) : asDataError(cause) };
  }
}

/**
 * Erases a record in its lane. A phantom that was never sent is erased without a request. A phantom whose create is in flight
 * is erased by its new id. The erase of an unconfirmed phantom is refused, because the server may have the record. If an erase
 * fails, the record is restored.
 */
export function eraseRecord(
  record: InnerRecord,
  options?: WriteOptions,
  onOperation: OperationListener = unheard,
): Promise<Operation> {
  guardErased(record);
  const core = coreOf(record);
  core.refuseWrite?.();
  const { erasing } = core;
  const isBehind = core.saving;
  const isDropped = core.phantom && !isBehind;
  const proxy = options?.proxy ?? (isDropped ? proxyIfAny(record) : (record.constructor as typeof Model).proxy);
  if (!proxy) return eraseLocally(record, options, onOperation);
  const write = new RecordWrite([record], 'destroy', proxy, options, isBehind);
  if (erasing && haveSameParameters(erasing, write)) return erasing.result.then(onOperation);
  onOperation(write.operation);
  const entry = isDropped ? undefined : (options?.entry ?? captureErase(record, proxy, write.call));
  write.entries = [entry];
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
      if (entry) endEntry(record, entry);
    },
  );
  core.erasing = { call: write.call, result };
  didBeginSaving(record);
  return result;
}

/** Captures an erase of a record. */
export function captureErase(record: InnerRecord, proxy: DataProxy, call: CallRequest): Entry {
  return addEntry(record, eraseOf(record, proxy, captureCall(proxy, call)));
}

/** Erases a record whose turn it is in the lane: by a request, unless the server does not know the record. */
async function runErase(write: RecordWrite, onOperation: OperationListener): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  const { phantom, unconfirmed, keeper } = coreOf(record);
  if (!phantom) return runWrite(write, onOperation);
  // The server may have the record, and would keep it if only the local record were dropped.
  if (unconfirmed) return runWrite(write, onOperation, { error: unconfirmed });
  const forgotten = keeper?.forget(record);
  const operation = await runWrite(write, onOperation, { row: undefined });
  await forgotten;
  return operation;
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

/**
 * Runs a write whose turn it is in the lane, and then the writes that follow it in the same turn. Rejects if the write has failed. With
 * `decided`, nothing is sent: the write ends so.
 */
async function runWrite(write: RecordWrite, onOperation: OperationListener, decided?: Outcome): Promise<Operation> {
  const [record] = write.inner as readonly [InnerRecord];
  beginWrite(write);
  const outcomes = decided
    ? [decided]
    : await runOperation(record, write.operation, () => runSteps(write, sendOne)).catch((error) => [{ error }]);
  const settling = settleWrite(write, outcomes);
  if (settling) await settling;
  const [outcome] = write.outcomes;
  if (outcome?.error && !isTakenBack(outcome.error)) throw outcome.error;
  const { follow, entries, followsStored } = write;
  if (!follow) return write.operation;
  const next = new RecordWrite(write.inner, 'update', follow.proxy ?? write.proxy, {
    ...write.options,
    calledParameters: follow.call.calledParameters,
    url: undefined,
    stored: followsStored,
  });
  next.entries = entries;
  onOperation(next.operation);
  return runWrite(next, onOperation);
}

/**
 * Delays a rejection until the outbox has stored the write: a caller that sees the failure can rely on the outbox. If it could not be
 * stored, the caller gets that error.
 */
function rejectAfter(
  result: Promise<Operation>,
  stored: Entry['stored'],
  latest: () => Entry['stored'] = () => stored,
): Promise<Operation> {
  if (!stored) return result;
  return result.catch(async (error) => {
    throw (await latest()) ?? error;
  });
}
