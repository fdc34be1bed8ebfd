import { type ConflictError, conflicts, type Extension, Model, plain, Store } from 'repose';
import { type LockManager, Outbox, type OutboxEntry, type OutboxStorage, type StoredChange } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { type App, startApp } from './setting.js';
import { fakeLocks, sharedStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** Answers that the server refuses the value of `name`. */
const badName = () => Response.json({ errors: { name: ['bad'] } }, { status: 422 });

describe('after a restart', () => {
  test('a keyed create whose values are refused is corrected under a new key', async () => {
    const first = await startApp();
    const { server, storage } = first;
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'bad' }).save());
    const { outbox } = await startApp({ server, storage });
    server.fault = badName;
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { code: 'validation' } }]);
    server.fault = () => undefined;
    await outbox.repair(outbox.entries[0] as OutboxEntry, { name: 'good' });
    await outbox.drained();
    expect([...server.table('users').values()]).toMatchObject([{ name: 'good' }]);
    const keys = server.log.map(({ key }) => key);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
  });

  test.each([401, 429])(
    'a keyless create refused with %s is queued rather than unconfirmed, and sent later',
    async (status) => {
      const first = await startApp({ keys: false });
      const { server, storage } = first;
      server.fault = () => status;
      const user = new first.User({ name: 'Ada' });
      await quiet(user.save());
      expect([user.$.unconfirmed, first.outbox.entries]).toMatchObject([false, [{ state: 'queued' }]]);
      server.fault = () => undefined;
      const { outbox } = await startApp({ server, storage, keys: false });
      expect(outbox.failed).toEqual([]);
      await outbox.send();
      expect([...server.table('users').values()]).toMatchObject([{ name: 'Ada' }]);
    },
  );

  test.each([true, false])(
    'an unconfirmed create whose repeat was answered with 401 stays unconfirmed (keys: %s)',
    async (keys) => {
      const first = await startApp({ keys });
      const { server, storage } = first;
      server.fault = () => 'after';
      const user = new first.User({ name: 'Ada' });
      await quiet(user.save());
      server.fault = () => 401;
      await quiet(user.save({ repeat: true }));
      server.fault = () => undefined;
      const { outbox } = await startApp({ server, storage, keys });
      expect(outbox.failed.map(({ state }) => state)).toEqual(keys ? [] : ['unconfirmed']);
      await outbox.send();
      expect(server.table('users').size).toBe(1);
    },
  );

  test.each([{ url: '/members' }, { headers: { 'X-Team': 'a' } }])(
    'a create with %o of its call is not repeated after a restart, but by its own page',
    async (call) => {
      for (const isRestarted of [true, false]) {
        const first = await startApp();
        const { server, storage } = first;
        server.fault = () => 'after';
        await quiet(new first.User({ name: 'Ada' }).save(call));
        server.fault = () => undefined;
        const sent = server.log.length;
        const { outbox } = isRestarted ? await startApp({ server, storage }) : first;
        await outbox.send();
        expect(outbox.failed.map(({ state }) => state)).toEqual(isRestarted ? ['unconfirmed'] : []);
        expect(server.log.length > sent).toBe(!isRestarted);
      }
    },
  );

  test('outcomes and ids are forgotten that no stored write needs', async () => {
    const first = await startApp();
    const { server, storage } = first;
    server.fault = (_, path) => (path === '/tasks' ? 422 : undefined);
    const [done, parent] = [new first.User({ name: 'Ada' }), new first.User({ name: 'Bea' })];
    await done.save();
    const task = new first.Task({ title: 'write', userId: parent.id });
    await quiet(Promise.all([quiet(parent.save()), quiet(task.save())]));
    const before = await storage.read({ scope: 'user-7' });
    expect([before.outcomes.length, before.identities.length]).toEqual([2, 2]);
    const { outbox } = await startApp({ server, storage });
    const { outcomes, identities, items } = await storage.read({ scope: 'user-7' });
    const needed = Object.values((JSON.parse(items[0]?.data ?? '') as { change: StoredChange }).change.dependsOn);
    expect([outcomes, identities.map(({ record }) => record)]).toEqual([[], needed]);
    server.fault = () => undefined;
    await outbox.retry(outbox.failed[0] as { key: string });
    await outbox.send();
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: parent.id }]);
  });

  test('a new record that was refused with 401 and then erased is not created', async () => {
    const first = await startApp({ keys: false });
    const { server, storage } = first;
    server.fault = () => 401;
    const user = new first.User({ name: 'Ada' });
    await quiet(user.save());
    await quiet(user.erase());
    server.fault = () => undefined;
    const { outbox } = await startApp({ server, storage, keys: false });
    await outbox.send();
    expect([server.table('users').size, outbox.size]).toEqual([0, 0]);
  });

  test.each([
    ['by the outbox', () => Promise.resolve()],
    ['by a store', ({ User }: App) => new Store({ model: User }).load()],
    ['by its id', ({ User }: App) => User.load(1)],
  ])(
    'a conflict shows the values from before the edits as base, though the record was read since %s',
    async (_by, read) => {
      const first = await startApp({ withEtags: true });
      const { server, storage } = first;
      server.table('users').set(1, { id: 1, name: 'Ada', amount: 1, tags: [] });
      const user = await first.User.load(1);
      server.fault = () => 'before';
      user.set({ name: 'mine', mail: 'mine' });
      await quiet(user.save());
      server.fault = () => undefined;
      server.table('users').set(1, { id: 1, name: 'theirs', amount: 2, mail: 'theirs', tags: [] });
      const second = await startApp({ server, storage, withEtags: true });
      await read(second);
      await second.outbox.send();
      const error = second.outbox.failed[0]?.record?.$.error as ConflictError;
      expect(error.base).toMatchObject({ id: 1, name: 'Ada' });
      expect(error.base).not.toMatchObject({ mail: 'theirs' });
      await expect(error.merge()).rejects.toBe(error);
      expect(error.fields).toEqual([
        { field: 'name', base: 'Ada', mine: 'mine', theirs: 'theirs' },
        { field: 'mail', base: undefined, mine: 'mine', theirs: 'theirs' },
      ]);
      expect(server.table('users').get(1)).toMatchObject({ name: 'theirs', mail: 'theirs' });
      await error.merge(({ field, mine, theirs }) => (field === 'name' ? mine : theirs));
      expect(server.table('users').get(1)).toMatchObject({ name: 'mine', amount: 2, mail: 'theirs' });
      expect(second.outbox.size).toBe(0);
    },
  );

  test('clearing a field that another client has changed is a conflict', async () => {
    const first = await startApp({ withEtags: true });
    const { server, storage } = first;
    server.table('users').set(1, { id: 1, name: 'Ada', tags: ['a'] });
    const user = await first.User.load(1);
    server.fault = () => 'before';
    user.set({ tags: undefined });
    await quiet(user.save());
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'Ada', tags: ['theirs'] });
    const { outbox } = await startApp({ server, storage, withEtags: true });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
    expect(server.table('users').get(1)).toMatchObject({ tags: ['theirs'] });
  });

  test('a queued erase is not replaced by a save in a later process', async () => {
    const first = await startApp();
    const { server, storage } = first;
    server.table('users').set(7, { id: 7, name: 'Ada' });
    const user = await first.User.load(7);
    server.fault = () => 'before';
    await quiet(user.erase());
    server.fault = () => undefined;
    const { User, outbox } = await startApp({ server, storage, autoStart: false });
    const again = await User.load(7);
    again.name = 'Grace';
    await expect(again.save()).rejects.toMatchObject({ code: 'outbox-erase' });
    expect(outbox.entries).toMatchObject([{ action: 'destroy', id: 7 }]);
    await outbox.send();
    expect([server.table('users').size, outbox.size]).toEqual([0, 0]);
    expect(again.erased).toBe(true);
  });

  test('clearing a field and saving while another write is in flight is sent', async () => {
    const first = await startApp();
    const { server, storage } = first;
    server.table('users').set(1, { id: 1, name: 'Ada', tags: ['a'] });
    const user = await first.User.load(1);
    let answer = () => {};
    const seen = new Promise<void>((resolve) => {
      server.fault = async () => {
        resolve();
        await new Promise<void>((open) => (answer = open));
        // The process ends before the waiting write is sent.
        server.fault = () => new Promise(() => undefined);
        return undefined;
      };
    });
    user.name = 'Grace';
    const saving = user.save();
    await seen;
    user.set({ tags: undefined });
    void quiet(user.save());
    answer();
    await saving;
    await expect.poll(() => server.log.length).toBe(3);
    const stored = (await storage.all()).length;
    server.fault = () => undefined;
    const { outbox } = await startApp({ server, storage });
    await outbox.send();
    expect([stored, outbox.size]).toEqual([1, 0]);
    expect(server.table('users').get(1)).not.toHaveProperty('tags', ['a']);
    expect(server.table('users').get(1)).toMatchObject({ name: 'Grace' });
  });
});

test('a queued value is sent though the record was changed back without a save and loaded', async () => {
  const { User, outbox, server } = await startApp();
  server.table('users').set(7, { id: 7, name: 'Ada' });
  const user = await User.load(7);
  server.fault = () => 'before';
  user.name = 'Grace';
  await quiet(user.save());
  server.fault = () => undefined;
  user.name = 'Ada';
  await user.load();
  expect(outbox.size).toBe(1);
  await outbox.send();
  expect(server.table('users').get(7)).toEqual({ id: 7, name: 'Grace' });
  expect(outbox.size).toBe(0);
});

describe('an update of a row with a version', () => {
  interface Versioned {
    readonly id: number;
    readonly name: string;
    readonly mail: string;
    readonly v: number;
  }

  /** A server that refuses updates of an older version. `reads`: whether it serves single rows. */
  function versioned(reads: boolean) {
    const server = { row: { id: 1, name: 'Ada', mail: 'a', v: 1 } as Versioned, bodies: [] as object[] };
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const method = init?.method ?? 'GET';
      if (method === 'GET')
        return /users(\?|$)/.test(String(input))
          ? Response.json([server.row])
          : reads
            ? Response.json(server.row)
            : Response.json({}, { status: 405 });
      const body = JSON.parse(String(init?.body));
      server.bodies.push(body);
      if (body.v !== undefined && body.v !== server.row.v) return Response.json({ message: 'no' }, { status: 409 });
      server.row = { ...server.row, ...body, v: server.row.v + 1 };
      return Response.json(server.row);
    };
    return Object.assign(server, { fetch });
  }

  /** A tab whose network is switched. */
  async function tabOf(
    { fetch }: ReturnType<typeof versioned>,
    storage: OutboxStorage,
    locks: LockManager,
    has: readonly Extension[],
    isOnline: boolean,
  ) {
    const connection = { online: isOnline, onOnline: () => () => undefined };
    const outbox = new Outbox({ scope: 'u', storage, locks, connection, autoStart: false });
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string', mail: 'string' },
      proxy: {
        type: 'rest',
        url: 'http://v.test/users',
        dialect: plain({ lockVersion: 'v' }),
        fetch,
        use: [...has, outbox],
      },
    }) {}
    await outbox.ready;
    const store = new Store({ model: User });
    await store.load();
    return { outbox, connection, store };
  }

  const WAYS = ['after a restart', 'from another tab', 'from another tab that has read the newer row'] as const;
  const cases = WAYS.flatMap((way) =>
    [true, false].flatMap((reads) => [true, false].map((hasConflicts) => [way, reads, hasConflicts] as const)),
  );

  test.each(cases)(
    '%s replaces nothing that was not seen (single rows read: %s, conflicts(): %s)',
    async (way, reads, has) => {
      const server = versioned(reads);
      const storage = sharedStorage();
      const locks = fakeLocks();
      const open = (isOnline: boolean) => tabOf(server, storage.tab(), locks, has ? [conflicts()] : [], isOnline);
      const first = await open(false);
      const isOther = way !== 'after a restart';
      let second = isOther ? await open(false) : undefined;
      const user = first.store.getById(1);
      user?.set('name', 'mine');
      await quiet(user?.save() as Promise<unknown>);
      await first.outbox.close();
      server.row = { ...server.row, name: 'theirs', v: 2 };
      if (way === 'from another tab that has read the newer row') await second?.store.load();
      second ??= await tabOfRestart();
      second.connection.online = true;
      await second.outbox.send();
      expect(server.row).toEqual({ id: 1, name: 'theirs', mail: 'a', v: 2 });
      expect(second.outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
      await second.outbox.close();

      /** Without its list: nothing but what is stored is known of the row. */
      async function tabOfRestart() {
        return tabOf(
          { ...server, fetch: listless(server.fetch) },
          storage.tab(),
          locks,
          has ? [conflicts()] : [],
          false,
        );
      }
    },
  );

  /** A server whose lists are empty. */
  function listless(fetch: ReturnType<typeof versioned>['fetch']): typeof fetch {
    return async (input, init) => (/users(\?|$)/.test(String(input)) ? Response.json([]) : fetch(input, init));
  }

  test.each([WAYS[0], WAYS[2]])('%s keeps what somebody else has saved in another field', async (way) => {
    const server = versioned(true);
    const storage = sharedStorage();
    const locks = fakeLocks();
    const first = await tabOf(server, storage.tab(), locks, [conflicts()], false);
    let second =
      way === 'after a restart' ? undefined : await tabOf(server, storage.tab(), locks, [conflicts()], false);
    const user = first.store.getById(1);
    user?.set('name', 'mine');
    await quiet(user?.save() as Promise<unknown>);
    await first.outbox.close();
    server.row = { ...server.row, mail: 'theirs', v: 2 };
    if (way === 'from another tab that has read the newer row') await second?.store.load();
    second ??= await tabOf({ ...server, fetch: listless(server.fetch) }, storage.tab(), locks, [conflicts()], false);
    second.connection.online = true;
    await second.outbox.send();
    expect([server.bodies, server.row]).toEqual([
      [{ name: 'mine', v: 2 }],
      { id: 1, name: 'mine', mail: 'theirs', v: 3 },
    ]);
    expect(second.outbox.size).toBe(0);
    await second.outbox.close();
  });
});
