import { unknownProperty, unsupported } from '../errors/unsupported-query-error.js';
import { type Data, getMember } from '../util/data-path.js';
import { isNumeric, LongNumber, numberKey } from '../util/long-number.js';
import { isPlainObject, isSame, isTree, sealed } from '../util/values.js';
import type { RecordModel } from './operation-record.js';
import { type Filter, operatorOf, operators, type Sorter } from './query-parts.js';
import { sortTypeOf, toCollator } from './sort-types.js';

/** Reads the values of items, to sort and filter the items locally. */
export interface ItemReader<T> {
  /** Returns a function that reads a property of an item. Throws `UnsupportedQueryError` if there is no such property. */
  read(property: string): (item: T) => unknown;
  /** Like `read`, to read many items only once: the values that it converts are not cached. */
  peek?(property: string): (item: T) => unknown;
  /** Compares two texts of a property; undefined if `<` gives their order. */
  compare(property: string): ((a: never, b: never) => number) | undefined;
}

/** Reads rows by the fields of their model. Without a model, each member is a property. */
export function rowReader(model: RecordModel | undefined): ItemReader<Readonly<Data>> {
  return {
    read: (property) => {
      const field = model?.field(property);
      if (model && !field) throw unknownProperty(property, model);
      return field ? (row) => field.read(field.raw(row)) : (row) => getMember(row, property);
    },
    compare: (property) => model?.field(property)?.compare,
  };
}

export type Order = (a: unknown, b: unknown) => number;

/**
 * Compares two values. Missing and invalid values (null, undefined, NaN, invalid dates) come first, then numbers and dates, then
 * texts, then other objects; within each of these, `<` decides.
 */
export function compareValues(a: unknown, b: unknown): number {
  // Most comparisons are between two texts or two numbers, and need not determine the kinds of the values.
  const quick = typeof a === 'string' ? typeof b === 'string' : typeof a === 'number' && typeof b === 'number';
  if (quick && !Number.isNaN(a) && !Number.isNaN(b))
    return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  const kind = kindOf(a);
  const order = Math.sign(kind - kindOf(b));
  if (order) return order;
  const [x, y] = (kind === 3 ? [comparableKeyOf(a), comparableKeyOf(b)] : [a, b]) as [number, number];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The value by which an object is compared: the text of plain data, which is '' if a member called `toString` prevents it. */
function comparableKeyOf(value: unknown): unknown {
  try {
    return Array.isArray(value) || isPlainObject(value) ? String(value) : value;
  } catch {
    return '';
  }
}

/**
 * The rank of a value's kind. Between values of different kinds `<` gives no order: `10 < '9'` and `'9' < 'a'`, but neither
 * `10 < 'a'` nor `'a' < 10`.
 */
function kindOf(value: unknown): number {
  if (typeof value === 'string') return 2;
  if (value === null || value === undefined || Number.isNaN(value)) return 0;
  return value instanceof Date ? Number(!Number.isNaN(value.getTime())) : typeof value === 'object' ? 3 : 1;
}

/** A function that compares items by several sorters; undefined if there are no sorters. */
export function createComparator<T>(
  sorters: readonly Sorter[],
  reader: ItemReader<T>,
): ((a: T, b: T) => number) | undefined {
  const parts = sorters.map((sorter): ((a: T, b: T) => number) => {
    const { property, direction, sorterFn } = sorter;
    const sign = direction === 'DESC' ? -1 : 1;
    if (sorterFn) return (a, b) => sign * (sorterFn as (a: T, b: T) => number)(a, b);
    const read = sortedBy(sorter, reader.read(property as string));
    const order = sortOrder(sorter, reader);
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

/**
 * The function by which a sorter compares texts: of its language, else of its field; undefined if `<` gives the order. The order of
 * a field is for its own values, so it is not used for values that the sorter has transformed.
 */
export function compareOf<T>(
  { property, transform, sortType, locale }: Sorter,
  reader: ItemReader<T>,
): Order | undefined {
  if (locale) return toCollator(locale)?.compare as Order;
  return transform || sortType ? undefined : (reader.compare(property as string) as Order | undefined);
}

/**
 * The ascending order of a sorter. The caller turns it for the other direction, so that `nulls`, which hold in either direction, are turned
 * here as well.
 */
export function sortOrder<T>(sorter: Sorter, reader: ItemReader<T>): Order {
  const order = orderOf(compareOf(sorter, reader));
  const { nulls, direction } = sorter;
  if (!nulls) return order;
  const sign = (nulls === 'first') === (direction === 'ASC') ? 1 : -1;
  return (a, b) => {
    const [hasA, hasB] = [Number(kindOf(a) > 0), Number(kindOf(b) > 0)];
    return hasA && hasB ? order(a, b) : sign * (hasA - hasB);
  };
}

/** A function that reads the value that a sorter compares: `read` reads the property, and the sorter may transform its value. */
export function sortedBy<T>({ transform, sortType }: Sorter, read: (item: T) => unknown): (item: T) => unknown {
  const convert = transform ?? sortTypeOf(sortType);
  return convert ? (item) => convertValue(convert, read(item)) : read;
}

/** Converts a value by a function of the application. null and undefined stay as they are. */
function convertValue(convert: (value: never) => unknown, value: unknown): unknown {
  return value === null || value === undefined ? value : convert(sealed(value) as never);
}

/** A function that tests whether an item passes all filters, each of which has an effect; undefined without filters. */
export function createPredicate<T>(
  filters: readonly Filter[],
  reader: ItemReader<T>,
): ((item: T) => boolean) | undefined {
  const tests = filters.map((filter) => createTest(filter, reader));
  const [first] = tests;
  return tests.length < 2 ? first : (item) => tests.every((test) => test(item));
}

/**
 * The filter of a search: at least one of the fields `names` contains the text; by default, these are all fields of type `string`.
 * Throws `UnsupportedQueryError` if there is no field to search.
 */
export function searchFilter(
  value: string,
  { fields }: RecordModel,
  names: readonly string[] = fields.filter(({ type }) => type === 'string').map(({ name }) => name),
): Filter {
  if (names.length === 0)
    throw unsupported('local', 'a search', 'set `searchFields`, as the model has no field of the type string');
  return { or: names.map((property) => ({ property, operator: 'like', value })) };
}

/** A function that tests whether an item passes an active filter. */
function createTest<T>(filter: Filter, reader: ItemReader<T>): (item: T) => boolean {
  const { property, and, or, not, filterFn, convert } = filter;
  if (filterFn) return filterFn as (item: T) => boolean;
  const list = and ?? or;
  if (list) {
    const tests = list.map((each) => createTest(each, reader));
    return and ? (item) => tests.every((test) => test(item)) : (item) => tests.some((test) => test(item));
  }
  if (not) {
    const test = createTest(not, reader);
    return (item) => !test(item);
  }
  const read = reader.read(property as string);
  if (convert) {
    const test = createCondition(withConverted(filter, convert), undefined);
    return (item) => test(convertValue(convert, read(item)));
  }
  const test = createCondition(filter, reader.compare(property as string) as Order | undefined);
  return (item) => test(read(item));
}

/** A filter with a converted value. In the list of `in`, `nin` or `between`, each value is converted. */
function withConverted(filter: Filter, convert: (value: never) => unknown): Filter {
  const { value } = filter;
  const operator = operatorOf(filter);
  if (operator === 'isNull' || operator === 'exists') return filter;
  const isList = (operator === 'in' || operator === 'nin' || operator === 'between') && Array.isArray(value);
  return {
    ...filter,
    value: isList ? value.map((each) => convertValue(convert, each)) : convertValue(convert, value),
  };
}

/**
 * A function that tests whether a value meets the condition of a filter. Text operators are case-sensitive, except `like`. No value
 * is less or greater than null (use `isNull`).
 */
export function createCondition(filter: Filter, compareTexts: Order | undefined): (given: unknown) => boolean {
  const { value } = filter;
  const order = orderOf(compareTexts);
  const same = (a: unknown, b: unknown) => a === b || (compareTexts ? order(a, b) === 0 : isSame(a ?? null, b ?? null));
  const ordered =
    (holds: (order: number) => boolean, than = value) =>
    (given: unknown) =>
      kindOf(given) > 0 && holds(order(given, than));
  type Holds = (given: string, value: string) => boolean;
  const asText = (holds: Holds) => (given: unknown) =>
    given !== null && given !== undefined && holds(String(comparableKeyOf(given)), String(value));
  /** Tests a text; a list passes if one of its members does. */
  const text = (holds: Holds, testMember = asText(holds)) => {
    const test = asText(holds);
    return (given: unknown) => (Array.isArray(given) ? given.some(testMember) : test(given));
  };
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isInList = () => (compareTexts ? orderedValueSet(list, order) : valueSet(list));
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
      return isInList();
    case 'nin': {
      const has = isInList();
      return (given) => !has(given);
    }
    case 'between': {
      if (list.length !== 2)
        throw unsupported(
          'local',
          `the operator 'between' with ${list.length} ${list.length === 1 ? 'value' : 'values'}`,
          'give both ends, or use `ge` or `le` for one end',
        );
      const [from, to] = list;
      const [low, high] = [ordered((each) => each >= 0, from), ordered((each) => each <= 0, to)];
      return (given) => low(given) && high(given);
    }
    case 'isNull':
      return (given) => (given === null || given === undefined) === (value !== false);
    case 'exists':
      return (given) => (given !== undefined) === (value !== false);
    case 'contains':
      return text(
        (given, part) => given.includes(part),
        (member) => same(member, value),
      );
    case 'startsWith':
      return text((given, part) => given.startsWith(part));
    case 'endsWith':
      return text((given, part) => given.endsWith(part));
    case 'like':
      return text((given, part) => given.toLowerCase().includes(part.toLowerCase()));
    default:
      throw unsupported(
        'local',
        `the operator '${filter.operator}'`,
        `use one of ${operators().join(', ')}, or a \`filterFn\``,
      );
  }
}

/** Compares two texts by `compareTexts`, all other values by {@link compareValues}: a server may send any value for any field. */
export function orderOf(compareTexts: Order | undefined): Order {
  return compareTexts
    ? (a, b) => (typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : compareValues(a, b))
    : compareValues;
}

/**
 * A function that tells whether a value is equal to an item of a list: null and undefined are equal, all others as `isSame` says, and 0
 * as -0. A look-up takes the same time for lists of any length.
 */
function valueSet(list: readonly unknown[]): (value: unknown) => boolean {
  // A set compares its items by identity, but takes NaN as equal to NaN, and 0 as equal to -0.
  const items = new Set<unknown>();
  const times = new Set<number>();
  const longNumbers = new Set<string>();
  const trees = new Map<string, unknown[]>();
  for (const item of list) {
    items.add(item ?? null);
    if (item instanceof Date) times.add(item.getTime());
    else if (item instanceof LongNumber) longNumbers.add(numberKey(item));
    else if (isTree(item)) {
      const text = textOf(item);
      const equal = trees.get(text);
      if (equal) equal.push(item);
      else trees.set(text, [item]);
    }
  }
  let numbers: Set<string> | undefined;
  /** The numbers of the list, for a number that JavaScript cannot hold: these are few, so most lists never need them. */
  const numberKeys = () => (numbers ??= new Set(list.filter(isNumeric).map(numberKey)));
  return (value) => {
    if (items.has(value ?? null)) return true;
    if (typeof value === 'number') return longNumbers.size > 0 && longNumbers.has(numberKey(value));
    if (typeof value !== 'object' || value === null) return false;
    if (value instanceof Date) return times.has(value.getTime());
    if (value instanceof LongNumber) return numberKeys().has(numberKey(value));
    if (trees.size === 0 || !isTree(value)) return false;
    return trees.get(textOf(value))?.some((each) => isSame(each, value)) ?? false;
  };
}

/**
 * The same for texts that have an order of their own, such as decimals: equal is what compares as equal. The list is sorted once, so
 * that a look-up compares with few of its items.
 */
function orderedValueSet(
  list: readonly unknown[],
  order: (a: unknown, b: unknown) => number,
): (value: unknown) => boolean {
  // Objects of different classes have no common order, so these, which are rare, are compared one by one.
  const objects = list.filter(isOther);
  const sorted = list.filter((item) => !isOther(item)).sort(order);
  return (value) => {
    if (isOther(value)) return objects.some((each) => order(each, value) === 0);
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const found = order(sorted[middle], value);
      if (found === 0) return true;
      if (found < 0) from = middle + 1;
      else to = middle;
    }
    return false;
  };
}

function isOther(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** A text that is the same for arrays and plain objects with the same contents; others may have it too. */
function textOf(value: unknown): string {
  if (isNumeric(value)) return String(Number(value));
  if (value instanceof Date) return String(value.getTime());
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isPlainObject(value)) return typeof value === 'object' ? 'object' : String(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${name}:${textOf(value[name])}`).join()}}`;
}
