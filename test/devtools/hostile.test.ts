import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { etags, formBodies, idempotency, Model, RestProxy, retry, Session, Store } from 'repose';
import { mountInspector, record, tanstackDevtoolsPlugin } from 'repose/devtools';
import { memoryStorage, Outbox } from 'repose/outbox';
import { afterEach, describe, expect, test } from 'vitest';
import { plainOf } from '../../src/devtools/plain-values.js';
import { settled, shop, shopServer } from './support.js';

const disposals: (() => void)[] = [];
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);
process.on('unhandledRejection', onRejection);
afterEach(async () => {
  for (const dispose of disposals.splice(0)) dispose();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(rejections.splice(0)).toEqual([]);
});

function recorded(...given: Parameters<typeof record>) {
  const recorder = record(...given);
  disposals.push(() => recorder.dispose());
  return recorder;
}

describe('an application that fails while it is recorded', () => {
  test('is recorded all the same: getters, toJSON and values of fields that throw', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    class Odd extends Order {
      override toJSON(): never {
        throw new Error('of toJSON');
      }
      get isErased(): never {
        throw new Error('of a getter');
      }
      override get dirty(): never {
        throw new Error('of dirty');
      }
    }
    const recorder = recorded(Odd as never);
    const order = await Odd.load(1);
    order.set({ note: 'changed' });
    await order.save();
    await settled();
    expect(recorder.operations.map(({ kind, state }) => `${kind} ${state}`)).toEqual(['read done', 'update done']);
    expect(server.rows('/orders')[0]).toMatchObject({ note: 'changed' });
    expect(recorder.recording().operations).toHaveLength(2);
  });

  test('has its errors recorded, also those that cannot be read', async () => {
    class HostileError extends Error {
      override get message(): never {
        throw new Error('of message');
      }
    }
    for (const error of [new HostileError(), Object.create(null), { toJSON: () => ({ a: 1n }) }, 'text', undefined]) {
      const { Order } = shop(shopServer());
      const Failing = Order.with({ proxy: { fetch: () => Promise.reject(error) } });
      const recorder = recorded(Failing);
      await Failing.load(1).catch(() => undefined);
      expect(recorder.operations[0]).toMatchObject({
        state: 'failed',
        attempts: [{ error: { name: expect.any(String) } }],
      });
    }
  });

  test('keeps its own errors: a clock that tells nonsense ends no load', async () => {
    for (const now of [() => Number.NaN, () => Number.POSITIVE_INFINITY]) {
      const { Order } = shop(shopServer());
      const after = (ms: number, callback: () => void) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      };
      const clock = { now, after };
      const Odd = Order.with({ proxy: { clock } });
      const recorder = recorded(Odd);
      expect((await Odd.load(1)).note).toBe('tea');
      expect(recorder.operations[0]?.duration).toBe(0);
    }
  });

  test('has no negative times when its clock is set back', async () => {
    let time = 5_000_000;
    const clock = { now: () => (time -= 1000), after: () => () => undefined };
    const { Order } = shop(shopServer());
    const Odd = Order.with({ proxy: { clock } });
    const recorder = recorded(Odd);
    await Odd.load(1);
    const [operation] = recorder.operations;
    expect(operation?.duration).toBeGreaterThanOrEqual(0);
    for (const { at, waited, duration } of operation?.attempts ?? [])
      expect(Math.min(at, waited, duration ?? 0)).toBeGreaterThanOrEqual(0);
  });
});

describe('bodies', () => {
  class Upload extends Model.define({
    name: 'upload',
    fields: { id: 'int', name: 'string', file: 'auto' },
    proxy: { type: RestProxy, url: 'https://files.test/uploads' },
  }) {}

  test('with files arrive as they would without a recorder', async () => {
    const sent: FormData[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(init?.body as FormData);
      return Response.json({ id: 1, name: 'a' }, { status: 201 });
    };
    const Sent = Upload.with({ proxy: { fetch, use: [formBodies()], writer: { type: 'multipart' } } });
    const recorder = recorded(Sent);
    const file = new File(['content'], 'a.txt');
    await new Sent({ name: 'a', file }).save();
    await settled();
    const received = [...(sent[0] ?? new FormData()).values()].find((value) => value instanceof File);
    expect(received).toBeInstanceOf(File);
    expect(await (received as File).text()).toBe('content');
    expect(recorder.operations[0]?.attempts[0]?.body).toMatchObject({ only: 'form' });
    expect(recorder.operations[0]?.records[0]?.sent).toMatchObject({ file: '(a.txt, 7 bytes)' });
  });

  test('that stream or are files can still be read by the application', async () => {
    const Blobs = Upload.with({ proxy: { fetch: async () => new Response('content') } });
    const recorder = recorded(Blobs);
    const { body } = await (Blobs.proxy as RestProxy).send({ path: 'file', blob: true });
    expect(await (body as Blob).text()).toBe('content');
    expect(recorder.operations[0]?.attempts[0]?.responseBody).toMatchObject({ only: 'blob', length: 7 });
  });

  test('of any size are copied within limits, and nothing in them is consumed or called twice', () => {
    let reads = 0;
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, at]));
    const wide = Array.from({ length: 150 }, () =>
      Array.from({ length: 150 }, () => Array.from({ length: 150 }, () => 1)),
    );
    const stream = new ReadableStream();
    const generator = (function* () {
      yield 1;
    })();
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const copied = plainOf({
      get counted() {
        reads += 1;
        return reads;
      },
      ...{ stream, generator, cyclic, many, bytes: new Uint8Array(50_000_000), form: new FormData() },
      ...{ map: new Map(Object.entries(many)), wide },
    });
    expect(reads).toBe(1);
    expect(copied).toMatchObject({
      counted: 1,
      stream: '(stream)',
      cyclic: { self: '(cycle)' },
      bytes: '(50000000 bytes)',
      form: '(form)',
    });
    expect(JSON.stringify(copied).length).toBeLessThan(200_000);
    expect(stream.locked).toBe(false);
    expect(generator.next().value).toBe(1);
  });

  test('of which only the beginning is kept are not kept as a whole', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const { Order } = shop(shopServer());
    const Long = Order.with({
      proxy: { fetch: async () => new Response(`{"data":{"id":1,"note":"${String(Math.random()).repeat(400_000)}"}}`) },
    });
    const recorder = recorded(Long, { bodyLimit: 1000 });
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < 8; at += 1) await Long.load(1);
    await settled();
    await settled();
    gc();
    expect(recorder.operations).toHaveLength(8);
    // Each of the eight bodies has more than 7 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });
});

describe('a recorder that is disposed of', () => {
  test('while requests run leaves nothing behind, and the requests end as they would', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    const session = new Session();
    const orders = new Store({ model: Order, session });
    const observers = () => orders['recordSet'].observers.all.length;
    const before = observers();
    server.fetch.plan('hold');
    const recorder = record(session);
    let calls = 0;
    recorder.subscribe(() => {
      calls += 1;
    });
    const loading = orders.load();
    await server.fetch.waitFor(1);
    recorder.dispose();
    const heard = calls;
    expect(Order.proxy['watch'].by).toBeUndefined();
    expect(observers()).toBe(before);
    server.fetch.release();
    expect(await loading).toHaveLength(3);
    await settled();
    expect(recorder.operations).toEqual([]);
    expect(calls).toBeLessThanOrEqual(heard);
    recorder.dispose();
    recorder.add(session);
    await Order.load(1);
    expect(Order.proxy['watch'].by).toBeUndefined();
    expect(recorder.operations).toEqual([]);
  });

  test('does not disturb a second one of the same session', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    const session = new Session();
    const one = record(session);
    const other = recorded(session);
    server.fetch.plan('hold');
    const loading = session.load(Order, 1);
    await server.fetch.waitFor(1);
    one.dispose();
    server.fetch.release();
    await loading;
    await settled();
    expect(other.operations).toMatchObject([{ state: 'done', attempts: [{ status: 200 }] }]);
  });

  test('by its plugin of TanStack Devtools ends for good', async () => {
    const { Order } = shop(shopServer());
    const { recorder } = tanstackDevtoolsPlugin(Order);
    recorder.dispose();
    expect(Order.proxy['watch'].by).toBeUndefined();
  });

  test('when its panel cannot be shown leaves nothing behind', () => {
    const { Order } = shop(shopServer());
    const page = { documentElement: null, body: null };
    Object.assign(globalThis, { document: page });
    try {
      expect(() => mountInspector(Order)).toThrow();
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
    expect(Order.proxy['watch'].by).toBeUndefined();
  });
});

describe('a recorder that runs for long', () => {
  test('keeps the last hundred attempts of an operation, and the first 200 writes of an outbox', async () => {
    const { Order } = shop(shopServer());
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return asked <= 120 ? new Response('', { status: 503 }) : Response.json({ data: { id: 1 } });
    };
    const clock = {
      now: () => Date.now(),
      after(ms: number, callback: () => void) {
        if (ms < 30_000) queueMicrotask(callback);
        return () => undefined;
      },
    };
    const Patient = Order.with({ proxy: { fetch, clock, use: [retry({ limit: 200 })] } });
    const recorder = recorded(Patient);
    await Patient.load(1);
    expect(asked).toBe(121);
    expect(recorder.operations[0]?.attempts).toHaveLength(100);
    expect(recorder.operations[0]?.attempts.at(-1)?.status).toBe(200);

    const connection = { online: false, onOnline: () => () => undefined };
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage(), connection: connection as never });
    await outbox.ready;
    const Kept = Order.with({ proxy: { use: [outbox] } });
    recorder.add(outbox);
    for (let at = 0; at < 230; at += 1) new Kept({ note: 'jam' }).save().catch(() => undefined);
    await expect.poll(() => outbox.entries.length).toBe(230);
    expect(recorder.outboxes[0]).toMatchObject({ moreEntries: 30 });
    expect(recorder.outboxes[0]?.entries).toHaveLength(200);
    await outbox.close();
  });

  test('lets stores go that the application has let go of', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const { Order } = shop(shopServer());
    const recorder = recorded(Order);
    const gone: WeakRef<object>[] = [];
    const make = async () => {
      const store = new Store({ model: Order });
      recorder.add(store);
      await store.load();
      gone.push(new WeakRef(store));
    };
    for (let at = 0; at < 20; at += 1) await make();
    for (let at = 0; at < 10 && gone.some((ref) => ref.deref()); at += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    expect(gone.filter((ref) => ref.deref()).length).toBeLessThan(3);
    expect(recorder.stores.length).toBeLessThan(3);
  });
});

describe('an application with a recorder', () => {
  /** Reads, changes, adds, removes, calls and aborts. Returns all that is sent and received, and how often functions of the application run. */
  async function run(isRecorded: boolean): Promise<readonly unknown[]> {
    const log: unknown[] = [];
    let uuids = 0;
    let sent = 0;
    const fetch = async (url: unknown, init: RequestInit = {}) => {
      sent += 1;
      const { method = 'GET', body } = init;
      const headers = Object.fromEntries(new Headers(init.headers));
      log.push([method, String(url), headers, body instanceof FormData ? [...body.keys()] : body]);
      if (sent % 4 === 0) throw new TypeError('fetch failed');
      if (sent % 7 === 0) return Response.json({ message: 'no', errors: { note: ['wrong'] } }, { status: 422 });
      const row = { id: 7, note: `note ${sent}`, big: 1, extra: { deep: [1] } };
      const text = JSON.stringify(String(url).includes('/7') || method !== 'GET' ? row : [row, { ...row, id: 8 }]);
      return new Response(text.replace('"big":1', '"big":9007199254740993'), {
        headers: { ETag: `"${sent}"`, 'X-Total-Count': '2' },
      });
    };
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', note: 'string', big: 'int' },
      proxy: {
        ...{ type: RestProxy, url: 'https://notes.test/notes', noCache: false, fetch },
        headers: async () => ({ Authorization: `Bearer ${log.length}` }),
        use: [retry({ backoff: { base: 1, max: 1 } }), etags(), idempotency()],
      },
    }) {}
    const randomUUID = crypto.randomUUID.bind(crypto);
    crypto.randomUUID = () => `00000000-0000-4000-8000-${String((uuids += 1)).padStart(12, '0')}`;
    const session = new Session();
    const recorder = isRecorded ? record(session) : undefined;
    const told = (promise: Promise<unknown>) =>
      promise.then(
        (value) => log.push(['done', JSON.stringify(value)]),
        (error: Error) => log.push(['failed', error.name, error.message]),
      );
    try {
      const notes = new Store({ model: Note, session, sorters: ['note'], remoteSort: true, pageSize: 2 });
      await told(notes.load());
      const [first] = notes;
      first?.set({ note: 'changed' });
      const saving = told(first?.save() ?? Promise.resolve());
      first?.set({ note: 'changed again' });
      await saving;
      await told(first?.save() ?? Promise.resolve());
      const added = session.create(Note, { note: 'new' });
      await told(added.save());
      await told(notes.sync());
      await told(session.load(Note, 7));
      await told((Note.proxy as RestProxy).send({ path: 'count', method: 'POST', body: { a: [1] } }));
      const controller = new AbortController();
      const loading = told(notes.load({ signal: controller.signal } as never));
      controller.abort();
      await loading;
      await told(notes.getAt(0)?.erase() ?? Promise.resolve());
      log.push(['records', notes.count, session.status.get().pending, uuids]);
    } finally {
      crypto.randomUUID = randomUUID;
      recorder?.dispose();
    }
    if (recorder) expect(sent).toBeGreaterThan(8);
    return log;
  }

  test('sends and gets the same as without it', async () => {
    const plain = await run(false);
    expect(await run(true)).toEqual(plain);
    expect(plain.length).toBeGreaterThan(20);
  });
});
