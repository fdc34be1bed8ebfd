import { DefinitionError, HttpError, type RateLimitConfig, rateLimit } from 'repose';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/http/http-response.js';
import type { ProxyRequest } from '../../src/operation/proxy-request.js';
import {
  answer,
  type Ended,
  EventClock,
  ending,
  listeners,
  requestOf,
  settled,
  type TestRequestConfig,
  through,
} from './support.js';

/** Calls through a policy; requests are recorded with their time and answered by `respond`. */
function setUp(
  config: RateLimitConfig,
  respond: (request: ProxyRequest, sent: number) => HttpResponse | Promise<HttpResponse> = () => answer(),
) {
  const clock = new EventClock();
  const extension = rateLimit(config);
  const policy = through(extension, clock);
  const sent: [id: string, time: number][] = [];
  const ask = (
    id: string,
    over: TestRequestConfig = {},
    by = policy,
  ): Ended<HttpResponse> & { request: ProxyRequest } => {
    const request = requestOf({ model: id, ...over });
    return Object.assign(
      ending(
        by(request, async (each) => {
          sent.push([id, clock.now()]);
          return respond(each, sent.length);
        }),
      ),
      { request },
    );
  };
  return { clock, extension, policy, sent, ask, times: () => sent.map(([, time]) => time) };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

describe('rateLimit()', () => {
  test('sends calls up to the limit at once and the others later, in order', async () => {
    const { clock, sent, ask } = setUp({ requests: 2, per: 1000 });
    for (const id of ids(5)) ask(id);
    await settled();
    expect(sent).toEqual([
      ['0', 0],
      ['1', 0],
    ]);
    await clock.advance(1009);
    expect(sent).toHaveLength(2);
    await clock.advance(2000);
    expect(sent.map(([id]) => id)).toEqual(['0', '1', '2', '3', '4']);
    expect(sent.slice(2).map(([, time]) => time)).toEqual([1010, 1525, 2040]);
  });

  test('uses a second if `per` is not given', async () => {
    const { clock, ask, times } = setUp({ requests: 1 });
    for (const id of ids(2)) ask(id);
    await clock.advance(5000);
    expect(times()).toEqual([0, 1030]);
  });

  test('sends at most `burst` calls at once', async () => {
    const { clock, ask, times } = setUp({ requests: 10, per: 1000, burst: 2 });
    for (const id of ids(4)) ask(id);
    await clock.advance(5000);
    expect(times()).toEqual([0, 0, 103, 206]);
  });

  test('treats a burst above the limit as a bucket that fills evenly', async () => {
    const { clock, ask, times } = setUp({ requests: 10, per: 1000, burst: 12 });
    for (const id of ids(14)) ask(id);
    await clock.advance(5000);
    expect(times()).toEqual([...Array(12).fill(0), 103, 206]);
  });

  test('leaves no timer when no call waits', async () => {
    const { clock, ask } = setUp({ requests: 1 });
    const [first, second] = [ask('a'), ask('b')];
    await settled();
    expect(clock.alarmed).toBe(1);
    await clock.advance(1030);
    expect([first.value?.status, second.value?.status, clock.alarmed]).toEqual([200, 200, 0]);
  });

  test('rejects an aborted call at once without using up a turn', async () => {
    const { clock, sent, ask } = setUp({ requests: 1 });
    ask('a');
    const controller = new AbortController();
    const gone = ask('gone', { signal: controller.signal });
    const last = ask('b');
    await settled();
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    await settled();
    expect(gone.error).toMatchObject({ code: 'abort' });
    expect(listeners(controller.signal)).toBe(0);
    await clock.advance(1030);
    expect(sent).toEqual([
      ['a', 0],
      ['b', 1030],
    ]);
    expect(last.value?.status).toBe(200);
  });

  test('stops the timer when the last waiting call is aborted', async () => {
    const { clock, ask } = setUp({ requests: 1 });
    ask('a');
    const controller = new AbortController();
    ask('gone', { signal: controller.signal });
    await settled();
    controller.abort();
    expect(clock.alarmed).toBe(0);
  });

  test('uses up no turn for a call that was already aborted', async () => {
    const { clock, sent, ask } = setUp({ requests: 1 });
    const gone = ask('gone', { signal: AbortSignal.abort() });
    ask('a');
    await settled();
    expect([gone.error, sent, clock.alarmed]).toEqual([expect.objectContaining({ code: 'abort' }), [['a', 0]], 0]);
  });

  test('counts a call from its response, because it may have been in flight for long', async () => {
    const held: ((response: HttpResponse) => void)[] = [];
    const { clock, ask, times } = setUp({ requests: 2 }, () => new Promise((resolve) => held.push(resolve)));
    for (const id of ids(2)) ask(id);
    await clock.advance(500);
    for (const resolve of held) resolve(answer());
    await settled();
    ask('next');
    await clock.advance(5000);
    expect(times()).toEqual([0, 0, 1510]);
  });

  test('adds the time that a call waited to its `queueTime`', async () => {
    const { clock, ask } = setUp({ requests: 1 });
    const [first, second] = [ask('a'), ask('b', { queueTime: 5 })];
    await clock.advance(1030);
    expect([first.request.queueTime, second.request.queueTime]).toEqual([0, 1035]);
  });

  test('limits each host separately', async () => {
    const { sent, ask } = setUp({ requests: 1 });
    ask('a', { target: 'https://one.test/a' });
    ask('b', { target: 'https://two.test/a' });
    ask('c', { target: 'https://one.test:8443/a' });
    ask('d', { target: 'https://one.test/b' });
    await settled();
    expect(sent.map(([id]) => id)).toEqual(['a', 'b', 'c']);
  });

  test('shares a limit between proxies with the same extension object only', async () => {
    const { clock, sent, ask, extension } = setUp({ requests: 1 });
    ask('a');
    ask('b', {}, through(extension, clock));
    ask('c', {}, through(rateLimit({ requests: 1 }), clock));
    await settled();
    expect(sent.map(([id]) => id)).toEqual(['a', 'c']);
  });

  test('counts a call that fails, and then sends the next', async () => {
    const { clock, sent, ask } = setUp({ requests: 1 }, (_, count) => {
      if (count === 1) throw new Error('lost');
      return answer();
    });
    const [first, second] = [ask('a'), ask('b')];
    await clock.advance(1030);
    expect([first.error, second.value?.status, sent.length]).toEqual([new Error('lost'), 200, 2]);
  });

  test('sends calls at once after the clock was set back', async () => {
    const { clock, ask, times } = setUp({ requests: 1 }, (_, count) => answer(count === 2 ? 429 : 200));
    clock.set(10_000_000);
    ask('a');
    ask('b');
    await clock.advance(1030);
    clock.set(0);
    ask('c');
    await settled();
    expect(times()).toEqual([10_000_000, 10_001_030, 0]);
  });
});

describe('a host that refuses requests for a while', () => {
  test.each([
    ['429 with seconds', 429, { 'Retry-After': '3' }, 3000],
    ['429 with a date', 429, { 'Retry-After': new Date(5000).toUTCString() }, 5000],
    ['429 with a reset', 429, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '4' }, 4000],
    ['429 with a reset and no number', 429, { 'RateLimit-Reset': '4' }, 4000],
    ['429 of another limit than the reported one', 429, { 'RateLimit-Remaining': '7', 'RateLimit-Reset': '40' }, 1000],
    ['429 without a word', 429, {}, 1000],
    ['503 with seconds', 503, { 'Retry-After': '2' }, 2000],
    ['403 with seconds', 403, { 'Retry-After': '2' }, 2000],
    ['403 with nothing left', 403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '4' }, 4000],
    ['200 with nothing left', 200, { RateLimit: '"default";r=0;t=6' }, 6000],
  ] as const)('%s delays every call', async (_, status, headers, wait) => {
    const config = {};
    const { clock, sent, ask, extension } = setUp(config, (_, count) =>
      answer(count === 1 ? status : 200, count === 1 ? headers : {}),
    );
    const first = ask('a');
    await settled();
    expect(first.value?.status).toBe(status);
    ask('b');
    ask('c', {}, through(extension, clock));
    await clock.advance(wait - 1);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent.map(([id, time]) => [id, time])).toEqual([
      ['a', 0],
      ['b', wait],
      ['c', wait],
    ]);
    expect(clock.alarmed).toBe(0);
  });

  test.each([
    ['503 without a word', 503, {}],
    ['403 without a word', 403, {}],
    ['500 with seconds', 500, { 'Retry-After': '3' }],
    ['200 with something left', 200, { RateLimit: '"default";r=2;t=60' }],
    ['200 with nothing left and no time', 200, { RateLimit: '"default";r=0' }],
  ] as const)('%s delays no call', async (_, status, headers) => {
    const { ask, times } = setUp({}, () => answer(status, headers));
    ask('a');
    await settled();
    ask('b');
    await settled();
    expect(times()).toEqual([0, 0]);
  });

  test('refusals in a row double the pause', async () => {
    const { clock, ask, times } = setUp({}, (_, count) => answer(count < 4 ? 429 : 200));
    for (let i = 0; i < 4; i++) {
      ask(`${i}`);
      await settled();
    }
    await clock.advance(60_000);
    expect(times()).toEqual([0, 1000, 3000, 7000]);
  });

  test('a response that is not a refusal resets the pause', async () => {
    const { clock, ask, times } = setUp({}, (_, count) => answer(count % 2 ? 429 : 200));
    for (let i = 0; i < 4; i++) {
      ask(`${i}`);
      await clock.advance(1000);
    }
    expect(times()).toEqual([0, 1000, 2000, 3000]);
  });

  test('refusals of calls that were sent together count as one', async () => {
    const { clock, ask, times } = setUp({}, (_, count) => answer(count < 4 ? 429 : 200));
    for (const id of ids(3)) ask(id);
    await settled();
    ask('next');
    await clock.advance(60_000);
    expect(times()).toEqual([0, 0, 0, 1000]);
  });

  test('the longest of several pauses applies', async () => {
    const waits = ['5', '2'];
    const { clock, ask, times } = setUp({}, () => {
      const wait = waits.shift();
      return wait ? answer(429, { 'Retry-After': wait }) : answer();
    });
    ask('a');
    ask('b');
    await settled();
    ask('c');
    await clock.advance(60_000);
    expect(times()).toEqual([0, 0, 5000]);
  });

  test('after a pause calls are sent one per answer, for a while', async () => {
    const held: ((response: HttpResponse) => void)[] = [];
    const { clock, sent, ask } = setUp({}, (_, count) =>
      count === 1 ? answer(429, { 'Retry-After': '1' }) : new Promise((resolve) => held.push(resolve)),
    );
    ask('a');
    await settled();
    for (const id of ids(10)) ask(id);
    await clock.advance(1000);
    expect(sent).toHaveLength(2);
    held.shift()?.(answer());
    await settled();
    expect(sent).toHaveLength(3);
    await clock.advance(4999);
    expect(sent).toHaveLength(3);
    await clock.advance(1);
    expect(sent).toHaveLength(11);
    expect(clock.alarmed).toBe(0);
  });

  test('calls in flight count against the remaining number that the server reports', async () => {
    const held: ((response: HttpResponse) => void)[] = [];
    const { clock, sent, ask } = setUp({}, () => new Promise((resolve) => held.push(resolve)));
    const left = (count: number) => held.shift()?.(answer(200, { RateLimit: `"default";r=${count};t=10` }));
    for (const id of ids(3)) ask(id);
    await settled();
    left(3);
    await settled();
    for (const id of ids(5)) ask(id);
    await settled();
    expect(sent).toHaveLength(4);
    left(3);
    await settled();
    expect(sent).toHaveLength(5);
    await clock.advance(10_000);
    expect(sent).toHaveLength(8);
  });

  test('a limit that the server reports is kept', async () => {
    const headers = { 'RateLimit-Policy': '"burst";q=2;w=1, "hour";q=1000;w=3600' };
    const { clock, ask, times } = setUp({}, () => answer(200, headers));
    ask('first');
    await settled();
    for (const id of ids(4)) ask(id);
    await clock.advance(10_000);
    expect(times()).toEqual([0, 0, 0, 1010, 1525]);
  });

  test('a limit that the server no longer reports is dropped', async () => {
    const { clock, ask, times } = setUp({}, (_, count) =>
      answer(200, { 'RateLimit-Policy': `${count < 3 ? 1 : 100};w=1` }),
    );
    ask('first');
    await settled();
    for (const id of ids(4)) ask(id);
    await clock.advance(10_000);
    expect(times()).toEqual([0, 0, 1030, 1030, 1030]);
  });

  test('a reported limit that would delay calls for longer than `maxWait` is ignored', async () => {
    const { clock, ask, times } = setUp({}, () => answer(200, { 'RateLimit-Policy': '1;w=86400' }));
    ask('a');
    await settled();
    for (const id of ids(2)) ask(id);
    await settled();
    expect([times(), clock.alarmed]).toEqual([[0, 0, 0], 0]);
  });

  test('after a refusal fewer calls are sent at once, until none was refused for a while', async () => {
    const { clock, ask, times } = setUp({ requests: 8 }, (_, count) => answer(count === 1 ? 429 : 200));
    ask('a');
    await settled();
    await clock.advance(5000);
    for (const id of ids(4)) ask(id);
    await settled();
    expect(times()).toHaveLength(3);
    await clock.advance(10_000);
    for (const id of ids(8)) ask(id);
    await settled();
    expect(times()).toHaveLength(13);
  });

  test('a pause longer than `maxWait` rejects calls at once', async () => {
    const { clock, sent, ask } = setUp({}, () => answer(429, { 'Retry-After': '90' }));
    ask('a');
    await settled();
    const refused = ask('b');
    await settled();
    expect(refused.error).toBeInstanceOf(HttpError);
    expect(refused.error).toMatchObject({
      ...{ code: 'http', status: 429, retryable: true, reason: 'rate-pause' },
      params: { host: 'api.test', until: new Date(90_000).toISOString() },
    });
    expect([sent.length, clock.alarmed]).toEqual([1, 0]);
    await clock.advance(30_000);
    const waiting = ask('c');
    await clock.advance(59_999);
    expect([waiting.error, sent.length]).toEqual([undefined, 1]);
    await clock.advance(1);
    expect(sent).toHaveLength(2);
  });

  test('a pause longer than `maxWait` also rejects calls that already wait', async () => {
    const held: ((response: HttpResponse) => void)[] = [];
    const { clock, ask } = setUp({ requests: 1, maxWait: 5000 }, () => new Promise((resolve) => held.push(resolve)));
    ask('a');
    const waiting = ids(3).map((id) => ask(id));
    await settled();
    held.shift()?.(answer(429, { 'Retry-After': '6' }));
    await settled();
    expect(waiting.map(({ error }) => (error as HttpError).status)).toEqual([429, 429, 429]);
    expect(clock.alarmed).toBe(0);
  });

  test('maxWait: Infinity waits however long, beyond the range of timers', async () => {
    const days = 86_400_000;
    const { clock, sent, ask } = setUp({ maxWait: Number.POSITIVE_INFINITY }, (_, count) =>
      count === 1 ? answer(429, { 'Retry-After': `${(30 * days) / 1000}` }) : answer(),
    );
    ask('a');
    await settled();
    ask('b');
    await clock.advance(30 * days - 1);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent).toHaveLength(2);
  });

  test('a Retry-After beyond the range of dates is longer than any `maxWait`', async () => {
    const { ask } = setUp({}, () => answer(429, { 'Retry-After': '9'.repeat(30) }));
    ask('a');
    await settled();
    const refused = ask('b');
    await settled();
    expect(refused.error).toBeInstanceOf(HttpError);
  });
});

test('a retry has the time left until its deadline; without timeout and deadline, no limit', async () => {
  const timeouts: number[] = [];
  const { clock, ask } = setUp({}, ({ timeout }) => {
    timeouts.push(timeout);
    return answer();
  });
  const end = clock.now() + 500;
  for (const [timeout, until] of [
    [200, end],
    [0, end],
    [200, Number.POSITIVE_INFINITY],
    [0, Number.POSITIVE_INFINITY],
  ] as const)
    ask('a', { timeout, until });
  await settled();
  expect(timeouts).toEqual([200, 500, 200, Number.POSITIVE_INFINITY]);
});

describe('options', () => {
  test.each([
    ['requests: 0', { requests: 0 }, 'rateLimit.requests must be a whole number from 1, not 0'],
    ['requests: NaN', { requests: Number.NaN }, 'rateLimit.requests must be a whole number from 1, not NaN'],
    ['requests: -5', { requests: -5 }, 'rateLimit.requests must be a whole number from 1, not -5'],
    ['requests: Infinity', { requests: Number.POSITIVE_INFINITY }, 'rateLimit.requests must be'],
    ['per: 0', { requests: 1, per: 0 }, 'rateLimit.per must be milliseconds, above 0, not 0'],
    ['per: NaN', { requests: 1, per: Number.NaN }, 'rateLimit.per must be milliseconds, above 0, not NaN'],
    ['burst: 0', { requests: 1, burst: 0 }, 'rateLimit.burst must be a whole number from 1, not 0'],
    ['per without requests', { per: 1000 }, 'rateLimit.requests must be a whole number from 1, not undefined'],
    ['burst without requests', { burst: 5 }, 'rateLimit.requests must be a whole number from 1, not undefined'],
    ['maxWait: -1', { maxWait: -1 }, 'rateLimit.maxWait must be milliseconds, from 0, not -1'],
    ['an unknown one', { request: 5 }, "'request' is not an option of rateLimit: did you mean 'requests'?"],
    ['no object', 100, 'rateLimit must be an object, not 100'],
  ])('%s is a DefinitionError', (_, config, text) => {
    expect(() => rateLimit(config as RateLimitConfig)).toThrow(DefinitionError);
    expect(() => rateLimit(config as RateLimitConfig)).toThrow(text);
  });
});
