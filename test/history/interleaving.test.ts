import { ConflictError, rollback } from 'repose';
import { historyOf } from 'repose/history';
import { expect, test } from 'vitest';
import { openWorld, turn } from './support.js';

test.each([true, false])(
  'a saved text of two steps is a conflict for both of them (versions: %s)',
  async (versions) => {
    const { session, task, tasks, change, serverTitles } = await openWorld({ versions, pause: 0 });
    task(1).title = 'a';
    await turn();
    task(1).title = 'b';
    await task(1).save();
    await historyOf(session).undo();
    expect(serverTitles()[0]).toBe('a');
    change(1, { title: 'theirs' });
    await tasks.load();
    await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
    expect([task(1).title, serverTitles()[0]]).toEqual(['theirs', 'theirs']);
  },
);

test('a step whose save was in flight during the next edit is a conflict too', async () => {
  const { session, task, tasks, change, serverTitles } = await openWorld({ pause: 0 });
  task(1).title = 'a';
  const saving = task(1).save();
  await turn();
  task(1).title = 'b';
  await saving;
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['a', false, 'a']);
  change(1, { title: 'theirs' });
  await tasks.load();
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
  expect(serverTitles()[0]).toBe('theirs');
});

test('keeps what is typed while an undo fails', async () => {
  const { session, task, server, serverTitles } = await openWorld({ pause: 0 });
  task(1).title = 'a';
  await task(1).save();
  server.fetch.plan('drop');
  const undoing = historyOf(session).undo();
  await turn();
  await turn();
  task(1).title = 'typed';
  await expect(undoing).rejects.toThrow();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['typed', true, 'a']);
  server.heal();
  while (historyOf(session).canUndo) await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
});

test.each([true, false])('keeps what is typed before an undo writes (versions: %s)', async (versions) => {
  const { session, task, serverTitles } = await openWorld({ versions });
  task(1).title = 'a';
  await task(1).save();
  const undoing = historyOf(session).undo();
  task(1).title = 'typed';
  await undoing;
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['typed', true, 'one']);
  await task(1).save();
  expect(serverTitles()[0]).toBe('typed');
});

test('keeps an unsaved edit that is in no step', async () => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  historyOf(session).ignore(() => {
    task(1).title = 'by a program';
  });
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['by a program', true, 'one']);
});

test('a second undo that waits for the first leaves what is typed meanwhile', async () => {
  const { session, task, serverTitles } = await openWorld({ pause: 0 });
  for (const title of ['a', 'b']) {
    task(1).title = title;
    await task(1).save();
  }
  const both = [historyOf(session).undo(), historyOf(session).undo()];
  task(2).title = 'typed';
  await Promise.all(both);
  expect([serverTitles()[0], task(2).title]).toEqual(['one', 'typed']);
  await historyOf(session).undo();
  expect(task(2).title).toBe('two');
});

test('takes a save in the middle of a group back, and does not save the rest of it when it is done again', async () => {
  const { session, task, serverTitles } = await openWorld();
  await historyOf(session).group('Rename', async () => {
    task(1).title = 'a';
    await task(1).save();
    task(1).title = 'b';
  });
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
  await historyOf(session).redo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['b', true, 'one']);
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
});

test('takes a save in the middle of a turn back', async () => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  const saving = task(1).save();
  task(1).title = 'b';
  await saving;
  expect([task(1).title, serverTitles()[0]]).toEqual(['b', 'a']);
  while (historyOf(session).canUndo) await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
});

test('an edit whose save was rolled back is unsaved', async () => {
  const { session, task, server, serverTitles } = await openWorld();
  task(1).title = 'a';
  task(2).title = 'b';
  server.fetch.plan('pass', { type: 'status', status: 422 });
  await session.sync({ onFailure: rollback, concurrency: 1 });
  expect(serverTitles()).toEqual(['one', 'two', 'three']);
  await historyOf(session).undo();
  expect([task(1), task(2)].map(({ title, dirty }) => [title, dirty])).toEqual([
    ['one', false],
    ['two', false],
  ]);
});

test.each(['clear', 'dispose'])('%s() forgets the step that waits for the server', async (call) => {
  const { session, task, serverTitles } = await openWorld();
  task(1).title = 'a';
  await task(1).save();
  const steps = historyOf(session);
  const undoing = steps.undo();
  if (call === 'clear') steps.clear();
  else session.dispose();
  await undoing.catch(() => undefined);
  expect([steps.canUndo, steps.canRedo]).toEqual([false, false]);
  const before = serverTitles();
  await steps.redo();
  expect(serverTitles()).toEqual(before);
});

test('clear() inside of a group keeps what the group does afterwards', async () => {
  const { session, task } = await openWorld();
  historyOf(session).group('Rename', () => {
    task(1).title = 'a';
    historyOf(session).clear();
    task(2).title = 'b';
  });
  expect(
    historyOf(session)
      .state.get()
      .done.map(({ label }) => label),
  ).toEqual(['Rename']);
  await historyOf(session).undo();
  expect([task(1).title, task(2).title]).toEqual(['a', 'two']);
});

test('an undo that a listener asks for while one is applied takes the step before', async () => {
  const { session, task } = await openWorld({ pause: 0 });
  for (const title of ['a', 'b']) {
    task(1).title = title;
    await turn();
  }
  let second: Promise<unknown> | undefined;
  task(1)
    .$.field('title')
    .subscribe(() => {
      second ??= historyOf(session).undo();
    });
  await historyOf(session).undo();
  await second;
  const { done, undone } = historyOf(session).state.get();
  expect([task(1).title, done.length, undone.length]).toEqual(['one', 0, 2]);
});

test('calls that wait run one after the other', async () => {
  const { session, task, server, serverTitles } = await openWorld({ pause: 0, versions: false });
  for (const title of ['a', 'b', 'c']) {
    task(1).title = title;
    await task(1).save();
  }
  const { undo, redo } = { undo: () => historyOf(session).undo(), redo: () => historyOf(session).redo() };
  const before = server.requests.length;
  await Promise.all([undo(), undo(), undo()]);
  expect(server.requests.slice(before).map(({ method }) => method)).toEqual([
    'GET',
    'PATCH',
    'GET',
    'PATCH',
    'GET',
    'PATCH',
  ]);
  expect([task(1).title, serverTitles()[0]]).toEqual(['one', 'one']);
  await Promise.all([redo(), redo(), redo()]);
  expect([task(1).title, serverTitles()[0]]).toEqual(['c', 'c']);
});

test.each([true, false])('brings the value back over which a conflict was decided (versions: %s)', async (versions) => {
  const { session, task, tasks, change, serverTitles } = await openWorld({ versions, pause: 0 });
  task(1).title = 'a';
  await turn();
  task(1).title = 'mine';
  await turn();
  change(1, { title: 'theirs' });
  if (versions)
    await task(1)
      .save()
      .catch((error: ConflictError) => error.keepMine());
  else {
    await tasks.load();
    await task(1).save();
  }
  expect(serverTitles()[0]).toBe('mine');
  expect(historyOf(session).state.get().done[0]?.changes[0]).toMatchObject({ before: 'theirs', after: 'a' });
  while (historyOf(session).canUndo) await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['theirs', false, 'theirs']);
  while (historyOf(session).canRedo) await historyOf(session).redo();
  expect([task(1).title, serverTitles()[0]]).toEqual(['mine', 'mine']);
});

test.each([true, false])(
  'takes back what commit() has made the value of the row, and sends nothing (versions: %s)',
  async (versions) => {
    const { session, task, server } = await openWorld({ versions, pause: 0 });
    const before = server.requests.length;
    for (const title of ['a', 'b']) {
      task(1).title = title;
      await turn();
    }
    task(1).commit();
    const shown: unknown[] = [];
    for (const call of ['undo', 'undo', 'redo', 'redo'] as const) {
      await historyOf(session)[call]();
      shown.push([task(1).title, task(1).dirty]);
    }
    expect(shown).toEqual([
      ['a', true],
      ['one', true],
      ['a', true],
      ['b', false],
    ]);
    expect(server.requests.length).toBe(before);
  },
);

test('leaves a value alone that somebody else has saved, though it is the one that the user has typed', async () => {
  const { session, task, tasks, change, serverTitles } = await openWorld({ versions: false, pause: 0 });
  for (const title of ['typed', 'a']) {
    task(1).title = title;
    await turn();
  }
  change(1, { title: 'a' });
  await tasks.load();
  expect(task(1).dirty).toBe(false);
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty]).toEqual(['typed', true]);
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['a', false, 'a']);
  await historyOf(session).redo();
  await historyOf(session).redo();
  expect([task(1).title, task(1).dirty, historyOf(session).canUndo]).toEqual(['a', false, true]);
});

test('a row that has the value already that is to be written is no conflict', async () => {
  const { session, task, change, serverTitles } = await openWorld({ versions: false });
  task(1).title = 'a';
  await task(1).save();
  change(1, { title: 'one' });
  await historyOf(session).undo();
  expect([task(1).title, task(1).dirty, serverTitles()[0]]).toEqual(['one', false, 'one']);
});

test('a group waits for a thenable, and asks it once', async () => {
  const { session, task } = await openWorld({ pause: 0 });
  let asked = 0;
  // A query builder, which is sent when it is awaited.
  const query: PromiseLike<string> = {
    then(resolve) {
      asked += 1;
      const work = async () => {
        task(1).title = 'a';
        await turn();
        task(2).title = 'b';
        return 'done';
      };
      return work().then(resolve);
    },
  };
  expect(await historyOf(session).group('Ship', () => query)).toBe('done');
  task(3).title = 'c';
  await turn();
  const { done } = historyOf(session).state.get();
  expect([asked, done.map(({ label, changes }) => [label, changes.length])]).toEqual([
    1,
    [
      ['Ship', 2],
      [undefined, 1],
    ],
  ]);
  const promise = Promise.resolve(1);
  expect(historyOf(session).group('Same', () => promise)).toBe(promise);
});

test('follows the ids of a record that is erased and brought back many times, and remembers a bounded number of them', async () => {
  const { session, task, tasks, titles } = await openWorld({ pause: 0, limit: 2 });
  await task(2).erase();
  for (let times = 0; times < 30; times += 1) {
    await historyOf(session).undo();
    await historyOf(session).redo();
  }
  await historyOf(session).undo();
  expect(titles()).toEqual(['one', 'two', 'three']);
  const { subjects } = historyOf(session) as unknown as { subjects: { byFormerId: ReadonlyMap<string, unknown> } };
  expect(subjects.byFormerId.size).toBe(20);
  expect(tasks.getAt(1)?.getId()).toBeGreaterThan(30);
});

test('a step before one that was forgotten does not write over what others have saved', async () => {
  const { session, task, change, serverTitles } = await openWorld({ versions: false, pause: 0 });
  for (const title of ['a', 'b']) {
    task(1).title = title;
    await turn();
  }
  await task(1).save();
  change(1, { title: 'theirs' });
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
  historyOf(session).forget(historyOf(session).state.get().done.at(-1)!);
  await expect(historyOf(session).undo()).rejects.toBeInstanceOf(ConflictError);
  expect(serverTitles()[0]).toBe('theirs');
});
