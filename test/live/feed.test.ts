import { DefinitionError, Model, plain, Session, StateError, Store } from 'repose';
import { feed } from 'repose/live';
import { type RestServer, restServer } from 'repose/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { settled, startFeed } from './support.js';

let server: RestServer;
/** Every response waits for this, made as the server was when the request came. */
let delay: Promise<void> | undefined;
beforeEach(() => {
  delay = undefined;
  server = restServer({
    collections: {
      '/tasks': [
        { id: 1, title: 'a', rev: 1 },
        { id: 2, title: 'b', rev: 1 },
      ],
    },
  });
});

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', note: 'string', rev: 'int' },
  proxy: {
    type: 'rest',
    url: '/tasks',
    baseUrl: 'http://test.local',
    dialect: plain(),
    fetch: async (...call) => {
      const response = await server.fetch(...call);
      await delay;
      return response;
    },
  },
}) {}
class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' } }) {}

const store = () => new Store({ model: Task, pageSize: 0 });
const titles = (of: Store<Task>) => [...of].map(({ title }) => title);
const reads = () => server.requests.length;

describe('changes', () => {
  test('put, replace and remove rows, once for all that come in a time', async () => {
    const tasks = store();
    const { connection, clock, feed: live } = await startFeed(tasks);
    connection.sink.live();
    await tasks.load();
    let events = 0;
    tasks.on('change', () => (events += 1));
    const { changes } = connection.sink;
    changes([{ row: { id: 3, title: 'c' } }, { row: { id: 1, title: 'z' } }]);
    changes([{ removed: 2 }, { row: { id: 1, title: 'y' } }], '7');
    expect(titles(tasks)).toEqual(['a', 'b']);
    clock.advance(50);
    await settled();
    expect([titles(tasks), events, live.state.get().status, reads()]).toEqual([['y', 'c'], 1, 'live', 1]);
  });

  test('keep edits, and show what has changed underneath', async () => {
    const tasks = store();
    const { send } = await startFeed(tasks);
    await send([]);
    await tasks.load();
    const [task] = [...tasks] as [Task];
    task.title = 'mine';
    await send([{ row: { id: 1, title: 'theirs' } }, { removed: 1 }, { row: { id: 1, title: 'theirs', rev: 2 } }]);
    expect([task.title, task.rev, task.$.state.get().newer]).toMatchObject(['mine', 2, { title: 'theirs' }]);
  });

  test.each([
    ['a row after its removal is there', [{ removed: 1 }, { row: { id: 1, title: 'back' } }], ['back', 'b']],
    ['a removal after a row removes it', [{ row: { id: 1, title: 'x' } }, { removed: 1 }], ['b']],
    ['ids of both types are one row', [{ row: { id: 1, title: 'x' } }, { removed: '1' }], ['b']],
    ['a change of another model is passed over', [{ row: { id: 1, title: 'x' }, model: 'user' }], ['a', 'b']],
    ['a change that names the model is taken', [{ row: { id: 1, title: 'x' }, model: 'task' }], ['x', 'b']],
  ])('%s', async (_, changes, shown) => {
    const tasks = store();
    const { send } = await startFeed(tasks);
    await send([]);
    await tasks.load();
    await send(changes);
    expect(titles(tasks)).toEqual(shown);
  });

  test('an older version never replaces a newer one, in one delivery or in two', async () => {
    const tasks = store();
    const { send } = await startFeed(tasks, { version: 'rev' });
    await send([]);
    await tasks.load();
    await send([{ row: { id: 1, title: 'third', rev: 3 } }, { row: { id: 1, title: 'second', rev: 2 } }]);
    await send([{ row: { id: 2, title: 'old', rev: 0 } }]);
    expect(titles(tasks)).toEqual(['third', 'b']);
  });

  const late: [string, (tasks: Store<Task>) => { id: number; call: Promise<unknown> }][] = [
    ['save of another field', (tasks) => ({ id: 1, call: tasks.getById(1)?.set({ note: 'mine' }).save() as never })],
    ['save of the same field', (tasks) => ({ id: 1, call: tasks.getById(1)?.set({ title: 'mine' }).save() as never })],
    ['load of the record', (tasks) => ({ id: 1, call: tasks.getById(1)?.load() as never })],
    ['load of the list', (tasks) => ({ id: 1, call: tasks.load() })],
    ['create', (tasks) => ({ id: 3, call: tasks.add({ title: 'c', rev: 1 })[0]?.save() as never })],
  ];

  test.each(late)('a late answer to a %s does not bring an older row back', async (_, begin) => {
    const tasks = store();
    const { send } = await startFeed(tasks, { version: 'rev' });
    await send([]);
    await tasks.load();
    let release = () => {};
    delay = new Promise((resolve) => (release = resolve));
    const { id, call } = begin(tasks);
    await settled();
    await send([{ row: { id, title: 'theirs', rev: 5 } }]);
    release();
    await call;
    const task = tasks.getById(id);
    expect([task?.title, task?.rev, task?.dirty, tasks.count]).toEqual(['theirs', 5, false, id === 3 ? 3 : 2]);
    delay = undefined;
    await send([{ row: { id, title: 'theirs later', rev: 6 } }]);
    expect(tasks.getById(id)?.title).toBe('theirs later');
  });

  test('a version that a function cannot read in an answer breaks no save, and a created record takes its answer', async () => {
    const tasks = store();
    const { send } = await startFeed(tasks, { version: (row) => (row['meta'] as { v: number }).v });
    await send([]);
    await tasks.load();
    await send([{ row: { id: 1, title: 'a', meta: { v: 1 } } }]);
    const [added] = tasks.add({ title: 'c', rev: 9 }) as [Task];
    await added.save();
    await tasks.getById(1)?.set({ title: 'mine' }).save();
    await tasks.load();
    expect([added.phantom, titles(tasks)]).toEqual([false, ['mine', 'b', 'c']]);
  });

  test('a late answer keeps what it has saved where the row of the feed does not bring it', async () => {
    const tasks = store();
    const { send } = await startFeed(tasks, { version: 'rev' });
    await send([]);
    await tasks.load();
    const task = tasks.getById(1) as Task;
    let release = () => {};
    delay = new Promise((resolve) => (release = resolve));
    const saved = task.set({ note: 'mine' }).save();
    await settled();
    await send([{ row: { id: 1, title: 'theirs', rev: 5 } }]);
    release();
    await saved;
    expect([task.title, task.note, task.rev, task.dirty]).toEqual(['theirs', 'mine', 5, false]);
  });

  test('a PUT keeps what an older read has brought and the newer row lacks', async () => {
    const Part = class extends Task.with({
      proxy: { actionMethods: { update: 'PUT' }, reader: { rows: 'incomplete' } },
    }) {};
    const tasks = new Store({ model: Part, pageSize: 0 });
    const { send } = await startFeed(tasks as unknown as Store<Task>, { version: 'rev' });
    await send([]);
    await tasks.load();
    server.setRows('/tasks', [{ id: 1, title: 'a', rev: 4, note: 'kept', place: 'Oslo' }]);
    let release = () => {};
    delay = new Promise((resolve) => (release = resolve));
    const saved = tasks.getById(1)?.set({ title: 'mine' }).save();
    await settled();
    // Comes while the row is read before the PUT.
    await send([{ row: { id: 1, rev: 5 } }]);
    release();
    await saved;
    expect(server.rows('/tasks')).toMatchObject([{ id: 1, title: 'mine', note: 'kept', place: 'Oslo' }]);
  });

  test('the answer to a create counts also where its version is a default of the model, ahead of the server', async () => {
    const answer = { id: 3, title: 'c', note: 'of the server', rev: 1 };
    class Dated extends Model.define({
      name: 'task',
      fields: { id: 'int', title: 'string', note: 'string', rev: { type: 'int', defaultValue: () => 99 } },
      proxy: {
        type: 'rest',
        url: '/tasks',
        baseUrl: 'http://test.local',
        dialect: plain(),
        fetch: async (...call) =>
          call[1]?.method === 'POST' ? Response.json(answer, { status: 201 }) : server.fetch(...call),
      },
    }) {}
    const tasks = new Store({ model: Dated, pageSize: 0 });
    const { send } = await startFeed(tasks as unknown as Store<Task>, { version: 'rev' });
    await send([]);
    await tasks.load();
    await send([{ row: { id: 1, title: 'theirs', rev: 2 } }]);
    const [added] = tasks.add({ title: 'c' }) as [Dated];
    await added.save();
    expect([added.id, added.note, added.rev, added.dirty]).toEqual([3, 'of the server', 1, false]);
  });

  test('a wrong change is told, does not keep the others back, and what it has changed is read', async () => {
    const tasks = store();
    const { send, feed: live } = await startFeed(tasks);
    await send([]);
    await tasks.load();
    server.setRows('/tasks', [{ id: 1, title: 'read again' }]);
    await send(['nonsense' as never, { row: { title: 'without an id' } }, { row: { id: 2, title: 'y' } }]);
    expect([titles(tasks), reads(), live.state.get().behind]).toEqual([['read again'], 2, false]);
  });
});

describe('connections', () => {
  test('are opened again after waits that double, with the cursor behind what was taken', async () => {
    const tasks = store();
    const test = await startFeed(tasks, { backoff: { base: 100, max: 300 } });
    await test.send([{ row: { id: 1, title: 'x' } }], 'c1');
    const waits: unknown[] = [];
    for (const error of [undefined, new Error('lost'), new Error('lost'), new Error('lost')]) {
      test.connection.end(error);
      await settled();
      waits.push([test.feed.state.get().status, test.clock.waiting.at(-1)]);
      test.clock.advance(test.clock.waiting.at(-1) as number);
      await settled();
    }
    expect(waits).toEqual([
      ['waiting', 100],
      ['waiting', 200],
      ['waiting', 300],
      ['waiting', 300],
    ]);
    expect(test.connections.map(({ cursor }) => cursor)).toEqual([undefined, 'c1', 'c1', 'c1', 'c1']);
    expect(test.feed.state.get().error?.message).toBe('lost');
    test.connection.sink.live();
    expect(test.feed.state.get()).toEqual({ status: 'live', behind: false, error: undefined });
  });

  test('without a cursor, a new one is a gap: what is on show is read again, edits are kept', async () => {
    const tasks = store();
    const test = await startFeed(tasks);
    test.connection.sink.live();
    await tasks.load();
    const [first, second] = [...tasks] as [Task, Task];
    first.title = 'mine';
    test.connection.end();
    await settled();
    server.setRows('/tasks', [
      { id: 1, title: 'theirs' },
      { id: 3, title: 'new' },
    ]);
    expect([tasks.status.get().stale, reads()]).toEqual([false, 1]);
    test.clock.advance(1000);
    await settled();
    expect([test.feed.state.get(), tasks.status.get().stale]).toMatchObject([
      { status: 'connecting', behind: true },
      true,
    ]);
    test.connection.sink.live();
    await settled();
    expect([titles(tasks), reads(), second.erased, test.feed.state.get().behind]).toEqual([
      ['mine', 'new'],
      2,
      false,
      false,
    ]);
  });

  test('what was read before the first one is live is read again', async () => {
    const tasks = store();
    await tasks.load();
    const test = await startFeed(tasks);
    server.setRows('/tasks', [{ id: 9, title: 'between' }]);
    test.connection.sink.live();
    await settled();
    expect([titles(tasks), reads()]).toEqual([['between'], 2]);
  });

  test('a load that begins after it is live is not repeated: it shows what was before the first event', async () => {
    const tasks = store();
    const test = await startFeed(tasks);
    test.connection.sink.live();
    await tasks.load();
    await settled();
    expect([test.feed.state.get().behind, reads()]).toEqual([false, 1]);
  });

  test('a load that is in flight when it becomes live is read again, and not aborted', async () => {
    const tasks = store();
    const test = await startFeed(tasks);
    server.fetch.plan({ type: 'hold', what: 'answer' });
    const loaded = tasks.load();
    await settled();
    test.connection.sink.live();
    server.setRows('/tasks', [{ id: 9, title: 'between' }]);
    server.fetch.release();
    expect((await loaded).length).toBe(2);
    await settled();
    expect([titles(tasks), reads()]).toEqual([['between'], 2]);
  });

  test('a reset of the server is a gap; a failed read is tried again until it succeeds', async () => {
    const tasks = store();
    const test = await startFeed(tasks);
    test.connection.sink.live();
    await tasks.load();
    server.fetch.plan({ type: 'status', status: 500 }, { type: 'drop' });
    server.setRows('/tasks', [{ id: 9, title: 'later' }]);
    test.connection.sink.reset('gap');
    await settled();
    expect([test.feed.state.get().behind, test.feed.state.get().error?.name]).toEqual([true, 'HttpError']);
    test.clock.advance(1000);
    await settled();
    test.clock.advance(2000);
    await settled();
    expect([titles(tasks), test.feed.state.get()]).toEqual([
      ['later'],
      { status: 'live', behind: false, error: undefined },
    ]);
  });

  test('a refusal ends them until `reconnect()`; the network ends a wait', async () => {
    const tasks = store();
    const page = new EventTarget();
    const test = await startFeed(tasks, { events: page as never });
    test.connection.end(new StateError('foreign', 'feed-change', {}));
    await settled();
    expect([test.feed.state.get().status, test.clock.waiting]).toEqual(['failed', []]);
    test.feed.reconnect();
    await settled();
    test.connection.end(new Error('lost'));
    await settled();
    page.dispatchEvent(new Event('online'));
    await settled();
    expect([test.connections.length, test.feed.state.get().status]).toEqual([3, 'connecting']);
  });

  test('end with the feed and with the store; what has come is taken, what comes later is not', async () => {
    const tasks = store();
    const test = await startFeed(tasks);
    test.connection.sink.live();
    await tasks.load();
    const { connection } = test;
    connection.sink.changes([{ row: { id: 1, title: 'last' } }]);
    test.feed.close();
    connection.sink.changes([{ row: { id: 1, title: 'too late' } }]);
    test.clock.advance(10_000);
    await settled();
    expect([titles(tasks)[0], connection.signal.aborted, test.feed.state.get().status]).toEqual([
      'last',
      true,
      'closed',
    ]);
    expect([test.connections.length, test.clock.waiting]).toEqual([1, []]);
    const other = await startFeed(tasks);
    tasks.dispose();
    expect([other.feed.state.get().status, other.connection.signal.aborted]).toEqual(['closed', true]);
  });
});

test('an empty cursor is none, so that the next connection is a gap', async () => {
  const tasks = store();
  const { send, clock, connection, connections, feed: live } = await startFeed(tasks);
  await send([], '7');
  await tasks.load();
  const before = reads();
  await send([], '');
  connection.end();
  await settled();
  clock.advance(1000);
  await settled();
  expect(connections.at(-1)?.cursor).toBeUndefined();
  connections.at(-1)?.sink.live();
  await settled();
  expect([reads() - before, live.state.get().behind]).toEqual([1, false]);
});

test('the error of a wrong change goes when what it may have changed was read', async () => {
  const tasks = store();
  const { send, feed: live } = await startFeed(tasks);
  await send([]);
  await tasks.load();
  await send(['nonsense' as never]);
  expect(live.state.get()).toMatchObject({ status: 'live', behind: false, error: undefined });
});

test('a feed of a session ends with the session', async () => {
  const session = new Session();
  const { feed: live, connection } = await startFeed(session as never, { models: [Task] });
  session.dispose();
  expect([live.state.get().status, connection.signal.aborted, session.disposed]).toEqual(['closed', true, true]);
});

test('a session gives changes to its stores and to records on screen that no store holds', async () => {
  const session = new Session();
  const tasks = new Store({ model: Task, pageSize: 0, session });
  const task = await session.load(Task, 2);
  const stop = task.$.state.subscribe(() => undefined);
  const test = await startFeed(session as never, { models: [Task, User] });
  test.connection.sink.live();
  await settled();
  await tasks.load();
  await test.send([
    { row: { id: 1, title: 'x' }, model: 'task' },
    { row: { id: 2, title: 'y' }, model: 'task' },
    { row: { id: 5, name: 'Ada' }, model: 'user' },
    { row: { id: 6 }, model: 'unknown' },
    { row: { id: 1, title: 'of no model' } },
  ]);
  expect([titles(tasks), task.title]).toEqual([['x', 'y'], 'y']);
  tasks.dispose();
  server.setRows('/tasks', [{ id: 2, title: 'read' }]);
  test.connection.sink.reset('gap');
  await settled();
  expect(task.title).toBe('read');
  stop();
});

test('a store of a session that loads when the feed becomes live is read again after its load', async () => {
  const session = new Session();
  const tasks = new Store({ model: Task, pageSize: 0, session });
  server.fetch.plan({ type: 'hold', what: 'answer' });
  const loaded = tasks.load();
  await settled();
  const test = await startFeed(session as never, { models: [Task] });
  test.connection.sink.live();
  server.setRows('/tasks', [{ id: 9, title: 'between' }]);
  server.fetch.release();
  expect((await loaded).length).toBe(2);
  await settled();
  expect([titles(tasks), reads(), test.feed.state.get().behind]).toEqual([['between'], 2, false]);
});

test('a store of the small entry has a feed as well', async () => {
  const tasks = new Store({ model: Task, pageSize: 0 });
  const { send } = await startFeed(tasks as never);
  await send([]);
  await tasks.load();
  await send([{ row: { id: 1, title: 'x' } }]);
  expect(tasks.getById(1)?.title).toBe('x');
});

test.each<[string, () => unknown, string]>([
  ['no store', () => feed({} as never, { open: async () => undefined }), 'feed-target'],
  ['no `open`', () => feed(store(), {} as never), 'feed-open'],
  ['a session without models', () => feed(new Session(), { open: async () => undefined }), 'feed-models'],
])('%s is refused', (_, act, reason) => {
  expect(act).toThrow(expect.objectContaining({ reason, constructor: DefinitionError }) as never);
});
