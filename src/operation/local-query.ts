import { unsupported } from '../errors/unsupported-query-error.js';
import { isPlainObject, isSame, sealed } from '../util/values.js';
import type { RecordModel } from './operation-record.js';
import { type Filter, isDisabled, operatorOf, type Sorter, toCollator } from './query.js';

/** How items are looked at. */
export interface ItemReader<T> {
  /** The value of a property. Throws `UnsupportedQueryError` for what is none. */
  read(property: string): (item: T) => unknown;
  /** The same for one look at many items: what it converts is not kept. */
  peek?(property: string): (item: T) => unknown;
  /** The order of two texts of a property, where `<` would not do. */
  compare(property: string): ((a: never, b: never) => number) | undefined;
}

export type Order = (a: unknown, b: unknown) => number;

/** Values in order: what is missing, no number or no date first, then numbers and dates, then texts; within each by `<`. */
export function compareValues(a: unknown, b: unknown): number {
  // Most values are of one kind.
  const quick = typeof a === 'string' ? typeof b === 'string' : typeof a === 'number' && typeof b === 'number';
  if (quick && !Number.isNaN(a) && !Number.isNaN(b))
    return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  const kind = kindOf(a);
  const order = Math.sign(kind - kindOf(b));
  if (order) return order;
  const [x, y] = (kind === 3 ? [comparableKeyOf(a), comparableKeyOf(b)] : [a, b]) as [number, number];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** What an object is compared by: data by its text, which it has not where a member of it is called `toString`. */
function comparableKeyOf(value: unknown): unknown {
  try {
    return Array.isArray(value) || isPlainObject(value) ? String(value) : value;
  } catch {
    return '';
  }
}

/** `<` is no order between values of several kinds: `10 < '9'`, `'9' < 'a'`, and neither of `10` and `'a'` comes first. */
function kindOf(value: unknown): number {
  if (typeof value === 'string') return 2;
  if (value === null || value === undefined || Number.isNaN(value)) return 0;
  return value instanceof Date ? Number(!Number.isNaN(value.getTime())) : typeof value === 'object' ? 3 : 1;
}

/** A comparator of items by several sorters; undefined where there is nothing to sort by. */
export function createComparator<T>(
  sorters: readonly Sorter[],
  reader: ItemReader<T>,
): ((a: T, b: T) => number) | undefined {
  const parts = sorters.map((sorter): ((a: T, b: T) => number) => {
    const { property, direction, sorterFn } = sorter;
    const sign = direction === 'DESC' ? -1 : 1;
    if (sorterFn) return (a, b) => sign * (sorterFn as (a: T, b: T) => number)(a, b);
    const read = sortedBy(sorter, reader.read(property as string));
    const order = orderOf(compareOf(sorter, reader));
    return (a, b) => sign * order(read(a), read(b));
  });
  const [first] = parts;
  if (parts.length < 2) return first;
  return (a, b) => {
    for (const part of parts) {
      const order = part(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** How a sorter compares, where `<` would not do. The order of a field is that of its own values, not of transformed ones. */
export function compareOf<T>({ property, transform, locale }: Sorter, reader: ItemReader<T>): Order | undefined {
  if (locale) return toCollator(locale)?.compare as Order;
  return transform ? undefined : (reader.compare(property as string) as Order | undefined);
}

/** Reads what a sorter compares, by way of the function that reads its property. */
export function sortedBy<T>({ transform }: Sorter, read: (item: T) => unknown): (item: T) => unknown {
  return transform ? (item) => convertValue(transform, read(item)) : read;
}

/** Converts a value by a function of the application, which is given neither null nor undefined: both stay as they are. */
function convertValue(convert: (value: never) => unknown, value: unknown): unknown {
  return value === null || value === undefined ? value : convert(sealed(value) as never);
}

/** A predicate of items by several filters, all of which must hold; undefined where nothing is filtered. */
export function createPredicate<T>(
  filters: readonly Filter[],
  reader: ItemReader<T>,
): ((item: T) => boolean) | undefined {
  const tests = filters.filter((filter) => !isDisabled(filter)).map((filter) => createTest(filter, reader));
  const [first] = tests;
  return tests.length < 2 ? first : (item) => tests.every((test) => test(item));
}

/** What holds a text in one of some fields, by default those of texts. Throws `UnsupportedQueryError` where there is none. */
export function searchFilter(
  value: string,
  { fields }: RecordModel,
  names: readonly string[] = fields.filter(({ type }) => type === 'string').map(({ name }) => name),
): Filter {
  if (names.length === 0) throw unsupported('local', 'a search (set `searchFields`)');
  return { or: names.map((property) => ({ property, operator: 'like', value })) };
}

function createTest<T>(filter: Filter, reader: ItemReader<T>): (item: T) => boolean {
  const { property, and, or, not, filterFn, convert } = filter;
  if (filterFn) return filterFn as (item: T) => boolean;
  if (and) return createPredicate(and, reader) ?? (() => true);
  if (or) {
    const tests = or.filter((each) => !isDisabled(each)).map((each) => createTest(each, reader));
    return (item) => tests.length === 0 || tests.some((test) => test(item));
  }
  if (not) {
    const test = createPredicate([not], reader);
    return (item) => !test?.(item);
  }
  const read = reader.read(property as string);
  if (convert) {
    const test = createCondition(withConverted(filter, convert), undefined);
    return (item) => test(convertValue(convert, read(item)));
  }
  const test = createCondition(filter, reader.compare(property as string) as Order | undefined);
  return (item) => test(read(item));
}

/** A filter whose value is converted: of a list of values, each one. */
function withConverted(filter: Filter, convert: (value: never) => unknown): Filter {
  const { value } = filter;
  const operator = operatorOf(filter);
  if (operator === 'isNull') return filter;
  const isList = (operator === 'in' || operator === 'nin' || operator === 'between') && Array.isArray(value);
  return {
    ...filter,
    value: isList ? value.map((each) => convertValue(convert, each)) : convertValue(convert, value),
  };
}

/** One condition. Text operators are case-sensitive but for `like`; an order never holds for null (use `isNull`). */
export function createCondition(filter: Filter, own: Order | undefined): (given: unknown) => boolean {
  const value = own ? toText(filter.value) : filter.value;
  const order = orderOf(own);
  const same = (a: unknown, b: unknown) => a === b || (own ? order(a, b) === 0 : isSame(a ?? null, b ?? null));
  const ordered =
    (holds: (order: number) => boolean, than = value) =>
    (given: unknown) =>
      kindOf(given) > 0 && holds(order(given, than));
  const text = (holds: (given: string, value: string) => boolean) => (given: unknown) =>
    given !== null && given !== undefined && holds(String(comparableKeyOf(given)), String(value));
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  switch (operatorOf(filter)) {
    case 'eq':
      return (given) => same(given, value);
    case 'ne':
      return (given) => !same(given, value);
    case 'lt':
      return ordered((each) => each < 0);
    case 'le':
      return ordered((each) => each <= 0);
    case 'gt':
      return ordered((each) => each > 0);
    case 'ge':
      return ordered((each) => each >= 0);
    case 'in':
      return (given) => list.some((each) => same(given, each));
    case 'nin':
      return (given) => !list.some((each) => same(given, each));
    case 'between': {
      const [from, to] = list;
      const [low, high] = [ordered((each) => each >= 0, from), ordered((each) => each <= 0, to)];
      return (given) => low(given) && high(given);
    }
    case 'isNull':
      return (given) => (given === null || given === undefined) === (value !== false);
    case 'contains':
      return text((given, part) => given.includes(part));
    case 'startsWith':
      return text((given, part) => given.startsWith(part));
    case 'endsWith':
      return text((given, part) => given.endsWith(part));
    case 'like':
      return text((given, part) => given.toLowerCase().includes(part.toLowerCase()));
    default:
      throw unsupported('local', `the operator '${filter.operator}'`);
  }
}

/** Numbers as the texts that the records hold. */
function toText(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toText) : typeof value === 'number' ? String(value) : value;
}

/** An order of texts, all else as ever: what is no text may be in any field, as the server sent it. */
export function orderOf(own: Order | undefined): Order {
  return own
    ? (a, b) => (typeof a === 'string' && typeof b === 'string' ? own(a, b) : compareValues(a, b))
    : compareValues;
}
