import { checkOptions, inDevelopment } from '../dev/checks.js';
import {
  any,
  flag,
  object,
  oneOf,
  orNull,
  type Rule,
  type Rules,
  string,
  text,
  textsByName,
  wholeFrom,
  wrongValue,
} from '../errors/option-rules.js';
import { linkTargets } from '../http/location.js';
import { isList, type Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { Sorter } from '../operation/query-parts.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import type { RestProxyConfig } from '../proxy/proxy-config.js';
import { isData, parsePath, readPath } from '../util/data-path.js';
import { serverName, sharedSteps } from './define-dialect.js';
import type { Dialect, DialectDefaults, StepContext } from './dialect.js';
import { equalFilter } from './equal-filter.js';
import type { FilterEncoder } from './filter-tree.js';
import { fillTemplate, hasBlank, type ParamTemplate, parseTemplate } from './query-template.js';
import { refusal, refuseClassic, refuseOptions, sentFields, sentSorters } from './sent-query.js';

/** A parameter of a page, with the option of the proxy that names it. */
interface PageParam extends ParamTemplate {
  readonly option: string;
}

const BY_TEMPLATE = 'the template of the dialect names the parameters, so change that';
const BLANKS = ['page', 'pageIndex', 'start', 'end', 'last', 'limit'];

/**
 * The paging step of `plain()`: by its template or, without one, by the options `pageParam`, `startParam` and `limitParam` of the proxy. It
 * refuses pages that are longer than `most`.
 */
function pageStep(parts: readonly PageParam[] | undefined, most: number = Number.POSITIVE_INFINITY): Dialect['page'] {
  return (context) => {
    const { request, options } = context;
    const { operation } = request;
    // A template may have constants, which are sent without a page too.
    if (!parts && (operation.page ?? operation.start ?? operation.limit) === undefined) return;
    const params = parts ?? [
      { name: options.pageParam || undefined, value: '{page}', option: 'pageParam' },
      { name: options.startParam || undefined, value: '{start}', option: 'startParam' },
      { name: options.limitParam || undefined, value: '{limit}', option: 'limitParam' },
    ];
    const given = withPage(operation, params);
    const { limit = 0 } = given;
    if (limit > most)
      throw refusal(
        context,
        `a page of ${limit} rows`,
        `ask for at most ${most} (\`pageSize\` of the store), or set \`maxPageSize\` of the dialect if the server sends more`,
      );
    checkPage(context, given, params);
    if (parts) inDevelopment(refuseOptions, context, namesOf(parts), BY_TEMPLATE);
    const blanks = blanksOf(given);
    for (const { name, value, option } of params) {
      const text = fillTemplate(value, blanks);
      // In the body of an `api.list`, a number is a number.
      const isNumber = text !== undefined && /^\{\w+\}$/.test(value);
      request.collect(name, isNumber ? Number(text) : text, 'plain', option);
    }
  };
}

/** The options that name the parameters of a page. */
type PageNames = Readonly<Record<'pageParam' | 'startParam' | 'limitParam', string>>;

/** The names that a template of `page` gives to the parameters of a page; '' where it has no such parameter. */
function namesOf(parts: readonly PageParam[]): PageNames {
  const nameOf = (blank: string) => parts.find(({ value }) => value === blank)?.name ?? '';
  return { pageParam: nameOf('{page}'), startParam: nameOf('{start}'), limitParam: nameOf('{limit}') };
}

function parsePage(template: string): readonly PageParam[] {
  const parts = parseTemplate(template, 'plain.page', BLANKS);
  if (parts.some(({ name }) => !name))
    throw wrongValue('`plain.page`', "parameters such as 'page={page}&size={limit}'", template);
  return parts.map((each) => ({ ...each, option: 'page' }));
}

type Window = Pick<Operation, 'page' | 'start' | 'limit'>;

function says(params: readonly ParamTemplate[], ...blanks: readonly string[]): boolean {
  return params.some(({ name, value }) => name && blanks.some((blank) => hasBlank(value, blank)));
}

/** Adds the number of the page to a start on the edge of a page, for servers that know pages only. */
function withPage({ page, start, limit }: Window, params: readonly ParamTemplate[]): Window {
  const isEdge = page === undefined && start !== undefined && limit && start % limit === 0;
  return { page: isEdge && says(params, 'page', 'pageIndex') ? start / limit + 1 : page, start, limit };
}

/** Index of the first row of the page. */
function edgeOf({ page = 1, limit = 0 }: Window): number {
  return (page - 1) * limit;
}

/** Throws `UnsupportedQueryError` for a page that the parameters cannot express. */
function checkPage(context: StepContext, given: Window, params: readonly PageParam[]): void {
  const { page = 1, start, limit } = given;
  const edge = edgeOf(given);
  const hasPage = says(params, 'page', 'pageIndex');
  const paramRemedy = (param: string) =>
    params.some(({ option }) => option === 'page')
      ? 'give `plain()` a template of `page` that can'
      : `set \`${param}\` on the proxy`;
  // Later pages are asked for by number: behind a short page, `start` would be another row.
  if (!says(params, 'start', 'end', 'last') && ((start && !edge) || (edge && !hasPage)))
    throw refusal(context, `start=${start ?? edge}`, paramRemedy('startParam'));
  // Without a limit, a page number cannot be turned into a start.
  if (!hasPage && !limit && start === undefined && page > 1)
    throw refusal(context, `page=${page}`, paramRemedy('pageParam'));
}

function blanksOf(given: Window): Record<string, string | undefined> {
  const { page, start, limit } = given;
  const first = start ?? (page && limit ? edgeOf(given) : undefined);
  const end = limit && first !== undefined ? first + limit : undefined;
  const blanks = { page: page || undefined, pageIndex: page && page - 1, start: first, end, limit: limit || undefined };
  const all = { ...blanks, last: end && end - 1 };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value?.toString()]));
}

/**
 * How `plain()` writes an order. Write each template as the documentation of the server does: `{name}` is the server's name of the field,
 * `{index}` the number of the sorter, from 0. A template without `=` is a value for the `sortParam` of the proxy.
 */
export interface SortTemplates {
  /** A sorter in ascending order. @default '{name}' */
  asc?: string;
  /** A sorter in descending order: `'{name}:desc'`, `'{name},DESC'`, `'_sort={name}&_order=desc'`, `'$sort[{name}]=-1'`. @default '-{name}' */
  desc?: string;
  /** Whether the values of several sorters are joined in one parameter, sent under a repeated name, or refused. @default 'join' */
  several?: 'join' | 'repeat' | 'refuse';
  /** The text between joined sorters. @default ',' */
  separator?: string;
}

const SORT_RULES: Rules<SortTemplates> = {
  asc: text,
  desc: text,
  several: /* @__PURE__ */ oneOf('join', 'repeat', 'refuse'),
  separator: text,
};

/** The sorting step of `plain()`, and the names of the parameters that it sends beside `sortParam`. */
export function sortStep(templates: SortTemplates = {}): {
  readonly sort: Dialect['sort'];
  readonly names: readonly string[];
  /** Whether the proxy's `sortParam` names a parameter. */
  readonly isUnnamed: boolean;
} {
  checkOptions('plain.sort', templates, SORT_RULES);
  const { asc = '{name}', desc = '-{name}', several = 'join', separator = ',' } = templates;
  const parse = (template: string, option: string) => parseTemplate(template, option, ['name', 'index'], 'name');
  const parts = { ASC: parse(asc, 'plain.sort.asc'), DESC: parse(desc, 'plain.sort.desc') };
  const isUnnamed = Object.values(parts).some((each) => each.some(({ name }) => !name));

  /** Collects sorters; values of templates without a name go under `param`. */
  const collect = (context: StepContext, sorters: readonly Sorter[], param: string | null, option: string) => {
    const values = new Map<string, string[]>();
    for (const [i, { property, direction }] of sorters.entries()) {
      const blanks = { name: serverName(context, property as string), index: String(i) };
      for (const { name, value } of parts[direction] as readonly ParamTemplate[]) {
        const key = name === undefined ? param : fillTemplate(name, blanks);
        if (key) values.set(key, [...(values.get(key) ?? []), fillTemplate(value, blanks) as string]);
      }
    }
    for (const [name, list] of values) {
      const value = several === 'join' ? list.join(separator) : list;
      context.request.collect(name, list.length > 1 ? value : list[0], 'plain', option);
    }
  };

  return {
    isUnnamed,
    names: [...parts.ASC, ...parts.DESC].flatMap(({ name }) => name ?? []),
    sort(context) {
      const { options, request } = context;
      const { grouper, sorters: asked } = request.operation;
      if (!grouper && !asked) return;
      const sorters: Sorter[] = [...sentSorters(request.operation)];
      if (grouper && options.groupParam) {
        if (!isUnnamed)
          throw refusal(context, 'a group', "set `groupParam: ''`, so that the group is the first sorter");
        collect(context, [grouper], options.groupParam, 'groupParam');
      }
      // A server that cannot group sorts by the group first, so that the rows of a group arrive together.
      else if (grouper) sorters.unshift(grouper);
      if (sorters.length && isUnnamed && !options.sortParam)
        throw refusal(context, 'a sort order', 'set `sortParam` on the proxy');
      if (!isUnnamed) inDevelopment(refuseOptions, context, { sortParam: '' }, BY_TEMPLATE);
      inDevelopment(refuseClassic, context);
      // The first sorter by a field decides.
      const first = sorters.filter(({ property }, i) => sorters.findIndex((each) => each.property === property) === i);
      collect(context, first, options.sortParam, 'sortParam');
    },
  };
}

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
 * and where its responses hold rows, total and next page can be given here too; a proxy's own options win over them.
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
  sort?: SortTemplates;
  /**
   * How filters are written: `filterTemplates({ … })` with a template per operator, or another encoder such as `jsonFilter({ … })`.
   * @default filterTemplates({ eq: '{name}', in: '{name}' })
   */
  filter?: FilterEncoder;
  /**
   * The server's names of fields in sorters and filters, by the field's name, where they are not its `mapping`:
   * `{ createdAt: 'created' }`. @default {}
   */
  names?: Readonly<Record<string, string>>;
  /**
   * The header with the number of rows in the collection, as `57` or, in the template of `Content-Range`, as `0-24/57`. A total in the body
   * (`reader.totalProperty`) wins. @default 'X-Total-Count'
   */
  totalHeader?: string;
  /**
   * The member of a row that holds its version, such as `'lock_version'`: updates send the value that came with the row, so that the
   * server answers 409 if somebody else has saved in between. That answer is a `ConflictError`. @default none
   */
  lockVersion?: string;
  /** Name of the parameter that lists the fields of a row, joined by commas: `fields=id,name`. @default none: a load with `fields` is refused */
  fieldsParam?: string;
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
  sort: { ...object, expected: "an object of templates, such as `{ asc: '{name}:asc', desc: '{name}:desc' }`" },
  filter: {
    expected: "an encoder such as `filterTemplates({ eq: '{name}', ge: '{name}__gte' })` or `jsonFilter({ … })`",
    holds: (value) => isData(value) && typeof value['filter'] === 'function',
  },
  names: textsByName,
  totalHeader: text,
  lockVersion: text,
  fieldsParam: text,
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
 * writes sorters, filters and pages; what they cannot express is refused, because such servers ignore parameters that they do not know. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const dialect = plain({
 *   page: '_page={page}&_limit={limit}',
 *   sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
 *   filter: filterTemplates({ eq: '{name}', ne: '{name}_ne', ge: '{name}_gte', le: '{name}_lte' }),
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
    filter: encoder = equalFilter,
    names,
    totalHeader = 'X-Total-Count',
    lockVersion,
    fieldsParam,
    ...wire
  } = options;
  const named = (['pageParam', 'startParam', 'limitParam'] as const).find((param) => options[param]);
  if (page !== undefined && named)
    throw wrongValue(`\`plain.${named}\``, 'left out beside `page`, which names the parameters', options[named]);
  const sorting = sortStep(sort);
  const pages = page === undefined ? undefined : parsePage(page);
  /** The parameters that the rest of the query uses. */
  const reserved = ({ request, options: used }: StepContext) => {
    const { pageParam, startParam, limitParam, sortParam, groupParam, searchParam } = used;
    const search = request.operation.search === undefined ? undefined : searchParam;
    const paging = pages ? pages.map((each) => each.name) : [pageParam, startParam, limitParam];
    return [...paging, sortParam, groupParam, search, ...sorting.names];
  };
  return {
    ...sharedSteps,
    name,
    defaults: {
      ...{ noCache: false, startParam: '', groupParam: '', searchParam: 'search' },
      ...(pages && namesOf(pages)),
      ...(!sorting.isUnnamed && { sortParam: '' }),
      ...(wire as DialectDefaults),
    },
    capabilities: {
      ...(encoder.operators && { operators: encoder.operators }),
      ...(encoder.trees && { trees: encoder.trees }),
      ...(sort?.several === 'refuse' && { multiSort: false }),
      ...(names && { names }),
    },
    method: ({ request }) => (request.action === 'update' ? 'PATCH' : undefined),
    page: pageStep(pages, maxPageSize),
    search(context) {
      const { request, options: used } = context;
      const { search } = request.operation;
      if (search !== undefined && !used.searchParam)
        throw refusal(context, 'a search', 'set `searchParam` on the proxy');
      request.collect(used.searchParam, search, 'plain', 'searchParam');
    },
    sort: sorting.sort,
    filter(context) {
      encoder.filter(context, context.request.operation.filters ? reserved(context) : []);
    },
    ...(fieldsParam && {
      fields(context: StepContext) {
        const names = sentFields(context);
        const all = lockVersion === undefined || names.includes(lockVersion) ? names : [...names, lockVersion];
        context.request.collect(fieldsParam, all.join(','), name, 'fieldsParam');
      },
    }),
    ...(lockVersion !== undefined && {
      lockVersion,
      body(context: StepContext) {
        const body = sharedSteps.body(context);
        noteLockVersion(context, body, lockVersion, true);
        return body;
      },
    }),
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
      read.total = isUnsure ? total : (read.total ?? total);
      return read;
    },
  };
}

/** Whether a response says that a later page lies behind the last row. */
function isBehindEnd({ request: { operation, response } }: StepContext, pageEnd: readonly number[]): boolean {
  const { page = 1, start = 0, link } = operation;
  return isList(operation) && link === undefined && (page > 1 || start > 0) && pageEnd.includes(response?.status ?? 0);
}

/** The number in a header: `57`, or the part behind the slash of `0-24/57`. */
function count(header: string | null | undefined): number | undefined {
  const [, digits] = /^(?:[^/]*\/)?(\d+)$/.exec(header ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}
/** The address of the next page in a `Link` header (RFC 8288). */
function nextLink(header: string | null | undefined): NextPage | null | undefined {
  if (!header) return undefined;
  const urls = linkTargets(header);
  const url = urls.get('next');
  if (url !== undefined) return { url };
  return ['first', 'prev', 'last'].some((rel) => urls.has(rel)) ? null : undefined;
}

/**
 * Adds the version that came with each row, its member `name`, to the body of an update, if `adds`. A body that holds this member, such as
 * a whole row, is marked as versioned: the server refuses it with 409 if the row has changed.
 */
export function noteLockVersion({ request, options }: StepContext, body: unknown, name: string, adds: boolean): void {
  if (request.action !== 'update') return;
  const { rootProperty } = options.writer;
  const rows = [rootProperty ? readPath(body, parsePath(rootProperty)) : body].flat();
  for (const [at, record] of request.operation.records.entries()) {
    const row = rows[at];
    if (!isData(row)) continue;
    const version = record[MODEL].row(record)[name];
    if (adds && version !== undefined) row[name] = version;
    if (Object.hasOwn(row, name)) request.versioned = name;
  }
}
