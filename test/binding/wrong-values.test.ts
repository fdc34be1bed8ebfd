import { DefinitionError, Model, plain, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { groupsSource } from '../../src/binding/groups-source.js';
import { recordIn } from '../../src/binding/hook-arguments.js';
import { loadedSource } from '../../src/binding/loaded-record.js';
import { listSource, statusSource } from '../../src/binding/read-actions.js';
import { selectionSource } from '../../src/binding/selection-binding.js';
import { storeSource } from '../../src/binding/store-source.js';
import { viewSource, windowSource } from '../../src/binding/view-source.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}
class Other extends Model.define({ name: 'other', fields: { id: 'int' } }) {}

describe.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'tasks'],
  ['a number', 7],
  ['an object', {}],
])('%s in the wrong place', (_, value) => {
  const wrong = value as never;
  test.each([
    ['a store', () => storeSource(wrong).get(), 'a store, or a function that makes one'],
    ['the result of a function that makes a store', () => storeSource(() => wrong).get(), 'a store that it makes'],
    ['the store of a view', () => viewSource(wrong, {}), 'a store'],
    ['the store of a window', () => windowSource(wrong, {}), 'a store'],
    ['a model', () => loadedSource(wrong, 1, {}), 'a model class'],
    ['groups', () => groupsSource(wrong), 'the option `groups`'],
    ['a selection', () => selectionSource(wrong), 'a store'],
    ['a list', () => listSource(wrong), 'a store, a view or a window'],
    ['a status', () => statusSource(wrong), 'a store, a window, a session or an outbox'],
    ['a record', () => recordIn(wrong), 'a record'],
  ])('is refused as %s', (_place, use, expected) => {
    expect(use).toThrow(DefinitionError);
    expect(use).toThrow(`must be ${expected}`.replace('the option', 'a store or a view with the option'));
  });
});

test('a function that returns a store which was disposed of is told to make one anew', async () => {
  const store = new Store({ model: Task });
  const source = storeSource(() => store);
  server.reply({ json: [] });
  source.subscribe(() => undefined)();
  await undefined;
  expect(store.disposed).toBe(true);
  expect(() => source.get()).toThrow('must be a store that it makes anew at each call');
});

test('a store without a proxy is shown, and asks nobody', async () => {
  const source = storeSource(new Store({ model: Other, data: [{ id: 1 }] }));
  const stop = source.subscribe(() => undefined);
  expect(source.get()).toMatchObject({ loading: false, error: undefined });
  expect(source.get().records.map(({ id }) => id)).toEqual([1]);
  stop();
});

test('a store that canLoad refuses does not show that it loads for ever', () => {
  const source = storeSource(() => new Store({ model: Task, canLoad: () => false }));
  const stop = source.subscribe(() => undefined);
  expect(source.get().loading).toBe(false);
  stop();
  expect(server.requests).toEqual([]);
});
