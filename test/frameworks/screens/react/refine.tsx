import { type HttpError, Refine, useDelete, useDeleteMany, useForm, useTable } from '@refinedev/core';
import { type FormEvent, useState } from 'react';
import { length, Model, plain, safeWrites } from 'repose';
import { dataProvider, type PlainRow, type ProviderError } from 'repose/refine';

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [length({ min: 1, message: 'must not be empty' })] },
    total: 'int',
    open: 'boolean',
  },
  proxy: {
    type: 'rest',
    url: '/orders',
    baseUrl: `${location.origin}/api`,
    dialect: plain(),
    use: [safeWrites()],
  },
}) {}

const provider = dataProvider({ orders: Order });

// `safeWrites()` repeats what is safe to repeat.
const options = {
  disableTelemetry: true,
  reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
};

type OrderRow = PlainRow<Order>;

export default function App() {
  const [edited, setEdited] = useState<number>();
  return (
    <Refine dataProvider={provider} resources={[{ name: 'orders' }]} options={options}>
      <Orders onEdit={setEdited} />
      {edited !== undefined && <OrderForm key={edited} id={edited} />}
    </Refine>
  );
}

function Orders({ onEdit }: { onEdit: (id: number) => void }) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const { mutate: erase } = useDelete();
  const { mutate: eraseMany } = useDeleteMany();
  const { result, tableQuery, currentPage, setCurrentPage, pageCount, setSorters, setFilters } = useTable<
    OrderRow,
    HttpError
  >({ resource: 'orders', pagination: { pageSize: 5 }, sorters: { initial: [{ field: 'title', order: 'asc' }] } });
  const filter = (shown: string) => {
    setFilters(shown === 'open' ? [{ field: 'open', operator: 'eq', value: true }] : [], 'replace');
    setCurrentPage(1);
  };
  return (
    <>
      <select aria-label="Show" onChange={(event) => filter(event.target.value)}>
        <option value="">all</option>
        <option value="open">open</option>
      </select>
      <button type="button" onClick={() => setSorters([{ field: 'total', order: 'desc' }])}>
        By total
      </button>
      <table>
        <tbody>
          {result.data.map((order) => (
            <tr key={order.id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Choose ${order.title}`}
                  checked={chosen.includes(order.id)}
                  onChange={() => setChosen((ids) => [...ids, order.id])}
                />
              </td>
              <td>{order.title}</td>
              <td>{order.total}</td>
              <td>
                <button type="button" onClick={() => onEdit(order.id)}>
                  Edit
                </button>
                <button type="button" onClick={() => erase({ resource: 'orders', id: order.id })}>
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" disabled={currentPage >= pageCount} onClick={() => setCurrentPage(currentPage + 1)}>
        Next
      </button>
      <button type="button" onClick={() => eraseMany({ resource: 'orders', ids: [...chosen] })}>
        Remove chosen
      </button>
      <p role="status">
        {tableQuery.isFetching ? 'loading' : `page ${currentPage} of ${pageCount}, ${result.total} orders`}
      </p>
      {tableQuery.error && <p role="alert">{tableQuery.error.message}</p>}
    </>
  );
}

function OrderForm({ id }: { id: number }) {
  const { query, onFinish, mutation } = useForm<OrderRow, HttpError, Partial<OrderRow>>({
    resource: 'orders',
    action: 'edit',
    id,
    redirect: false,
  });
  const order = query?.data?.data;
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onFinish({ title: String(form.get('title')), total: Number(form.get('total')) }).catch(() => undefined);
  };
  if (!order) return <p>loading</p>;
  const { title, total } = (mutation.error as ProviderError | null)?.errors ?? {};
  return (
    <form onSubmit={save}>
      <label>
        Title <input name="title" defaultValue={order.title} />
      </label>
      <em>{title}</em>
      <label>
        Total <input name="total" type="number" defaultValue={order.total} />
      </label>
      <em>{total}</em>
      <button type="submit">Save</button>
      {mutation.error && !title && !total && <p role="alert">{mutation.error.message}</p>}
    </form>
  );
}
