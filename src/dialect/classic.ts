import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { Filter } from '../operation/query.js';
import type { Dialect, StepContext } from './dialect.js';
import { sharedSteps } from './steps.js';

/**
 * The document and the lineage it describes; the default: `?_dc=…&page=1&start=0&limit=25&sort=[…]&filter=[…]&group={…}`,
 * PUT, a cache-buster on every request. Names are the fields' own.
 */
export const classic: Dialect = {
  ...sharedSteps,
  name: 'classic',
  defaults: {},
  capabilities: { fieldNames: true },
  params(context) {
    const { request, options } = context;
    const { page, start, limit, grouper, sorters, filters } = request.operation;
    request.collect(options.pageParam, page || undefined, '§4 rule 6', 'pageParam');
    request.collect(options.startParam, start, '§4 rule 6', 'startParam');
    request.collect(options.limitParam, limit || undefined, '§4 rule 6', 'limitParam');
    if (grouper && options.groupParam) {
      const text = options.simpleGroupMode ? grouper.property : options.encodeGrouper(grouper);
      request.collect(options.groupParam, text, '§4 rule 6', 'groupParam');
      if (options.simpleGroupMode)
        request.collect(options.groupDirectionParam, grouper.direction, '§4 rule 6', 'simpleGroupMode');
    }
    if (sorters) sort(context);
    if (filters) filter(context, filters);
  },
};

function sort({ request, options }: StepContext): void {
  const all = request.operation.sorters ?? [];
  // The array itself where nothing is left out: what is kept for it is found by it.
  const named = all.every((each) => each.property !== undefined)
    ? all
    : all.filter((each) => each.property !== undefined);
  if (named.length === 0 || !options.sortParam) return;
  if (options.simpleSortMode) {
    request.collect(
      options.sortParam,
      named.map((each) => each.property),
      'H12',
      'simpleSortMode',
    );
    request.collect(
      options.directionParam,
      named.map((each) => each.direction),
      'H12',
      'simpleSortMode',
    );
  } else request.collect(options.sortParam, options.encodeSorters(named), '§4 rule 6', 'sortParam');
}

function filter({ request, options }: StepContext, all: readonly Filter[]): void {
  const sent = all.every(isSent) ? all : all.filter(isSent);
  if (sent.length === 0 || !options.filterParam) return;
  if (sent.some((each) => each.and || each.or || each.not)) {
    throw new UnsupportedQueryError('query-unsupported', { dialect: 'classic', what: 'a tree of filters' });
  }
  request.collect(options.filterParam, options.encodeFilters(sent), 'H8', 'filterParam');
}

/** Disabled and local filters are not sent, nor is one without a value (H8). */
export function isSent(filter: Filter): boolean {
  return (
    !filter.disabled &&
    !filter.filterFn &&
    (filter.property === undefined || filter.value !== undefined || filter.operator === 'isNull')
  );
}
