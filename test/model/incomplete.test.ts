import { decide, Model, plain, Store } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', owner: 'string', note: { type: 'string', persist: false } },
  proxy: server.proxy('/users'),
}) {}
const Patched = User.with({ proxy: { dialect: plain() } });

/** The rows of a server that adds members to each created row. */
let rows: Map<string, Record<string, unknown>>;

/** Answers a create as `answer` says, an update with 204, a read with the row. */
function serve(answer: (row: Record<string, unknown>) => Reply, updated?: (row: object) => Reply): void {
  rows = new Map();
  server.always(({ method, path, body }: Received) => {
    const id = path.split('/')[2] ?? String(rows.size + 1);
    if (method === 'POST') rows.set(id, { id: Number(id), ...body, owner: 'ada', createdAt: '2026-11-23' });
    if (method === 'PUT') rows.set(id, body);
    if (method === 'PATCH') rows.set(id, { ...rows.get(id), ...body });
    const row = rows.get(id) as Record<string, unknown>;
    if (method === 'POST') return answer(row);
    if (method === 'GET') return { json: row };
    return updated?.(row) ?? { status: 204 };
  });
}

const answers: [string, (row: Record<string, unknown>) => Reply][] = [
  ['201 with Location alone', ({ id }) => ({ status: 201, headers: { Location: `/users/${id}` } })],
  ['204 with Location', ({ id }) => ({ status: 204, headers: { Location: `/users/${id}` } })],
  ['the id alone', ({ id }) => ({ status: 201, json: { id } })],
  ['the id and a revision', ({ id }) => ({ status: 201, json: { ok: true, id, rev: '1-a' } })],
  ['members of the server and no sent one', ({ id, owner }) => ({ status: 201, json: { id, owner } })],
];

beforeEach(() => serve(({ id }) => ({ status: 201, json: { id } })));

describe('a record whose create was answered with an incomplete row', () => {
  test.each(answers)('is read before a PUT, which sends the whole row: %s', async (_, answer) => {
    serve(answer);
    const user = await new User({ name: 'Grace' }).save();
    user.name = 'Grace H.';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'GET /users/1', 'PUT /users/1']);
    expect(rows.get('1')).toEqual({ id: 1, name: 'Grace H.', owner: 'ada', createdAt: '2026-11-23' });
    expect([user.owner, user.dirty]).toEqual(['ada', false]);
    user.name = 'Rear Admiral';
    await user.save();
    expect(server.lines.slice(3)).toEqual(['PUT /users/1']);
  });

  test.each(answers)('is not read before a PATCH: %s', async (_, answer) => {
    serve(answer);
    const user = await new Patched({ name: 'Grace' }).save();
    user.name = 'Grace H.';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'PATCH /users/1']);
    expect(rows.get('1')).toMatchObject({ name: 'Grace H.', owner: 'ada' });
  });

  test('is read also if the create sent only an id, or nothing', async () => {
    for (const values of [{}, { note: 'local' }]) {
      server.reset();
      serve(({ id }) => ({ status: 201, json: { id } }));
      const user = await new User(values).save();
      user.name = 'Grace';
      await user.save();
      expect(server.lines).toEqual(['POST /users', 'GET /users/1', 'PUT /users/1']);
      expect(rows.get('1')).toMatchObject({ name: 'Grace', owner: 'ada' });
    }
  });

  test('is read before edits are sent that were made while the create was in flight', async () => {
    const held = server.hold();
    const user = new User({ name: 'Grace' });
    const created = user.save();
    await held.request;
    user.name = 'Grace H.';
    const edited = user.save();
    rows.set('1', { id: 1, name: 'Grace', owner: 'ada' });
    held.answer({ status: 201, json: { id: 1 } });
    await Promise.all([created, edited]);
    expect(server.lines).toEqual(['POST /users', 'GET /users/1', 'PUT /users/1']);
    expect(rows.get('1')).toEqual({ id: 1, name: 'Grace H.', owner: 'ada' });
  });

  test('keeps its edits if the read fails', async () => {
    const user = await new User({ name: 'Grace' }).save();
    user.name = 'Grace H.';
    server.reply({ status: 503 });
    await expect(user.save()).rejects.toMatchObject({ status: 503 });
    expect([user.dirty, user.name, server.last.method]).toEqual([true, 'Grace H.', 'GET']);
    await user.save();
    expect(rows.get('1')).toMatchObject({ name: 'Grace H.', owner: 'ada' });
  });

  test('is read if the application settled it with an incomplete row', async () => {
    server.reply({ drop: true });
    const user = new User({ name: 'Grace' });
    await user.save().catch(() => undefined);
    rows.set('5', { id: 5, name: 'Grace', owner: 'ada' });
    decide(user, { id: 5 });
    user.name = 'Grace H.';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'GET /users/5', 'PUT /users/5']);
    expect(rows.get('5')).toEqual({ id: 5, name: 'Grace H.', owner: 'ada' });
  });
});

describe('a record is complete and needs no read', () => {
  test.each<[string, object, (row: Record<string, unknown>) => object]>([
    ['the create was answered with every member that was sent', { name: 'Grace' }, ({ id, name }) => ({ id, name })],
    ['nothing was sent, and the response has another field', {}, ({ id, owner }) => ({ id, owner })],
    ['only fields that are never sent are missing', { name: 'Grace', note: 'local' }, (row) => row],
    ['a sent member had no value', { name: 'Grace', owner: undefined }, ({ id, name }) => ({ id, name })],
  ])('if %s', async (_, values, reply) => {
    serve((row) => ({ status: 201, json: reply(row) }));
    const user = await new User(values).save();
    user.name = 'Grace H.';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'PUT /users/1']);
  });

  test('after a load', async () => {
    const user = await new User({ name: 'Grace' }).save();
    await user.load();
    user.name = 'Grace H.';
    await user.save();
    expect(server.lines).toEqual(['POST /users', 'GET /users/1', 'PUT /users/1']);
  });

  test('after a store has loaded its row', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'Grace' }) as [User];
    await store.sync();
    server.reply(() => ({ json: [...rows.values()] }));
    await store.load();
    user.name = 'Grace H.';
    await store.sync();
    expect(server.lines).toEqual(['POST /users', 'GET /users', 'PUT /users/1']);
    expect(rows.get('1')).toMatchObject({ name: 'Grace H.', owner: 'ada' });
  });

  test('after an update was answered with more members than were known', async () => {
    serve(
      ({ id }) => ({ status: 201, json: { id } }),
      (row) => ({ json: row }),
    );
    const user = await new Patched({ name: 'Grace' }).save();
    user.name = 'Grace H.';
    await user.save();
    expect(user.owner).toBe('ada');
    const store = new Store({ model: User });
    store.add(user);
    user.name = 'Rear Admiral';
    await store.sync();
    expect(server.lines).toEqual(['POST /users', 'PATCH /users/1', 'PUT /users/1']);
    expect(rows.get('1')).toEqual({ id: 1, name: 'Rear Admiral', owner: 'ada', createdAt: '2026-11-23' });
  });

  test('but not after an update was answered with known members only', async () => {
    serve(
      ({ id }) => ({ status: 201, json: { id } }),
      (row) => ({ json: { id: 1, name: (row as User).name } }),
    );
    const user = await new Patched({ name: 'Grace' }).save();
    user.name = 'Grace H.';
    await user.save();
    const store = new Store({ model: User });
    store.add(user);
    user.name = 'Rear Admiral';
    await store.sync();
    expect(server.lines).toEqual(['POST /users', 'PATCH /users/1', 'GET /users/1', 'PUT /users/1']);
  });
});

describe('records created in one bulk request', () => {
  const edit = async (dialect?: ReturnType<typeof plain>) => {
    const proxy = { batchActions: true, ...(dialect && { dialect }) };
    const store = new Store({ model: User.with({ proxy }), pageSize: 0 });
    const [a, b] = store.add({ name: 'a' }, { name: 'b' }) as [User, User];
    server.reply({ status: 201, json: [{ id: 1 }, { id: 2, name: 'b', owner: 'bo' }] });
    await store.sync();
    rows.set('1', { id: 1, name: 'a', owner: 'ada' });
    rows.set('2', { id: 2, name: 'b', owner: 'bo' });
    a.name = 'A';
    b.name = 'B';
    await store.sync();
    return server.lines.slice(1);
  };

  test('are each read before a PUT if their rows are incomplete', async () => {
    expect((await edit()).sort()).toEqual(['GET /users/1', 'PUT /users/1', 'PUT /users/2']);
    expect(rows.get('1')).toEqual({ id: 1, name: 'A', owner: 'ada' });
  });

  test('are updated in one bulk PATCH without a read', async () => {
    expect(await edit(plain())).toEqual(['PATCH /users']);
  });
});
