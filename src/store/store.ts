import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { withCallbacks } from '../model/call.js';
import type { FieldName } from '../model/infer.js';
import { checkRows } from '../model/read.js';
import { mergeProxy, proxyOf, type Settings } from '../model/settings.js';
import { SETTINGS } from '../model/symbols.js';
import type { Batch } from '../operation/batch.js';
import { Operation } from '../operation/operation.js';
import { type Direction, toFilters, toGrouper, toSorters } from '../operation/query.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { Collection } from './collection.js';
import { checkPaging, Loader } from './loader.js';
import { type Page, PageReader } from './page-reader.js';
import { type QueryState, refusePartial } from './query-state.js';
import type {
  FilterConfig,
  GrouperConfig,
  LoadOptions,
  SorterConfig,
  SortName,
  StoreConfig,
  SyncOptions,
} from './store-config.js';
import { syncPending } from './syncer.js';

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
export class Store<M extends BaseModel> extends Collection<M> {
  readonly pageSize: number;
  /** The number of the page that was loaded last. */
  currentPage: number = 1;
  private readonly loader: Loader<M, Page>;
  private readonly pages: PageReader<M>;
  private total: number | undefined = undefined;
  private lastError: AnyDataError | undefined = undefined;
  private hasLoaded = false;
  /** Whether all of the collection is here. */
  private complete = true;
  private ownProxy: DataProxy | undefined = undefined;

  constructor(config: StoreConfig<M>) {
    super(config);
    const { pageSize = 25, autoLoad, data } = config;
    const loading = autoLoad === true ? {} : autoLoad || undefined;
    checkPaging({ limit: pageSize });
    checkPaging(loading ?? {});
    this.pageSize = pageSize;
    if (data) this.total = data.length;
    const { fromRow } = this.model as unknown as { fromRow(row: object): M };
    this.pages = new PageReader<M>(this.contents, this.definition, fromRow.bind(this.model));
    this.loader = new Loader<M, Page>({
      messages: () => this.proxy.messages,
      load: (options) => this.load(options),
      createOperation: (options, signal) => this.createOperation(options, signal),
      read: (operation) => this.read(operation),
      take: (page, operation, options) => this.take(page, operation, options),
      failed: (error, operation) => this.fail(error, operation),
    });
    if (loading) this.loader.schedule(loading);
  }

  /** How the store's records travel: the model's proxy, or the store's own. */
  get proxy(): DataProxy {
    const { proxy } = this.config;
    if (proxy === undefined) return this.model.proxy;
    const { [SETTINGS]: settings, proxyTypes } = this.model as unknown as { [SETTINGS]?: Settings; proxyTypes: never };
    const proxyOption = mergeProxy(settings?.proxyOption, proxy as never);
    this.ownProxy ??= proxyOf(
      { given: {}, ...settings, proxyOption, proxy: undefined, shared: undefined },
      proxyTypes,
      '',
    );
    return this.ownProxy;
  }

  /** Size of the whole collection, as the server gave it; undefined where it did not. */
  get totalCount(): number | undefined {
    return this.total;
  }

  get loading(): boolean {
    return this.loader.loading;
  }

  /** Whether a load has ended well. */
  get loaded(): boolean {
    return this.hasLoaded;
  }

  /** Why the last load failed; cleared by the next success. */
  get error(): AnyDataError | undefined {
    return this.lastError;
  }

  // ── Loading and writing ──

  /**
   * Loads a page; edits, new and removed records are kept. The last load wins: a superseded one settles as its successor does.
   * Rejects with a `DataError`.
   */
  load(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    return withCallbacks<readonly M[]>(options, [], async (use) => {
      checkPaging(options);
      return await this.loader.load(options, use);
    });
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
    let last: Operation | undefined;
    return await syncPending(pending, this.proxy, { ...options, concurrency }, ({ action, error }, operation) => {
      this.flush();
      if (error) this.events.emit('exception', { error, operation: operation ?? new Operation({ action }) });
      // Several records may have gone in one, or none.
      else if (operation?.request && operation !== last) this.events.emit('write', { operation: (last = operation) });
    });
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

  // ── Inside ──

  private setQuery(part: Partial<QueryState>, remote: boolean): void {
    const next = { ...this.query, ...part };
    this.compile(next);
    if (!remote) this.checkComplete(this.complete, next);
    this.use(part);
    // Before the first load nothing is asked for: nobody has asked for anything yet.
    if (remote && (this.loaded || this.loading)) this.loader.schedule({ page: 1 });
  }

  private checkComplete(complete: boolean, query: QueryState): void {
    if (!complete && !this.config.partial) refusePartial(query);
  }

  private createOperation(options: LoadOptions<M>, signal: AbortSignal): Operation {
    const { id, url, params, pathParams, headers, limit = this.pageSize, start } = options;
    const edge = start !== undefined && limit > 0 && start % limit === 0;
    const { page = edge ? start / limit + 1 : 1 } = options;
    const { sorters, filters, grouper } = this.query;
    return new Operation({
      action: 'read',
      model: this.definition,
      ...{ id, url, params, pathParams, headers, signal },
      ...(limit > 0 && { page, start: start ?? (page - 1) * limit, limit }),
      ...(this.remoteSort && { sorters, grouper }),
      ...(this.remoteFilter && { filters }),
    });
  }

  private async read(operation: Operation): Promise<Page> {
    const { definition, proxy } = this;
    const startedAt = (definition.clock.now += 1);
    const result = await proxy.read(operation);
    checkRows(definition, proxy, result.rows as Data[]);
    return { result, startedAt };
  }

  /** Takes an answer in: what cannot be shown is refused before anything is changed. */
  private take(page: Page, operation: Operation, { addRecords: append = false }: LoadOptions<M>): readonly M[] {
    const { proxy } = this;
    const { result } = page;
    const { limit, start = 0 } = operation;
    const whole = start === 0 && (limit === undefined || result.count < limit);
    const total = result.total ?? (whole ? result.count : undefined);
    this.compile(this.query);
    const complete = total !== undefined && total <= this.pages.countAfter(page, append);
    this.checkComplete(complete, this.query);
    const partial = proxy.reader.rows === 'partial';
    const records = this.pages.take(page, { append, paged: limit !== undefined, partial });
    this.total = total;
    this.complete = complete;
    this.currentPage = operation.page ?? 1;
    this.hasLoaded = true;
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
}
