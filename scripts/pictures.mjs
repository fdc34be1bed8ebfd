// Takes a picture of each state of the demo, at four widths, light and dark, into .cache/pictures, and checks each.
// usage: npm run pictures [-- -t NAME]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = ['run', '--config', 'vitest.browser.config.ts', 'test/browser/pictures.test.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PICTURES: 'all' },
});
process.exitCode = status ?? 1;
