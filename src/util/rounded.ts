import { type Data, setMember } from './data-path.js';
import { LongNumber } from './long-number.js';
import { isPlainObject } from './values.js';

/**
 * Copies a value, with the nearest JavaScript number instead of each long number. A value without long numbers is returned as it
 * is.
 */
export function rounded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LongNumber) return Number(value);
  if (Array.isArray(value)) {
    const items = value.map(rounded);
    return items.every((item, at) => Object.is(item, value[at])) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  let copy: Data | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const own = rounded(member);
    if (Object.is(own, member)) continue;
    copy ??= { ...value };
    setMember(copy, name, own);
  }
  return copy ?? value;
}
