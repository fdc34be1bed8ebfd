import {
  AuthError,
  auth,
  DefinitionError,
  HttpError,
  idempotency,
  Model,
  NetworkError,
  Operation,
  type OperationEvent,
  off,
  RestProxy,
  type RestProxyConfig,
  rateLimit,
  retry,
  Store,
  streaming,
  telemetry,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { EventClock, ending, settled } from '../extensions/support.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

/** Repeats at once. */
const retryAtOnce = retry({ backoff: { base: 0 } });

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: { type: 'rest', url: '/users', noCache: false },
}) {}
const modelOf = (proxy: RestProxyConfig) => User.with({ proxy: { baseUrl: server.url, ...proxy } });
const proxyOf = (config: RestProxyConfig) =>
  new RestProxy({ url: '/users', noCache: false, baseUrl: server.url, ...config });
const read = (config = {}) => new Operation({ action: 'read', ...config });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error) => error,
  );

describe('retry', () => {
  test('repeats reads, updates and destroys, and counts the attempts in the operation', async () => {
    const Mine = modelOf({ use: [retryAtOnce] });
    server.reply({ drop: true }, { status: 503 }, { json: { id: 7, name: 'Ed' } });
    const user = await Mine.load(7);
    expect(server.lines).toEqual(Array(3).fill('GET /users/7'));
    user.name = 'Ada';
    server.reply({ status: 502 }, { status: 204 });
    await user.save();
    expect(server.requests.slice(3).map(({ method, body }) => [method, body])).toEqual(
      Array(2).fill(['PUT', { id: 7, name: 'Ada' }]),
    );
    server.reply({ status: 504 }, { status: 204 });
    await user.erase();
    expect(server.lines.slice(5)).toEqual(Array(2).fill('DELETE /users/7'));
  });

  describe('a create that an earlier attempt may have made is unconfirmed, however it ends', () => {
    const keyed = { timeout: 0 };

    test.each([{ drop: true }, { status: 503 }])('an abort during the wait, after %o', async (answer) => {
      const clock = new EventClock();
      const Mine = modelOf({ ...keyed, use: [idempotency(), retry({ random: () => 0.5 })], clock });
      server.reply(answer);
      const user = new Mine({ name: 'Ada' });
      const save = failure(user.save());
      while (clock.alarmed === 0) await settled();
      user.$.abort();
      expect(await save).toMatchObject({ code: 'abort', unconfirmed: true });
      expect([server.lines.length, user.$.unconfirmed]).toEqual([1, true]);
    });

    test('a refused connection', async () => {
      const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
      const answers = [() => Response.json({}, { status: 504 }), () => Promise.reject(refused)];
      const fetch = async () => (answers.shift() as () => Promise<Response>)();
      const user = new (modelOf({ ...keyed, use: [idempotency(), retry({ backoff: { base: 0 }, limit: 1 })], fetch }))({
        name: 'Ada',
      });
      const error = await failure(user.save());
      expect(error).toMatchObject({ code: 'network', unconfirmed: true, operation: { action: 'create', attempts: 2 } });
      expect(error.message).toContain('ECONNREFUSED). The record may exist on the server now: look for it');
      expect(user.$.unconfirmed).toBe(true);
    });

    test('a create that no attempt can have made is not unconfirmed', async () => {
      const clock = new EventClock();
      const Mine = modelOf({ ...keyed, use: [idempotency(), retry({ random: () => 0.5 })], clock });
      server.reply({ status: 429 });
      const user = new Mine({ name: 'Ada' });
      const save = failure(user.save());
      while (clock.alarmed === 0) await settled();
      user.$.abort();
      expect(await save).toMatchObject({ code: 'abort', unconfirmed: false });
      expect(user.$.unconfirmed).toBe(false);
    });
  });

  test('repeats three times by default', async () => {
    const proxy = proxyOf({ use: [retry({ random: () => 0 })] });
    server.reply({ status: 503 }, { status: 503 }, { status: 503 }, { status: 503 });
    const operation = read({ id: 7 });
    expect(await failure(proxy.read(operation))).toMatchObject({ code: 'http', status: 503 });
    expect(operation.attempts).toBe(4);
  });

  test('calls header functions for each attempt', async () => {
    let number = 0;
    const proxy = proxyOf({ use: [retryAtOnce], headers: () => ({ 'X-Number': `${(number += 1)}` }) });
    server.reply({ status: 503 }, { json: [] });
    await proxy.read(read());
    expect(server.requests.map(({ headers }) => headers['x-number'])).toEqual(['1', '2']);
  });

  test('repeats a create only under an idempotency key, with the same key and body', async () => {
    const create = (config = {}) =>
      new Operation({ action: 'create', records: [new User({ name: 'Ada' }) as never], ...config });
    server.reply({ drop: true });
    const plain = create();
    expect(await failure(proxyOf({ use: [retryAtOnce] }).create(plain))).toMatchObject({
      code: 'network',
      unconfirmed: true,
    });
    expect(plain.attempts).toBe(1);
    server.reply({ drop: true }, { status: 503 }, { status: 201, json: { id: 1, name: 'Ada' } });
    const keyed = create({ idempotencyKey: 'k1' });
    await proxyOf({ use: [retryAtOnce, idempotency()] }).create(keyed);
    expect(keyed.attempts).toBe(3);
    expect(server.requests.slice(1).map(({ headers, text }) => [headers['idempotency-key'], text])).toEqual(
      Array(3).fill(['k1', '{"name":"Ada"}']),
    );
  });

  test.each([
    ['PUT', 'update', 2],
    ['PATCH', 'update', 2],
    ['POST', 'update', 1],
    ['DELETE', 'destroy', 2],
    ['POST', 'destroy', 1],
    ['POST', 'read', 2],
    ['PUT', 'create', 1],
  ] as const)('sends %s as %s %s times', async (method, action, times) => {
    const proxy = proxyOf({ use: [retryAtOnce], actionMethods: { [action]: method } });
    server.reply({ status: 503 }, { json: { id: 7, name: 'Ed' } });
    const record = action === 'create' ? new User({ name: 'Ed' }) : User.fromRow({ id: 7, name: 'Ed' });
    const operation = new Operation({ action, records: [record as never] });
    await proxy.execute(operation).catch(() => undefined);
    expect([server.lines.length, operation.attempts]).toEqual([times, times]);
  });

  test.each([
    ['GET', 2],
    ['HEAD', 2],
    ['PUT', 2],
    ['DELETE', 2],
    ['PATCH', 1],
    ['POST', 1],
  ])('sends %s of send() %s times', async (method, times) => {
    server.reply({ status: 503 }, { json: {} });
    await proxyOf({ use: [retryAtOnce] })
      .send({ method, path: 'x' })
      .catch(() => undefined);
    expect(server.lines).toHaveLength(times);
  });

  test('repeats send() with any verb under an idempotency key', async () => {
    server.reply({ status: 503 }, { json: {} });
    const proxy = proxyOf({ use: [retryAtOnce, idempotency()] });
    await proxy.send({ method: 'POST', path: 'x', idempotencyKey: 'k2' });
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k2', 'k2']);
  });

  test('repeats an update of several records', async () => {
    const Mine = modelOf({ use: [retryAtOnce], batchActions: true });
    const store = new Store({ model: Mine });
    server.reply({
      json: [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ],
    });
    await store.load();
    for (const user of store) user.name += '!';
    server.reply({ drop: true }, { status: 204 });
    const batch = await store.sync();
    expect([batch.failures, server.lines.slice(1)]).toEqual([[], ['PUT /users', 'PUT /users']]);
  });

  test('does not repeat a read whose rows were already passed on', async () => {
    const proxy = proxyOf({ use: [retryAtOnce, streaming()], reader: { type: 'ndjson' } });
    const headers = { 'Content-Type': 'application/x-ndjson', 'Content-Length': '1000', Connection: 'close' };
    server.reply({ headers, text: '{"id":1}\n{"id":2}\n' }, { json: [] });
    const operation = read({ onRows: () => undefined });
    const broken = fetch;
    const error = await failure(
      proxy
        .with({
          fetch: async (input, init) => {
            const response = await broken(input, init).catch(() => undefined);
            return response ?? Response.error();
          },
        })
        .read(operation),
    );
    expect(error).toBeInstanceOf(NetworkError);
    expect(operation.attempts).toBe(1);
  });

  test.each([
    ['before a row was passed on', '', () => undefined],
    ['whose rows are only collected', '{"id":1}\n', undefined],
  ])('repeats a read whose response breaks off: %s', async (_, text, onRows) => {
    let begun = false;
    const broken = new ReadableStream({
      pull(controller) {
        if (begun) controller.error(new TypeError('terminated'));
        else controller.enqueue(new TextEncoder().encode(text || ' '));
        begun = true;
      },
    });
    const answers = [new Response(broken), new Response('{"id":1}\n{"id":2}\n')];
    const fetch = async () => answers.shift() ?? Response.error();
    const operation = read({ onRows });
    await proxyOf({ use: [retryAtOnce, streaming()], fetch, reader: { type: 'ndjson' } }).read(operation);
    expect([operation.attempts, answers]).toEqual([2, []]);
  });

  test('wrong options are refused at once', () => {
    expect(() => retry({ limit: -1 })).toThrow(DefinitionError);
    expect(() => retry({ limit: -1 })).toThrow('retry.limit must be a whole number from 0, not -1');
  });
});

describe('rateLimit', () => {
  test('limits the calls of all models that inherit it together', async () => {
    const clock = new EventClock();
    const Base = User.with({ proxy: { baseUrl: server.url, use: [rateLimit({ requests: 2 })], clock, timeout: 0 } });
    const [One, Two] = [Base.with({ proxy: { url: '/ones' } }), Base.with({ proxy: { url: '/twos' } })];
    server.always(() => ({ json: { id: 7, name: 'Ed' } }));
    const loads = [One.load(7), Two.load(7), One.load(7)].map((each) => ending(each));
    while (server.lines.length < 2 || loads.filter(({ value }) => value).length < 2) await settled();
    expect([server.lines.length, clock.alarmed]).toEqual([2, 1]);
    await clock.advance(1030);
    while (!loads.every(({ value }) => value)) await settled();
    expect(server.lines).toHaveLength(3);
  });

  test('rejects a waiting call on abort(), without sending it', async () => {
    const proxy = proxyOf({ use: [rateLimit({ requests: 1 })], clock: new EventClock(), timeout: 0 });
    server.always(() => ({ json: [] }));
    await proxy.read(read());
    const operation = read();
    const waiting = failure(proxy.read(operation));
    await settled();
    proxy.abort();
    expect(await waiting).toMatchObject({ code: 'abort' });
    expect([server.lines.length, operation.attempts]).toEqual([1, 0]);
  });

  test('rejects calls during a long pause with the status of the response that asked for it', async () => {
    const proxy = proxyOf({ use: [rateLimit()] });
    server.reply({ status: 429, headers: { 'Retry-After': '3600' } });
    expect(await failure(proxy.read(read()))).toMatchObject({ status: 429, reason: 'http-later' });
    const error = await failure(proxy.read(read({ id: 7 })));
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toMatch(/^GET \/users\/7 was not sent: 127\.0\.0\.1:\d+ takes no request before \d{4}-/);
    expect(server.lines).toHaveLength(1);
  });

  test('refuses wrong numbers at once', () => {
    for (const limit of [{ requests: 0 }, { requests: Number.NaN }, { requests: 1, per: -1 }])
      expect(() => rateLimit(limit)).toThrow(DefinitionError);
  });
});

describe('auth', () => {
  /** A server that takes one token. */
  const guarded = (valid: string) =>
    server.always(({ headers, body }) =>
      headers.authorization === valid ? { json: body ?? { id: 7, name: 'Ed' } } : { status: 401 },
    );

  test('repeats reads, writes and calls of send() with new headers and the same body', async () => {
    let token = 'old';
    const renew = vi.fn(() => {
      token = 'new';
    });
    guarded('new');
    const Mine = modelOf({ headers: () => ({ Authorization: token }), use: [auth({ renew })] });
    expect((await Mine.load(7)).name).toBe('Ed');
    token = 'worn';
    const operations: number[] = [];
    await new Mine({ id: 9, name: 'Ada' }).save({ success: (_, { attempts }) => void operations.push(attempts) });
    token = 'worn';
    const { body } = await (Mine.proxy as RestProxy).send({ method: 'POST', path: 'import', body: { rows: 3 } });
    expect([body, operations, renew.mock.calls.length]).toEqual([{ rows: 3 }, [2], 3]);
    expect(server.requests.map(({ method, headers, text }) => `${method} ${headers.authorization} ${text}`)).toEqual([
      'GET old ',
      'GET new ',
      'PUT worn {"id":9,"name":"Ada"}',
      'PUT new {"id":9,"name":"Ada"}',
      'POST worn {"rows":3}',
      'POST new {"rows":3}',
    ]);
  });

  test('rejects with an AuthError after a second 401', async () => {
    guarded('none');
    const renew = vi.fn();
    const error = await failure(proxyOf({ use: [auth({ renew }), retryAtOnce] }).read(read()));
    expect(error).toBeInstanceOf(AuthError);
    expect([error.status, error.reason, renew.mock.calls.length]).toEqual([401, 'http-sign-in', 1]);
    expect(server.lines).toHaveLength(2);
  });

  test('lets the handler use the same proxy, whose first call goes through and never refreshes', async () => {
    let token = 'old';
    server.always(({ path, headers }) => {
      if (path === '/users/refresh')
        return headers.authorization === 'old' ? { json: { token: 'new' } } : { status: 401 };
      return headers.authorization === 'new' ? { json: [] } : { status: 401 };
    });
    const proxy: RestProxy = proxyOf({
      headers: () => ({ Authorization: token }),
      use: [
        auth({
          async renew() {
            const { body } = await proxy.send({ method: 'POST', path: 'refresh' });
            ({ token } = body as { token: string });
          },
        }),
      ],
    });
    await proxy.read(read());
    expect(server.lines).toEqual(['GET /users', 'POST /users/refresh', 'GET /users']);
    token = 'stolen';
    const error = await failure(proxy.read(read()));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ reason: 'refresh', cause: { name: 'AuthError', reason: 'refresh-own' } });
    expect(error.cause.message).toMatch(
      /^POST \/users\/refresh answered 401 to a call that `renew` of `auth\(\)` itself made/,
    );
  });

  test('can be removed by with()', async () => {
    guarded('none');
    const renew = vi.fn();
    const proxy = proxyOf({ use: [auth({ renew })] }).with({ use: [off('auth')] });
    expect(await failure(proxy.read(read()))).toMatchObject({ status: 401 });
    expect(renew).not.toHaveBeenCalled();
  });
});

describe('telemetry', () => {
  test('reports every attempt: retries, repeats after a refresh, and requests without a response', async () => {
    const events: OperationEvent[] = [];
    let token = 'old';
    const Mine = modelOf({
      headers: () => ({ Authorization: token }),
      use: [
        retryAtOnce,
        telemetry({ operation: (event) => void events.push(event) }),
        auth({
          renew() {
            token = 'new';
          },
        }),
      ],
    });
    server.reply({ status: 503 }, { status: 401 }, { drop: true }, { json: { id: 7, name: 'Ed' } });
    await Mine.load(7);
    expect(
      events.map(({ model, action, method, attempt, status, error }) => ({
        model,
        action,
        method,
        attempt,
        status,
        error,
      })),
    ).toEqual(
      [
        [503, undefined],
        [401, undefined],
        [undefined, 'network'],
        [200, undefined],
      ].map(([status, error], i) => ({
        ...{ model: 'user', action: 'read', method: 'GET', attempt: i + 1 },
        status,
        error,
      })),
    );
  });

  test('reports the time that a call waited for rateLimit()', async () => {
    const clock = new EventClock();
    const events: OperationEvent[] = [];
    const proxy = proxyOf({
      ...{ clock, timeout: 0 },
      use: [rateLimit({ requests: 1 }), telemetry({ operation: (event) => void events.push(event) })],
    });
    server.always(() => ({ json: [] }));
    await proxy.read(read());
    const second = proxy.read(read());
    await settled();
    await clock.advance(1030);
    await second;
    expect(events.map(({ queueTime }) => queueTime)).toEqual([0, 1030]);
  });
});

test('a call that auth() repeats counts against the limit of rateLimit()', async () => {
  const clock = new EventClock();
  let token = 'old';
  const proxy = proxyOf({
    ...{ clock, timeout: 0 },
    headers: () => ({ Authorization: token }),
    use: [
      rateLimit({ requests: 1 }),
      auth({
        renew() {
          token = 'new';
        },
      }),
    ],
  });
  server.always(({ headers }) => (headers.authorization === 'new' ? { json: [] } : { status: 401 }));
  const result = ending(proxy.read(read()));
  while (clock.alarmed === 0) await settled();
  expect(server.lines).toHaveLength(1);
  await clock.advance(1030);
  while (!result.value) await settled();
  expect(server.lines).toHaveLength(2);
});
