import { Model, Store, viewOf, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { type: 'json', rootProperty: 'rows' } }),
}) {}

const rows = (...ids: number[]) => ids.map((id) => ({ id, name: `n${id}` }));
const page = (sent: object[], total = sent.length) => ({ json: { rows: sent, total } });
const idle = {
  ...{ loading: false, saving: false, error: undefined, loaded: true, loadCount: 1 },
  ...{ stale: false, staleReason: undefined, pending: 0, queued: 0 },
};

/** Records what a source tells. */
function watch<T>(source: { subscribe(listener: () => void): () => void; get(): T }): { told: T[]; stop: () => void } {
  const told: T[] = [];
  return { told, stop: source.subscribe(() => told.push(source.get())) };
}

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

function storeOf(...ids: number[]): Store<User> {
  const store = new Store({ model: User });
  store.setRecords(rows(...ids));
  return store;
}

describe('the source of a list', () => {
  test('is silent while only contents change, and shows them at once', async () => {
    const store = storeOf(1, 2);
    const { told } = watch(store.list);
    (store.getById(1) as User).name = 'x';
    await tick();
    expect(told).toEqual([]);
    store.add({ name: 'new' });
    expect(store.list.get().count).toBe(3);
    expect(told).toEqual([]);
    await tick();
    expect(told.map((list) => list.count)).toEqual([3]);
  });

  test('tells all changes of a tick once, before the event `change`, and nothing if they cancel out', async () => {
    const store = storeOf(1, 2);
    const log: string[] = [];
    store.on('change', () => log.push('change'));
    const stop = store.list.subscribe(() => log.push(`list ${store.list.get().count}`));
    store.add({ name: 'a' }, { name: 'b' });
    store.remove(...store.getRange(0, 1));
    await tick();
    expect(log).toEqual(['list 3', 'change']);
    const [added] = store.add({ name: 'c' }) as [User];
    store.remove(added);
    await tick();
    expect(log).toEqual(['list 3', 'change']);
    store.add({ name: 'd' });
    store.flush();
    expect(log).toEqual(['list 3', 'change', 'list 4', 'change']);
    stop();
    store.removeAll();
    await tick();
    expect(log.at(-1)).toBe('change');
  });

  test('follows the order of a sorted view, and stays the same object when the order stays', async () => {
    const store = storeOf(1, 2, 3);
    const view = viewOf(store, { sorters: ['name'] });
    const { told } = watch(view.list);
    const before = view.list.get();
    (store.getById(2) as User).name = 'n2b';
    await tick();
    expect([told, view.list.get() === before]).toEqual([[], true]);
    (store.getById(1) as User).name = 'z';
    await tick();
    expect(told.map((list) => list.slice().map((user) => user.id))).toEqual([[2, 3, 1]]);
    view.dispose();
    expect(told.at(-1)?.count).toBe(0);
  });

  test('stays the same object when a list that was built again has the same records', () => {
    const store = storeOf(...Array.from({ length: 500 }, (_, i) => i + 1));
    const before = store.list.get();
    store.filter({ property: 'id', operator: 'gt', value: 0 });
    expect(store.list.get()).toBe(before);
    store.filter({ property: 'id', operator: 'gt', value: 1 });
    expect(store.list.get()).not.toBe(before);
  });
});

describe('the status of a store', () => {
  test('tells the start and the end of a load at once', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    expect(store.status.get()).toEqual({ ...idle, loaded: false, loadCount: 0, total: undefined });
    const { told } = watch(store.status);
    server.reply(page(rows(1, 2), 9));
    const loading = store.load();
    expect(told).toEqual([{ ...idle, loaded: false, loadCount: 0, loading: true, total: undefined }]);
    await loading;
    expect(told.slice(1)).toEqual([{ ...idle, total: 9 }]);
    expect(Object.isFrozen(told[1])).toBe(true);
    expect(store.status.get()).toBe(told[1]);
  });

  test('tells a failed load, and forgets its error with the next one', async () => {
    const store = new Store({ model: User });
    const { told } = watch(store.status);
    server.reply({ status: 503 }, page(rows(1)));
    await store.load().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ loading: false, loaded: false, error: { code: 'http' } });
    await store.load();
    expect(told.at(-1)).toEqual({ ...idle, total: 1 });
  });

  test('tells an aborted and a scheduled load', async () => {
    const store = new Store({ model: User, remoteSort: true });
    const { told } = watch(store.status);
    server.reply(page(rows(1)), page(rows(1)));
    const loading = store.load().catch(() => undefined);
    store.abort();
    await loading;
    expect([told.at(0)?.loading, told.at(-1)?.loading, told.at(-1)?.error?.code]).toEqual([true, false, 'abort']);
    await store.load();
    store.sort('name');
    expect(told.at(-1)?.loading).toBe(true);
    store.abort();
    expect(told.at(-1)?.loading).toBe(false);
  });

  test('is up to date for the listeners of `load` and `exception`', async () => {
    const store = new Store({ model: User });
    watch(store.status);
    const seen: unknown[] = [];
    store.on('load', () => seen.push(store.status.get()));
    store.on('exception', () => seen.push(store.status.get().loading));
    server.reply(page(rows(1)), { status: 500 });
    await store.load();
    await store.load().catch(() => undefined);
    expect(seen).toEqual([{ ...idle, total: 1 }, false]);
  });

  test('counts the pending records, one by one, as a new source would count them', async () => {
    const store = storeOf(1, 2, 3);
    const { told } = watch(store.status);
    const counts = () => [told.at(-1)?.pending, storeStatusNow(store)];
    (store.getById(1) as User).name = 'x';
    expect(counts()).toEqual([1, 1]);
    const [added] = store.add({ name: 'a' }, { name: 'b' }) as [User, User];
    expect([...counts(), told.length]).toEqual([3, 3, 2]);
    store.remove(store.getById(2) as User);
    expect(counts()).toEqual([4, 4]);
    store.remove(added);
    expect(counts()).toEqual([3, 3]);
    (store.getById(1) as User).name = 'n1';
    expect(counts()).toEqual([2, 2]);
    const length = told.length;
    store.reject();
    expect([...counts(), told.length - length]).toEqual([0, 0, 1]);
    store.batch(() => {
      for (const user of store) user.name = 'y';
    });
    expect([...counts(), told.length - length]).toEqual([3, 3, 2]);
  });

  test('does not count a removed record whose removal is undone while it is being erased', async () => {
    const store = storeOf(1, 2);
    const { told } = watch(store.status);
    const held = server.hold();
    store.remove(store.getById(1) as User);
    const synced = store.sync();
    await held.request;
    expect(told.at(-1)).toMatchObject({ pending: 1, saving: true });
    store.reject();
    expect(store.pending.removed).toEqual([]);
    expect(told.at(-1)).toMatchObject({ pending: 0, saving: true });
    held.answer({ status: 500 });
    await synced;
    expect(store.count).toBe(2);
    expect(told.at(-1)).toMatchObject({ pending: 0, saving: false });
  });

  test('tells the start and the end of saves, also of failed ones', async () => {
    const store = storeOf(1, 2);
    for (const user of store) user.name = 'x';
    const { told } = watch(store.status);
    server.reply({ status: 204 }, { status: 500 });
    const sync = store.sync();
    expect(told).toMatchObject([{ saving: true, pending: 2 }]);
    await sync;
    await tick();
    expect(told.at(-1)).toMatchObject({ saving: false, pending: 1 });
    server.reply({ status: 204 });
    const erasing = (store.getById(2) as User).erase();
    expect(told.at(-1)?.saving).toBe(true);
    await erasing;
    expect(told.at(-1)).toMatchObject({ saving: false, pending: 0, total: 1 });
  });

  test('counts saves and pending records from the start if somebody watches later', async () => {
    const store = storeOf(1);
    const user = store.getById(1) as User;
    server.reply({ status: 204 });
    const saving = user.save();
    const { told } = watch(store.status);
    expect(store.status.get().saving).toBe(true);
    await saving;
    await tick();
    expect(told.at(-1)?.saving).toBe(false);
  });
});

/** The number of pending records as the store counts them. */
function storeStatusNow(store: Store<User>): number {
  return [...store.pending.created, ...store.pending.edited].length + store.pending.removed.length;
}

describe('ready', () => {
  test('is one promise of the first load, and does not load', async () => {
    const store = new Store({ model: User });
    const { ready } = store;
    await tick();
    expect([store.ready === ready, server.requests.length, store.status.get().loading]).toEqual([true, 0, false]);
    server.reply(page(rows(1)), page(rows(1)));
    await store.load();
    await ready;
    await store.load();
    expect(store.ready).toBe(ready);
  });

  test('resolves at once after a load that nobody waited for', async () => {
    const store = new Store({ model: User });
    server.reply(page(rows(1)));
    await store.load();
    await store.ready;
    expect(store.ready).toBe(store.ready);
  });

  test('rejects with the error of the first load, and the next load has a promise of its own', async () => {
    const store = new Store({ model: User });
    const { ready } = store;
    server.reply({ status: 503 }, page(rows(1)));
    await store.load().catch(() => undefined);
    await expect(ready).rejects.toMatchObject({ code: 'http' });
    expect(store.ready).not.toBe(ready);
    await store.load();
    await store.ready;
  });

  test('rejects when the first load is refused or its schedule is cancelled, and then waits for the next load', async () => {
    const refused = new Store({ model: User, autoLoad: true, canLoad: () => false });
    await expect(refused.ready).rejects.toMatchObject({ code: 'abort' });
    const failing = new Store({
      model: User,
      autoLoad: true,
      canLoad: () => {
        throw new Error('no');
      },
    });
    await expect(failing.ready).rejects.toMatchObject({ code: 'definition', cause: { message: 'no' } });
    const cancelled = new Store({ model: User, autoLoad: true });
    const { ready } = cancelled;
    cancelled.abort();
    await expect(ready).rejects.toMatchObject({ code: 'abort' });
    server.reply(page(rows(1)));
    void cancelled.load();
    await cancelled.ready;
    expect(cancelled.count).toBe(1);
  });

  test('waits for a load in flight while another load is refused', async () => {
    let isAllowed = true;
    const store = new Store({ model: User, canLoad: () => isAllowed });
    const held = server.hold();
    const loading = store.load();
    const { ready } = store;
    isAllowed = false;
    await expect(store.load({ params: { a: 1 } })).rejects.toMatchObject({ code: 'abort' });
    expect(store.ready).toBe(ready);
    held.answer(page(rows(1)));
    await Promise.all([loading, ready]);
    expect(store.status.get().loaded).toBe(true);
  });

  test('is not an unhandled rejection if nobody waits for it', async () => {
    const store = new Store({ model: User });
    void store.ready;
    server.reply({ status: 503 });
    await store.load().catch(() => undefined);
    await tick();
    expect(store.status.get().error?.code).toBe('http');
  });
});

describe('the sources of a window', () => {
  test('tell loading, the records and their end', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const window = windowOf(store, { prefetch: 0 });
    const [list, status] = [watch(window.list), watch(window.status)];
    server.reply(page(rows(1, 2), 4));
    await window.show({ start: 0, end: 2 });
    expect(status.told.map(({ loading, loaded, total }) => [loading, loaded, total])).toEqual([
      [true, false, undefined],
      [false, true, 4],
    ]);
    expect(
      list.told
        .at(-1)
        ?.slice(0, 2)
        .map((user) => user?.id),
    ).toEqual([1, 2]);
    const before = window.list.get();
    (window.getAt(0) as User).name = 'x';
    await tick();
    expect([window.list.get() === before, status.told.at(-1)?.pending]).toEqual([true, 1]);
    server.reply({ status: 500 });
    await window.show({ start: 2, end: 4 }).catch(() => undefined);
    expect(status.told.at(-1)).toMatchObject({ loading: false, error: { code: 'http' } });
    window.dispose();
    expect(list.told.at(-1)?.count).toBe(0);
    expect(window.status.get().loading).toBe(false);
  });

  test('keep the error of the records on show when another block arrives', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const window = windowOf(store, { prefetch: 0 });
    const { told } = watch(window.status);
    let isDown = true;
    server.always(({ query }) => {
      if (query.get('page') === '2') return page(rows(3, 4), 6);
      return isDown ? { status: 500 } : page(rows(1, 2), 6);
    });
    await window.show({ start: 0, end: 4 }).catch(() => undefined);
    expect([window.stateAt(0), window.stateAt(2)]).toEqual(['missing', 'loaded']);
    expect(told.at(-1)).toMatchObject({ loading: false, loaded: true, error: { code: 'http' } });
    await window.show({ start: 2, end: 4 });
    await tick();
    expect(told.at(-1)?.error).toBeUndefined();
    isDown = false;
    await window.show({ start: 0, end: 2 });
    expect(told.at(-1)).toMatchObject({ loading: false, error: undefined });
  });
});
