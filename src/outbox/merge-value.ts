import { type Data, getMember, isData, setMember } from '../util/data-path.js';
import { isSame } from '../util/values.js';

/**
 * Writes what was edited in a value into the value that the server has now: members of objects and items of lists that were not edited
 * are taken from the server. `base` is the value before the edit. Undefined is a missing value.
 */
export function mergeValue(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) return mergeItems(base, mine, theirs);
  const sides = [base, mine, theirs];
  if (!sides.every(isData)) return mine;
  const merged: Data = {};
  for (const name of Object.keys({ ...sides[2], ...sides[1] })) {
    const [before, own, now] = sides.map((side) => getMember(side, name));
    const value = mergeValue(before, own, now);
    if (value !== undefined) setMember(merged, name, value);
  }
  return merged;
}

type List = readonly unknown[];

/** Items are told apart by their places, which say nothing once the server has added, removed or moved items: then the list is as it was saved. */
function mergeItems(base: List, mine: List, theirs: List): List {
  // The place in `base` of each item: its own one, else that of an equal item which the list does not have at its place.
  const placesIn = (list: List) =>
    list.map((item, at) => {
      const isMoved = (each: unknown, place: number) => isSame(each, item) && !isSame(each, list[place]);
      return isSame(item, base[at]) ? at : base.findIndex(isMoved);
    });
  if (base.length !== theirs.length || placesIn(theirs).some((place, at) => place !== at && place >= 0)) return mine;
  return placesIn(mine).map((found, at, places) => {
    const place = found < 0 && !places.includes(at) ? at : found;
    return mergeValue(base[place], mine[at], theirs[place]);
  });
}
