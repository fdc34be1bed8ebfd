import type { StoreObserver } from '../store-observer.js';
import { StreamIntake } from '../stream-intake.js';

/** Shows rows while their response is still arriving, if the proxy uses `streaming()` and its reader has `stream: true`. */
export const streamIntake: StoreObserver = {
  name: 'streamIntake',
  openIntake: (recordSet, pages) => new StreamIntake(recordSet, pages),
};
