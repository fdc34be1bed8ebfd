import {
  AbortError,
  Model,
  nextPage,
  type Operation,
  previousPage,
  RestProxy,
  ResultSet,
  Store,
  type StoreConfig,
  windowOf,
} from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, poll, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

const open = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, pageSize: 2, ...config });

/** Team `b` has the ids from 101 to 109, a sorter reverses the rows, and a filter leaves the odd ids. */
function answer({ query }: Received): Reply {
  const first = query.get('team') === 'b' ? 101 : 1;
  const all = Array.from({ length: 9 }, (_, i) => first + i).filter((id) => !query.has('filter') || id % 2 === 1);
  if (query.has('sort')) all.reverse();
  const [start, limit] = [Number(query.get('start')), Number(query.get('limit') ?? all.length)];
  return page(rows(...all.slice(start, start + limit)), all.length);
}

beforeEach(() => server.always(answer));

/** A store of users 1 and 2, and a second load in flight. */
async function loadingStore(config: Partial<StoreConfig<User>> = {}, load = (store: Store<User>) => store.load()) {
  const store = open(config);
  await store.load();
  const held = server.hold();
  const loading = load(store);
  loading.catch(() => undefined);
  const request = await held.request;
  return { store, loading, held: { request, answer: () => held.answer(answer(request)) } };
}

async function readAll(store: Store<User>): Promise<unknown[]> {
  while (store.hasMore) await store.loadMore();
  return shown(store);
}

describe('a load that canLoad refuses after the query has changed', () => {
  test.each<[string, (store: Store<User>) => void]>([
    ['filter()', (store) => store.filter({ property: 'name', value: 'x' })],
    ['sort()', (store) => store.sort('name')],
    ['group()', (store) => store.group('name')],
    ['setExtraParams()', (store) => store.setExtraParams({ team: 'b' })],
    ['setPageSize()', (store) => store.setPageSize(3)],
  ])('is refused with the load in flight, whose response is not shown: %s', async (_, change) => {
    let allowed = true;
    const { store, loading, held } = await loadingStore(
      { remoteSort: true, remoteFilter: true, canLoad: () => allowed },
      (each) => each.load({ page: 2 }),
    );
    const [first] = store.getRange() as [User];
    first.name = 'edited';
    allowed = false;
    change(store);
    await expect(loading).rejects.toMatchObject({ code: 'abort', reason: 'load-refused' });
    held.answer();
    await tick();
    expect([shown(store), first.name, store.status.get().loading, store.status.get().error, store.hasMore]).toEqual([
      [1, 2],
      'edited',
      false,
      undefined,
      true,
    ]);
    allowed = true;
    await store.loadMore();
    expect([server.last.query.get('page'), shown(store)]).toEqual(['1', shown(await store.load())]);
    expect(store.pending.edited).toEqual([first]);
  });
});

const CHANGES: [string, Partial<StoreConfig<User>>, (store: Store<User>) => void, number[]][] = [
  [
    'setExtraParams()',
    {},
    (store) => store.setExtraParams({ team: 'b' }),
    [101, 102, 103, 104, 105, 106, 107, 108, 109],
  ],
  ['setPageSize()', {}, (store) => store.setPageSize(4), [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [
    'setRemote({ remoteSort })',
    { sorters: ['name'], allowPartial: true },
    (store) => store.setRemote({ remoteSort: true }),
    [9, 8, 7, 6, 5, 4, 3, 2, 1],
  ],
  [
    'setRemote({ remoteFilter })',
    { filters: [{ property: 'name', operator: 'ne', value: 'x' }], allowPartial: true },
    (store) => store.setRemote({ remoteFilter: true }),
    [1, 3, 5, 7, 9],
  ],
];

describe.each(CHANGES)('%s', (_, config, change, expected) => {
  const firstPage = (store: Store<User>) => expected.slice(0, store.pageSize);

  test.each<[string, (store: Store<User>) => Promise<unknown>]>([
    ['load', (store) => store.load()],
    ['loadPage', (store) => store.load({ page: 3 })],
    ['loadMore', (store) => store.loadMore()],
  ])('repeats a %s() in flight for page 1, and does not show its response', async (__, load) => {
    const { store, loading, held } = await loadingStore(config, load as never);
    change(store);
    expect(store.status.get().loading).toBe(true);
    held.answer();
    expect(shown(await loading)).toEqual(firstPage(store));
    expect([shown(store), server.requests.length, store.status.get().loading]).toEqual([firstPage(store), 3, false]);
    expect(await readAll(store)).toEqual(expected);
  });

  test.each<[string, (store: Store<User>) => Promise<unknown>]>([
    ['loadMore', (store) => store.loadMore()],
    ['reload', (store) => store.reload()],
    ['nextPage', (store) => nextPage(store)],
    ['previousPage', (store) => previousPage(store)],
    ['appending load', (store) => store.load({ addRecords: true })],
    ['appending nextPage', (store) => nextPage(store, { addRecords: true })],
  ])('sends nothing after a load, and makes %s() begin with page 1', async (__, load) => {
    const store = open(config);
    await store.load({ page: 2 });
    change(store);
    await tick();
    expect([server.requests.length, store.status.get().loading, store.hasMore]).toEqual([1, false, true]);
    await load(store);
    expect(shown(store)).toEqual(firstPage(store));
    expect(await readAll(store)).toEqual(expected);
  });

  test('sends nothing before the first load', async () => {
    const store = open(config);
    change(store);
    await tick();
    expect([server.requests, store.status.get().loading]).toEqual([[], false]);
  });

  test('keeps parameters and address of the load in flight that is repeated', async () => {
    const { store, loading, held } = await loadingStore(config, (each) =>
      each.load({ page: 2, url: '/people', params: { q: 'x' }, headers: { 'X-Why': 'test' } }),
    );
    change(store);
    held.answer();
    await loading;
    expect([server.last.path, server.last.query.get('q'), server.last.headers['x-why']]).toEqual([
      '/people',
      'x',
      'test',
    ]);
    expect(server.last.query.get('page')).toBe('1');
  });

  test('joins a load that is scheduled already', async () => {
    const store = open({ ...config, autoLoad: { page: 1, params: { q: 'x' } } });
    change(store);
    await poll(() => store.status.get().loaded).toBe(true);
    expect([server.requests.length, server.last.query.get('q'), shown(store)]).toEqual([1, 'x', firstPage(store)]);
  });

  test('lets abort() end the load that it repeats', async () => {
    const { store, loading, held } = await loadingStore(config);
    change(store);
    store.abort();
    await expect(loading).rejects.toBeInstanceOf(AbortError);
    held.answer();
    await tick();
    expect([store.status.get().loading, server.requests.length, shown(store)]).toEqual([false, 2, [1, 2]]);
  });
});

test.each<[string, (store: Store<User>) => void]>([
  ['setPageSize()', (store) => store.setPageSize(4)],
  ['setExtraParams()', (store) => store.setExtraParams({ team: 'b' })],
])('%s does not repeat a load that was aborted in the same tick', async (_, change) => {
  const abort = new AbortController();
  for (const end of [(store: Store<User>) => store.abort(), () => abort.abort()]) {
    const { store, loading, held } = await loadingStore({}, (each) => each.load({ signal: abort.signal }));
    const { length } = server.requests;
    end(store);
    change(store);
    await expect(loading).rejects.toBeInstanceOf(AbortError);
    held.answer();
    await tick();
    expect([store.status.get().loading, server.requests.length, shown(store)]).toEqual([false, length, [1, 2]]);
  }
});

test('setExtraParams() makes an open window load its rows again', async () => {
  const store = open();
  const window = windowOf(store, { prefetch: 0 });
  await window.show({ start: 2, end: 4 });
  store.setExtraParams({ team: 'b' });
  expect([window.stateAt(2), window.getAt(2)?.id]).toEqual(['loading', 3]);
  await window.show({ start: 2, end: 4 });
  expect([window.getAt(2)?.id, window.getAt(3)?.id, window.getAt(0)]).toEqual([103, 104, undefined]);
  const held = server.hold();
  const showing = window.show({ start: 4, end: 6 });
  const request = await held.request;
  store.setExtraParams({});
  held.answer(answer(request));
  await showing;
  expect([window.getAt(4)?.id, window.getAt(5)?.id]).toEqual([5, 6]);
  window.dispose();
});

test('a superseded load settles as its successor, also if the proxy ignores its signal', async () => {
  const answers: ((ids: number[]) => void)[] = [];
  const asked: (number | undefined)[] = [];
  class Deaf extends RestProxy {
    override read(operation: Operation): Promise<ResultSet> {
      asked.push(operation.limit);
      return new Promise((resolve) => answers.push((ids) => resolve(new ResultSet({ rows: rows(...ids) }))));
    }
  }
  const clock = manualClock();
  const store = new Store({
    model: User,
    pageSize: 2,
    remoteFilter: true,
    proxy: new Deaf({ url: server.url, clock }) as never,
  });
  const loading = store.load();
  await tick();
  store.search('a', { delay: 50 });
  answers[0]?.([1, 2]);
  await tick();
  expect([shown(store), store.status.get().loading]).toEqual([[], true]);
  store.setPageSize(3);
  clock.advance(50);
  await tick();
  answers[1]?.([3, 4, 5]);
  expect([shown(await loading), asked]).toEqual([
    [3, 4, 5],
    [2, 3],
  ]);
});
