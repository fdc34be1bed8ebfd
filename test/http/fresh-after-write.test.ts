import { etags, Model, plain, Store } from 'repose';
import { describe, expect, test } from 'vitest';

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
