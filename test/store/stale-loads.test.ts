import { Model, nextPage, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import type { Held } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, shown } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

const at = (store: Store<User>, id: number) => store.getById(id) as User;

/** A store of users 1 to 3 that loads again; the server has computed its response before the writes that follow. */
async function loadingStore(pageSize: number): Promise<{ store: Store<User>; held: Held; loading: Promise<unknown> }> {
  const store = new Store({ model: User, pageSize });
  server.reply(page(rows(1, 2, 3), 6));
  await store.load();
  const held = server.hold();
  const loading = store.load();
  await held.request;
  return { store, held, loading };
}

describe.each([0, 3])('a load that started before a write settled, page size %i', (pageSize) => {
  test('does not overwrite a record saved meanwhile', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    at(store, 1).name = 'saved';
    server.reply({ status: 204 });
    await store.sync();
    held.answer(page(rows(1, 2, 3), 6));
    await loading;
    expect([shown(store), at(store, 1).name, at(store, 1).dirty]).toEqual([[1, 2, 3], 'saved', false]);
  });

  test('does not show records again that were erased meanwhile', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    store.remove(at(store, 2));
    server.reply({ status: 204 }, { status: 204 });
    await store.sync();
    await at(store, 3).erase();
    held.answer(page(rows(1, 2, 3), 6));
    await loading;
    expect([shown(store), store.getById(2), store.getById(3)]).toEqual([[1], undefined, undefined]);
  });

  test('does not show a record again that was erased while its id was edited', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    at(store, 2).id = 20;
    server.reply({ status: 204 });
    await at(store, 2).erase();
    expect(server.last.path).toBe('/users/2');
    held.answer(page(rows(1, 2, 3), 6));
    await loading;
    expect(shown(store)).toEqual([1, 3]);
  });

  test('does not drop a record created meanwhile', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    const [added] = store.add({ name: 'new' }) as [User];
    server.reply({ status: 201, json: { id: 9, name: 'new' } });
    await store.sync();
    held.answer(page(rows(1, 2, 3), 6));
    await loading;
    expect(shown(store)).toEqual([1, 2, 3, 9]);
    expect(store.getAt(3)).toBe(added);
  });

  test('shows a record once that was created meanwhile and is in the response', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    const [added] = store.insert(0, { name: 'new' }) as [User];
    server.reply({ status: 201, json: { id: 9, name: 'new' } });
    await store.sync();
    held.answer(page(rows(1, 9, 2), 6));
    await loading;
    expect(shown(store)).toEqual([1, 9, 2]);
    expect(store.getAt(1)).toBe(added);
  });

  test('is followed by loads that show the newest rows', async () => {
    const { store, held, loading } = await loadingStore(pageSize);
    store.remove(at(store, 2));
    store.add({ name: 'new' });
    server.reply({ status: 201, json: { id: 9 } }, { status: 204 });
    await store.sync();
    held.answer(page(rows(1, 2, 3), 6));
    await loading;
    // Another client has created a new 2, changed 1 and erased 9.
    server.reply(page([{ id: 1, name: 'changed' }, ...rows(2, 3)], 6));
    await store.load();
    expect([shown(store), at(store, 1).name]).toEqual([[1, 2, 3], 'changed']);
  });
});

test('a load that started after an erase shows a new row with the erased id', async () => {
  const { store, held } = await loadingStore(0);
  store.remove(at(store, 2));
  server.reply({ status: 204 });
  await store.sync();
  server.reply(page(rows(1, 2, 3)));
  // This load supersedes the earlier one.
  await store.load({ params: { again: 1 } });
  expect(shown(store)).toEqual([1, 2, 3]);
  held.answer();
});

test('a record of another page saved during a load keeps its saved values when its older row arrives', async () => {
  const store = new Store({ model: User, pageSize: 1 });
  server.reply(page(rows(1), 2), page(rows(2), 2));
  await store.load();
  const user = at(store, 1);
  user.name = 'edited';
  await nextPage(store);
  const held = server.hold();
  const loading = store.load({ page: 1 });
  await held.request;
  server.reply({ status: 204 });
  await store.sync();
  held.answer(page(rows(1), 2));
  await loading;
  expect(store.getAt(0)).toBe(user);
  expect(user.name).toBe('edited');
});

test('a record of another page saved during a load is dropped after it if its row does not arrive', async () => {
  const store = new Store({ model: User, pageSize: 1 });
  server.reply(page(rows(1), 3), page(rows(2), 3));
  await store.load();
  at(store, 1).name = 'edited';
  await nextPage(store);
  const held = server.hold();
  const loading = store.load({ page: 3 });
  await held.request;
  server.reply({ status: 204 });
  await store.sync();
  expect(store.getById(1)?.name).toBe('edited');
  held.answer(page(rows(3), 3));
  await loading;
  expect([shown(store), store.getById(1)]).toEqual([[3], undefined]);
});

test('a record of another page erased during a load is not shown again', async () => {
  const store = new Store({ model: User, pageSize: 1 });
  server.reply(page(rows(1), 2), page(rows(2), 2));
  await store.load();
  store.remove(at(store, 1));
  await nextPage(store);
  const held = server.hold();
  const loading = store.load({ page: 1 });
  await held.request;
  server.reply({ status: 204 });
  await store.sync();
  held.answer(page(rows(1), 2));
  await loading;
  expect(store.count).toBe(0);
});
