import fc from 'fast-check';
import {
  Model,
  plain,
  refreshStale,
  Session,
  StateError,
  Store,
  selectionOf,
  UnsupportedQueryError,
  where,
} from 'repose';
import { describe, expect, test } from 'vitest';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown } from './support.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', no: 'string', status: 'string' },
  proxy: server.proxy('/orders', {
    dialect: plain({ page: 'page={page}&limit={limit}' }),
    reader: { rootProperty: 'rows' },
  }),
}) {}

interface Row {
  id: number;
  no: string;
  status: string;
}

/** A table whose rows are paged, filtered by id and status, sorted, created, changed and erased. */
function serve(count: number): Row[] {
  let lastId = 1000;
  const rows = Array.from({ length: count }, (_, at): Row => ({ id: at + 1, no: `n${count - at}`, status: 'new' }));
  server.always(({ method, query, path, body }: Received) => {
    const at = rows.findIndex(({ id }) => id === Number(path.split('/')[2]));
    if (method === 'DELETE') rows.splice(at, 1);
    if (method === 'PATCH') Object.assign(rows[at] as Row, body);
    if (method === 'POST') {
      lastId += 1;
      rows.push({ status: 'new', ...(body as object), id: lastId } as Row);
    }
    if (method !== 'GET') return method === 'DELETE' ? { status: 204 } : { json: rows.at(method === 'POST' ? -1 : at) };
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 5000)];
    const [status, ids] = [query.get('status'), query.getAll('id')];
    const asked = rows
      .filter((row) => (status === null || row.status === status) && (ids.length === 0 || ids.includes(String(row.id))))
      .sort((a, b) => (query.has('sort') ? a.no.localeCompare(b.no) : 0));
    return { json: { rows: asked.slice((page - 1) * limit, page * limit), total: asked.length } };
  });
  return rows;
}

async function loaded(count: number, config: object = {}): Promise<{ rows: Row[]; store: Store<Order> }> {
  const rows = serve(count);
  const store = new Store({ model: Order, pageSize: 25, remoteSort: true, remoteFilter: true, ...config });
  await store.load();
  return { rows, store };
}

async function selectedIds(store: Store<Order>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const page of selectionOf(store).pages()) all.push(...shown(page));
  return all;
}

const record = (store: Store<Order>, id: number): Order => store.getById(id) as Order;

describe('selection', () => {
  test('101 rows that were selected over several pages are all written by one bulk action', async () => {
    const { rows, store } = await loaded(150);
    const selection = selectionOf(store);
    for (let page = 1; page <= 4; page += 1) {
      await store.load({ page });
      selection.select(...store);
    }
    await store.load({ page: 5 });
    selection.select(store.getAt(0) as Order);
    expect([selection.count, selection.isSelected(101), selection.isSelected(102)]).toEqual([101, true, false]);
    await store.load({ page: 1 });
    expect(selection.isSelected(store.getAt(0) as Order)).toBe(true);
    const before = server.lines.length;
    for await (const page of selection.pages()) {
      for (const order of page) order.status = 'paid';
      (await store.sync()).orThrow();
    }
    expect(rows.filter(({ status }) => status === 'paid').map(({ id }) => id)).toEqual(
      rows.slice(0, 101).map(({ id }) => id),
    );
    expect(server.lines.slice(before).every((line) => line.startsWith('PATCH'))).toBe(true);
  });

  test('all that match but these, also those that are not loaded', async () => {
    const { rows, store } = await loaded(60, { filters: [where(Order).status.eq('new')] });
    const selection = selectionOf(store);
    selection.selectAll();
    selection.deselect(2, record(store, 3), 55);
    expect([selection.count, selection.get().all]).toEqual([57, true]);
    expect([2, 3, 4, 55, 60].map((id) => selection.isSelected(id))).toEqual([false, false, true, false, true]);
    selection.select(55);
    for await (const page of selection.pages()) {
      for (const order of page) order.status = 'paid';
      (await store.sync()).orThrow();
    }
    expect(rows.filter(({ status }) => status === 'new').map(({ id }) => id)).toEqual([2, 3]);
  });

  test('another order keeps everything; another filter keeps what was selected by id, and ends "all"', async () => {
    const { store } = await loaded(30);
    const selection = selectionOf(store);
    selection.select(1, 29);
    store.sort('no');
    store.filter(where(Order).status.eq('paid'));
    await store.reload();
    expect([store.count, selection.count, await selectedIds(store)]).toEqual([0, 2, [1, 29]]);
    selection.selectAll();
    store.sort([]);
    expect([selection.get().all, selection.isSelected(29)]).toEqual([true, true]);
    store.filter([]);
    expect([selection.get().all, selection.count, selection.isSelected(29)]).toEqual([false, 0, false]);
    selection.selectAll();
    expect(selection.count).toBeUndefined();
    await store.reload();
    expect(selection.count).toBe(30);
    store.setExtraParams({ team: 7 });
    expect(selection.count).toBe(0);
  });

  test('a page without the selected records asks for those that the store does not hold, by their ids', async () => {
    const { store } = await loaded(40);
    selectionOf(store).select(30, '31', 99);
    const before = server.lines.length;
    expect(await selectedIds(store)).toEqual([30, 31]);
    expect(server.lines.slice(before)).toEqual(['GET /orders?page=1&limit=25&id=30&id=31&id=99']);
    expect([store.count, selectionOf(store).count, selectionOf(store).isSelected(99)]).toEqual([25, 2, false]);
    expect(await selectedIds(store)).toEqual([30, 31]);
    expect(server.lines).toHaveLength(before + 1);
  });

  test('holds selected records of other pages, and lets them go when they are selected no longer', async () => {
    const { store } = await loaded(60);
    const first = record(store, 1);
    selectionOf(store).select(first, 2);
    await store.load({ page: 2 });
    expect([store.getById(1) === first, store.getById(3)]).toEqual([true, undefined]);
    selectionOf(store).deselect(1);
    expect([store.getById(1), shown([record(store, 2)])]).toEqual([undefined, [2]]);
    selectionOf(store).clear();
    expect([store.getById(2), store.count]).toEqual([undefined, 25]);
  });

  test('a new record stays selected when it gets its id, and an erased one is selected no longer', async () => {
    const { store } = await loaded(3);
    const selection = selectionOf(store);
    const [chosen, other] = store.add({ no: 'a' }, { no: 'b' }) as [Order, Order];
    selection.select(chosen, 1, record(store, 2));
    await store.sync();
    expect([chosen.phantom, selection.isSelected(chosen), selection.isSelected(chosen.id), selection.count]).toEqual([
      false,
      true,
      true,
      3,
    ]);
    await record(store, 1).erase();
    expect([selection.count, selection.isSelected(1)]).toEqual([2, false]);
    selection.selectAll();
    const [late] = store.add({ no: 'c' }) as [Order];
    expect([selection.isSelected(late), selection.count]).toEqual([false, 4]);
    await store.sync();
    expect([selection.isSelected(late), selection.isSelected(other), selection.count]).toEqual([false, true, 4]);
    await other.erase();
    expect([selection.count, await selectedIds(store)]).toEqual([3, [2, 3, chosen.id]]);
  });

  test('new records that are shown are part of all, and one that is dropped is selected no longer', async () => {
    const { store } = await loaded(2);
    const [first, second] = store.add({ no: 'a' }, { no: 'b' }) as [Order, Order];
    selectionOf(store).selectAll();
    expect([selectionOf(store).count, selectionOf(store).isSelected(first)]).toEqual([4, true]);
    selectionOf(store).deselect(second);
    store.remove(first);
    expect(selectionOf(store).count).toBe(2);
    await store.sync();
    expect([selectionOf(store).isSelected(second), selectionOf(store).count, await selectedIds(store)]).toEqual([
      false,
      2,
      [1, 2],
    ]);
  });

  test('a range goes from one shown record to another, in both directions', async () => {
    const { store } = await loaded(10, { pageSize: 0, sorters: ['no'] });
    selectionOf(store).selectRange(record(store, 4), 2);
    expect([2, 3, 4].map((id) => selectionOf(store).isSelected(id))).toEqual([true, true, true]);
    selectionOf(store).selectRange(9, 9);
    selectionOf(store).toggle(3);
    selectionOf(store).toggle(5);
    expect([selectionOf(store).count, selectionOf(store).isSelected(3), selectionOf(store).isSelected(5)]).toEqual([
      4,
      false,
      true,
    ]);
    expect(() => selectionOf(store).selectRange(1, 77)).toThrow(StateError);
  });

  test('filters that the store applies decide what "all" is', async () => {
    const { store } = await loaded(6, { pageSize: 0, remoteFilter: false });
    store.filter({ filterFn: ({ id }) => id > 2 });
    selectionOf(store).selectAll();
    const hidden = record(store, 1);
    expect([selectionOf(store).count, selectionOf(store).isSelected(hidden), selectionOf(store).isSelected(1)]).toEqual(
      [4, false, false],
    );
    selectionOf(store).deselect(hidden, 4);
    expect([selectionOf(store).count, await selectedIds(store)]).toEqual([3, [3, 5, 6]]);
  });

  test('is a source: a frozen snapshot, told once, and the same until something changes', async () => {
    const { store } = await loaded(4);
    const selection = selectionOf(store);
    expect(selectionOf(store)).toBe(selection);
    const told: unknown[] = [];
    const stop = selection.subscribe(() => told.push(selection.get().count));
    const before = selection.get();
    selection.select(1, 2);
    const after = selection.get();
    expect([Object.isFrozen(after), after === before, after === selection.get()]).toEqual([true, false, true]);
    expect([after.isSelected(1), after.isSelected(3)]).toEqual([true, false]);
    await store.reload();
    expect([told, selection.get() === after]).toEqual([[2], true]);
    stop();
    store.dispose();
    expect([selection.count, selection.isSelected(1)]).toEqual([0, false]);
    expect(() => selection.select(1)).toThrow(StateError);
    expect(() => selection.pages()).toThrow(StateError);
  });

  test('a bulk action that is left early keeps nothing but what is selected', async () => {
    const { store } = await loaded(60);
    selectionOf(store).select(...store);
    await store.load({ page: 2 });
    for await (const page of selectionOf(store).pages({ limit: 10 })) {
      expect(page).toHaveLength(10);
      selectionOf(store).clear();
      break;
    }
    expect([store.getById(1), store.getById(11), store.count]).toEqual([undefined, undefined, 25]);
  });

  test('a record that another store of the session shows is selected as the same object', async () => {
    const session = new Session();
    const { store } = await loaded(4, { session });
    const other = new Store({ model: Order, session, pageSize: 0 });
    await other.load();
    selectionOf(store).select(record(other, 2));
    await record(other, 2).erase();
    expect(selectionOf(store).count).toBe(0);
  });

  test('refuses what is no record and no id', async () => {
    class Other extends Model.define({ name: 'other', fields: { id: 'int' } }) {}
    const { store } = await loaded(2);
    const selection = selectionOf(store);
    const erased = record(store, 2);
    await erased.erase();
    const wrong = [undefined, null, '', Number.NaN, {}, [], true, new Other({ id: 1 }), erased, new Order()];
    for (const each of wrong) {
      expect(() => selection.select(1, each as never)).toThrow(StateError);
      expect(() => selection.toggle(each as never)).toThrow(StateError);
      expect(() => selection.deselect(each as never)).toThrow(StateError);
      expect(() => selection.selectRange(1, each as never)).toThrow(StateError);
      expect(selection.isSelected(each as never)).toBe(false);
    }
    expect(selection.count).toBe(0);
    expect(() => selection.pages({ limit: -1 })).toThrow(UnsupportedQueryError);
    expect(() => selection.pages({ size: 7 } as never)).toThrow('size');
  });

  test('gives nobody else to a bulk action if the server ignores the filter by ids', async () => {
    const { rows, store } = await loaded(7, { pageSize: 2 });
    selectionOf(store).select(5, 6);
    const all = rows.map((row) => ({ ...row }));
    server.always(({ query }) => {
      const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 100)];
      return { json: { rows: all.slice((page - 1) * limit, page * limit), total: all.length } };
    });
    expect(await selectedIds(store)).toEqual([5, 6]);
  });

  test('any story of selecting, sorting, paging, reloading and erasing gives the same set as a set of ids', async () => {
    const id = fc.integer({ min: 1, max: 12 });
    const step = fc.oneof(
      fc.record({
        does: fc.constantFrom('select' as const, 'deselect' as const, 'toggle' as const, 'erase' as const),
        id,
      }),
      fc.record({ does: fc.constantFrom('page' as const, 'selectPage' as const, 'range' as const), id }),
      fc.record({
        does: fc.constantFrom('sort' as const, 'reload' as const, 'selectAll' as const, 'clear' as const),
        id,
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        server.reset();
        const { rows, store } = await loaded(12, { pageSize: 4 });
        const selection = selectionOf(store);
        const expected = new Set<number>();
        for (const each of steps) {
          const exists = rows.some((row) => row.id === each.id);
          const item = store.getById(each.id) ?? each.id;
          if (each.does === 'select' && exists) {
            selection.select(item);
            expected.add(each.id);
          }
          if (each.does === 'deselect' && exists) {
            selection.deselect(item);
            expected.delete(each.id);
          }
          if (each.does === 'toggle' && exists) {
            selection.toggle(item);
            if (!expected.delete(each.id)) expected.add(each.id);
          }
          if (each.does === 'erase') {
            await store.getById(each.id)?.erase();
            if (!rows.some((row) => row.id === each.id)) expected.delete(each.id);
          }
          if (each.does === 'page') await store.load({ page: (each.id % 3) + 1 });
          if (each.does === 'selectPage') {
            selection.select(...store);
            for (const order of store) expected.add(order.id);
          }
          if (each.does === 'range' && store.count > 1) {
            selection.selectRange(store.getAt(store.count - 1) as Order, store.getAt(1) as Order);
            for (const order of store.getRange(1)) expected.add(order.id);
          }
          if (each.does === 'sort') {
            store.sort(each.id % 2 ? 'no' : []);
            await store.reload();
          }
          if (each.does === 'reload') await store.reload();
          if (each.does === 'selectAll') {
            selection.selectAll();
            for (const row of rows) expected.add(row.id);
          }
          if (each.does === 'clear') {
            selection.clear();
            expected.clear();
          }
          expect(selection.count).toBe(expected.size);
          for (const row of rows) expect(selection.isSelected(row.id)).toBe(expected.has(row.id));
        }
        expect((await selectedIds(store)).sort()).toEqual([...expected].sort());
      }),
      { numRuns: 40 },
    );
  });
});

describe('a bulk action on the selection', () => {
  /** Marks what is selected as paid, page by page, as the guide does; returns the ids of the rows that are paid then. */
  async function pay({ rows, store }: { rows: readonly Row[]; store: Store<Order> }, before = () => {}) {
    for await (const page of selectionOf(store).pages()) {
      before();
      for (const order of page) order.status = 'paid';
      (await store.sync()).orThrow();
    }
    return rows.filter(({ status }) => status === 'paid').map(({ id }) => id);
  }
  const idsUpTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

  test('on all rows leaves out a new record that its own sync() saves', async () => {
    const opened = await loaded(12, { pageSize: 5 });
    selectionOf(opened.store).selectAll();
    opened.store.add({ no: 'mine' });
    expect(await pay(opened)).toEqual(idsUpTo(12));
    expect(opened.rows).toHaveLength(13);
  });

  test('on all rows leaves out records that are made while it runs', async () => {
    const opened = await loaded(12, { pageSize: 5 });
    selectionOf(opened.store).selectAll();
    const add = () => opened.store.add({ no: 'mine' });
    expect(await pay(opened, add)).toEqual(idsUpTo(12));
    expect(opened.rows.length).toBeGreaterThan(12);
  });

  test('on all rows leaves out a new record that is saved between the call and the loop', async () => {
    const { store } = await loaded(12, { pageSize: 5 });
    selectionOf(store).selectAll();
    const [early] = store.add({ no: 'early' });
    const pages = selectionOf(store).pages();
    const [late] = store.add({ no: 'late' });
    await store.sync();
    const given: unknown[] = [];
    for await (const page of pages) given.push(...shown(page));
    expect([early?.phantom, late?.phantom, given]).toEqual([false, false, idsUpTo(12)]);
  });

  test('leaves out what was deselected, also when it gets another id meanwhile', async () => {
    const { rows, store } = await loaded(12, { pageSize: 5 });
    const [added] = store.add({ no: 'a' });
    selectionOf(store).selectAll();
    selectionOf(store).deselect(added as Order, 1);
    const given: unknown[] = [];
    for await (const page of selectionOf(store).pages()) {
      given.push(...shown(page));
      if (given.length === 4) record(store, 1).set('id', 900);
      await store.sync();
    }
    expect([rows[0]?.id, added?.phantom, given]).toEqual([900, false, idsUpTo(12).slice(1)]);
  });

  test('gives a selected new record once, also if it is saved before its turn', async () => {
    const { store } = await loaded(12, { pageSize: 5, filters: [where(Order).status.eq('new')] });
    const [added] = store.add({ no: 'a', status: 'draft' });
    selectionOf(store).selectAll();
    const given: Order[] = [];
    for await (const page of selectionOf(store).pages()) {
      given.push(...page);
      await store.sync();
    }
    expect([given.length, given.filter((each) => each === added).length]).toEqual([13, 1]);
  });

  test('is for the rows of a load with parameters of its own, as they are shown', async () => {
    const opened = await loaded(12, { pageSize: 5 });
    for (const row of opened.rows) if (row.id % 2) row.status = 'old';
    await opened.store.load({ params: { status: 'old' } });
    selectionOf(opened.store).selectAll();
    expect(selectionOf(opened.store).count).toBe(6);
    expect(await selectedIds(opened.store)).toEqual([1, 3, 5, 7, 9, 11]);
  });

  test('asks the address and sends the headers of the load that showed the rows', async () => {
    const { store } = await loaded(12, { pageSize: 5 });
    await store.load({ url: '/archive', headers: { 'X-Team': 'sales' } });
    selectionOf(store).selectAll();
    const before = server.requests.length;
    expect(await selectedIds(store)).toHaveLength(12);
    const asked = server.requests.slice(before).map(({ path, headers }) => `${path} ${headers['x-team']}`);
    expect(asked).toEqual(Array(3).fill('/archive sales'));
  });

  test.each<readonly [string, (store: Store<Order>) => unknown]>([
    ['parameters', (store) => store.load({ params: { status: 'old' } })],
    ['another address', (store) => store.load({ url: '/archive' })],
    ['one id', (store) => store.load({ id: 7 })],
    ['records that the application gives', (store) => store.setRecords([{ id: 3, no: 'x', status: 'new' }])],
  ])('on all rows ends when the store shows those of %s', async (_, show) => {
    const { store } = await loaded(12, { pageSize: 5 });
    selectionOf(store).selectAll();
    await store.reload();
    expect(selectionOf(store).count).toBe(12);
    await show(store);
    expect([selectionOf(store).get().all, selectionOf(store).count, await selectedIds(store)]).toEqual([false, 0, []]);
  });

  test('writes no row that the application has not given', async () => {
    const { store } = await loaded(12);
    store.setRecords([
      { id: 3, no: 'x', status: 'new' },
      { id: 4, no: 'y', status: 'new' },
    ]);
    const given = new Store({ model: Order, data: [{ id: 3, no: 'x', status: 'new' }] });
    const before = server.lines.length;
    for (const each of [store, given]) selectionOf(each).selectAll();
    selectionOf(store).deselect(4);
    expect([selectionOf(store).count, await selectedIds(store)]).toEqual([1, [3]]);
    expect([selectionOf(given).count, await selectedIds(given)]).toEqual([1, [3]]);
    expect(server.lines).toHaveLength(before);
  });

  test('writes the record that was loaded by its id, and no other', async () => {
    const { store } = await loaded(12);
    server.reply({ json: { rows: [{ id: 7, no: 'x', status: 'new' }] } });
    await store.load({ id: 7 });
    selectionOf(store).selectAll();
    expect([selectionOf(store).count, await selectedIds(store)]).toEqual([1, [7]]);
  });
});

describe('erasing what is selected in a store that has loaded a part', () => {
  const numbersOf = (store: Store<Order>) => {
    const { stale, total } = store.status.get();
    return [store.count, store.total, total, selectionOf(store).count, stale];
  };

  test.each([
    ['filters', {}],
    ['filters and parameters of the load', { params: { team: 'a' } }],
  ])('all that match: nothing is left, with %s', async (_, options) => {
    const { rows, store } = await loaded(10, { pageSize: 3, filters: [where(Order).status.eq('new')] });
    rows.push({ id: 11, no: 'x', status: 'paid' });
    await store.load(options);
    selectionOf(store).selectAll();
    for await (const page of selectionOf(store).pages({ limit: 4 })) {
      store.remove(...page);
      (await store.sync()).orThrow();
    }
    expect([rows.length, ...numbersOf(store)]).toEqual([1, 0, 0, 0, 0, false]);
  });

  test('a record of which nobody knows whether it was counted makes the list stale', async () => {
    const { rows, store } = await loaded(10, { pageSize: 3, filters: [where(Order).status.eq('new')] });
    rows[9]!.status = 'paid';
    await store.load();
    selectionOf(store).select(10);
    for await (const page of selectionOf(store).pages()) {
      store.remove(...page);
      (await store.sync()).orThrow();
    }
    expect(numbersOf(store)).toEqual([3, 9, 9, 0, true]);
    await refreshStale(store);
    expect(numbersOf(store)).toEqual([3, 9, 9, 0, false]);
  });
});
