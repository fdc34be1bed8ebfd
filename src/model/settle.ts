import type { DataError } from '../errors/data-error.js';
import { ReadError } from '../errors/read-error.js';
import { isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, isData, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { ModelDefinition } from './model-definition.js';
import { baseValue, coreOf, type InnerRecord, rebase, withWritten, writeEdits } from './record.js';
import type { Edits } from './record-core.js';
import { forewarn, notify, type RecordChange } from './record-owner.js';
import { CORE, ROW } from './symbols.js';

// The only place that changes what the server gave, and what becomes of the edits, when an operation ends.

/** Keeps what a write sends of a record, to settle against. */
export function markSent(record: InnerRecord): void {
  coreOf(record).sent = writeEdits(record);
}

/**
 * A create or update went well: the base is now what was sent and what came back; edits made since stay on top.
 * Throws `ReadError` for a create without an id.
 */
export function settleSaved(record: InnerRecord, operation: Operation, reply: unknown, sentId?: unknown): void {
  const model = record[MODEL];
  const core = coreOf(record);
  const sent = core.sent as Edits;
  const row = isData(reply) ? reply : {};
  const previousId = model.serverId(record);
  const before = withWritten(record, sent);
  const hasId = model.rowId(row) !== undefined;
  const id = hasId || !core.phantom ? model.idField.raw(hasId ? row : before) : createdId(model, operation, sentId);
  // A reply that holds every member is the row; a smaller one (`{ ok, id, rev }`) adds to what was sent.
  const complete =
    isData(reply) && Object.keys(before).every((name) => Object.hasOwn(row, name) || isLocal(model, name));
  const known = Object.entries(row).filter(([name]) => complete || Object.hasOwn(before, name) || model.declares(name));
  const next: Data = { ...(!complete && before), ...Object.fromEntries(known) };
  if (id !== undefined && model.idField.path) writePath(next, model.idField.path, id);
  forewarn(record);
  record[ROW] = before;
  rebase(record, next, sent);
  core.settledAt = model.clock.now += 1;
  if (core.phantom) core.created = core.settledAt;
  core.phantom = false;
  core.temporaryId = undefined;
  core.sent = undefined;
  dropSettled(record, sent);
  settle(record, { kind: 'saved', previousId });
  core.events?.emit('commit', { record });
}

/** A write failed: everything is as before, and says why. */
export function settleFailed(record: InnerRecord, error: DataError): void {
  forewarn(record);
  coreOf(record).sent = undefined;
  dropSettled(record);
  settle(record, { kind: 'failed' }, error);
}

/** An erase failed: the record is back, and says why. */
export function settleRestored(record: InnerRecord, error: DataError): void {
  settle(record, { kind: 'restored' }, error);
}

/** An erase went well. */
export function settleErased(record: InnerRecord): void {
  const core = coreOf(record);
  core.erased = true;
  core.settledAt = record[MODEL].clock.now += 1;
  settle(record, { kind: 'erased' });
  core.events?.emit('erase', { record });
}

/** A write has ended: keeps why it failed, and tells the owners. */
function settle(record: InnerRecord, change: RecordChange, error?: DataError): void {
  const core = coreOf(record);
  core.error = core.failure = error;
  notify(record, change);
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
  forewarn(record);
  rebase(record, next);
  if (core) {
    if (!partial) core.partial = false;
    if (!core.sent) dropSettled(record);
  }
  notify(record, { kind: 'loaded', previousId, same });
  return true;
}

/** Whether no reply needs to hold a member: it is never sent, or is the id that comes in `Location`. */
function isLocal({ fields, idField }: ModelDefinition, member: string): boolean {
  const of = fields.filter((field) => field.path?.[0] === member);
  return of.length > 0 && of.every((field) => !field.persist || field === idField);
}

/** The raw id of a created record where the body has none: from `Location` (H17), or the one sent on purpose (H14). */
function createdId(model: ModelDefinition, { resultSet }: Operation, sentId: unknown): unknown {
  if (resultSet?.locationId !== undefined) return model.idFromText(resultSet.locationId);
  if (isValidId(sentId)) return sentId;
  throw new ReadError('reply-no-id');
}

/** Edits that are the base now are none any more. */
function dropSettled(record: InnerRecord, sent?: Edits): void {
  const core = coreOf(record);
  const now = writeEdits(record);
  for (const [field, value] of core.edits ?? []) {
    const settled = sent?.has(field) && isSame(sent.get(field), now.get(field));
    if (settled || (!field.embedding && isSame(baseValue(record, field), value))) core.edits?.delete(field);
  }
  if (core.edits?.size === 0) core.edits = undefined;
}
