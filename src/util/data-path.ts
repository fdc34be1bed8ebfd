import { LongNumber } from './long-number.js';

/** The members that lead to a value: `a.b[0].c` is `['a', 'b', 0, 'c']`, the number a place in a list. */
export type DataPath = readonly (string | number)[];

/** Any object read as data. */
export type Data = Record<string, unknown>;

/** A name in quotes, in which `\` takes the next character as it is. */
const QUOTED = /\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g;

/** Splits `a.b[0]['c-d']` into its members. A text with a malformed quoted name is one member; see {@link isPath}. */
export function parsePath(text: string): DataPath {
  return splitQuoted(text) ?? [text];
}

/** Whether a text is a path: its quoted names are closed, and a `.`, a `[` or nothing follows each. */
export function isPath(text: string): boolean {
  return splitQuoted(text) !== undefined;
}

/** A path as a text that {@link parsePath} splits into the same members. */
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

/** The members in a text before, between or behind quoted names; undefined where they are not set apart from these. */
function splitBetween(text: string, first: boolean): DataPath | undefined {
  if (text === '') return [];
  // A name to begin with makes `.b` and `[0]` what they are in a whole path.
  const members = splitPlain(first ? text : `_${text}`);
  const malformed = /\[['"]/.test(text) || members.includes('') || (!first && members[0] !== '_');
  return malformed ? undefined : members.slice(first ? 0 : 1);
}

function splitPlain(text: string): DataPath {
  // Most paths are one name.
  if (!/[.[]/.test(text)) return [text];
  return text
    .replace(/\[(\w+)\]/g, '.[$1]')
    .split('.')
    .map((name) => (/^\[\d{1,9}\]$/.test(name) ? Number(name.slice(1, -1)) : name.replace(/^\[(\w+)\]/, '$1')));
}

/** Whether a value is an object; an array is one, a long number is a number. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof LongNumber);
}

/** Whether a value is an object that is no array. */
export function isData(value: unknown): value is Data {
  return isObject(value) && !Array.isArray(value);
}

/** Sets an own member, also one that is called `__proto__`. */
export function setMember(target: object, name: string | number, value: unknown): void {
  if (name === '__proto__') defineMember(target, name, value);
  else (target as Data)[name] = value;
}

/** Defines an own member as if it were assigned, whatever it is called. */
export function defineMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Sets the members of an object; what is no object has none. */
export function setMembers(target: object, members: unknown): void {
  if (isData(members)) for (const [name, value] of Object.entries(members)) setMember(target, name, value);
}

/** An own member, never one of a prototype: member names are data. */
export function getMember(source: unknown, name: string | number): unknown {
  return hasMember(source, name) ? source[name] : undefined;
}

function hasMember(source: unknown, name: string | number): source is Data {
  return isObject(source) && Object.hasOwn(source, name);
}

/** The value at a path; undefined where the path ends early. */
export function readPath(source: unknown, path: DataPath): unknown {
  let value = source;
  for (const name of path) value = getMember(value, name);
  return value;
}

/** Whether the last member of a path is there. */
export function hasPath(source: unknown, path: DataPath): boolean {
  return path.length === 0 || hasMember(readPath(source, path.slice(0, -1)), path.at(-1) as string);
}

/** A copy of `source` in which the path holds `value`: objects and arrays along the path are copied, the rest is shared. */
export function withPath(source: unknown, path: DataPath, value: unknown): unknown {
  const [name] = path;
  if (name === undefined) return value;
  const copy = copyFor(source, name);
  writePath(copy, path, value);
  return copy;
}

/** Writes into `target`, which is the caller's own copy; objects deeper along the path are copied first. */
export function writePath(target: object, [name = '', ...rest]: DataPath, value: unknown): void {
  setMember(target, name, withPath(getMember(target, name), rest, value));
}

/**
 * Removes a member of `target`, which is the caller's own copy; objects deeper along the path are copied first. An item of a list
 * stays: it cannot be left out without moving the others, or leaving null in its place.
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

/** A copy that can take a member: a list takes places only (`[]` is how some servers write an empty object). */
function copyFor(value: unknown, name: string | number): object {
  const list = Array.isArray(value)
    ? /^\d+$/.test(String(name))
    : (value ?? null) === null && (name === '0' || typeof name === 'number');
  return list ? [...((value ?? []) as unknown[])] : isObject(value) ? { ...value } : {};
}
