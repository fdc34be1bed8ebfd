import { childrenOf, receive, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, Remark, sentLines, server, Transfer } from './support.js';

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
    const line = first.first() as Line;
    line.orderId = 2;
    expect([ids(first), ids(second)]).toEqual([[], [21, 11]]);
    expect([first.getModifiedRecords(), second.getModifiedRecords()]).toEqual([[], [line]]);
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
    const line = lines.first() as Line;
    line.orderId = 2;
    expect([ids(lines), lines.getModifiedRecords()]).toEqual([[], [line]]);
    line.orderId = 1;
    expect([ids(lines), lines.getModifiedRecords()]).toEqual([[11], []]);
    line.orderId = 2;
    expect((await lines.sync()).failures).toEqual([]);
    expect(lines.getById(11)).toBeUndefined();
  });

  test('does not come back by a load while the edit is unsaved', async () => {
    server.always(() => ({ status: 200, json: [{ id: 11, sku: 'A' }] }));
    const lines = childrenOf(Order.fromRow(rows[0] as object), Line);
    const line = lines.first() as Line;
    line.orderId = 2;
    await lines.load();
    expect([ids(lines), lines.getModifiedRecords()]).toEqual([[], [line]]);
  });

  test('moves between new parents, and back to its own', () => {
    const orders = new Store({ model: Order });
    const [one, two] = orders.add({ name: 'one' }, { name: 'two' }) as [Order, Order];
    const [first, second] = [childrenOf(one, Line), childrenOf(two, Line)];
    const [line] = first.add({ sku: 'A' }) as [Line];
    line.orderId = two.id;
    expect([first.count, [...second]]).toEqual([0, [line]]);
    expect([first.getNewRecords(), second.getNewRecords()]).toEqual([[], [line]]);
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
    expect([[...first], [...second], first.getNewRecords()]).toEqual([[], [line], []]);
    second.remove(line);
    expect(session.getNewRecords()).toEqual([one, two]);
  });
});

describe('a child whose parents are in no store and no session', () => {
  const orderOf = (id: number) => Order.fromRow({ id });
  const remarksOf = (order: Order) => childrenOf(order, Remark);

  /** The remarks of order 7, of which there is one, and the remark. */
  function opened(): { first: Store<Remark>; remark: Remark } {
    server.always(accepting());
    const first = remarksOf(orderOf(7));
    first.setRecords([{ id: 1, orderId: 7, text: 'a' }]);
    return { first, remark: first.first() as Remark };
  }

  test('moves to the list of the other parent, and back when the edit is rejected', async () => {
    const { first, remark } = opened();
    const second = remarksOf(orderOf(8));
    second.setRecords([]);
    remark.orderId = 8;
    expect([[...first], [...second]]).toEqual([[], [remark]]);
    remark.reject();
    expect([[...first], [...second]]).toEqual([[remark], []]);
    remark.orderId = 8;
    expect((await second.sync()).failures).toEqual([]);
    expect([[...first], [...second], first.getModifiedRecords()]).toEqual([[], [remark], []]);
    expect(sentLines()).toEqual(['PATCH /remarks/1 {"orderId":8}']);
  });

  test('moves when the server has moved it', () => {
    const { first, remark } = opened();
    const second = remarksOf(orderOf(8));
    receive(first, [{ id: 1, orderId: 8, text: 'a' }]);
    expect([[...first], [...second]]).toEqual([[], [remark]]);
  });

  test('is written by each of its lists, once', async () => {
    const { first, remark } = opened();
    const second = remarksOf(orderOf(8));
    remark.orderId = 8;
    expect((await first.sync()).failures).toEqual([]);
    expect((await second.sync()).failures).toEqual([]);
    expect(sentLines()).toEqual(['PATCH /remarks/1 {"orderId":8}']);
    expect([first.getById(1), second.getById(1)]).toEqual([undefined, remark]);
  });

  test('is in the list of a new parent, and of each record that stands for the parent', () => {
    const { first, remark } = opened();
    const order = new Order();
    const [fresh, second, twin] = [remarksOf(order), remarksOf(orderOf(8)), remarksOf(orderOf(8))];
    remark.orderId = order.id;
    expect([[...first], [...fresh]]).toEqual([[], [remark]]);
    remark.orderId = 8;
    expect([[...fresh], [...second], [...twin]]).toEqual([[], [remark], [remark]]);
    remark.orderId = 7;
    expect([[...first], [...second], [...twin]]).toEqual([[remark], [], []]);
  });

  test('comes into no list of a session, and from none into a list outside of it', () => {
    const { first, remark } = opened();
    const session = new Session();
    const inSession = remarksOf(session.create(Order));
    const shared = new Store({ model: Order, session });
    const [eight] = shared.setRecords([{ id: 8 }]) as [Order];
    const second = remarksOf(eight);
    remark.orderId = 8;
    expect([second.count, first.getModifiedRecords()]).toEqual([0, [remark]]);
    const [mine] = inSession.add({ text: 'mine' }) as [Remark];
    mine.orderId = 7;
    expect([...first]).toEqual([]);
  });

  test('does not mix two references to one model', () => {
    const [seven, eight] = [orderOf(7), orderOf(8)];
    const from = childrenOf(seven, Transfer, { by: 'fromId' });
    const [fromEight, toEight] = [
      childrenOf(eight, Transfer, { by: 'fromId' }),
      childrenOf(eight, Transfer, { by: 'toId' }),
    ];
    from.setRecords([{ id: 1, fromId: 7, toId: 9 }]);
    const transfer = from.first() as Transfer;
    transfer.fromId = 8;
    expect([from.count, [...fromEight], toEight.count]).toEqual([0, [transfer], 0]);
  });
});
