import fc from 'fast-check';
import {
  bigint,
  JsonWriter,
  type JsonWriterConfig,
  Model,
  Operation,
  type ProxyRequest,
  RestProxy,
  type RestProxyConfig,
} from 'repose';
import { describe, expect, test } from 'vitest';

const fields = {
  id: 'int',
  name: { type: 'string', mapping: 'full_name' },
  street: { type: 'string', mapping: 'address.street' },
  tags: { type: 'json', allowNull: true },
  joined: { type: 'date', allowNull: true },
  local: { type: 'string', persist: false },
} as const;
const row = {
  id: 7,
  full_name: 'Ed',
  address: { street: 'Main', zip: 1 },
  tags: ['a'],
  joined: '2024-03-01T12:00:00+02:00',
  extra: { a: null },
};

const define = (writer: JsonWriterConfig | JsonWriter = {}, proxy: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields,
    proxy: { type: 'rest', url: '/users', baseUrl: 'http://h.test', writer, ...proxy },
  }) {};
type User = InstanceType<ReturnType<typeof define>>;
type Verb = 'create' | 'update' | 'destroy';

/** The body of a write. */
const bodyOf = (action: Verb, ...records: User[]) => {
  const proxy = (records[0]!.constructor as ReturnType<typeof define>).proxy as RestProxy;
  return proxy.buildRequest(new Operation({ action, records: records as never })).body;
};
const saved = (writer: JsonWriterConfig | JsonWriter = {}, proxy: RestProxyConfig = {}) =>
  define(writer, proxy).fromRow(structuredClone(row));

test('the options have these defaults', () => {
  const { transform, ...rest } = new JsonWriter();
  expect(transform).toBeUndefined();
  expect(rest).toEqual({
    type: 'json',
    names: undefined,
    values: {},
    writeAllFields: undefined,
    writeRecordId: false,
    undeclared: true,
    nested: 'replace',
    omitNull: false,
    rootProperty: '',
    allowSingle: true,
    nameProperty: 'mapping',
    clientIdProperty: '',
  });
});

describe('a lossless body', () => {
  test('of a PUT without an edit is the row as received, byte for byte', () => {
    const json = fc.dictionary(
      fc.oneof(
        fc.constantFrom('id', 'full_name', 'address', 'tags', 'joined', '__proto__', 'constructor'),
        fc.string(),
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(json, (given) => {
        const received = JSON.parse(JSON.stringify({ ...given, id: 7 })) as Record<string, unknown>;
        delete received['local'];
        expect(JSON.stringify(bodyOf('update', define().fromRow(received) as User))).toBe(JSON.stringify(received));
      }),
      { numRuns: 300 },
    );
  });

  test('of a PUT with an edit differs only in the edited values; the received row is not changed', () => {
    const user = saved();
    user.set({ street: 'Side', joined: new Date('2025-01-01T00:00:00Z') });
    expect(bodyOf('update', user)).toEqual({
      ...row,
      address: { street: 'Side', zip: 1 },
      joined: '2025-01-01T00:00:00.000Z',
    });
    expect(JSON.stringify(bodyOf('update', user)).slice(0, 20)).toBe(JSON.stringify(row).slice(0, 20));
    user.reject();
    expect(bodyOf('update', user)).toEqual(row);
  });

  test('gets the missing objects around an edited value', () => {
    const user = define().fromRow({ id: 7 }) as User;
    user.set({ street: 'Side' });
    expect(bodyOf('update', user)).toEqual({ id: 7, address: { street: 'Side' } });
    const odd = define().fromRow({ id: 7, address: 'text' }) as User;
    odd.set({ street: 'Side' });
    expect(bodyOf('update', odd)).toEqual({ id: 7, address: { street: 'Side' } });
  });

  test('distinguishes null from a missing member', () => {
    const user = define().fromRow({ id: 7, tags: null }) as User;
    expect(bodyOf('update', user)).toEqual({ id: 7, tags: null });
    user.set({ joined: null });
    expect(bodyOf('update', user)).toEqual({ id: 7, tags: null, joined: null });
  });
});

describe('an option of the writer', () => {
  test('`writeAllFields` sends all fields or only edited ones, whatever the method', () => {
    const some = saved({ writeAllFields: false });
    some.set({ name: 'Bob' });
    expect(bodyOf('update', some)).toEqual({ full_name: 'Bob' });
    expect(bodyOf('update', saved({ writeAllFields: true }, { actionMethods: { update: 'PATCH' } }))).toEqual(row);
  });

  test('`undeclared: false` leaves out members that no field declares', () => {
    const { extra: _, ...declared } = row;
    const user = saved({ undeclared: false });
    expect(bodyOf('update', user)).toEqual({ ...declared, address: { street: 'Main' } });
    user.set({ street: 'Side' });
    expect(bodyOf('update', user)).toEqual({ ...declared, address: { street: 'Side' } });
  });

  test("`nameProperty: 'name'` sends members under the names of their fields", () => {
    const { full_name: name, address, ...rest } = row;
    const expected = { ...rest, name, street: 'Main', address: { zip: address.zip } };
    const user = saved({ nameProperty: 'name' });
    expect(bodyOf('update', user)).toEqual(expected);
    user.set({ street: 'Side' });
    expect(bodyOf('update', user)).toEqual({ ...expected, street: 'Side' });
    const patch = saved({ nameProperty: 'name' }, { actionMethods: { update: 'PATCH' } });
    patch.set({ street: 'Side' });
    expect(bodyOf('update', patch)).toEqual({ street: 'Side' });
  });

  test('`rootProperty` wraps the body', () => {
    expect(bodyOf('update', saved({ rootProperty: 'user' }))).toEqual({ user: row });
    expect(bodyOf('update', saved({ rootProperty: 'data.user' }))).toEqual({ data: { user: row } });
  });

  test('`allowSingle: false` sends one record as an array', () => {
    expect(bodyOf('update', saved({ allowSingle: false }))).toEqual([row]);
    expect(bodyOf('update', saved({ allowSingle: false, rootProperty: 'users' }))).toEqual({ users: [row] });
  });

  test('`transform` changes the body before it is wrapped, and gets the request', () => {
    const seen: unknown[] = [];
    const transform = (body: unknown, request: ProxyRequest) => {
      seen.push([body, request.action, request.method, request.url]);
      return { wrapped: (body as { id: number }).id };
    };
    expect(bodyOf('update', saved({ transform, rootProperty: 'a' }, { noCache: false }))).toEqual({
      a: { wrapped: 7 },
    });
    expect(seen).toEqual([[row, 'update', 'PUT', '/users/7']]);
  });

  test('`transform` is not called if there is no body', () => {
    const transform = () => expect.unreachable('it was asked');
    expect(bodyOf('destroy', saved({ transform }))).toBeUndefined();
  });

  test('`clientIdProperty` sends the id of a phantom, in a create only', () => {
    const User = define({ clientIdProperty: 'clientId' });
    const user = new User({ name: 'Ed' }) as User;
    expect(bodyOf('create', user)).toEqual({ full_name: 'Ed', clientId: user.getId() });
    expect(bodyOf('create', new User({ id: 9, name: 'Ed' }, { phantom: true }) as User)).toEqual({
      full_name: 'Ed',
      clientId: 9,
    });
    expect(bodyOf('update', saved({ clientIdProperty: 'clientId' }))).toEqual(row);
  });

  test('`clientIdProperty` sends a bigint as text, because JSON has no bigints', () => {
    const Big = Model.define({
      fields: { id: bigint() },
      proxy: { type: 'rest', url: '/b', baseUrl: 'http://h.test', writer: { clientIdProperty: 'clientId' } },
    });
    const big = new Big({}) as InstanceType<typeof Big>;
    big.id = 9007199254740993n;
    const { body } = (Big.proxy as RestProxy).buildRequest(
      new Operation({ action: 'create', records: [big as never] }),
    );
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ clientId: '9007199254740993' });
  });

  test('`writeRecordId` sends the id in a create under its own name', () => {
    const User = define({ writeRecordId: true });
    expect(bodyOf('create', new User({ id: 9, name: 'Ed' }, { phantom: true }) as User)).toEqual({
      id: 9,
      full_name: 'Ed',
    });
    const edited = new User({ name: 'Ed' }) as User;
    edited.set({ id: 11 });
    expect(bodyOf('create', edited)).toEqual({ id: 11, full_name: 'Ed' });
  });

  test('can be set in a writer instance, also of an own subclass', () => {
    class OwnWriter extends JsonWriter {
      override write(request: ProxyRequest): unknown {
        return { own: super.write(request) };
      }
    }
    expect(bodyOf('update', saved(new OwnWriter({ undeclared: false, rootProperty: 'r' })))).toMatchObject({
      own: { r: { id: 7 } },
    });
  });
});

describe('the body of several records', () => {
  const several = (writer: JsonWriterConfig = {}, proxy: RestProxyConfig = {}) => {
    const User = define(writer, { batchActions: true, ...proxy });
    return [1, 2].map((id) => {
      const user = User.fromRow({ id, full_name: 'a', address: { street: 's' } }) as User;
      user.set({ street: `s${id}` });
      return user;
    });
  };

  test('is an array, also with `allowSingle`', () => {
    const expected = [1, 2].map((id) => ({ id, full_name: 'a', address: { street: `s${id}` } }));
    expect(bodyOf('update', ...several())).toEqual(expected);
    expect(bodyOf('update', ...several({ allowSingle: false }))).toEqual(expected);
    expect(bodyOf('update', ...several({ rootProperty: 'all' }))).toEqual({ all: expected });
  });

  test("has each record's id and edited values", () => {
    const patch = { actionMethods: { update: 'PATCH' } };
    expect(bodyOf('update', ...several({}, patch))).toEqual(
      [1, 2].map((id) => ({ id, address: { street: `s${id}` } })),
    );
    expect(bodyOf('update', ...several({ nameProperty: 'name' }, patch))).toEqual(
      [1, 2].map((id) => ({ id, street: `s${id}` })),
    );
  });

  test('has only the ids for a destroy', () => {
    expect(bodyOf('destroy', ...several())).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('has the ids also if they are not persisted, at any path', () => {
    class Item extends Model.define({
      idProperty: 'key',
      fields: { key: { type: 'int', mapping: 'meta.key', persist: false }, name: 'string' },
      proxy: { type: 'rest', url: '/items', baseUrl: 'http://h.test', batchActions: true },
    }) {}
    const records = [1, 2].map((key) => Item.fromRow({ meta: { key, at: 0 }, name: 'a' })) as never[];
    const proxy = Item.proxy as RestProxy;
    const body = (action: Verb, list = records) => proxy.buildRequest(new Operation({ action, records: list })).body;
    expect(body('update')).toEqual([1, 2].map((key) => ({ meta: { at: 0, key }, name: 'a' })));
    expect(body('destroy')).toEqual([{ meta: { key: 1 } }, { meta: { key: 2 } }]);
    expect(body('update', records.slice(1))).toEqual({ meta: { at: 0 }, name: 'a' });
  });

  test('has no ids for a create', () => {
    const User = define();
    expect(bodyOf('create', new User({ name: 'a' }) as User, new User({ name: 'b' }) as User)).toEqual([
      { full_name: 'a' },
      { full_name: 'b' },
    ]);
  });
});

describe('a field with a function as its mapping', () => {
  const Item = class extends Model.define({
    fields: {
      id: 'int',
      full: {
        type: 'string',
        mapping: (raw: { first?: string; last?: string }) => `${raw.first} ${raw.last}`,
        serialize: (value: string) => ({ first: value.split(' ')[0], last: value.split(' ')[1] }),
      },
    },
    proxy: { type: 'rest', url: '/items', baseUrl: 'http://h.test' },
  }) {};
  const body = (item: InstanceType<typeof Item>, config: RestProxyConfig = {}) =>
    new RestProxy({ url: '/items', baseUrl: 'http://h.test', ...config }).buildRequest(
      new Operation({ action: 'update', records: [item as never] }),
    ).body;

  test('sends the members that `serialize` returns', () => {
    const item = Item.fromRow({ id: 1, first: 'Ada', last: 'L', other: 1 });
    expect(body(item)).toEqual({ id: 1, first: 'Ada', last: 'L', other: 1 });
    item.set({ full: 'Grace H' });
    expect(body(item)).toEqual({ id: 1, first: 'Grace', last: 'H', other: 1 });
    expect(body(item, { actionMethods: { update: 'PATCH' } })).toEqual({ first: 'Grace', last: 'H' });
  });

  test('declares the members that `serialize` returns', () => {
    const config = { writer: { undeclared: false } };
    const item = Item.fromRow({ id: 1, first: 'Ada', last: 5, other: 1 });
    expect(body(item, config)).toEqual({ id: 1, first: 'Ada', last: 5 });
    item.set({ full: 'Grace H' });
    expect(body(item, config)).toEqual({ id: 1, first: 'Grace', last: 'H' });
    expect(body(Item.fromRow({ id: 1, first: 'Ada' }), config)).toEqual({ id: 1, first: 'Ada' });
    const made = new Item({ full: 'Grace H' }, { phantom: true });
    const create = new Operation({ action: 'create', records: [made as never] });
    const proxy = new RestProxy({ url: '/items', baseUrl: 'http://h.test', ...config });
    expect(proxy.buildRequest(create).body).toEqual({ first: 'Grace', last: 'H' });
  });
});

describe('a field mapped to an item of a list', () => {
  class Post extends Model.define({
    fields: {
      id: 'int',
      first: { type: 'string', mapping: 'tags[0]', persist: false },
      second: { type: 'string', mapping: 'tags[1]' },
    },
    proxy: { type: 'rest', url: '/posts', baseUrl: 'http://h.test' },
  }) {}
  const bodies = (proxy: RestProxyConfig = {}) => {
    const post = Post.fromRow({ id: 1, tags: ['a', 'b', 'c'] });
    const body = () =>
      new RestProxy({ url: '/posts', baseUrl: 'http://h.test', ...proxy }).buildRequest(
        new Operation({ action: 'update', records: [post as never] }),
      ).body;
    const before = body();
    post.second = 'x';
    return [before, body()];
  };

  test.each([
    ['in the row as received', {}],
    ['with declared fields only', { writer: { undeclared: false } }],
  ])('sends the whole list, without added nulls: %s', (_, proxy) => {
    expect(bodies(proxy)).toEqual([
      { id: 1, tags: ['a', 'b', 'c'] },
      { id: 1, tags: ['a', 'x', 'c'] },
    ]);
  });
});

describe('a date received as a number', () => {
  class Event extends Model.define({
    fields: { id: 'int', at: 'date', end: { type: 'date', mapping: 'ends[1]' } },
    proxy: { type: 'rest', url: '/events', baseUrl: 'http://h.test' },
  }) {}

  test.each<[string, RestProxyConfig]>([
    ['PUT', {}],
    ['PUT of declared fields', { writer: { undeclared: false } }],
    ['PUT under the names of fields', { writer: { nameProperty: 'name' } }],
    ['PATCH', { actionMethods: { update: 'PATCH' } }],
  ])('is sent as a number after an edit, also in a list: %s', (_, config) => {
    const event = Event.fromRow({ id: 1, at: 5, ends: [6, 7] });
    event.set({ at: new Date(50), end: new Date(70) });
    const body = new RestProxy({ url: '/events', baseUrl: 'http://h.test', ...config }).buildRequest(
      new Operation({ action: 'update', records: [event as never] }),
    ).body as { at: unknown; ends?: unknown[]; end?: unknown };
    expect([body.at, body.end ?? body.ends?.[1]]).toEqual([50, 70]);
  });
});

test('an edit inside the value of another field is sent, in whatever order the fields are declared', () => {
  class Home extends Model.define({
    fields: { id: 'int', street: { type: 'string', mapping: 'address.street' }, address: 'json' },
    proxy: { type: 'rest', url: '/homes', baseUrl: 'http://h.test', writer: { undeclared: false } },
  }) {}
  const home = Home.fromRow({ id: 1, address: { street: 'a', zip: 1 } });
  home.street = 'b';
  const { body } = (Home.proxy as RestProxy).buildRequest(
    new Operation({ action: 'update', records: [home as never] }),
  );
  expect(body).toEqual({ id: 1, address: { street: 'b', zip: 1 } });
});

test('a read has no body, and neither has an operation without records', () => {
  const proxy = new RestProxy({ url: '/users', baseUrl: 'http://h.test' });
  expect(proxy.buildRequest(new Operation({ action: 'read', records: [saved() as never] })).body).toBeUndefined();
  expect(proxy.buildRequest(new Operation({ action: 'update', id: 7 })).body).toBeUndefined();
});

describe('a PATCH of a member and of a value inside it', () => {
  class Home extends Model.define({
    fields: { id: 'int', street: { type: 'auto', mapping: 'address.street' }, address: 'json' },
    proxy: { type: 'rest', url: '/homes', baseUrl: 'http://h.test', actionMethods: { update: 'PATCH' } },
  }) {}
  const bodyAfter = (...edits: object[]) => {
    const home = Home.fromRow({ id: 1, address: { street: 'a', zip: 1 } });
    for (const edit of edits) home.set(edit as never);
    return (Home.proxy as RestProxy).buildRequest(new Operation({ action: 'update', records: [home as never] })).body;
  };

  test('sends the later edit, in whatever order the fields are declared', () => {
    expect(bodyAfter({ address: { zip: 2 } }, { street: 'b' })).toEqual({ address: { zip: 2, street: 'b' } });
    expect(bodyAfter({ street: 'b' }, { address: { zip: 2 } })).toEqual({ address: { zip: 2 } });
  });

  test('sends null for a member that was emptied as a whole', () => {
    expect(bodyAfter({ street: 'b' }, { address: undefined })).toEqual({ address: null });
  });
});
