import { idempotency, Model, plain, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { switchedConnection } from '../helpers/switched-connection.js';
import { fakeLocks, sharedStorage } from '../outbox/shared-storage.js';

// undo() and redo() of two changes over an outbox, in every order of some steps, of which each may be the loss or the return of the network. A
// second tab over the same storage shows and sends the same writes.

/** How many steps an order has: `REPOSE_STEPS=8` tries all orders of eight. */
const LENGTH = Number(process.env['REPOSE_STEPS'] ?? 6);
const CHANGES = 2;

/** Undo, redo, and a switch of the network. */
type Key = 'u' | 'r' | 's';

/** All orders of steps that do something: no undo where nothing is done, no redo where nothing is undone, no second switch at once. */
function ordersOf(length: number, done: number, last?: Key): string[] {
  if (length === 0) return [''];
  const next = (key: Key, left: number) => ordersOf(length - 1, left, key).map((rest) => key + rest);
  return [
    ...(done > 0 ? next('u', done - 1) : []),
    ...(done < CHANGES ? next('r', done + 1) : []),
    ...(last === 's' ? [] : next('s', done)),
  ];
}

type Tasks = Awaited<ReturnType<typeof opened>>['tabs'][0]['tasks'];

/** Two changes each, which are saved one after the other. */
const LIVES: Record<string, readonly ((tasks: Tasks) => Promise<unknown> | undefined)[]> = {
  'a create and an edit': [
    (tasks) => tasks.add({ title: 'added' })[0]?.save(),
    (tasks) => tasks.getById(1)?.set('title', 'edited').save(),
  ],
  'an edit and an erase': [
    (tasks) => tasks.getById(1)?.set('title', 'edited').save(),
    (tasks) => tasks.getById(2)?.erase(),
  ],
  'an edit and the erase of its record': [
    (tasks) => tasks.getById(1)?.set('title', 'edited').save(),
    (tasks) => tasks.getById(1)?.erase(),
  ],
  'a create and its erase': [
    (tasks) => tasks.add({ title: 'added' })[0]?.save(),
    (tasks) => [...tasks].find(({ title }) => title === 'added')?.erase(),
  ],
};

async function opened() {
  const rows = [1, 2].map((id) => ({ id, title: `title ${id}` }));
  const server = restServer({ collections: { '/tasks': rows } });
  const connection = switchedConnection();
  const [storage, locks] = [sharedStorage(), fakeLocks()];
  const open = async () => {
    class Task extends Model.define({
      name: 'task',
      fields: { id: 'int', title: 'string' },
      proxy: {
        ...{ type: 'rest', url: '/tasks', baseUrl: server.baseUrl, fetch: server.fetch },
        ...{ dialect: plain(), use: [idempotency()] },
      },
    }) {}
    const outbox = new Outbox({
      ...{ scope: 'a', storage: storage.tab(), locks, models: [Task], connection },
      backoff: { base: 2, max: 4 },
    });
    await outbox.ready;
    const session = new Session();
    const history = historyOf(session, { pause: 0 });
    const tasks = new Store({ model: Task, session, pageSize: 0, proxy: { use: [outbox] } });
    await tasks.load();
    return { outbox, history, tasks, titles: () => [...tasks].map(({ title }) => title).sort() };
  };
  const titles = () =>
    server
      .rows('/tasks')
      .map(({ title }) => String(title))
      .sort();
  return { connection, titles, tabs: [await open(), await open()] as const };
}

const endOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error) => String(error.code ?? error),
  );

/** Runs an order of steps behind two changes, which wait in the outbox if it is `offline` at first. */
async function run(changes: (typeof LIVES)[string], offline: boolean, order: string, waits: boolean): Promise<void> {
  const { connection, titles, tabs } = await opened();
  const [{ tasks, history }, other] = tabs;
  const states = [tabs[0].titles()];
  connection.switchTo(!offline);
  for (const change of changes) {
    await change(tasks)?.catch(() => undefined);
    states.push(tabs[0].titles());
  }
  const calls: Promise<string>[] = [];
  let done = CHANGES;
  for (const key of order) {
    if (key === 's') connection.switchTo(!connection.online);
    else {
      done += key === 'u' ? -1 : 1;
      calls.push(endOf(key === 'u' ? history.undo() : history.redo()));
      if (waits) await calls.at(-1);
    }
  }
  const ends = await Promise.all(calls);
  connection.switchTo(true);
  for (const { outbox } of tabs) await outbox.send();
  for (const { outbox } of tabs) await outbox.drained();
  const told = `${order}, waits: ${waits}: ${ends}`;
  if (ends.every((end) => end === 'done')) expect([told, titles()]).toEqual([told, states[done]]);
  expect([told, tabs[0].titles()]).toEqual([told, titles()]);
  await other.tasks.load();
  expect([told, other.titles(), other.outbox.size]).toEqual([told, titles(), 0]);
  for (const { outbox } of tabs) await outbox.close();
}

describe.each([false, true])(
  'each order of undos, redos and network switches ends as pressed in two tabs',
  (offline) => {
    // The erase of a record that the server does not have yet leaves no step.
    const lives = Object.entries(LIVES).filter(([name]) => !offline || name !== 'a create and its erase');
    test.each(lives)(`%s, offline at first: ${offline}`, { timeout: 600_000 }, async (_name, changes) => {
      const orders = offline ? ordersOf(LENGTH - 1, CHANGES, 's') : ordersOf(LENGTH, CHANGES);
      // Half of the orders in one way each: with a wait for each call, or with all of them at once.
      const failed: unknown[] = [];
      for (const [at, order] of orders.entries())
        await run(changes, offline, order, at % 2 === 0).catch((error: Error) =>
          failed.push([order, error.message.slice(0, 500)]),
        );
      expect(failed).toEqual([]);
    });
  },
);
