import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import type { Model } from '../model/model.js';
import type { Operation } from '../operation/operation.js';
import { createDeferred, type Deferred } from './first-load.js';
import type { InnerStore } from './inner-store.js';
import type { Page } from './page-reader.js';
import type { Query } from './query.js';
import type { RowCount } from './row-count.js';
import type { IndexRange } from './window-config.js';
import type { WindowRecords } from './window-records.js';

/** The members of a window that its loader uses. */
export interface LoadingWindow<M extends Model> {
  readonly records: WindowRecords<M>;
  readonly rowCount: RowCount;
  /** Number of rows in a block. */
  readonly pageSize: number;
  /** The present query. */
  readonly query: () => Query<M>;
  /** Number of rows to load ahead. */
  readonly prefetch: number;
  /** The range on show, as places on the server. */
  readonly shownPlaces: () => IndexRange;
  /** Puts the records of a response in place. */
  applyPage(page: Page, start: number): void;
  /** The load states of a range of places have changed. */
  changed(from: number, to: number): void;
  /** A request has ended, with or without an error. */
  ended(operation: Operation, error: AnyDataError | undefined): void;
}

/**
 * Maximum number of answers for one block while it is on show. Without a limit, rows that move between two blocks would be loaded
 * forever.
 */
const MAX_ANSWERS = 3;

/** Maximum number of missing blocks that are planned at a time. */
const MAX_MISSING = 100;

/**
 * Loads the blocks of a window: blocks on show first, then blocks ahead. Requests for blocks that are no longer needed are aborted.
 */
export class WindowLoader<M extends Model> {
  /** Blocks that are being loaded, or will be loaded next. */
  requested: ReadonlySet<number> = new Set();
  private visible: readonly number[] = [];
  private ahead: readonly number[] = [];
  private forward = true;
  private readonly requests: Map<number, AbortController> = new Map();
  /** Number of answers for each block since it came on show; infinite after a failure. */
  private readonly answerCounts: Map<number, number> = new Map();
  /** The errors of the blocks whose last request has failed. */
  private readonly failures: Map<number, AnyDataError> = new Map();
  private failure: AnyDataError | undefined;
  /** Whether a block has been loaded. */
  hasAnswer = false;
  private waiting: Deferred | undefined;
  /** The error for callers that wait, after the window was disposed of. */
  private disposalError: AnyDataError | undefined;

  constructor(
    private readonly store: InnerStore<M>,
    private readonly window: LoadingWindow<M>,
  ) {}

  /** Whether a request is in flight. */
  get busy(): boolean {
    return this.requests.size > 0;
  }

  /** The error of a range of places. The response of another block says nothing about the records there that are missing. */
  errorOn({ start, end }: IndexRange): AnyDataError | undefined {
    const { pageSize } = this.window;
    const [, error] =
      [...this.failures].find(([block]) => block * pageSize < end && (block + 1) * pageSize > start) ?? [];
    return error;
  }

  /** Distance of a block from the blocks on show and ahead, in blocks; 0 for these. */
  distance(block: number): number {
    const { visible, ahead } = this;
    const [low, high] = [visible[0] ?? -1, visible.at(-1) ?? -1];
    const [first, last] = [Math.min(low, ahead[0] ?? low), Math.max(high, ahead.at(-1) ?? high)];
    return Math.max(first - block, block - last, 0);
  }

  /** Loads a new range on show; `shift` is the number of records by which it has moved. */
  show(shift: number): Promise<void> {
    if (shift !== 0) this.forward = shift > 0;
    this.failure = undefined;
    this.updateBlocks();
    const visible = new Set(this.visible);
    for (const [block, count] of this.answerCounts)
      if (count > MAX_ANSWERS || !visible.has(block)) this.answerCounts.delete(block);
    this.plan();
    return this.wait();
  }

  /** Cancels all requests, and plans all blocks that are not loaded now. */
  restart(): void {
    this.cancel();
    this.answerCounts.clear();
    this.failure = undefined;
    this.plan();
  }

  /** Resolves when the blocks on show are loaded. A promise for an earlier range waits for the latest range. */
  wait(): Promise<void> {
    // Most callers ignore this promise while scrolling; they get failures by events, not as unhandled rejections.
    const waiting = (this.waiting ??= createDeferred());
    if (this.disposalError) waiting.reject(this.disposalError);
    return waiting.promise;
  }

  /** Decides which blocks to load. */
  plan(): void {
    const { requests, window } = this;
    const { pageSize } = window;
    this.updateBlocks();
    const requested = new Set(this.visible.filter((block) => this.isMissing(block)));
    const showsAllLoaded = requested.size === 0;
    for (const block of this.ahead)
      if ((showsAllLoaded || requests.has(block)) && this.isMissing(block)) requested.add(block);
    const before = this.requested;
    this.requested = requested;
    for (const block of [...before, ...requested])
      if (before.has(block) !== requested.has(block)) window.changed(block * pageSize, (block + 1) * pageSize);
  }

  /** Aborts the requests that are not planned any more. */
  cancelUnplanned(): void {
    this.cancel((block) => !this.requested.has(block));
  }

  /** Sends the planned requests. */
  sendPlanned(): void {
    const { requested, requests, store } = this;
    const { concurrency = 6 } = store.config;
    for (const block of requested) if (!requests.has(block) && requests.size < concurrency) void this.request(block);
  }

  /** Aborts the requests in flight for which `test` returns true. */
  cancel(test: (block: number) => boolean = () => true): void {
    for (const [block, controller] of this.requests) {
      if (!test(block)) continue;
      this.requests.delete(block);
      controller.abort();
    }
  }

  /** Settles the promise of `wait` if no block on show is being loaded. */
  settle(): void {
    const { waiting, failure } = this;
    if (!waiting || this.visible.some((block) => this.requested.has(block))) return;
    this.waiting = undefined;
    if (failure) waiting.reject(failure);
    else waiting.resolve();
  }

  /** Aborts all requests, and rejects the promise of `wait`. */
  dispose(error: AnyDataError): void {
    this.disposalError = error;
    this.cancel();
    this.requested = new Set();
    this.waiting?.reject(error);
  }

  /** Computes which blocks are on show, and which are ahead. */
  private updateBlocks(): void {
    const { pageSize, rowCount, prefetch, shownPlaces } = this.window;
    const { start, end } = shownPlaces();
    const blocks = Math.ceil(rowCount.end / pageSize);
    const [first, behind] = [Math.floor(start / pageSize), Math.min(Math.ceil(end / pageSize), blocks)];
    this.visible = end > start ? this.blocksToPlan(first, behind) : [];
    const next = this.forward
      ? integers(behind, Math.min(Math.ceil((end + prefetch) / pageSize), blocks))
      : integers(Math.floor(Math.max(start - prefetch, 0) / pageSize), first);
    this.ahead = this.visible.length > 0 ? next : [];
  }

  /** The blocks of a range, up to the maximum number of missing ones: a range may be too long for a list of all its blocks. */
  private blocksToPlan(first: number, behind: number): number[] {
    const blocks: number[] = [];
    let missing = 0;
    for (let block = first; block < behind && missing < MAX_MISSING; block += 1) {
      blocks.push(block);
      // Failed blocks count as missing, so that a server that is down is not asked for every block of a long range.
      if (this.isMissing(block) || this.answerCounts.get(block) === Number.POSITIVE_INFINITY) missing += 1;
    }
    return blocks;
  }

  /** Whether a block must be loaded, or is being loaded. */
  private isMissing(block: number): boolean {
    const { requests, answerCounts, window } = this;
    const { pageSize } = window;
    if (!requests.has(block) && (answerCounts.get(block) ?? 0) >= MAX_ANSWERS) return false;
    const end = Math.min((block + 1) * pageSize, window.rowCount.end);
    for (let place = block * pageSize; place < end; place += 1) if (!window.records.isLoaded(place)) return true;
    return false;
  }

  private async request(block: number): Promise<void> {
    const { store, requests, answerCounts, window } = this;
    const controller = new AbortController();
    requests.set(block, controller);
    const isCurrent = () => requests.get(block) === controller;
    const { pageSize: limit } = window;
    const start = block * limit;
    const operation = store.createOperation({ query: window.query(), start, limit }, controller.signal);
    const end = (failure?: AnyDataError) => {
      requests.delete(block);
      answerCounts.set(block, failure ? Number.POSITIVE_INFINITY : (answerCounts.get(block) ?? 0) + 1);
      if (failure) this.failures.set(block, failure);
      else this.failures.delete(block);
      this.hasAnswer ||= failure === undefined;
      if (failure && this.visible.includes(block)) this.failure = failure;
      window.ended(operation, failure);
    };
    try {
      await withErrorContext(operation, store.proxy.messages, async () => {
        const page = await store.read(operation);
        if (!isCurrent()) return;
        window.applyPage(page, start);
        // Ends the request in the same tick, so that all that follows sees the records and no request in flight.
        end();
      });
    } catch (error) {
      if (isCurrent()) end(error as AnyDataError);
    }
  }
}

/** The whole numbers from `from` up to, but not including, `to`. */
function integers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
}
