import { checkNoOptions } from '../errors/option-rules.js';
import { FILTER_IN_STORE, type UnsupportedQueryError, unsupported } from '../errors/unsupported-query-error.js';
import { operatorOf, type Sorter } from '../operation/query.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import { isSent } from './classic.js';
import type { Dialect, StepContext } from './dialect.js';
import { serverName, sharedSteps } from './steps.js';

/**
 * Dialect for servers without conventions of a known family: `?page=2&limit=25&sort=name,-joined&status=open`, PATCH, no cache-buster.
 * Reads a bare array with `X-Total-Count`, or rows under `reader.rootProperty`; `Link` leads to the next page. Every parameter can be
 * renamed or switched off on the proxy. Filters other than equality (one value, or `in` for several values) are refused, because such
 * servers ignore parameters that they do not know.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/users', dialect: plain(), startParam: 'offset', pageParam: '' });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function plain(...none: readonly never[]): Dialect {
  checkNoOptions('plain', none);
  return {
    ...sharedSteps,
    name: 'plain',
    defaults: { noCache: false, startParam: '', groupParam: '', searchParam: 'search' },
    capabilities: {},
    method: ({ request }) => (request.action === 'update' ? 'PATCH' : undefined),
    params,
    readPage(context) {
      const read = sharedSteps.readPage(context);
      const { headers } = context.request.response ?? {};
      if (read.next === undefined) read.next = nextLink(headers?.get('link'));
      return new ResultSet({ ...read, total: read.total ?? count(headers?.get('x-total-count')) });
    },
  };
}

function params(context: StepContext): void {
  paging(context);
  sorting(context);
  filtering(context);
}

function refusal({ options }: StepContext, what: string, remedy: string): UnsupportedQueryError {
  return unsupported(options.dialect.name, what, remedy);
}

function paging(context: StepContext): void {
  const { request, options } = context;
  const { page, start, limit } = request.operation;
  const edge = ((page ?? 1) - 1) * (limit ?? 0);
  // Later pages are asked for by number: behind a short page, `start` would be another row.
  if (!options.startParam && ((start && !edge) || (edge && !options.pageParam))) {
    throw refusal(context, `start=${start ?? edge}`, 'set `startParam` on the proxy');
  }
  // Without a limit, a page number cannot be turned into a start.
  const unnamed = !options.pageParam && !limit && start === undefined;
  if (unnamed && page !== undefined && page > 1) throw refusal(context, `page=${page}`, 'set `pageParam` on the proxy');
  request.collect(options.pageParam, page || undefined, 'plain', 'pageParam');
  request.collect(options.startParam, start ?? (page && limit ? edge : undefined), 'plain', 'startParam');
  request.collect(options.limitParam, limit || undefined, 'plain', 'limitParam');
}

function sorting(context: StepContext): void {
  const { request, options } = context;
  const { sorters = [], grouper } = request.operation;
  const signed = ({ property, direction }: Partial<Sorter>) =>
    (direction === 'DESC' ? '-' : '') + serverName(context, property as string);
  const names = sorters.filter((each) => each.property !== undefined).map(signed);
  if (grouper && options.groupParam) request.collect(options.groupParam, signed(grouper), 'plain', 'groupParam');
  // A server that cannot group sorts by the group first, so that the rows of a group arrive together.
  else if (grouper) names.unshift(signed(grouper));
  if (names.length && !options.sortParam) throw refusal(context, 'a sort order', 'set `sortParam` on the proxy');
  request.collect(options.sortParam, names.join(',') || undefined, 'plain', 'sortParam');
}

function filtering(context: StepContext): void {
  const { request, options } = context;
  const { search, filters } = request.operation;
  const taken = [options.pageParam, options.startParam, options.limitParam, options.sortParam, options.groupParam];
  if (search !== undefined && !options.searchParam)
    throw refusal(context, 'a search', 'set `searchParam` on the proxy');
  if (search !== undefined) taken.push(options.searchParam);
  request.collect(options.searchParam, search, 'plain', 'searchParam');
  for (const each of filters?.filter(isSent) ?? []) {
    const { property, value } = each;
    if (property === undefined)
      throw refusal(
        context,
        'a tree of filters',
        `list filters that must all hold, write a step \`params\` for a dialect, or ${FILTER_IN_STORE}`,
      );
    const operator = operatorOf(each);
    const name = serverName(context, property);
    const list = operator === 'in' ? [value].flat() : [];
    if (operator !== 'eq' && list.length === 0)
      throw refusal(
        context,
        `the operator '${each.operator}'`,
        `use \`eq\` or \`in\`, write a step \`params\` for a dialect, or ${FILTER_IN_STORE}`,
      );
    if (taken.includes(name))
      throw refusal(
        context,
        `two parameters named '${name}'`,
        'join the conditions on the field into one, or rename the parameter of that name on the proxy',
      );
    taken.push(name);
    request.collect(name, list.length > 1 ? list : (list[0] ?? value), 'plain', 'filters');
  }
}

function count(text: string | null | undefined): number | undefined {
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The address of the next page in a `Link` header (RFC 8288). */
function nextLink(header: string | null | undefined): NextPage | null | undefined {
  const urls = new Map<string, string>();
  for (const [, url = '', params = ''] of (header ?? '').matchAll(/<([^>]*)>((?:[^",]|"(?:[^"\\]|\\.)*")*)/g)) {
    const given = [...params.matchAll(/;\s*(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/g)];
    const [, , quoted, token = ''] = given.find(([, name]) => name?.toLowerCase() === 'rel') ?? [];
    for (const rel of (quoted ?? token).toLowerCase().split(/\s+/)) urls.set(rel, url);
  }
  const url = urls.get('next');
  if (url !== undefined) return { url };
  return ['first', 'prev', 'last'].some((rel) => urls.has(rel)) ? null : undefined;
}
