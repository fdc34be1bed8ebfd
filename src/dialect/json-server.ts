import { checkOptions, type Rule } from '../errors/option-rules.js';
import type { Dialect } from './dialect.js';
import { plain } from './plain.js';

/** Options of `jsonServer()`. */
export interface JsonServerOptions {
  /**
   * The version of the server. The two versions sort, filter and page by different parameters, and each ignores those of the other, so
   * that there is no default.
   */
  version: '0.17' | '1';
}

const version: Rule = {
  expected: "'0.17' or '1'",
  holds: (value) => value === '0.17' || value === '1',
};

/**
 * Dialect for json-server: 0.17 (`_sort=views&_order=desc`, `views_gte=100`, a total in `X-Total-Count`) and 1.0
 * (`_sort=-views`, `views:gte=100`, pages in an envelope).
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/posts', dialect: jsonServer({ version: '0.17' }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function jsonServer(options: JsonServerOptions): Dialect {
  checkOptions('jsonServer', options, { version }, 'proxy');
  return options.version === '1'
    ? plain({
        name: 'json-server',
        page: '_page={page}&_per_page={limit}',
        sortParam: '_sort',
        filter: { eq: '{name}', ge: '{name}:gte', le: '{name}:lte', gt: '{name}:gt', lt: '{name}:lt', ne: '{name}:ne' },
        reader: { rootProperty: 'data', totalProperty: 'items' },
      })
    : plain({
        name: 'json-server',
        page: '_page={page}&_limit={limit}',
        sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' },
        filter: { eq: '{name}', in: '{name}', ne: '{name}_ne', ge: '{name}_gte', le: '{name}_lte' },
        searchParam: 'q',
      });
}
