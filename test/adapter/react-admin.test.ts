import {
  ConflictError,
  compositeId,
  conflicts,
  etags,
  Model,
  plain,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { dataProvider, type ProviderError } from 'repose/react-admin';
import { restServer } from 'repose/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { orders, setUp } from './support.js';

// The calls as react-admin makes them; test/frameworks runs the real one, and checks the types of this file.
const page = (number = 1, perPage = 2) => ({ page: number, perPage });
const byId = { field: 'id', order: 'ASC' } as const;

function provide(options?: Parameters<typeof setUp>[0]) {
  const all = setUp(options);
  const { Order, Customer, Note } = all;
  return { ...all, provider: dataProvider({ orders: Order, customers: Customer, notes: Note }) };
}

describe('lists', () => {
  test('asks the server for a page, sorted and filtered in the dialect of the model', async () => {
    const { provider, sent } = provide();
    const { data, total } = await provider.getList('orders', {
      pagination: page(2),
      sort: { field: 'total', order: 'DESC' },
      filter: { open: true, q: 'Order' },
    });
    expect(sent).toEqual(['GET /orders?page=2&limit=2&search=Order&sort=-total&open=true']);
    expect([total, data.map(({ id }) => id)]).toEqual([9, [19, 16]]);
    expectTypeOf(data[0]!.title).toEqualTypeOf<string | undefined>();
    expect(data[0]).toEqual({
      id: 19,
      title: 'Order 19',
      customerId: 1,
      total: 190,
      open: true,
      due: '2026-11-19',
      createdAt: new Date('2026-11-19T12:30:00Z'),
      lines: [{ sku: 'A-18', count: 1 }],
    });
  });

  test('reads filters by operators in the names, by lists, and by null', async () => {
    const { provider, sent } = provide();
    await provider.getList('orders', { pagination: page(), filter: { total_gte: 200, customerId: [1, 2] } });
    await expect(provider.getList('orders', { filter: { due: null } })).rejects.toThrow(/isNull/);
    expect(sent).toEqual(['GET /orders?page=1&limit=2&total_gte=200&customerId=1&customerId=2']);
  });

  test('reads everything without paging, and adds what `meta` says', async () => {
    const { provider, sent, Order } = provide();
    const meta = { params: { tenant: 'a' }, filters: [where(Order).open.eq(true)], search: 'Order 1' };
    const { data } = await provider.getList('orders', { meta });
    expect(sent).toEqual(['GET /orders?tenant=a&search=Order 1&open=true']);
    expect(data.map(({ id }) => id)).toEqual([1, 10, 13, 16, 19]);
  });

  test('refuses what the model or the server does not know before anything is sent', async () => {
    const { provider, sent } = provide();
    const list = (filter: object) => provider.getList('orders', { filter });
    await expect(list({ titel: 'x' })).rejects.toThrow(/'titel'.*did you mean 'title'/);
    await expect(list({ total_lte: 3 })).rejects.toThrow(UnsupportedQueryError);
    await expect(list({ customerId: undefined })).rejects.toThrow(UnsupportedQueryError);
    await expect(provider.getList('orders', { sort: { field: 'name', order: 'ASC' } })).rejects.toThrow(/'name'/);
    await expect(provider.getList('order', {})).rejects.toThrow(
      "dataProvider has no model for the resource 'order': did you mean 'orders'?. Correct the name, or add the model",
    );
    expect(sent).toEqual([]);
  });

  test('tells whether there is a next page where the server tells no total', async () => {
    const { provider } = provide({ envelope: { rootProperty: 'data', totalProperty: 'count' } });
    // The dialect reads a bare list; this model reads the rows of the envelope.
    await expect(provider.getList('orders', { pagination: page() })).rejects.toThrow();
    const { Order } = setUp();
    class Bare extends Order.with({
      proxy: {
        fetch: async () => Response.json(orders.slice(0, 2)),
      },
    }) {}
    const { total, pageInfo } = await dataProvider({ bare: Bare }).getList('bare', { pagination: page(2) });
    expect([total, pageInfo]).toEqual([undefined, { hasNextPage: true, hasPreviousPage: true }]);
  });

  test('goes from token to token where pages have no numbers, and remembers the tokens', async () => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      const at = Number(new URL(String(input)).searchParams.get('cursor') ?? 0);
      sent.push(new URL(String(input)).search);
      return Response.json({ data: orders.slice(at, at + 2), next: at + 2 < 6 ? String(at + 2) : null });
    };
    class Order extends setUp().Order.with({
      proxy: {
        fetch,
        dialect: plain({ tokenParam: 'cursor', pageParam: '' }),
        reader: { rootProperty: 'data', nextProperty: 'next' },
      },
    }) {}
    const provider = dataProvider({ orders: Order });
    const idsOf = async (number: number) =>
      (await provider.getList('orders', { pagination: page(number) })).data.map(({ id }) => id);
    expect(await idsOf(3)).toEqual([5, 6]);
    expect(sent.splice(0)).toEqual(['?limit=2', '?cursor=2&limit=2', '?cursor=4&limit=2']);
    expect([await idsOf(2), await idsOf(4)]).toEqual([[3, 4], []]);
    expect(sent).toEqual(['?cursor=2&limit=2']);
  });

  test('reads children by the address if that names the parent, and by a filter otherwise', async () => {
    const { provider, sent } = provide();
    const common = { pagination: page(), sort: byId, filter: {} };
    const notes = await provider.getManyReference('notes', { target: 'shop', id: 'north', ...common });
    expect(notes.data.map(({ text }) => text)).toEqual(['one']);
    await provider.getManyReference('orders', { target: 'customerId', id: 2, ...common });
    expect(sent).toEqual([
      'GET /shops/north/notes?page=1&limit=2&sort=id',
      'GET /orders?page=1&limit=2&sort=id&customerId=2',
    ]);
  });

  test('reads the children of the parent that was asked for, whatever `meta` says', async () => {
    const { provider, sent } = provide();
    const meta = { pathParams: { shop: 'south' } };
    const common = { pagination: page(), sort: byId, filter: {}, meta };
    const { data } = await provider.getManyReference('notes', { target: 'shop', id: 'north', ...common });
    expect([data.map(({ text }) => text), sent]).toEqual([['one'], ['GET /shops/north/notes?page=1&limit=2&sort=id']]);
    const filter = { customerId: 1 };
    await expect(
      provider.getManyReference('orders', { target: 'customerId', id: 2, ...common, filter }),
    ).rejects.toThrow(UnsupportedQueryError);
  });

  test('aborts the request with the signal of react-admin', async () => {
    const { Order } = setUp();
    const controller = new AbortController();
    class Slow extends Order.with({
      proxy: {
        fetch: (_, init) =>
          new Promise((_resolve, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
            controller.abort();
          }),
      },
    }) {}
    const provider = dataProvider({ slow: Slow });
    expect(provider.supportAbortSignal).toBe(true);
    const { signal } = controller;
    await expect(provider.getList('slow', { signal })).rejects.toMatchObject({ name: 'AbortError', code: 'abort' });
  });
});

describe('single records', () => {
  test('reads a record by an id from an address, and many by one request', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getOne('orders', { id: '7' as never });
    expect(data.id).toBe(7);
    const many = await provider.getMany('orders', { ids: [3, '4', 99] });
    expect(many.data.map(({ id }) => id)).toEqual([3, 4]);
    expect(sent.slice(0, 2)).toEqual(['GET /orders/7', 'GET /orders?page=1&limit=3&id=3&id=4&id=99']);
  });

  test('reads no empty references', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getMany('orders', { ids: [3, undefined, null, '', 4] as number[] });
    expect(data.map(({ id }) => id)).toEqual([3, 4]);
    expect(sent).toEqual(['GET /orders?page=1&limit=2&id=3&id=4']);
  });

  test('gives records an `id` whatever the field of the id is called', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getList('customers', {
      sort: { field: 'id', order: 'DESC' },
      filter: { id: ['C-1'] },
    });
    expect(data).toEqual([{ id: 'C-1', code: 'C-1', name: 'Ada' }]);
    const saved = await provider.update('customers', {
      id: 'C-1',
      data: { ...data[0]!, name: 'Ada L.' },
      previousData: data[0]!,
    });
    expect(saved.data).toEqual({ id: 'C-1', code: 'C-1', name: 'Ada L.' });
    expect(sent).toEqual(['GET /customers?sort=-code&code=C-1', 'PATCH /customers/C-1 {"name":"Ada L."}']);
  });

  test('rejects with the status and a sentence for people', async () => {
    const { provider, Order } = provide();
    const missing = await provider.getOne('orders', { id: 99 }).catch((error: ProviderError) => error);
    expect(missing).toMatchObject({ name: 'HttpError', status: 404, message: '/orders has no row 99' });
    class Lost extends Order.with({ proxy: { fetch: () => Promise.reject(new TypeError('lost')) } }) {}
    await expect(dataProvider({ orders: Lost }).getOne('orders', { id: 1 })).rejects.toMatchObject({
      status: 0,
      message: 'The server cannot be reached.',
    });
    await expect(provider.getOne('orders', { id: 'seven' as never })).rejects.toThrow(/'seven'|seven/);
  });
});

describe('writes', () => {
  test('sends what has changed, and nothing if nothing has', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getOne('orders', { id: 7 });
    sent.length = 0;
    await provider.update('orders', { id: 7, data: structuredClone(data), previousData: data });
    expect(sent).toEqual([]);
    const edited = { ...data, title: 'Bolts', lines: [{ sku: 'z', count: 2 }] };
    const saved = await provider.update('orders', { id: 7, data: edited, previousData: data });
    expect(sent).toEqual(['PATCH /orders/7 {"title":"Bolts","lines":[{"sku":"z","count":2}]}']);
    expect(saved.data.lines).toEqual([{ sku: 'z', count: 2 }]);
  });

  test('puts the whole row, with members that no field declares', async () => {
    const { Order, sent } = setUp();
    class Put extends Order.with({ proxy: { actionMethods: { update: 'PUT' } } }) {}
    const provider = dataProvider({ orders: Put });
    const { data } = await provider.getOne('orders', { id: 1 });
    await provider.update('orders', { id: 1, data: { ...data, total: 5 }, previousData: data });
    expect(JSON.parse(sent[1]!.replace('PUT /orders/1 ', ''))).toEqual({ ...orders[0], total: 5 });
    // The row of the other record is not known, so it is read first.
    await provider.updateMany('orders', { ids: [2], data: { total: 6 } });
    expect(sent[2]).toBe('GET /orders/2');
    expect(JSON.parse(sent[3]!.replace('PUT /orders/2 ', ''))).toEqual({ ...orders[1], total: 6 });
  });

  test('gives forms the messages of a 422 and of the model by field', async () => {
    const { provider, sent } = provide();
    const refused = await provider.create('orders', { data: { title: 'A', total: 2000 } }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'HttpError', status: 422, body: { errors: { total: 'is too much' } } });
    expect(refused.cause).toBeInstanceOf(ValidationError);
    sent.length = 0;
    const wrong = await provider.create('orders', { data: { title: '', total: 1 } }).catch((error) => error);
    expect(wrong).toMatchObject({ status: 422, body: { errors: { title: 'must not be empty' } } });
    expect(sent).toEqual([]);
  });

  test('creates a record, without the values that only the server makes', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.create('orders', { data: { title: 'New', total: 1 } });
    expect([data.id, data.title]).toEqual([26, 'New']);
    expect(sent).toEqual(['POST /orders {"title":"New","total":1}']);
  });

  test('refuses to overwrite what somebody else has changed, by the version that the user has seen', async () => {
    const server = restServer({ collections: { '/orders': { rows: orders } }, etags: 'required' });
    class Order extends setUp().Order.with({
      proxy: { baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain(), use: [etags(), conflicts()] },
    }) {}
    const provider = dataProvider({ orders: Order });
    const { data: shown } = await provider.getOne('orders', { id: 1 });
    server.setRows('/orders', [{ ...orders[0], title: 'Theirs' }, ...orders.slice(1)]);
    // The list is read again behind the open form; the form still has what it was opened with.
    await provider.getList('orders', { pagination: page() });
    const error = await provider
      .update('orders', { id: 1, data: { ...shown, title: 'Mine' }, previousData: shown })
      .catch((each) => each);
    expect([error.status, error.message]).toEqual([412, 'Row 1 is another by now']);
    expect(error.cause).toBeInstanceOf(ConflictError);
    await error.cause.keepMine();
    expect(server.rows('/orders')[0]).toMatchObject({ title: 'Mine' });
  });

  test('compares with the server what a page that was kept has shown', async () => {
    const { provider, sent } = provide();
    const { data } = await setUp()
      .Order.load(1)
      .then((record) => ({ data: { ...record.$.data, id: 1 } }));
    const kept = { ...data, lines: [{ sku: 'A-0', count: 1 }], total: 999 };
    // This provider has never read the row. Only `total` differs from what was shown, and it was not edited.
    await provider.update('orders', { id: 1, data: { ...kept, title: 'Mine' }, previousData: kept });
    expect(sent.splice(0)).toEqual(['GET /orders/1', 'PATCH /orders/1 {"title":"Mine"}']);
    const older = { ...kept, title: 'Older' };
    await expect(
      provider.update('orders', { id: 1, data: { ...older, title: 'Mine too' }, previousData: older }),
    ).rejects.toMatchObject({ status: 409, cause: { code: 'conflict', theirs: { title: 'Mine' } } });
    expect(sent).toEqual(['GET /orders/1']);
  });

  test('erases a record, and many', async () => {
    const { provider, sent } = provide();
    const { data } = await provider.getOne('orders', { id: 1 });
    const erased = await provider.delete('orders', { id: 1, previousData: data });
    expect(erased.data.title).toBe('Order 1');
    expect(await provider.deleteMany('orders', { ids: [2, 3] })).toEqual({ data: [2, 3] });
    expect(sent.slice(1)).toEqual(['DELETE /orders/1', 'DELETE /orders/2', 'DELETE /orders/3']);
  });

  test('updates many, and tells why some could not be written', async () => {
    const { provider, sent } = provide();
    expect(await provider.updateMany('orders', { ids: [1, 2], data: { open: false } })).toEqual({ data: [1, 2] });
    // Nobody knows the rows, so the value is sent although it is the default of its type.
    expect(sent.splice(0)).toEqual(['PATCH /orders/1 {"open":false}', 'PATCH /orders/2 {"open":false}']);
    const failed = await provider.updateMany('orders', { ids: [1, 99], data: { total: 2 } }).catch((error) => error);
    expect(failed).toMatchObject({ status: 404, cause: { code: 'batch', errors: [{ code: 'http' }] } });
  });

  test('writes many in one request if the proxy allows it', async () => {
    const sent: string[] = [];
    class Order extends setUp().Order.with({
      proxy: {
        batchActions: true,
        fetch: async (input, init) => {
          sent.push(`${init?.method} ${new URL(String(input)).pathname} ${init?.body}`);
          return Response.json(JSON.parse(String(init?.body)));
        },
      },
    }) {}
    await dataProvider({ orders: Order }).updateMany('orders', { ids: [1, 2], data: { open: true } });
    expect(sent).toEqual(['PATCH /orders [{"open":true,"id":1},{"open":true,"id":2}]']);
  });

  test('reads and writes records whose id has several fields by its text', async () => {
    const rows = [{ shop: 'north', sku: 'a,1', count: 3 }];
    const sent: string[] = [];
    class Stock extends Model.define({
      name: 'stock',
      fields: { shop: 'string', sku: 'string', count: 'int' },
      idProperty: compositeId('shop', 'sku'),
      proxy: {
        type: 'rest',
        url: 'http://stock.test/shops/{shop}/stock/{sku}',
        api: { list: 'http://stock.test/stock' },
        appendId: false,
        dialect: plain(),
        fetch: async (input, init) => {
          sent.push(`${init?.method} ${new URL(String(input)).pathname}${init?.body ? ` ${init.body}` : ''}`);
          return Response.json(init?.body ? { ...rows[0], ...JSON.parse(String(init.body)) } : rows);
        },
      },
    }) {}
    const provider = dataProvider({ stock: Stock });
    const { data } = await provider.getList('stock', { sort: byId });
    expect(data[0]!.id).toBe('north,a\\,1');
    await provider.update('stock', { id: 'north,a\\,1', data: { ...data[0]!, count: 4 }, previousData: data[0]! });
    await provider.updateMany('stock', { ids: ['north,a\\,1'], data: { count: 5 } });
    expect(sent).toEqual([
      'GET /stock',
      'PATCH /shops/north/stock/a%2C1 {"count":4}',
      'PATCH /shops/north/stock/a%2C1 {"count":5}',
    ]);
    await expect(provider.getOne('stock', { id: 'north' })).rejects.toThrow(/'shop', 'sku'/);
  });
});

test('refuses what is no table of models', () => {
  const { Order } = setUp();
  for (const [wrong, text] of [
    [{}, 'but has an object'],
    [undefined, 'but has undefined'],
    [{ orders: Order, customers: {} }, "but has an object for 'customers'"],
  ] as const)
    expect(() => dataProvider(wrong as never)).toThrow(text);
});
