import { valueText } from '../http/params.js';
import { modelOf } from '../operation/operation-record.js';
import { type Filter, type Operator, operatorOf } from '../operation/query.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import { listItems, refusal, refuseTwice, sentFilters } from './sent-query.js';
import { serverName } from './steps.js';
import { POSTGREST } from './value-grammars.js';
import { protectBy } from './value-rules.js';

const protect = /* @__PURE__ */ protectBy('postgrest', POSTGREST);

/** Names of parameters that are no columns. Conditions on columns of such a name are written inside `and`. */
const RESERVED = ['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or'];

/** The server's names of operators. */
const NAMES: Readonly<Record<Exclude<Operator, 'nin' | 'between' | 'isNull' | 'exists'>, string>> = {
  ...{ eq: 'eq', ne: 'neq', lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte', in: 'in' },
  ...{ contains: 'like', startsWith: 'like', endsWith: 'like', like: 'ilike' },
};

/** Puts a text in quotes if the server could read a part of it as grammar. */
export function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The column of a field. A field inside a JSON column is compared as JSON (`->`), or as text (`->>`). Throws `UnsupportedQueryError` for
 * what is no field.
 */
export function columnOf(context: StepContext, property: string, arrow: '->' | '->>' = '->'): string {
  const name = serverName(context, property);
  const path = modelOf(context.request.operation)?.field(property)?.path ?? [name];
  const [last = '', ...parents] = path.map((part) => quoted(String(part))).reverse();
  return parents.length > 0 ? `${parents.reverse().join('->')}${arrow}${last}` : last;
}

/** Whether `column=eq.7` filters by the column, also in updates and erasures: a name with a dot is that of an embedded table. */
export function isParam(column: string): boolean {
  return !column.includes('.') && !column.includes('->') && !RESERVED.includes(column);
}

/** Writes filters and trees of them in the grammar of PostgREST: `age=gte.18&or=(city.eq.Rome,city.is.null)`. */
export const postgrestFilter: FilterEncoder = {
  operators: [...(Object.keys(NAMES) as Operator[]), 'nin', 'between', 'isNull', 'exists'],
  trees: ['and', 'or', 'not'],
  filter(context) {
    const { request } = context;
    const sent = new Map<string, string[]>();
    for (const filter of sentFilters(request.operation))
      for (const [name, value] of paramsOf(context, filter)) sent.set(name, [...(sent.get(name) ?? []), value]);
    for (const [name, values] of sent) {
      refuseTwice(context, name);
      request.collect(name, values.length > 1 ? values : values[0], 'postgrest', 'filters');
    }
  },
};

/** The parameters of a filter, all of which must hold. */
function paramsOf(context: StepContext, given: Filter, isNegated: boolean = false): readonly [string, string][] {
  const filter = withoutBetween(context, given);
  const { and, or, not } = filter;
  if (not) return paramsOf(context, not, !isNegated);
  if (and && !isNegated) return and.flatMap((each) => paramsOf(context, each));
  const list = and ?? or;
  if (list) return [[`${isNegated ? 'not.' : ''}${and ? 'and' : 'or'}`, listOf(context, list)]];
  const column = filterColumn(context, filter);
  // Only in a list would the server take quotes for grammar.
  if (isParam(column)) return [[column, testOf(context, filter, isNegated, (text) => text)]];
  return [['and', `(${termOf(context, filter, isNegated)})`]];
}

function listOf(context: StepContext, filters: readonly Filter[]): string {
  return `(${filters.map((each) => termOf(context, each)).join(',')})`;
}

/** A filter as a term of a list: `age.not.gte.18`, `or(…)`, `not.and(…)`. */
function termOf(context: StepContext, given: Filter, isNegated: boolean = false): string {
  const filter = withoutBetween(context, given);
  const { and, or, not } = filter;
  if (not) return termOf(context, not, !isNegated);
  const list = and ?? or;
  if (list) return `${isNegated ? 'not.' : ''}${and ? 'and' : 'or'}${listOf(context, list)}`;
  return `${filterColumn(context, filter)}.${testOf(context, filter, isNegated, quoted)}`;
}

/** `between` as two conditions; any other filter as it is. */
function withoutBetween(context: StepContext, filter: Filter): Filter {
  const { and, or, not, property, value } = filter;
  if (and || or || not || operatorOf(filter) !== 'between') return filter;
  const [from, to] = listItems(context, 'between', value);
  return {
    and: [
      { property, operator: 'ge', value: from },
      { property, operator: 'le', value: to },
    ],
  };
}

function filterColumn(context: StepContext, filter: Filter): string {
  const { property, value } = filter;
  const operator = operatorOf(filter);
  // `->` of a member that is null gives the JSON value null, which is not null for the server.
  if (operator === 'isNull') return columnOf(context, property as string, '->>');
  if (operator === 'exists') {
    const column = columnOf(context, property as string);
    if (column.includes('->')) return column;
    throw refusal(context, `\`exists\` of the column '${property}'`, 'use `isNull`: a column is there in every row');
  }
  const [first] = [value].flat();
  // Texts and dates inside JSON are compared as texts.
  return columnOf(context, property as string, ['number', 'boolean'].includes(typeof first) ? '->' : '->>');
}

/** The condition behind the name of a column: `gte.18`, `not.is.null`, `in.(Rome,"A, B")`. */
function testOf(context: StepContext, filter: Filter, isNegated: boolean, quote: (text: string) => string): string {
  const { value } = filter;
  const operator = operatorOf(filter) as Exclude<Operator, 'between'>;
  const not = (isOpposite: boolean) => (isOpposite === isNegated ? '' : 'not.');
  if (operator === 'isNull') return `${not(value === false)}is.null`;
  if (operator === 'exists') return `${not(value !== false)}is.null`;
  if (value === null && (operator === 'eq' || operator === 'ne')) return `${not(operator === 'ne')}is.null`;
  if (operator === 'in' || operator === 'nin') {
    const items = listItems(context, operator, value).map((each) => textOf(context, filter, each));
    // The server reads `in.("")` as an empty list.
    const test = items.length === 1 ? `eq.${quote(items[0] as string)}` : `in.(${items.map(quoted).join(',')})`;
    return not(operator === 'nin') + test;
  }
  const text = textOf(context, filter, value);
  const name = NAMES[operator];
  return `${not(false)}${name}.${quote(/like$/.test(name) ? patternOf(context, operator, filter.property as string, text) : text)}`;
}

/** The pattern of a text operator, in which `*` stands for any text. */
function patternOf(context: StepContext, operator: Operator, property: string, text: string): string {
  const { sent } = protect(context, { operator, property }, text);
  return `${operator === 'startsWith' ? '' : '*'}${sent}${operator === 'endsWith' ? '' : '*'}`;
}

/** A value as text. Throws `UnsupportedQueryError` for null and for lists, which the server would read as texts. */
function textOf(context: StepContext, { property = '', operator = 'eq' }: Filter, value: unknown): string {
  if (value === null || value === undefined || Array.isArray(value))
    throw refusal(
      context,
      `${Array.isArray(value) ? 'a list' : 'null'} as a value of '${property}' with '${operator}'`,
      'use `isNull`, or join the conditions with `or`',
    );
  return valueText(value, property);
}
