import { Model, Store } from 'repose';
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
  test('comes once per microtask, with all that happened in it', async () => {
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
      'change +4 -2 ~1', // everything of the first tick
      'change ~3',
    ]);
  });

  test('holds exactly what was added, removed, moved and updated', async () => {
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
    store.clearFilter();
    await tick();
    expect(log).toEqual([
      'change >1 ~1', // one record moved to the end, the others kept their order
      'change -2 >1 ~1,4',
      'change +7',
      'change >4,7,3', // the fewest that must move
      'change -4',
      'change +4',
    ]);
  });

  test('is never empty: what is undone in the same tick is not told', async () => {
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
    store.rejectChanges();
    await tick();
    expect(log).toEqual([]);
  });

  test('tells of a record that was added and edited, or edited and removed, once', async () => {
    const store = people(1, 2);
    const log = eventLog(store);
    const [user] = store.add({ id: 3, name: 'new' }) as [User];
    user.name = 'edited';
    at(store, 1).name = 'edited';
    store.removeAt(0);
    await tick();
    expect(log).toEqual(['change +3 -1']);
  });

  test('tells of edits of hidden records not at all', async () => {
    const store = new Store({ model: User, data: rows(1, 2), filters: [{ property: 'name', value: 'n1' }] });
    const log = eventLog(store);
    at(store, 2).age = 7;
    const first = at(store, 1);
    store.remove(first);
    first.age = 8;
    await tick();
    expect(log).toEqual(['change -1']);
  });

  test('has a version that rises and is that of the snapshot', async () => {
    const store = people(1, 2);
    const versions: number[] = [store.getSnapshot().version];
    store.on('change', ({ version }) => {
      versions.push(version);
      expect(store.getSnapshot().version).toBe(version);
    });
    at(store, 1).name = 'x';
    await tick();
    store.removeAll();
    await tick();
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(versions).toHaveLength(3);
  });

  test('tells a new listener only of what happens from then on', async () => {
    const store = people(1);
    store.add({ id: 2, name: 'before' });
    const log = eventLog(store);
    store.add({ id: 3, name: 'after' });
    await tick();
    expect(log).toEqual(['change +3']);
    expect(shown(store)).toEqual([1, 2, 3]);
  });

  test('tells who comes while others listen only of what happens from then on, and the others what happened before', async () => {
    const store = people(1);
    const first = eventLog(store);
    store.add({ id: 2, name: 'b' });
    const second = eventLog(store);
    expect([first, second]).toEqual([['change +2'], []]);
    store.add({ id: 3, name: 'c' });
    await tick();
    expect([first, second]).toEqual([['change +2', 'change +3'], ['change +3']]);
  });

  test('has splices that fit what a listener saw when it came, whoever listened before', async () => {
    const store = people(1, 2, 3);
    const follow = () => {
      const seen = store.getRange();
      store.on('change', ({ splices }) => {
        for (const { index, remove, records } of splices) seen.splice(index, remove, ...records);
      });
      return seen;
    };
    const first = follow();
    store.add({ id: 4, name: 'd' });
    const second = follow();
    store.removeAt(0);
    await tick();
    expect([first, second].map(shown)).toEqual([
      [2, 3, 4],
      [2, 3, 4],
    ]);
  });

  test('tells a new listener nothing of edits that it has seen', async () => {
    const store = people(1);
    at(store, 1).name = 'before';
    const log = eventLog(store);
    await tick();
    expect(log).toEqual([]);
  });

  test('tells of a record that was edited between its removal and its return', async () => {
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

  test('leaves nothing over for a listener that comes back', async () => {
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

  test('comes after a load that brings nothing new, only for what is new', async () => {
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
      'load 1,2', // the same rows: nothing has changed
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
      'change ~9', // created
      'write POST /users',
      'change ~1', // saved
      'write PUT /users/1',
      'change +2', // could not be erased
      'exception http DELETE /users/2',
      'exception http GET /users',
    ]);
  });

  test('are told when getters say so as well', async () => {
    const store = new Store({ model: User });
    const seen: unknown[] = [];
    store.on('load', () => seen.push(['load', store.count, store.loading, store.loaded, store.error]));
    store.on('exception', ({ error }) => seen.push(['exception', store.loading, store.error === error]));
    server.reply(page(rows(1)), { status: 500 });
    await store.load();
    await expect(store.load()).rejects.toThrow();
    expect(seen).toEqual([
      ['load', 1, false, true, undefined],
      ['exception', false, true],
    ]);
  });

  test('load holds the records of the answer, also those that are hidden', async () => {
    const store = new Store({ model: User, pageSize: 0, filters: [{ property: 'name', value: 'n2' }] });
    const log = eventLog(store);
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(log).toEqual(['change +2', 'load 1,2']);
  });

  test('write tells nothing of a record that nothing was sent for', async () => {
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

  test('exception tells of a record that is not valid: the action, and no request', async () => {
    const store = new Store({ model: User });
    store.add({ name: null as never });
    const log = eventLog(store);
    await store.sync();
    expect(log).toEqual(['change ~new', 'exception validation create']);
    expect(server.requests).toEqual([]);
  });
});

describe('flush', () => {
  test('delivers now, and not again', async () => {
    const store = people(1);
    const log = eventLog(store);
    store.add({ id: 2, name: 'b' });
    store.flush();
    expect(log).toEqual(['change +2']);
    store.flush();
    await tick();
    expect(log).toEqual(['change +2']);
  });

  test('inside a listener waits until all have heard: everyone hears events in one order', async () => {
    const store = people(1);
    const order: string[] = [];
    store.on('change', ({ added }) => {
      order.push(`first ${shown(added)}`);
      if (store.count < 3) {
        store.add({ id: 3, name: 'c' });
        store.flush();
      }
    });
    store.on('change', ({ added }) => order.push(`second ${shown(added)}`));
    store.add({ id: 2, name: 'b' });
    await tick();
    expect(order).toEqual(['first 2', 'second 2', 'first 3', 'second 3']);
  });
});

describe('listeners', () => {
  test('may edit: what they change comes in the next event', async () => {
    const store = people(1, 2);
    const log = eventLog(store);
    const stop = store.on('change', ({ added }) => {
      stop();
      for (const user of added) user.name = 'welcome';
      store.removeAt(0);
    });
    store.add({ id: 3, name: 'c' });
    await tick();
    expect(log).toEqual(['change +3', 'change -1 ~3']);
  });

  test('may load and sync', async () => {
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
    expect(store.loading).toBe(false);
  });

  test('that throw starve nobody', async () => {
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

  test('are heard until they stop', async () => {
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

describe('getSnapshot', () => {
  test('is what is shown, and never changes', () => {
    const store = people(1, 2, 3);
    const before = store.getSnapshot();
    store.removeAt(0);
    store.add({ id: 4, name: 'd' });
    const after = store.getSnapshot();
    expect([before.count, shown(before.slice()), before.at(0)?.id]).toEqual([3, [1, 2, 3], 1]);
    expect([after.count, shown(after.slice(1)), after.at(0)?.id]).toEqual([3, [3, 4], 2]);
    expect(shown(after.slice(0, 1))).toEqual([2]);
    expect([after.at(3), after.at(-1)]).toEqual([undefined, undefined]);
    expect(after.version).toBeGreaterThan(before.version);
    // What it hands out is the caller's own.
    before.slice().pop();
    expect(before.count).toBe(3);
    expect(before.slice()).toHaveLength(3);
  });

  test('is the same object until something changes, values included', async () => {
    const store = people(1, 2);
    const first = store.getSnapshot();
    expect(store.getSnapshot()).toBe(first);
    at(store, 1).name = 'x';
    const second = store.getSnapshot();
    expect(second).not.toBe(first);
    await tick();
    expect(store.getSnapshot()).toBe(second);
  });
});
