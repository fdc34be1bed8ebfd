import type { ParsedJson } from '../util/parse-json.js';
import { rounded } from '../util/rounded.js';
import type { BodyCodec } from './body-codec.js';

/** A response whose body has been received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Address that sent the response, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  /** The body as text; empty where the request asked for a blob. */
  readonly text: string;
  /** The body: the parsed value of JSON or of the proxy's `codec`, a `Blob` if the request asked for one, undefined if it is empty, otherwise the text. */
  readonly body: unknown;
  /**
   * The body with every digit of its numbers: a `LongNumber` replaces each number that JavaScript would round. Readers read rows from
   * it. Undefined if `body` has rounded no number.
   */
  readonly exact?: unknown;
  /** Parser's message if the body is malformed, such as HTML where JSON was expected; undefined also for an empty body. */
  readonly malformed?: string;
  /** The codec that parsed the body; undefined: JSON. */
  readonly codec?: BodyCodec;
  /** Number of rows that were handed over while the body arrived; `body` lacks these rows. Undefined if the body was not streamed. */
  readonly streamed?: number;
  /** Whether the server answered 304, so that the cached response is still valid. `body` of a list is then the cached one. Undefined for an unconditional request. */
  readonly unchanged?: boolean;
  /** The platform's response. */
  readonly raw: Response;
}

/** Resolves as the given promise does, or rejects with `TimeoutError` when the time limit of the request is over first. */
export type Limit = <T>(wait: Promise<T>) => Promise<T>;

/**
 * Receives the body of a successful response. Wrap each wait for the server in `limit`, which applies the time limit. `signal` is
 * aborted when the attempt is cancelled or its time limit is over.
 */
export type Receive = (raw: Response, limit: Limit, signal: AbortSignal) => Promise<HttpResponse>;

/** A response with its parsed body. */
export function responseOf(
  { value, long }: ParsedJson,
  text: string,
  head: Omit<HttpResponse, 'text' | 'body'>,
): HttpResponse {
  // Node 20 takes microseconds for each member that is written behind a spread, so new members come first.
  if (!long) return { text, body: value, ...head };
  let body: unknown;
  return {
    text,
    exact: value,
    // Rounded on first use: lists are read from the exact body, so most rounded bodies are never needed.
    get body() {
      return (body ??= rounded(value));
    },
    ...head,
  };
}

/** The body of a response with every digit of its numbers. */
export function exactBody(response: HttpResponse): unknown {
  return 'exact' in response ? response.exact : response.body;
}

/**
 * Whether a status says what the server did with the request: done (2xx), refused (4xx), or redirected undone. After
 * any other status, after 408, and after a status that the platform hides, the server may have done the request all the same.
 */
export function isClear(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408) || isNotDone(status);
}

/** Whether a redirect says that the request was not done and must be repeated unchanged at another address. */
export function isNotDone(status: number): boolean {
  return status === 307 || status === 308;
}
