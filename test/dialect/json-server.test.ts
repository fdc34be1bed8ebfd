import {
  type FilterConfig,
  HttpError,
  Model,
  Operation,
  or,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  where,
} from 'repose';
import { jsonServer } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses are those of running servers: json-server 0.17.4, 1.0.0-beta.3 and 1.0.0-beta.15.
const server = useRestServer();

const fields = {
  id: 'string',
  title: { type: 'string', mapping: 'headline' },
  views: { type: 'int', allowNull: true },
  temp_lte: 'int',
  q: 'string',
  city: { type: 'string', mapping: 'address.city' },
} as const;

class OldPost extends Model.define({
  fields,
  proxy: server.proxy('/posts', { dialect: jsonServer({ version: '0.17' }) }),
}) {}
class BetaPost extends Model.define({
  fields,
  proxy: server.proxy('/posts', { dialect: jsonServer({ version: '1.0.0-beta.3' }) }),
}) {}
class Post extends Model.define({ fields, proxy: server.proxy('/posts', { dialect: jsonServer({ version: '1' }) }) }) {}

const { title, views, city, temp_lte, q } = where(Post);
const ROW = { id: '3', headline: 'REST', views: 120 };
const PAGE = { first: 1, prev: null, next: 2, last: 2, pages: 2, items: 3, data: [ROW, { id: '4', headline: 'A' }] };

const storeOf = (model: typeof Post | typeof OldPost | typeof BetaPost, config: Partial<StoreConfig<Post>> = {}) =>
  new Store({ model: model as typeof Post, pageSize: 2, remoteSort: true, remoteFilter: true, ...config });
const reason = (run: Promise<unknown>) => run.then(() => undefined).catch((error: Error) => error);
const sent = () => decodeURIComponent(server.last.url);

/** The query of filters, without the page. */
async function queryOf(
  model: typeof Post | typeof OldPost | typeof BetaPost,
  ...filters: FilterConfig<Post>[]
): Promise<string> {
  server.always(() => ({ json: [] }));
  await storeOf(model, { pageSize: 0, filters }).load();
  return sent().replace(/^\/posts\??/, '');
}

describe('jsonServer()', () => {
  test('reads a page of 0.17 that is sorted, filtered and searched, with the total and the link to the next page', async () => {
    server.reply({
      json: [ROW, { id: '4' }],
      headers: { 'X-Total-Count': '5', Link: '</posts?_page=3&_limit=2>; rel="next"' },
    });
    const store = storeOf(OldPost, {
      sorters: [{ property: 'views', direction: 'DESC' }, 'title'],
      filters: [views.ge(100)],
    });
    store.search('rest & more');
    await store.load({ page: 2 });
    expect(sent()).toBe('/posts?_page=2&_limit=2&q=rest & more&_sort=views,headline&_order=desc,asc&views_gte=100');
    expect([store.total, store.count]).toEqual([5, 2]);
  });

  test('writes the filters of 0.17', async () => {
    expect(await queryOf(OldPost, title.eq("O'Neil, & Co/é"))).toBe("headline=O'Neil, & Co/é");
    expect(await queryOf(OldPost, title.ne('a'), views.le(9))).toBe('headline_ne=a&views_lte=9');
    expect(await queryOf(OldPost, title.in(['a', 'b']))).toBe('headline=a&headline=b');
    expect(await queryOf(OldPost, title.nin(['a', 'b']))).toBe('headline_ne=a&headline_ne=b');
    expect(await queryOf(OldPost, views.between(1, 9))).toBe('views_gte=1&views_lte=9');
    expect(await queryOf(OldPost, title.like('a.b*'))).toBe('headline_like=a\\.b\\*');
    expect(await queryOf(OldPost, city.eq('Rome'))).toBe('address.city=Rome');
  });

  test('reads the pages of 1.0 in their envelope, and a whole list without one', async () => {
    server.reply({ json: PAGE }, { json: [ROW] });
    const store = storeOf(Post, { sorters: [{ property: 'views', direction: 'DESC' }, 'title'] });
    await store.load();
    expect(sent()).toBe('/posts?_page=1&_per_page=2&_sort=-views,headline');
    expect([store.total, store.count]).toEqual([3, 2]);
    const all = storeOf(Post, { pageSize: 0 });
    await all.load();
    expect(sent()).toBe('/posts');
    expect(all.getRange().map((post) => post.title)).toEqual(['REST']);
  });

  test('takes the last page of 1.0, sent again for a page behind it, for an empty page', async () => {
    server.reply({ json: { ...PAGE, prev: 1, next: null } });
    const store = storeOf(Post);
    expect(await store.load({ page: 3 })).toEqual([]);
    expect(store.total).toBe(3);
    server.reply({ json: { ...PAGE, prev: 1, next: null } });
    const result = await Post.proxy.read(new Operation({ action: 'read', start: 4, limit: 2 }));
    expect(result.rows).toEqual([]);
    server.reply({ json: { ...PAGE, pages: 0, items: 0, data: [] } });
    expect(await storeOf(Post).load()).toEqual([]);
  });

  test('writes the filters of the first betas of 1.0', async () => {
    expect(await queryOf(BetaPost, title.eq('12'), views.ge(1))).toBe('headline=12&views_gte=1');
    expect(await queryOf(BetaPost, views.gt(1), views.lt(9))).toBe('views_gt=1&views_lt=9');
    expect(await queryOf(BetaPost, views.ne(3), views.le(9))).toBe('views_ne=3&views_lte=9');
  });

  test('writes the filters of later betas as one object', async () => {
    const whereOf = async (...filters: FilterConfig<Post>[]) =>
      JSON.parse((await queryOf(Post, ...filters)).replace('_where=', ''));
    expect(await whereOf(title.eq('12'), views.gt(1), views.le(9))).toEqual({
      headline: { eq: '12' },
      views: { gt: 1, lte: 9 },
    });
    expect(await whereOf(title.in(['a', 'b']), views.isNull())).toEqual({
      headline: { in: ['a', 'b'] },
      views: { eq: null },
    });
    expect(await whereOf(or(title.like('rest'), views.between(1, 9)))).toEqual({
      or: [{ headline: { contains: 'rest' } }, { views: { gte: 1, lte: 9 } }],
    });
  });

  test.each<[string, typeof Post | typeof OldPost | typeof BetaPost, FilterConfig<Post>, RegExp]>([
    ['0.17: an operator', OldPost, views.gt(1), /operator 'gt'/],
    ['0.17: null', OldPost, views.eq(null), /`isNull` of 'views'/],
    ['0.17: a tree', OldPost, or(views.ge(1)), /tree of filters/],
    ['0.17: a name with the ending of an operator', OldPost, temp_lte.eq(1), /a filter on 'temp_lte'/],
    ['0.17: the name of the search', OldPost, q.eq('a'), /a filter on 'q'/],
    ['beta.3: a list', BetaPost, title.in(['a']), /operator 'in'/],
    ['beta.3: an empty text', BetaPost, title.eq(''), /the empty text/],
    ['beta.3: a broken number', BetaPost, views.ge(1.5), /the value '1.5'/],
    ['beta.3: a range of texts', BetaPost, title.ge('a'), /the value 'a'/],
    ['beta.3: a name with the ending of an operator', BetaPost, temp_lte.eq(1), /a filter on 'temp_lte'/],
    ['1: an operator that looks at case', Post, title.contains('a'), /operator 'contains'/],
    ['1: a path', Post, city.eq('Rome'), /a filter on 'address.city'/],
  ])('sends no request for a filter that the server would misread: %s', async (_, model, filter, message) => {
    const error = await reason(storeOf(model, { filters: [filter] }).load());
    expect(error).toBeInstanceOf(UnsupportedQueryError);
    expect(error?.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  test('sends no search to 1.0, and no list of records to any version', async () => {
    const store = storeOf(Post);
    store.search('rest');
    expect(await reason(store.load())).toBeInstanceOf(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
    const proxy = server.proxy('/posts', { dialect: jsonServer({ version: '1' }), batchActions: true });
    expect(() => Model.define({ fields, proxy }).proxy).toThrow(/batchActions/);
  });

  test('creates, reads, updates and erases records with ids that have to be encoded', async () => {
    const row = { ...ROW, id: 'a/ü\'"?' };
    server.reply({ status: 201, json: row }, { json: row }, { json: { ...row, headline: 'New' } }, { json: row });
    const post = new Post({ title: 'REST', views: 120 });
    await post.save();
    const read = await Post.load(post.id);
    read.title = 'New';
    await read.save();
    await read.erase();
    expect(server.requests.map(({ method, url, text }) => [method, url, text])).toEqual([
      ['POST', '/posts', '{"headline":"REST","views":120}'],
      ['GET', "/posts/a%2F%C3%BC'%22%3F", ''],
      ['PATCH', "/posts/a%2F%C3%BC'%22%3F", '{"headline":"New"}'],
      ['DELETE', "/posts/a%2F%C3%BC'%22%3F", ''],
    ]);
  });

  test('reads the message of an error', async () => {
    server.reply({ status: 404, json: { error: 'Not Found' } });
    const error = await reason(Post.load('9'));
    expect(error).toBeInstanceOf(HttpError);
    expect((error as HttpError).problem?.detail).toBe('Not Found');
  });

  test.each([{}, { version: '1.0' }, { version: 1 }])('refuses the options %j', (options) => {
    expect(() => jsonServer(options as never)).toThrow(/jsonServer.version/);
  });
});
