import { Store } from 'repose';
import { redmine } from 'repose/dialects';
import { xml } from 'repose/xml';
import { expect } from 'vitest';
import { ISSUES, REDMINE_KEY, redmineVersion, startRedmine } from '../../helpers/servers/index.js';
import { type ContractStore, idOf, NEW } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { ServerProfile } from '../profile.js';

/** A reference as Redmine sends it. */
interface Reference {
  readonly id: number;
}

/** An issue as Redmine sends it, or as it is sent to Redmine. */
interface WireIssue {
  readonly id: number;
  readonly subject: string;
  readonly description: string;
  readonly estimated_hours: number | null;
  readonly done_ratio: number;
  readonly project?: Reference;
  readonly project_id?: number;
  readonly tracker?: Reference;
  readonly tracker_id?: number;
}

/** The members of an issue, by the fields of the model; those that a body does not have are left out. */
function fieldsOf(issue: WireIssue): Record<string, unknown> {
  const { id, subject, description, estimated_hours, done_ratio, project, tracker } = issue;
  const { project_id = project?.id, tracker_id = tracker?.id } = issue;
  const fields = { id, subject, description, hours: estimated_hours, done: done_ratio, project: project_id };
  return Object.fromEntries(
    Object.entries({ ...fields, tracker: tracker_id }).filter(([, value]) => value !== undefined),
  );
}

export const profile: ServerProfile = {
  title: 'Redmine, issues',
  version: redmineVersion,
  dialect: 'redmine',
  start: startRedmine,
  proxy: (url) => ({
    url: `${url}/issues`,
    format: 'json',
    dialect: redmine({ record: 'issue' }),
    headers: { 'X-Redmine-API-Key': '0123456789abcdef0123456789abcdef01234567' },
  }),
  fields: {
    id: 'int',
    subject: 'string',
    description: 'string',
    project: { type: 'int', mapping: 'project.id' },
    tracker: { type: 'int', mapping: 'tracker.id' },
    hours: { type: 'number', mapping: 'estimated_hours', allowNull: true },
    done: { type: 'int', mapping: 'done_ratio' },
  },
  // Redmine lists the newest issue first.
  rows: ISSUES.map(({ estimated_hours: hours, done_ratio: done, ...row }) => ({
    ...row,
    hours,
    done,
    project: 1,
  })).reverse(),
  access: (url) =>
    jsonAccess({
      address: (id) => `${url}/issues/${id}.json`,
      headers: REDMINE_KEY,
      change: 'PUT',
      body: (issue) => ({ issue }),
      row: ({ issue }: { issue: WireIssue }) => fieldsOf(issue),
    }),
  record: (n) => ({ subject: `New ${n}`, description: 'new', project: 1, tracker: 1 + (n % 2), hours: 2, done: 10 }),
  edit: (n) => ({ subject: `Edited ${n}` }),
  sentFields: (body) => fieldsOf((body as { issue: WireIssue }).issue),
  statuses: { update: 204 },
  facts: {
    missingId: 999_999,
    nullField: 'hours',
    sortBy: 'subject',
    groupBy: 'tracker',
    filter: { property: 'tracker', value: 1 },
    encoded: [
      { property: 'tracker', value: 2 },
      { property: 'subject', value: ISSUES[58]?.subject },
    ],
    none: { property: 'subject', value: 'None' },
    operators: {
      ne: { property: 'tracker', operator: 'ne', value: 1 },
      in: { property: 'done', operator: 'in', value: [10, 20] },
      nin: { property: 'tracker', operator: 'nin', value: [1, 3] },
      ids: { property: 'id', operator: 'in', value: [3, 5] },
      ge: { property: 'hours', operator: '>=', value: 50 },
      between: { property: 'hours', operator: 'between', value: [21, 23] },
      like: { property: 'subject', operator: 'like', value: 'SUE 0' },
      contains: { property: 'subject', operator: 'contains', value: '& Søn' },
      startsWith: { property: 'subject', operator: 'startsWith', value: 'Issue 0' },
      endsWith: { property: 'subject', operator: 'endsWith', value: '1' },
      isNull: { property: 'hours', operator: 'isNull' },
      notNull: { property: 'hours', operator: 'isNull', value: false },
      list: [
        { property: 'tracker', value: 2 },
        { property: 'hours', operator: '<=', value: 30 },
      ],
    },
    refused: { property: 'hours', operator: '>', value: 30 },
    invalid: { values: { subject: '', hours: -1 }, fields: ['hours', 'subject'] },
    undeclared: { field: 'description', declared: 'subject' },
    suffix: { format: 'json' },
  },
  without: {
    search: 'lists of issues know no search',
    stale: 'Redmine does not tell the version of an issue: the last write wins',
    oddIds: 'the server gives the ids',
    longNumber: 'no member of an issue holds a long number',
    bulk: 'Redmine takes one issue per request',
    file: 'a file is sent first, and named by its token; a further check does it',
  },
  notes: [
    'A list holds open issues only, unless the query has a condition on the status',
    'A page has at most 100 rows',
    'An update is answered without the row',
  ],
  more(host, test) {
    test('reads, creates, changes and erases in XML as in JSON', async () => {
      const model = host.model({ ...profile.proxy(host.url), ...xml({ list: 'issues', record: 'issue' }) });
      const record = new model({ ...profile.record(host.next()), subject: 'Fish & <chips> 😀', hours: null }, NEW);
      await record.save();
      record.set({ done: 50 });
      await record.save();
      const read = await model.load(idOf(record));
      expect(read.toJSON()).toMatchObject({ subject: 'Fish & <chips> 😀', hours: null, done: 50, project: 1 });
      const newest = [{ property: 'id', direction: 'DESC' }];
      const issues = new Store({
        model,
        pageSize: 2,
        remoteSort: true,
        sorters: newest,
      } as never) as never as ContractStore;
      await issues.load();
      expect([issues.count, issues.getAt(0)?.getId(), (issues.total ?? 0) > 2]).toEqual([2, idOf(record), true]);
      const invalid = new model({ ...profile.record(host.next()), subject: '' }, NEW);
      await expect(invalid.save()).rejects.toMatchObject({ code: 'validation', issues: [{ path: ['subject'] }] });
      await record.erase();
      await expect(model.load(idOf(record))).rejects.toMatchObject({ status: 404 });
    });

    test('names the token of an uploaded file in a new record', async () => {
      const answer = await fetch(`${host.url}/uploads.json?filename=note.txt`, {
        method: 'POST',
        headers: { ...REDMINE_KEY, 'Content-Type': 'application/octet-stream' },
        body: 'Größe: 7 ☃',
      });
      const { upload } = (await answer.json()) as { upload: { token: string } };
      const model = host.model({}, { fields: { ...profile.fields, uploads: 'json' } });
      const uploads = [{ token: upload.token, filename: 'note.txt', content_type: 'text/plain' }];
      const record = new model({ ...profile.record(host.next()), uploads }, NEW);
      await record.save();
      const read = await fetch(`${host.url}/issues/${idOf(record)}.json?include=attachments`, { headers: REDMINE_KEY });
      const { issue } = (await read.json()) as { issue: { attachments: { content_url: string }[] } };
      const file = await fetch(issue.attachments[0]?.content_url ?? '', { headers: REDMINE_KEY });
      expect(await file.text()).toBe('Größe: 7 ☃');
    });
  },
};
