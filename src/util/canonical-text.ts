import { isObject } from './data-path.js';
import { LongNumber } from './long-number.js';
import { isPlainObject } from './values.js';

/** Names a part of a value that has no text of its own, such as a function. `path` says where it stands: `filters.0.filterFn`. */
export type Naming = (part: object, path: string) => string;

/**
 * A text that two values share only if they are equal: members in the order of their names, without those that are undefined. `nameOf`
 * gives the text of functions and of objects with a class, or throws.
 */
export function canonicalText(value: unknown, nameOf: Naming): string {
  return textOf(value, '', nameOf);
}

function textOf(value: unknown, path: string, nameOf: Naming): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (value === null || (typeof value !== 'function' && !isObject(value))) return String(value);
  if (Array.isArray(value)) return `[${value.map((each, index) => textOf(each, inside(path, index), nameOf)).join()}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof LongNumber) return `Number(${String(value)})`;
  if (!isPlainObject(value)) {
    const { toJSON } = value as { toJSON?: unknown };
    return typeof toJSON === 'function' ? `JSON(${textOf(toJSON.call(value), path, nameOf)})` : nameOf(value, path);
  }
  const names = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name], inside(path, name), nameOf)}`).join()}}`;
}

function inside(path: string, name: string | number): string {
  return path ? `${path}.${name}` : String(name);
}
