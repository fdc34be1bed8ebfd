import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

const FOLDER = 'jsonapi-server';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** An article of each of three users, which the other two have read. */
const ARTICLES = ['11', '12', '13'].map((id, _, ids) => ({
  id,
  type: 'articles',
  title: `Article ${id}`,
  author: { type: 'users', id },
  readers: ids.filter((other) => other !== id).map((other) => ({ type: 'users', id: other })),
}));

/** jsonapi-server with `/rest/users` and `/rest/articles`, in memory. */
export function startJsonapiServer(): Promise<RealServer> {
  return launch({
    name: FOLDER,
    probe: '/rest/users/1',
    async prepare(data) {
      const modules = await ensureServer(FOLDER);
      const file = join(data, 'rows.json');
      const users = USERS.map((row) => ({ ...row, id: String(row.id), type: 'users' }));
      await writeFile(file, JSON.stringify({ users, articles: ARTICLES }));
      const args = ['-r', here('./report-port.cjs'), here('./jsonapi-server/app.cjs'), modules, file];
      return { command: process.execPath, args, env: { NODE_ENV: 'production' } };
    },
  });
}

export async function jsonapiServerVersion(): Promise<string> {
  const file = join(await ensureServer(FOLDER), 'node_modules/jsonapi-server/package.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
