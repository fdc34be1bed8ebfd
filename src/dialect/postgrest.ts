import { checkGiven, checkOptions } from '../dev/checks.js';
import { flag, oneOf, type Rule, type Rules, rulesOf, text } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { HttpResponse } from '../http/http-response.js';
import { encodeText, isValidId, sendableId } from '../http/url.js';
import { isList } from '../operation/operation.js';
import { MODEL, modelOf } from '../operation/operation-record.js';
import { ResultSet } from '../operation/result-set.js';
import type { Dialect, StepContext } from './dialect.js';
import { plain } from './plain.js';
import { columnOf, isParam, postgrestFilter, quoted } from './postgrest-filter.js';
import { postgrestProblem } from './postgrest-problem.js';
import { refusal, sentSorters } from './sent-query.js';
import { idOf, sharedSteps } from './steps.js';

/** Options of `postgrest()`. */
export interface PostgrestOptions {
  /** How the server counts the rows of a list: exactly, by the planner's estimate, or exactly up to a limit. @default it does not count */
  count?: 'exact' | 'planned' | 'estimated';
  /** The schema of the tables, if the server has several. @default the server's first schema */
  schema?: string;
  /** Whether a create replaces a row that has the same primary key (`Prefer: resolution=merge-duplicates`). @default false */
  upsert?: boolean;
}

/** Options of `supabase()`. */
export interface SupabaseOptions extends PostgrestOptions {
  /** The address of the project, such as `https://PROJECT.supabase.co`. */
  url: string;
  /** The key of the project: the publishable one, or the older `anon` key. */
  key: string;
  /**
   * The access token of the signed-in user. A function is called for every request. Undefined stands for nobody.
   * @default none: policies see the role `anon`
   */
  token?: string | (() => string | undefined | Promise<string | undefined>);
}

const RULES: Rules<PostgrestOptions> = {
  count: /* @__PURE__ */ oneOf('exact', 'planned', 'estimated'),
  schema: text,
  upsert: flag,
};

const address: Rule = {
  expected: "the address of the project, such as 'https://PROJECT.supabase.co'",
  holds: (value) => /^https?:\/\/[^/]/.test(String(value)),
};
const SUPABASE_RULES: Rules<SupabaseOptions> = /* @__PURE__ */ rulesOf(RULES, {
  url: address,
  key: { ...text, isSecret: true },
  token: {
    expected: 'a text, or a function that returns it',
    holds: (value) => typeof value === 'function' || text.holds(value),
    isSecret: true,
  },
});

/**
 * Dialect for PostgREST: ids and conditions are filters (`?id=eq.7`, `or=(age.lt.18,city.is.null)`), `order=age.desc.nullslast`,
 * `limit` and `offset`, totals in `Content-Range`. An update or erase without the filter of its id is never sent. An update or erase
 * that matched no row is an error with the status 404.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/people', dialect: postgrest({ count: 'exact' }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function postgrest(options: PostgrestOptions = {}): Dialect {
  checkOptions('postgrest', options, RULES, 'proxy');
  return dialectOf('postgrest', options);
}

/**
 * Dialect for the data of Supabase: `postgrest()` below `/rest/v1` of a project, with the headers `apikey` and `Authorization`.
 *
 * @example
 * ```ts
 * const dialect = supabase({ url: 'https://PROJECT.supabase.co', key: 'sb_publishable_…', count: 'exact' });
 * const proxy = new RestProxy({ url: '/people', dialect }); // https://PROJECT.supabase.co/rest/v1/people
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function supabase(given: SupabaseOptions): Dialect {
  checkOptions('supabase', given, SUPABASE_RULES, 'proxy');
  const { url, key, token, ...options } = given;
  checkGiven('supabase.url', url, SUPABASE_RULES.url);
  checkGiven('supabase.key', key, SUPABASE_RULES.key);
  const dialect = dialectOf('supabase', options);
  return {
    ...dialect,
    defaults: { ...dialect.defaults, baseUrl: `${url.replace(/\/+$/, '')}/rest/v1` },
    headers:
      ({ request }) =>
      async () => {
        // Only the older keys are tokens.
        const bearer =
          (typeof token === 'function' ? await token() : token) ?? (key.startsWith('eyJ') ? key : undefined);
        return { ...headersOf(request, options), apikey: key, ...(bearer && { Authorization: `Bearer ${bearer}` }) };
      },
  };
}

function dialectOf(name: string, options: PostgrestOptions): Dialect {
  const dialect = plain({
    name,
    page: 'limit={limit}&offset={start}',
    searchParam: '',
    filter: postgrestFilter,
    totalHeader: 'Content-Range',
    reader: { problem: postgrestProblem },
  });
  return {
    ...dialect,
    // PATCH writes the same values to all rows.
    capabilities: { ...dialect.capabilities, bulk: ['create', 'destroy'] },
    idInQuery: true,
    address: addressOf,
    headers: ({ request }): HeadersConfig => headersOf(request, options),
    sort: sortOf,
    isPage: ({ request }) => request.response?.status === 416,
    readPage(context) {
      const { status, headers } = context.request.response as HttpResponse;
      if (status !== 416) return dialect.readPage(context);
      const [, total] = /\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? [];
      return new ResultSet({ rows: [], total: total === undefined ? undefined : Number(total) });
    },
    readSaved: readSavedOf,
  };
}

/** The base with the filter of the record's id, or of the ids of several records to erase. */
function addressOf(context: StepContext): string {
  const { action, bulk, method = '', named, operation, url = '' } = context.request;
  const { records } = operation;
  const id = idOf(operation);
  if (bulk && action === 'destroy') {
    // In a fixed order, since the address must not depend on which record is the first.
    const ids = records.map((record) => encodeText(quoted(sendableId(record[MODEL].serverId(record))))).sort();
    return `${url}?${idColumn(context)}=in.(${ids.join(',')})`;
  }
  if (!bulk && isValidId(id)) return `${url}?${idColumn(context)}=eq.${encodeText(sendableId(id))}`;
  // The guard of the proxy demands the id of updates and erasures; other requests may have these methods too.
  const isOther = named === false || action === 'create' || action === 'read';
  if (isOther && /^(PATCH|PUT|DELETE)$/.test(method))
    throw refusal(
      context,
      `${method} of all rows`,
      'give the `record` that is meant, or call a function of the database',
    );
  return url;
}

/** The column of the ids. Throws `UnsupportedQueryError` for one that the server would not filter by. */
function idColumn(context: StepContext): string {
  const { request, options } = context;
  const name = modelOf(request.operation)?.idField.name;
  const column = name === undefined ? options.idParam : columnOf(context, name);
  if (!isParam(column))
    throw refusal(
      context,
      `an id in the column ${column}`,
      'let a view give the column another name, and map the id to it',
    );
  return encodeText(column);
}

function headersOf({ action, operation }: StepContext['request'], given: PostgrestOptions): Record<string, string> {
  const { count, schema, upsert } = given;
  const prefer = [
    isList(operation) && count && `count=${count}`,
    action !== 'read' && 'return=representation',
    action === 'create' && upsert && 'resolution=merge-duplicates',
  ].filter(Boolean);
  return {
    ...(prefer.length > 0 && { Prefer: prefer.join(',') }),
    ...(schema && { [action === 'read' ? 'Accept-Profile' : 'Content-Profile']: schema }),
  };
}

/** Adds the sorters. Rows without a value come first, as in a store that sorts; in descending order they come last. */
function sortOf(context: StepContext): void {
  const { request } = context;
  const { grouper } = request.operation;
  const sorters = [...(grouper ? [grouper] : []), ...sentSorters(request.operation)];
  const orders = new Map<string, string>();
  for (const { property, direction } of sorters) {
    const column = columnOf(context, property);
    // The first sorter by a field decides.
    if (!orders.has(column)) orders.set(column, direction === 'DESC' ? '.desc.nullslast' : '.asc.nullsfirst');
  }
  const order = [...orders].map(([column, direction]) => column + direction).join(',');
  request.collect('order', order || undefined, 'postgrest', 'sorters');
}

/** Reads the rows that a write returns. No row says that it has changed none. */
function readSavedOf(context: StepContext): ResultSet {
  const { action, bulk, response } = context.request;
  const { body } = response as HttpResponse;
  if (action !== 'create' && !bulk) {
    if (body === undefined) throw new ReadError('reply-changed');
    if (Array.isArray(body) && body.length === 0) return new ResultSet({ success: false });
  }
  return sharedSteps.readSaved(context);
}
