import { conflicts, embed, etags, Model, plain, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { disk, sharedStorage } from './shared-storage.js';

/** A server with one order, and pages on the same storage that are offline until a test says otherwise. */
function setting(withConflicts = false) {
  const server = modelServer();
  const storage = sharedStorage();
  const row = () => server.table('orders').get(7) as { address: object };
  const others = (zip: string) => {
    server.table('orders').set(7, { ...row(), id: 7, address: { ...row().address, zip } });
  };
  server.table('orders').set(7, { id: 7, name: 'n0', address: { city: 'c0', zip: 'z0' }, data: { a: 0, b: 0 } });
  const page = async () => {
    const clock = manualClock();
    class Address extends Model.define({ fields: { city: 'string', zip: 'string' } }) {}
    class Order extends Model.define({
      name: 'order',
      fields: { id: 'int', name: 'string', address: embed(Address), data: 'json' },
      proxy: {
        ...{ type: 'rest', url: '/orders', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch, clock },
        use: withConflicts ? [etags(), conflicts()] : [],
      },
    }) {}
    const outbox = await openOutbox({ scope: 'a', storage: disk(storage.tab(), true), clock, models: [Order] });
    const orders = new Store({ model: Order, pageSize: 0, proxy: { use: [outbox] } });
    await orders.load();
    return { outbox, orders, order: orders.getAt(0) as Order };
  };
  const offline = () => {
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
  };
  const online = () => {
    server.fault = () => undefined;
  };
  return { server, page, others, offline, online, row };
}
type Page = Awaited<ReturnType<ReturnType<typeof setting>['page']>>;

const saveQuietly = ({ order }: Page) => order.save().catch(() => undefined);

describe('a value that was only read inside an embedded record with a queued edit', () => {
  test('is not stored as an edit by the save of another field', async () => {
    const { page, others, offline, online, row } = setting();
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    others('theirs 1');
    await tab.orders.load();
    tab.order.name = 'n1';
    await saveQuietly(tab);
    expect(tab.outbox.entries.map(({ values }) => values)).toEqual([
      { address: { city: 'mine', zip: 'z0' }, name: 'n1' },
    ]);
    others('theirs 2');
    await tab.orders.load();
    online();
    await tab.outbox.send();
    expect(row()).toMatchObject({ name: 'n1', address: { city: 'mine', zip: 'theirs 2' } });
  });

  test('is not stored as an edit by a later save of the same embedded record', async () => {
    const { page, others, offline, online, row } = setting();
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    others('theirs 1');
    await tab.orders.load();
    tab.order.address.city = 'c0';
    await saveQuietly(tab);
    others('theirs 2');
    await tab.orders.load();
    online();
    await tab.outbox.send();
    expect(row()).toMatchObject({ address: { city: 'c0', zip: 'theirs 2' } });
  });

  test('is not stored as an edit after two conflicts', async () => {
    const { page, others, offline, online, row } = setting(true);
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    for (const zip of ['theirs 1', 'theirs 2', 'theirs 3']) {
      others(zip);
      online();
      await tab.outbox.send();
      offline();
      for (const write of tab.outbox.failed) await tab.outbox.retry(write).catch(() => undefined);
      await tab.outbox.send();
      tab.order.name = `with ${zip}`;
      await saveQuietly(tab);
    }
    online();
    await tab.outbox.send();
    for (const write of tab.outbox.failed) await tab.outbox.retry(write);
    await tab.outbox.send();
    expect(row()).toMatchObject({ name: 'with theirs 3', address: { city: 'mine', zip: 'theirs 3' } });
  });

  test('is shown after a restart, and not stored as an edit', async () => {
    const { page, others, offline, online, row } = setting();
    const first = await page();
    offline();
    first.order.address.city = 'mine';
    await saveQuietly(first);
    await first.outbox.close();
    others('theirs 1');
    const { order, orders, outbox } = await page();
    expect(order.address).toMatchObject({ city: 'mine', zip: 'theirs 1' });
    order.name = 'n1';
    await order.save().catch(() => undefined);
    others('theirs 2');
    await orders.load();
    online();
    await outbox.send();
    expect(row()).toMatchObject({ name: 'n1', address: { city: 'mine', zip: 'theirs 2' } });
  });

  test('leaves the record as saved as it was', async () => {
    const { page, others, offline } = setting();
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    others('theirs 1');
    await tab.orders.load();
    expect(tab.order.address.zip).toBe('theirs 1');
    expect(tab.order.$.field('address').get()).toMatchObject({ dirty: false });
  });

  test('stays when the queued write is dropped, which takes the edit back', async () => {
    const { page, others, offline } = setting();
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    others('theirs 1');
    await tab.orders.load();
    for (const entry of tab.outbox.entries) await tab.outbox.discard(entry);
    expect(tab.order.address).toMatchObject({ city: 'c0', zip: 'theirs 1' });
    expect(tab.order.dirty).toBe(false);
  });

  test('stays when what was typed behind the queued write is rejected', async () => {
    const { page, others, offline } = setting();
    const tab = await page();
    offline();
    tab.order.address.city = 'mine';
    await saveQuietly(tab);
    others('theirs 1');
    await tab.orders.load();
    tab.order.address.zip = 'typed';
    tab.order.reject();
    expect(tab.order.address).toMatchObject({ city: 'mine', zip: 'theirs 1' });
    expect(tab.order.$.field('address').get()).toMatchObject({ dirty: false });
  });

  test('is no edit of this tab when another tab saves the embedded record', async () => {
    const { page, others, offline, online, row } = setting();
    const [one, two] = [await page(), await page()];
    offline();
    one.order.address.city = 'mine';
    await saveQuietly(one);
    await expect.poll(() => two.order.address.city).toBe('mine');
    others('theirs 1');
    await one.orders.load();
    await two.orders.load();
    two.order.address.city = 'two';
    await saveQuietly(two);
    await expect.poll(() => one.order.address.city).toBe('two');
    expect(one.order.address.zip).toBe('theirs 1');
    others('theirs 2');
    await one.orders.load();
    await two.orders.load();
    online();
    await one.outbox.send();
    expect(row()).toMatchObject({ address: { city: 'two', zip: 'theirs 2' } });
  });
});

test('a json value that was edited is whole, also over a row that was read since', async () => {
  const { server, page, offline, online, row } = setting();
  const tab = await page();
  offline();
  tab.order.data = { a: 1, b: 0 };
  await saveQuietly(tab);
  server.table('orders').set(7, { ...row(), id: 7, data: { a: 0, b: 9 } });
  await tab.orders.load();
  tab.order.name = 'n1';
  await saveQuietly(tab);
  expect(tab.outbox.entries[0]?.values).toEqual({ data: { a: 1, b: 0 }, name: 'n1' });
  online();
  await tab.outbox.send();
  expect(row()).toMatchObject({ data: { a: 1, b: 9 }, name: 'n1' });
});
