import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateWindow } from '../../src/extensions/rate-window.js';

/** Sends each request as early as allowed; `pause` is a time without requests. */
function run(window: RateWindow, requests: readonly { readonly pause: number; readonly late: number }[]): number[] {
  const times: number[] = [];
  let now = 1000;
  for (const { pause, late } of requests) {
    now += pause;
    for (let waited = pause === 0, delay = window.delay(now, waited); delay > 0; delay = window.delay(now, waited)) {
      waited = true;
      now += Math.ceil(delay) + late;
    }
    window.countSend(now);
    times.push(now);
  }
  return times;
}

const demand = fc.array(fc.record({ pause: fc.oneof(fc.constant(0), fc.nat(300)), late: fc.nat(20) }), {
  minLength: 1,
  maxLength: 300,
});

describe('RateWindow', () => {
  test('allows no more calls than the limit in any span of time', () => {
    fc.assert(
      fc.property(demand, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2000 }), (requests, most, per) => {
        const times = run(new RateWindow(most, per), requests);
        for (const [i, time] of times.entries()) {
          const first = times[i - most];
          if (first !== undefined) expect(time - first).toBeGreaterThanOrEqual(per);
        }
      }),
    );
  });

  test('allows no more calls than the burst at once, even after a pause', () => {
    fc.assert(
      fc.property(demand, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 60 }), (requests, most, burst) => {
        const gap = 1030 / most;
        const times = run(new RateWindow(most, 1000, burst), requests);
        for (const [i, time] of times.entries()) {
          for (let j = 0; j < i; j++) {
            const span = time - (times[j] as number);
            expect(i - j + 1).toBeLessThanOrEqual(burst + span / gap + 1e-6);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('serves constant demand at more than 0.95 of the limit, however late timers are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 200 }), fc.array(fc.nat(3), { minLength: 1 }), (most, late) => {
        const times = run(
          new RateWindow(most, 1000),
          Array.from({ length: most * 20 }, (_, i) => ({ pause: 0, late: late[i % late.length] as number })),
        );
        const seconds = ((times.at(-1) as number) - (times[0] as number)) / 1000;
        expect(times.length / seconds / most).toBeGreaterThan(0.95);
      }),
      { numRuns: 50 },
    );
  });

  test('sends saved-up calls at once and later ones evenly', () => {
    const times = run(new RateWindow(10, 1000), Array(40).fill({ pause: 0, late: 0 }));
    expect(times.slice(0, 10)).toEqual(Array(10).fill(1000));
    const gaps = times.slice(11).map((time, i) => time - (times[i + 10] as number));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
  });
});
