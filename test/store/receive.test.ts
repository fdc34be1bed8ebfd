import fc from 'fast-check';
import { HttpError, Model, plain, ReadError, Session, StateError, Store, where } from 'repose';
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

describe('receive()', () => {
  test('gives known records their rows, and adds new ones where the store has all rows', async () => {
    const store = await loaded({ sorters: ['name'] });
    const first = store.getById(1) as User;
    const received = store.receive([row(1, { name: 'z' }), row(3, { name: 'a' })]);
    expect([shown(received), received[0] === first, shown(store), first.name]).toEqual([[1, 3], true, [3, 2, 1], 'z']);
    expect([store.totalCount, store.status.get().stale, store.status.get().pending]).toEqual([3, false, 0]);
    expect(server.lines).toHaveLength(1);
  });

  test('keeps edits, and shows which of them somebody else has changed underneath', async () => {
    const store = await loaded();
    const user = store.getById(1) as User;
    user.name = 'mine';
    user.age = 30;
    store.receive([row(1, { name: 'theirs' })]);
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
    store.receive([row(1, { name: 'theirs' })]);
    store.receive([row(1, { name: 'theirs' })]);
    expect(told).toEqual([{ name: 'theirs' }]);
  });

  test('lets removed records go, except for those with changes, whose save tells it', async () => {
    const store = await loaded({}, [row(1), row(2), row(3)]);
    const [first, second] = store;
    (second as User).name = 'mine';
    store.receive([], { removed: [1, '2', 9] });
    expect([shown(store), first?.erased, second?.erased, store.totalCount]).toEqual([[2, 3], true, false, 2]);
    server.reply({ status: 404 });
    await expect(second?.save()).rejects.toBeInstanceOf(HttpError);
    expect(second?.dirty).toBe(true);
  });

  test.each([
    ['a field', 'rev' as const],
    ['a function', (each: Readonly<Record<string, unknown>>) => each['rev']],
  ])('ignores older rows, by %s', async (_, version) => {
    const store = await loaded({}, [row(1, { rev: 5 })]);
    store.receive([row(1, { rev: 4, name: 'old' })], { version });
    expect(store.getById(1)?.name).toBe('n1');
    store.receive([row(1, { rev: 6, name: 'new' })], { version });
    expect(store.getById(1)?.name).toBe('new');
  });

  test('guesses nothing into a list of which only a part is loaded: it is stale until it is loaded again', async () => {
    const store = await loaded({ pageSize: 2, remoteSort: true, sorters: ['name'] }, [row(1), row(2)], 5);
    store.receive([row(2, { age: 21 })]);
    expect(store.status.get().stale).toBe(false);
    expect(await store.refreshStale()).toEqual([]);
    expect(shown(store.receive([row(7)]))).toEqual([]);
    expect([shown(store), store.totalCount, store.status.get().stale]).toEqual([[1, 2], 5, true]);
    server.reply(page([row(1), row(7)], 6));
    await store.refreshStale();
    expect([shown(store), store.totalCount, store.status.get().stale]).toEqual([[1, 7], 6, false]);
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
    store.receive([row(2, change)]);
    expect([store.status.get().stale, shown(store)]).toEqual([stale, [1, 2]]);
  });

  test('a removed row that is not loaded makes a partly loaded list stale', async () => {
    const store = await loaded({ pageSize: 2 }, [row(1), row(2)], 5);
    store.receive([], { removed: [4] });
    expect(store.status.get().stale).toBe(true);
  });

  test('counts after the answer of a load that was in flight', async () => {
    const store = await loaded();
    const held = server.hold();
    const loading = store.reload();
    await held.request;
    store.receive([row(1, { name: 'pushed' }), row(3)], { removed: [2] });
    held.answer(page([row(1), row(2)]));
    await loading;
    expect([shown(store), store.getById(1)?.name, store.totalCount]).toEqual([[1, 3], 'pushed', 2]);
  });

  test('a store that has not loaded, and shows nothing, waits for its load', () => {
    const store = new Store({ model: User });
    expect(store.receive([row(1)])).toEqual([]);
    expect([store.count, store.status.get().stale]).toEqual([0, false]);
  });

  test('windows load their rows again when they may be wrong', async () => {
    server.always(({ query }) =>
      page([row(Number(query.get('page')) * 2), row(Number(query.get('page')) * 2 + 1)], 50),
    );
    const store = new Store({ model: User, pageSize: 2 });
    const window = store.window({ start: 0, end: 2 });
    await window.show({ start: 0, end: 2 });
    store.receive([row(2, { name: 'pushed' })]);
    expect([window.list.get().at(0)?.name, store.status.get().stale]).toEqual(['pushed', false]);
    store.receive([row(99)]);
    expect([store.status.get().stale, window.status.get().stale]).toEqual([true, true]);
    const before = server.lines.length;
    await store.refreshStale();
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

  test('refuses what is no row, before anything is changed', async () => {
    class Strict extends User.with({ proxy: { reader: { strict: true, rootProperty: 'rows' } } }) {}
    const store = await loaded();
    const refused = (rows: unknown, options?: unknown) => () => store.receive(rows as never, options as never);
    for (const wrong of [[row(1, { name: 'x' }), 7], [row(1, { name: 'x' }), new User()], {}, [null]])
      expect(refused(wrong)).toThrow(StateError);
    expect(refused([row(1, { name: 'x' }), { name: 'no id' }])).toThrow('no id');
    expect(refused([row(1, { name: 'x' })], { removed: [undefined] })).toThrow(StateError);
    expect(refused([row(1, { name: 'x' })], { removed: 7 })).toThrow(StateError);
    expect(refused([row(1, { name: 'x' })], { version: 'revision' })).toThrow("'revision'");
    expect(refused([row(1, { name: 'x' })], { erased: [7] })).toThrow('erased');
    expect(store.getById(1)?.name).toBe('n1');
    server.reply(page([row(1)]));
    const strict = new Store({ model: Strict, pageSize: 0 });
    await strict.load();
    expect(() => strict.receive([row(1, { age: 'old' })])).toThrow(ReadError);
    const polluted = JSON.parse('{"id":1,"__proto__":{"isAdmin":true}}') as object;
    store.receive([polluted]);
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
          store.receive(
            each.rows.map(({ id, rev }) => row(id, { rev, name: `v${rev}` })),
            { version: 'rev' },
          );
          for (const { id, rev } of each.rows) newest.set(id, Math.max(rev, newest.get(id) ?? 0));
        }
        expect(shown(store)).toEqual([...newest.keys()].sort());
        for (const [id, rev] of newest) expect(store.getById(id)?.rev).toBe(rev);
        for (const id of edited) expect(store.getById(id)?.name).toBe('mine');
        expect(store.totalCount).toBe(newest.size);
      }),
      { numRuns: 60 },
    );
  });
});
