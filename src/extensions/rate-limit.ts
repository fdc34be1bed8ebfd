import { checkOptions, milliseconds, wholeFrom, wrongValue } from '../errors/option-rules.js';
import type { Call, Send } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import { isFromElsewhere } from '../http/redirect.js';
import type { Clock } from '../util/clock.js';
import { HostGate } from './host-gate.js';
import { RateWindow } from './rate-window.js';

/** A limit on requests. */
export interface RateLimitConfig {
  /** So many requests to a host … @default no limit but what the server tells */
  requests?: number;
  /** … in so many milliseconds. No span of that length sees more, whenever it begins. @default 1000 */
  per?: number;
  /** Requests that may go at once after a quiet time. More than `requests`: a bucket of that size, as some servers have. @default requests */
  burst?: number;
  /**
   * Milliseconds that a call waits at most for a server that wants to be left alone. Where it asks for longer, calls reject
   * with an `HttpError` at once. Waits for `requests` have no limit.
   * @default 60000
   */
  maxWait?: number;
}

/**
 * Holds calls back so that a host gets no more of them than it wants: by the limit that is given, and by what the server tells in
 * `RateLimit`, `RateLimit-Policy`, `X-RateLimit-*` and `Retry-After`. A 429, or a 503 with `Retry-After`, holds back all calls
 * to that host until the time that it names. All proxies that use the same object share the limit; a base model is a good
 * place for it. `rateLimit()` learns only. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [rateLimit({ requests: 100, per: 1000, burst: 20 })] } }) {}
 * ```
 */
export function rateLimit(config: RateLimitConfig = {}): Extension {
  const createGate = gateFactory(config);
  // Hosts are kept by clock: times of two clocks cannot be compared.
  const gates: WeakMap<Clock, Map<string, HostGate>> = new WeakMap();
  const gateFor = ({ url, proxy: { clock } }: Call): HostGate => {
    const { host } = new URL(url);
    let byHost = gates.get(clock);
    if (!byHost) gates.set(clock, (byHost = new Map()));
    let gate = byHost.get(host);
    if (!gate) byHost.set(host, (gate = createGate(host, clock)));
    return gate;
  };
  return Object.freeze<Extension>({
    name: 'rateLimit',
    layer: LAYERS.rateLimit,
    send: (call, next) => sendInTurn(call, next, gateFor(call)),
  });
}

async function sendInTurn(call: Call, next: Send, gate: HostGate): Promise<HttpResponse> {
  const { clock } = call.proxy;
  const from = clock.now();
  const turn = await gate.enter(call.signal, call.until);
  call.queueTime += clock.now() - from;
  if (call.until !== undefined) {
    const timeout = call.timeout || Number.POSITIVE_INFINITY;
    call.timeout = Math.max(1, Math.min(timeout, call.until - clock.now()));
  }
  try {
    const response = await next(call);
    // The limits of another host do not hold for this one.
    gate.leave(turn, isFromElsewhere(response, call.url) ? undefined : response);
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
    throw wrongValue('rateLimit.requests', wholeFrom(1).expected, requests);
  const window = () => (requests === undefined ? undefined : new RateWindow(requests, per, burst));
  return (host, clock) => new HostGate({ host, clock, maxWait, window });
}
