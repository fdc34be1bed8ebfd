import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
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
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import { callSafely } from '../util/notifier.js';
import type { CallOptions } from './call.js';
import { capturedError, protectCaptured, shownChange } from './captured.js';
import {
  type CallRequest,
  type Change,
  captureCall,
  captureChange,
  changeWith,
  eraseOf,
  isEditedSince,
  sendsAnything,
  viewOf,
} from './change.js';
import type { Model } from './model.js';
import { loadRecord } from './read.js';
import { failedOutcome } from './read-again.js';
import { coreOf, type InnerRecord } from './record.js';
import type { Entry, ReadonlyEdits } from './record-core.js';
import { modelAndId } from './record-error.js';
import { tellOwners } from './record-owner.js';
import {
  beginChange,
  changeOfAttempt,
  endEntry,
  settleErased,
  settleFailed,
  settleNotCreated,
  settleSaved,
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
  /**
   * The change that was saved by the call of this write and that it has not sent, because it repeats an earlier write: an update sends it
   * next. An outbox that is to erase the record sets it to undefined.
   */
  follow: Change | undefined = undefined;
  /** Whether the write that follows sends what an outbox has stored of the record. */
  followsStored: boolean = false;
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
    const isLeft = (_: unknown, at: number) => coreOf(inner[at] as InnerRecord).awaited(entries[at]) !== undefined;
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
 * The error of a write that was given up before it was sent: by `reject()`, whose caller gets no error, or by `drop()` of an outbox, which says
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
    // A write that `follow` has started shares the turn of the write before it, which has marked the lane as settled.
    core.hasSettled = false;
  }
  write.hooks = hooksOf(write);
  const hasSettledHooks = write.hooks.settled.length > 0;
  for (const record of write.inner) coreOf(record).awaitsSettledHooks = hasSettledHooks;
}

/**
 * Runs the `queued` hooks for a write that has to wait, so that an outbox stores it. Resolves when all hooks have ended, with the error
 * of an outbox that could not store it.
 */
export async function runQueuedHooks(write: RecordWrite): Promise<DataError | undefined> {
  const running = hooksOf(write).queued.map(async (extension) => {
    try {
      await extension.queued?.(write);
    } catch (error) {
      if (hasErrorBrand(error)) return error;
      reportUncaught(error);
    }
    return undefined;
  });
  return (await Promise.all(running)).find((error) => error);
}

/** Runs a write through the hooks of its extensions, with the core's checks among them and the exchange with the server innermost. */
export function runSteps(write: RecordWrite, exchange: WriteStep): Promise<readonly Outcome[]> {
  return hooksOf(write).wrapStep(exchange, checksStep)(write);
}

/**
 * The step of the core's checks: refuses writes that must not be sent, and begins the changes of the others. If nothing has to be
 * waited for, it calls the next step in the same tick, so that the request has the record's values at the time of the save.
 */
function checksStep(next: WriteStep): WriteStep {
  return async function checkAndSend(publicWrite) {
    const write = publicWrite as RecordWrite;
    const { options, proxy, operation } = write;
    const [record] = write.inner as readonly [InnerRecord];
    try {
      if (!beginUnchecked(write)) {
        const core = coreOf(record);
        if (!options.explicit) {
          if (core.phantom && core.unconfirmed && !options.repeat) throw core.unconfirmed;
          const { references } = record[MODEL];
          const resolving = references?.resolveReferences(record, proxy, operation.signal, write.entries[0]);
          if (resolving) await resolving;
          const issues = findIssues(record, true, waitingOf(write, 0));
          if (issues.length > 0) throw new ValidationError(issues);
        }
        if (core.incomplete && !core.phantom && needsReadFirst(write)) await readFirst(write, record);
        begin(write);
      }
    } catch (cause) {
      return failedOutcomes(write, cause);
    }
    return next(write);
  };
}

/** Begins a write that needs no checks. Returns false, and does nothing, for a save of one record. */
function beginUnchecked(write: RecordWrite): boolean {
  const { inner: records, innerChanges, captured, uncaptured, action, resend, options } = write;
  // A hook runs the write again: it sends the values with which it has begun.
  if (innerChanges.length > 0) {
    if (!captured) freeze(write);
  } else if (uncaptured) throw uncaptured;
  else if (resend) prepareRepeat(write, records[0] as InnerRecord);
  else if (options.stored) return true;
  else if (action === 'destroy') beginErase(write);
  else if (records.length > 1) {
    // The records of a bulk write were checked one by one before it was made.
    write.leaveTakenBackOut();
    begin(write);
  } else return false;
  return true;
}

/**
 * The change that a write sends for a record. Throws `AbortError` if it was taken back, and the error of the write of an outbox that has sent it with
 * earlier ones, and has failed.
 */
function waitingOf({ inner, entries }: RecordWrite, at: number): Change {
  const record = inner[at] as InnerRecord;
  const core = coreOf(record);
  const change = core.awaited(entries[at]);
  if (!change) throw entries[at]?.error ?? core.failureOf(entries[at]?.change.at) ?? takenBack(record);
  return change;
}

/** Whether an update of an incomplete record must read its row first. A rollback of the update needs the whole row. */
function needsReadFirst(write: RecordWrite): boolean {
  const { proxy, operation, options } = write;
  return options.captured !== undefined || needsWholeRow(proxy, operation, waitingOf(write, 0).edits);
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
  await runQueuedHooks(write);
  await loadRecord(record, { ...write.operation, proxy: write.proxy } as never);
}

/**
 * Begins the changes of a write. Edits made from now on belong to the next write, however long the inner steps take. Without an inner
 * hook, the body is built in this tick from the records themselves: they still have the captured values.
 */
function begin(write: RecordWrite): void {
  const { options, action, operation, inner: records } = write;
  let mayWait = hooksOf(write).isCaptured;
  const changes: Change[] = [];
  for (const [at, record] of records.entries()) {
    const waiting = waitingOf(write, at);
    mayWait ||= waiting.seen !== undefined || isEditedSince(record, waiting);
    const isCurrent = waiting.base === record[ROW] && waiting.action === action;
    changes.push(isCurrent ? waiting : captureChange(record, action, write.proxy, operation, waiting));
  }
  beginChanges(write, changes);
  if (options.explicit) write.captured = records;
  else if (mayWait) freeze(write);
}

/** Begins an erase. Its changes have no values, so nothing is compared with them later. */
function beginErase(write: RecordWrite): void {
  const { inner: records, entries, proxy, operation } = write;
  write.innerChanges = records.map(
    (record, at) => coreOf(record).awaited(entries[at]) ?? eraseOf(record, proxy, operation),
  );
  for (const [at, record] of records.entries()) if (entries[at]) endEntry(record, entries[at]);
  if (write.innerChanges.some(({ seen }) => seen)) freeze(write);
}

function beginChanges(write: RecordWrite, changes: readonly Change[]): void {
  write.innerChanges = changes;
  for (const [at, record] of write.inner.entries()) {
    const change = changes[at] as Change;
    beginChange(record, change);
    write.options.captured?.(record, change);
  }
}

/** Begins the changes that an outbox has made of what it has stored, from which the bodies are made. */
export function beginStored(write: RecordWrite, changes: readonly Change[]): void {
  beginChanges(write, changes);
  freeze(write);
}

/** Prepares the repetition of an unconfirmed create: it is the same request as at first, with the same values, address and parameters. */
function prepareRepeat(write: RecordWrite, record: InnerRecord): void {
  const unconfirmed = coreOf(record).change as Change;
  const change = unconfirmed.asSent ?? unconfirmed;
  Object.assign(write.operation, change.call);
  write.proxy = change.proxy ?? write.proxy;
  beginChanges(write, [change]);
  freeze(write);
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
  mutable.records = sentRecords(write);
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
  const [sent] = sentRecords(write) as readonly [InnerRecord];
  const { proxy } = write;
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
  if (write.resend) write.follow = followOf(write);
  const { settled } = hooksOf(write);
  return settled.length > 0 ? runSettledHooks(write, settled) : undefined;
}

/** The change that follows a successful repeat: the repeat has sent the first values, not those of its own call. */
function followOf({ inner: [record], outcomes: [outcome], entries: [entry] }: RecordWrite): Change | undefined {
  const change = record && outcome?.ending === 'done' ? coreOf(record).awaited(entry) : undefined;
  return change && sendsAnything(change) ? change : undefined;
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
  if (outcome.error) return settleError(write, record, outcome.error, outcome.isRefuted);
  try {
    const { phantom } = coreOf(record);
    if (action === 'destroy') settleErased(record, { before: record[ROW], after: undefined });
    else settleSaved(record, change as Change, operation, outcome.row, outcome.sentId);
    if (phantom) keepPathParams(record, operation);
    return { ...outcome, ending: 'done' };
  } catch (cause) {
    return settleError(write, record, toDataError(operation, record[MODEL].messages, cause));
  }
}

function settleError(
  { operation, action, repeatable }: RecordWrite,
  record: InnerRecord,
  error: DataError,
  isRefuted?: boolean | undefined,
): SettledOutcome {
  const core = coreOf(record);
  if (isGivenUp(error)) return { error, ending: 'noNews' };
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
export function proxyIfAny(record: InnerRecord): DataProxy | undefined {
  try {
    return (record.constructor as typeof Model).proxy;
  } catch {
    return undefined;
  }
}
