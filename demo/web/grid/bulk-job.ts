import { isDataError, off, type Selection, Store, type StoreConfig, selectionOf } from 'repose';
import { sentenceOf } from '../client/sentences.js';
import { Value } from '../client/value.js';
import type { Order, ShopModels } from '../models.js';

/** A change that a bulk action makes to each order. */
export type BulkAction =
  | { readonly kind: 'status'; readonly status: string }
  | { readonly kind: 'urgent'; readonly urgent: boolean }
  | { readonly kind: 'erase' };

/** How far a bulk action is. */
export interface BulkState {
  readonly phase: 'running' | 'stopped' | 'done';
  readonly done: number;
  readonly failed: number;
  /** Why the server has refused an order, by its id. */
  readonly refusals: ReadonlyMap<number, string>;
  readonly total: number;
  /** Why it stopped by itself. */
  readonly failure: string | undefined;
  /** Whether it can go on: not if another try would end in the same way. */
  readonly canGoOn: boolean;
}

/** The selection that an action is for has gone. */
export class SelectionGone extends Error {
  constructor() {
    super('The selection has changed, so this has stopped.');
  }
}

/** Orders in one request. */
const BATCH = 500;

/** Whether the server has read a write, and refuses it: another try would end in the same way. */
function isRefusal(error: unknown): boolean {
  if (!isDataError(error)) return false;
  const status = 'status' in error ? Number(error.status) : 0;
  return error.code === 'validation' || error.code === 'conflict' || status === 404 || status === 403;
}

/** Whether the server has refused a write because it does not have an order any more. */
function isGone(error: unknown): boolean {
  return isDataError(error) && 'status' in error && error.status === 404;
}

/** Whether the same request may succeed later: without a mistake in it, and without a refusal for good. */
function mayPass(error: unknown): boolean {
  if (!isDataError(error)) return false;
  const { code, retryable } = error;
  // The status 401 ends with a sign-in, and the others of these with a change on the server.
  const isPassing =
    'status' in error && (Number(error.status) >= 500 || [401, 409, 423].includes(Number(error.status)));
  return retryable || isPassing || code === 'network' || code === 'timeout' || code === 'read';
}

// #region bulk
/**
 * Edits or erases all selected orders, 500 in one request, also those that are not loaded. It works with a store of its own, so that what
 * somebody has typed and not saved stays as it is.
 */
export class BulkJob {
  readonly state: Value<BulkState>;
  private readonly work: Store<Order>;
  private readonly life = new AbortController();
  private controller = new AbortController();
  /** The pages that are left; undefined: reading begins anew. */
  private pages: AsyncIterator<readonly Order[]> | undefined;
  private reading: Promise<IteratorResult<readonly Order[]>> | undefined;
  private readonly done: Set<number> = new Set();
  private readonly refused: Map<number, string> = new Map();

  constructor(
    model: ShopModels['Order'],
    private readonly action: BulkAction,
    chosen: { readonly orders: Store<Order>; readonly ids: readonly number[] | undefined; readonly total: number },
    private readonly isChosen: Selection<Order>['isSelected'],
  ) {
    const { query } = chosen.orders;
    const config: StoreConfig<Order> = { model, query, pageSize: BATCH, remoteFilter: true, remoteSort: true };
    this.work = new Store({
      ...config,
      proxy: { batchActions: true, use: [off('outbox'), off('etags'), off('conflicts')] },
    });
    if (chosen.ids) selectionOf(this.work).select(...chosen.ids);
    else selectionOf(this.work).selectAll();
    this.state = new Value<BulkState>({
      phase: 'stopped',
      done: 0,
      failed: 0,
      refusals: new Map(),
      total: chosen.total,
      failure: undefined,
      canGoOn: true,
    });
  }

  /** Begins, or goes on with the page at which it was stopped. */
  async run(): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    const { action } = this;
    let readsAnew = false;
    this.tell({ phase: 'running', failure: undefined });
    try {
      for (let page = await this.read(signal); page; page = await this.read(signal)) {
        const orders = page.filter(({ id }) => !this.done.has(id) && this.isChosen(id));
        for (const order of orders) this.change(order);
        const { failures } = await this.work.sync({ batchSize: BATCH, signal });
        this.work.reject();
        signal.throwIfAborted();
        const broken = failures.find(({ error }) => !isRefusal(error));
        if (broken) throw broken.error;
        // The server erases none of them if one is gone, and the orders behind those that are gone have moved up.
        // If some are gone again, the pages that were read anew still have them: then these orders count as refused.
        readsAnew = action.kind === 'erase' && !readsAnew && failures.some(({ error }) => isGone(error));
        if (readsAnew) {
          this.restart();
          continue;
        }
        for (const { record, error } of failures) this.refused.set(record.id, sentenceOf(error));
        for (const { id } of orders) if (!this.refused.has(id)) this.done.add(id);
        this.reading = undefined;
        this.tell({});
      }
      this.tell({ phase: 'done' });
    } catch (error) {
      this.work.reject();
      // The pages of orders that are erased are read anew, because the server may have erased some of the page at work.
      if (action.kind === 'erase') this.restart();
      if (signal.aborted) this.tell({ phase: 'stopped' });
      else {
        const failure = error instanceof SelectionGone ? error.message : sentenceOf(error);
        this.tell({ phase: 'stopped', failure, canGoOn: mayPass(error) });
      }
    }
  }

  /** Stops at once. The request in flight is given up, `run()` goes on. */
  stop(): void {
    this.controller.abort();
  }

  /** The page at work, or else the next one. Pages that were finished are not read again. */
  private async read(signal: AbortSignal): Promise<readonly Order[] | undefined> {
    this.pages ??= selectionOf(this.work).pages({ limit: BATCH, signal: this.life.signal });
    this.reading ??= this.pages.next();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    try {
      const { done, value } = await Promise.race([this.reading, aborted]);
      return done ? undefined : value;
    } catch (error) {
      if (!signal.aborted) this.restart();
      throw error;
    }
  }
  // #endregion

  dispose(): void {
    this.stop();
    this.life.abort();
    this.restart();
    this.work.dispose();
  }

  private restart(): void {
    void this.pages?.return?.();
    this.pages = undefined;
    this.reading = undefined;
    // They are tried again.
    this.refused.clear();
  }

  private change(order: Order): void {
    const { action } = this;
    if (action.kind === 'erase') this.work.remove(order);
    else if (action.kind === 'status') order.status = action.status;
    else order.urgent = action.urgent;
  }

  private tell(part: Partial<BulkState>): void {
    const { done, refused } = this;
    this.state.set({ ...this.state.get(), ...part, done: done.size, failed: refused.size, refusals: new Map(refused) });
  }
}
