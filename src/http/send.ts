import { AbortError } from '../errors/abort-error.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { DefinitionError } from '../errors/definition-error.js';
import { describe } from '../errors/messages.js';
import { NetworkError } from '../errors/network-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import type { Limit, Receive } from '../extension/call.js';
import type { CallController } from '../util/call-controller.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { type ParsedJson, parseJson } from '../util/parse-json.js';
import { holdsLong } from '../util/rounded.js';
import { isPlainObject } from '../util/values.js';
import type { BodyCodec } from './body-codec.js';
import type { HeadersConfig } from './headers-config.js';
import type { HttpResponse } from './http-response.js';
import { neverConnected } from './never-connected.js';
import { responseOf } from './parsed-response.js';
import { followRedirects, isRedirect } from './redirect.js';

/** One HTTP request, and how to send it. */
export interface SendOptions {
  readonly method: string;
  /** Absolute address. */
  readonly url: string;
  /** Layers of headers; later layers win. Functions are called when the request is sent. Neither an abort nor the timeout waits for them. */
  readonly headers: readonly HeadersConfig[];
  readonly body: string | FormData | undefined;
  /** Milliseconds until the answer must be complete; 0 for no limit. */
  readonly timeout: number;
  /** Whether cookies are sent. @default the platform's rule: to the origin of the page only */
  readonly credentials?: RequestCredentials | undefined;
  /** Aborts the request. It is also aborted by the timeout. */
  readonly controller: CallController;
  /** Replaces the platform's `fetch`. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  /** Called with the final headers; may add to them. */
  readonly sending?: ((headers: Headers) => void) | undefined;
  /** Called when the request was sent and got no answer. Returns whether the server may have created a record. */
  readonly lost: () => boolean;
  /** Whether to read the body as a `Blob`. */
  readonly blob?: boolean | undefined;
  /** Parses the bodies of answers. @default JSON */
  readonly codec?: BodyCodec | undefined;
  /** Reads the body of a successful answer instead of `receive`. The timeout then limits each wait by itself. */
  readonly receive?: Receive | undefined;
  /** Further origins to which redirects are followed. Undefined: no redirect is followed, and the redirect itself is the answer (H17). */
  readonly redirects?: readonly string[] | undefined;
}

/** Sends a request and receives the whole answer. No other module calls `fetch`. */
export async function send(options: SendOptions): Promise<HttpResponse> {
  const { method, url, body, controller, timeout, clock, sending, lost } = options;
  const { signal } = controller;
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
  const exchange = async () => {
    signal.throwIfAborted();
    const headers = await mergeHeaders(options.headers);
    // A call that is aborted in the same tick sends no request.
    signal.throwIfAborted();
    sending?.(headers);
    // Only the platform knows the boundary between the parts of a form.
    if (body instanceof FormData) headers.delete('Content-Type');
    called = true;
    // The cast allows an undefined body, which `fetch` accepts. With `redirect: 'follow'` the platform would send our headers and
    // the body to any address that the server names.
    const init = { method, headers, signal, body: body as BodyInit, redirect: 'manual' as const };
    if (options.credentials) Object.assign(init, { credentials: options.credentials });
    const first = await ask(url, init);
    const { redirects: trusted } = options;
    const follows = trusted !== undefined && (isRedirect(first) || first.redirected);
    const followed = follows ? await followRedirects(first, { url, init, trusted, send: ask }) : undefined;
    const { raw } = followed ?? { raw: first };
    const response = await read(raw);
    return followed ? { ...response, redirected: true, url: followed.url } : response;
  };
  const ask = async (address: string, init: RequestInit) => {
    // Looked up for each call, because test tools replace the global `fetch` later.
    const answer = (options.fetch ?? globalThis.fetch)(address, init);
    sent = true;
    const raw = await answer;
    // A value that is not a `Response` is a mistake of the application's `fetch`, not a network failure.
    called = typeof raw?.text === 'function';
    if (!called) throw new DefinitionError('fetch-response', { value: describe(raw) });
    return raw;
  };
  const read = (raw: Response) => {
    if (!options.receive || !raw.ok) return receive(raw, options);
    stop?.();
    return options.receive(raw, limit, signal);
  };

  start();
  try {
    return await new Promise((resolve, reject) => {
      // The call must settle on an abort, also when a custom `fetch` ignores its signal.
      controller.onAbort = reject;
      exchange().then(resolve, reject);
    });
  } catch (cause) {
    if (called && !signal.aborted && !isRequest(options)) throw cause;
    const unconfirmed = sent && !neverConnected(cause) && lost();
    if (late) throw new TimeoutError(timeout, { cause, unconfirmed });
    if (signal.aborted) throw new AbortError('abort', {}, { cause: signal.reason, unconfirmed });
    throw called && !hasErrorBrand(cause) ? new NetworkError(cause, { unconfirmed }) : cause;
  } finally {
    stop?.();
    // The platform keeps the request's signal for a long time, which must not keep this call in memory.
    controller.onAbort = undefined;
  }
}

/** Whether the platform accepts the request: `fetch` rejects an invalid request with the same error as a failed connection. */
function isRequest({ method, url, body }: SendOptions): boolean {
  try {
    return Boolean(new Request(url, { method, body: body as BodyInit }));
  } catch {
    return false;
  }
}

/** Merges layers of headers: later layers win, and names ignore case (H15). */
async function mergeHeaders(layers: readonly HeadersConfig[]): Promise<Headers> {
  const all = new Headers();
  for (const layer of layers) {
    const given: unknown = typeof layer === 'function' ? await layer() : layer;
    // `Object.entries` of a `Headers` or a `Map` is empty, so no header would be sent.
    if (!isObject(given) || Symbol.iterator in given || Object.values(given).some(isObject))
      throw new DefinitionError('headers', { value: kindOf(given) });
    for (const [name, value] of Object.entries(given))
      if (value !== undefined && value !== null) setHeader(all, name, value);
  }
  return all;
}

/** Sets a header. The error of the platform would quote the value, which may be secret. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, '');
  } catch {
    throw new DefinitionError('header-name', { name });
  }
  try {
    headers.set(name, value);
  } catch {
    throw new DefinitionError('header-value', { name });
  }
}

/** Names the kind of a value that was given instead of headers. Its contents may be secret, so they are never shown. */
function kindOf(given: unknown): string {
  if (isPlainObject(given)) return 'an object that holds others';
  return typeof given === 'string' ? 'a text' : describe(given);
}

/** The platform's `fetch`, for those who stand in for it in tests. */
export function platformFetch(): typeof globalThis.fetch {
  return globalThis.fetch;
}

/** Reads the whole body of an answer. */
export async function receive(
  raw: Response,
  { blob, codec }: Pick<SendOptions, 'blob' | 'codec'> = {},
): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  // Node 20 takes microseconds for each member that is written behind a spread, so `head` is spread last.
  const head = codec ? { codec, status, headers, url, redirected, raw } : { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { text: '', body: await raw.blob(), ...head };
  const text = await raw.text();
  if (!text.trim()) return { text, body: undefined, ...head };
  try {
    return responseOf(codec ? parseBy(codec, text) : parseJson(text), text, head);
  } catch (error) {
    return { text, body: text, malformed: (error as Error).message, ...head };
  }
}

function parseBy(codec: BodyCodec, text: string): ParsedJson {
  const value = codec.parse(text);
  return { value, long: holdsLong(value) };
}
