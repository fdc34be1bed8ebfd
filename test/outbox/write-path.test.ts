import { decide, type Extension, Model, plain, rollback, Store } from 'repose';
import type { Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { deferred } from '../helpers/rest-server.js';
import { openOutbox } from './open-outbox.js';
import { type ModelServer, modelServer } from './server.js';
import { startApp } from './setting.js';
import { disk, type TestStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const creates = ({ log }: ModelServer) =>
  log.filter(({ method }) => method === 'POST').map(({ body, key }) => [body?.['name'], key !== null]);

/** A store with a proxy, and a model without one. */
function unbound(server: ModelServer, outbox?: Outbox) {
  class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' } }) {}
  const use = outbox ? [outbox] : [];
  const proxy = {
    type: 'rest',
    url: '/users',
    baseUrl: 'http://model.test',
    dialect: plain(),
    fetch: server.fetch,
    use,
  };
  return new Store({ model: User, proxy: proxy as never });
}

describe('an unconfirmed create', () => {
  test('is not repeated without the idempotency key of its first request', async () => {
    const { User, outbox, server, storage } = await startApp();
    const user = new User({ name: 'Ada' });
    server.fault = () => 'after';
    await quiet(user.save());
    await outbox.close();
    server.fault = () => undefined;
    // The next version of the application uses no idempotency keys.
    const next = await startApp({ server, storage, keys: false });
    await next.outbox.send();
    expect(creates(server)).toEqual([['Ada', true]]);
    const [write] = next.outbox.failed;
    expect([next.outbox.failed.length, write?.state, write?.error]).toMatchObject([
      1,
      'unconfirmed',
      { code: 'outbox-unconfirmed' },
    ]);
    // The user has checked that the record does not exist.
    server.table('users').clear();
    await next.outbox.retry(write as { key: string });
    await next.outbox.drained();
    expect([creates(server), server.table('users').size, next.outbox.size]).toEqual([
      [
        ['Ada', true],
        ['Ada', false],
      ],
      1,
      0,
    ]);
  });

  test('under a new key is repeated with the body first sent under that key', async () => {
    const { User, outbox, server, storage } = await startApp({ keys: false });
    server.fault = () => 'before';
    await quiet(new User({ name: 'a' }).save());
    await outbox.close();
    const next = await startApp({ server, storage, keys: true });
    const [user] = new Store({ model: next.User }).pending.created;
    if (!user) throw new Error('no record');
    user.name = 'b';
    await quiet(user.save({ repeat: true }));
    user.name = 'c';
    await quiet(user.save());
    expect(creates(server)).toEqual([
      ['a', false],
      ['b', true],
      ['b', true],
    ]);
  });

  test('is settled with decide() though its model has no proxy, also after a restart', async () => {
    const server = modelServer();
    const [storage, clock] = [disk(), manualClock()];
    const outbox = await openOutbox({ scope: 'user-7', storage, clock });
    const store = unbound(server, outbox);
    store.add({ name: 'a' });
    server.fault = () => 'after';
    await store.sync();
    await outbox.close();
    const again = await openOutbox({ scope: 'user-7', storage, clock });
    const [user] = unbound(server, again).pending.created;
    expect(user?.$.unconfirmed).toBe(true);
    decide(user as Model, null);
    expect([user?.$.unconfirmed, user?.phantom]).toEqual([false, true]);
  });

  test('is settled with decide() though its model has no proxy, also after a rollback', async () => {
    const server = modelServer();
    const store = unbound(server);
    store.add({ name: 'a' }, { name: 'b' });
    server.fault = (method) => (method === 'DELETE' ? 'before' : server.log.length === 2 ? 400 : undefined);
    await store.sync({ onFailure: rollback, concurrency: 1 });
    const [user] = store.pending.created;
    expect(user?.$.unconfirmed).toBe(true);
    decide(user as Model, { id: 101, name: 'a' });
    expect([user?.$.unconfirmed, user?.id]).toEqual([false, 101]);
  });
});

test('a write that an extension sends twice has one entry, and holds its lock once', async () => {
  const twice: Extension = {
    name: 'twice',
    layer: 15,
    async write(write, next) {
      const [first] = await next(write);
      return first?.error ? next(write) : [first as never];
    },
  };
  const { User: Base, outbox, server, storage } = await startApp();
  const User = Base.with({ proxy: { use: [twice] } });
  server.table('users').set(7, { id: 7, name: 'a' });
  const user = await User.load(7);
  let lost = 2;
  server.fault = () => (lost-- > 0 ? 'before' : undefined);
  user.name = 'b';
  expect(await quiet(user.save())).toMatchObject({ queued: true });
  expect(outbox.entries).toHaveLength(1);
  await outbox.send();
  expect([server.table('users').get(7)?.['name'], outbox.size, await storage.all()]).toEqual(['b', 0, []]);
});

describe('erasing a new record whose create is in the outbox', () => {
  /** A storage whose changes wait for `gate`. */
  function slow(): TestStorage & { gate: Promise<void> } {
    const inner = disk();
    const storage: TestStorage & { gate: Promise<void> } = {
      ...{ ...inner, gate: Promise.resolve() },
      async append(items) {
        await storage.gate;
        return inner.append(items);
      },
      async remove(...given) {
        await storage.gate;
        await inner.remove(...given);
      },
    };
    return storage;
  }

  test.each(['the model', 'the store'])(
    'resolves after the entry was removed from the storage, with the proxy of %s',
    async (whose) => {
      const server = modelServer();
      const storage = slow();
      const app = await startApp({ server, storage });
      const store = whose === 'the model' ? new Store({ model: app.User }) : unbound(server, app.outbox);
      const [user] = store.add({ name: 'a' });
      server.fault = () => 400;
      await store.sync();
      expect(await storage.all()).toHaveLength(1);
      const gate = deferred<void>();
      storage.gate = gate.promise;
      const seen: string[] = [];
      const erasing = user?.erase().then(() => seen.push('erased'));
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      seen.push('stored');
      gate.resolve();
      await erasing;
      expect([seen, await storage.all()]).toEqual([['stored', 'erased'], []]);
    },
  );
});
