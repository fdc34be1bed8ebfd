import { hasErrorBrand } from '../errors/data-error.js';
import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { AbortError, NetworkError, TimeoutError } from '../errors/request-errors.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { CallController, followSignal } from '../util/abort.js';
import { parseJson } from '../util/parse-json.js';
import type { BodyCodec } from './body-codec.js';
import { decodeBody } from './charset.js';
import { type HeadersConfig, mergeHeaders } from './headers.js';
import { type HttpResponse, isClear, type Limit, type Receive, responseOf } from './http-response.js';
import { followRedirects, isFollowed, isRedirect } from './redirect.js';

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
    const follows = isFollowed(request) && (isRedirect(first) || first.redirected);
    const followed = follows
      ? await followRedirects(first, { url: target, init, trusted: proxy.trustLinks, send: ask })
      : undefined;
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

/** Reads the whole body of a response; `known` is its text where a cache has it. */
export async function readResponse(
  raw: Response,
  { blob, codec, known }: { readonly blob?: boolean; readonly codec: BodyCodec | undefined; readonly known?: string },
): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  // Node 20 takes microseconds for each member that is written behind a spread, so `head` is spread last.
  const head = codec ? { codec, status, headers, url, redirected, raw } : { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { text: '', body: await raw.blob(), ...head };
  // A `text()` of the application's own decodes by its own rules; a platform without streams may lack `arrayBuffer()`.
  const isPlatform = raw.body && raw.text === globalThis.Response?.prototype.text;
  const content = known ?? (isPlatform ? new Uint8Array(await raw.arrayBuffer()) : await raw.text());
  let text = '';
  try {
    text = typeof content === 'string' ? content : decodeBody(content, headers.get('content-type'), !raw.ok);
    if (!text.trim()) return { text, body: undefined, ...head };
    return responseOf(codec ? { value: codec.parse(text), long: true } : parseJson(text), text, head);
  } catch (error) {
    return { text, body: text, malformed: (error as Error).message, ...head };
  }
}

/** Whether the platform's error says that no connection was made, so that the server cannot have received the request. */
function neverConnected(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown; message?: unknown } };
  // Browsers give no such code. Codes that are not listed can also end a connection that was already made. `unknown scheme` and `bad port` are addresses that `fetch` refuses.
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|unknown scheme|bad port)$/.test(
    String(cause?.code ?? code ?? cause?.message),
  );
}
