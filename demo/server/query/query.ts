import type { RowQuery } from '../data/rows.js';
import type { Table } from '../data/table.js';
import { fieldFilters, jsonFilters } from './filter.js';
import { wholeNumber } from './parameters.js';
import { hasJsonSort, jsonOrder, namedOrder } from './sort.js';

/** How a list is asked for and answered: an envelope and JSON parameters, or a bare array and plain ones. */
export type Form = 'classic' | 'plain';

/** A list request, read. */
export interface ListQuery {
  readonly form: Form;
  readonly rows: RowQuery;
  /** The page asked for, counted from 1. */
  readonly page: number;
}

// Each of these occurs in the classic dialect only.
const classicOnly = ['filter', 'group', 'start'];

const always = ['page', 'limit', 'sort', 'dir', '_dc'];
const reserved: Readonly<Record<Form, ReadonlySet<string>>> = {
  classic: new Set([...always, ...classicOnly]),
  plain: new Set(always),
};

const DEFAULT_LIMIT = 25;

/** The form that the parameters of a list request speak. */
export function formOf(params: URLSearchParams): Form {
  return hasJsonSort(params) || [...classicOnly, '_dc'].some((name) => params.has(name)) ? 'classic' : 'plain';
}

/** Reads the parameters of a list request; throws a 400 that names the one it does not understand. */
export function readListQuery(table: Table, params: URLSearchParams, form: Form): ListQuery {
  const page = wholeNumber(params, 'page', 1);
  const start = form === 'classic' ? wholeNumber(params, 'start', 0) : undefined;
  const limit = wholeNumber(params, 'limit', 1) ?? (page === undefined ? undefined : DEFAULT_LIMIT);
  const order = hasJsonSort(params) ? jsonOrder(table, params, 'sort') : namedOrder(table, params);
  const where = fieldFilters(table, params, reserved[form]);
  const paged = limit === undefined ? {} : { limit };
  const rows: RowQuery =
    form === 'plain'
      ? { where, order, offset: ((page ?? 1) - 1) * (limit ?? 0), ...paged }
      : {
          where: [...where, ...jsonFilters(table, params)],
          order: [...jsonOrder(table, params, 'group'), ...order],
          offset: start ?? ((page ?? 1) - 1) * (limit ?? 0),
          ...paged,
        };
  return { form, rows, page: page ?? 1 };
}
