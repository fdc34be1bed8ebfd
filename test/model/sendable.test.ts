import { copyOf, embed, json, Model, StateError, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Address extends Model.define({
  fields: {
    street: 'string',
    extra: 'json',
    tags: { type: json<ReadonlySet<string>>(), serialize: (tags: ReadonlySet<string>) => [...tags] },
  },
}) {}

class User extends Model.define({
  name: 'user',
  fields: {
    id: 'int',
    name: 'string',
    info: 'json',
    other: 'auto',
    points: json<unknown>(),
    address: embed(Address, { allowNull: true }),
    places: embed([Address]),
    draft: { type: 'auto', persist: false },
    members: { type: json<ReadonlyMap<string, number>>(), serialize: (map: ReadonlyMap<string, number>) => [...map] },
  },
  proxy: server.proxy('/users'),
}) {}

const saved = () => User.fromRow({ id: 1, name: 'Ada', info: { a: 1 } });

class Private {
  readonly #secret = 1;
  reveal(): number {
    return this.#secret;
  }
}

const refused: [kind: string, value: unknown, remedy: string][] = [
  ['Map', new Map([['a', 1]]), 'Object.fromEntries(map)'],
  ['Set', new Set([1]), '[...set]'],
  ['function', () => 1, 'set a value'],
  ['function', class Any {}, 'set a value'],
  ['symbol', Symbol('s'), 'set a text'],
  ['WeakMap', new WeakMap(), 'plain data'],
  ['Promise', Promise.resolve(1), '`await` it first'],
  ['ArrayBuffer', new ArrayBuffer(2), 'plain data'],
  ['Uint8Array', new Uint8Array(2), 'plain data'],
  ['RegExp', /x/, 'plain data'],
  ['Error', new Error('x'), 'plain data'],
  ['FormData', new FormData(), 'plain data'],
  ['URLSearchParams', new URLSearchParams('a=1'), 'plain data'],
  ['Private', new Private(), 'plain data'],
];

describe('a value that JSON would lose', () => {
  test.each(refused)('a %s is refused when it is set, and nothing changes', (kind, value, remedy) => {
    const user = saved();
    for (const set of [
      () => user.set({ name: 'Bob', info: value }),
      () => user.set('info', () => value),
      () => {
        user.info = value;
      },
      () => {
        user.other = value;
      },
      () => user.set({ name: value as never }),
    ]) {
      expect(set).toThrow(StateError);
      expect(set).toThrow(`(${kind})`);
      expect(set).toThrow(remedy);
      expect(set).toThrow('Declare `serialize` for the field');
    }
    expect([user.dirty, user.name, user.info]).toEqual([false, 'Ada', { a: 1 }]);
  });

  test.each<[string, unknown, string]>([
    ['NaN', Number.NaN, 'must be a number'],
    ['Infinity', Number.POSITIVE_INFINITY, 'must be a number'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'must be a number'],
    ['Number object', Object(Number.NaN), 'must be a number'],
    ['Invalid Date', new Date('no date'), 'must be a date'],
  ])('%s is an error of a field that takes any value, and is not sent', async (_, value, message) => {
    class Point {
      constructor(readonly y: unknown) {}
    }
    const cases: [object, path: unknown[]][] = [
      [{ info: value }, ['info']],
      [{ other: value }, ['other']],
      [{ info: { x: [1, value] } }, ['info', 'x', 1]],
      [{ points: [{ x: 1, 'a.b': value }] }, ['points', 0, 'a.b']],
      [{ info: [new Point(value)] }, ['info', 0, 'y']],
    ];
    for (const [set, path] of cases) {
      for (const user of [saved(), new User({ name: 'Ada' })]) {
        user.set(set);
        expect(user.$.errors[path[0] as 'info']).toEqual([{ path, message, code: 'type', params: expect.anything() }]);
        await expect(user.save()).rejects.toMatchObject({ code: 'validation', issues: [{ path }] });
      }
    }
    const inside = User.fromRow({ id: 1, address: { street: 'A' } });
    inside.address?.set({ extra: [value] });
    await expect(inside.save()).rejects.toMatchObject({
      code: 'validation',
      issues: [{ path: ['address', 'extra', 0] }],
    });
    expect(server.lines).toEqual([]);
    const user = saved();
    user.set({ draft: value, members: new Map([['a', Number.NaN]]) });
    user.info = { v: value, toJSON: () => 'own' };
    expect(user.$.errors).toEqual({});
    class Open extends Model.define({ name: 'open', fields: { id: 'int' }, undeclared: 'keep' }) {}
    expect(() => new Open({ more: { x: [value] } } as object)).toThrow(StateError);
  });

  test('is left alone where the row has it: other members are set, copied and reverted', () => {
    const user = User.fromRow({ id: 1, info: { x: Number.NaN, y: 1 } });
    expect(user.$.errors).toEqual({});
    user.set({ info: { ...(user.info as object), y: 2 } });
    expect(user.info).toEqual({ x: Number.NaN, y: 2 });
    user.reject();
    expect([user.info, copyOf(user).info]).toEqual([
      { x: Number.NaN, y: 1 },
      { x: Number.NaN, y: 1 },
    ]);
  });

  test('is left alone where the row has a number that JavaScript cannot hold', async () => {
    server.reply({ text: '{"id":1,"info":{"x":1e400,"y":1}}' });
    const user = await User.load(1);
    user.set('info.y' as never, 2 as never);
    expect(user.$.errors).toEqual({});
    user.set('info.y' as never, Number.POSITIVE_INFINITY as never);
    expect(user.$.errors).toMatchObject({ info: [{ path: ['info', 'y'], message: 'must be a number' }] });
  });

  test('does not take long to find in values that contain themselves, or share their parts', () => {
    let shared: unknown = { v: 1 };
    for (let i = 0; i < 14; i++) shared = { a: shared, b: shared };
    const user = saved();
    user.set({ info: shared });
    expect(user.$.errors).toEqual({});
  });

  test('is found inside objects and arrays, and the error names its place', () => {
    const user = saved();
    const tree = { list: [{ 'a.b': new Map() }] };
    expect(() => user.set({ info: tree })).toThrow(
      expect.objectContaining({
        code: 'field',
        reason: 'field-unsendable',
        params: expect.objectContaining({ kind: 'Map' }),
      }),
    );
    expect(() => user.set({ info: tree })).toThrow("'info.list[0]['a.b']' was not set");
    expect(() => user.set({ info: [1, [new Set()]] })).toThrow("'info[1][0]' was not set");
    expect(() => user.set('info.a' as never, Symbol('s') as never)).toThrow("'info.a' was not set");
  });

  test('is refused by a constructor, and by `store.add`, which then adds nothing', () => {
    const info = { seen: new Set([1]) };
    expect(() => new User({ info })).toThrow("'info.seen' was not set");
    const store = new Store({ model: User });
    expect(() => store.add({ name: 'Ada' }, { info })).toThrow("'info.seen' was not set");
    expect([store.count, store.pending.created]).toEqual([0, []]);
    expect(() => new Store({ model: User, data: [{ id: 1, info }] })).toThrow(StateError);
  });

  test('is refused in a default value', () => {
    class Defaulted extends Model.define({ fields: { id: 'int', seen: { defaultValue: () => new Set() } } }) {}
    expect(() => new Defaulted()).toThrow("'seen' was not set");
  });

  test('is refused inside embedded records', () => {
    const user = saved();
    const bad = { street: 'Main St', extra: { seen: new Set() } };
    for (const call of [
      () => user.set({ address: bad }),
      () => user.set({ places: [bad] }),
      () => new User({ address: bad }),
      () => new Address(bad),
      () => user.set({ address: { street: 'Main St' } }).set('address.extra' as never, new Map() as never),
    ])
      expect(call).toThrow(/'extra(\.seen)?' was not set/);
    expect(() => user.set({ address: new Map() as never })).toThrow("'address' was not set");
  });
});

describe('a value that JSON can express', () => {
  class Amount {
    constructor(readonly cents: number) {}
    toJSON(): string {
      return `${this.cents / 100}`;
    }
  }
  class Point {
    x = 1;
    y = 2;
  }

  test('is accepted and sent', async () => {
    const user = saved();
    const info = {
      url: new URL('http://a.test/x'),
      at: new Date(0),
      amount: new Amount(150),
      point: new Point(),
      none: Object.create(null) as object,
      empty: {},
      list: [],
      missing: undefined,
      nothing: null,
      boxed: Object(5) as unknown,
    };
    user.set({ info, address: new Address({ street: 'Main St' }), other: new Amount(1) });
    server.reply({ status: 204 });
    await user.save();
    expect(server.last.body).toEqual({
      id: 1,
      name: 'Ada',
      info: {
        url: 'http://a.test/x',
        at: '1970-01-01T00:00:00.000Z',
        amount: '1.5',
        point: { x: 1, y: 2 },
        none: {},
        empty: {},
        list: [],
        nothing: null,
        boxed: 5,
      },
      address: { street: 'Main St' },
      other: '0.01',
    });
    expect(user.dirty).toBe(false);
  });

  test('can be of any kind if `serialize` turns it into JSON, also inside embedded records', async () => {
    const user = saved();
    user.set({ members: new Map([['a', 1]]), address: { street: 'Main St', tags: new Set(['x']) } });
    server.reply({ status: 204 });
    await user.save();
    expect(server.last.body).toMatchObject({ members: [['a', 1]], address: { street: 'Main St', tags: ['x'] } });
  });

  test('can be of any kind in a field that is never sent', () => {
    const draft = new Map([['a', () => 1]]);
    const user = saved();
    user.draft = draft;
    expect([user.draft, new User({ draft }).draft]).toEqual([draft, draft]);
  });
});
