import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Operation } from '../operation/operation.js';
import type { ProxyRequest, RequestNotes } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from './ajax-proxy.js';

/**
 * Follows the operations of a proxy without taking part in them, for an inspector. Unlike an extension, it can come and go while the proxy is
 * in use, and hears of operations that are refused before anything is sent.
 */
export interface ProxyWatch {
  /** The notes of the reasons for a request that is about to be built. */
  trace(operation: Operation, proxy: AjaxProxy): RequestNotes;
  /** Runs an operation, and follows it to its end. `run` begins in the same tick. */
  follow<T>(operation: Operation, proxy: AjaxProxy, run: () => Promise<T>): Promise<T>;
  /** Makes one attempt to send a request, by `send`. Its headers are given in layers, the weakest first; a layer may be a function. */
  followAttempt(
    request: ProxyRequest,
    proxy: AjaxProxy,
    layers: readonly HeadersConfig[],
    send: (layers: readonly HeadersConfig[]) => Promise<HttpResponse>,
  ): Promise<HttpResponse>;
  /** The rows of a successful response have been read; no record has changed yet. */
  answered(request: ProxyRequest, result: ResultSet): void;
}

/** The place of a watch. A proxy shares it with the proxies that `with()` makes from it, such as those of a store with parameters of its own. */
export interface WatchPlace {
  by: ProxyWatch | undefined;
}
