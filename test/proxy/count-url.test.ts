import {
  AbortError,
  AddressError,
  auth,
  bracketFilter,
  DefinitionError,
  type Extension,
  explain,
  HttpError,
  jsonFilter,
  Model,
  Operation,
  plain,
  printExplanation,
  ReadError,
  RestProxy,
  type RestProxyConfig,
  retry,
  rowCount,
  Store,
  streaming,
  windowOf,
} from 'repose';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = { id: 'int', name: 'string' } as const;
const modelWith = (config: RestProxyConfig = {}) =>
  class User extends Model.define({
    fields,
    proxy: server.proxy('/users', { dialect: plain(), countUrl: rowCount('/users/count'), ...config }),
  }) {};

const rowsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, name: `n${from + i}` }));
/** Answers pages of two rows, and the number of rows. */
const serve = (count: Reply | (() => Reply) = { json: { count: 5 } }) =>
  server.always((request: Received) => {
    if (request.path.endsWith('/count')) return typeof count === 'function' ? count() : count;
    if (request.method !== 'GET') return { json: { id: 9, name: 'x' } };
    const page = Number(request.query.get('page') ?? 1);
    return { json: rowsFrom(page * 2 - 1, page === 3 ? 1 : 2) };
  });
const answerOf = (body: object) => ({
  ...{ body, text: JSON.stringify(body), status: 200, headers: new Headers(), url: '', redirected: false },
  raw: Response.json(body),
});
const counts = () => server.lines.filter((line) => line.includes('/count'));
const pageOf = (page: number, more: object = {}) => new Operation({ action: 'read', page, limit: 2, ...more });

describe('`countUrl`', () => {
  test('asks for the number of rows beside the page, with filter, search and parameters, without page and order', async () => {
    serve();
    const User = modelWith({ extraParams: { tenant: 3 }, headers: { 'X-Key': 'k' } });
    const store = new Store({ model: User, pageSize: 2, remoteSort: true, remoteFilter: true, sorters: ['name'] });
    store.setQuery(store.query.with({ filters: [...store.query.filters, { property: 'name', value: 'a' }] }));
    store.search('x');
    await store.load({ params: { deep: 'd' }, headers: { 'X-Call': 'c' } });
    expect(server.lines).toEqual([
      'GET /users?deep=d&tenant=3&page=1&limit=2&search=x&sort=name&name=a',
      'GET /users/count?deep=d&tenant=3&search=x&name=a',
    ]);
    expect(server.last.headers).toMatchObject({ 'x-key': 'k', 'x-call': 'c', accept: 'application/json, text/plain' });
    expect([store.total, store.count]).toEqual([5, 2]);
  });

  test('asks while the page is on its way', async () => {
    const page = server.hold();
    const count = server.hold();
    const store = new Store({ model: modelWith(), pageSize: 2 });
    const loaded = store.load();
    await Promise.all([page.request, count.request]);
    count.answer({ json: 7 });
    page.answer({ json: rowsFrom(1, 2) });
    await loaded;
    expect(store.total).toBe(7);
  });

  test.each<[string, Reply, RestProxyConfig]>([
    ['the whole body', { json: 57 }, {}],
    ['the whole body as text', { text: '57', headers: { 'Content-Type': 'text/plain' } }, {}],
    ['`count`', { json: { count: 57 } }, {}],
    ['`total`', { json: { total: 57 } }, {}],
    ['`@odata.count`', { json: { '@odata.count': '57' } }, {}],
    ["the reader's `totalProperty`", { json: { count: 1, meta: { n: 57 } } }, { reader: { totalProperty: 'meta.n' } }],
    [
      "a function of the reader's",
      { json: { ok: true }, headers: { 'X-N': '57' } },
      { reader: { totalProperty: (_, { response }) => response?.headers.get('X-N') } },
    ],
    [
      'the path `total`',
      { json: { count: 1, n: [{ c: 57 }] } },
      { countUrl: rowCount({ url: '/users/count', total: 'n[0].c' }) },
    ],
    [
      'the function `total`',
      { json: [50, 7] },
      { countUrl: rowCount({ url: '/users/count', total: (body) => (body as number[]).reduce((a, b) => a + b) }) },
    ],
  ])('reads the number from %s', async (_, reply, config) => {
    serve(reply);
    const { total } = await new RestProxy(
      server.proxy('/users', { dialect: plain(), countUrl: rowCount('/users/count'), ...config }),
    ).read(pageOf(1));
    expect(total).toBe(57);
  });

  test('changes the parameters by `params`', async () => {
    serve();
    const countUrl = rowCount({
      url: '/users/count',
      params: ({ name, ...rest }: Readonly<Record<string, unknown>>) => ({ ...rest, where: { name } }),
    });
    const store = new Store({ model: modelWith({ countUrl }), pageSize: 2, remoteFilter: true });
    store.setQuery(store.query.with({ filters: [...store.query.filters, { property: 'name', value: 'a' }] }));
    await store.load({ params: { a: 1 } });
    expect(counts()).toEqual([`GET /users/count?a=1&where=${encodeURIComponent('{"name":"a"}')}`]);
  });

  test('keeps the number while the filter is the same', async () => {
    serve();
    const store = new Store({ model: modelWith(), pageSize: 2, remoteSort: true, remoteFilter: true });
    await store.load();
    await store.loadMore();
    store.sort('name');
    await store.load();
    expect(counts()).toHaveLength(1);
    store.setQuery(store.query.with({ filters: [...store.query.filters, { property: 'name', value: 'a' }] }));
    await store.load();
    expect(counts()).toEqual(['GET /users/count', 'GET /users/count?name=a']);
    await store.loadMore();
    await store.loadMore();
    expect([store.count, store.total, counts().length]).toEqual([5, 5, 2]);
  });

  test('counts anew when a page is read again, also with a cache-buster', async () => {
    let count = 5;
    serve(() => ({ json: count++ }));
    const store = new Store({ model: modelWith({ noCache: true }), pageSize: 2 });
    await store.load();
    await store.load({ page: 2 });
    expect([store.total, counts().length]).toEqual([5, 1]);
    await store.load({ page: 2 });
    expect([store.total, counts().length]).toEqual([6, 2]);
  });

  test('counts anew after a create and after an erase', async () => {
    serve();
    const User = modelWith();
    const store = new Store({ model: User, pageSize: 2 });
    await store.load();
    await new User({ name: 'x' }).save();
    await store.loadMore();
    expect(counts()).toHaveLength(2);
    await store.getAt(0)?.erase();
    await store.loadMore();
    expect(counts()).toHaveLength(3);
  });

  test('is not kept from before a write that ended while the number was on its way', async () => {
    const proxy = new RestProxy(server.proxy('/users', { dialect: plain(), countUrl: rowCount('/users/count') }));
    server.reply({ json: rowsFrom(1, 2) });
    const count = server.hold();
    const reading = proxy.read(pageOf(1));
    await count.request;
    server.reply({ json: {} });
    await proxy.send({ method: 'POST', path: 'import' });
    count.answer({ json: 5 });
    await reading;
    serve({ json: 6 });
    expect((await proxy.read(pageOf(2))).total).toBe(6);
  });

  test('shares one number between pages that are read at the same time', async () => {
    const window = windowOf(new Store({ model: modelWith(), pageSize: 2 }));
    serve();
    await window.show({ start: 0, end: 5 });
    expect([window.total, counts().length, server.requests.length]).toEqual([5, 1, 4]);
  });

  test('fills templates, and appends slash and format as to `url`', async () => {
    serve({ json: 3 });
    const config = {
      countUrl: rowCount('/teams/{team}/users/count'),
      pathParams: { team: 'a/b' },
      trailingSlash: true,
    };
    server.always(({ path }) => ({ json: path.includes('count') ? 3 : [] }));
    await new Store({ model: modelWith(config), pageSize: 2 }).load();
    expect(counts()).toEqual(['GET /teams/a%2Fb/users/count/']);
  });

  test('leaves out the token of a page, and asks beside a link', async () => {
    const User = modelWith({ reader: { rootProperty: 'data', nextProperty: 'next' }, tokenParam: 'cursor' });
    server.always(({ path, query }) => {
      if (path.endsWith('/count')) return { json: 3 };
      return { json: query.has('cursor') ? { data: rowsFrom(3, 1) } : { data: rowsFrom(1, 2), next: 'c2' } };
    });
    const store = new Store({ model: User, pageSize: 2 });
    await store.load();
    await store.loadMore();
    expect([store.total, store.count]).toEqual([3, 3]);
    expect(counts()).toEqual(['GET /users/count']);
  });

  test('works with streamed lists', async () => {
    class User extends Model.define({
      fields,
      proxy: server.proxy('/users', {
        dialect: plain(),
        countUrl: rowCount('/users/count'),
        reader: { type: 'ndjson' },
        use: [streaming()],
      }),
    }) {}
    server.always(({ path }) => (path.endsWith('/count') ? { json: 5 } : { text: '{"id":1}\n{"id":2}\n' }));
    const store = new Store({ model: User, pageSize: 2 });
    await store.load();
    expect([store.total, store.count]).toEqual([5, 2]);
  });

  test.each<[string, (User: ReturnType<typeof modelWith>) => Promise<unknown>]>([
    ['of a single record', (User) => User.load(9)],
    ['of the whole list', (User) => new Store({ model: User, pageSize: 0 }).load()],
    ["at an address of the call's own", (User) => new Store({ model: User, pageSize: 2 }).load({ url: '/friends' })],
  ])('is not used for a read %s', async (_, read) => {
    server.always(({ path }) => ({ json: path === '/users/9' ? { id: 9 } : [{ id: 1 }] }));
    await read(modelWith());
    expect(server.requests).toHaveLength(1);
  });

  test('is not used any more once a response holds its total', async () => {
    server.always(({ path }) =>
      path.endsWith('/count')
        ? new Promise<Reply>(() => undefined)
        : { json: rowsFrom(1, 2), headers: { 'X-Total-Count': '8' } },
    );
    const store = new Store({ model: modelWith(), pageSize: 2 });
    await store.load();
    await store.load();
    expect([store.total, counts().length]).toEqual([8, 1]);
  });

  test.each<[string, (user: () => string) => RestProxyConfig]>([
    ['a function of the proxy', (user) => ({ headers: () => ({ 'X-User': user() }) })],
    ['an asynchronous function', (user) => ({ headers: async () => ({ 'X-User': user() }) })],
    [
      'an extension that sends',
      (user) => ({
        use: [
          {
            name: 'user',
            layer: 500,
            send(request, next) {
              request.onHeaders.push((headers) => headers.set('X-User', user()));
              return next(request);
            },
          },
        ],
      }),
    ],
  ])('is never that of another user of the proxy, whose header comes from %s', async (_, config) => {
    let user = 'ada';
    server.always(({ path, headers }) => {
      const isAda = headers['x-user'] === 'ada';
      return { json: path.endsWith('/count') ? { count: isAda ? 50 : 3 } : rowsFrom(1, 2) };
    });
    const { proxy } = modelWith(config(() => user));
    const totalOf = async (page: number) => (await proxy.read(pageOf(page))).total;
    expect([await totalOf(1), await totalOf(2)]).toEqual([50, 50]);
    expect(counts()).toHaveLength(1);
    user = 'bob';
    expect([await totalOf(2), await totalOf(1)]).toEqual([3, 3]);
    user = 'ada';
    expect(await totalOf(3)).toBe(50);
    expect(counts()).toHaveLength(2);
  });

  test('is asked for also if an extension responses the page without sending it', async () => {
    serve();
    const cached: Extension = {
      name: 'cached',
      layer: 500,
      send: (request, next) =>
        request.target.includes('/count') ? next(request) : Promise.resolve(answerOf(rowsFrom(1, 2))),
    };
    const { total } = await modelWith({ use: [cached] }).proxy.read(pageOf(1));
    expect([total, server.lines.length]).toEqual([5, 1]);
  });

  test('ignores a number that is smaller than the rows', async () => {
    serve({ json: 1 });
    const store = new Store({ model: modelWith(), pageSize: 2 });
    await store.load();
    expect(store.total).toBeUndefined();
  });

  test('passes through extensions', async () => {
    let answers = 0;
    serve(() => [{ status: 503 }, { status: 401 }, { json: 5 }][answers++] as Reply);
    const use = [retry({ random: () => 0 }), auth({ renew: () => Promise.resolve() })];
    const store = new Store({ model: modelWith({ use }), pageSize: 2 });
    await store.load();
    expect([store.total, answers]).toEqual([5, 3]);
  });
});

describe('`countUrl.filterParam`', () => {
  const filters = [
    { property: 'id', operator: 'ge', value: 2 },
    { property: 'name', value: 'a' },
  ] as const;

  test.each([
    [
      'one parameter',
      plain({ filterParam: 'filter', filter: jsonFilter({ eq: '', ge: 'gte' }) }),
      'filter={"id":{"gte":2},"name":"a"}',
      'where={"id":{"gte":2},"name":"a"}',
    ],
    [
      'names in brackets',
      plain({ filterParam: 'filter[where]', filter: bracketFilter({ eq: '', ge: 'gte' }) }),
      'filter[where][id][gte]=2&filter[where][name]=a',
      'where[id][gte]=2&where[name]=a',
    ],
  ])('renames the filters in %s, and no other parameter', async (_, dialect, list, count) => {
    serve();
    const countUrl = rowCount({ url: '/users/count', filterParam: 'where' });
    const store = new Store({ model: modelWith({ dialect, countUrl }), pageSize: 2, remoteFilter: true, filters });
    await store.load({ params: { filtered: 'x' } });
    expect(server.lines.map((line) => decodeURIComponent(line))).toEqual([
      `GET /users?filtered=x&page=1&limit=2&${list}`,
      `GET /users/count?filtered=x&${count}`,
    ]);
  });

  test('is a text', () => {
    expect(() => rowCount({ url: '/users/count', filterParam: 1 } as never)).toThrow(DefinitionError);
  });
});

describe('a failed count', () => {
  test('fails the load with its own error, and ends the read of the page', async () => {
    const page = server.hold();
    server.reply({ status: 404 });
    const store = new Store({ model: modelWith(), pageSize: 2 });
    const error = await store.load().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(HttpError);
    expect((error as HttpError).message).toContain('GET /users/count answered 404');
    expect([store.count, store.status.get().loading]).toEqual([0, false]);
    page.answer({ json: rowsFrom(1, 2) });
  });

  test('is asked for again by the next load', async () => {
    let status = 500;
    serve(() => ({ status, json: 5 }));
    const store = new Store({ model: modelWith(), pageSize: 2 });
    await expect(store.load()).rejects.toThrow(HttpError);
    status = 200;
    await store.load();
    expect(store.total).toBe(5);
  });

  test.each<[string, Reply, RegExp]>([
    ['HTML', { text: '<html>' }, /answered 200 without a number of rows, in "<html>"/],
    ['a refusal', { json: { success: false, message: 'no' } }, /without a number of rows, only success, message/],
    ['a negative number', { json: -1 }, /in "-1"/],
    ['nothing', { status: 204 }, /answered 204 without a number of rows/],
  ])('is a response with %s', async (_, reply, text) => {
    serve(reply);
    const load = new Store({ model: modelWith(), pageSize: 2 }).load();
    await expect(load).rejects.toThrow(ReadError);
    await expect(load).rejects.toThrow(text);
  });

  test('does not hide the error of the page', async () => {
    server.reply({ status: 500, json: { message: 'broken' } });
    server.hold();
    await expect(new Store({ model: modelWith(), pageSize: 2 }).load()).rejects.toThrow(/GET \/users\?.* answered 500/);
  });

  test('is aborted with its load, before and after the page has come', async () => {
    for (const comesFirst of [true, false]) {
      server.reset();
      const page = server.hold();
      const count = server.hold();
      const controller = new AbortController();
      const store = new Store({ model: modelWith(), pageSize: 2 });
      const load = store.load({ signal: controller.signal });
      await Promise.all([page.request, count.request]);
      if (comesFirst) page.answer({ json: rowsFrom(1, 2) });
      controller.abort();
      await expect(load).rejects.toThrow(AbortError);
      expect(store.count).toBe(0);
      count.answer({ json: 2 });
    }
  });

  test('is refused before anything is sent, if a template has no value', async () => {
    const store = new Store({ model: modelWith({ countUrl: rowCount('/teams/{team}/count') }), pageSize: 2 });
    await expect(store.load()).rejects.toThrow(AddressError);
    expect(server.requests).toEqual([]);
  });

  test.each<[unknown, RegExp]>([
    [5, /The options of rowCount must be an object, not 5/],
    [{ total: 'n' }, /rowCount.url must be a text that is not empty, not undefined/],
    [{ url: '/n', place: 'n' }, /'place' is not an option of rowCount/],
    [{ url: '/n', total: 5 }, /rowCount.total must be a path such as 'data.count', or a function, not 5/],
    [{ url: '/n', total: "['a" }, /rowCount.total/],
  ])('is not configured by %j', (countUrl, text) => {
    expect(() => rowCount(countUrl as never)).toThrow(DefinitionError);
    expect(() => rowCount(countUrl as never)).toThrow(text);
  });
});

test('is explained beside the read', async () => {
  const proxy = new RestProxy({
    url: '/users',
    baseUrl: 'https://h.test',
    dialect: plain(),
    countUrl: rowCount('/users/count'),
  });
  const explanation = await explain(proxy, { action: 'read', page: 2, limit: 5, search: 'a' });
  expect(explanation.count?.parts).toEqual([
    { text: '/users/count', rule: '§4', option: 'countUrl' },
    { text: '?search=a', rule: 'plain', option: 'searchParam' },
  ]);
  expect(printExplanation(explanation)).toContain('GET /users/count?search=a');
  expect((await explain(proxy, { action: 'read', id: 7 })).count).toBeUndefined();
});
