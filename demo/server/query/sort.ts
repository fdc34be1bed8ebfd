import { isJsonObject, type Json, member } from '../data/json.js';
import { kinds } from '../data/kinds.js';
import { columnSql, type Table } from '../data/table.js';
import { badParameter, jsonEntries, MAX_ENTRIES, requireColumn } from './parameters.js';

function term(table: Table, parameter: string, name: Json | undefined, direction: Json): string {
  const column = requireColumn(table, parameter, name);
  const { comparable } = kinds[column.kind];
  if (!comparable) throw badParameter(parameter, `cannot sort by "${column.name}"`, column.name);
  const upper = typeof direction === 'string' ? direction.toUpperCase() : '';
  if (upper !== 'ASC' && upper !== 'DESC')
    throw badParameter(
      parameter,
      `has an unknown direction ${JSON.stringify(direction)} for "${column.name}"`,
      column.name,
    );
  return `${comparable(columnSql(column))} ${upper}`;
}

/** The order in a JSON parameter: `[{"property":"name","direction":"DESC"}]`, or one such object. */
export function jsonOrder(table: Table, params: URLSearchParams, parameter: 'sort' | 'group'): string[] {
  return jsonEntries(params, parameter).map((entry) => {
    if (!isJsonObject(entry)) throw badParameter(parameter, 'has an entry that is not an object');
    return term(table, parameter, member(entry, 'property'), member(entry, 'direction') ?? 'ASC');
  });
}

/** The order in plain parameters: `sort=name,-joined`, or `sort=name&dir=ASC` once or repeated. */
export function namedOrder(table: Table, params: URLSearchParams): string[] {
  const directions = params.getAll('dir');
  const names = params
    .getAll('sort')
    .flatMap((list) => list.split(','))
    .filter((name) => name !== '');
  if (names.length > MAX_ENTRIES) throw badParameter('sort', `names more than ${MAX_ENTRIES} fields`);
  return names.map((name, index) => {
    const descending = name.startsWith('-');
    return term(table, 'sort', descending ? name.slice(1) : name, descending ? 'DESC' : directions[index] || 'ASC');
  });
}

/** Whether the parameter `sort` holds JSON instead of names. */
export function hasJsonSort(params: URLSearchParams): boolean {
  return /^\s*[[{]/.test(params.get('sort') ?? '');
}
