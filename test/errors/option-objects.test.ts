import { runInNewContext } from 'node:vm';
import { Model, plain, presence, RestProxy, retry, Store } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const taskModel = () =>
  class Task extends Model.define({
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/tasks', { dialect: plain() }),
  }) {};

class Scope {
  params: object = { team: 'a' };
}

test.each([
  ['an object of another realm', () => runInNewContext("({ params: { team: 'a' } })")],
  ['an object of a class', () => new Scope()],
  ['an object without a prototype', () => Object.assign(Object.create(null), { params: { team: 'a' } })],
])('options may be %s', async (_, options) => {
  server.reply({ json: { id: 7, name: 'Ada' } });
  await taskModel().fromRow({ id: 7 }).load(options());
  server.reply({ json: [] });
  await new Store({ model: taskModel() }).load(options());
  expect(server.lines).toEqual(['GET /tasks/7?team=a', expect.stringMatching(/^GET \/tasks\?.*team=a/)]);
});

test('options of another realm are checked like others', () => {
  expect(() => retry(runInNewContext('({ limt: 3 })'))).toThrow("did you mean 'limit'?");
  expect(() => presence(runInNewContext('({ allowempty: true })'))).toThrow("did you mean 'allowEmpty'?");
});

test.each([
  ['a record', () => taskModel().fromRow({ id: 7 })],
  ['an event', () => new Event('click')],
  ['a signal', () => AbortSignal.abort()],
  ['a list', () => [{ params: {} }]],
  ['a map', () => new Map([['params', {}]])],
  ['a promise', () => Promise.resolve({ params: {} })],
  ['a function', () => () => ({ params: {} })],
])('%s is refused as the options of a call', async (_, given) => {
  const task = taskModel().fromRow({ id: 7 });
  const refused = { code: 'definition', message: expect.stringContaining('must be an object') };
  await expect(task.save(given() as object)).rejects.toMatchObject(refused);
  await expect(task.load(given() as object)).rejects.toMatchObject(refused);
  await expect(new Store({ model: taskModel() }).load(given() as object)).rejects.toMatchObject(refused);
  expect(server.lines).toEqual([]);
});

test.each(['get', 'PURGE', 'PROPFIND', 'MKCOL', 'REPORT', 'SEARCH', 'QUERY', 'MERGE', 'LINK', 'COPY', 'MOVE', 'LOCK'])(
  'the method %s is allowed, although it may be a server’s own',
  (update) => {
    expect(new RestProxy({ actionMethods: { update } }).actionMethods.update).toBe(update);
  },
);
