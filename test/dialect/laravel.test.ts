import {
  AuthError,
  bigint,
  DefinitionError,
  explain,
  formBodies,
  HttpError,
  Model,
  or,
  ReadError,
  type RestProxy,
  type RestProxyConfig,
  Store,
  UnsupportedQueryError,
  ValidationError,
  where,
} from 'repose';
import { type LaravelOptions, laravel } from 'repose/dialects';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/**
 * Not run against a Laravel. Requests and answers are those of its documentation, https://laravel.com/docs/12.x: pagination, eloquent-resources
 * (wrapping, pagination), validation (error response format), sanctum (SPA authentication); and of https://spatie.be/docs/laravel-query-builder/v6:
 * filtering, sorting, including relationships, pagination, and spatie/laravel-json-api-paginate.
 */
const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: {
    id: 'int',
    name: 'string',
    email: 'string',
    age: 'int',
    status: 'string',
    admin: 'boolean',
    created: { type: 'date', mapping: 'created_at' },
  },
}) {}

const bind = (options: LaravelOptions = {}, config: RestProxyConfig = {}) =>
  User.with({ proxy: server.proxy('/api/users', { dialect: laravel(options), ...config }) });
const { name, email, age, status, admin } = where(User);
const row = { id: 7, name: 'Ed', email: 'ed@example.com', age: 36 };
const lastUrl = () => decodeURIComponent(server.last.url);

const FILTERS: LaravelOptions['filters'] = { name: 'partial', email: 'beginsWithStrict', age: 'dynamic' };
interface Query {
  filters?: readonly unknown[];
  sorters?: readonly unknown[];
  search?: string;
  params?: object;
}
const explained = (query: Query, options: LaravelOptions = { filters: FILTERS }) =>
  explain(bind(options).proxy, { action: 'read', model: User, ...query } as never);
const queryOf = async (query: Query, options?: LaravelOptions) => {
  const { request, refused } = await explained(query, options);
  if (refused) throw refused;
  return decodeURIComponent(request?.url ?? '').slice('/api/users'.length);
};

/** A page as API resources send it: pagination, "Converting results to JSON", and eloquent-resources, "Pagination". */
const resources = (page: number, total: number, size = 15) => ({
  data: [row],
  links: {
    first: '/api/users?page=1',
    last: '/api/users?page=4',
    prev: null,
    next: page * size < total ? `/api/users?page=${page + 1}` : null,
  },
  meta: {
    current_page: page,
    from: 1,
    last_page: Math.ceil(total / size),
    path: '/api/users',
    per_page: size,
    to: size,
    total,
  },
});

describe('lists', () => {
  test('asks for page, size, order and filters, and reads a page of resources', async () => {
    const users = new Store({
      model: bind({ filters: FILTERS }),
      pageSize: 15,
      remoteSort: true,
      remoteFilter: true,
      grouper: 'status',
      sorters: [{ property: 'created', direction: 'DESC' }, 'name'],
      filters: [name.like('ed'), age.ge(18), status.in(['open', 'new'])],
    });
    server.reply({ json: resources(2, 57) });
    await users.load({ page: 2 });
    expect(lastUrl()).toBe(
      '/api/users?page=2&per_page=15&sort=status,-created_at,name&filter[name]=ed&filter[age]=>=18&filter[status]=open,new',
    );
    expect([users.total, users.getAt(0)?.name]).toEqual([57, 'Ed']);
  });

  test('reads the bare paginator, whose numbers are beside the rows', async () => {
    const users = new Store({ model: bind(), pageSize: 15 });
    server.reply({
      json: {
        total: 50,
        per_page: 15,
        current_page: 1,
        last_page: 4,
        first_page_url: 'http://laravel.app?page=1',
        next_page_url: 'http://laravel.app?page=2',
        links: [{ url: null, label: 'Previous', active: false }],
        data: [row],
      },
    });
    await users.load();
    expect([users.total, users.count]).toEqual([50, 1]);
  });

  test('reads lists without pages, bare or wrapped', async () => {
    const users = new Store({ model: bind(), pageSize: 0 });
    server.reply({ json: [row] }, { json: { data: [row, { ...row, id: 8 }] } });
    await users.load();
    expect([lastUrl(), users.total]).toEqual(['/api/users', 1]);
    await users.load();
    expect(users.total).toBe(2);
  });

  test.each([
    ['simplePaginate()', (next: string | null) => ({ data: [row], per_page: 1, next_page_url: next })],
    [
      'simplePaginate() of resources',
      (next: string | null) => ({ data: [row], links: { next }, meta: { per_page: 1 } }),
    ],
  ])('reads on with %s until its link is null, by our own parameters', async (_, answer) => {
    const users = new Store({ model: bind(), pageSize: 1, remoteSort: true, sorters: ['name'] });
    server.reply(
      // Such links lack `sort` and `per_page`.
      { json: answer('http://laravel.app/api/users?page=2') },
      { json: { ...answer(null), data: [{ ...row, id: 8 }] } },
    );
    await users.load();
    expect([users.total, users.hasMore]).toEqual([undefined, true]);
    await users.loadMore();
    expect(lastUrl()).toBe('/api/users?page=2&per_page=1&sort=name');
    expect([users.count, users.hasMore]).toEqual([2, false]);
  });

  test.each<readonly [string, LaravelOptions, object, string]>([
    [
      'of `cursorPaginate()`',
      {},
      { data: [row], per_page: 1, next_cursor: 'abc', next_page_url: 'http://x?cursor=abc' },
      "set `paging: 'cursor'`",
    ],
    [
      'of resources of `cursorPaginate()`',
      {},
      { data: [row], links: { next: 'x' }, meta: { per_page: 1, next_cursor: null } },
      "set `paging: 'cursor'`",
    ],
    [
      'of a paginator with another parameter',
      {},
      { data: [row], current_page: 1, per_page: 1, next_page_url: 'x' },
      '`pageParam`',
    ],
    [
      'of `paginate()` for `jsonPaginate()`',
      { paging: 'json-api' },
      { data: [row], meta: { current_page: 1, per_page: 1 } },
      '`pageParam`',
    ],
  ])('tells a page that repeats itself: %s', async (_, options, json, remedy) => {
    const users = new Store({ model: bind(options), pageSize: 1 });
    server.reply({ json }, { json });
    await users.load();
    const failure = users.load({ page: 2 });
    await expect(failure).rejects.toMatchObject({ code: 'read' });
    await expect(failure).rejects.toThrow('answered page 2 with its page 1 again');
    await expect(failure).rejects.toThrow(remedy);
    expect(users.currentPage).toBe(1);
  });

  test('reads on with cursors, bare and of resources', async () => {
    const users = new Store({ model: bind({ paging: 'cursor' }), pageSize: 1, remoteSort: true, sorters: ['name'] });
    server.reply(
      {
        json: {
          data: [row],
          per_page: 1,
          next_cursor: 'eyJpZCI6MTV9',
          next_page_url: 'http://laravel.app?cursor=eyJpZCI6MTV9',
        },
      },
      { json: { data: [{ ...row, id: 8 }], links: { next: 'x' }, meta: { per_page: 1, next_cursor: 'abc' } } },
      { json: { data: [{ ...row, id: 9 }], links: { next: null }, meta: { per_page: 1, next_cursor: null } } },
    );
    await users.load();
    await users.loadMore();
    await users.loadMore();
    expect(server.lines).toEqual([
      'GET /api/users?per_page=1&sort=name',
      'GET /api/users?cursor=eyJpZCI6MTV9&per_page=1&sort=name',
      'GET /api/users?cursor=abc&per_page=1&sort=name',
    ]);
    expect([users.count, users.hasMore]).toEqual([3, false]);
    await expect(users.load({ page: 3 })).rejects.toThrow(UnsupportedQueryError);
  });

  test('asks for page[number] and page[size] with jsonPaginate()', async () => {
    const users = new Store({ model: bind({ paging: 'json-api' }), pageSize: 10 });
    server.reply({ json: resources(3, 57, 10) });
    await users.load({ page: 3 });
    expect(lastUrl()).toBe('/api/users?page[number]=3&page[size]=10');
    expect(users.total).toBe(57);
  });

  test('refuses later pages of a server that does not take per_page', async () => {
    const users = new Store({ model: bind(), pageSize: 50 });
    server.reply({ json: resources(2, 57, 15) });
    await expect(users.load({ page: 2 })).rejects.toMatchObject({ reason: 'response-limit' });
    server.reply({ json: resources(2, 57, 15) });
    await expect(users.load({ page: 2 })).rejects.toBeInstanceOf(ReadError);
  });

  test('keeps every digit of long numbers', async () => {
    class Entry extends Model.define({
      fields: { id: bigint() },
      proxy: server.proxy('/api/entries', { dialect: laravel() }),
    }) {}
    server.reply({ text: '{"data":[{"id":9223372036854775807}],"meta":{"total":1}}' });
    const entries = new Store({ model: Entry });
    await entries.load();
    expect(entries.getAt(0)?.id).toBe(9223372036854775807n);
  });

  test('sends includes and sparse fields of the application', async () => {
    const users = new Store({ model: bind({}, { extraParams: { include: 'posts', 'fields[users]': 'id,name' } }) });
    server.reply({ json: { data: [] } });
    await users.load();
    expect(server.last.query.get('include')).toBe('posts');
    expect(server.last.query.get('fields[users]')).toBe('id,name');
  });
});

describe('filters', () => {
  test.each<[string, readonly unknown[], string]>([
    ['exact', [status.eq('open')], '?filter[status]=open'],
    ['exact, true', [admin.eq(true)], '?filter[admin]=true'],
    ['exact, a list', [status.in(['open', 'new'])], '?filter[status]=open,new'],
    ['partial', [name.like('O(a)')], '?filter[name]=O(a)'],
    ['beginsWithStrict', [email.startsWith('ed@')], '?filter[email]=ed@'],
    ['dynamic, equal', [age.eq(18)], '?filter[age]==18'],
    ['dynamic, not equal', [age.ne(18)], '?filter[age]=<>18'],
    ['dynamic, less', [age.lt(18)], '?filter[age]=<18'],
    ['dynamic, at most', [age.le(18)], '?filter[age]=<=18'],
    ['dynamic, greater', [age.gt(-1)], '?filter[age]=>-1'],
  ])('writes %s', async (_, filters, query) => {
    expect(await queryOf({ filters })).toBe(query);
  });

  test('knows the server by the names of its filters', async () => {
    const Mapped = bind({ filters: { created_at: 'dynamic' } });
    const { request } = await explain(Mapped.proxy, {
      action: 'read',
      model: User,
      filters: [{ property: 'created', operator: 'ge', value: new Date(0) }],
    });
    expect(decodeURIComponent(request?.url ?? '')).toBe('/api/users?filter[created_at]=>=1970-01-01T00:00:00.000Z');
  });

  test.each<[string, Query, RegExp]>([
    ['an operator that no filter knows', { filters: [name.contains('a')] }, /operator 'contains'/],
    ['an operator of another kind', { filters: [name.eq('a')] }, /operator 'eq' on 'name': use like, or declare/],
    [
      'a comparison of an undeclared filter',
      { filters: [{ property: 'id', operator: 'ge', value: 1 }] },
      /'ge' on 'id': use eq or in/,
    ],
    ['a comma, which makes a list', { filters: [status.eq('a,b')] }, /the character ',' in a value of 'status'/],
    ['a comma inside a list', { filters: [status.in(['a,b', 'c'])] }, /the character ',' in a value of 'status'/],
    ['an empty text, which is no filter', { filters: [status.eq('')] }, /the empty text in a value of 'status'/],
    ['null', { filters: [status.eq(null as never)] }, /null as a value of 'status'/],
    ['a text that is a boolean there', { filters: [status.eq('true')] }, /the text 'true' in a value of 'status'/],
    [
      'a value that would be another operator',
      { filters: [age.lt('=5' as never)] },
      /the character '=' in a value of 'age'/,
    ],
    ['a list as a value', { filters: [{ property: 'status', value: ['a'] }] }, /a list as a value of 'status'/],
    ['two filters on one field', { filters: [age.ge(1), age.le(5)] }, /two filters on 'age'/],
    [
      'a filter beside a parameter of its name',
      { filters: [age.ge(1)], params: { 'filter[age]': '2' } },
      /two filters on 'age'/,
    ],
    ['a tree', { filters: [or(age.eq(1), age.eq(2))] }, /a tree of filters with `or`/],
    ['a search', { search: 'ed' }, /a search/],
    ['what is no field', { sorters: ['nme'] }, /nme/],
  ])('refuses %s before anything is sent', async (_, query, why) => {
    const { refused } = await explained(query);
    expect(refused).toBeInstanceOf(UnsupportedQueryError);
    expect(refused?.message).toMatch(why);
  });

  test('refuses a start on no edge of a page', async () => {
    const users = new Store({ model: bind(), pageSize: 10 });
    await expect(users.load({ start: 5 })).rejects.toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });
});

describe('single records', () => {
  test.each([
    ['wrapped', { data: row }],
    ['bare', row],
  ])('are read, created and updated with %s answers', async (_, json) => {
    const Bound = bind();
    server.reply({ json }, { json }, { status: 201, json });
    const user = await Bound.load(7);
    user.set('name', 'Bob');
    await user.save();
    expect(server.last).toMatchObject({ method: 'PATCH', url: '/api/users/7', body: { name: 'Bob' } });
    expect(server.last.headers).toMatchObject({ accept: 'application/json' });
    const created = new Bound({ name: 'Ed' });
    await created.save();
    expect(server.last).toMatchObject({ method: 'POST', url: '/api/users', body: { name: 'Ed' } });
    expect([created.id, created.email]).toEqual([7, 'ed@example.com']);
  });

  test('are erased, and answered with 204', async () => {
    server.reply({ status: 204 });
    await bind().fromRow(row).erase();
    expect(server.lines).toEqual(['DELETE /api/users/7']);
  });

  test.each(['a/b', 'ü x', 'a"b?', '100%'])('may have the id %s', async (id) => {
    class Tag extends Model.define({
      fields: { id: 'string' },
      proxy: server.proxy('/api/tags', { dialect: laravel() }),
    }) {}
    server.reply({ json: { data: { id } } });
    await Tag.load(id);
    expect(decodeURIComponent(server.last.path)).toBe(`/api/tags/${id}`);
  });
});

test('writes forms as PHP reads them, and updates with files by POST', async () => {
  class Photo extends Model.define({
    name: 'photo',
    fields: { id: 'int', tags: 'json', shown: 'boolean', image: 'auto' },
    proxy: server.proxy('/api/photos', {
      dialect: laravel(),
      actionMethods: { update: 'POST' },
      writer: {
        type: 'multipart',
        writeAllFields: false,
        transform: (body, { action }) => (action === 'update' ? { ...Object(body), _method: 'PATCH' } : body),
      },
      use: [formBodies()],
    }),
  }) {}
  const photo = Photo.fromRow({ id: 7 });
  photo.set({ tags: ['a', 'b'], shown: true, image: new File(['x'], 'sea.jpg') });
  const { request, body } = await explain(Photo.proxy, { action: 'update', records: [photo] });
  expect([request?.method, request?.url]).toEqual(['POST', '/api/photos/7']);
  expect(body?.text).toBe('tags[]=a&tags[]=b&shown=1&image=(sea.jpg, 1 bytes)&_method=PATCH');
});

describe('errors', () => {
  const fail = async (status: number, json: unknown) => {
    server.reply({ status, json });
    const user = bind().fromRow(row);
    user.set('name', '');
    return (await user.save().catch((error: unknown) => error)) as Error;
  };

  test('of validation name the fields, also inside lists', async () => {
    const error = await fail(422, {
      message: 'The team name must be a string. (and 4 more errors)',
      errors: {
        name: ['The name field is required.', 'The name must be a string.'],
        'users.0.email': ['The users.0.email must be a valid email address.'],
      },
    });
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toEqual([
      { path: ['name'], message: 'The name field is required.' },
      { path: ['name'], message: 'The name must be a string.' },
      { path: ['users', '0', 'email'], message: 'The users.0.email must be a valid email address.' },
    ]);
  });

  test('tell missing sessions, expired tokens of forms, and filters that are not allowed', async () => {
    expect(await fail(401, { message: 'Unauthenticated.' })).toBeInstanceOf(AuthError);
    const expired = await fail(419, { message: 'CSRF token mismatch.' });
    expect(expired).toBeInstanceOf(HttpError);
    expect(expired.message).toMatch('419: CSRF token mismatch');
    server.reply({
      status: 400,
      json: { message: 'Requested filter(s) `x` are not allowed. Allowed filter(s) are `name`.' },
    });
    await expect(new Store({ model: bind() }).load()).rejects.toThrow(/Requested filter\(s\) `x` are not allowed/);
    server.reply({ status: 500, text: '<html>' });
    await expect(bind().load(7)).rejects.toMatchObject({ status: 500 });
  });
});

describe('sessions of Sanctum', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('send the cookie of the latest answer back with writes', async () => {
    const document = { cookie: 'laravel_session=x; XSRF-TOKEN=one%3D' };
    vi.stubGlobal('document', { ...document, baseURI: 'http://rest.test/' });
    const Bound = bind({ csrf: true });
    server.always(() => ({ json: { data: row } }));
    const user = await Bound.load(7);
    expect(server.last.headers).not.toHaveProperty('x-xsrf-token');
    user.set('name', 'Bob');
    await user.save();
    expect(server.last.headers['x-xsrf-token']).toBe('one=');
    vi.stubGlobal('document', { cookie: 'XSRF-TOKEN=two', baseURI: 'http://rest.test/' });
    await user.erase();
    expect(server.last.headers['x-xsrf-token']).toBe('two');
  });

  test('send nothing without the cookie, or without the option', async () => {
    server.always(() => ({ json: { data: row } }));
    await bind({ csrf: true }).fromRow(row).erase();
    vi.stubGlobal('document', { cookie: 'XSRF-TOKEN=one', baseURI: 'http://rest.test/' });
    await bind().fromRow(row).erase();
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty('x-xsrf-token');
  });
});

test.each<[string, () => unknown, RegExp]>([
  ['an unknown way of paging', () => laravel({ paging: 'offset' as never }), /laravel\.paging.*"page"/],
  ['an unknown kind of filter', () => laravel({ filters: { a: 'scope' as never } }), /laravel\.filters.*'dynamic'/],
  ['an unknown option', () => laravel({ filter: {} } as never), /filters/],
])('refuses %s', (_, make, why) => {
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(why);
});

test('names the parts of forms in brackets, and writes flags as the rule `boolean` reads them', async () => {
  const Bound = bind({}, { writer: { type: 'form' }, use: [formBodies()] });
  server.reply({ status: 201, json: { data: row } });
  await new Bound({ name: 'Ed', admin: false }).save();
  expect(server.last.text).toBe('name=Ed&admin=0');
  server.reply({ json: {} });
  await (Bound.proxy as RestProxy).send({ method: 'POST', body: { user: { tags: ['a'], on: true } } });
  expect(decodeURIComponent(server.last.text)).toBe('user[tags][]=a&user[on]=1');
});
