import { Model, nextPage, Store, type StoreConfig, selectionOf, UnsupportedQueryError } from 'repose';
import { type TableAtom, tableSource } from 'repose/tanstack-table';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { type ManualClock, manualClock } from './helpers/manual-clock.js';
import { poll, tick } from './store/support.js';

const rows = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, title: `Task ${index + 1}`, team: index % 3 }));

type Task = InstanceType<ReturnType<typeof taskModel>>;
interface Setting {
  readonly clock?: ManualClock;
  /** Whether the responses have the number of all rows. */
  readonly tellsTotal?: boolean;
}

/** A store over a server in memory that sorts, filters and pages. `reads` has the query of each read. */
function taskStore(config: Partial<StoreConfig<Task>> = {}, { clock, tellsTotal = true }: Setting = {}) {
  const reads: object[] = [];
  const memory = restServer({
    collections: { '/tasks': { rows } },
    envelope: { rootProperty: 'data', totalProperty: tellsTotal ? 'total' : 'count' },
  });
  const server = { isDown: false };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { _dc, start, limit, ...query } = Object.fromEntries(new URL(String(input)).searchParams);
    reads.push(query);
    return server.isDown ? new Response(null, { status: 500 }) : memory.fetch(input, init);
  };
  const model = taskModel(fetch, clock ?? manualClock());
  const store = new Store({ model, pageSize: 10, remoteSort: true, remoteFilter: true, ...config });
  return { store, reads, server };
}

function taskModel(fetch: typeof globalThis.fetch, clock: ManualClock) {
  const reader = { rootProperty: 'data', totalProperty: 'total' };
  return class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', team: 'int' },
    proxy: { type: 'rest', url: 'http://rest.test/tasks', fetch, clock, reader },
  }) {};
}

/** A store without a server. */
function localStore() {
  class Task extends Model.define({ fields: { id: 'int', title: 'string', team: 'int' } }) {}
  return new Store({ model: Task, pageSize: 0, data: rows });
}

/** An atom as TanStack Store makes them, without its dependencies between atoms. */
function createAtom<T>(value: T): TableAtom<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set: (next: T | ((previous: T) => T)) => {
      value = typeof next === 'function' ? (next as (previous: T) => T)(value) : next;
      for (const listener of listeners) listener(value);
    },
    subscribe: (listener: ((value: T) => void) | { next?: (value: T) => void }) => {
      const heard = typeof listener === 'function' ? listener : (value: T) => listener.next?.(value);
      listeners.add(heard);
      return { unsubscribe: () => void listeners.delete(heard) };
    },
  };
}

/** Resolves when the store has loaded again. */
const nextLoad = <M extends Model>(store: Store<M>) =>
  new Promise<void>((resolve) => {
    const stop = store.on('load', () => {
      stop();
      resolve();
    });
  });
const ids = (records: readonly { id?: unknown }[]) => records.map(({ id }) => id);

describe('the options of a table', () => {
  test('hold the shown records, and stay the same object until other records are shown', async () => {
    const { store } = taskStore();
    const source = tableSource(store, createAtom);
    let told = 0;
    const stop = source.subscribe(() => {
      told += 1;
    });
    await store.load();
    store.flush();
    const options = source.get();
    expect(options).toMatchObject({ rowCount: 30, manualSorting: true, manualFiltering: true, manualPagination: true });
    expect(ids(options.data)).toEqual(ids(store.getRange()));
    expect(options.getRowId(store.getAt(0)!)).toBe(String(store.getAt(0)?.id));
    const before = told;
    store.getAt(0)?.set('title', 'Edited');
    store.flush();
    expect([source.get(), told]).toEqual([options, before]);
    store.remove(store.getAt(0)!);
    store.flush();
    expect(source.get()).not.toBe(options);
    expect(told).toBeGreaterThan(before);
    stop();
  });

  test('have a new object of atoms for each table, with the same atoms', () => {
    const options = tableSource(taskStore().store, createAtom).get();
    expect(options.atoms).not.toBe(options.atoms);
    expect(options.atoms.sorting).toBe(options.atoms.sorting);
  });

  test('count the rows up to the page on show, and one more, while the server tells no total', async () => {
    const { store } = taskStore({}, { tellsTotal: false });
    const source = tableSource(store, createAtom);
    await store.load({ page: 2 });
    expect(source.get().rowCount).toBe(21);
    await store.load({ page: 3 });
    await store.load({ page: 4 });
    expect(source.get().rowCount).toBe(30);
  });

  test('count a row of the next page, while a page that is shorter than asked for may not be the last', async () => {
    const { store } = taskStore({ pageSize: 50 }, { tellsTotal: false });
    const source = tableSource(store, createAtom);
    await store.load();
    expect([store.count, source.get().rowCount]).toEqual([30, 51]);
    await nextPage(store);
    expect([store.count, source.get().rowCount]).toEqual([0, 50]);
  });

  test('let the table page the records of a store that loads no pages', () => {
    expect(tableSource(localStore(), createAtom).get()).toMatchObject({ rowCount: 30, manualPagination: false });
  });

  test('counts the rows that are shown where the store filters by itself', async () => {
    const { store, reads } = taskStore({ pageSize: 50, remoteSort: 'auto', remoteFilter: 'auto' });
    const source = tableSource(store, createAtom);
    await store.load();
    expect(source.get().rowCount).toBe(30);
    source.get().atoms.columnFilters.set([{ id: 'team', value: 1 }]);
    await tick();
    expect([source.get().rowCount, source.get().data.length, reads.length]).toEqual([10, 10, 1]);
  });
});

describe('sorting', () => {
  test('is the order of the store, in both directions', async () => {
    const { store, reads } = taskStore();
    const { atoms } = tableSource(store, createAtom).get();
    await store.load();
    atoms.sorting.set([{ id: 'title', desc: true }]);
    await nextLoad(store);
    expect(store.getAt(0)?.title).toBe('Task 9');
    expect(reads.at(-1)).toEqual({ page: '1', sort: '[{"property":"title","direction":"DESC"}]' });
    store.sort('id');
    expect(atoms.sorting.get()).toEqual([{ id: 'id', desc: false }]);
    expect(atoms.sorting.get()).toBe(atoms.sorting.get());
  });

  test('keeps the options of a sorter whose direction changes, and takes functions of the previous state', () => {
    const { store } = taskStore({ sorters: [{ property: 'title', locale: 'de' }], remoteSort: false });
    const { atoms } = tableSource(store, createAtom).get();
    atoms.sorting.set((previous) => previous.map((each) => ({ ...each, desc: true })));
    expect(store.query.sorters).toMatchObject([{ property: 'title', direction: 'DESC', locale: 'de' }]);
  });

  test('tells the subscribers of an atom once, and not for the value that it has', () => {
    const { store } = taskStore();
    const { atoms } = tableSource(store, createAtom).get();
    const heard: unknown[] = [];
    const { unsubscribe } = atoms.sorting.subscribe((value) => heard.push(value));
    const observed = atoms.sorting.subscribe({ next: (value) => heard.push(value) });
    atoms.sorting.set([{ id: 'id', desc: false }]);
    atoms.sorting.set(atoms.sorting.get());
    unsubscribe();
    observed.unsubscribe();
    atoms.sorting.set([]);
    expect(heard).toEqual([[{ id: 'id', desc: false }], [{ id: 'id', desc: false }]]);
  });

  test('throws for a column that cannot be sorted, and leaves the state as it was', async () => {
    const { store } = taskStore({ remoteSort: false });
    const { atoms } = tableSource(store, createAtom).get();
    await store.load();
    expect(() => atoms.sorting.set([{ id: 'title', desc: false }])).toThrow(UnsupportedQueryError);
    expect(atoms.sorting.get()).toEqual([]);
  });
});

describe('filters of columns', () => {
  test('compare by the type of the field or by the given operator, and leave other filters in place', async () => {
    const { store, reads } = taskStore({ filters: [{ property: 'id', operator: 'le', value: 20 }] });
    const { atoms } = tableSource(store, createAtom, { operators: { team: 'ne' } }).get();
    await store.load();
    atoms.columnFilters.set([
      { id: 'title', value: 'task 1' },
      { id: 'team', value: 0 },
      { id: 'id', value: '' },
    ]);
    await nextLoad(store);
    expect(JSON.parse((reads.at(-1) as { filter: string }).filter)).toEqual([
      { property: 'id', operator: 'le', value: 20 },
      { property: 'title', operator: 'like', value: 'task 1' },
      { property: 'team', operator: 'ne', value: 0 },
    ]);
    expect(atoms.columnFilters.get()).toEqual([
      { id: 'title', value: 'task 1' },
      { id: 'team', value: 0 },
    ]);
    atoms.columnFilters.set([]);
    expect(store.query.filters).toEqual([{ property: 'id', operator: 'le', value: 20 }]);
  });

  test('compare a list of values by `in`, and other values by `eq`', () => {
    const { store } = taskStore();
    const { atoms } = tableSource(store, createAtom).get();
    atoms.columnFilters.set([
      { id: 'id', value: [1, 2] },
      { id: 'team', value: 1 },
    ]);
    expect(store.query.filters).toMatchObject([{ operator: 'in' }, { operator: 'eq' }]);
  });

  test('are sent after the given time, and only as they were last', async () => {
    const clock = manualClock();
    const { store, reads } = taskStore({}, { clock });
    const { atoms } = tableSource(store, createAtom, { delay: 300 }).get();
    await store.load();
    atoms.columnFilters.set([{ id: 'title', value: 'task' }]);
    atoms.globalFilter.set('2');
    atoms.globalFilter.set('29');
    expect(atoms.globalFilter.get()).toBe('29');
    clock.advance(299);
    await tick();
    expect(reads).toHaveLength(1);
    clock.advance(1);
    await nextLoad(store);
    expect(reads.slice(1)).toMatchObject([{ query: '29' }]);
    atoms.globalFilter.set(undefined as never);
    expect(store.query.search).toBe('');
  });
});

describe('pages', () => {
  test('show the page that is being loaded, and that of the store when it cannot be loaded', async () => {
    const { store, reads, server } = taskStore();
    const source = tableSource(store, createAtom);
    const { atoms } = source.get();
    await store.load();
    const done = nextLoad(store);
    atoms.pagination.set({ pageIndex: 1, pageSize: 10 });
    atoms.pagination.set({ pageIndex: 2, pageSize: 10 });
    expect(atoms.pagination.get()).toEqual({ pageIndex: 2, pageSize: 10 });
    await done;
    expect(ids(store.getRange())).toEqual(ids(rows.slice(20)));
    const sent = reads.length;
    atoms.pagination.set({ pageIndex: 2, pageSize: 10 });
    expect(reads).toHaveLength(sent);
    server.isDown = true;
    atoms.pagination.set({ pageIndex: 0, pageSize: 10 });
    expect(atoms.pagination.get().pageIndex).toBe(0);
    await poll(() => store.status.get().error?.code).toBe('http');
    await poll(() => atoms.pagination.get().pageIndex).toBe(2);
  });

  test('of a store without pages are kept by the table, and end with the last record', () => {
    const store = localStore();
    const { atoms } = tableSource(store, createAtom, { pageSize: 5 }).get();
    expect(atoms.pagination.get()).toEqual({ pageIndex: 0, pageSize: 5 });
    atoms.pagination.set({ pageIndex: 9, pageSize: 5 });
    expect(atoms.pagination.get().pageIndex).toBe(5);
    store.filter({ property: 'id', operator: 'le', value: 7 });
    expect(atoms.pagination.get()).toEqual({ pageIndex: 1, pageSize: 5 });
  });
});

describe('the selection of rows', () => {
  test('is that of the store, and stays over pages', async () => {
    const { store } = taskStore({ pageSize: 2 });
    const source = tableSource(store, createAtom);
    source.subscribe(() => undefined);
    await store.load();
    const { rowSelection } = source.get().atoms;
    const rowIds = () => source.get().data.map((record) => source.get().getRowId(record));
    const [first, second] = rowIds() as [string, string];
    rowSelection.set({ [first]: true, [second]: true });
    expect(selectionOf(store).count).toBe(2);
    await store.load({ page: 2 });
    expect([rowSelection.get(), selectionOf(store).count]).toEqual([{}, 2]);
    const [third] = rowIds() as [string];
    rowSelection.set((before) => ({ ...before, [third]: true }));
    await store.load({ page: 1 });
    expect(rowIds()).toEqual([first, second]);
    expect(rowSelection.get()).toEqual({ [first]: true, [second]: true });
    rowSelection.set({ [second]: true });
    expect(selectionOf(store).count).toBe(2);
    selectionOf(store).clear();
    expect(rowSelection.get()).toEqual({});
    expect(rowSelection.get()).toBe(rowSelection.get());
  });

  test('takes ids for names of members that all objects inherit', () => {
    class Word extends Model.define({ name: 'word', fields: { id: 'string' } }) {}
    const store = new Store({ model: Word, data: [{ id: 'constructor' }, { id: 'toString' }] });
    const { rowSelection } = tableSource(store, createAtom).get().atoms;
    rowSelection.set({ constructor: true } as never);
    expect([selectionOf(store).count, Object.keys(rowSelection.get())]).toEqual([1, ['constructor']]);
    rowSelection.set({});
    expect(selectionOf(store).count).toBe(0);
  });

  test('of a record is not that of another one which has got its former id', () => {
    const store = localStore();
    const source = tableSource(store, createAtom);
    const { atoms, getRowId } = source.get();
    const first = store.getById(1) as Task;
    expect(getRowId(first)).toBe('1');
    first.set('id', 900);
    first.commit();
    store.setRecords([first, { id: 1, title: 'Another', team: 0 }]);
    const other = store.getById(1) as Task;
    atoms.rowSelection.set({ [getRowId(first)]: true });
    expect([selectionOf(store).isSelected(first), selectionOf(store).isSelected(other)]).toEqual([true, false]);
    expect([getRowId(first), getRowId(other)]).toEqual(['1', other.$.key]);
  });

  test('a new record keeps its row when it gets its id', async () => {
    const { store } = taskStore({ pageSize: 2 });
    const source = tableSource(store, createAtom);
    await store.load();
    const [added] = store.add({ title: 'New' });
    const record = added as NonNullable<typeof added>;
    const { getRowId, atoms } = source.get();
    const id = getRowId(record);
    expect(id).toBe(record.$.key);
    atoms.rowSelection.set({ [id]: true });
    await record.save();
    expect(record.phantom).toBe(false);
    expect(source.get().getRowId(record)).toBe(id);
    expect(atoms.rowSelection.get()).toEqual({ [id]: true });
  });
});
