import { type RateLimitConfig, rateLimit } from 'repose';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/http/http-response.js';
import { seededRandom } from '../../src/testing/faults.js';
import { answer, EventClock, requestOf, through } from './support.js';

/** Decides whether a request exceeds the limit; may report the remaining number. */
type Limit = ((now: number) => boolean) & { report?: (now: number) => Record<string, string> };

const SPAN = 1000;
const MOST = 100;

/** A limit per whole second, with any offset. */
function fixedWindow(offset: number): Limit {
  let [window, count] = [-1, 0];
  return (now) => {
    const own = Math.floor((now + offset) / SPAN);
    if (own !== window) [window, count] = [own, 0];
    count += 1;
    return count > MOST;
  };
}

/** A limit per whole second that every response reports. */
function reportedWindow(): Limit {
  let [window, count] = [-1, 0];
  const limit = (now: number) => {
    const own = Math.floor(now / SPAN);
    if (own !== window) [window, count] = [own, 0];
    count += 1;
    return count > MOST;
  };
  const report = (now: number) => ({
    'RateLimit-Limit': `${MOST}, ${MOST};w=1`,
    'RateLimit-Remaining': `${Math.max(0, MOST - count)}`,
    'RateLimit-Reset': `${Math.ceil((SPAN - (now % SPAN)) / SPAN)}`,
  });
  return Object.assign(limit, { report });
}

function tokenBucket(capacity: number): Limit {
  let [tokens, last] = [capacity, 0];
  return (now) => {
    tokens = Math.min(capacity, tokens + ((now - last) * MOST) / SPAN);
    last = now;
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  };
}

/** A limit for the last 1000 milliseconds; refused requests do not count. */
function slidingWindow(): Limit {
  const times: number[] = [];
  return (now) => {
    while (times[0] !== undefined && times[0] <= now - SPAN) times.shift();
    if (times.length >= MOST) return true;
    times.push(now);
    return false;
  };
}

/** Sends each create until it is accepted, `concurrency` at a time, with late timers and latency. */
async function createAll(config: RateLimitConfig, limit: Limit, creates: number, concurrency: number, stalls = 0) {
  const clock = new EventClock();
  const random = seededRandom(7);
  const late = {
    now: () => Math.floor(clock.now()),
    after: (ms: number, callback: () => void) =>
      clock.after(Math.max(1, ms) + random() * (random() < stalls ? 200 : 3), callback),
  };
  const travel = () => new Promise<void>((resolve) => clock.after(1 + random() * 8, resolve));
  const policy = through(rateLimit(config), late);
  let [left, taken, refused, ended] = [creates, 0, 0, 0];
  const send = async (): Promise<HttpResponse> => {
    await travel();
    const tooMany = limit(clock.now());
    if (tooMany) refused += 1;
    const reported = limit.report?.(clock.now()) ?? {};
    await travel();
    return tooMany ? answer(429, { ...reported, 'Retry-After': '1' }) : answer(201, reported);
  };
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      while ((await policy(requestOf({ action: 'create', method: 'POST' }), send)).status === 429);
      taken += 1;
      if (taken === creates) ended = clock.now();
    }
  };
  for (let i = 0; i < concurrency; i++) void worker();
  while (taken < creates) await clock.advance(1000);
  return { share: creates / (ended / SPAN) / MOST, refused: refused / creates, timers: clock.alarmed };
}

describe('creates under a limit of 100 per second', () => {
  const servers: [string, () => Limit][] = [
    ['whole seconds', () => fixedWindow(0)],
    ['seconds that begin a moment before ours', () => fixedWindow(985)],
    ['seconds that begin in the middle of ours', () => fixedWindow(500)],
    ['a bucket of 100', () => tokenBucket(MOST)],
    ['the last second', slidingWindow],
    ['whole seconds that answers report', reportedWindow],
  ];

  test.each(servers)('use nearly all of the limit and are rarely refused: %s', async (_, limit) => {
    for (const concurrency of [6, 32]) {
      const { share, refused, timers } = await createAll({ requests: 100, per: 1000 }, limit(), 3000, concurrency);
      expect(share).toBeGreaterThan(0.95);
      expect(refused).toBeLessThanOrEqual(0.01);
      expect(timers).toBe(0);
    }
  });

  test('use at least 0.95 of the limit, with at most 1 % refused, for 10,000 creates', async () => {
    const { share, refused } = await createAll({ requests: 100, per: 1000 }, fixedWindow(300), 10_000, 6);
    expect(share).toBeGreaterThanOrEqual(0.95);
    expect(refused).toBeLessThanOrEqual(0.01);
  });

  test('catch up after the process stalled', async () => {
    const { share, refused } = await createAll({ requests: 100, per: 1000 }, slidingWindow(), 3000, 6, 0.01);
    expect(share).toBeGreaterThan(0.94);
    expect(refused).toBeLessThanOrEqual(0.01);
  });

  test('adapt to a bucket of 20, learnt from refusals or set as `burst`', async () => {
    const learnt = await createAll({ requests: 100, per: 1000 }, tokenBucket(20), 3000, 32);
    expect(learnt.share).toBeGreaterThan(0.9);
    expect(learnt.refused).toBeLessThanOrEqual(0.02);
    const given = await createAll({ requests: 100, per: 1000, burst: 10 }, tokenBucket(20), 3000, 32);
    expect(given.share).toBeGreaterThan(0.95);
    expect(given.refused).toBe(0);
  });

  test('keep a limit that answers report, without options', async () => {
    const { share, refused } = await createAll({}, reportedWindow(), 3000, 32);
    expect(share).toBeGreaterThan(0.95);
    expect(refused).toBeLessThanOrEqual(0.01);
  });

  test('adapt to a limit that only refusals show, with few refusals', async () => {
    const { share, refused } = await createAll({}, tokenBucket(MOST), 3000, 32);
    expect(share).toBeGreaterThan(0.5);
    expect(refused).toBeLessThan(0.1);
  });
});
