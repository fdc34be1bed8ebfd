import { classic, Model, RestProxy, Session, Store } from 'repose';
import { type RestServer, restServer } from 'repose/testing';

/** A class of orders and one of customers whose requests a server in memory answers. */
export function shop(server: RestServer) {
  const { fetch, baseUrl } = server;
  const reader = { rootProperty: 'data' };
  const proxy = { type: RestProxy, fetch, baseUrl, noCache: false, dialect: classic, reader };
  class Customer extends Model.define({
    name: 'customer',
    fields: { id: 'int', name: 'string', iban: 'string' },
    proxy: { ...proxy, url: '/customers', headers: { Authorization: 'Bearer abc123' } },
  }) {}
  class Order extends Model.define({
    name: 'order',
    fields: { id: 'int', note: 'string', total: 'number', customerId: 'int' },
    proxy: { ...proxy, url: '/orders', headers: { Authorization: 'Bearer abc123' } },
  }) {}
  return { Customer, Order };
}

/** A server with three orders and two customers. */
export function shopServer(options: Partial<Parameters<typeof restServer>[0]> = {}): RestServer {
  return restServer({
    envelope: { rootProperty: 'data' },
    ignoredParams: ['tenant', '_dc'],
    collections: {
      '/orders': [
        { id: 1, note: 'tea', total: 10, customerId: 1 },
        { id: 2, note: 'milk', total: 20, customerId: 1 },
        { id: 3, note: 'bread', total: 30, customerId: 2 },
      ],
      '/customers': [
        { id: 1, name: 'Ada', iban: 'DE12' },
        { id: 2, name: 'Bob', iban: 'DE34' },
      ],
    },
    ...options,
  });
}

/** Resolves when the records of ended operations have been shown. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export { Session, Store };
