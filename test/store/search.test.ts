import {
  AbortError,
  MemoryProxy,
  Model,
  plain,
  type RestProxyConfig,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  viewOf,
  windowOf,
} from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, poll, rows, shown, tick } from './support.js';

const server = useRestServer();
let clock: ManualClock;
beforeEach(() => {
  clock = manualClock();
});

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', city: { type: 'string', allowNull: true }, age: 'int' },
}) {}

const people = [
  { id: 1, name: 'Ada', city: 'London', age: 36 },
  { id: 2, name: 'Grace', city: 'New York', age: 85 },
  { id: 3, name: 'Linus', city: null, age: 51 },
  { id: 4, name: 'Londa', city: 'Paris', age: 36 },
];
const local = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, data: people, ...config });
const options = (config: RestProxyConfig = {}) =>
  server.proxy('/users', { reader: { rootProperty: 'rows' }, clock, ...config });
const remote = (config: Partial<StoreConfig<User>> = {}, proxy?: RestProxyConfig) =>
  new Store({ model: User, remoteFilter: true, pageSize: 0, proxy: options(proxy), ...config });

describe('a local search()', () => {
  test('shows records with the text in one of their string fields, ignoring case', () => {
    const store = local();
    store.search('LON');
    expect([shown(store), store.query.search]).toEqual([[1, 4], 'LON']);
    store.search('36'); // A number is no text.
    expect(shown(store)).toEqual([]);
    store.search('null');
    expect(shown(store)).toEqual([]);
  });

  test('looks only at `searchFields`, if these are given', () => {
    const store = local({ searchFields: ['city', 'age'] });
    store.search('lon');
    expect(shown(store)).toEqual([1]);
    store.search('36');
    expect(shown(store)).toEqual([1, 4]);
  });

  test('with an empty text ends the search', () => {
    const store = local();
    expect(store.query.search).toBe('');
    store.search('ada');
    store.search('');
    expect([shown(store), store.query.search]).toEqual([[1, 2, 3, 4], '']);
  });

  test('is independent of filters: neither replaces the other', () => {
    const store = local({ filters: [{ property: 'age', value: 36 }] });
    store.search('paris');
    expect([shown(store), store.query.filters.length]).toEqual([[4], 1]);
    store.filter({ property: 'age', operator: 'gt', value: 40 });
    expect(shown(store)).toEqual([]);
    store.filter([]);
    expect([shown(store), store.query.search]).toEqual([[4], 'paris']);
  });

  test('uses the text literally, without patterns or trimming', () => {
    const store = local();
    for (const text of ['.', '%', '*', 'ada ']) {
      store.search(text);
      expect(shown(store)).toEqual([]);
    }
    store.search('w y');
    expect(shown(store)).toEqual([2]);
  });

  test('applies to edits', () => {
    const store = local();
    store.search('paris');
    (store.getById(3) as User).city = 'Paris';
    (store.getById(4) as User).city = 'Rome';
    expect(shown(store)).toEqual([3]);
  });

  test('of a view applies to that view only', () => {
    const store = local();
    const view = viewOf(store);
    view.search('ada');
    expect([shown(view), store.count]).toEqual([[1], 4]);
  });

  test('is refused if no field holds text, or if only a part is loaded', async () => {
    class Point extends Model.define({ fields: { id: 'int', x: 'int' } }) {}
    const points = new Store({ model: Point, data: [{ id: 1, x: 1 }] });
    expect(() => points.search('1')).toThrow(UnsupportedQueryError);
    expect([points.count, points.query.search]).toEqual([1, '']);

    const store = remote({ remoteFilter: false, pageSize: 2 });
    server.reply(page(people.slice(0, 2), 4));
    await store.load();
    expect(() => store.search('ada')).toThrow(UnsupportedQueryError);
    expect(() => store.search('ada', { delay: 10 })).toThrow(UnsupportedQueryError);
    expect([store.count, store.query.search, clock.waiting]).toEqual([2, '', []]);
  });
});

describe('a remote search()', () => {
  test.each<[string, RestProxyConfig, string]>([
    ['classic', {}, '/users?query=a%20b'],
    ['plain', { dialect: plain() }, '/users?search=a%20b'],
    ['another name', { searchParam: 'q' }, '/users?q=a%20b'],
    ['classic, switched off', { searchParam: '' }, '/users'],
  ])('is sent as a parameter: %s', async (_, config, url) => {
    const store = remote({}, config);
    server.always(() => page(rows(1)));
    store.search('a b'); // Nothing is sent before the first load.
    await tick();
    expect(server.lines).toEqual([]);
    await store.load();
    expect(server.last.url).toBe(url);
  });

  test('loads page 1 once per tick, and is not applied locally', async () => {
    const store = remote({ pageSize: 2 });
    server.reply(page(people.slice(0, 2), 4), page(people.slice(2), 2));
    await store.load({ page: 2 });
    store.search('x');
    store.search('y');
    expect(shown(store)).toEqual([1, 2]); // The old records stay until the response arrives.
    await poll(() => shown(store)).toEqual([3, 4]);
    expect(server.lines.slice(1)).toEqual(['GET /users?page=1&start=0&limit=2&query=y']);
  });

  test('with an empty text sends no parameter', async () => {
    const store = remote();
    server.always(() => page(rows(1)));
    store.search('a');
    store.search('');
    await store.load();
    expect(server.last.url).toBe('/users');
  });

  test('is refused by `plain()` if it has no parameter, or if a filter uses that name', async () => {
    const store = remote({}, { dialect: plain(), searchParam: '' });
    store.search('a');
    await expect(store.load()).rejects.toThrow(UnsupportedQueryError);
    const other = remote({ filters: [{ property: 'name', value: 'x' }] }, { dialect: plain(), searchParam: 'name' });
    other.search('a');
    await expect(other.load()).rejects.toThrow(UnsupportedQueryError);
    expect(server.lines).toEqual([]);
  });

  test('is applied by a memory proxy as by a server', async () => {
    const store = remote({ proxy: { type: MemoryProxy, data: people }, filters: [{ property: 'age', value: 36 }] });
    store.search('LONDON');
    await store.load();
    expect([shown(store), store.total]).toEqual([[1], 1]);
  });
});

describe('the delay of a remote query', () => {
  /** A store that shows users 1 and 2. */
  async function loaded(config: Partial<StoreConfig<User>> = {}, proxy?: RestProxyConfig): Promise<Store<User>> {
    const store = remote(config, proxy);
    server.reply(page(people.slice(0, 2)));
    await store.load();
    return store;
  }
  const sent = () => server.requests.slice(1).map(({ query }) => query.get('query'));

  test('sends only the last of several searches, after the delay', async () => {
    const store = await loaded();
    server.always(({ query }) => page(people.filter(({ name }) => name === query.get('query'))));
    for (const text of ['A', 'Ad', 'Ada']) {
      store.search(text, { delay: 300 });
      clock.advance(299);
    }
    await tick();
    expect([sent(), shown(store), store.query.search, store.status.get().loading]).toEqual([[], [1, 2], 'Ada', false]);
    clock.advance(1);
    await poll(() => shown(store)).toEqual([1]);
    clock.advance(10_000);
    await tick();
    expect(sent()).toEqual(['Ada']);
  });

  test('applies to filters in the same way', async () => {
    const store = await loaded();
    server.always(() => page(people.slice(2)));
    store.filter({ property: 'name', value: 'x' }, { delay: 300 });
    store.filter({ property: 'name', value: 'y' }, { delay: 300 });
    expect([store.query.filters[0]?.value, shown(store)]).toEqual(['y', [1, 2]]);
    clock.advance(300);
    await poll(() => shown(store)).toEqual([3, 4]);
    expect(server.requests.slice(1).map(({ query }) => query.get('filter'))).toEqual([
      '[{"property":"name","value":"y"}]',
    ]);
  });

  test.each([{ delay: 0 }, {}])('of 0, or none, sends the query at once: %o', async (options) => {
    const store = await loaded();
    server.always(() => page(people.slice(2)));
    store.search('a', options);
    expect(clock.waiting).toEqual([]);
    await poll(() => shown(store)).toEqual([3, 4]);
  });

  test('aborts a load in flight and keeps the old records; that load settles with the later one', async () => {
    const store = await loaded();
    const held = server.hold();
    const first = store.load({ params: { first: true } });
    await held.request;
    store.search('a', { delay: 300 });
    held.answer(page(people));
    await tick();
    expect([shown(store), store.status.get().loading]).toEqual([[1, 2], true]);
    server.reply(page(people.slice(3)));
    clock.advance(300);
    expect(shown(await first)).toEqual([4]);
    expect([shown(store), store.status.get().loading, server.lines.length]).toEqual([[4], false, 3]);
  });

  test('combines a search and a filter in one request', async () => {
    const store = await loaded();
    server.always(() => page([]));
    store.filter({ property: 'name', value: 'x' }, { delay: 100 });
    store.search('a', { delay: 100 });
    clock.advance(100);
    await poll(() => server.lines.length).toBe(2);
    await tick();
    expect([...server.last.query.keys(), server.lines.length]).toEqual(['query', 'filter', 2]);
  });

  test('ends with a later call without a delay, which sends both queries', async () => {
    const store = await loaded();
    server.always(() => page([]));
    store.search('a', { delay: 100 });
    store.filter({ property: 'name', value: 'x' });
    await poll(() => server.lines.length).toBe(2);
    expect(server.last.query.get('query')).toBe('a');
    await poll(() => store.status.get().loading).toBe(false);
    clock.advance(10_000);
    await tick();
    expect([server.lines.length, clock.waiting]).toEqual([2, []]);
  });

  test.each<[string, Partial<StoreConfig<User>>, (store: Store<User>) => void, Record<string, string>]>([
    [
      'setRemote({ remoteSort: true })',
      { sorters: ['name'] },
      (store) => store.setRemote({ remoteSort: true }),
      { query: 'a', sort: 'name' },
    ],
    [
      'setRemote({ remoteSort: false })',
      { remoteSort: true },
      (store) => store.setRemote({ remoteSort: false }),
      { query: 'a' },
    ],
    ['setRemote({ remoteFilter: false })', {}, (store) => store.setRemote({ remoteFilter: false }), {}],
    ['setPageSize()', {}, (store) => store.setPageSize(7), { query: 'a', page: '1', limit: '7' }],
    ['setExtraParams()', {}, (store) => store.setExtraParams({ team: 'b' }), { query: 'a', team: 'b' }],
  ])('goes on after %s, and one request serves both', async (_, config, change, expected) => {
    const store = await loaded(config, { dialect: plain(), searchParam: 'query' });
    server.always(() => page(people));
    const held = server.hold();
    const loading = store.load({ params: { first: true } });
    await held.request;
    store.search('a', { delay: 100 });
    const before = shown(store);
    change(store);
    clock.advance(99);
    await tick();
    expect([server.lines.length, clock.waiting, shown(store)]).toEqual([2, [1], before]);
    clock.advance(1);
    await loading;
    await tick();
    expect([server.lines.length, Object.fromEntries(server.last.query), clock.waiting]).toEqual([3, expected, []]);
    held.answer();
    expect(store.status.get().loading).toBe(false);
  });

  test('goes on after a switch of an open window, which loads its rows once', async () => {
    const store = await loaded({ pageSize: 2 });
    server.always(() => page(people.slice(0, 2), 2));
    const window = windowOf(store, { prefetch: 0 });
    await window.show({ start: 0, end: 2 });
    const before = server.lines.length;
    store.search('a', { delay: 100 });
    store.setRemote({ remoteSort: true });
    await tick();
    expect(server.lines.length).toBe(before);
    clock.advance(100);
    await window.show({ start: 0, end: 2 });
    await poll(() => store.status.get().loading).toBe(false);
    expect(server.requests.slice(before).map(({ query }) => query.get('query'))).toEqual(['a', 'a']);
    window.dispose();
  });

  test('ends with load()', async () => {
    const store = await loaded();
    server.always(() => page([]));
    store.search('a', { delay: 100 });
    await store.load();
    expect(clock.waiting).toEqual([]);
    await tick();
    expect(sent()).toEqual(['a']);
  });

  test('ends with loadMore(), which loads the first page', async () => {
    const store = await loaded({ pageSize: 2 });
    server.always(() => page([]));
    store.search('a', { delay: 100 });
    await store.loadMore();
    expect([sent(), server.last.query.get('page'), clock.waiting]).toEqual([['a'], '1', []]);
  });

  test('ends with abort(), and nothing is sent', async () => {
    const store = await loaded();
    const held = server.hold();
    const first = store.load({ params: { first: true } });
    await held.request;
    store.search('a', { delay: 100 });
    store.abort();
    await expect(first).rejects.toBeInstanceOf(AbortError);
    expect([clock.waiting, store.status.get().loading, store.status.get().error?.code]).toEqual([[], false, 'abort']);
    await tick();
    held.answer();
    expect(server.lines.length).toBe(2);
  });

  test('leads to `exception` and `store.error` if the request fails, and keeps the records', async () => {
    const store = await loaded();
    const log = eventLog(store);
    server.reply({ status: 500 });
    store.search('a', { delay: 100 });
    clock.advance(100);
    await poll(() => store.status.get().error?.code).toBe('http');
    expect([log, shown(store)]).toEqual([['exception http GET /users?query=a'], [1, 2]]);
    server.reply(page(people.slice(2)));
    await store.reload();
    expect([shown(store), store.status.get().error]).toEqual([[3, 4], undefined]);
  });

  test('before the first load sends nothing', async () => {
    const store = remote();
    store.search('a', { delay: 100 });
    clock.advance(100);
    await tick();
    expect([server.lines, store.query.search]).toEqual([[], 'a']);
  });
});

describe('the delay of a local query', () => {
  const delayed = (config: Partial<StoreConfig<User>> = {}) =>
    local({ proxy: { type: 'rest', url: '/users', clock }, ...config });

  test('applies only the last of several searches, after the delay', async () => {
    const store = delayed();
    const log = eventLog(store);
    store.search('a', { delay: 50 });
    store.search('ada', { delay: 50 });
    clock.advance(49);
    await tick();
    expect([shown(store), store.query.search, log]).toEqual([[1, 2, 3, 4], 'ada', []]);
    clock.advance(1);
    expect(shown(store)).toEqual([1]);
    await tick();
    expect(log).toEqual(['change -2,3,4']);
  });

  test('keeps the previous filter in effect while it lasts', () => {
    const store = delayed({ filters: [{ property: 'age', value: 36 }] });
    store.filter({ property: 'age', value: 51 }, { delay: 50 });
    (store.getById(2) as User).age = 36;
    expect(shown(store)).toEqual([1, 2, 4]);
    clock.advance(50);
    expect(shown(store)).toEqual([3]);
  });

  test('ends with abort(), and the query is applied', () => {
    const store = delayed();
    store.search('ada', { delay: 50 });
    store.abort();
    expect([shown(store), clock.waiting]).toEqual([[1], []]);
  });

  test('of a view uses the clock of its store, and ends with dispose() of the view', () => {
    const store = delayed();
    const view = viewOf(store);
    view.search('ada', { delay: 50 });
    expect([clock.waiting, view.count]).toEqual([[50], 4]);
    clock.advance(50);
    expect(shown(view)).toEqual([1]);
    view.search('', { delay: 50 });
    view.dispose();
    expect([clock.waiting, view.count]).toEqual([[], 0]);
  });

  test('without a proxy uses the clock of the platform', async () => {
    const store = local();
    store.search('ada', { delay: 1 });
    expect(store.count).toBe(4);
    await poll(() => shown(store)).toEqual([1]);
  });
});
