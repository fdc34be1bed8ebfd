import {
  AuthError,
  action,
  auth,
  confirm,
  type DataError,
  etags,
  HttpError,
  idempotency,
  Model,
  Operation,
  type OperationConfig,
  ReadError,
  RestProxy,
  type RestProxyConfig,
  rateLimit,
  retry,
  Store,
  streaming,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { manualClock } from '../helpers/manual-clock.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
let other: RestServer;
beforeAll(async () => {
  [server, other] = await Promise.all([startRestServer(), startRestServer()]);
});
beforeEach(() => {
  server.reset();
  other.reset();
  other.always(() => ({ json: { id: 7, name: 'elsewhere' } }));
});
afterAll(() => Promise.all([server.stop(), other.stop()]));

const SECRETS = { Authorization: 'Bearer secret', 'X-Api-Key': 'secret', Cookie: 'session=secret' };
const UNKNOWN = [301, 302, 303];
const UNDONE = [307, 308];

function define(proxy: Partial<RestProxyConfig> & { type?: never } = {}) {
  return class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    actions: { publish: action(), size: action({ method: 'GET', reply: z.object({ size: z.number() }) }) },
    proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, headers: SECRETS, ...proxy },
  }) {};
}

const proxyOf = (config: RestProxyConfig = {}) =>
  new RestProxy({ url: '/users', noCache: false, baseUrl: server.url, headers: SECRETS, ...config });
const read = (config: Partial<OperationConfig> = {}) => new Operation({ action: 'read', ...config });

const failure = (call: Promise<unknown>): Promise<DataError> =>
  call.then(
    (value) => expect.unreachable(String(value)),
    (error) => error,
  );
const to = (Location: string, status = 302) => ({ status, headers: { Location } });

/** A response of a browser that was told not to follow a redirect. */
const opaque = () => Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
/** A response of a platform that has followed a redirect. */
const followed = (url: string, json: unknown = { id: 7, name: 'a' }) =>
  Object.defineProperties(Response.json(json), { url: { value: url }, redirected: { value: true } });

describe('a redirected write', () => {
  const writes: [string, (proxy: Partial<RestProxyConfig>) => Promise<unknown>, string][] = [
    ['a create', (proxy) => new (define(proxy))({ name: 'a' }).save(), 'POST /users'],
    ['an update', (proxy) => define(proxy).fromRow({ id: 7, name: 'a' }).save(), 'PUT /users/7'],
    ['a destroy', (proxy) => define(proxy).fromRow({ id: 7 }).erase(), 'DELETE /users/7'],
    [
      'an action',
      (proxy) => {
        const User = define(proxy);
        return User.actions.publish(User.fromRow({ id: 7 }));
      },
      'POST /users/7/publish',
    ],
    [
      'a call of its own',
      (proxy) => proxyOf(proxy).send({ method: 'PATCH', path: 'x', body: { a: 1 } }),
      'PATCH /users/x',
    ],
    ['a HEAD', (proxy) => proxyOf(proxy).send({ method: 'HEAD' }), 'HEAD /users'],
    [
      'a destroy by GET',
      (proxy) =>
        define({ ...proxy, actionMethods: { destroy: 'GET' } })
          .fromRow({ id: 7 })
          .erase(),
      'GET /users/7',
    ],
  ];

  test.each(
    writes.flatMap(([name, write, line]) =>
      [...UNKNOWN, ...UNDONE].map((status) => [name, status, write, line] as const),
    ),
  )('is not followed, and its error names both addresses: %s, %i', async (_, status, write, line) => {
    for (const target of [`${other.url}/users`, '/users', `${server.url}/final/`]) {
      server.reset();
      server.reply(to(target, status));
      const error = await failure(write({ writer: { writeAllFields: false } }));
      expect(error).toBeInstanceOf(ReadError);
      expect(error).toMatchObject({ code: 'read', reason: 'response-redirected', params: { status, target } });
      for (const part of [
        line,
        target,
        '`trailingSlash`',
        UNDONE.includes(status) ? 'was not done' : 'may have been done',
      ])
        expect(error.message).toContain(part);
      expect([server.lines, other.lines]).toEqual([[line], []]);
    }
  });

  test('with several records is not followed, and each record fails', async () => {
    const store = new Store({ model: define({ batchActions: true }), data: [{ id: 1 }, { id: 2 }] });
    store.remove(...store);
    server.reply(to(`${other.url}/users`, 307));
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.reason)).toEqual(['response-redirected', 'response-redirected']);
    expect([server.lines, other.lines]).toEqual([['DELETE /users'], []]);
  });

  test('of an edit keeps the edit in the record', async () => {
    const user = define().fromRow({ id: 7, name: 'a' });
    user.name = 'b';
    server.reply(to('/users/7/', 308));
    const error = await failure(user.save());
    expect(user).toMatchObject({ name: 'b', dirty: true, $: { error } });
  });

  test('without a readable Location is treated as a redirect, too', async () => {
    for (const [headers, target] of [
      [{}, 'no address'],
      [{ Location: 'http://[' }, 'http://['],
      [{ Location: 'http://me:secret@h.test/x' }, 'http://…@h.test/x'],
    ] as const) {
      server.reply({ status: 307, headers });
      const error = await failure(define().fromRow({ id: 7 }).erase());
      expect(error).toMatchObject({ reason: 'response-redirected', params: { target } });
      expect(error.message).not.toContain('secret');
    }
  });

  test('that the browser hides leaves the write unconfirmed', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => opaque());
    const user = new (define({ fetch }))({ name: 'a' });
    const error = await failure(user.save());
    expect(error).toMatchObject({
      reason: 'response-redirected',
      params: { target: 'an address that the browser hides' },
    });
    expect(error.message).toContain('may have been done');
    expect(user.$.unconfirmed).toBe(true);
    expect(fetch.mock.calls.map(([, init]) => init?.redirect)).toEqual(['manual']);
  });

  test('that a `fetch` followed against its option leaves the write unconfirmed', async () => {
    const user = define({ fetch: async () => followed('http://h.test/x') }).fromRow({ id: 7 });
    expect(await failure(user.erase())).toMatchObject({
      reason: 'response-redirected',
      params: { target: 'http://h.test/x', outcome: 'may have been done' },
    });
    expect(user.erased).toBe(false);
  });

  test.each(UNDONE)('by %i proves that a create was not done, so that it can be saved again', async (status) => {
    server.reply(to('/users/', status), { status: 201, json: { id: 9, name: 'a' } });
    const user = new (define())({ name: 'a' });
    await failure(user.save());
    expect([user.phantom, user.$.unconfirmed]).toEqual([true, false]);
    await user.save();
    expect([user.getId(), server.lines]).toEqual([9, ['POST /users', 'POST /users']]);
  });

  test.each(UNKNOWN)('by %i leaves a create unconfirmed, and nothing repeats it', async (status) => {
    server.reply(to('/users/', status), { status: 201, json: { id: 9, name: 'a' } });
    const user = new (define({ use: [retry()] }))({ name: 'a' });
    const error = await failure(user.save());
    expect([user.phantom, user.$.unconfirmed]).toEqual([true, true]);
    await expect(user.save()).rejects.toBe(error);
    expect(server.lines).toEqual(['POST /users']);
    await user.save({ repeat: true });
    expect(user.getId()).toBe(9);
  });

  test('keeps the idempotency key of an unconfirmed create', async () => {
    for (const [status, same] of [
      [303, true],
      [307, false],
    ] as const) {
      server.reset();
      server.reply(to('/users/', status), { status: 201, json: { id: 9 } });
      const user = new (define({ use: [idempotency()] }))({ name: 'a' });
      await failure(user.save());
      await user.save();
      const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect([typeof first, first === second]).toEqual(['string', same]);
    }
  });

  test('of an update is unconfirmed like a lost response, unless the redirect says that it was not done', async () => {
    for (const [status, done] of [
      [301, true],
      [302, true],
      [303, true],
      [307, false],
      [308, false],
    ] as const) {
      server.reset();
      const user = define({ use: [confirm()] }).fromRow({ id: 7, name: 'a' });
      user.name = 'b';
      server.reply(to('/users/7/', status), { status: 412 }, { json: { id: 7, name: 'b' } });
      await failure(user.save());
      const again = await user.save().catch((error: DataError) => error.code);
      // Reading the row shows whether the earlier attempt was done.
      expect([again === user, user.dirty]).toEqual([done, !done]);
    }
  });

  test('says nothing about an earlier attempt', async () => {
    for (const status of UNDONE) {
      server.reset();
      const user = new (define({ use: [retry({ backoff: { base: 0 } }), idempotency()] }))({
        name: 'a',
      });
      server.reply({ drop: true }, to('/users/', status));
      await failure(user.save());
      expect([user.$.unconfirmed, server.lines]).toEqual([true, ['POST /users', 'POST /users']]);
      const saved = define({ use: [retry({ backoff: { base: 0 } })] }).fromRow({ id: 7, name: 'a' });
      saved.name = 'b';
      server.reply({ drop: true }, to('/users/7/', status), { status: 412 }, { json: { id: 7, name: 'b' } });
      await failure(saved.save());
      await saved.save();
      expect(saved.dirty).toBe(false);
    }
  });
});

describe('a redirected read', () => {
  test.each([...UNKNOWN, ...UNDONE])(
    'by %i is followed on its own origin, as GET, with its headers',
    async (status) => {
      server.reply(to('/users/7/', status), { json: { id: 7, name: 'a' } });
      expect((await define().load(7)).name).toBe('a');
      expect(server.lines).toEqual(['GET /users/7', 'GET /users/7/']);
      expect(server.requests.map(({ headers }) => [headers.authorization, headers.accept])).toEqual([
        ['Bearer secret', 'application/json'],
        ['Bearer secret', 'application/json'],
      ]);
    },
  );

  test.each([
    ['/other/9', '/other/9'],
    ['9', '/users/9'],
    ['../groups/9?x=1#y', '/groups/9?x=1'],
    ['?x=1', '/users/7?x=1'],
    ['OWN/other', '/other'],
    ['//HOST/other', '/other'],
    ['/a b', '/a%20b'],
  ])('to %s is resolved against the address that was asked', async (location, line) => {
    const { host } = new URL(server.url);
    server.reply(to(location.replace('OWN', server.url).replace('HOST', host)), { json: { id: 7 } });
    const operation = read({ id: 7, params: { own: 1 } });
    await proxyOf().read(operation);
    expect(server.last.url).toBe(line);
    expect(operation.response).toMatchObject({ redirected: true, url: server.url + line, status: 200 });
  });

  test('is followed up to five times, each address resolved against the one before', async () => {
    server.reply(to('/a/b'), to('c'), to('d/'), to('e'), to('../../f'), { json: [] });
    const operation = read();
    await proxyOf().read(operation);
    expect(server.lines.slice(1)).toEqual(['GET /a/b', 'GET /a/c', 'GET /a/d/', 'GET /a/d/e', 'GET /f']);
    expect(operation.attempts).toBe(1);
  });

  test('is a ReadError after five redirects, and in a circle', async () => {
    for (const target of ['/users', '/users/x']) {
      server.reset();
      server.always(() => to(target));
      const error = await failure(proxyOf({ use: [retry()] }).read(read()));
      expect(error).toMatchObject({ code: 'read', reason: 'response-redirected-often', params: { count: 5 } });
      expect(error.message).toContain(`${server.url}${target}`);
      expect(server.requests).toHaveLength(6);
    }
  });

  test('to another origin is a ReadError, and nothing is sent there', async () => {
    for (const target of [
      `${other.url}/users`,
      'http://me:secret@h.test/',
      'ftp://h.test/x',
      'data:application/json,[]',
    ]) {
      server.reset();
      server.reply(to(target, 307));
      const error = await failure(define().load(7));
      expect(error).toBeInstanceOf(ReadError);
      expect(error).toMatchObject({ reason: 'response-redirected-away' });
      for (const part of ['GET /users/7 ', target.replace('me:secret@', '…@'), '`trustLinks`'])
        expect(error.message).toContain(part);
      expect(server.requests).toHaveLength(1);
    }
    expect(other.requests).toEqual([]);
  });

  test('to the own origin with credentials in the address is a ReadError', async () => {
    server.reply(to(server.url.replace('//', '//me:secret@')));
    const error = await failure(define().load(7));
    expect(error).toMatchObject({ reason: 'response-redirected-away' });
    expect(error.message).not.toContain('secret');
  });

  test('to another origin after one on its own origin is a ReadError, too', async () => {
    server.reply(to('/users/'), to(`${other.url}/users`));
    expect(await failure(proxyOf().read(read()))).toMatchObject({ reason: 'response-redirected-away' });
    expect([server.requests.length, other.requests.length]).toEqual([2, 0]);
  });

  test('to a trusted origin is followed without credentials, even if that origin redirects back', async () => {
    server.reply(to(`${other.url}/users/7`), { json: { id: 7, name: 'a' } });
    other.reply(to(`${server.url}/back`));
    const proxy = { trustLinks: [other.url], withCredentials: true, use: [idempotency()] };
    const options = { headers: { 'X-Call': 'secret', 'If-None-Match': '"a"' } };
    expect((await define(proxy).load(7, options)).name).toBe('a');
    expect([server.lines, other.lines]).toEqual([['GET /users/7', 'GET /back'], ['GET /users/7']]);
    for (const { headers } of [other.last, server.last]) {
      expect(JSON.stringify(headers)).not.toContain('secret');
      expect(headers).toMatchObject({ accept: 'application/json' });
      expect(headers).not.toHaveProperty('if-none-match');
    }
  });

  test.each([
    ['without a Location', {}, 'no address'],
    ['to an invalid address', { Location: 'http://[' }, 'http://['],
  ])('%s is a ReadError', async (_, headers, target) => {
    server.reply({ status: 302, headers });
    const error = await failure(proxyOf().read(read()));
    expect(error).toMatchObject({
      code: 'read',
      reason: 'response-redirected-nowhere',
      params: { status: 302, target },
    });
    expect(server.requests).toHaveLength(1);
  });

  test('that is sent by POST is not followed', async () => {
    server.reply(to('/users/', 307));
    const error = await failure(proxyOf({ actionMethods: { read: 'POST' } }).read(read()));
    expect(error).toMatchObject({ code: 'read', reason: 'response-redirected-read' });
    for (const part of ['POST /users ', '/users/', '`trailingSlash`']) expect(error.message).toContain(part);
    expect(server.lines).toEqual(['POST /users']);
  });

  test('of an action or call by GET is followed', async () => {
    const User = define();
    server.always(({ path }) => (path.startsWith('/final') ? { json: { size: 3 } } : to('/final')));
    expect(await User.actions.size(User.fromRow({ id: 7 }))).toEqual({ size: 3 });
    expect(await proxyOf().send({})).toMatchObject({ body: { size: 3 }, redirected: true });
    const { body } = await proxyOf().send({ blob: true });
    expect(await (body as Blob).text()).toBe('{"size":3}');
  });

  test('is streamed like any other read', async () => {
    server.reply(to('/final'), { json: [{ id: 1 }, { id: 2 }] });
    const store = new Store({ model: define({ reader: { stream: true }, use: [streaming()] }) });
    await store.load();
    expect(store.count).toBe(2);
  });

  test('has the status of its last response, and a retry starts from the first address', async () => {
    server.always(({ path }) => (path === '/final' ? { status: 503 } : to('/final')));
    const proxy = proxyOf({ use: [retry({ limit: 1, backoff: { base: 0 } })] });
    expect(await failure(proxy.read(read()))).toMatchObject({ code: 'http', status: 503 });
    expect(server.lines).toEqual(['GET /users', 'GET /final', 'GET /users', 'GET /final']);
  });

  test('refreshes its sign-in after a 401 of its own origin, not of another', async () => {
    const renew = vi.fn(() => undefined);
    const User = define({ headers: () => SECRETS, use: [auth({ renew })], trustLinks: [other.url] });
    server.reply(to('/final'), { status: 401 }, to('/final'), { json: { id: 7 } }, to(`${other.url}/users`));
    await User.load(7);
    expect(renew).toHaveBeenCalledTimes(1);
    other.reply({ status: 401 });
    expect(await failure(User.load(7))).toBeInstanceOf(AuthError);
    expect(renew).toHaveBeenCalledTimes(1);
  });

  test('is not delayed by the rate limit of the host that it was redirected to', async () => {
    const clock = manualClock();
    const proxy = proxyOf({ use: [rateLimit({ maxWait: 0 })], clock, trustLinks: [other.url] });
    server.reply(to(`${other.url}/users`), { json: [] });
    other.reply({ status: 429, headers: { 'Retry-After': '100' } });
    expect(await failure(proxy.read(read()))).toBeInstanceOf(HttpError);
    expect(await proxy.read(read())).toMatchObject({ rows: [] });
  });

  test('can be aborted, and has one timeout for all redirects together', async () => {
    const clock = manualClock();
    for (const end of ['abort', 'timeout'] as const) {
      const controller = new AbortController();
      server.reset();
      server.reply(to('/final'));
      const held = server.hold();
      const call = failure(proxyOf({ clock, timeout: 1000 }).read(read({ signal: controller.signal })));
      await held.request;
      if (end === 'abort') controller.abort();
      else clock.advance(1000);
      expect(await call).toMatchObject({ code: end });
      held.answer();
    }
  });

  test('neither sends nor keeps the ETag of another address', async () => {
    const proxy = proxyOf({ use: [etags()] });
    const tagged = { headers: { ETag: '"1"' }, json: [{ id: 1 }] };
    server.reply(tagged, to('/final'), { headers: { ETag: '"1"' }, json: [{ id: 2 }] }, tagged);
    await proxy.read(read());
    expect(await proxy.read(read())).toMatchObject({ rows: [{ id: 2 }] });
    await proxy.read(read());
    const tags = server.requests.map(({ path, headers }) => [path, headers['if-none-match']]);
    expect(tags).toEqual([
      ['/users', undefined],
      ['/users', '"1"'],
      ['/final', undefined],
      ['/users', undefined],
    ]);
  });
});

describe('a read in a browser, which hides redirects', () => {
  const browser = (end: string) => {
    const asked: [string, string | undefined][] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      asked.push([String(url), init?.redirect]);
      return init?.redirect === 'follow' ? followed(end) : opaque();
    };
    return { fetch, asked };
  };

  test('is followed by the platform and accepted from its own or a trusted origin', async () => {
    for (const [end, trustLinks] of [
      [`${server.url}/final`, []],
      [`${other.url}/final`, [other.url]],
    ] as const) {
      const { fetch, asked } = browser(end);
      const operation = read({ id: 7 });
      expect(await proxyOf({ fetch, trustLinks }).read(operation)).toMatchObject({ rows: [{ id: 7 }] });
      expect(operation.response).toMatchObject({ redirected: true, url: end });
      expect(asked).toEqual([
        [`${server.url}/users/7`, 'manual'],
        [`${server.url}/users/7`, 'follow'],
      ]);
    }
  });

  test('that ends on another origin is a ReadError', async () => {
    const { fetch } = browser(`${other.url}/final`);
    const error = await failure(proxyOf({ fetch }).read(read({ id: 7 })));
    expect(error).toMatchObject({ reason: 'response-redirected-away', params: { target: `${other.url}/final` } });
  });

  test('is checked as well if a service worker has followed the redirect', async () => {
    const fetch = async () => followed(`${other.url}/final`);
    expect(await failure(proxyOf({ fetch }).read(read({ id: 7 })))).toMatchObject({
      reason: 'response-redirected-away',
    });
    const own = async () => followed(`${server.url}/final`);
    expect(await proxyOf({ fetch: own }).read(read({ id: 7 }))).toMatchObject({ rows: [{ id: 7 }] });
  });
});
