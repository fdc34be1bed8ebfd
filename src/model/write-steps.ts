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
import { isOrdinaryRequest, loadRecord } from './read.js';
import { coreOf, type InnerRecord } from './record.js';
import type { RecordWrite } from './record-write.js';
import { asSent, copyEdits, firstSent } from './sent-record.js';
import { markSent } from './settle.js';
import { hooksOf, tellQueued } from './settle-write.js';
import { findIssues } from './validate.js';

// The steps of the core within those of the extensions: what is checked and captured, and the request itself.

/** Runs a write through the extensions: the checks of the core, then the exchange with the server. */
export function runSteps(write: RecordWrite, exchange: WriteStep): Promise<readonly Outcome[]> {
  return hooksOf(write).wrapStep(exchange, checked)(write);
}

/**
 * Refuses what may not be sent, and captures what will be. A step behind it is called in the same tick where nothing has to be waited
 * for, so that the request is built from what the record is when it is saved.
 */
function checked(next: WriteStep): WriteStep {
  return (each) => {
    const write = each as RecordWrite;
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

/** A promise where something has to be waited for. */
function check(write: RecordWrite): Promise<void> | undefined {
  const { action, inner: records, resend } = write;
  const [record] = records as readonly [InnerRecord];
  if (resend) return void sendAgain(write, record);
  if (action === 'destroy') return undefined;
  // Each of several was checked before they were put together.
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
  const issues = findIssues(edits ? asSent(record, edits) : record, true);
  if (issues.length > 0) throw new ValidationError(issues);
  return readOrCapture(write, record);
}

function readOrCapture(write: RecordWrite, record: InnerRecord): Promise<void> | undefined {
  return isReadFirst(write, record) ? readFirst(write, record) : void capture(write);
}

/** Whether an update needs more of the row than is known: a PUT of a row known in part would erase the rest (H7), as would undoing the write. */
function isReadFirst({ proxy, operation }: RecordWrite, record: InnerRecord): boolean {
  const { incomplete, phantom, willSend } = coreOf(record);
  return incomplete && !phantom && (willSend !== undefined || isWhole(proxy, operation));
}

async function readFirst(write: RecordWrite, record: InnerRecord): Promise<void> {
  // An outbox has the edits before the first request, which may fail.
  write.isReading = true;
  await tellQueued(write);
  await loadRecord(
    record,
    () => write.proxy,
    write.operation as never,
    (read) => read,
  );
  capture(write);
}

/** From here on, what is edited belongs to the next write, however long the steps further inside take. */
function capture(write: RecordWrite): void {
  const { options, repeatable, operation, inner: records } = write;
  const { edits } = options;
  // Under its key a create goes again as it was, also where the doubt is about another one before.
  const isKeyed = records.length === 1 && (repeatable || operation.idempotencyKey !== undefined);
  for (const record of records) {
    markSent(record, edits && asSent(record, edits));
    if (isKeyed) coreOf(record).createEdits = edits ?? copyEdits(coreOf(record).edits);
  }
  if (options.explicit) return freeze(write, records);
  if (!edits && !hooksOf(write).isCaptured) return;
  freeze(
    write,
    records.map((record) => asSent(record, edits ?? copyEdits(coreOf(record).edits))),
  );
}

/** A create in doubt goes as it was first sent; to where it went then, unless the call says where. */
function sendAgain(write: RecordWrite, record: InnerRecord): void {
  const { url, params, pathParams } = coreOf(record).unconfirmed?.operation ?? {};
  if (isOrdinaryRequest({ ...write.options, headers: undefined }))
    Object.assign(write.operation, { url, params, pathParams });
  freeze(write, [firstSent(record)]);
}

/** Makes the bodies of a write from these records. */
function freeze(write: Write, records: readonly InnerRecord[]): void {
  write.frozen = records as readonly unknown[] as Write['frozen'];
}

/** The records from which the bodies of a write are made. */
export function sentRecords({ frozen, inner }: RecordWrite): readonly InnerRecord[] {
  return (frozen as readonly unknown[] as readonly InnerRecord[] | undefined) ?? inner;
}

/** Runs the operation of a write, made from the records as they were captured. */
export async function executeWrite(write: RecordWrite): Promise<ResultSet> {
  const { proxy, operation, inner } = write;
  const named = operation as { records: Operation['records'] };
  named.records = sentRecords(write);
  try {
    const result = await proxy.execute(operation);
    operation.resultSet ??= result as ResultSet<never>;
    return result;
  } finally {
    named.records = inner;
  }
}

/** The innermost step: the request of one record. */
export const sendOne: WriteStep = async (each) => {
  const write = each as RecordWrite;
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
    return [{ error: error as DataError }];
  }
};

/** Whether an update carries the whole row. */
export function isWhole(proxy: DataProxy, operation: Operation): boolean {
  const { getMethod } = proxy as { getMethod?: ServerProxy['getMethod'] };
  return proxy.writer.writeAllFields ?? getMethod?.call(proxy, new ProxyRequest({ operation })) !== 'PATCH';
}
