import {
  DefinitionError,
  type Extension,
  explain,
  HttpError,
  MemoryProxy,
  Model,
  Operation,
  ProxyRequest,
  plain,
  RestProxy,
  type RestProxyConfig,
  Store,
} from 'repose';
import { LAYERS, rowOf } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ROW = { id: 7, name: 'Ed' };

/** An extension that adds a parameter and a header of its name. */
const adding = (name: string, layer: number, value = name): Extension => ({
  name,
  layer,
  prepare(request) {
    request.params['tenant'] = value;
    request.headers = { ...request.headers, 'X-Tenant': value };
  },
});
const define = (config: RestProxyConfig) =>
  class extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { noCache: false, ...config }),
  }) {};
const proxyOf = (config: RestProxyConfig) => define(config).proxy as unknown as RestProxy;
/** The tenant of each request, in the address and in the headers. */
const tenants = () => server.requests.map(({ query, headers }) => [query.get('tenant'), headers['x-tenant']]);

describe('the request', () => {
  test('is the same object in every hook, in the operation and in explain, and says what was sent', async () => {
    const requests: ProxyRequest[] = [];
    const sent: unknown[] = [];
    const watch: Extension = {
      name: 'watch',
      layer: LAYERS.telemetry + 1,
      prepare: (request) => void requests.push(request),
      async send(request, next, proxy) {
        requests.push(request);
        const before = [request.method, request.target, request.encoded?.body, request.operation.attempts];
        const response = await next(request);
        sent.push(...before, request.operation.attempts, response.status, proxy);
        return response;
      },
      answered: (request) => void requests.push(request),
    };
    const User = define({ use: [watch], dialect: plain() });
    server.reply({ json: { ...ROW, name: 'Bo' } });
    const user = User.fromRow(ROW);
    const operations: Operation<never>[] = [];
    user.name = 'Bo';
    await user.save({ success: (_, operation) => void operations.push(operation as never) });
    const target = 'http://rest.test/users/7';
    expect(sent).toEqual(['PATCH', target, '{"name":"Bo"}', 0, 1, 200, User.proxy]);
    expect(new Set([...requests, operations[0]?.request]).size).toBe(1);
    expect(requests[0]).toMatchObject({ target, response: { status: 200 }, trace: undefined });
    const { request } = await explain(User.proxy, { action: 'read', id: 7 });
    expect(request).toBe(requests.at(-1));
    expect(request).toBeInstanceOf(ProxyRequest);
  });
});

describe('prepare', () => {
  test('adds headers and parameters to reads, writes, writes of several records and other calls', async () => {
    const User = define({ use: [adding('acme', 1)], batchActions: true });
    server.reply({ json: ROW });
    const user = await User.load(7);
    server.reply({ json: [ROW, { id: 8, name: 'Bo' }] });
    const store = new Store({ model: User });
    await store.load();
    for (const each of store) each.name += '!';
    server.reply({ status: 204 });
    (await store.sync()).orThrow();
    server.reply({ status: 201, json: { id: 9, name: 'Cy' } }, { status: 204 }, { json: {} });
    await new User({ name: 'Cy' }).save();
    await user.erase();
    await (User.proxy as unknown as RestProxy).send({ path: 'count' });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /users/7',
      'GET /users',
      'PUT /users',
      'POST /users',
      'DELETE /users/7',
      'GET /users/count',
    ]);
    expect(tenants()).toEqual(Array(6).fill(['acme', 'acme']));
  });

  test('is called by layer, outermost first, so that an inner extension has the last word', async () => {
    server.reply({ json: [] });
    await proxyOf({ use: [adding('inner', 2), adding('outer', 1)] }).read(new Operation({ action: 'read' }));
    expect(tenants()).toEqual([['inner', 'inner']]);
  });

  test('receives the method and the parameters; headers of the call replace headers that it adds', async () => {
    const seen: unknown[] = [];
    const watch: Extension = {
      name: 'watch',
      layer: 1,
      prepare: ({ method, params, url, body }) => void seen.push([method, { ...params }, url, body]),
    };
    server.reply({ json: ROW });
    const config = { action: 'update', records: [new (define({}))(ROW) as never], params: { a: 1 } } as const;
    const proxy = proxyOf({ use: [watch, adding('acme', 2)], extraParams: { b: 2 } });
    await proxy.update(new Operation({ ...config, headers: { 'x-tenant': 'call' } }));
    expect(seen).toEqual([['PUT', { a: 1, b: 2 }, undefined, undefined]]);
    expect(tenants()).toEqual([['acme', 'call']]);
  });

  test('rejects the call with a DefinitionError if it throws, and nothing is sent', async () => {
    const broken: Extension = {
      name: 'broken',
      layer: 1,
      prepare() {
        throw new TypeError('no tenant');
      },
    };
    const error = await define({ use: [broken] })
      .load(7)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(error).toMatchObject({ cause: { message: 'no tenant' } });
    expect(server.lines).toEqual([]);
  });

  test('fails only the record for which it throws; the others are written in one request', async () => {
    const broken: Extension = {
      name: 'broken',
      layer: 1,
      prepare({ operation: { records } }) {
        if (records.some((record) => rowOf(record)['id'] === 8)) throw new TypeError('no tenant');
      },
    };
    const store = new Store({ model: define({ use: [broken], batchActions: true }) });
    server.reply({ json: [7, 8, 9].map((id) => ({ id, name: 'Ed' })) }, { status: 204 });
    for (const user of await store.load()) user.name = 'new';
    const { failures } = await store.sync();
    expect(failures).toMatchObject([{ record: { id: 8 }, error: { cause: { message: 'no tenant' } } }]);
    expect(server.requests.slice(1).map(({ body }) => body)).toEqual([[7, 9].map((id) => ({ id, name: 'new' }))]);
  });

  test('adds no headers to a link on another origin', async () => {
    const received: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      received.push(new Headers(init?.headers));
      return Response.json([]);
    };
    const proxy = new RestProxy({
      ...{ url: 'https://own.test/users', noCache: false, fetch },
      ...{ trustLinks: ['https://other.test'], use: [adding('acme', 1)] },
    });
    for (const link of ['https://own.test/users?after=1', 'https://other.test/users?after=1'])
      await proxy.read(new Operation({ action: 'read', link }));
    expect(received.map((headers) => headers.get('x-tenant'))).toEqual(['acme', null]);
  });
});

describe('answered', () => {
  /** Collects the rows of the responses. */
  const collecting = () => {
    const answers: unknown[] = [];
    const extension: Extension = {
      name: 'collect',
      layer: 1,
      answered: ({ action, response }, { rows }) => void answers.push([action, response?.status, rows]),
    };
    return { answers, extension };
  };

  test('is called for each successful response, with its rows, before the record changes', async () => {
    const { answers, extension } = collecting();
    const User = define({ use: [extension] });
    server.reply({ json: ROW });
    const user = await User.load(7);
    const names: string[] = [];
    const watch: Extension = { name: 'watch', layer: 2, answered: () => void names.push(user.name as string) };
    const Watched = User.with({ proxy: { use: [watch] } });
    server.reply({ json: { ...ROW, name: 'Ed of the server' } }, { status: 204 }, { json: [ROW] });
    user.name = 'mine';
    const proxy = Watched.proxy as unknown as RestProxy;
    await proxy.update(new Operation({ action: 'update', records: [user as never] }));
    await user.erase();
    await proxy.read(new Operation({ action: 'read' }));
    expect(answers).toEqual([
      ['read', 200, [ROW]],
      ['update', 200, [{ ...ROW, name: 'Ed of the server' }]],
      ['destroy', 204, []],
      ['read', 200, [ROW]],
    ]);
    expect(names).toEqual(['mine', 'mine']);
  });

  test('is not called for an error status or for a failure that the body reports', async () => {
    const { answers, extension } = collecting();
    const User = define({ use: [extension], reader: { successProperty: 'ok' } });
    server.reply({ status: 404 }, { json: { ok: false, ...ROW } });
    for (let i = 0; i < 2; i += 1) await expect(User.load(7)).rejects.toBeInstanceOf(HttpError);
    expect(answers).toEqual([]);
  });
});

describe('explain', () => {
  test('names the extension that added a header or a parameter, and the option behind each other one', async () => {
    const again: Extension = {
      name: 'again',
      layer: 3,
      prepare(request) {
        request.params['q'] = 'x';
        request.params['page'] = 2;
        request.headers = { ...request.headers, 'x-tenant': 'second', 'X-Kept': '1' };
      },
    };
    const same: Extension = {
      name: 'same',
      layer: 4,
      prepare: (request) => void Object.assign(request.headers ?? {}, { 'X-Kept': '1' }),
    };
    const proxy = proxyOf({ baseUrl: 'https://h.test', use: [adding('acme', 1), again, same] });
    const { parts, headers } = await explain(proxy, { action: 'read', page: 1, params: { q: 'x' } });
    expect(parts.map(({ text, option }) => [text, option])).toEqual([
      ['/users', 'url'],
      ['?q=x', 'params'],
      ['&page=2', 'again'],
      ['&tenant=acme', 'acme'],
    ]);
    expect(headers.map(({ text, option }) => [text, option])).toEqual([
      ['Accept: application/json', 'default'],
      ['x-tenant: second', 'again'],
      ['X-Kept: 1', 'again'],
    ]);
  });
});

test('a proxy that sends no requests calls neither `prepare` nor `answered`', async () => {
  const seen: string[] = [];
  const extension: Extension = {
    name: 'seen',
    layer: 1,
    prepare: () => void seen.push('prepare'),
    answered: () => void seen.push('answered'),
  };
  await new MemoryProxy({ data: [ROW], use: [extension] }).read(new Operation({ action: 'read' }));
  expect(seen).toEqual([]);
});
