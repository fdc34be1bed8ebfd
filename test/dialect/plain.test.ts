import {
  ConflictError,
  conflicts,
  Model,
  Operation,
  type OperationConfig,
  plain,
  RestProxy,
  type RestProxyConfig,
  Store,
  UnsupportedQueryError,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => {
  server.reset();
  server.always(({ method, body }) => ({ json: method === 'GET' ? [] : (body ?? {}) }));
});
afterAll(() => server.stop());

const proxyOf = (config: RestProxyConfig = {}) =>
  new RestProxy({ url: '/users', baseUrl: 'http://h.test', dialect: plain(), ...config });
const queryOf = (config: RestProxyConfig, operation: Partial<OperationConfig>) => {
  const { url } = proxyOf(config).buildRequest(new Operation({ action: 'read', ...operation }));
  return decodeURIComponent((url as string).slice('/users'.length));
};
const refused = (config: RestProxyConfig, operation: Partial<OperationConfig>, why: RegExp) => {
  expect(() => queryOf(config, operation)).toThrow(UnsupportedQueryError);
  expect(() => queryOf(config, operation)).toThrow(why);
};
const define = (proxy: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      name: { type: 'string', mapping: 'full_name' },
      joined: 'date',
      city: { type: 'string', mapping: 'address.city' },
      label: { type: 'string', mapping: (row: { label?: string }) => row.label },
    },
    proxy: { type: 'rest', url: '/users', baseUrl: server.url, dialect: plain(), ...proxy },
  }) {};

test('sends page, limit, signed sort and filters by name by default, without a cache-buster or start', () => {
  const query = {
    page: 2,
    start: 25,
    limit: 25,
    sorters: ['name', { property: 'joined', direction: 'DESC' }],
    filters: [{ property: 'status', value: 'open' }],
  };
  expect(queryOf({}, query)).toBe('?page=2&limit=25&sort=name,-joined&status=open');
});

test('sends updates as PATCH with the edited fields alone, unless an option of the proxy changes that', async () => {
  for (const [config, method, body] of [
    [{}, 'PATCH', { full_name: 'Bob' }],
    [{ actionMethods: { update: 'PUT' } }, 'PUT', { id: 7, full_name: 'Bob', joined: null }],
  ] as const) {
    const user = define(config).fromRow({ id: 7, full_name: 'Ed', joined: null });
    user.set({ name: 'Bob' });
    await user.save();
    expect(server.last).toMatchObject({ method, url: '/users/7', body });
  }
});

test('reads problems by the reader of the dialect before that of models; an own one of the proxy wins', async () => {
  const reader = (detail: string) => () => ({ status: 409, detail, issues: [] });
  const dialect = plain({ reader: { problem: reader('of the dialect') } });
  server.always(() => ({ status: 409, json: { message: 'of the server' } }));
  await expect(define({ dialect }).load(7)).rejects.toThrow('of the dialect');
  await expect(define({ dialect, reader: { problem: reader('of the proxy') } }).load(7)).rejects.toThrow(
    'of the proxy',
  );
  await expect(define().load(7)).rejects.toThrow('of the server');
});

describe('paging', () => {
  test.each<[string, RestProxyConfig, Partial<OperationConfig>, string]>([
    ['page and limit', {}, { page: 3, start: 50, limit: 25 }, '?page=3&limit=25'],
    ['a page without its start', {}, { page: 3, limit: 25 }, '?page=3&limit=25'],
    ['no paging', {}, {}, ''],
    [
      'offset instead of page',
      { startParam: 'offset', pageParam: '' },
      { page: 3, start: 50, limit: 25 },
      '?offset=50&limit=25',
    ],
    [
      'an offset that the page tells',
      { startParam: 'offset', pageParam: '' },
      { page: 3, limit: 25 },
      '?offset=50&limit=25',
    ],
    [
      'an offset on no edge',
      { startParam: 'offset', pageParam: '' },
      { page: 1, start: 7, limit: 25 },
      '?offset=7&limit=25',
    ],
    [
      'the first page where nothing pages',
      { pageParam: '', limitParam: 'size' },
      { page: 1, start: 0, limit: 25 },
      '?size=25',
    ],
    ['no limit', { limitParam: '' }, { page: 1, limit: 25 }, '?page=1'],
  ])('%s', (_, config, operation, expected) => {
    expect(queryOf(config, operation)).toBe(expected);
  });

  test('a page that is longer than the server sends is refused', () => {
    const config = { dialect: plain({ maxPageSize: 100 }) };
    expect(queryOf(config, { page: 1, limit: 100 })).toBe('?page=1&limit=100');
    refused(config, { page: 1, limit: 101 }, /a page of 101 rows: ask for at most 100/);
  });

  test('a start in the middle of a page is refused unless `startParam` is set', () => {
    refused({}, { page: 1, start: 7, limit: 25 }, /start=7/);
    refused({}, { start: 7 }, /start=7/);
  });

  test('a page after the first is refused if no parameter can express it', () => {
    refused({ pageParam: '' }, { page: 2, limit: 25 }, /start=25/);
    refused({ pageParam: '' }, { page: 2, start: 25, limit: 25 }, /start=25/);
    refused({ pageParam: '', startParam: 'offset' }, { page: 2 }, /page=2/);
    expect(queryOf({ pageParam: '', startParam: 'offset' }, { page: 2, start: 40 })).toBe('?offset=40');
  });
});

describe('sorting and grouping', () => {
  test('sends the grouper as the first sorter', () => {
    expect(queryOf({}, { grouper: { property: 'city', direction: 'DESC' }, sorters: ['name'] })).toBe(
      '?sort=-city,name',
    );
    expect(queryOf({}, { grouper: 'city' })).toBe('?sort=city');
  });

  test('sends the grouper in `groupParam`, with its direction, if that is set', () => {
    expect(
      queryOf({ groupParam: 'group' }, { grouper: { property: 'city', direction: 'DESC' }, sorters: ['name'] }),
    ).toBe('?group=-city&sort=name');
  });

  test('refuses sorters if `sortParam` is off', () => {
    refused({ sortParam: '' }, { sorters: ['name'] }, /sort/);
    refused({ sortParam: null }, { grouper: 'name' }, /sort/);
    expect(queryOf({ sortParam: '' }, { sorters: [] })).toBe('');
  });

  test('sends nothing for sorters and filters that are functions', () => {
    expect(queryOf({}, { sorters: [{ sorterFn: () => 0 }], filters: [() => true] })).toBe('');
  });
});

describe('filters', () => {
  test.each<[string, unknown[], string]>([
    ['=', [{ property: 'a', operator: '=', value: 1 }], '?a=1'],
    ['eq', [{ property: 'a', operator: 'eq', value: false }], '?a=false'],
    ['in with several values', [{ property: 'a', operator: 'in', value: [1, 2] }], '?a=1&a=2'],
    ['in with one value', [{ property: 'a', operator: 'in', value: [1] }], '?a=1'],
    ['in with a value that is no list', [{ property: 'a', operator: 'in', value: 1 }], '?a=1'],
    ['an instant', [{ property: 'a', value: new Date(0) }], '?a=1970-01-01T00:00:00.000Z'],
    ['0', [{ property: 'a', value: 0 }], '?a=0'],
    [
      'two on two properties',
      [
        { property: 'a', value: 1 },
        { property: 'b', value: 2 },
      ],
      '?a=1&b=2',
    ],
    ['disabled', [{ property: 'a', value: 1, disabled: true }], ''],
  ])('%s', (_, filters, expected) => {
    expect(queryOf({}, { filters })).toBe(expected);
  });

  test.each([
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    'ne',
    'nin',
    'between',
    'contains',
    'startsWith',
    'endsWith',
    'like',
    'isNull',
    'nope',
  ])('refuses a filter that the dialect cannot express: %s', (operator) => {
    refused(
      {},
      { filters: [{ property: 'a', operator, value: 1 }] },
      new RegExp(
        `plain dialect cannot express the operator '${operator}': use \`eq\` or \`in\`, write a step \`filter\`.*\`pageSize: 0\`.*\`allowPartial: true\``,
      ),
    );
  });

  test('refuses null, because `a=` could mean an empty text', () => {
    refused({}, { filters: [{ property: 'a', value: null }] }, /`isNull`.*template for `isNull`/);
  });

  test('refuses a tree of filters, and two filters on one property', () => {
    refused({}, { filters: [{ or: [{ property: 'a', value: 1 }] }] }, /tree/);
    refused(
      {},
      {
        filters: [
          { property: 'a', value: 1 },
          { property: 'a', value: 2 },
        ],
      },
      /'a'/,
    );
  });

  test.each(['page', 'limit', 'sort'])(
    'refuses a filter on a field that is named like the parameter %o',
    (property) => {
      refused({}, { filters: [{ property, value: 1 }] }, new RegExp(`'${property}'`));
      expect(queryOf({ [`${property}Param`]: `_${property}` }, { filters: [{ property, value: 1 }] })).toBe(
        `?${property}=1`,
      );
    },
  );

  test('lets a parameter of the call replace a filter of the same name', () => {
    expect(queryOf({}, { filters: [{ property: 'a', value: 1 }], params: { a: 2 } })).toBe('?a=2');
  });
});

describe('names', () => {
  test("of sorters, groupers and filters are mapped to the server's names", async () => {
    const store = new Store({
      model: define(),
      remoteSort: true,
      remoteFilter: true,
      sorters: ['name'],
      grouper: 'city',
      filters: [{ property: 'name', value: 'Ed' }],
    });
    await store.load();
    expect(decodeURIComponent(server.last.url)).toBe('/users?page=1&limit=25&sort=address.city,full_name&full_name=Ed');
  });

  test.each(['nope', 'label', 'full_name'])('%o is refused: a server cannot sort or filter by it', async (property) => {
    for (const query of [{ sorters: [property] }, { filters: [{ property, value: 1 }] }, { groupField: property }]) {
      const load = async () =>
        new Store({ model: define(), remoteSort: true, remoteFilter: true, ...query } as never).load();
      await expect(load()).rejects.toThrow(UnsupportedQueryError);
    }
    expect(server.requests).toHaveLength(0);
  });

  test('of queries can differ from those of rows', async () => {
    const dialect = plain({ names: { joined: 'joined_on', label: 'tag', nope: 'nope' } });
    const store = new Store({
      model: define({ dialect }),
      remoteSort: true,
      remoteFilter: true,
      sorters: ['joined', 'name'],
      filters: [{ property: 'label', value: 'x' }],
    });
    await store.load();
    expect(decodeURIComponent(server.last.url)).toBe('/users?page=1&limit=25&sort=joined_on,full_name&tag=x');
    expect(queryOf({ dialect }, { sorters: ['toString'] })).toBe('?sort=toString');
    for (const property of ['toString', '__proto__', 'joined_on', 'nope']) {
      const load = async () =>
        new Store({ model: define({ dialect }), remoteSort: true, sorters: [property] } as never).load();
      await expect(load()).rejects.toThrow(UnsupportedQueryError);
    }
  });

  test('are sent unchanged if there is no model', () => {
    expect(queryOf({}, { sorters: ['anything'] })).toBe('?sort=anything');
  });
});

describe('the total', () => {
  test.each<[string | undefined, unknown, number | undefined]>([
    ['57', [{ id: 1 }], 57],
    ['57', { total: 9, data: [{ id: 1 }] }, 9],
    ['0', [], 0],
    ['many', [{ id: 1 }], undefined],
    ['', [{ id: 1 }], undefined],
    [undefined, [{ id: 1 }], undefined],
  ])('with X-Total-Count %o and the body %o is %o', async (header, json, total) => {
    server.reply({ json, headers: header === undefined ? {} : { 'X-Total-Count': header } });
    const proxy = proxyOf({ baseUrl: server.url, reader: { rootProperty: 'data' } });
    expect((await proxy.read(new Operation({ action: 'read', limit: 1 }))).total).toBe(total);
  });

  test.each<[Record<string, string>, number | undefined]>([
    [{ 'X-Total-Count': '57' }, 57],
    [{ Link: '</users?page=2>; rel="next"' }, undefined],
    [{ Link: '</users?page=1>; rel="first"' }, 1],
    [{}, 1],
  ])('of a list that was read without a page, with the headers %o, is %o', async (headers, total) => {
    server.reply({ json: [{ id: 1 }], headers });
    const result = await proxyOf({ baseUrl: server.url }).read(new Operation({ action: 'read' }));
    expect(result.total).toBe(total);
  });

  test('is unknown to a store without pages until the last part is loaded', async () => {
    server.reply({ json: [{ id: 1 }], headers: { Link: '</users?page=2>; rel="next"' } }, { json: [{ id: 2 }] });
    const users = new Store({ model: define(), pageSize: 0 });
    await users.load();
    expect(users.total).toBeUndefined();
    await users.loadMore();
    expect(users.total).toBe(2);
  });

  test('is not the number of rows that a token led to', async () => {
    const proxy = proxyOf({ baseUrl: server.url, tokenParam: 'cursor' });
    server.reply({ json: [{ id: 2 }] });
    const result = await proxy.read(new Operation({ action: 'read', params: { cursor: 'abc' } }));
    expect(result.total).toBeUndefined();
  });

  test('of the header leaves the rows and the message of the body unchanged', async () => {
    server.reply({ json: { data: [{ id: 1 }], message: 'hello' } });
    const result = await proxyOf({ baseUrl: server.url, reader: { rootProperty: 'data' } }).read(
      new Operation({ action: 'read' }),
    );
    expect(result).toMatchObject({ rows: [{ id: 1 }], message: 'hello', success: true });
  });
});

describe('lockVersion', () => {
  const ROW = { id: 1, name: 'Ada', age: 36, lock_version: 4 };
  const users = (config: RestProxyConfig = {}) =>
    class User extends Model.define({
      fields: { id: 'int', name: 'string', age: 'int' },
      proxy: {
        type: 'rest',
        url: '/users',
        baseUrl: server.url,
        dialect: plain({ lockVersion: 'lock_version' }),
        ...config,
      },
    }) {};

  test.each([
    ['as it is', {}, ROW, { age: 37, lock_version: 4 }],
    [
      'under a root',
      { writer: { rootProperty: 'user' }, reader: { rootProperty: 'user' } },
      { user: ROW },
      { user: { age: 37, lock_version: 4 } },
    ],
  ])('sends the version that came with the row in an update %s, then the newer one', async (_, config, json, body) => {
    server.reply({ json }, { json: JSON.parse(JSON.stringify(json).replace('4', '5')) });
    const user = await users(config).load(1);
    user.age = 37;
    await user.save();
    expect(server.last.body).toEqual(body);
    user.age = 38;
    await user.save();
    expect(JSON.stringify(server.last.body)).toContain('"lock_version":5');
  });

  test('sends the version of each row in a bulk update', async () => {
    const list = new Store({ model: users({ batchActions: true }), pageSize: 0 });
    server.reply({ json: [ROW, { ...ROW, id: 2, lock_version: 9 }] }, { status: 409 });
    await list.load();
    for (const user of list) user.set({ age: 37 });
    const { failures } = await list.sync();
    expect(server.last.body).toEqual([
      { id: 1, age: 37, lock_version: 4 },
      { id: 2, age: 37, lock_version: 9 },
    ]);
    expect(failures.map(({ error }) => error.code)).toEqual(['conflict', 'conflict']);
  });

  test('sends no version with a create, nor for a row without one', async () => {
    const { lock_version, ...row } = ROW;
    server.reply({ status: 201, json: row }, { json: row });
    const user = new (users())({ name: 'Ada' });
    await user.save();
    user.age = lock_version;
    await user.save();
    expect(server.requests.map(({ body }) => body)).toEqual([{ name: 'Ada' }, { age: 4 }]);
  });

  test('a 409 to an outdated version is a conflict, which is merged and sent with the newer version', async () => {
    const newer = { ...ROW, name: 'Ada L.', lock_version: 5 };
    server.reply({ json: ROW }, { status: 409, json: {} }, { json: newer }, { json: { ...newer, age: 37 } });
    const user = await users({ use: [conflicts()] }).load(1);
    user.age = 37;
    const error = await user.save().catch((reason: unknown) => reason);
    if (!(error instanceof ConflictError)) throw error;
    await error.merge();
    expect(server.last.body).toEqual({ age: 37, lock_version: 5 });
    expect(user.name).toBe('Ada L.');
  });

  test('refuses a name that is no text', () => {
    // @ts-expect-error -- plain() takes the name of the member, as the server spells it
    expect(() => plain({ lockVersion: true })).toThrow(/lockVersion/);
  });
});
