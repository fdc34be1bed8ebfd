import {
  DefinitionError,
  type Dialect,
  explain,
  Model,
  Operation,
  plain,
  ReadError,
  RestProxy,
  type RestProxyConfig,
  rowCount,
  Store,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = { id: 'int', name: 'string' } as const;
const modelWith = (config: RestProxyConfig) =>
  class User extends Model.define({ fields, proxy: server.proxy('/users', { dialect: plain(), ...config }) }) {};
const bodyOf = () => server.last.body as unknown;

describe('`api.list` with a method and a body of its own', () => {
  test('sends the query in the body, and everything else as before', async () => {
    const User = modelWith({ api: { list: { url: '/users/_search', body: true } }, extraParams: { tenant: 3 } });
    server.reply({ json: [{ id: 1, name: 'a' }] }, { json: { id: 1, name: 'b' } }, { status: 204 });
    const store = new Store({ model: User, pageSize: 25, remoteSort: true, remoteFilter: true, sorters: ['name'] });
    store.setQuery(
      store.query.with({ filters: [...store.query.filters, { property: 'name', operator: 'in', value: ['a', 'b'] }] }),
    );
    await store.load({ params: { deep: { a: [1, null] } } });
    expect(server.lines).toEqual(['POST /users/_search']);
    expect(bodyOf()).toEqual({ tenant: 3, deep: { a: [1, null] }, page: 1, limit: 25, sort: 'name', name: ['a', 'b'] });
    expect(server.last.headers['content-type']).toBe('application/json');
    const user = store.getAt(0);
    await user?.$.reload();
    await user?.erase();
    expect(server.lines.slice(1)).toEqual(['GET /users/1?tenant=3', 'DELETE /users/1?tenant=3']);
  });

  test('sends what a function makes of the parameters', async () => {
    const seen: unknown[] = [];
    const User = modelWith({
      api: {
        list: {
          url: '/find',
          method: 'put',
          body: ({ page, ...rest }, { operation }) => {
            seen.push(operation.limit);
            return { from: Number(page) - 1, rest };
          },
        },
      },
    });
    server.reply({ json: [] });
    await new Store({ model: User, pageSize: 10 }).load();
    expect([server.lines, bodyOf(), seen]).toEqual([['PUT /find'], { from: 0, rest: { limit: 10 } }, [10]]);
  });

  test('sends nested values that a dialect has collected', async () => {
    const house: Dialect = {
      ...plain(),
      name: 'house',
      filter({ request }) {
        request.collect('query', { match: { all: true } }, 'house', 'filters');
      },
    };
    server.reply({ json: [] });
    await new Store({ model: modelWith({ dialect: house, api: { list: { body: true } } }), pageSize: 0 }).load();
    expect([server.lines, bodyOf()]).toEqual([['POST /users'], { query: { match: { all: true } } }]);
  });

  test('has a method without a body too, with the query in the address', async () => {
    const User = modelWith({ api: { list: { method: 'POST' } }, actionMethods: { read: 'GET' } });
    server.reply({ json: [] });
    await new Store({ model: User, pageSize: 5 }).load();
    expect(server.lines).toEqual(['POST /users?page=1&limit=5']);
    expect(server.last.text).toBe('');
  });

  test('does not apply to a `url` of the call, to links and to `send()`', async () => {
    const User = modelWith({ api: { list: { url: '/users/_search', body: true } } });
    server.reply({ json: [] }, { json: [] }, { json: {} });
    const { proxy } = User as unknown as { proxy: RestProxy };
    await new Store({ model: User, pageSize: 0 }).load({ url: '/users/mine' });
    await proxy.read(new Operation({ action: 'read', link: '/users?from=2' }));
    await proxy.send({ path: 'stats', params: { year: 1 } });
    expect(server.lines).toEqual(['GET /users/mine', 'GET /users?from=2', 'GET /users/_search/stats?year=1']);
  });

  test('is explained', async () => {
    const api = { list: { url: '/users/_search', body: true } };
    const proxy = new RestProxy(server.proxy('/users', { dialect: plain(), api }));
    const { method, body, parts } = await explain(proxy, { action: 'read', page: 2, limit: 5 });
    expect([method?.text, body?.text, parts]).toEqual([
      'POST',
      '{"page":2,"limit":5}',
      [{ text: '/users/_search', rule: expect.any(String), option: 'api.list' }],
    ]);
  });

  test('is not redirected, because only GET is', async () => {
    server.reply({ status: 302, headers: { Location: '/users/other' } });
    const store = new Store({ model: modelWith({ api: { list: { body: true } } }), pageSize: 0 });
    await expect(store.load()).rejects.toThrow(ReadError);
    expect(server.requests).toHaveLength(1);
  });

  test.each<[unknown, RegExp]>([
    [{ url: '/x', verb: 'POST' }, /'verb' is not an option of RestProxy.api.list/],
    [{ method: 'PSOT' }, /RestProxy.api.list.method must be an HTTP method/],
    [
      { method: 'GET', body: true },
      /RestProxy.api.list.method must be a method that may have a body, such as 'POST', not 'GET'/,
    ],
    [{ body: 'params' }, /RestProxy.api.list.body must be true, or a function, not 'params'/],
    [5, /RestProxy.api.list must be an address, or an object such as/],
  ])('refuses %j', (list, text) => {
    const config = { url: '/users', api: { list } } as unknown as RestProxyConfig;
    expect(() => new RestProxy(config)).toThrow(DefinitionError);
    expect(() => new RestProxy(config)).toThrow(text);
  });
});

describe('`api.bulk` and `batchActions` per action', () => {
  const seed = [1, 2].map((id) => ({ id, name: 'a' }));
  const api = { bulk: '/users/_bulk', update: '/users/edit' };

  test('send several records to `api.bulk`, and one record to its own address', async () => {
    const User = modelWith({ batchActions: true, api });
    const store = new Store({ model: User, data: seed });
    for (const user of store) user.name = 'b';
    server.reply({ status: 204 }, { status: 204 });
    await store.sync();
    const [first] = store;
    if (first) first.name = 'c';
    await store.sync();
    expect(server.lines).toEqual(['PATCH /users/_bulk', 'PATCH /users/edit/1']);
    expect(server.requests[0]?.body).toEqual(seed.map(({ id }) => ({ id, name: 'b' })));
  });

  test('batch only the actions that are named', async () => {
    const User = modelWith({ batchActions: { destroy: true, create: false } });
    const store = new Store({ model: User, data: [...seed, { id: 3, name: 'a' }, { id: 4, name: 'a' }] });
    server.always(({ method }) => (method === 'POST' ? { json: { id: 9 + server.requests.length } } : { status: 204 }));
    for (const user of [...store].slice(0, 2)) user.name = 'b';
    store.remove(...[...store].slice(2));
    store.add({ name: 'x' }, { name: 'y' });
    expect((await store.sync()).failures).toEqual([]);
    expect([...server.lines].sort()).toEqual([
      'DELETE /users',
      'PATCH /users/1',
      'PATCH /users/2',
      'POST /users',
      'POST /users',
    ]);
  });

  test('refuse several records of another action', async () => {
    const proxy = new RestProxy(server.proxy('/users', { batchActions: { update: true } }));
    const User = modelWith({});
    const records = seed.map((row) => User.fromRow(row)) as never[];
    const refusal = async (action: 'update' | 'destroy') => (await explain(proxy, { action, records })).refused?.code;
    expect([await refusal('update'), await refusal('destroy')]).toEqual([undefined, 'address']);
  });

  test('split records by the template of `api.bulk`', async () => {
    class Post extends Model.define({
      fields: { id: 'int', userId: 'int', title: 'string' },
      proxy: server.proxy('/posts', { dialect: plain(), batchActions: true, api: { bulk: '/users/{userId}/posts' } }),
    }) {}
    const rows = [1, 2, 3, 4].map((id) => ({ id, userId: id % 2, title: 'a' }));
    const store = new Store({ model: Post, data: rows });
    for (const post of store) post.title = 'b';
    server.always(() => ({ status: 204 }));
    await store.sync();
    expect([...server.lines].sort()).toEqual(['PATCH /users/0/posts', 'PATCH /users/1/posts']);
  });

  test.each<[unknown, RegExp]>([
    [{ erase: true }, /'erase' is not an option of RestProxy.batchActions/],
    [{ update: 1 }, /RestProxy.batchActions.update must be true or false, not 1/],
    ['update', /RestProxy.batchActions must be true or false, or an object such as/],
  ])('refuse %j', (batchActions, text) => {
    expect(() => new RestProxy({ batchActions } as unknown as RestProxyConfig)).toThrow(text);
  });
});

test('lists and creates below a parent, and writes each record at an address of its own', async () => {
  class Comment extends Model.define({
    fields: { id: 'int', postId: 'int', body: 'string' },
    proxy: server.proxy('/comments', {
      dialect: plain(),
      api: { list: '/posts/{postId}/comments', create: '/posts/{postId}/comments' },
    }),
  }) {}
  server.reply(
    { json: [{ id: 121, postId: 3, body: 'a' }] },
    { status: 201, headers: { Location: '/comments/122' } },
    { status: 204 },
    { status: 204 },
  );
  const store = new Store({ model: Comment, pageSize: 0 });
  await store.load({ pathParams: { postId: 3 } });
  const [added] = store.add({ postId: 3, body: 'b' });
  await store.sync();
  expect(added?.id).toBe(122);
  const [first] = store;
  if (first) first.body = 'c';
  await store.sync();
  await added?.erase();
  expect(server.lines).toEqual([
    'GET /posts/3/comments',
    'POST /posts/3/comments',
    'PATCH /comments/121',
    'DELETE /comments/122',
  ]);
});

describe('`api.list` with parameters of its own', () => {
  test('sends them with the list alone', async () => {
    const User = modelWith({
      api: { list: { params: { expand: 'team', tenant: 1, none: undefined } } },
      extraParams: { tenant: 3 },
    });
    server.reply({ json: [{ id: 1, name: 'a' }] }, { json: { id: 1, name: 'a' } }, { status: 204 });
    const store = new Store({ model: User, pageSize: 25 });
    await store.load({ params: { expand: 'role' } });
    await store.getAt(0)?.$.reload();
    await store.getAt(0)?.erase();
    expect(server.lines).toEqual([
      // Parameters of the call win over those of the list, and these over `extraParams`.
      'GET /users?expand=role&tenant=1&page=1&limit=25',
      'GET /users/1?tenant=3',
      'DELETE /users/1?tenant=3',
    ]);
  });

  test('sends what a function makes of all parameters', async () => {
    const seen: unknown[] = [];
    const User = modelWith({
      extraParams: { tenant: 3 },
      api: {
        list: {
          url: '/users/list',
          params: ({ page, limit, ...where }, { operation }) => {
            seen.push(operation.page);
            return { first: (Number(page) - 1) * Number(limit), rows: limit, where };
          },
        },
      },
    });
    server.reply({ json: [] });
    const store = new Store({
      model: User,
      pageSize: 10,
      remoteFilter: true,
      filters: [{ property: 'name', value: 'a&b' }],
    });
    await store.load({ page: 2 });
    expect([server.last.path, Object.fromEntries(server.last.query), seen]).toEqual([
      '/users/list',
      { first: '10', rows: '10', where: '{"tenant":3,"name":"a&b"}' },
      [2],
    ]);
  });

  test('puts them into the body, if the list has one', async () => {
    const User = modelWith({
      api: { list: { url: '/find', body: true, params: ({ page }) => ({ from: page, deep: { a: 1 } }) } },
    });
    server.reply({ json: [] });
    await new Store({ model: User, pageSize: 10 }).load();
    expect([server.lines, bodyOf()]).toEqual([['POST /find'], { from: 1, deep: { a: 1 } }]);
  });

  test('leaves the request for the number of rows to `countUrl.params`', async () => {
    const User = modelWith({ countUrl: rowCount('/users/count'), api: { list: { params: { expand: 'team' } } } });
    server.always(({ path }) => ({ json: path === '/users/count' ? 1 : [{ id: 1, name: 'a' }] }));
    await new Store({ model: User, pageSize: 10 }).load();
    expect(server.lines.toSorted()).toEqual(['GET /users/count', 'GET /users?expand=team&page=1&limit=10']);
  });

  test('names the option in an explanation', async () => {
    const User = modelWith({ api: { list: { params: { expand: 'team' } } } });
    const { parts } = await explain(User.proxy, { action: 'read' });
    expect(parts).toContainEqual(expect.objectContaining({ text: '?expand=team', option: 'api.list.params' }));
  });

  test.each([5, 'a=1', [1]])('must be an object or a function, not %j', (params) => {
    expect(() => modelWith({ api: { list: { params: params as never } } }).proxy).toThrow(DefinitionError);
  });

  test.each([
    ['a promise', async () => ({})],
    ['a text', () => 'a=1'],
  ])('is refused if its function returns %s', async (_, params) => {
    const User = modelWith({ api: { list: { params: params as never } } });
    await expect(new Store({ model: User }).load()).rejects.toThrow('api.list.params');
    expect(server.requests).toEqual([]);
  });
});

describe('`api.read` with a method and a body of its own', () => {
  test('sends the id in the body, if addresses hold no ids', async () => {
    const User = modelWith({ appendId: false, api: { read: { url: '/users/_get', body: true } } });
    server.reply({ json: { id: 7, name: 'a' } }, { status: 204 });
    const user = await User.load(7, { params: { deep: true } });
    expect([server.lines, bodyOf(), user.name]).toEqual([['POST /users/_get'], { id: 7, deep: true }, 'a']);
    await user.erase();
    expect([server.lines.slice(1), bodyOf()]).toEqual([['DELETE /users'], { id: 7 }]);
  });

  test('is the form of the reads of the collection too, unless `api.list` is set', async () => {
    const read = { url: '/find', method: 'PUT', params: { expand: 'team' }, body: (params: object) => ({ q: params }) };
    server.always(() => ({ json: [{ id: 7 }] }));
    await new Store({ model: modelWith({ api: { read } }), pageSize: 10 }).load();
    expect([server.lines, bodyOf()]).toEqual([['PUT /find'], { q: { expand: 'team', page: 1, limit: 10 } }]);
    await new Store({ model: modelWith({ api: { read, list: '/users' } }), pageSize: 0 }).load();
    await modelWith({ api: { read, list: { body: true } } }).load(7);
    expect(server.lines.slice(1)).toEqual(['GET /users', 'PUT /find/7']);
    expect(bodyOf()).toEqual({ q: { expand: 'team' } });
  });

  test('reads the record of a singleton', async () => {
    const User = modelWith({ singleton: true, api: { read: { method: 'POST' } } });
    server.reply({ json: { name: 'a' } });
    await User.load();
    expect(server.lines).toEqual(['POST /users']);
  });

  test('tells a record that is gone from an address that serves only reads', async () => {
    const User = modelWith({ api: { read: { url: '/find', body: true } } });
    const user = User.fromRow({ id: 7, name: 'a' });
    server.reply({ status: 409 }, { status: 404 });
    await expect(user.save({ headers: { 'If-Match': '"1"' } })).rejects.toMatchObject({ code: 'conflict' });
    await expect(user.$.reload()).rejects.toMatchObject({ status: 404 });
    expect(server.lines).toEqual(['PATCH /users/7', 'POST /find/7']);
  });

  test('is not used for links, `send()` and calls with an address of their own', async () => {
    const User = modelWith({ api: { read: { url: '/find', method: 'POST' } } });
    server.always(() => ({ json: { id: 7 } }));
    await User.load(7, { url: '/other' });
    await (User.proxy as RestProxy).send({ record: User.fromRow({ id: 7 }) });
    expect(server.lines[0]).toBe('GET /other/7');
    expect(server.last.method).toBe('GET');
  });

  test('names the option in an explanation', async () => {
    const User = modelWith({ api: { read: { url: '/find', params: { expand: 'team' } } } });
    const { parts } = await explain(User.proxy, { action: 'read', id: 7, model: User });
    expect(parts.map(({ text, option }) => [text, option])).toEqual([
      ['/find', 'api.read'],
      ['/7', 'appendId'],
      ['?expand=team', 'api.read.params'],
    ]);
  });

  test.each([
    [{ read: { verb: 'POST' } }, 'verb'],
    [{ read: { method: 'GET', body: true } }, 'api.read.method'],
    [{ read: 5 }, 'api.read'],
  ])('refuses %j', (api, text) => {
    expect(() => modelWith({ api: api as never }).proxy).toThrow(text);
  });
});
