import { AbortError } from '../errors/abort-error.js';
import { NetworkError } from '../errors/network-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import type { Clock } from '../util/clock.js';
import type { HttpResponse } from './http-response.js';

/** One HTTP message, and how to send it. */
export interface SendOptions {
  readonly method: string;
  /** Absolute address. */
  readonly url: string;
  /** Asked when it is sent; neither an abort nor the timeout waits for it. */
  readonly headers: () => Promise<Headers>;
  readonly body: string | undefined;
  /** Milliseconds until the answer must be complete; 0: no limit. */
  readonly timeout: number;
  readonly withCredentials: boolean;
  readonly signal: AbortSignal;
  /** Replaces the platform's `fetch`. */
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
  /** Whether a lost answer leaves open if the server did it (creates). */
  readonly doubtful: boolean;
  /** Whether the body is wanted as a blob. */
  readonly blob?: boolean | undefined;
}

/** Sends a message and receives the whole answer: the only place that touches `fetch`. */
export async function send(options: SendOptions): Promise<HttpResponse> {
  const { url, signal, timeout, method, body } = options;
  const late = new AbortController();
  const stop = timeout ? options.clock.after(timeout, () => late.abort()) : undefined;
  const either = AbortSignal.any([signal, late.signal]);
  const aborted = new Promise<never>((_, reject) => either.addEventListener('abort', () => reject(either.reason)));
  const credentials = options.withCredentials ? ({ credentials: 'include' } as const) : {};
  let inDoubt = false;
  let called = false;
  const run = async () => {
    const headers = await options.headers();
    either.throwIfAborted();
    called = true;
    // Looked up at the call, so that tools which replace the global one later are seen.
    const call = options.fetch ?? globalThis.fetch;
    const answer = call(url, { method, headers, ...(body !== undefined && { body }), ...credentials, signal: either });
    inDoubt = options.doubtful;
    return receive(answer, options.blob);
  };
  try {
    signal.throwIfAborted();
    // A `fetch` that ignores its signal must not keep the call from settling.
    return await Promise.race([run(), aborted]);
  } catch (cause) {
    if (signal.aborted) throw new AbortError('abort', {}, { cause: signal.reason });
    if (late.signal.aborted) throw new TimeoutError(timeout, { cause, inDoubt });
    throw called ? new NetworkError(cause, { inDoubt }) : cause;
  } finally {
    stop?.();
  }
}

/** The platform's `fetch`, for those who stand in for it in tests. */
export function platformFetch(): typeof globalThis.fetch {
  return globalThis.fetch;
}

async function receive(answer: Promise<Response>, blob: boolean | undefined): Promise<HttpResponse> {
  const raw = await answer;
  const { status, headers, url, redirected } = raw;
  const head = { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { ...head, text: '', body: await raw.blob() };
  const text = await raw.text();
  if (!text.trim()) return { ...head, text, body: undefined };
  try {
    return { ...head, text, body: JSON.parse(text) };
  } catch (error) {
    return { ...head, text, body: text, malformed: (error as Error).message };
  }
}
