import { bulkForm } from '../store/parts/bulk-form.js';
import { rollback } from '../store/parts/rollback.js';
import type { StoreObserver } from '../store/store-observer.js';
import { Session as CoreSession } from './session.js';

/**
 * A unit of work over many models. Its stores share one object per id, and one `sync()` writes all pending changes, new records
 * before the records that refer to them.
 *
 * @example
 * ```ts
 * const session = new Session();
 * const user = await session.load(User, 7);
 * const tasks = new Store({ model: Task, session });
 * tasks.add({ title: 'Write', ownerId: user.id });
 * const batch = await session.sync();
 * ```
 */
export class Session extends CoreSession {
  static override readonly parts: readonly StoreObserver[] = [bulkForm, rollback];
}
