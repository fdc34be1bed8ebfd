import type Libsql from 'libsql';
import type { Json } from './json.js';
import { kinds, type SqlValue } from './kinds.js';
import { statement } from './statements.js';
import { type Column, columnSql, type Row, storedColumns, type Table } from './table.js';

/** A piece of SQL made of fixed text, and the values bound to its placeholders. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The query of a list; every `sql` in it is fixed text. */
export interface RowQuery {
  readonly where: readonly Condition[];
  readonly order: readonly string[];
  readonly offset: number;
  /** Most rows of the page; without it, all rows. */
  readonly limit?: number;
}

type SqlRow = Readonly<Record<string, SqlValue>>;

/** A text that a table has for good. */
function ofTable(textOf: (table: Table) => string): (table: Table) => string {
  const known = new Map<Table, string>();
  return (table) => {
    const text = known.get(table) ?? textOf(table);
    known.set(table, text);
    return text;
  };
}

const columnList = ofTable((table) =>
  ['"id"', ...table.columns.map((column) => `${columnSql(column)} AS "${column.name}"`)].join(', '),
);

const findSql = ofTable((table) => `SELECT ${columnList(table)} FROM "${table.name}" WHERE "id" = ?`);

const updateSql = ofTable((table) => {
  const assignments = storedColumns(table).map((column) => `"${column.name}" = ?`);
  return `UPDATE "${table.name}" SET ${assignments.join(', ')} WHERE "id" = ?`;
});

function toRow(table: Table, stored: SqlRow): Row {
  const members = table.columns.map((column): [string, Json] => {
    const value = stored[column.name] ?? null;
    return [column.name, value === null ? null : kinds[column.kind].fromSql(value)];
  });
  return { id: Number(stored['id']), ...Object.fromEntries(members) };
}

/** The clause of the conditions, with a space before it; empty without conditions. */
export function whereSql(where: readonly Condition[]): string {
  return where.length === 0 ? '' : ` WHERE ${where.map((condition) => condition.sql).join(' AND ')}`;
}

/** The statement that inserts one row, with a placeholder per column. */
export function insertSql(table: Table): string {
  const columns = storedColumns(table);
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  return `INSERT INTO "${table.name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** A function that turns a row into the values of its stored columns, in their order. */
export function sqlConverter(table: Table): (values: Readonly<Record<string, Json>>) => SqlValue[] {
  const columns = storedColumns(table).map(({ name, kind }) => ({ name, toSql: kinds[kind].toSql }));
  return (values) =>
    columns.map(({ name, toSql }) => {
      const value = values[name] ?? null;
      return value === null ? null : toSql(value);
    });
}

/** The row with that id. */
export function findRow(db: Libsql.Database, table: Table, id: number): Row | undefined {
  // `all` reads to the end, so that the statement is free again.
  const [stored] = statement(db, findSql(table)).all([id]);
  return stored === undefined ? undefined : toRow(table, stored as SqlRow);
}

/** The rows of a list. */
export function listRows(db: Libsql.Database, table: Table, query: RowQuery): Row[] {
  // The id is the last key: without a total order a row may be on two pages, and another on none.
  const order = [...query.order, '"id"'].join(', ');
  const values = [...query.where.flatMap((condition) => condition.values), query.limit ?? -1, query.offset];
  const sql = `SELECT "id" FROM "${table.name}"${whereSql(query.where)} ORDER BY ${order} LIMIT ? OFFSET ?`;
  const ids = (db.prepare(sql).all(values) as { id: number }[]).map(({ id }) => id);
  // Computed columns are read for the rows of the page only; SQLite would read them for each row that it sorts.
  const rows = `SELECT ${columnList(table)} FROM "${table.name}" WHERE "id" IN (SELECT "value" FROM json_each(?))`;
  const found = db.prepare(rows).all([JSON.stringify(ids)]) as SqlRow[];
  const byId = new Map(found.map((stored) => [Number(stored['id']), stored]));
  return ids.flatMap((id) => toRow(table, byId.get(id) ?? {}));
}

/** How many rows meet the conditions. */
export function countRows(db: Libsql.Database, table: Table, where: readonly Condition[]): number {
  const sql = `SELECT count(*) AS "total" FROM "${table.name}"${whereSql(where)}`;
  const stored = db.prepare(sql).get(where.flatMap((condition) => condition.values)) as SqlRow;
  return Number(stored['total']);
}

/** The ids of the rows that meet the conditions. */
export function listIds(db: Libsql.Database, table: Table, where: readonly Condition[]): number[] {
  const sql = `SELECT "id" FROM "${table.name}"${whereSql(where)} ORDER BY "id"`;
  const stored = db.prepare(sql).all(where.flatMap((condition) => condition.values)) as { id: number }[];
  return stored.map(({ id }) => id);
}

/** Stores a new row and returns its id. */
export function insertRow(db: Libsql.Database, table: Table, values: Readonly<Record<string, Json>>): number {
  return Number(statement(db, insertSql(table)).run(sqlConverter(table)(values)).lastInsertRowid);
}

/** Overwrites all columns of a row. */
export function updateRow(db: Libsql.Database, table: Table, id: number, values: Readonly<Record<string, Json>>): void {
  statement(db, updateSql(table)).run([...sqlConverter(table)(values), id]);
}

/** Deletes a row. */
export function deleteRow(db: Libsql.Database, table: Table, id: number): void {
  db.prepare(`DELETE FROM "${table.name}" WHERE "id" = ?`).run([id]);
}

/** Whether another row than `exceptId` holds the text in a unique column. */
export function isTaken(
  db: Libsql.Database,
  table: Table,
  column: Column,
  value: Json,
  exceptId: number | undefined,
): boolean {
  const sql = `SELECT 1 AS "found" FROM "${table.name}" WHERE "${column.name}" = ? COLLATE NOCASE AND "id" <> ?`;
  return db.prepare(sql).get([String(value), exceptId ?? 0]) !== undefined;
}
