import { inspect } from 'node:util';
import {
  auth,
  conflicts,
  type Extension,
  etags,
  isDataError,
  Model,
  type Operation,
  type OperationEvent,
  plain,
  type RestProxy,
  type RestProxyConfig,
  Session,
  Store,
  telemetry,
  windowOf,
} from 'repose';
import { diagnostics } from 'repose/diagnostics';
import { LAYERS } from 'repose/extend';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { openOutbox } from '../outbox/open-outbox.js';

const SECRET = 'S3cr3tValue';

type Answer = () => Response;
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  return () => Response.json(body, { status, headers });
};

/** A model whose requests carry secrets wherever these belong, and what its extensions were told. */
function setting(answer: Answer, more: RestProxyConfig = {}) {
  const events: OperationEvent[] = [];
  const warnings: unknown[] = [];
  const calls: unknown[] = [];
  const signed: Extension = {
    name: 'signed',
    layer: LAYERS.telemetry + 1,
    prepare(request) {
      request.headers = { ...request.headers, 'X-Prepared': SECRET };
    },
    send(request, next) {
      calls.push(request);
      request.onHeaders.push((headers) => headers.set('X-Signature', SECRET));
      return next(request);
    },
  };
  const proxy = {
    type: 'rest' as const,
    baseUrl: 'http://a.test',
    url: '/users',
    dialect: plain(),
    fetch: async () => answer(),
    headers: { Authorization: `Bearer ${SECRET}`, Cookie: `session=${SECRET}` },
    extraParams: { access_token: SECRET, apiKey: SECRET },
    ...more,
    use: [
      auth({ renew: () => false }),
      etags(),
      conflicts(),
      signed,
      telemetry({ operation: (event) => events.push(event) }),
      diagnostics({ warn: (...told) => warnings.push(...told) }),
      ...(more.use ?? []),
    ],
  };
  class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string', password: 'string' }, proxy }) {}
  return { User, told: { events, warnings, calls } };
}

/** Every text that a log may show of a value. */
function textsOf(value: unknown): string[] {
  const shown = [String(value), inspect(value, { depth: 12 }), inspect({ value }, { depth: 12, showHidden: true })];
  if (value instanceof Error) shown.push(value.message, String(value.stack));
  try {
    shown.push(JSON.stringify(value) ?? '');
  } catch (error) {
    // Functions of sources and circular members cannot be written as JSON.
    expect(error).toBeInstanceOf(TypeError);
  }
  return shown;
}

function expectNoSecret(...values: unknown[]): void {
  for (const value of values) for (const text of textsOf(value)) expect(text).not.toContain(SECRET);
}

const CALL = { headers: { 'X-Call': SECRET }, params: { 'reset-token': SECRET } };
const row = { id: 7, name: 'a' };

const answers: [string, Answer][] = [
  ['401', json({ message: 'no' }, 401)],
  ['403', json({ message: 'no' }, 403)],
  ['404', json({ message: 'no' }, 404)],
  ['405', json({ message: 'no' }, 405)],
  ['409', json(row, 409, { ETag: '"2"' })],
  ['422', json({ errors: { password: ['is too short'] } }, 422)],
  ['428', json({}, 428)],
  ['500', json({}, 500)],
  ['200 without rows', json({ other: 1 })],
  ['HTML', () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } })],
  [
    'a redirect with credentials',
    () => new Response(null, { status: 302, headers: { Location: `http://u:${SECRET}@b.test/?token=${SECRET}` } }),
  ],
  [
    'a redirect to nowhere',
    () => new Response(null, { status: 302, headers: { Location: `http://u:${SECRET}@:x/?token=${SECRET}` } }),
  ],
  [
    'no response',
    () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    },
  ],
];

describe.each(answers)('after the response %s', (_, answer) => {
  test('no log shows a header, a token or a body', async () => {
    const { User, told } = setting(answer);
    const operations: Operation[] = [];
    const failure = (_record: unknown, operation: Operation) => operations.push(operation);
    const errors: unknown[] = [];
    const note = (error: unknown) => errors.push(error);
    const user = User.fromRow(row);
    user.password = SECRET;
    await user.save({ ...CALL, failure }).catch(note);
    await user.erase(CALL).catch((error) => operations.push(error.operation as Operation) && note(error));
    await new User({ password: SECRET }).save({ ...CALL, failure }).catch(note);
    await User.load(7, { ...CALL, failure }).catch(note);
    const store = new Store({ model: User });
    store.on('exception', ({ error, operation }) => operations.push(operation) && note(error));
    await store.load(CALL).catch(note);
    await (User.proxy as RestProxy).send({ method: 'POST', body: { password: SECRET }, ...CALL }).catch(note);
    expect(errors.length).toBeGreaterThan(3);
    for (const error of errors) expect(isDataError(error)).toBe(true);
    const bodies = errors.flatMap((error) => (isDataError(error) ? [error, error.params, error.toJSON()] : []));
    expectNoSecret(
      ...bodies,
      ...operations,
      User.proxy,
      store,
      store.proxy,
      ...told.calls,
      ...told.events,
      ...told.warnings,
    );
  });
});

test.each<[string, RestProxyConfig, (model: ReturnType<typeof setting>['User']) => unknown]>([
  ['an address with credentials', { url: `http://u:${SECRET}@a.test/users` }, (User) => User.load(1)],
  ['a base with credentials', { baseUrl: `http://u:${SECRET}@a.test` }, (User) => User.load(1)],
  ['a token in the address', { url: `/users?access_token=${SECRET}` }, (User) => User.load(1)],
  ['a header that cannot be sent', { headers: { Authorization: `${SECRET}\n` } }, (User) => User.load(1)],
  ['headers that are none', { headers: () => SECRET as never }, (User) => User.load(1)],
  ['parameters that are none', { extraParams: () => SECRET as never }, (User) => User.load(1)],
  [
    'an address that leaves its collection',
    {},
    (User) => new Store({ model: User }).load({ url: `/x/../y?token=${SECRET}`, ...CALL }),
  ],
  [
    'a link to nowhere',
    {},
    (User) => User.proxy.read({ action: 'read', link: `ftp://u:${SECRET}@b.test/?token=${SECRET}` } as never),
  ],
])('%s is shown by no log', async (_, config, act) => {
  const { User } = setting(json({}, 404), config);
  const error = await Promise.resolve(act(User)).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(isDataError(error)).toBe(true);
  expectNoSecret(error, (error as { params: object }).params, User.proxy);
});

test('stores, sessions, windows, batches and operations of successful requests show none in logs either', async () => {
  const { User, told } = setting(json([row], 200, { ETag: '"1"' }));
  const session = new Session();
  const store = new Store({ model: User, session, proxy: { headers: { Authorization: SECRET } }, autoLoad: CALL });
  await store.ready;
  store.setExtraParams({ token: SECRET });
  const operations: Operation[] = [];
  store.on('load', ({ operation }) => operations.push(operation));
  await store.load(CALL);
  expect(operations).toHaveLength(1);
  store.add({ name: 'b' });
  const batch = await store.sync();
  expectNoSecret(store, store.proxy, session, batch, store.status.get(), ...operations, ...told.calls, ...told.events);
  const window = windowOf(new Store({ model: User, pageSize: 5 }), { end: 5 });
  expectNoSecret(window);
});

test('diagnostics hide the tokens of the address', async () => {
  const { User, told } = setting(json([{ id: 1 }, { id: 2 }, { id: 3 }]));
  await new Store({ model: User, pageSize: 2 }).load(CALL);
  expect(told.warnings.length).toBeGreaterThan(0);
  expectNoSecret(...told.warnings);
});

test('an outbox shows and stores the values of a write in its entry only, and no header', async () => {
  const storage = memoryStorage();
  const outbox = await openOutbox({ scope: 'ada', storage, autoStart: false });
  const { User } = setting(json({ message: 'no' }, 422), { use: [outbox], extraParams: {} });
  const user = User.fromRow(row);
  user.password = 'typed';
  const error: unknown = await user.save({ headers: CALL.headers }).catch((cause: unknown) => cause);
  const stored = JSON.stringify(await storage.read({ scope: 'ada' }));
  expect(stored).not.toContain(SECRET);
  expectNoSecret(
    outbox,
    error,
    outbox.failed.map((each) => each.error),
  );
  expect(inspect(outbox, { depth: 12 })).not.toContain('typed');
});

test('an error keeps its facts in the console: stack, code, status and cause', async () => {
  const { User } = setting(() => {
    throw new TypeError('fetch failed');
  });
  const error = (await User.load(7).catch((cause: unknown) => cause)) as Error;
  const shown = inspect(error);
  for (const part of ['NetworkError: GET ', 'secrets.test.ts', "code: 'network'", 'retryable: true', 'fetch failed'])
    expect(shown).toContain(part);
  const options = { breakLength: Number.POSITIVE_INFINITY, compact: true };
  expect(inspect(User.proxy, options)).toContain("RestProxy { url: '/users', baseUrl: 'http://a.test', use: [");
  expect(inspect(new Store({ model: User }))).toBe("Store { model: 'user', count: 0 }");
});
