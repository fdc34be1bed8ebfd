import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { RecordSet } from './record-set.js';
import type { SyncSource } from './sync-job.js';

/** The members of a store that its `sync()` uses. */
export interface SyncedStore<M extends BaseModel> extends Pick<SyncSource<M>, 'concurrency' | 'pending'> {
  readonly proxy: DataProxy;
  readonly recordSet: RecordSet<M>;
  flush(): void;
  /** A write has failed. */
  failed(error: AnyOutcomeError, operation: Operation): void;
  /** A request has written one or several records. */
  written(operation: Operation): void;
}

/** Makes a store a source of pending changes. */
export function createSyncSource<M extends BaseModel>(store: SyncedStore<M>): SyncSource<M> {
  const { proxy, recordSet, concurrency, pending } = store;
  let lastWritten: Operation | undefined;
  return {
    ...{ recordSet, concurrency, pending },
    observers: recordSet.observers.all,
    stillWants: (record, action) =>
      recordSet.unwritten.has(record) || (action === 'create' ? recordSet.holds(record) : recordSet.hidden(record)),
    proxyOf: () => proxy,
    ended({ action, error }, operation) {
      store.flush();
      if (error) return store.failed(error, operation ?? new Operation({ action }));
      // One request may have written several records, and a record may need no request: one event per request.
      if (operation && operation !== lastWritten && (operation.request ?? operation.resultSet))
        store.written((lastWritten = operation));
    },
  };
}
