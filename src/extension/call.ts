import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { ServerProxy } from '../proxy/server-proxy.js';

/** Holds a wait to the call's time limit. */
export type Limit = <T>(wait: Promise<T>) => Promise<T>;

/**
 * Receives the body of a successful answer. `limit` holds each wait for the server to the time limit; `signal` ends the attempt,
 * also when its time is over.
 */
export type Receive = (raw: Response, limit: Limit, signal: AbortSignal) => Promise<HttpResponse>;

/** One exchange with the server, which extensions may send more than once: each `next(call)` is one attempt. */
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
  /** Whether the body of the answer is wanted as a `Blob`. */
  readonly blob: boolean;
  /** The body as it is sent; undefined: none. */
  readonly body: string | undefined;
  /** The proxy's headers, asked for once per attempt; undefined: none, because the address is on another origin (H17). */
  headers: HeadersConfig | undefined;
  /** Milliseconds that an attempt may take; 0: no limit. */
  timeout: number;
  /** The moment, in milliseconds since 1970, until which a repeat waits for its turn; undefined: for as long as it takes. */
  until?: number;
  /** How often the call was sent, the attempt under way included. */
  attempt: number;
  /** Whether the server can be told twice without doing it twice: by the verb, or by an idempotency key. */
  repeatable: boolean;
  /** Whether the call was sent again after an attempt whose outcome is not known. */
  repeated: boolean;
  /** Whether rows of a streamed answer were handed over, so that the call cannot be sent again. */
  delivered: boolean;
  /** Milliseconds that the next attempt has waited for its turn: for a rate, or for a new sign-in. */
  queueTime: number;
  /**
   * Called with the merged headers of the next attempt, which they may change, just before it is sent. An attempt takes them out:
   * a `send` hook adds its own before each `next(call)`.
   */
  readonly onHeaders: ((headers: Headers) => void)[];
  /**
   * Receives the body of a successful answer in another way than as one text. `timeout` then holds for each wait, not for the whole
   * answer.
   */
  receive?: Receive | undefined;
}

/** Sends a call and resolves with the answer, whatever its status. Rejects where none came. */
export type Send = (call: Call) => Promise<HttpResponse>;
