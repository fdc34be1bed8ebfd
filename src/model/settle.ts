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
import { type Data, type DataPath, hasPath, isData, setMember } from '../util/data-path.js';
import { rounded } from '../util/rounded.js';
import { isSame } from '../util/values.js';
import { type Change, changeWith, folded, haveSameParameters, without } from './change.js';
import { classifyOutcome, isUnanswered } from './classify-outcome.js';
import { createdId, type OperationAnswer } from './created-id.js';
import { type FieldDefinition, isAlikeRaw } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import {
  cacheValue,
  coreOf,
  exactValue,
  type InnerRecord,
  isBase,
  isConfirmed,
  rebase,
  reportSet,
  valuesOf,
  withWritten,
  writeBase,
  writeEdits,
} from './record.js';
import {
  confirmFields,
  type Edits,
  type Entry,
  markUnconfirmed,
  type ReadonlyEdits,
  type RecordCore,
  whenBegun,
  whenErased,
  whenFailed,
  whenInConflict,
  whenMade,
  whenNotCreated,
  whenNotSent,
  whenRead,
  whenRefused,
  whenRestored,
  whenSaved,
  whenUndone,
} from './record-core.js';
import { didChange, type RecordChange, type WrittenRows, willChange } from './record-owner.js';
import { CACHE, CORE, ROW } from './symbols.js';
import { knownValues, type SettledValues, waitingAfter } from './waiting-changes.js';

// Only this file changes the base, the edits and the state of a record when an operation ends. Whoever else has to change them calls it.

/** Advances a model's clock. An operation that begins at the returned time is later than all operations that have ended. */
export function nextTime({ clock }: ModelDefinition): number {
  return (clock.now += 1);
}

/**
 * Adds what was saved, or is to be erased, to the list of what its record has to write: its values are edits no more. `joined`: the entry that
 * gets the values.
 */
export function addEntry(record: InnerRecord, change: Change, joined: Entry = { change, state: 'waiting' }): Entry {
  const core = coreOf(record);
  if (joined.change !== change) {
    joined.since ??= joined.change.at;
    joined.change = folded(joined.change, change, change.at);
  }
  core.list([...core.entries.filter((each) => each !== joined), joined]);
  return joined;
}

/** Makes values that a record shows for fields edits of it, also where they are those of its row. */
export function keepAsEdits(record: InnerRecord, fields: Iterable<FieldDefinition>): void {
  const core = coreOf(record);
  for (const field of fields) if (!core.typed.has(field)) core.edit(field, { value: exactValue(record, field) });
}

/** Ends an entry that is not sent: its values are edits again. */
export function endEntry(record: InnerRecord, entry: Entry): void {
  if (entry.state !== 'waiting') return;
  const { size } = coreOf(record).edits;
  returnEdits(record, [entry]);
  if (coreOf(record).edits.size < size) didChange(record, { kind: 'failed' });
}

/** Takes entries out of the list: what they have saved is edited again, or is sent by a save that waits, where nothing newer was saved or typed. */
function returnEdits(record: InnerRecord, ended: readonly Entry[]): void {
  const core = coreOf(record);
  const left = core.entries.filter((each) => !ended.includes(each));
  // The last one first: of two that have a value for a field, that of the later one stays.
  for (const { change, state, again = change, since = change.at } of [...ended].reverse()) {
    // An erase has no values, and what it has seen says nothing about those of a save.
    if (change.action === 'destroy') continue;
    const next = left.find(
      (each) =>
        each.state === 'waiting' &&
        each.change.action !== 'destroy' &&
        // A save that was called earlier does not take what could not be sent.
        (state === 'open' || each.change.at > change.at),
    );
    if (next && haveSameParameters(next.change, change)) {
      next.change = folded(again, next.change);
      next.since = Math.min(since, next.since ?? next.change.at);
    } else editAgain(core, change, left);
  }
  core.list(left);
  dropSettled(record);
}

/** Makes values of a change edits, but for fields of which something newer was typed or is in `entries`. */
function editAgain(core: RecordCore, { at, live }: Pick<Change, 'at' | 'live'>, entries: readonly Entry[]): void {
  for (const [field, value] of live) {
    const hasNewer = entries.some(({ change }) => change.at > at && change.live.has(field));
    if (!core.typed.has(field) && !hasNewer) core.edit(field, { value });
  }
}

/** Begins the write of a change: it is compared with the response later. Of the changes that were captured before, it has the newer values. */
export function beginChange(record: InnerRecord, change: Change): void {
  const core = coreOf(record);
  let begun: Entry | undefined;
  for (const entry of core.entries)
    if (entry.change.at === change.at) {
      // A repeat has the values of the first attempt, and an outbox those that it has stored: all others are edited again.
      if (entry.change !== change) editAgain(core, without(entry.change, change.live), core.entries);
      record[MODEL].embeds?.adopt(record, change, entry.change);
      begun = Object.assign(entry, { change, state: 'open' as const, again: undefined });
    }
  if (!begun) addOpen(record, change);
  else if (core.entries.length > 1) leaveOlderOut(core, change);
  else core.list(core.entries);
  Object.assign(core, whenBegun(nextTime(record[MODEL])));
}

/**
 * Adds a change to the list whose request was made of no entry of it, such as one of an outbox or of another tab: what waits was saved later, and
 * the edits that show its values are edits no more.
 */
export function addOpen(record: InnerRecord, change: Change): void {
  const core = coreOf(record);
  record[MODEL].embeds?.adopt(record, change);
  const place = core.entries.findLastIndex((each) => each.state === 'open' || each.change.at < change.at) + 1;
  core.list([...core.entries.slice(0, place), { change, state: 'open' }, ...core.entries.slice(place)]);
  leaveOlderOut(core, change);
  takeEdits(record, change);
}

/** Leaves the values out of saves that wait for which a change that begins has newer ones. */
function leaveOlderOut(core: RecordCore, change: Change): void {
  for (const entry of core.entries)
    if (entry.state === 'waiting' && entry.change.at < change.at && haveSameParameters(entry.change, change))
      entry.change = without(entry.change, change.written);
  core.list(core.entries);
}

/** Leaves fields out of what was saved and is not answered: they have got newer values. What was sent stays known. */
export function leaveOut(record: InnerRecord, fields: readonly FieldDefinition[]): void {
  const core = coreOf(record);
  const all = new Map(fields.map((field) => [field, undefined]));
  for (const entry of core.entries) {
    const { change, state, again } = entry;
    const left = without(change, all);
    entry.change = state === 'open' ? changeWith(change, { live: left.live }) : left;
    entry.again = again && without(again, all);
  }
  core.list(core.entries);
}

/** Takes the edits away that a change has which was not made of them, such as one of an outbox. */
export function takeEdits(record: InnerRecord, { live, written, saved = written }: Change): void {
  const core = coreOf(record);
  const isTaken = ([field, value]: readonly [FieldDefinition, unknown]) =>
    field.embedding ? live.get(field) === value : live.has(field);
  const now = writeEdits(record, new Map([...core.typed].filter(isTaken)), record[ROW], true);
  for (const [field, value] of now) {
    // A list that was merged with that of the server has the lines of both.
    const isSent = isSame(saved.get(field), value) || (field.embedding && isSame(written.get(field), value));
    if (isSent) core.edit(field, undefined);
  }
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
  // Most writes are the only one of their record.
  const isAlone = core.entries.length === 0 || (core.entries.length === 1 && core.entries[0]?.change === change);
  const known = isAlone ? change : knownValues(record, change);
  rebase(record, row, change);
  setNotes(record[ROW], notes);
  if (isAlone) core.list([]);
  else {
    core.list(core.entries.filter((each) => each.state === 'waiting' || each.change.at > change.at));
    // The values of later attempts are not known to be stored.
    returnEdits(record, core.open);
    resolveWaiting(record, (each) => waitingAfter(record, each, change, sentRow, known));
  }
  Object.assign(core, whenSaved(core, nextTime(model), incomplete));
  if (wasNew || id !== previousId) model.phantoms?.markPermanent(id);
  if (complete) core.assumed = undefined;
  for (const field of sent.keys()) {
    // The base has what was written here now: nobody else has changed it since.
    core.newer?.delete(field);
    if (!complete) (core.assumed ??= new Map()).set(field, change);
  }
  // Somebody else may have written over what was saved, before the answer came.
  if (row !== answered) noteNewer(record, answered);
  if (core.referring) tellReferring(record, previousId);
  // A new record to which this one referred has its id by now, so nothing needs to keep it in memory.
  if (core.parents) model.references?.keepParents(record);
  if (core.typed.size > 0) dropSettled(record, true);
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
  let complete = isData(reply);
  for (const name of sentMembers(sentRow, model)) complete &&= Object.hasOwn(received, name);
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
  const { change } = core;
  const attempts = core.open.map((each) => each.change).reverse();
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
  const { change, open } = core;
  for (const each of open) each.error = error;
  // An earlier attempt of this write may have got no response, whatever the last one was answered.
  const isOpen = isUnanswered(error, isNew, operation) || Boolean(operation?.unclear);
  Object.assign(core, whenFailed(core, { error, ending, isUnanswered: isOpen, isErase }));
  // Marked before edits are dropped: a field that was set back during the write stays edited, as the server may have the sent
  // value.
  if (!isNew && (core.unconfirmed || isOpen) && change)
    markUnconfirmed(core, change.written.keys(), nextTime(record[MODEL]), change);
  // After a repeat that was refused or not sent, the record may still be the one that an earlier attempt has created.
  const attempts = isOpen || !unconfirmed ? open.length : Math.max(1, open.length - 1);
  if (!isErase) returnEdits(record, open.slice(isNew && core.unconfirmed ? attempts : 0));
  tell(record, { kind: isErase ? 'restored' : 'failed' });
  return ending;
}

/** Settles a write of which nothing was sent, as if it had never been requested. */
export function settleNotSent(record: InnerRecord): void {
  Object.assign(coreOf(record), whenNotSent());
  returnEdits(record, coreOf(record).open);
}

/** Settles a write that has begun with a change, and was given up before it was sent. */
export function settleGivenUp(record: InnerRecord, change: Change | undefined): void {
  // Values that another tab has saved since may have been left out of the change: it is found by its time.
  returnEdits(
    record,
    coreOf(record).open.filter((each) => each.change.at === change?.at),
  );
}

/** Settles an unconfirmed create that has made no record. */
export function settleNotCreated(record: InnerRecord): void {
  willChange(record);
  Object.assign(coreOf(record), whenNotCreated());
  returnEdits(record, coreOf(record).open);
  tell(record, { kind: 'failed' });
}

/** Settles a successful erase; `written`: it was sent by this page. */
export function settleErased(record: InnerRecord, written?: WrittenRows): void {
  const core = coreOf(record);
  core.edits = new Map(core.edits);
  core.list([]);
  Object.assign(core, whenErased(nextTime(record[MODEL])));
  tell(record, { kind: 'erased', written });
  core.listeners?.emit('erase', { record });
}

/**
 * Settles a write that could not start, or whose conflict is over: the error is that of the record's last write. The `kind` is `restored` for an erase:
 * its record is shown again.
 */
export function settleRefused(record: InnerRecord, error: DataError, kind: 'failed' | 'restored' = 'failed'): void {
  Object.assign(coreOf(record), whenRefused(error));
  didChange(record, { kind });
}

/** Shows a conflict of a record that another page or process was told, or that it is over. The record has not written. */
export function showConflict(record: InnerRecord, error: DataError | undefined): void {
  Object.assign(coreOf(record), whenInConflict(error));
  didChange(record, { kind: 'failed' });
}

/** Ends the conflict of a record: it has no error any more. The caller tells the owners, with what the conflict has ended in. */
export function endConflict(record: InnerRecord): void {
  Object.assign(coreOf(record), whenInConflict(undefined));
}

/** Notes the values on which fields were edited for which another value has come since. */
export function setNewer(record: InnerRecord, edited: Edits): void {
  coreOf(record).newer = edited;
}

/** Takes the newer values of fields as seen: the application has decided about them. */
export function acceptNewer(record: InnerRecord, fields: Iterable<FieldDefinition>): void {
  for (const field of fields) coreOf(record).newer?.delete(field);
}

/** A write that an outbox has restored. */
interface RestoredWrite {
  readonly change?: Change | undefined;
  readonly unconfirmed?: DataError | undefined;
  readonly failure?: DataError | undefined;
  readonly isShown: boolean;
}

/** Gives a record the state of a write that an earlier process may have sent, and whose outcome is not known here. */
export function restoreWrite(record: InnerRecord, { change, unconfirmed, failure, isShown }: RestoredWrite): void {
  const core = coreOf(record);
  const others = core.open.filter((each) => each.change !== change);
  if (change && core.change !== change) addOpen(record, change);
  if (others.length > 0) returnEdits(record, others);
  Object.assign(core, whenRestored(unconfirmed, isShown, failure));
}

/** Gives a new record the temporary id that it had in an earlier process, or that another record has had. */
export function restoreTemporaryId(record: InnerRecord, temporaryId: RecordId): void {
  Object.assign(coreOf(record), whenMade(temporaryId));
}

/** Changes what is still to be sent of a record, or to be sent again: after a read, or with the id of a new record to which it refers. */
export function resolveWaiting(record: InnerRecord, resolve: (change: Change) => Change): void {
  const core = coreOf(record);
  for (const entry of core.entries) {
    const { change, state, again = change } = entry;
    const resolved = resolve(again);
    if (state === 'open') entry.again = resolved;
    else {
      entry.change = resolved;
      record[MODEL].embeds?.adopt(record, resolved, change);
    }
  }
  core.list(core.entries);
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
  } else core.edit(field, isConfirmed(record, field, id) ? undefined : { value: id });
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

/** A write that was undone; `unanswered`: the undoing got no response, and `change` is what the server may have. */
interface UndoneWrite {
  readonly wasCreate: boolean;
  readonly temporaryId: RecordId | undefined;
  readonly unanswered?: DataError | undefined;
  readonly change?: Change | undefined;
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
  { wasCreate, temporaryId, unanswered, change }: UndoneWrite,
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
  core.edits = pending;
  const rowsBefore: Edits = new Map(inside.map((field) => [field, field.raw(rowBefore)]));
  rebase(record, row, { written: rowsBefore, live: new Map(inside.map((field) => [field, edits.get(field)])) });
  for (const field of replaced) core.edit(field, { value: edits.get(field) });
  markFieldsUnconfirmed(record, unconfirmedFields);
  // Without a response, the server may have the written values, so a later decision about the record is settled against these.
  if (change) restoreWrite(record, { change, isShown: false });
  else dropSettled(record);
  Object.assign(core, whenUndone(nextTime(model), wasCreate ? whenMade(temporaryId) : undefined, unanswered));
  if (core.referring) tellReferring(record, previousId);
  tell(record, { kind: 'reject', previousId });
}

/** Marks the row of a record as incomplete: it is read before a write that would erase what the row lacks. */
export function markIncomplete(record: InnerRecord): void {
  const core = coreOf(record);
  Object.assign(core, whenRead(core, true));
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
  const core = coreOf(record);
  for (const field of fields) field.embedding?.reject(record, core.edits.get(field));
  willChange(
    record,
    fields.map(({ name }) => name),
  );
  for (const field of fields) core.edit(field, undefined);
  if (fields.length > 0) reportSet(record, fields);
}

/**
 * Notes that an outbox shows values for fields, which the application has not set in this record: where two records of one row become one, what it
 * has set in the other one stays.
 */
export function showAsOlder(record: InnerRecord, names: Iterable<string>): void {
  for (const name of names) delete coreOf(record).editedAt[name];
}

/** Takes all edits of a record away without telling anybody, because another record has them now. */
export function forgetEdits(record: InnerRecord): void {
  coreOf(record).edits = undefined;
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
  const isAwaited = core !== undefined && core.entries.length > 0;
  const known = isAwaited ? knownValues(record, NOTHING_SENT) : NOTHING_SENT;
  rebase(record, next);
  const unseen = core && !isEqual ? noteNewer(record, before) : NO_FIELDS;
  if (core && !incomplete) core.assumed = undefined;
  if (isAwaited)
    resolveWaiting(record, (each) => {
      const waiting = asUnseen(each, unseen, before);
      return model.embeds?.onRead(record, waiting, before, known) ?? waiting;
    });
  // After `rebase`, which looks for the lines that an unanswered write has stored.
  if (core) confirmFields(core, ({ path }) => !incomplete || (path !== undefined && hasPath(row, path)), startedAt);
  // Compared again if `rebase` has kept local values that the row does not contain.
  const same = isEqual || (record[ROW] !== next && isSame(before, record[ROW]));
  const notes = (incomplete ? notesAfterPart : notesAfterRead)(before, row, same);
  setNotes(record[ROW], isOvertaken ? notesOf(before) : notes);
  if (core) {
    Object.assign(core, whenRead(core, incomplete && core.incomplete, startedAt));
    dropSettled(record);
  }
  didChange(record, { kind: 'loaded', previousId, same });
  return true;
}

/**
 * Notes the edited fields for which a new row has other values than the row `before`, unless the new row may show what this page has sent itself,
 * in the form in which the server has stored it. A row that lacks a field says nothing about it. `written`: the fields that another tab has saved.
 * Returns all fields with such values, for an erase: that writes over each of them.
 */
export function noteNewer(record: InnerRecord, before: Data, written?: ReadonlyEdits): ReadonlySet<FieldDefinition> {
  const { [MODEL]: model, [ROW]: row } = record;
  const core = coreOf(record);
  const unseen = new Set<FieldDefinition>();
  for (const field of model.fields) {
    const [was, is] = [field.raw(before), field.raw(row)];
    if (was === undefined || is === undefined || written?.has(field)) continue;
    const isEdited = core.edits.has(field);
    if (field.embedding && isEdited) {
      if (field.embedding.noteNewer(record, field, was)) unseen.add(field);
      continue;
    }
    if (isAlikeRaw(field, was, is) || mayBeOwn(record, field)) continue;
    unseen.add(field);
    // The server may have stored what an incomplete answer left out in a form of its own.
    const isAssumed = isSame(core.assumed?.get(field)?.written.get(field), was);
    if (isEdited && !isAssumed && !core.newer?.has(field)) (core.newer ??= new Map()).set(field, was);
  }
  return unseen;
}

/** Whether the value of a field in the row of a record may be one of this page: edited, or sent. */
function mayBeOwn(record: InnerRecord, field: FieldDefinition): boolean {
  const { sent, unconfirmedFields, edits } = coreOf(record);
  const is = field.raw(record[ROW]);
  const unanswered = unconfirmedFields?.get(field)?.sent ?? [];
  return (
    isSame(sent?.get(field), is) ||
    unanswered.some((each) => isSame(each.written.get(field), is)) ||
    (edits.has(field) && isBase(record, field, edits.get(field)))
  );
}

/** A change that waits, with the row `before` as the one that its user has seen if it would write over a field in `unseen`. */
function asUnseen(change: Change, unseen: ReadonlySet<FieldDefinition>, before: Data): Change {
  const { action, edits, seen = before } = change;
  const isOver = action === 'destroy' ? unseen.size > 0 : [...edits.keys()].some((field) => unseen.has(field));
  return isOver && action !== 'create' ? changeWith(change, { seen }) : change;
}

const NO_FIELDS: ReadonlySet<FieldDefinition> = new Set();

/** The members of a response that belong to the row, when the response is not the whole row. */
function rowMembersOf(reply: Data, before: Data, model: ModelDefinition): Data {
  const members: Data = {};
  for (const [name, value] of Object.entries(reply))
    if (Object.hasOwn(before, name) || model.fields.some(({ path }) => path?.[0] === name))
      setMember(members, name, value);
  return members;
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

/** Drops the edits that are no edits any more. `isAnswered`: a write has ended whose values the row has. */
function dropSettled(record: InnerRecord, isAnswered: boolean = false): void {
  const core = coreOf(record);
  for (const [field, value] of core.typed)
    if (isConfirmed(record, field, value, isAnswered)) core.edit(field, undefined);
}

const NOTHING_SENT: SettledValues = Object.freeze({ at: 0, written: new Map(), live: new Map() });

/**
 * Merges an incomplete row into the known row. Where fields lie inside a member (`address.city`), the incomplete row may hold a part of
 * that member, so its other members stay; every other value is replaced.
 */
function mergePart(known: Data, part: Data, fields: readonly FieldDefinition[], path: DataPath = []): Data {
  const merged: Data = { ...known };
  for (const [name, value] of Object.entries(part)) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    const inside = [...path, name];
    const isPart = isData(value) && isData(before) && isSplit(fields, inside);
    setMember(merged, name, isPart ? mergePart(before, value, fields, inside) : value);
  }
  return merged;
}

/** Whether fields lie inside the object at a path, and none has the object as its value. */
function isSplit(fields: readonly FieldDefinition[], at: DataPath): boolean {
  const inside = fields.filter(({ path }) => path !== undefined && at.every((name, i) => path[i] === name));
  return inside.length > 0 && inside.every(({ path }) => (path as DataPath).length > at.length);
}
