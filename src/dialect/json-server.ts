import { checkGiven, checkOptions } from '../dev/checks.js';
import { oneOf, type Rule } from '../errors/option-rules.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList, type Operation } from '../operation/operation.js';
import { conditionsOf, type Filter, operatorOf } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import { getMember } from '../util/data-path.js';
import { serverName } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import { jsonFilter, type TreeNames } from './filter-tree.js';
import { type PlainOptions, plain } from './plain.js';
import { refusal, sentFilters } from './sent-query.js';
import { filterTemplates } from './template-filter.js';
import { JSON_SERVER_BETA_3, JSON_SERVER_OLD } from './value-rules.js';

/** Options of `jsonServer()`. */
export interface JsonServerOptions {
  /**
   * The version of the server: `'0.17'`; `'1.0.0-beta.3'` for the betas of 1.0 up to 1.0.0-beta.5; `'1'` for the later ones. They filter,
   * sort and page by different parameters, and each ignores those of the others, so that there is no default.
   */
  version: '0.17' | '1.0.0-beta.3' | '1';
}

const version: Rule = /* @__PURE__ */ oneOf('0.17', '1.0.0-beta.3', '1');

/** How a version of the server expects queries, and what it would misread. */
interface Version {
  readonly options: PlainOptions;
  /** Names of fields that the server takes for something else, as names of parameters. */
  readonly misread: RegExp;
  /** Says why the server would misread a condition; undefined if it would not. */
  readonly problemOf?: (filter: Filter) => string | undefined;
}

const OLD: Version = {
  options: {
    page: '_page={page}&_limit={limit}',
    sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
    filter: /* @__PURE__ */ filterTemplates({
      ...{ eq: '{name}', in: '{name}', ne: '{name}_ne', nin: '{name}_ne', ge: '{name}_gte', le: '{name}_lte' },
      like: '{name}_like',
      ...JSON_SERVER_OLD,
    }),
    searchParam: 'q',
  },
  misread: /^(q|_|callback|_start|_end|_page|_limit|_sort|_order|_embed|_expand)$|_(lte|gte|ne|like)$/,
};

/** Options of all betas of 1.0. A list without a page is a bare array. */
const PAGES: PlainOptions = {
  page: '_page={page}&_per_page={limit}',
  sortParam: '_sort',
  searchParam: '',
  reader: {
    rootProperty: (body, { operation }) => (isList(operation) && !Array.isArray(body) ? getMember(body, 'data') : body),
    totalProperty: 'items',
  },
};

const BETA_3: Version = {
  options: {
    ...PAGES,
    filter: /* @__PURE__ */ filterTemplates({
      eq: '{name}',
      ne: '{name}_ne',
      ge: '{name}_gte',
      le: '{name}_lte',
      gt: '{name}_gt',
      lt: '{name}_lt',
      ...JSON_SERVER_BETA_3,
    }),
  },
  misread: /^_(start|end|page|limit|per_page|sort|embed)$|_(lte?|gte?|ne)$/,
  problemOf({ value, ...filter }) {
    const isRange = !['eq', 'ne'].includes(operatorOf(filter) ?? '');
    const wrong = [value].flat().find((each) => (typeof each === 'number' ? !Number.isSafeInteger(each) : isRange));
    return wrong === undefined
      ? undefined
      : `the value '${wrong}', because json-server 1.0.0-beta.3 compares whole numbers only`;
  },
};

const WHERE: TreeNames = {
  ...{ eq: 'eq', ne: 'ne', lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte', in: 'in', like: 'contains', or: 'or' },
};

function versionOf({ version }: JsonServerOptions): Version {
  if (version === '0.17') return OLD;
  if (version === '1.0.0-beta.3') return BETA_3;
  return { options: { ...PAGES, filterParam: '_where', filter: jsonFilter(WHERE) }, misread: /^or$|\./ };
}

/**
 * Dialect for json-server: 0.17 (`_sort=views&_order=desc`, `views_gte=100`, a total in `X-Total-Count`) and the betas of 1.0
 * (`_sort=-views`, `_where={"views":{"gte":100}}`, pages in an envelope). Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/posts', dialect: jsonServer({ version: '0.17' }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function jsonServer(options: JsonServerOptions): Dialect {
  checkOptions('jsonServer', options, { version }, 'proxy');
  checkGiven('`jsonServer.version`', options.version, version);
  const { options: wire, misread, problemOf } = versionOf(options);
  const base = plain({ name: 'json-server', ...wire });
  return {
    ...base,
    // From a list, the server makes one row whose members are the records.
    capabilities: { ...base.capabilities, bulk: [] },
    filter(context) {
      for (const filter of sentFilters(context.request.operation))
        for (const condition of conditionsOf(filter)) {
          checkName(context, misread, condition);
          const problem = problemOf?.(condition);
          if (problem) throw refusal(context, problem, FILTER_IN_STORE);
        }
      base.filter(context);
    },
    readPage(context) {
      const { operation, response } = context.request;
      const read = base.readPage(context);
      return isBehindEnd(operation, exactBody(response as HttpResponse)) ? new ResultSet({ total: read.total }) : read;
    },
  };
}

/** Throws `UnsupportedQueryError` for a field that the server would take for something else. */
function checkName(context: StepContext, misread: RegExp, { property = '' }: Filter): void {
  const name = serverName(context, property);
  if (misread.test(name))
    throw refusal(context, `a filter on '${name}', a name that the server misreads`, FILTER_IN_STORE);
}

/** Whether a page behind the last one was asked for: json-server 1.0 then sends the last page again. */
function isBehindEnd({ page, start, limit }: Operation, body: unknown): boolean {
  const pages = getMember(body, 'pages');
  const asked = page ?? (start && limit ? start / limit + 1 : 1);
  return typeof pages === 'number' && asked > Math.max(pages, 1);
}
