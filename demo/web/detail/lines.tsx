import { memo, useEffect, useRef } from 'react';
import type { Store } from 'repose';
import { useForm, useStore } from 'repose/react';
import { FailedRead } from '../controls/failed-read.js';
import type { Line, Order } from '../models.js';
import { amount, money } from './words.js';

/** The lines of an order: an ordinary store, whose records are edited in their row and saved with the order. */
export function Lines({ order, lines }: { readonly order: Order; readonly lines: Store<Line> }) {
  // #region lines
  const { records, loading, loaded, error, retry } = useStore(lines);
  const added = useRef<string>(undefined);
  const add = () => {
    const [line] = lines.add({ article: '', quantity: 1, price: '0.00' });
    added.current = line?.$.key;
  };
  // #endregion
  return (
    <section className="lines">
      <header className="part-top">
        <h4>Lines</h4>
        <button type="button" onClick={add} disabled={!loaded}>
          Add a line
        </button>
      </header>
      {error && <FailedRead message={error.userMessage} retry={retry} />}
      {(!error || records.length > 0) && (
        <div className="lines-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Article</th>
                <th scope="col" className="number">
                  Quantity
                </th>
                <th scope="col" className="number">
                  Price
                </th>
                <th scope="col" className="number">
                  Amount
                </th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {records.map((line) => (
                <LineRow
                  key={line.$.key}
                  line={line}
                  isAdded={added.current === line.$.key}
                  onRemove={() => lines.remove(line)}
                />
              ))}
              {records.length === 0 && (
                <tr>
                  <td colSpan={5} className="empty" aria-busy={loading}>
                    {loading ? 'Loading the lines' : 'This order has no lines.'}
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      <p className="total">
        <span>Total on the server</span> <strong className="number">{money(order.total)}</strong>
      </p>
    </section>
  );
}

const LineRow = memo(
  ({ line, isAdded, onRemove }: { readonly line: Line; readonly isAdded: boolean; readonly onRemove: () => void }) => {
    const { input, errors, errorId, values, error } = useForm(line);
    const article = useRef<HTMLInputElement>(null);
    useEffect(() => {
      if (isAdded) article.current?.focus();
    }, [isAdded]);
    const wrong = (['article', 'quantity', 'price'] as const).flatMap((field) =>
      (errors[field] ?? []).map(({ message }) => ({ id: errorId(field), text: `${field}: ${message}` })),
    );
    const name = values.article || 'new line';
    return (
      <>
        <tr data-new={line.phantom} data-wrong={wrong.length > 0}>
          <td>
            <input ref={article} aria-label={`Article of ${name}`} {...input('article')} />
          </td>
          <td className="number">
            <input aria-label={`Quantity of ${name}`} {...input('quantity')} />
          </td>
          <td className="number">
            <input aria-label={`Price of ${name}`} {...input('price')} />
          </td>
          <td className="number">{amount(values.quantity, values.price)}</td>
          <td>
            <button type="button" className="plain" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
              ×
            </button>
          </td>
        </tr>
        {(wrong.length > 0 || error) && (
          <tr className="line-errors">
            <td colSpan={5}>
              {wrong.map(({ id, text }) => (
                <em key={text} id={id}>
                  {text}
                </em>
              ))}
              {wrong.length === 0 && error && <em role="alert">{error.userMessage}</em>}
            </td>
          </tr>
        )}
      </>
    );
  },
);
