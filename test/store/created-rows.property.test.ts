import fc from 'fast-check';
import { differenceOf, Model, plain, receive, reference, Session, Store, windowOf } from 'repose';
import { TreeStore } from 'repose/tree';
import { describe, expect, test } from 'vitest';
import { tick } from './support.js';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly parentId?: number | null;
}

/** A server that stores a created row at once, but not a wrong one, and answers when the test says so. */
class World {
  rows: Row[] = [
    { id: 1, title: 'one' },
    { id: 2, title: 'two' },
  ];
  private readonly creates: { readonly row: Row | undefined; readonly answer: (response: Response) => void }[] = [];

  readonly fetch = async (
    url: string | URL | Request,
    { method = 'GET', body }: RequestInit = {},
  ): Promise<Response> => {
    if (method === 'POST') {
      const values = JSON.parse(String(body)) as Omit<Row, 'id'>;
      const row = values.title.startsWith('wrong') ? undefined : this.make(values);
      return new Promise((answer) => this.creates.push({ row, answer }));
    }
    const query = new URL(String(url)).searchParams;
    const start = Number(query.get('start') ?? 0);
    const rows = this.rows.slice(start, start + Number(query.get('limit') ?? 1000));
    return Response.json(rows, { headers: { 'X-Total-Count': String(this.rows.length) } });
  };

  make(values: Omit<Row, 'id'>): Row {
    const row = { ...values, id: Math.max(...this.rows.map(({ id }) => id)) + 1 };
    this.rows = [...this.rows, row];
    return row;
  }

  /** The rows whose creates are in flight. */
  get inFlight(): readonly Row[] {
    return this.creates.flatMap(({ row }) => row ?? []);
  }

  /** Answers the first or the last create. */
  async answer(which: 'shift' | 'pop'): Promise<boolean> {
    const { row, answer } = this.creates[which]() ?? {};
    answer?.(row ? Response.json(row, { status: 201 }) : Response.json({ message: 'taken' }, { status: 409 }));
    for (let i = 0; i < 4; i += 1) await tick();
    return answer !== undefined;
  }

  model() {
    const { fetch } = this;
    return class Task extends Model.define({
      name: 'task',
      fields: {
        id: 'int',
        title: { type: 'string', defaultValue: '' },
        parentId: { ...reference('int'), allowNull: true },
      },
      proxy: { type: 'rest', baseUrl: 'http://rest.test', url: '/tasks', dialect: plain(), startParam: 'start', fetch },
    }) {
      static override references() {
        return { parentId: Task };
      }
    };
  }
}

type TaskModel = ReturnType<World['model']>;
type Task = InstanceType<TaskModel>;

/** A list as the user sees it. */
interface Shown {
  readonly store: Store<Task>;
  readonly add: (title: string) => Task;
  readonly shown: () => readonly Task[];
}

function listOf(store: Store<Task>): Shown {
  return { store, add: (title) => (store.add({ title }) as [Task])[0], shown: () => [...store] };
}

function treeOf(model: TaskModel): Shown {
  const tree = new TreeStore<Task>({ model });
  return { store: tree.store, add: (title) => tree.insert(null, 0, { title }), shown: () => tree.list.get().slice() };
}

/** The lists that are tried. */
const LISTS = {
  whole: (model: TaskModel) => listOf(new Store<Task>({ model, pageSize: 0 })),
  sorted: (model: TaskModel) =>
    listOf(new Store<Task>({ model, pageSize: 0, sorters: ['title'], newRecords: 'first' })),
  'in a session': (model: TaskModel) => listOf(new Store<Task>({ model, pageSize: 0, session: new Session() })),
  endless: (model: TaskModel) => listOf(new Store<Task>({ model, pageSize: 2 })),
  pages: (model: TaskModel) => listOf(new Store<Task>({ model, pageSize: 3, newRecords: 'first' })),
  tree: treeOf,
} as const;
type Name = keyof typeof LISTS;

/** Lists of some rows only need not show a new record at all times. */
const isPart = (name: Name) => name === 'endless' || name === 'pages';

const STEPS = [
  'reload',
  'feed',
  'feed',
  'more',
  'answer',
  'answer the last',
  'edit',
  'create',
  'create wrong',
] as const;
type Step = (typeof STEPS)[number] | 'create elsewhere';

interface Run extends Shown {
  readonly world: World;
  readonly made: Task[];
  readonly do: (step: Step) => Promise<void>;
}

async function open(name: Name): Promise<Run> {
  const world = new World();
  const list = LISTS[name](world.model());
  const { store } = list;
  await store.load();
  const made: Task[] = [];
  const doStep = async (step: Step) => {
    const last = made.at(-1);
    if (step === 'reload') await store.reload();
    else if (step === 'more' && name === 'endless') await store.loadMore();
    else if (step === 'feed') receive(store, world.rows);
    else if (step === 'answer') await world.answer('shift');
    else if (step === 'answer the last') await world.answer('pop');
    else if (step === 'edit' && last) last.title = `${last.title}!`;
    else if (step === 'create elsewhere') world.make({ title: last?.title.replaceAll('!', '') ?? 'new' });
    else if (step.startsWith('create')) {
      const title = `${step === 'create' ? 'new' : 'wrong'} ${made.length}`;
      made.push(list.add(title));
      void store.sync();
      for (let i = 0; i < 4; i += 1) await tick();
    }
  };
  return { ...list, world, made, do: doStep };
}

/** How often each row of a created record is shown. */
const timesShown = ({ world, shown, made }: Run) =>
  made
    .filter(({ title }) => title.startsWith('new'))
    .map((record) => {
      const title = record.title.replaceAll('!', '');
      const row = world.rows.find((each) => each.title === title);
      return shown().filter((each) => each === record || each.id === row?.id).length;
    });

describe.each(Object.keys(LISTS) as Name[])('a created record in a list: %s', (name) => {
  test('is shown once, whichever of the answer, the feed and the reload comes first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }), async (steps) => {
        const run = await open(name);
        for (const step of ['create' as const, ...steps]) {
          await run.do(step);
          for (const times of timesShown(run))
            if (isPart(name)) expect(times, step).toBeLessThanOrEqual(1);
            else expect(times, step).toBe(1);
        }
        while (await run.world.answer('shift'))
          for (const times of timesShown(run)) expect(times).toBeLessThanOrEqual(1);
        if (isPart(name)) return;
        const { world, store, made, shown } = run;
        for (const record of made) if (!record.phantom) expect(store.getById(record.id as number)).toBe(record);
        expect(shown().filter(({ phantom }) => phantom).length).toBe(made.filter(({ phantom }) => phantom).length);
        await store.reload();
        const ids = shown().flatMap(({ id, phantom }) => (phantom ? [] : id));
        expect(ids.toSorted((a, b) => a - b)).toEqual(world.rows.map(({ id }) => id).toSorted((a, b) => a - b));
      }),
    );
  });

  test('hides no equal row of somebody else when the creates are answered', async () => {
    const step = fc.constantFrom<Step>(...STEPS, 'create elsewhere', 'create elsewhere');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { world, store, made, shown, do: doStep } = await open(name);
        for (const each of ['create' as const, ...steps]) await doStep(each);
        receive(store, world.rows);
        while (await world.answer('shift'));
        const ids = shown().flatMap(({ id, phantom }) => (phantom ? [] : id));
        expect(new Set(ids).size).toBe(ids.length);
        if (isPart(name)) return;
        expect(ids.toSorted((a, b) => a - b)).toEqual(world.rows.map(({ id }) => id).toSorted((a, b) => a - b));
        for (const record of made) if (!record.phantom) expect(shown()).toContain(record);
      }),
    );
  });
});

describe('a created record', () => {
  /** A store of all rows with a new record whose create is in flight, and the row that the server has made. */
  async function creating(options: { readonly session?: Session } = {}) {
    const world = new World();
    const model = world.model();
    const store = new Store<Task>({ model, pageSize: 0, ...options });
    await store.load();
    const [added] = store.add({ title: 'new' }) as [Task];
    const syncing = store.sync();
    for (let i = 0; i < 4; i += 1) await tick();
    return { world, model, store, added, syncing, row: world.inFlight[0] as Row };
  }

  test('is shown once although the row has fewer fields than were sent, or further ones', async () => {
    for (const members of [{ title: 'new', size: 3 }, { size: 3 }]) {
      const { world, store, added, row } = await creating();
      receive(store, [{ id: row.id, ...members }]);
      expect([...store].map(({ title }) => title)).toEqual(['one', 'two', 'new']);
      await world.answer('shift');
      expect(store.getAt(2)).toBe(added);
    }
  });

  test('is shown once in a list of its session that has read the row before', async () => {
    const session = new Session();
    const { world, model, store, added, row } = await creating({ session });
    const other = new Store<Task>({ model, pageSize: 0, session });
    await other.load();
    await store.reload();
    expect([store.count, other.count]).toEqual([3, 3]);
    await world.answer('shift');
    expect([store, other].map((list) => [list.count, list.getById(row.id) === added])).toEqual([
      [3, true],
      [3, true],
    ]);
  });

  test('takes the place of its row in a window that has read the row before', async () => {
    const world = new World();
    const store = new Store<Task>({ model: world.model(), pageSize: 2 });
    const window = windowOf(store, { prefetch: 0, settle: 0 });
    const [added] = store.add({ title: 'new' }) as [Task];
    void store.sync();
    for (let i = 0; i < 4; i += 1) await tick();
    await window.show({ start: 0, end: 3 });
    expect(window.getAt(2)?.title).toBe('new');
    await world.answer('shift');
    expect(window.getAt(2)).toBe(added);
  });

  test('is shown once if the row comes with that of its parent, or is set by hand', async () => {
    const { world, store, added, row } = await creating();
    store.setRecords(world.rows);
    expect(store.count).toBe(3);
    expect(store.getById(row.id)?.title).toBe('new');
    await world.answer('shift');
    expect([store.count, store.getById(row.id) === added]).toEqual([3, true]);
  });

  test('shows what it has covered when it is dropped, and says nothing twice', async () => {
    const { store, row } = await creating();
    receive(store, [row]);
    store.flush();
    const changes: string[] = [];
    store.on('change', (change) => {
      const { added, removed } = differenceOf(change);
      changes.push(`+${added.length} -${removed.length}`);
    });
    store.clearPending();
    store.flush();
    expect([...store].map(({ id }) => id)).toEqual([1, 2, row.id]);
    expect(changes).toEqual(['+1 -1']);
  });
});
