import { gridMessages } from '../dev/texts.js';
import { UnsupportedQueryError, unknownProperty } from '../errors/unsupported-query-error.js';
import { numberOfText } from '../model/decimals.js';
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
    throw refuseGridQuery(model, `the filter '${type}'`, 'leave it out of `filterParams.filterOptions` of the column');
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
  const from = dayOf(dateFrom, model);
  const to = operator === 'between' ? dayOf(dateTo, model) : from;
  if (fieldType === 'date') return timesFilter(property, operator, timesOf(from), timesOf(to));
  return { property, operator, value: operator === 'between' ? [from, to] : from };
}

/** The values that a set filter shows. The grid gives them as texts, also those of numbers, booleans and days. */
function toSetFilter(property: string, given: readonly unknown[], fieldType: unknown, model: ModelDefinition): Filter {
  const values = given.filter((value) => value !== null);
  const parts: Filter[] = [];
  if (fieldType === 'date')
    for (const day of values) {
      const times = timesOf(dayOf(String(day), model));
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

/** The moments of a day in the user's time zone: from the first one up to, but not including, the first one of the next day. */
interface DayTimes {
  readonly start: Date;
  readonly end: Date;
}

/** The day in a text such as `2026-11-23 00:00:00`, as `2026-11-23`. Throws `UnsupportedQueryError` for a text without a day. */
function dayOf(text: string | null | undefined, model: ModelDefinition): string {
  const [, day] = /^(\d{4}-\d\d-\d\d)(?:[ T]|$)/.exec(text ?? '') ?? [];
  if (day === undefined || Number.isNaN(timesOf(day).start.getTime()))
    throw refuseGridQuery(model, `the day '${text}'`, 'filter by days such as `2026-11-23`');
  return day;
}

function timesOf(day: string): DayTimes {
  const start = new Date(`${day}T00:00:00`);
  // A zone that moves to the other side of the date line leaves a day out: the time is then that of the next one.
  if (start.getDate() !== Number(day.slice(-2))) return { start, end: start };
  // A day has 23 or 25 hours when the clocks change, and some begin at 1:00.
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  end.setHours(0, 0, 0, 0);
  return { start, end };
}

/** Compares moments with whole days. */
function timesFilter(property: string, operator: Operator, from: DayTimes, to: DayTimes): Filter {
  const compare = (by: Operator, value: Date): Filter => ({ property, operator: by, value });
  if (operator === 'lt') return compare('lt', from.start);
  if (operator === 'le') return compare('lt', from.end);
  if (operator === 'gt') return compare('ge', from.end);
  if (operator === 'ge') return compare('ge', from.start);
  const days: Filter = { and: [compare('ge', from.start), compare('lt', to.end)] };
  return operator === 'ne' ? { not: days } : days;
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
