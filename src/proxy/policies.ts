import { NetworkError } from '../errors/network-error.js';
import { UnansweredError } from '../errors/unanswered-error.js';
import type { Call, Exchange, Sending } from '../http/exchange.js';
import type { HttpResponse } from '../http/http-response.js';
import type { UnauthorizedHandler } from '../http/policies/auth.js';
import type { Observer } from '../http/policies/observe.js';
import type { RateConfig } from '../http/policies/rate.js';
import type { RetryConfig } from '../http/policies/retry.js';
import { modelOf } from '../operation/operation-record.js';
import { followSignal } from '../util/abort.js';
import { CallController } from '../util/call-controller.js';
import type { Clock } from '../util/clock.js';
import type { ProxyRequest } from './proxy-request.js';

/** What of a proxy's options decides how often and when its calls are sent. */
export interface PolicyOptions {
  readonly retry: RetryConfig | boolean;
  readonly rate: RateConfig | undefined;
  readonly onUnauthorized: UnauthorizedHandler | undefined;
  readonly observe: Observer | undefined;
  readonly timeout: number;
  readonly idempotencyHeader: string;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Sends a request through the policies; `attempt` is what sends it once. */
export type Policies = (sending: Sending, request: ProxyRequest, attempt: Attempt) => Promise<HttpResponse>;
type Attempt = (sending: Sending, controller: CallController) => Promise<HttpResponse>;

/** The policies of a proxy, the outermost first. Each is a file of its own that is loaded where it is used. */
export async function loadPolicies(options: PolicyOptions): Promise<Policies> {
  const { retry, rate, onUnauthorized, observe, clock } = options;
  const loaded = await Promise.all([
    import('../http/policies/options.js').then(({ checkSending }) => checkSending(options)),
    retry && import('../http/policies/retry.js').then(({ retrying }) => retrying(retry === true ? {} : retry, options)),
    onUnauthorized && import('../http/policies/auth.js').then(({ refreshing }) => refreshing(onUnauthorized, options)),
    // Inside: what is sent again after a refresh counts too.
    rate && import('../http/policies/rate.js').then(({ limiting }) => limiting(rate, clock)),
    observe && import('../http/policies/observe.js').then(({ observing }) => observing(observe, clock)),
  ]);
  const policies = loaded.filter((policy) => typeof policy === 'function');
  return async (sending, request, attempt) => {
    const { operation, action } = request;
    const keyed = Boolean(options.idempotencyHeader && operation.idempotencyKey);
    const model = modelOf(operation)?.name;
    const known = { action, model, repeatable: keyed || isRepeatable(request), repeated: false, queued: 0 };
    const call: Call = Object.assign(sending, known);
    const send = policies.reduceRight<Exchange>((next, policy) => (each) => policy(each, next), alone(attempt));
    try {
      return await send(call);
    } catch (error) {
      throw action === 'create' && operation.unclear ? doubted(error) : error;
    } finally {
      operation.repeated = call.repeated;
    }
  };
}

/** The error of a create that an attempt before may have made: the one that ended it, or a wait, knows only of itself. */
function doubted(error: unknown): unknown {
  if (!(error instanceof UnansweredError) || error.inDoubt) return error;
  const inDoubt = true;
  return error instanceof NetworkError ? new NetworkError(error.cause, { inDoubt }) : Object.assign(error, { inDoubt });
}

/** Whether a request may be sent twice without a key: what reads, or says how a record is to be; never a create. */
function isRepeatable({ method = 'GET', action, named }: ProxyRequest): boolean {
  if (action === 'read') return true;
  // A PATCH of ours carries the edited values; what one made by hand means is not known.
  return (
    action !== 'create' && (/^(HEAD|OPTIONS|PUT|DELETE)$/.test(method) || (method === 'PATCH' && named === undefined))
  );
}

/** An attempt that takes too long is aborted without its call, which may go on. */
function alone(attempt: Attempt): Exchange {
  return async (call) => {
    const controller = new CallController();
    const unfollow = followSignal(controller, call.signal);
    try {
      return await attempt(call, controller);
    } finally {
      unfollow();
    }
  };
}
