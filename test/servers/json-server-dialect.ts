import { type Dialect, plain, UnsupportedQueryError } from 'repose';

/** What json-server puts behind a field's name, by operator. */
const SUFFIXES: Readonly<Record<string, string>> = { eq: '', in: '', ne: '_ne', ge: '_gte', le: '_lte' };

/** A house dialect for json-server 0.17: `plain()` with its own words for pages, order and filters. */
export function jsonServer(): Dialect {
  return {
    ...plain(),
    name: 'json-server',
    params({ request }) {
      const { page = 1, limit, sorters = [], filters = [] } = request.operation;
      if (limit) {
        request.collect('_page', page, 'json-server', 'page');
        request.collect('_limit', limit, 'json-server', 'pageSize');
      }
      if (sorters.length > 0) {
        request.collect('_sort', sorters.map((each) => each.property).join(), 'json-server', 'sorters');
        request.collect('_order', sorters.map((each) => each.direction.toLowerCase()).join(), 'json-server', 'sorters');
      }
      for (const { property, operator = 'eq', value } of filters) {
        const suffix = SUFFIXES[operator];
        if (property === undefined || suffix === undefined) {
          throw new UnsupportedQueryError('query-unsupported', {
            dialect: 'json-server',
            what: `the operator '${operator}'`,
          });
        }
        request.collect(property + suffix, value, 'json-server', 'filters');
      }
    },
  };
}
