import { Model, plain, Store } from 'repose';
import { useForm, useStore } from 'repose/react';

class Order extends Model.define({
  fields: { id: 'int', no: 'string', total: 'number', due: { type: 'dateonly', allowNull: true } },
  proxy: { url: '/api/orders', dialect: plain() },
}) {}

export default function Orders() {
  const { records, loading, error, retry, store } = useStore(
    () => new Store({ model: Order, pageSize: 25, sorters: ['no'] }),
  );
  return (
    <>
      <input type="search" onChange={(event) => store.search(event.target.value)} />
      {error && (
        <p role="alert">
          {error.userMessage}{' '}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <ul aria-busy={loading}>
        {records.map((order) => (
          <OrderForm key={order.id} order={order} />
        ))}
      </ul>
    </>
  );
}

function OrderForm({ order }: { order: Order }) {
  const { input, submit, dirty, saving, error } = useForm(order);
  return (
    <li>
      <form onSubmit={submit}>
        <input {...input('no')} /> <input {...input('total')} /> <input {...input('due')} />
        <button type="submit" disabled={!dirty || saving}>
          Save
        </button>{' '}
        {error && <b role="alert">{error.userMessage}</b>}
      </form>
    </li>
  );
}
