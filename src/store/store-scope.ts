import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { InnerStore } from './inner-store.js';
import type { Page } from './page-reader.js';
import type { Query } from './query.js';

/** Rows or records that the application gives, as a store takes them. */
export interface GivenRows {
  readonly rows: readonly object[];
  /** Called when the records of the rows are in place. */
  placed?(): void;
}

/**
 * The part of a collection that a store is about: the rows that it asks for, the records that belong to it, and their order on the screen. For
 * each member that is left out, the store does as it does for a whole collection.
 */
export interface StoreScope<M extends Model> {
  // The rows that it asks for.
  /** The query that is sent for a part of the query of the store, by its proxy. Throws if the rows cannot be asked for. */
  sent?(query: Query<M>, proxy: DataProxy): Query<M>;
  /** Whether the records in place are all that there are, so that a load sends nothing. */
  isComplete?(): boolean;
  /** Reads the rows of a request. `send` reads them as other stores do. */
  read?(send: () => Promise<Page>, operation: Operation, startedAt: number): Promise<Page>;
  /** Loads again all that a screen shows. */
  reload?(): Promise<readonly M[]>;
  /** Whether requests are in flight that are no loads of the store. */
  readonly isReading?: boolean;

  // The records that belong to it.
  /** Whether the store has a place for each row that it receives, also while it does not hold all rows. */
  readonly placesAll?: boolean;
  /** Prepares rows that the application gives. Throws if the store takes none. */
  given?(rows: readonly object[], by: 'setRecords' | 'receive'): GivenRows;
  /** Puts the records in place that belong to the store. Called after rows were received, and after changes were taken back. */
  arrange?(): void;
  /** Adds records before another record, or at the end. `place` adds them as other stores do. */
  place?(
    place: (added: readonly (M | RecordInput<ValuesOf<M>>)[]) => M[],
    before: M | undefined,
    added: readonly (M | RecordInput<ValuesOf<M>>)[],
  ): M[];
  /** Removes records. */
  remove?(records: readonly M[]): M[];
  /** The store whose pending changes are written and taken back together with those of this one. */
  readonly companion?: InnerStore<Model>;

  // Their order on the screen.
  onScreen?(): readonly M[];
}
