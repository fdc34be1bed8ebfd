import type { StoreObserver } from '../store-observer.js';
import { groupWrites, writeTogether } from '../sync-bulk.js';

/** Writes several records of a `sync()` in one request, if the proxy has `batchActions`. */
export const bulkForm: StoreObserver = {
  name: 'bulkForm',
  bulkForm: { group: groupWrites, write: writeTogether },
};
