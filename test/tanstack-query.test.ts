import { Model, nextPage, Store, UnsupportedQueryError } from 'repose';
import { listQuery, type QueryOf, recordQuery, saveMutation } from 'repose/tanstack-query';
import { describe, expect, test } from 'vitest';
import { useRestServer } from './helpers/use-rest-server.js';

// A small client instead of TanStack Query, which test/frameworks runs: it keeps what a query gave, and runs it at each call.
const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: server.proxy('/tasks'),
}) {}
const row = (id: number, title = `Task ${id}`) => ({ id, title });

function fakeClient() {
  const data = new Map<string, unknown>();
  const client = { getQueryData: (queryKey: readonly unknown[]) => data.get(JSON.stringify(queryKey)) };
  return async <T>({ queryKey, queryFn }: QueryOf<T>, { signal } = new AbortController()): Promise<T> => {
    const result = await queryFn({ client, signal });
    data.set(JSON.stringify(queryKey), result);
    return result;
  };
}

describe('recordQuery', () => {
  test('loads a record at first, and the same object again at a refetch, which keeps its edits', async () => {
    const run = fakeClient();
    server.reply({ json: row(7) }, { json: row(7, 'Newer') });
    const task = await run(recordQuery(Task, 7));
    task.title = 'Mine';
    expect(await run(recordQuery(Task, '7'))).toBe(task);
    expect(task.title).toBe('Mine');
    task.reject();
    expect(task.title).toBe('Newer');
    expect(server.lines).toEqual(['GET /tasks/7', 'GET /tasks/7']);
  });

  test('loads another object when the record was erased meanwhile', async () => {
    const run = fakeClient();
    server.reply({ json: row(7) }, { status: 204 }, { json: row(7, 'Restored') });
    const task = await run(recordQuery(Task, 7));
    await task.erase();
    const restored = await run(recordQuery(Task, 7));
    expect(restored).not.toBe(task);
    expect(restored.title).toBe('Restored');
  });

  test('gives the record of a store without a request, and loads one that the store does not hold', async () => {
    const tasks = new Store({ model: Task });
    server.reply({ json: [row(7)] }, { json: row(8) });
    await tasks.load();
    expect(await fakeClient()(recordQuery(Task, 7, { store: tasks }))).toBe(tasks.getById(7));
    expect((await fakeClient()(recordQuery(Task, 8, { store: tasks }))).title).toBe('Task 8');
    expect(server.lines.slice(1)).toEqual(['GET /tasks/8']);
  });

  test('sends the parameters of the load, and has them in its key', async () => {
    const Nested = Task.with({ proxy: { url: '/teams/{team}/tasks' } });
    const query = recordQuery(Nested, 7, { params: { expand: 'owner' }, pathParams: { team: 3 } });
    server.reply({ json: row(7) });
    await fakeClient()(query);
    expect(server.lines).toEqual(['GET /teams/3/tasks/7?expand=owner']);
    expect(query.queryKey.slice(0, 4)).toEqual(['repose', 'task', 'record', '7']);
    const keyOf = (expand: string, team: number) =>
      recordQuery(Nested, 7, { params: { expand }, pathParams: { team } }).queryKey;
    expect(keyOf('owner', 3)).toEqual(query.queryKey);
    for (const other of [keyOf('team', 3), keyOf('owner', 4), recordQuery(Nested, 7).queryKey])
      expect(other).not.toEqual(query.queryKey);
    const functions = { params: { expand: () => 'owner' } };
    expect(() => recordQuery(Nested, 7, functions)).toThrow(UnsupportedQueryError);
  });

  test('classes bound to other headers, addresses or parameters share no entry', async () => {
    const bound = [
      Task,
      Task.with({ proxy: { headers: { 'X-Tenant': 'a' } } }),
      Task.with({ proxy: { headers: { 'X-Tenant': 'b' } } }),
      Task.with({ proxy: { baseUrl: 'http://rest.test/b' } }),
      Task.with({ proxy: { url: '/b/tasks' } }),
      Task.with({ proxy: { extraParams: { tenant: 'b' } } }),
      class extends Task {},
    ];
    const run = fakeClient();
    server.always(({ url, headers }) => ({ json: row(7, `${url} ${headers['x-tenant'] ?? ''}`) }));
    const tasks = await Promise.all(bound.map((each) => run(recordQuery(each, 7))));
    expect(new Set(tasks).size).toBe(bound.length);
    for (const [at, task] of tasks.entries()) expect(task.constructor).toBe(bound[at]);
    // A query that is made again finds its own entry.
    expect(await Promise.all(bound.map((each) => run(recordQuery(each, 7))))).toEqual(tasks);
  });

  test('a class whose address changes gets another key, and the query of the earlier address is refused', async () => {
    let tenant = 'a';
    const Bound = Task.with({ proxy: { url: '/{tenant}/tasks', pathParams: () => ({ tenant }) } });
    const run = fakeClient();
    server.always(({ url }) => ({ json: row(7, url) }));
    const query = recordQuery(Bound, 7);
    const task = await run(query);
    tenant = 'b';
    expect(recordQuery(Bound, 7).queryKey).not.toEqual(query.queryKey);
    await expect(run(query)).rejects.toMatchObject({ code: 'foreign', reason: 'query-address' });
    expect([task.title, server.lines.length]).toEqual(['/a/tasks/7', 1]);
    expect((await run(recordQuery(Bound, 7))).title).toBe('/b/tasks/7');
  });

  test('does not take the record of a store of another class', async () => {
    const Other = Task.with({ proxy: { headers: { 'X-Tenant': 'b' } } });
    const store = new Store({ model: Other });
    server.reply({ json: [row(7, 'of b')] }, { json: row(7, 'of a') });
    await store.load();
    expect((await fakeClient()(recordQuery(Task, 7, { store }))).title).toBe('of a');
  });

  test('fails with the error of the load, and with AbortError once its signal is aborted', async () => {
    server.reply({ status: 404 });
    await expect(fakeClient()(recordQuery(Task, 7))).rejects.toMatchObject({ code: 'http', status: 404 });
    const cancelled = new AbortController();
    const held = server.hold();
    const load = fakeClient()(recordQuery(Task, 7), cancelled);
    await held.request;
    cancelled.abort();
    await expect(load).rejects.toMatchObject({ name: 'AbortError' });
    held.answer({ json: row(7) });
  });

  test('models without a name get a key each, also below one another', () => {
    class One extends Model.define({ fields: { id: 'int' } }) {}
    class Below extends One {}
    class Two extends Model.define({ fields: { id: 'int' } }) {}
    expect(recordQuery(One, 7).queryKey).toEqual(recordQuery(One, 7).queryKey);
    expect(new Set([One, Below, Two].map((each) => String(recordQuery(each, 7).queryKey))).size).toBe(3);
  });
});

describe('listQuery', () => {
  test('loads the store once, then loads the page on show again at each refetch', async () => {
    const run = fakeClient();
    const tasks = new Store({ model: Task, pageSize: 1 });
    server.reply({ json: [row(1)] }, { json: [row(2)] }, { json: [row(2, 'Newer')] });
    expect(await run(listQuery(tasks))).toEqual([tasks.getById(1)]);
    await nextPage(tasks);
    const [task] = await run(listQuery(tasks));
    expect(task?.title).toBe('Newer');
    expect(server.requests.map(({ query }) => query.get('page'))).toEqual(['1', '2', '2']);
  });

  test('sends nothing for a store that has loaded before its first fetch', async () => {
    const tasks = new Store({ model: Task });
    server.reply({ json: [row(1)] });
    await tasks.load();
    expect(await fakeClient()(listQuery(tasks))).toEqual([tasks.getById(1)]);
    expect(server.lines).toHaveLength(1);
  });

  test('waits for the first load in flight instead of sending it again', async () => {
    const tasks = new Store({ model: Task });
    const held = server.hold();
    const load = tasks.load();
    const fetched = fakeClient()(listQuery(tasks));
    held.answer({ json: [row(1)] });
    expect(await fetched).toEqual(await load);
    expect(server.lines).toHaveLength(1);
  });

  test('stores of one model have different keys, which stay the same', () => {
    const [one, two] = [new Store({ model: Task }), new Store({ model: Task })];
    expect(listQuery(one).queryKey).toEqual(listQuery(one).queryKey);
    expect(listQuery(one).queryKey.slice(0, 3)).toEqual(['repose', 'task', 'list']);
    expect(listQuery(one).queryKey).not.toEqual(listQuery(two).queryKey);
  });
});

describe('saveMutation', () => {
  test('sets the given values and saves the record; without values it saves the edits', async () => {
    const task = Task.fromRow(row(7));
    const { mutationFn, mutationKey, networkMode } = saveMutation(task);
    server.always(({ body }) => ({ json: body }));
    expect(await mutationFn({ title: 'Changed' })).toBe(task);
    task.title = 'Edited';
    await mutationFn();
    expect(server.requests.map(({ method, body }) => [method, body.title])).toEqual([
      ['PUT', 'Changed'],
      ['PUT', 'Edited'],
    ]);
    expect([mutationKey, networkMode]).toEqual([['repose', 'task', 'save', task.$.key], 'always']);
  });

  test('leaves the values as edits when the save fails', async () => {
    const task = Task.fromRow(row(7));
    server.reply({ status: 422, json: { errors: { title: ['is taken'] } } });
    await expect(saveMutation(task).mutationFn({ title: 'Taken' })).rejects.toMatchObject({ code: 'validation' });
    expect(task.$.modified).toEqual({ title: 'Taken' });
  });

  test('refuses a name that is no field before anything is sent', async () => {
    const { mutationFn } = saveMutation(Task.fromRow(row(7)));
    await expect(mutationFn({ titel: 'x' } as never)).rejects.toMatchObject({ name: 'StateError' });
    expect(server.lines).toEqual([]);
  });
});
