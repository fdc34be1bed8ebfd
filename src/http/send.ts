import { AbortError } from '../errors/abort-error.js';
import type { DataErrorOptions } from '../errors/data-error.js';
import { NetworkError } from '../errors/network-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import type { Clock } from '../util/clock.js';
import type { HttpResponse } from './http-response.js';

/** One HTTP message, and how to send it. */
export interface SendOptions extends DataErrorOptions {
  readonly method: string;
  /** Absolute address. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Milliseconds until the answer must be complete; 0: no limit. */
  readonly timeout: number;
  readonly withCredentials: boolean;
  readonly signal: AbortSignal | undefined;
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
  const { method, url, signal, clock } = options;
  const told = { method, url };
  if (signal?.aborted) throw new AbortError('abort', told, { ...options, cause: signal.reason });
  const controller = new AbortController();
  const abort = () => controller.abort();
  let late = false;
  let sent = false;
  signal?.addEventListener('abort', abort, { once: true });
  const stop = options.timeout
    ? clock.after(options.timeout, () => {
        late = true;
        controller.abort();
      })
    : undefined;
  try {
    // Looked up at the call, so that tools which replace the global one later are seen.
    const call = options.fetch ?? globalThis.fetch;
    const running = call(url, {
      method,
      headers: options.headers,
      ...(options.body !== undefined && { body: options.body }),
      ...(options.withCredentials && { credentials: 'include' as const }),
      signal: controller.signal,
    });
    sent = true;
    return await Promise.race([receive(running, options.blob ?? false), aborted(controller.signal)]);
  } catch (cause) {
    const inDoubt = options.doubtful && sent;
    if (signal?.aborted) throw new AbortError('abort', told, { ...options, cause: signal.reason });
    if (late) throw new TimeoutError({ ...told, timeout: options.timeout }, { ...options, cause, inDoubt });
    throw new NetworkError({ ...told, why: why(cause) }, { ...options, cause, inDoubt });
  } finally {
    stop?.();
    signal?.removeEventListener('abort', abort);
  }
}

/** A `fetch` that ignores its signal must not keep the call from settling. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function receive(running: Promise<Response>, blob: boolean): Promise<HttpResponse> {
  const raw = await running;
  const { status, headers, url, redirected } = raw;
  const answer = { status, headers, url, redirected, raw };
  if (blob && raw.ok) return { ...answer, text: '', body: await raw.blob() };
  const text = await raw.text();
  return { ...answer, text, ...parse(text) };
}

function parse(text: string): { body: unknown; malformed?: string } {
  if (!text.trim()) return { body: undefined };
  try {
    return { body: JSON.parse(text) };
  } catch (error) {
    return { body: text, malformed: (error as Error).message };
  }
}

/** The platform hides the reason ("fetch failed") in the cause. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof Error ? ((cause as { code?: string }).code ?? cause.message) : '';
  return inner ? `${error.message} (${inner})` : error.message;
}
