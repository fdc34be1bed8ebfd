import { type Dialect, isSent, operatorOf, plain, serverName, UnsupportedQueryError } from 'repose';

/** Suffixes that json-server expects behind a field's name, by operator. */
const SUFFIXES = new Map([
  ['eq', ''],
  ['in', ''],
  ['ne', '_ne'],
  ['ge', '_gte'],
  ['le', '_lte'],
]);

/** A custom dialect for json-server 0.17: `plain()` with other parameters for pages, order, filters and searches. */
export function jsonServer(): Dialect {
  return {
    ...plain(),
    name: 'json-server',
    params(context) {
      const { request } = context;
      const { page = 1, limit, search, sorters = [], filters = [] } = request.operation;
      if (limit) {
        request.collect('_page', page, 'json-server', 'page');
        request.collect('_limit', limit, 'json-server', 'pageSize');
      }
      request.collect('q', search, 'json-server', 'search');
      const order = sorters.flatMap(({ property, direction }) =>
        property === undefined ? [] : { name: serverName(context, property), direction: direction.toLowerCase() },
      );
      if (order.length > 0) {
        request.collect('_sort', order.map(({ name }) => name).join(), 'json-server', 'sorters');
        request.collect('_order', order.map(({ direction }) => direction).join(), 'json-server', 'sorters');
      }
      const names = new Set<string>();
      for (const filter of filters.filter(isSent)) {
        const suffix = SUFFIXES.get(operatorOf(filter) ?? '');
        if (filter.property === undefined || suffix === undefined)
          throw unsupportedQuery(`the operator '${filter.operator}'`);
        const name = serverName(context, filter.property) + suffix;
        // A name that is repeated means "or" here.
        if (names.has(name)) throw unsupportedQuery(`two filters on '${filter.property}'`);
        names.add(name);
        request.collect(name, filter.value, 'json-server', 'filters');
      }
    },
  };
}

function unsupportedQuery(what: string): UnsupportedQueryError {
  return new UnsupportedQueryError('query-unsupported', { dialect: 'json-server', what });
}
