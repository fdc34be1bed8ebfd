import { MemoryProxy, Model, StateError, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', nick: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

/** A paged store that shows page 1 of 2: users 1 and 2 of 4. */
async function pagedStore(): Promise<Store<User>> {
  const store = new Store({ model: User, pageSize: 2 });
  server.reply(page(rows(1, 2), 4));
  await store.load();
  return store;
}

const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('the view', () => {
  test('is what getAt, count and iteration show', async () => {
    const store = await pagedStore();
    expect(store.count).toBe(2);
    expect(store.getAt(0)?.name).toBe('n1');
    expect(store.getAt(2)).toBeUndefined();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.first()).toBe(store.getAt(0));
    expect(store.last()).toBe(store.getAt(1));
    expect(shown(store.getRange(1))).toEqual([2]);
    expect(shown(store.getRange())).toEqual([1, 2]);
    expect(store.find((user) => user.name === 'n2')?.id).toBe(2);
    expect(store.indexOf(at(store, 2))).toBe(1);
    expect(store.indexOf(new User())).toBe(-1);
  });

  test('of an empty store has nothing first, last or anywhere', () => {
    const store = new Store({ model: User });
    expect([store.count, store.first(), store.last(), store.getAt(0), store.removeAt(0)]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('shows a change at once: a getter read right after a call sees it', async () => {
    const store = await pagedStore();
    store.add({ name: 'new' });
    expect(store.count).toBe(3);
    store.removeAt(0);
    expect(shown(store)[0]).toBe(2);
    at(store, 2).name = 'edited';
    expect(store.getAt(0)?.name).toBe('edited');
  });
});

describe('getById', () => {
  test('compares ids by their text: 7 and "7" are one record', () => {
    const store = new Store({ model: User, data: [{ id: 7, name: 'a' }] });
    expect(store.getById('7')).toBe(store.getById(7));
    expect(store.getById('7')?.name).toBe('a');
    expect(store.getById('07')).toBeUndefined();
  });

  test('compares numbers that are not exact by their text, too', () => {
    const store = new Store({ model: User, data: [{ id: 2 ** 53 }] });
    expect(store.getById(String(2 ** 53))).toBe(store.first());
  });

  test('finds a record by raw text ids, as received', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page([{ id: '7', name: 'a' }]));
    await store.load();
    expect(store.getById(7)).toBe(store.getAt(0));
    expect(store.getById('7')).toBe(store.getAt(0));
  });

  test('finds what is shown and what is pending, on whatever page', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)?.name).toBe('edited');
    expect(store.getById(2)).toBeUndefined();
  });

  test('finds a new record by its temporary id until the server gives one, then by that', async () => {
    const store = new Store({ model: User });
    const [user] = store.add({ name: 'new' }) as [User];
    const temporary = user.getId() as number;
    expect(store.getById(temporary)).toBe(user);
    server.reply({ status: 201, json: { id: 5, name: 'new' } });
    await store.sync();
    expect(store.getById(5)).toBe(user);
    expect(store.getById(temporary)).toBeUndefined();
  });

  test('finds a record by the id that is being edited in as well, and by it alone once it is saved (H6)', async () => {
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

  test('finds a record by a committed id, and by a rejected one no more', async () => {
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

  test('finds the record that the server knows by an id, though another is being edited to it', async () => {
    const store = await pagedStore();
    const [first, second] = [at(store, 1), at(store, 2)];
    first.id = 2;
    expect(store.getById(2)).toBe(second);
    store.remove(second);
    first.id = 1;
    expect(store.getById(1)).toBe(first);
  });

  test('finds nothing by what is no id', () => {
    const store = new Store({ model: User });
    store.add(new User({ name: 'saved without an id' }, { phantom: false }));
    expect([undefined, null, '', 'undefined'].map((id) => store.getById(id as never))).toEqual(Array(4));
  });
});

describe('an added record', () => {
  test('shows where it was put until the next load of a paged store, then waits until it is saved', async () => {
    const store = await pagedStore();
    const [user] = store.insert(1, { name: 'new' }) as [User];
    expect(shown(store)).toEqual([1, user.getId(), 2]);
    server.reply(page(rows(1, 2), 4));
    await store.load();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getNewRecords()).toEqual([user]);
    expect(store.getById(user.getId() as number)).toBe(user);
  });

  test('stays in place in a store without pages', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [user] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(shown(store)).toEqual([1, 2, user.getId()]);
  });

  test('is shown again by a load without pages that follows one with', async () => {
    const store = await pagedStore();
    const [user] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(3, 4), 4), page(rows(1, 2, 3, 4)));
    await store.loadPage(2);
    expect(shown(store)).toEqual([3, 4]);
    await store.load({ limit: 0 });
    expect(shown(store)).toEqual([1, 2, 3, 4, user.getId()]);
  });

  test('counts for nothing in the arithmetic of pages', async () => {
    const store = await pagedStore();
    store.add({ name: 'a' }, { name: 'b' }, { name: 'c' });
    expect(store.totalCount).toBe(4);
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    expect(server.last.url).toBe('/users?page=2&start=2&limit=2');
  });
});

describe('a removed record', () => {
  test('is hidden at once and stays hidden wherever it reappears', async () => {
    const store = await pagedStore();
    const user = at(store, 2);
    store.remove(user);
    expect(shown(store)).toEqual([1]);
    server.reply(page(rows(1, 2), 4), page(rows(2, 3), 4));
    await store.load();
    expect(shown(store)).toEqual([1]);
    await store.loadPage(2);
    expect(shown(store)).toEqual([3]);
    expect(store.getRemovedRecords()).toEqual([user]);
    expect(store.getById(2)).toBeUndefined();
  });

  test('stays pending while another page is shown, and is erased by the next sync', async () => {
    const store = await pagedStore();
    store.remove(at(store, 2));
    server.reply(page(rows(3, 4), 4), { status: 204 });
    await store.nextPage();
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ action, record }) => [action, record.getId()])).toEqual([['destroy', 2]]);
    expect(server.last.method).toBe('DELETE');
    expect(store.getRemovedRecords()).toEqual([]);
  });

  test('comes back when it is added again, in place and on another page', async () => {
    const store = await pagedStore();
    const user = at(store, 2);
    store.remove(user);
    store.add(user);
    expect(shown(store)).toEqual([1, 2]);
    store.remove(user);
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    user.name = 'edited';
    store.insert(0, user);
    expect(shown(store)).toEqual([2, 3, 4]);
    expect(store.getRemovedRecords()).toEqual([]);
    expect(store.getUpdatedRecords()).toEqual([user]);
  });
});

describe('an edited record', () => {
  test('that arrives again is the same object, with a new base under its edits', async () => {
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
    await store.nextPage();
    await store.previousPage();
    expect(store.getAt(1)).toBe(user);
    expect(user.name).toBe('mine');
    expect(user.$.previousValues).toEqual({ name: 'theirs' });
  });

  test('of another page is written by sync, then let go', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.name = 'mine';
    server.reply(page(rows(3, 4), 4), { status: 204 });
    await store.nextPage();
    expect(store.getUpdatedRecords()).toEqual([user]);
    await store.sync();
    expect(server.last.body).toEqual({ id: 1, name: 'mine' });
    expect(store.getById(1)).toBeUndefined();
    expect(shown(store)).toEqual([3, 4]);
  });

  test('of another page that could not be written stays', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'mine';
    server.reply(page(rows(3, 4), 4), { status: 422, json: {} });
    await store.nextPage();
    await store.sync();
    expect(store.getById(1)?.$.error?.code).toBe('validation');
    expect(store.getUpdatedRecords()).toHaveLength(1);
  });

  test('of another page is let go when its edits are', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    user.name = 'mine';
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    user.name = 'n1';
    expect(store.getById(1)).toBe(user);
    user.reject();
    user.name = 'again';
    user.reject();
    expect(store.getById(1)).toBeUndefined();
  });
});

describe('a record that is being saved', () => {
  test('is kept, with all that was sent, while another page is loaded', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    const held = server.hold();
    const saving = user.save();
    await held.request;
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    expect(store.getById(1)).toBe(user);
    held.answer({ status: 204 });
    await saving;
    expect(store.getById(1)).toBeUndefined();
  });
});

describe('a record that is being erased', () => {
  test('stays hidden though it is added again', async () => {
    const store = await pagedStore();
    const byName = store.view({ sorters: ['name'] });
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

describe('a failed erase', () => {
  test('returns to its place', async () => {
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
    expect(store.getRemovedRecords()).toEqual([]);
  });

  test('of the record itself returns too: it was hidden while it was under way', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    const held = server.hold();
    const erasing = user.erase();
    await held.request;
    expect(shown(store)).toEqual([2]);
    expect(store.getById(1)).toBeUndefined();
    held.answer({ status: 409 });
    await expect(erasing).rejects.toMatchObject({ code: 'conflict' });
    expect(shown(store)).toEqual([1, 2]);
  });

  test('of a record on another page stays with its error, hidden nowhere', async () => {
    const store = await pagedStore();
    const user = at(store, 1);
    store.remove(user);
    server.reply(page(rows(3, 4), 4), { status: 500 }, page(rows(1, 2), 4));
    await store.nextPage();
    await store.sync();
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)).toBe(user);
    await store.previousPage();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getAt(0)).toBe(user);
  });
});

describe('an id that is there already', () => {
  test('is refused with StateError before anything is changed', async () => {
    const store = await pagedStore();
    const changes: unknown[] = [];
    store.on('change', (change) => changes.push(change));
    const fresh = new User({ id: 9, name: 'fresh' });
    const twin = new User({ id: 9, name: 'twin' });
    for (const given of [[fresh, { id: 1, name: 'again' }], [fresh, twin], [User.fromRow({ id: '2' })]]) {
      expect(() => store.add(...given)).toThrow(
        expect.objectContaining({ name: 'StateError', code: 'duplicate' }) as unknown as Error,
      );
    }
    await tick();
    expect(shown(store)).toEqual([1, 2]);
    expect(store.getById(9)).toBeUndefined();
    expect(changes).toEqual([]);
  });

  test('of a pending record is refused as well, shown or not', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    store.remove(at(store, 2));
    server.reply(page(rows(3, 4), 4));
    await store.nextPage();
    expect(() => store.add({ id: 1, name: 'x' })).toThrow(StateError);
    expect(() => store.add({ id: 2, name: 'x' })).toThrow(StateError);
    expect(() => store.add({ id: 3, name: 'x' })).toThrow(
      'The store already has a user with the id 3: change that record',
    );
  });

  test('counts by what the server knows a record by, too', async () => {
    const store = await pagedStore();
    const other = User.fromRow({ id: 1, name: 'other' });
    other.id = 50;
    expect(() => store.add(other)).toThrow(StateError);
    expect(shown(store)).toEqual([1, 2]);
  });

  test('is refused in the data of the constructor', () => {
    expect(() => new Store({ model: User, data: [{ id: 1 }, { id: 1 }] })).toThrow(StateError);
  });

  test('of the same record is none: it moves', async () => {
    const store = await pagedStore();
    store.add(at(store, 1), at(store, 1));
    expect(shown(store)).toEqual([2, 1]);
  });
});

describe('clearPending', () => {
  test('drops what is new, edited or removed, on whatever page, and nothing else does', async () => {
    const store = await pagedStore();
    const [first, second] = [at(store, 1), at(store, 2)];
    first.name = 'edited';
    store.remove(second);
    const [added] = store.add({ name: 'new' }) as [User];
    server.reply(page(rows(3, 4), 4), page([], 4), { status: 500 });
    await store.nextPage();
    await store.loadPage(3);
    await expect(store.load()).rejects.toThrow();
    // Neither another page, nor an empty answer, nor a failed load has dropped any of it.
    expect(store.getNewRecords()).toEqual([added]);
    expect(store.getUpdatedRecords()).toEqual([first]);
    expect(store.getRemovedRecords()).toEqual([second]);
    expect(store.getModifiedRecords()).toEqual([added, first]);
    store.clearPending();
    expect([store.getModifiedRecords(), store.getRemovedRecords()]).toEqual([[], []]);
    expect(first.name).toBe('n1');
    expect([1, 2, added.getId() as number].map((id) => store.getById(id))).toEqual([undefined, undefined, undefined]);
    server.reply(page(rows(1, 2), 4));
    await store.load();
    expect(shown(store)).toEqual([1, 2]);
    expect((await store.sync()).outcomes).toEqual([]);
  });

  test('drops the edits of records in place and leaves them there', async () => {
    const store = await pagedStore();
    at(store, 1).name = 'edited';
    store.clearPending();
    expect(shown(store)).toEqual([1, 2]);
    expect(at(store, 1).name).toBe('n1');
  });
});

describe('one object per id', () => {
  test('two rows with one id are one record', async () => {
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

  test('rows without an id are records of their own', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page([{ name: 'a' }, { name: 'b' }]));
    await store.load();
    expect([...store].map((user) => user.name)).toEqual(['a', 'b']);
    const [first] = store;
    store.remove(first as User);
    expect(store.count).toBe(1);
  });

  test('a row whose id somebody edits another record to is a record of its own', async () => {
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

  test('a row with the temporary id of a new record is not that record', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    const [added] = store.add({ name: 'new' }) as [User];
    const temporary = added.getId() as number;
    server.reply(page([{ id: temporary, name: 'a row' }]));
    await store.load();
    expect([...store].map((user) => user.name)).toEqual(['a row', 'new']);
    expect(store.getById(temporary)?.name).toBe('a row');
    store.clearPending();
    expect(store.getById(temporary)?.name).toBe('a row');
  });

  test('a page read while a record was being created makes no second one of it', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const [added] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    // The server has it already, its answer is late.
    server.reply(page([...rows(1), { id: 5, name: 'new' }], 2));
    await store.load();
    const twin = at(store, 5);
    expect(twin).not.toBe(added);
    held.answer({ status: 201, json: { id: 5, name: 'new' } });
    await syncing;
    expect(shown(store)).toEqual([1, 5]);
    expect(store.getAt(1)).toBe(added);
    expect(store.getById(5)).toBe(added);
  });

  describe('of a row that was read while its record was being created', () => {
    /** A store in which a row stands beside the record that is being created of it. */
    async function twins(pageSize: number) {
      const store = new Store({ model: User, pageSize });
      const [added] = store.add({ name: 'new', nick: 'a' }) as [User];
      const held = server.hold();
      const syncing = store.sync();
      await held.request;
      const row = { id: 5, name: 'new', nick: 'a' };
      server.reply(page([row], 1));
      await store.load();
      const created = () => held.answer({ status: 201, json: row });
      return { store, added, twin: at(store, 5), created, syncing, row };
    }

    for (const pageSize of [0, 2])
      test(`edits are the record's, pages of ${pageSize}`, async () => {
        const { store, added, twin, created, syncing, row } = await twins(pageSize);
        twin.name = 'edited';
        created();
        await syncing;
        expect([...store]).toEqual([added]);
        expect(store.totalCount ?? 1).toBe(1);
        expect(store.getById(5)).toBe(added);
        expect(added.$.modified).toEqual({ name: 'edited' });
        added.nick = 'b';
        // What else was written of it meanwhile may be unknown here.
        server.reply({ json: { rows: [{ ...row, nick: 'c' }] } }, ({ body }) => ({ json: { rows: [body] } }));
        await store.sync();
        expect(server.lines.slice(-2)).toEqual(['GET /users/5', 'PUT /users/5']);
        expect(server.last.body).toEqual({ id: 5, name: 'edited', nick: 'b' });
        expect([...store].map(({ name, dirty }) => [name, dirty])).toEqual([['edited', false]]);
      });

    test('edits of the record itself are stronger', async () => {
      const { added, twin, created, syncing } = await twins(0);
      twin.set({ name: 'theirs', nick: 'theirs' });
      added.name = 'mine';
      created();
      await syncing;
      expect(added.$.modified).toEqual({ name: 'mine', nick: 'theirs' });
    });

    test('what was written of it is read before the record is written whole', async () => {
      const { store, added, twin, created, syncing, row } = await twins(0);
      twin.name = 'written';
      server.reply(({ body }) => ({ json: { rows: [body] } }));
      await twin.save();
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

    test('a write that is on its way ends first', async () => {
      const { store, added, twin, created, syncing, row } = await twins(0);
      twin.name = 'written';
      const writing = server.hold();
      const saving = twin.save();
      await writing.request;
      twin.nick = 'edited';
      created();
      await syncing;
      expect(store.getById(5)).toBe(added);
      writing.answer({ json: { rows: [{ ...row, name: 'written' }] } });
      await saving;
      expect([...store]).toEqual([added]);
      expect([added.name, added.$.modified]).toEqual(['written', { nick: 'edited' }]);
    });

    test('it is removed where that was', async () => {
      const { store, added, twin, created, syncing } = await twins(0);
      store.remove(twin);
      created();
      await syncing;
      expect([...store]).toEqual([]);
      expect(store.getRemovedRecords()).toEqual([added]);
      server.reply({ status: 204 });
      await store.sync();
      expect(server.lines.at(-1)).toBe('DELETE /users/5');
      expect([added.erased, store.totalCount]).toEqual([true, 0]);
    });

    test('it is gone where that was erased', async () => {
      const { store, added, twin, created, syncing } = await twins(0);
      const erasing = server.hold();
      const erased = twin.erase();
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

    test('one whose erase is refused is that record, and shown once', async () => {
      const { store, added, twin, created, syncing, row } = await twins(0);
      const erasing = server.hold();
      const erased = twin.erase().catch(() => undefined);
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

  test('a record can be in two stores; each hears of it, and dropping it from one leaves the other', () => {
    const [one, two, three] = [1, 2, 3].map(() => new Store({ model: User })) as [
      Store<User>,
      Store<User>,
      Store<User>,
    ];
    const [user] = one.add(User.fromRow({ id: 1, name: 'a' })) as [User];
    two.add(user);
    three.add(user);
    two.clearPending();
    const heard: number[] = [];
    for (const [i, store] of [one, two, three].entries()) store.on('change', () => heard.push(i));
    user.name = 'b';
    for (const store of [one, two, three]) store.flush();
    expect(heard).toEqual([0, 1, 2]);
    two.remove(user);
    two.commitChanges();
    expect([one.count, two.count, three.count]).toEqual([1, 0, 1]);
    user.name = 'c';
    for (const store of [one, two, three]) store.flush();
    // The second store heard of the removal only.
    expect(heard).toEqual([0, 1, 2, 0, 1, 2]);
    one.remove(user);
    one.commitChanges();
    expect(three.getById(1)).toBe(user);
  });
});

test('a store over a memory proxy shows the same', async () => {
  const store = new Store({ model: User, pageSize: 3, proxy: { type: MemoryProxy, data: rowsFrom(1, 7) } });
  await store.loadPage(2);
  expect([shown(store), store.totalCount, store.currentPage]).toEqual([[4, 5, 6], 7, 2]);
});

test('a record that is created under an id of its own is counted', async () => {
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'string', text: 'string' },
    identifier: 'uuid',
    proxy: server.proxy('/notes', { reader: { rootProperty: 'rows' }, writer: { writeRecordId: true } }),
  }) {}
  const store = new Store({ model: Note, pageSize: 2 });
  server.reply(page([{ id: 'a', text: 'a' }], 4));
  await store.load();
  store.add({ text: 'new' });
  server.reply(({ body }) => ({ status: 201, json: { rows: [body] } }));
  (await store.sync()).orThrow();
  expect(store.totalCount).toBe(5);
  store.add({ id: 'b', text: 'b' });
  server.reply(({ body }) => ({ status: 201, json: { rows: [body] } }));
  (await store.sync()).orThrow();
  expect(store.totalCount).toBe(6);
});
