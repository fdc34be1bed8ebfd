import { auth, Session, Store } from 'repose';
import { record } from 'repose/devtools';
import { groups } from 'repose/groups';
import { historyOf } from 'repose/history';
import { feed, type OpenFeed, serverSentEvents } from 'repose/live';
import { indexedDbStorage, Outbox } from 'repose/outbox';
import { TreeStore } from 'repose/tree';
import { GridView } from '../grid/grid-view.js';
import { shopModels } from '../models.js';
import { Credentials } from './credentials.js';
import { Network } from './network.js';
import { Uploads } from './uploads.js';
import { Value } from './value.js';

/** A user of the application, and everything that works for this user. */
export type Client = ReturnType<typeof openClient>;

// #region client
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
    use: [auth({ scope: name, renew: credentials.renew }), outbox],
    onProgress: uploads.onProgress,
  });
  const session = new Session();
  // Everything that is done in the session can be undone, from the beginning.
  historyOf(session);
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
  const view = new GridView();
  const orderChanges = new Value(0);
  // One stream brings the changes of all tables, for all stores of the session.
  const live = feed(session, {
    open: counting(orderChanges, serverSentEvents(Order, { url: '/app/events', silence: 45_000 })),
    models: [Order, Customer, Category, Line, Attachment, Change],
    backoff: { base: 500, max: 8000 },
    version: (row) => row['revision'] ?? row['version'],
    events: network,
  });
  // A feed that the server has refused asks again only when it is told to.
  const stopFollowing = credentials.state.subscribe(() => {
    if (credentials.state.get() === 'signed-in') live.reconnect();
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
    /** Number of times that the feed has told changes of orders, or that it may have missed some. */
    orderChanges,
    view,
    /** The text by which the tree is filtered. It belongs to the client, as the filter does: both stay while another place is shown. */
    wantedCategory: new Value(''),
    /** Ids of the orders on the screen. */
    onScreen: new Value<readonly number[]>([]),
    async dispose(): Promise<void> {
      view.dispose();
      stopFollowing();
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

/** Counts the times at which a feed tells that orders have changed, for sums that no row of the feed carries. */
function counting(changes: Value<number>, open: OpenFeed): OpenFeed {
  const count = () => changes.set(changes.get() + 1);
  return ({ sink, ...connection }) =>
    open({
      ...connection,
      sink: {
        changes: (list, cursor) => {
          sink.changes(list, cursor);
          if (list.some(({ model }) => model === 'order')) count();
        },
        live: () => sink.live(),
        retryAfter: (milliseconds) => sink.retryAfter(milliseconds),
        reset: (why) => {
          sink.reset(why);
          count();
        },
      },
    });
}

function listen(network: Network, type: string, listener: () => void): () => void {
  network.addEventListener(type, listener);
  return () => network.removeEventListener(type, listener);
}
