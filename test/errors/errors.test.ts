import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  AbortError,
  AddressError,
  AuthError,
  BatchError,
  ConflictError,
  DataError,
  DefinitionError,
  DependencyError,
  HttpError,
  type HttpResponse,
  isDataError,
  MemoryProxy,
  MergeError,
  type Messages,
  Model,
  NetworkError,
  Operation,
  ReadError,
  RestProxy,
  type StateCode,
  StateError,
  Store,
  type SyncCode,
  SyncError,
  TimeoutError,
  UnsupportedQueryError,
  ValidationError,
} from 'repose';
import { formatMessage, messages } from 'repose/messages';
import { type OutboxCode, OutboxError } from 'repose/outbox';
import { describe, expect, test, vi } from 'vitest';
import { describe as describeValue } from '../../src/errors/message-format.js';
import { changesMessages, plainChangesMessages } from '../../src/errors/messages/changes.js';
import { formMessages } from '../../src/errors/messages/forms.js';
import { valueMessages } from '../../src/errors/messages/value-texts.js';
import { userMessages } from '../../src/errors/user-message.js';
import { pageOf, withoutPage } from '../helpers/error-page.js';

const root = path.resolve(import.meta.dirname, '../..');
const response = (status: number, body?: unknown): HttpResponse => {
  const raw = new Response(null, { status });
  return { status, headers: raw.headers, url: 'http://h.test/users', redirected: false, text: '', body, raw };
};
const syncCodes: SyncCode[] = ['skipped', 'undone', 'not-undone'];
const outboxCodes: OutboxCode[] = [
  'outbox-scope',
  'outbox-locked',
  'outbox-opened-twice',
  'outbox-taken-over',
  'outbox-blocked',
  'outbox-disconnected',
  'outbox-emptied',
  'outbox-set-aside',
  'outbox-locks',
  'outbox-storage',
  'outbox-quota',
  'outbox-version',
  'outbox-format',
  'outbox-truncated',
  'outbox-damaged',
  'outbox-decrypt',
  'outbox-migrate',
  'outbox-names',
  'outbox-other-scope',
  'outbox-model',
  'outbox-field',
  'outbox-parent',
  'outbox-refused',
  'outbox-unconfirmed',
  'outbox-erase',
  'outbox-state',
  'outbox-closed',
];
const stateCodes: StateCode[] = [
  'erased',
  'busy',
  'duplicate',
  'foreign',
  'field',
  'unresolvable',
  'disposed',
  'restricted',
];

class User extends Model.define({ fields: { id: 'int' } }) {}

/** Every class, with an error of it and its code: fixed for good. */
const table: readonly (readonly [name: string, code: string, error: DataError])[] = [
  ['AddressError', 'address', new AddressError('url-built')],
  [
    'UnsupportedQueryError',
    'unsupported-query',
    new UnsupportedQueryError('query-field', { property: 'a', model: 'b' }),
  ],
  ['NetworkError', 'network', new NetworkError(new Error('gone'))],
  ['TimeoutError', 'timeout', new TimeoutError(5)],
  ['AbortError', 'abort', new AbortError('abort')],
  ['HttpError', 'http', new HttpError('http', {}, { response: response(500) })],
  ['AuthError', 'auth', new AuthError('http', {}, { response: response(401) })],
  ['ConflictError', 'conflict', new ConflictError('http', {}, { response: response(409) })],
  ['ValidationError', 'validation', new ValidationError([])],
  ['ReadError', 'read', new ReadError('response-empty')],
  ['DefinitionError', 'definition', new DefinitionError('proxy-missing', { model: 'a' })],
  ...stateCodes.map((code) => ['StateError', code, new StateError(code, 'busy', {})] as const),
  ['DependencyError', 'dependency', new DependencyError('parent-new', {}, new User())],
  ...syncCodes.map((code) => ['SyncError', code, new SyncError(code, 'sync-skipped', {})] as const),
  ...outboxCodes.map((code) => ['OutboxError', code, new OutboxError(code)] as const),
  ['BatchError', 'batch', new BatchError([new AddressError('url-built')], 3)],
  ['MergeError', 'merge', new MergeError([], 'order 7, name')],
];

describe('the table of errors', () => {
  test.each(table)('%s has the code %o', (name, code, error) => {
    expect(error).toBeInstanceOf(DataError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code });
    expect(isDataError(error)).toBe(true);
    expect(String(error)).toBe(`${name}: ${error.message}`);
  });

  test('AuthError and ConflictError are the only subclasses of HttpError', () => {
    const http = table.filter(([, , error]) => error instanceof HttpError).map(([name]) => name);
    expect(http).toEqual(['HttpError', 'AuthError', 'ConflictError']);
  });

  test('`retryable` is true for errors that a retry may avoid', () => {
    const retryable = table.filter(([, , error]) => error.retryable).map(([name]) => name);
    expect(retryable).toEqual([
      'NetworkError',
      'TimeoutError',
      'OutboxError',
      'OutboxError',
      'OutboxError',
      'OutboxError',
      'OutboxError',
      'OutboxError',
    ]);
    for (const status of [408, 429, 502, 503, 504]) {
      expect(new HttpError('http', {}, { response: response(status) }).retryable).toBe(true);
    }
  });
});

describe('docs/errors.md', () => {
  const doc = readFileSync(path.join(root, 'docs/errors.md'), 'utf8');
  /** The rows of the table under a heading: the cells, without code marks. */
  const rows = (heading: string) => {
    const section = doc.split(/^## /m).find((each) => each.startsWith(heading)) ?? '';
    return section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1)
      .map((line) => line.slice(2, -2).split(' | '));
  };
  const bare = (cell: string | undefined) => (cell ?? '').replace(/^(`+) ?(.*?) ?\1$/, '$2');

  test('lists every class with its codes, each with the anchor that messages of a production build name', () => {
    const listed = rows('Codes').flatMap(([name, codes]) =>
      (codes ?? '').split(', ').map((cell) => {
        const [, anchor, code] = /^<a id="(.+)"><\/a>(.+)$/.exec(cell) ?? [];
        return [bare(name), bare(code), anchor];
      }),
    );
    expect(listed).toEqual(table.map(([name, code]) => [name, code, code]));
  });

  test('lists every text, under its key', () => {
    const listed = Object.fromEntries(
      rows('Texts').map(([key, text]) => [bare(key), bare(text).replaceAll('\\|', '|')]),
    );
    const texts = Object.entries(messages).map(([key, text]) => [key, text.replace(pageOf(key), '')]);
    expect(listed).toEqual(Object.fromEntries(texts));
  });
});

describe('messages', () => {
  test('the texts of errors end with the address of their page, those for people do not', () => {
    const forPeople = {
      ...valueMessages,
      ...formMessages,
      ...changesMessages,
      ...plainChangesMessages,
      ...userMessages,
    };
    const without = Object.entries(messages).filter(([key, text]) => !text.endsWith(pageOf(key)));
    expect(Object.fromEntries(without)).toEqual(forPeople);
    const { homepage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    expect(pageOf('http')).toBe(` (${homepage}e/http)`);
  });

  test('a text that an application gives stays as it is', () => {
    const own = { 'url-built': 'Schon gebaut', 'too-many': 'Zu viele' };
    expect(new AddressError('url-built', {}, { messages: own }).message).toBe('Schon gebaut');
    expect(new AddressError('too-many', {}, { messages: own }).message).toBe('Zu viele');
    expect(new AddressError('url-built').inWords(own).message).toBe('Schon gebaut');
  });

  test('an error that is quoted by another one has no address, which is that of the message', () => {
    const { message } = new AddressError('url-built');
    expect(message).toBe(`${messages['url-built']}`);
    const error = new AuthError('refresh', { why: message }, { response: response(401) });
    expect(error.params.why).toBe(withoutPage(new AddressError('url-built')));
    expect(error.message.split('https://repose.example/e/')).toHaveLength(2);
    expect(error.message.endsWith(pageOf('refresh'))).toBe(true);
  });

  test('placeholders with a parameter are filled in, others stay', () => {
    expect(formatMessage('timeout', { method: 'GET', url: '/a', timeout: 5 })).toMatch(
      /^GET \/a took longer than 5 ms: /,
    );
    expect(formatMessage('timeout', {})).toBe(messages.timeout);
    expect(formatMessage('template-invalid', { name: '+x', url: '/{+x}' })).toContain("'{+x}' in '/{+x}'");
  });

  test('a value is inserted as it is, even if it looks like a placeholder or a pattern', () => {
    expect(formatMessage('id-dots', { value: '$& {url} $1' })).toMatch(/^'\$& \{url\} \$1' cannot be/);
    expect(formatMessage('id-dots', Object.create({ value: 1 }))).toBe(messages['id-dots']);
  });

  test('a table replaces and adds texts; an unknown key is used as the text', () => {
    expect(formatMessage('timeout', { timeout: 5 }, { timeout: 'nach {timeout} ms' })).toBe('nach 5 ms');
    expect(formatMessage('own', { a: 1 }, { own: 'a is {a}' })).toBe('a is 1');
    expect(formatMessage('own')).toBe('own');
  });

  test('a table on the proxy reaches every error of its calls', async () => {
    const table: Messages = {
      'id-dots': 'nein: {value}',
      'http-server': '{method} {url}: Status {status}',
      'response-json': 'kein JSON',
    };
    const answers = [new Response('no', { status: 500 }), new Response('<p>')];
    const fetch = async () => answers.shift() as Response;
    const proxy = new RestProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false, messages: table, fetch });
    const told = (id: unknown) =>
      proxy.read(new Operation({ action: 'read', id })).catch((error: Error) => error.message);
    expect(await told('..')).toBe('nein: ..');
    expect(await told(7)).toBe('GET /users/7: Status 500');
    expect(await told(7)).toBe('kein JSON');
  });

  test('a table on the model reaches its proxy and its own errors', async () => {
    class User extends Model.define({
      fields: { id: 'int' },
      proxy: { type: 'rest', url: '/users' },
      messages: { 'id-missing': 'keine Id', 'url-relative': 'ohne Basis' },
    }) {}
    await expect(User.load('')).rejects.toThrow('keine Id');
    await expect(User.load(1)).rejects.toThrow('ohne Basis');
  });

  test('a table on the model reaches its declaration, its records, and the stores of it', () => {
    class Deutsch extends Model.with({
      proxy: { type: MemoryProxy },
      messages: {
        'field-type': '{type} ist kein Typ',
        'field-unknown': '{model} hat kein Feld {field}',
        'query-field': 'kein Feld {property}',
        duplicate: '{id} gibt es schon',
        foreign: 'falsches Modell',
      },
    }) {}
    expect(() => Deutsch.define({ fields: { id: 'strnig' as 'string' } })).toThrow("'strnig' ist kein Typ");
    class Nutzer extends Deutsch.define({ name: 'nutzer', fields: { id: 'int' } }) {}
    expect(() => new Nutzer({ nope: 1 } as never)).toThrow('nutzer hat kein Feld nope');
    const store = new Store({ model: Nutzer, data: [{ id: 1 }] });
    expect(() => store.sort('nope' as never)).toThrow('kein Feld nope');
    expect(() => store.add(Nutzer.fromRow({ id: 1 }))).toThrow('1 gibt es schon');
    expect(() => store.add(new User() as never)).toThrow('falsches Modell');
  });

  test('long values are shortened', () => {
    expect(describeValue('text')).toBe("'text'");
    expect(describeValue('x'.repeat(100))).toBe(`'${'x'.repeat(40)}…'`);
    expect(describeValue([1])).toBe('an array');
    expect(describeValue({})).toBe('an object');
    expect([null, undefined, 7, true].map(describeValue)).toEqual(['null', 'undefined', '7', 'true']);
  });
});

describe('inContext', () => {
  test('adds action, method, URL and status of the operation to text and parameters, once', () => {
    const operation = new Operation({ action: 'read', id: 7 });
    operation.request = new RestProxy({ url: '/users', baseUrl: 'http://h.test', noCache: false }).buildRequest(
      operation,
    );
    operation.response = response(200);
    const error = new ReadError('response-empty');
    expect(error.message).toBe(messages['response-empty']);
    expect(error.inContext(operation)).toBe(error);
    expect(error.message).toMatch(/^GET \/users\/7 answered null /);
    expect(error.stack).toContain('GET /users/7 answered null');
    expect(error.params).toEqual({ action: 'read', method: 'GET', url: '/users/7', status: 200 });
    error.inContext(new Operation({ action: 'destroy' }), { 'response-empty': 'other' });
    expect(error).toMatchObject({ message: expect.stringMatching(/^GET \/users\/7 answered null /), operation });
  });

  test("keeps the error's own parameters where both have one", () => {
    const operation = new Operation({ action: 'read', id: 7 });
    const error = new AddressError('url-outside', { url: '/mine', base: '/b' }).inContext(operation);
    expect(error.params).toMatchObject({ url: '/mine', base: '/b' });
  });

  test('makes the operation not enumerable, so that logs hold no records', () => {
    const error = new AddressError('url-built', {}, { operation: new Operation({ action: 'read' }) });
    expect(error.operation).toMatchObject({ action: 'read' });
    expect(Object.keys(error)).not.toContain('operation');
    expect(Object.keys({ ...error })).not.toContain('operation');
  });
});

describe('toJSON', () => {
  test('has the members that logs need, and no record, body or header', () => {
    const operation = new Operation({ action: 'read', id: 7 });
    const error = new NetworkError(new Error('gone'), { operation });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'NetworkError',
      code: 'network',
      reason: 'network',
      message: error.message,
      retryable: true,
      action: 'read',
    });
  });

  test('of an HttpError has the status and the problem', () => {
    const problem = { status: 500, title: 'Oops', issues: [] };
    const error = new HttpError('http', { detail: ': Oops' }, { response: response(500, { secret: 1 }), problem });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'http', status: 500, problem });
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(JSON.stringify(new HttpError('http', {}, { response: response(500) }))).not.toContain('problem');
  });

  test('of a ValidationError has the issues, and the status if the server found them', () => {
    const issues = [{ path: ['name'], message: 'is required' }];
    expect(new ValidationError(issues).toJSON()).toMatchObject({
      message: `Not valid: name is required${pageOf('validation')}`,
      issues,
    });
    expect(new ValidationError(issues).toJSON()).not.toHaveProperty('status');
    expect(new ValidationError(issues, { status: 422 }).toJSON()).toMatchObject({ status: 422, issues });
  });
});

describe('single classes', () => {
  test("a NetworkError includes the platform's reason from `cause`", () => {
    const cause = Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    expect(new NetworkError(cause)).toMatchObject({ params: { why: 'fetch failed (ECONNREFUSED)' }, cause });
    expect(new NetworkError(new Error('a', { cause: new Error('b') })).params).toEqual({ why: 'a (b)' });
    expect(new NetworkError('text').params).toEqual({ why: 'text' });
    expect(new NetworkError(new Error('a'), { unconfirmed: true })).toMatchObject({
      unconfirmed: true,
      reason: 'network-unconfirmed',
    });
  });

  test('a ConflictError holds base, mine and theirs if they are objects', () => {
    const options = { response: response(409), base: { a: 1 }, mine: { a: 2 }, theirs: { a: 3 } };
    expect(new ConflictError('http', {}, options)).toMatchObject({
      base: { a: 1 },
      mine: { a: 2 },
      theirs: { a: 3 },
      status: 409,
    });
    expect(
      new ConflictError('http', {}, { response: response(409), base: undefined, mine: [], theirs: 'x' }),
    ).toMatchObject({
      base: {},
      mine: {},
      theirs: undefined,
    });
  });

  test('a BatchError says how many writes failed and why the first one did', () => {
    const error = new BatchError([new AddressError('url-built'), new ReadError('response-empty')], 3);
    expect(error.message).toBe(
      `2 of 3 records could not be written; \`errors\` tells why. The first: ${withoutPage(error.errors[0])}${pageOf('sync')}`,
    );
    expect(error.cause).toBe(error.errors[0]);
    expect(error.errors).toHaveLength(2);
  });

  test('a ValidationError reads as one line', () => {
    const issues = [
      { path: ['address', 'zip'], message: 'is required' },
      { path: [], message: 'the whole is wrong' },
    ];
    expect(new ValidationError(issues).message).toBe(
      `Not valid: address.zip is required; the whole is wrong${pageOf('validation')}`,
    );
    expect(new ValidationError([]).message).toContain('no reason was given');
    const problem = (told: object) =>
      new ValidationError([], { status: 422, problem: { status: 422, issues: [], ...told } });
    expect(withoutPage(problem({ title: 'Title' }))).toMatch(/: Title$/);
    expect(withoutPage(problem({ title: 'Title', detail: 'Detail' }))).toMatch(/: Detail$/);
  });
});

describe('isDataError', () => {
  test('accepts errors of another copy of the package', async () => {
    vi.resetModules();
    const copy = (await import('repose')) as typeof import('repose');
    const foreign = new copy.AddressError('url-built');
    expect(foreign).not.toBeInstanceOf(AddressError);
    expect(isDataError(foreign)).toBe(true);
    expect(copy.isDataError(new AddressError('url-built'))).toBe(true);
  });

  test.each([
    null,
    undefined,
    'text',
    7,
    {},
    [],
    new Error('x'),
    new TypeError('x'),
    { code: 'address', name: 'AddressError' },
  ])('refuses %o', (value) => {
    expect(isDataError(value)).toBe(false);
  });
});
