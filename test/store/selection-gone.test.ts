import { Model, plain, receive, Session, Store, selectionOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, shown } from './support.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/tasks', { dialect: plain(), reader: { rootProperty: 'rows', totalProperty: 'total' } }),
}) {}

async function loaded(
  config: object = {},
  ids: readonly number[] = [1, 2, 3],
  total = ids.length,
): Promise<Store<Task>> {
  server.reply(page(rows(...ids), total));
  const store = new Store<Task>({ model: Task, pageSize: 0, ...config });
  await store.load();
  return store;
}

async function reload(store: Store<Task>, ids: readonly number[], total = ids.length): Promise<void> {
  server.reply(page(rows(...ids), total));
  await store.reload();
}

const selected = (store: Store<Task>) => [1, 2, 3, 9].filter((id) => selectionOf(store).isSelected(id));

describe('a whole reload', () => {
  for (const [name, config] of Object.entries({
    'a store': () => ({}),
    'a store of a session': () => ({ session: new Session() }),
    'a paged store that holds all': () => ({ pageSize: 10 }),
  }))
    test(`takes ids that are gone out of the selection of ${name}`, async () => {
      const store = await loaded(config());
      selectionOf(store).select(2, 3);
      let told = 0;
      selectionOf(store).subscribe(() => (told += 1));
      await reload(store, [1, 3]);
      expect([selectionOf(store).count, selected(store), told > 0]).toEqual([1, [3], true]);
      const pages: unknown[] = [];
      for await (const each of selectionOf(store).pages()) pages.push(shown(each));
      expect([pages, store.getById(2)]).toEqual([[[3]], undefined]);
    });

  test('takes them out also if the store never held them, and from those left out of all', async () => {
    const store = await loaded();
    selectionOf(store).select(9);
    await reload(store, [1, 2, 3]);
    expect(selectionOf(store).count).toBe(0);
    selectionOf(store).selectAll();
    selectionOf(store).deselect(2);
    await reload(store, [1, 3]);
    expect(selectionOf(store).count).toBe(2);
  });

  test('leaves new and edited records, and those that were received meanwhile', async () => {
    const store = await loaded();
    const [added] = store.add({ name: 'new' });
    const edited = store.getById(2) as Task;
    selectionOf(store).select(added as Task, edited);
    edited.name = 'mine';
    server.reply(page(rows(1, 3), 2));
    const reloading = store.reload();
    receive(store, rows(9));
    selectionOf(store).select(9);
    await reloading;
    expect([selectionOf(store).count, selected(store)]).toEqual([3, [2, 9]]);
  });

  test('is also setRecords()', () => {
    const store = new Store({ model: Task, data: rows(1, 2) });
    selectionOf(store).select(2);
    store.setRecords(rows(1));
    expect(selectionOf(store).count).toBe(0);
  });
});

describe('the selection stays', () => {
  test('when a part is loaded again', async () => {
    const store = await loaded({ pageSize: 2 }, [1, 2], 5);
    selectionOf(store).select(2, 9);
    await reload(store, [1, 3], 5);
    expect(selected(store)).toEqual([2, 9]);
  });

  test('when the server filters', async () => {
    const store = await loaded({ remoteFilter: true });
    selectionOf(store).select(2);
    server.reply(page(rows(3), 1));
    store.filter({ property: 'name', value: 'n3' });
    await expect.poll(() => store.count).toBe(1);
    expect(selected(store)).toEqual([2]);
  });

  test('when another collection is loaded', async () => {
    const store = await loaded();
    selectionOf(store).select(2);
    server.reply(page(rows(3), 1));
    await store.load({ params: { folder: 2 } });
    expect(selected(store)).toEqual([2]);
  });
});

describe('what is selected of another list', () => {
  test.each<[string, (store: Store<Task>, team: string) => Promise<unknown>]>([
    ['parameters of the loads', (store, team) => store.load({ params: { team } })],
    [
      'parameters of the store',
      (store, team) => {
        store.setExtraParams({ team });
        return store.load();
      },
    ],
  ])('stays, whatever the whole list of others shows (%s)', async (_, load) => {
    const store = await loaded();
    server.reply(page(rows(1, 2), 2));
    await load(store, 'a');
    selectionOf(store).select(1, 2);
    for (let time = 0; time < 2; time += 1) {
      server.reply(page(rows(9), 1));
      await load(store, 'b');
      expect(selected(store)).toEqual([1, 2]);
    }
  });

  test('ends with it: what is selected then is that of the list on show', async () => {
    const store = await loaded();
    selectionOf(store).select(1);
    server.reply(page(rows(9), 1));
    await store.load({ params: { team: 'b' } });
    selectionOf(store).clear();
    selectionOf(store).select(9);
    server.reply(page(rows(3), 1));
    await store.load({ params: { team: 'b' } });
    expect(selected(store)).toEqual([]);
  });
});
