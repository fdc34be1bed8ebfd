import { checkGiven, checkOptions, inDevelopment } from '../dev/checks.js';
import { flag, oneOf, type Rule, type Rules, rulesOf, text } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse } from '../http/http-response.js';
import { valueText } from '../http/params.js';
import { encodeText, isValidId, sendableId } from '../http/url.js';
import { isList } from '../operation/operation.js';
import { MODEL, modelOf } from '../operation/operation-record.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, isData } from '../util/data-path.js';
import { addressedParts, idOf, serverName, sharedSteps } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import { TEXT_OPERATORS } from './filter-templates.js';
import type { FilterEncoder } from './filter-tree.js';
import { plain } from './plain.js';
import {
  isListField,
  listItems,
  refusal,
  refuseClassic,
  refuseFilterParam,
  refuseGroupParam,
  refuseTwice,
  type SentSorter,
  sentFilters,
  sentSorters,
} from './sent-query.js';
import { POSTGREST, protectBy } from './value-rules.js';

/** Texts of PostgreSQL and PostgREST that name a column. */
const COLUMNS = [
  // 23502
  /column "([^"]+)"/,
  // 42703
  /column (?:\w+\.)?(\w+) does not exist/,
  // 23514: without a name of its own, a constraint is called by its table and column
  /relation "(\w+)" violates check constraint "\1_(\w+)_check"/,
  // PGRST204
  /the '([^']+)' column/,
];

/**
 * Reads `{ code, message, details, hint }`, with the columns that the texts name. The response `[]` to an update or destroy says that no row
 * matched: 404.
 */
function postgrestProblem(body: unknown, status: number): Problem {
  if (Array.isArray(body)) {
    const detail = 'no row matched: it does not exist, or a policy of the database hides it';
    return { status: 404, detail, issues: [] };
  }
  const own: Data = isData(body) ? body : { message: body };
  const message = pick(own, 'message');
  const details = pick(own, 'details') ?? '';
  const hint = pick(own, 'hint');
  // 23503 and 23505
  const [, keys] = /^Key \((.+?)\)=\(/.exec(details) ?? [];
  const column = COLUMNS.map((pattern) => pattern.exec(message ?? '')?.at(-1)).find(Boolean);
  const code = pick(own, 'code');
  const names = keys?.split(', ').map((name) => name.replace(/^"(.*)"$/, '$1')) ?? (column ? [column] : []);
  const issues = names.map((name): Issue => {
    const text = keys === undefined ? (message as string) : details;
    return { path: [name], message: text, ...(code && { code }) };
  });
  return createProblem(status, issues, own, undefined, message && hint ? `${message} (${hint})` : message);
}

const protect = /* @__PURE__ */ protectBy('postgrest', POSTGREST);

/** Names of parameters that are no columns. Conditions on columns of such a name are written inside `and`. */
const RESERVED = ['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'and', 'or'];

/** The server's names of operators. */
const NAMES: Readonly<Record<Exclude<Operator, 'nin' | 'between' | 'isNull' | 'exists'>, string>> = {
  ...{ eq: 'eq', ne: 'neq', lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte', in: 'in' },
  ...{ contains: 'like', startsWith: 'like', endsWith: 'like', like: 'ilike' },
};

/** Puts a text in quotes if the server could read a part of it as grammar. */
function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : inQuotes(text);
}

function inQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The column of a field. A field inside a JSON column is compared as JSON (`->`), or as text (`->>`). Throws `UnsupportedQueryError` for
 * what is no field.
 */
function columnOf(context: StepContext, property: string, arrow: '->' | '->>' = '->'): string {
  const name = serverName(context, property);
  const path = modelOf(context.request.operation)?.field(property)?.path ?? [name];
  const [last = '', ...parents] = path.map((part) => quoted(String(part))).reverse();
  return parents.length > 0 ? `${parents.reverse().join('->')}${arrow}${last}` : last;
}

/** Whether `column=eq.7` filters by the column, also in updates and erasures: a name with a dot is that of an embedded table. */
function isParam(column: string): boolean {
  return !column.includes('.') && !column.includes('->') && !RESERVED.includes(column);
}

/** Writes filters and trees of them in the grammar of PostgREST: `age=gte.18&or=(city.eq.Rome,city.is.null)`. */
const postgrestFilter: FilterEncoder = {
  operators: [...(Object.keys(NAMES) as Operator[]), 'nin', 'between', 'isNull', 'exists'],
  trees: ['and', 'or', 'not'],
  filter(context) {
    inDevelopment(refuseFilterParam, context);
    const { request } = context;
    const sent = new Map<string, string[]>();
    for (const filter of sentFilters(request.operation))
      for (const [name, value] of paramsOf(context, filter)) sent.set(name, [...(sent.get(name) ?? []), value]);
    for (const [name, values] of sent) {
      refuseTwice(context, name);
      request.collect(name, values.length > 1 ? values : values[0], 'postgrest', 'filters');
    }
  },
};

/** The parameters of a filter, all of which must hold. */
function paramsOf(context: StepContext, given: Filter, isNegated: boolean = false): readonly [string, string][] {
  const filter = withoutBetween(context, given);
  const { and, or, not } = filter;
  if (not) return paramsOf(context, not, !isNegated);
  if (and && !isNegated) return and.flatMap((each) => paramsOf(context, each));
  const list = and ?? or;
  if (list) return [[`${isNegated ? 'not.' : ''}${and ? 'and' : 'or'}`, listOf(context, list)]];
  const column = filterColumn(context, filter);
  // Only in a list would the server take quotes for grammar.
  if (isParam(column)) return [[column, testOf(context, filter, isNegated, (text) => text)]];
  return [['and', `(${termOf(context, filter, isNegated)})`]];
}

function listOf(context: StepContext, filters: readonly Filter[]): string {
  return `(${filters.map((each) => termOf(context, each)).join(',')})`;
}

/** A filter as a term of a list: `age.not.gte.18`, `or(…)`, `not.and(…)`. */
function termOf(context: StepContext, given: Filter, isNegated: boolean = false): string {
  const filter = withoutBetween(context, given);
  const { and, or, not } = filter;
  if (not) return termOf(context, not, !isNegated);
  const list = and ?? or;
  if (list) return `${isNegated ? 'not.' : ''}${and ? 'and' : 'or'}${listOf(context, list)}`;
  return `${filterColumn(context, filter)}.${testOf(context, filter, isNegated, quoted)}`;
}

/** `between` as two conditions; any other filter as it is. */
function withoutBetween(context: StepContext, filter: Filter): Filter {
  const { and, or, not, property, value } = filter;
  if (and || or || not || operatorOf(filter) !== 'between') return filter;
  const [from, to] = listItems(context, 'between', value);
  return {
    and: [
      { property, operator: 'ge', value: from },
      { property, operator: 'le', value: to },
    ],
  };
}

function filterColumn(context: StepContext, filter: Filter): string {
  const { property, value } = filter;
  const operator = operatorOf(filter);
  // `->` of a member that is null gives the JSON value null, which is not null for the server.
  if (operator === 'isNull') return columnOf(context, property as string, '->>');
  if (operator === 'exists') {
    const column = columnOf(context, property as string);
    if (column.includes('->')) return column;
    throw refusal(context, `\`exists\` of the column '${property}'`, 'use `isNull`: a column is there in every row');
  }
  const [first] = [value].flat();
  // Texts and dates inside JSON are compared as texts.
  const isJson = ['number', 'boolean'].includes(typeof first) || asksMembers(context, filter);
  return columnOf(context, property as string, isJson ? '->' : '->>');
}

/** Whether a condition asks for the members of a list, instead of for a part of a text. */
function asksMembers({ request }: StepContext, filter: Filter): boolean {
  const isTextTest = TEXT_OPERATORS.includes(operatorOf(filter) as string);
  return isTextTest && isListField(modelOf(request.operation)?.field(filter.property as string), filter.value);
}

/** A list of one member: as JSON inside a JSON column, else as an array of PostgreSQL. */
function memberList(context: StepContext, filter: Filter): string {
  const { property = '', operator = '', value } = filter;
  const member = textOf(context, filter, value);
  if (operatorOf(filter) !== 'contains' || (isData(value) && !(value instanceof Date)))
    throw refusal(
      context,
      `\`${operator}\` of the list '${property}'`,
      `ask for a whole member with \`contains\`, or ${FILTER_IN_STORE}`,
    );
  const isText = /^(string|object)$/.test(typeof value);
  if (columnOf(context, property).includes('->')) return `[${isText ? JSON.stringify(member) : member}]`;
  return `{${isText ? inQuotes(member) : member}}`;
}

/** The condition behind the name of a column: `gte.18`, `not.is.null`, `in.(Rome,"A, B")`. */
function testOf(context: StepContext, filter: Filter, isNegated: boolean, quote: (text: string) => string): string {
  const { value } = filter;
  const operator = operatorOf(filter) as Exclude<Operator, 'between'>;
  const not = (isOpposite: boolean) => (isOpposite === isNegated ? '' : 'not.');
  if (operator === 'isNull') return `${not(value === false)}is.null`;
  if (operator === 'exists') return `${not(value !== false)}is.null`;
  if (value === null && (operator === 'eq' || operator === 'ne')) return `${not(operator === 'ne')}is.null`;
  if (operator === 'in' || operator === 'nin') {
    const items = listItems(context, operator, value).map((each) => textOf(context, filter, each));
    // The server reads `in.("")` as an empty list.
    const test = items.length === 1 ? `eq.${quote(items[0] as string)}` : `in.(${items.map(quoted).join(',')})`;
    return not(operator === 'nin') + test;
  }
  if (asksMembers(context, filter)) return `${not(false)}cs.${quote(memberList(context, filter))}`;
  const text = textOf(context, filter, value);
  const name = NAMES[operator];
  return `${not(false)}${name}.${quote(/like$/.test(name) ? patternOf(context, operator, filter.property as string, text) : text)}`;
}

/** The pattern of a text operator, in which `*` stands for any text. */
function patternOf(context: StepContext, operator: Operator, property: string, text: string): string {
  const { sent } = protect(context, { operator, property }, text);
  return `${operator === 'startsWith' ? '' : '*'}${sent}${operator === 'endsWith' ? '' : '*'}`;
}

/** A value as text. Throws `UnsupportedQueryError` for null and for lists, which the server would read as texts. */
function textOf(context: StepContext, { property = '', operator = 'eq' }: Filter, value: unknown): string {
  if (value === null || value === undefined || Array.isArray(value))
    throw refusal(
      context,
      `${Array.isArray(value) ? 'a list' : 'null'} as a value of '${property}' with '${operator}'`,
      'use `isNull`, or join the conditions with `or`',
    );
  return valueText(value, property);
}

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
 * that matched no row is an error with the status 404. Throws `DefinitionError` for wrong options.
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
 * Dialect for the data of Supabase: `postgrest()` below `/rest/v1` of a project, with the headers `apikey` and `Authorization`. Throws
 * `DefinitionError` for wrong options.
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
    fieldsParam: 'select',
    page: 'limit={limit}&offset={start}',
    sortParam: 'order',
    searchParam: '',
    filter: postgrestFilter,
    totalHeader: 'Content-Range',
    reader: { problem: postgrestProblem },
  });
  return {
    ...dialect,
    // PATCH writes the same values to all rows.
    capabilities: { ...dialect.capabilities, nulls: true, bulk: ['create', 'destroy'] },
    idInQuery: true,
    address: addressOf,
    headers: ({ request }): HeadersConfig => headersOf(request, options),
    sort: sortOf,
    isPage: ({ request }) => request.response?.status === 416,
    readPage(context) {
      const { status, headers } = context.request.response as HttpResponse;
      const isEstimate = options.count !== 'exact';
      if (status !== 416) return Object.assign(dialect.readPage(context), { isEstimate });
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
    if (Array.isArray(id))
      throw refusal(context, 'the erase of several records whose id has several fields', 'leave `batchActions` out');
    // In a fixed order, since the address must not depend on which record is the first.
    const ids = records.map((record) => encodeText(quoted(sendableId(record[MODEL].serverId(record))))).sort();
    return `${url}?${idColumn(context)}=in.(${ids.join(',')})`;
  }
  if (!bulk && Array.isArray(id)) {
    const conditions = addressedParts(context.request).map(
      ({ field, part }) => `${idColumn(context, field.name)}=eq.${encodeText(sendableId(part))}`,
    );
    return conditions.length > 0 ? `${url}?${conditions.join('&')}` : url;
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
function idColumn(context: StepContext, field?: string): string {
  const { request, options } = context;
  const name = field ?? modelOf(request.operation)?.idField.name;
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
  inDevelopment(refuseClassic, context);
  inDevelopment(refuseGroupParam, context);
  const { request } = context;
  const { grouper } = request.operation;
  const sorters: readonly SentSorter[] = [...(grouper ? [grouper] : []), ...sentSorters(request.operation)];
  const orders = new Map<string, string>();
  for (const { property, direction, nulls = direction === 'DESC' ? 'last' : 'first' } of sorters) {
    const column = columnOf(context, property);
    // The first sorter by a field decides.
    if (!orders.has(column)) orders.set(column, `.${direction.toLowerCase()}.nulls${nulls}`);
  }
  const order = [...orders].map(([column, direction]) => column + direction).join(',');
  request.collect(context.options.sortParam || 'order', order || undefined, 'postgrest', 'sorters');
}

/** Reads the rows that a write returns. No row says that it has changed none. */
function readSavedOf(context: StepContext): ResultSet {
  const { action, bulk, response } = context.request;
  const { body } = response as HttpResponse;
  if (action !== 'create' && !bulk) {
    if (body === undefined) throw new ReadError('response-changed');
    if (Array.isArray(body) && body.length === 0) return new ResultSet({ success: false });
  }
  return sharedSteps.readSaved(context);
}
