import { checkOptions } from '../dev/checks.js';
import { any, callable, flag, list, type Rules, string } from '../errors/option-rules.js';
import { badValue, UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { isData } from '../util/data-path.js';
import { isTooDeep, MAX_DEPTH } from '../util/values.js';
import type { Filter, Grouper, Sorter } from './query-parts.js';
import { isSortTypeName, sortTypeNames, toCollator } from './sort-types.js';

/** The deepest tree of filters: a part of {@link MAX_DEPTH}, because functions over trees use several calls per level. */
const MAX_FILTER_DEPTH = 200;

// The shapes of the parts of a query. Code that a developer writes is checked in development alone, stored queries in both builds.

/** The members of a sorter. {@link checkSorterShape} checks the values of those with `any`, with errors that say more. */
export const SORTER_RULES: Rules<Sorter & { id: unknown }> = {
  property: string,
  direction: string,
  sorterFn: callable,
  transform: any,
  locale: any,
  sortType: any,
  nulls: any,
  id: any,
};

/** The members of a filter. */
export const FILTER_RULES: Rules<Filter & { id: unknown }> = {
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

/** The members of a grouper. */
export const GROUPER_RULES: Rules<Grouper> = { property: string, direction: string };

/**
 * Throws `DefinitionError` for unknown members of a sorter, and `UnsupportedQueryError` for values that it cannot have, or cannot have
 * together.
 */
export function checkSorterShape(config: unknown): void {
  if (isData(config)) checkOptions('a sorter', { ...config }, SORTER_RULES, 'sorter');
  const { sorterFn, transform, locale, sortType, nulls } = Object(config) as Partial<Sorter>;
  checkFunction('transform', transform);
  toCollator(locale);
  if (sortType !== undefined && !isSortTypeName(sortType))
    throw badValue('sortType', sortType, `one of ${sortTypeNames().join(', ')}, or a \`transform\``);
  if (nulls !== undefined && nulls !== 'first' && nulls !== 'last') throw badValue('nulls', nulls, 'first or last');
  if ((sortType && (transform || sorterFn)) || (nulls && sorterFn))
    throw badValue(
      'a sorter',
      config,
      'ordered by one of `sortType`, `transform` and `sorterFn`; `nulls` needs a property',
    );
}

/** Throws `DefinitionError` for unknown members of a filter, and `UnsupportedQueryError` for a `convert` that is no function. */
export function checkFilterShape(config: unknown): void {
  if (isData(config)) checkOptions('a filter', { ...config }, FILTER_RULES, 'filter');
  checkFunction('convert', (Object(config) as Filter).convert);
}

function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw badValue(option, value, 'a function');
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
