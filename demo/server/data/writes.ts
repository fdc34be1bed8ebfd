import { Problem } from '../problem.js';
import { recordChange } from './history.js';
import { isJsonObject, type Json } from './json.js';
import { countRows, deleteRow, findRow, insertRow, listRows, updateRow } from './rows.js';
import type { RowChange, WriteScope } from './scope.js';
import type { Row } from './table.js';
import { tables } from './tables.js';
import { assertUnique, validate, type Write } from './validate.js';

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
  const row = stored(scope, insertRow(scope.db, scope.table, values));
  recordChange(scope, { table: scope.table, id: row.id, before: undefined, after: row });
  return row;
}

/** Replaces a row or merges the body into it. */
export function changeRow(scope: WriteScope, mode: 'replace' | 'merge', id: number, body: Json): Row {
  const before = requireRow(scope, id);
  const write: Write = { ...scope, mode, body: asObject(body), current: before };
  const values = validate(write);
  assertUnique(write, values);
  updateRow(scope.db, scope.table, id, values);
  const after = stored(scope, id);
  recordChange(scope, { table: scope.table, id, before, after });
  return after;
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
  const before = requireRow(scope, id);
  const reason = dependents(scope, id);
  if (reason !== undefined)
    throw new Problem(409, `The ${scope.table.singular} ${id} ${reason}`, { errors: { id: [reason] } });
  const below = rowsBelow(scope, id);
  deleteRow(scope.db, scope.table, id);
  scope.changes.push(...below);
  recordChange(scope, { table: scope.table, id, before, after: undefined });
}

/** The rows that are deleted with a row. */
function rowsBelow({ db, table }: WriteScope, id: number): RowChange[] {
  return Object.values(tables).flatMap((other) =>
    other.columns
      .filter(({ references }) => references?.table === table.name && references.onDelete === 'CASCADE')
      .flatMap(({ name }) =>
        listRows(db, other, { where: [{ sql: `"${name}" = ?`, values: [id] }], order: [], offset: 0 }),
      )
      .map((row) => ({ table: other, id: row.id, before: row, after: undefined })),
  );
}
