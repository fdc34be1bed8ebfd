import { Model, plain, receive, Store, type StoreConfig, viewOf } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', place: 'string' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

const made = { id: 4, title: 'new', place: 'here' };
let rows: { id: number; title: string; place?: string }[];

beforeEach(() => {
  rows = [
    { id: 1, title: 'one' },
    { id: 2, title: 'two' },
    { id: 3, title: 'three' },
  ];
  server.always(({ query }) => {
    const limit = Number(query.get('limit') ?? rows.length);
    const start = (Number(query.get('page') ?? 1) - 1) * limit;
    return { json: rows.slice(start, start + limit), headers: { 'x-total-count': String(rows.length) } };
  });
});

const titles = (store: Store<Task>) => [...store].map(({ title }) => title);

/** A list in which a record is being created that the server has already made. */
async function create(config: Partial<StoreConfig<Task>> = {}) {
  const store = new Store({ model: Task, pageSize: 0, ...config });
  await store.load();
  const [record] = store.add({ title: 'new' }) as [Task];
  const held = server.hold();
  const saved = store.sync();
  await held.request;
  rows.push(made);
  return { store, record, held, saved };
}

type Way = [string, Partial<StoreConfig<Task>>, (store: Store<Task>) => unknown];
const ways: Way[] = [
  ['a feed', {}, (store) => receive(store, [made])],
  ['a reload', {}, (store) => store.reload()],
  ['two reloads', {}, async (store) => [await store.reload(), await store.reload()]],
  ['a reload of a page', { pageSize: 5 }, (store) => store.reload()],
  ['a reload of a page that shows new records', { pageSize: 5, newRecords: 'first' }, (store) => store.reload()],
  ['more rows', { pageSize: 2 }, (store) => store.loadMore()],
];

describe.each(ways)('a row that %s brings while its create is not answered yet', (_, config, bring) => {
  test('is shown once, by the record that is created', async () => {
    const { store, record, held, saved } = await create(config);
    await bring(store);
    expect(titles(store).filter((title) => title === 'new')).toHaveLength(1);
    held.answer({ status: 201, json: made });
    (await saved).orThrow();
    expect(titles(store).filter((title) => title === 'new')).toHaveLength(1);
    expect([store.getById(4), store.total, record.place]).toEqual([record, 4, 'here']);
  });

  test('is shown again when the create fails: it is the row of somebody else', async () => {
    const { store, record, held, saved } = await create(config);
    await bring(store);
    held.answer({ status: 422, json: { errors: { title: ['is taken'] } } });
    expect((await saved).failures).toHaveLength(1);
    expect([store.getById(4)?.title, record.phantom, record.title]).toEqual(['new', true, 'new']);
    expect(titles(store)).toContain('new');
    expect([...store]).toContain(store.getById(4));
  });

  test('is shown again when the create makes another row', async () => {
    const { store, record, held, saved } = await create(config);
    await bring(store);
    held.answer({ status: 201, json: { ...made, id: 5 } });
    (await saved).orThrow();
    expect([...store]).toContain(store.getById(4));
    expect(record.id).toBe(5);
  });
});

describe('a row with the values of a record that is being created', () => {
  test('is shown if it was on show before', async () => {
    rows.push(made);
    const { store } = await create();
    rows.pop();
    await store.reload();
    expect(titles(store)).toEqual(['one', 'two', 'three', 'new', 'new']);
  });

  test('stays left out when other records get a place meanwhile', async () => {
    const { store } = await create();
    receive(store, [made]);
    store.add({ title: 'other' });
    expect(titles(store)).toEqual(['one', 'two', 'three', 'new', 'other']);
    receive(store, [{ id: 5, title: 'five' }]);
    expect(titles(store)).toEqual(['one', 'two', 'three', 'new', 'other', 'five']);
  });

  test.each([
    ['without an order', []],
    ['that is sorted here', ['title' as const]],
  ])(
    'stands for one record: in a list %s, the second row of two is shown, and both when the create is answered',
    async (_, sorters) => {
      const { store, held, saved } = await create({ sorters });
      const view = viewOf(store, { filters: [{ property: 'title', value: 'new' }] });
      receive(store, [{ ...made, id: 5 }]);
      receive(store, [made]);
      expect([titles(store).filter((title) => title === 'new').length, view.count]).toEqual([2, 2]);
      held.answer({ status: 201, json: made });
      (await saved).orThrow();
      const ids = (rows: Iterable<Task>) => [...rows].filter(({ title }) => title === 'new').map(({ id }) => id);
      expect([ids(store).sort(), ids(view).sort(), store.count]).toEqual([[4, 5], [4, 5], 5]);
    },
  );

  test('is shown wherever the user moves it', async () => {
    rows.push(made);
    const { store } = await create();
    const original = store.getById(4) as Task;
    store.insert(0, original);
    expect(titles(store)).toEqual(['new', 'one', 'two', 'three', 'new']);
  });

  test('is shown when its create gets no answer: the user has to see it to decide', async () => {
    const { store, record, held, saved } = await create();
    receive(store, [made]);
    expect(titles(store)).toEqual(['one', 'two', 'three', 'new']);
    held.answer({ drop: true });
    expect((await saved).failures).toHaveLength(1);
    expect([titles(store), record.phantom]).toEqual([['one', 'two', 'three', 'new', 'new'], true]);
    await store.reload();
    expect(titles(store).filter((title) => title === 'new')).toHaveLength(2);
  });

  test('is shown if the application sets it', async () => {
    const { store, record } = await create();
    store.setRecords([made, record]);
    expect(titles(store)).toEqual(['new', 'new']);
  });

  test('is shown when the new record was removed meanwhile and its create fails', async () => {
    const { store, record, held, saved } = await create();
    receive(store, [made]);
    store.remove(record);
    held.answer({ status: 422 });
    await saved;
    expect(titles(store)).toEqual(['one', 'two', 'three', 'new']);
  });

  test('is left out while the new record that was removed is erased', async () => {
    const { store, record, held, saved } = await create();
    receive(store, [made]);
    store.remove(record);
    held.answer({ status: 201, json: made });
    await saved;
    expect(titles(store)).toEqual(['one', 'two', 'three']);
    server.reply({ status: 204 });
    (await store.sync()).orThrow();
    expect([titles(store), server.lines.at(-1)]).toEqual([['one', 'two', 'three'], 'DELETE /tasks/4']);
  });
});
