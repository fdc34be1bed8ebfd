import { type AuthConfig, AuthError, auth, DefinitionError, type Extension, type Locks, TimeoutError } from 'repose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HttpResponse } from '../../src/http/http-response.js';
import type { ProxyRequest } from '../../src/operation/proxy-request.js';
import { pageOf } from '../helpers/error-page.js';
import { deferred } from '../helpers/rest-server.js';
import {
  answer,
  type Ended,
  EventClock,
  ending,
  listeners,
  requestOf,
  settled,
  type TestRequest,
  type TestRequestConfig,
  through,
} from './support.js';

type Headers = () => Record<string, string> | Promise<Record<string, string>>;

/** A server that knows one token, and calls that send the one they have. */
function setUp(locks?: Locks) {
  const clock = new EventClock();
  const world = { valid: 'new', token: 'old' };
  const sent: string[] = [];
  const headers: Headers = () => ({ Authorization: world.token });
  /** Answers are held back until the test lets them go. */
  const holds: (() => void)[] = [];
  let holding = false;
  const send = async (request: ProxyRequest): Promise<HttpResponse> => {
    request.operation.attempts += 1;
    const ask = request.proxyHeaders as Headers;
    const { Authorization: token = '' } = await ask();
    sent.push(`${(request as TestRequest).model} ${token}`);
    const response = answer(token === world.valid ? 200 : 401);
    if (holding) await new Promise<void>((resolve) => holds.push(resolve));
    return response;
  };
  const extensions = new Map<AuthConfig['renew'], Extension>();
  /** Sends through the one extension of a handler. */
  const by = (renew: AuthConfig['renew'], timeout: number) => {
    const extension = extensions.get(renew) ?? auth({ renew, locks });
    extensions.set(renew, extension);
    return through(extension, clock, timeout);
  };
  const ask = (
    handler: AuthConfig['renew'],
    id: string,
    over: TestRequestConfig = {},
  ): Ended<HttpResponse> & { request: ProxyRequest } => {
    const request = requestOf({ model: id, proxyHeaders: headers, ...over });
    return Object.assign(ending(by(handler, 30_000)(request, send)), { request });
  };
  return {
    ...{ clock, world, sent, ask, by },
    hold: (on: boolean) => {
      holding = on;
    },
    release: (at = 0) => holds.splice(at, 1)[0]?.(),
  };
}

/** A handler that a test ends. */
function heldHandler(world: { token: string }) {
  const runs: { resolve(value: unknown): void; reject(error: unknown): void }[] = [];
  const handler = vi.fn(
    () =>
      new Promise<unknown>((resolve, reject) => {
        runs.push({
          resolve: (value) => {
            world.token = 'new';
            resolve(value);
          },
          reject,
        });
      }),
  );
  return { handler, runs };
}

afterEach(() => vi.unstubAllGlobals());

describe('auth()', () => {
  test('passes on any response but a 401', async () => {
    const { ask, world } = setUp();
    world.token = 'new';
    const handler = vi.fn();
    const result = ask(handler, 'a');
    await settled();
    expect([result.value?.status, handler.mock.calls.length]).toEqual([200, 0]);
  });

  test('refreshes after a 401 and sends the call once more with new headers', async () => {
    const { ask, sent, world } = setUp();
    const seen: unknown[] = [];
    const result = ask(async (context) => {
      seen.push(context.response.status, Object.isFrozen(context));
      world.token = 'new';
    }, 'a');
    await settled();
    expect([result.value?.status, sent, seen]).toEqual([200, ['a old', 'a new'], [401, true]]);
    expect(result.request.operation.attempts).toBe(2);
  });

  test('refreshes once for all calls in flight, of all proxies with the same handler', async () => {
    const { ask, sent, world } = setUp();
    const { handler, runs } = heldHandler(world);
    const results = ['a', 'b', 'c'].map((id) => ask(handler, id));
    await settled();
    expect(handler).toHaveBeenCalledTimes(1);
    runs[0]?.resolve(undefined);
    await settled();
    expect(results.map(({ value }) => value?.status)).toEqual([200, 200, 200]);
    expect(sent).toEqual(['a old', 'b old', 'c old', 'a new', 'b new', 'c new']);
  });

  test('holds calls that start during a refresh', async () => {
    const { ask, sent, world, clock } = setUp();
    const { handler, runs } = heldHandler(world);
    ask(handler, 'a');
    await settled();
    const late = ask(handler, 'late');
    await clock.advance(20);
    expect(sent).toEqual(['a old']);
    runs[0]?.resolve(true);
    await settled();
    expect([late.value?.status, late.request.queueTime, clock.alarmed]).toEqual([200, 20, 0]);
    expect(sent.slice(1).sort()).toEqual(['a new', 'late new']);
  });

  test('returns a second 401 as the response', async () => {
    const { ask, sent, world } = setUp();
    const handler = vi.fn(() => {
      world.token = 'worse';
    });
    const result = ask(handler, 'a');
    await settled();
    expect([result.value?.status, handler.mock.calls.length]).toEqual([401, 1]);
    expect(sent).toEqual(['a old', 'a worse']);
  });

  test('does not refresh again for a late 401 to a call that was sent before the refresh', async () => {
    const { ask, sent, world, hold, release } = setUp();
    const handler = vi.fn(() => {
      world.token = 'new';
    });
    hold(true);
    const [first, second] = [ask(handler, 'a'), ask(handler, 'b')];
    await settled();
    hold(false);
    release();
    await settled();
    expect(first.value?.status).toBe(200);
    release();
    await settled();
    expect([second.value?.status, handler.mock.calls.length]).toEqual([200, 1]);
    expect(sent).toEqual(['a old', 'b old', 'a new', 'b new']);
  });

  test('refreshes again if a call with the new token is refused', async () => {
    const { ask, world } = setUp();
    const handler = vi.fn(() => {
      world.token = 'new';
    });
    ask(handler, 'a');
    await settled();
    world.token = 'old';
    const result = ask(handler, 'b');
    await settled();
    expect([result.value?.status, handler.mock.calls.length]).toEqual([200, 2]);
  });

  test('goes by when a call was sent, not when it was made', async () => {
    const { world, by } = setUp();
    const handler = vi.fn(() => {
      world.token = 'new';
    });
    const policy = by(handler, 0);
    const gate = deferred<void>();
    const headers = () => ({ Authorization: world.token });
    const send = async (request: ProxyRequest) => {
      if ((request as TestRequest).model === 'slow' && request.operation.attempts === 0) await gate.promise;
      request.operation.attempts += 1;
      const { Authorization } = await (request.proxyHeaders as Headers)();
      return answer(Authorization === world.valid ? 200 : 401);
    };
    const slow = ending(policy(requestOf({ model: 'slow', proxyHeaders: headers }), send));
    const quick = ending(policy(requestOf({ proxyHeaders: headers }), send));
    await settled();
    expect([quick.value?.status, handler.mock.calls.length]).toEqual([200, 1]);
    world.valid = 'newer';
    handler.mockImplementation(() => {
      world.token = 'newer';
    });
    gate.resolve(undefined);
    await settled();
    expect([slow.value?.status, handler.mock.calls.length]).toEqual([200, 2]);
  });

  test("ignores a 401 of another origin, which gets none of the proxy's headers", async () => {
    const { by } = setUp();
    const handler = vi.fn();
    const policy = by(handler, 0);
    const result = await policy(requestOf({ proxyHeaders: undefined }), async () => answer(401));
    expect([result.status, handler.mock.calls.length]).toEqual([401, 0]);
  });

  test('reads a headers object again for the second attempt', async () => {
    const { world, by } = setUp();
    const sent: string[] = [];
    const headers = { Authorization: 'old' };
    const send = async (request: ProxyRequest) => {
      const { Authorization } = await (request.proxyHeaders as Headers)();
      sent.push(Authorization as string);
      return answer(Authorization === world.valid ? 200 : 401);
    };
    const handler = () => {
      headers.Authorization = 'new';
    };
    const policy = by(handler, 0);
    expect((await policy(requestOf({ proxyHeaders: headers }), send)).status).toBe(200);
    expect(sent).toEqual(['old', 'new']);
  });

  test('refuses a handler that is not a function with a DefinitionError', () => {
    const make = () => auth({ renew: {} } as never);
    expect(make).toThrow(DefinitionError);
    expect(make).toThrow('auth.renew must be a function, not an object');
  });
});

describe('a refused refresh', () => {
  test.each([
    ['throws', () => Promise.reject(new TypeError('fetch failed')), 'fetch failed'],
    ['returns false', () => false, '`renew` returned false'],
    ['rejects with no error', () => Promise.reject('no'), 'no'],
    [
      'gives a response that refused',
      async () => new Response(null, { status: 403 }),
      'the response to the refresh was 403',
    ],
  ])(
    'rejects every waiting call with an AuthError of its own and one cause if the handler %s',
    async (_, refuse, why) => {
      const { ask, sent } = setUp();
      const gate = deferred<void>();
      const handler = vi.fn(async () => {
        await gate.promise;
        return refuse();
      });
      const results = ['a', 'b'].map((id) => ask(handler, id));
      await settled();
      results.push(ask(handler, 'late'));
      gate.resolve(undefined);
      await settled();
      const [first] = results;
      expect(first?.error).toBeInstanceOf(AuthError);
      expect(first?.error).toMatchObject({
        ...{ code: 'auth', status: 401, reason: 'refresh' },
        message: `The sign-in could not be renewed: ${why}. Sign in again, or check \`renew\` of \`auth()\`${pageOf('refresh')}`,
      });
      const errors = results.map(({ error }) => error as AuthError);
      expect(errors.map(({ message, cause }) => [message, cause])).toEqual(
        errors.map(() => [errors[0]?.message, errors[0]?.cause]),
      );
      expect(new Set(errors).size).toBe(3);
      expect([handler.mock.calls.length, sent]).toEqual([1, ['a old', 'b old']]);
    },
  );

  test('is not a handler that returns a successful response', async () => {
    const { ask, sent, world } = setUp();
    const handler = async () => {
      world.token = 'new';
      return new Response(null, { status: 204 });
    };
    const result = ask(handler, 'a');
    await settled();
    expect([result.value?.status, sent]).toEqual([200, ['a old', 'a new']]);
  });

  test.each([
    ['has no connection', () => Promise.reject(new TypeError('fetch failed')), true],
    ['is answered with a page instead of JSON', () => new Response('<!doctype html>').json(), true],
    ['takes too long', () => Promise.reject(new DOMException('too long', 'TimeoutError')), true],
    ['has no answer in time', () => Promise.reject(new TimeoutError(5000)), true],
    ['finds a server that is down', () => new Response(null, { status: 503 }), true],
    ['has to be repeated later', () => new Response(null, { status: 429 }), true],
    ['is refused', () => new Response(null, { status: 403 }), false],
    ['returns false', () => false, false],
    ['says that a password is needed', () => Promise.reject(new Error('sign in again')), false],
  ])('says whether it may succeed later, if it %s', async (_, handler, retryable) => {
    const { ask } = setUp();
    const result = ask(handler, 'a');
    await settled();
    expect(result.error).toMatchObject({ name: 'AuthError', status: 401, reason: 'refresh', retryable });
    const later = 'The server cannot do this now. Please try again later.';
    expect((result.error as AuthError).userMessage).toBe(retryable ? later : 'Please sign in again.');
  });

  test('can be a handler that throws synchronously', async () => {
    const { ask } = setUp();
    const mistake = new Error('mistake');
    const result = ask(() => {
      throw mistake;
    }, 'a');
    await settled();
    expect(result.error).toMatchObject({ code: 'auth', cause: mistake });
  });

  test('applies to every call sent before it ended, however late its 401 comes', async () => {
    const { ask, hold, release } = setUp();
    const handler = vi.fn(() => false);
    hold(true);
    const [first, second] = [ask(handler, 'a'), ask(handler, 'b')];
    await settled();
    hold(false);
    release();
    await settled();
    release();
    await settled();
    expect(second.error).toMatchObject({ reason: 'refresh', cause: (first.error as AuthError).cause });
    expect(second.error).not.toBe(first.error);
    expect([handler.mock.calls.length, first.error]).toEqual([1, expect.any(AuthError)]);
  });

  test('is forgotten when a later refresh has succeeded', async () => {
    const { ask, hold, release, world } = setUp();
    const handler = vi.fn((): unknown => false);
    hold(true);
    const slow = ask(handler, 'slow');
    await settled();
    hold(false);
    ask(handler, 'a');
    await settled();
    handler.mockImplementation(() => {
      world.token = 'new';
    });
    ask(handler, 'b');
    await settled();
    release();
    await settled();
    expect([slow.value?.status, handler.mock.calls.length]).toEqual([200, 2]);
  });

  test('does not keep the next call from refreshing again', async () => {
    const { ask, world } = setUp();
    const handler = vi.fn((): unknown => false);
    ask(handler, 'a');
    await settled();
    handler.mockImplementation(() => {
      world.token = 'new';
    });
    const next = ask(handler, 'b');
    await settled();
    expect([next.value?.status, handler.mock.calls.length]).toEqual([200, 2]);
  });

  test.each([
    ['have left', false],
    ['left before it began', true],
  ])('causes no unhandled rejection if all waiting calls were aborted: they %s', async (_, early) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { ask, world, hold, release } = setUp();
    const { handler, runs } = heldHandler(world);
    const controller = new AbortController();
    hold(true);
    const gone = ask(handler, 'a', { signal: controller.signal });
    await settled();
    if (early) controller.abort();
    release();
    await settled();
    controller.abort();
    runs[0]?.reject(new Error('no'));
    await settled();
    await settled();
    process.off('unhandledRejection', unhandled);
    expect([gone.error, unhandled.mock.calls]).toEqual([expect.objectContaining({ code: 'abort' }), []]);
  });
});

describe('an abort of a call that waits for a refresh', () => {
  test('rejects that call at once; the refresh goes on for the others', async () => {
    const { ask, world, clock } = setUp();
    const { handler, runs } = heldHandler(world);
    const controller = new AbortController();
    const { signal } = controller;
    const [first, second] = [ask(handler, 'a', { signal }), ask(handler, 'b')];
    await settled();
    const late = ask(handler, 'late', { signal });
    await settled();
    expect([listeners(signal), clock.alarmed]).toEqual([2, 1]);
    controller.abort('enough');
    await settled();
    for (const { error } of [first, late]) expect(error).toMatchObject({ code: 'abort', cause: 'enough' });
    expect([listeners(signal), clock.alarmed, second.value]).toEqual([0, 0, undefined]);
    runs[0]?.resolve(true);
    await settled();
    expect([second.value?.status, handler.mock.calls.length]).toEqual([200, 1]);
  });

  test('rejects at once if it came before the 401', async () => {
    const { ask, world, hold, release } = setUp();
    const { handler } = heldHandler(world);
    const controller = new AbortController();
    hold(true);
    const gone = ask(handler, 'a', { signal: controller.signal });
    await settled();
    controller.abort();
    release();
    await settled();
    expect(gone.error).toMatchObject({ code: 'abort' });
  });
});

describe('calls that the handler makes itself', () => {
  test('go through at once if they are made synchronously', async () => {
    const { ask, sent, world } = setUp();
    const inner: Ended<HttpResponse>[] = [];
    const handler: AuthConfig['renew'] = () => {
      const own = ask(handler, 'own', { proxyHeaders: () => ({ Authorization: 'new' }) });
      inner.push(own);
      world.token = 'new';
    };
    const result = ask(handler, 'a');
    await settled();
    expect([result.value?.status, inner[0]?.value?.status]).toEqual([200, 200]);
    expect(sent[1]).toBe('own new');
  });

  test('are recognised when they are repeated', async () => {
    const { ask, world, by, clock } = setUp();
    const handler: AuthConfig['renew'] = async () => {
      const policy = by(handler, 30_000);
      const own = requestOf();
      await policy(own, async () => answer(503));
      await policy(own, async () => answer(200));
      world.token = 'new';
    };
    const result = ask(handler, 'a');
    await settled();
    expect([result.value?.status, clock.alarmed]).toEqual([200, 0]);
  });

  test('reject with a 401, and so does the refresh, because a refresh cannot wait for itself', async () => {
    const { ask, world, by, clock } = setUp();
    const policyOf = (handler: AuthConfig['renew']) => by(handler, 1000);
    let runs = 0;
    const handler: AuthConfig['renew'] = async () => {
      runs += 1;
      await policyOf(handler)(requestOf({ proxyHeaders: () => ({ Authorization: world.token }) }), async () =>
        answer(401),
      );
    };
    const result = ask(handler, 'a');
    await settled();
    expect(runs).toBe(1);
    expect(result.error).toMatchObject({
      reason: 'refresh',
      cause: { name: 'AuthError', reason: 'refresh-own', status: 401 },
    });
    expect(clock.alarmed).toBe(0);
  });

  test('wait for the timeout of a call if they are made later, then go through', async () => {
    const { ask, world, by, clock, sent } = setUp();
    const handler: AuthConfig['renew'] = async () => {
      await Promise.resolve();
      const policy = by(handler, 30_000);
      await policy(requestOf({ model: 'own' }), async () => answer(200));
      world.token = 'new';
    };
    const result = ask(handler, 'a');
    await clock.advance(29_999);
    expect(result.value).toBeUndefined();
    await clock.advance(1);
    expect([result.value?.status, sent, clock.alarmed]).toEqual([200, ['a old', 'a new'], 0]);
  });

  test('reject after that wait if they are answered 401', async () => {
    const { ask, by, clock } = setUp();
    const handler: AuthConfig['renew'] = async () => {
      await Promise.resolve();
      const policy = by(handler, 0);
      await policy(requestOf({ model: 'own' }), async () => answer(401));
    };
    const result = ask(handler, 'a');
    await clock.advance(30_000);
    expect(result.error).toMatchObject({
      reason: 'refresh',
      cause: { name: 'AuthError', reason: 'refresh-slow', params: { timeout: 30_000 } },
    });
  });
});

describe('auth() in several tabs', () => {
  /** Locks as a browser has them. */
  function fakeLocks(): Locks & { readonly names: string[] } {
    const tails = new Map<string, Promise<unknown>>();
    const names: string[] = [];
    return {
      names,
      request(name, act) {
        names.push(name);
        const mine = (tails.get(name) ?? Promise.resolve()).then(act);
        tails.set(
          name,
          mine.catch(() => undefined),
        );
        return mine;
      },
    };
  }

  test('refreshes in one tab; the others use its result', async () => {
    const locks = fakeLocks();
    const { ask, world, sent } = setUp(locks);
    const gate = deferred<void>();
    const refresh = vi.fn(async () => {
      await gate.promise;
      world.token = 'new';
    });
    // Each tab has its own handler, because tabs share no memory.
    const results = ['a', 'b', 'c'].map((id) => ask(async () => refresh(), id));
    await settled();
    expect(refresh).toHaveBeenCalledTimes(1);
    gate.resolve(undefined);
    await settled();
    expect(results.map(({ value }) => value?.status)).toEqual([200, 200, 200]);
    expect(refresh).toHaveBeenCalledTimes(1);
    expect(new Set(locks.names)).toEqual(new Set(['repose refresh https://api.test  ']));
    expect(sent.slice(3)).toEqual(['a new', 'b new', 'c new']);
  });

  test('keeps nobody waiting for a sign-in of another scope', async () => {
    const locks = fakeLocks();
    const clock = new EventClock();
    const tokens: Record<string, string> = { Alice: 'old', Bob: 'old' };
    const dialog = deferred<void>();
    const ask = (user: string, renew: () => Promise<void>) => {
      const request = requestOf({ model: user, proxyHeaders: () => ({ Authorization: tokens[user] as string }) });
      return ending(
        through(
          auth({ scope: user, renew, locks }),
          clock,
          30_000,
        )(request, async () => answer(tokens[user] === 'new' ? 200 : 401)),
      );
    };
    const renewOf = (user: string, wait?: Promise<void>) => async () => {
      await wait;
      tokens[user] = 'new';
    };
    // Bob is asked for his password, and has gone for lunch.
    const bob = ask('Bob', renewOf('Bob', dialog.promise));
    const alice = ask('Alice', renewOf('Alice'));
    await settled();
    expect([alice.value?.status, bob.value]).toEqual([200, undefined]);
    dialog.resolve(undefined);
    await settled();
    expect(bob.value?.status).toBe(200);
  });

  test('refreshes by itself when another tab has held the lock for the timeout, as with a dialog that nobody sees', async () => {
    const locks = fakeLocks();
    const { ask, world, sent, clock } = setUp(locks);
    const { handler: dialog, runs } = heldHandler(world);
    const hidden = ask(() => dialog(), 'hidden');
    const refresh = vi.fn(async () => {
      world.token = 'new';
    });
    const shown = ask(async () => refresh(), 'shown');
    await clock.advance(29_999);
    expect([refresh.mock.calls.length, shown.value]).toEqual([0, undefined]);
    await clock.advance(1);
    expect([refresh.mock.calls.length, shown.value?.status, hidden.value]).toEqual([1, 200, undefined]);
    runs[0]?.resolve(undefined);
    await settled();
    expect([hidden.value?.status, clock.alarmed]).toEqual([200, 0]);
    expect(sent).toEqual(['hidden old', 'shown old', 'shown new', 'hidden new']);
    const next = ask(async () => refresh(), 'next');
    await settled();
    expect(next.value?.status).toBe(200);
  });

  test('refreshes in each tab in turn if the headers do not show a new token', async () => {
    const locks = fakeLocks();
    const { ask } = setUp(locks);
    let number = 0;
    const headers = () => ({ 'X-Request-Id': `${(number += 1)}` });
    const refresh = vi.fn(() => false);
    for (const id of ['a', 'b']) ask(() => refresh(), id, { proxyHeaders: headers });
    await settled();
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  test.each(['each time', 'with time'])('does not take a signature that changes %s for a new token', async (when) => {
    const { ask, world, sent, hold, release } = setUp();
    let number = 0;
    const signature = () => (when === 'with time' ? sent.length : (number += 1));
    const headers = () => ({ Authorization: world.token, 'X-Auth-Signature': `${signature()}` });
    const refresh = vi.fn(() => {
      world.token = 'new';
    });
    hold(true);
    const results = [ask(refresh, 'a', { proxyHeaders: headers }), ask(refresh, 'b', { proxyHeaders: headers })];
    await settled();
    // The first call ends its refresh before the second call receives its 401.
    for (const at of [0, 0, 1, 1, 0, 0, 0, 0]) {
      release(at);
      await settled();
    }
    expect(results.map(({ value }) => value?.status)).toEqual([200, 200]);
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test('does not take credentials that are gone for new ones: a call is not sent again without them', async () => {
    const { ask, sent, hold, release } = setUp();
    let user: string | undefined = 'Ada';
    const headers = (): Record<string, string> => (user ? { Authorization: user } : {});
    const renew = vi.fn(() => user !== undefined);
    hold(true);
    const late = ask(renew, 'late', { proxyHeaders: headers });
    await settled();
    // Ada signs out before the server answers.
    user = undefined;
    release();
    await settled();
    expect([renew.mock.calls.length, sent]).toEqual([1, ['late Ada']]);
    expect(late.error).toMatchObject({ name: 'AuthError', reason: 'refresh', retryable: false });
  });

  test('refreshes if a headers function fails', async () => {
    const { ask, world } = setUp();
    let asked = 0;
    const headers = () => {
      asked += 1;
      if (asked === 2) throw new Error('no token yet');
      return { Authorization: world.token };
    };
    const result = ask(
      () => {
        world.token = 'new';
      },
      'a',
      { proxyHeaders: headers },
    );
    await settled();
    expect(result.value?.status).toBe(200);
  });

  test('refreshes after a timeout if a headers function never returns', async () => {
    const { ask, clock, world } = setUp();
    let asked = 0;
    const headers = () => {
      asked += 1;
      return asked === 2 ? new Promise<never>(() => undefined) : { Authorization: world.token };
    };
    const handler = vi.fn(() => {
      world.token = 'new';
    });
    const result = ask(handler, 'a', { proxyHeaders: headers });
    const other = ask(handler, 'b');
    await clock.advance(29_999);
    expect([handler.mock.calls.length, result.value]).toEqual([0, undefined]);
    await clock.advance(1);
    expect([handler.mock.calls.length, result.value?.status, other.value?.status]).toEqual([1, 200, 200]);
    expect(clock.alarmed).toBe(0);
  });

  test('refreshes without a lock if it cannot get one', async () => {
    const request = vi.fn(() => Promise.reject(new Error('insecure')));
    const { ask, world } = setUp({ request });
    const result = ask(() => {
      world.token = 'new';
    }, 'a');
    await settled();
    expect([result.value?.status, request.mock.calls.length]).toEqual([200, 1]);
  });

  test('uses the platform’s locks in pages and workers only', async () => {
    const locks = fakeLocks();
    vi.stubGlobal('navigator', { locks });
    const { ask, world } = setUp();
    const handler = () => {
      world.token = 'new';
    };
    ask(handler, 'a');
    await settled();
    expect(locks.names).toEqual([]);
    vi.stubGlobal('location', { href: 'https://app.test/' });
    world.token = 'old';
    ask(handler, 'b');
    await settled();
    expect(locks.names).toEqual(['repose refresh https://api.test handler ']);
  });
});
