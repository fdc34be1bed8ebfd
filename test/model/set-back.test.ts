import { embed, Model, plain, rollback, Store } from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { inner } from '../../src/model/record.js';
import { CORE } from '../../src/model/symbols.js';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const proxy = server.proxy('/tasks', { dialect: plain() });
class Place extends Model.define({ name: 'place', fields: { street: 'string', zip: 'string' } }) {}
const local = { type: 'boolean', persist: false } as const;
const fields = { id: 'int', flag: 'boolean', note: 'string', at: embed(Place), local } as const;
class Task extends Model.define({ name: 'task', fields, proxy }) {}
class ListedTask extends Task.with({ proxy: { batchActions: true } }) {}

interface Row {
  id: number;
  flag: boolean;
  note: string;
  at: { street: string; zip: string };
}
const first = (): Row => ({ id: 1, flag: true, note: 'a', at: { street: 'Main St', zip: '1000' } });

/** The row on the server. */
let row: Row;
/** The server's responses to updates; `undefined` answers with the row. A 4xx leaves the row unchanged. */
let answers: (Reply | undefined)[];

function answer({ method, path, body }: Received): Reply {
  const isList = path === '/tasks';
  if (method === 'GET') return { json: isList ? [row] : row };
  const next = answers.shift();
  const refused = (next?.status ?? 0) >= 400 && (next?.status ?? 0) < 500;
  if (!refused) row = { ...row, ...(isList ? (body as Row[])[0] : (body as Row)) };
  return next ?? { json: isList ? [row] : row };
}

beforeEach(() => {
  row = first();
  answers = [];
  server.always(answer);
});

const LOST: readonly (readonly [string, Reply])[] = [
  ['no response', { drop: true }],
  ['a 503', { status: 503 }],
  ['a redirect that hides what was done', { status: 302, headers: { Location: '/elsewhere' } }],
  ['a response that cannot be read', { text: '{' }],
];

/** A task whose update to `flag: false` succeeded on the server, but got no clear response. */
async function afterLostUpdate(lost: Reply = { drop: true }): Promise<Task> {
  const task = Task.fromRow(first());
  task.flag = false;
  answers.push(lost);
  await expect(task.save()).rejects.toThrow();
  expect(row.flag).toBe(false);
  return task;
}

describe('a field that is set back to its old value after an update without a clear response', () => {
  test.each(LOST)('is edited and is sent (%s)', async (_, lost) => {
    const task = await afterLostUpdate(lost);
    task.flag = true;
    expect([task.dirty, task.$.modified]).toEqual([true, { flag: true }]);
    await task.save();
    expect(server.last.body).toEqual({ flag: true });
    expect([row.flag, task.flag, task.dirty]).toEqual([true, true, false]);
  });

  test('is edited and is sent, also if it was set back while the update was in flight', async () => {
    const task = Task.fromRow(first());
    task.flag = false;
    const held = server.hold();
    const saving = task.save().catch(() => undefined);
    row = { ...row, ...(await held.request).body };
    task.flag = true;
    held.answer({ drop: true });
    await saving;
    expect([task.flag, task.dirty]).toEqual([true, true]);
    await task.save();
    expect(row.flag).toBe(true);
  });

  test('is not edited if it was set back in flight and the update was then refused', async () => {
    const task = Task.fromRow(first());
    task.flag = false;
    const held = server.hold();
    const saving = task.save().catch(() => undefined);
    await held.request;
    task.flag = true;
    held.answer({ status: 422, json: {} });
    await saving;
    expect([task.flag, task.dirty]).toEqual([true, false]);
    task.flag = false;
    task.flag = true;
    expect(task.dirty).toBe(false);
  });

  test('stays edited when a later update is refused or gets no response either', async () => {
    for (const next of [{ status: 422, json: {} }, { drop: true }]) {
      row = first();
      const task = await afterLostUpdate();
      task.flag = true;
      answers.push(next);
      await expect(task.save()).rejects.toThrow();
      expect(task.dirty).toBe(true);
      await task.save();
      expect([row.flag, task.dirty]).toEqual([true, false]);
    }
  });

  test('stays edited after a save of other fields', async () => {
    const task = await afterLostUpdate();
    task.reject();
    task.note = 'b';
    answers.push({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ note: 'b' });
    task.flag = false;
    task.flag = true;
    expect(task.$.modified).toEqual({ flag: true });
  });

  test('is not edited once a later update has succeeded', async () => {
    for (const next of [{ status: 204 }, undefined]) {
      const task = await afterLostUpdate();
      answers.push(next);
      await task.save();
      task.flag = true;
      task.flag = false;
      expect(task.dirty).toBe(false);
      row = first();
    }
  });

  test('is not edited once the response to an update of another field contained the whole row', async () => {
    const task = await afterLostUpdate();
    task.reject();
    task.note = 'b';
    await task.save();
    expect([task.flag, task.dirty]).toEqual([false, false]);
    task.flag = true;
    task.flag = false;
    expect(task.dirty).toBe(false);
  });

  test('is edited after reject(), even when set to the value that it already shows', async () => {
    const task = await afterLostUpdate();
    task.reject();
    expect([task.flag, task.dirty]).toEqual([true, false]);
    const events: object[] = [];
    task.on('set', ({ modified }) => events.push(modified));
    task.flag = true;
    task.flag = true;
    expect([task.dirty, events]).toEqual([true, [{ flag: true }]]);
    await task.save();
    expect(row.flag).toBe(true);
  });

  test('is not edited after commit(), which declares the values those of the server', async () => {
    const task = await afterLostUpdate();
    task.commit();
    task.flag = true;
    task.flag = false;
    expect(task.dirty).toBe(false);
  });

  test('is not edited if the field is never sent', async () => {
    const task = Task.fromRow({ ...first(), local: false });
    task.set({ flag: false, local: true });
    answers.push({ drop: true });
    await expect(task.save()).rejects.toThrow();
    task.set({ flag: true, local: false });
    expect(task.$.modified).toEqual({ flag: true });
  });

  test('takes no memory in records without such an update', async () => {
    const task = Task.fromRow(first());
    task.flag = false;
    await task.save();
    expect(Object.hasOwn(inner(task)[CORE] as object, 'unconfirmedFields')).toBe(false);
  });

  test('is edited also if set() changes one member inside the value', async () => {
    class Doc extends Model.define({
      name: 'doc',
      fields: { id: 'int', data: 'json' },
      proxy: server.proxy('/docs', { dialect: plain() }),
    }) {}
    const doc = Doc.fromRow({ id: 1, data: { flag: true, more: [1] } });
    doc.set('data.flag' as never, false as never);
    server.reply({ drop: true }, { status: 204 });
    await expect(doc.save()).rejects.toMatchObject({ code: 'network' });
    doc.set('data.flag' as never, true as never);
    await doc.save();
    expect(server.last.body).toEqual({ data: { flag: true, more: [1] } });
  });
});

describe('a read after an update without a clear response', () => {
  test('settles what the server has: setting a field back to that value is no edit', async () => {
    const task = await afterLostUpdate();
    await task.load();
    expect([task.flag, task.dirty]).toEqual([false, false]);
    task.flag = true;
    task.flag = false;
    expect(task.dirty).toBe(false);
  });

  test('drops the edit if the server has the same value', async () => {
    const task = await afterLostUpdate();
    task.flag = true;
    row = first();
    await task.load();
    expect(task.dirty).toBe(false);
  });

  test('keeps the edit if the server has the other value', async () => {
    const task = await afterLostUpdate();
    task.flag = true;
    await task.load();
    expect([task.flag, task.$.modified, task.$.previousValues]).toEqual([true, { flag: true }, { flag: false }]);
  });

  test('settles also that the row lacks the field', async () => {
    const task = await afterLostUpdate();
    server.reply({ json: { id: 1, note: 'a' } });
    await task.load();
    task.reject();
    task.flag = true;
    task.reject();
    task.set({ flag: task.flag });
    expect([task.flag, task.dirty]).toEqual([undefined, false]);
  });

  test('settles nothing if it started before the update failed', async () => {
    const task = Task.fromRow(first());
    const read = server.hold();
    const loading = task.load();
    await read.request;
    task.flag = false;
    answers.push({ drop: true });
    await expect(task.save()).rejects.toThrow();
    read.answer({ json: first() });
    await loading;
    task.flag = true;
    expect(task.dirty).toBe(true);
    await task.save();
    expect(row.flag).toBe(true);
  });

  test('settles only the fields that incomplete rows of a list contain', async () => {
    class Listed extends Model.define({
      name: 'listed',
      fields,
      proxy: server.proxy('/tasks', { dialect: plain(), reader: { rows: 'incomplete' } }),
    }) {}
    const store = new Store({ model: Listed, pageSize: 0 });
    server.reply({ json: [first()] });
    await store.load();
    const task = store.getAt(0) as Listed;
    task.set({ flag: false, note: 'b' });
    answers.push({ drop: true });
    await store.sync();
    task.set({ flag: true, note: 'a' });
    server.reply({ json: [{ id: 1, note: 'a' }] });
    await store.load();
    expect(task.$.modified).toEqual({ flag: true });
  });
});

describe('a store', () => {
  test.each([
    ['one by one', Task],
    ['in one request', ListedTask],
  ])('syncs a field that was set back after an update without a response (%s)', async (_, model) => {
    const store = new Store({ model: model as typeof Task, pageSize: 0, data: [first(), { ...first(), id: 2 }] });
    const [task, other] = [...store] as [Task, Task];
    task.flag = false;
    other.flag = false;
    answers.push({ drop: true }, { drop: true });
    const batch = await store.sync();
    expect(batch.failures).toHaveLength(2);
    answers = [];
    task.flag = true;
    other.reject();
    expect(store.pending.edited).toEqual([task]);
    await store.sync();
    expect([row.flag, store.pending.edited]).toEqual([true, []]);
  });

  test('syncs a field that was set back while a bulk update was in flight', async () => {
    const store = new Store({ model: ListedTask, pageSize: 0, data: [first(), { ...first(), id: 2 }] });
    const [task, other] = [...store] as [ListedTask, ListedTask];
    task.flag = false;
    other.flag = false;
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    task.flag = true;
    held.answer({ drop: true });
    await syncing;
    expect([task.$.modified, other.$.modified]).toEqual([{ flag: true }, { flag: false }]);
  });

  test('syncs a field that was set back after the request of a rollback got no response', async () => {
    const store = new Store({ model: Task, pageSize: 0, data: [first(), { ...first(), id: 2 }] });
    const [task, bad] = [...store] as [Task, Task];
    task.flag = false;
    bad.note = 'bad';
    server.reply({ status: 204 }, { status: 422, json: {} }, { drop: true });
    await store.sync({ onFailure: rollback, concurrency: 1 });
    expect(server.requests.map(({ body }) => body)).toEqual([{ flag: false }, { note: 'bad' }, { flag: true }]);
    bad.reject();
    expect([task.flag, task.dirty]).toEqual([false, true]);
    task.flag = true;
    expect(store.pending.edited).toEqual([task]);
    await store.sync();
    expect(server.last.body).toEqual({ flag: true });
  });
});

describe('an embedded record whose field is set back', () => {
  test('makes its holder dirty and is sent, after an update without a response', async () => {
    const task = Task.fromRow(first());
    task.at.street = 'Side St';
    answers.push({ drop: true });
    await expect(task.save()).rejects.toThrow();
    task.at.street = 'Main St';
    expect([task.dirty, task.at.dirty]).toEqual([true, false]);
    await task.save();
    expect(server.last.body).toEqual({ at: { street: 'Main St', zip: '1000' } });
    expect([row.at.street, task.dirty]).toEqual(['Main St', false]);
    task.at.street = 'Side St';
    task.at.street = 'Main St';
    expect(task.dirty).toBe(false);
  });

  test('makes its holder dirty and is sent, if the update was in flight', async () => {
    const task = Task.fromRow(first());
    task.at.street = 'Side St';
    const held = server.hold();
    const saving = task.save().catch(() => undefined);
    await held.request;
    task.at.street = 'Main St';
    held.answer({ drop: true });
    await saving;
    expect(task.dirty).toBe(true);
    await task.save();
    expect(server.last.body).toEqual({ at: { street: 'Main St', zip: '1000' } });
    expect(task.dirty).toBe(false);
  });

  test('leaves its holder dirty when a row without it is read, and clean when a row with it is read', async () => {
    const task = Task.fromRow(first());
    const store = new Store({ model: Task, pageSize: 0, proxy: { reader: { rows: 'incomplete' } } });
    store.add(task);
    task.at.street = 'Side St';
    answers.push({ drop: true });
    await expect(task.save()).rejects.toThrow();
    task.at.street = 'Main St';
    server.reply({ json: [{ id: 1, note: 'theirs' }] });
    await store.load();
    expect([task.note, task.dirty]).toEqual(['theirs', true]);
    row = first();
    await task.load();
    expect(task.dirty).toBe(false);
  });
});

describe('merging two records of one row keeps an edit', () => {
  /** A task whose create is in flight, and a second record loaded from the row that was created. */
  async function twoObjects() {
    const store = new Store({ model: Task, pageSize: 0 });
    const [made] = store.add({ flag: true, note: 'a' }) as [Task];
    const create = server.hold();
    const creating = made.save();
    await create.request;
    await store.load();
    const read = store.getById(1) as Task;
    expect(read).not.toBe(made);
    const created = () => {
      create.answer({ status: 201, json: first() });
      return creating;
    };
    return { store, made, read, created };
  }

  test('of the record that is dropped', async () => {
    const { store, made, read, created } = await twoObjects();
    read.flag = false;
    answers.push({ drop: true });
    await expect(read.save()).rejects.toThrow();
    read.flag = true;
    await created();
    expect([store.count, store.getById(1), made.$.modified]).toEqual([1, made, { flag: true }]);
    await store.sync();
    expect(row.flag).toBe(true);
  });

  test('of the record that stays', async () => {
    const { store, made, read, created } = await twoObjects();
    read.note = 'b';
    const update = server.hold();
    const updating = read.save();
    await update.request;
    await created();
    made.flag = false;
    answers.push({ drop: true });
    await expect(made.save()).rejects.toThrow();
    made.flag = true;
    update.answer({ json: { ...first(), note: 'b' } });
    await updating;
    expect([store.count, store.getById(1), made.note, made.$.modified]).toEqual([1, made, 'b', { flag: true }]);
    await store.sync();
    expect(row.flag).toBe(true);
  });
});
