import { auth, Session, Store, type StoreObserver } from 'repose';
import { record } from 'repose/devtools';
import { groups } from 'repose/groups';
import { history } from 'repose/history';
import { feed, serverSentEvents } from 'repose/live';
import { indexedDbStorage, Outbox } from 'repose/outbox';
import { TreeStore } from 'repose/tree';
import { shopModels } from '../models.js';
import { Credentials } from './credentials.js';
import { Network } from './network.js';
import { Uploads } from './uploads.js';
import { Value } from './value.js';

/** A user of the application, and everything that works for this user. */
export type Client = ReturnType<typeof openClient>;

// #region client
/** A session that remembers what was done in it, so that it can be undone. */
class ShopSession extends Session {
  static override readonly parts: readonly StoreObserver[] = [...Session.parts, history()];
}

/** Opens a client: a network, a sign-in, an outbox, a session, stores, and a feed of what others change. */
export function openClient({ name }: { readonly name: string }) {
  const network = new Network();
  const credentials = new Credentials(name, network.fetch);
  const uploads = new Uploads(network);
  const outbox = new Outbox({
    scope: name,
    storage: indexedDbStorage(`shop-${name}`),
    connection: {
      get online() {
        return network.online.get();
      },
      onOnline: (listener) => listen(network, 'online', listener),
      onOffline: (listener) => listen(network, 'offline', listener),
    },
  });
  const models = shopModels({
    fetch: network.fetch,
    headers: credentials.headers,
    use: [auth({ renew: credentials.renew }), outbox],
    onProgress: uploads.onProgress,
  });
  const session = new ShopSession();
  const orders = new Store({ model: models.Order, session, pageSize: 100, remoteSort: true, remoteFilter: true });
  const sums = new Store({
    model: models.OrderSum,
    pageSize: 0,
    remoteFilter: true,
    groups: groups({ summaries: { count: 'sum', total: 'sum' } }),
  });
  const customers = new Store({ model: models.Customer, session, pageSize: 50, remoteFilter: true });
  const categories = new Store({ model: models.Category, session, pageSize: 0 });
  const { Order, Customer, Category, Line, Attachment, Change } = models;
  // The outbox sends the lines that it has kept over a reload, although no order is on the screen: it knows the models of stores.
  const lines = new Store({ model: Line, session, pageSize: 0 });
  const tree = new TreeStore({ model: Category, session, sorters: ['name'], lazy: true });
  // From the first request on, whenever somebody opens the inspector.
  const recorder = record([session, sums, outbox]);
  // One stream brings the changes of all tables, for all stores of the session.
  const live = feed(session, {
    open: serverSentEvents(Order, { url: '/app/events', silence: 45_000 }),
    models: [Order, Customer, Category, Line, Attachment, Change],
    backoff: { base: 500, max: 8000 },
    version: (row) => row['version'],
    events: network,
  });
  // #endregion

  return {
    name,
    network,
    auth: credentials,
    outbox,
    models,
    session,
    orders,
    customers,
    categories,
    tree,
    uploads,
    sums,
    live,
    recorder,
    /** Ids of the orders on the screen. */
    onScreen: new Value<readonly number[]>([]),
    async dispose(): Promise<void> {
      live.close();
      recorder.dispose();
      tree.dispose();
      for (const store of [orders, sums, customers, categories, lines]) store.dispose();
      session.dispose();
      network.dispose();
      await outbox.close();
    },
  };
}

function listen(network: Network, type: string, listener: () => void): () => void {
  network.addEventListener(type, listener);
  return () => network.removeEventListener(type, listener);
}
