import {
  AbortError,
  BatchError,
  MemoryProxy,
  Model,
  NetworkError,
  nextPage,
  Session,
  StateError,
  Store,
  sync,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { deferred, type Received, type Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

const users = (...ids: number[]) => new Store({ model: User, pageSize: 0, data: rows(...ids) });
const at = (store: Store<User>, id: number) => store.getById(id) as User;

let created = 100;
/** Answers every write with success. */
const accepting = ({ method, body }: Received): Reply =>
  method === 'POST' ? { status: 201, json: { ...body, id: (created += 1) } } : { status: 204 };

describe('sync()', () => {
  test('creates, updates and destroys in this order, with an outcome per record', async () => {
    const store = users(1, 2, 3);
    store.remove(at(store, 3));
    at(store, 1).name = 'edited';
    const added = store.add({ name: 'a' }, { name: 'b' });
    const [first, third] = [at(store, 1), store.pending.removed[0]];
    server.always(accepting);
    const batch = await store.sync();
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /users',
      'POST /users',
      'PUT /users/1',
      'DELETE /users/3',
    ]);
    expect(batch.outcomes).toEqual([
      { action: 'create', record: added[0] },
      { action: 'create', record: added[1] },
      { action: 'update', record: first },
      { action: 'destroy', record: third },
    ]);
    expect([batch.failures, batch.orThrow()]).toEqual([[], batch]);
    expect([[...store.pending.created, ...store.pending.edited], store.pending.removed]).toEqual([[], []]);
    expect([...store].every((user) => !user.phantom && !user.dirty)).toBe(true);
  });

  test('writes the changes of `records` only, and sends nothing for one without changes', async () => {
    const store = users(1, 2, 3, 4);
    const [one, two, three, four] = [at(store, 1), at(store, 2), at(store, 3), at(store, 4)];
    const [added, left] = store.add({ name: 'a' }, { name: 'b' }) as [User, User];
    for (const user of [one, four]) user.name = 'edited';
    store.remove(three);
    server.always(({ method, ...more }) =>
      method === 'PUT' ? { status: 422, json: { message: 'too long' } } : accepting({ method, ...more } as Received),
    );
    const batch = await store.sync({ records: [one, two, three, added] });
    expect(batch.outcomes).toMatchObject([
      { action: 'create', record: added },
      { action: 'update', record: one, error: { status: 422 } },
      { action: 'destroy', record: three },
    ]);
    expect(server.requests.map(({ method }) => method).sort()).toEqual(['DELETE', 'POST', 'PUT']);
    expect([left.phantom, four.dirty, one.dirty]).toEqual([true, true, true]);
    expect((await store.sync({ records: [] })).outcomes).toEqual([]);
  });

  test('in a session writes the records of one store, and leaves other changes of the session pending', async () => {
    const session = new Session();
    const store = new Store({ model: User, session, pageSize: 0, data: rows(1, 2) });
    for (const user of store) user.name = 'edited';
    server.always(accepting);
    expect((await session.sync({ records: [at(store, 2)] })).outcomes).toHaveLength(1);
    expect((await store.sync({ records: [...store], onFailure: 'stop' })).outcomes).toHaveLength(1);
    expect(server.requests.map(({ path }) => path)).toEqual(['/users/2', '/users/1']);
  });

  test('refuses `records` that are no list', async () => {
    await expect(users(1).sync({ records: at(users(1), 1) as never })).rejects.toMatchObject({
      reason: 'option-value',
    });
  });

  test('follows `batchOrder`, and omits actions that this does not name', async () => {
    const make = (batchOrder: string) => {
      const store = new Store({ model: User, data: rows(1, 2), proxy: { batchOrder } });
      store.remove(at(store, 2));
      at(store, 1).name = 'edited';
      store.add({ name: 'new' });
      return store;
    };
    server.always(accepting);
    const batch = await make('destroy, update,create').sync();
    expect(batch.outcomes.map(({ action }) => action)).toEqual(['destroy', 'update', 'create']);
    expect(server.requests.map(({ method }) => method)).toEqual(['DELETE', 'PUT', 'POST']);
    const partly = make('update');
    expect((await partly.sync()).outcomes.map(({ action }) => action)).toEqual(['update']);
    expect([partly.pending.created.length, partly.pending.removed.length]).toEqual([1, 1]);
  });

  test('starts an action only after the one before has ended', async () => {
    const store = users(1);
    store.add({ name: 'new' });
    at(store, 1).name = 'edited';
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    await tick();
    expect(server.lines).toEqual(['POST /users']);
    server.reply({ status: 204 });
    held.answer({ status: 201, json: { id: 9 } });
    await syncing;
    expect(server.lines).toEqual(['POST /users', 'PUT /users/1']);
  });

  test.each([
    [undefined, 6],
    [1, 1],
    [3, 3],
    [50, 20],
    [Number.POSITIVE_INFINITY, 20],
  ])('with concurrency %s has at most %i requests in flight', async (concurrency, most) => {
    const store = new Store({ model: User, data: rowsFrom(1, 20), ...(concurrency !== undefined && { concurrency }) });
    for (const user of store) user.name = 'edited';
    let [flying, peak] = [0, 0];
    const gate = deferred<void>();
    server.always(async () => {
      flying += 1;
      peak = Math.max(peak, flying);
      // All requests wait until the expected number is in flight.
      if (flying === most) gate.resolve();
      await gate.promise;
      await tick();
      flying -= 1;
      return { status: 204 };
    });
    const { outcomes } = await store.sync();
    expect([outcomes.length, peak]).toEqual([20, most]);
    expect(shown(outcomes.map(({ record }) => record))).toEqual(rowsFrom(1, 20).map(({ id }) => id));
  });

  test('sends params and headers with every request', async () => {
    const store = users(1);
    at(store, 1).name = 'edited';
    store.add({ name: 'new' });
    server.always(accepting);
    await store.sync({ params: { audit: 'yes' }, headers: { 'X-Why': 'test' } });
    expect(server.lines).toEqual(['POST /users?audit=yes', 'PUT /users/1?audit=yes']);
    expect(server.requests.map(({ headers }) => headers['x-why'])).toEqual(['test', 'test']);
  });

  test('sends changed records only', async () => {
    const store = users(1, 2);
    at(store, 1).name = 'edited';
    at(store, 1).name = 'n1';
    at(store, 2).commit();
    expect((await store.sync()).outcomes).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('resolves when there is nothing to do', async () => {
    const batch = await users().sync();
    expect([batch.outcomes, batch.failures, batch.orThrow()]).toEqual([[], [], batch]);
  });
});

describe('a sync with failures', () => {
  test('writes the other records, and failed ones stay pending with their error', async () => {
    const store = users(1, 2, 3);
    for (const user of store) user.name = 'edited';
    server.always(({ path }) =>
      path === '/users/2' ? { status: 422, json: { errors: { name: ['is bad'] } } } : { status: 204 },
    );
    const log = eventLog(store);
    const batch = await store.sync();
    expect(batch.outcomes.map(({ record, error }) => [record.id, error?.code])).toEqual([
      [1, undefined],
      [2, 'validation'],
      [3, undefined],
    ]);
    expect(batch.failures).toEqual([batch.outcomes[1]]);
    expect(shown(store.pending.edited)).toEqual([2]);
    expect(at(store, 2).$.error).toBe(batch.failures[0]?.error);
    expect(log.filter((each) => each.startsWith('exception'))).toEqual(['exception validation PUT /users/2']);
    expect(log.filter((each) => each.startsWith('write'))).toHaveLength(2);
  });

  test('throws a BatchError in orThrow()', async () => {
    const store = users(1, 2);
    for (const user of store) user.name = 'edited';
    server.always(() => ({ status: 500 }));
    const batch = await store.sync();
    const error = (() => {
      try {
        return batch.orThrow();
      } catch (thrown) {
        return thrown as BatchError;
      }
    })() as BatchError;
    expect(error).toBeInstanceOf(BatchError);
    expect(error.errors).toEqual(batch.failures.map((each) => each.error));
    expect(error.message).toMatch(
      /^2 of 2 records could not be written; `errors` tells why. The first: PUT .*\/users\/1 answered 500/,
    );
    expect([error.code, error.cause]).toEqual(['batch', error.errors[0]]);
  });

  test('sends nothing for an invalid record', async () => {
    const store = users(1, 2);
    at(store, 1).name = null as never;
    at(store, 2).name = 'fine';
    server.always(accepting);
    const { failures } = await store.sync();
    expect(failures.map(({ record, error }) => [record.id, error.code])).toEqual([[1, 'validation']]);
    expect(server.lines).toEqual(['PUT /users/2']);
  });

  test('resolves with every kind of error', async () => {
    const store = users(1, 2, 3, 4);
    for (const user of store) user.name = 'edited';
    const answers: Record<string, Reply> = {
      '/users/1': { drop: true },
      '/users/2': { text: '<html>', headers: { 'Content-Type': 'text/html' } },
      '/users/3': { status: 412, json: {} },
      '/users/4': { status: 401 },
    };
    server.always(({ path }) => answers[path] as Reply);
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['network', 'read', 'conflict', 'auth']);
  });

  test('reports a record that was erased meanwhile', async () => {
    const store = new Store({ model: User, data: rows(1, 2), concurrency: 1 });
    for (const user of store) user.name = 'edited';
    const log = eventLog(store);
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    server.reply({ status: 204 });
    await at(store, 2).erase();
    held.answer({ status: 204 });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'erased']);
    expect(outcomes[1]?.error).toBeInstanceOf(StateError);
    expect(log.at(-1)).toBe('exception erased update');
  });

  test('can be repeated by a later sync', async () => {
    const store = users(1);
    at(store, 1).name = 'edited';
    server.reply({ status: 500 }, { status: 204 });
    expect((await store.sync()).failures).toHaveLength(1);
    expect((await store.sync()).failures).toHaveLength(0);
    expect([at(store, 1).dirty, at(store, 1).$.error]).toEqual([false, undefined]);
  });
});

describe('several calls of sync() at once', () => {
  test('create nothing twice', async () => {
    const store = users();
    const [user] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const first = store.sync();
    await held.request;
    const [second, third] = [store.sync(), store.sync()];
    held.answer({ status: 201, json: { id: 5, name: 'new' } });
    const batches = await Promise.all([first, second, third]);
    expect(server.lines).toEqual(['POST /users']);
    expect(batches.flatMap(({ failures }) => failures)).toEqual([]);
    expect([user.id, shown(store)]).toEqual([5, [5]]);
  });

  test('do not repeat a create without a response, which may have succeeded', async () => {
    const store = users();
    store.add({ name: 'new' });
    const held = server.hold();
    const first = store.sync();
    await held.request;
    const second = store.sync();
    held.answer({ drop: true });
    const batches = await Promise.all([first, second]);
    expect(server.lines).toEqual(['POST /users']);
    const errors = batches.map(({ failures }) => failures[0]?.error);
    expect(errors[0]).toBeInstanceOf(NetworkError);
    expect(errors[1]).toBe(errors[0]);
  });

  test('send what an earlier one has to send still', async () => {
    const [added, edited] = [users(), users(1)];
    added.add({ name: 'new' });
    at(edited, 1).name = 'edited';
    const held = server.hold();
    const first = sync([added, edited], { onFailure: 'stop' });
    await held.request;
    server.always(accepting);
    const second = await edited.sync();
    expect([server.lines[1], server.last.body]).toEqual(['PUT /users/1', { id: 1, name: 'edited' }]);
    expect([second.failures, at(edited, 1).dirty]).toEqual([[], false]);
    held.answer({ status: 422 });
    const { failures } = await first;
    expect(failures.map(({ action }) => action)).toEqual(['create', 'update']);
    expect(server.lines).toEqual(['POST /users', 'PUT /users/1']);
  });

  test('destroy and update nothing twice', async () => {
    const store = users(1, 2);
    at(store, 1).name = 'edited';
    store.remove(at(store, 2));
    const held = server.hold();
    const first = store.sync();
    await held.request;
    const second = store.sync();
    await tick();
    server.reply({ status: 204 });
    held.answer({ status: 204 });
    const batches = await Promise.all([first, second]);
    expect([...server.lines].sort()).toEqual(['DELETE /users/2', 'PUT /users/1']);
    expect(batches.flatMap(({ failures }) => failures)).toEqual([]);
  });
});

describe('during a sync', () => {
  test('edits stay pending, and are sent by the next sync', async () => {
    const store = users(1);
    const user = at(store, 1);
    user.name = 'first';
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    user.name = 'second';
    held.answer({ json: { id: 1, name: 'first' } });
    await syncing;
    expect([user.name, user.dirty, user.$.previousValues]).toEqual(['second', true, { name: 'first' }]);
    server.reply({ status: 204 });
    await store.sync();
    expect([server.last.body, user.dirty]).toEqual([{ id: 1, name: 'second' }, false]);
  });

  test('a record removed while its create is in flight is erased under its new id', async () => {
    const store = users();
    const [user] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const first = store.sync();
    await held.request;
    store.remove(user);
    expect([store.count, store.pending.removed]).toEqual([0, [user]]);
    const second = store.sync();
    server.reply({ status: 204 });
    held.answer({ status: 201, json: { id: 5, name: 'new' } });
    const batches = await Promise.all([first, second]);
    expect(server.lines).toEqual(['POST /users', 'DELETE /users/5']);
    expect(batches.map(({ outcomes }) => outcomes.map(({ action }) => action))).toEqual([['create'], ['destroy']]);
    expect([store.count, store.pending.removed, user.erased]).toEqual([0, [], true]);
  });

  test('a record removed while its create is in flight is erased by a later sync', async () => {
    const store = users();
    const [user] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const first = store.sync();
    await held.request;
    store.remove(user);
    held.answer({ status: 201, json: { id: 5, name: 'new' } });
    await first;
    expect([store.count, store.pending.created, store.pending.removed]).toEqual([0, [], [user]]);
    server.reply({ status: 204 });
    await store.sync();
    expect(server.lines).toEqual(['POST /users', 'DELETE /users/5']);
  });

  test('a record removed while its create is in flight is dropped if that is refused', async () => {
    const store = users();
    const [user] = store.add({ name: 'new' }) as [User];
    const held = server.hold();
    const first = store.sync();
    await held.request;
    store.remove(user);
    held.answer({ status: 422, json: {} });
    await first;
    const log = eventLog(store);
    const { outcomes } = await store.sync();
    expect(server.lines).toEqual(['POST /users']);
    expect([outcomes.length, store.pending.removed, log]).toEqual([1, [], []]);
  });

  test.each([false, true])(
    'changes that are undone before their turn are not sent (bulk: %s)',
    async (batchActions) => {
      const proxy = { batchActions };
      const store = new Store({ model: User, pageSize: 0, data: rows(1, 2, 3), proxy, concurrency: 1 });
      const added = store.add({ name: 'a' }, { name: 'b' }, { name: 'c' });
      store.remove(at(store, 1), at(store, 2), at(store, 3));
      const held = server.hold();
      server.always(accepting);
      const syncing = store.sync({ batchSize: 1 });
      await held.request;
      store.remove(added[1] as User);
      store.add(...store.pending.removed.slice(1));
      held.answer({ status: 201, json: { id: 5 } });
      const { failures } = await syncing;
      expect(failures).toEqual([]);
      expect(server.requests.map(({ method, url, body }) => [method, url, body?.name])).toEqual([
        ['POST', '/users', 'a'],
        ['POST', '/users', 'c'],
        ['DELETE', '/users/1', undefined],
      ]);
      expect(shown(store)).toEqual(expect.arrayContaining([2, 3, 5]));
      expect([store.count, store.pending.removed.length]).toEqual([4, 0]);
    },
  );

  test('a record that is added again while its create is in flight is not erased', async () => {
    const store = users();
    const [user] = store.add({ name: 'a' }) as [User];
    const held = server.hold();
    const saving = user.save();
    await held.request;
    store.remove(user);
    store.add({ name: 'b' });
    const other = server.hold();
    const syncing = store.sync({ concurrency: 1 });
    await other.request;
    store.add(user);
    held.answer({ status: 201, json: { id: 5 } });
    await saving;
    other.answer({ status: 201, json: { id: 6 } });
    await syncing;
    expect(server.lines).toEqual(['POST /users', 'POST /users']);
    expect([user.id, user.erased, store.count]).toEqual([5, false, 2]);
  });

  test('an added record waits for the next sync', async () => {
    const store = users();
    store.add({ name: 'a' });
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    const [late] = store.add({ name: 'b' }) as [User];
    held.answer({ status: 201, json: { id: 5 } });
    await syncing;
    expect(store.pending.created).toEqual([late]);
    expect(server.lines).toHaveLength(1);
  });

  test('a signal aborts requests in flight and prevents the others; all records have an outcome', async () => {
    const store = new Store({ model: User, data: rows(1, 2), concurrency: 1 });
    for (const user of store) user.name = 'edited';
    const controller = new AbortController();
    const held = server.hold();
    const syncing = store.sync({ signal: controller.signal });
    await held.request;
    controller.abort();
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error instanceof AbortError)).toEqual([true, true]);
    expect([server.lines, shown(store.pending.edited)]).toEqual([['PUT /users/1'], [1, 2]]);
    held.answer();
  });

  test('another page may be loaded, and pending records are still written', async () => {
    const store = new Store({ model: User, pageSize: 1 });
    server.reply(page(rows(1), 2));
    await store.load();
    at(store, 1).name = 'edited';
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    server.reply(page(rows(2), 2));
    await nextPage(store);
    held.answer({ status: 204 });
    expect((await syncing).failures).toEqual([]);
    expect([shown(store), store.getById(1)]).toEqual([[2], undefined]);
  });
});

describe('the proxy of a store', () => {
  test('is that of the model by default', () => {
    expect(users().proxy).toBe(User.proxy);
  });

  test("overrides options of the model's proxy, and is created once", async () => {
    const store = new Store({ model: User, data: rows(1), proxy: { url: '/people', extraParams: { tenant: 7 } } });
    expect(store.proxy).toBe(store.proxy);
    expect(store.proxy).not.toBe(User.proxy);
    server.always(({ method }) => (method === 'GET' ? page(rows(1)) : { status: 204 }));
    await store.load();
    at(store, 1).name = 'edited';
    await store.sync();
    expect(server.lines).toEqual(['GET /people?tenant=7&page=1&start=0&limit=25', 'PUT /people/1?tenant=7']);
  });

  test('may be a separate proxy, or a class', async () => {
    const proxy = new MemoryProxy({ data: rows(1, 2) });
    const store = new Store({ model: User, proxy });
    expect(store.proxy).toBe(proxy);
    await store.load();
    store.remove(...store.getRange(0, 1));
    await store.sync();
    expect(proxy.data).toEqual(rows(2));
    expect(new Store({ model: User, proxy: { type: MemoryProxy } }).proxy).toBeInstanceOf(MemoryProxy);
  });

  test('serves a model without a proxy', async () => {
    class Note extends Model.define({ fields: { id: 'int', text: 'string' } }) {}
    const store = new Store({ model: Note, proxy: { type: MemoryProxy, data: [{ id: 1, text: 'a' }] } });
    await store.load();
    expect(store.getAt(0)?.text).toBe('a');
  });

  test('of an unknown type rejects with DefinitionError, and nothing changes', async () => {
    const store = new Store({ model: User, data: rows(1), proxy: { type: 'carrier-pigeon' as never } });
    at(store, 1).name = 'edited';
    await expect(store.load()).rejects.toMatchObject({ name: 'DefinitionError' });
    await expect(store.sync()).rejects.toMatchObject({ name: 'DefinitionError' });
    expect(shown(store.pending.edited)).toEqual([1]);
  });
});
