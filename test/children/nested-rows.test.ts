import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { childrenOf, idempotency, Model, plain, reference, Session, Store, saveGraph } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';
import { tick } from '../store/support.js';
import { Line, Order, Remark, sentLines, server } from './support.js';

const skus = (lines: Iterable<Line>) => [...lines].map(({ sku }) => sku);
const ROW = {
  id: 7,
  name: 'seven',
  lines: [
    { id: 1, sku: 'A' },
    { id: 2, sku: 'B' },
    { id: 3, sku: 'C' },
  ],
};

describe.each([
  ['in a session', true],
  ['outside of a session', false],
])('the rows nested in a parent %s', (_, isShared) => {
  function open() {
    const order = Order.fromRow(ROW);
    if (isShared) new Session().add(order);
    return { order, lines: childrenOf(order, Line) };
  }

  test('refresh the children when the parent is read again, under what is not saved', async () => {
    const { order, lines } = open();
    const [first, second, third] = lines.getRange() as [Line, Line, Line];
    first.sku = 'mine';
    lines.remove(second);
    lines.add({ sku: 'new' });
    server.reply({
      json: {
        ...ROW,
        lines: [
          { id: 1, sku: 'A2' },
          { id: 2, sku: 'B2' },
          { id: 3, sku: 'C2' },
          { id: 4, sku: 'D2' },
        ],
      },
    });
    await order.load();
    expect(skus(lines).sort()).toEqual(['C2', 'D2', 'mine', 'new']);
    expect([lines.getById(1), lines.getById(3)]).toEqual([first, third]);
    expect([first.$.previousValues, lines.pending.removed]).toEqual([{ sku: 'A2' }, [second]]);
    first.reject();
    expect(first.sku).toBe('A2');

    server.reply({ json: { ...ROW, lines: [{ id: 3, sku: 'C3' }] } });
    await order.load();
    expect(skus(lines).sort()).toEqual(['C3', 'new']);
  });

  test('are not taken again from a response without rows', async () => {
    const { order, lines } = open();
    const line = lines.getAt(0) as Line;
    line.sku = 'saved';
    server.reply({ json: { id: 1, orderId: 7, sku: 'saved' } }, { status: 204 });
    await line.save();
    order.name = 'named';
    await order.save();
    expect(skus(lines)).toEqual(['saved', 'B', 'C']);
  });

  test('do not undo what was saved or erased while the parent was read', async () => {
    const { order, lines } = open();
    const [first, second] = lines.getRange() as [Line, Line];
    const held = server.hold();
    const loading = order.load();
    await held.request;
    first.sku = 'saved';
    server.reply({ json: { id: 1, orderId: 7, sku: 'saved' } }, { status: 204 });
    await first.save();
    await second.erase();
    held.answer({
      json: {
        ...ROW,
        name: 'read',
        lines: [
          { id: 1, sku: 'A' },
          { id: 2, sku: 'B' },
          { id: 3, sku: 'C2' },
        ],
      },
    });
    await loading;
    expect([order.name, skus(lines)]).toEqual(['read', ['saved', 'C2']]);
  });

  test('stay in the body of the parent as they were received', async () => {
    const { order, lines } = open();
    expect(lines.getAt(0)?.orderId).toBe(7);
    server.reply({ status: 204 });
    order.name = 'named';
    await order.save({ headers: {} });
    const text = server.requests.at(-1)?.text ?? '';
    expect(text).not.toContain('orderId');
  });
});

describe('children', () => {
  test('of an unsaved parent in another session are not sent', async () => {
    const [there, here] = [new Session(), new Session()];
    const order = there.create(Order, { name: 'new' });
    const orderId = order.getId() as number;
    const [line, remark] = [here.create(Line, { orderId, sku: 'A' }), here.create(Remark, { orderId, text: 'late' })];
    const { failures } = await here.sync();
    // The address of a line names its order, and that of a remark does not.
    expect(failures.map(({ record, error }) => [record, error.code])).toEqual([
      [line, 'address'],
      [remark, 'dependency'],
    ]);
    expect(server.requests).toHaveLength(0);
  });

  test('whose create is in flight when their parent is erased are erased first, with `erase`', async () => {
    class Part extends Line {
      static override references(): { orderId: { model: typeof Order; nested: string; onErase: 'erase' } } {
        return { orderId: { model: Order, nested: 'lines', onErase: 'erase' } };
      }
    }
    const order = Order.fromRow({ id: 7 });
    const parts = childrenOf(order, Part);
    const [part] = parts.add({ sku: 'A' }) as [Part];
    const held = server.hold();
    const syncing = parts.sync();
    await held.request;
    server.always(({ method }) => (method === 'DELETE' ? { status: 204 } : { status: 500 }));
    const erasing = order.erase();
    held.answer({ status: 201, json: { id: 1, orderId: 7, sku: 'A' } });
    await Promise.all([syncing, erasing]);
    expect(sentLines().slice(1)).toEqual(['DELETE /orders/7/lines/1', 'DELETE /orders/7']);
    expect([part.erased, order.erased, parts.count]).toEqual([true, true, 0]);
  });

  test('are saved with their parent by an outbox, also after it was offline', async () => {
    const box = await openOutbox({ scope: 'me', storage: memoryStorage() });
    const shop = restServer({ collections: { '/carts': [], '/items': [] } });
    let isOffline = true;
    const proxy = {
      ...{ type: 'rest' as const, dialect: plain(), baseUrl: shop.baseUrl, use: [box, idempotency()] },
      fetch: ((input, init) =>
        isOffline ? Promise.reject(new TypeError('offline')) : shop.fetch(input as never, init)) as typeof fetch,
    };
    class Cart extends Model.define({
      name: 'cart',
      fields: { id: 'int', name: 'string' },
      proxy: { ...proxy, url: '/carts' },
    }) {}
    class Item extends Model.define({
      name: 'item',
      fields: { id: 'int', cartId: reference('int'), sku: 'string' },
      proxy: { ...proxy, url: '/items' },
    }) {
      static override references(): { cartId: typeof Cart } {
        return { cartId: Cart };
      }
    }
    const session = new Session();
    const cart = session.create(Cart, { name: 'new' });
    childrenOf(cart, Item).add({ sku: 'A' }, { sku: 'B' });
    const { failures } = await saveGraph(cart);
    expect(failures.length).toBeGreaterThan(0);
    isOffline = false;
    await box.send();
    expect(shop.rows('/carts')).toMatchObject([{ name: 'new' }]);
    const items = shop.rows('/items').map((row) => [(row as { sku: string }).sku, (row as { cartId: number }).cartId]);
    expect(items.sort()).toEqual([
      ['A', cart.id],
      ['B', cart.id],
    ]);
    expect([...childrenOf(cart, Item)].every((item) => !item.phantom && !item.dirty)).toBe(true);
    await box.close();
  });

  test.each([
    ['in a session', true],
    ['outside of a session', false],
  ])('are in memory only as long as their parent is held %s', async (_, isShared) => {
    const session = new Session();
    const orders = new Store({ model: Order, ...(isShared && { session }), pageSize: 0 });
    const refs: WeakRef<object>[] = [];
    const open = () => {
      for (let id = 1; id <= 10; id += 1) {
        const [order] = orders.setRecords([{ id, lines: [{ id: id * 10, sku: 'A' }] }]) as [Order];
        refs.push(new WeakRef(childrenOf(order, Line)));
      }
    };
    open();
    const last = orders.getAt(0) as Order;
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    for (let i = 0; i < 5; i += 1) {
      await tick();
      gc();
    }
    expect(refs.slice(0, -1).filter((ref) => ref.deref()).length).toBeLessThanOrEqual(1);
    expect(refs.at(-1)?.deref()).toBe(childrenOf(last, Line));
  });
});
