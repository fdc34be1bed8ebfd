import { auth, Session, Store } from 'repose';
import { type Feed, feed, serverSentEvents } from 'repose/live';
import { indexedDbStorage, Outbox } from 'repose/outbox';
import { shopModels } from '../models.js';
import { Credentials } from './credentials.js';
import { Network } from './network.js';
import { Value } from './value.js';

/** A user of the application, and everything that works for this user. */
export type Client = ReturnType<typeof openClient>;

// #region client
/** Opens a client: a network, a sign-in, an outbox, a session, stores, and a feed of what others change. */
export function openClient({ name }: { readonly name: string }) {
  const network = new Network();
  const credentials = new Credentials(name, network.fetch);
  const { events } = network;
  const outbox = new Outbox({
    scope: name,
    storage: indexedDbStorage(`shop-${name}`),
    connection: {
      get online() {
        return network.online.get();
      },
      onOnline: (listener) => listen(events, 'online', listener),
      onOffline: (listener) => listen(events, 'offline', listener),
    },
  });
  const models = shopModels({
    fetch: network.fetch,
    headers: () => ({ ...credentials.headers(), 'X-Client': name }),
    use: [auth({ renew: credentials.renew }), outbox],
  });
  const session = new Session();
  const orders = new Store({ model: models.Order, session, pageSize: 100, remoteSort: true, remoteFilter: true });
  const customers = new Store({ model: models.Customer, session, pageSize: 50, remoteFilter: true });
  const categories = new Store({ model: models.Category, session, pageSize: 0 });
  const feeds: Feed[] = [feed(orders, { open: serverSentEvents(models.Order), version: 'version', events })];
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
    feeds,
    /** Ids of the orders on the screen. */
    onScreen: new Value<readonly number[]>([]),
    async dispose(): Promise<void> {
      for (const each of feeds) each.close();
      session.dispose();
      network.dispose();
      await outbox.close();
    },
  };
}

function listen(events: EventTarget, type: string, listener: () => void): () => void {
  events.addEventListener(type, listener);
  return () => events.removeEventListener(type, listener);
}
