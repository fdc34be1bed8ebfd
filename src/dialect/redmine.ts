import { checkOptions } from '../dev/checks.js';
import { type Rules, text, wrongValue } from '../errors/option-rules.js';
import { getMember, isData, parsePath, readPath, withPath } from '../util/data-path.js';
import type { Dialect } from './dialect.js';
import { nameFields } from './message-fields.js';
import { plain } from './plain.js';
import { redmineFilter } from './redmine-filter.js';
import { refusal, sentSorters } from './sent-query.js';
import { serverName } from './steps.js';

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
 * field to `tracker.id`. Set `format: 'json'`.
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
      const { sorters, grouper } = context.request.operation;
      const sorted = sentSorters({ sorters: grouper ? [grouper, ...(sorters ?? [])] : (sorters ?? []) });
      if (sorted.length > MOST_SORTERS)
        throw refusal(context, `${sorted.length} sorters`, `sort by at most ${MOST_SORTERS} fields`);
      // Redmine sorts by a reference as a whole.
      const terms = sorted.map(
        ({ property, direction }) =>
          serverName(context, property).replace(/\.(id|name)$/, '') + (direction === 'DESC' ? ':desc' : ''),
      );
      context.request.collect('sort', terms.length > 0 ? terms.join(',') : undefined, 'redmine', 'sortParam');
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
