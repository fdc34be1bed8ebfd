import { Store } from 'repose';
import type { Outbox, OutboxEntry, OutboxStatus } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { startApp } from './setting.js';
import { disk } from './shared-storage.js';

const idle = { waiting: 0, failed: 0, sending: 0, online: true, paused: false, error: undefined };
const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

function watch(outbox: Outbox): OutboxStatus[] {
  const told: OutboxStatus[] = [];
  outbox.status.subscribe(() => {
    const status = outbox.status.get();
    told.push(status);
    // The counts are kept by an index; they must be those that the outbox hands out.
    expect([status.failed, status.waiting + status.failed]).toEqual([outbox.failed.length, outbox.size]);
  });
  return told;
}

/** A network that a test switches. */
function network(canTellLoss = true) {
  const listeners = { online: new Set<() => void>(), offline: new Set<() => void>() };
  const listen = (event: 'online' | 'offline') => (listener: () => void) => {
    listeners[event].add(listener);
    return () => listeners[event].delete(listener);
  };
  const connection = {
    online: true,
    onOnline: listen('online'),
    ...(canTellLoss && { onOffline: listen('offline') }),
  };
  const set = (online: boolean) => {
    connection.online = online;
    for (const listener of listeners[online ? 'online' : 'offline']) listener();
  };
  return { connection, listeners, set };
}

describe('the status of an outbox', () => {
  test('is frozen, and the same object until something changes', async () => {
    const { outbox } = await startApp();
    const status = outbox.status.get();
    expect(status).toEqual(idle);
    expect([Object.isFrozen(status), outbox.status.get() === status]).toEqual([true, true]);
    outbox.pause();
    expect(outbox.status.get()).toEqual({ ...idle, paused: true });
  });

  test('tells that a write is stored, being sent, and done', async () => {
    const { User, outbox } = await startApp();
    const told = watch(outbox);
    await new User({ name: 'Ada' }).save();
    expect(told.slice(0, 2)).toEqual([
      { ...idle, waiting: 1 },
      { ...idle, waiting: 1, sending: 1 },
    ]);
    await outbox.drained();
    expect(told.at(-1)).toEqual(idle);
    expect(told).toHaveLength(new Set(told).size);
  });

  test('tells a refused write, and forgets its error when the application decides', async () => {
    const { User, outbox, server } = await startApp();
    const told = watch(outbox);
    server.fault = () => 422;
    await quiet(new User({ name: '' }).save());
    await expect.poll(() => told.at(-1)).toMatchObject({ failed: 1, waiting: 0, sending: 0, error: { status: 422 } });
    await outbox.discard(outbox.entries[0] as OutboxEntry);
    expect(told.at(-1)).toEqual(idle);
  });

  test('counts an unconfirmed create, and the writes that it holds, as those that need a decision', async () => {
    const { User, Task, outbox, server } = await startApp({ keys: false });
    const told = watch(outbox);
    const user = new User({ name: 'Ada' });
    server.fault = () => 'after';
    await quiet(user.save());
    server.fault = () => undefined;
    await quiet(new Task({ title: 't', userId: user.id as number }).save());
    await expect.poll(() => told.at(-1)).toMatchObject({ failed: 2, waiting: 0 });
    expect(outbox.failed.map(({ state }) => state)).toEqual(['unconfirmed', 'held']);
    await outbox.retry(outbox.entries[0] as OutboxEntry);
    await outbox.drained();
    await expect.poll(() => told.at(-1)).toEqual(idle);
  });

  test('shows a lost network at once, with the number of writes kept', async () => {
    const { connection, set, listeners } = network();
    const { User, outbox } = await startApp({ connection });
    const told: OutboxStatus[] = [];
    const stop = outbox.status.subscribe(() => told.push(outbox.status.get()));
    set(false);
    expect(told).toEqual([{ ...idle, online: false }]);
    await quiet(new User({ name: 'Ada' }).save());
    await expect
      .poll(() => told.at(-1))
      .toMatchObject({ waiting: 1, sending: 0, online: false, error: { code: 'network' } });
    set(true);
    expect(told.at(-1)).toMatchObject({ online: true });
    await outbox.drained();
    await expect.poll(() => told.at(-1)).toEqual(idle);
    stop();
    // The sender of the outbox still listens for the network.
    expect([listeners.online.size, listeners.offline.size]).toEqual([1, 0]);
  });

  test('shows a network that its connection cannot tell to be lost with the next change', async () => {
    const { connection, set } = network(false);
    const { outbox } = await startApp({ connection });
    const told = watch(outbox);
    set(false);
    outbox.pause();
    expect(told).toEqual([{ ...idle, online: false, paused: true }]);
  });

  test('counts writes of models that it does not know yet, until a model is registered', async () => {
    const server = modelServer();
    const storage = disk();
    const first = await startApp({ server, storage, autoStart: false });
    server.fault = () => 503;
    await quiet(new first.User({ name: 'Ada' }).save());
    const { outbox, User } = await startApp({ server, storage, models: [] });
    const told = watch(outbox);
    expect(outbox.status.get()).toMatchObject({ waiting: 0, failed: 1 });
    new Store({ model: User });
    expect(told.at(-1)).toMatchObject({ waiting: 1, failed: 0 });
    await outbox.close();
  });

  test('shows `pause()`, `resume()` and `autoStart: false`', async () => {
    const { outbox } = await startApp({ autoStart: false });
    const told = watch(outbox);
    expect(outbox.status.get().paused).toBe(true);
    outbox.resume();
    outbox.resume();
    outbox.pause();
    expect(told.map(({ paused }) => paused)).toEqual([false, true]);
  });
});
