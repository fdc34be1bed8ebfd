import { AuthError } from '../errors/request-errors.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { AuthConfig } from './auth.js';

/** The part of the platform's Web Locks that a refresh uses. */
export interface Locks {
  request(name: string, act: () => Promise<unknown>): Promise<unknown>;
}

/** The headers that the proxy's `headers` option returned. */
export type HeaderValues = Partial<Record<string, string>>;

/** A call that the server answered with 401. */
export interface UnauthorizedCall {
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
export class Refresh {
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

  constructor(private readonly handler: AuthConfig['renew']) {}

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
    const name = `repose refresh ${new URL(refused.url).origin} ${this.handler.name}`;
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
    if (ok === false) throw new Error(`the answer to the refresh was ${status}`);
  }
}

/** Evaluates the proxy's `headers` option. */
export async function evaluateHeaders(headers: HeadersConfig): Promise<HeaderValues> {
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
