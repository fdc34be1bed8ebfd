import { type Extension, embed, MemoryProxy, Model, Store } from 'repose';
import { LAYERS, noteOf, rowOf, setNote } from 'repose/extend';
import { describe, expect, test } from 'vitest';

const fields = { id: 'int', title: 'string', tags: 'json', due: 'date' } as const;
const row = { id: 1, title: 'a', tags: ['x', { y: 1 }], due: '2026-01-01T00:00:00Z' };

/** A store that has loaded a row twice, changed on the server in between by `change`. */
async function loadTwice(change: object) {
  const proxy = new MemoryProxy({ data: [row, { ...row, id: 2 }] });
  class Task extends Model.define({ name: 'task', fields, proxy }) {}
  const store = new Store({ model: Task, pageSize: 0 });
  await store.load();
  const task = store.getById(1) as InstanceType<typeof Task>;
  const { tags } = task;
  const other = Task.fromRow(row);
  if (Object.keys(change).length > 0) await other.set(change).save();
  const changes: unknown[] = [];
  store.on('change', ({ updated }) => changes.push(updated.length));
  await store.load();
  store.flush();
  return { task, tags, changes, store };
}

describe('a row that is read again', () => {
  test('and has not changed keeps the values that were handed out, and is no change', async () => {
    const { task, tags, changes, store } = await loadTwice({});
    expect(task.tags).toBe(tags);
    expect(changes).toEqual([]);
    expect(store.getRange().map(({ id }) => id)).toEqual([1, 2]);
  });

  test('and has changed is one change with the new values', async () => {
    const { task, tags, changes } = await loadTwice({ tags: ['z'] });
    expect([task.tags, tags]).toEqual([['z'], ['x', { y: 1 }]]);
    expect(changes).toEqual([1]);
  });

  test('takes the new notes about it, though its values are the same', async () => {
    let version = 0;
    const versions: Extension = {
      name: 'versions',
      layer: LAYERS.etags + 1,
      answered(_, { rows }) {
        version += 1;
        for (const each of rows) setNote(each as object, 'versions', version);
      },
    };
    class Task extends Model.define({
      name: 'task',
      fields,
      proxy: {
        type: 'rest',
        url: 'https://server.test/tasks',
        use: [versions],
        fetch: () => Promise.resolve(Response.json([row])),
      },
    }) {}
    const store = new Store({ model: Task, pageSize: 0 });
    await store.load();
    await store.load();
    expect(noteOf(rowOf(store.getAt(0) as never), 'versions')).toBe(2);
  });

  test('gives an embedded record its part of the row again, after that record was read by itself', async () => {
    class Address extends Model.define({
      name: 'address',
      fields: { id: 'int', city: 'string' },
      proxy: new MemoryProxy({ data: [{ id: 5, city: 'Oslo' }] }),
    }) {}
    class Person extends Model.define({
      name: 'person',
      fields: { id: 'int', address: embed(Address) },
      proxy: new MemoryProxy({ data: [{ id: 1, address: { id: 5, city: 'Rome' } }] }),
    }) {}
    const store = new Store({ model: Person, pageSize: 0 });
    await store.load();
    const address = store.getAt(0)?.address as Address;
    await address.load();
    expect(address.city).toBe('Oslo');
    await store.load();
    expect(store.getAt(0)?.address).toBe(address);
    expect(address.city).toBe('Rome');
  });
});
