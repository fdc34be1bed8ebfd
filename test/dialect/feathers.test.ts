import {
  and,
  bigint,
  DefinitionError,
  HttpError,
  Model,
  Operation,
  or,
  ReadError,
  RestProxy,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  ValidationError,
  where,
  windowOf,
} from 'repose';
import { feathers } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

// The responses are those of a running Feathers 5.0.50 with @feathersjs/koa and @feathersjs/memory.
const server = useRestServer();

class User extends Model.define({
  fields: { id: 'int', name: 'string', age: 'int', email: { type: 'string', allowNull: true }, data: 'json' },
  proxy: server.proxy('/users', { dialect: feathers() }),
}) {}

const { name, age, email } = where(User);
/** A tree that only names with six brackets can express. */
const DEEP = or(or(or(age.gt(1), age.lt(0)), name.eq('a')), name.eq('b'));
const ADA = { id: 1, name: 'Ada', age: 36 };
const BOB = { id: 2, name: 'Bob', age: 25 };
const CID = { id: 3, name: 'Cid', age: 41 };

const storeWith = (config: Partial<StoreConfig<User>> = {}) =>
  new Store({ model: User, pageSize: 2, remoteSort: true, remoteFilter: true, ...config });
const reason = (run: Promise<unknown>) => run.then(() => undefined).catch((error: Error) => error);
const sent = () => decodeURIComponent(server.last.url);

describe('feathers()', () => {
  test('reads a page that is sorted and filtered, with the total', async () => {
    server.reply({ json: { total: 7, limit: 2, skip: 2, data: [ADA, BOB] } });
    const store = storeWith({
      sorters: [{ property: 'age', direction: 'DESC' }, 'name'],
      filters: [age.ge(18), name.in(['Ada', 'Bob', 'O"Neil, & Co/é'])],
    });
    await store.load({ page: 2 });
    expect(sent()).toBe(
      '/users?$skip=2&$limit=2&$sort[age]=-1&$sort[name]=1&age[$gte]=18&name[$in][0]=Ada&name[$in][1]=Bob&name[$in][2]=O"Neil, & Co/é',
    );
    expect([store.total, store.count]).toEqual([7, 2]);
  });

  test('writes every operator and trees', async () => {
    server.always(() => ({ json: { total: 0, limit: 2, skip: 0, data: [] } }));
    const url = async (...filters: NonNullable<StoreConfig<User>['filters']>) => {
      await storeWith({ filters }).load();
      return sent().replace('/users?$skip=0&$limit=2&', '');
    };
    expect(await url(name.eq('Ada'), age.ne(3))).toBe('name=Ada&age[$ne]=3');
    expect(await url(and(age.gt(1), age.lt(9)))).toBe('age[$gt]=1&age[$lt]=9');
    expect(await url(name.ne('a'), name.ne('b'))).toBe('$and[0][name][$ne]=a&$and[1][name][$ne]=b');
    expect(await url(age.between(1, 9))).toBe('age[$gte]=1&age[$lte]=9');
    expect(await url(age.le(9), name.nin(['a']))).toBe('age[$lte]=9&name[$nin][0]=a');
    expect(await url(or(name.eq('Ada'), age.gt(40)))).toBe('$or[0][name]=Ada&$or[1][age][$gt]=40');
    expect(await url(or(and(age.gt(1), name.eq('b')), name.eq('a')))).toBe(
      '$or[0][age][$gt]=1&$or[0][name]=b&$or[1][name]=a',
    );
    expect(await url(or(and(age.gt(1), age.lt(3)), name.eq('a')))).toBe(
      '$or[0][age][$gt]=1&$or[0][age][$lt]=3&$or[1][name]=a',
    );
  });

  test('reads on behind the last row where the server sends fewer rows than asked for', async () => {
    server.reply(
      { json: { total: 3, limit: 1, skip: 0, data: [ADA] } },
      { json: { total: 3, limit: 1, skip: 1, data: [BOB] } },
      { json: { total: 3, limit: 1, skip: 2, data: [CID] } },
    );
    const store = storeWith();
    await store.load();
    while (store.hasMore) await store.loadMore();
    expect(server.requests.map(({ query }) => query.get('$skip'))).toEqual(['0', '1', '2']);
    expect(store.getRange().map((each) => each.name)).toEqual(['Ada', 'Bob', 'Cid']);
  });

  test('refuses a later page if the server sends smaller pages, because rows would be missing between the pages', async () => {
    server.always(({ query }) => ({ json: { total: 9, limit: 1, skip: Number(query.get('$skip')), data: [CID] } }));
    const store = storeWith();
    await store.load();
    const error = await reason(store.load({ page: 2 }));
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toHaveProperty('reason', 'response-limit');
    expect(String(error)).toContain('at most 1 rows per request, but 2 per page');
    const window = windowOf(storeWith(), { prefetch: 0 });
    expect(await reason(window.show({ start: 4, end: 6 }))).toHaveProperty('reason', 'response-limit');
    window.dispose();
  });

  test('reads a bare array of a service without pages', async () => {
    server.reply({ json: [ADA, BOB] });
    const store = storeWith({ pageSize: 0 });
    await store.load();
    expect([server.last.url, store.total]).toEqual(['/users', 2]);
  });

  test('creates, updates by PATCH and erases', async () => {
    server.reply(
      { status: 201, json: { ...ADA, id: 7, data: { id: 9 } } },
      { json: { ...ADA, id: 7, name: 'Lovelace', data: { id: 9 } } },
      { json: { ...ADA, id: 7 } },
    );
    const user = new User({ name: 'Ada', age: 36, data: { id: 9 } });
    await user.save();
    // A member `data` of the record is not the envelope of a list.
    expect([user.id, user.data]).toEqual([7, { id: 9 }]);
    user.name = 'Lovelace';
    await user.save();
    await user.erase();
    expect(server.requests.map(({ method, url, text }) => `${method} ${url} ${text}`)).toEqual([
      'POST /users {"name":"Ada","age":36,"data":{"id":9}}',
      'PATCH /users/7 {"name":"Lovelace"}',
      'DELETE /users/7 ',
    ]);
  });

  test('keeps long numbers and odd ids', async () => {
    server.reply({ text: '{"id":"a/b \\"é","name":"Ada","age":12345678901234567890}' }, { json: {} });
    class Odd extends Model.define({
      fields: { id: 'string', name: 'string', age: bigint() },
      proxy: server.proxy('/users', { dialect: feathers() }),
    }) {}
    const user = await Odd.load('a/b "é');
    expect(user.age).toBe(12345678901234567890n);
    user.age = 12345678901234567891n;
    await user.save();
    expect(`${server.last.method} ${server.last.url} ${server.last.text}`).toBe(
      'PATCH /users/a%2Fb%20%22%C3%A9 {"age":12345678901234567891}',
    );
  });

  test('creates several records in one request if `batchActions` says so', async () => {
    server.reply({
      status: 201,
      json: [
        { id: 5, name: 'M1' },
        { id: 6, name: 'M2' },
      ],
    });
    const Many = User.with({ proxy: { batchActions: { create: true } } });
    const store = new Store({ model: Many });
    const added = store.add({ name: 'M1' }, { name: 'M2' });
    (await store.sync()).orThrow();
    expect(server.requests.map(({ method, url, body }) => [method, url, body.length])).toEqual([['POST', '/users', 2]]);
    expect(added.map(({ id }) => id)).toEqual([5, 6]);
  });

  test.each([true, { update: true }, { destroy: true }])(
    'refuses batchActions: %j, which would change the whole collection',
    (batchActions) => {
      const proxy = () => new RestProxy({ url: '/users', dialect: feathers(), batchActions });
      expect(proxy).toThrow(DefinitionError);
      expect(proxy).toThrow(/batchActions` must be `\{ create: true \}` with the dialect 'feathers'/);
    },
  );

  test('sends no erase of several records', async () => {
    const records = [User.fromRow(ADA), User.fromRow(BOB)];
    const operation = new Operation({ action: 'destroy', records: records as never });
    expect(await reason(User.proxy.erase(operation))).toHaveProperty('reason', 'url-several');
    expect(server.requests).toEqual([]);
  });

  test.each([
    [
      'a list from a JSON Schema',
      { data: [{ instancePath: '/name', keyword: 'minLength', params: { limit: 1 }, message: 'must NOT have fewer' }] },
      'must NOT have fewer',
    ],
    [
      'a missing member',
      {
        data: [{ instancePath: '', keyword: 'required', params: { missingProperty: 'name' }, message: 'is required' }],
      },
      'is required',
    ],
    ['a map of a hook', { errors: { name: 'Too short' } }, 'Too short'],
  ])('gives errors to fields: %s', async (_, more, message) => {
    server.reply({
      status: 400,
      json: { name: 'BadRequest', message: 'validation failed', code: 400, className: 'bad-request', ...more },
    });
    const user = new User({ name: '' });
    const error = await reason(user.save());
    expect(error).toBeInstanceOf(ValidationError);
    expect(user.$.errors.name?.map((each) => each.message)).toEqual([message]);
  });

  test('tells a conflict, a missing record and a failure of the server', async () => {
    const answer = (code: number, title: string) => ({
      status: code,
      json: { name: title, message: `It is a ${title}`, code, className: title.toLowerCase() },
    });
    server.reply(answer(409, 'Conflict'), answer(404, 'NotFound'), answer(500, 'GeneralError'));
    const conflict = await reason(new User({ name: 'Ada' }).save());
    expect(conflict).toMatchObject({ name: 'HttpError', status: 409, problem: { detail: 'It is a Conflict' } });
    expect(await reason(User.load(99))).toMatchObject({ status: 404, problem: { detail: 'It is a NotFound' } });
    expect(await reason(User.load(99))).toBeInstanceOf(HttpError);
  });

  test.each([
    ['null', { filters: [email.eq(null)] }, 'null'],
    ['isNull', { filters: [email.isNull()] }, 'isNull'],
    ['a text inside of another', { filters: [name.contains('a')] }, 'contains'],
    ['not', { filters: [{ not: name.eq('a') }] }, 'not'],
    ['a search', { search: 'a' }, 'search'],
    ['a long list', { filters: [age.in(Array.from({ length: 21 }, (_, i) => i))] }, 'list of 21 items'],
    [
      'and inside of another tree',
      { filters: [or(and(name.ne('a'), name.ne('b')), age.gt(1))] },
      '`$and` inside of another tree',
    ],
    ['a deep tree', { filters: [DEEP] }, 'names with 5 brackets'],
  ])('refuses %s before anything is sent', async (_, config, text) => {
    const { search, ...query } = config as Partial<StoreConfig<User>> & { search?: string };
    const store = storeWith(query);
    const error = await reason(search === undefined ? store.load() : (store.search(search) ?? store.load()));
    expect(error).toBeInstanceOf(UnsupportedQueryError);
    expect(String(error)).toContain(text);
    expect(server.requests).toEqual([]);
  });

  test('sends longer lists and deeper trees to a server whose parser reads them', async () => {
    server.always(() => ({ json: { total: 0, limit: 2, skip: 0, data: [] } }));
    const Deep = User.with({ proxy: { dialect: feathers({ depth: 9, listLength: 100 }) } });
    const filters = [age.in(Array.from({ length: 21 }, (_, i) => i)), DEEP];
    await new Store({ model: Deep, remoteFilter: true, filters }).load();
    expect(sent()).toContain('age[$in][20]=20');
    expect(sent()).toContain('$or[0][$or][0][$or][0][age][$gt]=1');
    expect(() => feathers({ depth: 0 })).toThrow(/feathers.depth must be a whole number from 1/);
  });
});
