import { onDemand } from '../errors/on-demand.js';
import type { Policy } from '../http/exchange.js';
import type { UnauthorizedHandler } from '../http/policies/auth.js';
import type { Observer } from '../http/policies/observe.js';
import type { RateConfig } from '../http/policies/rate.js';
import type { RetryConfig } from '../http/policies/retry.js';
import type { Clock } from '../util/clock.js';

/** What of a proxy's options decides how often and when its calls are sent. */
export interface PolicyOptions {
  readonly retry: RetryConfig | boolean;
  readonly rate: RateConfig | undefined;
  readonly onUnauthorized: UnauthorizedHandler | undefined;
  readonly observe: Observer | undefined;
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Whether calls are more than sent, or cannot be sent: what is wrong is said by a part that is loaded then. */
export function hasPolicies({ retry, rate, onUnauthorized, observe, timeout, fetch }: PolicyOptions): boolean {
  const sound = Number(timeout) >= 0 && (!fetch || typeof fetch === 'function');
  return Boolean(retry || rate || onUnauthorized || observe || !sound);
}

/** The policies of a proxy, the outermost first. Each is a file of its own that is loaded where it is used. */
export async function loadPolicies(options: PolicyOptions): Promise<readonly Policy[]> {
  const { retry, rate, onUnauthorized, observe, clock } = options;
  const loaded = await onDemand(
    Promise.all([
      import('../http/policies/options.js').then(({ checkSending }) => checkSending(options)),
      retry &&
        import('../http/policies/retry.js').then(({ retrying }) => retrying(retry === true ? {} : retry, options)),
      onUnauthorized &&
        import('../http/policies/auth.js').then(({ refreshing }) => refreshing(onUnauthorized, options)),
      // Inside: what is sent again after a refresh counts too.
      rate && import('../http/policies/rate.js').then(({ limiting }) => limiting(rate, clock)),
      observe && import('../http/policies/observe.js').then(({ observing }) => observing(observe, clock)),
    ]),
  );
  return loaded.filter((policy) => typeof policy === 'function');
}
