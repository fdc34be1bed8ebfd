import { checkOptions } from '../dev/checks.js';
import { flag, type Rules, textsByName, wholeFrom } from '../errors/option-rules.js';
import { MODEL } from '../operation/operation-record.js';
import type { Dialect } from './dialect.js';
import { jsonFilter } from './filter-tree.js';
import { type PlainOptions, plain } from './plain.js';
import { directusRules } from './value-rules.js';

/** Options of `directus()`. */
export interface DirectusOptions extends Pick<PlainOptions, 'names'> {
  /** The most rows that the server sends per page, its `QUERY_LIMIT_MAX`; longer pages are refused. @default none */
  maxPageSize?: number;
  /**
   * Whether texts in filters that are variables of the server, such as `$NOW(-1 day)` and `$CURRENT_USER`, are sent, so that it fills in
   * their values. Set it only if no user of the application types the values of filters. @default false: they are refused
   */
  variables?: boolean;
}

const RULES: Rules<DirectusOptions> = {
  maxPageSize: /* @__PURE__ */ wholeFrom(1),
  variables: flag,
  names: textsByName,
};

/**
 * Dialect for the items of Directus: `limit=25&offset=50&meta=filter_count&sort=-age,name&search=ada&filter={"age":{"_gte":18}}`, rows in
 * `data`, PATCH, several updates or erases in one request. `fields`, `deep` and `version` are parameters of the application:
 * `extraParams: { fields: '*,author.name' }`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/items/articles', dialect: directus() });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function directus(options: DirectusOptions = {}): Dialect {
  checkOptions('directus', options, RULES, 'proxy');
  const { variables = false, ...own } = options;
  const base = plain({
    ...own,
    name: 'directus',
    fieldsParam: 'fields',
    page: 'limit={limit}&offset={start}&meta=filter_count',
    filter: jsonFilter({
      ...{ eq: '_eq', ne: '_neq', lt: '_lt', le: '_lte', gt: '_gt', ge: '_gte', in: '_in', nin: '_nin' },
      ...{ between: '_between', contains: '_contains', startsWith: '_starts_with', endsWith: '_ends_with' },
      ...{ like: '_icontains', isNull: '_null', notNull: '_nnull', and: '_and', or: '_or', nested: true },
      ...directusRules(variables),
    }),
    reader: {
      rootProperty: 'data',
      totalProperty: 'meta.filter_count',
      successProperty: '',
      // An update answers with the item, or with 204 if there is none that the user may read. A destroy always answers 204.
      empty: { update: 'missing' },
    },
  });
  return {
    ...base,
    // The rows of a bulk create may come back in another order, and nothing in them tells which is which.
    capabilities: { ...base.capabilities, bulk: ['update', 'destroy'] },
    page(context) {
      base.page(context);
      // Without a limit, the server sends its first 100 rows.
      if (!context.request.operation.limit) context.request.collect('limit', -1, 'directus', 'page');
    },
    body(context) {
      const { action, bulk, operation } = context.request;
      const erasesSeveral = action === 'destroy' && bulk;
      return erasesSeveral ? operation.records.map((record) => record[MODEL].serverId(record)) : base.body(context);
    },
  };
}
