import { MemoryProxy, Model, plain, UnsupportedQueryError } from 'repose';
import { dataProvider, type ProviderError } from 'repose/refine';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { orders, setUp } from './support.js';

// The calls as Refine makes them; test/frameworks runs the real one, and checks the types of this file.
function provide() {
  const all = setUp();
  const { Order, Customer } = all;
  return { ...all, provider: dataProvider({ orders: Order, customers: Customer }) };
}

describe('lists', () => {
  test('asks the server for a page, sorted and filtered in the dialect of the model', async () => {
    const { provider, sent } = provide();
    const { data, total } = await provider.getList({
      resource: 'orders',
      pagination: { currentPage: 2, pageSize: 3 },
      sorters: [
        { field: 'open', order: 'desc' },
        { field: 'id', order: 'asc' },
      ],
      filters: [{ field: 'customerId', operator: 'eq', value: 1 }],
    });
    expect(sent).toEqual(['GET /orders?page=2&limit=3&sort=-open,id&customerId=1']);
    expect([total, data.length]).toEqual([13, 3]);
    expectTypeOf(data[0]!.customerId).toEqualTypeOf<number | undefined>();
  });

  test('reads 10 rows by default, and all of them if the table pages by itself', async () => {
    const { provider, sent } = provide();
    await provider.getList({ resource: 'orders' });
    const { data } = await provider.getList({ resource: 'orders', pagination: { mode: 'off' } });
    expect(sent).toEqual(['GET /orders?page=1&limit=10', 'GET /orders']);
    expect(data.length).toBe(25);
  });

  test.each([
    ['eq', 1, [{ property: 'total', operator: 'eq', value: 1 }]],
    ['lte', 1, [{ property: 'total', operator: 'le', value: 1 }]],
    ['contains', 'a', [{ property: 'total', operator: 'like', value: 'a' }]],
    ['ncontainss', 'a', [{ not: { property: 'total', operator: 'contains', value: 'a' } }]],
    ['nin', [1], [{ property: 'total', operator: 'nin', value: [1] }]],
    ['nbetween', [1, 2], [{ not: { property: 'total', operator: 'between', value: [1, 2] } }]],
    ['nnull', true, [{ property: 'total', operator: 'isNull', value: false }]],
    ['startswith', 'a', [{ property: 'total', operator: 'startsWith', value: 'a' }]],
  ] as const)('reads the filter %s', async (operator, value, expected) => {
    const { filtersOf } = recordingProvider();
    expect(await filtersOf({ field: 'total', operator, value: value as never })).toEqual(expected);
  });

  test('reads filters that are joined by `and` and `or`', async () => {
    const { filtersOf } = recordingProvider();
    const isOpen = { field: 'open', operator: 'eq', value: true } as const;
    const isBig = { field: 'total', operator: 'gt', value: 100 } as const;
    expect(await filtersOf({ operator: 'or', value: [isOpen, { operator: 'and', value: [isOpen, isBig] }] })).toEqual([
      {
        or: [
          { property: 'open', operator: 'eq', value: true },
          {
            and: [
              { property: 'open', operator: 'eq', value: true },
              { property: 'total', operator: 'gt', value: 100 },
            ],
          },
        ],
      },
    ]);
  });

  test('refuses what the model or the server does not know before anything is sent', async () => {
    const { provider, sent } = provide();
    const list = (filter: object) => provider.getList({ resource: 'orders', filters: [filter as never] });
    await expect(list({ field: 'total', operator: 'ina', value: [1] })).rejects.toThrow(
      /A store cannot apply the filter 'ina' of Refine: use eq/,
    );
    await expect(
      list({
        operator: 'or',
        value: [
          { field: 'total', operator: 'eq', value: 1 },
          { field: 'total', operator: 'eq', value: 2 },
        ],
      }),
    ).rejects.toThrow(UnsupportedQueryError);
    await expect(list({ field: 'totel', operator: 'eq', value: 1 })).rejects.toThrow(/did you mean 'total'/);
    await expect(list({ field: 'total', operator: 'eq', value: undefined })).rejects.toThrow(UnsupportedQueryError);
    await expect(provider.getList({ resource: 'lines' })).rejects.toThrow(
      /'lines'; its resources are orders, customers/,
    );
    expect(sent).toEqual([]);
  });

  test('counts one row more than it knows while there may be a next page', async () => {
    const { Order } = setUp();
    const rows = { given: orders.slice(0, 2) };
    class Bare extends Order.with({ proxy: { fetch: async () => Response.json(rows.given) } }) {}
    const provider = dataProvider({ bare: Bare });
    const totalOf = async (currentPage: number) =>
      (await provider.getList({ resource: 'bare', pagination: { currentPage, pageSize: 2 } })).total;
    expect(await totalOf(2)).toBe(5);
    rows.given = orders.slice(0, 1);
    expect(await totalOf(3)).toBe(5);
  });
});

/** A provider over a dialect that takes every filter, and a function that gives the filters it was asked for. */
function recordingProvider() {
  const { Order } = setUp();
  class Any extends Order.with({ proxy: { type: MemoryProxy } as never }) {}
  const { proxy } = Any;
  let asked: readonly object[] | undefined;
  const read = proxy.read.bind(proxy);
  proxy.read = (operation) => {
    asked = operation.filters;
    return read(operation);
  };
  const provider = dataProvider({ orders: Any });
  return {
    filtersOf: async (
      filter: Parameters<typeof provider.getList>[0]['filters'] extends (infer F)[] | undefined ? F : never,
    ) => {
      await provider.getList({ resource: 'orders', filters: [filter] });
      return asked?.map((each) => JSON.parse(JSON.stringify(each)));
    },
  };
}

describe('records', () => {
  test('reads one, and many', async () => {
    const { provider, sent } = provide();
    expect((await provider.getOne({ resource: 'orders', id: '7' })).data.title).toBe('Order 7');
    expect((await provider.getMany({ resource: 'customers', ids: ['C-2', 'C-1'] })).data.map(({ id }) => id)).toEqual([
      'C-2',
      'C-1',
    ]);
    expect(sent).toEqual(['GET /orders/7', 'GET /customers?page=1&limit=2&code=C-2&code=C-1']);
  });

  test('updates a record by what differs from the row that was read', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getOne({ resource: 'orders', id: 7 });
    await provider.update({ resource: 'orders', id: 7, variables: { ...data, title: 'Bolts' } });
    expect(sent.slice(1)).toEqual(['PATCH /orders/7 {"title":"Bolts"}']);
  });

  test('creates a copy, and never writes over the record that was copied', async () => {
    const { provider, sent } = provide();
    const { data: shown } = await provider.getOne({ resource: 'orders', id: 7 });
    const { data: copy } = await provider.create({ resource: 'orders', variables: { ...shown, title: 'Copy' } });
    const { data: copies } = await provider.createMany({ resource: 'orders', variables: [{ id: 7, title: 'Two' }] });
    expect([copy.id, copy.title, copies[0]!.id]).toEqual([26, 'Copy', 27]);
    expect(sent.slice(1).map((each) => each.replace(/ \{.*/, ''))).toEqual(['POST /orders', 'POST /orders']);
  });

  test('creates a record with an id that means something', async () => {
    const { sent, Customer } = provide();
    class Country extends Customer.define({
      name: 'country',
      fields: { code: 'string', name: 'string' },
      ...{ idProperty: 'code', identifier: 'natural' },
    }) {}
    const provider = dataProvider({ countries: Country });
    const { data } = await provider.create({
      resource: 'countries',
      variables: { id: 'CH', code: 'CH', name: 'Bern' },
    });
    expect(data).toMatchObject({ id: 'CH', name: 'Bern' });
    expect(sent).toEqual(['POST /customers {"code":"CH","name":"Bern"}']);
  });

  test('changes an id that the user has edited', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getOne({ resource: 'customers', id: 'C-1' });
    await provider.update({ resource: 'customers', id: 'C-1', variables: { ...data, code: 'C-7' } });
    expect(sent.slice(1)).toEqual(['PATCH /customers/C-1 {"code":"C-7"}']);
  });

  test('reads no empty references', async () => {
    const { provider, sent } = provide();
    for (const empty of [undefined, null, '']) {
      const ids = ['C-2', empty as string, 'C-1'];
      const { data } = await provider.getMany({ resource: 'customers', ids });
      expect(data.map(({ id }) => id)).toEqual(['C-2', 'C-1']);
      expect((await provider.getMany({ resource: 'customers', ids: [empty as string] })).data).toEqual([]);
    }
    expect(sent).toEqual(Array(3).fill('GET /customers?page=1&limit=2&code=C-2&code=C-1'));
  });

  test.each([false, Number.NaN, '.', '..', 'x/../y'])('never reads another address for the id %j', async (wrong) => {
    const { provider, sent } = provide();
    await expect(provider.getMany({ resource: 'customers', ids: [wrong as string] })).rejects.toThrow();
    expect(sent).toEqual([]);
  });

  test.each([undefined, null, '', false, Number.NaN, '.', '..', 'x/../y'])(
    'never writes to another address for the id %j',
    async (id) => {
      const { provider, sent, Base } = provide();
      class Loose extends Base.define({
        name: 'loose',
        fields: { code: 'string', name: 'string' },
        idProperty: 'code',
        proxy: { url: '/customers', appendId: false },
      }) {}
      const loose = dataProvider({ loose: Loose });
      const wrong = id as string;
      const calls = [
        () => provider.getOne({ resource: 'customers', id: wrong }),
        () => provider.deleteOne({ resource: 'customers', id: wrong }),
        () => provider.deleteMany({ resource: 'customers', ids: [wrong] }),
        () => provider.updateMany({ resource: 'customers', ids: [wrong], variables: { name: 'x' } }),
        () =>
          provider.update({ resource: 'customers', id: wrong, variables: { name: 'x' }, meta: { overwrite: true } }),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow();
      if (!id)
        await expect(loose.deleteOne({ resource: 'loose', id: wrong })).rejects.toMatchObject({ code: 'address' });
      expect(sent).toEqual([]);
    },
  );

  test('encodes an id that has a slash', async () => {
    const { provider, sent } = provide();
    await expect(provider.deleteOne({ resource: 'customers', id: 'a/b%2e?' })).rejects.toMatchObject({
      statusCode: 404,
    });
    expect(sent).toEqual(['DELETE /customers/a%2Fb%252e%3F']);
  });

  test('tells which records of a bulk action could not be written', async () => {
    const { provider, sent } = provide();
    const error = await provider
      .deleteMany({ resource: 'orders', ids: [5, '5', 99, 6] })
      .catch((each: unknown) => each as ProviderError);
    expect(sent).toEqual(['DELETE /orders/5', 'DELETE /orders/99', 'DELETE /orders/6']);
    expect(error).toMatchObject({
      statusCode: 404,
      message: 'Some of the entries could not be changed. /orders has no row 99',
      failed: [{ at: 1, id: 99, error: { status: 404 } }],
      cause: { code: 'batch' },
    });
    const variables = [{ title: 'A' }, { title: 'B', total: 2000 }, { title: 'C' }];
    await expect(provider.createMany({ resource: 'orders', variables })).rejects.toMatchObject({
      statusCode: 422,
      errors: { total: ['is too much'] },
      failed: [{ at: 1, id: undefined }],
    });
    await expect(provider.deleteMany({ resource: 'orders', ids: [97, 98] })).rejects.toMatchObject({
      message: '/orders has no row 97',
    });
    // A mistake is told to developers, if it is the only reason.
    await expect(provider.deleteMany({ resource: 'orders', ids: ['seven'] })).rejects.toMatchObject({
      code: 'address',
    });
    await expect(provider.deleteMany({ resource: 'orders', ids: ['seven', 99] })).rejects.toMatchObject({
      failed: [{ error: { code: 'address' } }, { error: { status: 404 } }],
    });
  });

  test('creates, updates and erases one and many', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.create({ resource: 'orders', variables: { title: 'A', total: 1 } });
    expect(data.id).toBe(26);
    const many = await provider.createMany({ resource: 'orders', variables: [{ title: 'B' }, { title: 'C' }] });
    expect(many.data.map(({ title }) => title)).toEqual(['B', 'C']);
    const updated = await provider.updateMany({ resource: 'orders', ids: [1, 2], variables: { open: true } });
    expect(updated.data.map(({ id, open }) => [id, open])).toEqual([
      [1, true],
      [2, true],
    ]);
    await provider.deleteOne({ resource: 'orders', id: 1 });
    expect(await provider.deleteMany({ resource: 'orders', ids: [2, 3] })).toEqual({ data: [{ id: 2 }, { id: 3 }] });
    expect(sent.slice(-3)).toEqual(['DELETE /orders/1', 'DELETE /orders/2', 'DELETE /orders/3']);
  });

  test('gives the messages of a 422 by field', async () => {
    const { provider } = provide();
    await expect(provider.create({ resource: 'orders', variables: { title: 'A', total: 2000 } })).rejects.toMatchObject(
      { statusCode: 422, message: 'The row is not valid. Total is too much.', errors: { total: ['is too much'] } },
    );
    await expect(provider.getOne({ resource: 'orders', id: 99 })).rejects.toMatchObject({
      statusCode: 404,
      errors: {},
    });
  });
});

test('aborts reads and custom calls with the signal of Refine', async () => {
  const { Order } = setUp();
  const aborted: string[] = [];
  class Slow extends Order.with({
    proxy: {
      fetch: (input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => {
            aborted.push(new URL(String(input)).pathname);
            reject(init.signal?.reason);
          });
        }),
    },
  }) {}
  const provider = dataProvider({ slow: Slow });
  const controller = new AbortController();
  // Refine hands on what its client of queries gives; the provider looks at the signal only.
  const meta = { queryContext: { queryKey: [], signal: controller.signal } as never };
  const calls = [
    provider.getList({ resource: 'slow', meta }),
    provider.getOne({ resource: 'slow', id: 1, meta }),
    provider.getMany({ resource: 'slow', ids: [1, 2], meta }),
    provider.custom({ url: '/sums', method: 'get', meta }),
  ];
  await new Promise((resolve) => setTimeout(resolve));
  controller.abort();
  for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'AbortError', code: 'abort' });
  expect(aborted.sort()).toEqual(['/orders', '/orders', '/orders/1', '/sums']);
});

describe('custom calls', () => {
  test('go through the proxy of a model', async () => {
    const { provider, sent, server } = provide();
    expect(provider.getApiUrl()).toBe(server.baseUrl);
    const { data } = await provider.custom({ url: '/orders/7', method: 'get', query: { full: 1 } });
    expect(data).toMatchObject({ id: 7, internal: 'kept' });
    await provider.custom({
      url: '/orders/7',
      method: 'patch',
      payload: { open: false },
      meta: { resource: 'customers' },
    });
    expect(sent).toEqual(['GET /orders/7?full=1', 'PATCH /orders/7 {"open":false}']);
    const sorters = [{ field: 'id', order: 'asc' } as const];
    await expect(provider.custom({ url: '/orders', method: 'get', sorters })).rejects.toThrow(
      /give the parameters as `query`/,
    );
    await expect(provider.custom({ url: '/nothing', method: 'get' })).rejects.toMatchObject({ statusCode: 404 });
  });

  test('give headers to the server of their model only', async () => {
    const sent: string[] = [];
    const modelOf = (baseUrl: string, token: string) =>
      class extends Model.define({
        name: token,
        fields: { id: 'int' },
        proxy: {
          ...{ type: 'rest', url: '/rows', baseUrl, dialect: plain(), headers: { 'X-Token': token } },
          fetch: async (input, init) => {
            sent.push(`${input} ${new Headers(init?.headers).get('x-token')}`);
            return Response.json({});
          },
        },
      }) {};
    const provider = dataProvider({
      shop: modelOf('https://shop.test/api', 'shop'),
      bills: modelOf('https://bills.test', 'bills'),
      stock: modelOf('https://shop.test/api/stock', 'stock'),
    });
    const call = (url: string, resource?: string) =>
      provider.custom({ url, method: 'get', ...(resource && { meta: { resource } }) });
    await call('/sums');
    await call('https://shop.test/api/sums');
    await call('https://shop.test/other');
    await call('https://bills.test/sums');
    await call('https://shop.test/api/stock/sums');
    await call('sums', 'bills');
    expect(sent.splice(0)).toEqual([
      'https://shop.test/api/sums shop',
      'https://shop.test/api/sums shop',
      'https://shop.test/other shop',
      'https://bills.test/sums bills',
      'https://shop.test/api/stock/sums stock',
      'https://bills.test/sums bills',
    ]);
    for (const [url, resource] of [
      ['https://evil.test/sums'],
      ['//evil.test/sums'],
      ['http://shop.test/api/sums'],
      ['https://shop.test:8443/api/sums'],
      ['https://bills.test/sums', 'shop'],
      ['https://shop.test@evil.test/', 'shop'],
    ] as const)
      await expect(call(url, resource)).rejects.toMatchObject({ code: 'address' });
    expect(sent).toEqual([]);
  });
});
