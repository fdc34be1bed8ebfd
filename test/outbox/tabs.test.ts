import { Store } from 'repose';
import { Outbox, OutboxError, type StoredChange } from 'repose/outbox';
import { describe, expect, test, vi } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { modelServer } from './server.js';
import { type App, models, startApp } from './setting.js';
import { disk, fakeLocks, sharedStorage, type TestStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);

/** The changes that a storage keeps, in their order. */
async function changesIn(storage: TestStorage): Promise<StoredChange[]> {
  return (await storage.all()).map(({ data }) => (JSON.parse(data) as { change: StoredChange }).change);
}

/** Two tabs over one storage, which are not told what the other one stores, and a server that cannot be reached. */
async function twoTabs(prepare?: (first: App) => Promise<unknown>): Promise<[App, App, TestStorage]> {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@x' });
  server.fault = (method) => (method === 'GET' ? undefined : 'before');
  const shared = { server, storage: sharedStorage(), locks: fakeLocks() };
  const first = await startApp(shared);
  await prepare?.(first);
  return [first, await startApp(shared), shared.storage];
}

describe('a save in one tab', () => {
  test('stores nothing that another tab has saved since', async () => {
    const [first, second, storage] = await twoTabs();
    const [mine, theirs] = [await first.User.load(1), await second.User.load(1)];
    mine.name = 'Bea';
    await quiet(mine.save());
    theirs.mail = 'b@x';
    await quiet(theirs.save());
    expect((await changesIn(storage)).map(({ values }) => values)).toEqual([{ name: 'Bea' }, { mail: 'b@x' }]);
  });

  test('stores nothing of a restored record that another tab has saved since', async () => {
    let own: { name: string | undefined; save(): Promise<unknown> } | undefined;
    const [, second, storage] = await twoTabs(async ({ User }) => {
      own = new User({ name: 'New', mail: 'n@x' });
      await quiet(own.save());
    });
    const store = new Store({ model: second.User });
    const restored = store.getAt(0) as InstanceType<App['User']>;
    if (!own) throw new Error('the first tab has made no record');
    own.name = 'Newer';
    await quiet(own.save());
    restored.mail = 'm@x';
    await quiet(restored.save());
    const [, ...later] = await changesIn(storage);
    expect(later.map(({ action, values }) => [action, values])).toEqual([
      ['update', { name: 'Newer' }],
      ['update', { mail: 'm@x' }],
    ]);
  });

  test('updates the record that another tab has created meanwhile, and creates no second one', async () => {
    const [first, second] = await twoTabs(({ User }) => quiet(new User({ name: 'New' }).save()));
    const restored = new Store({ model: second.User }).getAt(0) as InstanceType<App['User']>;
    first.server.fault = () => undefined;
    await first.outbox.send();
    expect(restored.phantom).toBe(true);
    restored.mail = 'm@x';
    await restored.save();
    const writes = first.server.log.filter(({ method }) => method !== 'GET' && method !== 'POST');
    expect(writes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/users/101', { mail: 'm@x' }],
    ]);
    expect(first.server.table('users').size).toBe(2);
  });
});

test('two saves before the outbox is open are stored in the order of their calls', async () => {
  const storage = disk();
  const clock = manualClock();
  const server = modelServer();
  server.fault = () => 'before';
  const outbox = new Outbox({ scope: 'user-7', storage, clock });
  const User = models(server, clock, true).User.with({ proxy: { use: [outbox] } });
  const user = new User({ name: 'Ada' });
  const first = quiet(user.save());
  user.name = 'Bea';
  await Promise.all([first, quiet(user.save())]);
  const stored = await changesIn(storage);
  expect(stored.map(({ action, values }) => [action, values['name']])).toEqual([
    ['create', 'Ada'],
    ['update', 'Bea'],
  ]);
});

test('a save behind one without a response is told as queued only if it was stored', async () => {
  const memory = disk();
  let appends = 0;
  const storage: TestStorage = {
    ...memory,
    append: async (items) => {
      appends += 1;
      if (appends === 2)
        throw new OutboxError('outbox-storage', { what: 'store a write', why: 'the test lets it fail' });
      return memory.append(items);
    },
  };
  const { User, server } = await startApp({ storage });
  server.table('users').set(1, { id: 1, name: 'Ada' });
  const user = await User.load(1);
  server.fault = () => 'before';
  user.name = 'Bea';
  const first = user.save();
  user.mail = 'b@x';
  const second = user.save();
  await expect(first).rejects.toMatchObject({ queued: true });
  const error = await second.catch((reason: unknown) => reason as OutboxError);
  expect(error).toMatchObject({ code: 'outbox-storage' });
  expect((error as OutboxError).queued).not.toBe(true);
});

test('a storage that throws an error of its own is told, and nothing is told as queued', async () => {
  const memory = disk();
  let isFull = false;
  const storage: TestStorage = {
    ...memory,
    append: async (items) => {
      if (isFull) throw new DOMException('no room', 'QuotaExceededError');
      return memory.append(items);
    },
  };
  const { User, server, outbox } = await startApp({ storage });
  server.table('users').set(1, { id: 1, name: 'Ada' });
  const user = await User.load(1);
  isFull = true;
  user.name = 'Bea';
  await expect(user.save()).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-quota' });
  expect([server.table('users').get(1)?.['name'], user.dirty, outbox.size]).toEqual(['Ada', true, 0]);
});

describe('two tabs', () => {
  test('send the writes of a record in the order in which they were saved, also after a restart', async () => {
    const [first, second] = await twoTabs();
    const [mine, theirs] = [await first.User.load(1), await second.User.load(1)];
    for (const [user, name] of [
      [mine, 'Older'],
      [theirs, 'Newer'],
    ] as const) {
      user.name = name;
      await quiet(user.save());
    }
    await Promise.all([first.outbox.close(), second.outbox.close()]);
    first.server.fault = () => undefined;
    const { outbox } = await startApp({ server: first.server, storage: first.storage, locks: fakeLocks() });
    await outbox.send();
    expect([first.server.table('users').get(1)?.['name'], outbox.size]).toEqual(['Newer', 0]);
  });

  test('take back in both what one of them has dropped', async () => {
    const [first, second] = await twoTabs(async ({ User }) => {
      const user = await User.load(1);
      user.name = 'Bea';
      await quiet(user.save());
    });
    const theirs = await second.User.load(1);
    expect(theirs.name).toBe('Bea');
    await first.outbox.discard(first.outbox.entries[0] as { key: string });
    first.server.fault = () => undefined;
    await second.outbox.send();
    expect([theirs.name, theirs.dirty, second.outbox.size]).toEqual(['Ada', false, 0]);
    expect(first.server.log.filter(({ method }) => method === 'PATCH').length).toBe(1);
  });

  test('send what one has repaired when the other one retries', async () => {
    const [first, second, storage] = await twoTabs(async ({ User, server }) => {
      server.fault = (method) => (method === 'GET' ? undefined : 422);
      const user = await User.load(1);
      user.name = '?';
      await quiet(user.save());
    });
    const [failed] = first.outbox.failed;
    await second.outbox.repair(second.outbox.failed[0] as { key: string }, { name: 'Newer', mail: 'n@x' });
    await second.outbox.send();
    first.server.fault = () => undefined;
    await first.outbox.retry(failed as { key: string });
    await first.outbox.send();
    expect(first.server.table('users').get(1)).toMatchObject({ name: 'Newer', mail: 'n@x' });
    expect(await storage.all()).toEqual([]);
  });

  test('keep a newer write of one while an older one of the other is refused', async () => {
    const [first, second, storage] = await twoTabs(async ({ User }) => {
      const user = await User.load(1);
      user.name = '?';
      await quiet(user.save());
    });
    const theirs = await second.User.load(1);
    let answer: (status: number) => void = () => undefined;
    first.server.fault = (method) => (method === 'GET' ? undefined : new Promise((resolve) => (answer = resolve)));
    const flushed = first.outbox.send();
    await vi.waitFor(() => expect(first.server.log.at(-1)?.body).toEqual({ name: '?' }));
    theirs.name = 'A longer name';
    const saved = quiet(theirs.save());
    await vi.waitFor(async () => expect((await storage.all()).length).toBe(2));
    first.server.fault = () => undefined;
    answer(422);
    await Promise.all([saved, flushed]);
    await second.outbox.send();
    expect([first.server.table('users').get(1)?.['name'], theirs.dirty]).toEqual(['A longer name', false]);
  });

  test('send what a closed one has left, as soon as there is a network', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const shared = { server, storage: sharedStorage(), locks: fakeLocks() };
    const [first, second] = [await startApp(shared), await startApp(shared)];
    const user = await first.User.load(1);
    server.fault = () => 'before';
    user.name = 'Bea';
    await quiet(user.save());
    await first.outbox.close();
    server.fault = () => undefined;
    await second.outbox.send();
    expect([server.table('users').get(1)?.['name'], second.outbox.size]).toEqual(['Bea', 0]);
  });
});
