import { type ConflictError, Model, NetworkError, Store, sync } from 'repose';
import type { FailedWrite, OutboxEntry } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { models, startApp } from './setting.js';
import { disk, type TestStorage } from './shared-storage.js';

describe('writes that are answered', () => {
  test('leave nothing in the outbox', async () => {
    const { User, outbox, server } = await startApp();
    const user = new User({ name: 'Ada' });
    await user.save();
    expect(outbox.size).toBe(0);
    user.name = 'Grace';
    await user.save();
    await user.erase();
    expect(outbox.size).toBe(0);
    expect(server.log.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
    await outbox.drained();
  });

  test('are stored before they are sent', async () => {
    const { User, storage, server } = await startApp();
    const seen: number[] = [];
    server.fault = async () => {
      seen.push((await storage.all()).length);
      return undefined;
    };
    await new User({ name: 'Ada' }).save();
    expect(seen).toEqual([1]);
    expect(await storage.all()).toEqual([]);
  });
});

describe('writes in one bulk request', () => {
  test('are sent as they were saved, though an id is edited while the outbox stores them', async () => {
    const inner = disk();
    let noting = () => undefined as unknown;
    const storage: TestStorage = {
      ...inner,
      append: (items) => {
        noting();
        return inner.append(items);
      },
    };
    const { User, outbox, server } = await startApp({ storage });
    const Mine = User.with({ proxy: { batchActions: true } });
    const [one, two] = [Mine.fromRow({ id: 1, name: 'a' }), Mine.fromRow({ id: 2, name: 'b' })];
    const store = new Store({ model: Mine });
    store.add(one, two);
    one.name = 'c';
    two.name = 'd';
    noting = () => {
      noting = () => undefined;
      one.set({ id: 3, mail: 'later' });
    };
    server.fault = () => Response.json([{ id: 1 }, { id: 2 }]);
    const { failures } = await store.sync();
    expect(failures).toEqual([]);
    expect(server.log.map(({ body }) => body)).toEqual([
      [
        { id: 1, name: 'c' },
        { id: 2, name: 'd' },
      ],
    ]);
    expect([one.$.modified, two.dirty, outbox.size]).toEqual([{ id: 3, mail: 'later' }, false, 0]);
  });
});

describe('an update without a response', () => {
  test('rejects with `queued`, and is sent again after a delay', async () => {
    const { User, outbox, server, clock } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.fault = () => 'before';
    user.name = 'Grace';
    const error = (await user.save().catch((cause: unknown) => cause)) as NetworkError;
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.queued).toBe(true);
    expect(user.$.error?.queued).toBe(true);
    expect(outbox.entries).toMatchObject([
      { action: 'update', id: 1, values: { name: 'Grace' }, base: { name: 'Ada' } },
    ]);
    server.fault = () => undefined;
    clock.advance(1000);
    await outbox.drained();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace' });
    expect(user.dirty).toBe(false);
    expect(user.$.error).toBeUndefined();
  });

  test('is sent again without unsaved later edits', async () => {
    const { User, outbox, server } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b.c' });
    const user = await User.load(1);
    server.fault = () => 'before';
    user.name = 'Grace';
    await user.save().catch(() => undefined);
    user.mail = 'draft';
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace', mail: 'a@b.c' });
    expect(user.$.modified).toEqual({ mail: 'draft' });
    expect(outbox.size).toBe(0);
  });

  test('is found after a reload, shown over the loaded row, and sent', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b.c' });
    const first = await startApp({ server });
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const user = await first.User.load(1);
    user.set({ name: 'Grace', joined: new Date(5), amount: '1.50', big: 12345678901234567890n, tags: [{ a: 1 }] });
    const { key } = user.$;
    await user.save().catch(() => undefined);

    const { User, outbox, storage } = await startApp({ server, storage: first.storage });
    expect(outbox.size).toBe(1);
    const store = new Store({ model: User });
    expect(store.count).toBe(0);
    server.table('users').set(2, { id: 2, name: 'Eve' });
    await store.load();
    const found = store.getById(1);
    expect([...store].map((each) => each.name)).toEqual(['Grace', 'Eve']);
    expect(found?.$.key).toBe(key);
    expect(found?.$.modified).toEqual({
      ...{ name: 'Grace', joined: new Date(5), amount: '1.50', big: 12345678901234567890n, tags: [{ a: 1 }] },
    });
    expect(found?.mail).toBe('a@b.c');
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('users').get(1)).toMatchObject({ name: 'Grace', mail: 'a@b.c', amount: '1.50' });
    expect(found?.dirty).toBe(false);
    expect(await storage.all()).toEqual([]);
  });
});

describe('a create without a response', () => {
  test('is sent again under its key, also after a reload, and creates one record', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'after';
    // The fields are set in another order than declared: under one key the body must be the same to the byte.
    const user = new first.User({ tags: ['a'], name: 'Ada' });
    user.mail = 'a@b.c';
    await expect(user.save()).rejects.toMatchObject({ code: 'network', queued: true });
    expect(server.table('users').size).toBe(1);

    const { User, outbox } = await startApp({ server, storage: first.storage });
    const store = new Store({ model: User });
    expect(store.pending.created.map((each) => [each.name, each.$.key])).toEqual([['Ada', user.$.key]]);
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('users').size).toBe(1);
    expect(store.pending.created).toEqual([]);
    expect([...store].map((each) => each.id)).toEqual([101]);
    expect(outbox.size).toBe(0);
  });

  test('without a key is unconfirmed and waits for a decision', async () => {
    const server = modelServer();
    const first = await startApp({ server, keys: false });
    server.fault = () => 'after';
    const user = new first.User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ code: 'network', unconfirmed: true });
    expect(first.outbox.failed).toMatchObject([{ state: 'unconfirmed', entry: { action: 'create' } }]);

    const { outbox } = await startApp({ server, storage: first.storage, keys: false });
    server.fault = () => undefined;
    await outbox.send();
    expect(server.log).toHaveLength(1);
    const [write] = outbox.failed;
    expect(write?.state).toBe('unconfirmed');
    await outbox.retry(write as never);
    await outbox.send();
    expect(server.table('users').size).toBe(2);
    expect(outbox.size).toBe(0);
  });
});

describe('an erase without a response', () => {
  test('hides the record, is sent again, and ends when the record is gone', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const first = await startApp({ server });
    const store = new Store({ model: first.User });
    await store.load();
    server.fault = () => 'after';
    await expect(store.getAt(0)?.erase()).rejects.toMatchObject({ queued: true });
    expect(store.count).toBe(0);

    server.table('users').set(1, { id: 1, name: 'Ada' });
    const second = await startApp({ server, storage: first.storage });
    const again = new Store({ model: second.User });
    server.fault = () => undefined;
    await again.load();
    expect(again.count).toBe(0);
    server.table('users').delete(1);
    await second.outbox.send();
    expect(second.outbox.size).toBe(0);
    expect(server.log.at(-1)?.method).toBe('DELETE');
  });

  test('is not replaced by a later save of the record', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await startApp({ server });
    const user = await User.load(1);
    user.name = 'Grace';
    server.fault = () => 'before';
    const erased = user.erase();
    const saved = user.save();
    await expect(erased).rejects.toMatchObject({ queued: true });
    await expect(saved).rejects.toMatchObject({ code: 'outbox-erase' });
    await expect(user.save()).rejects.toMatchObject({ code: 'outbox-erase' });
    expect(outbox.entries).toMatchObject([{ action: 'destroy' }]);
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('users').size).toBe(0);
    expect(server.log.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  test('emits `failed` when it is refused later, and writes that wait behind it are not sent', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await startApp({ server, withEtags: true });
    const store = new Store({ model: User });
    await store.load();
    const user = store.getAt(0) as InstanceType<typeof User>;
    // This response contains the ETag.
    await user.load();
    user.name = 'Grace';
    server.fault = () => 'before';
    await expect(user.erase()).rejects.toMatchObject({ queued: true });
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'theirs' });
    const events: unknown[] = [];
    outbox.on('failed', ({ entry, error }) => events.push([entry?.action, error]));
    const waiting: Promise<unknown>[] = [];
    // The record is shown again before the outbox has stored that its erase failed.
    store.on('change', () => {
      if (waiting.length === 0 && store.indexOf(user) >= 0) waiting.push(user.save(), store.sync());
    });
    await outbox.send();
    await expect.poll(() => waiting.length).toBe(2);
    await expect(waiting[0]).rejects.toMatchObject({ code: 'conflict', operation: { action: 'destroy' } });
    expect(await waiting[1]).toMatchObject({ failures: [{ error: { code: 'conflict' } }] });
    await expect.poll(() => events).toMatchObject([['destroy', { code: 'conflict' }]]);
    const entries = [{ action: 'destroy', state: 'failed' }];
    expect(outbox.entries).toMatchObject(entries);
    expect(user.$.modified).toEqual({ name: 'Grace' });
    expect(await store.sync()).toMatchObject({ failures: [{ error: { code: 'conflict' } }] });
    expect(outbox.entries).toMatchObject(entries);
    expect(server.log.filter(({ method }) => method === 'PATCH')).toEqual([]);
    // Loading and editing the record again replaces the failed erase. The name was edited before that of somebody else was read.
    await user.load();
    user.name = 'Edith';
    const [failure] = (await store.sync()).failures;
    const conflict = failure?.error as ConflictError;
    expect(conflict).toMatchObject({ code: 'conflict', base: { name: 'Ada' }, theirs: { name: 'theirs' } });
    expect(server.log.filter(({ method }) => method === 'PATCH')).toEqual([]);
    await conflict.keepMine();
    expect(server.table('users').get(1)).toMatchObject({ name: 'Edith' });
    expect(outbox.entries).toEqual([]);
  });

  describe('that is refused later, behind a save without a response,', () => {
    async function refusedErase() {
      const server = modelServer();
      server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
      const app = await startApp({ server, withEtags: true });
      const { User, outbox } = app;
      const store = new Store({ model: User });
      await store.load();
      const user = store.getAt(0) as InstanceType<typeof User>;
      // This response contains the ETag.
      await user.load();
      server.fault = () => 'after';
      user.name = 'Grace';
      await expect(user.save()).rejects.toMatchObject({ queued: true });
      user.mail = 'draft';
      server.fault = () => 'before';
      await expect(user.erase()).rejects.toMatchObject({ queued: true });
      server.fault = () => undefined;
      const failed: FailedWrite[] = [];
      outbox.on('failed', (write) => void failed.push(write));
      await outbox.send();
      await outbox.drained();
      const methods = () => server.log.map(({ method }) => method).filter((method) => method !== 'GET');
      return { ...app, store, user, failed, methods };
    }

    test('emits `failed`, and nothing of the record is sent until the application decides', async () => {
      const { server, outbox, store, user, failed, methods } = await refusedErase();
      expect(failed).toMatchObject([{ state: 'failed', entry: { action: 'destroy' }, error: { code: 'conflict' } }]);
      expect(await store.sync()).toMatchObject({ failures: [{ error: { operation: { action: 'destroy' } } }] });
      await outbox.send();
      expect(methods()).toEqual(['PATCH', 'DELETE', 'DELETE']);
      expect(store.count).toBe(1);
      await outbox.retry(failed[0] as FailedWrite);
      await outbox.drained();
      expect([methods().at(-1), server.table('users').size, outbox.size, user.erased]).toEqual(['DELETE', 0, 0, true]);
    });

    test('is given up alone by drop(): what was saved before it is sent', async () => {
      const { server, outbox, store, user, failed, methods } = await refusedErase();
      server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
      await outbox.discard(failed[0] as FailedWrite);
      await outbox.drained();
      expect(methods()).toEqual(['PATCH', 'DELETE', 'DELETE', 'PATCH']);
      expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace', mail: '' });
      expect([outbox.size, store.count, user.$.modified]).toEqual([0, 1, { mail: 'draft' }]);
    });

    test('ends with the save before it when takeTheirs() is called', async () => {
      const { server, outbox, user, methods } = await refusedErase();
      await (user.$.error as ConflictError).takeTheirs();
      await expect.poll(() => outbox.size).toBe(0);
      await outbox.drained();
      expect(methods()).toEqual(['PATCH', 'DELETE', 'DELETE']);
      expect([user.name, user.dirty, server.table('users').size]).toEqual(['Grace', false, 1]);
    });
  });

  test('behind an unconfirmed create is not replaced by a sync that is called right after it', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { server, User, outbox } = await startApp();
      const store = new Store({ model: User });
      const [user] = store.add({ name: 'Ada' }) as [InstanceType<typeof User>];
      server.fault = () => 'after';
      await expect(user.save()).rejects.toMatchObject({ queued: true });
      user.name = 'Grace';
      const erased = expect(user.erase()).rejects.toMatchObject({ queued: true });
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      const synced = store.sync();
      await erased;
      for (const { error } of (await synced).outcomes) expect(error).toMatchObject({ code: 'outbox-erase' });
      server.fault = () => undefined;
      await outbox.send();
      await outbox.drained();
      expect([server.log.at(-1)?.method, server.table('users').size, user.erased]).toEqual(['DELETE', 0, true]);
    }
  });

  test('behind an unconfirmed create still hides the record after a reload, and is sent', async () => {
    const first = await startApp();
    const { server } = first;
    server.fault = () => 'after';
    const user = new first.User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ queued: true });
    await expect(user.erase()).rejects.toMatchObject({ queued: true });
    const { User, outbox } = await startApp({ server, storage: first.storage });
    const store = new Store({ model: User });
    expect(store.count).toBe(0);
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    expect(server.table('users').size).toBe(0);
    expect(store.count).toBe(0);
    expect(store.pending.removed).toEqual([]);
  });

  test('is not replaced by an earlier sync that is still waiting', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await startApp({ server });
    const store = new Store({ model: User });
    await store.load();
    const [user] = store;
    (user as InstanceType<typeof User>).name = 'Grace';
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const saved = user?.save();
    const synced = store.sync();
    const erased = user?.erase();
    await expect(saved).rejects.toMatchObject({ queued: true });
    await expect(erased).rejects.toMatchObject({ queued: true });
    expect((await synced).failures).toMatchObject([{ error: { code: 'outbox-erase' } }]);
    expect(outbox.entries).toMatchObject([{ action: 'destroy' }]);
    server.fault = () => undefined;
    await outbox.send();
    expect(server.table('users').size).toBe(0);
    expect(outbox.size).toBe(0);
  });
});

describe('references', () => {
  test("to a new record wait for its create and get the server's id, also after a reload", async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    const users = new Store({ model: first.User });
    const tasks = new Store({ model: first.Task });
    const [user] = users.add({ name: 'Ada' });
    tasks.add({ title: 'write', userId: user?.id as number });
    await users.sync();
    await tasks.sync();
    expect(first.outbox.entries.map(({ model, dependsOn }) => [model, dependsOn])).toEqual([
      ['user', {}],
      ['task', { userId: user?.$.key }],
    ]);

    const { User, Task, outbox } = await startApp({ server, storage: first.storage });
    const again = new Store({ model: Task });
    expect(again.pending.created.map(({ title }) => title)).toEqual(['write']);
    new Store({ model: User });
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    const [id] = [...server.table('users').keys()];
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: id }]);
    expect(again.getAt(0)?.userId).toBe(id);
    expect(outbox.size).toBe(0);
  });

  test('to a new record whose model is unknown here are held until it is known', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    const users = new Store({ model: first.User });
    const tasks = new Store({ model: first.Task });
    const [user] = users.add({ name: 'Ada' });
    tasks.add({ title: 'write', userId: user?.id as number });
    await users.sync();
    await tasks.sync();

    const { User, Task, outbox } = await startApp({ server, storage: first.storage, models: [] });
    server.fault = () => undefined;
    new Store({ model: Task });
    await outbox.send();
    // Nothing is sent without a decision, or a model.
    await outbox.drained();
    expect(outbox.failed.map(({ state }) => state)).toEqual(['unreadable', 'held']);
    new Store({ model: User });
    await outbox.send();
    await outbox.drained();
    expect([server.table('users').size, server.table('tasks').size, outbox.size]).toEqual([1, 1, 0]);
  });
});

describe('a reference to a new record that was lost with its process', () => {
  test('does not point to a later record with the same temporary id, and is not sent', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'before';
    const lost = new first.User({ name: 'Ada' });
    const task = new first.Task({ title: 'write', userId: lost.id });
    // A record that was never saved may never be, so what refers to it is not kept.
    await expect(task.save()).rejects.toSatisfy(({ code, queued }) => code === 'dependency' && !queued);
    expect(first.outbox.size).toBe(0);
    await lost.save().catch(() => undefined);
    await expect(task.save()).rejects.toMatchObject({ code: 'dependency', queued: true });
    await first.outbox.discard(first.outbox.entries[0] as OutboxEntry);
    const { User, Task, outbox } = await startApp({ server, storage: first.storage });
    server.fault = () => undefined;
    // The other record has the temporary id of the lost one.
    const other = new User({ name: 'Grace' });
    expect(other.id).toBe(lost.id);
    const tasks = new Store({ model: Task });
    const users = new Store({ model: User });
    users.add(other);
    expect(tasks.getAt(0)?.userId).not.toBe(other.id);
    const { failures } = await sync([tasks, users]);
    expect(failures).toMatchObject([{ error: { code: 'dependency', reason: 'parent-gone' } }]);
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'held' }]);
    expect(server.table('tasks').size).toBe(0);
    // The task now refers to the other record.
    (tasks.getAt(0) as InstanceType<typeof Task>).userId = other.id;
    (await tasks.sync()).orThrow();
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: other.id }]);
    expect(outbox.size).toBe(0);
  });

  test('is not sent when it was set after the create of the task was first sent', async () => {
    const server = modelServer();
    const first = await startApp({ server });
    server.fault = () => 'after';
    const task = new first.Task({ title: 'write' });
    await expect(task.save()).rejects.toMatchObject({ queued: true });
    task.userId = new first.User({ name: 'Ada' }).id;
    await expect(task.save()).rejects.toMatchObject({ queued: true });
    const { User, Task, outbox } = await startApp({ server, storage: first.storage });
    server.fault = () => undefined;
    const other = new User({ name: 'Grace' });
    const users = new Store({ model: User });
    const tasks = new Store({ model: Task });
    users.add(other);
    expect(tasks.getAt(0)?.userId).not.toBe(other.id);
    (await users.sync()).orThrow();
    await outbox.send();
    expect(server.table('tasks').size).toBe(1);
    expect(server.log.map(({ body }) => body?.userId).filter((id) => typeof id === 'number' && id !== 0)).toEqual([]);
    expect(outbox.failed).toMatchObject([{ state: 'held', entry: { action: 'update' } }]);
  });
});

describe('a store with its own outbox', () => {
  test('queues failed writes of sync() and of its records, whatever proxy their class has', async () => {
    const { server, outbox, clock } = await startApp();
    const { User } = models(server, clock, true);
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const store = new Store({ model: User, proxy: { use: [outbox] } });
    await store.load();
    const [user] = store;
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    (user as InstanceType<typeof User>).name = 'Grace';
    await expect(user?.save()).rejects.toMatchObject({ queued: true });
    store.add({ name: 'New' });
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.queued)).toEqual([true, true]);
    expect(outbox.entries.map(({ action }) => action)).toEqual(['update', 'create']);
    server.fault = () => undefined;
    await outbox.send();
    expect(outbox.size).toBe(0);
    expect([...store].map(({ name, dirty, phantom }) => [name, dirty, phantom])).toEqual([
      ['Grace', false, false],
      ['New', false, false],
    ]);
  });

  test('shares the record of a queued write with other loads of it', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'old' });
    const first = await startApp({ server });
    const user = await first.User.load(1);
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    user.name = 'Grace';
    await user.save().catch(() => undefined);
    const { User, outbox } = await startApp({ server, storage: first.storage });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'new' });
    const loaded = await User.load(1);
    const store = new Store({ model: User });
    await store.load();
    expect(store.getAt(0)).toBe(loaded);
    expect([loaded.name, loaded.mail, loaded.dirty]).toEqual(['Grace', 'new', true]);
    // The queued update is done if the loaded row already has its values.
    server.table('users').set(1, { id: 1, name: 'Grace', mail: 'new' });
    await store.reload();
    await expect.poll(() => outbox.size).toBe(0);
    expect(loaded.dirty).toBe(false);
  });
});

describe('two models with one name', () => {
  const define = (url: string, config: object, name: { name?: string } = {}) =>
    Model.define({ ...name, fields: { id: 'int', text: 'string' }, proxy: { type: 'rest', url, ...config } });

  test('are refused by openOutbox()', async () => {
    const [A, B] = [define('/a', {}), define('/b', {})];
    const open = (...both: (typeof A)[]) => openOutbox({ scope: 'me', storage: disk(), models: both });
    await expect(open(A, B)).rejects.toMatchObject({ code: 'outbox-names' });
    await expect(open(A, B)).rejects.toThrow("Two models are called 'record'");
    // A bound class at another address would be given the writes of the first one, and send them to its own.
    for (const other of [{ url: '/c' }, { baseUrl: 'http://b.test' }])
      await expect(open(A, A.with({ proxy: other }))).rejects.toMatchObject({ code: 'outbox-names' });
    // So would one with other headers, such as those of another tenant; a subclass, and a class bound to an extension, would not.
    const other = A.with({ proxy: { headers: { 'X-Id': '1' } } });
    await expect(open(A, other)).rejects.toMatchObject({ code: 'outbox-names' });
    await (await open(A, class extends A {}, A.with({ proxy: { use: [] } }))).close();
  });

  test('are refused by an outbox of another scope', async () => {
    const A = define('/a', { scope: 'b' });
    const open = (scope: string) => openOutbox({ scope, storage: disk(), models: [A] });
    await expect(open('a')).rejects.toMatchObject({ code: 'outbox-other-scope' });
    await (await open('b')).close();
  });

  test('are refused when the second one is first used, and none of its writes is sent', async () => {
    const outbox = await openOutbox({ scope: 'me', storage: disk(), autoStart: false });
    const sent: string[] = [];
    const config = {
      ...{ use: [outbox], baseUrl: 'http://model.test', noCache: false },
      fetch: async (url: string, { method }: { method: string }) => {
        sent.push(`${method} ${url}`);
        throw new TypeError('fetch failed');
      },
    };
    const [A, B] = [define('/a', config, { name: 'same' }), define('/b', config, { name: 'same' })];
    const [a, b] = [A.fromRow({ id: 1, text: 'a' }), B.fromRow({ id: 1, text: 'b' })];
    a.text = 'x';
    await expect(a.save()).rejects.toMatchObject({ queued: true });
    b.text = 'y';
    await expect(b.save()).rejects.toMatchObject({ code: 'outbox-names' });
    expect(b.$.modified).toEqual({ text: 'y' });
    expect(() => new Store({ model: B })).toThrow("Two models are called 'same'");
    expect(sent).toEqual(['PUT http://model.test/a/1']);
    expect(outbox.entries).toMatchObject([{ id: 1, values: { text: 'x' } }]);
    await outbox.close();
  });
});
