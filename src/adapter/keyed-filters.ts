import type { ModelDefinition } from '../model/model-definition.js';
import type { Operator } from '../operation/query-parts.js';
import { isPlainObject } from '../util/values.js';

/** The operators that may follow the name of a field, as in `total_gte`. */
const SUFFIXES: Readonly<Record<string, Operator>> = {
  eq: 'eq',
  ne: 'ne',
  neq: 'ne',
  lt: 'lt',
  lte: 'le',
  gt: 'gt',
  gte: 'ge',
  in: 'in',
  nin: 'nin',
  between: 'between',
  like: 'like',
  contains: 'contains',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  isNull: 'isNull',
};

/** Filters and the text to search for, made of an object of values by name. */
export interface KeyedFilters {
  readonly filters: readonly object[];
  readonly search: string | undefined;
}

/**
 * Reads an object of values by name: `{ status: 'open', total_gte: 100, q: 'bolt' }`. A list stands for any of its values, null for a missing
 * value. Names that are no fields stay as they are: the query refuses them.
 */
export function readKeyedFilters(
  given: Readonly<Record<string, unknown>>,
  model: ModelDefinition,
  propertyOf: (name: string) => string,
): KeyedFilters {
  const { q, ...others } = given;
  const isSearch = q !== undefined && !model.field('q');
  const entries = Object.entries(isSearch ? others : given);
  return {
    filters: entries.flatMap(([name, value]) => filtersOf(name, value, model, propertyOf)),
    search: isSearch ? String(q ?? '') : undefined,
  };
}

function filtersOf(
  name: string,
  value: unknown,
  model: ModelDefinition,
  propertyOf: (name: string) => string,
): object[] {
  const property = propertyOf(name);
  const isField = model.field(property) !== undefined;
  const [, field = '', suffix = ''] = /^(.+)_([a-zA-Z]+)$/.exec(name) ?? [];
  if (!isField && Object.hasOwn(SUFFIXES, suffix) && model.field(propertyOf(field)))
    return [{ property: propertyOf(field), operator: SUFFIXES[suffix], value }];
  // Forms nest the members of a value: `{ address: { city: 'Bern' } }`.
  if (isPlainObject(value))
    return Object.entries(value).flatMap(([member, each]) => filtersOf(`${name}.${member}`, each, model, propertyOf));
  if (Array.isArray(value)) return [{ property, operator: 'in', value }];
  if (value === null) return [{ property, operator: 'isNull', value: true }];
  return [{ property, value }];
}
