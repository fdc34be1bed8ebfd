import fc from 'fast-check';
import { MemoryProxy, type Operation, type RecordView, type ResultSet, Store, viewOf } from 'repose';
import { type Group, type Groups, groups } from 'repose/groups';
import { expect, test } from 'vitest';
import { before, fromScratch, type Name, now, plain, summaries, Task } from './from-scratch.js';

const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const values = fc.record({
  title: fc.constantFrom('a', 'b', 'ab', ''),
  team: option(fc.constantFrom('red', 'blue', 'green')),
  // Quarters: their sums are exact in any order.
  hours: option(fc.constantFrom(-1, 0, 0.25, 2, 7.5)),
  cost: option(fc.constantFrom('1', '1.0', '1.00', '-0.25', '12345678901234567890.1234')),
  bytes: option(fc.constantFrom('1', '-3', '9007199254740993')),
  due: option(fc.nat({ max: 3 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString())),
});
const by = fc.uniqueArray(
  fc.record({
    property: fc.constantFrom<Name>('team', 'hours', 'cost', 'due', 'double', 'initial'),
    direction: fc.constantFrom('ASC' as const, 'DESC' as const),
  }),
  { maxLength: 3, selector: ({ property }) => property },
);
const sorters = fc.array(
  fc.oneof(
    fc.record({
      property: fc.constantFrom('title' as const, 'hours' as const, 'id' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    }),
    fc.constant({ sorterFn: (a: Task, b: Task) => (a.title as string).length - (b.title as string).length }),
  ),
  { maxLength: 2 },
);
const filters = fc.array(
  fc.oneof(
    fc.constant({ property: 'hours' as const, operator: 'ge' as const, value: 0 }),
    fc.constant({ property: 'team' as const, operator: 'ne' as const, value: 'red' }),
    fc.constant({ filterFn: (task: Task) => task.title !== 'b' }),
  ),
  { maxLength: 2 },
);
const at = fc.nat({ max: 99 });
const which = fc.nat({ max: 2 });
const rows = fc.array(values, { maxLength: 40 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('edit' as const), at, values }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('hours' as const), at, hours: fc.constantFrom(1, 2, Number.NaN) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add' as const), rows: fc.array(values, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('insert' as const), at, rows: fc.array(values, { maxLength: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), at, count: fc.nat({ max: 3 }) }) },
  fc.record({ do: fc.constantFrom('reject' as const, 'commit' as const), at }),
  fc.record({ do: fc.constantFrom('reject' as const, 'commit' as const, 'removeAll' as const) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sort' as const), which, sorters }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('filter' as const), which, filters }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('group' as const), which, by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('load' as const), rows, append: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'look' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Grouped = RecordView<Task> & { readonly groups: Groups<Task> };

/** Rows that may differ from one load to the next. */
class Server extends MemoryProxy {
  server: MemoryProxy | undefined;

  override read(operation: Operation): Promise<ResultSet> {
    return this.server ? this.server.read(operation) : super.read(operation);
  }
}

/** The groups that a listener knows from changes alone. */
class Replica {
  private readonly known: Map<Group<Task>, string>;
  private readonly failures: string[] = [];

  constructor(private readonly view: Grouped) {
    this.known = new Map(inside(view.groups).map((group) => [group, textOf(group)]));
    view.groups.on('change', ({ added, removed, changed, version }) => {
      if (version !== view.groups.version) this.failures.push('version');
      if (added.some((group) => this.known.has(group))) this.failures.push('added');
      if (!removed.every((group) => this.known.delete(group) && group.index === -1 && group.count === 0))
        this.failures.push('removed');
      if (!changed.every((group) => this.known.has(group))) this.failures.push('changed');
      for (const group of [...added, ...changed]) this.known.set(group, textOf(group));
    });
  }

  check(): void {
    this.view.flush();
    expect(this.failures).toEqual([]);
    const groups = inside(this.view.groups);
    expect(new Set(this.known.keys())).toEqual(new Set(groups));
    expect(groups.map((group) => this.known.get(group))).toEqual(groups.map(textOf));
  }
}

function inside({ groups: children }: { readonly groups: readonly Group<Task>[] }): Group<Task>[] {
  return children.flatMap((group) => [group, ...inside(group)]);
}

/** Groups by their own key and the keys of their parents; groups by decimals may be replaced where a key is spelled otherwise. */
function byPath(view: Grouped): Map<string, Group<Task>> {
  const path = (group: Group<Task>): unknown[] => [...(group.parent ? path(group.parent) : []), group.field, group.key];
  const paths = inside(view.groups).map((group) => [JSON.stringify(path(group)), group] as const);
  return new Map(paths.filter(([text]) => !text.includes('"cost"')));
}

/** After one edit, a group with the same path is the same object. */
function expectSame(earlier: Map<string, Group<Task>>, later: Map<string, Group<Task>>): void {
  for (const [path, group] of later) if (earlier.has(path)) expect(earlier.get(path) === group).toBe(true);
}

/** The values that `change` reports for a group: all but its place. */
function textOf(group: Group<Task>): string {
  const { key, count, ids, summaries: all } = plain(group);
  return JSON.stringify([key, count, ids, all], (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

function check(view: Grouped): void {
  const by = view.groups.by;
  const records = view.getRange();
  const expected = fromScratch(
    records,
    by.map(({ property }) => property),
  );
  expect(now(view.groups)).toEqual(expected);
  for (const [i, { property, direction }] of by.entries()) {
    const levels = [view.groups, ...inside(view.groups).filter((group) => group.level < i)];
    for (const { groups: children } of levels.filter((each) => (each as Group<Task>).level === i - 1 || i === 0)) {
      const keys = children.map(({ key }) => key);
      const order = (a: unknown, b: unknown) => (direction === 'DESC' ? before(b, a) : before(a, b));
      if (i === 0 || children[0]?.field === property)
        expect(keys.every((key, at) => at === 0 || order(keys[at - 1], key) < 0)).toBe(true);
    }
  }
  const some = inside(view.groups).at(-1);
  const keys: unknown[] = [];
  for (let group = some; group; group = group.parent) keys.unshift(group.key);
  if (some) expect(view.groups.get(...keys)).toBe(some);
}

async function run(store: Store<Task>, views: readonly Grouped[], all: RecordView<Task>, given: Step): Promise<void> {
  const task = 'at' in given ? all.getAt(all.count === 0 ? 0 : given.at % all.count) : undefined;
  const view = 'which' in given ? (views[given.which] as Grouped) : undefined;
  switch (given.do) {
    case 'edit': {
      const { due, bytes } = given.values;
      task?.set({ ...given.values, due: due && new Date(due), bytes: bytes && BigInt(bytes) } as object);
      return;
    }
    case 'hours':
      task?.set({ hours: given.hours });
      return;
    case 'add':
      store.add(...(given.rows as object[]));
      return;
    case 'insert':
      store.insert(store.count === 0 ? 0 : given.at % store.count, ...(given.rows as object[]));
      return;
    case 'remove':
      store.remove(...all.getRange(given.at, given.at + given.count));
      return;
    case 'reject':
    case 'commit':
      task?.[given.do]();
      return;
    case 'sort':
      view?.sort(given.sorters as never);
      return;
    case 'filter':
      view?.filter(given.filters as never);
      return;
    case 'group':
      view?.group(given.by as never);
      return;
    case 'flush':
      view?.flush();
      return;
    case 'look':
      if (view) check(view);
      return;
    case 'load': {
      const data = given.rows.map((row, i) => ({ id: i + 1 + (given.append ? 30 : 0), ...row }));
      (store.proxy as Server).server = new MemoryProxy({ data });
      await store.load({ addRecords: given.append });
      return;
    }
    default:
      store[given.do]();
  }
}

/** The groups follow what the store itself sorts, also where steps load rows in ways that only an application knows. */
const LOCAL = { remoteSort: false, remoteFilter: false } as const;

test('after any sequence of changes, groups equal those computed from scratch, and their events report every change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { maxLength: 90 }),
      fc.array(fc.record({ by, sorters, filters, holdEdited: fc.constant(false) }), { minLength: 3, maxLength: 3 }),
      fc.array(step, { maxLength: 20 }),
      fc.boolean(),
      async (first, queries, steps, always) => {
        const [own, one, two] = queries.map(({ by: groupers, ...rest }) => ({
          ...rest,
          groups: groups({ by: groupers, summaries }),
        })) as never[];
        const proxy = new Server({ data: first.map((row, i) => ({ id: i + 1, ...row })) });
        const store = new Store<Task>({ model: Task, pageSize: 0, ...LOCAL, proxy, ...(own as unknown as object) });
        await store.load();
        const all = viewOf(store);
        const views = [store, viewOf(store, one), viewOf(store, two)] as unknown as readonly Grouped[];
        const replicas = views.slice(0, 2).map((view) => new Replica(view));
        for (const each of steps) {
          const edits = always && (each.do === 'edit' || each.do === 'hours');
          const known = edits ? views.map(byPath) : [];
          await run(store, views, all, each);
          for (const [i, groupsBefore] of known.entries()) expectSame(groupsBefore, byPath(views[i] as Grouped));
          // Otherwise changes accumulate until the next check.
          if (always) views.forEach(check);
        }
        views.forEach(check);
        for (const replica of replicas) replica.check();
      },
    ),
    { numRuns: 80 },
  );
});
