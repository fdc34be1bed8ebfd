import { unknownProperty } from '../errors/unsupported-query-error.js';
import { numberOfText } from '../model/decimals.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Filter, Operator } from '../operation/query-parts.js';
import { dayOf, timesFilter, timesOf } from './day-filters.js';
import { refuseLibraryQuery } from './refuse-query.js';

/** The name of the grid in errors. */
const LIBRARY = 'AG Grid';

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
    throw refuseLibraryQuery(
      model,
      LIBRARY,
      `the sort type '${type}'`,
      'sort by a field that holds the number without its sign',
    );
  return { property: colId, direction: sort };
}

/** Makes the filters of a store from the filter model of a grid. Throws `UnsupportedQueryError` for what a store cannot apply. */
export function toStoreFilters(filterModel: unknown, model: ModelDefinition): Filter[] {
  const given = (filterModel ?? {}) as { readonly filterType?: unknown };
  if (typeof given.filterType === 'string')
    throw refuseLibraryQuery(
      model,
      LIBRARY,
      'an advanced filter',
      'set `enableAdvancedFilter: false`, and filter by columns',
    );
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
  if (filterType === 'set') return toSetFilter(property, filter.values ?? [], fieldType, model);
  if (type === 'blank') return blankFilter(property, filterType);
  if (type === 'notBlank') {
    const blank = blankFilter(property, filterType);
    return 'or' in blank ? { not: blank } : { ...blank, value: false };
  }
  // A column of booleans has these two as options of its text filter.
  if (fieldType === 'boolean' && (type === 'true' || type === 'false'))
    return { property, operator: 'eq', value: type === 'true' };
  if (type === 'notContains') return { not: { property, operator: 'like', value: filter.filter } };
  const known = Object.hasOwn(OPERATORS, type ?? '') ? OPERATORS[type ?? ''] : undefined;
  if (!known)
    throw refuseLibraryQuery(
      model,
      LIBRARY,
      `the filter '${type}'`,
      'leave it out of `filterParams.filterOptions` of the column',
    );
  if (filterType === 'date') return toDayFilter(property, known, filter, fieldType, model);
  return { property, operator: known, value: known === 'between' ? [filter.filter, filter.filterTo] : filter.filter };
}

/** A filter for days: of moments for a `date` field, of the days themselves for any other. */
function toDayFilter(
  property: string,
  operator: Operator,
  { dateFrom, dateTo }: GridFilter,
  fieldType: unknown,
  model: ModelDefinition,
): Filter {
  const from = dayOf(dateFrom, model, LIBRARY);
  const to = operator === 'between' ? dayOf(dateTo, model, LIBRARY) : from;
  if (fieldType === 'date') return timesFilter(property, operator, timesOf(from), timesOf(to));
  return { property, operator, value: operator === 'between' ? [from, to] : from };
}

/** The values that a set filter shows. The grid gives them as texts, also those of numbers, booleans and days. */
function toSetFilter(property: string, given: readonly unknown[], fieldType: unknown, model: ModelDefinition): Filter {
  const values = given.filter((value) => value !== null);
  const parts: Filter[] = [];
  if (fieldType === 'date')
    for (const day of values) {
      const times = timesOf(dayOf(String(day), model, LIBRARY));
      parts.push(timesFilter(property, 'eq', times, times));
    }
  else if (values.length > 0 || given.length === 0) {
    parts.push({ property, operator: 'in', value: values.map((each) => typed(each, fieldType)) });
  }
  if (values.length < given.length) parts.push({ property, operator: 'isNull', value: true });
  const [first, ...others] = parts;
  if (!first) return { property, operator: 'in', value: [] };
  return others.length > 0 ? { or: parts } : first;
}

/** The value that the grid gives as a text, as the field has it. */
function typed(value: unknown, fieldType: unknown): unknown {
  if (fieldType === 'boolean') return String(value) === 'true';
  return fieldType === 'int' || fieldType === 'number' ? (numberOfText(String(value)) ?? value) : value;
}

/** A blank cell: without a value or, in a column of texts, with an empty text. */
function blankFilter(property: string, filterType: string | undefined): Filter {
  const isNull: Filter = { property, operator: 'isNull', value: true };
  return filterType === 'text' ? { or: [isNull, { property, operator: 'eq', value: '' }] } : isNull;
}

/** The type of the field of a column. Throws `UnsupportedQueryError` if the column is no field. */
function fieldTypeOf(colId: string, model: ModelDefinition): unknown {
  const field = model.field(colId);
  if (!field) throw unknownProperty(colId, model);
  return field.type;
}
