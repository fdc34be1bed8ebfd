import { getMember, isObject, setMember } from './data-path.js';
import { LongNumber } from './long-number.js';
import { rounded } from './rounded.js';
import { isSame, isTree } from './values.js';

/**
 * Long numbers (numbers that JavaScript cannot hold) by their place in a value and the number that JavaScript rounds them to; undefined
 * if different long numbers at one place are rounded to the same number.
 */
type LongNumbers = Map<string, LongNumber | undefined>;

/**
 * Restores the digits of long numbers in a value. Records hand out rounded numbers, so a value that an application makes from them
 * has lost digits that `source` still has. A number gets its digits back if `source` has, at the same place, a long number that is
 * rounded to it. Array items get their digits back at any index.
 */
export function restoreDigits(value: unknown, source: unknown): unknown {
  if (rounded(source) === source) return value;
  const found: LongNumbers = new Map();
  collect(source, '', found);
  return restoreAt(value, source, '', found);
}

/** Adds the long numbers of `source` and of its members to `found`, and the places of its objects and arrays. */
function collect(source: unknown, place: string, found: LongNumbers): void {
  if (source instanceof LongNumber) {
    const key = keyOf(place, Number(source));
    const isAmbiguous = found.has(key) && found.get(key)?.digits !== source.digits;
    found.set(key, isAmbiguous ? undefined : source);
  } else if (isObject(source)) {
    found.set(place, undefined);
    for (const [name, member] of Object.entries(source)) collect(member, inside(place, source, name), found);
  }
}

/** The place of a member; its length keeps a name apart from what follows. The items of an array share one place. */
function inside(place: string, container: object, name: string): string {
  return place + (Array.isArray(container) ? '[]' : `${name.length}.${name}`);
}

function keyOf(place: string, nearest: number): string {
  return `${place} ${nearest}`;
}

/** Restores digits at one place. `aligned` is the value that the source has exactly here; undefined if that is not certain. */
function restoreAt(value: unknown, aligned: unknown, place: string, found: LongNumbers): unknown {
  if (typeof value === 'number') {
    const own = aligned instanceof LongNumber && Object.is(Number(aligned), value) ? aligned : undefined;
    return own ?? found.get(keyOf(place, value)) ?? value;
  }
  if (!isTree(value) || !found.has(place)) return value;
  const isList = Array.isArray(value);
  const sources = isList ? Array.isArray(aligned) && alignItems(value, aligned) : aligned;
  const copy: object = isList ? [] : {};
  for (const [name, member] of Object.entries(value))
    setMember(copy, name, restoreAt(member, getMember(sources, name), inside(place, value, name), found));
  return copy;
}

/**
 * Finds, for each item of an array, the earlier item that it was made from; undefined if that is not certain. An unchanged item is
 * found by its contents, at any index. A changed item was made from the earlier item at its index; if that item has moved, or the
 * array has another length, it was made from the only earlier item that is missing now.
 */
function alignItems(value: readonly unknown[], before: readonly unknown[]): unknown[] {
  const byContents = new Map<string, unknown[]>();
  const contentsBefore = before.map(contentsOf);
  for (const [at, text] of contentsBefore.entries()) {
    const sources = byContents.get(text);
    if (sources) sources.push(before[at]);
    else byContents.set(text, [before[at]]);
  }
  const contentsNow = value.map(contentsOf);
  const presentContents = new Set(contentsNow);
  const missing = before.filter((_, at) => !presentContents.has(contentsBefore[at] as string));
  return contentsNow.map((text, at) => {
    if (text === contentsBefore[at] && value.length === before.length) return before[at];
    const sources = byContents.get(text);
    // Items that differ only in lost digits look the same to the application, so it is not certain which one this is.
    if (sources) return sources.every((source) => isSame(source, sources[0])) ? sources[0] : undefined;
    const isInPlace = value.length === before.length && !presentContents.has(contentsBefore[at] as string);
    if (isInPlace) return before[at];
    return missing.length === 1 ? missing[0] : undefined;
  });
}

/** The JSON of an item as the application sees it, with rounded numbers; '' if JSON cannot represent the item. */
function contentsOf(item: unknown): string {
  try {
    return JSON.stringify(rounded(item)) ?? '';
  } catch {
    return '';
  }
}
