import { type JsonReaderConfig, Model, plain, type RestProxyConfig, retry, Store } from 'repose';
import { directus } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const row = { id: 9, title: 'a' };
const define = (reader: JsonReaderConfig = {}, config: RestProxyConfig = {}) =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: { type: 'string', allowNull: true } },
    proxy: server.proxy('/tasks', { dialect: plain(), reader, ...config }),
  }) {};
const missing = expect.objectContaining({ name: 'HttpError', code: 'http', reason: 'http-no-row', status: 404 });
const empty: Reply = { status: 204 };
const gone: Reply = { status: 404 };

/** Updates and erases a record; the outcome of each is its error or 'done'. */
async function outcomes(Task: ReturnType<typeof define>, answer: Reply, read: Reply = gone): Promise<unknown[]> {
  server.always(({ method }) => (method === 'GET' ? read : answer));
  const task = Task.fromRow(row);
  task.title = 'b';
  const saved = await task.save().then(
    () => 'done',
    (error: unknown) => error,
  );
  const erased = await Task.fromRow(row)
    .erase()
    .then(
      () => 'done',
      (error: unknown) => error,
    );
  return [saved, erased];
}

describe('`affected`', () => {
  test.each<[JsonReaderConfig['affected'] & {}, Reply]>([
    ['changes', { json: { changes: 0 } }],
    ['data.changes', { json: { message: 'ok', data: { changes: '0' } } }],
    [(body) => (body as { n: number }[])[0]?.n, { json: [{ n: 0 }] }],
  ])('%s: a count of 0 is a missing record', async (affected, answer) => {
    expect(await outcomes(define({ affected }), answer)).toEqual([missing, missing]);
  });

  test('a count of rows above 0, or none, is a success', async () => {
    expect(await outcomes(define({ affected: 'changes' }), { json: { changes: 1 } })).toEqual(['done', 'done']);
    expect(await outcomes(define({ affected: 'changes' }), { json: {} })).toEqual(['done', 'done']);
    expect(await outcomes(define({ affected: 'changes' }), empty)).toEqual(['done', 'done']);
  });

  test('an update of 0 rows succeeds if the row on the server holds what was sent, as with MySQL', async () => {
    const Task = define({ affected: 'changes' });
    const answer = { json: { changes: 0 } };
    const other = { json: { ...row, title: 'b', by: 'eve' } };
    expect(await outcomes(Task, answer, other)).toEqual(['done', missing]);
    expect(await outcomes(Task, answer, { json: row })).toEqual([missing, missing]);
    expect(server.lines).toEqual([...server.lines.slice(0, 3), 'PATCH /tasks/9', 'GET /tasks/9', 'DELETE /tasks/9']);
  });

  test('a failed update keeps its edit, and says where to look', async () => {
    server.always(({ method }) => (method === 'GET' ? gone : { json: { changes: 0 } }));
    const task = define({ affected: 'changes' }).fromRow(row);
    task.title = 'b';
    const error = await task.save().catch((reason: Error) => reason);
    expect([task.dirty, task.title, task.$.error]).toEqual([true, 'b', error]);
    expect(String(error)).toMatch(/PATCH .*\/tasks\/9 was answered with a success that changed no row/);
  });

  test('the entries of a bulk write are read one by one', async () => {
    const Task = define({ affected: 'changes', statusProperty: 'status' }, { batchActions: true });
    const store = new Store({ model: Task });
    for (const id of [1, 2, 3]) store.add(Task.fromRow({ id, title: 'a' }));
    for (const task of store) task.title = 'b';
    server.always(({ method, path }) =>
      method === 'GET'
        ? path.endsWith('/3')
          ? { json: { id: 3, title: 'b' } }
          : gone
        : { json: [1, 2, 3].map((id) => ({ id, status: 200, changes: id === 1 ? 1 : 0 })) },
    );
    const batch = await store.sync();
    expect(batch.outcomes.map(({ error }) => error)).toEqual([undefined, missing, undefined]);
  });

  test('options that cannot be read are refused', () => {
    expect(() => define({ affected: "a['b" }).proxy.reader).toThrow(/reader\.affected/);
    expect(() => define({ empty: 'gone' as 'missing' }).proxy.reader).toThrow(/empty/);
    expect(() => define({ empty: { updates: 'missing' } as never }).proxy.reader).toThrow(/update/);
  });
});

describe('the usual names of counts', () => {
  test.each(['changes', 'count', 'affectedRows', 'deletedCount'])(
    '%s: 0 fails a destroy, not an update',
    async (name) => {
      expect(await outcomes(define(), { json: { [name]: 0 } })).toEqual(['done', missing]);
      expect(await outcomes(define({ rootProperty: 'data' }), { json: { data: { [name]: 0 } } })).toEqual([
        'done',
        missing,
      ]);
    },
  );

  test('are not read where the model has such a field, or the response is the row', async () => {
    expect(await outcomes(define(), { json: { id: 9, count: 0 } })).toEqual(['done', 'done']);
    const Counted = class extends Model.define({
      fields: { id: 'int', count: 'int' },
      proxy: server.proxy('/tasks', { dialect: plain() }),
    }) {};
    server.always(() => ({ json: { count: 0 } }));
    await Counted.fromRow({ id: 9, count: 0 }).erase();
  });

  test('fail a repeated update, unless the row holds what was sent', async () => {
    const Task = define({}, { use: [retry({ random: () => 0 })] });
    for (const [read, expected] of [
      [gone, missing],
      [{ json: { ...row, title: 'b' } }, 'done'],
    ] as const) {
      server.reset();
      server.reply({ status: 503 }, { json: { changes: 0 } }, read);
      const task = Task.fromRow(row);
      task.title = 'b';
      expect(
        await task.save().then(
          () => 'done',
          (error: unknown) => error,
        ),
      ).toEqual(expected);
    }
  });
});

describe('`empty`', () => {
  test('a response without a body is a missing record with `missing`, for one action or both', async () => {
    expect(await outcomes(define(), empty)).toEqual(['done', 'done']);
    expect(await outcomes(define({ empty: 'missing' }), empty)).toEqual([missing, missing]);
    expect(await outcomes(define({ empty: { update: 'missing' } }), empty)).toEqual([missing, 'done']);
    expect(await outcomes(define({ empty: { destroy: 'missing' } }), empty)).toEqual(['done', missing]);
    expect(await outcomes(define({ empty: 'missing' }), { json: {} })).toEqual(['done', 'done']);
  });

  test('directus: 204 to an update is a missing item, which a destroy cannot tell', async () => {
    expect(await outcomes(define({}, { dialect: directus() }), empty, { status: 403 })).toEqual([missing, 'done']);
    const readable = { json: { data: { ...row, title: 'b' } } };
    expect(await outcomes(define({}, { dialect: directus() }), empty, readable)).toEqual(['done', 'done']);
    expect(await outcomes(define({ empty: 'done' }, { dialect: directus() }), empty)).toEqual(['done', 'done']);
  });
});

test('`successProperty` as a function, and `problem`, are called for a response without a body; `transform` is not', async () => {
  const calls: unknown[] = [];
  const Task = define({
    successProperty: (_, { response }) => response?.status !== 204,
    transform: (body) => {
      calls.push(body);
      return body;
    },
    problem: (body, status) => {
      calls.push([body, status]);
      return { status: 410, detail: 'gone for good', issues: [] };
    },
  });
  const errors = await outcomes(Task, empty);
  expect(errors).toEqual([expect.objectContaining({ status: 410 }), expect.objectContaining({ status: 410 })]);
  expect(String(errors[0])).toMatch(/gone for good/);
  expect(calls).toEqual([
    [undefined, 204],
    [undefined, 204],
  ]);
});
