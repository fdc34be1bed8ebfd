import type { BaseModel } from '../model/base-model.js';
import type { Batch } from '../operation/batch.js';
import type { Store } from '../store/store.js';
import type { SyncOptions } from '../store/store-config.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import type { Session } from './session.js';

/** What can be synced together. */
export type Syncable = Store<BaseModel> | Session;
/** The records of a store; of a session, any. */
export type RecordOf<S> = S extends Store<infer M> ? M : BaseModel;

/**
 * Writes what is pending in several stores or sessions as one: new records before those that refer to them, in whichever store
 * they are. Always settles; a record that fails is an outcome.
 *
 * @example
 * ```ts
 * const user = new User({ name: 'Ada' });
 * users.add(user);
 * tasks.add({ title: 'Write', ownerId: user.id });
 * const batch = await sync([users, tasks], { onFailure: 'stop' });
 * ```
 */
export async function sync<const T extends readonly Syncable[]>(
  targets: T,
  options: SyncOptions<RecordOf<T[number]>> = {},
): Promise<Batch<RecordOf<T[number]>>> {
  const sources = (targets as unknown as readonly { syncSource(): SyncSource<RecordOf<T[number]>> }[]).map((target) =>
    target.syncSource(),
  );
  return await syncSources<RecordOf<T[number]>>(sources, options);
}
