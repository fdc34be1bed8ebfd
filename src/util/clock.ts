/** A source of time. Tests inject their own, so that they need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * The clock of the platform: `Date.now()` and `setTimeout()`.
 *
 * @example
 * ```ts
 * import { restServer } from 'repose/testing';
 *
 * // The requests of this test wait for real, 200 ms each.
 * const server = restServer({ collections: { '/users': [] }, latency: 200, clock: systemClock });
 * ```
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
