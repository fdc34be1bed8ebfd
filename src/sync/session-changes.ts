import { formatMessage } from '../errors/message-format.js';
import { plainChangesMessages } from '../errors/messages/changes.js';
import { ValidationError } from '../errors/validation-error.js';
import {
  type ChangeValues,
  createValues,
  editedValues,
  keyOf,
  notesOf,
  writtenIn,
} from '../model/parts/wire-values.js';
import { type InnerRecord, inner, withWritten, writeEdits } from '../model/record.js';
import { ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import { type Data, type DataPath, readPath } from '../util/data-path.js';
import { findFile } from '../util/files.js';
import { LongNumber } from '../util/long-number.js';
import { deepFreeze, isPlainObject, isSame } from '../util/values.js';
import type { Copies } from './copies.js';
import { type InnerSession, innerSession } from './inner-session.js';
import type { Session } from './session.js';

/**
 * One pending change of a record of a session, as plain data of which JSON keeps everything: the values have the form in which an outbox
 * stores them.
 */
export interface SessionChange extends ChangeValues {
  /** The name of the record's model. */
  readonly model: string;
  /** The record's `$.key`. */
  readonly key: string;
  /** Numbers that JavaScript cannot hold: their places, such as `['values', 'total']`, and their digits. */
  readonly digits?: readonly (readonly [path: DataPath, digits: string])[] | undefined;
}

/** A record with its pending change, whose long numbers still stand in the values. */
export interface PendingChange {
  readonly record: InnerRecord;
  readonly change: SessionChange;
}

const EVERY_FIELD: ReadonlyMap<string, unknown> = new Map();
const NO_FIELD: ReadonlySet<string> = new Set();

/**
 * The pending changes of a session as plain data: new, edited and removed records. JSON keeps all of it, dates, decimals and numbers of
 * any length included, so that it can be stored, or sent to another page, and taken there by `applyChanges()`. Values of fields with
 * `persist: false` are included. Throws `ValidationError` for a file.
 *
 * @example
 * ```ts
 * localStorage.setItem('draft', JSON.stringify(changesOf(session)));
 * ```
 */
export function changesOf(session: Session): readonly SessionChange[] {
  return toData(pendingChangesOf(innerSession(session)).map(({ change }) => change));
}

/** The pending changes of a session: creates, then updates, then erases. Those of a fork are relative to what its parent showed. */
export function pendingChangesOf(session: InnerSession): PendingChange[] {
  const { records } = session;
  const { copies } = records;
  const { removed } = session.pending;
  const written = [...records.pending].flatMap((each): PendingChange[] => {
    if (records.isHidden(each)) return [];
    const record = inner(each);
    const change = copies?.pairOf(record) ? copyChange(record, copies) : recordChange(record);
    const isEmpty =
      change.action === 'update' && Object.keys(change.values).length + (change.cleared?.length ?? 0) === 0;
    return isEmpty ? [] : [{ record, change }];
  });
  const gone = [...removed, ...(copies?.removedNew() ?? [])].map((each) => {
    const record = inner(each);
    return { record, change: removalOf(record, copies?.pairOf(record)?.shown) };
  });
  const isNew = ({ change }: PendingChange) => change.action === 'create';
  return [...written.filter(isNew), ...written.filter((each) => !isNew(each)), ...gone];
}

function recordChange(record: InnerRecord): SessionChange {
  const common = nameOf(record);
  if (record.phantom) return { ...common, action: 'create', ...createValues(record, isHeld) };
  const id = idOf(record);
  return {
    ...common,
    action: 'update',
    id,
    ...editedValues(record, EVERY_FIELD, NO_FIELD, isHeld),
    ...notesOf(record),
  };
}

/** The change of a copy, relative to what its original showed when it was copied. */
function copyChange(record: InnerRecord, copies: Copies): SessionChange {
  const { shown } = copies.pairOf(record) as { readonly shown: Data };
  const { values: edited, cleared = [], dependsOn } = editedValues(record, EVERY_FIELD, NO_FIELD, isHeld);
  const before = (name: string) => wireValue(record, name, shown);
  const values = Object.fromEntries(Object.entries(edited).filter(([name, value]) => !isSame(before(name), value)));
  const emptied = cleared.filter((name) => before(name) !== undefined);
  const names = [...Object.keys(values), ...emptied];
  return {
    ...{ ...nameOf(record), action: 'update', id: idOf(record), values },
    ...(emptied.length > 0 && { cleared: emptied }),
    base: Object.fromEntries(names.map((name) => [name, before(name)])),
    dependsOn: Object.fromEntries(Object.entries(dependsOn).filter(([name]) => Object.hasOwn(values, name))),
  };
}

function removalOf(record: InnerRecord, shown: Data = record[ROW]): SessionChange {
  const { fields } = record[MODEL];
  const held = fields.filter(isHeld).map(({ name }) => [name, wireValue(record, name, shown)] as const);
  const base = Object.fromEntries(held.filter(([, value]) => value !== undefined));
  const id = idOf(record);
  return { ...nameOf(record), action: 'destroy', id, values: {}, base, dependsOn: {}, ...notesOf(record) };
}

/** Whether a record holds values of a field, also of one that is never sent. */
function isHeld({ writable }: { readonly writable: boolean }): boolean {
  return writable;
}

function nameOf(record: InnerRecord): Pick<SessionChange, 'model' | 'key'> {
  return { model: record[MODEL].name, key: keyOf(record) };
}

/** The id by which the server knows a record; undefined: it is new. */
function idOf(record: InnerRecord): RecordId | undefined {
  if (record.phantom) return undefined;
  const id = record[MODEL].serverId(record);
  return id instanceof LongNumber ? id.digits : (id as RecordId | undefined);
}

/** The value of a field in a row, in its JSON form. */
function wireValue(record: InnerRecord, name: string, row: Data): unknown {
  const field = record[MODEL].field(name);
  return field && writtenIn(field, row);
}

/** The row of a record with its edits in it: what the record shows. A value that cannot be written is left out. */
export function shownRow(record: InnerRecord): Data {
  return withWritten(record[ROW], writeEdits(record, undefined, record[ROW], true));
}

/** Makes plain data of changes. Throws `ValidationError` for a file, of which JSON would keep nothing. */
function toData(changes: readonly SessionChange[]): readonly SessionChange[] {
  const issues = changes.flatMap((change, at) => {
    const path = findFile(change.values);
    return path
      ? [
          {
            path: [at, 'values', ...path],
            message: formatMessage('changes-file', {}, plainChangesMessages),
            code: 'changes-file',
          },
        ]
      : [];
  });
  if (issues.length > 0) throw new ValidationError(issues);
  return deepFreeze(changes.map(withDigitsApart));
}

function withDigitsApart(change: SessionChange): SessionChange {
  const digits: (readonly [DataPath, string])[] = [];
  const copy = (value: unknown, path: DataPath): unknown => {
    if (value instanceof LongNumber) {
      digits.push([path, value.digits]);
      return Number.isFinite(Number(value)) ? Number(value) : null;
    }
    if (Array.isArray(value)) return value.map((each, at) => copy(each, [...path, at]));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each, [...path, name])]));
  };
  const data = copy(change, []) as SessionChange;
  return digits.length > 0 ? { ...data, digits } : data;
}

/** Puts the long numbers of a change back in their places. Undefined: a place or a number is wrong. */
export function withDigits(change: SessionChange): SessionChange | undefined {
  const { digits = [], ...rest } = change;
  let whole: unknown = rest;
  for (const [path, text] of digits) {
    if (!['number', 'object'].includes(typeof readPath(rest, path))) return undefined;
    whole = replaced(whole, path, new LongNumber(text));
  }
  return whole as SessionChange;
}

function replaced(holder: unknown, [name, ...rest]: DataPath, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(holder)) return holder.map((each, at) => (at === name ? replaced(each, rest, value) : each));
  const entries = Object.entries(holder as Data);
  return Object.fromEntries(
    entries.map(([each, inside]) => [each, each === name ? replaced(inside, rest, value) : inside]),
  );
}
