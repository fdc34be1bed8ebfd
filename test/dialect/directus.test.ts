import { and, DefinitionError, Model, not, or, Store, UnsupportedQueryError, ValidationError, where } from 'repose';
import { directus } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/** Vectors are from the documentation of Directus: query parameters, filter rules, items, error codes. */
const server = useRestServer();

class Article extends Model.define({
  name: 'Article',
  fields: {
    id: 'int',
    title: 'string',
    views: 'int',
    live: 'boolean',
    authorName: { type: 'string', mapping: 'author.name', allowNull: true },
    created: { type: 'date', mapping: 'date_created' },
  },
}) {}

const URL = '/items/articles';
const bind = (options = {}, config = {}) =>
  Article.with({ proxy: server.proxy(URL, { dialect: directus(options), ...config }) });
const row = { id: 7, title: 'REST', views: 120, author: { name: 'Ada' } };
const page = (...data: object[]) => ({ json: { meta: { filter_count: 57 }, data } });
const { title, views, live, authorName, created } = where(Article);
const filterOf = () => server.last.query.get('filter');

describe('lists', () => {
  test('page, sort, search, and filter by trees as JSON', async () => {
    server.reply(page(row));
    const articles = new Store({
      model: bind({}, { extraParams: { fields: '*,author.name' } }),
      pageSize: 25,
      remoteSort: true,
      remoteFilter: true,
      sorters: [{ property: 'views', direction: 'DESC' }, 'authorName'],
      filters: [or(views.ge(18), and(title.in(['a&b"ü', 'c,d']), authorName.eq('Ada')))],
    });
    articles.search('rest');
    await articles.load({ page: 3 });
    expect(decodeURIComponent(server.last.url)).toBe(
      `${URL}?fields=*,author.name&limit=25&offset=50&meta=filter_count&search=rest&sort=-views,author.name&filter=` +
        '{"_or":[{"views":{"_gte":18}},{"title":{"_in":["a&b\\"ü","c,d"]},"author":{"name":{"_eq":"Ada"}}}]}',
    );
    expect(articles.total).toBe(57);
    expect(articles.getAt(0)).toMatchObject({ id: 7, authorName: 'Ada' });
  });

  test.each([
    [views.ne(1), { views: { _neq: 1 } }],
    [views.lt(1), { views: { _lt: 1 } }],
    [views.le(1), { views: { _lte: 1 } }],
    [views.gt(1), { views: { _gt: 1 } }],
    [views.nin([1, 2]), { views: { _nin: [1, 2] } }],
    [views.between(1, 2), { views: { _between: [1, 2] } }],
    [title.contains('a'), { title: { _contains: 'a' } }],
    [title.startsWith('a'), { title: { _starts_with: 'a' } }],
    [title.endsWith('a'), { title: { _ends_with: 'a' } }],
    [title.like('a'), { title: { _icontains: 'a' } }],
    [live.eq(false), { live: { _eq: false } }],
    [authorName.eq(null), { author: { name: { _null: true } } }],
    [authorName.isNull(false), { author: { name: { _nnull: true } } }],
    [created.ge(new Date(0)), { date_created: { _gte: '1970-01-01T00:00:00.000Z' } }],
  ])('write %o by its name', async (filter, expected) => {
    server.reply(page());
    await new Store({ model: bind(), pageSize: 25, remoteFilter: true, filters: [filter] }).load();
    expect(JSON.parse(filterOf() ?? '')).toEqual(expected);
  });

  test('two conditions inside one relation are joined by `_and`', async () => {
    server.reply(page());
    const filters = [authorName.ne('Ada'), authorName.ne('Bob')];
    await new Store({ model: bind(), pageSize: 25, remoteFilter: true, filters }).load();
    expect(filterOf()).toBe('{"_and":[{"author":{"name":{"_neq":"Ada"}}},{"author":{"name":{"_neq":"Bob"}}}]}');
  });

  test('without a page size ask for all rows, instead of the first 100', async () => {
    server.reply(page(row));
    await new Store({ model: bind(), pageSize: 0 }).load();
    expect(server.last.url).toBe(`${URL}?meta=filter_count&limit=-1`);
  });

  test('begin anywhere', async () => {
    server.reply(page(row));
    await new Store({ model: bind(), pageSize: 25 }).load({ start: 7 });
    expect(server.last.url).toBe(`${URL}?limit=25&offset=7&meta=filter_count`);
  });
});

describe('refused before anything is sent', () => {
  type Query = ConstructorParameters<typeof Store<Article>>[0];
  test.each<[string, Partial<Query>, RegExp]>([
    ['a tree with `not`', { filters: [not(views.eq(1))] }, /`not`: use and or or/],
    ['a name that is no field', { sorters: ['nope'] as never }, /nope/],
    ['a text that the server takes for null', { filters: [title.eq('null')] }, /'null'/],
    ['such a text in a list', { filters: [or(views.eq(1), title.in(['a', 'true']))] }, /'true'/],
    ['a variable', { filters: [title.eq('$CURRENT_USER')] }, /variable of the server: set `variables: true`/],
    ['a page beyond the limit of the server', { pageSize: 101 }, /101 rows/],
  ])('is %s', async (_, query, text) => {
    const model = bind({ maxPageSize: 100 });
    const load = async () => new Store({ model, pageSize: 25, remoteSort: true, remoteFilter: true, ...query }).load();
    await expect(load()).rejects.toThrow(UnsupportedQueryError);
    await expect(load()).rejects.toThrow(text);
    expect(server.requests).toEqual([]);
  });

  test('are creates of several records in one request', () => {
    expect(() => bind({}, { batchActions: true }).proxy).toThrow(DefinitionError);
  });

  test('are wrong options', () => {
    expect(() => directus({ variables: 1 } as never)).toThrow(DefinitionError);
    expect(() => directus({ maxPageSize: -1 })).toThrow(/directus.maxPageSize/);
    expect(() => directus({ limit: 1 } as never)).toThrow(/directus/);
  });
});

test('an option lets the server fill in its variables', async () => {
  server.reply(page());
  const filters = [title.ne('$CURRENT_USER.first_name')];
  await new Store({ model: bind({ variables: true }), pageSize: 25, remoteFilter: true, filters }).load();
  expect(filterOf()).toBe('{"title":{"_neq":"$CURRENT_USER.first_name"}}');
});

describe('single records', () => {
  test('are read, updated with PATCH of the edited fields, and erased with 204', async () => {
    server.reply({ json: { data: row } }, { json: { data: { ...row, views: 121 } } }, { status: 204 });
    const article = await bind().load(7);
    article.set({ views: 121 });
    await article.save();
    expect(server.last.body).toEqual({ views: 121 });
    await article.erase();
    expect(server.lines).toEqual([`GET ${URL}/7`, `PATCH ${URL}/7`, `DELETE ${URL}/7`]);
    expect(server.last.text).toBe('');
    expect(article.erased).toBe(true);
  });

  test('are created with 200', async () => {
    server.reply({ json: { data: { ...row, id: 9 } } });
    const article = new (bind())({ title: 'REST', views: 120 });
    await article.save();
    expect(server.last).toMatchObject({ method: 'POST', url: URL, body: { title: 'REST', views: 120 } });
    expect(article).toMatchObject({ id: 9, phantom: false });
  });

  test('whose create is answered without a body stay new: the server did not say the id', async () => {
    server.reply({ status: 204 });
    const article = new (bind())({ title: 'REST' });
    await expect(article.save()).rejects.toMatchObject({ code: 'read' });
    expect(article.phantom).toBe(true);
    expect(article.$.unconfirmed).toBe(true);
  });

  test('may have a field `success`', async () => {
    class Run extends Model.define({ fields: { id: 'int', success: 'boolean' } }) {}
    server.reply({ json: { data: { id: 1, success: false } } });
    const run = await Run.with({ proxy: server.proxy('/items/runs', { dialect: directus() }) }).load(1);
    expect(run.success).toBe(false);
  });

  test('with slashes and quotes in their ids have these encoded; long ids keep their digits', async () => {
    class Tag extends Model.define({ fields: { id: 'string' } }) {}
    const Tags = Tag.with({ proxy: server.proxy('/items/tags', { dialect: directus() }) });
    server.reply({ json: { data: { id: `a/b'ü` } } }, { text: '{"data":[{"id":9007199254740993}]}' }, { status: 204 });
    await Tags.load(`a/b'ü`);
    expect(server.last.url).toBe(`/items/tags/a%2Fb'%C3%BC`);
    const articles = new Store({ model: bind(), pageSize: 25 });
    await articles.load();
    await articles.getAt(0)?.erase();
    expect(server.last.url).toBe(`${URL}/9007199254740993`);
  });
});

describe('several records in one request', () => {
  test('are an array of rows with their ids for updates, and an array of ids for erases', async () => {
    const batched = bind({}, { batchActions: { update: true, destroy: true } });
    const articles = new Store({ model: batched });
    articles.setRecords([7, 8, 5, 6].map((id) => batched.fromRow({ ...row, id })));
    articles.getById(7)?.set({ views: 1 });
    articles.getById(8)?.set({ views: 2 });
    articles.remove(articles.getById(5) as Article, articles.getById(6) as Article);
    // In another order than they were sent.
    server.reply(
      {
        json: {
          data: [
            { ...row, id: 8, views: 2 },
            { ...row, views: 1 },
          ],
        },
      },
      { status: 204 },
    );
    (await articles.sync({ concurrency: 1 })).orThrow();
    expect(server.lines).toEqual([`PATCH ${URL}`, `DELETE ${URL}`]);
    expect(server.requests.map(({ body }) => body)).toEqual([
      [
        { views: 1, id: 7 },
        { views: 2, id: 8 },
      ],
      [5, 6],
    ]);
    expect([articles.getById(7)?.views, articles.getById(8)?.views]).toEqual([1, 2]);
  });
});

describe('errors', () => {
  test('by field become errors of the fields, with their codes', async () => {
    const extensions = { collection: 'articles', field: 'title', code: 'RECORD_NOT_UNIQUE' };
    server.reply({ status: 400, json: { errors: [{ message: 'Value has to be unique.', extensions }] } });
    const article = new (bind())({ title: 'REST' });
    await expect(article.save()).rejects.toThrow(ValidationError);
    expect(article.$.errors).toMatchObject({
      title: [{ message: 'Value has to be unique.', code: 'RECORD_NOT_UNIQUE' }],
    });
    expect(article.phantom).toBe(true);
  });

  test('of a missing record are a 403, as Directus answers', async () => {
    const message = "You don't have permission to access this.";
    server.reply({ status: 403, json: { errors: [{ message, extensions: { code: 'FORBIDDEN' } }] } });
    await expect(bind().load(99)).rejects.toMatchObject({ code: 'auth', status: 403 });
  });
});
