import type { DataError } from '../errors/data-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { WriteAction } from '../extension/write-hook.js';
import type { CallOptions } from '../model/call.js';
import type { Model } from '../model/model.js';
import type { InnerRecord } from '../model/record.js';
import type { Entry } from '../model/record-core.js';
import type { WriteOptions } from '../model/write.js';
import type { JobResult, PlannedJob, PlanOwner } from '../model/write-job.js';
import type { Outcome } from '../operation/batch.js';
import { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { PendingRecords } from './pending-changes.js';
import type { RecordSet } from './record-set.js';
import type { StoreObserver } from './store-observer.js';

/** The reason of the error of a new record whose create was taken back before it was sent. */
export const TAKEN_BACK = 'sync-taken-back';

/** A store or session whose pending changes a `sync()` writes. */
export interface SyncSource<M extends Model> {
  /** The records to write, by action. */
  pending(): Readonly<Record<WriteAction, readonly M[]>>;
  /**
   * Whether the create or destroy of a record is still wanted: false once the record was dropped, or its removal was taken back.
   */
  stillWants(record: M, action: 'create' | 'destroy'): boolean;
  /** The proxy that writes a record. */
  proxyOf(record: M): DataProxy;
  /** Number of requests at the same time; undefined for the default. */
  readonly concurrency: number | undefined;
  /** The records of a store; undefined for a session. */
  readonly recordSet?: RecordSet<M>;
  /** The observers that may take part in the `sync()`. */
  readonly observers: readonly StoreObserver<M>[];
  /** Called when a write has ended, after the record changed; not called for a write that was not attempted. */
  ended(outcome: Outcome<M>, operation: Operation | undefined): void;
}

/** One record that a `sync()` writes. */
export interface SyncJob<M extends Model> extends PlannedJob {
  readonly record: InnerRecord & M;
  readonly source: SyncSource<M>;
  outcome: Outcome<M> | undefined;
  entry: Entry | undefined;
  /** Why its values could not be captured then: it fails with this error when its turn comes. */
  uncaptured: DataError | undefined;
  /** Whether a request was sent for the record. */
  sent: boolean;
}

/** The members of a running `sync()` that its plan and the bulk form use. */
export interface SyncWriter<M extends Model> extends PlanOwner<SyncJob<M>> {
  /** Whether the `sync()` has stopped, so that no further write is attempted. */
  readonly hasStopped: boolean;
  readonly callOptions: CallOptions & object;
  /** Writes one record, unless the `sync()` has stopped. Never rejects. */
  write(job: SyncJob<M>): Promise<void>;
  /** The options of the write of some jobs. */
  optionsOf(jobs: readonly SyncJob<M>[]): WriteOptions;
  /** Sets the outcome of a job. */
  finish(result: JobResult<SyncJob<M>>): void;
}

/** Whether a write is still wanted: nobody has dropped the record, or taken its removal back, since the `sync()` began. */
export function isStillWanted<M extends Model>({ action, record, source }: SyncJob<M>): boolean {
  return action === 'update' || source.stillWants(record, action);
}

/** The last one that has not ended, among a job and those that it stands behind. */
export function openJob(job: PlannedJob | undefined): PlannedJob | undefined {
  return job?.outcome ? openJob(job.behind) : job;
}

/** The members of a store that its `sync()` uses. */
interface SyncedStore<M extends Model> {
  readonly proxy: DataProxy;
  readonly recordSet: RecordSet<M>;
  readonly config: { readonly concurrency?: number | undefined };
  readonly pending: PendingRecords<M>;
  readonly events: {
    emit(event: 'write', payload: { readonly operation: Operation }): void;
    emit(event: 'exception', payload: { readonly error: AnyOutcomeError; readonly operation: Operation }): void;
  };
  flush(): void;
}

/** Pending records, by the action that writes them. */
export function byAction<M>({ created, edited, removed }: PendingRecords<M>): Record<WriteAction, readonly M[]> {
  return { create: created, update: edited, destroy: removed };
}

/** Makes a store a source of pending changes. */
export function createSyncSource<M extends Model>(store: SyncedStore<M>): SyncSource<M> {
  const { proxy, recordSet, config, events } = store;
  let lastWritten: Operation | undefined;
  return {
    ...{ recordSet, concurrency: config.concurrency },
    pending: () => byAction(store.pending),
    observers: recordSet.observers.all,
    stillWants: (record, action) =>
      recordSet.unwritten.has(record) || (action === 'create' ? recordSet.holds(record) : recordSet.hidden(record)),
    proxyOf: () => proxy,
    ended({ action, error }, operation) {
      store.flush();
      if (error) return events.emit('exception', { error, operation: operation ?? new Operation({ action }) });
      // One request may have written several records, and a record may need no request: one event per request.
      if (!operation || operation === lastWritten || !(operation.request ?? operation.resultSet)) return;
      lastWritten = operation;
      events.emit('write', { operation });
    },
  };
}
