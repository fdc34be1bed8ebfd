import { memo, type ReactNode } from 'react';
import { useField, useRecord, useReference } from 'repose/react';
import { useClient } from '../client/client-context.js';
import type { Order, OrderSum } from '../models.js';
import { CellEditor, CellText, type EditEnd, RowState } from './cells.js';
import type { Column } from './columns.js';
import { CustomerEditor } from './customer-editor.js';
import { formatCount, formatMoney } from './formats.js';
import type { Editing } from './order-grid.js';

/** The functions that cells call. The same object for as long as the grid is shown. */
export interface GridActions {
  activate(row: number, column: number): void;
  edit(row: number, column: number): void;
  endEdit(end: EditEnd): void;
  toggleSelected(order: Order): void;
  toggleGroup(key: string): void;
  openOrder(order: Order): void;
}

interface RowProps {
  /** The order of the row; undefined: it is not loaded yet, or the row is the head of a group. */
  readonly order: Order | undefined;
  /** Whether an order that is missing is on its way; false: its read has failed. */
  readonly isOnItsWay: boolean;
  /** Whether the order has no row on the server yet. */
  readonly isNew: boolean;
  /** The group whose head the row is. */
  readonly sum: OrderSum | undefined;
  /** Whether the group is open. */
  readonly isOpen: boolean;
  readonly row: number;
  readonly top: number;
  readonly columns: readonly Column[];
  /** The column of the cell that the keyboard is at; -1: it is in another row. */
  readonly activeColumn: number;
  /** The editor of the active cell; undefined: it is closed. */
  readonly editing: Editing | undefined;
  readonly isSelected: boolean;
  /** Why a bulk action could not change the order. */
  readonly refusal: string | undefined;
  readonly actions: GridActions;
}

/** One line of the grid. It is rendered again only if one of its properties has changed: it takes no object that is made anew. */
export const GridRow = memo((props: RowProps) => {
  const {
    order,
    isOnItsWay,
    isNew,
    sum,
    isOpen,
    row,
    top,
    columns,
    activeColumn,
    editing,
    isSelected,
    refusal,
    actions,
  } = props;
  const style = { transform: `translateY(${top}px)` };
  const common = { role: 'row', 'aria-rowindex': row + 2, style };
  const cell = (column: number) => ({
    role: 'gridcell',
    'aria-colindex': column + 1,
    'data-row': row,
    'data-column': column,
    tabIndex: column === activeColumn ? 0 : -1,
    onFocus: () => actions.activate(row, column),
  });
  if (sum)
    return (
      <div {...common} className="grid-row group-row">
        <div {...cell(0)} aria-colspan={columns.length + 2} className="cell group-cell">
          <GroupHead sum={sum} isOpen={isOpen} onToggle={() => actions.toggleGroup(sum.id)} />
        </div>
      </div>
    );
  return (
    <div
      {...common}
      className="grid-row"
      aria-selected={order ? isSelected : undefined}
      data-new={isNew}
      data-refused={refusal !== undefined}
      aria-busy={!order && isOnItsWay ? true : undefined}
    >
      <div {...cell(0)} className="cell select-cell">
        {order && !isNew && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select order ${order.id}`}
            checked={isSelected}
            onChange={() => actions.toggleSelected(order)}
          />
        )}
      </div>
      {columns.map((column, place) => {
        const at = place + 1;
        const isEditing = editing !== undefined && at === activeColumn;
        return (
          <div
            key={column.name}
            {...cell(at)}
            className="cell"
            data-kind={column.kind}
            aria-readonly={isEditable(column, order) ? undefined : true}
            onDoubleClick={() => actions.edit(row, at)}
          >
            {order ? (
              contentOf(order, column, isEditing ? editing : undefined, actions)
            ) : (
              <span className="placeholder" aria-hidden="true" />
            )}
          </div>
        );
      })}
      <div {...cell(columns.length + 1)} className="cell state-cell">
        {order && refusal !== undefined && (
          <span className="row-state" data-tone="danger">
            <span title={refusal}>Refused: {refusal}</span>
          </span>
        )}
        {order && refusal === undefined && <RowState order={order} onShow={() => actions.openOrder(order)} />}
      </div>
    </div>
  );
});

/** Whether the value of a column can be changed in the grid. A new order gets its customer here. */
export function isEditable(column: Column, order: Order | undefined): boolean {
  return column.isEditable === true || (column.name === 'customerName' && order?.phantom === true);
}

function contentOf(order: Order, column: Column, editing: Editing | undefined, actions: GridActions): ReactNode {
  const { name } = column;
  if (name === 'customerName' && order.phantom)
    return editing === undefined ? (
      <NewCustomer order={order} />
    ) : (
      <CustomerEditor order={order} before={editing.before as number | undefined} onEnd={actions.endEdit} />
    );
  if (editing !== undefined)
    return <CellEditor order={order} column={column} before={editing.before} onEnd={actions.endEdit} />;
  if (name === 'urgent') return <Urgent order={order} />;
  if (name === 'id' && !order.phantom)
    return (
      <button type="button" className="order-link" tabIndex={-1} onClick={() => actions.openOrder(order)}>
        <span className="visually-hidden">Open order </span>
        {order.id}
      </button>
    );
  if (name === 'id') return <span className="cell-text">new</span>;
  return <CellText order={order} column={column} />;
}

function Urgent({ order }: { readonly order: Order }) {
  const { value, dirty } = useField(order, 'urgent');
  return (
    <span className="cell-text" data-kind="boolean" data-dirty={dirty}>
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Urgent, order ${order.phantom ? 'new' : order.id}`}
        checked={value}
        onChange={(event) => order.set('urgent', event.target.checked)}
      />
    </span>
  );
}

/** The customer of a new order, whose row has no name from the server yet. */
function NewCustomer({ order }: { readonly order: Order }) {
  const { models } = useClient();
  const { record } = useReference(models.Order, order, 'customerId');
  const { errors } = useField(order, 'customerId');
  return (
    <span className="cell-text" data-invalid={errors.length > 0}>
      {record ? record.name : <em>Choose a customer</em>}
    </span>
  );
}

function GroupHead({
  sum,
  isOpen,
  onToggle,
}: {
  readonly sum: OrderSum;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  // The server adds up again while others change orders.
  const { label, count, total } = useRecord(sum).values;
  return (
    <button type="button" className="group-head" tabIndex={-1} aria-expanded={isOpen} onClick={onToggle}>
      <span className="group-label">{labelOf(label)}</span>
      <span className="group-count">
        {formatCount(count ?? 0)} {count === 1 ? 'order' : 'orders'}
      </span>
      <span className="group-total">{formatMoney(total ?? 0)}</span>
    </button>
  );
}

function labelOf(label: string | undefined): string {
  if (label === 'true') return 'Urgent';
  if (label === 'false') return 'Not urgent';
  return label ?? '';
}
