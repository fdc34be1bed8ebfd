import { action, type Extension, idempotency, Model, rollback, Store } from 'repose';
import { isAsReceived, noteOf, rowOf, setNote } from 'repose/extend';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { mergeDuplicate } from '../../src/store/merge-duplicate.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();
const ROW = { id: 7, name: 'Ed' };

/** Notes the header `X-Version` of each response about one record, and sends it with its next write. */
const versions: Extension = {
  name: 'versions',
  layer: 1,
  prepare(request) {
    const [record] = request.operation.records;
    const version = record && noteOf(rowOf(record), 'versions');
    if (version) request.headers = { ...request.headers, 'X-Known': String(version) };
  },
  answered({ response, operation }, result) {
    const version = response?.headers.get('X-Version');
    const [row = result] = result.rows;
    if (version && (operation.id ?? operation.records[0])) setNote(row as object, 'versions', version);
  },
};

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', mark: { type: 'string', persist: false } },
  actions: { touch: action({ reply: 'record' }) },
  proxy: server.proxy('/users', { noCache: false, use: [versions] }),
}) {}

const version = (each: string, json: object = ROW) => ({ headers: { 'X-Version': each }, json });
const load = async () => {
  server.reply(version('1'));
  return User.load(7);
};
/** The note on a record's row, and whether the row is as the server sent it. */
const noted = (user: User) => [noteOf(rowOf(user), 'versions'), isAsReceived(rowOf(user))];

describe('a note', () => {
  test('does not appear in JSON, copies and comparisons of the row', () => {
    const row = { ...ROW };
    setNote(row, 'versions', '1');
    expect(noteOf(row, 'versions')).toBe('1');
    expect([JSON.stringify(row), Reflect.ownKeys({ ...row })]).toEqual([JSON.stringify(ROW), ['id', 'name']]);
    expect(noteOf({ ...row }, 'versions')).toBeUndefined();
    expect(row).toStrictEqual(ROW);
  });

  test('is kept under its name, whatever the name is, until it is removed', () => {
    const row = { ...ROW };
    for (const name of ['a', '__proto__', 'toString']) {
      expect(noteOf(row, name)).toBeUndefined();
      setNote(row, name, [name]);
    }
    setNote(row, 'a', undefined);
    expect(['a', '__proto__', 'toString'].map((name) => noteOf(row, name))).toEqual([
      undefined,
      ['__proto__'],
      ['toString'],
    ]);
    expect(({} as { toString: unknown }).toString).toBe(Object.prototype.toString);
  });

  test('cannot be set on a frozen row', () => {
    expect(() => setNote(Object.freeze({}), 'versions', '1')).toThrow(TypeError);
  });
});

describe('the core', () => {
  test('takes the notes from the response to a write, even if the response has no row', async () => {
    const user = await load();
    expect(noted(user)).toEqual(['1', true]);
    user.name = 'two';
    server.reply(version('2', { id: 7, name: 'two' }));
    await user.save();
    expect([server.last.headers['x-known'], ...noted(user)]).toEqual(['1', '2', true]);
    user.name = 'three';
    server.reply({ status: 204, headers: { 'X-Version': '3' } });
    await user.save();
    expect([server.last.headers['x-known'], ...noted(user)]).toEqual(['2', '3', false]);
    user.name = 'four';
    server.reply({ status: 204 });
    await user.save();
    expect([server.last.headers['x-known'], ...noted(user)]).toEqual(['3', undefined, false]);
  });

  test('keeps notes when an unchanged row is read again, and when a write fails', async () => {
    const user = await load();
    server.reply({ json: ROW }, { status: 500 });
    await user.load();
    user.name = 'mine';
    await user.save().catch(() => undefined);
    expect(noted(user)).toEqual(['1', true]);
    server.reply({ json: { ...ROW, name: 'theirs' } });
    await user.load();
    expect(noted(user)).toEqual([undefined, true]);
  });

  test('keeps notes when local values, or the id from the address, are added to the row', async () => {
    const user = await load();
    user.mark = 'seen';
    user.commit();
    expect(noted(user)).toEqual(['1', false]);
    server.reply({ json: ROW });
    await user.load();
    expect(noted(user)).toEqual(['1', false]);
    server.reply(version('2'));
    await user.load();
    expect([user.mark, ...noted(user)]).toEqual(['seen', '2', true]);
    server.reply(version('3', { name: 'Ed' }));
    const other = await User.load(8);
    expect([other.id, ...noted(other)]).toEqual([8, '3', true]);
  });

  test('keeps the notes of other extensions when one extension sets a new note', async () => {
    const user = await load();
    setNote(rowOf(user), 'other', { seen: true });
    server.reply(version('2'));
    await user.load();
    expect([noteOf(rowOf(user), 'other'), ...noted(user)]).toEqual([{ seen: true }, '2', true]);
  });

  test('keeps notes when a part of the row is read, and marks the row as changed', async () => {
    const Part = User.with({ proxy: { reader: { rows: 'incomplete' } } });
    const store = new Store({ model: Part });
    server.reply({ json: [ROW] }, version('1'), { json: [ROW] }, { json: [{ ...ROW, name: 'theirs' }] });
    const [user] = (await store.load()) as [User];
    await user.load();
    await store.load();
    expect(noted(user)).toEqual(['1', true]);
    await store.load();
    expect([user.name, ...noted(user)]).toEqual(['theirs', '1', false]);
  });

  test('takes the notes from the response to an action and drops the earlier ones', async () => {
    const user = await load();
    server.reply(version('2', { ...ROW, name: 'touched' }));
    await User.actions.touch(user);
    expect([user.name, ...noted(user)]).toEqual(['touched', '2', false]);
    server.reply({ json: ROW });
    await User.actions.touch(user);
    expect(noted(user)).toEqual([undefined, false]);
  });

  test('moves the notes of a saved duplicate to the record that stays', async () => {
    const stays = await load();
    const duplicate = await load();
    duplicate.name = 'two';
    server.reply(version('2', { id: 7, name: 'two' }));
    await duplicate.save();
    mergeDuplicate(stays, duplicate, { replaceDuplicate: () => undefined });
    expect([stays.name, ...noted(stays)]).toEqual(['two', '2', false]);
    const again = await load();
    again.name = 'three';
    server.reply({ json: { id: 7, name: 'three' } });
    await again.save();
    mergeDuplicate(stays, again, { replaceDuplicate: () => undefined });
    expect([stays.name, ...noted(stays)]).toEqual(['three', undefined, true]);
  });

  test('adds nothing to a row without notes, whatever the response to a write', async () => {
    const store = new Store({ model: User });
    server.reply({ json: [ROW] }, { json: { id: 7, name: 'two' } });
    const [user] = (await store.load()) as [User];
    user.name = 'two';
    await user.save();
    expect(Object.getOwnPropertySymbols(rowOf(user))).toEqual([]);
  });
});

describe('a rollback', () => {
  test.each([
    ['takes the note from the response that undid the write', { status: 204, headers: { 'X-Version': '3' } }, '3'],
    ['removes the note if that answer had none', { status: 204 }, undefined],
    ['keeps the earlier note if the undoing request got no response', { drop: true }, '2'],
  ])('%s', async (_, answer, expected) => {
    const store = new Store({ model: User, concurrency: 1 });
    server.reply({ json: [ROW, { id: 8, name: 'Bo' }] }, version('1'));
    const [user, other] = (await store.load()) as [User, User];
    await user.load();
    for (const each of [user, other]) each.name += '!';
    server.reply(version('2', { id: 7, name: 'Ed!' }), { status: 500 }, answer);
    await store.sync({ onFailure: rollback });
    expect(server.requests.slice(2).map(({ method, path, headers }) => [method, path, headers['x-known']])).toEqual([
      ['PUT', '/users/7', '1'],
      ['PUT', '/users/8', undefined],
      ['PUT', '/users/7', '2'],
    ]);
    expect(noteOf(rowOf(user), 'versions')).toBe(expected);
  });
});

test('an outbox stores and restores notes with a write, whichever extension made them', async () => {
  const storage = memoryStorage();
  const open = async () => {
    const outbox = await openOutbox({ scope: 'me', storage, models: [User], autoStart: false });
    return { outbox, Kept: User.with({ proxy: { use: [outbox] } }) };
  };
  const first = await open();
  server.reply(version('1'));
  const user = await first.Kept.load(7);
  setNote(rowOf(user), 'other', { seen: [1] });
  user.name = 'mine';
  server.reply({ drop: true });
  await user.save().catch(() => undefined);
  const [item] = (await storage.read({ scope: 'me' })).items;
  await first.outbox.close();
  expect(JSON.parse(item?.data as string).change.notes).toEqual({ versions: '1', other: { seen: [1] } });

  const { outbox } = await open();
  server.reply({ json: ROW }, { status: 204 });
  await outbox.send();
  // The outbox read the row first; it was unchanged.
  expect(server.requests.slice(2).map(({ method, headers }) => [method, headers['x-known']])).toEqual([
    ['GET', '1'],
    ['PUT', '1'],
  ]);
  expect(outbox.size).toBe(0);
  await outbox.close();
});

test("an outbox sends the writes after a create with the notes from the create's answer", async () => {
  const outbox = await openOutbox({ scope: 'me', storage: memoryStorage(), models: [User], autoStart: false });
  const Kept = User.with({
    proxy: { use: [outbox, idempotency()], actionMethods: { update: 'PATCH' } },
  });
  const user = new Kept({ name: 'one' });
  server.reply({ drop: true }, { drop: true });
  await user.save().catch(() => undefined);
  user.name = 'two';
  await user.save().catch(() => undefined);
  user.name = 'draft';
  server.reply({ status: 201, headers: { 'X-Version': '1' }, json: { id: 9 } }, { status: 429 }, { status: 204 });
  await outbox.send();
  await outbox.send();
  expect(server.requests.slice(2).map(({ method, body, headers }) => [method, body, headers['x-known']])).toEqual([
    ['POST', { name: 'one' }, undefined],
    ['PATCH', { name: 'two' }, '1'],
    ['PATCH', { name: 'two' }, '1'],
  ]);
  expect([outbox.size, user.name]).toEqual([0, 'draft']);
  await outbox.close();
});
