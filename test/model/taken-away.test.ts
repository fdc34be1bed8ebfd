import { idempotency, Model, plain, reference, Store } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

// A write waits, and the application takes away what it needs: the proxy, the id or the record that it refers to.

const server = useRestServer();
const dialect = plain();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { dialect, use: [idempotency()] }),
}) {}

const fields = { id: 'int', title: 'string', body: 'string', userId: reference('int', { allowNull: true }) } as const;
class Task extends Model.define({
  name: 'task',
  fields,
  proxy: server.proxy('/tasks', { dialect, actionMethods: { update: 'PATCH' } }),
}) {
  static override references() {
    return { userId: User };
  }
}

let rows: Map<number, Record<string, unknown>>;

function answer({ method, path, body }: Received): Reply {
  const id = method === 'POST' ? 101 + rows.size : Number(path.split('/').at(-1));
  if (method !== 'GET') rows.set(id, { ...rows.get(id), ...body, id });
  return { status: method === 'POST' ? 201 : 200, json: rows.get(id) };
}

beforeEach(() => {
  rows = new Map([[7, { id: 7, title: 'Plan', body: '', userId: 1 }]]);
  server.always(answer);
});

const sent = () =>
  server.requests.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [method, path, body]);

/** Classes whose proxy is gone, or another one, from the moment when the application signs out. */
function signedIn(use: readonly ReturnType<typeof idempotency>[] = []) {
  const session = { tenant: 'a' as string | undefined, isGone: false };
  class Own extends Task.with({
    proxy: {
      url: '/{tenant}/tasks',
      use: [...use],
      pathParams: () => ({ tenant: session.tenant }) as { tenant: string },
    },
  }) {
    static override get proxy() {
      if (session.isGone) throw new Error('signed out');
      return super.proxy;
    }
  }
  return { Own, session };
}

const GONE = [
  ['is gone', (session: { isGone: boolean }) => (session.isGone = true)],
  ['has another tenant', (session: { tenant: string | undefined }) => (session.tenant = 'b')],
  ['has no tenant', (session: { tenant: string | undefined }) => (session.tenant = undefined)],
] as const;

describe('a save whose proxy is taken away', () => {
  test.each(GONE)('while it waits behind another save is sent by the proxy of its call: it %s', async (_, take) => {
    const { Own, session } = signedIn();
    const task = await Own.load(7);
    task.title = 'first';
    const held = server.hold();
    const first = task.save();
    const request = await held.request;
    task.title = 'second';
    const second = task.save();
    take(session as never);
    task.body = 'typed';
    held.answer(answer(request));
    await Promise.all([first, second]);
    expect(sent()).toEqual([
      ['PATCH', '/a/tasks/7', { title: 'first' }],
      ['PATCH', '/a/tasks/7', { title: 'second' }],
    ]);
    expect(task.$.modified).toEqual({ body: 'typed' });
  });

  test.each(GONE)('while its row is read first is sent by the proxy of its call: it %s', async (_, take) => {
    const { Own, session } = signedIn();
    const Whole = Own.with({ proxy: { actionMethods: { update: 'PUT' } } });
    server.reply({ status: 201, headers: { Location: '/a/tasks/7' } });
    const task = new Whole({ title: 'Plan' });
    await task.save();
    task.title = 'Plan B';
    const held = server.hold();
    const saving = task.save();
    const request = await held.request;
    take(session as never);
    task.body = 'typed';
    held.answer(answer(request));
    await saving;
    expect(sent().at(-1)).toEqual(['PUT', '/a/tasks/7', { ...rows.get(7), title: 'Plan B', body: '' }]);
    expect(task.$.modified).toEqual({ body: 'typed' });
  });

  test.each(GONE.slice(1))(
    'after its create got no response is repeated by the first proxy: it %s',
    async (_, take) => {
      const { Own, session } = signedIn([idempotency()]);
      const task = new Own({ title: 'Plan' });
      server.reply({ drop: true });
      await expect(task.save()).rejects.toMatchObject({ code: 'network' });
      take(session as never);
      await task.save();
      expect(sent()).toEqual(Array(2).fill(['POST', '/a/tasks', { title: 'Plan' }]));
    },
  );

  test('after its create got no response is told, and can be repeated when the proxy is back', async () => {
    const { Own, session } = signedIn([idempotency()]);
    const task = new Own({ title: 'Plan' });
    server.reply({ drop: true });
    await expect(task.save()).rejects.toMatchObject({ code: 'network' });
    session.isGone = true;
    await expect((async () => task.save())()).rejects.toThrow('signed out');
    expect([task.$.unconfirmed, task.$.saving, sent().length]).toEqual([true, false, 1]);
    session.isGone = false;
    await task.save();
    expect([task.id, sent().length]).toEqual([101 + 1, 2]);
  });

  test.each(GONE.slice(1))(
    'while an outbox keeps it is sent with the parameters of its call: it %s',
    async (_, take) => {
      const outbox = await openOutbox({ scope: 'me', storage: memoryStorage(), clock: manualClock() });
      const { Own, session } = signedIn();
      const Queued = Own.with({ proxy: { use: [outbox] } });
      const task = await Queued.load(7);
      task.title = 'Plan B';
      server.reply({ drop: true });
      await expect(task.save()).rejects.toMatchObject({ queued: true });
      take(session as never);
      task.body = 'typed';
      await outbox.send();
      await outbox.drained();
      expect(sent()).toEqual(Array(2).fill(['PATCH', '/a/tasks/7', { title: 'Plan B' }]));
      expect([task.$.modified, outbox.failed]).toEqual([{ body: 'typed' }, []]);
      await outbox.close();
    },
  );
});

const IDS = [undefined, null, 9] as const;

describe('a save whose record loses its id', () => {
  test.each(IDS)('while it waits behind another save goes to the id that the server knows: %s', async (id) => {
    const task = await Task.load(7);
    task.title = 'first';
    const held = server.hold();
    const first = task.save();
    const request = await held.request;
    task.title = 'second';
    const second = task.save();
    task.id = id as number;
    held.answer(answer(request));
    await Promise.all([first, second]);
    expect(sent()).toEqual([
      ['PATCH', '/tasks/7', { title: 'first' }],
      ['PATCH', '/tasks/7', { title: 'second' }],
    ]);
    expect(task.$.modified).toEqual({ id });
  });

  test.each(IDS)('while its row is read first goes to the id that the server knows: %s', async (id) => {
    const Whole = Task.with({ proxy: { actionMethods: { update: 'PUT' } } });
    server.reply({ status: 201, headers: { Location: '/tasks/7' } });
    const task = new Whole({ title: 'Plan' });
    await task.save();
    task.title = 'Plan B';
    const held = server.hold();
    const saving = task.save();
    const request = await held.request;
    task.id = id as number;
    held.answer(answer(request));
    await saving;
    expect(sent().at(-1)).toEqual(['PUT', '/tasks/7', { id: 7, title: 'Plan B', body: '', userId: 1 }]);
    expect(task.$.modified).toEqual({ id });
  });

  test.each(IDS)('while its keyed create is repeated creates one record: %s', async (id) => {
    const Keyed = Task.with({ proxy: { use: [idempotency()] } });
    const task = new Keyed({ title: 'Plan' });
    server.reply({ drop: true });
    await expect(task.save()).rejects.toMatchObject({ code: 'network' });
    const held = server.hold();
    const saving = task.save();
    const request = await held.request;
    task.id = id as number;
    held.answer(answer(request));
    await saving;
    expect(sent()).toEqual(Array(2).fill(['POST', '/tasks', { title: 'Plan' }]));
    expect([task.phantom, [...rows.keys()]]).toEqual([false, [7, 102]]);
  });

  test.each(IDS)('while an outbox keeps it goes to the id that the server knows: %s', async (id) => {
    const outbox = await openOutbox({ scope: 'me', storage: memoryStorage(), clock: manualClock() });
    const task = await Task.with({ proxy: { use: [outbox] } }).load(7);
    task.title = 'Plan B';
    server.reply({ drop: true });
    await expect(task.save()).rejects.toMatchObject({ queued: true });
    task.id = id as number;
    await outbox.send();
    await outbox.drained();
    expect(sent()).toEqual(Array(2).fill(['PATCH', '/tasks/7', { title: 'Plan B' }]));
    expect(task.$.modified).toEqual({ id });
    await outbox.close();
  });
});

const REFERENCES = [undefined, null, 5] as const;

describe('a save whose reference is taken away', () => {
  /** A task that refers to a new user whose create is in flight, and the save of the task, which waits for it. */
  async function waiting() {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Plan', userId: user.id });
    const held = server.hold();
    const creating = user.save();
    const request = await held.request;
    const saving = task.save();
    return { user, task, creating, saving, arrive: () => held.answer(answer(request)), held };
  }

  test.each(REFERENCES)('while it waits for the new record sends the reference of its call: %s', async (other) => {
    const { user, task, creating, saving, arrive } = await waiting();
    task.userId = other as number;
    arrive();
    await Promise.all([creating, saving]);
    expect(sent()).toEqual([
      ['POST', '/users', { name: 'Ada' }],
      ['POST', '/tasks', { title: 'Plan', userId: user.id }],
    ]);
    expect([task.userId, task.$.modified]).toEqual([other, { userId: other }]);
  });

  test('while it waits, and the new record is refused, is told, and keeps the values', async () => {
    const { task, creating, saving, held } = await waiting();
    task.userId = 5;
    held.answer({ status: 422 });
    await expect(creating).rejects.toThrow();
    await expect(saving).rejects.toMatchObject({ code: 'dependency' });
    expect([task.$.saving, task.title, task.userId, sent().length]).toEqual([false, 'Plan', 5, 1]);
    await task.save();
    expect(sent().at(-1)).toEqual(['POST', '/tasks', { title: 'Plan', userId: 5 }]);
  });

  test('while it waits, and the new record is erased, is told, and keeps the values', async () => {
    const { user, task, creating, saving, arrive } = await waiting();
    const erasing = user.erase();
    arrive();
    await Promise.all([creating, erasing]);
    await saving.catch(() => undefined);
    expect([task.$.saving, task.title]).toEqual([false, 'Plan']);
    task.userId = null;
    await task.save();
    expect(sent().at(-1)?.[2]).toMatchObject({ userId: null });
  });

  test.each(REFERENCES)('while it waits behind another save sends the reference of its call: %s', async (other) => {
    const task = await Task.load(7);
    task.title = 'first';
    const held = server.hold();
    const first = task.save();
    const request = await held.request;
    const user = new User({ name: 'Ada' });
    task.userId = user.id;
    const second = task.save();
    const creating = user.save();
    task.userId = other as number;
    held.answer(answer(request));
    await Promise.all([first, second, creating]);
    expect(sent().at(-1)).toEqual(['PATCH', '/tasks/7', { userId: user.id }]);
    expect([task.userId, task.$.modified]).toEqual([other, { userId: other }]);
  });

  test.each(REFERENCES)('while its keyed create is repeated sends what it sent first: %s', async (other) => {
    const Keyed = Task.with({ proxy: { use: [idempotency()] } });
    const user = new User({ name: 'Ada' });
    await user.save();
    const task = new Keyed({ title: 'Plan', userId: user.id });
    server.reply({ drop: true });
    await expect(task.save()).rejects.toMatchObject({ code: 'network' });
    const held = server.hold();
    const saving = task.save();
    const request = await held.request;
    task.userId = other as number;
    held.answer(answer(request));
    await saving;
    expect(sent().slice(1)).toEqual(Array(2).fill(['POST', '/tasks', { title: 'Plan', userId: user.id }]));
    expect([task.userId, task.$.modified]).toEqual([other, { userId: other }]);
  });

  test.each(REFERENCES)('while `sync()` creates the new record sends the reference of its call: %s', async (other) => {
    const users = new Store({ model: User });
    const tasks = new Store({ model: Task });
    const [user] = users.add({ name: 'Ada' }) as [User];
    const [task] = tasks.add({ title: 'Plan', userId: user.id }) as [Task];
    const held = server.hold();
    const syncing = Promise.all([users.sync(), tasks.sync()]);
    const request = await held.request;
    task.userId = other as number;
    held.answer(answer(request));
    const batches = await syncing;
    expect(batches.map(({ failures }) => failures.length)).toEqual([0, 0]);
    expect(sent().at(-1)).toEqual(['POST', '/tasks', { title: 'Plan', userId: user.id }]);
    expect([task.userId, task.$.modified]).toEqual([other, { userId: other }]);
  });
});
