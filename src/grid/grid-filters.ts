import { gridMessages } from '../errors/messages/grid.js';
import { UnsupportedQueryError, unknownProperty } from '../errors/unsupported-query-error.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Filter, Operator } from '../operation/query.js';

/** The operators of the grid's filters. `notContains` is the opposite of `contains`. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  equals: 'eq',
  notEqual: 'ne',
  contains: 'like',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  lessThan: 'lt',
  lessThanOrEqual: 'le',
  greaterThan: 'gt',
  greaterThanOrEqual: 'ge',
  inRange: 'between',
};

/** A condition in a filter model of the grid; which members it has depends on the kind of the filter. */
interface GridFilter {
  readonly filterType?: string;
  readonly type?: string | null;
  readonly filter?: unknown;
  readonly filterTo?: unknown;
  readonly dateFrom?: string | null;
  readonly dateTo?: string | null;
  readonly values?: readonly unknown[];
  readonly operator?: 'AND' | 'OR';
  readonly conditions?: readonly GridFilter[];
  readonly filterModels?: readonly (GridFilter | null)[] | null;
}

/** A sorter of a grid. */
export interface GridSorter {
  readonly colId: string;
  readonly sort: 'asc' | 'desc';
  /** `absolute` sorts numbers without their sign. */
  readonly type?: string;
}

/** Makes a sorter of a store from one of a grid. Throws `UnsupportedQueryError` for what a store cannot apply. */
export function toStoreSorter({ colId, sort, type }: GridSorter, model: ModelDefinition): object {
  fieldTypeOf(colId, model);
  if (type !== undefined && type !== 'default')
    throw refuseGridQuery(model, `the sort type '${type}'`, 'sort by a field that holds the number without its sign');
  return { property: colId, direction: sort };
}

/** Makes the filters of a store from the filter model of a grid. Throws `UnsupportedQueryError` for what a store cannot apply. */
export function toStoreFilters(filterModel: unknown, model: ModelDefinition): Filter[] {
  const given = (filterModel ?? {}) as { readonly filterType?: unknown };
  if (typeof given.filterType === 'string')
    throw refuseGridQuery(model, 'an advanced filter', 'set `enableAdvancedFilter: false`, and filter by columns');
  return Object.entries(given).map(([colId, filter]) => toFilter(colId, filter as GridFilter, model));
}

function toFilter(property: string, filter: GridFilter, model: ModelDefinition): Filter {
  const { operator, conditions, filterModels, filterType, type } = filter;
  const fieldType = fieldTypeOf(property, model);
  if (conditions) {
    const parts = conditions.map((each) => toFilter(property, each, model));
    return operator === 'OR' ? { or: parts } : { and: parts };
  }
  if (filterType === 'multi') {
    const present = (filterModels ?? []).filter((each) => each !== null);
    return { and: present.map((each) => toFilter(property, each, model)) };
  }
  if (filterType === 'set') {
    const values = (filter.values ?? []).filter((value) => value !== null);
    const isIn: Filter = { property, operator: 'in', value: values };
    return values.length < (filter.values ?? []).length
      ? { or: [isIn, { property, operator: 'isNull', value: true }] }
      : isIn;
  }
  if (type === 'blank' || type === 'notBlank') return { property, operator: 'isNull', value: type === 'blank' };
  if (type === 'notContains') return { not: { property, operator: 'like', value: filter.filter } };
  const known = Object.hasOwn(OPERATORS, type ?? '') ? OPERATORS[type ?? ''] : undefined;
  if (!known)
    throw refuseGridQuery(model, `the filter '${type}'`, 'leave it out of `filterParams.filterOptions` of the column');
  const isDate = filterType === 'date';
  const from = isDate ? toDate(filter.dateFrom, fieldType) : filter.filter;
  const to = isDate ? toDate(filter.dateTo, fieldType) : filter.filterTo;
  // A day of the grid is a range of times.
  if (from instanceof Date && (known === 'eq' || known === 'ne')) {
    const next = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
    const day: Filter = {
      and: [
        { property, operator: 'ge', value: from },
        { property, operator: 'lt', value: next },
      ],
    };
    return known === 'eq' ? day : { not: day };
  }
  return { property, operator: known, value: known === 'between' ? [from, to] : from };
}

/** The day that the grid gives as `2026-11-23 00:00:00`: the same text for a `dateonly` field, its first moment here for a `date`. */
function toDate(text: string | null | undefined, fieldType: unknown): unknown {
  const [day = ''] = (text ?? '').split(/[ T]/);
  return fieldType === 'date' ? new Date(`${day}T00:00:00`) : day;
}

/** The type of the field of a column. Throws `UnsupportedQueryError` if the column is no field. */
function fieldTypeOf(colId: string, model: ModelDefinition): unknown {
  const field = model.field(colId);
  if (!field) throw unknownProperty(colId, model);
  return field.type;
}

/** The error of a query of a grid that a store cannot apply. `remedy` says what to do instead. */
export function refuseGridQuery(model: ModelDefinition, what: string, remedy: string): UnsupportedQueryError {
  const messages = { ...gridMessages, ...model.messages };
  return new UnsupportedQueryError('query-grid', { what, remedy }, { messages });
}
