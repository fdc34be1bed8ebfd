// Runs the contract suite over real servers.
// usage: node scripts/test-servers.mjs [NAME...] [options of vitest]; without names, all profiles of test/servers/profiles
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const profiles = readdirSync(path.join(root, 'test/servers/profiles')).map((file) => path.basename(file, '.ts'));
const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith('-'));
const names = firstOption < 0 ? given : given.slice(0, firstOption);
const options = given.slice(names.length);
const unknown = names.filter((name) => !profiles.includes(name));

if (unknown.length > 0) {
  console.error(`There is no profile ${unknown.join(', ')}. The profiles are ${profiles.join(', ')}.`);
  process.exitCode = 1;
} else {
  // With names, only their profiles run, not the tests of the harness.
  const files = names.length > 0 ? ['test/servers/profiles.test.ts'] : [];
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.servers.config.ts', ...files, ...options],
    { cwd: root, stdio: 'inherit', env: { ...process.env, REPOSE_SERVERS: names.join(',') } },
  );
  process.exitCode = status ?? 1;
}
