import {
  action,
  bigint,
  DefinitionError,
  decimal,
  embed,
  fieldType,
  Model,
  plain,
  RestProxy,
  reference,
  Store,
  sync,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

declare module 'repose' {
  interface FieldTypes {
    money: [cents: number, received: string];
    tags: [tags: ReadonlySet<string>, received: readonly string[]];
  }
}

/** Amounts in whole cents, which the server writes as `12.50`. */
const money = fieldType('money', {
  is: Number.isInteger,
  read: (received) => (typeof received === 'string' ? Math.round(Number(received) * 100) : undefined),
  write: (cents) => (Number(cents) / 100).toFixed(2),
});

/** The error that a declaration throws. */
function refusalOf(declare: () => unknown): DefinitionError {
  try {
    declare();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
  }
  throw new Error('Nothing was refused');
}

const proxy = (url: string) => ({ ...server.proxy(url), type: RestProxy, dialect: plain() });

describe('declarations that bring their code', () => {
  test('are all that a model needs', async () => {
    class Address extends Model.define({ fields: { street: 'string' } }) {}
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string', address: embed(Address), credit: decimal({ allowNull: true }) },
      proxy: proxy('/users'),
    }) {}
    class Task extends Model.define({
      name: 'task',
      fields: { id: bigint(), ownerId: reference('int'), copyOf: reference(bigint({ allowNull: true })) },
      actions: { cancel: action(), peek: action({ method: 'GET' }) },
      proxy: proxy('/tasks'),
    }) {
      static override references() {
        return { ownerId: User, copyOf: Task };
      }
    }
    const user = new User({ name: 'Ada', address: { street: 'Main St' }, credit: '0.10' });
    const task = new Task({ ownerId: user.getId() as number });
    server.reply({ status: 201, json: { id: 7 } }, { status: 201, json: { id: 1 } }, { json: { id: 7, name: 'Ada' } });
    const [tasks, users] = [new Store({ model: Task }), new Store({ model: User })];
    tasks.add(task);
    users.add(user);
    await sync([tasks, users]);
    expect(server.requests.map(({ body }) => body)).toEqual([
      { name: 'Ada', address: { street: 'Main St' }, credit: '0.10' },
      { ownerId: 7 },
    ]);
    expect((await Task.loadReference(task, 'ownerId'))?.name).toBe('Ada');
    expect(Task.fromRow({ id: '9007199254740993', copyOf: 2 }).copyOf).toBe(2n);
    server.reply({ json: {} }, { json: {} });
    await Task.actions.cancel(task);
    await Task.actions.peek(task);
    expect(server.requests.slice(-2).map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/tasks/1/cancel'],
      ['GET', '/tasks/1/peek'],
    ]);
  });

  test('are inherited', () => {
    class Invoice extends Model.define({ fields: { id: 'int', total: decimal(), payerId: reference('int') } }) {
      static override references() {
        return { payerId: Invoice };
      }
    }
    class Reminder extends Invoice.define({ fields: { fee: decimal() } }) {}
    const reminder = Reminder.fromRow({ id: 1, total: 9.5, fee: '1.00', payerId: 2 });
    expect([reminder.total, reminder.fee, reminder.payerId]).toEqual(['9.5', '1.00', 2]);
  });

  test('may be shared by fields', () => {
    const price = decimal({ defaultValue: '0' });
    class Line extends Model.define({ fields: { id: 'int', net: price, gross: price } }) {}
    const line = new Line({ net: '1.5' });
    expect([line.net, line.gross]).toEqual(['1.5', '0']);
  });
});

describe('a declaration without its code', () => {
  class Address extends Model.define({ fields: { street: 'string' } }) {}

  test.each<[what: string, config: object, remedy: string]>([
    ['a type by name', { fields: { total: 'decimal' } }, "import `decimal` from 'repose', and write `decimal()`"],
    ['a `type` by name', { fields: { n: { type: 'bigint' } } }, "import `bigint` from 'repose', and write `bigint()`"],
    ['a model', { fields: { at: Address } }, "import `embed` from 'repose', and write `embed(Model)`"],
    ['a model as `type`', { fields: { at: { type: Address } } }, 'write `embed(Model)`'],
    ['a list of a model', { fields: { at: [Address] } }, 'write `embed([Model])`'],
    ['a declaration as `type`', { fields: { n: { type: decimal() } } }, '`decimal({ allowNull: true })`'],
    ['an action', { fields: {}, actions: { cancel: {} } }, "import `action` from 'repose', and write `cancel: action("],
    ['an action of null', { fields: {}, actions: { cancel: null } }, 'write `cancel: action('],
    ['an embedded import in a circle', { fields: { at: embed(undefined as never) } }, 'imported in a circle'],
    ['an embedded class of JavaScript', { fields: { at: embed(Date as never) } }, "field 'at' of order cannot be"],
  ])('is refused for %s', (_, config, remedy) => {
    const { message } = refusalOf(() => Model.define({ name: 'order', ...config } as never));
    expect(message).toContain(remedy);
    expect(message).toContain('order');
  });
});

describe('a name in `references()` whose field is not declared by `reference()`', () => {
  class User extends Model.define({ name: 'user', fields: { id: 'int' } }) {}
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', ownerId: 'int' },
    proxy: { ...server.proxy('/tasks'), type: RestProxy },
  }) {
    static override references() {
      return { ownerId: User };
    }
  }

  test.each<[how: string, make: () => unknown]>([
    ['made', () => new Task({ ownerId: 2 })],
    ['made from a row', () => Task.fromRow({ id: 1, ownerId: 2 })],
    ['added to a store', () => new Store({ model: Task }).add({ ownerId: 2 })],
  ])('is refused when the first record is %s, because temporary ids would be sent', (_, make) => {
    expect(refusalOf(make).message).toContain(
      "`references()` of task names 'ownerId', which is not declared as a reference: import `reference` from 'repose', and write `ownerId: reference('int')`",
    );
  });

  test('makes the load of a record reject', async () => {
    server.reply({ json: { id: 1, ownerId: 2 } });
    await expect(Task.load(1)).rejects.toBeInstanceOf(DefinitionError);
  });

  test('is refused beside a field that is declared by `reference()`', () => {
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', taskId: reference('int'), ownerId: 'int' },
    }) {
      static override references() {
        return { taskId: User, ownerId: User };
      }
    }
    for (const make of [() => new Note({ taskId: 1 }), () => Note.fromRow({ id: 1, taskId: 1 })])
      expect(refusalOf(make).message).toContain("`references()` of note names 'ownerId'");
  });

  test('cannot be loaded with `loadReference`', async () => {
    await expect(User.loadReference(User.fromRow({ id: 1 }), 'id' as never)).rejects.toThrow(
      "user has no reference 'id'",
    );
  });
});

describe('a field type of an application', () => {
  test('has its reading, writing and TypeScript type', async () => {
    class Order extends Model.define({
      fields: { id: 'int', total: money(), tax: money({ allowNull: true }) },
      proxy: { ...server.proxy('/orders'), dialect: plain() },
    }) {}
    server.reply({ json: { id: 1, total: '12.50', tax: null } }, { json: { id: 1, total: '13.00', tax: null } });
    const order = await Order.load(1);
    const cents: number | undefined = order.total;
    expect([cents, order.tax]).toEqual([1250, null]);
    order.total = 1300;
    await order.save();
    expect(server.last.body).toEqual({ total: '13.00' });
    expect(Order.fromRow({ id: 1, total: [] }).$.errors.total?.[0]?.code).toBe('type');
  });

  test('may have values that JSON cannot express', async () => {
    const isTags = (value: unknown) => value instanceof Set;
    const tags = fieldType('tags', {
      is: isTags,
      read: (received) => (Array.isArray(received) ? new Set<unknown>(received) : undefined),
      write: (value) => (isTags(value) ? [...value] : value),
    });
    class Note extends Model.define({
      fields: { id: 'int', tags: tags() },
      proxy: { ...server.proxy('/notes'), dialect: plain() },
    }) {}
    const note = Note.fromRow({ id: 1, tags: ['a'] });
    expect([...(note.tags ?? [])]).toEqual(['a']);
    note.tags = new Set(['b', 'c']);
    server.reply({ status: 204 });
    await note.save();
    expect(server.last.body).toEqual({ tags: ['b', 'c'] });
    expect(() => note.set('tags', new Map() as never)).toThrow(/Map/);
  });

  test('is not known by its name', () => {
    expect(() => Model.define({ fields: { total: 'money' as never } })).toThrow(/cannot be 'money'/);
  });

  test('cannot have the name of a type that is built in', () => {
    for (const name of ['decimal', 'bigint'])
      expect(() => fieldType(name as 'money', { is: () => true, read: (raw) => raw })).toThrow(DefinitionError);
    expect(() => fieldType('date' as 'money', { is: () => true, read: (raw) => raw })).toThrow(
      "The field type 'date' is built in",
    );
  });
});
