import { ConflictError, etags, Store, sync } from 'repose';
import { type FailedWrite, type Outbox, type OutboxEntry, OutboxError, type StoredItem } from 'repose/outbox';
import { describe, expect, test, vi } from 'vitest';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { startApp } from './setting.js';
import { copyItems, disk, fakeLocks, sharedStorage, type TestStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** The one write that waits for a decision. */
function only(outbox: Outbox): FailedWrite {
  expect(outbox.failed).toHaveLength(1);
  return outbox.failed[0] as FailedWrite;
}

function conflictOf(record: FailedWrite['record']): ConflictError {
  const error = record?.$.error;
  if (!(error instanceof ConflictError)) throw new Error('There is no conflict');
  return error;
}

describe('a refused write', () => {
  test('stays in the outbox, emits `failed`, and is sent again only after repair()', async () => {
    const { User, outbox, server } = await startApp();
    const events: string[] = [];
    outbox.on('failed', ({ state }) => events.push(state));
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.fault = () => 422;
    user.name = '';
    await expect(user.save()).rejects.toMatchObject({ status: 422 });
    expect(user.$.error?.queued).toBeUndefined();
    const write = only(outbox);
    expect(write).toMatchObject({ state: 'failed', entry: { values: { name: '' } }, error: { status: 422 } });
    expect(write.record).toBe(user);
    expect(events).toEqual(['failed']);
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    expect(server.log).toHaveLength(2);
    await outbox.repair(write, { name: 'Grace' });
    await outbox.drained();
    expect(server.table('users').get(1)?.name).toBe('Grace');
    expect([outbox.size, user.dirty]).toEqual([0, false]);
  });

  test('does not refuse the other records of its request', async () => {
    const { User, outbox, server } = await startApp();
    for (const id of [1, 2]) server.table('users').set(id, { id, name: 'Ada' });
    const store = new Store({ model: User.with({ proxy: { batchActions: true } }) });
    const [one, two] = (await store.load()) as unknown as [typeof User.prototype, typeof User.prototype];
    let create: () => void = () => undefined;
    const created = new Promise<undefined>((resolve) => {
      create = () => resolve(undefined);
    });
    server.fault = (method, path) => (method === 'POST' ? created : path === '/users/1' ? 412 : undefined);
    store.add({ name: 'Cyd' });
    one.name = 'Ida';
    two.name = 'Ben';
    const saving = one.save();
    // Its creates are sent before its updates.
    const syncing = store.sync();
    await expect(saving).rejects.toMatchObject({ code: 'conflict' });
    create();
    const { failures } = await syncing;
    expect(failures.map(({ error }) => [error.code, error.queued])).toEqual([
      ['conflict', undefined],
      ['network', true],
    ]);
    await outbox.send();
    expect(only(outbox).record).toBe(one);
    expect([server.table('users').get(2)?.name, two.$.error]).toEqual(['Ben', undefined]);
  });

  test('a keyed create without a response that is repaired creates one record and then updates it, also after a reload', async () => {
    for (const reload of [false, true]) {
      const first = await startApp();
      const { server, storage } = first;
      server.fault = () => 'after';
      await quiet(new first.User({ name: 'Ada' }).save());
      first.outbox.pause();
      await first.outbox.repair(first.outbox.entries[0] as OutboxEntry, { name: 'Grace' });
      server.fault = () => undefined;
      const { outbox } = reload ? await startApp({ server, storage }) : first;
      await outbox.send();
      await outbox.drained();
      expect([...server.table('users').values()]).toMatchObject([{ name: 'Grace' }]);
      expect(new Set(server.log.flatMap(({ key }) => key ?? [])).size).toBe(1);
    }
  });

  test('a retry or repair during a retry sends the write once, and sends the repaired values after it', async () => {
    for (const repairs of [false, true]) {
      const { User, server, storage, outbox } = await startApp({ keys: false });
      server.fault = () => 422;
      await quiet(new User({ name: 'Ada' }).save());
      const write = only(outbox);
      const decide = (name: string) => (repairs ? outbox.repair(write, { name }) : outbox.retry(write));
      let answer: () => void = () => undefined;
      server.fault = () => new Promise((resolve) => (answer = () => resolve(undefined)));
      await decide('Grace');
      await vi.waitFor(() => expect(server.log).toHaveLength(2));
      await decide('Eve');
      // Copies what another process would find if this one crashed now.
      const left = disk();
      await copyItems(storage, left);
      server.fault = () => undefined;
      answer();
      await outbox.drained();
      const next = await startApp({ server, storage: left, keys: false });
      await next.outbox.send();
      expect([...server.table('users').values()]).toMatchObject([{ name: repairs ? 'Eve' : 'Ada' }]);
      expect(next.outbox.failed).toMatchObject([{ state: 'unconfirmed' }]);
    }
  });

  test('a write repaired twice before the second refusal is sent with the last repaired values', async () => {
    const { User, server, outbox } = await startApp({ keys: false });
    server.fault = () => 422;
    await quiet(new User({ name: 'Ada' }).save());
    const write = only(outbox);
    let answer: () => void = () => undefined;
    server.fault = () => new Promise((resolve) => (answer = () => resolve(422)));
    await outbox.repair(write, { name: 'Grace' });
    await vi.waitFor(() => expect(server.log).toHaveLength(2));
    await outbox.repair(write, { name: 'Eve' });
    server.fault = () => undefined;
    answer();
    await outbox.drained();
    expect([...server.table('users').values()]).toMatchObject([{ name: 'Eve' }]);
    expect(outbox.size).toBe(0);
  });

  test('a refused update is found after a reload, and its edits show on the record until it is dropped', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const first = await startApp({ server });
    const user = await first.User.load(1);
    server.fault = () => 412;
    user.name = 'Grace';
    await quiet(user.save());
    server.fault = () => undefined;
    const { User, outbox } = await startApp({ server, storage: first.storage });
    const store = new Store({ model: User });
    await store.load();
    await outbox.send();
    expect(store.getAt(0)?.$.modified).toEqual({ name: 'Grace' });
    await outbox.discard(only(outbox));
    expect(store.getAt(0)?.name).toBe('Ada');
    expect(outbox.size).toBe(0);
    await expect(outbox.retry({ key: 'gone' })).rejects.toMatchObject({ code: 'outbox-state' });
  });

  test('a refused create is sent again when its record is saved again', async () => {
    const { User, outbox, server } = await startApp();
    const user = new User({ name: '' });
    server.fault = () => 422;
    await quiet(user.save());
    server.fault = () => undefined;
    user.name = 'Ada';
    await user.save();
    expect(outbox.size).toBe(0);
    expect([...server.table('users').values()]).toMatchObject([{ name: 'Ada' }]);
  });

  test('an update answered with 503 is retried until `maxAttempts` is reached', async () => {
    const { User, outbox, server } = await startApp({ maxAttempts: 3 });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.fault = () => 503;
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ status: 503, queued: true });
    await outbox.send();
    expect(outbox.failed).toEqual([]);
    await outbox.send();
    expect(only(outbox)).toMatchObject({ state: 'failed', error: { status: 503 } });
    await outbox.retry(only(outbox));
    server.fault = () => undefined;
    await outbox.send();
    expect(outbox.size).toBe(0);
  });

  test('a write answered with 401 waits and is sent again after a minute', async () => {
    const { User, outbox, server, clock } = await startApp({ maxAttempts: 1 });
    server.fault = () => 401;
    await expect(new User({ name: 'Ada' }).save()).rejects.toMatchObject({
      ...{ status: 401, queued: true },
      userMessage: 'Please sign in again. Your changes are kept, and will be sent.',
    });
    server.fault = () => undefined;
    clock.advance(30_000);
    expect(server.log).toHaveLength(1);
    clock.advance(30_000);
    await outbox.drained();
    expect(server.table('users').size).toBe(1);
  });

  test('an update of a record that the server no longer has stays as failed', async () => {
    const { User, outbox, server } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.table('users').delete(1);
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ status: 404 });
    expect(only(outbox)).toMatchObject({ state: 'failed', error: { status: 404 } });
  });
});

describe('a queued update of a record that another client has changed', () => {
  test.each([
    [
      'in another field is sent and keeps both changes',
      { name: 'Ada', mail: 'theirs' },
      { name: 'mine', mail: 'theirs' },
      undefined,
    ],
    ['in the same field fails as a conflict', { name: 'theirs', mail: '' }, { name: 'theirs', mail: '' }, 412],
  ])('%s', async (_what, theirs, stands, status) => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const first = await startApp({ server });
    const user = await first.User.with({ proxy: { use: [etags()] } }).load(1);
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    user.name = 'mine';
    await quiet(user.save());
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, ...theirs });
    const { outbox, storage } = await startApp({ server, storage: first.storage, withEtags: true });
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject(stands);
    expect(outbox.failed.map(({ error }) => (error as { status?: number }).status)).toEqual(status ? [status] : []);
    const [item] = await storage.all();
    if (status) expect(item?.data).not.toMatch(/model\.test|[/]users/);
  });

  test('overwrites the other change when it is retried after the record was loaded again', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const first = await startApp({ server, withEtags: true });
    const user = await first.User.load(1);
    server.fault = () => 'before';
    user.name = 'mine';
    await quiet(user.save());
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'theirs', mail: 'theirs' });
    const { outbox } = await startApp({ server, storage: first.storage, withEtags: true });
    await outbox.send();
    const [write] = outbox.failed as [FailedWrite];
    expect(write.error).toMatchObject({ code: 'conflict' });
    await write.record?.load();
    await outbox.retry(write);
    await outbox.send();
    expect(outbox.failed).toEqual([]);
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: 'theirs' });
  });
});

describe('a conflict', () => {
  test('can be resolved inside the listener of `failed`', async () => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    const ended: Promise<void>[] = [];
    outbox.on('failed', ({ record }) => ended.push(conflictOf(record).keepMine()));
    server.table('users').set(1, { id: 1, name: 'theirs', mail: 'theirs' });
    user.name = 'mine';
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict' });
    await expect.poll(() => ended.length).toBe(1);
    await ended[0];
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: 'theirs' });
    expect(user.$.error).toBeUndefined();
    expect(outbox.size).toBe(0);
  });

  test('of a queued update is resolved without later unsaved edits, which stay', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const { User, outbox } = await startApp({ server, withEtags: true });
    const user = await User.load(1);
    server.fault = () => 'before';
    user.name = 'mine';
    await quiet(user.save());
    user.mail = 'draft';
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'theirs', mail: '' });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
    await conflictOf(user).keepMine();
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: '' });
    expect(user.$.modified).toEqual({ mail: 'draft' });
    expect(outbox.size).toBe(0);
  });

  test.each([
    ['', false, false],
    [', and leaves unsaved edits alone', true, false],
    [', after a restart', false, true],
    [', after a restart, and leaves unsaved edits alone', true, true],
  ])('reads the record again before a retry and overwrites only what it read%s', async (_what, edits, restarts) => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const first = await startApp({ server, withEtags: true });
    const user = await first.User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs', mail: 'theirs' });
    user.name = 'mine';
    await quiet(user.save());
    if (restarts) first.outbox.pause();
    await first.outbox.retry(only(first.outbox));
    const { outbox, User } = restarts ? await startApp({ server, storage: first.storage, withEtags: true }) : first;
    if (edits) (restarts ? await User.load(1) : user).mail = 'draft';
    // A change between the read and the write is not overwritten.
    let turns = 0;
    server.fault = (method) => {
      if (method === 'PATCH' && turns++ === 0) server.table('users').set(1, { id: 1, name: 'newer', mail: 'newer' });
      return undefined;
    };
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'newer', mail: 'newer' });
    await outbox.retry(only(outbox));
    await outbox.drained();
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: 'newer' });
    expect(outbox.size).toBe(0);
  });

  test.each([false, true])(
    'reads the record again before a repair and overwrites what it read (after a restart: %s)',
    async (restarts) => {
      const server = modelServer();
      server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
      const first = await startApp({ server, withEtags: true });
      const user = await first.User.load(1);
      server.table('users').set(1, { id: 1, name: 'theirs', mail: 'theirs' });
      user.name = 'mine';
      await quiet(user.save());
      const { outbox } = restarts ? await startApp({ server, storage: first.storage, withEtags: true }) : first;
      await outbox.repair(only(outbox), { name: 'both' });
      await outbox.drained();
      expect(outbox.failed).toEqual([]);
      expect(server.table('users').get(1)).toMatchObject({ name: 'both', mail: 'theirs' });
    },
  );

  test.each(['retry', 'repair'] as const)(
    'of a create reads nothing before its %s, because the record has no row yet',
    async (way) => {
      const { User, outbox, server } = await startApp();
      server.fault = () => 412;
      await quiet(new User({ name: 'Ada' }).save());
      server.fault = () => undefined;
      const write = only(outbox);
      expect(write.error).toMatchObject({ code: 'conflict' });
      if (way === 'retry') await outbox.retry(write);
      else await outbox.repair(write, { name: 'Grace' });
      await outbox.drained();
      expect(outbox.failed).toEqual([]);
      expect([...server.table('users').values()]).toMatchObject([{ name: way === 'retry' ? 'Ada' : 'Grace' }]);
      expect(server.log.map(({ method }) => method)).toEqual(['POST', 'POST']);
    },
  );

  test.each([
    ['on the same page', false],
    ['after a restart', true],
  ])('is not decided by a save that was stored before it, %s', async (_when, restarts) => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const first = await startApp({ server, withEtags: true });
    const user = await first.User.load(1);
    server.fault = () => 'before';
    user.name = 'mine';
    await quiet(user.save());
    user.mail = 'mine';
    await quiet(user.save());
    if (restarts) await first.outbox.close();
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'theirs', mail: '' });
    const { outbox } = restarts ? await startApp({ server, storage: first.storage, withEtags: true }) : first;
    await outbox.send();
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'theirs', mail: '' });
    const { error, record } = only(outbox);
    expect(error).toMatchObject({ code: 'conflict' });
    await conflictOf(record).keepMine();
    await outbox.drained();
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: 'mine' });
    expect([outbox.size, record?.dirty, record?.$.error]).toEqual([0, false, undefined]);
  });

  test.each(['update', 'erase'] as const)('is not decided by the %s that was called before it', async (action) => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs', mail: '' });
    user.name = 'mine';
    const first = user.save();
    user.mail = 'mine';
    const second = action === 'update' ? user.save() : user.erase();
    await expect(first).rejects.toMatchObject({ code: 'conflict' });
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'theirs', mail: '' });
    expect(user.$.error).toMatchObject({ code: 'conflict' });
    await conflictOf(user).keepMine();
    await outbox.drained();
    const mine = { id: 1, name: 'mine', mail: 'mine' };
    expect([...server.table('users').values()]).toMatchObject(action === 'update' ? [mine] : []);
    expect(outbox.size).toBe(0);
  });

  test.each(['keepMine', 'merge'] as const)('sends by %s() what was saved last of each field', async (way) => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs', mail: '' });
    user.set({ name: 'first', mail: 'first' });
    const first = user.save();
    user.set({ name: 'second', mail: 'second' });
    const second = user.save();
    await expect(first).rejects.toMatchObject({ code: 'conflict' });
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    const error = conflictOf(user);
    user.mail = 'typed';
    await (way === 'keepMine' ? error.keepMine() : error.merge(({ mine }) => mine));
    await outbox.drained();
    expect(server.table('users').get(1)).toMatchObject({ name: 'second', mail: 'second' });
    expect([outbox.size, user.$.modified, user.$.error]).toEqual([0, { mail: 'typed' }, undefined]);
  });

  test.each([
    ['keepMine', false],
    ['keepMine', true],
    ['merge', false],
    ['merge', true],
  ] as const)(
    'decided by %s() is not sent over a row that came after the decision (after a reload: %s)',
    async (way, reload) => {
      const first = await startApp({ withEtags: true });
      const { server, storage } = first;
      const table = server.table('users');
      table.set(1, { id: 1, name: 'Ada', mail: '' });
      const before = await first.User.load(1);
      table.set(1, { id: 1, name: 'theirs', mail: '' });
      before.name = 'mine';
      await expect(before.save()).rejects.toMatchObject({ code: 'conflict' });
      const { User, outbox } = reload ? await startApp({ server, storage, withEtags: true }) : first;
      const user = reload ? await User.load(1) : before;
      const end = () => {
        const error = conflictOf(user);
        return way === 'keepMine' ? error.keepMine() : error.merge(({ mine }) => mine);
      };
      let requests = 0;
      server.fault = () => {
        requests += 1;
        // The load after the reload has read the row, or the decision has: what comes now has been seen by nobody.
        if (requests === (reload ? 1 : 2)) table.set(1, { id: 1, name: 'theirs again', mail: '' });
        return undefined;
      };
      await expect(end()).rejects.toMatchObject({ code: 'conflict' });
      await outbox.send();
      expect(table.get(1)).toMatchObject({ name: 'theirs again' });
      server.fault = () => undefined;
      await end();
      expect([table.get(1)?.name, outbox.size, user.dirty]).toEqual(['mine', 0, false]);
    },
  );

  test.each(['keepMine', 'merge'] as const)('is over by %s() if the server has all values by then', async (way) => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    // The response of an earlier attempt was lost, or somebody else has made the same edit.
    server.table('users').set(1, { id: 1, name: 'mine', mail: 'theirs' });
    user.name = 'mine';
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict' });
    const error = conflictOf(user);
    await (way === 'keepMine' ? error.keepMine() : error.merge());
    expect([outbox.size, user.name, user.mail, user.dirty, user.$.error]).toEqual([
      0,
      'mine',
      'theirs',
      false,
      undefined,
    ]);
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine', mail: 'theirs' });
  });

  test('is not decided by a save of the same values that was called while the request was in flight', async () => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs' });
    let second: Promise<unknown> | undefined;
    server.fault = (method) => {
      if (method === 'PATCH') second ??= quiet(user.save());
      return undefined;
    };
    user.name = 'mine';
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict' });
    await second;
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'theirs' });
    expect(only(outbox).error).toMatchObject({ code: 'conflict' });
    expect(user.$.error).toMatchObject({ code: 'conflict' });
  });

  test('is not decided by an earlier save that the storage has when the conflict is known, and not stored yet', async () => {
    const storage = disk();
    const { append } = storage;
    const { User, outbox, server } = await startApp({ storage, withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs', mail: '' });
    let second: Promise<unknown> | undefined;
    server.fault = (method) => {
      if (method !== 'PATCH' || second) return undefined;
      storage.append = (items) => new Promise((resolve) => setTimeout(resolve, 50)).then(() => append(items));
      user.mail = 'mine';
      second = quiet(user.save());
      return undefined;
    };
    user.name = 'mine';
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict' });
    await second;
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'theirs' });
    expect(only(outbox).error).toMatchObject({ code: 'conflict' });
  });

  test('is decided by a later save, over the row that is read before it', async () => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs', mail: 'theirs' });
    user.name = 'mine';
    await quiet(user.save());
    user.name = 'mine again';
    await user.save();
    expect(server.table('users').get(1)).toMatchObject({ name: 'mine again', mail: 'theirs' });
    expect(outbox.size).toBe(0);
  });

  test('of an erase that is retried erases the version that was read just before', async () => {
    const { User, outbox, server } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs' });
    await quiet(user.erase());
    await outbox.retry(only(outbox));
    await outbox.drained();
    expect([server.table('users').size, outbox.size, user.erased]).toEqual([0, 0, true]);
  });

  test('of an erase ends when takeTheirs() is called', async () => {
    const { User, outbox, server, storage } = await startApp({ withEtags: true });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.table('users').set(1, { id: 1, name: 'theirs' });
    await quiet(user.erase());
    await conflictOf(only(outbox).record).takeTheirs();
    await expect.poll(() => outbox.size).toBe(0);
    expect(user.name).toBe('theirs');
    await expect.poll(() => storage.all()).toEqual([]);
  });
});

describe('an unconfirmed create', () => {
  test('is confirmed with its row, and then the records that refer to it are sent', async () => {
    const { User, Task, outbox, server } = await startApp({ keys: false });
    server.fault = () => 'after';
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'write', userId: user.id });
    await quiet(user.save());
    await quiet(task.save());
    expect(outbox.failed.map(({ state }) => state)).toEqual(['unconfirmed', 'held']);
    server.fault = () => undefined;
    await outbox.send();
    expect(server.log).toHaveLength(1);
    const [row] = [...server.table('users').values()];
    await outbox.confirm(outbox.failed[0] as FailedWrite, row as object);
    await outbox.drained();
    expect(user.phantom).toBe(false);
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: user.id }]);
    expect(outbox.size).toBe(0);
  });

  test('removes its record when it is dropped; a record that refers to it is held with an error', async () => {
    const { User, Task, outbox, server } = await startApp({ keys: false });
    server.fault = () => 'before';
    const users = new Store({ model: User });
    const tasks = new Store({ model: Task });
    const [user] = users.add({ name: 'Ada' });
    tasks.add({ title: 'write', userId: user?.id as number });
    const { failures } = await sync([users, tasks]);
    expect(failures.map(({ error }) => error.queued)).toEqual([undefined, true]);
    await outbox.discard(outbox.failed[0] as FailedWrite);
    expect(users.count).toBe(0);
    expect(only(outbox)).toMatchObject({ state: 'held', error: { code: 'outbox-parent' } });
    await outbox.drained();
  });

  test('is not created twice when the response to its retried key leaves the result open', async () => {
    const { User, outbox, server } = await startApp({ maxAttempts: 2 });
    server.fault = () => 'after';
    const user = new User({ name: 'Ada' });
    await quiet(user.save());
    server.fault = () => 409;
    await outbox.send();
    expect(outbox.failed).toEqual([]);
    await outbox.send();
    const write = only(outbox);
    expect(write.state).toBe('unconfirmed');
    server.fault = () => undefined;
    await outbox.retry(write);
    await outbox.drained();
    expect(server.table('users').size).toBe(1);
    expect(new Set(server.log.map(({ key }) => key)).size).toBe(1);
  });
});

describe('several writes of one record', () => {
  test('are combined, and saves made after the create was sent follow as one update', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'after';
    const user = new first.User({ name: 'Ada' });
    await quiet(user.save());
    server.fault = () => 'before';
    user.name = 'Grace';
    await quiet(user.save());
    user.mail = 'g@h.i';
    await quiet(user.save());
    expect(first.outbox.entries).toMatchObject([
      { action: 'create', values: { name: 'Ada' }, later: { name: 'Grace', mail: 'g@h.i' } },
    ]);
    const { outbox } = await startApp({ server, storage: first.storage });
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    expect([...server.table('users').values()]).toMatchObject([{ name: 'Grace', mail: 'g@h.i' }]);
    expect(server.log.slice(-2).map(({ method }) => method)).toEqual(['POST', 'PATCH']);
    expect(outbox.size).toBe(0);
  });

  test('erasing a record whose create was never sent drops both writes', async () => {
    let online = false;
    const connection = { online: false, onOnline: () => () => undefined };
    Object.defineProperty(connection, 'online', { get: () => online });
    const { User, outbox, server, storage } = await startApp({ connection });
    const user = new User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ code: 'network', queued: true, unconfirmed: false });
    expect(outbox.size).toBe(1);
    await user.erase();
    expect(await storage.all()).toEqual([]);
    const store = new Store({ model: User });
    store.add({ name: 'Grace' });
    await store.sync();
    expect(outbox.size).toBe(1);
    store.remove(...store);
    await expect.poll(() => outbox.size).toBe(0);
    online = true;
    await outbox.send();
    expect(server.log).toEqual([]);
  });

  test('erasing a record whose create waits for another record stores no temporary id, and sends nothing after a crash', async () => {
    const storage = disk();
    const written: StoredItem[] = [];
    const append = storage.append.bind(storage);
    storage.append = (items) => {
      written.push(...items);
      return append(items);
    };
    const { User, Task, server } = await startApp({ storage });
    let answer: () => void = () => undefined;
    server.fault = () => new Promise((resolve) => (answer = () => resolve(undefined)));
    const user = new User({ name: 'Ada' });
    const parent = user.save();
    const task = new Task({ title: 'waits', userId: user.id });
    const saved = quiet(task.save());
    const erased = task.erase();
    await expect.poll(() => written.length).toBe(1);
    const crashed = written.filter(({ data }) => data.includes('"task"'));
    expect(crashed).toEqual([]);
    server.fault = () => undefined;
    answer();
    await Promise.all([parent, saved, erased]);
    expect(server.table('tasks').size).toBe(0);

    const after = disk();
    await after.open(() => undefined);
    await after.append(crashed);
    server.log.length = 0;
    const { outbox } = await startApp({ server, storage: after });
    await outbox.send();
    expect(server.log).toEqual([]);
    expect(outbox.size).toBe(0);
    expect(await after.all()).toEqual([]);
  });

  test('writes of two objects of one record are sent in their order', async () => {
    const { User, outbox, server } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const [a, b] = [await User.load(1), await User.load(1)];
    server.fault = () => 'before';
    a.name = 'first';
    await quiet(a.save());
    b.name = 'second';
    await expect(b.save()).rejects.toMatchObject({ queued: true });
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    const names = server.log.filter(({ method }) => method === 'PATCH').map(({ body }) => body?.name);
    expect(names.slice(-2)).toEqual(['first', 'second']);
    expect(server.table('users').get(1)?.name).toBe('second');
  });

  test('writes queued behind a request that hangs are stored at once', async () => {
    const { User, server, storage, outbox } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
    const user = await User.load(1);
    let answer: () => void = () => undefined;
    server.fault = () => new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    user.name = 'Grace';
    const saved = user.save();
    await expect.poll(() => server.log.length).toBe(2);
    user.mail = 'g@h.i';
    const again = user.save();
    const erased = user.erase();
    await expect.poll(async () => (await storage.all()).at(-1)?.data).toContain('"action":"destroy"');
    server.fault = () => undefined;
    answer();
    await Promise.all([saved, again, erased]);
    expect(server.table('users').size).toBe(0);
    expect(outbox.size).toBe(0);
  });

  test('reject() leaves a queued update as it was saved, and drop() takes it back', async () => {
    const { User, outbox, server, storage } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.fault = () => 'before';
    user.name = 'Grace';
    await quiet(user.save());
    user.reject();
    expect([user.name, user.$.queued]).toEqual(['Grace', true]);
    expect(await storage.all()).toHaveLength(1);
    await outbox.discard({ key: user.$.key });
    expect([user.name, user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
    expect(await storage.all()).toEqual([]);
  });
});

describe('a scope', () => {
  test('is required when an outbox is opened', async () => {
    for (const scope of ['', undefined, 7])
      await expect(openOutbox({ scope: scope as string, storage: disk() })).rejects.toMatchObject({
        ...{ name: 'OutboxError', code: 'outbox-scope' },
      });
  });

  test('does not show the entries of another scope, and clear() removes those of the scope it names', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    server.fault = () => undefined;
    const other = await startApp({ server, storage: first.storage, scope: 'user-8' });
    expect([other.outbox.size, other.outbox.entries, other.outbox.failed]).toEqual([0, [], []]);
    expect(new Store({ model: other.User }).count).toBe(0);
    await other.outbox.send();
    expect(server.log).toHaveLength(1);
    expect(await other.outbox.clear()).toEqual([]);
    const dropped = await other.outbox.clear('user-7');
    expect(dropped).toMatchObject([{ scope: 'user-7', entry: { model: 'user', values: { name: 'Ada' } } }]);
    expect(await first.storage.all()).toEqual([]);
  });
});

describe('a stored entry', () => {
  test('contains no address or header, and is encrypted with its parameters when `encrypt` is given', async () => {
    const server = modelServer();
    const first = await startApp({
      server,
      encrypt: async (text) => btoa(text),
      decrypt: (data) => atob(data),
    });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save({ headers: { Authorization: 'secret' }, params: { q: 'mine' } }));
    const [item] = await first.storage.all();
    expect(item?.data).not.toMatch(/Ada|mine/);
    const text = atob(item?.data ?? '');
    expect(text).toMatch(/Ada.*mine/);
    expect(text).not.toMatch(/secret|model\.test|users/);
    const blind = await startApp({ server, storage: first.storage });
    expect(only(blind.outbox)).toMatchObject({ state: 'unreadable', error: { code: 'outbox-decrypt' } });
    await blind.outbox.drained();
    const second = await startApp({ server, storage: first.storage, encrypt: btoa, decrypt: atob });
    server.fault = () => undefined;
    await second.outbox.send();
    // The headers of the first request are not known any more.
    expect(only(second.outbox)).toMatchObject({ state: 'unconfirmed' });
    await second.outbox.retry(only(second.outbox));
    await second.outbox.send();
    expect(server.table('users').size).toBe(1);
  });

  test('of an older version is migrated, and of a newer version is kept unread', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    server.fault = () => undefined;
    const { storage } = first;
    const lost = await startApp({ server, storage, version: 2 });
    expect(only(lost.outbox).error).toMatchObject({ code: 'outbox-migrate' });
    const thrown = await startApp({ server, storage, version: 2, migrate: () => [] as never });
    expect(only(thrown.outbox).error).toMatchObject({ code: 'outbox-migrate' });
    const second = await startApp({
      ...{ server, storage, version: 2 },
      migrate: (entry, from) => ({ ...entry, values: { ...entry.values, mail: `from ${from}` } }),
    });
    expect(second.outbox.entries).toMatchObject([{ version: 2, values: { name: 'Ada', mail: 'from 1' } }]);
    await quiet(second.User.load(1));
    server.fault = () => 'before';
    await second.outbox.send();
    await quiet(new second.User({ name: 'Eve' }).save());
    const older = await startApp({ server, storage });
    const write = only(older.outbox);
    expect(write).toMatchObject({ state: 'unreadable', error: { code: 'outbox-version' } });
    await older.outbox.discard(write);
    await older.outbox.discard(older.outbox.entries[0] as OutboxEntry);
    expect(await storage.all()).toEqual([]);
  });

  test('with an unknown model or field is kept and listed as failed', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    server.fault = () => undefined;
    const { storage } = first;
    const outbox = await openOutbox({ scope: 'user-7', storage, clock: first.clock });
    expect(only(outbox)).toMatchObject({ state: 'unreadable', error: { code: 'outbox-model' } });
    await outbox.send();
    await outbox.drained();
    const second = await startApp({
      ...{ server, storage, version: 2 },
      migrate: (entry) => ({ ...entry, values: { nickname: 'A' } }),
    });
    await second.outbox.send();
    expect(only(second.outbox)).toMatchObject({ state: 'failed', error: { code: 'outbox-field' } });
    expect(await storage.all()).toHaveLength(1);
  });
});

describe('a storage that fails', () => {
  const failing = (): TestStorage & { fails: boolean } => {
    const inner = disk();
    const guarded =
      <A extends unknown[], R>(method: (...given: A) => Promise<R>) =>
      (...given: A): Promise<R> =>
        storage.fails
          ? Promise.reject(new OutboxError('outbox-quota', { what: 'write', why: 'full' }))
          : method(...given);
    const storage = {
      ...{ ...inner, fails: false },
      append: guarded(inner.append),
      update: guarded(inner.update),
      remove: guarded(inner.remove),
    };
    return storage;
  };

  test('makes a save that waits for another record reject, with `queued` unset', async () => {
    const storage = failing();
    const { User, Task, outbox, server } = await startApp({ storage });
    server.fault = () => 'before';
    const [users, tasks] = [new Store({ model: User }), new Store({ model: Task })];
    const [user] = users.add({ name: 'Ada' });
    await quiet(user?.save() as Promise<unknown>);
    const [task] = tasks.add({ title: 'a', userId: user?.getId() as number });
    storage.fails = true;
    const { failures } = await tasks.sync();
    expect(failures.map(({ error }) => [error.code, error.queued])).toEqual([['dependency', undefined]]);
    await expect(task?.save()).rejects.toSatisfy(({ code, queued }) => code === 'dependency' && !queued);
    storage.fails = false;
    await expect(task?.save()).rejects.toMatchObject({ code: 'dependency', queued: true });
    expect(outbox.size).toBe(2);
  });

  test('rejects the save before anything is sent, and the record stays dirty', async () => {
    const storage = failing();
    const { User, Task, outbox, server } = await startApp({ storage });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    storage.fails = true;
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-quota', retryable: true });
    expect([user.dirty, server.log.length, outbox.size]).toEqual([true, 1, 0]);
    await expect(user.erase()).rejects.toMatchObject({ code: 'outbox-quota' });
    const store = new Store({ model: Task.with({ proxy: { batchActions: true } }) });
    store.add({ title: 'a' }, { title: 'b' });
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['outbox-quota', 'outbox-quota']);
    storage.fails = false;
    await user.save();
    expect(server.table('users').get(1)?.name).toBe('Grace');
    expect(outbox.size).toBe(0);
  });

  test('keeps neither of two saves of one record that it refuses', async () => {
    const storage = failing();
    const { User, outbox, server } = await startApp({ storage });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: null });
    const user = await User.load(1);
    storage.fails = true;
    user.name = 'Grace';
    const first = user.save();
    user.mail = 'g@example.com';
    const outcomes = await Promise.allSettled([first, user.save()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([outbox.size, user.dirty]).toEqual([0, true]);
    storage.fails = false;
    await outbox.send();
    expect([server.log.length, await storage.all()]).toEqual([1, []]);
  });

  test('reports the problem, and a listener that throws does not stop later writes', async () => {
    const storage = failing();
    const uncaught = vi.fn();
    const mine = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
    try {
      const { User, server } = await startApp({
        storage,
        onProblem: () => {
          throw new Error('of the listener');
        },
      });
      server.table('users').set(1, { id: 1, name: 'Ada' });
      const user = await User.load(1);
      user.name = 'Grace';
      server.fault = () => {
        storage.fails = true;
        return undefined;
      };
      await user.save();
      user.name = 'Ida';
      storage.fails = false;
      server.fault = () => undefined;
      await user.save();
      expect(server.table('users').get(1)?.name).toBe('Ida');
      await vi.waitFor(() => expect(uncaught).toHaveBeenCalled());
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const each of mine) process.on('uncaughtException', each);
    }
  });

  test.each([
    ['no text', () => new ArrayBuffer(4) as never, '`encrypt` must give text, not object'],
    ['nothing', () => Promise.reject(undefined), 'undefined'],
  ])('receives no data that could not be read back: `encrypt` gives %s', async (_, encrypt, why) => {
    const { User, server } = await startApp({ encrypt, decrypt: (data) => data });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ code: 'outbox-storage', message: expect.stringContaining(why) });
    expect(server.log.length).toBe(1);
  });

  test('refuses to drop a write, which is still sent unless it is dropped later', async () => {
    for (const give of ['drop', 'clear'] as const) {
      const storage = failing();
      const { User, outbox, server } = await startApp({ storage });
      server.table('users').set(1, { id: 1, name: 'Ada' });
      const user = await User.load(1);
      server.fault = () => 'before';
      user.name = 'Grace';
      await quiet(user.save());
      storage.fails = true;
      const given = give === 'drop' ? outbox.discard(outbox.entries[0] as OutboxEntry) : outbox.clear();
      await expect(given).rejects.toMatchObject({ code: 'outbox-quota' });
      storage.fails = false;
      expect([outbox.size, user.name]).toEqual([1, 'Grace']);
      await outbox.discard(outbox.entries[0] as OutboxEntry);
      server.fault = () => undefined;
      await outbox.send();
      expect([outbox.size, server.table('users').get(1)?.name]).toEqual([0, 'Ada']);
    }
  });

  test.each(['save', 'drop'] as const)(
    'stores nothing of a refused %s when an earlier failed change is stored again',
    async (way) => {
      const storage = failing();
      const { User, outbox, server } = await startApp({ storage });
      for (const id of [1, 2]) server.table('users').set(id, { id, name: 'Ada' });
      const [one, two] = [await User.load(1), await User.load(2)];
      server.fault = () => {
        storage.fails = true;
        return 422;
      };
      one.name = 'first';
      await quiet(one.save());
      const progressOf = async () => (await storage.all()).map(({ progress }) => JSON.parse(progress ?? '{}').state);
      expect(await progressOf()).toEqual(['attempted']);
      server.fault = () => 'before';
      if (way === 'save') one.name = 'second';
      const given = way === 'save' ? one.save() : outbox.discard(only(outbox));
      await expect(given).rejects.toMatchObject({ code: 'outbox-quota' });
      storage.fails = false;
      two.name = 'other';
      await quiet(two.save());
      expect(await progressOf()).toEqual(['refused', 'attempted']);
      const [item] = await storage.all();
      expect(item?.data).toMatch(/"first"/);
      expect(outbox.entries).toMatchObject([{ state: 'failed', values: { name: 'first' } }, { state: 'queued' }]);
    },
  );

  test('reports a failure after a write was answered, and removes the entry with the next write', async () => {
    const storage = failing();
    const { User, outbox, server } = await startApp({ storage });
    server.fault = () => {
      storage.fails = true;
      return undefined;
    };
    const user = new User({ name: 'Ada' });
    await user.save();
    expect(outbox.problems.map(({ code }) => code)).toEqual(['outbox-quota']);
    expect([outbox.size, (await storage.all()).length]).toEqual([0, 1]);
    storage.fails = false;
    server.fault = () => undefined;
    user.name = 'Grace';
    await user.save();
    expect(await storage.all()).toEqual([]);
  });
});

describe('several tabs', () => {
  test('send each write once, and every tab shows the result', async () => {
    const server = modelServer();
    const storage = sharedStorage();
    const locks = fakeLocks();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    server.table('users').set(2, { id: 2, name: 'Eve' });
    const first = await startApp({ server, storage, locks });
    const user = await first.User.load(1);
    const gone = await first.User.load(2);
    const fresh = new first.User({ name: 'New' });
    const child = new first.Task({ title: 'write', userId: fresh.id });
    server.fault = () => 'before';
    user.name = 'Grace';
    await Promise.all([user.save(), gone.erase(), fresh.save()].map(quiet));
    await quiet(child.save());
    server.fault = () => undefined;
    const tabs = await Promise.all([startApp({ server, storage, locks }), startApp({ server, storage, locks })]);
    const stores = tabs.map(({ User }) => new Store({ model: User }));
    const tasks = tabs.map(({ Task }) => new Store({ model: Task }));
    await Promise.all(stores.map((store) => store.load()));
    const before = server.log.length;
    await Promise.all(tabs.map(({ outbox }) => outbox.send()));
    await Promise.all(tabs.map(({ outbox }) => outbox.send()));
    const sent = server.log.slice(before).map(({ method, path }) => `${method} ${path}`);
    expect(sent.sort()).toEqual(['DELETE /users/2', 'PATCH /users/1', 'POST /tasks', 'POST /users']);
    expect(tabs.map(({ outbox }) => outbox.size)).toEqual([0, 0]);
    expect(await storage.all()).toEqual([]);
    for (const store of stores) {
      await store.load();
      expect([...store].map(({ name }) => name)).toEqual(['Grace', 'New']);
      expect([...store.pending.created, ...store.pending.edited]).toEqual([]);
    }
    expect(tasks.flatMap((each) => each.pending.edited)).toEqual([]);
  });

  test('a save does not repeat a create that another tab has sent', async () => {
    const server = modelServer();
    const storage = sharedStorage();
    const locks = fakeLocks();
    const first = await startApp({ server, storage, locks });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    server.fault = () => undefined;
    const [a, b] = await Promise.all([startApp({ server, storage, locks }), startApp({ server, storage, locks })]);
    const store = new Store({ model: (b as typeof a).User });
    await a.outbox.send();
    await store.getAt(0)?.save();
    expect(server.table('users').size).toBe(1);
    expect([...store].map(({ id, phantom, dirty }) => [id, phantom, dirty])).toEqual([[101, false, false]]);
  });
});

describe('close() and pause()', () => {
  test('close() ends all waiting, and later saves are refused', async () => {
    const { User, outbox, server, clock } = await startApp();
    server.fault = () => 'before';
    const user = new User({ name: 'Ada' });
    await quiet(user.save());
    const drained = outbox.drained();
    outbox.pause();
    await outbox.close();
    await outbox.close();
    await drained;
    expect(clock.waiting.filter((ms) => ms > 0 && ms < 30_000)).toEqual([]);
    await expect(new User({ name: 'Eve' }).save()).rejects.toMatchObject({ code: 'outbox-closed' });
    await Promise.all([outbox.send(), outbox.drained()]);
    expect(server.log).toHaveLength(1);
  });

  test('close() called twice resolves both calls when the storage is closed', async () => {
    const storage = disk();
    const { outbox } = await startApp({ storage });
    const log: string[] = [];
    const close = storage.close.bind(storage);
    storage.close = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await close();
      log.push('let go');
    };
    await Promise.all([outbox.close(), outbox.close().then(() => log.push('second'))]);
    expect(log).toEqual(['let go', 'second']);
  });

  test('an outbox opened with `autoStart: false` sends nothing until resume()', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    server.fault = () => undefined;
    const { outbox, clock } = await startApp({ server, storage: first.storage, autoStart: false });
    clock.advance(0);
    clock.advance(100_000);
    expect(server.log).toHaveLength(1);
    outbox.resume();
    await outbox.drained();
    expect(server.table('users').size).toBe(1);
  });
});
