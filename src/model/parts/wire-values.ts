import { type NoteValues, noteValues } from '../../extension/row-notes.js';
import type { WriteAction } from '../../extension/write-hook.js';
import type { RecordId } from '../../operation/actions.js';
import { MODEL } from '../../operation/operation-record.js';
import type { Data } from '../../util/data-path.js';
import { isPlainObject, isSame } from '../../util/values.js';
import type { FieldDefinition } from '../field-definition.js';
import { coreOf, type InnerRecord, withWritten, writeEdits } from '../record.js';
import type { Edits } from '../record-core.js';
import { CORE, DEFINITION, ROW } from '../symbols.js';
import { referencesOf, unsentValue } from './reference-fields.js';

/** The values of fields by name, in their JSON form. */
export type WireValues = Readonly<Record<string, unknown>>;

/** The values of one pending change of a record, in the form in which an outbox stores them and a session hands them on. */
export interface ChangeValues {
  readonly action: WriteAction;
  /** The record's id as the server knows it; for a new record, the id that the application has set, if any. */
  readonly id?: RecordId | undefined;
  /** The temporary id of a new record, which its create may send: a uuid, or a counted number. */
  readonly clientId?: RecordId | undefined;
  /** The values to send: all fields for a create; for an update those that were edited since the record's changes before it. */
  readonly values: WireValues;
  /** The names of fields that were set to `undefined`, which JSON cannot hold. */
  readonly cleared?: readonly string[] | undefined;
  /** The values that the edited fields had before, on the server or by an earlier change. */
  readonly base: WireValues;
  /** The notes of extensions about the row that was edited, such as its ETag, by the names of the extensions. */
  readonly notes?: NoteValues | undefined;
  /**
   * The keys of the new records that fields refer to, by the names of the fields. These records are created first, and the fields are
   * then sent with their ids.
   */
  readonly dependsOn: Readonly<Record<string, string>>;
}

/** The values of a change without its action. */
export type ValuesOfChange = Omit<ChangeValues, 'action'>;

/** Decides which fields a change carries: by default those that are sent. */
type Included = (field: FieldDefinition) => boolean;

const isSent: Included = ({ persist }) => persist;

/** The notes about the row of a record, as a change carries them. */
export function notesOf(record: InnerRecord): Pick<ChangeValues, 'notes'> {
  const notes = noteValues(record[ROW]);
  return notes ? { notes } : {};
}

/** The values of a create: every field that is sent. */
export function createValues(record: InnerRecord, isIncluded: Included = isSent): ValuesOfChange {
  const { fields, idField } = record[MODEL];
  const edits = writeEdits(record);
  const sent = fields.filter((field) => edits.has(field)).map((field) => [field, edits.get(field)] as const);
  const row = withWritten(record[ROW], new Map(sent));
  // A repeat with the same key must have the same body to the byte, so the values are kept in the order of the body.
  const members = Object.keys(row);
  const positionOf = (field: FieldDefinition) =>
    members.indexOf((field.path?.[0] as string) ?? Object.keys(writtenIn(field, row) ?? {})[0] ?? '');
  const values: Data = {};
  const cleared: string[] = [];
  for (const field of [...fields].sort((a, b) => positionOf(a) - positionOf(b))) {
    // An id that was set is stored as `id`; the temporary id of a new record is stored as `clientId`.
    const value = !isIncluded(field) || (field === idField && edits.has(field)) ? undefined : writtenIn(field, row);
    if (value !== undefined) values[field.name] = value;
    // An emptied field with a default value is listed, since a record made from the stored values would get the default again.
    else if (isIncluded(field) && field.config.defaultValue !== undefined && edits.has(field)) cleared.push(field.name);
  }
  const id = edits.get(idField) as RecordId | undefined;
  const { temporaryId: clientId } = coreOf(record);
  const common = { id, ...(clientId !== undefined && { clientId }), values, base: {} };
  return { ...common, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The values of an update: the edited fields whose value differs from `before`, with the values that they had, without those of `newer`. */
export function editedValues(
  record: InnerRecord,
  before: ReadonlyMap<string, unknown>,
  newer: ReadonlySet<string>,
  isIncluded: Included = isSent,
): ValuesOfChange {
  const values: Data = {};
  const base: Data = {};
  const cleared: string[] = [];
  for (const [field, written] of writeEdits(record)) {
    const { name } = field;
    if (!isIncluded(field) || newer.has(name) || (before.has(name) && isSame(before.get(name), written))) continue;
    base[name] = before.has(name) ? before.get(name) : writtenIn(field, record[ROW]);
    if (written === undefined) cleared.push(name);
    else values[name] = written;
  }
  return { values, base, ...(cleared.length > 0 && { cleared }), ...dependencies(record, values) };
}

/** The value of a field in a row as a write sends it; for a field with a function as mapping, the members that it writes. */
export function writtenIn(field: FieldDefinition, row: Readonly<Data>): unknown {
  const raw = field.raw(row);
  return field.path || raw === undefined ? raw : field.write(field.read(raw), row);
}

/** The keys of the new records that fields refer to. If such a record has been saved since, its id is put into `values` instead. */
function dependencies(record: InnerRecord, values: Data): Pick<ChangeValues, 'dependsOn'> {
  const dependsOn: Record<string, string> = {};
  for (const [field, target] of referencesOf(record)) {
    const { name } = field;
    if (!Object.hasOwn(values, name)) continue;
    const parent = target[DEFINITION].phantoms?.get(unsentValue(record, field));
    if (!parent) continue;
    if (parent[CORE]?.phantom) dependsOn[name] = keyOf(parent);
    else values[name] = wireId(field, parent[MODEL].serverId(parent));
  }
  return { dependsOn };
}

/** The record's `$.key`. */
export function keyOf(record: InnerRecord): string {
  return record.$.key;
}

/** An id as it is sent in a field that refers to the record with this id. */
export function wireId(field: FieldDefinition, id: unknown): unknown {
  return field.write(field.accept(id), {});
}

/** A copy of a row with the values of changes in it. */
export function withWire(base: Readonly<Data>, written: Edits): Data {
  // An earlier version has stored the value itself of a field with a function as mapping, not the members that it writes.
  const inMembers = [...written].map(([field, value]) => {
    const isValue = !field.path && value !== undefined && !isPlainObject(value);
    return [field, isValue ? field.write(field.read(value), base) : value] as const;
  });
  return withWritten(base, new Map(inMembers));
}
