import { DefinitionError, type Model, Session, Store, type StoreConfig, type StoreObserver } from 'repose';
import * as core from 'repose/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { rows, rowsFrom, shown } from './support.js';

const server = useRestServer();
const { bulkForm, RestProxy, rollback, streamIntake, streaming } = core;

const fields = { id: 'int', name: 'string' } as const;
class User extends core.Model.define({
  name: 'user',
  fields,
  proxy: { ...server.proxy('/users'), type: RestProxy },
}) {}

/** A class of core stores with the given parts. */
function storeClass(...parts: StoreObserver[]) {
  return class<M extends core.Model> extends core.Store<M> {
    static override readonly parts = parts;
  };
}

/** A store with edited records. */
function edited(CoreStore: typeof core.Store, config: Partial<StoreConfig<User>> = {}): core.Store<User> {
  const store = new CoreStore<User>({ model: User, pageSize: 0, data: rows(1, 2), ...config });
  for (const user of store) user.name = `e${user.id}`;
  return store;
}

/** Returns the error that a call or a constructor throws. */
async function refusalOf(call: () => unknown): Promise<DefinitionError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

beforeEach(() => server.always(({ method }) => ({ status: method === 'GET' ? 200 : 204 })));

describe('the list of parts of stores', () => {
  test('is empty in the core entry, and complete in the main entry', () => {
    const names = (list: readonly StoreObserver[]) => list.map(({ name }) => name);
    expect([core.Store.parts, core.Session.parts]).toEqual([[], []]);
    expect(names(Store.parts)).toEqual(['bulkForm', 'rollback', 'streamIntake']);
    expect(names(Session.parts)).toEqual(['bulkForm', 'rollback']);
  });

  test('set by a subclass applies to its stores only', async () => {
    class LeanStore<M extends Model> extends Store<M> {
      static override readonly parts = Store.parts.filter(({ name }) => name !== 'rollback');
    }
    const lean = edited(LeanStore as never);
    expect((await refusalOf(() => lean.sync({ onFailure: 'rollback' }))).message).toContain('rollback');
    const { failures } = await edited(Store as never).sync({ onFailure: 'rollback' });
    expect(failures).toEqual([]);
  });

  test.each([
    ['not an array', 'rollback'],
    ['an array with another value', [{ openUndo: () => undefined }]],
    ['an array with a part that is undefined because of a circular import', [undefined]],
  ])('that is %s is refused when a store is created', async (_, parts) => {
    class BrokenStore extends core.Store<User> {
      static override readonly parts = parts as never;
    }
    const { code, message } = await refusalOf(() => new BrokenStore({ model: User }));
    expect([code, message]).toEqual(['definition', expect.stringContaining("'BrokenStore' must be a list")]);
  });
});

describe('a store without a part', () => {
  test('refuses bulk requests, and keeps the records pending', async () => {
    const store = edited(core.Store, { proxy: { batchActions: true } as never });
    const { message } = await refusalOf(() => store.sync());
    expect(message).toContain('`batchActions: true` needs the part `bulkForm`: import it from');
    expect([server.lines, store.getUpdatedRecords().length]).toEqual([[], 2]);
  });

  test("refuses `onFailure: 'rollback'` before anything is sent", async () => {
    const store = edited(core.Store);
    const { message } = await refusalOf(() => store.sync({ onFailure: 'rollback' }));
    expect(message).toContain("`onFailure: 'rollback'` needs the part `rollback`");
    expect([server.lines, store.getUpdatedRecords().length]).toEqual([[], 2]);
    // The refused call has captured nothing: values that are set back are no edits.
    for (const user of store) user.name = `n${user.id}`;
    expect(store.getUpdatedRecords()).toEqual([]);
  });

  test('refuses to stream answers', async () => {
    const store = new core.Store({ model: User, proxy: { reader: { stream: true } } as never });
    const errors: unknown[] = [];
    store.on('exception', ({ error }) => errors.push(error));
    const refusal = await refusalOf(() => store.load());
    expect(refusal.message).toContain('`reader: { stream: true }` needs the part `streamIntake`');
    expect([server.lines, errors]).toEqual([[], [refusal]]);
  });

  test('works in all other respects', async () => {
    const store = edited(core.Store);
    const { failures } = await store.sync({ onFailure: 'stop' });
    expect([failures, server.lines]).toEqual([[], ['PUT /users/1', 'PUT /users/2']]);
  });
});

describe('a core store with parts', () => {
  test('writes several records in one request', async () => {
    const store = edited(storeClass(bulkForm) as never, { proxy: { batchActions: true } as never });
    const { failures } = await store.sync();
    expect([failures, server.lines]).toEqual([[], ['PUT /users']]);
  });

  test('rolls back a sync', async () => {
    const store = edited(storeClass(rollback) as never, { concurrency: 1 });
    server.reply({ status: 204 }, { status: 422, json: {} }, { status: 204 });
    const { outcomes } = await store.sync({ onFailure: 'rollback' });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(server.lines).toEqual(['PUT /users/1', 'PUT /users/2', 'PUT /users/1']);
    expect(store.getUpdatedRecords().length).toBe(2);
  });

  test('streams answers', async () => {
    const StreamStore = storeClass(streamIntake);
    const proxy = { reader: { stream: true }, use: [streaming()] } as never;
    const store = new StreamStore({ model: User, pageSize: 0, proxy });
    const counts: number[] = [];
    store.on('progress', ({ records }) => counts.push(records));
    server.reply({ json: rowsFrom(1, 3) });
    await store.load();
    expect([shown(store), counts.at(-1)]).toEqual([[1, 2, 3], 3]);
  });
});

describe('parts of sessions and of several stores', () => {
  test('must be added to a core session or one of its stores', async () => {
    const session = new core.Session();
    edited(core.Store, { session });
    expect((await refusalOf(() => session.sync({ onFailure: 'rollback' }))).message).toContain('`rollback`');
    new (storeClass(rollback))({ model: User, session });
    expect((await session.sync({ onFailure: 'rollback' })).failures).toEqual([]);
  });

  test('are complete in a session of the main entry', async () => {
    const session = new Session();
    edited(core.Store, { session });
    expect((await session.sync({ onFailure: 'rollback' })).failures).toEqual([]);
  });

  test('are shared by stores that are synced together', async () => {
    const stores = [edited(core.Store), edited(storeClass(rollback) as never)];
    expect((await core.sync(stores, { onFailure: 'rollback' })).failures).toEqual([]);
    expect(server.lines).toHaveLength(4);
  });
});

describe('a custom part', () => {
  /** Records what happens to records. */
  class Watch implements StoreObserver {
    readonly name = 'watch';
    readonly log: string[] = [];
    readonly kept: Set<core.Model> = new Set();
    rowsComing = (given: readonly object[]) => void this.log.push(`rows ${given.length}`);
    recordAdded = (record: core.Model) => void this.log.push(`added ${record.getId()}`);
    recordChanged = (record: core.Model) => void this.log.push(`changed ${record.getId()}`);
    recordDropped = (record: core.Model) => void this.log.push(`dropped ${record.getId()}`);
    keeps = (record: core.Model) => this.kept.has(record);
    take = () => this.log.splice(0);
  }

  test("is called for the rows, edits and removals of a store's records", async () => {
    const watch = new Watch();
    const store = new (storeClass(watch))({ model: User, pageSize: 2 });
    server.reply({ json: rows(1, 2) }, { json: rows(2, 3) });
    await store.load();
    expect(watch.take()).toEqual(['rows 2', 'added 1', 'added 2']);
    (store.getById(1) as User).name = 'Ada';
    expect(watch.take()).toEqual(['changed 1']);
    await store.loadPage(2);
    expect(watch.take()).toEqual(['rows 2', 'added 3']);
    (store.getById(1) as User).reject();
    expect(watch.take()).toEqual(['dropped 1']);
  });

  test('can keep a record in the store that is on no page', async () => {
    const watch = new Watch();
    const store = new (storeClass(watch))({ model: User, pageSize: 2 });
    server.reply({ json: rows(1, 2) }, { json: rows(3, 4) }, { json: rows(1, 2) });
    await store.load();
    const [first] = store;
    watch.kept.add(first as User);
    await store.loadPage(2);
    expect([store.getById(1) === first, store.getById(2)]).toEqual([true, undefined]);
    await store.loadPage(1);
    expect(store.getAt(0)).toBe(first);
  });

  test('can refuse records, and then none is added', () => {
    const careful: StoreObserver = {
      name: 'careful',
      checkAdded(records) {
        if (records.some((record) => (record as User).name === 'Bob')) throw new Error('no Bob');
      },
    };
    const store = new (storeClass(careful))({ model: User });
    expect(() => store.add({ name: 'Ada' }, { name: 'Bob' })).toThrow('no Bob');
    expect(store.count).toBe(0);
  });

  test('can supply the records for rows', async () => {
    const session = new Session();
    const [one, two] = [1, 2].map(() => new core.Store({ model: User, session }));
    server.reply({ json: rows(1) }, { json: rows(1, 2) });
    await one?.load();
    await two?.load();
    expect(two?.getAt(0)).toBe(one?.getAt(0));
  });
});
