import {
  type Action,
  AjaxProxy,
  Model,
  Operation,
  type OperationConfig,
  ProxyRequest,
  RestProxy,
  type RestProxyConfig,
  Store,
} from 'repose';
import * as Lib from 'repose/namespace';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

// Each title begins with the clause of the document that it tests.

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => {
  server.reset();
  server.always(({ method, path, body }) => ({
    json: method === 'GET' && path === '/users' ? [] : (body ?? { id: 7 }),
  }));
});
afterAll(() => server.stop());

/** The model of the document's examples. */
function define(proxy: Partial<RestProxyConfig> = {}) {
  return class User extends Model.define({
    name: 'User',
    fields: { id: 'auto', name: 'string', email: 'string' },
    proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, ...proxy },
  }) {};
}

/** The address that `buildUrl` returns for a request made by hand. */
function urlOf(config: RestProxyConfig, operation: OperationConfig): string {
  const proxy = new RestProxy({ url: '/users', noCache: false, ...config });
  return proxy.buildUrl(new ProxyRequest({ operation: new Operation(operation), action: operation.action }));
}

const sentLines = () => server.lines;

describe('1. What the service does', () => {
  test('§1.1 record actions become HTTP requests to the server that `url` names', async () => {
    const User = define({ url: `${server.url}/people` });
    await User.load(7);
    expect(sentLines()).toEqual(['GET /people/7']);
  });

  test('§1.2 each of the four actions has its own HTTP method', async () => {
    const User = define();
    server.always(({ body }) => ({ json: { id: 1, name: 'Ed', ...body } }));
    const user = new User({ name: 'Ed' });
    await user.save();
    await user.load();
    await user.save();
    await user.erase();
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'PUT', 'DELETE']);
  });

  test('§1.3 the address consists of url, id and format', async () => {
    await define({ format: 'json' }).load(7);
    expect(sentLines()).toEqual(['GET /users/7.json']);
  });

  test('§1.4 the parent adds sorters, filters, group, paging and the cache-buster', async () => {
    const User = define({ noCache: true, clock: { now: () => 1700000000000, after: () => () => undefined } });
    const store = new Store({
      model: User,
      pageSize: 25,
      remoteSort: true,
      remoteFilter: true,
      sorters: ['name'],
      filters: [{ property: 'name', value: 'Ed' }],
      grouper: 'email',
    });
    await store.load();
    const { searchParams } = new URL(server.last.url, server.url);
    expect(Object.fromEntries(searchParams)).toEqual({
      _dc: '1700000000000',
      page: '1',
      start: '0',
      limit: '25',
      group: '{"property":"email","direction":"ASC"}',
      sort: '[{"property":"name","direction":"ASC"}]',
      filter: '[{"property":"name","value":"Ed"}]',
    });
  });

  test('§1.4 RestProxy extends AjaxProxy', () => {
    expect(new RestProxy()).toBeInstanceOf(AjaxProxy);
  });

  test("§1.5 a proxy is attached to a model by `type: 'rest'` and `url`; a store takes its model's", async () => {
    const User = define();
    expect(User.proxy).toBeInstanceOf(RestProxy);
    const store = new Store({ model: User, pageSize: 0 });
    await store.load();
    expect(sentLines()).toEqual(['GET /users']);
  });

  test('§1 the alias, class and alternate class have the names of the document', () => {
    expect(RestProxy.alias).toBe('proxy.rest');
    expect(Lib.data.proxy.Rest).toBe(RestProxy);
    expect(Lib.data.RestProxy).toBe(RestProxy);
    expect(Lib.create('proxy.rest', { url: '/users' })).toBeInstanceOf(RestProxy);
  });
});

describe('2. Resources and their fields', () => {
  test('§2 `url` has no default', () => {
    expect(new RestProxy().url).toBeUndefined();
  });

  test('§2 `appendId` is true by default', () => {
    expect(new RestProxy().appendId).toBe(true);
  });

  test('§2 `format` is not set by default', () => {
    expect(new RestProxy().format).toBeUndefined();
  });

  test('§2 `batchActions` is false by default', () => {
    expect(new RestProxy().batchActions).toBe(false);
  });

  test('§2 `batchActions` sends the actions of one type in one request when a store is synchronised', async () => {
    const User = define({ batchActions: true });
    const data = [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ];
    const store = new Store({ model: User, data });
    for (const user of store) user.set({ name: 'edited' });
    await store.sync();
    expect(sentLines()).toEqual(['PUT /users']);
    expect(server.last.body).toEqual(data.map(({ id }) => ({ id, name: 'edited' })));
  });

  const verbs = { create: 'POST', read: 'GET', update: 'PUT', destroy: 'DELETE' };

  test('§2 `actionMethods` maps the four actions as section 4 says', () => {
    expect(new RestProxy().actionMethods).toEqual(verbs);
  });

  test('§2 `defaultActionMethods` holds the same four pairs and is read-only', () => {
    const proxy = new RestProxy({ actionMethods: { update: 'PATCH' } });
    expect(proxy.defaultActionMethods).toEqual(verbs);
    expect(() => Object.assign(proxy, { defaultActionMethods: {} })).toThrow(TypeError);
    Object.assign(proxy.defaultActionMethods, { read: 'POST' });
    expect(proxy.defaultActionMethods).toEqual(verbs);
  });

  test('§2 `getMethod` can be overridden to choose a method', async () => {
    class PatchProxy extends RestProxy {
      override getMethod(request: ProxyRequest): string {
        return request.action === 'update' ? 'PATCH' : super.getMethod(request);
      }
    }
    class User extends Model.define({
      fields: { id: 'int', name: 'string' },
      proxy: { type: PatchProxy, url: '/users', baseUrl: server.url, noCache: false },
    }) {}
    const user = await User.load(7);
    await user.save();
    expect(sentLines()).toEqual(['GET /users/7', 'PATCH /users/7']);
  });

  test("§2 `idParam` names the parameter that carries the id; the lineage's default is 'id'", () => {
    expect(new RestProxy().idParam).toBe('id');
    expect(urlOf({ appendId: false }, { action: 'read', id: 7 })).toBe('/users?id=7');
    expect(urlOf({ appendId: false, idParam: 'user' }, { action: 'read', id: 7 })).toBe('/users?user=7');
  });
});

describe('3. States and transitions', () => {
  test('§3 the id of a phantom is not used for the address', async () => {
    const User = define();
    const user = new User({ id: 9, name: 'Ed' }, { phantom: true });
    const request = (User.proxy as RestProxy).buildRequest(
      new Operation({ action: 'create', records: [user as never] }),
    );
    expect(request.url).toBe('/users');
  });

  test('§3 the id of a saved record is used for the address', () => {
    const User = define();
    expect(urlOf({}, { action: 'update', records: [new User({ id: 9 }) as never] })).toBe('/users/9');
  });

  test('§3 saving a new record creates it; once the server has given it an id, saving updates it', async () => {
    const User = define();
    server.always(({ body }) => ({ json: { ...body, id: 12 } }));
    const user = new User({ name: 'Ed' });
    expect(user.phantom).toBe(true);
    await user.save();
    expect(user.phantom).toBe(false);
    user.set({ name: 'Bob' });
    await user.save();
    expect(sentLines()).toEqual(['POST /users', 'PUT /users/12']);
  });
});

describe('4. Endpoints', () => {
  test('§4 create: POST <url>', async () => {
    server.reply({ status: 201, json: { id: 1 } });
    await new (define())({ name: 'Ed' }).save();
    expect(sentLines()).toEqual(['POST /users']);
  });

  test('§4 read of a collection: GET <url>', async () => {
    await new Store({ model: define(), pageSize: 0 }).load();
    expect(sentLines()).toEqual(['GET /users']);
  });

  test('§4 read of an instance: GET <url>/<id>', async () => {
    server.reply({ json: { id: 123 } });
    await define().load(123);
    expect(sentLines()).toEqual(['GET /users/123']);
  });

  test('§4 update: PUT <url>/<id>', async () => {
    await new (define())({ id: 123, name: 'Ed' }).save();
    expect(sentLines()).toEqual(['PUT /users/123']);
  });

  test('§4 destroy: DELETE <url>/<id>', async () => {
    await new (define())({ id: 123, name: 'Ed' }).erase();
    expect(sentLines()).toEqual(['DELETE /users/123']);
  });

  test.each<[Action, string]>([
    ['create', '/users.json'],
    ['read', '/users/7.json'],
    ['update', '/users/7.json'],
    ['destroy', '/users/7.json'],
  ])('§4 %s with a format: %s', (action, url) => {
    const User = define();
    const record = action === 'create' ? new User({ name: 'Ed' }) : new User({ id: 7 });
    expect(urlOf({ format: 'json' }, { action, records: [record as never] })).toBe(url);
  });

  test('§4 rule 1: the id comes from the first record if that is saved, not from the operation', () => {
    const User = define();
    const records = [new User({ id: 1 }), new User({ id: 2 })] as never[];
    expect(urlOf({}, { action: 'update', records, id: 3 })).toBe('/users/1');
  });

  test('§4 rule 1: the id comes from the operation if the first record is a phantom', () => {
    const User = define();
    expect(urlOf({}, { action: 'create', records: [new User({ name: 'Ed' }) as never], id: 3 })).toBe('/users/3');
  });

  test('§4 rule 1: the id comes from the operation if there is no record', () => {
    expect(urlOf({}, { action: 'read', id: 3 })).toBe('/users/3');
  });

  test.each([0, 7, -1, 1.5, '0', 'a', ' ', 'false', 'null', true, 12n])('§4 rule 2: %o is a valid id', (id) => {
    expect(urlOf({}, { action: 'read', id })).toBe(`/users/${encodeURIComponent(String(id))}`);
  });

  test.each([undefined, null, '', false, Number.NaN])('§4 rule 2: %o is not a valid id', (id) => {
    expect(urlOf({}, { action: 'read', id })).toBe('/users');
  });

  test('§4 rule 3.1: a `/` is added unless the url ends with one', () => {
    expect(urlOf({ url: '/users' }, { action: 'read', id: 7 })).toBe('/users/7');
    expect(urlOf({ url: '/users/' }, { action: 'read', id: 7 })).toBe('/users/7');
  });

  test.each([
    ['a b', 'a%20b'],
    ['a/b', 'a%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['ä€😀', '%C3%A4%E2%82%AC%F0%9F%98%80'],
    ["-_.!~*'()", "-_.!~*'()"],
    ['100%', '100%25'],
    ['%2F', '%252F'],
  ])('§4 rule 3.2: the id %o is appended as %o', (id, segment) => {
    expect(urlOf({}, { action: 'read', id })).toBe(`/users/${segment}`);
  });

  test('§4 rule 3.3: the parameter named by `idParam` is removed if the id is in the path', () => {
    const params = { id: 7, key: 8, q: 'x' };
    expect(urlOf({}, { action: 'read', id: 7, params })).toBe('/users/7?key=8&q=x');
    expect(urlOf({ idParam: 'key' }, { action: 'read', id: 7, params })).toBe('/users/7?id=7&q=x');
    expect(urlOf({ extraParams: { id: 1 } }, { action: 'read', id: 7 })).toBe('/users/7');
    expect(params).toEqual({ id: 7, key: 8, q: 'x' });
  });

  test('§4 rule 3.3: that parameter is removed also if it was assigned by hand', () => {
    const proxy = new RestProxy({ url: '/users', noCache: false });
    const request = new ProxyRequest({ operation: new Operation({ action: 'read', id: 7 }) });
    request.params = { id: 7, q: 1 };
    expect(proxy.buildUrl(request)).toBe('/users/7?q=1');
    expect(request.params).toEqual({ q: 1 });
  });

  test('§4 rule 4: with `appendId` false the url gets no id', () => {
    const User = define();
    const records = [new User({ id: 7 }) as never];
    expect(urlOf({ appendId: false }, { action: 'update', records })).toBe('/users');
  });

  test('§4 rule 4: with an invalid id the url gets none, and a parameter of that name stays', () => {
    expect(urlOf({}, { action: 'read', params: { id: 5 } })).toBe('/users?id=5');
  });

  test('§4 rule 5.1: a `.` is added unless the url ends with one', () => {
    expect(urlOf({ url: '/users', format: 'json' }, { action: 'read' })).toBe('/users.json');
    expect(urlOf({ url: '/users.', format: 'json' }, { action: 'read' })).toBe('/users.json');
    expect(urlOf({ format: 'json' }, { action: 'read', id: 'a.' })).toBe('/users/a.json');
  });

  test('§4 rule 5.2: the format is appended to every address', () => {
    expect(urlOf({ format: 'xml' }, { action: 'read' })).toBe('/users.xml');
    expect(urlOf({ format: 'xml' }, { action: 'read', id: 7 })).toBe('/users/7.xml');
    expect(urlOf({ format: 'xml', appendId: false }, { action: 'read', id: 7 })).toBe('/users.xml?id=7');
    expect(urlOf({ format: '' }, { action: 'read', id: 7 })).toBe('/users/7');
  });

  test('§4 rule 6: the address is set on the request, and the parent adds the query', () => {
    const operation = new Operation({ action: 'read', id: 7, params: { q: 1 } });
    const request = new ProxyRequest({ operation });
    const clock = { now: () => 5, after: () => () => undefined };
    const url = new RestProxy({ url: '/users', clock }).buildUrl(request);
    expect(url).toBe('/users/7?_dc=5&q=1');
    expect(request.url).toBe(url);
  });

  test('§4 rule 6: an override can call the parent version', async () => {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        request.params = { ...request.params, v: 2 };
        return super.buildUrl(request);
      }
    }
    const proxy = new OwnProxy({ url: '/users', baseUrl: server.url, noCache: false });
    await proxy.read(new Operation({ action: 'read', id: 7 }));
    expect(sentLines()).toEqual(['GET /users/7?v=2']);
  });
});

describe('6. Events', () => {
  test('§6 the success callbacks of load and save receive the record', async () => {
    const User = define();
    const received: unknown[] = [];
    const user = await User.load(7, { success: (record) => received.push(record) });
    await user.save({ success: (record) => received.push(record) });
    expect(received).toEqual([user, user]);
  });
});

describe('9. Versioning', () => {
  test('§9 the proxy implements the newer form: id encoded, id parameter removed', () => {
    expect(urlOf({}, { action: 'read', id: 'a b', params: { id: 'a b' } })).toBe('/users/a%20b');
  });

  test('§9 the older form needs two small overrides: id not encoded, id parameter kept', () => {
    class OlderProxy extends RestProxy {
      override encodeId(id: unknown): string {
        return String(id);
      }
      protected override keepIdParam(): boolean {
        return true;
      }
    }
    const proxy = new OlderProxy({ url: '/users', baseUrl: server.url, noCache: false });
    const request = proxy.buildRequest(new Operation({ action: 'read', id: 'a/b', params: { id: 'a/b' } }));
    expect(request.url).toBe('/users/a/b?id=a%2Fb');
  });
});
