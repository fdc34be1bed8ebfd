import { Model, plain, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { switchedConnection } from '../helpers/switched-connection.js';
import { startApp } from './setting.js';

// A write that is dropped while its call runs has sent nothing: the call says so, and the record is as if it had never been made.

/** An outbox of two tasks that are shown in a list, and a connection that a test switches. */
async function opened() {
  const server = restServer({
    collections: {
      '/tasks': [
        { id: 1, title: 'a' },
        { id: 2, title: 'b' },
      ],
    },
  });
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: { type: 'rest', url: '/tasks', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
  }) {}
  const connection = switchedConnection();
  const outbox = new Outbox({ scope: 'a', storage: memoryStorage(), models: [Task], connection });
  await outbox.ready;
  const session = new Session();
  const history = historyOf(session);
  const tasks = new Store({ model: Task, session, pageSize: 0, proxy: { use: [outbox] } });
  await tasks.load();
  return { server, outbox, connection, history, tasks, ids: () => server.rows('/tasks').map(({ id }) => id) };
}

/** Resolves as soon as an outbox has stored a write. */
async function stored(outbox: Outbox) {
  while (outbox.size === 0) await Promise.resolve();
}

const settled = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => error.reason,
  );

describe.each(['a create', 'an update', 'an update behind another one'])(
  'drop() of %s that is not sent yet',
  (kind) => {
    test('rejects its save, and takes its values back', async () => {
      const { outbox, tasks, server } = await opened();
      const first = tasks.getById(1);
      const isBehind = kind === 'an update behind another one';
      const task = kind === 'a create' ? tasks.add({ title: 'new' })[0] : first;
      if (isBehind) {
        first?.set('title', 'first');
        void settled(first?.save() as Promise<unknown>).then((end) => expect(end).toBe('save-dropped'));
      }
      if (kind !== 'a create') task?.set('title', 'new');
      const saving = settled(task?.save() as Promise<unknown>);
      await stored(outbox);
      await outbox.discard({ key: task?.$.key as string });
      expect(await saving).toBe('save-dropped');
      await outbox.send();
      expect(server.rows('/tasks').some(({ title }) => title === 'new')).toBe(false);
      expect([task?.erased, task?.dirty, task?.$.error, outbox.size]).toEqual([
        kind === 'a create',
        false,
        undefined,
        0,
      ]);
      expect(tasks.count).toBe(2);
      await outbox.close();
    });
  },
);

test('drop() behind a write in flight rejects the save that waits, and nothing of it is sent', async () => {
  const { outbox, tasks, server } = await opened();
  const task = tasks.getById(1);
  server.fetch.plan({ type: 'hold' });
  task?.set('title', 'first');
  const first = settled(task?.save() as Promise<unknown>);
  const inFlight = await server.fetch.waitFor(2);
  task?.set('title', 'second');
  const second = settled(task?.save() as Promise<unknown>);
  await expect.poll(() => outbox.entries[0]?.values).toEqual({ title: 'second' });
  const dropping = outbox.discard({ key: task?.$.key as string });
  inFlight.release();
  await dropping;
  expect([await first, await second]).toEqual(['done', 'save-dropped']);
  await outbox.send();
  expect(server.rows('/tasks')[0]).toMatchObject({ title: 'first' });
  expect([task?.get('title'), task?.dirty, outbox.size]).toEqual(['first', false, 0]);
  await outbox.close();
});

test.each(['a write that is queued', 'a write in flight'])(
  'drop() while an erase waits behind %s sends no erase, and shows the record',
  async (kind) => {
    const { outbox, connection, tasks, server, ids } = await opened();
    const task = tasks.getById(1);
    if (kind === 'a write that is queued') connection.switchTo(false);
    else server.fetch.plan({ type: 'hold' });
    task?.set('title', 'first');
    const first = settled(task?.save() as Promise<unknown>);
    const inFlight = kind === 'a write in flight' ? await server.fetch.waitFor(2) : undefined;
    if (!inFlight) await first;
    const erasing = settled(task?.erase() as Promise<unknown>);
    await expect.poll(() => outbox.entries[0]?.action).toBe('destroy');
    const dropping = outbox.discard({ key: task?.$.key as string });
    connection.switchTo(true);
    inFlight?.release();
    await dropping;
    await Promise.all([first, erasing]);
    await outbox.send();
    const left = inFlight ? 'first' : 'a';
    expect([ids(), [...tasks].map(({ id }) => id), task?.erased, task?.get('title')]).toEqual([
      [1, 2],
      [1, 2],
      false,
      left,
    ]);
    expect([await erasing, outbox.size]).toEqual([inFlight ? 'save-dropped' : 'outbox-offline', 0]);
    await outbox.close();
  },
);

test.each([true, false])(
  'an erase that is asked for while a dropped one still waits is sent by itself (online: %s)',
  async (isOnline) => {
    const { outbox, connection, tasks, server, ids } = await opened();
    const task = tasks.getById(1);
    server.fetch.plan({ type: 'hold' });
    task?.set('title', 'first');
    const saving = settled(task?.save() as Promise<unknown>);
    const inFlight = await server.fetch.waitFor(2);
    const first = settled(task?.erase() as Promise<unknown>);
    await expect.poll(() => outbox.entries[0]?.action).toBe('destroy');
    const second = outbox.discard({ key: task?.$.key as string }).then(() => {
      connection.switchTo(isOnline);
      return Promise.all([settled(task?.erase() as Promise<unknown>), settled(task?.erase() as Promise<unknown>)]);
    });
    inFlight.release();
    expect([await saving, await first]).toEqual(['done', 'save-dropped']);
    expect(await second).toEqual(isOnline ? ['done', 'done'] : ['outbox-offline', 'outbox-offline']);
    await new Promise((resolve) => setTimeout(resolve));
    expect([...tasks].map(({ id }) => id)).toEqual([2]);
    connection.switchTo(true);
    await outbox.send();
    expect([ids(), task?.erased, outbox.size]).toEqual([[2], true, 0]);
    await outbox.close();
  },
);

test.each(['undo()', 'drop()'])('an erase that %s gives up while it is sent again is shown', async (way) => {
  const { outbox, connection, history, tasks, ids } = await opened();
  const task = tasks.getById(1);
  connection.switchTo(false);
  const erasing = settled(task?.erase() as Promise<unknown>);
  if (way === 'undo()') {
    await erasing;
    connection.switchTo(true);
    await history.undo();
  } else {
    await stored(outbox);
    await outbox.discard({ key: task?.$.key as string });
  }
  await erasing;
  connection.switchTo(true);
  await outbox.send();
  await outbox.drained();
  expect([ids(), [...tasks].map(({ id }) => id), task?.erased]).toEqual([[1, 2], [1, 2], false]);
  await outbox.close();
});

test('reject() takes nothing back of a refused save that is being sent again with the one behind it', async () => {
  const storage = memoryStorage();
  const { read } = storage;
  const { User, outbox, server } = await startApp({ storage });
  server.table('users').set(1, { id: 1, name: 'Ada', mail: '' });
  const user = await User.load(1);
  let refuse = () => {};
  server.fault = () =>
    new Promise((resolve) => {
      refuse = () => resolve(422);
    });
  const first = settled(user.set({ name: 'first' }).save());
  const second = user.set({ mail: 'second' }).save();
  await expect
    .poll(() => [server.log.length, outbox.entries[0]?.values])
    .toEqual([2, { name: 'first', mail: 'second' }]);
  server.fault = () => undefined;
  // The second save has begun when the first one is refused, and reads what is stored before it sends.
  storage.read = (filter) => new Promise((resolve) => setTimeout(resolve, 30)).then(() => read.call(storage, filter));
  refuse();
  expect(await first).toBe('http-validation');
  user.mail = 'typed';
  user.reject();
  await second;
  expect([server.table('users').get(1), user.dirty, outbox.size]).toEqual([
    { id: 1, name: 'first', mail: 'second' },
    false,
    0,
  ]);
  await outbox.close();
});
