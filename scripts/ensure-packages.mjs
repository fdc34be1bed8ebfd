// Installs the packages of a folder with a lock file of its own, unless they are there.
// usage: node scripts/ensure-packages.mjs FOLDER..., such as test/frameworks
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');

/** Runs `npm ci` in a folder of the project if needed. Throws an error with the output of npm if that fails. */
export function ensurePackages(name) {
  const folder = path.join(root, name);
  const stamp = path.join(folder, 'node_modules/.installed');
  const lock = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (readStamp(stamp) === lock) return;
  const { status, stdout, stderr } = spawnSync('npm', ['ci'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`npm ci failed in ${name}. It needs a connection to the registry.\n${stdout}${stderr}`);
  writeFileSync(stamp, lock);
}

/** The hash of the lock file that was installed last. */
function readStamp(stamp) {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    for (const name of process.argv.slice(2)) ensurePackages(name);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
