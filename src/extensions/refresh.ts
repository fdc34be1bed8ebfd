import { AuthError } from '../errors/auth-error.js';
import type { Call } from '../extension/call.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import type { AuthConfig } from './auth.js';

/** The part of the platform's Web Locks that a refresh uses. */
export interface Locks {
  request(name: string, act: () => Promise<unknown>): Promise<unknown>;
}

/** Headers that `headers` gave. */
export type Given = Partial<Record<string, string>>;

/** A call that was answered 401. */
export interface Refused {
  readonly url: string;
  readonly response: HttpResponse;
  /** The result of `headers` when the call was sent; undefined: it was not asked, or says nothing. */
  readonly sent: Given | undefined;
  /** Asks it anew. Rejects where that fails, or takes too long. */
  ask(): Promise<Given>;
  readonly locks: Locks | undefined;
}

/** Headers that say who asks; others may differ each time. */
const CREDENTIALS = /auth|token|session|cookie|api-?key/i;

/** The refreshes of one handler: one at a time, for all calls of all proxies that have it. */
export class Refresh {
  /** The one under way: resolves when it has worked, rejects with an `AuthError` when it has not. */
  running: Promise<void> | undefined = undefined;
  /** How many have ended. */
  ended = 0;
  /** How often the handler was asked. */
  asked = 0;
  /** Why the last one did not work. */
  refusal: AuthError | undefined = undefined;
  /** Whether the handler is being called right now. */
  private calling = false;
  /** Calls that it made before it waited for anything; later ones cannot be told from others. */
  private readonly own: WeakSet<Call> = new WeakSet();

  constructor(private readonly handler: AuthConfig['renew']) {}

  /** Whether the handler itself made a call. */
  isOwn(call: Call): boolean {
    if (this.calling) this.own.add(call);
    return this.own.has(call);
  }

  /** Joins the refresh under way, or starts one. */
  renew(refused: Refused): Promise<void> {
    if (!this.running) {
      this.running = this.run(refused);
      // All who wait may have left by then.
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
    // Another tab, or the application itself, may have done it meanwhile.
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
    // `fetch` resolves with such a response where the server refused.
    const { ok, status } = (result ?? {}) as { ok?: unknown; status?: unknown };
    if (ok === false) throw new Error(`the answer to the refresh was ${status}`);
  }
}

/** Asks `headers` for its result now. */
export async function askHeaders(headers: HeadersConfig): Promise<Given> {
  return typeof headers === 'function' ? headers() : headers;
}

/** Whether credentials have changed. */
function isOther(sent: Given, now: Given): boolean {
  return Object.keys({ ...sent, ...now }).some((name) => CREDENTIALS.test(name) && sent[name] !== now[name]);
}

/** Acts while no other tab does; without a lock where there is none to be had. */
async function exclusively(name: string, locks: Locks | undefined, act: () => Promise<void>): Promise<void> {
  let acting: Promise<void> | undefined;
  const once = () => (acting ??= act());
  try {
    await locks?.request(name, once);
  } catch {
    // A rejection of `act` is reported below; a page without an origin has no locks.
  }
  return once();
}
