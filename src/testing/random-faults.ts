import { checkFault } from './check-fault.js';
import { checkRandom } from './check-options.js';
import type { Fault, FaultChoice, SimpleFault } from './faults.js';
import { misuse } from './misuse.js';

/** How often which fault: each a share of the requests, from 0 to 1; together no more than 1. */
export interface FaultShares {
  /** The connection fails before the server hears of it. @default 0 */
  readonly drop?: number;
  /** The server does it, its answer is lost. @default 0 */
  readonly lose?: number;
  /** The answer's body breaks off. @default 0 */
  readonly truncate?: number;
  /** The answer's body is no JSON. @default 0 */
  readonly malformed?: number;
  /** 429 or 503 with `Retry-After: 1`; nothing is done. @default 0 */
  readonly refuse?: number;
  /** 500, 502 or 504, and the server has done it all the same. @default 0 */
  readonly break?: number;
}

/** How often what goes wrong. */
export interface RandomFaultsOptions {
  /** The same seed gives the same faults for the same requests. */
  seed: number;
  /** How often which fault; `rate` and `faults` say nothing then. @default each as often as the others */
  shares?: FaultShares;
  /** Share of the requests that something happens to, from 0 to 1. @default 0.25 */
  rate?: number;
  /** What may happen, each as likely as the others. @default drop, lose, truncate, malformed and a 503 */
  faults?: readonly (Fault | SimpleFault)[];
}

/**
 * Faults by chance, which repeat with the seed: a failing test names it, and the failure can be looked at again. Throws
 * `DefinitionError` for a share or a fault that is none, and without a seed.
 *
 * @example
 * ```ts
 * import { faultingFetch, randomFaults } from 'repose/testing';
 *
 * const fetch = faultingFetch({ faults: randomFaults({ seed: 42, rate: 0.3, faults: ['drop', 'lose'] }) });
 * ```
 */
export function randomFaults(options: RandomFaultsOptions): FaultChoice {
  checkRandom(options);
  const { seed, shares } = options;
  if (shares) return byShares(shares, seededRandom(seed));
  const known = ['drop', 'lose', 'truncate', 'malformed', { type: 'status', status: 503 }] as const;
  const faults = (options.faults ?? known).map(checkFault);
  const rate = shareOf('rate', options.rate ?? 0.25);
  const random = seededRandom(seed);
  return () => {
    // Both numbers are always drawn: a request that is spared does not change what happens to the next.
    const [chance, which] = [random(), random()];
    return chance < rate ? faults[Math.floor(which * faults.length)] : undefined;
  };
}

/** What each share stands for. */
const KINDS: { readonly [K in keyof Required<FaultShares>]: readonly Fault[] } = {
  drop: [{ type: 'drop' }],
  lose: [{ type: 'lose' }],
  truncate: [{ type: 'truncate' }],
  malformed: [{ type: 'malformed' }],
  refuse: [429, 503].map((status) => ({ type: 'status', status, headers: { 'Retry-After': '1' } })),
  break: [500, 502, 504].map((status) => ({ type: 'status', status, processed: true })),
};

function byShares(shares: FaultShares, random: () => number): FaultChoice {
  const kinds = Object.keys(KINDS) as (keyof FaultShares)[];
  let sum = 0;
  const steps = kinds.map((kind) => ({ kind, end: (sum += shareOf(kind, shares[kind])) }));
  // Sums of fractions are a little off.
  if (sum > 1 + 1e-9) throw misuse('test-shares', { sum });
  return () => {
    const [chance, which] = [random(), random()];
    const found = steps.find(({ end }) => chance < end);
    const faults = found ? KINDS[found.kind] : [];
    return faults[Math.floor(which * faults.length)];
  };
}

/** A share, if it is one. */
export function shareOf(fault: string, value: number = 0): number {
  if (!(value >= 0 && value <= 1)) throw misuse('test-share', { fault: `'${fault}'`, value });
  return value;
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
