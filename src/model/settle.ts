import type { DataError } from '../errors/data-error.js';
import { changedNotes, notesAfterPart, notesAfterRead, notesOf, setNotes } from '../extension/row-notes.js';
import type { Ending } from '../extension/write.js';
import { isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, hasPath, isData, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { checkSame } from './check-same.js';
import { classifyOutcome, isUnanswered } from './classify-outcome.js';
import { type Answered, createdId } from './created-id.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { coreOf, type InnerRecord, isBase, isConfirmed, rebase, withWritten, writeEdits } from './record.js';
import type { Edits, RecordCore } from './record-core.js';
import { didChange, type RecordChange, willChange } from './record-owner.js';
import { CORE, ROW } from './symbols.js';

// The only place that changes what the server gave, and what becomes of the edits, when an operation ends.

/** A model's clock, one on: what begins now is later than all that has ended. */
export function nextTime({ clock }: ModelDefinition): number {
  return (clock.now += 1);
}

/** Keeps what a write sends of a record, to settle against: its edits, or those of a copy that is sent in its place. */
export function markSent(record: InnerRecord, copy: InnerRecord = record): void {
  const core = coreOf(record);
  core.willSend?.();
  core.sent = writeEdits(copy);
}

/**
 * A create or update went well: the base is now what was sent and what came back; edits made since stay on top.
 * Throws `ReadError` for a create without an id, and for an update that is answered with another record.
 */
export function settleSaved(record: InnerRecord, answered: Answered, reply: unknown, sentId?: unknown): void {
  const { resultSet } = answered;
  const model = record[MODEL];
  const core = coreOf(record);
  const sent = core.sent as Edits;
  const row = isData(reply) ? reply : {};
  const previousId = model.serverId(record);
  if (!core.phantom && isValidId(previousId) && !answered.singleton) {
    // The next request would go to a stranger (H6).
    const ids = sent.has(model.idField) ? [previousId, sent.get(model.idField)] : [previousId];
    checkSame(model, ids, row, '. Load it to see what the server has');
  }
  const before = withWritten(record, sent);
  const hasId = model.rowId(row) !== undefined;
  const id = hasId || !core.phantom ? model.idField.raw(hasId ? row : before) : createdId(model, answered, sentId);
  // A reply that holds every member is the row; a smaller one (`{ ok, id, rev }`) adds to what was sent.
  const sentNames = Object.keys(before).filter((name) => before[name] !== undefined && !isLocal(model, name));
  const complete = isData(reply) && sentNames.every((name) => Object.hasOwn(row, name));
  const next: Data = complete ? { ...row } : { ...before, ...knownOf(row, before, model) };
  if (id !== undefined && model.idField.path) writePath(next, model.idField.path, id);
  willChange(record);
  core.confirmFields((field) => complete || sent.has(field));
  record[ROW] = before;
  rebase(record, next, sent);
  const source = isData(reply) ? reply : resultSet;
  const notes = source && notesOf(source);
  // What an extension, or the row itself, said of the row before the write is outdated.
  setNotes(record[ROW], complete ? notes : changedNotes(notes));
  core.settledAt = nextTime(model);
  if (core.phantom) core.created = core.settledAt;
  // Servers add members at a create: until the whole row is known, a PUT would erase them (H7).
  if (core.phantom) core.incomplete = !complete || (sentNames.length === 0 && !holdsMore(row, model));
  else if (complete && Object.keys(row).some((name) => !Object.hasOwn(before, name))) core.incomplete = false;
  core.phantom = false;
  model.phantoms?.keep(id);
  core.temporaryId = undefined;
  forgetSent(core);
  dropSettled(record, sent);
  settle(record, { kind: 'saved', previousId });
  core.events?.emit('commit', { record });
}

/**
 * A write failed: everything is as before, and says why. A create that is in doubt keeps what was sent; a record that was to be
 * erased is back. `repeatable`: the server can tell that it is the same create as before. Returns what that says of the server.
 */
export function settleFailed(
  record: InnerRecord,
  error: DataError,
  operation: Operation | undefined = error.operation,
  repeatable: boolean = false,
): Ending {
  const core = coreOf(record);
  const { phantom: isNew, unconfirmed } = core;
  const kept = operation?.action === 'destroy';
  if (!kept) willChange(record);
  const isUnconfirmed = Boolean(unconfirmed || operation?.unclear);
  const ending = classifyOutcome(error, { isNew, isUnconfirmed, repeatable, operation });
  // The doubt about a create begins with the first attempt; that about an update is about the last one without an answer.
  const isNewest = !isNew && isUnanswered(error, isNew, operation);
  if (ending === 'unconfirmed') core.unconfirmed = (isNewest ? undefined : unconfirmed) ?? error;
  else if (ending === 'refused') core.unconfirmed = undefined;
  // First, so that an edit that was set back in flight stays: the update may have been done.
  if (!isNew && core.unconfirmed && core.sent) core.markFieldsUnconfirmed(core.sent.keys(), nextTime(record[MODEL]));
  if (!kept && !(isNew && core.unconfirmed)) forget(record);
  settle(record, { kind: kept ? 'restored' : 'failed' }, error);
  return ending;
}

/** Nothing was sent of a write that failed: it is as if nobody had tried. */
export function settleUnsent(record: InnerRecord): void {
  const core = coreOf(record);
  core.unconfirmed = undefined;
  forgetSent(core);
}

/** A create that was in doubt made no record. */
export function settleUnmade(record: InnerRecord): void {
  willChange(record);
  forget(record);
  settle(record, { kind: 'failed' });
}

/** Nothing of a record is on its way any more. */
function forget(record: InnerRecord): void {
  forgetSent(coreOf(record));
  dropSettled(record);
}

/** Forgets what was sent of a record. */
function forgetSent(core: RecordCore): void {
  core.sent = undefined;
  if (core.createEdits) core.createEdits = core.createId = undefined;
}

/** An erase went well. */
export function settleErased(record: InnerRecord): void {
  const core = coreOf(record);
  core.erased = true;
  core.settledAt = nextTime(record[MODEL]);
  settle(record, { kind: 'erased' });
  core.events?.emit('erase', { record });
}

/** A write has ended: keeps why it failed, and tells the owners. */
function settle(record: InnerRecord, change: RecordChange, error?: DataError): void {
  const core = coreOf(record);
  core.error = core.failure = error;
  if (!error) core.unconfirmed = core.sentBy = undefined;
  // Before the owners hear of it: they show that the record is not being saved any more.
  core.settleLane();
  didChange(record, change);
}

/**
 * A read gave a row. Returns false for a read that started before the last write settled: it is too old to say anything.
 * A `incomplete` row merges into a row that is known.
 */
export function settleRead(record: InnerRecord, row: Data, startedAt: number, incomplete: boolean = false): boolean {
  const core = record[CORE];
  if (core && (core.settledAt > startedAt || core.erased)) return false;
  const previousId = record[MODEL].serverId(record);
  const next = incomplete ? { ...record[ROW], ...row } : row;
  willChange(record);
  core?.confirmFields(({ path }) => !incomplete || (path !== undefined && hasPath(row, path)), startedAt);
  const before = record[ROW];
  rebase(record, next);
  // What is local only was there before, and still is.
  const same = isSame(before, record[ROW]);
  setNotes(record[ROW], (incomplete ? notesAfterPart : notesAfterRead)(before, row, same));
  if (core) {
    if (!incomplete) core.incomplete = false;
    if (!core.sent) dropSettled(record);
  }
  didChange(record, { kind: 'loaded', previousId, same });
  return true;
}

/** What a reply that is not the row says of it. */
function knownOf(reply: Data, before: Data, model: ModelDefinition): Data {
  const known = Object.entries(reply).filter(([name]) => Object.hasOwn(before, name) || fieldsIn(model, name).length);
  return Object.fromEntries(known);
}

/** Whether a row holds a declared field other than the id: `{ id: 1 }` may be all that a server tells of a new row. */
function holdsMore(row: Data, { fields, idField }: ModelDefinition): boolean {
  return fields.some((field) => field !== idField && field.path !== undefined && hasPath(row, field.path));
}

/** Whether no reply needs to hold a member: it is never sent, or is the id that comes in `Location`. */
function isLocal(model: ModelDefinition, member: string): boolean {
  const fields = fieldsIn(model, member);
  return fields.length > 0 && fields.every((field) => !field.persist || field === model.idField);
}

/** The fields that lie in a member of the row. */
function fieldsIn({ fields }: ModelDefinition, member: string): FieldDefinition[] {
  return fields.filter(({ path }) => path?.[0] === member);
}

/** Edits that are the base now are none any more. */
export function dropSettled(record: InnerRecord, sent?: Edits): void {
  const core = coreOf(record);
  const { edits } = core;
  if (!edits) return;
  // Not where nothing was sent: perhaps because a value cannot be written.
  const now = sent && writeEdits(record);
  for (const [field, value] of edits) {
    const settled = sent?.has(field) && (isSame(sent.get(field), now?.get(field)) || isBase(record, field, value));
    if (settled || isConfirmed(record, field, value)) edits.delete(field);
  }
  if (edits.size === 0) core.edits = undefined;
}
