import {
  AddressError,
  AjaxProxy,
  type AnyModel,
  type Clock,
  type Dialect,
  explain,
  Model,
  Operation,
  type OperationConfig,
  ProxyRequest,
  plain,
  ReadError,
  RestProxy,
  type RestProxyConfig,
  reference,
  Store,
} from 'repose';
import { restServer } from 'repose/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

// Each title begins with the house rule that it tests (docs/reference/house-rules.md).

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

const clock: Clock = { now: () => 5, after: () => () => undefined };

/** A user model whose proxy sends to the test server. */
function define(proxy: Partial<RestProxyConfig> & { type?: never } = {}) {
  return class User extends Model.define({
    name: 'User',
    fields: { id: 'auto', name: 'string', email: { type: 'string', allowNull: true }, teamId: 'auto' },
    proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, ...proxy },
  }) {};
}

const proxyOf = (config: RestProxyConfig = {}) =>
  new RestProxy({ url: '/users', noCache: false, baseUrl: server.url, ...config });

type Config = Omit<OperationConfig, 'records'> & { records?: readonly unknown[] };
const operationOf = (config: Config) => new Operation(config as OperationConfig);

/** The address that `buildUrl` returns, before the guard checks it. */
const urlOf = (config: RestProxyConfig, operation: Config = { action: 'read' }) =>
  proxyOf(config).buildUrl(new ProxyRequest({ operation: operationOf(operation) }));

/** The address that would be sent, after the guard has checked it. */
const sentUrl = (proxy: RestProxy | AjaxProxy, operation: Config) => proxy.buildRequest(operationOf(operation)).url;

/** Expects a call to fail with an `AddressError` of this reason before anything is sent. */
async function refused(call: () => unknown, reason?: string): Promise<void> {
  const count = server.requests.length;
  const error = await (async () => call())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AddressError);
  expect(error).toMatchObject({ code: 'address', retryable: false });
  if (reason !== undefined) expect((error as AddressError).reason).toBe(reason);
  expect(server.requests).toHaveLength(count);
}

describe('H1 the parts of an address', () => {
  test('H1 slash, id and format stand before the query', () => {
    const record = new (define())({ id: 7 });
    expect(urlOf({ url: '/users?x=1', format: 'json' }, { action: 'update', records: [record] })).toBe(
      '/users/7.json?x=1',
    );
    expect(urlOf({ url: '/users?x=1' }, { action: 'read', id: 7, params: { y: 2 } })).toBe('/users/7?x=1&y=2');
    expect(urlOf({ url: '/users?', noCache: true, clock })).toBe('/users?_dc=5');
    expect(urlOf({ url: '/a?b=/c' }, { action: 'read', id: 7 })).toBe('/a/7?b=/c');
  });

  test('H1 a fragment is removed', () => {
    expect(urlOf({ url: '/users#top' }, { action: 'read', id: 7 })).toBe('/users/7');
    expect(urlOf({ url: '/users?x=1#top?y=2' }, { action: 'read', id: 7 })).toBe('/users/7?x=1');
    expect(urlOf({ url: '/users#?x=1' })).toBe('/users');
  });

  test('H1 an absolute url without a path gets the path `/`', () => {
    expect(urlOf({ url: 'https://h.test' })).toBe('https://h.test/');
    expect(urlOf({ url: 'https://h.test', format: 'json' }, { action: 'read', id: 7 })).toBe('https://h.test/7.json');
    expect(urlOf({ url: 'https://h.test?k=1#f' }, { action: 'read', id: 7 })).toBe('https://h.test/7?k=1');
    expect(urlOf({ url: '//h.test' }, { action: 'read', id: 7 })).toBe('//h.test/7');
    expect(urlOf({ url: 'HTTPS://H.test' })).toBe('HTTPS://H.test/');
  });

  test.each(['json', 'v1.json', 'tar.gz', 'a~b_c+d-e', '.json', '-'])(
    'H1 the format %o is appended unchanged',
    (format) => {
      expect(urlOf({ format }, { action: 'read', id: 7 })).toBe(`/users/7.${format}`);
    },
  );

  test.each([undefined, null, ''])('H1 the format %o stands for none', async (format) => {
    expect(sentUrl(proxyOf({ format }), { action: 'read', id: 7 })).toBe('/users/7');
    expect(sentUrl(proxyOf({ format, trailingSlash: true }), { action: 'read', id: 7 })).toBe('/users/7/');
    server.reply({ status: 201, headers: { Location: '/users/12' } });
    const user = new (define({ format }))({ name: 'a' });
    await user.save();
    expect(user.getId()).toBe('12');
  });

  test.each(['.', '..', 'a..b', '/x', 'a/b', 'a?b', 'a#b', 'a b', '%2e', 'ä', 'json\n', '\\', '{x}'])(
    'H1 the format %o is refused',
    (format) => refused(() => urlOf({ format }, { action: 'read', id: 7 }), 'format-invalid'),
  );
});

describe('H2 unsafe ids', () => {
  const unsafe: [unknown, string][] = [
    ['.', 'id-dots'],
    ['..', 'id-dots'],
    ['../a', 'id-dots'],
    ['9/../../users/1', 'id-dots'],
    ['9\\..\\..\\users\\1', 'id-dots'],
    ['a/.', 'id-dots'],
    ['a/./b', 'id-dots'],
    ['/', 'id-dots'],
    ['//', 'id-dots'],
    ['7\u0000b', 'id-control'],
    ['a\nb', 'id-control'],
    ['\u007f', 'id-control'],
    ['\u0085', 'id-control'],
    ['\ud800', 'id-surrogate'],
    ['a\udc00b', 'id-surrogate'],
    [{ a: 1 }, 'id-type'],
    [[7], 'id-type'],
    [new Date(0), 'id-type'],
    [() => 7, 'id-type'],
    [Symbol('7'), 'id-type'],
    [Number.POSITIVE_INFINITY, 'id-unsafe'],
    [Number.NEGATIVE_INFINITY, 'id-unsafe'],
    [2 ** 53, 'id-unsafe'],
    [-(2 ** 53), 'id-unsafe'],
    [1e21, 'id-unsafe'],
  ];

  test.each(unsafe)('H2 the id %o is refused (%s)', (id, reason) =>
    refused(() => urlOf({}, { action: 'read', id }), reason),
  );

  test.each(unsafe)('H2 the template value %o is refused (%s)', (team, reason) =>
    refused(() => urlOf({ url: '/teams/{team}/users', pathParams: { team } }), reason),
  );

  test.each(unsafe.filter(([, reason]) => reason !== 'id-dots'))(
    'H2 the id %o is refused as a parameter as well',
    (id, reason) => refused(() => urlOf({ appendId: false }, { action: 'read', id }), reason),
  );

  test.each(['.', '..', '../a', '//'])('H2 the id %o is allowed as a parameter', (id) => {
    expect(urlOf({ appendId: false }, { action: 'read', id })).toBe(`/users?id=${encodeURIComponent(id)}`);
  });

  test.each(['...', '.a', 'a..', 'a/..b', 'a/b', 'a\\b', 'a/', '%2e%2e', 'a/%2e%2e/b', 'a%2F..%2Fb', '. ', '%00'])(
    'H2 the id %o is allowed in the path',
    (id) => {
      const { pathname } = new URL(urlOf({ url: 'http://h.test/users' }, { action: 'read', id }));
      expect(decodeURIComponent(pathname)).toBe(`/users/${id}`);
    },
  );

  test('H2 the largest safe numbers are allowed', () => {
    expect(urlOf({}, { action: 'read', id: Number.MAX_SAFE_INTEGER })).toBe('/users/9007199254740991');
    expect(urlOf({}, { action: 'read', id: Number.MIN_SAFE_INTEGER })).toBe('/users/-9007199254740991');
  });

  test('H2 an update or destroy of a record with an unsafe id is refused, and nothing changes', async () => {
    const record = new (define())({ id: '..', name: 'a' }, { phantom: false });
    record.set({ name: 'b' });
    await refused(() => record.save(), 'id-dots');
    await refused(() => record.erase(), 'id-dots');
    expect(record).toMatchObject({ name: 'b', dirty: true, erased: false });
  });
});

describe('H3 building and guarding an address', () => {
  /** A proxy with another `buildUrl`. */
  function overridden(
    build: (request: ProxyRequest, parent: (request: ProxyRequest) => string) => string,
    config: RestProxyConfig = {},
  ) {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        return build(request, (given) => super.buildUrl(given));
      }
    }
    return new OwnProxy({ url: '/users', noCache: false, baseUrl: server.url, ...config });
  }
  const saved = () => new (define())({ id: 7, name: 'Ed' });

  test('H3 buildUrl changes only `request.url` and `request.params`', () => {
    const record = saved();
    const operation = operationOf({
      action: 'update',
      records: [record],
      params: Object.freeze({ id: 7, q: 1 }),
      pathParams: Object.freeze({ a: 'b' }),
    });
    const membersOf = (object: object) => Object.fromEntries(Object.entries(object));
    const before = { operation: membersOf(operation), data: record.$.data, dirty: record.dirty };
    const request = new ProxyRequest({ operation });
    const { action, method, headers, body, bulk } = request;
    proxyOf({ url: '/{a}/users' }).buildUrl(request);
    expect({ operation: membersOf(operation), data: record.$.data, dirty: record.dirty }).toEqual(before);
    expect(request).toMatchObject({ action, bulk, url: '/b/users/7?q=1', params: { q: 1 } });
    expect([request.method, request.headers, request.body, request.response]).toEqual([
      method,
      headers,
      body,
      undefined,
    ]);
  });

  test('H3 the cache-buster takes the time from the injected clock', () => {
    expect(urlOf({ noCache: true, clock: { now: () => 1234, after: () => () => undefined } })).toBe('/users?_dc=1234');
  });

  test('H3 buildUrl collects the parameters of a request that was made by hand', () => {
    const operation = operationOf({ action: 'read', page: 2, start: 25, limit: 25, params: { q: 1 } });
    const proxy = proxyOf({ extraParams: { x: 2 } });
    const request = new ProxyRequest({ operation, action: 'read' });
    expect(proxy.buildUrl(request)).toBe('/users?q=1&x=2&page=2&start=25&limit=25');
    expect(Object.keys(request.params)).toEqual(['q', 'x', 'page', 'start', 'limit']);
  });

  test('H3 parameters that were assigned to a request are sent instead of collected ones', () => {
    const request = new ProxyRequest({ operation: operationOf({ action: 'read', page: 2, params: { q: 1 } }) });
    request.params = { own: 1 };
    expect(proxyOf().buildUrl(request)).toBe('/users?own=1');
  });

  test('H3 an override of buildUrl can add a parameter, also to a request made by hand', () => {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        request.params['v'] = 2;
        return super.buildUrl(request);
      }
    }
    const proxy = new OwnProxy({ url: '/users', baseUrl: server.url, noCache: false, extraParams: { v: 1, x: 2 } });
    const operation = () => operationOf({ action: 'read', page: 2, params: { q: 1 } });
    expect(proxy.buildUrl(new ProxyRequest({ operation: operation() }))).toBe('/users?v=2&q=1&x=2&page=2');
    expect(proxy.buildRequest(operation()).url).toBe('/users?q=1&v=2&x=2&page=2');
    expect(proxy.buildUrl(new ProxyRequest({ operation: operationOf({ action: 'read', id: 7 }) }))).toBe(
      '/users/7?v=2&x=2',
    );
  });

  test('H3 an override of buildUrl can assign a copy of the parameters with more members', () => {
    class OwnProxy extends RestProxy {
      override buildUrl(request: ProxyRequest): string {
        request.params = { ...request.params, v: 2 };
        return super.buildUrl(request);
      }
    }
    const proxy = new OwnProxy({ url: '/users', baseUrl: server.url, noCache: false, extraParams: { x: 1 } });
    const operation = () => operationOf({ action: 'read', page: 2 });
    expect(proxy.buildUrl(new ProxyRequest({ operation: operation() }))).toBe('/users?v=2&x=1&page=2');
    expect(proxy.buildRequest(operation()).url).toBe('/users?x=1&page=2&v=2');
  });

  test('H3 assigned parameters are not changed, and may be frozen', () => {
    const params = Object.freeze({ id: 7, q: 1 });
    const request = new ProxyRequest({ operation: operationOf({ action: 'read', id: 7 }) });
    request.params = params;
    expect(proxyOf().buildUrl(request)).toBe('/users/7?q=1');
    expect(params).toEqual({ id: 7, q: 1 });
  });

  test('H3 the error of `buildRequest` names the address and the operation', () => {
    class Outside extends RestProxy {
      override buildUrl(): string {
        return '/elsewhere';
      }
    }
    const proxy = new Outside({ url: '/users', baseUrl: server.url, messages: { 'url-several': '{method}: {count}' } });
    const operation = operationOf({ action: 'read' });
    const message = expect.stringContaining("GET /elsewhere was not sent: it leaves '/users'");
    expect(() => proxy.buildRequest(operation)).toThrow(expect.objectContaining({ message, operation }));
    const both = operationOf({ action: 'update', records: [saved(), saved()] });
    expect(() => proxy.buildRequest(both)).toThrow(expect.objectContaining({ message: 'PUT: 2' }));
  });

  test('H3 a request made by hand may have another action than its operation', () => {
    const request = new ProxyRequest({ operation: operationOf({ action: 'read', id: 7 }), action: 'update' });
    expect(proxyOf({ api: { update: '/edit' } }).buildUrl(request)).toBe('/edit/7');
  });

  test.each<typeof AjaxProxy>([RestProxy, AjaxProxy])('H3 building a request twice throws (%o)', async (Type) => {
    const proxy = new Type({ url: '/users', noCache: false });
    const request = new ProxyRequest({ operation: operationOf({ action: 'read' }) });
    expect(proxy.buildUrl(request)).toBe('/users');
    await refused(() => proxy.buildUrl(request), 'url-built');
  });

  test('H3 every step starts from a `request.url` that an override has set', () => {
    const proxy = overridden(
      (request, parent) => {
        request.url = '/users/{kind}?x=1#f';
        return parent(request);
      },
      { format: 'json', pathParams: { kind: 'active' } },
    );
    const operation = { action: 'read', id: 7, params: { id: 7, q: 1 } } as const;
    expect(proxy.buildUrl(new ProxyRequest({ operation: operationOf(operation) }))).toBe(
      '/users/active/7.json?x=1&q=1',
    );
    expect(sentUrl(proxy, operation)).toBe('/users/active/7.json?x=1&q=1');
    expect(sentUrl(proxy, { action: 'update', records: [saved()] })).toBe('/users/active/7.json?x=1');
  });

  test('H3 the guard refuses a `request.url` that an override has set outside the collection', () =>
    refused(
      () =>
        sentUrl(
          overridden((request, parent) => {
            request.url = '/admin';
            return parent(request);
          }),
          { action: 'read', id: 7 },
        ),
      'url-outside',
    ));

  test('H3 the guard also checks an override that never calls its parent', async () => {
    const read = { action: 'read', id: 7 } as const;
    expect(
      sentUrl(
        overridden(() => '/users/7?own=1'),
        read,
      ),
    ).toBe('/users/7?own=1');
    await refused(
      () =>
        sentUrl(
          overridden(() => '/admin'),
          read,
        ),
      'url-outside',
    );
    const update = { action: 'update', records: [saved()] } as const;
    expect(
      sentUrl(
        overridden(() => '/users/7?own=1'),
        update,
      ),
    ).toBe('/users/7?own=1');
    await refused(
      () =>
        sentUrl(
          overridden(() => '/users'),
          update,
        ),
      'url-collection',
    );
  });

  test('H3 the address that buildUrl returns is sent', async () => {
    const proxy = overridden((request, parent) => `${parent(request)}?own=1`);
    await proxy.read(operationOf({ action: 'read', id: 7 }));
    expect(server.lines).toEqual(['GET /users/7?own=1']);
  });

  test.each([
    ['another origin', 'https://evil.test/users/7'],
    ['another origin, relative to the protocol', '//evil.test/users/7'],
    ['another port', 'http://127.0.0.1:1/users/7'],
    ['credentials', 'http://me:secret@127.0.0.1/users/7', 'url-invalid'],
    ['a sibling', '/users2/7'],
    ['a parent', '/users/../admin'],
    ['an encoded parent', '/users/%2e%2e/admin'],
    ['a mixed parent', '/users/.%2E/admin'],
    ['a parent by backslash', '/users/..\\admin'],
    ['a parent hidden by tabs', '/users/.\t./admin'],
    ['a suffix that is not the format', '/users.json'],
    ['the suffix `undefined`', '/users.undefined'],
    ['the root', '/'],
  ])('H3 the guard refuses %s', async (_, url, reason = 'url-outside') => {
    const absolute = url.startsWith('http://127.0.0.1/') ? url.replace('127.0.0.1', new URL(server.url).host) : url;
    await refused(
      () =>
        sentUrl(
          overridden(() => absolute),
          { action: 'read', id: 7 },
        ),
      reason,
    );
  });

  test.each([
    ['the base path', '/users'],
    ['the base path with a slash', '/users/'],
    ['a path below it', '/users/7/posts/8'],
    ['a path that leads back into it', '/x/../users/7'],
    ['the same place as an absolute url', 'SERVER/users/7'],
  ])('H3 the guard accepts %s', (_, url) => {
    const full = url.replace('SERVER', server.url);
    expect(
      sentUrl(
        overridden(() => full),
        { action: 'read', id: 7 },
      ),
    ).toBe(full);
  });

  test('H3 the guard accepts the base with the format as its suffix', () => {
    expect(sentUrl(proxyOf({ format: 'json' }), { action: 'read' })).toBe('/users.json');
    expect(sentUrl(proxyOf({ url: '/users.', format: 'json' }), { action: 'read' })).toBe('/users.json');
  });

  test('H3 the guard accepts addresses that the dialect declares', async () => {
    const keyed = {
      ...plain(),
      address: ({ request }: { request: ProxyRequest }) => `/Users(${request.operation.id})`,
      declared: ({ request }: { request: ProxyRequest }) => `/Users(${request.operation.id})`,
    };
    expect(sentUrl(proxyOf({ url: '/Users', dialect: keyed }), { action: 'read', id: 7 })).toBe('/Users(7)');
    const { declared: _, ...undeclared } = keyed;
    await refused(
      () => sentUrl(proxyOf({ url: '/Users', dialect: undeclared }), { action: 'read', id: 7 }),
      'url-outside',
    );
  });

  test('H3 a dialect can declare addresses on the same origin only', () => {
    const keyed = { ...plain(), address: () => 'http://evil.test/x', declared: () => 'http://evil.test/x' };
    return refused(() => sentUrl(proxyOf({ dialect: keyed }), { action: 'read', id: 7 }), 'url-outside');
  });

  test("H3 the base is the operation's url, else `api[action]`, else `url`", () => {
    const proxy = proxyOf({ api: { read: '/list', update: '' } });
    expect(sentUrl(proxy, { action: 'read', id: 7, url: '/other' })).toBe('/other/7');
    expect(sentUrl(proxy, { action: 'read', id: 7, url: '' })).toBe('/list/7');
    expect(sentUrl(proxy, { action: 'read', id: 7 })).toBe('/list/7');
    expect(sentUrl(proxy, { action: 'update', records: [saved()] })).toBe('/users/7');
  });

  test('H3 each action can have its own address in `api`', () => {
    const proxy = proxyOf({ api: { create: '/c', read: '/r', update: '/u', destroy: '/d' } });
    for (const action of ['create', 'read', 'update', 'destroy'] as const)
      expect(sentUrl(proxy, { action, records: [saved()] })).toBe(`/${action[0]}/7`);
  });

  test('H3 the base of a collection read is `api.list`, else `api.read`; single reads use `api.read`', () => {
    const proxy = proxyOf({ api: { list: '/search', read: '/views' } });
    expect(sentUrl(proxy, { action: 'read' })).toBe('/search');
    expect(sentUrl(proxy, { action: 'read', id: null })).toBe('/search');
    expect(sentUrl(proxy, { action: 'read', url: '/other' })).toBe('/other');
    expect(sentUrl(proxy, { action: 'read', id: 7 })).toBe('/views/7');
    expect(sentUrl(proxy, { action: 'read', records: [saved()] })).toBe('/views/7');
    expect(sentUrl(proxy, { action: 'update', records: [saved()] })).toBe('/users/7');
    expect(sentUrl(proxyOf({ api: { list: '/search' } }), { action: 'read', id: 7 })).toBe('/users/7');
    expect(sentUrl(proxyOf({ api: { read: '/views' } }), { action: 'read' })).toBe('/views');
  });

  test('H3 `api.list` is guarded and explained like any other base', async () => {
    const proxy = proxyOf({ api: { list: '/search/{teamId}' }, pathParams: { teamId: 3 } });
    const { parts } = await explain(proxy, { action: 'read' });
    expect(parts).toEqual([{ text: '/search/3', rule: 'H10', option: 'api.list' }]);
    await refused(() =>
      sentUrl(
        overridden(() => '/users', { api: { list: '/search' } }),
        { action: 'read' },
      ),
    );
  });

  test('H3 an override of `baseOf` can move the collection', () => {
    class MovedProxy extends RestProxy {
      protected override baseOf(request: ProxyRequest): string {
        return `/v2${super.baseOf(request)}`;
      }
    }
    const proxy = new MovedProxy({ url: '/users', baseUrl: server.url, noCache: false });
    expect(sentUrl(proxy, { action: 'update', records: [saved()] })).toBe('/v2/users/7');
  });

  test.each(['update', 'destroy'] as const)('H3 an override that leaves out the id of an %s is refused', (action) =>
    refused(
      () =>
        sentUrl(
          overridden(() => '/users'),
          { action, records: [saved()] },
        ),
      'url-collection',
    ),
  );

  test.each(['update', 'destroy'] as const)(
    'H3 an encodeId that returns `.` is refused, because URLs drop such a segment (%s)',
    (action) => {
      class DotProxy extends RestProxy {
        override encodeId(): string {
          return '.';
        }
      }
      const proxy = new DotProxy({ url: '/users', baseUrl: server.url, noCache: false });
      return refused(() => sentUrl(proxy, { action, records: [saved()] }), 'url-collection');
    },
  );

  test.each([
    ['/users/70', undefined],
    ['/users/17', undefined],
    ['/users/7x/1', undefined],
    ['/users/7.xml', undefined],
    ['/users/7.json0', 'json'],
    ['/users/70.json', 'json'],
  ])('H3 the guard does not accept %s as the address of record 7', (own, format) =>
    refused(
      () =>
        sentUrl(
          overridden(() => own, { format }),
          { action: 'destroy', records: [saved()] },
        ),
      'url-collection',
    ),
  );

  test('H3 the guard requires the id in the query if the dialect puts it there', async () => {
    const named = ({ request }: { request: ProxyRequest }) =>
      `${request.url}?id=eq.${request.operation.records[0] ? 7 : ''}`;
    const dialect = { ...plain(), address: named, declared: () => '/users' };
    const config = { dialect };
    const destroy = { action: 'destroy', records: [saved()] } as const;
    expect(sentUrl(proxyOf(config), destroy)).toBe('/users?id=eq.7');
    for (const own of ['/users', '/users?id=eq.70', '/users?x=id=eq.7', '/users?id=eq.8'])
      await refused(
        () =>
          sentUrl(
            overridden(() => own, config),
            destroy,
          ),
        'url-collection',
      );
    expect(
      sentUrl(
        overridden((request, parent) => `${parent(request)}&own=1`, config),
        destroy,
      ),
    ).toBe('/users?id=eq.7&own=1');
  });

  /** `plain()` with an address step that counts its calls. */
  function countingDialect(address: Dialect['address'] = plain().address) {
    const counter = { calls: 0 };
    const dialect: Dialect = {
      ...plain(),
      address(context) {
        counter.calls += 1;
        return address(context);
      },
    };
    return { counter, dialect };
  }

  test('H3 the address of a request is built once', async () => {
    const { counter, dialect } = countingDialect();
    let fills = 0;
    const pathParams = {
      get team() {
        fills += 1;
        return 3;
      },
    };
    const proxy = proxyOf({ url: '/teams/{team}/users', dialect, pathParams });
    await proxy.erase(operationOf({ action: 'destroy', records: [saved()] }));
    expect(server.lines).toEqual(['DELETE /teams/3/users/7']);
    expect([counter.calls, fills]).toEqual([1, 1]);
  });

  test('H3 the guard calls the address step itself if an override of `buildUrl` did not', async () => {
    const { counter, dialect } = countingDialect(({ request }) => `${request.url}/key-7`);
    const destroy = { action: 'destroy', records: [saved()] } as const;
    expect(
      sentUrl(
        overridden(() => '/users/key-7', { dialect }),
        destroy,
      ),
    ).toBe('/users/key-7');
    expect(counter.calls).toBe(1);
    await refused(
      () =>
        sentUrl(
          overridden(() => '/users/7', { dialect }),
          destroy,
        ),
      'url-collection',
    );
  });

  test('H3 an override may set a base below its own, but must keep the id that the address step adds', async () => {
    const { counter, dialect } = countingDialect();
    const proxy = overridden(
      (request, parent) => {
        request.url = '/users/archive';
        return parent(request);
      },
      { dialect },
    );
    expect(sentUrl(proxy, { action: 'destroy', records: [saved()] })).toBe('/users/archive/7');
    expect(counter.calls).toBe(1);
    const dropped = overridden(
      (request, parent) => {
        request.url = '/users/archive';
        parent(request);
        return '/users/archive';
      },
      { dialect },
    );
    await refused(() => sentUrl(dropped, { action: 'destroy', records: [saved()] }), 'url-collection');
  });

  test('H3 an override may add path segments around the id', () => {
    const proxy = overridden((request, parent) =>
      parent(request).replace('/users', '/users/all').replace('7', '7/full'),
    );
    expect(sentUrl(proxy, { action: 'destroy', records: [saved()] })).toBe('/users/all/7/full');
  });

  test.each(['/users', '/users/'])(
    'H3 the guard finds the id after the base %o, however an override joins them',
    (url) => {
      for (const own of ['/users/7', '/users//7', '/users/x/7']) {
        expect(
          sentUrl(
            overridden(() => own, { url }),
            { action: 'update', records: [saved()] },
          ),
        ).toBe(own);
      }
    },
  );

  test.each([
    ['update', null],
    ['update', ''],
    ['destroy', undefined],
    ['destroy', Number.NaN],
    ['destroy', false],
  ] as const)('H3 an %s with the id %o names no record and is refused', (action, id) =>
    refused(() => sentUrl(proxyOf(), { action, id }), 'url-collection'),
  );

  test('H3 an update needs no id in its path with `appendId: false`, in bulk, or with a url of its own', () => {
    const records = [saved()];
    expect(sentUrl(proxyOf({ appendId: false }), { action: 'update', records })).toBe('/users');
    expect(sentUrl(proxyOf({ batchActions: true }), { action: 'update', records: [saved(), saved()] })).toBe('/users');
    expect(sentUrl(proxyOf(), { action: 'destroy', url: '/users/current' })).toBe('/users/current');
  });

  test('H3 a DELETE of the whole collection is never sent', async () => {
    const record = new (define())({ name: 'Ed' }, { phantom: false });
    await refused(() => record.erase(), 'url-collection');
    expect(record.erased).toBe(false);
  });
});

describe('H4 the id as a parameter', () => {
  test.each([null, '', false, Number.NaN, undefined])('H4 the invalid id %o is not sent as a parameter', (id) => {
    expect(urlOf({ appendId: false }, { action: 'read', id })).toBe('/users');
    expect(
      new AjaxProxy({ url: '/users', noCache: false }).buildUrl(
        new ProxyRequest({ operation: operationOf({ action: 'read', id }) }),
      ),
    ).toBe('/users');
  });

  test('H4 the id 0 is sent as a parameter', () => {
    expect(urlOf({ appendId: false }, { action: 'read', id: 0 })).toBe('/users?id=0');
  });
});

describe('H5 a missing id or url', () => {
  test.each([undefined, null, '', Number.NaN, false])('H5 load(%o) rejects without a request', (id) =>
    refused(() => define().load(id as never), 'id-missing'),
  );

  test('H5 load() of a phantom rejects without a request', () =>
    refused(() => new (define())({ name: 'Ed' }).load(), 'id-missing'));

  test.each([undefined, ''])('H5 the url %o counts as missing', (url) =>
    refused(() => define({ url }).load(7), 'url-missing'),
  );

  test('H5 a relative url without any base is refused', () =>
    refused(() => define({ baseUrl: undefined }).load(7), 'url-relative'));

  test.each([
    ['https://h.test/api/v1', '/users', 'https://h.test/api/v1/users'],
    ['https://h.test/api/v1/', '/users', 'https://h.test/api/v1/users'],
    ['https://h.test/api/v1', 'users', 'https://h.test/api/v1/users'],
    ['https://h.test/api/v1/', 'users', 'https://h.test/api/v1/users'],
    ['https://h.test', 'users/', 'https://h.test/users/'],
    ['https://h.test/api?x=1#y', '/users?z=1', 'https://h.test/api/users?z=1'],
    ['https://h.test/api', 'https://other.test/users', 'https://other.test/users'],
    ['https://h.test/api', '//other.test/users', 'https://other.test/users'],
  ])('H5 %o and %o join to %o', async (baseUrl, url, whole) => {
    const calls: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      calls.push(String(input));
      return new Response('[]');
    };
    await proxyOf({ url, baseUrl, fetch }).read(operationOf({ action: 'read' }));
    expect(calls).toEqual([whole]);
  });

  test('H5 `request.url` is not made absolute', () => {
    expect(
      proxyOf({ url: 'users', baseUrl: 'https://h.test/api' }).buildRequest(operationOf({ action: 'read' })).url,
    ).toBe('users');
  });
});

describe('H6 ids as received', () => {
  test('H6 a record is addressed by its id as received', async () => {
    class Item extends Model.define({
      fields: { id: 'int', name: 'string' },
      proxy: { type: 'rest', url: '/items', noCache: false, baseUrl: server.url },
    }) {}
    const item = Item.fromRow({ id: '007', name: 'a' });
    expect(item.id).toBe(7);
    await item.save();
    expect(server.lines).toEqual(['PUT /items/007']);
  });

  test('H6 a record is addressed by its committed id while the id is being edited', async () => {
    const user = new (define())({ id: 7, name: 'a' });
    user.set({ id: 8 });
    await user.save();
    await user.save();
    expect(server.lines).toEqual(['PUT /users/7', 'PUT /users/8']);
    expect(server.requests[0]?.body).toMatchObject({ id: 8 });
  });

  test('H6 look-ups compare ids as text', () => {
    const store = new Store({ model: define(), data: [{ id: 7, name: 'a' }] });
    expect(store.getById('7')).toBe(store.getById(7));
    expect(store.getById('7')).toBe(store.getAt(0));
  });

  test('H6 without an id in the path, a parameter has the committed id while the id is being edited', async () => {
    const { fetch, baseUrl, rows } = restServer({
      collections: { '/users': { rows: [{ id: 7 }, { id: 8, name: 'b' }] } },
    });
    for (const proxy of [
      new RestProxy({ url: '/users', appendId: false, fetch, baseUrl }),
      new AjaxProxy({ url: '/users', actionMethods: { update: 'PATCH' }, fetch, baseUrl }),
    ]) {
      class Item extends Model.define({ fields: { id: 'int', name: 'string' }, proxy }) {}
      const item = await Item.load(7);
      item.id = 8;
      const { request } = await explain(proxy, { action: 'update', records: [item as never] });
      expect(request?.url).toMatch(/\/users\?(_dc=\d+&)?id=7$/);
      await expect(item.save()).rejects.toMatchObject({ status: 409 });
      item.set({ id: 9, name: 'a' });
      await item.save();
      expect(rows('/users').find(({ id }) => id === 9)).toMatchObject({ id: 9, name: 'a' });
      expect(rows('/users')).toContainEqual({ id: 8, name: 'b' });
      item.id = 7;
      const { parts } = await explain(proxy, { action: 'update', records: [item as never] });
      expect(parts).toContainEqual(expect.objectContaining({ rule: 'H4', option: 'idParam', text: '&id=9' }));
      await item.save();
      expect(item.dirty).toBe(false);
    }
  });

  test('H6 with `appendId: false` a reload sends the id as received in a parameter', async () => {
    server.always(() => ({ json: { id: '007', name: 'b' } }));
    const user = define({ appendId: false }).fromRow({ id: '007', name: 'a' });
    await user.load();
    expect(server.lines).toEqual(['GET /users?id=007']);
    expect(user.name).toBe('b');
  });
});

describe('H7 the body of a write', () => {
  const fields = {
    id: 'int',
    price: 'number',
    at: 'date',
    street: { type: 'string', mapping: 'address.street' },
    local: { type: 'string', persist: false },
    note: { type: 'string', allowNull: true },
  } as const;
  const row = {
    id: 1,
    price: '10.50',
    at: '2024-03-01T12:00:00+02:00',
    address: { street: 'Main', city: 'Bonn', geo: { lat: 1 } },
    note: null,
    extra: { deep: [1, { x: null }] },
  };
  const defineItem = (proxy: Partial<RestProxyConfig> = {}) =>
    class Item extends Model.define({
      fields,
      proxy: { type: 'rest', url: '/items', noCache: false, baseUrl: server.url, ...proxy },
    }) {};
  const sent = () => server.last.body as unknown;

  test('H7 create sends all persistent fields without the client id', async () => {
    server.always(({ body }) => ({ json: { ...body, id: 1 } }));
    const Item = defineItem();
    await new Item({ price: 1, street: 'Main', local: 'x', note: null }).save();
    expect(sent()).toEqual({ price: 1, address: { street: 'Main' }, note: null });
    await new Item({ id: 99, price: 2 }, { phantom: true }).save();
    expect(sent()).toEqual({ price: 2 });
  });

  test('H7 PUT sends the row as received', async () => {
    await defineItem().fromRow(row).save();
    expect(server.last).toMatchObject({ method: 'PUT', text: JSON.stringify(row) });
  });

  test('H7 PUT replaces only the edited values in that row, at their paths', async () => {
    const item = defineItem().fromRow(structuredClone(row));
    item.set({ street: 'Side', price: 11 });
    await item.save();
    expect(sent()).toEqual({ ...row, price: 11, address: { ...row.address, street: 'Side' } });
  });

  test('H7 a declared field that was neither received nor edited is not sent', async () => {
    await defineItem().fromRow({ id: 1 }).save();
    expect(sent()).toEqual({ id: 1 });
  });

  test('H7 a field with `persist: false` is never sent', async () => {
    const item = defineItem().fromRow({ id: 1, local: 'received' });
    item.set({ local: 'edited' });
    expect(item.dirty).toBe(false);
    await item.save();
    expect(sent()).toEqual({ id: 1 });
  });

  test('H7 a field with `persist: false` does not remove members that another field sends', async () => {
    const Item = class extends Model.define({
      fields: { id: 'int', whole: { type: 'auto', mapping: 'address', persist: false }, street: fields.street },
      proxy: { type: 'rest', url: '/items', noCache: false, baseUrl: server.url },
    }) {};
    const item = Item.fromRow({ id: 1, address: row.address });
    item.set({ street: 'Side' });
    await item.save();
    expect(sent()).toEqual({ id: 1, address: { ...row.address, street: 'Side' } });
  });

  test('H7 `undeclared: false` sends declared fields only', async () => {
    await defineItem({ writer: { undeclared: false } })
      .fromRow(row)
      .save();
    const { extra: _, ...declared } = row;
    expect(sent()).toEqual({ ...declared, address: { street: 'Main' } });
  });

  test('H7 PATCH sends edited fields only, and only the edited path of an object', async () => {
    const item = defineItem({ actionMethods: { update: 'PATCH' } }).fromRow(row);
    item.set({ street: 'Side', local: 'x' });
    await item.save();
    expect(server.last).toMatchObject({ method: 'PATCH', body: { address: { street: 'Side' } } });
  });

  test('H7 PATCH in bulk adds the ids', async () => {
    const Item = defineItem({ actionMethods: { update: 'PATCH' }, batchActions: true });
    const store = new Store({ model: Item, data: [{ id: 1 }, { id: 2 }] });
    for (const item of store) item.set({ price: 5 });
    await store.sync();
    expect(sent()).toEqual([
      { id: 1, price: 5 },
      { id: 2, price: 5 },
    ]);
  });

  test('H7 destroy has no body', async () => {
    await defineItem().fromRow(row).erase();
    expect(server.last).toMatchObject({ method: 'DELETE', url: '/items/1', text: '' });
    expect(server.last.headers['content-type']).toBeUndefined();
  });

  test.each(['PUT', 'POST', 'put'])('H7 %s as the method of updates sends the whole row', async (update) => {
    await defineItem({ actionMethods: { update } }).fromRow(row).save();
    expect(sent()).toEqual(row);
  });

  test('H7 `writeAllFields` takes precedence over the method', async () => {
    const all = defineItem({ actionMethods: { update: 'PATCH' }, writer: { writeAllFields: true } }).fromRow(row);
    await all.save();
    expect(sent()).toEqual(row);
    const edited = defineItem({ writer: { writeAllFields: false } }).fromRow(row);
    edited.set({ price: 5 });
    await edited.save();
    expect(server.last).toMatchObject({ method: 'PUT', body: { price: 5 } });
  });

  test('H7 the body has the id if the address has none', async () => {
    const Item = defineItem({ appendId: false, actionMethods: { update: 'PATCH' } });
    const item = Item.fromRow({ id: '007', price: 1 });
    item.set({ price: 5 });
    await item.save();
    expect(server.last).toMatchObject({ url: '/items', body: { id: '007', price: 5 } });
    await item.erase();
    expect(server.last).toMatchObject({ method: 'DELETE', url: '/items', body: { id: '007' } });
  });

  test("H7 `nameProperty: 'name'` sends each member once, under the field's name", async () => {
    const Item = class extends Model.define({
      // Each mapping is the name of the other field, so renaming one must not change the other.
      fields: { id: 'int', name: { type: 'string', mapping: 'title' }, title: { type: 'string', mapping: 'name' } },
      proxy: { type: 'rest', url: '/items', noCache: false, baseUrl: server.url, writer: { nameProperty: 'name' } },
    }) {};
    const item = Item.fromRow({ id: 1, title: 'a', name: 'b', other: 'c' });
    await item.save();
    expect(sent()).toEqual({ id: 1, name: 'a', title: 'b', other: 'c' });
    item.set({ name: 'x' });
    await item.save();
    expect(sent()).toMatchObject({ name: 'x' });
  });

  test("H7 `nameProperty: 'name'` sends each member of a new record once, also with an index in a mapping", async () => {
    const Item = class extends Model.define({
      fields: {
        id: 'int',
        last: { type: 'string', mapping: 'names[1]' },
        deep: { type: 'int', mapping: 'a.b' },
        own: { type: 'int', mapping: (row: { sum?: number }) => row.sum, serialize: (sum) => ({ sum }) },
        hidden: { type: 'int', mapping: 'a.c', persist: false },
      },
      proxy: { type: 'rest', url: '/items', noCache: false, baseUrl: server.url, writer: { nameProperty: 'name' } },
    }) {};
    server.always(() => ({ status: 201, json: { id: 1 } }));
    await new Item({ last: 'L', deep: 2, own: 3, hidden: 4 }).save();
    expect(sent()).toEqual({ last: 'L', deep: 2, sum: 3 });
  });
});

describe('H8 filters and sorters in the query', () => {
  const filterOf = (filters: readonly unknown[]) => {
    const { searchParams } = new URL(urlOf({ url: 'http://h.test/users' }, { action: 'read', filters }));
    return searchParams.get('filter');
  };

  test('H8 disabled filters are not sent', () => {
    expect(
      filterOf([
        { property: 'a', value: 1, disabled: true },
        { property: 'b', value: 2 },
      ]),
    ).toBe('[{"property":"b","value":2}]');
  });

  test('H8 a disabled tree of filters is not sent, and not refused either', () => {
    expect(filterOf([{ and: [{ property: 'a', value: 1 }], disabled: true }])).toBeNull();
    expect(filterOf([{ not: { property: 'a', value: 1 }, disabled: true }])).toBeNull();
  });

  test('H8 two filters on one property are both sent', () => {
    expect(
      filterOf([
        { property: 'a', operator: '>', value: 1 },
        { property: 'a', operator: '<', value: 9 },
      ]),
    ).toBe('[{"property":"a","operator":">","value":1},{"property":"a","operator":"<","value":9}]');
  });

  test('H8 function filters are not sent', () => {
    expect(filterOf([() => true, { filterFn: () => true }])).toBeNull();
    expect(filterOf([() => true, { property: 'a', value: 1 }])).toBe('[{"property":"a","value":1}]');
  });

  test('H8 ids of filters and sorters are not sent', () => {
    const filters = [{ id: 'mine', property: 'a', value: { id: 5 } }];
    expect(filterOf(filters)).toBe('[{"property":"a","value":{"id":5}}]');
    expect(filterOf(Object.freeze(filters.map((filter) => Object.freeze(filter))) as never)).not.toContain('mine');
    const sorters = [{ id: 'mine', property: 'a', direction: 'ASC' }] as never;
    expect(decodeURIComponent(urlOf({}, { action: 'read', sorters }))).toBe(
      '/users?sort=[{"property":"a","direction":"ASC"}]',
    );
    expect(urlOf({ simpleSortMode: true }, { action: 'read', sorters })).toBe('/users?sort=a&dir=ASC');
  });

  test('H8 a filter, sort or group parameter without entries is left out', () => {
    expect(urlOf({}, { action: 'read', filters: [], sorters: [], grouper: null })).toBe('/users');
    expect(urlOf({}, { action: 'read', sorters: [{ sorterFn: () => 0 }] })).toBe('/users');
    const withoutValue = { property: 'a', value: undefined, disableOnEmpty: true };
    expect(urlOf({}, { action: 'read', filters: [withoutValue] })).toBe('/users');
  });

  test('H8 a filter without a value is refused', () => {
    expect(() => urlOf({}, { action: 'read', filters: [{ property: 'a' }] })).toThrow(/no value/);
  });
});

describe('H9 parameters', () => {
  const query = (params: Record<string, unknown>) => urlOf({}, { action: 'read', params }).slice('/users'.length);
  const instant = new Date('2024-03-01T12:00:00+02:00');

  test('H9 instants are ISO 8601 in UTC, in the query and in JSON', () => {
    expect(query({ at: instant })).toBe('?at=2024-03-01T10%3A00%3A00.000Z');
    expect(query({ at: [instant] })).toBe('?at=2024-03-01T10%3A00%3A00.000Z');
    expect(decodeURIComponent(query({ at: { from: instant } }))).toBe('?at={"from":"2024-03-01T10:00:00.000Z"}');
    const filter = urlOf({}, { action: 'read', filters: [{ property: 'at', value: instant }] });
    expect(decodeURIComponent(filter)).toContain('"value":"2024-03-01T10:00:00.000Z"');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['texts are encoded', { q: 'a b&c=d#ä' }, '?q=a%20b%26c%3Dd%23%C3%A4'],
    ['names are encoded', { 'a b[]': 1 }, '?a%20b%5B%5D=1'],
    ['booleans are words', { a: true, b: false }, '?a=true&b=false'],
    ['numbers are digits', { a: 0, b: -1.5 }, '?a=0&b=-1.5'],
    ['bigints are digits', { a: 2n ** 64n }, '?a=18446744073709551616'],
    ['arrays repeat the name', { a: [1, 'x y', true] }, '?a=1&a=x%20y&a=true'],
    ['arrays inside arrays are JSON', { a: [[1, 2]] }, '?a=%5B1%2C2%5D'],
    ['objects inside arrays are JSON', { a: [{ b: 1 }] }, '?a=%7B%22b%22%3A1%7D'],
    ['null and undefined inside arrays give the name', { a: [null, undefined, ''] }, '?a=&a=&a='],
    ['objects are JSON', { a: { b: 1 } }, '?a=%7B%22b%22%3A1%7D'],
    ['null gives the name', { a: null }, '?a='],
    ["'' gives the name", { a: '' }, '?a='],
    ['undefined is left out', { a: undefined, b: 1 }, '?b=1'],
    ['[] is left out', { a: [], b: 1 }, '?b=1'],
    ['__proto__ is a name like any other', JSON.parse('{"__proto__":1,"constructor":2}'), '?__proto__=1&constructor=2'],
  ])('H9 %s', (_, params, expected) => {
    expect(query(params)).toBe(expected);
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  test.each<[string, unknown]>([
    ['an invalid date', new Date(Number.NaN)],
    ['an invalid date in an array', [new Date(Number.NaN)]],
    ['an invalid date in an object', { a: [{ b: new Date(Number.NaN) }] }],
    ['NaN in an object', { a: [{ b: Number.NaN }] }],
    ['an infinite number in an object', { a: Number.NEGATIVE_INFINITY }],
    ['a circular value', circular],
    ['a bigint in an object', { a: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
  ])('H9 %s is refused', (_, value) => refused(() => query({ a: value }), 'param-invalid'));

  test('H9 a lone surrogate in a parameter is refused', () => refused(() => query({ a: '\ud800' }), 'id-surrogate'));

  test('H9 a filter with an invalid date is refused', () =>
    refused(
      () => urlOf({}, { action: 'read', filters: [{ property: 'at', value: new Date(Number.NaN) }] }),
      'param-invalid',
    ));

  test.each(['create', 'read', 'update', 'destroy'] as const)(
    'H9 the parameters of a %s are sent in the query',
    (action) => {
      const User = define();
      const records = action === 'create' ? [new User({ name: 'Ed' })] : [new User({ id: 7 })];
      const url = sentUrl(proxyOf({ extraParams: { x: 1 } }), { action, records, params: { q: 'ä' } });
      expect(url).toBe(action === 'create' ? '/users?q=%C3%A4&x=1' : '/users/7?q=%C3%A4&x=1');
    },
  );

  test('H9 an empty cacheString switches the cache-buster off', () => {
    expect(urlOf({ noCache: true, cacheString: '' })).toBe('/users');
  });

  test('H9 the name of the cache-buster is encoded', () => {
    expect(urlOf({ noCache: true, cacheString: 'no cache', clock })).toBe('/users?no%20cache=5');
  });
});

describe('H10 path templates', () => {
  const posts = { url: '/users/{userId}/posts' };

  test('H10 values come from the call, else the proxy, else the record', () => {
    class Post extends Model.define({ fields: { id: 'int', userId: 'int' }, proxy: { type: 'rest' } }) {}
    const records = [new Post({ id: 1, userId: 3 })];
    const both = { ...posts, pathParams: { userId: 2 } };
    expect(urlOf(both, { action: 'update', records, pathParams: { userId: 'a b' } })).toBe('/users/a%20b/posts/1');
    expect(urlOf(both, { action: 'update', records })).toBe('/users/2/posts/1');
    expect(urlOf(posts, { action: 'update', records })).toBe('/users/3/posts/1');
  });

  test('H10 0 and false are values', () => {
    expect(urlOf(posts, { action: 'read', pathParams: { userId: 0 } })).toBe('/users/0/posts');
    expect(urlOf(posts, { action: 'read', pathParams: { userId: false } })).toBe('/users/false/posts');
  });

  test('H10 any text without braces is a name, and may be used twice', () => {
    expect(urlOf({ url: '/{a b}/{ü.x}/{a b}' }, { action: 'read', pathParams: { 'a b': 1, 'ü.x': 2 } })).toBe('/1/2/1');
    expect(urlOf({ url: '/{constructor}' }, { action: 'read', pathParams: { constructor: 1 } as never })).toBe('/1');
  });

  test('H10 members of Object.prototype are not values', () =>
    refused(() => urlOf({ url: '/{constructor}' }, { action: 'read', pathParams: {} }), 'template-missing'));

  test.each(['/users{?x}', '/users/{+x}', '/users?a={x}', 'http://{host}/users', '/users/{}'])(
    'H10 the template %o is refused',
    (url) =>
      refused(
        () => urlOf({ url }, { action: 'read', pathParams: { x: 1, '+x': 1, '?x': 1, host: 'h' } }),
        'template-invalid',
      ),
  );

  test.each([undefined, null, '', Number.NaN])('H10 the value %o counts as missing', (userId) =>
    refused(() => urlOf(posts, { action: 'read', pathParams: { userId } }), 'template-missing'),
  );

  test('H10 a value cannot leave its segment', () => {
    expect(urlOf(posts, { action: 'read', pathParams: { userId: 'x/y?y#z' } })).toBe('/users/x%2Fy%3Fy%23z/posts');
  });

  test('H10 the id field is never used for a template', () => {
    const records = [new (define())({ id: 7 })];
    return refused(() => urlOf({ url: '/users/{id}' }, { action: 'update', records }), 'template-missing');
  });

  test('H10 an update uses the committed value, a create the current one', async () => {
    const Post = class extends Model.define({
      fields: { id: 'int', userId: 'int' },
      proxy: { type: 'rest', ...posts, noCache: false, baseUrl: server.url },
    }) {};
    server.always(({ body }) => ({ json: { id: 1, ...body } }));
    const fresh = new Post({ userId: 3 });
    fresh.set({ userId: 4 });
    await fresh.save();
    fresh.set({ userId: 5 });
    await fresh.save();
    await fresh.save();
    expect(server.lines).toEqual(['POST /users/4/posts', 'PUT /users/4/posts/1', 'PUT /users/5/posts/1']);
  });

  test("H10 a phantom's temporary id is never sent", async () => {
    class Team extends Model.define({ name: 'team', fields: { id: 'auto' }, proxy: { type: 'rest', url: '/teams' } }) {}
    class Task extends Model.define({
      name: 'task',
      fields: { id: 'auto', teamId: reference('auto') },
      proxy: { type: 'rest', url: '/teams/{teamId}/tasks', noCache: false, baseUrl: server.url },
    }) {
      static override references(): { teamId: typeof Team } {
        return { teamId: Team };
      }
    }
    const team = new Team({});
    await refused(() => new Task({ teamId: team.getId() }).save(), 'template-phantom');
  });

  test('H10 templates work in `api` and in the `url` of a call', () => {
    const proxy = { url: undefined, api: { read: '/a/{x}' }, pathParams: { x: 1 } };
    expect(urlOf(proxy)).toBe('/a/1');
    expect(urlOf(proxy, { action: 'read', url: '/b/{x}' })).toBe('/b/1');
  });
});

describe('H11 the trailing slash', () => {
  test('H11 every path without a format ends with one slash', () => {
    expect(urlOf({ trailingSlash: true })).toBe('/users/');
    expect(urlOf({ trailingSlash: true, url: '/users/' })).toBe('/users/');
    expect(urlOf({ trailingSlash: true, url: '/users?x=1' }, { action: 'read', id: 7 })).toBe('/users/7/?x=1');
    expect(urlOf({ trailingSlash: true, format: 'json' }, { action: 'read', id: 7 })).toBe('/users/7.json');
  });
});

describe('H12 sorters', () => {
  test('H12 simpleSortMode sends every sorter', () => {
    const sorters = [{ property: 'a', direction: 'desc' }, 'b', { sorterFn: () => 0 }];
    expect(urlOf({ simpleSortMode: true }, { action: 'read', sorters })).toBe('/users?sort=a&sort=b&dir=DESC&dir=ASC');
    expect(urlOf({ simpleSortMode: true, directionParam: '' }, { action: 'read', sorters })).toBe(
      '/users?sort=a&sort=b',
    );
  });

  test('H12 directions are normalised to upper case', () => {
    const url = urlOf({}, { action: 'read', sorters: [{ property: 'a', direction: 'desc' }] });
    expect(decodeURIComponent(url)).toBe('/users?sort=[{"property":"a","direction":"DESC"}]');
  });
});

describe('H13 verbs', () => {
  const verb = (proxy: RestProxy) =>
    proxy.buildRequest(operationOf({ action: 'update', records: [new (define())({ id: 7 })] })).method;

  test('H13 a partial actionMethods is merged over the defaults', () => {
    const proxy = proxyOf({ actionMethods: { update: 'PATCH' } });
    expect(proxy.actionMethods).toEqual({ ...proxy.defaultActionMethods, update: 'PATCH' });
    expect(proxyOf({ actionMethods: null }).actionMethods).toEqual(proxy.defaultActionMethods);
  });

  test('H13 the method comes from getMethod, else actionMethods, else the dialect, else the default', () => {
    class OwnProxy extends RestProxy {
      override getMethod(): string {
        return 'MERGE';
      }
    }
    const config: RestProxyConfig = {
      url: '/users',
      baseUrl: server.url,
      dialect: plain(),
      actionMethods: { update: 'POST' },
    };
    expect(verb(new OwnProxy(config))).toBe('MERGE');
    expect(verb(new RestProxy(config))).toBe('POST');
    expect(verb(proxyOf({ dialect: plain() }))).toBe('PATCH');
    expect(verb(proxyOf())).toBe('PUT');
  });

  test('H13 a method in lower case is sent in upper case, also from an override', async () => {
    class SmallProxy extends RestProxy {
      override getMethod(): string {
        return 'patch';
      }
    }
    expect(verb(proxyOf({ actionMethods: { update: 'patch' } }))).toBe('PATCH');
    expect(verb(new SmallProxy({ url: '/users', baseUrl: server.url }))).toBe('PATCH');
  });
});

describe('H14 client-generated ids', () => {
  test('H14 a client-generated id is sent in a create with `writeRecordId` only', async () => {
    server.always(() => ({ status: 201, json: { id: 1 } }));
    for (const writeRecordId of [false, true]) {
      const User = define({ writer: { writeRecordId } });
      await new User({ id: 'mine', name: 'Ed' }, { phantom: true }).save();
      expect(server.last.body).toEqual({ ...(writeRecordId && { id: 'mine' }), name: 'Ed' });
      const generated = new User({ name: 'Ed' });
      const id = generated.getId();
      await generated.save();
      expect(server.last.body).toEqual({ ...(writeRecordId && { id }), name: 'Ed' });
    }
  });
});

describe('H15 headers', () => {
  test('H15 Accept is always sent, Content-Type with a body, X-Requested-With if it is switched on', async () => {
    const user = new (define())({ id: 7 });
    await user.load();
    expect(server.last.headers).toMatchObject({ accept: 'application/json' });
    expect(server.last.headers).not.toHaveProperty('content-type');
    expect(server.last.headers).not.toHaveProperty('x-requested-with');
    await user.save();
    expect(server.last.headers).toMatchObject({ 'content-type': 'application/json' });
    await define({ useDefaultXhrHeader: true }).load(7);
    expect(server.last.headers).toMatchObject({ 'x-requested-with': 'XMLHttpRequest' });
  });

  test("H15 names are case-insensitive, and the headers of a call override the proxy's", async () => {
    const User = define({ headers: { accept: 'text/json', 'X-Own': 'proxy', 'x-other': 'proxy' } });
    await User.load(7, { headers: { 'x-OWN': 'call' } });
    expect(server.last.headers).toMatchObject({ accept: 'text/json', 'x-own': 'call', 'x-other': 'proxy' });
  });

  test('H15 headers may be an async function, which is called for each request', async () => {
    let calls = 0;
    const User = define({ headers: async () => ({ Authorization: `Bearer ${++calls}` }) });
    await User.load(7);
    await User.load(7);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer 1', 'Bearer 2']);
  });
});

describe('H16 bulk writes', () => {
  const several = (User: AnyModel & { fromRow(row: object): unknown }) => [
    User.fromRow({ id: 1 }),
    User.fromRow({ id: 2 }),
  ];

  test.each(['update', 'destroy'] as const)('H16 an %s of several records needs batchActions', async (action) => {
    await refused(() => sentUrl(proxyOf(), { action, records: several(define()) }), 'url-several');
    expect(sentUrl(proxyOf({ batchActions: true }), { action, records: several(define()) })).toBe('/users');
  });

  test('H16 sync() sends an array to the collection, or to `api[action]`', async () => {
    const User = define({ batchActions: true, api: { destroy: '/users/purge' } });
    const store = new Store({ model: User, data: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] });
    server.always(({ method, body }) => ({ json: method === 'DELETE' ? undefined : body }));
    store.getById(1)?.set({ name: 'a' });
    store.getById(2)?.set({ name: 'b' });
    store.remove(store.getById(3)!, store.getById(4)!);
    expect((await store.sync()).failures).toEqual([]);
    expect(server.lines).toEqual(['PUT /users', 'DELETE /users/purge']);
    expect(server.requests.map(({ body }) => body)).toEqual([
      [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ],
      [{ id: 3 }, { id: 4 }],
    ]);
  });

  test("H16 the address of a bulk write is built by the dialect's address step", async () => {
    const bulkDocs: Dialect = {
      ...plain(),
      name: 'documents',
      address: (context) => `${plain().address(context)}${context.request.bulk ? '/_bulk' : '/_doc'}`,
    };
    const Doc = define({ batchActions: true, dialect: bulkDocs, writer: { rootProperty: 'docs' } });
    const store = new Store({ model: Doc, data: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] });
    server.always(({ method, body }) => ({ json: method === 'DELETE' ? undefined : body.docs }));
    for (const record of [store.getById(1)!, store.getById(2)!]) record.name = 'a';
    store.remove(store.getById(3)!, store.getById(4)!);
    store.add({ name: 'new' }, { name: 'newer' });
    await store.sync();
    expect(server.lines).toEqual(['POST /users/_bulk', 'PATCH /users/_bulk', 'DELETE /users/_bulk']);
    expect(server.requests[1]?.body).toEqual({
      docs: [
        { id: 1, name: 'a' },
        { id: 2, name: 'a' },
      ],
    });
  });

  test('H16 an address step is called once if it returns the base, and twice if it adds to it', async () => {
    const calls: string[] = [];
    const sentWith = (behind: string) => {
      calls.length = 0;
      const address: Dialect['address'] = ({ request }) => {
        calls.push(behind);
        return `${request.url}${behind}`;
      };
      const proxy = proxyOf({ batchActions: true, dialect: { ...plain(), address } });
      return sentUrl(proxy, { action: 'update', records: several(define()) });
    };
    expect([sentWith(''), calls]).toEqual(['/users', ['']]);
    expect([sentWith('/_bulk'), calls]).toEqual(['/users/_bulk', ['/_bulk', '/_bulk']]);
  });

  test('H16 an address step that names one of several records is refused', async () => {
    const keyed: Dialect = {
      ...plain(),
      name: 'keyed',
      address: ({ request }) => `${request.url}(${(request.operation.records[0] as never as { id: number }).id})`,
      declared: ({ request }) => `${request.base}(1)`,
    };
    const proxy = proxyOf({ batchActions: true, dialect: keyed });
    await refused(() => sentUrl(proxy, { action: 'update', records: several(define()) }), 'url-bulk');
    const { refused: error } = await explain(proxy, { action: 'update', records: several(define()) as never });
    expect(error?.message).toMatch(/PATCH \/users was not sent: .*'keyed'.* names one of 2 records.*`request\.bulk`/);
    expect(sentUrl(proxy, { action: 'update', records: several(define()).slice(0, 1) })).toBe('/users(1)');
  });

  test('H16 one record is written by an ordinary request', async () => {
    const store = new Store({ model: define({ batchActions: true }), data: [{ id: 1 }] });
    store.getAt(0)?.set({ name: 'a' });
    await store.sync();
    expect(server.lines).toEqual(['PUT /users/1']);
  });

  test('H16 a buildUrl called by hand uses the first record (rule 1)', () => {
    expect(urlOf({ batchActions: true }, { action: 'update', records: several(define()) })).toBe('/users/1');
  });

  test('H16 records with different addresses are never sent to the address of the first', async () => {
    class Task extends Model.define({
      fields: { id: 'int', teamId: 'int' },
      proxy: { type: 'rest', url: '/teams/{teamId}/tasks', noCache: false, batchActions: true, baseUrl: server.url },
    }) {}
    const records = [Task.fromRow({ id: 1, teamId: 1 }), Task.fromRow({ id: 2, teamId: 2 })];
    await refused(() => sentUrl(Task.proxy as RestProxy, { action: 'destroy', records }));
    records[1] = Task.fromRow({ id: 2, teamId: 1 });
    expect(sentUrl(Task.proxy as RestProxy, { action: 'destroy', records })).toBe('/teams/1/tasks');
  });
});

describe('H17 Location and redirects', () => {
  const create = async (headers: Record<string, string>, proxy: Partial<RestProxyConfig> = {}, status = 201) => {
    server.reply({ status, headers });
    const user = new (define(proxy))({ name: 'Ed' });
    await user.save();
    return user.getId();
  };
  const refusal = (location: string, proxy?: Partial<RestProxyConfig>, status?: number) =>
    create({ Location: location.replace('SERVER', server.url) }, proxy, status).catch((thrown: unknown) => thrown);

  test.each([
    ['/users/12', '12'],
    ['/users/12/', '12'],
    ['/users/12?x=1#y', '12'],
    ['12', '12'],
    ['s', 's'],
    ['users/12', '12'],
    ['../v2/users/12', '12'],
    ['SERVER/users/12', '12'],
    ['https://elsewhere.test/v2/users/12', '12'],
    ['/users/a%2Fb%20c', 'a/b c'],
    ['/users/100%', '100%'],
    ['/%75sers/12', '12'],
  ])('H17 the Location %o names the record %o of the collection', async (location, id) => {
    expect(await create({ Location: location.replace('SERVER', server.url) })).toBe(id);
    expect(server.lines).toEqual(['POST /users']);
  });

  test.each([
    '/jobs/55',
    '/users/55/confirm',
    '/12',
    '/users/jobs/55',
    'https://elsewhere.test/people/12',
    '/Users/12',
    '/users/../jobs/55',
    '/users//12',
    '//users/12',
    'urn:users:12',
    'mailto:users/12',
    'Users(12)',
    '.',
    '..',
    '%2e%2e',
    '/users/1, /users/2',
  ])('H17 the Location %o names no record of the collection, so the create is unconfirmed', async (location) => {
    const bare = location === 'Users(12)';
    const error = await refusal(bare ? `/${location}` : location);
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ reason: 'response-no-id' });
    expect((error as Error).message).toContain(bare ? `/${location}` : location);
  });

  test.each(['/users', '/users/', 'users', 'SERVER/users', '/users?x=1', 'https://elsewhere.test/users'])(
    'H17 the Location %o is the collection and names no record',
    async (location) => {
      expect(await refusal(location)).toMatchObject({ code: 'read', reason: 'response-no-id' });
    },
  );

  test.each([
    [200, '12'],
    [201, '12'],
    [204, '12'],
  ])('H17 an id is taken from the Location of a %i', async (status, id) => {
    expect(await create({ Location: '/users/12' }, {}, status)).toBe(id);
  });

  test.each([202, 203, 206])('H17 no id is taken from the Location of a %i', async (status) => {
    expect(await refusal('/users/12', {}, status)).toMatchObject({ code: 'read', reason: 'response-no-id' });
    expect(await refusal('12', {}, status)).toMatchObject({ code: 'read', reason: 'response-no-id' });
  });

  test('H17 the format is not part of the id', async () => {
    expect(await create({ Location: '/users/12.json' }, { format: 'json' })).toBe('12');
    expect(await refusal('/users.json', { format: 'json' })).toMatchObject({ reason: 'response-no-id' });
  });

  test('H17 the collection is the address of the create, or that of the proxy', async () => {
    expect(await create({ Location: '/people/12' }, { url: '/v1/people/' })).toBe('12');
    expect(await create({ Location: '/people/12' }, { url: '/people', api: { create: '/people/new' } })).toBe('12');
    expect(await create({ Location: '/new/12' }, { url: '/people', api: { create: '/people/new' } })).toBe('12');
    expect(await create({ Location: '/12' }, { url: '/' })).toBe('12');
    expect(await refusal('/users/users', { url: '/users/users' })).toMatchObject({ reason: 'response-no-id' });
    const teams = { url: '/teams/{teamId}/tasks', pathParams: { teamId: 7 } };
    expect(await create({ Location: '/teams/7/tasks/12' }, teams)).toBe('12');
    expect(await refusal('/teams/7', teams)).toMatchObject({ reason: 'response-no-id' });
  });

  test('H17 a dialect can read its own form of Location', async () => {
    const read: string[] = [];
    const readLocation = (_: object, text: string) => {
      read.push(text);
      return /\((\d+)\)$/.exec(text)?.[1];
    };
    const dialect = { ...plain(), readLocation };
    expect(await create({ Location: 'Users(12)' }, { dialect })).toBe('12');
    expect(await create({ Location: '/users/13' }, { dialect })).toBe('13');
    expect(await refusal('Users(14)', { dialect }, 202)).toMatchObject({ reason: 'response-no-id' });
    expect(read).toEqual(['Users(12)', '/users/13']);
  });

  test.each([301, 302, 303, 307, 308])(
    'H17 a write redirected by %i rejects with a ReadError that names both addresses',
    async (status) => {
      const target = `${server.url}/users/7/`;
      server.reply({ status, headers: { Location: target } });
      const user = new (define())({ id: 7, name: 'a' });
      user.set({ name: 'b' });
      const error = await user.save().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ReadError);
      expect(error).toMatchObject({ reason: 'response-redirected' });
      expect((error as Error).message).toContain('/users/7 ');
      expect((error as Error).message).toContain(target);
      expect((error as Error).message).toContain([307, 308].includes(status) ? 'was not done' : 'may have been done');
      expect(user).toMatchObject({ name: 'b', dirty: true });
      expect(server.lines).toEqual(['PUT /users/7']);
    },
  );

  test('H17 a redirected write is not followed, so it cannot hit the collection', async () => {
    server.reply({ status: 307, headers: { Location: '/users' } });
    const error = await new (define())({ id: 7 }).erase().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'response-redirected' });
    expect(server.lines).toEqual(['DELETE /users/7']);
  });

  test('H17 a read may be redirected within its origin', async () => {
    server.reply({ status: 301, headers: { Location: '/users/7/' } }, { json: { id: 7, name: 'a' } });
    expect((await define().load(7)).name).toBe('a');
  });
});
