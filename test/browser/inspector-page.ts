// An application with an inspector, as a page: a session, an outbox and a server in memory. Tests drive it through `window.app`.
import { classic, Model, RestProxy, receive, retry, Session, Store } from 'repose';
import { mountInspector } from 'repose/devtools';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';

const hostile = '<img src=x onerror="document.title=\'hacked\'">';
const server = restServer({
  envelope: { rootProperty: 'data' },
  ignoredParams: ['_dc'],
  collections: {
    '/orders': Array.from({ length: 120 }, (_, at) => ({
      id: at + 1,
      note: at === 2 ? hostile : `Order no ${at + 1}`,
      total: (at * 37) % 500,
      status: at % 3 === 0 ? 'open' : 'paid',
    })),
    '/customers': [{ id: 1, name: 'Ada', iban: 'DE12 3456', [hostile]: 'a hostile name of a member' }],
  },
});
const { fetch, baseUrl } = server;
const proxy = {
  type: RestProxy,
  ...{ fetch, baseUrl, dialect: classic, reader: { rootProperty: 'data' } },
  headers: { Authorization: 'Bearer secret-token' },
};

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', note: 'string', total: 'number', status: 'string' },
  proxy: { ...proxy, url: '/orders', use: [retry({ backoff: { base: 120, max: 200 } })] },
}) {}
class Customer extends Model.define({
  name: 'customer',
  fields: { id: 'int', name: 'string', iban: 'string' },
  proxy: { ...proxy, url: '/customers' },
}) {}

const session = new Session();
const connection = { online: true, onOnline: () => () => undefined };
const outbox = new Outbox({ scope: 'ada', storage: memoryStorage(), connection });
await outbox.ready;
const Kept = Customer.with({ proxy: { use: [outbox] } });
const { searchParams } = new URL(location.href);
const place = searchParams.get('place');
const into = place === 'element' ? (document.querySelector('#inspector') ?? undefined) : undefined;
const inspector = mountInspector([session, outbox], {
  secrets: ['iban'],
  ...(into && { into }),
  ...(searchParams.has('open') && { open: true }),
});
const orders = new Store({
  model: Order,
  session,
  pageSize: 20,
  sorters: ['note'],
  remoteSort: true,
  remoteFilter: true,
});

/** Does what a user does: a list, a page, a save, a refused save, a repeated request, a wrong request, a write without network. */
async function visit(): Promise<void> {
  await orders.load();
  await orders.load({ page: 2 });
  const order = await session.load(Order, 3);
  order.set({ note: 'changed', total: 12 });
  await order.save();
  server.fetch.plan({ type: 'status', status: 422 });
  order.set({ total: -1 });
  await order.save().catch(() => undefined);
  order.reject();
  server.fetch.plan({ type: 'status', status: 503 }, 'drop');
  await orders.reload();
  await session.load(Order, 999).catch(() => undefined);
  await session.load(Order, 1, { params: { wrong: Symbol('wrong') } as never }).catch(() => undefined);
  await session.load(Customer, 1);
  receive(orders, [{ id: 500, note: 'pushed', total: 1, status: 'open' }]);
}

/** Saves a customer while there is no network: the outbox keeps the save. */
async function visitOffline(): Promise<void> {
  connection.online = false;
  new Kept({ name: 'Grace', iban: 'DE99' }).save().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Loads an order whose response is hostile: markup in all of its parts, and numbers that JavaScript would round. */
async function visitHostile(): Promise<void> {
  const headers = { 'X-Total-Count': '1', Warning: hostile, ETag: `"${hostile}"` };
  const body = `{"data":{"id":7,"note":${JSON.stringify(hostile)},"long":9007199254740993,"one":1.0}}`;
  const Hostile = Order.with({ proxy: { fetch: async () => new Response(body, { headers }) } });
  await session.load(Hostile, 7);
  const Refused = Order.with({ proxy: { fetch: async () => Response.json({ message: hostile }, { status: 422 }) } });
  await session.load(Refused, 8).catch(() => undefined);
}

Object.assign(globalThis, {
  app: { visit, visitOffline, visitHostile, inspector, session, orders, Order, mountInspector, server },
});
document.body.dataset['ready'] = 'true';
