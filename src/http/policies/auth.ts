import { AuthError } from '../../errors/auth-error.js';
import type { Clock } from '../../util/clock.js';
import type { Call, Policy } from '../exchange.js';
import type { HeadersConfig } from '../headers-config.js';
import type { HttpResponse } from '../http-response.js';
import { isFromElsewhere } from '../redirect.js';
import { wrongValue } from './options.js';
import { askHeaders, type Given, type Locks, Refresh } from './refresh.js';
import { policyTexts } from './texts.js';
import { abortable, startTimer } from './waiting.js';

/** What a refresh is told. */
export interface UnauthorizedContext {
  /** The 401 that it is about. */
  readonly response: HttpResponse;
}

/**
 * Renews what `headers` gives. Resolve when that has worked; throw, reject, or return false or a `Response` that is not `ok`
 * when it has not. It may take its time: a dialog that asks for a password is fine. Make its own calls with `fetch`, or by a
 * proxy without `onUnauthorized`.
 *
 * @example
 * ```ts
 * let token = '';
 * const onUnauthorized = async () => {
 *   const answer = await fetch('/auth/refresh', { method: 'POST', credentials: 'include' });
 *   if (!answer.ok) throw new Error('sign in again');
 *   ({ token } = await answer.json());
 * };
 * class ApiModel extends Model.with({ proxy: { headers: () => ({ Authorization: `Bearer ${token}` }), onUnauthorized } }) {}
 * ```
 */
export type UnauthorizedHandler = (context: UnauthorizedContext) => unknown;

/** What the policy uses. */
export interface RefreshOptions {
  readonly clock: Clock;
  /** Milliseconds that a call waits for a refresh that was under way when it came; 0: as many as by default. */
  readonly timeout: number;
  /** The platform's Web Locks, where pages share them. */
  readonly locks?: Locks | undefined;
}

/** Used where calls have no time limit. */
const DEFAULT_TIMEOUT = 30_000;

/** Who was given the same handler shares its refreshes. Nothing outlives the handler. */
const shared: WeakMap<UnauthorizedHandler, Refresh> = new WeakMap();

/** Has what is sent renewed where the server answers 401, and sends it once more. Throws `DefinitionError` for what is no function. */
export function refreshing(handler: UnauthorizedHandler, options: RefreshOptions): Policy {
  if (typeof handler !== 'function') throw wrongValue('onUnauthorized', 'a function', handler);
  const { clock, locks = platformLocks() } = options;
  const timeout = options.timeout || DEFAULT_TIMEOUT;
  let refresh = shared.get(handler);
  if (!refresh) shared.set(handler, (refresh = new Refresh(handler)));
  return refreshPolicy(refresh, { clock, locks, timeout });
}

function refreshPolicy(refresh: Refresh, { clock, locks, timeout }: Required<RefreshOptions>): Policy {
  const wait = async (call: Call, running: Promise<void>, limit?: number) => {
    const from = clock.now();
    await abortable<void>(call.signal, (settle) => {
      running.then(
        () => settle(),
        () => settle(running),
      );
      return limit === undefined ? undefined : startTimer(clock, limit, () => settle());
    });
    call.queued += clock.now() - from;
  };
  const errorOf = (reason: string, response: HttpResponse) =>
    new AuthError(reason, { timeout }, { response, messages: policyTexts });
  return async (call, next) => {
    const { headers } = call;
    // A link to another origin is followed without credentials.
    if (!headers) return next(call);
    const own = refresh.isOwn(call);
    const { running } = refresh;
    if (running && !own) await wait(call, running, timeout);
    const sending = watchHeaders(call, headers, refresh);
    // Nobody's refresh waits for what never ends.
    const ask = () => inTime(askHeaders(headers), clock, timeout);
    const response = await next(call);
    // Another origin knows nothing of our credentials.
    if (response.status !== 401 || isFromElsewhere(response, call.url)) return response;
    if (own) throw errorOf('refresh-own', response);
    // It was let through only because waiting had to end some time.
    if (running && running === refresh.running) throw errorOf('refresh-slow', response);
    const again = async (refused: HttpResponse, sent: Given | undefined) => {
      if (refresh.running || sending.ended === refresh.ended) {
        await wait(call, refresh.renew({ url: call.url, response: refused, ask, sent, locks }));
      } else if (refresh.refusal) throw refresh.refusal;
      return next(call);
    };
    const { asked } = sending;
    const answer = await again(response, sending.given);
    // What only looked renewed differs from time to time, as signatures do: then nobody has refreshed.
    return answer.status === 401 && sending.asked === asked ? again(answer, undefined) : answer;
  };
}

/** What a promise gives; rejects where it takes too long. */
function inTime<T>(given: Promise<T>, clock: Clock, timeout: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startTimer(clock, timeout, reject);
    given.then(resolve, reject).finally(stop);
  });
}

/** What `headers` gave for the last attempt, and how often the handler had been asked, and refreshes had ended, by then. */
interface Noted extends Pick<Refresh, 'asked' | 'ended'> {
  given: Given | undefined;
}

/** Notes what `headers` gives for each attempt. */
function watchHeaders(call: Call, headers: HeadersConfig, refresh: Refresh): Noted {
  const { asked, ended } = refresh;
  const noted: Noted = { given: undefined, asked, ended };
  call.headers = async () => {
    noted.asked = refresh.asked;
    noted.ended = refresh.ended;
    const given = await askHeaders(headers);
    noted.given = { ...given };
    return given as Record<string, string>;
  };
  return noted;
}

/** Web Locks of a browser's page or worker. Elsewhere a process may serve many users, who must not wait for each other. */
function platformLocks(): Locks | undefined {
  const { location, navigator } = globalThis as { location?: unknown; navigator?: { locks?: Locks } };
  return location ? navigator?.locks : undefined;
}
