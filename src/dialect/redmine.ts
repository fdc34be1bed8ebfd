import { checkOptions, inDevelopment } from '../dev/checks.js';
import { type Rules, text, wrongValue } from '../errors/option-rules.js';
import { FILTER_IN_STORE, type UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { getMember, isData, parsePath, readPath, withPath } from '../util/data-path.js';
import { serverName } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import type { FilterEncoder } from './filter-tree.js';
import { nameFields } from './message-fields.js';
import { plain } from './plain.js';
import { refusal, refuseClassic, refuseFilterParam, refuseGroupParam, sentFilters, sentSorters } from './sent-query.js';
import { misreadError, type ProtectText, protectBy, REDMINE, REDMINE_WORDS } from './value-rules.js';

/** The signs that Redmine expects before the value. */
const SIGNS: Readonly<Partial<Record<Operator, string>>> = {
  eq: '',
  in: '',
  ne: '!',
  nin: '!',
  ge: '>=',
  le: '<=',
  between: '><',
  contains: '~',
  like: '~',
  startsWith: '^',
  endsWith: '$',
  isNull: '!*',
};

/** Writes filters as the API of Redmine wants them: `tracker_id=1|2`, `created_on=>=2026-01-31`, `subject=~text`, `due_date=!*`. */
function redmineFilter(record: string): FilterEncoder {
  const protect = protectBy('redmine', REDMINE);
  return {
    operators: Object.keys(SIGNS) as Operator[],
    filter(context) {
      inDevelopment(refuseFilterParam, context);
      const { request } = context;
      for (const filter of sentFilters(request.operation)) {
        const name = paramOf(context, record, filter.property as string);
        if (request.knownParams?.[name] !== undefined)
          throw refusal(
            context,
            `two parameters named '${name}'`,
            'join the conditions on the field into one, or leave the other parameter out',
          );
        request.collect(name, conditionText(context, protect, name, filter), 'redmine', 'filters');
      }
    },
  };
}

/** The parameter of a condition: `tracker.id` is filtered as `tracker_id`, and the id of an issue as `issue_id`. */
function paramOf(context: StepContext, record: string, property: string): string {
  const name = serverName(context, property);
  if (name === 'id' && record === 'issue') return 'issue_id';
  const param = name.replace(/\.id$/, '_id');
  if (param.includes('.'))
    throw refusal(context, `a filter by '${name}'`, `map a field to the id, and filter by that, or ${FILTER_IN_STORE}`);
  return param;
}

function conditionText(context: StepContext, protect: ProtectText, name: string, filter: Filter): string {
  const operator = operatorOf(filter) as Operator;
  const { value } = filter;
  if (operator === 'isNull') return value === false ? '*' : '!*';
  if (value === null && (operator === 'eq' || operator === 'ne')) return operator === 'eq' ? '!*' : '*';
  const values = [value].flat();
  if (values.length === 0 || (operator === 'between' && values.length !== 2))
    throw refuse(context, `the operator '${operator}' with ${values.length} values`);
  const texts = values.map((each) => sentValue(context, protect, name, operator, each));
  const sign = SIGNS[operator] as string;
  if (sign === '~') return sign + phrase(texts[0] as string);
  if (sign !== '' && sign !== '!') return sign + texts.join('|');
  return sign + equalText(context, name, operator, values, texts);
}

/** The values of `eq`, `ne`, `in` and `nin`. */
function equalText(
  context: StepContext,
  name: string,
  operator: Operator,
  values: readonly unknown[],
  texts: readonly string[],
): string {
  const isIssue = name === 'issue_id' || name === 'parent_id';
  const isReference = name.endsWith('_id') && !isIssue;
  // In texts and numbers, Redmine would look for the sign itself.
  if (SIGNS[operator] === '!' && !isReference && !name.startsWith('cf_'))
    throw refuse(context, `\`${operator}\` for '${name}', which is no reference`);
  const isNumbers = isIssue || (!isReference && values.every(isNumber));
  if (!isNumbers) return texts.join('|');
  if (texts.length > 1 && !texts.every((each) => /^-?\d+$/.test(each)))
    throw refuse(context, `several numbers for '${name}', of which Redmine would read the first`);
  return texts.join(',');
}

/** A value as text: instants without milliseconds, flags as 1 and 0. */
function sentValue(
  context: StepContext,
  protect: ProtectText,
  name: string,
  operator: Operator,
  value: unknown,
): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (value === null || Array.isArray(value)) throw refuse(context, `such a value of '${name}'`);
  const condition = { operator, property: name };
  const { sent } = protect(context, condition, valueText(value, name));
  const [word] = /(_id|_on|_date)$/.test(name) ? (REDMINE_WORDS.part.exec(sent) ?? []) : [];
  if (word !== undefined && typeof value === 'string')
    throw misreadError(context, word, condition, REDMINE_WORDS.would);
  return value instanceof Date ? sent.replace(/\.\d+Z$/, 'Z') : sent;
}

/** A text to be found as a whole: without quotes, Redmine would look for each word. */
function phrase(sent: string): string {
  return /\s/.test(sent) ? `"${sent}"` : sent;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function refuse(context: StepContext, what: string): UnsupportedQueryError {
  return refusal(context, what, FILTER_IN_STORE);
}

/** Options of `redmine()`. */
export interface RedmineOptions {
  /** The API's name of one record, in which bodies are wrapped: `'issue'`, `'project'`, `'time_entry'`. */
  record: string;
}

const RULES: Rules<RedmineOptions> = { record: text };
/** Redmine cuts longer pages without saying so. */
const LONGEST_PAGE = 100;
/** Redmine ignores further sorters. */
const MOST_SORTERS = 3;
/** The words of Redmine's English messages for names of the API that are worded differently. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['mail', 'email'],
  ['firstname', 'first name'],
  ['lastname', 'last name'],
  ['assigned_to', 'assignee'],
  ['fixed_version', 'target version'],
  ['parent', 'parent task'],
  ['parent_issue', 'parent task'],
  ['done_ratio', '% done'],
  ['estimated_hours', 'estimated time'],
  ['spent_on', 'date'],
]);

/**
 * Dialect for the REST API of Redmine: `?offset=25&limit=25&sort=priority:desc&tracker_id=1`, rows under the name of the resource, bodies
 * under the name of the record. References come as `"tracker": { "id": 1, "name": "Bug" }` and are written as `"tracker_id": 1`, so map a
 * field to `tracker.id`. Set `format: 'json'`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({
 *   url: '/issues',
 *   format: 'json',
 *   dialect: redmine({ record: 'issue' }),
 *   headers: { 'X-Redmine-API-Key': 'your key' },
 * });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function redmine(options: RedmineOptions): Dialect {
  checkOptions('redmine', options, RULES, 'proxy');
  const { record } = options;
  if (record === undefined) throw wrongValue('`redmine.record`', "the name of one record, such as 'issue'", record);
  const base = plain({
    name: 'redmine',
    page: 'offset={start}&limit={limit}',
    filter: redmineFilter(record),
    searchParam: '',
    // A list stands under the name of its resource, which is the plural of `record` in some way.
    reader: {
      rootProperty: (body) => Object.values(Object(body)).find(Array.isArray) ?? getMember(body, record),
      totalProperty: 'total_count',
    },
    writer: { rootProperty: record },
  });
  return {
    ...base,
    page(context) {
      const { limit } = context.request.operation;
      if (limit && limit > LONGEST_PAGE)
        throw refusal(
          context,
          `a page of ${limit} rows`,
          `load at most ${LONGEST_PAGE}: \`pageSize: ${LONGEST_PAGE}\``,
        );
      base.page(context);
      // Without a limit, Redmine would send 25 rows.
      if (!limit) context.request.collect('limit', LONGEST_PAGE, 'redmine', 'page');
    },
    sort(context) {
      inDevelopment(refuseClassic, context);
      inDevelopment(refuseGroupParam, context);
      const { sorters, grouper } = context.request.operation;
      const sorted = sentSorters({ sorters: grouper ? [grouper, ...(sorters ?? [])] : (sorters ?? []) });
      if (sorted.length > MOST_SORTERS)
        throw refusal(context, `${sorted.length} sorters`, `sort by at most ${MOST_SORTERS} fields`);
      // Redmine sorts by a reference as a whole.
      const terms = sorted.map(
        ({ property, direction }) =>
          serverName(context, property).replace(/\.(id|name)$/, '') + (direction === 'DESC' ? ':desc' : ''),
      );
      context.request.collect(
        context.options.sortParam || 'sort',
        terms.length > 0 ? terms.join(',') : undefined,
        'redmine',
        'sortParam',
      );
    },
    body(context) {
      const body = base.body(context);
      const { rootProperty } = context.options.writer;
      const path = rootProperty ? parsePath(rootProperty) : [];
      const row = readPath(body, path);
      if (!isData(row)) return body;
      const written = withIds(row, record);
      return path.length > 0 ? withPath({}, path, written) : written;
    },
    readError: (context) => nameFields(context, base.readError(context), LABELS),
  };
}

/**
 * A row with its references in the form that Redmine takes: `tracker_id` for `tracker: { id, name }`, which it would ignore. An issue
 * names its parent in two ways.
 */
function withIds(row: Readonly<Record<string, unknown>>, record: string): Record<string, unknown> {
  const members = Object.entries(row).map(([name, value]) => {
    if (!isData(value) || !('id' in value)) return [name, value] as const;
    return [name === 'parent' && record === 'issue' ? 'parent_issue_id' : `${name}_id`, value['id']] as const;
  });
  return Object.fromEntries(members);
}
