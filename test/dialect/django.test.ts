import {
  type FilterConfig,
  Model,
  or,
  ReadError,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { type DjangoOptions, django } from 'repose/dialects';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses are those of a running Django REST Framework 3.14 with django-filter 23.1.
const server = useRestServer();

const fields = {
  id: 'int',
  fullName: { type: 'string', mapping: 'name' },
  age: { type: 'int', allowNull: true },
  team: 'int',
  city: { type: 'string', mapping: 'address.city' },
} as const;
const modelOf = (options: DjangoOptions, config: object = {}) =>
  class extends Model.define({ fields, proxy: server.proxy('/api/users', { dialect: django(options), ...config }) }) {};

class User extends modelOf({
  paging: 'limitOffset',
  lookups: ['gte', 'lte', 'gt', 'lt', 'in', 'range', 'isnull', 'contains', 'startswith', 'endswith', 'icontains'],
}) {}

const { fullName, age, team, city } = where(User);
const ADA = { id: 1, name: 'Ada', age: 36, team: 1 };
const BOB = { id: 2, name: 'Bob', age: 25, team: 2 };
const pageOf = (results: object[], next: string | null = null, count = 5) => ({ count, next, previous: null, results });

const storeOf = (model: typeof User = User, config: Partial<StoreConfig<User>> = {}) =>
  new Store({ model, pageSize: 2, remoteSort: true, remoteFilter: true, ...config });
const reason = (run: Promise<unknown>) => run.then(() => undefined).catch((error: Error) => error);
const sent = () => decodeURIComponent(server.last.url);

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('django()', () => {
  test('reads a page by limit and offset that is sorted, filtered and searched, with the total', async () => {
    server.reply({ json: pageOf([ADA, BOB], 'http://other.test/api/users/?limit=2&offset=4') });
    const store = storeOf(User, {
      sorters: [{ property: 'age', direction: 'DESC' }, 'fullName'],
      filters: [age.ge(18), team.eq(1)],
    });
    store.search('ada & co');
    await store.load({ page: 2 });
    expect(sent()).toBe('/api/users/?offset=2&limit=2&search=ada & co&ordering=-age,name&age__gte=18&team=1');
    expect([store.total, store.count, store.hasMore]).toEqual([5, 2, true]);
  });

  test('names a member of another table by a lookup, in orders and filters', async () => {
    server.reply({ json: pageOf([]) });
    await storeOf(User, { sorters: ['city'], filters: [city.eq('Rome'), city.contains('o')] }).load();
    expect(sent()).toBe(
      '/api/users/?offset=0&limit=2&ordering=address__city&address__city=Rome&address__city__contains=o',
    );
  });

  test.each<[string, FilterConfig<User>, string]>([
    ['eq', fullName.eq("O'Neil, & Co/é"), "name=O'Neil, & Co/é"],
    ['gt', age.gt(18), 'age__gt=18'],
    ['le', age.le(18), 'age__lte=18'],
    ['lt', age.lt(18), 'age__lt=18'],
    ['in', age.in([1, 2]), 'age__in=1,2'],
    ['between', age.between(1, 9), 'age__range=1,9'],
    ['null', age.eq(null), 'age__isnull=true'],
    ['not null', age.isNull(false), 'age__isnull=false'],
    ['contains', fullName.contains('a'), 'name__contains=a'],
    ['startsWith', fullName.startsWith('a'), 'name__startswith=a'],
    ['endsWith', fullName.endsWith('a'), 'name__endswith=a'],
    ['like', fullName.like('a'), 'name__icontains=a'],
  ])('writes the operator %s as a lookup', async (_, filter, query) => {
    server.reply({ json: pageOf([]) });
    await storeOf(User, { filters: [filter] }).load();
    expect(sent()).toBe(`/api/users/?offset=0&limit=2&${query}`);
  });

  test('names related fields in queries as the server does', async () => {
    server.reply({ json: [] });
    const Related = modelOf({ names: { team: 'team__name' }, lookups: ['in'] }) as typeof User;
    await storeOf(Related, { pageSize: 0, sorters: ['team'], filters: [fullName.in(['a', 'b'])] }).load();
    expect(sent()).toBe('/api/users/?ordering=team__name&name__in=a,b');
  });

  test('asks for pages by number, and for their size if the server knows a parameter for it', async () => {
    server.reply({ json: pageOf([ADA, BOB]) }, { json: pageOf([ADA, BOB]) });
    await storeOf(modelOf({ paging: 'pageNumber' }) as typeof User).load({ page: 2 });
    expect(sent()).toBe('/api/users/?page=2');
    await storeOf(modelOf({ paging: 'pageNumber', pageSizeParam: 'page_size' }) as typeof User).load({ page: 2 });
    expect(sent()).toBe('/api/users/?page=2&page_size=2');
  });

  test('takes the refusal of a page behind the last one for an empty page, but no other 404', async () => {
    const Numbered = modelOf({ paging: 'pageNumber' }) as typeof User;
    server.reply({ status: 404, json: { detail: 'Invalid page.' } });
    expect(await storeOf(Numbered).load({ page: 9 })).toEqual([]);
    server.reply({ status: 404, json: { detail: 'Not found.' } }, { status: 404, json: { detail: 'Invalid page.' } });
    expect(await reason(storeOf(Numbered).load({ page: 2 }))).toMatchObject({ code: 'http', status: 404 });
    expect(await reason(storeOf(Numbered).load())).toMatchObject({ code: 'http', status: 404 });
  });

  test('refuses a response with pages of another size than was asked for', async () => {
    const next = 'http://rest.test/api/users/?page=2';
    server.reply({ json: pageOf([ADA, BOB, ADA], next) }, { json: pageOf([ADA], next) });
    const numbered = await reason(storeOf(modelOf({ paging: 'pageNumber' }) as typeof User).load());
    expect(numbered).toBeInstanceOf(ReadError);
    expect(String(numbered)).toContain('pages of 3 rows, but pages of 2');
    const clipped = await reason(storeOf().load({ page: 2 }));
    expect(clipped).toHaveProperty('reason', 'response-limit');
  });

  test('follows cursors, whichever host the link to the next page names', async () => {
    server.reply(
      {
        json: { next: 'http://internal:8000/api/users/?cursor=cD0y%3D&ordering=name', previous: null, results: [ADA] },
      },
      { json: { next: null, previous: 'http://internal:8000/api/users/?cursor=x', results: [BOB] } },
    );
    const store = storeOf(modelOf({ paging: 'cursor', pageSizeParam: 'page_size' }) as typeof User, {
      sorters: ['fullName'],
    });
    await store.load();
    expect(store.hasMore).toBe(true);
    await store.loadMore();
    expect(server.requests.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/api/users/?page_size=2&ordering=name',
      '/api/users/?cursor=cD0y=&page_size=2&ordering=name',
    ]);
    expect([store.count, store.hasMore]).toEqual([2, false]);
  });

  test('reads a bare array where the server has no pages, and refuses to ask for one', async () => {
    const Bare = modelOf({}) as typeof User;
    server.reply({ json: [ADA, { ...BOB, results: [] }] });
    const store = storeOf(Bare, { pageSize: 0 });
    await store.load();
    expect([sent(), store.count]).toEqual(['/api/users/', 2]);
    expect(String(await reason(storeOf(Bare).load()))).toContain('say with `paging`');
  });

  test.each<[string, DjangoOptions, FilterConfig<User>, RegExp]>([
    ['a lookup that was not declared', {}, age.ge(1), /operator 'ge': use `eq`/],
    ['not equal', { lookups: ['gte'] }, age.ne(1), /operator 'ne'/],
    ['a tree', {}, or(age.eq(1)), /tree of filters/],
    ['a comma in a list', { lookups: ['in'] }, fullName.in(['a,b']), /the items 'a,b'/],
    ['an empty text', {}, fullName.eq(''), /the empty text in a value of .*, which the server would ignore/],
    [
      'a text with a space at its end',
      { lookups: ['icontains'] },
      fullName.like('a '),
      /the character U\+0020 in a value of .*, which the server would trim/,
    ],
  ])('sends no request for %s', async (_, options, filter, message) => {
    const store = storeOf(modelOf(options) as typeof User, { pageSize: 0, filters: [filter] });
    const error = await reason(store.load());
    expect(error).toBeInstanceOf(UnsupportedQueryError);
    expect(error?.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  test('sends no page in the middle to a list with cursors', async () => {
    const store = storeOf(modelOf({ paging: 'cursor' }) as typeof User);
    expect(String(await reason(store.load({ page: 2 })))).toContain('read on with `loadMore()`');
    expect(server.requests).toEqual([]);
  });

  test('writes with a slash at the end of each path, updates by PATCH, and reads errors by field', async () => {
    server.reply(
      { status: 400, json: { name: ['This field may not be blank.'], non_field_errors: ['No more users.'] } },
      { status: 201, json: ADA },
      { json: { ...ADA, age: 37 } },
      { status: 204 },
    );
    const user = new User({ fullName: '', age: 36, team: 1 });
    const error = await reason(user.save());
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toMatchObject([
      { path: ['fullName'], message: 'This field may not be blank.' },
      { path: [], message: 'No more users.' },
    ]);
    user.fullName = 'Ada';
    await user.save();
    user.age = 37;
    await user.save();
    await user.erase();
    expect(server.requests.slice(1).map(({ method, url, text }) => [method, url, text])).toEqual([
      ['POST', '/api/users/', '{"name":"Ada","age":36,"team":1}'],
      ['PATCH', '/api/users/1/', '{"age":37}'],
      ['DELETE', '/api/users/1/', ''],
    ]);
  });

  test('addresses records whose ids have to be encoded, also by a format suffix', async () => {
    class Label extends Model.define({
      fields: { id: 'string', name: 'string' },
      proxy: server.proxy('/labels', { dialect: django() }),
    }) {}
    server.always(({ url }) => ({ json: { id: decodeURIComponent(url.split('/')[2] ?? '').replace(/\.json$/, '') } }));
    await Label.load('a/ü\'"?');
    expect(server.last.url).toBe("/labels/a%2F%C3%BC'%22%3F/");
    class Suffixed extends Label.with({ proxy: { format: 'json' } }) {}
    await Suffixed.load('7');
    expect(server.last.url).toBe('/labels/7.json');
  });

  test('keeps the digits of long numbers', async () => {
    const text = '{"id":9007199254740993,"name":"Ada","age":36,"team":1}';
    server.reply(
      { text, headers: { 'Content-Type': 'application/json' } },
      { text, headers: { 'Content-Type': 'application/json' } },
    );
    const user = await User.load('9007199254740993');
    user.age = 37;
    await user.save();
    expect(server.last.url).toBe('/api/users/9007199254740993/');
  });

  test('sends the CSRF token of the page with requests that write, asked for each time', async () => {
    const Cookie = modelOf({ csrf: true }) as typeof User;
    server.always(() => ({ json: ADA }));
    const user = await Cookie.load(1);
    vi.stubGlobal('document', { cookie: 'sessionid=a; csrftoken=first' });
    user.age = 37;
    await user.save();
    expect(server.last.headers).toHaveProperty('x-csrftoken', 'first');
    vi.stubGlobal('document', { cookie: 'csrftoken=second' });
    await Cookie.load(1);
    expect(server.last.headers).not.toHaveProperty('x-csrftoken');
    user.age = 38;
    await user.save();
    expect(server.last.headers).toHaveProperty('x-csrftoken', 'second');
    vi.unstubAllGlobals();
    user.age = 39;
    await user.save();
    expect(server.last.headers).not.toHaveProperty('x-csrftoken');
  });

  test('sends the CSRF token that a function returns', async () => {
    const Given = modelOf({ csrf: () => 'given' }) as typeof User;
    server.reply({ status: 201, json: ADA });
    await new Given({ fullName: 'Ada' }).save();
    expect(server.last.headers).toHaveProperty('x-csrftoken', 'given');
  });

  test.each([{ paging: 'page' }, { lookups: ['gte', 'like'] }, { lookups: 'gte' }, { csrf: 'csrftoken' }, { page: 1 }])(
    'refuses the options %j',
    (options) => {
      expect(() => django(options as never)).toThrow(/django/);
    },
  );
});
