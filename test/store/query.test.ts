import fc from 'fast-check';
import {
  Model,
  Query,
  type QueryConfig,
  type QueryData,
  queryFromJSON,
  Store,
  UnsupportedQueryError,
  viewOf,
  where,
  windowOf,
} from 'repose';
import { recordQuery } from 'repose/tanstack-query';
import { beforeEach, describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, poll, tick } from './support.js';

const server = useRestServer();
beforeEach(() => server.always(() => page([{ id: 1, name: 'Ada', age: 36 }])));

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string', age: 'int', born: 'date' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {
  get initial(): string {
    return this.name?.[0] ?? '';
  }
}
class Team extends Model.define({
  name: 'team',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/teams'),
}) {}
const { age, name } = where(User);
const remote = { model: User, remoteSort: true, remoteFilter: true } as const;

const names = fc.constantFrom('name', 'age', 'born');
const sorters = fc.array(fc.oneof(names, fc.record({ property: names, direction: fc.constantFrom('ASC', 'DESC') })), {
  maxLength: 2,
});
const condition = fc.oneof(
  fc.record({
    property: fc.constant('age'),
    operator: fc.constantFrom('eq', 'ge'),
    value: fc.integer({ min: 0, max: 1 }),
  }),
  fc.record({
    property: fc.constant('born'),
    operator: fc.constant('lt'),
    value: fc.date({ min: new Date(0), max: new Date(1), noInvalidDate: true }),
  }),
  fc.record({
    property: fc.constant('born'),
    operator: fc.constant('in'),
    value: fc.array(fc.date({ min: new Date(0), max: new Date(1), noInvalidDate: true }), { maxLength: 2 }),
  }),
  fc.record({
    property: fc.constant('name'),
    operator: fc.constantFrom('like', 'eq'),
    value: fc.constantFrom('a', '1970-01-01T00:00:00.000Z'),
  }),
);
const filters = fc.array(
  fc.oneof(
    condition,
    fc.array(condition, { maxLength: 2 }).map((or) => ({ or })),
    condition.map((not) => ({ not })),
  ),
  { maxLength: 2 },
);
const params = fc.dictionary(
  fc.constantFrom('a', 'b', '__proto__'),
  fc.oneof(fc.constantFrom(1, '1', null, true), fc.date({ min: new Date(0), max: new Date(1), noInvalidDate: true })),
  { maxKeys: 2 },
);
const configs = fc.record(
  { sorters, filters, groupers: fc.array(names, { maxLength: 1 }), search: fc.constantFrom('', 'a'), params },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<QueryConfig<User>>;

/** A filter that stands in as many others as `levels` says. */
function nested(levels: number): object {
  let filter: object = { property: 'name', value: 'Ada' };
  for (let level = 0; level < levels; level++) filter = { not: filter };
  return filter;
}

/** The members of a query in the order of their names, at every depth. */
function sortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedMembers);
  if (value === null || typeof value !== 'object') return value;
  const data = value instanceof Query || value instanceof Date ? value.toJSON() : value;
  if (typeof data !== 'object') return value instanceof Date ? `date ${data}` : data;
  const source = value instanceof Query ? { ...value, model: '' } : value;
  return Object.entries(source as object)
    .filter(
      ([, each]) =>
        each !== undefined && each !== '' && !(Array.isArray(each) && value instanceof Query && each.length === 0),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sortedMembers(each)]);
}

describe('a query', () => {
  const query = Query.of(User, { sorters: ['name'], filters: [age.ge(18)], params: { team: 1 } });

  test('is frozen at every depth, and does not follow the objects that it was made of', () => {
    const given = { params: { of: { a: 1 } }, filters: [{ property: 'name' as const, value: 'Ada' }] };
    const made = Query.of(User, given);
    given.params.of.a = 2;
    given.filters.push({ property: 'name', value: 'Bob' });
    expect([made.params, made.filters.length]).toEqual([{ of: { a: 1 } }, 1]);
    for (const part of [made, made.filters, made.filters[0], made.params, made.params?.['of']])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test('shares with its copy the members that were not replaced', () => {
    const sorted = query.with({ sorters: [{ property: 'age', direction: 'desc' }] });
    expect([sorted.filters, sorted.params]).toEqual([query.filters, query.params]);
    expect(sorted.filters).toBe(query.filters);
    expect(sorted.params).toBe(query.params);
    expect(query.sorters).toMatchObject([{ property: 'name' }]);
    expect(query.with({ filters: [...query.filters, name.like('a')] }).filters).toHaveLength(2);
    expect(query.with({ params: undefined }).params).toBeUndefined();
  });

  test('has the key of every query with the same content', () => {
    const same = Query.of(User, { params: { team: 1 }, sorters: [{ direction: 'ASC', property: 'name' }] });
    expect(same.with({ filters: [{ value: 18, operator: 'ge', property: 'age' }] }).key).toBe(query.key);
    expect(Query.of(User).with({ search: '' }).key).toBe(Query.of(User, { sorters: [], params: {} }).key);
    expect(Query.of(Team).key).not.toBe(Query.of(User).key);
  });

  test('names functions in its key by themselves', () => {
    const [one, two] = [() => true, () => true];
    const keyOf = (filterFn: () => boolean) => Query.of(User, { filters: [{ filterFn }] }).key;
    expect(keyOf(one)).toBe(keyOf(one));
    expect(keyOf(one)).not.toBe(keyOf(two));
    const frozen = Object.freeze(() => true);
    expect(keyOf(frozen)).not.toBe(keyOf(one));
  });

  test('that is changed part by part has the key of one that is made at once', () =>
    fc.assert(
      fc.property(configs, configs, (one, two) => {
        const merged = Query.of(User, { ...one, ...two });
        expect(Query.of(User, one).with(two).key).toBe(merged.key);
      }),
    ));

  test('has another key if its content differs', () =>
    fc.assert(
      fc.property(configs, configs, (one, two) => {
        const [a, b] = [Query.of(User, one), Query.of(User, two)];
        expect(a.key === b.key).toBe(JSON.stringify(sortedMembers(a)) === JSON.stringify(sortedMembers(b)));
      }),
      { numRuns: 1000 },
    ));

  test('goes through JSON and comes back with the same key', () =>
    fc.assert(
      fc.property(configs, (config) => {
        const made = Query.of(User, config);
        const data = JSON.parse(JSON.stringify(made)) as QueryData;
        expect(queryFromJSON(User, data).key).toBe(made.key);
      }),
      { numRuns: 1000 },
    ));

  test('with a function cannot go through JSON, and the error names the function', () => {
    const functions: [QueryConfig<User>, string][] = [
      [{ filters: [age.ge(1), { filterFn: () => true }] }, 'filters.1.filterFn'],
      [{ filters: [{ not: { property: 'name', value: 'a', convert: (each) => each } }] }, 'filters.0.not.convert'],
      [{ sorters: [{ sorterFn: () => 0 }] }, 'sorters.0.sorterFn'],
      [{ sorters: [{ property: 'name', transform: () => 0 }] }, 'sorters.0.transform'],
      [{ sorters: [{ property: 'name', locale: new Intl.Collator('de') }] }, 'sorters.0.locale'],
    ];
    for (const [config, path] of functions) {
      const local = Query.of(User, config);
      expect(() => JSON.stringify(local)).toThrow(UnsupportedQueryError);
      expect(() => local.toJSON()).toThrow(refusal('query-travel', { path }));
    }
  });
});

describe('a mistake in a query is refused before anything is sent', () => {
  const bad: [string, object][] = [
    ['an unknown property of a sorter', { sorters: ['nmae'] }],
    ['an unknown property of a grouper', { groupers: ['nmae'] }],
    ['an unknown property in a tree', { filters: [{ or: [{ not: { property: 'nmae', value: 1 } }] }] }],
    ['a member of every record', { sorters: ['phantom'] }],
    ['an operator that does not exist', { filters: [{ property: 'age', operator: 'almost', value: 1 }] }],
    ['an operator in a tree', { filters: [{ and: [{ property: 'age', operator: 'has', value: 1 }] }] }],
    ['a filter without a value', { filters: [{ property: 'age' }] }],
    ['a filter without a condition', { filters: [undefined] }],
    ['a filter of two conditions', { filters: [{ property: 'name', value: 'Ada', or: [age.ge(18)] }] }],
    ['a filter of two conditions in a tree', { filters: [{ and: [{ not: age.ge(18), filterFn: () => true }] }] }],
    ['a sorter without a property', { sorters: [undefined] }],
    ['a direction that does not exist', { sorters: [{ property: 'name', direction: 'down' }] }],
    ['a search that is no text', { search: 7 }],
    ['parameters that are no object', { params: [1] }],
    ['a function in the parameters', { params: { team: { id: () => 1 } } }],
    ['a function in `pathParams`', { pathParams: { id: () => 1 } }],
    ['parameters that contain themselves', { params: circle() }],
  ];

  test.each(bad)('%s', async (_, config) => {
    expect(() => Query.of(User, config)).toThrow(UnsupportedQueryError);
    expect(() => Query.of(User).with(config)).toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });

  const stored: [string, object][] = [
    ['a member that does not exist', { filter: [{ property: 'name', value: 'Ada' }] }],
    ['a member of a prototype', JSON.parse('{ "__proto__": { "search": "" } }') as object],
    ['a member of every object', { constructor: 1 }],
    ['filters that are null', { filters: null }],
    ['a search that is null', { search: null }],
    ['fields that are null', { fields: null }],
    ['a model that is no text', { model: { toString: 1 } }],
    ['sorters that are no list', { sorters: { property: 'name' } }],
    ['a sorter that is a name alone', { sorters: ['name'] }],
    ['a sorter without a property', { sorters: [{ direction: 'ASC' }] }],
    ['a member of a sorter that does not exist', { sorters: [{ property: 'name', dir: 'ASC' }] }],
    ['a direction that is no text', { sorters: [{ property: 'name', direction: { toString: 1 } }] }],
    ['an order that does not exist', { sorters: [{ property: 'name', sortType: 'toString' }] }],
    ['a place of missing values that does not exist', { sorters: [{ property: 'name', nulls: 'middle' }] }],
    ['a language that does not exist', { sorters: [{ property: 'name', locale: 'no language' }] }],
    ['a function that was written as a text', { sorters: [{ property: 'name', transform: 'alert' }] }],
    ['a grouper without a property', { groupers: [{ direction: 'ASC' }] }],
    ['filters that are no list', { filters: 'name' }],
    ['a filter that is null', { filters: [null] }],
    ['a filter without a condition', { filters: [{ value: 'Ada' }] }],
    ['a filter with two conditions', { filters: [{ property: 'name', value: 'Ada', or: [] }] }],
    ['two conditions in a tree', { filters: [{ not: { property: 'name', value: 'Ada', and: [] } }] }],
    ['a tree that is no list', { filters: [{ and: { property: 'name', value: 'Ada' } }] }],
    ['a member of a filter that does not exist', { filters: [{ property: 'name', values: ['Ada'], value: '' }] }],
    ['a member of every object', { filters: [{ property: 'name', value: 'Ada', valueOf: 1 }] }],
    ['a filter that is disabled by a text', { filters: [{ property: 'name', value: 'Ada', disabled: 'no' }] }],
    ['a conversion that was written as a text', { filters: [{ property: 'name', value: 'Ada', convert: 'alert' }] }],
    ['a tree of 20,000 levels', { filters: [nested(20_000)] }],
  ];

  test.each(stored)('in a stored query: %s', (_, parts) => {
    const data = { model: 'user', ...parts } as unknown as QueryData;
    expect(() => queryFromJSON(User, data)).toThrow(UnsupportedQueryError);
  });

  test('a query of another model, and what is no query', async () => {
    const store = new Store(remote);
    const [foreign, none] = [Query.of(Team) as never, { sorters: ['name'] } as never];
    for (const query of [foreign, none]) {
      expect(() => store.setQuery(query)).toThrow(UnsupportedQueryError);
      expect(() => new Store({ ...remote, query })).toThrow(Error);
      expect(() => viewOf(store, { query })).toThrow(Error);
      expect(() => windowOf(store, { query })).toThrow(Error);
      await expect(store.load({ query })).rejects.toThrow(Error);
    }
    expect(() => store.setQuery(foreign)).toThrow(refusal('query-model', { model: 'user', other: 'team' }));
    expect(() => queryFromJSON(User, Query.of(Team).toJSON())).toThrow(
      refusal('query-model', { model: 'user', other: 'team' }),
    );
    expect(() => recordQuery(User, 1, { query: foreign })).toThrow(UnsupportedQueryError);
    expect(server.requests).toEqual([]);
  });

  test('a filter function that would have to travel', async () => {
    const store = new Store(remote);
    const local = Query.of(User, { filters: [{ filterFn: () => true }] });
    expect(() => store.setQuery(local)).toThrow(refusal('query-function', {}));
    await expect(store.load({ query: local })).rejects.toThrow(UnsupportedQueryError);
    expect(() => windowOf(store, { query: local })).toThrow(UnsupportedQueryError);
    expect([store.query.filters, server.requests]).toEqual([[], []]);
  });

  test('queries of bound classes, of base classes and of subclasses of one model are taken where their fields are', () => {
    class Admin extends User {}
    const Bound = User.with({ proxy: { headers: { a: 'b' } } });
    for (const model of [Admin, Bound]) {
      new Store({ model }).setQuery(Query.of(User, { sorters: ['name'] }) as never);
      new Store({ model: User }).setQuery(Query.of(model as typeof User, { sorters: ['age'] }));
    }
  });
});

describe('a store', () => {
  test('gives its query, and takes one at its creation and later', async () => {
    const query = Query.of(User, { filters: [age.ge(18)] });
    const store = new Store({ ...remote, query, sorters: ['name'] });
    expect(store.query.key).toBe(query.with({ sorters: ['name'] }).key);
    store.search('ada');
    expect(store.query.search).toBe('ada');
    store.setQuery(query);
    expect([store.query.sorters, store.query.search, store.query]).toEqual([[], '', query]);
    expect(store.query).toBe(query);
    await tick();
    expect(server.requests).toEqual([]);
  });

  test('loads page 1 again once if a part changes that the server applies, and not for an equal query', async () => {
    const store = new Store({ ...remote, pageSize: 10 });
    await store.load({ page: 3 });
    store.setQuery(Query.of(User));
    await tick();
    expect(server.lines).toHaveLength(1);
    store.setQuery(Query.of(User, { sorters: ['name'], filters: [age.ge(18)], params: { team: 1 } }));
    await store.load({ page: 1 }).then(() => tick());
    expect(server.lines).toHaveLength(2);
    expect(server.last.url).toMatch(/team=1.*page=1|page=1.*team=1/);
    store.setQuery(store.query.with({ params: { team: 2 } }));
    await poll(() => server.lines.length).toBe(3);
    expect(server.last.query.get('team')).toBe('2');
    await tick();
    expect(server.lines).toHaveLength(3);
  });

  test('loads a query in one request, which is the query of the store from then on', async () => {
    const store = new Store(remote);
    await store.load();
    const query = Query.of(User, { search: 'ada', params: { team: 1, lang: 'en' } });
    await store.load({ query, params: { lang: 'de' } });
    await tick();
    expect(server.lines).toHaveLength(2);
    expect(['query', 'team', 'lang'].map((each) => server.last.query.get(each))).toEqual(['ada', '1', 'de']);
    expect(store.query).toBe(query);
    const aborted = store.load({ query: Query.of(User), signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(store.query).toBe(query);
  });

  test('fills the addresses of all requests with the `pathParams` of the query', async () => {
    const query = Query.of(User, { pathParams: { team: 7 } });
    const store = new Store({ ...remote, query, proxy: { url: '/teams/{team}/users' } });
    await store.load();
    await store.load({ pathParams: { team: 8 } });
    expect(server.lines.map((line) => line.split('?')[0])).toEqual(['GET /teams/7/users', 'GET /teams/8/users']);
  });

  test('asks by an operation with the query and the place in it, which has the names of Ext JS too', async () => {
    const store = new Store({ ...remote, pageSize: 10, sorters: ['name'] });
    const operations: unknown[] = [];
    store.on('load', ({ operation }) => {
      operations.push(operation);
      expect(operation.query?.key).toBe(store.query.with({ params: { a: 1 } }).key);
      expect(operation.place).toMatchObject({ page: 2, start: 10, limit: 10 });
      expect([operation.sorters, operation.params, operation.page]).toEqual([store.query.sorters, { a: 1 }, 2]);
    });
    await store.load({ page: 2, params: { a: 1 } });
    expect(operations).toHaveLength(1);
  });

  test('applies locally what the server does not, by the same query', async () => {
    const store = new Store({ model: User, pageSize: 0, query: Query.of(User, { sorters: ['initial'], search: 'a' }) });
    store.setRecords([
      { id: 1, name: 'Bea' },
      { id: 2, name: 'Ada' },
      { id: 3, name: 'Tom' },
    ]);
    expect(store.getRange().map((each) => each.name)).toEqual(['Ada', 'Bea']);
    store.setQuery(store.query.with({ search: 'o' }));
    expect(store.getRange().map((each) => each.name)).toEqual(['Tom']);
  });
});

test('a view and a window have a query of their own', async () => {
  const store = new Store({ model: User, pageSize: 0 });
  await store.load();
  const view = viewOf(store, { query: Query.of(User, { filters: [age.lt(18)] }) });
  expect([view.count, view.query.filters.length, store.query.filters.length]).toEqual([0, 1, 0]);
  view.setQuery(Query.of(User));
  expect(view.count).toBe(1);
  const own = Query.of(User, { sorters: ['age'], params: { team: 5 } });
  const paged = new Store({ ...remote, pageSize: 10, sorters: ['name'] });
  const rows = windowOf(paged, { query: own, start: 0, end: 5 });
  await rows.show({ start: 0, end: 5 });
  expect([rows.query, server.last.query.get('team')]).toEqual([own, '5']);
  expect(server.last.query.get('sort')).toContain('age');
  expect(windowOf(paged).query).toBe(paged.query);
});

test('`recordQuery` takes the parameters of a query', () => {
  const query = Query.of(User, { params: { team: 5 } });
  const { queryKey } = recordQuery(User, 1, { query });
  expect(queryKey).toEqual(recordQuery(User, 1, { params: { team: 5 } }).queryKey);
  expect(queryKey).not.toEqual(recordQuery(User, 1).queryKey);
});

/** An error by its reason and parameters, which every build has. */
function refusal(reason: string, params: object): object {
  return expect.objectContaining({ code: 'unsupported-query', reason, params: expect.objectContaining(params) });
}

function circle(): object {
  const own: Record<string, unknown> = {};
  own['self'] = own;
  return own;
}
