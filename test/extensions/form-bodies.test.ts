import {
  DefinitionError,
  explain,
  formBodies,
  type JsonWriterConfig,
  Model,
  plain,
  printExplanation,
  RestProxy,
  type RestProxyConfig,
  Store,
  ValidationError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const fields = {
  id: 'int',
  name: { type: 'string', mapping: 'full_name' },
  age: { type: 'int', allowNull: true },
  active: { type: 'boolean', allowNull: true },
  joined: { type: 'date', allowNull: true },
  data: { type: 'json', mapping: 'details.data' },
  tags: 'json',
} as const;
const modelWith = (writer: JsonWriterConfig, config: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields,
    proxy: server.proxy('/users', { writer: { type: 'form', ...writer }, use: [formBodies()], ...config }),
  }) {};
const created = () => server.reply({ status: 201, json: { id: 1 } });
const sentText = () => decodeURIComponent(server.last.text);

describe("`writer: { type: 'form' }`", () => {
  test('sends texts, numbers, flags, dates and null', async () => {
    const User = modelWith({});
    created();
    await new User({ name: 'Ada & Bo=ü +', age: 7, active: true, joined: new Date(0) }).save();
    expect([server.last.method, server.last.headers['content-type']]).toEqual([
      'POST',
      'application/x-www-form-urlencoded',
    ]);
    expect([...(server.last.form as FormData)]).toEqual([
      ['full_name', 'Ada & Bo=ü +'],
      ['age', '7'],
      ['active', 'true'],
      ['joined', '1970-01-01T00:00:00.000Z'],
    ]);
    server.reply({ status: 204 });
    await User.fromRow({ id: 7, active: true })
      .save({ values: undefined } as never)
      .catch(() => undefined);
  });

  test('sends the edited fields of a PATCH only, null as an empty text', async () => {
    const User = modelWith({}, { actionMethods: { update: 'PATCH' } });
    const user = User.fromRow({ id: 7, full_name: 'a', age: 3, active: true, tags: ['kept', { b: 1 }] });
    user.age = null;
    user.active = false;
    server.reply({ status: 204 });
    await user.save();
    expect([server.lines, server.last.text]).toEqual([['PATCH /users/7'], 'age=&active=false']);
  });

  test('sends the texts that `values` gives', async () => {
    const User = modelWith({ names: 'brackets', values: { true: '1', false: '0', null: 'NULL', empty: '' } });
    created();
    await new User({
      active: true,
      age: null,
      tags: [false, null],
      data: { list: [], none: {}, skip: undefined },
    }).save();
    expect(sentText()).toBe('active=1&age=NULL&tags[]=0&tags[]=NULL&details[data][list][]=&details[data][none]=');
  });

  test('keeps every digit of long numbers', async () => {
    const User = modelWith({ names: 'dots' }, { reader: {} });
    server.reply(
      { text: '{"id":7,"full_name":"a","rate":0.1234567890123456789,"tags":[9007199254740993]}' },
      { status: 204 },
    );
    const user = await User.load(7);
    user.name = 'b';
    await user.save();
    expect(server.last.text).toContain('rate=0.1234567890123456789');
    expect(sentText()).toContain('tags[0]=9007199254740993');
  });

  test.each<[string, JsonWriterConfig, string]>([
    [
      'brackets',
      { names: 'brackets' },
      'u[full_name]=a&u[tags][]=x&u[tags][]=y&u[details][data][0][q]=1&u[details][data][1]=2',
    ],
    ['dots', { names: 'dots' }, 'u.full_name=a&u.tags[0]=x&u.tags[1]=y&u.details.data[0].q=1&u.details.data[1]=2'],
    [
      'a function',
      { names: (path) => path.join('/') },
      'u/full_name=a&u/tags/0=x&u/tags/1=y&u/details/data/0/q=1&u/details/data/1=2',
    ],
  ])('names the parts of nested values with %s', async (_, writer, text) => {
    const User = modelWith({ ...writer, rootProperty: 'u', undeclared: false });
    created();
    await new User({ name: 'a', tags: ['x', 'y'], data: [{ q: 1 }, 2] }).save();
    expect(sentText().split('&').sort()).toEqual(text.split('&').sort());
  });

  test('repeats a name if the function leaves out the index', async () => {
    const User = modelWith({ names: ([first]) => String(first) });
    created();
    await new User({ tags: ['x', 'y'] }).save();
    expect(sentText()).toBe('tags=x&tags=y');
  });

  test.each<[string, JsonWriterConfig, object, object]>([
    ['a nested value that nothing names', {}, { tags: ['x'] }, { path: ['tags'], code: 'form-nested' }],
    ['a nested member that nothing names', {}, { data: 'x' }, { path: ['details'], code: 'form-nested' }],
    ['an empty list', { names: 'brackets' }, { tags: [] }, { path: ['tags'], code: 'form-empty' }],
    ['an empty object in a list', { names: 'dots' }, { tags: [{}] }, { path: ['tags', 0], code: 'form-empty' }],
    [
      'a name with a bracket',
      { names: 'brackets' },
      { tags: { 'a]': 1 } },
      { path: ['tags', 'a]'], code: 'form-name' },
    ],
    ['a name with a dot', { names: 'dots' }, { data: { 'a.b': 1 } }, { path: ['data', 'a.b'], code: 'form-name' }],
    ['an empty name', { names: 'brackets' }, { tags: { '': 1 } }, { path: ['tags', ''], code: 'form-name' }],
    ['a lone surrogate', {}, { name: 'a\ud800' }, { path: ['name'], code: 'form-text' }],
  ])('refuses %s before anything is sent', async (_, writer, values, issue) => {
    const User = modelWith(writer);
    const user = new User(values);
    const error = await user.save().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues).toEqual([
      { ...issue, message: expect.stringMatching(/cannot be sent in a form: .* /) },
    ]);
    expect(server.requests).toEqual([]);
    expect(user.phantom).toBe(true);
  });

  test('refuses a value that contains itself, and a body that is no object', async () => {
    const proxy = new RestProxy(
      server.proxy('/users', { writer: { type: 'form', names: 'dots' }, use: [formBodies()] }),
    );
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await expect(proxy.send({ method: 'POST', body: circular })).rejects.toThrow(/nested deeper than 100 levels/);
    await expect(proxy.send({ method: 'POST', body: 'a=1' })).rejects.toThrow(
      /A form needs an object of values by name/,
    );
    expect(server.requests).toEqual([]);
  });

  test('refuses several records in one request', async () => {
    const User = modelWith({}, { batchActions: true, actionMethods: { update: 'PATCH' } });
    const store = new Store({ model: User, data: [{ id: 1 }, { id: 2 }] });
    for (const user of store) user.age = 4;
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => [error.constructor, error.message.slice(0, 31)])).toEqual(
      [1, 2].map(() => [DefinitionError, 'A form holds one record, but th']),
    );
    expect(server.requests).toEqual([]);
  });

  test('is the form of actions and other calls too, and headers of the application win', async () => {
    const proxy = new RestProxy(
      server.proxy('/users', { writer: { type: 'form', names: 'brackets' }, use: [formBodies()] }),
    );
    server.reply({ json: {} }, { json: {} });
    await proxy.send({ method: 'POST', path: 'login', body: { user: { name: 'a' } } });
    expect(sentText()).toBe('user[name]=a');
    await proxy.send({
      method: 'POST',
      body: { a: 1 },
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    expect(server.last.headers['content-type']).toBe('application/x-www-form-urlencoded; charset=utf-8');
  });

  test('can be the default of a dialect', async () => {
    const dialect = plain({ writer: { type: 'form', names: 'brackets' } });
    class User extends Model.define({
      fields,
      proxy: server.proxy('/users', { dialect, writer: { rootProperty: 'user' }, use: [formBodies()] }),
    }) {}
    created();
    await new User({ tags: ['a'] }).save();
    expect(sentText()).toBe('user[tags][]=a');
  });

  test('is explained as names and values', async () => {
    const proxy = new RestProxy({
      url: '/users',
      baseUrl: 'https://h.test',
      writer: { type: 'form', names: 'brackets' },
      use: [formBodies()],
    });
    const user = new (modelWith({}))({ name: 'a b', tags: ['ü'] });
    const explanation = await explain(proxy, { action: 'create', records: [user] as never });
    expect(explanation.body?.text).toBe('full_name=a b&tags[]=ü');
    expect(printExplanation(explanation)).toContain('Content-Type: application/x-www-form-urlencoded');
    const refused = await explain(
      new RestProxy({
        url: '/users',
        baseUrl: 'https://h.test',
        writer: { type: 'form' },
        use: [formBodies()],
      }),
      {
        action: 'create',
        records: [user] as never,
      },
    );
    expect(refused.refused?.code).toBe('validation');
  });

  test.each<[unknown, RegExp]>([
    [{ type: 'xml' }, /writer.type must be "json" or "form" or "multipart", not 'xml'/],
    [{ names: 'comma' }, /writer.names must be 'brackets', 'dots', or a function of the path, not 'comma'/],
    [{ values: { yes: '1' } }, /'yes' is not an option of writer.values/],
    [{ values: { null: null } }, /writer.values.null must be a text, not null/],
  ])('is not configured by %j', (writer, text) => {
    expect(() => new RestProxy({ url: '/users', writer } as RestProxyConfig).writer).toThrow(text);
  });

  test('is refused without the extension `formBodies()`', async () => {
    const User = modelWith({}, { use: [] });
    const save = new User({ name: 'a' }).save();
    await expect(save).rejects.toThrow(DefinitionError);
    await expect(save).rejects.toThrow("`writer: { type: 'form' }` needs the extension `formBodies()`");
    expect(server.requests).toEqual([]);
  });

  test('refuses a name that is no text', async () => {
    const User = modelWith({ names: () => '' });
    const error = await new User({ tags: [1] }).save().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DefinitionError);
    expect((error as Error).message).toContain('What `writer.names` returns must be a text that is not empty');
    expect(server.requests).toEqual([]);
  });
});
