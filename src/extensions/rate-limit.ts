import { checkGiven, checkOptions } from '../dev/checks.js';
import { milliseconds, wholeFrom } from '../errors/option-rules.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import { isFromElsewhere } from '../http/send.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Clock } from '../util/clock.js';
import { HostGate } from './host-gate.js';
import { RateWindow } from './rate-window.js';

/** Options of {@link rateLimit}. */
export interface RateLimitConfig {
  /** The most requests that a host gets in `per` milliseconds. @default no limit but that of the server */
  requests?: number;
  /** The length of the period in which `requests` are counted, in milliseconds. No period of that length has more. @default 1000 */
  per?: number;
  /**
   * The most requests that may be sent at once after a quiet time. A number above `requests` makes a token bucket of that size, as some
   * servers use. @default requests
   */
  burst?: number;
  /**
   * The longest time that a call waits because the server asked for a pause, in milliseconds. If the server asks for a longer pause,
   * calls reject with an `HttpError` at once. Waiting for `requests` has no limit.
   * @default 60000
   */
  maxWait?: number;
}

/**
 * Holds calls back so that a host gets no more of them than it accepts: by the limit in the options, and by the headers `RateLimit`,
 * `RateLimit-Policy`, `X-RateLimit-*` and `Retry-After` of the server's responses. After a 429, or a 503 with `Retry-After`, all calls to
 * that host wait until the time that the response names. Proxies that use the same `rateLimit()` object share the limit, so a base model
 * is a good place for it. `rateLimit()` without options uses only the server's headers. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [rateLimit({ requests: 100, per: 1000, burst: 20 })] } }) {}
 * ```
 */
export function rateLimit(config: RateLimitConfig = {}): Extension {
  const createGate = gateFactory(config);
  // Each clock has its own gates, because the times of two clocks cannot be compared.
  const gates: WeakMap<Clock, Map<string, HostGate>> = new WeakMap();
  const gateFor = (target: string, clock: Clock): HostGate => {
    const { host } = new URL(target);
    let byHost = gates.get(clock);
    if (!byHost) gates.set(clock, (byHost = new Map()));
    let gate = byHost.get(host);
    if (!gate) byHost.set(host, (gate = createGate(host, clock)));
    return gate;
  };
  return Object.freeze<Extension>({
    name: 'rateLimit',
    layer: LAYERS.rateLimit,
    send: (request, next, { clock }) => sendThroughGate(request, next, gateFor(request.target, clock), clock),
  });
}

async function sendThroughGate(request: ProxyRequest, next: Send, gate: HostGate, clock: Clock): Promise<HttpResponse> {
  const enteredAt = clock.now();
  const turn = await gate.enter(request.signal, request.until);
  request.queueTime += clock.now() - enteredAt;
  if (request.until !== undefined) {
    const timeout = request.timeout || Number.POSITIVE_INFINITY;
    request.timeout = Math.max(1, Math.min(timeout, request.until - clock.now()));
  }
  try {
    const response = await next(request);
    // A redirect may have led to another host, whose limits do not apply to this one.
    gate.leave(turn, isFromElsewhere(response, request.target) ? undefined : response);
    return response;
  } catch (error) {
    gate.leave(turn, undefined);
    throw error;
  }
}

function gateFactory(config: RateLimitConfig): (host: string, clock: Clock) => HostGate {
  checkOptions('rateLimit', config, {
    requests: wholeFrom(1),
    per: { ...milliseconds(1), holds: (value) => Number.isFinite(value) && Number(value) > 0 },
    burst: wholeFrom(1),
    maxWait: milliseconds(0),
  });
  const { requests, per = 1000, burst, maxWait = 60_000 } = config;
  if (requests === undefined && (config.per ?? burst) !== undefined)
    checkGiven('rateLimit.requests', requests, wholeFrom(1));
  const window = () => (requests === undefined ? undefined : new RateWindow(requests, per, burst));
  return (host, clock) => new HostGate({ host, clock, maxWait, window });
}
