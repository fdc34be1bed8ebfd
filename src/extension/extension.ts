import type { HttpResponse } from '../http/http-response.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { Call, Send } from './call.js';

/**
 * An optional concern of a proxy: a plain object, given in the proxy's `use`. Every hook is optional. One extension object is one
 * shared thing: proxies that are given the same object share its state.
 *
 * @example
 * ```ts
 * const audit: Extension = {
 *   name: 'audit',
 *   layer: LAYERS.telemetry + 1,
 *   async send(call, next) {
 *     const response = await next(call);
 *     console.log(call.method, call.url, response.status);
 *     return response;
 *   },
 * };
 * class ApiModel extends Model.with({ proxy: { use: [audit] } }) {}
 * ```
 */
export interface Extension {
  /** The name of the extension; a later entry of `use` replaces an earlier one with the same name. */
  readonly name: string;
  /** The place among the others, see {@link LAYERS}: lower numbers stand further outside. The order in `use` does not matter. */
  readonly layer: number;
  /**
   * Called while a request is built: its verb and its parameters are known, address and body are made next. It may add to
   * `request.headers` and `request.params`, which are sent with every attempt. It must be synchronous and change nothing else:
   * `explain` calls it too, and so does `sync()`, to see whether an update is conditional (`If-Match`). An address that the server
   * gave is followed without these parameters.
   */
  prepare?(request: ProxyRequest, proxy: DataProxy): void;
  /** Stands around each exchange with the server; each `next(call)` is one attempt. */
  send?(call: Call, next: Send): Promise<HttpResponse>;
  /**
   * Called when the successful answer to a read, create, update or erase has been read, before the records change. `result.rows`
   * are the rows as the server sent them, which become the records' own.
   */
  answered?(request: ProxyRequest, result: ResultSet, proxy: DataProxy): void;
}

/** The result of `off()`: removes an extension that a base model uses. */
export interface RemovedExtension {
  readonly off: string;
}

/** An entry of `use`: an extension, several that belong together, or the removal of one. */
export type ExtensionEntry = Extension | readonly Extension[] | RemovedExtension;
