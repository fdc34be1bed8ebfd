import { checkEvent, checkGiven, checkOptions, inDevelopment } from '../dev/checks.js';
import { inWords } from '../errors/error-context.js';
import type { ModelType } from '../model/field.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import type { Direction } from '../operation/query-parts.js';
import { toCollator } from '../operation/sort-types.js';
import { type Listeners, Notifier } from '../util/notifier.js';
import { showByJson } from '../util/show-by-json.js';
import type { Source } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { ChangeFeed } from './change-feed.js';
import type { CompiledQuery } from './compile-query.js';
import type { GroupsOf } from './groups-config.js';
import { LiveList } from './live-list.js';
import type { FilterConfig, FilterList, FunctionSorter, PropertyGrouper, PropertySorter, SortName } from './query.js';
import { asked, Query, queryFor } from './query.js';
import { QueryRules } from './query-rules.js';
import type { RecordSet } from './record-set.js';
import type { RemoteSetting } from './remote-rules.js';
import type { ListSnapshot } from './snapshot.js';
import type { QueryOptions, StoreEvents, ViewConfig, ViewEvents } from './store-config.js';
import { BATCH_ARGUMENT, INSERT_INDEX, QUERY_RULES, SEARCH_TEXT } from './store-options.js';

/** The names of the events of a view or store, and the name of its class for messages. */
export interface KnownEvents {
  readonly owner: string;
  readonly names: readonly string[];
}

const VIEW_EVENTS: readonly (keyof ViewEvents<Model>)[] = ['change', 'sort', 'filterchange', 'groupchange'];

/**
 * Shows records sorted, filtered and grouped, and follows every edit, addition and removal. The common part of `Store` and `View`.
 *
 * @example
 * ```ts
 * import type { RecordView } from 'repose';
 *
 * function printNames(view: RecordView<User>): void {
 *   for (const { name } of view) console.log(name);
 * }
 * printNames(users); // a store
 * printNames(viewOf(users, { sorters: ['name'] })); // or a view of it
 * ```
 */
export abstract class RecordView<M extends Model, O = unknown> implements Iterable<M> {
  static {
    showByJson(this.prototype as never);
  }

  /** The model of the records. */
  readonly model: ModelType<M>;
  /** Groups and summaries of the records shown; undefined without the option `groups`. */
  readonly groups: GroupsOf<M, O>;
  protected readonly definition: ModelDefinition;
  protected readonly recordSet: RecordSet<M>;
  /** Typed for `Model`, not for `M`: otherwise a `Store<User>` could not be assigned to `Store<Model>`. */
  protected readonly events: Notifier<Listeners<StoreEvents<Model>>>;
  private presentQuery: Query<M>;
  /** Says who applies the query. */
  protected rules: QueryRules<M>;
  private readonly feed: ChangeFeed<M>;
  protected readonly liveList: LiveList<M>;
  /** Makes the list follow no record any more. */
  private unfollow: () => void = () => undefined;
  /** The query that the list shows; undefined until it is read for the first time after a change. */
  private compiled: CompiledQuery<M> | undefined;
  private cancelDelay: (() => void) | undefined;
  /** The query that the listeners of `sort`, `filterchange` and `groupchange` know. */
  private reportedQuery: Query<M>;

  constructor(
    recordSet: RecordSet<M>,
    model: ModelType<M>,
    config: ViewConfig<M, O> & { remoteSort?: RemoteSetting; remoteFilter?: RemoteSetting; allowPartial?: boolean },
  ) {
    const { groupField, groupDir, groups, searchFields } = config;
    const { remoteSort, remoteFilter, allowPartial = false } = config;
    const { grouper = groupField && { property: groupField, direction: groupDir } } = config;
    this.model = model as ModelType<M>;
    this.definition = innerModel(model)[DEFINITION];
    this.recordSet = recordSet;
    this.events = new Notifier(recordSet.watched);
    [this.presentQuery, this.rules] = this.inWords(() => {
      const { sorters, filters, query } = config;
      const given = groups?.by ?? grouper;
      const groupers = given && ([given].flat() as Query<M>['groupers']);
      const options = {
        ...{ remoteSort: remoteSort === true, remoteFilter: remoteFilter === true, autoSort: false, autoFilter: false },
        ...{ allowPartial, locale: toCollator(config.locale), searchFields },
      };
      return [
        asked(query ? queryFor<M>(model, query) : Query.of<M>(model), { sorters, filters, groupers }),
        new QueryRules<M>(this.definition, model.prototype as object, options),
      ];
    });
    this.reportedQuery = this.presentQuery;
    this.liveList = new LiveList<M>(
      recordSet,
      () => this.compiledQuery(),
      config.holdEdited ?? false,
      (record) => this.feed.markChanged(record),
    );
    this.feed = new ChangeFeed<M>(this.liveList, this.events, recordSet.watched);
    this.groups = groups?.attach(this) as never;
  }

  /** The form of logs for a store or view: its model and the number of records shown. `JSON.stringify` and consoles call it. */
  protected toJSON(): object {
    return { model: this.definition.name, count: this.count };
  }

  /** Number of records shown. */
  get count(): number {
    return this.liveList.get().count;
  }

  /** The present query. It may wait for the `delay` of the call that set it before the list shows it. */
  get query(): Query<M> {
    return this.presentQuery;
  }

  /** Tells Vue not to wrap the store or view in a proxy: `ref(store)` holds the store itself. */
  protected get __v_skip(): true {
    return true;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.feed.list.get()[Symbol.iterator]();
  }

  /**
   * The record shown at `index`; undefined if there is none.
   *
   * @example
   * ```ts
   * for (let row = 0; row < users.count; row += 1) show(row, users.getAt(row)?.name);
   * ```
   */
  getAt(index: number): M | undefined {
    return this.liveList.get().at(index);
  }

  /**
   * The index at which a record is shown, or -1.
   *
   * @example
   * ```ts
   * users.on('change', (change) => {
   *   const { added } = differenceOf(change);
   *   if (added[0]) show(`Scroll to row ${users.indexOf(added[0])}`);
   * });
   * ```
   */
  indexOf(record: M): number {
    const place = this.liveList.find(record);
    return place ? this.liveList.get().indexOf(place) : -1;
  }

  /**
   * The records shown from index `start` up to, but not including, `end`.
   *
   * @example
   * ```ts
   * const screen = users.getRange(100, 150); // at most 50 records
   * show(screen.map(({ name }) => name));
   * ```
   */
  getRange(start?: number, end?: number): M[] {
    return this.feed.list.get().slice(start, end);
  }

  /**
   * The records shown as a source, for a screen. Its value is the same object while only contents of records change; cells read those from
   * the sources of the records. Listeners are told once per microtask, before the event `change`, or by `flush()`.
   *
   * @example
   * ```ts
   * users.list.subscribe(() => show(users.list.get().slice(0, 50)));
   * ```
   */
  get list(): Source<ListSnapshot<M>> {
    return this.feed.list;
  }

  // ── Adding and removing ──

  /**
   * Adds records at the end of the store. Plain values become new records (phantoms). To add an array, spread it: `add(...records)`. A
   * view shows the records in its own order, if they pass its filters. Returns the records. Throws `StateError` for an id that the store
   * already holds, for a name that is no field, for a record of another model, for an erased record, and for an array.
   *
   * @example
   * ```ts
   * const [grace] = users.add({ name: 'Grace' });
   * show(grace?.phantom); // true: the server does not know it yet
   * await users.sync(); // POST /users {"name":"Grace"}
   * ```
   */
  add(...records: (M | RecordInput<ValuesOf<M>>)[]): M[] {
    return this.placeRecords(undefined, records);
  }

  /**
   * Adds records to the store, before the record that is shown at `index`, or at the end if there is none. If the view is sorted, `index`
   * decides only between records that are equal in its order. Throws as `add` does, and `DefinitionError` for an index that is not a whole
   * number from 0.
   *
   * @example
   * ```ts
   * const adults = viewOf(users, { filters: [{ property: 'age', operator: 'ge', value: 18 }] });
   * adults.insert(0, { name: 'Ada', age: 36 });
   * ```
   */
  insert(index: number, ...records: (M | RecordInput<ValuesOf<M>>)[]): M[] {
    inDevelopment(inWords, this.definition.messages, () => checkGiven('The index of insert()', index, INSERT_INDEX));
    return this.placeRecords(this.getAt(index), records);
  }

  /**
   * Removes records from the store: they are hidden at once, and the next `sync()` erases them on the server. New records are dropped
   * without a request. Returns the records that the store held. Throws `StateError` for a value that is not a record
   * of the model.
   *
   * @example
   * ```ts
   * users.add(user);
   * users.remove(user); // hidden at once
   * await users.sync(); // DELETE /users/7
   * ```
   */
  remove(...records: M[]): M[] {
    return this.removeRecords(records);
  }

  // ── Sorting, filtering, grouping ──

  /**
   * Replaces the query; a query with the same key changes nothing. The calls below change a part of it. A store that leaves a changed part
   * to the server loads page 1 again. Throws `UnsupportedQueryError`, and changes nothing, for what is no query, for a query of another
   * model, and for one that cannot be sent or answered locally.
   *
   * @example
   * ```ts
   * users.setQuery(users.query.with({ sorters: ['name'], search: 'ada' }));
   * ```
   */
  setQuery(query: Query<M>, options?: QueryOptions): void {
    this.changeQuery((present) => {
      const next = queryFor(this.model, query);
      return next.key === present.key ? present : next;
    }, options);
  }

  /**
   * Sorts by a name, or by several sorters. With `remoteSort` the store loads page 1 again; a sorter that the dialect cannot express, such
   * as a getter, then comes as the event `exception`. Throws `UnsupportedQueryError` if the records cannot be sorted so locally.
   *
   * A local order follows edits, and equal records stay in the order in which they came. Null sorts first.
   *
   * @example
   * ```ts
   * users.sort('name');
   * users.sort([{ property: 'age', direction: 'DESC' }, 'name']);
   * ```
   */
  sort(
    // Written out, so that messages of compilers list the names.
    sorters:
      | SortName<M>
      | PropertySorter<SortName<M>>
      | FunctionSorter<M>
      | readonly (SortName<M> | PropertySorter<SortName<M>> | FunctionSorter<M>)[],
    direction: Direction | 'asc' | 'desc' = 'ASC',
  ): void {
    const list =
      typeof sorters === 'string' ? [{ property: sorters, direction }] : Array.isArray(sorters) ? sorters : [sorters];
    this.changeQuery((query) => asked(query, { sorters: list as Query<M>['sorters'] }));
  }

  /**
   * Replaces the filters by one filter, or by several that must all pass. Reports a filter that is not supported as `sort` does.
   *
   * The value of a condition gets the type of its field, so that texts of inputs can be given: `'9'` against a number is 9. A value that
   * the field cannot have, and `undefined` without `disableOnEmpty`, throw `UnsupportedQueryError` before anything changes: without a
   * value, a filter of one owner would show everybody's records. A disabled filter is neither in the store nor in a request. If no record
   * can pass, as with `in: []`, nothing is sent, and the load ends with an empty page.
   *
   * A `filterFn` is never sent. With `remoteFilter` it throws, because it would filter the loaded rows only: filter a `viewOf(store)` by
   * it.
   *
   * @example
   * ```ts
   * users.filter({ property: 'age', operator: '>=', value: 18 });
   * users.filter([where(User).team.eq('A'), where(User).name.startsWith('A')]); // both must hold
   * users.setQuery(users.query.with({ filters: [...users.query.filters, where(User).age.lt(65)] })); // adds to the present filters
   * users.filter([]); // ends filtering
   * ```
   */
  filter(filters: FilterConfig<M> | FilterList<M>, options?: QueryOptions): void {
    const list = (Array.isArray(filters) ? filters : [filters]) as Query<M>['filters'];
    this.changeQuery((query) => asked(query, { filters: list }), options);
  }

  /**
   * Shows only records that match a text, in addition to the filters. With `remoteFilter` the server searches; otherwise a record matches
   * if one of `searchFields` contains the text, ignoring case. An empty text ends the search. Throws `UnsupportedQueryError` if there is
   * no field to search in.
   *
   * The parameter is `query`, with `plain()` `search`; `searchParam` gives it another name.
   *
   * @example
   * ```ts
   * const input = document.querySelector('input')!;
   * input.addEventListener('input', () => users.search(input.value, { delay: 300 }));
   * ```
   */
  search(text: string, options?: QueryOptions): void {
    inDevelopment(inWords, this.definition.messages, () => checkGiven('The text of search()', text, SEARCH_TEXT));
    this.changeQuery((query) => asked(query, { search: text }), options);
  }

  /**
   * Groups by a name, or by several, the outermost first: records of a group stand together, groups in the order of their values. Reports
   * a grouper that is not supported as `sort` does.
   *
   * It is done where sorting is (`remoteSort`). Neither `locale` nor `sortType` changes the order of groups. An empty list ends the grouping.
   *
   * @example
   * ```ts
   * users.group('team');
   * users.group([{ property: 'team', direction: 'DESC' }, 'age']);
   * users.group([]); // sorters and filters stay
   * ```
   */
  group(
    groupers: SortName<M> | PropertyGrouper<SortName<M>> | readonly (SortName<M> | PropertyGrouper<SortName<M>>)[],
    direction: Direction | 'asc' | 'desc' = 'ASC',
  ): void {
    const given: readonly unknown[] = [groupers].flat();
    const list = given.map((each) => (typeof each === 'string' ? { property: each, direction } : each));
    this.changeQuery((query) => asked(query, { groupers: list as Query<M>['groupers'] }));
  }

  // ── Events ──

  /**
   * Adds a listener; returns the function that removes it. Existing listeners first get the pending changes, so that the new one gets
   * later changes only. Inside `batch()` or within a listener, pending changes cannot be delivered at once: the new listener gets them
   * too.
   *
   * A listener that throws does not keep others from being called.
   *
   * @example
   * ```ts
   * const stop = users.on('change', (change) => {
   *   const { added, removed } = differenceOf(change);
   *   const { updated } = change;
   *   show(`${added.length} came, ${removed.length} went, ${updated.length} were edited`);
   * });
   * stop(); // removes the listener
   * ```
   */
  on<K extends 'change' | 'sort' | 'filterchange' | 'groupchange'>(
    event: K,
    listener: (event: ViewEvents<M>[K]) => void,
  ): () => void {
    inDevelopment(inWords, this.definition.messages, () => {
      const { owner, names } = this.knownEvents();
      checkEvent(owner, event, names, listener);
    });
    if (event === 'change') this.feed.beforeListen();
    return this.events.on(event, listener);
  }

  /**
   * Delivers the pending changes of this tick now.
   *
   * @example
   * ```ts
   * users.add({ name: 'Grace' });
   * users.flush(); // listeners of `list` and `change` are called now, such as before a test looks at the screen
   * ```
   */
  flush(): void {
    this.feed.flush();
  }

  /**
   * Runs a function, and delivers all its changes in one `change` event when it returns or throws.
   *
   * Only listeners of this store or view are told then; others at the end of the tick.
   *
   * @example
   * ```ts
   * users.batch(() => {
   *   for (const user of users) user.team = 'A';
   * });
   * ```
   */
  batch<T>(fn: () => T): T {
    inDevelopment(inWords, this.definition.messages, () => checkGiven('The argument of batch()', fn, BATCH_ARGUMENT));
    return this.feed.batch(fn);
  }

  // ── Internal ──

  /** Runs a function. Errors that it throws get the texts of the model. */
  protected inWords<T>(act: () => T): T {
    return inWords(this.definition.messages, act);
  }

  /** Makes another query, and shows it. Errors of both get the texts of the model. */
  private changeQuery(next: (present: Query<M>) => Query<M>, options?: QueryOptions): void {
    this.inWords(() => this.applyChange(next(this.presentQuery), this.rules, options));
    this.reportQuery();
  }

  /** Emits the events of a changed query, unless it still waits for its delay. */
  private reportQuery(): void {
    if (this.cancelDelay) return;
    const { presentQuery: query, reportedQuery: before, events } = this;
    this.reportedQuery = query;
    const { sorters, filters, groupers, search } = query;
    if (!isSame(sorters, before.sorters)) events.emit('sort', { sorters });
    if (!isSame(filters, before.filters) || search !== before.search) events.emit('filterchange', { filters, search });
    if (!isSame(groupers, before.groupers)) events.emit('groupchange', { groupers });
  }

  /** The query that the list shows, as functions. */
  protected compiledQuery(): CompiledQuery<M> {
    return (this.compiled ??= this.compile());
  }

  /** Whether the records stand in another order than that of the source, groups apart. */
  protected isSorted(): boolean {
    return this.presentQuery.sorters.length > 0;
  }

  /** Compiles the present query. */
  protected compile(): CompiledQuery<M> {
    return this.rules.compile(this.presentQuery);
  }

  /** The order of the records may have changed, though the query of this view has not. */
  protected orderChanged(): void {
    // A query that waits for its delay is compiled anew when the delay has passed.
    if (this.cancelDelay) return;
    this.compiled = undefined;
    this.liveList.recordsReplaced();
  }

  /** The events that `on` accepts. */
  protected knownEvents(): KnownEvents {
    return { owner: 'a view', names: VIEW_EVENTS };
  }

  /** Adds records to the store before another record, or at the end. Throws `StateError`. */
  protected abstract placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[];

  /** Removes records from the store. Throws `StateError`. */
  protected abstract removeRecords(records: readonly M[]): M[];

  /** Changes the query, or who applies it; the view shows it after the delay. Throws before anything is changed. */
  protected applyChange(query: Query<M>, rules: QueryRules<M>, options: QueryOptions = {}): void {
    checkOptions('filter() and search()', options, QUERY_RULES);
    const { delay = 0 } = options;
    rules.compile(query);
    // Until the delay has passed, the view must go on with the query that it has now.
    if (delay > 0) this.compiledQuery();
    const isSwitch = rules !== this.rules;
    this.presentQuery = query;
    this.rules = rules;
    // A switch waits for a delayed query, so that one request serves both.
    if (this.cancelDelay && isSwitch) return;
    this.cancelDelay?.();
    if (delay > 0) this.cancelDelay = this.recordSet.clock().after(delay, () => this.endDelay());
    else this.applyQuery();
  }

  /** Makes the view show the present query. */
  protected applyQuery(): void {
    this.cancelDelay?.();
    this.compiled = this.cancelDelay = undefined;
    this.liveList.recordsReplaced();
  }

  /** Shows the query by other rules, because a response has shown who has to apply it. */
  protected useRules(rules: QueryRules<M>): void {
    if (rules === this.rules) return;
    this.rules = rules;
    if (this.cancelDelay) return this.endDelay();
    this.compiled = undefined;
    this.liveList.recordsReplaced();
  }

  /** Ends a delay, and shows the query that waits for it. */
  protected endDelay(): void {
    if (!this.cancelDelay) return;
    this.applyQuery();
    this.reportQuery();
  }

  /** Runs a function whose changes no `change` event tells. Screens that follow `list` are told. */
  protected silently<T>(fn: () => T): T {
    return this.feed.silently(fn);
  }

  /** Makes the list follow the records. */
  protected follow(): void {
    this.unfollow = this.recordSet.observers.attach(this.liveList);
  }

  /** Stops following the records: the view is empty from now on, and emits no event. */
  protected stop(): void {
    this.cancelDelay?.();
    this.cancelDelay = undefined;
    this.unfollow();
    this.events.clear();
    this.liveList.dispose();
    this.feed.list.end();
  }
}
