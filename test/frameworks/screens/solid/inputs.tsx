import { fieldsOf, localDateTime } from 'repose';
import { useField, useForm } from 'repose/solid';
import { For } from 'solid-js';
import { formOptions, Order, order, valuesOf } from '../orders.js';

/** An input of each kind. */
export default function Inputs() {
  const form = useForm(order, formOptions);
  const price = form.field('price');
  const text = useField(order, 'note');
  return (
    <form onSubmit={form.submit} noValidate>
      <textarea aria-label="Note" {...form.input('note')} />
      <label for={form.input('price').id}>Price</label>
      <input {...form.input('price')} />
      <em id={form.errorId('price')}>
        {price()
          .errors.map(({ message }) => message)
          .join()}
      </em>
      <input aria-label="Express" {...form.input('express')} />
      <input aria-label="Due" {...form.input('due')} />
      <input aria-label="At" {...localDateTime(form.input('at'), order)} />
      <select aria-label="Size" {...form.input('size')}>
        <For each={fieldsOf(Order).size.values}>{(size) => <option>{size}</option>}</For>
      </select>
      <input aria-label="Mail" {...form.input('mail')} />
      <textarea
        aria-label="Field note"
        value={text().value ?? ''}
        onInput={(event) => order.set('note', event.currentTarget.value)}
      />
      <button type="submit">Save</button>
      <output>{valuesOf(form.state().values)}</output>
    </form>
  );
}
