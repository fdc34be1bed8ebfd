import {
  AbortError,
  DataProxy,
  embed,
  Model,
  NetworkError,
  type Operation,
  ResultSet,
  range,
  rollback,
  Store,
  SyncError,
  sync,
  ValidationError,
} from 'repose';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { pageOf, withoutPage } from '../helpers/error-page.js';
import { eventLog, page, rows, rowsFrom, tick } from '../store/support.js';
import { accepting, sentLines, server, Task, User } from './support.js';

const users = (...ids: number[]) => new Store({ model: User, pageSize: 0, data: rows(...ids) });
const at = (store: Store<User>, id: number) => store.getById(id) as User;
const editAll = (store: Store<User>) => {
  for (const user of store) user.name = `e${user.id}`;
};

test('a record whose erase failed in another call is reported as failed', async () => {
  const store = users(1, 2);
  const [first, second] = [at(store, 1), at(store, 2)];
  store.remove(first, second);
  const held = server.hold();
  const syncing = store.sync({ concurrency: 1 });
  await held.request;
  server.reply({ status: 500 });
  await expect(second.erase()).rejects.toMatchObject({ status: 500 });
  held.answer({ status: 204 });
  const { failures } = await syncing;
  expect(failures).toMatchObject([{ record: second, error: { status: 500 } }]);
  expect([server.lines, second.erased, store.count]).toEqual([['DELETE /users/1', 'DELETE /users/2'], false, 1]);
});

describe("onFailure: 'stop'", () => {
  test('sends no further write; records that were not sent stay pending with a `skipped` error', async () => {
    const store = users(1, 2, 3, 4);
    editAll(store);
    store.remove(at(store, 4));
    const log = eventLog(store);
    server.reply({ status: 204 }, { status: 422, json: { message: 'no' } });
    const batch = await store.sync({ onFailure: 'stop', concurrency: 1 });
    expect(server.lines).toEqual(['PUT /users/1', 'PUT /users/2']);
    expect(batch.outcomes.map(({ record, error }) => [record.id, error?.code])).toEqual([
      [1, undefined],
      [2, 'validation'],
      [3, 'skipped'],
      [4, 'skipped'],
    ]);
    const error = batch.outcomes[2]?.error as unknown as SyncError;
    expect(error).toBeInstanceOf(SyncError);
    expect(error.message).toBe(
      `user 3 was not sent, because another write failed (${withoutPage(batch.outcomes[1]?.error)}). Correct that one, and call sync() again${pageOf('sync-skipped')}`,
    );
    expect(error.cause).toBe(batch.outcomes[1]?.error);
    expect([at(store, 3).dirty, at(store, 3).$.error, store.pending.removed.length]).toEqual([true, undefined, 1]);
    expect(log.filter((line) => line.startsWith('exception'))).toEqual(['exception validation PUT /users/2']);
  });

  test('waits for writes in flight', async () => {
    const store = users(1, 2, 3);
    editAll(store);
    const held = server.hold();
    server.reply({ status: 500 });
    const syncing = store.sync({ onFailure: 'stop', concurrency: 2 });
    await held.request;
    await expect.poll(() => at(store, 2).$.error).toBeDefined();
    held.answer({ status: 204 });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'http', 'skipped']);
  });

  test('reports `dependency` for held-back records and `skipped` for the others', async () => {
    const [owners, tasks] = [users(), new Store({ model: Task, pageSize: 0 })];
    const [bad] = owners.add({ name: 'bad' }) as [User];
    const [later] = owners.add({ name: 'later' }) as [User];
    tasks.add({ title: 'a', ownerId: bad.getId() as number }, { title: 'b', ownerId: later.getId() as number });
    server.reply({ status: 422 });
    const { outcomes } = await sync([owners, tasks], { onFailure: 'stop', concurrency: 1 });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['validation', 'skipped', 'dependency', 'skipped']);
    expect(outcomes[3]?.record.$.error).toBeUndefined();
  });
});

describe("onFailure: 'rollback'", () => {
  test('erases created records, writes back updated ones, and leaves all of them pending', async () => {
    const [owners, tasks] = [users(1, 2), new Store({ model: Task, pageSize: 0 })];
    const [ada] = owners.add({ name: 'Ada' }) as [User];
    const [task] = tasks.add({ title: 'Write', ownerId: ada.getId() as number }) as [Task];
    const ids = [ada.getId(), task.getId()];
    at(owners, 1).name = 'edited';
    at(owners, 2).name = 'bad';
    const answer = accepting();
    server.always((request) => (request.body?.name === 'bad' ? { status: 422 } : answer(request)));
    const { outcomes } = await sync([owners, tasks], { onFailure: rollback, concurrency: 1 });
    expect(sentLines()).toEqual([
      'POST /users {"name":"Ada"}',
      'POST /tasks {"title":"Write","ownerId":101}',
      'PUT /users/1 {"id":1,"name":"edited"}',
      'PUT /users/2 {"id":2,"name":"bad"}',
      'PUT /users/1 {"id":1,"name":"n1"}',
      'DELETE /tasks/102',
      'DELETE /users/101',
    ]);
    expect(outcomes.map(({ error, undoError }) => [error?.code, undoError])).toEqual([
      ['undone', undefined],
      ['undone', undefined],
      ['undone', undefined],
      ['validation', undefined],
    ]);
    expect(outcomes[0]?.error?.message).toMatch(/^user -\d+ was written, then undone, because another write failed \(/);
    expect([ada.phantom, task.phantom, ada.getId(), task.getId()]).toEqual([true, true, ...ids]);
    expect([task.ownerId, at(owners, 1).name, at(owners, 1).$.previousValues]).toEqual([
      ids[0],
      'edited',
      { name: 'n1' },
    ]);
    expect(owners.getById(ids[0] as number)).toBe(ada);
    expect(owners.getById(101)).toBeUndefined();
    expect([owners.pending.created, owners.total]).toEqual([[ada], 2]);
    expect(owners.pending.edited).toEqual([at(owners, 1), at(owners, 2)]);

    server.reset();
    server.always(accepting());
    at(owners, 2).name = 'good';
    expect((await sync([owners, tasks])).failures).toEqual([]);
    expect(sentLines().slice(0, 2)).toEqual([
      'POST /users {"name":"Ada"}',
      'POST /tasks {"title":"Write","ownerId":101}',
    ]);
  });

  test.each([false, true])('forgets a record of another page after it was written (loading: %s)', async (loading) => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1), proxy: { reader: { rootProperty: 'rows' } } });
    editAll(store);
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback });
    await held.request;
    server.reply(page(rows(2)));
    await store.load();
    const read = server.hold();
    const loaded = loading && store.load({ params: { again: 1 } });
    if (loading) await read.request;
    held.answer({ status: 204 });
    await syncing;
    expect(store.getById(1)?.name).toBe(loading ? 'e1' : undefined);
    read.answer(page(rows(2)));
    await loaded;
    expect(store.getById(1)).toBeUndefined();
  });

  test('undoes writes of records that a load meanwhile has moved off the page', async () => {
    const data = rows(1, 2);
    const store = new Store({ model: User, pageSize: 0, data, proxy: { reader: { rootProperty: 'rows' } } });
    editAll(store);
    const [added] = store.add({ name: 'new' }) as [User];
    const [edited, bad, held] = [at(store, 1), at(store, 2), server.hold()];
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    server.reply(page(rows(3)));
    await store.load();
    server.reply({ status: 204 }, { status: 422 }, { status: 204 }, { status: 204 });
    held.answer({ status: 201, json: { id: 9, name: 'new' } });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'undone', 'validation']);
    expect([store.pending.created, store.pending.edited]).toEqual([[added], [edited, bad]]);
    server.always(accepting());
    expect((await store.sync()).failures).toEqual([]);
    server.reply(page(rows(3)));
    await store.load();
    expect([store.getById(1), store.getById(101)]).toEqual([undefined, undefined]);
  });

  test('undoes nothing if every write succeeds', async () => {
    const store = users(1);
    editAll(store);
    server.always(accepting());
    expect((await store.sync({ onFailure: rollback })).failures).toEqual([]);
    expect(server.lines).toEqual(['PUT /users/1']);
  });

  test('keeps edits made meanwhile, and reports a record erased meanwhile as not undone', async () => {
    const store = users(1, 2, 3);
    editAll(store);
    server.reply({ status: 204 }, { status: 204 });
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    at(store, 1).name = 'later';
    server.reply({ status: 204 });
    const two = at(store, 2);
    await two.erase();
    server.reply({ status: 204 });
    held.answer({ status: 422 });
    const { outcomes } = await syncing;
    expect(server.lines.slice(3)).toEqual(['DELETE /users/2', 'PUT /users/1']);
    expect([at(store, 1).name, at(store, 1).$.previousValues]).toEqual(['later', { name: 'n1' }]);
    expect(outcomes.map(({ error, undoError }) => [error?.code, undoError?.code])).toEqual([
      ['undone', undefined],
      [undefined, 'not-undone'],
      ['validation', undefined],
    ]);
  });

  test('reports writes that could not be undone: a refused undo, and an erase', async () => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1, 2, 3), proxy: { batchOrder: 'destroy,update' } });
    store.remove(at(store, 1));
    editAll(store);
    server.reply({ status: 204 }, { status: 204 }, { status: 422 }, { status: 403 });
    const log = eventLog(store);
    const { outcomes, failures } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(server.lines).toEqual(['DELETE /users/1', 'PUT /users/2', 'PUT /users/3', 'PUT /users/2']);
    expect(
      outcomes.map(({ error, undoError }) => [error?.code, undoError?.message.replace(/http:.*users/, '')]),
    ).toEqual([
      [
        undefined,
        `user 1 was erased, which cannot be undone, though another write failed: use copyOf(record) to make a new record of it${pageOf('sync-gone')}`,
      ],
      [undefined, expect.stringMatching(/^user 2 was written, and could not be undone: PUT .*403/)],
      ['validation', undefined],
    ]);
    expect([failures.length, at(store, 2).dirty, log.filter((line) => line.startsWith('exception')).length]).toEqual([
      1,
      false,
      1,
    ]);
  });

  test('ignores an older load that still contains the record whose create was undone', async () => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1), proxy: { reader: { rootProperty: 'rows' } } });
    editAll(store);
    const [added] = store.add({ name: 'new' }) as [User];
    server.reply({ status: 201, json: { id: 9, name: 'new' } });
    const update = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await update.request;
    const read = server.hold();
    const loading = store.load();
    await read.request;
    server.reply({ status: 204 });
    update.answer({ status: 422 });
    await syncing;
    expect(added.phantom).toBe(true);
    read.answer(page(rows(1, 9)));
    await loading;
    expect([store.getById(9), store.pending.created]).toEqual([undefined, [added]]);
  });

  test('keeps values saved meanwhile as edits', async () => {
    const store = users(1, 2);
    editAll(store);
    const [added] = store.add({ name: 'new' }) as [User];
    server.reply({ status: 201, json: { id: 9, name: 'new' } }, { status: 204 });
    const held = server.hold();
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    for (const user of [added, at(store, 1)]) {
      server.reply({ status: 204 });
      await user.set({ name: 'saved' }).save();
    }
    held.answer({ status: 422 });
    server.always(accepting());
    await syncing;
    expect(sentLines().slice(5)).toEqual(['PUT /users/1 {"id":1,"name":"n1"}', 'DELETE /users/9']);
    expect([added.phantom, added.name, at(store, 1).$.modified]).toEqual([true, 'saved', { name: 'saved' }]);
  });

  test('makes an update pending again when its undo got no response', async () => {
    const store = users(1, 2);
    editAll(store);
    server.reply({ status: 204 }, { status: 422 }, { drop: true });
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(outcomes[0]?.undoError).toMatchObject({ code: 'not-undone', cause: { code: 'network' } });
    expect([at(store, 1).$.modified, at(store, 1).$.previousValues]).toEqual([{ name: 'e1' }, { name: 'n1' }]);
    server.reset();
    server.always(accepting());
    await store.sync({ concurrency: 1 });
    expect(sentLines()).toEqual(['PUT /users/1 {"id":1,"name":"e1"}', 'PUT /users/2 {"id":2,"name":"e2"}']);
  });

  test.each<[string, (path: string, method: string) => { status?: number; drop?: boolean } | undefined, string]>([
    [
      'could not be undone',
      (path, method) => (path !== '/tasks' && method === 'DELETE' ? { status: 403 } : undefined),
      'auth',
    ],
    ['may have been created', (path) => (path === '/tasks' ? { drop: true } : undefined), 'network'],
  ])('does not erase a record that is referred to by one that %s', async (_, answerOf, code) => {
    const [owners, tasks] = [users(), new Store({ model: Task, pageSize: 0 })];
    const [ada] = owners.add({ name: 'Ada' }) as [User];
    const [task] = tasks.add({ title: 'Write', ownerId: ada.getId() as number }) as [Task];
    owners.add({ name: 'bad' });
    const answer = accepting();
    server.always((request) => {
      const { body, method, path } = request;
      const other = path.startsWith('/tasks') ? answerOf(path, method) : undefined;
      return body?.name === 'bad' ? { status: 422 } : (other ?? answer(request));
    });
    const { outcomes } = await sync([owners, tasks], { onFailure: rollback });
    expect(server.lines).not.toContain('DELETE /users/101');
    const [owner] = outcomes;
    expect([owner?.error, owner?.undoError?.code]).toEqual([undefined, 'not-undone']);
    expect(owner?.undoError?.cause).toMatchObject({ code });
    expect([ada.id, task.ownerId]).toEqual([101, 101]);
  });

  test('leaves a record unchanged while its own save is in flight', async () => {
    const [owners, tasks] = [users(), new Store({ model: Task, pageSize: 0 })];
    const [ada] = owners.add({ name: 'Ada' }) as [User];
    const [task] = tasks.add({ title: 'Write', ownerId: ada.getId() as number }) as [Task];
    const temporary = ada.getId();
    server.reply({ status: 201, json: { id: 101 } }, { status: 422 });
    const undoing = server.hold();
    const syncing = sync([owners, tasks], { onFailure: rollback, concurrency: 1 });
    await undoing.request;
    const saving = server.hold();
    const save = task.save();
    await saving.request;
    undoing.answer({ status: 204 });
    await syncing;
    expect([ada.getId(), task.ownerId]).toEqual([temporary, temporary]);
    saving.answer({ status: 201, json: { id: 102, title: 'Write', ownerId: 101 } });
    await save;
    expect([task.ownerId, task.$.modified]).toEqual([temporary, { ownerId: temporary }]);
    await expect(task.save()).rejects.toMatchObject({ code: 'dependency' });
    expect(sentLines().filter((line) => line.includes(String(temporary)))).toEqual([]);
  });

  test('undoes writes of a proxy without HTTP', async () => {
    const log: string[] = [];
    class Own extends DataProxy {
      override async update({ records }: Operation): Promise<ResultSet> {
        const { name } = records[0] as unknown as User;
        log.push(name as string);
        if (name === 'e2') throw new NetworkError(new Error('mine'));
        return new ResultSet({ rows: [] });
      }
      override async create(): Promise<ResultSet> {
        return new ResultSet({ rows: [] });
      }
      override read: () => Promise<ResultSet> = this.create;
      override erase: () => Promise<ResultSet> = this.create;
    }
    const store = new Store({ model: User.with({ proxy: new Own() }), pageSize: 0, data: rows(1, 2) });
    for (const user of store) user.name = `e${user.id}`;
    let writes = 0;
    store.on('write', () => (writes += 1));
    const { outcomes } = await store.sync({ onFailure: rollback });
    expect([log, writes]).toEqual([['e1', 'e2', 'n1'], 1]);
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'network']);
  });

  test.each(['PUT', 'PATCH'])(
    'sends the values as the server sent them, not as the model converts them (%s)',
    async (update) => {
      class Price extends Model.define({
        fields: {
          id: 'int',
          amount: { type: 'number', validators: [range({ max: 5 })] },
          cents: { type: 'number', convert: (raw) => Number(raw) / 100 },
          since: 'date',
          unit: { type: 'string', mapping: 'of.unit' },
        },
        proxy: server.proxy('/prices', { actionMethods: { update } }),
      }) {}
      const given = { amount: '10.50', cents: 1050, since: '2025-01-01T02:00:00+02:00', of: { unit: 'kg', per: 1 } };
      const store = new Store({ model: Price, pageSize: 0 });
      server.reply({ json: [1, 2].map((id) => ({ id, ...given })) });
      await store.load();
      for (const price of store) price.set({ amount: 2, cents: 3, since: new Date(0), unit: 'g' });
      server.reply({ status: 204 }, { status: 422 }, { status: 204 });
      const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
      expect(outcomes.map(({ error, undoError }) => [error?.code, undoError])).toEqual([
        ['undone', undefined],
        ['validation', undefined],
      ]);
      expect(server.last.body).toEqual(update === 'PUT' ? { id: 1, ...given } : given);
      expect(store.getById(1)?.$.previousValues).toMatchObject({ amount: 10.5, cents: 10.5, unit: 'kg' });
    },
  );

  test('sends null by PATCH for a field that had no value before', async () => {
    const validate = (row: { name?: unknown }) => (row.name === 'bad' ? 'bad' : undefined);
    const backend = restServer({ collections: { '/users': { rows: [{ id: 1 }, { id: 2 }], validate } } });
    const { fetch, baseUrl } = backend;
    const store = new Store({
      model: User,
      pageSize: 0,
      proxy: { fetch, baseUrl, actionMethods: { update: 'PATCH' } },
    });
    await store.load();
    at(store, 1).name = 'good';
    at(store, 2).name = 'bad';
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
    expect(backend.rows('/users')).toEqual([{ id: 1, name: null }, { id: 2 }]);
  });

  describe('with embedded records', () => {
    class Line extends Model.define({ fields: { id: 'int', qty: 'int', version: 'int' } }) {}
    /** Loads two orders, the second of which will be refused; the server gives each written line the next version. */
    const opened = async () => {
      const rows = [{ id: 1, lines: [{ id: 11, qty: 1, version: 0, note: 'a' }] }, { id: 2 }];
      const validate = (row: { name?: unknown }) => (row.name === 'bad' ? 'bad' : undefined);
      const backend = restServer({ collections: { '/orders': { rows, validate } } });
      let version = 0;
      const versioned = (text: string) => {
        const { lines = [], ...body } = JSON.parse(text);
        version += 1;
        return JSON.stringify({ ...body, lines: lines.map((line: object) => ({ ...line, version })) });
      };
      const fetch = (url: string, { body, ...init }: RequestInit = {}) =>
        backend.fetch(url, { ...init, ...(typeof body === 'string' && { body: versioned(body) }) });
      class Order extends Model.define({
        fields: { id: 'int', name: 'string', lines: embed([Line]) },
        proxy: { url: '/orders', baseUrl: backend.baseUrl, fetch: fetch as typeof globalThis.fetch },
      }) {}
      const store = new Store({ model: Order, pageSize: 0 });
      await store.load();
      const [order, refused] = [...store] as [Order, Order];
      refused.name = 'bad';
      return { backend, store, order, undoing: () => store.sync({ onFailure: rollback, concurrency: 1 }) };
    };
    const valuesIn = ({ lines }: { lines: readonly Line[] }) => lines.map(({ qty, version }) => [qty, version]);

    test('makes only the edit inside the embedded record pending again', async () => {
      const { backend, store, order, undoing } = await opened();
      const [line] = order.lines as [Line];
      line.qty = 9;
      const { outcomes } = await undoing();
      expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'validation']);
      expect(backend.rows('/orders')[0]).toMatchObject({ lines: [{ id: 11, qty: 1, version: 3 }] });
      expect([order.dirty, order.lines[0] === line, line.$.modified]).toEqual([true, true, { qty: 9 }]);
      expect(line.$.previousValues).toEqual({ qty: 1 });
      (store.getById(2) as typeof order).name = 'good';
      expect((await store.sync()).failures).toEqual([]);
      expect(backend.rows('/orders')[0]).toMatchObject({ lines: [{ qty: 9 }] });
      expect(order.dirty).toBe(false);
    });

    test('makes a list with an added embedded record pending again', async () => {
      const { order, undoing } = await opened();
      order.lines = [...order.lines, new Line({ qty: 5 })];
      await undoing();
      expect([order.dirty, valuesIn(order).map(([qty]) => qty)]).toEqual([true, [1, 5]]);
      order.reject();
      expect([order.dirty, valuesIn(order)]).toEqual([false, [[1, 3]]]);
    });

    test.each(['before', 'since'])(
      'takes nothing from the old row into an embedded record that was replaced %s the sync',
      async (when) => {
        const { backend, store, order, undoing } = await opened();
        const [line] = order.lines as [Line];
        const other = new Line({ qty: 5 });
        if (when === 'before') order.lines = [other];
        else line.qty = 9;
        const ended = undoing();
        await backend.fetch.waitFor(3);
        if (when === 'since') order.lines = [other];
        await ended;
        (store.getById(2) as typeof order).name = 'good';
        expect((await store.sync()).failures).toEqual([]);
        expect(order.lines).toEqual([other]);
        expect(backend.rows('/orders')[0]).toEqual({ id: 1, lines: [{ qty: 5, version: 4 }] });
      },
    );

    test('keeps edits made inside an embedded record meanwhile', async () => {
      const { backend, order, undoing } = await opened();
      const [line] = order.lines as [Line];
      line.qty = 9;
      const ended = undoing();
      await backend.fetch.waitFor(2);
      line.version = 70;
      await ended;
      expect(line.$.modified).toEqual({ qty: 9, version: 70 });
      line.qty = 1;
      line.version = 3;
      expect([order.dirty, line.$.modified]).toEqual([false, {}]);
    });

    test('keeps edits inside the embedded record of a new record', async () => {
      const { backend, store, undoing } = await opened();
      const [added] = store.add({ lines: [new Line({ qty: 3 })] }) as [ReturnType<typeof store.getAt> & object];
      (added.lines[0] as Line).qty = 4;
      await undoing();
      expect([added.phantom, valuesIn(added)]).toEqual([true, [[4, undefined]]]);
      expect(backend.rows('/orders')).toHaveLength(2);
    });
  });

  test('does not send edits that were made during the sync, and keeps them', async () => {
    const store = new Store({
      model: Task,
      pageSize: 0,
      data: [1, 2, 3].map((id) => ({ id, title: 'old', ownerId: 1 })),
    });
    for (const task of store) task.title = 'new';
    const [, second] = [...store] as [Task, Task];
    const [added] = store.add({ title: 'added', ownerId: 1 }) as [Task];
    const held = server.hold();
    const answer = accepting();
    server.always((request) => (request.url === '/tasks/3' ? { status: 422 } : answer(request)));
    const syncing = store.sync({ onFailure: rollback, concurrency: 1 });
    await held.request;
    added.title = 'added since';
    second.set({ title: 'newer', ownerId: 2 });
    held.answer({ status: 201, json: { id: 101, title: 'added', ownerId: 1 } });
    await syncing;
    expect(sentLines().filter((line) => line.includes('/tasks/2'))).toEqual([
      'PUT /tasks/2 {"id":2,"title":"new","ownerId":1}',
      'PUT /tasks/2 {"id":2,"title":"old","ownerId":1}',
    ]);
    expect(second.$.modified).toEqual({ title: 'newer', ownerId: 2 });
    expect([added.phantom, added.title]).toEqual([true, 'added since']);
  });

  test('uses the id that the record has after the write', async () => {
    const store = users(1, 2);
    at(store, 1).id = 5;
    at(store, 2).name = 'bad';
    server.reply({ status: 204 }, { status: 422 }, { status: 204 });
    const { outcomes } = await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(outcomes[0]?.error?.code).toBe('undone');
    expect(sentLines().at(-1)).toBe('PUT /users/5 {"id":1,"name":"n1"}');
  });

  test('undoes creates in reverse order of references, level by level', async () => {
    const tasks = new Store({ model: Task, pageSize: 0 });
    const [a] = tasks.add({ title: 'a' }) as [Task];
    const [b] = tasks.add({ title: 'b', parentId: a.getId() as number }) as [Task];
    tasks.add({ title: 'bad', parentId: b.getId() as number });
    const answer = accepting();
    server.always((request) => (request.body?.title === 'bad' ? { status: 422 } : answer(request)));
    await tasks.sync({ onFailure: rollback });
    expect(server.lines.slice(3)).toEqual(['DELETE /tasks/102', 'DELETE /tasks/101']);
    const bad = tasks.getAt(tasks.count - 1) as Task;
    expect([b.parentId, bad.parentId]).toEqual([a.getId(), b.getId()]);
  });
});

describe('a signal', () => {
  test('aborts requests in flight; records that were not sent have no `$.error`', async () => {
    const store = users(1, 2);
    editAll(store);
    const controller = new AbortController();
    const held = server.hold();
    const syncing = store.sync({ signal: controller.signal, concurrency: 1 });
    await held.request;
    controller.abort();
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error instanceof AbortError)).toEqual([true, true]);
    expect(outcomes[1]?.error?.message).toBe(
      `user 2 was not sent: the sync was aborted. Call sync() again${pageOf('sync-aborted')}`,
    );
    expect([at(store, 1).$.error, at(store, 2).$.error]).toEqual([outcomes[0]?.error, undefined]);
    held.answer();
  });

  test('that is already aborted sends nothing', async () => {
    const store = users(1);
    editAll(store);
    store.add({ name: 'new' });
    const { failures } = await store.sync({ signal: AbortSignal.abort() });
    expect([failures.length, server.lines, store.pending.created[0]?.$.error]).toEqual([2, [], undefined]);
  });

  test('ends the wait for a record that another call is saving', async () => {
    const store = users(1);
    editAll(store);
    const held = server.hold();
    const saving = at(store, 1).save();
    await held.request;
    at(store, 1).name = 'later';
    const controller = new AbortController();
    const syncing = store.sync({ signal: controller.signal });
    controller.abort();
    const { failures } = await syncing;
    expect(failures.map(({ error }) => error.code)).toEqual(['abort']);
    held.answer({ status: 204 });
    await saving;
  });
});

describe('onProgress', () => {
  test('is called with every outcome', async () => {
    const store = users(1, 2, 3);
    editAll(store);
    server.reply({ status: 204 }, { status: 422 }, { status: 204 });
    const heard: unknown[] = [];
    const { outcomes } = await store.sync({
      concurrency: 1,
      onProgress: ({ done, failed, total, outcome }) => heard.push([done, failed, total, outcome.record.id]),
    });
    expect(heard).toEqual([
      [1, 0, 3, 1],
      [2, 1, 3, 2],
      [3, 1, 3, 3],
    ]);
    expect(outcomes).toHaveLength(3);
  });

  test('may throw without affecting the sync', async () => {
    const store = users(1, 2);
    editAll(store);
    server.always(accepting());
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const uncaught: unknown[] = [];
    process.on('uncaughtException', (error) => uncaught.push(error));
    let calls = 0;
    const { failures } = await store.sync({
      onProgress: () => {
        calls += 1;
        throw new Error('mine');
      },
    });
    await tick();
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
    expect([failures, calls, uncaught]).toEqual([[], 2, [new Error('mine'), new Error('mine')]]);
  });
});

describe('several syncs at once', () => {
  test.each([{}, { params: { audit: 'yes' } }, { signal: new AbortController().signal }, { concurrency: 1 }])(
    'with %o send no write twice',
    async (options) => {
      const store = new Store({ model: User, pageSize: 0, data: rowsFrom(1, 6) });
      editAll(store);
      store.remove(at(store, 5), at(store, 6));
      store.add({ name: 'a' }, { name: 'b' });
      server.always(accepting());
      const batches = await Promise.all([store.sync(options), store.sync(options), store.sync(options)]);
      expect(batches.flatMap(({ failures }) => failures)).toEqual([]);
      expect(batches.map(({ outcomes }) => outcomes.length)).toEqual([8, 8, 8]);
      const sent = sentLines().map((line) => line.replace('?audit=yes', ''));
      expect([...sent].sort()).toEqual([...new Set(sent)].sort());
      expect(sent).toHaveLength(8);
    },
  );
});

test('an erase that was refused is told as refused by each of several syncs at once', async () => {
  const store = users(1);
  const [added] = store.add({ name: 'new' }) as [User];
  const held = server.hold();
  const saving = added.save().catch(() => undefined);
  await held.request;
  server.always(accepting());
  store.remove(added);
  at(store, 1).name = 'e1';
  const syncing = Promise.all([store.sync(), store.sync()]);
  held.answer({ drop: true });
  await saving;
  for (const { outcomes } of await syncing) {
    const { error } = outcomes.find(({ record }) => record === added) ?? {};
    expect(error).toMatchObject({ code: 'network' });
  }
  expect([added.erased, store.getRange().includes(added)]).toEqual([false, true]);
  expect(server.lines).toEqual(['POST /users', 'PUT /users/1']);
});

test('invalid values are reported as an outcome, and hold back records that refer to the record', async () => {
  const [owners, tasks] = [users(), new Store({ model: Task, pageSize: 0 })];
  const [bad] = owners.add({ name: null as never }) as [User];
  tasks.add({ title: 'a', ownerId: bad.getId() as number });
  const { failures } = await sync([tasks, owners]);
  expect(failures.map(({ error }) => error.code)).toEqual(['dependency', 'validation']);
  expect(failures[1]?.error).toBeInstanceOf(ValidationError);
  expect(server.lines).toEqual([]);
});
