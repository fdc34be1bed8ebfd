import { type KeyboardEvent, useId, useState } from 'react';
import { Store } from 'repose';
import { useField, useReference, useStore } from 'repose/react';
import { useClient } from '../client/client-context.js';
import type { Customer, Order } from '../models.js';

const SHOWN = 8;

/** Whether a customer has a text in the name or the city, as the server compares them. */
function isMeant({ name, city }: Customer, text: string): boolean {
  const part = text.trim().toLowerCase();
  return [name, city].some((value) => value?.toLowerCase().includes(part));
}

/** The customer of an order, found by typing a part of the name or the city. */
export function CustomerPicker({
  order,
  inputId,
  errorId,
}: {
  readonly order: Order;
  readonly inputId: string;
  readonly errorId: string;
}) {
  const { models, session } = useClient();
  const { errors, dirty } = useField(order, 'customerId');
  const { record: customer, notFound, error: lost } = useReference(models.Order, order, 'customerId');
  // #region search
  const {
    records: answered,
    loading,
    error,
    retry,
    store,
  } = useStore(
    () => new Store({ model: models.Customer, session, pageSize: SHOWN, remoteFilter: true, autoLoad: false }),
  );
  const [text, setText] = useState<string>();
  // The answer to an earlier text stays until the next one comes, and is no answer to this text.
  const records = answered.filter((each) => isMeant(each, text ?? ''));
  const search = (next: string) => {
    setText(next);
    setActive(0);
    store.search(next, { delay: 150 });
    // A store whose first load has failed searches nothing by itself.
    if (error) void retry();
  };
  const choose = (chosen: Customer | undefined) => {
    if (chosen) order.set('customerId', chosen.id);
    setText(undefined);
  };
  // #endregion
  const [active, setActive] = useState(0);
  const list = useId();
  const isOpen = text !== undefined;
  // The row of the order has the name of its customer, until another one is chosen.
  const nameOfLost = (!dirty && order.customerName) || `Customer ${order.customerId}`;
  const name = notFound ? 'Unknown customer' : lost ? nameOfLost : (customer?.name ?? '');

  const onKeyDown = (event: KeyboardEvent) => {
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (move !== 0) {
      event.preventDefault();
      if (!isOpen) search('');
      else setActive(Math.max(0, Math.min(records.length - 1, active + move)));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      if (records[active]) choose(records[active]);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      choose(undefined);
    }
  };

  return (
    <div className="picker">
      <input
        id={inputId}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && records[active] ? `${list}-${active}` : undefined}
        aria-invalid={errors.length > 0}
        aria-describedby={errors.length > 0 ? errorId : undefined}
        value={text ?? name}
        placeholder="Name or city"
        onFocus={(event) => event.target.select()}
        onChange={(event) => search(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => choose(undefined)}
      />
      <span className="picker-city">{isOpen ? '' : customer?.city}</span>
      <div className="picker-list" hidden={!isOpen}>
        {error ? (
          <p className="notice" role="alert">
            {error.userMessage}
            <button type="button" onMouseDown={(event) => event.preventDefault()} onClick={retry}>
              Try again
            </button>
          </p>
        ) : (
          records.length === 0 && (
            <p className="empty" aria-busy={loading}>
              {loading ? 'Searching' : 'No customer has this name.'}
            </p>
          )
        )}
        <div role="listbox" id={list} aria-label="Customers">
          {(error ? [] : records).map((each, index) => (
            <div
              key={each.$.key}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseDown={(event) => {
                // The input keeps the focus, so that it does not close the list before the click.
                event.preventDefault();
                choose(each);
              }}
            >
              <span>{each.name}</span> <span className="quiet">{each.city}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
