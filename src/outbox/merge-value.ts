import { isPlainObject, isSame } from '../util/values.js';

/**
 * Writes what was edited in a value into the value that the server has now: members of objects and items of lists that were not edited
 * are taken from the server. `base` is the value before the edit.
 */
export function mergeValue(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) return mergeList(base, mine, theirs);
  if (!isPlainObject(base) || !isPlainObject(mine) || !isPlainObject(theirs)) return mine;
  const merged: Record<string, unknown> = {};
  for (const name of Object.keys({ ...theirs, ...mine })) {
    const isRemoved = Object.hasOwn(base, name) && !Object.hasOwn(mine, name);
    if (!isRemoved)
      Object.defineProperty(merged, name, { ...OWN, value: mergeValue(base[name], mine[name], theirs[name]) });
  }
  return merged;
}

/** A list as it was saved, with the members that the server has added to its items since, such as their ids. */
function mergeList(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[],
): unknown[] | unknown {
  // Items can be told apart by their places only while there are as many of them.
  if (base.length !== theirs.length) return mine;
  const used = new Set<number>();
  const placeOf = mine.map((item) => {
    const at = base.findIndex((each, place) => !used.has(place) && isSame(each, item));
    if (at >= 0) used.add(at);
    return at;
  });
  return mine.map((item, at) => {
    const place = placeOf[at] as number;
    if (place >= 0) return theirs[place];
    if (at >= base.length || used.has(at)) return item;
    used.add(at);
    return mergeValue(base[at], item, theirs[at]);
  });
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;
