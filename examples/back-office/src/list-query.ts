import { Query, where } from 'repose';
import type { Order } from './api/models';

const SORTED = ['number', 'due', 'status'] as const;
type Sorted = (typeof SORTED)[number];
const STATUSES = ['new', 'paid', 'sent'] as const;
type Status = (typeof STATUSES)[number];

/** The part of the orders that a list shows, as the address has it: `?page=2&sort=-due&status=paid&q=2026`. */
export interface OrderList {
  readonly page: number;
  readonly sort: Sorted;
  readonly descending: boolean;
  readonly status: Status | undefined;
  readonly search: string;
}

/** Reads the address. People edit addresses, so a value that means nothing is left out. */
export function readList(params: URLSearchParams): OrderList {
  const page = Number(params.get('page'));
  const sort = params.get('sort') ?? '';
  return {
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    sort: SORTED.find((name) => name === sort.replace(/^-/, '')) ?? 'number',
    descending: sort.startsWith('-'),
    status: STATUSES.find((status) => status === params.get('status')),
    search: params.get('q') ?? '',
  };
}

/** Writes the address, without what is the default. */
export function writeList({ page, sort, descending, status, search }: OrderList): URLSearchParams {
  const params = new URLSearchParams();
  if (search) params.set('q', search);
  if (status) params.set('status', status);
  if (descending || sort !== 'number') params.set('sort', `${descending ? '-' : ''}${sort}`);
  if (page > 1) params.set('page', String(page));
  return params;
}

/** The query that asks the server for it. */
export function queryOf(model: typeof Order, { sort, descending, status, search }: OrderList): Query<Order> {
  return Query.of(model, {
    sorters: [{ property: sort, direction: descending ? 'DESC' : 'ASC' }],
    filters: status ? [where(model).status.eq(status)] : [],
    search,
  });
}
