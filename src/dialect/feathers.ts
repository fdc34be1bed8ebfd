import { checkOptions } from '../dev/checks.js';
import { type Rules, wholeFrom } from '../errors/option-rules.js';
import { sqliteProblem } from '../errors/particular-families.js';
import { ReadError } from '../errors/read-error.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList, type Operation } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { getMember, isData } from '../util/data-path.js';
import { bracketFilter } from './bracket-filter.js';
import type { Dialect } from './dialect.js';
import type { TreeNames } from './filter-tree.js';
import { plain } from './plain.js';
import { refusal, sentFields } from './sent-query.js';

/** Options of `feathers()`. */
export interface FeathersOptions {
  /** The number of brackets that the server reads in the name of a parameter: `depth` of its parser `qs`. @default 5 */
  depth?: number;
  /** The number of items that the server reads in a list: `arrayLimit` of its parser `qs`. @default 20 */
  listLength?: number;
}

const REMEDY = `join the conditions on a field into one with \`between\`, \`in\` or \`nin\`, or ${FILTER_IN_STORE}`;
const FORMS: TreeNames = {
  ...{ eq: '', ne: '$ne', lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte', in: '$in', nin: '$nin' },
  ...{ and: '$and', or: '$or', merge: true },
};
const RULES: Rules<FeathersOptions> = {
  depth: /* @__PURE__ */ wholeFrom(1),
  listLength: /* @__PURE__ */ wholeFrom(1),
};

/**
 * Dialect for Feathers 5 over REST: `$limit=25&$skip=50&$sort[age]=-1&age[$gte]=18`, trees with `$or` and `$and`, PATCH, pages in an
 * envelope `{ total, limit, skip, data }` or a bare array. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/users', dialect: feathers() });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function feathers(options: FeathersOptions = {}): Dialect {
  checkOptions('feathers', options, RULES, 'proxy');
  const { depth = 5, listLength = 20 } = options;
  const filter = bracketFilter(FORMS, { depth, listLength });
  const base = plain({
    name: 'feathers',
    page: '$skip={start}&$limit={limit}',
    sort: { asc: '$sort[{name}]=1', desc: '$sort[{name}]=-1' },
    filter,
    // The names of filters begin with the field.
    filterParam: '',
    searchParam: '',
    // Its adapter for SQL hands on the texts of SQLite.
    reader: { rootProperty: rowsIn, successProperty: '', problem: sqliteProblem },
  });
  return {
    ...base,
    fields: (context) => context.request.collect('$select[]', sentFields(context), 'feathers', 'fields'),
    capabilities: {
      ...base.capabilities,
      // A parameter cannot be null, so that no condition can be about null.
      operators: (filter.operators ?? []).filter((each) => each !== 'isNull'),
      // A PATCH or DELETE of the collection would change all of its records.
      bulk: ['create'],
    },
    address(context) {
      const { action, named, operation } = context.request;
      const isWrite = action !== 'read' && action !== 'create' && named === undefined;
      // From an address without an id, the server would change or remove all of its records, whatever the body says.
      if (isWrite && context.options.appendId === false && !operation.singleton)
        throw refusal(context, `${action} without the id in the address`, 'leave out `appendId: false`');
      return base.address(context);
    },
    filter(context) {
      base.filter(context);
      // The server answers 400 to `$and` inside of another tree.
      if (Object.keys(context.request.knownParams ?? {}).some((name) => name.includes('[$and]')))
        throw refusal(context, '`$and` inside of another tree', REMEDY);
    },
    readPage(context) {
      const { operation, response } = context.request;
      checkLimit(operation, exactBody(response as HttpResponse));
      return base.readPage(context);
    },
  };
}

/** The rows in a response. A record may have a member `data` too. */
function rowsIn(body: unknown, { operation }: ProxyRequest): unknown {
  return isList(operation) && isData(body) ? body['data'] : body;
}

/**
 * Throws `ReadError` if the server sends smaller pages than were asked for, and this page is not the first: rows between the pages would
 * be missing. `loadMore()` reads on behind the last row, so it loses none.
 */
function checkLimit({ page, start, limit }: Operation, body: unknown): void {
  const most = getMember(body, 'limit');
  if (!limit || typeof most !== 'number' || most >= limit) return;
  const from = start ?? ((page ?? 1) - 1) * limit;
  const isPage = page === undefined ? from % limit === 0 : from === (page - 1) * limit;
  if (from > 0 && isPage) throw new ReadError('response-limit', { most, limit });
}
