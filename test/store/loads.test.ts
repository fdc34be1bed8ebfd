import {
  AbortError,
  DataProxy,
  HttpError,
  isDataError,
  Model,
  nextPage,
  type Operation,
  ReadError,
  ResultSet,
  Store,
  UnsupportedQueryError,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { pageOf } from '../helpers/error-page.js';
import { deferred } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, poll, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: 'int' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

/** Answers only when a test calls `answer`, and ignores the signal. */
class DeafProxy extends DataProxy {
  readonly reads: { readonly operation: Operation; answer(rows: readonly object[]): void }[] = [];
  override async read(operation: Operation): Promise<ResultSet> {
    const { promise, resolve } = deferred<readonly object[]>();
    this.reads.push({ operation, answer: resolve });
    return new ResultSet({ rows: await promise });
  }
  override create = () => Promise.resolve(new ResultSet());
  override update = () => Promise.resolve(new ResultSet());
  override erase = () => Promise.resolve(new ResultSet());
}

const at = (store: Store<User>, id: number) => store.getById(id) as User;

describe('loads', () => {
  test('never start by themselves', async () => {
    const store = new Store({ model: User, remoteSort: true, remoteFilter: true, sorters: ['name'] });
    store.add({ name: 'new' });
    store.sort('age');
    store.filter({ property: 'age', value: 3 });
    store.setQuery(store.query.with({ filters: [...store.query.filters, { property: 'name', value: 'x' }] }));
    store.setQuery(store.query.with({ filters: store.query.filters.filter(({ property }) => property !== 'age') }));
    store.group('age');
    store.group([]);
    store.list.get();
    store.on('change', () => undefined);
    await tick();
    expect(server.requests).toEqual([]);
    expect(store.status.get().loaded).toBe(false);
  });

  test('resolve with the records of the page', async () => {
    const store = new Store({ model: User });
    server.reply(page(rows(1, 2), 2));
    const records = await store.load();
    expect(records).toEqual([store.getAt(0), store.getAt(1)]);
    expect(records[0]).toBeInstanceOf(User);
  });

  test('set `loading` and `loaded`', async () => {
    const store = new Store({ model: User });
    const held = server.hold();
    const loading = store.load();
    expect([store.status.get().loading, store.status.get().loaded]).toEqual([true, false]);
    held.answer(page([]));
    await loading;
    expect([store.status.get().loading, store.status.get().loaded]).toEqual([false, true]);
  });

  test('send the options of the call', async () => {
    const store = new Store({ model: User });
    server.always(() => page([]));
    await store.load({ params: { q: 'a b' }, headers: { 'X-Why': 'test' }, url: '/people' });
    expect(server.last.url).toBe('/people?q=a%20b&page=1&start=0&limit=25');
    expect(server.last.headers['x-why']).toBe('test');
    await store.load({ id: 5 });
    expect(server.last.path).toBe('/users/5');
    const notes = new Store({ model: User, proxy: { url: '/{team}/users' } });
    await notes.load({ pathParams: { team: 'red' } });
    expect(server.last.path).toBe('/red/users');
  });

  test('have no callbacks, unlike the loads of a record', async () => {
    const store = new Store({ model: User });
    for (const name of ['success', 'failure', 'callback'])
      await expect(store.load({ [name]: () => undefined })).rejects.toThrow(`'${name}' is not an option of load`);
    expect(() => new Store({ model: User, autoLoad: { callback: () => undefined } as never })).toThrow(
      "'callback' is not an option of load",
    );
    await expect(store.loadMore({ success: () => undefined } as never)).rejects.toThrow(
      "'success' is not an option of loadMore: await",
    );
    expect(server.requests).toEqual([]);
  });

  test('with `addRecords` append each record once', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    server.reply(page(rows(1, 2), 4), page(rows(2, 3), 4));
    await store.load();
    const first = store.getAt(0);
    const records = await nextPage(store, { addRecords: true });
    expect([shown(records), shown(store)]).toEqual([
      [2, 3],
      [1, 2, 3],
    ]);
    expect(store.getAt(0)).toBe(first);
  });

  test('of incomplete rows keep known values, and an incomplete record is read whole before it is written', async () => {
    const store = new Store({
      model: User,
      pageSize: 0,
      proxy: { reader: { rootProperty: 'rows', rows: 'incomplete' } },
    });
    server.reply(page([{ id: 1, name: 'a' }]));
    await store.load();
    server.reply({ json: { rows: { id: 1, name: 'a', age: 30 } } }, { status: 204 }, page([{ id: 1, name: 'b' }]), {
      status: 204,
    });
    at(store, 1).name = 'b';
    await store.sync();
    await store.load();
    expect(at(store, 1).age).toBe(30);
    at(store, 1).age = 31;
    await store.sync();
    expect(server.lines).toEqual(['GET /users', 'GET /users/1', 'PUT /users/1', 'GET /users', 'PUT /users/1']);
    expect(server.last.body).toEqual({ id: 1, name: 'b', age: 31 });
  });
});

describe('changes of remote sorters, filters and groups', () => {
  const options = { model: User, pageSize: 2, remoteSort: true, remoteFilter: true };

  test('load page 1 again in a loaded store, with one request per tick', async () => {
    const store = new Store(options);
    server.always(() => page(rows(1, 2), 9));
    await store.load({ page: 3 });
    store.sort('name', 'DESC');
    store.filter({ property: 'age', operator: '>', value: 3 });
    store.group('age');
    expect(store.currentPage).toBe(3);
    await poll(() => store.currentPage).toBe(1);
    const query = { sort: '[{"property":"name","direction":"DESC"}]', group: '{"property":"age","direction":"ASC"}' };
    expect(server.lines).toHaveLength(2);
    expect(Object.fromEntries(server.last.query)).toEqual({
      page: '1',
      start: '0',
      limit: '2',
      filter: '[{"property":"age","operator":">","value":3}]',
      ...query,
    });
    store.filter([]);
    store.group([]);
    await poll(() => server.lines.length).toBe(3);
    expect([...server.last.query.keys()]).toEqual(['page', 'start', 'limit', 'sort']);
  });

  test('before the first load send nothing, and are sent with the first load', async () => {
    const store = new Store(options);
    store.sort('name');
    await tick();
    expect(server.requests).toEqual([]);
    server.reply(page([]));
    await store.load();
    expect(server.last.query.get('sort')).toContain('name');
  });

  test('during the first load send a new request in its place', async () => {
    const store = new Store(options);
    const held = server.hold();
    const loading = store.load();
    await held.request;
    store.sort('name');
    server.reply(page(rows(5)));
    expect(shown(await loading)).toEqual([5]);
    held.answer();
    expect(server.lines).toHaveLength(2);
    expect(server.last.query.get('sort')).toContain('name');
  });

  test('are sent with a load that is called in the same tick', async () => {
    const store = new Store(options);
    server.always(() => page(rows(1, 2), 9));
    await store.load();
    store.sort('name');
    await store.load({ page: 2 });
    await tick();
    expect(server.lines).toHaveLength(2);
    expect(server.last.query.get('page')).toBe('2');
    expect(server.last.query.get('sort')).toContain('name');
  });

  test('are sent on their own if the load of that tick is already aborted', async () => {
    const store = new Store({ model: User, remoteSort: true });
    server.always(() => page(rows(1)));
    await store.load();
    store.sort('age');
    await expect(store.load({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortError);
    await poll(() => server.requests.length).toBe(2);
    expect(server.last.query.get('sort')).toContain('age');
  });

  test('made after the load of that tick are sent on their own', async () => {
    const store = new Store(options);
    server.always(() => page(rows(1, 2), 9));
    await store.load();
    store.sort('name');
    const loading = store.load({ page: 2 });
    store.sort('age');
    await loading;
    expect(server.last.query.get('page')).toBe('1');
    expect(server.last.query.get('sort')).toContain('age');
    expect(store.currentPage).toBe(1);
  });

  test('are never applied locally', async () => {
    const store = new Store({ ...options, pageSize: 0 });
    server.always(() => page(rows(2, 1, 3)));
    await store.load();
    store.sort('name');
    store.filter({ property: 'name', value: 'nobody' });
    expect(shown(store)).toEqual([2, 1, 3]);
    await poll(() => store.status.get().loading).toBe(false);
    expect(shown(store)).toEqual([2, 1, 3]);
  });

  test('return nothing: their errors go to `exception` and `store.error`, and cause no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const store = new Store(options);
    server.reply(page(rows(1)), { status: 500 }, page(rows(1)));
    await store.load();
    const log = eventLog(store);
    expect(store.sort('name')).toBeUndefined();
    await poll(() => store.status.get().error).toBeInstanceOf(HttpError);
    store.filter({ property: 'name', value: 'x' });
    await poll(() => store.status.get().error).toBeUndefined();
    await tick();
    process.off('unhandledRejection', listener);
    expect(log).toEqual([expect.stringMatching(/^exception http GET .*sort=/), 'load 1']);
    expect(unhandled).toEqual([]);
  });
});

describe('autoLoad', () => {
  test('loads once listeners can be added', async () => {
    const store = new Store({ model: User, autoLoad: true });
    const log = eventLog(store);
    server.reply(page(rows(1)));
    await poll(() => store.status.get().loaded).toBe(true);
    expect(log).toEqual(['change +1', 'load 1']);
    expect(server.lines).toEqual(['GET /users?page=1&start=0&limit=25']);
  });

  test('accepts load options', async () => {
    const store = new Store({ model: User, autoLoad: { page: 2, params: { a: 1 } } });
    server.reply(page(rows(1)));
    await poll(() => shown(store)).toEqual([1]);
    expect(server.last.url).toBe('/users?a=1&page=2&start=25&limit=25');
  });

  test('set to false loads nothing', async () => {
    new Store({ model: User, autoLoad: false });
    await tick();
    expect(server.requests).toEqual([]);
  });

  test('that fails sets `store.error`', async () => {
    const store = new Store({ model: User, autoLoad: true });
    server.reply({ status: 500 });
    await poll(() => store.status.get().error?.code).toBe('http');
  });

  test('with an invalid page is refused by the constructor', () => {
    expect(() => new Store({ model: User, autoLoad: { page: 0 } })).toThrow(UnsupportedQueryError);
  });
});

describe('a load superseded by a later one', () => {
  test('is aborted, and settles with the outcome of the later one', async () => {
    const store = new Store({ model: User, pageSize: 2 });
    const log = eventLog(store);
    const [first, second] = [server.hold(), server.hold()];
    const loads = [store.load()];
    await first.request;
    loads.push(store.load({ page: 2 }));
    await second.request;
    loads.push(store.load({ page: 3 }));
    server.reply(page(rows(5, 6), 9));
    const results = await Promise.all(loads);
    expect(results.map(shown)).toEqual([
      [5, 6],
      [5, 6],
      [5, 6],
    ]);
    first.answer(page(rows(1, 2), 9));
    second.answer(page(rows(3, 4), 9));
    await tick();
    expect(shown(store)).toEqual([5, 6]);
    expect(log).toEqual(['change +5,6', 'load 5,6']);
  });

  test('fails with the error of the later one, which is emitted once', async () => {
    const store = new Store({ model: User });
    const log = eventLog(store);
    const held = server.hold();
    const first = store.load();
    await held.request;
    server.reply({ status: 500 });
    const second = store.load({ page: 2 });
    const errors = await Promise.all([first, second].map((each) => each.catch((error: unknown) => error)));
    expect(errors[0]).toBeInstanceOf(HttpError);
    expect(errors[1]).toBe(errors[0]);
    expect(log).toEqual([expect.stringMatching(/^exception http GET .*page=2/)]);
    held.answer();
  });

  test('is ignored if its response comes last', async () => {
    const proxy = new DeafProxy();
    const store = new Store({ model: User, proxy });
    const loads = [store.load(), store.load({ page: 2 })];
    await tick();
    proxy.reads[1]?.answer(rows(2));
    await Promise.all(loads);
    proxy.reads[0]?.answer(rows(1));
    await tick();
    expect(shown(store)).toEqual([2]);
  });

  test('is ignored if its response comes first', async () => {
    const proxy = new DeafProxy();
    const store = new Store({ model: User, proxy });
    const loads = [store.load(), store.load({ page: 2 })];
    await tick();
    proxy.reads[0]?.answer(rows(1));
    await tick();
    expect([store.count, store.status.get().loading]).toEqual([0, true]);
    proxy.reads[1]?.answer(rows(2));
    expect((await Promise.all(loads)).map(shown)).toEqual([[2], [2]]);
  });
});

describe('a listener for the abort of a superseded load', () => {
  test('may call abort(), which ends the later load', async () => {
    const proxy = new DeafProxy();
    const store = new Store({ model: User, proxy });
    const first = store.load({ page: 1 });
    await tick();
    proxy.reads[0]?.operation.signal?.addEventListener('abort', () => store.abort());
    const loads = [first, store.load({ page: 2 })];
    await tick();
    for (const { answer } of proxy.reads) answer(rows(1));
    for (const load of loads) await expect(load).rejects.toBeInstanceOf(AbortError);
    expect([store.status.get().loading, shown(store)]).toEqual([false, []]);
  });
});

describe('the same load called twice', () => {
  test('is one request with one outcome', async () => {
    const store = new Store({ model: User, remoteFilter: true, filters: [{ property: 'name', value: 'x' }] });
    const log = eventLog(store);
    server.reply(page(rows(1)));
    const [first, second] = await Promise.all([
      store.load({ params: { a: [1, 2] } }),
      store.load({ params: { a: [1, 2] } }),
    ]);
    expect(second).toBe(first);
    expect([server.lines.length, log]).toEqual([1, ['change +1', 'load 1']]);
  });

  test('is two requests after the first has ended, or if any option differs', async () => {
    const store = new Store({ model: User });
    server.always(() => page(rows(1)));
    await store.load();
    await store.load();
    expect(server.lines).toHaveLength(2);
    await Promise.all([store.load({ params: { a: 1 } }), store.load({ params: { a: 2 } })]);
    await Promise.all([store.load({ headers: { a: '1' } }), store.load({ headers: { a: '2' } })]);
    await Promise.all([store.load(), store.load({ addRecords: true })]);
    // Superseded loads may be aborted before they are sent.
    expect(server.lines.length).toBeGreaterThanOrEqual(5);
    expect(server.last.url).toBe('/users?page=1&start=0&limit=25');
  });

  test('is two requests if its options cannot be compared, as circular objects', async () => {
    const proxy = new DeafProxy();
    const other = new Store({ model: User, proxy });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const loads = [other.load({ params: circle }), other.load({ params: circle })];
    await tick();
    expect(proxy.reads).toHaveLength(2);
    for (const read of proxy.reads) read.answer([]);
    await Promise.all(loads);
  });
});

describe('the signal of a load', () => {
  test('rejects with AbortError, changes nothing and leaves nothing unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const store = new Store({ model: User });
    server.reply(page(rows(1)));
    await store.load();
    const held = server.hold();
    const controller = new AbortController();
    const loading = store.load({ signal: controller.signal });
    await held.request;
    const why = new Error('changed my mind');
    controller.abort(why);
    const error = await loading.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AbortError);
    expect((error as AbortError).cause).toBe(why);
    expect((error as AbortError).message).toContain('GET /users');
    held.answer(page(rows(2)));
    await tick();
    process.off('unhandledRejection', listener);
    expect([shown(store), store.status.get().loading, unhandled]).toEqual([[1], false, []]);
  });

  test('of a wrong type causes a DefinitionError, and nothing is sent', async () => {
    const store = new Store({ model: User, pageSize: 0, data: rows(1) });
    for (const user of store) user.name = 'new';
    const options = { signal: new AbortController() as never };
    const refusal = (call: string) => ({
      code: 'definition',
      message: `${call}.signal must be an AbortSignal, such as the \`signal\` of an AbortController, not an AbortController${pageOf('option-value')}`,
    });
    await expect(store.load(options)).rejects.toMatchObject(refusal('load'));
    await expect(store.sync(options)).rejects.toMatchObject(refusal('sync'));
    expect([server.lines, shown(store), store.status.get().loading]).toEqual([[], [1], false]);
  });

  test('that is already aborted sends nothing, and leaves a load in flight alone', async () => {
    const store = new Store({ model: User });
    const held = server.hold();
    const first = store.load();
    await held.request;
    const refused = store.load({ page: 2, signal: AbortSignal.abort() });
    await expect(refused).rejects.toMatchObject({ code: 'abort', message: `read user was aborted${pageOf('abort')}` });
    held.answer(page(rows(1)));
    expect(shown(await first)).toEqual([1]);
    expect(server.lines).toHaveLength(1);
  });

  test('rejects only its own load when that was superseded', async () => {
    const proxy = new DeafProxy();
    const store = new Store({ model: User, proxy });
    const controller = new AbortController();
    const first = store.load({ signal: controller.signal });
    const second = store.load({ page: 2 });
    controller.abort();
    await expect(first).rejects.toBeInstanceOf(AbortError);
    await tick();
    proxy.reads[0]?.answer(rows(1));
    proxy.reads[1]?.answer(rows(2));
    expect(shown(await second)).toEqual([2]);
    expect(shown(store)).toEqual([2]);
  });

  test('makes the load a separate request, so that other loads do not end with it', async () => {
    const store = new Store({ model: User });
    const held = server.hold();
    const controller = new AbortController();
    const first = store.load({ signal: controller.signal });
    await held.request;
    server.reply(page(rows(1)));
    const second = store.load();
    controller.abort();
    await expect(first).rejects.toBeInstanceOf(AbortError);
    expect(shown(await second)).toEqual([1]);
    held.answer();
  });

  test('has no effect after the load has ended', async () => {
    const store = new Store({ model: User });
    const controller = new AbortController();
    server.reply(page(rows(1)));
    await store.load({ signal: controller.signal });
    controller.abort();
    await tick();
    expect([shown(store), store.status.get().error]).toEqual([[1], undefined]);
  });

  test('keeps out a response that arrives after the abort', async () => {
    const proxy = new DeafProxy();
    const store = new Store({ model: User, proxy });
    const controller = new AbortController();
    const loading = store.load({ signal: controller.signal });
    await tick();
    controller.abort();
    await expect(loading).rejects.toBeInstanceOf(AbortError);
    proxy.reads[0]?.answer(rows(1));
    await tick();
    expect([
      store.count,
      store.status.get().loaded,
      store.status.get().loading,
      store.status.get().error?.code,
    ]).toEqual([0, false, false, 'abort']);
  });
});

describe('abort()', () => {
  test('ends the load in flight with AbortError', async () => {
    const store = new Store({ model: User });
    const held = server.hold();
    const loading = store.load();
    await held.request;
    store.abort();
    await expect(loading).rejects.toBeInstanceOf(AbortError);
    expect(store.status.get().loading).toBe(false);
    held.answer();
  });

  test('does nothing when no load is in flight', () => {
    expect(new Store({ model: User }).abort()).toBeUndefined();
  });
});

describe('a failed load', () => {
  test('changes nothing, and sets `store.error` until the next success', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page(rows(1, 2, 3)));
    await store.load();
    at(store, 1).name = 'edited';
    store.remove(at(store, 2));
    const [added] = store.add({ name: 'new' }) as [User];
    const before = store.list.get();
    server.reply(
      { status: 500 },
      { text: '<html><title>Sorry</title></html>', headers: { 'Content-Type': 'text/html' } },
      { json: { rows: [{ id: 9 }, null] } },
      { drop: true },
    );
    const codes: unknown[] = [];
    for (let i = 0; i < 4; i++)
      codes.push(await store.load().catch((error: unknown) => isDataError(error) && error.code));
    expect(codes).toEqual(['http', 'read', 'read', 'network']);
    expect(store.status.get().error?.code).toBe('network');
    expect(store.list.get()).toBe(before);
    expect([...store.pending.created, ...store.pending.edited]).toEqual([added, at(store, 1)]);
    server.reply(page(rows(1, 2, 3)));
    await store.load();
    expect(store.status.get().error).toBeUndefined();
    expect([shown(store), at(store, 1).name]).toEqual([[1, 3, added.getId()], 'edited']);
  });

  test('changes nothing if a strict reader refuses a value', async () => {
    const store = new Store({ model: User, proxy: { reader: { rootProperty: 'rows', strict: true } } });
    server.reply(
      page(rows(1)),
      page([
        { id: 1, name: 'x' },
        { id: 2, age: 'old' },
      ]),
    );
    await store.load();
    await expect(store.load()).rejects.toThrow(/row 1, age/);
    await expect(Promise.resolve(store.status.get().error)).resolves.toBeInstanceOf(ReadError);
    expect([shown(store), at(store, 1).name]).toEqual([[1], 'n1']);
  });

  test('is a DataError, whatever a proxy throws', async () => {
    class Broken extends DeafProxy {
      override read(): Promise<ResultSet> {
        throw new TypeError('a mistake in a proxy');
      }
    }
    const store = new Store({ model: User, proxy: new Broken() });
    await expect(store.load()).rejects.toMatchObject({
      code: 'definition',
      cause: { message: 'a mistake in a proxy' },
    });
  });

  test('uses the messages of the model', async () => {
    class Nutzer extends User.with({
      messages: { 'query-field': '{property} gibt es nicht', 'http-server': 'Fehler {status}' },
    }) {}
    const store = new Store({ model: Nutzer, proxy: { url: '/nutzer' } });
    server.reply({ status: 500 });
    expect(() => store.sort('nope' as never)).toThrow('nope gibt es nicht');
    await expect(store.load()).rejects.toThrow('Fehler 500');
  });
});

describe('an empty response', () => {
  test('drops no unsaved record', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.reply(page(rows(1, 2, 3)), page([]), page(rows(1, 2, 3)));
    await store.load();
    at(store, 1).name = 'edited';
    store.remove(at(store, 2));
    const [added] = store.add({ name: 'new' }) as [User];
    await store.load();
    expect(shown(store)).toEqual([added.getId()]);
    expect([store.getById(1)?.name, store.getById(3)]).toEqual(['edited', undefined]);
    await store.load();
    expect(shown(store)).toEqual([1, 3, added.getId()]);
  });
});

describe('the operation of a load', () => {
  test('contains the options of the load and of the store', async () => {
    const store = new Store({ model: User, pageSize: 10, remoteSort: true, remoteFilter: true, sorters: ['name'] });
    server.always(() => page([]));
    let operation: Partial<Operation> = {};
    store.on('load', (event) => {
      operation = event.operation;
    });
    await store.load({ page: 3, url: '/u', headers: { a: 'b' }, params: { p: 1 }, pathParams: { x: 2 }, id: 7 });
    expect(operation).toMatchObject({
      action: 'read',
      url: '/u',
      headers: { a: 'b' },
      id: 7,
      records: [],
      page: 3,
      start: 20,
      limit: 10,
      sorters: [{ property: 'name', direction: 'ASC' }],
      filters: undefined,
      params: { p: 1 },
      pathParams: { x: 2 },
    });
    expect([operation.grouper, operation.error, operation.response?.status]).toEqual([undefined, undefined, 200]);
  });
});

describe('a filter that the dialect cannot express', () => {
  test('is refused before it is sent: load() rejects, and other calls emit `exception`', async () => {
    const tree = { or: [{ property: 'name', value: 'a' }, { not: { property: 'age', value: 3 } }] } as const;
    const store = new Store({ model: User, remoteFilter: true });
    server.always(() => page(rows(1)));
    await store.load();
    const log = eventLog(store);
    store.filter(tree);
    await poll(() => store.status.get().error?.code).toBe('unsupported-query');
    await expect(store.load()).rejects.toBeInstanceOf(UnsupportedQueryError);
    expect(log.every((each) => each.startsWith('exception unsupported-query'))).toBe(true);
    expect([log.length, server.lines.length, shown(store)]).toEqual([2, 1, [1]]);
  });

  test('works in a store that filters locally', () => {
    const store = new Store({ model: User, data: rows(1, 2, 3) });
    store.filter({ or: [{ property: 'id', value: 1 }, { not: { property: 'id', operator: '<', value: 3 } }] });
    expect(shown(store)).toEqual([1, 3]);
  });
});

test('a load without a proxy is refused, and no failed load of the store', async () => {
  class Local extends Model.define({ fields: { id: 'int' } }) {}
  const store = new Store({ model: Local });
  await expect(async () => store.load()).rejects.toThrow('has no proxy');
  expect([store.status.get().error, store.status.get().error]).toEqual([undefined, undefined]);
});
