import { type Extension, idempotency, Model, plain, type RestProxyConfig, Store } from 'repose';
import { LAYERS } from 'repose/extend';
import type { OutboxStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { openOutbox } from './open-outbox.js';
import { disk } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** A server that logs the methods, paths and queries of requests. It answers only while it is online. */
function loggingServer() {
  const server = {
    log: [] as string[],
    /** Whether requests are lost on their way to the server, on the way back, or answered. */
    loses: undefined as 'request' | 'answer' | undefined,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(String(input));
      const method = init?.method ?? 'GET';
      server.log.push(`${method} ${pathname}${search}`);
      if (server.loses) throw new TypeError('lost');
      if (method === 'DELETE') return new Response(null, { status: 204 });
      const row = { id: 7, name: 'Ada', ...JSON.parse(String(init?.body ?? '{}')) };
      return Response.json(method === 'GET' && pathname.endsWith('users') ? [row] : row);
    },
  };
  return server;
}

type LoggingServer = ReturnType<typeof loggingServer>;
type Options = Pick<RestProxyConfig, 'url' | 'extraParams' | 'pathParams' | 'use'>;

/** Starts an application process, with parameters in the proxy of its model. Writes are sent by `send()` only. */
async function start(server: LoggingServer, storage: OutboxStorage, { use = [], ...options }: Options = {}) {
  const clock = manualClock();
  class Base extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: {
      ...{ type: 'rest', url: '/users', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch, clock },
      ...options,
      use: [idempotency(), ...use],
    },
  }) {}
  const outbox = await openOutbox({ scope: 'a', storage, clock, autoStart: false, models: [Base] });
  return { outbox, User: Base.with({ proxy: { use: [outbox] } }) };
}

describe('a queued write is sent with the parameters with which it was saved', () => {
  /** An update that a store with `team=a` could not send, and that a later process finds. */
  async function queuedByStore() {
    const server = loggingServer();
    const storage = disk();
    const { User, outbox } = await start(server, storage);
    const users = new Store({ model: User, pageSize: 0 });
    users.setExtraParams({ team: 'a' });
    await users.load();
    users.getAt(0)?.set({ name: 'Grace' });
    server.loses = 'request';
    await quiet(users.sync());
    expect(server.log.at(-1)).toBe('PATCH /users/7?team=a');
    expect(outbox.entries).toMatchObject([{ parameters: { params: { team: 'a' } } }]);
    server.loses = undefined;
    return { server, storage, users, outbox };
  }

  test('and not with those that the store has got since', async () => {
    const { server, users, outbox } = await queuedByStore();
    users.setExtraParams({ team: 'b', v: 2 });
    await outbox.send();
    expect(server.log.at(-1)).toBe('PATCH /users/7?team=a');
  });

  test('after a restart too, where a store has others', async () => {
    const { server, storage } = await queuedByStore();
    const { User, outbox } = await start(server, storage);
    const users = new Store({ model: User, pageSize: 0 });
    users.setExtraParams({ team: 'b', v: 2 });
    await users.load();
    await outbox.send();
    expect(server.log.slice(-2)).toEqual(['GET /users?team=b&v=2', 'PATCH /users/7?team=a']);
    expect(outbox.size).toBe(0);
  });

  test('after a restart too, where there is no store', async () => {
    const { server, storage } = await queuedByStore();
    const { outbox } = await start(server, storage);
    await outbox.send();
    expect(server.log.at(-1)).toBe('PATCH /users/7?team=a');
  });

  test('after a restart too, where it had none and a store has some', async () => {
    const server = loggingServer();
    const storage = disk();
    const first = await start(server, storage);
    const user = await first.User.load(7);
    user.name = 'Grace';
    server.loses = 'request';
    await quiet(user.save());
    server.loses = undefined;
    const { outbox } = await start(server, storage, { extraParams: { team: 'b' } });
    await outbox.send();
    expect(server.log.at(-1)).toBe('PATCH /users/7');
  });

  test.each(['save', 'erase'] as const)('where functions give them at the %s', async (action) => {
    const server = loggingServer();
    const storage = disk();
    let tenant = 'a';
    const options = {
      url: '/{tenant}/users',
      pathParams: () => ({ tenant }),
      extraParams: () => ({ from: tenant }),
    };
    const { User, outbox } = await start(server, storage, options);
    const user = await User.load(7);
    user.name = 'Grace';
    server.loses = 'request';
    await quiet(user[action]());
    tenant = 'b';
    await outbox.send();
    server.loses = undefined;
    const next = await start(server, storage, options);
    await next.outbox.send();
    const verb = action === 'save' ? 'PATCH' : 'DELETE';
    expect(server.log.slice(1)).toEqual(Array(3).fill(`${verb} /a/users/7?from=a`));
    expect(next.outbox.size).toBe(0);
  });

  test('where the call gave them', async () => {
    const server = loggingServer();
    const storage = disk();
    const options = { url: '/{tenant}/users', pathParams: { tenant: 'a' }, extraParams: { v: 1, w: 1 } };
    const first = await start(server, storage, options);
    const user = await first.User.load(7);
    user.name = 'Grace';
    server.loses = 'request';
    await quiet(user.save({ params: { v: 2 }, pathParams: { tenant: 'b' } }));
    await first.outbox.send();
    server.loses = undefined;
    const { outbox } = await start(server, storage, options);
    await outbox.send();
    for (const line of server.log.slice(1)) expect(new URL(`http://x${line.slice(6)}`).searchParams.get('v')).toBe('2');
    expect(server.log.slice(1).map((line) => line.split('?')[0])).toEqual(Array(3).fill('PATCH /b/users/7'));
    expect(server.log.at(-1)).toContain('w=1');
  });

  test('the last time', async () => {
    const server = loggingServer();
    const storage = disk();
    const { User, outbox } = await start(server, storage);
    const user = await User.load(7);
    server.loses = 'request';
    user.name = 'Grace';
    await quiet(user.save({ params: { team: 'a' } }));
    user.name = 'Joan';
    await quiet(user.save({ params: { team: 'b' } }));
    server.loses = undefined;
    await outbox.send();
    await outbox.send();
    // A write without a response is repeated as it was.
    expect(server.log.slice(1)).toEqual([...Array(3).fill('PATCH /users/7?team=a'), 'PATCH /users/7?team=b']);
    expect(outbox.size).toBe(0);
  });

  test('in the same text: dates, lists, objects, and numbers of any kind', async () => {
    const server = loggingServer();
    const storage = disk();
    const extraParams = {
      since: new Date(0),
      tags: ['a', 1, null, undefined, [2, 3], { b: new Date(0) }],
      big: 12345678901234567890n,
      nothing: null,
      missing: undefined,
      range: { from: 1 },
      odd: Number.POSITIVE_INFINITY,
      flag: true,
    };
    const first = await start(server, storage, { extraParams });
    const user = await first.User.load(7);
    user.name = 'Grace';
    server.loses = 'request';
    await quiet(user.save());
    server.loses = undefined;
    const { outbox } = await start(server, storage);
    await outbox.send();
    expect(server.log.at(-1)).toContain(
      'since=1970-01-01T00%3A00%3A00.000Z&tags=a&tags=1&tags=&tags=&tags=%5B2%2C3%5D',
    );
    expect(server.log.at(-1)).toBe(server.log.at(-2));
  });
});

describe('the parameters of a create', () => {
  test('go with its repetition, and those of a later save with the update that follows', async () => {
    const server = loggingServer();
    const storage = disk();
    const first = await start(server, storage);
    const user = new first.User({ name: 'Ada' });
    server.loses = 'answer';
    await quiet(user.save({ params: { team: 'a' } }));
    first.outbox.pause();
    user.name = 'Grace';
    await first.outbox.repair(first.outbox.entries[0] as { key: string }, { name: 'Grace' });
    await first.outbox.close();
    server.loses = undefined;
    const { outbox } = await start(server, storage, { extraParams: { team: 'c' } });
    await outbox.send();
    await outbox.send();
    expect(server.log).toEqual(['POST /users?team=a', 'POST /users?team=a', 'PATCH /users/7?team=a']);
  });

  test.each(['save', 'erase'] as const)('yield to those of a %s behind it', async (action) => {
    const server = loggingServer();
    const storage = disk();
    const first = await start(server, storage);
    const user = new first.User({ name: 'Ada' });
    server.loses = 'answer';
    const created = quiet(user.save({ params: { team: 'a' } }));
    user.name = 'Grace';
    const behind = quiet(user[action]({ params: { team: 'b' } }));
    await Promise.all([created, behind]);
    const requests = server.log.length;
    await first.outbox.close();
    server.loses = undefined;
    const { outbox } = await start(server, storage);
    await outbox.send();
    await outbox.send();
    const verb = action === 'save' ? 'PATCH' : 'DELETE';
    expect(server.log.slice(requests)).toEqual(['POST /users?team=a', `${verb} /users/7?team=b`]);
    expect(outbox.size).toBe(0);
  });

  test('go with its repetition by the application after a restart', async () => {
    const server = loggingServer();
    const storage = disk();
    const first = await start(server, storage);
    server.loses = 'answer';
    await quiet(new first.User({ name: 'Ada' }).save({ params: { team: 'a' } }));
    await first.outbox.close();
    server.loses = undefined;
    const { User } = await start(server, storage);
    const users = new Store({ model: User, pageSize: 0 });
    await users.getAt(0)?.save({ repeat: true });
    expect(server.log).toEqual(['POST /users?team=a', 'POST /users?team=a']);
  });
});

test.each([
  ['extraParams', { extraParams: { on: () => 1 } }, "The parameter 'on' cannot be sent"],
  ['extraParams', { extraParams: () => ({ on: [new Date(Number.NaN)] }) }, "The parameter 'on' cannot be sent"],
  ['pathParams', { pathParams: { tenant: new Date(0) } }, 'Date'],
  ['extraParams', { extraParams: (async () => ({ on: 1 })) as never }, 'returned a promise'],
])('a write whose `%s` cannot be sent is refused before it is queued', async (_, options, message) => {
  const server = loggingServer();
  const storage = disk();
  const { User, outbox } = await start(server, storage, options);
  const error = (await new User({ name: 'Ada' }).save().catch((reason: unknown) => reason)) as Error;
  expect(['AddressError', 'DefinitionError']).toContain(error.name);
  expect(error.message).toContain(message);
  expect([server.log, outbox.size, await storage.all()]).toEqual([[], 0, []]);
});

test('parameters of extensions are not stored: they are asked for when the write is sent', async () => {
  const server = loggingServer();
  const storage = disk();
  let token = 'secret-1';
  const signing: Extension = {
    name: 'signing',
    layer: LAYERS.telemetry + 1,
    prepare(request) {
      request.params['token'] = token;
    },
  };
  const { User, outbox } = await start(server, storage, { use: [signing] });
  server.loses = 'request';
  await quiet(new User({ name: 'Ada' }).save());
  expect(JSON.stringify(await storage.all())).not.toContain('secret');
  token = 'secret-2';
  server.loses = undefined;
  await outbox.send();
  expect(server.log).toEqual(['POST /users?token=secret-1', 'POST /users?token=secret-2']);
});

test('a stored write whose parameters are damaged is kept and not sent', async () => {
  const server = loggingServer();
  const storage = disk();
  const first = await start(server, storage);
  server.loses = 'request';
  await quiet(new first.User({ name: 'Ada' }).save({ params: { team: 'a' } }));
  const damaged = disk();
  await damaged.open(() => undefined);
  const items = (await storage.all()).map(({ scope, record, data }) => {
    return { scope, record, data: data.replace('{"params":{"team":"a"}}', '{"params":"team"}') };
  });
  await damaged.append(items);
  await first.outbox.close();
  server.loses = undefined;
  const { outbox } = await start(server, damaged);
  await outbox.send();
  expect(outbox.failed).toMatchObject([{ state: 'unreadable' }]);
  expect(server.log).toHaveLength(1);
});
