import { AbortError } from '../errors/abort-error.js';
import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { Use } from '../model/call.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type ParamsConfig, paramsOf } from '../proxy/params-config.js';
import { followSignal } from '../util/abort.js';
import type { Page } from './page-reader.js';
import type { LoadOptions } from './store-config.js';

/** One load of a store. */
export interface Load<M> {
  readonly operation: Operation;
  /** Reads, without touching anything. */
  read(): Promise<Page>;
  /** Takes in what was read. */
  take(page: Page): readonly M[];
  failed(error: AnyDataError): void;
}

/** What the loader needs of its store. */
export interface LoaderHost<M> {
  /** Knows the texts of its errors. */
  readonly proxy: ParamsOwner & Pick<DataProxy, 'messages'>;
  /** Loads, with callbacks and errors as for any caller. */
  load(options: LoadOptions<M>): Promise<unknown>;
  createLoad(options: LoadOptions<M>, signal: AbortSignal): Load<M>;
  /** Throws where the application refuses a load. */
  checkLoad(operation: Operation): void;
}

/** The parameters of a proxy that makes requests. */
interface ParamsOwner {
  readonly extraParams?: ParamsConfig | undefined;
  readonly pathParams?: ParamsConfig | undefined;
}

interface Running<M> extends Load<M> {
  readonly key: string | undefined;
  readonly controller: AbortController;
  readonly promise: Promise<readonly M[]>;
  readonly appends: boolean | undefined;
  /** Whether a later load settles it. */
  superseded?: boolean;
  resolve(records: readonly M[] | Promise<readonly M[]>): void;
  reject(error: unknown): void;
}

/** Runs the loads of a store: the last one wins, the same one twice is one request. */
export class Loader<M extends BaseModel> {
  private running: Running<M> | undefined;
  private scheduled: LoadOptions<M> | undefined;

  constructor(private readonly host: LoaderHost<M>) {}

  get loading(): boolean {
    return this.running !== undefined || this.scheduled !== undefined;
  }

  /** The records of a load under way that appends to nothing, for one who waits until a signal aborts. */
  anew(signal: AbortSignal | undefined): Promise<readonly M[]> | undefined {
    const { running } = this;
    if (!running || running.appends || running.superseded) return undefined;
    return untilAborted(running.promise, signal, running.operation);
  }

  /** Loads; a load that is under way is superseded, and settles as this one does. */
  load(options: LoadOptions<M>, use: Use): Promise<readonly M[]> {
    const { running: before } = this;
    const { signal } = options;
    const controller = new AbortController();
    const load = this.host.createLoad(options, controller.signal);
    const operation = use(load.operation);
    // What is due is still to come.
    if (signal?.aborted) throw new AbortError('abort', {}, { operation, cause: signal.reason });
    this.host.checkLoad(operation);
    this.scheduled = undefined;
    const key = signal ? undefined : shareKeyOf(operation, options, this.host.proxy);
    if (before && key !== undefined && before.key === key && !before.superseded) {
      use(before.operation);
      return before.promise;
    }
    const appends = options.addRecords;
    const promise = new Promise<readonly M[]>((resolve, reject) =>
      Object.assign(load, { key, controller, appends, resolve, reject }),
    );
    const next = Object.assign(load, { promise }) as Running<M>;
    this.supersede(next);
    before?.resolve(promise);
    void this.run(next);
    // Also where the load was superseded, or the proxy does not listen to signals.
    return untilAborted(promise, signal, operation, controller);
  }

  /** Loads at the end of the tick, once for all that asks for it; nobody waits for it, so errors go to the store. */
  schedule(options: LoadOptions<M>): void {
    const waits = this.scheduled !== undefined;
    this.scheduled = options;
    if (waits) return;
    queueMicrotask(() => {
      const due = this.scheduled;
      // The store does not load any more if this one is refused.
      this.scheduled = undefined;
      if (due) this.host.load(due).catch(() => undefined);
    });
  }

  /** Gives up the load under way, for the next one, or one to come. */
  supersede(next: Running<M> | undefined = this.running): void {
    const { running } = this;
    // First: who hears of the end of one may ask for another, or abort.
    this.running = next;
    if (!running) return;
    running.superseded = true;
    running.controller.abort();
  }

  /** Gives up the load under way, which resolves with these records instead, and one that is due. */
  replaceBy(records: readonly M[]): void {
    const { running } = this;
    this.scheduled = this.running = undefined;
    if (!running) return;
    running.superseded = true;
    running.controller.abort();
    running.resolve(records);
  }

  /** Aborts the load under way, and one that is due. */
  abort(): void {
    const { running } = this;
    this.scheduled = undefined;
    running?.controller.abort();
    if (!running?.superseded) return;
    this.running = undefined;
    const error = new AbortError('abort', {}, { operation: running.operation });
    running.failed(error);
    running.reject(error);
  }

  private async run(load: Running<M>): Promise<void> {
    try {
      const records = await withErrorContext(load.operation, this.host.proxy.messages, async () => {
        const page = await load.read();
        if (load.superseded) return [];
        if (load.controller.signal.aborted) throw new AbortError('abort');
        this.running = undefined;
        return load.take(page);
      });
      load.resolve(records);
    } catch (error) {
      if (load.superseded) return;
      this.running = undefined;
      load.failed(error as AnyDataError);
      load.reject(error);
    }
  }
}

/** Waits for a load; no longer where a signal aborts, which may abort the load as well. */
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

/** Two loads with one key would be one request. */
function shareKeyOf(
  operation: Operation,
  { addRecords }: LoadOptions<never>,
  { extraParams, pathParams }: ParamsOwner,
): string | undefined {
  const { model, signal, onRows, ...asked } = operation;
  try {
    const given = [paramsOf(extraParams, 'extraParams'), paramsOf(pathParams, 'pathParams')];
    return JSON.stringify([asked, addRecords, given], (name, value) => {
      // JSON leaves functions out, which may differ.
      if (typeof value === 'function') throw new Error(name);
      return value;
    });
  } catch {
    return undefined;
  }
}
