import type { DataError } from '../errors/data-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { failedOutcomes } from '../extension/compose.js';
import type { Outcome, Write, WriteStep } from '../extension/write.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import type { ServerProxy } from '../proxy/server-proxy.js';
import { failedOutcome } from './confirm-no-row.js';
import { isOrdinaryRequest, loadRecord } from './read.js';
import { coreOf, type InnerRecord } from './record.js';
import type { Edits } from './record-core.js';
import type { RecordWrite } from './record-write.js';
import { copyAsFirstSent, copyEdits, copyWithEdits } from './sent-record.js';
import { markSent } from './settle.js';
import { hooksOf, runQueuedHooks } from './settle-write.js';
import { findIssues } from './validate.js';

// The core's own steps of a write, between the steps of the extensions: the checks, the capture of values, and the request.

/**
 * Runs a write through the hooks of its extensions, with the core's checks among them and the exchange with the server innermost.
 */
export function runSteps(write: RecordWrite, exchange: WriteStep): Promise<readonly Outcome[]> {
  return hooksOf(write).wrapStep(exchange, checksStep)(write);
}

/**
 * The step of the core's checks: refuses writes that must not be sent, and captures the values of the others. If nothing has to be
 * waited for, it calls the next step in the same tick, so that the request has the record's values at the time of the save.
 */
function checksStep(next: WriteStep): WriteStep {
  return (publicWrite) => {
    const write = publicWrite as RecordWrite;
    try {
      const waiting = check(write);
      if (!waiting) return next(write);
      return waiting.then(
        () => next(write),
        (cause) => failedOutcomes(write, cause),
      );
    } catch (cause) {
      return Promise.resolve(failedOutcomes(write, cause));
    }
  };
}

/** Checks and captures a write. Returns a promise if something has to be waited for. */
function check(write: RecordWrite): Promise<void> | undefined {
  const { action, inner: records, resend } = write;
  const [record] = records as readonly [InnerRecord];
  if (resend) return void prepareRepeat(write, record);
  if (action === 'destroy') return undefined;
  // Records of a bulk write were checked one by one before the write was made.
  if (records.length > 1) return void capture(write);
  if (write.options.explicit) return readOrCapture(write, record);
  const { phantom, unconfirmed } = coreOf(record);
  if (phantom && unconfirmed && !write.options.repeat) throw unconfirmed;
  const { references } = record[MODEL];
  const resolving = write.isCopy
    ? undefined
    : references?.resolveReferences(record, write.proxy, write.operation.signal);
  return resolving ? resolving.then(() => validate(write, record)) : validate(write, record);
}

function validate(write: RecordWrite, record: InnerRecord): Promise<void> | undefined {
  const { edits } = write.options;
  const issues = findIssues(edits ? copyWithEdits(record, edits) : record, true);
  if (issues.length > 0) throw new ValidationError(issues);
  return readOrCapture(write, record);
}

function readOrCapture(write: RecordWrite, record: InnerRecord): Promise<void> | undefined {
  return needsReadFirst(write, record) ? readFirst(write, record) : void capture(write);
}

/** Whether an update must read its row first. A rollback of the update needs the whole row. */
function needsReadFirst({ proxy, operation, options }: RecordWrite, record: InnerRecord): boolean {
  const { incomplete, phantom, willSend, edits } = coreOf(record);
  if (!incomplete || phantom) return false;
  return willSend !== undefined || needsWholeRow(proxy, operation, options.edits ?? edits);
}

/**
 * Whether an update sends members that the row of an incomplete record may lack, so that they would be erased (H7): the whole row, or a
 * whole member for an edit inside it.
 */
export function needsWholeRow(proxy: DataProxy, operation: Operation, edits: Edits | undefined): boolean {
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
  capture(write);
}

/** Captures the values of a write. Edits made from now on belong to the next write, however long the inner steps take. */
function capture(write: RecordWrite): void {
  const { options, repeatable, operation, inner: records } = write;
  const { edits } = options;
  // A create with an idempotency key is repeated with the same values, so these are kept, too.
  const isKeyed = records.length === 1 && (repeatable || operation.idempotencyKey !== undefined);
  for (const record of records) {
    markSent(record, edits && copyWithEdits(record, edits));
    if (isKeyed) coreOf(record).firstSentEdits = edits ?? copyEdits(coreOf(record).edits);
  }
  if (options.explicit) return freeze(write, records);
  if (!edits && !hooksOf(write).isCaptured) return;
  freeze(
    write,
    records.map((record) => copyWithEdits(record, edits ?? copyEdits(coreOf(record).edits))),
  );
}

/**
 * Prepares the repetition of a create in doubt: the same values and, unless the call names an address, the same address as at
 * first.
 */
function prepareRepeat(write: RecordWrite, record: InnerRecord): void {
  const { url, params, pathParams } = coreOf(record).unconfirmed?.operation ?? {};
  if (isOrdinaryRequest({ ...write.options, headers: undefined }))
    Object.assign(write.operation, { url, params, pathParams });
  freeze(write, [copyAsFirstSent(record)]);
}

/** Sets the records from which the bodies of a write are made. */
function freeze(write: Write, records: readonly InnerRecord[]): void {
  write.frozen = records as readonly unknown[] as Write['frozen'];
}

/** The records from which the bodies of a write are made. */
export function sentRecords({ frozen, inner }: RecordWrite): readonly InnerRecord[] {
  return (frozen as readonly unknown[] as readonly InnerRecord[] | undefined) ?? inner;
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
  const { phantom, sent: edits } = coreOf(record);
  const sendsId = phantom && (proxy.writer.writeRecordId || model.naturalId);
  const sentId = edits?.get(model.idField) ?? (sendsId ? model.serverId(sent) : undefined);
  try {
    const { rows } = await executeWrite(write);
    return [{ row: rows[0], sentId }];
  } catch (error) {
    return [await failedOutcome(write, record, error as DataError)];
  }
};

/** Whether an update sends the whole row. */
function isWhole(proxy: DataProxy, operation: Operation): boolean {
  const { getMethod } = proxy as { getMethod?: ServerProxy['getMethod'] };
  return proxy.writer.writeAllFields ?? getMethod?.call(proxy, new ProxyRequest({ operation })) !== 'PATCH';
}
