import type Libsql from 'libsql';

const prepared: WeakMap<Libsql.Database, Map<string, Libsql.Statement>> = new WeakMap();

/** The statement of a fixed text. It is prepared once for each database: preparing takes longer than reading or writing one row. */
export function statement(db: Libsql.Database, sql: string): Libsql.Statement {
  let known = prepared.get(db);
  if (!known) prepared.set(db, (known = new Map()));
  let found = known.get(sql);
  if (!found) known.set(sql, (found = db.prepare(sql)));
  return found;
}

/** Gives up all statements of a database, so that its tables can be dropped, and its file can be left alone. */
export function forgetStatements(db: Libsql.Database): void {
  prepared.delete(db);
}
