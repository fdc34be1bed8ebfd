import { AuthError } from '../errors/auth-error.js';
import type { Call } from '../extension/call.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import type { AuthConfig } from './auth.js';

/** The part of the platform's Web Locks that a refresh uses. */
export interface Locks {
  request(name: string, act: () => Promise<unknown>): Promise<unknown>;
}

/** The headers that the proxy's `headers` option returned. */
export type Given = Partial<Record<string, string>>;

/** A call that the server answered with 401. */
export interface Refused {
  readonly url: string;
  readonly response: HttpResponse;
  /** The result of `headers` when the call was sent; undefined: unknown, or of no use for a comparison. */
  readonly sent: Given | undefined;
  /** Evaluates `headers` again. Rejects if this fails or takes too long. */
  ask(): Promise<Given>;
  readonly locks: Locks | undefined;
}

/** The names of headers that carry credentials. Other headers may differ at each call. */
const CREDENTIALS = /auth|token|session|cookie|api-?key/i;

/** Runs the refreshes of one `renew` function: one at a time, for all calls of all proxies that share it. */
export class Refresh {
  /** The refresh that is running: resolves when it has succeeded, rejects with an `AuthError` when it has failed. */
  running: Promise<void> | undefined = undefined;
  /** How many refreshes have ended. */
  ended = 0;
  /** How often `renew` was called. */
  asked = 0;
  /** The error of the last refresh, if it failed. */
  refusal: AuthError | undefined = undefined;
  /** Whether the synchronous part of `renew` is running right now. */
  private calling = false;
  /** The calls that `renew` itself made before its first `await`. Calls that it makes later cannot be recognised. */
  private readonly own: WeakSet<Call> = new WeakSet();

  constructor(private readonly handler: AuthConfig['renew']) {}

  /** Whether `renew` itself made a call. */
  isOwn(call: Call): boolean {
    if (this.calling) this.own.add(call);
    return this.own.has(call);
  }

  /** Joins the running refresh, or starts one. */
  renew(refused: Refused): Promise<void> {
    if (!this.running) {
      this.running = this.run(refused);
      // Every call that waits for the refresh may be aborted before it fails, so nobody else may handle the rejection.
      this.running.catch(() => undefined);
    }
    return this.running;
  }

  private async run(refused: Refused): Promise<void> {
    const name = `repose refresh ${new URL(refused.url).origin} ${this.handler.name}`;
    try {
      await exclusively(name, refused.locks, () => this.work(refused));
      this.refusal = undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw (this.refusal = new AuthError('refresh', { why }, { response: refused.response, cause }));
    } finally {
      this.ended += 1;
      this.running = undefined;
    }
  }

  private async work({ sent, ask, response }: Refused): Promise<void> {
    // Another tab, or the application itself, may have renewed the credentials in the meantime.
    if (sent && isOther(sent, await ask().catch(() => sent))) return;
    let working: unknown;
    this.asked += 1;
    this.calling = true;
    try {
      working = this.handler(Object.freeze({ response }));
    } finally {
      this.calling = false;
    }
    const result = await working;
    if (result === false) throw new Error('`renew` returned false');
    // `renew` may return the result of `fetch`, which resolves with such a response if the server refused.
    const { ok, status } = (result ?? {}) as { ok?: unknown; status?: unknown };
    if (ok === false) throw new Error(`the answer to the refresh was ${status}`);
  }
}

/** Evaluates the proxy's `headers` option. */
export async function askHeaders(headers: HeadersConfig): Promise<Given> {
  return typeof headers === 'function' ? headers() : headers;
}

/** Whether credentials have changed. */
function isOther(sent: Given, now: Given): boolean {
  return Object.keys({ ...sent, ...now }).some((name) => CREDENTIALS.test(name) && sent[name] !== now[name]);
}

/** Runs a function while no other tab runs it; without a lock if the platform grants none. */
async function exclusively(name: string, locks: Locks | undefined, act: () => Promise<void>): Promise<void> {
  let acting: Promise<void> | undefined;
  const once = () => (acting ??= act());
  try {
    await locks?.request(name, once);
  } catch {
    // The returned promise reports an error of `act`. A page without an origin is refused locks, and runs `act` without one.
  }
  return once();
}
