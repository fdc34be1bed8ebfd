import {
  AbortError,
  isDataError,
  MemoryProxy,
  type MemoryProxyConfig,
  Model,
  Operation,
  type OperationConfig,
  ReadError,
  Store,
  UnsupportedQueryError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { MODEL, type RecordModel } from '../../src/operation/operation-record.js';

const rows = [
  { id: 1, name: 'Cid', age: 41, city: 'Bonn', joined: '2024-03-01T00:00:00.000Z' },
  { id: 2, name: 'Ada', age: 36, city: 'Kiel', joined: '2023-03-01T00:00:00.000Z' },
  { id: 3, name: 'Bob', age: 25, city: 'Bonn', joined: '2022-03-01T00:00:00.000Z' },
];
const define = (config: MemoryProxyConfig = { data: rows }) =>
  class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      name: 'string',
      age: 'int',
      city: 'string',
      joined: 'date',
      street: { type: 'string', mapping: 'address.street' },
    },
    proxy: { type: MemoryProxy, ...config },
  }) {};
const memoryOf = (config: MemoryProxyConfig = { data: rows }) => new MemoryProxy(config);
const read = (proxy: MemoryProxy, config: Partial<OperationConfig> = {}) =>
  proxy.read(new Operation({ action: 'read', ...config }));
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );
const ids = (list: readonly unknown[]) => list.map((row) => (row as { id: number }).id);

describe('rows', () => {
  test('are copied when they are stored and when they are read', async () => {
    const data = [{ id: 1, deep: { a: 1 } }];
    const proxy = memoryOf({ data });
    (data[0] as { deep: { a: number } }).deep.a = 9;
    const [row] = (await read(proxy)).rows as [{ deep: { a: number } }];
    expect(row.deep.a).toBe(1);
    row.deep.a = 9;
    (proxy.data[0] as typeof row).deep.a = 9;
    expect(proxy.data).toEqual([{ id: 1, deep: { a: 1 } }]);
  });

  test('are empty without `data`', async () => {
    expect((await read(new MemoryProxy())).rows).toEqual([]);
    expect(MemoryProxy.alias).toBe('proxy.memory');
  });

  test('are never returned in the same tick', async () => {
    let done = false;
    const call = read(memoryOf()).then(() => {
      done = true;
    });
    expect(done).toBe(false);
    await call;
    expect(done).toBe(true);
  });
});

describe('read', () => {
  test.each<[Partial<OperationConfig>, number[], number]>([
    [{}, [1, 2, 3], 3],
    [{ page: 1, limit: 2 }, [1, 2], 3],
    [{ page: 2, limit: 2 }, [3], 3],
    [{ page: 9, limit: 2 }, [], 3],
    [{ start: 1, limit: 1 }, [2], 3],
    [{ start: 1 }, [2, 3], 3],
    [{ sorters: ['name'] }, [2, 3, 1], 3],
    [{ sorters: [{ property: 'age', direction: 'DESC' }] }, [1, 2, 3], 3],
    [{ sorters: ['city', 'name'] }, [3, 1, 2], 3],
    [{ grouper: { property: 'city', direction: 'DESC' }, sorters: ['name'] }, [2, 3, 1], 3],
    [{ filters: [{ property: 'city', value: 'Bonn' }] }, [1, 3], 2],
    [{ filters: [{ property: 'age', operator: '>', value: 30 }], limit: 1 }, [1], 2],
    [
      {
        filters: [
          { property: 'city', value: 'Bonn' },
          { property: 'age', operator: '<', value: 30 },
        ],
      },
      [3],
      1,
    ],
    [{ filters: [{ or: [{ property: 'id', value: 1 }, { not: { property: 'city', value: 'Bonn' } }] }] }, [1, 2], 2],
    [{ filters: [{ property: 'city', value: 'Bonn', disabled: true }] }, [1, 2, 3], 3],
  ])('%o gives %o of %i', async (config, expected, total) => {
    for (const model of [undefined, new (define())({})[MODEL as never] as RecordModel]) {
      const result = await read(memoryOf(), { ...config, ...(model && { model }) });
      expect(ids(result.rows)).toEqual(expected);
      expect(result.total).toBe(total);
    }
  });

  test('ignores functions, which filter and sort in the store only', async () => {
    const local = { filters: [() => false], sorters: [{ sorterFn: () => expect.unreachable('it was called') }] };
    expect((await read(memoryOf(), local)).rows).toHaveLength(3);
  });

  test('compares values as their fields convert them', async () => {
    const User = define();
    const store = new Store({
      model: User,
      remoteFilter: true,
      remoteSort: true,
      filters: [{ property: 'joined', operator: '>=', value: new Date('2023-01-01') }],
      sorters: ['joined'],
    });
    await store.load();
    expect([...store].map((user) => user.id)).toEqual([2, 1]);
  });

  test('finds a record by its id, whatever the type of the id', async () => {
    expect((await read(memoryOf(), { id: '2' })).rows).toEqual([rows[1]]);
    const User = define();
    expect((await User.load(2)).name).toBe('Ada');
    const user = await User.load(2);
    await user.load();
    expect(user.name).toBe('Ada');
  });

  test('rejects with a ReadError for an unknown id', async () => {
    const operation = new Operation({ action: 'read', id: 99 });
    const error = await failure(memoryOf().read(operation));
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({
      message: expect.stringContaining('no record with the id 99: check the id'),
      operation,
    });
    expect(operation.error).toBe(error);
    expect(await failure(define().load(99))).toBeInstanceOf(ReadError);
  });

  test('refuses a property that is not a field', async () => {
    const User = define();
    for (const query of [
      { sorters: ['nope'] },
      { filters: [{ property: 'nope', value: 1 }] },
      { groupField: 'nope' },
    ]) {
      const load = async () =>
        new Store({ model: User, remoteSort: true, remoteFilter: true, ...query } as never).load();
      expect(await failure(load())).toBeInstanceOf(UnsupportedQueryError);
    }
  });

  test('refuses an unknown operator', async () => {
    const error = await failure(read(memoryOf(), { filters: [{ property: 'a', operator: 'nope', value: 1 }] }));
    expect(error).toBeInstanceOf(UnsupportedQueryError);
  });
});

describe('writes', () => {
  test('a create gets the next id and stores the values that were sent', async () => {
    const User = define();
    const user = new User({ name: 'Dee', street: 'Main' });
    await user.save();
    expect(user).toMatchObject({ id: 4, phantom: false, dirty: false });
    expect((User.proxy as MemoryProxy).data[3]).toEqual({ id: 4, name: 'Dee', address: { street: 'Main' } });
  });

  test('an id is never reused, even after an erase', async () => {
    const User = define();
    const first = new User({ name: 'a' });
    await first.save();
    await first.erase();
    const second = new User({ name: 'b' });
    await second.save();
    expect(second.id).toBe(5);
  });

  test('a create with an id keeps that id', async () => {
    const User = define({ data: rows, writer: { writeRecordId: true } });
    const user = new User({ id: 50, name: 'Eve' }, { phantom: true });
    await user.save();
    expect(user.id).toBe(50);
    expect((await User.load(50)).name).toBe('Eve');
  });

  test.each([{}, { writeAllFields: false }, { writeAllFields: true }])(
    'an update keeps the members that were not edited (%o)',
    async (writer) => {
      const own = { id: 1, name: 'a', address: { street: 'Main', zip: 1 }, other: { deep: [1] } };
      const User = define({ data: [own], writer });
      const user = await User.load(1);
      user.set({ street: 'Side' });
      await user.save();
      expect((User.proxy as MemoryProxy).data).toEqual([{ ...own, address: { street: 'Side', zip: 1 } }]);
      expect(user.dirty).toBe(false);
    },
  );

  test('an update with a new id moves the row', async () => {
    const User = define();
    const user = await User.load(1);
    user.set({ id: 70 });
    await user.save();
    expect((await User.load(70)).name).toBe('Cid');
    expect(await failure(User.load(1))).toBeInstanceOf(ReadError);
    user.set({ name: 'Dan' });
    await user.save();
    expect((await User.load(70)).name).toBe('Dan');
  });

  test('an erase removes the row', async () => {
    const User = define();
    await (await User.load(2)).erase();
    expect(ids((User.proxy as MemoryProxy).data)).toEqual([1, 3]);
    expect(await failure(User.load(2))).toBeInstanceOf(ReadError);
  });

  test.each(['save', 'erase'] as const)(
    'a %s of a record that is gone is a ReadError, and changes nothing',
    async (verb) => {
      const User = define();
      const [user, duplicate] = [await User.load(2), await User.load(2)];
      await duplicate.erase();
      user.set({ name: 'x' });
      expect(await failure(user[verb]())).toBeInstanceOf(ReadError);
      expect(user).toMatchObject({ name: 'x', dirty: true, erased: false });
      expect(ids((User.proxy as MemoryProxy).data)).toEqual([1, 3]);
    },
  );

  test('a write of several records changes none if one is not found', async () => {
    const proxy = memoryOf();
    const User = define();
    const records = [User.fromRow(rows[0] as object), User.fromRow({ id: 99 })] as never[];
    for (const action of ['update', 'destroy'] as const) {
      expect(await failure(proxy.execute(new Operation({ action, records })))).toBeInstanceOf(ReadError);
    }
    expect(proxy.data).toEqual(rows);
  });

  test('a store syncs its changes, one by one or in batches', async () => {
    for (const batchActions of [false, true]) {
      const User = define({ data: rows, batchActions });
      const store = new Store({ model: User });
      await store.load();
      store.add({ name: 'Dee' }, { name: 'Eve' });
      store.getById(1)?.set({ age: 1 });
      store.getById(2)?.set({ age: 2 });
      store.remove(store.getById(3)!);
      const batch = await store.sync();
      expect(batch.failures).toEqual([]);
      expect((User.proxy as MemoryProxy).data).toMatchObject([
        { id: 1, age: 1 },
        { id: 2, age: 2 },
        { name: 'Dee' },
        { name: 'Eve' },
      ]);
    }
  });

  test('a model with text ids gets new ids as text', async () => {
    class Note extends Model.define({ fields: { id: 'string', text: 'string' }, proxy: { type: MemoryProxy } }) {}
    const note = new Note({ text: 'a' });
    await note.save();
    expect(note.id).toBe('1');
  });

  test('a model can have its id under another name, and nested', async () => {
    class Note extends Model.define({
      idProperty: 'key',
      fields: { key: { type: 'int', mapping: 'meta.key' }, text: 'string' },
      proxy: { type: MemoryProxy, data: [{ meta: { key: 7 }, text: 'a' }] },
    }) {}
    expect((await Note.load(7)).text).toBe('a');
    const note = new Note({ text: 'b' });
    await note.save();
    expect(note.getId()).toBe(8);
  });
});

describe('ids', () => {
  test('find the first of several rows with the same id', async () => {
    const User = define({
      data: [
        { id: 1, name: 'first' },
        { id: '1', name: 'second' },
      ],
    });
    expect((await User.load(1)).name).toBe('first');
  });

  test('are read by each of several models from its own field', async () => {
    const proxy = memoryOf();
    class ByName extends Model.define({ idProperty: 'name', fields: { name: 'string', age: 'int' }, proxy }) {}
    class ById extends Model.define({ fields: { id: 'int', name: 'string' }, proxy }) {}
    const bob = await ByName.load('Bob');
    expect((await ById.load(1)).name).toBe('Cid');
    await bob.erase();
    expect(await failure(ById.load(3))).toBeInstanceOf(ReadError);
    expect(ids(proxy.data)).toEqual([1, 2]);
  });
});

describe('abort', () => {
  test('before a call runs changes nothing', async () => {
    const proxy = memoryOf();
    const signal = AbortSignal.abort();
    const User = define();
    const records = [User.fromRow(rows[0] as object) as never];
    for (const action of ['read', 'destroy'] as const) {
      const error = await failure(proxy.execute(new Operation({ action, records, signal })));
      expect(error).toBeInstanceOf(AbortError);
      expect(isDataError(error) && error.message).not.toContain('undefined');
    }
    expect(proxy.data).toEqual(rows);
  });
});
