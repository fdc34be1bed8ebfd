import fc from 'fast-check';
import { type Dialect, type Filter, filterTemplates, Model, plain, Store, UnsupportedQueryError } from 'repose';
import * as entry from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import type { RestServer } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** Whether a condition for a text holds the text where a server that reads the grammar of the dialect finds it. */
type Finds = (query: URLSearchParams, text: string) => boolean;

const asValue: Finds = (query, text) => [...query.values()].includes(text);
const behindSign: Finds = (query, text) => [...query.values()].some((value) => value.endsWith(text));
const inJson: Finds = (query, text) => [...query.values()].some((value) => holds(parsed(value), text));
const inQuotes =
  (protect: (text: string) => string): Finds =>
  (query, text) =>
    [...query.values()].some((value) => value.includes(`'${protect(text)}'`));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function holds(data: unknown, text: string): boolean {
  return (
    data === text ||
    (typeof data === 'object' && data !== null && Object.values(data).some((each) => holds(each, text)))
  );
}

const odataQuotes = inQuotes((text) => text.replaceAll("'", "''"));
const lookups: readonly entry.DjangoLookup[] = [
  'gte',
  'lte',
  'gt',
  'lt',
  'in',
  'range',
  'isnull',
  'contains',
  'icontains',
];

/** Each dialect, with the options that let it express most. */
const dialects: Readonly<Record<string, readonly (readonly [dialect: Dialect, finds: Finds])[]>> = {
  plain: [
    [plain(), asValue],
    [
      plain({
        page: 'offset={start}&limit={limit}',
        filter: filterTemplates({
          eq: '{name}=eq:{value}',
          ge: '{name}=ge:{value}',
          le: '{name}=le:{value}',
          in: '{name}=in:{values}',
          isNull: '{name}=is:null',
          repeat: true,
        }),
      }),
      behindSign,
    ],
  ],
  directus: [[entry.directus(), inJson]],
  django: [
    [entry.django({ paging: 'limitOffset', lookups }), asValue],
    [entry.django({ paging: 'pageNumber', pageSizeParam: 'page_size' }), asValue],
  ],
  ext6: [[entry.ext6(), inJson]],
  feathers: [[entry.feathers(), asValue]],
  jsonApi: [[entry.jsonApi(), asValue]],
  jsonServer: [
    [entry.jsonServer({ version: '0.17' }), asValue],
    [entry.jsonServer({ version: '1.0.0-beta.3' }), asValue],
    [entry.jsonServer({ version: '1' }), inJson],
  ],
  laravel: [
    [entry.laravel(), asValue],
    [entry.laravel({ paging: 'json-api', filters: { name: 'dynamic', age: 'dynamic', order: 'partial' } }), behindSign],
  ],
  linkHeader: [[entry.linkHeader(), asValue]],
  odata4: [
    [entry.odata4(), odataQuotes],
    [entry.odata4({ keys: 'segments', lists: 'in' }), odataQuotes],
  ],
  pocketbase: [[entry.pocketbase(), inQuotes((text) => text.replaceAll("'", "\\'"))]],
  postgrest: [[entry.postgrest(), behindSign]],
  rails: [[entry.rails({ ransack: true, paging: 'api-pagination' }), asValue]],
  redmine: [[entry.redmine({ record: 'person' }), asValue]],
  springData: [[entry.springData({ querydsl: true }), asValue]],
  strapi: [
    [entry.strapi({ version: 4 }), asValue],
    [entry.strapi({ version: 5, paging: 'page' }), asValue],
  ],
  supabase: [[entry.supabase({ url: 'http://rest.test', key: 'key' }), behindSign]],
};

const cases = Object.entries(dialects).flatMap(([name, list]) =>
  list.map(([dialect, finds], index) => ({ name: index === 0 ? name : `${name} (${index + 1})`, dialect, finds })),
);

function personOf(dialect: Dialect) {
  return class Person extends Model.define({
    fields: {
      id: 'string',
      name: 'string',
      order: 'string',
      age: { type: 'int', allowNull: true },
      open: 'boolean',
      city: { type: 'string', mapping: 'address.city' },
    },
    proxy: server.proxy('/api/people', { dialect }),
  }) {};
}

/** The only request that a call sends; undefined if the call was refused before. Every response is a failure, which ends the call. */
async function sentBy(call: () => Promise<unknown>): Promise<RestServer['last'] | undefined> {
  server.reset();
  server.always(() => ({ status: 500 }));
  const error = await call().then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (server.requests.length === 1) return server.last;
  expect(server.requests).toEqual([]);
  expect(error).toBeInstanceOf(Error);
  return undefined;
}

interface Query {
  readonly filters: readonly Filter[];
  readonly sorters: readonly { readonly property: string; readonly direction: 'ASC' | 'DESC' }[];
  readonly page: number;
}

/** The address that a load asks for; undefined if the query is refused, which only `UnsupportedQueryError` may do. */
async function addressOf(Person: ReturnType<typeof personOf>, { filters, sorters, page }: Query) {
  const people = new Store({
    model: Person,
    pageSize: page === 0 ? 0 : 10,
    remoteFilter: true,
    remoteSort: true,
    filters: filters as never,
    sorters: sorters as never,
  });
  const sent = await sentBy(() =>
    (page > 0 ? people.load({ page }) : people.load()).catch((cause: unknown) => {
      if (server.requests.length === 0) expect(cause).toBeInstanceOf(UnsupportedQueryError);
      throw cause;
    }),
  );
  return sent?.url;
}

const special = fc.constantFrom(
  ...('aB1,.:;()[]{}"\'\\%_* &=+#?/|!~^$<>@ü\u{1F600}\n'.match(/./gsu) ?? []),
  'null',
  'true',
  'not.',
  'or(',
  ' or ',
  '$NOW',
);
const text = fc.array(special, { maxLength: 5 }).map((parts) => parts.join(''));
const number = fc.integer({ min: -3, max: 30 });

/** A condition, and the same with another value. */
const condition: fc.Arbitrary<readonly [Filter, Filter]> = fc.oneof(
  pairOf(
    fc.constantFrom('name', 'order', 'city'),
    ['eq', 'ne', 'contains', 'startsWith', 'endsWith', 'like'],
    text,
    (value) => `${value}x`,
  ),
  pairOf(fc.constantFrom('age'), ['eq', 'ne', 'lt', 'le', 'gt', 'ge'], number, (value) => value + 1),
  pairOf(fc.constantFrom('open'), ['eq', 'ne'], fc.boolean(), (value) => !value),
  pairOf(fc.constantFrom('age'), ['isNull'], fc.boolean(), (value) => !value),
  pairOf(fc.constantFrom('name', 'city'), ['in', 'nin'], fc.array(text, { minLength: 1, maxLength: 3 }), (value) => [
    ...value,
    'x',
  ]),
  pairOf(fc.constantFrom('age'), ['in', 'nin'], fc.array(number, { minLength: 1, maxLength: 3 }), (value) => [
    ...value,
    99,
  ]),
  pairOf(fc.constantFrom('age'), ['between'], fc.array(number, { maxLength: 3 }), ([from = 0, ...more]) => [
    from + 1,
    ...more,
  ]),
  pairOf(fc.constantFrom('age', 'name'), ['eq', 'ne'], fc.constant(null), () => 7),
);

function pairOf<T>(
  properties: fc.Arbitrary<string>,
  operators: readonly string[],
  values: fc.Arbitrary<T>,
  other: (value: T) => unknown,
): fc.Arbitrary<readonly [Filter, Filter]> {
  return fc
    .tuple(properties, fc.constantFrom(...operators), values)
    .map(([property, operator, value]) => [
      { property, operator, value } as Filter,
      { property, operator, value: other(value) } as Filter,
    ]);
}

/** A condition inside of a tree. */
const tree = fc
  .tuple(fc.constantFrom('and', 'or', 'not', 'none'), condition, condition)
  .map(([form, [given, changed], [beside]]): readonly [Filter, Filter] => {
    if (form === 'none') return [given, changed];
    const wrap = (each: Filter) => (form === 'not' ? { not: each } : { [form]: [beside, each] }) as Filter;
    return [wrap(given), wrap(changed)];
  });
const sorters = fc.uniqueArray(
  fc.record({
    property: fc.constantFrom('name', 'age', 'city'),
    direction: fc.constantFrom('ASC' as const, 'DESC' as const),
  }),
  { selector: ({ property }) => property, maxLength: 2 },
);

test('every dialect of the entry has its cases here', () => {
  const exported = Object.keys(entry);
  expect(Object.keys(dialects).filter((name) => name !== 'plain')).toEqual(exported.sort());
});

/** Conditions of which servers ignore a part, or read it as something else. */
const wrong: readonly (readonly [dialects: readonly Dialect[], filter: Filter])[] = [
  [
    cases.map(({ dialect }) => dialect).filter(({ name }) => name !== 'ext6'),
    { property: 'age', operator: 'between', value: [1] },
  ],
  [
    cases.map(({ dialect }) => dialect).filter(({ name }) => name !== 'ext6'),
    { property: 'age', operator: 'between', value: [1, 2, 3] },
  ],
  [[entry.laravel()], { property: 'name', value: ' Ada' }],
  [[entry.springData({ querydsl: true })], { property: 'name', value: '' }],
  [[entry.springData({ querydsl: true })], { property: 'name', operator: 'in', value: [' '] }],
];

test.each(wrong)('a condition that a server would ignore or misread is refused (%#)', async (refusing, filter) => {
  for (const dialect of refusing) {
    const sent = await addressOf(personOf(dialect), { filters: [filter], sorters: [], page: 0 });
    expect(sent, dialect.name).toBeUndefined();
  }
});

test.each([
  ['filter', entry.directus()],
  ['_where', entry.jsonServer({ version: '1' })],
  ['$filter', entry.odata4()],
  ['filter', entry.pocketbase()],
  ['name', entry.postgrest()],
])('a parameter %s of the call does not replace the filters of the store', async (name, dialect) => {
  const filters = [{ property: 'name', value: 'Ada' }];
  const people = new Store({ model: personOf(dialect), remoteFilter: true, pageSize: 0, filters: filters as never });
  await expect(people.load({ params: { [name]: 'x' } })).rejects.toThrow(`two parameters named '${name}'`);
  expect(server.requests).toEqual([]);
});

test('Feathers, which takes a write of the collection for one of all records, gets none without an id', async () => {
  const proxy = server.proxy('/api/people', { dialect: entry.feathers(), appendId: false });
  const Person = personOf(entry.feathers()).with({ proxy });
  await expect(Person.fromRow({ id: '7', name: 'Ada' }).erase()).rejects.toThrow('destroy without the id');
  const changed = Person.fromRow({ id: '7', name: 'Ada' });
  changed.name = 'Eve';
  await expect(changed.save()).rejects.toThrow('update without the id');
  expect(server.requests).toEqual([]);
});

describe.each(cases)('$name', ({ dialect, finds }) => {
  const Person = personOf(dialect);

  test('drops no condition, sorter or page of a query silently', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tree, { minLength: 1, maxLength: 3 }),
        sorters,
        fc.integer({ min: 0, max: 3 }),
        async (pairs, order, page) => {
          const filters = pairs.map(([given]) => given);
          const query: Query = { filters, sorters: order, page };
          const address = await addressOf(Person, query);
          if (address === undefined) return;
          const others: Query[] = [
            ...pairs.flatMap(([, changed], index) => [
              { ...query, filters: filters.with(index, changed) },
              { ...query, filters: filters.toSpliced(index, 1) },
            ]),
            ...order.map((_, index) => ({ ...query, sorters: order.toSpliced(index, 1) })),
            { ...query, page: page + 1 },
          ];
          for (const other of others) expect(await addressOf(Person, other), JSON.stringify(other)).not.toBe(address);
        },
      ),
      { numRuns: 120 },
    );
  });

  test('sends a text so that the server finds it again', { timeout: 60_000 }, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const query: Query = { filters: [{ property: 'name', value }] as never, sorters: [], page: 0 };
        const address = await addressOf(Person, query);
        if (address === undefined) return;
        const { searchParams } = new URL(address, 'http://host');
        expect(finds(searchParams, value), address).toBe(true);
        found += 1;
      }),
      { numRuns: 80, examples: [['Ada'], ["O'Neil"], ['a&b=c#d?e+f%20'], ['ü 😀'], ['a\\'], ["\\'"]] },
    );
    expect(found).toBeGreaterThan(0);
  });

  test('never reaches the collection, nor another record, to update or erase one', { timeout: 60_000 }, async () => {
    const id = fc.oneof(
      text,
      fc.constantFrom('.', '..', '../people', 'a/b?c#d', "')", "1') or ('1", '7', 'gt.0', '"', '%2e%2e'),
    );
    const addressesOf = async (each: string) => {
      const person = () => Person.fromRow({ id: each, name: 'Ada', documentId: each });
      const erase = await sentBy(() => person().erase());
      const update = await sentBy(() => {
        const changed = person();
        changed.name = 'Eve';
        return changed.save();
      });
      expect(update?.url).toBe(erase?.url);
      return erase;
    };
    await fc.assert(
      fc.asyncProperty(id, id, async (one, two) => {
        const sent = await addressesOf(one);
        if (!sent) return;
        if (dialect.idInQuery) expect([sent.path, sent.query.get('id')]).toEqual(['/api/people', `eq.${one}`]);
        else expect(sent.path).toMatch(/^\/api\/people(\/[^/]|\(.)[^/]*\/?$/);
        if (one !== two) expect((await addressesOf(two))?.url).not.toBe(sent.url);
      }),
      { numRuns: 100 },
    );
  });
});
