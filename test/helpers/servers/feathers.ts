import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

const FOLDER = 'feathers';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Feathers with services in memory at `/users`, `/limited` and `/bare`, each with the rows of `USERS`. */
export function startFeathers(): Promise<RealServer> {
  return launch({
    name: FOLDER,
    probe: '/users/1',
    async prepare(data) {
      const modules = await ensureServer(FOLDER);
      const file = join(data, 'users.json');
      await writeFile(file, JSON.stringify(Object.fromEntries(USERS.map((row) => [row.id, row]))));
      const args = ['-r', here('./report-port.cjs'), here('./feathers/app.cjs'), modules, file];
      return { command: process.execPath, args, env: { NODE_ENV: 'production' } };
    },
  });
}

export async function feathersVersion(): Promise<string> {
  const file = join(await ensureServer(FOLDER), 'node_modules/@feathersjs/feathers/package.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
