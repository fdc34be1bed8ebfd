import {
  AbortError,
  AddressError,
  decide,
  embed,
  HttpError,
  Model,
  NetworkError,
  ReadError,
  rateLimit,
  StateError,
  Store,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const clock = manualClock();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string', note: 'string' },
  proxy: server.proxy('/tasks', { clock }),
}) {}

/** A new record whose create got no clear response. */
async function unconfirmedTask(reply: object = { drop: true }) {
  server.reply(reply);
  const task = new Task({ name: 'a' });
  const error = await task.save().catch((each) => each);
  expect(task.$.unconfirmed).toBe(true);
  return { task, error };
}

describe('a create leaves its record unconfirmed', () => {
  test.each([
    ['without a response', { drop: true }, 'network'],
    ['after 500', { status: 500 }, 'http'],
    ['after 502', { status: 502 }, 'http'],
    ['after 503', { status: 503, headers: { 'Retry-After': '1' } }, 'http'],
    ['after 408', { status: 408 }, 'http'],
    ['after a status that is neither success nor failure', { status: 304 }, 'read'],
    ['after HTML', { text: '<html></html>' }, 'read'],
    ['after a truncated body', { status: 201, text: '{"id": 9, "na' }, 'read'],
    ['after a success without an id', { status: 201, json: { ok: true } }, 'read'],
    ['after an empty success', { status: 204 }, 'read'],
  ])('%s: saving and erasing again send no request', async (_, reply, code) => {
    const { task, error } = await unconfirmedTask(reply);
    expect(error.code).toBe(code);
    expect([task.phantom, task.$.error, task.name]).toEqual([true, error, 'a']);
    await expect(task.save()).rejects.toBe(error);
    await expect(task.save({ params: { a: 1 } })).rejects.toBe(error);
    await expect(task.erase()).rejects.toBe(error);
    expect([task.erased, task.$.error, server.lines]).toEqual([false, error, ['POST /tasks']]);
  });

  test.each([
    [301, true],
    [302, true],
    [303, true],
    [307, false],
    [308, false],
  ])('after the redirect %i, which may hide a created record: %o', async (status, unconfirmed) => {
    server.reply({ status, headers: { Location: '/other' } });
    const task = new Task({ name: 'a' });
    await expect(task.save()).rejects.toBeInstanceOf(ReadError);
    expect([task.$.unconfirmed, server.lines]).toEqual([unconfirmed, ['POST /tasks']]);
  });

  test('after an opaque response, such as a redirect that `fetch` was told not to follow', async () => {
    const Blind = Task.with({ proxy: { fetch: async () => Response.error() } });
    const task = new Blind({ name: 'a' });
    await expect(task.save()).rejects.toMatchObject({ code: 'http', status: 0 });
    expect(task.$.unconfirmed).toBe(true);
  });

  test('when it was aborted in flight', async () => {
    const task = new Task({ name: 'a' });
    const held = server.hold();
    const save = task.save();
    await held.request;
    task.$.abort();
    const error = await save.catch((each) => each);
    held.answer({ status: 201, json: { id: 9 } });
    expect(error).toBeInstanceOf(AbortError);
    expect([error.unconfirmed, task.$.unconfirmed]).toEqual([true, true]);
    await expect(task.save()).rejects.toBe(error);
    expect(server.lines).toEqual(['POST /tasks']);
  });

  test('when it timed out; the late response changes nothing', async () => {
    const task = new Task({ name: 'a' });
    const held = server.hold();
    const save = task.save();
    await held.request;
    clock.advance(30_000);
    await expect(save).rejects.toMatchObject({ code: 'timeout', unconfirmed: true });
    held.answer({ status: 201, json: { id: 9 } });
    await new Promise(setImmediate);
    expect([task.phantom, task.$.unconfirmed, Number(task.id) < 0]).toEqual([true, true, true]);
  });

  test('when a reader of the application throws on the response', async () => {
    const transform = () => {
      throw new Error('mine');
    };
    const Broken = Task.with({ proxy: { reader: { transform } } });
    server.reply({ status: 201, json: { id: 9 } });
    const task = new Broken({ name: 'a' });
    await expect(task.save()).rejects.toMatchObject({ code: 'definition' });
    expect(task.$.unconfirmed).toBe(true);
  });
});

describe('a create does not leave its record unconfirmed', () => {
  test.each([
    ['if it is refused', { status: 409 }],
    ['if the values are not valid', { status: 422, json: {} }],
    ['if there were too many requests', { status: 429 }],
    ['if it is forbidden', { status: 403 }],
    ['if the body reports a failure', { json: { success: false, message: 'no' } }],
  ])('%s: a save sends it again, an erase drops the record', async (_, reply) => {
    server.reply(reply, reply);
    const task = new Task({ name: 'a' });
    await expect(task.save()).rejects.toBeInstanceOf(Error);
    expect(task.$.unconfirmed).toBe(false);
    await expect(task.save()).rejects.toBeInstanceOf(Error);
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks']);
    await task.erase();
    expect(task.erased).toBe(true);
  });

  test('if a rate limit of an earlier call held it back', async () => {
    const Limited = Task.with({ proxy: { use: [rateLimit({ maxWait: 1000 })] } });
    server.reply({ status: 503, headers: { 'Retry-After': '3600' } });
    await expect(Limited.load(1)).rejects.toMatchObject({ status: 503 });
    const task = new Limited({ name: 'a' });
    await expect(task.save()).rejects.toMatchObject({ reason: 'rate-pause', status: 503 });
    expect([task.$.unconfirmed, server.lines]).toEqual([false, ['GET /tasks/1']]);
    await task.erase();
  });

  test('if it was aborted or failed before it was sent', async () => {
    const task = new Task({ name: 'a' });
    await expect(task.save({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortError);
    expect(task.$.unconfirmed).toBe(false);
    const headers = () => {
      throw new Error('mine');
    };
    const other = new (Task.with({ proxy: { headers } }))({ name: 'a' });
    await expect(other.save()).rejects.toMatchObject({ code: 'definition' });
    expect(other.$.unconfirmed).toBe(false);
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND'])('if the connection to the server failed (%s)', async (code) => {
    const cause = Object.assign(new Error(code), { code });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const task = new (Task.with({ proxy: { fetch } }))({ name: 'a' });
    await expect(task.save()).rejects.toMatchObject({ code: 'network', unconfirmed: false });
    expect(task.$.unconfirmed).toBe(false);
  });

  test.each(['ftp://127.0.0.1/tasks', 'http://127.0.0.1:1/tasks'])(
    'if the address cannot be reached (%s)',
    async (url) => {
      const task = new (Task.with({ proxy: { url, fetch: globalThis.fetch } }))({ name: 'a' });
      await expect(task.save()).rejects.toMatchObject({ code: 'network', unconfirmed: false });
      expect(task.$.unconfirmed).toBe(false);
    },
  );

  test('if the record was saved before: an update may be sent twice', async () => {
    const task = Task.fromRow({ id: 7, name: 'a', note: '' });
    server.reply({ drop: true }, { status: 204 });
    task.name = 'b';
    await expect(task.save()).rejects.toBeInstanceOf(NetworkError);
    expect([task.$.unconfirmed, new Task().$.unconfirmed]).toEqual([false, false]);
    await task.save();
    expect(task.dirty).toBe(false);
  });
});

describe('a record whose create is unconfirmed', () => {
  test('stays unconfirmed over edits, which clear only the error', async () => {
    const { task, error } = await unconfirmedTask();
    task.name = 'b';
    expect([task.$.error, task.$.unconfirmed]).toEqual([undefined, true]);
    await expect(task.save()).rejects.toBe(error);
    expect(task.$.error).toBe(error);
    task.reject();
    expect([task.$.error, task.$.unconfirmed, task.name]).toEqual([undefined, true, 'a']);
    expect(() => task.commit()).toThrow(error);
    expect(server.lines).toEqual(['POST /tasks']);
  });

  test('is no longer unconfirmed after a repeated create, which sends the current values', async () => {
    const { task } = await unconfirmedTask();
    task.note = 'n';
    server.reply({ status: 201, json: { id: 9, name: 'a', note: 'n' } }, { status: 204 });
    await task.save({ repeat: true });
    expect(server.last.body).toEqual({ name: 'a', note: 'n' });
    expect([task.id, task.dirty, task.$.unconfirmed, task.$.error]).toEqual([9, false, false, undefined]);
    await task.save();
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks', 'PUT /tasks/9']);
  });

  test.each([
    ['is refused', { status: 422, json: { errors: { name: ['is taken'] } } }],
    ['finds a duplicate', { status: 409 }],
    ['gets no response either', { drop: true }],
  ])('stays unconfirmed when a repeat %s: the first create may be the cause', async (_, reply) => {
    const { task, error } = await unconfirmedTask();
    server.reply(reply);
    const second = await task.save({ repeat: true }).catch((each) => each);
    expect(second).not.toBe(error);
    expect([task.$.error, task.$.unconfirmed]).toEqual([second, true]);
    await expect(task.save()).rejects.toBe(error);
    expect(server.lines.length).toBe(2);
  });

  test('stays unconfirmed when the repeat is not valid and therefore not sent', async () => {
    const { task } = await unconfirmedTask();
    task.set('name', { no: 'text' } as never);
    await expect(task.save({ repeat: true })).rejects.toMatchObject({ code: 'validation' });
    expect([task.$.unconfirmed, server.lines.length]).toEqual([true, 1]);
  });

  test('rejects the saves queued behind the create, except those with `repeat: true`', async () => {
    const task = new Task({ name: 'a' });
    server.reply({ drop: true }, { status: 201, json: { id: 9 } });
    const calls = [task.save(), task.save(), task.save({ repeat: true }), task.save()];
    const saves = await Promise.allSettled(calls);
    expect(saves.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected']);
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks']);
  });

  test('passes its error to the callbacks of a refused save', async () => {
    const { task, error } = await unconfirmedTask();
    const reported = await new Promise((resolve) => {
      task.save({ failure: (_, operation) => resolve(operation.error) }).catch(() => undefined);
    });
    expect(reported).toBe(error);
  });
});

describe('decide()', () => {
  test('with a row makes the record that row; edits made since stay', async () => {
    const { task } = await unconfirmedTask();
    task.note = 'mine';
    const events: string[] = [];
    task.on('commit', () => events.push('commit'));
    decide(task, { id: 9, name: 'A', note: '', by: 'the server' });
    expect([task.id, task.phantom, task.name, task.$.modified]).toEqual([9, false, 'A', { note: 'mine' }]);
    expect([task.$.unconfirmed, task.$.error, events]).toEqual([false, undefined, ['commit']]);
    server.reply({ status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/tasks/9' });
    expect(server.last.body).toEqual({ id: 9, name: 'A', note: 'mine', by: 'the server' });
  });

  test.each([
    ['was refused', { status: 422 }, undefined],
    ['got no response either', { drop: true }, undefined],
    ['was aborted before it was sent', undefined, AbortSignal.abort()],
  ])('with the row of the first attempt keeps the values of a repeat that %s', async (_, reply, signal) => {
    const { task } = await unconfirmedTask();
    task.name = 'b';
    if (reply) server.reply(reply);
    await expect(task.save({ repeat: true, ...(signal && { signal }) })).rejects.toThrow();
    expect([task.$.unconfirmed, task.name]).toEqual([true, 'b']);
    decide(task, { id: 9, name: 'a', note: '' });
    expect([task.name, task.$.modified]).toEqual(['b', { name: 'b' }]);
  });

  test('with the row of the first attempt keeps lines that a repeat without a response has sent', async () => {
    class Line extends Model.define({ fields: { id: 'int', text: 'string' } }) {}
    class List extends Model.define({
      name: 'list',
      fields: { id: 'int', name: 'string', lines: embed([Line]) },
      proxy: server.proxy('/lists', { clock }),
    }) {}
    server.reply({ drop: true }, { drop: true });
    const list = new List({ name: 'a', lines: [{ text: 'one' }, { text: 'two' }] } as never);
    await expect(list.save()).rejects.toThrow();
    (list.lines[0] as Line).text = 'ONE';
    await expect(list.save({ repeat: true })).rejects.toThrow();
    const lines = [
      { id: 2, text: 'two' },
      { id: 1, text: 'one' },
    ];
    decide(list, { id: 9, name: 'a', lines });
    expect([list.dirty, list.lines.map(({ id, text }) => [id, text])]).toEqual([
      true,
      [
        [2, 'two'],
        [1, 'ONE'],
      ],
    ]);
  });

  test('with the row of a repeat without a response leaves no edit', async () => {
    const { task } = await unconfirmedTask();
    task.name = 'b';
    server.reply({ drop: true });
    await expect(task.save({ repeat: true })).rejects.toThrow();
    decide(task, { id: 9, name: 'b', note: '' });
    expect([task.name, task.dirty]).toEqual(['b', false]);
  });

  test.each(['a', 'b', 'c'])('with an id alone keeps %s, of which no attempt is known to be stored', async (name) => {
    const { task } = await unconfirmedTask();
    task.name = 'b';
    server.reply({ status: 201, json: { ok: true } });
    await expect(task.save({ repeat: true })).rejects.toThrow();
    task.name = name;
    decide(task, { id: 9 });
    expect([task.name, task.dirty]).toEqual([name, true]);
    server.reply({ json: { id: 9, name: 'b', note: '' } }, { status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/tasks/9', body: { id: 9, name } });
    expect([task.name, task.dirty]).toEqual([name, false]);
  });

  test('with null leaves the record a phantom that can be saved or erased', async () => {
    const { task } = await unconfirmedTask();
    decide(task, null);
    expect([task.phantom, task.$.unconfirmed, task.$.error, task.name]).toEqual([true, false, undefined, 'a']);
    server.reply({ status: 201, json: { id: 9 } });
    await task.save();
    expect(task.id).toBe(9);
    const { task: other } = await unconfirmedTask();
    decide(other, null);
    await other.erase();
    expect(other.erased).toBe(true);
  });

  test('with null keeps the values of the last attempt', async () => {
    const { task } = await unconfirmedTask();
    task.note = 'first';
    server.reply({ drop: true });
    await expect(task.save({ repeat: true })).rejects.toThrow();
    task.set({ name: 'b', note: 'last' });
    server.reply({ drop: true });
    await expect(task.save({ repeat: true })).rejects.toThrow();
    decide(task, null);
    expect([task.name, task.note]).toEqual(['b', 'last']);
  });

  test('needs a row with an id', async () => {
    const { task } = await unconfirmedTask();
    expect(() => decide(task, { name: 'a' })).toThrow(AddressError);
    expect(task.$.unconfirmed).toBe(true);
  });

  test('is refused while the create is being repeated', async () => {
    const { task } = await unconfirmedTask();
    const held = server.hold();
    const save = task.save({ repeat: true });
    await held.request;
    expect(() => decide(task, { id: 9 })).toThrow(StateError);
    expect(() => decide(task, null)).toThrow(expect.objectContaining({ code: 'busy' }));
    held.answer({ status: 201, json: { id: 8 } });
    await save;
    expect(task.id).toBe(8);
  });

  test('does nothing if the record is not unconfirmed', () => {
    const task = Task.fromRow({ id: 7, name: 'a', note: '' });
    decide(task, { id: 8 });
    decide(task, null);
    const phantom = new Task({ name: 'a' });
    decide(phantom, { id: 8 });
    expect([task.id, phantom.phantom]).toEqual([7, true]);
  });
});

describe('in a store, an unconfirmed record', () => {
  async function unconfirmedTaskIn(store: Store<Task>) {
    server.reply({ drop: true });
    const [task] = store.add({ name: 'a' }) as [Task];
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['network']);
    return { task, error: task.$.error };
  }

  test('is reported by every sync, and not sent again', async () => {
    const store = new Store({ model: Task });
    const { task, error } = await unconfirmedTaskIn(store);
    task.note = 'n';
    const { outcomes } = await store.sync();
    expect(outcomes).toEqual([{ action: 'create', record: task, error }]);
    expect(server.lines).toEqual(['POST /tasks']);
    expect([store.count, task.$.error]).toEqual([1, error]);
  });

  test('stays when it is removed from the store, or when changes are rejected', async () => {
    const store = new Store({ model: Task });
    const { task, error } = await unconfirmedTaskIn(store);
    store.remove(task);
    expect([store.count, store.pending.removed]).toEqual([0, [task]]);
    const { outcomes } = await store.sync();
    expect(outcomes).toEqual([{ action: 'destroy', record: task, error }]);
    expect([store.count, store.pending.removed]).toEqual([1, []]);
    store.reject();
    expect(store.pending.created).toEqual([task]);
    decide(task, null);
    store.reject();
    expect(store.count).toBe(0);
    expect(server.lines).toEqual(['POST /tasks']);
  });

  test('replaces the loaded record of the same id when it is settled', async () => {
    const store = new Store({ model: Task });
    const { task } = await unconfirmedTaskIn(store);
    server.reply({
      json: [
        { id: 8, name: 'b' },
        { id: 9, name: 'a' },
      ],
    });
    await store.load();
    decide(task, store.getById(9)?.$.data ?? null);
    expect([store.getById(9) === task, store.count, store.pending.created]).toEqual([true, 2, []]);
  });
});

describe('$.error', () => {
  const saved = () => Task.fromRow({ id: 7, name: 'a', note: '' });

  test('is cleared by the next edit that changes a value, and by success', async () => {
    const task = saved();
    server.reply({ status: 409 }, { status: 409 }, { status: 204 });
    await task.save().catch(() => undefined);
    expect(task.$.error).toBeInstanceOf(HttpError);
    task.name = 'a';
    expect(task.$.error).toBeInstanceOf(HttpError);
    task.name = 'b';
    expect(task.$.error).toBeUndefined();
    await task.save().catch(() => undefined);
    expect(task.$.error).toBeInstanceOf(HttpError);
    await task.save();
    expect(task.$.error).toBeUndefined();
  });

  test.each(['reject', 'commit'] as const)(
    'cleared by %s() is a change that stores report, also without edits',
    async (way) => {
      const store = new Store({ model: Task });
      server.reply({ json: [{ id: 7, name: 'a', note: '' }] }, { status: 409 });
      await store.load();
      const [task] = [...store] as [Task];
      await task.erase().catch(() => undefined);
      store.flush();
      const updated: unknown[] = [];
      store.on('change', (change) => updated.push(...change.updated));
      task[way]();
      store.flush();
      expect([task.$.error, updated]).toEqual([undefined, [task]]);
      task[way]();
      store.flush();
      expect(updated.length).toBe(1);
    },
  );
});
