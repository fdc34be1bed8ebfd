import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  AbortError,
  type Clock,
  DefinitionError,
  HttpError,
  Model,
  NetworkError,
  Operation,
  ReadError,
  RestProxy,
  type RestProxyConfig,
  type ResultSet,
  type RowsListener,
  Store,
  type StreamProgress,
  streaming,
  TimeoutError,
} from 'repose';
import { systemClock } from 'repose/extend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deferred } from '../helpers/rest-server.js';

let server: Server;
let url: string;
let answer: (response: ServerResponse, line: string) => unknown;
let accepted: string | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    accepted = request.headers.accept;
    answer(response, `${request.method} ${request.url}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const proxyOf = (config: RestProxyConfig = {}) =>
  new RestProxy({ url, noCache: false, reader: { stream: true, rootProperty: 'data' }, use: [streaming()], ...config });

/** Reads a list, and collects the calls of `onRows`. */
function read(config: RestProxyConfig = {}, onRows?: RowsListener, signal?: AbortSignal) {
  const calls: { rows: readonly object[]; progress: StreamProgress }[] = [];
  const proxy = proxyOf(config);
  const operation = new Operation({
    action: 'read',
    signal,
    onRows: (rows, progress) => {
      calls.push({ rows, progress });
      return onRows?.(rows, progress);
    },
  });
  const result: Promise<ResultSet> = proxy.read(operation);
  return { calls, proxy, result, rows: () => calls.flatMap((call) => call.rows) };
}

/** Answers with a body in one piece. */
const reply = (text: string, headers: Record<string, string> = {}, status = 200) => {
  answer = (response) => response.writeHead(status, headers).end(text);
};
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, name: `n${from + i}` }));
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a list that is read while it arrives', () => {
  test('passes rows to the listener before the body is complete, with progress', async () => {
    const begun = deferred<void>();
    const head = '{"total":3,"data":[{"id":1},';
    const rest = '{"id":2},{"id":3}],"message":"é"}';
    answer = async (response) => {
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(head + rest)) }).write(head);
      await begun.promise;
      response.end(rest);
    };
    const { calls, result } = read({}, () => begun.resolve());
    expect(await result).toMatchObject({ rows: [], count: 3, total: 3, message: 'é', success: true });
    expect(calls).toEqual([
      { rows: [{ id: 1 }], progress: { bytes: 28, totalBytes: 62, records: 1, total: 3 } },
      { rows: [{ id: 2 }, { id: 3 }], progress: { bytes: 62, totalBytes: 62, records: 3, total: 3 } },
    ]);
  });

  test('passes few rows at first, and many later', async () => {
    reply(JSON.stringify({ data: rowsOf(200_000) }));
    const { calls, result, rows } = read();
    await result;
    expect(rows()).toEqual(rowsOf(200_000));
    expect(calls[0]?.rows.length).toBeLessThan(5_000);
    expect(Math.max(...calls.map((call) => call.rows.length))).toBeGreaterThan(20_000);
    expect(calls.length).toBeLessThan(20);
  });

  test('passes the rows that have arrived when the server pauses', async () => {
    const all = deferred<void>();
    answer = async (response) => {
      response.writeHead(200).write('{"data":[{"id":1},');
      await turn();
      response.write('{"id":2},');
      await all.promise;
      response.end('{"id":3}]}');
    };
    const { result, rows } = read({}, () => {
      if (rows().length === 2) all.resolve();
    });
    await result;
    expect(rows()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('reports no length of a compressed body, and no total in its progress if that follows the rows', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":[{"id":1}],"total":9}'));
    };
    const { calls, result } = read();
    expect((await result).total).toBe(9);
    expect(calls[0]?.progress).toEqual({ bytes: 29, records: 1 });
  });

  test('reads no further until the listener has finished', async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls += 1;
          if (pulls === 4) return controller.close();
          controller.enqueue(new TextEncoder().encode(['[{"id":1},', '{"id":2},', '{"id":3}]'][pulls - 1]));
        },
      },
      { highWaterMark: 0 },
    );
    const done = deferred<void>();
    const called = deferred<void>();
    const { result, rows } = read({ fetch: async () => new Response(body) }, () => {
      called.resolve();
      return done.promise;
    });
    await called.promise;
    for (let i = 0; i < 10; i++) await turn();
    expect([pulls, rows().length]).toEqual([1, 1]);
    done.resolve();
    await result;
    expect(rows().length).toBe(3);
  });

  test('slows down a server that is faster than the listener', async () => {
    const text = JSON.stringify({ data: rowsOf(1_000_000) });
    let sent = 0;
    answer = async (response) => {
      response.writeHead(200);
      for (let at = 0; at < text.length && !response.destroyed; at += 1 << 16) {
        if (!response.write(text.slice(at, at + (1 << 16)))) await once(response, 'drain').catch(() => {});
        sent = at;
      }
      response.end();
    };
    const called = deferred<void>();
    const done = deferred<void>();
    const { result } = read({}, () => {
      called.resolve();
      return done.promise;
    });
    await called.promise;
    for (let before = -1; before !== sent; ) {
      before = sent;
      for (let i = 0; i < 50; i++) await turn();
    }
    expect(sent).toBeLessThan(text.length / 2);
    done.resolve();
    expect((await result).count).toBe(1_000_000);
  });

  test.each([
    ['the signal', (_proxy: RestProxy, controller: AbortController) => controller.abort()],
    ['proxy.abort()', (proxy: RestProxy) => proxy.abort()],
  ])('is stopped by %s in the middle of its body', async (_, abort) => {
    const closed = deferred<void>();
    answer = (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200).write(`{"data":[${'{"id":1},'.repeat(100)}`);
    };
    const controller = new AbortController();
    const called = deferred<void>();
    const wait = () => {
      called.resolve();
      return new Promise<void>(() => {});
    };
    const { proxy, result, calls } = read({}, wait, controller.signal);
    await called.promise;
    abort(proxy, controller);
    await expect(result).rejects.toThrow(AbortError);
    await closed.promise;
    expect(calls.length).toBe(1);
  });

  test('passes no rows after an abort, and cancels a body whose fetch ignores signals', async () => {
    const cancelled = deferred<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`[${'{"id":1},'.repeat(200_000)}`)),
      cancel: () => cancelled.resolve(),
    });
    const controller = new AbortController();
    const { result, calls } = read(
      { fetch: async () => new Response(body) },
      () => controller.abort(),
      controller.signal,
    );
    await expect(result).rejects.toThrow(AbortError);
    await cancelled.promise;
    expect(calls.length).toBe(1);
  });

  test('has a time limit for each wait, not for the whole', async () => {
    const limits: { end: () => void; stopped: boolean }[] = [];
    const clock: Clock = {
      now: () => 0,
      after: (ms, callback) => {
        if (ms !== 30_000) return systemClock.after(ms, callback);
        const limit = { end: callback, stopped: false };
        limits.push(limit);
        return () => {
          limit.stopped = true;
        };
      },
    };
    const open = () => limits.filter((limit) => !limit.stopped);
    answer = (response) => response.writeHead(200).write('{"data":[{"id":1},');
    const called = deferred<void>();
    const done = deferred<void>();
    const { result, rows } = read({ clock }, () => {
      called.resolve();
      return done.promise;
    });
    await called.promise;
    expect(open()).toEqual([]);
    done.resolve();
    while (open().length === 0) await turn();
    expect(limits.length).toBeGreaterThan(2);
    open()[0]?.end();
    await expect(result).rejects.toThrow(TimeoutError);
    expect(rows()).toEqual([{ id: 1 }]);
  });

  test('rejects with a NetworkError after the rows that arrived if the connection breaks', async () => {
    answer = (response) => {
      response.writeHead(200).write('{"data":[{"id":1},{"id":2},{"id":3', () => response.destroy());
    };
    const { result, rows } = read();
    await expect(result).rejects.toThrow(NetworkError);
    expect(rows()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('rejects with the error of a listener that throws', async () => {
    reply('{"data":[{"id":1}]}');
    const { result } = read({}, () => {
      throw new TypeError('no room');
    });
    const error = await result.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(error).toMatchObject({ message: expect.stringContaining('no room'), cause: expect.any(TypeError) });
  });

  test('reads a row in thousands of chunks in linear time', async () => {
    const chunk = new Uint8Array(200).fill(120);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        at += 1;
        if (at === 1) controller.enqueue(new TextEncoder().encode('[{"id":"'));
        else if (at < 40_000) controller.enqueue(chunk);
        else {
          controller.enqueue(new TextEncoder().encode('"}]'));
          controller.close();
        }
      },
    });
    const { result, rows } = read({ fetch: async () => new Response(body) });
    await result;
    expect((rows()[0] as { id: string }).id).toHaveLength(39_998 * 200);
  });
});

describe('the body of a stream', () => {
  test('is read as a whole if nobody listens', async () => {
    const text = JSON.stringify({ before: [1], data: rowsOf(5), total: 50, message: 'hello' });
    reply(text);
    const whole = await proxyOf({ reader: { rootProperty: 'data' } }).read(new Operation({ action: 'read' }));
    const streamed = await proxyOf().read(new Operation({ action: 'read' }));
    expect(streamed).toEqual(whole);
    expect(streamed.count).toBe(5);
  });

  test('fills a store', async () => {
    reply(JSON.stringify({ data: rowsOf(3), total: 7 }));
    class Row extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
    const store = new Store({ model: Row, pageSize: 3, proxy: proxyOf() });
    await store.load();
    expect(store.getRange().map((row) => row.name)).toEqual(['n0', 'n1', 'n2']);
    expect(store.total).toBe(7);
  });

  test('may be an array, begin with a byte order mark, or have its rows inside items', async () => {
    reply('\uFEFF [{"node":{"id":1}},{"node":{"id":2}}]\r\n');
    const { result, rows } = read({ reader: { stream: true, rootProperty: 'data', record: 'node' } });
    expect(await result).toMatchObject({ count: 2, total: 2 });
    expect(rows()).toEqual([{ id: 1 }, { id: 2 }]);
    const collected = await proxyOf({ reader: { stream: true, record: 'node' } }).read(
      new Operation({ action: 'read' }),
    );
    expect(collected.rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('may have escapes in the names of its path, and rows below items of arrays', async () => {
    reply('{"d\\u0061ta":[{"x":{"data":[]}},{"rows":[{"id":1}]}]}');
    const { result, rows } = read({ reader: { stream: true, rootProperty: 'data[1].rows' } });
    await result;
    expect(rows()).toEqual([{ id: 1 }]);
  });

  test('may be one row instead of a list, which is then in the result', async () => {
    reply('{"data":{"id":1}}');
    const { result, rows } = read();
    expect((await result).rows).toEqual([{ id: 1 }]);
    expect(rows()).toEqual([]);
  });

  test('may be empty', async () => {
    reply('', {}, 204);
    expect(await read().result).toMatchObject({ rows: [], count: 0 });
  });

  test('is passed to transform as a whole', async () => {
    reply('{"d":{"data":[{"id":1}]}}');
    const transform = (body: unknown) => (body as { d: object }).d;
    const { result, rows } = read({ reader: { stream: true, rootProperty: 'data', transform } });
    expect((await result).rows).toEqual([{ id: 1 }]);
    expect(rows()).toEqual([]);
    reply('[{"id":1},{"id":2}]');
    const reverse = (body: unknown) => [...(body as object[])].reverse();
    const reversed = await read({ reader: { stream: true, transform: reverse } }).result;
    expect(reversed.rows).toEqual([{ id: 2 }, { id: 1 }]);
  });

  test('is read as a whole for a failure', async () => {
    reply('{"title":"Too many","data":[{"id":1}]}', {}, 500);
    const { result, rows } = read();
    const error = await result.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 500, problem: { title: 'Too many' } });
    expect(rows()).toEqual([]);
    reply('{"success":false,"message":"No","data":[]}');
    await expect(read().result).rejects.toThrow('No');
  });

  test('is read as a whole for a single record or a write', async () => {
    reply('{"data":{"id":7,"name":"Ada"}}');
    class Row extends Model.define({ fields: { id: 'int', name: 'string' }, proxy: proxyOf() }) {}
    const row = await Row.load(7);
    row.name = 'Bob';
    await row.save();
    expect(row.name).toBe('Ada');
  });
});

describe('a faulty body', () => {
  test.each<[what: string, text: string, rows: number, params: object]>([
    ['a row that is malformed', '{"data":[{"id":1},{"id":2},{"id":},{"id":4}]}', 2, { row: 2, offset: 27 }],
    ['a row that is null', '{"data":[{"id":1},null]}', 1, { row: 1, what: 'null' }],
    ['a row that is an array', '{"data":[{"id":1},[{"id":2}]]}', 1, { row: 1, what: 'an array' }],
    ['two rows without a comma', '{"data":[{"id":1},{"id":2}{"id":3}]}', 1, { row: 1, offset: 18 }],
    ['a comma after the last row', '{"data":[{"id":1},{"id":2},]}', 2, { row: 2, offset: 27 }],
    ['a comma before the first row', '{"data":[,{"id":1}]}', 0, { row: 0, offset: 9 }],
    ['an end within a row', '{"data":[{"id":1},{"id":', 1, { row: 1, offset: 18 }],
    ['an end between rows', '{"data":[{"id":1},', 1, { row: 1, offset: 18 }],
    ['an end after the rows', '{"data":[{"id":1}]', 1, { row: 1 }],
    ['two documents', '[{"id":1}][{"id":2}]', 1, { row: 1, offset: 10 }],
    ['a bracket of the other kind', '{"data":[{"id":1}}}', 1, { row: 1 }],
    ['malformed JSON before the rows', '{"total" 3,"data":[{"id":1}]}', 0, {}],
    ['a body without the root', '{"items":[{"id":1}],"count":1}', 0, { path: 'data', members: 'items, count' }],
    ['the rows twice', '{"data":[{"id":1}],"data":[{"id":2}]}', 1, { path: 'data' }],
    ['HTML', '<!doctype html><p>[{"id":1}]', 0, { what: 'HTML' }],
    ['a character that is neither a row nor white space', '{"data":[\0]}', 0, { row: 0, offset: 9 }],
  ])('with %s rejects after the rows before the fault', async (_, text, count, params) => {
    reply(text);
    const { result, rows } = read();
    const error = await result.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ params });
    expect((error as Error).message).toContain(`GET ${url}`);
    expect((error as Error).message).not.toContain('undefined');
    expect(rows()).toEqual(rowsOf(count, 1).map(({ id }) => ({ id })));
  });
});

describe('lines of JSON', () => {
  const ndjson = { reader: { type: 'ndjson' } } as const;

  test('are requested by the Accept header and passed to the listener', async () => {
    reply('\uFEFF{"id":1}\r\n\n{"id":2}\n{"id":3}', { 'content-type': 'application/x-ndjson' });
    const { result, rows } = read(ndjson);
    expect(await result).toMatchObject({ rows: [], count: 3, total: 3 });
    expect(accepted).toBe('application/x-ndjson, application/jsonl');
    expect(rows()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('are recognised by their content type', async () => {
    reply('{"id":1}\n{"id":2}\n', { 'content-type': 'application/jsonl; charset=utf-8' });
    const { result, rows } = read();
    await result;
    expect(accepted).toBe('application/json');
    expect(rows()).toHaveLength(2);
  });

  test('are collected if nobody listens', async () => {
    reply('{"id":1}\n{"id":2}\n');
    const { rows, total } = await proxyOf(ndjson).read(new Operation({ action: 'read' }));
    expect([rows, total]).toEqual([[{ id: 1 }, { id: 2 }], 2]);
  });

  test('are not requested for one record, nor for other calls', async () => {
    reply('{"id":1}');
    const proxy = proxyOf(ndjson);
    expect((await proxy.read(new Operation({ action: 'read', id: 1 }))).rows).toEqual([{ id: 1 }]);
    expect((await proxy.send({ path: 'count' })).body).toEqual({ id: 1 });
    expect(accepted).toBe('application/json');
  });

  test.each<[what: string, text: string, rows: number, params: object]>([
    ['a line that is malformed', '{"id":1}\n{"id":2\n{"id":3}\n', 1, { row: 1, offset: 9 }],
    ['two rows in a line', '{"id":1}\n{"id":2},{"id":3}\n', 1, { row: 1, offset: 9 }],
    ['a row over two lines', '{"id":1}\n{"id":2,\n"name":"x"}\n', 1, { row: 1, offset: 9 }],
    ['a line that is no object', '{"id":1}\n7\n', 1, { row: 1, what: '7' }],
    ['a line that is cut short', '{"id":1}\n{"id":2}\n{"id"', 2, { row: 2, offset: 18 }],
    ['zeros at the end, as after a crash', '{"id":1}\n\0\0\0', 1, { row: 1, offset: 9 }],
  ])('with %s reject after the rows before the fault', async (_, text, count, params) => {
    reply(text);
    const { result, rows } = read(ndjson);
    const error = await result.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ params });
    expect(rows()).toEqual(rowsOf(count, 1).map(({ id }) => ({ id })));
  });
});
