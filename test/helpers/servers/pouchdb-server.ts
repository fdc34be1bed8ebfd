import { join } from 'node:path';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { installedVersion, REPORT_PORT } from './node-app.js';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

const FOLDER = 'pouchdb-server';

/** The documents of `/users`. Lists are in the order of the ids, which are texts. */
export const DOCUMENTS = USERS.map(({ id, ...row }) => ({ id: `user-${String(id).padStart(2, '0')}`, ...row }));

/** PouchDB Server in memory, with the database `/users` and indexes of it, and the same documents in `/listed`, without an index. */
export async function startPouchdbServer(): Promise<RealServer> {
  const server = await launch({
    name: FOLDER,
    probe: '/',
    async prepare(data) {
      const script = join(await ensureServer(FOLDER), 'node_modules/pouchdb-server/bin/pouchdb-server');
      const args = ['-r', REPORT_PORT, script, '--in-memory', '--no-stdout-logs', '--dir', data];
      return { command: process.execPath, args };
    },
  });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`PouchDB Server refused ${method} ${path}: ${text}`);
  };
  const docs = DOCUMENTS.map(({ id, ...row }) => ({ _id: id, ...row }));
  for (const database of ['/users', '/listed']) {
    await send('PUT', database);
    await send('POST', `${database}/_bulk_docs`, { docs });
  }
  for (const name of ['name', 'team']) await send('POST', '/users/_index', { index: { fields: [name] } });
  return server;
}

export function pouchdbServerVersion(): Promise<string> {
  return installedVersion(FOLDER, FOLDER);
}
