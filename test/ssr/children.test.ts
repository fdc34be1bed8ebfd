import { childrenOf, Session, Store } from 'repose';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { expect, test } from 'vitest';
import { Line, Order, Remark, server } from '../children/support.js';

test('stores of children can be made in a session that shows the state of a server', async () => {
  const rendering = new Session();
  const orders = new Store({ model: Order, session: rendering });
  server.reply({ json: [{ id: 7, name: 'A' }] });
  await orders.load();
  const [order] = [...orders] as [Order];
  const remarks = childrenOf(order, Remark);
  server.reply({ json: [{ id: 1, orderId: 7, text: 'fine' }] });
  await remarks.load();
  const text = stringify(dehydrate(rendering, [orders, remarks]));

  const session = new Session();
  hydrate(session, text, [Order, Remark, Line]);
  const page = new Store({ model: Order, session });
  const [shown] = [...page] as [Order];
  const sent = server.requests.length;
  expect([...childrenOf(shown, Remark)].map((each) => each.text)).toEqual(['fine']);
  const [added] = page.add({ name: 'B' }) as [Order];
  expect([...childrenOf(added, Remark)]).toEqual([]);
  expect(server.requests.length).toBe(sent);
});
