import type { AnyDataError } from '../errors/is-data-error.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { Operation, RowsListener } from '../operation/operation.js';
import type { Listeners, Notifier } from '../util/notifier.js';
import type { Source } from '../util/value-source.js';
import type { CompiledQuery } from './compile-query.js';
import type { FirstLoad } from './first-load.js';
import type { Load, Loader } from './loader.js';
import type { Page, PageReader } from './page-reader.js';
import type { LoadOptions, Paging } from './paging.js';
import type { PendingRecords } from './pending-changes.js';
import type { Query } from './query.js';
import type { QueryRules } from './query-rules.js';
import type { Receiver } from './receive.js';
import type { ListSnapshot } from './snapshot.js';
import type { StaleReason, StatusFeed, StoreStatus } from './status-feed.js';
import type { Store } from './store.js';
import type { StoreConfig, StoreEvents } from './store-config.js';
import type { ObservedStore } from './store-observer.js';
import type { StoreScope } from './store-scope.js';
import type { SyncSource } from './sync-job.js';

/** The options of a load that decide which rows the server gives, beside the query. */
export type LoadPart = Pick<LoadOptions<Model>, 'id' | 'url' | 'headers'>;

/** How a store asks for the rows that it shows. */
export interface ListedRows<M extends Model> {
  /** The query, with the parameters of the load. */
  readonly query: Query<M>;
  readonly part: LoadPart;
  /** Whether the application has given the records, so that no request brings them. */
  readonly given: boolean;
}

/**
 * The members of a store for what follows it from outside: views, windows, selections, readers of all pages. They attach themselves to
 * `recordSet.observers`, and the store knows none of them.
 */
export interface InnerStore<M extends Model> extends ObservedStore<M> {
  // Its records, and how they were asked for.
  readonly pageReader: PageReader<M>;
  readonly pageSize: number;
  readonly config: Pick<StoreConfig<M>, 'concurrency' | 'canLoad'>;
  readonly query: Query<M>;
  readonly listed: ListedRows<M>;
  readonly list: Source<ListSnapshot<M>>;
  readonly status: Source<StoreStatus>;
  readonly total: number | undefined;
  /** Whether the store holds all rows that match on the server. */
  readonly holdsAll: boolean;
  /** Whether the query has changed, and the store waits for a delay before it loads. */
  readonly outdated: boolean;
  // The question who applies the query.
  /** The part of the query that the server has applied to the rows that it has counted; undefined: to none. */
  readonly sentQuery: Query<M> | undefined;
  readonly rules: QueryRules<M>;
  /** Says which part of a query the server applies that does not come from the records of the store. */
  readonly partRules: QueryRules<M>;
  /** Says the same for a query that is answered from all records. */
  readonly wholeRules: QueryRules<M>;
  /** The query that the store shows, as functions. */
  compiledQuery(): CompiledQuery<M>;
  // Its actions.
  /** Throws after `dispose()`. */
  checkOpen(): void;
  /** Runs a function whose errors get the texts of the model. */
  inWords<T>(act: () => T): T;
  isRecord(value: unknown): value is M;
  /** The records in the order of the screen. */
  recordsOnScreen(): readonly M[];
  placeRecords(before: M | undefined, given: readonly (M | RecordInput<ValuesOf<M>>)[]): M[];
  removeRecords(records: readonly M[]): M[];
  remove(...records: M[]): M[];
  readonly pending: PendingRecords<M>;
  reject(): void;
  /** Makes the operation of a request. Throws if the application refuses it. */
  createOperation(
    options: LoadOptions<M>,
    signal: AbortSignal,
    onRows?: RowsListener,
    rules?: QueryRules<M>,
  ): Operation;
  read(operation: Operation, startedAt?: number): Promise<Page>;
  /** Gives its pending changes to a `sync()`. */
  syncSource(): SyncSource<M>;
  flush(): void;
  dispose(): void;
  readonly events: Notifier<Listeners<StoreEvents<Model>>>;

  // Its loads, and the reads of single parts of its collection beside them.
  readonly scope: StoreScope<M>;
  readonly loader: Pick<Loader<M>, 'loading'>;
  /** Loads as the public method does: with callbacks, events and errors. */
  load(options: LoadOptions<M>): Promise<unknown>;
  createLoad(options: LoadOptions<M>, signal: AbortSignal): Load<M>;
  readonly statusFeed: Pick<StatusFeed<M, StoreStatus>, 'hold' | 'update'>;
  readonly firstLoad: Pick<FirstLoad, 'succeed' | 'fail'>;
  hasLoaded: boolean;
  lastError: AnyDataError | undefined;
  /** Throws if the application refuses the load or read. */
  checkLoad(operation: Operation): void;
  loadEnded(records: readonly M[], operation: Operation): void;
  reportFailure(error: AnyDataError, operation: Operation): void;
  // Rows that do not come by its loads.
  /** Takes these rows; undefined until the first ones come. */
  receiver: Receiver<M> | undefined;
  /** Why the list may lack rows that were received, or show them in a wrong place; undefined: it does not. */
  whyStale: StaleReason | undefined;
  /** How far `refreshStale()` has read the list last: another reload would find the same `fewerRows`. */
  unmended: Paging<M> | 'reading' | undefined;
  markStale(reason: StaleReason | undefined): void;
  readonly hasProxy: boolean;
  readonly readsInFlight: number;
  /** How far the collection has been read. */
  paging: Paging<M>;
  /** The load that began the present list; undefined: the application has given the records. */
  readonly lastLoad: Operation | undefined;
  /** Puts the new records where the option `newRecords` says. */
  placeNewRecords(): void;
}

/** The members of a store for what follows it from outside. */
export function innerStore<M extends Model>(store: Store<M>): InnerStore<M> {
  return store as unknown as InnerStore<M>;
}
