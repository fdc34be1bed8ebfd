import {
  differenceOf,
  Model,
  nextPage,
  previousPage,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  windowOf,
} from 'repose';
import { groups } from 'repose/groups';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { ServerRows, states } from './server-rows.js';
import { page, poll, remoteOf, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

const open = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, pageSize: 2, ...config });
const asked = (...names: string[]) => names.map((name) => server.last.query.get(name));
const bySize = expect.any(UnsupportedQueryError);

describe('setPageSize()', () => {
  beforeEach(() => {
    server.always(({ query }) => {
      const [start, limit] = [Number(query.get('start')), Number(query.get('limit') ?? 9)];
      return page(rowsFrom(start + 1, Math.min(start + limit, 9)), 9);
    });
  });

  test('loads nothing, and the next load requests page 1 of the new size', async () => {
    const store = open();
    await store.load({ page: 3 });
    store.setPageSize(4);
    await tick();
    expect([store.pageSize, store.currentPage, shown(store), server.requests.length]).toEqual([4, 1, [5, 6], 1]);
    await store.load();
    expect([asked('page', 'start', 'limit'), shown(store)]).toEqual([
      ['1', '0', '4'],
      [1, 2, 3, 4],
    ]);
  });

  test.each<[string, (store: Store<User>) => Promise<unknown>, string[], number[]]>([
    ['reload', (store) => store.reload(), ['1', '0', '4'], [1, 2, 3, 4]],
    ['loadMore', (store) => store.loadMore(), ['1', '0', '4'], [1, 2, 3, 4]],
    ['nextPage', (store) => nextPage(store), ['1', '0', '4'], [1, 2, 3, 4]],
    ['previousPage', (store) => previousPage(store), ['1', '0', '4'], [1, 2, 3, 4]],
    ['loadPage', (store) => store.load({ page: 3 }), ['3', '8', '4'], [9]],
  ])('makes %s() count in pages of the new size', async (_, load, expected, ids) => {
    const store = open();
    await store.load({ page: 2 });
    store.setPageSize(4);
    expect(store.hasMore).toBe(true);
    await load(store);
    expect([asked('page', 'start', 'limit'), shown(store)]).toEqual([expected, ids]);
  });

  test('lets loadMore() continue in pages of the new size, without leaving a row out', async () => {
    const store = open();
    await store.load();
    store.setPageSize(4);
    await store.loadMore();
    while (store.hasMore) await store.loadMore();
    expect(shown(store)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('with 0 loads everything, and the store stays complete with any later size', async () => {
    const store = open();
    await store.load();
    store.setPageSize(0);
    await store.load();
    expect([asked('page', 'start', 'limit'), store.count, store.hasMore]).toEqual([[null, null, null], 9, false]);
    store.setPageSize(5);
    expect([store.hasMore, store.count]).toEqual([false, 9]);
    store.sort('name', 'DESC');
    expect(store.getAt(0)?.id).toBe(9);
  });

  test('with the current size changes nothing', async () => {
    const store = open();
    await store.load({ page: 2 });
    store.setPageSize(2);
    await store.reload();
    expect([store.currentPage, asked('page', 'start', 'limit')]).toEqual([2, ['2', '2', '2']]);
  });

  test('does not affect an open window', async () => {
    const store = open({ pageSize: 4, remoteSort: true, remoteFilter: true });
    const collection = new ServerRows(100);
    server.always(collection.answer);
    const window = windowOf(store, { prefetch: 0 });
    await window.show({ start: 0, end: 4 });
    store.setPageSize(3);
    await window.show({ start: 8, end: 12 });
    expect([asked('start', 'limit'), states(window, 0, 13)]).toEqual([['8', '4'], '####....####.']);
    window.dispose();
  });

  test.each([-1, 2.5, Number.NaN, '25', null])('with %o throws, and changes nothing', async (size) => {
    const store = open();
    await store.load({ page: 2 });
    expect(() => store.setPageSize(size as never)).toThrow(/^pageSize must be a whole number from 0/);
    expect(() => store.setPageSize(size as never)).toThrow(bySize);
    expect([store.pageSize, store.currentPage]).toEqual([2, 2]);
  });
});

describe('setRemote({ remoteSort })', () => {
  const unsorted = rows(2, 3, 1);

  test('with true loads nothing, and records are in the order of the server until the next load', async () => {
    const store = open({ pageSize: 0, sorters: ['name'] });
    server.reply(page(unsorted, 3), page(rows(1, 2, 3), 3), page([], 3));
    await store.load();
    expect([shown(store), asked('sort')]).toEqual([[1, 2, 3], [null]]);
    store.setRemote({ remoteSort: true });
    await tick();
    expect([remoteOf(store).remoteSort, shown(store), server.requests.length]).toEqual([true, [2, 3, 1], 1]);
    await store.load();
    expect(asked('sort')).toEqual(['[{"property":"name","direction":"ASC"}]']);
    store.sort('id');
    await poll(() => server.requests.length).toBe(3);
  });

  test('with false sorts the loaded records, and emits `change`', async () => {
    const store = open({ pageSize: 0, remoteSort: true, sorters: ['name'] });
    server.reply(page(unsorted, 3));
    await store.load();
    const moved: unknown[] = [];
    store.on('change', (change) => moved.push(shown(differenceOf(change).moved)));
    store.setRemote({ remoteSort: false });
    await tick();
    expect([shown(store), moved, server.requests.length]).toEqual([[1, 2, 3], [[1]], 1]);
    (store.getById(1) as User).name = 'z';
    expect(shown(store)).toEqual([2, 3, 1]);
  });

  test('with false throws if only a part is loaded, unless there are no sorters', async () => {
    const store = open({ remoteSort: true, sorters: ['name'] });
    server.reply(page(rows(1, 2), 9));
    await store.load();
    expect(() => store.setRemote({ remoteSort: false })).toThrow('sorting it here would mislead');
    expect([remoteOf(store).remoteSort, shown(store)]).toEqual([true, [1, 2]]);
    const loose = open({ remoteSort: true });
    server.reply(page(rows(1, 2), 9));
    await loose.load();
    loose.setRemote({ remoteSort: false });
    expect(remoteOf(loose).remoteSort).toBe(false);
  });

  test('with true makes loadMore() start with page 1 if only a part is loaded', async () => {
    const store = open({ sorters: [] });
    server.reply(page(rows(1, 2), 4), page(rows(4, 3), 4), page(rows(2, 1), 4));
    await store.load();
    store.setRemote({ remoteSort: true });
    await store.loadMore();
    expect([asked('page'), shown(store)]).toEqual([['1'], [4, 3]]);
    await store.loadMore();
    expect([asked('page'), shown(store)]).toEqual([['2'], [4, 3, 2, 1]]);
  });

  test('with true throws if a sorter cannot be sent, and changes nothing', () => {
    const sorters = [{ property: 'name', transform: (name: string) => name.length }] as const;
    const store = open({
      data: [
        { id: 1, name: 'bb' },
        { id: 2, name: 'a' },
      ],
      sorters,
    });
    expect(() => store.setRemote({ remoteSort: true })).toThrow('`transform` works on loaded records only');
    expect([remoteOf(store).remoteSort, shown(store)]).toEqual([false, [2, 1]]);
  });

  test('also applies to groups', () => {
    const data = ['b', 'a', 'b'].map((name, i) => ({ id: i + 1, name }));
    const store = new Store({ model: User, data, remoteSort: true, groups: groups({ by: ['name'] }) });
    const keys = () => store.groups.groups.map(({ key }) => key);
    expect(keys()).toEqual(['b', 'a', 'b']);
    store.setRemote({ remoteSort: false });
    expect(keys()).toEqual(['a', 'b']);
  });

  test('makes an open window load its rows again', async () => {
    const collection = new ServerRows(20);
    server.always(collection.answer);
    const store = open({ pageSize: 10, sorters: [] });
    const window = windowOf(store, { prefetch: 0 });
    await window.show({ start: 0, end: 5 });
    store.setRemote({ remoteSort: true });
    await window.show({ start: 0, end: 5 });
    expect([server.requests.length, states(window, 0, 5)]).toEqual([2, '#####']);
    store.sort('name');
    await window.show({ start: 0, end: 5 });
    expect(() => store.setRemote({ remoteSort: false })).toThrow('sorting it here would mislead');
    window.dispose();
  });

  test.each(['true', 1, null])('and setRemote({ remoteFilter }) throw for %o', (value) => {
    const store = open();
    expect(() => store.setRemote({ remoteSort: value as never })).toThrow("remoteSort must be 'auto', true or false");
    expect(() => store.setRemote({ remoteFilter: value as never })).toThrow(
      "remoteFilter must be 'auto', true or false",
    );
  });
});

describe('setRemote({ remoteFilter })', () => {
  const filters = [{ property: 'name', value: 'n2' }] as const;

  test('with true loads nothing, and all loaded records are shown until the next load', async () => {
    const store = open({ pageSize: 0, filters });
    server.reply(page(rows(1, 2, 3), 3), page(rows(2), 1));
    await store.load();
    expect([shown(store), asked('filter')]).toEqual([[2], [null]]);
    store.setRemote({ remoteFilter: true });
    await tick();
    expect([remoteOf(store).remoteFilter, shown(store), server.requests.length]).toEqual([true, [1, 2, 3], 1]);
    await store.load();
    expect([asked('filter'), shown(store)]).toEqual([['[{"property":"name","value":"n2"}]'], [2]]);
  });

  test('with false filters the loaded records, and throws if only a part is loaded', async () => {
    const store = open({ pageSize: 0, remoteFilter: true, filters });
    server.reply(page(rows(1, 2, 3), 3));
    await store.load();
    store.setRemote({ remoteFilter: false });
    expect(shown(store)).toEqual([2]);
    const partly = open({ remoteFilter: true, filters });
    server.reply(page(rows(1, 2), 9));
    await partly.load();
    expect(() => partly.setRemote({ remoteFilter: false })).toThrow('filtering it here would mislead');
    expect([remoteOf(partly).remoteFilter, shown(partly)]).toEqual([true, [1, 2]]);
  });

  test.each<[string, (store: Store<User>) => void]>([
    ['no filter', (store) => store.filter([])],
    [
      'the other filters',
      (store) =>
        store.setQuery(
          store.query.with({ filters: store.query.filters.filter(({ property }) => property !== 'name') }),
        ),
    ],
    ['another filter', (store) => store.filter({ property: 'name', value: 'n1' })],
    ['another search', (store) => store.search('n1')],
    ['no search', (store) => store.search('')],
  ])('with false refuses %s over rows that the server has filtered, until the next load', async (_, change) => {
    const store = open({ pageSize: 0, remoteFilter: true, filters });
    store.search('n');
    server.reply(page(rows(2), 1), page(rows(1, 2, 3), 3));
    await store.load();
    store.setRemote({ remoteFilter: false });
    expect(() => change(store)).toThrow('Only a part of the collection is loaded, so filtering it here would mislead');
    expect(() => change(store)).toThrow(bySize);
    expect([shown(store), store.query.filters, store.query.search]).toEqual([[2], [filters[0]], 'n']);
    store.setQuery(
      store.query.with({ filters: [...store.query.filters, { property: 'id', operator: 'gt', value: 1 }] }),
    );
    store.sort('name');
    store.filter(filters);
    store.sort([]);
    expect([shown(store), store.hasMore]).toEqual([[2], true]);
    await store.load();
    change(store);
    store.filter([]);
    store.search('');
    expect([shown(store), store.hasMore]).toEqual([[1, 2, 3], false]);
  });

  test('with false refuses a filter that the server has not applied yet', async () => {
    const store = open({ pageSize: 0, remoteFilter: true, filters });
    server.reply(page(rows(2), 1));
    await store.load();
    store.filter({ property: 'name', value: 'n1' });
    expect(() => store.setRemote({ remoteFilter: false })).toThrow('filtering it here would mislead');
    server.reply(page(rows(1, 2, 3), 3));
    store.filter([]);
    store.setRemote({ remoteFilter: false });
    expect(() => store.filter({ property: 'name', value: 'n1' })).toThrow(bySize);
    expect(() => store.sort('name')).toThrow(bySize);
    store.group([]);
    await poll(() => shown(store)).toEqual([1, 2, 3]);
    store.filter({ property: 'name', value: 'n1' });
    expect(shown(store)).toEqual([1]);
  });

  test('with false allows any filter with `allowPartial`, and over records of setRecords()', async () => {
    const store = open({ pageSize: 0, remoteFilter: true, filters, allowPartial: true });
    server.reply(page(rows(2), 1), page(rows(2), 1));
    await store.load();
    store.setRemote({ remoteFilter: false });
    store.filter([]);
    expect(shown(store)).toEqual([2]);
    const given = open({ pageSize: 0, remoteFilter: true, filters });
    await given.load();
    given.setRecords(rows(1, 2));
    given.setRemote({ remoteFilter: false });
    given.filter([]);
    expect(shown(given)).toEqual([1, 2]);
  });

  test('also applies to the search text', async () => {
    const store = open({ pageSize: 0 });
    server.reply(page(rows(1, 2, 3), 3), page(rows(1, 2, 3), 3));
    await store.load();
    store.search('N2');
    expect(shown(store)).toEqual([2]);
    store.setRemote({ remoteFilter: true });
    expect([shown(store), store.query.search]).toEqual([[1, 2, 3], 'N2']);
    await store.load();
    expect(asked('query')).toEqual(['N2']);
    store.setRemote({ remoteFilter: false });
    expect(shown(store)).toEqual([2]);
  });

  test('with true throws for functions and `convert`, which cannot be sent, and changes nothing', () => {
    const store = open({
      data: [
        { id: 1, name: 'a' },
        { id: 2, name: 'B' },
      ],
    });
    store.filter({ filterFn: ({ name }) => name === 'a' });
    expect(() => store.setRemote({ remoteFilter: true })).toThrow('`filterFn`');
    store.filter({ property: 'name', value: 'b', convert: (name) => name.toLowerCase() });
    expect(() => store.setRemote({ remoteFilter: true })).toThrow('`convert` works on loaded records only');
    expect([remoteOf(store).remoteFilter, shown(store)]).toEqual([false, [2]]);
  });
});
