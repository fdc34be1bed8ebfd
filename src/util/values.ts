import { type Data, isObject } from './data-path.js';
import { isSameNumber, LongNumber } from './long-number.js';

/** Whether a value is an object without a class, as an object literal or `JSON.parse` makes it. */
export function isPlainObject(value: unknown): value is Data {
  if (typeof value !== 'object' || value === null) return false;
  const proto = Object.getPrototypeOf(value) as object | null;
  return proto === null || proto === Object.prototype;
}

/**
 * Whether two field values are equal: dates by their time, long numbers by their digits, arrays and plain objects by their
 * contents, all others by `Object.is`.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Date) return b instanceof Date && Object.is(Number(a), Number(b));
  if (a instanceof LongNumber || b instanceof LongNumber) return isSameNumber(a, b);
  if (!isTree(a) || !isTree(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) if (!Object.hasOwn(b, name) || !isSame(a[name], b[name])) return false;
  return true;
}

export function isTree(value: unknown): value is Data {
  return Array.isArray(value) || isPlainObject(value);
}

/** Freezes arrays and plain objects at every depth; other values stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (isTree(value) && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Makes a value safe for a record to hand out or to keep: copies a date, and freezes arrays and plain objects. */
export function sealed<T>(value: T): T {
  if (!isObject(value)) return value;
  return (value instanceof Date ? new Date(value) : deepFreeze(value)) as T;
}

/** Copies plain objects, arrays and dates at every depth, so that later changes to the original have no effect on the copy. */
export function copyPlain<T>(value: T): T {
  if (value instanceof Date) return new Date(value) as T;
  if (Array.isArray(value)) return value.map((each) => copyPlain(each)) as T;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyPlain(each)])) as T;
}

/** The previous value if it is equal to the next one, else the next one: a value that did not change stays the same object. */
export function reuse<T>(previous: T | undefined, next: T): T {
  return isSame(previous, next) ? (previous as T) : next;
}

/**
 * Freezes an object of values by name. Members that are equal to those of the previous object stay the same objects, and if all are,
 * the previous object is returned.
 */
export function reuseMembers<T extends object>(previous: T | undefined, next: T): T {
  if (previous === undefined) return Object.freeze(next);
  const names = Object.keys(next) as (keyof T)[];
  let hasChanged = names.length !== Object.keys(previous).length;
  for (const name of names) {
    if (Object.hasOwn(previous, name) && isSame(previous[name], next[name])) next[name] = previous[name];
    else hasChanged = true;
  }
  return hasChanged ? Object.freeze(next) : previous;
}

/** The deepest nesting that is accepted: with deeper data, recursive functions such as `JSON.stringify` would fail. */
export const MAX_DEPTH: number = 1000;

/** Whether arrays and plain objects are nested deeper than {@link MAX_DEPTH} levels, as in a value that contains itself. */
export function isTooDeep(value: unknown, level: number = 0): boolean {
  if (!isTree(value)) return false;
  if (level > MAX_DEPTH) return true;
  for (const each of Object.values(value)) if (isTooDeep(each, level + 1)) return true;
  return false;
}
