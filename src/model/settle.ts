import type { DataError } from '../errors/data-error.js';
import { ReadError } from '../errors/read-error.js';
import { isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, isData, setMember, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { baseValue, coreOf, type InnerRecord, rebase, sentForm, withEdits } from './record.js';
import type { Edits } from './record-core.js';
import { notify } from './record-owner.js';
import { CORE, ROW } from './symbols.js';

// The only place that changes what the server gave, and what becomes of the edits, when an operation ends.

/** Keeps what a write sends of a record, to settle against. */
export function markSent(record: InnerRecord): void {
  const core = coreOf(record);
  core.sent = new Map([...(core.edits ?? [])].map(([field, value]) => [field, sentForm(field, value)]));
}

/**
 * A create or update went well: the base is now what was sent and what came back; edits made since stay on top.
 * Throws `ReadError` for a create without an id.
 */
export function settleSaved(record: InnerRecord, operation: Operation, reply: unknown, sentId?: unknown): void {
  const model = record[MODEL];
  const core = coreOf(record);
  const sent = core.sent as Edits;
  const row = isData(reply) ? reply : undefined;
  const previousId = model.serverId(record);
  const before = sentRow(record, sent);
  const id = core.phantom
    ? createdId(record, operation, row, sentId)
    : model.idField.raw(row && model.rowId(row) !== undefined ? row : before);
  // A reply that holds every member is the row; a smaller one (`{ ok, id, rev }`) adds to what was sent.
  const complete = row && Object.keys(before).every((name) => Object.hasOwn(row, name) || isLocal(record, name));
  const next = complete ? { ...row } : merge(record, before, row);
  if (id !== undefined && model.idField.path) writePath(next, model.idField.path, id);
  record[ROW] = before;
  rebase(record, next, sent);
  core.settledAt = model.clock.now += 1;
  if (core.phantom) core.created = core.settledAt;
  core.phantom = false;
  core.temporaryId = undefined;
  core.sent = undefined;
  core.error = core.failure = undefined;
  dropSettled(record, sent);
  notify(record, { kind: 'saved', previousId });
  core.events?.emit('commit', { record });
}

/** A write failed: everything is as before, and says why. */
export function settleFailed(record: InnerRecord, error: DataError): void {
  const core = coreOf(record);
  core.sent = undefined;
  core.error = core.failure = error;
  dropSettled(record, new Map());
  notify(record, { kind: 'failed' });
}

/** An erase is under way: whoever shows the record hides it until it is known how it ends. */
export function settleErasing(record: InnerRecord): void {
  notify(record, { kind: 'erasing' });
}

/** An erase failed: the record is back, and says why. */
export function settleRestored(record: InnerRecord, error: DataError): void {
  const core = coreOf(record);
  core.error = core.failure = error;
  notify(record, { kind: 'restored' });
}

/** An erase went well. */
export function settleErased(record: InnerRecord): void {
  const core = coreOf(record);
  core.erased = true;
  core.error = core.failure = undefined;
  core.settledAt = record[MODEL].clock.now += 1;
  notify(record, { kind: 'erased' });
  core.events?.emit('erase', { record });
}

/**
 * A read gave a row. Returns false for a read that started before the last write settled: it is too old to say anything.
 * A `partial` row merges into a row that is known.
 */
export function settleRead(record: InnerRecord, row: Data, startedAt: number, partial: boolean = false): boolean {
  const core = record[CORE];
  if (core && (core.settledAt > startedAt || core.erased)) return false;
  const previousId = record[MODEL].serverId(record);
  const next = partial ? { ...record[ROW], ...row } : row;
  const same = isSame(record[ROW], next);
  rebase(record, next);
  if (core) {
    if (!partial) core.partial = false;
    if (!core.sent) dropSettled(record, new Map());
  }
  notify(record, { kind: 'loaded', previousId, same });
  return true;
}

/** The row as it was sent. */
function sentRow(record: InnerRecord, sent: Edits): Data {
  const row = withEdits(record, new Map([...sent].filter(([field]) => !field.embedding)));
  for (const [field, value] of sent) if (field.embedding && field.path) writePath(row, field.path, value);
  return row;
}

/** Adds declared members, and those that the row has already. */
function merge(record: InnerRecord, row: Data, reply: Data = {}): Data {
  for (const [name, value] of Object.entries(reply)) {
    if (Object.hasOwn(row, name) || record[MODEL].declares(name)) setMember(row, name, value);
  }
  return row;
}

/** Whether no reply needs to hold a member: it is never sent, or is the id that comes in `Location`. */
function isLocal(record: InnerRecord, member: string): boolean {
  const { fields, idField } = record[MODEL];
  const of = fields.filter((field) => field.path?.[0] === member);
  return of.length > 0 && of.every((field) => !field.persist || field === idField);
}

/** The raw id of a created record: from the body, from `Location` (H17), or the one that was sent on purpose (H14). */
function createdId(record: InnerRecord, operation: Operation, row: Data | undefined, sentId: unknown): unknown {
  const model = record[MODEL];
  if (row && model.rowId(row) !== undefined) return model.idField.raw(row);
  const { locationId } = operation.resultSet ?? {};
  if (locationId !== undefined) return model.idFromText(locationId);
  if (isValidId(sentId)) return sentId;
  throw new ReadError('reply-no-id');
}

/** Edits that are the base now are none any more. */
function dropSettled(record: InnerRecord, sent: Edits): void {
  const core = coreOf(record);
  for (const [field, value] of core.edits ?? []) {
    const settled = sent.has(field) && isSame(sent.get(field), sentForm(field, value));
    if (settled || (!field.embedding && isSame(baseValue(record, field), value))) core.edits?.delete(field);
  }
  if (core.edits?.size === 0) core.edits = undefined;
}
