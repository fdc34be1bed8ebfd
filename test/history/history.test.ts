import { ConflictError, DefinitionError, fork, NetworkError, receive, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { openWorld, type Task, taskOf, turn } from './support.js';

test('takes an edit back, and makes it again', async () => {
  const { session, task } = await openWorld();
  const first = task(1);
  first.title = 'changed';
  await historyOf(session).undo();
  expect([first.title, first.dirty]).toEqual(['one', false]);
  await historyOf(session).redo();
  expect([first.title, first.dirty]).toEqual(['changed', true]);
  expect([historyOf(session).canUndo, historyOf(session).canRedo]).toEqual([true, false]);
});

test('takes unsaved edits back in the same call', async () => {
  const { session, task } = await openWorld();
  task(1).title = 'changed';
  void historyOf(session).undo();
  expect(task(1).title).toBe('one');
});

test('makes one step of the edits of one turn', async () => {
  const { session, task, titles } = await openWorld();
  task(1).title = 'a';
  task(2).title = 'b';
  await turn();
  task(3).title = 'c';
  await turn();
  expect(
    historyOf(session)
      .state.get()
      .done.map(({ changes }) => changes.length),
  ).toEqual([2, 1]);
  await historyOf(session).undo();
  expect(titles()).toEqual(['a', 'b', 'three']);
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three']);
});

test('makes one step of a text that is typed without a pause', async () => {
  const { session, task, clock } = await openWorld();
  for (const title of ['c', 'ch', 'cha']) {
    task(1).title = title;
    await turn();
    clock.advance(300);
  }
  clock.advance(300);
  task(1).title = 'change';
  await turn();
  await historyOf(session).undo();
  expect(task(1).title).toBe('cha');
  await historyOf(session).undo();
  expect(task(1).title).toBe('one');
  expect(historyOf(session).canUndo).toBe(false);
});

test('keeps the edits of two fields apart, also without a pause', async () => {
  const { session, task } = await openWorld();
  task(1).title = 'a';
  await turn();
  task(1).note = 'b';
  await turn();
  await historyOf(session).undo();
  expect([task(1).title, task(1).note]).toEqual(['a', '']);
});

test('makes no step of a value that is set and set back', async () => {
  const { session, task } = await openWorld();
  task(1).title = 'a';
  task(1).title = 'one';
  await turn();
  expect(historyOf(session).canUndo).toBe(false);
});

test('group() makes one labelled step of several turns', async () => {
  const { session, task, titles } = await openWorld();
  await historyOf(session).group('Rename', async () => {
    task(1).title = 'a';
    await turn();
    historyOf(session).group('inner', () => {
      task(2).title = 'b';
    });
  });
  task(3).title = 'c';
  await turn();
  expect(
    historyOf(session)
      .state.get()
      .done.map(({ label }) => label),
  ).toEqual(['Rename', undefined]);
  await historyOf(session).undo();
  const step = await historyOf(session).undo();
  expect(step?.label).toBe('Rename');
  expect(titles()).toEqual(['one', 'two', 'three']);
});

test('a group that throws keeps what it has done until then', async () => {
  const { session, task } = await openWorld();
  const fail = () =>
    historyOf(session).group('Rename', () => {
      task(1).title = 'a';
      throw new Error('stop');
    });
  expect(fail).toThrow('stop');
  await historyOf(session).undo();
  expect(task(1).title).toBe('one');
});

test('a new edit ends what could be done again', async () => {
  const { session, task } = await openWorld();
  task(1).title = 'a';
  await historyOf(session).undo();
  task(2).title = 'b';
  await turn();
  expect(historyOf(session).canRedo).toBe(false);
  await historyOf(session).redo();
  expect([task(1).title, task(2).title]).toEqual(['one', 'b']);
});

test('takes reject() back', async () => {
  const { session, task } = await openWorld();
  task(1).title = 'a';
  await turn();
  task(1).reject();
  await turn();
  await historyOf(session).undo();
  expect(task(1).title).toBe('a');
  await historyOf(session).undo();
  expect(task(1).title).toBe('one');
});

test('takes reject() of a session back, new records included', async () => {
  const { session, task, tasks, titles } = await openWorld();
  task(1).title = 'a';
  tasks.add({ title: 'new' });
  tasks.remove(task(2));
  await turn();
  session.reject();
  await turn();
  expect(titles()).toEqual(['one', 'two', 'three']);
  await historyOf(session).undo();
  expect(titles()).toEqual(['a', 'three', 'new']);
  await historyOf(session).redo();
  expect(titles()).toEqual(['one', 'two', 'three']);
});

test('does not take what others have changed for a step', async () => {
  const { session, task, tasks } = await openWorld();
  receive(tasks, [{ id: 1, title: 'pushed', note: '', rank: null }], { removed: [3] });
  await tasks.load();
  await turn();
  expect(historyOf(session).canUndo).toBe(false);
  task(1).title = 'mine';
  await turn();
  receive(tasks, [{ id: 1, title: 'pushed again', note: '', rank: null }]);
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty]).toEqual(['pushed again', false]);
});

test('ignore() makes no step', async () => {
  const { session, task } = await openWorld();
  historyOf(session).ignore(() => {
    task(1).title = 'a';
  });
  await turn();
  expect(historyOf(session).canUndo).toBe(false);
});

test('forgets the oldest step beyond the limit', async () => {
  const { session, task } = await openWorld({ limit: 2, pause: 0 });
  for (const title of ['a', 'b', 'c']) {
    task(1).title = title;
    await turn();
  }
  for (let times = 0; times < 3; times += 1) await historyOf(session).undo();
  expect(task(1).title).toBe('a');
});

test('clear() forgets all steps, and forget() one', async () => {
  const { session, task } = await openWorld({ pause: 0 });
  const steps = historyOf(session);
  task(1).title = 'a';
  await turn();
  task(2).title = 'b';
  await turn();
  const [first] = steps.state.get().done;
  if (first) steps.forget(first);
  await steps.undo();
  expect([task(1).title, task(2).title, steps.canUndo]).toEqual(['a', 'two', false]);
  steps.clear();
  expect(steps.canRedo).toBe(false);
  expect(task(1).title).toBe('a');
});

test('tells a screen what can be undone', async () => {
  const { session, task } = await openWorld();
  const { state } = historyOf(session);
  let told = 0;
  state.subscribe(() => (told += 1));
  const before = state.get();
  expect(state.get()).toBe(before);
  task(1).title = 'a';
  await turn();
  expect(told).toBe(1);
  expect(state.get()).toMatchObject({ canUndo: true, canRedo: false, running: false });
  expect(state.get().done[0]?.changes).toEqual([
    { kind: 'edit', record: task(1), field: 'title', before: 'one', after: 'a' },
  ]);
  await historyOf(session).undo();
  expect(state.get()).toMatchObject({ canUndo: false, canRedo: true });
});

// ── Records that come and go ──

test('takes an added record away, and adds it again in its place', async () => {
  const { session, tasks, titles } = await openWorld();
  const [added] = tasks.insert(1, { title: 'new' });
  await turn();
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three']);
  await historyOf(session).redo();
  expect(titles()).toEqual(['one', 'new', 'two', 'three']);
  expect(tasks.pending.created).toEqual([added]);
});

test('shows a removed record again in its place', async () => {
  const { session, tasks, task, titles } = await openWorld();
  tasks.remove(task(2));
  await turn();
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three']);
  expect(tasks.pending.removed).toEqual([]);
  await historyOf(session).redo();
  expect(titles()).toEqual(['one', 'three']);
});

test('brings a new record back that was removed, with its edits and their steps', async () => {
  const { session, tasks, titles } = await openWorld();
  const [added] = tasks.add({ title: 'new' }) as [Task];
  await turn();
  added.title = 'newer';
  await turn();
  tasks.remove(added);
  await turn();
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three', 'newer']);
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three', 'new']);
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three']);
});

test('a record that is added and removed at once leaves no step', async () => {
  const { session, tasks } = await openWorld();
  const [added] = tasks.add({ title: 'new' }) as [Task];
  added.title = 'newer';
  tasks.remove(added);
  await turn();
  expect(historyOf(session).canUndo).toBe(false);
});

// ── What the server has ──

test('writes a saved edit back', async () => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
  await historyOf(session).redo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['a', false, 'a']);
});

test.each([true, false])('refuses to write over what others have saved since (versions: %s)', async (versions) => {
  const { session, task, change, serverTitles } = await openWorld({ versions });
  task(1).title = 'a';
  await task(1).save();
  change(1, { title: 'theirs' });
  const error = await historyOf(session)
    .undo()
    .catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ConflictError);
  expect(serverTitles()[0]).toBe('theirs');
  expect(task(1).dirty).toBe(false);
  expect(historyOf(session).canUndo).toBe(true);
  expect(historyOf(session).state.get().error).toBe(error);
  await historyOf(session).undo({ overwrite: true });
  expect(serverTitles()[0]).toBe('one');
  expect(historyOf(session).state.get()).toMatchObject({ canUndo: false, error: undefined });
});

test('tells both sides of a change that was pushed', async () => {
  const { session, tasks, task, change } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  change(1, { title: 'theirs' });
  receive(tasks, [{ id: 1, title: 'theirs', note: '', rank: null }]);
  const error = await historyOf(session)
    .undo()
    .catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ConflictError);
  expect((error as ConflictError).fields).toEqual([{ field: 'title', base: 'a', mine: 'one', theirs: 'theirs' }]);
});

test('writes back over a row of which others have changed another field', async () => {
  const { session, tasks, task, change, server } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  change(1, { note: 'theirs' });
  await tasks.load();
  await historyOf(session).undo();
  expect(server.rows('/tasks')[0]).toMatchObject({ title: 'one', note: 'theirs' });
});

test('sends no other edit of the record', async () => {
  const { session, task, server } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  historyOf(session).ignore(() => {
    task(1).note = 'typed';
  });
  await historyOf(session).undo();
  expect(server.rows('/tasks')[0]).toMatchObject({ title: 'one', note: '' });
  expect([task(1).note, task(1).dirty]).toEqual(['typed', true]);
});

test('keeps the step if the server cannot be reached', async () => {
  const { session, task, server, serverTitles } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  server.fetch.plan('drop');
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(NetworkError);
  expect(historyOf(session).canUndo).toBe(true);
  server.heal();
  await historyOf(session).undo();
  expect(serverTitles()[0]).toBe('one');
});

test('waits for a save in flight before it writes the opposite', async () => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  const saving = task(1).save();
  await historyOf(session).undo();
  await saving;
  expect([task(1).title, serverTitles()[0]]).toEqual(['one', 'one']);
});

test('runs one step after the other', async () => {
  const { session, task, serverTitles } = await openWorld({ pause: 0 });
  for (const title of ['a', 'b']) {
    task(1).title = title;
    await task(1).save();
  }
  const both = [historyOf(session).undo(), historyOf(session).undo()];
  await Promise.all(both);
  expect([task(1).title, serverTitles()[0]]).toEqual(['one', 'one']);
  await Promise.all([historyOf(session).redo(), historyOf(session).redo()]);
  expect(serverTitles()[0]).toBe('b');
});

test('erases a record that was created, and creates it again', async () => {
  const { session, tasks, server } = await openWorld();
  const [added] = tasks.add({ title: 'new' }) as [Task];
  await added.save();
  expect(server.rows('/tasks')).toHaveLength(4);
  await historyOf(session).undo();
  expect(server.rows('/tasks')).toHaveLength(3);
  expect(tasks.count).toBe(3);
  await historyOf(session).redo();
  expect(server.rows('/tasks').at(-1)).toMatchObject({ title: 'new' });
  expect([...tasks].at(-1)).toMatchObject({ title: 'new', phantom: false });
  await historyOf(session).undo();
  expect(server.rows('/tasks')).toHaveLength(3);
});

test('creates an erased record again in its place, and follows its new id', async () => {
  const { session, task, titles, serverTitles, tasks } = await openWorld();
  task(2).title = 'second';
  await task(2).save();
  await task(2).erase();
  expect(titles()).toEqual(['one', 'three']);
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'second', 'three']);
  expect(tasks.getAt(1)?.getId()).not.toBe(2);
  await historyOf(session).undo();
  expect([titles()[1], serverTitles().at(-1)]).toEqual(['two', 'two']);
  await historyOf(session).redo();
  await historyOf(session).redo();
  expect([titles(), serverTitles()]).toEqual([
    ['one', 'three'],
    ['one', 'three'],
  ]);
});

test('refuses to erase a record that others have changed since it was created', async () => {
  const { session, tasks, change, server } = await openWorld();
  const [added] = tasks.add({ title: 'new' }) as [Task];
  await added.save();
  change(added.getId() as number, { note: 'theirs' });
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
  expect([server.rows('/tasks').length, tasks.count]).toEqual([4, 4]);
  await historyOf(session).undo({ overwrite: true });
  expect([server.rows('/tasks').length, tasks.count]).toEqual([3, 3]);
});

test('undoes a sync of many records as one step, and keeps the part that failed', async () => {
  const { session, tasks, change, serverTitles } = await openWorld();
  historyOf(session).group('Rename', () => {
    for (const each of tasks) each.title = `${each.title}!`;
  });
  await session.sync();
  change(2, { title: 'theirs' });
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
  expect(serverTitles()).toEqual(['one', 'theirs', 'three']);
  expect(
    historyOf(session)
      .state.get()
      .done.map(({ changes }) => changes.length),
  ).toEqual([1]);
  await historyOf(session).undo({ overwrite: true });
  expect(serverTitles()).toEqual(['one', 'two', 'three']);
  await historyOf(session).redo();
  await historyOf(session).redo();
  expect(serverTitles()).toEqual(['one!', 'two!', 'three!']);
});

test('makes no step of an erase that the server refused', async () => {
  const { session, task, server, titles } = await openWorld();
  server.fetch.plan('pass', { type: 'status', status: 403 });
  await expect(task(2).erase()).rejects.toThrow();
  expect(titles()).toEqual(['one', 'two', 'three']);
  expect(historyOf(session).canUndo).toBe(false);
});

test('forgets the steps of a record that somebody else has erased', async () => {
  const { session, task, tasks } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  receive(tasks, [], { removed: [1] });
  expect(historyOf(session).canUndo).toBe(false);
});

test('follows the id that a new record gets', async () => {
  const { session, tasks, server } = await openWorld();
  const [added] = tasks.add({ title: 'new' }) as [Task];
  await turn();
  added.title = 'newer';
  await added.save();
  await historyOf(session).undo();
  expect(server.rows('/tasks').at(-1)).toMatchObject({ title: 'new' });
  await historyOf(session).undo();
  expect(server.rows('/tasks')).toHaveLength(3);
});

test('what the user does while an undo waits for the server is a step of its own', async () => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  const undoing = historyOf(session).undo();
  task(2).title = 'b';
  await undoing;
  expect([serverTitles()[0], historyOf(session).canRedo]).toEqual(['one', false]);
  await historyOf(session).undo();
  expect(task(2).title).toBe('two');
  expect(historyOf(session).canUndo).toBe(false);
});

// ── Forks, sessions without a history ──

test('a merge of a fork is a step, and a fork has a history of its own', async () => {
  const { session, task } = await openWorld();
  const dialog = fork(session);
  const copy = dialog.copyOf(task(1));
  copy.title = 'a';
  await turn();
  copy.note = 'b';
  await turn();
  await historyOf(dialog).undo();
  expect([copy.title, copy.note]).toEqual(['a', '']);
  dialog.merge();
  await turn();
  expect(task(1).title).toBe('a');
  await historyOf(session).undo();
  expect(task(1).title).toBe('one');
});

test('ends with the session', async () => {
  const { session, task, tasks } = await openWorld();
  task(1).title = 'a';
  await turn();
  const steps = historyOf(session);
  session.dispose();
  expect(steps.canUndo).toBe(false);
  tasks.add({ title: 'b' });
  await turn();
  expect(steps.canUndo).toBe(false);
});

test('tells which option is wrong', () => {
  expect(() => historyOf(new Session(), { limit: 0 })).toThrow(DefinitionError);
  expect(() => historyOf(new Session(), { pauses: 1 } as never)).toThrow('pause');
});

test('records what is done from the first call on, and nothing before it', async () => {
  const Task = taskOf(
    restServer({
      collections: {
        '/tasks': [
          { id: 1, title: 'a' },
          { id: 2, title: 'b' },
        ],
      },
    }),
  );
  const session = new Session();
  const tasks = new Store({ model: Task, session, pageSize: 0 });
  await tasks.load();
  const [first, second] = [...tasks] as [Task, Task];
  first.title = 'before';
  tasks.remove(second);
  const added = tasks.add({ title: 'new' })[0] as Task;
  const steps = historyOf(session);
  expect(historyOf(session)).toBe(steps);
  expect(steps.canUndo).toBe(false);
  first.title = 'after';
  added.title = 'newer';
  await turn();
  await steps.undo();
  expect([first.title, added.title, tasks.pending.removed]).toEqual(['before', 'new', [second]]);
  expect(steps.canUndo).toBe(false);
});

test('a store outside of the session has no steps', async () => {
  const { session, tasks } = await openWorld();
  const alone = new Store({ model: tasks.model, data: [{ id: 9, title: 'x' }] });
  const record = alone.getById(9) as Task;
  record.title = 'y';
  await turn();
  expect(historyOf(session).canUndo).toBe(false);
});
