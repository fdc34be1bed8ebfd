import { AddressError, childrenOf, DefinitionError, Model, Session, StateError, Store, sync } from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, Remark, sentLines, server, Transfer } from './support.js';

const order7 = () => Order.fromRow({ id: 7, name: 'seven' });

describe('the store of the children of a record', () => {
  test('is an ordinary store, made once for each parent', () => {
    const order = order7();
    const lines = childrenOf(order, Line);
    expect(lines).toBeInstanceOf(Store);
    expect(childrenOf(order, Line)).toBe(lines);
    expect(childrenOf(order, Remark)).not.toBe(lines);
    expect(childrenOf(order7(), Line)).not.toBe(lines);
  });

  test('is made anew after it was disposed of', async () => {
    server.always(() => ({ status: 200, json: [{ id: 1, sku: 'A' }] }));
    const order = order7();
    childrenOf(order, Line).dispose();
    const lines = childrenOf(order, Line);
    await lines.load();
    lines.getAt(0)!.sku = 'B';
    expect([childrenOf(order, Line) === lines, lines.count, order.$.children.dirty]).toEqual([true, 1, true]);
    const [moved] = [...lines];
    moved!.orderId = 8;
    moved!.orderId = 7;
    expect(lines.count).toBe(1);
  });

  test('loads by the address, and fills in the reference that rows lack', async () => {
    server.always(() => ({ status: 200, json: [{ id: 1, sku: 'A' }] }));
    const lines = childrenOf(order7(), Line);
    await lines.load();
    const [line] = lines;
    expect([line?.orderId, line?.dirty]).toEqual([7, false]);
    line!.sku = 'B';
    await line?.save();
    expect(sentLines()).toEqual(['GET /orders/7/lines', 'PATCH /orders/7/lines/1 {"sku":"B"}']);
  });

  test('loads by a filter where the address does not name the parent', async () => {
    server.always(() => ({ status: 200, json: [{ id: 1, orderId: 7 }] }));
    const remarks = childrenOf(order7(), Remark);
    await remarks.load();
    await remarks.load({ params: { deep: 1 } });
    expect(sentLines()).toEqual(['GET /remarks?orderId=7', 'GET /remarks?deep=1&orderId=7']);
    expect(remarks.holdsAll).toBe(true);
  });

  test('keeps its filters when the application filters', async () => {
    server.always(() => ({ status: 200, json: [] }));
    const remarks = childrenOf(order7(), Remark);
    remarks.setPageSize(10);
    remarks.setRemote({ remoteFilter: true });
    remarks.filter([{ property: 'text', value: 'x' }]);
    await remarks.load();
    remarks.filter([]);
    await remarks.load();
    expect(sentLines().map((each) => decodeURIComponent(each))).toEqual([
      expect.stringMatching(/text=x.*orderId=7/),
      expect.stringMatching(/\?.*orderId=7/),
    ]);
  });

  test('does not show rows of other parents, which a server sends that ignores the filter', async () => {
    server.always(() => ({
      status: 200,
      json: [
        { id: 1, orderId: 7 },
        { id: 2, orderId: 8 },
      ],
    }));
    const remarks = childrenOf(order7(), Remark);
    await remarks.load();
    expect([...remarks].map(({ id }) => id)).toEqual([1]);
  });

  test('gives added records the id of the parent', async () => {
    server.always(accepting());
    const lines = childrenOf(order7(), Line);
    const given = new Line({ sku: 'B' });
    lines.add({ sku: 'A' }, given, { sku: 'C', orderId: 9 });
    expect([...lines].map(({ orderId }) => orderId)).toEqual([7, 7, 7]);
    expect((await lines.sync()).failures).toEqual([]);
    expect(sentLines()[0]).toBe('POST /orders/7/lines {"sku":"A","orderId":7}');
  });

  test('erases removed records', async () => {
    server.always(accepting());
    const lines = childrenOf(Order.fromRow({ id: 7, lines: [{ id: 1, sku: 'A' }] }), Line);
    lines.remove(lines.getAt(0) as Line);
    expect(lines.count).toBe(0);
    await lines.sync();
    expect(sentLines()).toEqual(['DELETE /orders/7/lines/1']);
  });

  test('reads the rows that the row of the parent holds, without a request', () => {
    const lines = childrenOf(
      Order.fromRow({
        id: 7,
        lines: [
          { id: 1, sku: 'A' },
          { id: 2, sku: 'B' },
        ],
      }),
      Line,
    );
    expect([...lines].map(({ id, orderId, sku }) => [id, orderId, sku])).toEqual([
      [1, 7, 'A'],
      [2, 7, 'B'],
    ]);
    expect([lines.status.get().loaded, lines.holdsAll, server.requests.length]).toEqual([true, true, 0]);
  });

  test.each([
    ['a row that is no object', [1], 'foreign-row'],
    ['rows that are no list', { id: 1 }, 'children-nested'],
  ])('refuses %s in the row of the parent', (_, lines, reason) => {
    const order = Order.fromRow({ id: 7, lines });
    expect(() => childrenOf(order, Line)).toThrow(expect.objectContaining({ constructor: StateError, reason }));
  });

  test('of a new parent is complete, and asks nothing until the parent was created', async () => {
    server.always(accepting());
    const order = new Order({ name: 'new' });
    const lines = childrenOf(order, Line);
    expect([lines.status.get().loaded, lines.holdsAll]).toEqual([true, true]);
    const [line] = lines.add({ sku: 'A' });
    expect(await lines.load()).toEqual([line]);
    expect([...lines]).toEqual([line]);
    expect(server.requests.length).toBe(0);

    const orders = new Store({ model: Order });
    orders.add(order);
    expect((await sync([orders, lines])).failures).toEqual([]);
    expect([...lines]).toEqual([line]);
    expect(line?.orderId).toBe(order.id);
    server.always(() => ({ status: 200, json: [] }));
    await lines.load();
    expect(sentLines()).toEqual([
      'POST /orders {"name":"new"}',
      'POST /orders/101/lines {"sku":"A","orderId":101}',
      'GET /orders/101/lines',
    ]);
  });

  test('of a new parent sends its children after a save of the parent alone', async () => {
    server.always(accepting());
    const order = new Order({ name: 'new' });
    const lines = childrenOf(order, Line);
    const [line] = lines.add({ sku: 'A' });
    expect((await lines.sync()).failures[0]?.error).toBeInstanceOf(AddressError);
    await order.save();
    expect([...lines]).toEqual([line]);
    expect((await lines.sync()).failures).toEqual([]);
    expect([line?.orderId, [...lines]]).toEqual([101, [line]]);
  });

  test('shares the records of the session of its parent', async () => {
    server.always(() => ({ status: 200, json: [{ id: 1, sku: 'A' }] }));
    const session = new Session();
    const [order] = session.add(order7());
    const lines = childrenOf(order as Order, Line);
    await lines.load();
    expect(session.getById(Line, 1)).toBe(lines.getAt(0));
    lines.add({ sku: 'B' });
    expect(session.pending.created.length).toBe(1);
  });
});

describe('a declaration that names no parent, or several', () => {
  class Plain extends Model.define({ name: 'plain', fields: { id: 'int' } }) {}
  class Wrong extends Model.define({ name: 'wrong', fields: { id: 'int' } }) {
    static override references() {
      return { orderId: Order };
    }
  }

  test.each([
    ['no reference leads to it', 'children-none', () => childrenOf(order7(), Order)],
    ['several references lead to it', 'children-several', () => childrenOf(order7(), Transfer)],
    [
      'the reference leads elsewhere',
      'children-by',
      () => childrenOf(new Plain() as never, Line, { by: 'orderId' as never }),
    ],
    ['no reference has the name', 'reference-unknown', () => childrenOf(order7(), Line, { by: 'sku' } as never)],
    ['the reference is no field', 'reference-field', () => childrenOf(order7(), Wrong)],
  ])('is refused when %s', (_, reason, call) => {
    expect(call).toThrow(expect.objectContaining({ constructor: DefinitionError, reason }));
  });

  test('is refused for what is no record, and for an erased parent', async () => {
    expect(() => childrenOf({} as never, Line)).toThrow(expect.objectContaining({ reason: 'children-parent' }));
    const order = new Order();
    await order.erase();
    expect(() => childrenOf(order, Line)).toThrow(expect.objectContaining({ code: 'erased' }));
  });

  test('is answered by the option `by`', () => {
    const order = order7();
    const from = childrenOf(order, Transfer, { by: 'fromId' });
    const to = childrenOf(order, Transfer, { by: 'toId' });
    expect([from.add({})[0]?.fromId, to.add({})[0]?.toId, from === to]).toEqual([7, 7, false]);
  });

  test('finds the reference to a base class of the parent', () => {
    class BigOrder extends Order.define({ name: 'bigOrder', fields: { size: 'int' } }) {}
    expect(childrenOf(BigOrder.fromRow({ id: 5 }), Line).add({})[0]?.orderId).toBe(5);
  });
});

test('a save with children writes a record alone whose children nobody has asked for, if it has edits', async () => {
  server.always(accepting());
  const order = order7();
  await order.save({ children: true });
  expect(sentLines()).toEqual([]);
  order.name = 'Edited';
  await order.save({ children: true });
  expect(sentLines()).toEqual(['PATCH /orders/7 {"name":"Edited"}']);
});
