import {
  ConflictError,
  conflicts,
  DataProxy,
  type DependencyError,
  HttpError,
  type HttpResponse,
  Model,
  plain,
  ResultSet,
  rollback,
  Store,
  sync,
  ValidationError,
} from 'repose';
import type { StepContext } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { deferred } from '../helpers/rest-server.js';
import { rows, rowsFrom } from '../store/support.js';
import { accepting, Note, sentLines, server, Task, User } from './support.js';

const writer = { clientIdProperty: 'cid' };
const storeOf = (data: object[] = [], proxy: object = {}) =>
  new Store({ model: User, pageSize: 0, data: data as never, proxy: { batchActions: true, writer, ...proxy } });
const editAll = (store: Store<User>) => {
  for (const user of store) user.name = `e${user.id}`;
};
/** The rows that a server returns for a create. */
const stored = (body: object[]) => body.map((row, i) => ({ ...row, id: 101 + i }));

describe('a multi-status response (207)', () => {
  test('gives each record its outcome, as if it had been sent alone', async () => {
    const store = storeOf(rows(1, 2, 3, 4, 5), { use: [conflicts()] });
    editAll(store);
    server.reply({
      status: 207,
      json: [
        { id: 1, status: 200, body: { id: 1, name: 'from the server' } },
        { id: 2, status: 412, body: { id: 2, name: 'theirs' } },
        { id: 3, status: 422, error: { errors: { name: ['is bad'] } } },
        { id: 4, status: 404, error: 'gone' },
        { id: 5, status: 204 },
      ],
    });
    const { outcomes } = await store.sync();
    const [one, conflict, invalid, missing, five] = outcomes.map(({ error }) => error);
    expect([one, five, store.getById(1)?.name]).toEqual([undefined, undefined, 'from the server']);
    expect(conflict).toBeInstanceOf(ConflictError);
    expect(conflict).toMatchObject({ theirs: { id: 2, name: 'theirs' }, mine: { id: 2, name: 'e2' }, status: 412 });
    expect(invalid).toBeInstanceOf(ValidationError);
    expect((invalid as ValidationError).issues).toEqual([{ path: ['name'], message: 'is bad' }]);
    expect(missing).toBeInstanceOf(HttpError);
    expect(missing).toMatchObject({ status: 404 });
    expect(missing?.message).toMatch(/^PUT .*\/users answered 404: gone\. Check the id/);
    expect(store.pending.edited.map(({ id }) => id)).toEqual([2, 3, 4]);
    expect(store.getById(1)?.$.data).toEqual({ id: 1, name: 'from the server' });
  });

  test.each(['results', 'responses', 'items', 'data'])('may hold its entries in `%s`', async (name) => {
    const store = storeOf(rows(1, 2));
    editAll(store);
    server.reply({ status: 207, json: { [name]: [{ status: 200 }, { status: 500 }] } });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'http']);
  });

  test('may give the id of a created record in a nested row, beside it, or in the entry itself', async () => {
    const store = storeOf();
    const [a, b, c] = store.add({ name: 'a' }, { name: 'b' }, { name: 'c' }) as [User, User, User];
    server.reply(({ body }) => ({
      status: 207,
      json: [
        { status: 201, cid: body[2].cid, data: { id: 13, name: 'c' } },
        { status: 201, cid: body[0].cid, id: 11 },
        { status: 'HTTP/1.1 201 Created', cid: body[1].cid, id: 12, body: { name: 'B' } },
      ],
    }));
    expect((await store.sync()).failures).toEqual([]);
    expect([a.id, b.id, c.id, b.name]).toEqual([11, 12, 13, 'B']);
    a.name = 'edited';
    c.name = 'too';
    server.reply({ json: { id: 11, name: 'a', more: 'by the server' } }, { status: 204 }, { status: 204 });
    await a.save();
    expect(server.last.body).toEqual({ id: 11, name: 'edited', more: 'by the server' });
    // The entry of `c` held its whole row, so no read comes first.
    await c.save();
    expect(server.lines.slice(1)).toEqual(['GET /users/11', 'PUT /users/11', 'PUT /users/13']);
  });

  test('fails a record that has one failed and one successful entry', async () => {
    const store = storeOf(rows(1, 2));
    editAll(store);
    server.reply({
      status: 207,
      json: [
        { id: 1, status: 422 },
        { id: 1, status: 200 },
        { id: 2, status: 200 },
      ],
    });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['validation', undefined]);
  });

  test('of an erase removes the records whose entry succeeded', async () => {
    const store = storeOf(rows(1, 2, 3));
    store.removeAll();
    server.reply({
      status: 207,
      json: {
        results: [
          { id: 3, status: 204 },
          { id: 1, status: 403 },
        ],
      },
    });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ record, error }) => [record.id, error?.code])).toEqual([
      [1, 'auth'],
      [2, 'read'],
      [3, undefined],
    ]);
    expect([...store].map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe('options of the reader for bulk responses', () => {
  test('name the members for status and row in a response with any status', async () => {
    const reader = { statusProperty: 'meta.code', bodyProperty: 'payload.user' };
    const store = storeOf(rows(1, 2), { reader });
    editAll(store);
    server.reply({
      json: [
        { id: 2, meta: { code: 200 }, payload: { user: { id: 2, name: 'two' } } },
        { id: 1, meta: { code: 412 }, payload: { user: { id: 1, name: 'theirs' } } },
      ],
    });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['conflict', undefined]);
    expect(store.getById(2)?.name).toBe('two');
  });

  test('are needed for answers other than 207, where `status` may be a field', async () => {
    class Order extends Model.define({
      fields: { id: 'int', status: 'int' },
      proxy: server.proxy('/orders', { batchActions: true }),
    }) {}
    const orders = new Store({
      model: Order,
      pageSize: 0,
      data: [
        { id: 1, status: 1 },
        { id: 2, status: 1 },
      ],
    });
    for (const order of orders) order.status = 404;
    server.reply(({ body }) => ({ json: body }));
    expect((await orders.sync()).failures).toEqual([]);
    expect([...orders].map(({ status }) => status)).toEqual([404, 404]);
  });

  test('are not needed when the dialect reads the entries', async () => {
    const dialect = {
      ...plain(),
      readSaved: ({ request }: StepContext) => {
        const { body } = request.response as HttpResponse;
        const { ok, bad } = body as { ok: { id: number }[]; bad: { id: number; why: string }[] };
        return new ResultSet({
          entries: [
            ...ok.map((item) => ({ item, row: item })),
            ...bad.map((item) => ({ item, row: undefined, status: 422, problem: { errors: { name: [item.why] } } })),
          ],
        });
      },
    };
    const store = storeOf(rows(1, 2), { dialect });
    editAll(store);
    server.reply({ json: { bad: [{ id: 1, why: 'is taken' }], ok: [{ id: 2, name: 'e2' }] } });
    const { outcomes } = await store.sync();
    const [error, none] = outcomes.map((each) => each.error) as [ValidationError, undefined];
    expect([error.issues, none]).toEqual([[{ path: ['name'], message: 'is taken' }], undefined]);
  });
});

describe('rows of a bulk response', () => {
  test.each<[string, object[], (string | undefined)[]]>([
    ['match records by id in another order', [{ id: 2 }, { id: 1 }], [undefined, undefined]],
    ['that repeat an id leave the other record failed', [{ id: 1 }, { id: 1 }], [undefined, 'read']],
    ['with ids of other records fail all records', [{ id: 8 }, { id: 9 }], ['read', 'read']],
    ['that are too few fail the missing records', [{ id: 2 }], ['read', undefined]],
    ['that are too many are ignored', [{ id: 2 }, { id: 1 }, { id: 3 }], [undefined, undefined]],
    ['without ids that are too few fail all records', [{ name: 'x' }], ['read', 'read']],
    ['without ids that are too many fail all records', [{}, {}, {}], ['read', 'read']],
  ])('%s', async (_, json, codes) => {
    const store = storeOf(rows(1, 2));
    editAll(store);
    server.reply({ json });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual(codes);
    expect([...store].map(({ name }) => name)).toEqual(['e1', 'e2']);
  });

  test('for creates match by the ids that were sent, or by position if the server assigned other ids', async () => {
    const own = { writer: { writeRecordId: true } };
    const [kept, given] = [storeOf([], own), storeOf([], own)];
    const make = (store: Store<User>) => store.add({ id: 31, name: 'a' }, { id: 32, name: 'b' }) as [User, User];
    const [a, b] = make(kept);
    server.reply(({ body }) => ({ json: [...body].reverse().map((row) => ({ ...row, name: `${row.name}!` })) }));
    await kept.sync();
    expect([a.id, a.name, b.id, b.name]).toEqual([31, 'a!', 32, 'b!']);
    const [c, d] = make(given);
    server.reply({ json: [{ id: 501 }, { id: 502 }] });
    await given.sync();
    expect([c.id, d.id]).toEqual([501, 502]);
  });
});

describe('bulk requests', () => {
  test('are sent level by level along references, and a failed record holds back only its children', async () => {
    const proxy = { batchActions: true, writer };
    const users = new Store({ model: User, pageSize: 0, proxy });
    const tasks = new Store({ model: Task, pageSize: 0, proxy });
    const [good, bad] = users.add({ name: 'good' }, { name: 'bad' }) as [User, User];
    const [one] = tasks.add({ title: 'one', ownerId: good.id }, { title: 'held', ownerId: bad.id }) as [Task];
    tasks.add(
      { title: 'two', ownerId: good.id },
      { title: 'below', parentId: one.id },
      { title: 'beside', parentId: one.id },
    );
    server.reply(({ body }) => ({
      status: 207,
      json: [
        { ...body[0], status: 201, id: 11 },
        { ...body[1], status: 422 },
      ],
    }));
    server.always(({ body }) => ({ json: stored(body) }));
    const { failures, outcomes } = await sync([tasks, users]);
    expect(sentLines().map((line) => line.replace(/,?"cid":-\d+/g, ''))).toEqual([
      'POST /users [{"name":"good"},{"name":"bad"}]',
      'POST /tasks [{"title":"one","ownerId":11},{"title":"two","ownerId":11}]',
      'POST /tasks [{"title":"below","parentId":101},{"title":"beside","parentId":101}]',
    ]);
    expect(failures.map(({ error }) => error.code)).toEqual(['dependency', 'validation']);
    expect(outcomes).toHaveLength(7);
  });

  test('are grouped by the address of their records', async () => {
    const notes = new Store({ model: Note, pageSize: 0, proxy: { batchActions: true, writer } });
    notes.add(...[1, 2, 1, 2, 3].map((taskId, i) => ({ taskId, text: `${i}` })));
    server.always(({ body }) => ({ json: Array.isArray(body) ? stored(body) : { id: 9 } }));
    expect((await notes.sync()).failures).toEqual([]);
    expect(
      server.requests.map(({ path, body }) => [
        path,
        [body]
          .flat()
          .map(({ text }) => text)
          .join(''),
      ]),
    ).toEqual([
      ['/tasks/1/notes', '02'],
      ['/tasks/2/notes', '13'],
      ['/tasks/3/notes', '4'],
    ]);
  });

  test('contain at most `batchSize` records, and at most `concurrency` of them are in flight', async () => {
    const store = storeOf(rowsFrom(1, 7));
    editAll(store);
    const most: number[] = [];
    let flying = 0;
    const gate = deferred<void>();
    server.always(async ({ body }) => {
      flying += 1;
      most.push(flying);
      if (flying === 2) gate.resolve();
      await gate.promise;
      flying -= 1;
      return { json: body };
    });
    expect((await store.sync({ batchSize: 3, concurrency: 2 })).failures).toEqual([]);
    expect(server.requests.map(({ body }) => [body].flat().length)).toEqual([3, 3, 1]);
    expect(Math.max(...most)).toBe(2);
  });

  describe('that must wait for an earlier one', () => {
    class Post extends Model.define({
      name: 'post',
      fields: { id: 'int', text: 'string', taskId: { type: 'string', allowNull: true } },
      proxy: server.proxy('/tasks/{taskId}/posts', { batchActions: true, writer }),
    }) {}
    const answers = () => {
      let last = 100;
      server.always(({ body }) => {
        const withId = (row: object) => ({ ...row, id: (last += 1) });
        return { status: 201, json: Array.isArray(body) ? body.map(withId) : withId(body) };
      });
    };
    const posts = (...taskIds: (string | null)[]) => {
      const store = new Store({ model: Post, pageSize: 0 });
      return [store, store.add(...taskIds.map((taskId, i) => ({ text: `p${i}`, taskId })))] as const;
    };

    test.each<[string, () => Store<Post> | Store<User>, object]>([
      ['address', () => posts('1', '1', '2', '2')[0], {}],
      [
        'batch size',
        () => {
          const store = storeOf();
          store.add({ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' });
          return store;
        },
        { batchSize: 2, concurrency: 1 },
      ],
    ])('(split by %s) do not repeat creates that a second sync has sent meanwhile', async (_, make, options) => {
      const store = make();
      const held = server.hold();
      answers();
      const first = store.sync(options);
      await held.request;
      const second = store.sync({ batchSize: 2 });
      await expect.poll(() => store.pending.created.length).toBe(2);
      held.answer({ status: 201, json: [{ id: 1 }, { id: 2 }] });
      expect((await first).failures).toEqual([]);
      expect((await second).failures).toEqual([]);
      expect(server.requests.flatMap(({ body }) => body)).toHaveLength(4);
    });

    test('use the address that each record had when the sync was called', async () => {
      const [store, [, , c, d]] = posts('1', '1', '2', '2');
      const held = server.hold();
      answers();
      const syncing = store.sync();
      await held.request;
      (d as Post).taskId = '3';
      held.answer({ status: 201, json: [{ id: 1 }, { id: 2 }] });
      expect((await syncing).failures).toEqual([]);
      expect(server.lines).toEqual(['POST /tasks/1/posts', 'POST /tasks/2/posts']);
      expect([c?.phantom, d?.phantom, d?.$.modified]).toEqual([false, false, { taskId: '3' }]);
    });

    test('do not include a record without an address', async () => {
      const [store] = posts('null', null);
      answers();
      const { outcomes } = await store.sync();
      expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'address']);
      expect(server.lines).toEqual(['POST /tasks/null/posts']);
      expect(server.last.body).toMatchObject({ text: 'p0' });
    });
  });

  test('leave out a record with a value that cannot be serialized', async () => {
    const serialize = (value: unknown) => {
      if (value === 'e1') throw new Error('mine');
      return value;
    };
    class Odd extends Model.define({
      name: 'odd',
      fields: { id: 'int', name: { type: 'string', serialize } },
      proxy: server.proxy('/odds', { batchActions: true }),
    }) {}
    const store = new Store({ model: Odd, pageSize: 0, data: rows(1, 2, 3) });
    for (const odd of store) odd.name = `e${odd.id}`;
    server.reply(({ body }) => ({ json: body }));
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['definition', undefined, undefined]);
    expect([store.getById(1)?.$.error, store.pending.edited]).toEqual([outcomes[0]?.error, [store.getById(1)]]);
    expect(server.last.body).toEqual([
      { id: 2, name: 'e2' },
      { id: 3, name: 'e3' },
    ]);
    await expect(store.getById(1)?.save()).rejects.toMatchObject({ code: 'definition' });
  });

  test('confirm only the first of two records when the response repeats one id', async () => {
    const store = storeOf();
    const [a, b] = store.add({ name: 'a' }, { name: 'b' });
    server.reply({ status: 201, json: [{ id: 5 }, { id: 5 }] });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.reason)).toEqual([undefined, 'response-missing']);
    expect([a?.id, b?.phantom, b?.$.unconfirmed, store.pending.created]).toEqual([5, true, true, [b]]);
  });

  test('take no id of a created record from `Location`', async () => {
    const store = storeOf();
    store.add({ name: 'a' }, { name: 'b' });
    server.reply({ status: 201, headers: { Location: '/batches/77' }, json: [{ ok: true }, { ok: true }] });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.reason)).toEqual(['response-no-id', 'response-no-id']);
  });

  test('of a custom proxy without HTTP are read the same way', async () => {
    class Own extends DataProxy {
      override async update(): Promise<ResultSet> {
        return new ResultSet({ rows: [{ id: 1, status: 200 }, { id: 2, status: 404, message: 'gone' }, { id: 3 }] });
      }
      override async create(): Promise<ResultSet> {
        return new ResultSet({ rows: [] });
      }
      override read: () => Promise<ResultSet> = this.create;
      override erase: () => Promise<ResultSet> = this.create;
    }
    const proxy = new Own({ batchActions: true, reader: { statusProperty: 'status' } } as never);
    const store = new Store({ model: User.with({ proxy }), pageSize: 0, data: rows(1, 2, 3) });
    for (const user of store) user.name = 'e';
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'http', undefined]);
    expect(store.pending.edited).toEqual([store.getById(2)]);
  });

  test('leave out a record that is being saved, which is sent on its own afterwards', async () => {
    const store = storeOf(rows(1, 2, 3));
    editAll(store);
    const held = server.hold();
    const saving = (store.getById(1) as User).save();
    await held.request;
    (store.getById(1) as User).name = 'later';
    server.always(({ body }) => ({ json: body }));
    const syncing = store.sync();
    await expect.poll(() => server.requests.length).toBe(2);
    held.answer({ status: 204 });
    await Promise.all([saving, syncing]);
    expect(server.requests.map(({ body }) => [body].flat().map(({ id }) => id))).toEqual([[1], [2, 3], [1]]);
  });

  test("that were not sent when one fails are skipped with `onFailure: 'stop'`", async () => {
    const store = storeOf(rows(1, 2, 3, 4));
    editAll(store);
    server.reply({
      status: 207,
      json: [
        { id: 1, status: 200 },
        { id: 2, status: 422 },
      ],
    });
    const { outcomes } = await store.sync({ batchSize: 2, concurrency: 1, onFailure: 'stop' });
    expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'validation', 'skipped', 'skipped']);
    expect(server.requests).toHaveLength(1);
  });

  test("that were answered are undone with `onFailure: 'rollback'`", async () => {
    const store = storeOf(rows(1, 2));
    editAll(store);
    const [a] = store.add({ name: 'a' }, { name: 'b' }) as [User];
    server.reply(({ body }) => ({ json: stored(body) }), {
      status: 207,
      json: [
        { id: 1, status: 200 },
        { id: 2, status: 422 },
      ],
    });
    server.always(accepting());
    const { outcomes } = await store.sync({ onFailure: rollback });
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['undone', 'undone', 'undone', 'validation']);
    expect(server.lines.slice(2).sort()).toEqual(['DELETE /users/101', 'DELETE /users/102', 'PUT /users/1']);
    expect([a.phantom, store.pending.edited.length]).toEqual([true, 2]);
  });

  test('leave out a record that waits for a parent that is still being saved', async () => {
    const tasks = new Store({ model: Task, pageSize: 0, proxy: { batchActions: true, writer } });
    const user = new User({ name: 'Ada' });
    tasks.add({ title: 'a' }, { title: 'b', ownerId: user.id }, { title: 'c' });
    const held = server.hold();
    const saving = user.save();
    await held.request;
    server.always(({ body }) => ({ json: Array.isArray(body) ? stored(body) : { id: 50 } }));
    const syncing = tasks.sync();
    await expect.poll(() => server.requests.length).toBe(2);
    held.answer({ status: 201, json: { id: 7 } });
    await Promise.all([saving, syncing]);
    expect(
      server.requests.slice(1).map(({ body }) => [body].flat().map(({ title, ownerId }) => [title, ownerId])),
    ).toEqual([
      [
        ['a', undefined],
        ['c', undefined],
      ],
      [['b', 7]],
    ]);
  });

  test('leave out a record whose parent is never saved', async () => {
    const tasks = new Store({ model: Task, pageSize: 0, proxy: { batchActions: true, writer } });
    const user = new User();
    tasks.add({ title: 'a' }, { title: 'b', ownerId: user.id }, { title: 'c' });
    server.always(({ body }) => ({ json: stored(body) }));
    const { failures } = await tasks.sync();
    expect(failures.map(({ error }) => (error as unknown as DependencyError).parent)).toEqual([user]);
    expect(server.requests.map(({ body }) => body.length)).toEqual([2]);
  });
});
