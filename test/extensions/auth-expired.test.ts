import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthError, auth, DefinitionError, type HttpResponse, Model, plain } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { afterEach, describe, expect, test } from 'vitest';

/** The answers of the server while nobody is signed in: by the address of the request. */
const ENDS: Record<string, (response: http.ServerResponse) => void> = {
  '/tokens': (response) => response.writeHead(419, { 'Content-Type': 'application/json' }).end('{"message":"gone"}'),
  '/checked': (response) => response.writeHead(403, { 'Content-Type': 'text/html' }).end('<h1>CSRF verification</h1>'),
  '/pages': (response) => response.writeHead(302, { Location: '/login' }).end(),
};

let close: () => void = () => undefined;
afterEach(() => close());

/** A server whose answers to nobody are no 401, and a model that renews by `isExpired`. */
async function setUp(isExpired: (response: HttpResponse) => boolean, renew?: () => unknown) {
  const world = { signedIn: false, renewed: 0, writes: 0, asked: 0 };
  const server = http.createServer((request, response) => {
    request.resume();
    if (request.url === '/login')
      return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    const place = Object.keys(ENDS).find((each) => request.url?.startsWith(each)) ?? '';
    if (!world.signedIn) return ENDS[place]?.(response);
    if (request.method !== 'GET') world.writes += 1;
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":1,"name":"a"}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  close = () => server.close();
  const signIn = auth({
    isExpired: (response) => {
      world.asked += 1;
      return isExpired(response);
    },
    renew:
      renew ??
      (() => {
        world.renewed += 1;
        world.signedIn = true;
      }),
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const modelAt = (url: string) =>
    class Task extends Model.define({
      name: 'task',
      fields: { id: 'int', name: 'string' },
      proxy: { type: 'rest', baseUrl, url, dialect: plain(), use: [signIn] },
    }) {};
  return { world, modelAt };
}

const isOver = ({ status, redirected, headers }: HttpResponse) =>
  [302, 403, 419].includes(status) || (redirected && /^text\/html/.test(headers.get('content-type') ?? ''));

describe('a response that `isExpired` takes for the end of a sign-in', () => {
  test.each(Object.keys(ENDS))('renews it, and a read of %s is sent once more', async (url) => {
    const { world, modelAt } = await setUp(isOver);
    expect((await modelAt(url).load(1)).name).toBe('a');
    expect(world.renewed).toBe(1);
  });

  test.each(Object.keys(ENDS))('renews it, and a write of %s is sent once more, once', async (url) => {
    const { world, modelAt } = await setUp(isOver);
    const Task = modelAt(url);
    const created = new Task({ name: 'a' });
    await created.save();
    expect(created.$.unconfirmed).toBe(false);
    const changed = Task.fromRow({ id: 1, name: 'b' });
    changed.name = 'a';
    await changed.save();
    expect(world).toMatchObject({ renewed: 1, writes: 2 });
  });

  test.each(Object.keys(ENDS))('is a refused sign-in at %s where the renewal fails', async (url) => {
    const { world, modelAt } = await setUp(isOver, () => false);
    const created = new (modelAt(url))({ name: 'a' });
    const error = await created.save().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ status: 401, userMessage: 'Please sign in again.' });
    expect([created.$.unconfirmed, created.name, world.writes]).toEqual([false, 'a', 0]);
  });

  test('is a refused sign-in where it comes again after the renewal', async () => {
    const { modelAt } = await setUp(isOver, () => true);
    const error = await modelAt('/pages')
      .load(1)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'auth', status: 401, userMessage: 'Please sign in again.' });
  });

  test('lets an outbox wait for the sign-in', async () => {
    const { world, modelAt } = await setUp(isOver, () => false);
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
    const Task = modelAt('/tokens').with({ proxy: { use: [outbox] } });
    const task = Task.fromRow({ id: 1, name: 'b' });
    task.name = 'a';
    await expect(task.save()).rejects.toMatchObject({ code: 'auth', queued: true });
    world.signedIn = true;
    await outbox.send();
    expect([world.writes, task.dirty]).toEqual([1, false]);
    await outbox.close();
  });
});

test('other responses are what they were, and a 401 is left to the function', async () => {
  const { world, modelAt } = await setUp(() => false);
  await expect(modelAt('/tokens').load(1)).rejects.toMatchObject({ code: 'http', status: 419 });
  expect(world).toMatchObject({ renewed: 0, asked: 1 });
});

test('an `isExpired` that is no function is refused', () => {
  expect(() => auth({ renew: () => undefined, isExpired: 419 as never })).toThrow(DefinitionError);
});
