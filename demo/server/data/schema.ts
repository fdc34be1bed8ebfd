import type Libsql from 'libsql';
import { kinds } from './kinds.js';
import type { Column, Table } from './table.js';
import { tables } from './tables.js';

function columnSql(column: Column): string {
  const parts = [`"${column.name}"`, kinds[column.kind].sqlType];
  if (!column.nullable) parts.push('NOT NULL');
  if (column.references) {
    const { table, onDelete } = column.references;
    // RESTRICT would refuse to drop a table whose rows refer to each other; NO ACTION is checked when all of them are gone.
    parts.push(`REFERENCES "${table}"("id") ON DELETE ${onDelete === 'RESTRICT' ? 'NO ACTION' : onDelete}`);
  }
  return parts.join(' ');
}

function tableSql(table: Table): string[] {
  const columns = table.columns.map(columnSql).join(', ');
  const indexes = table.columns.flatMap((column) => {
    if (column.unique)
      return [`CREATE UNIQUE INDEX "${table.name}_${column.name}" ON "${table.name}"("${column.name}" COLLATE NOCASE)`];
    return column.references
      ? [`CREATE INDEX "${table.name}_${column.name}" ON "${table.name}"("${column.name}")`]
      : [];
  });
  // AUTOINCREMENT, because the id of a deleted row must never be given to another row.
  return [`CREATE TABLE "${table.name}" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, ${columns})`, ...indexes];
}

const IDEMPOTENCY = `CREATE TABLE "idempotency" (
  "key" TEXT PRIMARY KEY, "fingerprint" TEXT NOT NULL, "status" INTEGER NOT NULL, "headers" TEXT NOT NULL, "body" TEXT NOT NULL)`;

/** Drops all tables and creates them empty; run it inside a transaction. */
export function createTables(db: Libsql.Database): void {
  const all = Object.values(tables);
  // Referencing tables are dropped first, because SQLite refuses to drop a referenced one.
  for (const table of [...all].reverse()) db.exec(`DROP TABLE IF EXISTS "${table.name}"`);
  db.exec('DROP TABLE IF EXISTS "idempotency"');
  for (const statement of [...all.flatMap(tableSql), IDEMPOTENCY]) db.exec(statement);
}
