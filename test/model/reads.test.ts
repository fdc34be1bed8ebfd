import { AddressError, MemoryProxy, Model, ReadError, ResultSet, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string', note: 'string' },
  proxy: server.proxy('/tasks'),
}) {}

const ROW = { id: 7, name: 'old', note: 'n' };
const saved = () => Task.fromRow({ ...ROW });

describe('Model.load', () => {
  test('reads a record by its id', async () => {
    server.reply({ json: ROW });
    const task = await Task.load(7);
    expect(task).toBeInstanceOf(Task);
    expect([task.name, task.phantom, task.dirty, server.lines]).toEqual(['old', false, false, ['GET /tasks/7']]);
  });

  test.each([undefined, null, '', false, Number.NaN])('with %o rejects without a request (H5)', async (id) => {
    await expect(Task.load(id as never)).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test('takes the id 0', async () => {
    server.reply({ json: { id: 0 } });
    expect((await Task.load(0)).getId()).toBe(0);
  });

  test('sends the options of the call', async () => {
    server.reply({ json: ROW });
    await Task.load(7, { params: { with: 'owner' }, headers: { 'X-Why': 'test' }, url: '/others' });
    expect(server.last).toMatchObject({ url: '/others/7?with=owner', headers: { 'x-why': 'test' } });
  });

  test.each([
    ['an empty array', { json: [] }],
    ['nothing', { status: 200 }],
    ['null', { json: null }],
    ['HTML', { text: '<!doctype html><p>hello' }],
    ['a truncated body', { text: '{"id":7,"na' }],
    ['a number', { json: 5 }],
    ['a row that is null', { json: [null] }],
  ])('answered with %s rejects with a ReadError', async (_, reply) => {
    server.reply(reply);
    const error = await Task.load(7).catch((each) => each);
    expect(error).toBeInstanceOf(ReadError);
    expect(error.operation).toMatchObject({ action: 'read', id: 7 });
  });

  test.each([
    ['an envelope although no root is set', { data: ROW }, 'data'],
    ['an envelope without a row', { data: null, total: 0 }, 'data, total'],
    ['an error object', { error: 'no such task' }, 'error'],
  ])('answered with %s, which has no field of the model, rejects with a ReadError', async (_, json, members) => {
    server.reply({ json });
    await expect(Task.load(7)).rejects.toThrow(
      `GET /tasks/7: the response has no rows at its top level, only ${members}. Set \`reader.rootProperty\``,
    );
  });

  test('answered with a row without an id keeps the requested id', async () => {
    server.reply({ json: { name: 'old' } }, { status: 204 });
    const task = await Task.load(7);
    expect([task.id, task.name, task.phantom, task.dirty]).toEqual([7, 'old', false, false]);
    task.name = 'new';
    await task.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/tasks/7', body: { id: 7, name: 'new' } });
  });

  test('of a class without a definition rejects', async () => {
    await expect(Model.load(7 as never)).rejects.toMatchObject({ code: 'definition' });
    expect(() => Model.fromRow({})).toThrow(expect.objectContaining({ code: 'definition' }));
    expect(() => new Model()).toThrow(expect.objectContaining({ code: 'definition' }));
  });
});

describe('several loads of one record at the same time', () => {
  test("are one request with one outcome; each caller's callbacks are called", async () => {
    const task = saved();
    const held = server.hold();
    const called: string[] = [];
    const calls = [
      task.load({ success: () => called.push('first') }),
      task.load({ success: () => called.push('second') }),
      task.$.reload(),
    ];
    await held.request;
    held.answer({ json: { ...ROW, name: 'read' } });
    expect(await Promise.all(calls)).toEqual([task, task, task]);
    expect([server.lines, called, task.name]).toEqual([['GET /tasks/7'], ['first', 'second'], 'read']);
  });

  test('fail together, and the next load sends a new request', async () => {
    const task = saved();
    server.reply({ status: 500 }, { json: { ...ROW, name: 'read' } });
    const outcomes = await Promise.allSettled([task.load(), task.load()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await task.load();
    expect([server.requests.length, task.name]).toEqual([2, 'read']);
  });

  test('with options of their own are separate requests', async () => {
    const task = saved();
    const { signal } = new AbortController();
    server.always(() => ({ json: ROW }));
    await Promise.all([task.load(), task.load({ params: { with: 'owner' } }), task.load({ signal })]);
    expect([...server.lines].sort()).toEqual(['GET /tasks/7', 'GET /tasks/7', 'GET /tasks/7?with=owner']);
  });

  test('do not share a request that started before a write ended', async () => {
    const task = saved();
    const early = server.hold();
    const first = task.load();
    await early.request;
    task.name = 'written';
    server.reply({ status: 204 }, { json: { ...ROW, name: 'read after the write' } });
    await task.save();
    await task.load();
    early.answer({ json: ROW });
    await first;
    expect(task.name).toBe('read after the write');
    expect(server.lines).toEqual(['GET /tasks/7', 'PUT /tasks/7', 'GET /tasks/7']);
  });

  test('do not share a request that was aborted', async () => {
    const task = saved();
    const held = server.hold();
    const aborted = task.load();
    await held.request;
    server.reply({ json: { ...ROW, name: 'read' } });
    task.$.abort();
    const [first] = await Promise.allSettled([aborted, task.load()]);
    held.answer();
    expect([first.status, task.name]).toEqual(['rejected', 'read']);
  });
});

describe('load', () => {
  test("does not change a row object that an application's proxy keeps", async () => {
    const row = Object.freeze({ id: 7, name: 'new' });
    class OwnProxy extends MemoryProxy {
      override read() {
        return Promise.resolve(new ResultSet({ rows: [row] }));
      }
    }
    class Local extends Model.define({
      fields: { id: 'int', name: 'string', mark: { type: 'boolean', persist: false } },
      proxy: { type: OwnProxy },
    }) {}
    const local = Local.fromRow({ id: 7, name: 'old', mark: true });
    await local.load();
    expect([local.name, local.mark]).toEqual(['new', true]);
  });

  test('replaces the base and keeps edits', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ json: { id: 7, name: 'read', note: 'read', more: 1 } }, { status: 204 });
    expect(await task.load()).toBe(task);
    expect([task.name, task.note, task.$.modified, task.$.previousValues]).toEqual([
      'new',
      'read',
      { name: 'new' },
      { name: 'read' },
    ]);
    await task.save();
    expect(server.last.body).toEqual({ id: 7, name: 'new', note: 'read', more: 1 });
  });

  test('clears an edit that the server has as well', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ json: { ...ROW, name: 'new' } });
    await task.$.reload();
    expect([task.dirty, task.$.modified]).toEqual([false, {}]);
  });

  test('of a phantom rejects without a request (H5)', async () => {
    await expect(new Task({ name: 'a' }).load()).rejects.toBeInstanceOf(AddressError);
    await expect(new Task({ id: 7 }, { phantom: true }).load()).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test('rejects with a ReadError and changes nothing if the response is another record', async () => {
    const task = saved();
    server.reply({ json: { ...ROW, id: 8, name: 'other' } });
    await expect(task.load()).rejects.toThrow('task 7 was answered with the record 8');
    expect(task.name).toBe('old');
  });

  test.each([{ data: ROW }, { error: 'no such task' }, {}])(
    'rejects with a ReadError and changes nothing if the response is %j',
    async (json) => {
      const task = saved();
      task.note = 'mine';
      server.reply({ json }, { status: 204 });
      await expect(task.load()).rejects.toMatchObject({ code: 'read', reason: 'response-root' });
      expect([task.id, task.name, task.note]).toEqual([7, 'old', 'mine']);
      await task.save();
      expect(server.last).toMatchObject({ url: '/tasks/7', body: { ...ROW, note: 'mine' } });
    },
  );

  test('keeps the id if the response has none', async () => {
    const store = new Store({ model: Task, data: [ROW] });
    const task = store.getById(7);
    server.reply({ json: { name: 'read', note: 'n' } });
    await task?.load();
    expect([store.getById(7), task?.id, task?.name]).toEqual([task, 7, 'read']);
  });

  test('compares ids as text', async () => {
    const task = saved();
    server.reply({ json: { ...ROW, id: '7', name: 'read' } });
    await task.load();
    expect(task.name).toBe('read');
  });

  test('changes nothing if it fails', async () => {
    const task = saved();
    task.name = 'new';
    server.reply({ status: 500 });
    await expect(task.load()).rejects.toMatchObject({ status: 500 });
    expect([task.name, task.note, task.dirty, task.$.error]).toEqual(['new', 'n', true, undefined]);
  });
});

describe('a read that started before the last write settled', () => {
  test('is ignored', async () => {
    const task = saved();
    const held = server.hold();
    const load = task.load();
    await held.request;
    task.name = 'new';
    server.reply({ status: 204 });
    await task.save();
    held.answer({ json: { ...ROW, note: 'stale' } });
    expect(await load).toBe(task);
    expect([task.name, task.note, task.dirty]).toEqual(['new', 'n', false]);
  });

  test('is ignored also if the write changed the id', async () => {
    const task = saved();
    const held = server.hold();
    const load = task.load();
    await held.request;
    task.id = 8;
    server.reply({ status: 204 });
    await task.save();
    held.answer({ json: ROW });
    await load;
    expect(task.id).toBe(8);
  });

  test('is ignored also if it started during the write', async () => {
    const task = saved();
    task.name = 'new';
    const write = server.hold();
    const save = task.save();
    await write.request;
    const read = server.hold();
    const load = task.load();
    await read.request;
    write.answer({ status: 204 });
    await save;
    read.answer({ json: ROW });
    await load;
    expect([task.name, task.dirty]).toEqual(['new', false]);
  });

  test('is applied if the write failed', async () => {
    const task = saved();
    const held = server.hold();
    const load = task.load();
    await held.request;
    task.name = 'new';
    server.reply({ status: 409 });
    await task.save().catch(() => undefined);
    held.answer({ json: { ...ROW, note: 'read' } });
    await load;
    expect([task.name, task.note, task.dirty]).toEqual(['new', 'read', true]);
  });

  test('does not bring back a record that was erased meanwhile', async () => {
    const task = saved();
    const held = server.hold();
    const load = task.load();
    await held.request;
    server.reply({ status: 204 });
    await task.erase();
    held.answer({ json: { ...ROW, name: 'back' } });
    await load;
    expect([task.erased, task.name]).toEqual([true, 'old']);
  });
});

describe("incomplete rows (reader.rows: 'incomplete')", () => {
  class Item extends Model.define({
    fields: { id: 'int', name: 'string', body: 'string' },
    proxy: server.proxy('/items', { reader: { rows: 'incomplete' } }),
  }) {}
  const FULL = { id: 1, name: 'full', body: 'long text', more: true };

  async function listed(Class: typeof Item = Item) {
    const store = new Store({ model: Class, pageSize: 0 });
    server.reply({ json: [{ id: 1, name: 'short' }] });
    await store.load();
    return { store, item: store.getAt(0) as InstanceType<typeof Item> };
  }

  test('are read whole before a PUT, which would erase the missing members (H7)', async () => {
    const { item } = await listed();
    item.name = 'new';
    server.reply({ json: FULL }, { status: 204 });
    await item.save();
    expect(server.lines).toEqual(['GET /items', 'GET /items/1', 'PUT /items/1']);
    expect(server.last.body).toEqual({ ...FULL, name: 'new' });
    server.reply({ status: 204 });
    await item.save();
    expect(server.lines.slice(3)).toEqual(['PUT /items/1']);
  });

  test('are not written if the read fails', async () => {
    const { item } = await listed();
    item.name = 'new';
    server.reply({ status: 503 });
    const error = await item.save().catch((each) => each);
    expect(error).toMatchObject({ status: 503 });
    expect([item.$.error, item.dirty, server.lines.length]).toEqual([error, true, 2]);
  });

  test('need no read before a PATCH, or if only edited fields are sent', async () => {
    for (const more of [{ actionMethods: { update: 'PATCH' } }, { writer: { writeAllFields: false } }]) {
      server.reset();
      const { item } = await listed(Item.with({ proxy: more }));
      item.name = 'new';
      server.reply({ status: 204 });
      await item.save();
      expect([server.lines.length, server.last.body]).toEqual([2, { name: 'new' }]);
    }
  });

  test('are read whole by any proxy', async () => {
    const proxy = new MemoryProxy({ data: [FULL], reader: { rows: 'incomplete' } });
    const store = new Store({ model: Item.with({ proxy }), pageSize: 0 });
    await store.load();
    const item = store.getAt(0) as InstanceType<typeof Item>;
    item.name = 'new';
    await item.save();
    expect(proxy.data).toEqual([{ ...FULL, name: 'new' }]);
  });

  test('change only their own members of a row that is complete', async () => {
    const { store, item } = await listed();
    server.reply({ json: FULL }, { json: [{ id: 1, name: 'shorter' }] });
    await item.load();
    await store.load();
    expect([item.name, item.body]).toEqual(['shorter', 'long text']);
    server.reply({ status: 204 });
    await item.save();
    expect(server.last.body).toEqual({ ...FULL, name: 'shorter' });
  });

  test('are complete if one record was requested', async () => {
    server.reply({ json: FULL }, { status: 204 });
    const item = await Item.load(1);
    await item.save();
    expect(server.lines).toEqual(['GET /items/1', 'PUT /items/1']);
  });
});

describe('a strict reader', () => {
  class Strict extends Model.define({
    fields: {
      id: 'int',
      count: 'number',
      at: { type: 'date', allowNull: true },
      twice: { type: 'number', calculate: (record) => record.count * 2 },
    },
    proxy: server.proxy('/strict', { reader: { strict: true } }),
  }) {}

  test('rejects a row with an invalid value, and names the row and the field', async () => {
    server.reply({ json: { id: 1, count: 'many' } }, { json: { id: 1, count: null } });
    const error = await Strict.load(1).catch((each) => each);
    expect(error).toBeInstanceOf(ReadError);
    expect(error.message).toContain('row 0, count must be a number');
    await expect(Strict.load(1)).rejects.toThrow('count is required');
  });

  test('names the row in a list', async () => {
    const store = new Store({ model: Strict, pageSize: 0 });
    server.reply({
      json: [
        { id: 1, count: 1 },
        { id: 2, count: 1, at: 'someday' },
      ],
    });
    await expect(store.load()).rejects.toThrow('row 1, at must be a date');
    expect(store.count).toBe(0);
  });

  test('accepts missing values, and null if the field allows it', async () => {
    server.reply({ json: { id: 1, at: null } });
    expect((await Strict.load(1)).at).toBeNull();
  });

  test('leaves a record as it was if its reload is refused', async () => {
    server.reply({ json: { id: 1, count: 1 } }, { json: { id: 1, count: [] } });
    const record = await Strict.load(1);
    await expect(record.load()).rejects.toBeInstanceOf(ReadError);
    expect(record.count).toBe(1);
  });
});

test('a reader that is not strict shows invalid values as they were received, with issues in `$.errors`', async () => {
  server.reply({ json: { id: 7, name: { no: 'text' }, note: null } }, { status: 204 });
  const task = await Task.load(7);
  expect(task.name).toEqual({ no: 'text' });
  expect(task.$.errors).toMatchObject({ name: [{ code: 'type' }], note: [{ code: 'required' }] });
  expect(task.$.isValid()).toBe(false);
  await task.save();
  expect(server.last.body).toEqual({ id: 7, name: { no: 'text' }, note: null });
});
