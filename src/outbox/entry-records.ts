import { changedNotes, type NoteValues, setNotes } from '../extension/row-notes.js';
import type { BaseModel } from '../model/base-model.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { randomId } from '../model/identifier.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { ownValue, referencesOf } from '../model/parts/reference-fields.js';
import { coreOf, type InnerRecord, inner, setValues, withWritten, writeEdits } from '../model/record.js';
import type { Edits } from '../model/record-core.js';
import { valuesOfSent } from '../model/sent-record.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type Data, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { OutboxEntry, WireValues } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';

/** A model class, as far as outboxes need to know. */
export interface RecordClass {
  new (data: object, options: { phantom: boolean }): BaseModel;
  readonly [DEFINITION]: ModelDefinition;
  readonly proxy: DataProxy;
  fromRow(row: object): BaseModel;
  with(config: object): RecordClass;
}

/** What an entry says of a record's values. */
export type EntryValues = Pick<OutboxEntry, 'id' | 'clientId' | 'values' | 'cleared' | 'base' | 'dependsOn'>;

/** What a create sends with some edits: every field that is written. */
export function createValues(record: InnerRecord, edits: Edits = writeEdits(record)): EntryValues {
  const { fields, idField } = record[MODEL];
  const sent = fields.filter((field) => edits.has(field)).map((field) => [field, edits.get(field)] as const);
  const row = withWritten(record, new Map(sent));
  // Under a key the body must be the same to the byte, so values are in the order in which a body has them.
  const places = Object.keys(row);
  const place = (field: FieldDefinition) =>
    places.indexOf((field.path?.[0] as string) ?? Object.keys(membersOf(field, row))[0] ?? '');
  const values: Data = {};
  const cleared: string[] = [];
  for (const field of [...fields].sort((a, b) => place(a) - place(b))) {
    // An id that was set is sent, one that a record was made with is the client's own (H14).
    const value = !field.persist || (field === idField && edits.has(field)) ? undefined : field.raw(row);
    if (value !== undefined) values[field.name] = value;
    // Made of these values, a record would have its default again.
    else if (field.persist && field.config.defaultValue !== undefined && edits.has(field)) cleared.push(field.name);
  }
  const id = edits.get(idField) as OutboxEntry['id'];
  const own = { id, ...clientIdOf(record), values, base: {} };
  return { ...own, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The id that a new record was given here, or that its create was sent with by another process. */
function clientIdOf(record: InnerRecord): Pick<OutboxEntry, 'clientId'> {
  const { temporaryId, createId = temporaryId } = coreOf(record);
  return createId === undefined ? {} : { clientId: createId };
}

/** The members that a field whose mapping is a function writes for what a row holds. */
export function membersOf(field: FieldDefinition, row: Readonly<Data>): Data {
  const raw = field.raw(row);
  return raw === undefined ? {} : ((field.write(field.read(raw), row) ?? {}) as Data);
}

/** What an update sends: the edited fields; and what the server had in them, as far as was known when they were edited. */
export function editedValues(record: InnerRecord, known: WireValues = {}): EntryValues {
  const { [MODEL]: model, [ROW]: row } = record;
  const values: Data = {};
  const base: Data = {};
  const cleared: string[] = [];
  for (const [field, written] of writeEdits(record)) {
    const { name, persist } = field;
    if (!persist) continue;
    base[name] = Object.hasOwn(known, name) ? known[name] : field.raw(row);
    if (written === undefined) cleared.push(name);
    else values[name] = written;
  }
  const id = model.serverId(record) as OutboxEntry['id'];
  return { id, values, base, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The new records that fields refer to. Of one that was saved meanwhile its id takes the place of the temporary one. */
function dependencies(record: InnerRecord, values: Data): Pick<OutboxEntry, 'dependsOn'> {
  const dependsOn: Record<string, string> = {};
  for (const [field, target] of referencesOf(record)) {
    const { name } = field;
    if (!Object.hasOwn(values, name)) continue;
    const parent = target[DEFINITION].phantoms?.get(ownValue(record, field));
    if (!parent) continue;
    if (parent[CORE]?.phantom) dependsOn[name] = entryKeyOf(parent);
    else values[name] = wireId(field, parent[MODEL].serverId(parent));
  }
  return { dependsOn };
}

/** A record's `$.key`. */
export function entryKeyOf(record: InnerRecord): string {
  return (record as unknown as BaseModel & { $: { key: string } }).$.key;
}

/** An id as the value of a field that refers to its record. */
export function wireId(field: FieldDefinition, id: unknown): unknown {
  return field.write(field.accept(id), {});
}

/** Whether a record holds what an entry sends, and nothing else. */
export function holdsEntry(record: InnerRecord, entry: OutboxEntry): boolean {
  if (entry.action === 'destroy') return true;
  const { values, cleared } = entry.action === 'create' ? createValues(record) : editedValues(record);
  return isSame(values, plain(entry.values)) && isSame(cleared ?? [], entry.cleared ?? []);
}

/** What an entry sends, as the edits of its record: of a create also what was saved since it was first sent. */
export function entryEdits(record: InnerRecord, entry: OutboxEntry): Edits {
  if (entry.action !== 'create') return valuesOfSent(record, sentEdits(record, entry));
  const { [MODEL]: model } = record;
  const given = Object.entries(entry.values).map(([name, value]) => {
    const field = fieldOf(model, name);
    return [field, field.readExact(value)] as const;
  });
  const cleared = (entry.cleared ?? []).map((name) => [fieldOf(model, name), undefined] as const);
  const id = entry.id === undefined ? [] : [[model.idField, model.idField.readExact(entry.id)] as const];
  const later = valuesOfSent(record, wireEdits(record, entry.later ?? {}));
  return new Map<FieldDefinition, unknown>([...id, ...given, ...cleared, ...later]);
}

/** Points fields of a record at the new records that they refer to. */
export type Refer = (record: InnerRecord, names: readonly string[]) => void;

/** Values as they come back from JSON. */
function plain(values: WireValues): Data {
  return { ...values };
}

/**
 * A record as an entry has it. Of one that the server knows, the rest of its row is yet to be read. Throws `OutboxError` where
 * the model has lost a field.
 */
export function makeRecord(Class: RecordClass, entry: OutboxEntry, refer: Refer): InnerRecord {
  const { action, id, values, later = {}, key, dependsOn } = entry;
  const model = Class[DEFINITION];
  // Ids of new records were those of another life.
  const named = Object.keys(dependsOn).filter((name) => !(action === 'create' && Object.hasOwn(later, name)));
  const own = Object.fromEntries(Object.entries(values).filter(([name]) => !named.includes(name)));
  const clearing = Object.fromEntries((entry.cleared ?? []).map((name) => [fieldOf(model, name).name, undefined]));
  let record: InnerRecord;
  if (action === 'create') {
    const given = Object.entries(own).map(([name, value]) => [name, fieldOf(model, name).readExact(value)] as const);
    record = inner(new Class(Object.fromEntries(given), { phantom: true }));
    if (id !== undefined) setValues(record, { [model.idField.name]: model.idField.readExact(id) });
    setValues(record, clearing);
    const { temporaryId } = coreOf(record);
    // One that is counted, or made by who knows what, may be that of another record by now.
    if (entry.clientId !== undefined && temporaryId !== undefined && model.identifier === randomId) {
      coreOf(record).temporaryId = entry.clientId;
      model.phantoms?.add(entry.clientId, record);
    }
  } else {
    const row = knownRow(model, entry);
    record = inner(Class.fromRow(entry.notes ? withNotes(row, entry.notes) : row));
    coreOf(record).incomplete = true;
    // An earlier attempt may have left another value on the server: what equals the row is an edit, too. Any read tells more.
    coreOf(record).markFieldsUnconfirmed(sentEdits(record, entry).keys(), 0);
    applyEdits(record, { ...own, ...clearing });
  }
  refer(record, named);
  const core = coreOf(record);
  core.key = key;
  return record;
}

/** Puts edits, as they are on the wire, over a record. */
export function applyEdits(record: InnerRecord, values: WireValues): void {
  const edits = wireEdits(record, values);
  if (edits.size === 0) return;
  const row = withWritten(record, edits);
  setValues(
    record,
    Object.fromEntries([...edits.keys()].map((field) => [field.name, field.readExact(field.raw(row))])),
  );
}

/** Values by field instead of by name. */
function wireEdits(record: InnerRecord, values: WireValues): Edits {
  return new Map(Object.entries(values).map(([name, value]) => [fieldOf(record[MODEL], name), value]));
}

/** What an entry sends, by field; `later` over it. */
export function sentEdits(record: InnerRecord, { values, cleared = [] }: OutboxEntry, later: WireValues = {}): Edits {
  const emptied = Object.fromEntries(cleared.map((name) => [name, undefined]));
  return wireEdits(record, { ...values, ...emptied, ...later });
}

/** What a field is written as, so that it reads as what it was read from. */
export function writtenRaw(field: FieldDefinition, raw: unknown, row: Readonly<Data>): unknown {
  return field.path ? raw : field.write(field.read(raw), row);
}

/** Whether a row holds what an entry is to write: an edit that was set back, and not saved, is none of these. */
export function isWritten(record: InnerRecord, entry: OutboxEntry): boolean {
  const { [ROW]: row } = record;
  return [...sentEdits(record, entry)].every(([field, value]) => isSame(writtenRaw(field, field.raw(row), row), value));
}

/** Whether the update of an entry, or the one that follows its create, gives a field another value than the record's row has. */
export function changesField(record: InnerRecord, entry: OutboxEntry, name: string): boolean {
  const { [MODEL]: model, [ROW]: row } = record;
  const { action, values, cleared = [], later = {} } = entry;
  const written = action === 'create' ? later : values;
  const isWritten = Object.hasOwn(written, name) || (action === 'update' && cleared.includes(name));
  const field = isWritten ? model.field(name) : undefined;
  return field !== undefined && !isSame(written[name], writtenRaw(field, field.raw(row), row));
}

/** A copy of a row with the notes of an entry. */
export function withNotes(row: Readonly<Data>, values: NoteValues): Data {
  const copy = { ...row };
  setNotes(copy, changedNotes({ values }));
  return copy;
}

/** What of a row an entry knows. */
function knownRow(model: ModelDefinition, { id, base }: OutboxEntry): Data {
  const row: Data = {};
  if (model.idField.path) writePath(row, model.idField.path, id);
  for (const [name, value] of Object.entries(base)) {
    const { path } = fieldOf(model, name);
    if (path && value !== undefined) writePath(row, path, value);
  }
  return row;
}

function fieldOf(model: ModelDefinition, name: string): FieldDefinition {
  const field = model.field(name);
  if (!field) throw new OutboxError('outbox-field', { model: model.name, field: name });
  return field;
}
