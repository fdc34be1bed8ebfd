import { Model, plain } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { modelServer } from './server.js';

async function setting() {
  const server = modelServer();
  const clock = manualClock();
  class Address extends Model.define({ name: 'address', fields: { street: 'string' } }) {}
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', name: 'string', address: Address },
    proxy: { type: 'rest', url: '/orders', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch, clock },
  }) {}
  const outbox = await Outbox.open({ scope: 'a', storage: memoryStorage(), clock, models: [Order] });
  const Mine = Order.with({ proxy: { outbox } });
  server.table('orders').set(1, { id: 1, name: 'a', address: { street: 'b', geo: [1] } });
  return { server, outbox, Address, order: await Mine.load(1) };
}

test('one that is given another while the outbox sends it has nothing of its row', async () => {
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
  await outbox.flush();
  expect(server.table('orders').get(1)).toMatchObject({ address: { street: 'c' } });
  expect([order.address.street, order.dirty]).toEqual(['d', true]);
  await order.save();
  expect(server.log.at(-1)?.body?.['address']).toEqual({ street: 'd' });
});
