import { checkGiven, checkOptions } from '../dev/checks.js';
import { oneOf, type Rule, type Rules, textsByName, wholeFrom } from '../errors/option-rules.js';
import { getMember, isData } from '../util/data-path.js';
import { bracketFilter } from './bracket-filter.js';
import type { Dialect } from './dialect.js';
import { type PlainOptions, plain } from './plain.js';
import { sentFields } from './sent-query.js';
import { STRAPI } from './value-rules.js';

/** Options of `strapi()`. */
export interface StrapiOptions extends Pick<PlainOptions, 'names'> {
  /**
   * The major version of the server. Strapi 4 wraps the members of a row in `attributes`. Strapi 5 names records by their `documentId`:
   * map the id field to it, `id: { type: 'string', mapping: 'documentId' }`.
   */
  version: 4 | 5;
  /** Whether a part of a list is named by its first row or by the number of a page, which allows whole pages only. @default 'start' */
  paging?: 'start' | 'page';
  /** The most rows that the server sends per page, `api.rest.maxLimit` of its configuration; longer pages are refused. @default 100 */
  maxPageSize?: number;
}

const version: Rule = { expected: '4 or 5', holds: (value) => value === 4 || value === 5 };
const RULES: Rules<StrapiOptions> = {
  version,
  paging: /* @__PURE__ */ oneOf('start', 'page'),
  maxPageSize: /* @__PURE__ */ wholeFrom(1),
  names: textsByName,
};

/** The limits of the server's parser of queries, as Strapi configures it. */
const LIMITS = { depth: 20, listLength: 100 };

/**
 * Dialect for the REST API of Strapi 4 and 5: `pagination[start]=25&pagination[limit]=25&sort[0]=age:desc&filters[age][$gte]=18`, bodies
 * in `data`, updates by PUT with the edited fields only, which Strapi merges. `populate`, `fields`, `locale`, `status` and
 * `publicationState` are parameters of the application: `extraParams: { populate: '*' }`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/api/articles', dialect: strapi({ version: 5 }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function strapi(options: StrapiOptions): Dialect {
  checkOptions('strapi', options, RULES, 'proxy');
  checkGiven('`strapi.version`', options.version, version);
  const { paging = 'start', maxPageSize = 100, names = {} } = options;
  const base = plain({
    name: 'strapi',
    page:
      paging === 'page'
        ? 'pagination[page]={page}&pagination[pageSize]={limit}'
        : 'pagination[start]={start}&pagination[limit]={limit}',
    maxPageSize,
    names,
    sort: { asc: 'sort[{index}]={name}:asc', desc: 'sort[{index}]={name}:desc' },
    filterParam: 'filters',
    filter: bracketFilter(
      {
        ...{ eq: '$eq', ne: '$ne', lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte', in: '$in', nin: '$notIn' },
        ...{ between: '$between', contains: '$contains', startsWith: '$startsWith', endsWith: '$endsWith' },
        ...{ like: '$containsi', isNull: '$null', notNull: '$notNull', and: '$and', or: '$or', not: '$not' },
        nested: true,
        ...STRAPI,
      },
      LIMITS,
    ),
    searchParam: '',
    reader: {
      rootProperty: 'data',
      totalProperty: 'meta.pagination.total',
      ...(options.version === 4 && { record: { list: flatten, single: (body) => flatten(getMember(body, 'data')) } }),
    },
    writer: { rootProperty: 'data', writeAllFields: false },
  });
  return {
    ...base,
    capabilities: { ...base.capabilities, bulk: [] },
    method: () => undefined,
    fields(context) {
      for (const [index, name] of sentFields(context).entries())
        context.request.collect(`fields[${index}]`, name, 'strapi', 'fields');
    },
  };
}

/** The row of Strapi 4 without its wrapper: the members of `attributes`, and the id. */
function flatten(row: unknown): unknown {
  const attributes = getMember(row, 'attributes');
  return isData(row) && isData(attributes) ? { ...attributes, id: row['id'] } : row;
}
