import { DefinitionError, differenceOf, Model, plain, Store, viewOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { dialect: plain() }),
}) {}
const data = [
  { id: 1, name: 'b' },
  { id: 2, name: 'a' },
];

/** A list of what the events of a store or view tell, and its order at that moment. */
function eventsOf(
  view: Pick<Store<User>, 'getRange'> & { on: (event: never, listener: (event: object) => void) => unknown },
) {
  const seen: unknown[] = [];
  for (const event of ['sort', 'filterchange', 'groupchange'])
    view.on(event as never, (payload) => seen.push([event, payload, view.getRange().map(({ id }) => id)]));
  return seen;
}

describe('the events of a changed query', () => {
  test('tell the new part, when the records already show it', () => {
    const store = new Store({ model: User, data, pageSize: 0 });
    const seen = eventsOf(store);
    store.sort('name');
    store.filter({ property: 'name', value: 'b' });
    store.group('name', 'DESC');
    store.filter([]);
    store.search('a');
    store.group([]);
    const filters = [{ property: 'name', value: 'b' }];
    expect(seen).toEqual([
      ['sort', { sorters: [{ property: 'name', direction: 'ASC' }] }, [2, 1]],
      ['filterchange', { filters, search: '' }, [1]],
      ['groupchange', { groupers: [{ property: 'name', direction: 'DESC' }] }, [1]],
      ['filterchange', { filters: [], search: '' }, [1, 2]],
      ['filterchange', { filters: [], search: 'a' }, [2]],
      ['groupchange', { groupers: [] }, [2]],
    ]);
  });

  test('come from a view too, and from `setQuery()` and `load({ query })`', async () => {
    const store = new Store({ model: User, data, pageSize: 0, remoteSort: true });
    const view = viewOf(store);
    const [ofView, ofStore] = [eventsOf(view), eventsOf(store)];
    view.sort('name');
    store.setQuery(store.query.with({ sorters: ['name'], search: 'b' }));
    server.reply({ json: data });
    await store.load({ query: store.query.with({ search: '' }) });
    expect(ofView.map((each) => (each as unknown[])[0])).toEqual(['sort']);
    expect(ofStore.map((each) => (each as unknown[])[0])).toEqual(['sort', 'filterchange', 'filterchange']);
  });

  test('are not emitted where nothing is changed, refused or not applied yet', () => {
    const clock = manualClock();
    const store = new Store({ model: User, data, pageSize: 0, proxy: { clock }, sorters: ['name'] });
    const seen = eventsOf(store);
    store.sort('name');
    store.filter([]);
    expect(() => store.sort('unknown' as never)).toThrow();
    store.search('a', { delay: 100 });
    expect(seen).toEqual([]);
    clock.advance(100);
    expect(seen).toEqual([['filterchange', { filters: [], search: 'a' }, [2]]]);
  });

  test('let a listener change the query again', () => {
    const store = new Store({ model: User, data, pageSize: 0 });
    const seen: unknown[] = [];
    store.on('sort', ({ sorters }) => {
      seen.push(sorters.map(({ direction }) => direction));
      if (seen.length === 1) store.sort('name', 'DESC');
    });
    store.sort('name');
    expect([seen, store.getAt(0)?.id]).toEqual([[['ASC'], ['DESC']], 1]);
  });

  test.each([
    ['filter', 'filterchange'],
    ['beforesort', "'sort'"],
    ['beginupdate', "'change'"],
    ['beforesync', '`sync()`'],
  ])('stand in the remedy for %s', (name, remedy) => {
    const listen = () => new Store({ model: User }).on(name as never, () => undefined);
    expect(listen).toThrow(DefinitionError);
    expect(listen).toThrow(remedy);
  });
});

describe('removeAll(true)', () => {
  test('empties the store without a `change` event, and tells screens and views', async () => {
    const store = new Store({ model: User, data });
    const view = viewOf(store);
    const told: string[] = [];
    store.on('change', (change) => {
      const { removed, added } = differenceOf(change);
      told.push(`store -${removed.length} +${added.length}`);
    });
    view.on('change', (change) => {
      const { removed } = differenceOf(change);
      told.push(`view -${removed.length}`);
    });
    store.list.subscribe(() => told.push(`list ${store.list.get().count}`));
    store.add({ name: 'c' });
    expect(store.removeAll(true)).toHaveLength(3);
    expect([store.count, store.pending.removed.length]).toEqual([0, 2]);
    await Promise.resolve();
    store.add({ name: 'd' });
    await Promise.resolve();
    expect(told).toEqual(['list 3', 'store -0 +1', 'list 0', 'view -2', 'list 1', 'store -0 +1', 'view -0']);
  });

  test('is told with the other changes of a batch', () => {
    const store = new Store({ model: User, data });
    const told: number[] = [];
    store.on('change', (change) => {
      const { removed } = differenceOf(change);
      told.push(removed.length);
    });
    store.batch(() => store.removeAll(true));
    expect(told).toEqual([2]);
  });
});

describe('status.loadCount', () => {
  test('counts the loads that have succeeded', async () => {
    const store = new Store({ model: User, pageSize: 1, remoteSort: true });
    server.reply({ json: [data[0]] }, { json: [data[1]] }, { status: 500 });
    const counts = [store.status.get().loadCount];
    store.on('load', () => counts.push(store.status.get().loadCount));
    await store.load();
    await store.loadMore();
    await store.load().catch(() => undefined);
    store.setRecords([]);
    expect([...counts, store.status.get().loadCount]).toEqual([0, 1, 2, 2]);
  });
});

describe('$.loading', () => {
  test('is true while a load of the record is in flight', async () => {
    const user = User.fromRow({ id: 1, name: 'a' });
    server.reply({ json: { id: 1, name: 'b' } }, { status: 500 }, { status: 204 });
    for (const load of [user.load(), user.$.reload({ params: { v: 1 } })]) {
      expect(user.$.loading).toBe(true);
      await load.catch(() => undefined);
    }
    expect(user.$.loading).toBe(false);
    const save = user.save();
    expect([user.$.loading, user.$.saving]).toEqual([false, true]);
    await save;
  });
});
