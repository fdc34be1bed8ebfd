import { getEventListeners } from 'node:events';
import { AbortError, Model, NetworkError, ValidationError } from 'repose';
import { restServer } from 'repose/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: { type: 'string', validators: [] }, note: 'string' },
  proxy: server.proxy('/tasks'),
}) {}

const ROW = { id: 7, name: 'old', note: '' };
const saved = () => Task.fromRow({ ...ROW });
const ok = ({ method, body }: Received) =>
  method === 'POST' ? { status: 201, json: { id: 9, ...body } } : { status: 204 };

describe('saves called while a write is in flight', () => {
  test('share one more request, which sends the values of the last call', async () => {
    server.always(ok);
    const task = saved();
    const held = server.hold();
    task.name = 'a';
    const first = task.save();
    await held.request;
    task.name = 'b';
    const second = task.save();
    task.name = 'c';
    const third = task.save();
    task.note = 'n';
    held.answer({ status: 204 });
    expect(await Promise.all([first, second, third])).toEqual([task, task, task]);
    expect(server.requests.map(({ body }) => [body.name, body.note])).toEqual([
      ['a', ''],
      ['c', ''],
    ]);
    expect(task.$.modified).toEqual({ note: 'n' });
  });

  test('send nothing if no edits are left', async () => {
    const task = saved();
    task.name = 'a';
    const held = server.hold();
    const first = task.save();
    await held.request;
    const second = task.save();
    held.answer({ status: 204 });
    await Promise.all([first, second]);
    expect(server.lines).toEqual(['PUT /tasks/7']);
  });

  test('with options of their own are separate requests', async () => {
    const task = saved();
    task.name = 'a';
    const held = server.hold();
    const first = task.save();
    await held.request;
    server.always(ok);
    const second = task.save({ params: { notify: 1 } });
    const third = task.save({ headers: { 'X-Why': 'b' } });
    held.answer({ status: 204 });
    await Promise.all([first, second, third]);
    expect(server.lines).toEqual(['PUT /tasks/7', 'PUT /tasks/7?notify=1', 'PUT /tasks/7']);
    expect(server.last.headers['x-why']).toBe('b');
  });

  test('send the newest values if the first save was refused (4xx)', async () => {
    const task = saved();
    task.name = 'bad';
    const held = server.hold();
    const first = task.save();
    await held.request;
    task.name = 'good';
    const second = task.save();
    server.reply({ status: 204 });
    held.answer({ status: 422, json: { errors: { name: ['is bad'] } } });
    await expect(first).rejects.toBeInstanceOf(ValidationError);
    await second;
    expect(server.last.body).toEqual({ ...ROW, name: 'good' });
    expect([task.dirty, task.$.error]).toEqual([false, undefined]);
  });

  test('update the record that the first save created', async () => {
    server.always(ok);
    const task = new Task({ name: 'a' });
    const held = server.hold();
    const first = task.save();
    await held.request;
    task.name = 'b';
    const second = task.save();
    held.answer({ status: 201, json: { id: 9, name: 'a' } });
    await Promise.all([first, second]);
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/tasks', { name: 'a' }],
      ['PUT', '/tasks/9', { id: 9, name: 'b' }],
    ]);
  });

  test('create the record if the first create was refused', async () => {
    server.reply({ status: 422, json: {} }, { status: 201, json: { id: 9 } });
    const task = new Task({ name: 'a' });
    const [first, second] = [task.save(), task.save()];
    await expect(first).rejects.toMatchObject({ status: 422 });
    await second;
    expect([task.id, server.lines]).toEqual([9, ['POST /tasks', 'POST /tasks']]);
  });

  test.each([
    ['got no response', { drop: true }, 'network'],
    ['broke the server', { status: 500 }, 'http'],
    ['was answered with HTML', { text: '<html></html>' }, 'read'],
    ['timed out at the server', { status: 408 }, 'http'],
  ])('fail with the error of the first save if it %s: the record may have been created', async (_, reply, code) => {
    const task = new Task({ name: 'a' });
    const held = server.hold();
    const first = task.save();
    await held.request;
    const second = task.save();
    held.answer(reply);
    await expect(first).rejects.toMatchObject({ code });
    await expect(second).rejects.toBe(await first.catch((error) => error));
    expect(server.lines).toEqual(['POST /tasks']);
    expect(task.phantom).toBe(true);
  });

  test('can be followed by a new request once the first save has failed', async () => {
    const task = saved();
    task.name = 'a';
    server.reply({ drop: true }, { status: 204 });
    await expect(task.save()).rejects.toBeInstanceOf(NetworkError);
    await task.save();
    expect([server.lines.length, task.dirty, task.$.error]).toEqual([2, false, undefined]);
  });
});

describe('a save with invalid values', () => {
  test('sends nothing, and sets `$.error` and `$.errors`', async () => {
    const task = saved();
    task.set({ name: 5 as never, note: null as never });
    task.set('name', { no: 'text' } as never);
    const error = await task.save().catch((each) => each);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.issues.map((issue: { path: string[]; code: string }) => [issue.path, issue.code])).toEqual([
      [['name'], 'type'],
      [['note'], 'required'],
    ]);
    expect([task.$.error, server.requests]).toEqual([error, []]);
    expect(Object.keys(task.$.errors)).toEqual(['name', 'note']);
    expect(error.operation).toMatchObject({ action: 'update', records: [task] });
  });

  test('does not stop the save behind it', async () => {
    const task = saved();
    task.set('name', { no: 'text' } as never);
    const first = task.save();
    task.name = 'good';
    const second = task.save();
    server.reply({ status: 204 });
    await expect(first).rejects.toBeInstanceOf(ValidationError);
    await second;
    expect(server.last.body.name).toBe('good');
  });

  test('checks edited fields only, not what the server sent', async () => {
    const task = Task.fromRow({ id: 7, name: ['no text'], note: null });
    task.note = 'x';
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ id: 7, name: ['no text'], note: 'x' });
  });
});

describe('erase', () => {
  test('of a phantom sends nothing', async () => {
    const task = new Task({ name: 'a' });
    const events: string[] = [];
    task.on('erase', () => events.push('erase'));
    expect(await task.erase()).toBe(task);
    expect([task.erased, events, server.requests]).toEqual([true, ['erase'], []]);
  });

  test('during a create waits for the id and then erases the row', async () => {
    server.always(ok);
    const task = new Task({ name: 'a' });
    const held = server.hold();
    const save = task.save();
    await held.request;
    const erase = task.erase();
    held.answer({ status: 201, json: { id: 9 } });
    await Promise.all([save, erase]);
    expect([server.lines, task.erased]).toEqual([['POST /tasks', 'DELETE /tasks/9'], true]);
    expect(server.last.text).toBe('');
  });

  test('during a create that is refused drops the phantom without a request', async () => {
    const task = new Task({ name: 'a' });
    server.reply({ status: 422, json: {} });
    const save = task.save();
    const erase = task.erase();
    await expect(save).rejects.toBeInstanceOf(ValidationError);
    await erase;
    expect([server.lines, task.erased]).toEqual([['POST /tasks'], true]);
  });

  test('during a create without a response fails with its error: the row may exist', async () => {
    const task = new Task({ name: 'a' });
    server.reply({ drop: true });
    const save = task.save();
    const erase = task.erase();
    const error = await save.catch((each) => each);
    await expect(erase).rejects.toBe(error);
    expect([error.unconfirmed, task.erased, task.phantom]).toEqual([true, false, true]);
  });

  test('during an update waits for its end and is then sent, whatever its result', async () => {
    for (const reply of [{ status: 204 }, { status: 422, json: {} }, { drop: true }]) {
      server.reset();
      server.reply(reply, { status: 204 });
      const task = saved();
      task.name = 'a';
      const [save, erase] = [task.save(), task.erase()];
      await Promise.allSettled([save, erase]);
      expect([server.lines, task.erased]).toEqual([['PUT /tasks/7', 'DELETE /tasks/7'], true]);
    }
  });

  test('called twice is one request', async () => {
    server.reply({ status: 204 });
    const task = saved();
    await Promise.all([task.erase(), task.erase()]);
    expect(server.lines).toEqual(['DELETE /tasks/7']);
  });

  test('that fails restores the record with its edits, and can be called again', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ status: 404, json: { title: 'gone' } }, { status: 204 });
    await expect(task.erase()).rejects.toMatchObject({ status: 404 });
    expect([task.erased, task.dirty, task.$.error?.code]).toEqual([false, true, 'http']);
    await task.erase();
    expect(task.erased).toBe(true);
  });

  test('needs no proxy for a phantom, and rejects without one for saved records', async () => {
    class Loose extends Model.define({ fields: { id: 'int' } }) {}
    await new Loose().erase();
    const loose = Loose.fromRow({ id: 1 });
    await expect(loose.erase()).rejects.toMatchObject({ code: 'definition' });
    await expect(loose.save()).rejects.toMatchObject({ code: 'definition' });
    await expect(loose.load()).rejects.toMatchObject({ code: 'definition' });
    expect(loose.erased).toBe(false);
  });

  test('of a record without an id is refused, because it would address the collection (H3)', async () => {
    const task = Task.fromRow({ name: 'no id' });
    await expect(task.erase()).rejects.toMatchObject({ code: 'address' });
    await expect(task.save()).rejects.toMatchObject({ code: 'address' });
    expect([server.requests, task.erased]).toEqual([[], false]);
  });

  test('leaves a record that can be read, but neither changed nor sent', async () => {
    const task = new Task({ name: 'a' });
    await task.erase();
    expect([task.name, task.$.data, String(task.get('name'))]).toEqual(['a', expect.anything(), 'a']);
    const erased = expect.objectContaining({ code: 'erased' });
    expect(() => task.set({ name: 'b' })).toThrow(erased);
    expect(() => task.set('name', 'b')).toThrow(erased);
    await expect(task.save()).rejects.toEqual(erased);
    await expect(task.erase()).rejects.toEqual(erased);
    await expect(task.load()).rejects.toEqual(erased);
  });
});

describe('abort', () => {
  test('by $.abort() keeps the edits, as a network failure does', async () => {
    const task = saved();
    task.name = 'new';
    const held = server.hold();
    const save = task.save();
    await held.request;
    task.$.abort();
    await expect(save).rejects.toBeInstanceOf(AbortError);
    held.answer({ status: 204 });
    expect([task.dirty, task.name, task.$.error?.code]).toEqual([true, 'new', 'abort']);
    server.reply({ status: 204 });
    await task.save();
    expect(task.dirty).toBe(false);
  });

  test('by a signal rejects the save', async () => {
    const task = saved();
    const controller = new AbortController();
    const held = server.hold();
    const save = task.save({ signal: controller.signal });
    await held.request;
    controller.abort(new Error('enough'));
    await expect(save).rejects.toMatchObject({ code: 'abort' });
    held.answer();
  });

  test('before the request sends nothing', async () => {
    const save = saved().save({ signal: AbortSignal.abort() });
    await expect(save).rejects.toMatchObject({ code: 'abort' });
    expect(server.requests).toEqual([]);
  });

  test('by $.abort() rejects reads too', async () => {
    const task = saved();
    const held = server.hold();
    const load = task.load();
    await held.request;
    task.$.abort();
    await expect(load).rejects.toBeInstanceOf(AbortError);
    held.answer({ json: { ...ROW, name: 'late' } });
    expect([task.name, task.$.error]).toEqual(['old', undefined]);
  });

  test('does nothing if nothing is in flight', () => {
    const task = saved();
    task.$.abort();
    new Task().$.abort();
    expect(task.$.error).toBeUndefined();
  });
});

test('a long-lived signal holds no listeners or signals of finished calls', async () => {
  server.always(ok);
  const { signal } = new AbortController();
  const held = server.hold();
  const saves = Array.from({ length: 20 }, (_, id) => Task.fromRow({ ...ROW, id: id + 1 }).save({ signal }));
  await held.request;
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  held.answer({ status: 204 });
  await Promise.all(saves);
  for (let count = 0; count < 20; count += 1) await saved().save({ signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(dependants(signal)).toBe(0);
});

/** How many signals the platform has linked to this one by `AbortSignal.any`. */
function dependants(signal: AbortSignal): number {
  const symbol = Object.getOwnPropertySymbols(signal).find(({ description }) => /dependant/i.test(description ?? ''));
  const noted = symbol && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[symbol];
  return noted?.size ?? 0;
}

test('a `signal` that is no AbortSignal rejects with a DefinitionError, and nothing is sent', async () => {
  const options = { signal: new AbortController() as never };
  const task = saved();
  task.name = 'new';
  const calls = [task.save(options), task.load(options), task.erase(options), Task.load(7, options)];
  for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
    expect([status, reason.code, reason.message]).toEqual([
      'rejected',
      'definition',
      expect.stringContaining('AbortSignal'),
    ]);
  expect([server.lines, task.$.modified, task.erased]).toEqual([[], { name: 'new' }, false]);
});

describe('callbacks', () => {
  const listen = () => ({ success: vi.fn(), failure: vi.fn(), callback: vi.fn() });

  test('are called once for a success, before the promise resolves', async () => {
    const log: string[] = [];
    const task = saved();
    server.reply({ status: 204 });
    const options = {
      success: vi.fn(() => void log.push('success')),
      failure: vi.fn(),
      callback: vi.fn(() => void log.push('callback')),
    };
    await task.save(options).then(() => log.push('resolved'));
    expect(log).toEqual(['success', 'callback', 'resolved']);
    const operation = expect.objectContaining({ action: 'update', records: [task] });
    expect(options.success.mock.calls).toEqual([[task, operation]]);
    expect(options.callback.mock.calls).toEqual([[task, operation, true]]);
    expect(options.failure).not.toHaveBeenCalled();
  });

  test('are called once for a failure, before the promise rejects', async () => {
    const log: string[] = [];
    const task = saved();
    server.reply({ status: 500 });
    const options = {
      success: vi.fn(),
      failure: vi.fn(() => void log.push('failure')),
      callback: vi.fn(() => void log.push('callback')),
    };
    await task.save(options).catch(() => log.push('rejected'));
    expect(log).toEqual(['failure', 'callback', 'rejected']);
    const [record, operation] = options.failure.mock.calls[0] as unknown[];
    expect([record, (operation as { error: unknown }).error]).toEqual([task, task.$.error]);
    expect(options.callback.mock.calls).toEqual([[task, operation, false]]);
    expect(options.success).not.toHaveBeenCalled();
  });

  test('get the operation of their call', async () => {
    server.always(({ method }) => (method === 'GET' ? { json: ROW } : { status: 204 }));
    const task = saved();
    for (const [call, action] of [
      ['load', 'read'],
      ['save', 'update'],
    ] as const) {
      const options = listen();
      await task[call](options);
      expect(options.success.mock.calls[0]?.[1]).toMatchObject({ action });
    }
    const options = listen();
    const loaded = await Task.load(7, options);
    expect(options.success.mock.calls).toEqual([[loaded, expect.objectContaining({ action: 'read', id: 7 })]]);
  });

  test('get an operation also if nothing was sent', async () => {
    const task = saved();
    server.reply({ status: 204 });
    const [idle, joined] = [listen(), listen()];
    await Promise.all([task.save(), task.save(idle), task.save(joined)]);
    expect(idle.success.mock.calls[0]?.[1]).toMatchObject({ action: 'update' });
    expect(joined.success.mock.calls[0]?.[1]).toMatchObject({ action: 'update' });

    const erased = listen();
    await task.erase().catch(() => undefined);
    await new Task().save(erased).catch(() => undefined);
    expect(erased.failure.mock.calls[0]?.[1]).toMatchObject({ action: 'create' });
  });

  test('of Model.load get no record if it fails', async () => {
    server.reply({ status: 404 });
    const options = listen();
    await Task.load(7, options).catch(() => undefined);
    expect(options.failure.mock.calls).toEqual([[undefined, expect.objectContaining({ action: 'read' })]]);
    expect(options.callback.mock.calls[0]?.[2]).toBe(false);
  });

  test('are called with the options as `this`', async () => {
    server.reply({ status: 204 });
    const seen: unknown[] = [];
    const options = {
      success() {
        seen.push(this);
      },
      callback() {
        seen.push(this);
      },
    };
    await saved().save(options);
    expect(seen).toEqual([options, options]);
  });

  test('that throw do not affect the call; the error is reported as uncaught', async () => {
    const uncaught = await uncaughtDuring(async () => {
      server.reply({ status: 204 });
      const task = saved();
      await task.save({
        success: () => {
          throw new Error('mine');
        },
      });
      expect(task.dirty).toBe(false);
    });
    expect(uncaught).toEqual([new Error('mine')]);
  });
});

test('a record emits its events in the order of the changes', async () => {
  const task = new Task({ name: 'a' });
  const log: string[] = [];
  for (const event of ['set', 'commit', 'erase'] as const)
    task.on(event, ({ record }) => {
      const { phantom, dirty, erased } = record;
      log.push(
        `${event}: ${Object.entries({ phantom, dirty, erased })
          .filter(([, is]) => is)
          .map(([name]) => name)}`,
      );
    });
  const row = { id: 9, name: 'a' };
  server.reply({ status: 422, json: {} }, { status: 201, json: row }, { status: 204 }, { status: 409 });
  await task.save().catch(() => undefined);
  await task.save();
  task.name = 'b';
  await task.save();
  await task.erase().catch(() => undefined);
  task.name = 'c';
  task.reject();
  task.name = 'd';
  task.commit();
  server.reply({ status: 204 });
  await task.erase();
  expect(log).toEqual([
    'commit: ', // created; the refused create emits none
    'set: dirty',
    'commit: ', // updated
    'set: dirty', // edited after the failed erase
    'set: dirty', // edited again; the reject emits no event here
    'commit: ',
    'erase: erased',
  ]);
});

describe('unhandled rejections', () => {
  test('are reported for a call without callbacks, and not for one with `failure` or `callback`', async () => {
    const rejected: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => rejected.push(error));
    try {
      server.always(() => ({ status: 500 }));
      const task = saved();
      const done = Promise.all([
        new Promise((resolve) => void task.save({ failure: resolve })),
        new Promise((resolve) => void task.save({ callback: resolve })),
        new Promise((resolve) => void task.load({ failure: resolve })),
        new Promise((resolve) => void Task.load(1, { failure: resolve })),
      ]);
      await done;
      await settled();
      expect(rejected).toEqual([]);
      const loose = saved();
      loose.name = 'x';
      void loose.save();
      await new Promise((resolve) => void loose.save({ failure: resolve }));
      await settled();
      expect(rejected).toEqual([loose.$.error]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });

  test('are not reported for a call that is awaited and whose signal was already aborted', async () => {
    const rejected: unknown[] = [];
    const listener = (error: unknown) => rejected.push(error);
    process.on('unhandledRejection', listener);
    await expect(saved().save({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'abort' });
    await settled();
    process.off('unhandledRejection', listener);
    expect([rejected, server.requests]).toEqual([[], []]);
  });
});

/** Node looks for unhandled rejections after the microtasks. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function uncaughtDuring(act: () => Promise<void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => seen.push(error));
  try {
    await act();
    await settled();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  return seen;
}

describe('a field that is emptied to undefined', () => {
  const opened = async (replies: 'row' | 'none', update: 'PUT' | 'PATCH') => {
    const rows = [{ id: 7, nick: 'Al', address: { city: 'Rome', zip: '1' } }];
    const backend = restServer({ replies, collections: { '/people': rows } });
    class Person extends Model.define({
      fields: {
        id: 'int',
        nick: z.string().optional(),
        city: { type: z.string().optional(), mapping: 'address.city' },
      },
      proxy: { url: '/people', fetch: backend.fetch, baseUrl: backend.baseUrl, actionMethods: { update } },
    }) {}
    return { backend, person: await Person.load(7) };
  };

  test.each(['row', 'none'] as const)(
    'is emptied by PATCH, which leaves other members alone (replies: %s)',
    async (replies) => {
      const { backend, person } = await opened(replies, 'PATCH');
      await person.set({ nick: undefined, city: undefined }).save();
      expect(backend.rows('/people')).toEqual([{ id: 7, nick: null, address: { city: null, zip: '1' } }]);
      expect([person.nick ?? null, person.city ?? null, person.dirty]).toEqual([null, null, false]);
    },
  );

  test('is not the same as a member that `serialize` leaves out', async () => {
    server.reply({ status: 204 });
    class Account extends Model.define({
      fields: {
        id: 'int',
        name: 'string',
        password: { type: 'string', serialize: (value: string) => value || undefined },
      },
      proxy: server.proxy('/accounts', { actionMethods: { update: 'PATCH' } }),
    }) {}
    await Account.fromRow({ id: 7 }).set({ name: 'a', password: '' }).save();
    expect(server.last.body).toEqual({ name: 'a' });
  });

  test('is left out of a PUT', async () => {
    const { backend, person } = await opened('row', 'PUT');
    await person.set({ nick: undefined, city: undefined }).save();
    expect(backend.rows('/people')).toEqual([{ id: 7, address: { zip: '1' } }]);
  });
});
