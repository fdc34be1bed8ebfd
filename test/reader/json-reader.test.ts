import {
  type Action,
  HttpError,
  isDataError,
  JsonReader,
  type JsonReaderConfig,
  Model,
  Operation,
  type OperationConfig,
  ReadError,
  RestProxy,
  type ResultSet,
  Store,
  streaming,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MODEL } from '../../src/operation/operation-record.js';
import { type Reply, type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: { type: 'rest', url: '/users' },
}) {}

/** Reads a response with this body. */
function read(
  reply: Reply | unknown,
  reader: JsonReaderConfig | JsonReader = {},
  config: Partial<OperationConfig> = {},
): Promise<ResultSet> {
  server.reply({ json: reply } as Reply);
  return send(reader, config);
}
function send(reader: JsonReaderConfig | JsonReader = {}, config: Partial<OperationConfig> = {}): Promise<ResultSet> {
  const proxy = new RestProxy({ url: '/users', noCache: false, baseUrl: server.url, reader, use: [streaming()] });
  return proxy.execute(new Operation({ action: 'read', ...config }));
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );
const saved = [User.fromRow({ id: 7, name: 'Ed' }) as never];
const phantom = [new User({ name: 'Ed' }) as never];

describe('the rows of a response', () => {
  const rows = [{ id: 1 }, { id: 2 }];

  test.each<[string, unknown, JsonReaderConfig]>([
    ['a bare list', rows, {}],
    ['a list under a root', { data: rows }, { rootProperty: 'data' }],
    ['a list under a path', { a: { b: [{ c: rows }] } }, { rootProperty: 'a.b[0].c' }],
    ['a list under a path with a number as a member name', { a: { 0: rows } }, { rootProperty: 'a.0' }],
    ['a bare list although a root is set', rows, { rootProperty: 'data' }],
    ['items that contain their row', [{ node: { id: 1 } }, { node: { id: 2 } }], { record: 'node' }],
    [
      'items that contain it deeper, under a root',
      { edges: [{ node: { user: rows[0] } }, { node: { user: rows[1] } }] },
      { rootProperty: 'edges', record: 'node.user' },
    ],
    ['a list returned by transform', 'x', { transform: () => rows }],
  ])('are read from %s', async (_, body, reader) => {
    expect((await read(body, reader)).rows).toEqual(rows);
  });

  test.each<[string, unknown, JsonReaderConfig]>([
    ['an object', { id: 7 }, {}],
    ['a list of one', [{ id: 7 }], {}],
    ['an object under a root', { data: { id: 7 }, total: 5 }, { rootProperty: 'data' }],
    ['an object without the root that is set', { id: 7 }, { rootProperty: 'data' }],
  ])('are one row in %s', async (_, body, reader) => {
    for (const config of [{ id: 7 }, { records: saved }, { action: 'update', records: saved }] as const) {
      expect((await read(body, reader, config)).rows).toEqual([{ id: 7 }]);
    }
  });

  test.each<[string, Partial<OperationConfig>, number]>([
    ['the record that was read', { id: 7 }, 200],
    ['the record that was created', { action: 'create', records: phantom }, 201],
    ['the record that was updated', { action: 'update', records: saved }, 200],
  ])('`record` is the path inside the items of a list, not inside %s', async (_, config, status) => {
    const row = { id: 7, name: 'Ed', node: { id: 3 } };
    for (const json of [row, [row]].slice(0, config.id ? 1 : 2)) {
      server.reply({ status, json });
      const { rows: found } = await send({ record: 'item' }, config);
      expect(found).toEqual([row]);
    }
    server.reply({ status, json: row });
    expect((await send({ record: 'node' }, config)).rows).toEqual([row]);
    server.reply({ status, json: [{ node: row }] });
    expect((await send({ record: 'node' }, config)).rows).toEqual([row]);
  });

  test("may have members with the names of Object.prototype's members", async () => {
    server.reply({ text: '{"__proto__": [{"id": 1, "__proto__": {"a": 1}}], "constructor": 3}' });
    const { rows: read } = await send({ rootProperty: '__proto__' });
    expect(Object.keys(read[0] as object)).toEqual(['id', '__proto__']);
    expect(({} as { a?: number }).a).toBeUndefined();
    expect(await failure(read2('constructor'))).toMatchObject({ reason: 'response-root' });
  });
  const read2 = (rootProperty: string) => read({}, { rootProperty });

  test.each<[string, string | undefined, Record<string, string>]>([
    ['text/plain', '[{"id":1}]', { 'Content-Type': 'text/plain' }],
    ['application/vnd.api+json', '[{"id":1}]', { 'Content-Type': 'application/vnd.api+json' }],
    ['nothing', '[{"id":1}]', {}],
    ['JSON with a byte order mark and white space', '\ufeff \n[{"id":1}]\n ', { 'Content-Type': 'application/json' }],
  ])('are read from JSON sent as %s', async (_, text, headers) => {
    server.reply({ text: text as string, headers });
    expect((await send()).rows).toEqual([{ id: 1 }]);
  });
});

describe('a response without a body', () => {
  test.each([200, 201, 202, 204, 205])('with status %i has no rows and is no error', async (status) => {
    for (const config of [{}, { action: 'update', records: saved }, { action: 'destroy', records: saved }] as const) {
      // The server has made the record anew.
      if (status === 201 && config.action === 'update') continue;
      server.reply({ status });
      expect(await send({}, config)).toMatchObject({ rows: [], success: true, total: undefined, message: undefined });
    }
  });

  test('can be white space', async () => {
    server.reply({ text: ' \n' });
    expect((await send()).rows).toEqual([]);
  });

  test('is not passed to transform', async () => {
    server.reply({ status: 204 });
    const transform = () => expect.unreachable('it was asked');
    expect((await send({ transform })).rows).toEqual([]);
  });
});

describe('a response that does not fit the request', () => {
  test.each([
    ['HTML', '<!DOCTYPE html><title>Sign in</title>', /answered 200 with HTML/],
    ['HTML after white space', '\n  <p>', /with HTML/],
    ['malformed JSON', '[{"id": 1}', /malformed/],
    ['text', 'OK', /malformed/],
    ['JSON followed by other text', "[]);alert('x')", /malformed/],
  ])('rejects with a ReadError: %s', async (_, text, message) => {
    for (const config of [{}, { action: 'create', records: phantom }, { action: 'destroy', records: saved }] as const) {
      server.reply({ text });
      const error = await failure(send({}, config));
      expect(error).toBeInstanceOf(ReadError);
      expect(error).toMatchObject({
        code: 'read',
        reason: 'response-json',
        retryable: false,
        message: expect.stringMatching(message),
      });
    }
  });

  test.each<[string, unknown, JsonReaderConfig]>([
    ['null', null, {}],
    ['null under the root', { data: null }, { rootProperty: 'data' }],
    ['null returned by transform', {}, { transform: () => null }],
  ])('rejects with a ReadError: %s', async (_, body, reader) => {
    for (const config of [{}, { id: 7 }, { action: 'update', records: saved }] as const) {
      const error = await failure(read(body, reader, config));
      expect(error).toMatchObject({ code: 'read', reason: 'response-empty' });
    }
  });

  test.each<[string, unknown, JsonReaderConfig, string]>([
    ['a row that is null', [{ id: 1 }, null], {}, 'row 1 is null'],
    ['a row that is text', ['a'], {}, "row 0 is 'a'"],
    ['a row that is a list', [[1]], {}, 'row 0 is an array'],
    ['an item without its row', [{ other: 1 }], { record: 'node' }, 'row 0 is undefined'],
    ['a number', 7, {}, 'row 0 is 7'],
    ['a text', '"text"', {}, 'row 0 is'],
  ])('rejects with a ReadError that names the row: %s', async (_, body, reader, text) => {
    const error = await failure(read(body, reader));
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ reason: 'response-row', message: expect.stringContaining(text) });
  });

  test('rejects with the names of its members if it lacks the root', async () => {
    const error = await failure(read({ items: [], count: 0 }, { rootProperty: 'data' }));
    expect(error).toMatchObject({
      reason: 'response-root',
      message: expect.stringMatching(/no rows at 'data', only items, count\. Set/),
    });
    expect(await failure(read(7, { rootProperty: 'data' }))).toMatchObject({ reason: 'response-root' });
  });

  test.each<[string, unknown, JsonReaderConfig]>([
    ['is left out', { start: 0, total_size: 0 }, { rootProperty: 'data', totalProperty: 'total_size' }],
    ['is null', { data: null, total: '0' }, { rootProperty: 'data' }],
    ['is nested and is left out', { page: { total: 0 } }, { rootProperty: 'page.rows', totalProperty: 'page.total' }],
  ])('is an empty list if its total is 0 and its root %s', async (_, body, reader) => {
    expect(await read(body, reader)).toMatchObject({ rows: [], count: 0, total: 0 });
    expect(await read(body, { ...reader, stream: true })).toMatchObject({ rows: [], count: 0, total: 0 });
  });

  test('is not an empty list without a root set, nor for a single record, whatever the total', async () => {
    const model = User.fromRow({})[MODEL];
    expect(await failure(read({ total: 0 }, {}, { model }))).toMatchObject({ reason: 'response-root' });
    expect((await read({ total: 0 }, { rootProperty: 'data' }, { id: 7 })).rows).toEqual([{ total: 0 }]);
  });

  test.each([{}, { data: [{ id: 1 }], total: 1 }, { id: '' }, { node: { id: 1 } }])(
    'is no list if it is one object without an id: %j',
    async (body) => {
      const error = await failure(read(body, {}, { model: User.fromRow({})[MODEL] }));
      expect(error).toMatchObject({ reason: 'response-root' });
    },
  );

  test('is one row if it is one object with an id, also inside an item', async () => {
    const model = User.fromRow({})[MODEL];
    expect((await read({ id: 1 }, {}, { model })).rows).toEqual([{ id: 1 }]);
    expect((await read({ node: { id: 1 } }, { record: 'node' }, { model })).rows).toEqual([{ id: 1 }]);
    expect((await read({ data: { id: 1 } }, { rootProperty: 'data' }, { model })).rows).toEqual([{ id: 1 }]);
  });

  test('lacks the members that a transform leaves undefined', async () => {
    const reader = { rootProperty: 'rows', transform: (body: unknown) => ({ rows: undefined, ...(body as object) }) };
    const update = { action: 'update' as const, records: saved };
    expect((await read({ id: 7, name: 'Ed' }, reader, update)).rows).toEqual([{ rows: undefined, id: 7, name: 'Ed' }]);
    expect(await failure(read({ ok: true }, reader))).toMatchObject({ reason: 'response-root' });
  });

  test('is a failure with message and fields if a transform returns one', async () => {
    const transform = (body: unknown) => (body as { result: unknown }).result;
    const result = { success: false, message: 'no', errors: { name: ['is taken'] } };
    const plain = await failure(read({ result: { ...result, errors: undefined } }, { transform }));
    expect((plain as Error).message).toMatch(/says that the request failed: no\. /);
    const update = { action: 'update' as const, records: saved };
    const refused = await failure(read({ result }, { transform }, update));
    expect(refused).toMatchObject({ code: 'validation', issues: [{ path: ['name'], message: 'is taken' }] });
    const { msg, ...named } = { ...result, msg: 'said', message: undefined, errors: undefined };
    const own = await failure(read({ result: { msg, ...named } }, { transform, messageProperty: 'msg' }));
    expect((own as Error).message).toMatch(/: said\. /);
    // Answers with an error status are not passed to `transform`.
    server.reply({ status: 400, json: { message: 'raw' } });
    expect(((await failure(send({ transform }))) as Error).message).toMatch(/: raw\. /);
  });

  test.each(['read', 'create', 'update', 'destroy'] as const)(
    'is a failure of a %s if it is `false`',
    async (action) => {
      const records = action === 'read' ? [] : action === 'create' ? phantom : saved;
      expect(await failure(read(false, {}, { action, records }))).toBeInstanceOf(HttpError);
    },
  );

  test('rejects with a DataError with the cause if transform throws', async () => {
    const cause = new TypeError('cannot read');
    const transform = () => {
      throw cause;
    };
    const error = await failure(read([], { transform }));
    expect(isDataError(error)).toBe(true);
    expect(error).toMatchObject({ cause, message: expect.stringContaining('cannot read'), retryable: false });
  });

  test('settles the call and does not change the record', async () => {
    const Own = User.with({ proxy: { baseUrl: server.url, noCache: false } });
    for (const reply of [{ text: 'null' }, { text: '<p>' }, { text: '[null]' }, { text: '{' }]) {
      server.reply(reply, reply, reply);
      const user = Own.fromRow({ id: 7, name: 'Ed' });
      user.set({ name: 'Bob' });
      expect(await failure(user.save())).toBeInstanceOf(ReadError);
      expect(await failure(user.load())).toBeInstanceOf(ReadError);
      expect(user).toMatchObject({ name: 'Bob', dirty: true, phantom: false, erased: false });
      if (reply.text === '[null]') continue; // An erase reads no row.
      expect(await failure(user.erase())).toBeInstanceOf(ReadError);
      expect(user.erased).toBe(false);
    }
  });
});

describe('a response to a write', () => {
  test.each([7, true, 'done', '7'])('may be %o, which confirms the write but is not a row', async (json) => {
    for (const action of ['update', 'destroy'] as const) {
      expect((await read(json, {}, { action, records: saved })).rows).toEqual([]);
    }
  });

  test('must have a row for a create', async () => {
    expect(await failure(read(7, {}, { action: 'create', records: phantom }))).toMatchObject({
      reason: 'response-row',
    });
  });

  test('is ignored for a destroy, except its message', async () => {
    const result = await read({ id: 7, message: 'gone' }, {}, { action: 'destroy', records: saved });
    expect(result).toMatchObject({ rows: [], message: 'gone' });
  });
});

describe('the member `success`', () => {
  test.each([false, 'false'])('with the value %o makes any response a failure', async (success) => {
    for (const config of [
      {},
      { id: 7 },
      { action: 'update', records: saved },
      { action: 'destroy', records: saved },
    ] as const) {
      const error = await failure(read({ success, message: 'no' }, {}, config));
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ status: 200, message: expect.stringContaining(': no') });
    }
  });

  test.each([true, 'true', null, 0, undefined, 'no'])(
    'with the value %o does not make the response a failure',
    async (success) => {
      expect((await read({ success, data: [{ id: 1 }] }, { rootProperty: 'data' })).rows).toHaveLength(1);
    },
  );

  test('is read at the path in `successProperty`', async () => {
    const error = await failure(read({ meta: { ok: false } }, { successProperty: 'meta.ok' }));
    expect(error).toBeInstanceOf(HttpError);
    expect((await read({ success: false, id: 7 }, { successProperty: 'ok' }, { id: 7 })).rows).toHaveLength(1);
  });

  test("is not read if `successProperty` is ''", async () => {
    expect((await read({ success: false, id: 7 }, { successProperty: '' }, { id: 7 })).rows).toEqual([
      { success: false, id: 7 },
    ]);
  });
});

describe('a row with a member `success`', () => {
  class Payment extends Model.define({
    name: 'payment',
    fields: { id: 'int', amount: 'int', success: 'boolean' },
    proxy: { type: 'rest', url: '/payments' },
  }) {}
  class Rate extends Model.define({
    fields: { id: 'int', share: { type: 'number', mapping: 'success.share' } },
    proxy: { type: 'rest', url: '/rates' },
  }) {}
  const load = (model: typeof Payment | typeof Rate | typeof User) => ({
    id: 7,
    model: (model.prototype as never)[MODEL],
  });
  const update = { action: 'update', records: [Payment.fromRow({ id: 7 }) as never] } as const;
  const create = { action: 'create', records: [new Payment({ amount: 1 }) as never] } as const;

  test.each<[string, object, Partial<OperationConfig>]>([
    ['with a field for it', { id: 7, success: false }, load(Payment)],
    ['with a field for it, as a text', { id: 7, success: 'false' }, load(Payment)],
    ['with a field for it, without an id', { amount: 1, success: false }, load(Payment)],
    ['with a field for it, alone', { success: false }, update],
    ['with a field for it, of a create', { id: 7, amount: 1, success: false }, create],
    ['without a field for it, beside the id and another field', { id: 7, name: 'Ed', success: false }, load(User)],
  ])('is no failure %s', async (_, body, config) => {
    expect((await read(body, {}, config)).rows).toEqual([body]);
  });

  test('is no failure if the body lacks the root that is set', async () => {
    const body = { id: 7, amount: 1, success: false };
    expect((await read(body, { rootProperty: 'data' }, load(Payment))).rows).toEqual([body]);
  });

  test.each<[string, object, JsonReaderConfig, Partial<OperationConfig>]>([
    ['without the id and any other field', { success: false, message: 'no' }, {}, create],
    ['without the id and any other field, of an update', { success: false, errors: {} }, {}, update],
    ['with the id as the only other field', { id: 7, success: false, message: 'no' }, {}, load(User)],
    ['beside the root', { success: false, data: { id: 7, amount: 1 } }, { rootProperty: 'data' }, load(Payment)],
    ['if the root is missing', { success: false, message: 'no' }, { rootProperty: 'data' }, update],
    ['if the options name it', { id: 7, amount: 1, success: false }, { successProperty: 'success' }, load(Payment)],
    ['if a field is mapped inside it', { id: 7, success: false }, {}, load(Rate)],
    ['without a model', { id: 7, success: false }, {}, { id: 7 }],
  ])('is a failure %s', async (_, body, reader, config) => {
    expect(await failure(read(body, reader, config))).toMatchObject({ code: 'http', status: 200 });
  });

  test('is created once and read unchanged', async () => {
    const Own = Payment.with({ proxy: { baseUrl: server.url, noCache: false } });
    const rows: object[] = [];
    server.always(({ method, body }) => {
      if (method === 'POST') rows.push({ id: rows.length + 1, ...body });
      return { status: method === 'POST' ? 201 : 200, json: rows.at(-1) };
    });
    const store = new Store({ model: Own });
    const [payment] = store.add({ amount: 100, success: false });
    for (let times = 0; times < 3; times += 1) await store.sync();
    expect(rows).toEqual([{ id: 1, amount: 100, success: false }]);
    expect([payment?.phantom, payment?.dirty, payment?.success]).toEqual([false, false, false]);
    expect((await Own.load(1)).success).toBe(false);
  });

  test('can be refused with `success: false`, and sent again', async () => {
    const Own = Payment.with({ proxy: { baseUrl: server.url, noCache: false } });
    server.reply({ json: { success: false, message: 'no funds' } }, { status: 201, json: { id: 1 } });
    const payment = new Own({ amount: 100, success: false });
    await expect(payment.save()).rejects.toMatchObject({ message: expect.stringContaining('no funds') });
    expect([payment.phantom, payment.$.unconfirmed]).toEqual([true, false]);
    await payment.save();
    expect([payment.id, payment.success]).toEqual([1, false]);
  });
});

describe('total and message', () => {
  test.each<[unknown, number | undefined]>([
    [57, 57],
    ['57', 57],
    [0, 0],
    [-1, undefined],
    [1.5, undefined],
    ['many', undefined],
    ['', undefined],
    [true, undefined],
    ['1e3', undefined],
  ])('the total %o of a page is read as %o', async (total, expected) => {
    expect((await read({ data: [{ id: 1 }], total }, { rootProperty: 'data' }, { limit: 1 })).total).toBe(expected);
  });

  test('are read at the paths in `totalProperty` and `messageProperty`', async () => {
    const body = { data: [], meta: { count: 5, text: ['hello'] } };
    const result = await read(body, {
      rootProperty: 'data',
      totalProperty: 'meta.count',
      messageProperty: 'meta.text[0]',
    });
    expect(result).toMatchObject({ total: 5, message: 'hello' });
  });

  test.each([null, undefined])('without a total (%o) the rows are counted if all were requested', async (total) => {
    expect((await read({ data: [{ id: 1 }], total }, { rootProperty: 'data' })).total).toBe(1);
    expect((await read([{ id: 1 }])).total).toBe(1);
    expect((await read([{ id: 1 }], {}, { limit: 25 })).total).toBeUndefined();
    expect((await read({ id: 7 }, {}, { action: 'update', records: saved })).total).toBeUndefined();
  });

  test.each<[unknown, object]>([
    ['many', {}],
    [true, {}],
    [-1, {}],
    [1, {}],
    [26, { start: 25, limit: 2 }],
  ])('a strict reader refuses the total %o of two rows, read with %o', async (total, operation) => {
    const reading = read({ data: [{ id: 1 }, { id: 2 }], total }, { rootProperty: 'data', strict: true }, operation);
    await expect(reading).rejects.toMatchObject({ code: 'read', reason: 'response-total' });
  });

  test.each<[unknown, object]>([
    [2, {}],
    ['27', { start: 25, limit: 2 }],
    [null, { limit: 2 }],
    // A server that ignores the page sends all rows.
    [2, { start: 1, limit: 1 }],
  ])('a strict reader takes the total %o of two rows, read with %o', async (total, operation) => {
    const reading = read({ data: [{ id: 1 }, { id: 2 }], total }, { rootProperty: 'data', strict: true }, operation);
    expect((await reading).rows).toHaveLength(2);
  });

  test('the rows are not counted if others follow, or came before', async () => {
    const body = { data: [{ id: 1 }], next: 'abc' };
    const reader = { rootProperty: 'data', nextProperty: 'next' };
    expect((await read(body, reader)).total).toBeUndefined();
    expect((await read({ ...body, next: null }, reader)).total).toBe(1);
    const last = { ...body, next: null };
    expect((await read(last, reader, { link: '/users?cursor=abc' })).total).toBeUndefined();
  });

  test('ignore a message that is no text', async () => {
    expect((await read({ data: [], message: { a: 1 } }, { rootProperty: 'data' })).message).toBeUndefined();
  });
});

describe('the reader of a proxy', () => {
  test('may be an instance, also of an own subclass', async () => {
    class CsvLikeReader extends JsonReader {
      override rowsOf(body: unknown, list: boolean) {
        return super.rowsOf(
          (body as { lines: string[] }).lines.map((line) => ({ id: Number(line) })),
          list,
        );
      }
    }
    const reader = new CsvLikeReader({ totalProperty: 'n' });
    expect(await read({ lines: ['1', '2'], n: 9 }, reader)).toMatchObject({ rows: [{ id: 1 }, { id: 2 }], total: 9 });
  });

  test('has these defaults', () => {
    const { transform, problem, ...rest } = new JsonReader();
    expect([transform, problem]).toEqual([undefined, undefined]);
    expect(rest).toEqual({
      type: 'json',
      stream: false,
      rootProperty: '',
      totalProperty: 'total',
      nextProperty: '',
      successProperty: 'success',
      affected: '',
      empty: 'done',
      messageProperty: 'message',
      etagProperty: '',
      statusProperty: '',
      bodyProperty: '',
      record: '',
      saved: undefined,
      complete: false,
      rows: 'full',
      strict: false,
    });
  });

  test('rejects an invalid value with `strict`, and names row and field', async () => {
    const Strict = class extends Model.define({
      fields: { id: 'int', age: 'int' },
      proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, reader: { strict: true } },
    }) {};
    server.reply({ json: { id: 7, age: 'old' } });
    const error = await failure(Strict.load(7));
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ reason: 'response-field', message: expect.stringMatching(/row 0, age/) });
    server.reply({ json: { id: 7, age: 8 } });
    expect((await Strict.load(7)).age).toBe(8);
  });
});

test.each<Action>(['create', 'read', 'update', 'destroy'])(
  'an unknown body never makes a %s hang or throw an unknown error',
  async (action) => {
    const bodies = [{}, [], [[]], [{}], { a: null }, 0, '', 'x', false, true, null, { success: 0 }, { total: {} }];
    for (const body of bodies) {
      const outcome = await read(
        body,
        {},
        { action, records: action === 'read' ? [] : action === 'create' ? phantom : saved },
      ).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(body === false ? HttpError : ReadError);
      else expect(outcome).toHaveProperty('rows');
    }
  },
);
