import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { OWNER } from '../model/symbols.js';
import type { Batch } from '../operation/batch.js';
import { RecordSet } from '../store/record-set.js';
import type { SharingStore } from '../store/sharing.js';
import type { SyncOptions } from '../store/store-config.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { sharedRecordsOf } from '../sync/shared-records.js';
import { childScopes } from './siblings.js';

/**
 * Writes the pending changes of a record, of its children, and of their children: of the records that the stores of `childrenOf` know. New
 * records are created before the records that refer to them, and children are erased before their parents. A record that fails does not
 * reject the promise: the batch has an outcome for each record.
 *
 * @example
 * ```ts
 * childrenOf(order, Line).add({ sku: 'A-1' });
 * const batch = await saveGraph(order);
 * ```
 */
export async function saveGraph(record: Model, options: SyncOptions<Model> = {}): Promise<Batch<Model>> {
  return await syncSources([sourceOf(record), ...sourcesBelow(record, new Set())], options);
}

/** The sources of the children of a record, and of theirs. */
function sourcesBelow(record: Model, seen: Set<Model>): SyncSource<Model>[] {
  if (seen.has(record)) return [];
  seen.add(record);
  return childScopes(inner(record)).flatMap((scope) => {
    if (scope.store.disposed) return [];
    const below = scope.everything().flatMap((child) => sourcesBelow(child, seen));
    return [scope.asSource(), ...below];
  });
}

/** A record alone as a source of pending changes: it is written by the proxy of its store, as in a `sync()` of that store. */
function sourceOf(record: Model): SyncSource<Model> {
  const shared = sharedRecordsOf(record);
  const sets = [inner(record)[OWNER]].flat().filter((owner) => owner instanceof RecordSet);
  const store = shared?.holderOf(record) ?? (sets[0]?.store as SharingStore | undefined);
  const source: Omit<SyncSource<Model>, 'pending'> = store?.syncSource() ?? {
    observers: [],
    concurrency: undefined,
    stillWants: () => true,
    proxyOf: (each) => shared?.proxyOf(each) ?? (each.constructor as typeof Model).proxy,
    ended: () => undefined,
  };
  return {
    ...source,
    pending() {
      const isRemoved = shared?.isHidden(record) || sets.some((set) => set.hidden(record));
      const isDirty = record.phantom || record.dirty;
      const action = isRemoved ? 'destroy' : record.phantom ? 'create' : 'update';
      const none: Record<'create' | 'update' | 'destroy', readonly Model[]> = {
        create: [],
        update: [],
        destroy: [],
      };
      return record.erased || !(isRemoved || isDirty) ? none : { ...none, [action]: [record] };
    },
  };
}
