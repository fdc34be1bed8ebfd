import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import {
  AbortError,
  AddressError,
  AjaxProxy,
  type AjaxProxyConfig,
  AuthError,
  type Clock,
  DefinitionError,
  explain,
  HttpError,
  Model,
  NetworkError,
  Operation,
  type OperationConfig,
  type ProxyRequest,
  ReadError,
  RestProxy,
  retry,
  TimeoutError,
  telemetry,
} from 'repose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { pageOf } from '../helpers/error-page.js';
import { deferred, type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => {
  server.reset();
  server.always(({ body }) => ({ json: body ?? [] }));
});
afterAll(() => server.stop());

class User extends Model.define({
  name: 'user',
  fields: { id: 'auto', name: 'string' },
  proxy: { type: 'rest', url: '/users' },
}) {}
const saved = () => User.fromRow({ id: 7, name: 'Ed' }) as never;
const restOf = (config: AjaxProxyConfig = {}) =>
  new RestProxy({ url: '/users', noCache: false, baseUrl: server.url, ...config });
const read = (config: Partial<OperationConfig> = {}) => new Operation({ action: 'read', ...config });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  );

describe('the four actions', () => {
  const methods = { create: 'POST', read: 'GET', update: 'POST', destroy: 'POST' };

  test('AjaxProxy sends every action to the one url, with GET and POST', async () => {
    const proxy = new AjaxProxy({ url: '/users', noCache: false, baseUrl: server.url });
    expect(proxy.defaultActionMethods).toEqual(methods);
    expect(proxy.actionMethods).toEqual(methods);
    await proxy.read(read({ id: 7 }));
    await proxy.update(new Operation({ action: 'update', records: [saved()] }));
    await proxy.erase(new Operation({ action: 'destroy', records: [saved()] }));
    expect(server.lines).toEqual(['GET /users?id=7', 'POST /users', 'POST /users']);
    expect(server.requests.map(({ body }) => body)).toEqual([undefined, { id: 7, name: 'Ed' }, { id: 7 }]);
  });

  test('execute() runs an operation by its action', async () => {
    const proxy = restOf();
    await proxy.execute(read());
    await proxy.execute(new Operation({ action: 'create', records: [new User({ name: 'a' }) as never] }));
    await proxy.execute(new Operation({ action: 'update', records: [saved()] }));
    await proxy.execute(new Operation({ action: 'destroy', records: [saved()] }));
    expect(server.lines).toEqual(['GET /users', 'POST /users', 'PUT /users/7', 'DELETE /users/7']);
  });

  test('an operation keeps its request, response and result set', async () => {
    server.reply({ json: { total: 5, message: 'hello' } });
    const operation = read({ id: 7 });
    const result = await restOf().read(operation);
    expect(operation.request).toMatchObject({ method: 'GET', url: '/users/7' });
    expect(operation.response).toMatchObject({ status: 200, redirected: false, url: `${server.url}/users/7` });
    expect(operation.resultSet).toBe(result);
    expect(result).toMatchObject({ total: 5, message: 'hello', count: 1, success: true });
    expect(operation.error).toBeUndefined();
  });

  test('a create keeps the id of the Location', async () => {
    server.reply({ status: 201, headers: { Location: '/users/12' } });
    const result = await restOf().create(new Operation({ action: 'create', records: [new User({}) as never] }));
    expect(result.locationId).toBe('12');
  });

  test('with() returns a proxy of the same class with changed options', async () => {
    const proxy = restOf({ headers: { 'x-own': '1' }, extraParams: { a: 1 } }).with({ extraParams: { b: 2 } });
    expect(proxy).toBeInstanceOf(RestProxy);
    await proxy.read(read());
    expect(server.last).toMatchObject({ url: '/users?b=2', headers: { 'x-own': '1' } });
  });
});

describe('options', () => {
  test('a config never replaces a method', () => {
    const make = () => new RestProxy({ url: '/users', buildUrl: () => '/evil' } as never);
    expect(make).toThrow(DefinitionError);
    expect(make).toThrow("'buildUrl' is not an option of RestProxy");
  });

  test('undefined counts as not given', () => {
    const proxy = new RestProxy({ timeout: undefined, idParam: undefined, appendId: undefined } as never);
    expect(proxy).toMatchObject({
      timeout: 30_000,
      idParam: 'id',
      appendId: true,
      withCredentials: false,
      noCache: true,
    });
  });

  test('withCredentials sends credentials to other origins', async () => {
    const modes: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      modes.push(init?.credentials);
      return new Response('[]');
    };
    await restOf({ fetch }).read(read());
    await restOf({ fetch, withCredentials: true }).read(read());
    expect(modes).toEqual([undefined, 'include']);
  });
});

describe('fetch', () => {
  const worker = setupServer(http.get('http://mocked.test/users', () => HttpResponse.json([{ id: 1 }])));
  afterEach(() => {
    worker.close();
    vi.unstubAllGlobals();
  });

  test('is looked up at each call, so that msw can be started after the proxy was made', async () => {
    const proxy = restOf({ baseUrl: 'http://mocked.test' });
    worker.listen({ onUnhandledRequest: 'bypass' });
    expect((await proxy.read(read())).rows).toEqual([{ id: 1 }]);
    worker.use(http.get('http://mocked.test/users', () => HttpResponse.error()));
    expect(await failure(proxy.read(read()))).toBeInstanceOf(NetworkError);
    worker.use(http.get('http://mocked.test/users', () => HttpResponse.json({ message: 'who?' }, { status: 401 })));
    expect(await failure(proxy.read(read()))).toBeInstanceOf(AuthError);
  });

  test('is looked up at each call, so that a replaced global is used', async () => {
    const proxy = restOf();
    vi.stubGlobal('fetch', async () => new Response('[{"id":9}]'));
    expect((await proxy.read(read())).rows).toEqual([{ id: 9 }]);
  });

  test('is the option if given, called without a receiver', async () => {
    const receivers: unknown[] = [];
    const fetch = async function (this: unknown) {
      receivers.push(this);
      return new Response('[]');
    };
    await restOf({ fetch }).read(read());
    expect(receivers).toEqual([undefined]);
    expect(server.requests).toHaveLength(0);
  });

  test('that does not resolve with a Response causes a DefinitionError, not a NetworkError', async () => {
    for (const given of [undefined, null, 'x', { ok: true, status: 200, json: async () => [] }]) {
      const fetch = (async () => given) as never;
      const error = await failure(restOf({ fetch, use: [retry({ backoff: { base: 0 } })] }).read(read()));
      expect(error).toMatchObject({
        code: 'definition',
        message: expect.stringContaining('`fetch` of the proxy must resolve with a `Response`, not '),
      });
    }
  });

  test('that refuses a request leaves no create unconfirmed', async () => {
    const operation = new Operation({ action: 'create', records: [new User({}) as never] });
    const proxy = Object.assign(restOf(), { getMethod: () => 'P OST' });
    const error = await failure(proxy.create(operation));
    expect([operation.unclear, error]).toEqual([false, expect.objectContaining({ code: 'definition' })]);
  });

  test('that throws synchronously causes a NetworkError and leaves no create unconfirmed', async () => {
    const fetch = () => {
      throw new TypeError('no network here');
    };
    const operation = new Operation({ action: 'create', records: [new User({}) as never] });
    const error = await failure(restOf({ fetch }).create(operation));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ unconfirmed: false, message: expect.stringContaining('no network here') });
    expect(operation.error).toBe(error);
  });
});

describe('headers', () => {
  test('from a function that rejects fail the call, and nothing is sent', async () => {
    const cause = new Error('no token');
    const operation = read();
    const error = await failure(restOf({ headers: () => Promise.reject(cause) }).read(operation));
    expect(error).toMatchObject({ code: 'definition', cause, operation });
    expect(server.requests).toHaveLength(0);
  });

  test('with an invalid name or value fail the call, and nothing is sent', async () => {
    for (const [headers, reason, name] of [
      [{ 'a b': '1' }, 'header-name', 'a b'],
      [{ Authorization: 'Bearer SECRET\ny' }, 'header-value', 'Authorization'],
      [{ Authorization: 'Bearer SECRET€' }, 'header-value', 'Authorization'],
    ] as const) {
      const error = await failure(restOf({ headers }).read(read()));
      expect(error).toMatchObject({ code: 'definition', reason, message: expect.stringContaining(name) });
      // The value may be secret, and the platform quotes it.
      expect(inspect(error)).not.toContain('SECRET');
    }
    expect(server.requests).toHaveLength(0);
  });

  test('without a value are not sent', async () => {
    for (const nothing of [undefined, null]) {
      await restOf({ headers: () => ({ Authorization: nothing as never, 'x-own': '1' }) }).read(read());
      expect(server.last.headers).toMatchObject({ 'x-own': '1' });
      expect(server.last.headers).not.toHaveProperty('authorization');
    }
  });

  test.each<[string, unknown]>([
    ['the platform’s Headers, of which nothing would be sent', new Headers({ Authorization: 'secret' })],
    ['a Map, of which nothing would be sent', new Map([['Authorization', 'secret']])],
    ['a list, which would be sent under its numbers', [['Authorization', 'secret']]],
    ['a text', 'Authorization: secret'],
    ['nothing', null],
    ['a promise in the place of a value', { Authorization: Promise.resolve('secret') }],
  ])('that are not an object of texts fail the call, from an object or a function: %s', async (_, headers) => {
    for (const given of [headers, () => headers]) {
      const error = await failure((async () => restOf({ headers: given as never }).read(read()))());
      expect(error).toMatchObject({ code: 'definition', message: expect.stringMatching(/headers?\b/) });
      expect(String(error)).not.toContain('secret');
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe('options with an impossible value are refused', () => {
  test.each<[option: string, value: unknown, must: string]>([
    ['timeout', '30s', "milliseconds, from 0, not '30s'"],
    ['timeout', -5, 'milliseconds, from 0, not -5'],
    ['timeout', Number.NaN, 'milliseconds, from 0, not NaN'],
    ['fetch', 5, "a function, such as the platform's `fetch`, not 5"],
    ['fetch', { get: () => ({}) }, "a function, such as the platform's `fetch`, not an object"],
  ])('%s: %j', (option, value, must) => {
    const make = () => restOf({ [option]: value });
    expect(make).toThrow(DefinitionError);
    expect(make).toThrow(`RestProxy.${option} must be ${must}`);
  });
});

describe('timeout', () => {
  /** A clock whose alarms a test runs. */
  function manualClock() {
    const alarms = new Map<() => void, number>();
    const clock: Clock = {
      now: () => 0,
      after: (ms, callback) => {
        alarms.set(callback, ms);
        return () => alarms.delete(callback);
      },
    };
    return { clock, alarms, ring: () => [...alarms.keys()].forEach((callback) => void callback()) };
  }

  test('covers the whole response', async () => {
    const { clock, alarms, ring } = manualClock();
    const held = server.hold();
    const call = restOf({ clock, timeout: 5000 }).read(read({ id: 7 }));
    await held.request;
    expect([...alarms.values()]).toEqual([5000]);
    ring();
    const error = await failure(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', retryable: true, unconfirmed: false });
    expect((error as Error).message).toContain('GET /users/7');
    expect((error as Error).message).toContain('5000');
    held.answer({ json: { id: 7 } });
  });

  test('covers a body that does not end', async () => {
    const { clock, ring } = manualClock();
    const started = deferred<void>();
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('[{"id":'));
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
          started.resolve();
        },
      });
      return new Response(body);
    };
    const call = restOf({ clock, fetch }).read(read());
    await started.promise;
    ring();
    expect(await failure(call)).toBeInstanceOf(TimeoutError);
  });

  test('leaves a create unconfirmed', async () => {
    const { clock, ring } = manualClock();
    const held = server.hold();
    const call = restOf({ clock }).create(new Operation({ action: 'create', records: [new User({}) as never] }));
    await held.request;
    ring();
    expect(await failure(call)).toMatchObject({ code: 'timeout', unconfirmed: true });
    held.answer();
  });

  test('stops its timer after a response and after a failure', async () => {
    const { clock, alarms } = manualClock();
    await restOf({ clock }).read(read());
    await failure(restOf({ clock, fetch: () => Promise.reject(new Error('x')) }).read(read()));
    expect(alarms.size).toBe(0);
  });

  test('sets no timer for 0 and for values beyond the range of timers', async () => {
    const clock: Clock = { now: () => 0, after: () => expect.unreachable('an alarm was set') };
    for (const timeout of [0, 2 ** 31, Number.POSITIVE_INFINITY]) {
      expect(await restOf({ clock, timeout }).read(read())).toMatchObject({ rows: [] });
    }
  });
});

describe('an override of buildRequest', () => {
  test.each([
    ['another collection', 1, { url: '/others/7' }, 'url-outside'],
    ['the whole collection', 1, { url: '/users' }, 'url-collection'],
    ['the whole collection for one record', 2, { bulk: false }, 'url-collection'],
  ])('that addresses %s is refused', async (_, count, changes, reason) => {
    class OddProxy extends RestProxy {
      override buildRequest(operation: Operation): ProxyRequest {
        return Object.assign(super.buildRequest(operation), changes);
      }
    }
    const proxy = new OddProxy({ url: '/users', noCache: false, baseUrl: server.url, batchActions: true });
    const records = Array.from({ length: count }, saved);
    expect(await failure(proxy.update(new Operation({ action: 'update', records })))).toMatchObject({ reason });
    expect(server.requests).toHaveLength(0);
  });

  test('that passes on only the operation keeps send() and explain() complete', async () => {
    class OwnProxy extends RestProxy {
      override buildRequest(operation: Operation): ProxyRequest {
        return super.buildRequest(operation);
      }
    }
    const proxy = new OwnProxy({ url: '/users', noCache: false, baseUrl: server.url });
    await proxy.send({ method: 'POST', path: 'publish', record: saved() });
    expect(server.lines).toEqual(['POST /users/7/publish']);
    const { parts } = await explain(proxy, { action: 'read', id: 7 });
    expect(parts.map(({ text }) => text)).toEqual(['/users', '/7']);
  });

  test('is called again for an operation that is executed again', async () => {
    const operation = read({ id: 7, params: { q: 1 } });
    await restOf().read(operation);
    const { request } = operation;
    await restOf().read(operation);
    expect(operation.request).not.toBe(request);
    expect(server.lines).toEqual(['GET /users/7?q=1', 'GET /users/7?q=1']);
  });
});

describe('abort', () => {
  test('by a signal that was aborted before the call sends nothing', async () => {
    const reason = new Error('enough');
    const error = await failure(restOf().read(read({ signal: AbortSignal.abort(reason) })));
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ code: 'abort', cause: reason, retryable: false });
    expect(server.requests).toHaveLength(0);
  });

  test('in the same tick as the call sends nothing and leaves no create unconfirmed', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('[]'));
    const controller = new AbortController();
    const operation = new Operation({
      action: 'create',
      records: [new User({ name: 'Ed' }) as never],
      signal: controller.signal,
    });
    const call = restOf({ fetch }).create(operation);
    controller.abort();
    expect(await failure(call)).toMatchObject({ code: 'abort', unconfirmed: false });
    expect(fetch).not.toHaveBeenCalled();
    expect(operation.unclear).toBe(false);
  });

  test("by the operation's signal rejects the call, and a late response changes nothing", async () => {
    const held = server.hold();
    const controller = new AbortController();
    const operation = read({ id: 7, signal: controller.signal });
    const call = restOf().read(operation);
    await held.request;
    controller.abort('enough');
    const error = await failure(call);
    expect(error).toMatchObject({ code: 'abort', cause: 'enough', operation });
    expect((error as Error).message).toContain('GET /users/7');
    held.answer({ json: { id: 7 } });
    await restOf().read(read());
    expect([operation.response, operation.resultSet]).toEqual([undefined, undefined]);
  });

  test('is not listened for any more when the call has ended', async () => {
    const answers = [Response.json([]), Response.error(), new Response('', { status: 500 })];
    const { signal } = new AbortController();
    const listening: number[] = [];
    const fetch: typeof globalThis.fetch = async () => {
      listening.push(getEventListeners(signal, 'abort').length);
      return answers[listening.length - 1] as Response;
    };
    for (const config of [{}, { use: [telemetry({ operation: () => undefined })] }]) {
      listening.length = 0;
      const proxy = restOf({ fetch, ...config });
      for (const _ of answers) await Promise.allSettled([proxy.read(read({ signal }))]);
      expect([listening, getEventListeners(signal, 'abort')]).toEqual([[1, 1, 1], []]);
    }
  });

  test('rejects all calls that share a signal, through one listener', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const proxy = restOf({ fetch: () => new Promise(() => undefined) });
    const calls = Array.from({ length: 20 }, (_, id) => failure(proxy.read(read({ id: id + 1, signal }))));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'abort', cause: 'enough' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('leaves no listener on the signal of a request, which platforms keep in memory', async () => {
    const answers = [Response.json([]), Response.error(), new Response('', { status: 500 })];
    const signals: AbortSignal[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      signals.push(init?.signal as AbortSignal);
      return answers[signals.length - 1] as Response;
    };
    for (const _ of answers) await Promise.allSettled([restOf({ fetch }).read(read())]);
    expect(signals.map((signal) => getEventListeners(signal, 'abort'))).toEqual([[], [], []]);
  });

  test('by abort() rejects every call of the proxy in flight, and no later one', async () => {
    const [first, second] = [server.hold(), server.hold()];
    const proxy = restOf();
    const calls = [proxy.read(read({ id: 1 })), proxy.read(read({ id: 2 }))].map(failure);
    await Promise.all([first.request, second.request]);
    proxy.abort();
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(AbortError);
    first.answer();
    second.answer();
    expect(await proxy.read(read())).toMatchObject({ rows: [] });
    expect((proxy as unknown as { running: Set<unknown> }).running.size).toBe(0);
  });

  test('rejects the call even if fetch ignores its signal', async () => {
    const answer = deferred<Response>();
    const controller = new AbortController();
    const call = restOf({ fetch: () => answer.promise }).read(read({ signal: controller.signal }));
    await Promise.resolve();
    controller.abort();
    expect(await failure(call)).toBeInstanceOf(AbortError);
    answer.resolve(new Response('[]'));
  });

  test('rejects the call even if a headers function hangs, and nothing is sent', async () => {
    const token = deferred<Record<string, string>>();
    const controller = new AbortController();
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('[]'));
    const proxy = restOf({ headers: () => token.promise, fetch });
    const calls = [proxy.read(read({ signal: controller.signal })), proxy.read(read())].map(failure);
    controller.abort();
    proxy.abort();
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(AbortError);
    token.resolve({});
    await restOf().read(read());
    expect(fetch).not.toHaveBeenCalled();
  });

  test('of a create after it was sent leaves its record a phantom', async () => {
    const held = server.hold();
    const Own = User.with({ proxy: restOf() });
    const user = new Own({ name: 'Ed' });
    const saving = user.save();
    await held.request;
    user.$.abort();
    expect(await failure(saving)).toBeInstanceOf(AbortError);
    held.answer({ status: 201, json: { id: 1 } });
    expect(user).toMatchObject({ phantom: true, name: 'Ed' });
  });
});

describe('a request without a response', () => {
  test('to an unreachable server rejects with a NetworkError that names request and reason', async () => {
    const operation = read({ id: 7 });
    const gone = await startRestServer();
    await gone.stop();
    const error = await failure(restOf({ baseUrl: gone.url }).read(operation));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'network', retryable: true, unconfirmed: false, operation });
    expect((error as Error).message).toMatch(/GET \/users\/7 .*ECONNREFUSED/);
  });

  test('leaves a create unconfirmed', async () => {
    server.reply({ drop: true });
    const error = await failure(restOf().create(new Operation({ action: 'create', records: [new User({}) as never] })));
    expect(error).toMatchObject({ code: 'network', unconfirmed: true, reason: 'network-unconfirmed' });
    expect((error as Error).message).toContain('may exist');
  });

  test('leaves no other write unconfirmed', async () => {
    server.reply({ drop: true });
    expect(await failure(restOf().update(new Operation({ action: 'update', records: [saved()] })))).toMatchObject({
      unconfirmed: false,
    });
  });

  test('rejects with a NetworkError for a truncated body', async () => {
    server.reply({ headers: { 'Content-Length': '100', Connection: 'close' }, text: '[{"id":1},' });
    const error = await failure(restOf({ timeout: 2000 }).read(read()));
    expect(error).toMatchObject({ code: 'network' });
  });

  test('includes a thrown text in the error', async () => {
    const error = await failure(restOf({ fetch: () => Promise.reject('plain text') }).read(read()));
    expect((error as Error).message).toContain('plain text');
  });
});

describe('a body that cannot be sent as JSON', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  test.each([{ big: 1n }, circular])('rejects with a ValidationError, and nothing is sent', async (body) => {
    const operation = new Operation({ action: 'update', records: [saved()] });
    const error = await failure(restOf({ writer: { transform: () => body } }).update(operation));
    expect(error).toMatchObject({ code: 'validation', issues: [{ path: [], code: 'json' }], operation });
    expect(await failure(restOf().send({ method: 'POST', body }))).toMatchObject({ code: 'validation' });
    expect(server.requests).toHaveLength(0);
    const explanation = await explain(restOf({ writer: { transform: () => body } }), operation);
    expect(explanation.refused).toMatchObject({ code: 'validation' });
  });

  test.each([new FormData(), new URLSearchParams('a=1'), new Blob(['x']), new Map([['a', 1]]), new ArrayBuffer(2)])(
    'is an object of which JSON would keep nothing: %s',
    async (body) => {
      const error = await failure(restOf().send({ method: 'POST', body }));
      expect(error).toMatchObject({ code: 'validation', issues: [{ code: 'json' }] });
      expect((error as Error).message).toContain(
        `cannot be sent as JSON: it keeps nothing of what is in ${body.constructor.name}`,
      );
      expect(server.requests).toHaveLength(0);
    },
  );

  test('is not an empty object, whatever its class', async () => {
    for (const body of [{}, Object.create(null), new (class Empty {})()]) await restOf().send({ method: 'POST', body });
    expect(server.requests.map(({ text }) => text)).toEqual(['{}', '{}', '{}']);
  });
});

describe('answers with an error status', () => {
  test.each([400, 404, 405, 410, 500, 501])('%i is an HttpError with status, response and body', async (status) => {
    server.reply({ status, json: { message: 'no' } });
    const operation = read({ id: 7 });
    const error = (await failure(restOf().read(operation))) as HttpError;
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      name: 'HttpError',
      code: 'http',
      status,
      body: { message: 'no' },
      retryable: false,
      operation,
    });
    expect(error.response).toBeInstanceOf(Response);
    expect(error.message).toMatch(new RegExp(`^GET /users/7 answered ${status}: no\\. \\w`));
  });

  test.each([408, 429, 502, 503, 504])('%i is an HttpError that may be retried', async (status) => {
    server.reply({ status });
    expect(await failure(restOf().read(read()))).toMatchObject({
      code: 'http',
      status,
      body: undefined,
      retryable: true,
    });
  });

  test('304 is a ReadError if the request had no condition', async () => {
    server.reply({ status: 304 });
    expect(await failure(restOf().read(read()))).toMatchObject({ code: 'read', reason: 'response-unchanged' });
  });
});

describe('send', () => {
  test('sends a GET to the collection by default', async () => {
    server.reply({ json: { answer: 42 } });
    const response = await restOf({ extraParams: { e: 1 } }).send({});
    expect(response).toMatchObject({ status: 200, body: { answer: 42 }, text: '{"answer":42}' });
    expect(server.lines).toEqual(['GET /users?e=1']);
    expect(server.last.text).toBe('');
  });

  test('takes a record, a path behind its address, parameters, headers and a body', async () => {
    await restOf({ headers: { 'x-own': 'proxy' } }).send({
      method: 'post',
      record: saved(),
      path: 'make admin',
      params: { at: new Date(0) },
      headers: { 'x-call': '1' },
      body: { reason: 'late' },
    });
    expect(server.last).toMatchObject({
      method: 'POST',
      url: '/users/7/make%20admin?at=1970-01-01T00%3A00%3A00.000Z',
      body: { reason: 'late' },
      headers: { 'x-own': 'proxy', 'x-call': '1', 'content-type': 'application/json' },
    });
  });

  test('sends any JSON as body, or none', async () => {
    for (const body of [null, 0, false, '', []]) {
      await restOf().send({ method: 'PUT', body });
      expect(server.last.text).toBe(JSON.stringify(body));
    }
    await restOf().send({ method: 'PUT', record: saved() });
    expect(server.last).toMatchObject({ text: '' });
    expect(server.last.headers).not.toHaveProperty('content-type');
  });

  test('takes a url and values for its template', async () => {
    await restOf().send({ url: '/reports/{year}', pathParams: { year: 2024 } });
    expect(server.lines).toEqual(['GET /reports/2024']);
  });

  test('can write to the collection, but not to a record without an id', async () => {
    await restOf().send({ method: 'DELETE' });
    expect(server.lines).toEqual(['DELETE /users']);
    const phantom = new User({ name: 'new' }) as never;
    expect(await failure(restOf().send({ method: 'POST', record: phantom, path: 'publish' }))).toBeInstanceOf(
      AddressError,
    );
    expect(await failure(restOf().send({ record: phantom, path: 'publish' }))).toBeInstanceOf(AddressError);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['for AjaxProxy', () => new AjaxProxy({ url: '/users', noCache: false, baseUrl: server.url })],
    ['with appendId: false', () => restOf({ appendId: false } as AjaxProxyConfig)],
  ])('sends the id of its record as a parameter if addresses hold no id, %s', async (_, proxyOf) => {
    await proxyOf().send({ method: 'DELETE', record: saved() });
    await proxyOf().send({ method: 'POST', record: saved(), path: 'publish' });
    await proxyOf().send({ method: 'DELETE', path: '9' });
    expect(server.lines).toEqual(['DELETE /users?id=7', 'POST /users/publish?id=7', 'DELETE /users/9']);
    const phantom = new User({ name: 'new' }) as never;
    expect(await failure(proxyOf().send({ method: 'DELETE', record: phantom }))).toMatchObject({
      message: expect.stringContaining('DELETE /users was not sent: it does not name the record'),
    });
    await proxyOf().send({ url: '/names', record: phantom });
    expect(server.lines.slice(3)).toEqual(['GET /names']);
  });

  test('refuses dangerous addresses', async () => {
    expect(await failure(restOf().send({ path: '..' }))).toMatchObject({ reason: 'id-dots' });
    expect(await failure(new RestProxy().send({}))).toMatchObject({ reason: 'url-missing' });
    expect(server.requests).toHaveLength(0);
  });

  test('rejects for an error status, with its operation', async () => {
    server.reply({ status: 403, json: { message: 'not you' } });
    const error = await failure(restOf().send({ method: 'POST' }));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({
      message: `POST /users answered 403: not you. Sign in as somebody who is allowed to do this${pageOf('http-forbidden')}`,
      operation: { action: 'update' },
    });
  });

  test('rejects for a redirected write', async () => {
    server.reply({ status: 301, headers: { Location: '/users/' } });
    expect(await failure(restOf().send({ method: 'POST' }))).toBeInstanceOf(ReadError);
    expect(server.lines).toEqual(['POST /users']);
  });

  test('returns text and malformed JSON unchanged', async () => {
    server.reply({ text: 'id;name\n7;Ed' }, { text: '' });
    expect(await restOf().send({})).toMatchObject({ body: 'id;name\n7;Ed', text: 'id;name\n7;Ed' });
    expect(await restOf().send({})).toMatchObject({ body: undefined, text: '' });
  });

  test('returns a blob with `blob: true`, and reads the body of an error as JSON', async () => {
    server.reply({ text: 'abc' }, { status: 404, json: { message: 'none' } });
    const { body, text } = await restOf().send({ blob: true });
    expect(text).toBe('');
    expect(await (body as Blob).text()).toBe('abc');
    expect(await failure(restOf().send({ blob: true }))).toMatchObject({ status: 404, body: { message: 'none' } });
  });

  test('rejects with a DefinitionError and without retry for a body with GET', async () => {
    const operation = expect.objectContaining({ attempts: 1 });
    const proxy = restOf({ use: [retry({ backoff: { base: 0 } })] });
    const error = await failure(proxy.send({ body: { a: 1 } }));
    expect(error).toMatchObject({ code: 'definition', retryable: false, operation });
    expect(server.requests).toHaveLength(0);
  });

  test.each(['G ET', 'CONNECT', 'GTE', ''])('refuses the method %o before anything is built', async (method) => {
    expect(await failure(restOf().send({ method }))).toMatchObject({ code: 'definition', operation: undefined });
    expect(server.requests).toHaveLength(0);
  });

  test('can be aborted', async () => {
    const held = server.hold();
    const controller = new AbortController();
    const call = restOf().send({ signal: controller.signal });
    await held.request;
    controller.abort();
    expect(await failure(call)).toBeInstanceOf(AbortError);
    held.answer();
  });
});
