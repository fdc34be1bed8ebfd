import type { BaseModel } from '../model/base-model.js';
import { configuredProxy, identityOf } from '../model/identity.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { paramsOf } from '../proxy/params-config.js';
import type { PageReader } from '../store/page-reader.js';
import type { Paging } from '../store/paging.js';
import { isLocal, type QueryState } from '../store/query-state.js';
import type { ServerFilter } from '../store/server-filter.js';
import type { SharingStore } from '../store/sharing.js';
import type { LoadOptions, StoreConfig } from '../store/store-config.js';

/** The members of a store that rendering on a server reads and writes. */
export interface RenderedStore extends SharingStore {
  readonly loaded: boolean;
  readonly count: number;
  readonly query: QueryState;
  readonly config: Pick<StoreConfig<BaseModel>, 'allowPartial'>;
  readonly firstOptions: LoadOptions<BaseModel> | undefined;
  readonly lastLoad: Operation | undefined;
  readonly paging: Paging<BaseModel>;
  readonly pages: PageReader<BaseModel>;
  readonly loader: { cancelSchedule(): void };
  readonly statusFeed: { hold<T>(change: () => T): T };
  createOperation(options: LoadOptions<BaseModel>, signal: AbortSignal): Operation;
  finishLoad(paging: Paging<BaseModel>, filter: ServerFilter, startedAt: number, operation: Operation): void;
}

/**
 * Identifies what a load asks for, and where, whichever page; undefined: loads with functions cannot be compared. If the application has
 * named the class (`isNamed`), the server and the page may have different base addresses.
 */
export function keyOf(operation: Operation, proxy: DataProxy, isNamed: boolean): string | undefined {
  const { id, url, params, pathParams, headers, sorters, filters, grouper, search, limit } = operation;
  try {
    const place = proxy.placeOf(operation);
    const at = isNamed ? withoutBase(place, proxy as { baseUrl?: string }) : place;
    return hashOf([
      { at, id, url, params, pathParams, headers, sorters, filters, grouper, search, limit },
      ownParams(proxy),
    ]);
  } catch {
    return undefined;
  }
}

/**
 * Identifies the place at which the records of a class are read: its address and the parameters of its proxy. Headers do not count,
 * because a page and its server sign in by different ones.
 */
export function placeKeyOf(model: object): string {
  return hashOf([identityOf(model).place, ownParams(configuredProxy(model))]);
}

/** The parameters that a proxy adds to the query of all requests. */
function ownParams(proxy: DataProxy | undefined): unknown {
  const { extraParams } = (proxy ?? {}) as { extraParams?: never };
  return paramsOf(extraParams, 'extraParams');
}

/** An address without the base that a server and its page may have for themselves: their `baseUrl`, or else the host. */
function withoutBase(place: string, { baseUrl = '/' }: { readonly baseUrl?: string | undefined }): string {
  if (!URL.canParse(baseUrl, place)) return place;
  const { href, origin } = new URL(baseUrl, place);
  const root = href.replace(/\/$/, '');
  return place.slice(place.startsWith(root) ? root.length : place.startsWith(origin) ? origin.length : 0);
}

/** Whether a store can show a list: its local sorters and filters need all rows of the collection. */
export function canShow({ query, config }: RenderedStore, isComplete: boolean): boolean {
  return isComplete || config.allowPartial === true || !isLocal(query);
}

/**
 * A hash of 53 bits of a value's JSON (cyrb53, public domain): the parameters of a server may hold a secret, which must not get into the
 * page. Throws `TypeError` for values with functions, which cannot be compared.
 */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (name, each: unknown) => {
    if (typeof each === 'function') throw new TypeError(name);
    return each;
  });
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
