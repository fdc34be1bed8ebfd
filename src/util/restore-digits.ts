import { type Data, getMember, isData, setMember } from './data-path.js';
import { LongNumber } from './long-number.js';
import { rounded } from './rounded.js';
import { isPlainObject, isSame } from './values.js';

/** The long numbers (numbers that JavaScript cannot hold) at one place of a value. All items of an array share one place. */
interface LongNumbers {
  /**
   * Long numbers by the number that JavaScript rounds them to; undefined if different long numbers are rounded to the same
   * number.
   */
  readonly numbers: Map<number, LongNumber | undefined>;
  readonly members: Map<string, LongNumbers>;
  items: LongNumbers | undefined;
}

/**
 * Restores the digits of long numbers in a value. Records hand out rounded numbers, so a value that an application makes from them
 * has lost digits that `source` still has. A number gets its digits back if `source` has, at the same place, a long number that is
 * rounded to it. Array items get their digits back at any index.
 */
export function restoreDigits(value: unknown, source: unknown): unknown {
  return rounded(source) === source ? value : restoreAt(value, source, collectLongNumbers(source, createLongNumbers()));
}

function createLongNumbers(): LongNumbers {
  return { numbers: new Map(), members: new Map(), items: undefined };
}

/** Adds the long numbers of `source` and of its members to `place`, which is returned. */
function collectLongNumbers(source: unknown, place: LongNumbers): LongNumbers {
  if (source instanceof LongNumber) {
    const { numbers } = place;
    const nearest = Number(source);
    const isAmbiguous = numbers.has(nearest) && numbers.get(nearest)?.digits !== source.digits;
    numbers.set(nearest, isAmbiguous ? undefined : source);
  } else if (Array.isArray(source)) {
    for (const item of source) collectLongNumbers(item, (place.items ??= createLongNumbers()));
  } else if (isData(source)) {
    for (const [name, member] of Object.entries(source)) {
      if (typeof member !== 'object' || member === null) continue;
      let inside = place.members.get(name);
      if (!inside) place.members.set(name, (inside = createLongNumbers()));
      collectLongNumbers(member, inside);
    }
  }
  return place;
}

/** Restores digits at one place. `aligned` is the value that the source has exactly here; undefined if that is not certain. */
function restoreAt(value: unknown, aligned: unknown, place: LongNumbers | undefined): unknown {
  if (!place) return value;
  if (typeof value === 'number') {
    const own = aligned instanceof LongNumber && Object.is(Number(aligned), value) ? aligned : undefined;
    return own ?? place.numbers.get(value) ?? value;
  }
  if (Array.isArray(value)) {
    const sources = Array.isArray(aligned) ? alignItems(value, aligned) : [];
    return value.map((item, at) => restoreAt(item, sources[at], place.items));
  }
  if (!isPlainObject(value)) return value;
  const copy: Data = {};
  for (const [name, member] of Object.entries(value))
    setMember(copy, name, restoreAt(member, getMember(aligned, name), place.members.get(name)));
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
