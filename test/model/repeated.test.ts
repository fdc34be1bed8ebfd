import { auth, ConflictError, etags, Model, off, retry, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const clock = manualClock();

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    name: 'string',
    at: 'date',
    owner: { type: 'int', mapping: 'owner.id' },
    draft: { type: 'boolean', persist: false },
    size: {
      mapping: (row: { w?: number; h?: number }) => `${row.w}x${row.h}`,
      serialize: (value: unknown) => {
        const [w, h] = String(value).split('x').map(Number);
        return { w, h };
      },
    },
  },
  proxy: server.proxy('/tasks', { clock, use: [retry({ random: () => 0 })] }),
}) {}

const ROW = { id: 7, name: 'a', at: '2024-01-01T00:00:00Z', owner: { id: 1 }, version: 3, w: 1, h: 2 };
const saved = () => Task.fromRow(structuredClone(ROW));
const unanswered: readonly [string, Reply][] = [
  ['no response', { drop: true }],
  ['503', { status: 503 }],
];

/** Advances the clock until a call has settled; resolves with its error. */
async function settled(call: Promise<unknown>): Promise<unknown> {
  let done = false;
  const result = call
    .then(
      () => undefined,
      (error: unknown) => error,
    )
    .finally(() => {
      done = true;
    });
  while (!done) {
    await new Promise(setImmediate);
    clock.advance(1);
  }
  return result;
}

describe('an erase that is sent again', () => {
  test.each(unanswered)('after %s succeeds when the record is gone', async (_, reply) => {
    for (const status of [404, 410]) {
      server.reset();
      server.reply(reply, { status });
      const task = saved();
      expect(await settled(task.erase())).toBeUndefined();
      expect([task.erased, task.$.error, server.lines.length]).toEqual([true, undefined, 2]);
    }
  });

  test('rejects with a 404 if no earlier attempt can have succeeded', async () => {
    server.reply({ status: 404 });
    const task = saved();
    expect(await settled(task.erase())).toMatchObject({ status: 404 });
    expect(task.erased).toBe(false);
    server.reply({ status: 404 });
    expect(await settled(task.erase())).toMatchObject({ status: 404 });
  });

  test('rejects with a 404 if the earlier attempt was refused with a 401', async () => {
    const Signed = Task.with({ proxy: { headers: { Authorization: 'a' }, use: [auth({ renew: () => true })] } });
    server.reply({ status: 401 }, { status: 404 });
    const task = Signed.fromRow(structuredClone(ROW));
    await expect(task.erase()).rejects.toMatchObject({ status: 404 });
    expect([task.erased, server.requests.length]).toEqual([false, 2]);
  });

  test('by another call succeeds with a 404 too, if the call before got no response', async () => {
    const Plain = Task.with({ proxy: { use: [off('retry')] } });
    const task = Plain.fromRow({ ...ROW });
    server.reply({ drop: true }, { status: 404 });
    expect(await settled(task.erase())).toMatchObject({ code: 'network' });
    expect(await settled(task.erase())).toBeUndefined();
    expect(task.erased).toBe(true);
    const other = Plain.fromRow({ ...ROW });
    other.name = 'b';
    server.reply({ drop: true }, { status: 404 });
    expect(await settled(other.save())).toMatchObject({ code: 'network' });
    expect(await settled(other.erase())).toMatchObject({ status: 404 });
  });

  test('succeeds with a 404 also if a save between the two failed, but not if that was done', async () => {
    const Plain = Task.with({ proxy: { use: [off('retry')] } });
    for (const [saveReply, end] of [
      [{ drop: true }, undefined],
      [{ status: 503 }, undefined],
      [{ status: 422 }, undefined],
      [{ status: 204 }, { status: 404 }],
    ] as const) {
      const task = Plain.fromRow({ ...ROW });
      server.reply({ drop: true }, saveReply, { status: 404 });
      expect(await settled(task.erase())).toMatchObject({ code: 'network' });
      task.name = 'b';
      await settled(task.save());
      const error = await settled(task.erase());
      if (end) expect(error).toMatchObject(end);
      else expect([error, task.erased]).toEqual([undefined, true]);
    }
    // A refusal of the erase itself says that the first one was not carried out.
    const refused = Plain.fromRow({ ...ROW });
    server.reply({ drop: true }, { status: 422 }, { status: 404 });
    expect(await settled(refused.erase())).toMatchObject({ code: 'network' });
    expect(await settled(refused.erase())).toMatchObject({ code: 'validation' });
    expect(await settled(refused.erase())).toMatchObject({ status: 404 });
  });

  test.each([401, 403])(
    'and refused with %i keeps the earlier attempt undecided: a later 404 is a success',
    async (status) => {
      const Plain = Task.with({ proxy: { use: [off('retry')] } });
      const task = Plain.fromRow({ ...ROW });
      server.reply({ drop: true }, { status }, { status: 404 });
      expect(await settled(task.erase())).toMatchObject({ code: 'network' });
      expect(await settled(task.erase())).toMatchObject({ code: 'auth' });
      expect(await settled(task.erase())).toBeUndefined();
      expect(task.erased).toBe(true);
      // The retry extension can have sent the second attempt as well.
      const other = saved();
      server.reply({ drop: true }, { status }, { status: 404 });
      expect(await settled(other.erase())).toMatchObject({ code: 'auth' });
      expect(await settled(other.erase())).toBeUndefined();
      // A refusal alone is a clear response.
      const refused = saved();
      server.reply({ status }, { status: 404 });
      expect(await settled(refused.erase())).toMatchObject({ code: 'auth' });
      expect(await settled(refused.erase())).toMatchObject({ status: 404 });
    },
  );

  test.each([
    ['is gone', { status: 404 }, true],
    ['is not found', { json: [] }, true],
    ['is there', { json: ROW }, false],
    ['cannot be read', { status: 500 }, false],
  ])('and answered with 412 reads the record, which %s', async (_, reply, gone) => {
    server.reply({ drop: true }, { status: 412 }, reply);
    const task = saved();
    const error = await settled(task.erase({ headers: { 'If-Match': '"3"', 'X-Why': 'w' } }));
    expect([task.erased, error instanceof ConflictError]).toEqual([gone, !gone]);
    expect(server.lines).toEqual(['DELETE /tasks/7', 'DELETE /tasks/7', 'GET /tasks/7']);
    expect([server.last.headers['if-match'], server.last.headers['x-why']]).toEqual([undefined, 'w']);
  });

  test('is no success because a read under `api.read`, an address of its own, finds nothing', async () => {
    const Elsewhere = Task.with({ proxy: { api: { read: '/search' } } });
    server.reply({ drop: true }, { status: 412 }, { status: 404 });
    const task = Elsewhere.fromRow(structuredClone(ROW));
    expect(await settled(task.erase())).toMatchObject({ status: 412 });
    expect(task.erased).toBe(false);
    expect(server.lines).toEqual(['DELETE /tasks/7', 'DELETE /tasks/7', 'GET /search/7']);
  });
});

describe('an update that is sent again', () => {
  function edited() {
    const task = saved();
    task.set({ name: 'b', at: new Date(Date.UTC(2025, 0, 1)), owner: 2, draft: true });
    task.size = '3x4';
    return task;
  }
  const SENT = { ...ROW, name: 'b', at: '2025-01-01T00:00:00.000Z', owner: { id: 2 }, w: 3, h: 4 };

  test.each([412, 412])('after no response succeeds if the row has the values that were sent (%i)', async (status) => {
    // The server chooses versions and the spelling of dates.
    const now = { ...SENT, at: '2025-01-01T00:00:00Z', version: 4 };
    server.reply({ drop: true }, { status }, { json: now }, { status: 204 });
    const task = edited();
    expect(await settled(task.save())).toBeUndefined();
    expect([task.dirty, task.$.error, server.lines]).toEqual([
      false,
      undefined,
      ['PUT /tasks/7', 'PUT /tasks/7', 'GET /tasks/7'],
    ]);
    task.name = 'c';
    await settled(task.save());
    expect(server.last.body).toEqual({ ...now, name: 'c' });
  });

  test.each([
    ['undefined', undefined, { id: 7, note: null }],
    ['null', null, { id: 7 }],
    ['null, which the server keeps', null, { id: 7, note: null }],
  ])('succeeds if the row has null or nothing for a field that was emptied to %s', async (_, nothing, now) => {
    server.reply({ drop: true }, { status: 412 }, { json: now });
    class Noted extends Task.define({ fields: { note: { type: 'string', allowNull: true } } }) {}
    const task = Noted.fromRow({ id: 7, note: 'a' });
    task.note = nothing as null;
    expect(await settled(task.save())).toBeUndefined();
    expect([task.dirty, task.$.error]).toEqual([false, undefined]);
  });

  test.each([
    ['an emptied member', { w: null }, undefined],
    ['no member', undefined, undefined],
    ['a member with another value in the row', { w: 5 }, 412],
  ])('is compared by the members that `serialize` returns: %s', async (_, members, status) => {
    class Measured extends Task.define({ fields: { size: { mapping: (row) => row.w, serialize: () => members } } }) {}
    server.reply({ drop: true }, { status: 412 }, { json: { id: 7 } });
    const task = Measured.fromRow({ id: 7, w: 1 });
    task.size = 2;
    const error = await settled(task.save());
    expect(error && (error as { status?: number }).status).toBe(status);
    expect(task.dirty).toBe(status !== undefined);
  });

  test('takes over the ETag of the row that was read', async () => {
    const Guarded = Task.with({ proxy: { use: [etags()] } });
    const header = (etag: string) => ({ headers: { ETag: etag } });
    server.reply({ json: ROW, ...header('"3"') }, { drop: true }, { status: 412 });
    server.reply({ json: { ...ROW, name: 'b' }, ...header('"4"') }, { status: 204 });
    const task = await Guarded.load(7);
    task.name = 'b';
    expect(await settled(task.save())).toBeUndefined();
    task.name = 'c';
    await settled(task.save());
    const conditions = server.requests.map(({ method, headers }) => `${method} ${headers['if-match']}`);
    expect(conditions).toEqual(['GET undefined', 'PUT "3"', 'PUT "3"', 'GET undefined', 'PUT "4"']);
  });

  test('keeps an edit made while the save was in flight', async () => {
    const held = server.hold();
    server.reply({ status: 412 }, { json: { ...SENT, version: 4 } });
    const task = edited();
    const save = task.save();
    await held.request;
    task.name = 'c';
    held.answer({ drop: true });
    expect(await settled(save)).toBeUndefined();
    expect([task.$.modified, task.name]).toEqual([{ name: 'c' }, 'c']);
  });

  test.each([
    ['holds another value', { json: { ...SENT, name: 'x' } }],
    ['has another value in a member that `serialize` returns', { json: { ...SENT, h: 5 } }],
    ['has another id', { json: { ...SENT, id: 8 } }],
    ['is gone', { status: 404 }],
    ['cannot be read', { drop: true }],
  ])('is a conflict if the row %s', async (_, reply) => {
    server.reply({ status: 502 }, { status: 412 }, reply, reply, reply, reply);
    const task = edited();
    expect(await settled(task.save())).toBeInstanceOf(ConflictError);
    expect([task.dirty, task.name, task.$.error?.code]).toEqual([true, 'b', 'conflict']);
  });

  test('without edits compares the whole row', async () => {
    for (const [row, conflict] of [
      [ROW, false],
      [{ ...ROW, version: 4 }, true],
    ] as const) {
      server.reset();
      server.reply({ drop: true }, { status: 412 }, { json: row });
      expect((await settled(saved().save())) instanceof ConflictError).toBe(conflict);
    }
  });

  test('rejects with a 412 to the first attempt, and with a 404', async () => {
    server.reply({ status: 412 }, { drop: true }, { status: 404 });
    const task = edited();
    expect(await settled(task.save())).toBeInstanceOf(ConflictError);
    expect(await settled(task.save())).toMatchObject({ status: 404 });
    expect(server.lines).toEqual(['PUT /tasks/7', 'PUT /tasks/7', 'PUT /tasks/7']);
  });
});

describe('a bulk write that is sent again', () => {
  const Bulk = Task.with({ proxy: { batchActions: true, url: '/tasks' } });

  async function twoOf(replies: readonly Reply[], act: (store: Store<Task>) => void) {
    const store = new Store({ model: Bulk }) as Store<Task>;
    server.reply({ json: [ROW, { ...ROW, id: 8 }] });
    await settled(store.load());
    act(store);
    server.reply(...replies);
    let codes: unknown[] = [];
    await settled(
      store.sync().then(({ outcomes }) => {
        codes = outcomes.map(({ error }) => error?.code);
      }),
    );
    return { store, codes };
  }

  test('counts a 404 of an entry as erased, and no other refusal', async () => {
    const entries = [
      { id: 7, status: 404 },
      { id: 8, status: 403 },
    ];
    const { codes, store } = await twoOf([{ drop: true }, { status: 207, json: entries }], (each) => each.removeAll());
    expect([codes, store.count]).toEqual([[undefined, 'auth'], 1]);
    const first = await twoOf([{ status: 207, json: entries }], (each) => each.removeAll());
    expect(first.codes).toEqual(['http', 'auth']);
  });

  test('and refused as a whole reads each record', async () => {
    const remove = (each: Store<Task>) => each.removeAll();
    const there = { json: { ...ROW, id: 8 } };
    const mixed = await twoOf([{ drop: true }, { status: 404 }, { status: 404 }, there], remove);
    expect(mixed.codes).toEqual([undefined, 'http']);
    expect([...mixed.store].map(({ id }) => id)).toEqual([8]);
    expect(server.lines.slice(-2)).toEqual(['GET /tasks/7', 'GET /tasks/8']);
    const first = await twoOf([{ status: 404 }], remove);
    expect([first.codes, server.lines.at(-1)?.split(' ')[0]]).toEqual([['http', 'http'], 'DELETE']);
    const edit = (each: Store<Task>) => {
      for (const task of each) task.name = 'b';
    };
    const rows = [{ json: { ...ROW, name: 'b' } }, { json: { ...ROW, id: 8 } }];
    const updated = await twoOf([{ drop: true }, { status: 412 }, ...rows], edit);
    expect(updated.codes).toEqual([undefined, 'conflict']);
  });

  test('counts a record as updated if its row has the values that were sent', async () => {
    const entries = [
      { id: 7, status: 412 },
      { id: 8, status: 412 },
    ];
    const rows = [{ json: { ...ROW, name: 'b' } }, { json: { ...ROW, id: 8 } }];
    const { codes, store } = await twoOf([{ drop: true }, { status: 207, json: entries }, ...rows], (each) => {
      for (const task of each) task.name = 'b';
    });
    expect(codes).toEqual([undefined, 'conflict']);
    expect([...store].map((task) => task.dirty)).toEqual([false, true]);
    expect(server.lines.slice(-2)).toEqual(['GET /tasks/7', 'GET /tasks/8']);
  });
});
