import type { Plain, PlainValues } from './recording.js';

/** Deepest nesting, most members of one object, most values and most characters of one text that a copy has. */
const DEEPEST = 12;
const MOST_MEMBERS = 200;
const MOST_VALUES = 5_000;
const LONGEST_TEXT = 10_000;

/** A copy while it is made. */
interface Copying {
  readonly parents: Set<object>;
  /** The number of values that may still be copied. */
  left: number;
}

/**
 * A copy of any value that JSON can carry, and that holds on to nothing of the application. Values may be hostile: cycles, getters that throw,
 * huge lists and texts are cut, and say so. Nothing is consumed. Never throws.
 */
export function plainOf(value: unknown): Plain {
  return copy(value, { parents: new Set(), left: MOST_VALUES });
}

/** The same for an object whose members are values by name. */
export function plainValues(value: unknown): PlainValues {
  const copied = plainOf(value);
  return typeof copied === 'object' && copied !== null && !Array.isArray(copied) ? (copied as PlainValues) : {};
}

/** Any value as a text. Never throws. */
export function plainText(value: unknown): string {
  const copied = plainOf(value);
  return typeof copied === 'string' ? copied : JSON.stringify(copied);
}

/** The beginning of a text, which does not keep the whole text in memory, as a slice of it does. */
export function beginningOf(text: string, length: number): string {
  return text.length > length ? ` ${text.slice(0, length)}`.slice(1) : text;
}

function copy(value: unknown, copying: Copying): Plain {
  copying.left -= 1;
  if (copying.left < 0) return '(too many values)';
  switch (typeof value) {
    case 'string':
      return value.length > LONGEST_TEXT ? `${beginningOf(value, LONGEST_TEXT)}… (${value.length} characters)` : value;
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
      return value === null ? null : copyObject(value as object, copying);
  }
}

function copyObject(value: object, copying: Copying): Plain {
  const { parents } = copying;
  if (parents.has(value)) return '(cycle)';
  if (parents.size >= DEEPEST) return '(too deep)';
  parents.add(value);
  try {
    return platformValue(value) ?? copyMembers(value, copying);
  } catch {
    return '(not readable)';
  } finally {
    parents.delete(value);
  }
}

/** Values of the platform that have no members of their own, or too many. */
function platformValue(value: object): Plain | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return `${plainText(value.name)}: ${plainText(value.message)}`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `(${value.byteLength} bytes)`;
  if (typeof Blob === 'function' && value instanceof Blob)
    return `(${(value as Blob & { readonly name?: string }).name ?? 'blob'}, ${value.size} bytes)`;
  if (typeof FormData === 'function' && value instanceof FormData) return '(form)';
  if (typeof ReadableStream === 'function' && value instanceof ReadableStream) return '(stream)';
  if (typeof URLSearchParams === 'function' && value instanceof URLSearchParams) return value.toString();
  return undefined;
}

function copyMembers(value: object, copying: Copying): Plain {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copy(toJSON.call(value), copying);
  if (value instanceof Map || value instanceof Set) return copyList(value as Iterable<unknown>, value.size, copying);
  if (Array.isArray(value)) return copyList(value, value.length, copying);
  const names = Object.keys(value);
  const entries: [string, Plain][] = [];
  for (const [at, name] of names.entries()) {
    if (entries.length === MOST_MEMBERS) {
      entries.push(['…', `${names.length - at} more members`]);
      break;
    }
    const member = readMember(value, name);
    // JSON leaves such members out.
    if (member !== undefined) entries.push([name, member === UNREADABLE ? '(not readable)' : copy(member, copying)]);
  }
  return Object.fromEntries(entries);
}

const UNREADABLE = Symbol('not readable');

/** The value of a member, read once: a getter may do anything. */
function readMember(value: object, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return UNREADABLE;
  }
}

function copyList(values: Iterable<unknown>, length: number, copying: Copying): Plain {
  const copied: Plain[] = [];
  for (const each of values) {
    if (copied.length === MOST_MEMBERS) {
      copied.push(`… ${length - MOST_MEMBERS} more`);
      break;
    }
    copied.push(copy(each, copying));
  }
  return copied;
}
