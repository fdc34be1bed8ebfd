// Builds dist/ unless it is newer than all of its sources.
// usage: node scripts/ensure-built.mjs, or as a global set-up of vitest
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const madeOf = ['src', 'tsdown.config.ts', 'tsconfig.base.json', 'package-lock.json'];
const results = ['index', 'groups', 'namespace', 'testing'].flatMap((name) => [
  `dist/production/${name}.js`,
  `dist/${name}.js`,
  `dist/${name}.d.ts`,
]);

/** Builds dist/ if needed. Throws an error with the output of the builder if the build fails. */
export default function ensureBuilt() {
  if (isFresh()) return;
  const tsdown = path.join(path.dirname(createRequire(import.meta.url).resolve('tsdown/package.json')), 'dist/run.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsdown], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The build failed.\n${stdout}${stderr}`);
}

function isFresh() {
  const built = results.map((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.min(...built) > Math.max(...madeOf.map((name) => newest(path.join(root, name))));
}

/** Time of the last change of a file or folder, and of all files below it. A folder changes when a file is removed from it. */
function newest(name) {
  const stat = statSync(name);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(name).map((entry) => newest(path.join(name, entry))));
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    ensureBuilt();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
