import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { installedVersion, REPORT_PORT } from './node-app.js';
import { launch, type RealServer } from './real-server.js';
import { TEAMS, USERS } from './seed.js';

/** Rows of `/posts`: members that no test declares, and text that a conversion would change. */
export const POSTS = [
  {
    id: 1,
    userId: 1,
    title: 'one',
    price: '10.50',
    published: '2026-11-21T10:00:00+02:00',
    meta: { tags: ['x', 'y'], draft: null },
  },
] as const;

export type JsonServerFolder = 'json-server-0.17' | 'json-server-1-beta.3' | 'json-server-1';

/** json-server with `/users`, `/teams` and `/posts`; `folder` below test/servers/packages has the version. */
export function startJsonServer(folder: JsonServerFolder = 'json-server-0.17'): Promise<RealServer> {
  const old = folder === 'json-server-0.17';
  // Ids of json-server 1 are texts.
  const rows = <R extends { id: number }>(list: readonly R[]) =>
    old ? list : list.map((row) => ({ ...row, id: String(row.id) }));
  return launch({
    name: folder,
    probe: '/users/1',
    async prepare(data) {
      const file = join(data, 'db.json');
      await mkdir(join(data, 'public'));
      await writeFile(file, JSON.stringify({ users: rows(USERS), teams: rows(TEAMS), posts: rows(POSTS) }));
      const modules = join(await ensureServer(folder), 'node_modules');
      const cli = join(modules, old ? 'json-server/lib/cli/bin.js' : 'json-server/lib/bin.js');
      return {
        command: process.execPath,
        // json-server 1 reads its file again after each change, and so can lose a write that follows.
        env: { NODE_ENV: 'production' },
        args: ['-r', REPORT_PORT, cli, '--host', '127.0.0.1', '--port', '0', ...(old ? ['--quiet'] : []), file],
      };
    },
  });
}

export function jsonServerVersion(folder: JsonServerFolder): Promise<string> {
  return installedVersion(folder, 'json-server');
}
