import { DefinitionError } from 'repose';
import { faultingFetch, randomFaults, seededRandom } from 'repose/testing';
import { describe, expect, test } from 'vitest';

const draw = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

async function typesOf(options: Parameters<typeof randomFaults>[0], count: number): Promise<(string | undefined)[]> {
  const fetch = faultingFetch({ fetch: () => Response.json([]), faults: randomFaults(options) });
  for (let n = 0; n < count; n++) await fetch('http://h/').catch(() => undefined);
  return fetch.requests.map((each) => each.fault?.type);
}

describe('seededRandom', () => {
  test('returns the same numbers for the same seed, from 0 to below 1', () => {
    for (const seed of [0, 1, -1, 42, 2 ** 31, 0.5, Number.MAX_SAFE_INTEGER]) {
      const numbers = draw(seededRandom(seed), 100);
      expect(draw(seededRandom(seed), 100)).toEqual(numbers);
      expect(numbers.every((each) => each >= 0 && each < 1)).toBe(true);
    }
  });

  test('returns the numbers of mulberry32', () => {
    expect(draw(seededRandom(1), 3).map((each) => Math.round(each * 2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ]);
  });

  test('returns numbers that are spread evenly', () => {
    const numbers = draw(seededRandom(7), 10_000);
    for (const tenth of draw(() => 0, 10).keys()) {
      const count = numbers.filter((each) => Math.floor(each * 10) === tenth).length;
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1100);
    }
  });
});

describe('randomFaults', () => {
  test('returns the same faults for the same seed, and others for another', async () => {
    const first = await typesOf({ seed: 1 }, 100);
    expect(await typesOf({ seed: 1 }, 100)).toEqual(first);
    expect(await typesOf({ seed: 2 }, 100)).not.toEqual(first);
  });

  test('returns each fault about as often as its weight says', async () => {
    const types = await typesOf({ seed: 3 }, 1000);
    expect(new Set(types)).toEqual(new Set(['pass', 'drop', 'lose', 'truncate', 'malformed', 'status']));
    const share = types.filter((type) => type !== 'pass').length / types.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
  });

  test('returns no fault at rate 0 and a fault for every request at rate 1', async () => {
    expect(new Set(await typesOf({ seed: 1, rate: 0 }, 50))).toEqual(new Set(['pass']));
    expect(new Set(await typesOf({ seed: 1, rate: 1, faults: ['drop', 'lose'] }, 50))).toEqual(
      new Set(['drop', 'lose']),
    );
  });

  test.each([2, -0.1, Number.NaN])('refuses the rate %s with a DefinitionError', (rate) => {
    expect(() => randomFaults({ seed: 1, rate })).toThrow(DefinitionError);
    expect(() => randomFaults({ seed: 1, rate })).toThrow(`The share of 'rate' must be from 0 to 1, not ${rate}`);
  });

  test.each([
    [{ seed: 1, shares: { dorp: 0.5 } }, "'dorp' is not an option of shares"],
    [{ seed: 1, shares: { reorder: 0.5 } }, "'reorder' is not an option of shares"],
    [{ seed: 1, faults: ['dorp'] }, "There is no fault 'dorp'"],
    [{ seed: 1, faults: 'drop' }, "randomFaults.faults must be a list, not 'drop'"],
    [{ seed: 'a' }, "randomFaults.seed must be a number, not 'a'"],
    [{ rate: 1 }, 'randomFaults.seed must be a number, not null'],
    [undefined, 'randomFaults must be an object, not undefined'],
  ])('refuses wrong options at once, not with the first request: %o', (options, message) => {
    expect(() => randomFaults(options as never)).toThrow(DefinitionError);
    expect(() => randomFaults(options as never)).toThrow(message);
  });

  test('returns the same faults for the other requests at another rate', async () => {
    const few = await typesOf({ seed: 5, rate: 0.2 }, 200);
    const many = await typesOf({ seed: 5, rate: 0.6 }, 200);
    for (const [at, type] of few.entries()) if (type !== 'pass') expect(many[at]).toBe(type);
  });
});
