import { AbortError, keepFresh, StateError, Store, type StoreConfig, sync, viewOf, windowOf } from 'repose';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';
import { deferred } from '../helpers/rest-server.js';
import { accepting, sentLines, server, Task, User } from '../sync/support.js';
import { poll, tick } from './support.js';

const rows = [1, 2, 3].map((id) => ({ id, title: `Task ${id}` }));

async function loaded(config: Partial<StoreConfig<Task>> = {}): Promise<Store<Task>> {
  server.always(() => ({ json: rows }));
  const store = new Store({ model: Task, pageSize: 0, ...config });
  await store.load();
  server.reset();
  return store;
}

describe('dispose()', () => {
  test('empties the store, its views, windows and groups, and removes the listeners', async () => {
    const store = await loaded();
    const view = viewOf(store, { sorters: ['title'] });
    const grouped = viewOf(store, { groups: groups({ by: ['title'] }) });
    const record = store.getAt(0) as Task;
    const events: string[] = [];
    store.on('change', () => events.push('change'));
    view.on('change', () => events.push('view'));
    grouped.groups.on('change', () => events.push('groups'));
    store.list.subscribe(() => events.push('list'));
    store.dispose();
    expect(events).toEqual(['list']);
    expect([store.disposed, view.disposed, store.count, view.count, [...grouped.groups].length]).toEqual([
      ...[true, true, 0, 0, 0],
    ]);
    record.title = 'Edited';
    store.flush();
    await tick();
    expect(events).toEqual(['list']);
    expect(record.dirty).toBe(true);
    store.dispose();
  });

  test('ends windows and their requests', async () => {
    server.always(() => ({ json: [] }));
    const store = new Store({ model: Task, pageSize: 10, remoteSort: true, remoteFilter: true });
    const window = windowOf(store);
    const shown = window.show({ start: 0, end: 5 });
    store.dispose();
    expect(window.disposed).toBe(true);
    await expect(shown).rejects.toMatchObject({ code: 'abort', reason: 'disposed' });
  });

  test('aborts a load in flight without an event, and nobody has to handle its promise', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', listen);
    const answer = deferred<void>();
    server.always(async () => {
      await answer.promise;
      return { json: rows };
    });
    const store = new Store({ model: Task, pageSize: 0 });
    const events: string[] = [];
    store.on('exception', () => events.push('exception'));
    void store.load();
    const second = store.load({ params: { other: 1 } });
    await poll(() => server.requests.length > 0).toBe(true);
    store.dispose();
    answer.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect([unhandled, events, store.status.get().loading]).toEqual([[], [], false]);
    await expect(second).rejects.toBeInstanceOf(AbortError);
    await expect(store.ready).rejects.toMatchObject({ reason: 'store-disposed' });
    expect(store.status.get().error).toMatchObject({ reason: 'store-disposed' });
  });

  test('cancels a scheduled load and a delayed search', async () => {
    const scheduled = new Store({ model: Task, autoLoad: true });
    scheduled.dispose();
    const timers: string[] = [];
    let count = 0;
    const clock = {
      now: () => 0,
      after: (_: number, callback: () => void) => {
        void callback;
        const timer = `timer ${(count += 1)}`;
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    };
    const store = await loaded({ model: Task.with({ proxy: { clock } }) as typeof Task, searchFields: ['title'] });
    store.search('x', { delay: 300 });
    expect(timers).toHaveLength(1);
    store.dispose();
    expect(timers).toEqual([]);
    await tick();
    expect(sentLines()).toEqual([]);
  });

  test('ends keepFresh()', async () => {
    const timers: string[] = [];
    const clock = { now: () => 0, after: () => () => void timers.push('cancelled') };
    const listeners: string[] = [];
    const page = {
      addEventListener: (name: string) => void listeners.push(name),
      removeEventListener: (name: string) => void listeners.splice(listeners.indexOf(name), 1),
    };
    const store = await loaded();
    keepFresh(store, { every: 1000, clock, events: page });
    expect(listeners.length).toBe(3);
    store.dispose();
    expect([timers, listeners]).toEqual([['cancelled'], []]);
    keepFresh(store, { every: 1000, clock, events: page });
    expect(listeners).toEqual([]);
  });

  const later: [string, (store: Store<Task>) => unknown][] = [
    ['load', (store) => store.load()],
    ['loadMore', (store) => store.loadMore()],
    ['reload', (store) => store.reload()],
    ['sync', (store) => store.sync()],
    ['add', (store) => store.add({ title: 'New' })],
    ['insert', (store) => store.insert(0, { title: 'New' })],
    ['remove', (store) => store.remove(new Task({ id: 1 }))],
    ['setRecords', (store) => store.setRecords([])],
    ['sort', (store) => store.sort('title')],
    ['filter', (store) => store.filter({ property: 'title', value: 'x' })],
    ['search', (store) => store.search('x')],
    ['setPageSize', (store) => store.setPageSize(5)],
    ['setRemote', (store) => store.setRemote({ remoteSort: true })],
    ['setExtraParams', (store) => store.setExtraParams({})],
    ['view', (store) => viewOf(store)],
    ['window', (store) => windowOf(store)],
  ];
  test.each(later)('refuses %s() afterwards with a StateError that says what to do', async (_, call) => {
    const store = await loaded({ searchFields: ['title'] });
    store.dispose();
    const error = await (async () => call(store))().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({ code: 'disposed', message: expect.stringContaining('make another one') });
    expect(sentLines()).toEqual([]);
  });

  test('lets writes in flight and a running sync end', async () => {
    const store = await loaded({ concurrency: 1 });
    const answer = deferred<void>();
    const accept = accepting();
    server.always(async (request) => {
      await answer.promise;
      return accept(request);
    });
    const problems: unknown[] = [];
    store.on('exception', ({ error }) => problems.push(error));
    const [first, second] = store.getRange() as [Task, Task];
    first.title = 'Edited';
    store.remove(second);
    const created = store.add({ title: 'New' }, { title: 'Newer' });
    const running = store.sync();
    await poll(() => server.requests.length > 0).toBe(true);
    store.dispose();
    answer.resolve();
    const { outcomes, failures } = await running;
    expect([outcomes.length, failures, problems]).toEqual([4, [], []]);
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PUT', 'DELETE']);
    expect([first.dirty, second.erased, ...created.map(({ phantom }) => phantom)]).toEqual([false, true, false, false]);
  });

  test('tells of pending changes that no sync will write, and leaves them in their records', async () => {
    const store = await loaded();
    const told: unknown[] = [];
    store.on('exception', ({ error, operation }) => told.push([error.message, operation.records]));
    const [first, second] = store.getRange() as [Task, Task];
    first.title = 'Edited';
    store.remove(second);
    const [created] = store.add({ title: 'New' });
    store.dispose();
    expect(told).toEqual([[expect.stringContaining('3 unsaved changes'), [created, first, second]]]);
    expect(first.title).toBe('Edited');
    server.always(accepting());
    await first.save();
    await sync([]);
    expect(sentLines()).toEqual(['PUT /tasks/1 {"id":1,"title":"Edited"}']);
  });

  test('tells of no change that another store holds, or that is being saved', async () => {
    const store = await loaded();
    const other = new Store({ model: Task, pageSize: 0 });
    const [first, second] = store.getRange() as [Task, Task];
    other.add(first);
    first.title = 'Edited';
    second.title = 'Edited too';
    server.always(accepting());
    const saving = second.save();
    const told: unknown[] = [];
    store.on('exception', ({ error }) => told.push(error));
    store.dispose();
    await saving;
    expect([told, other.pending.edited, second.dirty]).toEqual([[], [first], false]);
    other.dispose();
    expect(new Store({ model: User }).disposed).toBe(false);
  });
});
