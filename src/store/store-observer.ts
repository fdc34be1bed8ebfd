import type { DataError } from '../errors/data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { Page, PageMode, PageReader } from './page-reader.js';
import type { QueryState } from './query-state.js';
import type { RecordSet } from './record-set.js';
import type { SyncJob, SyncWriter } from './sync-job.js';

/**
 * Takes part in stores: a plain object with a few hooks. Those in the static list `parts` of a store class take part in all stores
 * of the class, others attach themselves to one store: a window, a session, an outbox. The hooks see records from inside, and may
 * change with any version.
 *
 * @example
 * ```ts
 * class AppStore<M extends Model> extends Store<M> {
 *   static override readonly parts: readonly StoreObserver[] = [bulkForm, rollback];
 * }
 * ```
 */
export interface StoreObserver<M extends BaseModel = BaseModel> {
  /** Tells a part from others: `Store.parts.filter(({ name }) => name !== 'rollback')`. */
  readonly name?: string;

  /** A load begins whose rows may arrive one by one: returns what takes them in. */
  openIntake?(recordSet: RecordSet<M>, pages: PageReader<M>): RowsIntake<M>;
  /** Rows are about to become records. Where the observer has the record of a row, it gives it to the record set (`expect`). */
  rowsComing?(rows: readonly Data[]): void;

  /** Records are about to be added. Throws where the observer knows another record with one of their ids. */
  checkAdded?(records: readonly M[]): void;
  /** The store holds a record that it did not hold before. */
  recordAdded?(record: M): void;
  /** Something about a record of the store is different. */
  recordChanged?(record: M): void;
  /** The store does not hold a record any more; `replacedBy` is the record of the same row that took its place. */
  recordDropped?(record: M, replacedBy: M | undefined): void;
  /** Whether the store must keep a record that is on no page and has nothing to be written. */
  keeps?(record: M): boolean;

  /** The store is about to get another query. Throws `UnsupportedQueryError` where the observer cannot follow it. */
  checkQuery?(query: QueryState): void;
  /** Another query will be asked for after a delay; until then nothing is to be asked for. */
  queryDelayed?(): void;
  /** Another query is asked for. */
  queryChanged?(): void;

  /** Writes several records of a `sync()` in one request. */
  readonly bulkForm?: BulkForm<M>;
  /** A `sync()` with `onFailure: 'rollback'` is about to write: returns what takes back what was written, should a write fail. */
  openUndo?(jobs: readonly SyncJob<M>[]): SyncUndo<M>;
}

/** Takes the rows of one load in while they arrive. */
export interface RowsIntake<M extends BaseModel> {
  /** Number of records in place before the first rows; undefined: none have come. */
  readonly before: number | undefined;
  /** Takes rows in, behind those before. */
  take(page: Page, mode: PageMode): void;
  /** Takes the last rows in. Returns the records of the whole load, each of them once. */
  finish(page: Page, mode: PageMode): readonly M[];
}

/** How several records go in one request (H16). */
export interface BulkForm<M extends BaseModel> {
  /** Puts together what may go in one request. */
  group(jobs: readonly SyncJob<M>[], batchSize: number | undefined): SyncJob<M>[][];
  /** Writes jobs of one group. Never rejects; each job has its outcome then. */
  write(jobs: readonly SyncJob<M>[], sync: SyncWriter<M>): Promise<void>;
}

/** Follows the writes of one `sync()`, to take them back. */
export interface SyncUndo<M extends BaseModel> {
  /** A record is about to be sent. */
  sending(job: SyncJob<M>): void;
  /** A write has ended. */
  ended(job: SyncJob<M>, error: DataError | undefined): void;
  /** All writes have ended: undoes those that went well, if one failed. */
  finish(concurrency: number): Promise<void>;
}

/** A store as its observers see it. */
export interface ObservedStore<M extends BaseModel> {
  readonly recordSet: RecordSet<M>;
  readonly model: ModelType<M>;
  readonly definition: ModelDefinition;
  /** How the records of the store travel. */
  readonly proxy: DataProxy;
  /** Whether the store is loading. */
  readonly loading: boolean;
}
