import { sendableRemedy } from '../dev/checks.js';
import { StateError } from '../errors/mistakes.js';
import { type DataPath, formatPath, isObject, readPath } from '../util/data-path.js';
import { isFile } from '../util/files.js';
import { isPlainObject } from '../util/values.js';
import type { ValueRefusal } from './field-types.js';

/**
 * Throws `StateError` for a field value that JSON would write as `{}` or leave out, also inside objects and arrays. A value with a
 * `toJSON` method (a date, a record, a `URL`) is always accepted.
 */
export function checkSendable(field: string, value: unknown, lost?: DataPath): void {
  const found = findUnsendable(value) ?? (lost && { kind: String(readPath(value, lost)), path: lost });
  if (!found) return;
  const { kind, path } = found;
  const remedy = sendableRemedy(kind);
  throw new StateError('field', 'field-unsendable', { path: formatPath([field, ...path]), kind, remedy });
}

/**
 * The first number or date that JSON would write as null (NaN, Infinity, an invalid date), at any depth, as the finding about a value of any
 * type; undefined if there is none.
 */
export function findLost(value: unknown): readonly [ValueRefusal & { readonly path: DataPath }] | undefined {
  // Each value stands once, so that neither circles nor values that many places share take long.
  const places = new Map<unknown, DataPath>([[value, []]]);
  for (const [part, path] of places) {
    const type =
      part instanceof Date ? 'date' : typeof part === 'number' || part instanceof Number ? 'number' : undefined;
    if (type && !Number.isFinite(Number(part)) && !Object.hasOwn(part as object, 'toJSON'))
      return [{ code: 'type', params: { type }, path }];
    if (type || !isObject(part) || 'toJSON' in part) continue;
    const isList = Array.isArray(part);
    for (const [name, inside] of Object.entries(part))
      if (!places.has(inside)) places.set(inside, [...path, isList ? Number(name) : name]);
  }
  return undefined;
}

interface Unsendable {
  readonly kind: string;
  /** The path of the refused value inside the field's value. */
  readonly path: DataPath;
}

function findUnsendable(value: unknown): Unsendable | undefined {
  if (typeof value === 'symbol') return { kind: 'symbol', path: [] };
  if (typeof value !== 'function' && !isObject(value)) return undefined;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (typeof value === 'function') return { kind: 'function', path: [] };
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const found = findUnsendable(value[at]);
      if (found) return inside(at, found);
    }
    return undefined;
  }
  // Writers decide about files.
  if (isFile(value)) return undefined;
  if (!isPlainObject(value)) return losesContents(value) ? { kind: kindOf(value), path: [] } : undefined;
  for (const name of Object.keys(value)) {
    const found = findUnsendable(value[name]);
    if (found) return inside(name, found);
  }
  return undefined;
}

function inside(name: string | number, { kind, path }: Unsendable): Unsendable {
  return { kind, path: [name, ...path] };
}

/** Whether JSON would lose the contents of an object of a class, because they are not in own members. */
function losesContents(value: object): boolean {
  const kind = kindOf(value);
  if (/^(Date|Number|String|Boolean)$/.test(kind)) return false;
  return ArrayBuffer.isView(value) || /^(Map|Set|FileList)$/.test(kind) || Object.keys(value).length === 0;
}

/** The platform's name for the kind of an object, also for objects of another realm; for other classes, the name of the class. */
function kindOf(value: object): string {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? (value.constructor?.name ?? kind) : kind;
}
