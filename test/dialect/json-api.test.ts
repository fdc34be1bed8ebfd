import {
  bigint,
  DefinitionError,
  filterTemplates,
  Model,
  Operation,
  RestProxy,
  reference,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { jsonApi } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses have the form of the specification 1.1, and of a running jsonapi-server 4.2.0.
const server = useRestServer();
const TYPE = 'application/vnd.api+json';

class Person extends Model.define({
  fields: { id: 'string', name: 'string' },
  proxy: server.proxy('/v1/people', { dialect: jsonApi() }),
}) {}

class Article extends Model.define({
  fields: {
    id: 'int',
    title: 'string',
    views: 'int',
    authorId: reference('string', { mapping: 'author', allowNull: true }),
    tags: 'json',
    version: { type: 'string', mapping: 'meta.version', persist: false },
  },
  proxy: server.proxy('/v1/articles?tenant=a', { dialect: jsonApi({ relationships: { tags: 'labels' } }) }),
}) {
  static override references() {
    return { authorId: Person };
  }
}

const { title, views, authorId } = where(Article);
const link = (type: string, id: string) => ({ type, id });
const article = (
  id: string,
  attributes: object = { title: 'One', views: 10 },
  author: unknown = link('people', '9'),
) => ({
  type: 'articles',
  id,
  attributes,
  relationships: {
    author: { links: { related: `/v1/articles/${id}/author` }, data: author },
    tags: { data: [link('labels', 'a'), link('labels', 'b')] },
    comments: { links: { related: `/v1/articles/${id}/comments` } },
  },
  links: { self: `/v1/articles/${id}` },
  meta: { version: '3' },
});
const page = (data: unknown[], more: object = {}) => ({ json: { jsonapi: { version: '1.1' }, data, ...more } });
const storeWith = (config: Partial<StoreConfig<Article>> = {}) =>
  new Store({ model: Article, pageSize: 2, remoteSort: true, remoteFilter: true, ...config });
const reason = (run: Promise<unknown>) => run.then(() => undefined).catch((error: Error) => error);
const sent = () => decodeURIComponent(server.last.url).replace('/v1/articles?tenant=a&', '');
const modelWith = (options: Parameters<typeof jsonApi>[0], config = {}) =>
  Article.with({ proxy: { dialect: jsonApi(options), ...config } });

describe('jsonApi()', () => {
  test('reads a page that is sorted and filtered as flat rows, with the total', async () => {
    server.reply(page([article('1'), article('2', { title: 'Two' }, null)], { meta: { page: { total: 7 } } }));
    const store = storeWith({
      sorters: [{ property: 'views', direction: 'DESC' }, 'title'],
      filters: [title.eq('a b&é"/'), authorId.in(['9', '8'])],
    });
    await store.load({ page: 2 });
    expect(sent()).toBe('page[number]=2&page[size]=2&sort=-views,title&filter[title]=a b&é"/&filter[author]=9,8');
    expect(server.last.headers).toMatchObject({ accept: TYPE });
    expect(server.last.headers['content-type']).toBeUndefined();
    const [one, two] = store.getRange();
    expect(store.total).toBe(7);
    expect(one).toMatchObject({ id: 1, title: 'One', views: 10, authorId: '9', tags: ['a', 'b'], version: '3' });
    expect([two?.authorId, two?.dirty]).toEqual([null, false]);
  });

  test('takes a total in `meta.total`, or wherever the reader says', async () => {
    server.reply(page([], { meta: { total: 5 } }), page([], { meta: { 'record-count': 6 } }));
    const store = storeWith();
    await store.load();
    expect(store.total).toBe(5);
    const Counted = Article.with({ proxy: { reader: { totalProperty: "meta['record-count']" } } });
    const counted = new Store({ model: Counted, pageSize: 2 });
    await counted.load();
    expect(counted.total).toBe(6);
  });

  test.each([
    ['offset', 'page[offset]={start}&page[limit]={limit}', 'page[offset]=2&page[limit]=2'],
    ['number', undefined, 'page[number]=2&page[size]=2'],
  ])('asks for pages by %s', async (_, form, query) => {
    server.reply(page([article('1')]));
    const store = new Store({ model: modelWith(form === undefined ? {} : { page: form }), pageSize: 2 });
    await store.load({ page: 2 });
    expect(sent()).toBe(query);
  });

  test('follows cursors, whose links are texts or objects', async () => {
    const Cursor = modelWith({ page: 'page[size]={limit}' });
    server.reply(
      page([article('1')], {
        links: { prev: null, next: { href: `${server.url}/v1/articles?page[after]=x&page[size]=1` } },
      }),
      page([article('2')], { links: { next: '/v1/articles?page[after]=y&page[size]=1' } }),
      page([article('3')], { links: { prev: '/v1/articles', next: null } }),
    );
    const store = new Store({ model: Cursor.with({ proxy: { baseUrl: server.url } }), pageSize: 1 });
    await store.load();
    while (store.hasMore) await store.loadMore();
    expect(store.getRange().map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(server.requests.map(({ query }) => query.get('page[after]'))).toEqual([null, 'x', 'y']);
    expect(await reason(store.load({ page: 2 }))).toBeInstanceOf(UnsupportedQueryError);
  });

  test('follows a link that no address decodes', async () => {
    server.reply(
      page([article('1')], {
        links: { next: '/v1/articles?page[after]=100%' },
        included: [{ type: 'people', id: '1' }],
      }),
      page([article('2')], { links: { next: null, prev: '/v1/articles' }, included: [{ type: 'people', id: '1' }] }),
    );
    const store = new Store({ model: modelWith({ models: () => ({ people: Person }) }), pageSize: 1 });
    await store.load();
    await store.loadMore();
    expect([store.count, store.hasMore]).toEqual([2, false]);
  });

  test('reads on by numbers where the links name no pages', async () => {
    server.reply(page([article('1'), article('2')], { links: { self: '/v1/articles' } }), page([article('3')]));
    const store = storeWith();
    await store.load();
    expect(store.hasMore).toBe(true);
    await store.loadMore();
    expect([sent(), store.hasMore]).toEqual(['page[number]=2&page[size]=2', false]);
  });

  test('creates with attributes and relationships, without an id', async () => {
    server.reply({ status: 201, headers: { Location: '/v1/articles/7' }, json: { data: article('7') } });
    const record = new Article({ title: 'One', views: 10, authorId: '9', tags: ['a', 'b'] });
    await record.save();
    expect(server.lines).toEqual(['POST /v1/articles?tenant=a']);
    expect(server.last.headers).toMatchObject({ accept: TYPE, 'content-type': TYPE });
    expect(server.last.body).toEqual({
      data: {
        type: 'articles',
        attributes: { title: 'One', views: 10 },
        relationships: {
          author: { data: link('people', '9') },
          tags: { data: [link('labels', 'a'), link('labels', 'b')] },
        },
      },
    });
    expect([record.id, record.dirty, record.version]).toEqual([7, false, '3']);
  });

  test('sends an id that the client gives, and keeps it after a 204', async () => {
    class Note extends Model.define({
      fields: { id: 'string', text: 'string' },
      identifier: 'natural',
      proxy: server.proxy('/notes', { dialect: jsonApi({ type: 'memo' }) }),
    }) {}
    server.reply({ status: 204 });
    const note = new Note({ id: 'a/b', text: 'x' }, { phantom: true });
    await note.save();
    expect(server.last.body).toEqual({ data: { type: 'memo', id: 'a/b', attributes: { text: 'x' } } });
    expect([note.id, note.phantom, note.dirty]).toEqual(['a/b', false, false]);
    server.reply({ status: 409, json: { errors: [{ status: '409', title: 'Conflict' }] } });
    const other = new Note({ id: 'a/b', text: 'y' }, { phantom: true });
    expect(await reason(other.save())).toMatchObject({ name: 'HttpError', status: 409 });
  });

  test('updates the edited attributes and relationships only', async () => {
    server.reply({ json: { data: article('7') } }, { json: { data: article('7', { title: 'Two', views: 10 }) } });
    const record = await Article.load(7);
    record.title = 'Two';
    await record.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: '/v1/articles/7?tenant=a' });
    expect(server.last.body).toEqual({ data: { type: 'articles', id: '7', attributes: { title: 'Two' } } });
    server.reply({ status: 204 }, { status: 200, json: { meta: { took: 3 } } });
    record.authorId = '8';
    record.tags = ['c'];
    await record.save();
    expect(server.last.body.data).toEqual({
      type: 'articles',
      id: '7',
      relationships: { author: { data: link('people', '8') }, tags: { data: [link('labels', 'c')] } },
    });
    record.authorId = null;
    record.tags = [];
    await record.save();
    expect(server.last.body.data.relationships).toEqual({ author: { data: null }, tags: { data: [] } });
    expect([record.dirty, record.title, record.views]).toEqual([false, 'Two', 10]);
  });

  test('erases, whatever the response is', async () => {
    server.reply({ status: 204 }, { json: { meta: { description: 'gone' } } });
    await Article.fromRow({ id: '7' }).erase();
    await Article.fromRow({ id: '8' }).erase();
    expect(server.requests.map(({ method, url, text }) => [method, url, text])).toEqual([
      ['DELETE', '/v1/articles/7?tenant=a', ''],
      ['DELETE', '/v1/articles/8?tenant=a', ''],
    ]);
  });

  test('links to the types that it received, also of several models, and refuses a link without a type', async () => {
    class Pin extends Model.define({
      fields: { id: 'string', targets: 'json', owner: 'string' },
      proxy: server.proxy('/pins', { dialect: jsonApi() }),
    }) {}
    const pin = (data: unknown) => ({
      json: { data: { type: 'pin', id: '1', relationships: { targets: { data }, owner: {} } } },
    });
    server.reply(pin([link('photos', '1'), link('people', '2')]), { status: 204 });
    const record = await Pin.load('1');
    record.targets = ['2'];
    await record.save();
    expect(server.last.body.data).toEqual({
      type: 'pin',
      id: '1',
      relationships: { targets: { data: [link('people', '2')] } },
    });
    record.owner = '9';
    const error = await reason(record.save());
    expect(error).toBeInstanceOf(DefinitionError);
    expect(String(error)).toMatch(/The relationship 'owner' has no type of resources to link to/);
    expect(server.requests).toHaveLength(2);
  });

  test('takes the types of references from `models`', async () => {
    const Typed = modelWith({ models: () => ({ writers: Person, posts: Article }) });
    server.reply({ status: 201, json: { data: { type: 'posts', id: '1' } } });
    await new Typed({ authorId: '9' }).save();
    expect(server.last.body.data).toEqual({
      type: 'posts',
      relationships: { author: { data: link('writers', '9') } },
    });
  });

  test('keeps long numbers, odd ids and members named like those of every object', async () => {
    class Odd extends Model.define({
      fields: { id: 'string', size: bigint(), name: 'string' },
      proxy: server.proxy('/odd', { dialect: jsonApi() }),
    }) {}
    const id = 'a/b "é☃';
    const text = `{"data":{"type":"odd","id":${JSON.stringify(id)},"attributes":{"size":12345678901234567890,"__proto__":{"name":"x"}},"relationships":{"__proto__":{"data":{"type":"y","id":"z"}}}}}`;
    server.reply({ text }, { status: 204 });
    const record = await Odd.load(id);
    expect([record.id, record.size, record.name]).toEqual([id, 12345678901234567890n, undefined]);
    record.size = 12345678901234567891n;
    await record.save();
    expect(server.last.url).toBe(`/odd/${encodeURIComponent(id)}`);
    expect(server.last.text).toContain('"attributes":{"size":12345678901234567891}');
  });

  test.each([
    ['a pointer', 422, [{ source: { pointer: '/data/attributes/title' }, detail: 'too short' }], 'title'],
    [
      'a relationship',
      422,
      [{ source: { pointer: '/data/relationships/author/data/id' }, detail: 'too short' }],
      'authorId',
    ],
    // jsonapi-server answers 403 with a list of details.
    [
      'details as a list',
      403,
      [{ status: '403', code: 'EFORBIDDEN', title: 'Failed', detail: [{ message: 'too short', path: ['title'] }] }],
      'title',
    ],
    [
      'a forbidden value',
      403,
      [{ status: '403', source: { pointer: '/data/attributes/title' }, detail: 'too short' }],
      'title',
    ],
  ])('gives errors to fields: %s', async (_, status, errors, field) => {
    server.reply({ status, json: { errors } });
    const record = new Article({ title: '' });
    const error = await reason(record.save());
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ status });
    expect(record.$.errors[field as 'title']?.map((each) => each.message)).toEqual(['too short']);
  });

  test('keeps a 403 about no field, and one of a read, an error of the sign-in', async () => {
    server.reply(
      { status: 403, json: { errors: [{ status: '403', title: 'No' }] } },
      { status: 403, json: { errors: [{ status: '403', detail: [{ message: 'not allowed', path: ['page'] }] }] } },
    );
    expect(await reason(new Article({ title: 'x' }).save())).toHaveProperty('code', 'auth');
    expect(await reason(storeWith().load())).toHaveProperty('code', 'auth');
  });

  test.each([
    ['an operator', { filters: [views.ge(3)] }, "the operator 'ge'"],
    ['null', { filters: [authorId.eq(null)] }, "`isNull` of 'author'"],
    ['a tree', { filters: [{ or: [title.eq('a'), title.eq('b')] }] }, 'or'],
    ['a text that reads like a list', { filters: [title.eq('a,b')] }, 'which the server would read as a list'],
    ['an item with a comma', { filters: [title.in(['a,b'])] }, 'a,b'],
    ['an unaligned window', {}, 'start=3'],
  ])('refuses %s before anything is sent', async (name, config, text) => {
    const store = storeWith(config as Partial<StoreConfig<Article>>);
    const error = await reason(store.load(name === 'an unaligned window' ? { start: 3 } : {}));
    expect(error).toBeInstanceOf(UnsupportedQueryError);
    expect(String(error)).toContain(text);
    expect(server.requests).toEqual([]);
  });

  test('writes the filters, sorters and searches of a server by options', async () => {
    const Own = modelWith({
      filter: filterTemplates({ eq: 'filter[{name}]', gt: 'filter[{name}]=>{value}', like: 'filter[{name}]=:{value}' }),
      sort: { several: 'refuse' },
      searchParam: 'filter[q]',
    });
    server.always(() => page([]));
    const store = new Store({ model: Own, pageSize: 0, remoteFilter: true, filters: [views.gt(3), title.eq('a,b')] });
    store.search('x');
    await store.load();
    expect(sent()).toBe('filter[q]=x&filter[views]=>3&filter[title]=a,b');
  });

  test('sends one request per record, and refuses batchActions', async () => {
    expect(() => new RestProxy({ url: '/articles', dialect: jsonApi(), batchActions: true })).toThrow(DefinitionError);
    const records = [new Article({ title: 'a' }), new Article({ title: 'b' })] as never;
    const several = Article.proxy.create(new Operation({ action: 'create', records }));
    expect(await reason(several)).toHaveProperty('reason', 'url-several');
    expect(server.requests).toEqual([]);
  });

  test('refuses an option that it does not know', () => {
    expect(() => jsonApi({ include: 'author' } as never)).toThrow(/'include' is not an option of jsonApi/);
  });
});
