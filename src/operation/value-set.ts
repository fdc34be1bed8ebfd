import { isNumeric, LongNumber, numberKey } from '../util/long-number.js';
import { isPlainObject, isSame, isTree } from '../util/values.js';

/**
 * A function that tells whether a value is equal to an item of a list: null and undefined are equal, all others as `isSame` says, and 0
 * as -0. A look-up takes the same time for lists of any length.
 */
export function valueSet(list: readonly unknown[]): (value: unknown) => boolean {
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
export function orderedValueSet(
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
