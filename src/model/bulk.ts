import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { DefinitionError } from '../errors/definition-error.js';
import { withErrorContext } from '../errors/error-context.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import type { Outcome, SettledOutcome, WriteAction, WriteStep } from '../extension/write.js';
import { exactBody } from '../http/http-response.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { willBeConditional } from '../proxy/condition.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type ReadEntry, readEntries } from './bulk-reply.js';
import { runOperation } from './call.js';
import { coreOf, type InnerRecord, isDirty, writeEdits } from './record.js';
import { didChange } from './record-owner.js';
import { RecordWrite, type WriteOptions } from './record-write.js';
import { settleFailed } from './settle.js';
import { beginWrite, settleWrite } from './settle-write.js';
import { isSingleton } from './singleton.js';
import { CORE } from './symbols.js';
import { findIssues } from './validate.js';
import { executeWrite, isWhole, runSteps, sentRecords } from './write-steps.js';

/** Many records of one action in one request (H16). */
export interface BulkWrite {
  readonly action: WriteAction;
  /** At least one; none of them has a write under way. */
  readonly records: readonly InnerRecord[];
  readonly proxy: DataProxy;
  readonly options: WriteOptions;
  ended(record: InnerRecord, error: DataError | undefined, operation: Operation | undefined): void;
}

/** Sends the bulk form: an array to the collection. A record that the reply does not account for fails. Never rejects. */
export async function writeBulk({ action, records, proxy, options, ended }: BulkWrite): Promise<void> {
  const refusals = new Map<InnerRecord, DataError>();
  for (const record of records) {
    const error = action === 'destroy' ? undefined : refusalOf(record, proxy);
    if (error) refusals.set(record, error);
  }
  for (const [record, error] of refusals) settleFailed(record, error, undefined);
  const write = new RecordWrite(
    records.filter((record) => !refusals.has(record)),
    action,
    proxy,
    options,
  );
  if (write.inner.length > 0) await holdLanes(write, runTogether(write));
  for (const record of records) {
    const at = write.inner.indexOf(record);
    ended(record, at < 0 ? refusals.get(record) : write.outcomes[at]?.error, at < 0 ? undefined : write.operation);
  }
}

/** Each record's lane is held until all have been settled: nothing else of theirs is sent meanwhile. */
async function holdLanes(write: RecordWrite, running: Promise<void>): Promise<void> {
  await Promise.all(
    write.inner.map((record, at) => {
      const core = coreOf(record);
      const held = core.lane.run(async () => {
        await running;
        core.erasing = undefined;
        const { error } = write.outcomes[at] as SettledOutcome;
        if (error) throw error;
        return write.operation;
      });
      if (write.action === 'destroy') core.erasing = held;
      return held.catch(() => undefined);
    }),
  );
}

/** Runs a write of several records, and settles each of them. */
async function runTogether(write: RecordWrite): Promise<void> {
  const { inner: records, action, operation } = write;
  const [first] = records as readonly [InnerRecord];
  beginWrite(write);
  if (action === 'destroy') for (const record of records) didChange(record, { kind: 'erasing' });
  const run = () => runSteps(write, sendTogether);
  // Who aborts one of several does not speak for the others.
  const running =
    records.length === 1
      ? runOperation(first, operation, run)
      : withErrorContext(operation, first[MODEL].messages, run);
  const outcomes = await running.catch((error) => records.map(() => ({ error: error as DataError })));
  await settleWrite(write, outcomes);
}

/** Whether a record can go with others: it is still to be written so, nothing of it is under way or in doubt, and it needs one request only. */
export function fitsBulk(record: InnerRecord, action: WriteAction, proxy: DataProxy): boolean {
  const core = record[CORE];
  const { phantom = false, erased = false } = core ?? {};
  // Each is at an address of its own, whatever is in its row.
  if (isSingleton(proxy)) return false;
  if (erased || phantom !== (action === 'create') || (action === 'update' && !isDirty(record))) return false;
  // Several in one request have no condition: what is to be checked goes alone.
  if (action !== 'create' && willBeConditional(record, action, proxy)) return false;
  if (!core) return true;
  // Under a new id the body would name another record: only an address of its own says which one is meant (H6).
  if (action === 'update' && core.edits?.has(record[MODEL].idField)) return false;
  if (core.busy || core.unconfirmed) return false;
  // An outbox that the proxy does not know keeps it.
  if (core.keeper && core.keeper !== proxy.hooks.keeper) return false;
  // It is read first, for a whole row would erase what is not known of it.
  if (core.incomplete && action === 'update' && isWhole(proxy, new Operation({ action, records: [record] })))
    return false;
  try {
    const waiting = action === 'destroy' ? undefined : record[MODEL].references?.resolveReferences(record, proxy);
    waiting?.catch(() => undefined);
    return waiting === undefined;
  } catch {
    // It says why when it is its turn.
    return true;
  }
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

/** The innermost step: one request for all records, and what its answer says of each. */
const sendTogether: WriteStep = async (each) => {
  const write = each as RecordWrite;
  const { inner: records, action, proxy, operation } = write;
  const ids = sentRecords(write).map((record) => record[MODEL].serverId(record));
  let entryOf: (at: number) => ReadEntry | undefined;
  try {
    entryOf = readEntries(operation, proxy, await executeWrite(write), ids);
  } catch (cause) {
    return records.map(() => ({ error: cause as DataError }));
  }
  const { response } = operation;
  // One record is an ordinary request; an empty answer to an update or destroy speaks for all of them.
  const spoken = records.length === 1 || (action !== 'create' && (!response || exactBody(response) === undefined));
  return records.map((record, at): Outcome => {
    const model = record[MODEL];
    try {
      const entry = entryOf(at);
      if (!entry && !spoken) throw new ReadError('reply-missing');
      if (entry?.error) throw entry.error;
      const chosen = proxy.writer.writeRecordId || model.naturalId || coreOf(record).sent?.has(model.idField);
      return { row: entry?.row, sentId: chosen ? ids[at] : undefined };
    } catch (cause) {
      return { error: ownError(cause).inContext(operation, model.messages) };
    }
  });
};

/** What anything but this library throws is a mistake of the application, and says so. */
function ownError(cause: unknown): DataError {
  return hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
}
