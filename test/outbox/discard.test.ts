import { Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { deferred } from '../helpers/rest-server.js';
import { type App, startApp } from './setting.js';
import { disk } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** A user whose name was saved without a network. */
async function savedOffline(app: App) {
  app.server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b', tags: ['x'] });
  const users = new Store({ model: app.User, pageSize: 0 });
  await users.load();
  const user = users.getAt(0) as InstanceType<App['User']>;
  app.server.fault = () => 'before';
  user.set({ name: 'Grace', tags: ['x', 'y'] });
  await quiet(user.save());
  return { users, user };
}

const rows = ({ server }: App) => [...server.table('users').values()];
const online = async (app: App) => {
  app.server.fault = () => undefined;
  await app.outbox.send();
};

describe('reject() of a record whose save an outbox has queued', () => {
  test('drops what was edited since, and shows and sends what was saved', async () => {
    const app = await startApp();
    const { user } = await savedOffline(app);
    user.set({ name: 'Zoe', mail: undefined as never, tags: ['z'] });
    user.reject();
    expect(user.$.state.get()).toMatchObject({ dirty: false, queued: true });
    expect([user.name, user.mail, user.tags]).toEqual(['Grace', 'a@b', ['x', 'y']]);
    await online(app);
    expect(rows(app)).toEqual([{ id: 1, name: 'Grace', mail: 'a@b', tags: ['x', 'y'] }]);
    expect([user.dirty, user.$.queued, app.outbox.size]).toEqual([false, false, 0]);
  });

  test.each(['one after the other', 'at once'])(
    'keeps saves that were called %s, and told that they are kept, also while the first is being sent',
    async (when) => {
      const app = await startApp();
      const user = new app.User({ name: 'First' });
      app.server.fault = () => 'before';
      const saves = [quiet(user.save())];
      if (when === 'one after the other') await saves[0];
      user.name = 'Second';
      saves.push(quiet(user.save()));
      const told = await Promise.all(saves);
      const sent = app.server.log.length;
      expect(told).toMatchObject([{ queued: true }, { queued: true }]);
      const answer = deferred<undefined>();
      app.server.fault = () => answer.promise;
      const flushed = app.outbox.send();
      await expect.poll(() => app.server.log.length).toBe(sent + 1);
      user.set({ name: 'Third', mail: 'c@d' });
      const waiting = user.save();
      user.name = 'Typed';
      user.reject();
      expect([user.name, user.mail]).toEqual(['Second', undefined]);
      answer.resolve(undefined);
      await flushed;
      await waiting;
      await online(app);
      expect(rows(app)).toMatchObject([{ name: 'Second' }]);
      expect([rows(app)[0]?.mail, user.name, user.dirty, app.outbox.size]).toEqual([undefined, 'Second', false, 0]);
    },
  );

  test('of one field leaves what saves that wait have saved, also if a later one has joined an earlier one', async () => {
    const app = await startApp();
    app.server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b', tags: ['x'] });
    const user = await app.User.load(1);
    const answer = deferred<undefined>();
    app.server.fault = () => answer.promise;
    const sent = app.server.log.length;
    user.tags = ['first'];
    const saves = [user.save()];
    await expect.poll(() => app.server.log.length).toBe(sent + 1);
    user.name = 'Grace';
    saves.push(user.save());
    await expect.poll(() => app.outbox.entries[0]?.values).toMatchObject({ name: 'Grace' });
    user.mail = 'c@d';
    saves.push(user.save());
    await expect.poll(() => app.outbox.entries[0]?.values).toMatchObject({ mail: 'c@d' });
    user.tags = ['typed'];
    user.reject('tags');
    answer.resolve(undefined);
    await Promise.all(saves);
    expect(rows(app)).toEqual([{ id: 1, name: 'Grace', mail: 'c@d', tags: ['first'] }]);
    expect([user.dirty, app.outbox.size]).toEqual([false, 0]);
  });

  test('sends nothing of a save that waits and is just being stored', async () => {
    const storage = disk();
    const append = storage.append.bind(storage);
    const [asked, stored] = [deferred<undefined>(), deferred<undefined>()];
    const app = await startApp({ storage });
    app.server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b', tags: ['x'] });
    const user = await app.User.load(1);
    const answer = deferred<undefined>();
    app.server.fault = () => answer.promise;
    user.name = 'Grace';
    const saves = [user.save()];
    await expect.poll(() => app.server.log.length).toBe(2);
    storage.append = async (items) => {
      asked.resolve(undefined);
      await stored.promise;
      return append(items);
    };
    user.mail = 'rejected';
    saves.push(user.save());
    await asked.promise;
    user.reject();
    stored.resolve(undefined);
    await expect.poll(() => storage.all()).toHaveLength(1);
    answer.resolve(undefined);
    await Promise.all(saves);
    await app.outbox.drained();
    expect(rows(app)).toEqual([{ id: 1, name: 'Grace', mail: 'a@b', tags: ['x'] }]);
    expect([user.mail, user.dirty, app.server.log.length]).toEqual(['a@b', false, 2]);
  });

  test('changes and tells nothing if nothing was edited since', async () => {
    const app = await startApp();
    const { user } = await savedOffline(app);
    let told = 0;
    const stop = user.$.field('name').subscribe(() => (told += 1));
    user.reject();
    expect([user.name, told, app.outbox.size]).toEqual(['Grace', 0, 1]);
    stop();
  });

  test('takes one field back to what was saved, if it names the field', async () => {
    const app = await startApp();
    const { user } = await savedOffline(app);
    user.set({ name: 'Zoe', mail: 'z@z' });
    user.reject('name');
    expect([user.name, user.mail, user.$.state.get().dirty]).toEqual(['Grace', 'z@z', true]);
    expect(() => user.reject('other' as never)).toThrow(expect.objectContaining({ name: 'StateError' }));
    await online(app);
    expect([rows(app)[0]?.name, user.$.modified]).toEqual(['Grace', { mail: 'z@z' }]);
  });

  test('keeps the last of several saves, and what a server without an answer may have done', async () => {
    const app = await startApp();
    const { user } = await savedOffline(app);
    app.server.fault = () => 'after';
    user.name = 'Joan';
    await quiet(user.save());
    user.name = 'Zoe';
    user.reject();
    expect(user.name).toBe('Joan');
    await online(app);
    expect([rows(app)[0]?.name, user.name, user.dirty]).toEqual(['Joan', 'Joan', false]);
  });

  test('takes edits of a refused save back, which is then sent no more', async () => {
    const app = await startApp();
    const { user } = await savedOffline(app);
    app.server.fault = () => 422;
    await app.outbox.send();
    expect(app.outbox.failed).toHaveLength(1);
    user.reject();
    await expect.poll(() => app.outbox.size).toBe(0);
    expect([user.name, user.dirty]).toEqual(['Ada', false]);
  });

  test('keeps the reference of a new record to another new record', async () => {
    const app = await startApp();
    const { User, Task, outbox } = app;
    const session = new Session();
    app.server.fault = () => 'before';
    const user = session.create(User, { name: 'Ada' });
    const task = session.create(Task, { title: 'Write', userId: user.getId() as number });
    await session.sync();
    expect(outbox.size).toBe(2);
    const [other, userId] = [new User({ name: 'Bob' }), task.userId];
    task.set({ title: 'Print', userId: other.getId() as number });
    task.reject();
    expect([task.title, task.userId]).toEqual(['Write', userId]);
    await online(app);
    expect([...app.server.table('tasks').values()]).toMatchObject([{ title: 'Write', userId: user.id }]);
    expect([task.dirty, task.phantom]).toEqual([false, false]);
  });
});

describe.each(['store', 'session'] as const)('reject() of a %s', (kind) => {
  test('keeps what an outbox has queued: creates, updates and erases', async () => {
    const app = await startApp();
    const { User, server, outbox } = app;
    for (const id of [1, 2]) server.table('users').set(id, { id, name: `User ${id}` });
    const session = new Session();
    const users = new Store({ model: User, pageSize: 0, ...(kind === 'session' && { session }) });
    await users.load();
    const [first, second] = [users.getAt(0), users.getAt(1)] as InstanceType<App['User']>[];
    server.fault = () => 'before';
    const added = users.add({ name: 'Added' })[0] as InstanceType<App['User']>;
    first?.set('name', 'Saved');
    users.remove(second as never);
    await users.sync();
    expect(outbox.size).toBe(3);
    first?.set('name', 'Typed');
    added.name = 'Typed';
    const unsaved = users.add({ name: 'Unsaved' })[0] as InstanceType<App['User']>;
    (kind === 'store' ? users : session).reject();
    expect([...users].map(({ name }) => name)).toEqual(['Saved', 'Added']);
    expect([users.indexOf(unsaved), outbox.size, users.status.get().pending]).toEqual([-1, 3, 0]);
    await online(app);
    expect(rows(app).map(({ name }) => name)).toEqual(['Saved', 'Added']);
    expect([[...users].map(({ name }) => name), outbox.size]).toEqual([['Saved', 'Added'], 0]);
  });
});

test('discard() of a refused create leaves the record of a save that was called while the drop is stored', async () => {
  const storage = disk();
  const remove = storage.remove.bind(storage);
  const [asked, stored] = [deferred<undefined>(), deferred<undefined>()];
  storage.remove = async (...given) => {
    asked.resolve(undefined);
    await stored.promise;
    return remove(...given);
  };
  const app = await startApp({ storage });
  const users = new Store({ model: app.User, pageSize: 0 });
  const [user] = users.add({ name: 'Ada' }) as [InstanceType<App['User']>];
  app.server.fault = () => 422;
  await quiet(user.save());
  app.server.fault = () => undefined;
  const [write] = app.outbox.failed;
  const dropped = app.outbox.discard(write!);
  await asked.promise;
  user.name = 'Eve';
  const saved = user.save();
  user.mail = 'typed@later';
  stored.resolve(undefined);
  await Promise.all([dropped, saved]);
  expect(rows(app)).toMatchObject([{ name: 'Eve' }]);
  expect([user.erased, [...users].includes(user), user.mail, user.dirty]).toEqual([false, true, 'typed@later', true]);
});
