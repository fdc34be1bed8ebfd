import { checkOptions } from '../dev/checks.js';
import type { Issue } from '../errors/issue.js';
import { flag, type Rules } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList } from '../operation/operation.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, getMember, isData } from '../util/data-path.js';
import type { Dialect } from './dialect.js';
import { checkPageSize } from './page-size.js';
import { plain } from './plain.js';
import { pocketbaseFilter } from './pocketbase-filter.js';

/** Options of `pocketbase()`. */
export interface PocketbaseOptions {
  /** Whether lists have no total, which saves the server a second query. @default false */
  skipTotal?: boolean;
  /**
   * The fields with several values, such as relations to several records, by the names of the server: a condition on them holds if it
   * holds for one of the values (`tags?='a'`). Without it, it must hold for all. @default []
   */
  multiple?: readonly string[];
}

const RULES: Rules<PocketbaseOptions> = {
  skipTotal: flag,
  multiple: {
    expected: "a list of fields, such as `['tags']`",
    holds: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  },
};

/**
 * Dialect for the records of PocketBase: `?page=2&perPage=30&sort=-created&filter=age>=18 && city='Rome'`, rows in `items`, PATCH for
 * updates, errors by field.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/api/collections/posts/records', dialect: pocketbase({ multiple: ['tags'] }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function pocketbase(options: PocketbaseOptions = {}): Dialect {
  checkOptions('pocketbase', options, RULES, 'proxy');
  const { skipTotal = false, multiple = [] } = options;
  const dialect = plain({
    name: 'pocketbase',
    page: `page={page}&perPage={limit}${skipTotal ? '&skipTotal=1' : ''}`,
    searchParam: '',
    filter: pocketbaseFilter(multiple),
    // Without a count, `totalItems` is -1, which is no total.
    reader: { rootProperty: 'items', totalProperty: 'totalItems', problem: pocketbaseProblem },
  });
  return {
    ...dialect,
    capabilities: { ...dialect.capabilities, bulk: [] },
    readPage(context) {
      const read = dialect.readPage(context);
      const { operation, response } = context.request;
      if (!isList(operation)) return read;
      const body = exactBody(response as HttpResponse);
      // Older servers answer with the last page for every page behind it.
      if (Number(getMember(body, 'page')) < (operation.page ?? 1))
        return new ResultSet({ ...read, rows: [], count: 0 });
      checkPageSize(context, getMember(body, 'perPage'));
      return read;
    },
  };
}

/** Reads `{ status, message, data: { title: { code, message } } }`. */
function pocketbaseProblem(body: unknown, status: number): Problem {
  const { message, data }: Data = isData(body) ? body : {};
  const issues = Object.entries(isData(data) ? data : {}).flatMap(([name, each]): Issue[] => {
    const own: Data = isData(each) ? each : {};
    const text = pick(own, 'message');
    const code = pick(own, 'code');
    return text === undefined ? [] : [{ path: [name], message: text, ...(code && { code }) }];
  });
  return createProblem(status, issues, {}, undefined, pick({ message }, 'message'));
}
