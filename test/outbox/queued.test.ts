import { Store } from 'repose';
import { type Outbox, OutboxError } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { type App, startApp } from './setting.js';
import { disk, fakeLocks, sharedStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

type User = InstanceType<App['User']>;

/** How a record looks on a screen. */
function look(user: User) {
  const { queued, dirty, error, phantom } = user.$.state.get();
  expect(user.$.queued).toBe(queued);
  return { queued, dirty, failed: error !== undefined, phantom };
}

const clean = { queued: false, dirty: false, failed: false, phantom: false };
const queued = { ...clean, queued: true };
const edited = { ...clean, dirty: true };

/** Notes each look of a record that its source tells. */
function looksOf(user: User): ReturnType<typeof look>[] {
  const told: ReturnType<typeof look>[] = [];
  user.$.state.subscribe(() => {
    const last = told.at(-1);
    const now = look(user);
    if (JSON.stringify(last) !== JSON.stringify(now)) told.push(now);
  });
  return told;
}

function unreachable() {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@x' });
  server.table('users').set(2, { id: 2, name: 'Bob', mail: 'b@x' });
  server.fault = (method) => (method === 'GET' ? undefined : 'before');
  return server;
}

async function settled(outbox: Outbox): Promise<void> {
  await outbox.send();
  await outbox.drained();
}

describe('a record whose write the outbox holds', () => {
  test('looks queued, not edited or failed, until the server has answered', async () => {
    const { User, outbox, server } = await startApp({ server: unreachable() });
    const user = await User.load(1);
    const told = looksOf(user);
    const name = user.$.field('name');
    user.name = 'Bea';
    expect([look(user), name.get().dirty]).toEqual([edited, true]);
    await quiet(user.save());
    expect([look(user), name.get().dirty]).toEqual([queued, false]);
    server.fault = () => undefined;
    await settled(outbox);
    expect([look(user), told]).toEqual([clean, [edited, queued, clean]]);
  });

  test('looks edited as well, if it has a value that is not saved', async () => {
    const { User, server, outbox } = await startApp({ server: unreachable() });
    const user = await User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    user.mail = 'new';
    expect([look(user), user.$.field('name').get().dirty, user.$.field('mail').get().dirty]).toEqual([
      { ...queued, dirty: true },
      false,
      true,
    ]);
    user.name = 'Cleo';
    expect(user.$.field('name').get().dirty).toBe(true);
    user.name = 'Bea';
    expect(user.$.field('name').get().dirty).toBe(false);
    server.fault = () => undefined;
    await settled(outbox);
    expect(look(user)).toEqual(edited);
  });

  test('looks clean of a second value as soon as that is stored too', async () => {
    const { User, outbox } = await startApp({ server: unreachable() });
    outbox.pause();
    const user = await User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    const told = looksOf(user);
    user.mail = 'new';
    await quiet(user.save());
    expect(told).toEqual([{ ...queued, dirty: true }, queued]);
  });

  test('looks failed, and not queued, when the server refuses it, and queued again after retry()', async () => {
    const { User, outbox, server } = await startApp({ server: unreachable() });
    const user = await User.load(1);
    const told = looksOf(user);
    user.name = 'Bea';
    server.fault = (method) => (method === 'GET' ? undefined : 422);
    await quiet(user.save());
    expect(look(user)).toEqual({ ...edited, failed: true });
    outbox.pause();
    const [failed] = outbox.failed;
    if (!failed) throw new Error('nothing failed');
    await outbox.retry(failed);
    expect(look(user)).toMatchObject({ queued: true, dirty: false });
    await outbox.discard(failed);
    expect(look(user)).toMatchObject({ queued: false, dirty: false });
    expect(told.map((each) => each.queued)).toContain(true);
  });

  test('looks the same after a reload', async () => {
    const first = await startApp({ server: unreachable(), storage: disk() });
    const user = await first.User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    await quiet(new first.User({ name: 'New' }).save());
    const store1 = new Store({ model: first.User });
    await store1.load();
    await quiet(store1.getById(2)?.erase() ?? Promise.resolve());
    const second = await startApp({ server: first.server, storage: first.storage });
    const store = new Store({ model: second.User });
    const created = store.getAt(0) as User;
    await store.load();
    const updated = store.getById(1) as User;
    expect([created, updated].map((each) => [each.name, look(each)])).toEqual([
      ['New', { ...queued, phantom: true }],
      ['Bea', queued],
    ]);
    expect(store.status.get()).toMatchObject({ queued: 3, pending: 0 });
    first.server.fault = () => undefined;
    await settled(second.outbox);
    expect([created, updated].map(look)).toEqual([clean, clean]);
    expect(store.status.get()).toMatchObject({ queued: 0, pending: 0 });
  });

  test('looks failed after a reload if it needs a decision', async () => {
    const first = await startApp({ server: unreachable(), storage: disk() });
    first.server.fault = (method) => (method === 'GET' ? undefined : 422);
    const user = await first.User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    const { User, outbox } = await startApp({ server: first.server, storage: first.storage });
    const again = await User.load(1);
    expect(look(again)).toMatchObject({ queued: false, dirty: true });
    expect(outbox.failed[0]?.error).toMatchObject({ code: 'validation', status: 422 });
    expect(outbox.failed[0]?.error).toBeInstanceOf(Error);
  });

  test('looks stuck with the record that it refers to', async () => {
    const { User, Task, outbox, server } = await startApp({ server: unreachable() });
    outbox.pause();
    server.fault = () => 401;
    const user = new User({ name: 'New' });
    await quiet(user.save());
    const task = new Task({ title: 't', userId: user.id });
    await quiet(task.save());
    const told: boolean[] = [];
    task.$.state.subscribe(() => told.push(task.$.state.get().queued));
    expect(task.$.queued).toBe(true);
    server.fault = () => 422;
    await outbox.send();
    expect([user.$.queued, task.$.queued, told.at(-1)]).toEqual([false, false, false]);
    expect(outbox.failed.map(({ state }) => state)).toEqual(['failed', 'held']);
    await outbox.retry(outbox.failed[0] ?? { key: '' });
    expect([task.$.queued, told.at(-1)]).toEqual([true, true]);
  });
});

describe('the status of a store', () => {
  test('counts queued records, and tells each change at once', async () => {
    const { User, outbox, server } = await startApp({ server: unreachable() });
    const store = new Store({ model: User });
    await store.load();
    const told: [number, number][] = [];
    store.status.subscribe(() => {
      const { pending, queued } = store.status.get();
      if (told.at(-1)?.join() !== `${pending},${queued}`) told.push([pending, queued]);
    });
    const user = store.getById(1) as User;
    user.name = 'Bea';
    await quiet(user.save());
    await quiet((store.getById(2) as User).erase());
    expect(told).toEqual([
      [1, 0],
      [0, 1],
      [0, 2],
    ]);
    server.fault = () => undefined;
    await settled(outbox);
    expect(told.at(-1)).toEqual([0, 0]);
  });
});

describe('a record that another tab has saved', () => {
  async function twoTabs() {
    const storage = sharedStorage();
    const shared = { server: unreachable(), locks: fakeLocks(), autoStart: false };
    const first = await startApp({ ...shared, storage: storage.tab() });
    const second = await startApp({ ...shared, storage: storage.tab() });
    return [first, second] as const;
  }

  test('looks queued here, and saved when the other tab has sent it', async () => {
    const [first, second] = await twoTabs();
    const store = new Store({ model: second.User });
    await store.load();
    const theirs = store.getById(1) as User;
    const told = looksOf(theirs);
    const user = await first.User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    await expect.poll(() => look(theirs)).toEqual(queued);
    expect(store.status.get()).toMatchObject({ queued: 1, pending: 0 });
    expect(second.outbox.status.get()).toMatchObject({ waiting: 1, failed: 0 });
    first.server.fault = () => undefined;
    await first.outbox.send();
    await expect.poll(() => look(theirs)).toEqual(clean);
    expect(told.map((each) => each.failed)).not.toContain(true);
    expect(second.outbox.status.get()).toMatchObject({ waiting: 0, failed: 0 });
  });

  test('looks failed here when the server has refused it there, with the error of the server', async () => {
    const [first, second] = await twoTabs();
    const store = new Store({ model: second.User });
    await store.load();
    const theirs = store.getById(1) as User;
    const user = await first.User.load(1);
    user.name = 'Bea';
    await quiet(user.save());
    await expect.poll(() => theirs.$.queued).toBe(true);
    // This tab has an error of its own by then.
    await second.outbox.send();
    first.server.fault = (method) => (method === 'GET' ? undefined : 422);
    await first.outbox.send();
    await expect.poll(() => theirs.$.queued).toBe(false);
    expect(second.outbox.status.get()).toMatchObject({ waiting: 0, failed: 1 });
    expect(second.outbox.failed[0]?.error).toMatchObject({ code: 'validation', status: 422 });
    expect(second.outbox.failed[0]?.error).not.toBeInstanceOf(OutboxError);
  });
});
