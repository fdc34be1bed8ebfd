import { checkOptions } from '../dev/checks.js';
import type { Issue } from '../errors/issue.js';
import { flag, oneOf, type Rules } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { exactBody } from '../http/http-response.js';
import { isList } from '../operation/operation.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import type { Dialect, StepContext } from './dialect.js';
import { KIND_NAMES, type LaravelFilterKind, laravelFilter } from './laravel-filter.js';
import { checkPageSize } from './page-size.js';
import { plain } from './plain.js';

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
 * spatie/laravel-query-builder on the server also `sort=-created_at` and `filter[status]=open,new`.
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
      return new ResultSet({ ...read, next: isLast(body) ? null : read.next });
    },
  };
}

/** A member of a paginator: API resources move it to `meta`. */
function memberOf(body: unknown, name: string): unknown {
  return getMember(getMember(body, 'meta'), name) ?? getMember(body, name);
}

/**
 * Throws `ReadError` for an answer that is another page than the one that was asked for: `cursorPaginate()` ignores the number of the
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
  throw new ReadError('reply-repeated', { page, given, remedy });
}

/** Whether a paginator has a member, also if its value is null. */
function hasMember(body: unknown, name: string): boolean {
  return [body, getMember(body, 'meta')].some((each) => isData(each) && Object.hasOwn(each, name));
}

/** Whether the links of a paginator lead to no next page. */
function isLast(body: unknown): boolean {
  return getMember(getMember(body, 'links'), 'next') === null || getMember(body, 'next_page_url') === null;
}

/** The header that proves that a request comes from a page of the application. Called for every request, since each answer sets a new cookie. */
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
