import { etags, Model, plain, Session, Store } from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';

/** A browser's `fetch` with its HTTP cache: lists are fresh for a minute, and a write removes the entry of its own address only. */
function cachingFetch() {
  const row = { id: 1, title: 'old' };
  const cache = new Map<string, string>();
  const modes: string[] = [];
  const caching: typeof fetch = async (input, { method = 'GET', body, cache: mode = 'default' } = {}) => {
    const key = String(input);
    const headers = { 'Content-Type': 'application/json', ETag: '"1"' };
    if (method !== 'GET') {
      if (body) Object.assign(row, JSON.parse(String(body)));
      cache.delete(key);
      return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(row);
    }
    modes.push(mode);
    const isOne = key.endsWith('/1');
    if (mode !== 'default' || !cache.has(key)) cache.set(key, JSON.stringify(isOne ? row : [row]));
    return new Response(cache.get(key), { headers });
  };
  return { caching, modes };
}

function setUp(use: readonly unknown[] = []) {
  const { caching, modes } = cachingFetch();
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: {
      type: 'rest',
      baseUrl: 'https://a.example',
      url: '/tasks',
      dialect: plain(),
      fetch: caching,
      use: use as never,
    },
  }) {}
  return { Task, modes };
}

type Listed = InstanceType<ReturnType<typeof setUp>['Task']>;

describe('a read behind a write of its collection', () => {
  test('asks the server where the HTTP cache of the browser would answer', async () => {
    const { Task, modes } = setUp();
    const tasks = new Store({ model: Task, pageSize: 0 });
    await tasks.load();
    await tasks.reload();
    const task = tasks.getById(1);
    task?.set({ title: 'new' });
    await task?.save();
    await tasks.reload();
    expect([task?.title, task?.dirty, modes]).toEqual(['new', false, ['default', 'default', 'no-cache']]);
    expect((await Task.load(1)).title).toBe('new');
  });

  test.each([
    ['a create', (Task: ReturnType<typeof setUp>['Task']) => new Task({ title: 'b' }).save()],
    ['an erase', (Task: ReturnType<typeof setUp>['Task']) => Task.fromRow({ id: 1, title: 'old' }).erase()],
  ])('also behind %s', async (_, write) => {
    const { Task, modes } = setUp();
    await write(Task);
    await new Store({ model: Task, pageSize: 0 }).load();
    expect(modes).toEqual(['no-cache']);
  });

  test('also while the write is on its way, and in a list that is made later', async () => {
    const { Task, modes } = setUp();
    const saving = Task.fromRow({ id: 1, title: 'old' }).set({ title: 'new' }).save();
    const loading = new Store({ model: Task, pageSize: 0 }).load();
    await Promise.all([saving, loading]);
    await new Store({ model: Task, pageSize: 0 }).load();
    expect(modes.at(-1)).toBe('no-cache');
  });

  test.each([
    ['a save', (task: Listed) => task.set({ title: 'new' }).save()],
    ['an erase', (task: Listed) => task.erase()],
  ])('asks the server in a store with a proxy of its own behind %s by the proxy of the model', async (_, write) => {
    const { Task, modes } = setUp();
    const tasks = new Store({ model: Task, pageSize: 0, proxy: {} });
    await tasks.load();
    await write(tasks.getById(1) as Listed);
    await tasks.reload();
    expect(modes).toEqual(['default', 'no-cache']);
  });

  test('asks the server in all stores of its session, whichever proxy has written', async () => {
    const { Task, modes } = setUp();
    const session = new Session();
    const other = new Store({ model: Task, session, pageSize: 0, proxy: {} });
    await other.load();
    await session.create(Task, { title: 'b' }).save();
    await other.reload();
    const own = new Store({ model: Task, session, pageSize: 0, proxy: {} });
    const third = new Store({ model: Task, session, pageSize: 0, proxy: {} });
    own.add({ title: 'c' });
    (await own.sync()).orThrow();
    await third.load();
    expect(modes).toEqual(['default', 'no-cache', 'no-cache']);
  });

  test('asks the server behind a write that an outbox sends later, also in lists with another proxy', async () => {
    const { Task, modes } = setUp();
    const nothing = () => () => undefined;
    const connection = { online: false, onOnline: nothing, onOffline: nothing };
    const outbox = await openOutbox({ scope: 'fresh', storage: memoryStorage(), models: [Task], connection });
    const session = new Session();
    const queued = new Store({ model: Task, session, pageSize: 0, proxy: { use: [outbox] } });
    const other = new Store({ model: Task, session, pageSize: 0 });
    queued.add({ title: 'b' });
    await queued.sync();
    await other.load();
    expect([modes, outbox.size]).toEqual([['default'], 1]);
    connection.online = true;
    await outbox.send();
    await other.reload();
    expect([modes, outbox.size]).toEqual([['default', 'no-cache'], 0]);
    await outbox.close();
  });

  test('asks the server also with parameters that the store gets behind the write', async () => {
    const { Task, modes } = setUp();
    const tasks = new Store({ model: Task, pageSize: 0 });
    tasks.setExtraParams({ archived: false });
    await tasks.load();
    tasks.setExtraParams({ archived: true });
    await tasks.load();
    await (tasks.getById(1) as Listed).set({ title: 'new' }).save();
    tasks.setExtraParams({ archived: false });
    await tasks.load();
    expect([tasks.getAt(0)?.title, modes]).toEqual(['new', ['default', 'default', 'no-cache']]);
  });

  test('leaves a read with a condition, which the platform asks the server by itself', async () => {
    const { Task, modes } = setUp([etags({ unknown: 'send' })]);
    const task = await Task.load(1);
    const other = Task.fromRow({ id: 1, title: 'x' });
    await other.set({ title: 'y' }).save();
    await task.$.reload();
    expect(modes).toEqual(['default', 'default']);
  });

  test('of another collection is left alone', async () => {
    const { Task } = setUp();
    const { Task: Other, modes } = setUp();
    await new Task({ title: 'b' }).save();
    await new Store({ model: Other, pageSize: 0 }).load();
    expect(modes).toEqual(['default']);
  });
});
