import { Store } from 'repose';
import type { OutboxError, OutboxStorage } from 'repose/outbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { type App, type AppOptions, startApp } from './setting.js';
import { listed, sharedStorage, type TabStorage } from './shared-storage.js';
import { BrowserTabs } from './storage/browser-tabs.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

// A page over plain HTTP has no Web Locks.
const { navigator } = globalThis;
beforeEach(() => Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true }));
afterEach(() => Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true }));

const open: App[] = [];
afterEach(async () => {
  for (const { outbox } of open.splice(0)) await outbox.close().catch(() => undefined);
});

async function start(options: AppOptions): Promise<App> {
  const app = await startApp(options);
  open.push(app);
  return app;
}

const writes = ({ server }: App) =>
  server.log.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [method, path, body]);

/** Lets a page that waits ask whether the page that sends is still there, and wait for the response. */
async function ask(app: App): Promise<void> {
  await expect.poll(() => app.clock.waiting).toContain(30_000);
  app.clock.advance(30_000);
  await expect.poll(() => app.clock.waiting).toContain(5000);
}

/** The pages of one browser over one storage: it makes the storage of each page. */
const browsers = {
  memory: () => {
    const storage = sharedStorage();
    return { page: () => storage.tab(), kill: (page: OutboxStorage) => (page as TabStorage).end() };
  },
  IndexedDB: () => {
    const tabs = new BrowserTabs();
    return { page: () => listed(tabs.createStorage()), kill: (storage: OutboxStorage) => tabs.kill(storage) };
  },
};

describe.each(Object.entries(browsers))('without Web Locks, over %s', (_, browser) => {
  async function twoPages() {
    const server = modelServer();
    const { page, kill } = browser();
    const first = await start({ server, storage: page() });
    const problems: OutboxError[] = [];
    const second = await start({ server, storage: page(), onProblem: (problem) => problems.push(problem) });
    return { first, second, problems, page, kill };
  }

  test('the first page sends; the second one stores, and is told', async () => {
    const { first, second, problems } = await twoPages();
    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['outbox-locks']);
    expect(second.outbox.status.get().error).toMatchObject({ code: 'outbox-locks' });
    expect(first.outbox.status.get().error).toBeUndefined();
    first.outbox.pause();
    const user = new second.User({ name: 'Ada' });
    expect(await quiet(user.save())).toMatchObject({ reason: 'outbox-elsewhere', queued: true });
    await second.outbox.send();
    expect([user.$.queued, writes(second)]).toEqual([true, []]);
    await expect.poll(() => first.outbox.size).toBe(1);
    await first.outbox.send();
    expect(writes(first)).toEqual([['POST', '/users', { name: 'Ada' }]]);
    await expect.poll(() => [user.phantom, user.$.queued, second.outbox.size]).toEqual([false, false, 0]);
  });

  test('the first page sends what the second one stores, without being asked', async () => {
    const { first, second } = await twoPages();
    const user = new second.User({ name: 'Ada' });
    await quiet(user.save());
    await expect.poll(() => user.phantom).toBe(false);
    await new first.User({ name: 'Bob' }).save();
    expect(writes(first).map(([, , body]) => body)).toEqual([{ name: 'Ada' }, { name: 'Bob' }]);
  });

  test('the second page takes over when the first one is closed', async () => {
    const { first, second, problems } = await twoPages();
    await expect.poll(() => problems.length).toBe(1);
    first.outbox.pause();
    const user = new second.User({ name: 'Ada' });
    await quiet(user.save());
    await first.outbox.close();
    await expect.poll(() => user.phantom).toBe(false);
    expect([second.outbox.status.get().error, problems.length]).toEqual([undefined, 1]);
    const third = new second.User({ name: 'Bob' });
    await third.save();
    expect(writes(second).map(([, , body]) => body)).toEqual([{ name: 'Ada' }, { name: 'Bob' }]);
  });

  test('a page takes the place of one that ended without a word, and only when it does not answer', async () => {
    const { first, second, kill, problems } = await twoPages();
    await expect.poll(() => problems.length).toBe(1);
    first.outbox.pause();
    const user = new second.User({ name: 'Ada' });
    await quiet(user.save());
    for (let round = 0; round < 3; round += 1) {
      await expect.poll(() => second.clock.waiting).toContain(30_000);
      second.clock.advance(30_000);
    }
    await expect.poll(() => second.clock.waiting).toContain(30_000);
    expect([user.phantom, problems.length]).toEqual([true, 1]);
    kill(first.storage);
    await ask(second);
    second.clock.advance(4999);
    await second.outbox.send();
    expect(writes(second)).toEqual([]);
    second.clock.advance(1);
    await expect.poll(() => user.phantom).toBe(false);
    expect(writes(second)).toEqual([['POST', '/users', { name: 'Ada' }]]);
  });

  test('a reloaded page sends what its tab has stored before', async () => {
    const { page, kill } = browser();
    const server = modelServer();
    const storage = page();
    const first = await start({ server, storage });
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'Ada' }).save());
    kill(storage);
    server.fault = () => undefined;
    const second = await start({ server, storage: page() });
    const restored = new Store({ model: second.User }).getAt(0);
    expect([restored?.phantom, restored?.$.queued]).toEqual([true, true]);
    await expect.poll(() => second.clock.waiting).toContain(5000);
    second.clock.advance(5000);
    await expect.poll(() => restored?.phantom).toBe(false);
    expect(second.outbox.status.get().error).toBeUndefined();
  });

  test('a page that was suspended, and has lost its place, sends nothing twice', async () => {
    const { first, second, kill, problems } = await twoPages();
    await expect.poll(() => problems.length).toBe(1);
    first.outbox.pause();
    await quiet(new second.User({ name: 'Ada' }).save());
    await expect.poll(() => first.outbox.size).toBe(1);
    // The first page is suspended: it is told nothing, and does not answer.
    kill(first.storage);
    await ask(second);
    second.clock.advance(5000);
    await expect.poll(() => second.outbox.size).toBe(0);
    await quiet(first.outbox.send());
    expect(writes(second)).toHaveLength(1);
  });

  test('a write that the first page may be sending cannot be dropped in the second one', async () => {
    const { first, second } = await twoPages();
    first.server.fault = () => 'before';
    const user = new second.User({ name: 'Ada' });
    await quiet(user.save());
    await expect.poll(() => second.outbox.entries[0]?.attempts).toBe(1);
    const [entry] = second.outbox.entries;
    await expect(second.outbox.discard(entry ?? { key: '' })).rejects.toMatchObject({ code: 'outbox-locks' });
    expect(second.outbox.size).toBe(1);
  });
});
