import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { launch, type RealServer } from './real-server.js';
import { USERS } from './seed.js';

/** The preload that gives a server a free port of 127.0.0.1, and reports it. */
export const REPORT_PORT = fileURLToPath(new URL('./report-port.cjs', import.meta.url));

/**
 * Starts `NAME/app.cjs` of this folder with the folder of its packages, and a file with `rows`. `probe` is a path of the server, and
 * `folder` the folder of its packages.
 */
export function startApp(
  name: string,
  probe: string,
  rows: unknown = USERS,
  folder: string = name,
): Promise<RealServer> {
  return launch({
    name,
    probe,
    async prepare(data) {
      const modules = await ensureServer(folder);
      const file = join(data, 'rows.json');
      await writeFile(file, JSON.stringify(rows));
      const app = fileURLToPath(new URL(`./${name}/app.cjs`, import.meta.url));
      return {
        command: process.execPath,
        args: ['-r', REPORT_PORT, app, modules, file],
        env: { NODE_ENV: 'production' },
      };
    },
  });
}

/** The version of a package in a folder below test/servers/packages. */
export async function installedVersion(folder: string, name: string): Promise<string> {
  const file = join(await ensureServer(folder), 'node_modules', name, 'package.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
