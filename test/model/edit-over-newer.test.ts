import { type ConflictError, Model, off, plain, receive, Store, safeWrites } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';

/** A server with one order, its model, and a second user who saves the note. */
function world() {
  const server = restServer({ etags: 'required', collections: { '/orders': [{ id: 1, note: 'old', place: 'here' }] } });
  let isOnline = true;
  let held: Promise<void> | undefined;
  const modelWith = (fetch: typeof globalThis.fetch) =>
    Model.define({
      name: 'order',
      fields: { id: 'int', note: 'string', place: 'string' },
      proxy: { url: '/orders', baseUrl: server.baseUrl, fetch, dialect: plain(), use: [safeWrites()] },
    });
  class Order extends modelWith(async (input, init) => {
    if (!isOnline) throw new TypeError('offline');
    const lost = held;
    held = undefined;
    await lost;
    if (lost) throw new TypeError('lost');
    return server.fetch(input, init);
  }) {}
  class Theirs extends modelWith(server.fetch) {}
  return {
    Order,
    note: () => (server.rows('/orders')[0] as { note: string }).note,
    rows: () => server.rows('/orders'),
    requests: () => server.requests.length,
    setOnline: (to: boolean) => void (isOnline = to),
    /** Holds the next request until the returned function is called; then its connection fails. */
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    async theySave(values: object) {
      await (await Theirs.load(1)).set(values).save();
    },
  };
}

/** A record of a list that was read by itself, so that its ETag is known. */
async function opened({ Order }: ReturnType<typeof world>, proxy: object = {}) {
  const orders = new Store({ model: Order, pageSize: 0, proxy });
  await orders.load();
  const order = orders.getById(1) as InstanceType<typeof Order>;
  await order.load();
  return { orders, order };
}

type Opened = Awaited<ReturnType<typeof opened>>;
const WAYS: Record<string, (opened: Opened, rows: object[]) => unknown> = {
  nothing: () => undefined,
  'a feed': ({ orders }, rows) => receive(orders, rows),
  'a load of the list': ({ orders }) => orders.load(),
  'a load of the record': ({ order }) => order.load(),
};

describe.each(Object.entries(WAYS))('an edit under which another value has come by %s', (way, bring) => {
  test('is a conflict when it is saved, whose ways to end it work', async () => {
    const here = world();
    const both = await opened(here);
    const { order } = both;
    order.note = 'mine';
    await here.theySave({ note: 'theirs' });
    await bring(both, here.rows());
    const before = here.requests();
    const error = (await order.save().catch((reason) => reason)) as ConflictError;
    expect([error.code, here.note(), order.note]).toEqual(['conflict', 'theirs', 'mine']);
    expect(error).toMatchObject({ base: { note: 'old' }, mine: { note: 'mine' } });
    // Without another row, it is the server that refuses the request.
    if (way === 'nothing') expect(here.requests()).toBe(before + 1);
    else expect([here.requests(), error.theirs]).toMatchObject([before, { note: 'theirs' }]);
    await expect(order.save()).rejects.toMatchObject({ code: 'conflict' });
    const { error: shown } = order.$;
    await (shown as ConflictError).keepMine();
    expect([here.note(), order.dirty, order.$.error]).toEqual(['mine', false, undefined]);
  });

  test('is given up for the other value, or merged with it', async () => {
    const here = world();
    const both = await opened(here);
    const { order } = both;
    order.set({ note: 'mine', place: 'there' });
    await here.theySave({ note: 'theirs' });
    await bring(both, here.rows());
    const error = (await order.save().catch((reason) => reason)) as ConflictError;
    await error.merge(({ mine, theirs }) => `${theirs} and ${mine}`);
    expect(here.rows()).toMatchObject([{ note: 'theirs and mine', place: 'there' }]);
    order.note = 'mine again';
    await here.theySave({ note: 'theirs again' });
    await bring(both, here.rows());
    const second = (await order.save().catch((reason) => reason)) as ConflictError;
    await second.takeTheirs();
    expect([order.note, order.dirty, order.$.error, here.note()]).toEqual([
      'theirs again',
      false,
      undefined,
      'theirs again',
    ]);
  });

  test('of another field is saved over the newer row', async () => {
    const here = world();
    const both = await opened(here);
    const { order } = both;
    order.place = 'there';
    await here.theySave({ note: 'theirs' });
    await bring(both, here.rows());
    if (way === 'nothing') await order.load();
    await order.save();
    expect(here.rows()).toMatchObject([{ note: 'theirs', place: 'there' }]);
  });

  test('that waits in an outbox is told as a conflict, and sent when the application decides so', async () => {
    const here = world();
    const outbox = new Outbox({ scope: 'a', storage: memoryStorage(), models: [here.Order] });
    await outbox.ready;
    const both = await opened(here, { use: [outbox] });
    here.setOnline(false);
    both.order.note = 'mine';
    await both.orders.sync();
    await here.theySave({ note: 'theirs' });
    here.setOnline(true);
    await bring(both, here.rows());
    await outbox.send();
    expect([here.note(), outbox.failed.map(({ error }) => error.code)]).toEqual(['theirs', ['conflict']]);
    for (const failed of outbox.failed) await outbox.retry(failed);
    await outbox.send();
    expect([here.note(), outbox.failed]).toEqual(['mine', []]);
    await outbox.close();
  });
});

test('a value that this page has sent itself is nobody else’s', async () => {
  const here = world();
  const { order } = await opened(here);
  order.note = 'mine';
  const saving = order.save();
  order.note = 'typed';
  await saving;
  await order.load();
  await order.save();
  expect([here.note(), order.dirty]).toEqual(['typed', false]);
});

test('keepMine() of one field takes no other newer value as seen', async () => {
  const here = world();
  const { orders, order } = await opened(here);
  order.note = 'mine';
  await here.theySave({ note: 'theirs' });
  const error = (await order.save().catch((reason) => reason)) as ConflictError;
  order.place = 'my place';
  await here.theySave({ place: 'their place' });
  receive(orders, here.rows());
  await error.keepMine();
  expect(order.$.state.get().newer).toEqual({ place: 'their place' });
  await expect(order.save()).rejects.toMatchObject({ code: 'conflict', theirs: { place: 'their place' } });
  expect(here.rows()[0]).toMatchObject({ note: 'mine', place: 'their place' });
});

describe('no conflict with oneself', () => {
  /** A list on a server that trims what it stores, and answers each update without a row. */
  async function trimmed() {
    const row = { id: 1, note: 'old', place: 'here' };
    let held: Promise<void> | undefined;
    const fetch = async (_: unknown, { method = 'GET', body }: RequestInit = {}) => {
      if (method === 'GET') return Response.json([row]);
      for (const [name, value] of Object.entries(JSON.parse(body as string) as Record<string, string>))
        Object.assign(row, { [name]: typeof value === 'string' ? value.trim() : value });
      await held;
      return new Response(null, { status: 204 });
    };
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', note: 'string', place: 'string' },
      proxy: {
        url: '/orders',
        baseUrl: 'http://127.0.0.1',
        fetch: fetch as typeof globalThis.fetch,
        dialect: plain(),
        use: [safeWrites({ etags: { unknown: 'send' } })],
      },
    }) {}
    const orders = new Store({ model: Order, pageSize: 0 });
    await orders.load();
    const hold = () => {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    };
    return { row, orders, order: orders.getById(1) as InstanceType<typeof Order>, hold };
  }

  test('after an answer without a row, when a feed brings the value as the server has stored it', async () => {
    const { row, orders, order } = await trimmed();
    order.note = 'one ';
    await order.save();
    order.note = 'one two';
    receive(orders, [{ ...row }]);
    await order.save();
    expect([row.note, order.$.state.get().newer]).toEqual(['one two', undefined]);
  });

  test('while the write is in flight, when a feed brings the value before the answer', async () => {
    const { row, orders, order, hold } = await trimmed();
    order.note = 'one ';
    const answer = hold();
    const saving = order.save();
    await expect.poll(() => row.note).toBe('one');
    order.note = 'one two';
    const waiting = order.save();
    receive(orders, [{ ...row }]);
    answer();
    await Promise.all([saving, waiting]);
    expect([row.note, order.dirty]).toEqual(['one two', false]);
  });

  test('but with a value that somebody else has saved after the echo', async () => {
    const { row, orders, order } = await trimmed();
    order.note = 'one ';
    await order.save();
    receive(orders, [{ ...row }]);
    order.note = 'mine';
    receive(orders, [{ ...row, note: 'theirs' }]);
    await expect(order.save()).rejects.toMatchObject({ code: 'conflict', base: { note: 'one' } });
  });

  test('by rows of a list that lack the edited field, or that bring it later', async () => {
    const { row, orders, order } = await trimmed();
    order.note = 'mine';
    receive(orders, [{ id: 1, place: 'there' }]);
    expect(order.$.state.get().newer).toBeUndefined();
    receive(orders, [{ ...row }]);
    await order.save();
    expect(row.note).toBe('mine');
  });
});

test('a value that a list brings while a save reads its row is a conflict of the next save, if this one sends nothing', async () => {
  const here = world();
  class Once extends here.Order.with({ proxy: { use: [off('retry')] } }) {}
  const orders = new Store({ model: Once, pageSize: 0 });
  await orders.load();
  const order = orders.getById(1) as Once;
  order.note = 'mine';
  await here.theySave({ note: 'theirs' });
  // The row of a list has no ETag, so that the save reads it before; the connection fails under this read.
  const release = here.hold();
  const saving = order.save();
  await orders.load();
  release();
  await expect(saving).rejects.toMatchObject({ code: 'network' });
  await expect(order.save()).rejects.toMatchObject({ code: 'conflict', base: { note: 'old' } });
  expect(here.note()).toBe('theirs');
});
