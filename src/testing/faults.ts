import { checkOptions } from '../dev/checks.js';
import { describe } from '../errors/message-format.js';
import { any, callable, flag, object, oneOf, type Rule, string, wholeFrom } from '../errors/option-rules.js';
import { misuse } from './refusal.js';
import { checkRandom } from './rest-config.js';

/** No fault; lets one request pass in a list of faults. */
export interface Pass {
  readonly type: 'pass';
}

/** The connection fails before anything is sent: the server never gets the request. */
export interface Drop {
  readonly type: 'drop';
}

/** The server processes the request, but its response is lost. */
export interface Lose {
  readonly type: 'lose';
}

/** A response with this status replaces the server's response. */
export interface StatusFault {
  readonly type: 'status';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value that is sent as JSON. @default no body */
  readonly body?: unknown;
  /** Whether the server processes the request nevertheless, as with the timeout of a gateway. @default false */
  readonly processed?: boolean;
}

/** The body of the response is cut off. */
export interface Truncate {
  readonly type: 'truncate';
  /** How many characters arrive. @default half of them */
  readonly at?: number;
  /** Whether the body ends normally instead of with an error. @default false */
  readonly silent?: boolean;
}

/** The body of the response is not valid JSON. */
export interface Malformed {
  readonly type: 'malformed';
  /** The body that arrives instead. @default '{"broken": ' */
  readonly body?: string;
}

/** The request is held until the test releases it. */
export interface Hold {
  readonly type: 'hold';
  /** Whether the request is held before it reaches the server, or the response after the server has answered. @default 'request' */
  readonly what?: 'request' | 'answer';
}

/** No response ever arrives: only an abort ends the request. */
export interface Hang {
  readonly type: 'hang';
}

/** A fault of one request. */
export type Fault = Pass | Drop | Lose | StatusFault | Truncate | Malformed | Hold | Hang;
/** The faults that need only a name. */
export type SimpleFault = Exclude<Fault['type'], 'status'>;
/** The names of faults. */
export type FaultName = Fault['type'];

/** A fault, with the requests that it applies to. */
export type FaultRule = Fault & {
  /**
   * Whether the fault applies to a request. @default any request
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [] } });
   * server.fetch.plan({ type: 'status', status: 500, on: ({ method }) => method === 'POST', times: 2 }); // reads go on
   * ```
   */
  readonly on?: (request: SeenRequest) => boolean;
  /** Number of requests that the fault applies to. @default 1 */
  readonly times?: number;
};

/** Chooses the fault of a request; undefined: no fault. */
export type FaultChoice = (request: SeenRequest) => Fault | SimpleFault | undefined;

/** A request in the log. */
export interface SeenRequest {
  /** Number of the request, from 1, in the order of the calls. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The body as text; undefined without a body. */
  readonly body: string | undefined;
  /** The fault of the request; undefined until it is chosen. */
  readonly fault: Fault | undefined;
  /** Whether the request has reached the server. */
  readonly reached: boolean;
  /** Status of the response that the caller got; undefined until then. */
  readonly status: number | undefined;
  /** The error that the caller got instead of a response. */
  readonly error: unknown;
  /** Lets the request continue if it is held, now or later. */
  release(): void;
}

/** HTTP statuses of responses without a body. */
export const BODILESS: readonly number[] = [204, 205, 304];

/** Rules of the options of each kind of fault. */
const MEMBERS: { readonly [T in Fault['type']]: Readonly<Record<string, Rule>> } = {
  pass: {},
  drop: {},
  lose: {},
  status: { status: any, headers: object, body: any, processed: flag },
  truncate: { at: wholeFrom(0), silent: flag },
  malformed: { body: string },
  hold: { what: oneOf('request', 'answer') },
  hang: {},
};

const times: Rule = {
  expected: 'a whole number, or Infinity',
  holds: (value) => value === Number.POSITIVE_INFINITY || wholeFrom(0).holds(value),
};

/** Returns a fault as an object. Throws `DefinitionError` for an invalid one: a misspelt fault would be ignored, or be another fault. */
export function checkFault(given: FaultRule | SimpleFault): FaultRule {
  const fault: FaultRule = typeof given === 'string' ? { type: given } : given;
  if (!Object.hasOwn(MEMBERS, String(fault?.type))) {
    const known = Object.keys(MEMBERS).join(', ');
    throw misuse('test-fault', { what: describe(fault?.type ?? fault), known });
  }
  checkOptions('fault', fault, { type: any, on: callable, times, ...MEMBERS[fault.type] });
  if (fault.type !== 'status') return fault;
  const { status, body } = fault;
  const known = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!known || (body !== undefined && BODILESS.includes(status))) throw misuse('test-status', { status });
  return fault;
}

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

/**
 * Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed (mulberry32).
 *
 * @example
 * ```ts
 * import { seededRandom } from 'repose/testing';
 *
 * const random = seededRandom(42);
 * const again = seededRandom(42);
 * show(random() === again()); // true: a failed test can be run again with its seed
 * ```
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
