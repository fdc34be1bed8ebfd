import { hasErrorBrand } from '../errors/data-error.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError, NetworkError, TimeoutError } from '../errors/request-errors.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { CallController, followSignal } from '../util/abort.js';
import { type HeadersConfig, mergeHeaders } from './headers.js';
import { type HttpResponse, isClear, isNotDone, type Limit, type Receive, readResponse } from './http-response.js';
import { hideCredentials, isSamePlace, mayFollow } from './url.js';

/**
 * Makes one attempt to send a request, and receives the whole response. No other module calls `fetch`. `layers` are its headers; later
 * layers win. Functions among them are called when the request is sent; neither an abort nor the timeout waits for them.
 */
export async function send(
  request: ProxyRequest,
  proxy: AjaxProxy,
  layers: readonly HeadersConfig[],
): Promise<HttpResponse> {
  const { operation, method, target, timeout, encoded } = request;
  const { clock, codec } = proxy;
  const hasExtensions = proxy.extensions.length > 0;
  // A timeout aborts the attempt only; an extension may send the request again. Without extensions there is only one attempt.
  const own = request.controller;
  const controller = own && !hasExtensions ? own : new CallController();
  const unfollow = controller === own ? undefined : followSignal(controller, request.signal);
  const { signal } = controller;
  /** Changes of the headers by extensions. */
  const changes = hasExtensions ? request.onHeaders.splice(0) : [];
  /** Whether the timeout has passed. */
  let late = false;
  /** Whether `fetch` was called, and whether it accepted the request. */
  let called = false;
  let sent = false;
  /** Stops the timer of the timeout. */
  let stop: (() => void) | undefined;

  const start = () => {
    // Timers cannot wait longer: they would fire at once.
    if (!timeout || timeout >= 2 ** 31) return;
    stop = clock.after(timeout, () => {
      late = !signal.aborted;
      controller.abort();
    });
  };
  const limit: Limit = async (wait) => {
    start();
    try {
      return await wait;
    } finally {
      stop?.();
    }
  };
  const ask = async (address: string, init: RequestInit) => {
    // Looked up for each call, because test tools replace the global `fetch` later.
    const answer = (request.fetch ?? proxy.fetch ?? globalThis.fetch)(address, init);
    sent = true;
    const raw = await answer;
    // A value that is not a `Response` is a mistake of the application's `fetch`, not a network failure.
    called = typeof raw?.text === 'function';
    if (!called) throw new DefinitionError('fetch-response', { value: describe(raw) });
    return raw;
  };
  const exchange = async () => {
    signal.throwIfAborted();
    const headers = await mergeHeaders(layers);
    // A call that is aborted in the same tick sends no request.
    signal.throwIfAborted();
    changeHeaders(headers, changes, request);
    const body = encoded?.body;
    // Only the platform knows the boundary between the parts of a form.
    if (body instanceof FormData) headers.delete('Content-Type');
    called = true;
    // The cast allows an undefined body, which `fetch` accepts. With `redirect: 'follow'` the platform would send our headers and
    // the body to any address that the server names.
    const init: RequestedInit = { method, headers, signal, body: body as BodyInit, redirect: 'manual' };
    if (request.foreign) init.credentials = 'omit';
    else if (proxy.withCredentials) init.credentials = 'include';
    // A write removes its own address from the platform's HTTP cache, not the lists that hold its row.
    if (operation.action === 'read' && proxy.hasWritten && canAskAgain(headers)) init.cache = 'no-cache';
    const first = await ask(target, init);
    const follows = (isRedirect(first) || first.redirected) && isFollowed(request);
    const followed = follows ? await followRedirects(first, target, init, proxy.trustLinks, ask) : undefined;
    const { raw } = followed ?? { raw: first };
    const isReceived = request.receive !== undefined && raw.ok;
    // The timeout then limits each wait by itself.
    if (isReceived) stop?.();
    const response = isReceived
      ? await (request.receive as Receive)(raw, limit, signal)
      : await readResponse(raw, { blob: request.blob, codec });
    return followed ? { ...response, redirected: true, url: followed.url } : response;
  };

  operation.attempts += 1;
  start();
  try {
    const response = await new Promise<HttpResponse>((resolve, reject) => {
      // The call must settle on an abort, also when a custom `fetch` ignores its signal.
      controller.onAbort = reject;
      exchange().then(resolve, reject);
    });
    operation.unclear ||= !isClear(response.status);
    return response;
  } catch (cause) {
    if (called && !signal.aborted && !isValid(request)) throw cause;
    const isLost = sent && !neverConnected(cause);
    operation.unclear ||= isLost;
    const unconfirmed = isLost && operation.action === 'create';
    if (late) throw new TimeoutError(timeout, { cause, unconfirmed });
    if (signal.aborted) throw new AbortError('abort', {}, { cause: signal.reason, unconfirmed });
    throw called && !hasErrorBrand(cause) ? new NetworkError(cause, { unconfirmed }) : cause;
  } finally {
    stop?.();
    unfollow?.();
    // The platform keeps the request's signal for a long time, which must not keep this call in memory.
    controller.onAbort = undefined;
  }
}

/** Whether `fetch` can be told to ask the server, as it does by itself for a request with a condition. Some platforms refuse the option. */
function canAskAgain(headers: Headers): boolean {
  return !headers.has('If-None-Match') && 'cache' in Request.prototype;
}

/** Options of `fetch` for the first request. */
type RequestedInit = RequestInit & { readonly headers: Headers };

/** Lets extensions change the headers of an attempt. Another origin gets none but `Accept`. */
function changeHeaders(
  headers: Headers,
  changes: readonly ((headers: Headers) => void)[],
  request: ProxyRequest,
): void {
  for (const change of changes) change(headers);
  // Changes that depend on all other headers are added last, by the changes themselves.
  if (changes.length > 0) for (const change of request.onHeaders.splice(0)) change(headers);
  request.onSend?.(headers);
  if (request.foreign) for (const name of [...headers.keys()]) if (name !== 'accept') headers.delete(name);
}

/** Whether the platform accepts the request: `fetch` rejects an invalid request with the same error as a failed connection. */
function isValid({ method, target, encoded }: ProxyRequest): boolean {
  try {
    return Boolean(new Request(target, { method, body: encoded?.body as BodyInit }));
  } catch {
    return false;
  }
}

/** The platform's `fetch`, for those who stand in for it in tests. */
export function platformFetch(): typeof globalThis.fetch {
  return globalThis.fetch;
}

/** Whether the platform's error says that no connection was made, so that the server cannot have received the request. */
function neverConnected(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown; message?: unknown } };
  // Browsers give no such code. Codes that are not listed can also end a connection that was already made. `unknown scheme` and `bad port` are addresses that `fetch` refuses.
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|unknown scheme|bad port)$/.test(
    String(cause?.code ?? code ?? cause?.message),
  );
}

/** Largest number of redirects that a read follows. */
const MOST_REDIRECTS = 5;

/** Shown in messages instead of an address that the browser hides. */
const HIDDEN = 'an address that the browser hides';
const NONE = 'no address';

/** The end of a redirected read. */
interface Followed {
  readonly raw: Response;
  /** Absolute address of the response. */
  readonly url: string;
}

/** Whether the redirects of a request are followed: only for reads by GET, never for a request that may write. */
export function isFollowed({ action, method }: ProxyRequest): boolean {
  return action === 'read' && method === 'GET';
}

/** Whether a response is a redirect, also one whose status and address the browser hides. */
export function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/**
 * Follows the redirects of a GET to `url`: at most five, to its own origin or to one of the `trusted` ones, which get none of our headers.
 * Throws `ReadError`.
 */
async function followRedirects(
  first: Response,
  url: string,
  asked: RequestedInit,
  trusted: readonly string[],
  ask: (url: string, init: RequestInit) => Promise<Response>,
): Promise<Followed> {
  const own = new URL(url);
  let init: RequestInit = withoutConditions(asked);
  let raw = first;
  let here = own;
  for (let count = 0; isRedirect(raw); count += 1) {
    discard(raw);
    if (raw.type === 'opaqueredirect') {
      // Browsers hide the status and the address of a redirect that they have not followed themselves.
      raw = await ask(here.href, { ...init, redirect: 'follow' });
      break;
    }
    const target = targetOf(raw, here);
    const told = { status: raw.status, target: target ? hideCredentials(target.href) : locationOf(raw) };
    if (!target) throw new ReadError('response-redirected-nowhere', told);
    if (!mayFollow(target, own, trusted)) throw new ReadError('response-redirected-away', told);
    if (count === MOST_REDIRECTS) throw new ReadError('response-redirected-often', { ...told, count: MOST_REDIRECTS });
    if (!isSamePlace(target, own)) init = anonymous(init);
    here = target;
    raw = await ask(here.href, init);
  }
  return { raw, url: checkEnd(raw, here, own, trusted) };
}

/** The address of a response. Throws `ReadError` if the platform has followed a redirect to an untrusted origin. */
function checkEnd(raw: Response, here: URL, own: URL, trusted: readonly string[]): string {
  if (!raw.redirected || !URL.canParse(raw.url)) return here.href;
  const end = new URL(raw.url);
  if (mayFollow(end, own, trusted)) return end.href;
  discard(raw);
  throw new ReadError('response-redirected-away', { status: raw.status, target: hideCredentials(end.href) });
}

/** Error for a redirect that is not followed: redirects of writes, and of reads that are not sent by GET. */
export function redirectError({ raw, url, redirected }: HttpResponse, isRead: boolean): ReadError {
  const { status } = raw;
  const target = redirected ? hideCredentials(url) : locationOf(raw);
  if (isRead) return new ReadError('response-redirected-read', { status, target });
  const outcome = isNotDone(status) ? 'was not done' : 'may have been done';
  return new ReadError('response-redirected', { status, target, outcome });
}

/** Whether a response came from another origin than the requested one. Its rate limits and sign-ins then do not apply to our server. */
export function isFromElsewhere({ redirected, url }: HttpResponse, asked: string): boolean {
  return redirected && URL.canParse(url) && !isSamePlace(new URL(url), new URL(asked));
}

/** The target of a redirect, resolved against the address of its request. */
function targetOf({ headers }: Response, here: URL): URL | undefined {
  const location = headers.get('Location');
  if (!location || !URL.canParse(location, here)) return undefined;
  const target = new URL(location, here);
  target.hash = '';
  return target;
}

/** The target of a redirect, for messages. */
function locationOf({ type, headers }: Response): string {
  if (type === 'opaqueredirect') return HIDDEN;
  const location = headers.get('Location');
  return location ? hideCredentials(location) : NONE;
}

/** Removes conditional headers: an ETag belongs to one address, and another resource may use the same ETag. */
function withoutConditions(init: RequestedInit): RequestInit {
  const headers = new Headers(init.headers);
  headers.delete('If-None-Match');
  return { ...init, headers };
}

/** Options of `fetch` for another origin, without headers and credentials. */
function anonymous({ method, signal, redirect, headers }: RequestInit): RequestInit {
  const accept = new Headers(headers).get('Accept') ?? '*/*';
  return { method, signal, redirect, headers: new Headers({ Accept: accept }), credentials: 'omit' } as RequestInit;
}

/** Cancels a body that is not read, so that its connection is free again. */
function discard({ body }: Response): void {
  void body?.cancel().catch(() => undefined);
}
