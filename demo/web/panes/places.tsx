import type { ReactNode } from 'react';
import { OrderPage } from '../detail/order-page.js';
import { Orders } from '../grid/orders.js';
import { Inspector } from '../inspector/inspector.js';
import { OutboxPlace } from '../outbox/outbox-place.js';
import { Categories } from '../tree/categories.js';

/** A place of a pane. */
export interface PlaceEntry {
  /** The first part of its address. */
  readonly key: string;
  /** The label of its tab; without one, other places lead there. */
  readonly label?: string;
  /** Shows the place; `id` is the second part of its address. */
  readonly show: (id: string | undefined) => ReactNode;
}

/** The places of a pane, in the order of their tabs. */
export const PLACES: readonly PlaceEntry[] = [
  { key: 'orders', label: 'Orders', show: () => <Orders /> },
  { key: 'order', show: (id) => <OrderPage id={id} /> },
  { key: 'categories', label: 'Categories', show: () => <Categories /> },
  { key: 'outbox', label: 'Outbox', show: () => <OutboxPlace /> },
  { key: 'inspector', label: 'Inspector', show: () => <Inspector /> },
];
