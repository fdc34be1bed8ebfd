import { idOf } from '../dialect/define-dialect.js';
import { isValidId } from '../http/url.js';
import type { Addresses, ListAddress } from './proxy-config.js';
import type { ProxyRequest } from './proxy-request.js';

/** The options of a proxy from which the base of an address comes. */
interface AddressOptions {
  readonly url: string | undefined;
  readonly api: Addresses;
  readonly singleton: boolean;
}

/**
 * The base of an address, before templates are filled in: the operation's `url`, else `api.list` (reads of the collection only), else
 * `api.bulk` (several records), else `api[action]`, else `url` (H3, H16). Undefined if none of these is set.
 */
export function baseAddress(request: ProxyRequest, { api, url, singleton }: AddressOptions): string | undefined {
  const { operation, action, bulk } = request;
  // Written out because `api[action]` is several times slower in V8.
  return (
    operation.url ||
    (action === 'read' && api.list && !singleton && !isValidId(idOf(operation)) && listUrl(api.list)) ||
    (bulk && api.bulk) ||
    (action === 'read' && api.read) ||
    (action === 'update' && api.update) ||
    (action === 'create' && api.create) ||
    (action === 'destroy' && api.destroy) ||
    url
  );
}

/** The address in the option `api.list`. */
export function listUrl(list: Addresses['list']): string | undefined {
  return typeof list === 'object' ? list.url : list;
}

/** The option `api.list`, if it is an object and the request reads the collection there. Links and `send()` have a form of their own. */
export function listAddress(
  { operation, action, named }: ProxyRequest,
  { api, singleton }: AddressOptions,
): ListAddress | undefined {
  const { list } = api;
  if (typeof list !== 'object' || action !== 'read' || named !== undefined || singleton) return undefined;
  return operation.url || operation.link !== undefined || isValidId(idOf(operation)) ? undefined : list;
}

/** The body of a read of the collection, if `api.list` has one. Its parameters are in this body instead of the query (H9). */
export function listBody(request: ProxyRequest, options: AddressOptions): unknown {
  const { body } = listAddress(request, options) ?? {};
  const params = { ...request.knownParams };
  return typeof body === 'function' ? body(params, request) : body && params;
}
