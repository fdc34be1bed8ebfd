import { AbortError } from '../errors/abort-error.js';
import type { DataError } from '../errors/data-error.js';
import { describe } from '../errors/messages.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { within } from '../errors/within.js';
import type { BaseModel } from '../model/base-model.js';
import type { Operation } from '../operation/operation.js';
import { callSafely } from '../util/event-emitter.js';
import type { LoadOptions } from './store-config.js';

/** What the loader needs of its store. */
export interface LoaderHost<M extends BaseModel> {
  /** An operation of the store's query. */
  createOperation(options: LoadOptions<M>, signal: AbortSignal): Operation;
  /** Reads, and takes the rows in. */
  perform(operation: Operation, options: LoadOptions<M>): Promise<readonly M[]>;
  failed(error: DataError, operation: Operation): void;
}

interface Running<M> {
  readonly key: string | undefined;
  readonly controller: AbortController;
  readonly promise: Promise<readonly M[]>;
  /** Settles the promise as another load does. */
  follow(successor: Promise<readonly M[]>): void;
}

/** Runs the loads of a store: the last one wins, the same one twice is one request. */
export class Loader<M extends BaseModel> {
  private running: Running<M> | undefined = undefined;
  private scheduled: LoadOptions<M> | undefined = undefined;

  constructor(private readonly host: LoaderHost<M>) {}

  get loading(): boolean {
    return this.running !== undefined;
  }

  /** Loads; a load that is under way is superseded, and settles as this one does. */
  load(options: LoadOptions<M> = {}): Promise<readonly M[]> {
    this.scheduled = undefined;
    const run = this.start(options);
    const { success, failure, callback } = options;
    return success || failure || callback ? this.told(run, options) : run.promise;
  }

  /** Loads at the end of the tick, once for all that asks for it; nobody waits for it, so errors go to the store. */
  schedule(options: LoadOptions<M>): void {
    const waits = this.scheduled !== undefined;
    this.scheduled = options;
    if (waits) return;
    queueMicrotask(() => {
      const due = this.scheduled;
      if (due) this.load(due).catch(() => undefined);
    });
  }

  /** Aborts the load under way. */
  abort(): void {
    this.running?.controller.abort();
  }

  private start(options: LoadOptions<M>): Running<M> & { operation?: Operation } {
    const controller = new AbortController();
    const operation = this.host.createOperation(options, controller.signal);
    const key = options.signal ? undefined : keyOf(operation, options);
    if (key !== undefined && this.running?.key === key) return this.running;
    let settle: (successor: Promise<readonly M[]>) => void = () => undefined;
    const promise = new Promise<readonly M[]>((resolve) => {
      settle = resolve;
    });
    const superseded = this.running;
    const running: Running<M> & { operation: Operation } = { key, controller, promise, follow: settle, operation };
    this.running = running;
    if (superseded) {
      superseded.controller.abort();
      superseded.follow(promise);
    }
    const { signal } = options;
    const aborted = () => {
      settle(Promise.reject(new AbortError('abort', {}, { operation, cause: signal?.reason })));
      controller.abort(signal?.reason);
    };
    if (signal?.aborted) aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    void this.run(running, operation, options).finally(() => signal?.removeEventListener('abort', aborted));
    return running;
  }

  private async run(running: Running<M>, operation: Operation, options: LoadOptions<M>): Promise<void> {
    try {
      const records = await within(operation, undefined, () => this.host.perform(operation, options));
      if (this.running === running) this.running = undefined;
      running.follow(Promise.resolve(records));
    } catch (error) {
      // Superseded: the successor settles it.
      if (this.running !== running) return;
      this.running = undefined;
      const known = error as DataError;
      this.host.failed(known, operation);
      running.follow(Promise.reject(known));
    }
  }

  /** Whether an operation is the one that counts. */
  isCurrent(operation: Operation): boolean {
    return (this.running as { operation?: Operation } | undefined)?.operation === operation;
  }

  private async told(run: Running<M> & { operation?: Operation }, options: LoadOptions<M>): Promise<readonly M[]> {
    const operation = run.operation as Operation;
    try {
      const records = await run.promise;
      if (options.success) callSafely(options.success.bind(options), records, operation);
      if (options.callback) callSafely(options.callback.bind(options), records, operation, true);
      return records;
    } catch (error) {
      if (options.failure) callSafely(options.failure.bind(options), [], operation);
      if (options.callback) callSafely(options.callback.bind(options), [], operation, false);
      throw error;
    }
  }
}

/** Two loads with one key would be one request. */
function keyOf(operation: Operation, options: LoadOptions<never>): string | undefined {
  const { id, url, page, start, limit, params, pathParams, headers, sorters, filters, grouper } = operation;
  try {
    const functions = [...(sorters ?? []), ...(filters ?? [])].some((each) =>
      Object.values(each).some((value) => typeof value === 'function'),
    );
    return functions
      ? undefined
      : JSON.stringify([
          id,
          url,
          page,
          start,
          limit,
          params,
          pathParams,
          headers,
          sorters,
          filters,
          grouper,
          options.addRecords,
        ]);
  } catch {
    return undefined;
  }
}

/** Refuses page numbers and limits that are none, before anything is sent. */
export function checkPaging(options: LoadOptions<never>): void {
  const rules = { page: 1, start: 0, limit: 0 };
  for (const [name, least] of Object.entries(rules)) {
    const value = options[name as 'page'];
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new UnsupportedQueryError('query-value', {
      name,
      expected: `a whole number from ${least}`,
      value: describe(value),
    });
  }
}
