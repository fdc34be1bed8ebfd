import { checkOptions, inDevelopment } from '../dev/checks.js';
import { any, callable, flag, list, type Rules, string } from '../errors/option-rules.js';
import { badValue, UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { isData } from '../util/data-path.js';
import { copyPlain, deepFreeze, isTooDeep, MAX_DEPTH } from '../util/values.js';
import { isSortTypeName, type SortTypeName, sortTypeNames, toCollator } from './sort-types.js';

/** Ascending or descending order. */
export type Direction = 'ASC' | 'DESC';

/** One criterion to sort by, frozen and normalised. A `sorterFn` sorts locally only and is never sent. */
export interface Sorter {
  readonly property?: string | undefined;
  readonly direction: Direction;
  readonly sorterFn?: ((a: never, b: never) => number) | undefined;
  /** Converts a value of the property to the value that is compared. Only local sorters can have it: it is never sent. */
  readonly transform?: ((value: never) => unknown) | undefined;
  /** Compares texts by the rules of a language. Only local sorters can have it: it is never sent. */
  readonly locale?: Locale | undefined;
  /** An order by name, instead of a `transform`. Only local sorters can have it: it is never sent. */
  readonly sortType?: SortTypeName | undefined;
  /** The place of missing values, in either direction. Sent to servers that can do it. */
  readonly nulls?: Nulls | undefined;
}

/** The place of missing values (null, undefined, and values that are no number or no date) among the sorted records. */
export type Nulls = 'first' | 'last';

/** A language, given by its tag (`'de'`), or an `Intl.Collator`. */
export type Locale = string | Intl.Collator;

/** The canonical operators of a filter. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'le'
  | 'gt'
  | 'ge'
  | 'in'
  | 'nin'
  | 'between'
  | 'isNull'
  | 'exists'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'like';

/** One condition, or a tree of conditions, frozen and normalised. */
export interface Filter {
  readonly property?: string | undefined;
  /** The operator as it was given; undefined means `eq`. See {@link operatorOf}. */
  readonly operator?: string | undefined;
  readonly value?: unknown;
  readonly disabled?: boolean | undefined;
  /** Whether the condition is disabled while its value is empty; see {@link activeFilters}. @default false */
  readonly disableOnEmpty?: boolean | undefined;
  /**
   * Converts the field's value and the filter's value to the values that are compared. Only local filters can have it: it is never
   * sent.
   */
  readonly convert?: ((value: never) => unknown) | undefined;
  readonly and?: readonly Filter[] | undefined;
  readonly or?: readonly Filter[] | undefined;
  readonly not?: Filter | undefined;
  /** Filters locally only and is never sent. */
  readonly filterFn?: ((record: never) => boolean) | undefined;
}

/** The property by which records are grouped. */
export interface Grouper {
  readonly property: string;
  readonly direction: Direction;
}

/** The canonical operator of each spelling. */
const CANONICAL: Readonly<Record<string, Operator>> = {
  eq: 'eq',
  '=': 'eq',
  '==': 'eq',
  '===': 'eq',
  ne: 'ne',
  '!=': 'ne',
  '!==': 'ne',
  '/=': 'ne',
  lt: 'lt',
  '<': 'lt',
  le: 'le',
  '<=': 'le',
  lte: 'le',
  gt: 'gt',
  '>': 'gt',
  ge: 'ge',
  '>=': 'ge',
  gte: 'ge',
  in: 'in',
  nin: 'nin',
  notin: 'nin',
  between: 'between',
  isNull: 'isNull',
  exists: 'exists',
  contains: 'contains',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  like: 'like',
};

/**
 * The canonical operator of a filter; undefined if the operator is unknown.
 *
 * @example
 * ```ts
 * operatorOf({ property: 'age', operator: '>=', value: 18 }); // 'ge'
 * operatorOf({ property: 'age', value: 18 }); // 'eq'
 * ```
 */
export function operatorOf({ operator = 'eq' }: Filter): Operator | undefined {
  return Object.hasOwn(CANONICAL, operator) ? CANONICAL[operator] : undefined;
}

/** The canonical operators. */
export function operators(): readonly Operator[] {
  return [...new Set(Object.values(CANONICAL))];
}

/**
 * The filters that have an effect: only these are applied, sent and counted. Without disabled filters, without conditions that are
 * disabled while they are empty, and without trees of which nothing remains. A list in which all filters have an effect is returned as it is, so that values
 * cached for it stay valid.
 */
export function activeFilters(filters: readonly Filter[]): readonly Filter[] {
  return remaining(filters, (condition) => condition) as readonly Filter[];
}

/**
 * The filters that a server has to apply to a list, all of which must hold, with each condition as `change` returns it; undefined if no
 * record can pass. A condition with an empty list needs no server: `in` lets no record pass and `nin` lets all pass. Trees are simplified
 * accordingly, so that no dialect gets an empty list. A list in which nothing changes is returned as it is.
 */
export function neededFilters(
  filters: readonly Filter[],
  change: (condition: Filter) => Filter = (condition) => condition,
): readonly Filter[] | undefined {
  return remaining(filters, (condition) => {
    const { value } = condition;
    const operator = Array.isArray(value) && value.length === 0 ? operatorOf(condition) : undefined;
    return operator === 'in' || operator === 'nin' ? operator === 'nin' : change(condition);
  });
}

/** The rest of a filter: a boolean if it lets all records pass, or none; undefined if it has no effect. */
type Left = Filter | boolean | undefined;

/** The rest of filters that must all hold, once `reduce` has said it of each condition that has an effect; undefined if no record can pass. */
function remaining(
  filters: readonly Filter[],
  reduce: (condition: Filter) => Filter | boolean,
): readonly Filter[] | undefined {
  const { left, decided } = joined(filters, false, reduce);
  return decided === false ? undefined : left;
}

/**
 * The rest of the members of an `and` or, with `deciding: true`, of an `or`, and what is decided of it. One member that is always
 * `deciding` decides the whole; a member that is always the opposite is left out, as one without effect.
 */
function joined(
  filters: readonly Filter[],
  deciding: boolean,
  reduce: (condition: Filter) => Filter | boolean,
): { readonly left: readonly Filter[]; readonly decided: boolean | undefined } {
  const parts = filters.map((each) => leftOf(each, reduce));
  const left = parts.filter((each) => typeof each === 'object');
  const isSame = left.length === filters.length && left.every((each, at) => each === filters[at]);
  const decided = [deciding, !deciding].find((each) => parts.includes(each));
  return { left: isSame ? filters : Object.freeze(left), decided };
}

function leftOf(filter: Filter, reduce: (condition: Filter) => Filter | boolean): Left {
  const { and, or, not, filterFn, disabled } = filter;
  if (disabled) return undefined;
  if (filterFn) return filter;
  const list = and ?? or;
  if (list) {
    const { left, decided } = joined(list, Boolean(or), reduce);
    const [last] = left;
    if (!last || decided === Boolean(or)) return decided;
    if (left === list) return filter;
    // Dialects without trees can express the last member alone. A function stays in its tree, where every dialect refuses it.
    if (decided !== undefined && left.length === 1 && !last.filterFn) return last;
    return Object.freeze({ ...filter, [and ? 'and' : 'or']: left });
  }
  if (not) {
    const left = leftOf(not, reduce);
    if (typeof left === 'boolean') return !left;
    return left === not || !left ? left && filter : Object.freeze({ ...filter, not: left });
  }
  return isEmpty(filter) ? undefined : reduce(filter);
}

/** Whether a condition is disabled because its value is empty. */
export function isEmpty({ disableOnEmpty, value = null }: Filter): boolean {
  return disableOnEmpty === true && (value === null || value === '' || (Array.isArray(value) && value.length === 0));
}

/** The single conditions in a tree of filters. */
export function conditionsOf(filter: Filter): readonly Filter[] {
  const { and, or, not } = filter;
  const inside = and ?? or ?? (not && [not]);
  return inside && !filter.filterFn ? inside.flatMap(conditionsOf) : [filter];
}

/** The first option of sorters or active filters that works only locally and cannot be sent; undefined if all can be sent. */
export function localOption(
  sorters: readonly Sorter[] = [],
  filters: readonly Filter[] = [],
): 'transform' | 'sortType' | 'locale' | 'convert' | undefined {
  for (const { transform, sortType, locale } of sorters) {
    if (transform) return 'transform';
    if (sortType) return 'sortType';
    if (locale) return 'locale';
  }
  return filters.flatMap(conditionsOf).some(({ convert }) => convert) ? 'convert' : undefined;
}

/**
 * Normalises sorters. Throws `DefinitionError` for unknown members, and `UnsupportedQueryError` for a value that is not a sorter. A frozen
 * list that is normalised stays the same object, so that values cached for it stay valid.
 */
export function toSorters(configs: readonly unknown[]): readonly Sorter[] {
  const isFrozen = Object.isFrozen(configs);
  return listOf(
    configs,
    configs.map((config) => toSorter(config, isFrozen)),
  );
}

/** Normalises one sorter: in a frozen list, it may stay as it is. */
function toSorter(config: unknown, isFrozen: boolean): Sorter {
  const options = (typeof config === 'string' ? { property: config } : Object(config)) as Partial<Sorter>;
  if (typeof config !== 'string') inDevelopment(checkSorterShape, config);
  const { property, sorterFn, transform, locale, sortType, nulls } = options;
  if (typeof property !== 'string' && !sorterFn)
    throw badValue('a sorter', config, "a name, or an object such as `{ property: 'name', direction: 'DESC' }`");
  const direction = toDirection(options.direction);
  if (isFrozen && Object.isFrozen(options) && options.direction === direction) return options as Sorter;
  return Object.freeze({ property, direction, sorterFn, transform, locale, sortType, nulls });
}

function toDirection(given: unknown): Direction {
  const direction = String(given ?? 'ASC').toUpperCase();
  if (direction !== 'ASC' && direction !== 'DESC') throw badValue('a sort direction', given, 'ASC or DESC');
  return direction;
}

/** Functions that take part in normalising filters. */
export interface FilterSteps {
  /** Checks a part before anything is read of it. */
  check?(config: unknown): void;
  /** Completes a condition, which stands in a disabled tree if `isDisabled`. */
  complete?(condition: Filter, isDisabled: boolean): Filter;
}

/**
 * Normalises filters. Throws `DefinitionError` for unknown members, and `UnsupportedQueryError` for a value that is not a filter, for a
 * condition without a value, and for trees that are nested too deeply. A frozen list that is normalised stays the same object, so that
 * values cached for it stay valid.
 */
export function toFilters(configs: readonly unknown[], steps: FilterSteps = {}): readonly Filter[] {
  return normaliseAll(configs, { steps, level: 0, isDisabled: false });
}

/** The place of a filter while it is normalised. */
interface FilterPlace {
  readonly steps: FilterSteps;
  readonly level: number;
  /** Whether it stands in a disabled tree. */
  readonly isDisabled: boolean;
}

function normaliseAll(configs: readonly unknown[], place: FilterPlace): readonly Filter[] {
  const isFrozen = Object.isFrozen(configs);
  return listOf(
    configs,
    [...configs].map((config) => normalise(config, isFrozen && Object.isFrozen(config), place)),
  );
}

/** Whether a value of a filter cannot change: no object, or a frozen list without objects. */
function isConstant(value: unknown): boolean {
  return Array.isArray(value)
    ? Object.isFrozen(value) && value.every((each) => typeof each !== 'object' || each === null)
    : typeof value !== 'object' || value === null;
}

/** Normalises one filter. A frozen one with a constant value does not change any more. */
function normalise(config: unknown, isFrozen: boolean, { steps, level, isDisabled }: FilterPlace): Filter {
  const { check = checkedInDevelopment, complete } = steps;
  check(config);
  if (typeof config === 'function') return Object.freeze({ filterFn: config as never });
  if (level > MAX_FILTER_DEPTH) throw new UnsupportedQueryError('query-depth', { most: MAX_FILTER_DEPTH });
  const options = Object(config) as Filter;
  const { property, and, or, not, filterFn, value } = options;
  const disabled = isDisabled || options.disabled === true;
  const forms = [typeof property === 'string', and, or, not, filterFn].filter(Boolean).length;
  // Without a condition it would let every record pass, and of two conditions it would lose one.
  if (forms === 0) throw badValue('a filter', config, "an object such as `{ property: 'name', value: 'Ada' }`");
  if (forms > 1)
    throw badValue(
      'a filter',
      config,
      'a condition with `property`, or else have one of `and`, `or`, `not` and `filterFn`: join several in `and`',
    );
  if (!disabled) checkValue(options);
  const inside = { steps, level: level + 1, isDisabled: disabled };
  const parts: Partial<Filter> = {
    ...(and && { and: normaliseAll(and, inside) }),
    ...(or && { or: normaliseAll(or, inside) }),
    ...(not && { not: normalise(not, isFrozen && Object.isFrozen(not), inside) }),
    // Copied, because the filter must not change when the caller changes its array later.
    ...('value' in options && { value: isFrozen && isConstant(value) ? value : copyPlain(value) }),
  };
  const isSame = isFrozen && (Object.keys(parts) as (keyof Filter)[]).every((name) => parts[name] === options[name]);
  const filter = isSame ? options : { ...options, ...parts };
  return deepFreeze(property === undefined || !complete ? filter : complete(filter, disabled));
}

function checkedInDevelopment(config: unknown): void {
  inDevelopment(checkFilterShape, config);
}

/**
 * Normalises a grouper. Throws `DefinitionError` for unknown members, and `UnsupportedQueryError` for a value that is not a grouper.
 */
export function toGrouper(config: unknown): Grouper {
  const grouper = (typeof config === 'string' ? { property: config } : config) as Partial<Grouper>;
  if (isData(grouper)) checkOptions('a grouper', { ...grouper }, GROUPER_RULES, 'grouper');
  const { property, direction } = Object(grouper) as Partial<Grouper>;
  if (typeof property !== 'string')
    throw badValue('a grouper', config, 'the name of a field, or an object with a `property`');
  return Object.freeze({ property, direction: toDirection(direction) });
}

/** The normalised items of a list: the list itself if it is frozen and has them. */
function listOf<T>(configs: readonly unknown[], items: readonly T[]): readonly T[] {
  const isSame = Object.isFrozen(configs) && items.every((each, at) => each === configs[at]);
  return isSame ? (configs as readonly T[]) : Object.freeze(items);
}

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
function missingValue({ property, operator, value, disabled, disableOnEmpty }: Filter): 'value' | 'item' | undefined {
  if (property === undefined || disabled) return undefined;
  if (value === undefined)
    return disableOnEmpty || operator === 'isNull' || operator === 'exists' ? undefined : 'value';
  return Array.isArray(value) && value.includes(undefined) ? 'item' : undefined;
}

/**
 * Throws `UnsupportedQueryError` for a condition without a value: a missing id of a user must not show the records of all users. Also
 * throws for undefined in a list, and for a value that is nested too deeply.
 */
function checkValue(filter: Filter): void {
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
