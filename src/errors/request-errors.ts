import type { HttpResponse } from '../http/http-response.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './message-format.js';
import type { Problem } from './problem.js';

/** Options of errors about requests without a response. */
export interface UnansweredErrorOptions extends DataErrorOptions {
  /** Whether a create was sent, so that the record may exist on the server now. @default false */
  unconfirmed?: boolean;
}

/** Base of the errors of requests that got no complete response. */
export abstract class UnansweredError extends DataError {
  /** Whether a create was sent, so that the record may exist on the server now. Without an idempotency key, such a create is not repeated automatically. */
  readonly unconfirmed: boolean;

  constructor(reason: MessageKey, params?: MessageParams, options: UnansweredErrorOptions = {}) {
    super(reason, params, options);
    this.unconfirmed = options.unconfirmed ?? false;
  }
}

/**
 * The caller aborted the operation through its `signal` or `abort()`, the `canLoad` of a store refused it, or the store, view or
 * window was disposed of. `unconfirmed` if a create was sent.
 *
 * @example
 * ```ts
 * const controller = new AbortController();
 * const loading = User.load(7, { signal: controller.signal });
 * controller.abort(); // the user leaves the page
 * await loading.catch((error: unknown) => {
 *   if (!(error instanceof AbortError)) show(error); // nothing to show after an abort
 * });
 * ```
 */
export class AbortError extends UnansweredError {
  override readonly name = 'AbortError' as const;
  readonly code = 'abort' as const;
}

/** Options of {@link NetworkError}. */
export interface NetworkErrorOptions extends UnansweredErrorOptions {
  /** The key of another text. @default `network`, or `network-unconfirmed` if a create may have been done */
  reason?: MessageKey | undefined;
  /** Parameters of that text, besides `why`. */
  params?: MessageParams | undefined;
}

/**
 * The request got no complete response. `unconfirmed` if a create was sent.
 *
 * @example
 * ```ts
 * await new User({ name: 'Ada' }).save().catch((error: unknown) => {
 *   if (!(error instanceof NetworkError)) throw error;
 *   show(error.unconfirmed); // true if the create was sent: the user may exist on the server now
 * });
 * ```
 */
export class NetworkError extends UnansweredError {
  override readonly name = 'NetworkError' as const;
  readonly code = 'network' as const;
  override readonly retryable: boolean = true;

  constructor(cause: unknown, options: NetworkErrorOptions = {}) {
    const { reason = options.unconfirmed ? 'network-unconfirmed' : 'network', params } = options;
    super(reason, { ...params, why: why(cause) }, { ...options, cause });
  }
}

/** The reason of a failed request. Platforms only say "fetch failed" and keep the reason in `cause`. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const inner = cause as { code?: string; message?: string } | undefined;
  return inner ? `${message} (${inner.code ?? inner.message})` : message;
}

/**
 * No complete response came within the proxy's `timeout`. `unconfirmed` if a create was sent.
 *
 * @example
 * ```ts
 * const Hasty = User.with({ proxy: { timeout: 500 } });
 * await Hasty.load(7).catch((error: unknown) => {
 *   if (error instanceof TimeoutError) show(error.params['timeout']); // 500, in milliseconds
 * });
 * ```
 */
export class TimeoutError extends UnansweredError {
  override readonly name = 'TimeoutError' as const;
  readonly code = 'timeout' as const;
  override readonly retryable: boolean = true;

  constructor(timeout: number, options?: UnansweredErrorOptions) {
    super('timeout', { timeout }, options);
  }
}

/** Options of errors about a response. */
export interface HttpErrorOptions extends DataErrorOptions {
  response: HttpResponse;
  problem?: Problem | undefined;
  /** Whether the same call may succeed later. @default whether the status says so */
  retryable?: boolean | undefined;
}

/**
 * The server answered with a status that is no success, or with a body that says that the request failed. `status`, `response`, `body` and
 * `problem` hold the response.
 *
 * @example
 * ```ts
 * await User.load(7).catch((error: unknown) => {
 *   if (!(error instanceof HttpError)) throw error;
 *   show(error.status, error.problem?.detail, error.retryable); // 503 'The database is down' true
 * });
 * ```
 */
export class HttpError<Code extends string = 'http'> extends DataError {
  override readonly name: string = 'HttpError';
  readonly code: Code = 'http' as Code;
  /** Whether the same call may succeed later. @default for 408, 429, 502, 503, 504 */
  override readonly retryable: boolean;
  /** HTTP status of the response. */
  readonly status: number;
  /** The platform's response; its body is read already. */
  readonly response: Response;
  /** The body: parsed if it is JSON, otherwise as text. */
  readonly body: unknown;
  /** The contents of the body, in one shape for all servers. */
  readonly problem: Problem | undefined;

  constructor(reason: MessageKey, params: MessageParams, options: HttpErrorOptions) {
    super(reason, params, options);
    const { response } = options;
    this.status = response.status;
    this.response = response.raw;
    this.body = response.body;
    this.problem = options.problem;
    this.retryable = options.retryable ?? [408, 429, 502, 503, 504].includes(response.status);
  }
}

/**
 * The server asks for a sign-in (401), or does not allow the request to the user who is signed in (403).
 *
 * @example
 * ```ts
 * await User.load(7).catch((error: unknown) => {
 *   if (!(error instanceof AuthError)) throw error;
 *   location.assign(error.status === 401 ? '/login' : '/forbidden');
 * });
 * ```
 */
export class AuthError extends HttpError<'auth'> {
  override readonly name = 'AuthError' as const;
  override readonly code = 'auth' as const;
}
