import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useStore } from 'repose/react';
import { useClient } from '../client/client-context.js';
import type { Customer, Order } from '../models.js';
import { type EditEnd, focusAtOnce } from './cells.js';

interface Editor {
  readonly order: Order;
  /** The customer when the editor was opened. */
  readonly before: number | undefined;
  readonly onEnd: (end: EditEnd) => void;
}

const SHOWN = 20;

/** The text of a customer in the list. Several customers may have one name. */
function labelOf({ name, city, id }: Customer): string {
  return `${name}, ${city ?? ''} (${id})`;
}

// #region customer
/** Chooses the customer of a new order: the server searches while a name is typed. */
export function CustomerEditor({ order, before, onEnd }: Editor) {
  const { customers } = useClient();
  const { records, error, retry } = useStore(customers);
  const [text, setText] = useState('');
  const listId = useId();
  useEffect(() => () => customers.search(''), [customers]);

  // Those that the server found for an earlier text are no answer to this one.
  const found = records.filter((customer) => labelOf(customer).toLowerCase().includes(text.trim().toLowerCase()));
  const type = (next: string) => {
    setText(next);
    const chosen = records.find((customer) => labelOf(customer) === next);
    order.set('customerId', chosen ? chosen.id : (before as number));
    if (chosen) return;
    customers.search(next, { delay: 200 });
    // A store whose first load has failed searches nothing by itself.
    if (error) void retry();
  };
  // #endregion
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (!['Enter', 'Escape', 'Tab'].includes(event.key)) return;
    event.preventDefault();
    if (event.key === 'Escape') order.set('customerId', before as number);
    else if (text !== '' && order.customerId === before) {
      // The first of the customers that were found is meant, if none was chosen.
      const [first] = found;
      if (first) order.set('customerId', first.id);
      else if (event.key === 'Enter') return;
    }
    onEnd(event.key === 'Escape' ? 'stay' : 'right');
  };
  return (
    <>
      <input
        ref={focusAtOnce}
        className="cell-input"
        aria-label="Customer of the new order"
        placeholder="Type a name"
        list={listId}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={() => onEnd('stay')}
        onKeyDown={onKeyDown}
      />
      <datalist id={listId}>
        {found.slice(0, SHOWN).map((customer) => (
          <option key={customer.id} value={labelOf(customer)} />
        ))}
      </datalist>
      {error && (
        <span className="cell-error" role="alert">
          {error.userMessage}
        </span>
      )}
    </>
  );
}
