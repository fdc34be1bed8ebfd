import { createHash } from 'node:crypto';
import {
  type AjaxProxyConfig,
  bigint,
  type Extension,
  etags,
  HttpError,
  Model,
  Operation,
  RestProxy,
  Store,
  streaming,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ROWS = [
  { id: 1, name: 'a' },
  { id: 2, name: 'b' },
];

const hash = (json: unknown) => createHash('sha256').update(JSON.stringify(json)).digest('hex');

/** Answers 304 to the ETag of its rows, which are those of a user. */
const answer = (rows: (request: Received) => unknown, headers: Record<string, string> = {}) =>
  server.always((request): Reply => {
    const json = rows(request);
    const etag = `"${hash(json)}"`;
    const all = { ETag: etag, ...headers };
    return request.headers['if-none-match'] === etag ? { status: 304, headers: all } : { headers: all, json };
  });
const proxyOf = (config: AjaxProxyConfig = {}) =>
  new RestProxy({
    ...(server.proxy('/tasks', { noCache: false }) as object),
    use: [etags({ unknown: 'send' })],
    ...config,
  });
const list = (proxy: RestProxy, config: object = {}) => proxy.read(new Operation({ action: 'read', ...config }));
/** Whether each request had an `If-None-Match`. */
const sent = () => server.requests.map(({ headers }) => headers['if-none-match'] !== undefined);

class Task extends Model.define({ name: 'task', fields: { id: 'int', name: 'string' } }) {}

describe('cached lists', () => {
  test('are requested with their ETag; a 304 gives the same page with new row objects', async () => {
    answer(() => ROWS);
    const proxy = proxyOf();
    const [first, second] = [await list(proxy), await list(proxy)];
    expect(sent()).toEqual([false, true]);
    expect(second.rows).toEqual(ROWS);
    expect(second.rows[0]).not.toBe(first.rows[0]);
    const operation = new Operation({ action: 'read' });
    await proxy.read(operation);
    expect(operation.response).toMatchObject({
      status: 304,
      unchanged: true,
      body: ROWS,
      url: expect.stringContaining('/tasks'),
    });
  });

  test('let a store keep its records and edits over a 304, and show new rows', async () => {
    let rows = ROWS;
    answer(() => rows);
    const store = new Store({ model: Task, proxy: proxyOf() });
    const [first] = await store.load();
    (first as Task).name = 'mine';
    await store.load();
    expect(store.count).toBe(2);
    expect(first).toMatchObject({ name: 'mine', dirty: true });
    rows = [...ROWS, { id: 3, name: 'c' }];
    await store.load();
    expect(sent()).toEqual([false, true, true]);
    expect(store.count).toBe(3);
    await store.load();
    expect(store.count).toBe(3);
  });

  test('are kept by address, ignoring the cache-buster', async () => {
    answer(({ query }) => [{ id: Number(query.get('n')) }]);
    let now = 0;
    const proxy = proxyOf({ noCache: true, clock: { now: () => (now += 1), after: () => () => undefined } });
    for (const n of [1, 2, 1]) await list(proxy, { params: { n } });
    expect(sent()).toEqual([false, false, true]);
    expect(new Set(server.requests.map(({ query }) => query.get('_dc'))).size).toBe(3);
  });

  test.each(['Authorization', 'X-Tenant', 'Accept-Language'])('are never used for another %s', async (name) => {
    // A server whose ETags do not tell users apart.
    server.always(({ headers }) =>
      headers['if-none-match']
        ? { status: 304 }
        : { headers: { ETag: '"same"' }, json: [{ id: headers[name.toLowerCase()] }] },
    );
    let user = 'ada';
    const proxy = proxyOf({ headers: () => ({ [name]: user, traceparent: `${server.requests.length}` }) });
    const ids = async () => (await list(proxy)).rows;
    expect(await ids()).toEqual([{ id: 'ada' }]);
    user = 'bob';
    expect(await ids()).toEqual([{ id: 'bob' }]);
    user = 'ada';
    expect(await ids()).toEqual([{ id: 'ada' }]);
    expect(sent()).toEqual([false, false, true]);
    expect(await list(proxyOf({ headers: { [name]: 'eve' } }))).toMatchObject({ rows: [{ id: 'eve' }] });
  });

  test.each([
    ['Cache-Control', 'private, no-store'],
    ['Vary', 'Accept, Cookie'],
    ['Vary', '*'],
  ])('are not kept with %s: %s', async (name, value) => {
    answer(() => ROWS, { [name]: value });
    const proxy = proxyOf();
    await list(proxy);
    await list(proxy);
    expect(sent()).toEqual([false, false]);
  });

  test('are not kept without an ETag or `etags()`, of an error, of other bodies than JSON lists, and of other methods than GET', async () => {
    const proxy = proxyOf();
    const twice = async (reply: Reply, read: () => Promise<unknown>) => {
      server.reset();
      server.always(() => reply);
      for (let i = 0; i < 2; i += 1) await read().catch(() => undefined);
      expect(sent()).toEqual([false, false]);
    };
    const headers = { ETag: '"a"' };
    const json = ROWS;
    await twice({ json }, () => list(proxy));
    await twice({ headers, status: 500, json }, () => list(proxy));
    await twice({ headers, text: '<html>' }, () => list(proxy));
    await twice({ headers, json: ROWS[0] }, () => list(proxy, { id: 1 }));
    await twice({ headers, json }, () => proxy.send({ url: '/tasks' }));
    const silent = proxyOf({ use: [] });
    await twice({ headers, json }, () => list(silent));
    const search = proxyOf({ actionMethods: { read: 'SEARCH' } });
    await twice({ headers, json }, () => list(search));
    const streamed = proxyOf({ reader: { stream: true }, use: [etags(), streaming()] });
    await twice({ headers, json }, () => list(streamed, { onRows: () => undefined }));
    await twice({ headers, text: JSON.stringify(['x'.repeat(1_000_001)]) }, () => list(proxy));
  });

  test('are not used to answer a condition that the call brings itself', async () => {
    answer(() => ROWS);
    const proxy = proxyOf();
    await list(proxy);
    const etag = server.last.headers;
    expect(etag['if-none-match']).toBeUndefined();
    const own = {
      headers: { 'If-None-Match': `"${hash(ROWS)}"` },
    };
    await expect(list(proxy, own)).rejects.toMatchObject({ code: 'read', reason: 'response-unchanged' });
    await list(proxy);
    expect(sent()).toEqual([false, true, true]);
  });

  test('are forgotten when the next response cannot be cached', async () => {
    const proxy = proxyOf();
    server.reply({ headers: { ETag: '"a"' }, json: ROWS }, { json: [] }, { json: [] });
    for (let i = 0; i < 3; i += 1) await list(proxy);
    expect(sent()).toEqual([false, true, false]);
  });

  test('are forgotten with every write, because an ETag may not change with the rows', async () => {
    const proxy = proxyOf();
    const known: Reply = { headers: { ETag: 'W/"2"' }, json: ROWS };
    const store = new Store({ model: Task, proxy });
    server.reply(known, { status: 204 }, known, { drop: true }, known, { json: {} }, known);
    await store.load();
    (store.getAt(0) as Task).name = 'mine';
    await store.sync();
    await list(proxy);
    store.remove(store.getAt(1) as Task);
    await store.sync();
    await list(proxy);
    await proxy.send({ method: 'POST', path: 'archive' });
    await list(proxy);
    expect(server.lines.filter((line) => line.startsWith('GET'))).toHaveLength(4);
    expect(sent()).not.toContain(true);
  });

  test('are not kept if they were loading during a write', async () => {
    const proxy = proxyOf();
    const known: Reply = { headers: { ETag: '"a"' }, json: ROWS };
    const held = server.hold();
    const reading = list(proxy);
    await held.request;
    server.reply({ status: 204 });
    await proxy.erase(new Operation({ action: 'destroy', records: [Task.fromRow(ROWS[0] as object) as never] }));
    held.answer(known);
    await reading;
    server.reply(known);
    await list(proxy);
    expect(sent()).not.toContain(true);
  });

  test('belong to one proxy, even if several share the extension', async () => {
    answer(() => ROWS);
    const use = [etags()];
    const [one, two] = [proxyOf({ use }), proxyOf({ use })];
    await list(one);
    await list(two);
    expect(sent()).toEqual([false, false]);
    await list(one);
    expect(sent()).toEqual([false, false, true]);
  });

  test('are kept by the headers that extensions have set', async () => {
    answer(({ headers }) => [{ id: headers['x-user'] }]);
    let user = 'ada';
    const sign: Extension = {
      name: 'sign',
      layer: LAYERS.retry,
      send(request, next) {
        request.onHeaders.push((headers) => headers.set('X-User', user));
        return next(request);
      },
    };
    const proxy = proxyOf({ use: [etags(), sign] });
    await list(proxy);
    user = 'bob';
    expect((await list(proxy)).rows).toEqual([{ id: 'bob' }]);
    expect(sent()).toEqual([false, false]);
  });

  test('are kept when a later request fails', async () => {
    const proxy = proxyOf();
    server.reply({ headers: { ETag: '"a"' }, json: ROWS }, { status: 500 }, { status: 304 });
    await list(proxy);
    await expect(list(proxy)).rejects.toBeInstanceOf(HttpError);
    expect((await list(proxy)).rows).toEqual(ROWS);
  });

  test('take new headers from a 304', async () => {
    const proxy = proxyOf();
    const operation = new Operation({ action: 'read' });
    server.reply(
      { headers: { ETag: '"a"', 'X-Total-Count': '9', 'X-Other': '1' }, json: ROWS },
      { status: 304, headers: { 'X-Other': '2', 'Content-Language': 'xx' } },
    );
    await list(proxy);
    await proxy.read(operation);
    const { headers } = operation.response as { headers: Headers };
    expect(['x-total-count', 'x-other', 'content-language', 'content-type'].map((each) => headers.get(each))).toEqual([
      '9',
      '2',
      null,
      'application/json',
    ]);
  });

  test('keep the digits of long numbers over a 304', async () => {
    class Big extends Model.define({ name: 'big', fields: { id: bigint() } }) {}
    const text = '[{"id":9007199254740993}]';
    server.reply({ headers: { ETag: '"a"' }, text }, { status: 304 });
    const store = new Store({ model: Big, proxy: proxyOf() });
    for (let i = 0; i < 2; i += 1) await store.load();
    expect(store.getAt(0)?.id).toBe(9007199254740993n);
    expect(sent()).toEqual([false, true]);
  });
});

describe('the size of the cache', () => {
  test('is limited to the twenty addresses that were used last', async () => {
    answer(({ query }) => [{ id: Number(query.get('n')) }]);
    const proxy = proxyOf();
    const ask = async (n: number) => {
      await list(proxy, { params: { n } });
      return sent().at(-1);
    };
    for (let n = 1; n <= 20; n += 1) await ask(n);
    expect(await ask(1)).toBe(true);
    expect(await ask(21)).toBe(false);
    expect(await ask(1)).toBe(true);
    expect(await ask(2)).toBe(false);
  });

  test('is limited to some million characters', async () => {
    answer(({ query }) => [{ id: Number(query.get('n')), text: 'x'.repeat(900_000) }]);
    const proxy = proxyOf();
    const ask = async (n: number) => {
      await list(proxy, { params: { n } });
      return sent().at(-1);
    };
    for (let n = 1; n <= 6; n += 1) await ask(n);
    expect(await ask(6)).toBe(true);
    expect(await ask(1)).toBe(false);
  });
});

test('a response is not that of another user, whose header an extension further inside has added', async () => {
  let user = 'ada';
  const signed: Extension = {
    name: 'signed',
    layer: LAYERS.telemetry + 1,
    send(request, next) {
      request.onHeaders.push((headers) => headers.set('X-User', user));
      return next(request);
    },
  };
  // Servers that count versions give the same ETag to the lists of two users.
  server.always(({ headers }) =>
    headers['if-none-match'] === '"1"'
      ? { status: 304, headers: { ETag: '"1"' } }
      : { headers: { ETag: '"1"' }, json: [{ id: 1, name: `of ${headers['x-user']}` }] },
  );
  const proxy = proxyOf({ use: [etags(), signed] });
  const named = async () => (await list(proxy)).rows.map((row) => (row as { name: string }).name);
  expect([await named(), await named()]).toEqual([['of ada'], ['of ada']]);
  user = 'bob';
  expect([await named(), await named()]).toEqual([['of bob'], ['of bob']]);
  expect(sent()).toEqual([false, true, false, true]);
});
