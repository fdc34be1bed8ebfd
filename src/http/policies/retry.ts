import type { Clock } from '../../util/clock.js';
import type { Policy } from '../exchange.js';

/** When and how often a call is repeated. */
export interface RetryConfig {
  /** Repeats at most. @default 3 */
  limit?: number;
}

/** Repeats calls. */
export function retrying(_config: RetryConfig, _by: { clock: Clock; random: () => number }): Policy {
  return (call, next) => next(call);
}
