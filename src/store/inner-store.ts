import type { BaseModel } from '../model/base-model.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Operation, RowsListener } from '../operation/operation.js';
import type { Source } from '../util/value-source.js';
import type { CompiledQuery } from './compile-query.js';
import type { Page, PageReader } from './page-reader.js';
import type { Query } from './query.js';
import type { QueryRules } from './query-rules.js';
import type { ListSnapshot } from './snapshot.js';
import type { StoreStatus } from './status-feed.js';
import type { Store } from './store.js';
import type { LoadOptions, StoreConfig } from './store-config.js';
import type { ObservedStore } from './store-observer.js';

/** The options of a load that decide which rows the server gives, beside the query. */
export type LoadPart = Pick<LoadOptions<BaseModel>, 'id' | 'url' | 'headers'>;

/** How a store asks for the rows that it shows. */
export interface ListedRows<M extends BaseModel> {
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
export interface InnerStore<M extends BaseModel> extends ObservedStore<M> {
  // What it has, and how it was asked for.
  readonly pageReader: PageReader<M>;
  readonly pageSize: number;
  readonly config: Pick<StoreConfig<M>, 'concurrency' | 'canLoad'>;
  readonly query: Query<M>;
  readonly listed: ListedRows<M>;
  readonly list: Source<ListSnapshot<M>>;
  readonly status: Source<StoreStatus>;
  readonly totalCount: number | undefined;
  /** Whether the store holds all rows that match on the server. */
  readonly holdsAll: boolean;
  /** Whether the query has changed, and the store waits for a delay before it loads. */
  readonly outdated: boolean;
  // Who applies the query.
  /** The part of the query that the server has applied to the rows that it has counted; undefined: to none. */
  readonly sentQuery: Query<M> | undefined;
  readonly rules: QueryRules<M>;
  /** Says which part of a query the server applies that does not come from the records of the store. */
  readonly partRules: QueryRules<M>;
  /** Says the same for a query that is answered from all records. */
  readonly wholeRules: QueryRules<M>;
  /** The query that the store shows, as functions. */
  compiledQuery(): CompiledQuery<M>;
  // What it does.
  /** Throws after `dispose()`. */
  checkOpen(): void;
  /** Runs a function whose errors get the texts of the model. */
  inWords<T>(act: () => T): T;
  isRecord(value: unknown): value is M;
  /** The records in the order of the screen. */
  recordsOnScreen(): readonly M[];
  placeRecords(before: M | undefined, given: readonly (M | RecordInput<ValuesOf<M>>)[]): M[];
  removeRecords(records: readonly M[]): M[];
  /** Makes the operation of a request. Throws if the application refuses it. */
  createOperation(
    options: LoadOptions<M>,
    signal: AbortSignal,
    onRows?: RowsListener,
    rules?: QueryRules<M>,
  ): Operation;
  read(operation: Operation, startedAt?: number): Promise<Page>;
}

/** The members of a store for what follows it from outside. */
export function innerStore<M extends BaseModel>(store: Store<M>): InnerStore<M> {
  return store as unknown as InnerStore<M>;
}
