import { HttpError, Model, ReadError, Store, UnsupportedQueryError, ValidationError } from 'repose';
import { ext6 } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

/** Expectations are what Ext JS 6.2 was observed to send: addresses, parameters, bodies and headers of its REST proxy. */
const server = useRestServer();

class User extends Model.define({
  name: 'User',
  fields: {
    id: 'int',
    name: { type: 'string', mapping: 'full_name' },
    age: 'int',
    email: { type: 'string', allowNull: true },
  },
  identifier: 'sequential',
}) {}
const row = { id: 7, full_name: 'Ada', age: 36, email: null, team: 'A' };

const bind = (config = {}) => User.with({ proxy: server.proxy('/users', { dialect: ext6(), ...config }) });
const saved = (data: unknown = undefined) => ({ json: { success: true, data } });
const queryOf = () => decodeURIComponent(server.last.url);

describe('reads', () => {
  test('sends page, start, limit, group, sort and filter, the last three as JSON by the names of fields', async () => {
    server.reply({ json: { success: true, total: 57, data: [row] } });
    const users = new Store({
      model: bind(),
      pageSize: 25,
      remoteSort: true,
      remoteFilter: true,
      grouper: 'age',
      sorters: [{ property: 'name', direction: 'DESC' }],
      filters: [{ property: 'age', operator: '>', value: 18 }],
    });
    await users.load({ page: 2 });
    expect(queryOf()).toBe(
      '/users?page=2&start=25&limit=25&group={"property":"age","direction":"ASC"}' +
        '&sort=[{"property":"name","direction":"DESC"}]&filter=[{"property":"age","operator":">","value":18}]',
    );
    expect(users.total).toBe(57);
    expect(users.getAt(0)?.name).toBe('Ada');
  });

  test('sends the search as `query`, and a start on no edge of a page beside page 1', async () => {
    server.reply({ json: { success: true, total: 0, data: [] } });
    const users = new Store({ model: bind(), pageSize: 25, remoteFilter: true });
    users.search('ada');
    await users.load({ start: 7 });
    expect(queryOf()).toBe('/users?page=1&start=7&limit=25&query=ada');
  });

  test('puts the cache-buster first in the query of every request, with X-Requested-With', async () => {
    const Cached = bind({ noCache: true, clock: { now: () => 17, after: () => () => undefined } });
    server.reply({ json: { success: true, total: 0, data: [] } }, saved());
    await new Store({ model: Cached, pageSize: 25 }).load();
    expect(server.last.url).toBe('/users?_dc=17&page=1&start=0&limit=25');
    await Cached.fromRow(row).erase();
    expect(server.last).toMatchObject({ url: '/users/7?_dc=17', headers: { 'x-requested-with': 'XMLHttpRequest' } });
  });

  test('reads a single row in the envelope, and without it', async () => {
    server.reply(saved(row), { json: row });
    expect((await bind().load(7)).name).toBe('Ada');
    expect((await bind().load(7)).name).toBe('Ada');
    expect(server.lines).toEqual(['GET /users/7', 'GET /users/7']);
  });

  test('encodes ids with slashes, quotes and other scripts', async () => {
    class Doc extends Model.define({ fields: { id: 'string' }, proxy: server.proxy('/docs', { dialect: ext6() }) }) {}
    server.reply(saved({ id: "a/b'ü" }));
    await Doc.load("a/b'ü");
    expect(server.last.url).toBe("/docs/a%2Fb'%C3%BC");
  });

  test('refuses trees of filters', async () => {
    const users = new Store({ model: bind(), pageSize: 25, remoteFilter: true });
    users.filter({
      or: [
        { property: 'age', value: 1 },
        { property: 'name', value: 'Ada' },
      ],
    });
    await expect(users.load()).rejects.toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });
});

describe('writes', () => {
  test('an update is a PUT of the edited fields, by their own names, and the id', async () => {
    server.reply(saved());
    const user = bind().fromRow(row);
    user.set({ name: 'Ada L.', email: 'ada@example.com' });
    await user.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/users/7' });
    expect(server.last.body).toEqual({ id: 7, name: 'Ada L.', email: 'ada@example.com' });
    expect(user).toMatchObject({ dirty: false, name: 'Ada L.', age: 36 });
  });

  test('an update with an edited id keeps the address of the saved one', async () => {
    server.reply(saved({ ...row, id: 8 }));
    const user = bind().fromRow(row);
    user.set({ id: 8 });
    await user.save();
    expect(server.last).toMatchObject({ url: '/users/7', body: { id: 8 } });
  });

  test("a create sends all fields and the client's id, and takes the server's", async () => {
    server.reply(saved({ ...row, id: 9 }));
    const user = new (bind())({ name: 'Ada', age: 36 });
    const clientId = user.getId();
    await user.save();
    expect(server.last).toMatchObject({ method: 'POST', url: '/users' });
    expect(server.last.body).toEqual({ id: clientId, name: 'Ada', age: 36 });
    expect(clientId).toMatch(/^User-\d+$/);
    expect(user).toMatchObject({ id: 9, phantom: false });
  });

  test("with a `clientIdProperty`, the client's id has that name alone", async () => {
    server.reply(saved({ ...row, id: 9 }));
    const user = new (bind({ writer: { clientIdProperty: 'clientId' } }))({ name: 'Ada' });
    const clientId = user.getId();
    await user.save();
    expect(server.last.body).toEqual({ clientId, name: 'Ada' });
  });

  test("never takes the client's id for the id of a saved record", async () => {
    server.reply(saved());
    const user = new (bind())({ name: 'Ada' });
    await expect(user.save()).rejects.toThrow(ReadError);
    expect(user).toMatchObject({ phantom: true });
  });

  test('`writeRecordId: true` makes ids of the client those of the server, as with UUIDs', async () => {
    server.reply(saved());
    const user = new (bind({ writer: { writeRecordId: true } }))({ name: 'Ada' });
    await user.save();
    expect(user).toMatchObject({ phantom: false, id: server.last.body.id });
  });

  test('an erase is a DELETE with the id as its body', async () => {
    server.reply(saved());
    const user = bind().fromRow(row);
    await user.erase();
    expect(server.last).toMatchObject({ method: 'DELETE', url: '/users/7', body: { id: 7 } });
    expect(user.erased).toBe(true);
  });

  test('a singleton has no id in its bodies', async () => {
    class Settings extends Model.define({
      fields: { id: 'int', theme: 'string' },
      proxy: server.proxy('/settings', { dialect: ext6(), singleton: true }),
    }) {}
    server.reply(saved({ theme: 'dark' }), saved());
    const settings = await Settings.load();
    settings.set({ theme: 'light' });
    await settings.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/settings', body: { theme: 'light' } });
  });

  test('options of the writer apply', async () => {
    server.reply(saved(), saved());
    const writer = { rootProperty: 'user', allowSingle: false, nameProperty: 'mapping' } as const;
    const user = bind({ writer }).fromRow(row);
    user.set({ name: 'Bob' });
    await user.save();
    expect(server.last.body).toEqual({ user: [{ id: 7, full_name: 'Bob' }] });
    await user.erase();
    expect(server.last.body).toEqual({ user: [{ id: 7 }] });
  });

  test('an address of one record is refused if the id is missing there, and nothing is sent', async () => {
    const Bare = bind({ dialect: { ...ext6(), address: ({ request }: { request: { url?: string } }) => request.url } });
    await expect(Bare.fromRow(row).erase()).rejects.toMatchObject({ code: 'address' });
    expect(server.requests).toEqual([]);
  });
});

describe('several records in one request', () => {
  test('are arrays at the address of the collection; answers are matched by client id or by position', async () => {
    const Batched = bind({ batchActions: true, writer: { clientIdProperty: 'clientId' } });
    const users = new Store({ model: Batched });
    users.setRecords([7, 8, 5, 6].map((id) => Batched.fromRow({ ...row, id })));
    const [cy, di] = users.add({ name: 'Cy' }, { name: 'Di' });
    const ids = [cy?.getId(), di?.getId()];
    users.getById(7)?.set({ age: 37 });
    users.getById(8)?.set({ age: 38 });
    users.remove(users.getById(5) as User, users.getById(6) as User);
    server.reply(
      // The response to the create is in another order.
      saved([
        { clientId: ids[1], id: 12, full_name: 'Di' },
        { clientId: ids[0], id: 11, full_name: 'Cy' },
      ]),
      saved([{ age: 40 }, { age: 41 }]),
      saved(),
    );
    await users.sync({ concurrency: 1 }).then((batch) => batch.orThrow());
    expect(server.lines).toEqual(['POST /users', 'PUT /users', 'DELETE /users']);
    expect(server.requests.map(({ body }) => body)).toEqual([
      [
        { clientId: ids[0], name: 'Cy' },
        { clientId: ids[1], name: 'Di' },
      ],
      [
        { id: 7, age: 37 },
        { id: 8, age: 38 },
      ],
      [{ id: 5 }, { id: 6 }],
    ]);
    expect([cy?.id, di?.id, users.getById(7)?.age, users.getById(8)?.age]).toEqual([11, 12, 40, 41]);
  });
});

test('a create of several records that is confirmed without their rows fails, since the ids are missing', async () => {
  const users = new Store({ model: bind({ batchActions: true }) });
  users.add({ name: 'Cy' }, { name: 'Di' });
  server.reply(saved());
  expect((await users.sync()).failures).toMatchObject([{ error: { code: 'read' } }, { error: { code: 'read' } }]);
  expect(users.pending.created).toHaveLength(2);
});

describe('failures', () => {
  test('`success: false` with status 200 is a failure, with the message; the record stays as it was', async () => {
    server.reply({ json: { success: false, message: 'Out of office' } });
    const user = bind().fromRow(row);
    user.set({ age: 37 });
    await expect(user.save()).rejects.toThrow(/Out of office/);
    expect(user.$.error).toBeInstanceOf(HttpError);
    expect(user).toMatchObject({ dirty: true, age: 37 });
  });

  test.each([
    ['a map by field', { name: 'is taken' }],
    ['a list with ids', [{ id: 'name', msg: 'is taken' }]],
  ])('errors by field as %s become errors of the record', async (_, errors) => {
    server.reply({ json: { success: false, errors } });
    const user = new (bind())({ name: 'Ada' });
    await expect(user.save()).rejects.toThrow(ValidationError);
    expect(user.$.errors).toMatchObject({ name: [{ message: 'is taken' }] });
    expect(user.phantom).toBe(true);
  });

  test('a list with `success: false` keeps the records that were loaded', async () => {
    server.reply({ json: { success: true, total: 1, data: [row] } }, { json: { success: false, message: 'no' } });
    const users = new Store({ model: bind(), pageSize: 25 });
    await users.load();
    await expect(users.load()).rejects.toThrow(/no/);
    expect(users.count).toBe(1);
  });
});
