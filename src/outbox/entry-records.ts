import { changedNotes, type NoteValues, setNotes } from '../extension/row-notes.js';
import type { BaseModel } from '../model/base-model.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { randomUuid } from '../model/identifier.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { referencesOf, unsentValue } from '../model/parts/reference-fields.js';
import { coreOf, type InnerRecord, inner, setValues, withWritten, writeEdits } from '../model/record.js';
import type { Edits, ReadonlyEdits } from '../model/record-core.js';
import { didChange } from '../model/record-owner.js';
import { dropEdits, markFieldsUnconfirmed, markIncomplete, restoreTemporaryId, settleErased } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type Data, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { OutboxEntry, WireValues } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';

/** A model class, as far as an outbox uses it. */
export interface RecordClass {
  new (data: object, options: { phantom: boolean }): BaseModel;
  readonly [DEFINITION]: ModelDefinition;
  readonly proxy: DataProxy;
  fromRow(row: object): BaseModel;
  with(config: object): RecordClass;
}

/** The members of an entry that hold a record's values. */
export type EntryValues = Pick<OutboxEntry, 'id' | 'clientId' | 'values' | 'cleared' | 'base' | 'dependsOn'>;

/** The values of a create: every field that is sent, with the given edits. */
export function createValues(record: InnerRecord, edits: ReadonlyEdits = writeEdits(record)): EntryValues {
  const { fields, idField } = record[MODEL];
  const sent = fields.filter((field) => edits.has(field)).map((field) => [field, edits.get(field)] as const);
  const row = withWritten(record[ROW], new Map(sent));
  // A repeat with the same key must have the same body to the byte, so the values are kept in the order of the body.
  const members = Object.keys(row);
  const positionOf = (field: FieldDefinition) =>
    members.indexOf((field.path?.[0] as string) ?? Object.keys(membersOf(field, row))[0] ?? '');
  const values: Data = {};
  const cleared: string[] = [];
  for (const field of [...fields].sort((a, b) => positionOf(a) - positionOf(b))) {
    // An id that was set is stored as `id`; the temporary id of a new record is stored as `clientId` (H14).
    const value = !field.persist || (field === idField && edits.has(field)) ? undefined : field.raw(row);
    if (value !== undefined) values[field.name] = value;
    // An emptied field with a default value is listed, since a record made from the stored values would get the default again.
    else if (field.persist && field.config.defaultValue !== undefined && edits.has(field)) cleared.push(field.name);
  }
  const id = edits.get(idField) as OutboxEntry['id'];
  const common = { id, ...clientIdOf(record), values, base: {} };
  return { ...common, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The temporary id of a new record: the one that its create was first sent with, perhaps by an earlier process. */
function clientIdOf(record: InnerRecord): Pick<OutboxEntry, 'clientId'> {
  const { temporaryId, change } = coreOf(record);
  const clientId = (change?.temporaryId ?? temporaryId) as RecordId | undefined;
  return clientId === undefined ? {} : { clientId };
}

/** The members that a field with a function as mapping writes for the value in a row. */
export function membersOf(field: FieldDefinition, row: Readonly<Data>): Data {
  const raw = field.raw(row);
  return raw === undefined ? {} : ((field.write(field.read(raw), row) ?? {}) as Data);
}

/** The values of an update: the edited fields, and as `base` the values that the server had in them when they were edited. */
export function editedValues(record: InnerRecord, earlierBase: WireValues = {}): EntryValues {
  const { [MODEL]: model, [ROW]: row } = record;
  const values: Data = {};
  const base: Data = {};
  const cleared: string[] = [];
  for (const [field, written] of writeEdits(record)) {
    const { name, persist } = field;
    if (!persist) continue;
    base[name] = Object.hasOwn(earlierBase, name) ? earlierBase[name] : field.raw(row);
    if (written === undefined) cleared.push(name);
    else values[name] = written;
  }
  const id = model.serverId(record) as OutboxEntry['id'];
  return { id, values, base, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The keys of the new records that fields refer to. If such a record has been saved since, its id is put into `values` instead. */
function dependencies(record: InnerRecord, values: Data): Pick<OutboxEntry, 'dependsOn'> {
  const dependsOn: Record<string, string> = {};
  for (const [field, target] of referencesOf(record)) {
    const { name } = field;
    if (!Object.hasOwn(values, name)) continue;
    const parent = target[DEFINITION].phantoms?.get(unsentValue(record, field));
    if (!parent) continue;
    if (parent[CORE]?.phantom) dependsOn[name] = entryKeyOf(parent);
    else values[name] = wireId(field, parent[MODEL].serverId(parent));
  }
  return { dependsOn };
}

/** The record's `$.key`, under which its entry is stored. */
export function entryKeyOf(record: InnerRecord): string {
  return (record as unknown as BaseModel & { $: { key: string } }).$.key;
}

/** An id as it is sent in a field that refers to the record with this id. */
export function wireId(field: FieldDefinition, id: unknown): unknown {
  return field.write(field.accept(id), {});
}

/** Whether the edits of a record are exactly the values of an entry. */
export function holdsEntry(record: InnerRecord, entry: OutboxEntry): boolean {
  if (entry.action === 'destroy') return true;
  const { values, cleared } = entry.action === 'create' ? createValues(record) : editedValues(record);
  return isSame(values, entry.values) && isSame(cleared ?? [], entry.cleared ?? []);
}

/** The values of an entry as edits of its record. For a create, this includes the values saved since it was first sent. */
export function entryEdits(record: InnerRecord, entry: OutboxEntry): Edits {
  if (entry.action !== 'create') return valuesOfSent(record, sentEdits(record, entry));
  const { [MODEL]: model } = record;
  const storedValues = Object.entries(entry.values).map(([name, value]) => {
    const field = fieldOf(model, name);
    return [field, field.readExact(value)] as const;
  });
  const cleared = (entry.cleared ?? []).map((name) => [fieldOf(model, name), undefined] as const);
  const id = entry.id === undefined ? [] : [[model.idField, model.idField.readExact(entry.id)] as const];
  const later = valuesOfSent(record, wireEdits(record, entry.later ?? {}));
  return new Map<FieldDefinition, unknown>([...id, ...storedValues, ...cleared, ...later]);
}

/** Converts written values back to field values. */
function valuesOfSent(record: InnerRecord, sent: Edits): Edits {
  const row = withWritten(record[ROW], sent);
  return new Map([...sent.keys()].map((field) => [field, field.readExact(field.raw(row))]));
}

/** Rolls back the changes of a write that was given up, in its record. Later edits stay. */
export function rollBack(record: InnerRecord, entry: OutboxEntry): void {
  if (entry.action === 'create') return settleErased(record);
  if (entry.action === 'destroy') return didChange(record, { kind: 'restored' });
  const now = writeEdits(record);
  const unchanged = [...sentEdits(record, entry)].filter(
    ([field, value]) => now.has(field) && isSame(now.get(field), value),
  );
  dropEdits(
    record,
    unchanged.map(([field]) => field),
  );
}

/** Sets fields of a record to the temporary ids of the new records that they refer to. */
export type SetReferences = (record: InnerRecord, names: readonly string[]) => void;

/**
 * Makes a record from an entry. A record that the server knows is incomplete, because the entry holds only a part of its row. Throws
 * `OutboxError` if the model no longer has a field of the entry.
 */
export function makeRecord(Class: RecordClass, entry: OutboxEntry, setReferences: SetReferences): InnerRecord {
  const { action, id, values, later = {}, key, dependsOn } = entry;
  const model = Class[DEFINITION];
  // Temporary ids of other new records are from an earlier process, so `setReferences` sets these fields.
  const referring = Object.keys(dependsOn).filter((name) => !(action === 'create' && Object.hasOwn(later, name)));
  const plainValues = Object.fromEntries(Object.entries(values).filter(([name]) => !referring.includes(name)));
  const clearedValues = Object.fromEntries((entry.cleared ?? []).map((name) => [fieldOf(model, name).name, undefined]));
  let record: InnerRecord;
  if (action === 'create') {
    const rawValues = Object.entries(plainValues).map(
      ([name, value]) => [name, fieldOf(model, name).readExact(value)] as const,
    );
    record = inner(new Class(Object.fromEntries(rawValues), { phantom: true }));
    if (id !== undefined) setValues(record, { [model.idField.name]: model.idField.readExact(id) });
    setValues(record, clearedValues);
    const { temporaryId } = coreOf(record);
    // A counted id, or one from a custom generator, may belong to another record in this process: only random ids are restored.
    if (entry.clientId !== undefined && temporaryId !== undefined && model.identifier === randomUuid) {
      restoreTemporaryId(record, entry.clientId);
      model.phantoms?.add(entry.clientId, record, false);
    }
  } else {
    const row = rowOfEntry(model, entry);
    record = inner(Class.fromRow(entry.notes ? withNotes(row, entry.notes) : row));
    markIncomplete(record);
    // An earlier attempt may have changed these fields on the server, so a stored value counts as an edit even if the row has the same
    // value, until the row is read.
    markFieldsUnconfirmed(record, sentEdits(record, entry).keys(), 0);
    applyEdits(record, { ...plainValues, ...clearedValues });
  }
  setReferences(record, referring);
  const core = coreOf(record);
  core.key = key;
  return record;
}

/** Sets the fields of a record to values in the form in which they are sent. */
export function applyEdits(record: InnerRecord, values: WireValues): void {
  const edits = wireEdits(record, values);
  if (edits.size === 0) return;
  const row = withWritten(record[ROW], edits);
  setValues(
    record,
    Object.fromEntries([...edits.keys()].map((field) => [field.name, field.readExact(field.raw(row))])),
  );
}

/** Values by field instead of by field name. */
function wireEdits(record: InnerRecord, values: WireValues): Edits {
  return new Map(Object.entries(values).map(([name, value]) => [fieldOf(record[MODEL], name), value]));
}

/** The values of an entry by field, overridden by `later`. */
export function sentEdits(record: InnerRecord, { values, cleared = [] }: OutboxEntry, later: WireValues = {}): Edits {
  const emptied = Object.fromEntries(cleared.map((name) => [name, undefined]));
  return wireEdits(record, { ...values, ...emptied, ...later });
}

/** A raw value of a field as a write would send it, for comparison with the values of an entry. */
export function writtenRaw(field: FieldDefinition, raw: unknown, row: Readonly<Data>): unknown {
  return field.path ? raw : field.write(field.read(raw), row);
}

/** Whether the record's row already holds all values of an entry. An edit that was only set back, and not saved, does not count. */
export function rowHoldsEntry(record: InnerRecord, entry: OutboxEntry): boolean {
  const { [ROW]: row } = record;
  return [...sentEdits(record, entry)].every(([field, value]) => isSame(writtenRaw(field, field.raw(row), row), value));
}

/**
 * Whether an entry gives a field another value than the record's row has: the entry's create or update, or the update that follows the
 * create.
 */
export function changesField(record: InnerRecord, entry: OutboxEntry, name: string): boolean {
  const { [MODEL]: model, [ROW]: row } = record;
  const { action, values, cleared = [], later = {} } = entry;
  const field = model.field(name);
  if (!field || action === 'destroy') return false;
  const raw = field.raw(row);
  if (Object.hasOwn(later, name)) return !isSame(later[name], writtenRaw(field, raw, row));
  if (!Object.hasOwn(values, name) && !cleared.includes(name)) return false;
  if (action === 'update') return !isSame(values[name], writtenRaw(field, raw, row));
  // When the record has been created, its row holds what the create wrote.
  return Boolean(record[CORE]?.phantom) && !isSame(values[name], raw);
}

/** A copy of a row with the notes of an entry. */
function withNotes(row: Readonly<Data>, values: NoteValues): Data {
  const copy = { ...row };
  setNotes(copy, changedNotes({ values }));
  return copy;
}

/** The part of the record's row that an entry holds: the id, and the members that the edits replace. */
function rowOfEntry(model: ModelDefinition, { id, base }: OutboxEntry): Data {
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
  if (!field) throw new OutboxError('outbox-field', { model: model.name, field: name }, { messages: model.messages });
  return field;
}
