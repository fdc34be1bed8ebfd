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
   * Called when a request has been built. It may add headers and parameters. It must be synchronous and change nothing else,
   * since `explain` calls it too.
   */
  prepare?(request: ProxyRequest, proxy: DataProxy): void;
  /** Stands around each exchange with the server; each `next(call)` is one attempt. */
  send?(call: Call, next: Send): Promise<HttpResponse>;
  /** Called when a successful answer has been read. */
  answered?(request: ProxyRequest, result: ResultSet, proxy: DataProxy): void;
}

/** The result of `off()`: removes an extension that a base model uses. */
export interface RemovedExtension {
  readonly off: string;
}

/** An entry of `use`: an extension, several that belong together, or the removal of one. */
export type ExtensionEntry = Extension | readonly Extension[] | RemovedExtension;
