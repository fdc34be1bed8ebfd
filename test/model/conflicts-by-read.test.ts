import {
  ConflictError,
  conflicts,
  DefinitionError,
  type Extension,
  etags,
  Model,
  plain,
  Store,
  safeWrites,
} from 'repose';
import { diagnostics } from 'repose/diagnostics';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test, vi } from 'vitest';

const ROW = { id: 7, name: 'Ada', age: 36, city: 'London' };

/** Rows with a version in a member. */
const TAGGED = { reader: { etagProperty: 'age' } };

/** A server that knows no conditions: it answers without ETags, and writes whatever comes. */
function setUp(use: readonly unknown[] = [conflicts({ compare: 'read' })], config: object = {}) {
  const server = restServer({ collections: { '/api/users': [ROW] } });
  const sent: string[] = [];
  const world = { fail: 0, isOffline: false, isAnswerLost: false, beforeWrite: () => undefined as unknown };
  const plainFetch: typeof fetch = async (input, init) => {
    const method = init?.method ?? 'GET';
    if (method !== 'GET') world.beforeWrite();
    const headers = new Headers(init?.headers);
    sent.push(`${method}${headers.has('if-match') ? ' if-match' : ''}`);
    if (method === 'GET' && world.fail) return new Response('{}', { status: world.fail });
    if (method === 'GET' && world.isOffline) throw new TypeError('fetch failed');
    headers.delete('if-match');
    const response = await server.fetch(input, { ...init, headers });
    if (method !== 'GET' && world.isAnswerLost) throw new TypeError('connection reset');
    const answered = new Headers(response.headers);
    answered.delete('etag');
    return new Response(response.body, { status: response.status, headers: answered });
  };
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string', age: 'int', city: 'string' },
    proxy: {
      type: 'rest',
      baseUrl: server.baseUrl,
      fetch: plainFetch,
      url: '/api/users',
      dialect: plain(),
      use: use as never,
      ...config,
    },
  }) {}
  const theirs = (values: object) => server.setRows('/api/users', [{ ...ROW, ...values }]);
  const row = () => server.rows('/api/users')[0];
  return { User, server, sent, world, theirs, row };
}

describe("`conflicts({ compare: 'read' })`", () => {
  test('sends a write over a row that nobody has changed, after one read', async () => {
    const { User, sent, row } = setUp();
    const user = User.fromRow(ROW);
    await user.set({ name: 'Ada Lovelace' }).save();
    expect(sent).toEqual(['GET', 'PATCH']);
    await user.set({ name: 'Countess' }).save();
    await new User({ name: 'Grace' }).save();
    expect(sent).toEqual(['GET', 'PATCH', 'GET', 'PATCH', 'POST']);
    expect(row()).toMatchObject({ name: 'Countess', age: 36 });
  });

  test('makes an edited field that has changed since a conflict, and sends nothing', async () => {
    const { User, sent, theirs, row } = setUp();
    const user = User.fromRow(ROW);
    theirs({ name: 'Augusta', age: 37 });
    const error = await user
      .set({ name: 'Countess', city: 'Paris' })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ reason: 'conflict-unsent', theirs: { name: 'Augusta', age: 37 } });
    expect([sent, user.dirty, user.name]).toEqual([['GET'], true, 'Countess']);
    await (error as ConflictError).merge(({ theirs: taken }) => taken);
    expect(row()).toEqual({ id: 7, name: 'Augusta', age: 37, city: 'Paris' });
    expect(user.dirty).toBe(false);
  });

  test('sends a PATCH beside fields that others have changed, and a PUT not', async () => {
    const { User, theirs, row } = setUp();
    theirs({ age: 37 });
    await User.fromRow(ROW).set({ name: 'Countess' }).save();
    expect(row()).toMatchObject({ name: 'Countess', age: 37 });
    const whole = setUp(undefined, { dialect: plain({ actionMethods: { update: 'PUT' } }) });
    whole.theirs({ age: 37 });
    const user = whole.User.fromRow(ROW);
    await expect(user.set({ name: 'Countess' }).save()).rejects.toBeInstanceOf(ConflictError);
    expect(whole.row()).toMatchObject({ name: 'Ada', age: 37 });
  });

  test('asks before an erase, and `keepMine()` erases', async () => {
    const { User, server, sent, theirs } = setUp();
    theirs({ age: 37 });
    const user = User.fromRow(ROW);
    const error = await user.erase().catch((reason: unknown) => reason);
    expect([error, sent]).toEqual([expect.any(ConflictError), ['GET']]);
    await (error as ConflictError).keepMine();
    expect(server.rows('/api/users')).toEqual([]);
  });

  test('asks before an erase of a row of which only a member without a field has changed, and a PUT takes it along', async () => {
    const { User, server, sent, theirs } = setUp();
    theirs({ rank: 2, age: '36' });
    const user = User.fromRow({ ...ROW, rank: 1, views: 5 });
    const error = await user.erase().catch((reason: unknown) => reason);
    expect([error, sent]).toEqual([expect.any(ConflictError), ['GET']]);
    await expect((error as ConflictError).merge()).rejects.toBe(error);
    await (error as ConflictError).keepMine();
    expect(server.rows('/api/users')).toEqual([]);
    const whole = setUp(undefined, { dialect: plain({ actionMethods: { update: 'PUT' } }) });
    whole.theirs({ rank: 2 });
    await whole.User.fromRow({ ...ROW, rank: 1 })
      .set({ name: 'Countess' })
      .save();
    expect(whole.row()).toMatchObject({ name: 'Countess', rank: 2 });
  });

  test('erases a row in which only what a field without `persist` reads has changed', async () => {
    const { User, server, theirs } = setUp();
    class Seen extends User.define({ fields: { seen: { type: 'int', persist: false } } }) {}
    theirs({ seen: 2 });
    await Seen.fromRow({ ...ROW, seen: 1 }).erase();
    expect(server.rows('/api/users')).toEqual([]);
  });

  test('tells of a change between the conflict and its decision', async () => {
    const { User, theirs, row } = setUp();
    const user = User.fromRow(ROW);
    theirs({ name: 'Augusta' });
    const error = await user
      .set({ name: 'Countess' })
      .save()
      .catch((reason: unknown) => reason);
    theirs({ name: 'Ada King' });
    await expect((error as ConflictError).keepMine()).rejects.toBeInstanceOf(ConflictError);
    expect(row()?.['name']).toBe('Ada King');
  });

  test.each([404, 410, 403, 500, 502, 503])(
    'sends nothing where the read answers %d, and keeps the edit',
    async (status) => {
      const { User, sent, world } = setUp();
      world.fail = status;
      const user = User.fromRow(ROW);
      await expect(user.set({ name: 'Countess' }).save()).rejects.toMatchObject({ status });
      expect([sent, user.dirty, user.$.unconfirmed]).toEqual([['GET'], true, false]);
    },
  );

  test.each([
    ['conflicts()', [conflicts({ compare: 'read' })]],
    ['etags()', [etags()]],
    ['safeWrites()', [safeWrites({ retry: { limit: 0 }, conflicts: { compare: 'read' } })]],
  ])('leaves nothing unconfirmed where the read before a write of %s gets no response', async (_, use) => {
    const { User, sent, world } = setUp(use);
    world.isOffline = true;
    const user = User.fromRow(ROW);
    const error = await user
      .set({ name: 'Countess' })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'network', operation: { action: 'read' } });
    expect([sent, user.dirty, user.$.unconfirmed]).toEqual([['GET'], true, false]);
    // Nobody has to find out what the server has: the field can be set back.
    user.set({ name: 'Ada' });
    expect(user.dirty).toBe(false);
    await expect(user.erase()).rejects.toMatchObject({ code: 'network' });
    expect([sent, user.$.unconfirmed]).toEqual([['GET', 'GET'], false]);
    world.isOffline = false;
    await user.set({ name: 'Lady' }).save();
    expect([sent.at(-1), user.dirty]).toEqual(['PATCH', false]);
  });

  test('still takes a write without a response for unconfirmed after the read of the next try has failed', async () => {
    const { User, world } = setUp();
    const user = User.fromRow(ROW);
    world.isAnswerLost = true;
    await expect(user.set({ name: 'Countess' }).save()).rejects.toMatchObject({ code: 'network' });
    world.isOffline = true;
    await expect(user.save()).rejects.toMatchObject({ code: 'network', operation: { action: 'read' } });
    user.set({ name: 'Ada' });
    expect(user.dirty).toBe(true);
  });

  describe.each([
    ['conflicts()', [conflicts({ compare: 'read' })]],
    ['etags()', [etags()]],
  ])('of %s: what this client has sent without a response is no conflict', (_, use) => {
    async function lostSave() {
      const world = setUp(use, { reader: { etagProperty: 'tag' } });
      world.theirs({ tag: '"1"' });
      const user = world.User.fromRow(ROW);
      world.world.isAnswerLost = true;
      await user
        .set({ name: 'Countess' })
        .save()
        .catch(() => undefined);
      expect(world.row()?.['name']).toBe('Countess');
      world.world.isAnswerLost = false;
      return { ...world, user };
    }

    test('when another value follows', async () => {
      const { user, row } = await lostSave();
      await user.set({ name: 'Lady' }).save();
      expect([row()?.['name'], user.dirty]).toEqual(['Lady', false]);
    });

    test('when the value before is set again', async () => {
      const { user, row } = await lostSave();
      await user.set({ name: 'Ada' }).save();
      expect(row()?.['name']).toBe('Ada');
    });

    test('when the edit was taken back before', async () => {
      const { user, row } = await lostSave();
      user.reject();
      await user.set({ name: 'Lady' }).save();
      expect(row()?.['name']).toBe('Lady');
    });

    test('when the record is erased', async () => {
      const { user, server } = await lostSave();
      await user.erase();
      expect(server.rows('/api/users')).toEqual([]);
    });

    test('when several answers were lost, and the server has the first value', async () => {
      const { user, row, world, theirs } = await lostSave();
      world.isAnswerLost = true;
      await user
        .set({ name: 'Lady' })
        .save()
        .catch(() => undefined);
      theirs({ name: 'Countess', tag: '"1"' });
      world.isAnswerLost = false;
      await user.set({ name: 'Ada King' }).save();
      expect(row()?.['name']).toBe('Ada King');
    });

    test('when an outbox sends, also in another process', async () => {
      const storage = memoryStorage();
      const start = async (rows: readonly object[]) => {
        const outbox = new Outbox({ scope: 'ada', storage });
        const made = setUp([...use, outbox], { reader: { etagProperty: 'tag' } });
        made.server.setRows('/api/users', rows as never);
        const store = new Store({ model: made.User });
        await store.load();
        const [user] = store;
        // The row of a list has no version here.
        const save = (name: string) =>
          user
            ?.set({ name })
            .save()
            .catch(() => undefined);
        return { ...made, outbox, user, save };
      };
      const first = await start([{ ...ROW, tag: '"1"' }]);
      first.world.isAnswerLost = true;
      await first.save('Countess');
      expect(first.row()?.['name']).toBe('Countess');
      first.world.isAnswerLost = false;
      await first.save('Lady');
      await first.outbox.send();
      expect([first.row()?.['name'], first.user?.dirty, first.user?.$.error]).toEqual(['Lady', false, undefined]);

      first.world.isAnswerLost = true;
      await first.save('Ada King');
      expect(first.row()?.['name']).toBe('Ada King');
      first.world.isOffline = true;
      await first.save('Augusta');
      await first.outbox.close();
      const next = await start(first.server.rows('/api/users'));
      await next.outbox.send();
      expect([next.row()?.['name'], next.user?.dirty]).toEqual(['Augusta', false]);
      await next.outbox.close();
    });

    test('but what somebody else has saved since is', async () => {
      const { user, row, theirs } = await lostSave();
      theirs({ name: 'Augusta', tag: '"2"' });
      await expect(user.set({ name: 'Lady' }).save()).rejects.toBeInstanceOf(ConflictError);
      expect(row()?.['name']).toBe('Augusta');
    });
  });

  test('leaves a write with a condition alone', async () => {
    const { User, sent } = setUp();
    const user = User.fromRow(ROW);
    await user.set({ name: 'Countess' }).save({ headers: { 'If-Match': '"1"' } });
    expect(sent).toEqual(['PATCH if-match']);
  });

  test('asks once beside `etags()`, as part of `safeWrites()`', async () => {
    const { User, sent, theirs } = setUp([safeWrites({ conflicts: { compare: 'read' } })]);
    await User.fromRow(ROW).set({ name: 'Countess' }).save();
    expect(sent).toEqual(['GET', 'PATCH']);
    theirs({ name: 'Augusta' });
    await expect(User.fromRow(ROW).set({ name: 'Lady' }).save()).rejects.toBeInstanceOf(ConflictError);
    const plainEtags = setUp([etags(), conflicts()]);
    plainEtags.theirs({ name: 'Augusta' });
    await plainEtags.User.fromRow(ROW).set({ name: 'Lady' }).save();
    expect(plainEtags.row()?.['name']).toBe('Lady');
  });

  test('compares where the server sends ETags and ignores `If-Match`', async () => {
    const ignoring = { etags: { ifMatch: () => undefined }, conflicts: { compare: 'read' } } as const;
    const { User, theirs, row, sent } = setUp([safeWrites(ignoring)], { reader: { etagProperty: 'age' } });
    const user = User.fromRow(ROW);
    theirs({ name: 'Augusta', age: 37 });
    await expect(user.set({ name: 'Lady' }).save()).rejects.toBeInstanceOf(ConflictError);
    expect([row()?.['name'], sent]).toEqual(['Augusta', ['GET']]);
  });

  test('compares when an outbox sends', async () => {
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
    const { User, theirs, row, world, sent } = setUp([conflicts({ compare: 'read' }), outbox]);
    world.fail = 503;
    const user = User.fromRow(ROW);
    await user
      .set({ name: 'Countess' })
      .save()
      .catch(() => undefined);
    theirs({ name: 'Augusta' });
    world.fail = 0;
    await outbox.send();
    expect([row()?.['name'], user.$.error?.code, sent.includes('PATCH')]).toEqual(['Augusta', 'conflict', false]);
    await outbox.close();
  });

  test('compares each record of a `sync()` that is sent by itself', async () => {
    const { User, server } = setUp();
    server.setRows('/api/users', [ROW, { ...ROW, id: 8 }]);
    const store = new Store({ model: User });
    await store.load();
    const [first, second] = store;
    server.setRows('/api/users', [
      { ...ROW, name: 'Augusta' },
      { ...ROW, id: 8 },
    ]);
    first?.set({ name: 'A' });
    second?.set({ name: 'B' });
    await store.sync().catch(() => undefined);
    expect(server.rows('/api/users').map((each) => each['name'])).toEqual(['Augusta', 'B']);
    expect([first?.$.error?.code, second?.dirty]).toEqual(['conflict', false]);
  });

  test('is the remedy that a server without ETags is told with, once per model in development', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { User } = setUp([safeWrites()]);
    await User.fromRow(ROW).set({ name: 'A' }).save();
    await User.fromRow(ROW).set({ name: 'B' }).save();
    expect(warn.mock.calls.map(String)).toEqual([expect.stringMatching(/^user: .*no ETag.*compare: 'read'/s)]);
    warn.mockClear();
    for (const [use, config] of [
      [[safeWrites({ conflicts: { compare: 'read' } })], {}],
      [[safeWrites({ etags: { unknown: 'send' } })], {}],
      [[safeWrites()], { dialect: plain({ lockVersion: 'age' }) }],
      [[safeWrites()], { reader: { etagProperty: 'age' } }],
    ] as const)
      await setUp(use, config).User.fromRow(ROW).set({ name: 'A' }).save();
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('is told by diagnostics() instead, where it is used, also for a record that was loaded by itself', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const told: (readonly [string, string | undefined])[] = [];
    const watching = diagnostics({ warn: (text, { action }) => told.push([text, action]) });
    const { User } = setUp([safeWrites(), watching]);
    const user = await User.load(7);
    await user.set({ name: 'A' }).save();
    await user.set({ name: 'B' }).save();
    await user.erase();
    expect(told).toEqual([[expect.stringMatching(/^user: .*no ETag/), 'update']]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test.each<[string, readonly Extension[], object, object]>([
    ['the row is compared', safeWrites({ conflicts: { compare: 'read' } }), {}, {}],
    ['it is accepted', safeWrites({ etags: { unknown: 'send' } }), {}, {}],
    ['the dialect has a version', [...safeWrites()], { dialect: plain({ lockVersion: 'age' }) }, {}],
    ['a member has the version', [...safeWrites()], { reader: { etagProperty: 'age' } }, {}],
    ['the call has a condition', [...safeWrites()], {}, { headers: { 'If-Match': '*' } }],
    ['the ETags are ignored on purpose', [...safeWrites({ etags: { ifMatch: () => undefined } })], TAGGED, {}],
    ['nothing is guarded', [conflicts()], {}, {}],
  ])('is not told where %s', async (_, use, config, call) => {
    const told: string[] = [];
    const { User } = setUp([...use, diagnostics({ warn: (text) => told.push(text) })], config);
    const user = await User.load(7);
    await user.set({ name: 'A' }).save(call);
    await new User({ name: 'Grace' }).save();
    await User.fromRow({ ...ROW, name: 'A' })
      .set({ name: 'C' })
      .save(call);
    expect(told).toEqual([]);
  });

  test('is not told of a write that the server refused', async () => {
    const told: string[] = [];
    const { User, world } = setUp([safeWrites(), diagnostics({ warn: (text) => told.push(text) })]);
    const user = await User.load(7);
    world.isAnswerLost = true;
    await user
      .set({ name: 'A' })
      .save()
      .catch(() => undefined);
    expect(told).toEqual([]);
    world.isAnswerLost = false;
    await user.save();
    expect(told.length).toBe(1);
  });

  test('is the only other way', () => {
    expect(() => conflicts({ compare: 'write' as never })).toThrow(DefinitionError);
  });
});
