import fc from 'fast-check';
import {
  MemoryProxy,
  Model,
  type Operation,
  ReadError,
  type ResultSet,
  Session,
  StateError,
  Store,
  type StoreConfig,
  viewOf,
} from 'repose';
import { noteOf, rowOf, setNote } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, poll, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

const open = (config: Partial<StoreConfig<User>> = {}) => new Store({ model: User, pageSize: 2, ...config });
const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('setRecords()', () => {
  test('replaces the shown records without a request, in one change event', async () => {
    const store = open();
    server.reply(page(rows(1, 2), 9));
    await store.load();
    const log = eventLog(store);
    const records = store.setRecords(rows(3, 2, 4));
    expect([shown(store), shown(records), records.every((user) => !user.phantom && !user.dirty)]).toEqual([
      [3, 2, 4],
      [3, 2, 4],
      true,
    ]);
    await tick();
    expect([log, server.requests.length]).toEqual([['change +3,4 -1'], 1]);
  });

  test('accepts rows as the server sends them, and later sends members back that no field declares', async () => {
    const store = open();
    const [user] = store.setRecords([{ id: 7, name: 'Ada', team: 'red' }]) as [User];
    user.name = 'Grace';
    server.reply({ status: 204 });
    await user.save();
    expect([server.lines, server.last.body]).toEqual([['PUT /users/7'], { id: 7, name: 'Grace', team: 'red' }]);
  });

  test('keeps the record of a row that is given again, with its edits', async () => {
    const store = open();
    server.reply(page(rows(1, 2), 2));
    await store.load();
    const user = at(store, 1);
    user.name = 'edited';
    store.setRecords([{ id: 1, name: 'newer' }]);
    expect([store.getAt(0) === user, user.name, user.$.previousValues]).toEqual([true, 'edited', { name: 'newer' }]);
    user.reject();
    expect(user.name).toBe('newer');
  });

  test('keeps pending changes: edits, new records at the end, removed ones hidden', async () => {
    const store = open({ pageSize: 0 });
    server.reply(page(rows(1, 2, 3), 3));
    await store.load();
    at(store, 1).name = 'edited';
    const [added] = store.insert(0, { name: 'new' }) as [User];
    store.remove(at(store, 2));
    store.setRecords(rows(2, 4));
    expect(shown(store)).toEqual([4, added.getId()]);
    expect([store.pending.edited, store.pending.created, store.pending.removed].map(shown)).toEqual([
      [1],
      [added.getId()],
      [2],
    ]);
    store.setRecords(rows(1));
    expect([at(store, 1).name, shown(store)]).toEqual(['edited', [1, added.getId()]]);
    store.reject();
    store.setRecords([]);
    expect([store.count, store.getById(1)]).toEqual([0, undefined]);
  });

  test('accepts records among rows, also new and edited ones', () => {
    const store = open();
    const [ada, grace] = [User.fromRow({ id: 1, name: 'Ada' }), new User({ name: 'Grace' })];
    ada.name = 'Ada L.';
    const records = store.setRecords([grace, { id: 2, name: 'Alan' }, ada, grace, { id: 1, name: 'A' }]);
    expect(records[0]).toBe(grace);
    expect(records[2]).toBe(ada);
    expect([records.length, ada.name, ada.$.previousValues.name]).toEqual([3, 'Ada L.', 'A']);
    expect([store.pending.created, store.pending.edited]).toEqual([[grace], [ada]]);
    expect(at(store, 1)).toBe(ada);
    ada.reject();
    grace.name = 'Grace H.';
    expect(store.getRange().map(({ name }) => name)).toEqual(['Grace H.', 'Alan', 'A']);
  });

  test('makes the collection complete: the total is the number of records, and there is no next page', async () => {
    const store = open({ pageSize: 2 });
    server.reply(page(rows(3, 4), 9));
    await store.load({ page: 2 });
    store.setRecords([...rows(1, 2, 3), new User({ name: 'new' })]);
    expect([store.total, store.hasMore, store.currentPage]).toEqual([3, false, 1]);
    expect([await store.loadMore(), server.requests.length]).toEqual([[], 1]);
    store.sort('name', 'DESC');
    expect(store.getAt(0)?.name).toBe('new');
    server.reply({ status: 204 });
    await at(store, 2).erase();
    expect(store.total).toBe(2);
    store.sort([]);
    server.reply(page(rows(5, 6), 9));
    await store.load();
    expect([store.total, shown(store), store.pending.created.length]).toEqual([9, [5, 6], 1]);
  });

  test('applies the sorters, filters and views of the store', () => {
    const store = open({ sorters: [{ property: 'name', direction: 'DESC' }], locale: 'en' });
    const view = viewOf(store, { filters: [{ property: 'name', operator: 'ne', value: 'n2' }] });
    store.setRecords(rows(1, 2, 3));
    expect([shown(store), shown(view)]).toEqual([
      [3, 2, 1],
      [3, 1],
    ]);
  });

  test('replaces a load in flight, which resolves with the new records', async () => {
    const store = open();
    const held = server.hold();
    const loading = store.load();
    await held.request;
    const records = store.setRecords(rows(5));
    expect([store.status.get().loading, store.status.get().loaded]).toEqual([false, true]);
    held.answer(page(rows(1, 2), 2));
    expect(await loading).toBe(records);
    await tick();
    expect([shown(store), store.status.get().error]).toEqual([[5], undefined]);
  });

  test('counts as a load that succeeded: `loaded` is true, `error` is cleared, and a remote query loads', async () => {
    const store = open({ remoteSort: true });
    server.reply({ status: 500 });
    await store.load().catch(() => undefined);
    expect([store.status.get().loaded, store.status.get().error?.code]).toEqual([false, 'http']);
    store.setRecords(rows(5));
    expect([store.status.get().loaded, store.status.get().error]).toEqual([true, undefined]);
    server.reply(page(rows(6), 1));
    store.sort('name');
    await poll(() => shown(store)).toEqual([6]);
  });

  test('copies the rows: later changes of the given objects change no record', async () => {
    class Team extends Model.define({
      fields: { id: 'int', tags: 'json', place: { type: 'string', mapping: 'address.place' } },
      proxy: server.proxy('/teams'),
    }) {}
    const store = new Store({ model: Team });
    const given = [{ id: 1, tags: ['a'], address: { place: 'Rome', zip: 1 } }];
    const [team] = store.setRecords(given) as [Team];
    const [row] = given as [(typeof given)[0]];
    Object.assign(row, { id: 9 });
    Object.assign(row.address, { place: 'Paris', zip: 2 });
    row.tags.push('b');
    given.length = 0;
    expect([team.id, team.place, team.tags, team.dirty]).toEqual([1, 'Rome', ['a'], false]);
    row.tags.push('c'); // Reading the record has not frozen the object of the caller.
    server.reply({ status: 204 });
    team.place = 'Bern';
    await team.save();
    expect(server.last.body).toEqual({ id: 1, tags: ['a'], address: { place: 'Bern', zip: 1 } });
  });

  test('checks rows as a load does with `reader: { strict: true }`, and changes nothing', async () => {
    const store = open({ proxy: { reader: { strict: true } }, data: rows(1) });
    const log = eventLog(store);
    const given = [new User({ name: 'new' }), { id: 2, name: 'ok' }, { id: 3, name: {} }];
    expect(() => store.setRecords(given)).toThrow(ReadError);
    expect(() => store.setRecords(given)).toThrow(
      /^`setRecords` was given rows of user: row 2, name .+\. Correct the row or the type of the field, or do without/,
    );
    await tick();
    expect([shown(store), store.status.get().loaded, log]).toEqual([[1], false, []]);
    store.setRecords(given.slice(0, 2));
    expect([store.count, store.status.get().loaded]).toEqual([2, true]);
    const loose = open();
    loose.setRecords([{ id: 3, name: {} }]);
    expect(loose.count).toBe(1);
  });

  test('keeps the notes of extensions about a row', () => {
    const row = { id: 1, name: 'a' };
    setNote(row, 'mine', 7);
    const [user] = open().setRecords([row]) as [User];
    expect(noteOf(rowOf(user), 'mine')).toBe(7);
  });

  test('replaces a load that has not started yet', async () => {
    const store = open({ autoLoad: true });
    store.setRecords(rows(5));
    await tick();
    expect([shown(store), store.status.get().loading, server.requests]).toEqual([[5], false, []]);
  });

  test('does not affect a save in flight', async () => {
    const store = open();
    store.setRecords(rows(1));
    const user = at(store, 1);
    user.name = 'mine';
    const held = server.hold();
    const saving = user.save();
    await held.request;
    store.setRecords([{ id: 1, name: 'theirs' }]);
    held.answer({ status: 204 });
    await saving;
    expect([user.name, user.dirty, store.getAt(0) === user]).toEqual(['mine', false, true]);
  });

  test('shares records within a session', () => {
    const session = new Session();
    const [one, other] = [open({ session }), open({ session })];
    const [user] = one.setRecords(rows(1)) as [User];
    expect(other.setRecords([{ id: 1, name: 'newer' }])[0]).toBe(user);
    expect(user.name).toBe('newer');
    expect(() => other.setRecords([User.fromRow({ id: 1, name: 'another' })])).toThrow(StateError);
  });

  test('needs no proxy', () => {
    class Local extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
    const store = new Store({ model: Local });
    store.setRecords(rows(2, 1));
    expect(shown(store)).toEqual([2, 1]);
  });

  test('treats rows as incomplete if the reader does', async () => {
    const store = open({ proxy: server.proxy('/users', { reader: { rows: 'incomplete' } }) });
    const [user] = store.setRecords([{ id: 1 }]) as [User];
    user.name = 'Ada';
    server.reply({ json: { id: 1, name: 'x', team: 'red' } }, { status: 204 });
    await user.save({});
    expect(server.lines).toEqual(['GET /users/1', 'PUT /users/1']);
    expect(server.last.body).toEqual({ id: 1, name: 'Ada', team: 'red' });
  });

  test.each<[string, unknown]>([
    ['an object in place of a list', { id: 1 }],
    ['nothing', undefined],
    ['null among rows', [...rows(3), null]],
    ['a text among rows', [...rows(3), 'Ada']],
    ['a list among rows', [rows(3)]],
    ['a record of another model', [new (class extends Model.define({ fields: { id: 'int' } }) {})({ id: 3 })]],
  ])('refuses %s, and changes nothing', async (_, given) => {
    const store = open({ data: rows(1, 2) });
    const log = eventLog(store);
    expect(() => store.setRecords(given as never)).toThrow(
      '`setRecords` must be given a list of records of user, and of rows, which are plain objects as the server sends them',
    );
    await tick();
    expect([shown(store), log]).toEqual([[1, 2], []]);
  });

  test('refuses a duplicate id and an erased record, and changes nothing', async () => {
    const store = open({ data: rows(1, 2) });
    const [first] = store.getRange() as [User];
    for (const given of [[User.fromRow({ id: 1 })], [User.fromRow({ id: 3 }), User.fromRow({ id: 3 })]])
      expect(() => store.setRecords(given)).toThrow(expect.objectContaining({ code: 'duplicate' }));
    server.reply({ status: 204 });
    await first.erase();
    expect(() => store.setRecords([first])).toThrow(expect.objectContaining({ code: 'erased' }));
    expect(shown(store)).toEqual([2]);
  });

  test('leaves the store usable if a constructor of the model throws', async () => {
    let broken = false;
    class Picky extends User {
      constructor(...args: ConstructorParameters<typeof User>) {
        super(...args);
        if (broken) throw new Error('picky');
      }
    }
    const store = new Store({ model: Picky, pageSize: 0 });
    store.setRecords(rows(1));
    broken = true;
    expect(() => store.setRecords(rows(1, 2))).toThrow('picky');
    broken = false;
    store.setRecords(rows(3));
    expect(shown(store)).toEqual([3]);
    server.reply(page(rows(4), 1));
    await store.load();
    expect(shown(store)).toEqual([4]);
  });
});

/** A server whose rows may differ from one load to the next. */
class Answers extends MemoryProxy {
  answers: MemoryProxy = new MemoryProxy();

  override read(operation: Operation): Promise<ResultSet> {
    return this.answers.read(operation);
  }
}

test('setRecords() gives the same result as a load without pages that answers with these rows', async () => {
  const id = fc.integer({ min: 1, max: 8 });
  const name = fc.constantFrom('a', 'b', 'c');
  const list = fc.uniqueArray(fc.record({ id, name }), { selector: (row) => row.id, maxLength: 8 });
  const step = fc.oneof(
    fc.record({ do: fc.constant('edit' as const), id, name }),
    fc.record({ do: fc.constant('remove' as const), id, name }),
    fc.record({ do: fc.constant('add' as const), id, name }),
  );
  const look = (store: Store<User>) => ({
    shown: store.getRange().map((user) => [user.phantom ? 'new' : user.id, user.name, user.dirty]),
    pending: [store.pending.edited, store.pending.removed].map(shown),
    fresh: store.pending.created.map((user) => user.name),
    paging: [store.total, store.hasMore, store.currentPage],
    before: store.pending.edited.map((user) => user.$.previousValues),
  });
  await fc.assert(
    fc.asyncProperty(
      list,
      fc.array(step, { maxLength: 6 }),
      fc.array(list, { maxLength: 3 }),
      async (first, steps, next) => {
        const made = async (take: (store: Store<User>, given: object[]) => unknown) => {
          const store = new Store({ model: User, pageSize: 0, proxy: new Answers() });
          await take(store, first);
          for (const { do: what, id: at, name: value } of steps) {
            const user = store.getById(at);
            if (what === 'add') store.insert(0, { name: value });
            else if (what === 'edit') user?.set({ name: value });
            else if (user) store.remove(user);
          }
          for (const given of next) await take(store, given);
          return look(store);
        };
        const loaded = await made((store, data) => {
          (store.proxy as Answers).answers = new MemoryProxy({ data });
          return store.load();
        });
        expect(await made((store, given) => store.setRecords(given))).toEqual(loaded);
      },
    ),
    { numRuns: 200 },
  );
});
