// Installs the packages of the servers that `npm run test:servers` starts, unless those of their lock files are there.
// usage: node scripts/ensure-servers.mjs [NAME...]; without names, all folders of test/servers/packages
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = path.resolve(import.meta.dirname, '../test/servers/packages');

/** The folders with servers from npm, each with a lock file of its own. */
export const serverFolders = () =>
  readdirSync(packages, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

/**
 * Runs `npm ci` in test/servers/packages/NAME if needed, and returns the path of that folder. Rejects with the output of npm if that
 * fails.
 */
export async function ensureServer(name) {
  const folder = path.join(packages, name);
  const stamp = path.join(folder, 'node_modules/.installed');
  const lock = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (read(stamp) === lock) return folder;
  const { status, output } = await run('npm', ['ci'], folder);
  if (status !== 0)
    throw new Error(
      `npm ci failed in test/servers/packages/${name}. It needs a connection to the registry.\n${output}`,
    );
  writeFileSync(stamp, lock);
  return folder;
}

/** Not synchronous, so that a test run stays in touch with its workers during an installation of minutes. */
function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    const write = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', write);
    child.stderr.on('data', write);
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output }));
  });
}

/** The text of a file, or undefined. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const given = process.argv.slice(2);
  const waiting = given.length > 0 ? given : serverFolders();
  // An installation mostly waits for the registry.
  const installAll = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      try {
        await ensureServer(name);
      } catch (error) {
        console.error(error.message);
        process.exitCode = 1;
      }
    }
  };
  await Promise.all([installAll(), installAll(), installAll()]);
}
