import {
  BatchError,
  changesOf,
  childrenOf,
  HttpError,
  idempotency,
  Model,
  plain,
  reference,
  Session,
  StateError,
  Store,
  SyncError,
  saveGraph,
} from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { accepting, Line, Order, Remark, sentLines, server } from './support.js';

/** A model of children with one response to the erase of their parent. */
function noteModel(onErase: string) {
  return class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', orderId: reference('int', { allowNull: true }), text: 'string' },
    proxy: server.proxy('/notes', { dialect: plain() }),
  }) {
    static override references(): { orderId: { model: typeof Order; nested: string; onErase: string } } {
      return { orderId: { model: Order, nested: 'notes', onErase } };
    }
  };
}
const orderWithNotes = () =>
  Order.fromRow({
    id: 7,
    name: 'seven',
    notes: [
      { id: 1, orderId: 7, text: 'a' },
      { id: 2, orderId: 7, text: 'b' },
    ],
  });

describe('the pending changes of the children of a record', () => {
  test('are told by `$.children`, which is a source', () => {
    const order = Order.fromRow({ id: 7, lines: [{ id: 1, sku: 'A' }] });
    expect(order.$.children.dirty).toBe(false);
    const told: boolean[] = [];
    const stop = order.$.children.subscribe(() => told.push(order.$.children.get().dirty));
    const lines = childrenOf(order, Line);
    const line = lines.getAt(0) as Line;
    line.sku = 'B';
    line.sku = 'C';
    line.reject();
    lines.remove(line);
    expect(told).toEqual([true, false, true]);
    stop();
    lines.reject();
    expect([order.$.children.dirty, told.length]).toEqual([false, 3]);
  });
});

describe('saveGraph', () => {
  test('writes parents before children, with ids, and an outcome for each record', async () => {
    server.always(accepting());
    const order = new Order({ name: 'new' });
    const [line] = childrenOf(order, Line).add({ sku: 'A' });
    childrenOf(order, Remark).add({ text: 'hi' });
    const { outcomes, failures } = await saveGraph(order);
    expect(failures).toEqual([]);
    expect(outcomes.map(({ action, record }) => [action, record.constructor])).toEqual([
      ['create', Order],
      ['create', Line],
      ['create', Remark],
    ]);
    expect(line?.orderId).toBe(order.id);
    expect(sentLines()).toEqual([
      'POST /orders {"name":"new"}',
      `POST /orders/${order.id}/lines {"sku":"A","orderId":${order.id}}`,
      `POST /remarks {"text":"hi","orderId":${order.id}}`,
    ]);
    server.reset();
    expect((await saveGraph(order)).outcomes).toEqual([]);
    expect(server.requests.length).toBe(0);
  });

  test('writes a removed record and its children, children first, by the proxy of its store', async () => {
    server.always(accepting());
    const Note = noteModel('erase');
    const orders = new Store({ model: Order, proxy: { headers: { 'X-Of': 'store' } } });
    orders.setRecords([orderWithNotes()]);
    const order = orders.getAt(0) as Order;
    childrenOf(order, Note);
    orders.remove(order);
    expect((await saveGraph(order)).failures).toEqual([]);
    expect(sentLines()).toEqual(['DELETE /notes/1', 'DELETE /notes/2', 'DELETE /orders/7']);
    expect(server.requests.at(-1)?.headers['x-of']).toBe('store');
    expect(order.erased).toBe(true);
  });

  test('is what `save({ children: true })` does, which rejects with the failures', async () => {
    const answer = accepting();
    let isBroken = true;
    server.always((request) => (isBroken && request.url.startsWith('/remarks') ? { status: 403 } : answer(request)));
    const order = new Order({ name: 'new' });
    childrenOf(order, Line).add({ sku: 'A' });
    const [remark] = childrenOf(order, Remark).add({ text: 'hi' });
    const error = await order.save({ children: true }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(BatchError);
    expect([order.phantom, remark?.phantom, remark?.$.error]).toEqual([false, true, expect.any(HttpError)]);
    isBroken = false;
    expect(await order.save({ children: true })).toBe(order);
    expect(order.$.children.dirty).toBe(false);
    await expect(order.save({ children: true, url: '/x' })).rejects.toMatchObject({ reason: 'children-save' });
  });

  test('sends at most one request for each of 1,000 new parents with 10 children each', async () => {
    let [sent, active, most] = [0, 0, 0];
    class Fast extends Model.define({
      name: 'fast',
      fields: { id: 'int', parentId: reference('int', { allowNull: true }) },
      proxy: {
        type: 'rest',
        url: '/fast',
        baseUrl: 'http://fast.test',
        dialect: plain(),
        fetch: async () => {
          const id = (sent += 1);
          most = Math.max(most, (active += 1));
          await Promise.resolve();
          active -= 1;
          return new Response(JSON.stringify({ id }), { status: 201, headers: { 'Content-Type': 'application/json' } });
        },
      },
    }) {
      static override references(): { parentId: typeof Fast } {
        return { parentId: Fast };
      }
    }
    const session = new Session();
    const children: Model[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const parent = session.create(Fast);
      children.push(...childrenOf(parent, Fast).add(...Array.from({ length: 10 }, () => ({}))));
    }
    const { failures, outcomes } = await session.sync({ concurrency: 8 });
    expect([failures.length, outcomes.length, sent, most]).toEqual([0, 11_000, 11_000, 8]);
    expect(children.every((each) => !each.phantom && !each.dirty)).toBe(true);
  });
});

describe('the erase of a parent', () => {
  const erases: readonly (readonly [string, (order: Order, orders: Store<Order>) => Promise<unknown>])[] = [
    ['erase()', (order) => order.erase()],
    [
      'remove() and sync()',
      async (order, orders) => {
        orders.remove(order);
        (await orders.sync()).orThrow();
      },
    ],
  ];
  const open = (onErase: string) => {
    const orders = new Store({ model: Order });
    orders.setRecords([orderWithNotes()]);
    const order = orders.getAt(0) as Order;
    return { orders, order, notes: childrenOf(order, noteModel(onErase)) };
  };

  test.each(erases)('by %s leaves the children to the server with `ignore`', async (_, erase) => {
    server.always(accepting());
    const { order, orders } = open('ignore');
    await erase(order, orders);
    expect(sentLines()).toEqual(['DELETE /orders/7']);
  });

  test.each(erases)('by %s erases the children first with `erase`', async (_, erase) => {
    server.always(accepting());
    const { order, orders, notes } = open('erase');
    notes.add({ text: 'new' });
    await erase(order, orders);
    expect(sentLines()).toEqual(['DELETE /notes/1', 'DELETE /notes/2', 'DELETE /orders/7']);
    expect([notes.count, order.erased]).toEqual([0, true]);
  });

  test.each(erases)('by %s empties the references first with `detach`', async (_, erase) => {
    server.always(accepting());
    const { order, orders, notes } = open('detach');
    await erase(order, orders);
    expect(sentLines()).toEqual([
      'PATCH /notes/1 {"orderId":null}',
      'PATCH /notes/2 {"orderId":null}',
      'DELETE /orders/7',
    ]);
    expect(notes.count).toBe(0);
  });

  test.each(erases)('by %s is refused before anything is sent with `restrict`', async (_, erase) => {
    const { order, orders, notes } = open('restrict');
    const error = await erase(order, orders).catch((each: unknown) => each);
    expect(error instanceof BatchError ? error.errors[0] : error).toMatchObject({
      constructor: StateError,
      code: 'restricted',
      message: expect.stringContaining('order 7 was not erased: 2 records of note'),
    });
    expect([sentLines(), notes.count, order.erased]).toEqual([[], 2, false]);
    server.always(accepting());
    notes.removeAll();
    await notes.sync();
    await erase(order, orders);
    expect(order.erased).toBe(true);
  });

  test.each(erases)('by %s is not sent if a child could not be erased', async (_, erase) => {
    const answer = accepting();
    server.always((request) => (request.url === '/notes/2' ? { status: 500 } : answer(request)));
    const { order, orders } = open('erase');
    const error = (await erase(order, orders).catch((each: unknown) => each)) as BatchError;
    expect(error.errors.some((each) => each instanceof HttpError)).toBe(true);
    expect(error.errors.every((each) => each instanceof HttpError || each instanceof SyncError)).toBe(true);
    expect(sentLines()).toEqual(['DELETE /notes/1', 'DELETE /notes/2']);
    expect(order.erased).toBe(false);
  });

  test('reaches the children of children', async () => {
    server.always(accepting());
    class Sub extends Model.define({
      name: 'sub',
      fields: { id: 'int', noteId: reference('int') },
      proxy: server.proxy('/subs', { dialect: plain() }),
    }) {
      static override references() {
        return { noteId: { model: Note, nested: 'subs', onErase: 'erase' } };
      }
    }
    const Note = noteModel('erase');
    const order = Order.fromRow({ id: 7, notes: [{ id: 1, orderId: 7, subs: [{ id: 5 }] }] });
    childrenOf(childrenOf(order, Note).getAt(0) as InstanceType<typeof Note>, Sub);
    await order.erase();
    expect(sentLines()).toEqual(['DELETE /subs/5', 'DELETE /notes/1', 'DELETE /orders/7']);
  });

  test('is stored by an outbox as a whole while the parent cannot be sent', async () => {
    const outbox = new Outbox({ scope: 'a', storage: memoryStorage(), autoStart: false });
    await outbox.ready;
    server.always(() => ({ status: 503 }));
    const use = [outbox, idempotency()];
    const Kept = Order.with({ proxy: { use } });
    class Part extends Model.define({
      ...{
        name: 'part',
        fields: { id: 'int', orderId: reference('int') },
        proxy: server.proxy('/parts', { use, dialect: plain() }),
      },
    }) {
      static override references() {
        return { orderId: Kept };
      }
    }
    class Screw extends Model.define({
      ...{
        name: 'screw',
        fields: { id: 'int', partId: reference('int') },
        proxy: server.proxy('/screws', { use, dialect: plain() }),
      },
    }) {
      static override references() {
        return { partId: Part };
      }
    }
    const order = new Kept({ name: 'new' });
    const [part] = childrenOf(order, Part).add({}) as [Part];
    const [screw] = childrenOf(part, Screw).add({}) as [Screw];
    const { failures } = await saveGraph(order);
    expect(failures.map(({ record, error }) => [record, error.queued])).toEqual([
      [order, true],
      [part, true],
      [screw, true],
    ]);
    expect(outbox.status.get().waiting).toBe(3);
    await outbox.close();
  });

  test('refuses children from then on', async () => {
    server.always(accepting());
    const { order, notes } = open('ignore');
    await order.erase();
    expect(() => notes.add({ text: 'late' })).toThrow(expect.objectContaining({ reason: 'children-erased' }));
  });

  test('is told where it was done while a child was created', async () => {
    const answer = accepting();
    const order = new Order({ name: 'new' });
    const lines = childrenOf(order, Line);
    const [line] = lines.add({ sku: 'A' });
    await order.erase();
    server.always(answer);
    const { failures } = await lines.sync();
    expect(failures.map(({ error, record }) => [error.code, record])).toEqual([['dependency', line]]);
    expect(sentLines()).toEqual([]);
  });

  test.each([['an unknown word', 'explode', 'children-on-erase']])('refuses %s', (_, onErase, reason) => {
    expect(() => childrenOf(orderWithNotes(), noteModel(onErase))).toThrow(expect.objectContaining({ reason }));
  });

  test('refuses `detach` where the field must not be empty', () => {
    class Strict extends Model.define({ name: 'strict', fields: { id: 'int', orderId: reference('int') } }) {
      static override references() {
        return { orderId: { model: Order, onErase: 'detach' } };
      }
    }
    expect(() => childrenOf(orderWithNotes(), Strict)).toThrow(expect.objectContaining({ reason: 'children-detach' }));
  });
});

describe('the records of a session', () => {
  test('come into the stores of their parents, wherever they were made', () => {
    const session = new Session();
    const [order] = session.add(orderWithNotes());
    const lines = childrenOf(order as Order, Line);
    const all = new Store({ model: Line, session });
    const [made] = all.add({ sku: 'A', orderId: 7 }) as [Line];
    const other = session.create(Line, { sku: 'B' });
    expect([...lines]).toEqual([made]);
    other.orderId = 7;
    expect([...lines]).toEqual([made, other]);
    const [dropped] = lines.add({ sku: 'C' }) as [Line];
    lines.remove(dropped);
    expect([...lines]).toEqual([made, other]);
    made.orderId = 8;
    expect([[...lines], all.count]).toEqual([[other], 1]);
  });
});

test('the erase of a parent in a session is not sent if a child could not be erased', async () => {
  const answer = accepting();
  server.always((request) => (request.url === '/notes/2' ? { status: 500 } : answer(request)));
  const session = new Session();
  const [order] = session.add(orderWithNotes()) as [Order];
  childrenOf(order, noteModel('erase'));
  session.remove(order);
  const { failures } = await session.sync();
  expect(failures.some(({ record, error }) => (record as Model) === order && error instanceof SyncError)).toBe(true);
  expect(sentLines()).toEqual(['DELETE /notes/1', 'DELETE /notes/2']);
});

test('the erase of a parent waits for a child that was moved below it and not saved', async () => {
  const answer = accepting();
  server.always((request) => (request.url === '/notes/1' ? { status: 500 } : answer(request)));
  const Note = noteModel('erase');
  const session = new Session();
  const [order, other] = session.add(orderWithNotes(), Order.fromRow({ id: 8, notes: [] })) as [Order, Order];
  const [note] = [...childrenOf(order, Note)];
  childrenOf(other, Note);
  if (note) note.orderId = 8;
  session.remove(other);
  const { failures } = await session.sync();
  expect(failures.map(({ record }) => record)).toEqual(expect.arrayContaining([other, note]));
  expect(sentLines()).toEqual(['DELETE /notes/1']);
});

describe('a new record that leaves its store before it was saved', () => {
  const newOrder = (onErase: string) => {
    const Note = noteModel(onErase);
    const session = new Session();
    const orders = new Store({ model: Order, session });
    const saved = orders.add(orderWithNotes())[0] as Order;
    const [moved] = [...childrenOf(saved, Note)];
    const [order] = orders.add({ name: 'new' }) as [Order];
    const [made] = childrenOf(order, Note).add({ text: 'c' });
    if (moved) moved.orderId = order.id;
    return { Note, session, orders, order, saved, made, moved };
  };

  test('takes its new children along, and gives saved ones back to their former parent', () => {
    const { Note, session, orders, order, saved, moved } = newOrder('erase');
    orders.remove(order);
    expect([...session.pending.created, ...session.pending.edited]).toEqual([]);
    expect([...childrenOf(saved, Note)].map(({ id }) => id).sort()).toEqual([1, 2]);
    expect([moved?.orderId, moved?.dirty]).toEqual([7, false]);
  });

  test('takes its new children along from a session without a store, too', () => {
    const session = new Session();
    const order = session.create(Order, { name: 'new' });
    childrenOf(order, noteModel('erase')).add({ text: 'a' });
    session.remove(order);
    expect([changesOf(session), session.pending.created]).toEqual([[], []]);

    const kept = session.create(Order, { name: 'kept' });
    childrenOf(kept, noteModel('restrict')).add({ text: 'b' });
    expect(() => session.remove(kept)).toThrow(expect.objectContaining({ reason: 'children-restrict' }));
    expect(session.pending.created).toHaveLength(2);
  });

  test('detaches its children, or stays because of them, as `onErase` says', () => {
    const detached = newOrder('detach');
    detached.orders.removeAll();
    expect([detached.made?.orderId, detached.moved?.orderId]).toEqual([null, null]);
    const restricted = newOrder('restrict');
    expect(() => restricted.orders.remove(restricted.order)).toThrow(StateError);
    expect([restricted.orders.count, restricted.made?.orderId]).toEqual([2, restricted.order.id]);
  });
});
