import { beforeEach, expect, test } from 'vitest';
import { type Api, createApi } from '../src/api/models';
import { endSignIns, serve, server } from '../src/api/server';
import { SignIn } from '../src/api/sign-in';

const rows = server.rows('/api/orders');
let signIn: SignIn;
let api: Api;
let isOffline = false;

beforeEach(async () => {
  server.setRows('/api/orders', rows);
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  signIn = new SignIn(serve, storage);
  expect(await signIn.signIn('ada', 'secret')).toBeUndefined();
  isOffline = false;
  api = createApi(signIn, (input, init) =>
    isOffline ? Promise.reject(new TypeError('No network')) : serve(input, init),
  );
});

test('an order shows its sum', async () => {
  const order = await api.Order.load(1);
  expect(order.cents).toBe(12_950);
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
  await api.outbox.flush();
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
