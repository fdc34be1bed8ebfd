import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Libsql from 'libsql';
import { DemoServerError } from '../errors.js';
import { type SeedOptions, seed } from './seed.js';
import { forgetStatements } from './statements.js';

// Marks the file as one of this server, so that the database of another application is never overwritten.
const APPLICATION_ID = 0x52505345;

// Raise it with every change of the tables: an older file is then filled again.
const SCHEMA_VERSION = 4;

const BUSY_TIMEOUT = 2000;

/** An open database and whether its rows were made just now. */
export interface OpenedDatabase {
  readonly db: Libsql.Database;
  readonly seeded: boolean;
}

/** Runs a function in a transaction that takes the write lock at once. */
export function inTransaction<T>(db: Libsql.Database, run: () => T): T {
  return db.transaction(run).immediate();
}

/** Fills the database again. */
export function reseed(db: Libsql.Database, options: SeedOptions): void {
  forgetStatements(db);
  inTransaction(db, () => seed(db, options));
}

/** Closes the database and leaves the file alone in its folder. */
export function closeDatabase(db: Libsql.Database): void {
  forgetStatements(db);
  try {
    // The driver keeps the file and its write-ahead log open until its statements are collected. The log would
    // remain if the file were deleted before.
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // Another process has the file open as well; the last process that closes it removes the log.
  }
  db.close();
}

function pragma(db: Libsql.Database, name: string): number {
  const row = db.prepare(`PRAGMA ${name}`).get([]) as Readonly<Record<string, unknown>>;
  return Number(row[name]);
}

function isForeign(db: Libsql.Database): boolean {
  const row = db.prepare('SELECT count(*) AS "total" FROM sqlite_master').get([]) as { total: number };
  return row.total > 0 && pragma(db, 'application_id') !== APPLICATION_ID;
}

function prepare(db: Libsql.Database, file: string, options: SeedOptions, refill: boolean): boolean {
  db.exec('PRAGMA foreign_keys = ON');
  if (isForeign(db))
    throw new DemoServerError(
      'database-unusable',
      `${file} is the database of another application; give a file of its own`,
    );
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('PRAGMA synchronous = NORMAL');
  return inTransaction(db, () => {
    // Written at each start, so that a read-only file fails here and not at the first save.
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    if (!refill && pragma(db, 'user_version') === SCHEMA_VERSION) return false;
    seed(db, options);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return true;
  });
}

function reasonOf(file: string, error: unknown): string {
  if (!existsSync(dirname(file))) return 'its folder does not exist';
  if (existsSync(file) && !statSync(file).isFile()) return 'it is not a file';
  return error instanceof Error ? error.message : String(error);
}

/** Opens the file, creates it if needed, and fills it: with `refill` always, otherwise unless it already has the tables. */
export function openDatabase(name: string, options: SeedOptions, refill: boolean): OpenedDatabase {
  // An absolute path, because the driver would take `https://...` for a database elsewhere.
  const file = resolve(name);
  let db: Libsql.Database | undefined;
  try {
    db = new Libsql(file, { timeout: BUSY_TIMEOUT });
    return { db, seeded: prepare(db, file, options, refill) };
  } catch (error) {
    // Not `closeDatabase`, which changes the journal mode: the file may belong to another application.
    db?.close();
    if (error instanceof DemoServerError) throw error;
    throw new DemoServerError('database-unusable', `Cannot open the database ${file}: ${reasonOf(file, error)}`, {
      cause: error,
    });
  }
}
