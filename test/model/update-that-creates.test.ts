import { type Extension, etags, Model, plain, type RestProxyConfig, Store, safeWrites } from 'repose';
import { odata4 } from 'repose/dialects';
import { LAYERS } from 'repose/extend';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const taskWith = (config: RestProxyConfig = {}) =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', version: 'int' },
    proxy: server.proxy('/tasks', { dialect: plain(), ...config }),
  }) {};
const PUT = { actionMethods: { update: 'PUT' } };
const ALWAYS_200: Extension = {
  name: 'always-200',
  layer: LAYERS.telemetry - 1,
  send: async (request, next) => ({ ...(await next(request)), status: 200 }),
};
const UNREAD = safeWrites({ etags: { unknown: 'send' } });

describe('an update that the server answers with 201', () => {
  test.each([
    ['PUT', 'PUT /tasks/1', { ...PUT }],
    ['PUT, with `safeWrites()`', 'PUT /tasks/1', { ...PUT, use: UNREAD }],
    ['PATCH', 'PATCH /tasks/1', {}],
    ['PATCH of OData', 'PATCH /tasks(1)', { dialect: odata4() }],
    ['PATCH, where creates are sent by PUT', 'PATCH /tasks/1', { createBy: 'put' }],
    ['PUT with a version in the body', 'PUT /tasks/1', { ...PUT, dialect: plain({ lockVersion: 'version' }) }],
  ])('is an error, and the edit stays: %s', async (_, line, config) => {
    const task = new (taskWith(config as RestProxyConfig))({ id: 1, title: 'one', version: 1 }, { phantom: false });
    server.reply({ status: 201, json: { id: 1, title: 'two' } });
    const error = await task
      .set({ title: 'two' })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'read', reason: 'response-created' });
    expect((error as Error).message).toMatch(/answered 201: the server has made the record anew.*`createBy: 'put'`/);
    expect([server.lines, task.dirty, task.title]).toEqual([[line], true, 'two']);
  });

  test('is an error of `sync()` as well', async () => {
    const tasks = new Store({ model: taskWith(PUT), data: [{ id: 1, title: 'one' }] });
    server.reply({ status: 201 });
    tasks.getAt(0)?.set({ title: 'two' });
    const { failures } = await tasks.sync();
    expect(failures.map(({ error }) => error.reason)).toEqual(['response-created']);
  });

  test('waits in an outbox for a decision, and is not sent again', async () => {
    const outbox = new Outbox({ scope: 'ada', storage: memoryStorage() });
    const task = new (taskWith({ ...PUT, use: [outbox] }))({ id: 1, title: 'one' }, { phantom: false });
    server.reply({ status: 201 });
    const error = await task
      .set({ title: 'two' })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'response-created' });
    expect([server.lines, outbox.entries.map(({ state }) => state)]).toEqual([['PUT /tasks/1'], ['failed']]);
    await outbox.close();
  });

  test.each([
    ['carries `If-Match`', { ...PUT, use: [etags()] }, { id: 1, title: 'one' }, { ETag: '"1"' }],
    ['carries a version', { ...PUT, reader: { etagProperty: '_rev' } }, { id: 1, title: 'one', _rev: 'a' }, {}],
    ['is sent by POST', { actionMethods: { update: 'POST' } }, { id: 1, title: 'one' }, {}],
    ['is sent by PUT, as creates are', { ...PUT, createBy: 'put' }, { id: 1, title: 'one' }, {}],
    ['is made a 200 by an extension', { ...PUT, use: [ALWAYS_200] }, { id: 1, title: 'one' }, {}],
    ['saves a singleton', { ...PUT, singleton: true }, { id: 1, title: 'one' }, {}],
  ])('is done where it %s', async (_, config, row, headers) => {
    server.reply({ json: row, headers }, { status: 201 });
    const Task = taskWith(config as RestProxyConfig);
    const task = await ('singleton' in config
      ? (Task.load as () => Promise<InstanceType<typeof Task>>)()
      : Task.load(1));
    await task.set({ title: 'two' }).save();
    expect([task.dirty, task.title]).toEqual([false, 'two']);
  });
});
