import fc from 'fast-check';
import { idempotency, Operation, type OperationConfig, ReadError, RestProxy } from 'repose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Received, type RestServer, startRestServer } from '../helpers/rest-server.js';

// Whatever servers redirect to, no write and no secret arrives anywhere but where it was meant to go.

vi.setConfig({ testTimeout: 60_000 });

let own: RestServer;
let trusted: RestServer;
let stranger: RestServer;
beforeAll(async () => {
  [own, trusted, stranger] = await Promise.all([startRestServer(), startRestServer(), startRestServer()]);
});
afterAll(() => Promise.all([own.stop(), trusted.stop(), stranger.stop()]));

const paths = ['/users', '/users/7', '/users/7/', '/a', '/b/c', '/d?e=1'];
const target = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('OWN', 'OWN', 'TRUSTED', '', ''), fc.constantFrom(...paths)) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('STRANGER', '//STRANGERHOST', 'http://me:pw@OWNHOST'),
      fc.constantFrom(...paths),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('c', '../x', '?q=1', '#f', '//', 'http://[', 'javascript:1', 'data:,x', '\\\\STRANGERHOST/'),
      fc.constant(''),
    ),
  },
);
const hop = fc.record({
  status: fc.constantFrom(301, 302, 303, 307, 308),
  location: fc.option(target, { nil: undefined, freq: 8 }),
});
const routes = fc.dictionary(fc.constantFrom('own', 'trusted'), fc.array(hop, { minLength: 1, maxLength: 5 }));
const action = fc.constantFrom('read', 'create', 'update', 'destroy');

test('redirects never repeat a write, reach an untrusted origin or send secrets to another origin', async () => {
  await fc.assert(
    fc.asyncProperty(action, fc.constantFrom('GET', 'POST', 'PUT'), routes, fc.nat(6), async (act, verb, hops, end) => {
      for (const each of [own, trusted, stranger]) each.reset();
      const fill = (text: string) =>
        text
          .replace('STRANGERHOST', new URL(stranger.url).host)
          .replace('OWNHOST', new URL(own.url).host)
          .replace('OWN', own.url)
          .replace('TRUSTED', trusted.url)
          .replace('STRANGER', stranger.url);
      let count = 0;
      const answer = (name: string) => (_: Received) => {
        const list = hops[name] ?? [];
        const next = list[count % Math.max(1, list.length)];
        count += 1;
        if (!next || count > end) return { json: { id: 7 } };
        const { status, location } = next;
        return { status, headers: location ? { Location: fill(location.join('')) } : {} };
      };
      own.always(answer('own'));
      trusted.always(answer('trusted'));
      const proxy = new RestProxy({
        ...{
          url: '/users',
          baseUrl: own.url,
          noCache: false,
          trustLinks: [trusted.url],
          actionMethods: { [act]: verb },
        },
        ...{ headers: { 'X-Api-Key': 'secret' }, use: [idempotency()], withCredentials: true },
      });
      const config = {
        action: act,
        id: 7,
        headers: { 'X-Call': 'secret' },
        idempotencyKey: 'secret',
      } as OperationConfig;
      const operation = new Operation(config);
      const run = { read: 'read', create: 'create', update: 'update', destroy: 'erase' } as const;
      const error: unknown = await proxy[run[act as keyof typeof run]](operation).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) expect(error).toBeInstanceOf(ReadError);
      const all = [...own.requests, ...trusted.requests];
      expect(stranger.requests).toEqual([]);
      expect(JSON.stringify(trusted.requests.map(({ headers }) => headers))).not.toContain('secret');
      expect(all.length).toBeLessThanOrEqual(act === 'read' && verb === 'GET' ? 6 : 1);
      for (const { method } of all.slice(1)) expect(method).toBe('GET');
      // Each redirect chain is followed to its end or refused.
      if (error === undefined) expect(operation.response).toMatchObject({ status: 200, redirected: all.length > 1 });
    }),
    { numRuns: 400 },
  );
});
