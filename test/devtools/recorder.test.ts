import {
  DefinitionError,
  type Extension,
  Model,
  type Operation,
  type ProxyRequest,
  RestProxy,
  receive,
  refreshStale,
  retry,
  Session,
  Store,
  windowOf,
} from 'repose';
import { mountInspector, record, tanstackDevtoolsPlugin, vueDevtoolsPlugin } from 'repose/devtools';
import { memoryStorage, Outbox } from 'repose/outbox';
import { afterEach, describe, expect, test } from 'vitest';
import { settled, shop, shopServer } from './support.js';

const disposals: (() => void)[] = [];
afterEach(() => {
  for (const dispose of disposals.splice(0)) dispose();
});

function recorded(...given: Parameters<typeof record>) {
  const recorder = record(...given);
  disposals.push(() => recorder.dispose());
  return recorder;
}

describe('a recorder of a session', () => {
  test('records what is sent and why, and what comes back', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session, pageSize: 2, sorters: ['note'], remoteSort: true });
    await orders.load();
    const [operation] = recorder.operations;
    expect(operation).toMatchObject({ number: 1, kind: 'read', model: 'order', state: 'done', rows: 2, total: 3 });
    expect(operation?.query).toMatchObject({ page: 1, limit: 2 });
    const [attempt] = operation?.attempts ?? [];
    expect(attempt).toMatchObject({ method: 'GET', status: 200 });
    expect(attempt?.url).toContain('/orders?');
    expect(attempt?.headers).toMatchObject({ authorization: 'Bearer abc123' });
    expect(JSON.parse(attempt?.responseBody?.text ?? '')).toBeTruthy();
    const reasons = operation?.parts.map(({ text, reason, option }) => `${text} | ${reason} | ${option}`);
    expect(reasons).toContain('/orders | The address of the collection | url');
    expect(reasons?.join('\n')).toMatch(/The order of the list/);
    expect(reasons?.join('\n')).not.toMatch(/§|H\d/);
  });

  test('records stores, models and records that the session meets later', async () => {
    const { Order, Customer } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const customer = await session.load(Customer, 2);
    const orders = new Store({ model: Order, session });
    await orders.load();
    expect(recorder.operations.map(({ kind, model }) => `${kind} ${model}`)).toEqual(['read customer', 'read order']);
    expect(recorder.stores).toMatchObject([{ number: 1, model: 'order', records: 3, loadedPart: 'all 3 rows' }]);
    expect(customer.name).toBe('Bob');
  });

  test('records records before and after a write', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const order = await session.load(Order, 2);
    order.set({ note: 'oat milk' });
    await order.save();
    await settled();
    const update = recorder.operations[1];
    expect(update).toMatchObject({ kind: 'update', state: 'done' });
    expect(update?.records).toEqual([
      expect.objectContaining({
        id: 2,
        before: { id: 2, note: 'milk', total: 20, customerId: 1 },
        sent: { note: 'oat milk' },
        after: { id: 2, note: 'oat milk', total: 20, customerId: 1 },
      }),
    ]);
  });

  test('records creates with the id that they get, and erases', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const order = session.create(Order, { note: 'jam', total: 4 });
    await order.save();
    await settled();
    await order.erase();
    await settled();
    const [create, erase] = recorder.operations;
    expect(create?.records[0]).toMatchObject({ id: 4, after: { id: 4, note: 'jam' } });
    expect(create?.records[0]?.before).toBeUndefined();
    expect(erase?.records[0]).toMatchObject({ id: 4, before: { id: 4, note: 'jam' } });
    expect(erase?.records[0]?.after).toBeUndefined();
  });

  test('records how known records change when they are read again', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session });
    await orders.load();
    server.setRows('/orders', [{ id: 1, note: 'coffee', total: 10, customerId: 1 }]);
    await orders.reload();
    await settled();
    expect(recorder.operations[1]?.records[0]).toMatchObject({ before: { note: 'tea' }, after: { note: 'coffee' } });
  });

  test('records each attempt with its wait and its error', async () => {
    let now = 1000;
    const waits: number[] = [];
    const clock = {
      now: () => now,
      after(ms: number, callback: () => void) {
        if (ms >= 30_000) return () => undefined;
        waits.push(ms);
        now += ms;
        queueMicrotask(callback);
        return () => undefined;
      },
    };
    const server = shopServer();
    const { Order } = shop(server);
    const Retried = Order.with({ proxy: { use: [retry()], clock } });
    server.fetch.plan({ type: 'status', status: 503 }, 'lose');
    const recorder = recorded(Retried);
    await Retried.load(1);
    const [operation] = recorder.operations;
    expect(operation?.state).toBe('done');
    expect(operation?.attempts.map(({ status, error }) => status ?? error?.code)).toEqual([503, 'network', 200]);
    expect(operation?.attempts.map(({ waited }) => waited)).toEqual([0, ...waits]);
  });

  test('tells a request that is refused before it is sent', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order);
    await Order.load(1, { params: { wrong: Symbol('wrong') } as never }).catch(() => undefined);
    const { state, error, attempts } = recorder.operations.at(-1) ?? {};
    expect(state).toBe('refused');
    expect(error?.message).toMatch(/wrong/);
    expect(attempts).toEqual([]);
  });

  test('tells a failure by its code, its message and the messages at fields', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    const recorder = recorded(Order);
    await Order.load(99).catch(() => undefined);
    expect(recorder.operations[0]).toMatchObject({
      state: 'failed',
      error: { code: 'http' },
      attempts: [{ status: 404 }],
    });
  });

  test('tells an aborted load', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    server.fetch.plan('hold');
    const recorder = recorded(Order);
    const controller = new AbortController();
    const loading = Order.load(1, { signal: controller.signal });
    await server.fetch.waitFor(1);
    controller.abort();
    await loading.catch(() => undefined);
    expect(recorder.operations[0]).toMatchObject({ state: 'aborted' });
  });

  test('records calls by send()', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order);
    await (Order.proxy as RestProxy).send({ path: '1' });
    expect(recorder.operations[0]).toMatchObject({ kind: 'call', state: 'done', attempts: [{ status: 200 }] });
  });

  test('records stores with parameters of their own', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session });
    orders.setExtraParams({ tenant: 'a' });
    await orders.load();
    expect(recorder.operations[0]?.attempts[0]?.url).toContain('tenant=a');
  });
});

describe('the states of stores and outboxes', () => {
  test('tell in words why a list is stale', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session, pageSize: 2 });
    await orders.load();
    expect(recorder.stores[0]).toMatchObject({
      stale: undefined,
      loadedPart: 'page 1 of 2 rows each, 2 of 3 rows; the server has more',
    });
    receive(orders, [{ id: 9, note: 'new', total: 1, customerId: 1 }]);
    expect(orders.status.get().staleReason).toBe('unknownRow');
    expect(recorder.stores[0]?.stale).toMatch(/a row was received/i);
    await refreshStale(orders);
    receive(orders, [], { gap: true });
    expect(recorder.stores[0]?.stale).toMatch(/missed/);
  });

  test('tell the places that a window shows', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session, pageSize: 2, remoteSort: true, remoteFilter: true });
    const window = windowOf(orders, { start: 0, end: 2 });
    await window.show({ start: 0, end: 2 });
    expect(recorder.stores[0]?.loadedPart).toMatch(/a window shows rows 0 to 2 and holds [23]/);
    window.dispose();
  });

  test('tell what an outbox holds and what needs a decision', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    const connection = { online: false, onOnline: () => () => undefined };
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage(), connection: connection as never });
    await outbox.ready;
    const Kept = Order.with({ proxy: { use: [outbox] } });
    const session = new Session();
    const recorder = recorded([session, outbox]);
    server.fetch.plan('lose');
    const orders = new Store({ model: Kept, session });
    const [order] = orders.add({ note: 'jam', total: 1 });
    await order?.save().catch(() => undefined);
    expect(recorder.outboxes[0]).toMatchObject({
      scope: 'ada',
      entries: [{ model: 'order', action: 'create', values: { note: 'jam' } }],
    });
    await outbox.close();
  });

  test('forget a store that was disposed of', () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const orders = new Store({ model: Order, session });
    expect(recorder.stores).toHaveLength(1);
    orders.dispose();
    expect(recorder.stores).toHaveLength(0);
  });
});

describe('what a recorder costs and keeps', () => {
  test('forgets the oldest operations beyond its limit', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order, { limit: 2 });
    for (const id of [1, 2, 3]) await Order.load(id);
    expect(recorder.operations.map(({ number }) => number)).toEqual([2, 3]);
    expect(recorder.forgotten).toBe(1);
  });

  test('keeps the beginning of a long body that is sent only, in its parts too', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order, { bodyLimit: 10 });
    await new Order({ note: 'long '.repeat(100) }).save();
    await settled();
    const [operation] = recorder.operations;
    expect(operation?.attempts[0]?.body).toMatchObject({ only: 'beginning' });
    expect(operation?.parts.find(({ place }) => place === 'body')?.text).toHaveLength(10);
  });

  test('keeps the beginning of a long body only', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order, { bodyLimit: 10 });
    await Order.load(1);
    const body = recorder.operations[0]?.attempts[0]?.responseBody;
    expect(body).toMatchObject({ only: 'beginning' });
    expect(body?.text).toHaveLength(10);
  });

  test('leaves the proxy as it was after dispose()', async () => {
    const { Order } = shop(shopServer());
    const recorder = record(Order);
    expect(Order.proxy['watch'].by).toBeDefined();
    recorder.dispose();
    expect(Order.proxy['watch'].by).toBeUndefined();
    await Order.load(1);
    expect(recorder.operations).toEqual([]);
  });

  test('lets two recorders follow one proxy', async () => {
    const { Order } = shop(shopServer());
    const one = recorded(Order);
    const other = record(Order);
    await Order.load(1);
    other.dispose();
    await Order.load(2);
    expect(one.operations).toHaveLength(2);
  });

  test('records nothing while it is paused', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order);
    recorder.pause();
    await Order.load(1);
    recorder.resume();
    await Order.load(2);
    expect(recorder.operations.map(({ query }) => query?.id)).toEqual([2]);
  });

  test('tells its listeners once per tick, and survives their errors', async () => {
    const { Order } = shop(shopServer());
    const recorder = recorded(Order);
    let calls = 0;
    recorder.subscribe(() => {
      throw new Error('of the panel');
    });
    recorder.subscribe(() => {
      calls += 1;
    });
    await Order.load(1);
    await settled();
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(12);
  });

  test('changes nothing for the application: bodies are built in the tick of the save', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    recorded(Order);
    const order = await Order.load(1);
    order.set({ note: 'first' });
    const saving = order.save();
    order.set({ note: 'second' });
    await saving;
    expect(server.rows('/orders')[0]).toMatchObject({ note: 'first' });
    expect(order.note).toBe('second');
    expect(order.dirty).toBe(true);
  });

  test('copies what a server sends, however hostile, as plain texts and values', async () => {
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    const body = `{"id":1,"name":"<img src=x onerror=alert(1)>","__proto__":{"polluted":true},"data":${deep},"many":${JSON.stringify(Array.from({ length: 5000 }, (_, at) => at))}}`;
    class Odd extends Model.define({
      name: 'odd',
      fields: { id: 'int', name: 'string', data: 'auto' },
      proxy: { type: RestProxy, url: 'https://odd.test/odd', fetch: async () => new Response(body) },
    }) {}
    const recorder = recorded(Odd);
    await Odd.load(1);
    await settled();
    const text = JSON.stringify(recorder.recording());
    expect(text).toContain('(too deep)');
    expect(text).toContain('more');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('refuses a target that it cannot inspect', () => {
    expect(() => record({} as never)).toThrow(DefinitionError);
    expect(() => record([7 as never])).toThrow(/An inspector shows sessions/);
    expect(() => record(new Session(), { limit: 0 })).toThrow(DefinitionError);
  });

  test('says where there is no page that a panel needs a page', () => {
    expect(() => mountInspector(new Session())).toThrow(/use `record`/);
    expect(() => mountInspector(new Session(), { theme: 'blue' } as never)).toThrow(DefinitionError);
  });

  test('keeps nothing alive: a store that the application lets go of is not listed for ever', async () => {
    const { Order } = shop(shopServer());
    const session = new Session();
    const recorder = recorded(session);
    const plugin = tanstackDevtoolsPlugin(recorder);
    const store = new Store({ model: Order, session });
    await store.load();
    expect(plugin).toMatchObject({ id: 'repose', name: 'Repose' });
    session.dispose();
    store.dispose();
    expect(recorder.stores).toEqual([]);
  });

  test('keeps instructions for Vue Devtools out of the data of servers, and ends with the application', async () => {
    const row = { id: 1, name: 'Ada', _custom: { display: '<img src=x onerror=alert(1)>' } };
    class Odd extends Model.define({
      name: 'odd',
      fields: { id: 'int', name: 'string' },
      proxy: { type: RestProxy, url: 'https://odd.test/odd', fetch: async () => Response.json(row) },
    }) {}
    let state: ((payload: object) => void) | undefined;
    let sent = 0;
    let end: (() => void) | undefined;
    const nothing = () => undefined;
    const api = {
      on: { getInspectorTree: nothing, getInspectorState: (handler: typeof state) => (state = handler) },
      ...{ addInspector: nothing, sendInspectorState: nothing, addTimelineLayer: nothing, addTimelineEvent: nothing },
      sendInspectorTree: () => {
        sent += 1;
        throw new Error('of the tool');
      },
    };
    const plugin = vueDevtoolsPlugin((_, setup) => setup(api as never), Odd);
    disposals.push(() => plugin.recorder.dispose());
    plugin.install({
      onUnmount(callback: () => void) {
        end = callback;
      },
    });
    await Odd.load(1);
    await expect.poll(() => sent).toBe(2);
    const payload = { inspectorId: 'repose', nodeId: 'operation-1', state: {} };
    state?.(payload);
    expect(JSON.stringify(payload.state)).toContain('onerror');
    expect(JSON.stringify(payload.state)).not.toContain('"_custom"');
    end?.();
    await Odd.load(1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sent).toBe(2);
  });

  test('shows Vue Devtools only what is masked', async () => {
    const { Customer } = shop(shopServer());
    const session = new Session();
    const plugin = vueDevtoolsPlugin((_, setup) => setup(api as never), session, { secrets: ['iban'] });
    disposals.push(() => plugin.recorder.dispose());
    const events: object[] = [];
    const states: ((payload: object) => void)[] = [];
    const nothing = () => undefined;
    const api = {
      on: {
        getInspectorTree: nothing,
        getInspectorState: (handler: (payload: object) => void) => states.push(handler),
      },
      ...{ addInspector: nothing, sendInspectorTree: nothing, sendInspectorState: nothing, addTimelineLayer: nothing },
      addTimelineEvent: ({ event }: { event: object }) => events.push(event),
    };
    plugin.install({});
    await session.load(Customer, 1);
    const filters = [{ property: 'iban', operator: 'eq', value: 'DE12' }] as const;
    const customers = new Store({ model: Customer, session, filters, remoteFilter: true });
    await customers.load();
    await expect.poll(() => events.length).toBe(4);
    const shown = ['operation-1', 'operation-2', 'store-1'].map((nodeId) => {
      const payload = { inspectorId: 'repose', nodeId, state: {} };
      for (const handler of states) handler(payload);
      return payload;
    });
    expect(JSON.stringify(shown)).toContain('Ada');
    expect(JSON.stringify(shown)).toContain('filtered by iban eq ***');
    expect(JSON.stringify([shown, events])).not.toMatch(/DE12|abc123/);
  });
});

describe('the request that is recorded', () => {
  /** How often each function of an application is called by a few operations, some of which fail, wait or are repeated. */
  async function callsOf(isRecorded: boolean) {
    const calls: Record<string, number> = {};
    const count = <T>(name: string, value: T): T => {
      calls[name] = (calls[name] ?? 0) + 1;
      return value;
    };
    class OwnProxy extends RestProxy {
      override buildRequest(operation: Operation) {
        return count('buildRequest', super.buildRequest(operation));
      }
      override buildUrl(request: ProxyRequest) {
        request.params['nonce'] = count('buildUrl', calls['buildUrl'] ?? 0);
        return super.buildUrl(request);
      }
      override getMethod(request: ProxyRequest) {
        return count('getMethod', super.getMethod(request));
      }
      override encodeId(id: unknown) {
        return count('encodeId', super.encodeId(id));
      }
    }
    const server = shopServer({ ignoredParams: ['tenant', 'nonce', 'extra', '_dc'] });
    const { Order: Base } = shop(server);
    const tokens: string[] = [];
    // The wait of `retry()` ends at once, and no time limit passes.
    const after = (ms: number, act: () => void) => {
      if (ms < 10_000) act();
      return () => undefined;
    };
    const counting: Extension = {
      name: 'counting',
      layer: 40,
      prepare: (request) => {
        request.headers = { ...request.headers, 'X-Prepared': String(count('prepare', calls['prepare'] ?? 0)) };
      },
      send: (request, next) => {
        request.onHeaders.push((headers) => headers.set('X-Sent', String(count('onHeaders', 1))));
        return next(count('send', request));
      },
      encode: () => count('encode', undefined),
      answered: () => count('answered', undefined),
    };
    const Order = Base.with({
      proxy: new OwnProxy({
        ...{ url: '/{place}', baseUrl: server.baseUrl, reader: { rootProperty: 'data' } },
        use: [retry(), counting],
        timeout: 0,
        clock: { now: () => count('clock', 0), after },
        fetch: ((url: string, init: RequestInit) => {
          tokens.push(`${init.method} ${new Headers(init.headers).get('Authorization')} ${new URL(url).search}`);
          return server.fetch(url, init);
        }) as typeof fetch,
        pathParams: () => count('pathParams', { place: 'orders' }),
        extraParams: () => count('extraParams', { extra: 1 }),
        headers: async () => count('headers', { Authorization: `Bearer ${calls['headers']}` }),
        writer: { transform: (data: object) => count('transform', data) },
      } as never),
    });
    const recorder = record(Order);
    if (!isRecorded) recorder.dispose();
    const order = await Order.load(1);
    order.set({ note: 'green tea' });
    server.fetch.plan({ type: 'status', status: 503 });
    await order.save();
    await new Order({ note: 'jam', total: 1 }).save();
    const given = {
      get 'X-Given'() {
        return count('getter', 'yes');
      },
    };
    await new Store({ model: Order, pageSize: 2 }).load({ headers: given } as never);
    await (Order.proxy as RestProxy).send({ record: order as never });
    await Order.load(99).catch(() => undefined);
    await Order.load(1, { params: { wrong: Symbol('wrong') } as never }).catch(() => undefined);
    await settled();
    const operations = recorder.operations;
    recorder.dispose();
    return { calls, tokens, operations };
  }

  test('calls each function of the application exactly as often as without a recorder', async () => {
    const without = await callsOf(false);
    const recorded = await callsOf(true);
    const { clock: ownClock, ...ownCalls } = without.calls;
    const { clock, ...calls } = recorded.calls;
    expect(calls).toEqual(ownCalls);
    // Reading the time changes nothing.
    expect(clock).toBeGreaterThanOrEqual(ownClock as number);
    expect(recorded.tokens).toEqual(without.tokens);
    expect(Object.keys(calls).sort()).toEqual(
      ['answered', 'buildRequest', 'buildUrl', 'encode', 'encodeId', 'extraParams', 'getMethod', 'getter']
        .concat(['headers', 'onHeaders', 'pathParams', 'prepare', 'send', 'transform'])
        .sort(),
    );
    for (const { parts, attempts } of recorded.operations) {
      const address = parts.filter(({ place }) => place === 'address').map(({ text }) => text);
      if (attempts.length > 0) expect(attempts.at(-1)?.url).toContain(address.join(''));
      expect(parts.filter(({ place }) => place === 'header').map(({ text }) => text.toLowerCase())).toEqual(
        Object.entries(attempts.at(-1)?.headers ?? {}).map(([name, value]) => `${name}: ${value}`.toLowerCase()),
      );
    }
  });

  test('has the reasons of the attempt that was made, headers of functions and of extensions included', async () => {
    const { operations } = await callsOf(true);
    const [, update] = operations;
    expect(update?.attempts.map(({ status }) => status)).toEqual([503, 200]);
    const reasons = update?.parts.map(({ place, text, option }) => `${place} ${text} | ${option}`);
    expect(reasons).toContain('method PUT | actionMethods');
    expect(reasons).toContain('header Authorization: Bearer 2 | headers');
    expect(reasons).toContain('header X-Prepared: 1 | counting');
    expect(reasons?.join()).not.toContain('x-sent');
    expect(operations[0]?.parts.find(({ text }) => text === 'x-sent: 1')?.option).toBe('request.headers');
    expect(reasons).toContain('header Accept: application/json | default');
    expect(reasons?.some((each) => each.startsWith('body {') && each.includes('green tea'))).toBe(true);
    const getter = operations[3]?.parts.find(({ text }) => text.startsWith('X-Given'));
    expect(getter).toMatchObject({ text: 'X-Given: yes', option: 'operation.headers' });
  });

  test('has the parts of a call, and of a request that waits before it is sent', async () => {
    const server = shopServer();
    const { Order } = shop(server);
    let release: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Extension = { name: 'slow', layer: 40, send: (request, next) => waiting.then(() => next(request)) };
    const Slow = Order.with({ proxy: { use: [slow] } });
    const recorder = recorded(Slow);
    const calling = (Slow.proxy as RestProxy).send({ method: 'POST', path: 'close', body: { reason: 'late' } });
    const partsOf = () => recorder.operations[0]?.parts.map(({ text }) => text);
    expect(partsOf()).toEqual(['POST', '/orders', '/close', '{"reason":"late"}']);
    release();
    await calling.catch(() => undefined);
    expect(partsOf()).toContain('Authorization: Bearer abc123');
  });
});
