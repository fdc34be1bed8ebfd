import { childrenOf, Model, plain, receive, reference, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { describe, expect, test } from 'vitest';
import { accepting, Order, sentLines, server } from './support.js';

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', orderId: reference('int'), text: 'string' },
  proxy: server.proxy('/notes', { dialect: plain() }),
}) {
  static override references() {
    return { orderId: { model: Order, onErase: 'server' } };
  }
}

class Reply extends Model.define({
  name: 'reply',
  fields: { id: 'int', noteId: reference('int'), text: 'string' },
  proxy: server.proxy('/replies', { dialect: plain() }),
}) {
  static override references() {
    return { noteId: { model: Note, onErase: 'server' } };
  }
}

const ROWS = [1, 2, 3].map((id) => ({ id, orderId: id < 3 ? 7 : 8, text: `${id}` }));

/** Two orders, all notes, and the notes of order 7, in a session. */
function opened() {
  server.always(accepting());
  const session = new Session();
  const orders = new Store({ model: Order, session });
  const [order, other] = orders.setRecords([{ id: 7 }, { id: 8 }]) as [Order, Order];
  const all = new Store({ model: Note, session });
  all.setRecords(ROWS);
  return { session, orders, order, other, all, notes: childrenOf(order, Note) };
}
const ids = (notes: Store<Note>) => [...notes].map(({ id }) => id);

describe('children that the server erases with their parent', () => {
  test.each([
    ['erase()', ({ order }: ReturnType<typeof opened>) => order.erase()],
    [
      'the sync of its store',
      async ({ orders, order }: ReturnType<typeof opened>) => {
        orders.remove(order);
        (await orders.sync()).orThrow();
      },
    ],
    [
      'the sync of the session',
      async ({ session, orders, order }: ReturnType<typeof opened>) => {
        orders.remove(order);
        (await session.sync()).orThrow();
      },
    ],
  ])('leave all lists of the session after %s, and no request is sent for them', async (_, erase) => {
    const all = opened();
    await erase(all);
    expect(sentLines()).toEqual(['DELETE /orders/7']);
    expect([ids(all.all), all.notes.count]).toEqual([[3], 0]);
  });

  test('stay while the erase is in flight, and when it is refused', async () => {
    const { order, all } = opened();
    server.always(() => ({ status: 409, json: {} }));
    const erasing = order.erase();
    expect(ids(all)).toEqual([1, 2, 3]);
    await expect(erasing).rejects.toMatchObject({ status: 409 });
    expect(ids(all)).toEqual([1, 2, 3]);
  });

  test('leave the list when a feed or a 404 says that the parent is gone', async () => {
    const first = opened();
    receive(first.orders, [], { removed: [7] });
    expect(ids(first.all)).toEqual([3]);
    const second = opened();
    server.always(() => ({ status: 404, json: {} }));
    await expect(second.order.load()).rejects.toMatchObject({ status: 404 });
    expect(ids(second.all)).toEqual([3]);
  });

  test('leave the list of their parent outside of a session, with those below them', async () => {
    server.always(accepting());
    const order = Order.fromRow({ id: 7 });
    const notes = childrenOf(order, Note);
    const [note] = notes.setRecords(ROWS.slice(0, 2)) as [Note];
    const replies = childrenOf(note, Reply);
    replies.setRecords([{ id: 1, noteId: 1, text: 'r' }]);
    notes.add({ text: 'never saved' });
    await order.erase();
    expect([notes.count, replies.count, notes.pending.created]).toEqual([0, 0, []]);
    expect(sentLines()).toEqual(['DELETE /orders/7']);
  });

  test('stay with their changes until these are taken back', async () => {
    const { order, all } = opened();
    const edited = all.getById(1) as Note;
    edited.text = 'edited';
    await order.erase();
    expect([ids(all), edited.dirty]).toEqual([[1, 3], true]);
    edited.reject();
    expect([ids(all), edited.erased]).toEqual([[3], true]);
  });

  test('are those whose rows refer to the parent, not those that an edit has moved there', async () => {
    const { order, all } = opened();
    const moved = all.getById(3) as Note;
    moved.orderId = 7;
    await order.erase();
    moved.reject();
    expect([ids(all), moved.erased]).toEqual([[3], false]);
  });

  test('and that were removed before are not sent', async () => {
    const { session, order, orders, all } = opened();
    all.remove(all.getById(1) as Note);
    await order.erase();
    expect((await session.sync()).failures).toEqual([]);
    expect(sentLines()).toEqual(['DELETE /orders/7']);
    expect([all.pending.removed, ids(all), orders.count]).toEqual([[], [3], 1]);
  });

  test('do not come back with the parent when its erase is undone', async () => {
    const { session, order, orders, all } = opened();
    const steps = historyOf(session);
    await order.erase();
    await steps.undo();
    expect(sentLines()).toEqual(['DELETE /orders/7', expect.stringMatching(/^POST \/orders /)]);
    expect([orders.count, ids(all), session.status.get().pending, steps.state.get().canUndo]).toEqual([
      2,
      [3],
      0,
      false,
    ]);
  });
});

test('children that are erased by requests come back with the parent when its erase is undone', async () => {
  class Mark extends Model.define({
    name: 'mark',
    fields: { id: 'int', orderId: reference('int') },
    proxy: server.proxy('/marks', { dialect: plain() }),
  }) {
    static override references() {
      return { orderId: { model: Order, onErase: 'erase' } };
    }
  }
  const { session, order, orders } = opened();
  const marks = childrenOf(order, Mark);
  marks.setRecords([{ id: 1, orderId: 7 }]);
  const steps = historyOf(session);
  await order.erase();
  while (steps.state.get().canUndo) await steps.undo();
  const [created, mark] = sentLines().slice(2);
  expect(sentLines().slice(0, 2)).toEqual(['DELETE /marks/1', 'DELETE /orders/7']);
  expect([created, mark]).toEqual([
    expect.stringMatching(/^POST \/orders /),
    expect.stringMatching(/^POST \/marks .*"orderId":101/),
  ]);
  expect(orders.count).toBe(2);
});
