import { checkValues } from '../dev/checks.js';
import { classic } from '../dialect/classic.js';
import { idOf } from '../dialect/define-dialect.js';
import type { Dialect, DialectOptions } from '../dialect/dialect.js';
import { collectQuery } from '../dialect/sent-query.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { quote } from '../errors/quoted-text.js';
import { unsupportedOption } from '../errors/unsupported-query-error.js';
import { followLink, guardUrl, isSamePlace, resolveUrl } from '../http/guard.js';
import type { HeadersConfig } from '../http/headers-config.js';
import { type LocationContext, lastSegment } from '../http/location.js';
import { idParam, jsonText } from '../http/params.js';
import { append, encodeSegment, isValidId, type UrlParts } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { type Filter, type Grouper, localOption, type Sorter } from '../operation/query.js';
import { assignOptions } from '../util/options.js';
import { baseAddress, listAddress, listBody } from './base-address.js';
import { checkBulk, checkSeveral } from './check-bulk.js';
import { checkIds, checkIdTexts } from './check-ids.js';
import { changeCountParams } from './count-request.js';
import { DataProxy, type DataProxyConfig, type Given } from './data-proxy.js';
import { type ExplainConfig, type Explanation, explain } from './explain.js';
import { type ParamsConfig, paramsOf } from './params-config.js';
import type { Addresses, CountAddress, ServerProxyConfig } from './proxy-config.js';
import { checkAddresses, checkCountAddress, SERVER_RULES } from './proxy-options.js';
import { ProxyRequest } from './proxy-request.js';
import { isRenamed } from './request-kind.js';
import { toSentFilter } from './sent-filter.js';
import { fillKnown, fillTemplate } from './template.js';
import { UrlCache } from './url-cache.js';

/** A proxy that turns operations into requests: parameters, addresses, bodies. Subclasses send the requests. */
export abstract class ServerProxy<C extends ServerProxyConfig = ServerProxyConfig>
  extends DataProxy<C>
  implements DialectOptions
{
  readonly dialect: Dialect;
  declare readonly url: string | undefined;
  declare readonly baseUrl: string | undefined;
  declare readonly api: Addresses;
  declare readonly countUrl: string | CountAddress | undefined;
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
  /** Set by the REST proxy only: whether the id is appended to the address. */
  declare readonly appendId?: boolean;
  /** Set by the REST proxy only: the suffix of addresses. */
  declare readonly format?: string | null | undefined;
  private readonly cache: UrlCache = new UrlCache();

  constructor(config?: Given<C>) {
    checkValues(config, new.target.name, SERVER_RULES);
    super(config);
    if (this.config.api) checkAddresses(`${this.constructor.name}.api`, this.config.api);
    if (typeof this.config.countUrl === 'object')
      checkCountAddress(`${this.constructor.name}.countUrl`, this.config.countUrl);
    this.dialect = this.config.dialect ?? classic;
    assignOptions(this, this.config, this.dialect.defaults, this.optionDefaults());
    checkBulk(this);
    if (this.singleton && this.hooks.keeper) throw new DefinitionError('singleton-outbox');
  }

  protected override dialectOptions(): DataProxyConfig {
    return (this.config.dialect ?? classic).defaults;
  }

  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'dialect', ...Object.keys(this.prototype.optionDefaults())];
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
    } satisfies ServerProxyConfig;
  }

  /** The HTTP method of a request. */
  abstract getMethod(request: ProxyRequest): string;

  /**
   * Builds the request of an operation: parameters, address, HTTP method, body. Sends nothing and calls no header function.
   * Throws `AddressError` and `UnsupportedQueryError`.
   */
  buildRequest(operation: Operation): ProxyRequest {
    const { request: given } = operation;
    // `send()` passes its prepared request in the operation. A request whose parameters are collected belongs to an earlier call.
    const request = given && !given.collected ? given : new ProxyRequest({ operation });
    try {
      operation.request = request;
      request.bulk = operation.records.length > 1;
      operation.singleton = this.singleton;
      request.method ||= this.getMethod(request).toUpperCase();
      if (request.bulk) checkSeveral(request, this);
      this.collectParams(request);
      this.prepareRequest(request);
      const { link } = operation;
      request.url = link === undefined ? this.buildUrl(request) : this.guard(request);
      request.trace?.note(request.url, link === undefined ? 'buildUrl' : 'link');
      this.guard(request);
      if (request.body === undefined) request.body = listBody(request, this);
      if (request.body === undefined) request.body = this.dialect.body({ request, options: this });
      return request;
    } catch (error) {
      // Direct callers of `buildRequest` get the same request in the error.
      throw hasErrorBrand(error) ? error.inContext(operation, this.messages) : error;
    }
  }

  /**
   * Builds the address: the base, the cache-buster, then the parameters (§4 rule 6). An override may change `request.params`, or set
   * `request.url` as another base, and returns `super.buildUrl(request)`. Does no I/O and throws `AddressError` only (H3).
   */
  buildUrl(request: ProxyRequest): string {
    const base = this.startUrl(request);
    request.addressed = this.singleton;
    this.placeId(request);
    return this.finishUrl(request, this.addPath(request, base));
  }

  /**
   * Second half of building an address: adds the query of the base, the cache-buster and the parameters (§4 rule 6). `named` is the
   * query by which a dialect names the record, as in `?id=eq.7`.
   */
  protected finishUrl(request: ProxyRequest, address: string, named: string = ''): string {
    const { query } = request;
    // An `api.list` with a body has the parameters there.
    const params = listAddress(request, this)?.body ? undefined : request.knownParams;
    const { trace } = request;
    let url = address + named;
    if (named) trace?.note(url, 'appendId');
    // Only a declared dialect can put a query into the address; searching every address for `?` would be slower than building it.
    let separator = named || (this.dialect.declared && url.includes('?')) ? '&' : '?';
    if (query) {
      url += separator + query.slice(1);
      trace?.note(url, 'url');
      separator = '&';
    }
    if (this.noCache && this.cacheString) {
      url += this.cache.buster(separator, this.cacheString) + this.clock.now();
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
    return (request.url = url);
  }

  /**
   * The base of an address, before templates are filled in: the operation's `url`, else `api.list` (reads of the collection only), else
   * `api.bulk` (several records), else `api[action]`, else `url` (H3, H16). Throws `AddressError` if none of these is set.
   */
  protected baseOf(request: ProxyRequest): string {
    const base = baseAddress(request, this);
    if (!base) throw new AddressError('url-missing', { action: request.action });
    return base;
  }

  /**
   * The absolute address of the collection that an operation reads or writes: its base with the `pathParams` of the call and the proxy.
   * A `{name}` without such a value stays as it is. Calls the function `pathParams`; its errors are thrown.
   */
  override placeOf(operation: Operation): string {
    operation.singleton = this.singleton;
    const request = new ProxyRequest({ operation });
    const { path, query } = this.cache.parts(this.placeTextOf(request));
    const base = fillKnown(path, [
      operation.pathParams,
      paramsOf((operation.calledParameters ?? this).pathParams, 'pathParams'),
    ]);
    try {
      return resolveUrl(base, this.baseUrl).href + query;
    } catch {
      // No request can be sent to such an address, so nothing can be read there.
      return base + query;
    }
  }

  private placeTextOf(request: ProxyRequest): string {
    try {
      return this.baseOf(request);
    } catch {
      // Only requests with an address of their own can be sent.
      return '';
    }
  }

  /** First half of building an address: collects the parameters and returns the path of the base (H1), templates filled in (H10). */
  protected startUrl(request: ProxyRequest): string {
    if (request.started) throw new AddressError('url-built');
    request.started = true;
    this.checkIds(request);
    if (!request.collected) this.collectParams(request);
    const preset = request.url;
    const text = preset || this.baseOf(request);
    const parts = this.cache.parts(text);
    const base = (request.base = request.url = this.pathOf(parts, request));
    if (!preset) request.ownBase = base;
    request.query = parts.query;
    request.trace?.noteBase(base, text, parts.template);
    return base;
  }

  /** Throws `AddressError` for ids that must not be sent (H2). In a singleton a member called `id` is ordinary data. */
  private checkIds({ operation }: ProxyRequest): void {
    if (this.singleton) return;
    checkIds(operation);
    // The method of this class checks the texts that it encodes.
    if (this.encodeId !== ServerProxy.prototype.encodeId) checkIdTexts(operation);
  }

  /** The base from the proxy's options, templates filled in. The address has another base if an override set one. */
  private ownBaseOf(request: ProxyRequest): string {
    return (request.ownBase ??= this.pathOf(this.cache.parts(this.baseOf(request)), request));
  }

  /** The path of a base, templates filled in. */
  private pathOf({ path, template }: UrlParts, request: ProxyRequest): string {
    if (!template) return path;
    const { pathParams: given } = request.operation.calledParameters ?? this;
    // The function is called once per request, so that the address and the guard's base get the same values.
    const values = typeof given === 'function' ? (request.pathParams ??= paramsOf(given, 'pathParams')) : given;
    return fillTemplate(path, request, values);
  }

  /** Sends the id as a parameter if it is not in the path (§4 rule 3.3, H4). */
  protected placeId(request: ProxyRequest): void {
    const { operation, addressed, named } = request;
    // A singleton has no id; a parameter with the name of `idParam` belongs to the application.
    if (this.singleton) return;
    if (!addressed) checkIdTexts(operation);
    // The body of `send()` does not name the record, and the body of an update has the new id if the id was edited (H6).
    const id = named || (!addressed && isRenamed(request)) ? idOf(operation) : operation.id;
    if (addressed && !this.keepIdParam(request)) {
      if (request.knownParams?.[this.idParam] !== undefined) delete request.params[this.idParam];
    } else if (isValidId(id)) request.collect(this.idParam, idParam(id), undefined, 'idParam');
    else if (named && !operation.url) throw new AddressError('url-collection', { url: request.base });
  }

  /** Appends the `path` of `send()` to the address of the record or collection. */
  protected addPath(request: ProxyRequest, url: string): string {
    const { subpath } = request;
    if (subpath === undefined) return url;
    const address = append(url, '/', encodeSegment(subpath));
    request.trace?.note(address, 'path');
    return address;
  }

  /** Whether a request creates a record at the record's own address (H14). */
  protected createsByPut(_request: ProxyRequest): boolean {
    return false;
  }

  /** Whether an id in the path is also sent as a parameter (the older form of the specification). @default false */
  protected keepIdParam(_request: ProxyRequest): boolean {
    return false;
  }

  /** Encodes an id for a path (§4 rule 3.2). Throws `AddressError` for unsafe ids (H2). */
  encodeId(id: unknown): string {
    return encodeSegment(id);
  }

  /** Encodes sorters for a parameter. The result is cached while the sorters stay the same. */
  encodeSorters(sorters: readonly Sorter[]): string {
    return JSON.stringify(sorters, ['property', 'direction']);
  }

  /**
   * Encodes filters for a parameter: property, operator (if one was given), value, and the conditions of a tree. An `id` is left out, because it has a meaning in
   * the client only (H8). Cached like the result of `encodeSorters`.
   */
  encodeFilters(filters: readonly Filter[]): string {
    return jsonText(filters.map(toSentFilter), this.filterParam ?? '');
  }

  /** Encodes a grouper for a parameter. */
  encodeGrouper(grouper: Grouper): string {
    return JSON.stringify(grouper, ['property', 'direction']);
  }

  /**
   * Explains the request of an operation: every part, with the rule and option behind it. Uses the same code as real requests, but sends
   * nothing. A refused request does not reject: its error is in `refused`. Calls no header function and uses up no identifier. A proxy
   * does not know the model of a list that it reads: give `model`, so that sorters and filters use the names of the server.
   *
   * @example
   * ```ts
   * const { parts } = await User.proxy.explain({ action: 'update', records: [user] });
   * // [{ text: '/users', rule: '§4', option: 'url' }, { text: '/7', rule: '§4 rule 3', option: 'appendId' }]
   * const { request } = await User.proxy.explain({ action: 'read', sorters: ['name'], model: User });
   * ```
   */
  override async explain(operation: Operation | ExplainConfig): Promise<Explanation> {
    return explain(operation, this, (request) => this.headerLayers(request));
  }

  /** Layers of headers, the weakest first. */
  protected headerLayers(_request: ProxyRequest): readonly HeadersConfig[] {
    return [];
  }

  /** Checks that the final address stays inside its collection, also after an override or a dialect built it (H3). */
  protected guard(request: ProxyRequest): string {
    const { url = '', action, bulk, passed } = request;
    // An update or destroy must name its record: `DELETE /users` could erase the whole collection.
    const { named = action === 'update' || action === 'destroy' || this.createsByPut(request) } = request;
    if (passed?.url !== url || passed.bulk !== bulk || passed.named !== named) {
      request.target = this.targetOf(request, url, named);
      request.passed = { url, bulk, named };
    }
    return request.target;
  }

  /** The absolute address of a request. Throws `AddressError` if it leaves its collection, or must name a record and does not. */
  private targetOf(request: ProxyRequest, url: string, named: boolean): string {
    const { link, url: ownUrl } = request.operation;
    // An override of `buildUrl` may not have called that of this class.
    if (!request.started) this.checkIds(request);
    const base = this.ownBaseOf(request);
    if (link !== undefined) return this.linkTarget(link, base, request);
    const { baseUrl } = this;
    const format = this.format ?? undefined;
    const { idInQuery } = this.dialect;
    const namesRecord = named && (idInQuery || (this.appendId && !this.singleton && !request.bulk && !ownUrl));
    return guardUrl({
      ...{ url, base, baseUrl, format, idInQuery },
      written: namesRecord ? this.writtenBehind(base, request) : undefined,
      declared: this.dialect.declared?.({ request, options: this }),
    });
  }

  /** The absolute address of a link from the server (H17). Throws `AddressError` if the link must not be followed. */
  private linkTarget(link: string, base: string, request: ProxyRequest): string {
    const own = resolveUrl(base, this.baseUrl);
    const target = followLink(link, own.href, this.trustLinks);
    if (!target) throw new AddressError('url-link', { url: quote(link), base });
    request.foreign = !isSamePlace(new URL(target), own);
    return target;
  }

  /** The address that a create was sent to, and the names that its collection may have in a `Location` (H17). */
  protected collectionOf(request: ProxyRequest): Pick<LocationContext, 'collection' | 'names'> {
    const base = request.base || this.ownBaseOf(request);
    const collection = resolveUrl(base, this.baseUrl);
    const names = [lastSegment(collection)];
    // A create may have its own address (`api.create`), but the address of the new record can still begin with `url`.
    const { path, template } = this.cache.parts(this.url || base);
    if (!template) names.push(lastSegment(resolveUrl(path, this.baseUrl)));
    return { collection, names };
  }

  /** The text that the address step appends to the base. Calls the step only if an override of `buildUrl` skipped it. */
  private writtenBehind(ownBase: string, { operation, action, base, recordAddress }: ProxyRequest): string {
    if (recordAddress !== undefined) return textBehind(base, recordAddress);
    const request = Object.assign(new ProxyRequest({ operation, action }), { base: ownBase, url: ownBase });
    return textBehind(ownBase, this.dialect.address({ request, options: this }));
  }

  /** Collects parameters, the strongest first: those of the call, `extraParams`, those of the dialect. */
  private collectParams(request: ProxyRequest): void {
    const { operation } = request;
    request.collected = true;
    const { params: own } = listAddress(request, this) ?? {};
    collectAll(request, operation.params, 'params');
    if (typeof own === 'object') collectAll(request, own, 'api.list.params');
    collectAll(request, paramsOf((operation.calledParameters ?? this).extraParams, 'extraParams'), 'extraParams');
    // A dialect may add parameters to the read of a list even without a query.
    if (request.action === 'read' && (operation.queried || (operation.id === undefined && !this.singleton))) {
      const option = localOption(operation.sorters, operation.filters);
      if (option) throw unsupportedOption(this.dialect.name, option);
      collectQuery({ request, options: this });
    }
    if (operation.counts) changeCountParams(request, this);
    if (typeof own === 'function')
      request.params = { ...paramsOf(() => own({ ...request.knownParams }, request), 'api.list.params') };
  }

  /** The text for a frozen list, cached until another list is given. */
  kept(list: readonly object[], make: () => string): string {
    return this.cache.kept(list, make);
  }

  /** Appends a slash to a path unless it ends with one (§4 rule 3.1). */
  slashed(path: string): string {
    return this.cache.slashed(path);
  }
}

/** The text after the base; the whole address if it does not begin with the base. */
function textBehind(base: string, address: string): string {
  return address.startsWith(base) ? address.slice(base.length) : address;
}

function collectAll(
  request: ProxyRequest,
  params: Readonly<Record<string, unknown>> | undefined,
  option: string,
): void {
  if (params) for (const name in params) request.collect(name, params[name], undefined, option);
}
