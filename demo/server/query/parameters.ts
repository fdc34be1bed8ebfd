import type { Json } from '../data/json.js';
import { type Column, findColumn, type Table } from '../data/table.js';
import { Problem } from '../problem.js';

/** How many conditions or sorters a query may have; SQLite limits the depth of an expression. */
export const MAX_ENTRIES = 100;

/** The problem of a refused query parameter. */
export function badParameter(parameter: string, reason: string, field?: string): Problem {
  return new Problem(
    400,
    `The parameter "${parameter}" ${reason}`,
    field === undefined ? { parameter } : { parameter, field },
  );
}

/** The value of a parameter that may be given once. */
export function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name);
  if (values.length > 1) throw badParameter(name, 'is given more than once');
  return values[0];
}

/** A whole number no smaller than `min`, or undefined when the parameter is absent or empty. */
export function wholeNumber(params: URLSearchParams, name: string, min: number): number | undefined {
  const text = single(params, name);
  if (text === undefined || text === '') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < min) throw badParameter(name, `must be a whole number of at least ${min}`);
  return value;
}

/** The entries of a JSON parameter that holds an array or one object; none when it is absent or empty. */
export function jsonEntries(params: URLSearchParams, name: string): readonly Json[] {
  const text = single(params, name);
  if (text === undefined || text === '') return [];
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw badParameter(name, 'is malformed JSON');
  }
  const entries = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (entries.length > MAX_ENTRIES) throw badParameter(name, `has more than ${MAX_ENTRIES} entries`);
  return entries;
}

/** The column that a parameter names. */
export function requireColumn(table: Table, parameter: string, name: Json | undefined): Column {
  if (typeof name !== 'string') throw badParameter(parameter, 'has an entry without a "property"');
  const column = findColumn(table, name);
  if (!column) throw badParameter(parameter, `names an unknown field "${name}"`, name);
  return column;
}
