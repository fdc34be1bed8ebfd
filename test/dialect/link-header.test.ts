import { bigint, DefinitionError, Model, Store, UnsupportedQueryError, ValidationError } from 'repose';
import { linkHeader } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/** Vectors are from the documentation of GitHub's REST API: pagination, issues, errors. */
const server = useRestServer();

class Issue extends Model.define({
  name: 'Issue',
  idProperty: 'number',
  fields: {
    number: 'int',
    title: 'string',
    state: 'string',
    locked: 'boolean',
    createdAt: { type: 'date', mapping: 'created_at' },
    author: { type: 'string', mapping: 'user.login', persist: false },
  },
}) {}

const URL = '/repos/octocat/Hello-World/issues';
const bind = (options: Parameters<typeof linkHeader>[0] = {}, config = {}) =>
  Issue.with({ proxy: server.proxy(URL, { dialect: linkHeader(options), ...config }) });
const row = {
  number: 1347,
  title: 'Found a bug',
  state: 'open',
  created_at: '2011-04-22T13:33:48Z',
  user: { login: 'octocat' },
};
const links = (...rels: [string, string][]) => ({
  Link: rels.map(([url, rel]) => `<${url}>; rel="${rel}"`).join(', '),
});

describe('lists', () => {
  test('page by page and per_page, with one sorter, and filters as equality by the names of the server', async () => {
    server.reply({
      json: [row],
      headers: links([`${URL}?page=1`, 'prev'], [`${URL}?page=3`, 'next'], [`${URL}?page=50`, 'last']),
    });
    const issues = new Store({
      model: bind({ names: { createdAt: 'created', author: 'creator' } }),
      pageSize: 30,
      remoteSort: true,
      remoteFilter: true,
      sorters: [{ property: 'createdAt', direction: 'DESC' }],
      filters: [
        { property: 'state', value: 'open' },
        { property: 'author', value: 'a&b"ü' },
        { property: 'locked', value: false },
      ],
    });
    await issues.load({ page: 2 });
    expect(server.last.url).toBe(
      `${URL}?page=2&per_page=30&sort=created&direction=desc&state=open&creator=a%26b%22%C3%BC&locked=false`,
    );
    expect(issues.getAt(0)).toMatchObject({ number: 1347, author: 'octocat' });
    // The number of the last page is no number of rows.
    expect(issues.total).toBeUndefined();
  });

  test('continue at the address of `next`, as it came, until there is none', async () => {
    const next = `${server.url}/repositories/1300192/issues?per_page=2&after=Y3Vyc29y%3D%3D&page=2`;
    server.reply(
      { json: [row, { ...row, number: 2 }], headers: links([next, 'next']) },
      { json: [{ ...row, number: 3 }], headers: links([`${server.url}/repositories/1300192/issues?page=1`, 'first']) },
    );
    const issues = new Store({ model: bind({}, { baseUrl: server.url, fetch }), pageSize: 2 });
    await issues.load();
    await issues.loadMore();
    expect(server.last.url).toBe('/repositories/1300192/issues?per_page=2&after=Y3Vyc29y%3D%3D&page=2');
    expect([issues.count, issues.total, issues.hasMore]).toEqual([3, 3, false]);
  });

  test('take only the query of a `next` on another host', async () => {
    server.reply(
      { json: [row, { ...row, number: 2 }], headers: links(['https://evil.test/steal?page=2&per_page=2', 'next']) },
      { json: [] },
    );
    const issues = new Store({ model: bind(), pageSize: 2 });
    await issues.load();
    await issues.loadMore();
    expect(server.last.url).toBe(`${URL}?page=2&per_page=2`);
  });

  test('of a search read the rows and the total where the proxy says', async () => {
    server.reply({ json: { total_count: 40, incomplete_results: false, items: [row] } });
    const reader = { rootProperty: 'items', totalProperty: 'total_count' };
    const found = new Store({
      model: bind({ searchParam: 'q' }, { url: '/search/issues', reader }),
      pageSize: 1,
      remoteFilter: true,
    });
    found.search('repo:octocat/Hello-World bug');
    await found.load();
    expect(server.last.query.get('q')).toBe('repo:octocat/Hello-World bug');
    expect(found.total).toBe(40);
  });

  test('of GitLab need options alone', async () => {
    server.reply({ json: [row], headers: { 'X-Total': '57' } });
    const gitlab = bind({
      sort: { asc: 'order_by={name}&sort=asc', desc: 'order_by={name}&sort=desc', several: 'refuse' },
      totalHeader: 'X-Total',
    });
    const issues = new Store({ model: gitlab, pageSize: 20, remoteSort: true, sorters: ['createdAt'] });
    await issues.load();
    expect(server.last.url).toBe(`${URL}?page=1&per_page=20&order_by=created_at&sort=asc`);
    expect(issues.total).toBe(57);
  });
});

describe('queries that such servers do not know are refused before anything is sent', () => {
  type Query = ConstructorParameters<typeof Store<Issue>>[0];
  test.each<[string, Partial<Query>, RegExp]>([
    ['several sorters', { sorters: ['title', 'state'] }, /several sorters/],
    ['another operator', { filters: [{ property: 'title', operator: 'like', value: 'bug' }] }, /'like'.*use `eq`/],
    ['a list', { filters: [{ property: 'state', operator: 'in', value: ['open'] }] }, /'in'/],
    ['null', { filters: [{ property: 'state', value: null }] }, /isNull/],
    [
      'a tree',
      {
        filters: [
          {
            or: [
              { property: 'state', value: 'a' },
              { property: 'title', value: 'b' },
            ],
          },
        ],
      },
      /tree/,
    ],
    [
      'two filters on one field',
      {
        filters: [
          { property: 'state', value: 'a' },
          { property: 'state', value: 'b' },
        ],
      },
      /state/,
    ],
    ['a name that is no field', { filters: [{ property: 'since', value: '2026' }] as never }, /since/],
    ['a page that is longer than the server sends', { pageSize: 101 }, /101 rows.*at most 100/],
  ])('%s', async (_, query, text) => {
    const load = async () =>
      new Store({ model: bind(), pageSize: 30, remoteSort: true, remoteFilter: true, ...query }).load();
    await expect(load()).rejects.toThrow(UnsupportedQueryError);
    await expect(load()).rejects.toThrow(text);
    expect(server.requests).toEqual([]);
  });

  test('a search, and a window on no edge of a page', async () => {
    const issues = new Store({ model: bind(), pageSize: 30, remoteFilter: true });
    await expect(issues.load({ start: 7 })).rejects.toThrow(/start=7/);
    issues.search('bug');
    await expect(issues.load()).rejects.toThrow(/search/);
    expect(server.requests).toEqual([]);
  });

  test('an option takes a longer page; parameters that are no fields go beside the query', async () => {
    server.reply({ json: [] });
    const issues = new Store({ model: bind({ maxPageSize: 500 }), pageSize: 500 });
    issues.setExtraParams({ since: '2026-01-01' });
    await issues.load();
    expect(server.last.url).toBe(`${URL}?since=2026-01-01&page=1&per_page=500`);
  });
});

describe('single records', () => {
  test('are read, updated with PATCH of the edited fields, and erased, by their id', async () => {
    server.reply({ json: row }, { json: { ...row, title: 'New' } }, { status: 204 });
    const issue = await bind().load(1347);
    issue.set({ title: 'New' });
    await issue.save();
    expect(server.last.body).toEqual({ title: 'New' });
    await issue.erase();
    expect(server.lines).toEqual([`GET ${URL}/1347`, `PATCH ${URL}/1347`, `DELETE ${URL}/1347`]);
    expect(issue.erased).toBe(true);
  });

  test('are created with 201, with the headers of the proxy', async () => {
    server.reply({ status: 201, json: row, headers: { Location: `https://api.github.com${URL}/1347` } });
    const headers = { Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' };
    const issue = new (bind({}, { headers }))({ title: 'Found a bug' });
    await issue.save();
    expect(server.last).toMatchObject({ method: 'POST', url: URL, body: { title: 'Found a bug' } });
    expect(server.last.headers).toMatchObject({
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    });
    expect(issue.number).toBe(1347);
  });

  test('with slashes and quotes in their ids have these encoded', async () => {
    class Label extends Model.define({ idProperty: 'name', fields: { name: 'string', color: 'string' } }) {}
    server.reply({ json: { name: `a/b'"ü`, color: 'f00' } });
    await Label.with({ proxy: server.proxy('/labels', { dialect: linkHeader() }) }).load(`a/b'"ü`);
    expect(server.last.url).toBe(`/labels/a%2Fb'%22%C3%BC`);
  });

  test('keep ids that JavaScript cannot hold', async () => {
    class Run extends Model.define({ fields: { id: bigint(), name: 'string' } }) {}
    const Runs = Run.with({ proxy: server.proxy('/runs', { dialect: linkHeader() }) });
    server.reply({ text: '[{"id":9007199254740993,"name":"CI"}]' }, { status: 204 });
    const runs = new Store({ model: Runs, pageSize: 30 });
    await runs.load();
    await runs.getAt(0)?.erase();
    expect(server.last.url).toBe('/runs/9007199254740993');
  });
});

describe('errors', () => {
  test('name the field, its code and the text', async () => {
    server.reply({
      status: 422,
      json: {
        message: 'Validation Failed',
        errors: [
          { resource: 'Issue', field: 'title', code: 'missing_field' },
          { resource: 'Issue', field: 'created_at', code: 'custom', message: 'created_at is in the future' },
        ],
      },
    });
    const issue = new (bind())({ state: 'open' });
    await expect(issue.save()).rejects.toThrow(ValidationError);
    expect(issue.$.errors).toMatchObject({
      title: [{ code: 'missing_field', message: 'missing_field' }],
      createdAt: [{ code: 'custom', message: 'created_at is in the future' }],
    });
    expect(issue.phantom).toBe(true);
  });

  test('of options are definition errors', () => {
    expect(() => linkHeader({ maxPageSize: 0 })).toThrow(DefinitionError);
    expect(() => linkHeader({ perPage: 10 } as never)).toThrow(/linkHeader/);
    expect(() => linkHeader({ names: { createdAt: 1 } as never })).toThrow(/names/);
  });
});
