import type { EncodedBody } from '../http/body-codec.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Keeper } from './keeper.js';
import type { Outcome, Write, WriteStep, WrittenRecord } from './write-hook.js';

/** Sends a request once, and resolves with the response, whatever its status. Rejects if no response came. */
export type Send = (request: ProxyRequest) => Promise<HttpResponse>;

/**
 * An optional feature of a proxy, as a plain object in the proxy's `use` list. Every hook is optional. Proxies that are given the same
 * extension object share its state.
 *
 * @example
 * ```ts
 * const audit: Extension = {
 *   name: 'audit',
 *   layer: LAYERS.telemetry + 1,
 *   async send(request, next) {
 *     const response = await next(request);
 *     console.log(request.method, request.target, response.status);
 *     return response;
 *   },
 * };
 * class ApiModel extends Model.with({ proxy: { use: [audit] } }) {}
 * ```
 */
export interface Extension {
  /** The name of the extension. A later entry of `use` replaces an earlier one with the same name, and `off(name)` removes it. */
  readonly name: string;
  /** The place among the other extensions, see {@link LAYERS}: lower numbers are further outside. The order in `use` does not matter. */
  readonly layer: number;
  /**
   * Called while a request is built, after its method and parameters and before its address and body. The hook may add to
   * `request.headers` and `request.params`, which are sent with every attempt. It must be synchronous and change nothing else, because
   * `explain` also calls it, and `sync()` does so to find out whether an update is conditional (`If-Match`). The added parameters are
   * not sent to an address that the server handed out, such as a `next` link.
   *
   * @example
   * ```ts
   * const tenant: Extension = {
   *   name: 'tenant',
   *   layer: LAYERS.telemetry - 1,
   *   prepare(request) {
   *     request.headers = { ...request.headers, 'X-Tenant': 'north' };
   *   },
   * };
   * ```
   */
  prepare?(request: ProxyRequest, proxy: DataProxy): void;
  /**
   * Called with each request that has a body (`request.body`), before it is sent and by `explain`. Returns the body as it is sent;
   * undefined leaves it to the other extensions, and at last to JSON. It must be synchronous and change nothing.
   */
  encode?(request: ProxyRequest, proxy: DataProxy): EncodedBody | undefined;
  /**
   * Wraps each exchange with the server. Each `next(request)` is one attempt.
   *
   * @example
   * ```ts
   * const requestIds: Extension = {
   *   name: 'request-ids',
   *   layer: LAYERS.telemetry - 1, // inside `retry()`, so that each attempt has an id of its own
   *   send(request, next) {
   *     request.onHeaders.push((headers) => headers.set('X-Request-Id', crypto.randomUUID()));
   *     return next(request);
   *   },
   * };
   * ```
   */
  send?(request: ProxyRequest, next: Send, proxy: AjaxProxy): Promise<HttpResponse>;
  /**
   * Called for each record in the tick of `save()` or `sync()`, before what it sends is captured. The values that it returns, by field, are
   * set on the record, and are checked and sent with the others. It must be synchronous. An error that it throws fails the write of this
   * record: nothing is sent, and the edits stay. Not called for erases, nor for the requests that a rollback makes.
   *
   * @example
   * ```ts
   * const stamp: Extension = {
   *   name: 'stamp',
   *   layer: LAYERS.checks - 1,
   *   capture: (record, action) => (action === 'create' ? { createdBy: 'ada' } : { changedBy: 'ada' }),
   * };
   * ```
   */
  capture?(record: WrittenRecord, action: 'create' | 'update'): Readonly<Record<string, unknown>> | undefined;
  /**
   * Wraps each write, before its records settle: the hook may delay the write, run it again by calling `next(write)` again, or replace
   * its outcomes. `next` never rejects; an error that the hook throws becomes the outcome of all records. The hook starts in the tick of
   * `save()`, and the request is built in that tick too, unless a hook awaits something before it calls `next`. Do not await `save()` or
   * `erase()` of a record of this write: that call waits for this write to end, and this write would wait for that call.
   *
   * @example
   * ```ts
   * const timing: Extension = {
   *   name: 'timing',
   *   layer: LAYERS.outbox - 1,
   *   async write(write, next) {
   *     const start = performance.now();
   *     const outcomes = await next(write);
   *     const failed = outcomes.filter(({ error }) => error).length;
   *     console.log(`${write.action} ${write.model}: ${failed} of ${outcomes.length} failed`, performance.now() - start);
   *     return outcomes;
   *   },
   * };
   * ```
   */
  write?(write: Write, next: WriteStep): Promise<readonly Outcome[]>;
  /**
   * Called after the records of a write have settled, and before the next write of these records may start. Also called for writes
   * that were never sent, and when the application decides about an unconfirmed create (`decide()`). An error that it throws is reported as
   * an uncaught error of the application.
   *
   * @example
   * ```ts
   * const notices: Extension = {
   *   name: 'notices',
   *   layer: LAYERS.telemetry - 1,
   *   settled({ action, model, outcomes }) {
   *     if (outcomes.every(({ ending }) => ending === 'done')) show(`${action} ${model}: done`);
   *   },
   * };
   * ```
   */
  settled?(write: Write): Promise<void> | void;
  /**
   * Called when the successful response to a read, create, update or erase has been read, before the records change. `result.rows`
   * are the rows as the server sent them; the records then keep these same objects.
   *
   * @example
   * ```ts
   * const sizes: Extension = {
   *   name: 'sizes',
   *   layer: LAYERS.telemetry - 1,
   *   answered({ operation }, { rows }) {
   *     if (rows.length > 1000) console.warn(`${rows.length} rows of ${operation.modelName} in one response`);
   *   },
   * };
   * ```
   */
  answered?(request: ProxyRequest, result: ResultSet, proxy: DataProxy): void;
  /** For an outbox: its interface to records and stores. */
  readonly keeper?: Keeper;
}

/** The result of `off()`: an entry of `use` that removes an extension of a base model. */
export interface RemovedExtension {
  /** The name of the extension to remove. */
  readonly off: string;
}

/** An object that contains extensions and can stand in a `use` list, such as an `Outbox`. */
export interface ExtensionSource {
  readonly extensions: readonly Extension[];
}

/** An entry of `use`: an extension, a list of entries that belong together, an object that contains extensions, or a removal. */
export type ExtensionEntry = Extension | readonly ExtensionEntry[] | ExtensionSource | RemovedExtension;
