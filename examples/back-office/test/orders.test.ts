import { beforeEach, expect, test } from 'vitest';
import { type Api, centsOf, createApi } from '../src/api/models';
import { endSignIns, serve, server } from '../src/api/server';
import { SignIn } from '../src/api/sign-in';

const rows = server.rows('/api/orders');
let signIn: SignIn;
let api: Api;
let isOffline = false;

function memory(kept = new Map<string, string>()) {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

beforeEach(async () => {
  server.setRows('/api/orders', rows);
  signIn = new SignIn(serve, memory());
  expect(await signIn.signIn('ada', 'secret')).toBeUndefined();
  isOffline = false;
  api = createApi(signIn, (input, init) =>
    isOffline ? Promise.reject(new TypeError('No network')) : serve(input, init),
  );
});

test('an order shows its sum', async () => {
  const order = await api.Order.load(1);
  expect(centsOf(order.lines)).toBe(12_950);
});

test('the server and the model refuse wrong values by field', async () => {
  const order = await api.Order.load(1);
  order.number = '';
  await expect(order.save()).rejects.toMatchObject({ code: 'validation', issues: [{ message: 'is needed' }] });
  order.number = '2026-000';
  await expect(order.save()).rejects.toMatchObject({ status: 422 });
  expect(order.$.errors.number?.map(({ message }) => message)).toEqual(['is used by another order']);
});

test('a save meets what somebody else has saved, and merges with it', async () => {
  const order = await api.Order.load(1);
  server.setRows(
    '/api/orders',
    rows.map((row) => ({ ...row, status: 'sent' })),
  );
  order.due = '2027-01-01';
  await expect(order.save()).rejects.toMatchObject({ code: 'conflict' });
  const { error } = order.$;
  if (error?.code === 'conflict') await error.merge();
  expect(server.rows('/api/orders')[0]).toMatchObject({ status: 'sent', due: '2027-01-01' });
});

test('a save without a network waits in the outbox, and is sent later', async () => {
  const order = await api.Order.load(1);
  isOffline = true;
  order.status = 'sent';
  await expect(order.save()).rejects.toMatchObject({ code: 'network', queued: true });
  expect(api.outbox.status.get().waiting).toBe(1);
  isOffline = false;
  await api.outbox.send();
  await api.outbox.drained();
  expect(server.rows('/api/orders')[0]).toMatchObject({ status: 'sent' });
});

test('a request waits until the user has signed in again', async () => {
  endSignIns();
  const loading = api.Order.load(1);
  await expect.poll(() => signIn.get()).toEqual({ name: 'ada', ended: true });
  expect(await signIn.signIn('ada', 'wrong')).toBe('Name or password is wrong.');
  expect(await signIn.signIn('ada', 'secret')).toBeUndefined();
  expect((await loading).number).toBe('2026-001');
  expect(signIn.get().ended).toBe(false);
});

test('what waits for one user is never sent with the token of another one', async () => {
  const order = await api.Order.load(1);
  isOffline = true;
  order.status = 'sent';
  await expect(order.save()).rejects.toMatchObject({ queued: true });
  signIn.signOut();
  await signIn.signIn('bob', 'secret');
  isOffline = false;
  await api.outbox.send();
  expect(server.rows('/api/orders')[0]).toMatchObject({ status: 'new' });
  await signIn.signIn('ada', 'secret');
  await api.outbox.send();
  await api.outbox.drained();
  expect(server.rows('/api/orders')[0]).toMatchObject({ status: 'sent' });
});

test('a renewal that is answered after a sign-out signs nobody in', async () => {
  let answer: (response: Response) => void = () => undefined;
  const slow: typeof fetch = (input, init) =>
    String(input).endsWith('/renew')
      ? new Promise((resolve) => {
          answer = resolve;
        })
      : serve(input, init);
  signIn = new SignIn(slow, memory(new Map([['back-office', JSON.stringify({ name: 'ada', token: 'ada 0' })]])));
  api = createApi(signIn);
  const loading = api.Order.load(1).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 10));
  signIn.signOut();
  answer(Response.json({ token: 'ada 1', refresh: 'refresh ada' }));
  expect(await loading).toMatchObject({ code: 'auth' });
  expect(signIn.get()).toEqual({ name: undefined, ended: false });
});

test('a server that is down does not end the sign-in', async () => {
  let isDown = true;
  const down: typeof fetch = async (input, init) =>
    isDown && String(input).endsWith('/renew') ? Response.json({}, { status: 503 }) : serve(input, init);
  const kept = JSON.stringify({ name: 'ada', token: 'ada 0', refresh: 'refresh ada' });
  signIn = new SignIn(down, memory(new Map([['back-office', kept]])));
  api = createApi(signIn);
  await expect(api.Order.load(1)).rejects.toMatchObject({ code: 'auth' });
  expect(signIn.get()).toEqual({ name: 'ada', ended: false });
  isDown = false;
  expect((await api.Order.load(1)).number).toBe('2026-001');
});

test('an answer without a reason, or with a wrong body, does not count as a sign-in', async () => {
  const failing = new SignIn(async () => Response.json({}, { status: 500 }), memory());
  expect(await failing.signIn('ada', 'secret')).toBe('The server cannot do this now. Please try again later.');
  const odd = new SignIn(async () => new Response('<html>'), memory(new Map([['back-office', '{']])));
  expect(await odd.signIn('ada', 'secret')).toBe('The server cannot be reached.');
  expect(odd.get().name).toBeUndefined();
});
