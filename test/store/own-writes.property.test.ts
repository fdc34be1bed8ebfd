import fc from 'fast-check';
import { action, Model, plain, type RecordWindow, receive, refreshStale, Session, Store, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string', team: 'string', hours: 'int' },
  actions: { change: action({ reply: 'record' }) },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

interface Row {
  readonly id: number;
  readonly title: string;
  readonly team: string;
  readonly hours: number;
}

const TEAMS = ['A', 'B', 'C'];
const rowOf = (id: number, values: Partial<Row> = {}): Row => ({
  ...{ id, title: `t${id}`, team: TEAMS[id % 3] as string, hours: id },
  ...values,
});
const ROWS = Array.from({ length: 12 }, (_, at) => rowOf(at + 1));

/** Lists of four rows each, some of which the server sorts and filters. */
const LISTS = {
  plain: {},
  byTitle: { sorters: ['title'] },
  byTeam: { sorters: ['team'] },
  inTeamA: { filters: [{ property: 'team', value: 'A' }] },
  notTeamA: { filters: [{ property: 'team', operator: 'in', value: ['B', 'C'] }], sorters: ['hours'] },
  found: { remoteFilter: true, filters: [{ property: 'title', operator: 'in', value: ['t1', 't1x'] }] },
  whole: { pageSize: 0, sorters: ['title'], filters: [{ property: 'team', value: 'A' }] },
} as const;
type Name = keyof typeof LISTS;
const namesOf: Record<Name, readonly string[]> = {
  plain: [],
  byTitle: ['title'],
  byTeam: ['team'],
  inTeamA: ['team'],
  notTeamA: ['team', 'hours'],
  found: ['title'],
  whole: [],
};

/** Answers the loads of the lists with their first four rows, and writes as servers do. */
function answer(rows: readonly Row[]): void {
  server.always(({ method, path, query, body }: Received) => {
    const id = Number(path.split('/')[2]);
    if (method === 'POST') return { status: 201, json: { ...(body as object), id: 99 } };
    if (method === 'DELETE') return { status: 204 };
    const row = rows.find((each) => each.id === id);
    if (method === 'PATCH') return { json: { ...row, ...(body as object) } };
    if (row) return { json: row };
    const isAsked = (name: 'team' | 'title', value: string) => {
      const values = query.getAll(name).flatMap((each) => each.split(','));
      return values.length === 0 || values.includes(value);
    };
    const found = rows.filter(({ team, title }) => isAsked('team', team) && isAsked('title', title));
    const given = query.get('limit') === null ? found : found.slice(0, 4);
    return { json: given, headers: { 'X-Total-Count': String(found.length) } };
  });
}

async function world(): Promise<{ session: Session; lists: Record<Name, Store<Task>> }> {
  answer(ROWS);
  const session = new Session();
  const lists = Object.fromEntries(
    Object.entries(LISTS).map(([name, config]) => [
      name,
      new Store({ model: Task, session, pageSize: 4, ...(config as object) }),
    ]),
  ) as Record<Name, Store<Task>>;
  for (const list of Object.values(lists)) await list.load();
  return { session, lists };
}

const change = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    title: fc.constantFrom('a', 't1', 'z'),
    team: fc.constantFrom(...TEAMS),
  }),
  fc.record({
    kind: fc.constant('update' as const),
    id: fc.integer({ min: 1, max: 12 }),
    to: fc.constantFrom<Partial<Row>>({ title: 'a' }, { title: 't1x' }, { team: 'A' }, { team: 'C' }, { hours: 50 }),
  }),
  fc.record({ kind: fc.constant('erase' as const), id: fc.integer({ min: 1, max: 12 }) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Which lists are stale after a change: by a write of this page, and by the same row of a feed. */
async function staleAfter(
  made: Change,
  by: 'own' | 'feed',
): Promise<{ stale: readonly string[]; held: readonly string[] }> {
  const { session, lists } = await world();
  const names = Object.keys(lists) as Name[];
  const id = made.kind === 'create' ? 99 : made.id;
  const held = names.filter((name) => lists[name].getById(id));
  if (made.kind === 'create') {
    const { title, team } = made;
    if (by === 'own') {
      session.add(new Task({ title, team, hours: 7 }));
      await session.sync();
    } else session.receive(Task, [{ id, title, team, hours: 7 }]);
  } else {
    const record = await session.load(Task, id);
    if (made.kind === 'erase') {
      if (by === 'own') await record.erase();
      else session.receive(Task, [], { removed: [id] });
    } else if (by === 'own') await record.set(made.to).save();
    else session.receive(Task, [{ ...rowOf(id), ...made.to }]);
  }
  return { stale: names.filter((name) => lists[name].status.get().stale), held };
}

/** Whether only the one who wrote can know that a list which does not hold the row is right: a feed does not say what the row was before. */
function isKnownByWriter(made: Change, name: Name, isHeld: boolean): boolean {
  if (isHeld || made.kind === 'create') return false;
  if (made.kind === 'erase') return namesOf[name].length > 0;
  const before = rowOf(made.id);
  const changed = Object.entries(made.to).filter(([field, value]) => before[field as keyof Row] !== value);
  return !changed.some(([field]) => namesOf[name].includes(field));
}

/** Whether only the one who wrote can know that the row was on another page of a list, which it has left. */
function isLeftByWriter(made: Change, name: Name, isHeld: boolean): boolean {
  if (isHeld || made.kind !== 'update') return false;
  const passes: Partial<Record<Name, (row: Row) => boolean>> = {
    inTeamA: ({ team }) => team === 'A',
    notTeamA: ({ team }) => team !== 'A',
    found: ({ title }) => ['t1', 't1x'].includes(title),
  };
  const before = rowOf(made.id);
  return Boolean(passes[name]?.(before) && !passes[name]?.({ ...before, ...made.to }));
}

describe('own writes and the rows of a feed', () => {
  test('make the same lists stale', async () => {
    await fc.assert(
      fc.asyncProperty(change, async (made) => {
        const own = await staleAfter(made, 'own');
        const feed = await staleAfter(made, 'feed');
        const differing = feed.stale.filter(
          (name) => !own.stale.includes(name) && !isKnownByWriter(made, name as Name, own.held.includes(name)),
        );
        const extra = own.stale.filter(
          (name) => !feed.stale.includes(name) && !isLeftByWriter(made, name as Name, own.held.includes(name)),
        );
        expect({ differing, extra }).toEqual({ differing: [], extra: [] });
        expect(own.stale).not.toContain('whole');
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});

describe('an own write', () => {
  test.each<[string, Partial<Row>, readonly string[]]>([
    ['of a field that no list asks for', { hours: 50 }, ['notTeamA']],
    ['of the field by which the server sorts', { title: 'zzz' }, ['byTitle', 'found']],
    ['that moves a row to another list', { team: 'A' }, ['byTeam', 'inTeamA', 'notTeamA']],
  ])('%s makes only the lists stale that it may move the row in', async (_, to, stale) => {
    const { lists } = await world();
    await lists.plain.getById(1)?.set(to).save();
    const names = Object.keys(lists) as Name[];
    expect(names.filter((name) => lists[name].status.get().stale)).toEqual(stale);
  });

  test.each<[string, Partial<Row>, readonly string[]]>([
    ['the same row', {}, []],
    ['another value of the field by which the server sorts', { title: 'zzz' }, ['byTitle', 'found']],
    ['a row of another list', { team: 'A' }, ['byTeam', 'inTeamA', 'notTeamA']],
  ])(
    'by an action that answers with %s makes only the lists stale that it may move the row in',
    async (_, to, stale) => {
      const { lists } = await world();
      server.reply({ json: rowOf(1, to) });
      await Task.actions.change(lists.plain.getById(1) as Task);
      const names = Object.keys(lists) as Name[];
      expect(names.filter((name) => lists[name].status.get().stale)).toEqual(stale);
    },
  );

  test('by an action is judged in a list without a session too', async () => {
    answer(ROWS);
    const list = new Store({ model: Task, pageSize: 4, filters: [{ property: 'team', value: 'A' }] });
    await list.load();
    server.reply({ json: rowOf(3, { team: 'B' }) });
    await Task.actions.change(list.getById(3) as Task);
    expect([list.getById(3)?.team, list.status.get().staleReason]).toEqual(['B', 'movedRow']);
  });

  test('is not answered by a load that began before it', async () => {
    const { lists } = await world();
    const held = server.hold();
    const loading = lists.byTitle.reload();
    await held.request;
    await lists.plain.getById(1)?.set({ title: 'zzz' }).save();
    held.answer({ json: ROWS.slice(0, 4), headers: { 'X-Total-Count': '12' } });
    await loading;
    expect(lists.byTitle.status.get().staleReason).toBe('movedRow');
    await lists.byTitle.reload();
    expect(lists.byTitle.status.get().staleReason).toBeUndefined();
  });

  /** A list of four rows of a team, of which the first two are on show. */
  async function pagedTeam(session: Session): Promise<Store<Task>> {
    answer(ROWS);
    const list = new Store({ model: Task, session, pageSize: 2, filters: [{ property: 'team', value: 'A' }] });
    server.reply({ json: [rowOf(3), rowOf(6)], headers: { 'X-Total-Count': '4' } });
    await list.load();
    return list;
  }

  test('that takes a row out of the filter of a list makes it stale, also where the row is on another page', async () => {
    const session = new Session();
    const list = await pagedTeam(session);
    await (await session.load(Task, 12)).set({ team: 'B' }).save();
    expect(list.status.get().staleReason).toBe('unknownRemoved');
    await list.reload();
    await (await session.load(Task, 1)).set({ team: 'C' }).save();
    expect(list.status.get().staleReason).toBeUndefined();
  });

  test('during the first load is not forgotten', async () => {
    answer(ROWS);
    const session = new Session();
    const list = new Store({ model: Task, session, pageSize: 4 });
    const held = server.hold();
    const loading = list.load();
    await held.request;
    session.add(new Task({ title: 'new', team: 'A' }));
    await session.sync();
    held.answer({ json: ROWS.slice(0, 4), headers: { 'X-Total-Count': '12' } });
    await loading;
    expect(list.status.get().staleReason).toBe('unknownRow');
  });

  test.each<[string, Partial<Row>, string | undefined]>([
    ['that brings a row into it', { team: 'B' }, 'unknownRow'],
    ['that has nothing to do with it', { team: 'C' }, undefined],
  ])('%s during a load with another filter is judged by that filter', async (_, to, reason) => {
    const session = new Session();
    const list = await pagedTeam(session);
    const other = await session.load(Task, 12);
    const held = server.hold();
    list.filter({ property: 'team', value: 'B' });
    await held.request;
    await other.set(to).save();
    held.answer({ json: [rowOf(1), rowOf(4)], headers: { 'X-Total-Count': '4' } });
    await expect.poll(() => list.status.get().loading).toBe(false);
    expect(list.status.get().staleReason).toBe(reason);
  });

  test('succeeds although a function of the application fails when lists are judged', async () => {
    const session = new Session();
    let isBroken = false;
    class Mapped extends Model.define({
      name: 'task',
      fields: {
        id: 'int',
        title: 'string',
        team: {
          type: 'string',
          convert: (team) => {
            if (isBroken) throw new TypeError('broken');
            return String(team);
          },
        },
      },
      proxy: server.proxy('/tasks', { dialect: plain() }),
    }) {}
    answer(ROWS);
    const list = new Store({
      model: Mapped,
      session,
      pageSize: 4,
      sorters: ['title'],
      remoteFilter: true,
      filters: [{ property: 'team', value: 'B' }],
    });
    await list.load();
    const other = await session.load(Mapped, 1);
    server.always(() => {
      isBroken = true;
      return { json: rowOf(1, { title: 'zzz' }) };
    });
    await other.set({ title: 'zzz' }).save();
    expect([other.dirty, other.$.error, list.status.get().staleReason]).toEqual([false, undefined, 'movedRow']);
  });

  test('in a list without a session is judged alike, and a create that the list shows in its place is not', async () => {
    answer(ROWS);
    const tasks = new Store({ model: Task, pageSize: 4 });
    const sorted = new Store({ model: Task, pageSize: 4, sorters: ['title'] });
    for (const list of [tasks, sorted]) {
      await list.load();
      list.add({ title: 'new', team: 'A' });
      await list.sync();
    }
    expect([tasks.status.get().staleReason, tasks.total, sorted.status.get().staleReason]).toEqual([
      undefined,
      13,
      'movedRow',
    ]);
  });

  test('that the server refuses makes nothing stale', async () => {
    const { lists } = await world();
    server.always(() => ({ status: 422, json: {} }));
    await lists.byTitle
      .getById(1)
      ?.set({ title: 'zzz' })
      .save()
      .catch(() => undefined);
    expect(lists.byTitle.status.get().staleReason).toBeUndefined();
  });
});

describe('what only a window shows', () => {
  const cases: [string, Partial<Row> & { readonly id: number }, string | undefined][] = [
    ['another value of a field that it does not ask for', rowOf(3, { title: 'x' }), undefined],
    ['another value of the field by which the server sorts', rowOf(3, { hours: 50 }), 'movedRow'],
    ['a value that the filter excludes', rowOf(3, { team: 'B' }), 'movedRow'],
  ];

  /** A store that was never loaded itself, and a window that shows it. */
  async function shownByWindow(): Promise<{ tasks: Store<Task>; rows: RecordWindow<Task> }> {
    answer(ROWS);
    const filters = [{ property: 'team', value: 'A' }] as const;
    const tasks = new Store({ model: Task, pageSize: 4, filters, sorters: ['hours'] });
    const rows = windowOf(tasks, { prefetch: 0 });
    await rows.show({ start: 0, end: 2 });
    return { tasks, rows };
  }

  test.each(cases)('is judged by its query after a save: %s', async (_, { id, ...values }, reason) => {
    const { tasks } = await shownByWindow();
    await tasks.getById(id)?.set(values).save();
    expect(tasks.status.get().staleReason).toBe(reason);
  });

  test.each([
    ...cases,
    ['a new row that the filter excludes', rowOf(99, { team: 'B' }), undefined],
    ['a new row', rowOf(99), 'unknownRow'],
  ] as typeof cases)('is judged by its query when a row comes: %s', async (_, row, reason) => {
    const { tasks } = await shownByWindow();
    receive(tasks, [row]);
    expect(tasks.status.get().staleReason).toBe(reason);
  });

  test.each<[string, (world: Awaited<ReturnType<typeof shownByWindow>>) => unknown]>([
    ['a reload of the window', ({ rows }) => rows.reload()],
    ['another query', ({ tasks }) => tasks.sort('title')],
    ['`refreshStale()`', ({ tasks }) => refreshStale(tasks)],
  ])('is stale until it is read anew: %s', async (_, read) => {
    const world = await shownByWindow();
    receive(world.tasks, [rowOf(99)]);
    expect(world.rows.status.get().stale).toBe(true);
    await read(world);
    await expect.poll(() => world.rows.status.get().stale).toBe(false);
  });

  test('is stale until the other window of the store is read anew, too', async () => {
    const { tasks, rows } = await shownByWindow();
    const others = windowOf(tasks, { prefetch: 0 });
    await others.show({ start: 2, end: 4 });
    receive(tasks, [rowOf(99)]);
    await rows.reload();
    expect(others.status.get().stale).toBe(true);
    tasks.sort('title');
    await expect.poll(() => others.status.get().stale).toBe(false);
  });
});

describe('a received row', () => {
  test.each<[string, object, boolean]>([
    ['that the filter excludes', { id: 99, title: 't', team: 'B', hours: 1 }, false],
    ['that passes the filter', { id: 99, title: 't', team: 'A', hours: 1 }, true],
    ['that does not have the filtered field', { id: 99, title: 't' }, true],
    ['of the list that passes the filter still', { ...rowOf(3), hours: 1 }, false],
    ['of the list that the filter excludes now', rowOf(3, { team: 'B' }), true],
  ])('%s: stale is %s', async (_, row, stale) => {
    const { lists } = await world();
    receive(lists.inTeamA, [row]);
    expect(lists.inTeamA.status.get().stale).toBe(stale);
  });

  test('that the list has already changes nothing, also under a search', async () => {
    answer(ROWS);
    class Searched extends Task.with({ proxy: { searchParam: 'q' } }) {}
    const found = new Store({ model: Searched, pageSize: 4, remoteFilter: true });
    found.search('t');
    await found.load();
    receive(found, [rowOf(1)]);
    expect(found.status.get().staleReason).toBeUndefined();
    receive(found, [rowOf(1, { hours: 2 })]);
    expect(found.status.get().staleReason).toBe('movedRow');
  });
});
