import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  differenceOf,
  Model,
  NetworkError,
  ReadError,
  Store,
  type StoreConfig,
  type StreamProgress,
  streaming,
  UnsupportedQueryError,
  viewOf,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let server: Server;
/** Requests that wait for their response, in their order. */
let answers: ServerResponse[];
let waiting: ((response: ServerResponse) => void)[];

beforeAll(async () => {
  server = createServer((_, response) => {
    const next = waiting.shift();
    if (next) next(response);
    else answers.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  answers = [];
  waiting = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The next request that waits for a response. */
const asked = (): Promise<ServerResponse> => {
  const here = answers.shift();
  return here ? Promise.resolve(here) : new Promise((resolve) => waiting.push(resolve));
};

const fields = { id: 'int', name: 'string', size: 'int' } as const;

function storeOf(config: Partial<StoreConfig<never>> = {}, reader: object = { stream: true, rootProperty: 'data' }) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`;
  const Row = Model.define({
    name: 'row',
    fields,
    proxy: { type: 'rest', url, noCache: false, reader: reader as never, use: [streaming()] },
  });
  const store = new Store({ model: Row, pageSize: 0, ...(config as object) });
  const events: string[] = [];
  const progress: StreamProgress[] = [];
  const changed: (() => void)[] = [];
  store.on('change', (change) => {
    const { added, removed } = differenceOf(change);
    events.push(`change +${added.length} -${removed.length}`);
    for (const each of changed.splice(0)) each();
  });
  store.on('progress', (event) => {
    progress.push(event);
    events.push(`progress ${event.records}`);
  });
  store.on('load', ({ records }) => events.push(`load ${records.length}`));
  store.on('exception', ({ error }) => events.push(`exception ${error.code}`));
  /** Resolves with the next `change`. */
  const change = () => new Promise<void>((resolve) => changed.push(resolve));
  const ids = () => [...store].map((record) => record.id);
  return { store, events, progress, change, ids };
}

const row = (id: number, size = id) => JSON.stringify({ id, name: `n${id}`, size });
const outcome = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: unknown) => error);

describe('a load with a streaming reader', () => {
  test('shows records while the body is still arriving, and emits `progress`', async () => {
    const { store, events, progress, change, ids } = storeOf();
    const load = store.load();
    const response = await asked();
    let changed = change();
    response.write(`{"total":3,"data":[${row(1)},`);
    await changed;
    expect(ids()).toEqual([1]);
    expect(store.status.get().loading).toBe(true);
    expect(store.status.get().loaded).toBe(false);
    changed = change();
    response.write(`${row(2)},`);
    await changed;
    expect(ids()).toEqual([1, 2]);
    response.end(`${row(3)}]}`);
    expect((await load).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(events).toEqual([
      ...['change +1 -0', 'progress 1', 'change +1 -0', 'progress 2', 'change +1 -0', 'progress 3', 'load 3'],
    ]);
    expect(progress.map(({ total }) => total)).toEqual([3, 3, 3]);
    expect(store.status.get()).toMatchObject({ loading: false, loaded: true, total: 3 });
    expect(store.hasMore).toBe(false);
  });

  test('sorts and filters records as they arrive', async () => {
    const { store, change, ids } = storeOf({ sorters: ['size'] as never });
    store.filter({ property: 'size', operator: 'lt', value: 9 });
    const load = store.load();
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1, 5)},${row(2, 9)},`);
    await changed;
    response.end(`${row(3, 2)},${row(4, 7)}]}`);
    await load;
    expect(ids()).toEqual([3, 1, 4]);
  });

  test('keeps edits made meanwhile, and drops records that are not in the response', async () => {
    const { store, change, ids } = storeOf();
    const first = store.load();
    (await asked()).end(`{"data":[${row(8)},${row(1)}]}`);
    await first;
    (store.getById(1) as { name?: string }).name = 'edited';
    const load = store.load();
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1)},`);
    await changed;
    expect(ids()).toEqual([1]);
    const known = store.getById(1);
    (known as { size?: number }).size = 99;
    response.end(`${row(1)},${row(2)}]}`);
    expect((await load).map(({ id }) => id)).toEqual([1, 2]);
    expect(ids()).toEqual([1, 2]);
    expect(store.getById(1)).toBe(known);
    expect(known).toMatchObject({ name: 'edited', size: 99, dirty: true });
    expect(store.getById(8)).toBeUndefined();
  });

  test('that is superseded by a later one adds no more rows', async () => {
    const { store, events, change, ids } = storeOf();
    const first = store.load({ params: { q: 1 } });
    const old = await asked();
    const changed = change();
    old.write(`{"data":[${row(1)},`);
    await changed;
    const second = store.load({ params: { q: 2 } });
    const response = await asked();
    old.end(`${row(2)}]}`);
    response.end(`{"data":[${row(7)}]}`);
    expect((await first).map(({ id }) => id)).toEqual([7]);
    expect((await second).map(({ id }) => id)).toEqual([7]);
    expect(ids()).toEqual([7]);
    expect(events.filter((each) => each.startsWith('load'))).toEqual(['load 1']);
  });

  test('that is aborted keeps the rows received', async () => {
    const { store, events, change, ids } = storeOf();
    const controller = new AbortController();
    const load = outcome(store.load({ signal: controller.signal }));
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1)},`);
    await changed;
    const closed = once(response, 'close');
    controller.abort();
    expect(await load).toMatchObject({ code: 'abort' });
    await closed;
    expect(ids()).toEqual([1]);
    expect(events.at(-1)).toBe('exception abort');
    expect(store.status.get().loading).toBe(false);
  });

  test('whose connection breaks rejects and keeps the rows received', async () => {
    const { store, change, ids } = storeOf();
    const load = outcome(store.load());
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1)},`);
    await changed;
    response.destroy();
    expect(await load).toBeInstanceOf(NetworkError);
    expect(ids()).toEqual([1]);
    expect(store.status.get().error).toBeInstanceOf(NetworkError);
    expect(() => store.sort('size')).toThrow(UnsupportedQueryError);
  });

  test('with a strict reader rejects at a row with a refused value, and names its index', async () => {
    const { store, change } = storeOf({}, { stream: true, rootProperty: 'data', strict: true });
    const load = outcome(store.load());
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1)},`);
    await changed;
    response.end('{"id":2,"name":"b","size":"large"}]}');
    const error = await load;
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ params: { row: 1, field: 'size' } });
  });

  /** Sends rows one by one, each but the last after the one before was shown. */
  async function sendSlowly({ store }: ReturnType<typeof storeOf>, response: ServerResponse, ids: number[]) {
    const [last = 0, ...others] = [...ids].reverse();
    response.write('{"data":[');
    for (const id of others.reverse()) {
      const came = new Promise((resolve) => store.on('progress', resolve));
      response.write(`${row(id)},`);
      await came;
    }
    response.end(`${row(last)}]}`);
  }

  async function loadedStore(ids: number[], config: object = {}) {
    const made = storeOf(config as never);
    const load = made.store.load();
    (await asked()).end(`{"data":[${ids.map((id) => row(id)).join()}]}`);
    await load;
    return made;
  }

  test('keeps the records whose rows arrive again, whenever these arrive', async () => {
    const made = await loadedStore([1, 2, 3]);
    const before = [...made.store];
    const load = made.store.load();
    await sendSlowly(made, await asked(), [1, 2, 3]);
    await load;
    expect([...made.store].every((record, i) => record === before[i])).toBe(true);
  });

  test('does not show a record again that was erased meanwhile, however late its row arrives', async () => {
    const made = await loadedStore([1, 2, 3]);
    const { store, ids } = made;
    const load = store.load();
    const response = await asked();
    const erase = store.getById(3)?.erase();
    (await asked()).writeHead(204).end();
    await erase;
    await sendSlowly(made, response, [1, 2, 3, 4]);
    await load;
    expect(ids()).toEqual([1, 2, 4]);
  });

  test('keeps new records behind the rows', async () => {
    const made = await loadedStore([1]);
    const { store } = made;
    store.add({ name: 'before' } as never);
    const load = store.load();
    await sendSlowly(made, await asked(), [1, 2, 3]);
    await load;
    expect([...store].map(({ name }) => name)).toEqual(['n1', 'n2', 'n3', 'before']);
  });

  test('sorts a collection in which a row arrives twice', async () => {
    const made = storeOf({ sorters: ['size'] } as never);
    const load = made.store.load();
    await sendSlowly(made, await asked(), [2, 1, 2]);
    await load;
    expect(made.ids()).toEqual([1, 2]);
  });

  test('does not count new records as rows', async () => {
    const { store, change } = storeOf({ pageSize: 2 } as never);
    const load = store.load();
    const response = await asked();
    const changed = change();
    response.write(`{"total":3,"data":[${row(1)},`);
    await changed;
    store.add({ name: 'new' } as never);
    response.end(`${row(2)}]}`);
    await load;
    expect(() => store.sort('name')).toThrow(/part/);
  });

  test('that broke off is repeated by loadMore(), which leaves out no row', async () => {
    const { store, change, ids } = await loadedStore([1, 2], { pageSize: 2 });
    const load = outcome(store.load());
    const response = await asked();
    const changed = change();
    response.write(`{"data":[${row(1)},`);
    await changed;
    response.destroy();
    expect(await load).toBeInstanceOf(NetworkError);
    const more = store.loadMore();
    const again = await asked();
    expect(again.req.url).toBe('/rows?page=1&start=0&limit=2');
    again.end(`{"data":[${row(1)},${row(2)}]}`);
    await more;
    expect(ids()).toEqual([1, 2]);
  });

  test('appends rows with loadMore()', async () => {
    const { store, ids, progress } = storeOf({ pageSize: 2 } as never);
    const load = store.load();
    (await asked()).end(`{"total":3,"data":[${row(1)},${row(2)}]}`);
    await load;
    const more = store.loadMore();
    (await asked()).end(`{"total":3,"data":[${row(2)},${row(3)}]}`);
    await more;
    expect(ids()).toEqual([1, 2, 3]);
    expect(store.hasMore).toBe(false);
    expect(progress.length).toBeGreaterThan(1);
  });

  test('makes one record of a row that arrives twice, at its place in every view', async () => {
    const { store, ids } = storeOf({ pageSize: 2 } as never);
    const bySize = viewOf(store, { sorters: ['size'] });
    const load = store.load();
    (await asked()).end(`{"data":[${row(1, 5)},${row(2, 7)}]}`);
    await load;
    expect(bySize.count).toBe(2);
    const more = store.loadMore();
    (await asked()).end(`{"data":[${row(3, 1)},${row(3, 6)},${row(3, 9)},${row(1, 8)},${row(1, 6)}]}`);
    expect((await more).map(({ id }) => id)).toEqual([3, 1]);
    expect(ids()).toEqual([1, 2, 3]);
    expect([...bySize].map(({ id, size }) => [id, size])).toEqual([
      [1, 6],
      [2, 7],
      [3, 9],
    ]);
    (store.getById(3) as { size?: number }).size = 0;
    expect([...bySize].map(({ id }) => id)).toEqual([3, 1, 2]);
  });

  test('shows nothing before the end if local sorters need the whole collection', async () => {
    const { store, ids, progress } = storeOf({ pageSize: 2, sorters: ['size'] } as never);
    const load = outcome(store.load());
    (await asked()).end(`{"total":9,"data":[${row(2)},${row(1)}]}`);
    expect(await load).toMatchObject({ code: 'unsupported-query' });
    expect(ids()).toEqual([]);
    expect(progress).toEqual([]);
  });

  test('reads NDJSON, too', async () => {
    const { store, ids, progress } = storeOf({}, { type: 'ndjson' });
    const load = store.load();
    (await asked()).end(`${row(1)}\n${row(2)}\n`);
    await load;
    expect(ids()).toEqual([1, 2]);
    expect(progress.at(-1)).toMatchObject({ records: 2 });
  });
});
