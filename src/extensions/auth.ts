import { AuthError } from '../errors/auth-error.js';
import { callable, checkGiven, checkOptions } from '../errors/option-rules.js';
import type { Call, Send } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import { isFromElsewhere } from '../http/redirect.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { askHeaders, type Given, type Locks, Refresh } from './refresh.js';
import { abortable, startTimer } from './waiting.js';

/** The argument of `renew`. */
export interface RenewContext {
  /** The answer with the status 401 that asked for it. */
  readonly response: HttpResponse;
}

/** How the sign-in of a proxy is renewed. */
export interface AuthConfig {
  /**
   * Renews what the proxy's `headers` give. Resolve when that has worked; throw, reject, or return false or a `Response` that is
   * not `ok` when it has not. It may take its time: a dialog that asks for a password is fine. Make its own calls with `fetch`,
   * or by a proxy without `auth()`.
   */
  renew(context: RenewContext): unknown;
  /** Replaces the browser's Web Locks, by which only one tab renews at a time; for tests. @default navigator.locks, in browsers */
  locks?: Locks | undefined;
}

/** Milliseconds that a call waits for a refresh where calls have no time limit. */
const DEFAULT_TIMEOUT = 30_000;

/**
 * Renews the sign-in when the server answers 401: once for all calls in flight, each of which is then sent once more. All proxies
 * that use the same object share one refresh. Throws `DefinitionError` where `renew` is no function.
 *
 * @example
 * ```ts
 * let token = '';
 * const signIn = auth({
 *   async renew() {
 *     const answer = await fetch('/auth/refresh', { method: 'POST', credentials: 'include' });
 *     if (!answer.ok) throw new Error('sign in again');
 *     ({ token } = await answer.json());
 *   },
 * });
 * class ApiModel extends Model.with({ proxy: { headers: () => ({ Authorization: `Bearer ${token}` }), use: [signIn] } }) {}
 * ```
 */
export function auth(config: AuthConfig): Extension {
  checkOptions('auth', config, { renew: callable, locks: { expected: 'an object', holds: isObject } });
  checkGiven('auth.renew', config.renew, callable);
  const refresh = new Refresh(config.renew);
  return Object.freeze<Extension>({
    name: 'auth',
    layer: LAYERS.auth,
    send: (call, next) => sendSignedIn(call, next, refresh, config.locks ?? platformLocks()),
  });
}

async function sendSignedIn(call: Call, next: Send, refresh: Refresh, locks: Locks | undefined): Promise<HttpResponse> {
  const { headers, proxy } = call;
  const { clock } = proxy;
  const timeout = proxy.timeout || DEFAULT_TIMEOUT;
  // A link to another origin is followed without credentials.
  if (!headers) return next(call);
  const errorOf = (reason: string, response: HttpResponse) => new AuthError(reason, { timeout }, { response });
  const own = refresh.isOwn(call);
  const { running } = refresh;
  if (running && !own) await waitFor(call, running, timeout);
  const sending = watchHeaders(call, headers, refresh);
  // No refresh waits for `headers` that never come.
  const ask = () => inTime(askHeaders(headers), clock, timeout);
  const response = await next(call);
  // Another origin knows nothing of our credentials.
  if (response.status !== 401 || isFromElsewhere(response, call.url)) return response;
  if (own) throw errorOf('refresh-own', response);
  // The call was let through only because it had waited as long as it may.
  if (running && running === refresh.running) throw errorOf('refresh-slow', response);
  const sendAgain = async (refused: HttpResponse, sent: Given | undefined) => {
    if (refresh.running || sending.ended === refresh.ended) {
      await waitFor(call, refresh.renew({ url: call.url, response: refused, ask, sent, locks }));
    } else if (refresh.refusal) throw refresh.refusal;
    return next(call);
  };
  const { asked } = sending;
  const answer = await sendAgain(response, sending.given);
  // Headers that differ from call to call, as signatures do, only looked renewed: nobody has refreshed.
  return answer.status === 401 && sending.asked === asked ? sendAgain(answer, undefined) : answer;
}

/** Waits for a refresh, and no longer than a limit in milliseconds. */
async function waitFor(call: Call, running: Promise<void>, limit?: number): Promise<void> {
  const { clock } = call.proxy;
  const from = clock.now();
  await abortable<void>(call.signal, (settle) => {
    running.then(
      () => settle(),
      () => settle(running),
    );
    return limit === undefined ? undefined : startTimer(clock, limit, () => settle());
  });
  call.queueTime += clock.now() - from;
}

/** The result of a promise; rejects where it takes longer than a limit in milliseconds. */
function inTime<T>(given: Promise<T>, clock: Clock, limit: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startTimer(clock, limit, reject);
    given.then(resolve, reject).finally(stop);
  });
}

/** The result of `headers` for the last attempt, and how often `renew` had been called, and refreshes had ended, by then. */
interface SentHeaders extends Pick<Refresh, 'asked' | 'ended'> {
  given: Given | undefined;
}

/** Remembers what `headers` gives for each attempt. */
function watchHeaders(call: Call, headers: HeadersConfig, refresh: Refresh): SentHeaders {
  const { asked, ended } = refresh;
  const sent: SentHeaders = { given: undefined, asked, ended };
  call.headers = async () => {
    sent.asked = refresh.asked;
    sent.ended = refresh.ended;
    const given = await askHeaders(headers);
    sent.given = { ...given };
    return given as Record<string, string>;
  };
  return sent;
}

/** Web Locks of a browser's page or worker. Elsewhere a process may serve many users, who must not wait for each other. */
function platformLocks(): Locks | undefined {
  const { location, navigator } = globalThis as { location?: unknown; navigator?: { locks?: Locks } };
  return location ? navigator?.locks : undefined;
}
