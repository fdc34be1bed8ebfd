import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { auth, bigint, DefinitionError, MemoryProxy, Model, plain, retry, Store } from 'repose';
import { feed, serverSentEvents } from 'repose/live';
import { type RestServer, restServer } from 'repose/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { settled } from './support.js';

let server: RestServer;
const closers: (() => void)[] = [];
beforeEach(() => {
  server = restServer({
    eventLog: 3,
    collections: {
      '/tasks': [
        { id: 1, title: 'a', userId: 7 },
        { id: 2, title: 'b', userId: 8 },
      ],
    },
  });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const fetch: typeof globalThis.fetch = (...call) => server.fetch(...call);
const proxy = { type: 'rest', url: '/tasks', baseUrl: 'http://test.local', dialect: plain(), fetch } as const;
class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string', userId: 'int' }, proxy }) {}

async function start(model: typeof Task = Task, config: Parameters<typeof serverSentEvents>[1] = {}) {
  const clock = manualClock();
  const store = new Store({ model, pageSize: 0 });
  const live = feed(store, { clock, random: () => 1, open: serverSentEvents(model, { clock, ...config }) });
  closers.push(() => live.close());
  await settled();
  await store.load();
  const turn = async (ms = 50) => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { clock, store, live, turn, titles: () => [...store].map(({ title }) => title) };
}

/** The requests for events. */
const streams = () => server.requests.filter(({ headers }) => headers.get('accept') === 'text/event-stream');
const write = (path: string, method: string, body?: object) =>
  fetch(`http://test.local${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('with the test server', () => {
  test('creates, updates and removals of other clients arrive, one request for all', async () => {
    const { turn, titles, live } = await start();
    await write('/tasks', 'POST', { title: 'c' });
    await write('/tasks/1', 'PATCH', { title: 'z' });
    await write('/tasks/2', 'DELETE');
    await turn();
    expect([titles(), live.state.get().status, streams().length]).toEqual([['z', 'c'], 'live', 1]);
  });

  test('after a lost connection it goes on where it was, and reads nothing again', async () => {
    const { turn, titles, live } = await start();
    await write('/tasks/1', 'PATCH', { title: 'x' });
    await turn();
    server.endEvents();
    await turn(0);
    expect(live.state.get()).toMatchObject({ status: 'waiting', error: { name: 'NetworkError' } });
    await write('/tasks/1', 'PATCH', { title: 'y' });
    await write('/tasks/2', 'DELETE');
    await turn(1000);
    await turn();
    expect([titles(), streams().map(({ headers }) => headers.get('last-event-id'))]).toEqual([['y'], [null, '1']]);
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  test('what the server does not keep any more is a gap, and is read', async () => {
    const { turn, titles } = await start();
    await write('/tasks/1', 'PATCH', { title: 'x' });
    await turn();
    server.endEvents();
    await turn(0);
    for (const title of ['c', 'd', 'e', 'f', 'g']) await write('/tasks', 'POST', { title });
    await turn(1000);
    await turn();
    expect(titles()).toEqual(['x', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  test('a nested collection tells its own rows, and of those that leave it', async () => {
    server = restServer({ collections: { '/users/{userId}/tasks': [{ id: 1, title: 'a', userId: 7 }] } });
    const { turn, titles } = await start(Task.with({ proxy: { url: '/users/7/tasks' } }) as typeof Task);
    server.setRows('/users/{userId}/tasks', [
      { id: 1, title: 'a', userId: 8 },
      { id: 2, title: 'other', userId: 8 },
      { id: 3, title: 'own', userId: 7 },
    ]);
    await turn();
    expect(titles()).toEqual(['own']);
  });
});

describe('like any request', () => {
  const real = useRestServer();

  test('it carries headers and sign-in, and signs in again after 401', async () => {
    let token = 'old';
    class Signed extends Task.with({
      proxy: {
        ...real.proxy('/tasks'),
        headers: () => ({ 'X-Tenant': 't1', Authorization: `Bearer ${token}` }),
        use: [auth({ renew: async () => void (token = 'new') })],
      },
    }) {}
    real.reply({ status: 401 });
    real.reply({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      text: 'id: 5\ndata: {"removed":1}\n\n',
    });
    const clock = manualClock();
    const store = new Store({ model: Signed, pageSize: 0 });
    store.setRecords([{ id: 1 }, { id: 2 }]);
    const live = feed(store, { clock, open: serverSentEvents(Signed, { url: '/events' }) });
    closers.push(() => live.close());
    await expect.poll(() => live.state.get().status).toBe('waiting');
    expect(
      real.requests.slice(0, 2).map(({ headers }) => [headers.authorization, headers['x-tenant'], headers.accept]),
    ).toEqual([
      ['Bearer old', 't1', 'text/event-stream'],
      ['Bearer new', 't1', 'text/event-stream'],
    ]);
    expect(store.count).toBe(1);
  });

  /** A store and a feed whose server knows the token 'new'. */
  function signedFeed(renew: () => Promise<void>, tokenOf: () => string) {
    const clock = manualClock();
    class Signed extends Task.with({
      proxy: {
        ...{ clock, timeout: 5000 },
        fetch: async (_: unknown, { headers }: RequestInit = {}) =>
          new Headers(headers).get('Authorization') === 'new'
            ? new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
            : new Response(null, { status: 401 }),
        headers: () => ({ Authorization: tokenOf() }),
        use: [auth({ renew })],
      },
    }) {}
    const live = feed(new Store({ model: Signed, pageSize: 0 }), { clock, open: serverSentEvents(Signed) });
    closers.push(() => live.close());
    return { Signed, clock, live, status: () => live.state.get().status };
  }

  test('it goes on by itself after a renewal that got no response', async () => {
    let [token, isOnline] = ['old', false];
    const { clock, status } = signedFeed(
      async () => {
        if (!isOnline) throw new TypeError('fetch failed');
        token = 'new';
      },
      () => token,
    );
    await expect.poll(status).toBe('waiting');
    isOnline = true;
    clock.advance(30_000);
    await expect.poll(status).toBe('live');
  });

  test('it goes on by itself after a sign-in that took longer than a request may wait for it', async () => {
    let token = 'old';
    let signIn = () => undefined as void;
    const { clock, status, Signed } = signedFeed(
      () =>
        new Promise((resolve) => {
          signIn = () => {
            token = 'new';
            resolve();
          };
        }),
      () => token,
    );
    await settled();
    // The feed waits for the dialog of its own 401; another feed of the model connects meanwhile.
    const other = feed(new Store({ model: Signed, pageSize: 0 }), { clock, open: serverSentEvents(Signed) });
    closers.push(() => other.close());
    await settled();
    clock.advance(5000);
    await expect.poll(() => other.state.get()).toMatchObject({ status: 'waiting', error: { reason: 'refresh-slow' } });
    signIn();
    await expect.poll(status).toBe('live');
    clock.advance(30_000);
    await expect.poll(() => other.state.get().status).toBe('live');
  });

  test('a refused renewal ends it until `reconnect()`', async () => {
    let token = 'old';
    const { live, status, clock } = signedFeed(
      () => Promise.reject(new Error('the password is needed')),
      () => token,
    );
    await expect.poll(status).toBe('failed');
    clock.advance(3_600_000);
    await settled();
    expect(status()).toBe('failed');
    // A second refusal does not end it for good either.
    live.reconnect();
    await expect.poll(status).toBe('connecting');
    await expect.poll(status).toBe('failed');
    token = 'new';
    live.reconnect();
    await expect.poll(status).toBe('live');
  });
});

describe('a connection that breaks', () => {
  test('is opened again by the feed, not by `retry()`, which knows the first cursor only', async () => {
    class Repeated extends Task.with({ proxy: { use: [retry({ backoff: { base: 0 } })] } }) {}
    const { turn, titles } = await start(Repeated as typeof Task);
    await write('/tasks/1', 'PATCH', { title: 'x' });
    await turn();
    server.endEvents();
    await turn(0);
    expect(streams()).toHaveLength(1);
    await write('/tasks/1', 'PATCH', { title: 'y' });
    await turn(1000);
    await turn();
    expect([titles()[0], streams().map(({ headers }) => headers.get('last-event-id'))]).toEqual(['y', [null, '1']]);
  });

  test('goes on from a cursor of any characters', async () => {
    const cursors: (string | null)[] = [];
    class Cursors extends Task.with({
      proxy: {
        fetch: async (_, init) => {
          cursors.push(new Headers(init?.headers).get('last-event-id'));
          return new Response('id: ä→7\ndata: []\n\n', { headers: { 'content-type': 'text/event-stream' } });
        },
      },
    }) {}
    const clock = manualClock();
    const live = feed(new Store({ model: Cursors, pageSize: 0 }), { clock, open: serverSentEvents(Cursors) });
    closers.push(() => live.close());
    await settled();
    clock.advance(1000);
    await settled();
    const text = new TextDecoder().decode(Uint8Array.from([...(cursors[1] as string)], (each) => each.charCodeAt(0)));
    expect([cursors[0], text]).toEqual([null, 'ä→7']);
  });
});

test('keeps every digit of the numbers in events', async () => {
  const event = 'data: {"row":{"id":1,"total":12345678901234567890}}\n\n';
  class Long extends Model.define({
    name: 'long',
    fields: { id: 'int', total: bigint() },
    proxy: {
      ...proxy,
      fetch: async (_, init) =>
        new Headers(init?.headers).get('accept') === 'text/event-stream'
          ? new Response(event, { headers: { 'content-type': 'text/event-stream' } })
          : new Response('[{"id":1,"total":1}]', { headers: { 'content-type': 'application/json' } }),
    },
  }) {}
  const clock = manualClock();
  const store = new Store({ model: Long, pageSize: 0 });
  await store.load();
  const live = feed(store, { clock, open: serverSentEvents(Long) });
  closers.push(() => live.close());
  await settled();
  clock.advance(50);
  await settled();
  expect(store.getAt(0)?.total).toBe(12345678901234567890n);
});

describe('numbers without holes', () => {
  const gaps = async (ids: readonly string[], consecutive: boolean) => {
    const text = ids.map((id) => `${id === '' ? '' : `id: ${id}\n`}data: []\n\n`).join('');
    class Numbered extends Task.with({
      proxy: { fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }) },
    }) {}
    let found = 0;
    const { signal } = new AbortController();
    const sink = {
      changes: () => undefined,
      live: () => undefined,
      retryAfter: () => undefined,
      reset: () => (found += 1),
    };
    const listen = serverSentEvents(Numbered, { consecutive });
    await listen({ cursor: '7', query: undefined, signal, sink } as never).catch((error: Error) => {
      if (!(error instanceof DefinitionError)) return;
      found = Number.NaN;
    });
    return found;
  };

  test.each<[ids: readonly string[], found: number]>([
    [['8', '9', '9', '10'], 0],
    [['9'], 1],
    [['8', '10', '11'], 1],
    [['8', '', '9'], 0],
    // The server counts anew.
    [['8', '1', '2'], 1],
    [['8', '9007199254740993', '9007199254740994'], 1],
    [['8', 'nine'], Number.NaN],
  ])('in %j are %d gaps', async (ids, found) => {
    expect([await gaps(ids, true), await gaps(ids, false)]).toEqual([found, 0]);
  });
});

describe('answers that are no events', () => {
  const answered = async (response: () => Response, config = {}) => {
    class Answered extends Task.with({ proxy: { fetch: async () => response() } }) {}
    const clock = manualClock();
    const store = new Store({ model: Answered, pageSize: 0 });
    const live = feed(store, { clock, open: serverSentEvents(Answered, { clock, ...config }) });
    closers.push(() => live.close());
    await settled();
    return { live, clock };
  };

  test.each<[string, () => Response, object]>([
    [
      'HTML',
      () => new Response('<p>hello', { headers: { 'content-type': 'text/html' } }),
      { status: 'waiting', error: { reason: 'feed-no-events' } },
    ],
    ['a status that may pass', () => new Response('', { status: 503 }), { status: 'waiting', error: { status: 503 } }],
    ['a refusal', () => new Response('', { status: 403 }), { status: 'failed', error: { status: 403 } }],
    [
      'the end of the feed',
      () => new Response(null, { status: 204 }),
      { status: 'failed', error: { reason: 'feed-ended' } },
    ],
    ['an empty response', () => new Response(null), { status: 'waiting', error: { reason: 'feed-no-events' } }],
  ])('%s', async (_, response, state) => {
    expect((await answered(response)).live.state.get()).toMatchObject(state);
  });

  test('a connection that stays silent is lost', async () => {
    const silent = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }), {
        headers: { 'content-type': 'text/event-stream' },
      });
    const { live, clock } = await answered(silent, { silence: 30_000 });
    expect(live.state.get().status).toBe('live');
    clock.advance(30_000);
    await settled();
    expect(live.state.get()).toMatchObject({ status: 'waiting', error: { name: 'TimeoutError' } });
  });
});

describe('a server that says when to connect', () => {
  /** A feed whose connections are answered in turn, and how many were opened. */
  async function connect(...responses: (() => Response)[]) {
    let opened = 0;
    class Told extends Task.with({
      proxy: { fetch: async () => (responses[opened++] ?? (responses.at(-1) as () => Response))() },
    }) {}
    const clock = manualClock();
    const open = serverSentEvents(Told, { clock });
    const live = feed(new Store({ model: Told, pageSize: 0 }), { clock, random: () => 1, open });
    closers.push(() => live.close());
    const pass = async (ms: number) => {
      clock.advance(ms);
      await settled();
      return opened;
    };
    await settled();
    return { live, pass, opened: () => opened };
  }
  const events = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  const end = () => new Response(null, { status: 204 });

  test('ends the feed by 204, also between connections, until `reconnect()`', async () => {
    const { live, pass } = await connect(events('id: 1\ndata: []\n\n'), end);
    expect([await pass(1000), live.state.get().status]).toEqual([2, 'failed']);
    expect(await pass(100_000)).toBe(2);
    live.reconnect();
    expect(await pass(0)).toBe(3);
  });

  test('sets the wait by `retry:`, longer than `backoff.max` or shorter than `backoff.base`', async () => {
    const { pass } = await connect(events('retry: 90000\n\n'), events(''), events('retry: 10\n\n'));
    expect([await pass(89_999), await pass(1), await pass(89_999), await pass(1)]).toEqual([1, 2, 2, 3]);
    expect([await pass(9), await pass(1)]).toEqual([3, 4]);
  });

  test('keeps to `retry:` after connections that fail, with doubled waits', async () => {
    const { pass } = await connect(events('retry: 4000\n\n'), () => new Response('', { status: 500 }));
    expect([await pass(3999), await pass(1)]).toEqual([1, 2]);
    expect([await pass(7999), await pass(1)]).toEqual([2, 3]);
  });

  test('is not asked at once where `retry:` is longer than a timer can wait, and not heard where it is no number', async () => {
    const { pass } = await connect(events('retry: 99999999999\n\n'));
    expect(await pass(2_000_000_000)).toBe(1);
    const wrong = await connect(events('retry: soon\n\nretry: -1\n\n'));
    expect([await wrong.pass(999), await wrong.pass(1)]).toEqual([1, 2]);
    const zero = await connect(events('retry: 0\n\n'));
    expect([await zero.pass(999), await zero.pass(1)]).toEqual([1, 2]);
  });

  test('sets the wait by `Retry-After` of a refusal', async () => {
    const { pass } = await connect(() => new Response('', { status: 503, headers: { 'Retry-After': '60' } }));
    expect([await pass(59_999), await pass(1)]).toEqual([1, 2]);
  });
});

test('an application without `eventsource-parser` can use feeds of its own, and is told what `serverSentEvents` needs', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { Model, Store } from './src/index.ts';
        import { feed, serverSentEvents } from './src/live.ts';
        class Task extends Model.define({ name: 'task', fields: { id: 'int' }, proxy: { type: 'rest', url: '/tasks', baseUrl: 'http://a.test' } }) {}
        const own = feed(new Store({ model: Task, data: [] }), { open: async ({ sink }) => sink.changes([{ row: { id: 1 } }]) });
        await new Promise((resolve) => setTimeout(resolve));
        own.close();
        const live = feed(new Store({ model: Task, pageSize: 0 }), { open: serverSentEvents(Task) });
        await new Promise((resolve) => live.state.subscribe(() => live.state.get().status === 'failed' && resolve()));
        console.log(own.state.get().status, live.state.get().error.reason);`,
      resolveDir: path.join(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    ...{ bundle: true, write: false, format: 'esm', logLevel: 'silent', external: ['eventsource-parser'] },
  });
  // Node finds no packages from here.
  const folder = await mkdtemp(path.join(tmpdir(), 'repose-live-'));
  const file = path.join(folder, 'app.mjs');
  await writeFile(file, outputFiles[0]?.contents as Uint8Array);
  const { stdout } = await promisify(execFile)(process.execPath, [file]).finally(() => rm(folder, { recursive: true }));
  expect(stdout).toBe('closed feed-package\n');
});

test('`read` takes events of any form, and `params` say what is wanted', async () => {
  const { turn, titles } = await start(Task, {
    params: ({ query, cursor }) => ({ only: query?.filters.length, since: cursor }),
    read: ({ data }) => [{ row: { id: 1, title: data.length > 0 ? 'read' : '' } }],
  });
  await write('/tasks', 'POST', { title: 'c' });
  await turn();
  expect([titles()[0], new URL(streams()[0]?.url as string).search]).toEqual(['read', '?only=0']);
});

test.each<[string, () => unknown, string]>([
  ['no model', () => serverSentEvents({} as never), 'feed-model'],
  [
    'a proxy without requests',
    () => serverSentEvents(Task.with({ proxy: { type: MemoryProxy, data: [] } } as never) as typeof Task),
    'feed-proxy',
  ],
])('%s is refused', (_, act, reason) => {
  expect(act).toThrow(expect.objectContaining({ reason, constructor: DefinitionError }) as never);
});
