import { conflicts, decide, embed, Model, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Address extends Model.define({ name: 'address', fields: { city: 'string' } }) {}
class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [(title: string) => (title === '' ? { code: 'required' } : undefined)] },
    due: { type: 'date', allowNull: true },
    tags: 'json',
    size: { calculate: (task) => ({ length: String(task.title).length }) },
    address: embed(Address, { allowNull: true }),
  },
  proxy: { ...server.proxy('/tasks'), use: [conflicts()] },
}) {}

const ROW = { id: 7, title: 'old', due: '2026-03-01T09:00:00Z', tags: ['a'], address: { city: 'Rome' } };
const saved = () => Task.fromRow(structuredClone(ROW));

/** Records what a source tells. */
function watch<T>(source: { subscribe(listener: () => void): () => void; get(): T }): { told: T[]; stop: () => void } {
  const told: T[] = [];
  return { told, stop: source.subscribe(() => told.push(source.get())) };
}

describe('the source of a field', () => {
  test('is the same object each time, and its functions are bound', () => {
    const task = saved();
    expect(task.$.field('title')).toBe(task.$.field('title'));
    const { get, subscribe } = task.$.field('title');
    let calls = 0;
    subscribe(() => {
      calls += 1;
    });
    task.title = 'new';
    expect([get().value, calls]).toEqual(['new', 1]);
  });

  test('gives the same frozen value until it has changed, also for dates and computed objects', () => {
    const task = saved();
    for (const name of ['title', 'due', 'tags', 'size', 'address'] as const) {
      const source = task.$.field(name);
      const before = source.get();
      expect([source.get() === before, Object.isFrozen(before)]).toEqual([true, true]);
      const stop = source.subscribe(() => undefined);
      expect(source.get()).toBe(before);
      stop();
      expect(source.get()).toBe(before);
    }
    expect(Object.isFrozen(task.$.field('size').get().value)).toBe(true);
    expect(task.$.field('due').get().value).toBe(task.$.field('due').get().value);
  });

  test('tells its listeners at once, and only those of fields that have changed', () => {
    const task = saved();
    const [title, size, due] = [watch(task.$.field('title')), watch(task.$.field('size')), watch(task.$.field('due'))];
    task.title = 'longer';
    expect(title.told).toEqual([{ value: 'longer', errors: [], dirty: true }]);
    expect(size.told.map(({ value }) => value)).toEqual([{ length: 6 }]);
    task.due = new Date('2026-03-01T09:00:00Z');
    expect(due.told).toEqual([]);
  });

  test('tells one call that sets several fields once', () => {
    const task = saved();
    const { told } = watch(task.$.state);
    task.set({ title: 'a', due: null });
    expect(told).toHaveLength(1);
    expect(told[0]?.values).toMatchObject({ title: 'a', due: null });
  });

  test('tells each listener once if a listener edits the record', () => {
    const task = saved();
    const title = task.$.field('title');
    const seen: string[] = [];
    title.subscribe(() => {
      if (task.title !== (task.title as string).trim()) task.title = (task.title as string).trim();
    });
    title.subscribe(() => seen.push(String(title.get().value)));
    task.title = ' new ';
    expect(seen).toEqual(['new']);
  });

  test('goes on with its other listeners when one of them throws or has been removed', async () => {
    const task = saved();
    const title = task.$.field('title');
    const uncaught = new Promise((resolve) => process.once('uncaughtException', resolve));
    const listeners = process.listeners('uncaughtException');
    for (const each of listeners)
      if (each !== process.listeners('uncaughtException').at(-1)) process.off('uncaughtException', each);
    let calls = 0;
    const stop = title.subscribe(() => undefined);
    title.subscribe(() => {
      throw new Error('a listener');
    });
    title.subscribe(() => {
      calls += 1;
    });
    stop();
    stop();
    task.title = 'new';
    expect(calls).toBe(1);
    expect(await uncaught).toEqual(new Error('a listener'));
    for (const each of listeners) process.on('uncaughtException', each);
  });

  test('has the errors of the model and of the server', async () => {
    const task = saved();
    const title = task.$.field('title');
    const { told } = watch(title);
    task.title = '';
    expect(told.at(-1)?.errors).toMatchObject([{ path: ['title'], code: 'required' }]);
    task.title = 'taken';
    server.reply({ status: 422, json: { errors: { title: ['is taken'] } } });
    await task.save().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ value: 'taken', dirty: true, errors: [{ message: 'is taken' }] });
    task.title = 'other';
    expect(told.at(-1)?.errors).toEqual([]);
  });

  test('follows edits inside an embedded record', () => {
    const task = saved();
    const [address, state] = [watch(task.$.field('address')), watch(task.$.state)];
    (task.address as Address).city = 'Oslo';
    (task.address as Address).city = 'Bergen';
    expect([address.told.length, state.told.length]).toEqual([2, 2]);
    expect(address.told.at(-1)).toMatchObject({ dirty: true, value: { city: 'Bergen' } });
  });

  test('refuses a name that is no field', () => {
    expect(() => saved().$.field('titel' as 'title')).toThrow(/titel/);
  });
});

describe('the source of the state', () => {
  test('keeps the members that have not changed', () => {
    const task = saved();
    const before = task.$.state.get();
    task.title = 'new';
    const after = task.$.state.get();
    expect([after === before, after.values === before.values, after.values.due === before.values.due]).toEqual([
      false,
      false,
      true,
    ]);
    expect([after.values.tags === before.values.tags, after.errors === before.errors]).toEqual([true, true]);
    expect([after, after.values, after.errors].every(Object.isFrozen)).toBe(true);
  });

  test('tells the start and the end of a save of a record in no store', async () => {
    const task = saved();
    task.title = 'new';
    const { told } = watch(task.$.state);
    server.reply({ status: 204 });
    const saving = task.save();
    expect(told.map((each) => each.saving)).toEqual([true]);
    await saving;
    await Promise.resolve();
    expect(told.at(-1)).toMatchObject({ saving: false, dirty: false, error: undefined });
  });

  test('tells a failed save, and the call that drops its edits', async () => {
    const task = saved();
    task.title = 'new';
    const { told } = watch(task.$.state);
    server.reply({ status: 500 });
    await task.save().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ saving: false, dirty: true, error: { code: 'http' } });
    task.reject();
    expect(told.at(-1)).toMatchObject({ saving: false, dirty: false, error: undefined });
  });

  test('tells an edit that validation refuses, without staying in the state of saving', async () => {
    const task = saved();
    task.title = '';
    const { told } = watch(task.$.state);
    await task.save().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ saving: false, error: { code: 'validation' } });
    expect(task.$.state.get().saving).toBe(false);
  });

  test('tells a read, an erase and the error of an erase', async () => {
    const task = saved();
    const { told } = watch(task.$.state);
    server.reply({ json: { ...ROW, title: 'theirs' } });
    await task.load();
    expect(told.at(-1)?.values.title).toBe('theirs');
    server.reply({ status: 503 }, { status: 204 });
    await task.erase().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ saving: false, erased: false, error: { code: 'http' } });
    await task.erase();
    expect(told.at(-1)).toMatchObject({ saving: false, erased: true });
  });

  test('has the conflict, and tells when it is over', async () => {
    const task = saved();
    task.title = 'mine';
    const { told } = watch(task.$.state);
    server.reply({ status: 412, json: { ...ROW, title: 'theirs' } });
    await task.save().catch(() => undefined);
    const { conflict, error } = told.at(-1) ?? {};
    expect(conflict).toBe(error);
    conflict?.takeTheirs();
    expect(told.at(-1)).toMatchObject({ values: { title: 'theirs' }, conflict: undefined, error: undefined });
  });

  test('tells an unconfirmed create, and the decision about it', async () => {
    const task = new Task({ title: 'new' });
    const { told } = watch(task.$.state);
    server.reply({ drop: true });
    await task.save().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ phantom: true, unconfirmed: true, saving: false });
    decide(task, { ...ROW, id: 9, title: 'new' });
    expect(told.at(-1)).toMatchObject({ phantom: false, unconfirmed: false, values: { id: 9 } });
  });

  test('finds the stores of the record up to date when it tells', () => {
    const store = new Store({ model: Task, sorters: ['title'], data: [] });
    store.add(saved(), new Task({ title: 'zebra' }));
    const task = store.getById(7) as Task;
    const seen: number[] = [];
    task.$.state.subscribe(() => seen.push(store.indexOf(task)));
    task.title = 'zzz';
    expect(seen).toEqual([1]);
  });
});

test('$.errors is frozen, and the same object until the errors change', () => {
  const task = saved();
  const before = task.$.errors;
  expect([task.$.errors === before, Object.isFrozen(before)]).toEqual([true, true]);
  task.title = '';
  const after = task.$.errors;
  expect([after === before, after === task.$.errors, Object.isFrozen(after.title)]).toEqual([false, true, true]);
});

test('a record that nobody watches has no sources', () => {
  const task = saved();
  task.title = 'new';
  const { core } = Object.fromEntries(
    Object.getOwnPropertySymbols(task).map((symbol) => [symbol.description ?? '', Reflect.get(task, symbol)]),
  ) as { core?: object };
  expect(core === undefined || !('sources' in core)).toBe(true);
});
