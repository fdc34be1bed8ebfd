import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { RecordChange, WrittenRows } from '../model/record-owner.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { Page, StartTimes } from './page-reader.js';
import type { Query } from './query.js';
import type { QueryRules } from './query-rules.js';
import type { RecordSet } from './record-set.js';

/** The hooks by which the list of a view follows the records of a store. */
export interface ListHooks<M extends Model> {
  /** Values of a record in place are about to change. */
  recordChanging?(record: M, fields: readonly string[] | undefined): void;
  /** Values of a record in place changed. */
  valuesChanged?(record: M, fields: readonly string[] | undefined): void;
  /** Values of a record changed that was removed, or has no place. */
  hiddenChanged?(record: M): void;
  /** Records came into place. */
  recordsShown?(records: readonly M[]): void;
  /** Records leave their places; they still have their ranks and values. */
  recordsHidden?(records: readonly M[]): void;
  /** Any number of records came, went or moved. */
  recordsReplaced?(): void;
}

/**
 * A plain object with hooks that a store calls: windows, views, selections, sessions and outboxes attach themselves to single stores. The
 * hooks use internal types, which may change with any version.
 */
export interface StoreObserver<M extends Model = Model> extends ListHooks<M> {
  /**
   * Rows are about to become records. If the observer has the record of a row, it gives that record to the record set (`addOffPage`).
   * `startedAt` is when the read of the rows began; undefined: they were not read. The observer may put newer rows in their places.
   */
  rowsComing?(rows: Data[], startedAt: number | undefined): void;

  /** A read starts, whose response may bring rows of other models: returns the time on the clock of each model, by its class. */
  startTimes?(): StartTimes;
  /** Rows of other models came with the records of a response. */
  rowsIncluded?(page: Page, records: readonly M[]): void;

  /** Records are about to be added. Throws if the observer knows another record with one of their ids. */
  checkAdded?(records: readonly M[]): void;
  /** The store now holds a record that it did not hold before. */
  recordAdded?(record: M): void;
  /** The store has been created, and has not begun to load. */
  opened?(): void;
  /** A record of the store changed. `change`: what its owners were told; undefined: the store shows it or hides it now. */
  recordChanged?(record: M, change?: RecordChange): void;
  /** The store, a view or a window of it got its first listener, or lost the last one. */
  watched?(isWatched: boolean): void;
  /** The store is being disposed of: it still holds its records, and tells nobody of its changes any more. */
  storeDisposed?(): void;
  /** Whether the store is loading, its error, or what it knows of its collection may have changed. */
  statusChanged?(): void;
  /** The store no longer holds a record; `replacedBy` is the record of the same row that took its place. */
  recordDropped?(record: M, replacedBy: M | undefined): void;
  /** The places of the list that the observer shows, and the number of records that it holds for them, for an inspector. */
  shownPart?(): { readonly start: number; readonly end: number; readonly held: number };
  /** Whether the store must keep a record that is on no page and has no pending changes. */
  keeps?(record: M): boolean;

  /** The query of the store, or who applies it, is about to change. Throws `UnsupportedQueryError` if the observer cannot follow the new query. */
  checkQuery?(query: Query<M>, rules: QueryRules<M>): void;
  /** The query of the store has changed. */
  querySet?(): void;
  /** A load has put its rows in place, or the application has given the records: the store knows how they were asked for. */
  loaded?(): void;
  /** The selection of the store, which `selectionOf()` finds by its observer. */
  readonly selection?: object;
  /** The server gives other rows for the same query from now on. */
  restarted?(): void;
  /** The store may show its records in another order. */
  orderChanged?(): void;
  /** The query changed, and the store loads it now if it has loaded before; while it is `outdated`, it waits for a delay, and so must observers. */
  queryChanged?(): void;

  /** Whether the erase of a record must not be sent when that of a record which refers to it has failed. */
  keepsBranch?(record: M): boolean;
}

/** The members of a store that its observers use. */
export interface ObservedStore<M extends Model> {
  readonly recordSet: RecordSet<M>;
  readonly model: ModelType<M>;
  readonly definition: ModelDefinition;
  /** The proxy that loads and writes the records of the store. */
  readonly proxy: DataProxy;
  /** Whether a load is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether the server filters the records. */
  readonly isServerFiltered: boolean;
  /** A write of this page has changed a row, also one that the list does not hold. */
  rowWritten(record: Model, written: WrittenRows): void;
  /** The row of a record was erased, and the record has left the store. */
  rowErased(): void;
  /** Gives the present proxy, without the store. */
  readonly proxySource: { get(): DataProxy };
}
