import type { GridApi, IRowNode } from 'ag-grid-community';
import { Model, Store, type StoreConfig, selectionOf } from 'repose';
import { getRowId, infiniteDatasource, serverSideDatasource, showRecords, viewportDatasource } from 'repose/ag-grid';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { deferred } from './helpers/rest-server.js';
import { poll, tick } from './store/support.js';

// The grid is replaced by functions that record its calls; test/frameworks runs the real one, and checks the types of this file.
const rows = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  title: `Task ${index + 1}`,
  team: index % 3,
  due: '2026-11-23T12:00:00Z',
  day: '2026-11-23',
}));

function taskModel(fetch: typeof globalThis.fetch) {
  return class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', team: 'int', due: 'date', day: 'dateonly', open: 'boolean' },
    proxy: {
      type: 'rest',
      url: 'http://rest.test/tasks',
      fetch,
      reader: { rootProperty: 'data', totalProperty: 'total' },
    },
  }) {};
}
type Task = InstanceType<ReturnType<typeof taskModel>>;

/** A store over a server in memory. `reads` has the query of each read. */
function taskStore({ tellsTotal = true, ...config }: Partial<StoreConfig<Task>> & { tellsTotal?: boolean } = {}) {
  const memory = restServer({
    collections: { '/tasks': { rows } },
    envelope: { rootProperty: 'data', totalProperty: tellsTotal ? 'total' : 'count' },
  });
  const reads: Record<string, string>[] = [];
  const server = { isDown: false, answers: Promise.resolve() };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { _dc, ...query } = Object.fromEntries(new URL(String(input)).searchParams);
    reads.push(query);
    await server.answers;
    return server.isDown ? new Response(null, { status: 500 }) : memory.fetch(input, init);
  };
  const model = taskModel(fetch);
  const tasks = new Store({ model, pageSize: 10, remoteSort: true, remoteFilter: true, ...config });
  return { tasks, server, reads };
}

/** The interface of a grid that shows some rows. */
function fakeApi() {
  const calls: unknown[][] = [];
  const grid = { nodes: [] as { rowIndex: number | null; data: unknown }[], isDestroyed: false };
  const log =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const api = {
    isDestroyed: () => grid.isDestroyed,
    forEachNode: (callback: (node: unknown) => void) => grid.nodes.forEach(callback),
    ...Object.fromEntries(
      ['refreshCells', 'refreshInfiniteCache', 'refreshServerSide', 'setGridOption', 'applyTransactionAsync'].map(
        (name) => [name, log(name)],
      ),
    ),
    flushAsyncTransactions: log('flushAsyncTransactions'),
    getGridOption: () => undefined,
  } as unknown as GridApi<Task>;
  return { api, calls, grid, names: () => calls.map(([name]) => name) };
}

interface GridQuery {
  readonly sortModel?: readonly object[];
  readonly filterModel?: unknown;
}
type Block = { readonly rows: Task[]; readonly lastRow: number | undefined } | 'failed';

/** Asks a datasource of the infinite row model for rows, as a grid does. */
const ask = (
  datasource: ReturnType<typeof infiniteDatasource>,
  api: GridApi<Task>,
  [startRow, endRow]: readonly [number, number],
  { sortModel = [], filterModel = {} }: GridQuery = {},
): Promise<Block> =>
  new Promise((resolve) => {
    const successCallback = (block: Task[], lastRow?: number) => resolve({ rows: block, lastRow });
    const failCallback = () => resolve('failed');
    const params = { api, startRow, endRow, sortModel, filterModel, successCallback, failCallback };
    datasource.getRows(params as never);
  });
const idsOf = (block: Block) => (block === 'failed' ? block : block.rows.map(({ id }) => id));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('getRowId() is the id of a record, and the key of one that was created here, which it keeps', async () => {
  const { tasks } = taskStore();
  await tasks.load();
  expect(getRowId({ data: tasks.getById(3) as Task })).toBe('3');
  const [task] = tasks.add({ title: 'New' }) as [Task];
  expect(getRowId({ data: task })).toBe(task.$.key);
  await task.save();
  expect([task.id, getRowId({ data: task })]).toEqual([31, task.$.key]);
});

/** A filter of the grid. */
const equals = (filter: unknown) => ({ filterType: 'number', type: 'equals', filter });

describe('infiniteDatasource', () => {
  test('gives the records of a block with the number of all rows, and loads each row once', async () => {
    const { tasks, reads } = taskStore();
    const datasource = infiniteDatasource(tasks);
    const { api } = fakeApi();
    const [first, second] = await Promise.all([ask(datasource, api, [0, 10]), ask(datasource, api, [20, 30])]);
    expect([idsOf(first), idsOf(second)]).toEqual([range(1, 10), range(21, 30)]);
    expect(first).toMatchObject({ lastRow: 30 });
    expect(await ask(datasource, api, [0, 10])).toEqual(first);
    expect(reads.map(({ start }) => start)).toEqual(['0', '20']);
  });

  test('says that there may be more rows while the server tells no total, and where they end', async () => {
    const datasource = infiniteDatasource(taskStore({ tellsTotal: false }).tasks);
    const { api } = fakeApi();
    expect(await ask(datasource, api, [0, 20])).toMatchObject({ lastRow: -1 });
    expect(await ask(datasource, api, [20, 40])).toMatchObject({ lastRow: 30 });
  });

  test('tells the grid and `onError` of rows that could not be loaded, and loads them when asked again', async () => {
    const { tasks, server } = taskStore();
    const errors: unknown[] = [];
    const datasource = infiniteDatasource(tasks, { onError: (error) => errors.push(error) });
    const { api } = fakeApi();
    server.isDown = true;
    expect(await ask(datasource, api, [0, 10])).toBe('failed');
    expect(errors).toMatchObject([{ code: 'http', status: 500 }]);
    server.isDown = false;
    expect(idsOf(await ask(datasource, api, [0, 10]))).toEqual(range(1, 10));
  });

  test('sorts by the sorters of the grid while it has any, then by those of the store', async () => {
    const { tasks } = taskStore({ sorters: [{ property: 'id', direction: 'DESC' }] });
    const datasource = infiniteDatasource(tasks);
    const { api } = fakeApi();
    expect(idsOf(await ask(datasource, api, [0, 2]))).toEqual([30, 29]);
    const sortModel = [{ colId: 'title', sort: 'asc', type: 'default' }];
    expect(idsOf(await ask(datasource, api, [0, 2], { sortModel }))).toEqual([1, 10]);
    expect(idsOf(await ask(datasource, api, [0, 2]))).toEqual([30, 29]);
  });

  test('keeps filters and sorters that the application sets after the grid has sorted and filtered', async () => {
    const { tasks } = taskStore({ filters: [{ property: 'id', operator: 'le', value: 20 }] });
    const datasource = infiniteDatasource(tasks);
    const { api } = fakeApi();
    const filterModel = { team: equals(1) };
    const sortModel = [{ colId: 'id', sort: 'desc' }];
    expect(idsOf(await ask(datasource, api, [0, 2], { filterModel, sortModel }))).toEqual([20, 17]);
    tasks.setQuery(
      tasks.query.with({ filters: [...tasks.query.filters, { property: 'id', operator: 'le', value: 10 }] }),
    );
    tasks.sort('id');
    const byTitle = [{ colId: 'title', sort: 'desc' }];
    expect(idsOf(await ask(datasource, api, [0, 3], { filterModel, sortModel: byTitle }))).toEqual([8, 5, 2]);
    expect(idsOf(await ask(datasource, api, [0, 3]))).toEqual([1, 2, 3]);
    expect(tasks.query.filters.map(({ value }) => value)).toEqual([20, 10]);
  });

  test('adds its filters again when the application replaces those of the store', async () => {
    const { tasks } = taskStore();
    const datasource = infiniteDatasource(tasks);
    const { api } = fakeApi();
    const filterModel = { team: equals(1) };
    await ask(datasource, api, [0, 2], { filterModel });
    tasks.filter({ property: 'id', operator: 'ge', value: 10 });
    expect(idsOf(await ask(datasource, api, [0, 2], { filterModel }))).toEqual([11, 14]);
    const { filters } = tasks.query;
    await ask(datasource, api, [0, 2], { filterModel });
    expect(tasks.query.filters).toBe(filters);
  });

  const midnight = (date: number) => new Date(2026, 10, date);
  const day = { filterType: 'date', dateFrom: '2026-11-23 00:00:00' };
  test.each<[string, object, object]>([
    ['title', { filterType: 'text', type: 'contains', filter: 'x' }, { operator: 'like', value: 'x' }],
    ['title', { filterType: 'text', type: 'startsWith', filter: 'x' }, { operator: 'startsWith', value: 'x' }],
    ['team', { filterType: 'number', type: 'inRange', filter: 1, filterTo: 2 }, { operator: 'between', value: [1, 2] }],
    ['team', { filterType: 'number', type: 'blank' }, { operator: 'isNull', value: true }],
    ['team', { filterType: 'number', type: 'notBlank' }, { operator: 'isNull', value: false }],
    ['title', { filterType: 'set', values: ['a', 'b'] }, { operator: 'in', value: ['a', 'b'] }],
    [
      'day',
      { filterType: 'date', type: 'lessThan', dateFrom: '2026-11-23 00:00:00', dateTo: null },
      { operator: 'lt', value: '2026-11-23' },
    ],
    [
      'day',
      { filterType: 'date', type: 'inRange', dateFrom: '2026-11-22 00:00:00', dateTo: '2026-11-23 00:00:00' },
      { operator: 'between', value: ['2026-11-22', '2026-11-23'] },
    ],
    ['due', { ...day, type: 'lessThan' }, { operator: 'lt', value: midnight(23) }],
    ['due', { ...day, type: 'lessThanOrEqual' }, { operator: 'lt', value: midnight(24) }],
    ['due', { ...day, type: 'greaterThan' }, { operator: 'ge', value: midnight(24) }],
    ['due', { ...day, type: 'greaterThanOrEqual' }, { operator: 'ge', value: midnight(23) }],
    ['due', { filterType: 'date', type: 'blank' }, { operator: 'isNull', value: true }],
    ['open', { filterType: 'text', type: 'true' }, { operator: 'eq', value: true }],
    ['open', { filterType: 'text', type: 'false' }, { operator: 'eq', value: false }],
    ['open', { filterType: 'set', values: ['true', 'false'] }, { operator: 'in', value: [true, false] }],
    ['title', { filterType: 'set', values: [] }, { operator: 'in', value: [] }],
    ['title', { filterType: 'set', values: [null] }, { operator: 'isNull', value: true }],
  ])('filters %s by %j as a store does', async (property, model, filter) => {
    const { tasks } = taskStore();
    await ask(infiniteDatasource(tasks), fakeApi().api, [0, 10], { filterModel: { [property]: model } });
    expect(tasks.query.filters).toEqual([{ property, ...filter }]);
  });

  const isTeam = (value: unknown) => ({ property: 'team', operator: 'eq', value });
  const blank = {
    or: [
      { property: 'title', operator: 'isNull', value: true },
      { property: 'title', operator: 'eq', value: '' },
    ],
  };
  const onDay = {
    and: [
      { property: 'due', operator: 'ge', value: midnight(23) },
      { property: 'due', operator: 'lt', value: midnight(24) },
    ],
  };
  test.each<[string, object, object]>([
    ['team', { operator: 'OR', conditions: [equals(1), equals(2)] }, { or: [isTeam(1), isTeam(2)] }],
    ['team', { operator: 'AND', conditions: [equals(1), equals(2)] }, { and: [isTeam(1), isTeam(2)] }],
    ['team', { filterType: 'multi', filterModels: [null, equals(1)] }, { and: [isTeam(1)] }],
    [
      'team',
      { filterType: 'set', values: ['1', null] },
      {
        or: [
          { property: 'team', operator: 'in', value: [1] },
          { property: 'team', operator: 'isNull', value: true },
        ],
      },
    ],
    [
      'title',
      { filterType: 'text', type: 'notContains', filter: 'x' },
      { not: { property: 'title', operator: 'like', value: 'x' } },
    ],
    ['due', { ...day, type: 'equals' }, onDay],
    ['due', { filterType: 'set', values: ['2026-11-23'] }, onDay],
    [
      'due',
      { ...day, type: 'inRange', dateTo: '2026-11-24 00:00:00' },
      {
        and: [
          { property: 'due', operator: 'ge', value: midnight(23) },
          { property: 'due', operator: 'lt', value: midnight(25) },
        ],
      },
    ],
    ['title', { filterType: 'text', type: 'blank' }, blank],
    ['title', { filterType: 'text', type: 'notBlank' }, { not: blank }],
    ['due', { ...day, type: 'notEqual' }, { not: onDay }],
  ])('filters %s by %j as a tree', async (property, model, filter) => {
    const { tasks } = taskStore();
    const errors: unknown[] = [];
    const datasource = infiniteDatasource(tasks, { onError: (error) => errors.push(error) });
    await ask(datasource, fakeApi().api, [0, 10], { filterModel: { [property]: model } });
    expect(tasks.query.filters).toEqual([filter]);
  });

  test.each<[GridQuery, string]>([
    [{ filterModel: { titel: equals('x') } }, "task has no field 'titel'"],
    [{ filterModel: { title: { type: 'soundsLike' } } }, "cannot apply the filter 'soundsLike'"],
    [{ filterModel: { title: { type: 'constructor' } } }, "cannot apply the filter 'constructor'"],
    [{ filterModel: { due: { filterType: 'date', type: 'equals', dateFrom: null } } }, "cannot apply the day 'null'"],
    [{ filterModel: { day: { filterType: 'date', type: 'equals', dateFrom: 'x' } } }, "cannot apply the day 'x'"],
    [{ filterModel: { filterType: 'join', type: 'AND', conditions: [] } }, 'cannot apply an advanced filter'],
    [{ sortModel: [{ colId: 'titel', sort: 'asc' }] }, "task has no field 'titel'"],
    [{ sortModel: [{ colId: 'team', sort: 'asc', type: 'absolute' }] }, "cannot apply the sort type 'absolute'"],
  ])('refuses %j before anything is sent or changed', async (query, message) => {
    const { tasks, reads } = taskStore();
    const errors: unknown[] = [];
    const datasource = infiniteDatasource(tasks, { onError: (error) => errors.push(error) });
    expect(await ask(datasource, fakeApi().api, [0, 10], query)).toBe('failed');
    expect(errors).toMatchObject([{ code: 'unsupported-query', message: expect.stringContaining(message) }]);
    expect([tasks.query.filters, tasks.query.sorters, reads]).toEqual([[], [], []]);
  });

  test('shows a changed record in its cells, and asks for the rows again when records have other places', async () => {
    const { tasks } = taskStore();
    const datasource = infiniteDatasource(tasks);
    const { api, calls, grid, names } = fakeApi();
    const block = await ask(datasource, api, [0, 10]);
    const shown = (block as { rows: Task[] }).rows;
    grid.nodes = [...shown.map((data, rowIndex) => ({ rowIndex, data })), { rowIndex: null, data: undefined }];
    calls.length = 0;
    shown[4]?.set('title', 'Edited');
    await poll(() => calls.length).toBe(1);
    expect(calls).toEqual([['refreshCells', { rowNodes: [grid.nodes[4]] }]]);
    tasks.remove(shown[0] as Task);
    await poll(() => names().includes('refreshInfiniteCache')).toBe(true);
    calls.length = 0;
    grid.isDestroyed = true;
    shown[5]?.set('title', 'Edited too');
    await tick();
    expect(calls).toEqual([]);
  });

  test('loads the rows on show again by reload(), and ends its window with the grid', async () => {
    const { tasks, reads } = taskStore();
    const datasource = infiniteDatasource(tasks);
    const { api, calls } = fakeApi();
    await datasource.reload();
    expect(reads).toEqual([]);
    const block = await ask(datasource, api, [0, 10]);
    await datasource.reload();
    expect(reads).toHaveLength(2);
    datasource.destroy?.();
    calls.length = 0;
    (block as { rows: Task[] }).rows[0]?.set('title', 'Edited');
    await tick();
    expect(calls).toEqual([]);
    expect(idsOf(await ask(datasource, api, [0, 10]))).toEqual(range(1, 10));
  });

  test('fails rows that arrive after the grid has gone', async () => {
    const { tasks, server, reads } = taskStore();
    const { promise, resolve } = deferred<void>();
    server.answers = promise;
    const errors: unknown[] = [];
    const datasource = infiniteDatasource(tasks, { onError: (error) => errors.push(error) });
    const asked = ask(datasource, fakeApi().api, [0, 10]);
    await poll(() => reads.length).toBe(1);
    datasource.destroy?.();
    resolve();
    expect([await asked, errors]).toEqual(['failed', []]);
  });
});

describe('serverSideDatasource', () => {
  const request = { rowGroupCols: [], groupKeys: [], pivotMode: false, sortModel: [], filterModel: {} };
  function open(options = {}) {
    const { tasks, reads } = taskStore(options);
    const errors: unknown[] = [];
    const datasource = serverSideDatasource(tasks, { onError: (error) => errors.push(error) });
    const fake = fakeApi();
    const read = (more: object = {}) =>
      new Promise<unknown>((resolve) => {
        const params = {
          api: fake.api,
          request: { ...request, ...more },
          success: resolve,
          fail: () => resolve('failed'),
        };
        datasource.getRows(params as never);
      });
    return { ...fake, tasks, reads, errors, datasource, read };
  }

  test('gives the rows that were asked for, else a page, with the number of all rows if it is known', async () => {
    const { read } = open();
    const given = (await read({ startRow: 5, endRow: 7 })) as { rowData: Task[] };
    expect(given).toMatchObject({ rowCount: 30 });
    expect(given.rowData.map(({ id }) => id)).toEqual([6, 7]);
    expect((await read()) as object).toMatchObject({ rowData: { length: 10 } });
    expect(await open({ tellsTotal: false }).read()).not.toHaveProperty('rowCount');
  });

  test.each([{ rowGroupCols: [{ id: 'team' }] }, { groupKeys: ['1'] }, { pivotMode: true }])(
    'refuses %j',
    async (more) => {
      const { read, errors, reads } = open();
      expect(await read(more)).toBe('failed');
      expect(errors).toMatchObject([{ message: expect.stringContaining('cannot apply a group or pivot of AG Grid') }]);
      expect(reads).toEqual([]);
    },
  );

  test('asks for the rows again when a record has gone, and ends with the grid', async () => {
    const { read, datasource, tasks, calls, grid, names } = open();
    const { rowData } = (await read()) as { rowData: Task[] };
    grid.nodes = rowData.map((data, rowIndex) => ({ rowIndex, data }));
    tasks.remove(rowData[0] as Task);
    await poll(() => names().includes('refreshServerSide')).toBe(true);
    await datasource.reload();
    datasource.destroy?.();
    calls.length = 0;
    rowData[1]?.set('title', 'Edited');
    await tick();
    expect(calls).toEqual([]);
  });
});

/**
 * A grid with the server-side row model, as far as a datasource can tell: it keeps the rows of its blocks, asks for missing ones, and asks
 * for all of its blocks again by `refreshServerSide()`, where it ignores answers that are older than the last refresh.
 */
function serverSideGrid(datasource: ReturnType<typeof serverSideDatasource<Task>>) {
  const blocks = new Map<number, Task[]>();
  const log: string[] = [];
  let version = 0;
  let rowCount: number | undefined;
  const nodes = () => [...blocks].flatMap(([start, rows]) => rows.map((data, at) => ({ rowIndex: start + at, data })));
  const query = { sortModel: [] as object[], filterModel: {} };
  const getRows = (startRow: number) => {
    const asked = version;
    const request = { rowGroupCols: [], groupKeys: [], pivotMode: false, startRow, endRow: startRow + 10, ...query };
    log.push(`get ${startRow}`);
    datasource.getRows({
      api,
      request,
      success: ({ rowData, rowCount: total }: { rowData: Task[]; rowCount?: number }) => {
        log.push(`success ${startRow}`);
        if (asked !== version) return;
        blocks.set(startRow, rowData);
        rowCount = total;
      },
      fail: () => log.push(`fail ${startRow}`),
    } as never);
  };
  const refresh = ({ purge = false }: { purge?: boolean }) => {
    version += 1;
    const starts = [...blocks.keys()];
    if (purge) blocks.clear();
    log.push('refresh');
    for (const start of starts) getRows(start);
  };
  const api = {
    isDestroyed: () => false,
    getGridOption: () => undefined,
    forEachNode: (callback: (node: unknown) => void) => nodes().forEach(callback),
    refreshCells: () => log.push('cells'),
    refreshServerSide: refresh,
  } as unknown as GridApi<Task>;
  return {
    ...{ getRows, refresh, query, log },
    ids: () =>
      nodes()
        .sort((a, b) => a.rowIndex - b.rowIndex)
        .map(({ data }) => data.id),
    rowCount: () => rowCount,
  };
}

describe('a sequence of calls of the server-side row model', () => {
  function open(options = {}) {
    const made = taskStore(options);
    const errors: unknown[] = [];
    const datasource = serverSideDatasource(made.tasks, { onError: (error) => errors.push(error) });
    return { ...made, errors, datasource, grid: serverSideGrid(datasource) };
  }

  test('shows each row once when a record is erased while the next block is in flight', async () => {
    const { tasks, server, reads, grid } = open();
    grid.getRows(0);
    await poll(() => grid.ids().length).toBe(10);
    const { promise, resolve } = deferred<void>();
    server.answers = promise;
    grid.getRows(10);
    await poll(() => reads.length).toBe(2);
    tasks.remove(tasks.getById(4) as Task);
    resolve();
    await poll(() => grid.ids().length).toBe(20);
    await poll(() => grid.ids()).toEqual(range(1, 21).filter((id) => id !== 4));
    expect(grid.rowCount()).toBe(29);
    server.answers = Promise.resolve();
    await tasks.sync();
    grid.getRows(20);
    await poll(() => grid.ids()).toEqual(range(1, 30).filter((id) => id !== 4));
  });

  test('asks for the rows once more when records change their places, and then stays quiet', async () => {
    const { tasks, grid } = open();
    for (const start of [0, 10, 20]) grid.getRows(start);
    await poll(() => grid.ids()).toEqual(range(1, 30));
    grid.log.length = 0;
    await tasks.getById(15)?.erase();
    await poll(() => grid.ids()).toEqual(range(1, 30).filter((id) => id !== 15));
    const { length } = grid.log;
    for (let at = 0; at < 20; at += 1) await tick();
    expect(grid.log.length).toBe(length);
    grid.log.length = 0;
    tasks.getById(3)?.set('title', 'Edited');
    await poll(() => grid.log).toEqual(['cells']);
  });

  test('gives the rows of the present query after a purge, whatever was in flight', async () => {
    const { server, reads, grid } = open();
    grid.getRows(0);
    await poll(() => grid.ids().length).toBe(10);
    const { promise, resolve } = deferred<void>();
    server.answers = promise;
    grid.getRows(10);
    await poll(() => reads.length).toBe(2);
    grid.query.filterModel = { team: equals(1) };
    grid.query.sortModel = [{ colId: 'id', sort: 'desc' }];
    grid.refresh({ purge: true });
    resolve();
    await poll(() => grid.ids()).toEqual([29, 26, 23, 20, 17, 14, 11, 8, 5, 2]);
    expect(grid.rowCount()).toBe(10);
  });

  test('fails what was asked before the grid was destroyed, and sends nothing for it', async () => {
    const { server, reads, grid, datasource, errors } = open();
    const { promise, resolve } = deferred<void>();
    server.answers = promise;
    grid.getRows(0);
    grid.getRows(10);
    await poll(() => reads.length).toBe(1);
    datasource.destroy?.();
    resolve();
    await poll(() => grid.log).toEqual(['get 0', 'get 10', 'fail 0', 'fail 10']);
    expect([reads.length, errors]).toEqual([1, []]);
  });

  test('fails rows of a server that is down, and of a store that was disposed of', async () => {
    const { server, tasks, grid, errors } = open();
    server.isDown = true;
    grid.getRows(0);
    await poll(() => grid.log).toEqual(['get 0', 'fail 0']);
    server.isDown = false;
    tasks.dispose();
    grid.getRows(0);
    await poll(() => grid.log).toEqual(['get 0', 'fail 0', 'get 0', 'fail 0']);
    expect(errors).toMatchObject([{ status: 500 }, { code: 'disposed' }]);
  });
});

describe('viewportDatasource', () => {
  test('gives the rows on show when they are loaded, and again when they change', async () => {
    const { tasks } = taskStore();
    const datasource = viewportDatasource(tasks);
    let count = 0;
    let given: Record<number, Task> = {};
    const setRowCount = (total: number) => {
      count = total;
    };
    const setRowData = (data: Record<number, Task>) => {
      given = { ...given, ...data };
    };
    datasource.setViewportRange(0, 4);
    datasource.init({ setRowCount, setRowData } as never);
    datasource.setViewportRange(10, 14);
    await poll(() => given[14]?.id).toBe(15);
    expect([count, given[10]?.id]).toEqual([30, 11]);
    given[10]?.set('title', 'Edited');
    given = {};
    await poll(() => given[10]?.title).toBe('Edited');
    given = {};
    datasource.setViewportRange(10, 14);
    expect(given[14]?.id).toBe(15);
    datasource.destroy?.();
    given[14]?.set('title', 'Edited too');
    given = {};
    await tick();
    expect(given).toEqual({});
  });
});

describe('the selection of the server-side row model', () => {
  /** A grid that keeps what is selected as AG Grid does: rows by their ids, or all but these. */
  function selectingGrid() {
    const { tasks } = taskStore();
    const datasource = serverSideDatasource(tasks);
    const state = { selectAll: false, toggled: new Set<string>() };
    const nodes = new Map<string, object>();
    const listeners: (() => void)[] = [];
    const tell = () => {
      for (const listener of listeners) listener();
    };
    const setSelected = (id: string, isSelected: boolean) => {
      if (isSelected === state.selectAll) state.toggled.delete(id);
      else state.toggled.add(id);
    };
    const api = {
      isDestroyed: () => false,
      getGridOption: (name: string) => ({ rowSelection: { mode: 'multiRow' }, rowModelType: 'serverSide' })[name],
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.splice(listeners.indexOf(listener), 1),
      forEachNode: (callback: (node: never) => void) => {
        for (const node of nodes.values()) callback(node as never);
      },
      getRowNode: (id: string) => nodes.get(id),
      refreshCells: () => undefined,
      getServerSideSelectionState: () => ({ selectAll: state.selectAll, toggledNodes: [...state.toggled] }),
      setServerSideSelectionState: ({ selectAll, toggledNodes }: { selectAll: boolean; toggledNodes: string[] }) => {
        Object.assign(state, { selectAll, toggled: new Set(toggledNodes) });
        tell();
      },
      setNodesSelected: (given: { nodes: { id: string }[]; newValue: boolean }) => {
        for (const { id } of given.nodes) setSelected(id, given.newValue);
        tell();
      },
    } as unknown as GridApi<Task>;
    const load = (startRow: number) =>
      new Promise<void>((resolve) => {
        const success = ({ rowData }: { rowData: Task[] }) => {
          for (const [at, data] of rowData.entries()) {
            const id = getRowId({ data });
            const isSelected = () => state.toggled.has(id) !== state.selectAll;
            nodes.set(id, { id, data, rowIndex: startRow + at, selectable: true, isSelected });
          }
          // The rows are in their nodes before a user can see them.
          setImmediate(resolve);
        };
        const noGroups = { rowGroupCols: [], groupKeys: [], pivotMode: false, sortModel: [], filterModel: {} };
        const request = { ...noGroups, startRow, endRow: startRow + 10 };
        datasource.getRows({ api, request, success, fail: expect.fail } as never);
      });
    const shown = () =>
      [...nodes.values()].flatMap((node) => ((node as IRowNode).isSelected() ? [(node as IRowNode).id] : []));
    return { tasks, datasource, load, shown, state, tell, setSelected, listeners };
  }

  test('a row that the user selects is selected in the store, and the other way round', async () => {
    const { tasks, load, shown, tell, setSelected } = selectingGrid();
    await load(0);
    setSelected('3', true);
    tell();
    expect([selectionOf(tasks).count, selectionOf(tasks).isSelected(3)]).toEqual([1, true]);
    selectionOf(tasks).select(4, 25);
    expect(shown()).toEqual(['3', '4']);
    await load(20);
    await expect.poll(shown).toEqual(['3', '4', '25']);
    setSelected('3', false);
    tell();
    expect([...[3, 4, 25].map((id) => selectionOf(tasks).isSelected(id))]).toEqual([false, true, true]);
    selectionOf(tasks).clear();
    expect(shown()).toEqual([]);
  });

  test('all rows but some, selected by the user', async () => {
    const { tasks, load, shown, state, tell, setSelected } = selectingGrid();
    await load(0);
    Object.assign(state, { selectAll: true, toggled: new Set(['2']) });
    tell();
    expect(selectionOf(tasks).get()).toMatchObject({ all: true });
    expect([1, 2, 30].map((id) => selectionOf(tasks).isSelected(id))).toEqual([true, false, true]);
    setSelected('5', false);
    tell();
    expect(selectionOf(tasks).isSelected(5)).toBe(false);
    await load(20);
    await expect.poll(() => shown().length).toBe(18);
    Object.assign(state, { selectAll: false, toggled: new Set(['7']) });
    tell();
    expect(selectionOf(tasks).get()).toMatchObject({ all: false, count: 1 });
    expect(selectionOf(tasks).isSelected(7)).toBe(true);
  });

  test('all rows but some, selected by the application, until the grid has gone', async () => {
    const { tasks, datasource, load, shown, state, listeners } = selectingGrid();
    await load(0);
    selectionOf(tasks).selectAll();
    selectionOf(tasks).deselect(2, 25);
    expect([state.selectAll, shown().length]).toEqual([true, 9]);
    await load(20);
    await expect.poll(() => shown().includes('25')).toBe(false);
    expect(shown()).toHaveLength(18);
    datasource.destroy?.();
    selectionOf(tasks).clear();
    expect([listeners, shown().length]).toEqual([[], 18]);
  });
});

describe('showRecords', () => {
  test('gives the records to the grid, and follows them by transactions until it is stopped', async () => {
    class Item extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
    const items = new Store({
      model: Item,
      pageSize: 0,
      data: [
        { id: 1, name: 'b' },
        { id: 2, name: 'c' },
      ],
    });
    const { api, calls } = fakeApi();
    const stop = showRecords(api as never, items);
    const [b, c] = items.getRange();
    expect(calls.splice(0)).toEqual([['setGridOption', 'rowData', [b, c]]]);
    const [a] = items.insert(0, { name: 'a' });
    items.flush();
    expect(calls.splice(0)).toEqual([['applyTransactionAsync', { addIndex: 0, add: [a] }]]);
    items.remove(c as Item);
    b?.set('name', 'B');
    items.flush();
    expect(calls.splice(0)).toEqual([
      ['applyTransactionAsync', { remove: [c] }],
      ['applyTransactionAsync', { update: [b] }],
    ]);
    items.sort('name', 'ASC');
    items.flush();
    expect(calls.splice(0)).toEqual([['flushAsyncTransactions'], ['setGridOption', 'rowData', [b, a]]]);
    stop();
    items.filter([]);
    items.add({ name: 'd' });
    items.flush();
    expect(calls).toEqual([]);
  });
});
