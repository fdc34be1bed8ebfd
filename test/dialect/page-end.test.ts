import { DefinitionError, Model, Operation, plain, Store, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const modelWith = (pageEnd?: readonly number[], config: object = {}) =>
  class Item extends Model.define({
    name: 'item',
    fields: { id: 'int' },
    proxy: server.proxy('/items', { dialect: plain({ ...(pageEnd && { pageEnd }), ...config }) }),
  }) {};
const rows = (...ids: number[]) => ({ json: ids.map((id) => ({ id })) });

describe('`pageEnd`', () => {
  test.each([404, 416])('reads a %i to a page behind the last row as an empty page', async (status) => {
    const store = new Store({ model: modelWith([404, 416]), pageSize: 2 });
    server.reply(rows(1, 2), { status, json: { message: 'no such page' } });
    await store.load();
    expect(await store.loadMore()).toEqual([]);
    expect([store.count, store.hasMore, store.total]).toEqual([2, false, 2]);
  });

  test('shows nothing for a page far behind the last row, and takes the total of the response', async () => {
    const store = new Store({ model: modelWith([404]), pageSize: 2 });
    server.reply({ status: 404, headers: { 'X-Total-Count': '3' }, text: 'nothing here' } as never);
    expect(await store.load({ page: 9 })).toEqual([]);
    expect([store.count, store.total, store.hasMore]).toEqual([0, 3, false]);
  });

  test('serves windows, whose last block may be behind the last row', async () => {
    const store = new Store({ model: modelWith([404]), pageSize: 2 });
    server.always(({ query }) => (query.get('page') === '1' ? rows(1, 2) : { status: 404 }));
    const window = windowOf(store);
    await window.show({ start: 0, end: 4 });
    expect([window.getAt(0)?.id, window.getAt(2), window.total]).toEqual([1, undefined, 2]);
    window.dispose();
  });

  test.each<readonly [string, (store: Store<InstanceType<ReturnType<typeof modelWith>>>) => Promise<unknown>]>([
    ['the first page', (store) => store.load()],
    ['one record', (store) => (store.model as unknown as ReturnType<typeof modelWith>).load(7)],
    ['a link', (store) => store.proxy.read(new Operation({ action: 'read', link: '/items?page=2', page: 2 }))],
    ['a status that it does not name', (store) => store.load({ page: 2, params: { status: 410 } })],
  ])('does not concern %s', async (_, read) => {
    const store = new Store({ model: modelWith([404]), pageSize: 2 });
    server.always(({ query }) => ({ status: Number(query.get('status') ?? 404) }));
    await expect(read(store as never)).rejects.toMatchObject({ code: 'http' });
  });

  test('is not set by default', async () => {
    server.reply({ status: 404 });
    await expect(new Store({ model: modelWith(), pageSize: 2 }).load({ page: 2 })).rejects.toMatchObject({
      code: 'http',
    });
  });

  test.each([404, ['404'], [200], [404.5], [500]])('must be a list of statuses, not %j', (pageEnd) => {
    expect(() => plain({ pageEnd: pageEnd as never })).toThrow(DefinitionError);
  });
});
