import { Model, presence } from 'repose';
import { useForm } from 'repose/react';

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    note: { type: 'string', allowNull: true },
    amount: { type: 'number', allowNull: true },
    express: 'boolean',
    due: { type: 'date', allowNull: true },
    size: { type: 'string', validators: [presence()] },
  },
}) {}

const order = Order.fromRow({ id: 7, note: null, amount: 12, express: false, due: '2026-11-23T00:00:00Z', size: 'S' });

/** An input of each kind. */
export default function Inputs() {
  const { input, values, dirty } = useForm(order);
  return (
    <form>
      <textarea aria-label="Note" {...input('note')} />
      <input aria-label="Amount" type="number" step="any" {...input('amount')} />
      <input aria-label="Express" type="checkbox" {...input('express')} />
      <input aria-label="Due" type="date" {...input('due')} />
      <select aria-label="Size" {...input('size')}>
        <option>S</option>
        <option>M</option>
      </select>
      <output>{dirty ? JSON.stringify(values) : 'saved'}</output>
    </form>
  );
}
