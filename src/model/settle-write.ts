import { AddressError } from '../errors/address-error.js';
import type { DataError } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import type { Extension } from '../extension/extension.js';
import type { ExtensionHooks } from '../extension/hooks.js';
import { setNotes } from '../extension/row-notes.js';
import type { Outcome, SettledOutcome, Write, WriteAction } from '../extension/write.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/event-emitter.js';
import type { BaseModel } from './base-model.js';
import { type Change, sendsAnything } from './change.js';
import { coreOf, type InnerRecord } from './record.js';
import { isTakenBack, RecordWrite } from './record-write.js';
import { settleErased, settleFailed, settleNotCreated, settleSaved } from './settle.js';
import { keepPathParams } from './singleton.js';
import { ROW } from './symbols.js';

/** The hooks that take part in a write: the hooks of its proxy, and those of the outbox (`keeper`) that stores its record's writes. */
export function hooksOf({ hooks, inner: [record], proxy }: RecordWrite): ExtensionHooks {
  return hooks ?? proxy.hooks.withKeeper(record && coreOf(record).keeper);
}

/** Begins a write. If its proxy has an outbox, this outbox stores the writes of the records from now on. */
export function beginWrite(write: RecordWrite): void {
  const { keeper } = write.proxy.hooks;
  for (const record of write.inner) {
    const core = coreOf(record);
    if (write.durable) core.keeper = keeper ?? core.keeper;
    // A write that `follow` has started shares the turn of the write before it, which has marked the lane as settled.
    if (core.busy) core.lane.settle(false);
  }
  write.hooks = hooksOf(write);
  const hasSettledHooks = write.hooks.settled.length > 0;
  for (const record of write.inner) coreOf(record).awaitsSettledHooks = hasSettledHooks;
}

/** Runs the `queued` hooks for a write that has to wait, so that an outbox stores it. Resolves when all hooks have ended. */
export async function runQueuedHooks(write: RecordWrite): Promise<void> {
  const running = hooksOf(write).queued.map(async (extension) => {
    try {
      await extension.queued?.(write);
    } catch (error) {
      reportUncaught(error);
    }
  });
  await Promise.all(running);
}

/** Settles the records of a write, then runs the `settled` hooks. Returns a promise if there are such hooks. */
export function settleWrite(write: RecordWrite, outcomes: readonly Outcome[]): Promise<void> | undefined {
  write.outcomes = write.inner.map((record, at) =>
    settleOne(write, record, write.innerChanges[at], outcomes[at] as Outcome),
  );
  if (write.resend) write.follow = followOf(write);
  const { settled } = hooksOf(write);
  return settled.length > 0 ? runSettledHooks(write, settled) : undefined;
}

/** The change that follows a successful repeat: the repeat has sent the first values, not those of its own call. */
function followOf({ inner: [record], outcomes: [outcome], waitsAt }: RecordWrite): Change | undefined {
  if (!record || outcome?.ending !== 'done') return undefined;
  const change = coreOf(record).waitingChange(waitsAt(record));
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

/** Settles one record of a write. The write of a record fails if the row in the answer is not usable. */
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
    if (action === 'destroy') settleErased(record);
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
  if (isTakenBack(error)) return { error, ending: 'noNews' };
  // The write was refused with the error of an earlier write, so nothing was sent and nothing changes.
  if (action !== 'destroy' && !core.sent && error === core.error) return { error, ending: 'noNews' };
  // The write was not sent because the create of the record is unconfirmed: the error is that of the create.
  const isEarlierError = error === core.unconfirmed;
  const ending = settleFailed(record, error, operation, repeatable, isRefuted);
  return { error, ending: isEarlierError ? 'noNews' : ending };
}

/**
 * Runs the `settled` hooks for a write that ended without a request: `sync()` did not begin it because a new record that it refers to
 * was not created, or the application has decided how it ended.
 */
export async function reportOutcome(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy,
  outcome: SettledOutcome,
): Promise<void> {
  const write = new RecordWrite([record], action, proxy);
  write.outcomes = [outcome];
  await runSettledHooks(write, hooksOf(write).settled);
}

/**
 * Settles an unconfirmed create as the application decides: the create made `row` on the server, or nothing if `row` is null. Throws
 * `AddressError` for a row without an id.
 */
export function settleByHand(record: InnerRecord, row: object | null): void {
  const { unconfirmed, change } = coreOf(record);
  const proxy = change?.proxy ?? proxyIfAny(() => (record.constructor as typeof BaseModel).proxy);
  if (row !== null && record[MODEL].rowId(row) === undefined) {
    const { name: model, idField, messages } = record[MODEL];
    throw new AddressError('settle-no-id', { model, field: idField.name }, { messages });
  }
  if (row === null) settleNotCreated(record);
  else {
    settleSaved(record, change as Change, {}, row);
    // Notes of an earlier answer, such as its ETag, are not about the row that the application gives.
    setNotes(record[ROW], undefined);
  }
  const outcome: SettledOutcome =
    row === null ? { error: unconfirmed as DataError, ending: 'refused' } : { row, ending: 'done' };
  if (proxy) void reportOutcome(record, 'create', proxy, outcome);
}

/** The proxy that `proxyOf` returns; undefined if none is configured. For steps that also work without requests. */
export function proxyIfAny(proxyOf: () => DataProxy): DataProxy | undefined {
  try {
    return proxyOf();
  } catch {
    return undefined;
  }
}
