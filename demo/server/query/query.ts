import type { Condition, RowQuery } from '../data/rows.js';
import type { Table } from '../data/table.js';
import { fieldFilters, jsonFilters, searchFilters } from './filter.js';
import { single, wholeNumber } from './parameters.js';
import { hasJsonSort, jsonOrder, namedOrder } from './sort.js';

/** The form of list requests and answers: JSON parameters and an envelope, or plain parameters and a bare array. */
export type Form = 'classic' | 'plain';

/** A parsed list request. */
export interface ListQuery {
  readonly form: Form;
  readonly rows: RowQuery;
  /** The requested page, counted from 1. */
  readonly page: number;
}

// Each of these occurs in the classic dialect only.
const classicOnly = ['filter', 'group', 'start'];

const always = ['page', 'limit', 'sort', 'dir', '_dc'];
const reserved: Readonly<Record<Form, ReadonlySet<string>>> = {
  classic: new Set([...always, ...classicOnly]),
  plain: new Set(always),
};

// Names of the parameter of a search, which is not a parameter of tables without one.
const searchNames = ['search', 'query'];

const DEFAULT_LIMIT = 25;

/** The form of the parameters of a list request. */
export function formOf(params: URLSearchParams): Form {
  return hasJsonSort(params) || [...classicOnly, '_dc'].some((name) => params.has(name)) ? 'classic' : 'plain';
}

/** The conditions of a list request; `more` are parameters of the address that are no conditions. */
export function readConditions(
  table: Table,
  params: URLSearchParams,
  form: Form,
  more: readonly string[] = [],
): readonly Condition[] {
  const searching = table.search ? searchNames.filter((name) => params.has(name)) : [];
  return [
    ...fieldFilters(table, params, new Set([...reserved[form], ...searching, ...more])),
    ...(form === 'classic' ? jsonFilters(table, params) : []),
    ...searching.flatMap((name) => searchFilters(table, name, single(params, name) ?? '')),
  ];
}

/** Reads the parameters of a list request; throws a 400 that names an unknown parameter. */
export function readListQuery(table: Table, params: URLSearchParams, form: Form): ListQuery {
  const page = wholeNumber(params, 'page', 1);
  const start = form === 'classic' ? wholeNumber(params, 'start', 0) : undefined;
  const limit = wholeNumber(params, 'limit', 1) ?? (page === undefined ? undefined : DEFAULT_LIMIT);
  const order = hasJsonSort(params) ? jsonOrder(table, params, 'sort') : namedOrder(table, params);
  const where = readConditions(table, params, form);
  const paged = limit === undefined ? {} : { limit };
  const rows: RowQuery =
    form === 'plain'
      ? { where, order, offset: ((page ?? 1) - 1) * (limit ?? 0), ...paged }
      : {
          where,
          order: [...jsonOrder(table, params, 'group'), ...order],
          offset: start ?? ((page ?? 1) - 1) * (limit ?? 0),
          ...paged,
        };
  return { form, rows, page: page ?? 1 };
}
