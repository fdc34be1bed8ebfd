import { Model, plain, reference, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const names: Readonly<Record<string, string>> = { 1: 'Ada', 2: 'Grace' };

class Customer extends Model.define({
  name: 'customer',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/customers', { dialect: plain() }),
}) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', customerId: reference('int', { allowNull: true }) },
  proxy: server.proxy('/orders'),
}) {
  static override references() {
    return { customerId: Customer };
  }
}

/** Answers for customers alone, and the list of orders. */
function answer() {
  server.always(({ path, url }) => {
    const ids = new URL(url, 'http://a.test').searchParams.getAll('id');
    const id = /^\/customers\/(.+)$/.exec(path)?.[1];
    if (id) return names[id] ? { json: { id: Number(id), name: names[id] } } : { status: 404, json: {} };
    if (path === '/customers') return { json: ids.map((each) => ({ id: Number(each), name: names[each] })) };
    return { json: [1, 2, 3, 4].map((each) => ({ id: each, customerId: 1 + (each % 2) })) };
  });
}
const asked = () => server.lines.filter((line) => line.includes('/customers'));

/** The orders of a session that has loaded them. */
async function ordersIn(session: Session): Promise<readonly Order[]> {
  answer();
  const orders = new Store({ model: Order, pageSize: 0, session });
  await orders.load();
  return orders.getRange();
}

describe('loadReference() of a record in a session', () => {
  test('gives the one object that the session has for the id, by one request', async () => {
    const session = new Session();
    const orders = await ordersIn(session);
    const customers = await Promise.all(orders.map((order) => Order.loadReference(order, 'customerId')));
    expect(customers.map((each) => each?.name)).toEqual(['Grace', 'Ada', 'Grace', 'Ada']);
    expect(new Set(customers)).toEqual(new Set([session.getById(Customer, 1), session.getById(Customer, 2)]));
    expect(asked()).toEqual([expect.stringMatching(/^GET \/customers\?.*id=2&id=1/)]);
  });

  test('sends nothing for a record that the session has, and keeps the edits of that record', async () => {
    const session = new Session();
    const [order] = (await ordersIn(session)) as [Order];
    const grace = session.add(Customer.fromRow({ id: 2, name: 'Grace' }))[0] as Customer;
    grace.name = 'Grace Hopper';
    expect(await Order.loadReference(order, 'customerId')).toBe(grace);
    expect([grace.name, asked()]).toEqual(['Grace Hopper', []]);
  });

  test('finds a new record of the session by its temporary id', async () => {
    const session = new Session();
    const [order] = (await ordersIn(session)) as [Order];
    const edsger = session.create(Customer, { name: 'Edsger' });
    order.customerId = edsger.id as number;
    expect(await Order.loadReference(order, 'customerId')).toBe(edsger);
  });

  test('shares the requests of `resolve()` in the same turn', async () => {
    const session = new Session();
    const orders = await ordersIn(session);
    const [found, grace] = await Promise.all([
      session.resolve(Order, orders.slice(0, 1), 'customerId'),
      Order.loadReference(orders[2] as Order, 'customerId'),
    ]);
    expect(found.get(orders[0] as Order)).toBe(grace);
    expect(asked()).toEqual(['GET /customers/2']);
  });

  test('rejects for a record that the server does not have, as it does without a session', async () => {
    const session = new Session();
    const [order] = (await ordersIn(session)) as [Order];
    order.customerId = 77;
    await expect(Order.loadReference(order, 'customerId')).rejects.toMatchObject({ status: 404 });
    order.customerId = null;
    expect(await Order.loadReference(order, 'customerId')).toBeUndefined();
  });

  test('gives records of a disposed session to nobody', async () => {
    const session = new Session();
    const [order] = (await ordersIn(session)) as [Order];
    const grace = await Order.loadReference(order, 'customerId');
    session.dispose();
    expect(await Order.loadReference(order, 'customerId')).not.toBe(grace);
  });
});

describe('session.load()', () => {
  test('sends one request for calls for one id at one time, and another one later', async () => {
    answer();
    const session = new Session();
    const found = await Promise.all([
      session.load(Customer, 1),
      session.load(Customer, '1'),
      session.load(Customer, 1, {}),
    ]);
    expect([new Set(found).size, asked()]).toEqual([1, ['GET /customers/1']]);
    await session.load(Customer, 1);
    expect(asked().length).toBe(2);
  });

  test('sends a request of its own for a call with options, and for each invalid id', async () => {
    answer();
    const session = new Session();
    const [first, second] = await Promise.all([
      session.load(Customer, 1),
      session.load(Customer, 1, { params: { include: 'orders' } }),
    ]);
    expect([first === second, asked()]).toEqual([true, ['GET /customers/1', 'GET /customers/1?include=orders']]);
    const refused = [null, ''].map((id) => session.load(Customer, id as never).catch((error: Error) => error));
    const [none, empty] = await Promise.all(refused);
    expect(none).not.toBe(empty);
  });

  test('tells each caller of a failure, and asks again after it', async () => {
    const session = new Session();
    server.reply({ status: 500, json: {} });
    const failed = await Promise.allSettled([session.load(Customer, 1), session.load(Customer, 1)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    answer();
    expect((await session.load(Customer, 1)).name).toBe('Ada');
    expect(asked().length).toBe(2);
  });
});

describe('a reference whose field has another form than the id', () => {
  class Visit extends Model.define({
    name: 'visit',
    fields: {
      id: 'int',
      customerId: reference('int', {
        mapping: (row: { customer?: { id: number } }) => row.customer?.id,
        serialize: (id: unknown) => ({ customer_id: id }),
      }),
    },
    proxy: server.proxy('/visits'),
  }) {
    static override references() {
      return { customerId: Customer };
    }
  }
  class Letter extends Model.define({
    name: 'letter',
    fields: {
      id: 'int',
      customerId: reference('int', {
        mapping: 'customer',
        convert: (iri: unknown) => (typeof iri === 'string' ? Number(iri.split('/').at(-1)) : iri),
        serialize: (id: unknown) => `/customers/${id}`,
      }),
    },
    proxy: server.proxy('/letters'),
  }) {
    static override references() {
      return { customerId: Customer };
    }
  }

  test.each([
    ['read by a function and written by another', () => Visit.fromRow({ id: 1, customer: { id: 1 } }), Visit],
    ['converted from an address', () => Letter.fromRow({ id: 1, customer: '/customers/1' }), Letter],
  ])('%s is followed by its value, also after an edit', async (_, make, model) => {
    answer();
    const record = make() as Visit;
    const load = async () => (await (model as typeof Visit).loadReference(record, 'customerId'))?.name;
    expect(await load()).toBe('Ada');
    record.customerId = 2;
    expect(await load()).toBe('Grace');
    const session = new Session();
    session.add(record);
    const found = await session.resolve(model as typeof Visit, [record], 'customerId');
    expect(found.get(record)?.name).toBe('Grace');
    expect(asked()).toEqual(['GET /customers/1', 'GET /customers/2', 'GET /customers/2']);
  });

  test('refuses the temporary id of a new record', async () => {
    for (const [model, record] of [
      [Visit, Visit.fromRow({ id: 1, customer: { id: 1 } })],
      [Letter, Letter.fromRow({ id: 1, customer: '/customers/1' })],
    ] as const) {
      record.customerId = new Customer().id as number;
      const loaded = (model as typeof Visit).loadReference(record as Visit, 'customerId');
      await expect(loaded).rejects.toMatchObject({ code: 'address' });
    }
  });

  test('of a new record is followed as well', async () => {
    answer();
    const records = [new Visit({ customerId: 2 }), new Letter({ customerId: 2 })] as const;
    expect((await Visit.loadReference(records[0], 'customerId'))?.name).toBe('Grace');
    expect((await Letter.loadReference(records[1], 'customerId'))?.name).toBe('Grace');
  });
});
