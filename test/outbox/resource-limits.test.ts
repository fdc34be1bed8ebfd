import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { Store } from 'repose';
import { indexedDbStorage, type Outbox, type OutboxStorage, type StorageChange } from 'repose/outbox';
import { describe, expect, test, vi } from 'vitest';
import { modelServer } from './server.js';
import { type App, startApp } from './setting.js';
import { disk, fakeLocks, listed, sharedStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

type Step = 'append' | 'read' | 'update' | 'remove' | 'prune' | 'open' | 'close' | 'watch';

/** A storage that throws at calls which a test names, before it does anything. */
function failing(inner: OutboxStorage, error: unknown = new Error('the disk failed')) {
  const broken = new Set<Step>();
  const check = (step: Step) => {
    if (broken.has(step)) throw error;
  };
  const storage: OutboxStorage = {
    shared: inner.shared,
    open: async (problem) => {
      check('open');
      await inner.open(problem);
    },
    append: async (items) => {
      check('append');
      return inner.append(items);
    },
    read: async (query) => {
      check('read');
      return inner.read(query);
    },
    update: async (...given) => {
      check('update');
      return inner.update(...given);
    },
    remove: async (...given) => {
      check('remove');
      return inner.remove(...given);
    },
    prune: async (query) => {
      check('prune');
      return inner.prune(query);
    },
    watch: (listener) => {
      check('watch');
      return inner.watch(listener);
    },
    close: async () => {
      check('close');
      return inner.close();
    },
  };
  return { storage, broken };
}

const names = (app: Pick<App, 'server'>) =>
  [...app.server.table('users').values()].map((row) => (row as { name: string }).name).sort();

/** Sends everything, for as long as something is sent. */
async function drain(outbox: Outbox): Promise<void> {
  for (let round = 0; round < 5; round += 1) await outbox.send();
}

/** A storage that counts its steps. */
function counting(inner: OutboxStorage) {
  const counts = { append: 0, read: 0, update: 0, remove: 0 };
  const storage: OutboxStorage = {
    ...{ shared: inner.shared, open: (problem) => inner.open(problem), close: () => inner.close() },
    ...{ prune: (query) => inner.prune(query), watch: (listener) => inner.watch(listener) },
    append: (items) => {
      counts.append += 1;
      return inner.append(items);
    },
    read: (query) => {
      counts.read += 1;
      return inner.read(query);
    },
    update: (...given) => {
      counts.update += 1;
      return inner.update(...given);
    },
    remove: (...given) => {
      counts.remove += 1;
      return inner.remove(...given);
    },
  };
  return { storage, counts };
}

describe('records that are saved at the same moment', () => {
  const connection = { online: false, onOnline: () => () => undefined };

  test('share the steps of the storage, and none is made when nothing is sent', async () => {
    const { storage, counts } = counting(disk());
    const { User, outbox } = await startApp({ storage, connection });
    const before = { ...counts };
    const users = Array.from({ length: 250 }, (_, at) => new User({ name: `user ${at}` }));
    await Promise.all(users.map((user) => quiet(user.save())));
    expect(outbox.entries.map(({ values }) => values?.['name'])).toEqual(users.map(({ name }) => name));
    expect(counts).toEqual({ ...before, append: before.append + 3 });
  });

  test('are stored without the one that the storage refuses', async () => {
    const inner = disk();
    const isTooBig = (data: string) => data.includes('too big');
    const storage: OutboxStorage = {
      ...inner,
      append: async (items) => {
        if (items.some(({ data }) => isTooBig(data))) throw new Error('the disk is full');
        return inner.append(items);
      },
    };
    const { User, outbox } = await startApp({ storage, connection });
    const names = ['one', 'too big', 'two'];
    const errors = await Promise.all(names.map((name) => quiet(new User({ name }).save())));
    expect(errors.map((error) => (error as { code: string; queued?: boolean }).queued)).toEqual([
      true,
      undefined,
      true,
    ]);
    expect(errors[1]).toMatchObject({ code: 'outbox-storage' });
    expect(outbox.entries.map(({ values }) => values?.['name'])).toEqual(['one', 'two']);
  });

  test('keep the order of a record that is saved twice', async () => {
    const { User, outbox, server } = await startApp({ connection: { ...connection } });
    const [first, other] = [new User({ name: 'first' }), new User({ name: 'other' })];
    const saves = [first.save(), other.save()];
    first.name = 'second';
    saves.push(first.save());
    await Promise.all(saves.map(quiet));
    expect([outbox.size, server.log]).toEqual([2, []]);
    const values = outbox.entries.map((entry) => entry.values?.['name']);
    expect(values).toEqual(['second', 'other']);
  });
});

describe('a storage that throws', () => {
  test.each<Step>(['append', 'read', 'update', 'remove'])(
    'at %s: it is told, nothing is lost that was told as queued, and nothing is sent twice',
    async (step) => {
      const server = modelServer();
      server.fault = (method) => (method === 'POST' ? 'before' : undefined);
      const inner = disk();
      const { storage, broken } = failing(inner);
      const app = await startApp({ server, storage });
      const told: (string | undefined)[] = [];
      app.outbox.status.subscribe(() => told.push(app.outbox.status.get().error?.code));
      const saved: string[] = [];
      const save = async (name: string) => {
        const error = (await quiet(new app.User({ name }).save())) as { queued?: boolean } | undefined;
        if (!(error instanceof Error) || error.queued) saved.push(name);
        return error;
      };
      await save('before');
      broken.add(step);
      await save('offline');
      server.fault = () => undefined;
      await save('online');
      await app.outbox.send();
      expect(told).toContain('outbox-storage');
      broken.clear();
      await save('after');
      await drain(app.outbox);
      // A page that has seen nothing of all this finds what is left.
      const next = await startApp({ server, storage: inner });
      await drain(next.outbox);
      expect(saved).toContain('before');
      expect(saved).toContain('after');
      for (const name of saved) expect(names(app).filter((each) => each === name)).toEqual([name]);
      expect([new Set(names(app)).size, next.outbox.size]).toEqual([names(app).length, 0]);
    },
  );

  test.each<Step>(['open', 'read', 'watch'])(
    'at %s while it is opened: every write fails, and it is told',
    async (step) => {
      const inner = disk();
      const first = await startApp({ storage: inner });
      first.server.fault = () => 'before';
      await quiet(new first.User({ name: 'kept' }).save());
      const { storage, broken } = failing(inner);
      broken.add(step);
      const problems: unknown[] = [];
      const app = startApp({ server: first.server, storage, onProblem: (problem) => problems.push(problem) });
      await expect(app).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-storage' });
      broken.clear();
      first.server.fault = () => undefined;
      const next = await startApp({ server: first.server, storage: inner });
      await next.outbox.send();
      expect(names(next)).toEqual(['kept']);
    },
  );

  test('at prune: it is told, and the outbox works', async () => {
    const inner = disk();
    const first = await startApp({ storage: inner });
    await new first.User({ name: 'Ada' }).save();
    await first.outbox.close();
    const { storage, broken } = failing(inner);
    broken.add('prune');
    const { outbox, User, server } = await startApp({ server: first.server, storage });
    expect(outbox.status.get().error).toMatchObject({ code: 'outbox-storage' });
    await new User({ name: 'Bob' }).save();
    expect([server.table('users').size, outbox.status.get().error]).toEqual([2, undefined]);
  });

  test('at close: it rejects, and everything else is closed', async () => {
    const { storage, broken } = failing(sharedStorage());
    const released = vi.fn();
    const locks = { request: (_: string, held: () => Promise<void>) => held().then(released) };
    const { outbox } = await startApp({ storage: listed(storage), locks });
    broken.add('close');
    await expect(outbox.close()).rejects.toMatchObject({ code: 'outbox-storage' });
    await expect.poll(() => released.mock.calls.length).toBe(1);
  });
});

test('a lock that the browser refuses: the save is queued, and it and later saves of the record are sent', async () => {
  const granted = fakeLocks();
  let refusals = 0;
  const locks: typeof granted = {
    request: (name, callback) => {
      if (refusals === 0 || name.includes('/tab/')) return granted.request(name, callback);
      refusals -= 1;
      return Promise.reject(new Error('The provided callback is no longer runnable.'));
    },
  };
  const app = await startApp({ storage: sharedStorage(), locks });
  const user = new app.User({ name: 'first' });
  refusals = 1;
  expect(await quiet(user.save())).toMatchObject({ queued: true });
  await drain(app.outbox);
  user.name = 'second';
  expect(await quiet(user.save())).not.toBeInstanceOf(Error);
  refusals = 1;
  user.name = 'third';
  expect(await quiet(user.save())).toMatchObject({ queued: true });
  await drain(app.outbox);
  expect([names(app), app.outbox.size]).toEqual([['third'], 0]);
});

test('a lock that the browser refuses to a decision: the decision rejects, and what is saved later is sent', async () => {
  const granted = fakeLocks();
  let isRefused = false;
  const locks: typeof granted = {
    request: (name, callback) => (isRefused ? Promise.reject(new Error('refused')) : granted.request(name, callback)),
  };
  const app = await startApp({ storage: sharedStorage(), locks });
  app.server.fault = () => 'before';
  const user = new app.User({ name: 'first' });
  await quiet(user.save());
  const [write] = app.outbox.entries;
  isRefused = true;
  await expect(app.outbox.discard(write as NonNullable<typeof write>)).rejects.toThrow('refused');
  isRefused = false;
  app.server.fault = () => undefined;
  await drain(app.outbox);
  expect([names(app), app.outbox.size]).toEqual([['first'], 0]);
});

test('a full storage: the save fails, its record stays edited and is not queued, and it is told', async () => {
  const full = Object.assign(new Error('no room'), { name: 'QuotaExceededError' });
  const { storage, broken } = failing(disk(), full);
  const { outbox, User, server } = await startApp({ storage });
  server.table('users').set(1, { id: 1, name: 'Ada' });
  const user = await User.load(1);
  user.name = 'Bea';
  broken.add('append');
  await expect(user.save()).rejects.toMatchObject({ code: 'outbox-quota' });
  expect(user.$.state.get()).toMatchObject({ queued: false, dirty: true, error: { code: 'outbox-quota' } });
  expect(outbox.status.get()).toMatchObject({ waiting: 0, error: { code: 'outbox-quota' } });
  broken.clear();
  await user.save();
  expect([server.table('users').get(1), outbox.status.get().error]).toEqual([{ id: 1, name: 'Bea' }, undefined]);
});

test('a create that is saved again while the storage is full is stored as its record shows it', async () => {
  const storage = disk();
  const full = Object.assign(new Error('no room'), { name: 'QuotaExceededError' });
  const append = storage.append.bind(storage);
  let isFull = true;
  storage.append = async (items) => {
    if (!isFull) return append(items);
    isFull = false;
    throw full;
  };
  const { User, server } = await startApp({ storage });
  const user = new User({ name: 'Ada', mail: 'typed@first' });
  user.mail = 'a@b';
  const saves = [quiet(user.save()), user.save()];
  expect(await saves[0]).toMatchObject({ code: 'outbox-quota' });
  await saves[1];
  const [row] = [...server.table('users').values()];
  expect(row).toMatchObject({ name: 'Ada', mail: 'a@b' });
  expect([user.mail, user.dirty]).toEqual(['a@b', false]);
});

describe('IndexedDB', () => {
  /** An application over a database of its own name, and the connections that it has made. */
  async function openApp(name: string, server = modelServer()) {
    const connections: IDBDatabase[] = [];
    const { open } = indexedDB;
    vi.spyOn(indexedDB, 'open').mockImplementation((...given) => {
      const request = open.apply(indexedDB, given);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    });
    const app = await startApp({ server, locks: fakeLocks(), storage: listed(indexedDbStorage(name)) });
    vi.restoreAllMocks();
    return { ...app, connections };
  }

  async function withQueued(name: string) {
    const server = modelServer();
    server.fault = () => 'before';
    const app = await openApp(name, server);
    const user = new app.User({ name: 'kept' });
    expect(await quiet(user.save())).toMatchObject({ queued: true });
    return { ...app, user };
  }

  test('that the browser closes is opened again: told, and nothing is lost', async () => {
    const { outbox, connections, server, user } = await withQueued('closed');
    for (const connection of connections) forceCloseDatabase(connection as never);
    await expect.poll(() => outbox.status.get().error).toMatchObject({ code: 'outbox-disconnected' });
    expect(user.$.queued).toBe(true);
    server.fault = () => undefined;
    await outbox.send();
    expect([names({ server }), outbox.size, outbox.status.get().error]).toEqual([['kept'], 0, undefined]);
  });

  test('that the user deletes is told, and what was told as queued is still sent by this page', async () => {
    const { outbox, User, server, user } = await withQueued('deleted');
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase('deleted');
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error as Error);
    });
    await expect.poll(() => outbox.status.get().error).toMatchObject({ code: 'outbox-disconnected' });
    server.fault = () => undefined;
    await quiet(outbox.send());
    expect(outbox.problems.map(({ code }) => code)).toContain('outbox-emptied');
    await quiet(user.save());
    await new User({ name: 'later' }).save();
    await outbox.send();
    expect(names({ server })).toEqual(['kept', 'later']);
  });

  test('that a newer version of the application takes over is told, and what waits is kept for it', async () => {
    const { outbox, User, server } = await withQueued('newer');
    const newer = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('newer', 3);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error as Error);
    });
    await expect.poll(() => outbox.status.get().error).toMatchObject({ code: 'outbox-version' });
    server.fault = () => undefined;
    await quiet(outbox.send());
    expect(await quiet(new User({ name: 'new' }).save())).toMatchObject({ code: 'outbox-version' });
    expect(names({ server })).toEqual([]);
    const kept = newer.transaction('changes').objectStore('changes').count();
    await new Promise((resolve) => {
      kept.onsuccess = resolve;
    });
    expect(kept.result).toBe(1);
    newer.close();
  });

  test.each([
    ['there is none', undefined],
    [
      'it refuses, as in a private window',
      {
        open: () => {
          throw new DOMException('denied', 'SecurityError');
        },
      },
    ],
  ])('where %s: `ready` rejects, it is told, and a save fails without a request', async (_, factory) => {
    const { indexedDB: real } = globalThis;
    globalThis.indexedDB = factory as unknown as IDBFactory;
    try {
      const server = modelServer();
      const app = await startApp({ server, locks: fakeLocks() });
      const { Outbox } = await import('repose/outbox');
      const outbox = new Outbox({ scope: 'a', storage: indexedDbStorage('private'), locks: fakeLocks() });
      await expect(outbox.ready).rejects.toMatchObject({ code: 'outbox-storage' });
      expect(outbox.status.get()).toMatchObject({ waiting: 0, error: { code: 'outbox-storage' } });
      const User = app.User.with({ proxy: { use: [outbox] } });
      const user = new User({ name: 'Ada' });
      await expect(user.save()).rejects.toMatchObject({ code: 'outbox-storage' });
      expect([server.log, user.$.queued]).toEqual([[], false]);
    } finally {
      globalThis.indexedDB = real;
    }
  });
});

test('a save reads no outcomes of earlier saves of its record', async () => {
  let read = 0;
  const decrypt = (text: string) => {
    read += 1;
    return Promise.resolve(text);
  };
  const { server, User } = await startApp({ encrypt: (text) => Promise.resolve(text), decrypt });
  server.table('users').set(1, { id: 1, name: 'a' });
  const user = await User.load(1);
  const perSave: number[] = [];
  for (let at = 0; at < 8; at += 1) {
    const before = read;
    user.name = `b${at}`;
    await user.save();
    perSave.push(read - before);
  }
  expect(perSave.at(-1)).toBe(perSave.at(1));
});

describe('thousands of waiting changes', () => {
  test('a change in another tab is read alone', async () => {
    const shared = sharedStorage();
    const server = modelServer();
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const locks = fakeLocks();
    const first = await startApp({ server, locks, storage: shared.tab(), autoStart: false });
    await Promise.all(Array.from({ length: 50 }, (_, at) => quiet(new first.User({ name: `n${at}` }).save())));
    const tab = shared.tab();
    let itemsRead = 0;
    const counting: OutboxStorage = {
      ...tab,
      read: async (query) => {
        const view = await tab.read(query);
        itemsRead += view.items.length;
        return view;
      },
    };
    const second = await startApp({ server, locks, storage: counting, autoStart: false });
    const store = new Store({ model: second.User });
    expect([itemsRead, store.count]).toEqual([50, 50]);
    itemsRead = 0;
    const user = new first.User({ name: 'new' });
    await quiet(user.save());
    await expect.poll(() => store.count).toBe(51);
    user.name = 'newer';
    await quiet(user.save());
    const theirs = store.getRange().find((each) => each.$.key === user.$.key);
    await expect.poll(() => theirs?.name).toBe('newer');
    expect(itemsRead).toBeLessThan(15);
    server.fault = () => undefined;
    // The first save repeats the create, the second one sends the update behind it.
    await user.save();
    await user.save();
    await expect.poll(() => theirs?.phantom).toBe(false);
    await expect.poll(() => [theirs?.$.queued, theirs?.dirty, second.outbox.size]).toEqual([false, false, 50]);
    expect(itemsRead).toBeLessThan(25);
  });

  test('a change that is told under another name of its record is found with the others', async () => {
    const shared = sharedStorage();
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@x' });
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const locks = fakeLocks();
    const tab = shared.tab();
    let tell: (change: StorageChange) => void = () => undefined;
    const silent: OutboxStorage = {
      ...tab,
      watch: (listener) => {
        tell = listener;
        return () => undefined;
      },
    };
    const first = await startApp({ server, locks, storage: shared.tab(), autoStart: false });
    const second = await startApp({ server, locks, storage: silent, autoStart: false });
    const store = new Store({ model: second.User });
    await store.load();
    const [mine, theirs] = [await first.User.load(1), store.getById(1)];
    mine.name = 'Bea';
    await quiet(mine.save());
    tell({ scope: 'user-7', records: ['user/number/1'] });
    await expect.poll(() => theirs?.name).toBe('Bea');
    // An older page names the record by its key.
    const [item] = await shared.all();
    const stored = JSON.parse(item?.data ?? '') as { change: Record<string, unknown> };
    const change = { ...stored.change, values: { mail: 'new' }, base: { mail: 'a@x' } };
    const data = JSON.stringify({ ...stored, change });
    await shared.append([{ scope: 'user-7', record: String(stored.change['key']), data }]);
    tell({ scope: 'user-7', records: [String(stored.change['key'])] });
    await expect.poll(() => theirs?.mail).toBe('new');
    expect([theirs?.name, second.outbox.entries.map(({ values }) => values)]).toEqual([
      'Bea',
      [{ name: 'Bea', mail: 'new' }],
    ]);
  });
});
