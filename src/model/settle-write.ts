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
import { coreOf, type InnerRecord } from './record.js';
import { RecordWrite } from './record-write.js';
import { settleErased, settleFailed, settleSaved, settleUnmade } from './settle.js';
import { keepPathParams } from './singleton.js';
import { ROW } from './symbols.js';

/** The hooks that take part in a write: those of its proxy, and of the outbox that keeps its record. */
export function hooksOf({ hooks, inner: [record], proxy }: RecordWrite): ExtensionHooks {
  return hooks ?? proxy.hooks.withKeeper(record && coreOf(record).keeper);
}

/** A write begins: its records belong to the outbox of its proxy, where it has one. */
export function beginWrite(write: RecordWrite): void {
  const { keeper } = write.proxy.hooks;
  for (const record of write.inner) {
    const core = coreOf(record);
    if (write.durable) core.keeper = keeper ?? core.keeper;
    // One that follows in the same turn of the lane is yet to settle.
    if (core.busy) core.lane.settle(false);
  }
  write.hooks = hooksOf(write);
  const isTold = write.hooks.settled.length > 0;
  for (const record of write.inner) coreOf(record).isTold = isTold;
}

/** Tells an outbox of a write that waits; resolves when it is kept. */
export async function tellQueued(write: RecordWrite): Promise<void> {
  const told = hooksOf(write).queued.map(async (extension) => {
    try {
      await extension.queued?.(write);
    } catch (error) {
      report(error);
    }
  });
  await Promise.all(told);
}

/** Settles the records of a write, and tells the extensions; gives a promise where an extension has to take that in. */
export function settleWrite(write: RecordWrite, outcomes: readonly Outcome[]): Promise<void> | undefined {
  write.outcomes = write.inner.map((record, at) => settleOne(write, record, outcomes[at] as Outcome));
  const { settled } = hooksOf(write);
  return settled.length > 0 ? tellSettled(write, settled) : undefined;
}

async function tellSettled(write: Write, extensions: readonly Extension[]): Promise<void> {
  for (const extension of extensions) {
    try {
      const telling = extension.settled?.(write);
      if (telling) await telling;
    } catch (error) {
      report(error);
    }
  }
}

/** Reports what a hook threw beside its write, of which nobody can be told but the application as a whole. */
function report(error: unknown): void {
  callSafely(() => {
    throw error;
  });
}

/** Settles one record; an answer that cannot be taken in is a failure. */
function settleOne(write: RecordWrite, record: InnerRecord, outcome: Outcome): SettledOutcome {
  const { operation, action } = write;
  if (outcome.error) return settleError(write, record, outcome.error);
  try {
    const { phantom } = coreOf(record);
    if (action === 'destroy') settleErased(record);
    else settleSaved(record, operation, outcome.row, outcome.sentId);
    if (phantom) keepPathParams(record, operation);
    return { ...outcome, ending: 'done' };
  } catch (cause) {
    return settleError(write, record, toDataError(operation, record[MODEL].messages, cause));
  }
}

function settleError(
  { operation, action, proxy, repeatable }: RecordWrite,
  record: InnerRecord,
  error: DataError,
): SettledOutcome {
  const core = coreOf(record);
  // The record says so already: it is what kept the write from being sent.
  if (action !== 'destroy' && !core.sent && error === core.error) return { error, ending: 'noNews' };
  // A create that is in doubt was not sent again: this is the error of the one before.
  const isKnown = error === core.unconfirmed;
  const ending = settleFailed(record, error, operation, repeatable);
  if (core.phantom && core.unconfirmed && !isKnown) core.sentBy = proxy;
  return { error, ending: isKnown ? 'noNews' : ending };
}

/**
 * Tells the extensions of a write of which they were not part: one that was refused before it could begin, or one that was ended
 * by hand.
 */
export async function tellEnded(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy,
  outcome: SettledOutcome,
): Promise<void> {
  const write = new RecordWrite([record], action, proxy);
  write.outcomes = [outcome];
  await tellSettled(write, hooksOf(write).settled);
}

/** The application says how a create that is in doubt has ended: with this row, or with no record at all. Throws `AddressError`. */
export function settleByHand(record: InnerRecord, row: object | null): void {
  const { unconfirmed, sentBy } = coreOf(record);
  const proxy = sentBy ?? proxyIfAny(() => (record.constructor as typeof BaseModel).proxy);
  if (row !== null && record[MODEL].rowId(row) === undefined)
    throw new AddressError('id-missing', { action: 'settle' });
  if (row === null) settleUnmade(record);
  else {
    settleSaved(record, {}, row);
    // The row is what the application says that the server has.
    setNotes(record[ROW], undefined);
  }
  const outcome: SettledOutcome =
    row === null ? { error: unconfirmed as DataError, ending: 'refused' } : { row, ending: 'done' };
  if (proxy) void tellEnded(record, 'create', proxy, outcome);
}

/** What needs no request can be done without a proxy, too. */
export function proxyIfAny(proxyOf: () => DataProxy): DataProxy | undefined {
  try {
    return proxyOf();
  } catch {
    return undefined;
  }
}
