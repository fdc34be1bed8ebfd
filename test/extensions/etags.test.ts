import {
  action,
  type ConflictError,
  conflicts,
  decide,
  type EtagsConfig,
  etags,
  explain,
  Model,
  Operation,
  off,
  plain,
  presence,
  printExplanation,
  ReadError,
  Store,
  telemetry,
} from 'repose';
import { isAsReceived, noteOf, setNote } from 'repose/extend';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inner } from '../../src/model/record.js';
import { ROW } from '../../src/model/symbols.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const TASK = { id: 7, name: 'old', note: '' };
const A = { ETag: '"a"' };
const B = { ETag: '"b"' };

const define = (config: object = {}) =>
  class extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string', note: 'string', mark: { type: 'string', persist: false } },
    actions: { cancel: action({ reply: 'record' }), poke: action() },
    proxy: server.proxy('/tasks', { noCache: false, use: [etags({ unknown: 'send' }), conflicts()], ...config }),
  }) {};
const Task = define();
type Task = InstanceType<typeof Task>;

/** `If-Match` and `If-None-Match` of the last request. */
const sent = () => [server.last.headers['if-match'], server.last.headers['if-none-match']];
const loaded = async (Class = Task, headers: Record<string, string> = A) => {
  server.reply({ headers, json: TASK });
  return await Class.load(7);
};
/** The condition under which the record is saved now. */
const condition = async (task: Task, reply: object = { status: 204 }) => {
  server.reply(reply);
  task.set({ name: `${task.name}!` });
  await task.save();
  return sent()[0];
};

describe('If-Match', () => {
  test('is sent with updates and destroys of a record that was loaded with an ETag', async () => {
    const task = await loaded();
    expect(await condition(task, { headers: B, json: { ...TASK, name: 'old!' } })).toBe('"a"');
    expect(await condition(task, { status: 204, headers: { ETag: '"c"' } })).toBe('"b"');
    server.reply({ status: 204 });
    await task.erase();
    expect(server.last.method).toBe('DELETE');
    expect(sent()).toEqual(['"c"', undefined]);
  });

  test('is not sent without the extension, without a known ETag or with a create', async () => {
    expect(await condition(await loaded(define({ use: [] })))).toBeUndefined();
    expect(await condition(await loaded(Task.with({ proxy: { use: [off('etags')] } })))).toBeUndefined();
    expect(await condition(await loaded(Task, {}))).toBeUndefined();
    server.reply({ status: 201, headers: A, json: { ...TASK } });
    const fresh = new Task({ name: 'new' });
    await fresh.save();
    expect(sent()).toEqual([undefined, undefined]);
    expect(await condition(fresh)).toBe('"a"');
  });

  test('is not sent after a write whose response had no ETag', async () => {
    const task = await loaded();
    expect(await condition(task)).toBe('"a"');
    expect(await condition(task)).toBeUndefined();
  });

  test('is never the ETag of an error response: keepMine() reads the row to get its ETag', async () => {
    const task = await loaded();
    task.name = 'mine';
    const theirs = { ...TASK, name: 'theirs' };
    server.reply({ status: 412, headers: { ETag: '"of-the-error-body"' }, json: { current: theirs } });
    const error = (await task.save().catch((each: unknown) => each)) as ConflictError;
    expect(error.theirs).toEqual(theirs);
    server.reply({ headers: B, json: theirs }, { status: 204 });
    await error.keepMine();
    expect(server.lines.slice(-2)).toEqual(['GET /tasks/7', 'PUT /tasks/7']);
    expect(sent()[0]).toBe('"b"');
  });

  test('is not the ETag of an error response after takeTheirs() either', async () => {
    const task = await loaded();
    task.name = 'mine';
    server.reply({ status: 409, headers: { ETag: '"of-the-error-body"' }, json: { ...TASK, name: 'theirs' } });
    const error = (await task.save().catch((each: unknown) => each)) as ConflictError;
    await error.takeTheirs();
    expect(task.name).toBe('theirs');
    expect(await condition(task)).toBeUndefined();
  });

  test('is not sent again after a conflict with a row that did not change', async () => {
    const task = await loaded();
    task.name = 'mine';
    server.reply({ status: 412 }, { json: TASK }, { status: 204 });
    const error = (await task.save().catch((each: unknown) => each)) as ConflictError;
    await error.keepMine();
    expect(server.lines.slice(-2)).toEqual(['GET /tasks/7', 'PUT /tasks/7']);
    expect(server.requests.at(-2)?.headers['if-none-match']).toBeUndefined();
    expect(sent()).toEqual([undefined, undefined]);
  });

  test('is taken from the row in a conflict, without another read', async () => {
    const Rev = define({ reader: { etagProperty: 'rev' } });
    server.reply({ json: { ...TASK, rev: 'r1' } });
    const task = await Rev.load(7);
    task.name = 'mine';
    server.reply({ status: 412, json: { current: { ...TASK, name: 'theirs', rev: 'r2' } } }, { status: 204 });
    const error = (await task.save().catch((each: unknown) => each)) as ConflictError;
    await error.keepMine();
    expect(server.lines.slice(1)).toEqual(['PUT /tasks/7', 'PUT /tasks/7']);
    expect(sent()[0]).toBe('"r2"');
  });

  test('is sent again after a write that failed', async () => {
    const task = await loaded();
    server.reply({ status: 500 });
    task.name = 'x';
    await expect(task.save()).rejects.toThrow();
    expect(await condition(task)).toBe('"a"');
  });

  test('of the call is preferred; calls other than create, read, update and destroy send none', async () => {
    const task = await loaded();
    server.reply({ status: 204 });
    await task.save({ headers: { 'if-match': '*' } });
    expect(sent()[0]).toBe('*');
    const other = await loaded();
    server.reply({ status: 204 });
    await Task.actions.poke(other);
    expect(sent()).toEqual([undefined, undefined]);
    // Nobody has read the change of the action yet, so the old ETag must make the next write fail.
    expect(await condition(other)).toBe('"a"');
  });

  test('makes a record be written alone, because a request with several has no condition', async () => {
    const store = new Store({ model: define({ batchActions: true, reader: { etagProperty: 'tag' } }), pageSize: 0 });
    server.reply({
      json: [
        { ...TASK, tag: '"a"' },
        { ...TASK, id: 8 },
        { ...TASK, id: 9 },
      ],
    });
    await store.load();
    for (const task of store) task.name = 'x';
    server.always(() => ({ status: 204 }));
    expect((await store.sync()).failures).toEqual([]);
    const conditions = server.requests.slice(1).map(({ method, url, headers }) => [method, url, headers['if-match']]);
    expect(conditions).toEqual([
      ['PUT', '/tasks', undefined],
      ['PUT', '/tasks/7', '"a"'],
    ]);
  });

  test('is not sent after an action that returned another row', async () => {
    const task = await loaded();
    server.reply({ headers: B, json: { ...TASK, note: 'cancelled' } });
    await Task.actions.cancel(task);
    expect(await condition(task)).toBeUndefined();
  });

  test('is the ETag from the moment the body was made, whatever arrives while the request waits', async () => {
    const Slow = define({ use: [etags(), telemetry({ operation: () => undefined })] });
    const task = await loaded(Slow);
    task.name = 'mine';
    server.reply({ status: 204 });
    const saving = task.save();
    setNote(inner(task)[ROW], 'etags', { etag: '"later"' });
    await saving;
    expect(sent()[0]).toBe('"a"');
  });

  test('is shown by explain()', async () => {
    const task = await loaded();
    const { headers } = await explain(Task.proxy, { action: 'update', records: [task] });
    expect(headers).toContainEqual({ text: 'If-Match: "a"', rule: 'H15', option: 'etags' });
    const own = { action: 'update', records: [task], headers: { 'If-Match': '*' } } as const;
    expect(printExplanation(await explain(Task.proxy, own))).toMatch(/If-Match: \* +H15 +operation\.headers/);
  });

  test.each<[string, EtagsConfig | undefined, string | undefined]>([
    ['as it was received, weak or not', undefined, 'W/"a"'],
    ['as `ifMatch` returns it', { ifMatch: (etag) => etag.replace('W/', '') }, '"a"'],
    ['not at all if `ifMatch` returns undefined', { ifMatch: () => undefined }, undefined],
  ])('is sent %s', async (_, config, expected) => {
    expect(await condition(await loaded(define({ use: [etags(config)] }), { ETag: 'W/"a"' }))).toBe(expected);
  });

  test('is not configured by wrong options, which are refused at once', () => {
    expect(() => etags({ ifMatch: true } as never)).toThrow('etags.ifMatch must be a function, not true');
    expect(() => etags({ ifmatch: () => undefined } as never)).toThrow("did you mean 'ifMatch'?");
    expect(() => define({ conditional: true }).proxy).toThrow(/conditional/);
  });
});

describe('ETags in rows', () => {
  const Odata = define({ reader: { etagProperty: '@odata.etag', rootProperty: 'value' } });
  const Nested = define({ reader: { etagProperty: '_meta.rev' } });
  const row = (tag: unknown, name = 'old') => ({ ...TASK, name, '@odata.etag': tag });

  test('are known for every row of a list, without extra memory for each record', async () => {
    const store = new Store({ model: Odata });
    server.reply({ headers: { ETag: '"page"' }, json: { value: [row('W/"1"')] } });
    const [task] = await store.load();
    expect(
      (task as object)[Object.getOwnPropertySymbols(task).find((each) => String(each) === 'Symbol(core)') as never],
    ).toBe(undefined);
    expect(await condition(task as Task)).toBe('W/"1"');
    // The response had no ETag, so the one in the row is outdated.
    expect(await condition(task as Task)).toBeUndefined();
    server.reply({ json: { value: [row('W/"3"', 'newer')] } });
    await store.load();
    expect(await condition(task as Task, { json: row('W/"4"', 'newer!') })).toBe('W/"3"');
    expect(await condition(task as Task)).toBe('W/"4"');
  });

  test('are preferred to the header, which is used for a row without one', async () => {
    const read = await loaded(Odata, A);
    expect(await condition(read)).toBe('"a"');
    server.reply({ headers: { ETag: '"of-the-text"' }, json: row('W/"1"') });
    const task = await Odata.load(7);
    expect(await condition(task, { headers: { ETag: '"of-the-text"' }, json: row('W/"2"', 'old!') })).toBe('W/"1"');
    expect(await condition(task)).toBe('W/"2"');
  });

  test('are not taken from the header of a list', async () => {
    const store = new Store({ model: Task });
    server.reply({ headers: A, json: [TASK] });
    const [task] = await store.load();
    expect(await condition(task as Task)).toBeUndefined();
  });

  test.each([
    ['r1', '"r1"'],
    [5, '"5"'],
    ['W/"x"', 'W/"x"'],
    ['"x"', '"x"'],
    ['two words', undefined],
    ['line\nbreak', undefined],
    [null, undefined],
    ['', undefined],
    [{}, undefined],
  ])('at a path: %j is sent as %s', async (rev, expected) => {
    server.reply({ json: { ...TASK, _meta: { rev } } });
    expect(await condition(await Nested.load(7))).toBe(expected);
  });

  test('are read from the response to a write of several records, each from its own row', async () => {
    const Many = define({ reader: { etagProperty: 'rev' }, batchActions: true });
    const store = new Store({ model: Many });
    server.reply({ json: [1, 2].map((id) => ({ ...TASK, id })) });
    const tasks = await store.load();
    for (const task of tasks) task.name = 'new';
    server.reply({ headers: A, json: [1, 2].map((id) => ({ ...TASK, id, name: 'new', rev: `r${id}` })) });
    (await store.sync()).orThrow();
    expect(sent()).toEqual([undefined, undefined]);
    expect(await condition(tasks[1] as Task)).toBe('"r2"');
  });

  test.each<[string, object, object, (row: object) => object]>([
    ['in a multi-status', { status: 207 }, {}, (row: object) => ({ status: 200, body: row })],
    ['beside its status', { status: 207 }, {}, (row: object) => ({ status: 'HTTP/1.1 200 OK', ...row })],
    ['with reader options', {}, { statusProperty: 'code', bodyProperty: 'it' }, (it: object) => ({ code: 200, it })],
  ])(
    'are read from the response to a write of several records, even if incomplete: %s',
    async (_, reply, reader, entry) => {
      const Many = define({ reader: { etagProperty: 'rev', ...reader }, batchActions: true });
      const store = new Store({ model: Many });
      server.reply({ json: [1, 2].map((id) => ({ ...TASK, id })) });
      const tasks = await store.load();
      for (const task of tasks) task.name = 'new';
      server.reply({ ...reply, json: [{ id: 1, rev: 'r1' }, { id: 2 }].map(entry) });
      (await store.sync()).orThrow();
      expect(server.lines.at(-1)).toBe('PUT /tasks');
      const single = { headers: B, json: { id: 1 } };
      expect(await condition(tasks[0] as Task, single)).toBe('"r1"');
      expect(await condition(tasks[1] as Task)).toBeUndefined();
    },
  );

  test('come from the header if only one record of a batch could be sent', async () => {
    class Strict extends Model.define({
      name: 'task',
      fields: { id: 'int', name: { type: 'string', validators: [presence()] } },
      proxy: server.proxy('/tasks', {
        ...{ noCache: false, batchActions: true, use: [etags({ unknown: 'send' })] },
        reader: { statusProperty: 'code', bodyProperty: 'it' },
      }),
    }) {}
    const store = new Store({ model: Strict });
    server.reply({ json: [1, 2].map((id) => ({ id, name: 'old' })) });
    const [task, empty] = (await store.load()) as [Strict, Strict];
    [task.name, empty.name] = ['new', ''];
    server.reply({ headers: A, json: { code: 200, it: { id: 1, name: 'new' } } });
    expect((await store.sync()).failures).toHaveLength(1);
    expect(server.lines.at(-1)).toBe('PUT /tasks/1');
    expect(await condition(task as never)).toBe('"a"');
  });

  test('are read from the row that settles an unconfirmed create', async () => {
    const Rev = define({ reader: { etagProperty: 'note' } });
    const task = new Rev({ name: 'new' });
    server.reply({ drop: true });
    await task.save().catch(() => undefined);
    decide(task, { id: 9, note: 'r1' });
    server.reply({ status: 204 });
    await task.erase();
    expect(sent()[0]).toBe('"r1"');
  });
});

describe('loading a list', () => {
  const load = async (store: Store<Task>, json: object) => {
    server.reply({ json: [json] });
    return (await store.load())[0] as Task;
  };

  test('keeps the ETag of a record whose row is unchanged, and drops it for a changed row', async () => {
    const store = new Store({ model: Task });
    const task = await load(store, TASK);
    server.reply({ headers: A, json: TASK });
    await task.load();
    task.mark = 'local';
    task.commit();
    await load(store, TASK);
    expect(await condition(task, { headers: B, json: { ...TASK, name: 'old!' } })).toBe('"a"');
    await load(store, { ...TASK, name: 'theirs' });
    expect(await condition(task)).toBeUndefined();
  });

  test('keeps the ETag if rows are incomplete, because it belongs to the whole row that was read', async () => {
    const Part = define({ reader: { rows: 'incomplete' }, actionMethods: { update: 'PATCH' } });
    const store = new Store({ model: Part });
    const task = await load(store as never, { id: 7, name: 'old' });
    server.reply({ headers: A, json: TASK });
    await task.load();
    await load(store as never, { id: 7, name: 'theirs' });
    expect(await condition(task)).toBe('"a"');
    // The response to the write had no ETag and an incomplete row.
    expect([noteOf(inner(task)[ROW], 'etags'), isAsReceived(inner(task)[ROW])]).toEqual([undefined, false]);
    await load(store as never, { id: 7, name: 'again' });
    expect(isAsReceived(inner(task)[ROW])).toBe(true);
  });
});

describe('If-None-Match', () => {
  test('is sent with a reload, and a 304 leaves the record unchanged', async () => {
    const task = await loaded();
    task.note = 'mine';
    server.reply({ status: 304, headers: A });
    expect(await task.load()).toBe(task);
    expect(sent()).toEqual([undefined, '"a"']);
    expect(task).toMatchObject({ name: 'old', note: 'mine', dirty: true });
    // The row is still the one that was received with this ETag.
    server.reply({ headers: B, json: { ...TASK, name: 'new' } });
    await task.$.reload();
    expect(sent()[1]).toBe('"a"');
    expect(task.name).toBe('new');
    expect(await condition(task)).toBe('"b"');
  });

  describe('with a server that answers 304 only without `Cache-Control: no-cache`, as Express does', () => {
    beforeEach(() => {
      server.always(({ headers, path }) => {
        const fresh = headers['if-none-match'] === '"a"' && !/no-cache/.test(headers['cache-control'] ?? '');
        return fresh ? { status: 304, headers: A } : { headers: A, json: path === '/tasks' ? [TASK] : TASK };
      });
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });
    /** Cache headers of the second of two reads of a record, or of a list. */
    const asked = async (list = false, headers?: Record<string, string>) => {
      const store = new Store({ model: Task });
      const task = list ? undefined : await Task.load(7);
      if (!task) await store.load();
      const { operation } = await new Promise<{ operation: Operation }>((resolve) => {
        const success = (_: unknown, operation: unknown) => resolve({ operation: operation as Operation });
        store.on('load', resolve);
        if (task) void task.load({ success, headers });
        else void store.load({ headers });
      });
      return [operation.response?.status, server.last.headers['cache-control']];
    };

    test.each([false, true])('a second read is answered 304 (of a list: %s)', async (list) => {
      expect(await asked(list)).toEqual([304, 'max-age=0']);
    });

    test("in a browser only a request to the page's own origin gets the header: other origins would have to allow it", async () => {
      vi.stubGlobal('location', new URL('http://rest.test/page'));
      expect(await asked()).toEqual([304, 'max-age=0']);
      vi.stubGlobal('location', new URL('http://elsewhere.test/page'));
      expect(await asked()).toEqual([200, 'no-cache']);
    });

    test('a `Cache-Control` of the application is kept', async () => {
      expect(await asked(false, { 'cache-control': 'no-cache', 'If-None-Match': '"a"' })).toEqual([200, 'no-cache']);
    });

    test('nothing is added to reads without a condition, unless the proxy has written', async () => {
      await Task.with({ proxy: { extraParams: {} } }).load(7);
      expect(server.last.headers['cache-control']).toBeUndefined();
    });
  });

  test('is sent for rows without an id and for records with local values, too', async () => {
    server.reply({ headers: A, json: { name: 'old', note: '' } }, { headers: A, json: TASK });
    const nameless = await Task.load(7);
    const local = await Task.load(7);
    local.mark = 'seen';
    local.commit();
    server.reply({ headers: A, json: TASK });
    await local.load();
    for (const task of [nameless, local]) {
      server.reply({ status: 304 });
      await task.load();
      expect(sent()[1]).toBe('"a"');
    }
    expect([nameless.id, local.mark]).toEqual([7, 'seen']);
  });

  test('is sent with a read by the proxy, which then returns the row of the record', async () => {
    const task = await loaded();
    server.reply({ status: 304 });
    const { rows } = await Task.proxy.read(new Operation({ action: 'read', records: [task] }) as never);
    expect([sent()[1], rows]).toEqual(['"a"', [TASK]]);
  });

  test('is not sent if an incomplete row was read since, because a 304 would keep that row', async () => {
    const Part = define({ reader: { rows: 'incomplete' } });
    const store = new Store({ model: Part });
    server.reply({ json: [TASK] }, { headers: A, json: TASK }, { json: [{ id: 7, name: 'theirs' }] });
    const task = (await store.load())[0] as Task;
    await task.load();
    await store.load();
    server.reply({ headers: A, json: TASK });
    await task.load();
    expect([sent()[1], task.name]).toEqual([undefined, 'old']);
  });

  test('is not sent without the extension', async () => {
    const task = await loaded(define({ use: [] }));
    server.reply({ json: TASK });
    await task.load();
    expect(sent()[1]).toBeUndefined();
  });

  test.each([
    ['params', { params: { fields: 'all' } }],
    ['headers', { headers: { Accept: 'x' } }],
    ['url', { url: '/drafts' }],
  ])('is not sent with %s of the call, nor for a row that was read with them', async (_, options) => {
    const task = await loaded();
    server.reply({ headers: B, json: TASK });
    await task.load(options);
    expect(sent()[1]).toBeUndefined();
    server.reply({ json: TASK });
    await task.load();
    expect(sent()[1]).toBeUndefined();
    expect(await condition(task)).toBe('"b"');
  });

  test('is not sent after the row has changed: by a save, a commit or another row', async () => {
    const saved = await loaded();
    await condition(saved, { headers: B, json: { id: 7, name: 'old!' } });
    const committed = await loaded();
    committed.name = 'mine';
    committed.commit();
    for (const task of [saved, committed]) {
      server.reply({ headers: B, json: TASK });
      await task.load();
      expect(sent()[1]).toBeUndefined();
      expect(task.name).toBe('old');
    }
  });

  test('is ignored if the 304 is older than the last write', async () => {
    const task = await loaded();
    const held = server.hold();
    const loading = task.load();
    await held.request;
    await condition(task, { headers: B, json: { ...TASK, name: 'old!' } });
    held.answer({ status: 304, headers: A });
    await loading;
    expect(task.name).toBe('old!');
    expect(await condition(task)).toBe('"b"');
  });

  test('keeps $.error of a failed save over a 304, as over any read', async () => {
    const task = await loaded();
    task.name = 'x';
    server.reply({ status: 500 }, { status: 304 });
    const error = await task.save().catch((each: unknown) => each);
    await task.load();
    expect(task.$.error).toBe(error);
  });
});

describe('a 304 to a request without a condition', () => {
  const isRefused = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({
      constructor: ReadError,
      reason: 'response-unchanged',
      message: expect.stringMatching(/^\w+ \S+ answered 304/),
    });
  let task: Task;

  beforeEach(async () => {
    task = await loaded();
    server.always(() => ({ status: 304 }));
  });

  test('commits no save', async () => {
    task.name = 'mine';
    await isRefused(task.save());
    expect(task).toMatchObject({ dirty: true, name: 'mine' });
    const fresh = new Task({ name: 'new' });
    await isRefused(fresh.save());
    expect(fresh.phantom).toBe(true);
  });

  test('erases nothing', async () => {
    await isRefused(task.erase());
    expect(task.erased).toBe(false);
  });

  test('loads no record and does not empty a store', async () => {
    await isRefused(Task.load(7));
    await isRefused(task.load({ headers: { 'If-None-Match': '"own"' } }));
    const store = new Store({ model: Task });
    server.reply({ json: [TASK] });
    await store.load();
    await isRefused(store.load());
    expect(store.count).toBe(1);
  });

  test('rejects proxy.send(), too', async () => {
    await isRefused(
      (Task.proxy as InstanceType<typeof Task.proxyTypes.rest>).send({ headers: { 'If-None-Match': '*' } }),
    );
  });
});

test('the plain dialect reads the total and the links of a cached page again', async () => {
  const Plain = define({ dialect: plain() });
  const store = new Store({ model: Plain, pageSize: 1 });
  const link = '</tasks?page=2&limit=1>; rel="next"';
  server.reply({ headers: { ...A, 'X-Total-Count': '3', Link: link }, json: [TASK] }, { status: 304 });
  await store.load();
  await store.load();
  expect(sent()[1]).toBe('"a"');
  expect([store.count, store.total, store.hasMore]).toEqual([1, 3, true]);
});
