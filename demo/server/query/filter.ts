import { isJsonObject, type Json, member } from '../data/json.js';
import { type KindRules, kinds, type SqlValue } from '../data/kinds.js';
import type { Condition } from '../data/rows.js';
import { type Column, columnSql, type Table } from '../data/table.js';
import { badParameter, jsonEntries, MAX_ENTRIES, requireColumn } from './parameters.js';

const MAX_VALUES = 1000;
// SQLite refuses longer patterns.
const MAX_PATTERN = 1000;

/** The operands of one operator, and the function that makes the error about them. */
interface Operand {
  readonly column: Column;
  readonly parameter: string;
  readonly value: Json;
}

type Operator = (operand: Operand) => Condition;

function rulesOf({ column, parameter }: Operand): KindRules & Required<Pick<KindRules, 'comparable'>> {
  const rules = kinds[column.kind];
  const { comparable } = rules;
  if (!comparable) throw badParameter(parameter, `cannot filter by "${column.name}"`, column.name);
  return { ...rules, comparable };
}

function toSql(operand: Operand, value: Json): SqlValue {
  const rules = rulesOf(operand);
  if (value === null) return null;
  const bound = rules.fromQuery(value);
  if (bound !== undefined) return bound;
  throw badParameter(
    operand.parameter,
    `has a value for "${operand.column.name}" that is not ${rules.expected}`,
    operand.column.name,
  );
}

function listOf(operand: Operand, operator: string): readonly Json[] {
  const { value } = operand;
  if (!Array.isArray(value))
    throw badParameter(
      operand.parameter,
      `needs an array for "${operand.column.name}" ${operator}`,
      operand.column.name,
    );
  if (value.length > MAX_VALUES)
    throw badParameter(
      operand.parameter,
      `has more than ${MAX_VALUES} values for "${operand.column.name}"`,
      operand.column.name,
    );
  return value as readonly Json[];
}

function compare(sql: '<' | '<=' | '>' | '>=' | 'IS' | 'IS NOT'): Operator {
  return (operand) => {
    const { comparable } = rulesOf(operand);
    return {
      sql: `${comparable(columnSql(operand.column))} ${sql} ${comparable('?')}`,
      values: [toSql(operand, operand.value)],
    };
  };
}

function anyOf(operand: Operand, values: readonly Json[]): Condition {
  const { comparable } = rulesOf(operand);
  const column = comparable(columnSql(operand.column));
  const bound = values.map((value) => toSql(operand, value)).filter((value) => value !== null);
  const inList = `${column} IN (${bound.map(() => comparable('?')).join(', ')})`;
  // Null is compared apart from the list, because `NULL IN (...)` is never true.
  const orNull = values.includes(null) ? ` OR ${column} IS NULL` : '';
  return { sql: `(${inList}${orNull})`, values: bound };
}

// A row without a value is not in the list either; SQL alone would treat the comparison as unknown, and drop the row.
function noneOf(operand: Operand, values: readonly Json[]): Condition {
  const { sql, values: bound } = anyOf(operand, values);
  return { sql: `NOT coalesce(${sql}, 0)`, values: bound };
}

function between(operand: Operand): Condition {
  const [low, high, ...rest] = listOf(operand, 'between');
  if (low === undefined || high === undefined || rest.length > 0) {
    throw badParameter(operand.parameter, `needs two values for "${operand.column.name}" between`, operand.column.name);
  }
  const { comparable } = rulesOf(operand);
  const sql = `${comparable(columnSql(operand.column))} BETWEEN ${comparable('?')} AND ${comparable('?')}`;
  return { sql, values: [toSql(operand, low), toSql(operand, high)] };
}

// The characters that `LIKE` would read as wildcards.
function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function matching(before: '' | '%', after: '' | '%'): Operator {
  return (operand) => {
    rulesOf(operand);
    const text = typeof operand.value === 'number' ? String(operand.value) : operand.value;
    const bound = typeof text === 'string' && text.length <= MAX_PATTERN ? kinds.text.fromQuery(text) : undefined;
    if (typeof bound !== 'string') {
      throw badParameter(
        operand.parameter,
        `has a value for "${operand.column.name}" that is not a short text`,
        operand.column.name,
      );
    }
    const pattern = before + escapePattern(bound) + after;
    return { sql: `CAST(${columnSql(operand.column)} AS TEXT) LIKE ? ESCAPE '\\'`, values: [pattern] };
  };
}

function isNull(operand: Operand): Condition {
  const wanted = operand.value ?? true;
  if (typeof wanted !== 'boolean')
    throw badParameter(
      operand.parameter,
      `needs true or false for "${operand.column.name}" isNull`,
      operand.column.name,
    );
  return { sql: `${columnSql(operand.column)} IS ${wanted ? '' : 'NOT '}NULL`, values: [] };
}

const isIn: Operator = (operand) => anyOf(operand, listOf(operand, 'in'));
const notIn: Operator = (operand) => noneOf(operand, listOf(operand, 'notin'));

const operators: ReadonlyMap<string, Operator> = new Map([
  ...['=', '==', 'eq'].map((name) => [name, compare('IS')] as const),
  ...['!=', '/=', 'ne'].map((name) => [name, compare('IS NOT')] as const),
  ...['<', 'lt'].map((name) => [name, compare('<')] as const),
  ...['<=', 'le'].map((name) => [name, compare('<=')] as const),
  ...['>', 'gt'].map((name) => [name, compare('>')] as const),
  ...['>=', 'ge'].map((name) => [name, compare('>=')] as const),
  ['in', isIn],
  ...['nin', 'notin'].map((name) => [name, notIn] as const),
  ['between', between],
  ['isnull', isNull],
  ...['like', 'contains'].map((name) => [name, matching('%', '%')] as const),
  ['startswith', matching('', '%')],
  ['endswith', matching('%', '')],
]);

function condition(table: Table, entry: Json): Condition {
  if (!isJsonObject(entry)) throw badParameter('filter', 'has an entry that is not an object');
  const column = requireColumn(table, 'filter', member(entry, 'property'));
  const name = member(entry, 'operator') ?? '=';
  const operator = typeof name === 'string' ? operators.get(name.toLowerCase()) : undefined;
  if (!operator)
    throw badParameter('filter', `has an unknown operator ${JSON.stringify(name)} for "${column.name}"`, column.name);
  return operator({ column, parameter: 'filter', value: member(entry, 'value') ?? null });
}

/** The conditions of the JSON parameter `filter`. */
export function jsonFilters(table: Table, params: URLSearchParams): Condition[] {
  return jsonEntries(params, 'filter').map((entry) => condition(table, entry));
}

/** The conditions of parameters that are named like a field; a repeated parameter means "any of". */
export function fieldFilters(table: Table, params: URLSearchParams, reserved: ReadonlySet<string>): Condition[] {
  const names = [...new Set(params.keys())].filter((name) => !reserved.has(name));
  if (names.length > MAX_ENTRIES) throw badParameter(names[MAX_ENTRIES] ?? '', 'is one too many');
  return names.map((name) => {
    const column = requireColumn(table, name, name);
    // An empty value stands for null; in a text column it may stand for the empty text as well.
    const value = params
      .getAll(name)
      .flatMap((text) => (text === '' ? [null, ...(column.kind === 'text' ? [''] : [])] : [text]));
    return anyOf({ column, parameter: name, value }, listOf({ column, parameter: name, value }, 'any of'));
  });
}

/** The condition of a search: the rows that contain each of its words. */
export function searchFilters(table: Table, parameter: string, text: string): Condition[] {
  const { search = [] } = table;
  if (text.length > MAX_PATTERN || kinds.text.fromQuery(text) === undefined)
    throw badParameter(parameter, 'is not a short text');
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length > MAX_ENTRIES) throw badParameter(parameter, `has more than ${MAX_ENTRIES} words`);
  return words.map((word) => ({
    sql: `(${search.join(' OR ')})`,
    values: search.map(() => `%${escapePattern(word)}%`),
  }));
}
