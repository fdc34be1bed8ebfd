import type { Model } from '../model/model.js';
import type { Batch } from '../operation/batch.js';
import type { Store } from '../store/store.js';
import type { SyncOptions } from '../store/store-config.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import type { Session } from './session.js';

/** A store or a session: `sync()` writes the pending changes of several of them. */
export type Syncable = Store<Model> | Session;
/** The type of the records of a store; a session has records of any model. */
export type RecordOf<S> = S extends Store<infer M> ? M : Model;

/**
 * Writes the pending changes of several stores or sessions together: new records before the records that refer to them, also across
 * stores. A record that fails does not reject the promise: the batch has an outcome for each record.
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
