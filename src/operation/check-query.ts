import {
  any,
  callable,
  checkOptions,
  checkValues,
  flag,
  list,
  type Rules,
  string,
  unknownOption,
} from '../errors/option-rules.js';
import { badValue } from '../errors/unsupported-query-error.js';
import { isData } from '../util/data-path.js';
import { nearestName } from '../util/nearest.js';
import type { Filter, Sorter } from './query.js';

const SORTER_RULES: Rules<Sorter & { id: unknown }> = {
  property: string,
  // Has an error of its own.
  direction: any,
  sorterFn: callable,
  // `toSorters` and `toFilters` check functions that they hold, and the language.
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

/** The members of a filter that a misspelt one may stand for. The others are too short to tell a mistake from a member of the application. */
const LONG_NAMES: readonly (keyof Filter)[] = [
  'property',
  'operator',
  'value',
  'disabled',
  'disableOnEmpty',
  'convert',
  'filterFn',
];

/** Throws `DefinitionError` for unknown members of a sorter, and `UnsupportedQueryError` for one without a property or function. */
export function checkSorter(config: unknown): void {
  if (isData(config)) checkOptions('a sorter', { ...config }, SORTER_RULES, 'sorter');
  const { property, sorterFn } = Object(config) as Partial<Sorter>;
  if (typeof property !== 'string' && !sorterFn)
    throw badValue('a sorter', config, "a name, or an object such as `{ property: 'name', direction: 'DESC' }`");
}

/**
 * Throws `DefinitionError` for a misspelt member of a filter, and `UnsupportedQueryError` for what says nothing about which records
 * pass. Other members are the application's own: classic sends them.
 */
export function checkFilter(config: unknown): void {
  const filter = Object(config) as Filter & Record<string, unknown>;
  const { and, or, not, property, filterFn } = filter;
  const isFilter = Boolean(and || or || not || filterFn) || typeof property === 'string';
  for (const name of isData(config) ? Object.keys(config) : []) {
    if (Object.hasOwn(FILTER_RULES, name)) continue;
    if (!isFilter || nearestName(name, LONG_NAMES))
      throw unknownOption(name, 'a filter', Object.keys(FILTER_RULES), isFilter ? undefined : 'filter');
  }
  if (!isFilter) throw badValue('a filter', config, "an object such as `{ property: 'name', value: 'Ada' }`");
  checkValues(filter, 'a filter', FILTER_RULES);
}
