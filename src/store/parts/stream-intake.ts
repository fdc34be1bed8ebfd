import type { StoreObserver } from '../store-observer.js';
import { StreamIntake } from '../stream-intake.js';

/**
 * Shows rows while their response is still arriving, if the proxy uses `streaming()` and its reader has `stream: true`.
 *
 * @example
 * ```ts
 * import { Store as CoreStore } from 'repose/core';
 *
 * class SmallStore extends CoreStore<User> {
 *   static override readonly parts: readonly StoreObserver[] = [streamIntake];
 * }
 * const people = new SmallStore({
 *   model: User,
 *   proxy: { reader: { type: 'ndjson', stream: true }, use: [streaming()] },
 * });
 * ```
 */
export const streamIntake: StoreObserver = {
  name: 'streamIntake',
  openIntake: (recordSet, pages) => new StreamIntake(recordSet, pages),
};
