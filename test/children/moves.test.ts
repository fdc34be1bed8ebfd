import { childrenOf, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, sentLines, server } from './support.js';

const rows = [
  { id: 1, lines: [{ id: 11, sku: 'A' }] },
  { id: 2, lines: [{ id: 21, sku: 'B' }] },
];
const ids = (lines: Store<Line>) => [...lines].map(({ id }) => id);

describe('a child that comes to refer to another parent', () => {
  test.each([
    ['in a session', () => new Session()],
    ['without a session', () => undefined],
  ])('moves to the store of that one %s', async (_, open) => {
    server.always(accepting());
    const session = open();
    const orders = new Store(session ? { model: Order, session } : { model: Order });
    orders.setRecords(rows);
    const [first, second] = [...orders].map((order) => childrenOf(order, Line)) as [Store<Line>, Store<Line>];
    const line = first.getAt(0) as Line;
    line.orderId = 2;
    expect([ids(first), ids(second)]).toEqual([[], [21, 11]]);
    expect([
      [...first.pending.created, ...first.pending.edited],
      [...second.pending.created, ...second.pending.edited],
    ]).toEqual([[], [line]]);
    line.reject();
    expect([ids(first), ids(second)]).toEqual([[11], [21]]);
    line.orderId = 2;
    expect((await second.sync()).failures).toEqual([]);
    expect([ids(first), ids(second)]).toEqual([[], [21, 11]]);
    expect(sentLines()).toEqual(['PATCH /orders/1/lines/11 {"orderId":2}']);
  });

  test('is still written by its store if nobody has asked for the other one', async () => {
    server.always(accepting());
    const lines = childrenOf(Order.fromRow(rows[0] as object), Line);
    const line = lines.getAt(0) as Line;
    line.orderId = 2;
    expect([ids(lines), [...lines.pending.created, ...lines.pending.edited]]).toEqual([[], [line]]);
    line.orderId = 1;
    expect([ids(lines), [...lines.pending.created, ...lines.pending.edited]]).toEqual([[11], []]);
    line.orderId = 2;
    expect((await lines.sync()).failures).toEqual([]);
    expect(lines.getById(11)).toBeUndefined();
  });

  test('does not come back by a load while the edit is unsaved', async () => {
    server.always(() => ({ status: 200, json: [{ id: 11, sku: 'A' }] }));
    const lines = childrenOf(Order.fromRow(rows[0] as object), Line);
    const line = lines.getAt(0) as Line;
    line.orderId = 2;
    await lines.load();
    expect([ids(lines), [...lines.pending.created, ...lines.pending.edited]]).toEqual([[], [line]]);
  });

  test('moves between new parents, and back to its own', () => {
    const orders = new Store({ model: Order });
    const [one, two] = orders.add({ name: 'one' }, { name: 'two' }) as [Order, Order];
    const [first, second] = [childrenOf(one, Line), childrenOf(two, Line)];
    const [line] = first.add({ sku: 'A' }) as [Line];
    line.orderId = two.id;
    expect([first.count, [...second]]).toEqual([0, [line]]);
    expect([first.pending.created, second.pending.created]).toEqual([[], [line]]);
    first.add(line);
    expect([[...first], second.count]).toEqual([[line], 0]);
  });

  test('is dropped with its removal, also if that store was made later', () => {
    const session = new Session();
    const [one, two] = [session.create(Order), session.create(Order)];
    const first = childrenOf(one, Line);
    const [line] = first.add({ sku: 'A' }) as [Line];
    line.orderId = two.id;
    const second = childrenOf(two, Line);
    expect([[...first], [...second], first.pending.created]).toEqual([[], [line], []]);
    second.remove(line);
    expect(session.pending.created).toEqual([one, two]);
  });
});
