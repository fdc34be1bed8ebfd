import { Store } from 'repose';
import type { OutboxEntry } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { type App, startApp } from './setting.js';
import { fakeLocks, sharedStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** An update that the server has carried out without a response, and refused when it was sent again. */
async function refusedAfterDone(app: App): Promise<InstanceType<App['User']>> {
  const { User, outbox, server } = app;
  server.table('users').set(1, { id: 1, name: 'Ada' });
  const user = await User.load(1);
  server.fault = (method) => (method === 'GET' ? undefined : 'after');
  user.name = 'Grace';
  await quiet(user.save());
  server.fault = (method) => (method === 'GET' ? undefined : 422);
  await outbox.send();
  expect(outbox.failed.map(({ state }) => state)).toEqual(['failed']);
  return user;
}

describe('drop() of a write that was sent', () => {
  test('shows the value that an attempt without a response has given to the row', async () => {
    const app = await startApp();
    const user = await refusedAfterDone(app);
    await app.outbox.discard(app.outbox.failed[0] as { key: string });
    await expect.poll(() => user.name).toBe('Grace');
    expect([user.dirty, app.outbox.size]).toEqual([false, 0]);
  });

  test('shows it after the next flush() if the row cannot be read at once', async () => {
    const app = await startApp();
    const user = await refusedAfterDone(app);
    app.server.fault = () => 'before';
    await app.outbox.discard(app.outbox.failed[0] as { key: string });
    await app.outbox.send();
    expect(user.name).toBe('Ada');
    app.server.fault = () => undefined;
    await app.outbox.send();
    expect(user.name).toBe('Grace');
  });

  test('leaves nothing behind a save that then has nothing to send', async () => {
    const { server, User, outbox } = await startApp();
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    await quiet(user.set({ name: 'Grace' }).save());
    await outbox.discard({ key: user.$.key });
    await user.save();
    user.commit();
    expect([user.name, user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  });

  test('shows it in the other tabs', async () => {
    const storage = sharedStorage();
    const options = { locks: fakeLocks(), autoStart: false };
    const first = await startApp({ ...options, storage: storage.tab() });
    first.server.table('users').set(1, { id: 1, name: 'Ada' });
    const second = await startApp({ ...options, server: first.server, storage: storage.tab() });
    const users = new Store({ model: second.User });
    await users.load();
    const theirs = users.getAt(0) as InstanceType<typeof second.User>;
    await refusedAfterDone(first);
    await expect.poll(() => theirs.name).toBe('Grace');
    await first.outbox.discard(first.outbox.failed[0] as { key: string });
    await expect.poll(() => second.outbox.size).toBe(0);
    await second.outbox.send();
    await expect.poll(() => [theirs.name, theirs.dirty]).toEqual(['Grace', false]);
  });

  test.each(['save', 'erase'] as const)(
    'erases the record here if the %s was refused because it is gone',
    async (way) => {
      const { User, outbox, server } = await startApp();
      server.table('users').set(1, { id: 1, name: 'Ada' });
      const users = new Store({ model: User });
      await users.load();
      const user = users.getAt(0) as InstanceType<typeof User>;
      server.fault = () => 'before';
      user.name = 'Grace';
      await quiet(way === 'save' ? user.save() : user.erase());
      server.table('users').delete(1);
      server.fault = () => undefined;
      await outbox.send();
      for (const write of outbox.failed) await outbox.discard(write);
      await expect.poll(() => [user.erased, users.count, outbox.size]).toEqual([true, 0, 0]);
    },
  );

  test('reads nothing if the write was never sent', async () => {
    let online = true;
    const connection = {
      get online() {
        return online;
      },
      onOnline: () => () => undefined,
    };
    const { User, outbox, server } = await startApp({ connection });
    server.table('users').set(1, { id: 1, name: 'Ada' });
    const user = await User.load(1);
    online = false;
    user.name = 'Grace';
    await quiet(user.save());
    await outbox.discard(outbox.entries[0] as OutboxEntry);
    online = true;
    await outbox.send();
    expect([user.name, server.log.map(({ method }) => method)]).toEqual(['Ada', ['GET']]);
  });
});

test('a record that another tab has created and erased by the id of its row disappears', async () => {
  const server = modelServer();
  const storage = sharedStorage();
  const locks = fakeLocks();
  const options = { server, locks, autoStart: false };
  const first = await startApp({ ...options, storage: storage.tab() });
  server.fault = (method) => (method === 'POST' ? 'after' : undefined);
  await quiet(new first.User({ name: 'Ada' }).save());
  // This tab shows the create, and has not read the row.
  const second = await startApp({ ...options, storage: storage.tab() });
  const shown = new Store({ model: second.User });
  expect(shown.count).toBe(1);
  // The other tab has read the row, which it cannot know to be that of the create, and erases it.
  const row = await first.User.load(101);
  server.fault = (method) => (method === 'DELETE' ? 'before' : undefined);
  await quiet(row.erase());
  server.fault = (method) => (method === 'DELETE' ? 'before' : undefined);
  await first.outbox.send();
  await expect.poll(() => shown.getAt(0)?.id).toBeUndefined();
  server.fault = () => undefined;
  await first.outbox.send();
  await expect.poll(() => [second.outbox.size, shown.count, server.table('users').size]).toEqual([0, 0, 0]);
});
