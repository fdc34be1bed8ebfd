import { Model, Operation, type RestProxyConfig, Store } from 'repose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Exchange,
  POSTS,
  type RealServer,
  recordingFetch,
  START_TIMEOUT,
  startJsonServer,
  USERS,
} from '../helpers/servers/index.js';
import { serverContract } from './contract.js';
import { jsonServer } from './json-server-dialect.js';

serverContract('json-server', startJsonServer, {
  proxy: ({ url }) => ({ url: `${url}/users`, dialect: jsonServer() }),
  address: ({ url }, id) => `${url}/users/${id}`,
  without: { validation: 'json-server accepts any row' },
});

describe('json-server', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startJsonServer();
  }, START_TIMEOUT);
  afterAll(() => server?.stop());

  test('keeps nested members, null and the text of numbers and dates after a PUT', async () => {
    class Post extends Model.define({
      name: 'post',
      fields: { id: 'int', title: 'string', price: 'decimal', published: 'date' },
      proxy: {
        type: 'rest',
        url: `${server.url}/posts`,
        dialect: jsonServer(),
        actionMethods: { update: 'PUT' },
      },
    }) {}
    const post = await Post.load(1);
    expect(post.price).toBe('10.50');
    expect(post.published).toEqual(new Date('2026-11-21T08:00:00Z'));
    post.title = 'two';
    await post.save();
    const row = await (await fetch(`${server.url}/posts/1`)).json();
    expect(row).toEqual({ ...POSTS[0], title: 'two' });
  });

  test('gets ranges in its own parameters', async () => {
    const { User, exchanges } = people({ url: `${server.url}/users`, dialect: jsonServer() });
    const store = new Store({
      model: User,
      pageSize: 100,
      remoteFilter: true,
      filters: [
        { property: 'age', operator: '>=', value: 30 },
        { property: 'age', operator: 'le', value: 40 },
        { property: 'team', operator: '!=', value: 2 },
      ],
    });
    await store.load();
    const expected = USERS.filter(({ age, team }) => age !== null && age >= 30 && age <= 40 && team !== 2);
    expect([...store].map((record) => record.id)).toEqual(expected.map((row) => row.id));
    expect(exchanges.map((exchange) => exchange.url)).toEqual([
      `${server.url}/users?_page=1&_limit=100&age_gte=30&age_lte=40&team_ne=2`,
    ]);
  });

  test('gets the names of the server in filters and sorters, and the text of a search', async () => {
    const exchanges: Exchange[] = [];
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', fullName: { type: 'string', mapping: 'name' }, squad: { type: 'int', mapping: 'team' } },
      proxy: {
        ...{ type: 'rest', url: `${server.url}/users`, dialect: jsonServer(), fetch: recordingFetch(exchanges) },
      },
    }) {}
    const store = new Store({
      model: User,
      pageSize: 100,
      remoteSort: true,
      remoteFilter: true,
      sorters: [{ property: 'fullName', direction: 'DESC' }],
      filters: [{ property: 'squad', value: 1 }],
    });
    await store.load();
    const expected = USERS.filter(({ team }) => team === 1).map(({ name }) => name);
    expect([...store].map((record) => record.fullName)).toEqual(expected.sort().reverse());
    expect(expected.length).toBeGreaterThan(1);
    await User.proxy.read(new Operation({ action: 'read', search: 'Ada' }));
    expect(exchanges.map(({ url }) => url)).toEqual([
      `${server.url}/users?_page=1&_limit=100&_sort=name&_order=desc&team=1`,
      `${server.url}/users?q=Ada`,
    ]);
  });

  test('gets no request for a query that it does not support', async () => {
    const { User, exchanges } = people({ url: `${server.url}/users`, dialect: jsonServer() });
    const store = new Store({
      model: User,
      remoteFilter: true,
      filters: [{ property: 'name', operator: 'contains', value: 'Ada' }],
    });
    await expect(store.load()).rejects.toMatchObject({ code: 'unsupported-query' });
    expect(exchanges).toEqual([]);
  });
});

function people(proxy: RestProxyConfig) {
  const exchanges: Exchange[] = [];
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true }, team: 'int' },
    proxy: { type: 'rest', ...proxy, fetch: recordingFetch(exchanges) },
  }) {}
  return { User, exchanges };
}
