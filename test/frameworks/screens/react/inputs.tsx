import { fieldsOf, localDateTime } from 'repose';
import { useField, useForm } from 'repose/react';
import { formOptions, Order, order, valuesOf } from '../orders.js';

/** An input of each kind. */
export default function Inputs() {
  const { input, errors, errorId, values, submit } = useForm(order, formOptions);
  const text = useField(order, 'note');
  return (
    <form onSubmit={submit} noValidate>
      <textarea aria-label="Note" {...input('note')} />
      <label htmlFor={input('price').id}>Price</label>
      <input {...input('price')} />
      <em id={errorId('price')}>{errors.price?.map(({ message }) => message).join()}</em>
      <input aria-label="Express" {...input('express')} />
      <input aria-label="Due" {...input('due')} />
      <input aria-label="At" {...localDateTime(input('at'), order)} />
      <select aria-label="Size" {...input('size')}>
        {fieldsOf(Order).size.values?.map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <input aria-label="Mail" {...input('mail')} />
      <textarea
        aria-label="Field note"
        value={text.value ?? ''}
        onChange={(event) => order.set('note', event.target.value)}
      />
      <button type="submit">Save</button>
      <output>{valuesOf(values)}</output>
    </form>
  );
}
