// Installs the packages of test/frameworks unless those of its lock file are there.
// usage: node scripts/ensure-frameworks.mjs, or as a global set-up of vitest
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(import.meta.dirname, '../test/frameworks');
const stamp = path.join(folder, 'node_modules/.installed');

/** Runs `npm ci` in test/frameworks if needed. Throws an error with the output of npm if that fails. */
export default function ensureFrameworks() {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (readStamp() === lock) return;
  const { status, stdout, stderr } = spawnSync('npm', ['ci'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`npm ci failed in test/frameworks. It needs a connection to the registry.\n${stdout}${stderr}`);
  writeFileSync(stamp, lock);
}

/** The hash of the lock file that was installed last. */
function readStamp() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    ensureFrameworks();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
