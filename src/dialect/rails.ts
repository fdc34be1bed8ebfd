import { checkOptions } from '../dev/checks.js';
import { flag, oneOf, type Rules, text } from '../errors/option-rules.js';
import type { Dialect } from './dialect.js';
import type { FilterTemplates } from './filter-templates.js';
import { nameFields } from './message-fields.js';
import { noteLockVersion, plain } from './plain.js';
import { refusal, sentSorters } from './sent-query.js';
import { filterTemplates } from './template-filter.js';
import { RANSACK_ESCAPING, RANSACK_RULES } from './value-rules.js';

/** Options of `rails()`. */
export interface RailsOptions {
  /**
   * The name that bodies are wrapped in: `'user'` sends `{ "user": { … } }`, which `params.require(:user)` expects. Without it, Rails
   * wraps bodies by itself: only members that are columns, and only unless the application switched `wrap_parameters` off.
   * @default none
   */
  wrap?: string;
  /**
   * How lists are paged. `'api-pagination'` sends `page` and `per_page` and reads the headers of the gem of this name, with kaminari,
   * will_paginate or pagy; `'pagy'` sends `page` and `limit` and reads the headers of pagy's own extra. A scaffold knows no pages.
   * @default none: pages are refused
   */
  paging?: 'api-pagination' | 'pagy';
  /** The header with the number of rows in the collection. @default 'Total' (api-pagination), 'total-count' (pagy) */
  totalHeader?: string;
  /** Whether the server has Ransack, and so sorts and filters by `q[…]`. @default false: sorters and filters are refused */
  ransack?: boolean;
  /**
   * Whether Ransack escapes the wildcards `%` and `_` in texts, as it does for PostgreSQL and MySQL. For other databases, such as SQLite,
   * it sends them as they are. @default false: `contains`, `startsWith`, `endsWith` and `like` with such texts are refused
   */
  escapesWildcards?: boolean;
  /**
   * Whether updates send the `lock_version` that came with the row, so that the server answers 409 if another client saved in between.
   * @default false
   */
  lockVersion?: boolean;
}

const RULES: Rules<RailsOptions> = {
  wrap: text,
  paging: /* @__PURE__ */ oneOf('api-pagination', 'pagy'),
  totalHeader: text,
  ransack: flag,
  escapesWildcards: flag,
  lockVersion: flag,
};

/** Ransack's names of operators. */
const RANSACK: FilterTemplates = {
  eq: 'q[{name}_eq]',
  ne: 'q[{name}_not_eq]',
  lt: 'q[{name}_lt]',
  le: 'q[{name}_lteq]',
  gt: 'q[{name}_gt]',
  ge: 'q[{name}_gteq]',
  in: 'q[{name}_in][]',
  nin: 'q[{name}_not_in][]',
  contains: 'q[{name}_cont]',
  startsWith: 'q[{name}_start]',
  endsWith: 'q[{name}_end]',
  like: 'q[{name}_i_cont]',
  isNull: 'q[{name}_null]=1',
  notNull: 'q[{name}_not_null]=1',
};

/**
 * Dialect for Ruby on Rails: controllers as the scaffold generates them, pages of api-pagination or pagy, and the queries of Ransack.
 * Errors are read by field, from `{ "name": ["can't be blank"] }` and from full messages. Options say which of these a server has. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const dialect = rails({ wrap: 'user', paging: 'api-pagination', ransack: true });
 * const proxy = new RestProxy({ url: '/users', format: 'json', dialect });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function rails(options: RailsOptions = {}): Dialect {
  checkOptions('rails', options, RULES, 'proxy');
  const { wrap, paging, totalHeader, ransack = false, escapesWildcards = false, lockVersion = false } = options;
  const base = plain({
    name: 'rails',
    pageParam: paging ? 'page' : '',
    limitParam: paging === 'pagy' ? 'limit' : paging ? 'per_page' : '',
    // Ransack reads one sorter from each `q[s][]`.
    sortParam: '',
    sort: ransack ? { asc: 'q[s][]={name} asc', desc: 'q[s][]={name} desc', several: 'repeat' } : {},
    filter: filterTemplates(ransack ? { ...RANSACK, ...(escapesWildcards ? RANSACK_ESCAPING : RANSACK_RULES) } : {}),
    searchParam: '',
    totalHeader: totalHeader ?? (paging === 'pagy' ? 'total-count' : 'Total'),
    writer: { names: 'brackets', ...(wrap && { rootProperty: wrap }) },
  });
  return {
    ...base,
    ...(lockVersion && { lockVersion: 'lock_version' }),
    capabilities: { ...base.capabilities, pathSeparator: '_' },
    sort(context) {
      const { sorters, grouper } = context.request.operation;
      if (!ransack && (grouper || sentSorters({ sorters }).length > 0))
        throw refusal(
          context,
          'a sort order',
          'sort in the store: `remoteSort: false`, or set `ransack` if the server has it',
        );
      base.sort(context);
    },
    page(context) {
      const { page, start, limit } = context.request.operation;
      const { pageParam } = context.options;
      if (!pageParam && (page !== undefined || start || limit))
        throw refusal(
          context,
          'a page',
          'load everything with `pageSize: 0` on the store, or say with `paging` which pages the server knows',
        );
      base.page(context);
    },
    body(context) {
      const body = base.body(context);
      noteLockVersion(context, body, 'lock_version', lockVersion);
      return body;
    },
    readError: (context) => nameFields(context, base.readError(context)),
  };
}
