import {
  Model,
  nextPage,
  pagesOf,
  plain,
  receive,
  Session,
  Store,
  type StoreConfig,
  streaming,
  UnsupportedQueryError,
  viewOf,
  where,
  windowOf,
} from 'repose';
import { groups } from 'repose/groups';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, remoteOf, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: 'int' },
  proxy: server.proxy('/users', { dialect: plain({ sort: { asc: 'sort={name}', desc: 'sort=-{name}' } }) }),
}) {}
class ClassicUser extends Model.define({
  name: 'classicUser',
  fields: { id: 'int', name: 'string', age: 'int' },
  proxy: server.proxy('/users'),
}) {
  get short(): string {
    return (this.name as string).slice(0, 2);
  }
}

/** Rows in an order of their own, with different names and ages. */
const people = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `n${(at * 37) % 97}`, age: (at * 53) % 89 }));
const byName = (rows: readonly { id: number; name: string }[]) =>
  [...rows].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id);
const open = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, ...config });
const sent = () => server.requests.map(({ query }) => query.toString());

/** Answers as a server that sorts by name, filters by age, and tells the total. */
function serve(rows: readonly { id: number; name: string; age: number }[], { tells = true } = {}) {
  server.always(({ query }) => {
    const age = query.get('age');
    const found = rows.filter((row) => age === null || row.age === Number(age));
    const isClassic = query.get('sort')?.startsWith('[');
    const isByName = query.get('sort') === 'name' || (isClassic && query.get('sort')?.includes('name'));
    if (isByName) found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const limit = Number(query.get('limit') ?? 1e9);
    const start = (Number(query.get('page') ?? 1) - 1) * limit;
    const headers: Record<string, string> = tells ? { 'x-total-count': String(found.length) } : {};
    const list = found.slice(start, start + limit);
    return isClassic || query.has('start') ? { json: { rows: list, total: found.length } } : { json: list, headers };
  });
}

describe('by default a store', () => {
  test('lets the server sort and filter the first page, and sorts itself when it holds everything', async () => {
    serve(people(20));
    const store = open({ pageSize: 25, sorters: ['name'] });
    expect([remoteOf(store).remoteSort, store.holdsAll]).toEqual([true, false]);
    await store.load();
    expect([remoteOf(store).remoteSort, remoteOf(store).remoteFilter, store.holdsAll]).toEqual([false, false, true]);
    store.sort('age');
    store.filter(where(User).age.ge(10));
    store.sort({ sorterFn: (a, b) => (b.age as number) - (a.age as number) });
    await tick();
    expect(sent()).toEqual(['page=1&limit=25&sort=name']);
    expect([...store].map(({ age }) => age)).toEqual(
      people(20)
        .map(({ age }) => age)
        .filter((age) => age >= 10)
        .sort((a, b) => b - a),
    );
  });

  test('loads its first page of more rows sorted by the server, as it was declared', async () => {
    const rows = people(60);
    serve(rows);
    const store = open({ sorters: ['name'] });
    await store.load();
    expect([shown(store), store.total, store.holdsAll]).toEqual([byName(rows).slice(0, 25), 60, false]);
    store.filter(where(User).age.eq(53));
    await tick();
    await expect.poll(() => store.status.get().loading).toBe(false);
    expect(sent().at(-1)).toBe('page=1&limit=25&sort=name&age=53');
  });

  test('does not believe a short page without a total, because servers cap pages', async () => {
    const rows = people(10);
    serve(rows, { tells: false });
    const store = open({ pageSize: 25, sorters: ['name'] });
    await store.load();
    expect([store.total, store.holdsAll, shown(store)]).toEqual([undefined, false, byName(rows)]);
    expect(() => store.sort({ sorterFn: () => 0 })).toThrow(UnsupportedQueryError);
  });

  test('sorts itself when loadMore() has loaded everything', async () => {
    serve(people(30));
    const store = open({ pageSize: 20, sorters: ['name'] });
    await store.load();
    await store.loadMore();
    expect([store.holdsAll, shown(store)]).toEqual([true, byName(people(30))]);
    store.sort('id');
    await tick();
    expect([server.requests.length, shown(store)]).toEqual([2, people(30).map(({ id }) => id)]);
  });

  test('keeps its own order when records are added, edited and erased', async () => {
    serve(people(3));
    const store = open({ sorters: ['age'] });
    await store.load();
    const [added] = store.add({ name: 'x', age: 20 });
    expect(store.indexOf(added as User)).toBe(2);
    (store.getById(1) as User).age = 90;
    expect([...store].map(({ age }) => age)).toEqual([17, 20, 53, 90]);
    server.always(({ method }) => (method === 'POST' ? { status: 201, json: { id: 9 } } : { status: 204 }));
    store.remove(store.getById(2) as User);
    (await store.sync()).orThrow();
    receive(store, [{ id: 10, name: 'y', age: 30 }], { removed: [3] });
    expect([store.holdsAll, store.total, [...store].map(({ age }) => age)]).toEqual([true, 3, [20, 30, 90]]);
  });

  test('asks again for other parameters, and changes of the query meanwhile are asked of the server', async () => {
    serve(people(4));
    const store = open({ sorters: ['age'] });
    await store.load();
    store.setExtraParams({ team: 2 });
    expect(store.holdsAll).toBe(false);
    store.sort('name');
    await expect.poll(() => store.status.get().loading).toBe(false);
    expect(sent()).toEqual(['page=1&limit=25&sort=age', 'team=2&page=1&limit=25&sort=name']);
    expect([store.holdsAll, shown(store)]).toEqual([true, byName(people(4))]);
  });

  test('asks the server again when it has filtered, also if the total is told', async () => {
    const rows = people(20);
    serve(rows);
    const store = open({ sorters: ['name'], filters: [where(User).age.eq(53)] });
    await store.load();
    expect([store.total, store.count, store.holdsAll]).toEqual([1, 1, false]);
    store.filter([]);
    await expect.poll(() => store.status.get().loading).toBe(false);
    expect([shown(store), store.holdsAll]).toEqual([byName(rows), true]);
  });

  test('needs no new request for a query that changes while everything is being loaded', async () => {
    const { request, answer } = server.hold();
    const store = open({ pageSize: 0, sorters: ['age'] });
    const loading = store.load();
    await request;
    store.sort('name');
    answer({ json: people(40) });
    await loading;
    expect([sent(), shown(store)]).toEqual([[''], byName(people(40))]);
  });

  test('asks anew for a query that changes while the server sorts a page', async () => {
    serve(people(60));
    const store = open({ sorters: ['age'] });
    const loading = store.load();
    store.sort('name');
    await loading;
    expect(sent().at(-1)).toBe('page=1&limit=25&sort=name');
    expect(shown(store)).toEqual(byName(people(60)).slice(0, 25));
  });

  test('asks anew for a query that changes while it loads another page, although it holds everything', async () => {
    serve(people(20));
    const store = open({ sorters: ['age'] });
    await store.load();
    const { request, answer } = server.hold();
    const loading = store.load({ page: 2 });
    await request;
    store.sort('name');
    answer({ json: [], headers: { 'x-total-count': '20' } });
    await loading;
    expect([sent().at(-1), shown(store)]).toEqual(['page=1&limit=25&sort=name', byName(people(20))]);
  });

  test('asks anew for a query that changes while a load is repeated with the query before', async () => {
    const rows = people(30);
    server.reply({ json: rows.slice(0, 10), headers: { 'x-total-count': '30' } });
    const { request, answer } = server.hold();
    const store = open({ pageSize: 0, sorters: ['age'] });
    const loading = store.load();
    await request;
    serve(rows);
    store.sort('name');
    answer({ json: rows.slice(0, 10), headers: { 'x-total-count': '30' } });
    await loading;
    expect(sent().slice(0, 2)).toEqual(['', 'sort=age']);
    expect(shown(store)).toEqual(byName(rows));
  });

  test('sends its sorters with the first load, also if it was given records', async () => {
    serve(people(60));
    const store = open({ data: people(3), sorters: ['name'] });
    expect([store.holdsAll, shown(store)]).toEqual([true, byName(people(3))]);
    await store.load();
    expect([sent(), store.holdsAll]).toEqual([['page=1&limit=25&sort=name'], false]);
  });

  test('keeps the options of autoLoad when the query changes before it is sent', async () => {
    serve(people(60));
    const store = open({ autoLoad: { params: { team: 2 } } });
    store.sort('name');
    await store.ready;
    expect(sent()).toEqual(['team=2&page=1&limit=25&sort=name']);
  });

  test('groups by itself, or lets the server sort by the group', async () => {
    serve(people(5));
    const store = open({ groups: groups({ by: ['age'] }) });
    await store.load();
    expect([...store].map(({ age }) => age)).toEqual([0, 17, 34, 53, 70]);
  });

  test('is false with classic, as in Ext JS', () => {
    const store = new Store({ model: ClassicUser });
    expect([remoteOf(store).remoteSort, remoteOf(store).remoteFilter]).toEqual([false, false]);
  });

  test('is told by setRemote() who sorts from now on', async () => {
    serve(people(60));
    const store = new Store({ model: ClassicUser, sorters: ['name'], remoteSort: 'auto' });
    server.always(({ query }) => ({ json: people(60).slice(0, Number(query.get('limit') ?? 60)) }));
    expect(() => store.setRemote({ remoteSort: 'sometimes' as never })).toThrow(
      "remoteSort must be 'auto', true or false",
    );
    store.setRemote({ remoteSort: true });
    expect(remoteOf(store).remoteSort).toBe(true);
    store.setRemote({ remoteSort: 'auto' });
    store.setPageSize(0);
    await store.load();
    expect([remoteOf(store).remoteSort, store.holdsAll]).toEqual([false, true]);
  });
});

describe('a load of everything', () => {
  test('is repeated with sorters and filters if the response is only a part', async () => {
    const rows = people(30);
    server.always(({ query }) => {
      const found = rows.filter(({ age }) => !query.has('age') || age === Number(query.get('age')));
      if (query.get('sort')) found.sort((a, b) => (a.name < b.name ? -1 : 1));
      return { json: found.slice(0, 10), headers: { 'x-total-count': String(found.length) } };
    });
    const store = open({ pageSize: 0, sorters: ['name'] });
    const log = eventLog(store);
    const sorters: unknown[] = [];
    store.on('load', ({ operation }) => sorters.push(operation.sorters?.length));
    await store.load();
    expect([sent(), sorters, shown(store)]).toEqual([['', 'sort=name'], [1], byName(rows).slice(0, 10)]);
    expect(log.filter((line) => line.startsWith('load'))).toHaveLength(1);
    await store.reload();
    expect(sent()).toEqual(['', 'sort=name', 'sort=name']);
  });

  test('is not repeated if nothing is sorted or filtered', async () => {
    server.always(() => ({ json: people(10), headers: { 'x-total-count': '30' } }));
    const store = open({ pageSize: 0 });
    await store.load();
    expect([server.requests.length, store.holdsAll, store.total]).toEqual([1, false, 30]);
  });

  test('that was a reload is repeated when others have added rows', async () => {
    serve(people(20));
    const store = open({ sorters: ['name'] });
    await store.load();
    store.filter(where(User).age.ge(0));
    serve(people(60));
    store.filter([]);
    await store.reload();
    expect(sent()).toEqual(['page=1&limit=25&sort=name', 'page=1&limit=25', 'page=1&limit=25&sort=name']);
    expect(shown(store)).toEqual(byName(people(60)).slice(0, 25));
  });

  test('asks canLoad again before it is repeated', async () => {
    server.always(() => ({ json: people(10), headers: { 'x-total-count': '30' } }));
    const store = open({ pageSize: 0, sorters: ['name'], canLoad: ({ sorters = [] }) => sorters.length === 0 });
    await expect(store.load()).rejects.toMatchObject({ code: 'abort', reason: 'load-refused' });
    expect([server.requests.length, store.count]).toEqual([1, 0]);
  });

  test('is everything where the reader says so', async () => {
    server.always(() => ({ json: people(40) }));
    const store = open({ proxy: { reader: { complete: true } } as never, sorters: ['name'] });
    await store.load();
    expect([sent(), store.total, store.holdsAll, store.hasMore]).toEqual([['page=1&limit=25'], 40, true, false]);
    expect(shown(store)).toEqual(byName(people(40)));
  });

  test('is not believed against a total or a next page', async () => {
    const store = open({ proxy: { reader: { complete: true } } as never });
    server.reply({ json: people(5), headers: { 'x-total-count': '9' } });
    await store.load();
    expect([store.holdsAll, store.total]).toEqual([false, 9]);
    server.reply({ json: people(5), headers: { link: '</users?page=2>; rel="next"' } });
    await store.load();
    expect([store.holdsAll, store.total, store.hasMore]).toEqual([false, undefined, true]);
  });
});

describe('a function in the query', () => {
  const young = { filterFn: (user: User) => (user.age as number) < 20 };

  test('is allowed until it is known that the store holds a part', async () => {
    serve(people(20));
    const store = open({ filters: [young], sorters: [{ sorterFn: (a, b) => (a.age as number) - (b.age as number) }] });
    await store.load();
    expect(sent()).toEqual(['page=1&limit=25']);
    expect([...store].map(({ age }) => age)).toEqual(
      people(20)
        .map(({ age }) => age)
        .filter((age) => age < 20)
        .sort((a, b) => a - b),
    );
  });

  test.each<[string, Partial<StoreConfig<User>>]>([
    ['filterFn', { filters: [young] }],
    ['sorterFn', { sorters: [{ sorterFn: () => 0 }] }],
    ['transform', { sorters: [{ property: 'name', transform: (name) => name }] }],
    ['locale', { sorters: [{ property: 'name', locale: 'de' }] }],
    ['convert', { filters: [{ property: 'age', value: 1, convert: (age) => age }] }],
  ])('%s is refused when the response shows that there is more', async (_, config) => {
    serve(people(60));
    const store = open(config);
    await expect(store.load()).rejects.toMatchObject({
      name: 'UnsupportedQueryError',
      reason: 'query-partial',
      message: expect.stringMatching(/pageSize: 0.*reader: \{ complete: true \}.*allowPartial: true/),
    });
    expect([store.count, server.requests.length]).toEqual([0, 1]);
  });

  test('is refused at once in a store that is known to hold a part, and nothing changes', async () => {
    serve(people(60));
    const store = open({ sorters: ['name'] });
    await store.load();
    for (const call of [
      () => store.filter(young),
      () => store.sort({ sorterFn: () => 0 }),
      () => store.sort({ property: 'name', locale: 'de' }),
    ])
      expect(call).toThrow(expect.objectContaining({ reason: 'query-partial' }));
    await tick();
    expect([store.query.filters, store.query.sorters.length, server.requests.length]).toEqual([[], 1, 1]);
  });

  test('filters a part with `allowPartial`', async () => {
    serve(people(60));
    const store = open({ filters: [young], allowPartial: true });
    await store.load();
    expect([store.holdsAll, store.count > 0, [...store].every(({ age }) => (age as number) < 20)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('is forgotten when a query that the server can apply replaces it during the load', async () => {
    const store = open({ pageSize: 5, filters: [{ filterFn: () => true }] });
    const held = server.hold();
    const loading = store.load();
    await held.request;
    store.filter(where(User).age.eq(53));
    serve(people(9));
    held.answer({ json: people(5), headers: { 'x-total-count': '9' } });
    expect(shown(await loading)).toEqual([2]);
    expect([sent(), store.status.get().error]).toEqual([['page=1&limit=5', 'page=1&limit=5&age=53'], undefined]);
  });

  test('may be a getter of the class, which no server knows', async () => {
    class Named extends Model.define({
      name: 'named',
      fields: { id: 'int', name: 'string' },
      proxy: server.proxy('/users', { dialect: plain() }),
    }) {
      get length(): number {
        return (this.name as string).length;
      }
    }
    serve(people(20));
    const store = new Store({ model: Named, sorters: ['length', 'id'] });
    await store.load();
    expect(sent()).toEqual(['page=1&limit=25']);
    expect([...store].map(({ length }) => length)).toEqual(
      people(20)
        .map(({ name }) => name.length)
        .sort(),
    );
    serve(people(60));
    await expect(new Store({ model: Named, sorters: ['length'] }).load()).rejects.toMatchObject({
      reason: 'query-field',
    });
  });

  test('is applied to all pages that are read for an export', async () => {
    serve(people(60));
    const store = open();
    await store.load();
    const found: number[] = [];
    for await (const page of pagesOf(store, store.query.with({ filters: [young] })))
      found.push(...page.map(({ age }) => age as number));
    expect(found).toEqual(
      people(60)
        .map(({ age }) => age)
        .filter((age) => age < 20),
    );
  });
});

describe('windows, views and rendered pages', () => {
  test('a window asks the server, also while the store answers by itself', async () => {
    serve(people(20));
    const store = open({ sorters: ['age'] });
    await store.load();
    const window = windowOf(store, { start: 0, end: 5 });
    await window.show({ start: 0, end: 5 });
    store.sort('name');
    await tick();
    await window.show({ start: 0, end: 5 });
    expect(shown(store)).toEqual(byName(people(20)));
    expect(
      window.list
        .get()
        .slice(0, 5)
        .map((user) => user?.id),
    ).toEqual(byName(people(20)).slice(0, 5));
    expect(server.requests.length).toBe(3);
    expect(() => store.sort({ sorterFn: () => 0 })).toThrow(expect.objectContaining({ reason: 'query-partial' }));
    window.dispose();
    store.sort({ sorterFn: () => 0 });
  });

  test('a delayed query reaches windows after the delay, with one request', async () => {
    serve(people(20));
    const store = open({ sorters: ['age'] });
    await store.load();
    const window = windowOf(store);
    await window.show({ start: 0, end: 5 });
    store.filter(where(User).age.eq(53), { delay: 1 });
    await tick();
    expect(server.requests.length).toBe(2);
    await expect.poll(() => server.requests.length).toBe(3);
    await window.show({ start: 0, end: 5 });
    expect([sent().at(-1), window.total, store.count]).toEqual(['page=1&limit=25&sort=age&age=53', 1, 1]);
  });

  test('a view sorts what the store holds', async () => {
    serve(people(60));
    const store = open();
    await store.load();
    expect([...viewOf(store, { sorters: ['age'] })].map(({ age }) => age)).toEqual(
      people(25)
        .map(({ age }) => age)
        .sort((a, b) => a - b),
    );
  });

  test.each<[string, Partial<StoreConfig<User>>, number, number]>([
    ['that holds everything', { sorters: ['name'] }, 20, 1],
    ['of a page', { sorters: ['name'] }, 60, 1],
    ['that loads everything', { pageSize: 0, sorters: ['name'] }, 60, 1],
  ])('a store %s shows on the page what it showed on the server', async (_, config, count, requests) => {
    serve(people(count));
    const [before, after] = [new Session(), new Session()];
    const there = open({ ...config, session: before });
    await there.load();
    hydrate(after, stringify(dehydrate(before, [there])), [User]);
    const here = open({ ...config, session: after });
    expect([here.status.get().loaded, here.holdsAll, shown(here)]).toEqual([true, there.holdsAll, shown(there)]);
    here.sort('age');
    await tick();
    await expect.poll(() => here.status.get().loading).toBe(false);
    expect(server.requests.length).toBe(requests + (there.holdsAll ? 0 : 1));
  });

  test('a page without all rows is not shown unfiltered by a store that would filter by itself', async () => {
    server.always(() => ({ json: people(10), headers: { 'x-total-count': '30' } }));
    const [before, after] = [new Session(), new Session()];
    const there = open({ pageSize: 0, session: before });
    await there.load();
    hydrate(after, stringify(dehydrate(before, [there])), [User]);
    const here = open({ pageSize: 0, session: after, filters: [where(User).age.eq(1)] });
    expect([here.status.get().loaded, here.count]).toEqual([false, 0]);
  });
});

test('a store declared as in Ext JS runs as it stands with `auto`, also with classic', async () => {
  const rows = people(60);
  server.always(({ query }) => {
    const [sorter] = JSON.parse(query.get('sort') ?? '[]') as [{ property: 'name' }?];
    const found = [...rows];
    if (sorter) found.sort((a, b) => (a.name < b.name ? -1 : 1));
    const [start, limit] = [Number(query.get('start')), Number(query.get('limit'))];
    return { json: { rows: found.slice(start, start + limit), total: 60 } };
  });
  const store = new Store({
    model: ClassicUser,
    proxy: { reader: { rootProperty: 'rows' } } as never,
    ...{ pageSize: 25, sorters: ['name'], remoteSort: 'auto' },
  });
  await store.load();
  expect([shown(store), store.total]).toEqual([byName(rows).slice(0, 25), 60]);
  await nextPage(store);
  expect(shown(store)).toEqual(byName(rows).slice(25, 50));
});

describe('a streamed load of everything that is a part', () => {
  const lines = (rows: readonly object[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join('');
  const openStreamed = () =>
    open({
      ...{ pageSize: 0, sorters: ['name'] },
      proxy: { reader: { type: 'ndjson' }, use: [streaming()] } as never,
    });
  const part = { text: lines(people(10)), headers: { 'x-total-count': '30', 'content-type': 'application/x-ndjson' } };

  test('shows the response of the server, and none of the rows that came before it', async () => {
    const rows = people(30);
    const sorted = [...rows].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, 10);
    server.reply(part, { ...part, text: lines(sorted) });
    const store = openStreamed();
    await store.load();
    expect([sent(), shown(store), store.holdsAll]).toEqual([['', 'sort=name'], byName(rows).slice(0, 10), false]);
  });

  test('does not count as everything if the repeated request fails', async () => {
    server.reply({ json: undefined, text: lines(people(3)) }, part, { status: 500 });
    const store = openStreamed();
    await store.load();
    expect(store.holdsAll).toBe(true);
    await expect(store.load()).rejects.toMatchObject({ status: 500 });
    expect(store.holdsAll).toBe(false);
  });
});
