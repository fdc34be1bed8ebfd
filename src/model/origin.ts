import { badValue } from '../errors/unsupported-query-error.js';
import type { Operation } from '../operation/operation.js';
import { type Params, paramsOf } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { canonicalText, type Naming } from '../util/canonical-text.js';

/** The things that say which rows a proxy reads now. */
export interface Origin {
  /** The absolute address; `''` for a proxy without addresses. */
  readonly address: string;
  /** The parameters that the proxy adds to all requests: they may be those of a tenant, and hold secrets. */
  readonly params: Params;
  /** The option `scope` of the proxy: whose rows they are. */
  readonly scope: string | undefined;
}

/** The origin of the rows that a read asks for. Calls the functions `pathParams` and `extraParams` of the proxy; their errors are thrown. */
export function originOf(proxy: DataProxy | undefined, read: Operation): Origin {
  const { extraParams } = (proxy ?? {}) as { extraParams?: Params };
  return {
    address: proxy?.placeOf(read) ?? '',
    params: { ...paramsOf(extraParams, 'extraParams') },
    scope: proxy?.scope,
  };
}

/**
 * The key of what is asked for, and of whom: equal texts stand for the same request of the same data. Sharing of loads, rendered pages,
 * and caches of queries go by it. Throws `UnsupportedQueryError` for a function or an object with a class in the request.
 */
export function keyOf(identity: object, asked: object = {}): string {
  return `${canonicalText(identity, refuse)} ${canonicalText(asked, refuse)}`;
}

/** Refuses a part of a request that has no canonical text. */
export const refuse: Naming = (part, path) => {
  throw badValue(path, part, 'a plain value: a request with this one cannot be compared with others');
};
