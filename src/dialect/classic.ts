import type { Sorter } from '../operation/query-parts.js';
import { sharedSteps } from './define-dialect.js';
import type { Dialect, DialectOptions, StepContext } from './dialect.js';
import { sentFilters, sentSorters } from './sent-query.js';

type ParamName = Extract<keyof DialectOptions, `${string}Param`>;

/**
 * The default dialect, as the document describes it: `?_dc=…&page=1&start=0&limit=25&sort=[…]&filter=[…]&group={…}`, PUT for updates,
 * a cache-buster on every request. Queries use the fields' own names. Stores sort and filter by themselves (`remoteSort: false`), as in Ext JS.
 *
 * @example
 * ```ts
 * const people = new Store({ model: User, proxy: { dialect: classic }, pageSize: 25, remoteSort: true, sorters: ['name'] });
 * await people.load(); // GET /users?page=1&start=0&limit=25&sort=[{"property":"name","direction":"ASC"}]
 * ```
 */
export const classic: Dialect = {
  ...sharedSteps,
  name: 'classic',
  defaults: {},
  capabilities: { fieldNames: true, localFirst: true },
  page(context) {
    const { page, start, limit } = context.request.operation;
    collect(context, 'pageParam', page || undefined);
    collect(context, 'startParam', start);
    collect(context, 'limitParam', limit || undefined);
  },
  search: (context) => collect(context, 'searchParam', context.request.operation.search),
  sort(context) {
    const { request, options } = context;
    const { grouper, sorters } = request.operation;
    if (grouper && options.groupParam) {
      if (options.simpleGroupMode) simple(context, 'groupParam', 'groupDirectionParam', [grouper], 'simpleGroupMode');
      else collect(context, 'groupParam', options.encodeGrouper(grouper));
    }
    if (!sorters || !options.sortParam) return;
    const sent = () => sentSorters({ sorters });
    if (options.simpleSortMode) simple(context, 'sortParam', 'directionParam', sent(), 'simpleSortMode');
    else {
      const text = options.kept(sorters, () => (sent().length ? options.encodeSorters(sent()) : ''));
      collect(context, 'sortParam', text || undefined);
    }
  },
  filter(context) {
    const { request, options } = context;
    const { filters } = request.operation;
    if (!filters || !options.filterParam) return;
    const text = options.kept(filters, () => {
      const sent = sentFilters(request.operation);
      return sent.length ? options.encodeFilters(sent) : '';
    });
    collect(context, 'filterParam', text || undefined);
  },
};

function collect({ request, options }: StepContext, param: ParamName, value: unknown, option: string = param): void {
  request.collect(options[param], value, undefined, option);
}

/** Sends sorters as names and directions. Each direction belongs to one property, so a second direction under the same name is not collected. */
function simple(
  context: StepContext,
  param: ParamName,
  directions: ParamName,
  sorted: readonly Sorter[],
  option: string,
): void {
  const { options } = context;
  const together = options[param] === options[directions];
  const names = sorted.map(({ property, direction }) => (together ? `${property} ${direction}` : property));
  collect(context, param, names, option);
  collect(
    context,
    directions,
    sorted.map((each) => each.direction),
    option,
  );
}
