import { embed, length, Model, plain } from 'repose';
import { expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { disk } from './shared-storage.js';

async function setting() {
  const server = modelServer();
  const clock = manualClock();
  class Address extends Model.define({
    name: 'address',
    fields: { street: { type: 'string', validators: [length({ max: 5 })] } },
  }) {}
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', name: 'string', address: embed(Address) },
    proxy: { type: 'rest', url: '/orders', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch, clock },
  }) {}
  const outbox = await openOutbox({ scope: 'a', storage: disk(), clock, models: [Order] });
  const Mine = Order.with({ proxy: { use: [outbox] } });
  server.table('orders').set(1, { id: 1, name: 'a', address: { street: 'b', geo: [1] } });
  return { server, outbox, Address, order: await Mine.load(1) };
}

test("the replacement of an embedded record that the outbox is saving takes nothing from the server's row", async () => {
  const { server, outbox, Address, order } = await setting();
  order.address.street = 'c';
  server.fault = () => 503;
  await order.save().catch(() => undefined);
  order.name = 'edited';
  server.fault = () => {
    order.set({ address: new Address({ street: 'd' }) });
    server.fault = () => undefined;
    return undefined;
  };
  await outbox.send();
  expect(server.table('orders').get(1)).toMatchObject({ address: { street: 'c' } });
  expect([order.address.street, order.dirty]).toEqual(['d', true]);
  await order.save();
  expect(server.log.at(-1)?.body?.['address']).toEqual({ street: 'd' });
});

test('an embedded value changed back while its update is queued makes the record dirty', async () => {
  const { server, outbox, order } = await setting();
  order.address.street = 'c';
  server.fault = () => 401;
  await order.save().catch(() => undefined);
  server.fault = () => undefined;
  order.address.street = 'b';
  expect(order.dirty).toBe(true);
  await order.save();
  expect(server.table('orders').get(1)).toMatchObject({ address: { street: 'b', geo: [1] } });
  expect([order.dirty, outbox.size]).toEqual([false, 0]);
});

test('an embedded record is clean after a save that the server stores in another form', async () => {
  const { server, outbox, order } = await setting();
  order.address.street = 'c';
  server.fault = () => Response.json({ id: 1, name: 'a', address: { street: 'C', geo: [1] } });
  await order.save();
  expect([order.address.street, order.dirty, outbox.size]).toEqual(['C', false, 0]);
});

test('dropping a queued update restores the embedded record', async () => {
  const { server, outbox, order } = await setting();
  order.address.street = 'c';
  server.fault = () => 'after';
  await order.save().catch(() => undefined);
  const [entry] = outbox.entries;
  await outbox.discard(entry as NonNullable<typeof entry>);
  expect([order.address.street, order.dirty, outbox.size]).toEqual(['b', false, 0]);
});

test.each([200, 503])(
  'an invalid embedded value behind a write that is answered by %s is never sent',
  async (status) => {
    const { server, outbox, order } = await setting();
    order.name = 'first';
    server.fault = () => (status === 503 ? 503 : undefined);
    const first = order.save().catch(() => undefined);
    order.address.street = 'far too long';
    await expect(order.save()).rejects.toMatchObject(status === 503 ? { code: 'http' } : { code: 'validation' });
    await first;
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('orders').get(1)).toMatchObject({ name: 'first', address: { street: 'b' } });
    expect(order.dirty).toBe(true);
  },
);
