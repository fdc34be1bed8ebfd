import { type Data, getMember, isData, setMember } from './data-path.js';
import { LongNumber } from './long-number.js';
import { holdsLong, rounded } from './rounded.js';
import { isPlainObject, isSame } from './values.js';

/** The numbers at one place of a value that JavaScript cannot hold; the items of a list share one place. */
interface Literals {
  /** By the nearest number; undefined where several have the same one. */
  readonly numbers: Map<number, LongNumber | undefined>;
  readonly members: Map<string, Literals>;
  items: Literals | undefined;
}

/**
 * A value that was made from what a record handed out, with the digits that `source` has for its numbers: where a number stands
 * in the same place as before, as the nearest one of what `source` holds there, it is that one. Items of a list keep their digits
 * also in another place of the list.
 */
export function keepLiterals(value: unknown, source: unknown): unknown {
  return holdsLong(source) ? keep(value, source, literalsIn(source, createLiterals())) : value;
}

function createLiterals(): Literals {
  return { numbers: new Map(), members: new Map(), items: undefined };
}

/** Adds what is at a place and inside of it. */
function literalsIn(source: unknown, place: Literals): Literals {
  if (source instanceof LongNumber) {
    const { numbers } = place;
    const near = Number(source);
    const known = numbers.has(near) && numbers.get(near)?.digits !== source.digits;
    numbers.set(near, known ? undefined : source);
  } else if (Array.isArray(source)) {
    for (const item of source) literalsIn(item, (place.items ??= createLiterals()));
  } else if (isData(source)) {
    for (const [name, member] of Object.entries(source)) {
      if (typeof member !== 'object' || member === null) continue;
      let inside = place.members.get(name);
      if (!inside) place.members.set(name, (inside = createLiterals()));
      literalsIn(member, inside);
    }
  }
  return place;
}

/** `aligned` is what stood exactly here, where that is certain. */
function keep(value: unknown, aligned: unknown, place: Literals | undefined): unknown {
  if (!place) return value;
  if (typeof value === 'number') {
    const own = aligned instanceof LongNumber && Object.is(Number(aligned), value) ? aligned : undefined;
    return own ?? place.numbers.get(value) ?? value;
  }
  if (Array.isArray(value)) {
    const sources = Array.isArray(aligned) ? alignItems(value, aligned) : [];
    return value.map((item, at) => keep(item, sources[at], place.items));
  }
  if (!isPlainObject(value)) return value;
  const copy: Data = {};
  for (const [name, member] of Object.entries(value))
    setMember(copy, name, keep(member, getMember(aligned, name), place.members.get(name)));
  return copy;
}

/**
 * The item of the list before that each item of a list was made from; undefined where that is not known. An unchanged item is known
 * by its contents, wherever it stands now. A changed item was made from the one at its place, unless that one has moved or the list
 * has another length; then from the only one that is missing.
 */
function alignItems(value: readonly unknown[], before: readonly unknown[]): unknown[] {
  const byContents = new Map<string, unknown[]>();
  const contents = before.map(contentsOf);
  for (const [at, text] of contents.entries()) {
    const sources = byContents.get(text);
    if (sources) sources.push(before[at]);
    else byContents.set(text, [before[at]]);
  }
  const wanted = value.map(contentsOf);
  const kept = new Set(wanted);
  const missing = before.filter((_, at) => !kept.has(contents[at] as string));
  return wanted.map((text, at) => {
    if (text === contents[at] && value.length === before.length) return before[at];
    const sources = byContents.get(text);
    // Of several that differ only in digits that no number holds, nobody knows which one it is.
    if (sources) return sources.every((source) => isSame(source, sources[0])) ? sources[0] : undefined;
    const isInPlace = value.length === before.length && !kept.has(contents[at] as string);
    if (isInPlace) return before[at];
    return missing.length === 1 ? missing[0] : undefined;
  });
}

/** What an item looks like to the application, which sees the nearest numbers; '' for one that JSON cannot carry. */
function contentsOf(item: unknown): string {
  try {
    return JSON.stringify(rounded(item)) ?? '';
  } catch {
    return '';
  }
}
