import { ConflictError, Store } from 'repose';
import { type FailedWrite, type LockManager, memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { type ModelServer, modelServer } from './server.js';
import { type App, type AppOptions, startApp } from './setting.js';
import { fakeLocks, sharedStorage, type TestStorage } from './shared-storage.js';

const quiet = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

type User = InstanceType<App['User']>;
type Task = InstanceType<App['Task']>;

/** A promise, with the function that resolves it. */
function signal(): { readonly done: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const done = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { done, resolve: () => resolve() };
}

/** The locks of one tab: they are free when it is closed. */
function locksOfTab(locks: LockManager, closed: Promise<unknown>): LockManager {
  return { request: (name, held) => locks.request(name, () => Promise.race([held(), closed.then(() => undefined)])) };
}

/** A browser: its tabs have one storage, and are not told what the others store. */
function browser(server: ModelServer = modelServer()) {
  const storage = sharedStorage();
  const locks = fakeLocks();
  const open = (options: AppOptions = {}) =>
    startApp({ server, storage, locks, keys: false, autoStart: false, ...options });
  return { server, storage, locks, open };
}

/** A network that is gone until it is set back. */
const noNetwork = () => ({ online: false, onOnline: () => () => undefined });

/** The same server through a network of one tab, whose responses to writes wait. */
function slow(server: ModelServer, answer: Promise<unknown>): ModelServer & { asked: number } {
  const own: ModelServer & { asked: number } = {
    ...server,
    asked: 0,
    fetch: async (...given) => {
      const response = await server.fetch(...given);
      if ((given[1]?.method ?? 'GET') === 'GET') return response;
      own.asked += 1;
      await answer;
      return response;
    },
  };
  return own;
}

const bodies = ({ log }: ModelServer) => log.filter(({ method }) => method !== 'GET').map(({ body }) => body);

describe('a create without a key', () => {
  test('two-tabs-create-twice: is not sent again by another tab when its own one is closed before the response', async () => {
    const { server, locks, open } = browser();
    const closed = signal();
    const [firstNet, secondNet] = [noNetwork(), noNetwork()];
    const never = new Promise(() => undefined);
    const own = slow(server, never);
    const first = await open({ server: own, connection: firstNet, locks: locksOfTab(locks, closed.done) });
    await quiet(new first.User({ name: 'Ada' }).save());
    const second = await open({ connection: secondNet });
    expect(second.outbox.size).toBe(1);
    firstNet.online = true;
    secondNet.online = true;
    void first.outbox.send();
    await expect.poll(() => own.asked).toBe(1);
    const flushed = second.outbox.send();
    closed.resolve();
    await flushed;
    expect(bodies(server)).toEqual([{ name: 'Ada' }]);
    expect(second.outbox.failed.map(({ state }) => state)).toEqual(['unconfirmed']);
    expect(second.outbox.failed[0]?.record?.['$'].queued).toBe(false);
  });

  test('is sent once by two tabs of which each believes that it has the lock of the record', async () => {
    const { server, open } = browser();
    const nets = [noNetwork(), noNetwork()] as const;
    const first = await open({ connection: nets[0], locks: fakeLocks() });
    await quiet(new first.User({ name: 'Ada' }).save());
    const second = await open({ connection: nets[1], locks: fakeLocks() });
    for (const net of nets) net.online = true;
    await Promise.all([first, second].map(({ outbox }) => quiet(outbox.send())));
    expect(bodies(server)).toEqual([{ name: 'Ada' }]);
  });

  test('tab-revives-an-answered-create: is not sent by a tab in which the user saves it while it is answered', async () => {
    const { server, open } = browser();
    const answer = signal();
    const own = slow(server, answer.done);
    const net = noNetwork();
    const first = await open({ server: own, connection: net });
    await quiet(new first.User({ name: 'Ada' }).save());
    net.online = true;
    const second = await open();
    const shown = new Store({ model: second.User }).getAt(0) as User;
    void first.outbox.send();
    await expect.poll(() => own.asked).toBe(1);
    const saving = quiet(shown.save());
    answer.resolve();
    expect(await saving).not.toBeInstanceOf(Error);
    expect([bodies(server), shown.phantom, shown.id]).toEqual([[{ name: 'Ada' }], false, 101]);
  });

  test('two-outboxes-create-twice: is sent once, because a second opening of a storage is refused', async () => {
    const storage = memoryStorage();
    const { User, outbox, server } = await startApp({ storage, connection: noNetwork(), keys: false });
    const refused = new Outbox({ scope: 'user-7', storage });
    await quiet(new User({ name: 'Ada' }).save());
    expect([outbox.size, bodies(server)]).toEqual([1, []]);
    await expect(refused.ready).rejects.toMatchObject({ code: 'outbox-opened-twice' });
  });
});

describe('a write that is queued', () => {
  async function twoNotes() {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Plan', mail: 'm' });
    const { open } = browser(server);
    const answer = signal();
    const own = slow(server, answer.done);
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    const first = await open({ server: own });
    const mine = await first.User.load(1);
    mine.name = 'Older';
    await quiet(mine.save());
    const second = await open();
    return { server, own, answer, first, mine, second, theirs: await second.User.load(1) };
  }

  test('two-tabs-saved-value-dropped: is sent, though another tab sends an older write of the record meanwhile', async () => {
    const { server, own, answer, first, second, theirs } = await twoNotes();
    server.fault = () => undefined;
    void first.outbox.send();
    await expect.poll(() => own.asked).toBe(1);
    theirs.name = 'Newer';
    const saving = quiet(theirs.save());
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    answer.resolve();
    expect(await saving).toMatchObject({ queued: true });
    expect(theirs.$.state.get()).toMatchObject({ queued: true, dirty: false });
    server.fault = () => undefined;
    await second.outbox.send();
    expect([server.table('users').get(1)?.['name'], theirs.name, theirs.dirty]).toEqual(['Newer', 'Newer', false]);
  });

  test('stale-tab-saves-old-value: is not sent again with a save of another field, after a newer value of another tab', async () => {
    const { server, mine, theirs, answer } = await twoNotes();
    answer.resolve();
    server.fault = () => undefined;
    theirs.name = 'Newer';
    await theirs.save();
    mine.mail = 'done';
    await mine.save();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Newer', mail: 'done' });
  });

  test('stays on the screen when an older one of another tab becomes known', async () => {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Plan', mail: 'm' });
    const { open } = browser(server);
    const [first, second] = [await open(), await open()];
    const [mine, theirs] = [await first.User.load(1), await second.User.load(1)];
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    await quiet(mine.set({ name: 'Older', mail: 'older' }).save());
    await quiet(theirs.set({ name: 'Newer' }).save());
    expect(theirs.$.modified).toEqual({ name: 'Newer', mail: 'older' });
    server.fault = () => undefined;
    await first.outbox.send();
    await second.outbox.send();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Newer', mail: 'older' });
    expect(theirs.$.modified).toEqual({});
  });

  test('shows its value until a newer one of its tab comes with the news that it was sent', async () => {
    const { server, answer, first, mine, theirs } = await twoNotes();
    answer.resolve();
    server.fault = () => undefined;
    await first.outbox.send();
    expect(theirs.$.modified).toEqual({ name: 'Older' });
    server.fault = (method) => (method === 'GET' ? undefined : 'before');
    mine.name = 'Newer';
    await quiet(mine.save());
    theirs.mail = 'done';
    await quiet(theirs.save());
    expect(theirs.$.modified).toEqual({ name: 'Newer', mail: 'done' });
    server.fault = () => undefined;
    await first.outbox.send();
    expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Newer', mail: 'done' });
  });

  test.each([undefined, 'typed'])(
    'stale-tab-saves-old-value: is replaced by the newer value that another tab tells of, unless the user has typed (%s)',
    async (typed) => {
      const server = modelServer();
      server.table('users').set(1, { id: 1, name: 'Plan', mail: 'm' });
      const { storage, open } = browser(server);
      const first = await open({ storage: storage.tab() });
      const mine = await first.User.load(1);
      server.fault = () => 'before';
      mine.name = 'Older';
      await quiet(mine.save());
      if (typed !== undefined) mine.name = typed;
      server.fault = () => undefined;
      const second = await open({ storage: storage.tab() });
      const theirs = await second.User.load(1);
      theirs.name = 'Newer';
      await theirs.save();
      await expect.poll(() => first.outbox.size).toBe(0);
      expect([mine.name, mine.$.modified]).toEqual(typed === undefined ? ['Newer', {}] : [typed, { name: typed }]);
      mine.mail = 'done';
      await mine.save();
      expect(server.table('users').get(1)).toEqual({ id: 1, name: typed ?? 'Newer', mail: 'done' });
    },
  );

  test('parent-created-in-stale-tab: keeps its newest values when a tab that has not seen them creates its parent', async () => {
    const { server, open } = browser();
    const net = noNetwork();
    const first = await open({ connection: net });
    const user = new first.User({ name: 'Ada' });
    const task = new first.Task({ title: 'Older', userId: user.id });
    await quiet(user.save());
    await quiet(task.save());
    const second = await open({ connection: noNetwork() });
    const shown = new Store({ model: second.Task }).getAt(0) as Task;
    shown.title = 'Newer';
    expect(await quiet(shown.save())).toMatchObject({ queued: true });
    await second.outbox.close();
    net.online = true;
    await first.outbox.send();
    await first.outbox.drained();
    expect([...server.table('tasks').values()]).toEqual([{ id: 102, title: 'Newer', userId: 101 }]);
    expect([task.title, task.$.queued, task.dirty]).toEqual(['Newer', false, false]);
  });
});

test.each(['no response', 'a response'] as const)(
  'a new record that is erased in one tab is erased on the server too if another tab has sent its create (%s)',
  async (end) => {
    const { server, open } = browser();
    const answer = signal();
    const own = slow(server, answer.done);
    const net = noNetwork();
    const first = await open({ server: own, connection: net, keys: true });
    await quiet(new first.User({ name: 'Ada' }).save());
    const second = await open({ keys: true });
    const shown = new Store({ model: second.User });
    const user = shown.getAt(0) as User;
    net.online = true;
    if (end === 'no response') server.fault = () => 'after';
    void first.outbox.send();
    await expect.poll(() => server.log.length).toBe(1);
    // This tab has not been told that the create was sent.
    const erasing = quiet(user.erase());
    server.fault = () => undefined;
    answer.resolve();
    await erasing;
    await expect
      .poll(async () => {
        await second.outbox.send();
        return [server.table('users').size, second.outbox.size, shown.count];
      })
      .toEqual([0, 0, 0]);
    expect(server.log.at(-1)?.method).toBe('DELETE');
  },
);

test.each(['there', 'not there'] as const)(
  'a new record that is erased in one tab waits for the decision about its create, which another tab got no response to (%s)',
  async (found) => {
    const { server, open } = browser();
    const net = noNetwork();
    const first = await open({ connection: net });
    await quiet(new first.User({ name: 'Ada' }).save());
    const second = await open();
    const shown = new Store({ model: second.User });
    const user = shown.getAt(0) as User;
    server.fault = () => (found === 'there' ? 'after' : 'before');
    net.online = true;
    await first.outbox.send();
    expect(first.outbox.failed.map(({ state }) => state)).toEqual(['unconfirmed']);
    server.fault = () => undefined;
    // This tab has not been told that the create was sent.
    await user.erase();
    const [write] = second.outbox.failed as [FailedWrite];
    expect([second.outbox.failed.length, write.state, shown.count]).toEqual([1, 'unconfirmed', 0]);
    const [row] = [...server.table('users').values()];
    await (row ? second.outbox.confirm(write, row) : second.outbox.retry(write));
    await second.outbox.send();
    expect([server.table('users').size, second.outbox.size, shown.count]).toEqual([0, 0, 0]);
    expect(server.log.map(({ method }) => method)).toEqual(row ? ['POST', 'DELETE'] : ['POST']);
  },
);

test('a read of the storage that comes late shows no values of a create that was answered meanwhile', async () => {
  const { server, storage, open } = browser();
  const [answer, stored] = [signal(), signal()];
  const own = slow(server, answer.done);
  let reads = 0;
  const read: TestStorage['read'] = async (query) => {
    const view = await storage.read(query);
    if (query.records) return view;
    reads += 1;
    if (reads > 1) await stored.done;
    return view;
  };
  const app = await open({ server: own, storage: { ...storage, read } });
  const user = new app.User({ name: 'Ada' });
  const creating = user.save();
  await expect.poll(() => own.asked).toBe(1);
  user.name = 'Grace';
  const renaming = user.save();
  await expect.poll(async () => (await storage.all()).length).toBe(2);
  const flushing = app.outbox.send();
  await expect.poll(() => reads).toBe(2);
  answer.resolve();
  await expect.poll(() => user.phantom).toBe(false);
  stored.resolve();
  await creating;
  expect(user.name).toBe('Grace');
  user.mail = 'g@example.org';
  await Promise.all([renaming, flushing, user.save()]);
  expect([...server.table('users').values()]).toEqual([expect.objectContaining({ name: 'Grace', mail: user.mail })]);
});

test('what the write of another tab brings under an edit of this one is a conflict of its next save, whoever sends it', async () => {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Plan', mail: 'm' });
  const { open } = browser(server);
  const connection = { ...noNetwork(), online: true };
  const [first, second] = [await open({ withEtags: true }), await open({ withEtags: true, connection })];
  const [mine, theirs] = [await first.User.load(1), await second.User.load(1)];
  server.fault = (method) => (method === 'GET' ? undefined : 'before');
  await quiet(mine.set({ name: 'Other' }).save());
  await second.outbox.send();
  theirs.mail = 'typed';
  server.table('users').set(1, { id: 1, name: 'Plan', mail: 'stranger' });
  server.fault = () => undefined;
  await mine.load();
  await first.outbox.send();
  expect(server.table('users').get(1)).toEqual({ id: 1, name: 'Other', mail: 'stranger' });
  await second.outbox.send();
  expect(theirs.$.modified).toEqual({ mail: 'typed' });
  connection.online = false;
  expect(await quiet(theirs.save())).toMatchObject({ queued: true });
  await first.outbox.send();
  expect(first.outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
  expect(server.table('users').get(1)?.['mail']).toBe('stranger');
});

test('what a tab has edited on a row of a list replaces no newer value, though another tab that has read it sends it', async () => {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Plan', mail: 'm' });
  const { open } = browser(server);
  const withEtags = true;
  const [first, second] = [await open({ withEtags, connection: noNetwork() }), await open({ withEtags })];
  const listed = new Store({ model: first.User });
  await listed.load();
  const mine = listed.getAt(0) as User;
  server.table('users').set(1, { id: 1, name: 'Plan', mail: 'stranger' });
  await new Store({ model: second.User }).load();
  await quiet(mine.set({ mail: 'mine' }).save());
  await second.outbox.send();
  expect(second.outbox.failed).toMatchObject([{ error: { code: 'conflict' } }]);
  expect(server.table('users').get(1)?.['mail']).toBe('stranger');
});

test('a tab that is told of a later update only knows the record whose create it shows', async () => {
  const storage = sharedStorage();
  const locks = fakeLocks();
  const server = modelServer();
  const app = { server, locks, keys: false, autoStart: false };
  const [net, away] = [noNetwork(), noNetwork()];
  const first = await startApp({ ...app, storage: storage.tab(), connection: net });
  const tab = storage.tab();
  let tell: Parameters<TestStorage['watch']>[0] = () => undefined;
  const late: TestStorage = { ...tab, watch: (listener) => (tell = listener) && (() => undefined) };
  const user = new first.User({ name: 'Ada' });
  await quiet(user.save());
  const second = await startApp({ ...app, storage: late, connection: away });
  const shown = new Store({ model: second.User });
  expect([...shown].map(({ name, phantom }) => [name, phantom])).toEqual([['Ada', true]]);
  net.online = true;
  await first.outbox.send();
  net.online = false;
  await quiet(user.set({ name: 'Grace' }).save());
  const [item] = await storage.all();
  tell({ scope: 'user-7', records: [item?.record as string] });
  await expect.poll(() => [...shown].map(({ id, name }) => [id, name])).toEqual([[user.id, 'Grace']]);
});

test('the store of a tab shows what another tab has saved and sent before this one looked', async () => {
  const server = modelServer();
  for (const id of [1, 2]) server.table('users').set(id, { id, name: 'Ada' });
  const { open } = browser(server);
  const [first, second] = [await open(), await open()];
  const shown = new Store({ model: second.User });
  await shown.load();
  const [one, two] = [await first.User.load(1), await first.User.load(2)];
  one.name = 'Grace';
  await one.save();
  await two.erase();
  expect([...shown].map(({ name }) => name)).toEqual(['Ada', 'Ada']);
  await second.outbox.send();
  expect([...shown].map(({ id, name, dirty }) => [id, name, dirty])).toEqual([[1, 'Grace', false]]);
  // A value that was saved here later is newer than that of the other tab.
  const mine = shown.getAt(0) as User;
  mine.name = 'Mary';
  await mine.save();
  await second.outbox.send();
  expect(mine.name).toBe('Mary');
});

test('a save of what another tab has saved leaves no edit of a value for which that tab has saved a newer one', async () => {
  const { server, open } = browser();
  const first = await open({ connection: noNetwork() });
  const made = new first.User({ name: 'New' });
  for (const name of ['New', 'Newer']) {
    made.name = name;
    await quiet(made.save());
  }
  const second = await open();
  const shown = new Store({ model: second.User }).getAt(0) as User;
  expect(shown.name).toBe('Newer');
  made.name = 'Newest';
  await quiet(made.save());
  await shown.save();
  expect(bodies(server)).toMatchObject([{ name: 'Newest' }]);
  expect([shown.name, shown.$.modified]).toEqual(['Newest', {}]);
});

test('a save that waits while its tab sends what another one has saved does not send that again', async () => {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a' });
  const { storage, open } = browser(server);
  const answer = signal();
  const own = slow(server, answer.done);
  // The tabs are told what the others store.
  const [first, second] = [await open({ storage: storage.tab() }), await open({ storage: storage.tab(), server: own })];
  const [mine, theirs] = [await first.User.load(1), await second.User.load(1)];
  server.fault = (method) => (method === 'GET' ? undefined : 'before');
  await quiet(mine.set({ mail: 'mine' }).save());
  await expect.poll(() => second.outbox.size).toBe(1);
  server.fault = () => undefined;
  const saves = [theirs.set({ name: 'Newer' }).save()];
  await expect.poll(() => own.asked).toBe(1);
  saves.push(theirs.set({ tags: ['new'] }).save());
  await expect.poll(() => JSON.stringify(second.outbox.entries)).toContain('tags');
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'stranger' });
  answer.resolve();
  await Promise.all(saves);
  expect(bodies(server)).toEqual([{ mail: 'mine' }, { mail: 'mine' }, { name: 'Newer', tags: ['new'] }]);
  expect(server.table('users').get(1)?.['mail']).toBe('stranger');
});

test('a save that waits does not give a value back for which a later one was sent by another tab', async () => {
  const { server, storage, locks, open } = browser();
  const net = noNetwork();
  const first = await open({ connection: net });
  const user = new first.User({ name: 'Ada' });
  await quiet(user.save());
  const second = await open();
  const [held, free] = [signal(), signal()];
  void locks.request(`repose-outbox/user-7/${first.outbox.entries[0]?.key}`, () => {
    held.resolve();
    return free.done;
  });
  await held.done;
  // The other tab asks for the lock first.
  const flushed = second.outbox.send();
  await new Promise((resolve) => setTimeout(resolve));
  net.online = true;
  const saves = ['Bea', 'Cleo', 'Dora'].map((name) => {
    user.name = name;
    // A call with a signal of its own joins no other one.
    return quiet(user.save({ signal: new AbortController().signal }));
  });
  await expect.poll(async () => JSON.stringify(await storage.all())).toContain('Dora');
  free.resolve();
  await flushed;
  await Promise.all(saves);
  await first.outbox.send();
  expect(bodies(server)).toMatchObject([{ name: 'Dora' }]);
  expect([user.name, user.$.modified]).toEqual(['Dora', {}]);
});

test('reject() of a waiting save counts, although another tab has asked for the lock of the record first', async () => {
  const { server, open } = browser();
  const answer = signal();
  const sending = await open();
  const user = new sending.User({ name: 'Ada' });
  await user.save();
  const other = await open();
  const own = slow(server, answer.done);
  const app = await open({ server: own });
  const here = await app.User.load(user.id as number);
  here.name = 'first';
  const saves = [quiet(here.save())];
  await expect.poll(() => own.asked).toBe(1);
  here.name = 'rejected';
  saves.push(quiet(here.save()));
  await expect.poll(() => app.outbox.entries[0]?.values).toEqual({ name: 'rejected' });
  // It reads what is stored, and waits for the lock.
  const flushed = other.outbox.send();
  await new Promise((resolve) => setTimeout(resolve));
  here.reject();
  here.mail = 'a@b.c';
  saves.push(quiet(here.save()));
  await expect.poll(() => app.outbox.entries[0]?.values).toMatchObject({ mail: 'a@b.c' });
  answer.resolve();
  await Promise.all([...saves, flushed]);
  await app.outbox.send();
  expect([here.name, here.mail, here.dirty, app.outbox.size]).toEqual(['first', 'a@b.c', false, 0]);
  expect(server.table('users').get(user.id as number)).toMatchObject({ name: 'first', mail: 'a@b.c' });
  expect(bodies(server).map((body) => body?.name)).not.toContain('rejected');
});

test('a tab shows what is saved still when another tab takes back what it has saved later', async () => {
  const server = modelServer();
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'm' });
  const [storage, locks, answer] = [sharedStorage(), fakeLocks(), signal()];
  const open = (options: AppOptions = {}) =>
    startApp({ server, locks, storage: storage.tab(), keys: false, autoStart: false, ...options });
  server.fault = (method) => (method === 'GET' ? undefined : answer.done.then(() => undefined));
  const [first, second] = [await open(), await open()];
  const shown = new Store({ model: second.User });
  await shown.load();
  const user = await first.User.load(1);
  user.name = 'first';
  const saved = user.save();
  await expect.poll(() => bodies(server)).toEqual([{ name: 'first' }]);
  user.name = 'rejected';
  void quiet(user.save());
  await expect.poll(() => shown.getById(1)?.name).toBe('rejected');
  user.reject();
  await expect.poll(() => shown.getById(1)?.name).toBe('first');
  answer.resolve();
  await saved;
  await expect.poll(() => [shown.getById(1)?.name, shown.getById(1)?.dirty]).toEqual(['first', false]);
});

describe('a conflict of a write that another tab has sent', () => {
  /** Two tabs that are told what the other one stores; a save of the first one is refused with a conflict. */
  async function conflictElsewhere(restarts = false, erases = false) {
    const server = modelServer();
    server.table('users').set(1, { id: 1, name: 'Ada', mail: 'm' });
    const [storage, locks] = [sharedStorage(), fakeLocks()];
    const open = () => browserTab({ server, storage: storage.tab(), locks });
    const first = await open();
    const second = restarts ? undefined : await open();
    const mine = await first.User.load(1);
    const store = second && new Store({ model: second.User });
    await store?.load();
    server.table('users').set(1, { id: 1, name: 'theirs', mail: 'm' });
    mine.name = 'mine';
    expect(await quiet(mine.save())).toMatchObject({ code: 'conflict' });
    if (erases) expect(await quiet(mine.erase())).toMatchObject({ code: 'conflict' });
    if (restarts) await first.outbox.close();
    const told = second ?? (await open());
    const here = store?.getById(1) ?? (told.outbox.failed[0]?.record as unknown as User);
    await expect.poll(() => here.$.error?.code).toBe('conflict');
    return { server, first, second: told, mine, here, row: () => server.table('users').get(1) };
  }
  const browserTab = (options: AppOptions) => startApp({ keys: false, autoStart: false, withEtags: true, ...options });
  const errorOf = (user: User) => user.$.error as ConflictError;

  test.each([
    ['another tab', false],
    ['a restart', true],
  ])('is shown by the record, and decided there by keepMine(): %s', async (_, restarts) => {
    const { second, mine, here, row, first } = await conflictElsewhere(restarts);
    expect([here.name, here.dirty]).toEqual(['mine', true]);
    expect(errorOf(here)).toBeInstanceOf(ConflictError);
    expect(second.outbox.failed[0]?.error).toBe(errorOf(here));
    expect(await errorOf(here).inspect()).toContainEqual({
      field: 'name',
      base: 'Ada',
      mine: 'mine',
      theirs: 'theirs',
    });
    await errorOf(here).keepMine();
    expect([row()?.['name'], here.dirty, here.$.error, second.outbox.size]).toEqual(['mine', false, undefined, 0]);
    if (restarts) return;
    await expect.poll(() => [mine.dirty, mine.$.error, first.outbox.size]).toEqual([false, undefined, 0]);
  });

  test('is decided there by takeTheirs()', async () => {
    const { first, second, mine, here, row } = await conflictElsewhere();
    await errorOf(here).takeTheirs();
    await expect
      .poll(() => [here.name, here.dirty, here.$.error, second.outbox.size])
      .toEqual(['theirs', false, undefined, 0]);
    await expect.poll(() => [mine.dirty, mine.$.error, first.outbox.size]).toEqual([false, undefined, 0]);
    expect(row()).toMatchObject({ name: 'theirs' });
  });

  test('is decided there by merge(), which asks for nothing that nobody else has changed', async () => {
    const { second, here, row } = await conflictElsewhere();
    here.mail = 'typed';
    const error = second.outbox.failed[0]?.error as ConflictError;
    const asked: string[] = [];
    await error.merge(({ field, mine, theirs }) => {
      asked.push(field);
      return `${mine}, ${theirs}`;
    });
    expect([asked, row(), here.$.modified, second.outbox.size]).toEqual([
      ['name'],
      { id: 1, name: 'mine, theirs', mail: 'm' },
      { mail: 'typed' },
      0,
    ]);
  });

  test.each([
    ['another tab', 'keepMine', false],
    ['a restart', 'keepMine', true],
    ['a restart', 'merge', true],
  ] as const)('is that of the erase behind a save that was refused too: %s, %s()', async (_, way, restarts) => {
    const { second, here, server } = await conflictElsewhere(restarts, true);
    const error = errorOf(here);
    expect(error.operation?.action).toBe('destroy');
    if (way === 'merge') await expect(error.merge(({ mine }) => mine)).rejects.toBe(error);
    await error.keepMine();
    await expect.poll(() => [second.outbox.size, server.table('users').size, here.erased]).toEqual([0, 0, true]);
  });

  test('ends there when the tab that has sent the write decides it', async () => {
    const { mine, here, second } = await conflictElsewhere();
    await errorOf(mine).takeTheirs();
    await expect
      .poll(() => [here.name, here.dirty, here.$.error, second.outbox.size])
      .toEqual(['theirs', false, undefined, 0]);
  });
});

describe('a save whose change was sent with earlier ones while it waited, and refused', () => {
  /** A save that waits for the lock of its record, in which another write sends what is stored. Resolves with what the save tells. */
  async function waitingSave(isOtherTab: boolean) {
    const { server, locks, open } = browser();
    let isRefusing = false;
    const own: ModelServer = {
      ...server,
      fetch: async (...given) =>
        isRefusing && !['GET', 'POST'].includes(given[1]?.method ?? 'GET')
          ? Response.json({ detail: 'no' }, { status: 403 })
          : server.fetch(...given),
    };
    const net = noNetwork();
    const first = await open({ server: own, connection: net });
    net.online = true;
    const user = new first.User({ name: 'Ada' });
    await user.save();
    net.online = false;
    user.name = 'Bea';
    await quiet(user.save());
    const [entry] = first.outbox.entries;
    const sending = isOtherTab ? await open({ server: own }) : first;
    net.online = true;
    isRefusing = true;
    const held = signal();
    const free = signal();
    void locks.request(`repose-outbox/user-7/user/number/${entry?.id}`, () => {
      held.resolve();
      return free.done;
    });
    await held.done;
    const flushed = sending.outbox.send();
    // The other write asks for the lock first.
    await new Promise((resolve) => setTimeout(resolve));
    user.name = 'Cleo';
    const told = quiet(user.save());
    await new Promise((resolve) => setTimeout(resolve));
    free.resolve();
    const result = await told;
    await flushed;
    isRefusing = false;
    return { result, user, first, server };
  }

  test.each([
    ['by this tab', false],
    ['by another tab', true],
  ])('rejects: %s', async (_, isOtherTab) => {
    const { result, user, first, server } = await waitingSave(isOtherTab);
    expect(result).toBeInstanceOf(Error);
    expect((result as { queued?: boolean }).queued ?? false).toBe(false);
    expect([user.dirty, user.$.error]).toEqual([true, result]);
    expect(first.outbox.failed.length).toBe(1);
    const [failed] = first.outbox.failed;
    await first.outbox.retry(failed?.entry as NonNullable<typeof failed>['entry'] & object);
    await first.outbox.send();
    expect([first.outbox.size, user.dirty]).toEqual([0, false]);
    expect([...server.table('users').values()]).toEqual([expect.objectContaining({ name: 'Cleo' })]);
  });
});

test('flush() ends when a write of the application that runs meanwhile has nothing to send', async () => {
  const { server, locks, open } = browser();
  const net = noNetwork();
  const app = await open({ connection: net });
  const user = new app.User({ name: 'Ada' });
  await quiet(user.save());
  net.online = true;
  const other = signal();
  const isHeld = signal();
  const [entry] = app.outbox.entries;
  void locks.request(`repose-outbox/user-7/${entry?.key}`, () => {
    isHeld.resolve();
    return other.done;
  });
  await isHeld.done;
  const erased = user.erase();
  const flushed = app.outbox.send();
  await new Promise((resolve) => setTimeout(resolve));
  other.resolve();
  await erased;
  await flushed;
  expect([app.outbox.size, bodies(server)]).toEqual([0, []]);
});

test('a read that shows what is queued ends nothing that is saved while another tab has the lock of the record', async () => {
  const { server, locks, open } = browser();
  server.table('users').set(1, { id: 1, name: 'Ada', mail: 'a@b' });
  const net = noNetwork();
  const gate = signal();
  let isLocked = false;
  const waiting: LockManager = {
    request: (name, held) => (isLocked ? gate.done : Promise.resolve()).then(() => locks.request(name, held)),
  };
  const { User, outbox } = await open({ connection: net, locks: waiting });
  const user = await User.load(1);
  user.name = 'Grace';
  await quiet(user.save());
  server.table('users').set(1, { id: 1, name: 'Grace', mail: 'a@b' });
  isLocked = true;
  await user.load();
  user.mail = 'c@d';
  await quiet(user.save());
  gate.resolve();
  net.online = true;
  await outbox.send();
  await outbox.drained();
  expect([server.table('users').get(1), user.dirty]).toEqual([{ id: 1, name: 'Grace', mail: 'c@d' }, false]);
});
