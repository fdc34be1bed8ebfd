import { checkGiven, checkOptions } from '../dev/checks.js';
import { callable, string } from '../errors/option-rules.js';
import { AuthError } from '../errors/request-errors.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import { isFromElsewhere } from '../http/send.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { abortable, startTimer } from './waiting.js';

/** The argument of `renew`. */
export interface RenewContext {
  /** The answer because of which the sign-in is renewed: a 401, or what `isExpired` takes for one. */
  readonly response: HttpResponse;
}

/** Options of {@link auth}. */
export interface AuthConfig {
  /**
   * Renews the credentials that the proxy's `headers` return. Resolve when this has worked. If it has not, throw, reject, return false,
   * or return a `Response` that is not `ok`. The function may take long, for example to ask for a password in a dialog. Send its own
   * requests with `fetch`, or through a proxy without `auth()`.
   *
   * @example
   * ```ts
   * // With cookies there is no token to keep. An answer that is not `ok` counts as a failure.
   * const signIn = auth({ renew: () => fetch('/auth/refresh', { method: 'POST' }) });
   * ```
   */
  renew(context: RenewContext): unknown;
  /**
   * Whether a response says that the sign-in has ended, where the server does not answer 401: 419 in Laravel, a 403 of a CSRF check, or a
   * page on which people sign in, to which a read was redirected. Such a response counts as a 401: its request is sent once more, and its error has the
   * status 401. Return true only if the server has done nothing, because a write is repeated too. Responses from other origins are not asked
   * about. A function that throws fails the call.
   *
   * @example
   * ```ts
   * // The redirect of a write is hidden by browsers, and may be the answer to a write that was done, so it is not asked about.
   * const signIn = auth({
   *   renew: () => fetch('/auth/refresh', { method: 'POST' }),
   *   isExpired: ({ status, redirected, headers }) =>
   *     status === 419 || (redirected && headers.get('content-type')?.startsWith('text/html') === true),
   * });
   * ```
   * @default a response with status 401
   */
  isExpired?: ((response: HttpResponse) => boolean) | undefined;
  /**
   * Name of the user who is signed in, or of the kind of sign-in. In browsers, tabs renew a sign-in of one scope one after the other. Give
   * each its own if a page has several at one server, or tabs have different users: while one waits in a dialog, the others go on.
   *
   * A function returns the name of the moment, '' for nobody. Then a request that one user has made is never sent with the headers of
   * another one who has signed in since: it rejects with `AuthError`, also where it waited for a renewal. A proxy with a `scope` of its own
   * makes requests for the user of that name only.
   * @default ''
   */
  scope?: string | (() => string) | undefined;
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
  const nameOrFunction = {
    expected: 'a string or a function',
    holds: (given: unknown) => string.holds(given) || callable.holds(given),
  };
  const lockManager = { expected: 'an object', holds: isObject };
  checkOptions('auth', config, { renew: callable, isExpired: callable, scope: nameOrFunction, locks: lockManager });
  checkGiven('auth.renew', config.renew, callable);
  const signIns = new SignIns(config);
  const { isExpired } = config;
  return Object.freeze<Extension>({
    name: 'auth',
    layer: LAYERS.auth,
    send: (request, next, proxy) =>
      sendSignedIn(request, isExpired ? asUnauthorized(next, isExpired) : next, proxy, {
        signIns,
        locks: config.locks ?? platformLocks(),
      }),
  });
}

/** Sends, and gives a response by which a sign-in has ended the status 401. */
function asUnauthorized(next: Send, isExpired: NonNullable<AuthConfig['isExpired']>): Send {
  return async (request) => {
    const { operation, target } = request;
    const { unclear } = operation;
    const response = await next(request);
    if (isFromElsewhere(response, target) || !isExpired(response)) return response;
    // Nothing was done, which the status of a redirect does not say.
    operation.unclear = unclear;
    const raw = new Response(null, { status: 401, headers: response.headers });
    return { ...response, status: 401, redirected: false, raw };
  };
}

async function sendSignedIn(
  request: ProxyRequest,
  next: Send,
  { clock, timeout: limit, scope }: AjaxProxy,
  { signIns, locks }: { readonly signIns: SignIns; readonly locks: Locks | undefined },
): Promise<HttpResponse> {
  const { proxyHeaders: headers, target: url } = request;
  const timeout = limit || DEFAULT_TIMEOUT;
  // A request without headers goes to another origin, where no credentials may be sent.
  if (!headers) return next(request);
  const errorOf = (reason: 'refresh-own' | 'refresh-slow', response: HttpResponse) =>
    new AuthError(reason, { timeout }, { response, retryable: reason === 'refresh-slow' });
  const user = signIns.userOf(request, scope);
  const checkUser = () => signIns.check(user, url);
  checkUser();
  const refresh = signIns.refreshOf(user);
  const isOwn = refresh.isOwn(request);
  const { running } = refresh;
  if (running && !isOwn) await waitForRefresh(request, clock, running, timeout);
  const lastSent = rememberHeaders(request, headers, refresh, checkUser);
  // The time limit keeps a `headers` function that never resolves from blocking the refresh.
  const readHeaders = () => withTimeLimit(evaluateHeaders(headers), clock, timeout);
  const response = await next(request);
  // A redirect may have led to another origin, whose 401 says nothing about these credentials.
  if (response.status !== 401 || isFromElsewhere(response, url)) return response;
  if (isOwn) throw errorOf('refresh-own', response);
  // The refresh is still running: this request was sent only because its waiting time was over.
  if (running && running === refresh.running) throw errorOf('refresh-slow', response);
  const sendAgain = async (refused: HttpResponse, sentHeaders: HeaderValues | undefined) => {
    checkUser();
    if (refresh.running || lastSent.endedCount === refresh.endedCount) {
      // A tab that holds the lock may show a dialog that nobody sees, so the wait for the lock ends.
      const limitWait = (ended: () => void) => startTimer(clock, timeout, ended);
      const call: UnauthorizedCall = { url, response: refused, readHeaders, sentHeaders, locks, limitWait };
      await waitForRefresh(request, clock, refresh.renew(call));
    } else if (refresh.failure) throw refresh.failure();
    return next(request);
  };
  const { renewCalls } = lastSent;
  const answer = await sendAgain(response, lastSent.values);
  // Headers that differ from call to call, such as signatures, can look like renewed credentials although nobody has renewed them.
  return answer.status === 401 && lastSent.renewCalls === renewCalls ? sendAgain(answer, undefined) : answer;
}

/** Makes the error of a refresh that has failed. Each call gets its own, because an outbox notes in it whether it keeps the write. */
type Failure = () => AuthError;

/** Waits for a refresh, at most `limit` milliseconds. Rejects if the refresh fails. */
async function waitForRefresh(
  request: ProxyRequest,
  clock: Clock,
  running: Promise<Failure | undefined>,
  limit?: number,
): Promise<void> {
  const startedAt = clock.now();
  const failure = await abortable<Failure | undefined>(request.signal, (settle) => {
    void running.then(settle);
    return limit === undefined ? undefined : startTimer(clock, limit, () => settle(undefined));
  });
  if (failure) throw failure();
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

/** Replaces `request.proxyHeaders` so that its result is remembered at each attempt, and is never that of another user. */
function rememberHeaders(
  request: ProxyRequest,
  headers: HeadersConfig,
  refresh: Refresh,
  checkUser: () => void,
): SentHeaders {
  const { renewCalls, endedCount } = refresh;
  const sent: SentHeaders = { values: undefined, renewCalls, endedCount };
  request.proxyHeaders = async () => {
    sent.renewCalls = refresh.renewCalls;
    sent.endedCount = refresh.endedCount;
    const values = await evaluateHeaders(headers);
    checkUser();
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
  /** Calls back when the wait for the lock has been long enough. Returns the function that stops the timer. */
  limitWait(ended: () => void): () => void;
}

/** The names of headers that carry credentials. Other headers may differ at each call. */
const CREDENTIALS = /auth|token|session|cookie|api-?key/i;

/** The users of one `auth()` object, and their refreshes: a dialog that one of them has left open holds up no other. */
class SignIns {
  private readonly refreshes: Map<string, Refresh> = new Map();
  /** The users who have made the requests that are on their way. */
  private readonly users: WeakMap<ProxyRequest, string> = new WeakMap();

  constructor(private readonly config: AuthConfig) {}

  /** The user who has made a request, also when it is repeated; that of the proxy, if it has a scope. */
  userOf(request: ProxyRequest, scope: string | undefined): string {
    const own = this.asksWho ? scope : undefined;
    const user = this.users.get(request) ?? own ?? this.userNow();
    this.users.set(request, user);
    return user;
  }

  refreshOf(user: string): Refresh {
    const refresh = this.refreshes.get(user) ?? new Refresh(this.config.renew, user);
    this.refreshes.set(user, refresh);
    return refresh;
  }

  /** Throws `AuthError` if another user is signed in now. */
  check(user: string, url: string): void {
    if (!this.asksWho || user === this.userNow()) return;
    const raw = new Response(null, { status: 401 });
    const response = { status: 401, headers: raw.headers, url, redirected: false, raw, text: '', body: undefined };
    throw new AuthError('auth-user', {}, { response });
  }

  /** Whether the application says who is signed in. */
  private get asksWho(): boolean {
    return typeof this.config.scope === 'function';
  }

  private userNow(): string {
    const { scope = '' } = this.config;
    return typeof scope === 'function' ? scope() : scope;
  }
}

/** Runs the refreshes of one `renew` function: one at a time, for all calls of all proxies that share it. */
class Refresh {
  /** The refresh that is running: resolves when it has ended, with its failure if it has failed. Never rejects. */
  running: Promise<Failure | undefined> | undefined = undefined;
  /** How many refreshes have ended. */
  endedCount = 0;
  /** How often `renew` was called. */
  renewCalls = 0;
  /** The failure of the last refresh; undefined: it has succeeded. */
  failure: Failure | undefined = undefined;
  /** Whether the synchronous part of `renew` is running right now. */
  private isCallingHandler = false;
  /** The requests that `renew` itself sent before its first `await`. Requests that it sends later cannot be recognised. */
  private readonly ownRequests: WeakSet<ProxyRequest> = new WeakSet();

  constructor(
    private readonly handler: AuthConfig['renew'],
    private readonly scope: string,
  ) {}

  /** Whether `renew` itself sent a request. */
  isOwn(request: ProxyRequest): boolean {
    if (this.isCallingHandler) this.ownRequests.add(request);
    return this.ownRequests.has(request);
  }

  /** Joins the running refresh, or starts one. */
  renew(refused: UnauthorizedCall): Promise<Failure | undefined> {
    this.running ??= this.runRefresh(refused);
    return this.running;
  }

  private async runRefresh(refused: UnauthorizedCall): Promise<Failure | undefined> {
    const name = `repose refresh ${new URL(refused.url).origin} ${this.handler.name} ${this.scope}`;
    try {
      await withLock(name, refused, () => this.renewCredentials(refused));
      this.failure = undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const options = { response: refused.response, cause, retryable: mayWorkLater(cause) };
      this.failure = () => new AuthError('refresh', { why }, options);
    }
    this.endedCount += 1;
    this.running = undefined;
    return this.failure;
  }

  private async renewCredentials({ sentHeaders, readHeaders, response }: UnauthorizedCall): Promise<void> {
    // Another tab, or the application itself, may have renewed the credentials in the meantime.
    if (sentHeaders && hasOtherCredentials(sentHeaders, await readHeaders().catch(() => sentHeaders))) return;
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
    if (ok === false) throw new RefusedRenewal(status);
  }
}

/** Evaluates the proxy's `headers` option. */
async function evaluateHeaders(headers: HeadersConfig): Promise<HeaderValues> {
  return typeof headers === 'function' ? headers() : headers;
}

/** The answer to a request of `renew` with which the server refused. */
class RefusedRenewal extends Error {
  constructor(readonly status: unknown) {
    super(`the response to the refresh was ${status}`);
  }
}

/** Whether a renewal failed for a reason that says nothing about the sign-in: its request got no response, or the server could not answer. */
function mayWorkLater(cause: unknown): boolean {
  if (cause instanceof RefusedRenewal)
    return Number(cause.status) >= 500 || [408, 425, 429].includes(Number(cause.status));
  const { name, retryable } = (cause ?? {}) as { name?: unknown; retryable?: unknown };
  // `fetch` rejects with a `TypeError` without a connection, and with a `TimeoutError` where its signal has a time limit. `json()` rejects with
  // a `SyntaxError` where a page of maintenance was sent instead of an answer.
  return retryable === true || ['TypeError', 'TimeoutError', 'SyntaxError'].includes(String(name));
}

/** Whether there are credentials now that were not sent. If they are only gone, somebody has signed out, and nothing was renewed. */
function hasOtherCredentials(sent: HeaderValues, current: HeaderValues): boolean {
  return Object.entries(current).some(([name, value]) => CREDENTIALS.test(name) && value && sent[name] !== value);
}

/** Runs a function while no other tab runs it; without a lock if the platform grants none, or not in time. */
async function withLock(
  name: string,
  { locks, limitWait }: Pick<UnauthorizedCall, 'locks' | 'limitWait'>,
  act: () => Promise<void>,
): Promise<void> {
  let running: Promise<void> | undefined;
  const once = () => (running ??= act());
  await new Promise<void>((resolve) => {
    if (!locks) return resolve();
    const stop = limitWait(resolve);
    const ended = () => {
      stop();
      resolve();
    };
    const granted = () => {
      stop();
      return once();
    };
    // The returned promise reports an error of `act`. A page without an origin is refused locks, and runs `act` without one.
    const request = async () => locks.request(name, granted);
    request().then(ended, ended);
  });
  return once();
}
