import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, expect, test } from 'vitest';
import { packagesForSource, reposeAlias, solid } from './build.js';
import { screensOf } from './harness.js';

const screens = screensOf('solid');
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** Builds one side of `screens/solid/hydration`, whose elements have the keys by which Solid finds those of the server. */
async function buildSide(side: 'server' | 'page', mode: string): Promise<string> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = mode;
  try {
    const [result] = [
      await build({
        configFile: false,
        root: import.meta.dirname,
        mode,
        logLevel: 'warn',
        resolve: { alias: reposeAlias() },
        plugins: [packagesForSource(), solid({ ssr: true, dev: mode === 'development' })],
        ssr: side === 'server' ? { noExternal: true } : {},
        build: {
          write: false,
          ssr: side === 'server',
          minify: false,
          modulePreload: false,
          target: 'es2022',
          rolldownOptions: {
            input: path.join(import.meta.dirname, `screens/solid/hydration-${side}.tsx`),
            output: { codeSplitting: false },
            checks: { pluginTimings: false },
          },
        },
      }),
    ].flat();
    if (!result || !('output' in result)) throw new Error(`Vite wrote no files for the ${side}`);
    return result.output[0].code;
  } finally {
    process.env.NODE_ENV = before;
  }
}

/** Renders on a server: a process of its own. */
async function rendered(mode: string): Promise<{ html: string; state: string; head: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'solid-ssr-'));
  folders.push(folder);
  const file = path.join(folder, 'server.mjs');
  await writeFile(file, await buildSide('server', mode));
  return JSON.parse(String(execFileSync(process.execPath, [file], { env: { ...process.env, NODE_ENV: mode } })));
}

test.each(['production', 'development'])(
  'a row between `hydrate()` and Solid is shown, and the HTML of the server stays (%s)',
  async (mode) => {
    const { html, state, head } = await rendered(mode);
    const script = await buildSide('page', mode);
    for (const isPushed of [false, true]) {
      const page = await screens.open('smoke');
      await page.setContent(`<html><head>${head}</head><body>${html}</body></html>`);
      await page.addScriptTag({ content: script, type: 'module' });
      await page.waitForFunction(() => 'takeOver' in window);
      const taken = page.evaluate(
        ([given, before]) => (window as unknown as { takeOver(...of: unknown[]): unknown }).takeOver(given, before),
        [state, isPushed] as const,
      );
      const expected = isPushed ? ['2 2onetwo', '3 3onetwothree', true] : ['1 1one', '2 2onethree', true];
      expect(await taken).toEqual(expected);
    }
  },
);
