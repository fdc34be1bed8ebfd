import { MemoryProxy, Model, nextPage, previousPage, StateError, Store, uuid, viewOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', nick: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

/** A store that shows page 1 of 2: users 1 and 2 of 4. */
async function pagedStore(): Promise<Store<User>> {
  const store = new Store({ model: User, pageSize: 2 });
  server.reply(page(rows(1, 2), 4));
  await store.load();
  return store;
}

const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('the shown records', () => {
  test('are those that getAt(), count, getRange() and iteration return', async () => {
    const store = await pagedStore();
    expect(store.count).toBe(2);
    expect(store.getAt(0)?.name).toBe('n1');
    expect(store.getAt(2)).toBeUndefined();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getAt(0)).toBe(store.getAt(0));
    expect(store.getAt(store.count - 1)).toBe(store.getAt(1));
    expect(shown(store.getRange(1))).toEqual([2]);
    expect(shown(store.getRange())).toEqual([1, 2]);
    expect(store.getRange().find((user) => user.name === 'n2')?.id).toBe(2);
    expect(store.indexOf(at(store, 2))).toBe(1);
    expect(store.indexOf(new User())).toBe(-1);
  });

  test('of an empty store are none, and every getter returns undefined', () => {
    const store = new Store({ model: User });
    expect([
      store.count,
      store.getAt(0),
      store.getAt(store.count - 1),
      store.getAt(0),
      store.remove(...store.getRange(0, 1))[0],
    ]).toEqual([0, undefined, undefined, undefined, undefined]);
  });

  test('change at once, so that a getter read right after a call sees the change', async () => {
    const store = await pagedStore();
    store.add({ name: 'new' });
    expect(store.count).toBe(3);
    store.remove(...store.getRange(0, 1));
    expect(shown(store)[0]).toBe(2);
    at(store, 2).name = 'edited';
    expect(store.getAt(0)?.name).toBe('edited');
  });
});

describe('getById()', () => {
  test('compares ids as text: 7 and "7" find the same record', () => {
    const store = new Store({ model: User, data: [{ id: 7, name: 'a' }] });
    expect(store.getById('7')).toBe(store.getById(7));
    expect(store.getById('7')?.name).toBe('a');
    expect(store.getById('07')).toBeUndefined();
  });

  test('compares numbers above the safe integers as text, too', () => {
    const store = new Store({ model: User, data: [{ id: 2 ** 53 }] });
    expect(store.getById(String(2 ** 53))).toBe(store.getAt(0));
  });

  test('finds a record whose id the server sent as text', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page([{ id: '7', name: 'a' }]));
    await store.load();
    expect(store.getById(7)).toBe(store.getAt(0));
    expect(store.getById('7')).toBe(store.getAt(0));
  });

  test('finds shown and pending records, but no others of other pages', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)?.name).toBe('edited');
    expect(store.getById(2)).toBeUndefined();
  });

  test('finds a new record by its temporary id until the server assigns one, then by the new id', async () => {
    const store = new Store({ model: User });
    const [user] = store.add({ name: 'new' }) as [User];
    const temporary = user.getId() as number;
    expect(store.getById(temporary)).toBe(user);
    server.reply({ status: 201, json: { id: 5, name: 'new' } });
    await store.sync();
    expect(store.getById(5)).toBe(user);
    expect(store.getById(temporary)).toBeUndefined();
  });

  test('finds a record by both its saved and its edited id, and after a save by the new id alone (H6)', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.id = 10;
    expect(store.getById(10)).toBe(user);
    expect(store.getById(1)).toBe(user);
    user.id = 11;
    expect(store.getById(10)).toBeUndefined();
    server.reply({ json: { id: 11, name: 'n1' } });
    await store.sync();
    expect(server.last.path).toBe('/users/1');
    expect(store.getById(11)).toBe(user);
    expect(store.getById(1)).toBeUndefined();
  });

  test('finds a record by a committed id, and no longer by a rejected one', async () => {
    const store = await pagedStore();
    at(store, 1).id = 10;
    at(store, 10).commit();
    expect(store.getById(1)).toBeUndefined();
    expect(store.getById(10)?.name).toBe('n1');
    at(store, 2).id = 20;
    at(store, 20).reject();
    expect(store.getById(20)).toBeUndefined();
    expect(store.getById(2)?.name).toBe('n2');
  });

  test('prefers the record saved under an id to one whose id is edited to it', async () => {
    const store = await pagedStore();
    const [first, second] = [at(store, 1), at(store, 2)];
    first.id = 2;
    expect(store.getById(2)).toBe(second);
    store.remove(second);
    first.id = 1;
    expect(store.getById(1)).toBe(first);
  });

  test('finds nothing for undefined, null or an empty text', () => {
    const store = new Store({ model: User });
    store.add(new User({ name: 'saved without an id' }, { phantom: false }));
    expect([undefined, null, '', 'undefined'].map((id) => store.getById(id as never))).toEqual(Array(4));
  });
});

describe('a new record', () => {
  test('is shown where it was inserted until the next load of a paged store, and stays pending after it', async () => {
    const store = await pagedStore();
    const [user] = store.insert(1, { name: 'new' }) as [User];
    expect(shown(store)).toEqual([1, user.getId(), 2]);
    server.reply(page(rows(1, 2), 4));
    await store.load();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.pending.created).toEqual([user]);
    expect(store.getById(user.getId() as number)).toBe(user);
  });

  test('stays shown after a load in a store without pages', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(shown(store)).toEqual([1, 2, user.getId()]);
  });

  test('is shown again by a load without pages after one with pages', async () => {
    const store = await pagedStore();
    const [user] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(3, 4), 4), page(rows(1, 2, 3, 4)));
    await store.load({ page: 2 });
    expect(shown(store)).toEqual([3, 4]);
    await store.load({ limit: 0 });
    expect(shown(store)).toEqual([1, 2, 3, 4, user.getId()]);
  });

  test('does not count when the next page is computed', async () => {
    const store = await pagedStore();
    store.add({ name: 'a' }, { name: 'b' }, { name: 'c' });
    expect(store.total).toBe(4);
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    expect(server.last.url).toBe('/users?page=2&start=2&limit=2');
  });
});

describe('a removed record', () => {
  test('is hidden at once, and stays hidden when a load brings it again', async () => {
    const store = await pagedStore();
    const user = at(store, 2);
    store.remove(user);
    expect(shown(store)).toEqual([1]);
    server.reply(page(rows(1, 2), 4), page(rows(2, 3), 4));
    await store.load();
    expect(shown(store)).toEqual([1]);
    await store.load({ page: 2 });
    expect(shown(store)).toEqual([3]);
    expect(store.pending.removed).toEqual([user]);
    expect(store.getById(2)).toBeUndefined();
  });

  test('stays pending while another page is shown, and is erased by the next sync', async () => {
    const store = await pagedStore();
    store.remove(at(store, 2));
    server.reply(page(rows(3, 4), 4), { status: 204 });
    await nextPage(store);
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ action, record }) => [action, record.getId()])).toEqual([['destroy', 2]]);
    expect(server.last.method).toBe('DELETE');
    expect(store.pending.removed).toEqual([]);
  });

  test('is shown again when it is added, on its own page and on another', async () => {
    const store = await pagedStore();
    const user = at(store, 2);
    store.remove(user);
    store.add(user);
    expect(shown(store)).toEqual([1, 2]);
    store.remove(user);
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    user.name = 'edited';
    store.insert(0, user);
    expect(shown(store)).toEqual([2, 3, 4]);
    expect(store.pending.removed).toEqual([]);
    expect(store.pending.edited).toEqual([user]);
  });
});

describe('an edited record', () => {
  test('that a later load brings again is the same object, with a new base under its edits', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.name = 'mine';
    server.reply(
      page(rows(3, 4), 4),
      page(
        [
          { id: 2, name: 'n2' },
          { id: 1, name: 'theirs' },
        ],
        4,
      ),
    );
    await nextPage(store);
    await previousPage(store);
    expect(store.getAt(1)).toBe(user);
    expect(user.name).toBe('mine');
    expect(user.$.previousValues).toEqual({ name: 'theirs' });
  });

  test('of another page is written by sync(), and then forgotten', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.name = 'mine';
    server.reply(page(rows(3, 4), 4), { status: 204 });
    await nextPage(store);
    expect(store.pending.edited).toEqual([user]);
    await store.sync();
    expect(server.last.body).toEqual({ id: 1, name: 'mine' });
    expect(store.getById(1)).toBeUndefined();
    expect(shown(store)).toEqual([3, 4]);
  });

  test('of another page stays in the store when its write failed', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'mine';
    server.reply(page(rows(3, 4), 4), { status: 422, json: {} });
    await nextPage(store);
    await store.sync();
    expect(store.getById(1)?.$.error?.code).toBe('validation');
    expect(store.pending.edited).toHaveLength(1);
  });

  test('of another page is forgotten when its edits are rejected', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.name = 'mine';
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    user.name = 'n1';
    expect(store.getById(1)).toBe(user);
    user.reject();
    user.name = 'again';
    user.reject();
    expect(store.getById(1)).toBeUndefined();
  });
});

describe('a record in flight', () => {
  test('stays in the store while another page is loaded, and is forgotten after its save', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    const held = server.hold();
    const saving = user.save();
    await held.request;
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    expect(store.getById(1)).toBe(user);
    held.answer({ status: 204 });
    await saving;
    expect(store.getById(1)).toBeUndefined();
  });
});

describe('a record whose erase is in flight', () => {
  test('stays hidden when it is added again', async () => {
    const store = await pagedStore();
    const byName = viewOf(store, { sorters: ['name'] });
    const user = at(store, 1);
    expect(byName.count).toBe(2);
    server.reply({ status: 204 });
    const erase = user.erase();
    store.add(user);
    expect(shown(byName)).toEqual([2]);
    await erase;
    expect([shown(store), shown(byName)]).toEqual([[2], [2]]);
  });
});

describe('a record whose erase failed', () => {
  test('is shown at its old place again after sync()', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page(rows(1, 2, 3)), { status: 500 });
    await store.load();
    const user = at(store, 2);
    store.remove(user);
    expect(shown(store)).toEqual([1, 3]);
    const { failures } = await store.sync();
    expect(failures.map(({ action, error }) => [action, error.code])).toEqual([['destroy', 'http']]);
    expect(shown(store)).toEqual([1, 2, 3]);
    expect(user.$.error?.code).toBe('http');
    expect(store.pending.removed).toEqual([]);
  });

  test('is shown again after $.erase(), having been hidden while that was in flight', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    const held = server.hold();
    const erasing = user.erase();
    await held.request;
    expect(shown(store)).toEqual([2]);
    expect(store.getById(1)).toBeUndefined();
    held.answer({ status: 412 });
    await expect(erasing).rejects.toMatchObject({ code: 'conflict' });
    expect(shown(store)).toEqual([1, 2]);
  });

  test('of another page stays in the store with its error, and is shown when its page is loaded', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    store.remove(user);
    server.reply(page(rows(3, 4), 4), { status: 500 }, page(rows(1, 2), 4));
    await nextPage(store);
    await store.sync();
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)).toBe(user);
    await previousPage(store);
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getAt(0)).toBe(user);
  });
});

describe('adding a record with an id that the store already has', () => {
  test('throws StateError before anything changes', async () => {
    const store = await pagedStore();
    const changes: unknown[] = [];
    store.on('change', (change) => changes.push(change));
    const fresh = new User({ id: 9, name: 'fresh' });
    const loaded = new User({ id: 9, name: 'loaded' });
    for (const given of [[fresh, { id: 1, name: 'again' }], [fresh, loaded], [User.fromRow({ id: '2' })]]) {
      expect(() => store.add(...given)).toThrow(
        expect.objectContaining({ name: 'StateError', code: 'duplicate' }) as unknown as Error,
      );
    }
    await tick();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getById(9)).toBeUndefined();
    expect(changes).toEqual([]);
  });

  test('also throws StateError if the record with the id is pending, even when it is not shown', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    store.remove(at(store, 2));
    server.reply(page(rows(3, 4), 4));
    await nextPage(store);
    expect(() => store.add({ id: 1, name: 'x' })).toThrow(StateError);
    expect(() => store.add({ id: 2, name: 'x' })).toThrow(StateError);
    expect(() => store.add({ id: 3, name: 'x' })).toThrow(
      'The store already has a user with the id 3: change that record',
    );
  });

  test('also throws StateError if the id is the saved id of a record with an edited id', async () => {
    const store = await pagedStore();
    const other = User.fromRow({ id: 1, name: 'other' });
    other.id = 50;
    expect(() => store.add(other)).toThrow(StateError);
    expect(shown(store)).toEqual([1, 2]);
  });

  test("throws StateError in the constructor's `data`", () => {
    expect(() => new Store({ model: User, data: [{ id: 1 }, { id: 1 }] })).toThrow(StateError);
  });

  test('moves the record if it is the same object', async () => {
    const store = await pagedStore();
    store.add(at(store, 1), at(store, 1));
    expect(shown(store)).toEqual([2, 1]);
  });
});

describe('reject()', () => {
  test('drops new, edited and removed records of all pages; loads never drop them', async () => {
    const store = await pagedStore();
    const [first, second] = [at(store, 1), at(store, 2)];
    first.name = 'edited';
    store.remove(second);
    const [added] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(3, 4), 4), page([], 4), { status: 500 });
    await nextPage(store);
    await store.load({ page: 3 });
    await expect(store.load()).rejects.toThrow();
    // Another page, an empty response and a failed load have dropped none of them.
    expect(store.pending.created).toEqual([added]);
    expect(store.pending.edited).toEqual([first]);
    expect(store.pending.removed).toEqual([second]);
    expect([...store.pending.created, ...store.pending.edited]).toEqual([added, first]);
    store.reject();
    expect([[...store.pending.created, ...store.pending.edited], store.pending.removed]).toEqual([[], []]);
    expect(first.name).toBe('n1');
    expect([1, 2, added.getId() as number].map((id) => store.getById(id))).toEqual([undefined, undefined, undefined]);
    server.reply(page(rows(1, 2), 4));
    await store.load();
    expect(shown(store)).toEqual([1, 2]);
    expect((await store.sync()).outcomes).toEqual([]);
  });

  test('drops the edits of shown records and keeps showing these', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    store.reject();
    expect(shown(store)).toEqual([1, 2]);
    expect(at(store, 1).name).toBe('n1');
  });
});

describe('records and ids', () => {
  test('two rows with one id become one record', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(
      page([
        { id: 1, name: 'a' },
        { id: '1', name: 'b' },
        { id: 2, name: 'c' },
      ]),
    );
    expect(shown(await store.load())).toEqual([1, 2]);
    expect(store.getById(1)?.name).toBe('b');
  });

  test('rows without an id become separate records', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page([{ name: 'a' }, { name: 'b' }]));
    await store.load();
    expect([...store].map((user) => user.name)).toEqual(['a', 'b']);
    const [first] = store;
    store.remove(first as User);
    expect(store.count).toBe(1);
  });

  test("a row is not merged into a record whose id is only edited to the row's id", async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.id = 3;
    server.reply(page(rows(1, 3), 4));
    await store.load();
    expect(store.getAt(0)).toBe(user);
    expect(store.getAt(1)).not.toBe(user);
    expect(user.$.previousValues).toEqual({ id: 1 });
    expect(store.getById(3)).toBe(store.getAt(1));
  });

  test('a row with the temporary id of a new record is not merged into that record', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [added] = store.add({ name: 'new' }) as [User];
    const temporary = added.getId() as number;
    server.reply(page([{ id: temporary, name: 'a row' }]));
    await store.load();
    expect([...store].map((user) => user.name)).toEqual(['a row', 'new']);
    expect(store.getById(temporary)?.name).toBe('a row');
    store.reject();
    expect(store.getById(temporary)?.name).toBe('a row');
  });

  test('a record loaded while its create is in flight is merged into the created one', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const [added] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    // The server has stored the record, but its response is late.
    server.reply(page([...rows(1), { id: 5, name: 'new' }], 2));
    await store.load();
    const loaded = at(store, 5);
    expect(loaded).not.toBe(added);
    held.answer({ status: 201, json: { id: 5, name: 'new' } });
    await syncing;
    expect(shown(store)).toEqual([1, 5]);
    expect(store.getAt(1)).toBe(added);
    expect(store.getById(5)).toBe(added);
  });

  describe('merging a record that was loaded while its create was in flight', () => {
    /** A store with both the new record, whose create is in flight, and the record loaded from its row. */
    async function addedAndLoaded(pageSize: number) {
      const store = new Store({ model: User, pageSize });
      const [added] = store.add({ name: 'new', nick: 'a' }) as [User];
      const held = server.hold();
      const syncing = store.sync();
      await held.request;
      const row = { id: 5, name: 'new', nick: 'a' };
      server.reply(page([row], 1));
      await store.load();
      const created = () => held.answer({ status: 201, json: row });
      return { store, added, loaded: at(store, 5), created, syncing, row };
    }

    for (const pageSize of [0, 2])
      test(`keeps edits of the loaded record, pages of ${pageSize}`, async () => {
        const { store, added, loaded, created, syncing, row } = await addedAndLoaded(pageSize);
        loaded.name = 'edited';
        created();
        await syncing;
        expect([...store]).toEqual([added]);
        expect(store.total ?? 1).toBe(1);
        expect(store.getById(5)).toBe(added);
        expect(added.$.modified).toEqual({ name: 'edited' });
        added.nick = 'b';
        // The other values of the row may have changed meanwhile, so a read comes first.
        server.reply({ json: { rows: [{ ...row, nick: 'c' }] } }, ({ body }) => ({ json: { rows: [body] } }));
        await store.sync();
        expect(server.lines.slice(-2)).toEqual(['GET /users/5', 'PUT /users/5']);
        expect(server.last.body).toEqual({ id: 5, name: 'edited', nick: 'b' });
        expect([...store].map(({ name, dirty }) => [name, dirty])).toEqual([['edited', false]]);
      });

    test('prefers edits of the created record in fields edited in both', async () => {
      const { added, loaded, created, syncing } = await addedAndLoaded(0);
      loaded.set({ name: 'theirs', nick: 'theirs' });
      added.name = 'mine';
      created();
      await syncing;
      expect(added.$.modified).toEqual({ name: 'mine', nick: 'theirs' });
    });

    test('keeps values saved through the loaded record, and reads the row before the next write', async () => {
      const { store, added, loaded, created, syncing, row } = await addedAndLoaded(0);
      loaded.name = 'written';
      server.reply(({ body }) => ({ json: { rows: [body] } }));
      await loaded.save();
      created();
      await syncing;
      expect([...store]).toEqual([added]);
      expect(added.name).toBe('written');
      expect(added.dirty).toBe(false);
      added.nick = 'b';
      server.reply({ json: { rows: [{ ...row, name: 'written' }] } }, ({ body }) => ({ json: { rows: [body] } }));
      await store.sync();
      expect(server.last.body).toEqual({ id: 5, name: 'written', nick: 'b' });
    });

    for (const pageSize of [0, 2])
      test(`waits for a save of the loaded record to end, pages of ${pageSize}`, async () => {
        const { store, added, loaded, created, syncing, row } = await addedAndLoaded(pageSize);
        loaded.name = 'written';
        const writing = server.hold();
        const saving = loaded.save();
        await writing.request;
        loaded.nick = 'edited';
        created();
        await syncing;
        expect(store.getById(5)).toBe(added);
        writing.answer({ json: { rows: [{ ...row, name: 'written' }] } });
        await saving;
        expect([...store]).toEqual([added]);
        expect([added.name, added.$.modified]).toEqual(['written', { nick: 'edited' }]);
      });

    for (const last of ['a value that is left to write', 'nothing left to write', 'a save that is rejected'])
      test(`waits for each save of the loaded record, the last with ${last}`, async () => {
        const { store, added, loaded, created, syncing, row } = await addedAndLoaded(2);
        loaded.name = 'one';
        const writing = server.hold();
        const saving = loaded.save();
        await writing.request;
        if (last.startsWith('nothing')) loaded.nick = row.nick;
        else loaded.name = 'two';
        const second = loaded.save();
        created();
        await syncing;
        if (last.endsWith('rejected')) loaded.reject();
        server.always(({ body }) => ({ json: { rows: [{ ...row, ...body }] } }));
        writing.answer({ json: { rows: [{ ...row, name: 'one' }] } });
        await Promise.all([saving, second]);
        const name = last.startsWith('a value') ? 'two' : 'one';
        expect([...store]).toEqual([added]);
        expect([added.name, added.dirty, store.getById(5)]).toEqual([name, false, added]);
        added.nick = 'later';
        server.reply({ json: { rows: [{ ...row, name }] } });
        await store.sync();
        expect([server.last.body, added.dirty]).toEqual([{ id: 5, name, nick: 'later' }, false]);
      });

    test('removes the created record if the loaded one was removed', async () => {
      const { store, added, loaded, created, syncing } = await addedAndLoaded(0);
      store.remove(loaded);
      created();
      await syncing;
      expect([...store]).toEqual([]);
      expect(store.pending.removed).toEqual([added]);
      server.reply({ status: 204 });
      await store.sync();
      expect(server.lines.at(-1)).toBe('DELETE /users/5');
      expect([added.erased, store.total]).toEqual([true, 0]);
    });

    test('marks the created record as erased if the loaded one was erased', async () => {
      const { store, added, loaded, created, syncing } = await addedAndLoaded(0);
      const erasing = server.hold();
      const erased = loaded.erase();
      await erasing.request;
      created();
      await syncing;
      erasing.answer({ status: 204 });
      await erased;
      expect([...store]).toEqual([]);
      expect(added.erased).toBe(true);
      await store.sync();
      expect(server.lines.at(-1)).toBe('DELETE /users/5');
    });

    test('shows the created record once if the erase of the loaded one is refused', async () => {
      const { store, added, loaded, created, syncing, row } = await addedAndLoaded(0);
      const erasing = server.hold();
      const erased = loaded.erase().catch(() => undefined);
      await erasing.request;
      created();
      await syncing;
      erasing.answer({ status: 403 });
      await erased;
      expect([...store]).toEqual([added]);
      expect(store.getById(5)).toBe(added);
      added.name = 'edited';
      server.reply({ json: { rows: [row] } }, ({ body }) => ({ json: { rows: [body] } }));
      await store.sync();
      expect(server.lines.slice(-2)).toEqual(['GET /users/5', 'PUT /users/5']);
      expect([...store].map(({ name, dirty }) => [name, dirty])).toEqual([['edited', false]]);
    });
  });

  test('a record in two stores changes in both, and removing it from one leaves it in the other', () => {
    const [one, two, three] = [1, 2, 3].map(() => new Store({ model: User })) as [
      Store<User>,
      Store<User>,
      Store<User>,
    ];
    const [user] = one.add(User.fromRow({ id: 1, name: 'a' })) as [User];
    two.add(user);
    three.add(user);
    two.reject();
    const heard: number[] = [];
    for (const [i, store] of [one, two, three].entries()) store.on('change', () => heard.push(i));
    user.name = 'b';
    for (const store of [one, two, three]) store.flush();
    expect(heard).toEqual([0, 1, 2]);
    two.remove(user);
    two.commit();
    expect([one.count, two.count, three.count]).toEqual([1, 0, 1]);
    user.name = 'c';
    for (const store of [one, two, three]) store.flush();
    // The second store received the removal only.
    expect(heard).toEqual([0, 1, 2, 0, 1, 2]);
    one.remove(user);
    one.commit();
    expect(three.getById(1)).toBe(user);
  });
});

test('a store with a memory proxy pages in the same way', async () => {
  const store = new Store({ model: User, pageSize: 3, proxy: { type: MemoryProxy, data: rowsFrom(1, 7) } });
  await store.load({ page: 2 });
  expect([shown(store), store.total, store.currentPage]).toEqual([[4, 5, 6], 7, 2]);
});

test('a created record with a client-generated id increases the total', async () => {
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'string', text: 'string' },
    identifier: uuid(),
    proxy: server.proxy('/notes', { reader: { rootProperty: 'rows' }, writer: { writeRecordId: true } }),
  }) {}
  const store = new Store({ model: Note, pageSize: 2 });
  server.reply(page([{ id: 'a', text: 'a' }], 4));
  await store.load();
  store.add({ text: 'new' });
  server.reply(({ body }) => ({ status: 201, json: { rows: [body] } }));
  (await store.sync()).orThrow();
  expect(store.total).toBe(5);
  store.add({ id: 'b', text: 'b' });
  server.reply(({ body }) => ({ status: 201, json: { rows: [body] } }));
  (await store.sync()).orThrow();
  expect(store.total).toBe(6);
});
