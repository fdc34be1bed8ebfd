import type { Outcome, Store } from 'repose';
import type { Value } from '../client/value.js';
import type { Order } from '../models.js';

/** How a save of everything ended, or how far it is. */
export interface SaveState {
  readonly isRunning: boolean;
  readonly done: number;
  readonly total: number;
  readonly outcomes: readonly Outcome<Order>[];
}

/** Nothing was saved yet. */
export const NOT_SAVED: SaveState = { isRunning: false, done: 0, total: 0, outcomes: [] };

// #region save
/** Saves all that is new, edited or removed. One that fails does not keep the others from being saved. */
export async function saveAll(orders: Store<Order>, state: Value<SaveState>): Promise<void> {
  if (state.get().isRunning) return;
  state.set({ ...NOT_SAVED, isRunning: true });
  let outcomes: readonly Outcome<Order>[] = [];
  try {
    ({ outcomes } = await orders.sync({
      onProgress: ({ done, total }) => state.set({ ...NOT_SAVED, isRunning: true, done, total }),
    }));
  } finally {
    state.set({ isRunning: false, done: outcomes.length, total: outcomes.length, outcomes });
  }
}
// #endregion
