import type Libsql from 'libsql';
import { kinds } from './kinds.js';
import { type Column, storedColumns, type Table } from './table.js';
import { tables } from './tables.js';

function definitionSql(column: Column): string {
  const parts = [`"${column.name}"`, kinds[column.kind].sqlType];
  if (!column.nullable) parts.push('NOT NULL');
  if (column.references) {
    const { table, onDelete } = column.references;
    // RESTRICT would refuse to drop a table whose rows refer to each other; NO ACTION is checked when all of them are gone.
    parts.push(`REFERENCES "${table}"("id") ON DELETE ${onDelete === 'RESTRICT' ? 'NO ACTION' : onDelete}`);
  }
  return parts.join(' ');
}

function tableSql(table: Table): string {
  const columns = storedColumns(table).map(definitionSql).join(', ');
  // AUTOINCREMENT, because the id of a deleted row must never be given to another row.
  return `CREATE TABLE "${table.name}" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, ${columns})`;
}

function indexSql(table: Table): string[] {
  return storedColumns(table).flatMap(({ name, kind, unique, references, indexed }) => {
    const index = `INDEX "${table.name}_${name}" ON "${table.name}"`;
    if (unique) return [`CREATE UNIQUE ${index}("${name}" COLLATE NOCASE)`];
    const key = kinds[kind].comparable?.(`"${name}"`);
    return references || indexed ? [`CREATE ${index}(${key})`] : [];
  });
}

const IDEMPOTENCY = `CREATE TABLE "idempotency" (
  "key" TEXT PRIMARY KEY, "fingerprint" TEXT NOT NULL, "status" INTEGER NOT NULL, "headers" TEXT NOT NULL, "body" TEXT NOT NULL)`;

// The bytes are in a table of their own, so that lists of attachments do not read them.
const CONTENTS = `CREATE TABLE "contents" (
  "attachmentId" INTEGER PRIMARY KEY REFERENCES "attachments"("id") ON DELETE CASCADE, "bytes" BLOB NOT NULL)`;

/** Drops all tables and creates them empty, without indexes; run it inside a transaction. */
export function createTables(db: Libsql.Database): void {
  const all = Object.values(tables);
  // Referencing tables are dropped first, because SQLite refuses to drop a referenced one.
  for (const name of ['idempotency', 'contents', ...all.map((table) => table.name).reverse()])
    db.exec(`DROP TABLE IF EXISTS "${name}"`);
  for (const statement of [...all.map(tableSql), IDEMPOTENCY, CONTENTS]) db.exec(statement);
}

/** Creates the indexes of all tables, which takes less time once the rows are there. */
export function createIndexes(db: Libsql.Database): void {
  for (const statement of Object.values(tables).flatMap(indexSql)) db.exec(statement);
}
