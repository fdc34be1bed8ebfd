import type { Source } from '../util/value-source.js';
import type { ListSnapshot } from './snapshot.js';
import type { StoreStatus } from './status-feed.js';

/** The part of a store that its first rendering shows. */
export interface Rendered {
  readonly list: Source<ListSnapshot<unknown>>;
  readonly status: Source<StoreStatus>;
  readonly hasMore: boolean;
  readonly currentPage: number;
}

/**
 * A store as it is now, for the first rendering in a page whose HTML a server has made: the server has shown the same, whatever comes before
 * the framework is there.
 */
export function renderedNow({ list, status, hasMore, currentPage }: Rendered): Rendered {
  return { list: fixed(list), status: fixed(status), hasMore, currentPage };
}

function fixed<T>({ get, subscribe }: Source<T>): Source<T> {
  const value = get();
  return { get: () => value, subscribe };
}
