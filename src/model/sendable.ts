import { StateError } from '../errors/state-error.js';
import { type DataPath, formatPath, isObject } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';

/** What a developer can do about a value that JSON cannot carry, by its kind. */
const remedies: Readonly<Record<string, string>> = {
  Map: 'set an object instead (`Object.fromEntries(map)`)',
  Set: 'set an array instead (`[...set]`)',
  Blob: 'send files with `fetch` and a `FormData` body',
  File: 'send files with `fetch` and a `FormData` body',
  Promise: 'set what it resolves to (`await` it first)',
  function: 'set a value; behaviour belongs into the class body',
  symbol: 'set a text instead',
};

/**
 * Throws `StateError` for a value of a field that JSON would turn into `{}` or leave out, also inside objects and arrays. Values with
 * a `toJSON` (dates, records, `URL`) say themselves what is sent.
 */
export function checkSendable(field: string, value: unknown): void {
  const found = findUnsendable(value);
  if (!found) return;
  const { kind, path } = found;
  const remedy = remedies[kind] ?? 'set plain data instead';
  throw new StateError('field', 'field-unsendable', { path: formatPath([field, ...path]), kind, remedy });
}

interface Unsendable {
  readonly kind: string;
  /** Where it lies inside the value, from the outermost member to the innermost. */
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

/** Whether JSON would show nothing of an object of some class: it keeps its contents elsewhere than in own members. */
function losesContents(value: object): boolean {
  const kind = kindOf(value);
  if (/^(Date|Number|String|Boolean)$/.test(kind)) return false;
  return ArrayBuffer.isView(value) || /^(Map|Set|Blob|File)$/.test(kind) || Object.keys(value).length === 0;
}

/** The platform's name for the kind of an object, also of one from another realm; of an application's class, the class's. */
function kindOf(value: object): string {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? (value.constructor?.name ?? kind) : kind;
}
