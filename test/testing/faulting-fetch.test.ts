import { type AnyDataError, isDataError, Model, type NetworkError, type RestProxyConfig } from 'repose';
import { type Fault, type FaultingFetch, type FaultRule, faultingFetch, type SimpleFault } from 'repose/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';
import { rowsApi } from './rows-api.js';

/** A server in the same process: answers with the request's own method and address. */
const echo = async (request: Request): Promise<Response> => {
  const { method, url } = request;
  return Response.json({ method, url, body: await request.text() }, { headers: { ETag: '"1"' } });
};

function faulty(...faults: (FaultRule | SimpleFault)[]): FaultingFetch & { asked: ReturnType<typeof vi.fn> } {
  const asked = vi.fn(echo);
  return Object.defineProperty(faultingFetch({ fetch: asked, faults }), 'asked', { value: asked }) as never;
}

const URL_7 = 'http://h/users/7';

async function failureOf(running: Promise<unknown>): Promise<TypeError & { cause: { code: string } }> {
  return await running.then(
    () => expect.unreachable('it resolved'),
    (error) => error,
  );
}

describe('faultingFetch', () => {
  test('passes requests on and returns their responses', async () => {
    const fetch = faulty();
    const response = await fetch(URL_7, { method: 'PUT', body: 'x' });
    expect(await response.json()).toEqual({ method: 'PUT', url: URL_7, body: 'x' });
  });

  test('looks up the platform’s fetch at every call', async () => {
    const fetch = faultingFetch();
    vi.stubGlobal('fetch', echo);
    try {
      expect((await fetch(URL_7)).headers.get('etag')).toBe('"1"');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('takes a Request and a URL', async () => {
    const fetch = faulty();
    await fetch(new Request(URL_7, { method: 'POST', body: 'x' }));
    await fetch(new URL(URL_7));
    expect(fetch.requests).toMatchObject([
      { method: 'POST', url: URL_7, body: 'x' },
      { method: 'GET', url: URL_7, body: undefined },
    ]);
  });

  test('rejects like the platform for an invalid address', async () => {
    const fetch = faulty();
    await expect(fetch('/users')).rejects.toThrow(TypeError);
    expect(fetch.requests).toEqual([]);
  });

  test('logs each request with its fault and its result', async () => {
    const fetch = faulty('drop', { type: 'status', status: 503 });
    const error = await failureOf(fetch(URL_7, { method: 'POST', headers: { 'X-A': 'b' }, body: '{}' }));
    await fetch(URL_7);
    await fetch(URL_7);
    expect(fetch.requests).toMatchObject([
      {
        number: 1,
        method: 'POST',
        url: URL_7,
        body: '{}',
        fault: { type: 'drop' },
        reached: false,
        status: undefined,
        error,
      },
      {
        number: 2,
        method: 'GET',
        fault: { type: 'status', status: 503 },
        reached: false,
        status: 503,
        error: undefined,
      },
      { number: 3, fault: { type: 'pass' }, reached: true, status: 200 },
    ]);
    expect(fetch.requests[0]?.headers.get('x-a')).toBe('b');
  });

  describe('faults', () => {
    test('drop: the request fails before it reaches the server', async () => {
      const fetch = faulty('drop');
      const error = await failureOf(fetch(URL_7));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.cause.code).toBe('ECONNREFUSED');
      expect(fetch.asked).not.toHaveBeenCalled();
    });

    test('lose: the server handles the request, the response is lost', async () => {
      const fetch = faulty('lose');
      const error = await failureOf(fetch(URL_7));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.cause.code).toBe('ECONNRESET');
      expect(fetch.asked).toHaveBeenCalledTimes(1);
    });

    test('status: the fault answers instead of the server', async () => {
      const fetch = faulty({ type: 'status', status: 429, headers: { 'Retry-After': '2' } });
      const response = await fetch(URL_7);
      expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, '2', '']);
      expect(fetch.asked).not.toHaveBeenCalled();
    });

    test.each([
      ['text as it is', '<h1>down</h1>', {}, '<h1>down</h1>', 'text/plain;charset=UTF-8'],
      ['a value as JSON', { message: 'down' }, {}, '{"message":"down"}', 'application/json'],
      [
        'a value with its own content type',
        null,
        { 'content-type': 'application/problem+json' },
        'null',
        'application/problem+json',
      ],
    ])('status: sends %s', async (_what, body, headers, text, type) => {
      const response = await faulty({ type: 'status', status: 500, body, headers })(URL_7);
      expect([await response.text(), response.headers.get('content-type')]).toEqual([text, type]);
    });

    test('status: the response can have no body', async () => {
      expect((await faulty({ type: 'status', status: 204 })(URL_7)).status).toBe(204);
    });

    test('status: the server handles the request with `processed: true`', async () => {
      const fetch = faulty({ type: 'status', status: 504, processed: true });
      expect((await fetch(URL_7)).status).toBe(504);
      expect(fetch.asked).toHaveBeenCalledTimes(1);
    });

    test('truncate: the body breaks off with an error', async () => {
      const response = await faulty({ type: 'truncate', at: 5 })(URL_7);
      expect([response.status, response.headers.get('etag')]).toEqual([200, '"1"']);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('{"met');
      await expect(reader.read()).rejects.toThrow('terminated');
    });

    test('truncate: half of the body arrives by default', async () => {
      const whole = await (await faulty()(URL_7)).text();
      const half = await (await faulty({ type: 'truncate', silent: true })(URL_7)).text();
      expect(half).toBe(whole.slice(0, whole.length >> 1));
    });

    test('truncate: the body just ends with `silent: true`', async () => {
      const response = await faulty({ type: 'truncate', at: 5, silent: true })(URL_7);
      expect(await response.text()).toBe('{"met');
    });

    test('malformed: the body is not JSON, everything else is the server’s', async () => {
      const response = await faulty('malformed')(URL_7);
      expect(response.headers.get('etag')).toBe('"1"');
      await expect(response.json()).rejects.toThrow(SyntaxError);
    });

    test('malformed: the body can be the page of a proxy', async () => {
      const response = await faulty({ type: 'malformed', body: '<html>Sign in</html>' })(URL_7);
      expect(await response.text()).toBe('<html>Sign in</html>');
    });

    test('malformed: a response without a body gets one', async () => {
      const fetch = faultingFetch({ fetch: () => new Response(null, { status: 204 }), faults: ['malformed'] });
      const response = await fetch(URL_7);
      expect([response.status, await response.text()]).toEqual([200, '{"broken": ']);
    });

    test("a changed response keeps the url of the server's", async () => {
      const answer = Object.defineProperties(Response.json({}), { url: { value: URL_7 }, redirected: { value: true } });
      const fetch = faultingFetch({ fetch: () => answer, faults: ['malformed'] });
      expect(await fetch('http://h/old')).toMatchObject({ url: URL_7, redirected: true });
    });

    test('hold: the request reaches the server when it is released', async () => {
      const fetch = faulty('hold');
      const running = fetch(URL_7);
      const seen = await fetch.waitFor(1);
      await settled();
      expect([fetch.asked.mock.calls.length, seen.reached]).toEqual([0, false]);
      seen.release();
      expect((await running).status).toBe(200);
      expect(seen.reached).toBe(true);
    });

    test("hold: the response waits with `what: 'answer'`", async () => {
      const fetch = faulty({ type: 'hold', what: 'answer' });
      const running = fetch(URL_7);
      const seen = await fetch.waitFor(1);
      await settled();
      expect([fetch.asked.mock.calls.length, seen.status]).toEqual([1, undefined]);
      seen.release();
      expect((await running).status).toBe(200);
    });

    test('hang: only an abort ends it', async () => {
      const fetch = faulty('hang');
      const controller = new AbortController();
      const running = fetch(URL_7, { signal: controller.signal });
      const ended = vi.fn();
      running.catch(ended);
      await settled();
      expect(ended).not.toHaveBeenCalled();
      controller.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      expect(fetch.asked).not.toHaveBeenCalled();
    });
  });

  describe('abort', () => {
    test('before the call rejects, and no fault is used up', async () => {
      const fetch = faulty('drop');
      const error = await failureOf(fetch(URL_7, { signal: AbortSignal.abort() }));
      expect(error.name).toBe('AbortError');
      expect(fetch.unused).toEqual([{ type: 'drop' }]);
    });

    test('of a held request keeps it from being sent when it is released', async () => {
      const fetch = faulty('hold');
      const controller = new AbortController();
      const running = fetch(URL_7, { signal: controller.signal });
      await fetch.waitFor(1);
      controller.abort();
      await expect(running).rejects.toThrow();
      fetch.release();
      await settled();
      expect(fetch.asked).not.toHaveBeenCalled();
    });

    test('ends a request whose fetch ignores its signal', async () => {
      const fetch = faultingFetch({ fetch: () => new Promise<Response>(() => {}) });
      const controller = new AbortController();
      const running = fetch(URL_7, { signal: controller.signal });
      await fetch.waitFor(1);
      controller.abort();
      expect((await failureOf(running)).name).toBe('AbortError');
      expect(fetch.requests[0]?.error).toBeInstanceOf(Error);
    });
  });

  describe('the script', () => {
    const types = (fetch: FaultingFetch) => fetch.requests.map((each) => each.fault?.type);
    const send = (fetch: FaultingFetch, count: number) =>
      Promise.allSettled(Array.from({ length: count }, () => fetch(URL_7)));

    test('is used up in order, then requests pass', async () => {
      const fetch = faulty('drop', 'pass', 'lose');
      await send(fetch, 4);
      expect(types(fetch)).toEqual(['drop', 'pass', 'lose', 'pass']);
    });

    test('can have a fault for several requests', async () => {
      const fetch = faulty({ type: 'drop', times: 2 }, 'lose');
      await send(fetch, 4);
      expect(types(fetch)).toEqual(['drop', 'drop', 'lose', 'pass']);
    });

    test('can have a fault for certain requests', async () => {
      const fetch = faulty({ type: 'drop', on: ({ method }) => method === 'POST' }, 'lose');
      await Promise.allSettled([
        fetch(URL_7),
        fetch(URL_7),
        fetch(URL_7, { method: 'POST' }),
        fetch(URL_7, { method: 'POST' }),
      ]);
      expect(types(fetch)).toEqual(['lose', 'pass', 'drop', 'pass']);
    });

    test('continues with faults that are planned later', async () => {
      const fetch = faulty('drop');
      await send(fetch, 2);
      fetch.plan('lose', { type: 'status', status: 500 });
      await send(fetch, 2);
      expect(types(fetch)).toEqual(['drop', 'pass', 'lose', 'status']);
    });

    test('lists the faults that were not used', async () => {
      const fetch = faulty('drop', { type: 'lose', times: 2 }, 'hang');
      await send(fetch, 2);
      expect(fetch.unused).toEqual([{ type: 'lose', times: 2 }, { type: 'hang' }]);
    });

    test('can be a function of the request', async () => {
      const faults = ({ number, url }: { number: number; url: string }): Fault | undefined =>
        number === 2 && url === URL_7 ? { type: 'drop' } : undefined;
      const fetch = faultingFetch({ fetch: echo, faults });
      await send(fetch, 3);
      expect(types(fetch)).toEqual(['pass', 'drop', 'pass']);
    });

    test('prefers planned faults to the function', async () => {
      const fetch = faultingFetch({ fetch: echo, faults: () => 'drop' });
      fetch.plan('pass');
      await send(fetch, 2);
      expect(types(fetch)).toEqual(['pass', 'drop']);
    });
  });

  describe('waiting and options', () => {
    test('release() lets all held requests continue', async () => {
      const fetch = faulty('hold', { type: 'hold', what: 'answer' });
      const running = [fetch(URL_7), fetch(URL_7)];
      await fetch.waitFor(2);
      fetch.release();
      expect((await Promise.all(running)).map((each) => each.status)).toEqual([200, 200]);
    });

    test.each<[string, unknown, string]>([
      ['a misspelt fault', 'dropp', "There is no fault 'dropp'; known: pass, drop, lose, "],
      ['nothing', null, 'There is no fault null'],
      ['a status that is missing', { type: 'status' }, 'must be a whole number from 200 to 599'],
      ['a status that is a text', { type: 'status', status: '503' }, 'not 503'],
      ['an impossible status', { type: 'status', status: 99 }, 'not 99'],
      [
        'a body where there is none',
        { type: 'status', status: 204, body: '' },
        '204, 205 and 304 take no body: not 204',
      ],
      [
        'a misspelt member',
        { type: 'truncate', after: 3 },
        "'after' is not an option of fault; its options are type, on, times, at",
      ],
      ['a member of another kind', { type: 'drop', status: 503 }, "'status' is not an option of fault"],
      [
        'an unknown value of `what`',
        { type: 'hold', what: 'reply' },
        'fault.what must be "request" or "answer", not \'reply\'',
      ],
      ['half a request', { type: 'drop', times: 1.5 }, 'fault.times must be a whole number, or Infinity, not 1.5'],
      ['a condition that is not a function', { type: 'drop', on: 'PUT' }, "fault.on must be a function, not 'PUT'"],
    ])(
      'an impossible fault is refused, whether listed, planned or chosen by a function: %s',
      async (_, fault, text) => {
        expect(() => faulty(fault as SimpleFault)).toThrow(text);
        expect(() => faulty().plan(fault as SimpleFault)).toThrow(text);
        const chosen = faultingFetch({ fetch: echo, faults: () => (fault ?? { type: fault }) as Fault });
        const error = await failureOf(chosen(URL_7));
        expect(isDataError(error) && error.code).toBe('definition');
      },
    );

    test('unknown and wrong options are refused', () => {
      expect(() => faultingFetch({ fault: ['drop'] } as never)).toThrow(
        "'fault' is not an option of faultingFetch: did you mean 'faults'?",
      );
      expect(() => faultingFetch({ faults: 'drop' } as never)).toThrow('faults must be a list or a function');
      expect(
        faultingFetch({ fetch: undefined, faults: [{ type: 'drop', times: Number.POSITIVE_INFINITY }] } as never)
          .unused,
      ).toHaveLength(1);
    });

    test('waitFor() resolves for every caller with a past or future request', async () => {
      const fetch = faulty();
      const waiting = [fetch.waitFor(2), fetch.waitFor(2)];
      await fetch('http://h/1');
      await fetch('http://h/2');
      expect((await Promise.all(waiting)).map((each) => each.url)).toEqual(['http://h/2', 'http://h/2']);
      expect((await fetch.waitFor(1)).url).toBe('http://h/1');
    });
  });
});

describe('a proxy over a faulting fetch and a real server', () => {
  let server: RestServer;

  beforeAll(async () => {
    server = await startRestServer();
    server.always(rowsApi());
  });
  afterAll(() => server.stop());

  class Row extends Model.define({ fields: { id: 'int', name: 'string' }, proxy: { url: '/rows' } }) {}

  function over(
    faults: (FaultRule | SimpleFault)[],
    options: RestProxyConfig = {},
  ): { fetch: FaultingFetch; Row: typeof Row } {
    const fetch = faultingFetch({ faults });
    return { fetch, Row: Row.with({ proxy: { baseUrl: server.url, fetch, ...options } }) };
  }

  async function errorOf(running: Promise<unknown>): Promise<AnyDataError> {
    const error = await failureOf(running);
    if (!isDataError(error)) throw error;
    return error;
  }

  test('leaves a create unconfirmed if its response is lost, though the server has the row', async () => {
    const { Row } = over(['lose']);
    const row = new Row({ name: 'lost' });
    const before = server.requests.length;
    const error = await errorOf(row.save());
    expect(error.code).toBe('network');
    expect((error as NetworkError).unconfirmed).toBe(true);
    expect(row.phantom).toBe(true);
    expect(server.requests.slice(before)).toMatchObject([{ method: 'POST', body: { name: 'lost' } }]);
  });

  test.each([
    ['drop', 'network'],
    ['truncate', 'network'],
    ['malformed', 'read'],
    [{ type: 'truncate', silent: true }, 'read'],
    [{ type: 'status', status: 503 }, 'http'],
    [{ type: 'status', status: 401 }, 'auth'],
  ] as const)('%j: rejects a read with the code %s, and the next one succeeds', async (fault, code) => {
    const { Row, fetch } = over(['pass', fault]);
    const row = await new Row({ name: 'Ada' }).save();
    expect((await errorOf(Row.load(row.id))).code).toBe(code);
    expect((await Row.load(row.id)).name).toBe('Ada');
    expect(fetch.unused).toEqual([]);
  });

  test('hang: rejects at the proxy’s timeout', async () => {
    let late: (() => void) | undefined;
    const clock = {
      now: () => 0,
      after: (_ms: number, callback: () => void) => {
        late = callback;
        return () => {};
      },
    };
    const { Row, fetch } = over(['hang'], { clock, timeout: 50 });
    const running = errorOf(Row.load(1));
    await fetch.waitFor(1);
    late?.();
    expect((await running).code).toBe('timeout');
  });

  test('hold: a response after an abort changes nothing', async () => {
    const { Row, fetch } = over(['pass', { type: 'hold', what: 'answer' }]);
    const row = await new Row({ name: 'Ada' }).save();
    row.name = 'Bob';
    const saving = errorOf(row.save());
    const seen = await fetch.waitFor(2);
    row.$.abort();
    expect((await saving).code).toBe('abort');
    seen.release();
    await settled();
    expect([row.dirty, row.name]).toEqual([true, 'Bob']);
  });
});

/** Lets everything happen that needs only turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}
