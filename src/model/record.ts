import { StateError } from '../errors/state-error.js';
import { inheritNotes } from '../extension/row-notes.js';
import { isValidId } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import {
  type Data,
  type DataPath,
  formatPath,
  getMember,
  isPath,
  parsePath,
  readPath,
  setMembers,
  withPath,
  writePath,
} from '../util/data-path.js';
import { keepLiterals } from '../util/literals.js';
import { rounded } from '../util/rounded.js';
import { isSame, sealed } from '../util/values.js';
import type { BaseModel } from './base-model.js';
import { checkNew } from './check-new.js';
import type { FieldDefinition } from './field-definition.js';
import { isDate } from './field-types.js';
import type { ModelDefinition, RawRecord } from './model-definition.js';
import { type Edits, RecordCore } from './record-core.js';
import { didChange, type RecordOwner, willChange } from './record-owner.js';
import { CACHE, CHECKED, CORE, FROM_ROW, OWNER, RANK, ROW } from './symbols.js';

/** A record with its inner members. */
export interface InnerRecord extends RawRecord {
  readonly [MODEL]: ModelDefinition;
  readonly [CHECKED]?: unknown;
  [CACHE]: unknown[] | undefined;
  [OWNER]: RecordOwner | RecordOwner[] | undefined;
  [RANK]: number;
}

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
  record[RANK] = 0;
  if (options === FROM_ROW) {
    record[ROW] = data as Data;
    return;
  }
  const model = record[MODEL];
  checkNew(model.name, data, options);
  record[ROW] = {};
  for (const [name, value] of Object.entries(data))
    if (value !== undefined) prime(record, writable(record, name), value);
  const id = model.idField.raw(record[ROW]);
  if (!(options.phantom ?? !isValidId(id))) return;
  const core = coreOf(record);
  core.phantom = true;
  if (!isValidId(id)) {
    const { identifier, phantoms } = model;
    core.temporaryId = identifier();
    if (core.temporaryId !== undefined) phantoms?.add(core.temporaryId, record);
  }
  for (const field of model.fields) {
    if (getMember(data, field.name) !== undefined) continue;
    const value = field.defaultValue();
    if (value !== undefined && field.writable) prime(record, field, value);
  }
  model.references?.keepParents(record);
}

/** Puts a value into the base: written into the row, and kept as it was given. */
function prime(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const accepted = field.accept(value);
  const written = field.write(accepted, record[ROW]);
  put(record[ROW], field, written);
  if (!field.direct(accepted) || written !== accepted)
    cacheValue(record, field, adopt(record, field, rounded(accepted)));
}

/** Writes the base of a field that keeps digits as another row has it: as a number or as text. */
export function writeLike(record: InnerRecord, field: FieldDefinition, row: Readonly<Data>): void {
  if (field.keepsDigits && field.path) put(record[ROW], field, field.write(baseValue(record, field), row));
}

/** Puts what a field's value is written as into a row. */
function put(row: Data, { path }: FieldDefinition, written: unknown): void {
  if (path) writePath(row, path, written);
  else setMembers(row, written);
}

/** Keeps what a field was converted to. A date is kept as its time, which takes a fraction of the memory. */
export function cacheValue(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const timed = field.type === 'date';
  // A number stands for a time; one that is none is read anew each time.
  if (timed && typeof value === 'number') return;
  cacheInSlot(record, field, timed && isDate(value) ? value.getTime() : value);
}

/** Keeps a value in the form that takes the least memory. */
export function cacheInSlot(record: InnerRecord, field: FieldDefinition, cached: unknown): void {
  if (field.slot < 0) field.slot = record[MODEL].nextSlot();
  const { slot } = field;
  // An array that grows as it is written to takes more than the row.
  const cache = (record[CACHE] ??= slot === 0 ? [cached] : new Array(slot + 1));
  cache[slot] = cached;
}

/** What was kept; undefined where nothing is. */
export function cachedValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = field.slot < 0 ? undefined : record[CACHE]?.[field.slot];
  return field.type === 'date' && typeof cached === 'number' ? new Date(cached) : cached;
}

/** Makes records in the value of an embedding field tell this record of edits inside. Returns the value. */
function adopt(record: InnerRecord, field: FieldDefinition, value: unknown, sent?: Edits): unknown {
  field.embedding?.adopt(record, field, value, sent);
  return value;
}

/** The value of a field without its edit, for one look: what it converts is not kept. */
export function peekValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = record[CACHE] === undefined ? undefined : cachedValue(record, field);
  if (cached !== undefined) return cached;
  const raw = field.raw(record[ROW]);
  return field.direct(raw) ? raw : field.read(raw);
}

/** The value of a field without its edit: converted when it is first read. */
export function baseValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = record[CACHE] === undefined ? undefined : cachedValue(record, field);
  if (cached !== undefined) return cached;
  const raw = field.raw(record[ROW]);
  if (field.direct(raw)) return raw;
  const value = adopt(record, field, field.read(raw));
  cacheValue(record, field, value);
  return value;
}

/** The value of a field without its edit, with the digits that the row has for its numbers. */
export function exactBase(record: InnerRecord, field: FieldDefinition): unknown {
  const value = baseValue(record, field);
  return field.keepsDigits || field.embedding ? value : keepLiterals(value, field.raw(record[ROW]));
}

/** The value of a field as it stands, with every digit of its numbers. */
export function exactValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  if (core?.edits?.has(field)) return core.edits.get(field);
  return field.keepsDigits || field.config.calculate
    ? currentValue(record, field)
    : keepLiterals(currentValue(record, field), field.raw(record[ROW]));
}

/** The value of a field as it stands, safe to hand out: a date is a copy, plain data is frozen. */
export function currentValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  const { calculate } = field.config;
  // Most records are never touched: of these the way is short.
  if (core === undefined && !calculate) return sealed(baseValue(record, field));
  if (core?.edits?.has(field)) return sealed(core.withRoundedNumbers(field, core.edits.get(field)));
  if (calculate) return calculate(record);
  const value = sealed(baseValue(record, field));
  return field === record[MODEL].idField && !isValidId(value) ? (core?.temporaryId ?? value) : value;
}

/** Values by field name, read one by one. */
export function valuesOf(
  record: InnerRecord,
  fields: Iterable<FieldDefinition>,
  read: (record: InnerRecord, field: FieldDefinition) => unknown = currentValue,
): Record<string, unknown> {
  return Object.fromEntries([...fields].map((field) => [field.name, read(record, field)]));
}

/** Sets fields; one event for all of them. Throws `StateError` before anything is changed. */
export function setValues(record: InnerRecord, given: object): void {
  const values = Object.entries(given).map(([name, value]) => {
    const field = writable(record, name);
    return [field, field.accept(value)] as const;
  });
  guardErased(record);
  willChange(record, Object.keys(given));
  const changed = values.filter(([field, value]) => setValue(record, field, value)).map(([field]) => field);
  if (changed.length) announce(record, changed);
}

/** Sets one field. Throws `StateError`. */
export function setField(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  if (!field.writable) writable(record, field.name);
  guardErased(record);
  const accepted = field.accept(value);
  willChange(record, field.names);
  if (setValue(record, field, accepted)) announce(record, [field]);
}

/** Sets a field, or a member inside its value. Throws `StateError`. */
export function setPath(record: InnerRecord, place: string | DataPath, given: unknown): void {
  const path = typeof place === 'string' ? place : formatPath(place);
  const isField = record[MODEL].field(path) !== undefined;
  if (!isField && !isPath(path)) throw new StateError('field', 'path-malformed', { path, option: 'set' });
  const [name = '', ...rest] = isField ? [path] : parsePath(path);
  const field = writable(record, name as string);
  guardErased(record);
  const old = currentValue(record, field);
  if (field.embedding?.setInside(old, rest, given)) return;
  const next = typeof given === 'function' ? (given as (old: unknown) => unknown)(readPath(old, rest)) : given;
  if (rest.length && (typeof old === 'object' ? old instanceof Date : old !== undefined))
    throw new StateError('field', 'field-path', { path });
  setValues(record, { [name]: withPath(old, rest, next) });
}

function setValue(record: InnerRecord, field: FieldDefinition, accepted: unknown): boolean {
  const core = coreOf(record);
  const value = exactEdit(record, field, accepted);
  // The server may have another value than an unconfirmed field shows without an edit: then setting that value is an edit.
  const isKnown = core.edits?.has(field) || !core.unconfirmedFields?.has(field);
  if (isKnown && isSame(exactValue(record, field), value)) return false;
  core.edits ??= new Map();
  core.editedAt[field.name] = record[MODEL].clock.now += 1;
  if (isConfirmed(record, field, value)) core.edits.delete(field);
  else core.edits.set(field, adopt(record, field, value, core.sent));
  record[MODEL].references?.keepParents(record, field);
  return true;
}

/**
 * Whether a value is the base, and the server is known to have it. A write that is in flight, unconfirmed or queued in an outbox may
 * leave another value there: until that is known, even the base value is an edit.
 */
export function isConfirmed(record: InnerRecord, field: FieldDefinition, value: unknown): boolean {
  const core = record[CORE];
  if (core?.sent?.has(field) || core?.unconfirmedFields?.has(field)) return false;
  return isBase(record, field, value) && !core?.keeper?.queuesChange(record, field.name);
}

/** Whether a value is that of the base, with no edits inside. */
export function isBase(record: InnerRecord, field: FieldDefinition, value: unknown): boolean {
  return isSame(exactBase(record, field), value) && !field.embedding?.isDirty(value);
}

/** A new value with the digits of numbers that it has from the row, or from the edit before. */
function exactEdit(record: InnerRecord, field: FieldDefinition, accepted: unknown): unknown {
  if (field.keepsDigits || field.embedding) return accepted;
  return keepLiterals(keepLiterals(accepted, field.raw(record[ROW])), record[CORE]?.edits?.get(field));
}

/** Tells of fields that were set. */
export function announce(record: InnerRecord, changed: readonly FieldDefinition[]): void {
  const core = coreOf(record);
  core.error = undefined;
  didChange(record, {
    kind: 'set',
    fields: changed.length === 1 ? (changed[0] as FieldDefinition).names : changed.map((field) => field.name),
  });
  core.events?.emit('set', { record, modified: valuesOf(record, changed) });
}

/** Whether anything that is to be written differs from the base. */
export function isDirty(record: InnerRecord): boolean {
  const edits = record[CORE]?.edits;
  return edits !== undefined && [...edits.keys()].some((field) => field.persist);
}

/** Makes the edits the base, without a request. Throws `StateError` during a save. */
export function commit(record: InnerRecord): void {
  const core = record[CORE];
  if (core?.sent) throw core.unconfirmed ?? new StateError('busy', 'busy', nameOf(record));
  // Then only the error of a write is left to drop.
  if (!core?.edits?.size) return reject(record);
  core.error = undefined;
  const previousId = record[MODEL].serverId(record);
  willChange(record);
  const written = writeEdits(record);
  core.confirmFields((field) => written.has(field));
  rebase(record, writeBase(record, written), written);
  core.edits = undefined;
  didChange(record, { kind: 'commit', previousId });
  core.events?.emit('commit', { record });
}

/** Drops the edits that no write in flight carries. */
export function reject(record: InnerRecord): void {
  const core = record[CORE];
  if (!core) return;
  const { edits = new Map<FieldDefinition, unknown>(), sent } = core;
  // What was sent may be no edit any more, where records inside were set back.
  const fields = [...new Set([...edits.keys(), ...(sent?.keys() ?? [])])].map((field) => field.name);
  // First: each tells of itself, while the others are as they were.
  for (const [field, value] of edits) if (!sent?.has(field)) field.embedding?.reject(record, value);
  willChange(record, fields);
  for (const field of edits.keys()) if (!sent?.has(field)) edits.delete(field);
  if (sent) {
    const [now, row] = [writeEdits(record), withWritten(record, sent)];
    for (const [field, written] of sent)
      if (!isSame(now.get(field), written)) edits.set(field, adopt(record, field, field.readExact(field.raw(row))));
  } else core.edits = undefined;
  const failed = core.error !== undefined;
  core.error = undefined;
  if (fields.length || failed) didChange(record, { kind: 'reject', fields });
}

/** What the edits are in JSON, by field. */
export function writeEdits(record: InnerRecord): Edits {
  const all: Edits = new Map();
  const edits = record[CORE]?.edits;
  if (!edits) return all;
  const row = { ...record[ROW] };
  for (const [field, value] of edits) {
    const written = field.write(value, row);
    put(row, field, written);
    all.set(field, written);
  }
  return all;
}

/** The row with written values put over it. */
export function withWritten(record: InnerRecord, written: Edits): Data {
  const row = { ...record[ROW] };
  for (const [field, value] of written) put(row, field, value);
  return row;
}

/** Makes written values a part of the base. Other records may have the same row, so that they are written into a copy. */
export function writeBase(record: InnerRecord, written: Edits): Data {
  const { [ROW]: before } = record;
  record[ROW] = withWritten(record, written);
  inheritNotes(record[ROW], before);
  return record[ROW];
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
    // In a copy: the row may be part of another record's, which is sent, or not be ours to write into.
    if (local !== undefined) record[ROW] = withPath(record[ROW], field.path as readonly string[], local) as Data;
  }
  record[CACHE] = undefined;
  for (const settle of held) settle?.(sent);
}

/** A declared field. Throws `StateError`. */
export function fieldOf(record: InnerRecord, name: string): FieldDefinition {
  const model = record[MODEL];
  const field = model.field(name);
  if (!field) throw new StateError('field', 'field-unknown', { field: name, model: model.name });
  return field;
}

/** A field that users may set. Throws `StateError`. */
function writable(record: InnerRecord, name: string): FieldDefinition {
  const field = fieldOf(record, name);
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
