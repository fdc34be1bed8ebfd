import { checkOptions } from '../dev/checks.js';
import type { BaseModel } from '../model/base-model.js';
import { bulkForm } from './parts/bulk-form.js';
import { rollback } from './parts/rollback.js';
import { streamIntake } from './parts/stream-intake.js';
import { RecordWindow, type WindowedStore } from './record-window.js';
import { Store as CoreStore } from './store.js';
import type { StoreObserver } from './store-observer.js';
import { WINDOW_RULES } from './store-options.js';
import type { WindowConfig } from './window-config.js';

/**
 * Holds records of one model: loads pages of them, shows them sorted and filtered, and keeps pending changes until `sync()` writes
 * them.
 *
 * @example
 * ```ts
 * const users = new Store({ model: User, pageSize: 25, sorters: ['name'] });
 * await users.load();
 * users.add({ name: 'Grace' });
 * const batch = await users.sync();
 * ```
 */
export class Store<M extends BaseModel, O = unknown> extends CoreStore<M, O> {
  static override readonly parts: readonly StoreObserver[] = [bulkForm, rollback, streamIntake];

  /**
   * Creates a window on the whole collection, as the server sorts and filters it: records by index, loaded while a user scrolls.
   * Throws `UnsupportedQueryError` if the store sorts or filters locally, and for a query of another model.
   *
   * @example
   * ```ts
   * const rows = users.window({ start: 0, end: 50 });
   * await rows.show({ start: 1000, end: 1050 });
   * ```
   */
  window(config: WindowConfig<M> = {}): RecordWindow<M> {
    this.checkOpen();
    return this.inWords(() => {
      checkOptions('window', config, WINDOW_RULES);
      return new RecordWindow<M>(this as unknown as WindowedStore<M>, config);
    });
  }
}
