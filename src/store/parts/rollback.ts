import type { StoreObserver } from '../store-observer.js';
import { Rollback } from '../sync-rollback.js';

/** Undoes what a `sync()` has written when one of its writes fails: `onFailure: 'rollback'`. */
export const rollback: StoreObserver = {
  name: 'rollback',
  openUndo: (jobs) => new Rollback(jobs),
};
