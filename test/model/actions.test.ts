import {
  AddressError,
  action,
  DefinitionError,
  MemoryProxy,
  Model,
  ReadError,
  type StandardSchemaV1,
  ValidationError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: { id: 'int', status: 'string', note: 'string' },
  proxy: server.proxy('/orders', { headers: { 'X-Token': 't' } }),
  actions: {
    cancel: action({ body: z.object({ reason: z.string() }), reply: 'record' }),
    touch: action(),
    peek: action({ method: 'GET', path: 'preview', reply: z.object({ total: z.number() }) }),
    print: action({ method: 'GET', reply: 'blob' }),
    archive: action({ on: 'collection', method: 'POST', body: z.object({ before: z.string() }), reply: z.number() }),
  },
}) {}
const ROW = { id: 7, status: 'open', note: 'n' };
const saved = () => Order.fromRow({ ...ROW });

describe('an action of a record', () => {
  test('is sent to its address with its body, and merges the response into the record', async () => {
    const order = saved();
    order.note = 'edited';
    server.reply({ json: { id: 7, status: 'cancelled' } });
    expect(await Order.actions.cancel(order, { reason: 'late' })).toBe(order);
    expect(server.last).toMatchObject({
      method: 'POST',
      url: '/orders/7/cancel',
      body: { reason: 'late' },
      headers: { 'x-token': 't', 'content-type': 'application/json' },
    });
    expect([order.status, order.note, order.$.modified]).toEqual(['cancelled', 'edited', { note: 'edited' }]);
  });

  test('without a declared body and reply sends no body and resolves with nothing', async () => {
    server.reply({ json: { anything: 1 } });
    expect(await Order.actions.touch(saved())).toBeUndefined();
    expect([server.last.method, server.last.url, server.last.text]).toEqual(['POST', '/orders/7/touch', '']);
  });

  test('resolves with the value that its schema reads, and may have its own path and verb', async () => {
    server.reply({ json: { total: 5 } }, { json: { total: 'many' } });
    expect(await Order.actions.peek(saved())).toEqual({ total: 5 });
    expect(server.lines).toEqual(['GET /orders/7/preview']);
    await expect(Order.actions.peek(saved())).rejects.toBeInstanceOf(ReadError);
  });

  test('resolves with a blob', async () => {
    server.reply({ text: 'a,b', headers: { 'Content-Type': 'text/csv' } });
    const blob = await Order.actions.print(saved());
    expect([blob instanceof Blob, await blob.text()]).toEqual([true, 'a,b']);
  });

  test('refuses a body that does not fit its schema, before it is sent', async () => {
    const call = Order.actions.cancel(saved(), { reason: 5 } as never);
    await expect(call).rejects.toBeInstanceOf(ValidationError);
    await expect(call).rejects.toMatchObject({ issues: [{ path: ['reason'] }] });
    expect(server.requests).toEqual([]);
  });

  test('is the request of its call, however long its schema takes', async () => {
    let [tenant, calls] = ['a', 0];
    let release = () => undefined as void;
    const slow: StandardSchemaV1<{ x: number[] }> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => {
          await new Promise<void>((resolve) => (release = resolve));
          return { value: value as { x: number[] } };
        },
      },
    };
    class Slow extends Model.define({
      name: 'slow',
      fields: { id: 'int', status: 'string' },
      proxy: server.proxy('/{tenant}/{status}/slow', {
        pathParams: () => {
          calls += 1;
          return { tenant };
        },
        extraParams: () => ({ user: tenant }),
      }),
      actions: { send: action({ body: slow, reply: 'record' }), sendAll: action({ on: 'collection', body: slow }) },
    }) {}
    const record = Slow.fromRow({ id: 7, status: 'open' });
    record.status = 'edited';
    const call = async (send: (body: { x: number[] }, options: { params: { p: number[] } }) => Promise<unknown>) => {
      [tenant, calls] = ['a', 0];
      const [body, params] = [{ x: [1] }, { p: [1] }];
      const sending = send(body, { params });
      tenant = 'b';
      record.status = 'typed';
      body.x.push(2);
      params.p.push(2);
      server.reply({ json: { id: 7, status: 'done' } });
      release();
      await sending;
      expect([server.last.body, calls]).toEqual([{ x: [1] }, 1]);
      return server.last.url;
    };
    const url = await call((body, options) => Slow.actions.send(record, body, options));
    expect(url).toBe('/a/open/slow/7/send?p=1&user=a');
    expect([record.status, record.$.modified]).toEqual(['typed', { status: 'typed' }]);
    const all = { pathParams: { status: 'any' } };
    expect(await call((body, options) => Slow.actions.sendAll(body, { ...options, ...all }))).toBe(
      '/a/any/slow/sendAll?p=1&user=a',
    );
  });

  test('reports issues with their paths, in whatever form the schema gives them', async () => {
    const odd: StandardSchemaV1 = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'a', path: [{ key: 'x' }, 0] }, { message: 'b' }] }),
      },
    };
    class Odd extends Order.define({ fields: {}, actions: { send: action({ body: odd }) } }) {}
    await expect(Odd.actions.send(Odd.fromRow(ROW), {})).rejects.toMatchObject({
      issues: [
        { path: ['x', 0], message: 'a' },
        { path: [], message: 'b' },
      ],
    });
  });

  test('takes the options of a call, and no callbacks', async () => {
    const order = saved();
    server.reply({ json: { ...ROW, status: 'x' } });
    await Order.actions.cancel(order, { reason: '' }, { params: { a: 1 }, headers: { 'X-Why': 'y' } });
    expect(server.last).toMatchObject({ url: '/orders/7/cancel?a=1', headers: { 'x-why': 'y', 'x-token': 't' } });
    const call = Order.actions.cancel(order, { reason: '' }, { success: () => undefined } as never);
    await expect(call).rejects.toThrow("'success' is not an option of actions.cancel: await the promise");
  });

  test.each(['cancel', 'touch', 'peek', 'print'] as const)('%s of a phantom sends nothing (H5)', async (name) => {
    const call = (Order.actions[name] as (...args: unknown[]) => Promise<unknown>)(
      new Order(),
      ...(name === 'cancel' ? [{ reason: '' }] : []),
    );
    await expect(call).rejects.toBeInstanceOf(AddressError);
    expect(server.requests).toEqual([]);
  });

  test('of an erased record is refused', async () => {
    const order = new Order();
    await order.erase();
    await expect(Order.actions.touch(order)).rejects.toMatchObject({ code: 'erased' });
  });

  test.each([
    ['nothing', { status: 204 }],
    ['a number', { json: 5 }],
    ['HTML', { text: '<p>' }],
    ['another record', { json: { ...ROW, id: 8 } }],
  ])('whose reply should be the record rejects with a ReadError if the response is %s', async (_, reply) => {
    const order = saved();
    server.reply(reply);
    await expect(Order.actions.cancel(order, { reason: '' })).rejects.toBeInstanceOf(ReadError);
    expect(order.$.data).toEqual(ROW);
  });

  test('rejects with the error of a refused request', async () => {
    server.reply({ status: 409, json: { title: 'shipped' } });
    await expect(Order.actions.touch(saved())).rejects.toMatchObject({ code: 'http', status: 409 });
  });

  test('does not apply a response that arrives after a later save', async () => {
    const order = saved();
    const held = server.hold();
    const call = Order.actions.cancel(order, { reason: '' });
    await held.request;
    order.status = 'sent';
    server.reply({ status: 204 });
    await order.save();
    held.answer({ json: { ...ROW, status: 'stale' } });
    await call;
    expect(order.status).toBe('sent');
  });
});

describe('an action of the collection', () => {
  test('is sent to the collection', async () => {
    server.reply({ json: 12 });
    expect(await Order.actions.archive({ before: '2026' })).toBe(12);
    expect(server.last).toMatchObject({ method: 'POST', url: '/orders/archive', body: { before: '2026' } });
  });
});

test('actions are frozen, and need an HTTP proxy', async () => {
  expect(Object.isFrozen(Order.actions)).toBe(true);
  class Local extends Model.define({
    fields: { id: 'int' },
    proxy: { type: MemoryProxy },
    actions: { ping: action() },
  }) {}
  await expect(Local.actions.ping(Local.fromRow({ id: 1 }))).rejects.toBeInstanceOf(DefinitionError);
});
