import { inspect } from 'node:util';
import { copyOf, Model } from 'repose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    name: 'string',
    tags: 'json',
    local: { type: 'string', persist: false },
    upper: { type: 'string', calculate: (task) => String(task.name).toUpperCase() },
    key: 'string',
    data: 'string',
    error: 'string',
    then: { type: 'string', allowNull: true },
  },
  proxy: server.proxy('/tasks'),
}) {}
const ROW = { id: 7, name: 'old', tags: ['a'], key: 'k', data: 'd', error: 'e' };
const saved = () => Task.fromRow(structuredClone(ROW));

afterEach(() => vi.unstubAllGlobals());

describe('$', () => {
  test('is the same object each time', () => {
    const task = saved();
    expect(task.$).toBe(task.$);
  });

  test('has members of its own, so that fields may use their names', () => {
    const task = saved();
    expect([task.key, task.data, task.error]).toEqual(['k', 'd', 'e']);
    task.error = 'mine';
    expect([task.$.error, task.$.modified]).toEqual([undefined, { error: 'mine' }]);
  });

  test('does not log its record along with itself', () => {
    expect(Object.keys(saved().$)).toEqual([]);
  });
});

describe('$.key', () => {
  test('stays the same for the life of the record, also when the id changes', async () => {
    const task = new Task({ name: 'a' });
    const { key } = task.$;
    server.reply({ status: 201, json: { id: 9 } }, { json: { id: 9, name: 'read' } }, { status: 204 });
    await task.save();
    await task.load();
    await task.erase();
    expect(task.$.key).toBe(key);
    expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test('is unique, also among records of the same row', () => {
    const keys = Array.from({ length: 500 }, () => saved().$.key);
    expect(new Set(keys).size).toBe(500);
  });

  test('is a UUID also on pages without TLS', () => {
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => globalThis.structuredClone(bytes).fill(255) });
    expect(saved().$.key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(255) });
    expect(saved().$.key).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
  });

  test('is never sent', async () => {
    const task = saved();
    const { key } = task.$;
    server.reply({ status: 204 });
    await task.save();
    expect(JSON.stringify([server.last.headers, server.last.url, server.last.text])).not.toContain(key);
  });
});

describe('$.data, $.modified, $.previousValues', () => {
  test('contain values by field, including calculated ones', () => {
    const task = saved();
    task.set({ name: 'new', local: 'x' });
    expect(task.$.data).toEqual({ ...ROW, name: 'new', local: 'x', upper: 'NEW', then: undefined });
    expect(task.$.modified).toEqual({ name: 'new', local: 'x' });
    expect(task.$.previousValues).toEqual({ name: 'old', local: undefined });
  });

  test('are copies', () => {
    const task = saved();
    (task.$.data as { name: string }).name = 'changed';
    expect(task.name).toBe('old');
  });

  test('are empty for a record without edits', () => {
    expect([saved().$.modified, saved().$.previousValues, saved().$.error, saved().$.errors]).toEqual([
      {},
      {},
      undefined,
      {},
    ]);
  });
});

describe('copyOf()', () => {
  test('makes a new record with the current values and no id', async () => {
    const task = saved();
    task.set({ name: 'new', local: 'x' });
    const copy = copyOf(task);
    expect(copy).toBeInstanceOf(Task);
    expect([copy.phantom, copy.dirty, copy.name, copy.local, copy.tags]).toEqual([true, false, 'new', 'x', ['a']]);
    expect(copy.getId()).not.toBe(7);
    expect(copy.$.key).not.toBe(task.$.key);
    server.reply({ status: 201, json: { id: 9 } });
    await copy.save();
    const { id: _, ...rest } = ROW;
    expect(server.last.body).toEqual({ ...rest, name: 'new' });
    expect(task.name).toBe('new');
  });

  test('takes an id as its argument, which a create of a model with natural ids sends', async () => {
    class Country extends Model.define({
      name: 'country',
      idProperty: 'code',
      identifier: 'natural',
      fields: { code: 'string', name: 'string' },
      proxy: server.proxy('/countries'),
    }) {}
    const country = Country.fromRow({ code: 'NZ', name: 'New Zealand' });
    const copy = copyOf(country, 'CK');
    expect([copy.phantom, copy.code, copy.name, country.code]).toEqual([true, 'CK', 'New Zealand', 'NZ']);
    expect([copyOf(country).code, copyOf(country).$.isValid()]).toEqual([undefined, false]);
    server.reply({ status: 201 });
    await copy.save();
    expect([server.last.text, copy.phantom, copy.code]).toEqual(['{"code":"CK","name":"New Zealand"}', false, 'CK']);
  });

  test('of a subclass makes a record of that subclass', () => {
    class Special extends Task {}
    expect(copyOf(Special.fromRow(ROW))).toBeInstanceOf(Special);
  });
});

describe('$.saving', () => {
  test('is true while a write is in flight', async () => {
    const task = saved();
    expect([task.$.saving, new Task().$.saving]).toEqual([false, false]);
    const held = server.hold();
    const save = task.save();
    await held.request;
    expect(task.$.saving).toBe(true);
    held.answer({ status: 204 });
    await save;
    expect(task.$.saving).toBe(false);
  });
});

describe('$.reload()', () => {
  test('does the same as load()', async () => {
    const task = saved();
    server.reply({ json: { ...ROW, name: 'read' } });
    expect(await task.$.reload({ params: { a: 1 } })).toBe(task);
    expect([task.name, server.lines]).toEqual(['read', ['GET /tasks/7?a=1']]);
  });
});

describe('toJSON', () => {
  test('has the values by field', () => {
    const json = JSON.parse(JSON.stringify({ list: [saved()] }));
    expect(json.list[0]).toEqual({ ...ROW, upper: 'OLD' });
  });
});

describe('the console output of a record', () => {
  test('shows the class, the state and the values', async () => {
    const task = saved();
    expect(inspect(task)).toMatch(/^Task \{\n {2}id: 7,\n {2}name: 'old',/);
    task.name = 'new';
    expect(inspect(task)).toMatch(/^Task \(dirty\) \{/);
    expect(inspect(new Task())).toMatch(/^Task \(phantom\) \{/);
    server.reply({ status: 204 });
    await task.erase();
    expect(inspect({ deep: { task } }, { depth: 5 })).toContain('task: Task (dirty, erased) {');
  });

  test('works if the console passes no `inspect`', () => {
    const form = (saved() as unknown as Record<symbol, (depth: number, options: object) => unknown>)[
      Symbol.for('nodejs.util.inspect.custom')
    ]?.(0, {});
    expect(form).toMatchObject({ id: 7 });
  });

  test('shows no internal members', () => {
    expect(inspect(saved(), { showHidden: true })).not.toContain('Symbol(');
  });
});

describe('a record', () => {
  test('whose field `then` holds no function can be awaited', async () => {
    const task = saved();
    expect(await Promise.resolve(task)).toBe(task);
  });

  test('has enumerable fields on its prototype, and no own ones', () => {
    const names: string[] = [];
    for (const name in saved()) names.push(name);
    expect(names).toEqual(['id', 'name', 'tags', 'local', 'upper', 'key', 'data', 'error', 'then']);
    expect(Object.keys(saved())).toEqual([]);
  });

  test('allocates little before it is edited', () => {
    const task = saved();
    expect([task.name, task.phantom, task.dirty, task.erased]).toEqual(['old', false, false, false]);
    const values = Object.getOwnPropertySymbols(task).map((symbol) => (task as never)[symbol]);
    // A number by which a store orders its records, and the row.
    expect(values.filter((value) => value !== undefined)).toEqual([0, ROW]);
  });
});
