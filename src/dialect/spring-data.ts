import { checkOptions } from '../dev/checks.js';
import { flag, oneOf, type Rules, text } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { decodeSegment } from '../http/location.js';
import { isList } from '../operation/operation.js';
import { modelOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { type Data, getMember, isData, parsePath, readPath, withPath } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';
import type { Dialect } from './dialect.js';
import { plain } from './plain.js';
import { filterTemplates } from './template-filter.js';
import { SPRING } from './value-rules.js';

/** Options of `springData()`. */
export interface SpringDataOptions {
  /**
   * How lists arrive: `'hal'` from Spring Data REST and Spring HATEOAS, `'page'` from controllers that return a `Page<T>`, a `Slice<T>` or
   * Spring Data's `PagedModel<T>`. @default 'hal'
   */
  format?: 'hal' | 'page';
  /** The name of the rows in `_embedded`, such as `people`. @default the only list that `_embedded` holds */
  rel?: string;
  /** The number of the first page: 1 with `spring.data.web.pageable.one-indexed-parameters=true`. @default 0 */
  firstPage?: 0 | 1;
  /** Whether the repository takes conditions by Querydsl, such as `?name=Ada&team=1&team=2`. @default false: filters are refused */
  querydsl?: boolean;
}

const RULES: Rules<SpringDataOptions> = {
  format: /* @__PURE__ */ oneOf('hal', 'page'),
  rel: text,
  firstPage: /* @__PURE__ */ oneOf(0, 1),
  querydsl: flag,
};

/**
 * Dialect for Spring: `?page=1&size=25&sort=name,asc&sort=age,desc`. Reads the HAL of Spring Data REST, where the id of a record stands in
 * its `self` link only, or the JSON of a `Page<T>`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/people', dialect: springData({ rel: 'people' }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function springData(options: SpringDataOptions = {}): Dialect {
  checkOptions('springData', options, RULES, 'proxy');
  const { format = 'hal', rel, firstPage = 0, querydsl = false } = options;
  const isHal = format === 'hal';
  const base = plain({
    name: 'springData',
    page: `page={${firstPage === 0 ? 'pageIndex' : 'page'}}&size={limit}`,
    sort: { asc: '{name},asc', desc: '{name},desc', several: 'repeat' },
    searchParam: '',
    filter: filterTemplates(querydsl ? { eq: '{name}', in: '{name}', ...SPRING } : {}),
    reader: {
      // Places are functions, because a record may have members such as `content` too.
      rootProperty: (body, { operation }) =>
        isList(operation) ? (isHal ? embedded(body, rel) : getMember(body, 'content')) : undefined,
      totalProperty: (body) => getMember(pageOf(body), 'totalElements'),
      ...(isHal && { nextProperty: (body) => hrefOf(body, 'next'), record: { list: withId, single: withId } }),
      successProperty: '',
      messageProperty: '',
      problem: springProblem,
    },
  });
  return {
    ...base,
    // Spring Data REST takes one record per request.
    capabilities: { ...base.capabilities, ...(isHal && { bulk: [] }) },
    headers({ request: { method, named, body } }) {
      if (!isHal) return {};
      const isPatch = method === 'PATCH' && named === undefined && body !== undefined;
      return {
        // Writes are answered with the record only if the request names a type.
        Accept: 'application/hal+json, application/json;q=0.9',
        ...(isPatch && { 'Content-Type': 'application/merge-patch+json' }),
      };
    },
    readPage(context) {
      const { operation, response } = context.request;
      const page = pageOf(response?.body);
      checkSize(operation, getMember(page, 'size'));
      const read = base.readPage(context);
      // A slice has no total, but says whether it is the last one.
      if (getMember(page, 'last') === true) read.next = null;
      return read;
    },
  };
}

/** The rows of a list in HAL. A list without rows may have no `_embedded`; without links, it is `{}`. */
function embedded(body: unknown, rel: string | undefined): unknown {
  const held = getMember(body, '_embedded');
  if (held === undefined) {
    const isBare = isPlainObject(body) && Object.keys(body).length === 0;
    const isHalList = getMember(body, '_links') !== undefined || getMember(body, 'page') !== undefined;
    return isBare || isHalList ? [] : undefined;
  }
  if (rel !== undefined) return getMember(held, rel);
  const lists = isData(held) ? Object.values(held).filter(Array.isArray) : [];
  return lists.length === 1 ? lists[0] : undefined;
}

/** The part of a response with the numbers of the page. */
function pageOf(body: unknown): unknown {
  const page = getMember(body, 'page');
  return isData(page) ? page : body;
}

/** The address of a link. What is in braces may be added to it (RFC 6570), and is left out. */
function hrefOf(source: unknown, rel: string): string | undefined {
  const href = readPath(source, ['_links', rel, 'href']);
  return typeof href === 'string' ? href.replace(/\{[^{}]*\}/g, '') : undefined;
}

/** The last segment of an address, which may end with a slash; undefined if it has none. */
function lastSegmentOf(href: string): string | undefined {
  const [path = ''] = href.split(/[?#]/, 1);
  const text = path.endsWith('/') ? path.slice(0, -1) : path;
  return text.slice(text.lastIndexOf('/') + 1) || undefined;
}

/** A row with the id that its `self` link ends with, unless it holds one. */
function withId(row: unknown, { operation }: ProxyRequest): unknown {
  const model = modelOf(operation);
  const path = model ? model.idField.path : parsePath('id');
  const segment = lastSegmentOf(hrefOf(row, 'self') ?? '');
  if (!path || segment === undefined || readPath(row, path) !== undefined) return row;
  const id = decodeSegment(segment);
  return withPath(row, path, model ? model.idFromText(id) : id);
}

/** Throws `ReadError` if the server made smaller pages than were asked for, and this page so begins at another row. */
function checkSize({ page, start, limit = 0 }: ProxyRequest['operation'], size: unknown): void {
  if (typeof size !== 'number' || size < 1 || size >= limit) return;
  const index = page === undefined ? (start ?? 0) / limit : page - 1;
  if (index * size !== (start ?? index * limit)) throw new ReadError('response-limit', { most: size, limit });
}

/** Reads the errors of Spring Data REST and Spring Boot: `{ errors: [{ property, message }] }`, `{ errors: [{ field, defaultMessage }] }`. */
function springProblem(body: unknown, status: number): Problem | undefined {
  const errors = getMember(body, 'errors');
  const listed: readonly Data[] = Array.isArray(errors) ? errors.filter(isData) : [];
  const issues = listed.flatMap((each) => {
    const field = pick(each, 'property field');
    const message = pick(each, 'message defaultMessage') ?? '';
    const code = pick(each, 'code');
    return field === undefined ? [] : [{ path: parsePath(field), message, ...(code && { code }) }];
  });
  if (issues.length === 0) return undefined;
  const own: Data = isData(body) ? body : {};
  return createProblem(status, issues, own, pick(own, 'title'), pick(own, 'detail message') ?? issues[0]?.message);
}
