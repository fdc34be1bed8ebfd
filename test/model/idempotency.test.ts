import { decide, embed, idempotency, Model, off, reference, retry, rollback, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Address extends Model.define({ name: 'address', fields: { street: 'string' } }) {}

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string', note: 'string', at: 'date', address: embed(Address), userId: 'int' },
  proxy: server.proxy('/tasks', { use: [idempotency()] }),
}) {}

const keys = () => server.requests.map(({ headers }) => headers['idempotency-key']);
const bodies = () => server.requests.map(({ body }) => body);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the idempotency key', () => {
  test('is sent with creates only, and differs for each record', async () => {
    server.always(({ method, body }) =>
      method === 'POST' ? { status: 201, json: { ...body, id: server.requests.length } } : {},
    );
    const task = new Task({ name: 'a' });
    await task.save();
    await task.save();
    await task.erase();
    await new Task({ name: 'a' }).save();
    const [first, put, destroy, second] = keys();
    expect([first, second]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect([put, destroy]).toEqual([undefined, undefined]);
    expect(first).not.toBe(second);
  });

  test('is not sent if the proxy does not use the extension', async () => {
    server.reply({ status: 201, json: { id: 1 } });
    await new (Task.with({ proxy: { use: [off('idempotency')] } }))({ name: 'a' }).save();
    expect(keys()).toEqual([undefined]);
  });

  test('stays the same over manual saves until the create has a response', async () => {
    server.reply({ drop: true }, { status: 503 }, { status: 201, text: '{' }, { status: 201, json: { id: 9 } });
    const task = new Task({ name: 'a' });
    for (const code of ['network', 'http', 'read']) {
      await expect(task.save()).rejects.toMatchObject({ code });
      expect([task.$.unconfirmed, task.phantom]).toEqual([true, true]);
    }
    await task.save();
    expect(new Set(keys()).size).toBe(1);
    expect([task.id, task.$.unconfirmed, server.lines.length]).toEqual([9, false, 4]);
  });

  test('goes with the values of its own attempt, after an earlier create of the record was perhaps undone', async () => {
    const clock = manualClock();
    const Patient = Task.with({ proxy: { use: [retry({ limit: 1, random: () => 0 })], clock } });
    const store = new Store({ model: Patient });
    const [task] = store.add({ name: 'a' }, { name: 'b' });
    server.reply(
      { status: 201, json: { id: 9 } },
      { status: 422 },
      // The undoing of the first create.
      { status: 302, headers: { location: '/elsewhere' } },
    );
    await settled(store.sync({ onFailure: rollback, concurrency: 1 }), clock);
    expect([task?.phantom, task?.$.unconfirmed]).toEqual([true, true]);
    server.reset();
    (task as Task).name = 'c';
    server.reply(
      { drop: true },
      { status: 308, headers: { location: '/elsewhere' } },
      { status: 201, json: { id: 12 } },
      { json: { id: 12, name: 'c' } },
      { status: 204 },
    );
    const repeated = (task as Task).save({ repeat: true });
    await expect(settled(repeated, clock)).rejects.toThrow('redirected');
    (task as Task).note = 'later';
    await task?.save();
    expect(server.lines).toEqual([...Array(3).fill('POST /tasks'), 'GET /tasks/12', 'PUT /tasks/12']);
    expect(bodies().slice(0, 3)).toEqual(Array(3).fill({ name: 'c' }));
    expect(new Set(keys().slice(0, 3)).size).toBe(1);
  });

  test('stays the same when a sync() holds the record back until its reference is saved', async () => {
    class Node extends Model.define({
      name: 'node',
      fields: { id: 'int', name: 'string', parentId: reference('int', { allowNull: true }) },
      proxy: server.proxy('/nodes', { use: [idempotency()] }),
    }) {
      static override references() {
        return { parentId: Node };
      }
    }
    const nodes = new Store({ model: Node });
    const [child] = nodes.add({ name: 'child' });
    server.reply({ drop: true });
    await child?.save().catch(() => undefined);
    const [parent] = nodes.add({ name: 'parent' });
    child?.set('parentId', parent?.getId() as number);
    server.reply({ status: 400 });
    expect((await nodes.sync()).failures).toHaveLength(2);
    child?.set('parentId', null);
    server.reply({ status: 201, json: { id: 9, name: 'child' } }, { status: 204 });
    await child?.save();
    const [first, , again] = server.requests;
    expect([again?.body, again?.headers['idempotency-key']]).toEqual([first?.body, first?.headers['idempotency-key']]);
    expect([child?.id, server.requests.length]).toEqual([9, 4]);
  });

  test('says nothing about a bulk create sent without it', async () => {
    const store = new Store({ model: Task.with({ proxy: { batchActions: true } }) });
    const [task] = store.add({ name: 'a' });
    server.reply({ status: 429 });
    await task?.save().catch(() => undefined);
    store.add({ name: 'b' });
    server.reply({ drop: true });
    await store.sync();
    server.reply({ status: 422, json: { errors: { name: ['no'] } } });
    await expect(task?.save({ repeat: true })).rejects.toMatchObject({ code: 'validation' });
    expect(task?.$.unconfirmed).toBe(true);
    expect(new Set(keys()).size).toBe(3);
  });

  test.each([
    ['is dropped when the create is refused', { status: 422, json: {} }, 2],
    ['is dropped when the create conflicts', { status: 409 }, 2],
    ['is dropped when the create is forbidden', { status: 403 }, 2],
    ['stays when there were too many requests', { status: 429 }, 1],
    ['stays when the request came too early', { status: 425 }, 1],
    ['stays when the values were not valid and nothing was sent', undefined, 1],
  ])('%s', async (_, reply, count) => {
    const task = new Task({ name: 'a' });
    if (reply) server.reply(reply);
    else {
      server.reply({ status: 429 });
      await task.save().catch(() => undefined);
      task.set('name', { no: 'text' } as never);
    }
    await expect(task.save()).rejects.toBeInstanceOf(Error);
    expect(task.$.unconfirmed).toBe(false);
    task.name = 'b';
    server.reply({ status: 201, json: { id: 9 } });
    await task.save();
    expect(server.last.body).toEqual({ name: 'b' });
    expect(new Set(keys()).size).toBe(count);
  });

  test('is repeated by retry(), whose attempts are one create', async () => {
    const clock = manualClock();
    const Retried = Task.with({ proxy: { use: [retry({ limit: 2, random: () => 0 })], clock } });
    const serve = server.hold();
    server.reply({ status: 503 }, { status: 201, json: { id: 9 } });
    const task = new Retried({ name: 'a' });
    const save = task.save();
    await serve.request;
    serve.answer({ drop: true });
    await settled(save, clock);
    expect([task.id, server.lines.length, new Set(keys()).size]).toEqual([9, 3, 1]);
  });
});

describe('a create that is repeated under its key', () => {
  async function unconfirmed(task: Task = new Task({ name: 'a' })) {
    server.reply({ drop: true });
    await task.save().catch(() => undefined);
    expect(task.$.unconfirmed).toBe(true);
    return task;
  }

  test('sends the values of the first attempt; later edits follow as an update', async () => {
    const task = await unconfirmed();
    task.name = 'b';
    task.note = 'n';
    server.reply({ status: 201, json: { id: 9, name: 'a', note: null } }, ({ body }: Received) => ({ json: body }));
    const actions: string[] = [];
    await task.save({ success: (_, { action }) => actions.push(action) });
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks', 'PUT /tasks/9']);
    expect(bodies()).toEqual([{ name: 'a' }, { name: 'a' }, { id: 9, name: 'b', note: 'n' }]);
    expect([task.dirty, task.name, task.note, actions]).toEqual([false, 'b', 'n', ['update']]);
    expect(keys()[2]).toBeUndefined();
  });

  test('sends the same bytes, whatever was edited', async () => {
    const task = new Task({ name: 'a', at: new Date(0), address: { street: 's' } as never });
    task.note = 'n';
    await unconfirmed(task);
    task.set({ name: 'b', at: new Date(1000), userId: 3 });
    task.set('note', 'm');
    task.set('address.street', 't');
    server.reply(({ body }) => ({ status: 201, json: { ...body, id: 9 } }), { status: 204 });
    await task.save();
    const [first, second] = server.requests;
    expect(second?.text).toBe(first?.text);
    expect(server.last.body).toMatchObject({ name: 'b', note: 'm', userId: 3, address: { street: 't' } });
    expect(server.last.body.at).toBe('1970-01-01T00:00:01.000Z');
  });

  test('goes to the address of the first attempt, also when the path changed', async () => {
    const Nested = Task.with({ proxy: { url: '/users/{userId}/tasks' } });
    const task = await unconfirmed(new Nested({ name: 'a', userId: 1 }) as Task);
    task.userId = 2;
    const row = { id: 9, name: 'a', userId: 1, more: 'by the server' };
    server.reply({ status: 201, json: { id: 9 } }, { json: row }, { status: 204 });
    await task.save();
    const address = '/users/1/tasks';
    expect(server.lines).toEqual([`POST ${address}`, `POST ${address}`, `GET ${address}/9`, `PUT ${address}/9`]);
    expect(server.last.body).toEqual({ ...row, userId: 2 });
  });

  test('goes to the address of the first attempt, also when a call option gave it', async () => {
    server.reply({ drop: true }, { status: 201, json: { id: 9, name: 'a' } }, { status: 204 });
    const task = new Task({ name: 'a' });
    const url = `${server.url}/inbox`;
    await expect(task.save({ url, params: { by: 'me' } })).rejects.toMatchObject({ code: 'network' });
    task.name = 'b';
    await task.save();
    const [first, again, rest] = server.lines;
    expect([again, rest]).toEqual([first, 'PUT /tasks/9']);
    expect(first).toMatch(/^POST \/inbox\?.*by=me/);
  });

  test('stays unconfirmed after a refusal, if the first create was sent without a key', async () => {
    const store = new Store({ model: Task, pageSize: 0, proxy: { batchActions: true } });
    const [task] = store.add({ name: 'a' }, { name: 'b' }) as [Task];
    server.reply({ drop: true });
    await store.sync();
    expect(task.$.unconfirmed).toBe(true);
    server.reply({ status: 422, json: { errors: { name: ['is taken'] } } });
    await expect(task.save({ repeat: true })).rejects.toMatchObject({ code: 'validation' });
    expect(task.$.unconfirmed).toBe(true);
  });

  test('goes to the address of the first attempt, whatever address the repeating call names', async () => {
    const task = await unconfirmed();
    task.name = 'b';
    server.reply({ status: 201, json: { id: 9 } }, { json: { id: 9, name: 'a' } }, { status: 204 });
    await task.save({ url: '/elsewhere' });
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks', 'GET /tasks/9', 'PUT /tasks/9']);
  });

  test('is followed by what its save has saved; later edits stay edits, also one set back', async () => {
    const task = await unconfirmed();
    task.name = 'b';
    const held = server.hold();
    const save = task.save();
    await held.request;
    task.note = 'n';
    task.name = 'a';
    held.answer({ status: 201, json: { id: 9, name: 'a' } });
    server.reply({ status: 204 });
    await save;
    expect(server.last.body).toEqual({ id: 9, name: 'b' });
    expect([task.name, task.$.modified]).toEqual(['a', { name: 'a', note: 'n' }]);
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ id: 9, name: 'a', note: 'n' });
    expect(task.dirty).toBe(false);
  });

  test('succeeds even if the later edits are not valid or are refused', async () => {
    const task = await unconfirmed();
    task.set('name', { no: 'text' } as never);
    server.reply({ status: 201, json: { id: 9, name: 'a' } }, { status: 422, json: {} });
    await expect(task.save()).rejects.toMatchObject({ code: 'validation' });
    expect([task.phantom, task.id, task.dirty]).toEqual([false, 9, true]);
    task.name = 'b';
    await expect(task.save()).rejects.toMatchObject({ status: 422 });
    expect([task.name, task.dirty, server.last.method]).toEqual(['b', true, 'PUT']);
  });

  test.each([
    ['409: the first create may still be in progress', { status: 409 }],
    [
      '422 without a field: the server may have seen another body under the key',
      { status: 422, json: { title: 'reused' } },
    ],
    ['401: authentication is checked before the key', { status: 401 }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
  ])('leaves the record unconfirmed after %s', async (_, reply) => {
    const task = await unconfirmed();
    server.reply(reply, { status: 201, json: { id: 9 } });
    const error = await task.save().catch((each) => each);
    expect([task.$.error, task.$.unconfirmed]).toEqual([error, true]);
    await task.save();
    expect([task.id, new Set(keys()).size]).toEqual([9, 1]);
  });

  test('is clearly refused after a validation error: the server has never seen the key', async () => {
    const task = await unconfirmed();
    server.reply({ status: 422, json: { errors: { name: ['is too short'] } } }, { status: 201, json: { id: 9 } });
    await expect(task.save()).rejects.toMatchObject({ code: 'validation' });
    expect(task.$.unconfirmed).toBe(false);
    task.name = 'longer';
    await task.save();
    expect(server.last.body).toEqual({ name: 'longer' });
    expect(new Set(keys()).size).toBe(2);
  });

  test('is one request for several saves at once', async () => {
    const task = await unconfirmed();
    server.reply({ status: 201, json: { id: 9 } });
    await Promise.all([task.save(), task.save(), task.save()]);
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks']);
  });

  test('is not sent under another key, nor by a proxy without the extension', async () => {
    const task = new Task({ name: 'a' });
    const store = new Store({ model: Task, proxy: Task.proxy.with({ use: [off('idempotency')] } as never) });
    store.add(task);
    await unconfirmed(task);
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['network']);
    const unkeyed = new Task({ name: 'b' });
    store.remove(task);
    store.add(unkeyed);
    server.reply({ drop: true });
    await store.sync();
    await expect(unkeyed.save()).rejects.toMatchObject({ code: 'network' });
    expect(server.lines).toEqual(['POST /tasks', 'POST /tasks']);
  });

  test('by retry() is undecided if an earlier attempt got no response and a later one is refused', async () => {
    const clock = manualClock();
    const Retried = Task.with({ proxy: { use: [retry({ random: () => 0 })], clock } });
    for (const [replies, unconfirmed] of [
      [[{ drop: true }, { status: 409 }], true],
      [[{ status: 504 }, { status: 401 }], true],
      [[{ status: 429 }, { status: 409 }], false],
    ] as const) {
      server.reset();
      server.reply(...replies);
      const task = new Retried({ name: 'a' });
      const save = task.save().catch((each) => each);
      await settled(save, clock);
      expect(task.$.unconfirmed).toBe(unconfirmed);
    }
  });

  test('can be settled with the result of a look-up', async () => {
    const task = await unconfirmed();
    task.note = 'n';
    decide(task, { id: 9, name: 'a' });
    server.reply({ status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/tasks/9', body: { id: 9, name: 'a', note: 'n' } });
    const other = await unconfirmed(new Task({ name: 'b' }));
    decide(other, null);
    server.reply({ status: 201, json: { id: 10 } });
    await other.save();
    expect(new Set(keys().filter(Boolean)).size).toBe(3);
  });
});

/** Advances the clock until a call has settled. */
async function settled(call: Promise<unknown>, clock: ReturnType<typeof manualClock>): Promise<void> {
  let ended = false;
  const end = call.then(
    () => (ended = true),
    () => (ended = true),
  );
  while (!ended) {
    await new Promise(setImmediate);
    clock.advance(1);
  }
  await end;
  await call;
}

test('a create that is unconfirmed without a key is never sent under a new one', async () => {
  const Keyless = Task.with({ proxy: { use: [off('idempotency')] } });
  const store = new Store({ model: Keyless });
  const [task] = store.add({ name: 'a' });
  server.reply({ drop: true });
  await expect(task?.save()).rejects.toMatchObject({ unconfirmed: true });
  const keyed = new Store({ model: Keyless, proxy: { use: [idempotency()] } });
  keyed.add(task as never);
  for (let times = 0; times < 3; times += 1) {
    const { failures } = await keyed.sync();
    expect(failures).toHaveLength(1);
  }
  expect(server.requests).toHaveLength(1);
});
