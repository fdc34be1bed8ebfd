import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Screens, screensOf } from './harness.js';

const screens = screensOf('react');
const example = 'examples/react-ssr';
const started: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const server of started.splice(0)) server.kill();
});
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

type Mode = NonNullable<NonNullable<Parameters<Screens['build']>[1]>['mode']>;

/** Builds the example as its `npm start` does, and starts its server; resolves with its address. */
async function startExample(mode: Mode, env: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'react-ssr-'));
  folders.push(folder);
  const server = await screens.build(example, { mode, server: true });
  const page = await screens.build(example, { mode });
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(path.join(folder, 'server.js'), server.script);
  await writeFile(path.join(folder, 'main.js'), page.script);
  const child = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: mode, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error(`The server of ${example} ended with code ${child.exitCode}`);
}

/** JSON of the API: `votes` has more digits than a number of JavaScript holds. */
const row = (id: number, title: string, votes = `900719925474099${id}`) =>
  `{"id":${id},"title":"${title}","due":"2026-11-23T08:30:00.000Z","votes":${votes}}`;
const listed = (...rows: string[]) => ({
  text: `[${rows.join(',')}]`,
  headers: { 'Content-Type': 'application/json', 'X-Total-Count': '3' },
});
const saved = (text: string) => ({ text, headers: { 'Content-Type': 'application/json' } });

const titles = (page: Page) =>
  page.getByLabel('Title').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
const status = (page: Page) => expect.poll(() => page.locator('p').textContent());
const item = (page: Page, index: number) => page.getByRole('listitem').nth(index);
const press = (page: Page, index: number, name: string) => item(page, index).getByRole('button', { name }).click();

// React reports HTML that differs from what the page renders: as an error of the console, or of the page if built for production. The
// harness fails a test for both.
describe.each(['production', 'development'] as const)('a page rendered on a server (%s)', (mode) => {
  test('shows the list without JavaScript', async () => {
    screens.server.reply(listed(row(3, 'Three </script><b>'), row(4, 'Four')));
    const html = await (await fetch(await startExample(mode, { API_URL: screens.server.url }))).text();
    expect(html).toContain('value="Three &lt;/script&gt;&lt;b&gt;"');
    expect(html).toContain('<output>9007199254740993</output>');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  test('goes on in the page with the data of the server, and asks for no list', async () => {
    screens.server.reply(listed(row(3, 'Three </script>'), row(4, 'Four')));
    const page = await screens.visit(await startExample(mode, { API_URL: screens.server.url }));
    await status(page).toBe('3 tasks, 0 to save');
    // An edit shows that the page is alive.
    await item(page, 1).getByLabel('Title').fill('Changed');
    await status(page).toBe('3 tasks, 1 to save');
    expect(await titles(page)).toEqual(['Three </script>', 'Changed']);
    expect(screens.server.lines).toEqual(['GET /api/tasks?page=1&limit=4&sort=title']);

    screens.server.reply(saved(row(4, 'Changed')));
    await press(page, 1, 'Save');
    await status(page).toBe('3 tasks, 0 to save');
    expect(screens.server.last).toMatchObject({ method: 'PATCH', path: '/api/tasks/4', text: '{"title":"Changed"}' });
    expect(screens.server.requests).toHaveLength(2);
  });

  test('keeps dates, and every digit of long numbers', async () => {
    screens.server.reply(listed(row(3, 'Three')));
    const page = await screens.visit(await startExample(mode, { API_URL: screens.server.url }));
    const shown = () => expect.poll(() => item(page, 0).locator('time, output').allTextContents());
    await shown().toEqual(['2026-11-23T08:30:00.000Z', '9007199254740993']);
    await press(page, 0, 'Postpone');
    await press(page, 0, 'Vote');
    await shown().toEqual(['2026-11-24T08:30:00.000Z', '9007199254740994']);
    screens.server.reply({ status: 204 });
    await press(page, 0, 'Save');
    await status(page).toBe('3 tasks, 0 to save');
    expect(screens.server.last.text).toBe('{"due":"2026-11-24T08:30:00.000Z","votes":9007199254740994}');
  });
});

test('the example needs no API, loads further tasks in the page, and shows what was saved when it is opened again', async () => {
  const url = await startExample('production', {});
  const page = await screens.visit(url);
  expect(await titles(page)).toEqual(['Ask for offers', 'Book flights', 'Call the bank', 'Draw the plan']);
  await page.getByRole('button', { name: 'More' }).click();
  await expect.poll(() => titles(page)).toHaveLength(6);
  await item(page, 0).getByLabel('Title').fill('Answer');
  await press(page, 0, 'Save');
  await status(page).toBe('6 tasks, 0 to save');
  await page.reload();
  expect(await titles(page)).toEqual(['Answer', 'Book flights', 'Call the bank', 'Draw the plan']);
});
