import { StateError } from '../errors/state-error.js';
import { isValidId } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, parsePath, readPath, setMembers, withPath, writePath } from '../util/data-path.js';
import { EventEmitter } from '../util/event-emitter.js';
import { isSame, sealed } from '../util/values.js';
import type { BaseModel } from './base-model.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition, RawRecord } from './model-definition.js';
import { type Edits, RecordCore } from './record-core.js';
import { notify, type RecordOwner } from './record-owner.js';
import { CACHE, CORE, FROM_ROW, OWNER, ROW } from './symbols.js';

/** A record with its inner members. */
export interface InnerRecord extends RawRecord {
  readonly [MODEL]: ModelDefinition;
  [CACHE]: unknown[] | undefined;
  [OWNER]: RecordOwner | RecordOwner[] | undefined;
}

const UNREAD: unique symbol = Symbol('unread');

/** The record's inner members, behind its public type. */
export function inner(record: BaseModel): InnerRecord {
  return record as unknown as InnerRecord;
}

/** What most records do without; made now if need be. */
export function coreOf(record: InnerRecord): RecordCore {
  record[CORE] ??= new RecordCore();
  return record[CORE];
}

/** Gives a record its row: as received, or from values by field name. */
export function initRecord(record: InnerRecord, data: object, options: { phantom?: boolean } | typeof FROM_ROW): void {
  record[CACHE] = undefined;
  record[CORE] = undefined;
  record[OWNER] = undefined;
  if (options === FROM_ROW) {
    record[ROW] = data as Data;
    return;
  }
  const model = record[MODEL];
  record[ROW] = {};
  for (const [name, value] of Object.entries(data))
    if (value !== undefined) prime(record, writable(model, name), value);
  const id = model.idField.raw(record[ROW]);
  if (!(options.phantom ?? !isValidId(id))) return;
  const core = coreOf(record);
  core.phantom = true;
  if (!isValidId(id)) core.temporaryId = model.identifier.next();
  for (const field of model.fields) {
    if (Object.hasOwn(data, field.name) && (data as Data)[field.name] !== undefined) continue;
    const value = field.defaultValue();
    if (value !== undefined && field.writable) prime(record, field, value);
  }
}

/** Puts a value into the base: written into the row, and kept as it was given. */
function prime(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const accepted = field.accept(value);
  const written = field.write(accepted, record[ROW]);
  if (field.path) writePath(record[ROW], field.path, written);
  else setMembers(record[ROW], written);
  if (!field.direct(accepted) || written !== accepted) cacheOf(record)[field.index] = adopt(record, field, accepted);
}

/** Where converted values are kept. */
export function cacheOf(record: InnerRecord): unknown[] {
  record[CACHE] ??= new Array(record[MODEL].fields.length).fill(UNREAD);
  return record[CACHE];
}

/** Makes records in the value of an embedding field tell this record of edits inside. Returns the value. */
function adopt(record: InnerRecord, field: FieldDefinition, value: unknown): unknown {
  field.embedding?.adopt(record, field, value);
  return value;
}

/** The value of a field without its edit: converted when it is first read. */
export function baseValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cache = record[CACHE];
  const kept = cache ? cache[field.index] : UNREAD;
  if (kept !== UNREAD) return kept;
  const raw = field.raw(record[ROW]);
  if (field.direct(raw)) return raw;
  return (cacheOf(record)[field.index] = adopt(record, field, field.read(raw)));
}

/** The value of a field as it stands, safe to hand out: a date is a copy, plain data is frozen. */
export function currentValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  if (core?.edits?.has(field)) return sealed(core.edits.get(field));
  if (field.config.calculate) return field.config.calculate(record);
  const value = sealed(baseValue(record, field));
  return field === record[MODEL].idField && !isValidId(value) ? (core?.temporaryId ?? value) : value;
}

/** Sets fields; one event for all of them. Throws `StateError` before anything is changed. */
export function setValues(record: InnerRecord, given: object): void {
  const model = record[MODEL];
  const values = Object.entries(given).map(([name, value]) => [writable(model, name), value] as const);
  guardErased(record);
  const changed: FieldDefinition[] = [];
  for (const [field, value] of values) if (setValue(record, field, value)) changed.push(field);
  if (changed.length) announce(record, changed);
}

/** Sets a field, or a member inside its value. */
export function setPath(record: InnerRecord, path: string, given: unknown): void {
  const model = record[MODEL];
  const [name = '', ...rest] = model.field(path) ? [path] : parsePath(path);
  const field = writable(model, name);
  guardErased(record);
  const old = currentValue(record, field);
  if (field.embedding?.setInside(old, rest, given)) return;
  const next = typeof given === 'function' ? (given as (old: unknown) => unknown)(readPath(old, rest)) : given;
  if (rest.length === 0) return setValues(record, { [name]: next });
  if (typeof old === 'object' && old !== null ? old instanceof Date : old !== undefined && old !== null) {
    throw new StateError('field', 'field-path', { path });
  }
  setValues(record, { [name]: withPath(old, rest, next) });
}

function setValue(record: InnerRecord, field: FieldDefinition, value: unknown): boolean {
  const accepted = field.accept(value);
  if (isSame(currentValue(record, field), accepted)) return false;
  const core = coreOf(record);
  core.edits ??= new Map();
  // What is on its way is settled against what was sent: until then even the old value is an edit.
  if (!core.sent?.has(field) && isSame(baseValue(record, field), accepted)) core.edits.delete(field);
  else core.edits.set(field, adopt(record, field, accepted));
  return true;
}

/** Tells of fields that were set. */
export function announce(record: InnerRecord, changed: readonly FieldDefinition[]): void {
  const core = coreOf(record);
  core.error = undefined;
  const fields = changed.map((field) => field.name);
  notify(record, { kind: 'set', fields });
  if (core.events?.has('set')) {
    const modified = Object.fromEntries(changed.map((field) => [field.name, currentValue(record, field)]));
    core.events.emit('set', { record, modified });
  }
}

/** Whether anything that is to be written differs from the base. */
export function isDirty(record: InnerRecord): boolean {
  const edits = record[CORE]?.edits;
  if (edits) for (const field of edits.keys()) if (field.persist) return true;
  return false;
}

/** Makes the edits the base, without a request. Throws `StateError` during a save. */
export function commit(record: InnerRecord): void {
  const core = record[CORE];
  if (!core) return;
  if (core.sent) throw new StateError('busy', 'busy', nameOf(record));
  core.error = undefined;
  if (!core.edits?.size) return;
  const previousId = record[MODEL].serverId(record);
  rebase(record, (record[ROW] = withEdits(record, core.edits)));
  core.edits = undefined;
  notify(record, { kind: 'commit', previousId });
  core.events?.emit('commit', { record });
}

/** Drops the edits that no write in flight carries. */
export function reject(record: InnerRecord): void {
  const core = record[CORE];
  if (!core) return;
  const { edits = new Map<FieldDefinition, unknown>(), sent } = core;
  const fields = [...edits.keys()].map((field) => field.name);
  for (const [field, value] of edits) if (!sent?.has(field)) field.embedding?.reject(value);
  core.edits =
    sent &&
    new Map(
      [...sent].map(([field, value]) => {
        const now = edits.get(field);
        const same = isSame(sentForm(field, now), value);
        return [field, same ? now : field.embedding ? adopt(record, field, field.read(value)) : value];
      }),
    );
  core.error = undefined;
  if (fields.length) notify(record, { kind: 'reject', fields });
}

/** What is kept of an edit to settle against. Embedded records go on changing: of them it is the row that they have now. */
export function sentForm(field: FieldDefinition, value: unknown): unknown {
  return field.embedding ? field.write(value, {}) : value;
}

/** The row with edits written over it, at the paths of their fields. */
export function withEdits(record: InnerRecord, edits: Edits): Data {
  const row = { ...record[ROW] };
  for (const [field, value] of edits) {
    const written = field.write(value, row);
    if (field.path) writePath(row, field.path, written);
    else setMembers(row, written);
  }
  return row;
}

/**
 * Gives the record another base. Local values of fields that are not persisted stay, and so do embedded records, which settle
 * against what was sent of them.
 */
export function rebase(record: InnerRecord, row: Data, sent: Edits = new Map()): void {
  const before = record[ROW];
  const { fields } = record[MODEL];
  const held = fields.map((field) => field.embedding?.hold(record, field));
  record[ROW] = row;
  for (const field of fields) {
    const local = !field.persist && field.path && field.raw(row) === undefined ? field.raw(before) : undefined;
    if (local !== undefined) writePath(row, field.path as readonly string[], local);
  }
  record[CACHE] = undefined;
  for (const settle of held) settle?.(sent);
}

/** A field that users may set. Throws `StateError`. */
function writable(model: ModelDefinition, name: string): FieldDefinition {
  const field = model.field(name);
  if (!field) throw new StateError('field', 'field-unknown', { field: name, model: model.name });
  if (!field.writable) throw new StateError('field', 'field-calculated', { field: name });
  return field;
}

/** Throws `StateError` for a record that is gone. */
export function guardErased(record: InnerRecord): void {
  if (record[CORE]?.erased) throw new StateError('erased', 'erased', nameOf(record));
}

export function nameOf(record: InnerRecord): { model: string; id: unknown } {
  return { model: record[MODEL].name, id: record[MODEL].serverId(record) };
}

/** The record's events. */
export function eventsOf(record: InnerRecord): EventEmitter<Record<string, unknown>> {
  const core = coreOf(record);
  core.events ??= new EventEmitter();
  return core.events as EventEmitter<Record<string, unknown>>;
}
