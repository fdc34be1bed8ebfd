import { idempotency, Model, plain, reference, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { switchedConnection } from '../helpers/switched-connection.js';

// undo() and redo() over an outbox: whatever is pressed, quickly or not, before and after the network comes back, the server ends with what was
// pressed last, or a call says that it does not.

const fields = { id: 'int', title: 'string', note: 'string' } as const;

/** A list over an outbox, its history, and a connection that a test switches. */
async function opened() {
  const server = restServer({ collections: { '/tasks': [{ id: 1, title: 'first', note: 'n' }], '/notes': [] } });
  const connection = switchedConnection();
  class Task extends Model.define({
    name: 'task',
    fields,
    proxy: {
      ...{ type: 'rest', url: '/tasks', baseUrl: server.baseUrl, fetch: server.fetch },
      ...{ dialect: plain(), use: [idempotency()] },
    },
  }) {}
  const outbox = new Outbox({
    ...{ scope: 'a', storage: memoryStorage(), models: [Task], connection },
    backoff: { base: 2, max: 4 },
  });
  await outbox.ready;
  const session = new Session();
  const history = historyOf(session, { pause: 0 });
  const tasks = new Store({ model: Task, session, pageSize: 0, proxy: { use: [outbox] } });
  await tasks.load();
  const titles = () => server.rows('/tasks').map(({ title }) => title);
  return { server, connection, outbox, session, history, tasks, titles, Task };
}

type World = Awaited<ReturnType<typeof opened>>;
const STARTS: Record<string, (world: World) => unknown> = {
  'a create': ({ tasks }) => tasks.add({ title: 'added' })[0]?.save(),
  'an erase': ({ tasks }) => tasks.getAt(0)?.erase(),
  'an edit': ({ tasks }) => tasks.getAt(0)?.set('title', 'edited').save(),
};

/** All orders of so many undos and redos. */
const orders = (length: number): string[] =>
  length === 0 ? [''] : orders(length - 1).flatMap((keys) => [`${keys}u`, `${keys}r`]);

const endOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => error.code,
  );

describe.each(Object.keys(STARTS))('behind %s,', (start) => {
  test.each([true, false])(
    'each order of undos and redos offline ends as pressed (waits for each: %s)',
    async (waits) => {
      for (const keys of orders(4))
        for (const onlineAt of [2, 4]) {
          const world = await opened();
          const before = world.titles();
          await STARTS[start]?.(world);
          const after = world.titles();
          world.connection.switchTo(false);
          const calls: Promise<string>[] = [];
          let isDone = true;
          for (const [at, key] of [...keys].entries()) {
            if (at === onlineAt) world.connection.switchTo(true);
            isDone = key === 'r';
            const call = endOf(key === 'u' ? world.history.undo() : world.history.redo());
            calls.push(call);
            if (waits) await call;
          }
          const ends = await Promise.all(calls);
          world.connection.switchTo(true);
          await world.outbox.send();
          await world.outbox.drained();
          const told = `${start}, ${keys}, online at ${onlineAt}: ${ends}`;
          if (ends.every((end) => end === 'done'))
            expect([told, world.titles()]).toEqual([told, isDone ? after : before]);
          expect([told, [...world.tasks].map(({ title }) => title)]).toEqual([told, world.titles()]);
          await world.outbox.close();
        }
    },
  );
});

test('two quick undos of steps that were sent as one write, and a third, end with the value before them all', async () => {
  const { server, connection, outbox, history, tasks } = await opened();
  const task = tasks.getAt(0) as NonNullable<ReturnType<typeof tasks.getAt>>;
  connection.switchTo(false);
  const saved = (values: object) => {
    history.group('step', () => void task.set(values));
    return endOf(task.save());
  };
  await saved({ title: 'second', note: 'm' });
  await saved({ note: 'l' });
  await saved({ title: 'third', note: 'k' });
  connection.switchTo(true);
  await outbox.send();
  await outbox.drained();
  connection.switchTo(false);
  await Promise.all([endOf(history.undo()), endOf(history.undo())]);
  expect([task.title, task.note]).toEqual(['second', 'm']);
  connection.switchTo(true);
  await endOf(history.undo());
  await outbox.send();
  await outbox.drained();
  expect([server.rows('/tasks')[0], task.title]).toEqual([{ id: 1, title: 'first', note: 'n' }, 'first']);
  await outbox.close();
});

test('the erase of a record that only the session holds is a step, and is undone', async () => {
  const { history, titles, Task, server } = await opened();
  const session = new Session();
  const steps = historyOf(session);
  const task = await session.load(Task, 1);
  task.title = 'edited';
  await session.sync();
  await task.erase();
  expect([steps.state.get().done.length, server.rows('/tasks').length, history.state.get().done.length]).toEqual([
    2, 0, 0,
  ]);
  await steps.undo();
  expect(titles()).toEqual(['edited']);
});

test('a new record that waits refers to the one that is made in place of its parent by undo and redo', async () => {
  const { server, connection, outbox: waiting, session, history, Task } = await opened();
  await waiting.close();
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', text: 'string', taskId: reference('int') },
    proxy: {
      ...{ type: 'rest', url: '/notes', baseUrl: server.baseUrl, fetch: server.fetch },
      ...{ dialect: plain(), use: [idempotency()] },
    },
  }) {
    static override references() {
      return { taskId: Task };
    }
  }
  const outbox = new Outbox({ scope: 'b', storage: memoryStorage(), models: [Task, Note], connection });
  await outbox.ready;
  const proxy = { use: [outbox] };
  const tasks = new Store({ model: Task, session, pageSize: 0, proxy });
  const notes = new Store({ model: Note, session, pageSize: 0, proxy });
  connection.switchTo(false);
  const [task] = tasks.add({ title: 'added' });
  await endOf(task?.save() as Promise<unknown>);
  const [note] = notes.add({ text: 'about it', taskId: task?.id as number });
  await endOf(note?.save() as Promise<unknown>);
  for (const step of ['undo', 'undo', 'redo', 'redo'] as const) await history[step]();
  connection.switchTo(true);
  await outbox.send();
  await outbox.drained();
  const { id } = server.rows('/tasks').find(({ title }) => title === 'added') ?? {};
  expect(server.rows('/notes')).toEqual([{ id: 1, text: 'about it', taskId: id }]);
  await outbox.close();
});
