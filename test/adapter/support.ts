import { embed, filterTemplates, length, Model, plain, range } from 'repose';
import { type RestServerOptions, restServer } from 'repose/testing';

/** Orders with lines inside, of two customers. */
export const orders = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  title: `Order ${index + 1}`,
  customerId: (index % 2) + 1,
  total: (index + 1) * 10,
  open: index % 3 === 0,
  due: `2026-11-${String(index + 1).padStart(2, '0')}`,
  created_at: `2026-11-${String(index + 1).padStart(2, '0')}T12:30:00Z`,
  lines: [{ sku: `A-${index}`, count: 1 }],
  internal: 'kept',
}));

const customers = [
  { code: 'C-1', name: 'Ada' },
  { code: 'C-2', name: 'Grace' },
];

/** Models over a server in memory; `sent` has its requests, with bodies. */
export function setUp(options: Partial<RestServerOptions> = {}) {
  const server = restServer({
    collections: {
      '/orders': {
        rows: orders,
        validate: ({ total }) => (Number(total) > 1000 ? { total: 'is too much' } : undefined),
      },
      '/customers': { rows: customers, idProperty: 'code' },
      '/stock': {
        rows: [
          { shop: 'north', sku: 'a,1', count: 3 },
          { shop: 'north', sku: 'b', count: 5 },
        ],
        idProperty: 'sku',
      },
      '/shops/{shop}/notes': [
        { id: 1, shop: 'north', text: 'one' },
        { id: 2, shop: 'south', text: 'two' },
      ],
    },
    ignoredParams: ['tenant', 'total_gte'],
    ...options,
  });
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const method = init?.method ?? 'GET';
    sent.push(`${method} ${pathname}${decodeURIComponent(search)}${init?.body ? ` ${init.body}` : ''}`);
    return server.fetch(input, init);
  };

  class Base extends Model.with({
    proxy: {
      type: 'rest',
      baseUrl: server.baseUrl,
      fetch,
      dialect: plain({
        filter: filterTemplates({ eq: '{name}={value}', in: '{name}={value}', ge: '{name}_gte={value}' }),
      }),
    },
  }) {}

  class Line extends Model.define({ name: 'line', fields: { sku: 'string', count: 'int' } }) {}
  class Order extends Base.define({
    name: 'order',
    fields: {
      id: 'int',
      title: { type: 'string', validators: [length({ min: 1, message: 'must not be empty' })] },
      customerId: 'int',
      total: { type: 'int', validators: [range({ max: 5000 })] },
      open: 'boolean',
      due: 'dateonly',
      createdAt: { type: 'date', mapping: 'created_at' },
      lines: embed([Line]),
    },
    proxy: { url: '/orders' },
  }) {}
  class Customer extends Base.define({
    name: 'customer',
    fields: { code: 'string', name: 'string' },
    idProperty: 'code',
    proxy: { url: '/customers' },
  }) {}
  class Note extends Base.define({
    name: 'note',
    fields: { id: 'int', shop: 'string', text: 'string' },
    proxy: { url: '/shops/{shop}/notes' },
  }) {}
  return { server, sent, Base, Order, Customer, Note };
}
