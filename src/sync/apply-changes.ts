import { checkOptions } from '../dev/checks.js';
import type { RecordConflict, RecordDecision } from '../errors/conflict-error.js';
import { describe, formatMessage, type MessageKey, type MessageParams } from '../errors/message-format.js';
import { changesMessages } from '../errors/messages/changes.js';
import { callable, list, type Rules } from '../errors/option-rules.js';
import { type Issue, ValidationError } from '../errors/validation-error.js';
import { MergeError } from '../errors/write-errors.js';
import { changedNotes, setNotes } from '../extension/row-notes.js';
import { isValidId } from '../http/url.js';
import type { AnyModel } from '../model/field.js';
import { type FieldDefinition, isAlikeRaw } from '../model/field-definition.js';
import { randomUuid } from '../model/identifier.js';
import type { Model } from '../model/model.js';
import { type InnerModel, innerModel } from '../model/model-definition.js';
import type { MergedField } from '../model/parts/merge-lists.js';
import { isReference, referencesOf } from '../model/parts/reference-fields.js';
import { withWire, writtenIn } from '../model/parts/wire-values.js';
import {
  coreOf,
  currentValue,
  type InnerRecord,
  inner,
  isInner,
  setField,
  setPath,
  setValues,
} from '../model/record.js';
import { recordError } from '../model/record-error.js';
import { isOwner } from '../model/record-owner.js';
import { markIncomplete, restoreTemporaryId } from '../model/settle.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import { idFieldsOf, MODEL, writeId } from '../operation/operation-record.js';
import { serverId } from '../store/id-index.js';

import type { CompositeId } from '../util/composite-id.js';
import { type Data, getMember, isData, isObject } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { isPlainObject, isSame, isTooDeep, sealed } from '../util/values.js';
import { type InnerSession, innerSession } from './inner-session.js';
import type { Session } from './session.js';
import { type SessionChange, shownRow, withDigits } from './session-changes.js';
import type { SharedRecords } from './shared-records.js';

/** Options of {@link applyChanges}. */
export interface ApplyOptions {
  /**
   * The models of the changes.
   * @default the models of which the session has records or stores
   */
  readonly models?: readonly AnyModel[];
  /**
   * Called for each field that both sides have changed to different values: returns the value to take, or undefined to leave the conflict open.
   * @default none: such a field throws `MergeError`
   */
  readonly decide?: RecordDecision;
}

const APPLY_RULES: Rules<ApplyOptions> = { models: list, decide: callable };

/**
 * Takes the changes of another session as edits: what `changesOf()` has given there, also as parsed JSON. A record that this session does
 * not have is made of what the change knows of it, and is read before a write that needs its whole row. Returns the records, in the order
 * of the changes. Throws, without any change, `ValidationError` for what is no change, and for unknown models, fields and records;
 * `StateError` for a new record whose id the session has already; `MergeError` for fields that were changed here to other values.
 *
 * Models are found by their names, among `models` and those of which the session has records or stores. The changes of a new record can be
 * applied once; those of a fork belong to its parent.
 *
 * @example
 * ```ts
 * applyChanges(session, JSON.parse(localStorage.getItem('draft') ?? '[]'), { models: [User, Task] });
 * ```
 */
export function applyChanges(
  session: Session,
  changes: readonly SessionChange[],
  options: ApplyOptions = {},
): readonly Model[] {
  checkOptions('applyChanges', options, APPLY_RULES);
  const { models = [], decide } = options;
  const inside = innerSession(session);
  const given = models.map((model) => innerModel(model));
  const known = readChanges(changes, (name) => {
    const named = (all: readonly InnerModel[]) => all.filter((each) => each[DEFINITION].name === name);
    const own = named(given);
    return own.length > 0 ? own : named(inside.records.knownModels as readonly InnerModel[]);
  });
  return takeInto(inside, known, { decide });
}

/** Takes changes into a session, whose status tells of all of them at once. */
export function takeInto(
  { records, statusFeed }: InnerSession,
  changes: readonly KnownChange[],
  options: TakingOptions,
): readonly InnerRecord[] {
  return statusFeed.feed.hold(() => takeChanges(records, changes, options));
}

/** A change, the model of its record, and the record of the session; undefined: the session does not have it. */
interface Planned {
  readonly change: SessionChange;
  readonly Class: InnerModel;
  record: InnerRecord | undefined;
}

/** A change whose model is known. */
export type KnownChange = Pick<Planned, 'change' | 'Class'>;

/** How changes are taken into a session. */
export interface TakingOptions {
  readonly decide?: RecordDecision | undefined;
  /** The whole rows of records, by their keys: of those that the session does not have. */
  readonly rows?: ReadonlyMap<string, Data> | undefined;
  /** Whether new records keep their temporary ids: they come from this page. */
  readonly keepsIds?: boolean | undefined;
}

/**
 * Checks data as changes, and finds their models. Throws `ValidationError` with an issue for each mistake: the data may come from anywhere.
 */
function readChanges(given: unknown, modelsOf: (name: string) => readonly InnerModel[]): KnownChange[] {
  if (!Array.isArray(given)) throw new ValidationError([issue([], 'changes-form', { value: describe(given) })]);
  const issues: Issue[] = [];
  const known = given.flatMap((each: unknown, at): KnownChange[] => {
    const change = isTooDeep(each) || !isChange(each) ? undefined : withDigits(each);
    const models = change ? modelsOf(change.model) : [];
    const [Class] = models;
    if (!change) issues.push(issue([at], 'changes-form', { value: describe(each) }));
    else if (!Class) issues.push(issue([at, 'model'], 'changes-model', { model: change.model }));
    else if (models.length > 1) issues.push(issue([at, 'model'], 'changes-models', { model: change.model }));
    else issues.push(...fieldIssues(change, Class, at));
    return change && Class ? [{ change, Class }] : [];
  });
  if (issues.length > 0) throw new ValidationError(issues);
  return known;
}

function isChange(value: unknown): value is SessionChange {
  if (!isPlainObject(value)) return false;
  // Own members only: what a prototype gives was not sent.
  const {
    model,
    key,
    action,
    id,
    values,
    base,
    dependsOn,
    clientId,
    cleared = [],
    digits = [],
    notes = {},
  } = {
    ...value,
  };
  const isText = (each: unknown) => typeof each === 'string';
  const isDigits = (each: unknown) =>
    Array.isArray(each) && Array.isArray(each[0]) && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(String(each[1]));
  return (
    [model, key].every(isText) &&
    ['create', 'update', 'destroy'].includes(action as string) &&
    [id, clientId].every((each) => each === undefined || isPlainId(each) || (each === id && isPartsId(each))) &&
    [values, base, dependsOn, notes].every(isPlainObject) &&
    Object.values(dependsOn as Data).every(isText) &&
    Array.isArray(cleared) &&
    cleared.every(isText) &&
    Array.isArray(digits) &&
    digits.every(isDigits)
  );
}

/** Whether a value is an id of data that may come from anywhere. */
function isPlainId(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && isValidId(value);
}

/** Whether a value is an id of several parts. */
function isPartsId(value: unknown): value is CompositeId {
  return Array.isArray(value) && value.length > 1 && value.every(isPlainId);
}

function fieldIssues(change: SessionChange, Class: InnerModel, at: number): Issue[] {
  const { action, id, values, base, cleared = [], dependsOn } = change;
  const model = Class[DEFINITION];
  const named = [
    ...Object.keys(values).map((name) => ['values', name] as const),
    ...Object.keys(base).map((name) => ['base', name] as const),
    ...Object.keys(dependsOn).map((name) => ['dependsOn', name] as const),
    ...cleared.map((name) => ['cleared', name] as const),
  ];
  const isWrong = (member: string, name: string) =>
    !model.field(name)?.writable || (member === 'dependsOn' && !isReference(Class, name));
  const issues = named
    .filter(([member, name]) => isWrong(member, name))
    .map(([member, name]) => issue([at, member, name], 'changes-field', { field: name, model: model.name }));
  // The parts of an id are set by themselves, so a new record has none of its own.
  const parts = action === 'create' ? undefined : model.idParts?.length;
  const isIdOf = parts ? Array.isArray(id) && id.length === parts : !Array.isArray(id);
  if (id !== undefined && !isIdOf) issues.push(issue([at, 'id'], 'changes-form', { value: describe(id) }));
  for (const { name } of idFieldsOf(model)) {
    const given = getMember(values, name);
    if (isObject(given)) issues.push(issue([at, 'values', name], 'changes-form', { value: describe(given) }));
  }
  return issues;
}

function issue(path: readonly PropertyKey[], code: MessageKey, params: MessageParams): Issue {
  return { path, message: formatMessage(code, params, changesMessages), code, params };
}

/**
 * Takes changes into a session as edits of its records. Nothing is changed if one of them cannot be taken: throws `ValidationError` for a
 * record that is not known, `StateError` for a new record whose id the session has already, and `MergeError` for fields that both sides
 * have changed, unless `decide` gives a value for each. Returns the records in the order of the changes.
 */
function takeChanges(
  shared: SharedRecords,
  changes: readonly KnownChange[],
  options: TakingOptions,
): readonly InnerRecord[] {
  const planned = findRecords(shared, changes, options);
  const decided = decideConflicts(shared, planned, options.decide);
  const made = planned.filter(({ record }) => !record);
  for (const each of made) each.record = makeRecord(each, options);
  const byKey = new Map<string, Model | undefined>(planned.map(({ change, record }) => [change.key, record]));
  const parentId = (name: string, { dependsOn, values }: SessionChange) => {
    const parent = byKey.get(dependsOn[name] as string) ?? recordByKey(shared, dependsOn[name] as string);
    return parent ? serverId(parent) : values[name];
  };
  for (const { change, record } of planned) {
    if (!record || change.action === 'destroy') continue;
    if (change.action === 'update')
      setEdits(record, change, (name) => decided.some((each) => isAt(each, record, name)));
    const references = Object.keys(change.dependsOn).map((name) => [name, parentId(name, change)] as const);
    if (references.length > 0) setValues(record, Object.fromEntries(references));
  }
  for (const { record } of planned)
    if (record && !record.erased && !isOwner(record, shared)) shared.ofRecord(record).adopt(record);
  for (const { record, field, value } of decided) setPath(inner(record), field, value);
  for (const { change, record } of planned) if (change.action === 'destroy' && record) shared.remove(record);
  return planned.flatMap(({ record }) => record ?? []);
}

/** Finds the record of each change. */
function findRecords(shared: SharedRecords, changes: readonly KnownChange[], { keepsIds }: TakingOptions): Planned[] {
  const seen = new Set<unknown>();
  const created = new Set(changes.filter(({ change }) => change.action === 'create').map(({ change }) => change.key));
  const issues: Issue[] = [];
  const planned = changes.map(({ change, Class }, at): Planned => {
    const { action, key, id, dependsOn } = change;
    const { name: model } = Class[DEFINITION];
    const record = action === 'create' ? undefined : recordOf(shared, change, Class);
    const isUnknown = action !== 'create' && !record && id === undefined;
    const given = idIn(change, Class);
    const named = given === undefined ? key : JSON.stringify([model, idKey(given)]);
    const isTwice =
      [record ?? key, named].some((each) => seen.has(each)) ||
      (action === 'create' && recordByKey(shared, key) !== undefined);
    if (isTwice || isUnknown)
      issues.push(issue([at, 'key'], isTwice ? 'changes-twice' : 'changes-record', { model, key }));
    // In this page, a record that refers to a removed new record keeps its temporary id.
    for (const [name, parent] of Object.entries(dependsOn))
      if (!keepsIds && !created.has(parent) && !recordByKey(shared, parent))
        issues.push(issue([at, 'dependsOn', name], 'changes-record', { model, key: parent }));
    seen.add(record ?? key).add(named);
    return { change, Class, record };
  });
  if (issues.length > 0) throw new ValidationError(issues);
  for (const { change, Class } of changes) if (change.action === 'create') checkNewId(shared, change, Class);
  return planned;
}

/** The record of an update or erase, even if it was erased; undefined: the session does not have it. */
function recordOf(shared: SharedRecords, { id, key }: SessionChange, Class: InnerModel): InnerRecord | undefined {
  const records = shared.ofModel(Class);
  const found = id === undefined ? recordByKey(shared, key) : (records.find(id) ?? records.known(id));
  return found && inner(found);
}

/** Throws `StateError` if the session has another record with the id that the application has given to a new one. */
function checkNewId(shared: SharedRecords, change: SessionChange, Class: InnerModel): void {
  // A random temporary id is kept, so it must not be the id of another record.
  const kept = Class[DEFINITION].identifier === randomUuid ? change.clientId : undefined;
  for (const given of [idIn(change, Class), kept]) {
    const other = given === undefined ? undefined : shared.ofModel(Class).find(given);
    if (other) throw recordError(inner(other), 'duplicate', 'session-duplicate');
  }
}

/** The id that a change gives its record; undefined: none that is known already. */
function idIn({ id, values, dependsOn }: SessionChange, Class: InnerModel): unknown {
  const { idField, idParts } = Class[DEFINITION];
  if (id !== undefined || !idParts) return id ?? getMember(values, idField.name);
  const names = idParts.map(({ name }) => name).filter((name) => Object.hasOwn(values, name));
  return names.some((name) => Object.hasOwn(dependsOn, name))
    ? undefined
    : Class[DEFINITION].rowId(wireRow(Class, values, names));
}

/** The record with a key: a new one, or one that was new when the changes were made. */
function recordByKey(shared: SharedRecords, key: string): Model | undefined {
  const has = (record: Model) => inner(record)[CORE]?.key === key;
  return [...shared.pending].find(has) ?? shared.all().find(has);
}

/** A value that the application has chosen for a conflict. */
interface Decided {
  readonly record: Model;
  readonly field: string;
  readonly value: unknown;
}

function isAt({ record, field }: Decided, other: InnerRecord, name: string): boolean {
  return record === other && (field === name || field.startsWith(`${name}.`));
}

/** Asks the application about each field that both sides have changed. Throws `MergeError` if one of them is left open. */
function decideConflicts(
  shared: SharedRecords,
  planned: readonly Planned[],
  decide: RecordDecision | undefined,
): readonly Decided[] {
  const open: RecordConflict[] = [];
  const decided: Decided[] = [];
  for (const { change, record } of planned) {
    if (!record) continue;
    for (const conflict of conflictsOf(shared, change, record)) {
      const value = conflict.removedBy ? undefined : decide?.(conflict);
      if (value === undefined) open.push(conflict);
      else decided.push({ record, field: conflict.field, value });
    }
  }
  if (open.length > 0) {
    const names = open.map(({ record, field }) => `${record[MODEL].name} ${record[MODEL].serverId(record)}, ${field}`);
    throw new MergeError(open, names.slice(0, 5).join('; '));
  }
  return decided;
}

function conflictsOf(shared: SharedRecords, change: SessionChange, record: InnerRecord): RecordConflict[] {
  const { action, values, base, cleared = [] } = change;
  const isGone = record.erased || shared.isHidden(record);
  const isRemoval = action === 'destroy';
  if (isGone && isRemoval) return [];
  const row = shownRow(record);
  const names = isRemoval ? Object.keys(base) : [...Object.keys(values), ...cleared];
  return names.flatMap((name): RecordConflict[] => {
    const field = record[MODEL].field(name) as FieldDefinition;
    const [before, mine, theirs] = [getMember(base, name), getMember(values, name), writtenIn(field, row)];
    const asked = { record, before, mine, theirs, path: name };
    if (isRemoval) return isChanged(record, field, before, theirs) ? [told(field, asked, 'mine')] : [];
    if (isGone) return [told(field, asked, 'theirs')];
    return clashes(field, asked);
  });
}

/** The written values of a field: before the change, in the change, and in the session. */
interface Compared {
  readonly record: Model;
  readonly before: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly path: string;
}

/** The fields that both sides have changed to different values; inside an embedded record, its own fields. */
function clashes(field: FieldDefinition, compared: Compared): RecordConflict[] {
  const { before, mine, theirs, path, record } = compared;
  if (!isChanged(inner(record), field, before, theirs) || isAlikeRaw(field, mine, theirs)) return [];
  if (mergedLines(field, compared)?.conflicts.length === 0) return [];
  if (!field.embedding || !isData(before) || !isData(mine) || !isData(theirs)) return [told(field, compared)];
  return field.embedding.fields.flatMap((each) => {
    const inside = { before: writtenIn(each, before), mine: writtenIn(each, mine), theirs: writtenIn(each, theirs) };
    const isEdited = !isAlikeRaw(each, inside.before, inside.mine);
    return isEdited ? clashes(each, { record, ...inside, path: `${path}.${each.name}` }) : [];
  });
}

/** A list of embedded records that both sides have changed, merged by its lines; undefined for any other value. */
function mergedLines(
  field: FieldDefinition,
  { before, mine, theirs }: Pick<Compared, 'before' | 'mine' | 'theirs'>,
): MergedField | undefined {
  const isMerged = [before, mine, theirs].every(Array.isArray) && !isSame(before, theirs) && !isSame(mine, theirs);
  if (!isMerged) return undefined;
  return field.embedding?.merge(field, {
    ...{ base: before, mine, theirs },
    ...{ live: undefined, stored: undefined, isRepeat: false },
  });
}

/** Whether the session shows another value than the change has started from. The id of a record that was saved since is no other value. */
function isChanged(record: InnerRecord, field: FieldDefinition, before: unknown, theirs: unknown): boolean {
  if (isAlikeRaw(field, before, theirs)) return false;
  const [, target] = referencesOf(record).find(([each]) => each === field) ?? [];
  const parent = target?.[DEFINITION].phantoms?.get(before);
  return !parent || !isSame(serverId(parent), theirs);
}

function told(field: FieldDefinition, compared: Compared, removedBy?: 'mine' | 'theirs'): RecordConflict {
  const { record, before, mine, theirs, path } = compared;
  const value = (raw: unknown) => sealed(field.read(raw));
  return {
    ...{ record, field: path, base: value(before) },
    mine: removedBy === 'mine' ? undefined : value(mine),
    theirs: removedBy === 'theirs' ? undefined : value(theirs),
    ...(removedBy && { removedBy }),
  };
}

/** Makes the record of a change that the session does not have. */
function makeRecord({ change, Class }: Planned, { rows, keepsIds }: TakingOptions): InnerRecord {
  if (change.action !== 'create') return makeKnown(Class, change, rows?.get(change.key));
  const model = Class[DEFINITION];
  const names = Object.keys(change.values).filter((name) => !Object.hasOwn(change.dependsOn, name));
  const row = wireRow(Class, change.values, names);
  const exact = names.map((name) => [name, exactIn(Class, name, row)] as const);
  const record = inner(new Class(Object.fromEntries(exact), { phantom: true }));
  if (change.id !== undefined) setValues(record, { [model.idField.name]: model.idField.readExact(change.id) });
  if (change.cleared) setValues(record, Object.fromEntries(change.cleared.map((name) => [name, undefined])));
  const core = coreOf(record);
  // A counted id may belong to another record of this page; a random one does not.
  const isFree = model.identifier === randomUuid && !model.phantoms?.get(change.clientId);
  const takesId = keepsIds || isFree;
  if (change.clientId !== undefined && core.temporaryId !== undefined && takesId) {
    restoreTemporaryId(record, change.clientId);
    model.phantoms?.add(change.clientId, record, model.customId);
  }
  core.key = change.key;
  return record;
}

/** Makes a record that the server has, and the session has not read: of its whole row, or of what the change knows. */
function makeKnown(Class: InnerModel, { id, base, notes }: SessionChange, whole: Data | undefined): InnerRecord {
  if (whole) return inner(Class.fromRow(whole));
  const row = wireRow(Class, base, Object.keys(base));
  writeId(row, Class[DEFINITION], id);
  if (notes) setNotes(row, changedNotes({ values: notes }));
  const record = inner(Class.fromRow(row));
  markIncomplete(record);
  return record;
}

function wireRow(Class: InnerModel, values: SessionChange['values'], names: readonly string[]): Data {
  const field = (name: string) => Class[DEFINITION].field(name) as FieldDefinition;
  return withWire({}, new Map(names.map((name) => [field(name), values[name]])));
}

function exactIn(Class: InnerModel, name: string, row: Data): unknown {
  const field = Class[DEFINITION].field(name) as FieldDefinition;
  return field.readExact(field.raw(row));
}

/** Sets the values of a change as edits, without those that the application has decided on. */
function setEdits(
  record: InnerRecord,
  { values, base, cleared = [], dependsOn }: SessionChange,
  isDecided: (name: string) => boolean,
): void {
  const all = [...Object.entries(values), ...cleared.map((name) => [name, undefined] as const)];
  for (const [name, mine] of all)
    if (!Object.hasOwn(dependsOn, name))
      setWritten(record, record[MODEL].field(name) as FieldDefinition, {
        ...{ before: getMember(base, name), mine, path: name },
        isDecided,
      });
}

interface Setting {
  readonly before: unknown;
  readonly mine: unknown;
  readonly path: string;
  readonly isDecided: (path: string) => boolean;
}

/** Sets a field. An embedded record stays, and takes those of its fields that were changed. */
export function setWritten(record: InnerRecord, field: FieldDefinition, setting: Setting): void {
  const { before, mine, path, isDecided } = setting;
  const present = field.embedding ? currentValue(record, field) : undefined;
  if (isInner(present) && isData(before) && isData(mine)) {
    for (const each of present[MODEL].fields) {
      const inside = { before: writtenIn(each, before), mine: writtenIn(each, mine), path: `${path}.${each.name}` };
      if (each.writable && !isSame(inside.before, inside.mine)) setWritten(present, each, { ...inside, isDecided });
    }
    return;
  }
  if (isDecided(path)) return;
  const shown = shownRow(record);
  const merged = mergedLines(field, { before, mine, theirs: writtenIn(field, shown) });
  const row = withWire(shown, new Map([[field, merged ? merged.value : mine]]));
  setField(record, field, field.readExact(field.raw(row)));
}
