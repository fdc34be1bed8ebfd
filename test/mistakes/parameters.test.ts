import { Model, plain, Store } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const modelWith = (options: object) =>
  Model.define({
    name: 'task',
    fields: { id: 'int' },
    proxy: server.proxy('/tasks', { dialect: plain(), ...options }),
  });

const wrong: readonly (readonly [string, unknown])[] = [
  ['a promise', Promise.resolve({ team: 'a' })],
  ['a map', new Map([['team', 'a']])],
  ['a date', new Date(0)],
  ['URLSearchParams', new URLSearchParams('team=a')],
  ['a text', 'token=SECRET'],
];

test.each(wrong)('parameters given as %s are refused, and their values are not shown', async (_, given) => {
  const task = modelWith({}).fromRow({ id: 7 });
  const store = new Store({ model: modelWith({}) });
  const refused = { code: 'definition', message: expect.not.stringContaining('SECRET') };
  expect(() => store.setExtraParams(given as never)).toThrow(expect.objectContaining(refused));
  await expect(store.load({ params: given as never })).rejects.toMatchObject(refused);
  await expect(task.load({ params: given as never })).rejects.toMatchObject(refused);
  await expect(new Store({ model: modelWith({ extraParams: given }) }).load()).rejects.toMatchObject(refused);
  expect(server.lines).toEqual([]);
});

test.each(['token=SECRET', new Map()])('a function that returns %o instead of parameters is refused', async (given) => {
  const refused = { code: 'definition', message: expect.not.stringContaining('SECRET') };
  const store = new Store({ model: modelWith({ extraParams: () => given }) });
  await expect(store.load()).rejects.toMatchObject(refused);
  expect(server.lines).toEqual([]);
});

test('parameters may be an object of a class', async () => {
  class Scope {
    team = 'a';
  }
  server.reply({ json: [] });
  await new Store({ model: modelWith({ extraParams: new Scope() }), pageSize: 0 }).load();
  expect(server.lines).toEqual(['GET /tasks?team=a']);
});

test('an asynchronous function that fails is refused, and its failure does not end the process', async () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', listener);
  const failing = () => Promise.reject(new Error('no'));
  await expect(new Store({ model: modelWith({ extraParams: failing }) }).load()).rejects.toMatchObject({
    code: 'definition',
    reason: 'params-promise',
  });
  await expect(new Store({ model: modelWith({}), canLoad: failing as never }).load()).rejects.toMatchObject({
    code: 'definition',
  });
  // Node reports unhandled rejections when the microtasks are done.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listener);
  expect([unhandled, server.lines]).toEqual([[], []]);
});

test('an action that `batchOrder` misspells is refused: its records would never be written', async () => {
  const store = new Store({ model: modelWith({ batchOrder: 'create,updat' }) });
  await expect(store.load()).rejects.toMatchObject({
    code: 'definition',
    message: expect.stringContaining("such as 'create,update,destroy', not 'create,updat'"),
  });
});
