import { type FilterConfig, type IndexRange, type RecordWindow, type Store, where, windowOf } from 'repose';
import type { Value } from '../client/value.js';
import type { Order, OrderSum, ShopModels } from '../models.js';

/** The names by which orders can be grouped. */
export const GROUPINGS = [
  ['status', 'Status'],
  ['customerId', 'Customer'],
  ['categoryId', 'Category'],
  ['urgent', 'Urgent'],
  ['month', 'Month'],
] as const;

/** One of the names by which orders can be grouped. */
export type Grouping = (typeof GROUPINGS)[number][0];

/** A line of the grid: the head of a group, or an order, which may not be loaded yet. */
export type Line =
  | { readonly kind: 'group'; readonly sum: OrderSum; readonly isOpen: boolean }
  | { readonly kind: 'order'; readonly order: Order | undefined };

/** The lines of the grid at one moment. */
export interface Sections {
  readonly count: number;
  /** Number of orders that match; undefined while it is not known. */
  readonly total: number | undefined;
  readonly loading: boolean;
  /** A sentence about the load that failed. */
  readonly failure: string | undefined;
  lineAt(index: number): Line | undefined;
}

/** The stores of the grid. */
interface GridStores {
  readonly orders: Store<Order>;
  readonly sums: Store<OrderSum>;
  /** Changes when orders have changed on the server. */
  readonly changes: Value<number>;
}

// Milliseconds for which changes are collected before the server adds up the groups again.
const COLLECT = 1000;

interface Group {
  readonly sum: OrderSum;
  readonly window: RecordWindow<Order> | undefined;
}

// #region sections
/**
 * The lines of the grid: one window over all orders, or the groups that the server has counted, with a window for each open group. Windows
 * load what is visible, and nothing else, however many orders there are.
 */
export class OrderSections {
  private readonly listeners: Set<() => void> = new Set();
  private readonly stops: (() => void)[] = [];
  private readonly windows: Map<string, RecordWindow<Order>> = new Map();
  private readonly open: Set<string> = new Set();
  private grouping: Grouping | undefined;
  /** By what the sums that are loaded group. While others are on their way, those are no groups of the grid. */
  private loadedGrouping: Grouping | undefined;
  private range: IndexRange = { start: 0, end: 0 };
  private value: Sections | undefined;
  private readonly orders: Store<Order>;
  private readonly sums: Store<OrderSum>;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: ShopModels['Order'],
    { orders, sums, changes }: GridStores,
  ) {
    this.orders = orders;
    this.sums = sums;
    this.stops.push(
      changes.subscribe(() => this.sumUpLater()),
      orders.on('filterchange', () => this.requery()),
      orders.on('sort', () => this.requery()),
    );
    this.stops.push(sums.list.subscribe(this.sumsChanged), sums.status.subscribe(this.changed));
    this.windowOf('');
  }

  /** Groups by something else; undefined: one list. */
  group(by: Grouping | undefined): void {
    if (by === this.grouping) return;
    this.closeAll();
    this.grouping = by;
    this.loadedGrouping = undefined;
    this.open.clear();
    if (by === undefined) this.windowOf('');
    else this.loadSums(by);
    this.changed();
    // The same lines of the screen are others now.
    this.showRange();
  }

  /** Opens or closes a group. */
  toggle(key: string): void {
    if (this.open.delete(key)) this.close(key);
    else {
      this.open.add(key);
      this.windowOf(key);
    }
    this.changed();
    this.showRange();
  }

  /**
   * Asks for the orders among the lines that are visible now. If some orders could not be loaded, and fewer of the same lines are visible,
   * nothing is asked for again: the grid is lower because the sentence about the failure takes some of its height.
   */
  show(range: IndexRange): void {
    const isPart = range.start >= this.range.start && range.end <= this.range.end;
    if (isPart && this.get().failure !== undefined) return;
    this.range = range;
    this.showRange();
  }

  /** Asks the window of each group for its part of the visible lines. */
  private showRange(): void {
    const { range } = this;
    let start = 0;
    for (const { window } of this.groups()) {
      if (this.grouping !== undefined) start += 1;
      if (!window) continue;
      const { count } = window.list.get();
      const from = Math.max(range.start - start, 0);
      const to = Math.min(range.end - start, Math.max(count, 1));
      if (to > from) window.show({ start: from, end: to }).catch(() => undefined); // `status` tells why
      start += count;
    }
  }
  // #endregion

  /** Loads again what is on show. */
  reload(): void {
    if (this.grouping !== undefined) this.loadSums(this.grouping);
    for (const window of this.windows.values()) window.reload().catch(() => undefined);
  }

  /** Asks again for what could not be loaded. */
  readonly retry = (): void => {
    if (this.sums.status.get().error && this.grouping !== undefined) this.loadSums(this.grouping);
    for (const window of this.windows.values()) if (window.status.get().error) window.retry().catch(() => undefined);
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): Sections => (this.value ??= this.read());

  dispose(): void {
    clearTimeout(this.timer);
    this.closeAll();
    for (const stop of this.stops) stop();
    this.listeners.clear();
  }

  private read(): Sections {
    const groups = this.groups();
    const isGrouped = this.grouping !== undefined;
    const isSummedUp = this.loadedGrouping === this.grouping;
    const counts = groups.map(({ window }) => window?.list.get().count ?? 0);
    const states = [
      ...(isGrouped ? [this.sums.status] : []),
      ...[...this.windows.values()].map(({ status }) => status),
    ];
    const failed = states.map((status) => status.get().error).find((error) => error && error.code !== 'abort');
    return {
      count: counts.reduce((sum, count) => sum + count, isGrouped ? groups.length : 0),
      total: !isGrouped
        ? this.windows.get('')?.list.get().total
        : isSummedUp
          ? groups.reduce((sum, group) => sum + (group.sum.count ?? 0), 0)
          : undefined,
      loading: states.some((status) => status.get().loading),
      failure: failed?.userMessage,
      lineAt: (index) => {
        let at = index;
        for (const [place, { sum, window }] of groups.entries()) {
          if (isGrouped) {
            if (at === 0) return { kind: 'group', sum, isOpen: this.open.has(sum.id) };
            at -= 1;
          }
          const count = counts[place] as number;
          if (at < count) {
            return { kind: 'order', order: window?.list.get().at(at) };
          }
          at -= count;
        }
        return undefined;
      },
    };
  }

  private groups(): readonly Group[] {
    if (this.grouping === undefined) return [{ sum: undefined as never, window: this.windows.get('') }];
    if (this.grouping !== this.loadedGrouping) return [];
    return this.sums.list
      .get()
      .slice()
      .map((sum) => ({ sum, window: this.windows.get(sum.id) }));
  }

  /** The filters or the order have changed. One window follows its store; those of groups are made anew. */
  private requery(): void {
    if (this.grouping === undefined) return;
    const { grouping } = this;
    this.closeAll();
    this.loadSums(grouping);
    for (const key of this.open) this.windowOf(key);
    this.changed();
    this.showRange();
  }

  /** A group that somebody has opened may have come back with other sums. */
  private readonly sumsChanged = (): void => {
    for (const key of this.open) if (!this.windows.has(key)) this.windowOf(key);
    this.changed();
    this.showRange();
  };

  // #region sums
  /** Sums follow the changes of orders: at most once in a second, the server adds them up again. */
  private sumUpLater(): void {
    if (this.grouping === undefined || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.grouping !== undefined) this.loadSums(this.grouping);
    }, COLLECT);
  }

  /** Lets the server count and add up the groups, with the filters of the orders. */
  private loadSums(group: Grouping): void {
    const { sums, orders } = this;
    sums.setExtraParams({ group });
    sums.filter(orders.query.filters as never);
    sums.search(orders.query.search);
    const loaded = () => {
      if (group !== this.grouping) return;
      this.loadedGrouping = group;
      this.sumsChanged();
    };
    sums.load().then(loaded, () => undefined); // `status` tells why it has failed
  }

  /** The window of a group: the query of the store, and one filter more. */
  private windowOf(key: string): void {
    const sum = key === '' ? undefined : this.sums.getById(key);
    if (key !== '' && !sum) return;
    const { query } = this.orders;
    const window = windowOf(this.orders, {
      prefetch: 50,
      ...(sum ? { query: query.with({ filters: [...query.filters, ...this.filtersOf(sum)] }) } : {}),
    });
    this.windows.set(key, window);
    window.list.subscribe(this.changed);
    window.status.subscribe(this.changed);
  }

  private filtersOf({ key }: OrderSum): FilterConfig<Order>[] {
    const { status, customerId, categoryId, urgent, placed } = where(this.model);
    if (this.grouping === 'status') return [status.eq(String(key))];
    if (this.grouping === 'customerId') return [customerId.eq(Number(key))];
    if (this.grouping === 'urgent') return [urgent.eq(key === true)];
    if (this.grouping === 'categoryId') return [key === null ? categoryId.isNull() : categoryId.eq(Number(key))];
    const [year = 0, month = 0] = String(key).split('-').map(Number);
    return [placed.between(`${key}-01`, `${key}-${new Date(year, month, 0).getDate()}`)];
  }
  // #endregion

  private close(key: string): void {
    this.windows.get(key)?.dispose();
    this.windows.delete(key);
  }

  private closeAll(): void {
    for (const key of [...this.windows.keys()]) this.close(key);
  }

  private readonly changed = (): void => {
    this.value = undefined;
    for (const listener of [...this.listeners]) listener();
  };
}
