import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Model, receive, Session, StateError, Store, sync, viewOf, windowOf } from 'repose';
import { historyOf } from 'repose/history';
import { describe, expect, test } from 'vitest';
import { eventLog, page, rows, shown, tick } from '../store/support.js';
import { accepting, sentLines, server, Task, User } from './support.js';

const session = () => new Session();
const storeOf = (own: Session, pageSize = 0) =>
  new Store({ model: User, session: own, pageSize, proxy: { reader: { rootProperty: 'rows' } } });

test('a removed record whose create got no response stays pending, because the server may have it', async () => {
  const own = session();
  const user = own.create(User, { name: 'Ada' });
  server.reply({ status: 500 });
  await own.sync();
  expect(user.$.unconfirmed).toBe(true);
  own.remove(user);
  expect([own.pending.removed, own.pending.created]).toEqual([[user], []]);
  const { failures } = await own.sync();
  expect(failures.map(({ record, error }) => [record, error.code])).toEqual([[user, 'http']]);
});

describe('load()', () => {
  test('returns one object per id, and updates it under its edits', async () => {
    const own = session();
    server.reply({ json: { id: 7, name: 'Ada' } });
    const user = await own.load(User, 7);
    expect([user.name, own.getById(User, 7), own.getById(User, '7')]).toEqual(['Ada', user, user]);
    user.name = 'mine';
    server.reply({ json: { id: 7, name: 'Grace' } });
    expect(await own.load(User, 7)).toBe(user);
    expect([user.name, user.$.previousValues]).toEqual(['mine', { name: 'Grace' }]);
    expect(server.lines).toEqual(['GET /users/7', 'GET /users/7']);
  });

  test('called twice at once returns one object', async () => {
    const own = session();
    server.always(() => ({ json: { id: 7, name: 'Ada' } }));
    const [a, b] = await Promise.all([own.load(User, 7), own.load(User, 7)]);
    expect(a).toBe(b);
  });

  test('of a missing record rejects, and has no callbacks', async () => {
    const own = session();
    server.always(() => ({ status: 404 }));
    await expect(own.load(User, 7)).rejects.toMatchObject({ code: 'http', status: 404 });
    const load = own.load(User, 8, { callback: () => undefined } as never);
    await expect(load).rejects.toThrow("'callback' is not an option of load");
  });

  test('that started before another object of the record was erased rejects', async () => {
    const own = session();
    const held = server.hold();
    const loading = own.load(User, 7).catch((error: unknown) => error);
    await held.request;
    const [user] = own.add(User.fromRow({ id: 7, name: 'Ada' })) as [User];
    server.reply({ status: 204 });
    await user.erase();
    held.answer({ json: { id: 7, name: 'Ada' } });
    expect(await loading).toMatchObject({ code: 'erased' });
    server.reply({ json: { id: 7, name: 'back' } });
    expect((await own.load(User, 7)).name).toBe('back');
  });
});

describe('a record loaded by id while its create is in flight', () => {
  const read = async () => {
    const own = session();
    const added = own.create(User, { name: 'new' });
    const held = server.hold();
    const syncing = own.sync();
    await held.request;
    server.reply({ json: { id: 9, name: 'new' } });
    const loaded = await own.load(User, 9);
    expect(loaded).not.toBe(added);
    return { own, added, loaded, answer: () => held.answer({ status: 201, json: { id: 9, name: 'new' } }), syncing };
  };

  test('is merged into the created record, and an edit of the loaded one is written once', async () => {
    const { own, added, loaded, answer, syncing } = await read();
    loaded.name = 'edited';
    expect([...own.pending.created, ...own.pending.edited]).toEqual([added, loaded]);
    answer();
    await syncing;
    expect([own.getById(User, 9) === added, [...own.pending.created, ...own.pending.edited]]).toEqual([true, [added]]);
    expect(added.$.modified).toEqual({ name: 'edited' });
    server.always(accepting());
    server.reply({ json: { id: 9, name: 'by others' } });
    await own.sync();
    expect(sentLines().slice(2)).toEqual(['GET /users/9', 'PUT /users/9 {"id":9,"name":"edited"}']);
  });

  test.each([true, false])(
    'is merged with the later edit of a field edited in both records (loaded record last: %s)',
    async (last) => {
      const { own, added, loaded, answer, syncing } = await read();
      for (const user of last ? [added, loaded] : [loaded, added])
        user.name = user === loaded ? 'edit of the loaded record' : 'edit of the created record';
      answer();
      await syncing;
      expect([own.getById(User, 9) === added, added.name]).toEqual([
        true,
        last ? 'edit of the loaded record' : 'edit of the created record',
      ]);
    },
  );

  test('is not written separately by a sync that began before the merge', async () => {
    const { own, added, loaded, answer, syncing } = await read();
    loaded.name = 'edited';
    const answers = accepting();
    server.always((request) => (request.method === 'GET' ? { json: { id: 9, name: 'new' } } : answers(request)));
    const later = own.sync({ concurrency: 1 });
    answer();
    await syncing;
    expect((await later).failures).toEqual([]);
    expect([added.dirty, loaded.dirty]).toEqual([false, false]);
    expect(sentLines().filter((line) => line.startsWith('PUT'))).toEqual(['PUT /users/9 {"id":9,"name":"edited"}']);
  });

  test.each([true, false])('is merged field by field with the later edit (loaded record last: %s)', async (last) => {
    class Post extends Model.define({
      name: 'post',
      fields: { id: 'int', title: 'string', text: 'string' },
      proxy: server.proxy('/posts'),
    }) {}
    const store = new Store({ model: Post, pageSize: 0 });
    const [added] = store.add({ title: 'new', text: 'new' }) as [Post];
    const held = server.hold();
    const saving = added.save();
    await held.request;
    server.reply({ json: [{ id: 9, title: 'new', text: 'new' }] });
    await store.load();
    const loaded = store.getById(9) as Post;
    const [first, second] = last ? [added, loaded] : [loaded, added];
    first.title = 'first';
    second.title = 'second';
    first.text = 'third';
    held.answer({ status: 201, json: { id: 9 } });
    await saving;
    expect([store.getById(9) === added, added.$.modified]).toEqual([true, { title: 'second', text: 'third' }]);
  });

  test('passes its removal to the created record', async () => {
    const { own, added, loaded, answer, syncing } = await read();
    own.remove(loaded);
    answer();
    await syncing;
    expect([own.pending.removed, own.getById(User, 9)]).toEqual([[added], undefined]);
  });

  test('is merged after its own save has ended', async () => {
    const { own, added, loaded, answer, syncing } = await read();
    loaded.name = 'edited';
    const held = server.hold();
    const saving = loaded.save();
    await held.request;
    loaded.name = 'edited again';
    answer();
    await syncing;
    expect([...own.pending.created, ...own.pending.edited]).toContain(loaded);
    held.answer({ json: { id: 9, name: 'edited' } });
    await saving;
    expect([own.getById(User, 9) === added, [...own.pending.created, ...own.pending.edited]]).toEqual([true, [added]]);
    expect([added.name, added.$.previousValues]).toEqual(['edited again', { name: 'edited' }]);
  });
});

describe('stores of a session', () => {
  test('keep their own order of records, also when one got them through a window', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own, 3)];
    server.reply(page(rows(1, 2, 3)), page(rows(3, 2, 1), 3), page(rows(3, 2, 1), 3));
    await a.load();
    const window = windowOf(b);
    await window.show({ start: 0, end: 3 });
    await b.load();
    window.dispose();
    a.insert(1, { name: 'new' });
    a.sort('id');
    a.sort([]);
    expect([a, b].map((store) => store.getRange().map(({ name }) => name))).toEqual([
      ['n1', 'new', 'n2', 'n3'],
      ['n3', 'n2', 'n1'],
    ]);
    expect(a.indexOf(a.getById(3)!)).toBe(3);
  });

  test('have one object of a record that one store loads while the other creates it', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    const tasks = new Store({ model: Task, session: own, data: [{ id: 9, title: 'of another model' }] });
    const [added] = a.add({ name: 'new' }) as [User];
    const held = server.hold();
    const syncing = own.sync();
    await held.request;
    // The server has stored the record, but its response is late.
    server.reply(page([...rows(1), { id: 9, name: 'new' }, ...rows(2)]));
    await b.load();
    const loaded = b.getAt(1)!;
    expect(loaded).not.toBe(added);
    loaded.name = 'edited';
    b.flush();
    const log = eventLog(b);
    held.answer({ status: 201, json: { id: 9, name: 'new' } });
    await syncing;
    await tick();
    expect([b.getAt(1) === added, b.getById(9) === added, own.getById(User, 9) === added]).toEqual([true, true, true]);
    expect([shown(b), shown(tasks), log]).toEqual([[1, 9, 2], [9], ['change +9 -9']]);
    // Edits of the loaded record move to the created one and are sent once.
    expect([added.$.modified, own.pending.edited]).toEqual([{ name: 'edited' }, [added]]);
    added.reject();
    server.reply({ status: 204 });
    await added.erase();
    expect([shown(a), shown(b), b.getById(9)]).toEqual([[], [1, 2], undefined]);
  });

  describe('that have all read a row while its create was in flight', () => {
    const read = async () => {
      const own = session();
      const [a, b, c] = [storeOf(own), storeOf(own), storeOf(own)];
      const [added] = a.add({ name: 'new' }) as [User];
      const held = server.hold();
      const syncing = own.sync();
      await held.request;
      server.always(() => page([...rows(1), { id: 9, name: 'new' }, ...rows(2)]));
      for (const store of [b, a, c]) await store.load();
      const loaded = b.getAt(1) as User;
      expect([a, c].map((store) => store.getById(9) === loaded && loaded !== added)).toEqual([true, true]);
      const answer = async () => {
        held.answer({ status: 201, json: { id: 9, name: 'new' } });
        await syncing;
        await tick();
      };
      const expectOne = (order = [1, 9, 2]) => {
        for (const store of [a, b, c])
          expect([shown(store), store.getById(9) === added, store.count]).toEqual([order, true, order.length]);
        expect(own.getById(User, 9)).toBe(added);
      };
      return { own, a, b, c, added, loaded, answer, expectOne };
    };

    test('have the created record in its place', async () => {
      const { b, added, answer, expectOne } = await read();
      const view = viewOf(b, { filters: [{ property: 'name', value: 'new' }] });
      b.flush();
      const log = eventLog(b);
      await answer();
      expectOne();
      expect([[...view], log]).toEqual([[added], ['change +9 -9']]);
    });

    test('have its later edit, which is sent once and can be undone', async () => {
      const { own, added, loaded, answer, expectOne } = await read();
      const history = historyOf(own);
      loaded.name = 'edited';
      await answer();
      expectOne();
      expect([added.$.modified, [...own.pending.created, ...own.pending.edited]]).toEqual([
        { name: 'edited' },
        [added],
      ]);
      await history.undo();
      expect([added.name, [...own.pending.created, ...own.pending.edited]]).toEqual(['new', []]);
    });

    test('have one object when the save of the loaded one has ended', async () => {
      const { own, loaded, answer, expectOne } = await read();
      loaded.name = 'edited';
      const held = server.hold();
      const saving = loaded.save();
      await held.request;
      await answer();
      held.answer({ json: { id: 9, name: 'edited' } });
      await saving;
      await tick();
      expectOne();
      expect([own.getById(User, 9)?.name, [...own.pending.created, ...own.pending.edited]]).toEqual(['edited', []]);
    });

    test('hide it if the loaded one was removed', async () => {
      const { own, a, b, c, added, loaded, answer } = await read();
      own.remove(loaded);
      await answer();
      for (const store of [a, b, c]) expect(shown(store)).toEqual([1, 2]);
      expect(own.pending.removed).toEqual([added]);
    });
  });

  test.each(['a load', 'a feed'])(
    'say that they are stale if the row of a new record, known by %s, was erased before its create was answered',
    async (by) => {
      const own = session();
      const [a, b] = [storeOf(own), storeOf(own)];
      server.reply(page(rows(1)), page(rows(1)));
      for (const store of [a, b]) await store.load();
      const [added] = a.add({ name: 'new' }) as [User];
      const held = server.hold();
      const saving = added.save();
      await held.request;
      if (by === 'a load') {
        server.reply(page([...rows(1), { id: 9, name: 'new' }]));
        await b.load();
      } else receive(b, [{ id: 9, name: 'new' }]);
      b.remove(b.getById(9) as User);
      server.reply({ status: 204 });
      (await own.sync({ records: b.pending.removed })).orThrow();
      held.answer({ status: 201, json: { id: 9, name: 'new' } });
      await saving;
      expect([shown(b), a.status.get().staleReason, b.status.get().staleReason]).toEqual([[1], 'movedRow', undefined]);
      server.always(() => page(rows(1)));
      await own.refreshStale();
      expect([shown(a), a.status.get().staleReason, [...own.pending.created, ...own.pending.edited]]).toEqual([
        [1],
        undefined,
        [],
      ]);
    },
  );

  test('are not stale if the server uses the id of an erased record again', async () => {
    const own = session();
    const a = storeOf(own);
    server.reply(page(rows(1, 9)), { status: 204 }, { status: 201, json: { id: 9, name: 'new' } });
    await a.load();
    await a.getById(9)?.erase();
    await a.add({ name: 'new' })[0]?.save();
    expect([shown(a), a.status.get().staleReason]).toEqual([[1, 9], undefined]);
  });

  test('share records with each other and with load() of the session', async () => {
    const own = session();
    server.reply({ json: { id: 2, name: 'n2' } });
    const user = await own.load(User, 2);
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1, 2, 3)), page(rows(3, 2)));
    await a.load();
    await b.load();
    expect([a.getById(2), b.getById(2)]).toEqual([user, user]);
    expect([a.getById(2) === user, b.getAt(0) === a.getById(3), shown(a), shown(b)]).toEqual([
      true,
      true,
      [1, 2, 3],
      [3, 2],
    ]);
    const logs = [eventLog(a), eventLog(b)];
    user.name = 'edited';
    await tick();
    expect(logs).toEqual([['change ~2'], ['change ~2']]);
  });

  test('keep their own order of shared records in loadMore()', async () => {
    const own = session();
    const [a, b] = [storeOf(own, 2), storeOf(own, 2)];
    server.reply(page(rows(4, 3), 4), page(rows(2, 1), 4), page(rows(1, 2), 4), page(rows(3, 4), 4));
    await a.load();
    await a.loadMore();
    await b.load();
    await b.loadMore();
    expect([shown(a), shown(b)]).toEqual([
      [4, 3, 2, 1],
      [1, 2, 3, 4],
    ]);
    expect([...a].every((record) => [...b].includes(record))).toBe(true);
  });

  test('keep the edits of a shared record when another store loads it', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1)));
    await a.load();
    const user = a.getAt(0) as User;
    user.name = 'mine';
    server.reply(page([{ id: 1, name: 'theirs' }]));
    await b.load();
    expect([b.getAt(0) === user, user.name, user.$.previousValues]).toEqual([true, 'mine', { name: 'theirs' }]);
    expect([a.pending.edited, b.pending.edited, own.pending.edited]).toEqual([[user], [user], [user]]);
  });

  test('ignore a row requested before the last save of its record', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1)));
    await a.load();
    const user = a.getAt(0) as User;
    const held = server.hold();
    const loading = b.load();
    await held.request;
    user.name = 'saved';
    server.reply({ status: 204 });
    await user.save();
    held.answer(page(rows(1)));
    await loading;
    expect([b.getAt(0) === user, user.name, user.dirty]).toEqual([true, 'saved', false]);
  });

  test('do not show a record again that was erased during their load', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1, 2)));
    await a.load();
    const held = server.hold();
    const loading = b.load();
    await held.request;
    const user = a.getAt(0) as User;
    server.reply({ status: 204 });
    await user.erase();
    held.answer(page(rows(1, 2)));
    await loading;
    expect([shown(a), shown(b)]).toEqual([[2], [2]]);
  });

  test('all hide a record while it is being erased, and show it again if the erase fails', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1, 2)), page(rows(1, 2)));
    await a.load();
    await b.load();
    server.reply({ status: 500 }, { status: 204 });
    const user = a.getAt(0) as User;
    const erasing = user.erase().catch(() => undefined);
    expect([shown(a), shown(b), own.getById(User, 1)]).toEqual([[2], [2], undefined]);
    await erasing;
    expect([shown(a), shown(b)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    own.remove(user);
    expect([shown(a), shown(b), own.pending.removed]).toEqual([[2], [2], [user]]);
    expect((await own.sync()).outcomes).toEqual([{ action: 'destroy', record: user }]);
    expect([shown(a), shown(b), own.pending.removed, own.getById(User, 1)]).toEqual([[2], [2], [], undefined]);
  });

  test('show shared records in windows too', async () => {
    const own = session();
    const a = storeOf(own);
    server.reply(page(rows(1, 2)));
    await a.load();
    const b = new Store({
      model: User,
      session: own,
      pageSize: 2,
      remoteSort: true,
      remoteFilter: true,
      proxy: { reader: { rootProperty: 'rows' } },
    });
    const window = windowOf(b);
    server.reply(page(rows(2, 3), 2));
    await window.show({ start: 0, end: 2 });
    expect(window.getAt(0)).toBe(a.getById(2));
    expect(own.getById(User, 3)).toBe(window.getAt(1));
    window.dispose();
  });

  test('refuse a second object with an id that the session has', async () => {
    const own = session();
    const a = storeOf(own);
    server.reply(page(rows(1)));
    await a.load();
    expect(() => own.add(User.fromRow({ id: 1 }))).toThrow(
      'The session already has a user with the id 1: use that record',
    );
    const b = storeOf(own);
    expect(() => b.add(User.fromRow({ id: 1 }))).toThrow(StateError);
    expect(() => b.add({ id: 1 })).toThrow(StateError);
    expect([b.count, own.pending.created]).toEqual([0, []]);
    b.add(a.getAt(0) as User);
    expect(b.getAt(0)).toBe(a.getAt(0));
  });

  test('share nothing when they have no session', async () => {
    const a = new Store({ model: User, data: rows(1) });
    const b = new Store({ model: User, data: rows(1) });
    expect(a.getAt(0)).not.toBe(b.getAt(0));
  });

  test('share the records that they are constructed with', () => {
    const own = session();
    const a = new Store({ model: User, session: own, data: rows(1) });
    expect(own.getById(User, 1)).toBe(a.getAt(0));
  });
});

describe('pending changes of a session', () => {
  test('are those of all its stores, with each record listed once', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.reply(page(rows(1, 2)), page(rows(1, 2)), { json: { id: 9, title: 't' } });
    await a.load();
    await b.load();
    const task = await own.load(Task, 9);
    const made = own.create(Task, { title: 'new' });
    const [added] = a.add({ name: 'added' }) as [User];
    b.add(added);
    task.title = 'edited';
    (a.getById(1) as User).name = 'edited';
    const two = a.getById(2) as User;
    a.remove(two);
    two.name = 'edited and removed';
    expect(new Set(own.pending.created)).toEqual(new Set([made, added]));
    expect(new Set(own.pending.edited)).toEqual(new Set([task, a.getById(1)]));
    expect(own.pending.removed).toEqual([two]);
    expect([...own.pending.created, ...own.pending.edited]).toHaveLength(4);
    expect(own.getById(Task, made.getId() as number)).toBe(made);
    server.reset();
    server.always(accepting());
    const { failures, outcomes } = await own.sync();
    expect([failures, outcomes.length, server.lines.length]).toEqual([[], 5, 5]);
    expect([[...own.pending.created, ...own.pending.edited], own.pending.removed]).toEqual([[], []]);
    expect(own.getById(User, added.id)).toBe(added);
  });

  test('are sent through the proxy of the store that holds the record, which emits the events', async () => {
    const own = session();
    const a = new Store({ model: User, session: own, data: rows(1), proxy: { url: '/people' } });
    const log = eventLog(a);
    const user = a.getAt(0) as User;
    user.name = 'edited';
    const loose = own.create(User, { name: 'loose' });
    server.reply({ status: 201, json: { id: 8 } }, { status: 204 });
    await own.sync({ concurrency: 1 });
    expect([server.lines, loose.id]).toEqual([['POST /users', 'PUT /people/1'], 8]);
    // The edit, the start of the save, its end.
    expect(log).toEqual(['change ~1', 'change ~1', 'change ~1', 'write PUT /people/1']);
    user.name = 'again';
    server.reply({ status: 500 });
    await own.sync();
    expect(log.at(-1)).toBe('exception http PUT /people/1');
  });

  test('are sent in the order of references, whichever store holds the record', async () => {
    const own = session();
    const tasks = new Store({ model: Task, session: own });
    const users = storeOf(own);
    const user = users.add({ name: 'Ada' })[0] as User;
    tasks.add({ title: 'Write', ownerId: user.getId() as number });
    server.always(accepting());
    await own.sync();
    expect(sentLines()).toEqual(['POST /users {"name":"Ada"}', 'POST /tasks {"title":"Write","ownerId":101}']);
  });

  test('no longer contain a new record when the last store that holds it removes it', () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    const [one, two] = a.add({ name: 'one' }, { name: 'two' }) as [User, User];
    b.add(two);
    a.remove(one, two);
    expect([own.pending.created, shown(b)]).toEqual([[two], [two.getId()]]);
    b.remove(two);
    expect([own.pending.created, own.getById(User, one.getId() as number)]).toEqual([[], undefined]);
  });

  test('include the removal of records that are in no store', async () => {
    const own = session();
    server.reply({ json: { id: 7, name: 'Ada' } });
    const user = await own.load(User, 7);
    const made = own.create(User, { name: 'new' });
    own.remove(user, made);
    expect([own.pending.removed, own.pending.created, own.getById(User, 7)]).toEqual([[user], [], undefined]);
    server.reply({ status: 500 });
    expect((await own.sync()).failures).toHaveLength(1);
    expect([own.pending.removed, own.getById(User, 7)]).toEqual([[], user]);
    own.remove(user);
    server.reply({ status: 204 });
    await own.sync();
    expect([user.erased, own.pending.removed, own.getById(User, 7)]).toEqual([true, [], undefined]);
    own.remove(user);
    expect(own.pending.removed).toEqual([]);
  });

  test('are not sent if they are rejected before their turn', async () => {
    const session = new Session();
    const store = new Store({ model: User, pageSize: 0, data: rows(1), session });
    session.create(User, { name: 'a' });
    const b = session.create(User, { name: 'b' });
    const [c] = store.add({ name: 'c' }) as [User];
    session.remove(store.getById(1) as User);
    const held = server.hold();
    const syncing = session.sync({ concurrency: 1 });
    await held.request;
    session.remove(b, c);
    store.reject();
    held.answer({ status: 201, json: { id: 5 } });
    expect((await syncing).failures).toEqual([]);
    expect([server.lines.length, session.pending.removed, store.count]).toEqual([1, [], 1]);
  });

  test('are all taken back by reject()', async () => {
    const own = session();
    const a = storeOf(own);
    server.reply(page(rows(1, 2)), { json: { id: 9, title: 't' } }, { json: { id: 8, title: 'u' } });
    await a.load();
    const task = await own.load(Task, 9);
    const gone = await own.load(Task, 8);
    const change = () => {
      task.title = 'edited';
      own.remove(gone, a.getById(2) as User);
      own.create(Task, { title: 'new' });
      a.add({ name: 'new' });
      (a.getById(1) as User).name = 'edited';
    };
    const nothing = () => {
      expect([[...own.pending.created, ...own.pending.edited], own.pending.removed]).toEqual([[], []]);
      expect([task.title, a.getById(1)?.name]).toEqual(['t', 'n1']);
    };
    change();
    own.reject();
    nothing();
    expect([shown(a), own.getById(Task, 8)]).toEqual([[1, 2], gone]);
  });

  test('that are in flight are not undone', async () => {
    const own = session();
    const made = own.create(User, { name: 'new' });
    const held = server.hold();
    const syncing = own.sync();
    await held.request;
    own.reject();
    own.remove(made);
    held.answer({ status: 201, json: { id: 5 } });
    await syncing;
    expect([made.id, own.pending.removed]).toEqual([5, [made]]);
  });
});

describe('a session', () => {
  test('accepts records created elsewhere, but no erased ones', async () => {
    const own = session();
    const user = User.fromRow({ id: 1, name: 'Ada' });
    expect(own.add(user)).toEqual([user]);
    expect(own.getById(User, 1)).toBe(user);
    user.name = 'edited';
    expect(own.pending.edited).toEqual([user]);
    const gone = new User();
    await gone.erase();
    expect(() => own.add(gone)).toThrow(StateError);
  });

  test('keeps records of different models apart, even if these differ only in settings', () => {
    const Mine = User.with({ proxy: { headers: { 'X-Mine': '1' } } });
    const own = session();
    const [a, b] = [User.fromRow({ id: 1 }), Mine.fromRow({ id: 1 })];
    own.add<Model>(a, b, Task.fromRow({ id: 1 }));
    expect([own.getById(User, 1) === a, own.getById(Mine, 1) === b]).toEqual([true, true]);
  });

  test('finds a created record by the id from the server, and no longer by its temporary id', async () => {
    const own = session();
    const user = own.create(User, { name: 'new' });
    const before = user.getId() as number;
    server.reply({ status: 201, json: { id: 5 } });
    await own.sync();
    expect([own.getById(User, before), own.getById(User, 5)]).toEqual([undefined, user]);
  });

  test('forgets all records on dispose(), and its stores keep working', async () => {
    const own = session();
    const a = storeOf(own);
    server.reply(page(rows(1)));
    await a.load();
    const user = a.getAt(0) as User;
    user.name = 'edited';
    own.create(User, { name: 'new' });
    own.dispose();
    expect([[...own.pending.created, ...own.pending.edited], own.getById(User, 1)]).toEqual([[], undefined]);
    expect(a.pending.edited).toEqual([user]);
    server.always(accepting());
    expect((await own.sync()).outcomes).toEqual([]);
    expect((await a.sync()).outcomes).toHaveLength(1);
  });

  test('receives nothing from its stores after dispose(), and they stop sharing records', async () => {
    const own = session();
    const [a, b] = [storeOf(own), storeOf(own)];
    server.always(() => page(rows(1)));
    await a.load();
    own.dispose();
    a.add({ name: 'new' });
    a.remove(a.getAt(0) as User);
    await a.load();
    await b.load();
    (b.getAt(0) as User).name = 'edited';
    expect([[...own.pending.created, ...own.pending.edited], own.pending.removed, own.getById(User, 1)]).toEqual([
      [],
      [],
      undefined,
    ]);
    expect([a, b].map((store) => shown([...store.pending.created, ...store.pending.edited]).length)).toEqual([1, 1]);
    b.add({ id: 5, name: 'here' });
    a.add({ id: 5, name: 'and there' });
    expect(a.getById(5)).not.toBe(b.getById(5));
  });

  test('can be synced together with stores', async () => {
    const own = session();
    const user = own.create(User, { name: 'Ada' });
    const tasks = new Store({ model: Task });
    tasks.add({ title: 'Write', ownerId: user.getId() as number });
    server.always(accepting());
    const { failures } = await sync([tasks, own]);
    expect(failures).toEqual([]);
    expect(sentLines()[1]).toBe('POST /tasks {"title":"Write","ownerId":101}');
  });

  test('does not keep alive an unused record without changes', async () => {
    const own = session();
    const refs = await (async () => {
      server.always(({ path }) => ({ json: { id: Number(path.split('/').at(-1)), name: 'x' } }));
      const users = await Promise.all([1, 2, 3].map((id) => own.load(User, id)));
      (users[2] as User).name = 'edited';
      return users.map((user) => new WeakRef(user));
    })();
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    for (let i = 0; i < 10; i += 1) {
      await tick();
      gc();
    }
    expect(refs.map((ref) => ref.deref() !== undefined)).toEqual([false, false, true]);
  });
});
