import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { AbortError } from '../errors/request-errors.js';
import type { Model } from '../model/model.js';
import { keyOf, originOf } from '../model/origin.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { followSignal } from '../util/abort.js';
import type { InnerStore } from './inner-store.js';
import type { Page } from './page-reader.js';
import type { LoadOptions } from './paging.js';

/** The option of a load that reads several pages and shows them together: the index in the collection behind its last row. */
export const READ_TO: unique symbol = Symbol('readTo');

/** The options of such a load. */
export interface LongLoadOptions<M extends Model> extends LoadOptions<M> {
  readonly [READ_TO]?: number | undefined;
}

/** One load of a store. */
export interface Load<M extends Model> {
  /** The operation of the request that was sent last. */
  readonly operation: Operation;
  /** Whether the response that is awaited may hold the whole collection, so that it serves any query. */
  readonly readsAll: boolean;
  /** Reads the page, without changing the store. */
  read(): Promise<Page>;
  /** Puts the page into the store, and returns its records. */
  apply(page: Page): readonly M[];
  failed(error: AnyDataError): void;
  /** Ends the load without an error, because it was superseded and no other load follows it. */
  abandoned(): void;
}

/** The members of a store that its loader uses. */
type LoadingStore<M extends Model> = Pick<
  InnerStore<M>,
  'proxy' | 'load' | 'createLoad' | 'checkLoad' | 'statusFeed' | 'firstLoad'
>;

interface Running<M extends Model> extends Load<M> {
  readonly options: LoadOptions<M>;
  readonly key: string | undefined;
  readonly controller: AbortController;
  readonly messages: DataProxy['messages'];
  readonly promise: Promise<readonly M[]>;
  /** Whether a later load has taken its place: its promise then settles as the promise of the later one. */
  superseded?: boolean;
  resolve(records: readonly M[] | Promise<readonly M[]>): void;
  reject(error: unknown): void;
}

/** Runs the loads of a store. The last load wins, and two equal loads at the same time are one request. */
export class Loader<M extends Model> {
  private running: Running<M> | undefined;
  private scheduled: LoadOptions<M> | undefined;

  constructor(private readonly store: LoadingStore<M>) {}

  get loading(): boolean {
    return this.running !== undefined || this.scheduled !== undefined;
  }

  /** Whether the load in flight may read the whole collection; undefined if none is in flight. */
  get readsAll(): boolean | undefined {
    const { running } = this;
    return running && !running.superseded ? running.readsAll : undefined;
  }

  /** Whether a load is scheduled, and will ask for the query of the store as it is then. */
  get isScheduled(): boolean {
    return this.scheduled !== undefined;
  }

  /**
   * Waits for a load in flight that replaces the records; undefined if there is none. The promise rejects with `AbortError` when the
   * signal aborts; the load itself goes on.
   */
  waitForReplacement(signal: AbortSignal | undefined): Promise<readonly M[]> | undefined {
    const { running } = this;
    if (!running || running.options.addRecords || running.superseded) return undefined;
    return untilAborted(running.promise, signal, running.operation);
  }

  /** Starts a load. It supersedes a load in flight, whose promise then settles as this one. */
  load(options: LoadOptions<M>): Promise<readonly M[]> {
    const { running: previous } = this;
    const { signal } = options;
    const controller = new AbortController();
    const load = this.store.createLoad(options, controller.signal);
    const { operation } = load;
    // Checked before the scheduled load is cancelled: a load that is aborted already must not replace it.
    if (signal?.aborted) throw new AbortError('abort', {}, { operation, cause: signal.reason });
    this.checkMayLoad(operation);
    this.scheduled = undefined;
    // Without a proxy this throws: a mistake of the program is no failed load.
    const { messages } = this.store.proxy;
    const key = signal ? undefined : shareKeyOf(this.store, operation, options);
    if (previous && key !== undefined && previous.key === key && !previous.superseded) return previous.promise;
    const promise = new Promise<readonly M[]>((resolve, reject) =>
      Object.assign(load, { options, key, controller, messages, resolve, reject }),
    );
    const next = Object.assign(load, { promise }) as Running<M>;
    promise.catch(() => undefined);
    this.supersede(next);
    previous?.resolve(promise);
    void this.runLoad(next);
    this.store.statusFeed.update();
    // The caller's signal rejects this promise even if the load was superseded, or the proxy ignores signals.
    return untilAborted(promise, signal, operation, controller);
  }

  /**
   * Schedules one load for the end of the tick; of several, the last options count. Errors go to the store, because no caller waits
   * for the load.
   */
  schedule(options: LoadOptions<M>): void {
    const alreadyScheduled = this.scheduled !== undefined;
    this.scheduled = options;
    if (alreadyScheduled) return;
    this.store.statusFeed.update();
    queueMicrotask(() => {
      const scheduled = this.scheduled;
      // Cleared before the load is created: if the load is refused, the store must not count as loading any more.
      this.scheduled = undefined;
      if (scheduled) this.store.load(scheduled).catch(() => undefined);
      this.store.statusFeed.update();
    });
  }

  /**
   * Supersedes the load in flight, because a setting of the store has changed, and repeats it for the first page at the end of the tick.
   * A load that is superseded or aborted already is not repeated.
   */
  restart(): void {
    const { running } = this;
    if (running && !running.controller.signal.aborted) {
      this.supersede();
      this.schedule(fromFirstPage(running.options));
    }
    this.store.statusFeed.update();
  }

  /** Throws if the application refuses a load. A load that waits for this one as its successor is refused with it. */
  private checkMayLoad(operation: Operation): void {
    const { running } = this;
    try {
      this.store.checkLoad(operation);
    } catch (error) {
      if (running?.superseded) {
        this.running = undefined;
        running.abandoned();
        running.reject(error);
        this.store.statusFeed.update();
      }
      if (!this.loading) this.store.firstLoad.fail(error);
      throw error;
    }
  }

  /** Supersedes the load in flight by `next`; without `next`, by a load that will be started later. */
  supersede(next: Running<M> | undefined = this.running): void {
    const { running } = this;
    // A load that the application has aborted rejects, unless another load starts before that.
    if (next === running && running?.controller.signal.aborted) return;
    // Set before the abort: a listener of the abort may start another load or call `abort()`.
    this.running = next;
    if (!running) return;
    running.superseded = true;
    running.controller.abort();
  }

  /**
   * Aborts the load in flight, whose promise resolves with these records instead, and cancels the scheduled one. The store reports the
   * change together with the records.
   */
  replaceBy(records: readonly M[]): void {
    this.stop()?.resolve(records);
  }

  /** Aborts the load in flight, whose promise rejects with `error`, and cancels the scheduled one. The store reports neither. */
  dispose(error: AnyDataError): void {
    const running = this.stop();
    running?.abandoned();
    running?.reject(error);
  }

  /** Aborts the load in flight, and cancels the scheduled one. Returns the load, whose promise the caller settles. */
  private stop(): Running<M> | undefined {
    const { running } = this;
    this.scheduled = this.running = undefined;
    if (running) running.superseded = true;
    running?.controller.abort();
    return running;
  }

  /** Cancels the scheduled load; one in flight goes on. */
  cancelSchedule(): void {
    this.scheduled = undefined;
  }

  /** Aborts the load in flight, and cancels the scheduled one. */
  abort(): void {
    const { running, scheduled } = this;
    this.scheduled = undefined;
    running?.controller.abort();
    if (scheduled && !running) this.store.firstLoad.fail(new AbortError('abort'));
    if (!running?.superseded) return this.store.statusFeed.update();
    this.running = undefined;
    const error = new AbortError('abort', {}, { operation: running.operation });
    running.failed(error);
    running.reject(error);
  }

  private async runLoad(load: Running<M>): Promise<void> {
    try {
      const records = await withErrorContext(load.operation, load.messages, async () => {
        const page = await load.read();
        // Its promise settles as that of its successor, which may not have been created yet.
        if (load.superseded) return undefined;
        if (load.controller.signal.aborted) throw new AbortError('abort');
        this.running = undefined;
        return load.apply(page);
      });
      if (records) load.resolve(records);
    } catch (error) {
      if (load.superseded) return;
      this.running = undefined;
      load.failed(error as AnyDataError);
      load.reject(error);
    }
  }
}

/** The options that repeat a load for the first page. */
function fromFirstPage<M extends Model>({
  id,
  url,
  params,
  pathParams,
  headers,
  limit,
  addRecords,
}: LoadOptions<M>): LoadOptions<M> {
  // `loadMore()` repeats the limit of the load before it; the repeated load has the present page size.
  return { id, url, params, pathParams, headers, limit: addRecords ? undefined : limit };
}

/** Waits for a load, or rejects with `AbortError` when the signal aborts. With `controller`, the signal aborts the load as well. */
function untilAborted<T>(
  load: Promise<T>,
  signal: AbortSignal | undefined,
  operation: Operation,
  controller?: AbortController,
): Promise<T> {
  if (!signal) return load;
  return new Promise((resolve, reject) => {
    const abort = () => {
      controller?.abort(signal.reason);
      reject(new AbortError('abort', {}, { operation, cause: signal.reason }));
    };
    const unfollow = followSignal({ abort }, signal);
    void load.then(resolve, reject).then(unfollow);
  });
}

/** The key of a load: two loads with the same key can share one request. Undefined if the load cannot be compared. */
function shareKeyOf<M extends Model>(
  store: { readonly proxy: DataProxy },
  operation: Operation,
  { addRecords, [READ_TO]: end }: LongLoadOptions<M>,
): string | undefined {
  const { query, place, url, headers } = operation;
  try {
    return keyOf(originOf(store.proxy, operation), { query: query?.key, place, url, headers, addRecords, end });
  } catch {
    return undefined;
  }
}
