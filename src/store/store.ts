import type { AnyDataError } from '../errors/is-data-error.js';
import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { FieldName, ValuesOf } from '../model/infer.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import type { RecordChange, RecordOwner } from '../model/record-owner.js';
import { createProxy, mergeProxy, type Settings } from '../model/settings.js';
import { CORE, DEFINITION, SETTINGS } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import { Operation } from '../operation/operation.js';
import {
  type Direction,
  type Filter,
  type Grouper,
  type Sorter,
  toFilters,
  toGrouper,
  toSorters,
} from '../operation/query.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { EventEmitter } from '../util/event-emitter.js';
import { ChangeFeed } from './change-feed.js';
import { Contents } from './contents.js';
import { checkPaging, Loader } from './loader.js';
import { checkComplete, PageReader } from './page-reader.js';
import { applyQuery, checkQuery, localPart, type QueryState } from './query-state.js';
import { createSnapshot, type Snapshot } from './snapshot.js';
import type {
  FilterConfig,
  GrouperConfig,
  LoadOptions,
  SorterConfig,
  SortName,
  StoreConfig,
  StoreEvents,
  SyncOptions,
} from './store-config.js';
import { syncPending } from './syncer.js';
import { storeTexts } from './texts.js';

/**
 * Records of one model: loads pages of them, shows them sorted and filtered, keeps what is new, edited or removed until `sync()`.
 *
 * @example
 * ```ts
 * const users = new Store({ model: User, pageSize: 25, remoteSort: true, sorters: ['name'] });
 * await users.load();
 * users.add({ name: 'Grace' });
 * const batch = await users.sync();
 * ```
 */
export class Store<M extends BaseModel> implements Iterable<M> {
  readonly model: ModelType<M>;
  readonly pageSize: number;
  readonly remoteSort: boolean;
  readonly remoteFilter: boolean;
  /** The number of the page that was loaded last. */
  currentPage: number = 1;
  private readonly config: StoreConfig<M>;
  private readonly definition: ModelDefinition;
  private readonly query: QueryState;
  private readonly contents: Contents<M>;
  private readonly feed: ChangeFeed<M>;
  private readonly loader: Loader<M>;
  private readonly pages: PageReader<M>;
  private readonly events: EventEmitter<StoreEvents<M>> = new EventEmitter();
  private shown: readonly M[] | undefined = undefined;
  private total: number | undefined = undefined;
  private lastError: AnyDataError | undefined = undefined;
  private loads = 0;
  private ownProxy: DataProxy | undefined = undefined;

  constructor(config: StoreConfig<M>) {
    const { model, pageSize = 25, remoteSort = false, remoteFilter = false, sorters = [], filters = [] } = config;
    checkPaging({ limit: pageSize });
    this.config = config;
    this.model = model;
    this.definition = (model as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION];
    this.pageSize = pageSize;
    this.remoteSort = remoteSort;
    this.remoteFilter = remoteFilter;
    const grouper =
      config.grouper ?? (config.groupField && { property: config.groupField, direction: config.groupDir ?? 'ASC' });
    this.query = {
      sorters: toSorters([...sorters]),
      filters: toFilters([...filters]),
      grouper: grouper === undefined ? undefined : toGrouper(grouper),
      remoteSort,
      remoteFilter,
    };
    const owner: RecordOwner = { recordChanged: (record, change) => this.recordChanged(record as M, change) };
    this.contents = new Contents<M>(owner);
    this.feed = new ChangeFeed<M>(
      () => this.view(),
      (change) => this.events.emit('change', change),
    );
    this.pages = new PageReader<M>(this.contents, this.definition, (row) =>
      (model as unknown as { fromRow(row: object): M }).fromRow(row),
    );
    this.loader = new Loader<M>({
      createOperation: (options, signal) => this.createOperation(options, signal),
      perform: (operation, options) => this.perform(operation, options),
      failed: (error, operation) => this.fail(error as AnyDataError, operation),
    });
    if (config.data) {
      checkQuery(this.query, this.definition, model.prototype as object);
      this.contents.insert(
        0,
        config.data.map((values) => new model(values)),
      );
      this.total = this.contents.source.length;
      this.view();
    }
    if (config.autoLoad) this.loader.schedule(config.autoLoad === true ? {} : config.autoLoad);
  }

  /** How the store's records travel: the model's proxy, or the store's own. */
  get proxy(): DataProxy {
    const { proxy } = this.config;
    if (proxy === undefined) return this.model.proxy;
    const settings = (this.model as unknown as { [SETTINGS]?: Settings })[SETTINGS];
    const types = { ...(this.model as unknown as { proxyTypes: object }).proxyTypes };
    this.ownProxy ??= createProxy(mergeProxy(settings?.proxyOption, proxy as never), types);
    return this.ownProxy;
  }

  // ── What is shown ──

  /** Number of records shown. */
  get count(): number {
    return this.view().length;
  }

  /** Size of the whole collection, as the server gave it; undefined where it did not. */
  get totalCount(): number | undefined {
    return this.total;
  }

  /** Whether a load is under way. */
  get loading(): boolean {
    return this.loader.loading;
  }

  /** Whether a load has ended well. */
  get loaded(): boolean {
    return this.loads > 0;
  }

  /** Why the last load failed; cleared by the next success. */
  get error(): AnyDataError | undefined {
    return this.lastError;
  }

  get sorters(): readonly Sorter[] {
    return this.query.sorters;
  }

  get filters(): readonly Filter[] {
    return this.query.filters;
  }

  get grouper(): Grouper | undefined {
    return this.query.grouper;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.view()[Symbol.iterator]();
  }

  getAt(index: number): M | undefined {
    return this.view()[index];
  }

  /** The record with an id, shown or pending; `7` and `'7'` are one. */
  getById(id: RecordId): M | undefined {
    const record = this.contents.index.get(id);
    return record && !this.contents.hidden(record) ? record : undefined;
  }

  /** The place at which a record is shown, or -1. */
  indexOf(record: M): number {
    return this.view().indexOf(record);
  }

  /** The first record shown that a function accepts. */
  find(test: (record: M) => boolean): M | undefined {
    return this.view().find(test);
  }

  /** Records shown from one place up to, without, another. */
  getRange(start?: number, end?: number): M[] {
    return this.view().slice(start, end);
  }

  first(): M | undefined {
    return this.getAt(0);
  }

  last(): M | undefined {
    return this.getAt(this.count - 1);
  }

  /** What is shown now, for good: the snapshot never changes. */
  getSnapshot(): Snapshot<M> {
    return createSnapshot(this.view(), this.feed.version);
  }

  // ── Adding and removing ──

  /** Adds records at the end; plain values become new records (phantoms). Throws `StateError` for an id that is there already. */
  add(...records: (M | Partial<ValuesOf<M>>)[]): M[] {
    return this.insert(this.count, ...records);
  }

  /** Adds records before the one shown at a place. */
  insert(index: number, ...given: (M | Partial<ValuesOf<M>>)[]): M[] {
    const records = given.map((each) => this.toRecord(each));
    const before = this.view()[index];
    this.contents.insert(before ? this.contents.source.indexOf(before) : this.contents.source.length, records);
    this.changed();
    return records;
  }

  /** Removes records: hidden at once, erased by the next `sync()`. New ones are just dropped. Returns those that were here. */
  remove(...records: M[]): M[] {
    const here = records.filter((record) => inner(record) && this.holds(record) && !this.contents.hidden(record));
    for (const record of here) {
      if (record.phantom && !inner(record)[CORE]?.lane.busy) this.contents.drop(record);
      else this.contents.removed.add(record);
    }
    if (here.length) this.changed();
    return here;
  }

  /** Removes the record shown at a place. */
  removeAt(index: number): M | undefined {
    const record = this.getAt(index);
    return record && this.remove(record)[0];
  }

  /** Removes every record in place, shown or filtered out. */
  removeAll(): M[] {
    return this.remove(...this.contents.source);
  }

  // ── Pending ──

  /** Records that were never saved. */
  getNewRecords(): M[] {
    return this.pending((record) => record.phantom);
  }

  /** Saved records with edits. */
  getUpdatedRecords(): M[] {
    return this.pending((record) => !record.phantom && record.dirty);
  }

  /** Removed records that are not erased yet. */
  getRemovedRecords(): M[] {
    return [...this.contents.removed];
  }

  /** New and edited records. */
  getModifiedRecords(): M[] {
    return [...this.getNewRecords(), ...this.getUpdatedRecords()];
  }

  /** Undoes everything that is pending: edits are dropped, removed records are back, new ones go. */
  rejectChanges(): void {
    for (const record of this.getNewRecords()) this.contents.drop(record);
    this.contents.removed.clear();
    for (const record of [...this.contents.all()]) {
      record.reject();
      this.contents.release(record);
    }
    this.changed();
  }

  /** Makes all edits the base without a request, and forgets removals. New records stay new. */
  commitChanges(): void {
    for (const record of this.getUpdatedRecords()) record.commit();
    for (const record of this.getRemovedRecords()) this.contents.drop(record);
    for (const record of [...this.contents.away]) this.contents.release(record);
    this.changed();
  }

  /** Forgets what is pending: new and removed records go, edits are dropped. Nothing else ever does. */
  clearPending(): void {
    for (const record of this.getRemovedRecords()) this.contents.drop(record);
    this.rejectChanges();
  }

  /**
   * Writes what is pending: creates, updates, destroys, several at a time. Always settles; a record that fails is an outcome.
   *
   * @example
   * ```ts
   * const batch = await users.sync();
   * for (const { record, error } of batch.failures) console.log(record.getId(), error.message);
   * ```
   */
  async sync(options: SyncOptions = {}): Promise<Batch<M>> {
    const pending = {
      create: this.getNewRecords(),
      update: this.getUpdatedRecords(),
      destroy: this.getRemovedRecords(),
    };
    const { concurrency = 6 } = this.config;
    const batch = await syncPending(pending, this.proxy, { ...options, concurrency }, ({ error }, operation) => {
      this.flush();
      const told = operation ?? new Operation({ action: 'update' });
      if (error) this.events.emit('exception', { error, operation: told });
      else if (operation) this.events.emit('write', { operation });
    });
    this.flush();
    return batch;
  }

  // ── Loading ──

  /**
   * Loads a page; edits, new and removed records are kept. The last load wins: a superseded one settles as its successor does.
   * Rejects with a `DataError`.
   */
  async load(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    checkPaging(options as LoadOptions<never>);
    return await this.loader.load(options);
  }

  /** Loads a page by its number, from 1. */
  loadPage(page: number, options: LoadOptions<M> = {}): Promise<readonly M[]> {
    return this.load({ ...options, page });
  }

  nextPage(options?: LoadOptions<M>): Promise<readonly M[]> {
    return this.loadPage(this.currentPage + 1, options);
  }

  previousPage(options?: LoadOptions<M>): Promise<readonly M[]> {
    return this.loadPage(Math.max(1, this.currentPage - 1), options);
  }

  /** Loads the current page again. */
  reload(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    return this.load({ page: this.currentPage, ...options });
  }

  /** Aborts the load under way, which rejects with `AbortError`. */
  abort(): void {
    this.loader.abort();
  }

  // ── Sorting, filtering, grouping ──

  /** Sorts by a name, or by several sorters; remotely by loading page 1 again. Throws `UnsupportedQueryError`. */
  sort(
    sorters: SortName<M> | SorterConfig<M> | readonly SorterConfig<M>[],
    direction: Direction | 'asc' | 'desc' = 'ASC',
  ): void {
    const list =
      typeof sorters === 'string' ? [{ property: sorters, direction }] : Array.isArray(sorters) ? sorters : [sorters];
    this.setQuery({ sorters: toSorters([...list]) }, this.remoteSort);
  }

  /** Filters by a filter, or by several that must all hold, instead of those that were. Throws `UnsupportedQueryError`. */
  filter(filters: FilterConfig<M> | readonly FilterConfig<M>[]): void {
    this.setQuery({ filters: toFilters(Array.isArray(filters) ? [...filters] : [filters]) }, this.remoteFilter);
  }

  /** Adds filters to those that are. */
  addFilter(...filters: FilterConfig<M>[]): void {
    this.setQuery({ filters: toFilters([...this.filters, ...filters]) }, this.remoteFilter);
  }

  /** Removes the filters on a field, or all. */
  clearFilter(property?: FieldName<M>): void {
    const rest = property === undefined ? [] : this.filters.filter((filter) => filter.property !== property);
    this.setQuery({ filters: toFilters([...rest]) }, this.remoteFilter);
  }

  /** Groups by a name: its records stand together, in its order. Throws `UnsupportedQueryError`. */
  group(grouper: GrouperConfig<M>, direction: Direction | 'asc' | 'desc' = 'ASC'): void {
    this.setQuery(
      { grouper: toGrouper(typeof grouper === 'string' ? { property: grouper, direction } : grouper) },
      this.remoteSort,
    );
  }

  clearGrouping(): void {
    this.setQuery({ grouper: undefined }, this.remoteSort);
  }

  // ── Events ──

  /** Listens to the store; returns the function that stops it. */
  on<E extends keyof StoreEvents<M>>(event: E, listener: (event: StoreEvents<M>[E]) => void): () => void {
    return this.events.on(event, listener);
  }

  /** Delivers the changes of this tick now. */
  flush(): void {
    this.feed.flush();
  }

  // ── Inside ──

  private view(): readonly M[] {
    if (this.shown) return this.shown;
    const { contents } = this;
    const present = contents.source.filter((record) => !contents.hidden(record));
    this.shown = Object.freeze(
      applyQuery(present, this.query, this.definition, this.model.prototype as object, this.config.holdEdited ?? false),
    );
    return this.shown;
  }

  private changed(record?: M): void {
    this.shown = undefined;
    this.feed.touch(record);
  }

  private holds(record: M): boolean {
    return (
      this.contents.index.get(record.getId()) === record ||
      this.contents.source.includes(record) ||
      this.contents.away.has(record)
    );
  }

  private pending(test: (record: M) => boolean): M[] {
    const found: M[] = [];
    for (const record of this.contents.all())
      if (inner(record)[CORE] && !this.contents.hidden(record) && test(record)) found.push(record);
    return found;
  }

  private toRecord(given: M | Partial<ValuesOf<M>>): M {
    if (given instanceof (this.model as unknown as new () => M)) return given;
    if (DEFINITION in (given.constructor ?? {}))
      throw new StateError('foreign', 'foreign', { model: this.definition.name }, { messages: storeTexts });
    const Model = this.model as unknown as new (values: object, options: object) => M;
    return new Model(given, { phantom: true });
  }

  private setQuery(part: Partial<QueryState>, remote: boolean): void {
    const next = { ...this.query, ...part };
    checkQuery(next, this.definition, this.model.prototype as object);
    if (!remote) this.checkLocal(next, this.total, this.contents.source.length);
    Object.assign(this.query, part);
    this.changed();
    // Before the first load nothing is asked for: nobody has asked for anything yet.
    if (remote && this.loaded) this.loader.schedule({ page: 1 });
  }

  private checkLocal(query: QueryState, total: number | undefined, here: number): void {
    if (this.config.partial || !this.pageSize || this.loads === 0) return;
    const { sorters, filters } = localPart(query);
    checkComplete(total !== undefined && total <= here, { sort: sorters.length > 0, filter: filters.length > 0 });
  }

  private createOperation(options: LoadOptions<M>, signal: AbortSignal): Operation {
    const { id, url, params, pathParams, headers } = options;
    const limit = options.limit ?? this.pageSize;
    const { start } = options;
    const edge = start !== undefined && limit > 0 && start % limit === 0;
    const page = options.page ?? (edge ? start / limit + 1 : 1);
    const paging = limit > 0 ? { page, start: start ?? (page - 1) * limit, limit } : {};
    const { sorters, filters, grouper } = this.query;
    return new Operation({
      action: 'read',
      model: this.definition,
      ...{ id, url, params, pathParams, headers, signal },
      ...paging,
      ...(this.remoteSort && { sorters, grouper }),
      ...(this.remoteFilter && { filters }),
    });
  }

  private async perform(operation: Operation, options: LoadOptions<M>): Promise<readonly M[]> {
    const { proxy } = this;
    const { result, startedAt } = await this.pages.read(operation, proxy);
    if (!this.loader.isCurrent(operation)) return [];
    const { limit, start = 0, page = 1 } = operation;
    const short = limit !== undefined && result.count < limit && start === 0;
    const total = result.total ?? (short ? result.count : undefined);
    checkQuery(this.query, this.definition, this.model.prototype as object);
    const append = options.addRecords ?? false;
    this.loads += 1;
    try {
      this.checkLocal(this.query, total, result.count + (append ? this.contents.source.length : 0));
    } catch (error) {
      this.loads -= 1;
      throw error;
    }
    const records = this.pages.take(result, startedAt, proxy, { append, paged: limit !== undefined });
    this.total = total;
    this.currentPage = page;
    this.lastError = undefined;
    this.changed();
    this.flush();
    this.events.emit('load', { records, operation });
    return records;
  }

  private fail(error: AnyDataError, operation: Operation): void {
    this.lastError = error;
    this.flush();
    this.events.emit('exception', { error, operation });
  }

  private recordChanged(record: M, { kind, fields, previousId }: RecordChange): void {
    const { contents } = this;
    const { idField } = this.definition;
    if (kind === 'erasing') contents.erasing.add(record);
    else if (kind === 'restored') {
      contents.erasing.delete(record);
      contents.removed.delete(record);
    } else if (kind === 'erased') {
      if (!inner(record)[CORE]?.phantom) this.pages.bury(inner(record) && record.getId());
      contents.drop(record);
    } else if (previousId !== undefined || fields?.includes(idField.name) || kind === 'commit') {
      contents.index.delete(record, previousId);
      contents.index.add(record);
    }
    if (kind !== 'set') contents.release(record);
    this.changed(kind === 'erasing' || kind === 'restored' ? undefined : record);
  }
}
