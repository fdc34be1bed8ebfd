import { type ConflictError, conflicts, MemoryProxy, Model, plain, ReadError, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { dialect: plain(), use: [conflicts()] }),
}) {}
class Item extends Model.define({
  name: 'item',
  fields: { id: 'string', name: 'string' },
  proxy: server.proxy('/items', { dialect: plain() }),
}) {}

const UUID = 'a1b2c3d4-0000-4000-8000-00000000abcd';
const saved = () => User.fromRow({ id: 7, name: 'Ada' });
const failure = (promise: Promise<unknown>): Promise<ReadError> =>
  promise.then(
    () => expect.unreachable(),
    (e) => e,
  );

describe('an update that is answered with another record', () => {
  test.each([
    ['its row', { id: 8, name: 'Grace' }],
    ['its id alone', { id: 8 }],
    ['its id as a text', { id: '8' }],
    ['its row in a list', [{ id: 8, name: 'Grace' }]],
  ])('rejects with a ReadError and changes nothing: %s', async (_, json) => {
    for (const update of ['PATCH', 'PUT']) {
      server.reset();
      const user = User.with({ proxy: { actionMethods: { update } } }).fromRow({ id: 7, name: 'Ada' });
      user.name = 'Grace';
      server.reply({ json }, { status: 204 });
      const error = await failure(user.save());
      expect(error).toBeInstanceOf(ReadError);
      expect(error).toMatchObject({ code: 'read', reason: 'response-id', params: { asked: 7 } });
      expect(error.message).toMatch(
        /^user 7 was answered with the record 8, so nothing was changed here: check .*\. Load it/,
      );
      expect([user.id, user.name, user.dirty, user.$.error]).toEqual([7, 'Grace', true, error]);
      expect(user.$.previousValues).toEqual({ name: 'Ada' });
      await user.erase();
      expect(server.lines).toEqual([`${update} /users/7`, 'DELETE /users/7']);
    }
  });

  test('leaves the other records of a store as they were', async () => {
    const store = new Store({
      model: User,
      pageSize: 0,
      data: [
        { id: 7, name: 'Ada' },
        { id: 8, name: 'Bob' },
      ],
    });
    const seven = store.getById(7) as User;
    seven.name = 'Grace';
    server.reply({ json: { id: 8, name: 'Grace' } }, { json: { id: 7, name: 'Grace' } });
    const { failures } = await store.sync();
    expect(failures).toMatchObject([{ record: seven, error: { code: 'read', reason: 'response-id' } }]);
    expect(store.getRange().map(({ id, name }) => [id, name])).toEqual([
      [7, 'Grace'],
      [8, 'Bob'],
    ]);
    expect([store.getById(8)?.dirty, seven.dirty]).toEqual([false, true]);
    expect((await store.sync()).failures).toEqual([]);
    expect(server.lines).toEqual(['PATCH /users/7', 'PATCH /users/7']);
  });

  test('rejects also if the id was edited and the response has a third id', async () => {
    const user = saved();
    user.id = 9;
    server.reply({ json: { id: 8 } });
    expect(await failure(user.save())).toMatchObject({ reason: 'response-id' });
    expect([user.id, user.$.previousValues, server.lines]).toEqual([9, { id: 7 }, ['PATCH /users/7']]);
  });

  test.each([[9], ['9'], [7]])('is accepted if the response has the edited id or the id before: %o', async (id) => {
    const user = saved();
    user.id = 9;
    server.reply({ json: { id, name: 'Ada' } });
    await user.save();
    expect([user.id, user.dirty]).toEqual([Number(id), false]);
  });

  test('is accepted if the ids are equal as text', async () => {
    for (const [sent, got] of [
      [7, '7'],
      ['7', 7],
      ['007', 7],
    ]) {
      const user = User.fromRow({ id: sent, name: 'Ada' });
      user.name = 'Grace';
      server.reply({ json: { id: got, name: 'Grace' } });
      await user.save();
      expect([user.id, user.dirty]).toEqual([7, false]);
    }
  });

  test('is accepted if UUIDs differ only in upper and lower case', async () => {
    const item = Item.fromRow({ id: UUID, name: 'a' });
    item.name = 'b';
    server.reply({ json: { id: UUID.toUpperCase(), name: 'b' } }, { json: { id: 'ABC' } });
    await item.save();
    expect([item.name, item.dirty]).toEqual(['b', false]);
    const other = Item.fromRow({ id: 'abc', name: 'a' });
    other.name = 'b';
    expect(await failure(other.save())).toMatchObject({ reason: 'response-id' });
  });

  test('fails only its own record in a bulk write', async () => {
    const Bulk = User.with({ proxy: { batchActions: true } });
    const data = [1, 2, 3].map((id) => ({ id, name: 'a' }));
    const store = new Store({ model: Bulk, pageSize: 0, data });
    for (const user of store.getRange()) user.name = 'b';
    server.reply({
      json: [
        { id: 1, name: 'b' },
        { id: 8, name: 'b' },
        { id: '3', name: 'b' },
      ],
    });
    const { failures } = await store.sync();
    expect(failures).toMatchObject([{ record: store.getById(2), error: { code: 'read' } }]);
    expect(store.getRange().map(({ id, dirty }) => [id, dirty])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
  });

  test('matches UUIDs in any case in a bulk write, and rejects if the client id belongs to another record', async () => {
    const writer = { clientIdProperty: 'cid' };
    const Bulk = Item.with({ proxy: { batchActions: true, writer } });
    const other = UUID.replace('a1', 'ff');
    const store = new Store({
      model: Bulk,
      pageSize: 0,
      data: [
        { id: UUID, name: 'a' },
        { id: 'x', name: 'a' },
      ],
    });
    for (const item of store.getRange()) item.name = 'b';
    server.reply({
      json: [
        { cid: 'x', id: other, name: 'b' },
        { id: UUID.toUpperCase(), name: 'b' },
      ],
    });
    const { failures } = await store.sync();
    expect(failures).toMatchObject([{ record: store.getAt(1), error: { reason: 'response-id' } }]);
    expect([store.getAt(0)?.dirty, store.getAt(1)?.id]).toEqual([false, 'x']);
  });

  test.each([[{ id: 8, name: 'Grace' }], [{ current: { id: 8, name: 'Grace' } }]])(
    'takes nothing from the other record if the response is a conflict: %j',
    async (json) => {
      const user = saved();
      user.name = 'Grace';
      server.reply({ status: 412, json }, { json: { id: 7, name: 'Ada L.' } });
      const error = (await failure(user.save())) as unknown as ConflictError;
      await error.takeTheirs();
      expect([user.id, user.name, server.lines]).toEqual([7, 'Ada L.', ['PATCH /users/7', 'GET /users/7']]);
    },
  );
});

describe('a read that is answered with another record', () => {
  test('rejects load() and reload() with a ReadError, and changes nothing', async () => {
    const user = saved();
    user.name = 'Grace';
    for (const read of [() => user.load(), () => user.$.reload()]) {
      server.reply({ json: { id: 8, name: 'Bob' } });
      expect(await failure(read())).toMatchObject({ code: 'read', reason: 'response-id' });
      expect([user.id, user.name, user.$.previousValues]).toEqual([7, 'Grace', { name: 'Ada' }]);
    }
  });

  test('rejects Model.load() with a ReadError that names the option to accept it', async () => {
    server.always(() => ({ json: { id: 8, name: 'Bob' } }));
    for (const id of [7, '7']) {
      const error = await failure(User.load(id));
      expect(error).toMatchObject({ code: 'read', reason: 'response-id', params: { asked: id, got: 8 } });
      expect(error.message).toContain(`user ${id} was answered with the record 8`);
      expect(error.message).toContain('`anyId: true`');
    }
  });

  test('names that option, without a request, for an id that the type of the id field does not take', async () => {
    for (const id of ['me', UUID, '7,8']) {
      const error = await failure(User.load(id));
      expect(error).toMatchObject({
        code: 'address',
        reason: 'id-field',
        params: { value: id, field: 'id', type: 'int' },
      });
      expect(error.message).toContain('`anyId: true`');
    }
    expect(server.requests).toEqual([]);
  });

  test('returns that record with `anyId`; later requests go to its id', async () => {
    server.always(({ method }) => (method === 'GET' ? { json: { id: 8, name: 'Bob' } } : { status: 204 }));
    const me = await User.load('me', { anyId: true, params: { v: 2 } });
    expect([me.id, me.name, me.phantom]).toEqual([8, 'Bob', false]);
    me.name = 'Rob';
    await me.save();
    const session = new Session();
    expect(session.getById(User, 8)).toBeUndefined();
    expect(await session.load(User, 'me', { anyId: true })).toBe(session.getById(User, 8));
    expect(server.lines).toEqual(['GET /users/me?v=2', 'PATCH /users/8', 'GET /users/me']);
  });

  test('is accepted if the ids are equal as text, or UUIDs differ only in upper and lower case', async () => {
    server.reply({ json: { id: '7', name: 'Ada' } }, { json: { id: 7 } }, { json: { id: UUID.toUpperCase() } });
    expect([(await User.load(7)).id, (await User.load('7')).id]).toEqual([7, 7]);
    expect((await Item.load(UUID)).id).toBe(UUID.toUpperCase());
    const Local = User.with({ proxy: new MemoryProxy({ data: [{ id: 7, name: 'Ada' }] }) });
    expect((await Local.load('7')).name).toBe('Ada');
  });

  test('is accepted if the row has no id: it is the requested record', async () => {
    server.reply({ json: { name: 'Ada' } });
    expect((await User.load(7)).id).toBe(7);
  });
});
