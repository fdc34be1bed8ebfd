import { checkOptions, hasOnly } from '../dev/checks.js';
import { any, callable, flag, list, type Rules, string } from '../errors/option-rules.js';
import { badValue, UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { isData } from '../util/data-path.js';
import { isTooDeep, MAX_DEPTH } from '../util/values.js';
import type { Filter, Grouper, Sorter } from './query-parts.js';

/** The deepest tree of filters: a part of {@link MAX_DEPTH}, because functions over trees use several calls per level. */
const MAX_FILTER_DEPTH = 200;

const SORTER_RULES: Rules<Sorter & { id: unknown }> = {
  property: string,
  // `toSorters` checks the direction, with an error that names the valid ones.
  direction: any,
  sorterFn: callable,
  // `toSorters` checks the function, the language and the names, in every build.
  transform: any,
  locale: any,
  sortType: any,
  nulls: any,
  id: any,
};

const FILTER_RULES: Rules<Filter & { id: unknown }> = {
  property: string,
  operator: string,
  value: any,
  disabled: flag,
  disableOnEmpty: flag,
  convert: any,
  and: list,
  or: list,
  not: any,
  filterFn: callable,
  id: any,
};

const GROUPER_RULES: Rules<Grouper> = { property: string, direction: any };

/**
 * Throws `DefinitionError` for unknown members of a sorter, and `UnsupportedQueryError` for a sorter without a property or a
 * function.
 */
export function checkSorter(config: unknown): void {
  if (isData(config)) checkOptions('a sorter', { ...config }, SORTER_RULES, 'sorter');
  const { property, sorterFn } = Object(config) as Partial<Sorter>;
  if (typeof property !== 'string' && !sorterFn)
    throw badValue('a sorter', config, "a name, or an object such as `{ property: 'name', direction: 'DESC' }`");
}

/**
 * Throws `DefinitionError` for unknown members of a filter, and `UnsupportedQueryError` for an object without a condition, or
 * with several. Conditions inside a tree are not checked.
 */
export function checkFilter(config: unknown): void {
  if (isData(config)) checkOptions('a filter', { ...config }, FILTER_RULES, 'filter');
  const { and, or, not, property, filterFn } = Object(config) as Filter;
  const forms = [typeof property === 'string', and, or, not, filterFn].filter(Boolean).length;
  if (forms === 1) return;
  if (forms === 0) throw badValue('a filter', config, "an object such as `{ property: 'name', value: 'Ada' }`");
  throw badValue(
    'a filter',
    config,
    'a condition with `property`, or else have one of `and`, `or`, `not` and `filterFn`: join several in `and`',
  );
}

/** The place at which a condition lacks a value that it needs: its value as a whole, or an item of its list. A disabled condition needs none. */
export function missingValue({
  property,
  operator,
  value,
  disabled,
  disableOnEmpty,
}: Filter): 'value' | 'item' | undefined {
  if (property === undefined || disabled) return undefined;
  if (value === undefined)
    return disableOnEmpty || operator === 'isNull' || operator === 'exists' ? undefined : 'value';
  return Array.isArray(value) && value.includes(undefined) ? 'item' : undefined;
}

/**
 * Throws `UnsupportedQueryError` for a condition without a value: a missing id of a user must not show the records of all users. Also
 * throws for undefined in a list, and for a value that is nested too deeply.
 */
export function checkValue(filter: Filter): void {
  const { property, value } = filter;
  const missing = missingValue(filter);
  if (missing) throw new UnsupportedQueryError(`query-no-${missing}`, { property: property as string });
  if (isTooDeep(value))
    throw badValue(
      `the value of a filter on '${property}'`,
      value,
      `nested at most ${MAX_DEPTH} levels deep, and not contain itself`,
    );
}

/** Throws `UnsupportedQueryError` for trees of filters that are nested too deeply, such as a filter that contains itself. */
export function checkDepth(configs: readonly unknown[]): void {
  const open = [{ filters: configs, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { filters, level } = next;
    if (level > MAX_FILTER_DEPTH) throw new UnsupportedQueryError('query-depth', { most: MAX_FILTER_DEPTH });
    for (const filter of filters) {
      const { and, or, not } = Object(filter) as Partial<Filter>;
      for (const inside of [and, or, not && [not]])
        if (Array.isArray(inside) && inside.length > 0) open.push({ filters: inside, level: level + 1 });
    }
  }
}

/**
 * Throws `DefinitionError` for unknown members of a grouper, and `UnsupportedQueryError` for a grouper without a property.
 */
export function checkGrouper(config: unknown): void {
  if (isData(config)) checkOptions('a grouper', { ...config }, GROUPER_RULES, 'grouper');
  if (typeof (Object(config) as Partial<Grouper>).property !== 'string')
    throw badValue('a grouper', config, 'the name of a field, or an object with a `property`');
}

/** Whether a sorter has no unknown members. A production build does not look for them. */
export function hasKnownSorterNames(sorter: object): boolean {
  return hasOnly(sorter, SORTER_RULES);
}

/** Whether a filter has no unknown members. A production build does not look for them. */
export function hasKnownFilterNames(filter: object): boolean {
  return hasOnly(filter, FILTER_RULES);
}

/** The parameters of a request that say which part of a list it reads. */
export interface PageNumbers {
  readonly page?: number | undefined;
  readonly start?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * Throws `UnsupportedQueryError` if `page`, `start` or `limit` is not a whole number in its range. Called before anything is sent.
 * `leastPage`: 1 for stores, whose pages are counted from 1; 0 for an operation, which does not send the page 0.
 */
export function checkPaging(numbers: PageNumbers, leastPage: 0 | 1): void {
  checkWhole('page', numbers.page, leastPage);
  checkWhole('start', numbers.start, 0);
  checkWhole('limit', numbers.limit, 0);
}

/** Throws `UnsupportedQueryError` if a value is set that is not a whole number from `least`. */
export function checkWhole(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw badValue(name, value, `a whole number from ${least}`);
}
