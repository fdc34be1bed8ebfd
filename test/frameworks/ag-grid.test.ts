import type { GridApi } from 'ag-grid-community';
import type { Page } from 'playwright-core';
import { Model, type Selection, Store } from 'repose';
import { infiniteDatasource } from 'repose/ag-grid';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';
import type { Task } from './screens/tasks.js';

const screens = screensOf('react');
const rows = Array.from({ length: 1000 }, (_, index) => ({
  id: index + 1,
  title: `Task ${index + 1}`,
  priority: index % 5,
}));

interface Shown {
  api: GridApi;
  tasks: Store<Task>;
  selection: Selection<Task>;
}
/** Runs a function in the page, with the grid and the store of the screen. */
const inPage = <T>(page: Page, act: (shown: Shown) => T): Promise<Awaited<T>> =>
  page.evaluate(`(${act})(window)`) as Promise<Awaited<T>>;
const cell = (page: Page, row: number, field: string) =>
  page.locator(`.ag-grid-scrolling-container [row-index="${row}"] [col-id="${field}"]`);
const text = (page: Page, row: number, field = 'title') => expect.poll(() => cell(page, row, field).textContent());
/** The sorters and filters of the last read. */
function lastQuery() {
  const [read] = screens.server.requests
    .filter(({ method, path }) => method === 'GET' && path === '/api/tasks')
    .slice(-1);
  const json = (name: string) => JSON.parse(read?.query.get(name) ?? '[]');
  return { sort: json('sort'), filter: json('filter') };
}

async function open(name = 'ag-grid') {
  const memory = restServer({
    collections: {
      '/api/tasks': { rows, validate: (row) => (row['title'] === 'Bad' ? { title: 'is bad' } : undefined) },
    },
    envelope: { rootProperty: 'data', totalProperty: 'total' },
  });
  screens.answerFrom(memory);
  const page = await screens.open(name);
  await text(page, 0).toBe('Task 1');
  return { page, memory };
}

describe('a grid with the infinite row model', () => {
  test('loads the blocks that a user scrolls to, and knows the number of rows', async () => {
    const { page } = await open();
    expect(await inPage(page, ({ api }) => api.getDisplayedRowCount())).toBe(1000);
    await inPage(page, ({ api }) => api.ensureIndexVisible(700));
    await text(page, 700).toBe('Task 701');
    await inPage(page, ({ api }) => api.ensureIndexVisible(10));
    await text(page, 10).toBe('Task 11');
    const starts = screens.server.requests.flatMap(({ path, query }) =>
      path === '/api/tasks' ? [query.get('start')] : [],
    );
    expect(new Set(starts).size).toBe(starts.length);
    expect(starts.length).toBeLessThanOrEqual(4);
  });

  test('sorts by a click on a header', async () => {
    const { page } = await open();
    await page.locator('.ag-header-cell[col-id="title"] .ag-header-cell-label').click();
    await text(page, 2).toBe('Task 100');
    expect(lastQuery().sort).toEqual([{ property: 'title', direction: 'ASC' }]);
    await inPage(page, ({ api }) => api.applyColumnState({ defaultState: { sort: null } }));
    await text(page, 2).toBe('Task 3');
    expect(lastQuery().sort).toEqual([]);
  });

  test('filters by what is typed into a filter', async () => {
    const { page } = await open();
    await page.locator('.ag-floating-filter input').first().fill('task 99');
    await text(page, 1).toBe('Task 990');
    expect(await inPage(page, ({ api }) => api.getDisplayedRowCount())).toBe(11);
    expect(lastQuery().filter).toEqual([{ property: 'title', operator: 'like', value: 'task 99' }]);
  });

  test.each([
    [
      { filterType: 'number', type: 'inRange', filter: 2, filterTo: 3 },
      { operator: 'between', value: [2, 3] },
    ],
    [
      { filterType: 'number', type: 'greaterThanOrEqual', filter: 3 },
      { operator: 'ge', value: 3 },
    ],
    [
      { filterType: 'number', type: 'notBlank' },
      { operator: 'isNull', value: false },
    ],
  ])('sends %j in the words of Repose', async (model, filter) => {
    const { page } = await open();
    await page.evaluate((model) => (window as unknown as Shown).api.setFilterModel({ priority: model }), model);
    await expect.poll(() => lastQuery().filter).toEqual([{ property: 'priority', ...filter }]);
  });

  test('sends two conditions of a column as a tree', async () => {
    const { page } = await open();
    const [a, b] = [
      { filterType: 'number', type: 'equals', filter: 1 },
      { filterType: 'number', type: 'equals', filter: 4 },
    ];
    const model = { priority: { filterType: 'number', operator: 'OR', conditions: [a, b] } };
    await page.evaluate((model) => (window as unknown as Shown).api.setFilterModel(model), model);
    await expect.poll(() => inPage(page, ({ tasks }) => JSON.stringify(tasks.query.filters))).toContain('"or":[{');
    expect(JSON.parse(await inPage(page, ({ tasks }) => JSON.stringify(tasks.query.filters)))).toMatchObject([
      {
        or: [
          { property: 'priority', operator: 'eq', value: 1 },
          { property: 'priority', operator: 'eq', value: 4 },
        ],
      },
    ]);
    screens.complaints.length = 0;
  });

  test.each([
    [
      { title: { filterType: 'text', type: 'soundsLike', filter: 'x' } },
      [],
      "cannot apply the filter 'soundsLike' of AG Grid: leave it out",
    ],
    [{ titel: { filterType: 'text', type: 'equals', filter: 'x' } }, [], "task has no field 'titel'"],
    [
      { filterType: 'join', type: 'AND', conditions: [] },
      [],
      'cannot apply an advanced filter of AG Grid: set `enableAdvancedFilter',
    ],
    [
      {},
      [{ colId: 'id', sort: 'asc', type: 'absolute' }],
      "cannot apply the sort type 'absolute' of AG Grid: sort by a field",
    ],
    [{}, [{ colId: 'titel', sort: 'asc' }], "task has no field 'titel'"],
  ])('refuses the filters %j and sorters %j before anything is sent', async (filterModel, sortModel, message) => {
    const proxy = { type: 'rest', url: `${screens.server.url}/api/tasks` } as const;
    class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string' }, proxy }) {}
    const tasks = new Store({ model: Task, remoteSort: true, remoteFilter: true });
    const error = await new Promise<unknown>((onError) => {
      const datasource = infiniteDatasource(tasks, { onError });
      const request = {
        startRow: 0,
        endRow: 10,
        filterModel,
        sortModel,
        successCallback: expect.fail,
        failCallback: () => undefined,
      };
      datasource.getRows(request as never);
    });
    expect(error).toMatchObject({ code: 'unsupported-query', message: expect.stringContaining(message) });
    expect([tasks.query.filters, tasks.query.sorters, screens.server.requests]).toEqual([[], [], []]);
  });

  test('an edit in the grid sets the field of the record, and renders one cell', async () => {
    const { page, memory } = await open();
    await cell(page, 3, 'title').dblclick();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Edited');
    await page.keyboard.press('Enter');
    await text(page, 3).toBe('Edited');
    expect(await inPage(page, ({ tasks }) => tasks.getById(4)?.$.modified)).toEqual({ title: 'Edited' });
    await page.getByRole('button', { name: 'Save 1' }).click();
    await expect.poll(() => memory.rows('/api/tasks')[3]?.['title']).toBe('Edited');
    await page.getByRole('button', { name: 'Save 0' }).waitFor();
  });

  test('shows an edit from outside in its cell, and touches no other', async () => {
    const { page } = await open();
    await page.evaluate(() => {
      const changes: string[] = [];
      Object.assign(window, { changes });
      const column = document.querySelector('.ag-grid-scrolling-container') as Element;
      new MutationObserver((records) => {
        for (const { target } of records) {
          const found = (target instanceof Element ? target : target.parentElement)?.closest('[col-id]');
          const row = found?.closest('[row-index]')?.getAttribute('row-index');
          changes.push(`${row} ${found?.getAttribute('col-id')}`);
        }
      }).observe(column, { subtree: true, childList: true, characterData: true });
    });
    await inPage(page, ({ tasks }) => tasks.getById(5)?.set('title', 'Changed'));
    await text(page, 4).toBe('Changed');
    const changes = await page.evaluate(() => (window as unknown as { changes: string[] }).changes);
    expect(new Set(changes)).toEqual(new Set(['4 title']));
  });

  test('shows removed records no more, and shows them again when the removal is undone', async () => {
    const { page } = await open();
    await inPage(page, ({ tasks }) => tasks.remove(tasks.getById(2) as Task));
    await text(page, 1).toBe('Task 3');
    expect(await inPage(page, ({ api }) => api.getDisplayedRowCount())).toBe(999);
    await page.getByRole('button', { name: 'Undo' }).click();
    await text(page, 1).toBe('Task 2');
  });

  test('shows a created record after a reload', async () => {
    const { page, memory } = await open();
    await inPage(page, ({ api }) => api.applyColumnState({ state: [{ colId: 'id', sort: 'desc' }] }));
    await text(page, 0, 'id').toBe('1000');
    await page.getByRole('button', { name: 'Add' }).click();
    await text(page, 0, 'id').toBe('1001');
    expect(memory.rows('/api/tasks')).toHaveLength(1001);
  });

  test('follows a filter that the application sets', async () => {
    const { page } = await open();
    await inPage(page, ({ tasks }) => tasks.filter({ property: 'id', operator: 'ge', value: 990 } as never));
    await text(page, 0).toBe('Task 990');
    await expect.poll(() => inPage(page, ({ api }) => api.getDisplayedRowCount())).toBe(11);
  });

  test('rows that cannot be loaded are empty, and the status says why', async () => {
    const { page } = await open();
    screens.server.reply({ status: 500 });
    await inPage(page, ({ api }) => api.ensureIndexVisible(500));
    await expect.poll(() => screens.server.requests.length).toBeGreaterThan(2);
    expect(await cell(page, 500, 'title').textContent()).toBe('');
    await inPage(page, ({ api }) => api.refreshInfiniteCache());
    await text(page, 500).toBe('Task 501');
  });
});

describe('the selection of a grid with the infinite row model', () => {
  const row = (page: Page, index: number) => page.locator(`.ag-grid-scrolling-container [row-index="${index}"]`);
  const box = (page: Page, index: number) => row(page, index).locator('input[type="checkbox"]').first();
  const isShown = (page: Page, index: number) => expect.poll(() => row(page, index).getAttribute('aria-selected'));
  const count = (page: Page) => expect.poll(() => inPage(page, ({ selection }) => selection.count));

  test('is that of the store, over scrolling, sorting and reloads', async () => {
    const { page } = await open();
    await box(page, 1).check();
    await box(page, 3).check();
    await count(page).toBe(2);
    await inPage(page, ({ api }) => api.ensureIndexVisible(900));
    await text(page, 900).toBe('Task 901');
    await box(page, 900).check();
    await count(page).toBe(3);
    await inPage(page, ({ api }) => api.applyColumnState({ state: [{ colId: 'id', sort: 'desc' }] }));
    await inPage(page, ({ api }) => api.ensureIndexVisible(0));
    await text(page, 0).toBe('Task 1000');
    await inPage(page, ({ api }) => api.ensureIndexVisible(999));
    await text(page, 996).toBe('Task 4');
    await isShown(page, 996).toBe('true');
    await isShown(page, 997).toBe('false');
    await inPage(page, ({ api }) => api.purgeInfiniteCache());
    await inPage(page, ({ api }) => api.ensureIndexVisible(999));
    await text(page, 998).toBe('Task 2');
    await isShown(page, 998).toBe('true');
    await box(page, 998).uncheck();
    await count(page).toBe(2);
    await inPage(page, ({ selection }) => selection.clear());
    await isShown(page, 996).toBe('false');
    await count(page).toBe(0);
  });

  test('is all rows but some, also of blocks that are loaded later', async () => {
    const { page } = await open();
    await inPage(page, ({ selection }) => selection.selectAll());
    await isShown(page, 2).toBe('true');
    await box(page, 2).uncheck();
    await expect.poll(() => inPage(page, ({ selection }) => selection.isSelected(3))).toBe(false);
    await inPage(page, ({ api }) => api.ensureIndexVisible(700));
    await text(page, 700).toBe('Task 701');
    await isShown(page, 700).toBe('true');
    expect(await inPage(page, ({ selection }) => [1, 3, 1000].map((id) => selection.isSelected(id)))).toEqual([
      ...[true, false, true],
    ]);
  });
});

describe('a grid that holds all rows', () => {
  async function openClient() {
    const page = await screens.open('ag-grid-client');
    await text(page, 0).toBe('Task 1');
    return page;
  }

  test('follows records that are added, removed, edited and moved, and keeps the selection', async () => {
    const page = await openClient();
    await inPage(page, ({ api }) => api.selectAll());
    await inPage(page, ({ tasks }) => {
      tasks.remove(tasks.getById(2) as Task, tasks.getById(4) as Task);
      tasks.insert(1, { title: 'Second' });
      tasks.getById(5)?.set('title', 'Changed');
    });
    await text(page, 1).toBe('Second');
    await text(page, 2).toBe('Task 3');
    await text(page, 3).toBe('Changed');
    await inPage(page, ({ tasks }) => tasks.sort('title', 'DESC'));
    await text(page, 0).toBe('Task 99');
    const shown = await inPage(page, ({ api, tasks }) => {
      const titles: string[] = [];
      api.forEachNode(({ data }) => titles.push(data.title));
      return { titles, expected: tasks.getRange().map((task) => task.title), selected: api.getSelectedRows().length };
    });
    expect(shown.titles).toEqual(shown.expected);
    expect(shown.selected).toBe(198);
    expect(
      await inPage(page, ({ tasks, selection }) => tasks.getRange().filter(selection.get().isSelected).length),
    ).toBe(198);
    await inPage(page, ({ selection }) => selection.clear());
    expect(await inPage(page, ({ api }) => api.getSelectedRows().length)).toBe(0);
  });

  test('an edit in the grid sets the field of the record', async () => {
    const page = await openClient();
    await cell(page, 3, 'title').dblclick();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Edited');
    await page.keyboard.press('Enter');
    await text(page, 3).toBe('Edited');
    expect(await inPage(page, ({ tasks }) => tasks.getById(4)?.title)).toBe('Edited');
  });
});

test('the guide shows the code of these screens', () => {
  const files = ['react/ag-grid.tsx', 'react/ag-grid-enterprise.ts', 'react/ag-grid-client.tsx'];
  expect(codeWithoutScreen('ag-grid', 'tsx', files)).toEqual([]);
});
