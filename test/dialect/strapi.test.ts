import {
  DefinitionError,
  HttpError,
  Model,
  not,
  or,
  Store,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { strapi } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/** Vectors are from the documentation of Strapi 4 and 5, and from what a Strapi 5 was recorded to answer. */
const server = useRestServer();

class Person extends Model.define({
  name: 'Person',
  fields: {
    id: { type: 'string', mapping: 'documentId' },
    name: 'string',
    age: 'int',
    email: { type: 'string', allowNull: true },
    active: 'boolean',
    town: { type: 'string', mapping: 'home.town' },
  },
}) {}
/** In Strapi 4, ids are numbers. */
class Article extends Model.define({
  name: 'Article',
  fields: { id: 'int', title: 'string', author: { type: 'string', mapping: 'author.data.attributes.name' } },
}) {}

const URL = '/api/people';
const bind = (options = {}, config = {}) =>
  Person.with({ proxy: server.proxy(URL, { dialect: strapi({ version: 5, ...options }), ...config }) });
const bind4 = () => Article.with({ proxy: server.proxy('/api/articles', { dialect: strapi({ version: 4 }) }) });
const ada = { id: 1, documentId: 'iikyhw42myjzwdjmeal8g93d', name: 'Ada', email: 'ada@example.test', age: 36 };
const page = (...data: object[]) => ({
  json: { data, meta: { pagination: { start: 0, limit: 25, total: 57 } } },
});
const error = (status: number, name: string, message: string, details: object = {}) => ({
  status,
  json: { data: null, error: { status, name, message, details } },
});
const { name, age, town, email, active } = where(Person);

describe('lists', () => {
  test('page by start, sort by several fields, and filter by trees', async () => {
    server.reply(page(ada));
    const people = new Store({
      model: bind({}, { extraParams: { 'populate[0]': 'home', status: 'draft' } }),
      pageSize: 25,
      remoteSort: true,
      remoteFilter: true,
      sorters: [{ property: 'age', direction: 'DESC' }, 'name'],
      filters: [or(age.ge(18), not(name.in(['Ada', 'a&b"ü']))), town.eq('Rome')],
    });
    await people.load({ page: 2 });
    expect(decodeURIComponent(server.last.url)).toBe(
      `${URL}?populate[0]=home&status=draft&pagination[start]=25&pagination[limit]=25&sort[0]=age:desc&sort[1]=name:asc` +
        '&filters[$or][0][age][$gte]=18&filters[$or][1][$not][name][$in][0]=Ada&filters[$or][1][$not][name][$in][1]=a&b"ü' +
        '&filters[home][town][$eq]=Rome',
    );
    expect(people.total).toBe(57);
    expect(people.getAt(0)).toMatchObject({ id: ada.documentId, name: 'Ada' });
  });

  test.each([
    ['eq', age.eq(1), '[age][$eq]=1'],
    ['ne', age.ne(1), '[age][$ne]=1'],
    ['lt', age.lt(1), '[age][$lt]=1'],
    ['le', age.le(1), '[age][$lte]=1'],
    ['gt', age.gt(1), '[age][$gt]=1'],
    ['nin', age.nin([1]), '[age][$notIn][0]=1'],
    ['between', age.between(1, 2), '[age][$between][0]=1&filters[age][$between][1]=2'],
    ['contains', name.contains('a'), '[name][$contains]=a'],
    ['startsWith', name.startsWith('a'), '[name][$startsWith]=a'],
    ['endsWith', name.endsWith('a'), '[name][$endsWith]=a'],
    ['like', name.like('a'), '[name][$containsi]=a'],
    ['null', email.eq(null), '[email][$null]=true'],
    ['not null', email.isNull(false), '[email][$notNull]=true'],
    ['false', active.eq(false), '[active][$eq]=false'],
  ])('write %s by its name', async (_, filter, expected) => {
    server.reply(page());
    await new Store({ model: bind(), pageSize: 0, remoteFilter: true, filters: [filter] }).load();
    expect(decodeURIComponent(server.last.url)).toBe(`${URL}?filters${expected}`);
  });

  test('two conditions on one field are joined by `$and`', async () => {
    server.reply(page());
    await new Store({ model: bind(), pageSize: 0, remoteFilter: true, filters: [age.ge(1), age.ne(5)] }).load();
    expect(decodeURIComponent(server.last.url)).toBe(
      `${URL}?filters[$and][0][age][$gte]=1&filters[$and][1][age][$ne]=5`,
    );
  });

  test('page by number if asked to, whole pages only', async () => {
    server.reply(page());
    const people = new Store({ model: bind({ paging: 'page' }), pageSize: 25 });
    await people.load({ page: 3 });
    expect(decodeURIComponent(server.last.url)).toBe(`${URL}?pagination[page]=3&pagination[pageSize]=25`);
    await expect(people.load({ start: 7 })).rejects.toThrow(UnsupportedQueryError);
    expect(server.requests).toHaveLength(1);
  });

  test('without `withCount` have no total', async () => {
    server.reply({ json: { data: [ada], meta: { pagination: { start: 0, limit: 1 } } } });
    const people = new Store({ model: bind(), pageSize: 1 });
    await people.load();
    expect(people.total).toBeUndefined();
  });

  test('begin and go on anywhere with `start`', async () => {
    server.reply(page());
    await new Store({ model: bind(), pageSize: 25 }).load({ start: 7 });
    expect(decodeURIComponent(server.last.url)).toBe(`${URL}?pagination[start]=7&pagination[limit]=25`);
  });
});

describe('refused before anything is sent', () => {
  type Query = ConstructorParameters<typeof Store<Person>>[0];
  test.each<[string, Partial<Query>, RegExp]>([
    ['a name that is no field', { sorters: ['nope'] as never }, /nope/],
    ['a page beyond the limit of the server', { pageSize: 101 }, /101 rows.*at most 100/],
    [
      'a list longer than the server reads',
      { filters: [age.in(Array.from({ length: 101 }, (_, i) => i))] },
      /101 items/,
    ],
  ])('is %s', async (_, query, text) => {
    const load = async () =>
      new Store({ model: bind(), pageSize: 25, remoteSort: true, remoteFilter: true, ...query }).load();
    await expect(load()).rejects.toThrow(UnsupportedQueryError);
    await expect(load()).rejects.toThrow(text);
    expect(server.requests).toEqual([]);
  });

  test('is a search, unless the proxy names a parameter for it', async () => {
    const people = new Store({ model: bind(), pageSize: 25, remoteFilter: true });
    people.search('ada');
    await expect(people.load()).rejects.toThrow(UnsupportedQueryError);
    server.reply(page());
    const found = new Store({ model: bind({}, { searchParam: '_q' }), pageSize: 25, remoteFilter: true });
    found.search('ada');
    await found.load();
    expect(server.last.query.get('_q')).toBe('ada');
  });

  test('are several records in one request', () => {
    expect(() => bind({}, { batchActions: true }).proxy).toThrow(DefinitionError);
  });

  test('are wrong options', () => {
    expect(() => strapi({} as never)).toThrow(/`strapi.version` must be 4 or 5/);
    expect(() => strapi({ version: '5' } as never)).toThrow(DefinitionError);
    expect(() => strapi({ version: 5, maxPageSize: 0 })).toThrow(/maxPageSize/);
    expect(() => strapi({ version: 5, paging: 'offset' } as never)).toThrow(/paging/);
  });
});

describe('single records of Strapi 5', () => {
  test('are addressed by `documentId`, updated with PUT of the edited fields, and erased with 204', async () => {
    server.reply(
      { json: { data: ada, meta: {} } },
      { json: { data: { ...ada, name: 'Ada2' }, meta: {} } },
      { status: 204 },
    );
    const person = await bind().load(ada.documentId);
    person.set({ name: 'Ada2' });
    await person.save();
    expect(server.last.body).toEqual({ data: { name: 'Ada2' } });
    await person.erase();
    const own = `${URL}/${ada.documentId}`;
    expect(server.lines).toEqual([`GET ${own}`, `PUT ${own}`, `DELETE ${own}`]);
    expect(person).toMatchObject({ erased: true, age: 36 });
  });

  test('are created in `data`, and take the id of the response', async () => {
    server.reply({ status: 201, json: { data: ada, meta: {} } });
    const person = new (bind())({ name: 'Ada', age: 36 });
    await person.save();
    expect(server.last).toMatchObject({ method: 'POST', url: URL, body: { data: { name: 'Ada', age: 36 } } });
    expect(person.id).toBe(ada.documentId);
  });

  test('with slashes and quotes in their ids have these encoded', async () => {
    server.reply({ json: { data: { ...ada, documentId: `a/b'ü` } } });
    await bind().load(`a/b'ü`);
    expect(server.last.url).toBe(`${URL}/a%2Fb'%C3%BC`);
  });
});

describe('Strapi 4', () => {
  const row = {
    id: 1,
    attributes: { title: 'One', author: { data: { id: 7, attributes: { name: 'Ada' } } }, views: 3 },
  };

  test('has the members of a row in `attributes`', async () => {
    server.reply(page(row));
    const articles = new Store({ model: bind4(), pageSize: 25 });
    await articles.load();
    expect(articles.getAt(0)).toMatchObject({ id: 1, title: 'One', author: 'Ada' });
  });

  test('answers single records and writes in the same form; an erase with the record', async () => {
    const changed = { id: 1, attributes: { title: 'Two' } };
    server.reply(
      { json: { data: row, meta: {} } },
      { json: { data: changed, meta: {} } },
      { json: { data: changed, meta: {} } },
    );
    const article = await bind4().load(1);
    article.set({ title: 'Two' });
    await article.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/api/articles/1', body: { data: { title: 'Two' } } });
    expect(article).toMatchObject({ title: 'Two', author: 'Ada', dirty: false });
    await article.erase();
    expect(article.erased).toBe(true);
  });

  test('answers a create with 200', async () => {
    server.reply({ json: { data: { id: 9, attributes: { title: 'New' } }, meta: {} } });
    const article = new (bind4())({ title: 'New' });
    await article.save();
    expect(article).toMatchObject({ id: 9, phantom: false });
  });

  test('keeps long numbers, and members such as `__proto__` as data', async () => {
    server.reply(
      { text: '{"data":{"id":9007199254740993,"attributes":{"title":"Big","__proto__":{"a":1}}}}' },
      { status: 200, text: '' },
    );
    const big = await bind4().load('9007199254740993' as never);
    expect(({} as { a?: number }).a).toBeUndefined();
    await big.erase();
    expect(server.last.url).toBe('/api/articles/9007199254740993');
  });
});

describe('errors', () => {
  test('by path become errors of the fields', async () => {
    server.reply(
      error(400, 'ValidationError', '2 errors occurred', {
        errors: [
          { path: ['name'], message: 'name must be defined.', name: 'ValidationError' },
          { path: ['home', 'town'], message: 'town is unknown', name: 'ValidationError', value: 'x' },
        ],
      }),
    );
    const person = new (bind())({ age: 999 });
    await expect(person.save()).rejects.toThrow(ValidationError);
    expect(person.$.errors).toMatchObject({
      name: [{ message: 'name must be defined.' }],
      town: [{ message: 'town is unknown' }],
    });
    expect(person.phantom).toBe(true);
  });

  test('of an update of a missing record are a 404; the record stays as it was', async () => {
    server.reply(error(404, 'NotFoundError', 'Not Found'));
    const person = bind().fromRow(ada);
    person.set({ name: 'x' });
    await expect(person.save()).rejects.toMatchObject({ status: 404 });
    expect(person.$.error).toBeInstanceOf(HttpError);
    expect(person.dirty).toBe(true);
  });

  test('of missing permissions are a 403', async () => {
    server.reply(error(403, 'ForbiddenError', 'Forbidden'));
    await expect(new Store({ model: bind(), pageSize: 25 }).load()).rejects.toMatchObject({ code: 'auth' });
  });
});
