import {
  AbortError,
  decimal,
  differenceOf,
  embed,
  MemoryProxy,
  Model,
  Store,
  UnsupportedQueryError,
  type View,
  viewOf,
} from 'repose';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: { type: MemoryProxy },
}) {}

const titles = (records: Iterable<Task>): string => [...records].map(({ title }) => title).join();

test.each([
  { sorters: ['nope'] },
  { filters: [{ property: 'nope', value: 1 }] },
  { grouper: 'nope' },
  { groups: groups({ by: ['nope'] }) },
  { groups: groups({ summaries: { nope: 'sum' } }) },
])('a view by an unknown property is refused, and leaves the store unchanged: %o', (config) => {
  const store = new Store({ model: Task, data: [{ id: 1, title: 'a' }] });
  expect(() => viewOf(store, config as never)).toThrow(UnsupportedQueryError);
  store.add({ title: 'b' });
  (store.getAt(0) as Task).title = 'c';
  expect(titles(store)).toBe('c,b');
});

test.each<[string, (view: View<Task>, task: Task) => unknown]>([
  ['add', (view) => view.add({ title: 'b' })],
  ['insert', (view) => view.insert(0, { title: 'b' })],
  ['remove', (view, task) => view.remove(task)],
])('a view that was disposed of refuses %s(), and the store does not change', (_, call) => {
  const store = new Store({ model: Task, data: [{ id: 1, title: 'a' }] });
  const view = viewOf(store);
  const task = view.getAt(0) as Task;
  view.dispose();
  const calling = () => call(view, task);
  expect(calling).toThrow(AbortError);
  expect(calling).toThrow('The view was disposed of: open another one with `store.view()`');
  expect([
    titles(store),
    view.count,
    [...store.pending.created, ...store.pending.edited],
    store.pending.removed,
  ]).toEqual(['a', 0, [], []]);
});

test('set() with one invalid value leaves the record and its place unchanged', () => {
  class Note extends Model.define({
    fields: { id: 'int', title: 'string', more: 'json' },
    proxy: { type: MemoryProxy },
  }) {}
  const data = ['a', 'b'].map((title, i) => ({ id: i + 1, title }));
  const store = new Store({ model: Note, data, sorters: ['title'] });
  const note = store.getAt(0) as Note;
  const circle: { self?: object } = {};
  circle.self = circle;
  expect(() => note.set({ title: 'c', more: circle })).toThrow();
  expect([note.title, note.dirty, store.indexOf(note)]).toEqual(['a', false, 0]);
});

describe('adding and removing through a view', () => {
  const data = ['b', 'd', 'f'].map((title, i) => ({ id: i + 1, title }));
  const late = { property: 'title', operator: 'gt', value: 'c' } as const;
  const open = () => {
    const store = new Store({ model: Task, data });
    return { store, sorted: viewOf(store, { sorters: ['title'] }), late: viewOf(store, { filters: [late] }) };
  };

  test('adds to the store, and the view shows a new record at its sorted place if its filters match', () => {
    const { store, sorted, late } = open();
    const [added] = sorted.add({ title: 'c' }) as [Task];
    expect([added.phantom, store.pending.created]).toEqual([true, [added]]);
    expect([titles(store), titles(sorted), titles(late)]).toEqual(['b,d,f,c', 'b,c,d,f', 'd,f']);
    expect(late.add({ title: 'a' }).map(({ title }) => title)).toEqual(['a']);
    expect([titles(store), titles(late)]).toEqual(['b,d,f,c,a', 'd,f']);
  });

  test('inserts into the store before the record that the view shows at the index', () => {
    const { store, sorted, late } = open();
    late.insert(0, { title: 'x' }, { title: 'y' });
    expect([titles(store), titles(late), titles(sorted)]).toEqual(['b,x,y,d,f', 'x,y,d,f', 'b,d,f,x,y']);
    late.insert(99, { title: 'z' });
    sorted.insert(1, { title: 'a' });
    expect([titles(store), titles(sorted)]).toEqual(['b,x,y,a,d,f,z', 'a,b,d,f,x,y,z']);
  });

  test('removes from the store, and sync() erases the record', () => {
    const { store, sorted, late } = open();
    const [d] = late.getRange() as [Task];
    expect(late.remove(d)).toEqual([d]);
    expect(late.remove(d)).toEqual([]);
    expect([sorted.remove(...sorted.getRange(1, 2))[0]?.title, sorted.remove(...sorted.getRange(5, 6))[0]]).toEqual([
      'f',
      undefined,
    ]);
    expect([titles(store), titles(sorted), titles(late)]).toEqual(['b', 'b', '']);
    expect(titles(store.pending.removed)).toBe('d,f');
  });

  test('refuses what the store refuses', () => {
    const { store, sorted } = open();
    expect(() => sorted.add({ id: 1, title: 'again' })).toThrow(expect.objectContaining({ code: 'duplicate' }));
    expect(() => sorted.add({ titel: 'x' } as never)).toThrow(expect.objectContaining({ code: 'field' }));
    expect(() => sorted.add([{ title: 'x' }] as never)).toThrow(expect.objectContaining({ code: 'foreign' }));
    expect(() => sorted.remove(store.getRange() as never)).toThrow(expect.objectContaining({ code: 'foreign' }));
    expect(titles(store)).toBe('b,d,f');
  });
});

describe('sorting', () => {
  class Price extends Model.define({
    fields: { id: 'int', any: 'auto', due: 'date', cost: decimal() },
    proxy: { type: MemoryProxy },
  }) {}
  /** Adds enough records to be sorted by columns, and edits some of them. */
  const check = (store: Store<Price>, values: readonly object[]) => {
    store.add(...Array.from({ length: 200 }, (_, i) => values[i % values.length] as never));
    for (const i of [7, 77, 177]) (store.getAt(i) as Price).set(values[i % values.length] as never);
    const view = viewOf(store, { sorters: store.query.sorters as never });
    expect(view.getRange()).toEqual(store.getRange());
    expect(store.getRange().map((record) => store.indexOf(record))).toEqual(store.getRange().map((_, i) => i));
    store.remove(...store.getRange(50, 60));
    expect(store.count).toBe(190);
  };
  const locale = new Intl.Collator('de', { numeric: true });

  test('by a collator compares dates and other non-texts as without it', () => {
    const store = new Store({ model: Price, sorters: [{ property: 'due', locale }] });
    check(
      store,
      [9, 11, 10, 8].map((month) => ({ due: new Date(Date.UTC(2026, month, 1)) })),
    );
    expect(new Set(store.getRange().map(({ due }) => due?.getUTCMonth()))).toEqual(new Set([8, 9, 10, 11]));
  });

  test.each([['any' as const], ['cost' as const]])('by `%s` accepts values of any kind', (property) => {
    const values = [Number.NaN, 'b', 'a10', 'a9', null, '2', 1, true, new Date(0), 1e-7, '1.0', '1', [2], 3n, -0];
    const sorter = property === 'any' ? { property, locale } : property;
    check(
      new Store({ model: Price, sorters: [sorter] }),
      values.map((value) => ({ [property]: value })),
    );
  });

  test('by decimals accepts numbers from the server', async () => {
    const rows = [{ cost: '10' }, { cost: 1e-7 }, { cost: '9.50' }, { cost: true }, { cost: null }];
    const proxy = new MemoryProxy({ data: rows.map((row, i) => ({ id: i + 1, ...row })) });
    const store = new Store({ model: Price, pageSize: 0, proxy, sorters: ['cost'] });
    await store.load();
    const ids = () => store.getRange().map(({ id }) => id);
    expect(ids()).toEqual([5, 2, 4, 3, 1]);
    store.filter({ property: 'cost', operator: 'gt', value: 9.6 as never });
    expect(ids()).toEqual([1]);
    store.filter({ property: 'cost', operator: 'in', value: [9.5, 10] as never });
    expect(ids()).toEqual([3, 1]);
  });
});

describe('edits of embedded records', () => {
  class Address extends Model.define({ fields: { city: 'string' } }) {}
  class User extends Model.define({
    fields: { id: 'int', name: 'string', address: embed(Address) },
    proxy: { type: MemoryProxy },
  }) {
    get city(): string {
      return this.address.city ?? '';
    }
  }
  const data = ['a', 'b', 'c'].map((city, i) => ({ id: i + 1, name: 'x', address: { city } }));
  const cities = (records: Iterable<User>): string => [...records].map(({ city }) => city).join();

  test('are applied by comparing only the record that holds the embedded one', async () => {
    const store = new Store({ model: User, pageSize: 0, proxy: { type: MemoryProxy, data } });
    await store.load();
    let looks = 0;
    const filterFn = ({ city }: User): boolean => {
      looks += 1;
      return city !== 'none';
    };
    const view = viewOf(store, { filters: [{ filterFn }], sorters: ['city'] });
    expect(cities(view)).toBe('a,b,c');
    const events: string[] = [];
    view.on('change', (change) => {
      const { moved, removed } = differenceOf(change);
      events.push(`>${cities(moved)} -${cities(removed)}`);
    });
    const [first, second] = [view.getAt(0), view.getAt(1)] as [User, User];
    looks = 0;
    first.address.city = 'd';
    second.address.city = 'none';
    view.flush();
    expect([cities(view), looks, events]).toEqual(['c,d', 2, ['>d -none']]);
    store.reject();
    expect(cities(view)).toBe('a,b,c');
  });

  test('keep a record at its place with `holdEdited`', async () => {
    const filters = [{ filterFn: ({ city }: User) => city !== 'none' }];
    const config = { holdEdited: true, filters, sorters: ['city' as const] };
    const store = new Store({ model: User, pageSize: 0, proxy: { type: MemoryProxy, data }, ...config });
    await store.load();
    const [first, second] = [store.getAt(0), store.getAt(1)] as [User, User];
    first.address.city = 'd';
    second.address.city = 'none';
    expect(cities(store)).toBe('d,none,c');
    expect(cities(viewOf(store, config))).toBe('d,none,c');
    expect([first.dirty, first.address.dirty]).toEqual([true, true]);
    await store.sync();
    expect(cities(store)).toBe('c,d');
  });

  test('move the record, though its place was computed without edits before', async () => {
    const Dated = class extends Model.define({
      fields: { id: 'int', name: 'string', due: 'date', address: embed(Address) },
      proxy: { type: MemoryProxy, data: data.map((row) => ({ ...row, due: '2026-01-02T03:04:05Z' })) },
    }) {
      get city(): string {
        return this.address.city ?? '';
      }
    };
    const store = new Store({ model: Dated, pageSize: 0 });
    await store.load();
    const view = viewOf(store, { sorters: ['city'], holdEdited: true });
    const last = store.getAt(store.count - 1) as InstanceType<typeof Dated>;
    expect((last.due as Date).getTime()).toBeGreaterThan(0);
    last.name = 'edited';
    expect(view.count).toBe(3);
    for (const city of ['b2', 'a2', 'd']) {
      last.address.city = city;
      expect([view.count, view.indexOf(last), last.address.dirty]).toEqual([3, 2, true]);
    }
    last.reject();
    expect([...view].map(({ city }) => city)).toEqual(['a', 'b', 'c']);
  });
});

test('a getter is evaluated for each comparison, since values outside the record may change it', () => {
  let rate = 1;
  class Price extends Model.define({ fields: { id: 'int', price: 'number' }, proxy: { type: MemoryProxy } }) {
    get local(): number {
      return (this.price as number) * rate;
    }
  }
  for (const [count, direction] of [
    [20, 'DESC'],
    [100, 'ASC'],
    [300, 'DESC'],
    [600, 'ASC'],
  ] as const) {
    rate = 1;
    const data = Array.from({ length: count }, (_, i) => ({ id: i + 1, price: ((i * 37) % count) + 1 }));
    const store = new Store({ model: Price, data, sorters: [{ property: 'local', direction }] });
    for (let i = 0; i < 60; i += 1) (store.getAt((i * 13) % count) as Price).price = ((i * 71) % count) + 0.5;
    rate = 0.5;
    for (let i = 0; i < 20; i += 1) {
      store.add({ price: ((i * 31) % count) + 0.25 });
      const prices = [...store].map(({ price }) => price);
      expect(prices).toEqual(
        [...prices].sort((a, b) => (direction === 'ASC' ? Number(a) - Number(b) : Number(b) - Number(a))),
      );
    }
  }
});

describe('a function of the application that throws', () => {
  /** A store with views whose functions throw for the title `bad`, and others that show the same records. */
  const setting = async () => {
    const proxy = new MemoryProxy({ data: ['a', 'b', 'c'].map((title, i) => ({ id: i + 1, title })) });
    const store = new Store({ model: Task, pageSize: 0, sorters: ['title'], proxy });
    await store.load();
    const refuse = ({ title }: Task) => {
      if (title === 'bad') throw new Error('refused');
      return true;
    };
    const filtered = viewOf(store, { sorters: ['title'], filters: [{ filterFn: refuse }] });
    const sorted = viewOf(store, { sorters: [{ sorterFn: (a, b) => Number(refuse(a)) - Number(refuse(b)) }] });
    const later = viewOf(store, { sorters: ['title'] });
    const other = new Store({ model: Task, sorters: ['title'] });
    other.add(...store);
    const read = () => [store, filtered, sorted, later, other].map(titles);
    expect(read()).toEqual(new Array(5).fill('a,b,c'));
    return { store, filtered, sorted, later, other, read };
  };

  test('makes reads of its own view throw, and no others', async () => {
    const { store, filtered, sorted, later, other, read } = await setting();
    const task = store.getById(1) as Task;
    task.title = 'bad';
    expect([store, later, other].map(titles)).toEqual(['b,bad,c', 'b,bad,c', 'b,bad,c']);
    for (const view of [filtered, sorted]) expect(() => view.count).toThrow('refused');
    task.title = 'b2';
    expect(read()).toEqual(['b,b2,c', 'b,b2,c', 'b2,b,c', 'b,b2,c', 'b,b2,c']);
    task.title = 'd';
    store.remove(store.getAt(0) as Task);
    expect(read()).toEqual(['c,d', 'c,d', 'd,c', 'c,d', 'b,c,d']);
  });

  test('does not prevent adding and removing', async () => {
    const { store, filtered, sorted, later, read } = await setting();
    const [bad] = store.add({ title: 'bad' }) as [Task];
    expect([store, later].map(titles)).toEqual(['a,b,bad,c', 'a,b,bad,c']);
    for (const view of [filtered, sorted]) expect(() => view.count).toThrow('refused');
    store.remove(bad);
    expect(read()).toEqual(new Array(5).fill('a,b,c'));
  });

  test('does not turn a successful write into a failure', async () => {
    const { store } = await setting();
    let breaks = false;
    const refuse = () => {
      if (breaks) throw new Error('refused');
      return true;
    };
    const view = viewOf(store, { filters: [{ filterFn: refuse }] });
    const [task] = store.add({ title: 'd' }) as [Task];
    expect(titles(view)).toBe('a,b,c,d');
    breaks = true;
    const { failures } = await store.sync();
    expect([failures, task.phantom, task.$.error]).toEqual([[], false, undefined]);
    expect(store.getById(4)).toBe(task);
    expect(() => view.count).toThrow('refused');
    breaks = false;
    expect(titles(view)).toBe('a,b,c,d');
  });

  test('delays change events, but loses none', async () => {
    const { store, filtered } = await setting();
    const events: string[] = [];
    filtered.on('change', ({ updated }) => events.push(titles(updated)));
    const [first, second] = [store.getById(1), store.getById(2)] as [Task, Task];
    first.title = 'bad';
    second.title = 'b2';
    expect(() => filtered.flush()).toThrow('refused');
    first.title = 'a2';
    filtered.flush();
    expect(events).toEqual(['a2,b2']);
  });

  test('while groups are computed does not stop later events', () => {
    class Ticket extends Model.define({ fields: { id: 'int', due: 'json' }, proxy: { type: MemoryProxy } }) {
      get year(): number {
        return (this.due as { year: number }).year;
      }
    }
    const data = [{ id: 1, due: { year: 2026 } }];
    const store = new Store({ model: Ticket, data, remoteSort: true, groups: groups({ by: ['year'] }) });
    const events: string[] = [];
    store.on('change', () => events.push('store'));
    store.groups.on('change', () => events.push('groups'));
    const ticket = store.getAt(0) as Ticket;
    ticket.due = null;
    expect(() => store.flush()).toThrow(TypeError);
    ticket.due = { year: 2027 };
    store.flush();
    expect(events).toEqual(['store', 'store', 'groups']);
    expect(store.groups.groups.map(({ key }) => key)).toEqual([2027]);
  });
});

test('sorting by a calculated field evaluates it again, since values outside the record may change it', () => {
  let more = 0;
  class Item extends Model.define({
    ...{ name: 'item', proxy: { type: MemoryProxy } },
    fields: { id: 'int', n: 'int', total: { type: 'int', calculate: ({ n }: { n: number }) => n + more } },
  }) {}
  const data = Array.from({ length: 600 }, (_, i) => ({ id: i + 1, n: i * 2 }));
  const store = new Store({ model: Item, pageSize: 0, data });
  const view = viewOf(store, { sorters: [{ property: 'total' }] });
  view.getRange();
  for (more of [11, -11]) {
    for (const id of [30, 300, 590]) {
      const item = store.getById(id) as Item;
      item.n = Number(item.n) + 1;
      const totals = view.getRange().map(({ total }) => total);
      expect(totals).toEqual([...totals].sort((a, b) => a - b));
      expect(new Set(view.getRange()).size).toBe(600);
    }
  }
});
