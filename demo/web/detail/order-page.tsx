import { useClient } from '../client/client-context.js';
import { FailedRead } from '../controls/failed-read.js';
import { goTo } from '../panes/place.js';
import { Attachments } from './attachments.js';
import { History } from './history.js';
import { OrderForm } from './order-form.js';
import { useOrder } from './use-order.js';

/** One order: its form with its lines, its attachments, and what was changed in it. */
export function OrderPage({ id }: { readonly id: string | undefined }) {
  const { name } = useClient();
  const back = () => goTo(name.toLowerCase(), 'orders');
  return (
    <div className="detail">
      <button type="button" className="plain back" onClick={back}>
        ← Orders
      </button>
      {id !== undefined && /^[1-9]\d{0,15}$/.test(id) ? (
        <LoadedPage key={id} id={Number(id)} onGone={back} />
      ) : (
        <p className="empty">Choose an order in the list.</p>
      )}
    </div>
  );
}

function LoadedPage({ id, onGone }: { readonly id: number; readonly onGone: () => void }) {
  const { order, error, notFound, reload } = useOrder(id);
  if (notFound && !order)
    return (
      <p className="notice" role="alert">
        There is no order {id} any more.
        <button type="button" onClick={onGone}>
          Back to the orders
        </button>
      </p>
    );
  if (error && !order) return <FailedRead message={error.userMessage} retry={reload} />;
  if (!order)
    return (
      <p className="empty" aria-busy="true">
        Loading order {id}
      </p>
    );
  return (
    <div className="detail-columns">
      <OrderForm order={order} onGone={onGone} />
      <aside className="detail-side">
        <Attachments order={order} />
        <History order={order} />
      </aside>
    </div>
  );
}
