import { ReadError } from '../errors/read-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList, isPage, Operation } from '../operation/operation.js';
import type { JsonReader } from '../reader/json-reader.js';
import { readPlace } from '../reader/place.js';
import { getMember, isData } from '../util/data-path.js';
import { paramsOf } from './params-config.js';
import type { CountAddress } from './proxy-config.js';
import type { ProxyRequest } from './proxy-request.js';

/** The members of a proxy that a request for the number of rows needs. */
export interface Counting {
  readonly countUrl: string | CountAddress | undefined;
  readonly tokenParam: string | null;
  readonly filterParam: string | null;
  readonly reader: JsonReader;
}

/** Members that commonly hold the number of rows in the answer to a request for it. */
const COMMON_NAMES = ['count', 'total', 'totalCount', 'total_count', '@odata.count'];

/** The option `countUrl` as an object; undefined if it is not set. */
function countAddress({ countUrl }: Pick<Counting, 'countUrl'>): CountAddress | undefined {
  return typeof countUrl === 'object' ? countUrl : countUrl ? { url: countUrl } : undefined;
}

/**
 * The operation that asks for the number of rows of a list; undefined if none is needed. A list that is read whole needs none, and
 * `countUrl` does not belong to an address of the call's own.
 */
export function countOperation(operation: Operation, proxy: Counting): Operation | undefined {
  const { url } = countAddress(proxy) ?? {};
  if (!url || operation.url || !isList(operation) || !(isPage(operation) || operation.link !== undefined))
    return undefined;
  const { pathParams, headers, model, filters, search } = operation;
  const params = { ...operation.params };
  // The token of a page is among the parameters of the call.
  if (proxy.tokenParam) delete params[proxy.tokenParam];
  const count: Operation = new Operation({ action: 'read', url, params, pathParams, headers, model, filters, search });
  count.counts = true;
  return count;
}

/** Changes the parameters of a request for the number of rows as the options `filterParam` and `params` of `countUrl` say. */
export function changeCountParams(request: ProxyRequest, proxy: Counting): void {
  const { filterParam, params: change } = countAddress(proxy) ?? {};
  if (filterParam !== undefined) renameFilters(request, proxy.filterParam, filterParam);
  if (change) request.params = { ...paramsOf(() => change({ ...request.knownParams }), 'countUrl.params') };
}

/** Gives another name to the parameter of filters, `filter` or `filter[age][gte]`. */
function renameFilters(request: ProxyRequest, from: string | null, to: string): void {
  if (!from || !request.knownParams) return;
  const rename = (name: string) => (name === from || name.startsWith(`${from}[`) ? to + name.slice(from.length) : name);
  request.params = Object.fromEntries(
    Object.entries(request.knownParams).map(([name, value]) => [rename(name), value]),
  );
}

/** The number of rows in the answer to a request for it. Throws `ReadError` if there is none. */
export function readCount(request: ProxyRequest, proxy: Counting): number {
  const response = request.response as HttpResponse;
  const body = exactBody(response);
  const { total } = countAddress(proxy) ?? {};
  const found = total === undefined ? commonCount(body, request, proxy.reader) : readPlace(body, total, request);
  if (isCount(found)) return Number(found);
  const shown = isData(body)
    ? `only ${Object.keys(body).join(', ')}`
    : `in ${JSON.stringify(response.text.slice(0, 40))}`;
  throw new ReadError('reply-count', { shown });
}

/** The number of rows at the reader's `totalProperty`, else in the whole body, else in a member with a common name. */
function commonCount(body: unknown, request: ProxyRequest, { totalProperty }: JsonReader): unknown {
  const named = totalProperty === '' ? undefined : readPlace(body, totalProperty, request);
  if (isCount(named)) return named;
  if (!isData(body)) return body;
  return COMMON_NAMES.map((name) => getMember(body, name)).find(isCount);
}

function isCount(value: unknown): boolean {
  return (typeof value === 'number' || typeof value === 'string') && /^\d+$/.test(String(value));
}
