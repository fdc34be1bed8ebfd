import { off, type Selection, Store, type StoreConfig } from 'repose';
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
  readonly total: number;
  /** Why it stopped by itself. */
  readonly failure: string | undefined;
}

/** Orders in one request. */
const BATCH = 500;

// #region bulk
/**
 * Edits or erases all selected orders, 500 in one request, also those that are not loaded. It works with a store of its own, so that what
 * somebody has typed and not saved stays as it is.
 */
export class BulkJob {
  readonly state: Value<BulkState>;
  private readonly work: Store<Order>;
  private controller = new AbortController();
  private done = 0;
  private failed = 0;

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
    if (chosen.ids) this.work.selection.select(...chosen.ids);
    else this.work.selection.selectAll();
    this.state = new Value<BulkState>({
      phase: 'stopped',
      done: 0,
      failed: 0,
      total: chosen.total,
      failure: undefined,
    });
  }

  /** Begins, or goes on where it was stopped: what was done is read again, and is not sent again. */
  async run(): Promise<void> {
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.tell({ phase: 'running', failure: undefined });
    let position = 0;
    try {
      for await (const page of this.work.selection.pages({ limit: BATCH, signal })) {
        const orders = page.filter((order) => this.isChosen(order.id));
        for (const order of orders) this.change(order);
        const { failures } = await this.work.sync({ batchSize: BATCH, signal });
        if (signal.aborted) break;
        position += orders.length;
        this.failed += failures.length;
        this.done = this.action.kind === 'erase' ? this.done + orders.length : Math.max(this.done, position);
        this.work.rejectChanges();
        this.tell({});
      }
      this.tell({ phase: signal.aborted ? 'stopped' : 'done' });
    } catch (error) {
      const { userMessage, message } = error as { readonly userMessage?: string; readonly message: string };
      this.tell({ phase: 'stopped', failure: signal.aborted ? undefined : (userMessage ?? message) });
    }
  }

  /** Stops at once. The request in flight is given up, `run()` goes on. */
  stop(): void {
    this.controller.abort();
  }
  // #endregion

  dispose(): void {
    this.stop();
    this.work.dispose();
  }

  private change(order: Order): void {
    const { action } = this;
    if (action.kind === 'erase') this.work.remove(order);
    else if (action.kind === 'status') order.status = action.status;
    else order.urgent = action.urgent;
  }

  private tell(part: Partial<BulkState>): void {
    this.state.set({ ...this.state.get(), ...part, done: this.done, failed: this.failed });
  }
}
