import { wrongValue } from '../errors/option-rules.js';
import { type DataPath, isObject } from '../util/data-path.js';
import { isFile } from '../util/files.js';
import { isPlainObject } from '../util/values.js';
import type { FormNames, FormTexts } from '../writer/json-writer.js';

/** A named value of a form. */
export type FormEntry = readonly [name: string, value: string | Blob];

/** Options of {@link formEntries}. */
interface FormOptions {
  readonly names: FormNames | undefined;
  readonly texts: FormTexts;
  /** Creates the error for a value that a form cannot carry. */
  readonly refuse: (code: FormRefusal, path: DataPath) => Error;
}

/** Why a form cannot carry a value. */
export type FormRefusal = 'form-nested' | 'form-empty' | 'form-name' | 'form-text' | 'form-depth' | 'form-body';

/** Data is never nested deeper, unless it contains itself. */
const MAX_DEPTH = 100;

/** The names and values of a form, in the order of the members. Members that are undefined are left out, as in JSON. */
export function formEntries(body: unknown, options: FormOptions): FormEntry[] {
  const entries: FormEntry[] = [];
  if (!isPlainObject(body)) throw options.refuse('form-body', []);
  for (const [name, value] of Object.entries(body)) add(entries, [name], value, options);
  return entries;
}

/** Adds the entries of a value. The name of an item `isUnnumbered` if it ends with `[]` instead of the index. */
function add(
  entries: FormEntry[],
  path: DataPath,
  given: unknown,
  options: FormOptions,
  isUnnumbered: boolean = false,
): void {
  const { names, texts, refuse } = options;
  const value = plainValue(given);
  if (value === undefined) return;
  if (isSingle(value)) {
    const sent = isFile(value) ? value : textOf(value, texts);
    if (typeof sent === 'string' && /\p{Surrogate}/u.test(sent)) throw refuse('form-text', path);
    entries.push([nameOf(path, options, isUnnumbered), sent]);
    return;
  }
  if (path.length > MAX_DEPTH) throw refuse('form-depth', path);
  if (!names) throw refuse('form-nested', path);
  const isList = Array.isArray(value);
  // An undefined item of a list is null, as in JSON.
  const members = isList
    ? Array.from(value, (item, at) => [at, plainValue(item) ?? null] as const)
    : Object.entries(value as object).filter(([, member]) => plainValue(member) !== undefined);
  const hasPlainItems = isList && names === 'brackets' && members.every(([, item]) => isSingle(item));
  for (const [name, member] of members) add(entries, [...path, name], member, options, hasPlainItems);
  if (members.length > 0) return;
  if (texts.empty === undefined) throw refuse('form-empty', path);
  const name = hasPlainItems ? nameOf([...path, 0], options, true) : nameOf(path, options);
  entries.push([name, texts.empty]);
}

/** Whether a value is one entry of a form. */
function isSingle(value: unknown): boolean {
  return isFile(value) || !isObject(value);
}

/** The name of an entry. Throws for names of members that a server would take for another place. */
function nameOf(path: DataPath, { names, refuse }: FormOptions, isUnnumbered: boolean = false): string {
  const [first, ...rest] = path as readonly [string, ...(string | number)[]];
  if (rest.length === 0 || names === undefined) return first;
  if (typeof names === 'function') {
    const name: unknown = names(path);
    if (typeof name === 'string' && name !== '') return name;
    throw wrongValue('What `writer.names` returns', 'a text that is not empty', name);
  }
  const misread = names === 'dots' ? /[.[\]]|^$/ : /[[\]]|^$/;
  if (path.some((each) => typeof each === 'string' && misread.test(each))) throw refuse('form-name', path);
  const parts = rest.map((each) => (typeof each === 'string' && names === 'dots' ? `.${each}` : `[${each}]`));
  return first + (isUnnumbered ? [...parts.slice(0, -1), '[]'] : parts).join('');
}

/** A value without a class: what its `toJSON` returns, and undefined for what JSON leaves out. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (!isObject(value)) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? plainValue((toJSON as () => unknown).call(value)) : value;
}

/** The text of a single value; that of a long number has every digit. */
function textOf(value: unknown, { true: yes = 'true', false: no = 'false', null: none = '' }: FormTexts): string {
  if (typeof value === 'boolean') return value ? yes : no;
  // JSON writes null for numbers that are not finite.
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return none;
  return String(value);
}
