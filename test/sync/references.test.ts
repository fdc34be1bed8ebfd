import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DependencyError, HttpError, type Model, rollback, Session, Store, sync } from 'repose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ModelDefinition } from '../../src/model/model-definition.js';
import { DEFINITION } from '../../src/model/symbols.js';
import { pageOf, withoutPage } from '../helpers/error-page.js';
import { eventLog, tick } from '../store/support.js';
import { accepting, Note, sentLines, server, Task, User } from './support.js';

const stores = () => ({
  users: new Store({ model: User, pageSize: 0 }),
  tasks: new Store({ model: Task, pageSize: 0, data: [{ id: 1, title: 'saved', ownerId: 5 }] }),
  notes: new Store({ model: Note, pageSize: 0 }),
});
const add = <M extends Model>(store: Store<M>, values: object): M => store.add(values as M)[0] as M;

/** Lets the garbage collector run. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i += 1) {
    await tick();
    gc();
  }
}

describe('a new record that other records refer to', () => {
  test.each([
    ['created with its id', (ownerId: number) => new Task({ title: 'Write', ownerId })],
    ['set to its id', (ownerId: number) => new Task({ title: 'Write' }).set({ ownerId })],
  ])('is kept alive by a record %s until that record is saved', async (_, make) => {
    server.always(accepting());
    const task = await (async () => {
      const user = new User({ name: 'Ada' });
      const made = make(user.id);
      await user.save();
      return made;
    })();
    await collect();
    await task.save();
    expect(sentLines()).toEqual(['POST /users {"name":"Ada"}', 'POST /tasks {"title":"Write","ownerId":101}']);
  });

  test('can be garbage-collected once the others have its id', async () => {
    server.always(accepting());
    const task = new Task({ title: 'Write' });
    const user = await (async () => {
      const made = new User({ name: 'Ada' });
      task.ownerId = made.id;
      await made.save();
      await task.save();
      return new WeakRef(made);
    })();
    server.reset();
    await collect();
    expect([user.deref(), task.ownerId]).toEqual([undefined, 101]);
  });

  test('can be garbage-collected once sync() has given the others its id', async () => {
    server.always(accepting());
    const task = new Task({ title: 'Write' });
    const user = await (async () => {
      const { users, tasks } = stores();
      const made = add(users, { name: 'Ada' });
      tasks.add(task);
      task.ownerId = made.id;
      await users.sync();
      await tasks.sync();
      users.remove(made);
      return new WeakRef(made);
    })();
    server.reset();
    await collect();
    expect([user.deref(), task.ownerId]).toEqual([undefined, 101]);
  });

  test('is created first, and its id goes into the values and addresses of the others', async () => {
    const { users, tasks, notes } = stores();
    const user = add(users, { name: 'Ada' });
    const task = add(tasks, { title: 'Write', ownerId: user.getId() });
    const note = add(notes, { text: 'soon', taskId: task.getId() });
    server.always(accepting());
    const batch = await sync([notes, tasks, users]);
    expect(sentLines()).toEqual([
      'POST /users {"name":"Ada"}',
      'POST /tasks {"title":"Write","ownerId":101}',
      'POST /tasks/102/notes {"text":"soon","taskId":102}',
    ]);
    expect(batch.outcomes.map(({ record, error }) => [record, error])).toEqual([
      [note, undefined],
      [task, undefined],
      [user, undefined],
    ]);
    expect([task.ownerId, note.taskId, task.dirty, note.dirty]).toEqual([101, 102, false, false]);
  });

  test('is created level by level in a tree within one store', async () => {
    const { tasks } = stores();
    const [a, b] = [add(tasks, { title: 'a' }), add(tasks, { title: 'b' })];
    const child = add(tasks, { title: 'aa', parentId: a.getId() });
    add(tasks, { title: 'aaa', parentId: child.getId() });
    const slow = server.hold();
    server.always(accepting());
    const [first] = [a, b];
    const syncing = tasks.sync({ concurrency: 6 });
    await slow.request;
    // `a` is held and `b` has no children. The children of `a` are sent when `a` is answered, whatever `b` does.
    await expect.poll(() => server.requests.length).toBe(2);
    await tick();
    expect(server.requests.map(({ body }) => body.title).sort()).toEqual(['a', 'b']);
    slow.answer({ status: 201, json: { id: 50, title: 'a' } });
    const { failures } = await syncing;
    expect(failures).toEqual([]);
    expect(server.requests.slice(2).map(({ body }) => body)).toEqual([
      { title: 'aa', parentId: first?.id },
      { title: 'aaa', parentId: child.id },
    ]);
    expect(first?.phantom).toBe(false);
  });

  test('lets its children be sent while other records of its level are still in flight', async () => {
    const { tasks } = stores();
    const a = add(tasks, { title: 'a' });
    add(tasks, { title: 'aa', parentId: a.getId() });
    add(tasks, { title: 'b' });
    const answer = accepting();
    const held: (() => void)[] = [];
    server.always(async (request) => {
      if (request.body.title === 'b') await new Promise<void>((resolve) => held.push(resolve));
      return answer(request);
    });
    const syncing = tasks.sync();
    await expect.poll(() => server.requests.map(({ body }) => body.title)).toContain('aa');
    for (const go of held) go();
    expect((await syncing).failures).toEqual([]);
  });

  test('passes its id to a saved record whose reference was set to it, as an edit', async () => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = tasks.getById(1) as Task;
    task.ownerId = user.getId() as number;
    server.always(accepting());
    const log = eventLog(tasks);
    const syncing = sync([tasks, users]);
    expect(task.$.modified).toEqual({ ownerId: user.getId() });
    await syncing;
    expect(sentLines()).toEqual(
      ['POST /users {"name":"Ada"}', 'PUT /tasks/1 {"title":"saved","ownerId":101,"id":1}'].map((line) =>
        line.replace('"title":"saved","ownerId":101,"id":1', '"id":1,"title":"saved","ownerId":101'),
      ),
    );
    expect([task.ownerId, task.dirty]).toEqual([101, false]);
    expect(log.filter((line) => line === 'change ~1').length).toBeGreaterThan(0);
  });

  test('keeps the key of a referring record, whose field changes and whose store reports it', async () => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = add(tasks, { title: 'Write', ownerId: user.getId() });
    const { key } = task.$;
    tasks.flush();
    const heard: object[] = [];
    task.on('set', ({ modified }) => heard.push(modified));
    const log = eventLog(tasks);
    server.always(accepting());
    const held = server.hold();
    server.hold();
    const syncing = sync([users, tasks]);
    await held.request;
    held.answer({ status: 201, json: { id: 9 } });
    await expect.poll(() => server.requests.length).toBe(2);
    expect([task.ownerId, task.$.key, task.phantom, task.dirty]).toEqual([9, key, true, false]);
    expect(heard).toEqual([{ ownerId: 9 }]);
    // Its new parent, and the start of its own save.
    expect(log).toEqual(['change ~new', 'change ~new']);
    task.$.abort();
    await syncing;
  });

  test('passes its id to a record whose reference was set after construction', async () => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = add(tasks, { title: 'Write' });
    task.ownerId = user.getId() as number;
    server.always(accepting());
    await sync([users, tasks]);
    expect(sentLines()[1]).toBe('POST /tasks {"title":"Write","ownerId":101}');
  });

  test('passes its id to a referring record that is saved later', async () => {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Write', ownerId: user.getId() as number });
    server.always(accepting());
    await user.save();
    await task.save();
    expect(sentLines()[1]).toBe('POST /tasks {"title":"Write","ownerId":101}');
  });

  test('is waited for while it is being saved', async () => {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Write', ownerId: user.getId() as number });
    const held = server.hold();
    const [saving, following] = [user.save(), task.save()];
    await held.request;
    server.always(accepting());
    held.answer({ status: 201, json: { id: 7 } });
    await Promise.all([saving, following]);
    expect(sentLines()).toEqual(['POST /users {"name":"Ada"}', 'POST /tasks {"title":"Write","ownerId":7}']);
  });

  test.each<[string, (task: Task, tasks: Store<Task>) => Promise<unknown>]>([
    ['a save()', (task) => task.save()],
    ['another sync()', (_, tasks) => tasks.sync()],
  ])('is waited for by %s of a record that was saved before with its id', async (_, save) => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = tasks.getAt(0) as Task;
    task.ownerId = user.getId() as number;
    const held = server.hold();
    const syncing = sync([users, tasks]);
    await held.request;
    task.title = 'Read';
    const saving = save(task, tasks);
    await tick();
    server.always(accepting());
    held.answer({ status: 201, json: { id: 7 } });
    await Promise.all([syncing, saving]);
    expect([task.ownerId, task.dirty]).toEqual([7, false]);
    expect(new Set(server.requests.slice(1).map(({ body }) => body.ownerId))).toEqual(new Set([7]));
  });

  test('prevents the save of a referring record when its own save fails', async () => {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Write', ownerId: user.getId() as number });
    server.reply({ status: 422, json: { message: 'no' } });
    const [saved, followed] = await Promise.allSettled([user.save(), task.save()]);
    expect(saved.status).toBe('rejected');
    const error = (followed as PromiseRejectedResult).reason as unknown as DependencyError;
    expect(error).toBeInstanceOf(DependencyError);
    expect(error.message).toMatch(
      /^task -\d+ was not sent: its 'ownerId' refers to user -\d+, which could not be saved \(.*no\)\. Save/,
    );
    expect([error.parent, error.cause, task.$.error]).toEqual([user, user.$.error, error]);
    expect(server.requests).toHaveLength(1);
  });

  test('is waited for only until the signal aborts', async () => {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Write', ownerId: user.getId() as number });
    const held = server.hold();
    const saving = user.save();
    await held.request;
    const controller = new AbortController();
    const following = task.save({ signal: controller.signal });
    controller.abort();
    await expect(following).rejects.toMatchObject({ code: 'abort' });
    const aborted = task.save({ signal: controller.signal });
    await expect(aborted).rejects.toMatchObject({ code: 'abort' });
    held.answer({ status: 201, json: { id: 7 } });
    await saving;
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['never saved', () => {}, 'which was never saved. Save that record first'],
    ['dropped', (user: User) => void user.erase(), 'was dropped before it was saved'],
  ])('that was %s causes a DependencyError in a record that refers to it', async (_, act, why) => {
    const user = new User({ name: 'Ada' });
    const task = new Task({ title: 'Write', ownerId: user.getId() as number });
    act(user);
    await expect(task.save()).rejects.toThrow(why);
    const saved = Task.fromRow({ id: 1, ownerId: 4 });
    saved.ownerId = user.getId() as number;
    await expect(saved.save()).rejects.toMatchObject({ code: 'dependency' });
    expect(server.requests).toEqual([]);
  });

  test('that was garbage-collected causes a DependencyError, so that its temporary id is never sent', async () => {
    const { [DEFINITION]: definition } = User as unknown as Record<typeof DEFINITION, ModelDefinition>;
    const id = new User({ name: 'Ada' }).getId() as number;
    const found = vi.spyOn(definition.phantoms as NonNullable<typeof definition.phantoms>, 'get');
    found.mockReturnValue(undefined);
    onTestFinished(() => found.mockRestore());
    const task = new Task({ title: 'Write', ownerId: id });
    await expect(task.save()).rejects.toThrow(
      `its 'ownerId' refers to user ${id}, which was dropped before it was saved. Set 'ownerId'`,
    );
    expect(server.requests).toEqual([]);
  });

  test('in a circle of saves in progress causes a DependencyError, not a deadlock', async () => {
    const user = new User({ name: 'Ada' });
    const [a, b] = [new Task({ title: 'a' }), new Task({ title: 'b' })];
    a.parentId = b.getId() as number;
    b.set({ parentId: a.getId() as number, ownerId: user.getId() as number });
    const held = server.hold();
    const saves = [user.save(), b.save(), a.save()];
    await held.request;
    held.answer({ status: 201, json: { id: 7 } });
    const [, ...settled] = await Promise.allSettled(saves);
    const reasons = settled.map(
      (each) => ((each as PromiseRejectedResult).reason as unknown as DependencyError).reason,
    );
    expect(reasons).toEqual(['parent-circle', 'parent-failed']);
    expect(server.lines).toEqual(['POST /users']);
  });
});

describe('an id in a reference', () => {
  test('that belongs to no new record is sent unchanged', async () => {
    const { tasks } = stores();
    add(tasks, { title: 'a', ownerId: -9999 });
    add(tasks, { title: 'b', ownerId: 5 });
    server.always(accepting());
    await tasks.sync();
    expect(server.requests.map(({ body }) => body.ownerId)).toEqual([-9999, 5]);
  });

  test('that came in a row from the server is sent unchanged', async () => {
    const user = new User({ name: 'Ada' });
    const task = Task.fromRow({ id: 1, title: 'a', ownerId: user.getId() });
    task.title = 'b';
    server.always(accepting());
    await task.save();
    expect(server.last.body).toEqual({ id: 1, title: 'b', ownerId: user.getId() });
  });

  test('that a new record chose itself makes the referring record wait', async () => {
    const { users, tasks } = stores();
    const user = add(users, { id: 31, name: 'Ada' });
    const task = add(tasks, { title: 'Write', ownerId: 31 });
    server.always(accepting());
    await sync([tasks, users]);
    expect(sentLines()).toEqual(['POST /users {"name":"Ada"}', 'POST /tasks {"title":"Write","ownerId":101}']);
    expect([user.id, task.ownerId]).toEqual([101, 101]);
  });
});

describe('a new record that cannot be saved', () => {
  test('holds back its children and their children, and no other record', async () => {
    const { users, tasks, notes } = stores();
    const [bad, good] = [add(users, { name: 'bad' }), add(users, { name: 'good' })];
    const held = add(tasks, { title: 'held', ownerId: bad.getId() });
    const deep = add(notes, { text: 'deep', taskId: held.getId() });
    const free = add(tasks, { title: 'free', ownerId: good.getId() });
    const saved = tasks.getById(1) as Task;
    saved.ownerId = bad.getId() as number;
    const answer = accepting();
    server.always((request) =>
      request.body?.name === 'bad' ? { status: 422, json: { message: 'bad name' } } : answer(request),
    );
    const log = eventLog(tasks);
    const batch = await sync([users, tasks, notes]);
    const errors = new Map(batch.failures.map(({ record, error }) => [record as Model, error]));
    expect([...errors.keys()]).toEqual([bad, held, deep, saved]);
    const error = errors.get(held) as unknown as DependencyError;
    expect(error).toBeInstanceOf(DependencyError);
    expect(error.message).toBe(
      `task ${held.getId()} was not sent: its 'ownerId' refers to user ${bad.getId()}, which could not be saved (POST http://rest.test/users answered 422: bad name). Save that record first${pageOf('parent-failed')}`.replace(
        'POST http://rest.test/users answered 422: bad name',
        withoutPage(bad.$.error),
      ),
    );
    expect([error.code, error.parent, error.cause]).toEqual(['dependency', bad, bad.$.error]);
    expect((errors.get(deep) as unknown as DependencyError).parent).toBe(held);
    expect([held.$.error, saved.$.error]).toEqual([error, errors.get(saved)]);
    expect(JSON.stringify(error)).not.toContain('parent":');
    expect(server.requests.map(({ path }) => path)).toEqual(['/users', '/users', '/tasks']);
    expect([free.phantom, held.phantom, saved.dirty]).toEqual([false, true, true]);
    expect(log.filter((line) => line.startsWith('exception')).sort()).toEqual([
      'exception dependency create',
      'exception dependency update',
    ]);
    expect(() => batch.orThrow()).toThrow(/^4 of 6 records/);
  });

  test('lets its children be saved by the next sync, which clears their errors', async () => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = add(tasks, { title: 'Write', ownerId: user.getId() });
    server.reply({ status: 422 });
    await sync([users, tasks]);
    expect(task.$.error).toBeInstanceOf(DependencyError);
    server.always(accepting());
    expect((await sync([users, tasks])).failures).toEqual([]);
    expect([task.$.error, task.ownerId]).toEqual([undefined, 101]);
  });

  test('holds back what was saved with a reference to it; a later edit of the reference stays an edit', async () => {
    const { users, tasks } = stores();
    const user = add(users, { name: 'Ada' });
    const task = add(tasks, { title: 'Write', ownerId: user.getId() });
    const held = server.hold();
    const syncing = sync([users, tasks]);
    await held.request;
    task.ownerId = 5;
    server.always(accepting());
    held.answer({ status: 500 });
    const { failures } = await syncing;
    expect(failures.map(({ error }) => error instanceof HttpError)).toEqual([true, false]);
    expect(server.lines).toEqual(['POST /users']);
    expect(task.ownerId).toBe(5);
    await tasks.sync();
    expect(sentLines()[1]).toBe('POST /tasks {"title":"Write","ownerId":5}');
  });

  test('outside the synced stores is named in the error', async () => {
    const { tasks } = stores();
    const user = new User({ name: 'Ada' });
    add(tasks, { title: 'Write', ownerId: user.getId() });
    const { failures } = await tasks.sync();
    expect(failures.map(({ error }) => (error as unknown as DependencyError).reason)).toEqual(['parent-new']);
    expect(server.requests).toEqual([]);
  });
});

describe('new records that refer to each other in a circle', () => {
  test('are refused, as are records that refer to them; the others are sent', async () => {
    const { users, tasks, notes } = stores();
    const [a, b, self] = [add(tasks, { title: 'a' }), add(tasks, { title: 'b' }), add(tasks, { title: 'self' })];
    a.parentId = b.getId() as number;
    b.parentId = a.getId() as number;
    self.parentId = self.getId() as number;
    const behind = add(tasks, { title: 'behind', parentId: a.getId() });
    const far = add(notes, { text: 'far', taskId: behind.getId() });
    const free = add(tasks, { title: 'free' });
    const user = add(users, { name: 'Ada' });
    b.ownerId = user.getId() as number;
    server.always(accepting());
    const { failures } = await sync([tasks, notes, users]);
    const reasons = failures.map(
      ({ record, error }) => [record as Model, (error as unknown as DependencyError).reason] as const,
    );
    expect(reasons).toEqual([
      [a, 'parent-circle'],
      [b, 'parent-circle'],
      [self, 'parent-circle'],
      [behind, 'parent-failed'],
      [far, 'parent-failed'],
    ]);
    expect(failures[0]?.error.message).toMatch(
      /^task -\d+ was not sent: its 'parentId' is part of a circle of new records that refer to each other\. Save/,
    );
    expect(a.$.error).toBe(failures[0]?.error);
    expect(server.requests.map(({ body }) => body.title ?? body.name).sort()).toEqual(['Ada', 'free']);
    expect([free.phantom, user.phantom]).toEqual([false, false]);
  });
});

describe('records that are destroyed', () => {
  test('are sent before the records that they refer to', async () => {
    const rows = [
      { id: 1, title: 'root' },
      { id: 2, title: 'child', parentId: 1 },
      { id: 3, title: 'grandchild', parentId: 2 },
      { id: 4, title: 'other' },
    ];
    const tasks = new Store({ model: Task, pageSize: 0, data: rows });
    tasks.removeAll();
    server.always(accepting());
    await tasks.sync({ concurrency: 1 });
    expect(sentLines()).toEqual(['DELETE /tasks/3', 'DELETE /tasks/4', 'DELETE /tasks/2', 'DELETE /tasks/1']);
  });

  test('are sent even if the erase of a child failed', async () => {
    const tasks = new Store({
      model: Task,
      pageSize: 0,
      data: [
        { id: 1, title: 'root' },
        { id: 2, title: 'child', parentId: 1 },
      ],
    });
    tasks.removeAll();
    server.reply({ status: 500 }, { status: 204 });
    const { outcomes } = await tasks.sync();
    expect(sentLines()).toEqual(['DELETE /tasks/2', 'DELETE /tasks/1']);
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'http']);
  });

  test('and refer to each other in a circle, or to themselves, are sent in any order', async () => {
    const tasks = new Store({
      model: Task,
      pageSize: 0,
      data: [
        { id: 1, title: 'a', parentId: 2 },
        { id: 2, title: 'b', parentId: 1 },
        { id: 3, title: 'self', parentId: 3 },
        { id: 4, title: 'behind', parentId: 1 },
        { id: 5, title: 'under', parentId: 3 },
      ],
    });
    tasks.removeAll();
    server.always(accepting());
    const { failures } = await tasks.sync({ concurrency: 1 });
    expect(failures).toEqual([]);
    expect(sentLines()).toHaveLength(5);
  });
});

describe('the order of actions', () => {
  test('is overridden by references: an update waits for the new record that it refers to', async () => {
    const proxy = { batchOrder: 'update,create' };
    const users = new Store({ model: User, pageSize: 0, proxy });
    const tasks = new Store({
      model: Task,
      pageSize: 0,
      proxy,
      data: [
        { id: 1, title: 'a' },
        { id: 2, title: 'b' },
      ],
    });
    const user = add(users, { name: 'Ada' });
    (tasks.getById(1) as Task).ownerId = user.getId() as number;
    (tasks.getById(2) as Task).title = 'c';
    server.always(accepting());
    const { outcomes } = await sync([users, tasks]);
    expect(server.lines).toEqual(['PUT /tasks/2', 'POST /users', 'PUT /tasks/1']);
    expect(outcomes.map(({ action }) => action)).toEqual(['update', 'update', 'create']);
  });

  test('holds across several stores', async () => {
    const { users, tasks } = stores();
    add(users, { name: 'Ada' });
    (tasks.getById(1) as Task).title = 'b';
    const held = server.hold();
    const syncing = sync([tasks, users]);
    await held.request;
    await tick();
    expect(server.lines).toEqual(['POST /users']);
    server.always(accepting());
    held.answer({ status: 201, json: { id: 3 } });
    await syncing;
    expect(server.lines).toEqual(['POST /users', 'PUT /tasks/1']);
  });
});

test('the outcomes of several stores contain the records of all of them', async () => {
  const { users, tasks } = stores();
  const user = add(users, { name: 'Ada' });
  const task = add(tasks, { title: 'Write' });
  server.always(accepting());
  const batch = await sync([users, tasks], {
    onProgress: ({ outcome: { record } }) => record satisfies User | Task,
  });
  const records: (User | Task)[] = batch.outcomes.map(({ record }) => record);
  expect(records).toEqual([user, task]);
});

describe('a record that refers to a new one whose create is in flight', () => {
  test.each(['save()', 'sync()'])('has its id in the tick of the answer to %s', async (way) => {
    const session = new Session();
    const users = new Store({ model: User, session, pageSize: 0 });
    const tasks = new Store({ model: Task, session, pageSize: 0 });
    server.reply({ json: [{ id: 1, title: 'old', ownerId: null }] });
    await tasks.load();
    const [known] = [...tasks] as [Task];
    const [user] = users.add({ name: 'Ada' }) as [User];
    const held = server.hold();
    const saving = way === 'save()' ? user.save() : users.sync();
    await held.request;
    const [added] = tasks.add({ title: 'new', ownerId: user.id }) as [Task];
    known.ownerId = user.id;
    const at: unknown[] = [];
    user.$.state.subscribe(() => at.push([known.ownerId, added.ownerId]));
    held.answer({ status: 201, json: { id: 101, name: 'Ada' } });
    await saving;
    expect([known.ownerId, added.ownerId]).toEqual([101, 101]);
    expect(at.at(-1)).toEqual([101, 101]);
    expect(known.$.modified).toEqual({ ownerId: 101 });
    expect((await session.resolve(Task, [added, known], 'ownerId')).size).toBe(2);
    server.always(accepting());
    await tasks.sync();
    expect(server.requests.slice(-2).map(({ body }) => (body as { ownerId: unknown }).ownerId)).toEqual([101, 101]);
  });

  test('takes the id back when its create is undone', async () => {
    const session = new Session();
    const users = new Store({ model: User, session, pageSize: 0 });
    const tasks = new Store({ model: Task, session, pageSize: 0 });
    const [ada] = users.add({ name: 'Ada' }, { name: 'refused' }) as [User, User];
    const temporaryId = ada.id;
    const [task] = tasks.add({ title: 'new', ownerId: ada.id }) as [Task];
    server.always(({ method, body }) => {
      if (method === 'DELETE') return { status: 204 };
      const { name } = body as { name: string };
      return name === 'refused' ? { status: 422, json: {} } : { status: 201, json: { id: 101, name } };
    });
    await users.sync({ onFailure: rollback, concurrency: 1 });
    expect(sentLines()).toContain('DELETE /users/101');
    expect([ada.phantom, ada.id, task.ownerId]).toEqual([true, temporaryId, temporaryId]);
  });

  test('takes the id back from a save that has waited for it, when its create is undone', async () => {
    const users = new Store({ model: User, pageSize: 0 });
    const [ada] = users.add({ name: 'Ada' }, { name: 'refused' }) as [User, User];
    const temporaryId = ada.id;
    const task = Task.fromRow({ id: 1, title: 'old', ownerId: 5 });
    task.ownerId = ada.id;
    const [create, refusal, update] = [server.hold(), server.hold(), server.hold()];
    const syncing = users.sync({ onFailure: rollback });
    await Promise.all([create.request, refusal.request]);
    const saving = task.save();
    server.always(() => ({ status: 204 }));
    create.answer({ status: 201, json: { id: 101, name: 'Ada' } });
    expect((await update.request).body).toEqual({ id: 1, title: 'old', ownerId: 101 });
    refusal.answer({ status: 422, json: {} });
    await syncing;
    expect([ada.id, task.ownerId]).toEqual([temporaryId, temporaryId]);
    update.answer({ json: { id: 1, title: 'old', ownerId: 101 } });
    await saving;
    expect([task.ownerId, task.$.modified]).toEqual([temporaryId, { ownerId: temporaryId }]);
  });

  test('keeps no record in memory that has only referred to it', async () => {
    const user = new User({ name: 'Ada' });
    const gone = (() => new WeakRef(new Task({ title: 'new', ownerId: user.id })))();
    await collect();
    expect([gone.deref(), user.phantom]).toEqual([undefined, true]);
  });

  test('keeps the temporary id while the create has failed', async () => {
    const users = new Store({ model: User, pageSize: 0 });
    const [user] = users.add({ name: 'Ada' }) as [User];
    const held = server.hold();
    const saving = user.save().catch(() => undefined);
    await held.request;
    const task = new Task({ title: 'new', ownerId: user.id });
    held.answer({ status: 422, json: {} });
    await saving;
    expect(task.ownerId).toBe(user.id);
    server.always(accepting());
    await user.save();
    expect([user.id, task.ownerId]).toEqual([101, 101]);
  });
});
