import { bigint, decimal, MemoryProxy, Model, Store, UnsupportedQueryError, viewOf } from 'repose';
import { type Group, groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    team: { type: 'string', allowNull: true },
    state: 'string',
    hours: { type: 'number', allowNull: true },
    cost: decimal({ allowNull: true }),
    bytes: bigint({ allowNull: true }),
    due: { type: 'date', allowNull: true },
    note: 'auto',
  },
  proxy: { type: MemoryProxy },
}) {}

const data = [
  { id: 1, team: 'red', state: 'open', hours: 4, cost: '0.1', due: new Date('2026-03-01') },
  { id: 2, team: 'blue', state: 'open', hours: 2, cost: '0.2', due: new Date('2026-01-01') },
  { id: 3, team: 'red', state: 'done', hours: 8, cost: '0.30', due: null },
  { id: 4, team: null, state: 'open', hours: null, cost: null, due: null },
];
const keys = (all: Iterable<{ readonly key: unknown }>): unknown[] => [...all].map(({ key }) => key);
const byTeam = () =>
  new Store({ model: Task, data, groups: groups({ by: ['team'], summaries: { hours: ['sum', 'count'] } }) });
const record = (store: Store<Task>, id: number): Task => store.getById(id) as Task;

describe('summaries', () => {
  /** The summaries of one property over the given values. */
  function summarise(name: 'hours' | 'cost' | 'bytes' | 'due' | 'note' | 'team', values: readonly unknown[]): unknown {
    const kinds = ['count', 'sum', 'average', 'min', 'max'] as const;
    const rows = values.map((value, i) => ({ id: i + 1, [name]: value }));
    const store = new Store({ model: Task, data: rows as object[], groups: groups({ summaries: { [name]: kinds } }) });
    return (store.groups.summaries as Record<string, unknown>)[name];
  }

  test('of numbers ignore missing values and values that are not numbers', () => {
    expect(summarise('hours', [2, null, undefined, Number.NaN, 4])).toEqual({
      ...{ count: 2, sum: 6, average: 3, min: 2, max: 4 },
    });
  });

  test('of no values are null, and their sum is 0', () => {
    const nothing = { count: 0, average: null, min: null, max: null };
    expect(summarise('hours', [])).toEqual({ ...nothing, sum: 0 });
    expect(summarise('hours', [null, Number.NaN])).toEqual({ ...nothing, sum: 0 });
    expect(summarise('cost', [null])).toEqual({ ...nothing, sum: '0' });
    expect(summarise('bytes', [null])).toEqual({ ...nothing, sum: 0n });
  });

  test('give functions the records of a view in the order of its store', () => {
    const store = new Store({ model: Task, data, sorters: [{ property: 'id', direction: 'DESC' }] });
    const ids = (records: readonly Task[]) => records.map(({ id }) => id).join();
    const view = viewOf(store, { groups: groups({ by: ['state'], summaries: { ids } }) });
    expect([...view.groups].map(({ summaries }) => summaries.ids)).toEqual(['3', '4,2,1']);
    store.sort('id');
    expect([...view.groups].map(({ summaries }) => summaries.ids)).toEqual(['3', '1,2,4']);
  });

  test('of decimals keep every digit', () => {
    expect(summarise('cost', ['0.1', '0.2', '-100.30', '12345678901234567890.001'])).toEqual({
      ...{ count: 4, sum: '12345678901234567790.001', average: Number('12345678901234567790.001') / 4 },
      ...{ min: '-100.30', max: '12345678901234567890.001' },
    });
    expect(summarise('cost', ['-0.1', '0.05'])).toMatchObject({ sum: '-0.05' });
  });

  test('of bigints keep every digit', () => {
    expect(summarise('bytes', [9007199254740993n, 1n, -2n])).toMatchObject({
      ...{ count: 3, sum: 9007199254740992n, min: -2n, max: 9007199254740993n },
    });
  });

  test('of dates are the first and the last date, as copies', () => {
    const days = ['2026-03-01', '2026-01-01', '2026-02-01'].map((day) => new Date(day));
    const found = summarise('due', [...days, null]) as { min: Date; max: Date; count: number };
    expect(found).toMatchObject({ count: 3, min: days[1], max: days[0] });
    found.min.setFullYear(1999);
    expect(summarise('due', days)).toMatchObject({ min: days[1] });
  });

  test('of texts and mixed values count all values, and add up the numbers', () => {
    expect(summarise('team', ['b', 'a', ''])).toMatchObject({ count: 3, min: '', max: 'b', sum: 0, average: null });
    expect(summarise('note', [1, 'x', 2n, true])).toMatchObject({ count: 4, sum: 3, average: 1.5 });
  });

  test('of numbers stay exact, however often a value is edited', () => {
    const store = new Store({ model: Task, data, groups: groups({ summaries: { hours: 'sum', cost: 'sum' } }) });
    expect(store.groups.summaries).toEqual({ hours: 14, cost: '0.60' });
    for (let i = 0; i < 50; i += 1) {
      record(store, 1).set({ hours: 0.1 * i, cost: '1e' });
      expect(store.groups.summaries.hours).toBe(0.1 * i + 2 + 8);
      record(store, 1).set({ hours: 1e20, cost: `${i}.125` });
      expect(store.groups.summaries.cost).toBe(`${i}.625`);
    }
    store.reject();
    expect(store.groups.summaries).toEqual({ hours: 14, cost: '0.60' });
  });

  test('of one function are its value; several functions give a frozen object', () => {
    const store = new Store({
      model: Task,
      data,
      groups: groups({ by: ['team'], summaries: { hours: 'sum', cost: ['sum'] } }),
    });
    expect([...store.groups].map((group) => group.summaries)).toEqual([
      { hours: 0, cost: { sum: '0' } },
      { hours: 2, cost: { sum: '0.2' } },
      { hours: 12, cost: { sum: '0.40' } },
    ]);
    expect(Object.isFrozen(store.groups.summaries)).toBe(true);
    expect(Object.isFrozen(store.groups.summaries.cost)).toBe(true);
  });

  test('by a function receive the records of the group in their order, and follow changes', () => {
    let calls = 0;
    const states = (records: readonly Task[]) => {
      calls += 1;
      return records.map(({ state }) => state).join();
    };
    const store = new Store({
      model: Task,
      data,
      sorters: [{ property: 'hours', direction: 'desc' }],
      groups: groups({ by: ['team'], summaries: { states } }),
    });
    const red = store.groups.get('red');
    expect(red?.summaries.states).toBe('done,open');
    expect(red?.summaries).toBe(red?.summaries);
    expect(calls).toBe(1);
    record(store, 1).state = 'late';
    expect(red?.summaries.states).toBe('done,late');
    expect(store.groups.summaries.states).toBe('open,open,done,late');
  });

  test('with unknown names are refused', () => {
    const make = (options: object) => () => new Store({ model: Task, groups: groups(options) as never });
    expect(make({ summaries: { hours: 'median' } })).toThrow(UnsupportedQueryError);
    expect(make({ summaries: { huors: 'sum' } })).toThrow(UnsupportedQueryError);
  });
});

describe('groups', () => {
  test('are in the order of their keys, and a group without a key comes first', () => {
    const store = byTeam();
    expect(keys(store.groups)).toEqual([null, 'blue', 'red']);
    store.group('team', 'desc');
    expect(keys(store.groups)).toEqual(['red', 'blue', null]);
    expect(store.groups.by).toEqual([{ property: 'team', direction: 'DESC' }]);
  });

  test('can be nested, and know their records and places', () => {
    const store = new Store({ model: Task, data, groups: groups({ by: ['team', 'state'] }) });
    const red = store.groups.get('red');
    expect(red).toMatchObject({ count: 2, level: 0, field: 'team', index: 2, start: 2, parent: undefined });
    expect(keys(red?.groups ?? [])).toEqual(['done', 'open']);
    const open = store.groups.get('red', 'open');
    expect(open).toMatchObject({ count: 1, level: 1, field: 'state', index: 1, start: 3, groups: [] });
    expect(open?.parent).toBe(red);
    expect(open?.records).toEqual([store.getById(1)]);
    expect(red?.records).toBe(red?.records);
    expect(store.groups.get('red', 'late')).toBeUndefined();
    expect(store.groups.get()).toBeUndefined();
  });

  test('appear and disappear with their records, and keep their identity in between', () => {
    const store = byTeam();
    const [none, blue, red] = store.groups.groups as [Group<Task>, Group<Task>, Group<Task>];
    record(store, 2).team = 'green';
    expect(keys(store.groups)).toEqual([null, 'green', 'red']);
    expect(blue).toMatchObject({ count: 0, index: -1, start: -1, records: [] });
    record(store, 4).team = 'red';
    expect(none.count).toBe(0);
    expect(store.groups.get('red')).toBe(red);
    expect(red.records.map(({ id }) => id)).toEqual([1, 3, 4]);
  });

  test('keep their identity while their only record moves inside', () => {
    const store = new Store({ model: Task, data, groups: groups({ by: ['team', 'state'] }) });
    expect(store.count).toBe(4);
    const blue = store.groups.get('blue');
    record(store, 2).state = 'done';
    expect(store.groups.get('blue')).toBe(blue);
    expect(keys(blue?.groups ?? [])).toEqual(['done']);
  });

  test('follow additions, removals, rejected and committed edits', () => {
    const store = byTeam();
    const red = () => store.groups.get('red')?.summaries.hours;
    expect(red()).toEqual({ sum: 12, count: 2 });
    const [added] = store.add({ team: 'red', hours: 1 });
    expect(red()).toEqual({ sum: 13, count: 3 });
    store.remove(record(store, 3));
    expect(red()).toEqual({ sum: 5, count: 2 });
    record(store, 1).hours = 5;
    expect(red()).toEqual({ sum: 6, count: 2 });
    record(store, 1).commit();
    store.reject();
    expect(added?.phantom).toBe(true);
    expect(red()).toEqual({ sum: 13, count: 2 });
    store.removeAll();
    expect(store.groups).toMatchObject({ count: 0, groups: [], summaries: { hours: { sum: 0, count: 0 } } });
  });

  test('contain only the records that are shown', async () => {
    const store = new Store({
      model: Task,
      proxy: { type: MemoryProxy, data },
      pageSize: 0,
      groups: groups({ by: ['team'] }),
    });
    expect(store.groups.count).toBe(0);
    await store.load();
    store.filter({ property: 'hours', operator: 'gt', value: 3 });
    expect(keys(store.groups)).toEqual(['red']);
    store.group([]);
    expect(store.groups).toMatchObject({ count: 2, groups: [] });
  });

  test('have copies of dates as keys, and the first spelling of a decimal', () => {
    const rows = [{ cost: '1.0' }, { cost: '1.00' }, { cost: '2' }].map((row, i) => ({
      ...row,
      id: i + 1,
      due: new Date(0),
    }));
    const store = new Store({ model: Task, data: rows, groups: groups({ by: ['cost'] }) });
    expect(keys(store.groups)).toEqual(['1.0', '2']);
    store.remove(record(store, 1));
    expect(keys(store.groups)).toEqual(['1.00', '2']);
    store.group('due');
    const [epoch] = keys(store.groups) as [Date];
    epoch.setTime(5);
    expect(keys(store.groups)).toEqual([new Date(0)]);
  });

  test('keep their identity when an edit makes two keys equal', () => {
    class Bill extends Model.define({ fields: { id: 'int', cost: decimal(), payer: 'string' } }) {
      get initial(): string {
        return (this.payer as string).slice(0, 1);
      }
    }
    const bills = [{ cost: '2' }, { cost: '1.0' }].map((row, i) => ({ ...row, id: i + 1, payer: 'Ada' }));
    const store = new Store({ model: Bill, data: bills, groups: groups({ by: ['initial', 'cost'] }) });
    const ada = store.groups.get('A');
    expect(store.getAt(0)).toBe(store.getById(2));
    store.getById(1)?.set({ cost: '1' });
    expect(store.groups.get('A')).toBe(ada);
    expect(keys(ada?.groups ?? [])).toEqual(['1']);
  });

  test('keep edited records in place with `holdEdited`', () => {
    const store = new Store({
      model: Task,
      data,
      holdEdited: true,
      groups: groups({ by: ['team'], summaries: { hours: 'sum' } }),
    });
    record(store, 1).set({ team: 'blue', hours: 100 });
    expect(store.groups.get('red')?.summaries.hours).toBe(108);
    record(store, 1).commit();
    expect(store.groups.get('blue')?.summaries.hours).toBe(102);
  });

  test('of a store sorted by the server are runs of records', async () => {
    const proxy = { type: MemoryProxy, data } as const;
    const store = new Store({
      ...{ model: Task, proxy, pageSize: 0, remoteSort: true },
      groups: groups({ by: ['state'] }),
    });
    await store.load();
    store.batch(() => {
      for (const task of store) task.state = ['a', 'b', 'a', 'a'][task.id - 1] as string;
    });
    const runs = () => {
      const all = store.getRange();
      return all.flatMap(({ id, state }, i) => (all[i - 1]?.state === state ? [id] : [state, id]));
    };
    const found = () => [...store.groups].flatMap(({ key, records }) => [key, ...records.map(({ id }) => id)]);
    expect(new Set(store.groups).size).toBe([...store.groups].length);
    expect(found()).toEqual(runs());
    const [first] = store.groups.groups;
    expect(store.groups.get(first?.key)).toBe(first);
    for (const state of ['b', 'a', 'b']) {
      store.add({ state });
      expect(found()).toEqual(runs());
    }
    expect(keys(store.groups).length).toBeGreaterThan(new Set(keys(store.groups)).size);
  });

  test('of a view are separate from those of the store, and end with the view', () => {
    const store = byTeam();
    const view = viewOf(store, { filters: [{ property: 'team', value: 'red' }], groups: groups({ by: ['state'] }) });
    const done = view.groups.get('done');
    expect(keys(view.groups)).toEqual(['done', 'open']);
    record(store, 3).state = 'open';
    expect(keys(view.groups)).toEqual(['open']);
    view.dispose();
    expect(view.groups.count).toBe(0);
    expect(done?.count).toBe(0);
    expect(store.groups.count).toBe(4);
  });

  test('work in stores of the small entry, and do not exist without the option', () => {
    const store = new Store({ model: Task, groupField: 'state', groups: groups({}), data });
    expect(keys(store.groups)).toEqual(['done', 'open']);
    expect(new Store({ model: Task }).groups).toBeUndefined();
  });

  test('by an unknown property are refused', () => {
    const unknown = groups({ by: ['taem'] }) as never;
    expect(() => new Store({ model: Task, data, groups: unknown })).toThrow(UnsupportedQueryError);
    const store = new Store({ model: Task, groups: unknown });
    expect(() => (store.groups as { count: number } | undefined)?.count).toThrow(UnsupportedQueryError);
  });
});

describe('change events of groups', () => {
  test('come once per batch, with added, removed and changed groups', () => {
    const store = byTeam();
    const told: (readonly [unknown[], unknown[], unknown[]])[] = [];
    const stop = store.groups.on('change', ({ added, removed, changed }) =>
      told.push([keys(added), keys(removed), keys(changed)]),
    );
    store.batch(() => {
      record(store, 2).team = 'red';
      record(store, 1).hours = 1;
      store.add({ team: 'green' });
    });
    expect(told).toEqual([[['green'], ['blue'], ['red']]]);
    record(store, 1).state = 'done';
    store.flush();
    expect(told).toHaveLength(1);
    stop();
    record(store, 1).team = 'blue';
    store.flush();
    expect(told).toHaveLength(1);
  });

  test('come after those of the store, when the groups are up to date', async () => {
    const store = byTeam();
    const order: unknown[] = [];
    store.on('change', () => order.push('store'));
    store.groups.on('change', ({ version }) =>
      order.push(version === store.groups.version, store.groups.get('red')?.count),
    );
    store.add({ team: 'red' });
    await Promise.resolve();
    expect(order).toEqual(['store', true, 3]);
  });

  test('give a new listener only later changes, and the others the earlier ones first', () => {
    const store = byTeam();
    const told: string[] = [];
    const listen = (name: string) =>
      store.groups.on('change', ({ added, removed }) => told.push(`${name} +${keys(added)} -${keys(removed)}`));
    listen('first');
    record(store, 2).team = 'green';
    listen('second');
    expect(told).toEqual(['first +green -blue']);
    record(store, 2).team = 'blue';
    store.flush();
    expect(told.slice(1)).toEqual(['first +blue -green', 'second +blue -green']);
  });

  test('end with their view', () => {
    const store = byTeam();
    const view = viewOf(store, { groups: groups({ by: ['team'] }) });
    let calls = 0;
    view.groups.on('change', () => (calls += 1));
    record(store, 1).team = 'blue';
    view.dispose();
    record(store, 1).team = 'green';
    store.flush();
    view.flush();
    expect(calls).toBe(0);
  });
});
