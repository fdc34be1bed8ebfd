import {
  action,
  bigint,
  DefinitionError,
  JsonReader,
  type JsonReaderConfig,
  Model,
  Operation,
  ReadError,
  RestProxy,
  Store,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const fields = { id: 'int', name: 'string' } as const;
const modelWith = (reader: JsonReaderConfig, config: object = {}) =>
  class User extends Model.define({ fields, proxy: server.proxy('/users', { reader, ...config }) }) {};
const storeWith = (reader: JsonReaderConfig) => new Store({ model: modelWith(reader), pageSize: 2 });

describe('functions as places', () => {
  test('read rows, total, message and next page from the body and the headers of a response', async () => {
    interface Feed {
      feed: { entry: object }[];
    }
    server.reply({
      json: { feed: [{ entry: { id: 1 } }, { entry: { id: 2 } }], note: ['two', 'rows'] },
      headers: { 'X-Total': '5', 'X-Next': '/users?from=2' },
    });
    const proxy = new RestProxy({
      ...server.proxy('/users'),
      reader: {
        rootProperty: (body) => (body as Feed).feed,
        record: (item) => (item as Feed['feed'][number]).entry,
        totalProperty: (_, { response }) => response?.headers.get('X-Total'),
        nextProperty: (_, { response }) => response?.headers.get('X-Next'),
        messageProperty: (body) => (body as { note: string[] }).note.join(' '),
      },
    });
    const result = await proxy.read(new Operation({ action: 'read', limit: 2 }));
    expect(result).toMatchObject({ rows: [{ id: 1 }, { id: 2 }], total: 5, message: 'two rows' });
    expect(result.next).toEqual({ url: 'http://rest.test/users?from=2' });
  });

  test('decide whether a response is a failure, and where its text stands', async () => {
    const User = modelWith({
      successProperty: (body) => (body as { code: number }).code === 0,
      messageProperty: (body) => (body as { texts: string[] }).texts[0],
    });
    server.reply({ json: { code: 7, texts: ['The table is locked'] } });
    await expect(User.load(1)).rejects.toThrow(/The table is locked/);
  });

  test('that find no rows reject the load of a list', async () => {
    server.reply({ json: { items: [] } });
    const store = storeWith({ rootProperty: () => undefined });
    await expect(store.load()).rejects.toThrow(/no rows at the place that a function names, only items/);
  });

  test('get the request of an action that answers with the record', async () => {
    const seen: unknown[] = [];
    class Order extends Model.define({
      fields,
      proxy: server.proxy('/orders', {
        reader: {
          transform: (body: unknown) => (body as { wrapped: unknown }).wrapped,
          rootProperty: (body: unknown, request: { response?: { status: number } | undefined }) => {
            seen.push(request.response?.status);
            return (body as { row: unknown }).row;
          },
        },
      }),
      actions: { cancel: action({ reply: 'record' }) },
    }) {}
    server.reply(
      { json: { wrapped: { row: { id: 1, name: 'a' } } } },
      { json: { wrapped: { row: { id: 1, name: 'b' } } } },
    );
    const order = await Order.load(1);
    await Order.actions.cancel(order);
    expect([order.name, seen]).toEqual(['b', [200, 200]]);
  });

  test.each<[string, JsonReaderConfig]>([
    ['rootProperty', { rootProperty: () => [], stream: true }],
    ['record', { record: () => ({}), type: 'ndjson' }],
    ['record', { record: { list: () => ({}) }, stream: true }],
  ])('are refused as `%s` of a list that is read as a stream', (option, config) => {
    expect(() => new JsonReader(config)).toThrow(DefinitionError);
    expect(() => new JsonReader(config)).toThrow(`A function as \`reader.${option}\` needs the whole response`);
  });
});

test('`transform` gets the request, so that it can tell a list from a record and read headers', async () => {
  const User = modelWith({
    transform: (body, { operation, response }) =>
      operation.id === undefined ? { data: body, total: response?.headers.get('X-Total') } : (body as object[])[0],
  });
  server.reply({ json: [{ id: 3, name: 'c' }] });
  expect((await User.load(3)).name).toBe('c');
  server.reply({ json: { success: false, why: 'closed' } });
  const proxy = User.with({
    proxy: { reader: { transform: (body, { response }) => ({ ...(body as object), message: `${response?.status}` }) } },
  });
  await expect(proxy.load(3)).rejects.toThrow(/the request failed: 200/);
});

describe('`record` per kind of answer', () => {
  const redmine = { rootProperty: 'users', record: { single: 'user' } };

  test('reads lists and single records that are wrapped in different members', async () => {
    server.reply(
      { json: { users: [{ id: 1, name: 'a' }], total: 1 } },
      { json: { user: { id: 1, name: 'A' } } },
      { status: 201, json: { user: { id: 2, name: 'b' } } },
    );
    const store = storeWith(redmine);
    await store.load();
    const [user] = store;
    await user?.$.reload();
    const [created] = store.add({ name: 'b' });
    await store.sync();
    expect([user?.name, created?.id]).toEqual(['A', 2]);
  });

  test('counts `single` from the whole body, whatever `rootProperty` leads to', async () => {
    server.reply(
      { json: { data: { id: 1, name: 'a' } } },
      { json: { data: { user: { id: 2, name: 'b' } } } },
      { json: { data: [{ id: 3, name: 'c' }] } },
      { json: { data: {}, user: { id: 4, name: 'd' } } },
    );
    for (const [id, single] of [
      [1, 'data'],
      [2, 'data.user'],
      [3, 'data'],
      [4, (body: unknown) => (body as { user: unknown }).user],
    ] as const) {
      const user = await modelWith({ rootProperty: 'data', record: { single } }).load(id);
      expect(user.name).toBe('abcd'[id - 1]);
    }
  });

  test('unwraps the items of lists by `list`, as a path alone does', async () => {
    server.reply({ json: [{ node: { id: 1, name: 'a' } }] }, { json: [{ node: { id: 1, name: 'a' } }] });
    for (const record of ['node', { list: 'node' }]) {
      const store = storeWith({ record });
      await store.load();
      expect([...store].map(({ name }) => name)).toEqual(['a']);
    }
  });

  test('rejects a read that has no row there, and takes a write without one as done', async () => {
    const User = modelWith(redmine);
    server.reply({ json: { user: { id: 1, name: 'a' } } }, { json: { ok: true } }, { json: { person: { id: 1 } } });
    const user = await User.load(1);
    user.name = 'b';
    await user.save();
    expect([user.name, user.dirty]).toEqual(['b', false]);
    await expect(user.$.reload()).rejects.toThrow(ReadError);
    expect(user.name).toBe('b');
  });

  test('leaves the entries of a bulk response alone', async () => {
    const User = modelWith({ ...redmine, statusProperty: 'status' }, { batchActions: true });
    const store = new Store({ model: User, data: [1, 2].map((id) => ({ id, name: 'a' })) });
    for (const user of store) user.name = 'b';
    server.reply({ status: 207, json: { results: [1, 2].map((id) => ({ id, status: 200 })) } });
    expect((await store.sync()).failures).toEqual([]);
  });
});

describe('`saved`', () => {
  test('reads the id of a create from a response without a row, and reads the record before its next PUT', async () => {
    const User = modelWith({ saved: { id: 'result.insertedId' } });
    server.reply(
      { json: { result: { insertedId: 12 }, name: 'no field of the record' } },
      { json: { id: 12, name: 'a', note: 'made by the server' } },
      { status: 204 },
    );
    const user = new User({ name: 'a' });
    await user.save();
    expect([user.id, user.name, user.phantom]).toEqual([12, 'a', false]);
    user.name = 'b';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'GET /users/12', 'PUT /users/12']);
    expect(server.last.body).toEqual({ id: 12, name: 'b', note: 'made by the server' });
  });

  test('reads the row from another place than reads do', async () => {
    const User = modelWith({ rootProperty: 'data', saved: { row: 'change.after' } });
    server.reply(
      { json: { data: { id: 1, name: 'a' } } },
      { json: { data: 'done', change: { before: { id: 1, name: 'a' }, after: { id: 1, name: 'B' } } } },
    );
    const user = await User.load(1);
    user.name = 'b';
    await user.save();
    expect(user.name).toBe('B');
  });

  test('adds the id to the row, also by functions and with a mapped id', async () => {
    class Item extends Model.define({
      fields: { id: { type: 'string', mapping: 'meta.key' }, name: 'string' },
      proxy: server.proxy('/items', {
        reader: { saved: { id: (body: unknown) => (body as { ref: string }).ref.split('/')[1], row: '' } },
      }),
    }) {}
    server.reply({ json: { ref: 'items/x7', name: 'as stored' } });
    const item = new Item({ name: 'as typed' });
    await item.save();
    expect([item.id, item.name]).toEqual(['x7', 'as stored']);
  });

  test('keeps every digit of an id', async () => {
    class Item extends Model.define({
      fields: { id: bigint(), name: 'string' },
      proxy: server.proxy('/items', { reader: { saved: { id: 'id' } } }),
    }) {}
    server.reply({ text: '{"id":9007199254740993}' });
    const item = new Item({ name: 'a' });
    await item.save();
    expect(item.id).toBe(9007199254740993n);
  });

  test('without an id leaves a create unconfirmed, unless `Location` names it', async () => {
    const User = modelWith({ saved: {} });
    server.reply({ json: { id: 5, name: 'ignored' } }, { json: {}, headers: { Location: '/users/6' } });
    const user = new User({ name: 'a' });
    await expect(user.save()).rejects.toThrow(ReadError);
    expect(user.$.unconfirmed).toBe(true);
    const other = new User({ name: 'b' });
    await other.save();
    expect([other.id, other.name]).toEqual([6, 'b']);
  });

  test('names another record than the updated one: nothing changes', async () => {
    const User = modelWith({ saved: { id: 'key' } });
    server.reply({ json: { id: 1, name: 'a' } }, { json: { key: 2 } });
    const user = await User.load(1);
    user.name = 'b';
    await expect(user.save()).rejects.toThrow(ReadError);
    expect([user.id, user.dirty]).toEqual([1, true]);
  });

  test('rejects a row that is no object', async () => {
    const User = modelWith({ saved: { row: 'data' } });
    server.reply({ json: { data: 'done' } });
    await expect(new User({ name: 'a' }).save()).rejects.toThrow(/row 0 is 'done', not an object/);
  });

  test('applies to each entry of a bulk response', async () => {
    const User = modelWith({ saved: { id: 'made.id' } }, { batchActions: true });
    const store = new Store({ model: User });
    const added = store.add({ name: 'a' }, { name: 'b' });
    server.reply({ json: [{ made: { id: 1 } }, { made: { id: 2 } }] });
    expect((await store.sync()).failures).toEqual([]);
    expect(added.map(({ id }) => id)).toEqual([1, 2]);
  });
});

test.each<[string, unknown, RegExp]>([
  ['record', { item: 'node' }, /'item' is not an option of reader.record; its options are list, single/],
  ['record', { list: 5 }, /reader.record.list must be a path such as 'data.items', or a function, not 5/],
  ['record', { single: "a['b" }, /is not a path \(reader.record.single\)/],
  ['record', 5, /reader.record must be a path .* or an object such as/],
  ['saved', 'data', /reader.saved must be an object of places/],
  ['saved', { key: 'id' }, /'key' is not an option of reader.saved/],
  ['saved', { id: "a['b" }, /is not a path \(reader.saved.id\)/],
  ['rootProperty', 5, /reader.rootProperty must be a path .* or a function, not 5/],
  ['statusProperty', () => 1, /reader.statusProperty must be a path/],
])('refuses wrong values of `%s`', (option, value, text) => {
  expect(() => new JsonReader({ [option]: value })).toThrow(DefinitionError);
  expect(() => new JsonReader({ [option]: value })).toThrow(text);
});
