import fc from 'fast-check';
import {
  differenceOf,
  type Filter,
  MemoryProxy,
  Model,
  type Operation,
  type RecordView,
  type ResultSet,
  Store,
  viewOf,
} from 'repose';
import { expect, test } from 'vitest';

/** The order of teams for sorters; groups are in the order of the teams' names. */
const RANKS = ['red', 'green', 'blue'];

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    team: { type: 'string', sortType: (team: string) => RANKS.indexOf(team) },
    hours: 'int',
    due: { type: 'date', allowNull: true },
    double: {
      type: 'int',
      calculate: (task: { get(name: string): unknown }) => Number(task.get('hours')) * 2,
    },
  },
  proxy: { type: MemoryProxy },
}) {
  get label(): string {
    return `${this.team}/${this.title}`;
  }
}

type Name = 'id' | 'title' | 'team' | 'hours' | 'due' | 'double' | 'label';
const text = fc.constantFrom('a', 'b', 'B', 'ä', '', 'zz');
const values = fc.record({
  title: text,
  team: fc.constantFrom('red', 'blue', 'green'),
  hours: fc.nat({ max: 5 }),
  due: fc.option(fc.nat({ max: 3 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString())),
});
const name = fc.constantFrom<Name>('id', 'title', 'team', 'hours', 'due', 'double', 'label');
const sorters = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ property: name, direction: fc.constantFrom('ASC' as const, 'DESC' as const) }),
    },
    fc.constant({ sorterFn: (a: Task, b: Task) => (a.title as string).length - (b.title as string).length }),
    fc.constant({ property: 'title' as const, locale: new Intl.Collator('de', { sensitivity: 'base' }) }),
    fc.constant({ property: 'title' as const, transform: (title: string) => title.length }),
    fc.record({
      property: fc.constantFrom('due' as const, 'title' as const, 'hours' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
      nulls: fc.constantFrom('first' as const, 'last' as const),
      sortType: fc.constantFrom(undefined, 'textCi' as const),
    }) as fc.Arbitrary<{ property: 'due' | 'title' | 'hours'; nulls: 'first' | 'last' }>,
    fc.constant({ property: 'due' as const, transform: (due: Date) => due.getUTCDate() % 2 }),
  ),
  { maxLength: 3 },
);
const filters = fc.array(
  fc.oneof(
    fc.record({
      property: fc.constant('hours' as const),
      operator: fc.constantFrom('ge' as const, 'lt' as const),
      value: fc.nat({ max: 5 }),
    }),
    fc.record({ property: fc.constant('team' as const), value: fc.constantFrom('red', 'blue') }),
    fc.constant({ property: 'due' as const, operator: 'isNull' as const }),
    fc.constant({ property: 'title' as const, value: 'B', convert: (title: string) => title.toLowerCase() }),
    fc.constant({ property: 'hours' as const, value: null, disableOnEmpty: true }),
    fc.constant({ filterFn: (task: Task) => task.hours !== 2 }),
    fc.constant({
      or: [{ property: 'team' as const, value: 'red' }, { not: { property: 'hours' as const, value: 1 } }],
    }),
  ),
  { maxLength: 2 },
);
const grouper = fc.option(fc.constantFrom<'team' | 'hours'>('team', 'hours'), { nil: undefined });
const at = fc.nat({ max: 399 });
const which = fc.nat({ max: 2 });

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('edit' as const), at, values }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add' as const), rows: fc.array(values, { maxLength: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('insert' as const), at, rows: fc.array(values, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), from: at, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), at, count: fc.nat({ max: 3 }) }) },
  fc.record({ do: fc.constant('reject' as const), at }),
  fc.record({ do: fc.constant('commit' as const), at }),
  fc.record({ do: fc.constantFrom('reject' as const, 'commit' as const, 'removeAll' as const) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sort' as const), which, sorters }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('filter' as const), which, filters }) },
  fc.record({ do: fc.constant('group' as const), which, grouper }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('load' as const),
      rows: fc.array(values, { maxLength: 150 }),
      append: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Rows that may differ from one load to the next. */
class Server extends MemoryProxy {
  server: MemoryProxy | undefined;

  override read(operation: Operation): Promise<ResultSet> {
    return this.server ? this.server.read(operation) : super.read(operation);
  }
}

/** The records that a listener knows from changes alone. */
class Replica {
  rows: Task[];
  private texts: Map<Task, string>;

  constructor(private readonly view: RecordView<Task>) {
    this.rows = view.getRange();
    this.texts = new Map(this.rows.map((task) => [task, textOf(task)]));
    view.on('change', (change) => {
      const { splices, added, removed, moved } = differenceOf(change);
      const { updated } = change;
      const before = this.rows;
      this.rows = [...before];
      for (const { index, remove, records } of splices) this.rows.splice(index, remove, ...records);
      const [was, is] = [new Set(before), new Set(this.rows)];
      this.failures.push(
        ...check(
          'added',
          added,
          this.rows.filter((task) => !was.has(task)),
        ),
        ...check(
          'removed',
          removed,
          before.filter((task) => !is.has(task)),
        ),
      );
      const stays = (task: Task) => was.has(task) && is.has(task) && !moved.includes(task);
      const [old, now] = [before.filter(stays), this.rows.filter(stays)];
      if (old.some((task, i) => task !== now[i])) this.failures.push('moved tells too little');
      for (const task of [...added, ...updated]) this.texts.set(task, textOf(task));
      if (added.length + removed.length + moved.length + updated.length === 0) this.failures.push('an empty change');
    });
  }

  readonly failures: string[] = [];

  check(): void {
    this.view.flush();
    expect(this.failures).toEqual([]);
    expect(this.rows.map(textOf)).toEqual(this.view.getRange().map(textOf));
    expect(this.rows.map((task) => this.texts.get(task))).toEqual(this.rows.map(textOf));
  }
}

function check(what: string, reported: readonly Task[], found: readonly Task[]): string[] {
  const [a, b] = [new Set(reported), new Set(found)];
  return a.size === b.size && reported.length === a.size && [...a].every((each) => b.has(each))
    ? []
    : [`${what} is wrong`];
}

function textOf(task: Task): string {
  return JSON.stringify(task);
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [a, b].map((each) => (each instanceof Date ? each.getTime() : each));
  if (left === null || left === undefined || right === null || right === undefined)
    return Number(left !== null && left !== undefined) - Number(right !== null && right !== undefined);
  return (left as number) < (right as number) ? -1 : (left as number) > (right as number) ? 1 : 0;
}

/** The records that a view should show, computed only from values read from records. */
function fromScratch(view: RecordView<Task>, store: RecordView<Task>, source: readonly Task[]): Task[] {
  const holds = (task: Task, filter: Filter): boolean => {
    if (filter.filterFn) return (filter.filterFn as (task: Task) => boolean)(task);
    if (filter.or) return filter.or.some((each) => holds(task, each));
    if (filter.not) return !holds(task, filter.not);
    if (filter.disableOnEmpty) return true;
    const value = task[filter.property as 'hours' | 'team' | 'due'] as unknown;
    if (filter.convert) return String(value).toLowerCase() === String(filter.value).toLowerCase();
    if (filter.operator === 'isNull') return value === null || value === undefined;
    if (filter.operator === 'ge') return (value as number) >= (filter.value as number);
    if (filter.operator === 'lt') return (value as number) < (filter.value as number);
    return value === filter.value;
  };
  const keysOf = ({ query: { groupers, sorters } }: RecordView<Task>) => [
    ...groupers.map((grouper) => ({ sorter: grouper as (typeof sorters)[number], isGrouper: true })),
    ...sorters.map((sorter) => ({ sorter, isGrouper: false })),
  ];
  // A view without sorters keeps the order of its store.
  const keys = [...keysOf(view), ...(view.query.sorters.length > 0 || view === store ? [] : keysOf(store))];
  return source
    .filter((task) => view.query.filters.every((filter) => holds(task, filter)))
    .map((task, i) => ({ task, i }))
    .sort((a, b) => {
      for (const { sorter, isGrouper } of keys) {
        const { property, direction, sorterFn, locale, transform, sortType, nulls } = sorter;
        const ranked = property === 'team' && !isGrouper ? (team: string) => RANKS.indexOf(team) : undefined;
        const lower = sortType && ((value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value));
        const keyOf = (transform ?? lower ?? ranked) as ((value: unknown) => unknown) | undefined;
        const [x, y] = [a, b].map(({ task }) => {
          const value = task[property as Name];
          return keyOf && value !== null && value !== undefined ? keyOf(value) : value;
        });
        const [lacksX, lacksY] = [x, y].map((value) => Number(value === null || value === undefined)) as [
          number,
          number,
        ];
        if (nulls && (lacksX || lacksY)) {
          if (lacksX === lacksY) continue;
          return (lacksX - lacksY) * (nulls === 'first' ? -1 : 1);
        }
        const order = sorterFn
          ? (sorterFn as (a: Task, b: Task) => number)(a.task, b.task)
          : locale
            ? (locale as Intl.Collator).compare(String(x), String(y))
            : compare(x, y);
        if (order !== 0) return direction === 'DESC' ? -order : order;
      }
      return a.i - b.i;
    })
    .map(({ task }) => task);
}

async function run(
  store: Store<Task>,
  views: readonly RecordView<Task>[],
  plain: RecordView<Task>,
  given: Step,
): Promise<void> {
  const pick = (place: number) => plain.getAt(plain.count === 0 ? 0 : place % plain.count);
  const task = 'at' in given ? pick(given.at) : undefined;
  switch (given.do) {
    case 'edit':
      task?.set({ ...given.values, due: given.values.due === null ? null : new Date(given.values.due) });
      return;
    case 'add':
      store.add(...(given.rows as object[]));
      return;
    case 'insert':
      store.insert(store.count === 0 ? 0 : given.at % store.count, ...(given.rows as object[]));
      return;
    case 'move': {
      const from = pick(given.from);
      if (from) store.insert(store.count === 0 ? 0 : given.at % store.count, from);
      return;
    }
    case 'remove':
      store.remove(...plain.getRange(given.at, given.at + given.count));
      return;
    case 'reject':
      task?.reject();
      return;
    case 'commit':
      task?.commit();
      return;
    case 'sort':
      views[given.which]?.sort(given.sorters as never);
      return;
    case 'filter':
      views[given.which]?.filter(given.filters as never);
      return;
    case 'group':
      if (given.grouper) views[given.which]?.group(given.grouper);
      else views[given.which]?.group([]);
      return;
    case 'flush':
      views[given.which]?.flush();
      return;
    case 'load': {
      const rows = given.rows.map((row, i) => ({ id: i + 1 + (given.append ? 120 : 0), ...row }));
      (store.proxy as Server).server = new MemoryProxy({ data: rows });
      await store.load({ addRecords: given.append });
      return;
    }
    default:
      store[given.do]();
  }
}

test('every live view equals one computed from scratch, and replaying its events gives the same list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { maxLength: 300 }),
      fc.array(fc.record({ sorters, filters }), { minLength: 3, maxLength: 3 }),
      fc.array(step, { maxLength: 25 }),
      async (rows, queries, steps) => {
        const store = new Store({
          model: Task,
          // The steps load rows in ways that only an application knows, so the store must never ask the server to sort or filter.
          ...{ pageSize: 0, remoteSort: false, remoteFilter: false },
          proxy: new Server({ data: rows.map((row, i) => ({ id: i + 1, ...row })) }),
        });
        await store.load();
        // All records are equal in this order, so that it is the one in which they came.
        const plain = viewOf(store, { sorters: [{ sorterFn: () => 0 }] });
        const views = [store, viewOf(store, queries[1] as never), viewOf(store, queries[2] as never)] as const;
        store.sort(queries[0]?.sorters as never);
        store.filter(queries[0]?.filters as never);
        const replicas = views.map((view) => new Replica(view));
        for (const each of steps) {
          await run(store, views, plain, each);
          const source = plain.getRange();
          for (const view of views) {
            const expected = fromScratch(view, store, source);
            expect(view.getRange().map(textOf)).toEqual(expected.map(textOf));
            expect(view.getRange()).toEqual(expected);
            expect(view.count).toBe(expected.length);
            const some = expected[expected.length >> 1];
            if (some) expect(view.indexOf(some)).toBe(expected.length >> 1);
          }
        }
        for (const replica of replicas) replica.check();
      },
    ),
    { numRuns: 60 },
  );
});
