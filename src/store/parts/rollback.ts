import type { StoreObserver } from '../store-observer.js';
import { Rollback } from '../sync-rollback.js';

/**
 * Undoes the successful writes of a `sync()` if another one fails, with the option `onFailure: 'rollback'`.
 *
 * @example
 * ```ts
 * import { Store as CoreStore } from 'repose/core';
 *
 * class SmallStore extends CoreStore<User> {
 *   static override readonly parts: readonly StoreObserver[] = [rollback];
 * }
 * const people = new SmallStore({ model: User });
 * await people.sync({ onFailure: 'rollback' });
 * ```
 */
export const rollback: StoreObserver = {
  name: 'rollback',
  openUndo: (jobs) => new Rollback(jobs),
};
