import { checkGiven, checkOptions } from '../dev/checks.js';
import { callable, string } from '../errors/option-rules.js';
import { AuthError } from '../errors/request-errors.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import { isFromElsewhere } from '../http/redirect.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { abortable, startTimer } from './waiting.js';

/** The argument of `renew`. */
export interface RenewContext {
  /** The 401 answer because of which the sign-in is renewed. */
  readonly response: HttpResponse;
}

/** Options of {@link auth}. */
export interface AuthConfig {
  /**
   * Renews the credentials that the proxy's `headers` return. Resolve when this has worked. If it has not, throw, reject, return false,
   * or return a `Response` that is not `ok`. The function may take long, for example to ask for a password in a dialog. Send its own
   * requests with `fetch`, or through a proxy without `auth()`.
   */
  renew(context: RenewContext): unknown;
  /**
   * Name of the user who is signed in, or of the kind of sign-in. In browsers, tabs renew a sign-in of one scope one after the other. Give
   * each its own if a page has several at one server, or tabs have different users: while one waits in a dialog, the others go on.
   * @default ''
   */
  scope?: string | undefined;
  /** Replaces the browser's Web Locks, which let only one tab renew at a time; for tests. @default navigator.locks, in browsers */
  locks?: Locks | undefined;
}

/** How long a call waits for a refresh, in milliseconds, if the proxy sets no time limit. */
const DEFAULT_TIMEOUT = 30_000;

/**
 * Renews the sign-in when the server answers 401: once for all calls in flight. Each of these calls is then sent once more. Proxies
 * that use the same `auth()` object share one refresh. If the renewal fails, the calls reject with `AuthError`. Throws
 * `DefinitionError` if `renew` is not a function.
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
  checkOptions('auth', config, { renew: callable, scope: string, locks: { expected: 'an object', holds: isObject } });
  checkGiven('auth.renew', config.renew, callable);
  const refresh = new Refresh(config.renew, config.scope);
  return Object.freeze<Extension>({
    name: 'auth',
    layer: LAYERS.auth,
    send: (request, next, proxy) =>
      sendSignedIn(request, next, proxy, { refresh, locks: config.locks ?? platformLocks() }),
  });
}

async function sendSignedIn(
  request: ProxyRequest,
  next: Send,
  { clock, timeout: limit }: AjaxProxy,
  { refresh, locks }: { readonly refresh: Refresh; readonly locks: Locks | undefined },
): Promise<HttpResponse> {
  const { proxyHeaders: headers, target: url } = request;
  const timeout = limit || DEFAULT_TIMEOUT;
  // A request without headers goes to another origin, where no credentials may be sent.
  if (!headers) return next(request);
  const errorOf = (reason: 'refresh-own' | 'refresh-slow', response: HttpResponse) =>
    new AuthError(reason, { timeout }, { response });
  const isOwn = refresh.isOwn(request);
  const { running } = refresh;
  if (running && !isOwn) await waitForRefresh(request, clock, running, timeout);
  const lastSent = rememberHeaders(request, headers, refresh);
  // The time limit keeps a `headers` function that never resolves from blocking the refresh.
  const readHeaders = () => withTimeLimit(evaluateHeaders(headers), clock, timeout);
  const response = await next(request);
  // A redirect may have led to another origin, whose 401 says nothing about these credentials.
  if (response.status !== 401 || isFromElsewhere(response, url)) return response;
  if (isOwn) throw errorOf('refresh-own', response);
  // The refresh is still running: this request was sent only because its waiting time was over.
  if (running && running === refresh.running) throw errorOf('refresh-slow', response);
  const sendAgain = async (refused: HttpResponse, sentHeaders: HeaderValues | undefined) => {
    if (refresh.running || lastSent.endedCount === refresh.endedCount) {
      await waitForRefresh(request, clock, refresh.renew({ url, response: refused, readHeaders, sentHeaders, locks }));
    } else if (refresh.failure) throw refresh.failure;
    return next(request);
  };
  const { renewCalls } = lastSent;
  const answer = await sendAgain(response, lastSent.values);
  // Headers that differ from call to call, such as signatures, can look like renewed credentials although nobody has renewed them.
  return answer.status === 401 && lastSent.renewCalls === renewCalls ? sendAgain(answer, undefined) : answer;
}

/** Waits for a refresh, at most `limit` milliseconds. Rejects if the refresh fails. */
async function waitForRefresh(
  request: ProxyRequest,
  clock: Clock,
  running: Promise<void>,
  limit?: number,
): Promise<void> {
  const startedAt = clock.now();
  await abortable<void>(request.signal, (settle) => {
    running.then(
      () => settle(),
      () => settle(running),
    );
    return limit === undefined ? undefined : startTimer(clock, limit, () => settle());
  });
  request.queueTime += clock.now() - startedAt;
}

/** Resolves as the given promise does, but rejects if that takes longer than `limit` milliseconds. */
function withTimeLimit<T>(promise: Promise<T>, clock: Clock, limit: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = startTimer(clock, limit, reject);
    promise.then(resolve, reject).finally(stop);
  });
}

/** The result of `headers` for the last attempt, with the counters of the refresh at that moment. */
interface SentHeaders extends Pick<Refresh, 'renewCalls' | 'endedCount'> {
  values: HeaderValues | undefined;
}

/** Replaces `request.proxyHeaders` so that its result is remembered at each attempt. */
function rememberHeaders(request: ProxyRequest, headers: HeadersConfig, refresh: Refresh): SentHeaders {
  const { renewCalls, endedCount } = refresh;
  const sent: SentHeaders = { values: undefined, renewCalls, endedCount };
  request.proxyHeaders = async () => {
    sent.renewCalls = refresh.renewCalls;
    sent.endedCount = refresh.endedCount;
    const values = await evaluateHeaders(headers);
    sent.values = { ...values };
    return values as Record<string, string>;
  };
  return sent;
}

/** The Web Locks of a browser's page or worker. A server process uses none: it may serve many users, who must not wait for each other. */
function platformLocks(): Locks | undefined {
  const { location, navigator } = globalThis as { location?: unknown; navigator?: { locks?: Locks } };
  return location ? navigator?.locks : undefined;
}

/** The part of the platform's Web Locks that a refresh uses. */
export interface Locks {
  request(name: string, act: () => Promise<unknown>): Promise<unknown>;
}

/** The headers that the proxy's `headers` option returned. */
type HeaderValues = Partial<Record<string, string>>;

/** A call that the server answered with 401. */
interface UnauthorizedCall {
  readonly url: string;
  readonly response: HttpResponse;
  /** The result of `headers` when the call was sent; undefined: unknown, or of no use for a comparison. */
  readonly sentHeaders: HeaderValues | undefined;
  /** Evaluates `headers` again. Rejects if this fails or takes too long. */
  readHeaders(): Promise<HeaderValues>;
  readonly locks: Locks | undefined;
}

/** The names of headers that carry credentials. Other headers may differ at each call. */
const CREDENTIALS = /auth|token|session|cookie|api-?key/i;

/** Runs the refreshes of one `renew` function: one at a time, for all calls of all proxies that share it. */
class Refresh {
  /** The refresh that is running: resolves when it has succeeded, rejects with an `AuthError` when it has failed. */
  running: Promise<void> | undefined = undefined;
  /** How many refreshes have ended. */
  endedCount = 0;
  /** How often `renew` was called. */
  renewCalls = 0;
  /** The error of the last refresh, if it failed. */
  failure: AuthError | undefined = undefined;
  /** Whether the synchronous part of `renew` is running right now. */
  private isCallingHandler = false;
  /** The requests that `renew` itself sent before its first `await`. Requests that it sends later cannot be recognised. */
  private readonly ownRequests: WeakSet<ProxyRequest> = new WeakSet();

  constructor(
    private readonly handler: AuthConfig['renew'],
    private readonly scope = '',
  ) {}

  /** Whether `renew` itself sent a request. */
  isOwn(request: ProxyRequest): boolean {
    if (this.isCallingHandler) this.ownRequests.add(request);
    return this.ownRequests.has(request);
  }

  /** Joins the running refresh, or starts one. */
  renew(refused: UnauthorizedCall): Promise<void> {
    if (!this.running) {
      this.running = this.runRefresh(refused);
      // Every call that waits for the refresh may be aborted before it fails, so nobody else may handle the rejection.
      this.running.catch(() => undefined);
    }
    return this.running;
  }

  private async runRefresh(refused: UnauthorizedCall): Promise<void> {
    const name = `repose refresh ${new URL(refused.url).origin} ${this.handler.name} ${this.scope}`;
    try {
      await withLock(name, refused.locks, () => this.renewCredentials(refused));
      this.failure = undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw (this.failure = new AuthError('refresh', { why }, { response: refused.response, cause }));
    } finally {
      this.endedCount += 1;
      this.running = undefined;
    }
  }

  private async renewCredentials({ sentHeaders, readHeaders, response }: UnauthorizedCall): Promise<void> {
    // Another tab, or the application itself, may have renewed the credentials in the meantime.
    if (sentHeaders && credentialsDiffer(sentHeaders, await readHeaders().catch(() => sentHeaders))) return;
    let returned: unknown;
    this.renewCalls += 1;
    this.isCallingHandler = true;
    try {
      returned = this.handler(Object.freeze({ response }));
    } finally {
      this.isCallingHandler = false;
    }
    const result = await returned;
    if (result === false) throw new Error('`renew` returned false');
    // `renew` may return the result of `fetch`, which resolves with such a response if the server refused.
    const { ok, status } = (result ?? {}) as { ok?: unknown; status?: unknown };
    if (ok === false) throw new Error(`the response to the refresh was ${status}`);
  }
}

/** Evaluates the proxy's `headers` option. */
async function evaluateHeaders(headers: HeadersConfig): Promise<HeaderValues> {
  return typeof headers === 'function' ? headers() : headers;
}

/** Whether credentials have changed. */
function credentialsDiffer(sent: HeaderValues, current: HeaderValues): boolean {
  return Object.keys({ ...sent, ...current }).some((name) => CREDENTIALS.test(name) && sent[name] !== current[name]);
}

/** Runs a function while no other tab runs it; without a lock if the platform grants none. */
async function withLock(name: string, locks: Locks | undefined, act: () => Promise<void>): Promise<void> {
  let running: Promise<void> | undefined;
  const once = () => (running ??= act());
  try {
    await locks?.request(name, once);
  } catch {
    // The returned promise reports an error of `act`. A page without an origin is refused locks, and runs `act` without one.
  }
  return once();
}
