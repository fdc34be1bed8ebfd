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

/**
 * The members of a filter that are suggested for a misspelt name. The other names are too short to tell a mistake from a member
 * that the application has added.
 */
const LONG_NAMES: readonly (keyof Filter)[] = [
  'property',
  'operator',
  'value',
  'disabled',
  'disableOnEmpty',
  'convert',
  'filterFn',
];

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
 * Throws `DefinitionError` for a misspelt member of a filter, and `UnsupportedQueryError` for an object without a condition. Other
 * members belong to the application: the classic dialect sends them.
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
