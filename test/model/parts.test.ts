import {
  action,
  bigint,
  DefinitionError,
  decimal,
  embed,
  Model,
  type ModelPart,
  type Naming,
  plain,
  RestProxy,
  reference,
} from 'repose';
import * as core from 'repose/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const { actions, embedded, errorFamilies, exactTypes, namings, references } = core;

/** Amounts in whole cents, which the server writes as `12.50`. */
const money: ModelPart = {
  name: 'money',
  fieldTypes: {
    money: {
      is: Number.isInteger,
      read: (received) => (typeof received === 'string' ? Math.round(Number(received) * 100) : undefined),
      write: (cents) => (Number(cents) / 100).toFixed(2),
    },
  },
};

declare module 'repose' {
  interface FieldTypes {
    money: [cents: number, received: string];
    tags: [tags: ReadonlySet<string>, received: readonly string[]];
  }
}

/** The error that a declaration throws. */
function refusalOf(declare: () => unknown): DefinitionError {
  try {
    declare();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
  }
  throw new Error('Nothing was refused');
}

describe('the list of parts', () => {
  test('is empty in core, and holds every part of the package in the main entry', () => {
    expect(core.Model.parts).toEqual([]);
    const names = ['references', 'embedded', 'actions', 'exactTypes', 'namings', 'errorFamilies'];
    expect(Model.parts.map(({ name }) => name)).toEqual(names);
  });

  test('gives a core model the parts that it names, and no other', async () => {
    class CoreModel extends core.Model {
      static override readonly parts: readonly ModelPart[] = [references, embedded];
    }
    const proxy = (url: string) => ({ ...server.proxy(url), type: RestProxy, dialect: plain() });
    class Address extends CoreModel.define({ fields: { street: 'string' } }) {}
    class User extends CoreModel.define({
      name: 'user',
      fields: { id: 'int', name: 'string', address: embed(Address) },
      proxy: proxy('/users'),
    }) {}
    class Task extends CoreModel.define({
      name: 'task',
      fields: { id: 'int', ownerId: reference('int') },
      proxy: proxy('/tasks'),
    }) {
      static override references() {
        return { ownerId: User };
      }
    }
    const user = new User({ name: 'Ada', address: { street: 'Main St' } });
    const task = new Task({ ownerId: user.getId() as number });
    server.reply({ status: 201, json: { id: 7 } }, { status: 201, json: { id: 1 } }, { json: { id: 7, name: 'Ada' } });
    const [tasks, users] = [new core.Store({ model: Task }), new core.Store({ model: User })];
    tasks.add(task);
    users.add(user);
    await core.sync([tasks, users]);
    expect(server.requests.map(({ body }) => body)).toEqual([
      { name: 'Ada', address: { street: 'Main St' } },
      { ownerId: 7 },
    ]);
    expect((await Task.loadReference(task, 'ownerId'))?.name).toBe('Ada');
    expect(() => CoreModel.define({ fields: { total: decimal() } })).toThrow(DefinitionError);
  });

  test('can be filtered by name', () => {
    class Small extends Model {
      static override readonly parts = Model.parts.filter(({ name }) => name !== 'actions');
    }
    expect(() => Small.define({ fields: { total: decimal() }, naming: 'snake' })).not.toThrow();
    expect(() => Small.define({ fields: {}, actions: { cancel: action() } })).toThrow(DefinitionError);
    const Order = Model.define({ fields: {}, actions: { cancel: action() } });
    class SmallOrder extends Order {
      static override readonly parts = Small.parts;
    }
    expect(() => SmallOrder.define({ fields: { note: 'string' } })).toThrow(/The action 'cancel'/);
  });

  test('of a subclass is checked for inherited fields too', () => {
    class Invoice extends Model.define({ fields: { total: decimal() } }) {
      static override readonly parts: readonly ModelPart[] = [];
    }
    expect(() => Invoice.define({ fields: { note: 'string' } })).toThrow(DefinitionError);
  });

  test.each<[part: string, what: string, config: object]>([
    ['exactTypes', "type 'decimal' of the field 'total'", { fields: { total: decimal() } }],
    ['exactTypes', "type 'dateonly' of the field 'due'", { fields: { due: { type: 'dateonly' } } }],
    ['exactTypes', "type 'bigint' of the field 'serial'", { fields: { serial: bigint() } }],
    ['embedded', "model of the field 'address'", { fields: { address: embed(core.Model.define({ fields: {} })) } }],
    ['embedded', "model of the field 'lines'", { fields: { lines: embed([core.Model.define({ fields: {} })]) } }],
    ['namings', "naming 'snake'", { fields: {}, naming: 'snake' }],
    ['actions', "action 'cancel'", { fields: {}, actions: { cancel: {} } }],
  ])('names the part %s that the %s needs, and how to add it', (part, what, config) => {
    const { message } = refusalOf(() => core.Model.define({ name: 'order', ...config } as never));
    expect(message).toContain(what);
    expect(message).toContain("in the model 'order'");
    expect(message).toContain(`static override readonly parts = [...Model.parts, ${part}]`);
  });

  test.each([
    ['undefined as an item', [undefined], 'a list with undefined'],
    ['a part without a name', [{ fieldTypes: {} }], 'a list with an object'],
    ['a part instead of a list', references, 'an object'],
    ['null', null, 'null'],
  ])('is refused with %s', (_, parts, what) => {
    class Wrong extends core.Model {
      static override readonly parts = parts as unknown as readonly ModelPart[];
    }
    expect(refusalOf(() => Wrong.define({ name: 'user', fields: {} })).message).toContain(`not ${what}.`);
  });
});

describe('references of a model without the part `references`', () => {
  class User extends core.Model.define({ name: 'user', fields: { id: 'int' } }) {}
  class Task extends core.Model.define({
    name: 'task',
    fields: { id: 'int', ownerId: reference('int') },
    proxy: { ...server.proxy('/tasks'), type: RestProxy },
  }) {
    static override references() {
      return { ownerId: User };
    }
  }

  test.each<[how: string, make: () => unknown]>([
    ['made', () => new Task({ ownerId: 2 })],
    ['made from a row', () => Task.fromRow({ id: 1, ownerId: 2 })],
    ['added to a store', () => new core.Store({ model: Task }).add({ ownerId: 2 })],
  ])('are refused when the first record is %s, because temporary ids would be sent', (_, make) => {
    expect(refusalOf(make).message).toMatch(/^`references\(\)` in the model 'task' needs the part `references`/);
  });

  test('make the load of a record reject', async () => {
    server.reply({ json: { id: 1, ownerId: 2 } });
    await expect(Task.load(1)).rejects.toBeInstanceOf(DefinitionError);
  });

  test('cannot be loaded with `loadReference`', async () => {
    await expect(User.loadReference(User.fromRow({ id: 1 }), 'id' as never)).rejects.toThrow(
      /The reference 'id' in the model 'user' needs the part `references`/,
    );
  });
});

describe('a part defined by an application', () => {
  class AppModel extends Model {
    static override readonly parts: readonly ModelPart[] = [...Model.parts, money];
  }

  test('adds a field type with its reading, writing and TypeScript type', async () => {
    class Order extends AppModel.define({
      fields: { id: 'int', total: 'money', tax: { type: 'money', allowNull: true } },
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

  test('adds a field type for values that JSON cannot express', async () => {
    const isTags = (value: unknown) => value instanceof Set;
    const tags: ModelPart = {
      name: 'tags',
      fieldTypes: {
        tags: {
          is: isTags,
          read: (received) => (Array.isArray(received) ? new Set<unknown>(received) : undefined),
          write: (value) => (isTags(value) ? [...value] : value),
        },
      },
    };
    class TagModel extends core.Model {
      static override readonly parts: readonly ModelPart[] = [tags];
    }
    class Note extends TagModel.define({
      fields: { id: 'int', tags: 'tags' },
      proxy: { ...server.proxy('/notes'), type: RestProxy, dialect: plain() },
    }) {}
    const note = Note.fromRow({ id: 1, tags: ['a'] });
    expect([...(note.tags ?? [])]).toEqual(['a']);
    note.tags = new Set(['b', 'c']);
    server.reply({ status: 204 });
    await note.save();
    expect(server.last.body).toEqual({ tags: ['b', 'c'] });
    expect(() => note.set('tags', new Map() as never)).toThrow(/Map/);
  });

  test('does not affect models without it', () => {
    expect(() => Model.define({ fields: { total: 'money' } })).toThrow(/cannot be 'money'/);
  });

  test('cannot replace a built-in field type', () => {
    const { date } = { date: { is: () => true, read: (raw: unknown) => raw } };
    class Wrong extends core.Model {
      static override readonly parts: readonly ModelPart[] = [{ name: 'dates', fieldTypes: { date } }];
    }
    expect(() => Wrong.define({ fields: {} })).toThrow(/'dates' names the field type 'date', which is built in/);
  });

  test('adds a naming', () => {
    class ShoutingModel extends core.Model {
      static override readonly parts: readonly ModelPart[] = [
        namings,
        { name: 'shouting', namings: { shout: (field) => field.toUpperCase() } },
      ];
    }
    const declare = (naming: string) =>
      ShoutingModel.define({ fields: { dueDate: 'string' }, naming: naming as Naming });
    expect(declare('shout').fromRow({ DUEDATE: 'now' }).dueDate).toBe('now');
    expect(declare('kebab').fromRow({ 'due-date': 'now' }).dueDate).toBe('now');
    expect(() => declare('camel')).toThrow(DefinitionError);
  });

  test('is not needed if the naming is a function', () => {
    const upper = (name: string) => name.toUpperCase();
    const Task = core.Model.define({ fields: { dueDate: 'string' }, naming: upper });
    expect(Task.fromRow({ DUEDATE: 'now' }).dueDate).toBe('now');
  });

  test('reads error bodies in place of an earlier part', async () => {
    const own: ModelPart = {
      name: 'ownErrors',
      readProblem: (body, status) => ({ status, issues: [], detail: `own: ${(body as { wrong: string }).wrong}` }),
    };
    class Strict extends core.Model {
      static override readonly parts: readonly ModelPart[] = [errorFamilies, own];
    }
    class User extends Strict.define({ fields: { id: 'int' }, proxy: { ...server.proxy('/u'), type: RestProxy } }) {}
    server.reply({ status: 409, json: { wrong: 'taken' } });
    await expect(User.load(1)).rejects.toThrow(/own: taken/);
  });
});

describe('each part', () => {
  const only = (...parts: ModelPart[]) =>
    class extends core.Model {
      static override readonly parts: readonly ModelPart[] = parts;
    };

  beforeEach(() => server.reply({ status: 400, json: { name: ['too long'] } }));

  test('works without the others', async () => {
    expect(
      only(exactTypes)
        .define({ fields: { due: 'dateonly' } })
        .fromRow({ due: '2026-11-21' }).due,
    ).toBe('2026-11-21');
    const Address = core.Model.define({ fields: { street: 'string' } });
    const User = only(embedded).define({ fields: { address: embed(Address) } });
    expect(User.fromRow({ address: { street: 'Main St' } }).address.street).toBe('Main St');
    const proxy = { ...server.proxy('/orders'), type: RestProxy };
    const Order = only(actions).define({ fields: { id: 'int' }, actions: { cancel: action() }, proxy });
    await expect(Order.actions.cancel(Order.fromRow({ id: 1 }))).rejects.toMatchObject({ code: 'http' });
    const Strict = only(errorFamilies).define({ fields: { id: 'int', name: 'string' }, proxy });
    server.reply({ status: 400, json: { name: ['too long'] } });
    await expect(Strict.load(1)).rejects.toMatchObject({ code: 'validation', issues: [{ path: ['name'] }] });
  });
});
