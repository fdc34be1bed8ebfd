import { Store } from 'repose';
import type { OutboxEntry } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import type { Fault } from './server.js';
import { type App, startApp } from './setting.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** A store with one user, and an outbox that sends nothing by itself. */
async function opened() {
  const app = await startApp({ autoStart: false });
  const { server, User } = app;
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a' });
  const store = new Store({ model: User, pageSize: 0 });
  await store.load();
  return { ...app, store, user: store.getAt(0) as InstanceType<App['User']> };
}

/** The same setting after an update to `Grace` that failed with a fault and stays queued. */
async function queued(fault: Fault) {
  const setting = await opened();
  const { server, outbox, store, user } = setting;
  server.fault = () => fault;
  user.name = 'Grace';
  await store.sync();
  server.fault = () => undefined;
  expect(outbox.size).toBe(1);
  return setting;
}

const nameOf = ({ server }: Pick<App, 'server'>) => server.table('users').get(1)?.['name'];

const FAULTS: readonly Fault[] = ['before', 'after', 503, 401, 429];

describe('a value changed back while its update is queued', () => {
  test.each(FAULTS)('is written by the next sync (fault: %s)', async (fault) => {
    const { server, outbox, store, user } = await queued(fault);
    user.name = 'Ada';
    expect(store.pending.edited).toEqual([user]);
    await store.sync();
    await outbox.send();
    expect([nameOf({ server }), user.name, user.dirty, outbox.size]).toEqual(['Ada', 'Ada', false, 0]);
  });

  test.each(FAULTS)('is written by the next sync when the update was still in flight (fault: %s)', async (fault) => {
    const { server, outbox, store, user } = await opened();
    server.fault = () => {
      user.name = 'Ada';
      return fault;
    };
    user.name = 'Grace';
    await store.sync();
    server.fault = () => undefined;
    expect([user.name, user.dirty]).toEqual(['Ada', true]);
    await store.sync();
    await outbox.send();
    expect([nameOf({ server }), user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  });

  test('stays an unsaved edit while the queued value is written', async () => {
    for (const fault of FAULTS) {
      const { server, outbox, user } = await queued(fault);
      user.name = 'Ada';
      await outbox.send();
      expect([nameOf({ server }), user.name, user.$.modified, outbox.size]).toEqual([
        'Grace',
        'Ada',
        { name: 'Ada' },
        0,
      ]);
    }
  });

  test('stays an edit when a load brings a row without the queued update', async () => {
    const { server, outbox, store, user } = await queued('before');
    await store.load();
    user.name = 'Ada';
    expect(user.dirty).toBe(true);
    await store.load();
    expect(user.dirty).toBe(true);
    await store.sync();
    await outbox.send();
    expect([nameOf({ server }), user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  });

  test('is no edit after reject(), which shows the queued value again', async () => {
    const { server, outbox, user } = await queued('before');
    user.name = 'Ada';
    user.reject();
    expect([user.name, user.$.state.get().dirty]).toEqual(['Grace', false]);
    await outbox.send();
    expect([nameOf({ server }), user.name, user.dirty, outbox.size]).toEqual(['Grace', 'Grace', false, 0]);
  });

  test('is no edit after drop()', async () => {
    const { server, outbox, store, user } = await queued('after');
    user.set({ name: 'Ada', mail: undefined as never });
    server.fault = () => 'after';
    await store.sync();
    user.tags = ['draft'];
    const [entry] = outbox.entries;
    expect(entry).toMatchObject({ values: { name: 'Ada' }, cleared: ['mail'] });
    await outbox.discard(entry as NonNullable<typeof entry>);
    expect([user.name, user.mail, user.$.modified]).toEqual(['Ada', 'a', { tags: ['draft'] }]);
  });

  test('is written where the queued update had cleared the field', async () => {
    const { server, outbox, store, user } = await opened();
    server.fault = () => 401;
    user.mail = undefined as never;
    await store.sync();
    expect(outbox.entries).toMatchObject([{ values: {}, cleared: ['mail'] }]);
    server.fault = () => undefined;
    user.mail = 'a';
    expect(user.dirty).toBe(true);
    await store.sync();
    expect([server.table('users').get(1)?.['mail'], outbox.size]).toEqual(['a', 0]);
  });

  test('stays an edit over the value that was saved while the create was unconfirmed', async () => {
    const { server, User, outbox } = await startApp({ autoStart: false, keys: false });
    const user = new User({ name: 'Ada' });
    const waiting: Promise<unknown>[] = [];
    server.fault = () => {
      user.name = 'Grace';
      waiting.push(quiet(user.save()));
      user.name = 'Ada';
      return 'after';
    };
    await quiet(user.save());
    await Promise.all(waiting);
    server.fault = () => undefined;
    const [entry] = outbox.entries;
    expect(entry).toMatchObject({ state: 'unconfirmed', values: { name: 'Ada' }, later: { name: 'Grace' } });
    const [row] = server.table('users').values();
    await outbox.confirm(entry as NonNullable<typeof entry>, row as object);
    await outbox.send();
    expect([user.name, user.$.modified, outbox.size]).toEqual(['Ada', { name: 'Ada' }, 0]);
  });

  test.each<[string, boolean, Fault]>([
    ['queued offline', false, undefined],
    ['refused with 401', true, 401],
    ['refused with 422', true, 422],
  ])('stays an unsaved edit while a create with the other value is %s', async (_, online, fault) => {
    const connection = { online, onOnline: () => () => undefined };
    const { server, User, outbox } = await startApp({ autoStart: false, connection });
    const user = new User({ name: 'Ada' });
    user.name = 'Grace';
    server.fault = () => fault;
    await quiet(user.save());
    expect(outbox.entries).toMatchObject([{ action: 'create', values: { name: 'Grace' } }]);
    user.set({ name: 'Ada', mail: 'draft' });
    expect(user.$.modified).toEqual({ name: 'Ada', mail: 'draft' });
    server.fault = () => undefined;
    connection.online = true;
    if (outbox.failed[0]) await outbox.retry(outbox.failed[0]);
    await outbox.send();
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Grace' }]);
    expect([user.name, user.$.modified, outbox.size]).toEqual(['Ada', { name: 'Ada', mail: 'draft' }, 0]);
  });

  test.each([true, false])(
    'stays an unsaved edit when the create succeeds and the value saved behind it follows (keys: %s)',
    async (keys) => {
      const { server, User, outbox } = await startApp({ autoStart: false, keys });
      const user = new User({});
      user.name = 'Ada';
      const behind: Promise<unknown>[] = [];
      server.fault = () => {
        if (behind.length === 0) {
          user.name = 'Grace';
          behind.push(quiet(user.save()));
        }
        return 'after';
      };
      await quiet(user.save());
      await Promise.all(behind);
      server.fault = () => undefined;
      user.set({ name: 'Ada', mail: 'draft' });
      const [entry] = outbox.entries as [OutboxEntry];
      expect(entry).toMatchObject({ values: { name: 'Ada' }, later: { name: 'Grace' } });
      const [row] = server.table('users').values();
      if (!keys) await outbox.confirm(entry, row as object);
      await outbox.send();
      await outbox.send();
      expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Grace' }]);
      expect([user.name, user.$.modified, outbox.size]).toEqual(['Ada', { name: 'Ada', mail: 'draft' }, 0]);
    },
  );

  test('is sent in place of the update that was refused', async () => {
    const { server, outbox, store, user } = await queued(422);
    expect(outbox.failed).toMatchObject([{ state: 'failed' }]);
    user.name = 'Ada';
    await store.sync();
    expect([nameOf({ server }), user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  });
});

describe('a value changed back and saved before the process ended', () => {
  /** An outbox with an update back to the value that was first read, while the server holds another value. */
  async function left() {
    const first = await queued('after');
    first.user.name = 'Ada';
    first.server.fault = () => 'before';
    await first.store.sync();
    first.server.fault = () => undefined;
    expect(nameOf(first)).toBe('Grace');
    await first.outbox.close();
    return first;
  }

  test('is written after a restart', async () => {
    const { server, storage } = await left();
    const { outbox } = await startApp({ server, storage });
    expect(outbox.entries).toMatchObject([{ values: { name: 'Ada' }, base: { name: 'Ada' }, attempts: 2 }]);
    await outbox.send();
    expect([nameOf({ server }), outbox.size]).toEqual(['Ada', 0]);
    expect(server.log.at(-1)?.body).toEqual({ name: 'Ada' });
  });

  test('is written while the record is shown and edited further', async () => {
    const { server, storage } = await left();
    const { outbox, User } = await startApp({ server, storage, autoStart: false });
    const store = new Store({ model: User, pageSize: 0 });
    await store.load();
    const user = store.getAt(0) as InstanceType<App['User']>;
    expect([user.name, user.dirty]).toEqual(['Ada', true]);
    user.mail = 'draft';
    await outbox.send();
    expect([nameOf({ server }), outbox.size]).toEqual(['Ada', 0]);
    expect(user.$.modified).toEqual({ mail: 'draft' });
  });

  test('is not written again when a load shows that the server already has it', async () => {
    const { server, storage } = await left();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a' });
    const { outbox, User } = await startApp({ server, storage, autoStart: false });
    const store = new Store({ model: User, pageSize: 0 });
    await store.load();
    expect(store.getAt(0)?.dirty).toBe(false);
    await outbox.drained();
    expect(outbox.size).toBe(0);
  });
});

test.each(['before', 'after'] as const)(
  'a value changed back in the next process is written by its sync (fault: %s)',
  async (fault) => {
    const first = await queued(fault);
    await first.outbox.close();
    const { server, storage } = first;
    const { outbox, User } = await startApp({ server, storage, autoStart: false });
    const store = new Store({ model: User, pageSize: 0 });
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a' });
    await store.load();
    const user = store.getAt(0) as InstanceType<App['User']>;
    expect(user.name).toBe('Grace');
    user.name = 'Ada';
    await store.sync();
    await outbox.send();
    expect([nameOf({ server }), user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  },
);

describe('a value saved while another update of the record is in flight', () => {
  /** Saves an edited name while an update of `mail` is in flight, then calls `act`. */
  async function during(act: (user: InstanceType<App['User']>) => void, fault: Fault = undefined) {
    const { server, outbox, user } = await opened();
    const waiting: Promise<unknown>[] = [];
    server.fault = () => {
      server.fault = () => undefined;
      user.name = 'Grace';
      waiting.push(quiet(user.save()));
      act(user);
      return fault;
    };
    user.mail = 'b';
    await quiet(user.save());
    await Promise.all(waiting);
    await outbox.send();
    return { server, outbox, user };
  }

  test('and changed back is written as it was saved; the later value stays an edit', async () => {
    const { server, user, outbox } = await during((each) => (each.name = 'Ada'));
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace', mail: 'b' });
    expect([user.name, user.$.modified, outbox.size]).toEqual(['Ada', { name: 'Ada' }, 0]);
  });

  test('and changed back stays an edit when the save was not sent because the update before it got no response', async () => {
    const { server, user, outbox } = await during((each) => (each.name = 'Ada'), 'after');
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Grace', mail: 'b' });
    expect([user.name, user.$.modified, outbox.size]).toEqual(['Ada', { name: 'Ada' }, 0]);
  });

  test('and rejected is not written', async () => {
    const { server, user, outbox } = await during((each) => each.reject());
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Ada', mail: 'b' });
    expect([user.name, user.dirty, outbox.size]).toEqual(['Ada', false, 0]);
  });
});
