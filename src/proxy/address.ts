import { idOf, isIdFilled } from '../dialect/define-dialect.js';
import { collectFields, collectQuery } from '../dialect/sent-query.js';
import { describe } from '../errors/message-format.js';
import { AddressError } from '../errors/mistakes.js';
import { quote } from '../errors/quoted-text.js';
import { unsupportedOption } from '../errors/unsupported-query-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { idFromLocation, lastSegment } from '../http/location.js';
import { encodeParam, idParam } from '../http/params.js';
import {
  append,
  encodeSegment,
  encodeText,
  followLink,
  guardUrl,
  isSamePlace,
  isValidId,
  parseUrl,
  resolveUrl,
  sendableId,
  type UrlParts,
} from '../http/url.js';
import { Operation } from '../operation/operation.js';
import { MODEL, modelOf, type RecordModel, type WireField } from '../operation/operation-record.js';
import { type Params, paramsOf } from '../operation/params-config.js';
import { isRenamed, ProxyRequest, type ReadAddress } from '../operation/proxy-request.js';
import { localOption } from '../operation/query-parts.js';
import { getMember } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import type { AjaxProxy } from './ajax-proxy.js';
import type { Addresses } from './proxy-config.js';

/** The address in the option `api.list` or `api.read`. */
export function readUrl(address: Addresses['list']): string | undefined {
  return typeof address === 'object' ? address.url : address;
}

/** Collects parameters, the strongest first: those of the call, `extraParams`, those of the dialect. */
export function collectParams(request: ProxyRequest, proxy: AjaxProxy): void {
  const { operation, action } = request;
  const { dialect, api, singleton } = proxy;
  const isRead = action === 'read';
  const endpoint = isRead ? endpointOf(request, proxy) : undefined;
  const own = endpoint?.params;
  const option = endpoint === api.read ? 'api.read.params' : 'api.list.params';
  const { extraParams } = operation.calledParameters ?? proxy;
  request.collected = true;
  if (operation.params) collectAll(request, operation.params, 'params');
  if (typeof own === 'object') collectAll(request, own, option);
  if (extraParams) collectAll(request, paramsOf(extraParams, 'extraParams'), 'extraParams');
  // A dialect may add parameters to the read of a list even without a query.
  if (isRead && (operation.queried || (operation.id === undefined && !singleton))) {
    const local = operation.queried && localOption(operation.sorters, operation.filters);
    if (local) throw unsupportedOption(dialect.name, local);
    collectQuery({ request, options: proxy });
  } else if (isRead && operation.fields) collectFields({ request, options: proxy });
  if (operation.counts) proxy.countUrl?.changeParams(request, proxy);
  if (typeof own === 'function')
    request.params = { ...paramsOf(() => own({ ...request.knownParams }, request), option) };
}

function collectAll(request: ProxyRequest, params: Params | undefined, option: string): void {
  for (const name in params) request.collect(name, params[name], undefined, option);
}

type Endpoints = Pick<AjaxProxy, 'api' | 'singleton'>;

/** The option `api.list` or `api.read`, if it is an object and the request reads there. Links and `send()` have a form of their own. */
export function endpointOf(request: ProxyRequest, { api, singleton }: Endpoints): ReadAddress | undefined {
  const { operation, action, named, endpoint } = request;
  if (endpoint || (typeof api.list !== 'object' && typeof api.read !== 'object')) return endpoint;
  if (action !== 'read' || named !== undefined || operation.url || operation.link !== undefined) return undefined;
  const own = api.list && !singleton && !isValidId(idOf(operation)) ? api.list : api.read;
  return (request.endpoint = typeof own === 'object' ? own : undefined);
}

/** Sets the address in a request, without its query: base, id, path segment, format, slash. An override may have set another base in `request.url`. */
export function placeAddress(request: ProxyRequest, proxy: AjaxProxy): void {
  if (request.ownBase !== undefined) throw new AddressError('url-built');
  const { trace, subpath, url: preset } = request;
  const { dialect, format, singleton, trailingSlash } = proxy;
  const own = startAddress(request, proxy);
  const base = (request.url = preset ? useBase(preset, request, proxy) : request.base);
  trace?.noteBase(base, preset || own, request.filled !== undefined);
  if (!request.collected) collectParams(request, proxy);
  const address = (request.recordAddress = recordAddress(request, proxy));
  request.addressed =
    singleton ||
    (!request.bulk && (address.length !== base.length || (request.filled !== undefined && isIdFilled(request))));
  // A singleton has no id; a parameter with the name of `idParam` belongs to the application.
  if (!singleton) placeId(request, proxy); // rule 3.3
  // Path, format and slash belong before a query that names the record.
  const [path = '', named] = dialect.idInQuery ? address.split(/\?(.*)/s) : [address];
  let url = path;
  trace?.note(url, 'appendId');
  if (subpath !== undefined) {
    url = append(url, '/', encodeSegment(subpath));
    trace?.note(url, 'path');
  }
  if (format) {
    url = append(url, '.', safeFormat(format)); // rule 5
    trace?.note(url, 'format');
  } else if (trailingSlash) {
    url = append(url, '/', '');
    trace?.note(url, 'trailingSlash');
  }
  if (named) {
    url += `?${named}`;
    trace?.note(url, 'appendId');
  }
  request.url = url;
  request.placed = true;
}

/** Checks the ids of a request, and sets the base that the options of the proxy give it. Returns the base before templates are filled in. */
function startAddress(request: ProxyRequest, proxy: AjaxProxy): string {
  const { operation } = request;
  if (!proxy.singleton && (operation.id !== undefined || operation.records.length > 0)) checkIds(operation);
  const text = proxy['baseOf'](request);
  request.ownBase = useBase(text, request, proxy);
  return text;
}

/** Sets the base of a request, templates filled in, and its query. */
function useBase(text: string, request: ProxyRequest, proxy: AjaxProxy): string {
  const { path, query, template } = proxy['cache'].parts(text);
  request.query = query;
  if (!template) {
    request.filled = undefined;
    return (request.base = path);
  }
  const { pathParams: given } = request.operation.calledParameters ?? proxy;
  // The function is called once per request, so that two bases of it get the same values.
  const values = typeof given === 'function' ? (request.pathParams ??= paramsOf(given, 'pathParams')) : given;
  return (request.base = fillTemplate(path, request, values));
}

/** The base, extended by the dialect's address step, which names the record. Only the addresses of a REST proxy name records. */
function recordAddress(request: ProxyRequest, proxy: AjaxProxy): string {
  if (proxy.appendId === undefined) return request.base;
  const { action, bulk, operation } = request;
  if (bulk) return bulkAddress(request, proxy);
  if (action === 'create' && createsByPut(request, proxy)) {
    const id = newId(operation, proxy.writer);
    const model = modelOf(operation);
    checkId(id, model);
    return addressAtBase(request, proxy, new Operation({ action, id, model }));
  }
  // In a singleton a member called `id` is ordinary data, so the address step gets no record.
  if (proxy.singleton) return addressAtBase(request, proxy, new Operation({ action }));
  return proxy.dialect.address({ request, options: proxy });
}

/** The address that the dialect makes of the base of a request: for its own operation or another one. */
function addressAtBase(
  { operation: own, action, base, bulk, filled }: ProxyRequest,
  proxy: AjaxProxy,
  operation: Operation = own,
): string {
  const request = Object.assign(new ProxyRequest({ operation, action }), { base, url: base, bulk, filled });
  return proxy.dialect.address({ request, options: proxy });
}

/** The address of several records. Throws `AddressError` if the address names one of them. */
function bulkAddress(request: ProxyRequest, proxy: AjaxProxy): string {
  const { operation } = request;
  const { records } = operation;
  const url = proxy.dialect.address({ request, options: proxy });
  // The base names no record. Most dialects return it here.
  if (url === request.base) return url;
  // A longer address names the first record if it changes when the records are reversed.
  const turned: Operation = new Operation({ ...operation, records: [...records].reverse() });
  if (addressAtBase(request, proxy, turned) === url) return url;
  throw new AddressError('url-bulk', { dialect: proxy.dialect.name, count: records.length });
}

/** Whether a create makes its record at the record's own address. A singleton has no other address. */
export function createsByPut(
  { bulk, named }: ProxyRequest,
  { createBy, singleton }: Pick<AjaxProxy, 'createBy' | 'singleton'>,
): boolean {
  return createBy === 'put' && !bulk && named === undefined && !singleton;
}

/** The id under which a new record is created. Throws `AddressError` for a temporary id, which means nothing to the server. */
function newId(
  { records: [record], modelName: model = 'The record' }: Operation,
  { writeRecordId }: { writeRecordId: boolean },
): unknown {
  const definition = record?.[MODEL];
  const given = record && definition?.edits(record).get(definition.idField);
  const hasOwn = definition?.naturalId || definition?.idParts || writeRecordId;
  const own = record && hasOwn ? definition?.serverId(record) : undefined;
  const id = given ?? own;
  if (!isValidId(id) || (definition?.idParts && !Array.isArray(id))) throw new AddressError('create-put-id', { model });
  return id;
}

/** Sends the id as a parameter if it is not in the path. */
function placeId(request: ProxyRequest, proxy: AjaxProxy): void {
  const { operation, addressed, named, knownParams } = request;
  const { idParam: name } = proxy;
  if (addressed && !proxy['keepIdParam'](request)) {
    if (knownParams?.[name] !== undefined) delete request.params[name];
    return;
  }
  // The body of `send()` does not name the record, and the body of an update has the new id if the id was edited.
  const id =
    named || (!addressed && request.action === 'update' && isRenamed(request)) ? idOf(operation) : operation.id;
  if (isValidId(id)) request.collect(name, idParam(id), undefined, 'idParam');
  else if (named && !operation.url) throw new AddressError('url-collection', { url: request.base });
}

/** Returns the format. Throws `AddressError` if it could leave its path segment. */
function safeFormat(format: string): string {
  if (!/^(?!.*\.\.)(?!\.$)[\w.~+-]+$/.test(format)) throw new AddressError('format-invalid', { format });
  return format;
}

/** The placed address of a request, with the query of the base, the cache-buster and the parameters. */
export function addQuery(request: ProxyRequest, proxy: AjaxProxy): string {
  const { query, trace } = request;
  const { dialect, cacheString } = proxy;
  const cache = proxy['cache'];
  // An `api.list` or `api.read` with a body has the parameters there.
  const isInBody = request.action === 'read' && endpointOf(request, proxy)?.body;
  const params = isInBody ? undefined : request.knownParams;
  let { url = '' } = request;
  request.placed = false;
  // Only a dialect can put a query into the address; searching every address for `?` would be slower than building it.
  let separator = (dialect.idInQuery || dialect.declared) && url.includes('?') ? '&' : '?';
  if (query) {
    url += separator + query.slice(1);
    trace?.note(url, 'url');
    separator = '&';
  }
  if (proxy.noCache && cacheString) {
    url += cache.param(separator, cacheString, '') + proxy.clock.now();
    trace?.note(url, 'noCache');
    separator = '&';
  }
  for (const name in params) {
    const part = cache.param(separator, name, params[name]);
    if (!part) continue;
    url += part;
    separator = '&';
    trace?.noteParam(part, name);
  }
  return url;
}

/**
 * Checks that the final address stays inside its collection, also after an override or a dialect built it. Sets the absolute address in
 * the request, and returns it.
 */
export function guardAddress(request: ProxyRequest, proxy: AjaxProxy): string {
  const { url = '', action, bulk, passed, operation } = request;
  // An update or destroy must name its record: `DELETE /users` could erase the whole collection.
  const { named = action === 'create' ? createsByPut(request, proxy) : action !== 'read' } = request;
  if (passed?.url === url && passed.bulk === bulk && passed.named === named) return request.target;
  // An override of `buildUrl` may not have called that of the proxy.
  if (request.ownBase === undefined) startAddress(request, proxy);
  const { ownBase: base = '' } = request;
  if (operation.link !== undefined) request.target = linkTarget(operation.link, base, request, proxy);
  else {
    const { dialect, baseUrl, format } = proxy;
    const { idInQuery } = dialect;
    const isAddressed = proxy.appendId && !proxy.singleton && !bulk && !operation.url;
    const written = named && (idInQuery || isAddressed) ? writtenBehind(request, proxy) : undefined;
    const declared = dialect.declared?.({ request, options: proxy });
    request.target = guardUrl({ url, base, baseUrl, format: format ?? undefined, idInQuery, written, declared });
  }
  request.passed = { url, bulk, named };
  return request.target;
}

/** The text that the address step has written behind the base; undefined if the base names the record. */
function writtenBehind(request: ProxyRequest, proxy: AjaxProxy): string | undefined {
  const { base } = request;
  const address = request.recordAddress ?? addressAtBase(request, proxy);
  // The whole address if it does not begin with the base.
  const behind = address.startsWith(base) ? address.slice(base.length) : address;
  return behind !== '' || !isIdFilled(request) ? behind : undefined;
}

/** The absolute address of a link from the server. Throws `AddressError` if the link must not be followed. */
function linkTarget(link: string, base: string, request: ProxyRequest, proxy: AjaxProxy): string {
  const own = resolveUrl(base, proxy.baseUrl);
  const target = followLink(link, own.href, proxy.trustLinks);
  if (!target) throw new AddressError('url-link', { url: quote(link), base });
  request.foreign = !isSamePlace(new URL(target), own);
  return target;
}

/**
 * The id in the `Location` header of a response, as the dialect reads it, else its last part. Undefined if the header names no
 * record of the collection. The `Location` of a 202 names a job that is still running, never a record.
 */
export function idOfLocation(request: ProxyRequest, proxy: AjaxProxy): string | undefined {
  const { headers, status } = request.response as HttpResponse;
  const location = headers.get('Location');
  if (!location || ![200, 201, 204].includes(status)) return undefined;
  const own = proxy.dialect.readLocation?.({ request, options: proxy }, location);
  if (own !== undefined) return own ?? undefined;
  const { base } = request;
  const { baseUrl, format } = proxy;
  const collection = resolveUrl(base, baseUrl);
  const names = [lastSegment(collection)];
  // A create may have its own address (`api.create`), but the address of the new record can still begin with `url`.
  const { path, template } = proxy['cache'].parts(proxy.url || base);
  if (!template) names.push(lastSegment(resolveUrl(path, baseUrl)));
  return idFromLocation(location, { collection, names, format: format ?? undefined });
}

/**
 * Fills each `{name}` in a path, and notes the names in the request. The value comes from the `pathParams` of the call, else of the load of
 * a singleton's record, else of the proxy, else from the record's field. Throws `AddressError` if a name has no value or an unsafe one.
 */
function fillTemplate(path: string, request: ProxyRequest, proxyParams: object | undefined): string {
  const { operation, action, bulk } = request;
  const filled: string[] = [];
  request.filled = filled;
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    filled.push(name);
    const part = action === 'create' ? undefined : idPartOf(operation, name);
    let value = getMember(operation.pathParams, name);
    if (value === undefined) value = getMember(rememberedParams(operation), name);
    if (value === undefined) value = getMember(proxyParams, name);
    if (part !== undefined && value !== undefined && String(value) !== String(part))
      throw new AddressError('id-parts-other', { name });
    if (value === undefined && operation.records.length === 0) value = part;
    if (value === undefined) {
      const records = bulk ? operation.records : operation.records.slice(0, 1);
      const values = records.map((each) => each[MODEL].templateValue(each, name, action !== 'create'));
      value = values[0];
      // At the address of the first record, the request would move the others, or erase other records with the same ids.
      if (values.some((each) => String(each) !== String(value)))
        throw new AddressError('template-several', { name, url: path });
    }
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      throw new AddressError('template-missing', { name, url: path });
    }
    return encodeSegment(value);
  });
}

/** The part of the id of an operation's record that a field holds; undefined if the field is no part of the id. */
function idPartOf(operation: Operation, name: string): unknown {
  const at = modelOf(operation)?.idParts?.findIndex((field) => field.name === name) ?? -1;
  const id = at < 0 ? undefined : idOf(operation);
  return Array.isArray(id) ? id[at] : undefined;
}

/** Fills the `{name}`s of a path that have a value in one of the sources; the others stay. The result only identifies a place. */
export function fillKnown(path: string, sources: readonly (object | undefined)[]): string {
  return path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = sources.map((source) => getMember(source, name)).find((each) => each !== undefined);
    return value === undefined ? whole : encodeText(String(value));
  });
}

/** The `pathParams` that the first record was loaded or created with, if its proxy is a `singleton`. */
function rememberedParams({ records: [record] }: Operation): object | undefined {
  return record?.[MODEL].pathParams?.(record);
}

/**
 * Throws `AddressError` for ids that no request may carry, wherever the dialect puts them: texts that cannot be sent, and values that the type of
 * the id field does not take, which would then name something else. Types that take every text are not asked.
 */
function checkIds({ action, records, id, model, anyId }: Operation): void {
  const isAny = anyId && action === 'read';
  for (const record of records.length > 0 ? records : [undefined]) {
    const given = record && !record.phantom ? record[MODEL].serverId(record) : id;
    if (typeof given === 'string') sendableId(given);
    if (!isAny) checkId(given, record ? record[MODEL] : model);
  }
}

/** Throws `AddressError` for an id that the type of the model's id field does not take. */
function checkId(id: unknown, model: RecordModel | undefined): void {
  if (!model || !isValidId(id)) return;
  const { idParts, idField } = model;
  const isPart = (part: unknown) => isValidId(part) && typeof part !== 'object';
  if (idParts && !(Array.isArray(id) && id.length === idParts.length && id.every(isPart)))
    throw idPartsError(model, id);
  for (const [at, field] of (idParts ?? [idField]).entries()) {
    const { takes, name, type } = field;
    const value: unknown = idParts ? (id as readonly unknown[])[at] : id;
    if (!takes || takes(value) || takesText(value, field, takes)) continue;
    // An object or a number without its digits has an error of its own.
    sendableId(value);
    throw new AddressError('id-field', { value, model: model.name, field: name, type });
  }
}

/** The error of an id that lacks some of its parts. */
export function idPartsError({ name: model, idParts = [], messages }: RecordModel, id: unknown): AddressError {
  const names = idParts.map((field) => `'${field.name}'`).join(', ');
  return new AddressError('id-parts', { model, names, value: describe(id) }, { messages });
}

/** Whether the type takes the text of an id that it does not take as it is. */
function takesText(id: unknown, { type }: WireField, takes: (raw: unknown) => boolean): boolean {
  if (id instanceof LongNumber) return true;
  if (typeof id !== 'string') return takes(String(id));
  if (!/^-?\d+$/.test(id)) return false;
  // An address holds text: `'7'` is the id of record 7, also where a schema takes only numbers, or the number would lose digits.
  return /^(?:int|number|decimal)$/.test(type) || takes(Number(id));
}

/** Caches the repeated parts of addresses: parsed bases, encoded parameters. */
export class UrlCache {
  private readonly bases: Map<string, UrlParts> = new Map();
  private readonly params: Map<string, { value: unknown; separator: string; text: string }> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();

  /** The parts of a base. */
  parts(text: string): UrlParts {
    return this.bases.get(text) ?? keep(this.bases, text, parseUrl(text));
  }

  /** An encoded parameter after its separator; `''` if the value is not sent. The last text of each name is cached. */
  param(separator: string, name: string, value: unknown): string {
    const last = this.params.get(name);
    // An object may have been mutated since, so its text is not reused.
    if (last && last.value === value && last.separator === separator && typeof value !== 'object') return last.text;
    const text = encodeParam(name, value);
    return keep(this.params, name, { value, separator, text: text && separator + text }).text;
  }

  /** The text that `make` returns for a list of sorters or filters. It is cached if the list is frozen, as long as the list exists. */
  kept(list: readonly object[], make: () => string): string {
    let text = this.texts.get(list);
    if (text === undefined) {
      text = make();
      if (Object.isFrozen(list)) this.texts.set(list, text);
    }
    return text;
  }
}

/** Adds a value to a cache, which is cleared first if it has grown too large. */
function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size > 100) map.clear();
  map.set(key, value);
  return value;
}
