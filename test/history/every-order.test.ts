import { idempotency, Model, plain, Session, Store } from 'repose';
import { historyOf } from 'repose/history';
import { Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { switchedConnection } from '../helpers/switched-connection.js';
import { fakeLocks, sharedStorage } from '../outbox/shared-storage.js';

// undo() and redo() of a create and an edit over an outbox, in every order of some steps, of which each may be the loss or the return of
// the network. A second tab over the same storage shows and sends the same writes.

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

async function run(order: string, waits: boolean): Promise<void> {
  const { connection, titles, tabs } = await opened();
  const [{ tasks, history }, other] = tabs;
  const states = [titles()];
  await tasks.add({ title: 'added' })[0]?.save();
  states.push(titles());
  await tasks.getById(1)?.set('title', 'edited').save();
  states.push(titles());
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

test(`each order of ${LENGTH} undos, redos and switches of the network ends as pressed, in two tabs`, {
  timeout: 600_000,
}, async () => {
  const orders = ordersOf(LENGTH, CHANGES);
  // Half of the orders in one way each: with a wait for each call, or with all of them at once.
  const failed: unknown[] = [];
  for (const [at, order] of orders.entries())
    await run(order, at % 2 === 0).catch((error: Error) => failed.push([order, error.message.slice(0, 500)]));
  expect(failed).toEqual([]);
});
