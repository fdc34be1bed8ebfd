import { decide, idempotency, Model, plain, rollback, Store, sync, uuid } from 'repose';
import { type FailedWrite, type OutboxEntry, OutboxError } from 'repose/outbox';
import { describe, expect, test, vi } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { startApp } from './setting.js';
import { disk, fakeLocks, sharedStorage } from './shared-storage.js';

/** A connection that is offline until a test sets `online`. */
function line() {
  const listeners = new Set<() => void>();
  return {
    online: false,
    listeners,
    onOnline(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const quiet = () => undefined;

describe('Outbox in several tabs', () => {
  test('does not send a queued write again that a later tab has sent', async () => {
    const shared = { storage: sharedStorage(), locks: fakeLocks(), keys: false };
    const connection = line();
    const first = await startApp({ ...shared, connection });
    await new first.User({ name: 'A' }).save().catch(quiet);
    const second = await startApp({ ...shared, server: first.server });
    await second.outbox.send();
    connection.online = true;
    await first.outbox.send();
    expect(first.server.table('users').size).toBe(1);
    expect([first.outbox.size, second.outbox.size]).toEqual([0, 0]);
  });

  test('gives a new record that another tab has created its id when it is saved', async () => {
    const shared = { storage: sharedStorage(), locks: fakeLocks(), keys: false };
    const connection = line();
    const first = await startApp({ ...shared, connection });
    const user = new first.User({ name: 'A' });
    await user.save().catch(quiet);
    const second = await startApp({ ...shared, server: first.server });
    await second.outbox.send();
    connection.online = true;
    await user.save();
    expect([first.server.table('users').size, user.id, user.phantom]).toEqual([1, 101, false]);
  });

  test('refuses retry() of a failed write that another tab has already retried', async () => {
    const shared = { storage: sharedStorage(), locks: fakeLocks(), keys: false };
    const first = await startApp(shared);
    first.server.fault = () => 422;
    await new first.User({ name: 'A' }).save().catch(quiet);
    const second = await startApp({ ...shared, server: first.server });
    first.server.fault = () => undefined;
    await second.outbox.retry(second.outbox.failed[0] as FailedWrite);
    await second.outbox.send();
    const failed = first.outbox.failed[0] as FailedWrite;
    await expect(first.outbox.retry(failed)).rejects.toMatchObject({ code: 'outbox-state' });
    await first.outbox.send();
    expect(first.server.table('users').size).toBe(1);
    expect(first.outbox.failed).toEqual([]);
  });

  test('sends nothing that only a tab of a newer version can read', async () => {
    const shared = { storage: sharedStorage(), locks: fakeLocks(), keys: false };
    const connection = line();
    const older = await startApp({ ...shared, connection });
    const user = new older.User({ name: 'A' });
    await user.save().catch(quiet);
    const { server } = older;
    const newer = await startApp({ ...shared, server, version: 2, migrate: (entry) => entry });
    server.fault = () => 'after';
    await newer.outbox.send();
    server.fault = () => undefined;
    connection.online = true;
    await older.outbox.send();
    await older.outbox.drained();
    await expect(user.save()).rejects.toMatchObject({ code: 'outbox-unconfirmed' });
    const states = [older, newer].map(({ outbox }) => outbox.failed.map(({ state }) => state));
    expect([states, server.table('users').size]).toEqual([[['unconfirmed'], ['unconfirmed']], 1]);
    // A write of the newer tab is left to it.
    server.fault = () => 'before';
    const task = new newer.Task({ title: 'new' });
    await task.save().catch(quiet);
    const later = await startApp({ ...shared, server });
    expect(later.outbox.failed).toMatchObject([
      { state: 'unconfirmed' },
      { state: 'unreadable', error: { code: 'outbox-version' } },
    ]);
  });
});

describe('Outbox', () => {
  test('does not listen to the connection if it could not be opened', async () => {
    const connection = line();
    const storage = { ...disk(), shared: false, open: () => Promise.reject(new Error('no')) };
    await expect(openOutbox({ scope: 'a', storage, connection })).rejects.toThrow('no');
    expect(connection.listeners.size).toBe(0);
  });

  test.each([
    ['that lacks required members', { values: null, dependsOn: undefined }],
    ['of another scope', { scope: 'other' }],
  ])('keeps an entry %s, and does not send it', async (_, wrong) => {
    const storage = disk();
    const sound = { version: 1, scope: 'user-7', model: 'user', key: 'k', action: 'create', values: { name: 'A' } };
    const rest = { base: {}, dependsOn: {}, attempts: 0, createdAt: 1, seq: 1, state: 'queued' };
    const data = JSON.stringify({ format: 1, entry: { ...sound, ...rest, ...wrong } });
    await storage.open(() => undefined);
    await storage.append([{ record: 'k', scope: 'user-7', data }]);
    const { outbox, server } = await startApp({ storage });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ key: 'k', state: 'unreadable', error: { code: 'outbox-migrate' } }]);
    expect(server.log).toEqual([]);
    expect(await storage.all()).toHaveLength(1);
  });

  test('does not store a write again that was cleared in flight and is then refused', async () => {
    const { outbox, server, storage, User } = await startApp();
    let answer: (status: number) => void = quiet;
    server.fault = () => new Promise((resolve) => (answer = resolve));
    const saved = new User({ name: 'A' }).save().catch(quiet);
    await vi.waitFor(() => expect(server.log).toHaveLength(1));
    const cleared = outbox.clear();
    answer(422);
    await saved;
    expect(await cleared).toHaveLength(1);
    expect(outbox.size).toBe(0);
    expect(await storage.all()).toEqual([]);
  });

  test('sends the same bytes for a create after a reload, and then the later edits', async () => {
    const server = modelServer();
    const storage = disk();
    const clock = manualClock();
    const declare = () => {
      class Box extends Model.define({
        name: 'box',
        fields: {
          id: 'int',
          name: 'string',
          size: {
            type: 'string',
            mapping: ({ w, h }) => (w === undefined ? undefined : `${w}x${h}`),
            serialize: (size: string) => {
              const [w, h] = size.split('x').map(Number);
              return { w, h };
            },
          },
          state: { type: 'string', defaultValue: 'open' },
        },
        proxy: {
          ...{ type: 'rest', url: '/boxes', baseUrl: 'http://model.test', dialect: plain(), clock },
          ...{ fetch: server.fetch, use: [idempotency()] },
        },
      }) {}
      return Box;
    };
    const open = (Box: ReturnType<typeof declare>) => openOutbox({ scope: 'a', storage, clock, models: [Box] });
    const Box = declare();
    const Mine = Box.with({ proxy: { use: [await open(Box)] } });
    server.fault = () => 'before';
    const box = new Mine({ name: 'A', size: '1x2' });
    box.set({ state: undefined } as never);
    await box.save().catch(quiet);
    box.size = '3x4';
    await box.save().catch(quiet);
    server.fault = () => undefined;
    const outbox = await open(declare());
    await outbox.send();
    await outbox.drained();
    const bodies = server.log.map(({ method, body }) => `${method} ${JSON.stringify(body)}`);
    const create = 'POST {"name":"A","w":1,"h":2}';
    expect(bodies).toEqual([create, create, create, 'PATCH {"w":3,"h":4}']);
  });

  test.each(['a storage that was closed', 'an `encrypt` that throws'])(
    'keeps a write queued despite %s',
    async (what) => {
      const storage = disk();
      let broken = false;
      const { append, update } = storage;
      const closed = what.startsWith('a storage');
      const isClosed = () => broken && closed;
      const refuse = () => Promise.reject(new OutboxError('outbox-closed'));
      storage.append = (items) => (isClosed() ? refuse() : append(items));
      storage.update = (...given) => (isClosed() ? refuse() : update(...given));
      const encrypt = (text: string) => {
        if (broken) throw new Error('no key');
        return text;
      };
      const { outbox, server, User } = await startApp({
        storage,
        ...(!closed && { encrypt, decrypt: (text) => text }),
      });
      server.fault = () => 'before';
      await new User({ name: 'A' }).save().catch(quiet);
      broken = true;
      await outbox.send();
      expect([outbox.failed, server.log.length]).toEqual([[], 1]);
      await expect(new User({ name: 'B' }).save()).rejects.toMatchObject({ name: 'OutboxError' });
      broken = false;
      server.fault = () => undefined;
      await outbox.send();
      expect([outbox.size, server.table('users').size]).toEqual([0, 1]);
    },
  );

  test.each([true, false])('ends a create that decide(record, row) has confirmed (keys: %s)', async (keys) => {
    const { outbox, server, storage, User, Task } = await startApp({ keys });
    server.fault = () => 'after';
    const user = new User({ name: 'A' });
    await user.save().catch(quiet);
    outbox.pause();
    const task = new Task({ title: 't', userId: user.getId() as number });
    await task.save().catch(quiet);
    user.name = 'B';
    server.fault = () => undefined;
    decide(user, server.table('users').get(101) ?? null);
    expect([user.phantom, user.id, user.dirty]).toEqual([false, 101, true]);
    await vi.waitFor(async () => expect(await storage.all()).toHaveLength(1));
    outbox.resume();
    await outbox.drained();
    expect([outbox.size, server.table('users').size, server.table('tasks').get(102)?.userId]).toEqual([0, 1, 101]);
  });

  test('shows a record again when its queued erase is cleared', async () => {
    const { outbox, server, User } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const store = new Store({ model: User });
    await store.load();
    server.fault = () => 'before';
    await store.getAt(0)?.erase().catch(quiet);
    expect(store.count).toBe(0);
    await outbox.clear();
    expect(store.count).toBe(1);
  });

  test('retries after a short delay when the clock was set back', async () => {
    const { outbox, server, clock, User } = await startApp();
    clock.advance(10_000_000);
    server.fault = () => 'before';
    await new User({ name: 'A' }).save().catch(quiet);
    server.fault = () => undefined;
    clock.advance(-5_000_000);
    outbox.resume();
    clock.advance(1000);
    await vi.waitFor(() => expect(outbox.size).toBe(0));
  });

  test('keeps the client-generated id of a new record over a reload', async () => {
    const [server, storage, clock] = [modelServer(), disk(), manualClock()];
    const declare = () => {
      class Doc extends Model.define({
        name: 'doc',
        identifier: uuid(),
        fields: { id: 'string', name: 'string' },
        proxy: {
          ...{ type: 'rest', url: '/docs', baseUrl: 'http://model.test', dialect: plain(), clock },
          ...{ fetch: server.fetch, use: [idempotency()], writer: { writeRecordId: true } },
        },
      }) {}
      return Doc;
    };
    const open = (Doc: ReturnType<typeof declare>) => openOutbox({ scope: 'a', storage, clock, models: [Doc] });
    const Doc = declare();
    const Mine = Doc.with({ proxy: { use: [await open(Doc)] } });
    server.fault = () => 'after';
    const doc = new Mine({ name: 'A' });
    const id = doc.getId() as string;
    await doc.save().catch(quiet);
    server.fault = () => undefined;
    const Next = declare();
    const outbox = await open(Next);
    const store = new Store({ model: Next.with({ proxy: { use: [outbox] } }) });
    expect(store.getById(id)?.name).toBe('A');
    await outbox.send();
    await outbox.drained();
    expect(server.log.map(({ body }) => body?.id)).toEqual([id, id]);
    expect([outbox.size, server.table('docs').size]).toEqual([0, 1]);
  });

  test.each(['sequential', 'negative'] as const)(
    'repeats a create with the %s id that it was first sent with, over a reload',
    async (identifier) => {
      const [server, storage, clock] = [modelServer(), disk(), manualClock()];
      const declare = () =>
        class Doc extends Model.define({
          ...{ name: 'doc', identifier },
          fields: { id: 'auto', name: 'string' },
          proxy: {
            ...{ type: 'rest', url: '/docs', baseUrl: 'http://model.test', dialect: plain(), clock },
            ...{ fetch: server.fetch, use: [idempotency()], writer: { clientIdProperty: 'cid' } },
          },
        }) {};
      const open = (Doc: ReturnType<typeof declare>) => openOutbox({ scope: 'a', storage, clock, models: [Doc] });
      const Doc = declare();
      const Mine = Doc.with({ proxy: { use: [await open(Doc)] } });
      server.fault = () => 'after';
      for (const name of ['A', 'B']) await new Mine({ name }).save().catch(quiet);
      server.fault = () => undefined;
      const Next = declare();
      const outbox = await open(Next);
      // The new record gets the first id of this process.
      const Bound = Next.with({ proxy: { use: [outbox] } });
      const other = new Bound({ name: 'C' });
      const store = new Store({ model: Bound });
      store.add(other);
      expect(new Set([...store].map((doc) => doc.getId())).size).toBe(3);
      await outbox.send();
      await outbox.drained();
      const bodies = server.log.map(({ body }) => JSON.stringify(body));
      expect(bodies.slice(2)).toEqual(bodies.slice(0, 2));
      expect([outbox.size, server.table('docs').size]).toEqual([0, 2]);
    },
  );

  test('has no entry left from a sync that was rolled back', async () => {
    const { outbox, server, User } = await startApp();
    for (const id of [1, 2, 3]) server.table('users').set(id, { id, name: 'old' });
    const store = new Store({ model: User });
    await store.load();
    const [first, second, third] = [1, 2, 3].map((id) => store.getById(id));
    third?.set({ name: 'saved' });
    server.fault = () => 'before';
    await third?.save().catch(quiet);
    const earlier = outbox.entries;
    first?.set({ name: 'new' });
    store.remove(second as never);
    third?.set({ name: 'new' });
    const { failures } = await store.sync({ onFailure: rollback });
    expect(failures.map(({ error }) => Boolean(error.queued))).toEqual([false, false, false]);
    server.fault = () => undefined;
    expect(outbox.entries).toEqual(earlier);
    await outbox.send();
    expect([1, 2, 3].map((id) => server.table('users').get(id)?.name)).toEqual(['old', 'old', 'saved']);
    expect([first?.name, first?.dirty, third?.name, third?.dirty]).toEqual(['new', true, 'new', true]);
    expect(store.pending.removed).toEqual([second]);
  });

  test('has no erase left from a sync that was rolled back, and the record is shown again', async () => {
    const { outbox, server, User } = await startApp();
    server.table('users').set(1, { id: 1, name: 'old' });
    const store = new Store({ model: User });
    await store.load();
    store.removeAll();
    server.fault = () => 'before';
    await store.sync({ onFailure: rollback });
    expect([outbox.size, store.count, store.pending.removed]).toEqual([0, 1, []]);
  });

  test('keeps a create of a rolled-back sync as unconfirmed if it may have succeeded', async () => {
    const { outbox, server, User, Task } = await startApp();
    const [users, tasks] = [new Store({ model: User }), new Store({ model: Task })];
    const [user] = users.add({ name: 'Ada' } as never);
    tasks.add({ title: 'a', userId: user?.id } as never);
    server.fault = () => 'after';
    const { failures } = await sync([users, tasks], { onFailure: rollback });
    expect(failures.map(({ error }) => Boolean(error.queued))).toEqual([false, false]);
    expect(outbox.failed.map(({ state, record }) => [state, record])).toEqual([['unconfirmed', user]]);
    server.fault = () => undefined;
    await outbox.send();
    expect(server.log).toHaveLength(1);
    const again = await sync([users, tasks], { onFailure: rollback });
    expect([again.failures, outbox.size, server.table('users').size, server.table('tasks').size]).toEqual([
      [],
      0,
      1,
      1,
    ]);
  });

  test('sends nothing that was edited after a create whose undo got no response', async () => {
    const { outbox, server, storage, User } = await startApp({ keys: false });
    const store = new Store({ model: User });
    const [user] = store.add({ name: 'typed' }, { name: 'bad' });
    server.fault = (method) => {
      if (method === 'DELETE') return 'before';
      if (server.log.at(-1)?.body?.['name'] === 'bad') return 422;
      user?.set({ name: 'edited' });
      return undefined;
    };
    await store.sync({ onFailure: rollback, concurrency: 1 });
    server.fault = () => undefined;
    expect([user?.name, user?.$.unconfirmed]).toEqual(['edited', true]);
    await outbox.close();
    const next = await startApp({ server, storage, keys: false });
    const entry = next.outbox.entries.find(({ state }) => state === 'unconfirmed') as OutboxEntry;
    expect([entry.values, entry.later]).toEqual([{ name: 'typed' }, undefined]);
    await next.outbox.confirm(entry, { id: 101 });
    await next.outbox.drained();
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'typed' }]);
  });

  test('does not undo a write later that a rollback could not undo', async () => {
    const { outbox, server, User } = await startApp();
    for (const id of [1, 2]) server.table('users').set(id, { id, name: 'old' });
    const store = new Store({ model: User });
    await store.load();
    for (const user of store) user.name = 'new';
    const faults = [undefined, 422, 'before'] as const;
    let at = 0;
    server.fault = () => faults[at++];
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(outcomes.map(({ error, undoError }) => [error?.code, undoError?.code])).toEqual([
      [undefined, 'not-undone'],
      ['validation', undefined],
    ]);
    await outbox.send();
    await outbox.drained();
    expect([outbox.size, server.table('users').get(1)?.name]).toEqual([0, 'new']);
  });

  test('does not clear a field that repair() has set', async () => {
    const { outbox, server, User, storage } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a' });
    const user = await User.load(1);
    user.set({ mail: undefined } as never);
    server.fault = () => 422;
    await user.save().catch(quiet);
    await outbox.repair({ key: user.$.key }, { mail: 'b' });
    outbox.pause();
    await vi.waitFor(() => expect(outbox.failed).toHaveLength(1));
    server.fault = () => undefined;
    const next = await startApp({ server, storage });
    await next.outbox.retry({ key: user.$.key });
    await next.outbox.drained();
    expect(server.table('users').get(1)).toMatchObject({ mail: 'b' });
  });

  test('does not store a dropped or cleared write again that was being stored', async () => {
    const slow = async (text: string) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return text;
    };
    const { outbox, server, storage, User } = await startApp({ encrypt: slow, decrypt: (text) => text });
    server.fault = () => 'before';
    const user = new User({ name: 'A' });
    await user.save().catch(quiet);
    outbox.pause();
    // Each of these calls stores the same write.
    const retrying = outbox.retry({ key: user.$.key });
    await outbox.discard({ key: user.$.key });
    await retrying.catch(quiet);
    expect([outbox.size, await storage.all()]).toEqual([0, []]);
    const saved = new User({ name: 'B' }).save().catch(quiet);
    expect(await outbox.clear()).toMatchObject([{ entry: { values: { name: 'B' } } }]);
    await saved;
    expect([outbox.size, await storage.all()]).toEqual([0, []]);
  });
});

describe('OutboxEntry', () => {
  test("contains no address in a stored error, not even from the server's response", async () => {
    const { outbox, storage, User } = await startApp({
      server: {
        ...modelServer(),
        fetch: () =>
          Promise.resolve(
            Response.json(
              {
                type: 'https://api.test/taken',
                detail: 'See http://api.test/users?token=abc',
                instance: 'http://api.test/1?token=abc',
              },
              { status: 422, headers: { 'Content-Type': 'application/problem+json' } },
            ),
          ),
      },
    });
    await new User({ name: 'A' }).save().catch(quiet);
    const [item] = await storage.all();
    expect(item?.data).not.toContain('token');
    expect(outbox.entries[0]?.error).toMatchObject({ problem: { type: 'https://api.test/taken', detail: 'See …' } });
  });
});
