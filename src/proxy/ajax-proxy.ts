import { checkOptions, checkValues } from '../dev/checks.js';
import type { DataError } from '../errors/data-error.js';
import { toDataError, withErrorContext } from '../errors/error-context.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError, NetworkError, UnansweredError } from '../errors/request-errors.js';
import { composeSend } from '../extension/compose.js';
import type { Send } from '../extension/extension.js';
import type { BodyCodec } from '../http/body-codec.js';
import { followLink } from '../http/guard.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import { idFromLocation } from '../http/location.js';
import { isFollowed, isRedirect, redirectError } from '../http/redirect.js';
import { send } from '../http/send.js';
import type { Action } from '../operation/actions.js';
import { neededFilters } from '../operation/needed-filters.js';
import { isList, Operation } from '../operation/operation.js';
import { modelOf, type OperationRecord, rowOf } from '../operation/operation-record.js';
import { ResultSet } from '../operation/result-set.js';
import { CallController } from '../util/abort.js';
import { SignalHub } from '../util/signal-hub.js';
import { listAddress } from './base-address.js';
import { checkStreaming } from './check-streaming.js';
import { readCount } from './count-request.js';
import type { Given } from './data-proxy.js';
import { encodeBody } from './encode-body.js';
import { noRowError } from './no-row-error.js';
import type { CalledParameters } from './params-config.js';
import type { AjaxProxyConfig } from './proxy-config.js';
import { AJAX_RULES, METHOD_RULES, SEND_RULES } from './proxy-options.js';
import { ProxyRequest } from './proxy-request.js';
import { isAskedForChange, isRepeatable } from './request-kind.js';
import { idRemedy, responseError } from './response-error.js';
import { ServerProxy } from './server-proxy.js';
import { TotalCounts } from './total-counts.js';

/** HTTP method per action. */
export type ActionMethods = Readonly<Record<Action, string>>;

/** Options of a call that is none of the four actions: `proxy.send({ method: 'POST', path: 'publish', record })`. */
export interface SendConfig {
  /** @default 'GET' */
  method?: string;
  /** Address. @default the record's address; without a record, the collection's */
  url?: string;
  /** Path segment that is appended to the address. */
  path?: string;
  params?: Readonly<Record<string, unknown>>;
  pathParams?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Forms, files and maps are refused, because JSON would drop their contents. */
  body?: unknown;
  /** The record that the call addresses. Its id is sent as a parameter if addresses hold no ids. */
  record?: OperationRecord;
  /** Whether the response body is returned as a `Blob`. @default false */
  blob?: boolean;
  /** Sent by `idempotency()`. With a key, `retry()` repeats a call of any HTTP method. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The member of the options of `send()` in which a declared action gives what the functions of the proxy have returned at its call. */
export const CALLED: unique symbol = Symbol('called parameters');

type SentConfig = SendConfig & { readonly [CALLED]?: CalledParameters | undefined };

/** A proxy over `fetch`: every action goes to the one `url`, with the id in a parameter or the body. Base of {@link RestProxy}. */
export class AjaxProxy<C extends AjaxProxyConfig = AjaxProxyConfig> extends ServerProxy<C> {
  /** The name of this class in `Lib.create`; the last part of the name is its `type`. */
  static readonly alias: string = 'proxy.ajax';
  declare readonly headers: HeadersConfig;
  declare readonly fetch: typeof globalThis.fetch | undefined;
  declare readonly codec: BodyCodec | undefined;
  declare readonly withCredentials: boolean;
  declare readonly useDefaultXhrHeader: boolean;
  private readonly running: Set<CallController> = new Set();
  private readonly signals: SignalHub = new SignalHub();
  /** Sends a request through the extensions. Created on first use. */
  private sendThrough: Send | undefined;
  private totals: TotalCounts | undefined;

  constructor(config?: Given<C>) {
    checkValues(config, new.target.name, AJAX_RULES);
    super(config);
    const { actionMethods } = this.config;
    if (actionMethods) checkOptions(`${this.constructor.name}.actionMethods`, actionMethods, METHOD_RULES, 'methods');
  }

  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'actionMethods'];
  }

  protected override optionDefaults(): object {
    return {
      ...super.optionDefaults(),
      headers: {},
      fetch: undefined,
      codec: undefined,
      withCredentials: false,
      useDefaultXhrHeader: false,
    };
  }

  /** The HTTP methods that are used unless the dialect or the options set others; read-only. */
  get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'POST', destroy: 'POST' };
  }

  /** HTTP method per action: the configured ones, merged over those of the dialect and the defaults (H13). */
  get actionMethods(): ActionMethods {
    return { ...this.defaultActionMethods, ...this.dialect.defaults.actionMethods, ...this.config.actionMethods };
  }

  /** The HTTP method of a request: that of `api.list`, else `actionMethods`, else the dialect's, else the default (H13). Override it to choose per request. */
  getMethod(request: ProxyRequest): string {
    const { action } = request;
    const list = listAddress(request, this);
    const own =
      list?.method ??
      (list?.body ? 'POST' : undefined) ??
      this.config.actionMethods?.[action] ??
      this.dialect.defaults.actionMethods?.[action] ??
      this.dialect.method?.({ request, options: this });
    return (own ?? this.defaultActionMethods[action]).toUpperCase();
  }

  override buildRequest(operation: Operation): ProxyRequest {
    checkStreaming(this);
    return super.buildRequest(operation);
  }

  create(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  read(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  update(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  /**
   * Sends any other call with the same headers, address guard and errors. Resolves with the response; rejects if its status is no
   * success. Redirects of a GET are followed (H17); redirects of any other method reject with a `ReadError`.
   *
   * @example
   * ```ts
   * const { body } = await proxy.send({ method: 'POST', record: order, path: 'cancel', body: { reason: 'late' } });
   * ```
   */
  async send(config: SendConfig): Promise<HttpResponse> {
    checkOptions('send', config, SEND_RULES, 'call');
    const {
      path: subpath,
      record,
      body = null,
      blob = false,
      [CALLED]: calledParameters,
      ...rest
    } = config as SentConfig;
    const method = (config.method ?? 'GET').toUpperCase();
    const action: Action = method === 'GET' ? 'read' : 'update';
    const operation: Operation = new Operation({
      ...{ ...rest, calledParameters, action },
      records: record ? [record] : [],
    });
    return withErrorContext(operation, this.messages, () => {
      // Without a body here, the dialect's body step would write one; null prevents that.
      const prepared = { method, subpath, body, blob, named: Boolean(record) };
      operation.request = Object.assign(new ProxyRequest({ operation }), prepared);
      const request = this.buildRequest(operation);
      if (config.body === undefined) request.body = undefined;
      return this.exchange(request);
    });
  }

  /** Aborts every request in flight. */
  abort(): void {
    for (const controller of this.running) controller.abort();
  }

  /** Runs an operation: builds the request, sends it, reads the response into a result set. */
  private async run(operation: Operation): Promise<ResultSet> {
    try {
      if (asksForNothing(operation, this.singleton)) return emptyPage(operation);
      const request = this.buildRequest(operation);
      const answer = () => this.answerTo(request);
      return await (this.countUrl && operation.action === 'read' ? this.counter.read(request, answer) : answer());
    } catch (cause) {
      throw toDataError(operation, this.messages, cause);
    }
  }

  /** Sends a built request, and reads the response into a result set. */
  private async answerTo(request: ProxyRequest): Promise<ResultSet> {
    const { operation } = request;
    const response = await this.exchange(request);
    const result = this.resultOf(request, response);
    if (!result.success) throw this.errorOf(request, result.affected === 0);
    const { url } = result.next ?? {};
    if (url !== undefined) result.next = { url: followLink(url, this.guard(request), this.trustLinks) ?? url };
    // The `Location` of a bulk create names no single record, and a singleton has no id.
    if (operation.action === 'create' && !request.bulk && !this.singleton)
      result.locationId = this.idOfLocation(request);
    this.reportAnswer(request, result);
    operation.resultSet = result as ResultSet<never>;
    return result;
  }

  /** Asks for the totals of lists. Created on first use, because most proxies have no `countUrl`. */
  private get counter(): TotalCounts {
    const sendCount = (request: ProxyRequest) =>
      withErrorContext(request.operation, this.messages, async () => {
        await this.exchange(request);
        return readCount(request, this);
      });
    return (this.totals ??= new TotalCounts(this, this.signals, sendCount));
  }

  /** Reads a response into a result set. */
  private resultOf(request: ProxyRequest, { status, unchanged }: HttpResponse): ResultSet {
    const { operation } = request;
    const context = { request, options: this };
    if (operation.action !== 'read') return this.dialect.readSaved(context);
    const [record] = operation.records;
    // The requested record has not changed, so its own row is the result.
    if (status === 304 && !unchanged && record) return new ResultSet({ rows: [rowOf(record)] });
    return this.dialect.readPage(context);
  }

  /** Sends a built request through the extensions. Throws the matching error if the response is no success. */
  private async exchange(request: ProxyRequest): Promise<HttpResponse> {
    const { operation, action } = request;
    request.encoded = encodeBody(request, this);
    this.guard(request);
    request.timeout = this.timeout;
    request.proxyHeaders = request.foreign ? undefined : this.headers;
    request.repeatable = isRepeatable(request) || (this.createsByPut(request) && request.method === 'PUT');
    // Creating a call controller is slow, so a record's call and its request share one.
    const controller = (request.controller = operation.controller ?? new CallController());
    const unfollow = this.signals.follow(controller, operation.controller ? undefined : operation.signal);
    operation.attempts = 0;
    operation.repeated = false;
    this.running.add(controller);
    try {
      this.sendThrough ??= composeSend(this, (each) => send(each, this, this.headerLayers(each)));
      request.response = operation.response = await this.sendThrough(request);
    } catch (error) {
      throw action === 'create' && operation.unclear ? asUnconfirmed(error) : error;
    } finally {
      unfollow();
      this.running.delete(controller);
      if (action !== 'read') this.totals?.clear();
    }
    const { redirected, raw, status, unchanged } = request.response;
    if (isRedirect(raw) || (redirected && !isFollowed(request)))
      throw redirectError(request.response, action === 'read');
    // A 304 that no extension asked for must not count as a success: it would commit a save, or empty a store.
    if (status === 304 && !unchanged && !isAskedForChange(request)) throw new ReadError('reply-unchanged');
    if (!raw.ok && status !== 304 && !this.standsForPage(request)) throw this.errorOf(request);
    return request.response;
  }

  /** Whether an unsuccessful answer stands for a page of a list, as the dialect says. */
  private standsForPage(request: ProxyRequest): boolean {
    if (!this.dialect.isPage || request.named !== undefined || !isList(request.operation)) return false;
    return this.dialect.isPage({ request, options: this });
  }

  /** The error that a response reports by its status or in its body. */
  private errorOf(request: ProxyRequest, changedNoRow: boolean = false): DataError {
    const { operation } = request;
    const problem = this.dialect.readError({ request, options: this });
    if (changedNoRow) return noRowError(request.response as HttpResponse, problem);
    return responseError(request, problem, modelOf(operation), this, (issues) => idRemedy(operation, issues, this));
  }

  /** Layers of headers, the weakest first; names in any case (H15). `explain.ts` lists the option that each layer comes from. */
  protected override headerLayers(request: ProxyRequest): readonly HeadersConfig[] {
    const { encoded, operation, proxyHeaders = this.headers } = request;
    const { mediaType = 'application/json' } = this.codec ?? {};
    // OData answers `/People/$count` with a bare number as text.
    const accept = { Accept: operation.counts ? `${mediaType}, text/plain` : mediaType };
    // Any other header may hold a credential, so a link to another origin gets none: neither from the proxy nor from the call (H17).
    if (request.foreign) return [accept];
    const own = {
      ...accept,
      ...(encoded?.contentType !== undefined && { 'Content-Type': encoded.contentType }),
      ...(this.useDefaultXhrHeader && { 'X-Requested-With': 'XMLHttpRequest' }),
    };
    return [
      own,
      this.dialect.headers?.({ request, options: this }) ?? {},
      proxyHeaders,
      request.headers ?? {},
      operation.headers ?? {},
    ];
  }

  /**
   * The id in the `Location` header of a response, as the dialect reads it, else by the rule of H17. Undefined if the header names no
   * record of the collection. The `Location` of a 202 names a job that is still running, never a record.
   */
  protected idOfLocation(request: ProxyRequest): string | undefined {
    const { headers, status } = request.response as HttpResponse;
    const location = headers.get('Location');
    if (!location || ![200, 201, 204].includes(status)) return undefined;
    const own = this.dialect.readLocation?.({ request, options: this }, location);
    if (own !== undefined) return own ?? undefined;
    return idFromLocation(location, { ...this.collectionOf(request), format: this.format ?? undefined });
  }
}

/** Whether an operation reads a list whose filters no record can pass. No server is asked for it: many could not say that (H8). */
function asksForNothing(operation: Operation, singleton: boolean): boolean {
  const { filters = [] } = operation;
  return filters.length > 0 && !singleton && isList(operation) && neededFilters(filters) === undefined;
}

/** The answer to a read of a list that has no records. Throws `AbortError` if the operation is aborted. */
function emptyPage(operation: Operation): ResultSet {
  if (operation.signal?.aborted) throw new AbortError('abort', {}, { cause: operation.signal.reason });
  const result = new ResultSet({ rows: [], total: 0, next: null });
  operation.resultSet = result as ResultSet<never>;
  return result;
}

/** Marks the error of a create as unconfirmed: an earlier attempt may have created the record, which the last error cannot know. */
function asUnconfirmed(error: unknown): unknown {
  if (!(error instanceof UnansweredError) || error.unconfirmed) return error;
  const mark = { unconfirmed: true };
  return error instanceof NetworkError ? new NetworkError(error.cause, mark) : Object.assign(error, mark);
}
