import { type KeyboardEvent, useEffect, useId } from 'react';
import { useStore } from 'repose/react';
import { useClient } from '../client/client-context.js';
import type { Order } from '../models.js';
import { type EditEnd, focusAtOnce } from './cells.js';

// #region customer
/** Chooses the customer of a new order: the server searches while a name is typed. */
export function CustomerEditor({ order, onEnd }: { readonly order: Order; readonly onEnd: (end: EditEnd) => void }) {
  const { customers } = useClient();
  const { records } = useStore(customers);
  const listId = useId();
  useEffect(() => () => customers.search(''), [customers]);

  const choose = (name: string) => {
    const found = records.find((customer) => customer.name === name);
    if (found) order.set('customerId', found.id);
    else customers.search(name, { delay: 200 });
  };
  // #endregion
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (!['Enter', 'Escape', 'Tab'].includes(event.key)) return;
    event.preventDefault();
    // The first of the customers that were found is meant, if none was chosen.
    const [first] = records;
    if (event.key !== 'Escape' && first && order.customerId === undefined) order.set('customerId', first.id);
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
        onChange={(event) => choose(event.target.value)}
        onBlur={() => onEnd('stay')}
        onKeyDown={onKeyDown}
      />
      <datalist id={listId}>
        {records.slice(0, 20).map((customer) => (
          <option key={customer.id} value={customer.name} />
        ))}
      </datalist>
    </>
  );
}
