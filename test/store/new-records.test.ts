import { Model, nextPage, plain, Store, type StoreConfig } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { dialect: plain() }),
}) {}

const letters = [...'acegikmoqs'];

beforeEach(() => {
  server.always(({ method, query, body }) => {
    if (method === 'POST') return { status: 201, json: { ...body, id: 99 } };
    const limit = Number(query.get('limit') ?? letters.length);
    const start = (Number(query.get('page') ?? 1) - 1) * limit;
    const all = letters.map((name, at) => ({ id: at + 1, name }));
    return { json: all.slice(start, start + limit), headers: { 'x-total-count': '10' } };
  });
});

const open = (config: Partial<StoreConfig<User>> = {}) =>
  new Store({ model: User, pageSize: 4, sorters: ['name'], ...config });
const names = (store: Store<User>) => [...store].map(({ name }) => name).join('');

describe('new records in a list of which only a page is loaded', () => {
  test.each<[NonNullable<StoreConfig<User>['newRecords']>, string, string, string]>([
    ['first', 'fjaceg', 'fjikmo', 'fjikmoqs'],
    ['last', 'acegfj', 'ikmofj', 'ikmoqsfj'],
    ['sorted', 'acefgj', 'fijkmo', 'fijkmoqs'],
  ])('stand %s on each page, until they are saved', async (newRecords, first, second, more) => {
    const store = open({ newRecords });
    await store.load();
    store.add({ name: 'f' });
    store.add({ name: 'j' });
    expect(names(store)).toBe(first);
    await nextPage(store);
    expect([names(store), store.total]).toEqual([second, 10]);
    await store.loadMore();
    expect(names(store)).toBe(more);
    await store.reload();
    store.remove(...store.pending.created.slice(0, 1));
    (await store.sync()).orThrow();
    await store.load();
    expect(names(store)).toBe('aceg');
  });

  test.each([true, 'auto'] as const)('are sorted among the rows with `remoteSort: %s`', async (remoteSort) => {
    const store = open({ newRecords: 'sorted', remoteSort, sorters: [{ property: 'name', direction: 'DESC' }] });
    server.always(() => ({
      json: [
        { id: 2, name: 'g' },
        { id: 1, name: 'c' },
      ],
      headers: { 'x-total-count': '10' },
    }));
    store.add({ name: 'f' }, { name: 'a' }, { name: 'z' });
    await store.load();
    expect(names(store)).toBe('zgfca');
  });

  test('are told once, and a reload of the same page tells nothing', async () => {
    const store = open({ newRecords: 'first' });
    await store.load();
    const log = eventLog(store);
    store.add({ name: 'f' });
    store.flush();
    await store.reload();
    expect(log.filter((line) => line.startsWith('change'))).toEqual(['change +new']);
  });

  test('are not shown after the next load without the option, but stay pending', async () => {
    const store = open();
    await store.load();
    store.add({ name: 'f' });
    await nextPage(store);
    expect([names(store), store.pending.created.length]).toEqual(['ikmo', 1]);
  });

  test('stand where `insert()` puts them until the next load', async () => {
    const store = open({ newRecords: 'last' });
    await store.load();
    store.insert(1, { name: 'f' });
    expect(names(store)).toBe('afceg');
    await store.reload();
    expect(names(store)).toBe('acegf');
  });

  test('stand at their places in a list that the store sorts', async () => {
    const store = open({ newRecords: 'first', pageSize: 0 });
    await store.load();
    store.add({ name: 'f' });
    expect(names(store)).toBe('acefgikmoqs');
  });

  test('may only have one of three places', () => {
    expect(() => open({ newRecords: 'top' as never })).toThrow(
      'store.newRecords must be "first" or "last" or "sorted"',
    );
  });
});
