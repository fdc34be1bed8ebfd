import { DefinitionError, Model, plain, reference, Session, Store } from 'repose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadedSource } from '../../src/binding/loaded-record.js';
import { referenceSource } from '../../src/binding/reference-source.js';
import { uncaught } from '../helpers/uncaught.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** Classes of their own for each test, because a class shares what screens have loaded. */
function models() {
  class Customer extends Model.define({
    name: 'customer',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/customers', { dialect: plain() }),
  }) {}
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', customerId: reference('int', { allowNull: true }) },
    proxy: server.proxy('/orders', { dialect: plain() }),
  }) {
    static override references() {
      return { customerId: Customer };
    }
  }
  const order = (id: number, customerId: number | null) => Order.fromRow({ id, customerId });
  /** Shows the customer of an order. */
  const show = (record: InstanceType<typeof Order>) => {
    const source = referenceSource(Order, record, 'customerId');
    const told: ReturnType<typeof source.get>[] = [];
    const stop = source.subscribe(() => told.push(source.get()));
    onTestFinished(stop);
    return { source, told, stop };
  };
  return { Customer, Order, order, show };
}

const row = (id: number) => ({ id, name: `Customer ${id}` });
const rows = (...ids: number[]) => ({ json: ids.map(row) });

describe.each([
  ['in no session', () => undefined],
  ['in a session', () => new Session()],
])('what fields refer to, %s', (_, newSession) => {
  const ordersOf = (count: number) => {
    const made = models();
    const session = newSession();
    const data = Array.from({ length: count }, (_each, at) => ({ id: at + 1, customerId: (at % 5) + 1 }));
    const orders = new Store({ model: made.Order, data, ...(session && { session }) });
    return { ...made, session, orders: [...orders] };
  };

  test('is one request for 25 rows of five customers, and one record for each', async () => {
    const { orders, show } = ordersOf(25);
    server.reply(rows(1, 2, 3, 4, 5));
    const shown = orders.map(show);
    expect(shown[0]?.source.get()).toMatchObject({ loading: true, record: undefined, idle: false });
    await expect.poll(() => shown.every(({ source }) => source.get().record)).toBe(true);
    expect(server.lines).toHaveLength(1);
    expect(server.requests[0]?.path).toBe('/customers');
    expect(shown.map(({ source }) => source.get().record?.name)).toEqual(
      orders.map((_e, at) => `Customer ${(at % 5) + 1}`),
    );
    expect(new Set(shown.map(({ source }) => source.get().record)).size).toBe(5);
    expect(shown.every(({ source, told }) => told.at(-1) === source.get() && source.get().loading === false)).toBe(
      true,
    );
  });

  test('follows the field, also when it is edited and empty', async () => {
    const { orders, show } = ordersOf(1);
    const [order] = orders as [(typeof orders)[0]];
    server.reply({ json: row(1) }, { json: row(2) });
    const { source, told } = show(order);
    await expect.poll(() => source.get().record?.name).toBe('Customer 1');
    order.customerId = 2;
    expect(told.at(-1)).toMatchObject({ record: undefined, loading: true });
    await expect.poll(() => source.get().record?.name).toBe('Customer 2');
    order.customerId = null;
    expect(source.get()).toMatchObject({ record: undefined, loading: false, idle: true });
    expect(await source.get().reload()).toBe(false);
    expect(server.lines).toEqual(['GET /customers/1', 'GET /customers/2']);
  });

  test('is a state where the server does not have it, alone and among others', async () => {
    const { orders, show } = ordersOf(5);
    server.reply(rows(1, 3, 4, 5), rows());
    const shown = orders.map(show);
    await expect
      .poll(() => shown.map(({ source }) => source.get().notFound))
      .toEqual([false, true, false, false, false]);
    expect(shown[1]?.source.get()).toMatchObject({ record: undefined, loading: false, error: undefined });
    server.reply({ json: row(2) });
    expect(await shown[1]?.source.get().reload()).toBe(true);
    expect(shown[1]?.source.get()).toMatchObject({ notFound: false, record: { name: 'Customer 2' } });
  });

  test('tells all rows why it could not be loaded, and loads again on request', async () => {
    const { orders, show } = ordersOf(5);
    server.reply({ status: 500 });
    const shown = orders.map(show);
    await expect.poll(() => shown.every(({ source }) => source.get().error?.code === 'http')).toBe(true);
    server.reply({ status: 404 }, { json: row(2) });
    expect(await shown[0]?.source.get().reload()).toBe(false);
    expect(shown[0]?.source.get()).toMatchObject({ notFound: true });
    expect(await shown[1]?.source.get().reload()).toBe(true);
    expect(shown[1]?.source.get()).toMatchObject({ error: undefined, record: { id: 2 } });
  });

  test('fails without a word when the screen has gone before the answer', async () => {
    const errors = uncaught();
    const { orders, show } = ordersOf(1);
    const held = server.hold();
    const [order] = orders as [(typeof orders)[0]];
    show(order).stop();
    await held.request;
    // A screen that comes meanwhile shares the request, and so its end.
    const meanwhile = show(order);
    held.answer({ drop: true });
    await expect.poll(() => meanwhile.source.get().error?.code).toBe('network');
    meanwhile.stop();
    await Promise.resolve();
    server.reply({ json: row(1) });
    const { source } = show(order);
    await expect.poll(() => source.get().record?.id).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });

  test('is kept while somebody holds it, and asked for again after everybody has gone', async () => {
    const { orders, show } = ordersOf(1);
    const [order] = orders as [(typeof orders)[0]];
    server.reply({ json: row(1) });
    const first = show(order);
    await expect.poll(() => first.source.get().record?.id).toBe(1);
    const release = first.source.hold();
    first.stop();
    await Promise.resolve();
    const second = show(order);
    expect(second.source.get().record?.id).toBe(1);
    release();
    second.stop();
    await Promise.resolve();
    expect(server.lines).toEqual(['GET /customers/1']);
  });
});

test('a record of a session gets what the session has, without a request, also a new record', async () => {
  const { Customer, Order, show } = models();
  const session = new Session();
  const customers = new Store({ model: Customer, session, data: [row(1)] });
  const created = session.create(Customer, { name: 'New' });
  const orders = new Store({ model: Order, session, data: [{ id: 1, customerId: 1 }] });
  const [order] = orders as Iterable<InstanceType<typeof Order>>;
  const { source } = show(order as InstanceType<typeof Order>);
  expect(source.get()).toMatchObject({ loading: false, record: customers.getById(1) });
  order?.set('customerId', created.id);
  expect(source.get().record).toBe(created);
  await Promise.resolve();
  expect(server.lines).toEqual([]);
});

test('a field without a value refers to nothing until it has one', async () => {
  const { Order, show } = models();
  server.reply({ json: row(1) });
  const order = new Order();
  const { source, told } = show(order);
  expect(source.get()).toMatchObject({ record: undefined, loading: false, idle: true });
  expect(show(Order.fromRow({ id: 9 })).source.get()).toMatchObject({ idle: true });
  order.customerId = 1;
  await expect.poll(() => told.at(-1)?.record?.name).toBe('Customer 1');
});

test('a new record that is in no session cannot be asked for', () => {
  const { Customer, order, show } = models();
  const record = order(1, null);
  record.customerId = new Customer().id;
  expect(show(record).source.get()).toMatchObject({ loading: false, error: { code: 'address' } });
});

test('a screen that loads the same record by its id shares it', async () => {
  const { Customer, order, show } = models();
  server.reply({ json: row(1) });
  const loaded = loadedSource(Customer, 1, {});
  onTestFinished(loaded.subscribe(() => undefined));
  const { source } = show(order(1, 1));
  await expect.poll(() => source.get().record?.id).toBe(1);
  expect(loaded.get().record).toBe(source.get().record);
  expect(server.lines).toEqual(['GET /customers/1']);
});

test.each<[string, (made: ReturnType<typeof models>) => unknown]>([
  ['no model', ({ order }) => referenceSource(undefined as never, order(1, 1) as never, 'customerId' as never)],
  ['no record', ({ Order }) => referenceSource(Order, undefined as never, 'customerId')],
  ['a field that refers to nothing', ({ Order, order }) => referenceSource(Order, order(1, 1), 'id' as never)],
])('%s in the place of a reference is refused', (_, use) => {
  expect(() => use(models())).toThrow(DefinitionError);
});
