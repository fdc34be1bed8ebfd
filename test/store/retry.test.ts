import { Model, plain, Store, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', no: 'string' },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

const listed = (...ids: number[]) => ({
  json: ids.map((id) => ({ id, no: `n${id}` })),
  headers: { 'X-Total-Count': '6' },
});
const failed = { status: 500 };
const newStore = () => new Store({ model: Order, pageSize: 2, remoteSort: true });
const ids = (store: Store<Order>) => store.getRange().map(({ id }) => id);
const never = (load: Promise<unknown>) => load.catch(() => undefined);

describe('store.retry()', () => {
  test('repeats a failed loadMore(), and keeps the rows before it', async () => {
    const store = newStore();
    server.reply(listed(1, 2), failed, listed(3, 4));
    await store.load();
    await never(store.loadMore());
    await store.retry();
    expect(ids(store)).toEqual([1, 2, 3, 4]);
    expect(server.lines[2]).toBe(server.lines[1]);
    expect(store.status.get().error).toBeUndefined();
  });

  test('repeats a failed page with its parameters', async () => {
    const store = newStore();
    server.reply(listed(1, 2), failed, failed, listed(5, 6));
    await store.load();
    await never(store.load({ page: 3, params: { expand: 'lines' } }));
    await expect(store.retry()).rejects.toMatchObject({ code: 'http' });
    await store.retry();
    expect(server.lines.slice(1)).toEqual(Array(3).fill('GET /orders?expand=lines&page=3&limit=2'));
    expect(ids(store)).toEqual([5, 6]);
  });

  test('sends nothing after a load that has succeeded, and before the first load', async () => {
    const store = newStore();
    expect(await store.retry()).toEqual([]);
    server.reply(failed, listed(1, 2));
    await never(store.load());
    await store.load();
    expect(await store.retry()).toEqual([]);
    expect(server.lines).toHaveLength(2);
  });

  test('begins with page 1 if the query has changed since', async () => {
    const store = newStore();
    server.reply(failed, listed(1, 2));
    await never(store.load({ page: 3 }));
    store.sort('no');
    await store.retry();
    expect(server.lines[1]).toBe('GET /orders?page=1&limit=2&sort=no');
  });

  test('does not use the signal of the failed call', async () => {
    const store = newStore();
    const controller = new AbortController();
    server.reply(failed, listed(1, 2));
    await never(store.load({ signal: controller.signal }));
    controller.abort();
    await store.retry();
    expect(ids(store)).toEqual([1, 2]);
  });

  test('rejects after dispose()', async () => {
    const store = newStore();
    store.dispose();
    await expect(store.retry()).rejects.toMatchObject({ code: 'disposed' });
  });
});

test('window.retry() asks again for the records on show that could not be loaded, and for no others', async () => {
  const rows = windowOf(newStore(), { end: 4, prefetch: 0 });
  server.always(({ query }) => (query.get('page') === '1' ? listed(1, 2) : failed));
  await expect(rows.show({ start: 0, end: 4 })).rejects.toMatchObject({ code: 'http' });
  server.always(() => listed(3, 4));
  await rows.retry();
  expect(
    rows.list
      .get()
      .slice()
      .map((order) => order?.id),
  ).toEqual([1, 2, 3, 4, undefined, undefined]);
  expect(server.lines.filter((line) => line.includes('page=1'))).toHaveLength(1);
  expect(rows.status.get().error).toBeUndefined();
});
