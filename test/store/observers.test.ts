import { Model, rollback, Session, Store, type StoreConfig, streaming } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { innerStore } from '../../src/store/inner-store.js';
import type { StoreObserver } from '../../src/store/store-observer.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { rows, rowsFrom, shown } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users'),
}) {}

/** A store that an observer follows. */
function observed(observer: StoreObserver<User>, config: Partial<StoreConfig<User>> = {}): Store<User> {
  const store = new Store({ model: User, ...config });
  innerStore(store).recordSet.observers.attach(observer);
  return store;
}

/** A store with edited records. */
function edited(config: Partial<StoreConfig<User>> = {}): Store<User> {
  const store = new Store({ model: User, pageSize: 0, data: rows(1, 2), ...config });
  for (const user of store) user.name = `e${user.id}`;
  return store;
}

beforeEach(() => server.always(({ method }) => ({ status: method === 'GET' ? 200 : 204 })));

describe('what a store does without an import', () => {
  test('writes several records in one request with `batchActions`', async () => {
    const { failures } = await edited({ proxy: { batchActions: true } as never }).sync();
    expect([failures, server.lines]).toEqual([[], ['PUT /users']]);
  });

  test('streams answers if the proxy uses `streaming()`', async () => {
    const proxy = { reader: { stream: true }, use: [streaming()] } as never;
    const store = new Store({ model: User, pageSize: 0, proxy });
    const counts: number[] = [];
    store.on('progress', ({ records }) => counts.push(records));
    server.reply({ json: rowsFrom(1, 3) });
    await store.load();
    expect([shown(store), counts.at(-1)]).toEqual([[1, 2, 3], 3]);
  });
});

describe('`onFailure: rollback`', () => {
  test('undoes what was written before the failure', async () => {
    const store = edited({ concurrency: 1 });
    server.reply({ status: 204 }, { status: 422, json: {} }, { status: 204 });
    const { outcomes } = await store.sync({ onFailure: rollback });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(server.lines).toEqual(['PUT /users/1', 'PUT /users/2', 'PUT /users/1']);
    expect(store.pending.edited.length).toBe(2);
  });

  test('refuses the text of that name before anything is sent or captured', async () => {
    const store = edited();
    await expect(store.sync({ onFailure: 'rollback' as never })).rejects.toThrow(
      "the value `rollback`, imported from 'repose'",
    );
    expect([server.lines, store.pending.edited.length]).toEqual([[], 2]);
    for (const user of store) user.name = `n${user.id}`;
    expect(store.pending.edited).toEqual([]);
  });

  test('serves a session as well', async () => {
    const session = new Session();
    edited({ session });
    expect((await session.sync({ onFailure: rollback })).failures).toEqual([]);
  });
});

describe('an observer', () => {
  /** Records what happens to records. */
  class Watch implements StoreObserver<User> {
    readonly log: string[] = [];
    readonly kept: Set<User> = new Set();
    rowsComing = (given: readonly object[]) => void this.log.push(`rows ${given.length}`);
    recordAdded = (record: User) => void this.log.push(`added ${record.getId()}`);
    recordChanged = (record: User) => void this.log.push(`changed ${record.getId()}`);
    recordDropped = (record: User) => void this.log.push(`dropped ${record.getId()}`);
    keeps = (record: User) => this.kept.has(record);
    take = () => this.log.splice(0);
  }

  test("is called for the rows, edits and removals of a store's records", async () => {
    const watch = new Watch();
    const store = observed(watch, { pageSize: 2 });
    server.reply({ json: rows(1, 2) }, { json: rows(2, 3) });
    await store.load();
    expect(watch.take()).toEqual(['rows 2', 'added 1', 'added 2']);
    (store.getById(1) as User).name = 'Ada';
    expect(watch.take()).toEqual(['changed 1']);
    await store.load({ page: 2 });
    expect(watch.take()).toEqual(['rows 2', 'added 3']);
    (store.getById(1) as User).reject();
    expect(watch.take()).toEqual(['dropped 1']);
  });

  test('can keep a record in the store that is on no page', async () => {
    const watch = new Watch();
    const store = observed(watch, { pageSize: 2 });
    server.reply({ json: rows(1, 2) }, { json: rows(3, 4) }, { json: rows(1, 2) });
    await store.load();
    const [first] = store;
    watch.kept.add(first as User);
    await store.load({ page: 2 });
    expect([store.getById(1) === first, store.getById(2)]).toEqual([true, undefined]);
    await store.load({ page: 1 });
    expect(store.getAt(0)).toBe(first);
  });

  test('can refuse records, and then none is added', () => {
    const store = observed({
      checkAdded(records) {
        if (records.some(({ name }) => name === 'Bob')) throw new Error('no Bob');
      },
    });
    expect(() => store.add({ name: 'Ada' }, { name: 'Bob' })).toThrow('no Bob');
    expect(store.count).toBe(0);
  });

  test('can supply the records for rows', async () => {
    const session = new Session();
    const [one, two] = [1, 2].map(() => new Store({ model: User, session }));
    server.reply({ json: rows(1) }, { json: rows(1, 2) });
    await one?.load();
    await two?.load();
    expect(two?.getAt(0)).toBe(one?.getAt(0));
  });
});
