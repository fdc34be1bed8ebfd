import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, readPage } from '../docs/markdown.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');
const root = path.resolve(import.meta.dirname, '../..');
const example = path.join(root, 'examples/next');
/** A copy of the example, in which `repose` is installed as from the registry. */
const project = path.join(import.meta.dirname, '.project-next');
const bin = createRequire(import.meta.url).resolve('next/dist/bin/next');
let server: ChildProcess | undefined;
let address = '';

const env = () => ({ ...process.env, API_URL: screens.server.url, NEXT_TELEMETRY_DISABLED: '1' });

beforeAll(async () => {
  rmSync(project, { recursive: true, force: true });
  const installed = path.join(project, 'node_modules/repose');
  mkdirSync(installed, { recursive: true });
  cpSync(example, project, { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(installed, 'package.json'));
  cpSync(path.join(root, 'dist'), path.join(installed, 'dist'), { recursive: true });
  // The build of an application: it compiles both parts, and checks the types.
  await promisify(execFile)(process.execPath, [bin, 'build'], { cwd: project, env: env() });
  server = spawn(process.execPath, [bin, 'start', '--port', '0'], {
    cwd: project,
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await addressOf(server);
}, 300_000);
afterAll(() => {
  server?.kill();
  rmSync(project, { recursive: true, force: true });
});

/** The address that the server prints when it has started. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout)
    for await (const line of createInterface(stdout)) {
      const found = /http:\/\/localhost:\d+/.exec(line)?.[0];
      if (found) return found;
    }
  throw new Error('The server of Next.js has not started');
}

const row = (id: number, title: string) => ({ id, title, due: '2026-12-01T08:30:00.000Z' });
const listed = (...rows: object[]) => ({ json: rows, headers: { 'X-Total-Count': '3' } });

test('the server part loads with the cookie of the request, and its HTML shows the list', async () => {
  screens.server.reply(listed(row(1, 'One </script><b>'), row(2, 'Two')));
  const html = await (await fetch(address, { headers: { Cookie: 'sign-in=ada' } })).text();
  expect(html).toContain('value="One &lt;/script&gt;&lt;b&gt;"');
  expect(html).toContain('<time>2026-12-01T08:30:00.000Z</time>');
  expect(screens.server.lines).toEqual(['GET /api/tasks?page=1&limit=4&sort=title']);
  expect(screens.server.last.headers['cookie']).toBe('sign-in=ada');
});

test('the client part goes on with the rows of the server, saves an edit, and loads more', async () => {
  screens.server.reply(listed(row(1, 'One'), row(2, 'Two')));
  const page = await screens.visit(address);
  const status = () => expect.poll(() => page.getByRole('status').textContent());
  await page.getByLabel('Title').nth(1).fill('Changed');
  await status().toBe('3 tasks, 1 to save');
  expect(screens.server.lines).toEqual(['GET /api/tasks?page=1&limit=4&sort=title']);

  screens.server.reply({ json: row(2, 'Changed') });
  await page.getByRole('button', { name: 'Save' }).nth(1).click();
  await status().toBe('3 tasks, 0 to save');
  expect(screens.server.last).toMatchObject({ method: 'PATCH', path: '/api/tasks/2', text: '{"title":"Changed"}' });

  screens.server.reply(listed(row(3, 'Write')));
  await page.getByRole('button', { name: 'More' }).click();
  await expect
    .poll(() => page.getByLabel('Title').evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value)))
    .toEqual(['One', 'Changed', 'Write']);
});

test('the guide shows the files of the example', () => {
  const files = ['tasks.ts', 'page.tsx', 'task-list.tsx', '../next.config.ts'];
  const texts = files.map((file) => readFileSync(path.join(example, 'app', file), 'utf8'));
  const blocks = blocksOf(readPage('docs/guide/next.md').text).filter(({ language }) => language === 'tsx');
  expect(blocks).toHaveLength(4);
  for (const { code } of blocks) expect(texts).toContain(`${code}\n`);
});
