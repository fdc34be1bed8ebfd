import { checkGiven, checkNames, checkOptions, checkValues, inDevelopment, rejectMistake } from '../dev/checks.js';
import { answerOptions } from '../dev/made-options.js';
import type { Dialect } from '../dialect/dialect.js';
import { inWords } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import type { Messages } from '../errors/message-format.js';
import { AddressError, StateError } from '../errors/mistakes.js';
import type { Rule } from '../errors/option-rules.js';
import { AbortError } from '../errors/request-errors.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { includesOutbox } from '../extension/hooks.js';
import { type CheckCall, runCall } from '../model/call.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { modelClass } from '../model/model-options.js';
import { checkRows } from '../model/read.js';
import { type WrittenRows, weakOwner } from '../model/record-owner.js';
import { nextTime } from '../model/settle.js';
import { isSingleton } from '../model/singleton.js';
import { DEFINITION, SETTINGS } from '../model/symbols.js';
import type { AnyId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import { Operation, type RowsListener } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { ParamsConfig } from '../operation/params-config.js';
import { checkPaging } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type Clock, systemClock } from '../util/clock.js';
import { type Data, isData, isObject } from '../util/data-path.js';
import type { Source } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import type { CompiledQuery } from './compile-query.js';
import { FirstLoad } from './first-load.js';
import { foreignError, givenRecord } from './given-record.js';
import { serverId } from './id-index.js';
import { innerStore, type ListedRows, type LoadPart } from './inner-store.js';
import { openIntake, type RowsIntake } from './load-intake.js';
import { loadRefusal } from './load-refusal.js';
import { type Load, Loader, type LongLoadOptions, READ_TO } from './loader.js';
import { type Page, type PageMode, PageReader, type StartTimes } from './page-reader.js';
import type { LoadMoreOptions, LoadOptions } from './paging.js';
import {
  type AnsweredRows,
  beginPaging,
  checkPageSize,
  endOfReload,
  endsBefore,
  isPaged,
  nextLoad,
  type Paging,
  pageBefore,
  pageNumbers,
  pageToReload,
  pagingAfterAnswer,
  pagingAfterFirstRows,
  restartPages,
  restartPaging,
} from './paging.js';
import { PendingChanges, type PendingRecords } from './pending-changes.js';
import { ProxySource } from './proxy-source.js';
import { derived, type Query } from './query.js';
import { isFiltered, partialQuery, type QueryRules } from './query-rules.js';
import type { Receiver } from './receive.js';
import { reasonOfChange } from './receive-rows.js';
import { RecordSet } from './record-set.js';
import { type KnownEvents, RecordView } from './record-view.js';
import type { RemoteSetting } from './remote-rules.js';
import { RemoteRules, type RemoteSettings } from './remote-rules.js';
import { attachSession } from './sharing.js';
import { countedRecordsOf, type StaleReason, StatusFeed, type StoreStatus } from './status-feed.js';
import type { QueryOptions, StoreConfig, StoreEvents, SyncOptions } from './store-config.js';
import { checkLoad, checkLoadMore, REMOTE_RULES, STORE_OPTIONS, STORE_RULES } from './store-options.js';
import type { GivenRows, StoreScope } from './store-scope.js';
import { createSyncSource, type SyncSource } from './sync-job.js';
import { syncSources } from './syncer.js';

const STORE_ARGUMENT: Rule = { expected: 'an object, such as `{ model: User }`', holds: isData };
const STORE_EVENTS: readonly (keyof StoreEvents<Model>)[] = [
  'change',
  'sort',
  'filterchange',
  'groupchange',
  'progress',
  'load',
  'write',
  'exception',
];

/** A response to one of the requests of a load. */
interface LoadedPage<M extends Model> {
  readonly page: Page;
  readonly attempt: LoadAttempt<M>;
}

/** One request of a load. */
interface LoadAttempt<M extends Model> {
  /** Says which part of the query the server applies. */
  readonly rules: QueryRules<M>;
  readonly options: LoadOptions<M>;
  readonly operation: Operation;
  /** Puts the rows in place while they arrive; undefined: they are put in place together. */
  readonly intake: RowsIntake<M> | undefined;
  /** Size of the collection as it was known when the request was made. */
  totalBefore: number | undefined;
  startedAt: number;
}

/**
 * Holds records of one model: loads pages of them, shows them sorted and filtered, and keeps pending changes until `sync()` writes
 * them.
 *
 * @example
 * ```ts
 * const users = new Store({ model: User, pageSize: 25, sorters: ['name'] });
 * await users.load();
 * users.add({ name: 'Grace' });
 * const batch = await users.sync();
 * ```
 */
export class Store<M extends Model, O = unknown> extends RecordView<M, O> {
  /** Only these options: if the type included sorters, a `Store<User>` could not be assigned to `Store<Model>`. */
  protected readonly config: Pick<StoreConfig<M>, 'proxy' | 'allowPartial' | 'canLoad' | 'concurrency' | 'newRecords'>;
  private isDisposed = false;
  /** Says who sorts and filters. */
  private remote: RemoteRules<M>;
  protected readonly pendingChanges: PendingChanges<M>;
  protected readonly statusFeed: StatusFeed<M, StoreStatus> = new StatusFeed<M, StoreStatus>(
    countedRecordsOf(this.recordSet),
    () => {
      const { loading, lastError: error, hasLoaded: loaded, loadsDone: loadCount, whyStale: staleReason, total } = this;
      return { loading, error, loaded, loadCount, stale: staleReason !== undefined, staleReason, total };
    },
    () => {
      this.recordSet.observers.tell('statusChanged');
    },
    this.recordSet.watched,
  );
  protected readonly firstLoad: FirstLoad = new FirstLoad();
  protected lastError: AnyDataError | undefined = undefined;
  protected hasLoaded: boolean = false;
  /** Why the list may lack rows that were received, or show them in a wrong place; undefined: it does not. */
  protected whyStale: StaleReason | undefined = undefined;
  /** How far `refreshStale()` has read the list last: another reload would find the same `fewerRows`. */
  protected readonly unmended: Paging<M> | 'reading' | undefined = undefined;
  /** The last write during a load that may lack what was written: when, on the clock of the model, and what the list then lacks. */
  private missed: { readonly at: number; readonly reason: StaleReason } | undefined = undefined;

  private rowsPerPage: number;
  private readonly loader: Loader<M>;
  protected readonly pageReader: PageReader<M>;
  /** How far the collection has been read, and where the next rows are. */
  protected paging: Paging<M>;
  /** The query that the server applied to the loaded rows; undefined: it did not filter them. */
  private sentQuery: Query<M> | undefined = undefined;
  /** The options of `autoLoad`. */
  protected readonly firstOptions: LoadOptions<M> | undefined;
  /** The load that began the present list; undefined: the application has given the records. */
  protected lastLoad: Operation | undefined = undefined;
  /** Whether the query has changed since the server was last asked. */
  protected outdated = false;
  /** Whether the list has to be loaded again for the changed query; otherwise only the windows ask the server. */
  private reloadsList = false;
  protected readonly proxySource: ProxySource;
  /** The calls that wait for a load. */
  private readonly waiting: Set<{ promise?: Promise<unknown> }> = new Set();
  protected readonly hasProxy: boolean;
  /** Whether the application has given the first records. */
  private readonly hasData: boolean;
  /** Takes the rows that do not come by a load; undefined until the first ones come. */
  protected readonly receiver: Receiver<M> | undefined = undefined;
  protected readsInFlight = 0;
  private loadsDone = 0;
  /** The load that failed last, and the query that it asked for. */
  private failedLoad: { readonly options: LoadOptions<M>; readonly query: Query<M> } | undefined = undefined;

  constructor(config: StoreConfig<M, O>);
  constructor(
    config: StoreConfig<M, O>,
    protected readonly scope: StoreScope<M> = {},
  ) {
    checkConfig(config, new.target);
    super(new RecordSet<M>(), config.model, config);
    const { recordSet } = this;
    this.follow();
    this.config = config;
    this.pendingChanges = new PendingChanges<M>(recordSet);
    const { remoteSort, remoteFilter, session, pageSize = 25, autoLoad, data } = config;
    this.remote = new RemoteRules<M>({ remoteSort, remoteFilter }, this.rules, () => this.defaultRemote);
    this.inWords(() => {
      attachSession(session, innerStore<Model>(this));
      this.rules.refuseUnsendable(this.query);
    });
    recordSet.store = innerStore(this);
    if (session) recordSet.owner = weakOwner(recordSet);
    if (data) this.inWords(() => this.addFirst(data));
    const loading = autoLoad === true ? {} : autoLoad || undefined;
    this.inWords(() => {
      checkPageSize(pageSize);
      if (loading) checkLoad(loading);
      checkPaging(loading ?? {}, 1);
    });
    this.rowsPerPage = pageSize;
    this.proxySource = new ProxySource(this.model as never, config.proxy);
    this.hasData = data !== undefined;
    this.paging = beginPaging<M>(loading ?? (data ? undefined : {}), data?.length);
    this.pageReader = new PageReader<M>(recordSet, this.definition, innerModel(this.model));
    this.loader = new Loader<M>(innerStore(this));
    const { [SETTINGS]: settings } = innerModel(this.model);
    this.hasProxy = (config.proxy ?? settings?.proxy) !== undefined;
    recordSet.countDelta.countedRows = () => {
      const { query, part } = this.listed;
      return rowsOf(this.sentQuery ?? query, query, part);
    };
    // Without a total, there is no number that may be wrong.
    recordSet.countDelta.becomeUnknown = () => this.markStale(this.paging.total === undefined ? undefined : 'count');
    recordSet.clock = () => (this.hasProxy && (this.proxy as { clock?: Clock }).clock) || systemClock;
    // Reading `this.proxy` creates it, so that happens here only for a proxy with an outbox.
    if ([settings?.proxyOption, config.proxy].some(includesOutbox)) this.proxy.hooks.keeper?.opened(innerStore(this));
    this.firstOptions = loading;
    recordSet.observers.tell('opened');
    if (loading && !this.hasLoaded) this.loader.schedule(loading);
  }

  /**
   * The names of all options. A store class that has further options adds their names, because unknown options are refused:
   * `static override optionNames() { return [...super.optionNames(), 'title']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(STORE_OPTIONS);
  }

  /** The proxy that loads and writes the records: the proxy of the model, or the store's own with the option `proxy`. */
  get proxy(): DataProxy {
    return this.proxySource.get();
  }

  /** Number of rows per page; 0 for all rows at once. */
  get pageSize(): number {
    return this.rowsPerPage;
  }

  /**
   * Sets parameters for all requests of this store: its loads, its windows and its `sync()`. They replace `extraParams` of the proxy with
   * the same name, and are replaced by `params` of a call. The proxy of the model and other stores do not change, so `record.save()` does
   * not send them. This starts no load: call `load()`. A load in flight is repeated for page 1 with the new parameters, open windows load
   * their records again, and `loadMore()` begins with page 1. A further call replaces all parameters of the call before;
   * `setExtraParams({})` removes them. A function is called for each request. Throws `DefinitionError` for any other value, and if the
   * proxy has no option `extraParams`.
   *
   * `params` of a call come first, then these, then `extraParams` of the proxy, then those of pages, order and filters. A function is
   * called for each read, and for each write when it is called; an outbox sends a write with the parameters that were set when it was
   * saved.
   *
   * @example
   * ```ts
   * users.setExtraParams({ team: 'sales' });
   * await users.load(); // GET /users?team=sales&…
   * ```
   */
  setExtraParams(params: ParamsConfig): void {
    this.checkOpen();
    this.inWords(() => this.proxySource.setExtraParams(params));
    this.recordSet.observers.tell('restarted');
    this.restart();
  }

  /**
   * Size of the whole collection: the server's number, corrected by the records created and erased here since; undefined if the server
   * gave none. Under remote filters only those erased records are counted that the server has given for these filters, because only the
   * server knows whether others pass them: the erase of another one makes the list `stale`, and new records are not counted.
   *
   * Without a number of the server, it is known as soon as the last page is loaded. `reader.totalProperty` and `countUrl` say where the
   * server tells it.
   */
  get total(): number | undefined {
    return this.recordSet.countDelta.addTo(this.paging.total);
  }

  /** The number of the page that was loaded last. */
  get currentPage(): number {
    return this.paging.currentPage;
  }

  /** Whether a load is in flight or scheduled. */
  protected get loading(): boolean {
    return this.loader.loading || this.scope.isReading === true;
  }

  /** Whether `dispose()` was called. */
  get disposed(): boolean {
    return this.isDisposed;
  }

  /**
   * Whether the store is known to hold all rows of its collection, so that with `remoteSort` and `remoteFilter` `'auto'` it sorts and filters
   * by itself. Proof is that the server applied no filter, and the total that it told is not above the loaded rows, or its last page names no
   * next one, or the application said so (`pageSize: 0`, `reader: { complete: true }`). A first page that is shorter or longer than asked for
   * proves nothing: the server may send fewer rows at a time, or ignore the limit.
   */
  get holdsAll(): boolean {
    const { paging, hasProxy, hasLoaded, showsAll } = this;
    if (!hasLoaded) return !hasProxy || paging.next === undefined;
    return showsAll && paging.complete && !paging.outdated;
  }

  /** Whether the rows that are shown are all rows of the collection, or no row was loaded yet. */
  private get showsAll(): boolean {
    return !this.hasLoaded || isWhole(this.paging, this.sentQuery);
  }

  /** The setting that counts if the options of the store do not say so. */
  private get defaultRemote(): RemoteSetting {
    const { dialect } = (this.hasProxy ? this.proxy : {}) as { readonly dialect?: Dialect };
    return dialect?.capabilities.localFirst ? false : 'auto';
  }

  /**
   * Whether there may be more rows behind the loaded ones.
   *
   * True before the first load. False if the list has as many rows as the total says; without a total, after an empty page or a short one
   * behind a full one; after the last link or token; and if a response brought nothing new. A first page that is shorter than asked for
   * proves nothing without a total.
   */
  get hasMore(): boolean {
    return this.paging.next !== undefined;
  }

  /** Whether the server filters the records. */
  protected get isServerFiltered(): boolean {
    return isFiltered(this.rules.split(this.query).sent);
  }

  /**
   * Changes who sorts and groups, and who filters and searches, from now on, as the options `remoteSort` and `remoteFilter`; what is left out
   * stays. This starts no load: call `load()` for the records and the order of the server; until then all loaded records are shown, in the
   * order in which they came. A load in flight is repeated for page 1, open windows load their records again, and `loadMore()` begins with
   * page 1. Records that the server has filtered are no whole collection: until the next load, other filters throw. Throws
   * `UnsupportedQueryError`, and changes nothing, if the store would have to sort or filter a partly loaded collection locally, or send what
   * cannot be sent.
   *
   * @example
   * ```ts
   * users.setRemote({ remoteSort: true });
   * await users.load();
   * ```
   */
  setRemote(settings: { readonly remoteSort?: RemoteSetting; readonly remoteFilter?: RemoteSetting }): void {
    inDevelopment(inWords, this.definition.messages, () => checkOptions('setRemote()', settings, REMOTE_RULES));
    const { remote, rules } = this;
    const changed = remote.with(settings);
    if (!changed) return;
    this.remote = changed;
    try {
      const next = this.showsAll ? this.wholeRules : this.partRules;
      const isSame = (each: keyof RemoteSettings) => next.options[each] === rules.options[each];
      // The present query is answered as before, so nothing has to be shown or asked again.
      if (isSame('remoteSort') && isSame('remoteFilter')) this.useRules(next);
      else this.inWords(() => this.applyChange(this.query, next));
    } catch (error) {
      this.remote = remote;
      throw error;
    }
  }

  /**
   * Finds a record by its id, also if it is filtered out or pending on another page, but not if it was removed. The ids `7` and `'7'`
   * are the same.
   */
  getById(id: AnyId): M | undefined {
    const record = this.recordSet.index.get(id);
    return record && !this.recordSet.hidden(record) ? record : undefined;
  }

  /**
   * The activity of the store as a source, for a screen: `{ loading, saving, error, loaded, loadCount, stale, staleReason,
   * pending, queued, total }`. It tells its listeners at once, in the same call: the start and the end of each load and save, an edit, an error.
   *
   * @example
   * ```ts
   * users.status.subscribe(() => console.log(users.status.get().loading));
   * ```
   */
  get status(): Source<StoreStatus> {
    return this.statusFeed.source;
  }

  /**
   * A promise of the first load: the same one until that load has ended, and after it has succeeded. It never loads by itself. It rejects
   * with the error of the first load if that fails, is refused by `canLoad` or is aborted; the next load then has a promise of its own.
   *
   * @example
   * ```ts
   * void users.load();
   * await users.ready;
   * ```
   */
  get ready(): Promise<void> {
    return this.firstLoad.promise;
  }

  // ── Loading and writing ──

  /**
   * Loads a page: the first one, or that of the option `page`. Pending changes are kept. The last load wins: the promise of a superseded
   * load settles as that of its successor. Rejects with a `DataError`.
   *
   * Two equal loads at the same time are one request. A failed load comes as the event `exception` too, and is in `error` of `status`
   * until the next success; a load whose `signal` was aborted before it began only rejects.
   *
   * @example
   * ```ts
   * await users.load();
   * show(users.count, users.getById(7)?.name); // 1 'Ada'
   * ```
   */
  load(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    if (this.scope.isComplete?.() && !this.disposed) return Promise.resolve(this.setRecords(this.recordSet.inPlace()));
    return this.waitForLoad(checkLoad, options, async () => {
      checkPaging(options, 1);
      const { fields, ...rest } = options;
      const query = fields ? (options.query ?? this.query).with({ fields }) : options.query;
      if (query && !options.signal?.aborted) this.setQuery(query);
      if (!options.signal?.aborted) this.endDelay();
      // Rows of another query must not stay before the rows of the present one.
      const isRestarted = options.addRecords && this.paging.restarted;
      const asked = fields ? { ...rest, query } : options;
      return await this.loader.load(isRestarted ? { ...asked, addRecords: false } : asked);
    });
  }

  /**
   * Loads the next rows and appends them: the next page, or the link that the server gave. A record that is loaded already is updated and
   * keeps its place. If `hasMore` is false, resolves with an empty list, and sends nothing. Rejects with a `DataError`.
   *
   * Two calls at once are one request, and a call during `load()` returns that load. After erases here, which move the rows behind them
   * up, the call goes back by as many pages, so that no row is left out; with tokens and addresses, the server has to take care of that.
   * If it fails, everything is as before.
   *
   * An address that the server gave is followed as it is on the origin of the proxy. If it is on another one, only its query is used, on
   * the address of the proxy, or the call rejects with `AddressError` if it has none; `trustLinks` allows to follow it there.
   *
   * @example
   * ```ts
   * document.addEventListener('scrollend', () => users.hasMore && users.loadMore());
   * ```
   */
  loadMore(options: LoadMoreOptions = {}): Promise<readonly M[]> {
    const next = nextLoad(this.paging, this.recordSet.countDelta.erasedSinceLoad);
    const skipped = this.loader.waitForReplacement(options?.signal) ?? (next ? undefined : Promise.resolve([]));
    if (skipped) return this.waitForLoad(checkLoadMore, options, () => skipped);
    const load = () => this.load({ ...next, ...options, params: { ...next?.params, ...options.params } });
    return rejectMistake(checkLoadMore, options, this.definition.messages) ?? load();
  }

  /**
   * Loads the current page again; page 1 if the query or a setting has changed since it was loaded, and the last page if all rows of the
   * current one were erased here. A list that `loadMore()` has extended is read again as far as it was read, one request for each page: it
   * stays as it is until all pages have come. A load or another query that comes meanwhile ends that, and another `reload()` joins it.
   * Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * await users.reload(); // the rows on show, as the server has them now; edits that are not saved stay
   * ```
   */
  async reload(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    const { paging, pageSize, recordSet } = this;
    const { limit = pageSize, page } = Object(options) as LoadOptions<M>;
    const place = page === undefined ? pageToReload(paging, limit, this.knownEnd) : { page };
    const asked: LongLoadOptions<M> = { ...options, ...place, [READ_TO]: endOfReload(paging) };
    const refused = rejectMistake(checkLoad, options, this.definition.messages);
    const records = await (refused ?? this.load(asked));
    // Others have erased the rows of the page.
    if (records.length === 0 && !this.hasMore) this.rowErased();
    return paging.isExtended ? recordSet.inPlace() : records;
  }

  /**
   * Repeats the load that failed last: the same page, or the same rows to append. Sends nothing, and resolves with an empty list, if the last
   * load has succeeded. If the query has changed since, the store begins with page 1. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * await users.loadMore().catch(() => undefined);
   * if (users.status.get().error) await users.retry();
   * ```
   */
  retry(): Promise<readonly M[]> {
    const { lastError, failedLoad, query } = this;
    if (!lastError && !this.disposed) return Promise.resolve([]);
    return failedLoad?.query === query ? this.load(failedLoad.options) : this.reload();
  }

  /** The records in the order of the screen, from which a selection takes ranges. */
  protected recordsOnScreen(): readonly M[] {
    return this.scope.onScreen?.() ?? this.list.get().slice();
  }

  /** A write of this page has changed a row, also one that the list does not hold. */
  protected rowWritten(record: M, written: WrittenRows): void {
    const { recordSet, definition, scope, holdsAll, loading } = this;
    // Another proxy may have sent the write: that of the model, or of another store.
    if (this.hasProxy) this.proxy.hasWritten = true;
    const isListed = recordSet.holds(record);
    // With changes that are not saved, the record of a row that is gone stays in its lists.
    if (isListed && !written.after && !record.erased) return this.markStale('movedRow');
    const reasonFor = (sentQuery: Query<M> | undefined) =>
      reasonOfChange({ definition, scope, holdsAll, sentQuery }, written, isListed);
    // The rows of a load in flight, which may have another query, may be older than the write.
    const missing = loading ? reasonFor(this.rules.split(this.query).sent) : undefined;
    // Windows show the whole query of a store that was never loaded.
    const reason = reasonFor(this.sentQuery ?? this.query);
    if (!reason && !missing) return;
    const other = recordSet.index.getSaved(serverId(record));
    // A read has put the row in its place already, while its create was in flight.
    if (other && other !== record) return;
    if (missing) this.missed = { at: definition.clock.now, reason: missing };
    this.markStale(reason);
  }

  /** A row of the list is gone: its page lacks one, unless it is the last page. A page without any gives way to the last one. */
  protected rowErased(): void {
    const { paging, hasMore, lastLoad } = this;
    const { currentPage, isExtended } = paging;
    const { url, headers, limit = this.pageSize, query } = lastLoad ?? {};
    const { next, page = currentPage } = pageToReload(paging, limit, this.total);
    const isEmpty = this.recordSet.count === 0 && !this.loading;
    const isBehindEnd = isEmpty && (next ? !hasMore : page < currentPage);
    // The first page may be the beginning of a list that grows, of which `loadMore()` leaves out no row.
    if (currentPage < 2 || isExtended || !(isBehindEnd || hasMore)) return;
    this.markStale('count');
    if (!isBehindEnd) return;
    // The page before is asked for as the one was that has become empty.
    const { params, pathParams } = (query ?? {}) as Partial<Query<M>>;
    this.loader.schedule({ url, headers, limit, params, pathParams, ...(next ? pageBefore(paging) : { page }) });
  }

  /** Says that the list may lack rows, or show them in a wrong place. */
  protected markStale(why: StaleReason | undefined): void {
    const hasWindows = this.recordSet.observers.having('queryChanged').length > 0;
    if (!why || !(this.hasLoaded || hasWindows)) return;
    this.whyStale = why;
    this.statusFeed.update();
  }

  /** How the rows that the store shows were asked for, or will be when it is loaded. */
  protected get listed(): ListedRows<M> {
    const { hasLoaded, hasProxy, hasData, lastLoad, query } = this;
    const { id, url, headers } = lastLoad ?? {};
    // The record of one id is the whole list.
    const isGiven = hasLoaded ? lastLoad === undefined || id !== undefined : hasData;
    const { params, pathParams } = (lastLoad?.query ?? query) as Query<M>;
    return {
      query: derived(query, { params, pathParams }),
      part: { id, url, headers } as LoadPart,
      given: isGiven || !hasProxy,
    };
  }

  /**
   * Changes the number of rows per page; 0 for all rows at once. This starts no load: the loaded records stay, and the next `load()`,
   * `reload()`, `nextPage(store)` or `loadMore()` begins with page 1 of the new size, unless it names another page. A load in flight is
   * repeated for page 1 in the new size. Open windows keep their size. Throws `UnsupportedQueryError` if the size is not a whole number
   * from 0.
   *
   * @example
   * ```ts
   * users.setPageSize(50);
   * await users.load();
   * ```
   */
  setPageSize(pageSize: number): void {
    this.checkOpen();
    this.inWords(() => checkPageSize(pageSize));
    if (pageSize === this.rowsPerPage) return;
    this.rowsPerPage = pageSize;
    this.paging = restartPages(this.paging);
    this.loader.restart();
  }

  /**
   * Replaces the loaded records by rows as the server sends them, or by records of the model, without a request. The store treats them as
   * the response to a load of the whole collection: a row updates the record with its id and keeps its edits, pending records stay pending,
   * new ones stay at the end, `total` is the number of saved records, and `hasMore` is false. A load in flight is aborted, and its
   * promise resolves with these records. `status` then has `loaded` true, and no `error`. The rows are copied: later changes of the given
   * objects change no record. Returns the records, each of them once. Throws `StateError`, and changes nothing, for an item that is
   * neither a record nor a row, for an erased record, and for a record whose id another record has; with `reader: { strict: true }` throws
   * `ReadError` for a row with a refused value.
   *
   * @example
   * ```ts
   * users.setRecords([{ id: 7, name: 'Ada' }, { id: 8, name: 'Grace' }]);
   * ```
   */
  setRecords(items: readonly (M | object)[]): readonly M[] {
    const given: GivenRows = this.scope.given?.(items, 'setRecords') ?? { rows: items };
    this.checkOpen();
    const set = this.statusFeed.hold(() => {
      const records = this.inWords(() =>
        this.pageReader.replaceAll(given.rows, this.hasProxy ? this.proxy : undefined),
      );
      this.placeNewRecords();
      this.loader.replaceBy(records);
      const total = records.filter((record) => !record.phantom).length;
      this.finishLoad(beginPaging<M>(undefined, total), undefined, this.definition.clock.now);
      return records;
    });
    given.placed?.();
    return set;
  }

  /**
   * Aborts the load in flight, whose promise rejects with `AbortError`, and cancels a scheduled one.
   *
   * @example
   * ```ts
   * const loading = users.load();
   * users.abort(); // such as "Stop"
   * await loading.catch((error) => show(error.code)); // 'abort'; the records that were there stay
   * ```
   */
  abort(): void {
    this.endDelay();
    this.loader.abort();
  }

  /**
   * Writes all pending changes: creates, updates and destroys, several requests at a time. A record that fails does not reject the
   * promise: the batch has an outcome for each record.
   *
   * A record that failed stays as it was, and the next call tries it again. A removed record whose erase failed comes back into its place,
   * with the reason in `$.error`.
   *
   * @example
   * ```ts
   * const batch = await users.sync();
   * for (const { record, error } of batch.failures) console.log(record.getId(), error.message);
   * ```
   */
  async sync(options: SyncOptions<M> = {}): Promise<Batch<M>> {
    this.checkOpen();
    const { companion } = this.scope;
    const others = companion ? [companion.syncSource() as SyncSource<M>] : [];
    return syncSources<M>([this.syncSource(), ...others], options, this.definition.messages);
  }

  /**
   * Ends the store for good, for example with the component that made it. The store is empty from then on and has no listeners; its views
   * and windows end with it, and so does `keepFresh()`. Calls that would load, write or change anything throw or reject with `StateError`
   * (`disposed`); a further `dispose()` does nothing.
   *
   * A load in flight or scheduled is aborted without an event; its promise rejects with `AbortError`, which is not reported if nobody
   * handles it. Writes in flight end as usual, and a running `sync()` writes the rest of its records.
   *
   * Pending changes are never dropped. In a session they stay pending there, and its next `sync()` writes them by the proxy of this store;
   * an outbox keeps its queued writes. Otherwise the records keep their edits, and each can still be written by its `save()` or `erase()`,
   * but no `sync()` knows them any more: the event `exception` then tells an `AbortError`, with the records in its operation, before the
   * listeners are removed. `status.get().pending` tells beforehand whether there are any.
   *
   * A store that is not disposed of is collected when nobody uses it: not while it has listeners, views, windows or `keepFresh()` in use,
   * or pending changes in a session.
   *
   * @example
   * ```ts
   * const users = new Store({ model: User });
   * await users.load();
   * users.dispose();
   * ```
   */
  dispose(): void {
    if (this.disposed) return;
    const { name: model, messages } = this.definition;
    const error = new AbortError('store-disposed', { model }, { messages });
    this.reportUnsaved();
    this.statusFeed.hold(() => {
      for (const { promise } of this.waiting) promise?.catch(() => undefined);
      this.waiting.clear();
      this.loader.dispose(error);
      this.firstLoad.end(error);
      // Screens that wait for the first load stop waiting.
      if (!this.hasLoaded) this.lastError = error;
      this.isDisposed = true;
      this.events.clear();
      this.recordSet.observers.tell('storeDisposed');
      this.recordSet.dispose();
      this.stop();
    });
    this.statusFeed.source.end(true);
  }

  /** This store as a source of pending changes, for a `sync()` of several stores. */
  protected syncSource(): SyncSource<M> {
    return createSyncSource<M>(innerStore(this));
  }

  /**
   * Removes all records of the loaded pages, also those that are filtered out. With `silent`, the store emits no `change` for it; screens
   * that follow `list`, and views, show it all the same. Inside `batch()` and listeners it is told with the other changes.
   */
  removeAll(silent: boolean = false): M[] {
    const removeThem = () => this.takeAway(this.recordSet.inPlace());
    return this.statusFeed.hold(() => (silent ? this.silently(removeThem) : removeThem()));
  }

  // ── Pending changes ──

  /**
   * The records with pending changes, whatever page is shown: new ones, edited ones, and removed ones that are not erased on the server yet.
   *
   * @example
   * ```ts
   * const { created, edited, removed } = users.pending;
   * show(`${created.length} new, ${edited.length} changed, ${removed.length} removed`);
   * ```
   */
  get pending(): PendingRecords<M> {
    return this.pendingChanges.records();
  }

  /**
   * Takes back all pending changes: drops edits and new records, and shows removed records again. Writes in flight go on, and what an outbox has
   * queued stays.
   */
  reject(): void {
    const { scope, pendingChanges } = this;
    this.statusFeed.hold(() => {
      scope.companion?.reject();
      pendingChanges.reject();
      scope.arrange?.();
    });
  }

  /**
   * Accepts all edits as saved without a request, and drops removed records. New records stay new. Throws `StateError`, and changes
   * nothing, while an edited record is being saved.
   */
  commit(): void {
    this.statusFeed.hold(() => this.pendingChanges.commit());
  }

  override batch<T>(fn: () => T): T {
    return this.statusFeed.hold(() => super.batch(fn));
  }

  override on<
    K extends 'change' | 'load' | 'write' | 'exception' | 'progress' | 'sort' | 'filterchange' | 'groupchange',
  >(event: K, listener: (event: StoreEvents<M>[K]) => void): () => void {
    return super.on(event as 'change', listener as never);
  }

  // ── Internal ──

  protected override knownEvents(): KnownEvents {
    return { owner: 'a store', names: STORE_EVENTS };
  }

  /** The rules of the query while the store holds everything. */
  protected get wholeRules(): QueryRules<M> {
    return this.remote.whole;
  }

  /** The rules of the query while the store does not hold everything, or is not known to; the same unless a setting is `'auto'`. */
  protected get partRules(): QueryRules<M> {
    return this.remote.part;
  }

  /** Throws `StateError` after `dispose()`. */
  protected checkOpen(): void {
    if (!this.isDisposed) return;
    const { name: model, messages } = this.definition;
    throw new StateError('disposed', 'store-disposed', { model }, { messages });
  }

  /** Runs a call that waits for a load. If the store is disposed of meanwhile, its rejection counts as handled. */
  private waitForLoad(
    check: CheckCall,
    options: LoadOptions<M>,
    run: () => Promise<readonly M[]>,
  ): Promise<readonly M[]> {
    const call: { promise?: Promise<unknown> } = {};
    const { waiting, definition } = this;
    const promise = runCall(check, options, definition.messages, async () => {
      this.checkOpen();
      waiting.add(call);
      try {
        return await run();
      } finally {
        waiting.delete(call);
      }
    });
    call.promise = promise;
    return promise;
  }

  /** Emits `exception` if nobody but this store knows of pending changes. */
  private reportUnsaved(): void {
    const { recordSet, definition } = this;
    const { name: model, messages } = definition;
    const { created, edited, removed } = this.pending;
    const unsaved = [...created, ...edited, ...removed].filter(
      (record) => recordSet.isOnlyOwner(record) && !recordSet.willBeWritten(record),
    );
    if (unsaved.length === 0) return;
    const operation = new Operation({ action: 'update', records: unsaved });
    const error = new AbortError('store-unsaved', { model, count: unsaved.length }, { messages, operation });
    this.events.emit('exception', { error, operation });
  }

  protected override applyChange(query: Query<M>, rules: QueryRules<M>, options?: QueryOptions): void {
    const { wholeRules, partRules, query: before } = this;
    this.recordSet.observers.tell('checkQuery', query, partRules);
    const isSwitch = rules !== this.rules;
    const { remoteSort, remoteFilter } = rules.options;
    const isSorted = query.sorters !== before.sorters || query.groupers !== before.groupers;
    const isFiltered = query.filters !== before.filters || query.search !== before.search;
    const asksElse =
      query.params !== before.params || query.pathParams !== before.pathParams || query.fields !== before.fields;
    const isAuto = wholeRules !== partRules;
    const isLocal = (isSorted && !remoteSort) || (isFiltered && !remoteFilter);
    if (isSwitch || (isLocal && !isAuto)) this.checkLocalQuery(query, rules);
    // With other filters, or of another collection, the store may hold everything that the server finds.
    else if (isAuto && isSorted && !isFiltered && !asksElse && rules === partRules)
      this.checkComplete(this.paging.complete, query, rules);
    const asks = ({ options: server }: QueryRules<M>) =>
      asksElse || (isSorted && server.remoteSort) || (isFiltered && server.remoteFilter);
    // The response to a load in flight may hold everything; otherwise it is asked for again, with the query as it is then.
    const reloads = asks((this.loader.readsAll ?? this.holdsAll) ? wholeRules : partRules);
    this.checkOpen();
    super.applyChange(query, rules, options);
    this.recordSet.observers.tell('querySet');
    if (isSwitch) this.restart();
    else if (asks(partRules)) this.askServer(reloads, options);
  }

  /** Asks the server for the changed query, at once or after the delay: for the list, if it was loaded before and `reloads`, and for windows. */
  private askServer(reloads: boolean, options: QueryOptions = {}): void {
    if (reloads) {
      this.paging = restartPaging(this.paging);
      // The response of a load in flight belongs to the query before, even if `canLoad` refuses the load that follows.
      this.loader.supersede();
      this.reloadsList = true;
    }
    this.outdated = true;
    this.statusFeed.update();
    if ((options.delay ?? 0) > 0) this.recordSet.observers.tell('queryChanged');
    else this.requery();
  }

  protected override applyQuery(): void {
    super.applyQuery();
    this.recordSet.observers.tell('orderChanged');
    if (this.outdated) this.requery();
  }

  protected override useRules(rules: QueryRules<M>): void {
    const isOther = rules !== this.rules;
    super.useRules(rules);
    if (isOther) this.recordSet.observers.tell('orderChanged');
  }

  /** Starts again with the first page, because the server gives other rows, or another order, from now on. */
  private restart(): void {
    this.paging = restartPaging(this.paging);
    this.loader.restart();
    this.recordSet.observers.tell('queryChanged');
  }

  /** Loads the changed query from the server, if the store has loaded before. */
  private requery(): void {
    const { reloadsList, loader } = this;
    this.outdated = this.reloadsList = false;
    // A change of the query must not cause the first load: the application decides when to load.
    if (reloadsList && (this.hasLoaded || this.loading) && !loader.isScheduled) loader.schedule({});
    this.recordSet.observers.tell('queryChanged');
  }

  /** Throws for a query that the store would have to answer from a part of the collection. */
  private checkLocalQuery(query: Query<M>, rules: QueryRules<M>): void {
    const { sentQuery } = this;
    const isAnswered = rules.isAnsweredBy(sentQuery, query);
    this.checkComplete(this.paging.complete && isAnswered, query, rules);
    // Without the filters of the server, the loaded records would pass for the whole collection.
    const isWider = !this.rules.options.remoteFilter && !isAnswered;
    if (isWider && this.rules.isAnsweredBy(sentQuery, this.query) && !this.config.allowPartial)
      throw partialQuery('Filter');
  }

  private checkComplete(complete: boolean, query: Query<M>, rules: QueryRules<M>): void {
    if (!complete && !this.config.allowPartial) rules.refuseLocal(query);
  }

  /** Creates a load. */
  protected createLoad(options: LongLoadOptions<M>, signal: AbortSignal): Load<M> {
    const { [READ_TO]: end } = options;
    const rules = this.rulesForLoad(options);
    const first = this.createAttempt(options, signal, rules, end === undefined);
    let attempt = first;
    const { wholeRules, query } = this;
    const again = (askedRules: QueryRules<M>, asked = options) => {
      attempt = this.createAttempt(asked, signal, askedRules, false);
      const refusal = loadRefusal(this.config, attempt.operation, this.definition);
      if (refusal) throw refusal;
      return attempt;
    };
    const pages: LoadedPage<M>[] = [];
    // No page is shown before all have come, so that a request that fails takes no record away.
    const readPages = async (reading: Promise<Page>, end: number) => {
      const { countDelta } = this.recordSet;
      let { paging } = this;
      let erased = countDelta.erasedSinceLoad;
      for (;;) {
        const page = await reading;
        const { count, rows } = page.result;
        const hasNewRow = () => count > 0 && !isSame(rows, pages.at(-1)?.page.result.rows);
        paging = this.pagingAfter(page, attempt, paging, { countTogether: () => 0, hasNewRow });
        if (signal.aborted || !endsBefore(paging, end)) return page;
        pages.push({ page, attempt });
        const { erasedSinceLoad } = countDelta;
        const next = nextLoad(paging, erasedSinceLoad - erased);
        erased = erasedSinceLoad;
        reading = this.readAttempt(again(attempt.rules, next));
        attempt.totalBefore = countDelta.addTo(paging.total);
      }
    };
    return {
      get operation() {
        return attempt.operation;
      },
      get readsAll() {
        return attempt.rules === wholeRules;
      },
      read: () => {
        const isAuto = this.wholeRules !== this.partRules;
        const reading = isAuto ? this.readAttempts(first, signal, again) : this.readAttempt(first);
        return end === undefined ? reading : readPages(reading, end);
      },
      apply: (page) => this.applyPages([...pages, { page, attempt }]),
      failed: (error) => {
        this.abandonLoad(first.intake);
        this.failedLoad = { options: repeatable(options), query };
        this.reportFailure(error, attempt.operation);
      },
      abandoned: () => this.abandonLoad(first.intake),
    };
  }

  /**
   * Reads the response to a load. With `'auto'`, a second request follows if the first one left sorting and filtering to the store, and the
   * answer is not the whole collection; and if the server cannot apply the query, because the whole collection may be in one response.
   */
  private async readAttempts(
    first: LoadAttempt<M>,
    signal: AbortSignal,
    again: (rules: QueryRules<M>) => LoadAttempt<M>,
  ): Promise<Page> {
    const { wholeRules, partRules, query: asked } = this;
    let attempt = first;
    let refusal: UnsupportedQueryError | undefined;
    if (first.rules === partRules) {
      try {
        // A part that the server cannot apply must not be missing in the request.
        partRules.compile(this.query);
        return await this.readAttempt(first);
      } catch (error) {
        if (!(error instanceof UnsupportedQueryError) || signal.aborted || !this.mayReadAll(first.options)) throw error;
        // A list would change its order as it grows: sorted here while it is short, refused or sorted otherwise when it is long.
        if (error.reason === 'query-nulls') throw error;
        refusal = error;
      }
      attempt = again(wholeRules);
    }
    const page = await this.readAttempt(attempt);
    const isWhole = this.pagingAfter(page, attempt).complete;
    if (signal.aborted || isWhole || !wholeRules.isLocal(this.query)) return page;
    // The server may be able to apply a query that was set meanwhile.
    if (refusal && this.query === asked) throw refusal;
    partRules.compile(this.query);
    return await this.readAttempt(again(partRules));
  }

  private readAttempt(attempt: LoadAttempt<M>): Promise<Page> {
    attempt.startedAt = nextTime(this.definition);
    return this.read(attempt.operation, attempt.startedAt);
  }

  /** Creates a request of a load. If its reader streams, the rows are put in place while they arrive. */
  private createAttempt(
    options: LoadOptions<M>,
    signal: AbortSignal,
    rules: QueryRules<M>,
    isFirst: boolean,
  ): LoadAttempt<M> {
    const { recordSet, pageReader, pageSize, config } = this;
    const { limit = pageSize } = options;
    // A local query needs all rows of the collection, and only the end of a response shows whether these are all.
    const needsAll = limit > 0 && !config.allowPartial && rules.isLocal(this.query);
    const intake = needsAll || !isFirst ? undefined : openIntake(this.proxy, recordSet, pageReader);
    const onRows: RowsListener | undefined =
      intake &&
      ((rows, progress) => {
        if (signal.aborted) return;
        checkRows(this.definition, this.proxy, rows as Data[], progress.records - rows.length);
        if (intake.before === undefined) {
          this.paging = pagingAfterFirstRows(this.paging, { numbers: operation, options });
          this.sentQuery = attempt.rules.split(this.query).sent;
          this.useRules(attempt.rules);
        }
        intake.add(
          this.pageOf(new ResultSet({ rows }), operation, attempt.startedAt),
          this.pageModeOf(operation, options),
        );
        this.flush();
        this.events.emit('progress', { ...progress, operation });
      });
    const operation = this.createOperation(options, signal, onRows, rules);
    const { total: totalBefore } = this;
    const attempt: LoadAttempt<M> = { rules, options, operation, intake, totalBefore, startedAt: 0 };
    return attempt;
  }

  /** The rules of a load: those of a store that holds everything, if the response is expected to be the whole collection. */
  protected rulesForLoad(options: LoadOptions<M>): QueryRules<M> {
    const { wholeRules, partRules, pageSize, recordSet, hasLoaded } = this;
    if (wholeRules === partRules) return wholeRules;
    const { limit = pageSize } = options;
    const isExpected = limit <= 0 || (this.hasProxy && this.proxy.reader.complete);
    const isReloaded = hasLoaded && this.holdsAll && recordSet.count <= limit;
    return this.mayReadAll(options) && (isExpected || isReloaded) ? wholeRules : partRules;
  }

  /** Whether a load may read the whole collection: it asks for the first rows without a filter, and it is not known that there are more. */
  private mayReadAll({ id, page = 1, start = 0, addRecords = false, next }: LoadOptions<M>): boolean {
    const { wholeRules, rules, query } = this;
    const asksForPart = id !== undefined || page > 1 || start > 0 || addRecords || next !== undefined;
    return !asksForPart && rules === wholeRules && !isFiltered(wholeRules.split(query).sent);
  }

  /** Throws if the application refuses a load. If its function `canLoad` fails, the event `exception` is emitted as well. */
  protected checkLoad(operation: Operation): void {
    const error = loadRefusal(this.config, operation, this.definition);
    if (!error) return;
    if (error.code !== 'abort') {
      this.lastError = error;
      this.statusFeed.update();
      this.events.emit('exception', { error, operation });
    }
    throw error;
  }

  /** The operation of a load: the part of the query that the server applies, with the parameters of the call, and the place in it. */
  protected createOperation(
    options: LoadOptions<M>,
    signal: AbortSignal,
    onRows?: RowsListener,
    rules: QueryRules<M> = this.partRules,
  ): Operation {
    const { id, url, headers, next } = options;
    const remote = rules.split(options.query ?? this.query).sent;
    const sent = this.scope.sent?.(remote, this.proxy) ?? remote;
    const params = joined(joined(sent.params, options.params), next?.params);
    const pathParams = joined(sent.pathParams, options.pathParams);
    const isOwn = params === sent.params && pathParams === sent.pathParams;
    return new Operation({
      ...{ action: 'read', model: this.definition, id, url, headers, signal, onRows, link: next?.url },
      query: isOwn ? sent : derived(sent, { params, pathParams }),
      ...pageNumbers(options, this.pageSize),
    });
  }

  protected read(operation: Operation, startedAt: number = nextTime(this.definition)): Promise<Page> {
    const { scope } = this;
    if (!scope.read) return this.send(operation, startedAt);
    return scope.read(() => this.send(operation, startedAt), operation, startedAt);
  }

  private async send(operation: Operation, startedAt: number): Promise<Page> {
    if (isSingleton(this.proxy)) throw new AddressError('url-singleton');
    const startTimes = this.recordSet.observers.having('startTimes').at(-1)?.startTimes();
    this.readsInFlight += 1;
    try {
      const result = await this.proxy.read(operation);
      checkRows(this.definition, this.proxy, result.rows as Data[]);
      this.receiver?.putReceived(result.rows as Data[], startedAt);
      return this.pageOf(result, operation, startedAt, startTimes);
    } finally {
      this.readsInFlight -= 1;
    }
  }

  private pageOf(result: ResultSet, { fields }: Operation, startedAt: number, startTimes?: StartTimes): Page {
    return {
      result,
      startedAt,
      startTimes,
      incomplete: this.proxy.reader.rows === 'incomplete' || fields !== undefined,
    };
  }

  /** How the rows of a load are put in place. */
  private pageModeOf(operation: Operation, { addRecords: append = false }: LoadOptions<M>): PageMode {
    return { append, paged: isPaged(operation) && !this.config.newRecords };
  }

  /** How far the collection has been read after a response. */
  private pagingAfter(
    page: Page,
    attempt: LoadAttempt<M>,
    before: Paging<M> = this.paging,
    rows: AnsweredRows = this.pageReader.compare(page, attempt.intake),
  ): Paging<M> {
    const { count, total, next, isEstimate } = page.result;
    const { operation: numbers, options, totalBefore } = attempt;
    const isComplete = this.proxy.reader.complete;
    // Nobody knows whether the total has counted what was created or erased here meanwhile, or a record that is gone and was not on show.
    const isJudged = !isEstimate && this.total === totalBefore;
    const knownTotal = isJudged ? (this.whyStale !== 'unknownRemoved' && totalBefore) || 0 : undefined;
    return pagingAfterAnswer(before, { numbers, options, count, total, knownTotal, next, isComplete, rows });
  }

  /** The rules by which rows are shown, after a response to a part of the query. */
  private rulesAfter(paging: Paging<M>, sent: Query<M> | undefined): QueryRules<M> {
    return isWhole(paging, sent) ? this.wholeRules : this.partRules;
  }

  /** Puts the responses of a load in place. Throws before anything is changed if they cannot be shown. */
  private applyPages(pages: readonly LoadedPage<M>[]): readonly M[] {
    const { pageReader } = this;
    const records = this.statusFeed.hold(() => {
      let all: readonly M[] = [];
      for (const { page, attempt } of pages) {
        const { operation, options, intake } = attempt;
        const paging = this.pagingAfter(page, attempt);
        const { sent } = attempt.rules.split(this.query);
        const rules = this.rulesAfter(paging, sent);
        rules.compile(this.query);
        this.checkComplete(paging.complete, this.query, rules);
        const mode = this.pageModeOf(operation, options);
        all = all.concat(intake?.before === undefined ? pageReader.apply(page, mode) : intake.finish(page, mode));
        this.placeNewRecords();
        // Received rows come before the load is closed, which forgets what was erased meanwhile.
        this.finishLoad(paging, sent, page.startedAt, mode.append ? this.lastLoad : operation);
      }
      pageReader.close();
      this.loadsDone += 1;
      // A row that has moved while the pages were read is on two of them.
      return pages.length > 1 ? [...new Set(all)] : all;
    });
    this.loadEnded(records, (pages[0] as LoadedPage<M>).attempt.operation);
    return records;
  }

  /** Delivers the changes of a load or read, and tells of its success. */
  protected loadEnded(records: readonly M[], operation: Operation): void {
    this.flush();
    this.events.emit('load', { records, operation });
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    const { scope, statusFeed } = this;
    this.checkOpen();
    const place = (values: typeof added) =>
      statusFeed.hold(() => {
        const records = this.inWords(() =>
          this.insertChecked(
            before,
            values.map((each) => this.toRecord(each)),
          ),
        );
        if (!before) this.placeNewRecords();
        return records;
      });
    return scope.place?.(place, before, added) ?? place(added);
  }

  protected override removeRecords(records: readonly M[]): M[] {
    this.checkOpen();
    const wrong = records.findIndex((each) => !this.isRecord(each));
    if (wrong >= 0) throw foreignError(this.model, records[wrong], 'foreign-removed');
    return this.statusFeed.hold(() => this.takeAway(records));
  }

  private takeAway(records: readonly M[]): M[] {
    return this.scope.remove?.(records) ?? this.pendingChanges.remove(records);
  }

  /** Adds the first records, which the options give. */
  private addFirst(data: readonly RecordInput<ValuesOf<M>>[]): void {
    const { model } = this;
    this.rules.compile(this.query);
    this.insertChecked(
      undefined,
      data.map((values) => new model(values)),
    );
  }

  private insertChecked(before: M | undefined, records: M[]): M[] {
    const { recordSet } = this;
    recordSet.observers.tell('checkAdded', records);
    recordSet.insert(before, records);
    return records;
  }

  protected toRecord(given: M | RecordInput<ValuesOf<M>>): M {
    return givenRecord<M>(this.model, given);
  }

  /** Whether a value is a record that this store can hold. */
  protected isRecord(given: unknown): given is M {
    if (given instanceof this.model) return true;
    // Another class bound to the same model may have made the record.
    return isObject(given) && MODEL in given && this.recordSet.holds(given as M);
  }

  /** Puts the new records where the option `newRecords` says. */
  protected placeNewRecords(): void {
    const { recordSet } = this;
    const { newRecords } = this.config;
    const records = newRecords ? recordSet.pendingRecords((each) => each.phantom && !recordSet.hidden(each)) : [];
    if (records.length === 0) return;
    const isNew = new Set(records);
    const rows = recordSet.inPlace().filter((record) => !isNew.has(record));
    if (newRecords !== 'sorted') return recordSet.place(newRecords === 'first' ? rows[0] : undefined, records);
    const order = this.localOrder();
    for (const record of records) {
      const at = order ? rows.findIndex((row) => order(record, row) < 0) : -1;
      recordSet.place(rows[at], [record]);
      rows.splice(at < 0 ? rows.length : at, 0, record);
    }
  }

  /** The order of the query as this store would sort; undefined if it has none, or by a name that only the server knows. */
  private localOrder(): CompiledQuery<M>['order'] {
    const local = { remoteSort: false, remoteFilter: false };
    try {
      return this.wholeRules.with(local).compile(derived(this.query, { filters: [], search: '' })).order;
    } catch {
      return undefined;
    }
  }

  /** Records how far the collection has been read by a load that started at a time, and has succeeded. */
  private finishLoad(paging: Paging<M>, sent: Query<M> | undefined, startedAt: number, operation?: Operation): void {
    this.paging = paging;
    this.lastLoad = operation;
    this.sentQuery = sent;
    this.useRules(this.rulesAfter(paging, sent));
    this.recordSet.countDelta.restart(startedAt);
    this.hasLoaded = true;
    const found = paging.lacksRows ? 'fewerRows' : undefined;
    this.whyStale = this.missed && startedAt < this.missed.at ? this.missed.reason : found;
    this.lastError = this.failedLoad = undefined;
    this.firstLoad.succeed();
    this.receiver?.loaded(startedAt);
    this.recordSet.observers.tell('loaded');
  }

  /** The size of the collection, if records were erased here since the last load: a total alone may be older than rows that others have added. */
  private get knownEnd(): number | undefined {
    return this.recordSet.countDelta.hasShrunk ? this.total : undefined;
  }

  private abandonLoad(intake: RowsIntake<M> | undefined): void {
    if (intake?.before !== undefined) this.paging = { ...this.paging, complete: false };
    this.pageReader.close();
  }

  protected reportFailure(error: AnyDataError, operation: Operation): void {
    this.lastError = error;
    this.firstLoad.fail(error);
    this.statusFeed.update();
    this.flush();
    this.events.emit('exception', { error, operation });
  }
}

/** Checks the options of a store of a class. Throws `DefinitionError`. */
function checkConfig(config: { readonly model: unknown }, Class: object): void {
  answerOptions(config);
  checkGiven('The argument of a store', config, STORE_ARGUMENT);
  const { model } = config;
  inDevelopment(inWords, messagesOf(model), () => {
    checkNames(config, 'a store', Class as never, 'store');
    checkValues(config, 'store', STORE_RULES);
    checkGiven('store.model', model, modelClass);
  });
}

/** The texts of a model; undefined for anything else. */
function messagesOf(model: unknown): Messages | undefined {
  return (Object(model) as { [DEFINITION]?: { messages: Messages } })[DEFINITION]?.messages;
}

/** The options that repeat a load: its signal belongs to the call before. */
function repeatable<M extends Model>(options: LoadOptions<M>): LoadOptions<M> {
  const { query, signal, ...repeated } = options;
  return repeated;
}

/** The parts of a load that decide which rows come: the filters that are sent, the parameters of a query, and the options of a load. */
export function rowsOf<M extends Model>(sent: Query<M>, query: Query<M>, { id, url, headers }: LoadPart): object {
  const { filters, search } = sent;
  const { params, pathParams } = query;
  return { filters, search, params, pathParams, id, url, headers };
}

/** Whether the rows that the server has sent for a part of the query are all rows of the collection, with all of their fields. */
function isWhole<M extends Model>({ complete }: Paging<M>, sent: Query<M> | undefined): boolean {
  return complete && !(sent && (isFiltered(sent) || sent.fields.length > 0));
}

/** Parameters and those that replace them by name; the same object if only one of both is given. */
export function joined<V>(
  base: Readonly<Record<string, V>> | undefined,
  own: Readonly<Record<string, V>> | undefined,
): Readonly<Record<string, V>> | undefined {
  return base && own ? { ...base, ...own } : (own ?? base);
}
