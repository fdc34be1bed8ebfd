import { useState } from 'react';
import { fieldsOf, Model, plain, presence, range, reference, safeWrites } from 'repose';
import { useForm, useLoaded, useRecord, useReference } from 'repose/react';

class Customer extends Model.define({
  name: 'customer',
  fields: { id: 'int', name: 'string' },
  proxy: { url: '/api/customers', dialect: plain() },
}) {}

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    no: { type: 'string', validators: [presence()] },
    total: { type: 'number', validators: [range({ min: 0 })] },
    customerId: reference('int', { allowNull: true }),
  },
  proxy: { url: '/api/orders', dialect: plain(), use: [safeWrites()] },
}) {
  static override references() {
    return { customerId: Customer };
  }
}

/** Stands for the router of the application, which reads the id from the address. */
export default function Orders() {
  const [id, setId] = useState<string>();
  return (
    <>
      <input aria-label="Number" onChange={(event) => setId(event.target.value)} />
      <OrderPage id={id} onErased={() => setId(undefined)} />
    </>
  );
}

/** One order by its id. */
function OrderPage({ id, onErased }: { id: string | undefined; onErased(): void }) {
  const { record: order, error, notFound, idle, reload } = useLoaded(Order, id);
  if (idle) return <p>Choose an order.</p>;
  if (notFound) return <p>There is no order {id}.</p>;
  if (error) {
    return (
      <p role="alert">
        {error.userMessage}{' '}
        <button type="button" onClick={reload}>
          Try again
        </button>
      </p>
    );
  }
  return order ? <OrderForm order={order} onErased={onErased} /> : <p>Loading</p>;
}

function OrderForm({ order, onErased }: { order: Order; onErased(): void }) {
  const { input, errors, errorId, submit, reject, dirty, saving, error } = useForm(order);
  const { erase } = useRecord(order);
  const remove = async () => {
    if (await erase()) onErased();
  };
  return (
    <form noValidate onSubmit={submit}>
      <h1>Order {order.id}</h1>
      <CustomerName order={order} />
      {(['no', 'total'] as const).map((name) => (
        <p key={name}>
          <label htmlFor={input(name).id}>{fieldsOf(Order)[name].label}</label> <input {...input(name)} />{' '}
          <em id={errorId(name)}>{errors[name]?.map(({ message }) => message).join(', ')}</em>
        </p>
      ))}
      <button type="submit" disabled={!dirty || saving}>
        Save
      </button>
      <button type="button" disabled={!dirty || saving} onClick={reject}>
        Undo
      </button>
      <button type="button" disabled={saving} onClick={remove}>
        Remove
      </button>
      {error && (
        <strong role="alert">
          {errors.no || errors.total ? 'Please check the marked entries.' : error.userMessage}
        </strong>
      )}
    </form>
  );
}

/** The name of the customer: many of these on one page ask by one request. */
function CustomerName({ order }: { order: Order }) {
  const { record: customer, idle, notFound } = useReference(Order, order, 'customerId');
  if (idle) return <p>No customer</p>;
  return <p>Customer: {notFound ? 'unknown' : (customer?.name ?? '…')}</p>;
}
