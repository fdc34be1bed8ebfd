import { Model, plain, RestProxy, Session, Store } from 'repose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkMade } from '../../src/dev/made-options.js';

class Task extends Model.define({ name: 'task', fields: { id: 'int', team: 'int', due: 'date' } }) {}
class Other extends Model.define({ name: 'other', fields: { id: 'int', team: 'int', due: 'date' } }) {}

const told = vi.fn();
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(told));
afterEach(() => {
  vi.restoreAllMocks();
  told.mockReset();
});

/** Calls the check for each of the functions that a component gives at its renders. */
const see = (...makes: (() => unknown)[]) => {
  const source = {};
  for (const make of makes) checkMade(source, make);
  return told.mock.calls.map(([text]) => /now: ([^.]*)\./.exec(String(text))?.[1]);
};

const session = new Session();
const all = new Store({ model: Task }).query;
const ofTeam = (team: number) => () => new Store({ model: Task, filters: [{ property: 'team', value: team }] });

test('options that differ by value are told once, by their names', () => {
  expect(see(ofTeam(1), ofTeam(1), ofTeam(2), ofTeam(3))).toEqual(['filters']);
});

test.each([
  ['a model', () => new Store({ model: Task }), () => new Store({ model: Other as never }), 'model'],
  ['a session', () => new Store({ model: Task }), () => new Store({ model: Task, session }), 'session'],
  [
    'a query',
    () => new Store({ model: Task, query: all.with({ search: 'a' }) }),
    () => new Store({ model: Task, query: all.with({ search: 'b' }) }),
    'query',
  ],
  [
    'a date',
    () => new Store({ model: Task, filters: [{ property: 'due', value: new Date(1) }] }),
    () => new Store({ model: Task, filters: [{ property: 'due', value: new Date(2) }] }),
    'filters',
  ],
])('%s is compared by value', (_, first, second, expected) => {
  expect(see(first, first, second)).toEqual([expected]);
});

test.each([
  ['new functions', () => () => new Store({ model: Task, filters: [{ filterFn: () => true }], canLoad: () => true })],
  ['new objects of classes', () => () => new Store({ model: Task, session: new Session() })],
  ['a new proxy', () => () => new Store({ model: Task, proxy: new RestProxy({ url: '/tasks', dialect: plain() }) })],
  ['the present time', () => () => new Store({ model: Task, filters: [{ property: 'due', value: tick() }] })],
  ['a function that makes no store', () => () => undefined],
  [
    'a function that throws',
    () => () => {
      throw new Error('not now');
    },
  ],
])('%s at each render are not told', (_, makeOf) => {
  expect(see(makeOf(), makeOf(), makeOf())).toEqual([]);
});

test('no store is made to ask for its options', () => {
  const made = vi.fn();
  see(
    () => made(new Store({ model: Task })),
    () => made(new Store({ model: Task })),
  );
  expect(made).not.toHaveBeenCalled();
  expect(new Store({ model: Task }).count).toBe(0);
});

let time = 0;
function tick(): Date {
  time += 1;
  return new Date(time);
}
