import { LongNumber } from './long-number.js';

/** The member names that lead to a value: `a.b[0].c` is `['a', 'b', 0, 'c']`. A number is the index of an array item. */
export type DataPath = readonly (string | number)[];

/** An object that is read as data, whatever its class. */
export type Data = Record<string, unknown>;

/** Matches a quoted name in brackets, such as `['c-d']`. Inside the quotes, `\` escapes the next character. */
const QUOTED = /\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g;

/**
 * Splits a path such as `a.b[0]['c-d']` into names. If a quoted name is malformed, the whole text is one name; see {@link
 * isPath}.
 */
export function parsePath(text: string): DataPath {
  // Most paths are a single name, which needs no regular expression to split.
  return /[.[]/.test(text) ? (splitQuoted(text) ?? [text]) : [text];
}

/** Whether a text is a well-formed path: each quoted name is closed, and is followed by `.`, `[` or the end of the text. */
export function isPath(text: string): boolean {
  return splitQuoted(text) !== undefined;
}

/** Writes a path as a text that {@link parsePath} splits into the same names. */
export function formatPath(path: DataPath): string {
  return path.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    if (/[.[\]'"\\]/.test(name) || name === '') return `${text}['${name.replace(/['\\]/g, '\\$&')}']`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function splitQuoted(text: string): DataPath | undefined {
  if (!/\[['"]/.test(text)) return splitPlain(text);
  const path: (string | number)[] = [];
  let end = 0;
  for (const match of text.matchAll(QUOTED)) {
    const between = splitBetween(text.slice(end, match.index), end === 0);
    if (!between) return undefined;
    path.push(...between, (match[1] ?? (match[2] as string)).replace(/\\(.)/gs, '$1'));
    end = match.index + match[0].length;
  }
  const rest = splitBetween(text.slice(end), end === 0);
  return rest && [...path, ...rest];
}

/** Splits the text before, between or after quoted names. Returns undefined if no `.` or `[` separates it from these names. */
function splitBetween(text: string, first: boolean): DataPath | undefined {
  if (text === '') return [];
  // `.b` and `[0]` are valid only after a name, so a placeholder name is put in front and removed again.
  const members = splitPlain(first ? text : `_${text}`);
  const malformed = /\[['"]/.test(text) || members.includes('') || (!first && members[0] !== '_');
  return malformed ? undefined : members.slice(first ? 0 : 1);
}

function splitPlain(text: string): DataPath {
  return text
    .replace(/\[(\w+)\]/g, '.[$1]')
    .split('.')
    .map((name) => (/^\[\d{1,9}\]$/.test(name) ? Number(name.slice(1, -1)) : name.replace(/^\[(\w+)\]/, '$1')));
}

/** Whether a value is an object or an array. A `LongNumber` counts as a number. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof LongNumber);
}

/** Whether a value is an object, but not an array. */
export function isData(value: unknown): value is Data {
  return isObject(value) && !Array.isArray(value);
}

/** Sets an own member, even if its name is `__proto__`. */
export function setMember(target: object, name: string | number, value: unknown): void {
  if (name === '__proto__') defineMember(target, name, value);
  else (target as Data)[name] = value;
}

/**
 * Defines an own member that can be read and written like an assigned one. The name `__proto__` does not change the prototype.
 */
export function defineMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Copies all members of the object `members` to `target`. Does nothing if `members` is not an object. */
export function setMembers(target: object, members: unknown): void {
  if (isData(members)) for (const [name, value] of Object.entries(members)) setMember(target, name, value);
}

/** Reads an own member, never a member of a prototype: member names are data from a server. */
export function getMember(source: unknown, name: string | number): unknown {
  return isObject(source) && Object.hasOwn(source, name) ? (source as Data)[name] : undefined;
}

/** The value at a path; undefined if a member on the way is missing. */
export function readPath(source: unknown, path: DataPath): unknown {
  let value = source;
  for (const name of path) value = getMember(value, name);
  return value;
}

/** Whether a path leads to an own member, also if its value is undefined. */
export function hasPath(source: unknown, path: DataPath): boolean {
  const holder = readPath(source, path.slice(0, -1));
  return path.length === 0 || (isObject(holder) && Object.hasOwn(holder, path.at(-1) as string));
}

/** A copy of `source` in which the path holds `value`: objects and arrays along the path are copied, the rest is shared. */
export function withPath(source: unknown, path: DataPath, value: unknown): unknown {
  const [name] = path;
  if (name === undefined) return value;
  const copy = copyFor(source, name);
  writePath(copy, path, value);
  return copy;
}

/** Writes a value at a path of `target`, which must be the caller's own copy. Deeper objects along the path are copied first. */
export function writePath(target: object, [name = '', ...rest]: DataPath, value: unknown): void {
  setMember(target, name, withPath(getMember(target, name), rest, value));
}

/**
 * Removes the member at a path of `target`, which must be the caller's own copy. Deeper objects along the path are copied first.
 * An array item stays, because its removal would move the other items or leave null in its place.
 */
export function deletePath(target: Data, path: DataPath): void {
  if (!hasPath(target, path) || Array.isArray(readPath(target, path.slice(0, -1)))) return;
  const [name = '', ...rest] = path;
  if (rest[0] === undefined) delete target[name];
  else {
    const inner = copyFor(target[name], rest[0]) as Data;
    deletePath(inner, rest);
    setMember(target, name, inner);
  }
}

/**
 * Copies a value so that a member can be written to the copy. An array stays an array only if `name` is an index, because some
 * servers write an empty object as `[]`. A missing value becomes an array if `name` is an index, else an object.
 */
function copyFor(value: unknown, name: string | number): object {
  const list = Array.isArray(value)
    ? /^\d+$/.test(String(name))
    : (value ?? null) === null && (name === '0' || typeof name === 'number');
  return list ? [...((value ?? []) as unknown[])] : isObject(value) ? { ...value } : {};
}
