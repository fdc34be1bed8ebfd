import { Model, plain, presence, reference, Session, Store } from 'repose';
import { groups } from 'repose/groups';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';

/** The model of the screens whose components own what they show. */
export class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', no: { type: 'string', validators: [presence()] }, status: 'string', total: 'int' },
  proxy: { type: 'rest', url: '/api/orders', dialect: plain() },
}) {}

/** A store as a component makes it. The test sees it in `window.made`. */
export function newOrders(): Store<Order> {
  return seen(new Store({ model: Order, pageSize: 2, remoteSort: true, remoteFilter: true, sorters: ['no'] as const }));
}

/** A store of the orders of a status, as a component makes it. */
export function newOrdersOf(status: string): Store<Order> {
  return seen(new Store({ ...optionsOf(status), remoteFilter: true }));
}

const optionsOf = (status: string) => ({
  ...{ model: Order, pageSize: 2, remoteSort: true },
  sorters: ['no'] as const,
  filters: [{ property: 'status' as const, value: status }],
});

/** How a component follows the status of its store: `'made'` anew, `'changed'`, or `'kept'` by mistake. */
export type Way = 'made' | 'changed' | 'kept';

/** Changes the status of a store that a component has made. */
export function showStatus(store: Store<Order>, status: string): void {
  store.filter([{ property: 'status', value: status }]);
}

/** A store that lives longer than the components. */
export const shared = new Store({ model: Order, pageSize: 2, remoteSort: true, remoteFilter: true });

/** All orders, grouped by their status. */
export const grouped = new Store({
  ...{ model: Order, pageSize: 0, sorters: ['no'] as const },
  groups: groups({ by: ['status'], summaries: { total: 'sum' } }),
});

export class Customer extends Model.define({
  name: 'customer',
  fields: { id: 'int', name: 'string' },
  proxy: { type: 'rest', url: '/api/customers', dialect: plain() },
}) {}

export class Delivery extends Model.define({
  name: 'delivery',
  fields: { id: 'int', customerId: reference('int', { allowNull: true }) },
}) {
  static override references() {
    return { customerId: Customer };
  }
}

/** Records whose edits can be undone. */
export const session = new Session();
export const editable = new Store({ model: Customer, session, data: [{ id: 1, name: 'Ada' }] });
export const undoable = historyOf(session).state;

/** 25 deliveries to five customers. */
export const deliveries = new Store({
  model: Delivery,
  data: Array.from({ length: 25 }, (_, at) => ({ id: at + 1, customerId: (at % 5) + 1 })),
});

/** Keeps the saves of notes. */
export const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });

export class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string' },
  proxy: { type: 'rest', url: '/api/notes', dialect: plain(), use: [outbox] },
}) {}

export const note = Note.fromRow({ id: 1, text: 'Old' });

/** Something that can end. */
export interface Made {
  readonly disposed: boolean;
}

/** Shows the test an object that a component has made. */
export function seen<T extends Made>(made: T): T {
  if (!window.made.includes(made)) window.made.push(made);
  return made;
}

declare global {
  interface Window {
    /** The stores, views and windows that components have made. */
    made: Made[];
    shared: typeof shared;
    deliveries: typeof deliveries;
    editable: typeof editable;
    grouped: typeof grouped;
    /** Gives a component of React another record. */
    replaceOrder(id: number): void;
    /** Shows the part of the screen with a name; `''`: none. */
    show(name: string): void;
  }
}

window.made = [];
window.shared = shared;
window.deliveries = deliveries;
window.editable = editable;
window.grouped = grouped;

/** The argument of `show`, after the name: `loaded/7` shows the record 7. */
export function idIn(name: string): string | undefined {
  return name.split('/')[1];
}
