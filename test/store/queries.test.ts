import {
  decimal,
  embed,
  type FilterConfig,
  MemoryProxy,
  Model,
  nextPage,
  type SorterConfig,
  Store,
  UnsupportedQueryError,
  viewOf,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { CACHE } from '../../src/model/symbols.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, poll, rows, shown, tick } from './support.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    rank: { type: 'int', allowNull: true },
    due: 'date',
    price: decimal(),
    size: { calculate: (task: { title: string }) => task.title.length },
  },
  proxy: server.proxy('/tasks', { reader: { rootProperty: 'rows' } }),
}) {
  get label() {
    return `${this.rank}-${this.title}`;
  }
  shout() {
    return (this.title as string).toUpperCase();
  }
}

const DATA = [
  { id: 1, title: 'pear', rank: 3, price: '10.5' },
  { id: 2, title: 'fig', rank: null, price: '9.75' },
  { id: 3, title: 'apple', rank: 1, price: '100' },
  { id: 4, title: 'plum', rank: 3, price: '10.50' },
];
const tasks = (config: Partial<ConstructorParameters<typeof Store<Task>>[0]> = {}) =>
  new Store({ model: Task, data: DATA, ...config });
const at = (store: Store<Task>, id: number) => store.getById(id) as Task;
/** Enough rows that the store sorts by columns. */
const manyOf = <R extends object>(row: (i: number) => R, count = 100) =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, ...row(i) }));

describe('sort()', () => {
  test.each<[string, SorterConfig<Task> | SorterConfig<Task>[], number[]]>([
    ['a name', 'title', [3, 2, 1, 4]],
    ['a property', { property: 'title' }, [3, 2, 1, 4]],
    ['a property and a direction', { property: 'title', direction: 'desc' }, [4, 1, 2, 3]],
    ['null first, and in the order of arrival if equal', 'rank', [2, 3, 1, 4]],
    ['null last if descending', { property: 'rank', direction: 'DESC' }, [1, 4, 3, 2]],
    ['several keys', [{ property: 'rank', direction: 'DESC' }, 'title'], [1, 4, 3, 2]],
    ['several keys, the second descending', ['rank', { property: 'title', direction: 'DESC' }], [2, 3, 4, 1]],
    ['decimals by their digits', ['price', 'title'], [2, 1, 4, 3]],
    ['a calculated field', 'size', [2, 1, 4, 3]],
    ['a getter of the class body', 'label', [3, 1, 4, 2]],
    ['a function', { sorterFn: (a, b) => b.id - a.id }, [4, 3, 2, 1]],
    ['a function, descending', { sorterFn: (a, b) => b.id - a.id, direction: 'DESC' }, [1, 2, 3, 4]],
    ['nothing', [], [1, 2, 3, 4]],
  ])('sorts by %s', (_, sorters, expected) => {
    const store = tasks();
    store.sort(sorters);
    expect(shown(store)).toEqual(expected);
    expect(shown(tasks({ sorters: Array.isArray(sorters) ? sorters : [sorters] }))).toEqual(expected);
  });

  test('accepts a name and a direction, in upper or lower case', () => {
    const store = tasks();
    store.sort('title', 'desc');
    expect(shown(store)).toEqual([4, 1, 2, 3]);
    expect(store.query.sorters).toEqual([{ property: 'title', direction: 'DESC' }]);
    store.sort('title', 'ASC');
    expect(shown(store)).toEqual([3, 2, 1, 4]);
  });

  test('gives frozen values to the sorter function', () => {
    const store = tasks();
    store.sort(['title']);
    expect([store.query.sorters, store.query.sorters[0]].every(Object.isFrozen)).toBe(true);
    store.filter({ property: 'rank', operator: 'in', value: [1, 2] });
    expect([store.query.filters, store.query.filters[0], store.query.filters[0]?.value].every(Object.isFrozen)).toBe(
      true,
    );
    store.group('rank');
    expect(Object.isFrozen(store.query.groupers[0])).toBe(true);
  });

  test('applies to edits and added records at once', () => {
    const store = tasks({ sorters: ['title'] });
    at(store, 3).title = 'zucchini';
    expect(shown(store)).toEqual([2, 1, 4, 3]);
    store.add({ id: 5, title: 'grape' });
    expect(shown(store)).toEqual([2, 5, 1, 4, 3]);
    store.insert(0, { id: 6, title: 'quince' });
    expect(shown(store)).toEqual([2, 5, 1, 4, 6, 3]);
  });
});

describe('the order of records', () => {
  test('starts with invalid dates, and a record with one is found there', () => {
    const store = new Store({ model: Task, data: manyOf((i) => ({ due: new Date(i) })), sorters: ['due'] });
    const task = at(store, 50);
    expect(store.indexOf(task)).toBe(49);
    task.due = new Date(Number.NaN);
    expect(store.indexOf(task)).toBe(0);
    store.remove(at(store, 1), task);
    expect([store.count, store.getAt(0)?.id]).toEqual([98, 2]);
  });

  test('does not cache the dates of untouched records', () => {
    const store = new Store({ model: Task });
    store.add(...manyOf((i) => ({ due: new Date(i).toISOString() })).map((row) => Task.fromRow(row)));
    store.sort('due', 'DESC');
    expect([store.getAt(0)?.id, inner(store.getAt(0) as Task)[CACHE]]).toEqual([100, undefined]);
  });

  test('follows an edit of an embedded record', () => {
    const Place = Model.define({ fields: { id: 'int', city: 'string' } });
    class Shop extends Model.define({ fields: { id: 'int', size: 'int', place: embed(Place) } }) {
      get city() {
        return this.place?.city;
      }
    }
    const shop = (id: number, city: string) => Shop.fromRow({ id, size: 1, place: { city } });
    const store = new Store({ model: Shop, sorters: ['city'] });
    store.add(...['b', 'c', 'd', 'e'].map((city, i) => shop(i + 1, city)));
    expect(store.count).toBe(4);
    const second = store.getAt(1) as Shop;
    // The same value again changes nothing.
    second.size = 1;
    store.add(shop(5, 'a'));
    store.remove(store.getById(4) as Shop);
    (second.place as { city?: string }).city = 'z';
    expect(shown(store)).toEqual([5, 1, 3, 2]);
  });
});

describe('filter()', () => {
  test.each<[string, FilterConfig<Task> | FilterConfig<Task>[], number[]]>([
    ['a value', { property: 'rank', value: 3 }, [1, 4]],
    [
      'several filters, all of which must match',
      [
        { property: 'rank', value: 3 },
        { property: 'title', operator: 'startsWith', value: 'pl' },
      ],
      [4],
    ],
    [
      'two filters on one property',
      [
        { property: 'rank', operator: '>', value: 0 },
        { property: 'rank', operator: '<', value: 3 },
      ],
      [3],
    ],
    ['a calculated field', { property: 'size', operator: '>', value: 4 }, [3]],
    ['a decimal, by its digits', { property: 'price', value: '10.500' }, [1, 4]],
    [
      'or',
      {
        or: [
          { property: 'title', value: 'fig' },
          { property: 'rank', value: 1 },
        ],
      },
      [2, 3],
    ],
    [
      'and',
      {
        and: [
          { property: 'rank', value: 3 },
          { property: 'title', value: 'plum' },
        ],
      },
      [4],
    ],
    ['not', { not: { property: 'rank', value: 3 } }, [2, 3]],
    [
      'a tree of filters',
      { not: { or: [{ property: 'rank', value: 1 }, { and: [{ property: 'id', operator: '<', value: 3 }] }] } },
      [4],
    ],
    ['a function', { filterFn: (task) => task.shout() === 'FIG' }, [2]],
    ['nothing if the filter is disabled', { property: 'rank', value: 3, disabled: true }, [1, 2, 3, 4]],
    ['only the enabled parts of a tree', { or: [{ property: 'rank', value: 3, disabled: true }] }, [1, 2, 3, 4]],
    [
      'nothing if `not` contains a disabled filter',
      { not: { property: 'rank', value: 3, disabled: true } },
      [1, 2, 3, 4],
    ],
    ['nothing if `and` is empty', { and: [] }, [1, 2, 3, 4]],
    ['nothing', [], [1, 2, 3, 4]],
  ])('filters by %s', (_, filters, expected) => {
    const store = tasks();
    store.filter(filters);
    expect(shown(store)).toEqual(expected);
    expect(shown(tasks({ filters: Array.isArray(filters) ? filters : [filters] }))).toEqual(expected);
  });

  test('shows all records if a tree is disabled as a whole', () => {
    const store = tasks();
    store.filter({ or: [{ property: 'rank', value: 3 }], disabled: true } as never);
    expect(store.count).toBe(4);
  });

  test('replaces the filters before, and takes those of the query again', () => {
    const store = tasks();
    store.filter({ property: 'rank', value: 3 });
    store.setQuery(store.query.with({ filters: [...store.query.filters, { property: 'title', value: 'plum' }] }));
    expect(shown(store)).toEqual([4]);
    store.setQuery(store.query.with({ filters: store.query.filters.filter(({ property }) => property !== 'rank') }));
    expect(store.query.filters).toEqual([{ property: 'title', value: 'plum' }]);
    store.setQuery(
      store.query.with({
        filters: [...store.query.filters, { property: 'title', value: 'fig' }, { property: 'id', value: 2 }],
      }),
    );
    expect(shown(store)).toEqual([]);
    store.setQuery(store.query.with({ filters: store.query.filters.filter(({ property }) => property !== 'title') }));
    expect(shown(store)).toEqual([2]);
    store.filter({ property: 'title', value: 'pear' });
    expect(shown(store)).toEqual([1]);
    store.filter([]);
    expect([store.count, store.query.filters]).toEqual([4, []]);
  });

  test('applies to edits at once, and hidden records stay in the store', () => {
    const store = tasks({ filters: [{ property: 'rank', value: 3 }] });
    at(store, 1).rank = 4;
    at(store, 3).rank = 3;
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)?.title).toBe('pear');
    expect(shown(store.pending.edited)).toEqual([1, 3]);
  });

  test('by a calculated date applies to edits of the fields it is calculated from', () => {
    const Event = Model.define({
      fields: { id: 'int', start: 'int', end: { type: 'date', calculate: ({ start }) => new Date(start * 1000) } },
    });
    const store = new Store({ model: Event, data: manyOf(() => ({ start: 1 })) });
    const late = { property: 'end', operator: 'gt', value: new Date(5000) } as const;
    store.filter(late as never);
    expect(store.count).toBe(0);
    store.filter([]);
    Object.assign(store.getAt(7) as object, { start: 9 });
    store.filter(late as never);
    expect(shown(store)).toEqual([8]);
  });

  test.each(['isNull', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'nin'])(
    'gives the same result by %s with many dates as with few, also with null among them',
    (operator) => {
      const Event = Model.define({ fields: { id: 'int', at: { type: 'date', allowNull: true } } });
      const look = (count: number) => {
        const odd = [null, undefined, 9e15, 'soon', '2024-05-06T07:08:09Z', 5000].map((at) => ({ at }));
        const all = manyOf((i) => odd[i] ?? { at: 0 }, count);
        const store = new Store({ model: Event });
        store.add(...all.map((row) => Event.fromRow(row)));
        (store.getAt(6) as { at?: Date | null }).at = new Date(Number.NaN);
        const value = new Date(5000);
        store.filter({ property: 'at', operator, ...(operator !== 'isNull' && { value }) } as never);
        return shown(store).filter((id) => Number(id) <= 7);
      };
      expect(look(100)).toEqual(look(7));
    },
  );

  test('keeps its value when the caller changes it later', () => {
    const ranks = [1];
    const due = new Date(5);
    const store = tasks({
      filters: [{ property: 'rank', operator: 'in', value: ranks }, { not: { property: 'due', value: due } }],
    });
    ranks.push(3);
    due.setTime(0);
    at(store, 3).due = new Date(0);
    expect(shown(store)).toEqual([3]);
    ranks.length = 0;
    store.add({ id: 9, title: 'x', rank: 3 });
    expect(shown(store)).toEqual([3]);
  });
});

describe('group()', () => {
  test('puts the records of a group together, in order of groups, sorted inside', () => {
    const store = tasks({ sorters: [{ property: 'title', direction: 'DESC' }] });
    store.group('rank');
    expect(shown(store)).toEqual([2, 3, 4, 1]);
    store.group('rank', 'DESC');
    expect(shown(store)).toEqual([4, 1, 3, 2]);
    expect(store.query.groupers[0]).toEqual({ property: 'rank', direction: 'DESC' });
    store.group({ property: 'size', direction: 'desc' });
    expect(shown(store)).toEqual([3, 4, 1, 2]);
    store.group([]);
    expect([shown(store), store.query.groupers[0]]).toEqual([[4, 1, 2, 3], undefined]);
  });

  test('is also set by the options `grouper` and `groupField`', () => {
    expect(shown(tasks({ grouper: 'label' }))).toEqual([3, 1, 4, 2]);
    expect(shown(tasks({ grouper: { property: 'rank', direction: 'DESC' } }))).toEqual([1, 4, 3, 2]);
    expect(shown(tasks({ groupField: 'rank' }))).toEqual([2, 3, 1, 4]);
    expect(shown(tasks({ groupField: 'rank', groupDir: 'DESC' }))).toEqual([1, 4, 3, 2]);
  });

  test('follows `remoteSort`', async () => {
    const store = new Store({ model: Task, remoteSort: true, groupField: 'rank', groupDir: 'DESC' });
    server.reply(page(DATA));
    await store.load();
    expect(server.last.query.get('group')).toBe('{"property":"rank","direction":"DESC"}');
    expect(shown(store)).toEqual([1, 2, 3, 4]);
  });
});

describe('an unknown property or operator', () => {
  const bad = { property: 'nope', value: 1 } as never;
  test.each<[string, (store: Store<Task>) => void]>([
    ['a sorter', (store) => store.sort('nope' as never)],
    ['one of several sorters', (store) => store.sort(['title', 'nope' as never])],
    ['a sorter by a method', (store) => store.sort('shout' as never)],
    ['a sorter by a member of Model', (store) => store.sort('phantom' as never)],
    ['a sorter by a member of Object', (store) => store.sort('constructor' as never)],
    ['__proto__', (store) => store.sort('__proto__' as never)],
    ['a filter', (store) => store.filter(bad)],
    ['an added filter', (store) => store.setQuery(store.query.with({ filters: [...store.query.filters, bad] }))],
    ['a filter in a tree', (store) => store.filter({ or: [{ not: { and: [bad] } }] })],
    ['a group', (store) => store.group('nope' as never)],
  ])('as %s is refused with UnsupportedQueryError, and nothing changes', async (_, call) => {
    const store = tasks({ sorters: ['title'], filters: [{ property: 'rank', value: 3 }], grouper: 'rank' });
    const before = [store.query.sorters, store.query.filters, store.query.groupers[0], store.list.get()];
    expect(() => call(store)).toThrow(UnsupportedQueryError);
    await tick();
    expect([store.query.sorters, store.query.filters, store.query.groupers[0], store.list.get()]).toEqual(before);
  });

  test('is named in the error together with the model', () => {
    expect(() => tasks().sort('nope' as never)).toThrow(
      "task has no field 'nope'; its fields are id, title, rank, due, price, size",
    );
  });

  test('in a config with data is refused by the constructor', () => {
    expect(() => tasks({ sorters: ['nope' as never] })).toThrow(UnsupportedQueryError);
    expect(() => tasks({ filters: [bad] })).toThrow(UnsupportedQueryError);
    expect(() => tasks({ grouper: 'nope' as never })).toThrow(UnsupportedQueryError);
  });

  test('in a config without data is refused when the store is first read', async () => {
    const store = new Store({ model: Task, sorters: ['nope' as never] });
    server.reply(page(DATA));
    await expect(store.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(store.status.get().loaded).toBe(false);
    store.sort('title');
    expect(store.count).toBe(0);
  });

  test('is accepted if the query is sent to the server', async () => {
    const store = new Store({
      model: Task,
      remoteSort: true,
      remoteFilter: true,
      sorters: ['nope' as never],
      filters: [bad],
    });
    server.reply(page(DATA));
    await store.load();
    expect(server.last.query.get('filter')).toBe('[{"property":"nope","value":1}]');
    expect(store.count).toBe(4);
  });

  test.each([null, 5, {}, { direction: 'ASC' }, { property: 'title', direction: 'up' }])(
    '%o is refused as a sorter',
    (given) => {
      expect(() => tasks().sort([given as never])).toThrow(UnsupportedQueryError);
    },
  );

  test.each([null, 5, 'title', {}, { value: 3 }])('%o is refused as a filter', (given) => {
    expect(() => tasks().filter([given as never])).toThrow(UnsupportedQueryError);
  });

  test.each([null, 5, {}, { direction: 'DESC' }])('%o is refused as a grouper', (given) => {
    expect(() => tasks().group(given as never)).toThrow(UnsupportedQueryError);
  });

  test('used as an operator is refused at once', () => {
    const store = tasks();
    expect(() => store.filter({ property: 'rank', operator: 'almost', value: 1 } as never)).toThrow(
      "the operator of a filter on 'rank' must be one of eq, ne, lt",
    );
  });
});

describe('a store with a part of the collection loaded', () => {
  const partly = async (config: object = {}) => {
    const store = new Store({ model: Task, pageSize: 2, ...config });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    return store;
  };

  test('refuses local sorters, filters and groups, and nothing changes', async () => {
    const store = await partly();
    for (const call of [
      () => store.sort('title'),
      () => store.filter({ property: 'rank', value: 1 }),
      () => store.setQuery(store.query.with({ filters: [...store.query.filters, { filterFn: () => true }] })),
      () => store.group('rank'),
    ]) {
      expect(call).toThrow(UnsupportedQueryError);
    }
    expect(() => store.sort('title')).toThrow(
      /^Only a part of the collection is loaded, so sorting it here would mislead: leave it to the server with `remoteSort: 'auto'`.* load everything with `pageSize: 0`.*, or set `allowPartial: true`/,
    );
    expect(() => store.filter({ property: 'rank', value: 1 })).toThrow(
      "filtering it here would mislead: leave it to the server with `remoteFilter: 'auto'`",
    );
    expect([store.query.sorters, store.query.filters, store.query.groupers[0], store.count]).toEqual([
      [],
      [],
      undefined,
      2,
    ]);
  });

  test('accepts an empty list of sorters, filters and groups', async () => {
    const store = await partly();
    store.sort([]);
    store.filter([]);
    store.group([]);
    expect(store.count).toBe(2);
  });

  test('with `allowPartial: true` sorts and filters the loaded records', async () => {
    const store = await partly({ allowPartial: true, sorters: [{ property: 'id', direction: 'DESC' }] });
    expect(shown(store)).toEqual([2, 1]);
    store.filter({ property: 'id', value: 1 });
    expect(shown(store)).toEqual([1]);
  });

  test('with local sorters or filters refuses its first load, and adds nothing', async () => {
    await expect(partly({ sorters: ['title'] })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ filters: [{ property: 'rank', value: 1 }] })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ grouper: 'rank' })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ remoteFilter: true, filters: [{ filterFn: () => true }] })).rejects.toThrow('remoteFilter');
    const store = new Store({ model: Task, pageSize: 2, sorters: ['title'] });
    server.reply(page(rows(1, 2), 5));
    await expect(store.load()).rejects.toThrow();
    expect([store.count, store.status.get().loaded, store.total, store.getById(1)]).toEqual([
      0,
      false,
      undefined,
      undefined,
    ]);
  });

  test('may sort remotely, and still refuses to filter locally', async () => {
    const store = await partly({ remoteSort: true });
    expect(() => store.filter({ property: 'rank', value: 1 })).toThrow(UnsupportedQueryError);
    server.reply(page(rows(1, 2), 5));
    store.sort('title');
    await poll(() => store.status.get().loading).toBe(false);
  });

  test('is assumed while the total is unknown', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('is assumed without pages, too, if the server has more rows', async () => {
    const store = new Store({ model: Task, pageSize: 0 });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('does not become complete by adding records', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2), 3));
    await store.load();
    store.add({ title: 'new' });
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('becomes complete by appended pages, with each row counted once', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2), 3), page(rows(1, 2), 3), page(rows(3), 3));
    await store.load();
    await store.load({ addRecords: true });
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
    store.add({ title: 'new' });
    await nextPage(store, { addRecords: true });
    store.sort('id', 'DESC');
    expect(shown(store).slice(0, 3)).toEqual([3, 2, 1]);
  });

  test('is complete with all rows loaded, also after erases', async () => {
    const store = new Store({ model: Task, pageSize: 5, proxy: { type: MemoryProxy, data: DATA } });
    await store.load();
    store.remove(...store.getRange(0, 1));
    await store.sync();
    store.sort('id', 'DESC');
    expect(shown(store)).toEqual([4, 3, 2]);
    await store.load();
    expect(shown(store)).toEqual([4, 3, 2]);
  });

  test('is not assumed before the first load', () => {
    const store = new Store({ model: Task, pageSize: 2 });
    store.sort('title');
    store.add({ title: 'b' }, { title: 'a' });
    expect([...store].map((task) => task.title)).toEqual(['a', 'b']);
  });
});

describe('a filterFn with remoteFilter', () => {
  const filterFn = ({ id }: Task) => id !== 2;
  const remedy = 'set `allowPartial: true`';

  test('is refused, because it would filter only the loaded page (H8)', async () => {
    expect(() => new Store({ model: Task, remoteFilter: true, filters: [{ filterFn }] })).toThrow(
      UnsupportedQueryError,
    );
    const store = new Store({ model: Task, remoteFilter: true, pageSize: 0 });
    server.reply(page(DATA));
    await store.load();
    for (const call of [
      () => store.filter({ filterFn }),
      () => store.setQuery(store.query.with({ filters: [...store.query.filters, { filterFn }] })),
      () => store.filter(filterFn as never),
      () => store.filter({ not: { filterFn } }),
      () => store.filter({ or: [{ property: 'id', value: 1 }, { and: [{ filterFn }] }] }),
    ]) {
      expect(call).toThrow(UnsupportedQueryError);
      expect(call).toThrow(remedy);
    }
    expect([store.query.filters, shown(store), server.requests.length]).toEqual([[], [1, 2, 3, 4], 1]);
  });

  test('works in a view, and has no effect when it is disabled', async () => {
    const disabled = { filterFn, disabled: true };
    const store = new Store({ model: Task, remoteFilter: true, pageSize: 0, filters: [disabled] });
    server.reply(page(DATA));
    await store.load();
    expect([shown(store), shown(viewOf(store, { filters: [{ filterFn }] }))]).toEqual([
      [1, 2, 3, 4],
      [1, 3, 4],
    ]);
  });

  test('is refused inside a tree of filters, even with `allowPartial: true`', () => {
    const store = new Store({ model: Task, remoteFilter: true, allowPartial: true });
    expect(() => store.filter({ or: [{ property: 'id', value: 1 }, { filterFn }] })).toThrow(UnsupportedQueryError);
  });
});

describe('functions together with remote queries', () => {
  test('run locally with `allowPartial: true`, and are not sent (H8)', async () => {
    const store = new Store({
      model: Task,
      pageSize: 0,
      remoteSort: true,
      remoteFilter: true,
      allowPartial: true,
      sorters: [{ sorterFn: (a, b) => b.id - a.id }],
      filters: [{ filterFn: (task) => task.id !== 2 }, { property: 'rank', operator: '!=', value: 7 }],
    });
    server.reply(page(DATA));
    await store.load();
    expect(Object.fromEntries(server.last.query)).toEqual({
      filter: '[{"property":"rank","operator":"!=","value":7}]',
    });
    expect(shown(store)).toEqual([4, 3, 1]);
  });
});

describe('holdEdited', () => {
  const held = (config: Partial<ConstructorParameters<typeof Store<Task>>[0]>) =>
    tasks({ holdEdited: true, ...config });

  test('keeps edited records at their place until they are saved', async () => {
    const store = held({ sorters: ['title'], proxy: { type: MemoryProxy, data: DATA } });
    const apple = at(store, 3);
    apple.title = 'zucchini';
    expect(shown(store)).toEqual([3, 2, 1, 4]);
    await store.sync();
    expect(shown(store)).toEqual([2, 1, 4, 3]);
  });

  test('keeps edited records shown or hidden, whether or not they match the filters', () => {
    const store = held({ filters: [{ property: 'rank', value: 3 }] });
    at(store, 1).rank = 5;
    at(store, 3).rank = 3;
    expect(shown(store)).toEqual([1, 4]);
    at(store, 1).commit();
    at(store, 3).commit();
    expect(shown(store)).toEqual([3, 4]);
  });

  test.each<[string, Partial<ConstructorParameters<typeof Store<Task>>[0]>]>([
    ['sorters by getters', { sorters: ['label'] }],
    ['sorters by calculated fields', { sorters: ['size', 'title'] }],
    ['sorter functions', { sorters: [{ sorterFn: (a, b) => (a.title as string).localeCompare(b.title as string) }] }],
    ['filter functions', { filters: [{ filterFn: (task) => task.$.data.title !== 'fig' && !task.$.modified.title }] }],
    ['groups', { grouper: 'title' }],
  ])('applies to %s', (_, config) => {
    const store = held(config);
    const before = shown(store);
    at(store, 3).title = 'zzzzzzzzz';
    at(store, 1).rank = 0;
    expect(shown(store)).toEqual(before);
    store.reject();
    expect(shown(store)).toEqual(before);
    at(store, 3).set({ title: 'zzzzzzzzz', rank: 9 });
    at(store, 3).commit();
    expect(shown(store)).toEqual(
      shown(
        tasks({ ...config, data: DATA.map((row) => (row.id === 3 ? { ...row, title: 'zzzzzzzzz', rank: 9 } : row)) }),
      ),
    );
  });

  test('does not change the values of the record', () => {
    const store = held({ sorters: ['title'] });
    const apple = at(store, 3);
    apple.title = 'zucchini';
    expect([store.getAt(0), store.getAt(0)?.title, apple.dirty, apple.$.modified]).toEqual([
      apple,
      'zucchini',
      true,
      { title: 'zucchini' },
    ]);
  });

  test('applies to new records too, which stay at the place of their first values', () => {
    const store = held({ sorters: ['title'] });
    const [added] = store.add({ title: 'grape' }) as [Task];
    expect(shown(store)).toEqual([3, 2, added.getId(), 1, 4]);
    added.title = 'aaa';
    expect(shown(store)).toEqual([3, 2, added.getId(), 1, 4]);
  });
});
