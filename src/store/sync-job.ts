import type { DataError } from '../errors/data-error.js';
import type { WriteAction } from '../extension/write.js';
import type { BaseModel } from '../model/base-model.js';
import type { CallOptions } from '../model/call.js';
import type { WriteJob } from '../model/write-job.js';
import type { Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { RecordSet } from './record-set.js';
import type { StoreObserver } from './store-observer.js';

/** Where records are that are to be written. */
export interface SyncSource<M extends BaseModel> {
  /** What is to be written. */
  pending(): Readonly<Record<WriteAction, readonly M[]>>;
  /** Whether a new record is still to be created, or one still to be destroyed. */
  wants(record: M, action: 'create' | 'destroy'): boolean;
  /** How a record travels. */
  proxyOf(record: M): DataProxy;
  /** How many requests it allows at a time. */
  readonly concurrency: number | undefined;
  /** The records of a store. */
  readonly recordSet?: RecordSet<M>;
  /** Who takes part in what is written. */
  readonly observers: readonly StoreObserver<M>[];
  /** Hears how each write ended, after its change; not of those that were not attempted. */
  ended(outcome: Outcome<M>, operation: Operation | undefined): void;
}

/** One record that a `sync()` writes. */
export interface SyncJob<M extends BaseModel> extends WriteJob {
  readonly source: SyncSource<M>;
  outcome: Outcome<M> | undefined;
  /** Whether a request was sent for it. */
  sent: boolean;
}

/** How a job ended. */
export interface Ending<M extends BaseModel> {
  readonly job: SyncJob<M>;
  readonly error?: DataError | undefined;
  readonly operation?: Operation | undefined;
  /** Whether it was attempted, or refused for what it is. */
  readonly attempted: boolean;
}

/** What a `sync()` is to what writes several records in one request, or in an order. */
export interface SyncWriter<M extends BaseModel> {
  /** Why nothing more is attempted. */
  readonly halt: ((job: SyncJob<M>) => DataError) | undefined;
  /** Whether what is written will be undone if a write fails. */
  readonly undoes: boolean;
  /** Whether nothing more is attempted. */
  readonly isHalted: boolean;
  readonly callOptions: CallOptions & object;
  /** Writes one record, unless nothing more is attempted. Never rejects. */
  write(job: SyncJob<M>): Promise<void>;
  /** A record is about to be sent. */
  sending(job: SyncJob<M>): void;
  /** Notes how a write ended. */
  end(ending: Ending<M>): void;
}

/** Whether nobody has taken it back since the `sync()` began. */
export function isWanted<M extends BaseModel>({ action, record, source }: SyncJob<M>): boolean {
  return action === 'update' || source.wants(record as unknown as M, action);
}
