import type { StoreObserver } from '../store-observer.js';
import { Rollback } from '../sync-rollback.js';

/** Undoes the successful writes of a `sync()` if another one fails, with the option `onFailure: 'rollback'`. */
export const rollback: StoreObserver = {
  name: 'rollback',
  openUndo: (jobs) => new Rollback(jobs),
};
