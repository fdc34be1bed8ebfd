import { ConflictError, HttpError, MemoryProxy, Model, ReadError, Store, sync, ValidationError } from 'repose';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, poll, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: 'int' },
  proxy: server.proxy('/users', { batchActions: true, writer: { clientIdProperty: 'cid' } }),
}) {}

const users = (...ids: number[]) => new Store({ model: User, pageSize: 0, data: rows(...ids) });
const at = (store: Store<User>, id: number) => store.getById(id) as User;
const edit = (store: Store<User>) => {
  for (const user of store) user.name = `e${user.id}`;
};
const added = (store: Store<User>, ...names: string[]) => store.add(...names.map((name) => ({ name })));
/** The rows that a server returns for a create, with ids from 11. */
const stored = (body: object[]) => body.map((row, i) => ({ ...row, id: 11 + i }));

describe('creates in bulk', () => {
  test('are sent as an array to the collection', async () => {
    const store = users();
    const [a, b] = added(store, 'a', 'b') as [User, User];
    const [cidA, cidB] = shown([a, b]);
    const log = eventLog(store);
    server.reply(({ body }) => ({ status: 201, json: stored(body) }));
    const { outcomes } = await store.sync();
    expect(server.lines).toEqual(['POST /users']);
    expect(server.last.body).toEqual([
      { name: 'a', cid: cidA },
      { name: 'b', cid: cidB },
    ]);
    expect(outcomes).toEqual([
      { action: 'create', record: a },
      { action: 'create', record: b },
    ]);
    expect([a.id, b.id, a.phantom, b.dirty]).toEqual([11, 12, false, false]);
    expect(store.getById(12)).toBe(b);
    expect(log).toEqual(['change ~new,new', 'change ~11,12', 'write POST /users']);
  });

  test('match the rows of the response by client id, in any order', async () => {
    const store = users();
    const [a, b, c] = added(store, 'a', 'b', 'c') as [User, User, User];
    server.reply(({ body }) => ({ json: stored(body).reverse() }));
    await store.sync();
    expect([a.id, b.id, c.id]).toEqual([11, 12, 13]);
  });

  test('match a client id of 0', async () => {
    class Counted extends Model.define({
      name: 'counted',
      fields: { id: 'int', name: 'string' },
      identifier: (
        (next) => () =>
          next++
      )(0),
      proxy: server.proxy('/users', { batchActions: true, writer: { clientIdProperty: 'cid' } }),
    }) {}
    const store = new Store({ model: Counted, pageSize: 0, data: [] });
    const [a, b] = store.add({ name: 'a' }, { name: 'b' }) as [Counted, Counted];
    expect([a.getId(), b.getId()]).toEqual([0, 1]);
    server.reply(({ body }) => ({ json: stored(body).reverse() }));
    await store.sync();
    expect([a.id, b.id]).toEqual([11, 12]);
  });

  test('match by position if no row has a client id and every record has a row', async () => {
    const store = users();
    const [a, b] = added(store, 'a', 'b') as [User, User];
    server.reply({ json: [{ id: 21 }, { id: 22 }] });
    await store.sync();
    expect([a.id, b.id]).toEqual([21, 22]);
  });

  test('without a row in the response stay unsaved with an error', async () => {
    const store = users();
    const [a, b, c] = added(store, 'a', 'b', 'c') as [User, User, User];
    const log = eventLog(store);
    server.reply(({ body }) => ({ json: [{ ...body[1], id: 12 }] }));
    const { failures } = await store.sync();
    expect(failures.map(({ record, error }) => [record, error instanceof ReadError])).toEqual([
      [a, true],
      [c, true],
    ]);
    expect(failures[0]?.error.message).toMatch(
      /^POST .*\/users does not say what became of user -\d+, which stays unsaved: let the server answer/,
    );
    expect([a.phantom, b.phantom, c.phantom, a.$.error]).toEqual([true, false, true, failures[0]?.error]);
    expect(store.pending.created).toEqual([a, c]);
    expect(log).toEqual([
      'change ~new,new,new', // The start.
      'change ~new,12,new',
      'exception read POST /users',
      'write POST /users',
      'exception read POST /users',
    ]);
  });

  test('ignore a row with the client id of another record', async () => {
    const store = users();
    const [a, b] = added(store, 'a', 'b') as [User, User];
    server.reply(({ body }) => ({
      json: [
        { ...body[1], id: 12 },
        { cid: 'somebody else', id: 13 },
      ],
    }));
    const { failures } = await store.sync();
    expect(shown(failures.map(({ record }) => record))).toEqual([a.getId()]);
    expect(b.id).toBe(12);
  });

  test.each<[string, Reply]>([
    ['no body', { status: 204 }],
    ['an empty array', { json: [] }],
    ['an object', { json: { ok: true } }],
    ['rows without ids', { json: [{ name: 'a' }, { name: 'b' }] }],
  ])('stay unsaved if the response is %s', async (_, reply) => {
    const store = users();
    added(store, 'a', 'b');
    server.reply(reply);
    const { failures } = await store.sync();
    expect(failures.map(({ error }) => error.code)).toEqual(['read', 'read']);
    expect(store.pending.created).toHaveLength(2);
  });

  test('keep client-generated ids if the server returns none', async () => {
    const store = new Store({ model: User, pageSize: 0, proxy: { writer: { writeRecordId: true } } });
    const [a, b] = store.add({ id: 31, name: 'a' }, { id: 32, name: 'b' }) as [User, User];
    server.reply({ json: [{ name: 'a' }, { name: 'b' }] });
    expect((await store.sync()).failures).toEqual([]);
    expect(server.last.body).toEqual([
      { id: 31, name: 'a' },
      { id: 32, name: 'b' },
    ]);
    expect([a.phantom, b.phantom, store.getById(32)]).toEqual([false, false, b]);
  });

  test('keep an edited id if the server returns none', async () => {
    const store = users();
    const [a, b] = added(store, 'a', 'b') as [User, User];
    a.id = 31;
    b.id = 32;
    server.reply({ json: [{ name: 'a' }, { name: 'b' }] });
    expect((await store.sync()).failures).toEqual([]);
    expect([a.id, a.phantom, store.getById(32)]).toEqual([31, false, b]);
  });
});

describe('updates and erases in bulk', () => {
  test('are sent as arrays, with one request per action', async () => {
    const store = users(1, 2, 3, 4);
    store.remove(at(store, 3), at(store, 4));
    edit(store);
    server.reply(
      {
        json: [
          { id: 2, name: 'e2' },
          { id: 1, name: 'e1' },
        ],
      },
      { status: 204 },
    );
    const { failures } = await store.sync();
    expect(failures).toEqual([]);
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      [
        'PUT',
        '/users',
        [
          { id: 1, name: 'e1' },
          { id: 2, name: 'e2' },
        ],
      ],
      ['DELETE', '/users', [{ id: 3 }, { id: 4 }]],
    ]);
    expect([shown(store), [...store.pending.created, ...store.pending.edited], store.pending.removed]).toEqual([
      [1, 2],
      [],
      [],
    ]);
  });

  test('match the rows of the response by id, and records without a row stay pending', async () => {
    const store = users(1, 2, 3, 4, 5);
    store.remove(at(store, 4), at(store, 5));
    edit(store);
    server.reply(
      {
        json: [
          { id: '3', name: 'e3', age: 30 },
          { id: 1, name: 'e1' },
        ],
      },
      { json: [{ id: 5 }] },
    );
    const { failures } = await store.sync();
    expect(failures.map(({ action, record }) => [action, record.id])).toEqual([
      ['update', 2],
      ['destroy', 4],
    ]);
    expect([at(store, 3).age, at(store, 2).dirty, at(store, 1).dirty]).toEqual([30, true, false]);
    expect(shown(store)).toEqual([1, 2, 3, 4]);
  });

  test('match by position if no row has an id', async () => {
    const store = users(1, 2);
    edit(store);
    server.reply({
      json: [
        { name: 'e1', age: 1 },
        { name: 'e2', age: 2 },
      ],
    });
    expect((await store.sync()).failures).toEqual([]);
    expect([at(store, 1).age, at(store, 2).age]).toEqual([1, 2]);
  });

  test('succeed if the response is empty', async () => {
    const store = users(1, 2);
    edit(store);
    server.reply({ status: 204 });
    expect((await store.sync()).failures).toEqual([]);
    expect(store.pending.edited).toEqual([]);
  });

  test('fail if the response contains no row', async () => {
    const store = users(1, 2, 3, 4);
    store.remove(at(store, 3), at(store, 4));
    edit(store);
    server.always(() => ({ json: { ok: true } }));
    expect((await store.sync()).failures).toHaveLength(4);
    expect(shown(store)).toEqual([1, 2, 3, 4]);
  });

  test('leave out a record with an edited id, whose own request names its saved id', async () => {
    const backend = restServer({ collections: { '/users': [...rows(1, 2, 3), { id: 10, name: 'other' }] } });
    const { fetch, baseUrl } = backend;
    const store = new Store({ model: User, data: rows(1, 2, 3), proxy: { fetch, baseUrl, batchActions: true } });
    edit(store);
    at(store, 1).id = 10;
    at(store, 2).id = 20;
    const { failures } = await store.sync();
    expect(failures.map(({ record, error }) => [record.name, error.code])).toEqual([['e1', 'http']]);
    expect(backend.rows('/users')).toEqual([
      { id: 1, name: 'n1' },
      { id: 20, name: 'e2' },
      { id: 3, name: 'e3' },
      { id: 10, name: 'other' },
    ]);
  });

  test('match by the id that was sent, even if it is edited meanwhile', async () => {
    const store = users(1, 2);
    const [first] = [...store] as [User];
    edit(store);
    server.reply(({ body }) => {
      first.id = 2;
      return { json: body.slice(1) };
    });
    const { failures } = await store.sync();
    expect(failures.map(({ record, error }) => [record, error.reason])).toEqual([[first, 'response-missing']]);
    expect([first.name, first.$.modified]).toEqual(['e1', { id: 2, name: 'e1' }]);
  });

  test('with PATCH contain the edited fields and the id', async () => {
    const store = new Store({ model: User, data: rows(1, 2), proxy: { actionMethods: { update: 'PATCH' } as never } });
    edit(store);
    server.reply({ status: 204 });
    await store.sync();
    expect([server.last.method, server.last.body]).toEqual([
      'PATCH',
      [
        { id: 1, name: 'e1' },
        { id: 2, name: 'e2' },
      ],
    ]);
  });
});

describe('a status per entry (207)', () => {
  test('gives each record its outcome, and a failed entry the error of its status', async () => {
    const store = users(1, 2, 3, 4);
    edit(store);
    server.reply({
      status: 207,
      json: [
        { id: 1, status: 200, name: 'e1', age: 7 },
        { id: 2, status: 422, errors: { name: ['is taken'] } },
        { id: 3, status: 412, message: 'somebody was faster' },
        { id: 4, status: 500 },
      ],
    });
    const { failures } = await store.sync();
    const errors = failures.map(({ error }) => error);
    expect(shown(failures.map(({ record }) => record))).toEqual([2, 3, 4]);
    expect(errors.map((error) => error.constructor)).toEqual([ValidationError, ConflictError, HttpError]);
    expect(at(store, 2).$.errors.name?.[0]?.message).toBe('is taken');
    expect(errors[1]?.message).toMatch(/^PUT .*\/users answered 412: somebody was faster\. The server has other data/);
    expect((errors[2] as HttpError).status).toBe(500);
    expect([at(store, 1).dirty, at(store, 1).age, at(store, 4).dirty]).toEqual([false, 7, true]);
  });

  test('is read in a 207 only, since it may be a field in other responses', async () => {
    const store = users(1, 2);
    edit(store);
    server.reply({
      json: [
        { id: 1, status: 404 },
        { id: 2, status: 500 },
      ],
    });
    expect((await store.sync()).failures).toEqual([]);
  });

  test('of an erase shows the records again whose erase failed', async () => {
    const store = users(1, 2);
    store.removeAll();
    server.reply({
      status: 207,
      json: [
        { id: 1, status: 204 },
        { id: 2, status: 403 },
      ],
    });
    const { failures } = await store.sync();
    expect([shown(store), failures[0]?.error.code]).toEqual([[2], 'auth']);
  });
});

describe('a bulk request for one record', () => {
  test('is replaced by the ordinary request', async () => {
    const store = users(1, 2);
    at(store, 1).name = 'e1';
    store.remove(at(store, 2));
    added(store, 'a');
    server.reply({ status: 201, json: { id: 11 } }, { json: { id: 1, name: 'e1' } }, { status: 204 });
    expect((await store.sync()).failures).toEqual([]);
    expect(server.lines).toEqual(['POST /users', 'PUT /users/1', 'DELETE /users/2']);
    expect(Array.isArray(server.requests[0]?.body)).toBe(false);
  });

  test('is replaced by the ordinary request if the other records are invalid', async () => {
    const store = users(1, 2);
    edit(store);
    at(store, 1).name = null as never;
    const log = eventLog(store);
    server.reply({ status: 204 });
    const { outcomes } = await store.sync();
    expect(server.lines).toEqual(['PUT /users/2']);
    expect(outcomes.map(({ record, error }) => [record.id, error?.code])).toEqual([
      [1, 'validation'],
      [2, undefined],
    ]);
    expect(log.slice(-2)).toEqual(['exception validation update', 'write PUT /users/2']);
  });

  test('is replaced by the ordinary request if an earlier sync() has invalid values of the others to send', async () => {
    const [added, store] = [users(), users(1, 2)];
    added.add({ name: 'new' });
    edit(store);
    at(store, 1).name = null as never;
    const held = server.hold();
    const first = sync([added, store]);
    await held.request;
    for (const user of store) user.age = 2;
    server.reply({ status: 204 });
    const { failures } = await store.sync();
    expect([server.lines[1], server.last.body]).toEqual(['PUT /users/2', { id: 2, name: 'e2', age: 2 }]);
    expect(failures.map(({ record, error }) => [record.id, error.code])).toEqual([[1, 'validation']]);
    held.answer({ status: 201, json: { id: 11, name: 'new' } });
    await first;
    expect(server.lines).toEqual(['POST /users', 'PUT /users/2']);
  });

  test('is not sent if every record is invalid', async () => {
    const store = users(1, 2);
    for (const user of store) user.name = null as never;
    expect((await store.sync()).failures).toHaveLength(2);
    expect(server.lines).toEqual([]);
  });

  test('is replaced by one request per record without `batchActions`', async () => {
    const store = new Store({ model: User, data: rows(1, 2), proxy: { batchActions: false } });
    edit(store);
    server.always(() => ({ status: 204 }));
    await store.sync();
    expect([...server.lines].sort()).toEqual(['PUT /users/1', 'PUT /users/2']);
  });
});

describe('a bulk request that fails', () => {
  test('fails all its records with its error, and drops none', async () => {
    const store = users(1, 2, 3, 4);
    store.remove(at(store, 3), at(store, 4));
    edit(store);
    added(store, 'a', 'b');
    server.reply({ drop: true }, { status: 500 }, { status: 403 });
    const { outcomes } = await store.sync();
    expect(outcomes.map(({ action, error }) => [action, error?.code])).toEqual([
      ['create', 'network'],
      ['create', 'network'],
      ['update', 'http'],
      ['update', 'http'],
      ['destroy', 'auth'],
      ['destroy', 'auth'],
    ]);
    expect([...store.pending.created, ...store.pending.edited]).toHaveLength(4);
    expect(shown(store)).toHaveLength(6);
  });

  test('because of a signal fails them with AbortError', async () => {
    const store = users(1, 2);
    edit(store);
    const held = server.hold();
    const controller = new AbortController();
    const syncing = store.sync({ signal: controller.signal });
    await held.request;
    controller.abort();
    expect((await syncing).failures.map(({ error }) => error.code)).toEqual(['abort', 'abort']);
    held.answer();
  });
});

describe('$.abort()', () => {
  test('aborts a request that contains only this record, even if others were to be in it', async () => {
    const store = users(1, 2);
    edit(store);
    at(store, 2).set({ name: null as never });
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    at(store, 1).$.abort();
    held.answer({ status: 204 });
    const { outcomes } = await syncing;
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['abort', 'validation']);
  });

  test('does not abort a request that contains other records', async () => {
    const store = users(1, 2);
    edit(store);
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    at(store, 1).$.abort();
    held.answer({ status: 204 });
    expect((await syncing).failures).toEqual([]);
    expect(server.last.body).toHaveLength(2);
  });
});

describe('while a bulk request is in flight', () => {
  const flying = async (store: Store<User>) => {
    const held = server.hold();
    const syncing = store.sync();
    await held.request;
    return { held, syncing };
  };

  test('a second sync does not repeat creates', async () => {
    const store = users();
    added(store, 'a', 'b');
    const { held, syncing } = await flying(store);
    const second = store.sync();
    held.answer({ json: [{ id: 11 }, { id: 12 }] });
    const batches = await Promise.all([syncing, second]);
    expect(server.lines).toEqual(['POST /users']);
    expect(batches.map(({ outcomes, failures }) => [outcomes.length, failures.length])).toEqual([
      [2, 0],
      [2, 0],
    ]);
  });

  test('a second sync does not repeat creates that may have succeeded', async () => {
    const store = users();
    added(store, 'a', 'b');
    const { held, syncing } = await flying(store);
    const second = store.sync();
    held.answer({ drop: true });
    const batches = await Promise.all([syncing, second]);
    expect(server.lines).toEqual(['POST /users']);
    expect(batches.map(({ failures }) => failures.length)).toEqual([2, 2]);
  });

  test('a second sync or erase() does not repeat erases', async () => {
    const store = users(1, 2, 3);
    const [first] = store.remove(at(store, 1), at(store, 2)) as [User];
    const { held, syncing } = await flying(store);
    const others = [store.sync(), first.erase()];
    held.answer({ status: 204 });
    await Promise.all([syncing, ...others]);
    expect(server.lines).toEqual(['DELETE /users']);
    expect(shown(store)).toEqual([3]);
  });

  test('a second erase() fails with the error of the request', async () => {
    const store = users(1, 2);
    const [first] = store.removeAll() as [User];
    const { held, syncing } = await flying(store);
    const erasing = first.erase();
    held.answer({ status: 500 });
    await expect(erasing).rejects.toBe((await syncing).failures[0]?.error);
  });

  test('edits stay pending, and save() waits for the request', async () => {
    const store = users(1, 2);
    edit(store);
    const { held, syncing } = await flying(store);
    const first = at(store, 1);
    first.name = 'later';
    const saving = first.save();
    await tick();
    expect(server.lines).toHaveLength(1);
    server.reply({ status: 204 });
    held.answer({ status: 204 });
    await Promise.all([syncing, saving]);
    expect(server.lines).toEqual(['PUT /users', 'PUT /users/1']);
    expect([server.last.body, first.dirty]).toEqual([{ id: 1, name: 'later' }, false]);
  });

  test('records removed during their create are erased after it', async () => {
    const store = users();
    const [a, b] = added(store, 'a', 'b') as [User, User];
    const { held, syncing } = await flying(store);
    store.remove(a, b);
    const second = store.sync();
    server.always(() => ({ status: 204 }));
    held.answer({ json: [{ id: 11 }, { id: 12 }] });
    await Promise.all([syncing, second]);
    expect(server.lines[0]).toBe('POST /users');
    expect(server.lines.slice(1).sort()).toEqual(['DELETE /users/11', 'DELETE /users/12']);
    expect(store.pending.removed).toEqual([]);
  });

  test('removed records whose create is refused are dropped without a request', async () => {
    const store = users(1);
    const [a, b] = added(store, 'a', 'b') as [User, User];
    const { held, syncing } = await flying(store);
    store.remove(a, b);
    held.answer({ status: 422, json: {} });
    await syncing;
    store.remove(at(store, 1));
    server.reply({ status: 204 });
    expect((await store.sync()).failures).toEqual([]);
    expect(server.lines).toEqual(['POST /users', 'DELETE /users/1']);
    expect(store.pending.removed).toEqual([]);
  });

  test('records with a save in flight are sent on their own, and the others together', async () => {
    const store = users(1, 2, 3);
    edit(store);
    const held = server.hold();
    const saving = at(store, 1).save();
    await held.request;
    at(store, 1).name = 'newest';
    server.always(() => ({ status: 204 }));
    const syncing = store.sync();
    await poll(() => server.lines.length).toBe(2);
    held.answer({ status: 204 });
    const { outcomes } = await syncing;
    await saving;
    expect(server.lines).toEqual(['PUT /users/1', 'PUT /users', 'PUT /users/1']);
    expect(shown(outcomes.map(({ record }) => record))).toEqual([1, 2, 3]);
    expect(store.pending.edited).toEqual([]);
  });
});

test('incomplete records are read and sent one by one, because a partial row would erase their other values (H7)', async () => {
  const reader = { rows: 'incomplete' as const };
  const store = new Store({ model: User, pageSize: 0, proxy: { reader } });
  server.reply({ json: rows(1, 2) });
  await store.load();
  edit(store);
  server.always(({ method, path }: Received) =>
    method === 'GET' ? { json: { id: Number(path.at(-1)), name: 'old', age: 50 } } : { status: 204 },
  );
  await store.sync();
  const puts = server.requests.filter(({ method }) => method === 'PUT');
  expect(puts.map(({ path, body }) => [path, body]).sort()).toEqual([
    ['/users/1', { id: 1, name: 'e1', age: 50 }],
    ['/users/2', { id: 2, name: 'e2', age: 50 }],
  ]);
});

test('a memory proxy saves records in bulk', async () => {
  const proxy = new MemoryProxy({ batchActions: true, data: rowsFrom(1, 4) });
  const store = new Store({ model: User, pageSize: 0, proxy });
  await store.load();
  store.remove(at(store, 1), at(store, 2));
  edit(store);
  added(store, 'a', 'b');
  expect((await store.sync()).failures).toEqual([]);
  expect(proxy.data).toEqual([
    { id: 3, name: 'e3' },
    { id: 4, name: 'e4' },
    { id: 5, name: 'a' },
    { id: 6, name: 'b' },
  ]);
  expect(shown(store)).toEqual([3, 4, 5, 6]);
});
