import { type Data, getMember, isData, setMember } from './data-path.js';
import { LongNumber } from './long-number.js';
import { holdsLong } from './rounded.js';
import { isPlain } from './values.js';

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
    // In a list of another length, nobody knows which item is which.
    const same = Array.isArray(aligned) && aligned.length === value.length ? (aligned as unknown[]) : undefined;
    return value.map((item, at) => keep(item, same?.[at], place.items));
  }
  if (!isPlain(value)) return value;
  const copy: Data = {};
  for (const [name, member] of Object.entries(value))
    setMember(copy, name, keep(member, getMember(aligned, name), place.members.get(name)));
  return copy;
}
