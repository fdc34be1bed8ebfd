import type { DataError } from '../errors/data-error.js';
import { asDataError, toDataError } from '../errors/error-context.js';
import { AddressError } from '../errors/mistakes.js';
import { AbortError } from '../errors/request-errors.js';
import { ValidationError } from '../errors/validation-error.js';
import type { Extension } from '../extension/extension.js';
import { type ExtensionHooks, failedOutcomes } from '../extension/hooks.js';
import { notesOf, setNotes } from '../extension/row-notes.js';
import type {
  Outcome,
  SettledOutcome,
  Change as ShownChange,
  Write,
  WriteAction,
  WriteStep,
  WrittenRecord,
} from '../extension/write-hook.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/notifier.js';
import { type CallOptions, isOrdinaryRequest, type OperationListener, runOperation, unheard } from './call.js';
import { capturedError, protectCaptured, shownChange } from './captured.js';
import {
  type CallRequest,
  type Change,
  captureCall,
  captureChange,
  changeToSend,
  changeWith,
  eraseOf,
  folded,
  type GivenValues,
  haveSameParameters,
  isEditedSince,
  sendsAnything,
  viewOf,
} from './change.js';
import type { Model } from './model.js';
import { loadRecord } from './read.js';
import { failedOutcome } from './read-again.js';
import { coreOf, guardErased, type InnerRecord, setValues } from './record.js';
import type { Entry, ReadonlyEdits } from './record-core.js';
import { modelAndId } from './record-error.js';
import { didBeginSaving, didChange, tellOwners } from './record-owner.js';
import {
  addEntry,
  beginChange,
  changeOfAttempt,
  endEntry,
  keepAsEdits,
  settleErased,
  settleFailed,
  settleGivenUp,
  settleNotCreated,
  settleSaved,
  takeEdits,
} from './settle.js';
import { keepPathParams } from './singleton.js';
import { ROW } from './symbols.js';
import { findIssues } from './validate.js';

/** Options of a write: the options of its caller, and options that only modules of this library set. */
export type WriteOptions = Omit<NonNullable<CallOptions>, 'pathParams'> &
  CallRequest & {
    /** The proxy that sends the write. @default that of the record's class */
    readonly proxy?: DataProxy | undefined;
    /** Whether the write counts as one that has waited behind another write, although it has not. @default false */
    readonly waited?: boolean;
    /** Whether an outbox stores the write. @default true */
    readonly durable?: boolean;
    /** Whether the record was made only for this write: it is sent as it is, without validation or a copy. @default false */
    readonly explicit?: boolean;
    /** Whether an outbox sends what it has stored of the record: nothing is checked or captured. @default false */
    readonly stored?: boolean;
    /** The entry whose change the write of one record sends. @default made of the record's edits at the call */
    readonly entry?: Entry | undefined;
    /** Why the values of the call could not be captured. */
    readonly uncaptured?: DataError | undefined;
    /** Called with what the write sends, as soon as it is final. A write with it reads an incomplete row first, so that it can be undone. */
    readonly captured?: ((record: InnerRecord, change: Change) => void) | undefined;
  };

/** A write of one or more records, from its start until the records have settled. */
export class RecordWrite implements Write {
  readonly operation: Operation;
  /** The address, parameters and headers of its own call. The operation of a repeat has those of the first attempt. */
  readonly call: CallRequest;
  repeatable: boolean = false;
  resend: boolean = false;
  isReading: boolean = false;
  outcomes: readonly SettledOutcome[] = [];
  readonly durable: boolean;
  /** The entries whose changes are sent, by the places of the records. */
  entries: readonly (Entry | undefined)[] = [];
  /** Why the values of the call could not be captured: the write fails with it. */
  uncaptured: DataError | undefined;
  /** The change that the write sends for each record; empty until it is captured. */
  innerChanges: readonly Change[] = [];
  /** The hooks that take part in the write; undefined until it has begun. */
  hooks: ExtensionHooks | undefined = undefined;

  constructor(
    /** The records, with their internal members. */
    public inner: readonly InnerRecord[],
    readonly action: WriteAction,
    /** The proxy that sends the write. A repeat is sent by the proxy of the first attempt. */
    public proxy: DataProxy,
    readonly options: WriteOptions = {},
    readonly waited: boolean = false,
  ) {
    const { durable = true, uncaptured } = options;
    this.uncaptured = uncaptured;
    this.durable = durable;
    this.call = captureCall(proxy, options);
    this.operation = new Operation(Object.assign({}, options, this.call, { action, records: inner }));
  }

  /** The records from which the bodies are built, if they were captured. */
  captured: readonly InnerRecord[] | undefined = undefined;
  private shownChanges: { readonly of: readonly Change[]; readonly shown: readonly ShownChange[] } | undefined =
    undefined;

  get frozen(): readonly WrittenRecord[] | undefined {
    return this.captured as readonly unknown[] | undefined as Write['frozen'];
  }
  set frozen(_: unknown) {
    throw capturedError('`write.frozen`');
  }

  get changes(): readonly ShownChange[] {
    const { innerChanges } = this;
    if (this.shownChanges?.of !== innerChanges)
      this.shownChanges = { of: innerChanges, shown: Object.freeze(innerChanges.map(shownChange)) };
    return this.shownChanges.shown;
  }
  set changes(_: unknown) {
    throw capturedError('`write.changes`');
  }

  /** Leaves the records out whose changes were taken back. Throws `AbortError` if none is left. */
  leaveTakenBackOut(): void {
    const { inner, entries, operation } = this;
    const isLeft = (_: unknown, at: number) => entries[at]?.state === 'waiting';
    const left = inner.filter(isLeft);
    if (left.length === 0) throw takenBack(inner[0] as InnerRecord);
    if (left.length === inner.length) return;
    this.entries = entries.filter(isLeft);
    this.inner = left;
    Object.assign(operation, { records: left });
  }

  get model(): string {
    return this.inner[0]?.[MODEL].name ?? '';
  }

  get records(): readonly WrittenRecord[] {
    return this.inner as readonly unknown[] as readonly WrittenRecord[];
  }

  get repeat(): boolean {
    return this.options.repeat ?? false;
  }
}

const TAKEN_BACK = 'save-taken-back';
const DROPPED = 'save-dropped';

/**
 * The error of a write that was given up before it was sent: by `reject()`, whose caller gets no error, or by `discard()` of an outbox, which says
 * that nothing was saved.
 */
export function takenBack(record: InnerRecord, isDropped: boolean = false): AbortError {
  return new AbortError(isDropped ? DROPPED : TAKEN_BACK, modelAndId(record), { messages: record[MODEL].messages });
}

/** Whether an error says that a write was given up before it was sent: nothing changes by its end. */
export function isGivenUp({ reason }: DataError): boolean {
  return reason === TAKEN_BACK || reason === DROPPED;
}

/** Whether the change of a save was taken back before it was sent. */
export function isTakenBack({ reason }: DataError): boolean {
  return reason === TAKEN_BACK;
}

/** The hooks that take part in a write: the hooks of its proxy, and those of the outbox (`keeper`) that stores its record's writes. */
function hooksOf({ hooks, inner: [record], proxy }: RecordWrite): ExtensionHooks {
  const { keeper } = record ? coreOf(record) : {};
  return hooks ?? (keeper ? proxy.hooks.withKeeper(keeper) : proxy.hooks);
}

/** Begins a write. If its proxy has an outbox, this outbox stores the writes of the records from now on. */
export function beginWrite(write: RecordWrite): void {
  const { keeper } = write.proxy.hooks;
  for (const record of write.inner) {
    const core = coreOf(record);
    if (write.durable) core.keeper = keeper ?? core.keeper;
    // A write that sends the rest shares the turn of the write before it, which has marked the lane as settled.
    core.hasSettled = false;
  }
  const { keeper: own = keeper } = coreOf(write.inner[0] as InnerRecord);
  const { hooks } = write.proxy;
  write.hooks ??= own ? hooks.withKeeper(own) : hooks;
  for (const record of write.inner) coreOf(record).awaitsSettledHooks = write.hooks.settled.length > 0;
}

/** Lets the outbox of a record store a write that has to wait. Resolves with why it could not; undefined: the record has no outbox. */
function storeWaiting(write: RecordWrite): Entry['stored'] {
  return hooksOf(write).keeper?.store(write);
}

/** Runs a write through the hooks of its extensions, with the core's checks among them and the exchange with the server innermost. */
export function runSteps(write: RecordWrite, exchange: WriteStep): Promise<readonly Outcome[]> {
  return (write.hooks ?? hooksOf(write)).wrapStep(exchange, checksStep)(write);
}

/**
 * The step of the core's checks: refuses writes that must not be sent, and begins the changes of the others. If nothing has to be
 * waited for, it calls the next step in the same tick, so that the request has the record's values at the time of the save.
 */
function checksStep(next: WriteStep): WriteStep {
  return async function checkAndSend(publicWrite) {
    const write = publicWrite as RecordWrite;
    const { options, uncaptured, innerChanges } = write;
    try {
      // A hook runs the write again: it sends the values with which it has begun.
      if (innerChanges.length > 0) {
        if (!write.captured) freeze(write);
      } else if (uncaptured) throw uncaptured;
      else if (write.resend) prepareRepeat(write);
      else if (!options.stored) {
        const checking = check(write);
        if (checking) await checking;
        begin(write);
      }
    } catch (cause) {
      return failedOutcomes(write, cause);
    }
    return next(write);
  };
}

/** Checks a write before it begins. Throws, or rejects, with why it must not be sent; returns undefined if nothing has to be waited for. */
function check(write: RecordWrite): Promise<void> | undefined {
  const { inner: records, options, action, proxy, operation } = write;
  const [record] = records as readonly [InnerRecord];
  const core = coreOf(record);
  // The records of a bulk write were checked one by one before it was made.
  if (records.length > 1) write.leaveTakenBackOut();
  if (records.length > 1 || action === 'destroy') return undefined;
  if (options.explicit) return checkValues(write, record);
  if (core.phantom && core.unconfirmed && !options.repeat) throw core.unconfirmed;
  const { references } = record[MODEL];
  const resolving = references?.resolveReferences(record, proxy, operation.signal, write.entries[0]);
  return resolving ? resolving.then(() => checkValues(write, record)) : checkValues(write, record);
}

/** Checks the values of a write. An incomplete record is read first, if the write would erase what its row lacks. */
function checkValues(write: RecordWrite, record: InnerRecord): Promise<void> | undefined {
  const { incomplete, phantom } = coreOf(record);
  const issues = write.options.explicit ? [] : findIssues(record, true, changeOf(write, 0));
  if (issues.length > 0) throw new ValidationError(issues);
  return incomplete && !phantom && needsReadFirst(write) ? readFirst(write, record) : undefined;
}

/**
 * The change that a write sends for a record. Throws `AbortError` if it was taken back, and the
 * error of the write of an outbox that has sent it with earlier ones, and has failed.
 */
function changeOf({ inner, entries: written, action, proxy, call }: RecordWrite, at: number): Change {
  const [record, entry] = [inner[at] as InnerRecord, written[at]];
  const change = changeToSend(record, entry);
  if (action === 'destroy') return change ?? eraseOf(record, proxy, call);
  if (!change) throw entry?.error ?? takenBack(record);
  return change;
}

/** Whether an update of an incomplete record must read its row first. A rollback of the update needs the whole row. */
function needsReadFirst(write: RecordWrite): boolean {
  const { proxy, operation, options } = write;
  return options.captured !== undefined || needsWholeRow(proxy, operation, changeOf(write, 0).edits);
}

/**
 * Whether an update sends members that the row of an incomplete record may lack, so that they would be erased: the whole row, or a
 * whole member for an edit inside it.
 */
export function needsWholeRow(proxy: DataProxy, operation: Operation, edits: ReadonlyEdits | undefined): boolean {
  return isWhole(proxy, operation) || (edits !== undefined && proxy.writer.sendsMembers(edits.keys()));
}

async function readFirst(write: RecordWrite, record: InnerRecord): Promise<void> {
  // An outbox stores the edits before the first request, because that request may fail.
  write.isReading = true;
  await storeWaiting(write);
  await loadRecord(record, { ...write.operation, proxy: write.proxy } as never);
}

/**
 * Begins the changes of a write: edits made from now on belong to the next one. Without an inner hook, the body is built in this tick from the
 * records themselves, if they have the values of their changes. `given`: what an outbox has made of what it has stored, or an earlier attempt.
 */
export function begin(write: RecordWrite, given?: readonly Change[]): void {
  const { options, action, proxy, inner: records } = write;
  const isErase = action === 'destroy';
  const { isCaptured } = write.hooks ?? hooksOf(write);
  let isOther = given !== undefined || (!isErase && isCaptured);
  const changes: Change[] = [];
  for (const [at, record] of records.entries()) {
    let change = given?.[at] ?? changeOf(write, at);
    isOther ||= change.seen !== undefined || (!isErase && isEditedSince(record, change));
    if (!given && !isErase && (change.base !== record[ROW] || change.action !== action))
      change = captureChange(record, action, proxy, change.call, change);
    changes.push(change);
  }
  write.innerChanges = changes;
  for (const [at, record] of records.entries()) {
    const change = changes[at] as Change;
    if (isErase) {
      if (write.entries[at]) endEntry(record, write.entries[at]);
      continue;
    }
    const entry = write.entries[at];
    // An outbox sends something older first: what this call has saved waits still.
    if (entry?.state === 'open' && entry.change.at > change.at) entry.state = 'waiting';
    beginChange(record, change);
    options.captured?.(record, change);
  }
  if (options.explicit) write.captured = records;
  else if (isOther) freeze(write);
}

/** Prepares the repetition of an unconfirmed create: it is the same request as at first, with the same values, address and parameters. */
function prepareRepeat(write: RecordWrite): void {
  const unconfirmed = coreOf(write.inner[0] as InnerRecord).change as Change;
  const change = unconfirmed.asSent ?? unconfirmed;
  Object.assign(write.operation, change.call);
  write.proxy = change.proxy ?? write.proxy;
  begin(write, [change]);
}

/** Makes the records from which the bodies of a write are built: they have the values of `changes`, and keep them. */
export function freeze(write: RecordWrite, changes: readonly Change[] = write.innerChanges): void {
  const views = write.inner.map((record, at) => viewOf(record, asSeen(write, changes[at] as Change)));
  for (const view of views) protectCaptured(view);
  write.captured = Object.freeze(views);
}

/**
 * A change as its request is made of it. If a row was read since that the application has not seen, the request has the version of the row that
 * it has seen, so that the server refuses it. A request with the whole row keeps the values that were read.
 */
function asSeen({ proxy, operation }: RecordWrite, change: Change): Change {
  const { seen, action, edits } = change;
  if (!seen) return change;
  if (action === 'destroy' || !needsWholeRow(proxy, operation, edits)) return changeWith(change, { base: seen });
  const base = { ...change.base };
  setNotes(base, notesOf(seen) ?? notesOf(change.base));
  return changeWith(change, { base });
}

/** The records from which the bodies of a write are made. */
export function sentRecords({ captured, inner }: RecordWrite): readonly InnerRecord[] {
  return captured ?? inner;
}

/** Runs the operation of a write with the records as they were captured. */
export async function executeWrite(write: RecordWrite): Promise<ResultSet> {
  const { proxy, operation, inner } = write;
  const mutable = operation as { records: Operation['records'] };
  mutable.records = write.captured ?? inner;
  try {
    const result = await proxy.execute(operation);
    operation.resultSet ??= result as ResultSet<never>;
    return result;
  } finally {
    mutable.records = inner;
  }
}

/** The innermost step of a write of one record: sends its request. */
export const sendOne: WriteStep = async (publicWrite) => {
  const write = publicWrite as RecordWrite;
  const [record] = write.inner as readonly [InnerRecord];
  const { proxy, captured = write.inner } = write;
  const [sent] = captured as readonly [InnerRecord];
  const { [MODEL]: model } = record;
  const [change] = write.innerChanges;
  const sendsId = coreOf(record).phantom && (proxy.writer.writeRecordId || model.naturalId);
  const sentId = change?.written.get(model.idField) ?? (sendsId ? model.serverId(sent) : undefined);
  try {
    const { rows } = await executeWrite(write);
    return [{ row: rows[0], sentId }];
  } catch (error) {
    return [await failedOutcome(write, 0, error as DataError)];
  }
};

/** Whether an update sends the whole row. */
function isWhole(proxy: DataProxy, operation: Operation): boolean {
  const { getMethod } = proxy as { getMethod?: AjaxProxy['getMethod'] };
  return proxy.writer.writeAllFields ?? getMethod?.call(proxy, new ProxyRequest({ operation })) !== 'PATCH';
}

/** Settles the records of a write, then runs the `settled` hooks. Returns a promise if there are such hooks. */
export function settleWrite(write: RecordWrite, outcomes: readonly Outcome[]): Promise<void> | undefined {
  const settledOutcomes: SettledOutcome[] = [];
  for (const [at, record] of write.inner.entries())
    settledOutcomes.push(settleOne(write, record, write.innerChanges[at], outcomes[at] as Outcome));
  write.outcomes = settledOutcomes;
  const { settled } = write.hooks ?? hooksOf(write);
  return settled.length > 0 ? runSettledHooks(write, settled) : undefined;
}

async function runSettledHooks(write: Write, extensions: readonly Extension[]): Promise<void> {
  for (const extension of extensions) {
    try {
      const running = extension.settled?.(write);
      if (running) await running;
    } catch (error) {
      reportUncaught(error);
    }
  }
}

/** Reports the error of a hook as an uncaught error, because the write itself has ended and cannot report it. */
function reportUncaught(error: unknown): void {
  callSafely(() => {
    throw error;
  });
}

/** Settles one record of a write. The write of a record fails if the row in the response is not usable. */
function settleOne(
  write: RecordWrite,
  record: InnerRecord,
  change: Change | undefined,
  outcome: Outcome,
): SettledOutcome {
  const { operation, action } = write;
  if (outcome.error) return settleError(write, record, change, outcome);
  try {
    const { phantom } = coreOf(record);
    if (action === 'destroy') settleErased(record, { before: record[ROW], after: undefined });
    else settleSaved(record, change as Change, operation, outcome.row, outcome.sentId);
    if (phantom) keepPathParams(record, operation);
    return { ...outcome, ending: 'done' };
  } catch (cause) {
    return settleError(write, record, change, { error: toDataError(operation, record[MODEL].messages, cause) });
  }
}

function settleError(
  { operation, action, repeatable }: RecordWrite,
  record: InnerRecord,
  change: Change | undefined,
  { error, isRefuted }: Extract<Outcome, { error: DataError }>,
): SettledOutcome {
  const core = coreOf(record);
  if (isGivenUp(error)) {
    settleGivenUp(record, change);
    return { error, ending: 'noNews' };
  }
  // The write was refused with the error of an earlier write, so nothing was sent and nothing changes.
  const isEarlier = error === core.error || error === core.failure;
  if (action !== 'destroy' && !core.sent && isEarlier) return { error, ending: 'noNews' };
  // The write was not sent because the create of the record is unconfirmed: the error is that of the create.
  const isEarlierError = error === core.unconfirmed;
  const ending = settleFailed(record, error, operation, repeatable, isRefuted);
  tellOwners(record, 'requestFailed', error);
  return { error, ending: isEarlierError ? 'noNews' : ending };
}

/**
 * Runs the `settled` hooks for a write that ended without a request: `sync()` did not begin it because a new record that it refers to
 * was not created, or the application has decided how it ended. `change` is what it would have sent.
 */
export async function reportOutcome(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy,
  outcome: SettledOutcome,
  change?: Change,
): Promise<void> {
  const write = new RecordWrite([record], action, proxy);
  if (change) write.innerChanges = [change];
  write.outcomes = [outcome];
  await runSettledHooks(write, hooksOf(write).settled);
}

/**
 * Settles an unconfirmed create as the application decides: the create made `row` on the server, or nothing if `row` is null. Throws
 * `AddressError` for a row without an id.
 */
export function settleByHand(record: InnerRecord, row: object | null): void {
  const { unconfirmed, change } = coreOf(record);
  const proxy = change?.proxy ?? proxyIfAny(record);
  if (row !== null && record[MODEL].rowId(row) === undefined) {
    const { name: model, idField, messages } = record[MODEL];
    throw new AddressError('settle-no-id', { model, field: idField.name }, { messages });
  }
  if (row === null) settleNotCreated(record);
  else {
    settleSaved(record, changeOfAttempt(record, row), {}, row);
    // Notes of an earlier response, such as its ETag, are not about the row that the application gives.
    setNotes(record[ROW], undefined);
  }
  const outcome: SettledOutcome =
    row === null ? { error: unconfirmed as DataError, ending: 'refused' } : { row, ending: 'done' };
  if (proxy) void reportOutcome(record, 'create', proxy, outcome);
}

/** The proxy of a record's class; undefined if none is configured. For steps that also work without requests. */
function proxyIfAny(record: InnerRecord): DataProxy | undefined {
  try {
    return (record.constructor as typeof Model).proxy;
  } catch {
    return undefined;
  }
}

/**
 * Saves a record in its lane: a create for a phantom, else an update. The save sends the edits that the record has now, whatever is
 * edited later. Behind a write in flight, the save waits, or joins the save that was called last and waits already, which then sends the edits of this call;
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
  const isPlainCall = !options || (isOrdinaryRequest(options) && signal === undefined);
  const joinable = isBehind && isPlainCall && !repeat && !options?.entry;
  const isCaptured = options?.entry ?? options?.uncaptured;
  const { entry, uncaptured } = isCaptured ? (options as Captured) : captureSave(record, proxy, options, joinable);
  if (!isCaptured && uncaptured && isBehind) return Promise.reject(uncaptured);
  const makeWrite = () => {
    const change = entry?.state === 'waiting' ? entry.change : undefined;
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
  const stored = isBehind && !core.erasing ? storeWaiting(makeWrite()) : undefined;
  if (entry && stored) entry.stored = bothStored(entry.stored, stored);
  if (joinable && entry?.result) return rejectAfter(entry.result.then(onOperation), entry);
  // An outbox decides about what it has stored.
  const ownSignal = isBehind && !(core.keeper ?? proxy.hooks.keeper) ? signal : undefined;
  const runSave = async () => {
    try {
      guardErased(record);
      // From now on, no further save joins.
      if (entry) entry.result = undefined;
      const write = makeWrite();
      onOperation(write.operation);
      if (entry) {
        if (entry.state !== 'waiting' || ownSignal?.aborted) return endUnsent(write, entry, ownSignal);
        // If the earlier save got no response, sending again could create a duplicate.
        const { failure } = core;
        // Behind an erase that an outbox has queued, the outbox says what becomes of the save.
        const isKept = failure?.queued && !stored;
        if (isBehind && !repeat && failure && failure === core.unconfirmed && !isKept) {
          // The entry ends after that.
          await entry.stored;
          throw failure;
        }
        const hasWaited = isBehind || options?.entry !== undefined;
        const mayEnd = hasWaited && isPlainCall && !core.failure && !core.phantom;
        if (mayEnd && !sendsAnything(changeToSend(record, entry) as Change)) return write.operation;
      }
      return await runWrite(write, onOperation);
    } finally {
      if (entry?.state === 'waiting') endEntry(record, entry);
    }
  };
  const result = core.run(runSave);
  if (entry && joinable) entry.result = result;
  didBeginSaving(record);
  return entry?.stored ? rejectAfter(result, entry) : result;
}

/** Ends a save of which nothing is sent: its edits were taken back, another write has sent them, or it was aborted while it waited. */
function endUnsent(write: RecordWrite, { state, error }: Entry, signal: AbortSignal | undefined): Operation {
  if (error) throw error;
  if (state !== 'waiting') return write.operation;
  const { messages } = (write.inner[0] as InnerRecord)[MODEL];
  throw toDataError(write.operation, messages, new AbortError('abort', {}, { cause: signal?.reason }));
}

/** Resolves with the error of an outbox that could not store one of two calls, of which the later one has the values of both. */
async function bothStored(...calls: readonly Entry['stored'][]): Promise<DataError | undefined> {
  return (await Promise.all(calls)).find((error) => error);
}

/** Sends what an outbox has stored of a record, in its lane. `decided`: the application has decided about it, which is stored first. */
export function sendStored(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy,
  decided?: () => Promise<void>,
): Promise<Operation> {
  const write = new RecordWrite([record], action, proxy, { stored: true });
  const run = () => runWrite(write, unheard);
  return takeTurn(write, record, () => (decided ? decided().then(run) : run()));
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
      const set = new Map([...core.edits].filter(([{ name }]) => names.includes(name)));
      change = folded(change, captureChange(record, action, proxy, call, { edits: set, live: set }));
    }
    // Only if nothing was asked for in between: that would be newer than what an earlier one has, or gets what an earlier one could not send.
    // Behind a create, what has added no value may be its repeat, which sends what was captured before all of them.
    const isLast = ({ result, change: { action: does, edits } }: Entry) =>
      !core.phantom || result || does === 'destroy' || edits.size > 0;
    const last = joins ? core.entries.findLast(isLast) : undefined;
    const isJoined = last?.result && haveSameParameters(last.change, change);
    const entry = addEntry(record, change, isJoined ? last : undefined);
    if (given) takeEdits(record, change);
    else core.edits = undefined;
    return { entry };
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
  const stored = isBehind || (isDropped && core.unconfirmed) ? storeWaiting(write) : undefined;
  if (isDropped) return rejectAfter(runErase(write, onOperation), { stored });
  didChange(record, { kind: 'erasing' });
  const turn = async () => {
    guardErased(record);
    return rejectAfter(runErase(write, onOperation), { stored });
  };
  return takeTurn(write, record, turn, entry);
}

/** Runs a write of a record in its lane. An erase is known as that of the record until it has ended. */
export function takeTurn(
  { action, call }: RecordWrite,
  record: InnerRecord,
  turn: () => Promise<Operation>,
  entry?: Entry,
): Promise<Operation> {
  const core = coreOf(record);
  const result = core.run(turn, () => {
    if (core.erasing?.result === result) core.erasing = undefined;
    if (entry) endEntry(record, entry);
  });
  if (action === 'destroy') core.erasing = { call, result, at: entry?.change.at };
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
  const { entries, action, innerChanges } = write;
  // It has sent an earlier change, of which nobody knew whether the server has it: what its own call has saved is sent now.
  const isLeft = entries[0]?.state === 'waiting' && action !== 'destroy' && innerChanges.length > 0;
  const left = isLeft ? changeToSend(record, entries[0]) : undefined;
  if (!left || !sendsAnything(left)) return write.operation;
  const next = new RecordWrite(write.inner, 'update', left.proxy ?? write.proxy, {
    ...write.options,
    calledParameters: left.call.calledParameters,
    url: undefined,
    // An outbox sends all that it has stored meanwhile with it.
    stored: write.durable && coreOf(record).keeper !== undefined,
  });
  next.entries = entries;
  onOperation(next.operation);
  return runWrite(next, onOperation);
}

/**
 * Delays a rejection until the outbox has stored the write: a caller that sees the failure can rely on the outbox. If it could not be
 * stored, the caller gets that error.
 */
function rejectAfter(result: Promise<Operation>, kept: Pick<Entry, 'stored'>): Promise<Operation> {
  if (!kept.stored) return result;
  return result.catch(async (error) => {
    throw (await kept.stored) ?? error;
  });
}
