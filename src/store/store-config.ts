import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { GroupsFor, GroupsPlugin } from '../groups/groups-config.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, Given, ReservedName, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { ConfigOf, ProxyClass, ProxyOption } from '../model/model-config.js';
import type { Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import type { Direction, Locale } from '../operation/query.js';
import type { NextPage } from '../operation/result-set.js';
import type { StreamProgress } from '../operation/stream-progress.js';
import type { Session } from '../sync/session.js';
import type { Splice } from './difference.js';

/** What a store can sort by: fields, and getters of the class body (local sorting only). */
export type SortName<M> = Exclude<keyof M & string, ReservedName>;
/** A sorter by the values of a property. `transform` and `locale` work in local sorting only. */
export interface PropertySorter<K> {
  /** Name of a field, or of a getter of the class body. */
  property: K;
  /** From the least to the greatest value, or the other way round. @default 'ASC' */
  direction?: Direction | 'asc' | 'desc';
  /**
   * Turns a value into the one that is compared; not called for null and undefined, which sort first. Works in local sorting only.
   * Name the type of the value in its argument.
   *
   * @example
   * ```ts
   * users.sort({ property: 'name', transform: (name: string) => name.length });
   * ```
   * @default the `sortType` of the field
   */
  transform?(value: unknown): unknown;
  /** The order of texts: a language tag or an `Intl.Collator`. Works in local sorting only. @default the `locale` of the view */
  locale?: Locale;
}
/** A sorter: a name, a property with options, or a function (local sorting only). */
export type SorterConfig<M> =
  | SortName<M>
  | PropertySorter<SortName<M>>
  | { sorterFn(a: M, b: M): number; direction?: Direction };
/** What to group by. */
export type GrouperConfig<M> = SortName<M> | { property: SortName<M>; direction?: Direction | 'asc' | 'desc' };

/** Operators that compare with one value: their names, and other spellings. */
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
/** `like` ignores case, the others do not. */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith' | 'like';
/** An operator and the value that it compares with. */
export type Condition<V> =
  | { operator: 'in' | 'nin' | 'notin'; value: readonly V[] }
  | { operator: 'between'; value: readonly [V, V] }
  | { operator: 'isNull'; value?: boolean }
  | { operator?: CompareOperator | TextOperator; value: V | null };
/** Options of a condition on a field. */
export interface FieldFilterOptions<K, V> {
  /** Name of the field. */
  property: K;
  /** Whether the condition does nothing and is not sent. @default false */
  disabled?: boolean;
  /**
   * Turns the values of records, and the value of the filter (each one of a list), into those that are compared; not called for null
   * and undefined. Works in local filtering only.
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
  [K in keyof V & string]: FieldFilterOptions<K, V[K]> & Condition<V[K]>;
}[keyof V & string];
/** A filter: a condition on a field, a tree of them, or a function (local filtering only). */
export type FilterConfig<M> =
  | FieldFilter<ValuesOf<M>>
  | { and: readonly FilterConfig<M>[] }
  | { or: readonly FilterConfig<M>[] }
  | { not: FilterConfig<M> }
  | { filterFn(record: M): boolean };

/** The proxies that a store's own `type` may name. */
export type StoreProxyTypes = (typeof Model)['proxyTypes'];
/** How a store's records travel: a proxy, or options; their `type` is a name, or a class without options of its own. */
export type StoreProxy = ProxyOption<StoreProxyTypes> | StoreProxyClass<StoreProxyTypes[keyof StoreProxyTypes]>;
type StoreProxyClass<C extends ProxyClass> = C extends ProxyClass
  ? { type: new (config?: ConfigOf<C>) => InstanceType<C> } & ConfigOf<C>
  : never;

/** Options of a view; `O` are those of its groups. */
export interface ViewConfig<M extends BaseModel, O = unknown> {
  /** The order of the records: by the first sorter, records that it holds equal by the next one. */
  sorters?: readonly SorterConfig<NoInfer<M>>[];
  /** Conditions that a record must all meet to be shown. */
  filters?: readonly FilterConfig<NoInfer<M>>[];
  /** Property to group by: the records are sorted by it first. */
  grouper?: GrouperConfig<NoInfer<M>>;
  /** Short for `grouper`. */
  groupField?: FieldName<NoInfer<M>>;
  /** Direction of `groupField`. @default 'ASC' */
  groupDir?: Direction;
  /** Groups with summaries, kept up to date: `groups({ by, summaries })` of `repose/groups`. */
  groups?: GroupsPlugin<O> & GroupsFor<NoInfer<M>>;
  /**
   * The order of texts in local sorting: a language by its tag (`'de'`), where case and accents count only between texts that are
   * the same else; or an `Intl.Collator`, such as one with `numeric: true`, or with `sensitivity: 'base'` where texts that differ
   * in case are to be equal. Slower than the plain order. Filters and groups do not use it, nor do servers.
   *
   * @example
   * ```ts
   * const users = new Store({ model: User, pageSize: 0, locale: 'de', sorters: ['name'] });
   * ```
   * @default texts by their code units, upper case before lower case
   */
  locale?: Locale;
  /** Whether edited records keep their place until they are saved. @default false */
  holdEdited?: boolean;
  /** Fields that `search` looks into, where it is done here. @default those of type `string` */
  searchFields?: readonly FieldName<NoInfer<M>>[];
}

/** Options of `filter` and `search`. */
export interface QueryOptions {
  /** Milliseconds to wait for the next such call, which takes the place of this one: for texts that are being typed. @default 0 */
  delay?: number;
}

/** Options of a store. */
export interface StoreConfig<M extends BaseModel, O = unknown> extends ViewConfig<M, O> {
  /** The class of the records. */
  model: ModelType<M>;
  /** Options over those of the model's proxy, or a proxy of the store's own. */
  proxy?: StoreProxy;
  /** Rows of a page; 0: everything at once, without paging parameters but a `page` or `start` that a load names. @default 25 */
  pageSize?: number;
  /** Whether sorting and grouping are the server's. @default false */
  remoteSort?: boolean;
  /** Whether filtering is the server's. @default false */
  remoteFilter?: boolean;
  /** Records to begin with, as values by field: saved where they have an id. */
  data?: readonly Given<ValuesOf<NoInfer<M>>>[];
  /** Loads at once; options of that load. @default false */
  autoLoad?: boolean | LoadOptions<NoInfer<M>>;
  /**
   * Whether the store may sort, filter and group locally while only a part of the collection is loaded. Without it such a query
   * throws `UnsupportedQueryError`, because the result would mislead.
   * @default false
   */
  allowPartial?: boolean;
  /**
   * Called before each load of the store, with the operation that would be sent; false refuses it. Then nothing is sent and nothing
   * changes, a load under way goes on, and the promise rejects with an `AbortError` (code `abort`, reason `load-refused`); a load
   * that nobody waits for, such as that of another sort order, is left out without a word. It must answer at once. Windows and the
   * loads of single records do not ask.
   *
   * @example
   * ```ts
   * const users = new Store({ model: User, autoLoad: true, canLoad: () => navigator.onLine });
   * ```
   * @default every load is sent
   */
  canLoad?(operation: Operation): boolean;
  /** Requests of a `sync()` in parallel. @default 6 */
  concurrency?: number;
  /** Shares records with the other stores of a session: there is one object per id in all of them. */
  session?: Session;
}

/** Options of one load. */
export interface LoadOptions<M> {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Index of the first row, from 0. */
  start?: number | undefined;
  /** Rows. @default pageSize */
  limit?: number | undefined;
  /** Loads the one record with this id. */
  id?: string | number | undefined;
  /** Takes the place of the proxy's `url` for this load. */
  url?: string | undefined;
  /** Query parameters of this load; they replace those of the proxy with the same name. */
  params?: Record<string, unknown> | undefined;
  /** Values for the `{name}`s of the proxy's `url`, for this load. */
  pathParams?: Record<string, string | number> | undefined;
  /** Headers of this load; they replace those of the proxy with the same name. */
  headers?: Record<string, string> | undefined;
  /** Keeps the rows that are there and appends. @default false */
  addRecords?: boolean | undefined;
  /** Goes on where an answer said that the rows go on (`resultSet.next`), whatever its number. */
  next?: NextPage | undefined;
  /** Aborts this load: the promise rejects with `AbortError`. */
  signal?: AbortSignal | undefined;
  /** Called once when the load succeeded, before the promise resolves. */
  success?(records: readonly M[], operation: Operation): void;
  /** Called once when the load failed, before the promise rejects. */
  failure?(records: readonly M[], operation: Operation): void;
  /** Called once in both cases, after `success` or `failure`. */
  callback?(records: readonly M[], operation: Operation, success: boolean): void;
}

/** Options of `loadMore`. */
export type MoreOptions<M> = Pick<
  LoadOptions<M>,
  'params' | 'pathParams' | 'headers' | 'signal' | 'success' | 'failure' | 'callback'
>;

/** How far a `sync()` has come. */
export interface SyncProgress<M> {
  /** Records that have their outcome. */
  readonly done: number;
  /** Those of them that were not written. */
  readonly failed: number;
  /** Records of this sync. */
  readonly total: number;
  /** The outcome that came last. */
  readonly outcome: Outcome<M>;
}

/** Options of `sync`. */
export interface SyncOptions<M = never> {
  /** Query parameters of every request. */
  params?: Record<string, unknown> | undefined;
  /** Headers of every request. */
  headers?: Record<string, string> | undefined;
  /** Aborts what is in flight; the rest is not attempted. */
  signal?: AbortSignal | undefined;
  /** Requests in parallel. @default that of the store, 6 */
  concurrency?: number | undefined;
  /** Most records in one request, where the proxy has `batchActions`. @default no limit */
  batchSize?: number | undefined;
  /**
   * What follows when a record cannot be written. `continue`: nothing for the others. `stop`: no more is sent. `rollback`: no
   * more is sent, and what was written is undone on the server, as far as that is possible: created records are erased, updated
   * ones written back; an erased record stays erased. What was undone is pending again, and so are edits
   * that were made meanwhile. A created record whose erasing got no answer is in doubt (`$.inDoubt`), and has failed.
   * @default 'continue'
   */
  onFailure?: 'continue' | 'stop' | 'rollback' | undefined;
  /** Called after each record, with its outcome and the counts so far. */
  onProgress?(progress: SyncProgress<M>): void;
}

/** All changes of a tick to what is shown; never empty. */
export interface StoreChange<M> {
  readonly version: number;
  readonly added: readonly M[];
  readonly removed: readonly M[];
  /** The fewest records that had to move. */
  readonly moved: readonly M[];
  /** Records shown before and after whose values changed. */
  readonly updated: readonly M[];
  /** The same as steps that turn the last snapshot into this one: what a grid applies to its rows, in this order. */
  readonly splices: readonly Splice<M>[];
}

/** Events of a view. */
export interface ViewEvents<M extends BaseModel> {
  /** What is shown has changed: all changes of a tick in one event, which is never empty. */
  change: StoreChange<M>;
}

/** Events of a store. */
export interface StoreEvents<M extends BaseModel> extends ViewEvents<M> {
  /** Rows have arrived of an answer that is read while it comes (`reader.stream`); follows their `change`. */
  progress: StreamProgress & { readonly operation: Operation };
  /** A load has ended well; follows its `change`. */
  load: { readonly records: readonly M[]; readonly operation: Operation };
  /** A write of `sync()` has ended well; follows its `change`. */
  write: { readonly operation: Operation };
  /** A load or a write of `sync()` has failed. */
  exception: { readonly error: AnyOutcomeError; readonly operation: Operation };
}
