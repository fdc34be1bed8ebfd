import {
  DefinitionError,
  type Extension,
  explain,
  Model,
  Operation,
  off,
  RestProxy,
  type RestProxyConfig,
  Store,
  streaming,
  TimeoutError,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const proxyOf = (config: RestProxyConfig) => new RestProxy(server.proxy('/rows', config));
const list = (more: object = {}) => new Operation({ action: 'read', ...more });
const ACCEPT = 'application/x-ndjson, application/jsonl';

describe('a proxy whose reader streams, without streaming()', () => {
  test.each([
    ['`reader: { stream: true }`', { reader: { stream: true } }],
    ["`reader: { type: 'ndjson' }`", { reader: { type: 'ndjson' } }],
    ['`reader: { stream: true }`', { reader: { stream: true }, use: [streaming(), off('streaming')] }],
  ] as const)('refuses every call and names the remedy: %s', async (what, config) => {
    const proxy = proxyOf(config);
    const Row = Model.define({ fields: { id: 'int' }, proxy });
    for (const call of [
      () => proxy.read(list()),
      () => new Store({ model: Row }).load(),
      () => Row.load(1),
      () => new Row().save(),
      () => proxy.send({ path: 'count' }),
    ]) {
      const error = await call().then(
        () => expect.unreachable('it was not refused'),
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(DefinitionError);
      expect((error as DefinitionError).message).toContain(`${what} needs the extension \`streaming()\``);
      expect((error as DefinitionError).message).toContain('`use: [streaming()]`');
    }
    expect(server.lines).toEqual([]);
  });

  test('explains the refusal', async () => {
    const { refused } = await explain(proxyOf({ reader: { stream: true } }), { action: 'read' });
    expect(refused).toBeInstanceOf(DefinitionError);
  });
});

describe('streaming()', () => {
  test('streams the lists of models that inherit it, if their reader streams', async () => {
    class Base extends Model.with({ proxy: { ...server.proxy('/rows'), use: [streaming()] } }) {}
    const fields = { id: 'int' } as const;
    const Streamed = Base.define({ fields, proxy: { type: 'rest', reader: { stream: true } } });
    const Whole = Base.define({ fields });
    server.always(() => ({ json: [{ id: 1 }, { id: 2 }] }));
    const handed: object[] = [];
    const onRows = (rows: readonly object[]) => void handed.push(...rows);
    expect((await Whole.proxy.read(list({ onRows }))).rows).toEqual([{ id: 1 }, { id: 2 }]);
    expect(handed).toEqual([]);
    expect((await Streamed.proxy.read(list({ onRows }))).rows).toEqual([]);
    expect(handed).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('sends `Accept` for lines, which replaces a header of the proxy and yields to one of the call', async () => {
    const proxy = proxyOf({
      reader: { type: 'ndjson' },
      headers: { accept: 'application/json', 'X-Own': '1' },
      use: [streaming()],
    });
    server.always(() => ({ text: '{"id":1}\n' }));
    await proxy.read(list());
    await proxy.read(list({ headers: { ACCEPT: 'application/stream+json' } }));
    await proxy.read(list({ id: 1 }));
    expect(server.requests.map(({ headers }) => [headers['accept'], headers['x-own']])).toEqual([
      [ACCEPT, '1'],
      ['application/stream+json', '1'],
      ['application/json', '1'],
    ]);
  });

  test('sends `Accept` for JSON if the rows of one document are streamed', async () => {
    server.reply({ json: [] });
    await proxyOf({ reader: { stream: true }, use: [streaming()] }).read(list());
    expect(server.last.headers['accept']).toBe('application/json');
  });

  test('shows its `Accept` in explain()', async () => {
    const { headers } = await explain(proxyOf({ reader: { type: 'ndjson' }, use: [streaming()] }), { action: 'read' });
    expect(headers).toEqual([{ text: `Accept: ${ACCEPT}`, rule: 'H15', option: 'streaming' }]);
  });

  test('passes on no more rows after a timeout, and cancels the body even if fetch ignores signals', async () => {
    const clock = manualClock();
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    let cancelled = 0;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        body = controller;
      },
      cancel: () => {
        cancelled += 1;
      },
    });
    const handed: object[] = [];
    const operation = list({ onRows: (rows: readonly object[]) => void handed.push(...rows) });
    const proxy = proxyOf({
      ...{ reader: { type: 'ndjson' }, use: [streaming()], clock, timeout: 1000 },
      fetch: async () => new Response(stream),
    });
    const read = proxy.read(operation).catch((error: unknown) => error);
    body?.enqueue(new TextEncoder().encode('{"id":1}\n'));
    while (handed.length === 0 || clock.waiting.length === 0) await new Promise(setImmediate);
    clock.advance(1000);
    expect(await read).toBeInstanceOf(TimeoutError);
    expect([handed, cancelled]).toEqual([[{ id: 1 }], 1]);
  });
});

describe('an extension that sets `receive`', () => {
  test('reads bodies in its own way', async () => {
    const csv: Extension = {
      name: 'csv',
      layer: LAYERS.streaming + 1,
      send(request, next) {
        request.receive = async (raw, limit) => {
          const text = await limit(raw.text());
          const body = text.split('\n').map((line) => ({ id: Number(line) }));
          const { status, headers, url, redirected } = raw;
          return { status, headers, url, redirected, raw, text, body };
        };
        return next(request);
      },
    };
    server.reply({ text: '1\n2' }, { status: 500, json: { title: 'Broken' } });
    const proxy = proxyOf({ use: [csv] });
    expect((await proxy.read(list())).rows).toEqual([{ id: 1 }, { id: 2 }]);
    await expect(proxy.read(list())).rejects.toMatchObject({ status: 500, problem: { title: 'Broken' } });
  });
});
