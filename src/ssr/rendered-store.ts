import { identityOf } from '../model/identity.js';
import type { Model } from '../model/model.js';
import { keyOf } from '../model/origin.js';
import type { Operation } from '../operation/operation.js';
import type { PageReader } from '../store/page-reader.js';
import type { LoadOptions, Paging } from '../store/paging.js';
import type { Query } from '../store/query.js';
import type { QueryRules } from '../store/query-rules.js';
import type { SharingStore } from '../store/sharing.js';
import type { StoreConfig } from '../store/store-config.js';
import type { StoreScope } from '../store/store-scope.js';
import { hashOf } from '../util/hash.js';
import type { RenderedSource } from '../util/value-source.js';

/** The members of a store that rendering on a server reads and writes. */
export interface RenderedStore extends SharingStore {
  /** The part of the collection that it is about. */
  readonly scope: StoreScope<Model>;
  readonly hasLoaded: boolean;
  readonly count: number;
  readonly hasMore: boolean;
  readonly currentPage: number;
  readonly list: RenderedSource<unknown>;
  readonly status: RenderedSource<object>;
  readonly query: Query<Model>;
  readonly wholeRules: QueryRules<Model>;
  readonly partRules: QueryRules<Model>;
  readonly config: Pick<StoreConfig<Model>, 'allowPartial'>;
  readonly firstOptions: LoadOptions<Model> | undefined;
  readonly lastLoad: Operation | undefined;
  readonly paging: Paging<Model>;
  readonly pageReader: PageReader<Model>;
  readonly loader: { cancelSchedule(): void };
  readonly statusFeed: { hold<T>(change: () => T): T };
  createOperation(
    options: LoadOptions<Model>,
    signal: AbortSignal,
    onRows: undefined,
    rules: QueryRules<Model>,
  ): Operation;
  finishLoad(paging: Paging<Model>, sent: Query<Model>, startedAt: number, operation: Operation): void;
}

/**
 * Identifies what a load asks for, and of whom, whichever page; undefined: loads with functions cannot be compared. The class itself is
 * identified by its entry in the state. If the application has named it (`isNamed`), the server and the page may have different base addresses.
 */
export function listKeyOf(store: RenderedStore, operation: Operation, isNamed: boolean): string | undefined {
  const { query, id, url, headers, limit } = operation;
  try {
    const { classKey: _, ...identity } = identityOf(store);
    const address = isNamed ? withoutBase(identity.address, store.proxy as { baseUrl?: string }) : identity.address;
    return hashOf(keyOf({ ...identity, address }, { query: query?.key, place: { id, limit }, url, headers }));
  } catch {
    return undefined;
  }
}

/**
 * Identifies the place at which the records of a class are read: its address, the parameters of its proxy, and its scope. Headers do not
 * count, because a page and its server sign in by different ones.
 */
export function placeKeyOf(model: object): string {
  const { classKey: _, model: __, ...place } = identityOf(model);
  return hashOf(keyOf(place));
}

/** An address without the base that a server and its page may have for themselves: their `baseUrl`, or else the host. */
function withoutBase(place: string, { baseUrl = '/' }: { readonly baseUrl?: string | undefined }): string {
  if (!URL.canParse(baseUrl, place)) return place;
  const { href, origin } = new URL(baseUrl, place);
  const root = href.replace(/\/$/, '');
  return place.slice(place.startsWith(root) ? root.length : place.startsWith(origin) ? origin.length : 0);
}

/**
 * Whether a store can show a list that was loaded by some rules: what these rules leave to the store needs all rows of the collection.
 */
export function canShow(store: RenderedStore, rules: QueryRules<Model>, isComplete: boolean): boolean {
  const { query, config, partRules } = store;
  return isComplete || !rules.isLocal(query) || (config.allowPartial === true && rules === partRules);
}
