import { Model, plain } from 'repose';
import { dataProvider as adminProvider } from 'repose/react-admin';
import { dataProvider as refineProvider } from 'repose/refine';
import { afterEach, describe, expect, test } from 'vitest';

const REPLY = '{"errors":{"__proto__.polluted":["hostile"],"constructor":["unknown"]}}';

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string' },
  proxy: {
    type: 'rest',
    baseUrl: 'https://api.example',
    url: '/orders',
    dialect: plain(),
    fetch: async () => new Response(REPLY, { status: 422, headers: { 'Content-Type': 'application/json' } }),
  },
}) {}

describe('errors whose paths name members of every object', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'polluted');
  });

  test('do not change the prototype of objects in react-admin', async () => {
    const call = adminProvider({ orders: Order }).create('orders', { data: { title: 'x' } });
    await expect(call).rejects.toMatchObject({ status: 422, body: { errors: { constructor: 'unknown' } } });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('are messages by field in Refine', async () => {
    const call = refineProvider({ orders: Order }).create({ resource: 'orders', variables: { title: 'x' } });
    await expect(call).rejects.toMatchObject({ statusCode: 422, errors: { constructor: ['unknown'] } });
  });
});
