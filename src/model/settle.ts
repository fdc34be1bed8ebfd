import type { DataError } from '../errors/data-error.js';
import { changedNotes, notesAfterPart, notesAfterRead, notesOf, setNotes } from '../extension/row-notes.js';
import type { Ending } from '../extension/write.js';
import { isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, hasPath, isData, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type Change, viewOf } from './change.js';
import { checkSameId } from './check-same-id.js';
import { classifyOutcome, isUnanswered } from './classify-outcome.js';
import { createdId, type OperationAnswer } from './created-id.js';
import type { FieldDefinition } from './field-definition.js';
import { mergePart } from './merge-part.js';
import type { ModelDefinition } from './model-definition.js';
import {
  cachedValue,
  coreOf,
  type InnerRecord,
  isBase,
  isConfirmed,
  rebase,
  type SentValues,
  withWritten,
  writeEdits,
  writeEditsOf,
} from './record.js';
import type { Edits } from './record-core.js';
import { didChange, type RecordChange, willChange } from './record-owner.js';
import { CORE, ROW } from './symbols.js';

// Only this file changes the base and the edits of a record when an operation ends.

/** Advances a model's clock. An operation that begins at the returned time is later than all operations that have ended. */
export function nextTime({ clock }: ModelDefinition): number {
  return (clock.now += 1);
}

/** Stores what a write sends, to compare it with the answer. */
export function beginChange(record: InnerRecord, change: Change): void {
  coreOf(record).apply({ type: 'begun', change });
}

/**
 * Settles a successful create or update: the values that were sent and the reply become the base; later edits stay edits. Throws
 * `ReadError` if a created record gets no id, and if an update is answered with another record.
 */
export function settleSaved(
  record: InnerRecord,
  change: SettledChange,
  answer: OperationAnswer,
  reply: unknown,
  sentId?: unknown,
): void {
  const { resultSet } = answer;
  const { written: sent } = change;
  const model = record[MODEL];
  const core = coreOf(record);
  const row = isData(reply) ? reply : {};
  const previousId = model.serverId(record);
  if (!core.phantom && isValidId(previousId) && !answer.singleton) {
    // With another record's id, the next request would change that other record (H6).
    const ids = sent.has(model.idField) ? [previousId, sent.get(model.idField)] : [previousId];
    checkSameId(model, ids, row, '. Load it to see what the server has');
  }
  const rowBefore = record[ROW];
  const before = withWritten(record, sent);
  const hasId = model.rowId(row) !== undefined;
  const id = hasId || !core.phantom ? model.idField.raw(hasId ? row : before) : createdId(model, answer, sentId);
  // A reply with every member that was sent is the whole row; a smaller reply (`{ ok, id, rev }`) only adds to what was sent.
  const sentNames = Object.keys(before).filter((name) => before[name] !== undefined && !mayBeMissing(model, name));
  const complete = isData(reply) && sentNames.every((name) => Object.hasOwn(row, name));
  // A row that was read meanwhile and holds the sent values is at least as new as the answer.
  const isReadSince = !core.phantom && change.base !== undefined && wasReadSince(record, change.base, sent);
  const answered: Data = complete ? { ...row } : mergePart(before, rowMembersOf(row, before, model), model.fields);
  const next = isReadSince ? before : answered;
  if (id !== undefined && model.idField.path) writePath(next, model.idField.path, id);
  willChange(record);
  core.confirmFields((field) => complete || sent.has(field));
  record[ROW] = before;
  const known = knownValues(record, change);
  rebase(record, next, change);
  const source = isData(reply) ? reply : resultSet;
  const notes = isReadSince ? notesOf(rowBefore) : source && notesOf(source);
  // Notes about the row before the write, such as its ETag, are outdated.
  setNotes(record[ROW], complete || isReadSince ? notes : changedNotes(notes));
  // The server may have added members to a created row: a PUT without them would erase them (H7).
  const wasNew = core.phantom;
  const isWholeNow = complete && Object.keys(row).some((name) => !Object.hasOwn(before, name));
  const incomplete = wasNew
    ? !complete || (sentNames.length === 0 && !hasMoreThanId(row, model))
    : core.incomplete && !isWholeNow;
  const waiting = core.writes.waiting.map((each) => waitingAfter(record, each, change, before, known));
  core.apply({ type: 'saved', at: nextTime(model), incomplete, waiting });
  model.phantoms?.markPermanent(id);
  dropSettled(record, sent, wasNew);
  tell(record, { kind: 'saved', previousId });
  core.events?.emit('commit', { record });
}

/** The members of a change that say what of it was sent. */
export type SettledChange = SentValues & Pick<Change, 'at'> & Partial<Pick<Change, 'base'>>;

/** Whether the row was read after a write began, and holds what the write has sent. */
function wasReadSince(record: InnerRecord, base: Readonly<Data>, sent: Edits): boolean {
  const { [ROW]: row } = record;
  return row !== base && sent.size > 0 && [...sent].every(([field, written]) => isSame(field.raw(row), written));
}

/**
 * The rest of a waiting change after another write of the record has succeeded. Values that the other write has sent are left out; so
 * are older values of fields for which it has sent newer ones. `before`: the row with the sent values in it.
 */
function waitingAfter(
  record: InnerRecord,
  waiting: Change,
  settled: SettledChange,
  before: Data,
  known: SentValues,
): Change {
  const view = viewOf(record, waiting);
  const { edits = new Map<FieldDefinition, unknown>() } = coreOf(view);
  // Embedded records that both changes share take the row of the answer, and with it their ids.
  const shared = [...edits].map(
    ([field, copy]) => [field, sharedValue(waiting.live.get(field), copy, known.live.get(field))] as const,
  );
  view[ROW] = before;
  rebase(view, record[ROW], { written: known.written, live: new Map(shared) });
  const left = new Map(
    [...(coreOf(view).edits ?? [])].filter(([field, value]) => {
      const { written } = settled;
      const isSent =
        written.has(field) && (settled.at > waiting.at || isSame(written.get(field), waiting.written.get(field)));
      return !isSent && !isBase(view, field, value);
    }),
  );
  return Object.freeze({ ...waiting, edits: left, base: view[ROW], written: writeEditsOf(view[ROW], left) });
}

/**
 * The values that a write has sent, and the embedded records that it has left as they were: a create sends those with which the record was made
 * without an edit of them, and it is by the answer to it that they get their ids.
 */
function knownValues(record: InnerRecord, sent: SentValues): SentValues {
  if (coreOf(record).writes.waiting.length === 0) return sent;
  const { written, live } = sent;
  const { [MODEL]: model, [ROW]: row } = record;
  const others = model.fields.filter((field) => field.embedding && field.raw(row) !== undefined && !written.has(field));
  return {
    written: new Map([...written, ...others.map((field) => [field, field.raw(row)] as const)]),
    live: new Map([...live, ...others.map((field) => [field, cachedValue(record, field)] as const)]),
  };
}

/** The part of a settled value that a waiting change also has: of a list, the copies of the shared records, in the order of the settled list. */
function sharedValue(waiting: unknown, copy: unknown, settled: unknown): unknown {
  if (waiting === settled) return copy;
  if (!Array.isArray(waiting) || !Array.isArray(copy) || !Array.isArray(settled)) return undefined;
  const copyOf = new Map(waiting.map((each, at) => [each as unknown, copy[at] as unknown]));
  return settled.map((each) => copyOf.get(each));
}

/**
 * Settles a failed write: the record stays as it was, and gets the error. An unconfirmed create keeps the values that it has sent;
 * a record that was to be erased is restored. `repeatable`: whether the server recognises a repeated create. Returns how the
 * write ended.
 */
export function settleFailed(
  record: InnerRecord,
  error: DataError,
  operation: Operation | undefined = error.operation,
  repeatable: boolean = false,
  isRefuted?: boolean | undefined,
): Ending {
  const core = coreOf(record);
  const { phantom: isNew, unconfirmed } = core;
  const isErase = operation?.action === 'destroy';
  if (!isErase) willChange(record);
  const isUnconfirmed = Boolean(unconfirmed || operation?.unclear);
  const ending = classifyOutcome(error, { isNew, isUnconfirmed, repeatable, isRefuted, operation });
  // A create stays unconfirmed because of its first unanswered attempt; for an update, the latest unanswered attempt counts.
  const isNewest = !isNew && isUnanswered(error, isNew, operation);
  const { sent } = core;
  core.apply({ type: 'failed', error, ending, isNewest, isErase });
  // Marked before edits are dropped: a field that was set back during the write stays edited, as the server may have the sent
  // value.
  if (!isNew && core.unconfirmed && sent) core.markFieldsUnconfirmed(sent.keys(), nextTime(record[MODEL]));
  if (!isErase && !core.change) dropSettled(record);
  tell(record, { kind: isErase ? 'restored' : 'failed' });
  return ending;
}

/** Settles a write of which nothing was sent, as if it had never been requested. */
export function settleNotSent(record: InnerRecord): void {
  coreOf(record).apply({ type: 'notSent' });
}

/** Settles an unconfirmed create that has made no record. */
export function settleNotCreated(record: InnerRecord): void {
  willChange(record);
  coreOf(record).apply({ type: 'notCreated' });
  dropSettled(record);
  tell(record, { kind: 'failed' });
}

/** Settles a successful erase. */
export function settleErased(record: InnerRecord): void {
  const core = coreOf(record);
  core.apply({ type: 'erased', at: nextTime(record[MODEL]) });
  tell(record, { kind: 'erased' });
  core.events?.emit('erase', { record });
}

/** Ends a write: tells the owners of the record. */
function tell(record: InnerRecord, change: RecordChange): void {
  // Settled before the owners are told, because they show that the record is no longer being saved.
  coreOf(record).settleLane();
  didChange(record, change);
}

/**
 * Makes the row of a read the base of its record. Returns false, and changes nothing, for a read that started before the last write
 * settled: its row is stale. An `incomplete` row is merged into the known row.
 */
export function settleRead(record: InnerRecord, row: Data, startedAt: number, incomplete: boolean = false): boolean {
  const core = record[CORE];
  if (core && (core.settledAt > startedAt || core.erased)) return false;
  const previousId = record[MODEL].serverId(record);
  const next = incomplete ? mergePart(record[ROW], row, record[MODEL].fields) : row;
  willChange(record);
  const before = record[ROW];
  rebase(record, next);
  // After `rebase`, which looks for the lines that an unanswered write has stored.
  core?.confirmFields(({ path }) => !incomplete || (path !== undefined && hasPath(row, path)), startedAt);
  // Compared after `rebase`, which keeps local values that rows do not contain.
  const same = isSame(before, record[ROW]);
  setNotes(record[ROW], (incomplete ? notesAfterPart : notesAfterRead)(before, row, same));
  if (core) {
    if (!incomplete) core.apply({ type: 'read', incomplete });
    if (!core.sent) dropSettled(record);
  }
  didChange(record, { kind: 'loaded', previousId, same });
  return true;
}

/** The members of a reply that belong to the row, when the reply is not the whole row. */
function rowMembersOf(reply: Data, before: Data, model: ModelDefinition): Data {
  const members = Object.entries(reply).filter(([name]) => Object.hasOwn(before, name) || fieldsIn(model, name).length);
  return Object.fromEntries(members);
}

/** Whether a row has a declared field besides the id: some servers answer a create with `{ id: 1 }` only. */
function hasMoreThanId(row: Data, { fields, idField }: ModelDefinition): boolean {
  return fields.some((field) => field !== idField && field.path !== undefined && hasPath(row, field.path));
}

/** Whether a complete reply may lack a member: the member is never sent, or is the id, which may come in `Location`. */
function mayBeMissing(model: ModelDefinition, member: string): boolean {
  const fields = fieldsIn(model, member);
  return fields.length > 0 && fields.every((field) => !field.persist || field === model.idField);
}

/** The fields that lie in a member of the row. */
function fieldsIn({ fields }: ModelDefinition, member: string): FieldDefinition[] {
  return fields.filter(({ path }) => path?.[0] === member);
}

/** Drops the edits whose values have become the base. `wasNew`: whether the write that has ended created the record. */
export function dropSettled(record: InnerRecord, sent?: Edits, wasNew: boolean = false): void {
  const core = coreOf(record);
  const { edits, keeper } = core;
  if (!edits) return;
  // A save that waits in the lane sends the newest values; an outbox sends those that were saved behind the create.
  const followsCreate = (field: FieldDefinition) =>
    wasNew && !core.waitingSave && keeper?.queuesChange(record, field.name);
  // Without sent values, the edits are not written: a value that cannot be written may be why nothing was sent.
  const now = sent && writeEdits(record);
  for (const [field, value] of edits) {
    if (core.holds(field)) continue;
    const isSent = sent?.has(field) && (isSame(sent.get(field), now?.get(field)) || isBase(record, field, value));
    if ((isSent && !followsCreate(field)) || isConfirmed(record, field, value)) edits.delete(field);
  }
  if (edits.size === 0) core.edits = undefined;
}
