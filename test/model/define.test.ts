import { AjaxProxy, action, DefinitionError, json, MemoryProxy, Model, RestProxy } from 'repose';
import { describe, expect, test } from 'vitest';
import { isReserved } from '../../src/store/compile-query.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

describe('reserved names', () => {
  const RESERVED = [
    '$',
    'commit',
    'dirty',
    'erase',
    'erased',
    'get',
    'getId',
    'load',
    'on',
    'phantom',
    'reject',
    'save',
    'set',
    'toJSON',
  ];
  const OF_OBJECT = Object.getOwnPropertyNames(Object.prototype);

  test('are the members of a record and of every object, and no others', () => {
    class Empty extends Model.define({ fields: {} }) {}
    const members = new Set<string>();
    for (let each: object = Empty.prototype; each !== Object.prototype; each = Object.getPrototypeOf(each)) {
      for (const name of Object.getOwnPropertyNames(each)) members.add(name);
    }
    for (const name of ['constructor', 'id', '__v_skip']) members.delete(name);
    expect([...members].sort()).toEqual(RESERVED);
    expect(Object.keys(new Empty())).toEqual([]);
    for (const name of [...RESERVED, ...OF_OBJECT]) expect([name, isReserved(name)]).toEqual([name, true]);
  });

  test('do not include the mark by which Vue leaves records as they are', () => {
    class Marked extends Model.define({ fields: { __v_skip: 'string' } }) {}
    expect(new Marked({ __v_skip: 'text' }).__v_skip).toBe('text');
  });

  test.each([...RESERVED, ...OF_OBJECT, '__proto__'])('%s is refused, with the remedy', (name) => {
    const fields = JSON.parse(JSON.stringify({ id: 'int' }).replace('}', `,${JSON.stringify(name)}:"string"}`));
    const define = () => Model.define({ fields });
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(
      `'${name}' of record is a member of every record: give the field another name, and set its \`mapping\` to '${name}'`,
    );
    expect({}).not.toHaveProperty('polluted');
  });

  test.each([
    'key',
    'data',
    'modified',
    'error',
    'errors',
    'then',
    'abort',
    'reload',
    'copy',
    'validate',
    'isValid',
    'related',
    'references',
    'proxy',
    'name',
    'length',
    'id',
    'store',
    'type',
  ])('%s is allowed', (name) => {
    class Free extends Model.define({ fields: { [name]: 'auto' } as Record<string, 'auto'> }) {}
    const free = Free.fromRow({ [name]: 5 });
    expect([free.get(name), isReserved(name)]).toEqual([5, false]);
    free.set(name, 6);
    expect(free.$.modified).toEqual({ [name]: 6 });
  });
});

describe('define', () => {
  test('sets the name of the class', () => {
    const User = Model.define({ name: 'user', fields: {} });
    expect([User.name, Model.define({ fields: {} }).name]).toEqual(['user', 'record']);
  });

  test('adds an id field if none is declared', () => {
    class User extends Model.define({ fields: { name: 'string' } }) {}
    expect((User.fromRow({ id: 'x' }) as unknown as { id: unknown }).id).toBe('x');
    expect(User.fromRow({ id: 'x' }).getId()).toBe('x');
  });

  test('accepts another field as the id', async () => {
    class User extends Model.define({
      fields: { uid: 'string', name: 'string' },
      idProperty: 'uid',
      proxy: server.proxy('/users'),
    }) {}
    server.reply({ json: { uid: 'a b', name: 'x' } }, { status: 204 });
    const user = await User.load('a b');
    await user.save();
    expect([user.getId(), server.lines]).toEqual(['a b', ['GET /users/a%20b', 'PUT /users/a%20b']]);
    expect(server.last.body).toEqual({ uid: 'a b', name: 'x' });
  });

  test('accepts a field whose options have no type', () => {
    class User extends Model.define({
      fields: { id: 'int', bare: {}, typed: { type: json<number>() } },
    }) {}
    const user = User.fromRow({ id: 1, bare: [1], typed: 5 });
    expect([user.bare, user.typed]).toEqual([[1], 5]);
  });

  test.each([
    [
      'an unknown type',
      { a: 'strng' },
      "The `type` of the field 'a' of record cannot be 'strng': did you mean 'string'?",
    ],
    [
      'a type that every object has',
      { a: 'toString' },
      "The `type` of the field 'a' of record cannot be 'toString': did you mean 'string'?",
    ],
    [
      'a type of another kind',
      { a: 5 },
      "The `type` of the field 'a' of record cannot be 5; the known types are auto, json, string",
    ],
    ['no type', { a: undefined }, "'a' of record cannot be undefined: a name that is imported in a circle"],
    ['a class that is no model', { a: class Foo {} }, "'a' of record cannot be the class Foo; the known types are"],
    ['a list of no model', { a: ['string'] }, "'a' of record cannot be an array; the known types are"],
    ['an empty list', { a: [] }, "'a' of record cannot be an array; the known types are"],
    [
      'an unknown option',
      { a: { type: 'string', maping: 'b' } },
      "'maping' is not an option of the field 'a': did you mean 'mapping'?",
    ],
    [
      '`__proto__` as a mapping',
      { a: { mapping: '__proto__' } },
      "The `mapping` of the field 'a' of record ('__proto__') must have no part",
    ],
    [
      '`__proto__` in a mapping',
      { a: { mapping: 'b.__proto__.c' } },
      "The `mapping` of the field 'a' of record ('b.__proto__.c') must have no part",
    ],
    [
      'an empty mapping',
      { a: { mapping: '' } },
      "The `mapping` of the field 'a' of record ('') must have no part that is empty or '__proto__'",
    ],
    [
      'a mapping that ends early',
      { a: { mapping: 'b.' } },
      "The `mapping` of the field 'a' of record ('b.') must have no part",
    ],
  ])('%s is a DefinitionError', (_, fields, message) => {
    expect(() => Model.define({ fields: fields as never })).toThrow(DefinitionError);
    expect(() => Model.define({ fields: fields as never })).toThrow(message);
  });

  test('an idProperty that is no field is a DefinitionError', () => {
    expect(() => Model.define({ name: 'user', fields: { id: 'int' }, idProperty: 'uid' as 'id' })).toThrow(
      "`idProperty` names 'uid', which is not a field of user: did you mean 'id'?",
    );
  });

  test('a row with `__proto__` pollutes nothing, and is sent back with it', async () => {
    class User extends Model.define({ fields: { id: 'int', name: 'string' }, proxy: server.proxy('/users') }) {}
    server.reply(
      { text: '{"id":1,"name":"a","__proto__":{"polluted":true,"name":"proto"}}' },
      { text: '{"ok":1,"__proto__":{"polluted":2}}' },
      { status: 204 },
    );
    const user = await User.load(1);
    expect([user.name, (user as object as { polluted?: unknown }).polluted]).toEqual(['a', undefined]);
    user.name = 'b';
    await user.save();
    expect(server.last.text).toBe('{"id":1,"name":"b","__proto__":{"polluted":true,"name":"proto"}}');
    await user.save();
    expect(server.last.text).toBe('{"id":1,"name":"b","__proto__":{"polluted":2}}');
    expect({}).not.toHaveProperty('polluted');
  });

  test('values with `__proto__` are refused', () => {
    class User extends Model.define({ fields: { id: 'int' } }) {}
    expect(() => new User(JSON.parse('{"__proto__":{"polluted":1}}'))).toThrow("has no field '__proto__'");
    expect(() => new User({ nope: 1 } as never)).toThrow("has no field 'nope'");
  });
});

describe('a model that extends another model', () => {
  class Base extends Model.define({
    name: 'base',
    fields: { id: 'int', name: { type: 'string', mapping: 'title' }, at: 'date' },
    idProperty: 'id',
    proxy: server.proxy('/base'),
    messages: { required: 'fehlt' },
    actions: { ping: action({ method: 'POST' }) },
  }) {
    get label() {
      return `[${this.name}]`;
    }
  }
  class Sub extends Base.define({
    name: 'sub',
    fields: { extra: 'int', at: { type: 'date', allowNull: true } },
    actions: { pong: action({ method: 'PUT' }) },
  }) {}

  test('inherits fields, members and actions, and may override them', async () => {
    const sub = Sub.fromRow({ id: 1, title: 'a', at: null, extra: 5 });
    expect([sub.label, sub.extra, sub.$.data]).toEqual(['[a]', 5, { id: 1, name: 'a', at: null, extra: 5 }]);
    expect([sub.$.isValid(), Base.fromRow({ at: null }).$.isValid()]).toEqual([true, false]);
    expect(sub).toBeInstanceOf(Base);
    expect([Sub.name, Object.keys(Sub.actions).sort(), Object.keys(Base.actions)]).toEqual([
      'Sub',
      ['ping', 'pong'],
      ['ping'],
    ]);
    server.reply({ json: { id: 1 } });
    await Sub.load(1);
    expect(server.lines).toEqual(['GET /base/1']);
  });

  test('inherits the messages', () => {
    expect(Sub.fromRow({ id: 1, title: null }).$.errors.name?.[0]?.message).toBe('fehlt');
  });

  test('inherits the name unless it sets one', () => {
    expect(Base.define({ fields: {} }).name).toBe('base');
  });

  test('does not change its base', () => {
    expect(() => Base.fromRow({}).get('extra' as never)).toThrow("base has no field 'extra'");
  });
});

describe('a constructor in the class body', () => {
  const Base = Model.define({ name: 'user', fields: { id: 'int', name: 'string' } });

  test('that passes on all of its arguments can be called for rows', () => {
    class User extends Base {
      readonly seen: string | undefined;
      constructor(...args: ConstructorParameters<typeof Base>) {
        super(...args);
        this.seen = this.name;
      }
    }
    const user = User.fromRow({ id: '7', name: 'Ada', extra: 1 });
    expect([user.seen, user.id, user.phantom]).toEqual(['Ada', 7, false]);
  });

  test.each([{ id: 7, name: 'Ada' }, { id: 7, extra: 1 }, {}])(
    'that does not pass on all of its arguments is a DefinitionError (%o)',
    (row) => {
      class User extends Base {
        constructor(data?: object) {
          super(data);
        }
      }
      expect(() => User.fromRow(row)).toThrow(DefinitionError);
      expect(() => User.fromRow(row)).toThrow('The constructor of User must pass on all of its arguments');
    },
  );

  test('throws its own errors', () => {
    class User extends Base {
      constructor(...args: ConstructorParameters<typeof Base>) {
        super(...args);
        throw new RangeError('mine');
      }
    }
    expect(() => User.fromRow({})).toThrow(RangeError);
  });
});

describe('proxy', () => {
  test('is created once, on first use', () => {
    class User extends Model.define({ fields: {}, proxy: { type: 'rest', url: '/users' } }) {}
    class Sub extends User {}
    expect(User.proxy).toBeInstanceOf(RestProxy);
    const { proxy } = User;
    expect([User.proxy === proxy, Sub.proxy === proxy]).toEqual([true, true]);
  });

  test('is shared with a subclass that sets none, whichever is used first', () => {
    class Base extends Model.define({ fields: {}, proxy: { type: MemoryProxy } }) {}
    class Sub extends Base.define({ fields: { more: 'int' } }) {}
    class Deep extends Sub.define({ fields: {}, naming: 'snake' }) {}
    const first = Deep.proxy;
    expect([Sub.proxy === first, Base.proxy === first]).toEqual([true, true]);
  });

  test('may be given by name, class or instance, or by a name that the application added', () => {
    const proxy = new MemoryProxy();
    class House extends RestProxy {
      readonly house = true;
    }
    class Own extends Model {
      static override readonly proxyTypes = { ...Model.proxyTypes, house: House };
    }
    expect(Model.define({ fields: {}, proxy: { url: '/x' } }).proxy).toBeInstanceOf(RestProxy);
    expect(Model.define({ fields: {}, proxy: { type: 'ajax', url: '/x' } }).proxy).toBeInstanceOf(AjaxProxy);
    expect(Model.define({ fields: {}, proxy: { type: House, url: '/x' } }).proxy).toBeInstanceOf(House);
    expect(Model.define({ fields: {}, proxy }).proxy).toBe(proxy);
    expect(Own.define({ fields: {}, proxy: { type: 'house', url: '/x' } }).proxy).toBeInstanceOf(House);
    expect(Model.define({ fields: {}, proxy: { type: RestProxy, url: '/x' } }).proxy).toBeInstanceOf(RestProxy);
  });

  test.each(['soap', 'toString', '__proto__', ''])('of the unknown type %o is a DefinitionError', (type) => {
    expect(() => Model.define({ fields: {}, proxy: { type } as never })).toThrow(`There is no proxy type '${type}'`);
    expect(() => Model.with({ proxy: { type } as never })).toThrow(
      'known: ajax, rest. Give another proxy as its class',
    );
  });

  test('that is missing is a DefinitionError on its first use', async () => {
    class User extends Model.define({ name: 'user', fields: { id: 'int' } }) {}
    expect(() => User.proxy).toThrow('user has no proxy');
    await expect(User.load(1)).rejects.toThrow(DefinitionError);
    expect(() => Model.proxy).toThrow('Model has no proxy');
  });

  test("of a base is merged with the subclass's, option by option", async () => {
    class Api extends Model.with({
      proxy: { ...server.proxy('/none'), extraParams: { a: 1 }, headers: { 'X-Base': 'yes' } },
    }) {}
    class User extends Api.define({ fields: { id: 'int' }, proxy: { url: '/users' } }) {}
    class Post extends Api.define({ fields: { id: 'int' }, proxy: { url: '/posts', extraParams: { b: 2 } } }) {}
    server.always(() => ({ json: { id: 1 } }));
    await User.load(1);
    await Post.load(1);
    expect(server.lines).toEqual(['GET /users/1?a=1', 'GET /posts/1?b=2']);
    expect(server.requests.map(({ headers }) => headers['x-base'])).toEqual(['yes', 'yes']);
  });

  test('of a base given as an instance is created again with the new options', () => {
    const proxy = new RestProxy({ url: '/users', format: 'json' });
    class Api extends Model.with({ proxy }) {}
    const Sub = Api.define({ fields: {}, proxy: { url: '/others' } });
    expect([Sub.proxy, (Sub.proxy as RestProxy).url, (Sub.proxy as RestProxy).format]).toEqual([
      expect.any(RestProxy),
      '/others',
      'json',
    ]);
    expect(proxy.url).toBe('/users');
  });

  test('of another type in a subclass keeps the options that both types have', () => {
    class Base extends Model.define({ fields: {}, proxy: { type: 'rest', url: '/a', batchActions: true } }) {}
    const Sub = Base.define({ fields: {}, proxy: { type: MemoryProxy } });
    expect([Sub.proxy instanceof MemoryProxy, Sub.proxy.batchActions]).toEqual([true, true]);
  });
});

describe('with', () => {
  class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { headers: { 'X-User': 'nobody' } }),
    actions: { ping: action() },
  }) {
    get label() {
      return `<${this.name}>`;
    }
  }

  test('makes a class with other settings, and does not change the model', async () => {
    const Ada = User.with({ proxy: { headers: { 'X-User': 'ada' } } });
    const Bob = User.with({ proxy: { headers: { 'X-User': 'bob' } } });
    server.always(() => ({ json: { id: 1, name: 'x' } }));
    const ada = await Ada.load(1);
    await Bob.load(1);
    await User.load(1);
    await ada.save();
    await Ada.actions.ping(ada);
    expect(server.requests.map(({ headers }) => headers['x-user'])).toEqual(['ada', 'bob', 'nobody', 'ada', 'ada']);
    expect([ada instanceof User, ada instanceof Ada, ada.label, Ada.name]).toEqual([true, true, '<x>', 'User']);
  });

  test('can be called again on its result, which can be subclassed', async () => {
    class Mine extends User.with({ proxy: { extraParams: { tenant: 1 } } }).with({ proxy: { url: '/mine' } }) {}
    server.reply({ json: { id: 1 } });
    await Mine.load(1);
    expect(server.last).toMatchObject({ url: '/mine/1?tenant=1', headers: { 'x-user': 'nobody' } });
  });

  test('with `messages` changes the texts of issues and errors', async () => {
    const German = User.with({ messages: { required: 'fehlt', 'http-server': 'Status {status}' } });
    expect(German.fromRow({ id: 1, name: null }).$.errors.name?.[0]?.message).toBe('fehlt');
    expect(User.fromRow({ id: 1, name: null }).$.errors.name?.[0]?.message).toBe('is required');
    server.reply({ status: 500 }, { status: 500 });
    await expect(German.load(1)).rejects.toThrow('Status 500');
    await expect(User.load(1)).rejects.toThrow('GET /users/1 answered 500');
  });

  test('with `identifier` changes the temporary ids', () => {
    const Own = User.with({ identifier: () => 77 });
    expect([new Own().getId(), new User().getId()]).toEqual([77, -1]);
  });

  test('on Model makes a base class for several models', () => {
    class Api extends Model.with({ proxy: { type: MemoryProxy }, messages: { required: 'fehlt' }, naming: 'snake' }) {}
    class A extends Api.define({ fields: { someText: 'string' } }) {}
    expect(A.fromRow({ some_text: null }).$.errors.someText?.[0]?.message).toBe('fehlt');
    expect(A.proxy).toBeInstanceOf(MemoryProxy);
  });

  test('with `messages` keeps a proxy that was given as an instance', () => {
    const proxy = new MemoryProxy({ data: [{ id: 1 }] });
    class Stored extends Model.define({ fields: {}, proxy }) {}
    expect(Stored.with({ messages: { required: 'fehlt' } }).proxy).toBe(proxy);
  });
});
