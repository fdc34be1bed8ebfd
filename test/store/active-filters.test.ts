import { type FilterConfig, Model, Operation, plain, Store, windowOf } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, shown } from './support.js';

const server = useRestServer();
class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/tasks', { reader: { rootProperty: 'rows' } }),
}) {}
type Filter = FilterConfig<Task>;

const first: Filter = { property: 'id', value: 1 };
const disabled: Filter = { property: 'id', value: 9, disabled: true };
const empty = { property: 'name', value: '', disableOnEmpty: true } as Filter;
const unset = { property: 'name', disableOnEmpty: true } as unknown as Filter;

/** Filters without effect: a disabled condition, a condition that is disabled while it has no value, and trees of only such conditions. */
const absent: readonly (readonly [string, Filter])[] = [
  ['a disabled condition', disabled],
  ['an empty condition', empty],
  ['a condition that is disabled while it has no value', unset],
  ['a disabled condition without a value', { property: 'name', disabled: true } as unknown as Filter],
  [
    'a disabled tree of conditions without a value',
    { not: { or: [{ property: 'id' }] }, disabled: true } as unknown as Filter,
  ],
  ['a disabled function', { filterFn: () => false, disabled: true } as Filter],
  ['a disabled tree', { or: [{ property: 'id', value: 9 }], disabled: true } as Filter],
  ['an empty `and`', { and: [] }],
  ['an empty `or`', { or: [] }],
  ['`and` of empty conditions', { and: [disabled, empty] }],
  ['`or` of empty conditions', { or: [disabled, unset] }],
  ['`not` of an empty condition', { not: empty }],
  ['`not` of an `or` of empty conditions', { not: { or: [disabled, empty] } }],
  ['`not` of `not` of an empty condition', { not: { not: disabled } }],
  ['`or` of trees of empty conditions', { or: [{ and: [disabled] }, { not: empty }] }],
];

const local = (filter: Filter) => {
  const data = rows(1, 2, 3);
  return shown(new Store({ model: Task, data, filters: [filter] }));
};

describe.each(absent)('%s', (_, filter) => {
  test('lets all records pass', () => {
    expect(local(filter)).toEqual([1, 2, 3]);
  });

  test('is not there for `and`, `or` and `not` around it', () => {
    expect(local({ or: [first, filter] })).toEqual([1]);
    expect(local({ or: [filter, { and: [filter, first] }] })).toEqual([1]);
    expect(local({ not: { or: [filter, first] } })).toEqual([2, 3]);
    expect(local({ not: { and: [filter, first] } })).toEqual([2, 3]);
  });

  test.each([
    ['classic', undefined],
    ['plain', plain()],
  ])('is not sent, and not refused either: %s', async (__, dialect) => {
    const proxy = server.proxy('/tasks', { reader: { rootProperty: 'rows' }, ...(dialect && { dialect }) });
    const store = new Store({ model: Task, proxy, pageSize: 0, remoteFilter: true, filters: [filter] });
    server.reply(page(rows(1)));
    await store.load();
    expect([...server.last.query.keys()]).toEqual([]);
  });

  test('is not in the filters of an operation, which a dialect of the application gets', () => {
    const { filters } = new Operation({ action: 'read', filters: [filter, first, { or: [filter, first] }] });
    expect(filters).toEqual([first, { or: [first] }]);
  });

  test('is no filter for `total`: a created record counts', async () => {
    const store = new Store({ model: Task, remoteFilter: true, filters: [filter] });
    server.reply(page(rows(1, 2), 2));
    await store.load();
    store.add({ name: 'new' });
    server.reply({ status: 201, json: { id: 3, name: 'new' } });
    (await store.sync()).orThrow();
    expect(store.total).toBe(3);
  });

  test('is no local filter: a store that is loaded in part accepts it', async () => {
    const store = new Store({ model: Task, pageSize: 2, filters: [filter] });
    server.reply(page(rows(1, 2), 9));
    await store.load();
    store.filter([filter, { or: [filter] }]);
    expect(shown(store)).toEqual([1, 2]);
    expect(() => windowOf(store).dispose()).not.toThrow();
  });
});

test('a filter with an effect is refused in a store that is loaded in part, and counts for `total`', async () => {
  const part = new Store({ model: Task, pageSize: 2 });
  server.reply(page(rows(1, 2), 9));
  await part.load();
  expect(() => part.filter({ or: [first, empty] })).toThrow('Only a part of the collection is loaded');
  const remote = new Store({ model: Task, remoteFilter: true, filters: [first, empty] });
  server.reply(page(rows(1, 2), 2));
  await remote.load();
  remote.add({ name: 'new' });
  server.reply({ status: 201, json: { id: 3, name: 'new' } });
  (await remote.sync()).orThrow();
  expect(remote.total).toBe(2);
});

test('options of a condition without effect inside a tree are not refused where the server filters', () => {
  const convert = () => 0;
  const converted = { property: 'name', value: '', disableOnEmpty: true, convert } as Filter;
  const filters = [{ or: [converted] }, { not: { filterFn: () => true, disabled: true } as Filter }];
  expect(() => new Store({ model: Task, remoteFilter: true, filters })).not.toThrow();
});

test('filters that all have an effect stay the same list, so that what a proxy has encoded for it is kept', () => {
  const filters = Object.freeze([Object.freeze({ property: 'id', value: 1 })]);
  expect(new Operation({ action: 'read', filters }).filters).toBe(filters);
});

test.each<object>([
  { property: 'id', value: 1, or: [first] },
  { and: [first], or: [first] },
  { or: [first], not: first },
  { property: 'id', value: 1, filterFn: () => true },
])('%o is refused: only one of its conditions would have an effect', (filter) => {
  expect(() => local(filter as Filter)).toThrow(
    'a filter must be a condition with `property`, or else have one of `and`, `or`, `not` and `filterFn`',
  );
});
