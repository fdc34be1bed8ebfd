import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { AnyId } from '../operation/actions.js';
import type { Outcome } from '../operation/batch.js';
import type { Operation, StreamProgress } from '../operation/operation.js';
import type { Direction, Filter, Grouper, Locale, Sorter } from '../operation/query-parts.js';
import type { Session } from '../sync/session.js';
import type { GroupsFor, GroupsPlugin } from './groups-config.js';
import type { LoadOptions } from './paging.js';
import type { StoreProxy } from './proxy-source.js';
import type { FilterConfig, FunctionSorter, PropertyGrouper, PropertySorter, Query, SortName } from './query.js';
import type { RemoteSetting } from './remote-rules.js';
import type { ListSnapshot } from './snapshot.js';
import type { RollbackOption } from './sync-rollback.js';

/** Options of a view; `O` is the type of the options of its groups. */
export interface ViewConfig<M extends Model, O = unknown> {
  /** The query, made by `Query.of`; the options of its members replace them: `{ query, sorters: ['name'] }`. @default everything */
  query?: Query<NoInfer<M>>;
  /** The order of the records: by the first sorter, records that it holds equal by the next one. */
  sorters?: readonly (SortName<NoInfer<M>> | PropertySorter<SortName<NoInfer<M>>> | FunctionSorter<NoInfer<M>>)[];
  /** Conditions that a record must all meet to be shown. */
  filters?: readonly FilterConfig<NoInfer<M>>[];
  /** Property to group by: the records are sorted by it first. */
  grouper?: SortName<NoInfer<M>> | PropertyGrouper<SortName<NoInfer<M>>>;
  /** Groups by this field: short for `grouper`. */
  groupField?: FieldName<NoInfer<M>>;
  /** Direction of `groupField`. @default 'ASC' */
  groupDir?: Direction;
  /** Groups with summaries that follow all changes: `groups({ by, summaries })` of `repose/groups`. */
  groups?: GroupsPlugin<O> & GroupsFor<NoInfer<M>>;
  /**
   * The order of texts in local sorting: a language tag (`'de'`) or an `Intl.Collator`. With a language tag, case and accents count only
   * between texts that are otherwise equal; a collator with `numeric: true` compares numbers inside texts, one with `sensitivity: 'base'`
   * ignores case. Slower than the plain order. Filters, groups and servers do not use it.
   *
   * @example
   * ```ts
   * const users = new Store({ model: User, pageSize: 0, locale: 'de', sorters: ['name'] });
   * ```
   * @default texts by their code units, upper case before lower case
   */
  locale?: Locale;
  /**
   * Whether edited records keep their place in the order, and pass or fail the filters as before, until they are saved. @default
   * false
   */
  holdEdited?: boolean;
  /** Fields that a local `search` looks into. @default those of type `string` */
  searchFields?: readonly FieldName<NoInfer<M>>[];
}

/** Options of `filter` and `search`. */
export interface QueryOptions {
  /**
   * Milliseconds to wait before the query changes; a further call in that time replaces this one. Use it while a user types.
   *
   * `query` has the new values at once, and the old rows stay until the new ones have arrived. A call without a delay,
   * a load and `abort()` end the wait.
   *
   * @default 0
   */
  delay?: number;
}

/** Options of a store. */
export interface StoreConfig<M extends Model, O = unknown> extends ViewConfig<M, O> {
  /** The class of the records. */
  model: ModelType<M>;
  /** A proxy for this store, or options, each of which replaces that of the model's proxy, while `use` is added to its list. */
  proxy?: StoreProxy;
  /**
   * Rows per page. 0: the store loads all rows at once, and sends no paging parameters but a `page` or `start` of the call.
   * @default 25
   */
  pageSize?: number;
  /**
   * Says who sorts and groups. `'auto'`: the store while it holds everything (`holdsAll`), otherwise the server; the first load of a page is
   * sorted by the server. `true`: the server. `false`: the store, which refuses to sort a part of the collection. @default
   * `'auto'`, with the dialects `classic` and `ext6` `false`
   */
  remoteSort?: RemoteSetting;
  /** Says who filters and searches, as `remoteSort`. @default `'auto'`, with the dialects `classic` and `ext6` `false` */
  remoteFilter?: RemoteSetting;
  /** The first records, as values by field name. A record with an id counts as saved, one without an id as new. */
  data?: readonly RecordInput<ValuesOf<NoInfer<M>>>[];
  /** Whether the store loads when it is created; or the options of that load. @default false */
  autoLoad?: boolean | LoadOptions<NoInfer<M>>;
  /**
   * Whether the store may sort, filter and group locally while only a part of the collection is loaded. Otherwise such a query throws
   * `UnsupportedQueryError`, because its result would be misleading.
   * @default false
   */
  allowPartial?: boolean;
  /**
   * Called before each load of the store, with the operation that would be sent. If it returns false, the load is refused: nothing is sent
   * or changed, a load in flight goes on, and the promise rejects with an `AbortError` (code `abort`, reason `load-refused`). A scheduled
   * load, for example after `sort()`, is then skipped silently, and a load in flight is refused with it if the query or a setting has
   * changed since. The function must return true or false at once. Windows and loads of single records do not call it.
   *
   * @example
   * ```ts
   * const users = new Store({ model: User, autoLoad: true, canLoad: () => navigator.onLine });
   * ```
   * @default every load is sent
   */
  canLoad?(operation: Operation): boolean;
  /** Number of requests that a `sync()` sends at the same time, at least 1. @default 6 */
  concurrency?: number;
  /**
   * The place of new records that are not saved yet in a list of which the store holds a part: before or behind the loaded rows, or `'sorted'`
   * among them by the sorters of the query. They stay on show then, whatever page is loaded. A list that the store itself sorts has them at
   * their places. @default where they were added, until the next load of a page, which keeps them pending without showing them
   */
  newRecords?: 'first' | 'last' | 'sorted';
  /** A session whose stores share their records: there is one object per id in all of them. */
  session?: Session;
}

/** Options of `pages()`. */
export interface PagesOptions {
  /** Rows per request; 0 for all rows in one request. @default pageSize */
  limit?: number | undefined;
  /** Query parameters of every request; they replace those of the query and of the proxy with the same name. */
  params?: Record<string, unknown> | undefined;
  /** Values for the `{name}`s of the proxy's `url`. */
  pathParams?: Record<string, string | number> | undefined;
  /** Headers of every request; they replace those of the proxy with the same name. */
  headers?: Record<string, string> | undefined;
  /** Aborts the request in flight: the iteration throws `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Options of `receive()`. */
export interface ReceiveOptions<M extends Model> {
  /** The ids of records that no longer exist on the server. @default none */
  removed?: readonly AnyId[] | undefined;
  /**
   * Tells which of two rows of a record is the newer one: the name of a field whose value grows, such as a version or a time of change, or a
   * function that returns such a value of a row. An older row is ignored, also that of a load or save whose request was sent before the newer row
   * came. @default each row counts as newer than the one before
   */
  version?: FieldName<NoInfer<M>> | ((row: Readonly<Record<string, unknown>>) => unknown) | undefined;
  /** Whether other rows may have been missed: the list is `stale`, and `refreshStale()` loads it again. @default false */
  gap?: boolean | undefined;
}

/** The progress of a `sync()`. */
export interface SyncProgress<M> {
  /** Number of records that have an outcome. */
  readonly done: number;
  /** Number of records whose outcome is an error. */
  readonly failed: number;
  /** Number of records in this `sync()`. */
  readonly total: number;
  /** The latest outcome. */
  readonly outcome: Outcome<M>;
}

/** Options of `sync`. */
export interface SyncOptions<M = never> {
  /**
   * Writes the pending changes of these records only, such as those of a bulk action; a record among them that has none gets no request and no
   * outcome. Children that go with an erased record are written as well.
   *
   * @example
   * ```ts
   * const chosen = users.getRange(0, 10);
   * for (const user of chosen) user.team = 'archive';
   * const batch = await users.sync({ records: chosen }); // what the user has typed elsewhere stays pending
   * ```
   * @default all pending records
   */
  records?: readonly M[] | undefined;
  /** Query parameters of every request. */
  params?: Record<string, unknown> | undefined;
  /** Headers of every request. */
  headers?: Record<string, string> | undefined;
  /** Aborts the requests in flight; the other records are not attempted. */
  signal?: AbortSignal | undefined;
  /** Number of requests at the same time, at least 1. @default that of the store, 6 */
  concurrency?: number | undefined;
  /** Maximum number of records in one request, at least 1, if the proxy has `batchActions`. @default no limit */
  batchSize?: number | undefined;
  /**
   * Decides about the other records when one record cannot be written. `'continue'`: they are written. `'stop'`: no further request
   * is sent. {@link rollback}, which is imported: no further request is sent, and the records that were written are undone on the server as
   * far as possible: created records are erased, updated ones are written back, erased ones stay erased. Undone changes are pending again, together with edits
   * made meanwhile. If the request that erases a created record gets no response, the record is unconfirmed (`$.unconfirmed`), and its outcome is
   * an error.
   * @default 'continue'
   */
  onFailure?: 'continue' | 'stop' | RollbackOption | undefined;
  /**
   * Called after each record, with its outcome and the counts so far.
   *
   * @example
   * ```ts
   * const bar = document.querySelector('progress')!;
   * await users.sync({
   *   onProgress({ done, total, failed }) {
   *     bar.value = done / total;
   *     bar.title = `${failed} could not be saved`;
   *   },
   * });
   * ```
   */
  onProgress?(progress: SyncProgress<M>): void;
}

/** All changes of one tick to the records shown; never empty. */
export interface StoreChange<M> {
  /** Grows with each change of the list. */
  readonly version: number;
  /** The list before the change. `differenceOf(change)` tells which records came, went and moved. */
  readonly before: ListSnapshot<M>;
  /** The list after the change. */
  readonly now: ListSnapshot<M>;
  /** Records whose values changed, and that were shown before and after the change. */
  readonly updated: readonly M[];
}

/** Events of a view. */
export interface ViewEvents<M extends Model> {
  /** The records shown have changed: all changes of a tick in one event, which is never empty. */
  change: StoreChange<M>;
  /** The order was changed, in the same call. If the server sorts, the load that follows brings the records in that order. */
  sort: { readonly sorters: readonly Sorter[] };
  /** The filters or the search text were changed, in the same call, or after the `delay` of it. */
  filterchange: { readonly filters: readonly Filter[]; readonly search: string };
  /** The grouping was changed, in the same call. */
  groupchange: { readonly groupers: readonly Grouper[] };
}

/** Events of a store. */
export interface StoreEvents<M extends Model> extends ViewEvents<M> {
  /** Rows of a streamed response (`reader.stream`) have arrived. Follows the `change` event of these rows. */
  progress: StreamProgress & { readonly operation: Operation };
  /** A load has succeeded. Follows its `change` event. */
  load: { readonly records: readonly M[]; readonly operation: Operation };
  /** A request of `sync()` has succeeded. Follows its `change` event. */
  write: { readonly operation: Operation };
  /** A load, or a write of `sync()`, has failed. */
  exception: { readonly error: AnyOutcomeError; readonly operation: Operation };
}
