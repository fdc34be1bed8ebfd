import { differenceOf, Model, Store } from 'repose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true } },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

afterEach(() => vi.restoreAllMocks());

const people = (...ids: number[]) => new Store({ model: User, pageSize: 0, data: rows(...ids) });
const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('change', () => {
  test('is emitted once per microtask, with all changes in it', async () => {
    const store = people(1, 2, 3);
    const log = eventLog(store);
    store.remove(at(store, 2));
    at(store, 1).name = 'x';
    at(store, 1).name = 'y';
    store.add(User.fromRow({ id: 4 }));
    expect(log).toEqual([]);
    await Promise.resolve();
    at(store, 3).name = 'z';
    await tick();
    expect(log).toEqual([
      'change +4 -2 ~1', // All changes of the first tick.
      'change ~3',
    ]);
  });

  test('contains exactly the added, removed, moved and updated records', async () => {
    const store = new Store({ model: User, data: rows(1, 2, 3, 4), sorters: ['name'] });
    const log = eventLog(store);
    at(store, 1).name = 'n9';
    await tick();
    at(store, 1).name = 'n0';
    at(store, 4).age = 5;
    store.remove(at(store, 2));
    await tick();
    store.insert(0, { id: 7, name: 'n3a' });
    await tick();
    store.sort('name', 'DESC');
    await tick();
    store.filter({ property: 'name', operator: '<', value: 'n4' });
    await tick();
    store.filter([]);
    await tick();
    expect(log).toEqual([
      'change >1 ~1', // One record moved to the end, the others kept their order.
      'change -2 >1 ~1,4',
      'change +7',
      'change >4,7,3', // The fewest records that must move.
      'change -4',
      'change +4',
    ]);
  });

  test('is not emitted for changes that were undone in the same tick', async () => {
    const store = people(1, 2);
    const log = eventLog(store);
    const [user] = store.add({ name: 'new' }) as [User];
    store.remove(user);
    const second = at(store, 2);
    store.remove(second);
    store.add(second);
    store.sort('name');
    store.filter([]);
    store.remove();
    store.remove(new User());
    store.reject();
    await tick();
    expect(log).toEqual([]);
  });

  test('contains a record only once that was added and edited, or edited and removed', async () => {
    const store = people(1, 2);
    const log = eventLog(store);
    const [user] = store.add({ id: 3, name: 'new' }) as [User];
    user.name = 'edited';
    at(store, 1).name = 'edited';
    store.remove(...store.getRange(0, 1));
    await tick();
    expect(log).toEqual(['change +3 -1']);
  });

  test('does not contain edits of hidden records', async () => {
    const store = new Store({ model: User, data: rows(1, 2), filters: [{ property: 'name', value: 'n1' }] });
    const log = eventLog(store);
    at(store, 2).age = 7;
    const first = at(store, 1);
    store.remove(first);
    first.age = 8;
    await tick();
    expect(log).toEqual(['change -1']);
  });

  test('has a rising version', async () => {
    const store = people(1, 2);
    const versions: number[] = [];
    store.on('change', ({ version }) => versions.push(version));
    at(store, 1).name = 'x';
    await tick();
    store.removeAll();
    await tick();
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(versions).toHaveLength(2);
  });

  test('gives a new listener only later changes', async () => {
    const store = people(1);
    store.add({ id: 2, name: 'before' });
    const log = eventLog(store);
    store.add({ id: 3, name: 'after' });
    await tick();
    expect(log).toEqual(['change +3']);
    expect(shown(store)).toEqual([1, 2, 3]);
  });

  test('gives a new listener only later changes, and existing listeners the earlier ones first', async () => {
    const store = people(1);
    const first = eventLog(store);
    store.add({ id: 2, name: 'b' });
    const second = eventLog(store);
    expect([first, second]).toEqual([['change +2'], []]);
    store.add({ id: 3, name: 'c' });
    await tick();
    expect([first, second]).toEqual([['change +2', 'change +3'], ['change +3']]);
  });

  test('has splices that match what each listener saw when it was added', async () => {
    const store = people(1, 2, 3);
    const follow = () => {
      const seen = store.getRange();
      store.on('change', (change) => {
        const { splices } = differenceOf(change);
        for (const { index, remove, records } of splices) seen.splice(index, remove, ...records);
      });
      return seen;
    };
    const first = follow();
    store.add({ id: 4, name: 'd' });
    const second = follow();
    store.remove(...store.getRange(0, 1));
    await tick();
    expect([first, second].map(shown)).toEqual([
      [2, 3, 4],
      [2, 3, 4],
    ]);
  });

  test('does not give a new listener earlier edits', async () => {
    const store = people(1);
    at(store, 1).name = 'before';
    const log = eventLog(store);
    await tick();
    expect(log).toEqual([]);
  });

  test('contains a record that was edited between its removal and its return', async () => {
    const store = people(1, 2, 3);
    const log = eventLog(store);
    const [first, second] = [at(store, 1), at(store, 2)];
    store.remove(first, second);
    first.name = 'x';
    second.name = 'y';
    store.insert(0, first);
    store.add(second);
    await tick();
    expect(log).toEqual(['change >3 ~1,2']);
  });

  test('keeps nothing for a listener that was removed and added again', async () => {
    const store = people(1);
    const stop = store.on('change', () => undefined);
    stop();
    store.add({ id: 2, name: 'unheard' });
    await tick();
    const log = eventLog(store);
    store.add({ id: 3, name: 'heard' });
    await tick();
    expect(log).toEqual(['change +3']);
  });

  test('is emitted after a load only if that changed something', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(
      page(rows(1, 2)),
      page(rows(1, 2)),
      page([
        { id: 1, name: 'n1' },
        { id: 2, name: 'x' },
      ]),
    );
    await store.load();
    const log = eventLog(store);
    await store.load();
    await store.load();
    expect(log).toEqual([
      'load 1,2', // The same rows: nothing has changed.
      'change ~2',
      'load 1,2',
    ]);
  });
});

describe('load, write and exception', () => {
  test('are separate events, each after the change that it caused', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const log = eventLog(store);
    server.reply(page(rows(1, 2, 3)));
    await store.load();
    at(store, 1).name = 'x';
    store.remove(at(store, 2));
    store.add({ name: 'new' });
    await tick();
    server.reply({ status: 201, json: { id: 9 } }, { status: 204 }, { status: 500 });
    await store.sync();
    server.reply({ status: 503 });
    await expect(store.load()).rejects.toThrow();
    expect(log).toEqual([
      'change +1,2,3',
      'load 1,2,3',
      'change +new -2 ~1',
      'change ~new', // The create begins.
      'change ~9',
      'write POST /users',
      'change ~1', // The update begins.
      'change ~1',
      'write PUT /users/1',
      'change +2', // The erase has failed.
      'exception http DELETE /users/2',
      'exception http GET /users',
    ]);
  });

  test('are emitted after the getters have changed', async () => {
    const store = new Store({ model: User });
    const seen: unknown[] = [];
    store.on('load', () =>
      seen.push(['load', store.count, store.status.get().loading, store.status.get().loaded, store.status.get().error]),
    );
    store.on('exception', ({ error }) =>
      seen.push(['exception', store.status.get().loading, store.status.get().error === error]),
    );
    server.reply(page(rows(1)), { status: 500 });
    await store.load();
    await expect(store.load()).rejects.toThrow();
    expect(seen).toEqual([
      ['load', 1, false, true, undefined],
      ['exception', false, true],
    ]);
  });

  test('load contains the records of the response, also hidden ones', async () => {
    const store = new Store({ model: User, pageSize: 0, filters: [{ property: 'name', value: 'n2' }] });
    const log = eventLog(store);
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(log).toEqual(['change +2', 'load 1,2']);
  });

  test('write is emitted only by the sync that sent the record', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const first = store.sync();
    await held.request;
    const log = eventLog(store);
    const second = store.sync();
    held.answer({ status: 201, json: { id: 1 } });
    const batches = await Promise.all([first, second]);
    expect(batches.map(({ outcomes }) => outcomes)).toEqual([
      [{ action: 'create', record: user }],
      [{ action: 'create', record: user }],
    ]);
    expect(log).toEqual(['change ~1', 'write POST /users']);
  });

  test('exception for an invalid record contains the action and no request', async () => {
    const store = new Store({ model: User });
    store.add({ name: null as never });
    const log = eventLog(store);
    await store.sync();
    expect(log).toEqual(['change ~new', 'change ~new', 'exception validation create']);
    expect(server.requests).toEqual([]);
  });
});

describe('flush()', () => {
  test('delivers pending changes now, and only once', async () => {
    const store = people(1);
    const log = eventLog(store);
    store.add({ id: 2, name: 'b' });
    store.flush();
    expect(log).toEqual(['change +2']);
    store.flush();
    await tick();
    expect(log).toEqual(['change +2']);
  });

  test('inside a listener waits for the other listeners, so that all receive events in one order', async () => {
    const store = people(1);
    const order: string[] = [];
    store.on('change', (change) => {
      const { added } = differenceOf(change);
      order.push(`first ${shown(added)}`);
      if (store.count < 3) {
        store.add({ id: 3, name: 'c' });
        store.flush();
      }
    });
    store.on('change', (change) => {
      const { added } = differenceOf(change);
      order.push(`second ${shown(added)}`);
    });
    store.add({ id: 2, name: 'b' });
    await tick();
    expect(order).toEqual(['first 2', 'second 2', 'first 3', 'second 3']);
  });
});

describe('listeners', () => {
  test('may edit records, and their changes come in the next event', async () => {
    const store = people(1, 2);
    const log = eventLog(store);
    const stop = store.on('change', (change) => {
      const { added } = differenceOf(change);
      stop();
      for (const user of added) user.name = 'welcome';
      store.remove(...store.getRange(0, 1));
    });
    store.add({ id: 3, name: 'c' });
    await tick();
    expect(log).toEqual(['change +3', 'change -1 ~3']);
  });

  test('may call load() and sync()', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const log = eventLog(store);
    const syncs: Promise<unknown>[] = [];
    const stop = store.on('load', ({ records }) => {
      stop();
      (records[0] as User).name = 'x';
      syncs.push(store.sync(), store.load());
    });
    server.always(({ method }) => (method === 'PUT' ? { status: 204 } : page(rows(1))));
    await store.load();
    await Promise.all(syncs);
    expect(log.filter((each) => each.startsWith('write'))).toEqual(['write PUT /users/1']);
    expect(log.filter((each) => each.startsWith('load'))).toEqual(['load 1', 'load 1']);
    expect(store.status.get().loading).toBe(false);
  });

  test('that throw do not keep other listeners from being called', async () => {
    const store = people(1);
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    const bad = new Error('a mistake in a listener');
    store.on('change', () => {
      throw bad;
    });
    const log = eventLog(store);
    store.add({ id: 2, name: 'b' });
    await tick();
    store.add({ id: 3, name: 'c' });
    await tick();
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
    expect(log).toEqual(['change +2', 'change +3']);
    expect(uncaught).toEqual([bad, bad]);
  });

  test('are called until they are removed', async () => {
    const store = people(1);
    const heard: string[] = [];
    const stop = store.on('change', () => heard.push('a'));
    store.on('change', () => heard.push('b'));
    store.add({ id: 2, name: 'b' });
    store.flush();
    stop();
    store.add({ id: 3, name: 'c' });
    store.flush();
    expect(heard).toEqual(['a', 'b', 'b']);
  });
});

describe('list', () => {
  test('returns the shown records, and never changes', () => {
    const store = people(1, 2, 3);
    const before = store.list.get();
    store.remove(...store.getRange(0, 1));
    store.add({ id: 4, name: 'd' });
    const after = store.list.get();
    expect([before.count, shown(before.slice()), before.at(0)?.id]).toEqual([3, [1, 2, 3], 1]);
    expect([after.count, shown(after.slice(1)), after.at(0)?.id]).toEqual([3, [3, 4], 2]);
    expect(shown(after.slice(0, 1))).toEqual([2]);
    expect([after.at(3), after.at(-1)]).toEqual([undefined, undefined]);
    // The returned array belongs to the caller.
    before.slice().pop();
    expect(before.count).toBe(3);
    expect(before.slice()).toHaveLength(3);
  });

  test('is the same frozen object until other records are shown, or their order changes', async () => {
    const store = people(1, 2);
    const first = store.list.get();
    expect([store.list.get() === first, Object.isFrozen(first)]).toEqual([true, true]);
    at(store, 1).name = 'x';
    expect(store.list.get()).toBe(first);
    await tick();
    expect(store.list.get()).toBe(first);
    store.sort('name');
    const sorted = store.list.get();
    expect([sorted === first, shown(sorted.slice())]).toEqual([false, shown(store)]);
  });
});
