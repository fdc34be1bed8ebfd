import { platformFetch } from '../http/send.js';
import {
  BODILESS,
  checkFault,
  type Fault,
  type FaultChoice,
  type FaultRule,
  type SeenRequest,
  type SimpleFault,
} from './faults.js';
import { RequestLog } from './request-log.js';
import { checkFetch } from './rest-config.js';

/** Options of a faulting `fetch`. */
export interface FaultingFetchOptions {
  /** Answers the requests that reach the server: a `fetch`, or a function of a request. @default the platform's, looked up at every call */
  fetch?: (request: Request) => Response | Promise<Response>;
  /** The faults: a list (each matching request uses up the first fault that fits), or a function that is called per request. */
  faults?: readonly (FaultRule | SimpleFault)[] | FaultChoice;
  /** Base for relative addresses. @default the document's address, in browsers */
  baseUrl?: string;
}

/** A `fetch` whose requests can fail as in real networks, with a log of all requests. */
export interface FaultingFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Every request made so far. */
  readonly requests: readonly SeenRequest[];
  /** Faults of the list that no request has used up yet. */
  readonly unused: readonly FaultRule[];
  /**
   * Adds faults to the end of the list.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [] } });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * server.fetch.plan('lose'); // the server carries the next request out, and its answer is lost
   * const error = await new Tested({ name: 'Ada' }).save().catch((error) => error);
   * show(error.code, error.unconfirmed, server.rows('/users').length); // 'network' true 1
   * ```
   */
  plan(...faults: readonly (FaultRule | SimpleFault)[]): void;
  /**
   * Lets all requests that are held now continue.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [{ id: 7, name: 'Ada' }] }, faults: [{ type: 'hold' }] });
   * const people = new Store({ model: User, proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * const loading = people.load();
   * await server.fetch.waitFor(1);
   * show(people.status.get().loading); // true, for as long as the test wants
   * server.fetch.release();
   * await loading;
   * ```
   */
  release(): void;
  /**
   * Ends all faults: those of the list and those that a function chooses. Held requests continue.
   *
   * @example
   * ```ts
   * import { faultingFetch, randomFaults } from 'repose/testing';
   *
   * const fetch = faultingFetch({ faults: randomFaults({ seed: 42, rate: 0.3 }) });
   * // The test edits and saves while requests fail. At its end, everything must arrive:
   * fetch.heal();
   * await outbox.drained();
   * ```
   */
  heal(): void;
  /**
   * Resolves with the request of this number (from 1) as soon as it is made.
   *
   * @example
   * ```ts
   * import { restServer } from 'repose/testing';
   *
   * const server = restServer({ collections: { '/users': [{ id: 7, name: 'Ada' }] }, faults: [{ type: 'hold', what: 'answer' }] });
   * const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl } });
   * const loading = Tested.load(7);
   * const request = await server.fetch.waitFor(1); // the test goes on while the request is in flight
   * show(request.method, request.url);
   * request.release();
   * await loading;
   * ```
   */
  waitFor(number: number): Promise<SeenRequest>;
}

/**
 * A `fetch` for tests: applies faults from a list, a function or a random choice, and keeps a log. The option `fetch` answers the
 * requests that reach the server. It uses no timers: a test that holds a request decides when the request continues. Throws `DefinitionError`
 * for wrong options.
 *
 * @example
 * ```ts
 * import { faultingFetch } from 'repose/testing';
 *
 * const fetch = faultingFetch({
 *   fetch: () => Response.json({ id: 7, name: 'Ada' }),
 *   faults: [{ type: 'status', status: 503, headers: { 'Retry-After': '1' } }, 'lose'],
 * });
 * const Mine = User.with({ proxy: { baseUrl: 'https://api.example.com', fetch } });
 * await Mine.load(7).catch((error) => show(error.status)); // 503
 * await Mine.load(7).catch((error) => show(error.code)); // 'network'
 * await Mine.load(7);
 * show(fetch.requests.map(({ method, url }) => `${method} ${url}`));
 * ```
 */
export function faultingFetch(options: FaultingFetchOptions = {}): FaultingFetch {
  checkFetch(options);
  const { faults = [] } = options;
  const choose: FaultChoice = typeof faults === 'function' ? faults : () => undefined;
  const rules: { readonly rule: FaultRule; left: number }[] = [];
  let healed = false;
  const log = new RequestLog();
  const plan = (...more: readonly (FaultRule | SimpleFault)[]) => {
    for (const each of more) {
      const rule: FaultRule = checkFault(each);
      rules.push({ rule, left: rule.times ?? 1 });
    }
  };
  if (typeof faults !== 'function') plan(...faults);

  const next = (seen: SeenRequest): Fault => {
    const found = rules.find(({ rule, left }) => left > 0 && (rule.on?.(seen) ?? true));
    if (found) found.left -= 1;
    return found ? found.rule : checkFault((healed ? undefined : choose(seen)) ?? 'pass');
  };

  const call = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { baseUrl } = options;
    const request = new Request(baseUrl && !(input instanceof Request) ? new URL(input, baseUrl) : input, init);
    const seen = log.add(request, init?.body);
    try {
      seen.body ??= request.body ? await request.clone().text() : undefined;
      request.signal.throwIfAborted();
      const fault = (seen.fault = next(seen));
      const ask = (): Promise<Response> => {
        // The request may have been aborted while it was held.
        request.signal.throwIfAborted();
        seen.reached = true;
        return Promise.resolve((options.fetch ?? platformFetch())(request));
      };
      const response = await Promise.race([suffer(fault, ask, seen.released), aborted(request.signal)]);
      seen.status = response.status;
      return response;
    } catch (error) {
      seen.error = error;
      throw error;
    }
  };

  return Object.defineProperties(call, {
    requests: { value: log.requests },
    unused: { get: () => rules.filter(({ left }) => left > 0).map(({ rule }) => rule) },
    plan: { value: plan },
    release: { value: () => log.release() },
    heal: {
      value() {
        healed = true;
        rules.length = 0;
        log.release();
      },
    },
    waitFor: { value: (number: number) => log.waitFor(number) },
  }) as FaultingFetch;
}

/** Applies a fault to a request. */
async function suffer(fault: Fault, ask: () => Promise<Response>, released: Promise<void>): Promise<Response> {
  switch (fault.type) {
    case 'drop':
      throw connectionError('ECONNREFUSED');
    case 'hang':
      return new Promise(() => undefined);
    case 'lose':
      await discard(await ask());
      throw connectionError('ECONNRESET');
    case 'status':
      if (fault.processed) await discard(await ask());
      return answerOf(fault.status, fault.headers, fault.body);
    case 'malformed':
      return withBody(await ask(), () => fault.body ?? '{"broken": ');
    case 'truncate':
      return withBody(await ask(), (text) => {
        const rest = text.slice(0, fault.at ?? text.length >> 1);
        return fault.silent ? rest : brokenOff(rest);
      });
    case 'hold': {
      if (fault.what !== 'answer') await released;
      const response = await ask();
      if (fault.what === 'answer') await released;
      return response;
    }
    default:
      return ask();
  }
}

/** Receives a body that nobody gets. */
async function discard(response: Response): Promise<string> {
  if (isEndless(response)) await response.body?.cancel();
  else await response.text();
  return '';
}

/** Whether a body may never end. */
function isEndless({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** The error of a failed connection as platforms report it: a `TypeError` with the reason in its `cause`. */
function connectionError(code: string): TypeError {
  const cause = Object.assign(new Error('a fault of the test'), { code });
  return new TypeError('fetch failed', { cause });
}

function answerOf(status: number, headers: Readonly<Record<string, string>> = {}, body?: unknown): Response {
  const asIs = body === undefined || typeof body === 'string';
  const all = new Headers(asIs ? {} : { 'Content-Type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(asIs ? (body ?? null) : JSON.stringify(body), { status, headers: all });
}

/** The same response with another body. */
async function withBody(response: Response, change: (text: string) => string | ReadableStream): Promise<Response> {
  const { headers, statusText, url, redirected } = response;
  const body = change(isEndless(response) ? await discard(response) : await response.text());
  // `Response` refuses a body with these statuses, but the fault needs a body.
  const status = BODILESS.includes(response.status) ? 200 : response.status;
  const changed = new Response(body, { status, statusText, headers });
  Object.defineProperties(changed, { url: { value: url }, redirected: { value: redirected } });
  return changed;
}

/** A body that fails after its first chunk. */
function brokenOff(text: string): ReadableStream {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new TypeError('terminated', { cause: connectionError('ECONNRESET').cause }));
      sent = true;
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
