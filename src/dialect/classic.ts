import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { Filter, Sorter } from '../operation/query.js';
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
    if (sorters && options.sortParam) sort(context, sorters);
    if (filters && options.filterParam) filter(context, filters);
  },
};

function sort({ request, options }: StepContext, all: readonly Sorter[]): void {
  const named = (list: readonly Sorter[]) => list.filter((each) => each.property !== undefined);
  if (options.simpleSortMode) {
    const sent = named(all);
    request.collect(
      options.sortParam,
      sent.length ? sent.map((each) => each.property) : undefined,
      'H12',
      'simpleSortMode',
    );
    request.collect(
      options.directionParam,
      sent.length ? sent.map((each) => each.direction) : undefined,
      'H12',
      'simpleSortMode',
    );
    return;
  }
  const text = options.kept(all, () => {
    const sent = named(all);
    return sent.length ? options.encodeSorters(sent) : '';
  });
  request.collect(options.sortParam, text || undefined, '§4 rule 6', 'sortParam');
}

function filter({ request, options }: StepContext, all: readonly Filter[]): void {
  const text = options.kept(all, () => {
    const sent = all.filter(isSent);
    if (sent.some((each) => each.property === undefined)) {
      throw new UnsupportedQueryError('query-unsupported', { dialect: 'classic', what: 'a tree of filters' });
    }
    return sent.length ? options.encodeFilters(sent) : '';
  });
  request.collect(options.filterParam, text || undefined, 'H8', 'filterParam');
}

/** Disabled and local filters are not sent, nor is one without a value (H8). */
export function isSent(filter: Filter): boolean {
  return (
    !filter.disabled &&
    !filter.filterFn &&
    (filter.property === undefined || filter.value !== undefined || filter.operator === 'isNull')
  );
}
