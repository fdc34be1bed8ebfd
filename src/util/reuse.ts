import { isSame } from './values.js';

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
