/** A source of time. Tests inject their own, so that they need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `callback` after `ms` milliseconds. Returns a function that cancels the call.
   *
   * @example
   * ```ts
   * const clock = { now: () => Date.parse('2026-01-01'), after: systemClock.after }; // a test in which the day never ends
   * const Tested = User.with({ proxy: { clock } });
   * ```
   */
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
