import { type FilterConfig, MemoryProxy, Model, type SorterConfig, Store, UnsupportedQueryError } from 'repose';
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
    price: 'decimal',
    size: { calculate: (task: { title: string }) => task.title.length },
  },
  proxy: server.proxy('/tasks', { reader: { rootProperty: 'rows' } }),
}) {
  get label() {
    return `${this.rank}-${this.title}`;
  }
  shout() {
    return this.title.toUpperCase();
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
/** So many rows that they are not looked at one by one. */
const manyOf = <R extends object>(row: (i: number) => R, count = 100) =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, ...row(i) }));

describe('sort', () => {
  test.each<[string, SorterConfig<Task> | SorterConfig<Task>[], number[]]>([
    ['a name', 'title', [3, 2, 1, 4]],
    ['a property', { property: 'title' }, [3, 2, 1, 4]],
    ['a property and a direction', { property: 'title', direction: 'desc' }, [4, 1, 2, 3]],
    ['null first, and in the order of arrival where equal', 'rank', [2, 3, 1, 4]],
    ['null last downwards', { property: 'rank', direction: 'DESC' }, [1, 4, 3, 2]],
    ['several keys', [{ property: 'rank', direction: 'DESC' }, 'title'], [1, 4, 3, 2]],
    ['several keys, the second downwards', ['rank', { property: 'title', direction: 'DESC' }], [2, 3, 4, 1]],
    ['decimals by their digits', ['price', 'title'], [2, 1, 4, 3]],
    ['a calculated field', 'size', [2, 1, 4, 3]],
    ['a getter of the class body', 'label', [3, 1, 4, 2]],
    ['a function', { sorterFn: (a, b) => b.id - a.id }, [4, 3, 2, 1]],
    ['a function, downwards', { sorterFn: (a, b) => b.id - a.id, direction: 'DESC' }, [1, 2, 3, 4]],
    ['nothing', [], [1, 2, 3, 4]],
  ])('by %s', (_, sorters, expected) => {
    const store = tasks();
    store.sort(sorters);
    expect(shown(store)).toEqual(expected);
    expect(shown(tasks({ sorters: Array.isArray(sorters) ? sorters : [sorters] }))).toEqual(expected);
  });

  test('by a name and a direction, in upper case or lower', () => {
    const store = tasks();
    store.sort('title', 'desc');
    expect(shown(store)).toEqual([4, 1, 2, 3]);
    expect(store.sorters).toEqual([{ property: 'title', direction: 'DESC' }]);
    store.sort('title', 'ASC');
    expect(shown(store)).toEqual([3, 2, 1, 4]);
  });

  test('gives frozen values', () => {
    const store = tasks();
    store.sort(['title']);
    expect([store.sorters, store.sorters[0]].every(Object.isFrozen)).toBe(true);
    store.filter({ property: 'rank', operator: 'in', value: [1, 2] });
    expect([store.filters, store.filters[0], store.filters[0]?.value].every(Object.isFrozen)).toBe(true);
    store.group('rank');
    expect(Object.isFrozen(store.grouper)).toBe(true);
  });

  test('applies to edits at once, and to what is added', () => {
    const store = tasks({ sorters: ['title'] });
    at(store, 3).title = 'zucchini';
    expect(shown(store)).toEqual([2, 1, 4, 3]);
    store.add({ id: 5, title: 'grape' });
    expect(shown(store)).toEqual([2, 5, 1, 4, 3]);
    store.insert(0, { id: 6, title: 'quince' });
    expect(shown(store)).toEqual([2, 5, 1, 4, 6, 3]);
  });
});

describe('an order', () => {
  test('puts a date that is none first, and finds it there', () => {
    const store = new Store({ model: Task, data: manyOf((i) => ({ due: new Date(i) })), sorters: ['due'] });
    const task = at(store, 50);
    expect(store.indexOf(task)).toBe(49);
    task.due = new Date(Number.NaN);
    expect(store.indexOf(task)).toBe(0);
    store.remove(at(store, 1), task);
    expect([store.count, store.first()?.id]).toEqual([98, 2]);
  });

  test('keeps nothing of the dates that it looks at', () => {
    const store = new Store({ model: Task });
    store.add(...manyOf((i) => ({ due: new Date(i).toISOString() })).map((row) => Task.fromRow(row)));
    store.sort('due', 'DESC');
    expect([store.first()?.id, inner(store.first() as Task)[CACHE]]).toEqual([100, undefined]);
  });

  test('follows a record inside another, whatever came before', () => {
    const Place = Model.define({ fields: { id: 'int', city: 'string' } });
    class Shop extends Model.define({ fields: { id: 'int', size: 'int', place: Place } }) {
      get city() {
        return this.place?.city;
      }
    }
    const shop = (id: number, city: string) => Shop.fromRow({ id, size: 1, place: { city } });
    const store = new Store({ model: Shop, sorters: ['city'] });
    store.add(...['b', 'c', 'd', 'e'].map((city, i) => shop(i + 1, city)));
    expect(store.count).toBe(4);
    const second = store.getAt(1) as Shop;
    // Nothing changes.
    second.size = 1;
    store.add(shop(5, 'a'));
    store.remove(store.getById(4) as Shop);
    (second.place as { city?: string }).city = 'z';
    expect(shown(store)).toEqual([5, 1, 3, 2]);
  });
});

describe('filter', () => {
  test.each<[string, FilterConfig<Task> | FilterConfig<Task>[], number[]]>([
    ['a value', { property: 'rank', value: 3 }, [1, 4]],
    [
      'several, all of which must hold',
      [
        { property: 'rank', value: 3 },
        { property: 'title', operator: 'startsWith', value: 'pl' },
      ],
      [4],
    ],
    [
      'two on one property',
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
      'a tree',
      { not: { or: [{ property: 'rank', value: 1 }, { and: [{ property: 'id', operator: '<', value: 3 }] }] } },
      [4],
    ],
    ['a function', { filterFn: (task) => task.shout() === 'FIG' }, [2]],
    ['a disabled one not at all', { property: 'rank', value: 3, disabled: true }, [1, 2, 3, 4]],
    ['disabled parts of a tree not at all', { or: [{ property: 'rank', value: 3, disabled: true }] }, [1, 2, 3, 4]],
    ['not of a disabled one not at all', { not: { property: 'rank', value: 3, disabled: true } }, [1, 2, 3, 4]],
    ['and of nothing', { and: [] }, [1, 2, 3, 4]],
    ['nothing', [], [1, 2, 3, 4]],
  ])('by %s', (_, filters, expected) => {
    const store = tasks();
    store.filter(filters);
    expect(shown(store)).toEqual(expected);
    expect(shown(tasks({ filters: Array.isArray(filters) ? filters : [filters] }))).toEqual(expected);
  });

  test('by a tree that is disabled as a whole not at all', () => {
    const store = tasks();
    store.filter({ or: [{ property: 'rank', value: 3 }], disabled: true } as never);
    expect(store.count).toBe(4);
  });

  test('takes the place of the filters before; addFilter adds to them', () => {
    const store = tasks();
    store.filter({ property: 'rank', value: 3 });
    store.addFilter({ property: 'title', value: 'plum' });
    expect(shown(store)).toEqual([4]);
    store.clearFilter('rank');
    expect(store.filters).toEqual([{ property: 'title', value: 'plum' }]);
    store.addFilter({ property: 'title', value: 'fig' }, { property: 'id', value: 2 });
    expect(shown(store)).toEqual([]);
    store.clearFilter('title');
    expect(shown(store)).toEqual([2]);
    store.filter({ property: 'title', value: 'pear' });
    expect(shown(store)).toEqual([1]);
    store.clearFilter();
    expect([store.count, store.filters]).toEqual([4, []]);
  });

  test('applies to edits at once; what it hides is still there', () => {
    const store = tasks({ filters: [{ property: 'rank', value: 3 }] });
    at(store, 1).rank = 4;
    at(store, 3).rank = 3;
    expect(shown(store)).toEqual([3, 4]);
    expect(store.getById(1)?.title).toBe('pear');
    expect(shown(store.getUpdatedRecords())).toEqual([1, 3]);
  });

  test('by a calculated date sees what it is calculated from change', () => {
    const Event = Model.define({
      fields: { id: 'int', start: 'int', end: { type: 'date', calculate: ({ start }) => new Date(start * 1000) } },
    });
    const store = new Store({ model: Event, data: manyOf(() => ({ start: 1 })) });
    const late = { property: 'end', operator: 'gt', value: new Date(5000) } as const;
    store.filter(late as never);
    expect(store.count).toBe(0);
    store.clearFilter();
    Object.assign(store.getAt(7) as object, { start: 9 });
    store.filter(late as never);
    expect(shown(store)).toEqual([8]);
  });

  test.each(['isNull', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'nin'])(
    'of many dates by %s goes as of few, also where some are none',
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

  test('is not changed by what its caller does to the value later', () => {
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

describe('group', () => {
  test('puts the records of a group together, in its order, sorted inside', () => {
    const store = tasks({ sorters: [{ property: 'title', direction: 'DESC' }] });
    store.group('rank');
    expect(shown(store)).toEqual([2, 3, 4, 1]);
    store.group('rank', 'DESC');
    expect(shown(store)).toEqual([4, 1, 3, 2]);
    expect(store.grouper).toEqual({ property: 'rank', direction: 'DESC' });
    store.group({ property: 'size', direction: 'desc' });
    expect(shown(store)).toEqual([3, 4, 1, 2]);
    store.clearGrouping();
    expect([shown(store), store.grouper]).toEqual([[4, 1, 2, 3], undefined]);
  });

  test('can be configured, in a short form too', () => {
    expect(shown(tasks({ grouper: 'label' }))).toEqual([3, 1, 4, 2]);
    expect(shown(tasks({ grouper: { property: 'rank', direction: 'DESC' } }))).toEqual([1, 4, 3, 2]);
    expect(shown(tasks({ groupField: 'rank' }))).toEqual([2, 3, 1, 4]);
    expect(shown(tasks({ groupField: 'rank', groupDir: 'DESC' }))).toEqual([1, 4, 3, 2]);
  });

  test('follows remoteSort', async () => {
    const store = new Store({ model: Task, remoteSort: true, groupField: 'rank', groupDir: 'DESC' });
    server.reply(page(DATA));
    await store.load();
    expect(server.last.query.get('group')).toBe('{"property":"rank","direction":"DESC"}');
    expect(shown(store)).toEqual([1, 2, 3, 4]);
  });
});

describe('an unknown property', () => {
  const bad = { property: 'nope', value: 1 } as never;
  test.each<[string, (store: Store<Task>) => void]>([
    ['a sorter', (store) => store.sort('nope' as never)],
    ['one of several sorters', (store) => store.sort(['title', 'nope' as never])],
    ['a method', (store) => store.sort('shout' as never)],
    ['a member of every record', (store) => store.sort('phantom' as never)],
    ['a member of every object', (store) => store.sort('constructor' as never)],
    ['__proto__', (store) => store.sort('__proto__' as never)],
    ['a filter', (store) => store.filter(bad)],
    ['an added filter', (store) => store.addFilter(bad)],
    ['a filter in a tree', (store) => store.filter({ or: [{ not: { and: [bad] } }] })],
    ['a group', (store) => store.group('nope' as never)],
  ])('as %s is refused at the call with UnsupportedQueryError; nothing changes', async (_, call) => {
    const store = tasks({ sorters: ['title'], filters: [{ property: 'rank', value: 3 }], grouper: 'rank' });
    const before = [store.sorters, store.filters, store.grouper, store.getSnapshot()];
    expect(() => call(store)).toThrow(UnsupportedQueryError);
    await tick();
    expect([store.sorters, store.filters, store.grouper, store.getSnapshot()]).toEqual(before);
  });

  test('names the property and the model', () => {
    expect(() => tasks().sort('nope' as never)).toThrow(
      "task has no field 'nope'; its fields are id, title, rank, due, price, size",
    );
  });

  test('in a config with data is refused by the constructor', () => {
    expect(() => tasks({ sorters: ['nope' as never] })).toThrow(UnsupportedQueryError);
    expect(() => tasks({ filters: [bad] })).toThrow(UnsupportedQueryError);
    expect(() => tasks({ grouper: 'nope' as never })).toThrow(UnsupportedQueryError);
  });

  test('in a config without data shows when it is applied', async () => {
    const store = new Store({ model: Task, sorters: ['nope' as never] });
    server.reply(page(DATA));
    await expect(store.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(store.loaded).toBe(false);
    store.sort('title');
    expect(store.count).toBe(0);
  });

  test('is the server’s affair where the query is', async () => {
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
    'a sorter %o is none',
    (given) => {
      expect(() => tasks().sort([given as never])).toThrow(UnsupportedQueryError);
    },
  );

  test.each([null, 5, 'title', {}, { value: 3 }])('a filter %o is none', (given) => {
    expect(() => tasks().filter([given as never])).toThrow(UnsupportedQueryError);
  });

  test.each([null, 5, {}, { sorterFn: () => 0 }])('a grouper %o is none', (given) => {
    expect(() => tasks().group(given as never)).toThrow(UnsupportedQueryError);
  });

  test('an unknown operator is refused at the call', () => {
    const store = tasks();
    expect(() => store.filter({ property: 'rank', operator: 'almost', value: 1 } as never)).toThrow(
      "The local dialect cannot express the operator 'almost': use one of eq, ne, lt",
    );
  });
});

describe('a partly loaded store', () => {
  const partly = async (config: object = {}) => {
    const store = new Store({ model: Task, pageSize: 2, ...config });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    return store;
  };

  test('refuses to sort, filter and group locally; nothing changes', async () => {
    const store = await partly();
    for (const call of [
      () => store.sort('title'),
      () => store.filter({ property: 'rank', value: 1 }),
      () => store.addFilter({ filterFn: () => true }),
      () => store.group('rank'),
    ]) {
      expect(call).toThrow(UnsupportedQueryError);
    }
    expect(() => store.sort('title')).toThrow(
      /^Only a part of the collection is loaded, so sorting it here would mislead: set `remoteSort: true` .* load everything with `pageSize: 0`, or set `allowPartial: true`/,
    );
    expect(() => store.filter({ property: 'rank', value: 1 })).toThrow(
      'filtering it here would mislead: set `remoteFilter: true`',
    );
    expect([store.sorters, store.filters, store.grouper, store.count]).toEqual([[], [], undefined, 2]);
  });

  test('may always be told to sort, filter and group by nothing', async () => {
    const store = await partly();
    store.sort([]);
    store.clearFilter();
    store.clearGrouping();
    expect(store.count).toBe(2);
  });

  test('with `allowPartial: true` sorts and filters what is loaded', async () => {
    const store = await partly({ allowPartial: true, sorters: [{ property: 'id', direction: 'DESC' }] });
    expect(shown(store)).toEqual([2, 1]);
    store.filter({ property: 'id', value: 1 });
    expect(shown(store)).toEqual([1]);
  });

  test('refuses its first load where a sorter of the config is local; nothing is taken in', async () => {
    await expect(partly({ sorters: ['title'] })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ filters: [{ property: 'rank', value: 1 }] })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ grouper: 'rank' })).rejects.toBeInstanceOf(UnsupportedQueryError);
    await expect(partly({ remoteFilter: true, filters: [{ filterFn: () => true }] })).rejects.toThrow('remoteFilter');
    const store = new Store({ model: Task, pageSize: 2, sorters: ['title'] });
    server.reply(page(rows(1, 2), 5));
    await expect(store.load()).rejects.toThrow();
    expect([store.count, store.loaded, store.totalCount, store.getById(1)]).toEqual([0, false, undefined, undefined]);
  });

  test('sorts remotely and filters locally, each on its own', async () => {
    const store = await partly({ remoteSort: true });
    expect(() => store.filter({ property: 'rank', value: 1 })).toThrow(UnsupportedQueryError);
    server.reply(page(rows(1, 2), 5));
    store.sort('title');
    await poll(() => store.loading).toBe(false);
  });

  test('is one whose total is unknown', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2)));
    await store.load();
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('is one without pages, too, if the server has more', async () => {
    const store = new Store({ model: Task, pageSize: 0 });
    server.reply(page(rows(1, 2), 5));
    await store.load();
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('does not become a whole one by what is added here', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2), 3));
    await store.load();
    store.add({ title: 'new' });
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
  });

  test('becomes a whole one by appending, counting each row once', async () => {
    const store = new Store({ model: Task, pageSize: 2 });
    server.reply(page(rows(1, 2), 3), page(rows(1, 2), 3), page(rows(3), 3));
    await store.load();
    await store.load({ addRecords: true });
    expect(() => store.sort('title')).toThrow(UnsupportedQueryError);
    store.add({ title: 'new' });
    await store.nextPage({ addRecords: true });
    store.sort('id', 'DESC');
    expect(shown(store).slice(0, 3)).toEqual([3, 2, 1]);
  });

  test('is none when all rows are here, also after some have been erased', async () => {
    const store = new Store({ model: Task, pageSize: 5, proxy: { type: MemoryProxy, data: DATA } });
    await store.load();
    store.removeAt(0);
    await store.sync();
    store.sort('id', 'DESC');
    expect(shown(store)).toEqual([4, 3, 2]);
    await store.load();
    expect(shown(store)).toEqual([4, 3, 2]);
  });

  test('is none before anything is loaded', () => {
    const store = new Store({ model: Task, pageSize: 2 });
    store.sort('title');
    store.add({ title: 'b' }, { title: 'a' });
    expect([...store].map((task) => task.title)).toEqual(['a', 'b']);
  });
});

describe('a filterFn under remoteFilter', () => {
  const filterFn = ({ id }: Task) => id !== 2;
  const remedy = 'set `allowPartial: true`';

  test('is refused, because it would filter the loaded page only (H8)', async () => {
    expect(() => new Store({ model: Task, remoteFilter: true, filters: [{ filterFn }] })).toThrow(
      UnsupportedQueryError,
    );
    const store = new Store({ model: Task, remoteFilter: true, pageSize: 0 });
    server.reply(page(DATA));
    await store.load();
    for (const call of [
      () => store.filter({ filterFn }),
      () => store.addFilter({ filterFn }),
      () => store.filter(filterFn as never),
      () => store.filter({ not: { filterFn } }),
      () => store.filter({ or: [{ property: 'id', value: 1 }, { and: [{ filterFn }] }] }),
    ]) {
      expect(call).toThrow(UnsupportedQueryError);
      expect(call).toThrow(remedy);
    }
    expect([store.filters, shown(store), server.requests.length]).toEqual([[], [1, 2, 3, 4], 1]);
  });

  test('works in a view of the store, and where it is disabled does nothing', async () => {
    const disabled = { filterFn, disabled: true };
    const store = new Store({ model: Task, remoteFilter: true, pageSize: 0, filters: [disabled] });
    server.reply(page(DATA));
    await store.load();
    expect([shown(store), shown(store.view({ filters: [{ filterFn }] }))]).toEqual([
      [1, 2, 3, 4],
      [1, 3, 4],
    ]);
  });

  test('is refused inside a tree of filters also with `allowPartial: true`', () => {
    const store = new Store({ model: Task, remoteFilter: true, allowPartial: true });
    expect(() => store.filter({ or: [{ property: 'id', value: 1 }, { filterFn }] })).toThrow(UnsupportedQueryError);
  });
});

describe('functions beside remote queries', () => {
  test('work locally with `allowPartial: true` and leave no trace on the wire (H8)', async () => {
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

  test('keeps edited records in place until they are saved', async () => {
    const store = held({ sorters: ['title'], proxy: { type: MemoryProxy, data: DATA } });
    const apple = at(store, 3);
    apple.title = 'zucchini';
    expect(shown(store)).toEqual([3, 2, 1, 4]);
    await store.sync();
    expect(shown(store)).toEqual([2, 1, 4, 3]);
  });

  test('keeps them shown, and hidden, whatever the filter says of the edit', () => {
    const store = held({ filters: [{ property: 'rank', value: 3 }] });
    at(store, 1).rank = 5;
    at(store, 3).rank = 3;
    expect(shown(store)).toEqual([1, 4]);
    at(store, 1).commit();
    at(store, 3).commit();
    expect(shown(store)).toEqual([3, 4]);
  });

  test.each<[string, Partial<ConstructorParameters<typeof Store<Task>>[0]>]>([
    ['getters of the class body', { sorters: ['label'] }],
    ['calculated fields', { sorters: ['size', 'title'] }],
    ['functions', { sorters: [{ sorterFn: (a, b) => a.title.localeCompare(b.title) }] }],
    ['filter functions', { filters: [{ filterFn: (task) => task.$.data.title !== 'fig' && !task.$.modified.title }] }],
    ['groups', { grouper: 'title' }],
  ])('holds for %s', (_, config) => {
    const store = held(config);
    const before = shown(store);
    at(store, 3).title = 'zzzzzzzzz';
    at(store, 1).rank = 0;
    expect(shown(store)).toEqual(before);
    store.rejectChanges();
    expect(shown(store)).toEqual(before);
    at(store, 3).set({ title: 'zzzzzzzzz', rank: 9 });
    at(store, 3).commit();
    expect(shown(store)).toEqual(
      shown(
        tasks({ ...config, data: DATA.map((row) => (row.id === 3 ? { ...row, title: 'zzzzzzzzz', rank: 9 } : row)) }),
      ),
    );
  });

  test('leaves the record itself as edited', () => {
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

  test('does not hold new records in the order of the server: they stand by their first values', () => {
    const store = held({ sorters: ['title'] });
    const [added] = store.add({ title: 'grape' }) as [Task];
    expect(shown(store)).toEqual([3, 2, added.getId(), 1, 4]);
    added.title = 'aaa';
    expect(shown(store)).toEqual([3, 2, added.getId(), 1, 4]);
  });
});
