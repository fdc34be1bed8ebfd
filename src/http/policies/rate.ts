import type { Clock } from '../../util/clock.js';
import type { Policy } from '../exchange.js';
import { isFromElsewhere } from '../redirect.js';
import { HostGate } from './host-gate.js';
import { checkOptions, milliseconds, wholeFrom, wrongValue } from './options.js';
import { RateWindow } from './rate-window.js';

/**
 * A limit on requests, and a way to learn the server's: from `RateLimit`, `RateLimit-Policy`, `X-RateLimit-*` and
 * `Retry-After`. A 429, or a 503 with `Retry-After`, holds back all calls to that host until the time that it names.
 * All proxies that were given the same object share the limit; a base model is a good place for it. `{}` learns only.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { rate: { requests: 100, per: 1000, burst: 20 } } }) {}
 * ```
 */
export interface RateConfig {
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

type Gates = Map<string, HostGate>;

/** Who was given the same object shares its gates. Nothing outlives the object, or tells a proxy of another. */
const shared: WeakMap<RateConfig, WeakMap<Clock, Gates>> = new WeakMap();

/** Holds calls back. Throws `DefinitionError` for wrong options. */
export function limiting(config: RateConfig, clock: Clock): Policy {
  checkOptions('rate', config, {
    requests: wholeFrom(1),
    per: { ...milliseconds(1), holds: (value) => Number.isFinite(value) && Number(value) > 0 },
    burst: wholeFrom(1),
    maxWait: milliseconds(0),
  });
  const { requests, per = 1000, burst, maxWait = 60_000 } = config;
  if (requests === undefined && (config.per ?? burst) !== undefined) {
    throw wrongValue('rate.requests', wholeFrom(1).expected, requests);
  }
  const window = () => (requests === undefined ? undefined : new RateWindow(requests, per, burst));
  const gates = gatesOf(config, clock);
  return async (call, next) => {
    const { host } = new URL(call.url);
    let gate = gates.get(host);
    if (!gate) gates.set(host, (gate = new HostGate({ host, clock, maxWait, window })));
    const from = clock.now();
    const turn = await gate.enter(call.signal, call.until);
    call.queued += clock.now() - from;
    if (call.until !== undefined) {
      const timeout = call.timeout || Number.POSITIVE_INFINITY;
      call.timeout = Math.max(1, Math.min(timeout, call.until - clock.now()));
    }
    try {
      const response = await next(call);
      // What another host says of its limits is not said of this one.
      gate.leave(turn, isFromElsewhere(response, call.url) ? undefined : response);
      return response;
    } catch (error) {
      gate.leave(turn, undefined);
      throw error;
    }
  };
}

function gatesOf(config: RateConfig, clock: Clock): Gates {
  let byClock = shared.get(config);
  if (!byClock) shared.set(config, (byClock = new WeakMap()));
  let gates = byClock.get(clock);
  if (!gates) byClock.set(clock, (gates = new Map()));
  return gates;
}
