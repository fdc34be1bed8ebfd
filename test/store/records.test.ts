import { Model, nextPage, previousPage, StateError, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: { type: 'string', defaultValue: 'anonymous' }, team: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}
class Team extends Model.define({ name: 'team', fields: { id: 'int', name: 'string' } }) {}

const users = (...ids: number[]) => new Store({ model: User, pageSize: 0, data: rows(...ids) });
const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('the option `data`', () => {
  test('becomes saved records if it has ids, and new ones otherwise', () => {
    const store = new Store({ model: User, data: [{ id: 1, name: 'a' }, { name: 'b' }] });
    expect([...store].map((user) => [user.name, user.phantom, user.dirty])).toEqual([
      ['a', false, false],
      ['b', true, false],
    ]);
    expect(store.pending.created).toEqual([store.getAt(1)]);
  });

  test('is copied', () => {
    const data = rows(1);
    const store = new Store({ model: User, data });
    (data[0] as { name: string }).name = 'changed';
    expect(store.getAt(0)?.name).toBe('n1');
  });

  test('needs no proxy', async () => {
    const store = new Store({ model: Team, data: [{ id: 1, name: 'b' }], sorters: ['name'] });
    store.add({ name: 'a' });
    expect([...store].map((team) => team.name)).toEqual(['a', 'b']);
    await expect(store.load()).rejects.toMatchObject({
      name: 'DefinitionError',
      message: expect.stringMatching(/^team has no proxy: set /),
    });
  });
});

describe('add()', () => {
  test('creates new records at the end, with defaults and temporary ids', () => {
    const store = users(1);
    const added = store.add({ name: 'Ada' }, {}, { id: 40, name: 'Grace' });
    expect(added.map((user) => [user.name, user.phantom])).toEqual([
      ['Ada', true],
      ['anonymous', true],
      ['Grace', true], // An id chosen by the client does not make it a saved record.
    ]);
    expect(new Set(shown(store)).size).toBe(4);
    expect([...store].slice(1)).toEqual(added);
  });

  test('accepts records unchanged', () => {
    const store = users(1);
    const [saved, fresh] = [User.fromRow({ id: 2 }), new User({ name: 'x' })];
    expect(store.add(saved, fresh)).toEqual([saved, fresh]);
    expect([saved.phantom, fresh.phantom]).toEqual([false, true]);
    expect(store.pending.created).toEqual([fresh]);
  });

  test('accepts records of classes derived from the model', () => {
    class Admin extends User.define({ fields: { level: 'int' } }) {}
    const store = users();
    const admin = new Admin({ id: 7, level: 3 }, { phantom: false });
    store.add(admin);
    expect(store.getById(7)).toBe(admin);
  });

  test('without arguments changes nothing', () => {
    const store = users(1);
    expect(store.add()).toEqual([]);
    expect(store.count).toBe(1);
  });

  test('refuses records of another model before anything changes', async () => {
    const store = users(1);
    const log = eventLog(store);
    expect(() => store.add({ name: 'x' }, new Team({ id: 1 }) as never)).toThrow(
      expect.objectContaining({
        code: 'foreign',
        message: expect.stringContaining(
          'must be a record of user, or an object with its values, not a record of team',
        ),
      }) as unknown as Error,
    );
    await tick();
    expect([store.count, log]).toEqual([1, []]);
  });

  test('refuses an array before anything changes, as remove() does', () => {
    const store = users(1, 2);
    const list = [...store] as never;
    const foreign = expect.objectContaining({ code: 'foreign' }) as unknown as Error;
    for (const given of [[], list]) {
      expect(() => store.add({ name: 'x' }, given as never)).toThrow(foreign);
      expect(() => store.insert(0, given as never)).toThrow(foreign);
      expect(() => store.remove(store.getAt(0)!, given as never)).toThrow(foreign);
    }
    expect([store.count, store.pending.created, store.pending.removed]).toEqual([2, [], []]);
  });

  test('refuses unknown fields before anything changes', () => {
    const store = users(1);
    expect(() => store.add({ name: 'x' }, { nmae: 'y' } as never)).toThrow(StateError);
    expect(store.count).toBe(1);
  });

  test('refuses an erased record', async () => {
    const store = users(1);
    const user = at(store, 1);
    server.reply({ status: 204 });
    await user.erase();
    expect(() => store.add(user)).toThrow(expect.objectContaining({ code: 'erased' }) as unknown as Error);
    expect(store.count).toBe(0);
  });
});

describe('insert()', () => {
  test.each([
    [0, ['a', 'b', 1, 2, 3]],
    [1, [1, 'a', 'b', 2, 3]],
    [3, [1, 2, 3, 'a', 'b']],
    [99, [1, 2, 3, 'a', 'b']],
  ])('at %i puts new records before the one shown there', (index, expected) => {
    const store = users(1, 2, 3);
    store.insert(index, { name: 'a' }, { name: 'b' });
    expect([...store].map((user) => (user.phantom ? user.name : user.id))).toEqual(expected);
  });

  test('counts shown records only', () => {
    const store = users(1, 2, 3, 4);
    store.remove(at(store, 2));
    store.insert(1, { id: 9 });
    expect(shown(store)).toEqual([1, 9, 3, 4]);
    store.reject();
    expect(shown(store)).toEqual([1, 2, 3, 4]);
    store.filter({ property: 'name', operator: '>', value: 'n2' });
    store.insert(1, User.fromRow({ id: 8, name: 'n8' }));
    expect(shown(store)).toEqual([3, 8, 4]);
    store.filter([]);
    expect(shown(store)).toEqual([1, 2, 3, 8, 4]);
  });

  test.each([
    [0, 3, [3, 1, 2]],
    [2, 1, [2, 1, 3]],
    [1, 1, [1, 2, 3]],
    [1, 2, [1, 2, 3]],
    [3, 1, [2, 3, 1]],
  ])('at %i moves record %i of the store', async (index, id, expected) => {
    const store = users(1, 2, 3);
    const log = eventLog(store);
    store.insert(index, at(store, id));
    expect(shown(store)).toEqual(expected);
    await tick();
    expect(log.every((each) => each.startsWith('change >'))).toBe(true);
  });

  test('moves several records together', () => {
    const store = users(1, 2, 3, 4);
    store.insert(0, at(store, 3), at(store, 1));
    expect(shown(store)).toEqual([3, 1, 2, 4]);
  });
});

describe('remove()', () => {
  test('hides saved records, drops new ones, and returns those that were in the store', async () => {
    const store = users(1, 2);
    const [added] = store.add({ name: 'new' }) as [User];
    const first = at(store, 1);
    expect(store.remove(first, added, User.fromRow({ id: 2 }), new User(), first)).toEqual([first, added]);
    expect(shown(store)).toEqual([2]);
    expect(store.pending.removed).toEqual([first]);
    expect(store.remove(first)).toEqual([]);
    await store.sync().catch(() => undefined);
    expect(server.lines).toEqual(['DELETE /users/1']);
  });

  test('excludes the record from the updates, but keeps its edits', () => {
    const store = users(1);
    const user = at(store, 1);
    user.name = 'edited';
    store.remove(user);
    expect(store.pending.edited).toEqual([]);
    expect(user.dirty).toBe(true);
    store.add(user);
    expect(store.pending.edited).toEqual([user]);
  });

  test('followed by insert() leaves the record at its new place', () => {
    const store = users(1, 2, 3);
    const second = at(store, 2);
    store.remove(second);
    store.insert(0, second);
    expect(shown(store)).toEqual([2, 1, 3]);
    expect(store.pending.removed).toEqual([]);
  });
});

describe('remove() of places, and removeAll()', () => {
  test('remove the record shown at an index, and return undefined if there is none', () => {
    const store = users(1, 2, 3);
    const second = at(store, 2);
    expect(store.remove(...store.getRange(1, 2))[0]).toBe(second);
    expect([store.remove(...store.getRange(7, 8))[0], store.remove(...store.getRange(-1, -1 + 1))[0]]).toEqual([
      undefined,
      undefined,
    ]);
    expect(shown(store)).toEqual([1, 3]);
  });

  test('remove all records of the page, also those that a filter hides', () => {
    const store = users(1, 2, 3);
    store.add({ name: 'new' });
    store.filter({ property: 'name', value: 'n1' });
    expect(store.removeAll()).toHaveLength(4);
    store.filter([]);
    expect([store.count, shown(store.pending.removed)]).toEqual([0, [1, 2, 3]]);
  });

  test('do not remove pending records of other pages', async () => {
    const store = new Store({ model: User, pageSize: 1 });
    server.reply(page(rows(1), 2), page(rows(2), 2));
    await store.load();
    at(store, 1).name = 'edited';
    await nextPage(store);
    expect(shown(store.removeAll())).toEqual([2]);
    expect(shown(store.pending.edited)).toEqual([1]);
  });

  test('remove more records than fit into the arguments of one call', () => {
    const data = Array.from({ length: 150_000 }, (_, id) => ({ id }));
    const store = new Store({ model: User, data });
    expect(store.removeAll()).toHaveLength(data.length);
    expect(store.count).toBe(0);
    store.reject();
    expect(store.count).toBe(data.length);
  });
});

describe('reject()', () => {
  test('undoes all pending changes on all pages', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 4), page(rows(3, 4), 4), page(rows(1, 2), 4));
    await store.load();
    const [first, second] = [at(store, 1), at(store, 2)];
    first.name = 'edited';
    store.remove(second);
    await nextPage(store);
    store.remove(at(store, 3));
    at(store, 4).name = 'edited';
    const [added] = store.add({ name: 'new' }) as [User];
    store.reject();
    expect(shown(store)).toEqual([3, 4]);
    expect([first.name, at(store, 4).name]).toEqual(['n1', 'n4']);
    expect([[...store.pending.created, ...store.pending.edited], store.pending.removed]).toEqual([[], []]);
    expect([store.getById(added.getId() as number), store.getById(1), store.getById(2)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await previousPage(store);
    expect(shown(store)).toEqual([1, 2]);
  });

  test('puts removed records back at their places', () => {
    const store = users(1, 2, 3);
    store.remove(at(store, 2), at(store, 1));
    store.reject();
    expect(shown(store)).toEqual([1, 2, 3]);
  });

  test('keeps a new record whose create is in flight', async () => {
    const store = users();
    const [added, waiting] = store.add({ name: 'a' }, { name: 'b' }) as [User, User];
    const held = server.hold();
    const saving = added.save();
    await held.request;
    added.name = 'edited since';
    store.reject();
    expect([...store]).toEqual([added]);
    expect([added.name, waiting.phantom]).toEqual(['a', true]);
    held.answer({ status: 201, json: { id: 1, name: 'a' } });
    await saving;
    expect(store.getById(1)).toBe(added);
  });

  test('keeps a record hidden whose erase is in flight', async () => {
    const store = users(1, 2);
    store.remove(at(store, 1));
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    store.reject();
    expect(shown(store)).toEqual([2]);
    held.answer({ status: 204 });
    await syncing;
    expect([shown(store), store.getById(1)]).toEqual([[2], undefined]);
  });
});

describe('commit()', () => {
  test('makes edits the base and drops removals without a request, and new records stay new', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 4), page(rows(3, 4), 4));
    await store.load();
    const first = at(store, 1);
    first.name = 'edited';
    await nextPage(store);
    at(store, 3).name = 'edited';
    store.remove(at(store, 4));
    const [added] = store.add({ name: 'new' }) as [User];
    store.commit();
    expect([first.name, first.dirty, at(store, 3).name, at(store, 3).dirty]).toEqual([
      'edited',
      false,
      'edited',
      false,
    ]);
    expect(shown(store)).toEqual([3, added.getId()]);
    expect([store.pending.edited, store.pending.removed, store.pending.created]).toEqual([[], [], [added]]);
    expect([store.getById(1), store.getById(4)]).toEqual([undefined, undefined]);
    expect(server.lines).toHaveLength(2);
  });

  test('during a write throws StateError before anything changes', async () => {
    const store = users(1, 2);
    at(store, 1).name = 'edited';
    at(store, 2).name = 'edited';
    const held = server.hold();
    const saving = at(store, 2).save();
    await held.request;
    expect(() => store.commit()).toThrow(expect.objectContaining({ code: 'busy' }) as unknown as Error);
    expect(shown(store.pending.edited)).toEqual([1, 2]);
    held.answer({ status: 204 });
    await saving;
    store.commit();
    expect(store.pending.edited).toEqual([]);
  });

  test('keeps a record whose erase is in flight until that ends', async () => {
    const store = users(1, 2);
    store.remove(at(store, 1));
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    store.commit();
    held.answer({ status: 500 });
    await syncing;
    expect(shown(store)).toEqual([1, 2]);
  });
});

describe('the lists of `pending`', () => {
  test('return the pending records by kind', () => {
    const store = users(1, 2, 3);
    at(store, 1).name = 'edited';
    at(store, 2).team = 'red';
    at(store, 2).team = undefined as never;
    store.remove(at(store, 3));
    const [added] = store.add({ name: 'new' }) as [User];
    added.name = 'edited';
    expect(store.pending.created).toEqual([added]);
    expect(shown(store.pending.edited)).toEqual([1]);
    expect([...store.pending.created, ...store.pending.edited]).toEqual([added, at(store, 1)]);
    expect(shown(store.pending.removed)).toEqual([3]);
  });

  test('return lists that belong to the caller', () => {
    const store = users(1);
    at(store, 1).name = 'edited';
    (store.pending.edited as User[]).pop();
    expect(store.pending.edited).toHaveLength(1);
  });
});
