import {
  ConflictError,
  conflicts,
  copyOf,
  decimal,
  embed,
  etags,
  type FieldConflict,
  Model,
  off,
  plain,
  Store,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../demo/running-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

let demo: RunningServer;
beforeAll(async () => {
  demo = await startServer();
});
beforeEach(() => demo.server.reset());
afterAll(() => demo.stop());

const HOST = 'http://demo.test';
const config = {
  type: 'rest',
  url: '/api/users',
  baseUrl: HOST,
  dialect: plain(),
  use: [etags(), conflicts()],
  fetch: (input: unknown, init?: RequestInit) => fetch(String(input).replace(HOST, demo.url), init),
} as const;

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', email: 'string', badge: { type: 'string', allowNull: true }, active: 'boolean' },
  proxy: config,
}) {}

/** Another user writes. */
const others = (json: object, id = 7) => demo.send('PATCH', `/api/users/${id}`, { json });
const row = async (id = 7) => (await demo.get(`/api/users/${id}`)).body;
/** The conflict that a promise rejects with. */
async function conflict(promise: Promise<unknown>): Promise<ConflictError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConflictError);
  return error as ConflictError;
}
/** A user record edited on both sides, and the conflict of the later save. */
async function inConflict(mine: Partial<User>, theirs: object): Promise<{ user: User; error: ConflictError }> {
  const user = await User.load(7);
  user.set(mine as never);
  await others(theirs);
  return { user, error: await conflict(user.save()) };
}
const conflictOver = { code: 'unresolvable', reason: 'conflict-over' };

describe('against a server that checks ETags', () => {
  test('the later write is refused; its error has base, mine and theirs as rows', async () => {
    const before = await row();
    const { user, error } = await inConflict({ name: 'Mine' }, { name: 'Theirs' });
    expect(error).toMatchObject({ status: 412, gone: false, fields: [] });
    expect(error.base).toEqual(before);
    expect(error.mine).toEqual({ ...before, name: 'Mine' });
    expect(error.theirs).toEqual(await row());
    expect(user).toMatchObject({ name: 'Mine', dirty: true });
    expect(user.$.error).toBe(error);
  });

  test('merge() asks again about a field that was edited or reloaded during the decision', async () => {
    const { user, error } = await inConflict({ name: 'Mine' }, { name: 'Theirs', badge: 'Bern', email: 'theirs@x.ch' });
    const asked: string[] = [];
    const meanwhile = [
      () => user.set({ name: 'Later' }),
      () => user.set({ badge: 'Mine too' }),
      async () => {
        await others({ badge: 'Basel' });
        await user.load();
      },
    ];
    await error.merge(async ({ field, mine, theirs }) => {
      asked.push(`${field}: ${String(mine)} or ${String(theirs)}`);
      await meanwhile.shift()?.();
      return `${String(mine)} and ${String(theirs)}`;
    });
    expect(asked).toEqual([
      'name: Mine or Theirs',
      'name: Later or Theirs',
      'badge: Mine too or Bern',
      'badge: Mine too or Basel',
    ]);
    const merged = { name: 'Later and Theirs', badge: 'Mine too and Basel', email: 'theirs@x.ch' };
    expect(await row()).toMatchObject(merged);
    expect(user).toMatchObject({ ...merged, dirty: false });
  });

  test('merge() ignores the decision about a field that was set back meanwhile', async () => {
    const { user, error } = await inConflict({ name: 'Mine' }, { name: 'Theirs' });
    const { name } = error.base as { name: string };
    await error.merge(() => {
      user.set({ name });
      return 'Decided';
    });
    expect(await row()).toMatchObject({ name: 'Theirs' });
    expect(user).toMatchObject({ name: 'Theirs', dirty: false });
  });

  test('keepMine() saves mine of the error on top of the row of the others; later edits stay edits', async () => {
    const { user, error } = await inConflict({ name: 'Mine' }, { name: 'Theirs', badge: 'Bern' });
    user.active = !user.active;
    const { active } = user;
    await error.keepMine();
    expect(await row()).toMatchObject({ name: 'Mine', badge: 'Bern', active: !active });
    expect(user).toMatchObject({ name: 'Mine', badge: 'Bern', active });
    expect(user.$.modified).toEqual({ active });
    await user.save();
    expect(user.$.error).toBeUndefined();
    // The next write uses the ETag of that row.
    await others({ name: 'Theirs again' });
    user.name = 'Mine again';
    await conflict(user.save());
  });

  test('keepMine() of an erase erases the record', async () => {
    const user = await User.load(7);
    await others({ name: 'Theirs' });
    const error = await conflict(user.erase());
    expect(error.mine).toEqual({});
    expect(user.erased).toBe(false);
    await error.keepMine();
    expect(user.erased).toBe(true);
    expect((await demo.get('/api/users/7')).status).toBe(404);
  });

  test('keepMine() sends nothing if both sides made the same edit', async () => {
    const { user, error } = await inConflict({ name: 'Same' }, { name: 'Same', badge: 'Bern' });
    await error.keepMine();
    expect(user).toMatchObject({ name: 'Same', badge: 'Bern', dirty: false });
    expect(user.$.error).toBeUndefined();
  });

  test('takeTheirs() has finished when it returns', async () => {
    const { user, error } = await inConflict({ name: 'Mine', email: 'mine@example.com' }, { name: 'Theirs' });
    expect(error.takeTheirs()).toBeUndefined();
    expect(user).toMatchObject({ name: 'Theirs', dirty: false });
    expect(user.$.error).toBeUndefined();
    user.name = 'Later';
    await user.save();
    expect(await row()).toMatchObject({ name: 'Later' });
  });

  test('takeTheirs() of an erase keeps the record with the values of the others', async () => {
    const user = await User.load(7);
    await others({ name: 'Theirs' });
    const error = await conflict(user.erase());
    error.takeTheirs();
    expect(user).toMatchObject({ name: 'Theirs', erased: false });
  });

  test('merge() keeps, for each field, the value of the side that changed it', async () => {
    const { user, error } = await inConflict(
      { name: 'Mine', badge: 'Bern' },
      { email: 'theirs@example.com', badge: 'Bern' },
    );
    await error.merge();
    const merged = { name: 'Mine', badge: 'Bern', email: 'theirs@example.com' };
    expect(await row()).toMatchObject(merged);
    expect(user).toMatchObject({ ...merged, dirty: false });
  });

  test('merge() changes nothing if both sides changed a field, and names that field; a decision then ends the conflict', async () => {
    const { user, error } = await inConflict(
      { name: 'Mine', badge: 'Mine' },
      { name: 'Theirs', badge: 'Theirs', active: true },
    );
    const base = error.base as { name: string; badge: string };
    expect(await conflict(error.merge(({ field, mine }) => (field === 'badge' ? mine : undefined)))).toBe(error);
    expect(error.fields).toEqual([{ field: 'name', base: base.name, mine: 'Mine', theirs: 'Theirs' }]);
    expect(user).toMatchObject({ name: 'Mine', badge: 'Mine', dirty: true });
    // A plain save must not overwrite their row either.
    await conflict(user.save());
    const again = user.$.error as ConflictError;
    await again.merge(async ({ mine, theirs }) => `${mine} and ${theirs}`);
    expect(await row()).toMatchObject({ name: 'Mine and Theirs', badge: 'Mine and Theirs' });
  });

  test('merge() that takes all values from theirs sends nothing', async () => {
    const { user, error } = await inConflict({ name: 'Mine' }, { name: 'Theirs' });
    await error.merge(({ theirs }) => theirs);
    expect(user).toMatchObject({ name: 'Theirs', dirty: false });
    expect(user.$.error).toBeUndefined();
  });

  test.each(['keepMine', 'merge'] as const)(
    '%s() rejects with a new conflict if the others wrote again',
    async (way) => {
      const { user, error } = await inConflict({ name: 'Mine' }, { badge: 'Bern' });
      await others({ badge: 'Basel' });
      const again = await conflict(error[way]());
      expect(again).not.toBe(error);
      expect(user.$.error).toBe(again);
      expect(again.theirs).toMatchObject({ badge: 'Basel' });
      await again[way]();
      expect(await row()).toMatchObject({ name: 'Mine', badge: 'Basel' });
    },
  );

  test('a store follows the result of keepMine()', async () => {
    const store = new Store({ model: User, pageSize: 5, remoteSort: true, sorters: ['id'] });
    await store.load();
    const [user, erased] = [store.getAt(1) as User, store.getAt(2) as User];
    await user.load();
    await erased.load();
    user.name = 'Mine';
    store.remove(erased);
    await others({ name: 'Theirs', badge: 'Bern' }, user.id);
    await others({ name: 'Theirs' }, erased.id);
    const { failures } = await store.sync();
    expect(failures.map(({ action, error }) => [action, error.code])).toEqual([
      ['update', 'conflict'],
      ['destroy', 'conflict'],
    ]);
    expect(store.pending.edited).toEqual([user]);
    for (const { error } of failures) if (error.code === 'conflict') await error.keepMine();
    expect(store.pending.edited).toEqual([]);
    expect(user).toMatchObject({ name: 'Mine', badge: 'Bern', dirty: false });
    expect(store.getById(erased.id)).toBeUndefined();
    expect(store.count).toBe(4);
    expect((await store.sync()).outcomes).toEqual([]);
  });
});

describe('a conflict about a row from which the server leaves emptied fields out', () => {
  const server = useRestServer();

  test('merge() takes a member that the row lacks now for one that was null', async () => {
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', title: 'string', badge: { type: 'string', allowNull: true } },
      proxy: server.proxy('/notes', { dialect: plain(), use: [etags(), conflicts()] }),
    }) {}
    server.reply({ json: { id: 1, title: 'a', badge: null }, headers: { ETag: '"1"' } }, { status: 412 });
    const note = await Note.load(1);
    const error = await conflict(note.set({ badge: 'mine' }).save());
    server.reply({ json: { id: 1, title: 'theirs' }, headers: { ETag: '"2"' } }, { status: 204 });
    await error.merge();
    expect([server.last.body, server.last.headers['if-match']]).toEqual([{ badge: 'mine' }, '"2"']);
    expect(note.title).toBe('theirs');
  });
});

describe('a conflict about a record that is gone from the server', () => {
  const server = useRestServer();
  const ROW = { id: 7, name: 'old' };
  const define = (extra: object = {}) =>
    class extends Model.define({
      name: 'task',
      fields: { id: 'int', name: 'string' },
      proxy: server.proxy('/tasks', { noCache: false, use: [etags(), conflicts()], ...extra }),
    }) {};
  const Task = define();
  const gone = async (act: (task: InstanceType<typeof Task>) => Promise<unknown>, answer: object) => {
    server.reply({ headers: { ETag: '"a"' }, json: ROW }, { status: 412 }, answer);
    const task = await Task.load(7);
    const error = await conflict(act(task));
    expect(error.theirs).toBeUndefined();
    return { task, error };
  };
  const save = (task: InstanceType<typeof Task>) => {
    task.name = 'mine';
    return task.save();
  };
  const answers = [
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    ['an empty list', { json: [] }],
  ] as const;

  test.each(answers)('%s: takeTheirs() erases the record', async (_, answer) => {
    const { task, error } = await gone(save, answer);
    await error.takeTheirs();
    expect(task).toMatchObject({ erased: true, name: 'mine' });
    await expect(error.keepMine()).rejects.toMatchObject({ code: 'erased' });
  });

  test.each(answers)('%s: keepMine() of an erase succeeds', async (_, answer) => {
    const { task, error } = await gone((each) => each.erase(), answer);
    await error.keepMine();
    expect(task.erased).toBe(true);
    expect(server.lines.at(-1)).toBe('GET /tasks/7');
  });

  test.each(['keepMine', 'merge'] as const)('%s() of an edit rejects and names what the caller can do', async (way) => {
    const { task, error } = await gone(save, { status: 404 });
    const outcome = await conflict(error[way]());
    expect(outcome).not.toBe(error);
    expect(outcome).toMatchObject({
      gone: true,
      status: 404,
      reason: 'conflict-gone',
      mine: { name: 'mine' },
      base: ROW,
    });
    expect(outcome.message).toMatch(/task 7 is no longer on the server.*takeTheirs\(\).*copyOf\(record\)/);
    expect(task).toMatchObject({ name: 'mine', dirty: true, erased: false });
    expect(task.$.error).toBe(outcome);
    expect(await conflict(outcome[way]())).toBe(outcome);
    await expect(error[way]()).rejects.toMatchObject(conflictOver);
    const copy = copyOf(task);
    expect(outcome.takeTheirs()).toBeUndefined();
    expect(task.erased).toBe(true);
    server.reply({ status: 201, json: { id: 8, name: 'mine' } });
    await copy.save();
    expect(copy).toMatchObject({ id: 8, name: 'mine' });
  });

  describe('a 404 under a separate `api.read` address does not prove that the record is gone:', () => {
    const Elsewhere = define({ api: { read: '/search' } });
    const inConflict = async (act: (task: InstanceType<typeof Task>) => Promise<unknown>, answer: object) => {
      server.reply({ headers: { ETag: '"a"' }, json: ROW }, { status: 412 }, answer);
      const task = await Elsewhere.load(7);
      return { task, error: await conflict(act(task)) };
    };

    test.each(['keepMine', 'takeTheirs', 'merge'] as const)('%s() rejects and changes nothing', async (way) => {
      const { task, error } = await inConflict(save, { status: 404 });
      const outcome: unknown = await Promise.resolve(error[way]()).catch((each: unknown) => each);
      expect(server.lines).toEqual(['GET /search/7', 'PUT /tasks/7', 'GET /search/7']);
      expect(outcome).toMatchObject({ code: 'http', status: 404, reason: 'conflict-elsewhere' });
      expect((outcome as Error).message).toMatch(
        /\/search\/7 answered 404, which does not say whether task 7 is gone.*`api.list`/,
      );
      expect(error).toMatchObject({ gone: false, theirs: undefined });
      expect(task).toMatchObject({ name: 'mine', dirty: true, erased: false });
      expect(task.$.error).toBe(error);
    });

    test('keepMine() of an erase does not succeed', async () => {
      const { task, error } = await inConflict((each) => each.erase(), { json: [] });
      await expect(error.keepMine()).rejects.toMatchObject({ reason: 'response-record' });
      expect(task.erased).toBe(false);
    });

    test.each([
      ['is also the address of writes', '/tasks', undefined],
      ['is replaced by the `url` of the call', '/search', '/tasks'],
    ])('takeTheirs() erases the record if `api.read` %s', async (_, read, url) => {
      server.reply({ headers: { ETag: '"a"' }, json: ROW }, { status: 412 }, { status: 404 });
      const task = await define({ api: { read } }).load(7);
      task.name = 'mine';
      const error = await conflict(task.save({ url }));
      await error.takeTheirs();
      expect(task.erased).toBe(true);
    });
  });

  test('takeTheirs() removes the record from its store', async () => {
    const store = new Store({ model: define({ use: [etags({ unknown: 'send' }), conflicts()] }) });
    server.reply({ json: [ROW] });
    const [task] = await store.load();
    (task as InstanceType<typeof Task>).name = 'mine';
    server.reply({ status: 412 }, { status: 404 });
    const { failures } = await store.sync();
    for (const { error } of failures) if (error.code === 'conflict') await error.takeTheirs();
    expect(store.count).toBe(0);
  });

  describe('a conflict whose response has no row', () => {
    const start = async (extra: object = {}) => {
      const Class = define(extra);
      server.reply({ headers: { ETag: '"a"' }, json: { ...ROW, more: 1 } }, { status: 412 });
      const task = await Class.load(7);
      return { task, error: await conflict(save(task)) };
    };

    test.each(['keepMine', 'merge'] as const)('%s() reads the row, with the options of the write', async (way) => {
      server.reply({ headers: { ETag: '"a"' }, json: ROW }, { status: 412 });
      const task = await Task.load(7);
      task.name = 'mine';
      const headers = { 'X-Tenant': 't', 'if-match': '"mine"' };
      const error = await conflict(task.save({ params: { tenant: 3 }, headers }));
      server.reply({ headers: { ETag: '"b"' }, json: { ...ROW, more: 2 } }, { status: 204 });
      await error[way]();
      const [read, write] = server.requests.slice(-2);
      expect([read?.method, read?.url, read?.headers['if-none-match']]).toEqual([
        'GET',
        '/tasks/7?tenant=3',
        undefined,
      ]);
      expect([write?.method, write?.url, write?.headers['if-match']]).toEqual(['PUT', '/tasks/7?tenant=3', '"b"']);
      expect([read, write].map((each) => each?.headers['x-tenant'])).toEqual(['t', 't']);
      expect(write?.body).toEqual({ ...ROW, more: 2, name: 'mine' });
    });

    test('takeTheirs() returns a promise and changes nothing until the row has been read', async () => {
      const { task, error } = await start();
      server.reply({ headers: { ETag: '"b"' }, json: { ...ROW, name: 'theirs' } });
      const taking = error.takeTheirs();
      expect(task).toMatchObject({ name: 'mine', dirty: true });
      await taking;
      expect(task).toMatchObject({ name: 'theirs', dirty: false });
      server.reply({ status: 204 });
      await save(task);
      expect(server.last.headers['if-match']).toBe('"b"');
    });

    test('a read that fails changes nothing, also if nobody waits for it', async () => {
      const { task, error } = await start();
      server.reply({ drop: true }, { status: 500 }, { json: { id: 8 } });
      error.takeTheirs();
      await expect(error.keepMine()).rejects.toMatchObject({ code: 'busy' });
      await settled(() => server.lines.length === 3);
      await expect(error.keepMine()).rejects.toMatchObject({ code: 'http', status: 500 });
      await expect(error.merge()).rejects.toMatchObject({ code: 'read', reason: 'response-id' });
      expect(task).toMatchObject({ name: 'mine', dirty: true });
      expect(task.$.error).toBe(error);
      server.reply({ json: ROW }, { status: 204 });
      await error.keepMine();
      expect(task.dirty).toBe(false);
    });

    test('keepMine() does not overwrite a save that ended while the row was read', async () => {
      const { task, error } = await start();
      const held = server.hold();
      const keeping = error.keepMine();
      await held.request;
      server.reply({ status: 204 });
      await task.save();
      held.answer({ json: { ...ROW, name: 'theirs' } });
      await expect(keeping).rejects.toMatchObject(conflictOver);
      expect(task).toMatchObject({ name: 'mine', dirty: false });
    });

    test('keepMine() reads the whole row if the response has only some members, or no ETag', async () => {
      for (const current of [
        { id: 7, name: 'theirs' },
        { ...ROW, more: 2 },
      ]) {
        server.reset();
        server.reply({ headers: { ETag: '"a"' }, json: { ...ROW, more: 1 } });
        const task = await Task.load(7);
        const headers = 'more' in current ? {} : { ETag: '"b"' };
        server.reply({ status: 412, headers, json: { current } });
        const error = await conflict(save(task));
        server.reply({ headers: { ETag: '"b"' }, json: { ...ROW, more: 3 } }, { status: 204 });
        await error.keepMine();
        expect(server.last.body).toEqual({ ...ROW, more: 3, name: 'mine' });
        expect(server.last.headers['if-match']).toBe('"b"');
      }
    });

    test('keepMine() reads an incomplete record before it writes', async () => {
      const use = [etags({ unknown: 'send' }), conflicts()];
      const Part = define({ reader: { rows: 'incomplete' }, actionMethods: { update: 'PATCH' }, use });
      const store = new Store({ model: Part });
      server.reply({ json: [ROW] });
      const [task] = (await store.load()) as InstanceType<typeof Task>[];
      server.reply({ status: 412, json: { current: ROW } });
      const error = await conflict(save(task as InstanceType<typeof Task>));
      server.reply({ json: { ...ROW, more: 1 } }, { status: 204 });
      await error.keepMine();
      expect(server.lines.slice(-2)).toEqual(['GET /tasks/7', 'PATCH /tasks/7']);
    });

    test('takeTheirs() reads the row if the response has only some of its members', async () => {
      server.reply({ json: { ...ROW, more: 1 } }, { status: 412, json: { id: 7, name: 'no' } });
      const task = await Task.load(7);
      const error = await conflict(save(task));
      server.reply({ json: { ...ROW, name: 'theirs', more: 1 } });
      await error.takeTheirs();
      expect(task.name).toBe('theirs');
      server.reply({ status: 204 });
      await save(task);
      expect(server.last.body).toEqual({ id: 7, name: 'mine', more: 1 });
    });

    test('all decisions use a row that was read after the conflict, not the row in its response', async () => {
      for (const way of ['keepMine', 'takeTheirs', 'merge'] as const) {
        server.reset();
        server.reply({ headers: { ETag: '"a"' }, json: { ...ROW, more: 1 } });
        const task = await Task.load(7);
        server.reply({ status: 412, headers: { ETag: '"b"' }, json: { current: { ...ROW, more: 2 } } });
        const error = await conflict(save(task));
        server.reply({ headers: { ETag: '"c"' }, json: { ...ROW, more: 3 } });
        await task.load();
        server.reply({ status: 204 });
        await error[way]();
        if (way === 'takeTheirs') expect(task).toMatchObject({ name: 'old', dirty: false });
        else {
          expect(server.last.headers['if-match']).toBe('"c"');
          expect(server.last.body).toEqual({ ...ROW, name: 'mine', more: 3 });
        }
      }
    });
  });

  describe('a conflict that is over', () => {
    const start = async () => {
      server.reply({ json: ROW }, { status: 412, json: { ...ROW, name: 'theirs' } });
      const task = await Task.load(7);
      return { task, error: await conflict(save(task)) };
    };

    test.each(['keepMine', 'takeTheirs', 'merge'] as const)('rejects %s() after a save', async (way) => {
      const { task, error } = await start();
      server.reply({ status: 204 });
      await task.save();
      await expect((async () => error[way]())()).rejects.toMatchObject({ ...conflictOver, message: /^task 7/ });
      expect(task).toMatchObject({ name: 'mine', dirty: false });
    });

    test('rejects a second decision', async () => {
      const { task, error } = await start();
      error.takeTheirs();
      expect(() => error.takeTheirs()).toThrow(expect.objectContaining(conflictOver));
      await expect(error.keepMine()).rejects.toMatchObject(conflictOver);
      expect(task.name).toBe('theirs');
    });

    test('rejects every decision while a save is in flight', async () => {
      const { task, error } = await start();
      const held = server.hold();
      const saving = task.save();
      await held.request;
      expect(() => error.takeTheirs()).toThrow(expect.objectContaining({ code: 'busy' }));
      await expect(error.merge()).rejects.toMatchObject({ code: 'busy' });
      held.answer({ status: 204 });
      await saving;
    });

    test('rejects a merge() whose record was saved during the decision', async () => {
      const { task, error } = await start();
      const merging = error.merge(async ({ mine }) => {
        server.reply({ status: 204 });
        await task.save();
        return mine;
      });
      await expect(merging).rejects.toMatchObject(conflictOver);
    });

    test('after keepMine() failed for another reason, a save writes the edits', async () => {
      const { task, error } = await start();
      server.reply({ status: 500 });
      await expect(error.keepMine()).rejects.toMatchObject({ status: 500 });
      await expect(error.keepMine()).rejects.toMatchObject(conflictOver);
      server.reply({ status: 204 });
      await task.save();
      expect(task.dirty).toBe(false);
    });
  });

  test('a conflict of a create cannot be decided', async () => {
    server.always(() => ({ status: 412, json: { message: 'exists' } }));
    const unbound = { code: 'unresolvable', reason: 'conflict-unbound' };
    const fresh = new Task({ name: 'new' });
    const ofCreate = await conflict(fresh.save());
    expect(ofCreate.mine).toEqual({ name: 'new' });
    await expect(ofCreate.keepMine()).rejects.toMatchObject(unbound);
    await expect(ofCreate.merge()).rejects.toMatchObject(unbound);
    expect(() => ofCreate.takeTheirs()).toThrow(expect.objectContaining(unbound));
    expect(fresh).toMatchObject({ phantom: true, name: 'new' });
  });

  test('merge() of an erase succeeds if the others changed no field but the version', async () => {
    for (const theirs of [
      { ...ROW, version: 2 },
      { ...ROW, name: 'theirs' },
    ]) {
      server.reset();
      server.reply({ headers: { ETag: '"a"' }, json: ROW }, { status: 412 });
      const task = await Task.load(7);
      const error = await conflict(task.erase());
      server.reply({ headers: { ETag: '"b"' }, json: theirs }, { status: 204 });
      if ('version' in theirs) {
        await error.merge();
        expect(server.last.headers['if-match']).toBe('"b"');
        expect(task.erased).toBe(true);
      } else {
        expect(await conflict(error.merge(({ mine }) => mine))).toBe(error);
        expect(error.theirs).toEqual(theirs);
        expect(task.erased).toBe(false);
      }
    }
  });

  test('a body with another id is not used as the row', async () => {
    server.reply({ json: ROW }, { status: 412, json: { id: 'e-17', message: 'no' } });
    expect((await conflict(save(await Task.load(7)))).theirs).toBeUndefined();
  });

  test('without conflicts() the error has base and mine, and names the extension to add', async () => {
    const Bare = Task.with({ proxy: { use: [off('conflicts')] } });
    server.reply({ json: ROW }, { status: 412, json: { current: { ...ROW, name: 'theirs' } } }, { status: 204 });
    const task = await Bare.load(7);
    const error = await conflict(save(task));
    expect(error).toMatchObject({ base: ROW, mine: { ...ROW, name: 'mine' }, theirs: undefined });
    expect(task.$.error).toBe(error);
    await expect(error.keepMine()).rejects.toThrow(/conflicts\(\)/);
    await task.save();
    expect(task.dirty).toBe(false);
  });

  test('keepMine() of a record erased meanwhile rejects', async () => {
    server.reply({ json: ROW }, { status: 412 }, { status: 204 });
    const task = await Task.load(7);
    const error = await conflict(save(task));
    await task.erase();
    await expect(error.keepMine()).rejects.toMatchObject({ code: 'erased' });
  });
});

describe('conflicts of a bulk write', () => {
  const server = useRestServer();
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/tasks', {
      noCache: false,
      use: [etags({ unknown: 'send' }), conflicts()],
      batchActions: true,
    }),
  }) {}
  const start = async () => {
    const store = new Store({ model: Task });
    server.reply({ json: [1, 2].map((id) => ({ id, name: 'old' })) });
    for (const task of await store.load()) task.name = 'mine';
    return store;
  };

  test('are decided one by one', async () => {
    const store = await start();
    const current = { id: 2, name: 'theirs' };
    server.reply({
      status: 207,
      headers: { ETag: '"of all"' },
      json: [
        { id: 1, name: 'mine' },
        { id: 2, status: 412, error: { current } },
      ],
    });
    const [failure] = (await store.sync()).failures;
    const error = failure?.error as ConflictError;
    expect(error).toMatchObject({ base: { id: 2, name: 'old' }, mine: { id: 2, name: 'mine' }, theirs: current });
    server.reply({ status: 204 });
    await error.keepMine();
    expect(server.lines.slice(-2)).toEqual(['PUT /tasks', 'PUT /tasks/2']);
    expect(server.last.headers['if-match']).toBeUndefined();
    expect(store.pending.edited).toEqual([]);
  });

  test('are decided one by one also if one response stands for several records, whose body is of none of them', async () => {
    const store = await start();
    server.reply({ status: 412, json: { current: { name: 'theirs' } } });
    for (const { error } of (await store.sync()).failures) {
      expect(error).toMatchObject({ code: 'conflict', theirs: undefined });
      server.reply(
        { json: { id: (error?.operation?.records[0] as Task | undefined)?.id, name: 'old' } },
        { status: 204 },
      );
      await (error as ConflictError).keepMine();
    }
    expect(server.lines.slice(-4)).toEqual(['GET /tasks/1', 'PUT /tasks/1', 'GET /tasks/2', 'PUT /tasks/2']);
    expect(store.pending.edited).toHaveLength(0);
  });
});

describe('merge() inside fields', () => {
  const server = useRestServer();
  class Address extends Model.define({ fields: { street: 'string', city: 'string', zip: 'string' } }) {}
  class Line extends Model.define({ fields: { id: 'int', count: 'int' } }) {}
  class Order extends Model.define({
    name: 'order',
    fields: {
      id: 'int',
      address: embed(Address),
      lines: embed([Line]),
      options: 'json',
      total: decimal(),
      due: 'date',
      full: { mapping: 'n.full' },
    },
    proxy: server.proxy('/orders', { noCache: false, use: [etags(), conflicts()] }),
  }) {}
  const ROW = {
    id: 1,
    address: { street: 'A', city: 'B', zip: 'C' },
    lines: [{ id: 1, count: 1 }],
    options: { color: 'red', deep: [1] },
    total: '1.50',
    due: '2026-01-02T00:00:00Z',
    n: { full: 'f' },
  };
  const inConflict = async (edit: (order: Order) => void, theirs: object) => {
    server.reset();
    server.reply({ json: ROW });
    const order = await Order.load(1);
    edit(order);
    server.reply({ status: 412, json: { current: { ...ROW, ...theirs } } });
    const error = await conflict(order.save());
    server.reply({ status: 204 });
    return { order, error };
  };
  const fields = (error: ConflictError) => error.fields.map(({ field }: FieldConflict) => field);

  test('merges an embedded record field by field', async () => {
    const { order, error } = await inConflict(
      (each) => {
        (each.address as Address).street = 'mine';
      },
      { address: { street: 'A', city: 'theirs', zip: 'C' } },
    );
    await error.merge();
    expect(server.last.body.address).toEqual({ street: 'mine', city: 'theirs', zip: 'C' });
    expect(order.dirty).toBe(false);
  });

  test('asks about each field of an embedded record', async () => {
    const { error } = await inConflict(
      (each) => {
        each.set('address.street', 'mine');
        each.set('address.zip', 'mine');
      },
      { address: { street: 'theirs', city: 'B', zip: 'theirs' } },
    );
    expect(await conflict(error.merge())).toBe(error);
    expect(error.fields).toEqual([
      { field: 'address.street', base: 'A', mine: 'mine', theirs: 'theirs' },
      { field: 'address.zip', base: 'C', mine: 'mine', theirs: 'theirs' },
    ]);
    await error.merge(({ field, mine, theirs }) => (field === 'address.zip' ? mine : theirs));
    expect(server.last.body.address).toEqual({ street: 'theirs', city: 'B', zip: 'mine' });
  });

  test('treats an embedded record as one value if one side replaced or removed it', async () => {
    const replaced = (each: Order) => {
      each.address = new Address({ street: 'mine' });
    };
    const { error } = await inConflict(replaced, { address: { street: 'theirs' } });
    await conflict(error.merge());
    expect(fields(error)).toEqual(['address']);
    const { error: other } = await inConflict((each) => each.set('address.street', 'mine'), { address: null });
    await conflict(other.merge());
    expect(fields(other)).toEqual(['address']);
  });

  test('compares lists and JSON by content, each as one value', async () => {
    const edit = (each: Order) => {
      each.options = { color: 'blue', deep: [1] };
      (each.lines[0] as Line).count = 2;
    };
    const { order, error } = await inConflict(edit, {
      options: { deep: [1], color: 'blue' },
      lines: [{ count: 1, id: 1 }],
    });
    await error.merge();
    expect(order.dirty).toBe(false);
    expect(server.last.body.lines).toEqual([{ id: 1, count: 2 }]);
    const { error: both } = await inConflict(edit, { options: { color: 'red' }, lines: [] });
    await conflict(both.merge());
    expect(fields(both)).toEqual(['options', 'lines']);
  });

  test('ignores a different spelling of the same value', async () => {
    const { error } = await inConflict(
      (each) => {
        each.total = '2.00';
        each.due = new Date('2026-05-05T00:00:00Z');
        each.full = 'mine';
      },
      { due: '2026-01-02T01:00:00+01:00', n: { full: 'f', other: 1 } },
    );
    await error.merge();
    expect(server.last.body).toMatchObject({
      total: '2.00',
      due: '2026-05-05T00:00:00.000Z',
      n: { full: 'mine', other: 1 },
    });
  });

  test('passes values as the record shows them', async () => {
    const { error } = await inConflict((each) => (each.due = new Date(5)) && undefined, {
      due: '2026-03-03T00:00:00Z',
    });
    await error.merge(({ base, mine, theirs }) => {
      expect([base, mine, theirs]).toEqual([
        new Date('2026-01-02T00:00:00Z'),
        new Date(5),
        new Date('2026-03-03T00:00:00Z'),
      ]);
      return new Date(7);
    });
    expect(server.last.body.due).toBe(new Date(7).toISOString());
  });
});

/** Waits, without a clock, until a condition is true. */
async function settled(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
