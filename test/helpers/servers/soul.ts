import { installedVersion, startApp } from './node-app.js';
import type { RealServer } from './real-server.js';

/** The folder with the packages of all servers over SQLite. */
const FOLDER = 'sqlite';

/** Soul over a SQLite database with the rows of `USERS` at `/api/tables/users/rows`. */
export function startSoul(): Promise<RealServer> {
  return startApp('soul', '/api/tables/users/rows/1', undefined, FOLDER);
}

export function soulVersion(): Promise<string> {
  return installedVersion(FOLDER, 'soul-cli');
}
