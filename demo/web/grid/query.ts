import { useMemo, useSyncExternalStore } from 'react';
import { type FilterConfig, type Store, where } from 'repose';
import type { Order, ShopModels } from '../models.js';
import type { ColumnName } from './columns.js';

/** The order of the grid. */
export interface Sorting {
  readonly by: string | undefined;
  readonly direction: 'ASC' | 'DESC';
  /** Sorts by a column: upwards, then downwards, then by nothing. */
  toggle(name: ColumnName): void;
}

// #region sort
/** Follows by what a store sorts. The server sorts, because the store holds a part of the orders only. */
export function useSorting(orders: Store<Order>): Sorting {
  const query = useSyncExternalStore(
    (listener) => orders.on('sort', listener),
    () => orders.query,
  );
  return useMemo(() => {
    const { property: by, direction = 'ASC' } = (query.sorters[0] ?? {}) as SorterParts;
    const toggle = (name: ColumnName) => {
      if (by !== name) orders.sort(name);
      else if (direction === 'ASC') orders.sort(name, 'DESC');
      else orders.sort([]);
    };
    return { by, direction: direction.toUpperCase() as Sorting['direction'], toggle };
  }, [orders, query]);
}
// #endregion

interface SorterParts {
  readonly property?: string;
  readonly direction?: string;
}

/** The filters that a person has set: each member is empty, or a condition for one column. */
export interface Filtering {
  readonly customer: string;
  readonly note: string;
  readonly statuses: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly min: string;
  readonly max: string;
  readonly urgent: '' | 'yes' | 'no';
}

/** Filters by nothing. */
export const NO_FILTER: Filtering = {
  customer: '',
  note: '',
  statuses: [],
  from: '',
  to: '',
  min: '',
  max: '',
  urgent: '',
};

// #region filter
/** The conditions for the server. An empty one is left out. */
export function conditionsOf(model: ShopModels['Order'], filtering: Filtering): FilterConfig<Order>[] {
  const { customerName, note, status, placed, total, urgent } = where(model);
  const { customer, statuses, from, to, min, max } = filtering;
  return [
    ...(customer === '' ? [] : [customerName.like(customer)]),
    ...(filtering.note === '' ? [] : [note.like(filtering.note)]),
    ...(statuses.length === 0 ? [] : [status.in([...statuses])]),
    ...(from === '' ? [] : [placed.ge(from)]),
    ...(to === '' ? [] : [placed.le(to)]),
    ...(min === '' ? [] : [total.ge(min)]),
    ...(max === '' ? [] : [total.le(max)]),
    ...(filtering.urgent === '' ? [] : [urgent.eq(filtering.urgent === 'yes')]),
  ];
}
// #endregion

/** Each condition in words, and the filtering without it. */
export function chipsOf(filtering: Filtering): readonly { readonly label: string; readonly without: Filtering }[] {
  const { customer, note, statuses, from, to, min, max, urgent } = filtering;
  const chip = (isSet: boolean, label: string, without: Partial<Filtering>) =>
    isSet ? [{ label, without: { ...filtering, ...without } }] : [];
  return [
    ...chip(customer !== '', `Customer: ${customer}`, { customer: '' }),
    ...chip(statuses.length > 0, `Status: ${statuses.join(', ')}`, { statuses: [] }),
    ...chip(from !== '' || to !== '', `Placed: ${from || '…'} to ${to || '…'}`, { from: '', to: '' }),
    ...chip(min !== '' || max !== '', `Total: ${min || '…'} to ${max || '…'}`, { min: '', max: '' }),
    ...chip(urgent !== '', urgent === 'yes' ? 'Urgent' : 'Not urgent', { urgent: '' }),
    ...chip(note !== '', `Note: ${note}`, { note: '' }),
  ];
}
