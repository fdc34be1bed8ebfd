import { Model, Session, Store, safeWrites } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { type App, startApp } from './setting.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);
const shown = (store: Iterable<{ readonly id?: unknown }>) => [...store].map(({ id }) => id);

/** An application with the rows 1 and 2, of which the server has lost the first one since they were loaded. */
async function setUp(config: object = {}, options: object = {}) {
  const app = await startApp(config);
  const users = app.server.table('users');
  for (const id of [1, 2]) users.set(id, { id, name: `u${id}` });
  const store = new Store({ model: app.User, ...options });
  await store.load();
  users.delete(1);
  return { ...app, store, user: store.getById(1) as InstanceType<App['User']>, users };
}

describe('an erase of a record that the server does not have any more', () => {
  test.each([404, 410])('is done when an outbox gets the answer %d', async (status) => {
    const { store, user, outbox, server } = await setUp();
    server.fault = (method) => (method === 'DELETE' ? status : undefined);
    await user.erase();
    expect([shown(store), user.erased, outbox.entries]).toEqual([[2], true, []]);
    expect(store.status.get().staleReason).toBeUndefined();
  });

  test('is done when it was queued, and nothing comes back or is sent again', async () => {
    const { store, user, outbox, server } = await setUp();
    server.fault = () => 'before';
    await quiet(user.erase());
    expect([shown(store), outbox.entries.length]).toEqual([[2], 1]);
    server.fault = () => undefined;
    await outbox.send();
    await outbox.send();
    expect([shown(store), user.erased, user.$.error, outbox.entries, outbox.failed]).toEqual([
      [2],
      true,
      undefined,
      [],
      [],
    ]);
    expect(server.log.filter(({ method }) => method === 'DELETE').length).toBe(2);
  });

  test.each([
    [0, 404],
    [1, 404],
    [0, 200],
    [1, 200],
  ])('is done behind a read for an ETag (%d), also one answered %d', async (order, found) => {
    let isOnline = false;
    const sent: string[] = [];
    const proxy = {
      type: 'rest' as const,
      baseUrl: 'http://rows.test',
      url: '/users',
      fetch: async (_: unknown, { method = 'GET' }: RequestInit = {}) => {
        sent.push(method);
        if (!isOnline) throw new TypeError('offline');
        const isFound = method === 'GET' && found === 200;
        return Response.json({ id: 1, name: 'a' }, { status: isFound ? 200 : 404, headers: { ETag: '"1"' } });
      },
    };
    class User extends Model.define({ name: 'gone', fields: { id: 'int', name: 'string' }, proxy }) {}
    const clock = manualClock();
    const outbox = new Outbox({ scope: `gone ${order} ${found}`, storage: memoryStorage(), models: [User], clock });
    const use = order === 0 ? [safeWrites(), outbox] : [outbox, safeWrites()];
    const list = new Store({ model: User, pageSize: 0, proxy: { use } });
    list.setRecords([{ id: 1, name: 'a' }]);
    const user = list.getAt(0) as User;
    list.remove(user);
    await list.sync();
    expect(outbox.size).toBe(1);
    isOnline = true;
    await quiet(outbox.send());
    clock.advance(60_000);
    await quiet(outbox.send());
    expect([outbox.entries, user.erased, list.count]).toEqual([[], true, 0]);
    await outbox.close();
  });

  test('is done by sync(), which has no failure', async () => {
    const { store, user, outbox } = await setUp();
    store.remove(user);
    const batch = await store.sync();
    expect([batch.failures, shown(store), store.pending.removed, outbox.entries]).toEqual([[], [2], [], []]);
  });

  test('is done in all lists of a session', async () => {
    const session = new Session();
    const { store, user, User, outbox } = await setUp({}, { session });
    const other = new Store({ model: User, session });
    await other.setRecords([user]);
    await user.erase();
    expect([shown(store), shown(other), session.getById(User, 1), outbox.entries]).toEqual([[2], [], undefined, []]);
  });

  test('is done in another process', async () => {
    const first = await setUp();
    const { server, storage } = first;
    server.fault = () => 401;
    await quiet(first.user.erase());
    server.fault = () => undefined;
    const { outbox } = await startApp({ server, storage });
    await outbox.send();
    expect([outbox.entries, outbox.failed]).toEqual([[], []]);
  });

  test('is done where the record had edits, or a save that was refused with 404', async () => {
    const { store, user, outbox } = await setUp();
    user.name = 'mine';
    await expect(user.save()).rejects.toMatchObject({ status: 404 });
    expect([shown(store), outbox.failed.length, store.status.get().staleReason]).toEqual([[1, 2], 1, 'movedRow']);
    await user.erase();
    expect([shown(store), user.erased, outbox.entries]).toEqual([[2], true, []]);
  });

  test('is refused where the call names an address or parameters of its own, which may name something else', async () => {
    const { store, user, outbox } = await setUp();
    await expect(user.erase({ params: { tenant: 7 } })).rejects.toMatchObject({ status: 404 });
    expect([shown(store), user.erased, outbox.failed.length]).toEqual([[1, 2], false, 1]);
  });
});

describe('a save of a record that the server does not have any more', () => {
  test('stays in the outbox with its error, also in another process, until it is dropped', async () => {
    const first = await setUp();
    first.user.name = 'mine';
    await expect(first.user.save()).rejects.toMatchObject({ status: 404 });
    const { outbox, User } = await startApp({ server: first.server, storage: first.storage });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { status: 404 } }]);
    const store = new Store({ model: User });
    await store.load();
    const kept = outbox.failed[0];
    if (kept) await outbox.discard(kept);
    await store.reload();
    expect([outbox.entries, shown(store)]).toEqual([[], [2]]);
  });

  test('stays with its error where it was queued', async () => {
    const { store, user, outbox, server } = await setUp();
    server.fault = () => 'before';
    user.name = 'mine';
    await quiet(user.save());
    server.fault = () => undefined;
    await outbox.send();
    expect([user.name, user.$.error, outbox.failed.length]).toMatchObject(['mine', { status: 404 }, 1]);
    expect([shown(store), store.status.get().staleReason]).toEqual([[1, 2], 'movedRow']);
    await outbox.discard(outbox.failed[0] as never);
    await store.reload();
    expect(shown(store)).toEqual([2]);
  });
});
