import { useEffect, useRef } from 'react';
import { Link, type NavigateOptions, useNavigationType, useSearchParams } from 'react-router';
import { fieldsOf } from 'repose';
import { useList, useRecord, useReference, useStatus } from 'repose/react';
import { centsOf, type Order } from '../api/models';
import { type OrderList, queryOf, readList, writeList } from '../list-query';
import { useApi } from '../parts/api-context';
import { Problem } from '../parts/problem';

/** The list of orders. The address says what it shows, so that it can be sent to somebody, and "back" works. */
export function OrdersPage() {
  const { orders, Order: Model } = useApi();
  const [params, setParams] = useSearchParams();
  const shown = readList(params);
  const show: Show = (part, options) => setParams(writeList({ ...shown, page: 1, ...part }), options);
  const address = writeList(shown).toString();
  useEffect(() => {
    const { page, ...list } = readList(new URLSearchParams(address));
    // `useStatus` shows the error.
    orders.load({ query: queryOf(Model, { page, ...list }), page }).catch(() => undefined);
  }, [orders, Model, address]);
  return (
    <>
      <h1>Orders</h1>
      <search>
        <SearchBox shown={shown} show={show} />
        <label>
          Status{' '}
          <select
            value={shown.status ?? ''}
            onChange={(event) => show({ status: readList(new URLSearchParams({ status: event.target.value })).status })}
          >
            <option value="">all</option>
            {fieldsOf(Model).status.values?.map((status) => (
              <option key={String(status)}>{String(status)}</option>
            ))}
          </select>
        </label>
        <Link to="/orders/new">New order</Link>
      </search>
      <OrderTable shown={shown} show={show} />
      <Pages page={shown.page} show={show} />
    </>
  );
}

type Show = (part: Partial<OrderList>, options?: NavigateOptions) => void;

function SearchBox({ shown: { search }, show }: { shown: OrderList; show: Show }) {
  const box = useRef<HTMLInputElement>(null);
  const isBack = useNavigationType() === 'POP';
  useEffect(() => {
    // The address follows what is typed, so the box follows the address only where somebody has not just typed.
    const { current } = box;
    if (current && (isBack || document.activeElement !== current)) current.value = search;
  }, [search, isBack]);
  // One step back leaves the search, and does not take away letter after letter.
  const change = (text: string) => show({ search: text }, { replace: search !== '' && text !== '' });
  return (
    <label>
      Search <input ref={box} type="search" defaultValue={search} onChange={(event) => change(event.target.value)} />
    </label>
  );
}

function OrderTable({ shown, show }: { shown: OrderList; show: Show }) {
  const { orders, Order: Model } = useApi();
  const list = useList(orders);
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {(['number', 'due', 'status'] as const).map((name) => {
              const isSorted = shown.sort === name;
              const direction = shown.descending ? 'descending' : 'ascending';
              return (
                <th key={name} aria-sort={isSorted ? direction : 'none'}>
                  <button type="button" onClick={() => show({ sort: name, descending: isSorted && !shown.descending })}>
                    {fieldsOf(Model)[name].label}
                  </button>
                </th>
              );
            })}
            <th>Customer</th>
            <th>Total</th>
          </tr>
        </thead>
        <tbody>
          {list.slice().map((order) => (
            <OrderRow key={order.$.key} order={order} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OrderRow({ order }: { order: Order }) {
  const { Order: Model } = useApi();
  // A list renders when rows come, go or move: each row follows its own contents.
  const { values } = useRecord(order);
  // The customers of all rows come by one request.
  const { record: customer } = useReference(Model, order, 'customerId');
  return (
    <tr>
      <td>
        <Link to={`/orders/${values.id}`}>{values.number}</Link>
      </td>
      <td>{values.due}</td>
      <td>{values.status}</td>
      <td>{customer?.name}</td>
      <td className="number">{(centsOf(values.lines ?? []) / 100).toFixed(2)}</td>
    </tr>
  );
}

function Pages({ page, show }: { page: number; show: Show }) {
  const { orders } = useApi();
  const { loading, error, total = 0, retry } = useStatus(orders);
  const last = Math.max(Math.ceil(total / orders.pageSize), 1);
  return (
    <nav aria-label="Pages">
      <button type="button" disabled={page === 1} onClick={() => show({ page: Math.min(page - 1, last) })}>
        Previous
      </button>
      <span role="status">{loading ? 'Loading' : `Page ${page} of ${last}, ${total} orders`}</span>
      <button type="button" disabled={page >= last} onClick={() => show({ page: page + 1 })}>
        Next
      </button>
      {error && <Problem message={error.userMessage} onRetry={retry} />}
    </nav>
  );
}
