import { AddressError } from '../errors/address-error.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { includesOutbox } from '../extension/resolve-extensions.js';
import type { BaseModel } from '../model/base-model.js';
import { type CallRules, checkCall, rejectMistake, withCallbacks } from '../model/call.js';
import { checkRows } from '../model/read.js';
import type { Settings } from '../model/settings.js';
import { nextTime } from '../model/settle.js';
import { isSingleton } from '../model/singleton.js';
import { SETTINGS } from '../model/symbols.js';
import type { Batch } from '../operation/batch.js';
import { Operation, type RowsListener } from '../operation/operation.js';
import { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ParamsConfig } from '../proxy/params-config.js';
import { type Clock, systemClock } from '../util/clock.js';
import type { Data } from '../util/data-path.js';
import { Collection } from './collection.js';
import { loadRefusal } from './load-refusal.js';
import { type Load, Loader, type LoaderHost } from './loader.js';
import { type Page, type PageMode, PageReader, type RecordClass } from './page-reader.js';
import { checkPageSize, checkPaging, isPaged, Paging, pageNumbers } from './paging.js';
import { ProxySource } from './proxy-source.js';
import { isLocal, type QueryState, refusePartial } from './query-state.js';
import type { LoadOptions, MoreOptions, QueryOptions, StoreConfig, SyncOptions } from './store-config.js';
import type { ObservedStore, RowsIntake } from './store-observer.js';
import { LOAD_RULES, MORE_RULES } from './store-options.js';
import { storePartMissing } from './store-parts.js';
import type { SyncSource } from './sync-job.js';
import { syncSources } from './syncer.js';

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
export class Store<M extends BaseModel, O = unknown> extends Collection<M, O> {
  private rowsPerPage: number;
  private readonly loader: Loader<M>;
  private readonly pages: PageReader<M>;
  /** How far the collection has been read. */
  private paging: Paging<M>;
  private lastError: AnyDataError | undefined;
  private hasLoaded = false;
  /** Whether the server is yet to be asked for the query as it is. */
  protected outdated = false;
  private readonly proxySource: ProxySource;
  private readonly hasProxy: boolean;

  constructor(config: StoreConfig<M, O>) {
    super(config);
    const { pageSize = 25, autoLoad, data } = config;
    const loading = autoLoad === true ? {} : autoLoad || undefined;
    checkPageSize(pageSize);
    if (loading) checkCall(LOAD_CALL, loading);
    checkPaging(loading ?? {});
    this.rowsPerPage = pageSize;
    this.proxySource = new ProxySource(this.model as never, config.proxy);
    this.paging = Paging.begin<M>(loading ?? (data ? undefined : {}), data?.length);
    this.pages = new PageReader<M>(this.recordSet, this.definition, this.model as unknown as RecordClass<M>);
    this.loader = new Loader<M>(this as unknown as LoaderHost<M>);
    const { [SETTINGS]: settings } = this.model as unknown as { [SETTINGS]?: Settings };
    this.hasProxy = (config.proxy ?? settings?.proxy) !== undefined;
    this.recordSet.clock = () => (this.hasProxy && (this.proxy as { clock?: Clock }).clock) || systemClock;
    // Where no list names an outbox, no proxy is made yet.
    if ([settings?.proxyOption, config.proxy].some(includesOutbox))
      this.proxy.hooks.keeper?.opened(this as unknown as ObservedStore<M>);
    if (loading) this.loader.schedule(loading);
  }

  /** How the store's records travel: the model's proxy, or the store's own. */
  get proxy(): DataProxy {
    return this.proxySource.get();
  }

  /** Rows of a page; 0: everything at once. */
  get pageSize(): number {
    return this.rowsPerPage;
  }

  /**
   * Sets parameters of all requests of this store alone: its loads, its windows and its `sync()`. They go over the `extraParams` of
   * the proxy, name by name, and under the `params` of a call. The proxy of the model and other stores do not change; a record that
   * is saved by itself goes by the proxy of the model. Nothing is loaded: call `load()`. Another call replaces what the call before
   * has set, so that `setExtraParams({})` ends it. A function is asked for each request. Throws `DefinitionError` for anything else,
   * and where the proxy has no option `extraParams`.
   *
   * @example
   * ```ts
   * users.setExtraParams({ team: 'sales' });
   * await users.load(); // GET /users?team=sales&…
   * ```
   */
  setExtraParams(params: ParamsConfig): void {
    this.proxySource.setExtraParams(params);
  }

  /**
   * Size of the whole collection: as the server gave it, and what was created and erased here since; undefined where the server
   * did not tell. Under remote filters only what was erased is counted: whether they let a new record pass, the server knows.
   */
  get totalCount(): number | undefined {
    return this.countDelta.addTo(this.paging.total);
  }

  /** The number of the page that was loaded last. */
  get currentPage(): number {
    return this.paging.currentPage;
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

  /** Whether there may be rows behind those that were loaded. */
  get hasMore(): boolean {
    return this.paging.next !== undefined;
  }

  // ── Loading and writing ──

  /**
   * Loads a page; edits, new and removed records are kept. The last load wins: a superseded one settles as its successor does.
   * Rejects with a `DataError`.
   */
  load(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    return withCallbacks<readonly M[]>(LOAD_CALL, options, [], async (use) => {
      checkPaging(options);
      if (!options.signal?.aborted) this.endDelay();
      return await this.loader.load(options, use);
    });
  }

  /**
   * Loads the next rows and appends them: the next page, or what the server says is next. A record that is here already is
   * brought up to date and stays where it is. Where `hasMore` is false, nothing is sent.
   *
   * @example
   * ```ts
   * document.addEventListener('scrollend', () => users.hasMore && users.loadMore());
   * ```
   */
  loadMore(options: MoreOptions<M> = {}): Promise<readonly M[]> {
    const next = this.paging.nextLoad(this.countDelta.erasedSinceLoad);
    const instead = this.loader.anew(options.signal) ?? (next ? undefined : Promise.resolve([]));
    if (instead) return withCallbacks<readonly M[]>(MORE_CALL, options, [], () => instead);
    const load = () => this.load({ ...next, ...options, params: { ...next?.params, ...options.params } });
    return rejectMistake(MORE_CALL, options) ?? load();
  }

  /** Loads a page by its number, from 1. */
  loadPage(page: number, options: LoadOptions<M> = {}): Promise<readonly M[]> {
    return this.load({ ...options, page });
  }

  nextPage(options?: LoadOptions<M>): Promise<readonly M[]> {
    return this.loadPage(this.paging.nextPage, options);
  }

  previousPage(options?: LoadOptions<M>): Promise<readonly M[]> {
    return this.loadPage(this.paging.previousPage, options);
  }

  /** Loads the current page again. */
  reload(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    const { limit = this.pageSize, page = this.paging.pageToReload(limit) } = options;
    return this.load({ ...options, page });
  }

  /**
   * Changes the number of rows of a page; 0: everything at once. Loads nothing: what is loaded stays, and the next `load()`,
   * `reload()` or `loadMore()` begins with page 1 of the new size, unless it names another page. A load under way, and windows that
   * are open, keep the size that they began with. Throws `UnsupportedQueryError` for what is no whole number from 0.
   *
   * @example
   * ```ts
   * users.setPageSize(50);
   * await users.load();
   * ```
   */
  setPageSize(pageSize: number): void {
    checkPageSize(pageSize);
    if (pageSize === this.rowsPerPage) return;
    this.rowsPerPage = pageSize;
    this.paging = this.paging.resize();
  }

  /**
   * Shows these records instead of those that are there: rows as the server sends them, or records of the model. Nothing is
   * requested. It is as if a load had brought them, and as if they were all that there are: a row of a known record updates it under
   * its edits, pending records stay pending and new ones stay at the end, `totalCount` is the number of saved records, and there is
   * no more to load. A load under way is given up, and resolves with these records. Returns them, each of them once. Throws
   * `StateError`, and changes nothing, for what is neither record nor row, and for a record with the id of another one.
   *
   * @example
   * ```ts
   * users.setRecords([{ id: 7, name: 'Ada' }, { id: 8, name: 'Grace' }]);
   * ```
   */
  setRecords(given: readonly (M | object)[]): readonly M[] {
    const isPartial = this.hasProxy && this.proxy.reader.rows === 'incomplete';
    const records = this.pages.replace(given, isPartial);
    this.loader.replaceBy(records);
    this.paging = Paging.begin<M>(undefined, records.filter((record) => !record.phantom).length);
    this.countDelta.restart(this.definition.clock.now);
    return records;
  }

  /** Aborts the load under way, which rejects with `AbortError`. */
  abort(): void {
    this.endDelay();
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
  async sync(options: SyncOptions<M> = {}): Promise<Batch<M>> {
    return syncSources<M>([this.syncSource()], options);
  }

  /** What a `sync()` of several takes of this store. */
  protected syncSource(): SyncSource<M> {
    const { proxy, recordSet } = this;
    let last: Operation | undefined;
    return {
      recordSet,
      observers: recordSet.observers.all,
      concurrency: this.config.concurrency,
      pending: () => ({
        create: this.getNewRecords(),
        update: this.getUpdatedRecords(),
        destroy: this.getRemovedRecords(),
      }),
      wants: (record, action) => (action === 'create' ? recordSet.holds(record) : recordSet.hidden(record)),
      proxyOf: () => proxy,
      ended: ({ action, error }, operation) => {
        this.flush();
        if (error) this.events.emit('exception', { error, operation: operation ?? new Operation({ action }) });
        // Several records may have gone in one, or none.
        else if (operation && operation !== last && (operation.request ?? operation.resultSet))
          this.events.emit('write', { operation: (last = operation) });
      },
    };
  }

  // ── Inside ──

  protected override setQuery(part: Partial<QueryState>, options?: QueryOptions): void {
    const { observers } = this.recordSet;
    const query = { ...this.query, ...part };
    for (const observer of observers.having('checkQuery')) observer.checkQuery(query);
    const switched = 'remoteSort' in part || 'remoteFilter' in part;
    const remote = !switched && ('filters' in part || 'search' in part ? this.remoteFilter : this.remoteSort);
    if (!remote) this.checkComplete(this.paging.complete, query);
    super.setQuery(part, options);
    if (switched) this.followSwitch();
    if (!remote) return;
    this.paging = this.paging.restart();
    this.outdated = true;
    if ((options?.delay ?? 0) > 0) {
      this.loader.supersede();
      for (const observer of observers.having('queryDelayed')) observer.queryDelayed();
    } else this.requery();
  }

  protected override applyQuery(): void {
    super.applyQuery();
    if (this.outdated) this.requery();
  }

  /** Rows that are not loaded yet come in another order, or others come, from now on. */
  private followSwitch(): void {
    if (!this.paging.complete) this.paging = this.paging.restart();
    for (const observer of this.recordSet.observers.having('queryChanged')) observer.queryChanged();
  }

  /** Asks the server again, by another query. */
  private requery(): void {
    this.outdated = false;
    // Before the first load nothing is asked for: nobody has asked for anything yet.
    if (this.loaded || this.loading) this.loader.schedule({});
    for (const observer of this.recordSet.observers.having('queryChanged')) observer.queryChanged();
  }

  private checkComplete(complete: boolean, query: QueryState): void {
    if (!complete && !this.config.allowPartial) refusePartial(query);
  }

  /** A load, whose rows are taken in as they arrive where its reader streams. */
  protected createLoad(options: LoadOptions<M>, signal: AbortSignal): Load<M> {
    let startedAt = 0;
    const intake = this.openIntake(options);
    const onRows: RowsListener | undefined =
      intake &&
      ((rows, progress) => {
        checkRows(this.definition, this.proxy, rows as Data[], progress.records - rows.length);
        if (intake.before === undefined) this.paging = this.paging.takeFirstRows({ numbers: operation, options });
        intake.take({ result: new ResultSet({ rows }), startedAt }, this.modeOf(operation, options));
        this.flush();
        this.events.emit('progress', { ...progress, operation });
      });
    const operation = this.createOperation(options, signal, onRows);
    return {
      operation,
      read: () => {
        this.checkStream();
        startedAt = nextTime(this.definition);
        return this.read(operation, startedAt);
      },
      take: (page) => this.take(page, operation, options, intake),
      failed: (error) => {
        if (intake?.before !== undefined) this.paging = this.paging.breakOff();
        this.fail(error, operation);
      },
    };
  }

  /** What takes the rows of a load in while they arrive; undefined where they can only be shown together. */
  private openIntake({ limit = this.pageSize }: LoadOptions<M>): RowsIntake<M> | undefined {
    // A local query needs all rows, and only the end of an answer tells whether these are all.
    if (limit > 0 && !this.config.allowPartial && isLocal(this.query)) return undefined;
    const { recordSet, pages } = this;
    return recordSet.observers.having('openIntake').at(-1)?.openIntake(recordSet, pages);
  }

  /** Throws `DefinitionError` where answers are to be read while they arrive, and no part takes them in. */
  private checkStream(): void {
    const { stream } = this.proxy.reader as { readonly stream?: boolean };
    if (stream && this.recordSet.observers.having('openIntake').length === 0)
      throw storePartMissing('streamIntake', '`reader: { stream: true }`');
  }

  /** Throws where the application refuses a load; where its function fails, listeners are told as well. */
  protected checkLoad(operation: Operation): void {
    const error = loadRefusal(this.config, operation, this.definition);
    if (!error) return;
    if (error.code !== 'abort') {
      this.lastError = error;
      this.events.emit('exception', { error, operation });
    }
    throw error;
  }

  protected createOperation(options: LoadOptions<M>, signal: AbortSignal, onRows?: RowsListener): Operation {
    const { id, url, pathParams, headers, next } = options;
    const {
      sorters,
      filters,
      groupers: [grouper, ...inner],
      searchText,
    } = this.query;
    const params = next?.params ? { ...options.params, ...next.params } : options.params;
    return new Operation({
      action: 'read',
      model: this.definition,
      ...{ id, url, params, pathParams, headers, signal, onRows, link: next?.url },
      ...pageNumbers(options, this.pageSize),
      // One grouper is all that there are parameters for: inner groups are runs of an order.
      ...(this.remoteSort && { sorters: inner.length > 0 ? [...inner, ...sorters] : sorters, grouper }),
      ...(this.remoteFilter && { filters, search: searchText || undefined }),
    });
  }

  protected async read(operation: Operation, startedAt: number = nextTime(this.definition)): Promise<Page> {
    if (isSingleton(this.proxy)) throw new AddressError('url-singleton');
    const result = await this.proxy.read(operation);
    checkRows(this.definition, this.proxy, result.rows as Data[]);
    return { result, startedAt };
  }

  /** How the rows of a load are taken in. */
  private modeOf(operation: Operation, { addRecords: append = false }: LoadOptions<M>): PageMode {
    return { append, paged: isPaged(operation), incomplete: this.proxy.reader.rows === 'incomplete' };
  }

  /** Takes an answer in: what cannot be shown is refused before anything is changed. */
  private take(page: Page, operation: Operation, options: LoadOptions<M>, intake?: RowsIntake<M>): readonly M[] {
    const { pages } = this;
    const { result } = page;
    const { count, total, next } = result;
    const rows = pages.compare(page, intake);
    const paging = this.paging.take({ numbers: operation, options, count, total, next, rows });
    this.compile(this.query);
    this.checkComplete(paging.complete, this.query);
    const mode = this.modeOf(operation, options);
    const records = intake?.before === undefined ? pages.take(page, mode) : intake.finish(page, mode);
    pages.close();
    this.paging = paging;
    this.countDelta.restart(page.startedAt);
    this.hasLoaded = true;
    this.lastError = undefined;
    this.flush();
    this.events.emit('load', { records, operation });
    return records;
  }

  private fail(error: AnyDataError, operation: Operation): void {
    this.lastError = error;
    this.pages.close();
    this.flush();
    this.events.emit('exception', { error, operation });
  }
}

const LOAD_CALL: CallRules = { owner: 'load', rules: LOAD_RULES, kind: 'load' };
const MORE_CALL: CallRules = { owner: 'loadMore', rules: MORE_RULES, kind: 'load' };
