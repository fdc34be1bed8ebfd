import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { checkServer } from './check-options.js';
import { type FaultingFetch, faultingFetch } from './faulting-fetch.js';
import type { SeenRequest } from './faults.js';
import { misuse } from './misuse.js';
import { seededRandom } from './random-faults.js';
import { Refusal, type Reply } from './refusal.js';
import { copyRow, RestCollection } from './rest-collection.js';
import type { RestCollectionConfig, RestServerOptions } from './rest-config.js';
import { RestHandler } from './rest-handler.js';
import { delayer, faultsOf } from './server-network.js';

/** A REST server in memory. */
export interface RestServer {
  /** For the proxy's option of that name: a {@link FaultingFetch}, whose `plan`, `waitFor` and `release` a test may use. */
  readonly fetch: FaultingFetch;
  /** For the proxy's option of that name. */
  readonly baseUrl: string;
  /** Every request made so far, and what became of it. */
  readonly requests: readonly SeenRequest[];
  /** The rows of a collection as they are now, copied. `/users/7/posts` gives those of one user, `/users/{userId}/posts` all. */
  rows(path: string): Record<string, unknown>[];
  /** Puts other rows in place of those of a collection, as if somebody else had written them. */
  setRows(path: string, rows: readonly object[]): void;
  /** Ends all faults: neither planned ones nor any by chance will happen, and what is held goes on. The latency stays. */
  heal(): void;
}

/**
 * A REST server for tests, as a `fetch`: keeps rows in memory and speaks as servers do, over a network that is as bad as you
 * like, by a seed. Opens no port and waits for nothing.
 *
 * Reads one and many (pages, sorting, filtering and searching in the words of the classic and the plain dialect), creates,
 * updates by PUT and PATCH and removes, one or in bulk; knows ETags, idempotency keys, 304, 404, 405, 409, 412, 415, 422, 428.
 * Throws `DefinitionError` for options that cannot be meant.
 *
 * @example
 * ```ts
 * import { restServer } from 'repose/testing';
 *
 * const server = restServer({ collections: { '/users': [{ id: 7, name: 'Ada' }] }, faults: { lose: 0.1 }, seed: 42 });
 * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl, url: '/users' } });
 * const user = await Tested.load(7);
 * await user.set('name', 'Grace').save();
 * show(server.rows('/users')); // [{ id: 7, name: 'Grace' }]
 * ```
 */
export function restServer(options: RestServerOptions): RestServer {
  checkServer(options);
  const { baseUrl = 'http://test.local', seed = 1, idempotencyHeader = 'Idempotency-Key', otherwise } = options;
  const handler = createHandler(options, new URL(baseUrl).pathname.replace(/\/+$/, ''), seededRandom(~seed));
  const done = new Map<string, { readonly request: string; readonly reply: Reply }>();

  /** A write under a key is done once. */
  const once = (key: string | null, request: string, handle: () => Reply | undefined): Reply | undefined => {
    if (!key) return handle();
    const known = done.get(key);
    if (known && known.request !== request)
      return new Refusal(422, `The key '${key}' was used for another request`).reply;
    if (known) return { ...known.reply, headers: { ...known.reply.headers, 'Idempotent-Replayed': 'true' } };
    const reply = handle();
    // What was refused was not done: it may come again, mended.
    if (reply && reply.status < 400) done.set(key, { request, reply });
    return reply;
  };

  const delay = delayer(options, seed);
  let last: Promise<unknown> = Promise.resolve();
  const serve = async (request: Request): Promise<Response> => {
    // Bodies are received one after the other: requests are done in the order in which they were made.
    const received = last.then(() => request.clone().text());
    last = received.catch(() => undefined);
    const body = await received;
    const { method, url, headers } = request;
    // Not the query: a cache-buster is another one each time.
    const key = method === 'GET' || !idempotencyHeader ? null : headers.get(idempotencyHeader);
    const reply = once(key, `${method} ${new URL(url).pathname} ${body}`, () =>
      handler.handle({ method, url: new URL(url), headers, body }),
    );
    const response = reply ? responseOf(reply, request) : ((await otherwise?.(request)) ?? nowhere(handler, request));
    await delay(request.signal);
    return response;
  };

  const fetch = faultingFetch({ fetch: serve, baseUrl, faults: faultsOf(options, seed) });
  const at = (path: string) => {
    const found = handler.find(path);
    if (!found) throw misuse('test-collection', { path, known: pathsOf(handler) });
    return found;
  };
  return {
    fetch,
    baseUrl,
    requests: fetch.requests,
    rows: (path) => handler.rows(at(path)).map(({ row }) => copyRow(row)),
    setRows(path, rows) {
      const { collection } = at(path);
      if (collection.path !== path) throw misuse('test-collection', { path, known: pathsOf(handler) });
      checkRows(collection, rows);
      collection.replaceAll(rows);
    },
    heal: () => fetch.heal(),
  };
}

function createHandler(options: RestServerOptions, prefix: string, random: () => number): RestHandler {
  let version = 0;
  const shared = { random, nextVersion: () => (version += 1) };
  const collections = Object.entries(options.collections).map(([path, given]) => {
    if (!/^\/[^?#]*[^/?#]$/.test(path)) throw misuse('test-path', { path });
    const config: RestCollectionConfig = Array.isArray(given) ? { rows: given } : (given as RestCollectionConfig);
    const model = (config.model?.prototype as OperationRecord | undefined)?.[MODEL];
    if (config.model && !model) throw misuse('test-model', { path });
    const collection = new RestCollection(path, config, model, shared);
    checkRows(collection, config.rows ?? []);
    collection.replaceAll(config.rows ?? []);
    return collection;
  });
  return new RestHandler(options, collections, prefix);
}

/** Refuses rows that no server could send. */
function checkRows(collection: RestCollection, rows: readonly object[]): void {
  const ids = new Set<string>();
  for (const [row, each] of rows.entries()) {
    const id = collection.idOf(each);
    const twice = id !== undefined && ids.has(String(id)) ? `has the id ${id} of another row` : undefined;
    const why = wrongWith(each) ?? twice;
    if (why) throw misuse('test-row', { path: collection.path, row, why });
    if (id !== undefined) ids.add(String(id));
  }
}

function wrongWith(row: unknown): string | undefined {
  if (!isData(row)) return 'is not an object';
  try {
    JSON.stringify(row);
    return undefined;
  } catch (error) {
    return `cannot be JSON: ${(error as Error).message}`;
  }
}

function responseOf({ status, body, headers }: Reply, { method, url, headers: asked }: Request): Response {
  const lines = Array.isArray(body) && /\b(x-ndjson|jsonl)\b/.test(asked.get('accept') ?? '');
  const text = lines ? body.map((each) => `${JSON.stringify(each)}\n`).join('') : JSON.stringify(body);
  const all = new Headers();
  if (body !== undefined) all.set('Content-Type', lines ? 'application/x-ndjson' : 'application/json');
  for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
  const response = new Response(body === undefined || method === 'HEAD' ? null : text, { status, headers: all });
  return Object.defineProperty(response, 'url', { value: url });
}

function nowhere(handler: RestHandler, request: Request): Response {
  const { pathname } = new URL(request.url);
  return responseOf(new Refusal(404, `There is no collection at ${pathname}, but: ${pathsOf(handler)}`).reply, request);
}

function pathsOf({ collections }: RestHandler): string {
  return collections.map(({ path }) => path).join(', ') || 'none';
}
