import type { DataError } from '../errors/data-error.js';
import {
  changedNotes,
  notesAfterPart,
  notesAfterRead,
  notesOf,
  type RowNotes,
  setNotes,
} from '../extension/row-notes.js';
import type { Ending } from '../extension/write-hook.js';
import { isValidId } from '../http/url.js';
import type { RecordId } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, writeId } from '../operation/operation-record.js';
import { type Data, hasPath, isData } from '../util/data-path.js';
import { rounded } from '../util/rounded.js';
import { isSame } from '../util/values.js';
import type { Change } from './change.js';
import { classifyOutcome, isUnanswered } from './classify-outcome.js';
import { createdId, type OperationAnswer } from './created-id.js';
import type { FieldDefinition } from './field-definition.js';
import { mergePart } from './merge-part.js';
import type { ModelDefinition } from './model-definition.js';
import {
  cacheValue,
  coreOf,
  exactBase,
  type InnerRecord,
  isBase,
  isConfirmed,
  isKnownBase,
  rebase,
  reportSet,
  valuesOf,
  withWritten,
  writeBase,
  writeEdits,
} from './record.js';
import {
  applyEvent,
  confirmFields,
  type Edits,
  type Entry,
  markUnconfirmed,
  type ReadonlyEdits,
  type WritableCore,
  type WriteEvent,
} from './record-core.js';
import { didChange, type RecordChange, type WrittenRows, willChange } from './record-owner.js';
import { CACHE, CORE, ROW } from './symbols.js';
import { behind, knownValues, renewed, type SettledValues, waitingAfter, waitingOnRead } from './waiting-changes.js';

// Only this file changes the base, the edits and the state of a record when an operation ends. Whoever else has to change them calls it.

/** Advances a model's clock. An operation that begins at the returned time is later than all operations that have ended. */
export function nextTime({ clock }: ModelDefinition): number {
  return (clock.now += 1);
}

/**
 * Adds what was saved, or is to be erased, to the list of what its record has to write. `joined`: the entry whose change is replaced by one
 * that was captured later.
 */
export function addEntry(record: InnerRecord, change: Change, joined?: Entry): Entry {
  const core = coreOf(record) as WritableCore;
  const entry = joined ?? { change, stored: undefined, result: undefined };
  if (core.entries.size === 0) core.entries = new Set();
  core.entries.delete(entry);
  for (const each of core.entries) each.change = renewed(each.change, change);
  entry.change = change;
  core.entries.add(entry);
  return entry;
}

/** Makes values that a record shows for fields edits of it, also where they are those of its row. */
export function keepAsEdits(record: InnerRecord, fields: Iterable<FieldDefinition>): void {
  const core = coreOf(record);
  for (const field of fields)
    if (!core.edits?.has(field)) ((core as WritableCore).edits ??= new Map()).set(field, exactBase(record, field));
}

/** Ends an entry that is not sent. A value that was set back while it waited is no edit any more. */
export function endEntry(record: InnerRecord, entry: Entry): void {
  const core = coreOf(record);
  if (!core.entries.delete(entry)) return;
  const before = core.edits?.size ?? 0;
  if (!core.change) dropSettled(record);
  if ((core.edits?.size ?? 0) < before) didChange(record, { kind: 'failed' });
}

/** Begins the write of a change, which waits no more: it is compared with the response later. */
export function beginChange(record: InnerRecord, change: Change): void {
  const core = coreOf(record);
  for (const entry of core.entries)
    if (entry.change.at === change.at) core.entries.delete(entry);
    else entry.change = behind(entry.change, change);
  applyEvent(core, { type: 'begun', change, at: nextTime(record[MODEL]) });
}

/**
 * Settles a successful create or update: the values that were sent and the response become the base; later edits stay edits. Throws
 * `ReadError` if a created record gets no id, and if an update is answered with another record.
 */
export function settleSaved(
  record: InnerRecord,
  change: SettledValues,
  answer: OperationAnswer,
  reply: unknown,
  sentId?: unknown,
): void {
  const { written: sent } = change;
  const model = record[MODEL];
  const core = coreOf(record);
  const { phantom: wasNew } = core;
  const { base: before = record[ROW] } = change;
  const previousId = model.serverId(record);
  const { sentRow, answered, row, id, complete, incomplete, notes } = answeredRow(
    record,
    change,
    answer,
    reply,
    sentId,
  );
  willChange(record);
  if (core.unconfirmedFields) confirmFields(core, (field) => complete || sent.has(field));
  writeBase(record, sentRow);
  const known = core.entries.size > 0 ? knownValues(record, change) : change;
  rebase(record, row, change);
  setNotes(record[ROW], notes);
  for (const entry of core.entries) entry.change = waitingAfter(record, entry.change, change, sentRow, known);
  applyEvent(core, { type: 'saved', at: nextTime(model), incomplete });
  if (wasNew || id !== previousId) model.phantoms?.markPermanent(id);
  const settled = core as WritableCore;
  if (complete) settled.assumed = undefined;
  for (const field of sent.keys()) {
    // The base has what was written here now: nobody else has changed it since.
    settled.newer?.delete(field);
    if (!complete) (settled.assumed ??= new Map()).set(field, change);
  }
  // Somebody else may have written over what was saved, before the answer came.
  if (row !== answered) noteNewer(record, answered);
  if (core.referring) tellReferring(record, previousId);
  // A new record to which this one referred has its id by now, so nothing needs to keep it in memory.
  if (core.parents) model.references?.keepParents(record);
  dropSettled(record, sent, change.saved);
  tell(record, { kind: 'saved', previousId, written: { before: wasNew ? undefined : before, after: record[ROW] } });
  core.listeners?.emit('commit', { record });
}

/** The row that a successful write gives its record. */
interface AnsweredRow {
  /** The row before the write, with the values that were sent. */
  readonly sentRow: Data;
  /** The row as the write has left it. */
  readonly answered: Data;
  /** The same, or a newer one that was read since the write began. */
  readonly row: Data;
  readonly id: unknown;
  /** Whether the response has every member that was sent, so that it is the whole row. */
  readonly complete: boolean;
  /** Whether the row may lack members that the server has. */
  readonly incomplete: boolean;
  readonly notes: RowNotes | undefined;
}

/** Finds the row that a write has left on the server. A smaller reply (`{ ok, id, rev }`) only adds to what was sent. */
function answeredRow(
  record: InnerRecord,
  change: SettledValues,
  answer: OperationAnswer,
  reply: unknown,
  sentId: unknown,
): AnsweredRow {
  const { written: sent } = change;
  const { [MODEL]: model, [ROW]: rowNow } = record;
  const { phantom: isNew, incomplete: wasIncomplete, begunAt, readAt } = coreOf(record);
  const received = isData(reply) ? reply : {};
  const previousId = model.serverId(record);
  const sentRow = withWritten(rowNow, sent);
  // With another record's id than the one before, and the one that was sent, the next request would change that other record.
  if (!isNew && isValidId(previousId) && !answer.singleton)
    model.checkSameId([previousId, model.rowId(sentRow)], received, '. Load it to see what the server has');
  const hasId = model.rowId(received) !== undefined;
  const sentNames = sentMembers(sentRow, model);
  const complete = isData(reply) && sentNames.every((name) => Object.hasOwn(received, name));
  const answered = complete
    ? { ...received }
    : mergePart(sentRow, rowMembersOf(received, sentRow, model), model.fields);
  // The server may give some parts of an id of several fields, and the application the others.
  const knownId = model.idParts ? model.rowId(answered) : sentId;
  const id = hasId || !isNew ? model.idField.raw(hasId ? received : sentRow) : createdId(model, answer, knownId);
  const newer = !isNew && readAt > begunAt ? rowReadSince(record, change, answered) : undefined;
  const row = newer ? { ...newer } : answered;
  if (id !== undefined && !hasId) writeId(row, model, id);
  const notes = notesOf(newer ? rowNow : isData(reply) ? reply : (answer.resultSet ?? {}));
  const mayLack = isNew || wasIncomplete;
  return {
    ...{
      sentRow,
      answered,
      row,
      id,
      complete,
      incomplete: mayLack && !(complete && isWhole(received, sentRow, isNew, model)),
    },
    // Notes about the row before the write, such as its ETag, are outdated.
    notes: complete || newer ? notes : changedNotes(notes),
  };
}

/** The row of a record after a write, if a row that was read since the write began is at least as new as the answer. */
function rowReadSince(
  record: InnerRecord,
  { written: sent, base = record[ROW] }: SettledValues,
  answered: Data,
): Data | undefined {
  const { [MODEL]: model, [ROW]: rowNow } = record;
  if (base !== rowNow && holdsAll(rowNow, sent)) return withWritten(rowNow, sent);
  if (!model.isOlder?.(answered, rowNow)) return undefined;
  // Somebody else has written it. What their row does not bring is as it was sent, or answered.
  const unchanged = [...sent].filter(([field]) => isSame(field.raw(rowNow), field.raw(base)));
  return mergePart(answered, withWritten(rowNow, new Map(unchanged)), model.fields);
}

/**
 * The change by which a record was created of which the application knows the row: that of the newest unanswered attempt that the row does
 * not contradict. Where the row does not say which attempt it was, values that the attempts have sent differently stay edits.
 */
export function changeOfAttempt(record: InnerRecord, row: object): SettledValues {
  const core = coreOf(record);
  const { change, attempts } = core;
  const fields = new Set(attempts.flatMap(({ written }) => [...written.keys()]));
  const told = [...fields].filter((field) => field.raw(row as Data) !== undefined);
  const possible = attempts.filter((each) =>
    told.every((field) => holdsPart(field.raw(row as Data), valueSent(each, field))),
  );
  const made: SettledValues = possible[0] ?? change ?? NOTHING_SENT;
  const unsure = [...fields].filter(
    (field) =>
      !told.includes(field) && possible.some((each) => !isSame(valueSent(each, field), valueSent(made, field))),
  );
  if (unsure.length === 0) return made;
  keepAsEdits(record, unsure);
  markUnconfirmed(core, unsure, nextTime(record[MODEL]));
  const written = new Map([...made.written].filter(([field]) => !unsure.includes(field)));
  return { at: made.at, base: made.base, live: made.live, written };
}

/** The value that an attempt at a create has sent for a field. */
function valueSent({ written, base }: SettledValues, field: FieldDefinition): unknown {
  return written.has(field) ? written.get(field) : base && field.raw(base);
}

/** Whether a received value has what was sent: the server may have added members, and ordered lines. */
export function holdsPart(received: unknown, sent: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(received))
    return (
      sent.length === received.length &&
      sent.every((each) => received.some((other) => holdsPart(other, each))) &&
      received.every((other) => sent.some((each) => holdsPart(other, each)))
    );
  if (!isData(sent) || !isData(received)) return sent === undefined || isSame(received, sent);
  return Object.entries(sent).every(([name, value]) => holdsPart(received[name], value));
}

/** Whether a row holds all values that the write has sent. */
function holdsAll(row: Data, sent: ReadonlyEdits): boolean {
  return sent.size > 0 && [...sent].every(([field, written]) => isSame(field.raw(row), written));
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
  const { change } = core;
  // An earlier attempt of this write may have got no response, whatever the last one was answered.
  const isOpen = isUnanswered(error, isNew, operation) || Boolean(operation?.unclear);
  applyEvent(core, { type: 'failed', error, ending, isUnanswered: isOpen, isErase });
  // Marked before edits are dropped: a field that was set back during the write stays edited, as the server may have the sent
  // value.
  if (!isNew && (core.unconfirmed || isOpen) && change)
    markUnconfirmed(core, change.written.keys(), nextTime(record[MODEL]), change);
  if (!isErase && !core.change) dropSettled(record);
  tell(record, { kind: isErase ? 'restored' : 'failed' });
  return ending;
}

/** Settles a write of which nothing was sent, as if it had never been requested. */
export function settleNotSent(record: InnerRecord): void {
  applyEvent(coreOf(record), { type: 'notSent' });
}

/** Settles an unconfirmed create that has made no record. */
export function settleNotCreated(record: InnerRecord): void {
  willChange(record);
  applyEvent(coreOf(record), { type: 'notCreated' });
  dropSettled(record);
  tell(record, { kind: 'failed' });
}

/** Settles a successful erase; `written`: it was sent by this page. */
export function settleErased(record: InnerRecord, written?: WrittenRows): void {
  const core = coreOf(record);
  core.entries.clear();
  applyEvent(core, { type: 'erased', at: nextTime(record[MODEL]) });
  tell(record, { kind: 'erased', written });
  core.listeners?.emit('erase', { record });
}

/** Settles a write that could not start, or whose conflict is over: the error is that of the record's last write. */
export function settleRefused(record: InnerRecord, error: DataError): void {
  applyEvent(coreOf(record), { type: 'refused', error });
  didChange(record, { kind: 'failed' });
}

/** Settles an erase that could not start: the record gets the error, and is shown again. */
export function settleEraseRefused(record: InnerRecord, error: DataError): void {
  applyEvent(coreOf(record), { type: 'refused', error });
  didChange(record, { kind: 'restored' });
}

/** Ends the conflict of a record: it has no error any more. The caller tells the owners, with what the conflict has ended in. */
export function endConflict(record: InnerRecord): void {
  applyEvent(coreOf(record), { type: 'refused', error: undefined, failure: undefined });
}

/** Notes the values on which fields were edited for which another value has come since. */
export function setNewer(record: InnerRecord, edited: Edits): void {
  (coreOf(record) as WritableCore).newer = edited;
}

/** Takes the newer values of fields as seen: the application has decided about them. */
export function acceptNewer(record: InnerRecord, fields: Iterable<FieldDefinition>): void {
  for (const field of fields) (coreOf(record) as WritableCore).newer?.delete(field);
}

/** Gives a record the state of a write that an earlier process may have sent, and whose outcome is not known here. */
export function restoreWrite(
  record: InnerRecord,
  write: Omit<Extract<WriteEvent, { type: 'restored' }>, 'type'>,
): void {
  applyEvent(coreOf(record), { type: 'restored', ...write });
}

/** Gives a new record the temporary id that it had in an earlier process, or that another record has had. */
export function restoreTemporaryId(record: InnerRecord, temporaryId: RecordId): void {
  applyEvent(coreOf(record), { type: 'made', temporaryId });
}

/** Gives what waits of a record the id of a new record to which it refers. */
export function resolveWaiting(record: InnerRecord, resolve: (change: Change) => Change): void {
  for (const entry of coreOf(record).entries) entry.change = resolve(entry.change);
}

/** Gives a field the id of a record that was created: as an edit, or in the base, where it does not count as one. */
export function settleReference(record: InnerRecord, field: FieldDefinition, id: unknown, isEdit: boolean): void {
  const core = coreOf(record);
  const previousId = record[MODEL].serverId(record);
  willChange(record, field.names);
  if (!isEdit) {
    const written = field.write(id, record[ROW]);
    writeBase(record, withWritten(record[ROW], new Map([[field, written]])));
    const isConverted = !field.isDirect(written) || written !== id;
    if (isConverted || record[CACHE]) cacheValue(record, field, isConverted ? rounded(id) : undefined);
  } else if (isConfirmed(record, field, id)) (core as WritableCore).edits?.delete(field);
  else ((core as WritableCore).edits ??= new Map()).set(field, id);
  didChange(record, { kind: 'set', fields: field.names, previousId });
  core.listeners?.emit('set', { record, modified: valuesOf(record, [field]) });
}

/** The values that a record has when a write of it has been undone. */
export interface UndoneValues {
  /** The row with the values that the undone write has sent. */
  readonly sentRow: Data;
  /** The row that the server has again. */
  readonly row: Data;
  /** The values that become edits again, and those that were edited since. */
  readonly edits: ReadonlyEdits;
  /** Fields whose values were changed or sent after the undone write. */
  readonly laterFields: readonly FieldDefinition[];
  /** Fields whose embedded records were edited in place, and get the row before the write again. */
  readonly inside: readonly FieldDefinition[];
  readonly rowBefore: Readonly<Data>;
  /** Fields whose values on the server are not known, because the undoing request got no clear response. */
  readonly unconfirmedFields: readonly FieldDefinition[];
}

/** Gives the records that refer to a record by its id `before` the id that it has now. */
function tellReferring(record: InnerRecord, before: unknown): void {
  for (const reference of coreOf(record).referring ?? []) {
    const each = reference.deref();
    each?.[MODEL].references?.replaceParentId(each, record, before);
  }
}

/** Settles the undoing of a write: what the write has sent becomes pending again, and later edits stay. */
export function settleUndone(
  record: InnerRecord,
  undone: UndoneValues,
  event: Omit<Extract<WriteEvent, { type: 'undone' }>, 'type' | 'at'>,
): void {
  const { sentRow, row, edits, laterFields, inside, rowBefore, unconfirmedFields } = undone;
  const { [MODEL]: model } = record;
  const core = coreOf(record);
  const previousId = model.serverId(record);
  willChange(record);
  // An embedded record that has replaced another one must not take over the row of the replaced record.
  for (const field of laterFields) if (field.embedding) cacheValue(record, field, undefined);
  // Embedded records have the response's rows now. The first `rebase` gives them the sent rows again; the second one, below,
  // gives them the rows before the write, on which the sent values become edits.
  rebase(record, sentRow);
  // A value that has replaced the embedded records of the old row takes nothing from that row.
  const replaced = [...edits.keys()].filter((field) => field.embedding && !inside.includes(field));
  for (const field of replaced) cacheValue(record, field, undefined);
  const pending = new Map([...edits].filter(([field]) => !replaced.includes(field)));
  (core as WritableCore).edits = pending;
  const rowsBefore: Edits = new Map(inside.map((field) => [field, field.raw(rowBefore)]));
  rebase(record, row, { written: rowsBefore, live: new Map(inside.map((field) => [field, edits.get(field)])) });
  for (const field of replaced) pending.set(field, edits.get(field));
  markFieldsUnconfirmed(record, unconfirmedFields);
  // Without a response, the server may have the written values, so a later decision about the record is settled against these.
  if (!event.unanswered) dropSettled(record);
  else if (pending.size === 0) (core as WritableCore).edits = undefined;
  applyEvent(core, { type: 'undone', at: nextTime(model), ...event });
  if (core.referring) tellReferring(record, previousId);
  tell(record, { kind: 'reject', previousId });
}

/** Marks the row of a record as incomplete: it is read before a write that would erase what the row lacks. */
export function markIncomplete(record: InnerRecord): void {
  applyEvent(coreOf(record), { type: 'read', incomplete: true });
}

/** Marks fields whose values on the server are not known until a read shows them that began at the given time or later. */
export function markFieldsUnconfirmed(
  record: InnerRecord,
  fields: Iterable<FieldDefinition>,
  at: number = nextTime(record[MODEL]),
): void {
  markUnconfirmed(coreOf(record), fields, at);
}

/** Takes the edits of fields back. They are deleted rather than set back, because setting a field to its base value may count as an edit. */
export function dropEdits(record: InnerRecord, fields: readonly FieldDefinition[]): void {
  const { edits } = coreOf(record) as WritableCore;
  for (const field of fields) field.embedding?.reject(record, edits?.get(field));
  willChange(
    record,
    fields.map(({ name }) => name),
  );
  for (const field of fields) edits?.delete(field);
  if (fields.length > 0) reportSet(record, fields);
}

/** Takes all edits of a record away without telling anybody, because another record has them now. */
export function forgetEdits(record: InnerRecord): void {
  (coreOf(record) as WritableCore).edits = undefined;
}

/** Ends a write: tells the owners of the record. */
function tell(record: InnerRecord, change: RecordChange): void {
  const core = coreOf(record);
  // Settled before the owners are told, because they show that the record is no longer being saved. With `settled` hooks of extensions, the
  // write has settled when these have run.
  if (!core.awaitsSettledHooks) core.hasSettled = true;
  didChange(record, change);
}

/**
 * Makes the row of a read the base of its record. Returns false, and changes nothing, for a read that started before the last write
 * settled: its row is stale. Of an older version of a row that came since the read started, only what that row lacks is taken. An `incomplete` row is merged into the known row. Nobody is told about a row that changes nothing: the same row
 * again of a record without any state but its row.
 */
export function settleRead(record: InnerRecord, row: Data, startedAt: number, incomplete: boolean = false): boolean {
  const { [CORE]: core, [ROW]: before, [MODEL]: model } = record;
  if (core && (core.settledAt > startedAt || core.erased)) return false;
  const isOvertaken = core !== undefined && core.readAt > startedAt && model.isOlder?.(row, before) === true;
  // An older row still has members that the known one may lack.
  const [first, second] = isOvertaken ? [row, before] : [before, row];
  const next = incomplete || isOvertaken ? mergePart(first, second, model.fields) : row;
  const isEqual = isSame(before, next);
  // Embedded records take their part of every row, because each may have read a row by itself.
  if (isEqual && !core && !model.embeds && !notesOf(before) && !notesOf(row)) return true;
  const previousId = model.serverId(record);
  willChange(record);
  const isAwaited = core !== undefined && core.entries.size > 0;
  const known = isAwaited ? knownValues(record, NOTHING_SENT) : NOTHING_SENT;
  rebase(record, next);
  if (core && !isEqual) noteNewer(record, before);
  if (core && !incomplete) (core as WritableCore).assumed = undefined;
  if (isAwaited) resolveWaiting(record, (each) => waitingOnRead(record, each, before, known));
  // After `rebase`, which looks for the lines that an unanswered write has stored.
  if (core) confirmFields(core, ({ path }) => !incomplete || (path !== undefined && hasPath(row, path)), startedAt);
  // Compared again if `rebase` has kept local values that the row does not contain.
  const same = isEqual || (record[ROW] !== next && isSame(before, record[ROW]));
  const notes = (incomplete ? notesAfterPart : notesAfterRead)(before, row, same);
  setNotes(record[ROW], isOvertaken ? notesOf(before) : notes);
  if (core) {
    applyEvent(core, { type: 'read', incomplete: incomplete && core.incomplete, at: startedAt });
    if (!core.sent) dropSettled(record);
  }
  didChange(record, { kind: 'loaded', previousId, same });
  return true;
}

/**
 * Notes the edited fields for which a new row has other values than the row `before`, unless the new row may show what this page has sent itself,
 * in the form in which the server has stored it. A row that lacks a field says nothing about it. `written`: the fields that another tab has saved.
 */
export function noteNewer(record: InnerRecord, before: Data, written?: ReadonlyEdits): void {
  const core = coreOf(record);
  for (const field of core.edits?.keys() ?? []) {
    const [was, is] = [field.raw(before), field.raw(record[ROW])];
    if (was === undefined || is === undefined || written?.has(field)) continue;
    field.embedding?.noteNewer(record, field, was);
    if (field.embedding || isSame(field.read(was), field.read(is))) continue;
    const unanswered = core.unconfirmedFields?.get(field)?.sent ?? [];
    const isOwn =
      isSame(core.sent?.get(field), is) ||
      isSame(core.assumed?.get(field)?.written.get(field), was) ||
      unanswered.some((each) => isSame(each.written.get(field), is));
    if (!isOwn && !core.newer?.has(field)) ((core as WritableCore).newer ??= new Map()).set(field, was);
  }
}

/** The members of a response that belong to the row, when the response is not the whole row. */
function rowMembersOf(reply: Data, before: Data, model: ModelDefinition): Data {
  const isDeclared = (name: string) => model.fields.some(({ path }) => path?.[0] === name);
  const members = Object.entries(reply).filter(([name]) => Object.hasOwn(before, name) || isDeclared(name));
  return Object.fromEntries(members);
}

/**
 * Whether a complete reply is all that the server has. It may have added members to a created row, and a PUT without them would erase them
 *: some servers answer a create with `{ id: 1 }` only. A row of which only a part was known is whole if the response adds to it.
 */
function isWhole(reply: Data, sentRow: Data, isNew: boolean, model: ModelDefinition): boolean {
  if (!isNew) return Object.keys(reply).some((name) => !Object.hasOwn(sentRow, name));
  const { fields, idField } = model;
  const hasMoreThanId = fields.some(
    (field) => field !== idField && field.path !== undefined && hasPath(reply, field.path),
  );
  return hasMoreThanId || sentMembers(sentRow, model).length > 0;
}

/** The members of a sent row that a complete reply has: not those that are never sent, nor the id, which may come in `Location`. */
function sentMembers(row: Data, { fields, idField }: ModelDefinition): readonly string[] {
  const missing = new Set<string>();
  const present = new Set<string>();
  for (const field of fields) {
    const [member] = field.path ?? [];
    if (member !== undefined) (field.persist && field !== idField ? present : missing).add(member as string);
  }
  const names: string[] = [];
  for (const name of Object.keys(row))
    if (row[name] !== undefined && (present.has(name) || !missing.has(name))) names.push(name);
  return names;
}

/**
 * Drops the edits whose values have become the base. An outbox may send values next that were saved behind the write that has ended: a value
 * that was set back since stays an edit.
 */
function dropSettled(record: InnerRecord, sent?: ReadonlyEdits, saved?: ReadonlyEdits): void {
  const core = coreOf(record);
  const { keeper } = core;
  const { edits } = core as WritableCore;
  if (!edits) return;
  // Without sent values, the edits are not written: a value that cannot be written may be why nothing was sent.
  const now = sent && writeEdits(record, edits, record[ROW], true);
  for (const [field, value] of edits) {
    if (core.holds(field)) continue;
    const written = now?.get(field);
    const isSavedValue = saved?.has(field) && isSame(saved.get(field), written);
    const isSentValue = now?.has(field) && (isSavedValue || isSame(sent?.get(field), written));
    const isSent = sent?.has(field) && (isSentValue || isBase(record, field, value));
    const isSettled = isSent || isKnownBase(record, field, value);
    if (isSettled && !keeper?.queuesChange(record, field.name, sent !== undefined)) edits.delete(field);
  }
  if (edits.size === 0) (core as WritableCore).edits = undefined;
}

const NOTHING_SENT: SettledValues = Object.freeze({ at: 0, written: new Map(), live: new Map() });
