import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { Operation } from '../operation/operation.js';
import type { Page } from './page-reader.js';
import type { WindowHost } from './record-window.js';
import type { RowCount } from './row-count.js';
import type { IndexRange } from './window-config.js';
import type { WindowRows } from './window-rows.js';

/** What the loader needs of its window. */
export interface LoadingWindow<M extends BaseModel> {
  readonly rows: WindowRows<M>;
  readonly size: RowCount;
  /** Rows of a block. */
  readonly pageSize: number;
  /** Blocks to load ahead. */
  readonly ahead: number;
  /** The server's places that are on show. */
  readonly range: () => IndexRange;
  /** Takes in what was read. */
  take(page: Page, start: number): void;
  /** What is on its way has changed from one place up to another. */
  changed(from: number, to: number): void;
  /** A request has ended; what follows from it is due. */
  ended(operation: Operation, error: AnyDataError | undefined): void;
}

interface Waiting {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Answers to one block while it is on show: rows that go to and fro between two blocks would never end. */
const TRIES = 3;

/** Blocks on show that are planned at a time; when one is there, the next is. */
const PLANNED = 100;

/** Loads the blocks of a window: those on show first, then those ahead; what nobody looks at any more is aborted. */
export class WindowLoader<M extends BaseModel> {
  /** Blocks on their way, or about to be asked for. */
  asked: ReadonlySet<number> = new Set();
  private visible: readonly number[] = [];
  private ahead: readonly number[] = [];
  private forward = true;
  private readonly requests: Map<number, AbortController> = new Map();
  /** Answers to each block since it came on show. */
  private readonly spent: Map<number, number> = new Map();
  private failure: AnyDataError | undefined;
  private waiting: Waiting | undefined;
  /** Why nothing is loaded any more. */
  private over: AnyDataError | undefined;

  constructor(
    private readonly host: WindowHost<M>,
    private readonly window: LoadingWindow<M>,
  ) {}

  /** Whether a request is under way. */
  get busy(): boolean {
    return this.requests.size > 0;
  }

  /** How far a block is from those on show and ahead, which are at 0. */
  distance(block: number): number {
    const { visible, ahead } = this;
    const [low, high] = [visible[0] ?? -1, visible.at(-1) ?? -1];
    const [first, last] = [Math.min(low, ahead[0] ?? low), Math.max(high, ahead.at(-1) ?? high)];
    return Math.max(first - block, block - last, 0);
  }

  /** Another range is on show, so many rows away. */
  show(shift: number): Promise<void> {
    if (shift !== 0) this.forward = shift > 0;
    this.failure = undefined;
    this.locate();
    const visible = new Set(this.visible);
    for (const [block, count] of this.spent) if (count > TRIES || !visible.has(block)) this.spent.delete(block);
    this.plan();
    return this.wait();
  }

  /** Asks anew for all that is not loaded now. */
  restart(): void {
    this.cancel();
    this.spent.clear();
    this.failure = undefined;
    this.plan();
  }

  /** Resolves when what is on show is loaded; a promise of an earlier range waits for the last one. */
  wait(): Promise<void> {
    if (this.waiting) return this.waiting.promise;
    const waiting = {} as Waiting;
    const promise = new Promise<void>((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    // Who scrolls does not wait; failures are told by events.
    promise.catch(() => undefined);
    this.waiting = Object.assign(waiting, { promise });
    if (this.over) waiting.reject(this.over);
    return promise;
  }

  /** Finds out which blocks to ask for. */
  plan(): void {
    const { requests, window } = this;
    const { pageSize } = window;
    this.locate();
    const asked = new Set(this.visible.filter((block) => this.lacks(block)));
    const idle = asked.size === 0;
    for (const block of this.ahead) if ((idle || requests.has(block)) && this.lacks(block)) asked.add(block);
    const before = this.asked;
    this.asked = asked;
    for (const block of [...before, ...asked])
      if (before.has(block) !== asked.has(block)) window.changed(block * pageSize, (block + 1) * pageSize);
  }

  /** Aborts and sends what the plan says. */
  run(): void {
    const { asked, requests, host } = this;
    const { concurrency = 6 } = host.config;
    this.cancel((block) => !asked.has(block));
    for (const block of asked) if (!requests.has(block) && requests.size < concurrency) void this.request(block);
  }

  /** Aborts what is on its way. */
  cancel(test: (block: number) => boolean = () => true): void {
    for (const [block, controller] of this.requests) {
      if (!test(block)) continue;
      this.requests.delete(block);
      controller.abort();
    }
  }

  /** Settles the promise when nothing on show is on its way. */
  settle(): void {
    const { waiting, failure } = this;
    if (!waiting || this.visible.some((block) => this.asked.has(block))) return;
    this.waiting = undefined;
    if (failure) waiting.reject(failure);
    else waiting.resolve();
  }

  /** Ends all that is under way. */
  dispose(error: AnyDataError): void {
    this.over = error;
    this.cancel();
    this.asked = new Set();
    this.waiting?.reject(error);
  }

  /** Finds out which blocks are on show, and which are ahead. */
  private locate(): void {
    const { pageSize, size, ahead, range } = this.window;
    const { start, end } = range();
    const blocks = Math.ceil(size.end / pageSize);
    const [first, behind] = [Math.floor(start / pageSize), Math.min(Math.ceil(end / pageSize), blocks)];
    this.visible = end > start ? this.reach(first, behind) : [];
    const next = this.forward
      ? span(behind, Math.min(behind + ahead, blocks))
      : span(Math.max(first - ahead, 0), first);
    this.ahead = this.visible.length > 0 ? next : [];
  }

  /** Blocks from one up to another, or as far as there are plans for: a range may be longer than any list. */
  private reach(first: number, behind: number): number[] {
    const blocks: number[] = [];
    let lacking = 0;
    for (let block = first; block < behind && lacking < PLANNED; block += 1) {
      blocks.push(block);
      // One that failed counts too: a server that is down is not asked for every block there might be.
      if (this.lacks(block) || this.spent.get(block) === Number.POSITIVE_INFINITY) lacking += 1;
    }
    return blocks;
  }

  /** Whether a block is to be asked for, or is on its way. */
  private lacks(block: number): boolean {
    const { requests, spent, window } = this;
    const { pageSize } = window;
    if (!requests.has(block) && (spent.get(block) ?? 0) >= TRIES) return false;
    const end = Math.min((block + 1) * pageSize, window.size.end);
    for (let place = block * pageSize; place < end; place += 1) if (!window.rows.isLoaded(place)) return true;
    return false;
  }

  private async request(block: number): Promise<void> {
    const { host, requests, spent, window } = this;
    const controller = new AbortController();
    requests.set(block, controller);
    const live = () => requests.get(block) === controller;
    const { pageSize: limit } = window;
    const start = block * limit;
    const operation = host.createOperation({ start, limit }, controller.signal);
    const end = (failure?: AnyDataError) => {
      requests.delete(block);
      spent.set(block, failure ? Number.POSITIVE_INFINITY : (spent.get(block) ?? 0) + 1);
      if (failure && this.visible.includes(block)) this.failure = failure;
      window.ended(operation, failure);
    };
    try {
      await withErrorContext(operation, host.proxy.messages, async () => {
        const page = await host.read(operation);
        if (!live()) return;
        window.take(page, start);
        // In the same tick: what follows sees an answer and no request any more.
        end();
      });
    } catch (error) {
      if (live()) end(error as AnyDataError);
    }
  }
}

/** Whole numbers from one up to, without, another. */
function span(from: number, to: number): number[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
}
