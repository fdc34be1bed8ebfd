import fc from 'fast-check';
import {
  AddressError,
  AjaxProxy,
  type Dialect,
  explain,
  HttpError,
  Model,
  Operation,
  type OperationConfig,
  type ProxyRequest,
  plain,
  RestProxy,
  type RestProxyConfig,
  ResultSet,
  Store,
} from 'repose';
import type { StepContext } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { startRestServer } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const base = plain();
const define = (dialect: Partial<Dialect>, config: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { dialect: { ...base, name: 'house', ...dialect }, ...config }),
  }) {};

describe('headers', () => {
  test('are sent with every request; those of the proxy and of the call win, in any case', async () => {
    const User = define(
      { headers: ({ request }) => ({ Prefer: `for-${request.action}`, 'X-Kind': 'dialect' }) },
      { headers: { 'x-kind': 'proxy' } },
    );
    server.always(() => ({ json: { id: 7, name: 'Ed' } }));
    await User.load(7);
    expect(server.last.headers).toMatchObject({ prefer: 'for-read', 'x-kind': 'proxy', accept: 'application/json' });
    await User.fromRow({ id: 7 }).erase({ headers: { prefer: 'own' } });
    expect(server.last.headers).toMatchObject({ prefer: 'own', 'x-kind': 'proxy' });
  });

  test('may replace the built-in ones, and come from a function that is called for each request', async () => {
    let count = 0;
    const User = define({
      headers: () => async () => ({ Accept: 'application/vnd.house+json', Authorization: `Bearer ${++count}` }),
    });
    server.always(() => ({ json: [] }));
    for (const token of ['Bearer 1', 'Bearer 2']) {
      await new Store({ model: User }).load();
      expect(server.last.headers).toMatchObject({ accept: 'application/vnd.house+json', authorization: token });
    }
  });

  test('are explained as headers of the dialect, without a call of their function', async () => {
    const headersOf = async (dialect: Partial<Dialect>) =>
      (await explain(define(dialect).proxy, { action: 'read' })).headers;
    expect(await headersOf({ headers: () => ({ Prefer: 'count=exact' }) })).toContainEqual({
      text: 'Prefer: count=exact',
      rule: 'H15',
      option: 'dialect',
    });
    const never = () => {
      throw new Error('called');
    };
    expect(await headersOf({ headers: () => never })).toContainEqual(expect.objectContaining({ option: 'dialect' }));
  });

  test('are not sent to another origin, to which a link leads', async () => {
    const other = await startRestServer();
    try {
      other.always(() => ({ json: [] }));
      const User = define(
        { headers: () => ({ apikey: 'secret' }) },
        { trustLinks: [other.url], fetch: globalThis.fetch, baseUrl: server.url },
      );
      server.reply({ json: [{ id: 1 }], headers: { Link: `<${other.url}/users?page=2>; rel="next"` } });
      const store = new Store({ model: User, pageSize: 1 });
      await store.load();
      await store.loadMore();
      expect(server.last.headers).toHaveProperty('apikey', 'secret');
      expect(other.lines).toEqual(['GET /users?page=2']);
      expect(other.last.headers).not.toHaveProperty('apikey');
    } finally {
      await other.stop();
    }
  });
});

/** Names records as PostgREST does. */
const inQuery: Partial<Dialect> = {
  idInQuery: true,
  address({ request: { url, bulk, operation } }) {
    const ids = operation.records.map((record) => (record as unknown as { id: number }).id).sort();
    if (bulk) return operation.action === 'destroy' ? `${url}?id=in.(${ids})` : (url as string);
    const id = ids[0] ?? operation.id;
    return id === undefined ? (url as string) : `${url}?id=eq.${id}`;
  },
};
const saved = (id = 7) => define(inQuery).fromRow({ id, name: 'Ed' }) as never;
type ProxyClass = new (config: RestProxyConfig) => RestProxy | AjaxProxy;
const urlOf = (config: RestProxyConfig, operation: OperationConfig, Class: ProxyClass = RestProxy) =>
  new Class({
    ...{ url: '/users', baseUrl: 'http://h.test', dialect: { ...base, ...inQuery } },
    ...config,
  }).buildRequest(new Operation(operation)).url as string;

describe('ids in the query', () => {
  test.each<[string, RestProxyConfig, string]>([
    ['alone', {}, '/users?id=eq.7'],
    ['before the query of the base', { url: '/users?select=name' }, '/users?id=eq.7&select=name'],
    ['behind format', { format: 'json' }, '/users.json?id=eq.7'],
    ['behind a slash', { trailingSlash: true }, '/users/?id=eq.7'],
    [
      'before parameters and cache-buster',
      { noCache: true, clock: { now: () => 5, after: () => () => undefined } },
      '/users?id=eq.7&_dc=5&v=2',
    ],
    ['without appendId', { appendId: false }, '/users?id=eq.7'],
  ])('stand %s', (_, config, url) => {
    const params = url.includes('v=2') ? { v: 2 } : {};
    for (const action of ['update', 'destroy'] as const)
      expect(urlOf(config, { action, records: [saved()], params })).toBe(url);
    expect(urlOf(config, { action: 'read', id: 7, params })).toBe(url);
  });

  test('are explained as parts of the address', async () => {
    const { parts } = await explain(define(inQuery, { url: '/users?select=name' }).proxy, { action: 'read', id: 7 });
    expect(parts.map(({ text, option }) => [text, option])).toEqual([
      ['/users', 'url'],
      ['?id=eq.7', 'appendId'],
      ['&select=name', 'url'],
    ]);
  });

  test.each<[string, RestProxyConfig, OperationConfig, ProxyClass?]>([
    ['without a record', {}, { action: 'destroy' }],
    ['in a singleton', { singleton: true }, { action: 'update', records: [saved()] }],
    ['by an AjaxProxy, which has other addresses', {}, { action: 'update', records: [saved()] }, AjaxProxy],
    ['by an AjaxProxy without idParam', { idParam: '' }, { action: 'destroy', records: [saved()] }, AjaxProxy],
    [
      'of several records at the address of all',
      { batchActions: true },
      { action: 'update', records: [saved(), saved(8)] },
    ],
    [
      'if a buildUrl drops the id',
      {},
      { action: 'destroy', records: [saved()] },
      class extends RestProxy {
        override buildUrl(request: ProxyRequest) {
          return super.buildUrl(request).split('?')[0] as string;
        }
      },
    ],
    [
      'if a buildUrl drops the id of an own address',
      {},
      { action: 'destroy', records: [saved()], url: '/users' },
      class extends RestProxy {
        override buildUrl(request: ProxyRequest) {
          return super.buildUrl(request).split('?')[0] as string;
        }
      },
    ],
    [
      'if a buildUrl changes the id',
      {},
      { action: 'update', records: [saved()] },
      class extends RestProxy {
        override buildUrl(request: ProxyRequest) {
          return super.buildUrl(request).replace('eq.7', 'neq.7');
        }
      },
    ],
    [
      'if a buildUrl forgets the parent',
      { appendId: false },
      { action: 'update', records: [saved()] },
      class extends RestProxy {
        override buildUrl() {
          return '/users?id=7';
        }
      },
    ],
  ])('are demanded: an update or destroy %s is not sent', (_, config, operation, Class) => {
    expect(() => urlOf(config, operation, Class)).toThrow(AddressError);
  });

  test('may name several records', () => {
    const several = { action: 'destroy', records: [saved(8), saved(7)] } as const;
    expect(decodeURIComponent(urlOf({ batchActions: true }, several))).toBe('/users?id=in.(7,8)');
  });

  test('reach the address of a create by PUT, with the model of the record', () => {
    class Tag extends Model.define({ name: 'Tag', fields: { id: 'string' }, identifier: 'natural' }) {}
    let model: string | undefined;
    const dialect: Dialect = {
      ...base,
      idInQuery: true,
      address({ request: { url, operation } }) {
        model = operation.modelName;
        return `${url}?id=eq.${operation.id}`;
      },
    };
    const create = { action: 'create', records: [new Tag({ id: 'new' }) as never] } as const;
    expect(urlOf({ createBy: 'put', dialect }, create)).toBe('/users?id=eq.new');
    expect(model).toBe('Tag');
  });

  test('are in every update and destroy that is built, whatever the options and overrides are', () => {
    const overrides = [
      (url: string) => url,
      (url: string) => url.split('?')[0] as string,
      (url: string) => url.replace(/id=eq\.7&?/, ''),
      (url: string) => url.replace('?id', '?xid'),
      (url: string) => `${url}${url.includes('?') ? '&' : '?'}or=(id.gt.0)`,
      (url: string) => url.replace('?', '#'),
      (url: string) => url.replace('eq.7', 'eq.7%26x'),
      () => '/users?id=7',
    ];
    const config = fc.record(
      {
        url: fc.constantFrom('/users', '/users/', '/users?x=1', '/users?id=gt.0', 'https://h.test/users#f'),
        format: fc.constantFrom('json', ''),
        trailingSlash: fc.boolean(),
        appendId: fc.boolean(),
        singleton: fc.boolean(),
        idParam: fc.constantFrom('id', '', 'x'),
        batchActions: fc.boolean(),
        extraParams: fc.constantFrom({}, { id: 'gt.0' }, { id: undefined }, { select: '*' }),
      },
      { requiredKeys: ['url'] },
    );
    const operation = fc.record(
      {
        action: fc.constantFrom('update', 'destroy'),
        records: fc.constantFrom<never[]>([], [saved()], [saved(), saved(8)]),
        url: fc.constantFrom('/users', '/other', '/users?y=1'),
        params: fc.constantFrom({ id: 'gt.0' }, { v: 1 }),
      },
      { requiredKeys: ['action'] },
    );
    const classes = [RestProxy, AjaxProxy] as const;
    let built = 0;
    fc.assert(
      fc.property(
        ...([config, operation, fc.constantFrom(...overrides), fc.constantFrom(...classes)] as const),
        (options, given, override, Parent) => {
          class OwnProxy extends (Parent as typeof RestProxy) {
            override buildUrl(request: ProxyRequest) {
              return override(super.buildUrl(request));
            }
          }
          let url: string;
          try {
            url = urlOf(options as RestProxyConfig, given, OwnProxy);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
            return;
          }
          built += 1;
          const wanted = given.records?.length === 2 ? 'in.(7,8)' : 'eq.7';
          expect(new URL(url, 'https://h.test').searchParams.getAll('id')).toContain(wanted);
        },
      ),
      { numRuns: 2000 },
    );
    expect(built).toBeGreaterThan(20);
  });
});

describe('isPage', () => {
  const dialect: Partial<Dialect> = {
    isPage: ({ request }) => request.response?.status === 416,
    readPage(context: StepContext) {
      return context.request.response?.status === 416 ? new ResultSet({ rows: [], total: 57 }) : base.readPage(context);
    },
  };
  const refusal = { status: 416, json: { message: 'behind the end' } };

  test('lets the dialect read an unsuccessful response as a page of a list', async () => {
    const store = new Store({ model: define(dialect), pageSize: 10 });
    server.reply({ json: [{ id: 1 }], headers: { 'X-Total-Count': '57' } }, refusal);
    await store.load();
    await store.load({ page: 9 });
    expect([store.count, store.total]).toEqual([0, 57]);
  });

  test('is not asked about other responses, single records, writes and calls of `send`', async () => {
    const User = define(dialect);
    server.always(() => refusal);
    const user = User.fromRow({ id: 7, name: 'Ed' });
    user.set({ name: 'Bob' });
    await expect(User.load(7)).rejects.toMatchObject({ status: 416 });
    await expect(user.save()).rejects.toMatchObject({ status: 416 });
    await expect((User.proxy as RestProxy).send({ path: 'sum' })).rejects.toMatchObject({ status: 416 });
    server.always(() => ({ status: 400, json: {} }));
    await expect(new Store({ model: User }).load()).rejects.toMatchObject({ status: 400 });
  });
});

describe('readError', () => {
  const dialect: Partial<Dialect> = {
    readSaved: () => new ResultSet({ success: false }),
    readError: () => ({ status: 404, detail: 'no row matched', issues: [] }),
  };

  test('gives the status of a failure that was answered with success', async () => {
    server.always(() => ({ json: [] }));
    const user = define(dialect).fromRow({ id: 7, name: 'Ed' });
    const error = await user.erase().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      status: 404,
      reason: 'http-not-found',
      message: expect.stringMatching('no row matched'),
    });
    expect(user.$.error).toBe(error);
  });

  test('cannot turn a failure of the server into another status', async () => {
    server.always(() => ({ status: 502, text: 'bad gateway' }));
    const user = define(dialect).fromRow({ id: 7, name: 'Ed' });
    await expect(user.erase()).rejects.toMatchObject({ status: 502, reason: 'http-later' });
  });
});
