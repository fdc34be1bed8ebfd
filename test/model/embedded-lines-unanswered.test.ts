import { type ConflictError, conflicts, etags, Model, plain } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Line extends Model.define({ fields: { id: 'int', product: 'string', amount: 'int' } }) {}
class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', lines: [Line], address: Address },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

describe('an embedded list', () => {
  test('has a line once that was added, saved without an answer and then read', async () => {
    const order = Order.fromRow({ id: 7, lines: [{ id: 1, product: 'pears', amount: 1 }] });
    order.lines = [...order.lines, { product: 'apples', amount: 2 }] as never;
    server.reply({ drop: true });
    await expect(order.save()).rejects.toThrow();
    const stored = [
      { id: 1, product: 'pears', amount: 1 },
      { id: 2, product: 'apples', amount: 2 },
    ];
    server.reply({ json: { id: 7, lines: stored } }, ({ body }) => ({ json: { id: 7, ...body } }));
    await order.load();
    expect(order.lines.map(({ product }) => product)).toEqual(['pears', 'apples']);
    expect(order.dirty).toBe(false);
    (order.lines[1] as Line).amount = 3;
    await order.save();
    expect(server.last.body.lines).toEqual([stored[0], { ...stored[1], amount: 3 }]);
  });

  test('sends a line with its id that was edited and saved while the create was in flight', async () => {
    const order = new Order({
      lines: [
        { product: 'pears', amount: 1 },
        { product: 'apples', amount: 1 },
      ] as never,
    });
    const held = server.hold();
    const creating = order.save();
    await held.request;
    (order.lines[0] as Line).amount = 50;
    const updating = order.save();
    server.reply(({ body }) => ({ json: { id: 7, ...body } }));
    held.answer({
      status: 201,
      json: {
        id: 7,
        lines: [
          { id: 1, product: 'pears', amount: 1 },
          { id: 2, product: 'apples', amount: 1 },
        ],
      },
    });
    await Promise.all([creating, updating]);
    expect(server.last.body.lines).toEqual([
      { id: 1, product: 'pears', amount: 50 },
      { id: 2, product: 'apples', amount: 1 },
    ]);
    expect(order.dirty).toBe(false);
  });
});

test('keepMine() does not send what is typed inside an embedded record after the save', async () => {
  class Tagged extends Order.with({ proxy: { use: [etags(), conflicts()] } }) {}
  const row = { id: 7, title: 'a', address: { city: 'London', zip: 'N1' } };
  server.reply({ json: row, headers: { ETag: '"1"' } });
  const order = await Tagged.load(7);
  order.address.city = 'Oxford';
  server.reply({ status: 412 }, { json: { ...row, title: 'theirs' }, headers: { ETag: '"2"' } }, ({ body }) => ({
    json: { ...row, title: 'theirs', ...body },
  }));
  const conflict = (await order.save().catch((error: unknown) => error)) as ConflictError;
  order.address.zip = 'half a zi';
  await conflict.keepMine();
  expect(server.last.body).toEqual({ address: { city: 'Oxford', zip: 'N1' } });
  expect([order.dirty, order.address.$.modified]).toEqual([true, { zip: 'half a zi' }]);
});
