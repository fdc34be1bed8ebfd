import type { Plain, PlainValues } from './recording.js';

/** Deepest nesting, most members of one object and most characters of one text that a copy has. */
const DEEPEST = 12;
const MOST_MEMBERS = 200;
const LONGEST_TEXT = 10_000;

/**
 * A copy of any value that JSON can carry, and that holds on to nothing of the application. Values may be hostile: cycles, getters that throw,
 * huge lists and texts are cut, and say so. Never throws.
 */
export function plainOf(value: unknown): Plain {
  return copy(value, new Set());
}

/** The same for an object whose members are values by name. */
export function plainValues(value: unknown): PlainValues {
  const copied = plainOf(value);
  return typeof copied === 'object' && copied !== null && !Array.isArray(copied) ? (copied as PlainValues) : {};
}

function copy(value: unknown, parents: Set<object>): Plain {
  switch (typeof value) {
    case 'string':
      return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)` : value;
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'undefined':
      return null;
    case 'function':
    case 'symbol':
      return `(${typeof value})`;
    default:
      return value === null ? null : copyObject(value as object, parents);
  }
}

function copyObject(value: object, parents: Set<object>): Plain {
  if (parents.has(value)) return '(cycle)';
  if (parents.size >= DEEPEST) return '(too deep)';
  parents.add(value);
  try {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return copy(toJSON.call(value), parents);
    if (typeof Blob === 'function' && value instanceof Blob)
      return `(${(value as Blob & { readonly name?: string }).name ?? 'blob'}, ${value.size} bytes)`;
    if (value instanceof Map || value instanceof Set) return copyList([...value] as unknown[], parents);
    if (Array.isArray(value)) return copyList(value, parents);
    const names = Object.keys(value).filter((name) => !isUndefined(value, name));
    const entries = names.slice(0, MOST_MEMBERS).map((name): [string, Plain] => [name, member(value, name, parents)]);
    if (names.length > MOST_MEMBERS) entries.push(['…', `${names.length - MOST_MEMBERS} more members`]);
    return Object.fromEntries(entries);
  } catch {
    return '(not readable)';
  } finally {
    parents.delete(value);
  }
}

/** Whether JSON leaves a member out. */
function isUndefined(value: object, name: string): boolean {
  try {
    return (value as Readonly<Record<string, unknown>>)[name] === undefined;
  } catch {
    return false;
  }
}

function copyList(values: readonly unknown[], parents: Set<object>): Plain {
  const copied = values.slice(0, MOST_MEMBERS).map((each) => copy(each, parents));
  return values.length > MOST_MEMBERS ? [...copied, `… ${values.length - MOST_MEMBERS} more`] : copied;
}

function member(value: object, name: string, parents: Set<object>): Plain {
  try {
    return copy((value as Readonly<Record<string, unknown>>)[name], parents);
  } catch {
    return '(not readable)';
  }
}
