import { installedVersion, startApp } from './node-app.js';
import type { RealServer } from './real-server.js';
import { USERS } from './seed.js';

/** Feathers with services in memory at `/users`, `/limited` and `/bare`, each with the rows of `USERS`. */
export function startFeathers(): Promise<RealServer> {
  return startApp('feathers', '/users/1', Object.fromEntries(USERS.map((row) => [row.id, row])));
}

export function feathersVersion(): Promise<string> {
  return installedVersion('feathers', '@feathersjs/feathers');
}
