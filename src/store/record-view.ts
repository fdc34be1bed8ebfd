import { checkEvent } from '../errors/check-event.js';
import { checkOptions } from '../errors/option-rules.js';
import type { GroupsOf } from '../groups/groups-config.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, Given, ValuesOf } from '../model/infer.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import { searchFilter } from '../operation/local-query.js';
import {
  type Direction,
  type Filter,
  type Grouper,
  type Sorter,
  toCollator,
  toFilters,
  toGroupers,
  toSorters,
} from '../operation/query.js';
import { EventEmitter } from '../util/event-emitter.js';
import { ChangeFeed } from './change-feed.js';
import { LiveList } from './live-list.js';
import { compileQuery, type LocalQuery, type QueryState } from './query-state.js';
import type { RecordSet } from './record-set.js';
import type { Snapshot } from './snapshot.js';
import type {
  FilterConfig,
  GrouperConfig,
  QueryOptions,
  SorterConfig,
  SortName,
  StoreEvents,
  ViewConfig,
  ViewEvents,
} from './store-config.js';
import { QUERY_RULES } from './store-options.js';

/** The names of the events of a view or store, and what messages call it. */
export interface KnownEvents {
  readonly owner: string;
  readonly names: readonly string[];
}

/** Records sorted, filtered and grouped: what is shown follows every edit, addition and removal. */
export abstract class RecordView<M extends BaseModel, O = unknown> implements Iterable<M> {
  readonly model: ModelType<M>;
  /** Groups and summaries of what is shown, with the option `groups`; nothing without it. */
  readonly groups: GroupsOf<M, O>;
  protected readonly definition: ModelDefinition;
  protected readonly recordSet: RecordSet<M>;
  /** Not of `M`: a `Store<User>` would be no `Store<Model>`. */
  protected readonly events: EventEmitter<StoreEvents<BaseModel>> = new EventEmitter();
  protected readonly query: QueryState;
  private readonly feed: ChangeFeed<M>;
  protected readonly liveList: LiveList<M>;
  private local: LocalQuery<M> | undefined;
  private readonly searchFields: readonly string[] | undefined;
  private stopDelay: (() => void) | undefined;

  constructor(
    recordSet: RecordSet<M>,
    model: ModelType<M>,
    config: ViewConfig<M, O> & { remoteSort?: boolean; remoteFilter?: boolean },
  ) {
    const { sorters = [], filters = [], groupField, groupDir, groups } = config;
    const { remoteSort = false, remoteFilter = false } = config;
    const { grouper = groupField && { property: groupField, direction: groupDir } } = config;
    this.model = model;
    this.definition = (model as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION];
    this.recordSet = recordSet;
    this.query = {
      sorters: toSorters([...sorters]),
      filters: toFilters([...filters]),
      groupers: toGroupers(groups?.by ?? grouper ?? []),
      searchText: '',
      search: undefined,
      locale: toCollator(config.locale),
      remoteSort,
      remoteFilter,
    };
    this.searchFields = config.searchFields;
    const query = () => (this.local ??= this.compile(this.query));
    this.liveList = new LiveList<M>(recordSet, query, config.holdEdited ?? false, (record) =>
      this.feed.markChanged(record),
    );
    this.feed = new ChangeFeed<M>(this.liveList, this.events);
    this.groups = groups?.attach(this) as never;
  }

  /** Number of records shown. */
  get count(): number {
    return this.liveList.get().count;
  }

  get sorters(): readonly Sorter[] {
    return this.query.sorters;
  }

  get filters(): readonly Filter[] {
    return this.query.filters;
  }

  get grouper(): Grouper | undefined {
    return this.query.groupers[0];
  }

  /** What is searched for; '' for nothing. */
  get searchText(): string {
    return this.query.searchText;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.getSnapshot()[Symbol.iterator]();
  }

  getAt(index: number): M | undefined {
    return this.liveList.get().at(index);
  }

  /** The place at which a record is shown, or -1. */
  indexOf(record: M): number {
    const place = this.liveList.find(record);
    return place ? this.liveList.get().indexOf(place) : -1;
  }

  /** The first record shown that a function accepts. */
  find(test: (record: M) => boolean): M | undefined {
    for (const record of this) if (test(record)) return record;
    return undefined;
  }

  /** Records shown from one place up to, without, another. */
  getRange(start?: number, end?: number): M[] {
    return this.getSnapshot().slice(start, end);
  }

  first(): M | undefined {
    return this.getAt(0);
  }

  last(): M | undefined {
    return this.getAt(this.count - 1);
  }

  /** What is shown now, for good: the snapshot never changes, and is the same one until the view does. */
  getSnapshot(): Snapshot<M> {
    return this.feed.snapshot();
  }

  // ── Adding and removing ──

  /**
   * Adds records at the end of the store, `add(...records)`; plain values become new records (phantoms). A view shows them where its
   * order puts them, if its filters let them pass. Returns the records. Throws `StateError` for an id that is there already, for
   * what is no field, and for an array.
   */
  add(...records: (M | Given<ValuesOf<M>>)[]): M[] {
    return this.placeRecords(undefined, records);
  }

  /**
   * Adds records to the store, right before the one that is shown here at a place; at the end where none is. Sorted records are
   * shown where the order puts them: the place decides only between those that are equal. Throws as `add` does.
   *
   * @example
   * ```ts
   * const adults = users.view({ filters: [{ property: 'age', operator: 'ge', value: 18 }] });
   * adults.insert(0, { name: 'Ada', age: 36 });
   * ```
   */
  insert(index: number, ...records: (M | Given<ValuesOf<M>>)[]): M[] {
    return this.placeRecords(this.getAt(index), records);
  }

  /**
   * Removes records from the store: they are hidden at once, and erased by the next `sync()`. New ones are just dropped. Returns the
   * records that were there. Throws `StateError` for an array.
   */
  remove(...records: M[]): M[] {
    return this.removeRecords(records);
  }

  /** Removes the record that is shown at a place, as `remove` does. */
  removeAt(index: number): M | undefined {
    const record = this.getAt(index);
    return record && this.remove(record)[0];
  }

  // ── Sorting, filtering, grouping ──

  /**
   * Sorts by a name, or by several sorters; remotely by loading page 1 again. Throws `UnsupportedQueryError` for what cannot be
   * done here. What the server has no words for, such as the order of a getter, comes as the event `exception`.
   */
  sort(
    sorters: SortName<M> | SorterConfig<M> | readonly SorterConfig<M>[],
    direction: Direction | 'asc' | 'desc' = 'ASC',
  ): void {
    const list =
      typeof sorters === 'string' ? [{ property: sorters, direction }] : Array.isArray(sorters) ? sorters : [sorters];
    this.setQuery({ sorters: toSorters([...list]) });
  }

  /**
   * Filters by a filter, or by several that must all hold, instead of those that were. Throws `UnsupportedQueryError`, or tells of
   * it, as `sort` does.
   */
  filter(filters: FilterConfig<M> | readonly FilterConfig<M>[], options?: QueryOptions): void {
    this.setQuery({ filters: toFilters(Array.isArray(filters) ? [...filters] : [filters]) }, options);
  }

  /** Adds filters to those that are. */
  addFilter(...filters: FilterConfig<M>[]): void {
    this.setQuery({ filters: toFilters([...this.filters, ...filters]) });
  }

  /** Removes the filters on a field, or all. */
  clearFilter(property?: FieldName<M>): void {
    const rest = property === undefined ? [] : this.filters.filter((filter) => filter.property !== property);
    this.setQuery({ filters: toFilters(rest) });
  }

  /**
   * Shows only what holds a text, besides the filters: remotely the server decides what does, else one of `searchFields` contains
   * it in any case. An empty text ends it. Throws `UnsupportedQueryError` where there is nothing to search in.
   *
   * @example
   * ```ts
   * const input = document.querySelector('input')!;
   * input.addEventListener('input', () => users.search(input.value, { delay: 300 }));
   * ```
   */
  search(text: string, options?: QueryOptions): void {
    this.setQuery({ searchText: text, search: this.localSearch(text, this.query.remoteFilter) }, options);
  }

  /**
   * Groups by a name, or by several, the outermost first: records of a group stand together, in its order. Throws
   * `UnsupportedQueryError`, or tells of it, as `sort` does.
   */
  group(groupers: GrouperConfig<M> | readonly GrouperConfig<M>[], direction: Direction | 'asc' | 'desc' = 'ASC'): void {
    this.setQuery({ groupers: toGroupers(groupers, direction) });
  }

  clearGrouping(): void {
    this.setQuery({ groupers: [] });
  }

  // ── Events ──

  /** Listens; returns the function that stops it. What has changed before is told to the other listeners now, and not to this one; but inside `batch()`, or of another listener, this one hears of it too. */
  on<K extends keyof ViewEvents<M>>(event: K, listener: (event: ViewEvents<M>[K]) => void): () => void {
    const { owner, names } = this.knownEvents();
    checkEvent(owner, event, names, listener);
    if (event === 'change') this.feed.start();
    return this.events.on(event, listener as never);
  }

  /** Delivers the changes of this tick now. */
  flush(): void {
    this.feed.flush();
  }

  /**
   * Runs a function; what it changes, in whatever way, is delivered as one `change` when it returns.
   *
   * @example
   * ```ts
   * users.batch(() => {
   *   for (const user of users) user.name = user.name.trim();
   * });
   * ```
   */
  batch<T>(fn: () => T): T {
    return this.feed.batch(fn);
  }

  // ── Inside ──

  /** The events that `on` takes. */
  protected knownEvents(): KnownEvents {
    return { owner: 'a view', names: ['change'] };
  }

  /** Puts records into the store before another, or at the end. Throws `StateError`. */
  protected abstract placeRecords(before: M | undefined, given: readonly (M | Given<ValuesOf<M>>)[]): M[];

  /** Removes records from the store. Throws `StateError`. */
  protected abstract removeRecords(records: readonly M[]): M[];

  /** The filter of a search that is done here; undefined where the server does it, or nothing is searched for. */
  protected localSearch(text: string, remoteFilter: boolean): Filter | undefined {
    return text && !remoteFilter ? searchFilter(text, this.definition, this.searchFields) : undefined;
  }

  /** Sorts, filters or groups by something else, which is shown after the delay. Throws before anything is changed. */
  protected setQuery(part: Partial<QueryState>, options: QueryOptions = {}): void {
    checkOptions('filter() and search()', options, QUERY_RULES);
    const { delay = 0 } = options;
    this.compile({ ...this.query, ...part });
    // Until then the view goes by what was asked for before.
    if (delay > 0) this.local ??= this.compile(this.query);
    Object.assign(this.query, part);
    this.stopDelay?.();
    if (delay > 0) this.stopDelay = this.recordSet.clock().after(delay, () => this.applyQuery());
    else this.applyQuery();
  }

  /** Shows what is asked for now. */
  protected applyQuery(): void {
    this.stopDelay?.();
    this.local = this.stopDelay = undefined;
    this.liveList.reset();
  }

  /** Ends a delay: what waits for it is shown now. */
  protected endDelay(): void {
    if (this.stopDelay) this.applyQuery();
  }

  /** Throws `UnsupportedQueryError` for a query that cannot be answered here. */
  protected compile(query: QueryState): LocalQuery<M> {
    return compileQuery(query, this.definition, this.model.prototype as object);
  }

  /** Follows the records no longer: nothing is shown, and no event comes. */
  protected end(): void {
    this.stopDelay?.();
    this.recordSet.views.delete(this.liveList);
    this.events.clear();
    this.liveList.end();
  }
}
