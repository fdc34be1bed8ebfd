import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { DefinitionError } from '../errors/definition-error.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import { within } from '../errors/within.js';
import { exactBody } from '../http/http-response.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import { type Conditional, conditionOf } from '../proxy/condition.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { ProxyRequest } from '../proxy/proxy-request.js';
import { type ReadEntry, readEntries } from './bulk-reply.js';
import { runOperation } from './call.js';
import { asSent, copyEdits, mayBeDone } from './doubt.js';
import { randomId } from './identifier.js';
import { coreOf, type InnerRecord, isDirty, writeEdits } from './record.js';
import { notify } from './record-owner.js';
import { markSent, settleErased, settleFailed, settleSaved } from './settle.js';
import { isSingleton } from './singleton.js';
import { CORE } from './symbols.js';
import { findIssues } from './validate.js';
import { arm, isWhole } from './write.js';
import type { WriteAction } from './write-job.js';

/** Many records of one action in one request (H16). */
export interface BulkWrite {
  readonly action: WriteAction;
  /** At least one; none of them has a write under way. */
  readonly records: readonly InnerRecord[];
  readonly proxy: DataProxy;
  readonly options: Partial<OperationConfig>;
  ended(record: InnerRecord, error: DataError | undefined, operation: Operation | undefined): void;
}

/** Sends the bulk form: an array to the collection. A record that the reply does not account for fails. Never rejects. */
export async function writeBulk(bulk: BulkWrite): Promise<void> {
  const { action, records, proxy } = bulk;
  const errors = new Map<InnerRecord, DataError>();
  const fail = (record: InnerRecord, error: DataError, operation?: Operation) => {
    settleFailed(record, error, operation);
    errors.set(record, error);
  };
  const going = records.filter((record) => {
    const error = action === 'destroy' ? undefined : refusalOf(record, proxy);
    if (error) fail(record, error);
    return !error;
  });
  const { idempotencyHeader } = proxy as { idempotencyHeader?: string };
  // Of the request, not of the records: what is in doubt cannot be sent again one by one under it.
  const idempotencyKey = action === 'create' && idempotencyHeader ? randomId() : undefined;
  const operation: Operation = new Operation({ ...bulk.options, action, records: going, idempotencyKey });
  const sent = going.length ? sendNoted(operation, proxy, fail) : undefined;
  // Each record's lane is held until all have been settled: nothing else of theirs is sent meanwhile.
  await Promise.all(
    going.map((record) => {
      const core = coreOf(record);
      const held = core.lane.run(async () => {
        await sent;
        core.erasing = undefined;
        const error = errors.get(record);
        if (error) throw error;
        return operation;
      });
      if (action === 'destroy') core.erasing = held;
      return held.catch(() => undefined);
    }),
  );
  const asked = new Set(going);
  for (const record of records) bulk.ended(record, errors.get(record), asked.has(record) ? operation : undefined);
}

/** Whether a record can go with others: it is still to be written so, nothing of it is under way or in doubt, and it needs one request only. */
export function fitsBulk(record: InnerRecord, action: WriteAction, proxy: DataProxy): boolean {
  const core = record[CORE];
  const { phantom = false, erased = false } = core ?? {};
  // Each is at an address of its own, whatever is in its row.
  if (isSingleton(proxy)) return false;
  if (erased || phantom !== (action === 'create') || (action === 'update' && !isDirty(record))) return false;
  // Several in one request have no condition: what is to be checked goes alone.
  if (action !== 'create' && isConditional(record, action, proxy)) return false;
  if (!core) return true;
  // Under a new id the body would name another record: only an address of its own says which one is meant (H6).
  if (action === 'update' && core.edits?.has(record[MODEL].idField)) return false;
  if (core.busy || core.doubt) return false;
  // It is read first, for a whole row would erase what is not known of it.
  if (core.partial && action === 'update' && isWhole(proxy, new Operation({ action, records: [record] }))) return false;
  try {
    const waiting = action === 'destroy' ? undefined : record[MODEL].references?.resolveReferences(record, proxy);
    waiting?.catch(() => undefined);
    return waiting === undefined;
  } catch {
    // It says why when it is its turn.
    return true;
  }
}

/** Whether a record's request would carry the ETag that is known of it. */
function isConditional(record: InnerRecord, action: WriteAction, proxy: DataProxy): boolean {
  if (!(proxy as { conditional?: Conditional }).conditional) return false;
  const request = new ProxyRequest({ operation: new Operation({ action, records: [record] }) });
  return 'If-Match' in conditionOf(request, proxy as DataProxy & { conditional: Conditional });
}

/**
 * The parts of a bulk write that go to one address each: where `{name}`s of the url are filled in from fields, those of other
 * values go elsewhere.
 */
export function splitByAddress(
  records: readonly InnerRecord[],
  action: WriteAction,
  proxy: DataProxy,
): readonly (readonly InnerRecord[])[] {
  const { url, api, pathParams = {} } = proxy as { url?: string; api?: Record<string, string>; pathParams?: object };
  const names = [...(api?.[action] || url || '').matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string);
  const open = names.filter((name) => !(name in pathParams));
  if (open.length === 0) return [records];
  const groups = new Map<string, InnerRecord[]>();
  for (const record of records) {
    const values = open.map((name) => addressValue(record, name, action !== 'create'));
    // What is not there is no text that says so.
    const key = JSON.stringify(values.map((value) => String(value ?? '')));
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()];
}

function addressValue(record: InnerRecord, name: string, committed: boolean): unknown {
  try {
    return record[MODEL].templateValue(record, name, committed);
  } catch {
    // Refused when the address is built.
    return undefined;
  }
}

/** Why a record cannot be sent as it is: what is wrong with its values, or what it refers to. */
function refusalOf(record: InnerRecord, proxy: DataProxy): DataError | undefined {
  const { references, messages } = record[MODEL];
  try {
    references?.resolveReferences(record, proxy);
    const issues = findIssues(record, true);
    if (issues.length > 0) return new ValidationError(issues, { messages });
    // A value that cannot be written is the mistake of this record alone.
    writeEdits(record);
  } catch (error) {
    return ownError(error);
  }
  return undefined;
}

/** Sends what an outbox has noted before, where there is one. */
async function sendNoted(operation: Operation, proxy: DataProxy, fail: Fail): Promise<void> {
  const { journal } = proxy;
  const records = operation.records as readonly InnerRecord[];
  const writes = operation.action !== 'destroy';
  if (writes) for (const record of records) markSent(record);
  if (!journal) return send(operation, proxy, fail);
  for (const record of records) coreOf(record).journal = journal;
  // What is edited while it is being noted was not saved; under a new id, the body would name another record.
  const sent = writes ? records.map((record) => asSent(record, copyEdits(coreOf(record).edits))) : undefined;
  try {
    await within(operation, records[0]?.[MODEL].messages, () => journal.begin(records, operation, proxy));
    await send(operation, proxy, fail, sent);
  } catch (error) {
    for (const record of records) fail(record, error as DataError, operation);
  }
  await journal.end(records, operation);
}

type Fail = (record: InnerRecord, error: DataError, operation?: Operation) => void;

async function send(
  operation: Operation,
  proxy: DataProxy,
  fail: Fail,
  sent?: readonly InnerRecord[] | undefined,
): Promise<void> {
  const records = operation.records as readonly InnerRecord[];
  const named = operation as { records: Operation['records'] };
  const { action } = operation;
  const [first] = records as [InnerRecord];
  const { [MODEL]: model } = first;
  const ids = (sent ?? records).map((record) => model.serverId(record));
  // Who aborts one of several does not speak for the others.
  const run = <T>(act: () => Promise<T>) =>
    records.length === 1 ? runOperation(first, operation, act) : within(operation, model.messages, act);
  try {
    const entryOf = await run(async () => {
      if (action === 'destroy') for (const record of records) notify(record, { kind: 'erasing' });
      if (sent) named.records = sent;
      let result: ResultSet;
      try {
        result = await proxy.execute(operation);
      } finally {
        named.records = records;
      }
      operation.resultSet ??= result as ResultSet<never>;
      return readEntries(operation, proxy, result, ids);
    });
    await settleEach(operation, proxy, (at) => ({ entry: entryOf(at), id: ids[at] }), fail);
  } catch (error) {
    for (const record of records) {
      if (!(await isDoneBefore(record, proxy, operation, error as DataError)))
        fail(record, error as DataError, operation);
    }
  }
}

/** Settles each record by what the reply says of it. */
async function settleEach(
  operation: Operation,
  proxy: DataProxy,
  answerOf: (at: number) => { readonly entry: ReadEntry | undefined; readonly id: unknown },
  fail: Fail,
): Promise<void> {
  const records = operation.records as readonly InnerRecord[];
  const { action, response } = operation;
  // One record is an ordinary request; an empty answer to an update or destroy speaks for all of them.
  const spoken = records.length === 1 || (action !== 'create' && (!response || exactBody(response) === undefined));
  // What needs a second look: the others are settled at once.
  const unsure: [InnerRecord, DataError][] = [];
  for (const [at, record] of records.entries()) {
    const model = record[MODEL];
    try {
      const { entry, id } = answerOf(at);
      if (!entry && !spoken) throw new ReadError('reply-missing', {}, { messages: texts });
      if (entry?.error) throw entry.error;
      const chosen = proxy.writer.writeRecordId || model.naturalId || coreOf(record).sent?.has(model.idField);
      settleDone(record, operation, entry?.row, chosen ? id : undefined);
    } catch (cause) {
      const error = ownError(cause).inContext(operation, model.messages);
      if (error.code === 'conflict' || mayBeDone(record, operation, error)) unsure.push([record, error]);
      else fail(record, error, operation);
    }
  }
  for (const [record, error] of unsure)
    if (!(await isDoneBefore(record, proxy, operation, error))) fail(record, error, operation);
}

/** What anything but this library throws is a mistake of the application, and says so. */
function ownError(cause: unknown): DataError {
  return hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
}

/** Settles the write of one record that went well. */
function settleDone(record: InnerRecord, operation: Operation, row: unknown, sentId?: unknown): void {
  if (operation.action === 'destroy') settleErased(record);
  else settleSaved(record, operation, row, sentId);
}

/** Settles a write that was done before it was repeated; otherwise a conflict is given its ways out. */
async function isDoneBefore(
  record: InnerRecord,
  proxy: DataProxy,
  operation: Operation,
  refusal: DataError,
): Promise<boolean> {
  if (mayBeDone(record, operation, refusal)) {
    try {
      const { confirmWrite } = await import('./repeated.js');
      const row = await confirmWrite(record, proxy, operation, refusal);
      settleDone(record, operation, row);
      return true;
    } catch {
      // It was not, or that cannot be found out.
    }
  }
  // A conflict of several tells of none which row the server has.
  if (refusal.operation?.records.length === 1) await arm(record, refusal, () => proxy);
  return false;
}

const texts = { 'reply-missing': '{method} {url} does not account for this record: it stays unsaved' };
