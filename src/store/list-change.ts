import { refuseOldNames } from '../dev/checks.js';
import { oldChangeNames } from '../dev/old-names.js';
import type { ChunkSnapshot } from './snapshot.js';
import type { Touched } from './sorted-list.js';
import type { StoreChange } from './store-config.js';

/** The event `change` of a store, view or tree. */
export class ListChange<M> implements StoreChange<M> {
  static {
    refuseOldNames(this.prototype, 'a `change` event', oldChangeNames);
  }

  constructor(
    readonly version: number,
    readonly before: ChunkSnapshot<M>,
    readonly now: ChunkSnapshot<M>,
    readonly updated: readonly M[],
    /** The records that entered, left or moved; undefined if that is not known. */
    readonly touched: Touched<M> | undefined,
  ) {}
}
