import { MutationObserver, onlineManager, QueryClient, QueryObserver } from '@tanstack/query-core';
import { Model, nextPage, Store } from 'repose';
import { listQuery, recordQuery, saveMutation } from 'repose/tanstack-query';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useRestServer as startServer } from '../helpers/use-rest-server.js';

const server = startServer();
let client: QueryClient;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
});
afterEach(() => {
  client.clear();
  onlineManager.setOnline(true);
});

function createModel() {
  return class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', done: 'boolean' },
    proxy: { type: 'rest', url: `${server.url}/tasks`, noCache: false },
  }) {};
}
const row = (id: number, title = `Task ${id}`) => ({ id, title, done: false });

describe('recordQuery', () => {
  test('loads a record once for two observers, and gives both the same object', async () => {
    const Task = createModel();
    server.reply({ json: row(7) });
    const [one, two] = await Promise.all([
      client.fetchQuery(recordQuery(Task, 7)),
      client.fetchQuery(recordQuery(Task, '7')),
    ]);
    expect(one).toBe(two);
    expect(one.title).toBe('Task 7');
    expect(server.lines).toEqual(['GET /tasks/7']);
  });

  test('a refetch loads the same object again and keeps its edits', async () => {
    const Task = createModel();
    server.reply({ json: row(7) }, { json: { ...row(7, 'Renamed by others'), done: true } });
    const query = recordQuery(Task, 7);
    const task = await client.fetchQuery(query);
    task.title = 'Mine';
    const again = await client.fetchQuery(query);
    expect(again).toBe(task);
    expect(again.$.data).toEqual({ id: 7, title: 'Mine', done: true });
    expect(again.dirty).toBe(true);
  });

  test('gives the record of a store without a request, and loads that record at a refetch', async () => {
    const Task = createModel();
    const tasks = new Store({ model: Task });
    server.reply({ json: [row(7)] }, { json: row(7, 'Newer') });
    await tasks.load();
    const query = recordQuery(Task, 7, { store: tasks });
    const task = await client.fetchQuery(query);
    expect(task).toBe(tasks.getById(7));
    expect(server.lines).toHaveLength(1);
    await client.fetchQuery(query);
    expect(tasks.getAt(0)?.title).toBe('Newer');
    expect(server.lines[1]).toBe('GET /tasks/7');
  });

  test('keys hold the model, the id as text and the parameters of the load', async () => {
    const Task = createModel();
    server.reply({ json: row(7) });
    const query = recordQuery(Task, 7, { params: { expand: 'owner' } });
    expect(query.queryKey.slice(0, 4)).toEqual(['repose', 'task', 'record', '7']);
    expect(query.queryKey.at(-1)).toContain('"expand":"owner"');
    expect(recordQuery(Task, '7').queryKey).toEqual(recordQuery(Task, 7).queryKey);
    expect(recordQuery(Task, 7).queryKey).not.toEqual(query.queryKey);
    await client.fetchQuery(query);
    expect(server.lines).toEqual(['GET /tasks/7?expand=owner']);
  });

  test('a cancelled query aborts its request', async () => {
    let signal: AbortSignal | null | undefined;
    const Task = createModel().with({
      proxy: {
        fetch: (input, init) => {
          signal = init?.signal;
          return fetch(input, init);
        },
      },
    });
    const held = server.hold();
    const query = recordQuery(Task, 7);
    const stop = new QueryObserver(client, query).subscribe(() => undefined);
    await held.request;
    expect(signal?.aborted).toBe(false);
    await client.cancelQueries({ queryKey: ['repose', 'task'] });
    expect(signal?.aborted).toBe(true);
    expect(client.getQueryState(query.queryKey)).toMatchObject({ fetchStatus: 'idle', status: 'pending' });
    stop();
    held.answer({ json: row(7) });
  });

  test('fails with the error of the load', async () => {
    const Task = createModel();
    server.reply({ status: 404 });
    await expect(client.fetchQuery(recordQuery(Task, 7))).rejects.toMatchObject({ code: 'http', status: 404 });
  });

  test('models without a name do not share their keys', () => {
    const [One, Two] = [
      class extends Model.define({ fields: { id: 'int' } }) {},
      class extends Model.define({ fields: {} }) {},
    ];
    class Below extends One {}
    expect(recordQuery(One, 7).queryKey).toEqual(recordQuery(One, 7).queryKey);
    const keys = [One, Two, Below].map((each) => String(recordQuery(each, 7).queryKey));
    expect(new Set(keys).size).toBe(3);
  });
});

describe('listQuery', () => {
  test('loads a store once, and gives its records', async () => {
    const tasks = new Store({ model: createModel() });
    server.reply({ json: [row(1), row(2)] });
    const query = listQuery(tasks);
    const [one, two] = await Promise.all([client.fetchQuery(query), client.fetchQuery(listQuery(tasks))]);
    expect(one).toEqual([tasks.getById(1), tasks.getById(2)]);
    expect(two).toBe(one);
    expect(server.lines).toHaveLength(1);
  });

  test('sends nothing for a store that has loaded, until the first refetch', async () => {
    const tasks = new Store({ model: createModel(), pageSize: 1 });
    server.reply({ json: [row(1)] }, { json: [row(2)] }, { json: [row(2, 'Newer')] });
    await tasks.load();
    await nextPage(tasks);
    const query = listQuery(tasks);
    expect((await client.fetchQuery(query)).map((task) => task.id)).toEqual([2]);
    expect(server.lines).toHaveLength(2);
    const [task] = await client.fetchQuery(query);
    expect(task?.title).toBe('Newer');
    expect(server.last.query.get('page')).toBe('2');
  });

  test('waits for a first load in flight instead of loading twice', async () => {
    const tasks = new Store({ model: createModel() });
    const held = server.hold();
    const load = tasks.load();
    const fetched = client.fetchQuery(listQuery(tasks));
    await held.request;
    held.answer({ json: [row(1)] });
    expect(await fetched).toEqual(await load);
    expect(server.lines).toHaveLength(1);
  });

  test('stores of one model have different keys, each stable', () => {
    const Task = createModel();
    const [one, two] = [new Store({ model: Task }), new Store({ model: Task })];
    expect(listQuery(one).queryKey).toEqual(listQuery(one).queryKey);
    expect(listQuery(one).queryKey).not.toEqual(listQuery(two).queryKey);
    expect(listQuery(one).queryKey.slice(0, 3)).toEqual(['repose', 'task', 'list']);
  });

  test('an unmounted query aborts the load of its store', async () => {
    const tasks = new Store({ model: createModel() });
    const held = server.hold();
    const stop = new QueryObserver(client, listQuery(tasks)).subscribe(() => undefined);
    await held.request;
    expect(tasks.status.get().loading).toBe(true);
    stop();
    await expect.poll(() => tasks.status.get().loading).toBe(false);
    held.answer({ json: [row(1)] });
    expect(tasks.status.get().loaded).toBe(false);
  });
});

describe('saveMutation', () => {
  async function loadTask() {
    server.reply({ json: row(7) });
    return createModel().load(7);
  }

  test('sets the given values and saves the record', async () => {
    const task = await loadTask();
    server.reply((request) => ({ json: request.body }));
    const save = new MutationObserver(client, saveMutation(task));
    expect(await save.mutate({ title: 'Changed' })).toBe(task);
    expect(server.last).toMatchObject({ method: 'PUT', body: { id: 7, title: 'Changed', done: false } });
    expect(save.getCurrentResult().status).toBe('success');
    expect(task.dirty).toBe(false);
  });

  test('saves the edits of the record without values', async () => {
    const task = await loadTask();
    server.reply((request) => ({ json: request.body }));
    task.title = 'Edited';
    await new MutationObserver(client, saveMutation(task)).mutate();
    expect(server.last.body.title).toBe('Edited');
  });

  test('fails with the error of the save, and leaves the values as edits', async () => {
    const task = await loadTask();
    server.reply({ status: 422, json: { errors: { title: ['is taken'] } } });
    const save = new MutationObserver(client, saveMutation(task));
    await expect(save.mutate({ title: 'Taken' })).rejects.toMatchObject({ code: 'validation', status: 422 });
    expect(save.getCurrentResult()).toMatchObject({ status: 'error', error: task.$.error });
    expect(task.$.modified).toEqual({ title: 'Taken' });
    expect(task.$.saving).toBe(false);
  });

  test('runs while TanStack Query believes to be offline', async () => {
    const task = await loadTask();
    onlineManager.setOnline(false);
    server.reply((request) => ({ json: request.body }));
    await new MutationObserver(client, saveMutation(task)).mutate({ done: true });
    expect(task.done).toBe(true);
  });

  test('a wrong value refuses the mutation before anything is sent', async () => {
    const task = await loadTask();
    const save = new MutationObserver(client, saveMutation(task));
    await expect(save.mutate({ titel: 'x' } as never)).rejects.toMatchObject({ name: 'StateError' });
    expect(server.lines).toEqual(['GET /tasks/7']);
  });
});
