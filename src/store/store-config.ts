import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, RecordInput, ReservedName, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { ConfigOf, ProxyClass, ProxyOption } from '../model/model-config.js';
import type { AnyId } from '../operation/actions.js';
import type { Outcome } from '../operation/batch.js';
import type { Operation, StreamProgress } from '../operation/operation.js';
import type { Direction, Filter, Grouper, Locale, Nulls, Sorter } from '../operation/query-parts.js';
import type { NextPage } from '../operation/result-set.js';
import type { SortTypeName } from '../operation/sort-types.js';
import type { MemoryProxy } from '../proxy/memory-proxy.js';
import type { Session } from '../sync/session.js';
import type { GroupsFor, GroupsPlugin } from './groups-config.js';
import type { Query } from './query.js';
import type { ListSnapshot } from './snapshot.js';
import type { RollbackOption } from './sync-rollback.js';

/** Names that a store can sort by: fields, and getters of the class body (local sorting only). */
export type SortName<M> = Exclude<keyof M & string, ReservedName>;
/** A sorter by the values of a property. `transform` and `locale` have an effect in local sorting only. */
export interface PropertySorter<K> {
  /** Name of a field, or of a getter of the class body. */
  property: K;
  /** The direction: `ASC` sorts from the least to the greatest value, `DESC` from the greatest to the least. @default 'ASC' */
  direction?: Direction | 'asc' | 'desc';
  /**
   * Converts a value before it is compared. Not called for null and undefined, which sort first. Has an effect in local sorting only.
   * Declare the type of the value in its parameter.
   *
   * @example
   * ```ts
   * users.sort({ property: 'name', transform: (name: string) => name.length });
   * ```
   * @default the `sortType` of the field
   */
  transform?(value: unknown): unknown;
  /**
   * An order by name, instead of a `transform`: `'natural'` compares the numbers in texts by their value and ignores case (`'Item 9'` before
   * `'item 10'`), `'numeric'` compares texts as the numbers that they are (another text counts as missing), `'textCi'` ignores case. Has an
   * effect in local sorting only. @default the `sortType` of the field
   */
  sortType?: SortTypeName;
  /**
   * The place of missing values, in either direction: null, undefined, and values that are no number or no date. A server that sorts gets it
   * with `postgrest()` and `supabase()`; `odata4()` takes the places that OData gives them; other dialects refuse it before the load of a page.
   * @default they count as least: first with `ASC`, last with `DESC`
   */
  nulls?: Nulls;
  /**
   * The order of texts: a language tag or an `Intl.Collator`. Has an effect in local sorting only. @default the `locale` of the
   * view
   */
  locale?: Locale;
}
/** A sorter by a function, in local sorting only. */
export interface FunctionSorter<M> {
  /**
   * Compares two records: a negative number puts the first one before the second.
   *
   * @example
   * ```ts
   * users.sort({ sorterFn: (a, b) => (a.name ?? '').length - (b.name ?? '').length, direction: 'DESC' });
   * ```
   */
  sorterFn(a: M, b: M): number;
  /** @default 'ASC' */
  direction?: Direction;
}
/** A sorter: a name, a property with options, or a function (local sorting only). */
export type SorterConfig<M> = SortName<M> | PropertySorter<SortName<M>> | FunctionSorter<M>;
/** A grouper by a property. */
export interface PropertyGrouper<K> {
  /** Name of a field, or of a getter of the class body. */
  property: K;
  /** @default 'ASC' */
  direction?: Direction | 'asc' | 'desc';
}
/** A grouper: a name, or a name with a direction. */
export type GrouperConfig<M> = SortName<M> | PropertyGrouper<SortName<M>>;

/** Operators that compare with one value: the canonical names, and their aliases. */
export type CompareOperator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'lte'
  | 'gt'
  | 'ge'
  | 'gte'
  | '='
  | '=='
  | '==='
  | '!='
  | '!=='
  | '/='
  | '<'
  | '<='
  | '>'
  | '>=';
/** Operators for texts. `like` ignores case, the others do not. */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith' | 'like';
/** An operator and the value that it compares with. */
export type Condition<V> =
  | { operator: 'in' | 'nin' | 'notin'; value: readonly V[] }
  | { operator: 'between'; value: readonly [V, V] }
  | { operator: 'isNull' | 'exists'; value?: boolean }
  | { operator?: CompareOperator | TextOperator; value: V | null }
  | { operator: TextOperator; value: MemberOf<V> };
/** The type of the members of a list; `never` for other values. */
export type MemberOf<V> = NonNullable<V> extends readonly (infer E)[] ? E : never;
/** Options of a condition on a field. */
export interface FieldFilterOptions<K, V> {
  /** Name of the field. */
  property: K;
  /** Whether the condition has no effect, and is not sent. @default false */
  disabled?: boolean;
  /**
   * Converts the values of records, and the value of the filter or each item of its list, before they are compared. Not called for null
   * and undefined. Has an effect in local filtering only.
   *
   * @example
   * ```ts
   * users.filter({ property: 'name', value: 'ada', convert: (name) => name.toLowerCase() });
   * ```
   */
  convert?(value: NonNullable<V>): unknown;
  /**
   * Whether the condition is disabled while its value is null, undefined, an empty text or an empty list: for values of inputs.
   * @default false
   *
   * @example
   * ```ts
   * const least: number | undefined = undefined;
   * users.filter({ property: 'age', operator: 'ge', value: least ?? null, disableOnEmpty: true });
   * ```
   */
  disableOnEmpty?: boolean;
}
/** A condition on one field. */
export type FieldFilter<V> = {
  [K in keyof V & string]: FieldFilterOptions<K, V[K]> & Condition<Exclude<V[K], undefined>>;
}[keyof V & string];
/** A filter: a condition on a field, a tree of them, or a function (local filtering only). */
export type FilterConfig<M> =
  | FieldFilter<ValuesOf<M>>
  | { and: readonly FilterConfig<M>[]; property?: undefined }
  | { or: readonly FilterConfig<M>[]; property?: undefined }
  | { not: FilterConfig<M>; property?: undefined }
  | { filterFn(record: M): boolean; property?: undefined };
/** A list of filters. Its `property` makes compilers say which names a filter may have, not that it is no list. */
export interface FilterList<M> extends ReadonlyArray<FilterConfig<M>> {
  readonly property?: undefined;
}

/** The names that `type` may have in the option `proxy` of a store. */
export type StoreProxyTypes = (typeof Model)['proxyTypes'];
/**
 * The option `proxy` of a store: a proxy, or the options of one; `type` is a name, or a proxy class that adds no options of its
 * own.
 */
export type StoreProxy =
  | ProxyOption<StoreProxyTypes>
  | StoreProxyClass<StoreProxyTypes[keyof StoreProxyTypes] | typeof MemoryProxy>;
type StoreProxyClass<C extends ProxyClass> = C extends ProxyClass
  ? { type: new (config?: ConfigOf<C>) => InstanceType<C> } & ConfigOf<C>
  : never;

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

/**
 * Says who sorts or filters: the server (`true`), the store (`false`), or the store while it is known to hold everything and the server
 * otherwise (`'auto'`).
 */
export type RemoteSetting = boolean | 'auto';

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

/** Options of one load. */
export interface LoadOptions<M extends Model> {
  /** Becomes the query of the store, as by `setQuery()`, in the same request. @default the query of the store */
  query?: Query<M> | undefined;
  /**
   * The fields that the rows should have, as `fields` of the query, which they become: further loads ask for them too. `[]` asks for all.
   *
   * @example
   * ```ts
   * await users.load({ fields: ['id', 'name'] });
   * ```
   */
  fields?: readonly FieldName<M>[] | undefined;
  /** Number of the page; the first page is 1. */
  page?: number | undefined;
  /** Index of the first row in the collection; the first row is 0. */
  start?: number | undefined;
  /** Number of rows to load; 0 for no limit. @default pageSize */
  limit?: number | undefined;
  /** Loads only the record with this id. */
  id?: AnyId | undefined;
  /** Replaces the `url` of the proxy for this load. */
  url?: string | undefined;
  /** Query parameters of this load; they replace those of the proxy with the same name. */
  params?: Record<string, unknown> | undefined;
  /** Values for the `{name}`s of the proxy's `url`, for this load. */
  pathParams?: Record<string, string | number> | undefined;
  /** Headers of this load; they replace those of the proxy with the same name. */
  headers?: Record<string, string> | undefined;
  /** Whether the loaded records stay, and the new ones are appended. @default false */
  addRecords?: boolean | undefined;
  /** The next page as an earlier response gave it (`resultSet.next`). */
  next?: NextPage | undefined;
  /** Aborts this load: the promise rejects with `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Options of `loadMore`. */
export type LoadMoreOptions = Pick<LoadOptions<Model>, 'params' | 'pathParams' | 'headers' | 'signal'>;

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
   * Decides about the other records when one record cannot be written. `continue`: they are written. `stop`: no further request is
   * sent. {@link rollback}: no further request is sent, and the records that were written are undone on the server as far as possible: created
   * records are erased, updated ones are written back, erased ones stay erased. Undone changes are pending again, together with edits
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
  /** The records before the change, and after it: `differenceOf(change)` tells which ones came, went and moved. */
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
