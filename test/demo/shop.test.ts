import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './running-server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await startServer({ rows: 5 });
});
afterAll(() => server.stop());

type Row = Readonly<Record<string, unknown>>;

const rowsOf = async (path: string): Promise<readonly Row[]> => (await server.get(path)).body as readonly Row[];

describe('orders with lines', () => {
  test('are filled in: each line names an order, and each order a customer', async () => {
    const [customers, orders, lines] = await Promise.all(
      ['customers', 'orders', 'lines'].map((name) => rowsOf(`/api/${name}`)),
    );
    const ids = (rows: readonly Row[] | undefined) => new Set(rows?.map(({ id }) => id));
    expect([customers?.length, orders?.length]).toEqual([40, 120]);
    expect(orders?.every(({ customerId }) => ids(customers).has(customerId))).toBe(true);
    expect(new Set(lines?.map(({ orderId }) => orderId))).toEqual(ids(orders));
  });

  test('the lines of an order are found by its id, and are erased with it', async () => {
    const { body: order } = await server.send('POST', '/api/orders', { json: { customerId: 1 } });
    const { id } = order as Row;
    expect(order).toMatchObject({ customerId: 1, status: 'open' });
    await server.send('POST', '/api/lines', { json: { orderId: id, article: 'Clock', price: '9.50' } });
    expect(await rowsOf(`/api/lines?orderId=${id}`)).toMatchObject([{ article: 'Clock', quantity: 1, price: '9.50' }]);
    expect((await server.send('DELETE', `/api/orders/${id}`)).status).toBe(204);
    expect(await rowsOf(`/api/lines?orderId=${id}`)).toEqual([]);
  });

  test('a line without its order, and a customer with orders, are refused', async () => {
    const lost = await server.send('POST', '/api/lines', { json: { orderId: 9999, article: 'Clock' } });
    expect([lost.status, lost.body]).toMatchObject([422, { errors: { orderId: ['names no order'] } }]);
    const [{ customerId } = {}] = await rowsOf('/api/orders?limit=1');
    expect((await server.send('DELETE', `/api/customers/${customerId}`)).status).toBe(409);
  });
});

describe('categories', () => {
  test('are a tree: all parents exist, and roots have none', async () => {
    const rows = await rowsOf('/api/categories');
    const roots = rows.filter(({ parentId }) => parentId === null);
    expect(roots.map(({ name }) => name)).toEqual(['Furniture', 'Decoration', 'Garden', 'Kitchen', 'Textiles']);
    const ids = new Set(rows.map(({ id }) => id));
    expect(rows.every(({ parentId }) => parentId === null || ids.has(parentId))).toBe(true);
  });

  test('are filtered by their parent, also by null', async () => {
    const filter = [{ property: 'parentId', operator: 'eq', value: null }];
    const { body } = await server.query('/api/categories', { filter });
    expect(body).toMatchObject({ total: 5 });
    expect((await rowsOf('/api/categories?parentId=1')).map(({ name }) => name)).toEqual([
      'Seating',
      'Tables',
      'Storage',
      'Beds',
    ]);
  });

  test('one with others below is not erased, and a reset fills the tree again', async () => {
    const refused = await server.send('DELETE', '/api/categories/1');
    expect([refused.status, refused.body]).toMatchObject([409, { errors: { id: ['still has 4 categories'] } }]);
    expect((await server.send('DELETE', '/api/categories/14')).status).toBe(204);
    server.server.reset();
    expect(await rowsOf('/api/categories')).toHaveLength(32);
  });
});
