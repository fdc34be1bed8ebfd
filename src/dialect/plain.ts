import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { operatorOf } from '../operation/query.js';
import { ResultSet } from '../operation/result-set.js';
import { isSent } from './classic.js';
import type { Dialect, StepContext } from './dialect.js';
import { serverName, sharedSteps } from './steps.js';

/**
 * Servers of no family: `?page=2&limit=25&sort=name,-joined&status=open`, PATCH, no cache-buster. Reads a bare array with
 * `X-Total-Count`, or rows under `reader.rootProperty`. Every parameter can be renamed or switched off on the proxy.
 * A filter other than equality (one value, or `in` for any of several) is refused: such servers ignore what they do not know.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/users', dialect: plain(), startParam: 'offset', pageParam: '' });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function plain(): Dialect {
  return {
    ...sharedSteps,
    name: 'plain',
    defaults: { noCache: false, startParam: '', groupParam: '' },
    capabilities: {},
    method: ({ request }) => (request.action === 'update' ? 'PATCH' : undefined),
    params,
    readPage(context) {
      const read = sharedSteps.readPage(context);
      const total = read.total ?? count(context.request.response?.headers.get('x-total-count'));
      return new ResultSet({ ...read, total });
    },
  };
}

function params(context: StepContext): void {
  const { request, options } = context;
  const { page, start, limit, sorters = [], filters = [], grouper } = request.operation;
  const refuse = (what: string) =>
    new UnsupportedQueryError('query-unsupported', { dialect: options.dialect.name, what });
  const aligned = !start || start === ((page ?? 1) - 1) * (limit ?? 0);
  if (!aligned && !options.startParam) throw refuse(`start=${start}, which is on no page's edge (set startParam)`);
  request.collect(options.pageParam, page || undefined, 'plain', 'pageParam');
  request.collect(options.startParam, start, 'plain', 'startParam');
  request.collect(options.limitParam, limit || undefined, 'plain', 'limitParam');
  const names = sorters
    .filter((each) => each.property !== undefined)
    .map((each) => (each.direction === 'DESC' ? '-' : '') + serverName(context, each.property as string));
  if (grouper && options.groupParam)
    request.collect(options.groupParam, serverName(context, grouper.property), 'plain', 'groupParam');
  // Grouping without words for it is sorting first: the rows of a group must arrive together.
  else if (grouper) names.unshift((grouper.direction === 'DESC' ? '-' : '') + serverName(context, grouper.property));
  if (names.length && !options.sortParam) throw refuse('a sort order (sortParam is off)');
  if (names.length) request.collect(options.sortParam, names.join(','), 'plain', 'sortParam');
  const values = new Map<string, unknown[]>();
  for (const each of filters.filter(isSent)) {
    if (each.property === undefined) throw refuse('a tree of filters');
    const operator = operatorOf(each);
    const name = serverName(context, each.property);
    const list = operator === 'in' ? (each.value as unknown[]) : [each.value];
    if ((operator !== 'eq' && operator !== 'in') || list.length === 0) throw refuse(`the operator '${each.operator}'`);
    if (values.has(name)) throw refuse(`two filters on '${each.property}'`);
    values.set(name, list);
  }
  for (const [name, list] of values) request.collect(name, list.length === 1 ? list[0] : list, 'plain', 'filters');
}

function count(text: string | null | undefined): number | undefined {
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}
