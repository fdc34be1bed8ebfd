import { checkOptions } from '../dev/checks.js';
import { flag, type Rules } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import type { Issue } from '../errors/validation-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { valueText } from '../http/params.js';
import { isList } from '../operation/operation.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import { isRounded } from '../util/long-number.js';
import { serverName } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-tree.js';
import { checkPageSize } from './page-size.js';
import { plain } from './plain.js';
import { listItems, refusal, refuseTwice, sentFilters } from './sent-query.js';
import { POCKETBASE, protectBy } from './value-rules.js';

/** The server's signs of operators. */
const SIGNS = { eq: '=', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=', like: '~' } as const;
/** The opposite of each sign: the server knows no `not`. */
const OPPOSITES: Readonly<Record<string, string>> = {
  ...{ '=': '!=', '!=': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<', '~': '!~' },
};

const protect = /* @__PURE__ */ protectBy('pocketbase', POCKETBASE);

type Join = '&&' | '||';

/** A part of an expression, and how its own parts are joined; undefined for a condition. */
interface Term {
  readonly text: string;
  readonly join: Join | undefined;
}

/**
 * Writes filters, and trees of them, as an expression: `age>=18 && (city='Rome' || city='Oslo')`. `multiple` names the fields with
 * several values, by the names of the server.
 */
function pocketbaseFilter(multiple: readonly string[]): FilterEncoder {
  return {
    operators: [...(Object.keys(SIGNS) as Operator[]), 'in', 'nin', 'between', 'isNull'],
    trees: ['and', 'or', 'not'],
    filter(context) {
      const { request, options } = context;
      const { filterParam } = options;
      const filters = sentFilters(request.operation);
      if (filters.length === 0) return;
      if (!filterParam) throw refusal(context, 'a filter', 'set `filterParam` on the proxy');
      refuseTwice(context, filterParam);
      const { text } = joinTerms(
        context,
        '&&',
        filters.map((each) => termOf(context, each, multiple, false)),
      );
      request.collect(filterParam, text, 'pocketbase', 'filters');
    },
  };
}

function joinTerms(context: StepContext, join: Join, terms: readonly Term[]): Term {
  const [first] = terms;
  if (terms.length === 1) return first as Term;
  const texts = terms.map((term) => {
    if (term.join === undefined || term.join === join) return term.text;
    // Older servers read such a text as grammar, which would change the filter.
    if (term.text.includes('"'))
      throw refusal(context, `a text with '"' within brackets`, `filter by it alone, or ${FILTER_IN_STORE}`);
    return `(${term.text})`;
  });
  return { text: texts.join(` ${join} `), join };
}

/** A filter as a term; if it is negated, its opposite. */
function termOf(context: StepContext, filter: Filter, multiple: readonly string[], isNegated: boolean): Term {
  const { and, or, not, value } = filter;
  if (not) return termOf(context, not, multiple, !isNegated);
  const list = and ?? or;
  const join: Join = Boolean(and) === isNegated ? '||' : '&&';
  if (list)
    return joinTerms(
      context,
      join,
      list.map((each) => termOf(context, each, multiple, isNegated)),
    );
  const name = nameOf(context, filter);
  const operator = operatorOf(filter) as Operator;
  const test = (own: keyof typeof SIGNS, than: unknown, isOpposite: boolean = isNegated): Term => {
    const sign = SIGNS[own];
    // The opposite of "any value is 7" is "no value is 7", which needs no mark.
    const isAny = multiple.includes(name) && !isOpposite && own !== 'ne' && than !== null;
    const shown = isOpposite ? OPPOSITES[sign] : sign;
    return { text: `${name}${isAny ? '?' : ''}${shown}${literalOf(context, name, own, than)}`, join: undefined };
  };
  if (operator === 'isNull') return test('eq', null, isNegated !== (value === false));
  if (operator === 'in' || operator === 'nin') {
    const isOpposite = isNegated !== (operator === 'nin');
    const items = listItems(context, operator, value);
    return joinTerms(
      context,
      isOpposite ? '&&' : '||',
      items.map((each) => test('eq', each, isOpposite)),
    );
  }
  if (operator === 'between') {
    const [from, to] = listItems(context, operator, value);
    return joinTerms(context, isNegated ? '||' : '&&', [test('ge', from), test('le', to)]);
  }
  return test(operator as keyof typeof SIGNS, value);
}

function nameOf(context: StepContext, { property }: Filter): string {
  const name = serverName(context, property as string);
  if (!/^\w+(\.\w+)*$/.test(name))
    throw refusal(
      context,
      `a filter by '${name}'`,
      `give the field a name of letters, digits and _, or ${FILTER_IN_STORE}`,
    );
  return name;
}

/** A value as a literal: a number, true, false, null, or a text in quotes. */
function literalOf(context: StepContext, name: string, operator: string, value: unknown): string {
  const isEquality = operator === 'eq' || operator === 'ne';
  if (value === null && isEquality) return 'null';
  if (value === null || value === undefined || Array.isArray(value))
    throw refusal(
      context,
      `${Array.isArray(value) ? 'a list' : 'null'} as a value of '${name}' with '${operator}'`,
      'use `isNull`, or join the conditions with `or`',
    );
  // Dates are stored with a blank, and compared as texts.
  const text = value instanceof Date ? valueText(value, name).replace('T', ' ') : valueText(value, name);
  const isBare = operator !== 'like' && typeof value !== 'string' && /^(true|false|-?\d+(\.\d+)?)$/.test(text);
  if (isBare && /\d/.test(text) && isRounded(text))
    throw refusal(context, `the number ${text}, whose last digits the server would change`, FILTER_IN_STORE);
  if (isBare) return text;
  return `'${protect(context, { operator: operator as Operator, property: name }, text).sent}'`;
}

/** Options of `pocketbase()`. */
export interface PocketbaseOptions {
  /** Whether lists have no total, which saves the server a second query. @default false */
  skipTotal?: boolean;
  /**
   * The fields with several values, such as relations to several records, by the names of the server: a condition on them holds if it
   * holds for one of the values (`tags?='a'`). Without it, it must hold for all. @default []
   */
  multiple?: readonly string[];
}

const RULES: Rules<PocketbaseOptions> = {
  skipTotal: flag,
  multiple: {
    expected: "a list of fields, such as `['tags']`",
    holds: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  },
};

/**
 * Dialect for the records of PocketBase: `?page=2&perPage=30&sort=-created&filter=age>=18 && city='Rome'`, rows in `items`, PATCH for
 * updates, errors by field. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/api/collections/posts/records', dialect: pocketbase({ multiple: ['tags'] }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function pocketbase(options: PocketbaseOptions = {}): Dialect {
  checkOptions('pocketbase', options, RULES, 'proxy');
  const { skipTotal = false, multiple = [] } = options;
  const dialect = plain({
    name: 'pocketbase',
    fieldsParam: 'fields',
    page: `page={page}&perPage={limit}${skipTotal ? '&skipTotal=1' : ''}`,
    searchParam: '',
    filter: pocketbaseFilter(multiple),
    // Without a count, `totalItems` is -1, which is no total.
    reader: { rootProperty: 'items', totalProperty: 'totalItems', problem: pocketbaseProblem },
  });
  return {
    ...dialect,
    capabilities: { ...dialect.capabilities, bulk: [] },
    readPage(context) {
      const read = dialect.readPage(context);
      const { operation, response } = context.request;
      if (!isList(operation)) return read;
      const body = exactBody(response as HttpResponse);
      // Older servers answer with the last page for every page behind it.
      if (Number(getMember(body, 'page')) < (operation.page ?? 1))
        return new ResultSet({ ...read, rows: [], count: 0 });
      checkPageSize(context, getMember(body, 'perPage'));
      return read;
    },
  };
}

/** Reads `{ status, message, data: { title: { code, message } } }`. */
function pocketbaseProblem(body: unknown, status: number): Problem {
  const { message, data }: Data = isData(body) ? body : {};
  const issues = Object.entries(isData(data) ? data : {}).flatMap(([name, each]): Issue[] => {
    const own: Data = isData(each) ? each : {};
    const text = pick(own, 'message');
    const code = pick(own, 'code');
    return text === undefined ? [] : [{ path: [name], message: text, ...(code && { code }) }];
  });
  return createProblem(status, issues, {}, undefined, pick({ message }, 'message'));
}
