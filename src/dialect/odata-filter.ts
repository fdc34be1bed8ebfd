import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { modelOf } from '../operation/operation-record.js';
import { type Filter, type Operator, operatorOf, operators } from '../operation/query-parts.js';
import { LongNumber } from '../util/long-number.js';
import { serverName } from './define-dialect.js';
import type { StepContext } from './dialect.js';
import { TEXT_OPERATORS } from './filter-templates.js';
import type { FilterEncoder } from './filter-tree.js';
import { isListField, listItems, refusal, refuseTwice, sentFilters } from './sent-query.js';

const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The texts that a literal of a type has without quotes. A text in another form is quoted, so that it cannot become syntax. */
const BARE: Readonly<Record<string, RegExp>> = {
  Boolean: /^(?:true|false)$/,
  Date: /^-?\d{4,}-\d\d-\d\d$/,
  DateTimeOffset: /^-?\d{4,}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/,
  TimeOfDay: /^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/,
  Guid: GUID,
  String: /(?!)/,
};

/** The types of literals by the types of fields. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'Int64',
  bigint: 'Int64',
  number: 'Double',
  decimal: 'Decimal',
  boolean: 'Boolean',
  date: 'DateTimeOffset',
  dateonly: 'Date',
};

/**
 * A value as the literal of a key or filter (OData 4.01 Part 2, 5.1.1.14.1). `type` is the name of a type, such as `Edm.Guid`; without
 * it, `fieldType` decides: a text in the form of a GUID is a GUID, other texts are strings. Undefined: no literal can express the value.
 */
export function odataLiteral(value: unknown, type: string | undefined, fieldType = ''): string | undefined {
  const text = textOf(value);
  if (text === undefined || value === null) return text;
  const name = type === undefined ? TYPES[fieldType] : /^Edm\.(\w+)$/.exec(type)?.[1];
  // Durations, and the members of enumerations, begin with the name of their type.
  if (name === 'Duration') return `duration${quoted(text)}`;
  if (name === undefined && type !== undefined) return type + quoted(text);
  if (name === 'Date' && value instanceof Date) return text.slice(0, 10);
  const isText = typeof value === 'string' || fieldType === 'string';
  const form = name === undefined ? GUID : (BARE[name] ?? NUMBER);
  return (name === undefined && !isText) || form.test(text) ? text : quoted(text);
}

/** A text as a string literal. */
function quoted(text: string): string {
  return `'${text.replace(/'/g, "''")}'`;
}

function textOf(value: unknown): string | undefined {
  if (value instanceof LongNumber) return value.digits;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return value === null || /^(string|number|bigint|boolean)$/.test(typeof value) ? String(value) : undefined;
}

/** How `odata4()` writes filters. */
export interface ODataFilterOptions {
  /** How conditions with lists are written. */
  readonly lists: 'or' | 'in';
  /** The types of properties whose literals the field's type does not give, by the server's names. */
  readonly types: Readonly<Record<string, string>>;
}

const FUNCTIONS = { contains: 'contains', startsWith: 'startswith', endsWith: 'endswith' } as const;

/** Writes filters as an expression in the parameter `$filter`. */
export function odataFilter(options: ODataFilterOptions): FilterEncoder {
  return {
    operators: operators().filter((each) => each !== 'exists'),
    trees: ['and', 'or', 'not'],
    filter(context) {
      const { filterParam } = context.options;
      const filters = sentFilters(context.request.operation);
      if (filters.length > 0 && !filterParam) throw refusal(context, 'a filter', 'set `filterParam` on the proxy');
      if (filters.length > 0) refuseTwice(context, filterParam as string);
      const text = filters.map((filter) => expression(context, options, filter)).join(' and ');
      context.request.collect(filterParam, text || undefined, 'odata', 'filters');
    },
  };
}

/** A filter as an expression. An expression that is joined is in parentheses. */
function expression(context: StepContext, options: ODataFilterOptions, filter: Filter): string {
  const { and, or, not } = filter;
  const all = (filters: readonly Filter[]) => filters.map((each) => expression(context, options, each));
  if (and) return joined(all(and), 'and');
  if (or) return joined(all(or), 'or');
  return not ? `not (${expression(context, options, not)})` : condition(context, options, filter);
}

function joined(terms: readonly string[], operator: 'and' | 'or'): string {
  return terms.length > 1 ? `(${terms.join(` ${operator} `)})` : terms.join();
}

function condition(context: StepContext, { lists, types }: ODataFilterOptions, filter: Filter): string {
  const { property = '', value } = filter;
  const operator = operatorOf(filter) as Operator;
  const name = serverName(context, property);
  const field = modelOf(context.request.operation)?.field(property);
  const isList = TEXT_OPERATORS.includes(operator) && isListField(field, value);
  const literal = (each: unknown) => {
    // A text among others is one, also in the form of a GUID.
    const ofMember = isList && typeof each === 'string' ? 'Edm.String' : undefined;
    const text = odataLiteral(each, Object.hasOwn(types, name) ? types[name] : ofMember, field?.type);
    if (text === undefined)
      throw refusal(
        context,
        `such a value of '${property}'`,
        `give a text, a number, a date or a boolean, or ${FILTER_IN_STORE}`,
      );
    return text;
  };
  if (isList && operator === 'contains') return `${name}/any(m:m eq ${literal(value)})`;
  const text = (test: (subject: string, text: string) => string) => {
    const given = quoted(searched(context, filter));
    return isList ? `${name}/any(m:${test('m', given)})` : test(name, given);
  };
  switch (operator) {
    case 'isNull':
      return `${name} ${value === false ? 'ne' : 'eq'} null`;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return text((subject, given) => `${FUNCTIONS[operator]}(${subject},${given})`);
    case 'like':
      return text((subject, given) => `contains(tolower(${subject}),tolower(${given}))`);
    case 'between': {
      const [from, to] = listItems(context, operator, value).map(literal);
      return `(${name} ge ${from} and ${name} le ${to})`;
    }
    case 'in':
    case 'nin': {
      const items = listItems(context, operator, value).map(literal);
      const isIn = operator === 'in';
      if (lists === 'in') return isIn ? `${name} in (${items})` : `not (${name} in (${items}))`;
      const terms = items.map((item) => `${name} ${isIn ? 'eq' : 'ne'} ${item}`);
      return joined(terms, isIn ? 'or' : 'and');
    }
    default:
      return `${name} ${operator} ${literal(value)}`;
  }
}

/** The text that a function looks for. */
function searched(context: StepContext, { property, value }: Filter): string {
  const text = odataLiteral(value, undefined);
  if (text === undefined || value === null) throw refusal(context, `such a text in '${property}'`, 'give a text');
  return typeof value === 'string' ? value : text;
}
