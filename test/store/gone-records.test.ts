import { HttpError, Model, plain, Session, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, shown } from './support.js';

const server = useRestServer();
const options = { dialect: plain(), reader: { rootProperty: 'rows', totalProperty: 'total' } };

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', hours: 'int' },
  proxy: server.proxy('/tasks', options),
}) {}

const row = (id: number) => ({ id, title: `t${id}`, hours: id });
const rowsOf = (...ids: number[]) => ids.map(row);

async function loaded(
  config: object = {},
  ids: readonly number[] = [1, 2, 3],
  total = ids.length,
): Promise<Store<Task>> {
  server.reply(page(rowsOf(...ids), total));
  const store = new Store<Task>({ model: Task, pageSize: 0, ...config });
  await store.load();
  return store;
}

const first = (store: Store<Task>) => store.getById(1) as Task;
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as HttpError,
  );

describe('a record that the server does not have any more', () => {
  for (const call of ['load', 'save', 'erase'] as const)
    for (const status of [404, 410])
      test(`leaves every list of its session when ${call}() is answered ${status}`, async () => {
        const session = new Session();
        const lists = [await loaded({ session }), await loaded({ session, sorters: ['title'] })];
        const part = await loaded({ session, pageSize: 2 }, [2, 3], 3);
        const task = first(lists[0] as Store<Task>);
        server.reply({ status });
        const error = await errorOf(task[call]());
        expect([error?.status, task.erased, session.getById(Task, 1)]).toEqual([status, true, undefined]);
        expect(lists.map((list) => [shown(list), list.total, list.status.get().staleReason])).toEqual([
          [[2, 3], 2, undefined],
          [[2, 3], 2, undefined],
        ]);
        expect([shown(part), part.status.get().staleReason]).toEqual([[2, 3], 'unknownRemoved']);
      });

  test('leaves a store without a session', async () => {
    const store = await loaded();
    server.reply({ status: 404 });
    await errorOf(first(store).load());
    expect([shown(store), store.total]).toEqual([[2, 3], 2]);
  });

  test('leaves the lists when session.load() is answered 404', async () => {
    const session = new Session();
    const store = await loaded({ session });
    server.reply({ status: 404 });
    await errorOf(session.load(Task, 1));
    expect(shown(store)).toEqual([2, 3]);
  });

  test('is not pending any more when sync() was to erase it, and the batch has the failure', async () => {
    const store = await loaded();
    store.remove(first(store));
    server.reply({ status: 404 });
    const batch = await store.sync();
    expect(batch.failures.map(({ error }) => error.code)).toEqual(['http']);
    expect([shown(store), store.pending.removed, store.status.get().pending]).toEqual([[2, 3], [], 0]);
  });

  test('leaves alone when the entry of a bulk answer says so', async () => {
    const Bulk = Task.with({ proxy: server.proxy('/tasks', { ...options, batchActions: true }) as never });
    const store = await loaded({ model: Bulk });
    store.remove(first(store), store.getById(2) as Task);
    const json = [
      { id: 1, status: 404 },
      { id: 2, status: 204 },
    ];
    server.reply({ status: 207, json });
    const batch = await store.sync();
    expect([batch.failures.length, shown(store), store.pending.removed]).toEqual([1, [3], []]);
  });
});

describe('a record with changes that the server does not have any more', () => {
  for (const call of ['load', 'save', 'erase'] as const)
    test(`stays pending when ${call}() is answered 404, and its lists are stale`, async () => {
      const session = new Session();
      const store = await loaded({ session });
      const part = await loaded({ session, pageSize: 2 }, [2, 3], 3);
      const task = first(store);
      task.title = 'mine';
      server.reply({ status: 404 });
      const error = await errorOf(task[call]());
      expect([error?.status, task.erased, task.dirty, task.title]).toEqual([404, false, true, 'mine']);
      if (call !== 'load') expect(task.$.error).toBe(error);
      expect([shown(store), store.status.get().staleReason, part.status.get().staleReason]).toEqual([
        [1, 2, 3],
        'movedRow',
        'unknownRemoved',
      ]);
      task.reject();
      server.reply(page(rowsOf(2, 3), 2));
      await store.reload();
      expect([shown(store), store.status.get().staleReason]).toEqual([[2, 3], undefined]);
    });

  test('stays while a save of it is in flight', async () => {
    const store = await loaded();
    const task = first(store);
    task.title = 'mine';
    server.reply({ status: 404 }, { json: { rows: [{ ...row(1), title: 'mine' }] } });
    const [, saved] = await Promise.all([errorOf(task.load()), task.save()]);
    expect([saved.erased, shown(store)]).toEqual([false, [1, 2, 3]]);
  });
});

describe('an answer that does not say that a record is gone', () => {
  test('is a 404 to a load where `api.read` is set, but not one to a write', async () => {
    const View = Task.with({
      proxy: server.proxy('/tasks', { ...options, api: { read: '/views', list: '/tasks' } }) as never,
    });
    const store = await loaded({ model: View });
    server.reply({ status: 404 });
    await errorOf(first(store).load());
    expect([shown(store), store.status.get().staleReason]).toEqual([[1, 2, 3], undefined]);
    server.reply({ status: 404 });
    await errorOf(first(store).erase());
    expect(shown(store)).toEqual([2, 3]);
  });

  test('is a 404 at an address of the call, or any other failure', async () => {
    const store = await loaded();
    server.reply({ status: 404 }, { status: 403 }, { status: 500 });
    await errorOf(first(store).load({ url: '/archive' }));
    await errorOf(first(store).load());
    await errorOf(first(store).erase());
    expect([shown(store), store.status.get().staleReason]).toEqual([[1, 2, 3], undefined]);
  });

  test('is a 404 to a request with several records', async () => {
    const Bulk = Task.with({ proxy: server.proxy('/tasks', { ...options, batchActions: true }) as never });
    const store = await loaded({ model: Bulk });
    store.remove(first(store), store.getById(2) as Task);
    server.reply({ status: 404 });
    await store.sync();
    expect(store.getById(1)?.erased ?? true).toBe(false);
  });

  test('is a success that has changed no row', async () => {
    const None = Task.with({
      proxy: server.proxy('/tasks', { ...options, reader: { ...options.reader, empty: 'missing' } }) as never,
    });
    const store = await loaded({ model: None });
    server.reply({ status: 204 });
    const error = await errorOf(first(store).erase());
    expect([error, shown(store)]).toEqual([expect.any(HttpError), [1, 2, 3]]);
  });

  test('leaves a record that is in no list as it is', async () => {
    server.reply({ json: { rows: [row(1)] } });
    const task = await Task.load(1);
    server.reply({ status: 404 });
    await errorOf(task.load());
    expect(task.erased).toBe(false);
  });
});

test.each([{ params: { rev: 7 } }, { headers: { 'x-tenant': 'b' } }])(
  'a load with options of its own (%o) that is answered 404 says nothing',
  async (options) => {
    const store = await loaded();
    const task = first(store);
    server.reply({ status: 404 });
    await errorOf(task.load(options));
    expect([task.erased, shown(store)]).toEqual([false, [1, 2, 3]]);
  },
);
