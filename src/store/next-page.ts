import { rejectMistake } from '../dev/checks.js';
import type { Model } from '../model/model.js';
import { innerStore } from './inner-store.js';
import type { LoadOptions } from './paging.js';
import { pageBefore, pageBehind } from './paging.js';
import type { Store } from './store.js';
import { checkLoad } from './store-options.js';

/**
 * Loads the page of a store behind the one that was loaded last: by the token or address that the server gave, else by its number, and page 1
 * if the query or a setting has changed since. Behind the last token or address nothing is sent, and the records on show come back. After
 * erases here, which move the rows behind them up, a page with a number goes back as far as needed to leave no row out: the current page then
 * comes again, filled up. Rejects with a `DataError`.
 *
 * @example
 * ```ts
 * const paged = new Store({ model: User, pageSize: 20, proxy: { dialect: plain() } });
 * await paged.load();
 * if (paged.hasMore) await nextPage(paged); // shows page 2 instead of page 1; `loadMore()` appends it
 * ```
 */
export function nextPage<M extends Model>(store: Store<M>, options?: LoadOptions<M>): Promise<readonly M[]> {
  const { paging, recordSet } = innerStore(store);
  const place = pageBehind(paging, recordSet.countDelta.erasedSinceLoad);
  return place ? loadPlace(store, place, options) : Promise.resolve(recordSet.inPlace());
}

/**
 * Loads the page of a store before the one that was loaded last, also one that was read by a token or address; page 1 if the query or a
 * setting has changed since. Rejects with a `DataError`.
 *
 * @example
 * ```ts
 * if (users.currentPage > 1) await previousPage(users);
 * ```
 */
export function previousPage<M extends Model>(store: Store<M>, options?: LoadOptions<M>): Promise<readonly M[]> {
  return loadPlace(store, pageBefore(innerStore(store).paging), options);
}

function loadPlace<M extends Model>(
  store: Store<M>,
  place: LoadOptions<M>,
  options: LoadOptions<M> = {},
): Promise<readonly M[]> {
  const { messages } = innerStore(store).definition;
  return rejectMistake(checkLoad, options, messages) ?? store.load({ ...options, ...place });
}
