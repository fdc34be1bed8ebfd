import { unknownProperty } from '../errors/unsupported-query-error.js';
import { dayOf, timesFilter, timesOf } from '../grid/day-filters.js';
import { refuseLibraryQuery } from '../grid/refuse-query.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Filter, Operator } from '../operation/query-parts.js';

/** The name of the grid in errors. */
export const LIBRARY = 'the MUI X Data Grid';

const MINUTE = 60_000;

/** The operators of the grid. `doesNotContain` is the opposite of `contains`. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  contains: 'like',
  equals: 'eq',
  doesNotEqual: 'ne',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  '=': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'ge',
  '<': 'lt',
  '<=': 'le',
  is: 'eq',
  not: 'ne',
  after: 'gt',
  onOrAfter: 'ge',
  before: 'lt',
  onOrBefore: 'le',
  isAnyOf: 'in',
};

/** A condition of the grid. */
interface GridFilterItem {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** The filters of the grid. */
interface GridFilterModel {
  readonly items: readonly GridFilterItem[];
  readonly logicOperator?: string;
  readonly quickFilterValues?: readonly unknown[];
  readonly quickFilterLogicOperator?: string;
}

/** The conditions of a grid, and the text of its quick filter. */
export interface GridConditions {
  readonly filters: readonly Filter[];
  readonly search: string | undefined;
}

/**
 * Reads the filters of a grid. A condition without a value, which the user has not entered yet, counts as none, as in the grid. `dateTimes` are the
 * columns of the type `dateTime`, whose conditions name minutes instead of days. Throws `UnsupportedQueryError` for what a model cannot apply.
 */
export function readGridFilters(
  { items, logicOperator, quickFilterValues = [], quickFilterLogicOperator }: GridFilterModel,
  model: ModelDefinition,
  dateTimes: ReadonlySet<string>,
  propertyOf: (name: string) => string,
): GridConditions {
  const filters = items
    .filter(isEntered)
    .map((item) => toFilter({ ...item, field: propertyOf(item.field) }, model, dateTimes));
  const words = quickFilterValues.filter((value) => value !== '' && value != null);
  if (quickFilterLogicOperator === 'or' && words.length > 1) {
    const remedy = 'leave `quickFilterLogicOperator` at `GridLogicOperator.And`';
    throw refuseLibraryQuery(model, LIBRARY, 'a quick filter for any of several words', remedy);
  }
  return {
    filters: logicOperator === 'or' && filters.length > 1 ? [{ or: filters }] : filters,
    search: words.length > 0 ? words.join(' ') : undefined,
  };
}

/** Whether a condition has the value that it needs. */
function isEntered({ operator, value }: GridFilterItem): boolean {
  if (operator === 'isEmpty' || operator === 'isNotEmpty') return true;
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}

function toFilter(
  { field, operator, value }: GridFilterItem,
  model: ModelDefinition,
  dateTimes: ReadonlySet<string>,
): Filter {
  const known = model.field(field);
  if (!known) throw unknownProperty(field, model);
  const { type } = known;
  if (operator === 'isEmpty') return emptyFilter(field, type);
  if (operator === 'isNotEmpty') {
    const empty = emptyFilter(field, type);
    return 'or' in empty ? { not: empty } : { ...empty, value: false };
  }
  if (operator === 'doesNotContain') return { not: { property: field, operator: 'like', value } };
  const own = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!own) {
    const remedy = 'leave it out of `filterOperators` of the column';
    throw refuseLibraryQuery(model, LIBRARY, `the filter '${operator}'`, remedy);
  }
  if (type === 'date' || type === 'dateonly') return toTimeFilter(field, own, value, type, model, dateTimes);
  return { property: field, operator: own, value: type === 'boolean' ? toBoolean(value, model) : value };
}

/** The value for a field of booleans: a column of booleans gives it as a text. */
function toBoolean(value: unknown, model: ModelDefinition): unknown {
  if (typeof value !== 'string') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw refuseLibraryQuery(model, LIBRARY, `the value '${value}'`, 'filter by `true` or `false`');
}

function toTimeFilter(
  property: string,
  operator: Operator,
  value: unknown,
  type: 'date' | 'dateonly',
  model: ModelDefinition,
  dateTimes: ReadonlySet<string>,
): Filter {
  if (type === 'date' && dateTimes.has(property)) {
    // The user enters a minute: `is` means all of its moments.
    const start = value instanceof Date ? new Date(value) : new Date(String(value));
    if (Number.isNaN(start.getTime()))
      throw refuseLibraryQuery(model, LIBRARY, `the time '${value}'`, 'filter by dates such as `2026-11-23T08:30`');
    const minute = { start, end: new Date(start.getTime() + MINUTE) };
    return timesFilter(property, operator, minute, minute);
  }
  // The grid makes a day the first moment of it in UTC, whatever the zone of the user is.
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value);
  const day = dayOf(text, model, LIBRARY);
  if (type === 'dateonly') return { property, operator, value: day };
  const times = timesOf(day);
  return timesFilter(property, operator, times, times);
}

/** An empty cell: without a value or, in a field of texts, with an empty text. */
function emptyFilter(property: string, type: unknown): Filter {
  const isNull: Filter = { property, operator: 'isNull', value: true };
  return type === 'string' ? { or: [isNull, { property, operator: 'eq', value: '' }] } : isNull;
}
