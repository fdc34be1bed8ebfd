import {
  and,
  bracketFilter,
  type Dialect,
  type FilterConfig,
  filterTemplates,
  jsonFilter,
  Model,
  not,
  Operation,
  or,
  plain,
  RestProxy,
  Store,
  type TreeNames,
  UnsupportedQueryError,
  where,
} from 'repose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

const ROWS = [
  { id: 1, name: 'Ada', age: 36, town: 'Rome' },
  { id: 2, name: 'Alan', age: 41, town: null },
  { id: 3, name: 'Grace', age: 17, town: 'Oslo' },
  { id: 4, name: 'Edsger', age: 18, town: 'Rome' },
];

class Person extends Model.define({
  fields: {
    id: 'int',
    name: 'string',
    age: 'int',
    city: { type: 'string', mapping: 'town', allowNull: true },
  },
}) {}

const FORMS: TreeNames = {
  ...{ eq: '$eq', ne: '$ne', lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte', in: '$in', nin: '$nin' },
  ...{ startsWith: '$starts', isNull: '$null', and: '$and', or: '$or', not: '$not' },
};

const { name, age, city } = where(Person);
const definitions: readonly (readonly [string, FilterConfig<Person>, readonly number[]])[] = [
  ['a condition', age.ge(18), [1, 2, 4]],
  ['a range', age.between(18, 36), [1, 4]],
  ['no value', city.isNull(), [2]],
  ['any value', city.isNull(false), [1, 3, 4]],
  ['null', city.eq(null), [2]],
  ['not null', city.ne(null), [1, 3, 4]],
  ['one of a list', name.in(['Ada', 'Grace']), [1, 3]],
  ['one of two conditions', or(city.eq('Oslo'), age.gt(40)), [2, 3]],
  ['all of two conditions', and(city.eq('Rome'), age.lt(20)), [4]],
  ['two conditions on one field', and(age.ge(18), age.le(36)), [1, 4]],
  ['the opposite', not(name.startsWith('A')), [3, 4]],
  ['a tree of trees', or(and(age.lt(20), not(city.eq('Rome'))), and(name.in(['Ada']), city.nin(['Oslo']))), [1, 3]],
  ['two trees', and(or(age.lt(18), age.gt(40)), or(city.isNull(), name.eq('Ada'))), [2]],
];

type Tree = Record<string, unknown>;

/** Applies a filter as a server with such a language does. Like LoopBack, it reads the first operator of an object only. */
function holds(tree: Tree, row: Tree): boolean {
  return Object.entries(tree).every(([key, value]) => {
    if (key === '$and') return Object.values(value as Tree[]).every((each) => holds(each, row));
    if (key === '$or') return Object.values(value as Tree[]).some((each) => holds(each, row));
    if (key === '$not') return !holds(value as Tree, row);
    const [[operator, given] = ['', undefined]] = Object.entries(value as Tree);
    return compare(operator, row[key], given);
  });
}

function compare(operator: string, held: unknown, given: unknown): boolean {
  const list = Object.values(Object(given)).map(String);
  const order = held === null ? Number.NaN : Number(held) - Number(given);
  if (operator === '$null') return (held === null) === (String(given) === 'true');
  if (operator === '$eq') return String(held) === String(given);
  if (operator === '$ne') return String(held) !== String(given);
  if (operator === '$lt') return order < 0;
  if (operator === '$lte') return order <= 0;
  if (operator === '$gt') return order > 0;
  if (operator === '$gte') return order >= 0;
  if (operator === '$in') return list.includes(String(held));
  if (operator === '$nin') return !list.includes(String(held));
  if (operator === '$starts') return String(held).startsWith(String(given));
  throw new Error(`the server does not know ${operator}`);
}

/** Reads names in brackets, as `qs` does. */
function parseBrackets(query: URLSearchParams, prefix: string): Tree {
  const tree: Tree = {};
  for (const [param, value] of query) {
    if (prefix ? !param.startsWith(`${prefix}[`) : ['page', 'limit'].includes(param)) continue;
    const path = param
      .split(/[[\]]+/)
      .filter(Boolean)
      .slice(prefix ? 1 : 0);
    let node = tree;
    for (const key of path.slice(0, -1)) node = (node[key] ??= {}) as Tree;
    node[path.at(-1) as string] = value;
  }
  return tree;
}

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

const dialects: readonly (readonly [string, Dialect, (query: URLSearchParams) => Tree])[] = [
  ['JSON', plain({ filter: jsonFilter(FORMS) }), (query) => JSON.parse(query.get('filter') ?? '{}')],
  [
    'brackets',
    plain({ filterParam: 'filters', filter: bracketFilter(FORMS) }),
    (query) => parseBrackets(query, 'filters'),
  ],
  [
    'brackets without a prefix',
    plain({ filterParam: '', filter: bracketFilter(FORMS) }),
    (query) => parseBrackets(query, ''),
  ],
];

describe.each(definitions)('a filter for %s', (_, filter, ids) => {
  const idsOf = (store: Store<Person>) => store.getRange().map(({ id }) => id);

  test('keeps the same records locally', () => {
    const data = ROWS.map(({ town, ...values }) => ({ ...values, city: town }));
    expect(idsOf(new Store({ model: Person, data, pageSize: 0, filters: [filter] }))).toEqual(ids);
  });

  test.each(dialects)('keeps the same records as %s', async (_form, dialect, read) => {
    server.always(({ url }) => {
      const tree = read(new URL(url, 'http://h.test').searchParams);
      return { json: ROWS.filter((row) => holds(tree, row)) };
    });
    const proxy = { type: 'rest', url: '/people', baseUrl: server.url, dialect } as const;
    const people = new Store({ model: Person, proxy, remoteFilter: true, filters: [filter] });
    await people.load();
    expect(idsOf(people)).toEqual(ids);
  });
});

describe('a filter as an object', () => {
  const urlOf = async (dialect: Dialect, ...filters: FilterConfig<Person>[]) => {
    const proxy = { type: 'rest', url: '/people', baseUrl: server.url, dialect } as const;
    server.reply({ json: [] });
    await new Store({ model: Person, proxy, remoteFilter: true, pageSize: 0, filters }).load();
    return decodeURIComponent(server.last.url);
  };

  test('has one object for a field with `merge`, and the list of `and` for what would be lost', async () => {
    const merged = plain({ filterParam: 'q', filter: jsonFilter({ ...FORMS, merge: true }) });
    expect(await urlOf(merged, age.ge(18), age.lt(40))).toBe('/people?q={"age":{"$gte":18,"$lt":40}}');
    expect(await urlOf(merged, or(and(age.ge(18), age.lt(40)), name.eq('Ada')))).toBe(
      '/people?q={"$or":[{"age":{"$gte":18,"$lt":40}},{"name":{"$eq":"Ada"}}]}',
    );
    expect(await urlOf(merged, age.ne(1), age.ne(2))).toBe('/people?q={"$and":[{"age":{"$ne":1}},{"age":{"$ne":2}}]}');
  });

  test('is refused if it exceeds the limits of the server', async () => {
    const limited = plain({ filterParam: 'q', filter: bracketFilter(FORMS, { depth: 2, listLength: 2 }) });
    expect(await urlOf(limited, age.ge(18))).toBe('/people?q[age][$gte]=18');
    const long = urlOf(limited, name.in(['a', 'b', 'c']));
    await expect(long).rejects.toThrow(UnsupportedQueryError);
    await expect(long).rejects.toThrow(/a list of 3 items as 'q\[name\]\[\$in\]': the server reads lists of 2 items/);
    await expect(urlOf(limited, name.in(['a', 'b']))).rejects.toThrow(/names with 2 brackets/);
    expect(server.requests).toHaveLength(1);
    expect(() => bracketFilter(FORMS, { depth: 0 })).toThrow(
      /bracketFilter.limits.depth must be a whole number from 1/,
    );
  });

  test.each<[string, Dialect, FilterConfig<Person>[], string]>([
    [
      'LoopBack',
      plain({ filterParam: 'where', filter: jsonFilter({ eq: '', ge: 'gte', or: 'or' }) }),
      [or(age.ge(18), city.eq(null))],
      '/people?where={"or":[{"age":{"gte":18}},{"town":null}]}',
    ],
    [
      'NestJS CRUD',
      plain({ filterParam: 's', filter: jsonFilter(FORMS) }),
      [age.ge(18), age.lt(40)],
      '/people?s={"$and":[{"age":{"$gte":18}},{"age":{"$lt":40}}]}',
    ],
    [
      'Directus',
      plain({ filter: jsonFilter({ eq: '_eq', in: '_in', or: '_or' }) }),
      [or(name.eq('Ada'), city.in(['Rome']))],
      '/people?filter={"_or":[{"name":{"_eq":"Ada"}},{"town":{"_in":["Rome"]}}]}',
    ],
    [
      'Strapi',
      plain({ filterParam: 'filters', filter: bracketFilter(FORMS) }),
      [or(age.ge(18), city.in(['Rome', 'Oslo']))],
      '/people?filters[$or][0][age][$gte]=18&filters[$or][1][town][$in][0]=Rome&filters[$or][1][town][$in][1]=Oslo',
    ],
    [
      'Strapi, with members of a relation',
      plain({
        filterParam: 'f',
        filter: bracketFilter({
          eq: '$eq',
          ne: '$ne',
          isNull: '$null',
          notNull: '$notNull',
          and: '$and',
          nested: true,
        }),
        names: { name: 'author.name', city: 'author.town' },
      }),
      [name.eq('Ada'), city.isNull(false), age.isNull()],
      '/people?f[$and][0][author][name][$eq]=Ada&f[$and][1][author][town][$notNull]=true&f[$and][2][age][$null]=true',
    ],
    [
      'react-admin simple-rest',
      plain({ filter: jsonFilter({ eq: '' }) }),
      [name.eq('Ada'), age.eq(36)],
      '/people?filter={"name":"Ada","age":36}',
    ],
    [
      'two conditions on one field without `and`',
      plain({ filter: jsonFilter({ ge: 'gte', lt: 'lt' }) }),
      [age.ge(18), age.lt(65)],
      '/people?filter={"age":{"gte":18,"lt":65}}',
    ],
  ])('has the form of %s', async (_, dialect, filters, url) => {
    expect(await urlOf(dialect, ...filters)).toBe(url);
  });

  test.each<[string, Dialect, FilterConfig<Person>, RegExp]>([
    ['an operator without a name', plain({ filter: jsonFilter({ eq: '' }) }), age.ge(1), /operator 'ge': use `eq`/],
    ['a tree without a name', plain({ filter: jsonFilter({ eq: '', or: 'or' }) }), not(age.eq(1)), /`not`: use or/],
    ['an inner tree without a name', plain({ filter: jsonFilter({ eq: '', or: 'or' }) }), or(and(age.eq(1))), /`and`/],
    [
      'two conditions on one field without `and`',
      plain({ filter: jsonFilter({ eq: '' }) }),
      and(age.eq(1), age.eq(2)),
      /two conditions on 'age'/,
    ],
    [
      'one operator twice on one field without `and`',
      plain({ filter: jsonFilter({ ne: 'ne' }) }),
      and(age.ne(1), age.ne(2)),
      /two conditions on 'age'/,
    ],
    [
      'a value that is not null without `ne`',
      plain({ filter: jsonFilter({ eq: '' }) }),
      city.isNull(false),
      /operator 'ne'/,
    ],
    [
      'null in brackets',
      plain({ filter: bracketFilter({ eq: '$eq' }) }),
      city.eq(null),
      /null as 'filter\[town\]\[\$eq\]'/,
    ],
    ['an empty list in brackets', plain({ filter: bracketFilter(FORMS) }), name.eq([] as never), /empty list/],
    [
      'an `or` in forms',
      plain({ filter: filterTemplates({ eq: '{name}' }) }),
      or(age.eq(1), age.eq(2)),
      /tree of filters with `or`/,
    ],
    [
      'JSON without a parameter',
      plain({ filterParam: '', filter: jsonFilter({ eq: '' }) }),
      age.eq(1),
      /set `filterParam`/,
    ],
  ])('refuses %s before anything is sent', async (_, dialect, filter, why) => {
    const load = urlOf(dialect, filter);
    await expect(load).rejects.toThrow(UnsupportedQueryError);
    await expect(load).rejects.toThrow(why);
    expect(server.requests).toHaveLength(0);
  });

  test('refuses a field of brackets without a prefix that is named like a parameter of the query', async () => {
    const dialect = plain({ filterParam: '', filter: bracketFilter({ eq: '', ge: '$gte' }) });
    const proxy = new RestProxy({ url: '/leaves', baseUrl: 'http://h.test', dialect });
    const urlOf = (filter: object) =>
      decodeURIComponent(proxy.buildRequest(new Operation({ action: 'read', page: 1, filters: [filter] })).url ?? '');
    expect(urlOf({ property: 'page', operator: 'ge', value: 2 })).toBe('/leaves?page=1&page[$gte]=2');
    expect(() => urlOf({ property: 'page', value: 2 })).toThrow(/two parameters named 'page'/);
  });

  test('sends names such as `__proto__` as data', () => {
    const dialect = plain({ filter: jsonFilter({ eq: '$eq' }) });
    const proxy = new RestProxy({ url: '/odd', baseUrl: 'http://h.test', dialect });
    const filters = [{ property: '__proto__', value: 1 }];
    const { url = '' } = proxy.buildRequest(new Operation({ action: 'read', filters }));
    expect(decodeURIComponent(url)).toBe('/odd?filter={"__proto__":{"$eq":1}}');
  });
});

describe('where()', () => {
  test('makes plain data', () => {
    expect(and(age.ge(18), or(city.isNull(), not(name.like('x'))))).toEqual({
      and: [
        { property: 'age', operator: 'ge', value: 18 },
        {
          or: [
            { property: 'city', operator: 'isNull', value: true },
            { not: { property: 'name', operator: 'like', value: 'x' } },
          ],
        },
      ],
    });
  });

  test('refuses names that are no fields, with the name that was meant', () => {
    expect(() => (where(Person) as never as Record<string, unknown>)['nmae']).toThrow(/no field 'nmae'.*'name'/);
  });

  test.each([undefined, {}, 'person', () => 1])('refuses %o, which is no model', (model) => {
    expect(() => where(model as never)).toThrow(/must be a model, such as `User`/);
  });
});
