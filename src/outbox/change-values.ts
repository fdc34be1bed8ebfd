import type { Dialect } from '../dialect/dialect.js';
import { changedNotes, setNotes } from '../extension/row-notes.js';
import type { WriteAction } from '../extension/write-hook.js';
import { type Change, captureChange, changeWith } from '../model/change.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { randomUuid } from '../model/identifier.js';
import type { InnerModel, ModelDefinition } from '../model/model-definition.js';
import { fieldShape, type LinesOfList, rowShape } from '../model/parts/field-shape.js';
import {
  type ChangeValues,
  createValues,
  editedValues,
  notesOf,
  type WireValues,
  wireId,
  withWire,
  writtenIn,
} from '../model/parts/wire-values.js';
import {
  cachedValue,
  coreOf,
  exactValue,
  type InnerRecord,
  inner,
  isInner,
  type LiveRow,
  setValues,
  withWritten,
  writeEdits,
} from '../model/record.js';
import type { Edits } from '../model/record-core.js';
import { markFieldsUnconfirmed, markIncomplete, restoreTemporaryId, showAsOlder } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL, writeId } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type Data, hasPath, isData, readPath, writePath } from '../util/data-path.js';
import { type List, type MergeConflict, type MergeOptions, merge3, mergeLines, pairLines } from '../util/merge3.js';
import { isSame } from '../util/values.js';
import { type Earlier, fieldsOfChange, partOf } from './known-changes.js';
import { dependenciesOf, type IdOf, type Job } from './next-job.js';
import { OutboxError } from './outbox-error.js';
import { type LoggedChange, type StoredChange, valuesIn } from './stored-change.js';

/**
 * The values that a save or erase of a record adds to its stored changes. `view` is the record with the values that were saved, `earlier`
 * is what the record knew of its stored changes then: only what was edited since is stored, from what the record showed before the edit.
 */
export function valuesToStore(
  record: InnerRecord,
  view: InnerRecord,
  action: WriteAction,
  earlier: Earlier,
): ChangeValues {
  const { [MODEL]: model } = view;
  const id = model.serverId(view) as RecordId | undefined;
  const isNew = Boolean(view[CORE]?.phantom);
  if (action === 'destroy')
    return { action, id: isNew ? undefined : id, values: {}, base: {}, dependsOn: {}, ...notesOf(view) };
  const saved = earlier.changes.filter(({ change }) => change.action !== 'destroy');
  const before = shownValues(record, saved, view[ROW]);
  if (!isNew) {
    const edited = editedValues(view, before, earlier.newer);
    const base = { ...edited.base };
    // Another tab may send this: it compares the row with the value on which the field was edited.
    for (const [{ name, embedding }, seen] of record[CORE]?.newer ?? [])
      if (!embedding && Object.hasOwn(base, name) && !before.has(name)) base[name] = seen;
    return { ...edited, base, action: 'update', id, ...notesOf(view) };
  }
  const all = createValues(view);
  if (!earlier.hasCreate) return { ...all, action: 'create' };
  // The values of all other fields were saved before.
  const saves = new Set([...coreOf(view).edits.keys()].map(({ name }) => name));
  const isChanged = (name: string, value?: unknown) =>
    saves.has(name) && !earlier.newer.has(name) && !isSame(before.get(name), value);
  const values = Object.fromEntries(Object.entries(all.values).filter(([name, value]) => isChanged(name, value)));
  const cleared = (all.cleared ?? []).filter((name) => isChanged(name));
  const names = [...Object.keys(values), ...cleared];
  const base = Object.fromEntries(names.map((name) => [name, before.get(name)]));
  const dependsOn = Object.fromEntries(Object.entries(all.dependsOn).filter(([name]) => Object.hasOwn(values, name)));
  return { action: 'update', values, base, dependsOn, ...(cleared.length > 0 && { cleared }) };
}

/** The version of a row, with the name of its member, if updates send it; undefined: they do not, or the row has none. */
export function versionOf(row: Readonly<Data>, proxy: DataProxy): WireValues | undefined {
  const { lockVersion } = (proxy as { readonly dialect?: Dialect }).dialect ?? {};
  return lockVersion !== undefined && row[lockVersion] !== undefined ? { [lockVersion]: row[lockVersion] } : undefined;
}

/** Whether a stored change changes nothing on the server. */
export function isEmpty({ action, values, cleared = [] }: ChangeValues): boolean {
  return action === 'update' && Object.keys(values).length + cleared.length === 0;
}

/**
 * Makes the change that a job sends, of its stored changes alone: their values, written into `base`, the row that the server has. Fields that refer to
 * created records get their ids. `live` are the changes that this page has captured, for what no storage can hold: the records inside
 * values, and values that are not sent.
 */
export function changeOf(
  record: InnerRecord,
  { action, group }: Job,
  base: Readonly<Data>,
  idOf: IdOf,
  live: readonly Change[],
  proxy: DataProxy,
): Change {
  const { [MODEL]: model } = record;
  const [first] = group as readonly [LoggedChange];
  const written = action === 'destroy' ? new Map() : writtenBy(model, action, group, base, idOf);
  const row = withWire(base, written);
  const last = live.at(-1);
  const isCreate = action === 'create';
  const edits: Edits = new Map();
  const known: Edits = new Map();
  const rows = new Map<InnerRecord, LiveRow>();
  for (const [field, value] of written) {
    const captured = live.findLast((each) => each.edits.has(field));
    const isCaptured = captured && isSame(captured.written.get(field), value);
    edits.set(field, isCaptured ? captured.edits.get(field) : field.readExact(field.raw(row), record));
    // A value that a create has of the record's row is no edit, even if another value was edited since.
    const isOfRow = isCreate && isSame(field.raw(record[ROW]), value);
    const isEdited = captured?.live.has(field) || (!isOfRow && record[CORE]?.edits.has(field));
    if (isEdited && !field.embedding) known.set(field, edits.get(field));
    else if (field.embedding && (isEdited || isCreate))
      known.set(field, liveOf(record, field, captured, { sent: value, row }, edits.get(field)));
    for (const [inside, its] of captured?.liveRows ?? []) rows.set(inside, its);
  }
  // The body of a create has the order of its row, so that a repeat after a restart is the same to the byte.
  const isInRow = (field: FieldDefinition) => isCreate && field !== model.idField && written.get(field) !== undefined;
  const from = isCreate ? withWire(base, new Map([...written].filter(([field]) => isInRow(field)))) : base;
  // A value that the application has edited is an edit nevertheless: what is saved behind the create has it, too.
  const isEdit = (field: FieldDefinition) => !isInRow(field) || live.some((each) => each.edits.has(field));
  const call = last?.call ?? {};
  const made = captureChange(record, action, last?.proxy ?? proxy, call, {
    edits: new Map([...edits].filter(([field]) => isEdit(field))),
    live: known,
    liveRows: rows,
  });
  return changeWith(made, {
    ...{ base: from, written, live: known, at: last?.at ?? 0 },
    saved: new Map([...valuesIn(group)].map(([name, value]) => [fieldOf(model, name), value])),
    id: action === 'create' ? undefined : (first.change.id ?? idOf(first.change.key)),
    temporaryId: first.change.clientId ?? last?.temporaryId,
    pathParams: last?.pathParams,
  });
}

/** The embedded records whose rows are sent as the value of a field: those that the save has captured, else those that the record has. */
function liveOf(
  record: InnerRecord,
  field: FieldDefinition,
  captured: Change | undefined,
  { sent, row }: { readonly sent: unknown; readonly row: Data },
  read: unknown,
): unknown {
  // A create has the lines of the record's row, which may have been edited since.
  const ofRow = isSame(field.raw(record[ROW]), sent) ? cachedValue(record, field) : undefined;
  const present = exactValue(record, field);
  const shown = ofRow ?? recordsOfLines(field, present, field.write(present, row), sent, read);
  if (!captured?.live.has(field)) return shown;
  return recordsOfLines(field, captured.live.get(field), captured.written.get(field), sent, shown);
}

/**
 * The records of a list in the places of the lines that are sent: these were merged with the lines of the server. A line without a record gets the
 * one in `others`, because the record shows the list until the write has ended.
 */
function recordsOfLines(
  { embedding }: FieldDefinition,
  live: unknown,
  rows: unknown,
  sent: unknown,
  others: unknown,
): unknown {
  if (!embedding || ![live, rows, sent, others].every(Array.isArray) || isSame(rows, sent)) return live;
  const [records, known, list, rest] = [live, rows, sent, others] as [List, List, List, List];
  const pairs = pairLines(known, list, rowShape(embedding.model, false, [known, records]), false);
  const placed = list.map((_, at) => records[pairs.get(at) ?? -1] ?? rest[at]);
  return placed.every((each, at) => each === rest[at]) ? others : Object.freeze(placed);
}

/** Whether an update edits a line that somebody else has removed from the row of the server, or removes one that was edited there. */
export function removesEdited(
  { [MODEL]: model }: InnerRecord,
  { action, group }: Job,
  row: Readonly<Data>,
  idOf: IdOf,
): boolean {
  let isFound = false;
  writtenBy(model, action, group, row, idOf, ({ path, base, mine, theirs }) => {
    isFound ||= typeof path.at(-1) === 'number' && isData(base) && (mine === undefined || theirs === undefined);
    return mine;
  });
  return isFound;
}

/** The values of a group in their JSON form. Inside a value, members that were not edited are those of `base`. */
function writtenBy(
  model: ModelDefinition,
  action: WriteAction,
  group: readonly LoggedChange[],
  base: Readonly<Data>,
  idOf: IdOf,
  decide?: MergeOptions['decide'],
): Edits {
  const written: Edits = new Map();
  for (const logged of group) {
    const { change } = logged;
    const isUpdate = change.action === 'update';
    if (!isUpdate && change.id !== undefined) written.set(model.idField, change.id);
    for (const [name, value] of valuesIn([logged])) {
      const field = fieldOf(model, name);
      const theirs = written.has(field) ? written.get(field) : writtenIn(field, base);
      // Deleted first, so that the order of the values is that of the edits.
      if (isUpdate && action === 'update') written.delete(field);
      const isRepeat = logged.progress.attempts > 0;
      written.set(field, valueOver(theirs, change, field, value, { isRepeat, decide }));
    }
  }
  for (const [name, key] of dependenciesOf(group)) {
    const field = fieldOf(model, name);
    written.set(field, wireId(field, idOf(key)));
  }
  return written;
}

/**
 * The value that a change gives a field: what an update has edited in it, written into the value that the field has. If nothing else is said, that
 * value may have what the update has added.
 */
function valueOver(
  theirs: unknown,
  { action, base }: StoredChange,
  field: FieldDefinition,
  value: unknown,
  options: MergeOptions = { isRepeat: true },
): unknown {
  const before = base[field.name];
  if (action !== 'update' || isSame(before, value)) return value;
  return merge3(before, value, theirs, { ...options, shape: fieldShape(field) });
}

/**
 * The values by which a record shows changes if nothing was edited since, by name. Embedded records show what was read since in the members that the
 * changes have not edited.
 */
export function shownValues(
  record: InnerRecord,
  changes: readonly Pick<LoggedChange, 'change'>[],
  row: Readonly<Data> = record[ROW],
): Map<string, unknown> {
  const shown = new Map<string, unknown>();
  for (const { change } of changes)
    for (const [name, value] of valuesIn([{ change }])) {
      const field = record[MODEL].field(name);
      if (!field?.embedding) shown.set(name, value);
      else shown.set(name, valueOver(shown.has(name) ? shown.get(name) : writtenIn(field, row), change, field, value));
    }
  return shown;
}

/** The values of a new record that are not sent, as a row. */
export function localRow(model: ModelDefinition, row: Readonly<Data> = {}): Data {
  const local: Data = {};
  for (const { persist, path } of model.fields)
    if (!persist && path && hasPath(row, path)) writePath(local, path, readPath(row, path));
  return local;
}

/** The values that the fields of changes had before. */
export function valuesBefore(model: ModelDefinition, changes: readonly LoggedChange[]): Map<FieldDefinition, unknown> {
  const before = new Map<FieldDefinition, unknown>();
  for (const { change } of changes)
    for (const name of fieldsOfChange(change)) {
      const field = fieldOf(model, name);
      if (!before.has(field)) before.set(field, change.base[name]);
    }
  return before;
}

/** The row that the server has, as far as the changes of a record know it: its id, and the edited members as they were before. */
export function rowBefore(model: ModelDefinition, changes: readonly LoggedChange[], id: unknown): Data {
  const row: Data = {};
  if (id !== undefined) writeId(row, model, id);
  const [first] = changes;
  for (const { change } of [...changes].reverse())
    for (const [name, value] of Object.entries(change.action === 'update' ? change.base : {})) {
      const { path } = fieldOf(model, name);
      if (path && value !== undefined) writePath(row, path, value);
    }
  return asSeen(row, first?.change);
}

/** A row with the version and the notes of the row on which a change was made, so that its request is conditional on that row. */
export function asSeen(row: Readonly<Data>, { notes, rowVersion }: Partial<StoredChange> = {}): Data {
  const copy = { ...row, ...rowVersion };
  if (notes) setNotes(copy, changedNotes({ values: notes }));
  return copy;
}

/** Sets fields of a record to the temporary ids of the new records that they refer to. */
export type SetReferences = (record: InnerRecord, dependsOn: Readonly<Record<string, string>>) => void;

/**
 * Makes a record from its stored changes. A record that the server knows is incomplete, because they hold only a part of its row. Throws
 * `OutboxError` if the model no longer has a field of them.
 */
export function makeRecord(
  Class: InnerModel,
  changes: readonly LoggedChange[],
  serverId: unknown,
  setReferences: SetReferences,
): InnerRecord {
  const [{ change: first }] = changes as readonly [LoggedChange];
  const model = Class[DEFINITION];
  let record: InnerRecord;
  if (first.action === 'create') {
    const edits = plainValues(model, first);
    const row = withWire({}, edits);
    const fields = [...edits.keys()].filter((field) => edits.get(field) !== undefined);
    record = inner(
      new Class(
        exactValues(
          fields.filter(({ derived }) => !derived),
          row,
        ),
        { phantom: true },
      ),
    );
    // Their values are read with those of the other fields.
    setValues(
      record,
      exactValues(
        fields.filter(({ derived }) => derived),
        row,
        record,
      ),
    );
    if (first.id !== undefined) setValues(record, { [model.idField.name]: model.idField.readExact(first.id) });
    for (const name of first.cleared ?? []) setValues(record, { [name]: undefined });
    const { temporaryId } = coreOf(record);
    // A counted id, or one from a custom generator, may belong to another record in this process: only random ids are restored.
    if (first.clientId !== undefined && temporaryId !== undefined && model.identifier === randomUuid) {
      restoreTemporaryId(record, first.clientId);
      model.phantoms?.add(first.clientId, record, false);
    }
    setReferences(record, first.dependsOn);
  } else {
    record = inner(Class.fromRow(rowBefore(model, changes, first.id ?? serverId)));
    markIncomplete(record);
    // An earlier attempt may have changed these fields on the server, so a stored value counts as an edit even if the row has the same
    // value, until the row is read.
    const written = [...valuesIn(changes).keys()].map((name) => fieldOf(model, name));
    markFieldsUnconfirmed(record, new Set(written), 0);
  }
  for (const { change } of first.action === 'create' ? changes.slice(1) : changes)
    showChange(record, change, setReferences);
  coreOf(record).key = first.key;
  return record;
}

/** Shows the values of a stored change on its record, as edits. Those that are being typed there stay; see {@link showInside}. */
export function showChange(
  record: InnerRecord,
  change: StoredChange,
  setReferences: SetReferences,
  isTyped: (name: string) => boolean = () => false,
): void {
  if (change.action === 'destroy') return;
  const plain = [...plainValues(record[MODEL], change)];
  const edits: Edits = new Map(plain.filter(([field]) => !field.embedding && !isTyped(field.name)));
  if (edits.size > 0) {
    const row = withWire(withWritten(record[ROW], writeEdits(record)), edits);
    setValues(record, exactValues([...edits.keys()], row, record));
  }
  for (const [field] of plain) if (field.embedding) showInside(record, field, change, isTyped(field.name));
  const shown = partOf(change, (name) => !isTyped(name));
  setReferences(record, shown.dependsOn);
  showAsOlder(record, fieldsOfChange(shown));
}

/**
 * Shows what was saved in embedded records. Lines that are shown already keep their records: the application may be editing them, and it is by these
 * that an answer finds the lines that were sent. Of embedded records that are being edited here, the edits stay, and get the lines and members that
 * another page has saved: a list that is saved with them removes none of these.
 */
function showInside(
  record: InnerRecord,
  field: FieldDefinition,
  { action, base, values }: StoredChange,
  isTyped: boolean,
): void {
  const live = exactValue(record, field);
  const [present, copy] = [live, live].map((each) => field.write(each, record[ROW]));
  const [from, value] = [base[field.name], values[field.name]];
  const isEdit = action === 'update' && from !== undefined && (isTyped || !isSame(from, value));
  // Not `present`, whose lines have the ids of their records: a line with an id is not found by its place.
  const before = isEdit ? from : copy;
  const options = { isRepeat: true, decide: ({ mine, theirs }: MergeConflict) => (isTyped ? theirs : mine) };
  const sides = [before, value, present];
  const isList = [live, ...sides].every(Array.isArray);
  const shape = fieldShape(field, false, ...(isList ? [[present, live] as LinesOfList] : []));
  const lines = isList
    ? mergeLines(...(sides as [List, List, List]), { ...options, shape })
    : [{ theirs: 0, value: merge3(before, value, present, { ...options, shape }) }];
  const all = lines.map((line) => line.value);
  const read = field.readExact(isList ? all : all[0], record);
  const [records, rows] = isList ? [live as List, present as List] : [[live], [present]];
  const shown = lines.map((line, at) => {
    const place = line.theirs ?? -1;
    const own = records[place];
    const isShown = isInner(own) && (isSame(rows[place], line.value) || field.embedding?.rejectTo(own, line.value));
    // A single record may be unable to show the value, such as a member that it does not declare.
    if (!isList) return isShown && isSame(field.write(own, record[ROW]), line.value) ? own : read;
    return isShown ? own : (read as List)[at];
  });
  const isOther = shown.length !== records.length || shown.some((each, at) => each !== records[at]);
  if (isOther) setValues(record, { [field.name]: isList ? shown : shown[0] });
}

/** The values of fields in a row, by name, with all digits of numbers. */
function exactValues(fields: readonly FieldDefinition[], row: Readonly<Data>, record?: InnerRecord): Data {
  return Object.fromEntries(fields.map((field) => [field.name, field.readExact(field.raw(row), record)]));
}

/** The values of a change by field, without those that refer to records which are not created yet: their temporary ids are new. */
function plainValues(model: ModelDefinition, change: StoredChange): Edits {
  const plain = [...valuesIn([{ change }])].filter(([name]) => !Object.hasOwn(change.dependsOn, name));
  return new Map(plain.map(([name, value]) => [fieldOf(model, name), value]));
}

export function fieldOf(model: ModelDefinition, name: string): FieldDefinition {
  const field = model.field(name);
  if (!field) throw new OutboxError('outbox-field', { model: model.name, field: name }, { messages: model.messages });
  return field;
}
