import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { type FaultingFetch, faultingFetch } from './faulting-fetch.js';
import { type SeenRequest, seededRandom } from './faults.js';
import { receiveBody } from './receive-body.js';
import { misuse, Refusal, type Reply } from './refusal.js';
import { copyRow, RestCollection } from './rest-collection.js';
import { checkServer, type RestCollectionConfig, type RestServerOptions } from './rest-config.js';
import { RestHandler } from './rest-handler.js';
import { ChangeLog, type RowChange } from './row-changes.js';
import { delayer, faultsOf } from './server-network.js';

/** A REST server in memory. */
export interface RestServer {
  /** Value for the proxy's option `fetch`: a {@link FaultingFetch}, whose `plan`, `waitFor` and `release` a test may use. */
  readonly fetch: FaultingFetch;
  /** Value for the proxy's option `baseUrl`. */
  readonly baseUrl: string;
  /** Every request made so far, with its outcome. */
  readonly requests: readonly SeenRequest[];
  /**
   * A copy of the current rows of a collection. `/users/7/posts` returns the posts of one user, `/users/{userId}/posts` all posts.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [{ id: 7, name: 'Ada' }] } });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * await (await Tested.load(7)).erase();
   * show(server.rows('/users')); // []
   * ```
   */
  rows(path: string): Record<string, unknown>[];
  /**
   * Replaces the rows of a collection, as if another client had written them.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [{ id: 7, name: 'Ada' }] } });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * const user = await Tested.load(7);
   * server.setRows('/users', [{ id: 7, name: 'Grace' }]); // somebody else has changed it
   * show((await user.load()).name); // 'Grace'
   * ```
   */
  setRows(path: string, rows: readonly object[]): void;
  /**
   * Ends all connections over which events are sent, as a lost network does.
   *
   * @example
   * ```ts
   * import { feed, serverSentEvents } from 'repose/live';
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [] } });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * const live = feed(new Store({ model: Tested }), { open: serverSentEvents(Tested) });
   * server.endEvents();
   * server.setRows('/users', [{ id: 7, name: 'Ada' }]); // comes when the feed has connected again
   * live.close();
   * ```
   */
  endEvents(): void;
  /**
   * Ends all planned and random faults. Held requests continue; the latency stays.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [] }, faults: { drop: 0.5 }, seed: 42 });
   * // After the part of the test in which requests fail:
   * server.heal();
   * await outbox.drained();
   * ```
   */
  heal(): void;
}

/**
 * A REST server for tests, as a `fetch`: keeps rows in memory, answers like a real server, and simulates an unreliable network that
 * is repeatable by a seed. Opens no port and uses no timers of its own.
 *
 * Supports reads of single rows and lists (pages, sorting, filtering and searching in the classic and the plain dialect), creates,
 * updates by PUT and PATCH and deletes, single or in bulk, ETags, idempotency keys, and the statuses 304, 404, 405, 409, 412, 415, 422
 * and 428. A `GET` of a collection with `Accept: text/event-stream` gets its changes as they are made, by `setRows()` too. Throws `DefinitionError` for invalid options.
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
  const log = new ChangeLog(options.eventLog ?? 1000);
  const handler = createHandler(options, new URL(baseUrl).pathname.replace(/\/+$/, ''), seededRandom(~seed), log);
  // The first rows are no changes.
  log.clear();
  const done = new Map<string, { readonly request: string; readonly reply: Reply }>();

  /** Processes a write with an idempotency key only once, and repeats its response. */
  const once = (key: string | null, request: string, handle: () => Reply | undefined): Reply | undefined => {
    if (!key) return handle();
    const known = done.get(key);
    if (known && known.request !== request)
      return new Refusal(422, `The key '${key}' was used for another request`).reply;
    if (known) return { ...known.reply, headers: { ...known.reply.headers, 'Idempotent-Replayed': 'true' } };
    const reply = handle();
    // A refused write was not processed, so the same key may be used for a corrected one.
    if (reply && reply.status < 400) done.set(key, { request, reply });
    return reply;
  };

  const delay = delayer(options, seed);
  let last: Promise<unknown> = Promise.resolve();
  const serve = async (request: Request): Promise<Response> => {
    // Bodies are received one after the other, so that requests are processed in the order in which they were made.
    const received = last.then(() => receiveBody(request));
    last = received.catch(() => undefined);
    const { body, headers } = await received;
    const { method, url } = request;
    // The query is left out of the comparison, because a cache-buster differs in each attempt.
    const key = method === 'GET' || !idempotencyHeader ? null : headers.get(idempotencyHeader);
    const stream = handler.stream({ method, url: new URL(url), headers, body }, log, request.signal);
    if (stream) {
      await delay(request.signal);
      return Object.defineProperty(stream, 'url', { value: url });
    }
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
    endEvents: () => log.endStreams(),
    heal: () => fetch.heal(),
  };
}

function createHandler(options: RestServerOptions, prefix: string, random: () => number, log: ChangeLog): RestHandler {
  let version = 0;
  const shared = {
    ...{ random, nextVersion: () => (version += 1) },
    changed: (change: RowChange) => log.add(change),
  };
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

/** Throws for rows that no server could send. */
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
