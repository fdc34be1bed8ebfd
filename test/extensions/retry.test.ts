import fc from 'fast-check';
import {
  DefinitionError,
  type Extension,
  NetworkError,
  type RetryConfig,
  rateLimit,
  retry,
  TimeoutError,
} from 'repose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answer, EventClock, ending, listeners, requestOf, scripted, settled, through } from './support.js';

const lost = () => new NetworkError(new TypeError('fetch failed'));

/** A `retry()` with the longest jitter by default. */
function setUp(config: RetryConfig = {}, random: () => number = () => 1) {
  const clock = new EventClock(1_000_000);
  const started = clock.now();
  const send = through(retry({ random, ...config })[0] as Extension, clock);
  return { clock, policy: send, passed: () => clock.now() - started };
}

/** The oldest of the three forms of dates in HTTP: `Sun Nov  6 08:49:37 1994`. */
function asctime(time: number): string {
  const [, day, month, year, rest] = /(\d\d) (\w+) (\d+) ([\d:]+)/.exec(new Date(time).toUTCString()) ?? [];
  return `Sun ${month} ${day} ${rest} ${year}`;
}

describe('retry()', () => {
  test.each([
    ['no response', lost()],
    ['an attempt that took too long', new TimeoutError(5)],
    ['408', answer(408)],
    ['429', answer(429)],
    ['502', answer(502)],
    ['503', answer(503)],
    ['504', answer(504)],
  ])('repeats after %s', async (_, first) => {
    const { clock, policy } = setUp();
    const send = scripted(first, answer(200));
    const request = requestOf();
    const result = ending(policy(request, send));
    await clock.advance(300);
    expect(result.value?.status).toBe(200);
    expect(request.operation.attempts).toBe(2);
  });

  test.each([
    ['401', answer(401)],
    ['404', answer(404)],
    ['409', answer(409)],
    ['500', answer(500)],
    ['501', answer(501)],
    ['200', answer(200)],
  ])('does not repeat after %s', async (_, first) => {
    const { policy } = setUp();
    const send = scripted(first);
    expect(await policy(requestOf(), send)).toBe(first);
    expect(send.sent).toHaveLength(1);
  });

  test('passes on an error that is not a lost response', async () => {
    const { policy } = setUp();
    const broken = new RangeError('a header function failed');
    const send = scripted(broken);
    await expect(policy(requestOf(), send)).rejects.toBe(broken);
    expect(send.sent).toHaveLength(1);
  });

  test('never repeats a call that could create a duplicate', async () => {
    const { policy } = setUp();
    for (const outcome of [lost(), new TimeoutError(5), answer(503)]) {
      const send = scripted(outcome);
      const result = ending(policy(requestOf({ repeatable: false }), send));
      await settled();
      expect(result.value ?? result.error).toBe(outcome);
      expect(send.sent).toHaveLength(1);
    }
  });

  test('never repeats a read whose rows were already passed on', async () => {
    const { policy, clock } = setUp();
    const request = requestOf();
    const error = lost();
    const result = ending(
      policy(request, async (each) => {
        each.delivered = true;
        throw error;
      }),
    );
    await settled();
    expect([result.error, clock.alarmed]).toEqual([error, 0]);
  });

  test('repeats three times and returns the last outcome', async () => {
    const { clock, policy } = setUp();
    const last = answer(503);
    const send = scripted(lost(), answer(502), new TimeoutError(5), last);
    const result = ending(policy(requestOf(), send));
    await clock.advance(60_000);
    expect(result.value).toBe(last);
    expect(send.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  test('limit: 0 repeats nothing', async () => {
    const { policy } = setUp({ limit: 0 });
    const send = scripted(answer(503));
    expect((await policy(requestOf(), send)).status).toBe(503);
    expect(send.sent).toHaveLength(1);
  });

  test('repeats only after `statuses` if they are given', async () => {
    const { clock, policy } = setUp({ statuses: [500] });
    const send = scripted(answer(500), answer(503), answer(200));
    const result = ending(policy(requestOf(), send));
    await clock.advance(60_000);
    expect(result.value?.status).toBe(503);
  });

  test('doubles the longest wait up to `backoff.max`', async () => {
    const { clock, policy } = setUp({ limit: 5, backoff: { base: 100, max: 500 } });
    const times: number[] = [];
    const result = ending(
      policy(requestOf(), async () => {
        times.push(clock.now());
        throw lost();
      }),
    );
    await clock.advance(60_000);
    expect(result.error).toBeInstanceOf(NetworkError);
    expect(times.map((time) => time - 1_000_000)).toEqual([0, 100, 300, 700, 1200, 1700]);
  });

  test('waits for a random time from 0 on', async () => {
    const numbers = [0.5, 0];
    const { clock, policy } = setUp({ limit: 2 }, () => numbers.shift() as number);
    const times: number[] = [];
    ending(
      policy(requestOf(), async () => {
        times.push(clock.now() - 1_000_000);
        throw lost();
      }),
    );
    await clock.advance(60_000);
    expect(times).toEqual([0, 150, 150]);
  });

  test.each([
    ['seconds', (_: number) => '7', 7000],
    ['a date', (now: number) => new Date(now + 9000).toUTCString(), 9000],
    ['a date in the form without a zone, which is GMT too', (now: number) => asctime(now + 9000), 9000],
    ['a date that has passed', () => new Date(0).toUTCString(), 300],
    ['0', () => '0', 300],
    ['nonsense', () => 'soon', 300],
    ['words that engines take for a date far ahead', () => 'retry 2100', 300],
    ['a negative number', () => '-5', 300],
  ])('waits as long as Retry-After says: %s', async (_, value, wait) => {
    // Without care, dates without a time zone would be read in this zone.
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { clock, policy, passed } = setUp();
    const send = scripted(answer(503, { 'Retry-After': value(clock.now()) }), answer(200));
    const result = ending(policy(requestOf(), send));
    await clock.advance(wait - 1);
    expect(result.value).toBeUndefined();
    await clock.advance(1);
    expect([result.value?.status, passed()]).toEqual([200, wait]);
  });

  test('returns the response at once if its Retry-After lies behind the deadline', async () => {
    const { clock, policy, passed } = setUp({ deadline: 10_000 });
    const refused = answer(429, { 'Retry-After': '10' });
    const result = ending(policy(requestOf(), scripted(refused)));
    await settled();
    expect([result.value, clock.alarmed, passed()]).toEqual([refused, 0, 0]);
  });

  test('keeps to the deadline with attempts and waits together', async () => {
    const { clock, policy, passed } = setUp({ limit: 100, deadline: 5000, backoff: { base: 500 } });
    const timeouts: number[] = [];
    let ended = 0;
    const result = policy(requestOf({ timeout: 2000 }), async ({ timeout }) => {
      timeouts.push(timeout);
      await new Promise<void>((resolve) => clock.after(timeout, resolve));
      throw new TimeoutError(timeout);
    }).catch((error) => {
      ended = passed();
      return error;
    });
    await clock.advance(20_000);
    expect([timeouts, ended]).toEqual([[2000, 2000], 4500]);
    expect(await result).toBeInstanceOf(TimeoutError);
  });

  test('gives a retry only the time left, even if attempts have no timeout', async () => {
    const { clock, policy } = setUp({ deadline: 5000 });
    const timeouts: number[] = [];
    ending(
      policy(requestOf({ timeout: 0 }), async ({ timeout }) => {
        timeouts.push(timeout);
        throw lost();
      }),
    );
    await clock.advance(20_000);
    expect(timeouts).toEqual([0, 4700, 4100, 2900]);
  });

  test('sets no timeout on retries if neither timeout nor deadline is set', async () => {
    const { clock, policy } = setUp({ deadline: Number.POSITIVE_INFINITY });
    const timeouts: number[] = [];
    ending(
      policy(requestOf({ timeout: 0 }), async ({ timeout }) => {
        timeouts.push(timeout);
        throw lost();
      }),
    );
    await clock.advance(20_000);
    expect(timeouts).toEqual([0, 0, 0, 0]);
  });

  test('returns the last response at the deadline, even while it waits for rateLimit(), and uses no turn', async () => {
    const { clock, policy, passed } = setUp({ deadline: 5000 });
    const rate = through(rateLimit({ requests: 1, per: 20_000 }), clock);
    const send = scripted(answer(503));
    const controller = new AbortController();
    const result = ending(policy(requestOf({ signal: controller.signal }), (request) => rate(request, send)));
    await clock.advance(4999);
    expect(result.value).toBeUndefined();
    await clock.advance(1);
    expect([result.value?.status, passed(), send.sent.length]).toEqual([503, 5000, 1]);
    expect([clock.alarmed, listeners(controller.signal)]).toEqual([0, 0]);
  });

  test('sets no timer for a retry that rateLimit() sends at once', async () => {
    const { clock, policy } = setUp({ deadline: 5000 });
    const rate = through(rateLimit({ requests: 2 }), clock);
    const send = scripted(answer(503, { 'Retry-After': '1' }), answer(200));
    const result = ending(policy(requestOf(), (request) => rate(request, send)));
    await clock.advance(1000);
    expect([result.value?.status, clock.alarmed]).toEqual([200, 0]);
  });

  test('takes the wait for rateLimit() off the timeout of a retry', async () => {
    const { clock, policy } = setUp({ deadline: 5000 });
    const rate = through(rateLimit({ requests: 1, per: 3000 }), clock);
    const send = scripted(answer(503), answer(200));
    const result = ending(policy(requestOf(), (request) => rate(request, send)));
    await clock.advance(5000);
    expect([result.value?.status, send.sent.map(({ timeout }) => timeout)]).toEqual([200, [30_000, 1910]]);
  });

  test('rejects at once on an abort during a wait, and leaves no timer or listener', async () => {
    const { clock, policy } = setUp();
    const controller = new AbortController();
    const send = scripted(answer(503, { 'Retry-After': '30' }));
    const result = ending(policy(requestOf({ signal: controller.signal }), send));
    await settled();
    expect([clock.alarmed, listeners(controller.signal)]).toEqual([1, 1]);
    controller.abort(new Error('enough'));
    await settled();
    expect(result.error).toMatchObject({ code: 'abort', cause: { message: 'enough' } });
    expect([clock.alarmed, listeners(controller.signal), send.sent.length]).toEqual([0, 0, 1]);
  });

  test('does not wait after an abort during an attempt', async () => {
    const { clock, policy } = setUp();
    const controller = new AbortController();
    const result = ending(
      policy(requestOf({ signal: controller.signal }), async () => {
        controller.abort();
        return answer(503);
      }),
    );
    await settled();
    expect(result.error).toMatchObject({ code: 'abort' });
    expect(clock.alarmed).toBe(0);
  });

  test('never sends more than limit + 1 times or after the deadline, and leaves no timer or listener', async () => {
    const outcome = fc.constantFrom('lost', 'late', '200', '429', '503', '500');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(outcome, fc.nat(3000), fc.nat(20)), { minLength: 1, maxLength: 12 }),
        fc.nat(6),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 0, max: 99 }),
        async (script, limit, deadline, chance) => {
          const { clock, policy, passed } = setUp({ limit, deadline }, () => chance / 100);
          const { signal } = new AbortController();
          const starts: number[] = [];
          const result = ending(
            policy(requestOf({ signal }), async () => {
              starts.push(passed());
              const [kind, duration, after] = script[(starts.length - 1) % script.length] as [string, number, number];
              await new Promise<void>((resolve) => clock.after(duration, resolve));
              if (kind === 'lost') throw lost();
              if (kind === 'late') throw new TimeoutError(duration);
              return answer(Number(kind), after ? { 'Retry-After': String(after) } : {});
            }),
          );
          await clock.advance(1_000_000);
          expect(result.value ?? result.error).toBeDefined();
          expect(starts.length).toBeLessThanOrEqual(limit + 1);
          expect(starts.slice(1).every((start) => start < deadline)).toBe(true);
          expect([clock.alarmed, listeners(signal)]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    [
      'an unknown option',
      { times: 3 },
      "'times' is not an option of retry; its options are limit, statuses, backoff, deadline, random",
    ],
    [
      'an unknown option of backoff',
      { backoff: { factor: 2 } },
      "'factor' is not an option of retry.backoff; its options are base, max",
    ],
    ['a broken limit', { limit: 1.5 }, 'retry.limit must be a whole number from 0, not 1.5'],
    ['a limit below 0', { limit: -1 }, 'retry.limit must be a whole number from 0, not -1'],
    ['a status', { statuses: [42] }, 'retry.statuses must be a list of statuses, not an array'],
    ['no list of statuses', { statuses: 503 }, 'retry.statuses must be a list of statuses, not 503'],
    ['no backoff', { backoff: 300 }, 'retry.backoff must be an object, not 300'],
    ['a base below 0', { backoff: { base: -1 } }, 'retry.backoff.base must be milliseconds, from 0, not -1'],
    [
      'a maximum that is NaN',
      { backoff: { max: Number.NaN } },
      'retry.backoff.max must be milliseconds, from 0, not NaN',
    ],
    ['a deadline that is a text', { deadline: '60' }, "retry.deadline must be milliseconds, from 0, not '60'"],
    ['a number', 3, 'retry must be an object, not 3'],
  ])('refuses %s with a DefinitionError', (_, config, text) => {
    expect(() => retry(config as RetryConfig)).toThrow(DefinitionError);
    expect(() => retry(config as RetryConfig)).toThrow(text);
  });

  test('treats undefined options as not given', () => {
    expect(() => setUp({ limit: undefined, backoff: { base: undefined } } as never)).not.toThrow();
  });
});
