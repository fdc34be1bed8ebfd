import { type AnyDataError, conflicts, formBodies, Model, type RestProxyConfig, Store, type StoreConfig } from 'repose';
import { type RailsOptions, rails } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses are those of Rails 6.1 with api-pagination 4.8, shortened. The queries are those of the documentation of Ransack
// (search matches) and of pagy (headers extra).
const server = useRestServer();

function users(options: RailsOptions, proxy: RestProxyConfig = {}) {
  return class User extends Model.define({
    name: 'User',
    fields: {
      id: 'int',
      name: 'string',
      age: { type: 'int', allowNull: true },
      active: 'boolean',
      firstSeen: { type: 'date', mapping: 'first_seen_at' },
      city: { type: 'string', mapping: 'address.city' },
    },
    proxy: server.proxy('/users', { format: 'json', dialect: rails(options), ...proxy }),
  }) {};
}

const FULL: RailsOptions = { wrap: 'user', paging: 'api-pagination', ransack: true };
const ROW = { id: 1, name: 'Ada', age: 36, lock_version: 0 };

/** Queries with names that the types of the model would refuse as well. */
interface Query {
  readonly pageSize?: number;
  readonly sorters?: readonly unknown[];
  readonly filters?: readonly unknown[];
}

async function load(options: RailsOptions, query: Query) {
  const store = new Store({
    model: users(options),
    remoteSort: true,
    remoteFilter: true,
    ...query,
  } as StoreConfig<Model>);
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

describe('rails() with Ransack and api-pagination', () => {
  test('names a member of another table as Ransack does, in orders and filters', async () => {
    server.reply({ json: [] });
    await load(FULL, { sorters: ['city'], filters: [{ property: 'city', value: 'Rome' }] });
    expect(sentQuery()).toBe('/users.json?page=1&per_page=25&q[s][]=address_city asc&q[address_city_eq]=Rome');
  });

  test('asks for a page, an order and filters, and reads the total', async () => {
    server.reply({ json: [ROW], headers: { Total: '57', 'Per-Page': '20' } });
    const store = await load(FULL, {
      pageSize: 20,
      sorters: [{ property: 'age', direction: 'DESC' }, 'firstSeen'],
      filters: [
        { property: 'age', operator: '>=', value: 18 },
        { property: 'name', operator: 'in', value: ['Ada', 'Bob'] },
      ],
    });
    expect(sentQuery()).toBe(
      '/users.json?page=1&per_page=20&q[s][]=age desc&q[s][]=first_seen_at asc&q[age_gteq]=18&q[name_in][]=Ada&q[name_in][]=Bob',
    );
    expect(store.total).toBe(57);
  });

  test('follows the Link header to the next page', async () => {
    const next = `<${server.url}/users.json?page=2&per_page=1>; rel="next"`;
    server.reply({ json: [ROW], headers: { Link: next } }, { json: [{ ...ROW, id: 2 }] });
    const User = users(FULL, { baseUrl: server.url });
    const store = new Store({ model: User, pageSize: 1 });
    await store.load();
    await store.loadMore();
    expect(server.lines.map(decodeURIComponent)).toEqual([
      'GET /users.json?page=1&per_page=1',
      'GET /users.json?page=2&per_page=1',
    ]);
  });

  test.each([
    ['eq', 'Ada', 'q[name_eq]=Ada'],
    ['!=', 'Ada', 'q[name_not_eq]=Ada'],
    ['contains', 'd a', 'q[name_cont]=d a'],
    ['startsWith', 'A', 'q[name_start]=A'],
    ['endsWith', 'a', 'q[name_end]=a'],
    ['like', 'a', 'q[name_i_cont]=a'],
    ['nin', ['Ada'], 'q[name_not_in][]=Ada'],
    ['between', ['A', 'M'], 'q[name_gteq]=A&q[name_lteq]=M'],
    ['isNull', true, 'q[name_null]=1'],
    ['isNull', false, 'q[name_not_null]=1'],
    ['eq', null, 'q[name_null]=1'],
    ['ne', null, 'q[name_not_null]=1'],
  ])('writes %s %j as %s', async (operator, value, sent) => {
    server.reply({ json: [] });
    await load(FULL, { pageSize: 0, filters: [{ property: 'name', operator, value }] });
    expect(sentQuery()).toBe(`/users.json?${sent}`);
  });

  test.each([
    ['an empty text, which Ransack ignores', [{ property: 'name', value: '' }]],
    ['an empty text in a list', [{ property: 'name', operator: 'in', value: ['Ada', ''] }]],
    ['a text that Ransack trims', [{ property: 'name', value: ' Ada' }]],
    [
      'a tree',
      [
        {
          or: [
            { property: 'name', value: 'Ada' },
            { property: 'age', value: 1 },
          ],
        },
      ],
    ],
    ['an operator of another server', [{ property: 'name', operator: 'soundsLike', value: 'Ada' }]],
    ['a name that is no field', [{ property: 'nmae', value: 'Ada' }]],
  ])('refuses %s before anything is sent', async (_, filters) => {
    const error = await failure(load(FULL, { pageSize: 0, filters }));
    expect(error.code).toBe('unsupported-query');
    expect(server.requests).toEqual([]);
  });

  test('searches by the parameter that the proxy names', async () => {
    server.reply({ json: [ROW] });
    const model = users(FULL, { searchParam: 'q[name_or_email_cont]' });
    const store = new Store({ model, pageSize: 0, remoteFilter: true });
    store.search('ada');
    await store.load();
    expect(sentQuery()).toBe('/users.json?q[name_or_email_cont]=ada');
  });

  test('reads the page from the headers of pagy', async () => {
    server.reply({ json: [ROW], headers: { 'total-count': '57' } });
    const store = await load({ paging: 'pagy' }, { pageSize: 20 });
    expect(sentQuery()).toBe('/users.json?page=1&limit=20');
    expect(store.total).toBe(57);
  });

  test('reads the total from a header of the application', async () => {
    server.reply({ json: [ROW], headers: { 'X-Total': '57' } });
    const store = await load({ paging: 'api-pagination', totalHeader: 'X-Total' }, { pageSize: 20 });
    expect(store.total).toBe(57);
  });
});

describe('rails() for a scaffold', () => {
  test('loads the whole list', async () => {
    server.reply({ json: [ROW, { ...ROW, id: 2 }] });
    const store = await load({}, { pageSize: 0 });
    expect(sentQuery()).toBe('/users.json');
    expect(store.total).toBe(2);
  });

  test.each([
    ['a page', { pageSize: 25 }, /cannot express a page.*pageSize: 0/],
    ['a sorter', { pageSize: 0, sorters: ['name'] }, /a sort order.*remoteSort: false/],
    ['a filter', { pageSize: 0, filters: [{ property: 'name', value: 'Ada' }] }, /the operator 'eq'/],
  ])('refuses %s, which the scaffold would ignore', async (_, query, message) => {
    const error = await failure(load({}, query));
    expect(error.code).toBe('unsupported-query');
    expect(error.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  test('refuses a search', async () => {
    const store = new Store({ model: users({}), pageSize: 0, remoteFilter: true });
    store.search('Ada');
    expect((await failure(store.load())).code).toBe('unsupported-query');
    expect(server.requests).toEqual([]);
  });
});

describe('rails() writes', () => {
  test('creates, updates and erases with the wrapped row', async () => {
    server.reply(
      { status: 201, json: ROW, headers: { Location: '/users/1' } },
      { json: { ...ROW, age: 37 } },
      { status: 204 },
    );
    const User = users(FULL);
    const user = new User({ name: 'Ada', age: 36 });
    await user.save();
    user.age = 37;
    await user.save();
    await user.erase();
    expect(server.lines).toEqual(['POST /users.json', 'PATCH /users/1.json', 'DELETE /users/1.json']);
    expect(server.requests.map(({ body }) => body)).toEqual([
      { user: expect.objectContaining({ name: 'Ada', age: 36 }) },
      { user: { age: 37 } },
      undefined,
    ]);
  });

  test('names the parts of forms in brackets', async () => {
    const User = users(FULL, { writer: { type: 'form' }, use: [formBodies()] });
    server.reply({ status: 201, json: ROW });
    await new User({ name: 'Ada' }).save();
    expect(decodeURIComponent(server.last.text)).toBe('user[name]=Ada');
  });

  test('sends the row without a wrapper if none is named', async () => {
    server.reply({ json: ROW }, { json: { ...ROW, age: 37 } });
    const user = await users({}).load(1);
    user.age = 37;
    await user.save();
    expect(server.last.body).toEqual({ age: 37 });
  });

  test.each([
    ['wrapped', { wrap: 'user' }, { user: { age: 37, lock_version: 4 } }],
    ['bare', {}, { age: 37, lock_version: 4 }],
  ])('sends the lock_version of the row in a %s update', async (_, options, body) => {
    server.reply({ json: { ...ROW, lock_version: 4 } }, { json: { ...ROW, age: 37, lock_version: 5 } });
    const user = await users({ ...options, lockVersion: true }).load(1);
    user.age = 37;
    await user.save();
    expect(server.last.body).toEqual(body);
  });

  test('sends no lock_version with a create, nor for a row without one', async () => {
    const { lock_version, ...row } = ROW;
    expect(lock_version).toBe(0);
    server.reply({ status: 201, json: row }, { json: row });
    const user = new (users({ lockVersion: true }))({ name: 'Ada' });
    await user.save();
    user.age = 37;
    await user.save();
    for (const { body } of server.requests) expect(body).not.toHaveProperty('lock_version');
  });

  test('reports a stale lock_version as a conflict', async () => {
    server.reply({ json: ROW }, { status: 409, json: { status: 409, error: 'Conflict' } });
    const user = await users({ lockVersion: true }).load(1);
    user.age = 37;
    expect(await failure(user.save())).toMatchObject({ code: 'conflict', status: 409 });
    expect(user.dirty).toBe(true);
  });

  test('takes a whole row with its lock_version for a versioned write, and an update without one for none', async () => {
    const stale = { status: 409, json: { status: 409, error: 'Conflict' } };
    for (const [update, code] of [
      ['PUT', 'conflict'],
      ['PATCH', 'http'],
    ] as const) {
      server.reply({ json: ROW }, stale);
      const user = await users({ wrap: 'user' }, { actionMethods: { update } }).load(1);
      user.age = 37;
      expect(await failure(user.save())).toMatchObject({ code, status: 409 });
    }
  });

  test('saves again with the newer lock_version after a conflict was merged', async () => {
    server.reply(
      { json: ROW },
      { status: 409, json: { status: 409, error: 'Conflict' } },
      { json: { ...ROW, name: 'Ada L.', lock_version: 1 } },
      { json: { ...ROW, name: 'Ada L.', age: 37, lock_version: 2 } },
    );
    const User = users({ wrap: 'user', lockVersion: true }, { use: [conflicts()] });
    const user = await User.load(1);
    user.age = 37;
    const error = await failure(user.save());
    if (error.code !== 'conflict') throw error;
    await error.merge();
    expect(server.last.body).toEqual({ user: { age: 37, lock_version: 1 } });
    expect(user.name).toBe('Ada L.');
  });
});

describe('rails() reads errors', () => {
  const refused = async (json: unknown, options: RailsOptions = FULL) => {
    server.reply({ status: 422, json });
    const error = await failure(new (users(options))({ name: '' }).save());
    expect(error.code).toBe('validation');
    return error.code === 'validation' ? error.issues.map(({ path, message }) => ({ path, message })) : [];
  };

  test('by field from a map, under the names of the model', async () => {
    expect(
      await refused({ name: ["can't be blank"], first_seen_at: ['is invalid'], base: ['Nobody may save today'] }),
    ).toEqual([
      { path: ['name'], message: "can't be blank" },
      { path: ['firstSeen'], message: 'is invalid' },
      { path: [], message: 'Nobody may save today' },
    ]);
  });

  test('by field from full messages', async () => {
    expect(
      await refused({ errors: ["Name can't be blank", 'First seen at is invalid', 'Nobody may save today'] }),
    ).toEqual([
      { path: ['name'], message: "Name can't be blank" },
      { path: ['firstSeen'], message: 'First seen at is invalid' },
      { path: [], message: 'Nobody may save today' },
    ]);
  });

  test('of a missing record', async () => {
    server.reply({ status: 404, json: { status: 404, error: 'Not Found' } });
    expect(await failure(users({}).load(9))).toMatchObject({ code: 'http', status: 404 });
  });
});

describe('rails()', () => {
  test('encodes ids with a slash, a quote and other scripts', async () => {
    server.reply({ json: { id: "a/b'ü", name: 'Ada' } });
    class Page extends Model.define({
      fields: { id: 'string', name: 'string' },
      proxy: server.proxy('/pages', { dialect: rails() }),
    }) {}
    const page = await Page.load("a/b'ü");
    expect(server.last.url).toBe("/pages/a%2Fb'%C3%BC");
    expect(page.id).toBe("a/b'ü");
  });

  test.each([
    [{ paging: 'kaminari' }, /rails.paging/],
    [{ wrap: '' }, /rails.wrap/],
    [{ ransak: true }, /ransack/],
  ])('refuses the options %j', (options, message) => {
    expect(() => rails(options as RailsOptions)).toThrow(message);
  });
});
