import { Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { server, Task, User } from './support.js';

const idle = { loading: false, saving: false, error: undefined, pending: 0, queued: 0 };
const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const rows = (...ids: number[]) => ids.map((id) => ({ id, name: `n${id}` }));

function watch(session: Session): { told: unknown[]; last: () => unknown; stop: () => void } {
  const told: unknown[] = [];
  const stop = session.status.subscribe(() => told.push(session.status.get()));
  return { told, last: () => told.at(-1), stop };
}

/** The number of records that the session would write, counted anew. */
const pendingNow = (session: Session) =>
  [...session.pending.created, ...session.pending.edited].length + session.pending.removed.length;

describe('the status of a session', () => {
  test('is frozen, and the same object until something changes', () => {
    const session = new Session();
    const before = session.status.get();
    expect(before).toEqual(idle);
    expect([Object.isFrozen(before), session.status.get() === before]).toEqual([true, true]);
    session.create(User, { name: 'a' });
    expect(session.status.get()).toEqual({ ...idle, pending: 1 });
  });

  test('tells the start, the end and the failure of a load by id at once', async () => {
    const session = new Session();
    const { told } = watch(session);
    server.reply({ json: { id: 7, name: 'Ada' } }, { status: 500 }, { json: { id: 7, name: 'Ada' } });
    const loading = session.load(User, 7);
    expect(told).toEqual([{ ...idle, loading: true }]);
    await loading;
    expect(told.slice(1)).toEqual([idle]);
    await session.load(User, 7).catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ loading: false, error: { code: 'http', status: 500 } });
    await session.load(User, 7);
    expect(told.at(-1)).toEqual(idle);
  });

  test('follows the loads of stores that were created before and after it is watched', async () => {
    const session = new Session();
    const before = new Store({ model: User, session });
    const { told, last } = watch(session);
    const after = new Store({ model: Task, session });
    server.reply({ json: rows(1) }, { status: 503 }, { json: [] });
    const first = before.load();
    expect(told).toEqual([{ ...idle, loading: true }]);
    await first;
    expect(last()).toEqual(idle);
    await after.load().catch(() => undefined);
    expect(last()).toMatchObject({ loading: false, error: { status: 503 } });
    expect(session.status.get()).toBe(last());
    await after.load();
    expect(last()).toEqual(idle);
  });

  test('follows a store that loads by itself or has data from the start', async () => {
    const session = new Session();
    const { told, last } = watch(session);
    server.reply({ json: [] });
    new Store({ model: Task, session, autoLoad: true });
    expect(told).toEqual([{ ...idle, loading: true }]);
    await expect.poll(last).toEqual(idle);
    new Store({ model: User, session, data: [{ name: 'new' }] });
    expect(last()).toEqual({ ...idle, pending: 1 });
  });

  test('counts each pending record once, in stores or not, as `sync()` would', () => {
    const session = new Session();
    const { last } = watch(session);
    const [users, others] = [new Store({ model: User, session }), new Store({ model: User, session })];
    users.setRecords(rows(1, 2, 3));
    others.setRecords(rows(1, 2));
    const user = users.getById(1) as User;
    const checked = (count: number) =>
      expect([session.status.get().pending, pendingNow(session)]).toEqual([count, count]);
    user.name = 'x';
    checked(1);
    const loose = session.create(Task, { title: 'loose' });
    checked(2);
    users.remove(users.getById(2) as User);
    checked(3);
    const [saved] = session.add(Task.fromRow({ id: 5, title: 't' })) as [Task];
    checked(3);
    saved.title = 'u';
    checked(4);
    session.remove(saved);
    checked(4);
    session.remove(loose);
    checked(3);
    user.name = 'n1';
    checked(2);
    session.reject();
    checked(0);
    expect(last()).toEqual(idle);
  });

  test('tells `reject()` once', () => {
    const session = new Session();
    const store = new Store({ model: User, session });
    store.setRecords(rows(1, 2, 3));
    const edit = () => store.batch(() => [...store].map((user) => user.set({ name: `${user.name}x` })));
    edit();
    session.create(Task, { title: 'a' });
    session.remove(session.add(Task.fromRow({ id: 5, title: 't' }))[0] as Task);
    const { told } = watch(session);
    session.reject();
    expect(told).toEqual([idle]);
  });

  test('tells the start and the end of saves, also of a record outside of stores and of a failed one', async () => {
    const session = new Session();
    const [task] = session.add(Task.fromRow({ id: 5, title: 't' })) as [Task];
    server.reply({ status: 204 }, { status: 500 });
    const saving = task.save();
    const { told, last } = watch(session);
    expect(session.status.get().saving).toBe(true);
    await saving;
    await tick();
    expect(last()).toEqual(idle);
    task.title = 'u';
    const failing = session.sync();
    expect(last()).toEqual({ ...idle, saving: true, pending: 1 });
    await failing;
    await tick();
    expect(last()).toEqual({ ...idle, pending: 1 });
    expect(told.length).toBeLessThan(8);
  });

  test('does not count an erased record', async () => {
    const session = new Session();
    const store = new Store({ model: User, session });
    store.setRecords(rows(1));
    const user = store.getById(1) as User;
    user.name = 'x';
    const { last } = watch(session);
    server.reply({ status: 204 });
    await user.erase();
    await tick();
    expect(last()).toEqual(idle);
    expect(session.status.get()).toBe(last());
  });

  test('tells the end of a disposed session, and nothing after it', () => {
    const session = new Session();
    const store = new Store({ model: User, session });
    store.setRecords(rows(1));
    (store.getById(1) as User).name = 'x';
    const { told } = watch(session);
    session.dispose();
    expect(told).toEqual([idle]);
    (store.getById(1) as User).name = 'y';
    expect([told.length, session.status.get(), store.status.get().pending]).toEqual([1, idle, 1]);
  });

  test('attaches nothing to stores while nobody watches', () => {
    const session = new Session();
    const store = new Store({ model: User, session });
    const { observers } = (store as unknown as { recordSet: { observers: { all: readonly object[] } } }).recordSet;
    const before = observers.all.length;
    const { stop } = watch(session);
    expect(observers.all.length).toBeGreaterThan(before);
    stop();
    expect(observers.all.length).toBe(before);
  });
});
