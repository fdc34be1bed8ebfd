import type { DataError } from '../errors/data-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { failedOutcomes } from '../extension/hooks.js';
import { notesOf, setNotes } from '../extension/row-notes.js';
import type { Outcome, WriteStep } from '../extension/write-hook.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import { protectCaptured } from './captured.js';
import { type Change, captureChange, changeWith, eraseOf, isEditedSince, viewOf } from './change.js';
import { loadRecord } from './read.js';
import { failedOutcome } from './read-again.js';
import { coreOf, type InnerRecord } from './record.js';
import type { ReadonlyEdits } from './record-core.js';
import { hooksOf, type RecordWrite, runQueuedHooks, takenBack } from './record-write.js';
import { beginChange, endEntry } from './settle.js';
import { ROW } from './symbols.js';
import { findIssues } from './validate.js';

// The core's own steps of a write, between the steps of the extensions: the checks, the capture of values, and the request.

/** Runs a write through the hooks of its extensions, with the core's checks among them and the exchange with the server innermost. */
export function runSteps(write: RecordWrite, exchange: WriteStep): Promise<readonly Outcome[]> {
  return hooksOf(write).wrapStep(exchange, checksStep)(write);
}

/**
 * The step of the core's checks: refuses writes that must not be sent, and begins the changes of the others. If nothing has to be
 * waited for, it calls the next step in the same tick, so that the request has the record's values at the time of the save.
 */
function checksStep(next: WriteStep): WriteStep {
  return async (publicWrite) => {
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
  await loadRecord(
    record,
    () => write.proxy,
    write.operation as never,
    (read) => read,
  );
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
