import type { HttpResponse } from '../http/http-response.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { Call, Send } from './call.js';
import type { Keeper } from './keeper.js';
import type { Outcome, Write, WriteStep } from './write.js';

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
   * Stands around each write: it may hold the write back, run it again by another `next(write)`, or turn its outcomes into others.
   * The records are not settled yet. `next` never rejects; what the hook throws becomes the outcome of all records. Before the
   * first `await` it runs in the tick of the call, and so does the building of the request where no hook waits. Do not await
   * `save()` or `erase()` of a record of the write here: they wait for this write, which would wait for them.
   */
  write?(write: Write, next: WriteStep): Promise<readonly Outcome[]>;
  /**
   * Called when the records of a write say how it ended; their lanes are still held. Also called for writes that were never sent,
   * and for a create in doubt that the application has decided about.
   */
  settled?(write: Write): Promise<void> | void;
  /**
   * Called when the successful answer to a read, create, update or erase has been read, before the records change. `result.rows`
   * are the rows as the server sent them, which become the records' own.
   */
  answered?(request: ProxyRequest, result: ResultSet, proxy: DataProxy): void;
  /**
   * For an outbox: called when a save or erase stands behind another write of its record, or behind a read of its row. Whoever waits
   * for the call hears of a failure only when this has ended. What it throws, or `settled` does, is an uncaught error of the
   * application: the write goes on.
   */
  queued?(write: Write): Promise<void> | void;
  /** For an outbox: keeps records whose writes wait. */
  readonly keeper?: Keeper;
}

/** The result of `off()`: removes an extension that a base model uses. */
export interface RemovedExtension {
  readonly off: string;
}

/** Something that brings extensions, such as an `Outbox`. */
export interface ExtensionSource {
  readonly extensions: readonly Extension[];
}

/** An entry of `use`: an extension, several that belong together, what brings extensions, or the removal of one. */
export type ExtensionEntry = Extension | readonly Extension[] | ExtensionSource | RemovedExtension;
