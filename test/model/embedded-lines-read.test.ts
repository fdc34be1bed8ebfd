import { embed, Model, plain, Store } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Line extends Model.define({ fields: { id: 'int', product: 'string', amount: 'int' } }) {}
class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', address: embed(Address), lines: embed([Line]) },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

interface Row {
  readonly id: number;
  readonly title: string;
  readonly address: object;
  readonly lines: readonly object[];
}

let rows: Map<number, Row>;

function accept({ method, path, body }: Received): Reply {
  const id = method === 'POST' ? 9 : Number(path.split('/').at(-1));
  if (method !== 'GET') rows.set(id, { ...(rows.get(id) as Row), id, ...body });
  return { status: method === 'POST' ? 201 : 200, json: rows.get(id) };
}

const pears = { id: 1, product: 'pears', amount: 1 };
const theirs = { id: 2, product: 'apples', amount: 5 };
const row = (id: number): Row => ({ id, title: 'Plan', address: { city: 'London', zip: 'N1' }, lines: [pears] });
/** Another client changes an order on the server. */
const colleagueSets = (id: number, values: Partial<Row>) => rows.set(id, { ...(rows.get(id) as Row), ...values });

beforeEach(() => {
  rows = new Map([1, 2].map((id) => [id, row(id)]));
  server.always(accept);
});

/** Saves an edit of an order while another save of it is in flight, and another client changes the row before it is read. */
async function saveBehind(edit: (order: Order) => void, change: Partial<Row>, later?: (order: Order) => void) {
  const order = await Order.load(1);
  order.title = 'first';
  const held = server.hold();
  const first = order.save();
  const reply = accept(await held.request);
  edit(order);
  const second = order.save();
  colleagueSets(1, change);
  await order.load();
  later?.(order);
  held.answer(reply);
  await Promise.all([first, second]);
  return order;
}

describe('a row that is read while a save waits', () => {
  test('keeps the members of an embedded record that another client has changed', async () => {
    const order = await saveBehind(({ address }) => (address.city = 'Oxford'), {
      address: { city: 'London', zip: 'OX1' },
    });
    expect(rows.get(1)?.address).toEqual({ city: 'Oxford', zip: 'OX1' });
    expect([order.address.zip, order.dirty]).toEqual(['OX1', false]);
  });

  test('keeps the lines that another client has added or changed', async () => {
    const order = await saveBehind(({ lines }) => ((lines[0] as Line).product = 'plums'), {
      lines: [{ ...pears, amount: 99 }, theirs],
    });
    expect(rows.get(1)?.lines).toEqual([{ id: 1, product: 'plums', amount: 99 }, theirs]);
    expect(order.lines).toHaveLength(2);
    expect(order.dirty).toBe(false);
  });

  test('keeps a line that was added, and gives each line its own row, when the server orders them otherwise', async () => {
    const order = await saveBehind(
      (saved) => (saved.lines = [...saved.lines, { product: 'plums', amount: 3 }] as never),
      { lines: [theirs, pears] },
    );
    expect(rows.get(1)?.lines).toEqual(expect.arrayContaining([theirs, pears, { product: 'plums', amount: 3 }]));
    expect(rows.get(1)?.lines).toHaveLength(3);
    expect(order.lines).toHaveLength(3);
    expect(order.dirty).toBe(false);
  });

  test('keeps as an edit what was typed after it', async () => {
    const order = await saveBehind(
      ({ address, lines }) => {
        address.city = 'Oxford';
        (lines[0] as Line).product = 'plums';
      },
      { address: { city: 'London', zip: 'OX1' }, lines: [{ ...pears, amount: 99 }, theirs] },
      ({ address, lines }) => {
        address.zip = 'typed';
        (lines[0] as Line).amount = 7;
      },
    );
    expect(rows.get(1)).toMatchObject({
      address: { city: 'Oxford', zip: 'OX1' },
      lines: [{ id: 1, product: 'plums', amount: 99 }, theirs],
    });
    expect([order.address.zip, order.lines[0]?.amount, order.dirty]).toEqual(['typed', 7, true]);
  });

  test('keeps the lines of another client in a sync() too', async () => {
    const orders = new Store({ model: Order });
    const [one, two] = await Promise.all([Order.load(1), Order.load(2)]);
    orders.add(two as Order, one as Order);
    (two as Order).title = 'two';
    ((one as Order).lines[0] as Line).product = 'plums';
    const held = server.hold();
    const syncing = orders.sync({ concurrency: 1 });
    const reply = accept(await held.request);
    colleagueSets(1, { lines: [pears, theirs] });
    await one?.load();
    held.answer(reply);
    await syncing;
    expect(rows.get(1)?.lines).toEqual([{ ...pears, product: 'plums' }, theirs]);
    expect(one?.dirty).toBe(false);
  });

  test('is under the values of a refused save that are sent again', async () => {
    const order = await Order.load(1);
    order.address.city = 'Oxford';
    (order.lines[0] as Line).product = 'plums';
    const held = server.hold();
    const refused = order.save();
    await held.request;
    const second = order.save();
    colleagueSets(1, { address: { city: 'London', zip: 'OX1' }, lines: [{ ...pears, amount: 99 }, theirs] });
    await order.load();
    held.answer({ status: 422, json: {} });
    await expect(refused).rejects.toThrow();
    await second;
    expect(rows.get(1)?.address).toEqual({ city: 'Oxford', zip: 'OX1' });
    expect(rows.get(1)?.lines).toEqual([{ ...pears, product: 'plums', amount: 99 }, theirs]);
    expect([order.address.zip, order.lines.length, order.dirty]).toEqual(['OX1', 2, false]);
  });

  test('keeps the members that were read before a whole row is written', async () => {
    class WholeOrder extends Order.with({ proxy: { writer: { writeAllFields: true } } }) {}
    server.reply(({ body }) => {
      rows.set(9, { ...body, id: 9, address: { ...body.address, zip: 'OX1' } });
      return { status: 201, json: { id: 9 } };
    });
    const order = new WholeOrder({ title: 'Plan', address: { city: 'London' } });
    await order.save();
    order.address.city = 'Oxford';
    await order.save();
    expect(rows.get(9)?.address).toEqual({ city: 'Oxford', zip: 'OX1' });
  });
});

describe('a row that is read while the save of a new line is in flight', () => {
  test('has the line once, and so has the save that waits', async () => {
    const order = await Order.load(1);
    order.lines = [...order.lines, { product: 'plums', amount: 3 }] as never;
    const withId = { id: 3, product: 'plums', amount: 3 };
    const held = server.hold();
    const first = order.save();
    await held.request;
    order.title = 'second';
    const second = order.save();
    colleagueSets(1, { lines: [pears, withId] });
    await order.load();
    expect(order.lines).toHaveLength(2);
    held.answer({ json: rows.get(1) });
    await Promise.all([first, second]);
    expect(rows.get(1)).toMatchObject({ title: 'second', lines: [pears, withId] });
    expect([order.lines.length, order.dirty]).toEqual([2, false]);
  });
});
