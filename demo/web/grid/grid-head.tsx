import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { useSelection } from 'repose/react';
import { useClient } from '../client/client-context.js';
import type { Column, ColumnName } from './columns.js';
import type { OrderTable } from './order-grid.js';
import { useSorting } from './query.js';

interface HeadProps {
  readonly table: OrderTable;
  readonly columns: readonly Column[];
  /** The column of the cell that the keyboard is at; -1: it is in the rows. */
  readonly activeColumn: number;
  readonly onActivate: (column: number) => void;
}

const ARROWS = { ASC: '▲', DESC: '▼' } as const;
const STEP = 16;

/** The head of the grid. A click sorts, the right edge resizes, and dragging moves a column. */
export function GridHead({ table, columns, activeColumn, onActivate }: HeadProps) {
  const { orders } = useClient();
  const sorting = useSorting(orders);
  const { all, count, selectAll, clear } = useSelection(orders);
  const [target, setTarget] = useState<ColumnName>();
  const headers = new Map(table.getFlatHeaders().map((header) => [header.column.id, header]));
  const cell = (column: number) => ({
    'aria-colindex': column + 1,
    'data-row': -1,
    'data-column': column,
    tabIndex: column === activeColumn ? 0 : -1,
    onFocus: () => onActivate(column),
  });

  /** Moves a column to the place of another one. */
  const move = (from: string, to: string) => {
    table.setColumnOrder((order) => {
      const rest = order.filter((name) => name !== from);
      const at = order.indexOf(to);
      return [...rest.slice(0, at), from, ...rest.slice(at)];
    });
  };

  const onKeyDown = (event: KeyboardEvent, { name }: Column, place: number) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      sorting.toggle(name);
    } else if (step && event.shiftKey) {
      event.preventDefault();
      const size = table.getColumn(name)?.getSize() ?? 100;
      table.setColumnSizing((sizes) => ({ ...sizes, [name]: Math.min(Math.max(size + step * STEP, 48), 600) }));
    } else if (step && event.altKey) {
      event.preventDefault();
      const other = columns[place + step];
      if (other) move(name, other.name);
      if (other) onActivate(place + 1 + step);
    }
  };

  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" aria-rowindex={1} className="grid-row">
        <div {...cell(0)} role="columnheader" className="cell select-cell">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select all orders that match"
            checked={all}
            ref={(input) => {
              if (input) input.indeterminate = !all && (count ?? 0) > 0;
            }}
            onChange={() => (all ? clear() : selectAll())}
          />
        </div>
        {columns.map((column, place) => {
          const { name, label, kind } = column;
          const direction = sorting.by === name ? sorting.direction : undefined;
          const header = headers.get(name);
          return (
            <div
              key={name}
              {...cell(place + 1)}
              role="columnheader"
              aria-sort={direction === undefined ? 'none' : direction === 'ASC' ? 'ascending' : 'descending'}
              className="cell head-cell"
              data-kind={kind}
              data-target={target === name}
              title={`${label}: Enter sorts, Shift+arrow resizes, Alt+arrow moves the column`}
              draggable
              onDragStart={(event: DragEvent) => event.dataTransfer.setData('text/column', name)}
              onDragOver={(event: DragEvent) => {
                event.preventDefault();
                setTarget(name);
              }}
              onDragLeave={() => setTarget(undefined)}
              onDrop={(event: DragEvent) => {
                event.preventDefault();
                setTarget(undefined);
                const from = event.dataTransfer.getData('text/column');
                if (from && from !== name) move(from, name);
              }}
              onClick={() => sorting.toggle(name)}
              onKeyDown={(event) => onKeyDown(event, column, place)}
            >
              <span className="head-label">{label}</span>
              {direction && (
                <span className="head-arrow" aria-hidden="true">
                  {ARROWS[direction]}
                </span>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the click only must not sort */}
              <span
                className="resizer"
                data-resizing={header?.column.getIsResizing() ?? false}
                draggable
                onDragStart={(event) => {
                  event.preventDefault();
                  event.stopPropagation();
                }}
                onClick={(event) => event.stopPropagation()}
                onMouseDown={header?.getResizeHandler()}
                onTouchStart={header?.getResizeHandler()}
              />
            </div>
          );
        })}
        <div {...cell(columns.length + 1)} role="columnheader" className="cell">
          <span className="head-label">Changes</span>
        </div>
      </div>
    </div>
  );
}
