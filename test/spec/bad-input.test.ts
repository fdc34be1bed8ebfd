import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDataError, Model, type RestProxyConfig, Store } from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deferred, type RestServer, startRestServer } from '../helpers/rest-server.js';

// Bad input and bad responses give a typed error; nothing is sent or changed, and the call settles.

let server: RestServer;
let unreachable: string;
let truncating: Server;
beforeAll(async () => {
  server = await startRestServer();
  const closed = await startRestServer();
  await closed.stop();
  unreachable = closed.url;
  truncating = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"id":7,"name":', () => response.destroy());
  });
  await new Promise<void>((resolve) => truncating.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => server.reset());
afterAll(async () => {
  truncating.close();
  await server.stop();
});

const define = (proxy: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields: { id: 'auto', name: 'string' },
    proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, ...proxy },
  }) {};
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );

interface Case {
  readonly name: string;
  readonly code: string;
  readonly id?: unknown;
  readonly sent?: boolean;
  proxy?(): RestProxyConfig;
}

const cases: Case[] = [
  { name: 'the id ..', code: 'address', id: '..' },
  { name: 'an object as id', code: 'address', id: { a: 1 } },
  { name: 'an id that is too long for a number', code: 'address', id: 2 ** 60 },
  { name: 'no url', code: 'address', proxy: () => ({ url: undefined }) },
  { name: 'a relative url without a base', code: 'address', proxy: () => ({ baseUrl: undefined }) },
  { name: 'a template without a value', code: 'address', proxy: () => ({ url: '/{x}/users' }) },
  { name: 'a format that leaves the collection', code: 'address', proxy: () => ({ format: '/../x' }) },
  {
    name: 'a parameter that cannot be sent',
    code: 'address',
    proxy: () => ({ extraParams: { a: new Date(Number.NaN) } }),
  },
  { name: 'an unreachable server', code: 'network', sent: true, proxy: () => ({ baseUrl: unreachable }) },
  {
    name: 'a truncated body',
    code: 'network',
    sent: true,
    proxy: () => ({ baseUrl: `http://127.0.0.1:${(truncating.address() as AddressInfo).port}` }),
  },
  { name: 'an HTML page with status 200', code: 'read', sent: true },
];

describe.each(cases)('with $name', ({ code, id = 7, proxy = () => ({}), sent = false }) => {
  beforeEach(() => server.always(() => ({ text: '<html><body>Sign in</body></html>' })));

  test('Model.load rejects', async () => {
    const error = await failure(define(proxy()).load(id as never));
    expect(isDataError(error) && error.code).toBe(code);
    if (!sent) expect(server.requests).toHaveLength(0);
  });

  test.each(['load', 'save', 'erase'] as const)(
    '%s of a record rejects and does not change the record',
    async (verb) => {
      const user = new (define(proxy()))({ id: id as never, name: 'Ed' }, { phantom: false });
      user.set({ name: 'Bob' });
      const error = await failure(user[verb]());
      expect(isDataError(error) && error.code).toBe(code);
      expect(user).toMatchObject({ name: 'Bob', dirty: true, phantom: false, erased: false });
      user.reject();
      expect(user).toMatchObject({ name: 'Ed', dirty: false });
      if (!sent) expect(server.requests).toHaveLength(0);
    },
  );

  test('a create rejects and leaves the record a phantom', async () => {
    if (id !== 7) return; // A create does not use the id.
    const user = new (define(proxy()))({ name: 'Ed' });
    const error = await failure(user.save());
    expect(isDataError(error) && error.code).toBe(code);
    expect(user).toMatchObject({ name: 'Ed', phantom: true });
  });

  test('a load of a store rejects and keeps its records', async () => {
    const store = new Store({ model: define(proxy()), data: [{ id: 1, name: 'a' }] });
    store.add({ name: 'new' });
    const error = await failure(store.load(id === 7 ? {} : ({ id } as never)));
    expect(isDataError(error) && error.code).toBe(code);
    expect([...store].map((user) => user.name)).toEqual(['a', 'new']);
  });
});

test('a response after an abort changes nothing', async () => {
  const held = server.hold();
  const answered = deferred<void>();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    // Some platforms ignore the signal.
    const { signal: _, ...rest } = init ?? {};
    const response = await globalThis.fetch(url, rest);
    answered.resolve();
    return response;
  };
  const user = define({ fetch }).fromRow({ id: 7, name: 'Ed' });
  user.set({ name: 'Bob' });
  const saving = user.save();
  await held.request;
  user.$.abort();
  expect(isDataError(await failure(saving)) && user.$.error?.code).toBe('abort');
  held.answer({ json: { id: 7, name: 'Late' } });
  await answered.promise;
  await new Promise(setImmediate);
  expect(user).toMatchObject({ name: 'Bob', dirty: true });
  user.reject();
  expect(user.name).toBe('Ed');
});
