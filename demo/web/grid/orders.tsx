import { useTable } from '@tanstack/react-table';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { refreshStale } from 'repose';
import { historyOf } from 'repose/history';
import { useStatus } from 'repose/react';
import { useClient, useValue } from '../client/client-context.js';
import { ShowCode } from '../code/show-code.js';
import { FailedRead } from '../controls/failed-read.js';
import { Menu } from '../controls/menu.js';
import type { Order } from '../models.js';
import modelsText from '../models.ts?raw';
import { goTo } from '../panes/place.js';
import bulkText from './bulk-job.ts?raw';
import { BulkPanel } from './bulk-panel.js';
import cellsText from './cells.tsx?raw';
import { type Arrangement, COLUMNS, features, readArrangement, storeArrangement, tableColumns } from './columns.js';
import columnsText from './columns.ts?raw';
import { FilterPanel } from './filter-panel.js';
import { formatCount, formatMoney } from './formats.js';
import keysText from './grid-keys.ts?raw';
import { OrderGrid } from './order-grid.js';
import gridText from './order-grid.tsx?raw';
import ordersText from './orders.tsx?raw';
import { chipsOf, conditionsOf, type Filtering, NO_FILTER } from './query.js';
import queryText from './query.ts?raw';
import { SavePanel } from './save-panel.js';
import { NOT_SAVED, saveAll } from './save-state.js';
import saveText from './save-state.ts?raw';
import { GROUPINGS, type Grouping, OrderSections } from './sections.js';
import sectionsText from './sections.ts?raw';

/** Milliseconds after a letter before the server is asked. */
const TYPING = 300;

const NO_ORDERS: Order[] = [];

/** The place with the grid of orders. */
export function Orders() {
  const { name, orders, models, session, view } = useClient();
  const sections = useSections();
  const shown = useSyncExternalStore(sections?.subscribe ?? never, sections?.get ?? nothing);
  const filtering = useValue(view.filtering);
  const grouping = useValue(view.grouping);
  const table = useArrangedTable(name);
  const chips = chipsOf(filtering);
  // The state of the history tells why one has failed.
  const undo = () =>
    void historyOf(session)
      .undo()
      .catch(() => undefined);
  const redo = () =>
    void historyOf(session)
      .redo()
      .catch(() => undefined);

  const filter = (next: Filtering) => {
    view.filtering.set(next);
    orders.filter(conditionsOf(models.Order, next), { delay: TYPING });
  };
  const group = (by: Grouping | undefined) => {
    view.grouping.set(by);
    sections?.group(by);
  };
  const save = async () => {
    await saveAll(orders, view.saving);
    if (view.saving.get().outcomes.some(({ action, error }) => action !== 'update' && !error)) sections?.reload();
  };

  return (
    <div
      className="orders"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
        const key = event.key.toLowerCase();
        const isText = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
        if (key !== 's' && (key !== 'z' || isText)) return;
        event.preventDefault();
        if (key === 's') void save();
        else if (event.shiftKey) redo();
        else undo();
      }}
    >
      <div className="toolbar">
        <input
          type="search"
          aria-label={`Search the orders of ${name}`}
          placeholder="Search number, customer, city, note"
          defaultValue={orders.query.search}
          onChange={(event) => orders.search(event.target.value, { delay: TYPING })}
        />
        <Menu
          label={`Filter${chips.length > 0 ? ` (${chips.length})` : ''}`}
          title="Filters"
          isMarked={chips.length > 0}
        >
          <FilterPanel filtering={filtering} onChange={filter} />
        </Menu>
        <label>
          <span className="visually-hidden">Group by</span>
          <select value={grouping ?? ''} onChange={({ target }) => group((target.value || undefined) as Grouping)}>
            <option value="">No groups</option>
            {GROUPINGS.map(([key, label]) => (
              <option key={key} value={key}>
                By {label.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <Menu label="Columns" title="Columns">
          <ColumnChoice table={table} />
        </Menu>
        <button
          type="button"
          onClick={() => orders.insert(0, { placed: new Date().toLocaleDateString('sv'), status: 'open' })}
        >
          New order
        </button>
        <ShowCode title="A grid of 100,000 orders" parts={CODE} />
      </div>
      {chips.length > 0 && (
        <ul className="chips" aria-label="Filters in use">
          {chips.map(({ label, without }) => (
            <li key={label}>
              <button type="button" onClick={() => filter(without)} aria-label={`Remove the filter ${label}`}>
                {label} ×
              </button>
            </li>
          ))}
          <li>
            <button type="button" className="plain" onClick={() => filter(NO_FILTER)}>
              Remove all
            </button>
          </li>
        </ul>
      )}
      {shown?.failure && <FailedRead message={shown.failure} retry={sections?.retry} />}
      <UndoNotice />
      {sections && <OrderGrid sections={sections} table={table} />}
      {shown && !shown.loading && !shown.failure && shown.count === 0 && (
        <p className="empty">No order matches. Remove a filter, or search for less.</p>
      )}
      <div className="panels">
        <div className="panels-stack">
          <BulkPanel total={shown?.total} onDone={() => sections?.reload()} />
          <Outcomes />
          <StaleNotice />
        </div>
      </div>
      <Footer total={shown?.total} isCounted={!shown?.failure} onSave={save} />
    </div>
  );
}

/** Says why a step could not be undone or redone. */
function UndoNotice() {
  const history = historyOf(useClient().session);
  const { error } = useValue(history.state);
  return error ? (
    <p className="notice" role="alert">
      This could not be undone: {error.userMessage}
      <button type="button" onClick={() => history.clear()}>
        Forget the steps
      </button>
    </p>
  ) : null;
}

function Outcomes() {
  const { name, view } = useClient();
  return (
    <SavePanel
      name={name}
      state={useValue(view.saving)}
      onShow={(order) => goTo(name.toLowerCase(), `order/${order.id}`)}
      onClose={() => view.saving.set(NOT_SAVED)}
    />
  );
}

/** Says that other orders belong into the list now. They are not put there unasked, so that no row moves away under the hand. */
function StaleNotice() {
  const { orders, name } = useClient();
  const { stale } = useStatus(orders);
  return stale ? (
    <section className="panel panel-top" aria-label={`Changes of the list of ${name}`}>
      <p role="status">The list has changed.</p>
      <button type="button" onClick={() => refreshStale(orders).catch(() => undefined)}>
        Show it anew
      </button>
    </section>
  ) : null;
}

interface FooterProps {
  /** Number of orders that match. */
  readonly total: number | undefined;
  /** Whether an unknown number is on its way; false: its read has failed. */
  readonly isCounted: boolean;
  readonly onSave: () => void;
}

/** The number of orders, and what can be done with all edits. It is a component of its own, because each edit changes it, but no toolbar. */
function Footer({ total, isCounted, onSave }: FooterProps) {
  const { orders, sums, session, view } = useClient();
  const grouping = useValue(view.grouping);
  const { isRunning } = useValue(view.saving);
  const { pending } = useStatus(orders);
  // #region undo
  const history = historyOf(session);
  const { canUndo, canRedo, running } = useValue(history.state);
  // The state tells why one has failed.
  const undo = () => void history.undo().catch(() => undefined);
  const redo = () => void history.redo().catch(() => undefined);
  // #endregion
  return (
    <div className="footer" data-sums={grouping !== undefined}>
      <p role="status">
        {total !== undefined
          ? `${formatCount(total)} ${total === 1 ? 'order' : 'orders'}`
          : isCounted
            ? 'Counting the orders'
            : 'Orders not counted'}
        {grouping !== undefined && sums.status.get().loaded && `, ${formatMoney(sums.groups.summaries.total)} in all`}
      </p>
      <button type="button" aria-keyshortcuts="Control+Z" disabled={!canUndo || running} onClick={undo}>
        Undo
      </button>
      <button type="button" aria-keyshortcuts="Control+Shift+Z" disabled={!canRedo || running} onClick={redo}>
        Redo
      </button>
      <span className="pending" data-some={pending > 0}>
        {pending === 0 ? 'Nothing to save' : `${formatCount(pending)} to save`}
      </span>
      <button type="button" disabled={pending === 0} onClick={() => orders.reject()}>
        Discard
      </button>
      <button
        type="button"
        className="primary"
        disabled={pending === 0 || isRunning}
        aria-keyshortcuts="Control+S"
        onClick={onSave}
      >
        Save all
      </button>
    </div>
  );
}

const CODE = [
  { file: 'models.ts', text: modelsText, region: 'models' },
  { file: 'grid/sections.ts', text: sectionsText, region: 'sections' },
  { file: 'grid/sections.ts', text: sectionsText, region: 'sums' },
  { file: 'grid/order-grid.tsx', text: gridText, region: 'virtual' },
  { file: 'grid/query.ts', text: queryText, region: 'sort' },
  { file: 'grid/query.ts', text: queryText, region: 'filter' },
  { file: 'grid/cells.tsx', text: cellsText, region: 'cell' },
  { file: 'grid/cells.tsx', text: cellsText, region: 'editor' },
  { file: 'grid/cells.tsx', text: cellsText, region: 'state' },
  { file: 'grid/save-state.ts', text: saveText, region: 'save' },
  { file: 'grid/bulk-job.ts', text: bulkText, region: 'bulk' },
  { file: 'grid/orders.tsx', text: ordersText, region: 'undo' },
  { file: 'grid/columns.ts', text: columnsText, region: 'table' },
  { file: 'grid/grid-keys.ts', text: keysText, region: 'keys' },
];

/** The lines of the grid, for as long as the component is shown. */
function useSections(): OrderSections | undefined {
  const { models, orders, sums, view, orderChanges } = useClient();
  const [sections, setSections] = useState<OrderSections>();
  useEffect(() => {
    const made = new OrderSections(models.Order, { orders, sums, changes: orderChanges });
    made.group(view.grouping.get());
    setSections(made);
    return () => {
      setSections(undefined);
      made.dispose();
    };
  }, [models, orders, sums, view, orderChanges]);
  return sections;
}

const never = () => () => undefined;
const nothing = () => undefined;

// #region arrangement
/** The table whose columns a person has arranged: order, widths and visibility are kept in the storage of the browser. */
function useArrangedTable(person: string) {
  const first = useMemo(() => readArrangement(person), [person]);
  // The same options make the same table, so that the grid is not rendered again with each edit.
  const options = useMemo(
    () => ({
      features,
      columns: tableColumns,
      data: NO_ORDERS,
      initialState: first as Arrangement & { columnOrder: string[] },
      columnResizeMode: 'onChange' as const,
    }),
    [first],
  );
  const table = useTable(options);
  const { columnOrder, columnSizing, columnVisibility } = table.state;
  useEffect(
    () => storeArrangement(person, { columnOrder, columnSizing, columnVisibility }),
    [person, columnOrder, columnSizing, columnVisibility],
  );
  return table;
}
// #endregion

/** Chooses the columns that are shown, and moves them. */
function ColumnChoice({ table }: { readonly table: ReturnType<typeof useArrangedTable> }) {
  const order = table.state.columnOrder;
  const move = (name: string, by: number) => {
    const at = order.indexOf(name);
    const other = order[at + by];
    if (other === undefined) return;
    table.setColumnOrder(order.map((each, place) => (place === at ? other : place === at + by ? name : each)));
  };
  return (
    <ul className="column-choice">
      {order.map((name) => {
        const { label } = COLUMNS.find((column) => column.name === name) ?? { label: name };
        const column = table.getColumn(name);
        return (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={column?.getIsVisible() ?? false}
                onChange={(event) => column?.toggleVisibility(event.target.checked)}
              />
              {label}
            </label>
            <button
              type="button"
              className="plain"
              aria-label={`Move ${label} to the left`}
              onClick={() => move(name, -1)}
            >
              ↑
            </button>
            <button
              type="button"
              className="plain"
              aria-label={`Move ${label} to the right`}
              onClick={() => move(name, 1)}
            >
              ↓
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          onClick={() => {
            table.setColumnOrder(COLUMNS.map(({ name }) => name));
            table.setColumnSizing({});
            table.setColumnVisibility(Object.fromEntries(COLUMNS.map(({ name, isHidden }) => [name, !isHidden])));
          }}
        >
          As at first
        </button>
      </li>
    </ul>
  );
}
