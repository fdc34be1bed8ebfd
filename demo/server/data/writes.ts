import type Libsql from 'libsql';
import { Problem } from '../problem.js';
import { isJsonObject, type Json } from './json.js';
import { countRows, deleteRow, findRow, insertRow, updateRow } from './rows.js';
import type { Row, Table } from './table.js';
import { tables } from './tables.js';
import { assertUnique, validate, type Write } from './validate.js';

/** The target and the time of a write; every function here runs inside a transaction. */
export interface WriteScope {
  readonly db: Libsql.Database;
  readonly table: Table;
  readonly now: string;
}

function asObject(body: Json): Write['body'] {
  if (isJsonObject(body)) return body;
  throw new Problem(422, 'An entry is not an object', { errors: { '': ['must be an object'] } });
}

function stored({ db, table }: WriteScope, id: number): Row {
  const row = findRow(db, table, id);
  if (!row) throw new Error(`The ${table.singular} ${id} vanished inside its transaction`);
  return row;
}

/** The row with that id; throws a 404 without it. */
export function requireRow({ db, table }: WriteScope, id: number): Row {
  const row = findRow(db, table, id);
  if (row) return row;
  throw new Problem(404, `There is no ${table.singular} ${id}`, { errors: { id: [`names no ${table.singular}`] } });
}

/** Stores a new row, with an id from the server. */
export function createRow(scope: WriteScope, body: Json): Row {
  const write: Write = { ...scope, mode: 'create', body: asObject(body) };
  const values = validate(write);
  assertUnique(write, values);
  return stored(scope, insertRow(scope.db, scope.table, values));
}

/** Replaces a row or merges the body into it. */
export function changeRow(scope: WriteScope, mode: 'replace' | 'merge', id: number, body: Json): Row {
  const write: Write = { ...scope, mode, body: asObject(body), current: requireRow(scope, id) };
  const values = validate(write);
  assertUnique(write, values);
  updateRow(scope.db, scope.table, id, values);
  return stored(scope, id);
}

function dependents({ db, table }: WriteScope, id: number): string | undefined {
  for (const other of Object.values(tables)) {
    for (const { name, references } of other.columns) {
      if (references?.table !== table.name || references.onDelete !== 'RESTRICT') continue;
      const count = countRows(db, other, [{ sql: `"${name}" = ?`, values: [id] }]);
      if (count > 0) return `still has ${count} ${other.name}`;
    }
  }
  return undefined;
}

/** Deletes a row; throws a 409 while other rows require it. */
export function removeRow(scope: WriteScope, id: number): void {
  requireRow(scope, id);
  const reason = dependents(scope, id);
  if (reason !== undefined)
    throw new Problem(409, `The ${scope.table.singular} ${id} ${reason}`, { errors: { id: [reason] } });
  deleteRow(scope.db, scope.table, id);
}
