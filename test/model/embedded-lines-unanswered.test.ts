import { type ConflictError, conflicts, embed, etags, Model, plain, safeWrites } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Line extends Model.define({ fields: { id: 'int', product: 'string', amount: 'int' } }) {}
class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', title: 'string', lines: embed([Line]), address: embed(Address) },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

describe('an embedded list', () => {
  /** An order with an added line, whose save got no response; the server has stored it. */
  async function unanswered() {
    const order = Order.fromRow({ id: 7, lines: [{ id: 1, product: 'pears', amount: 1 }] });
    order.lines = [...order.lines, { product: 'apples', amount: 2 }] as never;
    server.reply({ drop: true });
    await expect(order.save()).rejects.toThrow();
    const stored = [
      { id: 1, product: 'pears', amount: 1 },
      { id: 2, product: 'apples', amount: 2 },
    ];
    server.reply({ json: { id: 7, lines: stored } }, ({ body }) => ({ json: { id: 7, ...body } }));
    return { order, stored };
  }

  test('has a line once that was added, saved without a response and then read', async () => {
    const { order, stored } = await unanswered();
    await order.load();
    expect(order.lines.map(({ product }) => product)).toEqual(['pears', 'apples']);
    expect(order.dirty).toBe(false);
    (order.lines[1] as Line).amount = 3;
    await order.save();
    expect(server.last.body.lines).toEqual([stored[0], { ...stored[1], amount: 3 }]);
  });

  test('has a line of somebody else once, which a read shows while an added line is being saved', async () => {
    const stored = [9, 1, 2].map((id) => ({ id, product: `product ${id}`, amount: 1 }));
    const order = Order.fromRow({ id: 7, lines: [stored[1] as object] });
    order.lines = [...order.lines, { product: 'product 2', amount: 1 }] as never;
    const write = server.hold();
    const saving = order.save();
    await write.request;
    server.reply({ json: { id: 7, lines: stored } });
    await order.load();
    write.answer({ json: { id: 7, lines: stored } });
    await saving;
    expect([order.lines.map(({ id }) => id), order.dirty]).toEqual([[9, 1, 2], false]);
  });

  test('has a line once that was saved without a response, and keeps what was typed in it since', async () => {
    const { order, stored } = await unanswered();
    const [, apples] = order.lines as readonly Line[];
    (apples as Line).amount = 9;
    await order.load();
    expect([order.lines.length, order.lines[1] === apples, apples?.id]).toEqual([2, true, 2]);
    expect([order.dirty, apples?.$.modified]).toEqual([true, { amount: 9 }]);
    await order.save();
    expect(server.last.body.lines).toEqual([stored[0], { ...stored[1], amount: 9 }]);
  });

  test('has a line once that a repeated save was refused for, after keepMine()', async () => {
    class Safe extends Order.with({
      proxy: { use: [safeWrites({ retry: { limit: 1, backoff: { base: 1 } } })] },
    }) {}
    const order = Safe.fromRow({ id: 7, lines: [] });
    const tagged = (json: object, version: number) => ({ json, headers: { ETag: `"${version}"` } });
    const stored = { id: 7, title: 'theirs', lines: [{ id: 1, product: 'pears', amount: 1 }] };
    server.reply(tagged({ id: 7, title: 'old', lines: [] }, 1));
    await order.load();
    order.set({ title: 'mine', lines: [{ product: 'pears', amount: 1 }] as never });
    // The first attempt is stored, and somebody else changes the title before the second one.
    server.reply({ drop: true }, { status: 412, json: {} }, tagged(stored, 3));
    const error = (await order.save().catch((reason: unknown) => reason)) as ConflictError;
    expect(error.code).toBe('conflict');
    server.reply(tagged(stored, 3), ({ body }) => tagged({ ...stored, ...body }, 4));
    await error.keepMine();
    expect(server.last.body).toEqual({ title: 'mine' });
    expect([order.lines.map(({ id, product }) => [id, product]), order.dirty]).toEqual([[[1, 'pears']], false]);
  });

  test('does not show a line again that was saved without a response, and removed since', async () => {
    const { order, stored } = await unanswered();
    order.lines = order.lines.slice(0, 1) as never;
    await order.load();
    expect([order.lines.map(({ product }) => product), order.dirty]).toEqual([['pears'], true]);
    await order.save();
    expect(server.last.body.lines).toEqual([stored[0]]);
  });

  test('does not show a line again that was removed and is being saved, when an older read is answered', async () => {
    const stored = ['pears', 'apples'].map((product, at) => ({ id: at + 1, product, amount: 1 }));
    const order = Order.fromRow({ id: 7, lines: stored });
    const read = server.hold();
    const loading = order.load();
    await read.request;
    order.lines = order.lines.slice(0, 1) as never;
    const write = server.hold();
    const saving = order.save();
    await write.request;
    read.answer({ json: { id: 7, lines: stored } });
    await loading;
    expect(order.lines.map(({ product }) => product)).toEqual(['pears']);
    write.answer({ json: { id: 7, lines: stored.slice(0, 1) } });
    await saving;
    expect([order.lines.map(({ product }) => product), order.dirty]).toEqual([['pears'], false]);
  });

  test('keeps the order in which it is being saved, when a read shows another one', async () => {
    const stored = ['pears', 'apples'].map((product, at) => ({ id: at + 1, product, amount: 1 }));
    const order = Order.fromRow({ id: 7, lines: stored });
    order.lines = [{ product: 'figs', amount: 1 }, ...order.lines] as never;
    const read = server.hold();
    const loading = order.load();
    await read.request;
    const write = server.hold();
    const saving = order.save();
    await write.request;
    read.answer({ json: { id: 7, lines: stored.toReversed() } });
    await loading;
    write.answer({ json: { id: 7, lines: [{ id: 3, product: 'figs', amount: 1 }, ...stored] } });
    await saving;
    expect([order.lines.map(({ product }) => product), order.dirty]).toEqual([['figs', 'pears', 'apples'], false]);
  });

  test('shows a line of a save without a response that the server has stored, after reject()', async () => {
    const { order } = await unanswered();
    order.reject();
    (order.lines[0] as Line).amount = 5;
    await order.load();
    expect(order.lines.map(({ product, amount }) => [product, amount])).toEqual([
      ['pears', 5],
      ['apples', 2],
    ]);
  });

  test('has a line once that the server has stored by a save without a response, and again by the next save', async () => {
    const stored = ['pears', 'apples'].map((product, at) => ({ id: at + 1, product, amount: 1 }));
    const order = Order.fromRow({ id: 7, lines: stored.slice(0, 1) });
    order.lines = [...order.lines, { product: 'apples', amount: 1 }] as never;
    server.reply({ drop: true });
    await expect(order.save()).rejects.toThrow();
    const read = server.hold();
    const loading = order.load();
    await read.request;
    const write = server.hold();
    const saving = order.save();
    await write.request;
    const waiting = order.save();
    read.answer({ json: { id: 7, lines: stored } });
    await loading;
    const storedAgain = [stored[0], { ...stored[1], id: 3 }];
    server.reply(({ body }) => ({ json: { id: 7, ...body } }));
    write.answer({ json: { id: 7, lines: storedAgain } });
    await Promise.all([saving, waiting]);
    expect(order.lines.map(({ id, product }) => [id, product])).toEqual([
      [1, 'pears'],
      [3, 'apples'],
    ]);
    expect([order.dirty, server.last.body.lines]).toEqual([false, [stored[0], { product: 'apples', amount: 1 }]]);
  });

  test('has a line once that a save in flight has added, if a later save of it waits while a read shows it', async () => {
    const stored = ['pears', 'apples'].map((product, at) => ({ id: at + 1, product, amount: 1 }));
    const order = Order.fromRow({ id: 7, lines: stored.slice(0, 1) });
    order.lines = [...order.lines, { product: 'apples', amount: 1 }] as never;
    const write = server.hold();
    const saving = order.save();
    await write.request;
    (order.lines[1] as Line).amount = 50;
    const waiting = order.save();
    server.reply({ json: { id: 7, lines: stored } }, ({ body }) => ({ json: { id: 7, ...body } }));
    await order.load();
    write.answer({ json: { id: 7, lines: stored } });
    await Promise.all([saving, waiting]);
    expect(server.last.body.lines).toEqual([stored[0], { ...stored[1], amount: 50 }]);
    expect([order.lines.length, order.dirty]).toEqual([2, false]);
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

describe('keepMine()', () => {
  class Tagged extends Order.with({ proxy: { use: [etags(), conflicts()] } }) {}
  const row = {
    id: 7,
    title: 'a',
    lines: [
      { id: 1, product: 'pears', amount: 1 },
      { id: 2, product: 'apples', amount: 2 },
      { id: 3, product: 'plums', amount: 3 },
    ],
  };

  /** An order that is edited, and the conflict of its save: another user has changed the lines. */
  async function conflicting(edit: (order: Order) => void, theirs: object) {
    server.reply({ json: row, headers: { ETag: '"1"' } });
    const order = await Tagged.load(7);
    edit(order);
    server.reply({ status: 412 }, { json: theirs, headers: { ETag: '"2"' } }, ({ body }) => ({
      json: { ...theirs, ...body },
      headers: { ETag: '"3"' },
    }));
    const conflict = (await order.save().catch((error: unknown) => error)) as ConflictError;
    return { order, conflict };
  }

  test('sends the saved edits of lines over those of the server, and nothing that was typed since', async () => {
    const theirs = {
      ...row,
      lines: [{ id: 1, product: 'pears', amount: 50 }, row.lines[1], { id: 4, product: 'figs', amount: 4 }],
    };
    const { order, conflict } = await conflicting((each) => {
      (each.lines[0] as Line).product = 'my pears';
      each.lines = [...each.lines.filter(({ id }) => id !== 2), { product: 'mine', amount: 5 }] as never;
    }, theirs);
    (order.lines[0] as Line).product = 'half a nam';
    order.lines = [...order.lines, { product: 'typed', amount: 6 }] as never;
    await conflict.keepMine();
    expect(server.last.body).toEqual({
      lines: [
        { id: 1, product: 'my pears', amount: 50 },
        { product: 'mine', amount: 5 },
        { id: 4, product: 'figs', amount: 4 },
      ],
    });
    expect(order.lines.map(({ product }) => product).sort()).toEqual(['figs', 'half a nam', 'mine', 'typed']);
    expect([order.dirty, order.lines[0]?.$.modified]).toEqual([true, { product: 'half a nam' }]);
  });

  test('has a line once that an earlier save without a response has stored with other values', async () => {
    server.reply({ json: row, headers: { ETag: '"1"' } });
    const order = await Tagged.load(7);
    order.lines = [...order.lines, { product: 'mine', amount: 5 }] as never;
    server.reply({ drop: true });
    await expect(order.save()).rejects.toThrow();
    (order.lines[3] as Line).amount = 6;
    const theirs = { ...row, lines: [...row.lines, { id: 4, product: 'mine', amount: 5 }] };
    server.reply({ status: 412 }, { json: theirs, headers: { ETag: '"2"' } }, ({ body }) => ({
      json: { ...theirs, ...body },
      headers: { ETag: '"3"' },
    }));
    const conflict = (await order.save().catch((error: unknown) => error)) as ConflictError;
    await conflict.keepMine();
    expect(server.last.body.lines).toEqual([...row.lines, { id: 4, product: 'mine', amount: 6 }]);
    expect([order.lines.length, order.dirty]).toEqual([4, false]);
  });

  test('sends a saved value that was set back since; the value that is shown stays an edit', async () => {
    const { order, conflict } = await conflicting((each) => (each.title = 'mine'), row);
    order.title = 'a';
    await conflict.keepMine();
    expect(server.last.body).toEqual({ title: 'mine' });
    expect([order.title, order.$.modified]).toEqual(['a', { title: 'a' }]);
  });

  test('sends no value that reject() has taken back', async () => {
    const { order, conflict } = await conflicting((each) => (each.title = 'mine'), row);
    order.title = 'typed';
    order.reject();
    await conflict.keepMine();
    expect(server.lines).toEqual(['GET /orders/7', 'PATCH /orders/7', 'GET /orders/7']);
    expect([order.title, order.dirty]).toEqual(['a', false]);
  });
});
