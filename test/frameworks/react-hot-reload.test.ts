import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { restServer } from 'repose/testing';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reactForDevelopment, reposeAlias } from './build.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');
const folder = mkdtempSync(path.join(import.meta.dirname, 'screens/.hot-'));
let vite: ViteDevServer;

/** A screen whose heading the test changes while it is shown. It makes its store, a view and a window, and loads a record. */
const screenOf = (heading: string) => `
import { Model, plain, Store } from 'repose';
import { useList, useLoaded, useStore, useView, useWindow } from 'repose/react';
import { Task } from './task';

export function Screen() {
  const { records, store } = useStore(() => new Store({ model: Task, pageSize: 25 }));
  const { records: byTitle } = useView(store, { sorters: [{ property: 'title', direction: 'DESC' }] });
  const { list } = useWindow(store, { end: 2 });
  const { record } = useLoaded(Task, 2);
  return (
    <>
      <h1>${heading}</h1>
      <ul>{records.map((task) => <li key={task.$.key}>{task.title}</li>)}</ul>
      <p>{byTitle.map((task) => task.title).join()}; {list.slice(0, 2).map((task) => task?.title).join()}; {record?.title}</p>
      <button onClick={() => store.add({ title: 'D' })}>Add</button>
    </>
  );
}
`;

beforeAll(async () => {
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  write(
    'index.html',
    '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/main.tsx"></script>',
  );
  write(
    'main.tsx',
    `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Screen } from './screen';
createRoot(document.getElementById('root')!).render(<StrictMode><Screen /></StrictMode>);`,
  );
  write(
    'task.ts',
    `import { Model, plain } from 'repose';
export class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string' }, proxy: { url: '/api/tasks', dialect: plain() } }) {}`,
  );
  write('screen.tsx', screenOf('Before'));
  vite = await createServer({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    resolve: { alias: reposeAlias() },
    plugins: [reactForDevelopment()],
    optimizeDeps: {
      noDiscovery: true,
      include: ['react', 'react-dom/client', 'react/jsx-runtime', 'react/jsx-dev-runtime'],
    },
    cacheDir: path.join(folder, '.cache'),
    server: { host: '127.0.0.1', port: 0, proxy: { '/api': screens.server.url }, fs: { strict: false } },
  });
  await vite.listen();
}, 60_000);

afterAll(async () => {
  await vite.close();
  rmSync(folder, { recursive: true });
});

test('a screen whose code is replaced keeps its store, view, window and record, which go on working', async () => {
  const rows = ['A', 'B', 'C'].map((title, at) => ({ id: at + 1, title }));
  screens.answerFrom(restServer({ collections: { '/api/tasks': rows } }));
  const page = await screens.visit(vite.resolvedUrls?.local[0] ?? '');
  const text = (selector: string) => expect.poll(() => page.locator(selector).textContent());
  await text('p').toBe('C,B,A; A,B; B');
  await text('h1').toBe('Before');
  await page.getByRole('button', { name: 'Add' }).click();
  await text('ul').toBe('ABCD');
  const asked = screens.server.requests.length;
  writeFileSync(path.join(folder, 'screen.tsx'), screenOf('After'));
  await text('h1').toBe('After');
  // The record that was added and not saved is still there: the store was neither made again nor disposed of.
  await text('ul').toBe('ABCD');
  await text('p').toBe('D,C,B,A; A,B; B');
  expect(screens.server.requests.length).toBe(asked);
  await page.getByRole('button', { name: 'Add' }).click();
  await text('ul').toBe('ABCDD');
  await text('p').toBe('D,D,C,B,A; A,B; B');
});
