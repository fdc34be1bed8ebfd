import type Libsql from 'libsql';
import type { Json } from './json.js';
import { kinds, type SqlValue } from './kinds.js';
import type { Column, Row, Table } from './table.js';

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

function columnList(table: Table): string {
  return ['id', ...table.columns.map((column) => column.name)].map((name) => `"${name}"`).join(', ');
}

function toRow(table: Table, stored: SqlRow): Row {
  const members = table.columns.map((column): [string, Json] => {
    const value = stored[column.name] ?? null;
    return [column.name, value === null ? null : kinds[column.kind].fromSql(value)];
  });
  return { id: Number(stored['id']), ...Object.fromEntries(members) };
}

function whereSql(where: readonly Condition[]): string {
  return where.length === 0 ? '' : ` WHERE ${where.map((condition) => condition.sql).join(' AND ')}`;
}

/** The statement that inserts one row, with a placeholder per column. */
export function insertSql(table: Table): string {
  const names = table.columns.map((column) => `"${column.name}"`).join(', ');
  return `INSERT INTO "${table.name}" (${names}) VALUES (${table.columns.map(() => '?').join(', ')})`;
}

/** The values of a row in the order of its columns. */
export function sqlValues(table: Table, values: Readonly<Record<string, Json>>): SqlValue[] {
  return table.columns.map((column) => {
    const value = values[column.name] ?? null;
    return value === null ? null : kinds[column.kind].toSql(value);
  });
}

/** The row with that id. */
export function findRow(db: Libsql.Database, table: Table, id: number): Row | undefined {
  const stored = db.prepare(`SELECT ${columnList(table)} FROM "${table.name}" WHERE "id" = ?`).get([id]);
  return stored === undefined ? undefined : toRow(table, stored as SqlRow);
}

/** The rows of a list. */
export function listRows(db: Libsql.Database, table: Table, query: RowQuery): Row[] {
  // The id is the last key: without a total order a row may be on two pages, and another on none.
  const order = [...query.order, '"id"'].join(', ');
  const values = [...query.where.flatMap((condition) => condition.values), query.limit ?? -1, query.offset];
  const sql = `SELECT ${columnList(table)} FROM "${table.name}"${whereSql(query.where)} ORDER BY ${order} LIMIT ? OFFSET ?`;
  return db
    .prepare(sql)
    .all(values)
    .map((stored) => toRow(table, stored as SqlRow));
}

/** How many rows meet the conditions. */
export function countRows(db: Libsql.Database, table: Table, where: readonly Condition[]): number {
  const sql = `SELECT count(*) AS "total" FROM "${table.name}"${whereSql(where)}`;
  const stored = db.prepare(sql).get(where.flatMap((condition) => condition.values)) as SqlRow;
  return Number(stored['total']);
}

/** Stores a new row and returns its id. */
export function insertRow(db: Libsql.Database, table: Table, values: Readonly<Record<string, Json>>): number {
  return Number(db.prepare(insertSql(table)).run(sqlValues(table, values)).lastInsertRowid);
}

/** Overwrites all columns of a row. */
export function updateRow(db: Libsql.Database, table: Table, id: number, values: Readonly<Record<string, Json>>): void {
  const assignments = table.columns.map((column) => `"${column.name}" = ?`).join(', ');
  db.prepare(`UPDATE "${table.name}" SET ${assignments} WHERE "id" = ?`).run([...sqlValues(table, values), id]);
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
