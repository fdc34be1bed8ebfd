import { any, callable, checkOptions, flag, list, type Rules, string } from '../errors/option-rules.js';
import { badValue } from '../errors/unsupported-query-error.js';
import { isData } from '../util/data-path.js';
import type { Filter, Grouper, Sorter } from './query.js';

const SORTER_RULES: Rules<Sorter & { id: unknown }> = {
  property: string,
  // `toSorters` checks the direction, with an error that names the valid ones.
  direction: any,
  sorterFn: callable,
  // `toSorters` checks the function and the language.
  transform: any,
  locale: any,
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
  const expected = forms
    ? 'a condition with `property`, or else have one of `and`, `or`, `not` and `filterFn`: join several in `and`'
    : "an object such as `{ property: 'name', value: 'Ada' }`";
  throw badValue('a filter', config, expected);
}

/**
 * Throws `DefinitionError` for unknown members of a grouper, and `UnsupportedQueryError` for a grouper without a property.
 */
export function checkGrouper(config: unknown): void {
  if (isData(config)) checkOptions('a grouper', { ...config }, GROUPER_RULES, 'grouper');
  if (typeof (Object(config) as Partial<Grouper>).property !== 'string')
    throw badValue('a grouper', config, 'the name of a field, or an object with a `property`');
}

/** Whether a sorter has no unknown members. */
export function hasKnownSorterNames(sorter: object): boolean {
  return hasOnly(sorter, SORTER_RULES);
}

/** Whether a filter has no unknown members. */
export function hasKnownFilterNames(filter: object): boolean {
  return hasOnly(filter, FILTER_RULES);
}

function hasOnly(given: object, rules: object): boolean {
  return Object.keys(given).every((name) => Object.hasOwn(rules, name));
}
