import { isPlainObject } from './values.js';

/** The deepest nesting that is accepted: with deeper data, recursive functions such as `JSON.stringify` would fail. */
export const MAX_DEPTH: number = 1000;

/** Whether arrays and plain objects are nested deeper than {@link MAX_DEPTH} levels, as in a value that contains itself. */
export function isTooDeep(value: unknown, level: number = 0): boolean {
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  if (level > MAX_DEPTH) return true;
  for (const each of Object.values(value)) if (isTooDeep(each, level + 1)) return true;
  return false;
}
