import fc from 'fast-check';
import {
  HttpError,
  MemoryProxy,
  Model,
  plain,
  ReadError,
  receive,
  refreshStale,
  Session,
  StateError,
  Store,
  where,
  windowOf,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, poll, shown } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: { type: 'int', allowNull: true }, rev: 'int' },
  proxy: server.proxy('/users', { dialect: plain(), reader: { rootProperty: 'rows' } }),
}) {}

const row = (id: number, values: object = {}) => ({ id, name: `n${id}`, age: 20, rev: 1, ...values });

async function loaded(config: object = {}, rows: object[] = [row(1), row(2)], total?: number): Promise<Store<User>> {
  server.reply(page(rows, total));
  const store = new Store({ model: User, pageSize: 0, ...config });
  await store.load();
  return store;
}

describe('receive() with a gap', () => {
  test('lets the same list be loaded again, with the parameters of its load', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page([row(1), row(2)], 3));
    await store.load({ params: { team: 'a' }, page: 1 });
    server.reply(page([row(3)], 3));
    await store.loadMore();
    receive(store, [], { gap: true });
    server.reply(page([row(1), row(9)], 3), page([row(3)], 3));
    await refreshStale(store);
    expect([server.lines.slice(2), shown(store), store.status.get().stale]).toEqual([
      ['GET /users?team=a&page=1&limit=2', 'GET /users?team=a&page=2&limit=2'],
      [1, 9, 3],
      false,
    ]);
  });

  test('means nothing to a list that was never loaded', () => {
    const store = new Store({ model: User.with({ proxy: { type: MemoryProxy } as never }), data: [row(1)] });
    receive(store, [], { gap: true });
    expect(store.status.get().stale).toBe(false);
  });
});

describe('a row that is gone while its record is edited', () => {
  test('leaves as soon as the edits are taken back', async () => {
    const store = await loaded();
    const [first] = [...store] as [User];
    first.name = 'mine';
    receive(store, [], { removed: [1] });
    receive(store, [], { removed: [1] });
    expect([shown(store), first.dirty]).toEqual([[1, 2], true]);
    first.reject();
    expect([shown(store), first.erased]).toEqual([[2], true]);
  });

  test('stays if it has come back meanwhile', async () => {
    const store = await loaded();
    const [first] = [...store] as [User];
    first.name = 'mine';
    receive(store, [], { removed: [1] });
    receive(store, [row(1)]);
    first.reject();
    expect(shown(store)).toEqual([1, 2]);
  });

  test('stays if it was saved', async () => {
    const store = await loaded();
    const [first] = [...store] as [User];
    first.name = 'mine';
    receive(store, [], { removed: [1] });
    server.reply(page([row(1, { name: 'mine' })]));
    await first.save();
    expect(shown(store)).toEqual([1, 2]);
  });
});

describe('refreshStale() of a session', () => {
  test('lets a record on screen go that the server has no more', async () => {
    const session = new Session();
    server.reply(page([row(1)]));
    const user = await session.load(User, 1);
    user.$.state.subscribe(() => undefined);
    session.receive(User, [], { gap: true });
    server.reply({ status: 404 });
    await session.refreshStale();
    expect(user.erased).toBe(true);
  });

  /** A session with one page of a list, and a record on screen that is in no store, which may have missed rows. */
  async function behind(config: object = {}) {
    const session = new Session();
    server.reply(page([row(9)]));
    const user = await session.load(User, 9);
    user.$.state.subscribe(() => undefined);
    const store = await loaded({ session, pageSize: 2, ...config }, [row(1), row(2)], 4);
    session.receive(User, [], { gap: true });
    return { session, user, store };
  }

  test('leaves no list stale because of a record that it has found to be gone', async () => {
    const { session, user, store } = await behind();
    server.reply({ status: 404 }, page([row(1), row(3)], 3));
    await session.refreshStale();
    expect([user.erased, shown(store), store.total, store.status.get().staleReason]).toEqual([
      true,
      [1, 3],
      3,
      undefined,
    ]);
    const { length } = server.lines;
    await session.refreshStale();
    expect(server.lines.length).toBe(length);
  });

  test('nor because of one with changes that are not saved', async () => {
    const { session, user, store } = await behind();
    user.name = 'mine';
    server.reply({ status: 404 }, page([row(1), row(3)], 3));
    await session.refreshStale();
    expect([user.erased, shown(store), store.status.get().staleReason]).toEqual([false, [1, 3], undefined]);
  });

  test('nor a list that lacked nothing before', async () => {
    const { session, user, store } = await behind();
    server.reply(page([row(9)]), page([row(1), row(2)], 4));
    await session.refreshStale();
    const other = await loaded({ session, pageSize: 2, remoteFilter: true }, [row(1), row(2)], 4);
    session.receive(User, [], { gap: true });
    server.reply({ status: 410 }, page([row(1), row(2)], 3), page([row(1), row(2)], 3));
    await session.refreshStale();
    expect([user.erased, store.status.get().staleReason, other.status.get().staleReason]).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  test('reads the lists also where a record on screen cannot be read', async () => {
    const { session, user, store } = await behind();
    server.reply({ status: 500 }, page([row(1), row(3)], 3));
    await expect(session.refreshStale()).rejects.toMatchObject({ status: 500 });
    expect([user.erased, shown(store), store.status.get().staleReason]).toEqual([false, [1, 3], undefined]);
  });

  test('reads again what was missed while it read', async () => {
    const session = new Session();
    server.reply(page([row(1)]));
    const user = await session.load(User, 1);
    user.$.state.subscribe(() => undefined);
    session.receive(User, [], { gap: true });
    server.reply(page([row(1, { name: 'a' })]));
    const refreshing = session.refreshStale();
    session.receive(User, [], { gap: true });
    await refreshing;
    server.reply(page([row(1, { name: 'b' })]));
    await session.refreshStale();
    expect(user.name).toBe('b');
  });
});

describe('receive()', () => {
  test('gives known records their rows, and adds new ones where the store has all rows', async () => {
    const store = await loaded({ sorters: ['name'] });
    const first = store.getById(1) as User;
    const received = receive(store, [row(1, { name: 'z' }), row(3, { name: 'a' })]);
    expect([shown(received), received[0] === first, shown(store), first.name]).toEqual([[1, 3], true, [3, 2, 1], 'z']);
    expect([store.total, store.status.get().stale, store.status.get().pending]).toEqual([3, false, 0]);
    expect(server.lines).toHaveLength(1);
  });

  test('keeps edits, and shows which of them somebody else has changed underneath', async () => {
    const store = await loaded();
    const user = store.getById(1) as User;
    user.name = 'mine';
    user.age = 30;
    receive(store, [row(1, { name: 'theirs' })]);
    const { values, newer, dirty } = user.$.state.get();
    expect([values.name, values.age, newer, dirty]).toEqual(['mine', 30, { name: 'theirs' }, true]);
    user.name = 'mine too';
    expect(user.$.state.get().newer).toEqual({ name: 'theirs' });
    user.reject();
    expect([user.name, user.$.state.get().newer]).toEqual(['theirs', undefined]);
    user.name = 'again';
    expect(user.$.state.get().newer).toBeUndefined();
  });

  test('tells listeners of the state once', async () => {
    const store = await loaded();
    const user = store.getById(1) as User;
    user.name = 'mine';
    const told: unknown[] = [];
    user.$.state.subscribe(() => told.push(user.$.state.get().newer));
    receive(store, [row(1, { name: 'theirs' })]);
    receive(store, [row(1, { name: 'theirs' })]);
    expect(told).toEqual([{ name: 'theirs' }]);
  });

  test('lets removed records go, except for those with changes, whose save tells it', async () => {
    const store = await loaded({}, [row(1), row(2), row(3)]);
    const [first, second] = store;
    (second as User).name = 'mine';
    receive(store, [], { removed: [1, '2', 9] });
    expect([shown(store), first?.erased, second?.erased, store.total]).toEqual([[2, 3], true, false, 2]);
    server.reply({ status: 404 });
    await expect(second?.save()).rejects.toBeInstanceOf(HttpError);
    expect(second?.dirty).toBe(true);
  });

  test.each([
    ['a field', 'rev' as const],
    ['a function', (each: Readonly<Record<string, unknown>>) => each['rev']],
  ])('ignores older rows, by %s', async (_, version) => {
    const store = await loaded({}, [row(1, { rev: 5 })]);
    receive(store, [row(1, { rev: 4, name: 'old' })], { version });
    expect(store.getById(1)?.name).toBe('n1');
    receive(store, [row(1, { rev: 6, name: 'new' })], { version });
    expect(store.getById(1)?.name).toBe('new');
  });

  test('guesses nothing into a list of which only a part is loaded: it is stale until it is loaded again', async () => {
    const store = await loaded({ pageSize: 2, remoteSort: true, sorters: ['name'] }, [row(1), row(2)], 5);
    receive(store, [row(2, { age: 21 })]);
    expect(store.status.get().stale).toBe(false);
    expect(await refreshStale(store)).toEqual([]);
    expect(shown(receive(store, [row(7)]))).toEqual([]);
    expect([shown(store), store.total, store.status.get().stale]).toEqual([[1, 2], 5, true]);
    server.reply(page([row(1), row(7)], 6));
    await refreshStale(store);
    expect([shown(store), store.total, store.status.get().stale]).toEqual([[1, 7], 6, false]);
    expect(server.lines).toHaveLength(2);
  });

  test.each([
    ['a change of its order', { name: 'a' }, true],
    ['a change of what it filters by', { age: 3 }, true],
    ['another change', { rev: 2 }, false],
  ])('a list that the server sorts and filters is stale after %s: %s', async (_, change, stale) => {
    const filters = [where(User).age.eq(20)];
    const remote = { pageSize: 2, remoteSort: true, remoteFilter: true, sorters: ['name'], filters };
    const store = await loaded(remote, [row(1), row(2)], 5);
    receive(store, [row(2, change)]);
    expect([store.status.get().stale, shown(store)]).toEqual([stale, [1, 2]]);
  });

  test('a removed row that is not loaded makes a partly loaded list stale', async () => {
    const store = await loaded({ pageSize: 2 }, [row(1), row(2)], 5);
    receive(store, [], { removed: [4] });
    expect(store.status.get().stale).toBe(true);
  });

  test('counts after the response of a load that was in flight', async () => {
    const store = await loaded();
    const held = server.hold();
    const loading = store.reload();
    await held.request;
    receive(store, [row(1, { name: 'pushed' }), row(3)], { removed: [2] });
    held.answer(page([row(1), row(2)]));
    await loading;
    expect([shown(store), store.getById(1)?.name, store.total]).toEqual([[1, 3], 'pushed', 2]);
  });

  test('a store that has not loaded, and shows nothing, waits for its load', () => {
    const store = new Store({ model: User });
    expect(receive(store, [row(1)])).toEqual([]);
    expect([store.count, store.status.get().stale]).toEqual([0, false]);
  });

  test('windows load their rows again when they may be wrong', async () => {
    server.always(({ query }) =>
      page([row(Number(query.get('page')) * 2), row(Number(query.get('page')) * 2 + 1)], 50),
    );
    const store = new Store({ model: User, pageSize: 2 });
    const window = windowOf(store, { start: 0, end: 2 });
    await window.show({ start: 0, end: 2 });
    receive(store, [row(2, { name: 'pushed' })]);
    expect([window.list.get().at(0)?.name, store.status.get().stale]).toEqual(['pushed', false]);
    receive(store, [row(99)]);
    expect([store.status.get().stale, window.status.get().stale]).toEqual([true, true]);
    const before = server.lines.length;
    await refreshStale(store);
    await window.show({ start: 0, end: 2 });
    expect([server.lines.length > before, store.status.get().stale]).toEqual([true, false]);
    await poll(() => window.status.get().loading).toBe(false);
    store.dispose();
  });

  test('a session gives the rows to all of its stores, and to records that it holds alone', async () => {
    const session = new Session();
    const [all, part] = [await loaded({ session }), await loaded({ session, pageSize: 1 }, [row(1)], 2)];
    server.reply({ json: { rows: [row(8)] } });
    const alone = await session.load(User, 8);
    const received = session.receive(User, [row(1, { name: 'x' }), row(3), row(8, { name: 'y' })], { removed: [2] });
    expect([shown(received), shown(all), alone.name]).toEqual([[1, 3, 8], [1, 3, 8], 'y']);
    expect([part.getById(1) === all.getById(1), all.getById(1)?.name, part.status.get().stale]).toEqual([
      true,
      'x',
      true,
    ]);
    expect([all.getById(8) === alone, all.status.get().stale]).toEqual([true, false]);
  });

  test('does not come back after a load that began later, when the load in flight has failed', async () => {
    const store = await loaded();
    const held = server.hold();
    const failing = store.reload().catch(() => undefined);
    await held.request;
    receive(store, [row(1, { name: 'pushed' }), row(3)]);
    held.answer({ status: 500 });
    await failing;
    expect(store.getById(1)?.name).toBe('pushed');
    server.reply(page([row(1, { name: 'later' }), row(2)]));
    await store.reload();
    expect([shown(store), store.getById(1)?.name]).toEqual([[1, 2], 'later']);
  });

  test('does not come back over a save and an erase that followed while a load was in flight', async () => {
    const store = await loaded({}, [row(1), row(2), row(3)]);
    const held = server.hold();
    const loading = store.reload();
    await held.request;
    receive(store, [row(1, { name: 'pushed' }), row(3)]);
    const [first, , third] = store;
    server.reply({ json: row(1, { name: 'saved' }) });
    (first as User).name = 'saved';
    await first?.save();
    server.reply({ status: 204 });
    await third?.erase();
    held.answer(page([row(1), row(2), row(3)]));
    await loading;
    expect([shown(store), first?.name, store.total]).toEqual([[1, 2], 'saved', 2]);
  });

  test('counts after the response to a window that was in flight', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const window = windowOf(store);
    server.reply(page([row(1), row(2)], 2));
    await window.show({ start: 0, end: 2 });
    const held = server.hold();
    const loading = window.reload();
    await held.request;
    receive(store, [row(1, { name: 'pushed', rev: 2 }), row(2, { name: 'old', rev: 0 })], { version: 'rev' });
    held.answer(page([row(1), row(2)], 2));
    await loading;
    expect([0, 1].map((at) => window.list.get().at(at)?.name)).toEqual(['pushed', 'n2']);
    store.dispose();
  });

  test('a store with given records has all of them', () => {
    const store = new Store({ model: User, data: [row(1)] });
    expect([shown(receive(store, [row(2)])), shown(store), store.total]).toEqual([[2], [1, 2], 2]);
  });

  test('the list is as long as before when it is refreshed after loadMore()', async () => {
    const all = [1, 2, 3, 4, 5].map((id) => row(id));
    server.always(({ query }) => {
      const start = (Number(query.get('page')) - 1) * 2;
      return page(all.slice(start, start + 2), all.length);
    });
    const store = new Store({ model: User, pageSize: 2 });
    await store.load();
    await store.loadMore();
    all.unshift(row(9));
    receive(store, [row(9)]);
    await refreshStale(store);
    expect([shown(store), store.hasMore, store.status.get().stale]).toEqual([[9, 1, 2, 3], true, false]);
  });

  test('an own value that was saved is not shown as newer', async () => {
    const store = await loaded();
    const user = store.getById(1) as User;
    user.name = 'mine';
    receive(store, [row(1, { name: 'theirs' })]);
    const held = server.hold();
    const saving = user.save();
    await held.request;
    user.name = 'mine too';
    held.answer({ json: row(1, { name: 'mine' }) });
    await saving;
    expect([user.name, user.$.state.get().newer]).toEqual(['mine too', undefined]);
  });

  test('a value that is the same as the own one is not shown as newer', async () => {
    const store = await loaded();
    const user = store.getById(1) as User;
    const held = server.hold();
    user.name = 'mine';
    const saving = user.save();
    await held.request;
    receive(store, [row(1, { name: 'mine' })]);
    expect(user.$.state.get().newer).toBeUndefined();
    held.answer({ json: row(1, { name: 'mine' }) });
    await saving;
    expect(user.$.state.get().newer).toBeUndefined();
  });

  test('every store of a session knows what it lacks, also after another one has taken the rows', async () => {
    const session = new Session();
    const config = { session, pageSize: 2, remoteSort: true, sorters: ['name'] };
    const stores = [await loaded(config, [row(1), row(2)], 5), await loaded(config, [row(1), row(2)], 5)];
    session.receive(User, [], { removed: [2] });
    expect(stores.map((store) => [store.status.get().stale, shown(store)])).toEqual([
      [false, [1]],
      [false, [1]],
    ]);
    session.receive(User, [row(1, { name: 'z' })]);
    expect(stores.map((store) => store.status.get().stale)).toEqual([true, true]);
  });

  test('a row that one store of a session refuses changes no other store', async () => {
    const session = new Session();
    const store = await loaded({ session });
    const strict = { ...server.proxy('/users', { dialect: plain() }), reader: { strict: true, rootProperty: 'rows' } };
    const other = await loaded({ session, proxy: strict });
    expect(() => session.receive(User, [row(1, { name: 'x' }), row(2, { age: 'old' })])).toThrow(ReadError);
    expect([store.getById(1)?.name, other.getById(1)?.name]).toEqual(['n1', 'n1']);
  });

  test('an incomplete row is merged into a record that only the session holds', async () => {
    class Part extends User.with({ proxy: { reader: { rows: 'incomplete', rootProperty: 'rows' } } }) {}
    const session = new Session();
    server.reply({ json: { rows: [row(8, { extra: 1 })] } });
    const alone = await session.load(Part, 8);
    session.receive(Part, [{ id: 8, name: 'pushed' }]);
    expect([alone.name, alone.age, alone.rev]).toEqual(['pushed', 20, 1]);
  });

  test('a new record is no row of the server, whatever its temporary id', () => {
    const session = new Session();
    const created = session.create(User, { name: 'new' });
    session.receive(User, [row(created.getId() as number)], { removed: [created.getId() as number] });
    expect([created.name, created.phantom, created.erased]).toEqual(['new', true, false]);
  });

  test('refuses what is no row, before anything is changed', async () => {
    class Strict extends User.with({ proxy: { reader: { strict: true, rootProperty: 'rows' } } }) {}
    const store = await loaded();
    const refused = (rows: unknown, options?: unknown) => () => receive(store, rows as never, options as never);
    for (const wrong of [[row(1, { name: 'x' }), 7], [row(1, { name: 'x' }), new User()], {}, [null]])
      expect(refused(wrong)).toThrow(StateError);
    expect(refused([row(1, { name: 'x' }), { name: 'no id' }])).toThrow('no id');
    for (const id of [{}, [], Number.NaN, true, '', null])
      expect(refused([row(1, { name: 'x' }), { id }])).toThrow('no id');
    for (const id of [undefined, {}, Number.NaN])
      expect(refused([row(1, { name: 'x' })], { removed: [id] })).toThrow(StateError);
    expect(refused([row(1, { name: 'x' })], { removed: 7 })).toThrow(StateError);
    expect(refused([row(1, { name: 'x' })], { version: 'revision' })).toThrow("'revision'");
    expect(refused([row(1, { name: 'x' })], { erased: [7] })).toThrow('erased');
    expect(store.getById(1)?.name).toBe('n1');
    server.reply(page([row(1)]));
    const strict = new Store({ model: Strict, pageSize: 0 });
    await strict.load();
    expect(() => receive(strict, [row(1, { age: 'old' })])).toThrow(ReadError);
    const polluted = JSON.parse('{"id":1,"__proto__":{"isAdmin":true}}') as object;
    receive(store, [polluted]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    store.dispose();
    expect(refused([row(1)])).toThrow(StateError);
  });

  test('any rows in any order leave the newest values, all edits, and each record once', async () => {
    const change = fc.record({ id: fc.integer({ min: 1, max: 6 }), rev: fc.integer({ min: 1, max: 9 }) });
    const step = fc.oneof(
      fc.record({ does: fc.constant('receive' as const), rows: fc.array(change, { maxLength: 4 }) }),
      fc.record({ does: fc.constant('edit' as const), id: fc.integer({ min: 1, max: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const store = await loaded({ sorters: ['id'] }, [row(1, { rev: 0 }), row(2, { rev: 0 })]);
        const newest = new Map([
          [1, 0],
          [2, 0],
        ]);
        const edited = new Set<number>();
        for (const each of steps) {
          if (each.does === 'edit') {
            const record = store.getById(each.id);
            if (record) record.name = 'mine';
            if (record) edited.add(each.id);
            continue;
          }
          receive(
            store,
            each.rows.map(({ id, rev }) => row(id, { rev, name: `v${rev}` })),
            { version: 'rev' },
          );
          for (const { id, rev } of each.rows) newest.set(id, Math.max(rev, newest.get(id) ?? 0));
        }
        expect(shown(store)).toEqual([...newest.keys()].sort());
        for (const [id, rev] of newest) expect(store.getById(id)?.rev).toBe(rev);
        for (const id of edited) expect(store.getById(id)?.name).toBe('mine');
        expect(store.total).toBe(newest.size);
      }),
      { numRuns: 60 },
    );
  });
});
