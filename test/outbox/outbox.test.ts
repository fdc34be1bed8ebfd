import { Model, NetworkError, Store, sync } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { live, models } from './setting.js';

describe('writes that are answered', () => {
  test('leave nothing in the outbox', async () => {
    const { User, outbox, server } = await live();
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

  test('are durable before they are sent', async () => {
    const { User, storage, server } = await live();
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

describe('writes that go in one request', () => {
  test('go as they were saved: an id that is edited while they are being noted names none of them', async () => {
    const inner = memoryStorage();
    let noting = () => undefined as unknown;
    const storage = Object.assign(Object.create(inner) as typeof inner, {
      change: async (changes: Parameters<typeof inner.change>[0]) => {
        noting();
        await inner.change(changes);
      },
    });
    const { User, outbox, server } = await live({ storage });
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

describe('an update without an answer', () => {
  test('rejects as queued, and is sent again when it is due', async () => {
    const { User, outbox, server, clock } = await live();
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

  test('is sent without edits that were made since and not saved', async () => {
    const { User, outbox, server } = await live();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b.c' });
    const user = await User.load(1);
    server.fault = () => 'before';
    user.name = 'Grace';
    await user.save().catch(() => undefined);
    user.mail = 'draft';
    server.fault = () => undefined;
    await outbox.flush();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace', mail: 'a@b.c' });
    expect(user.$.modified).toEqual({ mail: 'draft' });
    expect(outbox.size).toBe(0);
  });

  test('is found after a reload, laid over the row and sent', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b.c' });
    const first = await live({ server });
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const user = await first.User.load(1);
    user.set({ name: 'Grace', joined: new Date(5), amount: '1.50', big: 12345678901234567890n, tags: [{ a: 1 }] });
    const { key } = user.$;
    await user.save().catch(() => undefined);

    const { User, outbox, storage } = await live({ server, storage: first.storage });
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
    await outbox.flush();
    expect(server.table('users').get(1)).toMatchObject({ name: 'Grace', mail: 'a@b.c', amount: '1.50' });
    expect(found?.dirty).toBe(false);
    expect(await storage.all()).toEqual([]);
  });
});

describe('a create without an answer', () => {
  test('goes under its key again, also after a reload, and is done once', async () => {
    const server = modelServer();
    const first = await live({ server });
    server.fault = () => 'after';
    // Not in the order of the fields: under a key the body must be the same to the byte.
    const user = new first.User({ tags: ['a'], name: 'Ada' });
    user.mail = 'a@b.c';
    await expect(user.save()).rejects.toMatchObject({ code: 'network', queued: true });
    expect(server.table('users').size).toBe(1);

    const { User, outbox } = await live({ server, storage: first.storage });
    const store = new Store({ model: User });
    expect(store.getNewRecords().map((each) => [each.name, each.$.key])).toEqual([['Ada', user.$.key]]);
    server.fault = () => undefined;
    await outbox.flush();
    expect(server.table('users').size).toBe(1);
    expect(store.getNewRecords()).toEqual([]);
    expect([...store].map((each) => each.id)).toEqual([101]);
    expect(outbox.size).toBe(0);
  });

  test('without a key is in doubt and waits for a decision', async () => {
    const server = modelServer();
    const first = await live({ server, keys: false });
    server.fault = () => 'after';
    const user = new first.User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ code: 'network', inDoubt: true });
    expect(first.outbox.failed).toMatchObject([{ state: 'unconfirmed', entry: { action: 'create' } }]);

    const { outbox } = await live({ server, storage: first.storage, keys: false });
    server.fault = () => undefined;
    await outbox.flush();
    expect(server.log).toHaveLength(1);
    const [write] = outbox.failed;
    expect(write?.state).toBe('unconfirmed');
    await outbox.retry(write as never);
    await outbox.flush();
    expect(server.table('users').size).toBe(2);
    expect(outbox.size).toBe(0);
  });
});

describe('an erase without an answer', () => {
  test('is hidden, sent again, and done when the record is gone', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const first = await live({ server });
    const store = new Store({ model: first.User });
    await store.load();
    server.fault = () => 'after';
    await expect(store.getAt(0)?.erase()).rejects.toMatchObject({ queued: true });
    expect(store.count).toBe(0);

    server.table('users').set(1, { id: 1, name: 'Ada' });
    const second = await live({ server, storage: first.storage });
    const again = new Store({ model: second.User });
    server.fault = () => undefined;
    await again.load();
    expect(again.count).toBe(0);
    server.table('users').delete(1);
    await second.outbox.flush();
    expect(second.outbox.size).toBe(0);
    expect(server.log.at(-1)?.method).toBe('DELETE');
  });

  test('is not given up for a save that waits behind it', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await live({ server });
    const user = await User.load(1);
    user.name = 'Grace';
    server.fault = () => 'before';
    const erased = user.erase();
    const saved = user.save();
    await expect(erased).rejects.toMatchObject({ queued: true });
    await expect(saved).rejects.toMatchObject({ queued: true });
    await expect(user.save()).rejects.toMatchObject({ queued: true });
    expect(outbox.entries).toMatchObject([{ action: 'destroy' }]);
    server.fault = () => undefined;
    await outbox.flush();
    expect(server.table('users').size).toBe(0);
    expect(server.log.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  test('that is refused later is told of, and what waits behind it is not sent', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await live({ server, withEtags: true });
    const store = new Store({ model: User });
    await store.load();
    const user = store.getAt(0) as InstanceType<typeof User>;
    // Comes with its ETag.
    await user.load();
    user.name = 'Grace';
    server.fault = () => 'before';
    await expect(user.erase()).rejects.toMatchObject({ queued: true });
    server.fault = () => undefined;
    server.table('users').set(1, { id: 1, name: 'theirs' });
    const told: unknown[] = [];
    outbox.on('failed', ({ entry, error }) => told.push([entry?.action, error]));
    const waiting: Promise<unknown>[] = [];
    // As an application that sees the record come back, which is before the outbox has stored that its erase failed.
    store.on('change', () => {
      if (waiting.length === 0 && store.indexOf(user) >= 0) waiting.push(user.save(), store.sync());
    });
    await outbox.flush();
    await expect.poll(() => waiting.length).toBe(2);
    await expect(waiting[0]).rejects.toMatchObject({ code: 'conflict', operation: { action: 'destroy' } });
    expect(await waiting[1]).toMatchObject({ failures: [{ error: { code: 'conflict' } }] });
    await expect.poll(() => told).toMatchObject([['destroy', { code: 'conflict' }]]);
    const entries = [{ action: 'destroy', state: 'failed' }];
    expect(outbox.entries).toMatchObject(entries);
    expect(user.$.modified).toEqual({ name: 'Grace' });
    expect(await store.sync()).toMatchObject({ failures: [{ error: { code: 'conflict' } }] });
    expect(outbox.entries).toMatchObject(entries);
    expect(server.log.filter(({ method }) => method === 'PATCH')).toEqual([]);
    // Whoever goes on with the record has decided.
    await user.load();
    user.name = 'Edith';
    expect(await store.sync()).toMatchObject({ failures: [] });
    expect(outbox.entries).toEqual([]);
  });

  test('behind a create that is in doubt stays so after a reload: the record is not shown, and goes', async () => {
    const first = await live();
    const { server } = first;
    server.fault = () => 'after';
    const user = new first.User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ queued: true });
    await expect(user.erase()).rejects.toMatchObject({ queued: true });
    const { User, outbox } = await live({ server, storage: first.storage });
    const store = new Store({ model: User });
    expect(store.count).toBe(0);
    server.fault = () => undefined;
    await outbox.flush();
    await outbox.drained();
    expect(server.table('users').size).toBe(0);
    expect(store.count).toBe(0);
    expect(store.getRemovedRecords()).toEqual([]);
  });

  test('is not given up for a sync that waits behind it', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const { User, outbox } = await live({ server });
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
    expect((await synced).failures).toMatchObject([{ error: { queued: true } }]);
    expect(outbox.entries).toMatchObject([{ action: 'destroy' }]);
    server.fault = () => undefined;
    await outbox.flush();
    expect(server.table('users').size).toBe(0);
    expect(outbox.size).toBe(0);
  });
});

describe('references', () => {
  test('a child waits for its parent and gets the new id, also after a reload', async () => {
    const server = modelServer();
    const first = await live({ server });
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

    const { User, Task, outbox } = await live({ server, storage: first.storage });
    const again = new Store({ model: Task });
    expect(again.getNewRecords().map(({ title }) => title)).toEqual(['write']);
    new Store({ model: User });
    server.fault = () => undefined;
    await outbox.flush();
    await outbox.drained();
    const [id] = [...server.table('users').keys()];
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: id }]);
    expect(again.getAt(0)?.userId).toBe(id);
    expect(outbox.size).toBe(0);
  });
});

describe('a reference to a new record that went with its process', () => {
  test('is to none of those that are made since, and is not sent', async () => {
    const server = modelServer();
    const first = await live({ server });
    server.fault = () => 'before';
    const lost = new first.User({ name: 'Ada' });
    const task = new first.Task({ title: 'write', userId: lost.id });
    await expect(task.save()).rejects.toMatchObject({ code: 'dependency', queued: true });
    const { User, Task, outbox } = await live({ server, storage: first.storage });
    server.fault = () => undefined;
    // Has the temporary id that the lost one had.
    const other = new User({ name: 'Grace' });
    expect(other.id).toBe(lost.id);
    const tasks = new Store({ model: Task });
    const users = new Store({ model: User });
    users.add(other);
    expect(tasks.getAt(0)?.userId).not.toBe(other.id);
    const { failures } = await sync([tasks, users]);
    expect(failures).toMatchObject([{ error: { code: 'dependency', reason: 'parent-gone' } }]);
    await outbox.flush();
    expect(outbox.failed).toMatchObject([{ state: 'held' }]);
    expect(server.table('tasks').size).toBe(0);
    // Another one is named instead.
    (tasks.getAt(0) as InstanceType<typeof Task>).userId = other.id;
    (await tasks.sync()).orThrow();
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: other.id }]);
    expect(outbox.size).toBe(0);
  });

  test('is not sent where it was made since the create was first sent', async () => {
    const server = modelServer();
    const first = await live({ server });
    server.fault = () => 'after';
    const task = new first.Task({ title: 'write' });
    await expect(task.save()).rejects.toMatchObject({ queued: true });
    task.userId = new first.User({ name: 'Ada' }).id;
    await expect(task.save()).rejects.toMatchObject({ queued: true });
    const { User, Task, outbox } = await live({ server, storage: first.storage });
    server.fault = () => undefined;
    const other = new User({ name: 'Grace' });
    const users = new Store({ model: User });
    const tasks = new Store({ model: Task });
    users.add(other);
    expect(tasks.getAt(0)?.userId).not.toBe(other.id);
    (await users.sync()).orThrow();
    await outbox.flush();
    expect(server.table('tasks').size).toBe(1);
    expect(server.log.map(({ body }) => body?.userId).filter((id) => typeof id === 'number' && id !== 0)).toEqual([]);
    expect(outbox.failed).toMatchObject([{ state: 'held', entry: { action: 'update' } }]);
  });
});

describe('a store with an outbox of its own', () => {
  test('keeps what it syncs and what its records save, whatever proxy their class has', async () => {
    const { server, outbox, clock } = await live();
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
    await outbox.flush();
    expect(outbox.size).toBe(0);
    expect([...store].map(({ name, dirty, phantom }) => [name, dirty, phantom])).toEqual([
      ['Grace', false, false],
      ['New', false, false],
    ]);
  });

  test('shares the record of a write with others that read it', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'old' });
    const first = await live({ server });
    const user = await first.User.load(1);
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    user.name = 'Grace';
    await user.save().catch(() => undefined);
    const { User, outbox } = await live({ server, storage: first.storage });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'new' });
    const loaded = await User.load(1);
    const store = new Store({ model: User });
    await store.load();
    expect(store.getAt(0)).toBe(loaded);
    expect([loaded.name, loaded.mail, loaded.dirty]).toEqual(['Grace', 'new', true]);
    // Read while it was queued, the row says that it is done.
    server.table('users').set(1, { id: 1, name: 'Grace', mail: 'new' });
    await store.reload();
    await expect.poll(() => outbox.size).toBe(0);
    expect(loaded.dirty).toBe(false);
  });
});

describe('two models of one name', () => {
  const define = (url: string, config: object, name: { name?: string } = {}) =>
    Model.define({ ...name, fields: { id: 'int', text: 'string' }, proxy: { type: 'rest', url, ...config } });

  test('are refused on opening: the writes of one would be taken for those of the other', async () => {
    const [A, B] = [define('/a', {}), define('/b', {})];
    const open = (...both: (typeof A)[]) => Outbox.open({ scope: 'me', storage: memoryStorage(), models: both });
    await expect(open(A, B)).rejects.toMatchObject({ code: 'outbox-names' });
    await expect(open(A, B)).rejects.toThrow("Two models are called 'record'");
    await (await open(A, A.with({ proxy: { url: '/c' } }))).close();
  });

  test('are refused when the second is first seen, and nothing of it is sent', async () => {
    const outbox = await Outbox.open({ scope: 'me', storage: memoryStorage(), autoStart: false });
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
