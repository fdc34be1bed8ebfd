import type { Action } from '../operation/actions.js';
import type { HeadersConfig } from './headers-config.js';
import type { HttpResponse } from './http-response.js';

/** What one request is sent with, once or more than once. */
export interface Sending {
  readonly method: string;
  /** Absolute address. */
  readonly url: string;
  /** Aborts it: the caller's own signal, or `proxy.abort()`. */
  readonly signal: AbortSignal;
  /** Whether the body is wanted as a blob. */
  readonly blob?: boolean | undefined;
  /** How often it was sent, the attempt under way included; counted where it is sent. */
  attempt: number;
  /** Milliseconds that an attempt may take; 0: no limit. */
  timeout: number;
  /** The headers that an attempt asks for when it is sent, weaker than the call's own; undefined: none of the proxy's, on another origin. */
  headers: HeadersConfig | undefined;
  /** Whether rows of an answer that is read while it arrives have been handed on: it cannot be asked for again, then. */
  delivered: boolean;
}

/** One call to a server, which policies may send more than once. */
export interface Call extends Sending {
  readonly action: Action;
  /** Name of the model that it is about, where there is one. */
  readonly model: string | undefined;
  /** Whether the server can be told twice without doing it twice: by its method, or by an idempotency key. */
  readonly repeatable: boolean;
  /** Whether it is sent again because the answer before may pass; not after a refresh: that one was a clear no. */
  repeated: boolean;
  /** Milliseconds that the next attempt has waited for its turn: for the rate, for a refresh. */
  queued: number;
  /** The moment by which a repeat must be answered: it waits for its turn no longer. Undefined: for as long as it takes. */
  until?: number;
}

/** Sends a call and resolves with its answer, whatever its status; rejects where none came. */
export type Exchange = (call: Call) => Promise<HttpResponse>;

/** Does something around a call: waits before it, looks at its answer, sends it again. */
export type Policy = (call: Call, next: Exchange) => Promise<HttpResponse>;
