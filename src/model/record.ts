import { checkOptions, fieldHint } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import { describe } from '../errors/message-format.js';
import { flag, type Rules, wrongValue } from '../errors/option-rules.js';
import type { Issue } from '../errors/validation-error.js';
import type { Extension } from '../extension/extension.js';
import { inheritNotes } from '../extension/row-notes.js';
import { isValidId } from '../http/url.js';
import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import {
  type Data,
  type DataPath,
  formatPath,
  getMember,
  isData,
  isObject,
  isPath,
  parsePath,
  readPath,
  setMember,
  setMembers,
  withPath,
  writePath,
} from '../util/data-path.js';
import { restoreDigits } from '../util/restore-digits.js';
import { rounded } from '../util/rounded.js';
import { isSame, MAX_DEPTH, sealed } from '../util/values.js';
import { acceptMember, acceptValue } from './accept-value.js';
import type { FieldDefinition } from './field-definition.js';
import { isDate } from './field-types.js';
import type { Typed } from './infer.js';
import type { Model } from './model.js';
import type { ModelDefinition, RawRecord } from './model-definition.js';
import {
  type CoreOfView,
  confirmFields,
  type Edits,
  type Entry,
  forgetSent,
  NO_ISSUES,
  type ReadonlyEdits,
  RecordCore,
  whenEdited,
  whenMade,
} from './record-core.js';
import { readOnlyError, recordError } from './record-error.js';
import { didChange, type RecordOwner, willChange } from './record-owner.js';
import { CACHE, CHECKED, CORE, FROM_ROW, OWNER, RANK, ROW } from './symbols.js';

/** A record with its internal members. */
export interface InnerRecord extends RawRecord, Model, Typed<Readonly<Record<string, unknown>>> {
  readonly [MODEL]: ModelDefinition;
  readonly [CHECKED]?: unknown;
  readonly [CACHE]: unknown[] | undefined;
  [OWNER]: RecordOwner | RecordOwner[] | undefined;
  [RANK]: number;
}

/** A record whose row, cache and core can be replaced. Only this file replaces them. */
interface WritableRecord {
  [ROW]: Data;
  [CACHE]: unknown[] | undefined;
  [CORE]: RecordCore | undefined;
}

/** The values that a write has sent: in their JSON form, and as the record held them. */
export interface SentValues {
  /** The row on which they were made. */
  readonly base?: Data | undefined;
  readonly written: ReadonlyEdits;
  readonly live: ReadonlyEdits;
  /** The values as an outbox has stored them, in their JSON form, before they were merged with those of the server. */
  readonly saved?: ReadonlyEdits | undefined;
  /** The embedded records as they were then. */
  readonly liveRows?: LiveRows | undefined;
}

/** The row of an embedded record, and the embedded records in it, when its holder was saved. */
export interface LiveRow {
  readonly row: Data;
  readonly inside: ReadonlyEdits;
}

/** Embedded records as they were when their holder was saved. */
export type LiveRows = ReadonlyMap<InnerRecord, LiveRow>;

/** A record with its internal members, which its public type hides. */
export function inner<M extends OperationRecord>(record: M): InnerRecord & M {
  return record as object as InnerRecord & M;
}

/** Whether a value is a record, such as one inside another record. */
export function isInner(value: unknown): value is InnerRecord {
  return isObject(value) && MODEL in value;
}

/** The core of a record, which is made now if the record has none yet. */
export function coreOf(record: InnerRecord): RecordCore {
  return ((record as WritableRecord)[CORE] ??= new RecordCore());
}

/** The options of `new User(values, options)`. */
const RECORD_RULES: Rules<{ phantom?: boolean }> = { phantom: flag };

/** Initialises a record: with a row as received, or with values by field name. */
export function initRecord(record: InnerRecord, data: object, options: { phantom?: boolean } | typeof FROM_ROW): void {
  const made = record as WritableRecord;
  made[CACHE] = undefined;
  made[CORE] = undefined;
  record[OWNER] = undefined;
  record[RANK] = 0;
  if (options === FROM_ROW) {
    made[ROW] = data as Data;
    return;
  }
  const model = record[MODEL];
  inWords(model.messages, () => {
    checkOptions(`new ${model.name}`, options, RECORD_RULES);
    // A record has no members of its own: the new one would be empty.
    if (!isData(data) || MODEL in data)
      throw wrongValue(
        `The values of a new ${model.name}`,
        'an object of values by field (`copyOf(record)` copies a record)',
        data,
      );
  });
  made[ROW] = {};
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) continue;
    if (model.keepsMember(name)) setMember(record[ROW], name, acceptMember(model, name, value));
    else setBaseValue(record, writable(record, name), value);
  }
  const id = model.idField.raw(record[ROW]);
  if (!(options.phantom ?? !isValidId(id))) return;
  const core = coreOf(record);
  const { identifier, phantoms, customId } = model;
  const temporaryId = isValidId(id) ? undefined : identifier();
  Object.assign(core, whenMade(temporaryId));
  if (temporaryId !== undefined) phantoms?.add(temporaryId, record, customId);
  for (const field of model.fields) {
    if (getMember(data, field.name) !== undefined) continue;
    const value = field.defaultValue();
    if (value !== undefined && field.writable) setBaseValue(record, field, value);
  }
  model.references?.keepParents(record);
}

/** Makes a record with another row and the given state, for a request, a check or a comparison. The application never sees it. */
export function twinOf(record: InnerRecord, row: Data, state?: CoreOfView): InnerRecord {
  const twin = Object.create(Object.getPrototypeOf(record)) as InnerRecord;
  initRecord(twin, row, FROM_ROW);
  if (state) (twin as WritableRecord)[CORE] = new RecordCore(state);
  return twin;
}

/** A copy of an edited record without its edits. Getters of the class body work on it. */
export function withoutEdits<M extends Model>(record: M): M {
  const { [MODEL]: model, [CORE]: core, [CACHE]: cached } = inner(record);
  // The copy needs its own cache, because values that it converts must not reach the record.
  const cache = cached?.slice();
  // Embedded records have edits of their own; without a cached one, the copy reads a new one from the row.
  for (const { embedding, slot } of model.fields) if (embedding && cache?.[slot]) cache[slot] = undefined;
  const state = Object.assign(new RecordCore(), core, {
    typed: new Map(),
    entries: [],
    shown: undefined,
    state: undefined,
  });
  const copy = Object.assign(Object.create(Object.getPrototypeOf(record)), record) as M;
  return Object.assign(copy, { [CORE]: state, [CACHE]: cache });
}

/** Sets a value of the base: writes it into the row, and caches the value if it differs from its written form. */
function setBaseValue(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const accepted = acceptValue(record, field, value);
  const written = field.write(accepted, record[ROW]);
  putWritten(record[ROW], field, written);
  if (!field.isDirect(accepted) || written !== accepted)
    cacheValue(record, field, adopt(record, field, rounded(accepted)));
}

/** Writes the base value of a field in the form that another row has: digits as a number or as a text, a time with or without its zone. */
export function writeBaseLike(record: InnerRecord, field: FieldDefinition, row: Readonly<Data>): void {
  if ((field.keepsDigits || field.type === 'date') && field.path)
    putWritten(record[ROW], field, field.write(baseValue(record, field), row));
}

/** Sets the written value of a field in a row. */
function putWritten(row: Data, { path }: FieldDefinition, written: unknown): void {
  if (path) writePath(row, path, written);
  else setMembers(row, written);
}

/** Caches a converted value. A date is cached as its time in milliseconds, which takes a fraction of the memory. */
export function cacheValue(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  const timed = field.type === 'date';
  // A cached number stands for a date. A number that was refused as a date must not become one, so it is not cached.
  if (timed && typeof value === 'number') return;
  cacheInSlot(record, field, timed && isDate(value) ? value.getTime() : value);
}

/** Puts a value into the cache of a record, in the form in which it is cached. */
export function cacheInSlot(record: InnerRecord, field: FieldDefinition, cached: unknown): void {
  if (field.slot < 0) field.slot = record[MODEL].nextSlot();
  const { slot } = field;
  // An array made with its final length takes less memory than one that grows.
  const cache = ((record as WritableRecord)[CACHE] ??= slot === 0 ? [cached] : new Array(slot + 1));
  cache[slot] = cached;
}

/** The cached value of a field; undefined if there is none. */
export function cachedValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = field.slot < 0 ? undefined : record[CACHE]?.[field.slot];
  return field.type === 'date' && typeof cached === 'number' ? new Date(cached) : cached;
}

/** Makes embedded records in a value tell this record, their holder, about their edits. Returns the value. */
function adopt(record: InnerRecord, field: FieldDefinition, value: unknown): unknown {
  field.embedding?.adopt(record, field, value);
  return value;
}

/** The value of a field without its edit, for reading it only once: a converted value is not cached. */
export function peekValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = record[CACHE] === undefined ? undefined : cachedValue(record, field);
  if (cached !== undefined) return cached;
  const raw = field.raw(record[ROW]);
  return field.isDirect(raw) ? raw : field.read(raw, record);
}

/** The value of a field without its edit. It is converted when it is first read. */
export function baseValue(record: InnerRecord, field: FieldDefinition): unknown {
  const cached = record[CACHE] === undefined ? undefined : cachedValue(record, field);
  if (cached !== undefined) return cached;
  const raw = field.raw(record[ROW]);
  if (field.isDirect(raw)) return raw;
  if (field.derived) return field.read(raw, record);
  const value = adopt(record, field, field.read(raw));
  cacheValue(record, field, value);
  return value;
}

/** The value of a field without its edit, with every digit of its numbers, as the row has them. */
export function exactBase(record: InnerRecord, field: FieldDefinition): unknown {
  const value = baseValue(record, field);
  return field.keepsDigits || field.embedding ? value : restoreDigits(value, field.raw(record[ROW]));
}

/** The current value of a field, edited or not, with every digit of its numbers. */
export function exactValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  if (core?.edits?.has(field)) return core.edits.get(field);
  return field.keepsDigits || field.config.calculate
    ? currentValue(record, field)
    : restoreDigits(currentValue(record, field), field.raw(record[ROW]));
}

/** The current value of a field, edited or not, safe to hand out: a date is a copy, arrays and plain objects are frozen. */
export function currentValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  const { calculate } = field.config;
  // Most records have no core, and then nothing else needs to be looked up.
  if (core === undefined && !calculate) return sealed(baseValue(record, field));
  if (core?.edits?.has(field)) return sealed(core.withRoundedNumbers(field, core.edits.get(field)));
  if (calculate) return calculate(record);
  const value = sealed(baseValue(record, field));
  return field === record[MODEL].idField && !isValidId(value) ? (core?.temporaryId ?? value) : value;
}

/** The value of a member that no field declares, safe to hand out. */
export function undeclaredValue(record: InnerRecord, name: string): unknown {
  return sealed(rounded(getMember(record[ROW], name)));
}

/** The values of fields by field name, each read by `read`. */
export function valuesOf(
  record: InnerRecord,
  fields: Iterable<FieldDefinition>,
  read: (record: InnerRecord, field: FieldDefinition) => unknown = currentValue,
): Record<string, unknown> {
  return Object.fromEntries([...fields].map((field) => [field.name, read(record, field)]));
}

/**
 * Sets several fields, with one event for all of them. Throws `StateError` before anything is changed. `isByHook`: an extension sets them, not the
 * user, so that the error of the last write stays.
 */
export function setValues(record: InnerRecord, values: object, isByHook: boolean = false): void {
  const accepted = Object.entries(values).map(([name, value]) => {
    const field = writable(record, name);
    return [field, acceptValue(record, field, value)] as const;
  });
  guardErased(record);
  willChange(record, Object.keys(values));
  const changed = accepted.filter(([field, value]) => setValue(record, field, value)).map(([field]) => field);
  if (changed.length) reportSet(record, changed, undefined, isByHook);
}

/** Sets one field. Throws `StateError` if the field or the record cannot be set. */
export function setField(record: InnerRecord, field: FieldDefinition, value: unknown): void {
  if (!field.writable) writable(record, field.name);
  guardErased(record);
  const accepted = acceptValue(record, field, value);
  willChange(record, field.names);
  if (setValue(record, field, accepted)) reportSet(record, [field]);
}

/** Sets a field, or a member inside its value. Throws `StateError` if the path, the field or the record cannot be set. */
export function setPath(record: InnerRecord, place: string | DataPath, update: unknown): void {
  const path = typeof place === 'string' ? place : formatPath(place);
  const isField = record[MODEL].field(path) !== undefined;
  if (!isField && !isPath(path)) throw recordError(record, 'field', 'path-malformed', { path, option: 'set' });
  const [name = '', ...rest] = isField ? [path] : parsePath(path);
  const field = writable(record, name as string);
  if (path.length > MAX_DEPTH && rest.length > MAX_DEPTH)
    throw recordError(record, 'field', 'field-path-depth', { field: field.name, most: MAX_DEPTH });
  guardErased(record);
  const old = currentValue(record, field);
  if (field.embedding?.setInside(old, rest, update)) return;
  const next = typeof update === 'function' ? (update as (old: unknown) => unknown)(readPath(old, rest)) : update;
  if (rest.length && (typeof old === 'object' ? old instanceof Date : old !== undefined))
    throw recordError(record, 'field', 'field-path', { path, field: name, value: describe(old) });
  setValues(record, { [name]: withPath(old, rest, next) });
}

function setValue(record: InnerRecord, field: FieldDefinition, accepted: unknown): boolean {
  const core = coreOf(record);
  const value = exactEdit(record, field, accepted);
  // The server may have another value for an unconfirmed field than the base: setting the field to its base value is then an
  // edit.
  const isKnown = core.edits.has(field) || !core.unconfirmedFields?.has(field);
  if (isKnown && isSame(exactValue(record, field), value)) return false;
  core.editedAt[field.name] = record[MODEL].clock.now += 1;
  core.edit(field, isConfirmed(record, field, value) ? undefined : { value: adopt(record, field, value) });
  record[MODEL].references?.keepParents(record, field);
  return true;
}

/**
 * Whether a value is no edit: it is the one that was saved last, or that of the row, if the server certainly has it. An update without a response,
 * or a write that is queued in an outbox, may give the server another one; until its outcome is known, even the base value is an edit.
 * `isAnswered`: the row has the values of the write in flight.
 */
export function isConfirmed(
  record: InnerRecord,
  field: FieldDefinition,
  value: unknown,
  isAnswered: boolean = false,
): boolean {
  const core = record[CORE];
  const below = core?.below(field);
  const isKnown = !below
    ? !core?.unconfirmedFields?.has(field) && isBase(record, field, value)
    : // An embedded record may have been edited since, or replaced by an equal one.
      isSame(below.live.get(field), value) &&
      (!field.embedding || isSame(below.written.get(field), field.write(value, record[ROW])));
  return isKnown && !core?.keeper?.queuesChange(record, field.name, isAnswered);
}

/** Whether a value is the base value, without edits in embedded records. */
export function isBase(record: InnerRecord, field: FieldDefinition, value: unknown): boolean {
  return isSame(exactBase(record, field), value) && !field.embedding?.isDirty(value);
}

/** Restores the digits of numbers in a new value that was made from the row's value or from an earlier edit. */
function exactEdit(record: InnerRecord, field: FieldDefinition, accepted: unknown): unknown {
  if (field.keepsDigits || field.embedding) return accepted;
  return restoreDigits(restoreDigits(accepted, field.raw(record[ROW])), record[CORE]?.edits?.get(field));
}

/**
 * Tells owners and listeners about fields that were set. `paths`: the members that were set, if not the whole values. `isByHook`: as for
 * {@link setValues}.
 */
export function reportSet(
  record: InnerRecord,
  changed: readonly FieldDefinition[],
  paths?: readonly DataPath[],
  isByHook: boolean = false,
): void {
  const core = coreOf(record);
  const fields = changed.length === 1 ? (changed[0] as FieldDefinition).names : changed.map((field) => field.name);
  // The error of the last write goes with an edit of the user, and with no other.
  if (!isByHook) Object.assign(core, whenEdited(core, issuesElsewhere(record, paths ?? fields.map((name) => [name]))));
  didChange(record, { kind: 'set', fields, ...(paths && { paths }) });
  core.listeners?.emit('set', { record, modified: valuesOf(record, changed) });
}

/** Whether any edited field is sent by writers. */
export function isDirty(record: InnerRecord): boolean {
  const edits = record[CORE]?.edits;
  return edits !== undefined && [...edits.keys()].some((field) => field.persist);
}

/** Makes the edits the base, without a request. Throws `StateError` during a save. */
export function commit(record: InnerRecord): void {
  const core = record[CORE];
  if (core?.entries.some(({ change }) => change.action !== 'destroy'))
    throw core.unconfirmed ?? recordError(record, 'busy', core.saving ? 'busy' : 'busy-waiting', { call: 'commit()' });
  // Without edits, only the error of the last write has to be dropped.
  if (!core?.edits.size) return reject(record);
  Object.assign(core, whenEdited(core));
  const previousId = record[MODEL].serverId(record);
  willChange(record);
  const written = writeEdits(record);
  confirmFields(core, (field) => written.has(field));
  rebase(record, writeBase(record, withWritten(record[ROW], written)), { written, live: core.edits });
  core.edits = undefined;
  didChange(record, { kind: 'commit', previousId });
  core.listeners?.emit('commit', { record });
}

/** The issues in the server's response of fields, and members of their values, other than these. */
function issuesElsewhere(record: InnerRecord, paths: readonly DataPath[]): readonly Issue[] {
  const issues = record[CORE]?.issues ?? NO_ISSUES;
  if (issues.length === 0) return issues;
  return issues.filter(({ path }) => {
    const isAt = (edited: DataPath) =>
      edited.every((each, at) => at >= path.length || String(each) === String(path[at]));
    return record[MODEL].field(String(path[0])) && !paths.some(isAt);
  });
}

/**
 * Drops the edits and the changes that wait, except what a write in flight carries. With names, drops only the edits of these fields, and
 * leaves what waits as it is. Throws `StateError` for an unknown name.
 */
export function reject(record: InnerRecord, names?: readonly string[]): void {
  const only = names && new Set(names.map((name) => fieldOf(record, name)));
  const core = record[CORE];
  if (!core) return;
  const { edits: before } = core;
  const isLeft = ({ state, change }: Entry) => only || state === 'open' || change.action === 'destroy';
  const left = core.entries.filter(isLeft);
  const fields = [...before.keys()].filter((field) => only?.has(field) ?? true);
  // Embedded records go first, because each reports its own change while the other fields are still unchanged.
  for (const field of fields) {
    const below = left.findLast(({ change }) => change.live.has(field))?.change;
    if (below) field.embedding?.rejectTo(below.live.get(field), below.written.get(field));
    else field.embedding?.reject(record, before.get(field));
  }
  const changed = fields.map(({ name }) => name);
  willChange(record, changed);
  for (const field of fields) {
    // Without its time, the field does not count as one that the application has set back.
    if (core.typed.has(field)) delete core.editedAt[field.name];
    core.edit(field, undefined);
  }
  core.list(left);
  forgetSent(core, only);
  const failed = core.error !== undefined;
  const paths = names?.map((name) => [name]);
  Object.assign(core, whenEdited(core, paths && issuesElsewhere(record, paths)));
  if (fields.length || failed) didChange(record, { kind: 'reject', fields: changed });
}

/**
 * Edits in their JSON form, by field. `base` is the row on which they were made. With `skipsUnwritable`, a value that cannot be written is left
 * out: it was set after everything that was sent, and must not fail what was done without it.
 */
export function writeEdits(
  record: InnerRecord,
  edits: ReadonlyEdits | undefined = record[CORE]?.edits,
  base: Readonly<Data> = record[ROW],
  skipsUnwritable: boolean = false,
): Edits {
  const all: Edits = new Map();
  if (!edits) return all;
  const row = { ...base };
  for (const [field, value] of edits) {
    try {
      const written = field.write(value, row);
      putWritten(row, field, written);
      all.set(field, written);
    } catch (cause) {
      if (!skipsUnwritable) throw cause;
    }
  }
  return all;
}

/** A copy of a row with written values in it. */
export function withWritten(base: Readonly<Data>, written: ReadonlyEdits): Data {
  const row = { ...base };
  for (const [field, value] of written) putWritten(row, field, value);
  return row;
}

/** Puts a row with written values in the place of the row of which it is a copy. */
export function writeBase(record: InnerRecord, row: Data): Data {
  inheritNotes(row, record[ROW]);
  (record as WritableRecord)[ROW] = row;
  return row;
}

/**
 * Gives a record a new base. Local values of fields that are not sent stay. Embedded records stay too, and drop those edits
 * that were sent.
 */
export function rebase(record: InnerRecord, row: Data, sent?: SentValues): void {
  const before = record[ROW];
  const { fields } = record[MODEL];
  const settleInside: ((sent?: SentValues) => void)[] = [];
  for (const field of fields) {
    const settle = field.embedding?.prepareRebase(record, field);
    if (settle) settleInside.push(settle);
  }
  const rebased = record as WritableRecord;
  rebased[ROW] = row;
  for (const field of fields) {
    const local = !field.persist && field.path && field.raw(row) === undefined ? field.raw(before) : undefined;
    // Written into a copy, because the row may be part of another record's row, or belong to the application.
    if (local !== undefined) rebased[ROW] = withPath(rebased[ROW], field.path as readonly string[], local) as Data;
  }
  rebased[CACHE] = undefined;
  for (const settle of settleInside) settle(sent);
}

/**
 * The state that an extension has stored for a record by {@link setSlot}; undefined if there is none.
 *
 * @example
 * ```ts
 * const attempts = { name: 'attempts' }; // an extension that counts by `setSlot(record, attempts, { count: 1 })`
 * slotOf<{ count: number }>(user, attempts)?.count; // undefined if the extension has stored nothing for the user
 * ```
 */
export function slotOf<S extends object>(record: OperationRecord, { name }: Pick<Extension, 'name'>): S | undefined {
  return (record as InnerRecord)[CORE]?.slots?.get(name) as S | undefined;
}

/**
 * Stores the state of an extension for a record. It must be plain data that JSON can carry, because an outbox stores it with the
 * record's writes. undefined removes it.
 *
 * @example
 * ```ts
 * const attempts: Extension = {
 *   name: 'attempts',
 *   layer: LAYERS.conflicts + 1,
 *   settled({ records }) {
 *     for (const record of records) {
 *       const { count } = slotOf<{ count: number }>(record, attempts) ?? { count: 0 };
 *       setSlot(record, attempts, { count: count + 1 });
 *     }
 *   },
 * };
 * ```
 */
export function setSlot(record: OperationRecord, { name }: Pick<Extension, 'name'>, state: object | undefined): void {
  const core = coreOf(record as InnerRecord);
  if (state) (core.slots ??= new Map()).set(name, state);
  else core.slots?.delete(name);
}

/** A declared field. Throws `StateError` for an unknown name. */
export function fieldOf(record: InnerRecord, name: string): FieldDefinition {
  const model = record[MODEL];
  const field = model.field(name);
  if (!field) throw recordError(record, 'field', 'field-unknown', { field: name, hint: fieldHint(name, model.fields) });
  return field;
}

/** A field that the application may set. Throws `StateError` for an unknown or calculated field. */
function writable(record: InnerRecord, name: string): FieldDefinition {
  const field = fieldOf(record, name);
  if (!field.writable) throw readOnlyError(record, field);
  return field;
}

/** Throws `StateError` for an erased record. */
export function guardErased(record: InnerRecord): void {
  if (record[CORE]?.erased) throw recordError(record, 'erased', 'erased');
}
