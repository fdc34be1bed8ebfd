import { Model, pagesOf, plain, Query, queryFromJSON, RestProxy, Store, windowOf } from 'repose';
import { directus, feathers, jsonApi, odata4, pocketbase, postgrest, rails, strapi } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    done: 'boolean',
    city: { type: 'string', mapping: 'address.city' },
    dueOn: { type: 'dateonly', mapping: 'due_on' },
    late: {
      depends: ['dueOn', 'done'],
      calculate: (task: { dueOn?: string; done?: boolean }) => !task.done && Boolean(task.dueOn),
    },
    rank: { calculate: () => 1 },
    label: { type: 'string', mapping: (row) => row['title'] },
  },
  proxy: server.proxy('/tasks', {
    dialect: plain({ fieldsParam: 'fields', lockVersion: 'rev' }),
    actionMethods: { update: 'PUT' },
  }),
}) {}

const { dialect: _, ...ownProxy } = server.proxy('/tasks');

describe('the parameter', () => {
  test.each([
    ['plain', plain({ fieldsParam: 'only' }), 'only=id,address,title'],
    ['jsonApi', jsonApi(), 'fields[tasks]=address,title'],
    ['jsonApi with a type', jsonApi({ type: 'jobs' }), 'fields[jobs]=address,title'],
    ['odata4', odata4(), '$select=id,address,title'],
    ['directus', directus(), 'fields=id,address,title'],
    ['postgrest', postgrest(), 'select=id,address,title'],
    ['pocketbase', pocketbase(), 'fields=id,address,title'],
    ['strapi', strapi({ version: 5 }), 'fields[0]=id&fields[1]=address&fields[2]=title'],
    ['feathers', feathers(), '$select[]=id&$select[]=address&$select[]=title'],
  ])('of %s names the members of the server, and the id', async (_name, dialect, expected) => {
    server.always(() => ({ json: dialect.name === 'jsonApi' ? { data: [] } : [] }));
    const store = new Store({ model: Task, proxy: { ...ownProxy, type: RestProxy, dialect } });
    await store.load({ fields: ['title', 'city'] }).catch(() => undefined);
    expect(decodeURIComponent(server.last.url)).toContain(expected);
  });

  test('holds the fields from which a computed one is made, and the version of the row', async () => {
    server.reply({ json: [] });
    await new Store({ model: Task }).load({ fields: ['late'] });
    expect(server.last.query.get('fields')).toBe('id,due_on,done,rev');
  });

  test.each([
    ['a dialect without one', ['title'], { ...ownProxy, type: 'rest', dialect: rails() }, 'query-unsupported'],
    ['plain() without a name for it', ['title'], { ...ownProxy, type: 'rest', dialect: plain() }, 'query-unsupported'],
    ['a name that is no field', ['titel'], undefined, 'query-field'],
    ['a computed field that names nothing', ['rank'], undefined, 'query-made'],
    ['a field with a function as mapping', ['label'], undefined, 'query-made'],
    ['no list', 'title', undefined, 'query-value'],
  ])('is refused before anything is sent: %s', async (_name, fields, proxy, reason) => {
    const store = new Store({ model: Task, ...(proxy && { proxy: proxy as never }) });
    await expect(store.load({ fields: fields as never })).rejects.toMatchObject({
      name: 'UnsupportedQueryError',
      reason,
    });
    expect(server.requests).toEqual([]);
  });
});

describe('records with some of their fields', () => {
  test('are read whole before a PUT, so that it erases nothing', async () => {
    const store = new Store({ model: Task });
    server.reply({ json: [{ id: 1, title: 'a' }] });
    await store.load({ fields: ['title'] });
    const task = store.getAt(0) as Task;
    task.title = 'b';
    server.reply({ json: { id: 1, title: 'a', done: true, note: 'kept' } }, (request) => ({ json: request.body }));
    await task.save();
    expect(server.lines.slice(1)).toEqual(['GET /tasks/1', 'PUT /tasks/1']);
    expect(server.last.body).toEqual({ id: 1, title: 'b', done: true, note: 'kept' });
  });

  test('keep what is known of their other fields, and their edits', async () => {
    const store = new Store({ model: Task });
    server.reply({ json: [{ id: 1, title: 'a', done: true }] }, { json: [{ id: 1, title: 'b' }] });
    await store.load();
    const task = store.getAt(0) as Task;
    task.city = 'Bern';
    await store.load({ fields: ['title'] });
    expect([task.title, task.done, task.city]).toEqual(['b', true, 'Bern']);
  });

  test('further loads ask for the same fields, until all are asked for', async () => {
    const store = new Store({ model: Task });
    server.always(() => ({ json: [{ id: 1, title: 'a' }] }));
    await store.load({ fields: ['title'] });
    await store.reload();
    expect(server.last.query.get('fields')).toBe('id,title,rev');
    await store.load({ fields: [] });
    expect(server.last.query.has('fields')).toBe(false);
    expect(server.requests.length).toBe(3);
  });

  test('a single record is asked for by some of its fields, too', async () => {
    server.reply({ json: { id: 7, title: 'a' } }, { json: { id: 7, done: true } });
    const task = await Task.load(7, { fields: ['title'] });
    expect(server.last.url).toBe('/tasks/7?fields=id%2Ctitle%2Crev');
    await task.load({ fields: ['done'] });
    expect([task.title, task.done]).toEqual(['a', true]);
    task.done = false;
    server.reply({ json: { id: 7, title: 'a', done: true, note: 'n' } }, (request) => ({ json: request.body }));
    await task.save();
    expect(server.last.body).toEqual({ id: 7, title: 'a', done: false, note: 'n' });
  });

  test('windows and pages() ask for them as well', async () => {
    const query = Query.of(Task, { fields: ['title'] });
    server.always(() => ({ json: [{ id: 1, title: 'a' }], headers: { 'X-Total-Count': '1' } }));
    const store = new Store({ model: Task, query });
    const window = windowOf(store, { start: 0, end: 10 });
    await window.show({ start: 0, end: 10 });
    expect(server.last.query.get('fields')).toBe('id,title,rev');
    const task = window.getAt(0) as Task;
    task.title = 'b';
    await task.save();
    expect(server.lines.slice(-2).map((line) => line.replace(/[?].*/, ''))).toEqual(['GET /tasks/1', 'PUT /tasks/1']);
    for await (const page of pagesOf(new Store({ model: Task }), query)) expect(page.length).toBe(1);
    expect(server.last.query.get('fields')).toBe('id,title,rev');
  });
});

describe('sorting and filtering', () => {
  test('by a field that was not asked for is done by the server, also if all rows are there', async () => {
    const store = new Store({ model: Task });
    server.always(() => ({ json: [{ id: 1, title: 'a' }], headers: { 'X-Total-Count': '1' } }));
    await store.load({ fields: ['title'] });
    expect(store.holdsAll).toBe(false);
    store.sort('dueOn');
    await store.load();
    expect(server.last.query.get('sort')).toBe('due_on');
  });

  test('by such a field is refused if the store does it', async () => {
    const store = new Store({ model: Task, remoteSort: false, pageSize: 0, sorters: ['dueOn'] });
    server.always(() => ({ json: [{ id: 1, title: 'a' }] }));
    await expect(store.load({ fields: ['title'] })).rejects.toMatchObject({ reason: 'query-unselected' });
    await store.load({ fields: ['title', 'dueOn'] });
    expect(store.count).toBe(1);
  });
});

test('a query with fields has a key of its own, and travels as data', () => {
  const all = Query.of(Task);
  const some = all.with({ fields: ['title', 'id', 'title'] });
  expect(some.fields).toEqual(['id', 'title']);
  expect(some.key).not.toBe(all.key);
  expect(some.key).toBe(Query.of(Task, { fields: ['id', 'title'] }).key);
  expect(queryFromJSON(Task, JSON.parse(JSON.stringify(some))).key).toBe(some.key);
  expect(() => Query.of(Task, { fields: ['nope'] as never })).toThrow(
    expect.objectContaining({ reason: 'query-field' }),
  );
});
