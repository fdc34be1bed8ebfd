import { MemoryProxy, Model, nextPage, previousPage, Store, selectionOf, UnsupportedQueryError } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

/** The query of the last request. */
const query = () => Object.fromEntries(server.last.query);

describe('load()', () => {
  test('requests page 1 with 25 rows by default', async () => {
    const store = new Store({ model: User });
    expect([store.pageSize, store.currentPage]).toEqual([25, 1]);
    server.reply(page([]));
    await store.load();
    expect(query()).toEqual({ page: '1', start: '0', limit: '25' });
  });

  test('with a page sends its start', async () => {
    const store = new Store({ model: User, pageSize: 10 });
    server.reply(page([]));
    await store.load({ page: 4 });
    expect(query()).toEqual({ page: '4', start: '30', limit: '10' });
    expect(store.currentPage).toBe(4);
  });

  test('with a start at the edge of a page sends that page', async () => {
    const store = new Store({ model: User, pageSize: 10 });
    server.always(() => page([]));
    await store.load({ start: 30 });
    expect(query()).toEqual({ page: '4', start: '30', limit: '10' });
    await store.load({ start: 0 });
    expect(query()).toEqual({ page: '1', start: '0', limit: '10' });
  });

  test('with a start inside a page sends page 1 with that start', async () => {
    const store = new Store({ model: User, pageSize: 10 });
    server.reply(page([]));
    await store.load({ start: 31 });
    expect(query()).toEqual({ page: '1', start: '31', limit: '10' });
    expect(store.currentPage).toBe(1);
  });

  test('with page and start sends both unchanged', async () => {
    const store = new Store({ model: User, pageSize: 10 });
    server.reply(page([]));
    await store.load({ page: 2, start: 7 });
    expect(query()).toEqual({ page: '2', start: '7', limit: '10' });
  });

  test('with a limit sends it in place of the page size', async () => {
    const store = new Store({ model: User, pageSize: 10 });
    server.always(() => page([]));
    await store.load({ page: 3, limit: 5 });
    expect(query()).toEqual({ page: '3', start: '10', limit: '5' });
    await store.load({ limit: 0 });
    expect(query()).toEqual({});
  });

  test('of a store with page size 0 sends no paging parameters', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(server.last.url).toBe('/users');
    expect([shown(store), store.total]).toEqual([[1, 2], 2]);
  });
});

describe('a store with page size 0', () => {
  const unlimited = () => new Store({ model: User, pageSize: 0 });

  test('sends an explicit page or start without a limit', async () => {
    const store = unlimited();
    server.always(() => page(rows(1, 2)));
    const asked: unknown[] = [];
    for (const options of [{ page: 2 }, { start: 5 }, { start: 0 }, { page: 3, start: 40 }, {}]) {
      await store.load(options);
      asked.push(query());
    }
    expect(asked).toEqual([{ page: '2' }, { start: '5' }, { start: '0' }, { page: '3', start: '40' }, {}]);
  });

  test('reload() requests the loaded page, or no page if everything was loaded', async () => {
    const store = unlimited();
    server.always(() => page(rows(1, 2)));
    await store.load();
    await store.reload();
    expect(query()).toEqual({});
    await store.load({ page: 2 });
    await store.reload();
    expect([query(), store.currentPage]).toEqual([{ page: '2' }, 2]);
    await nextPage(store);
    expect([query(), store.currentPage]).toEqual([{ page: '3' }, 3]);
  });

  test('requests the whole collection after a change of remote sorters', async () => {
    const store = new Store({ model: User, pageSize: 0, remoteSort: true });
    server.always(() => page(rows(1, 2)));
    await store.load();
    store.sort('name');
    await expect.poll(() => server.requests.length).toBe(2);
    expect(query()).toEqual({ sort: '[{"property":"name","direction":"ASC"}]' });
  });

  test('treats a page or a later start as a part of the collection', async () => {
    for (const options of [{ page: 1 }, { page: 2 }, { start: 5 }]) {
      const store = unlimited();
      server.reply(page(rows(1, 2)));
      await store.load(options);
      expect(store.total).toBeUndefined();
      expect(() => store.sort('name')).toThrow(UnsupportedQueryError);
    }
    const store = unlimited();
    server.reply(page(rows(1, 2), 7));
    await store.load({ page: 2 });
    expect(store.total).toBe(7);
  });
});

describe('loadPage(), nextPage(), previousPage() and reload()', () => {
  test('move from page to page', async () => {
    const store = new Store({ model: User, pageSize: 3, proxy: { type: MemoryProxy, data: rowsFrom(1, 7) } });
    const seen: unknown[] = [];
    const see = (records: Iterable<User>) => seen.push([store.currentPage, shown(records), shown(store)]);
    see(await store.load({ page: 2 }));
    see(await nextPage(store));
    see(await previousPage(store));
    see(await previousPage(store));
    see(await previousPage(store));
    see(await store.load({ page: 3 }));
    see(await store.reload());
    see(await nextPage(store));
    const [first, second, third] = [[1, 2, 3], [4, 5, 6], [7]];
    expect(seen).toEqual([
      [2, second, second],
      [3, third, third],
      [2, second, second],
      [1, first, first],
      [1, first, first], // No page comes before the first.
      [3, third, third],
      [3, third, third],
      [4, [], []],
    ]);
    expect(store.total).toBe(7);
  });

  test('accept the options of load()', async () => {
    const store = new Store({ model: User, pageSize: 3 });
    server.always(() => page([]));
    await store.load({ page: 2, params: { q: 1 } });
    expect(server.last.url).toBe('/users?q=1&page=2&start=3&limit=3');
    await nextPage(store, { params: { q: 2 } });
    expect(server.last.url).toBe('/users?q=2&page=3&start=6&limit=3');
    await previousPage(store, { params: { q: 3 } });
    expect(server.last.url).toBe('/users?q=3&page=2&start=3&limit=3');
    await store.reload({ params: { q: 4 } });
    expect(server.last.url).toBe('/users?q=4&page=2&start=3&limit=3');
    await store.reload({ page: undefined });
    expect(server.last.url).toBe('/users?page=2&start=3&limit=3');
  });

  test('keep the current page when a load fails', async () => {
    const store = new Store({ model: User, pageSize: 3 });
    server.reply(page(rows(1, 2, 3), 9), { status: 500 }, page(rows(4, 5, 6), 9));
    await store.load();
    await expect(nextPage(store)).rejects.toThrow();
    expect([store.currentPage, store.total]).toEqual([1, 9]);
    await nextPage(store);
    expect(store.currentPage).toBe(2);
  });
});

describe('a total smaller than the number of rows sent', () => {
  test('does not hide further rows: a full page has a next one', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 0), page(rows(3), 0));
    await store.load();
    expect([shown(store), store.total, store.hasMore]).toEqual([[1, 2], undefined, true]);
    await store.loadMore();
    expect([shown(store), store.total, store.hasMore]).toEqual([[1, 2, 3], 3, false]);
  });

  test('also counts the rows of earlier pages', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(3, 4), 3));
    await store.load({ page: 2 });
    expect([store.total, store.hasMore]).toEqual([undefined, true]);
  });

  test('is replaced by the number of rows when all are loaded', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page(rows(1, 2), 0));
    await store.load();
    expect([store.total, store.hasMore]).toEqual([2, false]);
  });

  test('from an empty page is used', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page([], 3));
    await store.load({ page: 3 });
    expect([store.total, store.hasMore]).toEqual([3, false]);
  });

  test('is the number of rows of a server that does not page', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2, 3), 3));
    await store.load({ page: 2 });
    expect([store.total, store.hasMore]).toEqual([3, false]);
  });
});

describe('total', () => {
  test('is the total of the last response', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 100), page(rows(3, 4), 99));
    await store.load();
    expect(store.total).toBe(100);
    await nextPage(store);
    expect(store.total).toBe(99);
  });

  test('is unknown without a total until a short page follows a full one', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    expect(store.total).toBeUndefined();
    server.reply(page(rows(1, 2)), page(rows(3)), page(rows(1)), page(rows(1, 2)), page(rows(3)), page([]));
    await store.load();
    expect(store.total).toBeUndefined();
    await nextPage(store);
    expect(store.total).toBe(3);
    await store.load({ page: 1 });
    // The server may send fewer rows at a time than requested.
    expect([store.total, store.holdsAll]).toEqual([undefined, false]);
    await store.load();
    await store.loadMore();
    expect([store.total, store.holdsAll]).toEqual([3, true]);
    await store.load();
    expect([store.total, store.holdsAll]).toEqual([0, true]);
  });

  test('of local data is the number of records', () => {
    expect(new Store({ model: User, data: rows(1, 2, 3) }).total).toBe(3);
    expect(new Store({ model: User, data: [] }).total).toBe(0);
  });

  test('is not changed by adding and removing records', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    store.add({ name: 'new' });
    store.remove(...store.getRange(0, 1));
    expect([store.total, store.count]).toEqual([5, 2]);
  });

  test('counts creates and erases until the next load', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    store.add({ name: 'new' }, { name: 'bad' }, { name: 'dropped' });
    store.remove(store.getAt(0) as User, store.getAt(store.count - 1) as User);
    server.reply({ status: 201, json: { id: 9 } }, { status: 422 }, { status: 204 });
    await store.sync({ concurrency: 1 });
    expect(store.total).toBe(5);
    server.reply({ status: 204 });
    await (store.getById(2) as User).erase();
    expect(store.total).toBe(4);
    server.reply(page(rows(3), 7));
    await store.load();
    expect(store.total).toBe(7);
  });

  test('with remote filters counts erases only', async () => {
    const store = new Store({
      model: User,
      pageSize: 2,
      remoteFilter: true,
      filters: [{ property: 'name', value: 'a' }],
    });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    store.add({ name: 'new' });
    store.remove(...store.getRange(0, 1));
    server.reply({ status: 201, json: { id: 9 } }, { status: 204 });
    await store.sync();
    expect(store.total).toBe(4);
  });
});

describe('invalid page numbers and limits', () => {
  const bad = [
    { page: 0 },
    { page: -1 },
    { page: 1.5 },
    { page: Number.NaN },
    { page: '2' as never },
    { page: Number.POSITIVE_INFINITY },
    { start: -1 },
    { start: Number.NaN },
    { start: 0.5 },
    { limit: -1 },
    { limit: Number.NaN },
    { limit: Number.POSITIVE_INFINITY },
    { limit: null as never },
  ];
  test.each(bad)('%o are refused with UnsupportedQueryError, and nothing is sent or changed', async (options) => {
    const store = new Store({ model: User, data: rows(1) });
    const before = store.list.get();
    await expect(store.load(options)).rejects.toBeInstanceOf(UnsupportedQueryError);
    await tick();
    expect(server.requests).toEqual([]);
    expect([store.list.get() === before, store.status.get().error, store.status.get().loading]).toEqual([
      true,
      undefined,
      false,
    ]);
  });

  test('loadPage(0) explains what a page number is', async () => {
    const store = new Store({ model: User });
    await expect(store.load({ page: 0 })).rejects.toThrow('page must be a whole number from 1, not 0');
    await expect(store.load({ page: Number.NaN })).rejects.toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });

  test.each([-1, Number.NaN, 2.5])('a page size of %d is refused by the constructor', (pageSize) => {
    expect(() => new Store({ model: User, pageSize })).toThrow(UnsupportedQueryError);
  });

  test('do not abort a load in flight', async () => {
    const store = new Store({ model: User });
    const held = server.hold();
    const loading = store.load();
    await held.request;
    await expect(store.load({ page: 0 })).rejects.toThrow();
    held.answer(page(rows(1)));
    expect(shown(await loading)).toEqual([1]);
  });
});

describe('a page whose last row was erased', () => {
  /** A store on page 3 of 5 rows, two on each page. */
  const onLastPage = async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply({ json: { rows: [{ id: 5, name: 'e' }], total: 5 } });
    await store.load({ page: 3 });
    return store;
  };

  test('is followed by the last page that there is, when the store is reloaded', async () => {
    const store = await onLastPage();
    server.reply({ status: 204 });
    await store.getAt(0)?.erase();
    server.reply({
      json: {
        rows: [
          { id: 3, name: 'c' },
          { id: 4, name: 'd' },
        ],
        total: 4,
      },
    });
    await store.reload();
    expect(query()).toMatchObject({ page: '2', start: '2', limit: '2' });
    expect([store.currentPage, store.count, store.total]).toEqual([2, 2, 4]);
  });

  test('is followed by the last page that there is, also if rows of other pages were erased', async () => {
    const store = await onLastPage();
    selectionOf(store).select(1, 2, 3, 4);
    server.always(({ method }) => (method === 'GET' ? page(rows(1, 2, 3, 4), 4) : { status: 204 }));
    for await (const selected of selectionOf(store).pages()) for (const user of selected) await user.erase();
    server.always(({ query }) => page(query.get('page') === '1' ? rows(5) : [], 1));
    await store.reload();
    expect([store.currentPage, shown(store), store.total]).toEqual([1, [5], 1]);
  });

  test('is page 1 if no row is left', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply({ json: { rows: [{ id: 1, name: 'a' }], total: 1 } }, { status: 204 });
    await store.load();
    await store.getAt(0)?.erase();
    server.reply({ json: { rows: [], total: 0 } });
    await store.reload();
    expect(query()).toMatchObject({ page: '1', start: '0' });
  });

  test('a reload without an erase asks for the same page', async () => {
    const store = await onLastPage();
    server.reply({ json: { rows: [{ id: 5, name: 'e' }], total: 5 } });
    await store.reload();
    expect(query()).toMatchObject({ page: '3' });
  });
});
