import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** json-server 0.17 with `/users`, `/teams` and `/posts`. */
export function startJsonServer(): Promise<RealServer> {
  return launch({
    name: 'json-server',
    probe: '/users/1',
    async prepare(folder) {
      const file = join(folder, 'db.json');
      await writeFile(file, JSON.stringify({ users: USERS, teams: TEAMS, posts: POSTS }));
      const cli = createRequire(import.meta.url).resolve('json-server/lib/cli/bin.js');
      const preload = fileURLToPath(new URL('./report-port.cjs', import.meta.url));
      return {
        command: process.execPath,
        args: ['-r', preload, cli, '--host', '127.0.0.1', '--port', '0', '--quiet', file],
      };
    },
  });
}
