import { Model, plain, Session, Store } from 'repose';
import { type RestServer, restServer } from 'repose/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { settled, startFeed } from './support.js';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly done: boolean;
}
let server: RestServer;
let rows: Row[] = [];
let failures = 0;
beforeEach(() => {
  rows = [1, 2, 3, 4, 5].map((id) => ({ id, title: `${id}`, done: false }));
  server = restServer({ collections: { '/tasks': rows } });
});

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', done: 'boolean' },
  proxy: {
    type: 'rest',
    url: '/tasks',
    baseUrl: 'http://test.local',
    dialect: plain(),
    fetch: (...call) => {
      failures -= 1;
      return failures === 0 ? Promise.reject(new TypeError('offline')) : server.fetch(...call);
    },
  },
}) {}

const ids = (tasks: Store<Task>) => [...tasks].map(({ id }) => id);
const reads = () => server.requests.filter(({ method }) => method === 'GET').length;

/** The first three open tasks, which a feed follows; the reads of the start are over. */
async function opened(refresh = true) {
  const tasks = new Store({ model: Task, pageSize: 3, filters: [{ property: 'done', value: false }] });
  const live = await startFeed(tasks, { refresh });
  live.connection.sink.live();
  await tasks.load();
  live.clock.advance(1000);
  /** Writes a row on the server, and sends it. */
  const write = async (row: Row) => {
    rows = [...rows.filter(({ id }) => id !== row.id), row].sort((a, b) => a.id - b.id);
    server.setRows('/tasks', rows);
    await live.send([{ row }]);
  };
  return { ...live, tasks, write, clock: live.clock, state: live.feed.state };
}

describe('a list that follows a feed with `refresh`', () => {
  test('shows a created row in its place', async () => {
    const { tasks, send } = await opened();
    const row = { id: 9, title: 'new', done: false };
    server.setRows('/tasks', [row, ...rows]);
    await send([{ row }]);
    expect([ids(tasks), tasks.status.get().stale, tasks.total]).toEqual([[9, 1, 2], false, 6]);
  });

  test('loses a row that leaves its filter, and fills up', async () => {
    const { tasks, write } = await opened();
    await write({ id: 2, title: '2', done: true });
    expect([ids(tasks), tasks.status.get().stale, tasks.total]).toEqual([[1, 3, 4], false, 4]);
  });

  test('is not read for rows that its filter excludes', async () => {
    const { write } = await opened();
    const before = reads();
    await write({ id: 9, title: 'x', done: true });
    expect(reads()).toBe(before);
  });

  test('is read at most once per second, and the last change is on show', async () => {
    const { tasks, write, clock } = await opened();
    const before = reads();
    for (const id of [1, 2, 3]) await write({ id, title: 'x', done: true });
    expect([reads() - before, ids(tasks)]).toEqual([1, [2, 3, 4]]);
    clock.advance(1000 - 3 * 50);
    await settled();
    expect(reads() - before).toBe(1);
    clock.advance(100);
    await settled();
    expect([reads() - before, ids(tasks), tasks.status.get().stale]).toEqual([2, [4, 5], false]);
  });

  test('is read for a change that comes while it is being read', async () => {
    const { tasks, write, clock } = await opened();
    await write({ id: 1, title: 'x', done: true });
    await write({ id: 2, title: 'x', done: true });
    clock.advance(1000);
    await settled();
    expect([ids(tasks), tasks.status.get().stale]).toEqual([[3, 4, 5], false]);
  });

  test('says `behind` until it was read, and tries again after a failure', async () => {
    const { tasks, write, clock, state } = await opened();
    failures = 1;
    await write({ id: 1, title: 'x', done: true });
    expect([state.get().behind, tasks.status.get().stale]).toEqual([true, true]);
    clock.advance(5000);
    await settled();
    expect([state.get().behind, ids(tasks)]).toEqual([false, [2, 3, 4]]);
  });

  test('is read no more after close()', async () => {
    const { write, feed, clock } = await opened();
    await write({ id: 1, title: 'x', done: true });
    await write({ id: 2, title: 'x', done: true });
    const before = reads();
    feed.close();
    clock.advance(5000);
    await settled();
    expect(reads()).toBe(before);
  });

  test('is read without the other lists of its session', async () => {
    const session = new Session();
    const open = { property: 'done', value: false } as const;
    const tasks = new Store({ model: Task, session, pageSize: 3, filters: [open] });
    const all = new Store({ model: Task, session, pageSize: 0 });
    const live = await startFeed(session as never, { refresh: true, models: [Task] } as never);
    live.connection.sink.live();
    await Promise.all([tasks.load(), all.load()]);
    live.clock.advance(1000);
    const before = reads();
    const row = { id: 2, title: '2', done: true };
    rows = rows.map((each) => (each.id === 2 ? row : each));
    server.setRows('/tasks', rows);
    await live.send([{ row }]);
    expect([reads() - before, ids(tasks), ids(all)]).toEqual([1, [1, 3, 4], [1, 2, 3, 4, 5]]);
  });

  test('is one of a session too', async () => {
    const session = new Session();
    const tasks = new Store({ model: Task, session, pageSize: 3 });
    const live = await startFeed(session as never, { refresh: true, models: [Task] } as never);
    live.connection.sink.live();
    await tasks.load();
    live.clock.advance(1000);
    rows = rows.slice(1);
    server.setRows('/tasks', rows);
    await live.send([{ removed: 1 }, { row: { id: 99, title: 'new', done: false } }]);
    expect([ids(tasks), tasks.status.get().stale]).toEqual([[2, 3, 4], false]);
  });
});

test('without `refresh` a list says that it is stale, and is not read', async () => {
  const { tasks, write } = await opened(false);
  const before = reads();
  await write({ id: 2, title: '2', done: true });
  expect([reads() - before, tasks.status.get().stale]).toEqual([0, true]);
});
