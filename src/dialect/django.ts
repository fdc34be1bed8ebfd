import { checkOptions } from '../dev/checks.js';
import { describe } from '../errors/message-format.js';
import { any, oneOf, type Rules, text } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList, type Operation } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import { nextText } from '../reader/place.js';
import { getMember } from '../util/data-path.js';
import type { Dialect } from './dialect.js';
import type { FilterTemplates } from './filter-templates.js';
import { type PlainOptions, plain } from './plain.js';
import { refusal } from './sent-query.js';
import { filterTemplates } from './template-filter.js';
import { DJANGO } from './value-rules.js';

/** A lookup that a FilterSet of django-filter can declare. */
export type DjangoLookup =
  | 'gte'
  | 'lte'
  | 'gt'
  | 'lt'
  | 'in'
  | 'range'
  | 'isnull'
  | 'contains'
  | 'startswith'
  | 'endswith'
  | 'icontains';

/** How filters are sent as lookups. */
const LOOKUPS: Readonly<Record<DjangoLookup, FilterTemplates>> = {
  gte: { ge: '{name}__gte' },
  lte: { le: '{name}__lte' },
  gt: { gt: '{name}__gt' },
  lt: { lt: '{name}__lt' },
  in: { in: '{name}__in={values}' },
  range: { between: '{name}__range={from},{to}' },
  isnull: { isNull: '{name}__isnull={value}' },
  contains: { contains: '{name}__contains' },
  startswith: { startsWith: '{name}__startswith' },
  endswith: { endsWith: '{name}__endswith' },
  icontains: { like: '{name}__icontains' },
};

/** Options of `django()`. */
export interface DjangoOptions extends Pick<PlainOptions, 'names'> {
  /**
   * The pagination class of the list: `LimitOffsetPagination`, `PageNumberPagination` or `CursorPagination`.
   * @default none: lists are bare arrays, and pages are refused
   */
  paging?: 'limitOffset' | 'pageNumber' | 'cursor';
  /**
   * The `page_size_query_param` of the pagination class, such as `'page_size'`. Without it, `pageSize` of stores must be the
   * `page_size` of the server.
   * @default none
   */
  pageSizeParam?: string;
  /**
   * The lookups that the server's filters declare beside `exact`. Others are refused, because Django ignores what its FilterSet does
   * not declare, and answers with all rows.
   * @default []
   */
  lookups?: readonly DjangoLookup[];
  /**
   * The token for Django's CSRF protection, which servers with `SessionAuthentication` check for requests that write: true reads it from
   * the cookie `csrftoken` of the page, a function returns it. It is sent as `X-CSRFToken`.
   * @default false
   */
  csrf?: boolean | (() => string | undefined);
}

const RULES: Rules<DjangoOptions> = {
  paging: /* @__PURE__ */ oneOf('limitOffset', 'pageNumber', 'cursor'),
  pageSizeParam: text,
  lookups: {
    expected: "a list of lookups of django-filter, such as `['gte', 'icontains']`",
    holds: (value) => Array.isArray(value) && value.every((each) => Object.hasOwn(LOOKUPS, each)),
  },
  csrf: {
    expected: 'true or false, or a function that returns the token',
    holds: (value) => typeof value === 'boolean' || typeof value === 'function',
  },
  // `plain()` checks these.
  names: any,
};

/** How the pages of each pagination class are asked for. */
const PAGES: Readonly<Record<NonNullable<DjangoOptions['paging']>, PlainOptions>> = {
  limitOffset: { startParam: 'offset', limitParam: 'limit' },
  pageNumber: { pageParam: 'page' },
  cursor: { tokenParam: 'cursor' },
};

/**
 * Dialect for Django REST Framework with the filters of django-filter: `?limit=25&offset=50&ordering=-age,name&age__gte=18&search=ada`,
 * paths with a slash at the end, PATCH, pages in an envelope `{ count, next, previous, results }` or a bare array, errors by field.
 * Options say what the server has set up. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const dialect = django({ paging: 'limitOffset', lookups: ['gte', 'lte', 'in', 'icontains'] });
 * const proxy = new RestProxy({ url: '/api/users', dialect });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function django(options: DjangoOptions = {}): Dialect {
  checkOptions('django', options, RULES, 'proxy');
  const { paging, pageSizeParam = '', lookups = [], csrf = false, names } = options;
  const tokenOf = csrf === true ? cookieToken : csrf;
  const base = plain({
    name: 'django',
    ...{ pageParam: '', startParam: '', limitParam: pageSizeParam },
    ...(paging && PAGES[paging]),
    sortParam: 'ordering',
    filter: filterTemplates(Object.assign({ eq: '{name}', ...DJANGO }, ...lookups.map((lookup) => LOOKUPS[lookup]))),
    trailingSlash: true,
    ...(names && { names }),
    reader: { rootProperty: rowsIn, totalProperty: 'count', ...(paging === 'cursor' && { nextProperty: cursorIn }) },
  });
  return {
    ...base,
    // A ViewSet takes one record per request.
    capabilities: { ...base.capabilities, bulk: [], pathSeparator: '__' },
    page(context) {
      const { page = 1, start, limit } = context.request.operation;
      if (!paging && (page > 1 || start || limit))
        throw refusal(
          context,
          'a page',
          'say with `paging` which pages the server has, or set `pageSize: 0` on the store',
        );
      if (paging === 'cursor' && (page > 1 || start))
        throw refusal(context, 'a page in the middle of the list', 'read on with `loadMore()`');
      base.page(context);
    },
    headers({ request }) {
      const token = tokenOf && !/^(GET|HEAD|OPTIONS)$/.test(request.method ?? '') ? tokenOf() : undefined;
      return token ? { 'X-CSRFToken': token } : {};
    },
    isPage({ request: { operation, response } }) {
      const isBehindEnd = paging === 'pageNumber' && (operation.page ?? 1) > 1 && response?.status === 404;
      return isBehindEnd && getMember(exactBody(response), 'detail') === 'Invalid page.';
    },
    readPage(context) {
      const { operation, response } = context.request;
      const read = base.readPage(context);
      checkSize(paging, operation, read, exactBody(response as HttpResponse));
      return read;
    },
  };
}

/** The rows in a response. A record may have a member `results` too. */
function rowsIn(body: unknown, { operation, response }: ProxyRequest): unknown {
  if (!isList(operation) || Array.isArray(body)) return body;
  return response?.status === 404 ? [] : getMember(body, 'results');
}

/** The cursor in the address of the next page. The address itself is not followed: behind a gateway, its host may be another one. */
function cursorIn(body: unknown): unknown {
  const next = nextText(getMember(body, 'next'), "'next'");
  if (next === null) return undefined;
  if (!URL.canParse(next, 'http://server'))
    throw new ReadError('response-next', { place: "'next'", what: describe(next), hint: '' });
  return new URL(next, 'http://server').searchParams.get('cursor');
}

/** Throws `ReadError` if the server sends pages of another size than was asked for, and has more: rows between two pages would be missing. */
function checkSize(paging: DjangoOptions['paging'], operation: Operation, { count }: ResultSet, body: unknown): void {
  const { page = 1, start, limit } = operation;
  if (!limit || count === limit || getMember(body, 'next') == null) return;
  if (paging === 'pageNumber') throw new ReadError('response-page-size', { size: count, limit });
  if (paging === 'limitOffset' && count < limit && (start ?? (page - 1) * limit) > 0)
    throw new ReadError('response-limit', { most: count, limit });
}

/** The value of the cookie `csrftoken`; undefined outside of a page. */
function cookieToken(): string | undefined {
  const cookies = typeof document === 'undefined' ? '' : document.cookie;
  return /(?:^|;\s*)csrftoken=([^;]*)/.exec(cookies)?.[1];
}
