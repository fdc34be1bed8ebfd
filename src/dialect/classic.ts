import { FILTER_IN_STORE, unsupported } from '../errors/unsupported-query-error.js';
import { activeFilters, type Filter, type Sorter } from '../operation/query.js';
import type { Dialect, DialectOptions } from './dialect.js';
import { sharedSteps } from './steps.js';

type ParamName = Extract<keyof DialectOptions, `${string}Param`>;

/**
 * The default dialect, as the document describes it: `?_dc=…&page=1&start=0&limit=25&sort=[…]&filter=[…]&group={…}`, PUT for updates,
 * a cache-buster on every request. Queries use the fields' own names.
 */
export const classic: Dialect = {
  ...sharedSteps,
  name: 'classic',
  defaults: {},
  capabilities: { fieldNames: true },
  params({ request, options }) {
    const { page, start, limit, grouper, sorters, filters, search } = request.operation;
    const collect = (param: ParamName, value: unknown, option: string = param) =>
      request.collect(options[param], value, undefined, option);
    collect('pageParam', page || undefined);
    collect('startParam', start);
    collect('limitParam', limit || undefined);
    collect('searchParam', search);
    // Each direction belongs to one property, so a second direction under the same name is not collected.
    const simple = (param: ParamName, directions: ParamName, sorted: readonly Sorter[], option: string) => {
      const together = options[param] === options[directions];
      const names = sorted.map(({ property, direction }) => (together ? `${property} ${direction}` : property));
      collect(param, names, option);
      collect(
        directions,
        sorted.map((each) => each.direction),
        option,
      );
    };
    if (grouper && options.groupParam) {
      if (options.simpleGroupMode) simple('groupParam', 'groupDirectionParam', [grouper], 'simpleGroupMode');
      else collect('groupParam', options.encodeGrouper(grouper));
    }
    if (sorters && options.sortParam) {
      const sent = () => sorters.filter((each) => each.property !== undefined);
      if (options.simpleSortMode) simple('sortParam', 'directionParam', sent(), 'simpleSortMode');
      else
        collect(
          'sortParam',
          options.kept(sorters, () => (sent().length ? options.encodeSorters(sent()) : '')) || undefined,
        );
    }
    if (filters && options.filterParam) {
      const text = options.kept(filters, () => {
        const sent = filters.filter(isSent);
        if (sent.some((each) => each.property === undefined)) {
          throw unsupported(
            'classic',
            'a tree of filters',
            `list filters that must all hold, write a step \`params\` for a dialect, or ${FILTER_IN_STORE}`,
          );
        }
        return sent.length ? options.encodeFilters(sent) : '';
      });
      collect('filterParam', text || undefined);
    }
  },
};

/** Whether a filter is sent: it has an effect, and is not a function (H8). */
export function isSent(filter: Filter): boolean {
  return !filter.filterFn && activeFilters([filter]).length > 0;
}
