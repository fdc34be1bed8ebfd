import { and, explain, type FilterConfig, Model, not, Operation, or, plain, Store, viewOf, where } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown, tick } from './support.js';

const server = useRestServer();
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', owner: { type: 'string', allowNull: true }, due: 'date' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}
type Filter = FilterConfig<Task>;

const user: { readonly id?: string } = {};
const given = user.id as string;
const { owner, due } = where(Task);

/** Filters in which a value is missing: without it, they would let other records pass. */
const mistakes: readonly (readonly [string, Filter])[] = [
  ['equal to undefined', { property: 'owner', value: given }],
  ['without a `value`', { property: 'owner' } as Filter],
  ['not equal to undefined', owner.ne(given)],
  ['less than undefined', due.lt(undefined as never)],
  ['containing undefined', owner.contains(given)],
  ['one of undefined', { property: 'owner', operator: 'in', value: undefined as never }],
  ['one of a list with undefined', owner.in(['ada', given])],
  ['none of a list with undefined', owner.nin([given])],
  ['between undefined and a day', due.between(undefined as never, new Date(0))],
  ['inside `and`', and(owner.eq('ada'), owner.eq(given))],
  ['inside `or`', or(owner.eq('ada'), not(owner.eq(given)))],
  ['inside `not`', not(owner.eq(given))],
  ['with an operator of the server', { property: 'owner', operator: 'soundex', value: undefined } as never],
  ['not disabled', { property: 'owner', value: given, disabled: false, disableOnEmpty: false }],
];

const refusal = /The filter on '(owner|due)' has (no value \(undefined\)|undefined in its list)/;
const data = [
  { id: 1, owner: 'ada' },
  { id: 2, owner: null },
];

describe.each(mistakes)('a filter %s is refused', (_, filter) => {
  test.each([true, false])('where it is given, before the filters change: remoteFilter %s', async (remoteFilter) => {
    const tasks = new Store({ model: Task, data, remoteFilter, filters: [owner.eq('ada')] });
    const before = [tasks.query.filters, shown(tasks)];
    expect(() => tasks.filter(filter)).toThrow(refusal);
    expect(() => tasks.filter([owner.eq('bob'), filter])).toThrow(refusal);
    expect(() => tasks.setQuery(tasks.query.with({ filters: [...tasks.query.filters, filter] }))).toThrow(refusal);
    expect(() => tasks.filter(filter, { delay: 10 })).toThrow(refusal);
    expect(() => new Store({ model: Task, data, remoteFilter, filters: [filter] })).toThrow(refusal);
    await tick();
    expect([tasks.query.filters, shown(tasks)]).toEqual(before);
    expect(server.requests).toEqual([]);
  });

  test('in a view', () => {
    const tasks = new Store({ model: Task, data });
    const view = viewOf(tasks);
    expect(() => view.filter(filter)).toThrow(refusal);
    expect(() => viewOf(tasks, { filters: [filter] })).toThrow(refusal);
    expect(shown(view)).toEqual([1, 2]);
  });

  test('in an operation, also as a frozen value, and explained', async () => {
    expect(() => new Operation({ action: 'read', filters: [filter] })).toThrow(refusal);
    const frozen = Object.freeze([Object.freeze({ ...filter })]);
    expect(() => new Operation({ action: 'read', filters: frozen })).toThrow(refusal);
    await expect(explain(Task.proxy, { action: 'read', filters: [filter] })).rejects.toThrow(refusal);
  });
});

test('TypeScript refuses a value that may be missing', () => {
  // @ts-expect-error `user.id` may be undefined.
  const filter: Filter = { property: 'owner', value: user.id };
  expect(() => new Store({ model: Task, data, filters: [filter] })).toThrow(refusal);
});

describe('a missing value is no mistake', () => {
  test.each<readonly [string, Filter]>([
    ['with `disableOnEmpty`', { property: 'owner', value: given, disableOnEmpty: true }],
    ['in a disabled filter', { property: 'owner', value: given, disabled: true }],
    ['in a disabled tree', { or: [owner.eq(given)], disabled: true } as Filter],
  ])('%s, which has no effect', (_, filter) => {
    expect(shown(new Store({ model: Task, data, filters: [filter] }))).toEqual([1, 2]);
  });

  test('for `isNull`, where it means true', () => {
    expect(shown(new Store({ model: Task, data, filters: [{ property: 'owner', operator: 'isNull' }] }))).toEqual([2]);
  });

  test('if it is null', () => {
    expect(shown(new Store({ model: Task, data, filters: [owner.eq(null)] }))).toEqual([2]);
  });

  test('in a search, whose text is empty', () => {
    const tasks = new Store({ model: Task, data });
    tasks.search('');
    expect(shown(tasks)).toEqual([1, 2]);
  });
});

test('a disabled filter without a value is refused when it is enabled', () => {
  const off: Filter = { property: 'owner', value: given, disabled: true };
  const tasks = new Store({ model: Task, data, filters: [off] });
  expect(() => tasks.filter({ ...(tasks.query.filters[0] as object), disabled: false } as Filter)).toThrow(refusal);
});

test.each([[[]], [[1]], [[1, 2, 3]], [5]])(
  'a range of %j is refused in the store: a missing end would let records pass',
  (value) => {
    const filter = { property: 'id', operator: 'between', value } as never;
    const tasks = new Store({ model: Task, data });
    expect(() => tasks.filter(filter)).toThrow(/'between' with \d values?/);
    expect(shown(tasks)).toEqual([1, 2]);
  },
);
