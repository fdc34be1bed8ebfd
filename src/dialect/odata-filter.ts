import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { modelOf } from '../operation/operation-record.js';
import { type Filter, type Operator, operatorOf, operators } from '../operation/query.js';
import type { StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import { odataLiteral, quoted } from './odata-literal.js';
import { listItems, refusal, refuseTwice, sentFilters } from './sent-query.js';
import { serverName } from './steps.js';

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
  const literal = (each: unknown) => {
    const text = odataLiteral(each, Object.hasOwn(types, name) ? types[name] : undefined, field?.type);
    if (text === undefined)
      throw refusal(
        context,
        `such a value of '${property}'`,
        `give a text, a number, a date or a boolean, or ${FILTER_IN_STORE}`,
      );
    return text;
  };
  switch (operator) {
    case 'isNull':
      return `${name} ${value === false ? 'ne' : 'eq'} null`;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return `${FUNCTIONS[operator]}(${name},${quoted(searched(context, filter))})`;
    case 'like':
      return `contains(tolower(${name}),tolower(${quoted(searched(context, filter))}))`;
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
