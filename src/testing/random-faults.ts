import { checkFault } from './check-fault.js';
import { checkRandom } from './check-options.js';
import type { Fault, FaultChoice, SimpleFault } from './faults.js';
import { misuse } from './misuse.js';

/** Share of the requests that get each fault, from 0 to 1. The sum must not exceed 1. */
export interface FaultShares {
  /** The connection fails before the request reaches the server. @default 0 */
  readonly drop?: number;
  /** The server processes the request, but its response is lost. @default 0 */
  readonly lose?: number;
  /** The body of the response is cut off. @default 0 */
  readonly truncate?: number;
  /** The body of the response is not valid JSON. @default 0 */
  readonly malformed?: number;
  /** 429 or 503 with `Retry-After: 1`; the server does not process the request. @default 0 */
  readonly refuse?: number;
  /** 500, 502 or 504, although the server has processed the request. @default 0 */
  readonly break?: number;
}

/** Options of random faults. */
export interface RandomFaultsOptions {
  /** The same seed gives the same faults for the same requests. */
  seed: number;
  /** Share of each fault; then `rate` and `faults` have no effect. @default all faults equally often */
  shares?: FaultShares;
  /** Share of the requests that get a fault, from 0 to 1. @default 0.25 */
  rate?: number;
  /** The possible faults, all equally likely. @default drop, lose, truncate, malformed and a 503 */
  faults?: readonly (Fault | SimpleFault)[];
}

/**
 * Random faults that are repeatable by their seed: run a failed test again with the same seed to see the same failure. Throws
 * `DefinitionError` for an invalid share or fault, and without a seed.
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
    // Both numbers are always drawn, so that each request uses up two numbers, with a fault or without.
    const [chance, which] = [random(), random()];
    return chance < rate ? faults[Math.floor(which * faults.length)] : undefined;
  };
}

/** The faults of each share. */
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
  // Tolerance for rounding errors.
  if (sum > 1 + 1e-9) throw misuse('test-shares', { sum });
  return () => {
    const [chance, which] = [random(), random()];
    const found = steps.find(({ end }) => chance < end);
    const faults = found ? KINDS[found.kind] : [];
    return faults[Math.floor(which * faults.length)];
  };
}

/** Returns a share. Throws `DefinitionError` if it is not between 0 and 1. */
export function shareOf(fault: string, value: number = 0): number {
  if (!(value >= 0 && value <= 1)) throw misuse('test-share', { fault: `'${fault}'`, value });
  return value;
}

/** Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
