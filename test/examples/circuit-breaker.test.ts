import { type Clock, Model, type RestProxyConfig, retry } from 'repose';
import { systemClock } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { CircuitOpenError, circuitBreaker } from '../../examples/extensions/circuit-breaker.js';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const ROW = { id: 7, name: 'Ed' };
const FAILED = { status: 503 };

const define = (clock: Clock, config: RestProxyConfig = {}) =>
  class extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { clock, ...config }),
  }) {};
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('the extension circuitBreaker()', () => {
  test('sends nothing after the given number of failures, until its pause has ended', async () => {
    const clock = manualClock();
    const User = define(clock, { use: [circuitBreaker(2, 1000)] });
    server.reply(FAILED, { drop: true });
    expect([await codeOf(User.load(7)), await codeOf(User.load(7))]).toEqual(['http', 'network']);
    clock.advance(999);
    const error = await User.load(7).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CircuitOpenError);
    expect(error).toMatchObject({ code: 'circuit-open', params: { wait: 1 } });
    expect((error as Error).message).toMatch(/^GET \/users\/7 was not sent: rest\.test keeps failing/);
    expect(server.requests).toHaveLength(2);
    clock.advance(1);
    server.reply({ json: ROW }, FAILED, { json: ROW });
    expect([await codeOf(User.load(7)), await codeOf(User.load(7)), await codeOf(User.load(7))]).toEqual([
      'done',
      'http',
      'done',
    ]);
  });

  test('lets one call test the host, and pauses again if that fails', async () => {
    const clock = manualClock();
    const User = define(clock, { use: [circuitBreaker(1, 1000)] });
    server.reply(FAILED);
    await codeOf(User.load(7));
    clock.advance(1000);
    const held = server.hold();
    const tests = codeOf(User.load(7));
    await held.request;
    expect(await codeOf(User.load(8))).toBe('circuit-open');
    held.answer(FAILED);
    expect([await tests, await codeOf(User.load(7)), server.lines.length]).toEqual(['http', 'circuit-open', 2]);
  });

  test('counts the attempts of retry(), and stops further ones', async () => {
    const User = define(systemClock, { use: [retry({ random: () => 0 }), circuitBreaker(2, 60_000)] });
    server.always(() => FAILED);
    expect([await codeOf(User.load(7)), server.lines.length]).toEqual(['circuit-open', 2]);
  });

  test('counts each host separately, and neither a refusal nor an abort', async () => {
    const use = [circuitBreaker(1, 1000)];
    const clock = manualClock();
    const User = define(clock, { use });
    const Other = define(clock, { use, baseUrl: 'http://other.test', fetch: async () => Response.json(ROW) });
    server.reply({ status: 404 });
    expect(await codeOf(User.load(7))).toBe('http');
    const held = server.hold();
    const abort = new AbortController();
    const aborted = codeOf(User.load(7, { signal: abort.signal }));
    await held.request;
    abort.abort();
    expect(await aborted).toBe('abort');
    server.reply(FAILED);
    expect(await codeOf(User.load(7))).toBe('http');
    expect([await codeOf(User.load(7)), await codeOf(Other.load(7))]).toEqual(['circuit-open', 'done']);
  });

  test('leaves a record unchanged and not unconfirmed when it refuses its write', async () => {
    const User = define(manualClock(), { use: [circuitBreaker(1, 1000)] });
    server.reply(FAILED);
    await codeOf(User.load(7));
    const user = new User({ name: 'Cy' });
    expect(await codeOf(user.save())).toBe('circuit-open');
    expect([user.phantom, user.$.unconfirmed, server.lines.length]).toEqual([true, false, 1]);
  });
});
