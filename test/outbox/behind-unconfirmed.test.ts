import { decide, Model, plain, Store } from 'repose';
import type { FailedWrite } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { deferred } from '../helpers/rest-server.js';
import { openOutbox } from './open-outbox.js';
import { modelServer } from './server.js';
import { type App, type AppOptions, startApp } from './setting.js';
import { disk } from './shared-storage.js';

type User = InstanceType<App['User']>;

/** A new user whose create succeeded without a response, and that was saved or erased while that create was in flight. */
async function unconfirmedCreate(
  later: 'save' | 'erase',
  { store = true, ...options }: AppOptions & { store?: boolean } = {},
) {
  const app = await startApp({ keys: false, ...options });
  const { User, outbox, server } = app;
  const users = store ? new Store({ model: User }) : undefined;
  const user = new User({ name: 'Ada' });
  users?.add(user);
  const arrived = deferred<void>();
  const lost = deferred<'after'>();
  server.fault = () => {
    arrived.resolve();
    return lost.promise;
  };
  const create = user.save().catch((error: unknown) => error);
  await arrived.promise;
  if (later === 'save') user.name = 'Grace';
  const behind = user[later]().catch((error: unknown) => error);
  lost.resolve('after');
  await Promise.all([create, behind]);
  server.fault = () => undefined;
  const [row] = [...server.table('users').values()] as [object];
  const [write] = outbox.failed as [FailedWrite];
  expect([outbox.failed.length, write.state, user.$.unconfirmed]).toEqual([1, 'unconfirmed', true]);
  return { ...app, users, user, write, row };
}

const sent = ({ server }: Pick<App, 'server'>) => server.log.map(({ method, path }) => `${method} ${path}`);

/** The ways to confirm the create: on the outbox, or on the record. */
const deciders: [string, (setting: Awaited<ReturnType<typeof unconfirmedCreate>>) => unknown][] = [
  ['outbox.confirm()', ({ outbox, write, row }) => outbox.confirm(write, row)],
  [
    'decide(record, row)',
    async ({ user, row, outbox }) => {
      decide(user, row);
      while (outbox.failed.length > 0) await undefined;
    },
  ],
];

describe.each(deciders)('writes queued behind an unconfirmed create that %s confirms', (_, decide) => {
  test('unsaved edits stay pending if a retry of the create may have sent the queued save', async () => {
    const setting = await unconfirmedCreate('save');
    const { outbox, server, user } = setting;
    // The name goes back to what the first create sent; `mail` is edited and not saved.
    user.set({ name: 'Ada', mail: 'draft' });
    server.fault = () => 'after';
    await outbox.retry(setting.write);
    await outbox.send();
    server.fault = () => undefined;
    expect(server.log.at(-1)).toMatchObject({ method: 'POST', body: { name: 'Grace' } });
    const [write] = outbox.failed as [FailedWrite];
    await decide({ ...setting, write, row: { id: 102 } });
    expect([user.name, user.$.modified]).toEqual(['Ada', { name: 'Ada', mail: 'draft' }]);
  });

  test('the queued save is sent, and drained() waits for it', async () => {
    const setting = await unconfirmedCreate('save');
    const { outbox, server, storage, user } = setting;
    await decide(setting);
    expect(outbox.entries).toMatchObject([{ action: 'update', state: 'queued', values: { name: 'Grace' } }]);
    await outbox.drained();
    expect(sent(setting)).toEqual(['POST /users', 'PATCH /users/101']);
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Grace' }]);
    expect([user.dirty, outbox.size, outbox.failed]).toEqual([false, 0, []]);
    expect(await storage.all()).toEqual([]);
  });

  test('the queued erase is sent, and drained() waits for it', async () => {
    const setting = await unconfirmedCreate('erase');
    const { outbox, server, storage, user, users } = setting;
    await decide(setting);
    expect(outbox.entries).toMatchObject([{ action: 'destroy', state: 'queued', id: 101 }]);
    expect(users?.count).toBe(0);
    await outbox.drained();
    expect(sent(setting)).toEqual(['POST /users', 'DELETE /users/101']);
    expect([server.table('users').size, user.erased, outbox.size]).toEqual([0, true, 0]);
    expect(await storage.all()).toEqual([]);
  });

  test('a queued write that fails without a response stays queued and is sent later', async () => {
    const setting = await unconfirmedCreate('save');
    const { outbox, server } = setting;
    server.fault = () => 'before';
    await decide(setting);
    await outbox.send();
    expect(outbox.entries).toMatchObject([{ action: 'update', state: 'queued', attempts: 1 }]);
    expect(outbox.failed).toEqual([]);
    server.fault = () => undefined;
    await outbox.send();
    await outbox.drained();
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Grace' }]);
  });

  test.each(['save', 'erase'] as const)('a queued %s found after a restart is sent', async (later) => {
    const before = await unconfirmedCreate(later);
    await before.outbox.close();
    const { server, storage, row } = before;
    const app = await startApp({ server, storage, keys: false });
    const [write] = app.outbox.failed as [FailedWrite];
    expect(write.state).toBe('unconfirmed');
    const user = write.record as unknown as User;
    await decide({ ...before, ...app, write, user, row });
    await app.outbox.drained();
    expect([...server.table('users').values()]).toEqual(later === 'save' ? [{ id: 101, name: 'Grace' }] : []);
    expect([app.outbox.size, user.erased]).toEqual([0, later === 'erase']);
  });

  test('a record that refers to the new record is sent', async () => {
    const setting = await unconfirmedCreate('save');
    const { Task, outbox, server, user } = setting;
    const task = new Task({ title: 'write', userId: user.getId() as number });
    await expect(task.save()).rejects.toMatchObject({ code: 'dependency', queued: true });
    await decide(setting);
    await outbox.drained();
    expect([...server.table('tasks').values()]).toMatchObject([{ title: 'write', userId: 101 }]);
    expect(outbox.size).toBe(0);
  });
});

describe('writes queued behind an unconfirmed create that turns out not to have happened', () => {
  test('a queued erase ends without a request', async () => {
    const { outbox, storage, user, users, ...app } = await unconfirmedCreate('erase');
    decide(user, null);
    expect([user.erased, users?.count]).toEqual([true, 0]);
    await outbox.drained();
    expect([sent(app), outbox.size]).toEqual([['POST /users'], 0]);
    await expect.poll(() => storage.all()).toEqual([]);
  });

  test('a queued save is sent with the next create', async () => {
    const { outbox, server, user } = await unconfirmedCreate('save');
    server.table('users').clear();
    decide(user, null);
    expect(user.phantom).toBe(true);
    await user.save();
    expect([...server.table('users').values()]).toEqual([{ id: 102, name: 'Grace' }]);
    expect([user.dirty, outbox.size]).toEqual([false, 0]);
  });
});

test('a queued erase hides the record as soon as its create is confirmed, even while the outbox is paused', async () => {
  const server = modelServer();
  const { outbox, user, users, row } = await unconfirmedCreate('erase', { server });
  outbox.pause();
  decide(user, row);
  await expect.poll(() => [users?.count, outbox.entries.map(({ action }) => action)]).toEqual([0, ['destroy']]);
  outbox.resume();
  await outbox.drained();
  expect(server.table('users').size).toBe(0);
});

test.each(['save', 'erase'] as const)(
  'a %s queued behind an unconfirmed create is sent through the proxy of its record where the outbox has no models',
  async (later) => {
    const { outbox, server, write, row } = await unconfirmedCreate(later, { models: [], store: false });
    await outbox.confirm(write, row);
    await outbox.drained();
    expect([...server.table('users').values()]).toEqual(later === 'save' ? [{ id: 101, name: 'Grace' }] : []);
    expect([outbox.size, outbox.failed]).toEqual([0, []]);
  },
);

test('a write that got no response is sent again through the proxy of its record where the outbox has no models', async () => {
  const { User, outbox, server } = await startApp({ models: [] });
  server.fault = () => 'before';
  await expect(new User({ name: 'Ada' }).save()).rejects.toMatchObject({ queued: true });
  server.fault = () => undefined;
  await outbox.send();
  await outbox.drained();
  expect([[...server.table('users').values()], outbox.failed]).toEqual([[{ id: 101, name: 'Ada' }], []]);
});

test('a field cleared again stays an edit if a retry of the create may have sent the value saved for it', async () => {
  const server = modelServer();
  const clock = manualClock();
  const outbox = await openOutbox({ scope: 'a', storage: disk(), clock, autoStart: false });
  class Doc extends Model.define({
    name: 'doc',
    fields: { id: 'int', name: 'string', level: { type: 'int', allowNull: true, defaultValue: 1 } },
    proxy: {
      ...{ type: 'rest', url: '/docs', baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch },
      use: [outbox],
    },
  }) {}
  const doc = new Doc({ name: 'a' });
  doc.set({ level: undefined as never });
  const behind: Promise<unknown>[] = [];
  server.fault = () => {
    doc.level = 2;
    behind.push(doc.save().catch(() => undefined));
    server.fault = () => 'after';
    return 'after';
  };
  await doc.save().catch(() => undefined);
  await Promise.all(behind);
  doc.set({ level: undefined as never, name: 'draft' });
  const [write] = outbox.failed as [FailedWrite];
  expect(write.entry).toMatchObject({ cleared: ['level'], later: { level: 2 } });
  await outbox.retry(write);
  await outbox.send();
  expect(server.log.map(({ body }) => body)).toEqual([{ name: 'a' }, { name: 'a', level: 2 }]);
  await outbox.confirm(outbox.failed[0] as FailedWrite, { id: 102 });
  expect([doc.level, Object.keys(doc.$.modified)]).toEqual([undefined, ['level', 'name']]);
});

test.each(['save', 'erase'] as const)(
  'a %s queued while the outbox sends the create again survives a restart',
  async (later) => {
    const { User, outbox, server, storage } = await startApp();
    server.fault = () => 'before';
    const user = new User({ name: 'Ada' });
    await user.save().catch(() => undefined);
    const arrived = deferred<void>();
    const lost = deferred<'after'>();
    server.fault = () => {
      arrived.resolve();
      return lost.promise;
    };
    const flushed = outbox.send();
    await arrived.promise;
    if (later === 'save') user.name = 'Grace';
    const behind = user[later]().catch((error: unknown) => error);
    server.fault = () => 'before';
    lost.resolve('after');
    await Promise.all([flushed, behind]);
    expect(await behind).toMatchObject({ queued: true });
    await outbox.close();
    server.fault = () => undefined;
    const next = await startApp({ server, storage });
    await next.outbox.send();
    await next.outbox.send();
    const left = later === 'save' ? [{ id: 101, name: 'Grace' }] : [];
    expect([[...server.table('users').values()], next.outbox.size]).toEqual([left, 0]);
  },
);
