import { checkOptions, inDevelopment } from '../dev/checks.js';
import { flag, oneOf, type Rules } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import type { Issue } from '../errors/validation-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { valueText } from '../http/params.js';
import { isList } from '../operation/operation.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import { serverName } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-tree.js';
import { checkPageSize } from './page-size.js';
import { plain } from './plain.js';
import { refusal, refuseFilterParam, sentFilters } from './sent-query.js';
import {
  LARAVEL,
  LARAVEL_SIGNS,
  LARAVEL_WORDS,
  misreadError,
  type ProtectText,
  protectBy,
  type TextCondition,
} from './value-rules.js';

/** A kind of filter, named as the function of `AllowedFilter` that declares it; `dynamic` is an operator filter with `FilterOperator::DYNAMIC`. */
export type LaravelFilterKind = 'exact' | 'partial' | 'beginsWithStrict' | 'endsWithStrict' | 'dynamic';

/** The signs before the value, for each operator that a filter of a kind knows. */
const KINDS: Readonly<Record<LaravelFilterKind, Partial<Record<Operator, string>>>> = {
  exact: { eq: '', in: '' },
  partial: { like: '' },
  beginsWithStrict: { startsWith: '' },
  endsWithStrict: { endsWith: '' },
  dynamic: { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' },
};

/** The kinds of filters. */
const KIND_NAMES: readonly string[] = Object.keys(KINDS);

/** Writes filters for spatie's query builder. `kinds` says how the server declares each filter; the others are exact. */
function laravelFilter(kinds: Readonly<Record<string, LaravelFilterKind>>): FilterEncoder {
  const protect = protectBy('laravel', LARAVEL);
  const used = new Set<LaravelFilterKind>(['exact', ...Object.values(kinds)]);
  return {
    operators: [...new Set([...used].flatMap((kind) => Object.keys(KINDS[kind])))] as Operator[],
    filter(context) {
      inDevelopment(refuseFilterParam, context);
      const { request } = context;
      for (const filter of sentFilters(request.operation)) {
        const name = serverName(context, filter.property as string);
        const kind = (getMember(kinds, name) ?? 'exact') as LaravelFilterKind;
        const param = `filter[${name}]`;
        if (request.knownParams?.[param] !== undefined)
          throw refusal(
            context,
            `two filters on '${name}'`,
            `declare a filter for both on the server, or ${FILTER_IN_STORE}`,
          );
        request.collect(param, paramOf(context, protect, filter, name, kind), 'laravel', 'filters');
      }
    },
  };
}

function paramOf(
  context: StepContext,
  protect: ProtectText,
  filter: Filter,
  name: string,
  kind: LaravelFilterKind,
): string {
  const operator = operatorOf(filter) as Operator;
  const operators = KINDS[kind];
  const sign = operators[operator];
  if (sign === undefined)
    throw refusal(
      context,
      `the operator '${operator}' on '${name}'`,
      `use ${Object.keys(operators).join(' or ')}, or declare another filter on the server and in the option \`filters\``,
    );
  const items = operator === 'in' ? [filter.value].flat() : [filter.value];
  const texts = items.map((value) => textOf(context, protect, { operator, property: name }, value, sign));
  if (texts.length === 0) throw refusal(context, `an empty list for '${name}'`, 'leave the filter out');
  return sign + texts.join(',');
}

/** A value as text. Throws `UnsupportedQueryError` for a value that the server would read as something else. */
function textOf(
  context: StepContext,
  protect: ProtectText,
  condition: TextCondition,
  value: unknown,
  sign: string,
): string {
  if (value === null || value === undefined || Array.isArray(value))
    throw refusal(
      context,
      `${Array.isArray(value) ? 'a list' : 'null'} as a value of '${condition.property}'`,
      `leave the filter out, or ${FILTER_IN_STORE}`,
    );
  const { sent } = protect(context, condition, valueText(value, condition.property));
  const rules = [...(typeof value === 'string' ? [LARAVEL_WORDS] : []), ...(sign === '' ? [] : [LARAVEL_SIGNS])];
  for (const { part, would } of rules) {
    const [found] = part.exec(sent) ?? [];
    if (found !== undefined) throw misreadError(context, found, condition, would);
  }
  return sent;
}

/** Options of `laravel()`. */
export interface LaravelOptions {
  /**
   * How the server pages: `page` for `paginate()` and `simplePaginate()`, `json-api` for `jsonPaginate()` of
   * spatie/laravel-json-api-paginate (`page[number]`, `page[size]`), `cursor` for `cursorPaginate()`. @default 'page'
   */
  paging?: 'page' | 'json-api' | 'cursor';
  /**
   * How the server declares each filter with `AllowedFilter` of spatie/laravel-query-builder, by the names of the filters: 'exact',
   * 'partial', 'beginsWithStrict', 'endsWithStrict', or 'dynamic' for `AllowedFilter::operator('age', FilterOperator::DYNAMIC)`. The
   * kind decides which operators a field has. @default 'exact' for each filter
   */
  filters?: Readonly<Record<string, LaravelFilterKind>>;
  /**
   * Whether writes send the cookie `XSRF-TOKEN` back as the header `X-XSRF-TOKEN`, for sessions of Sanctum in browsers. @default false
   */
  csrf?: boolean;
}

const RULES: Rules<LaravelOptions> = {
  paging: /* @__PURE__ */ oneOf('page', 'json-api', 'cursor'),
  filters: {
    expected: `an object of filters and their kinds: ${KIND_NAMES.map((kind) => `'${kind}'`).join(', ')}`,
    holds: (value) => isData(value) && Object.values(value).every((kind) => KIND_NAMES.includes(kind as string)),
  },
  csrf: flag,
};

const PAGES = {
  page: {},
  'json-api': { page: 'page[number]={page}&page[size]={limit}' },
  cursor: { pageParam: '', tokenParam: 'cursor' },
} as const;

/**
 * Dialect for Laravel: `?page=2&per_page=15`, rows, total and errors in the forms of its paginators, resources and validators. With
 * spatie/laravel-query-builder on the server also `sort=-created_at` and `filter[status]=open,new`. Throws `DefinitionError` for wrong
 * options.
 *
 * @example
 * ```ts
 * const dialect = laravel({ filters: { name: 'partial', age: 'dynamic' } });
 * const proxy = new RestProxy({ url: '/api/users', dialect }); // filter[name]=ed&filter[age]=>=18
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function laravel(options: LaravelOptions = {}): Dialect {
  checkOptions('laravel', options, RULES, 'proxy');
  const { paging = 'page', filters = {}, csrf = false } = options;
  const dialect = plain({
    name: 'laravel',
    ...(paging === 'json-api' ? {} : { limitParam: 'per_page' }),
    searchParam: '',
    ...PAGES[paging],
    filter: laravelFilter(filters),
    reader: {
      rootProperty: 'data',
      totalProperty: (body: unknown) => memberOf(body, 'total'),
      ...(paging === 'cursor' && { nextProperty: (body: unknown) => memberOf(body, 'next_cursor') }),
      problem: laravelProblem,
    },
    // The rule `boolean` refuses the texts `true` and `false`.
    writer: { names: 'brackets', values: { true: '1', false: '0' } },
  });
  return {
    ...dialect,
    ...(csrf && { headers: ({ request }: StepContext) => (request.action === 'read' ? {} : csrfHeader) }),
    readPage(context) {
      const read = dialect.readPage(context);
      if (paging === 'cursor' || !isList(context.request.operation)) return read;
      const body = exactBody(context.request.response as HttpResponse);
      checkPage(context, body);
      checkPageSize(context, memberOf(body, 'per_page'));
      // The links of Laravel lack the parameters of the query, so only their absence is of use: no page follows.
      if (isLast(body)) read.next = null;
      return read;
    },
  };
}

/** A member of a paginator: API resources move it to `meta`. */
function memberOf(body: unknown, name: string): unknown {
  return getMember(getMember(body, 'meta'), name) ?? getMember(body, name);
}

/**
 * Throws `ReadError` for a response that is another page than the one that was asked for: `cursorPaginate()` ignores the number of the
 * page, and so does a paginator that takes the number from another parameter.
 */
function checkPage({ request }: StepContext, body: unknown): void {
  const { page = 1 } = request.operation;
  if (page === 1) return;
  const current = memberOf(body, 'current_page');
  const given = typeof current === 'number' ? current : hasMember(body, 'next_cursor') ? 1 : page;
  if (given === page) return;
  const remedy =
    typeof current === 'number'
      ? "set `paging: 'json-api'`, or `pageParam` of the proxy to the name of the parameter"
      : "set `paging: 'cursor'` for `cursorPaginate()`";
  throw new ReadError('response-repeated', { page, given, remedy });
}

/** Whether a paginator has a member, also if its value is null. */
function hasMember(body: unknown, name: string): boolean {
  return [body, getMember(body, 'meta')].some((each) => isData(each) && Object.hasOwn(each, name));
}

/** Whether the links of a paginator lead to no next page. */
function isLast(body: unknown): boolean {
  return getMember(getMember(body, 'links'), 'next') === null || getMember(body, 'next_page_url') === null;
}

/** The header that proves that a request comes from a page of the application. Called for every request, since each response sets a new cookie. */
function csrfHeader(): Record<string, string> {
  const { cookie } = Object(globalThis.document) as Partial<Document>;
  const [, token] = /(?:^|;\s*)XSRF-TOKEN=([^;]*)/.exec(cookie ?? '') ?? [];
  return token === undefined ? {} : { 'X-XSRF-TOKEN': decodeURIComponent(token) };
}

/** Reads `{ message, errors: { 'users.0.email': ['…'] } }`. */
function laravelProblem(body: unknown, status: number): Problem {
  const own: Data = isData(body) ? body : {};
  const errors = isData(own['errors']) ? own['errors'] : {};
  const issues = Object.entries(errors).flatMap(([name, texts]) =>
    [texts].flat().map((text): Issue => ({ path: name.split('.'), message: String(text) })),
  );
  return createProblem(status, issues, own, undefined, pick(own, 'message error'));
}
