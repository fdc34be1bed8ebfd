import { embed, Model, plain } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Note extends Model.define({ fields: { text: 'string' } }) {}
class Line extends Model.define({ fields: { id: 'int', product: 'string', amount: 'int', note: embed(Note) } }) {}
class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', address: embed(Address), lines: embed([Line]) },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

const pears = { id: 1, product: 'pears', amount: 1, note: { text: 'ripe' } };
let row: { lines: { id?: number }[] };

function accept({ body }: Received): Reply {
  row = { ...row, ...body };
  row.lines = row.lines.map((line, at) => ({ ...line, id: line.id ?? 10 + at }));
  return { json: row };
}

beforeEach(() => {
  row = { id: 7, title: 'Plan', address: { city: 'London', zip: 'N1' }, lines: [pears] } as never;
  server.always(accept);
});

/** Saves edits of an order, and calls `during` while the save is in flight. */
async function whileSaving(edit: (order: Order) => void, during: (order: Order) => unknown): Promise<Order> {
  const order = Order.fromRow(structuredClone(row));
  edit(order);
  const held = server.hold();
  const saving = order.save();
  const reply = accept(await held.request);
  const other = during(order);
  held.answer(reply);
  await Promise.all([saving, other]);
  expect(server.requests).toHaveLength(1);
  return order;
}

const line = ({ lines }: Order) => lines[0] as Line;

describe('reject() during a save', () => {
  test('takes back what was typed into a line, and keeps what is being saved', async () => {
    const order = await whileSaving(
      (saved) => (line(saved).product = 'plums'),
      (saved) => {
        const edited = line(saved);
        edited.product = 'typed';
        edited.amount = 5;
        saved.reject();
        expect([line(saved), edited.product, edited.amount]).toEqual([edited, 'plums', 1]);
      },
    );
    expect([line(order).product, line(order).amount, order.dirty]).toEqual(['plums', 1, false]);
    expect(row.lines).toEqual([{ ...pears, product: 'plums' }]);
  });

  test('takes back what a save that waits has of a line', async () => {
    const order = await whileSaving(
      (saved) => (line(saved).product = 'plums'),
      (saved) => {
        line(saved).product = 'second';
        const second = saved.save();
        saved.reject();
        return second;
      },
    );
    expect([line(order).product, order.dirty]).toEqual(['plums', false]);
  });

  test('takes back lines that were added, removed or typed into since', async () => {
    const order = await whileSaving(
      (saved) => (saved.lines = [...saved.lines, { product: 'plums', amount: 2 }] as never),
      (saved) => {
        line(saved).product = 'typed';
        (saved.lines[1] as Line).amount = 9;
        saved.lines = [saved.lines[1], { product: 'apples', amount: 3 }] as never;
        saved.reject();
        expect(saved.lines.map(({ product }) => product)).toEqual(['pears', 'plums']);
      },
    );
    expect(order.lines.map(({ product, amount }) => [product, amount])).toEqual([
      ['pears', 1],
      ['plums', 2],
    ]);
    expect(order.lines.map(({ id }) => id)).toEqual([1, 11]);
    expect(order.dirty).toBe(false);
  });

  test('takes back what was typed into a record inside a line', async () => {
    const order = await whileSaving(
      (saved) => (line(saved).note.text = 'soft'),
      (saved) => {
        line(saved).note.text = 'typed';
        saved.reject();
        expect(line(saved).note.text).toBe('soft');
      },
    );
    expect([line(order).note.text, order.dirty]).toEqual(['soft', false]);
  });

  test('leaves what is being saved as edits, if the save fails', async () => {
    const order = Order.fromRow(structuredClone(row) as never);
    line(order).product = 'plums';
    order.address.city = 'Oxford';
    const held = server.hold();
    const saving = order.save().catch(() => undefined);
    await held.request;
    line(order).product = 'typed';
    order.address.zip = 'typed';
    order.reject();
    held.answer({ status: 422, json: {} });
    await saving;
    expect(order.dirty).toBe(true);
    expect([line(order).product, order.address.city, order.address.zip]).toEqual(['plums', 'Oxford', 'N1']);
    order.reject();
    expect([line(order).product, order.address.city, order.dirty]).toEqual(['pears', 'London', false]);
  });
});

test('a list that reject() has taken back to a save that waited tells its record about later edits of its lines', async () => {
  const order = Order.fromRow(structuredClone(row) as never);
  order.title = 'Trip';
  const first = server.hold();
  const saving = order.save();
  const firstReply = accept(await first.request);
  order.lines = [...order.lines, { product: 'figs', amount: 2 }] as never;
  const second = server.hold();
  const waiting = order.save();
  first.answer(firstReply);
  const secondReply = accept(await second.request);
  order.lines = [...order.lines, { product: 'typed', amount: 3 }] as never;
  order.reject();
  second.answer(secondReply);
  await Promise.all([saving, waiting]);
  expect([order.lines.map(({ product }) => product), order.dirty]).toEqual([['pears', 'figs'], false]);
  const events: unknown[] = [];
  order.on('set', ({ modified }) => events.push(Object.keys(modified)));
  (order.lines[1] as Line).amount = 50;
  expect([order.dirty, events]).toEqual([true, [['lines']]]);
  order.reject();
  expect([order.dirty, order.lines[1]?.amount]).toEqual([false, 2]);
});
