import Libsql from 'libsql';
import { tables as schema } from '../../demo/server/data/tables.js';
import { type TableName, tables } from './tables.js';

/** One committed change of a row, in the order of the commits. */
export interface Commit {
  readonly table: TableName;
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly id: number;
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

/** Rows of a table at the end, by id. */
export type Rows = ReadonlyMap<number, Readonly<Record<string, unknown>>>;

/** Makes the database record every committed change: triggers run in the transaction that fires them. */
export function startAudit(file: string): void {
  const db = new Libsql(file);
  db.exec(
    'CREATE TABLE "audit" ("at" INTEGER PRIMARY KEY AUTOINCREMENT, "tbl" TEXT, "op" TEXT, "row" INTEGER, "before" TEXT, "after" TEXT)',
  );
  for (const name of Object.keys(tables) as TableName[]) {
    const columns = schema[name].columns.map((column) => column.name);
    const json = (row: string) => `json_object(${columns.map((each) => `'${each}', ${row}."${each}"`).join(', ')})`;
    const trigger = (op: Commit['op'], id: string, before: string, after: string) =>
      db.exec(
        `CREATE TRIGGER "audit_${name}_${op}" AFTER ${op} ON "${name}" BEGIN INSERT INTO "audit" ("tbl", "op", "row", "before", "after") VALUES ('${name}', '${op}', ${id}, ${before}, ${after}); END`,
      );
    trigger('INSERT', 'NEW."id"', 'NULL', json('NEW'));
    trigger('UPDATE', 'NEW."id"', json('OLD'), json('NEW'));
    trigger('DELETE', 'OLD."id"', json('OLD'), 'NULL');
  }
  db.close();
}

interface StoredCommit {
  readonly tbl: TableName;
  readonly op: Commit['op'];
  readonly row: number;
  readonly before: string | null;
  readonly after: string | null;
}

/** Rows that were committed, and rows that exist now. */
export function readAudit(file: string): { commits: Commit[]; rows: Record<TableName, Rows> } {
  const db = new Libsql(file);
  try {
    const stored = db.prepare('SELECT "tbl", "op", "row", "before", "after" FROM "audit" ORDER BY "at"').all([]);
    const commits = (stored as StoredCommit[]).map(
      ({ tbl, op, row, before, after }): Commit => ({
        table: tbl,
        op,
        id: row,
        before: rowOf(before),
        after: rowOf(after),
      }),
    );
    const read = (name: TableName): Rows => {
      const all = db.prepare(`SELECT * FROM "${name}"`).all([]) as Record<string, unknown>[];
      return new Map(all.map((row) => [Number(row['id']), row]));
    };
    return { commits, rows: { teams: read('teams'), users: read('users'), tasks: read('tasks') } };
  } finally {
    db.close();
  }
}

/** A row as the trigger wrote it; objects are texts in the database. */
function rowOf(text: string | null): Record<string, unknown> | undefined {
  if (text === null) return undefined;
  const row = JSON.parse(text) as Record<string, unknown>;
  const { settings } = row;
  return typeof settings === 'string' ? { ...row, settings: JSON.parse(settings) } : row;
}
