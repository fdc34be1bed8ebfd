import type { Table, useTable } from '@tanstack/react-table';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useList, useSelection } from 'repose/react';
import { useClient, useValue } from '../client/client-context.js';
import { Value } from '../client/value.js';
import type { Order } from '../models.js';
import { goTo } from '../panes/place.js';
import type { BulkState } from './bulk-job.js';
import { type EditEnd, opensEditor } from './cells.js';
import { type Column, columnOf, type features } from './columns.js';
import { GridHead } from './grid-head.js';
import { moveBy, type Place } from './grid-keys.js';
import { type GridActions, GridRow, isEditable } from './grid-row.js';
import { RowSlots } from './row-slots.js';
import type { Line, OrderSections } from './sections.js';

/** The table that holds the arrangement of the columns. */
export type OrderTable = ReturnType<typeof useTable<typeof features, Order>>;
type PlainTable = Table<typeof features, Order>;

/** The order of the open editor, and the value of its field when the editor was opened. */
export interface Editing {
  readonly order: Order;
  readonly before: unknown;
}

const ROW = 32;
const HEAD = 34;
const STATE_WIDTH = 150;
const SELECT_WIDTH = 36;

interface GridProps {
  readonly sections: OrderSections;
  readonly table: OrderTable;
}

/** The grid of orders: it draws the lines that are visible, and moves by the keyboard. */
export const OrderGrid = memo(({ sections, table }: GridProps) => {
  const { name, orders, onScreen } = useClient();
  const shown = useSyncExternalStore(sections.subscribe, sections.get);
  const list = useList(orders);
  const fresh = useMemo(() => list.slice().filter(({ phantom }) => phantom), [list]);
  const { isSelected, toggle, selectAll, all, clear } = useSelection(orders);
  const refusals = useRefusals();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 1 });
  const [editing, setEditing] = useState<Editing>();
  const takesFocus = useRef(false);
  const columns = useVisibleColumns(table);
  const count = fresh.length + shown.count;

  const lineAt = (row: number): Line | undefined => {
    const order = fresh[row];
    return order ? { kind: 'order', order } : shown.lineAt(row - fresh.length);
  };

  /** Opens the editor of a cell; `typed` is the letter that did it, and replaces the value. */
  const open = (order: Order, column: Column, typed?: string) => {
    const before = column.name === 'customerName' ? order.customerId : order[column.name];
    setEditing({ order, before });
    if (typed !== undefined) order.set('note', typed);
  };

  // #region virtual
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    // The row of the keyboard stays in the page, so that it keeps the focus while others are scrolled.
    rangeExtractor: (range) => {
      const indices = defaultRangeExtractor(range);
      const keep = active.row >= 0 && active.row < count && !indices.includes(active.row);
      return keep ? [...indices, active.row].sort((a, b) => a - b) : indices;
    },
  });
  const [rowSlots] = useState(() => new RowSlots());
  const items = virtualizer.getVirtualItems();
  const slots = useMemo(() => rowSlots.assign(items.map(({ index }) => index)), [rowSlots, items]);
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(() => {
    sections.show({ start: Math.max(startIndex - fresh.length, 0), end: endIndex + 1 - fresh.length });
  }, [sections, startIndex, endIndex, fresh.length]);
  // #endregion
  useEffect(() => {
    const lines = Array.from({ length: endIndex - startIndex + 1 }, (_, at) => shown.lineAt(startIndex + at));
    onScreen.set(lines.flatMap((line) => (line?.kind === 'order' && line.order ? [line.order.id] : [])));
  }, [shown, startIndex, endIndex, onScreen]);

  // Rows move when others add or erase orders. An editor stays at its order, or ends.
  useLayoutEffect(() => {
    if (!editing) return;
    const orderAt = (row: number) => {
      const line = lineAt(row);
      return line?.kind === 'order' ? line.order : undefined;
    };
    if (orderAt(active.row) === editing.order) return;
    const moved = items.find(({ index }) => orderAt(index) === editing.order);
    if (moved) setActive({ row: moved.index, column: active.column });
    else setEditing(undefined);
  });

  useLayoutEffect(() => {
    if (!takesFocus.current || editing !== undefined) return;
    takesFocus.current = false;
    const cell = `[data-row="${active.row}"][data-column="${active.column}"]`;
    scroller.current?.querySelector<HTMLElement>(cell)?.focus({ preventScroll: true });
  }, [active, editing]);

  const moveTo = useCallback(
    (place: Place) => {
      takesFocus.current = true;
      setActive({ ...place });
      if (place.row >= 0) virtualizer.scrollToIndex(place.row, { align: 'auto' });
      const column = columns[place.column - 1];
      if (column && scroller.current) scrollColumn(scroller.current, table, place.column - 1);
    },
    [virtualizer, columns, table],
  );

  // A new order asks for its customer first.
  const freshBefore = useRef(fresh.length);
  useEffect(() => {
    const isMore = fresh.length > freshBefore.current;
    freshBefore.current = fresh.length;
    const place = columns.findIndex((column) => column.name === 'customerName');
    if (!isMore || place < 0) return;
    moveTo({ row: 0, column: place + 1 });
    setEditing({ order: fresh[0] as Order, before: undefined });
  }, [fresh, columns, moveTo]);

  /** The newest values, for the functions that stay the same. */
  const now = useRef({ active, editing, count, columns, lineAt, moveTo, toggle, open });
  now.current = { active, editing, count, columns, lineAt, moveTo, toggle, open };
  const actions = useMemo<GridActions>(
    () => ({
      activate: (row, column) => {
        const { active: before } = now.current;
        if (before.row !== row || before.column !== column) setActive({ row, column });
      },
      edit: (row, column) => {
        const line = now.current.lineAt(row);
        const definition = now.current.columns[column - 1];
        if (line?.kind !== 'order' || !line.order || !definition || !isEditable(definition, line.order)) return;
        setActive({ row, column });
        now.current.open(line.order, definition);
      },
      endEdit: (end: EditEnd) => {
        if (now.current.editing === undefined) return;
        setEditing(undefined);
        const { row, column } = now.current.active;
        const step = { stay: [0, 0], down: [1, 0], right: [0, 1], left: [0, -1] }[end] as [number, number];
        const lastColumn = now.current.columns.length + 1;
        const next = {
          row: Math.min(row + step[0], now.current.count - 1),
          column: Math.min(Math.max(column + step[1], 0), lastColumn),
        };
        // A click elsewhere ends the edit as well, and keeps the focus where it went.
        if (scroller.current?.contains(document.activeElement)) now.current.moveTo(next);
      },
      toggleSelected: (order) => now.current.toggle(order),
      toggleGroup: (key) => sections.toggle(key),
      openOrder: (order) => goTo(name.toLowerCase(), `order/${order.id}`),
    }),
    [sections, name],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = active;
    const line = row >= 0 ? lineAt(row) : undefined;
    const order = line?.kind === 'order' ? line.order : undefined;
    const definition = columns[column - 1];
    const page = Math.max(Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD) / ROW) - 1, 1);
    if (row === -1 && (event.altKey || event.shiftKey)) return;
    const next = moveBy(event, active, { rows: count, columns: columns.length + 2, page });
    if (next) {
      event.preventDefault();
      return moveTo(next);
    }
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (all) clear();
      else selectAll();
    } else if (line?.kind === 'group' && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      sections.toggle(line.sum.id);
    } else if (!order) return;
    else if (event.key === ' ') {
      event.preventDefault();
      if (definition?.name === 'urgent' && !event.shiftKey) order.set('urgent', !order.urgent);
      else if (!order.phantom) toggle(order);
    } else if (event.key === 'Delete') orders.remove(order);
    else if (event.key === 'Enter' && definition?.name === 'id' && !order.phantom) actions.openOrder(order);
    else if (!definition || !isEditable(definition, order)) return;
    else if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      if (definition.name === 'urgent') order.set('urgent', !order.urgent);
      else open(order, definition);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && opensEditor(definition)) {
      event.preventDefault();
      open(order, definition, definition.name === 'note' ? event.key : undefined);
    }
  };

  const sizes = columns.map(({ name: id }) => `${table.getColumn(id)?.getSize() ?? 100}px`);
  const width = table.getTotalSize() + SELECT_WIDTH + STATE_WIDTH;
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      tabIndex={-1}
      aria-label={`Orders of ${name}`}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 2}
      aria-multiselectable="true"
      aria-busy={shown.loading}
      style={{
        ['--columns' as string]: `${SELECT_WIDTH}px ${sizes.join(' ')} minmax(${STATE_WIDTH}px, 1fr)`,
        ['--grid-width' as string]: `${width}px`,
      }}
      onKeyDown={onKeyDown}
      onFocus={(event: FocusEvent) => {
        // The grid itself gets the focus if the row that had it went away.
        if (event.target === scroller.current) moveTo(active);
      }}
    >
      <GridHead
        table={table}
        columns={columns}
        activeColumn={active.row === -1 ? active.column : -1}
        onActivate={(column) => setActive({ row: -1, column })}
      />
      <div role="rowgroup" className="grid-body" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const line = lineAt(index);
          const order = line?.kind === 'order' ? line.order : undefined;
          const isActive = index === active.row;
          return (
            <GridRow
              key={slots.get(index)}
              order={order}
              isOnItsWay={shown.failure === undefined}
              isNew={order?.phantom ?? false}
              sum={line?.kind === 'group' ? line.sum : undefined}
              isOpen={line?.kind === 'group' && line.isOpen}
              row={index}
              top={start - HEAD}
              columns={columns}
              activeColumn={isActive ? active.column : -1}
              editing={isActive && order !== undefined && editing?.order === order ? editing : undefined}
              isSelected={order !== undefined && isSelected(order)}
              refusal={order && refusals.get(order.id)}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
});

/** The columns that are shown, in their order: the same list until that changes. */
function useVisibleColumns(table: OrderTable): readonly Column[] {
  const names = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join(' ');
  return useMemo(() => names.split(' ').filter(Boolean).map(columnOf), [names]);
}

/** Scrolls sideways until a column is visible. */
function scrollColumn(scroller: HTMLElement, table: Pick<PlainTable, 'getVisibleLeafColumns'>, place: number): void {
  const sizes = table.getVisibleLeafColumns().map((column) => column.getSize());
  const start = SELECT_WIDTH + sizes.slice(0, place).reduce((sum, size) => sum + size, 0);
  const end = start + (sizes[place] ?? 0);
  if (start - SELECT_WIDTH < scroller.scrollLeft) scroller.scrollLeft = start - SELECT_WIDTH;
  else if (end > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = end - scroller.clientWidth;
}

const NO_JOB = new Value<Pick<BulkState, 'refusals'>>({ refusals: new Map() });

/** Why the bulk action at work, or the last one, could not change an order, by its id. */
function useRefusals(): BulkState['refusals'] {
  const job = useValue(useClient().view.bulk);
  return useValue<Pick<BulkState, 'refusals'>>(job?.state ?? NO_JOB).refusals;
}
