import {
  AjaxProxy,
  type Dialect,
  explain,
  type Filter,
  JsonReader,
  JsonWriter,
  Model,
  Operation,
  type OperationConfig,
  ProxyRequest,
  plain,
  RestProxy,
  type RestProxyConfig,
  type Sorter,
  Store,
  UnsupportedQueryError,
} from 'repose';
import { directus } from 'repose/dialects';
import { describe, expect, test } from 'vitest';

const proxyOf = (config: RestProxyConfig = {}) =>
  new RestProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false, ...config });
const queryOf = (config: RestProxyConfig, operation: Partial<OperationConfig>) => {
  const url = proxyOf(config).buildRequest(new Operation({ action: 'read', ...operation })).url as string;
  return decodeURIComponent(url.slice('/users'.length));
};
class User extends Model.define({ fields: { id: 'auto', name: 'string' }, proxy: { type: 'rest', url: '/users' } }) {}
const saved = User.fromRow({ id: 7, name: 'Ed' }) as never;

describe('parameters of a read', () => {
  const everything: Partial<OperationConfig> = {
    page: 2,
    start: 25,
    limit: 25,
    sorters: ['name', { property: 'id', direction: 'DESC' }],
    filters: [{ property: 'a', operator: '>', value: 1 }],
    grouper: { property: 'city', direction: 'DESC' },
  };

  test('are page, start, limit, group, sort and filter by default', () => {
    expect(queryOf({}, everything)).toBe(
      '?page=2&start=25&limit=25&group={"property":"city","direction":"DESC"}' +
        '&sort=[{"property":"name","direction":"ASC"},{"property":"id","direction":"DESC"}]' +
        '&filter=[{"property":"a","operator":">","value":1}]',
    );
  });

  test('can be renamed', () => {
    const names = {
      pageParam: 'p[number]',
      startParam: 'offset',
      limitParam: 'size',
      sortParam: 'order',
      filterParam: 'where',
      groupParam: 'by',
    };
    expect([...new URLSearchParams(queryOf(names, everything)).keys()]).toEqual([
      'p[number]',
      'offset',
      'size',
      'by',
      'order',
      'where',
    ]);
  });

  test.each(['', null])('can be switched off by %o', (off) => {
    const names = {
      pageParam: off,
      startParam: off,
      limitParam: off,
      sortParam: off,
      filterParam: off,
      groupParam: off,
    };
    expect(queryOf(names, everything)).toBe('');
    for (const name of Object.keys(names)) {
      expect(queryOf({ [name]: off }, everything).split('&')).toHaveLength(5);
    }
  });

  test('leave out page 0, limit 0 and undefined values, but not start 0', () => {
    expect(queryOf({}, { page: 0, start: 0, limit: 0 })).toBe('?start=0');
    expect(queryOf({}, {})).toBe('');
  });

  test('are property and direction of the grouper with simpleGroupMode', () => {
    const config = { simpleGroupMode: true };
    expect(queryOf(config, { grouper: 'city' })).toBe('?group=city&groupDir=ASC');
    expect(queryOf({ ...config, groupParam: 'g', groupDirectionParam: 'gd' }, { grouper: 'city' })).toBe(
      '?g=city&gd=ASC',
    );
    expect(queryOf({ ...config, groupDirectionParam: '' }, { grouper: 'city' })).toBe('?group=city');
  });

  test('are names and directions of the sorters with simpleSortMode', () => {
    const config = { simpleSortMode: true, sortParam: 's', directionParam: 'd' };
    expect(queryOf(config, { sorters: ['a', 'b'] })).toBe('?s=a&s=b&d=ASC&d=ASC');
    expect(queryOf(config, { sorters: [] })).toBe('');
    expect(queryOf(config, { sorters: [{ sorterFn: () => 0 }] })).toBe('');
  });

  test('join property and direction if both have the same parameter name', () => {
    const config = {
      simpleSortMode: true,
      directionParam: 'sort',
      simpleGroupMode: true,
      groupDirectionParam: 'group',
    };
    expect(queryOf(config, { sorters: ['a', { property: 'b', direction: 'DESC' }], grouper: 'city' })).toBe(
      '?group=city ASC&sort=a ASC&sort=b DESC',
    );
  });

  test('are not sent by other actions', () => {
    for (const action of ['create', 'update', 'destroy'] as const) {
      const { url } = proxyOf().buildRequest(
        new Operation({ ...everything, action, records: action === 'create' ? [] : [saved] }),
      );
      expect(url).not.toContain('?');
    }
  });

  test('contain the operator of a filter only if it was given', () => {
    const filters = [
      { property: 'a', operator: '=', value: 1 },
      { property: 'b', operator: 'eq', value: 1 },
      { property: 'c', value: null },
      { value: [1], property: 'd', operator: 'in' },
      { property: 'e', operator: 'isNull' },
    ];
    expect(queryOf({}, { filters })).toBe(
      '?filter=[{"property":"a","operator":"=","value":1},{"property":"b","operator":"eq","value":1},{"property":"c","value":null},' +
        '{"property":"d","operator":"in","value":[1]},{"property":"e","operator":"isNull"}]',
    );
  });

  test.each([
    { or: [{ property: 'a', value: 1 }] },
    { not: { property: 'a', value: 1 } },
    { and: [{ property: 'b', value: 2 }, { or: [{ property: 'a', value: 1 }] }] },
  ])('cannot be a tree of filters in the classic dialect: %o', (filter) => {
    expect(() => queryOf({}, { filters: [filter] })).toThrow(UnsupportedQueryError);
    expect(() => queryOf({ filterParam: '' }, { filters: [filter] })).toThrow(UnsupportedQueryError);
  });

  test('list the filters that `and` joins, because a list says the same', () => {
    const [a, b] = [
      { property: 'a', value: 1 },
      { property: 'b', value: 2 },
    ];
    expect(queryOf({}, { filters: [{ and: [a, { and: [b] }] }] })).toBe(queryOf({}, { filters: [a, b] }));
  });

  test('take the values of the call first, then extraParams, then computed ones', () => {
    const config = { extraParams: { x: 1, page: 'extra', y: undefined } };
    expect(queryOf(config, { page: 2, limit: 5, params: { limit: 'mine', z: 0, x: undefined } })).toBe(
      '?limit=mine&z=0&x=1&page=extra',
    );
    expect(queryOf(config, { page: 2, params: { page: null } })).toBe('?page=&x=1');
  });

  test('do not change the objects of the call', () => {
    const params = Object.freeze({ id: 1, q: 2 });
    const extraParams = Object.freeze({ id: 1, e: 3 });
    expect(queryOf({ extraParams }, { id: 7, params })).toBe('/7?q=2&e=3');
  });
});

describe('encodeSorters, encodeFilters, encodeGrouper', () => {
  const sorters = Object.freeze([Object.freeze({ property: 'a', direction: 'ASC' as const })]);
  const filters = Object.freeze([Object.freeze({ property: 'a', value: 'x'.repeat(50) })]);

  test('return the value of the parameter', () => {
    const proxy = proxyOf();
    expect(proxy.encodeSorters(sorters)).toBe('[{"property":"a","direction":"ASC"}]');
    expect(proxy.encodeFilters([{ property: 'a', operator: '<', value: new Date(0) }])).toBe(
      '[{"property":"a","operator":"<","value":"1970-01-01T00:00:00.000Z"}]',
    );
    const tree = { not: { or: [{ property: 'a', value: 1, disableOnEmpty: true }] } };
    expect(proxy.encodeFilters([tree])).toBe('[{"not":{"or":[{"property":"a","value":1}]}}]');
    expect(proxy.encodeGrouper({ property: 'a', direction: 'DESC' })).toBe('{"property":"a","direction":"DESC"}');
  });

  test('are hooks of the classic dialect', () => {
    class OwnProxy extends RestProxy {
      override encodeSorters(given: readonly Sorter[]): string {
        return given.map(({ property, direction }) => `${property} ${direction.toLowerCase()}`).join(', ');
      }
      override encodeFilters(given: readonly Filter[]): string {
        return given.map(({ property, value }) => `${property}:${value}`).join(';');
      }
      override encodeGrouper(): string {
        return 'own';
      }
    }
    const proxy = new OwnProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false });
    const operation = new Operation({
      action: 'read',
      sorters: ['a', 'b'],
      filters: [{ property: 'c', value: 1 }],
      grouper: 'd',
    });
    expect(decodeURIComponent(proxy.buildRequest(operation).url as string)).toBe(
      '/users?group=own&sort=a asc, b asc&filter=c:1',
    );
  });

  test('receive only sorters and filters that are sent, no disabled or local ones', () => {
    const seen: unknown[] = [];
    class SpyProxy extends RestProxy {
      override encodeSorters(given: readonly Sorter[]): string {
        seen.push(given.map(({ property }) => property));
        return '';
      }
      override encodeFilters(given: readonly Filter[]): string {
        seen.push(given.map(({ property }) => property));
        return '';
      }
    }
    const { url } = new SpyProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false }).buildRequest(
      new Operation({
        action: 'read',
        sorters: ['a', { sorterFn: () => 0 }],
        filters: [{ property: 'b', value: 1 }, { property: 'c', value: 2, disabled: true }, () => true],
      }),
    );
    expect(seen).toEqual([['a'], ['b']]);
    expect(url).toBe('/users');
  });

  test('cache the text of the same frozen list', () => {
    let encoded = 0;
    const counted = new Proxy(filters, {
      get: (target, name, receiver) => {
        if (name === 'map' || name === 'filter') encoded += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const proxy = proxyOf();
    const urls = [1, 2, 3].map(
      (page) => proxy.buildRequest(new Operation({ action: 'read', page, filters: counted })).url,
    );
    const once = encoded;
    proxy.buildRequest(new Operation({ action: 'read', page: 4, filters: counted }));
    expect(encoded - once).toBeLessThan(once);
    expect(new Set(urls.map((url) => url?.replace(/page=\d/, ''))).size).toBe(1);
    const other = proxy.buildRequest(new Operation({ action: 'read', filters: [{ property: 'a', value: 'y' }] })).url;
    expect(decodeURIComponent(other as string)).toContain('"y"');
  });

  test('encode a list that can change each time', () => {
    const list: Filter[] = [{ property: 'a', value: 1 }];
    const proxy = proxyOf();
    expect(proxy.encodeFilters(list)).toContain('1');
    list[0] = { property: 'a', value: 2 };
    expect(proxy.encodeFilters(list)).toContain('2');
  });
});

describe('buildRequest', () => {
  test('returns the whole request and sends nothing', () => {
    const operation = new Operation({ action: 'update', records: [saved], params: { q: 1 } });
    const headers = () => {
      throw new Error('was asked');
    };
    const request = proxyOf({ headers }).buildRequest(operation);
    expect(request).toMatchObject({
      method: 'PUT',
      url: '/users/7?q=1',
      body: { id: 7, name: 'Ed' },
      action: 'update',
      bulk: false,
    });
    expect(request.params).toEqual({ q: 1 });
    expect(operation.request).toBe(request);
  });

  test('builds many long addresses correctly beyond the size of its cache', () => {
    const proxy = proxyOf();
    for (let i = 0; i < 300; i++) {
      const operation = new Operation({
        action: 'read',
        url: `/users/${i}?x=${i}`,
        params: { q: `${'long '.repeat(10)}${i}` },
      });
      const { url } = proxy.buildRequest(operation);
      expect(url).toBe(`/users/${i}?x=${i}&q=${encodeURIComponent(operation.params?.['q'] as string)}`);
    }
  });

  test('keeps the id as a parameter beside the path if keepIdParam() returns true', () => {
    class BothProxy extends RestProxy {
      protected override keepIdParam(request: ProxyRequest): boolean {
        return request.action === 'read';
      }
    }
    const proxy = new BothProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false });
    expect(proxy.buildRequest(new Operation({ action: 'read', id: 7 })).url).toBe('/users/7?id=7');
  });
});

describe('a custom dialect', () => {
  // README says that a dialect takes fewer than thirty lines, and test/docs counts those of this one.
  const house: Dialect = {
    ...plain(),
    name: 'house',
    defaults: { noCache: false, format: 'json' },
    page({ request }) {
      const { page = 1, limit = 20 } = request.operation;
      request.collect('p', page - 1, 'house', 'page');
      request.collect('size', limit, 'house', 'pageSize');
    },
    sort({ request }) {
      const [sorter] = request.operation.sorters ?? [];
      if (sorter) request.collect('by', `${sorter.property}.${sorter.direction}`, 'house', 'sorters');
    },
    filter({ request }) {
      const { filters = [] } = request.operation;
      if (filters.length > 1)
        throw new UnsupportedQueryError('query-unsupported', { dialect: 'house', what: 'two filters' });
      if (filters[0]) request.collect('q', `${filters[0].property}~${filters[0].value}`, 'house', 'filters');
    },
    address: ({ request, options }) =>
      request.operation.id === undefined
        ? (request.url as string)
        : `${request.url}/by-key/${options.encodeId(request.operation.id)}`,
    method: ({ request }) => (request.action === 'create' ? 'PUT' : undefined),
    body: ({ request, options }) => ({ payload: options.writer.write(request) }),
    readError: ({ request }) => ({ status: request.response?.status ?? 0, title: 'house', issues: [] }),
  };
  const houseOf = (config: RestProxyConfig = {}) => proxyOf({ dialect: house, noCache: undefined as never, ...config });

  test('builds queries, addresses, verbs and bodies in its own way and shares the rest', async () => {
    const operation = {
      action: 'read',
      page: 2,
      limit: 10,
      sorters: ['a'],
      filters: [{ property: 'b', value: 1 }],
    } as const;
    expect(houseOf().buildRequest(new Operation(operation)).url).toBe('/users.json?p=1&size=10&by=a.ASC&q=b~1');
    expect(houseOf().buildRequest(new Operation({ action: 'read', id: 'a b' })).url).toBe('/users/by-key/a%20b.json');
    const create = houseOf().buildRequest(
      new Operation({ action: 'create', records: [new User({ name: 'x' }) as never] }),
    );
    expect(create).toMatchObject({ method: 'PUT', url: '/users.json', body: { payload: { name: 'x' } } });
  });

  test('has default options for reader and writer, which options of the proxy replace one by one', async () => {
    const rooted: Dialect = {
      ...house,
      defaults: {
        reader: { rootProperty: 'rows', totalProperty: 'size' },
        writer: { rootProperty: 'row', writeAllFields: true },
        actionMethods: { update: 'PATCH', create: 'LINK' },
        batchActions: true,
        batchOrder: 'destroy,create,update',
      },
    };
    const proxy = proxyOf({ dialect: rooted, reader: { totalProperty: 'count' }, actionMethods: { create: 'POST' } });
    expect(proxy.reader).toMatchObject({ rootProperty: 'rows', totalProperty: 'count' });
    expect(proxy.writer).toMatchObject({ rootProperty: 'row', writeAllFields: true });
    expect([proxy.batchActions, proxy.batchOrder]).toEqual([true, 'destroy,create,update']);
    expect(proxy.actionMethods).toEqual({ create: 'POST', read: 'GET', update: 'PATCH', destroy: 'DELETE' });
    const record = User.fromRow({ id: 7 }) as never;
    const operation: Operation = new Operation({ action: 'update', records: [record] });
    expect(proxy.getMethod(new ProxyRequest({ operation }))).toBe('PATCH');
    const Own = Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/users', dialect: rooted } });
    expect(Own.proxy.reader.rootProperty).toBe('rows');
    expect(proxy.with({ reader: { strict: true } }).reader).toMatchObject({ rootProperty: 'rows', strict: true });
  });

  test('can bring a reader or writer, which a proxy can replace', () => {
    const reader = new JsonReader({ rootProperty: 'rows' });
    const writer = new JsonWriter({ rootProperty: 'row' });
    const dialect: Dialect = { ...house, defaults: { reader, writer } };
    const proxy = proxyOf({ dialect });
    expect([proxy.reader, proxy.writer]).toEqual([reader, writer]);
    expect(proxy.reader).toBe(reader);
    const other = proxyOf({ dialect, reader: { strict: true }, writer: new JsonWriter() });
    expect(other.reader).toMatchObject({ rootProperty: '', strict: true });
    expect(other.writer.rootProperty).toBe('');
  });

  test('is guarded and explained like any other', async () => {
    const { parts } = await explain(houseOf(), { action: 'read', id: 7, page: 1 });
    expect(parts).toEqual([
      { text: '/users', rule: '§4', option: 'url' },
      { text: '/by-key/7', rule: '§4 rule 3', option: 'appendId' },
      { text: '.json', rule: '§4 rule 5', option: 'format' },
      { text: '?p=0', rule: 'house', option: 'page' },
      { text: '&size=20', rule: 'house', option: 'pageSize' },
    ]);
    const two = {
      action: 'read',
      filters: [
        { property: 'a', value: 1 },
        { property: 'b', value: 1 },
      ],
    } as const;
    expect((await explain(houseOf(), two)).refused).toMatchObject({ code: 'unsupported-query' });
    const evil = { ...house, address: () => 'http://evil.test/x' };
    expect((await explain(proxyOf({ dialect: evil }), { action: 'read', id: 7 })).refused).toMatchObject({
      reason: 'url-outside',
    });
  });

  test("has defaults that the proxy's options replace", () => {
    expect(houseOf({ format: 'xml' }).format).toBe('xml');
    expect(houseOf()).toMatchObject({ format: 'json', noCache: false });
    expect(new AjaxProxy({ dialect: plain(), noCache: true }).noCache).toBe(true);
  });

  test('can put the id into the query if it declares the address', () => {
    const filtered: Dialect = {
      ...plain(),
      address({ request }) {
        const { id, records } = request.operation;
        const key = records[0] ? (records[0] as unknown as { id: number }).id : id;
        return key === undefined ? (request.url as string) : `${request.url}?id=eq.${key}`;
      },
      declared: ({ request }) => request.base,
    };
    const proxy = proxyOf({ dialect: filtered });
    const config = { records: [saved], params: { q: 1 } };
    expect(proxy.buildRequest(new Operation({ action: 'update', ...config })).url).toBe('/users?id=eq.7&q=1');
    expect(proxy.buildRequest(new Operation({ action: 'read', params: { q: 1 } })).url).toBe('/users?q=1');
  });

  test('is called for the parameters of every list, even without a query', () => {
    expect(houseOf().buildRequest(new Operation({ action: 'read' })).url).toBe('/users.json?p=0&size=20');
  });

  test('reads errors in its own way', async () => {
    const fetch = async () => new Response('{}', { status: 500 });
    await expect(houseOf({ fetch }).read(new Operation({ action: 'read' }))).rejects.toThrow(/answered 500: house\. /);
  });
});

test('ProxyRequest.collect keeps the first value of a name and ignores missing names and values', () => {
  const request = new ProxyRequest({ operation: new Operation({ action: 'read' }) });
  request.collect('', 1, 'r', 'o');
  request.collect(null, 1, 'r', 'o');
  request.collect(undefined, 1, 'r', 'o');
  request.collect('a', undefined, 'r', 'o');
  expect(request.knownParams).toBeUndefined();
  request.collect('a', null, 'r', 'o');
  request.collect('a', 2, 'r', 'o');
  request.collect('b', 3, 'r', 'o');
  expect({ ...request.params }).toEqual({ a: null, b: 3 });
});

test('options in `reader` replace those of the base as a whole, and are merged over those of the dialect', () => {
  const dialect = directus();
  class Base extends Model.define({
    name: 'note',
    fields: { id: 'int' },
    proxy: { type: 'rest', url: '/notes', dialect, reader: { strict: true, messageProperty: 'why' } },
  }) {}
  const derived = [
    Base.with({ proxy: { reader: { messageProperty: 'text' } } }).proxy,
    Base.proxy.with({ reader: { messageProperty: 'text' } }),
    new Store({ model: Base, proxy: { reader: { messageProperty: 'text' } } }).proxy,
  ];
  const { reader } = Base.proxy;
  expect([reader.strict, reader.rootProperty]).toEqual([true, 'data']);
  for (const { reader: each } of derived)
    expect([each.strict, each.rootProperty, each.messageProperty]).toEqual([false, 'data', 'text']);
  expect(Base.with({ proxy: { headers: { A: 'b' } } }).proxy.reader.strict).toBe(true);
});
