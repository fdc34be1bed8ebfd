import type { DataError } from '../errors/data-error.js';
import { asDataError, withErrorContext } from '../errors/error-context.js';
import { ReadError } from '../errors/read-error.js';
import { ValidationError } from '../errors/validation-error.js';
import type { Outcome, WriteAction, WriteStep } from '../extension/write-hook.js';
import { exactBody } from '../http/http-response.js';
import { Operation } from '../operation/operation.js';
import { idFieldsOf, MODEL } from '../operation/operation-record.js';
import type { CalledParameters } from '../operation/params-config.js';
import { willBeConditional } from '../operation/proxy-request.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type ReadEntry, readEntries } from './bulk-reply.js';
import { runOperation } from './call.js';
import { changeToSend, sendsAnything, viewOf } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import { failedOutcome } from './read-again.js';
import type { InnerRecord } from './record.js';
import type { Entry } from './record-core.js';
import { modelAndId } from './record-error.js';
import { didChange } from './record-owner.js';
import { settleFailed } from './settle.js';
import { isSingleton } from './singleton.js';
import { CORE, ROW } from './symbols.js';
import { findIssues } from './validate.js';
import {
  beginWrite,
  executeWrite,
  isTakenBack,
  needsWholeRow,
  RecordWrite,
  runSteps,
  sentRecords,
  settleWrite,
  takeTurn,
  type WriteOptions,
} from './write.js';

/** A write of many records with one action in one request. */
export interface BulkWrite {
  readonly action: WriteAction;
  /** At least one record; none of them has a write in flight. */
  readonly records: readonly InnerRecord[];
  readonly proxy: DataProxy;
  readonly options: WriteOptions;
  /** The entry of a record whose change is sent. */
  readonly entryOf: (record: InnerRecord) => Entry | undefined;
  /** Called for each record when all have settled. `operation` is undefined for a record that was not sent. */
  ended(record: InnerRecord, error: DataError | undefined, operation: Operation | undefined): void;
}

/**
 * Sends a bulk write: an array to the address of the collection. A record that the response does not mention fails. Never rejects.
 */
export async function writeBulk({ action, records, entryOf, proxy, options, ended }: BulkWrite): Promise<void> {
  const refusals = new Map<InnerRecord, DataError>();
  for (const record of records) {
    const error = action === 'destroy' ? undefined : findRefusal(record, proxy, entryOf(record));
    if (error) refusals.set(record, error);
  }
  for (const [record, error] of refusals) settleFailed(record, error, undefined);
  const write = new RecordWrite(
    records.filter((record) => !refusals.has(record)),
    action,
    proxy,
    options,
  );
  write.entries = write.inner.map(entryOf);
  if (write.inner.length > 0) await holdLanes(write, runTogether(write));
  const placeOf = new Map(write.inner.map((record, at) => [record, at]));
  for (const record of records) {
    const at = placeOf.get(record);
    if (at === undefined) ended(record, refusals.get(record), undefined);
    else ended(record, failureOf(write, at), write.operation);
  }
}

/** Why the write of a record has failed; undefined if it succeeded, or if nothing was left to write. */
function failureOf({ outcomes }: RecordWrite, at: number): DataError | undefined {
  const error = outcomes[at]?.error;
  return error && isTakenBack(error) ? undefined : error;
}

/** Holds the lanes of all records until all have settled, so that no other write of these records is sent meanwhile. */
async function holdLanes(write: RecordWrite, running: Promise<void>): Promise<void> {
  // Records whose write was taken back have no outcome.
  const ended = running.then(() => new Map(write.inner.map((record, at) => [record, write.outcomes[at]?.error])));
  await Promise.all(
    write.inner.map((record) => {
      const holding = takeTurn(write, record, async () => {
        const error = (await ended).get(record);
        if (error) throw error;
        return write.operation;
      });
      return holding.catch(() => undefined);
    }),
  );
}

/** Runs a write of several records, then settles each record. */
async function runTogether(write: RecordWrite): Promise<void> {
  const { inner: records, action, operation } = write;
  const [first] = records as readonly [InnerRecord];
  beginWrite(write);
  if (action === 'destroy') for (const record of records) didChange(record, { kind: 'erasing' });
  const run = () => runSteps(write, sendTogether);
  // Aborting one record must not abort the others, so only a single record's `$.abort()` reaches the operation.
  const running =
    records.length === 1
      ? runOperation(first, operation, run)
      : withErrorContext(operation, first[MODEL].messages, run);
  const outcomes = await running.catch((error) => records.map(() => ({ error: error as DataError })));
  await settleWrite(write, outcomes);
}

/**
 * Whether a record can be written together with others: it still needs this action, no write of it is in flight or unconfirmed, and
 * a single request is enough.
 */
export function fitsBulk(
  record: InnerRecord,
  action: WriteAction,
  proxy: DataProxy,
  entry: Entry | undefined,
): boolean {
  const core = record[CORE];
  const { phantom = false, erased = false } = core ?? {};
  // With a singleton proxy, each record has an address of its own.
  if (isSingleton(proxy)) return false;
  if (erased || phantom !== (action === 'create')) return false;
  const change = changeToSend(record, entry);
  // Nothing is left to write, or the values cannot be written: a write of its own says so.
  if (action !== 'destroy' && (!change || (action === 'update' && !sendsAnything(change)))) return false;
  // A request for several records cannot have an `If-Match` header, so a conditional write goes alone.
  if (action !== 'create' && willBeConditional(record, action, proxy)) return false;
  if (!core) return true;
  // The newer value of a field is compared with the edit of it for each record by itself.
  if (action === 'update' && [...(core.newer?.keys() ?? [])].some((field) => change?.edits.has(field))) return false;
  // After an edit of the id, the body would name another record: only an address with the old id says which record is meant.
  const idFields = idFieldsOf(record[MODEL]) as readonly FieldDefinition[];
  if (action === 'update' && idFields.some((field) => change?.edits.has(field))) return false;
  if (core.busy || core.unconfirmed) return false;
  // The writes of this record belong to an outbox that is not in the `use` list of this proxy.
  if (core.keeper && core.keeper !== proxy.hooks.keeper) return false;
  // An incomplete record is read first, if the request would erase the members that are not known.
  if (
    core.incomplete &&
    action === 'update' &&
    // A bulk write has the id in its body, so it also sends the whole member in which the id lies.
    (needsWholeRow(proxy, new Operation({ action, records: [record] }), change?.edits) ||
      proxy.writer.sendsMembers(idFields))
  )
    return false;
  try {
    const { references } = record[MODEL];
    const waiting = action === 'destroy' ? undefined : references?.resolveReferences(record, proxy, undefined, entry);
    waiting?.catch(() => undefined);
    return waiting === undefined;
  } catch {
    // The same error is thrown and reported when the bulk write checks the record.
    return true;
  }
}

/**
 * Groups records by the address that their requests need: if fields fill in templates (`{name}`) of the url, records with different
 * values need different addresses. `entryOf` gives what is sent for a record.
 */
export function splitByAddress(
  records: readonly InnerRecord[],
  action: WriteAction,
  proxy: DataProxy,
  entryOf: (record: InnerRecord) => Entry | undefined,
  calledParameters: CalledParameters | undefined,
): readonly (readonly InnerRecord[])[] {
  const { url, api } = proxy as Partial<Pick<AjaxProxy, 'url' | 'api'>>;
  const { pathParams = {} } = calledParameters ?? (proxy as CalledParameters);
  const names = [...(api?.bulk || api?.[action] || url || '').matchAll(/\{([^{}]+)\}/g)].map(
    (match) => match[1] as string,
  );
  const fieldNames = names.filter((name) => !(name in pathParams));
  if (fieldNames.length === 0) return [records];
  const groups = new Map<string, InnerRecord[]>();
  for (const record of records) {
    const change = changeToSend(record, entryOf(record));
    const sent = change ? viewOf(record, { base: record[ROW], edits: change.edits }) : record;
    const values = fieldNames.map((name) => addressValue(sent, name, action !== 'create'));
    // A missing value counts as '', so that it cannot be confused with the text 'undefined'.
    const key = JSON.stringify(values.map((value) => String(value ?? '')));
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  return [...groups.values()];
}

function addressValue(record: InnerRecord, name: string, committed: boolean): unknown {
  try {
    return record[MODEL].templateValue(record, name, committed);
  } catch {
    // The same error is thrown when the address is built.
    return undefined;
  }
}

/** The error that keeps a record from being sent: of its values, or of a record that it refers to; undefined if it can be sent. */
function findRefusal(record: InnerRecord, proxy: DataProxy, entry: Entry | undefined): DataError | undefined {
  const { references, messages } = record[MODEL];
  try {
    references?.resolveReferences(record, proxy, undefined, entry);
    const issues = findIssues(record, true, changeToSend(record, entry));
    if (issues.length > 0) return new ValidationError(issues, { messages });
  } catch (error) {
    return asDataError(error);
  }
  return undefined;
}

/** The innermost step of a bulk write: sends one request for all records, and reads the outcome of each from the response. */
const sendTogether: WriteStep = async (publicWrite) => {
  const write = publicWrite as RecordWrite;
  const { inner: records, action, proxy, operation } = write;
  const ids = sentRecords(write).map((record) => record[MODEL].serverId(record));
  let entryOf: (at: number) => ReadEntry | undefined;
  try {
    entryOf = readEntries(operation, proxy, await executeWrite(write), ids);
  } catch (cause) {
    return Promise.all(records.map((_, at) => failedOutcome(write, at, cause as DataError)));
  }
  const { response } = operation;
  // The response to a request for one record needs no entries; an empty success of an update or destroy holds for all records.
  const coversAll = records.length === 1 || (action !== 'create' && (!response || exactBody(response) === undefined));
  const outcomeOf = async (record: InnerRecord, at: number): Promise<Outcome> => {
    const model = record[MODEL];
    try {
      const entry = entryOf(at);
      if (!entry && !coversAll) throw new ReadError('response-missing', modelAndId(record));
      if (entry?.error) throw entry.error;
      const sendsId =
        proxy.writer.writeRecordId || model.naturalId || write.innerChanges[at]?.written.has(model.idField);
      return { row: entry?.row, sentId: sendsId ? ids[at] : undefined };
    } catch (cause) {
      return failedOutcome(write, at, asDataError(cause).inContext(operation, model.messages));
    }
  };
  return Promise.all(records.map(outcomeOf));
};
