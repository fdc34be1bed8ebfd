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
import { parseJson } from '../util/parse-json.js';
import { isPlainObject } from '../util/values.js';
import type { HeadersConfig } from './headers-config.js';
import type { HttpResponse } from './http-response.js';
import { neverConnected } from './never-connected.js';
import { responseOf } from './parsed-response.js';
import { followRedirects, isRedirect } from './redirect.js';

/** One HTTP message, and how to send it. */
export interface SendOptions {
  readonly method: string;
  /** Absolute address. */
  readonly url: string;
  /** By strength. Functions are asked when it is sent; neither an abort nor the timeout waits for them. */
  readonly headers: readonly HeadersConfig[];
  readonly body: string | undefined;
  /** Milliseconds until the answer must be complete; 0: no limit. */
  readonly timeout: number;
  readonly withCredentials: boolean;
  /** Stops it; is aborted itself when the answer takes too long. */
  readonly controller: CallController;
  /** Replaces the platform's `fetch`. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  /** Is given the headers as they will be sent, to add to. */
  readonly sending?: ((headers: Headers) => void) | undefined;
  /** Hears that it was sent and no answer came; says whether there may be a record now (creates). */
  readonly lost: () => boolean;
  /** Whether the body is wanted as a blob. */
  readonly blob?: boolean | undefined;
  /** Receives the body of a success in another way than as one text; the timeout is for each wait, then. */
  readonly receive?: Receive | undefined;
  /** Origins besides its own to which a redirect is followed; undefined: none is followed, the answer is the redirect (H17). */
  readonly redirects?: readonly string[] | undefined;
}

/** Sends a message and receives the whole answer: the only place that touches `fetch`. */
export async function send(options: SendOptions): Promise<HttpResponse> {
  const { method, url, body, controller, timeout, clock, sending, lost } = options;
  const { signal } = controller;
  /** Whether the answer took too long. */
  let late = false;
  /** Whether `fetch` was called, and whether it took the message. */
  let called = false;
  let sent = false;
  /** Stops the clock. */
  let stop: (() => void) | undefined;

  const start = () => {
    // A longer time is none: timers would ring at once.
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
    // What is aborted in the tick that called for it is not sent at all.
    signal.throwIfAborted();
    sending?.(headers);
    called = true;
    // Undefined is no body, though the platform's types have no word for that. Followed by the platform, a redirect would
    // carry headers and bodies to any address.
    const init = { method, headers, signal, body: body as string, redirect: 'manual' as const };
    if (options.withCredentials) Object.assign(init, { credentials: 'include' });
    const first = await ask(url, init);
    const { redirects: trusted } = options;
    const follows = trusted !== undefined && (isRedirect(first) || first.redirected);
    const followed = follows ? await followRedirects(first, { url, init, trusted, send: ask }) : undefined;
    const { raw } = followed ?? { raw: first };
    const response = await read(raw);
    return followed ? { ...response, redirected: true, url: followed.url } : response;
  };
  const ask = async (address: string, init: RequestInit) => {
    // Looked up at the call, so that tools which replace the global one later are seen.
    const answer = (options.fetch ?? globalThis.fetch)(address, init);
    sent = true;
    const raw = await answer;
    // What is no answer is a mistake of the application, not of the network.
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
      // A `fetch` that ignores its signal must not keep the call from settling.
      controller.onAbort = reject;
      exchange().then(resolve, reject);
    });
  } catch (cause) {
    if (called && !signal.aborted && !isRequest(options)) throw cause;
    const inDoubt = sent && !neverConnected(cause) && lost();
    if (late) throw new TimeoutError(timeout, { cause, inDoubt });
    if (signal.aborted) throw new AbortError('abort', {}, { cause: signal.reason, inDoubt });
    throw called && !hasErrorBrand(cause) ? new NetworkError(cause, { inDoubt }) : cause;
  } finally {
    stop?.();
    // Platforms hold the signal of a request long after: what holds it must not hold the call.
    controller.onAbort = undefined;
  }
}

/** Whether the platform takes it for a request: it refuses some as it refuses those that get no answer. */
function isRequest({ method, url, body }: SendOptions): boolean {
  try {
    return Boolean(new Request(url, { method, body: body as string }));
  } catch {
    return false;
  }
}

/** Later ones win; names in any case (H15). */
async function mergeHeaders(layers: readonly HeadersConfig[]): Promise<Headers> {
  const all = new Headers();
  for (const layer of layers) {
    const given: unknown = typeof layer === 'function' ? await layer() : layer;
    // Of a `Headers` or a `Map` nothing would be sent.
    if (!isObject(given) || Symbol.iterator in given || Object.values(given).some(isObject))
      throw new DefinitionError('headers', { value: kindOf(given) });
    for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== null) all.set(name, value);
  }
  return all;
}

/** What was given instead of headers; what is in it may be secret. */
function kindOf(given: unknown): string {
  if (isPlainObject(given)) return 'an object that holds others';
  return typeof given === 'string' ? 'a text' : describe(given);
}

/** The platform's `fetch`, for those who stand in for it in tests. */
export function platformFetch(): typeof globalThis.fetch {
  return globalThis.fetch;
}

/** Reads the whole body of an answer. */
export async function receive(raw: Response, { blob }: Pick<SendOptions, 'blob'> = {}): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  // What is new stands before it where it is spread: behind, Node 20 takes microseconds for each member.
  const head = { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { text: '', body: await raw.blob(), ...head };
  const text = await raw.text();
  if (!text.trim()) return { text, body: undefined, ...head };
  try {
    return responseOf(parseJson(text), text, head);
  } catch (error) {
    return { text, body: text, malformed: (error as Error).message, ...head };
  }
}
