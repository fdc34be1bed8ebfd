import 'fake-indexeddb/auto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDBFactory } from 'fake-indexeddb';
import { idempotency, Model, plain } from 'repose';
import {
  fileStorage,
  indexedDbStorage,
  memoryStorage,
  Outbox,
  type OutboxError,
  type OutboxStorage,
} from 'repose/outbox';
import { restServer } from 'repose/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { deferred } from '../helpers/rest-server.js';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

/** Storages as an application makes them: one for all outboxes, or one for each, of the same name. */
const storages: readonly (readonly [string, () => () => OutboxStorage])[] = [
  ['one storage in memory', () => ofOne(memoryStorage())],
  ['one IndexedDB storage', () => ofOne(indexedDbStorage('app'))],
  ['IndexedDB storages of one name', () => () => indexedDbStorage('app')],
];
const ofOne = (storage: OutboxStorage) => () => storage;

function app(storageOf: () => OutboxStorage) {
  const server = restServer({ collections: { '/api/tasks': [{ id: 1, title: 'Write' }] } });
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: {
      ...{ type: 'rest', url: '/api/tasks', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
      use: [idempotency()],
    },
  }) {}
  /** Makes an outbox as an effect of a component does that is mounted. */
  const mount = () => {
    const outbox = new Outbox({ scope: 'Ada', storage: storageOf(), models: [Task], locks: false });
    return { outbox, Task: Task.with({ proxy: { use: [outbox] } }) };
  };
  const writes = () => server.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return { server, mount, writes };
}

test('another outbox over one file waits for the end of the one before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reopened-'));
  const storage = fileStorage(join(folder, 'writes.log'));
  const { mount, writes } = app(() => storage);
  void mount().outbox.close();
  const { outbox, Task } = mount();
  await new Task({ title: 'Print' }).save();
  const third = mount();
  await expect(third.outbox.ready).rejects.toMatchObject({ code: 'outbox-locked' });
  await third.outbox.close();
  await new Task({ title: 'Sort' }).save();
  expect([writes(), outbox.problems]).toEqual([['POST', 'POST'], []]);
  await outbox.close();
  await rm(folder, { recursive: true });
});

describe.each(storages)('another outbox over %s', (_, storagesOf) => {
  test('waits for the end of the one before, as when StrictMode mounts, unmounts and mounts', async () => {
    const { server, mount, writes } = app(storagesOf());
    const first = mount();
    const closed = first.outbox.close();
    const { outbox, Task } = mount();
    const task = Task.fromRow({ id: 1, title: 'Write' });
    task.title = 'Write a letter';
    await task.save();
    await Promise.all([closed, outbox.ready]);
    expect([writes(), server.rows('/api/tasks')]).toEqual([['PATCH'], [{ id: 1, title: 'Write a letter' }]]);
    expect([outbox.status.get().error, outbox.problems]).toEqual([undefined, []]);
    await outbox.close();
  });

  test('sends what the one before has kept, once, and waits for what it is sending', async () => {
    const { server, mount, writes } = app(storagesOf());
    const first = mount();
    const task = new first.Task({ title: 'Print' });
    server.fetch.plan({ type: 'hold', what: 'answer' });
    const saved = task.save();
    await expect.poll(writes).toEqual(['POST']);
    server.fetch.plan({ type: 'drop' });
    const kept = first.Task.fromRow({ id: 1, title: 'Write' });
    kept.title = 'Write a letter';
    await kept.save().catch(() => undefined);
    const closed = first.outbox.close();
    const second = mount();
    expect(await Promise.race([second.outbox.ready.then(() => 'open'), Promise.resolve('waits')])).toBe('waits');
    server.fetch.release();
    await saved;
    await closed;
    await second.outbox.send();
    expect([writes(), second.outbox.size]).toEqual([['POST', 'PATCH', 'PATCH'], 0]);
    expect(server.rows('/api/tasks')).toMatchObject([{ title: 'Write a letter' }, { title: 'Print' }]);
    await second.outbox.close();
  });

  test('can follow several that were closed before they were open', async () => {
    const { mount, writes } = app(storagesOf());
    for (let turn = 0; turn < 4; turn += 1) void mount().outbox.close();
    const { outbox, Task } = mount();
    await outbox.ready;
    await new Task({ title: 'Print' }).save();
    expect(writes()).toEqual(['POST']);
    await outbox.close();
  });

  test('is refused while the other one stays open, and leaves that one its storage when it is closed', async () => {
    const { mount, writes } = app(storagesOf());
    const first = mount();
    await first.outbox.ready;
    const { outbox: refused } = mount();
    await expect(refused.ready).rejects.toMatchObject({ code: 'outbox-opened-twice' });
    expect(refused.status.get().error).toMatchObject({ code: 'outbox-opened-twice' });
    await refused.close();
    await new first.Task({ title: 'Print' }).save();
    expect([writes(), first.outbox.size, first.outbox.problems]).toEqual([['POST'], 0, []]);
    await first.outbox.close();
  });

  test('that is refused rejects flush() and drained(), also when it has told so', async () => {
    const { mount } = app(storagesOf());
    const first = mount();
    await first.outbox.ready;
    const { outbox: refused } = mount();
    const error = { code: 'outbox-opened-twice' };
    await expect(refused.send()).rejects.toMatchObject(error);
    await expect(refused.send()).rejects.toMatchObject(error);
    await expect(refused.drained()).rejects.toMatchObject(error);
    await first.outbox.close();
  });

  test('ends flush() when it is closed meanwhile', async () => {
    const { mount, server } = app(storagesOf());
    const { outbox, Task } = mount();
    await outbox.ready;
    server.fetch.plan('drop');
    await new Task({ title: 'Print' }).save().catch(() => undefined);
    const flushed = outbox.send();
    await outbox.close();
    await flushed;
  });
});

test('an outbox waits for no other one that closes, if nobody has its storage', async () => {
  const { server, mount } = app(() => memoryStorage());
  const first = mount();
  const answer = deferred<void>();
  server.fetch.plan({ type: 'hold', what: 'answer' });
  const saved = new first.Task({ title: 'Print' }).save().finally(() => answer.resolve());
  await expect.poll(() => server.requests.length).toBe(1);
  const closed = first.outbox.close();
  const second = mount();
  await second.outbox.ready;
  server.fetch.release();
  await Promise.all([saved, answer.promise, closed]);
  await second.outbox.close();
});

test('a save whose turn comes after close() says that it is kept, and is sent by the next outbox', async () => {
  const storage = memoryStorage();
  const { server, mount, writes } = app(() => storage);
  const first = mount();
  const task = first.Task.fromRow({ id: 1, title: 'Write' });
  server.fetch.plan({ type: 'hold', what: 'answer' });
  task.title = 'Write a letter';
  const saved = task.save();
  await expect.poll(writes).toEqual(['PATCH']);
  task.title = 'Send it';
  const waiting = task.save().catch((error: unknown) => error);
  const closed = first.outbox.close();
  await expect.poll(() => first.outbox.entries.length).toBe(1);
  server.fetch.release();
  await Promise.all([saved, closed]);
  expect(await waiting).toMatchObject({ code: 'outbox-closed', queued: true });
  const late = first.Task.fromRow({ id: 1, title: 'Write' });
  late.title = 'Too late';
  const error = (await late.save().catch((reason: unknown) => reason)) as OutboxError;
  expect([error.code, error.queued]).toEqual(['outbox-closed', undefined]);
  const { outbox } = mount();
  await outbox.send();
  expect([server.rows('/api/tasks'), outbox.size]).toEqual([[{ id: 1, title: 'Send it' }], 0]);
  await outbox.close();
});
