import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { fieldsOf, storeOf } from 'repose';
import { type FormBinding, useForm, useList, useLoaded, useRecord, useStore } from 'repose/react';
import { Line, Order } from '../api/models';
import { useApi } from '../parts/api-context';
import { Field } from '../parts/field';
import { LeaveGuard } from '../parts/leave-guard';
import { Problem } from '../parts/problem';
import { RemoveButton } from '../parts/remove-button';
import { SaveState } from '../parts/save-state';
import { NotFoundPage } from './not-found';

/** One order by the id in the address. */
export function OrderPage() {
  const { Order: Model } = useApi();
  const { id } = useParams();
  const { record: order, error, notFound, reload } = useLoaded(Model, id);
  // An id that is no number is not asked for: `/orders/seven`.
  if (notFound || error?.code === 'address') return <NotFoundPage what={`an order ${id}`} />;
  if (error) return <Problem message={error.userMessage} onRetry={reload} />;
  return order ? <OrderForm order={order} /> : <p role="status">Loading</p>;
}

export function NewOrderPage() {
  const { Order: Model } = useApi();
  const [order] = useState(() => new Model({ lines: [{ sku: '' }] }));
  return <OrderForm order={order} />;
}

function OrderForm({ order }: { order: Order }) {
  const { input, errors, errorId, submit, reject, dirty, saving, error } = useForm(order);
  const { phantom, erase } = useRecord(order);
  const navigate = useNavigate();
  const save = async (event: { preventDefault(): void }) => {
    // A save that waits for the network has succeeded for the user: the badge counts it.
    if ((await submit(event)) && phantom) navigate('/orders');
  };
  const remove = async () => {
    if (await erase()) navigate('/orders');
  };
  return (
    <form noValidate onSubmit={save}>
      <LeaveGuard record={order} onDiscard={reject} />
      <h1>{phantom ? 'New order' : `Order ${order.number}`}</h1>
      {(['number', 'due'] as const).map((name) => (
        <Field
          key={name}
          label={fieldsOf(Order)[name].label}
          id={input(name).id}
          errorId={errorId(name)}
          errors={errors[name]}
        >
          <input {...input(name)} />
        </Field>
      ))}
      <Field label="Status" id={input('status').id} errorId={errorId('status')} errors={errors.status}>
        <select {...input('status')}>
          {['new', 'paid', 'sent'].map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
      </Field>
      <Field label="Customer" id={input('customerId').id} errorId={errorId('customerId')} errors={errors.customerId}>
        <CustomerSelect {...input('customerId')} />
      </Field>
      <Lines order={order} />
      <button type="submit" disabled={saving || !(dirty || phantom)}>
        Save
      </button>
      {!phantom && <RemoveButton disabled={saving} onRemove={remove} />}
      <SaveState record={order} error={error} />
    </form>
  );
}

/** The customers to choose from, by their names. */
function CustomerSelect(props: ReturnType<FormBinding<Order>['input']>) {
  const { customers } = useApi();
  const { records, error, retry } = useStore(customers);
  if (error) return <Problem message={error.userMessage} onRetry={retry} />;
  const chosen = String(props.value ?? '');
  const isListed = records.slice().some(({ id }) => String(id) === chosen);
  return (
    <select {...props}>
      <option value="">nobody</option>
      {/* The list may not be there yet, and it ends after 100 customers: never show another one than that of the order. */}
      {chosen && !isListed && <option value={chosen}>Customer {chosen}</option>}
      {records.slice().map((customer) => (
        <option key={customer.$.key} value={customer.id}>
          {customer.name}
        </option>
      ))}
    </select>
  );
}

/** The lines of an order, which are saved with it. */
function Lines({ order }: { order: Order }) {
  const lines = storeOf(order, 'lines');
  const list = useList(lines);
  return (
    <fieldset>
      <legend>Lines</legend>
      {list.slice().map((line) => (
        <LineFields key={line.$.key} line={line} onRemove={() => lines.remove(line)} />
      ))}
      <button type="button" onClick={() => lines.add({ sku: '' })}>
        Add a line
      </button>
    </fieldset>
  );
}

function LineFields({ line, onRemove }: { line: Line; onRemove: () => void }) {
  const { input, errors, errorId } = useForm(line);
  return (
    <div className="line">
      {(['sku', 'count', 'price'] as const).map((name) => (
        <Field
          key={name}
          label={fieldsOf(Line)[name].label}
          id={input(name).id}
          errorId={errorId(name)}
          errors={errors[name] ?? line.$.errors[name]}
        >
          <input {...input(name)} />
        </Field>
      ))}
      <button type="button" onClick={onRemove}>
        Remove the line
      </button>
    </div>
  );
}
