import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  childrenOf,
  keepFresh,
  Model,
  RecordForm,
  reference,
  Session,
  Store,
  type StoreConfig,
  through,
  viewOf,
  windowOf,
} from 'repose';
import { groups } from 'repose/groups';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';
import { tick } from '../store/support.js';
import { accepting, Note, sentLines, server, Task, User } from './support.js';

/** Lets the garbage collector run. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i += 1) {
    await tick();
    gc();
  }
}

const rows = [1, 2, 3].map((id) => ({ id, title: `Task ${id}` }));
type TaskStore = Store<Task>;

/** Makes stores as the pages of an application do, uses each, and returns how many stay in memory when nobody holds them. */
async function countKept(
  config: Partial<StoreConfig<Task>>,
  use: (store: TaskStore) => unknown = () => undefined,
): Promise<number> {
  server.always(() => ({ json: rows }));
  const refs: WeakRef<TaskStore>[] = [];
  for (let i = 0; i < 10; i += 1) {
    const store = new Store({ model: Task, pageSize: 0, ...config });
    await store.load();
    await use(store);
    refs.push(new WeakRef(store));
  }
  server.reset();
  await collect();
  // The platform holds on to its last requests.
  return refs.slice(0, -2).filter((ref) => ref.deref()).length;
}

const inert: [string, (store: TaskStore) => unknown][] = [
  ['nothing', () => undefined],
  ['a view', (store) => viewOf(store, { sorters: ['title'] }).count],
  ['views and listeners that ended', (store) => store.on('change', () => undefined)()],
  [
    'a status and a list that were watched',
    (store) => [store.status, store.list].map((source) => source.subscribe(() => undefined)()),
  ],
  ['a refresh that was stopped', (store) => keepFresh(store, { every: 60_000 })()],
  [
    'a form that left the screen',
    (store) => {
      const form = new RecordForm(store.getAt(0) as Task, {});
      form.state.subscribe(() => undefined)();
      form.dispose();
    },
  ],
  [
    'an edit that was saved',
    async (store) => {
      server.always(accepting());
      (store.getAt(0) as Task).title = String(Math.random());
      await store.sync();
      server.always(() => ({ json: rows }));
    },
  ],
  [
    'a removal that was taken back',
    (store) => {
      store.remove(store.getAt(0) as Task);
      store.reject();
    },
  ],
];

const active: [string, (store: TaskStore) => unknown][] = [
  ['a listener', (store) => store.on('change', () => undefined)],
  ['a view with a listener', (store) => viewOf(store).on('change', () => undefined)],
  ['a watched list', (store) => store.list.subscribe(() => undefined)],
  ['a watched status', (store) => store.status.subscribe(() => undefined)],
  ['a refresh in an interval', (store) => keepFresh(store, { every: 60_000 })],
  ['an edit', (store) => store.getAt(0)?.set('title', 'Edited')],
  ['a new record', (store) => store.add({ title: 'New' })],
  ['a removed record', (store) => store.remove(store.getAt(0) as Task)],
];

describe('a session', () => {
  test.each(inert)('releases stores that nobody holds: %s', async (_, use) => {
    const session = new Session();
    const held = new Store({ model: Task, pageSize: 0, session });
    server.always(() => ({ json: rows }));
    await held.load();
    expect(await countKept({ session }, use)).toBe(0);
    // A record that is on show must not tell stores that are gone.
    (held.getAt(0) as Task).title = 'Edited';
    expect(session.status.get().pending).toBe(1);
  });

  test('releases stores with windows and groups', async () => {
    const session = new Session();
    const remote = { session, pageSize: 10, remoteSort: true, remoteFilter: true } as const;
    expect(await countKept(remote, (store) => windowOf(store, { start: 0, end: 2 }))).toBe(0);
    const plugin = groups({ by: ['title'] });
    const config = { session, groups: plugin } as unknown as Partial<StoreConfig<Task>>;
    expect(await countKept(config, (store) => [...(store as unknown as { groups: Iterable<unknown> }).groups])).toBe(0);
  });

  test('releases stores while its status is watched', async () => {
    const session = new Session();
    const stop = session.status.subscribe(() => undefined);
    expect(await countKept({ session })).toBe(0);
    expect(session.status.get()).toMatchObject({ loading: false, pending: 0 });
    stop();
  });

  test.each(active)('keeps a store with %s, and releases it after `dispose()`', async (_, use) => {
    const session = new Session();
    server.always(() => ({ json: rows }));
    const make = async () => {
      const store = new Store({ model: Task, pageSize: 0, session });
      await store.load();
      use(store);
      return new WeakRef(store);
    };
    const ref = await make();
    server.reset();
    await collect();
    expect(ref.deref()).toBeDefined();
    ref.deref()?.dispose();
    await collect();
    expect(ref.deref()).toBeUndefined();
    expect(session.status.get().pending).toBe(
      [...session.pending.created, ...session.pending.edited].length + session.pending.removed.length,
    );
  });

  test('writes what a disposed store left, by the proxy of that store', async () => {
    const session = new Session();
    server.always(() => ({ json: rows }));
    const store = new Store({ model: Task, pageSize: 0, session, proxy: { url: '/special' } });
    await store.load();
    const [first, second] = store.getRange() as [Task, Task];
    first.title = 'Edited';
    store.remove(second);
    store.add({ title: 'New' });
    store.dispose();
    expect(session.status.get().pending).toBe(3);
    server.reset();
    server.always(accepting());
    const { failures } = await session.sync();
    expect(failures).toEqual([]);
    expect(sentLines().map((line) => line.replace(/ ?\{.*/, ''))).toEqual([
      'POST /special',
      'PUT /special/1',
      'DELETE /special/2',
    ]);
    expect(session.status.get().pending).toBe(0);
  });
});

test('an outbox releases stores of its models', async () => {
  const box = await openOutbox({ scope: 'me', storage: memoryStorage() });
  const model = Task.with({ proxy: { use: [box] } }) as typeof Task;
  expect(await countKept({ model })).toBe(0);
  await box.close();
});

test('a record releases stores of what belongs to it that were disposed of', async () => {
  class Share extends Model.define({
    name: 'share',
    fields: { id: 'int', taskId: reference('int'), userId: reference('int') },
  }) {
    static override references(): { taskId: typeof Task; userId: typeof User } {
      return { taskId: Task, userId: User };
    }
  }
  const task = Task.fromRow({ id: 1, title: 'a' });
  const made = (): Store<Model>[] => [childrenOf(task, Note), through(task, User, Share), childrenOf(task, Share)];
  const refs: WeakRef<object>[] = [];
  for (let i = 0; i < 10; i += 1) {
    const stores = made();
    for (const store of stores) store.dispose();
    refs.push(...stores.map((store) => new WeakRef(store)));
  }
  await collect();
  expect(refs.slice(0, -6).filter((ref) => ref.deref())).toEqual([]);
});

test('a record releases stores that were disposed of', async () => {
  server.always(() => ({ json: rows.map(({ id }) => ({ id, name: 'x' })) }));
  const make = async (): Promise<[WeakRef<object>, Model]> => {
    const store = new Store({ model: User, pageSize: 0 });
    await store.load();
    store.dispose();
    return [new WeakRef(store), store.getAt(0) ?? (await User.load(1))];
  };
  const kept = new Store({ model: User, pageSize: 0 });
  await kept.load();
  const other = new Store({ model: User, pageSize: 0 });
  other.add(...kept.getRange());
  const ref = new WeakRef(other);
  other.dispose();
  const [disposed] = await make();
  await collect();
  expect(disposed.deref()).toBeUndefined();
  expect(ref.deref()).toBeDefined();
  expect(kept.count).toBe(3);
});
