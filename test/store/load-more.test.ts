import {
  AbortError,
  HttpError,
  MemoryProxy,
  Model,
  nextPage,
  plain,
  type RestProxyConfig,
  Store,
  type StoreConfig,
} from 'repose';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, poll, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();
const rootProperty = 'rows';

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty } }),
}) {}

/** A store with pages of 2 rows. */
const storeOf = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, pageSize: 2, ...config });
/** The same store with the dialect `plain()`. */
const plainStore = (config: RestProxyConfig = {}) =>
  storeOf({ proxy: server.proxy('/users', { dialect: plain(), reader: { rootProperty }, ...config }) });
/** Calls loadMore() while `hasMore` is true, at most so many times. */
async function loadAll(store: Store<User>, most = 20): Promise<void> {
  for (let i = 0; store.hasMore && i < most; i += 1) await store.loadMore();
}
/** Answers with the rows from `start` up to `limit` of them. */
const byRange =
  (all: readonly object[], total?: number) =>
  ({ query }: Received): Reply => {
    const start = Number(query.get('start') ?? query.get('offset') ?? 0);
    return page(all.slice(start, start + Number(query.get('limit'))), total);
  };

describe('loadMore()', () => {
  test('appends the next rows until the total is reached', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 5), 5));
    await store.load();
    const [first] = store;
    const seen: unknown[] = [];
    while (store.hasMore) seen.push([shown(await store.loadMore()), store.currentPage]);
    expect(seen).toEqual([
      [[3, 4], 2],
      [[5], 3],
    ]);
    expect([shown(store), store.getAt(0) === first, store.total]).toEqual([[1, 2, 3, 4, 5], true, 5]);
    expect(server.lines).toEqual([
      'GET /users?page=1&start=0&limit=2',
      'GET /users?page=2&start=2&limit=2',
      'GET /users?page=3&start=4&limit=2',
    ]);
  });

  test('continues with the `limit` of the first load, even if the caller changes its options object later', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 9), 9));
    const options = { limit: 3 };
    const loading = store.load(options);
    options.limit = 50;
    await loading;
    await store.loadMore();
    expect(server.lines).toEqual(['GET /users?page=1&start=0&limit=3', 'GET /users?page=2&start=3&limit=3']);
  });

  test('adds new records to views at once, without removing any', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 4), 4));
    await store.load();
    const { observers } = (store as unknown as { recordSet: { observers: { attach(observer: object): void } } })
      .recordSet;
    const calls: string[] = [];
    const note = (what: string) => (records: readonly User[]) => calls.push(`${what} ${shown(records)}`);
    observers.attach({ recordsShown: note('add'), recordsHidden: note('delete') });
    await store.loadMore();
    expect([calls, shown(store)]).toEqual([['add 3,4'], [1, 2, 3, 4]]);
  });

  test('at the end sends nothing, and resolves with an empty array', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2), 2));
    await store.load();
    expect(await store.loadMore()).toEqual([]);
    expect([server.lines.length, store.hasMore]).toEqual([1, false]);
  });

  test('before any load loads the first page', async () => {
    const store = storeOf();
    expect(store.hasMore).toBe(true);
    server.always(byRange(rowsFrom(1, 3), 3));
    await loadAll(store);
    expect(shown(store)).toEqual([1, 2, 3]);
    expect(server.lines[0]).toBe('GET /users?page=1&start=0&limit=2');
  });

  test('of a store with local data has no more rows', () => {
    expect(storeOf({ data: rows(1) }).hasMore).toBe(false);
  });

  test('of a store without pages has no more rows', async () => {
    const store = storeOf({ pageSize: 0 });
    server.reply(page(rows(1, 2), 9));
    await store.load();
    expect(store.hasMore).toBe(false);
  });

  test('with `autoLoad` is one request together with it', async () => {
    const store = storeOf({ autoLoad: { page: 3 } });
    server.reply(page(rows(5)));
    await store.loadMore();
    await tick();
    expect(server.lines).toEqual(['GET /users?page=3&start=4&limit=2']);
  });

  test('without a total ends at a short page, and then sets the total', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 5)));
    await store.load();
    expect([store.total, store.hasMore]).toEqual([undefined, true]);
    await loadAll(store);
    expect([shown(store), store.total, server.lines.length]).toEqual([[1, 2, 3, 4, 5], 5, 3]);
    store.sort('name', 'DESC'); // All rows are loaded, so a local sort is allowed.
    expect(store.getAt(0)?.id).toBe(5);
  });

  test('without a total ends at an empty page', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 4)));
    await loadAll(store);
    expect([shown(store), store.total, server.lines.length]).toEqual([[1, 2, 3, 4], 4, 3]);
  });

  test('without a total reads on behind a short first page, because servers cap pages', async () => {
    const store = new Store({ model: User, proxy: server.proxy('/users', { dialect: plain() }) });
    const all = rowsFrom(1, 23);
    server.always(({ query }) => {
      const start = (Number(query.get('page')) - 1) * 10;
      return { json: all.slice(start, start + 10) };
    });
    await store.load();
    expect([store.count, store.hasMore]).toEqual([10, true]);
    await loadAll(store);
    expect([shown(store), store.total]).toEqual([all.map(({ id }) => id), 23]);
    await store.loadMore();
    expect(server.lines).toHaveLength(4);
  });

  test('without a total ends at a short page that follows a full one by its number', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 3)));
    await store.load();
    await nextPage(store);
    expect([shown(store), store.hasMore]).toEqual([[3], false]);
  });

  test('sets no total if a page was skipped', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 7)));
    await store.load();
    await store.load({ page: 4, addRecords: true });
    expect([shown(store), store.total, store.hasMore]).toEqual([[1, 2, 7], undefined, false]);
    expect(() => store.sort('name')).toThrow('Only a part of the collection is loaded');
  });

  test('continues after the rows received, even if these are fewer than requested', async () => {
    const store = storeOf({ pageSize: 100 });
    const all = rowsFrom(1, 7);
    server.always(({ query }) => page(all.slice(Number(query.get('start'))).slice(0, 3), 7));
    await loadAll(store);
    expect(shown(store)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(server.lines[2]).toBe('GET /users?page=3&start=6&limit=100');
  });

  test('continues by page number if the dialect has no start parameter', async () => {
    const store = plainStore();
    server.always(({ query }) =>
      page(
        rowsFrom(1, 7)
          .slice((Number(query.get('page')) - 1) * 3)
          .slice(0, 3),
        7,
      ),
    );
    await loadAll(store);
    expect(shown(store)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(server.lines).toEqual([1, 2, 3].map((n) => `GET /users?page=${n}&limit=2`));
  });

  test('continues by offset if the dialect has no page parameter', async () => {
    const store = plainStore({ startParam: 'offset', pageParam: '' });
    server.always(byRange(rowsFrom(1, 3), 3));
    await loadAll(store);
    expect(server.lines).toEqual(['GET /users?offset=0&limit=2', 'GET /users?offset=2&limit=2']);
  });

  test('updates a record that a page repeats, and keeps its place', async () => {
    const store = storeOf();
    server.reply(
      page(rows(1, 2), 5),
      page(
        [
          { id: 2, name: 'new' },
          { id: 3, name: 'n3' },
        ],
        6,
      ),
    );
    await store.load();
    const second = store.getById(2) as User;
    await store.loadMore();
    expect([shown(store), store.getAt(1) === second, second.name]).toEqual([[1, 2, 3], true, 'new']);
    expect(store.hasMore).toBe(true);
  });

  test('ends when a response brings no new row', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2), 100), page(rows(3, 4), 100), page(rows(4, 3), 100));
    await store.load();
    await loadAll(store);
    expect([shown(store), server.lines.length, store.hasMore]).toEqual([[1, 2, 3, 4], 3, false]);
  });

  test('appends a record of another page whose edits are saved on the server by now', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2)), page(rows(3, 4)), page([{ id: 1, name: 'same' }]));
    await store.load();
    const edited = store.getById(1) as User;
    edited.name = 'same';
    await store.load({ page: 2 });
    await store.load({ page: 1, addRecords: true });
    expect([shown(store), store.getById(1) === edited, edited.dirty]).toEqual([[3, 4, 1], true, false]);
  });

  test('makes one record of several rows with one id', async () => {
    const store = storeOf();
    const news = ['a', 'b', 'c', 'd'].map((name) => ({ id: 3, name }));
    server.reply(page(rows(1, 2)), page(news));
    await store.load();
    expect(shown(await store.loadMore())).toEqual([3]);
    expect([shown(store), store.getAt(store.count - 1)?.name]).toEqual([[1, 2, 3], 'd']);
  });

  test('keeps edited, new and removed records', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2), 4), page(rows(2, 3), 4));
    await store.load();
    (store.getAt(1) as User).name = 'mine';
    store.remove(store.getAt(0) as User);
    const [added] = store.add({ name: 'new' });
    await store.loadMore();
    expect([...store].map((record) => record.name)).toEqual(['mine', 'new', 'n3']);
    expect(added?.phantom).toBe(true);
    expect([store.pending.edited.length, store.pending.removed.length]).toEqual([1, 1]);
  });

  describe('after erases, which move the other rows up on the server', () => {
    /** Answers reads with `answer`, and erases rows. */
    const erasable =
      (all: { id: number }[], answer: (request: Received) => Reply) =>
      (request: Received): Reply => {
        if (request.method === 'GET') return answer(request);
        all.splice(
          all.findIndex(({ id }) => id === Number(request.path.split('/')[2])),
          1,
        );
        return { status: 204 };
      };

    test('goes back as many pages as needed to leave no row out', async () => {
      const store = storeOf();
      const all = rowsFrom(1, 8);
      server.always((request) => erasable(all, byRange(all, all.length))(request));
      await store.load();
      await store.loadMore();
      for (const id of [1, 2, 3]) await store.getById(id)?.erase();
      await loadAll(store);
      expect(shown(store)).toEqual([4, 5, 6, 7, 8]);
    });

    test('does not end when all rows of the repeated page are known', async () => {
      const store = storeOf({ pageSize: 4 });
      const all = rowsFrom(1, 9);
      // The server returns fewer rows than requested.
      server.always((request) =>
        erasable(all, ({ query }) => page(all.slice(Number(query.get('start'))).slice(0, 3), all.length))(request),
      );
      await store.load();
      await store.loadMore();
      await store.getById(5)?.erase();
      expect(shown(await store.loadMore())).toEqual([3, 4, 6]);
      expect(store.hasMore).toBe(true);
      await loadAll(store);
      expect([shown(store), store.total]).toEqual([[1, 2, 3, 4, 6, 7, 8, 9], 8]);
    });

    test('continues normally after another load()', async () => {
      const store = storeOf();
      const all = rowsFrom(1, 6);
      server.always((request) => erasable(all, byRange(all, all.length))(request));
      await store.load();
      await store.getById(1)?.erase();
      await store.load();
      await store.loadMore();
      expect([shown(store), server.last.url]).toEqual([[2, 3, 4, 5], '/users?page=2&start=2&limit=2']);
    });

    test('also goes back by page number', async () => {
      const store = plainStore();
      const all = rowsFrom(1, 6);
      server.always((request) =>
        erasable(all, ({ query }) => {
          const start = 2 * (Number(query.get('page')) - 1);
          return page(all.slice(start, start + 2), all.length);
        })(request),
      );
      await store.load();
      await store.getById(2)?.erase();
      await loadAll(store);
      expect(shown(store)).toEqual([1, 3, 4, 5, 6]);
    });
  });

  test('sends the options of the load before, merged with its own', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 9), 9));
    await store.load({ params: { q: 1 }, headers: { 'X-A': 'a' }, limit: 3 });
    await store.loadMore({ params: { r: 2 } });
    expect(server.last.url).toBe('/users?q=1&r=2&page=2&start=3&limit=3');
    expect(server.last.headers['x-a']).toBe('a');
  });

  test('emits one `change` with the added records, and one `load`', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 4), 4));
    await store.load();
    const log = eventLog(store);
    await store.loadMore();
    expect(log).toEqual(['change +3,4', 'load 3,4']);
  });

  test('works with a memory proxy', async () => {
    const store = storeOf({ proxy: { type: MemoryProxy, data: rowsFrom(1, 5) } });
    await loadAll(store);
    expect(shown(store)).toEqual([1, 2, 3, 4, 5]);
  });

  test('after a load of one record has no more rows', async () => {
    const store = storeOf();
    server.reply(page(rows(7)));
    await store.load({ id: 7 });
    expect(store.hasMore).toBe(false);
  });
});

describe('loadMore() and other loads', () => {
  test('called twice at once is one request', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 6), 6));
    await store.load();
    const [one, two] = await Promise.all([store.loadMore(), store.loadMore()]);
    expect([one === two, server.lines.length, shown(store)]).toEqual([true, 2, [1, 2, 3, 4]]);
  });

  test('during another load is that load', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 6), 6));
    await store.load();
    const [reloaded, more] = await Promise.all([store.load(), store.loadMore()]);
    expect([more === reloaded, shown(store), server.lines.length]).toEqual([true, [1, 2], 2]);
  });

  test('during another load waits for it until its own signal aborts', async () => {
    const store = storeOf();
    server.always(byRange(rowsFrom(1, 6), 6));
    await store.load();
    const load = store.load();
    const controller = new AbortController();
    const more = store.loadMore({ signal: controller.signal });
    controller.abort('enough');
    await expect(more).rejects.toMatchObject({ code: 'abort', cause: 'enough' });
    await expect(store.loadMore({ signal: controller.signal })).rejects.toBeInstanceOf(AbortError);
    expect([shown(await load), store.status.get().error]).toEqual([[1, 2], undefined]);
  });

  test.each<[string, (store: Store<User>) => unknown]>([
    ['load()', (store) => store.load()],
    ['sort()', (store) => store.sort('name', 'DESC')],
    ['filter()', (store) => store.filter({ property: 'name', value: 'x' })],
    ['search()', (store) => store.search('x')],
  ])('%s supersedes it', async (_, supersede) => {
    const store = storeOf({ remoteSort: true, remoteFilter: true });
    server.reply(page(rows(1, 2), 9));
    await store.load();
    const held = server.hold();
    const more = store.loadMore();
    await held.request;
    server.reply(page(rows(7, 8), 2));
    supersede(store);
    expect([shown(await more), shown(store), store.hasMore]).toEqual([[7, 8], [7, 8], false]);
    held.answer(page(rows(3, 4), 9));
    await tick();
    expect(shown(store)).toEqual([7, 8]);
  });

  test('after a change of the query loads the first page', async () => {
    const store = storeOf({ remoteSort: true });
    server.always(byRange(rowsFrom(1, 6), 6));
    await store.load();
    await store.loadMore();
    store.sort('name');
    expect(shown(await store.loadMore())).toEqual([1, 2]);
    await tick();
    expect([server.lines.length, server.last.query.get('start'), shown(store)]).toEqual([3, '0', [1, 2]]);
  });

  test('that fails changes nothing, and can be called again', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2), 4), { status: 500 }, page(rows(3, 4), 4));
    await store.load();
    const before = store.list.get();
    const log = eventLog(store);
    await expect(store.loadMore()).rejects.toBeInstanceOf(HttpError);
    expect(store.list.get()).toBe(before);
    expect([store.hasMore, store.total, store.currentPage, store.status.get().error?.code]).toEqual([
      true,
      4,
      1,
      'http',
    ]);
    expect(log).toEqual(['exception http GET /users?page=2&start=2&limit=2']);
    await store.loadMore();
    expect([shown(store), store.status.get().error, server.lines[2]]).toEqual([
      [1, 2, 3, 4],
      undefined,
      server.lines[1],
    ]);
  });

  test('can be aborted by the store and by a signal', async () => {
    const store = storeOf();
    server.reply(page(rows(1, 2), 4));
    await store.load();
    for (const abort of ['store', 'signal']) {
      const held = server.hold();
      const controller = new AbortController();
      const more = store.loadMore(abort === 'signal' ? { signal: controller.signal } : {});
      await held.request;
      if (abort === 'signal') controller.abort();
      else store.abort();
      await expect(more).rejects.toBeInstanceOf(AbortError);
      held.answer();
      await poll(() => store.status.get().loading).toBe(false);
    }
    expect([shown(store), store.hasMore]).toEqual([[1, 2], true]);
  });
});

describe('loadMore() by tokens', () => {
  const reader = { rootProperty, nextProperty: 'meta.next' };
  const config = { reader, tokenParam: 'cursor', pageParam: '', dialect: plain() };
  const tokens =
    (pages: Record<string, [rows: object[], next: unknown]>) =>
    ({ query }: Received): Reply => {
      const [found, next] = pages[query.get('cursor') ?? ''] as [object[], unknown];
      return { json: { rows: found, meta: { next } } };
    };

  test('sends the token of the last response as a parameter, and no page', async () => {
    const store = plainStore(config);
    server.always(tokens({ '': [rows(1), 'a b'], 'a b': [rows(2, 3), 7], 7: [rows(4), null] }));
    await loadAll(store);
    expect(server.lines).toEqual(
      ['/users?limit=2', '/users?cursor=a%20b&limit=2', '/users?cursor=7&limit=2'].map((url) => `GET ${url}`),
    );
    expect([shown(store), store.total, store.currentPage]).toEqual([[1, 2, 3, 4], 4, 3]);
    store.sort('name', 'DESC'); // All rows are loaded, so a local sort is allowed.
  });

  test('sends the other parameters again', async () => {
    const store = plainStore(config);
    server.always(tokens({ '': [rows(1), 'a'], a: [rows(2), null] }));
    await store.load({ params: { q: 1 } });
    await store.loadMore();
    expect(server.last.url).toBe('/users?q=1&cursor=a&limit=2');
  });

  test('continues after an empty page with another token', async () => {
    const store = plainStore(config);
    server.always(tokens({ '': [rows(1), 'a'], a: [[], 'b'], b: [rows(2), ''] }));
    await store.load();
    await store.loadMore();
    expect(store.hasMore).toBe(true);
    await loadAll(store);
    expect([shown(store), store.hasMore]).toEqual([[1, 2], false]);
  });

  test('ends when an empty page repeats its token', async () => {
    const store = plainStore(config);
    server.always(tokens({ '': [rows(1), 'a'], a: [[], 'a'] }));
    await loadAll(store);
    expect([server.lines.length, store.hasMore]).toEqual([2, false]);
  });

  test('ends when the server repeats earlier tokens', async () => {
    const store = plainStore(config);
    server.always(tokens({ '': [rows(1), 'a'], a: [rows(2), 'b'], b: [rows(1), 'a'] }));
    await loadAll(store);
    expect([shown(store), server.lines.length]).toEqual([[1, 2], 3]);
  });

  test('can be defined by a custom dialect', async () => {
    const base = plain();
    const dialect = {
      ...base,
      readPage(context: Parameters<typeof base.readPage>[0]) {
        const result = base.readPage(context);
        result.next =
          result.rows.length === 0 ? null : { params: { after: (result.rows.at(-1) as { id: number }).id } };
        return result;
      },
    };
    const store = plainStore({ dialect, pageParam: '' });
    server.always(({ query }) =>
      page(
        rowsFrom(1, 3)
          .filter(({ id }) => id > Number(query.get('after')))
          .slice(0, 2),
      ),
    );
    await loadAll(store);
    expect(server.lines.map((line) => line.slice(11))).toEqual(['limit=2', 'after=2&limit=2', 'after=3&limit=2']);
    expect(shown(store)).toEqual([1, 2, 3]);
  });
});
