import { Problem } from '../problem.js';
import { changeSeveral, removeSeveral } from './bulk.js';
import { create } from './create.js';
import type { Exchange } from './exchange.js';
import { change, read, remove } from './item.js';
import { list } from './list.js';

type Handler = (exchange: Exchange) => Response | Promise<Response>;

const collection: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['GET', list],
  ['HEAD', list],
  ['POST', create],
  ['PUT', (exchange) => changeSeveral(exchange, 'replace')],
  ['PATCH', (exchange) => changeSeveral(exchange, 'merge')],
  ['DELETE', removeSeveral],
]);

const item: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['GET', read],
  ['HEAD', read],
  ['PUT', (exchange) => change(exchange, 'replace')],
  ['PATCH', (exchange) => change(exchange, 'merge')],
  ['DELETE', remove],
]);

/** Answers a request to an address of the API. */
export function route(exchange: Exchange): Response | Promise<Response> {
  const handlers = exchange.address.id === undefined ? collection : item;
  const { method } = exchange.request;
  const handler = handlers.get(method);
  if (handler) return handler(exchange);
  throw new Problem(405, `${method} is not for this address`, {}, { Allow: [...handlers.keys()].join(', ') });
}
