import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { ServerProxy } from '../proxy/server-proxy.js';

/** Resolves as the given promise does, or rejects with `TimeoutError` when the time limit of the call is over first. */
export type Limit = <T>(wait: Promise<T>) => Promise<T>;

/**
 * Receives the body of a successful answer. Wrap each wait for the server in `limit`, which applies the time limit. `signal` is
 * aborted when the attempt is cancelled or its time limit is over.
 */
export type Receive = (raw: Response, limit: Limit, signal: AbortSignal) => Promise<HttpResponse>;

/** One exchange with the server. Extensions may send it several times: each `next(call)` is one attempt. */
export interface Call {
  /** The request as it was built: operation, address, body. */
  readonly request: ProxyRequest;
  readonly proxy: ServerProxy;
  /** The HTTP verb. */
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  /** Aborts the call: by the caller's own signal, or by `proxy.abort()`. */
  readonly signal: AbortSignal;
  /** Whether the caller asked for the body of the answer as a `Blob`. */
  readonly blob: boolean;
  /** The request body: a text, or a form that holds files. Undefined: the request has no body. */
  readonly body: string | FormData | undefined;
  /** Sends the next attempts instead of the proxy's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The proxy's headers, evaluated once per attempt. Undefined if the address is on another origin: the proxy's headers are not sent
   * there, because they may hold credentials (H17).
   */
  headers: HeadersConfig | undefined;
  /** The time limit of one attempt, in milliseconds; 0: no limit. */
  timeout: number;
  /**
   * The moment, in milliseconds since 1970, by which a repeated attempt must be sent: `rateLimit()` rejects it with `TimeoutError` if
   * its turn has not come by then. Undefined: no such moment.
   */
  until?: number;
  /** How often the call was sent, including the attempt in flight. */
  attempt: number;
  /** Whether sending the call twice has the same effect as sending it once: its verb is idempotent, or it carries an idempotency key. */
  repeatable: boolean;
  /** Whether `retry()` has sent the call again. The server may have carried out an earlier attempt. */
  repeated: boolean;
  /** Whether the caller has received rows of a streamed answer already. Such a call cannot be sent again. */
  delivered: boolean;
  /** Milliseconds for which `rateLimit()` and `auth()` have held back the next attempt. */
  queueTime: number;
  /**
   * Functions that are called with the merged headers just before the next attempt is sent, and may change these headers. Each attempt
   * empties the list, so a `send` hook adds its function again before each `next(call)`.
   */
  readonly onHeaders: ((headers: Headers) => void)[];
  /**
   * Receives the body of a successful answer instead of reading it as one text, for example as a stream. The time limit `timeout` then
   * applies to each wait for the server, not to the whole answer.
   */
  receive?: Receive | undefined;
}

/** Sends a call and resolves with the answer, whatever its status. Rejects if no answer came. */
export type Send = (call: Call) => Promise<HttpResponse>;
