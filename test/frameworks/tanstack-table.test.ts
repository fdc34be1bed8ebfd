import type { Page } from 'playwright-core';
import type { Store } from 'repose';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';
import { rendersDuring, typeSlowly } from './renders.js';
import type { Task } from './screens/tasks.js';

const screens = screensOf('react');
const rows = Array.from({ length: 200 }, (_, index) => ({
  id: index + 1,
  title: `Task ${index + 1}`,
  priority: index % 5,
}));

/** The query parameters of the last read, without those that are always the same. */
function lastQuery(): object {
  const [read] = screens.server.requests.filter(({ method }) => method === 'GET').slice(-1);
  const { _dc: _, start: __, limit: ___, ...query } = Object.fromEntries(read?.query ?? []);
  return query;
}

const titles = (page: Page) =>
  page
    .locator('tbody tr')
    .evaluateAll((found) => found.map((row) => row.querySelector('input')?.value ?? row.textContent));
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const header = (page: Page, name: string) => page.locator('th').getByRole('button', { name });
const status = (page: Page) => page.getByRole('status').textContent();
const inStore = (page: Page, act: (tasks: Store<Task>) => unknown) =>
  page.evaluate(`(${act})(window.tasks)`) as Promise<unknown>;

describe('a table over a store that the server sorts, filters and pages', () => {
  async function open(mode: 'production' | 'development' = 'production') {
    const memory = restServer({
      collections: {
        '/api/tasks': { rows, validate: (row) => (row['title'] === 'Bad' ? { title: 'is bad' } : undefined) },
      },
      envelope: { rootProperty: 'data', totalProperty: 'total' },
    });
    screens.answerFrom(memory);
    const page = await screens.open('tanstack-table', { mode });
    await expect.poll(() => titles(page)).toHaveLength(25);
    return { page, memory };
  }

  test('sorts by a click on a header', async () => {
    const { page } = await open();
    await header(page, 'Title').click();
    await expect.poll(async () => (await titles(page))[2]).toBe('Task 100');
    expect(lastQuery()).toEqual({ page: '1', sort: '[{"property":"title","direction":"ASC"}]' });
    await header(page, 'Title').click();
    await expect.poll(async () => (await titles(page))[0]).toBe('Task 99');
    expect(await header(page, 'Title').textContent()).toBe('Title ▼');
  });

  test('shows the order of the store when the application sorts it', async () => {
    const { page } = await open();
    await inStore(page, (tasks) => tasks.sort('id' as never, 'DESC'));
    await expect.poll(async () => (await titles(page))[0]).toBe('Task 200');
    await inStore(page, (tasks) => tasks.sort('title', 'DESC'));
    await expect.poll(() => header(page, 'Title').textContent()).toBe('Title ▼');
  });

  test('pages, and goes back to page 1 with a new order', async () => {
    const { page } = await open();
    await press(page, 'Next');
    await expect.poll(async () => (await titles(page))[0]).toBe('Task 26');
    expect(await page.locator('body').textContent()).toContain('Page 2 of 8');
    await press(page, 'Next');
    await expect.poll(async () => (await titles(page))[0]).toBe('Task 51');
    await header(page, 'Title').click();
    await expect.poll(() => page.locator('body').textContent()).toContain('Page 1 of 8');
  });

  test('shows the requested page while it loads, so that two clicks go two pages on', async () => {
    const { page } = await open();
    const held = [screens.server.hold(), screens.server.hold()];
    await press(page, 'Next');
    await press(page, 'Next');
    expect(await page.locator('body').textContent()).toContain('Page 3 of 8');
    expect((await held[1]?.request)?.query.get('page')).toBe('3');
    held[1]?.answer({ json: { data: [{ id: 51, title: 'Task 51', priority: 1 }], total: 200 } });
    await expect.poll(() => titles(page)).toEqual(['Task 51']);
    held[0]?.answer({ drop: true });
  });

  test('shows the page before when a page cannot be loaded', async () => {
    const { page } = await open();
    screens.server.reply({ status: 500 });
    await press(page, 'Next');
    await expect.poll(() => status(page)).toContain('The server could not do this.');
    expect(await page.locator('body').textContent()).toContain('Page 1 of 8');
    expect((await titles(page))[0]).toBe('Task 1');
  });

  test('filters a column while the text is typed, and keeps filters of the application', async () => {
    const { page } = await open();
    await inStore(page, (tasks) => tasks.filter({ property: 'id', operator: 'le', value: 150 } as never));
    await page.getByPlaceholder('Filter titles').focus();
    await typeSlowly(page, 'task 15');
    await expect.poll(() => titles(page)).toEqual(['Task 15', 'Task 150']);
    expect(JSON.parse((lastQuery() as { filter: string }).filter)).toEqual([
      { property: 'id', operator: 'le', value: 150 },
      { property: 'title', operator: 'like', value: 'task 15' },
    ]);
    await page.getByPlaceholder('Filter titles').fill('');
    await expect.poll(() => titles(page)).toHaveLength(25);
    expect(await inStore(page, (tasks) => tasks.query.filters.length)).toBe(1);
  });

  test('shows the filter that the application sets', async () => {
    const { page } = await open();
    await inStore(page, (tasks) => tasks.filter({ property: 'title', operator: 'like', value: '200' }));
    await expect.poll(() => page.getByPlaceholder('Filter titles').inputValue()).toBe('200');
    await expect.poll(() => titles(page)).toEqual(['Task 200']);
    expect(await page.locator('body').textContent()).toContain('Page 1 of 1');
  });

  test('searches all columns by the server', async () => {
    const { page } = await open();
    await page.getByPlaceholder('Search everywhere').fill('199');
    await expect.poll(() => titles(page)).toEqual(['Task 199']);
    expect(lastQuery()).toEqual({ page: '1', query: '199' });
    await inStore(page, (tasks) => tasks.search(''));
    await expect.poll(() => page.getByPlaceholder('Search everywhere').inputValue()).toBe('');
  });

  test('renders one cell for an edit, and keeps the caret', async () => {
    const { page } = await open();
    const input = page.getByLabel('Title').nth(4);
    await input.evaluate((element: HTMLInputElement) => {
      element.focus();
      element.setSelectionRange(2, 2);
    });
    const renders = await rendersDuring(page, () => typeSlowly(page, 'abcdefghijklmnopqrst'));
    expect(await input.inputValue()).toBe('Taabcdefghijklmnopqrstsk 5');
    expect(await input.evaluate((element: HTMLInputElement) => element.selectionStart)).toBe(22);
    expect(renders).toEqual({ cell: 20, row: 0, grid: 0 });
  });

  test('saves, shows the errors of a save, adds and removes', async () => {
    const { page, memory } = await open('development');
    const first = page.locator('tbody tr').first();
    await first.locator('input').fill('Bad');
    await first.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => first.textContent()).toContain('is bad');
    await first.locator('input').fill('Good');
    await first.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => memory.rows('/api/tasks')[0]?.['title']).toBe('Good');
    await press(page, 'Add');
    await expect.poll(async () => (await titles(page))[0]).toBe('New');
    await first.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => memory.rows('/api/tasks')).toHaveLength(201);
    await expect.poll(() => page.locator('body').textContent()).toContain('Page 1 of 9');
    await first.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => status(page)).toContain('1 unsaved');
    await press(page, 'Save all');
    await expect.poll(() => memory.rows('/api/tasks')).toHaveLength(200);
    await expect.poll(() => status(page)).toContain('0 unsaved');
  });

  test('keeps the input of a new record when its save gives it an id', async () => {
    const { page } = await open();
    await press(page, 'Add');
    const first = page.locator('tbody tr').first();
    await first.evaluate((row) => Object.assign(row, { same: true }));
    await first.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => status(page)).toContain('0 unsaved');
    expect(await inStore(page, (tasks) => tasks.getAt(0)?.id)).toBe(201);
    expect(await first.evaluate((row) => (row as { same?: boolean }).same)).toBe(true);
  });
});

describe('a table over a store that holds all records', () => {
  const state = async (page: Page) => JSON.parse((await status(page)) as string);

  test('renders one cell for an edit among 200 rows', async () => {
    const page = await screens.open('tanstack-table-local');
    await expect.poll(() => titles(page)).toHaveLength(200);
    const renders = await rendersDuring(page, () =>
      inStore(page, (tasks) => tasks.getById(100)?.set('title', 'Changed')),
    );
    expect(renders).toEqual({ cell: 1, row: 0, grid: 0 });
    expect((await titles(page))[99]).toBe('Changed');
  });

  test('sorts and searches in the store, and pages in the table', async () => {
    const page = await screens.open('tanstack-table-local');
    await press(page, 'Sort');
    await expect.poll(async () => (await titles(page))[0]).toBe('Task 99');
    expect(await inStore(page, (tasks) => tasks.getAt(0)?.title)).toBe('Task 99');
    await press(page, 'Shorten');
    await press(page, 'Last');
    await expect.poll(() => titles(page)).toHaveLength(20);
    expect(await state(page)).toMatchObject({ pagination: { pageIndex: 9, pageSize: 20 }, pages: 10 });
    await press(page, 'Search');
    await expect
      .poll(() => state(page))
      .toMatchObject({ globalFilter: 'task 1', pagination: { pageIndex: 5 }, pages: 6 });
    expect(screens.server.requests.filter(({ path }) => path.startsWith('/api'))).toEqual([]);
  });

  test('shows a new order also where it moves no record', async () => {
    const page = await screens.open('tanstack-table-local');
    await inStore(page, (tasks) => tasks.sort('id' as never));
    await expect.poll(() => state(page)).toMatchObject({ sorting: [{ id: 'id', desc: false }] });
  });
});

test('the guide shows the code of these screens', () => {
  const files = ['react/tanstack-table.tsx', 'react/tanstack-table-local.tsx'];
  expect(codeWithoutScreen('tanstack-table', 'tsx', files)).toEqual([]);
});
