import { useEffect } from 'react';
import { useWindow } from 'repose/react';
import { useClient } from '../client/client-context.js';

/** The orders of the shop. */
export function Orders() {
  const { orders, onScreen } = useClient();
  const { list, error, retry } = useWindow(orders, { end: 40 });
  useEffect(() => onScreen.set(list.slice(0, 40).flatMap((order) => (order ? [order.id] : []))), [list, onScreen]);
  if (error)
    return (
      <p className="notice" role="alert">
        {error.userMessage}
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    );
  return (
    <ol>
      {list.slice(0, 40).map((order, index) => (
        <li key={order?.$.key ?? index}>{order ? `${order.id} ${order.customerName ?? ''} ${order.status}` : '…'}</li>
      ))}
    </ol>
  );
}
