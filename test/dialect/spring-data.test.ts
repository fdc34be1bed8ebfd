import { ConflictError, etags, Model, ReadError, Store, UnsupportedQueryError, ValidationError } from 'repose';
import { type SpringDataOptions, springData } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/**
 * Answers have the shapes of the documentation of Spring Data REST 4 (Repository resources; Paging and Sorting; Conditional requests),
 * of Spring Data Commons 3 (`Page`, `PagedModel`, Querydsl web support) and of Spring Boot 3 (error attributes).
 */
const server = useRestServer();

class Person extends Model.define({
  name: 'Person',
  fields: {
    id: 'int',
    name: 'string',
    age: 'int',
    city: { type: 'string', mapping: 'address.city' },
    content: 'string',
  },
}) {}

const bind = (options: SpringDataOptions = {}, config = {}) =>
  Person.with({ proxy: server.proxy('/people', { dialect: springData(options), ...config }) });
const storeOf = (options: SpringDataOptions = {}, config = {}) =>
  new Store({ model: bind(options), pageSize: 20, ...config });
const resource = (id: number | string, more: object = {}) => ({
  name: 'Ada',
  _links: { self: { href: `http://localhost:8080/people/${id}{?projection}`, templated: true } },
  ...more,
});
const hal = (rows: readonly object[], more: object = {}) => ({
  json: {
    _embedded: { people: rows },
    _links: { self: { href: 'http://localhost:8080/people{?page,size,sort}', templated: true } },
    page: { size: 20, totalElements: 57, totalPages: 3, number: 0 },
    ...more,
  },
});

describe('lists in HAL', () => {
  test('send a page from 0 and repeated sorters, and read rows, ids and total', async () => {
    server.reply(hal([resource(1), resource(2)]));
    const people = storeOf(
      { rel: 'people' },
      { remoteSort: true, grouper: 'city', sorters: [{ property: 'age', direction: 'DESC' }, 'name'] },
    );
    await people.load({ page: 2 });
    expect(decodeURIComponent(server.last.url)).toBe(
      '/people?page=1&size=20&sort=address.city,asc&sort=age,desc&sort=name,asc',
    );
    expect(server.last.headers['accept']).toBe('application/hal+json, application/json;q=0.9');
    expect(people.getRange().map(({ id }) => id)).toEqual([1, 2]);
    expect(people.total).toBe(57);
  });

  test('find the rows without `rel`, if `_embedded` holds one list', async () => {
    server.reply(hal([resource(1)]), { json: { _embedded: { people: [], links: [] }, _links: {} } });
    const people = storeOf();
    await people.load();
    expect(people.count).toBe(1);
    await expect(people.load()).rejects.toBeInstanceOf(ReadError);
  });

  test('count pages from 1 on request', async () => {
    server.reply(hal([]));
    await storeOf({ firstPage: 1 }).load({ page: 2 });
    expect(server.last.url).toBe('/people?page=2&size=20');
  });

  test('are empty without `_embedded`, with a page and without one', async () => {
    const links = { self: { href: 'http://localhost:8080/people' } };
    server.reply(
      { json: { _links: links, page: { size: 20, totalElements: 0, totalPages: 0, number: 0 } } },
      { json: { _links: links } },
      { json: { _embedded: { people: [] }, _links: links } },
      { json: { _links: links, _templates: { default: {} } } },
      { json: {} },
    );
    for (let i = 0; i < 5; i++) {
      const people = storeOf({ rel: 'people' });
      await people.load();
      expect(people.count).toBe(0);
      expect(people.hasMore).toBe(false);
    }
  });

  test('are refused under another name, and if they are no HAL', async () => {
    server.reply(hal([resource(1)]), { json: { people: [] } }, { text: '<html></html>' });
    for (let i = 0; i < 3; i++) await expect(storeOf({ rel: 'persons' }).load()).rejects.toBeInstanceOf(ReadError);
  });

  test('go on at the next link, without what its template may add', async () => {
    server.reply(
      hal([resource(1)], {
        _links: { next: { href: 'http://localhost:8080/people?page=1&size=20{&sort}', templated: true } },
      }),
      hal([resource(2)]),
    );
    const people = storeOf();
    await people.load();
    await people.loadMore();
    // The host behind a proxy has another name: only the query of its link is used.
    expect(server.lines).toEqual(['GET /people?page=0&size=20', 'GET /people?page=1&size=20']);
    expect(people.hasMore).toBe(false);
    expect(people.count).toBe(2);
  });

  test('refuse a page that begins at another row, because the server makes smaller pages', async () => {
    const page = { size: 10, totalElements: 57, totalPages: 6, number: 1 };
    server.always(() => hal([resource(1)], { page }));
    const people = storeOf();
    await people.load();
    await expect(people.load({ page: 2 })).rejects.toMatchObject({
      code: 'read',
      message: expect.stringContaining('10'),
    });
  });

  test('load by a finder, and save its records at their own address', async () => {
    server.reply(hal([resource(7)]), { json: resource(7, { name: 'Ada L.' }) });
    const people = storeOf();
    await people.load({ url: '/people/search/findByName', params: { name: 'Ada & Co' } });
    expect(server.last.url).toBe('/people/search/findByName?name=Ada%20%26%20Co&page=0&size=20');
    const person = people.getAt(0) as Person;
    person.name = 'Ada L.';
    await person.save();
    expect(server.last.url).toBe('/people/7');
  });

  test.each([
    ['an unaligned start', {}, { start: 7 }],
    ['a filter', { remoteFilter: true, filters: [{ property: 'name', value: 'Ada' }] }, {}],
  ])('%s is refused before anything is sent', async (_, config, load) => {
    await expect(storeOf({}, config).load(load)).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });

  test('a search is refused before anything is sent', async () => {
    const people = storeOf({}, { remoteFilter: true });
    people.search('ada');
    await expect(people.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });
});

describe('Querydsl', () => {
  test('compares for equality, with nested properties and lists', async () => {
    server.reply(hal([]));
    const filters = [
      { property: 'city', value: 'Rome' },
      { property: 'age', operator: 'in', value: [36, 37] },
    ];
    await storeOf({ querydsl: true }, { remoteFilter: true, filters }).load();
    expect(server.last.url).toBe('/people?page=0&size=20&address.city=Rome&age=36&age=37');
  });

  test.each<[string, object]>([
    ['other operators', { property: 'age', operator: '>', value: 18 }],
    ['null', { property: 'name', value: null }],
    [
      'trees',
      {
        or: [
          { property: 'name', value: 'a' },
          { property: 'age', value: 1 },
        ],
      },
    ],
  ])('refuses %s', async (_, filter) => {
    const people = storeOf({ querydsl: true }, { remoteFilter: true, filters: [filter] });
    await expect(people.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });
});

describe('records in HAL', () => {
  test('take the id from the self link, unless they hold one', async () => {
    server.reply({ json: resource(7) }, { json: resource(8, { id: 8 }) });
    expect((await bind().load(7)).id).toBe(7);
    expect((await bind().load(8)).id).toBe(8);
  });

  test.each(["it's", 'a/b', 'Zoë ☃', '50%'])('can have the id %s', async (id) => {
    class Doc extends Model.define({
      fields: { code: 'string', name: 'string' },
      idProperty: 'code',
      proxy: server.proxy('/docs', { dialect: springData() }),
    }) {}
    const address = `/docs/${encodeURIComponent(id)}`;
    server.always(() => ({ json: { name: 'a', _links: { self: { href: `http://localhost:8080${address}` } } } }));
    const doc = await Doc.load(id);
    expect(doc.code).toBe(id);
    doc.name = 'b';
    await doc.save();
    expect(server.lines).toEqual([`GET ${address}`, `PATCH ${address}`]);
  });

  test('keep every digit of a long id', async () => {
    class Doc extends Model.define({
      fields: { id: 'int', name: 'string' },
      proxy: server.proxy('/docs', { dialect: springData() }),
    }) {}
    server.reply(
      { json: { _embedded: { docs: [{ _links: { self: { href: '/docs/9007199254740993' } } }] }, _links: {} } },
      { status: 204 },
    );
    const docs = new Store({ model: Doc, pageSize: 0 });
    await docs.load();
    await docs.getAt(0)?.erase();
    expect(server.last.url).toBe('/docs/9007199254740993');
  });

  test('are created, changed by merge patch, and erased', async () => {
    server.reply(
      { status: 201, json: resource(9), headers: { Location: 'http://localhost:8080/people/9' } },
      { json: resource(9, { age: 37 }) },
      { status: 204 },
    );
    const person = new (bind())({ name: 'Ada', age: 36, city: 'Rome' });
    await person.save();
    expect(server.last).toMatchObject({
      method: 'POST',
      url: '/people',
      body: { name: 'Ada', age: 36, address: { city: 'Rome' } },
    });
    expect(server.last.headers).toMatchObject({
      accept: 'application/hal+json, application/json;q=0.9',
      'content-type': 'application/json',
    });
    expect(person.id).toBe(9);
    person.age = 37;
    await person.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: '/people/9', body: { age: 37 } });
    expect(server.last.headers['content-type']).toBe('application/merge-patch+json');
    await person.erase();
    expect(server.last).toMatchObject({ method: 'DELETE', url: '/people/9', text: '' });
  });

  test('take the id of a create without a body from Location', async () => {
    server.reply({ status: 201, headers: { Location: 'http://localhost:8080/people/9' } });
    const person = new (bind())({ name: 'Ada' });
    await person.save();
    expect(person.id).toBe(9);
  });

  test('send the version that they were read with, and report 412 as a conflict', async () => {
    server.reply(
      { json: resource(7), headers: { ETag: '"0"' } },
      {
        status: 412,
        json: { timestamp: '2026-11-23T10:00:00', status: 412, error: 'Precondition Failed', path: '/people/7' },
      },
    );
    const person = await bind({}, { use: [etags()] }).load(7);
    person.name = 'Late';
    await expect(person.save()).rejects.toBeInstanceOf(ConflictError);
    expect(server.last.headers['if-match']).toBe('"0"');
  });

  test('are not sent several at a time', () => {
    expect(() => bind({}, { batchActions: true }).proxy).toThrow(expect.objectContaining({ code: 'definition' }));
  });
});

describe('a Page<T>', () => {
  const content = [{ id: 1, name: 'Ada', content: 'text' }];
  const page = {
    content,
    pageable: { pageNumber: 1 },
    last: false,
    totalPages: 3,
    totalElements: 57,
    size: 20,
    number: 1,
  };

  test('has rows and total, and is asked for as JSON', async () => {
    server.reply({ json: page });
    const people = storeOf({ format: 'page' });
    await people.load({ page: 2 });
    expect(server.last.url).toBe('/people?page=1&size=20');
    expect(server.last.headers['accept']).toBe('application/json');
    expect(people.total).toBe(57);
    expect(people.getAt(0)?.name).toBe('Ada');
  });

  test('has its numbers under `page` as a PagedModel', async () => {
    server.reply({ json: { content, page: { size: 20, number: 0, totalElements: 57, totalPages: 3 } } });
    const people = storeOf({ format: 'page' });
    await people.load();
    expect(people.total).toBe(57);
    expect(people.hasMore).toBe(true);
  });

  test('has no total as a slice, and ends where it says so', async () => {
    const slice = { content, size: 1, last: false };
    server.reply({ json: slice }, { json: { ...slice, content: [{ id: 2, name: 'Bob' }], last: true } });
    const people = storeOf({ format: 'page' }, { pageSize: 1 });
    await people.load();
    expect(people.hasMore).toBe(true);
    await people.loadMore();
    expect(server.last.url).toBe('/people?page=1&size=1');
    expect(people.hasMore).toBe(false);
    expect(people.total).toBe(2);
  });

  test('that the server makes smaller is read on without a gap', async () => {
    const rows = (from: number) => Array.from({ length: 2 }, (_, i) => ({ id: from + i, name: 'a' }));
    server.reply(
      { json: { content: rows(1), size: 2, totalElements: 4, last: false } },
      { json: { content: rows(3), size: 2, totalElements: 4, last: true } },
    );
    const people = storeOf({ format: 'page' }, { pageSize: 3 });
    await people.load();
    await people.loadMore();
    expect(server.last.url).toBe('/people?page=1&size=3');
    expect(people.getRange().map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  test('leaves a record with a member `content` whole, and patches as JSON', async () => {
    const [row] = content;
    server.reply({ json: row }, { json: { ...row, content: 'changed' } });
    const person = await bind({ format: 'page' }).load(1);
    expect(person.content).toBe('text');
    person.content = 'changed';
    await person.save();
    expect(server.last.headers['content-type']).toBe('application/json');
    expect(person.content).toBe('changed');
  });
});

describe('errors', () => {
  const failure = async (status: number, json: object) => {
    server.reply({ status, json });
    return new (bind())({ name: '' }).save().then(
      () => undefined,
      (reason: unknown) => reason,
    );
  };

  test('by property come from Spring Data REST', async () => {
    const error = await failure(400, {
      errors: [
        { entity: 'Person', property: 'name', invalidValue: '', message: 'must not be empty' },
        { entity: 'Person', property: 'address.city', invalidValue: null, message: 'must not be null' },
      ],
    });
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toMatchObject([
      { path: ['name'], message: 'must not be empty' },
      { path: ['city'], message: 'must not be null' },
    ]);
  });

  test('by field come from Spring Boot', async () => {
    const error = await failure(400, {
      timestamp: '2026-11-23T10:00:00.000+00:00',
      status: 400,
      error: 'Bad Request',
      message: "Validation failed for object='person'. Error count: 1",
      errors: [
        {
          codes: ['NotEmpty'],
          defaultMessage: 'must not be empty',
          objectName: 'person',
          field: 'name',
          code: 'NotEmpty',
        },
      ],
      path: '/people',
    });
    expect((error as ValidationError).issues).toMatchObject([
      { path: ['name'], message: 'must not be empty', code: 'NotEmpty' },
    ]);
    expect((error as ValidationError).problem?.detail).toContain('Validation failed');
  });

  test('without fields have the text of Spring Boot, or of problem+json', async () => {
    const boot = { timestamp: '2026-11-23T10:00:00', status: 500, error: 'Internal Server Error', path: '/people' };
    expect(await failure(500, boot)).toMatchObject({ status: 500, problem: { detail: 'Internal Server Error' } });
    const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Failed to read request' };
    expect(await failure(400, problem)).toMatchObject({
      problem: { title: 'Bad Request', detail: 'Failed to read request' },
    });
  });
});

test.each([{ format: 'json' }, { rel: '' }, { firstPage: 2 }, { querydsl: 'yes' }, { nope: 1 }])(
  'the options %j are refused',
  (options) => {
    expect(() => springData(options as never)).toThrow(expect.objectContaining({ code: 'definition' }));
  },
);
