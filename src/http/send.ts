import { AbortError } from '../errors/abort-error.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { NetworkError } from '../errors/network-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import { followSignal } from '../util/abort.js';
import type { Clock } from '../util/clock.js';
import type { HeadersConfig } from './headers-config.js';
import type { HttpResponse } from './http-response.js';
import { isUnsent } from './unsent.js';

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
  /** Stops it. */
  readonly signal: AbortSignal;
  /** Is aborted when the answer takes too long. @default its own, so that the call can go on */
  readonly controller?: AbortController | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  /** Is given the headers as they will be sent, to add to. */
  readonly sending?: ((headers: Headers) => void) | undefined;
  /** Hears that it was sent and no answer came; says whether there may be a record now (creates). */
  readonly lost: () => boolean;
  /** Whether the body is wanted as a blob. */
  readonly blob?: boolean | undefined;
  /** Receives the body of a success piece by piece; the timeout is for each wait, then. */
  readonly stream?: ((raw: Response, signal: AbortSignal, limit: Limit) => Promise<HttpResponse>) | undefined;
  /** Prepares the text of a body before it is parsed. */
  readonly prepare: (text: string) => string | Promise<string>;
}

/** Holds a wait to the time limit. */
type Limit = <T>(wait: Promise<T>) => Promise<T>;

/** Sends a message and receives the whole answer: the only place that touches `fetch`. */
export function send(options: SendOptions): Promise<HttpResponse> {
  return new Sending(options).run();
}

/** A message on its way. */
class Sending {
  private readonly controller: AbortController;
  /** Whether the answer took too long. */
  private late: boolean = false;
  /** Whether `fetch` was called, and whether it took the message. */
  private called: boolean = false;
  private sent: boolean = false;
  /** Stops the clock. */
  private stop: (() => void) | undefined = undefined;
  private giveUp: (reason: unknown) => void = () => undefined;

  constructor(private readonly options: SendOptions) {
    this.controller = options.controller ?? new AbortController();
  }

  async run(): Promise<HttpResponse> {
    const unfollow = followSignal(this, this.options.signal);
    this.start();
    try {
      this.controller.signal.throwIfAborted();
      return await new Promise<HttpResponse>((resolve, reject) => {
        // A `fetch` that ignores its signal must not keep the call from settling.
        this.giveUp = reject;
        this.exchange().then(resolve, reject);
      });
    } catch (cause) {
      throw this.errorOf(cause);
    } finally {
      this.stop?.();
      unfollow();
    }
  }

  abort(reason?: unknown): void {
    const { controller } = this;
    controller.abort(reason);
    this.giveUp(controller.signal.reason);
  }

  private start(): void {
    const { timeout, clock } = this.options;
    // A longer time is none: timers would ring at once.
    if (!timeout || timeout >= 2 ** 31) return;
    this.stop = clock.after(timeout, () => {
      this.late = !this.controller.signal.aborted;
      this.abort();
    });
  }

  private async limit<T>(wait: Promise<T>): Promise<T> {
    this.start();
    try {
      return await wait;
    } finally {
      this.stop?.();
    }
  }

  private async exchange(): Promise<HttpResponse> {
    const { options } = this;
    const { method, url, body } = options;
    const { signal } = this.controller;
    // What is aborted in the tick that called for it is not sent at all.
    const headers = await mergeHeaders(options.headers);
    signal.throwIfAborted();
    options.sending?.(headers);
    this.called = true;
    // Looked up at the call, so that tools which replace the global one later are seen.
    const call = options.fetch ?? globalThis.fetch;
    const init: RequestInit = { method, headers, signal };
    if (body !== undefined) init.body = body;
    if (options.withCredentials) init.credentials = 'include';
    const answer = call(url, init);
    this.sent = true;
    const raw = await answer;
    // What is no answer is a mistake of the application, not of the network.
    this.called = typeof raw?.text === 'function';
    if (!this.called) throw new TypeError('`fetch` gave no Response');
    if (!options.stream || !raw.ok) return await receive(raw, options);
    this.stop?.();
    return await options.stream(raw, signal, (wait) => this.limit(wait));
  }

  private errorOf(cause: unknown): unknown {
    const { timeout, lost } = this.options;
    const { signal } = this.controller;
    if (this.called && !signal.aborted && !isRequest(this.options)) return cause;
    const inDoubt = this.sent && !isUnsent(cause) && lost();
    if (this.late) return new TimeoutError(timeout, { cause, inDoubt });
    if (signal.aborted) return new AbortError('abort', {}, { cause: signal.reason, inDoubt });
    return this.called && !hasErrorBrand(cause) ? new NetworkError(cause, { inDoubt }) : cause;
  }
}

/** Whether the platform takes it for a request: it refuses some as it refuses those that get no answer. */
function isRequest({ method, url, body }: SendOptions): boolean {
  try {
    return Boolean(new Request(url, { method, body: body ?? null }));
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Later ones win; names in any case (H15). */
async function mergeHeaders(layers: readonly HeadersConfig[]): Promise<Headers> {
  const all = new Headers();
  for (const layer of layers) {
    const given: unknown = typeof layer === 'function' ? await layer() : layer;
    // Of a `Headers` or a `Map` nothing would be sent.
    if (!isObject(given) || Symbol.iterator in given || Object.values(given).some(isObject))
      throw new TypeError('`headers` must be an object of texts');
    for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== null) all.set(name, value);
  }
  return all;
}

/** The platform's `fetch`, for those who stand in for it in tests. */
export function platformFetch(): typeof globalThis.fetch {
  return globalThis.fetch;
}

/** Reads the whole body of an answer. */
export async function receive(raw: Response, { blob, prepare }: SendOptions): Promise<HttpResponse> {
  const { status, headers, url, redirected } = raw;
  const head = { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { ...head, text: '', body: await raw.blob() };
  const text = await raw.text();
  if (!text.trim()) return { ...head, text, body: undefined };
  try {
    const prepared = prepare(text);
    return { ...head, text, body: JSON.parse(typeof prepared === 'string' ? prepared : await prepared) };
  } catch (error) {
    return { ...head, text, body: text, malformed: (error as Error).message };
  }
}
