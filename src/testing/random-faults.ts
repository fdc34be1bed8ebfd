import type { Fault, FaultChoice, SimpleFault } from './faults.js';

/** How often what goes wrong. */
export interface RandomFaultsOptions {
  /** The same seed gives the same faults for the same requests. */
  seed: number;
  /** Share of the requests that something happens to, from 0 to 1. @default 0.25 */
  rate?: number;
  /** What may happen, each as likely as the others. @default drop, lose, truncate, malformed and a 503 */
  faults?: readonly (Fault | SimpleFault)[];
}

/**
 * Faults by chance, which repeat with the seed: a failing test names it, and the failure can be looked at again.
 *
 * @example
 * ```ts
 * import { faultingFetch, randomFaults } from 'repose/testing';
 *
 * const fetch = faultingFetch({ faults: randomFaults({ seed: 42, rate: 0.3, faults: ['drop', 'lose'] }) });
 * ```
 */
export function randomFaults(options: RandomFaultsOptions): FaultChoice {
  const { seed, rate = 0.25 } = options;
  const faults = options.faults ?? ['drop', 'lose', 'truncate', 'malformed', { type: 'status', status: 503 }];
  const random = seededRandom(seed);
  return () => {
    // Both numbers are always drawn: a request that is spared does not change what happens to the next.
    const [chance, which] = [random(), random()];
    return chance < rate ? faults[Math.floor(which * faults.length)] : undefined;
  };
}

/** Numbers from 0 to below 1 that repeat with the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
