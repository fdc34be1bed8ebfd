import { checkOptions, checkValues, inDevelopment } from '../dev/checks.js';
import { classic } from '../dialect/classic.js';
import { idOf, isIdFilled } from '../dialect/define-dialect.js';
import type { Dialect, DialectOptions } from '../dialect/dialect.js';
import { collectFields, collectQuery } from '../dialect/sent-query.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { toDataError, withErrorContext } from '../errors/error-context.js';
import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { quote } from '../errors/quoted-text.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError, NetworkError, UnansweredError } from '../errors/request-errors.js';
import { unsupportedOption } from '../errors/unsupported-query-error.js';
import type { Send } from '../extension/extension.js';
import { composeSend } from '../extension/hooks.js';
import type { BodyCodec } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse, Receive } from '../http/http-response.js';
import { idFromLocation, lastSegment } from '../http/location.js';
import { idParam, jsonText } from '../http/params.js';
import { isFollowed, isRedirect, redirectError, send } from '../http/send.js';
import {
  append,
  encodeSegment,
  followLink,
  guardUrl,
  isSamePlace,
  isValidId,
  resolveUrl,
  type UrlParts,
} from '../http/url.js';
import type { Action } from '../operation/actions.js';
import { isList, Operation } from '../operation/operation.js';
import { type OperationRecord, rowOf } from '../operation/operation-record.js';
import { type Filter, type Grouper, localOption, neededFilters, type Sorter } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import { CallController, SignalHub } from '../util/abort.js';
import { assignOptions } from '../util/options.js';
import { checkIds, fillKnown, fillTemplate, readUrl, UrlCache } from './address.js';
import { encodeBody } from './body.js';
import { DataProxy, type DataProxyConfig, type Given } from './data-proxy.js';
import { type CalledParameters, type Params, type ParamsConfig, paramsOf } from './params-config.js';
import type { Addresses, AjaxProxyConfig, ReadAddress } from './proxy-config.js';
import {
  AJAX_RULES,
  checkAddresses,
  checkBulk,
  checkSeveral,
  checkStreaming,
  METHOD_RULES,
  SEND_RULES,
} from './proxy-options.js';
import { atBase, isAskedForChange, isRenamed, isRepeatable, ProxyRequest } from './proxy-request.js';
import { carriesCondition, errorOfAnswer } from './response-error.js';
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
  readonly dialect: Dialect;
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
    const { name } = this.constructor;
    const { api, actionMethods } = this.config;
    if (api) inDevelopment(checkAddresses, `${name}.api`, api);
    if (actionMethods) checkOptions(`${name}.actionMethods`, actionMethods, METHOD_RULES, 'methods');
    this.dialect = this.config.dialect ?? classic;
    assignOptions(this, this.config, this.dialect.defaults, this.optionDefaults());
    inDevelopment(checkBulk, this);
    if (this.singleton && this.hooks.keeper) throw new DefinitionError('singleton-outbox');
  }

  protected override dialectOptions(): DataProxyConfig {
    return (this.config.dialect ?? classic).defaults;
  }

  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'dialect', 'actionMethods', ...Object.keys(this.prototype.optionDefaults())];
  }

  /** Every option with its default. A subclass adds its own options. */
  protected optionDefaults(): object {
    return {
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
    const read = action === 'read' ? this.readAddress(request) : undefined;
    const own =
      read?.method ??
      (read?.body ? 'POST' : undefined) ??
      actionMethods?.[action] ??
      this.dialect.defaults.actionMethods?.[action] ??
      this.dialect.method?.({ request, options: this });
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
    const { request: given, link } = operation;
    // `send()` passes its prepared request in the operation. A request whose parameters are collected belongs to an earlier call.
    const request = given && !given.collected ? given : new ProxyRequest({ operation });
    try {
      operation.request = request;
      // An inspector shows the reasons for the request that is sent; nothing is built a second time for it.
      if (this.watch.by) request.trace ??= this.watch.by.trace(operation, this as AjaxProxy);
      request.bulk = operation.records.length > 1;
      operation.singleton = this.singleton;
      request.method ||= this.getMethod(request).toUpperCase();
      if (request.bulk) checkSeveral(request, this);
      this.collectParams(request);
      this.prepareRequest(request);
      request.url = link === undefined ? this.buildUrl(request) : this.guard(request);
      request.trace?.note(request.url, link === undefined ? 'buildUrl' : 'link');
      this.guard(request);
      if (request.body === undefined && request.action === 'read') request.body = this.readBody(request);
      if (request.body === undefined) request.body = this.dialect.body({ request, options: this });
      return request;
    } catch (error) {
      // Direct callers of `buildRequest` get the same request in the error.
      throw hasErrorBrand(error) ? error.inContext(operation, this.messages) : error;
    }
  }

  /** Collects parameters, the strongest first: those of the call, `extraParams`, those of the dialect. */
  private collectParams(request: ProxyRequest): void {
    const { operation, action } = request;
    const isRead = action === 'read';
    const address = isRead ? this.readAddress(request) : undefined;
    const own = address?.params;
    const option = address === this.api.read ? 'api.read.params' : 'api.list.params';
    const { extraParams } = operation.calledParameters ?? this;
    request.collected = true;
    collectAll(request, operation.params, 'params');
    if (typeof own === 'object') collectAll(request, own, option);
    collectAll(request, paramsOf(extraParams, 'extraParams'), 'extraParams');
    // A dialect may add parameters to the read of a list even without a query.
    if (isRead && (operation.queried || (operation.id === undefined && !this.singleton))) {
      const local = localOption(operation.sorters, operation.filters);
      if (local) throw unsupportedOption(this.dialect.name, local);
      collectQuery({ request, options: this });
    } else if (isRead) collectFields({ request, options: this });
    if (operation.counts) this.countUrl?.changeParams(request, this as AjaxProxy);
    if (typeof own === 'function')
      request.params = { ...paramsOf(() => own({ ...request.knownParams }, request), option) };
  }

  /** The option `api.list` or `api.read`, if it is an object and the request reads there. Links and `send()` have a form of their own. */
  private readAddress({ operation, action, named }: ProxyRequest): ReadAddress | undefined {
    const { list, read } = this.api;
    if ((!list && !read) || action !== 'read' || named !== undefined) return undefined;
    if (operation.url || operation.link !== undefined) return undefined;
    const own = list && !this.singleton && !isValidId(idOf(operation)) ? list : read;
    return typeof own === 'object' ? own : undefined;
  }

  /** The body of a read, if `api.list` or `api.read` has one. Its parameters are in this body instead of the query. */
  private readBody(request: ProxyRequest): unknown {
    const { body } = this.readAddress(request) ?? {};
    if (!body) return undefined;
    const params = { ...request.knownParams };
    return typeof body === 'function' ? body(params, request) : params;
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
    if (!request.placed) this.placeAddress(request);
    request.placed = false;
    return (request.url = this.withQuery(request)); // rule 6
  }

  /** Sets the address in the request, without its query: base, id, path segment, format, slash. */
  protected placeAddress(request: ProxyRequest): void {
    if (request.started) throw new AddressError('url-built');
    const { trace, subpath, bulk } = request;
    request.placed = true;
    const base = (request.url = this.startUrl(request, request.url));
    if (!request.collected) this.collectParams(request);
    const address = (request.recordAddress = this.addressOf(request));
    request.addressed = this.singleton || (!bulk && (address.length !== base.length || isIdFilled(request)));
    this.placeId(request); // rule 3.3
    // Path, format and slash belong before a query that names the record.
    const [path = '', named] = this.dialect.idInQuery ? address.split(/\?(.*)/s) : [address];
    let url = path;
    trace?.note(url, 'appendId');
    if (subpath !== undefined) {
      url = append(url, '/', encodeSegment(subpath));
      trace?.note(url, 'path');
    }
    if (this.format) {
      url = append(url, '.', safeFormat(this.format)); // rule 5
      trace?.note(url, 'format');
    } else if (this.trailingSlash) {
      url = append(url, '/', '');
      trace?.note(url, 'trailingSlash');
    }
    if (named) {
      url += `?${named}`;
      trace?.note(url, 'appendId');
    }
    request.url = url;
    request.hasQuery = Boolean(named);
  }

  /** Checks the ids of a request, and sets its base, templates filled in, and the query of the base. An override may have `preset` another base. */
  private startUrl(request: ProxyRequest, preset?: string): string {
    request.started = true;
    if (!this.singleton) checkIds(request.operation);
    const text = preset || this.baseOf(request);
    const parts = this.cache.parts(text);
    const base = (request.base = this.pathOf(parts, request));
    if (!preset) request.ownBase = base;
    request.query = parts.query;
    if (request.placed) request.trace?.noteBase(base, text, parts.template);
    return base;
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
      (action === 'read' && readUrl(api.read)) ||
      (action === 'update' && api.update) ||
      (action === 'create' && api.create) ||
      (action === 'destroy' && api.destroy) ||
      url;
    if (!base) throw new AddressError('url-missing', { action });
    return base;
  }

  /** The path of a base, templates filled in. */
  private pathOf({ path, template }: UrlParts, request: ProxyRequest): string {
    if (!template) return path;
    const { pathParams: given } = request.operation.calledParameters ?? this;
    // The function is called once per request, so that the address and the guard's base get the same values.
    const values = typeof given === 'function' ? (request.pathParams ??= paramsOf(given, 'pathParams')) : given;
    return fillTemplate(path, request, values);
  }

  /** The base, extended by what names the record. Without {@link RestProxy} the address names no record. */
  protected addressOf({ base }: ProxyRequest): string {
    return base;
  }

  /** Sends the id as a parameter if it is not in the path. */
  private placeId(request: ProxyRequest): void {
    const { operation, addressed, named } = request;
    // A singleton has no id; a parameter with the name of `idParam` belongs to the application.
    if (this.singleton) return;
    if (addressed && !this.keepIdParam(request)) {
      if (request.knownParams?.[this.idParam] !== undefined) delete request.params[this.idParam];
      return;
    }
    // The body of `send()` does not name the record, and the body of an update has the new id if the id was edited.
    const id = named || (!addressed && isRenamed(request)) ? idOf(operation) : operation.id;
    if (isValidId(id)) request.collect(this.idParam, idParam(id), undefined, 'idParam');
    else if (named && !operation.url) throw new AddressError('url-collection', { url: request.base });
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

  /** The address of a request with the query of the base, the cache-buster and the parameters. */
  private withQuery(request: ProxyRequest): string {
    const { query, trace, url: address = '', hasQuery } = request;
    // An `api.list` or `api.read` with a body has the parameters there.
    const isInBody = request.action === 'read' && this.readAddress(request)?.body;
    const params = isInBody ? undefined : request.knownParams;
    let url = address;
    // Only a declared dialect can put a query into the address; searching every address for `?` would be slower than building it.
    let separator = hasQuery || (this.dialect.declared && url.includes('?')) ? '&' : '?';
    if (query) {
      url += separator + query.slice(1);
      trace?.note(url, 'url');
      separator = '&';
    }
    if (this.noCache && this.cacheString) {
      url += this.cache.param(separator, this.cacheString, '') + this.clock.now();
      trace?.note(url, 'noCache');
      separator = '&';
    }
    for (const name in params) {
      const part = this.cache.param(separator, name, params[name]);
      if (!part) continue;
      url += part;
      separator = '&';
      trace?.noteParam(part, name);
    }
    return url;
  }

  /** Whether a request creates a record at the record's own address. */
  protected createsByPut(_request: ProxyRequest): boolean {
    return false;
  }

  /** Checks that the final address stays inside its collection, also after an override or a dialect built it. */
  private guard(request: ProxyRequest): string {
    const { url = '', action, bulk, passed, operation } = request;
    // An update or destroy must name its record: `DELETE /users` could erase the whole collection.
    const { named = action === 'update' || action === 'destroy' || this.createsByPut(request) } = request;
    if (passed?.url === url && passed.bulk === bulk && passed.named === named) return request.target;
    // An override of `buildUrl` may not have called that of this class, or may have set another base than the proxy's own.
    if (!request.started) this.startUrl(request);
    const { dialect, baseUrl } = this;
    const { idInQuery } = dialect;
    const base = (request.ownBase ??= this.pathOf(this.cache.parts(this.baseOf(request)), request));
    if (operation.link !== undefined) request.target = this.linkTarget(operation.link, base, request);
    else {
      const isAddressed = this.appendId && !this.singleton && !bulk && !operation.url;
      let written: string | undefined;
      if (named && (idInQuery || isAddressed)) {
        const { base: start, recordAddress } = request;
        const address = recordAddress ?? dialect.address({ request: atBase(request), options: this });
        // The whole address if it does not begin with the base.
        const behind = address.startsWith(start) ? address.slice(start.length) : address;
        if (behind !== '' || !isIdFilled(request)) written = behind;
      }
      const declared = dialect.declared?.({ request, options: this });
      request.target = guardUrl({ url, base, baseUrl, format: this.format ?? undefined, idInQuery, written, declared });
    }
    request.passed = { url, bulk, named };
    return request.target;
  }

  /** The absolute address of a link from the server. Throws `AddressError` if the link must not be followed. */
  private linkTarget(link: string, base: string, request: ProxyRequest): string {
    const own = resolveUrl(base, this.baseUrl);
    const target = followLink(link, own.href, this.trustLinks);
    if (!target) throw new AddressError('url-link', { url: quote(link), base });
    request.foreign = !isSamePlace(new URL(target), own);
    return target;
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
    const { path, query } = this.cache.parts(text);
    const { pathParams } = operation.calledParameters ?? this;
    const base = fillKnown(path, [operation.pathParams, paramsOf(pathParams, 'pathParams')]);
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
    return this.followInContext(operation, call);
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

  /** Builds the request of an operation, sends it, and reads the response into a result set. */
  private run(operation: Operation): Promise<ResultSet> {
    return this.follow(operation, async () => {
      try {
        if (operation.filters && asksForNothing(operation, this.singleton)) return emptyPage(operation);
        const request = this.buildRequest(operation);
        return await (this.countUrl && operation.action === 'read'
          ? this.countsOf(this.countUrl).read(request, () => this.answerTo(request))
          : this.answerTo(request));
      } catch (cause) {
        throw toDataError(operation, this.messages, cause);
      }
    });
  }

  /** Runs an operation. An inspector, if there is one, follows it. */
  private follow<T>(operation: Operation, run: () => Promise<T>): Promise<T> {
    const { by } = this.watch;
    return by ? by.follow(operation, this as AjaxProxy, run) : run();
  }

  /** Runs an operation that gives no result set. An error becomes that of the operation. */
  private followInContext<T>(operation: Operation, run: () => Promise<T>): Promise<T> {
    return this.follow(operation, () => withErrorContext(operation, this.messages, run));
  }

  /** Sends a built request, and reads the response into a result set. */
  private async answerTo(request: ProxyRequest): Promise<ResultSet> {
    const { operation, action, bulk } = request;
    const { status, unchanged } = await this.exchange(request);
    const context = { request, options: this };
    const [record] = operation.records;
    let result: ResultSet;
    if (action !== 'read') result = this.dialect.readSaved(context);
    // The requested record has not changed, so its own row is the result.
    else if (status === 304 && !unchanged && record) result = new ResultSet({ rows: [rowOf(record)] });
    else result = this.dialect.readPage(context);
    if (!result.success) throw errorOfAnswer(request, this, result.affected === 0);
    // The method of creates, such as PUT with `createBy: 'put'`, may be answered with 201. CouchDB answers so to each update, which has a condition.
    const isMadeAnew = action === 'update' && status === 201 && !bulk && !this.singleton;
    if (
      isMadeAnew &&
      request.method !== this.getMethod(new ProxyRequest({ operation, action: 'create' })) &&
      !carriesCondition(request, this)
    )
      throw new ReadError('response-created');
    const { url } = result.next ?? {};
    if (url !== undefined) result.next = { url: followLink(url, this.guard(request), this.trustLinks) ?? url };
    // The `Location` of a bulk create names no single record, and a singleton has no id.
    if (action === 'create' && !bulk && !this.singleton) result.locationId = this.idOfLocation(request);
    this.reportAnswer(request, result);
    operation.resultSet = result as ResultSet<never>;
    return result;
  }

  /** The numbers of rows of lists. Created on first use, because most proxies have no `countUrl`. */
  private countsOf(rows: RowCount): Counts {
    const sendCount = (request: ProxyRequest) =>
      this.followInContext(request.operation, async () => {
        await this.exchange(request);
        return rows.read(request, this as AjaxProxy);
      });
    return (this.totals ??= rows.countsOf(this as AjaxProxy, this.signals, sendCount));
  }

  /** Sends a built request through the extensions. Throws the matching error if the response is no success. */
  private async exchange(request: ProxyRequest): Promise<HttpResponse> {
    const { operation, action } = request;
    if (action !== 'read') this.hasWritten = true;
    request.timeout = this.timeout;
    request.encoded = encodeBody(request, this);
    this.guard(request);
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
    const { redirected, raw, status, unchanged } = request.response;
    if (isRedirect(raw) || (redirected && !isFollowed(request)))
      throw redirectError(request.response, action === 'read');
    // A 304 that no extension asked for must not count as a success: it would commit a save, or empty a store.
    if (status === 304 && !unchanged && !isAskedForChange(request)) throw new ReadError('response-unchanged');
    if (!raw.ok && status !== 304 && !this.standsForPage(request)) throw errorOfAnswer(request, this);
    return request.response;
  }

  /** Makes one attempt to send a request. */
  private readonly attempt: Send = (request) => {
    const { by } = this.watch;
    const layers = this.headerLayers(request);
    if (!by) return send(request, this, layers);
    return by.followAttempt(request, this as AjaxProxy, layers, (noted) => send(request, this, noted));
  };

  /** Whether an unsuccessful response stands for a page of a list, as the dialect says. */
  private standsForPage(request: ProxyRequest): boolean {
    if (!this.dialect.isPage || request.named !== undefined || !isList(request.operation)) return false;
    return this.dialect.isPage({ request, options: this });
  }

  /** Layers of headers, the weakest first; names in any case. `explain.ts` lists the option that each layer comes from. */
  headerLayers(request: ProxyRequest): readonly HeadersConfig[] {
    const { encoded, operation, proxyHeaders = this.headers } = request;
    const { mediaType = 'application/json' } = this.codec ?? {};
    // OData answers `/People/$count` with a bare number as text.
    const accept = { Accept: operation.counts ? `${mediaType}, text/plain` : mediaType };
    // Any other header may hold a credential, so a link to another origin gets none: neither from the proxy nor from the call.
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
   * The id in the `Location` header of a response, as the dialect reads it, else its last part. Undefined if the header names no
   * record of the collection. The `Location` of a 202 names a job that is still running, never a record.
   */
  private idOfLocation(request: ProxyRequest): string | undefined {
    const { headers, status } = request.response as HttpResponse;
    const location = headers.get('Location');
    if (!location || ![200, 201, 204].includes(status)) return undefined;
    const own = this.dialect.readLocation?.({ request, options: this }, location);
    if (own !== undefined) return own ?? undefined;
    const { base } = request;
    const collection = resolveUrl(base, this.baseUrl);
    const names = [lastSegment(collection)];
    // A create may have its own address (`api.create`), but the address of the new record can still begin with `url`.
    const { path, template } = this.cache.parts(this.url || base);
    if (!template) names.push(lastSegment(resolveUrl(path, this.baseUrl)));
    return idFromLocation(location, { collection, names, format: this.format ?? undefined });
  }
}

/** Whether an operation reads a list whose filters no record can pass. No server is asked for it: many could not say that. */
function asksForNothing(operation: Operation, singleton: boolean): boolean {
  const { filters = [] } = operation;
  return filters.length > 0 && !singleton && isList(operation) && neededFilters(filters) === undefined;
}

/** The response to a read of a list that has no records. Throws `AbortError` if the operation is aborted. */
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

function collectAll(request: ProxyRequest, params: Params | undefined, option: string): void {
  if (params) for (const name in params) request.collect(name, params[name], undefined, option);
}

/** Returns the format. Throws `AddressError` if it could leave its path segment. */
function safeFormat(format: string): string {
  if (!/^(?!.*\.\.)(?!\.$)[\w.~+-]+$/.test(format)) throw new AddressError('format-invalid', { format });
  return format;
}

/** The members of a filter that a server gets, in this order; those without a value are left out of the JSON. */
function toSentFilter({ property, operator, value, and, or, not }: Filter): object {
  const conditions = { and: and?.map(toSentFilter), or: or?.map(toSentFilter), not: not && toSentFilter(not) };
  return { property, operator, value, ...conditions };
}
