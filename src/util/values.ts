import { type Data, isObject } from './data-path.js';
import { isSameNumber, LongNumber } from './long-number.js';

/** Whether a value is an object made by a literal or `JSON.parse`. */
export function isPlainObject(value: unknown): value is Data {
  if (!isObject(value)) return false;
  const proto = Object.getPrototypeOf(value) as object | null;
  return proto === null || proto === Object.prototype;
}

/** Whether two field values are the same: `Object.is`, dates by time, long numbers by their digits, arrays and plain objects by content. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Date) return b instanceof Date && Object.is(Number(a), Number(b));
  if (a instanceof LongNumber || b instanceof LongNumber) return isSameNumber(a, b);
  if (!isTree(a) || !isTree(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

function isTree(value: unknown): value is Data {
  return Array.isArray(value) || isPlainObject(value);
}

/** Freezes arrays and plain objects to any depth; everything else is left as it is. */
export function deepFreeze<T>(value: T): T {
  if (isTree(value) && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** What a record hands out or keeps of a value: a date is a copy, plain data is frozen. */
export function sealed<T>(value: T): T {
  if (!isObject(value)) return value;
  return (value instanceof Date ? new Date(value) : deepFreeze(value)) as T;
}

/** A plain object, array or date copied to any depth, so that nobody else's hand is on it. */
export function copyPlain<T>(value: T): T {
  if (value instanceof Date) return new Date(value) as T;
  if (Array.isArray(value)) return value.map((each) => copyPlain(each)) as T;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyPlain(each)])) as T;
}
