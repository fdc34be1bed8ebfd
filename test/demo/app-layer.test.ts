import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Reply, type RunningServer, type Send, startServer } from './running-server.js';

let server: RunningServer;
let time = Date.UTC(2026, 0, 5, 12);

beforeAll(async () => {
  server = await startServer({ rows: 5, orders: 300, expiresIn: 60, eventLog: 20, now: () => new Date(time) });
});
afterAll(() => server.stop());

interface Event {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  readonly data: any;
}

const streams: AbortController[] = [];
const named = new Set<string>();
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.abort();
  for (const client of named) await server.send('POST', '/app/situations', { json: { client, ...QUIET } });
});
const QUIET = { slow: 0, broken: null, feed: null };

/** Signs a user in. */
async function signIn(name: string) {
  named.add(name);
  const { body: grant } = await server.send('POST', '/app/sign-in', { json: { name } });
  const headers = { Authorization: `Bearer ${grant.token}` };
  return {
    grant,
    send: (method: string, path: string, options: Send = {}): Promise<Reply> =>
      server.send(method, `/app${path}`, { ...options, headers: { ...options.headers, ...headers } }),
    get: (path: string) => server.get(`/app${path}`, headers),
    situation: (json: object) => server.send('POST', '/app/situations', { json: { client: name, ...json } }),
    listen: (path: string, lastEventId?: string) =>
      listen(path, lastEventId === undefined ? headers : { ...headers, 'Last-Event-ID': lastEventId }),
  };
}

/** Opens a stream; `next` takes one event after the other, and undefined when it has ended. */
async function listen(path: string, headers: Record<string, string>, url = server.url) {
  const controller = new AbortController();
  streams.push(controller);
  const response = await fetch(`${url}/app${path}`, {
    headers: { ...headers, Accept: 'text/event-stream' },
    signal: controller.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    response,
    async next(): Promise<Event | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end < 0) {
          const { done, value } = await reader.read();
          if (done) return undefined;
          text += decoder.decode(value, { stream: true });
          continue;
        }
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        if (lines.every((line) => line.startsWith(':'))) continue;
        const member = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        return { id: member('id'), event: member('event') ?? 'message', data: JSON.parse(member('data') ?? 'null') };
      }
    },
  };
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe('sign-in', () => {
  test('is needed for each request, and tells the user of a change', async () => {
    const refused = await server.get('/app/orders/1');
    expect([refused.status, refused.body.detail]).toEqual([401, 'Sign in first']);
    expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer');
    const alice = await signIn('Alice');
    expect((await alice.get('/orders/1')).status).toBe(200);
    await alice.send('PATCH', '/orders/1', { json: { note: 'Ring twice' } });
    const { body: history } = await alice.get('/changes?orderId=1');
    expect(history).toMatchObject([{ who: 'Alice', subject: 'order', field: 'note', after: 'Ring twice' }]);
  });

  test('expires, and is renewed by its renewal', async () => {
    const alice = await signIn('Alice');
    time += 60_000;
    const late = await alice.get('/orders/1');
    expect([late.status, late.body.detail]).toEqual([401, 'The sign-in has expired; renew it']);
    const { status, body } = await server.send('POST', '/app/renew', { json: { renewal: alice.grant.renewal } });
    expect([status, body.expiresIn]).toEqual([200, 60]);
    const headers = { Authorization: `Bearer ${body.token}` };
    expect((await server.get('/app/orders/1', headers)).status).toBe(200);
    expect((await server.send('POST', '/app/renew', { json: { renewal: 'made up' } })).status).toBe(401);
  });

  test('ends by signing out, and needs a name', async () => {
    const alice = await signIn('Alice');
    expect((await alice.send('POST', '/sign-out')).status).toBe(204);
    expect((await alice.get('/orders/1')).status).toBe(401);
    expect((await server.send('POST', '/app/renew', { json: { renewal: alice.grant.renewal } })).status).toBe(401);
    // A sign-out that arrives late ends the sign-in that it belongs to.
    const again = await signIn('Alice');
    expect((await alice.send('POST', '/sign-out')).status).toBe(401);
    expect((await again.get('/orders/1')).status).toBe(200);
    const later = await signIn('Alice');
    expect((await again.send('POST', '/sign-out')).status).toBe(204);
    expect((await later.get('/orders/1')).status).toBe(200);
    const nameless = await server.send('POST', '/app/sign-in', { json: { name: ' ' } });
    expect([nameless.status, Object.keys(nameless.body.errors)]).toEqual([422, ['name']]);
  });
});

describe('orders', () => {
  test('are sorted, filtered and searched by the name of their customer as well', async () => {
    const alice = await signIn('Alice');
    const sort = json([{ property: 'customerName', direction: 'DESC' }]);
    const { body } = await alice.get(`/orders?start=0&limit=300&sort=${sort}`);
    const names = body.data.map((row: { customerName: string }) => row.customerName);
    expect(body.total).toBe(300);
    expect(names).toEqual([...names].sort().reverse());
    const wanted = names[10];
    const filter = json([{ property: 'customerName', operator: 'eq', value: wanted }]);
    const { body: ofCustomer } = await alice.get(`/orders?filter=${filter}`);
    expect(ofCustomer.total).toBe(names.filter((name: string) => name === wanted).length);
    const { body: found } = await alice.get(`/orders?_dc=1&query=${encodeURIComponent(wanted.toLowerCase())}`);
    expect(found.total).toBe(ofCustomer.total);
    const { body: none } = await alice.get('/orders?_dc=1&query=100%25');
    expect(none.total).toBe(0);
  });

  test('are summed as a whole and by group, with the filter of the list', async () => {
    const alice = await signIn('Alice');
    const filter = json([{ property: 'urgent', operator: 'eq', value: true }]);
    const { body: list } = await alice.get(`/orders?filter=${filter}`);
    const { body: sums } = await alice.get(`/orders/sums?group=status&filter=${filter}`);
    const cents = (rows: readonly { total: string }[]) =>
      rows.reduce((sum, { total }) => sum + Math.round(Number(total) * 100), 0);
    expect(sums.count).toBe(list.total);
    expect(Math.round(Number(sums.total) * 100)).toBe(cents(list.data));
    expect(cents(sums.data)).toBe(cents(list.data));
    const paid = list.data.filter(({ status }: { status: string }) => status === 'paid');
    expect(sums.data.find(({ key }: { key: string }) => key === 'paid')).toMatchObject({ count: paid.length });
    const { body: byCustomer } = await alice.get('/orders/sums?group=customerId');
    const first = byCustomer.data[0];
    expect((await alice.get(`/customers/${first.key}`)).body.name).toBe(first.label);
    expect((await alice.get('/orders/sums?group=note')).status).toBe(400);
  });

  test('have the total of their lines, whatever a client sends', async () => {
    const alice = await signIn('Alice');
    const { body: order } = await alice.send('POST', '/orders', { json: { customerId: 1, total: '99.00' } });
    expect(order).toMatchObject({ total: '0.00', version: 1, lineCount: 0 });
    const line = { orderId: order.id, article: 'Clock', quantity: 3, price: '9.95' };
    const { body: clock } = await alice.send('POST', '/lines', { json: line });
    await alice.send('POST', '/lines', { json: { ...line, quantity: 1, price: '0.10' } });
    expect((await alice.get(`/orders/${order.id}`)).body).toMatchObject({ total: '29.95', lineCount: 2, version: 1 });
    await alice.send('DELETE', `/lines/${clock.id}`);
    expect((await alice.get(`/orders/${order.id}`)).body).toMatchObject({ total: '0.10', lineCount: 1 });
    const { body: history } = await alice.get(`/changes?orderId=${order.id}`);
    expect(
      history.map(({ subject, field, before, after }: Record<string, unknown>) => [subject, field, before, after]),
    ).toEqual([
      ['order', 'added', null, null],
      ['line', 'added', null, '3 × Clock'],
      ['line', 'added', null, '1 × Clock'],
      ['line', 'removed', '3 × Clock', null],
    ]);
  });

  test('are written under the condition of their version', async () => {
    const alice = await signIn('Alice');
    const { body: order } = await alice.get('/orders/2');
    const ifMatch = { 'If-Match': `"${order.version}"` };
    expect((await alice.send('PATCH', '/orders/2', { json: { urgent: true }, headers: ifMatch })).status).toBe(200);
    const late = await alice.send('PATCH', '/orders/2', { json: { urgent: false }, headers: ifMatch });
    expect([late.status, late.body.current.version]).toEqual([412, order.version + 1]);
  });

  test('are changed and erased together, and refused with errors by entry and field', async () => {
    const alice = await signIn('Alice');
    const changed = await alice.send('PATCH', '/orders', {
      json: [
        { id: 3, status: 'packed' },
        { id: 4, status: 'packed' },
      ],
    });
    expect(changed.body.map(({ status }: { status: string }) => status)).toEqual(['packed', 'packed']);
    const refused = await alice.send('PATCH', '/orders', {
      json: [
        { id: 3, note: 'x' },
        { id: 4, status: 'lost' },
      ],
    });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['1.status']]);
    expect((await alice.get('/orders/3')).body.note).not.toBe('x');
    expect((await alice.send('DELETE', '/orders', { json: [3, 4] })).body).toEqual([{ id: 3 }, { id: 4 }]);
  });
});

test('the categories above a moved one are told that they are leaves, or not any more', async () => {
  const alice = await signIn('Alice');
  const { body: planters } = await alice.get('/categories/20');
  expect(planters).toMatchObject({ name: 'Planters', parentId: 13, leaf: true });
  const events = await alice.listen('/categories');
  await events.next();
  await alice.send('PATCH', '/categories/20', { json: { parentId: 21 } });
  const told = [await events.next(), await events.next(), await events.next()].map((event) => event?.data.row);
  expect(told).toMatchObject([{ id: 20 }, { id: 13, childCount: 2 }, { id: 21, childCount: 1, leaf: false }]);
});

test('a category cannot be put below itself', async () => {
  const alice = await signIn('Alice');
  const { status, body } = await alice.send('PATCH', '/categories/1', { json: { parentId: 3 } });
  expect([status, body.errors]).toEqual([422, { parentId: ['would put the category below itself'] }]);
});

describe('attachments', () => {
  test('are sent as a form, and read again as they were', async () => {
    const alice = await signIn('Alice');
    const headers = { Authorization: `Bearer ${alice.grant.token}` };
    const form = new FormData();
    form.set('orderId', '5');
    form.set('content', new File(['<b>hello</b>'], 'näme.html', { type: 'text/html' }));
    const sent = await fetch(`${server.url}/app/attachments`, { method: 'POST', headers, body: form });
    const row = (await sent.json()) as { id: number };
    expect([sent.status, row]).toMatchObject([201, { orderId: 5, name: 'näme.html', size: 12, type: 'text/html' }]);
    const content = await fetch(`${server.url}/app/attachments/${row.id}/content`, { headers });
    expect(await content.text()).toBe('<b>hello</b>');
    expect(content.headers.get('Content-Disposition')).toMatch(/^attachment; /);
    form.set('orderId', '99999');
    const lost = await fetch(`${server.url}/app/attachments`, { method: 'POST', headers, body: form });
    expect([lost.status, await lost.json()]).toMatchObject([422, { errors: { orderId: ['names no order'] } }]);
  });

  test('are stored once if a form is sent again under its key', async () => {
    const alice = await signIn('Alice');
    const send = async (text: string) => {
      const form = new FormData();
      form.set('orderId', '5');
      form.set('content', new File([text], 'twice.txt', { type: 'text/plain' }));
      const headers = { Authorization: `Bearer ${alice.grant.token}`, 'Idempotency-Key': 'twice' };
      return await fetch(`${server.url}/app/attachments`, { method: 'POST', headers, body: form });
    };
    const [first, again] = [await send('once'), await send('once')];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    expect(again.headers.get('Idempotent-Replay')).toBe('true');
    expect((await send('another file')).status).toBe(422);
    const { body } = await alice.get('/attachments?orderId=5');
    expect(body.filter(({ name }: { readonly name: string }) => name === 'twice.txt')).toHaveLength(1);
  });

  test('need a form with a file', async () => {
    const alice = await signIn('Alice');
    expect((await alice.send('POST', '/attachments', { json: { orderId: 5 } })).status).toBe(415);
    expect((await server.get('/app/attachments/1/content')).status).toBe(401);
    expect((await alice.get('/attachments/9999/content')).status).toBe(404);
  });
});

describe('changes as events', () => {
  test('of one table come with their rows, also those made by the plain addresses', async () => {
    const alice = await signIn('Alice');
    const orders = await alice.listen('/orders');
    expect(orders.response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await orders.next()).toMatchObject({ data: [] });
    await server.send('PATCH', '/api/orders/6', { json: { note: 'By the API' } });
    expect((await orders.next())?.data).toMatchObject({ row: { id: 6, note: 'By the API' } });
    await alice.send('DELETE', '/orders/6');
    expect((await orders.next())?.data).toEqual({ removed: 6 });
  });

  test('of all tables name their models; lines that go with their order are told as well', async () => {
    const alice = await signIn('Alice');
    const { body: lines } = await alice.get('/lines?orderId=7');
    const all = await alice.listen('/events?tables=orders,lines,changes');
    await all.next();
    await alice.send('PATCH', '/orders/7', { json: { urgent: true, status: 'open' } });
    expect((await all.next())?.data).toMatchObject({ model: 'order', row: { id: 7, urgent: true } });
    expect((await all.next())?.data).toMatchObject({ model: 'change', row: { orderId: 7, who: 'Alice' } });
    const one = await alice.listen('/events?tables=lines');
    await one.next();
    await alice.send('DELETE', '/orders/7');
    expect((await one.next())?.data).toEqual({ model: 'line', removed: lines[0].id });
    expect((await alice.listen('/events?tables=secrets')).response.status).toBe(404);
  });

  test('go on behind the last event; behind the log they begin with a reset', async () => {
    const alice = await signIn('Alice');
    const first = await alice.listen('/customers');
    const start = (await first.next())?.id;
    await alice.send('PATCH', '/customers/1', { json: { city: 'Rome' } });
    const change = await first.next();
    const again = await alice.listen('/customers', start);
    expect(await again.next()).toEqual(change);
    for (let n = 0; n < 25; n += 1) await alice.send('PATCH', '/customers/1', { json: { city: `Rome ${n}` } });
    expect(await (await alice.listen('/customers', start)).next()).toMatchObject({ event: 'reset' });
    expect(await (await alice.listen('/customers', 'nonsense')).next()).toMatchObject({ event: 'reset' });
  });

  test('of an order with another total have a later revision, and the same version', async () => {
    const alice = await signIn('Alice');
    const { body: lines } = await alice.get('/lines?orderId=11');
    const orders = await alice.listen('/orders');
    await orders.next();
    const told: { readonly version: number; readonly revision: number; readonly total: string }[] = [];
    for (const quantity of [41, 42]) {
      await alice.send('PATCH', `/lines/${lines[0].id}`, { json: { quantity } });
      told.push((await orders.next())?.data.row);
    }
    const [first, second] = told;
    expect(second?.version).toBe(first?.version);
    expect(second?.revision).toBe(Number(first?.revision) + 1);
    expect(second?.total).not.toBe(first?.total);
  });

  test('that a client saw before the server was started again are followed by a reset', async () => {
    const alice = await signIn('Alice');
    const before = await (await alice.listen('/orders')).next();
    time += 60_000;
    const restarted = await startServer({ rows: 5, orders: 300, now: () => new Date(time) });
    try {
      // As many changes as the client has seen, so that its number would stand in the new log.
      for (let n = 0; n < 40; n += 1) await restarted.send('PATCH', '/api/orders/9', { json: { note: `Other ${n}` } });
      const { body: grant } = await restarted.send('POST', '/app/sign-in', { json: { name: 'Alice' } });
      const headers = { Authorization: `Bearer ${grant.token}`, 'Last-Event-ID': before?.id ?? '' };
      const orders = await listen('/orders', headers, restarted.url);
      expect(await orders.next()).toMatchObject({ event: 'reset' });
    } finally {
      await restarted.stop();
    }
  });

  test('of all tables end with a reset when the tables are filled anew', async () => {
    const refilled = await startServer({ rows: 5, orders: 300 });
    try {
      const { body: grant } = await refilled.send('POST', '/app/sign-in', { json: { name: 'Alice' } });
      const customers = await listen('/customers', { Authorization: `Bearer ${grant.token}` }, refilled.url);
      await customers.next();
      refilled.server.reset();
      expect(await customers.next()).toMatchObject({ event: 'reset' });
    } finally {
      await refilled.stop();
    }
  });

  test('of a name that many orders show make them be read again', async () => {
    const alice = await signIn('Alice');
    const orders = await alice.listen('/orders');
    await orders.next();
    await alice.send('PATCH', '/customers/1', { json: { name: 'Ada Renamed' } });
    expect(await orders.next()).toMatchObject({ event: 'reset' });
  });

  test('are made by somebody else on request', async () => {
    const alice = await signIn('Alice');
    const { status, body } = await server.send('POST', '/app/elsewhere', {
      json: { ids: [8], values: { note: 'Mine' } },
    });
    expect([status, body]).toMatchObject([200, { id: 8, note: 'Mine' }]);
    const { body: history } = await alice.get('/changes?orderId=8');
    expect(history).toMatchObject([{ who: 'Carol', field: 'note' }]);
    expect((await server.send('POST', '/app/elsewhere', { json: { ids: [8] } })).status).toBe(200);
    expect((await server.send('POST', '/app/elsewhere', { json: { ids: [] } })).status).toBe(422);
  });

  test('are made by somebody else, many in one request, and the stream tells each of them', async () => {
    const alice = await signIn('Alice');
    const orders = await alice.listen('/orders');
    await orders.next();
    const changes = [
      { id: 8, values: { note: 'First' } },
      { id: 9, values: { note: 'Second' } },
      { id: 8, values: { note: 'Third' } },
    ];
    const { status, body } = await server.send('POST', '/app/elsewhere', { json: { changes } });
    const rows = [
      { id: 8, note: 'First' },
      { id: 9, note: 'Second' },
      { id: 8, note: 'Third' },
    ];
    expect([status, body]).toMatchObject([200, rows]);
    for (const row of rows)
      expect(await orders.next()).toMatchObject({
        data: expect.objectContaining({ row: expect.objectContaining(row) }),
      });
  });

  test('are made by somebody else either all or not at all', async () => {
    const alice = await signIn('Alice');
    const before = (await alice.get('/orders/8')).body;
    for (const second of [{ id: 9 }, { id: 'x', values: {} }, { id: 999_999, values: { note: 'Lost' } }, 7]) {
      const json = { changes: [{ id: 8, values: { note: 'Undone' } }, second] };
      expect((await server.send('POST', '/app/elsewhere', { json })).status).toBeGreaterThanOrEqual(400);
    }
    expect((await alice.get('/orders/8')).body).toEqual(before);
  });
});

describe('situations', () => {
  test('break each request of one client only', async () => {
    const [alice, bob] = [await signIn('Alice'), await signIn('Bob')];
    await alice.situation({ broken: '500' });
    expect((await alice.get('/orders/9')).status).toBe(500);
    expect((await server.send('POST', '/app/sign-in', { json: { name: 'Alice' } })).status).toBe(500);
    expect((await bob.get('/orders/9')).status).toBe(200);
    await alice.situation({ broken: 'html' });
    const headers = { Authorization: `Bearer ${alice.grant.token}` };
    expect(await (await fetch(`${server.url}/app/orders/9`, { headers })).text()).toContain('<h1>');
    await alice.situation({ broken: null });
    expect((await alice.get('/orders/9')).status).toBe(200);
  });

  test('take the server down: no response, and the streams end', async () => {
    const alice = await signIn('Alice');
    const orders = await alice.listen('/orders');
    await orders.next();
    await alice.situation({ broken: 'down' });
    expect(await orders.next()).toBeUndefined();
    await expect(alice.get('/orders/9')).rejects.toThrow('fetch failed');
  });

  test('end the sign-in, until the client signs in again', async () => {
    const alice = await signIn('Alice');
    await alice.situation({ broken: '401' });
    expect((await alice.get('/orders/9')).status).toBe(401);
    expect((await server.send('POST', '/app/renew', { json: { renewal: alice.grant.renewal } })).status).toBe(401);
    expect((await (await signIn('Alice')).get('/orders/9')).status).toBe(200);
  });

  test('let the token expire, which a renewal mends', async () => {
    const alice = await signIn('Alice');
    await alice.situation({ expire: true });
    expect((await alice.get('/orders/9')).body.detail).toBe('The sign-in has expired; renew it');
    expect((await server.send('POST', '/app/renew', { json: { renewal: alice.grant.renewal } })).status).toBe(200);
  });

  test('refuse writes, and let reads pass', async () => {
    const alice = await signIn('Alice');
    await alice.situation({ broken: '409' });
    expect((await alice.send('PATCH', '/orders/9', { json: { note: 'x' } })).status).toBe(409);
    await alice.situation({ broken: '422' });
    const one = await alice.send('PATCH', '/orders/9', { json: { id: 9, note: 'x' } });
    expect([one.status, Object.keys(one.body.errors)]).toEqual([422, ['note']]);
    const several = await alice.send('PATCH', '/orders', { json: [{ id: 9, note: 'x' }] });
    expect(Object.keys(several.body.errors)).toEqual(['0.note']);
    expect((await alice.get('/orders/9')).body.note).not.toBe('x');
  });

  test('make events come twice, in another order, or not at all', async () => {
    const alice = await signIn('Alice');
    const edit = (note: string) => alice.send('PATCH', '/orders/10', { json: { note } });
    const seen = async (feed: string, count: number) => {
      await alice.situation({ feed });
      const orders = await alice.listen('/orders');
      await orders.next();
      for (const note of ['a', 'b', 'c', 'd']) await edit(`${feed} ${note}`);
      const notes: string[] = [];
      while (notes.length < count) notes.push(String((await orders.next())?.data.row.note).slice(-1));
      return notes.join('');
    };
    expect(await seen('repeat', 8)).toBe('aabbccdd');
    expect(await seen('reorder', 4)).toBe('badc');
    expect(await seen('skip', 2)).toBe('ac');
  });

  test('must be known, and name their client', async () => {
    const { status, body } = await server.send('POST', '/app/situations', {
      json: { client: 'Alice', slow: -1, broken: 'x' },
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['slow', 'broken']]);
    expect((await server.send('POST', '/app/situations', { json: { slow: 1 } })).status).toBe(422);
  });
});
