import type { Table } from '../data/table.js';
import { findTable } from '../data/tables.js';
import type { Form } from '../query/query.js';

/** The meaning of a path of the API. */
export interface Address {
  readonly table: Table;
  /** The text of the id, not parsed; absent for the collection. */
  readonly id?: string;
  /** The path of the collection, to which `Location` adds the id. */
  readonly base: string;
  /** The form of requests and answers below this prefix. */
  readonly form?: Form;
}

const prefixes: ReadonlyMap<string, Form | undefined> = new Map([
  ['api', undefined],
  ['app', undefined],
  ['plain', 'plain'],
  ['classic', 'classic'],
]);

/** Whether a path belongs to the API, known or not. */
export function isApiPath(path: string): boolean {
  return prefixes.has(path.split('/', 2)[1] ?? '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Reads `/api/users`, `/plain/users/7`, each with or without `.json` or one slash at the end. */
export function readAddress(path: string): Address | undefined {
  const trimmed = path.replace(/(\.json)?\/?$/, '');
  const [root, prefix = '', name = '', id, ...rest] = trimmed.split('/');
  const table = findTable(name);
  if (root !== '' || !table || !prefixes.has(prefix) || rest.length > 0) return undefined;
  const form = prefixes.get(prefix);
  return {
    table,
    base: `/${prefix}/${name}`,
    ...(id === undefined ? {} : { id: decoded(id) }),
    ...(form ? { form } : {}),
  };
}

/** The number that the text or JSON value of an id stands for; undefined when no row can have that id. */
export function readId(id: unknown): number | undefined {
  const value = typeof id === 'string' && /^[1-9]\d{0,15}$/.test(id) ? Number(id) : id;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
