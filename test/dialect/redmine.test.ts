import { type AnyDataError, Model, type RestProxyConfig, Store, type StoreConfig } from 'repose';
import { type RedmineOptions, redmine } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses are those of Redmine 5.0, shortened.
const server = useRestServer();

const proxy = (config: RestProxyConfig = {}) =>
  server.proxy('/issues', { format: 'json', dialect: redmine({ record: 'issue' }), ...config });

class Issue extends Model.define({
  name: 'Issue',
  fields: {
    id: 'int',
    subject: 'string',
    trackerId: { type: 'int', mapping: 'tracker.id' },
    trackerName: { type: 'string', mapping: 'tracker.name', persist: false },
    assigneeId: { type: 'int', mapping: 'assigned_to.id', allowNull: true },
    parentId: { type: 'int', mapping: 'parent.id', allowNull: true },
    dueDate: { type: 'string', mapping: 'due_date', allowNull: true },
    doneRatio: { type: 'int', mapping: 'done_ratio' },
    hours: { type: 'number', mapping: 'estimated_hours', allowNull: true },
    isPrivate: { type: 'boolean', mapping: 'is_private' },
    createdOn: { type: 'date', mapping: 'created_on' },
    severity: { type: 'string', mapping: 'cf_4' },
  },
  proxy: proxy(),
}) {}

const ROW = {
  id: 7,
  project: { id: 1, name: 'Alpha' },
  tracker: { id: 1, name: 'Bug' },
  status: { id: 1, name: 'New', is_closed: false },
  subject: 'Crash',
  custom_fields: [{ id: 4, name: 'Severity', value: 'high' }],
};
const LIST = { issues: [ROW], total_count: 57, offset: 0, limit: 25 };

interface Query {
  readonly pageSize?: number;
  readonly sorters?: readonly unknown[];
  readonly filters?: readonly unknown[];
}

async function load(query: Query, model: typeof Issue = Issue) {
  server.reply({ json: LIST });
  const store = new Store({ model, remoteSort: true, remoteFilter: true, ...query } as StoreConfig<Issue>);
  await store.load();
  return store;
}

function sentQuery(): string {
  return decodeURIComponent(server.last.url);
}

async function failure(call: Promise<unknown>): Promise<AnyDataError> {
  return call.then(
    () => expect.unreachable('The call succeeded.'),
    (error: AnyDataError) => error,
  );
}

describe('redmine() reads', () => {
  test('a page, sorted and filtered, with the total', async () => {
    const store = await load({
      pageSize: 25,
      sorters: [{ property: 'trackerName', direction: 'DESC' }, 'id'],
      filters: [
        { property: 'trackerId', operator: 'in', value: [1, 2] },
        { property: 'createdOn', operator: '>=', value: new Date('2026-01-31T10:00:00Z') },
      ],
    });
    expect(sentQuery()).toBe(
      '/issues.json?offset=0&limit=25&sort=tracker:desc,id&tracker_id=1|2&created_on=>=2026-01-31T10:00:00Z',
    );
    expect(store.total).toBe(57);
    expect(store.getAt(0)).toMatchObject({ id: 7, subject: 'Crash', trackerId: 1, trackerName: 'Bug' });
  });

  test('later pages by their offset', async () => {
    server.reply({ json: LIST });
    await new Store({ model: Issue, pageSize: 25 }).load({ page: 3 });
    expect(sentQuery()).toBe('/issues.json?offset=50&limit=25');
  });

  test('the longest page that Redmine sends, if no limit is given', async () => {
    const store = await load({ pageSize: 0 });
    expect(sentQuery()).toBe('/issues.json?limit=100');
    expect(store.total).toBe(57);
  });

  test('an empty list', async () => {
    server.reply({ json: { issues: [], total_count: 0, offset: 0, limit: 25 } });
    const store = new Store({ model: Issue });
    expect(await store.load()).toEqual([]);
    expect(store.total).toBe(0);
  });

  test('one issue, with associated data on request', async () => {
    server.reply({ json: { issue: { ...ROW, journals: [{ id: 1, notes: 'n' }] } } });
    const issue = await Issue.load(7, { params: { include: 'journals' } });
    expect(server.last.url).toBe('/issues/7.json?include=journals');
    expect(issue.subject).toBe('Crash');
  });

  test('lists without a total, and ids with a slash, a quote and other scripts', async () => {
    class Page extends Model.define({
      idProperty: 'title',
      fields: { title: 'string', text: 'string' },
      proxy: server.proxy('/projects/1/wiki', { format: 'json', dialect: redmine({ record: 'wiki_page' }) }),
    }) {}
    server.reply({ json: { wiki_page: { title: "a/b'ü", text: 'hi' } } });
    expect((await Page.load("a/b'ü")).text).toBe('hi');
    expect(server.last.url).toBe("/projects/1/wiki/a%2Fb'%C3%BC.json");
  });
});

describe('redmine() writes the filter', () => {
  test.each([
    ['trackerId', 'eq', 1, 'tracker_id=1'],
    ['trackerId', '!=', 1, 'tracker_id=!1'],
    ['trackerId', 'nin', [1, 2], 'tracker_id=!1|2'],
    ['assigneeId', 'eq', null, 'assigned_to_id=!*'],
    ['assigneeId', 'ne', null, 'assigned_to_id=*'],
    ['assigneeId', 'isNull', true, 'assigned_to_id=!*'],
    ['assigneeId', 'isNull', false, 'assigned_to_id=*'],
    ['id', 'in', [3, 5], 'issue_id=3,5'],
    ['parentId', 'in', [3, 5], 'parent_id=3,5'],
    ['subject', 'eq', 'Crash on start', 'subject=Crash on start'],
    ['subject', 'in', ['a', 'b'], 'subject=a|b'],
    ['subject', 'like', 'crash', 'subject=~crash'],
    ['subject', 'contains', 'on start', 'subject=~"on start"'],
    ['subject', 'startsWith', 'Crash', 'subject=^Crash'],
    ['subject', 'endsWith', 'start', 'subject=$start'],
    ['dueDate', 'le', '2026-12-24', 'due_date=<=2026-12-24'],
    ['hours', 'between', [1, 2.5], 'estimated_hours=><1|2.5'],
    ['doneRatio', 'in', [10, 20], 'done_ratio=10,20'],
    ['isPrivate', 'eq', false, 'is_private=0'],
    ['severity', 'ne', 'low', 'cf_4=!low'],
  ])('%s %s %j as %s', async (property, operator, value, sent) => {
    await load({ filters: [{ property, operator, value }] });
    expect(sentQuery()).toBe(`/issues.json?offset=0&limit=25&${sent}`);
  });

  test.each([
    ['a value that begins with an operator', [{ property: 'subject', value: '!urgent' }]],
    ['a value with the separator of lists', [{ property: 'subject', value: 'a|b' }]],
    ['an empty text', [{ property: 'subject', value: '' }]],
    [
      'a text that must differ, for which Redmine has no operator',
      [{ property: 'subject', operator: 'ne', value: 'a' }],
    ],
    ['several numbers, of which Redmine reads the first', [{ property: 'hours', operator: 'in', value: [1.5, 2] }]],
    [
      'numbers that must differ, for which Redmine has no operator',
      [{ property: 'doneRatio', operator: 'ne', value: 10 }],
    ],
    ['an issue that must differ', [{ property: 'parentId', operator: 'ne', value: 3 }]],
    ['quotes, which Redmine removes', [{ property: 'subject', operator: 'like', value: '5"' }]],
    ['an outer space, which Redmine removes', [{ property: 'subject', operator: 'like', value: 'a ' }]],
    ['an operator that Redmine does not have', [{ property: 'hours', operator: '>', value: 1 }]],
    ['a range without its end', [{ property: 'hours', operator: 'between', value: [1] }]],
    ['the name of a reference', [{ property: 'trackerName', value: 'Bug' }]],
    ['a name that is no field', [{ property: 'sbject', value: 'a' }]],
    [
      'two conditions on one field',
      [
        { property: 'doneRatio', operator: '>=', value: 1 },
        { property: 'doneRatio', operator: '<=', value: 9 },
      ],
    ],
    [
      'a tree',
      [
        {
          or: [
            { property: 'trackerId', value: 1 },
            { property: 'subject', value: 'a' },
          ],
        },
      ],
    ],
  ])('not for %s, and sends nothing', async (_, filters) => {
    const error = await failure(load({ filters }));
    expect(error.code).toBe('unsupported-query');
    expect(server.requests).toEqual([]);
  });

  test('not beside a parameter of the same name', async () => {
    class Any extends Issue.with({ proxy: proxy({ extraParams: { tracker_id: '2' } }) }) {}
    const error = await failure(load({ filters: [{ property: 'trackerId', value: 1 }] }, Any));
    expect(error.message).toContain("two parameters named 'tracker_id'");
    expect(server.requests).toEqual([]);
  });
});

describe('redmine() refuses', () => {
  test.each([
    ['a page that Redmine would cut', { pageSize: 101 }, /a page of 101 rows.*pageSize: 100/],
    [
      'a fourth sorter, which Redmine ignores',
      { sorters: ['id', 'subject', 'dueDate', 'hours'] },
      /4 sorters.*at most 3/,
    ],
  ])('%s', async (_, query, message) => {
    const error = await failure(load(query));
    expect(error.code).toBe('unsupported-query');
    expect(error.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  test('a search', async () => {
    const store = new Store({ model: Issue, remoteFilter: true });
    store.search('crash');
    expect((await failure(store.load())).code).toBe('unsupported-query');
    expect(server.requests).toEqual([]);
  });

  test.each([
    [{}, /record/],
    [{ record: '' }, /redmine.record/],
    [{ record: 'issue', key: 'x' }, /key/],
  ])('the options %j', (options, message) => {
    expect(() => redmine(options as RedmineOptions)).toThrow(message);
  });
});

describe('redmine() writes', () => {
  test('wrapped rows with the ids of references, and takes empty responses for a success', async () => {
    server.reply({ status: 201, json: { issue: ROW } }, { status: 204 }, { status: 204 });
    const issue = new Issue({ subject: 'Crash', trackerId: 1 });
    await issue.save();
    issue.trackerId = 2;
    issue.parentId = 3;
    await issue.save();
    await issue.erase();
    expect(server.lines).toEqual(['POST /issues.json', 'PATCH /issues/7.json', 'DELETE /issues/7.json']);
    const [created, updated, erased] = server.requests.map(({ body }) => body);
    expect(created.issue).toMatchObject({ subject: 'Crash', tracker_id: 1 });
    expect(updated).toEqual({ issue: { tracker_id: 2, parent_issue_id: 3 } });
    expect(erased).toBeUndefined();
    expect(issue.id).toBe(7);
  });

  test('an emptied reference', async () => {
    server.reply({ json: { issue: { ...ROW, assigned_to: { id: 5, name: 'Ada' } } } }, { status: 204 });
    const issue = await Issue.load(7);
    issue.assigneeId = null;
    await issue.save();
    expect(server.last.body).toEqual({ issue: { assigned_to_id: null } });
  });

  test('all members under PUT, with lists as they were received', async () => {
    class Whole extends Issue.with({ proxy: proxy({ actionMethods: { update: 'PUT' } }) }) {}
    server.reply({ json: { issue: { ...ROW, parent: { id: 3 } } } }, { status: 204 });
    const issue = await Whole.load(7);
    issue.subject = 'Crash on start';
    await issue.save();
    expect(server.last.body).toEqual({
      issue: {
        id: 7,
        project_id: 1,
        tracker_id: 1,
        status_id: 1,
        parent_issue_id: 3,
        subject: 'Crash on start',
        custom_fields: ROW.custom_fields,
      },
    });
  });

  test('a project whose parent is another project', async () => {
    class Project extends Model.define({
      fields: { id: 'int', name: 'string', parentId: { type: 'int', mapping: 'parent.id' } },
      proxy: server.proxy('/projects', { format: 'json', dialect: redmine({ record: 'project' }) }),
    }) {}
    server.reply({ json: { project: { id: 2, name: 'Beta' } } }, { status: 204 });
    const project = await Project.load(2);
    project.parentId = 1;
    await project.save();
    expect(server.last.body).toEqual({ project: { parent_id: 1 } });
  });

  test('rows without a wrapper if the proxy says so', async () => {
    class Bare extends Issue.with({ proxy: proxy({ writer: { rootProperty: '' } }) }) {}
    server.reply({ json: { issue: ROW } }, { status: 204 });
    const issue = await Bare.load(7);
    issue.trackerId = 2;
    await issue.save();
    expect(server.last.body).toEqual({ tracker_id: 2 });
  });
});

describe('redmine() reads errors', () => {
  test('by the fields that the texts begin with', async () => {
    server.reply({
      status: 422,
      json: {
        errors: [
          'Subject cannot be blank',
          '% Done is not included in the list',
          'Due date must be greater than start date',
          'Assignee is invalid',
          'Tracker cannot be blank',
          'You cannot save on Sundays',
        ],
      },
    });
    const error = await failure(new Issue({ subject: '' }).save());
    if (error.code !== 'validation') throw error;
    expect(error.issues.map(({ path }) => path.join('.'))).toEqual([
      'subject',
      'doneRatio',
      'dueDate',
      'assigneeId',
      'trackerId',
      '',
    ]);
    expect(error.issues[0]?.message).toBe('Subject cannot be blank');
  });

  test.each([
    [401, 'auth'],
    [404, 'http'],
  ])('of an empty answer with the status %i', async (status, code) => {
    server.reply({ status });
    expect(await failure(Issue.load(9))).toMatchObject({ code, status });
  });
});
