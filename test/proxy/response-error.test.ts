import {
  AuthError,
  ConflictError,
  conflicts,
  HttpError,
  isDataError,
  Model,
  Operation,
  type RestProxyConfig,
  ValidationError,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

const define = (proxy: RestProxyConfig = {}) =>
  class User extends Model.define({
    name: 'user',
    fields: {
      id: { type: 'int', mapping: 'user_id' },
      name: { type: 'string', mapping: 'full_name' },
      address: 'json',
      street: { type: 'string', mapping: 'address.street' },
      city: { type: 'string', mapping: 'place.city' },
      place: 'json',
      tags: { type: 'json', mapping: 'tag_list' },
    },
    proxy: { type: 'rest', url: '/users', noCache: false, baseUrl: server.url, ...proxy },
  }) {};
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );
const row = { user_id: 7, full_name: 'Ed', address: { street: 'Main' } };
const saveWith = async (
  status: number,
  json: unknown,
  proxy: RestProxyConfig = {},
  call: { headers?: Record<string, string> } = {},
) => {
  server.reply({ status, json });
  const user = define(proxy).fromRow(structuredClone(row));
  user.set({ name: 'Bob' });
  return { user, error: await failure(user.save(call)) };
};

describe('the error of a response', () => {
  test.each([401, 403])('%i is an AuthError', async (status) => {
    const { error } = await saveWith(status, { detail: 'not you' });
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      code: 'auth',
      status,
      problem: { detail: 'not you' },
      message: expect.stringMatching(new RegExp(`^PUT /users/7 answered ${status}: not you\\. S`)),
    });
  });

  test.each([412, 428])('%i is a ConflictError with base and mine', async (status) => {
    const { error, user } = await saveWith(status, { error: 'Conflict' });
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({
      code: 'conflict',
      status,
      base: row,
      mine: { ...row, full_name: 'Bob' },
      theirs: undefined,
    });
    expect(user).toMatchObject({ name: 'Bob', dirty: true });
    expect(user.$.error).toBe(error);
  });

  test.each([
    ['under `current`', { current: { user_id: 7, full_name: 'Eve' } }],
    ['as the body', { user_id: 7, full_name: 'Eve' }],
  ])("with conflicts() a conflict holds the server's row %s", async (_, body) => {
    const { error } = await saveWith(412, body, { use: [conflicts()] });
    expect(error).toMatchObject({ theirs: { user_id: 7, full_name: 'Eve' } });
  });

  test('a conflict of a create has the row that was sent', async () => {
    server.reply({ status: 412, json: { message: 'exists' } });
    const error = await failure(new (define())({ name: 'Ed' }).save());
    expect(error).toMatchObject({ code: 'conflict', mine: { full_name: 'Ed' } });
  });

  describe('409', () => {
    const versioned = { 'If-Match': '"1"' };

    test('is a ValidationError if it names fields, whatever the write carried', async () => {
      const body = { errors: { full_name: ['is taken'] } };
      const issues = [{ path: ['name'], message: 'is taken' }];
      expect((await saveWith(409, body)).error).toMatchObject({ code: 'validation', status: 409, issues });
      expect((await saveWith(409, body, {}, { headers: versioned })).error).toMatchObject({
        code: 'validation',
        issues,
      });
      server.reply({ status: 409, json: body });
      expect(await failure(new (define())({ name: 'Ed' }).save())).toMatchObject({
        code: 'validation',
        status: 409,
        issues,
      });
    });

    test('is an HttpError to a create, and to a write without a version', async () => {
      server.reply({ status: 409, json: { message: 'exists' } });
      const error = await failure(new (define())({ name: 'Ed' }).save({ headers: versioned }));
      expect(error).toMatchObject({ name: 'HttpError', code: 'http', reason: 'http-clash', status: 409 });
      expect((await saveWith(409, { message: 'locked' })).error).toMatchObject({
        ...{ name: 'HttpError', code: 'http', reason: 'http-clash' },
        message: expect.stringMatching(
          /^PUT \/users\/7 answered 409: locked\. Another record.*conflicts\(\{ when \}\)/,
        ),
      });
      expect((await saveWith(409, { current: row })).error).toMatchObject({ code: 'http' });
    });

    test('is a ConflictError to a write that carried a version', async () => {
      const mine = { ...row, full_name: 'Bob' };
      expect((await saveWith(409, { message: 'stale' }, {}, { headers: versioned })).error).toMatchObject({
        ...{ code: 'conflict', reason: 'http-conflict', base: row, mine },
      });
      const unmodified = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' } };
      expect((await saveWith(409, {}, {}, unmodified)).error).toMatchObject({ code: 'conflict' });
      // The whole row is sent, with the member that holds its version.
      const reader = { etagProperty: 'full_name' };
      expect((await saveWith(409, {}, { reader })).error).toMatchObject({ code: 'conflict' });
      const wrapped = { reader, writer: { rootProperty: 'user' } };
      expect((await saveWith(409, {}, wrapped)).error).toMatchObject({ code: 'conflict' });
      expect((await saveWith(409, {}, { reader: { etagProperty: 'other' } })).error).toMatchObject({ code: 'http' });
    });

    test('with the row of the server has no errors by field', async () => {
      const theirs = { ...row, full_name: 'Eve', tags: ['a', 'b'] };
      for (const body of [theirs, { current: theirs }]) {
        const { error, user } = await saveWith(409, body, { use: [conflicts()] }, { headers: versioned });
        expect(error).toMatchObject({ code: 'conflict', theirs });
        expect(user.$.errors).toEqual({});
      }
    });

    test('is what conflicts({ when }) says', async () => {
      const when = ({ problem }: HttpError<string> | ValidationError) =>
        problem?.code === 'stale' ? true : problem?.code === 'taken' ? false : undefined;
      const use = [conflicts({ when })];
      const save = async (status: number, body: object, headers = {}) =>
        (await saveWith(status, body, { use }, { headers })).error;
      const stale = await save(409, { code: 'stale', message: 'too late', current: { ...row, full_name: 'Eve' } });
      expect(stale).toMatchObject({ code: 'conflict', base: row, theirs: { ...row, full_name: 'Eve' } });
      expect((stale as Error).message).toMatch(/^PUT \/users\/7 answered 409: too late\. The server has other data/);
      expect(await save(422, { code: 'stale' })).toMatchObject({ code: 'conflict', status: 422 });
      expect(await save(412, { code: 'taken' })).toMatchObject({ code: 'http', status: 412 });
      expect(await save(409, { code: 'taken' }, versioned)).toMatchObject({ code: 'http', reason: 'http-clash' });
      expect(await save(409, {}, versioned)).toMatchObject({ code: 'conflict' });
      expect(await save(409, {})).toMatchObject({ code: 'http' });
      expect(() => conflicts({ when: 409 } as never)).toThrow('conflicts.when');
    });
  });

  test("422 is a ValidationError whose issues name the model's fields", async () => {
    const errors = {
      full_name: ['is taken'],
      'address.street': ['is unknown'],
      'address.zip': ['is wrong'],
      'place.city': ['is far'],
      'tag_list.0.label': ['too long'],
      other: ['is odd'],
      base: ['whole'],
    };
    const { error, user } = await saveWith(422, { errors });
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ code: 'validation', status: 422, problem: { status: 422 } });
    expect((error as ValidationError).issues).toEqual([
      { path: ['name'], message: 'is taken' },
      { path: ['street'], message: 'is unknown' },
      { path: ['address', 'zip'], message: 'is wrong' },
      { path: ['city'], message: 'is far' },
      { path: ['tags', '0', 'label'], message: 'too long' },
      { path: ['other'], message: 'is odd' },
      { path: [], message: 'whole' },
    ]);
    expect((error as Error).message).toMatch(/^PUT \/users\/7 answered 422: name is taken; street is unknown/);
    expect(user.$.error).toBe(error);
  });

  test('422 without fields is a ValidationError, too', async () => {
    const { error } = await saveWith(422, { error: "DNS Name 'x' is not canonical" });
    expect(error).toMatchObject({ code: 'validation', issues: [] });
    expect((error as Error).message).toContain("DNS Name 'x' is not canonical");
  });

  test('400 is a ValidationError if it names fields', async () => {
    const { error } = await saveWith(400, { full_name: ['This field may not be blank.'] });
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ status: 400, issues: [{ path: ['name'], message: 'This field may not be blank.' }] });
  });

  test.each([{ detail: 'JSON parse error' }, { errors: ['all wrong'] }, undefined])(
    '400 is an HttpError for %o',
    async (json) => {
      const { error } = await saveWith(400, json);
      expect(error).toBeInstanceOf(HttpError);
      expect(error).toMatchObject({ code: 'http', status: 400 });
    },
  );

  test("the problem of another status has issues that name the model's fields", async () => {
    const { error } = await saveWith(403, { errors: { full_name: ['not yours'] } });
    expect(error).toMatchObject({ code: 'auth', problem: { issues: [{ path: ['name'], message: 'not yours' }] } });
  });

  test('HTML and text are used as the title', async () => {
    server.reply(
      { status: 500, text: '<html><title>Oops at /users</title></html>' },
      { status: 404, text: 'Not Found', headers: { 'Content-Type': 'text/plain' } },
    );
    expect(await failure(define().load(7))).toMatchObject({
      code: 'http',
      message: expect.stringContaining('GET /users/7 answered 500: Oops at /users. The server has failed'),
    });
    expect(await failure(define().load(7))).toMatchObject({
      code: 'http',
      message: expect.stringContaining('GET /users/7 answered 404: Not Found. Check the id'),
      body: 'Not Found',
    });
  });

  test('an empty body adds no detail', async () => {
    server.reply({ status: 404 });
    expect(await failure(define().load(7))).toMatchObject({
      message: expect.stringContaining('GET /users/7 answered 404. Check the id'),
      body: undefined,
    });
  });

  test("the issues keep the server's names if there is no model", async () => {
    server.reply({ status: 422, json: { full_name: ['is taken'] } });
    const proxy = define().proxy;
    expect(await failure(proxy.read(new Operation({ action: 'read', id: 7 })))).toMatchObject({
      issues: [{ path: ['full_name'] }],
    });
  });
});

describe('the text at `reader.messageProperty`', () => {
  const reader = { messageProperty: 'meta.text' };

  test.each([200, 500])('is the detail of a %i, preferred to a detail elsewhere in the body', async (status) => {
    server.reply({ status, json: { success: false, detail: 'E17', meta: { text: 'The books are closed' } } });
    const error = await failure(define({ reader }).load(7));
    expect(error).toMatchObject({ name: 'HttpError', problem: { status, detail: 'The books are closed' } });
    expect(error).toMatchObject({ message: expect.stringMatching(/: The books are closed\. \S/) });
  });

  test.each([undefined, '', { a: 1 }])('is ignored if it is not a text (%o)', async (text) => {
    server.reply({ json: { success: false, detail: 'E17', meta: { text } } });
    expect(await failure(define({ reader }).load(7))).toMatchObject({ problem: { detail: 'E17' } });
  });

  test('is kept beside the issues', async () => {
    server.reply({ status: 422, json: { errors: { full_name: ['is taken'] }, meta: { text: 'Please look again' } } });
    const error = await failure(define({ reader }).fromRow(structuredClone(row)).set({ name: 'Bob' }).save());
    expect(error).toMatchObject({ issues: [{ path: ['name'] }], problem: { detail: 'Please look again' } });
  });
});

describe('a failure that is answered with status 200', () => {
  test.each([false, 'false'])("is an HttpError with the server's message for success: %o", async (success) => {
    const { error, user } = await saveWith(200, { success, message: 'Not saved' });
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: 'http', status: 200, body: { success }, problem: { detail: 'Not saved' } });
    expect((error as Error).message).toContain(
      'PUT /users/7 answered 200, and its body says that the request failed: Not saved.',
    );
    expect(user).toMatchObject({ dirty: true, name: 'Bob' });
  });

  test("is a ValidationError if it names fields, with the model's names", async () => {
    const { error } = await saveWith(200, { success: false, errors: { full_name: 'is taken' } });
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ status: 200, issues: [{ path: ['name'], message: 'is taken' }] });
  });

  test('is never a ValidationError of a read, whatever its rows hold', async () => {
    server.reply({ json: { success: false, rows: [{ path: 'x', title: 'A row' }] } });
    const error = await failure(define().proxy.read(new Operation({ action: 'read' })));
    expect(error).toMatchObject({ code: 'http', status: 200 });
  });

  test('is read with `readError` of the dialect, like the body of any other failure', async () => {
    server.reply({ status: 400, json: { why: 'because' } });
    const { proxy } = define();
    const dialect = {
      ...(proxy as unknown as { dialect: object }).dialect,
      readError: () => ({ status: 400, title: 'Own', issues: [] }),
    };
    const error = await failure(define({ dialect: dialect as never }).load(7));
    expect(isDataError(error) && error.message).toContain('GET /users/7 answered 400: Own. Look at `error.body`');
  });
});
