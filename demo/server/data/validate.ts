import type Libsql from 'libsql';
import { Problem } from '../problem.js';
import { isJsonObject, type Json, type JsonObject, member, mergePatch } from './json.js';
import { kinds } from './kinds.js';
import { findRow, isTaken } from './rows.js';
import { type Column, type Row, storedColumns, type Table } from './table.js';
import { tables } from './tables.js';

/** The meaning of a body: a new row, a whole row, or a part of a row. */
export type WriteMode = 'create' | 'replace' | 'merge';

/** One write to check. */
export interface Write {
  readonly db: Libsql.Database;
  readonly table: Table;
  readonly mode: WriteMode;
  readonly body: JsonObject;
  /** The stored row; absent for a create. */
  readonly current?: Row;
  readonly now: string;
}

/** The values of all columns, each checked by itself, but not yet compared with other rows. */
export type Values = Readonly<Record<string, Json>>;

function managedValue({ current, now }: Write, column: Column): Json | undefined {
  if (!column.managed) return undefined;
  return current ? column.managed.onUpdate(current[column.name] ?? null, now) : column.managed.onCreate(now);
}

function sentValue(write: Write, column: Column): Json {
  const sent = member(write.body, column.name);
  if (write.mode === 'merge') {
    const stored = write.current?.[column.name] ?? null;
    if (sent === undefined) return stored;
    return isJsonObject(sent) ? mergePatch(stored, sent) : sent;
  }
  // Clients that declare a field send null for "no value yet" when they create.
  if (write.mode === 'create' && column.initial) return sent ?? column.initial(write.now);
  return sent ?? null;
}

function fault(write: Write, column: Column, value: Json): string | undefined {
  if (value === null) return column.nullable ? undefined : 'is required';
  const rules = kinds[column.kind];
  if (!rules.accepts(value)) return `must be ${rules.expected}`;
  const broken = column.check?.(value);
  if (broken !== undefined || !column.references) return broken;
  const target = tables[column.references.table];
  if (!findRow(write.db, target, Number(value))) return `names no ${target.singular}`;
  return isBelowItself(write, column, Number(value)) ? `would put the ${target.singular} below itself` : undefined;
}

/** Whether a row of a tree would be below itself if the column named this parent. */
function isBelowItself({ db, table, current }: Write, column: Column, parent: number): boolean {
  if (!current || column.references?.table !== table.name) return false;
  for (let id: Json = parent; id !== null; id = findRow(db, table, Number(id))?.[column.name] ?? null)
    if (id === current.id) return true;
  return false;
}

function idFault({ body, current }: Write): string | undefined {
  const id = member(body, 'id') ?? null;
  return current === undefined || id === null || String(id) === String(current.id) ? undefined : 'cannot be changed';
}

/** The row that a body describes; throws a 422 with a message for each wrong member. */
export function validate(write: Write): Values {
  const errors = new Map<string, readonly string[]>();
  const wrongId = idFault(write);
  if (wrongId !== undefined) errors.set('id', [wrongId]);
  const values = new Map<string, Json>();
  for (const column of storedColumns(write.table)) {
    const managed = managedValue(write, column);
    const value = managed ?? sentValue(write, column);
    values.set(column.name, value);
    const message = managed === undefined ? fault(write, column, value) : undefined;
    if (message !== undefined) errors.set(column.name, [message]);
  }
  if (errors.size > 0)
    throw new Problem(422, `The ${write.table.singular} is not valid`, { errors: Object.fromEntries(errors) });
  return Object.fromEntries(values);
}

/** Throws a 409 when another row already has a value that must be unique. */
export function assertUnique(write: Write, values: Values): void {
  const taken = write.table.columns.filter(
    (column) => column.unique && isTaken(write.db, write.table, column, values[column.name] ?? null, write.current?.id),
  );
  if (taken.length === 0) return;
  const errors = Object.fromEntries(taken.map((column) => [column.name, ['is taken']]));
  throw new Problem(
    409,
    `Another ${write.table.singular} has the same ${taken.map((column) => column.name).join(' and ')}`,
    { errors },
  );
}
