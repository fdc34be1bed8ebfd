import { type Dialect, operatorOf, plain, UnsupportedQueryError } from 'repose';

/** Suffixes that json-server expects behind a field's name, by operator. */
const SUFFIXES = new Map([
  ['eq', ''],
  ['in', ''],
  ['ne', '_ne'],
  ['ge', '_gte'],
  ['le', '_lte'],
]);

/** A custom dialect for json-server 0.17: `plain()` with other parameters for pages, order and filters. */
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
      const keys = sorters.filter((each) => each.property !== undefined);
      if (keys.length > 0) {
        request.collect('_sort', keys.map((each) => each.property).join(), 'json-server', 'sorters');
        request.collect('_order', keys.map((each) => each.direction.toLowerCase()).join(), 'json-server', 'sorters');
      }
      const names = new Set<string>();
      for (const filter of filters.filter((each) => !each.disabled && !each.filterFn)) {
        const suffix = SUFFIXES.get(operatorOf(filter) ?? '');
        if (filter.property === undefined || suffix === undefined) throw unsaid(`the operator '${filter.operator}'`);
        const name = filter.property + suffix;
        // A name that is repeated means "or" here.
        if (names.has(name)) throw unsaid(`two filters on '${filter.property}'`);
        names.add(name);
        request.collect(name, filter.value, 'json-server', 'filters');
      }
    },
  };
}

function unsaid(what: string): UnsupportedQueryError {
  return new UnsupportedQueryError('query-unsupported', { dialect: 'json-server', what });
}
