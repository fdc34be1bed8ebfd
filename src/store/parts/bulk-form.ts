import type { StoreObserver } from '../store-observer.js';
import { groupWrites, writeTogether } from '../sync-bulk.js';

/**
 * Writes several records of a `sync()` in one request, if the proxy has `batchActions`.
 *
 * @example
 * ```ts
 * import { Store as CoreStore } from 'repose/core';
 *
 * class SmallStore extends CoreStore<User> {
 *   static override readonly parts: readonly StoreObserver[] = [bulkForm];
 * }
 * const people = new SmallStore({ model: User, proxy: { batchActions: true } });
 * people.add({ name: 'Ada' }, { name: 'Grace' });
 * await people.sync(); // POST /users [{"name":"Ada"},{"name":"Grace"}]
 * ```
 */
export const bulkForm: StoreObserver = {
  name: 'bulkForm',
  bulkForm: { group: groupWrites, write: writeTogether },
};
