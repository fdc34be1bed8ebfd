import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureServer } from '../../../scripts/ensure-servers.mjs';
import { installedVersion, REPORT_PORT } from './node-app.js';
import { DOCUMENT } from './prism/document.js';
import { launch, type RealServer } from './real-server.js';

const FOLDER = 'prism';

/** Prism, which answers `/users` with the examples of a document, and checks requests against it. */
export function startPrism(): Promise<RealServer> {
  return launch({
    name: FOLDER,
    probe: '/users/2',
    async prepare(data) {
      const script = join(await ensureServer(FOLDER), 'node_modules/@stoplight/prism-cli/dist/index.js');
      const file = join(data, 'openapi.json');
      await writeFile(file, JSON.stringify(DOCUMENT));
      return { command: process.execPath, args: ['-r', REPORT_PORT, script, 'mock', file] };
    },
  });
}

export function prismVersion(): Promise<string> {
  return installedVersion(FOLDER, '@stoplight/prism-cli');
}
