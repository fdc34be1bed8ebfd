import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const { resolve } = createRequire(path.join(folder, 'types.test.ts'));
const packageFile = (name: string, file: string) => path.join(path.dirname(resolve(`${name}/package.json`)), file);

const tsc = packageFile('typescript', 'bin/tsc');
const vueTsc = packageFile('vue-tsc', 'bin/vue-tsc.js');
const ngc = packageFile('@angular/compiler-cli', 'bundles/src/bin/ngc.js');
const svelteCheck = packageFile('svelte-check', 'bin/svelte-check');

test.each([
  ['the harness and its tests', [tsc, '-p', '.']],
  ['the sources of bindings and adapters', [tsc, '-p', 'sources']],
  ['the React screens', [tsc, '-p', 'screens/react']],
  ['the Solid screens', [tsc, '-p', 'screens/solid']],
  ['the Vue screens', [vueTsc, '-p', 'screens/vue']],
  ['the Angular screens', [ngc, '-p', 'screens/angular']],
  ['the Svelte screens', [svelteCheck, '--workspace', 'screens/svelte', '--fail-on-warnings', '--output', 'machine']],
])('%s have no type errors', { timeout: 300_000 }, async (_, command) => {
  expect(await run(command)).toEqual({ code: 0, output: expect.any(String) });
});

function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, command, { cwd: folder }, (_error, stdout, stderr) => {
      done({ code: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}
