import { checkOptions } from '../dev/checks.js';
import {
  any,
  flag,
  object,
  orNull,
  type Rule,
  type Rules,
  string,
  text,
  textsByName,
  wholeFrom,
  wrongValue,
} from '../errors/option-rules.js';
import { linkTargets } from '../http/link-header.js';
import { isList } from '../operation/operation.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import type { RestProxyConfig } from '../proxy/proxy-config.js';
import type { Dialect, DialectDefaults, StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-encoder.js';
import type { FilterForms } from './filter-forms.js';
import { formFilter } from './form-filter.js';
import { pageNames, pageStep } from './plain-page.js';
import { type SortForms, sortStep } from './plain-sort.js';
import { refusal } from './sent-query.js';
import { sharedSteps } from './steps.js';

/** Options of a proxy for which `plain()` may set the default. */
type WireOptions = Pick<
  RestProxyConfig,
  | 'pageParam'
  | 'startParam'
  | 'limitParam'
  | 'sortParam'
  | 'filterParam'
  | 'groupParam'
  | 'searchParam'
  | 'tokenParam'
  | 'trailingSlash'
  | 'batchActions'
  | 'actionMethods'
  | 'reader'
  | 'writer'
>;

/**
 * Options of `plain()`: how a server writes sorters, filters and pages. The options of proxies that say how a server names its parameters
 * and where its answers hold rows, total and next page can be given here too; a proxy's own options win over them.
 */
export interface PlainOptions extends WireOptions {
  /** Name in messages and traces. @default 'plain' */
  name?: string;
  /**
   * The parameters of a page, for servers that need more than `pageParam`, `startParam` and `limitParam`. Blanks: `{page}` counts pages
   * from 1, `{pageIndex}` from 0; `{start}` is the index of the first row, `{end}` of the first row behind the page, `{last}` of the last
   * row, `{limit}` the number of rows. Constants are allowed: `'$skip={start}&$top={limit}&$count=true'`.
   * @default the proxy's `pageParam`, `startParam` and `limitParam`
   */
  page?: string;
  /**
   * The most rows that the server sends per page. Servers shorten longer pages silently, and the pages behind would then be other rows
   * than those that were asked for: longer pages are refused. @default none
   */
  maxPageSize?: number;
  /**
   * The statuses with which the server answers a page behind the last row, such as `[404]` or `[404, 416]`: the page is then empty. The
   * first page, links and single records are not concerned. @default [] (an error)
   */
  pageEnd?: readonly number[];
  /** How sorters are written. @default { asc: '{name}', desc: '-{name}', several: 'join' } */
  sort?: SortForms;
  /** How filters are written: a form per operator, or an encoder such as `jsonFilter({ … })`. @default { eq: '{name}', in: '{name}' } */
  filter?: FilterForms | FilterEncoder;
  /**
   * The server's names of fields in sorters and filters, by the field's name, where they are not its `mapping`:
   * `{ createdAt: 'created' }`. @default {}
   */
  names?: Readonly<Record<string, string>>;
  /**
   * The header with the number of rows in the collection, as `57` or, in the form of `Content-Range`, as `0-24/57`. A total in the body
   * (`reader.totalProperty`) wins. @default 'X-Total-Count'
   */
  totalHeader?: string;
}

const paramName: Rule = /* @__PURE__ */ orNull(string);
const RULES: Rules<PlainOptions> = {
  name: text,
  page: text,
  maxPageSize: /* @__PURE__ */ wholeFrom(1),
  pageEnd: {
    expected: 'a list of statuses from 400 to 499, such as `[404]`',
    holds: (value) =>
      Array.isArray(value) && value.every((each) => Number.isInteger(each) && each >= 400 && each < 500),
  },
  sort: { ...object, expected: "an object of forms, such as `{ asc: '{name}:asc', desc: '{name}:desc' }`" },
  filter: {
    ...object,
    expected:
      "an object of forms, such as `{ eq: '{name}', ge: '{name}__gte' }`, or an encoder such as `jsonFilter({ … })`",
  },
  names: textsByName,
  totalHeader: text,
  pageParam: paramName,
  startParam: paramName,
  limitParam: paramName,
  sortParam: paramName,
  filterParam: paramName,
  groupParam: paramName,
  searchParam: paramName,
  tokenParam: paramName,
  trailingSlash: flag,
  // Proxies check these.
  batchActions: any,
  actionMethods: any,
  reader: any,
  writer: any,
};

/**
 * Dialect for servers without conventions of a known family: `?page=2&limit=25&sort=name,-joined&status=open`, PATCH, no cache-buster.
 * Reads a bare array with `X-Total-Count`, or rows under `reader.rootProperty`; `Link` leads to the next page. Options say how a server
 * writes sorters, filters and pages; what they cannot express is refused, because such servers ignore parameters that they do not know.
 *
 * @example
 * ```ts
 * const dialect = plain({
 *   page: '_page={page}&_limit={limit}',
 *   sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
 *   filter: { eq: '{name}', ne: '{name}_ne', ge: '{name}_gte', le: '{name}_lte' },
 *   searchParam: 'q',
 * });
 * const proxy = new RestProxy({ url: '/users', dialect });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function plain(options: PlainOptions = {}): Dialect {
  checkOptions('plain', options, RULES, 'proxy');
  const {
    name = 'plain',
    page,
    maxPageSize,
    pageEnd = [],
    sort,
    filter,
    names,
    totalHeader = 'X-Total-Count',
    ...wire
  } = options;
  const named = (['pageParam', 'startParam', 'limitParam'] as const).find((param) => options[param]);
  if (page !== undefined && named)
    throw wrongValue(`\`plain.${named}\``, 'left out beside `page`, which names the parameters', options[named]);
  const sorting = sortStep(sort);
  const pages = pageNames(page);
  const encoder = isEncoder(filter)
    ? filter
    : formFilter(filter ?? { eq: '{name}', in: '{name}' }, ({ request, options: used }) => {
        const { pageParam, startParam, limitParam, sortParam, groupParam, searchParam } = used;
        const search = request.operation.search === undefined ? undefined : searchParam;
        const paging = page === undefined ? [pageParam, startParam, limitParam] : pages;
        return [...paging, sortParam, groupParam, search, ...sorting.names];
      });
  return {
    ...sharedSteps,
    name,
    defaults: { noCache: false, startParam: '', groupParam: '', searchParam: 'search', ...(wire as DialectDefaults) },
    capabilities: {
      ...(encoder.operators && { operators: encoder.operators }),
      ...(encoder.trees && { trees: encoder.trees }),
      ...(sort?.several === 'refuse' && { multiSort: false }),
      ...(names && { names }),
    },
    method: ({ request }) => (request.action === 'update' ? 'PATCH' : undefined),
    page: pageStep(page, maxPageSize),
    search(context) {
      const { request, options: used } = context;
      const { search } = request.operation;
      if (search !== undefined && !used.searchParam)
        throw refusal(context, 'a search', 'set `searchParam` on the proxy');
      request.collect(used.searchParam, search, 'plain', 'searchParam');
    },
    sort: sorting.sort,
    filter: encoder.filter,
    ...(pageEnd.length > 0 && { isPage: (context: StepContext) => isBehindEnd(context, pageEnd) }),
    readPage(context) {
      const { headers } = context.request.response ?? {};
      if (isBehindEnd(context, pageEnd))
        return new ResultSet({ rows: [], total: count(headers?.get(totalHeader)), next: null });
      const read = sharedSteps.readPage(context);
      if (read.next === undefined) read.next = nextLink(headers?.get('link'));
      const total = count(headers?.get(totalHeader));
      // Without a page, the reader counts the rows. A header that says more about the collection wins over this number.
      const isUnsure = read.total === read.count && (total ?? read.next?.url) !== undefined;
      return new ResultSet({ ...read, total: isUnsure ? total : (read.total ?? total) });
    },
  };
}

/** Whether an answer says that a later page lies behind the last row. */
function isBehindEnd({ request: { operation, response } }: StepContext, pageEnd: readonly number[]): boolean {
  const { page = 1, start = 0, link } = operation;
  return isList(operation) && link === undefined && (page > 1 || start > 0) && pageEnd.includes(response?.status ?? 0);
}

function isEncoder(filter: FilterForms | FilterEncoder | undefined): filter is FilterEncoder {
  return filter !== undefined && 'filter' in filter;
}

/** The number in a header: `57`, or the part behind the slash of `0-24/57`. */
function count(header: string | null | undefined): number | undefined {
  const [, digits] = /^(?:[^/]*\/)?(\d+)$/.exec(header ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}
/** The address of the next page in a `Link` header (RFC 8288). */
function nextLink(header: string | null | undefined): NextPage | null | undefined {
  const urls = linkTargets(header ?? '');
  const url = urls.get('next');
  if (url !== undefined) return { url };
  return ['first', 'prev', 'last'].some((rel) => urls.has(rel)) ? null : undefined;
}
