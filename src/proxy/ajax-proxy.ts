import { checkOptions, checkValues, inDevelopment } from '../dev/checks.js';
import { classic } from '../dialect/classic.js';
import { idOf } from '../dialect/define-dialect.js';
import type { Dialect, DialectOptions } from '../dialect/dialect.js';
import { toDataError, withErrorContext } from '../errors/error-context.js';
import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { AbortError, NetworkError, UnansweredError } from '../errors/request-errors.js';
import type { Send } from '../extension/extension.js';
import { composeSend } from '../extension/hooks.js';
import type { BodyCodec } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse, Receive } from '../http/http-response.js';
import { jsonText } from '../http/params.js';
import { send } from '../http/send.js';
import { encodeSegment, isValidId, resolveUrl } from '../http/url.js';
import type { Action } from '../operation/actions.js';
import { isList, Operation } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import { type CalledParameters, type ParamsConfig, paramsOf } from '../operation/params-config.js';
import { isRepeatable, ProxyRequest } from '../operation/proxy-request.js';
import { type Filter, type Grouper, neededFilters, type Sorter } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import { CallController, SignalHub } from '../util/abort.js';
import {
  addQuery,
  createsByPut,
  endpointOf,
  fillKnown,
  guardAddress,
  placeAddress,
  readUrl,
  UrlCache,
} from './address.js';
import { DataProxy, type DataProxyConfig, type Given } from './data-proxy.js';
import { checkStatus, decode } from './decode.js';
import { encode, encodeBody, headerLayers } from './encode.js';
import type { Addresses, AjaxProxyConfig } from './proxy-config.js';
import { AJAX_RULES, checkBulk, checkRequestOptions, checkStreaming, SEND_RULES } from './proxy-options.js';
import type { Counts, RowCount } from './total-counts.js';

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

/** The member of the options of `send()` in which this package says how the body of the response is received, if not as a whole. */
export const RECEIVE: unique symbol = Symbol('receive');

/** The options of `send()` as this package gives them. */
export type SentConfig = SendConfig & {
  readonly [CALLED]?: CalledParameters | undefined;
  readonly [RECEIVE]?: ((request: ProxyRequest) => Receive) | undefined;
};

/**
 * A proxy over `fetch`: turns operations into requests, sends them, and reads the responses. Every action goes to the one `url`, with the
 * id in a parameter or the body. Base of {@link RestProxy}; `ServerProxy` is another name of it.
 *
 * @example
 * ```ts
 * const ajax = new AjaxProxy({ url: '/users.php', noCache: false });
 * const Listed = User.with({ proxy: ajax });
 * await Listed.load(7); // GET /users.php?id=7
 * ```
 */
export class AjaxProxy<C extends AjaxProxyConfig = AjaxProxyConfig> extends DataProxy<C> implements DialectOptions {
  /** The name of this class in `Lib.create`; the last part of the name is its `type`. */
  static readonly alias: string = 'proxy.ajax';
  /** The dialect: how the server expects its parameters. */
  declare readonly dialect: Dialect;
  declare readonly url: string | undefined;
  declare readonly baseUrl: string | undefined;
  declare readonly api: Addresses;
  declare readonly countUrl: RowCount | undefined;
  declare readonly singleton: boolean;
  declare readonly idParam: string;
  declare readonly pageParam: string | null;
  declare readonly startParam: string | null;
  declare readonly limitParam: string | null;
  declare readonly sortParam: string | null;
  declare readonly filterParam: string | null;
  declare readonly groupParam: string | null;
  declare readonly searchParam: string | null;
  declare readonly tokenParam: string | null;
  declare readonly trustLinks: readonly string[];
  declare readonly directionParam: string;
  declare readonly groupDirectionParam: string;
  declare readonly simpleSortMode: boolean;
  declare readonly simpleGroupMode: boolean;
  declare readonly extraParams: ParamsConfig | undefined;
  declare readonly pathParams: ParamsConfig;
  declare readonly noCache: boolean;
  declare readonly cacheString: string;
  declare readonly timeout: number;
  declare readonly headers: HeadersConfig;
  declare readonly fetch: typeof globalThis.fetch | undefined;
  declare readonly codec: BodyCodec | undefined;
  declare readonly withCredentials: boolean;
  declare readonly useDefaultXhrHeader: boolean;
  /** Set by the REST proxy only: whether the id is appended to the address. */
  declare readonly appendId?: boolean;
  /** Set by the REST proxy only: how new records are created. */
  declare readonly createBy?: 'post' | 'put';
  /** Set by the REST proxy only: the suffix of addresses. */
  declare readonly format?: string | null | undefined;
  /** Set by the REST proxy only: whether every path without a format ends with one `/`. */
  declare readonly trailingSlash?: boolean;
  private readonly cache: UrlCache = new UrlCache();
  private readonly running: Set<CallController> = new Set();
  private readonly signals: SignalHub = new SignalHub();
  /** Sends a request through the extensions. Created on first use. */
  private sendThrough: Send | undefined;
  private totals: Counts | undefined;

  constructor(config?: Given<C>) {
    checkValues(config, new.target.name, AJAX_RULES);
    super(config);
    inDevelopment(checkRequestOptions, this.constructor.name, this.config);
    inDevelopment(checkBulk, this);
    if (this.singleton && this.hooks.keeper) throw new DefinitionError('singleton-outbox');
  }

  protected override dialectOptions(): DataProxyConfig {
    return (this.config.dialect ?? classic).defaults;
  }

  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'actionMethods'];
  }

  protected override optionDefaults(): object {
    return {
      dialect: classic,
      url: undefined,
      baseUrl: undefined,
      api: {},
      countUrl: undefined,
      singleton: false,
      idParam: 'id',
      pageParam: 'page',
      startParam: 'start',
      limitParam: 'limit',
      sortParam: 'sort',
      filterParam: 'filter',
      groupParam: 'group',
      searchParam: 'query',
      tokenParam: '',
      trustLinks: [],
      directionParam: 'dir',
      groupDirectionParam: 'groupDir',
      simpleSortMode: false,
      simpleGroupMode: false,
      extraParams: undefined,
      pathParams: {},
      noCache: true,
      cacheString: '_dc',
      timeout: 30_000,
      headers: {},
      fetch: undefined,
      codec: undefined,
      withCredentials: false,
      useDefaultXhrHeader: false,
      // Node 20 takes microseconds for each member that is written behind a spread.
      ...super.optionDefaults(),
    } satisfies AjaxProxyConfig;
  }

  /** The HTTP methods that are used unless the dialect or the options set others; read-only. */
  get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'POST', destroy: 'POST' };
  }

  /**
   * HTTP method per action: the configured ones, merged over those of the dialect and the defaults. Read-only: a change of the object throws
   * `DefinitionError`, because it would have no effect. Give `actionMethods` to the proxy, or override `getMethod`.
   */
  get actionMethods(): ActionMethods {
    const { defaultActionMethods, dialect, config } = this;
    const methods = { ...defaultActionMethods, ...dialect.defaults.actionMethods, ...config.actionMethods };
    const refuse = () => {
      throw new DefinitionError('methods-changed', { proxy: this.constructor.name }, { messages: this.messages });
    };
    return new Proxy(methods, { set: refuse, defineProperty: refuse, deleteProperty: refuse });
  }

  /**
   * The HTTP method of a request: that of `api.list` or `api.read`, else `actionMethods`, else the dialect's, else the default. Override it to choose per request.
   *
   * @example
   * ```ts
   * class HouseProxy extends RestProxy {
   *   override getMethod(request: ProxyRequest): string {
   *     return request.action === 'update' && request.bulk ? 'PATCH' : super.getMethod(request);
   *   }
   * }
   * ```
   */
  getMethod(request: ProxyRequest): string {
    const { action } = request;
    const { actionMethods } = this.config;
    const { dialect } = this;
    const endpoint = action === 'read' ? endpointOf(request, this) : undefined;
    const own =
      endpoint?.method ??
      (endpoint?.body ? 'POST' : undefined) ??
      actionMethods?.[action] ??
      (action === 'create' && createsByPut(request, this) ? 'PUT' : undefined) ??
      dialect.defaults.actionMethods?.[action] ??
      dialect.method?.({ request, options: this });
    return (own ?? this.defaultActionMethods[action]).toUpperCase();
  }

  // Building a request.

  /**
   * Builds the request of an operation: parameters, address, HTTP method, body. Sends nothing and calls no header function.
   * Throws `AddressError` and `UnsupportedQueryError`.
   *
   * @example
   * ```ts
   * const request = proxy.buildRequest(new Operation({ action: 'read', id: 7 }));
   * show(request.method, request.url); // GET /users/7
   * ```
   */
  buildRequest(operation: Operation): ProxyRequest {
    const { stream, type } = this.reader;
    if (stream || type === 'ndjson') inDevelopment(checkStreaming, this);
    return encode(operation, this as AjaxProxy);
  }

  /**
   * Builds the address: base, id, format, then the cache-buster and the parameters, by the rules of `docs/guide/addressing.md`. An override
   * may change `request.params`, or set `request.url` as another base, and returns `super.buildUrl(request)`. Does no I/O. Throws
   * `AddressError` only.
   *
   * @example
   * ```ts
   * class VersionedProxy extends RestProxy {
   *   override buildUrl(request: ProxyRequest) {
   *     request.params['v'] = 2;
   *     return super.buildUrl(request);
   *   }
   * }
   * ```
   */
  buildUrl(request: ProxyRequest): string {
    // A `RestProxy` has placed the address before.
    if (!request.placed) placeAddress(request, this as AjaxProxy);
    return (request.url = addQuery(request, this as AjaxProxy)); // rule 6
  }

  /**
   * The base of an address, before templates are filled in: the operation's `url`, else `api.list` (reads of the collection only), else
   * `api.bulk` (several records), else `api[action]`, else `url`. Throws `AddressError` if none of these is set.
   */
  protected baseOf({ operation, action, bulk }: ProxyRequest): string {
    const { api, url, singleton } = this;
    // Written out because `api[action]` is several times slower in V8.
    const base =
      operation.url ||
      (action === 'read' && api.list && !singleton && !isValidId(idOf(operation)) && readUrl(api.list)) ||
      (bulk && api.bulk) ||
      (action === 'read' && api.read && readUrl(api.read)) ||
      (action === 'update' && api.update) ||
      (action === 'create' && api.create) ||
      (action === 'destroy' && api.destroy) ||
      url;
    if (!base) throw new AddressError('url-missing', { action });
    return base;
  }

  /** Whether an id in the path is also sent as a parameter (the older form of the specification). @default false */
  protected keepIdParam(_request: ProxyRequest): boolean {
    return false;
  }

  /**
   * Encodes an id for a path. Throws `AddressError` for unsafe ids.
   *
   * @example
   * ```ts
   * class ColonProxy extends RestProxy {
   *   override encodeId(id: unknown): string {
   *     return super.encodeId(id).replaceAll('%3A', ':'); // /users/eu:7, for a server that does not decode
   *   }
   * }
   * ```
   */
  encodeId(id: unknown): string {
    return encodeSegment(id);
  }

  /**
   * The absolute address of the collection that an operation reads or writes: its base with the `pathParams` of the call and the proxy.
   * A `{name}` without such a value stays as it is. Calls the function `pathParams`; its errors are thrown.
   */
  override placeOf(operation: Operation): string {
    operation.singleton = this.singleton;
    let text = '';
    try {
      text = this.baseOf(new ProxyRequest({ operation }));
    } catch {
      // Only requests with an address of their own can be sent.
    }
    const { path, query, template } = this.cache.parts(text);
    const { pathParams } = operation.calledParameters ?? this;
    const base = template ? fillKnown(path, [operation.pathParams, paramsOf(pathParams, 'pathParams')]) : path;
    try {
      return resolveUrl(base, this.baseUrl).href + query;
    } catch {
      // No request can be sent to such an address, so nothing can be read there.
      return base + query;
    }
  }

  /**
   * Encodes sorters for a parameter. The result is cached while the sorters stay the same.
   *
   * @example
   * ```ts
   * import type { Sorter } from 'repose';
   *
   * class HouseProxy extends RestProxy {
   *   override encodeSorters(sorters: readonly Sorter[]): string {
   *     return sorters.map(({ property, direction }) => (direction === 'DESC' ? `-${property}` : property)).join(); // sort=-age,name
   *   }
   * }
   * ```
   */
  encodeSorters(sorters: readonly Sorter[]): string {
    return JSON.stringify(sorters, ['property', 'direction']);
  }

  /**
   * Encodes filters for a parameter: property, operator (if one was given), value, and the conditions of a tree. An `id` is left out, because it has a meaning in
   * the client only. Cached like the result of `encodeSorters`.
   */
  encodeFilters(filters: readonly Filter[]): string {
    return jsonText(filters.map(toSentFilter), this.filterParam ?? '');
  }

  /** Encodes a grouper for a parameter. */
  encodeGrouper(grouper: Grouper): string {
    return JSON.stringify(grouper, ['property', 'direction']);
  }

  /** The text for a frozen list, cached until another list is given. */
  kept(list: readonly object[], make: () => string): string {
    return this.cache.kept(list, make);
  }

  // Sending a request.

  create(operation: Operation): Promise<ResultSet> {
    return this.follow(operation, this.answer);
  }

  read(operation: Operation): Promise<ResultSet> {
    return this.follow(operation, this.answer);
  }

  update(operation: Operation): Promise<ResultSet> {
    return this.follow(operation, this.answer);
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.follow(operation, this.answer);
  }

  /**
   * Sends any other call with the same headers, address guard and errors. Redirects of a GET are followed, those of any other method are
   * not. Resolves with the response. Rejects with a `DataError` if its status is no success, and with a `ReadError` for a redirect that is
   * not followed.
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
      [RECEIVE]: receive,
      ...rest
    } = config as SentConfig;
    const method = (config.method ?? 'GET').toUpperCase();
    const action: Action = method === 'GET' ? 'read' : 'update';
    const operation: Operation = new Operation({
      ...{ ...rest, calledParameters, action },
      records: record ? [record] : [],
    });
    // Without a body here, the dialect's body step would write one; null prevents that.
    const prepared = { method, subpath, body, blob, named: Boolean(record) };
    operation.request = Object.assign(new ProxyRequest({ operation }), prepared);
    const call = async () => {
      const request = this.buildRequest(operation);
      if (config.body === undefined) request.body = undefined;
      request.receive = receive?.(request);
      return this.exchange(request);
    };
    return this.follow(operation, () => withErrorContext(operation, this.messages, call));
  }

  /**
   * Aborts every request in flight.
   *
   * @example
   * ```ts
   * const loading = User.load(7);
   * const { proxy } = User;
   * if (proxy instanceof RestProxy) proxy.abort(); // such as on sign-out
   * await loading.catch((error) => show(error.code)); // 'abort'
   * ```
   */
  abort(): void {
    for (const controller of this.running) controller.abort();
  }

  /** Runs an operation. An inspector, if there is one, follows it. */
  private follow<T>(operation: Operation, run: (operation: Operation) => Promise<T>): Promise<T> {
    const { by } = this.watch;
    return by ? by.follow(operation, this as AjaxProxy, () => run(operation)) : run(operation);
  }

  /** Builds the request of an operation, sends it, and reads the response into a result set. */
  private readonly answer = async (operation: Operation): Promise<ResultSet> => {
    try {
      const empty = operation.filters && !this.singleton && emptyPage(operation);
      if (empty) return empty;
      const request = this.buildRequest(operation);
      return await (this.countUrl && operation.action === 'read'
        ? this.countsOf(this.countUrl).read(request, () => this.answerTo(request))
        : this.answerTo(request));
    } catch (cause) {
      throw toDataError(operation, this.messages, cause);
    }
  };

  /** Sends a built request, and reads the response into a result set. */
  private async answerTo(request: ProxyRequest): Promise<ResultSet> {
    await this.exchange(request);
    const result = decode(request, this as AjaxProxy);
    this.reportAnswer(request, result);
    request.operation.resultSet = result as ResultSet<never>;
    return result;
  }

  /** The numbers of rows of lists. Created on first use, because most proxies have no `countUrl`. */
  private countsOf(rows: RowCount): Counts {
    const sendCount = (request: ProxyRequest) =>
      this.follow(request.operation, (operation) =>
        withErrorContext(operation, this.messages, async () => {
          await this.exchange(request);
          return rows.read(request, this as AjaxProxy);
        }),
      );
    return (this.totals ??= rows.countsOf(this as AjaxProxy, this.signals, sendCount));
  }

  /** Sends a built request through the extensions. Throws the matching error if the response is no success. */
  private async exchange(request: ProxyRequest): Promise<HttpResponse> {
    const { operation, action } = request;
    if (action !== 'read') this.hasWritten = true;
    request.timeout = this.timeout;
    if (request.body !== undefined) request.encoded = encodeBody(request, this);
    guardAddress(request, this as AjaxProxy);
    request.proxyHeaders = request.foreign ? undefined : this.headers;
    request.repeatable = isRepeatable(request);
    // Creating a call controller is slow, so a record's call and its request share one.
    const { controller: given, signal } = operation;
    const controller = (request.controller = given ?? new CallController());
    const unfollow = given ? undefined : this.signals.follow(controller, signal);
    operation.attempts = 0;
    operation.repeated = false;
    this.running.add(controller);
    try {
      this.sendThrough ??= composeSend(this, this.attempt);
      request.response = operation.response = await this.sendThrough(request);
    } catch (error) {
      throw action === 'create' && operation.unclear ? asUnconfirmed(error) : error;
    } finally {
      unfollow?.();
      this.running.delete(controller);
      if (action !== 'read') this.totals?.clear();
    }
    checkStatus(request, this as AjaxProxy);
    return request.response;
  }

  /** Makes one attempt to send a request. */
  private readonly attempt: Send = (request) => {
    const { by } = this.watch;
    const layers = headerLayers(request, this as AjaxProxy);
    if (!by) return send(request, this, layers);
    return by.followAttempt(request, this as AjaxProxy, layers, (noted) => send(request, this, noted));
  };
}

/**
 * The result of the read of a list whose filters no record can pass: no server is asked for it, as many could not say that. Undefined for
 * every other operation. Throws `AbortError` if the operation is aborted.
 */
function emptyPage(operation: Operation): ResultSet | undefined {
  const { filters = [], signal } = operation;
  if (filters.length === 0 || !isList(operation) || neededFilters(filters)) return undefined;
  if (signal?.aborted) throw new AbortError('abort', {}, { cause: signal.reason });
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

/** The members of a filter that a server gets, in this order; those without a value are left out of the JSON. */
function toSentFilter({ property, operator, value, and, or, not }: Filter): object {
  const conditions = { and: and?.map(toSentFilter), or: or?.map(toSentFilter), not: not && toSentFilter(not) };
  return { property, operator, value, ...conditions };
}
