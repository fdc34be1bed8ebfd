import { childrenOf, embed, Model, plain, reference, Store } from 'repose';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { settled } from '../live/support.js';
import { openWorld, sessionWith, turn } from './support.js';

function shop() {
  const server = restServer({
    collections: {
      '/orders': [
        { id: 1, customer: 'Ada', address: { city: 'Bern', zip: '3000' }, tags: [{ id: 1, name: 'red' }] },
        { id: 2, customer: 'Grace', address: { city: 'Basel', zip: '4000' }, tags: [] },
      ],
      '/lines': [
        { id: 1, orderId: 1, sku: 'a' },
        { id: 2, orderId: 1, sku: 'b' },
        { id: 3, orderId: 2, sku: 'c' },
      ],
    },
  });
  const proxy = { dialect: plain(), baseUrl: server.baseUrl, fetch: server.fetch };
  class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
  class Tag extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', customer: 'string', address: embed(Address), tags: embed([Tag]) },
    proxy: { ...proxy, type: 'rest', url: '/orders' },
  }) {}
  class Line extends Model.define({
    name: 'line',
    fields: { id: 'int', orderId: reference('int'), sku: 'string' },
    proxy: { ...proxy, type: 'rest', url: '/lines' },
  }) {
    static override references() {
      return { orderId: { model: Order, onErase: 'erase' as const } };
    }
  }
  const session = new (sessionWith({ pause: 0 }))();
  const orders = new Store({ model: Order, session, pageSize: 0 });
  return { server, session, orders, Order, Line, Address, Tag };
}

test('takes edits inside of embedded records back, and keeps their objects', async () => {
  const { session, orders } = shop();
  await orders.load();
  const order = orders.getById(1)!;
  const { address } = order;
  address!.city = 'Thun';
  await turn();
  order.tags![0]!.name = 'blue';
  await turn();
  await historyOf(session).undo();
  expect([order.tags![0]!.name, order.address!.city]).toEqual(['red', 'Thun']);
  await historyOf(session).undo();
  expect([order.address!.city, order.dirty, order.address]).toEqual(['Bern', false, address]);
  await historyOf(session).redo();
  await historyOf(session).redo();
  expect([order.tags![0]!.name, order.address!.city]).toEqual(['blue', 'Thun']);
});

test('writes an embedded record back that was saved', async () => {
  const { session, orders, server } = shop();
  await orders.load();
  const order = orders.getById(1)!;
  order.address!.city = 'Thun';
  await order.save();
  await historyOf(session).undo();
  expect(server.rows('/orders')[0]).toMatchObject({ address: { city: 'Bern', zip: '3000' } });
  expect(order.address!.city).toBe('Bern');
});

test.each([
  [false, [{ name: 'red' }]],
  [true, [{ id: 1, name: 'red' }]],
])(
  'the undo of an erase sends the ids of the rows inside only with the id of their record (%s)',
  async (keepsId, tags) => {
    const { session, orders, server, Order } = shop();
    await orders.load();
    const { proxy } = Order;
    Object.assign((proxy as unknown as { writer: object }).writer, { writeRecordId: keepsId });
    orders.remove(orders.getById(1)!);
    await turn();
    await session.sync();
    await historyOf(session).undo();
    const { body } = server.requests.at(-1)!;
    expect(JSON.parse(String(body))).toMatchObject({ customer: 'Ada', tags });
    expect(JSON.parse(String(body)).tags).toEqual(tags);
    expect(JSON.parse(String(body)).id).toBe(keepsId ? 1 : undefined);
  },
);

test('takes moved and added children back', async () => {
  const { session, orders, Line } = shop();
  await orders.load();
  const [first, second] = [orders.getById(1)!, orders.getById(2)!];
  const lines = childrenOf(first, Line);
  const others = childrenOf(second, Line);
  await Promise.all([lines.load(), others.load()]);
  const skus = () => [[...lines], [...others]].map((list) => list.map(({ sku }) => sku));
  others.add(lines.getAt(0)!);
  await turn();
  lines.add({ sku: 'new' });
  await turn();
  expect(skus()).toEqual([
    ['b', 'new'],
    ['c', 'a'],
  ]);
  await historyOf(session).undo();
  await historyOf(session).undo();
  expect(skus().map((list) => list.sort())).toEqual([['a', 'b'], ['c']]);
  await historyOf(session).redo();
  await historyOf(session).redo();
  expect(skus()).toEqual([
    ['b', 'new'],
    ['c', 'a'],
  ]);
});

test('a parent that was erased with its children comes back with them, under the new id', async () => {
  const { session, orders, Line, server } = shop();
  await orders.load();
  const order = orders.getById(1)!;
  const lines = childrenOf(order, Line);
  await lines.load();
  orders.remove(order);
  await session.sync();
  expect([server.rows('/orders').length, server.rows('/lines').length]).toEqual([1, 1]);
  expect(historyOf(session).state.get().done).toHaveLength(1);
  await historyOf(session).undo();
  const created = server.rows('/orders').at(-1)!;
  expect(created).toMatchObject({ customer: 'Ada', address: { city: 'Bern' } });
  const restored = server.rows('/lines').filter(({ orderId }) => orderId === created['id']);
  expect(restored.map(({ sku }) => sku).sort()).toEqual(['a', 'b']);
  await historyOf(session).redo();
  expect([server.rows('/orders').length, server.rows('/lines').length]).toEqual([1, 1]);
});

test('a new parent and its new children are one undo of a saved graph', async () => {
  const { session, orders, Line, server } = shop();
  await orders.load();
  historyOf(session).group('New order', () => {
    const [order] = orders.add({ customer: 'Edsger' });
    childrenOf(order!, Line).add({ sku: 'x' }, { sku: 'y' });
  });
  (await session.sync()).orThrow();
  expect([server.rows('/orders').length, server.rows('/lines').length]).toEqual([3, 5]);
  await historyOf(session).undo();
  expect([server.rows('/orders').length, server.rows('/lines').length]).toEqual([2, 3]);
  await historyOf(session).redo();
  const created = server.rows('/orders').at(-1)!;
  expect(server.rows('/lines').filter(({ orderId }) => orderId === created['id'])).toHaveLength(2);
});

test('undoes 10,000 edits in one step', async () => {
  const { server, session, tasks } = await openWorld();
  server.setRows(
    '/tasks',
    Array.from({ length: 10_000 }, (_, at) => ({ id: at + 1, title: `t${at}`, note: '', rank: null })),
  );
  await tasks.load();
  historyOf(session).clear();
  for (const each of tasks) each.title = 'x';
  await turn();
  await historyOf(session).undo();
  expect([...tasks.pending.created, ...tasks.pending.edited]).toEqual([]);
  for (const each of [...tasks]) tasks.remove(each);
  await turn();
  await historyOf(session).undo();
  expect(tasks.count).toBe(10_000);
});

// ── Outbox ──

async function offlineWorld() {
  const server = restServer({ collections: { '/tasks': [{ id: 1, title: 'one', note: '' }] } });
  let isOnline = true;
  const storage = memoryStorage();
  const open = async () => {
    const outbox = new Outbox({ storage, scope: 'me', backoff: { base: 1, max: 1 } });
    class Task extends Model.define({
      name: 'task',
      fields: { id: 'int', title: 'string', note: 'string' },
      proxy: {
        ...{ type: 'rest', url: '/tasks', dialect: plain(), baseUrl: server.baseUrl, use: [outbox] },
        fetch: async (...args: Parameters<typeof fetch>) => {
          if (!isOnline) throw new TypeError('offline');
          return await server.fetch(...args);
        },
      },
    }) {}
    await outbox.ready;
    const session = new (sessionWith({ pause: 0 }))();
    const tasks = new Store({ model: Task, session, pageSize: 0 });
    return { outbox, session, tasks };
  };
  return {
    ...{ server, open },
    goOnline: (online: boolean) => {
      isOnline = online;
    },
  };
}

test('undo of queued writes waits for no network, and the server gets the last state', async () => {
  const { server, open, goOnline } = await offlineWorld();
  const { outbox, session, tasks } = await open();
  await tasks.load();
  const task = tasks.getById(1)!;
  goOnline(false);
  for (const title of ['a', 'b']) {
    task.title = title;
    void task.save().catch(() => undefined);
    await settled();
  }
  const undone: string[] = [];
  void historyOf(session)
    .undo()
    .then(
      () => undone.push('first'),
      () => undefined,
    );
  await settled();
  expect(task.title).toBe('a');
  void historyOf(session)
    .undo()
    .then(
      () => undone.push('second'),
      () => undefined,
    );
  await settled();
  expect([task.title, historyOf(session).canUndo, historyOf(session).canRedo]).toEqual(['one', false, true]);
  goOnline(true);
  outbox.send();
  await outbox.drained();
  await settled();
  expect(server.rows('/tasks')[0]).toMatchObject({ title: 'one' });
  expect([task.title, task.dirty]).toEqual(['one', false]);
  await outbox.close();
});

test('a queued create is dropped by undo, and queued again by redo', async () => {
  const { server, open, goOnline } = await offlineWorld();
  const { outbox, session, tasks } = await open();
  await tasks.load();
  goOnline(false);
  const [added] = tasks.add({ title: 'new' });
  void added!.save().catch(() => undefined);
  await settled();
  void historyOf(session).undo();
  await settled();
  expect(tasks.count).toBe(1);
  goOnline(true);
  outbox.send();
  await outbox.drained();
  await settled();
  expect(server.rows('/tasks').map(({ title }) => title)).toEqual(['one']);
  await outbox.close();
});

test('a queued erase is taken back by undo, and queued again by redo', async () => {
  const { server, open, goOnline } = await offlineWorld();
  const { outbox, session, tasks } = await open();
  await tasks.load();
  goOnline(false);
  void tasks
    .getById(1)!
    .erase()
    .catch(() => undefined);
  await settled();
  expect([tasks.count, outbox.entries.length, historyOf(session).canUndo]).toEqual([0, 1, true]);
  const sendAll = async () => {
    goOnline(true);
    outbox.send();
    await outbox.drained();
    await settled();
    goOnline(false);
  };
  await historyOf(session).undo();
  expect([tasks.count, outbox.entries.length]).toEqual([1, 0]);
  await sendAll();
  expect([tasks.getById(1)?.title, server.rows('/tasks').length]).toEqual(['one', 1]);
  void historyOf(session).redo();
  await settled();
  expect([tasks.count, outbox.entries.length]).toEqual([0, 1]);
  await sendAll();
  expect(server.rows('/tasks')).toEqual([]);
  goOnline(true);
  await historyOf(session).undo();
  expect([tasks.count, server.rows('/tasks')[0]?.['title']]).toEqual([1, 'one']);
  await outbox.close();
});

test('writes that an outbox shows when the page opens are no steps', async () => {
  const { open, goOnline } = await offlineWorld();
  const before = await open();
  await before.tasks.load();
  goOnline(false);
  before.tasks.getById(1)!.title = 'a';
  void before.tasks
    .getById(1)!
    .save()
    .catch(() => undefined);
  const [added] = before.tasks.add({ title: 'new' });
  void added!.save().catch(() => undefined);
  await settled();
  await before.outbox.close();
  before.session.dispose();
  const after = await open();
  await after.tasks.load().catch(() => undefined);
  await settled();
  expect([...after.tasks].map(({ title }) => title)).toContain('new');
  expect(historyOf(after.session).state.get().done).toEqual([]);
  await after.outbox.close();
});
