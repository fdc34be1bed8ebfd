import {
  bracketFilter,
  classic,
  type Dialect,
  explain,
  jsonFilter,
  Model,
  plain,
  RestProxy,
  UnsupportedQueryError,
} from 'repose';
import {
  directus,
  django,
  ext6,
  feathers,
  jsonApi,
  jsonServer,
  laravel,
  linkHeader,
  odata4,
  pocketbase,
  postgrest,
  rails,
  redmine,
  springData,
  strapi,
} from 'repose/dialects';
import { describe, expect, test } from 'vitest';

/** The query of a read by a proxy with these options, or the error that refuses it. */
async function asked(dialect: Dialect, options: object, query: object = { page: 2, start: 3, limit: 3 }) {
  class User extends Model.define({ name: 'user', fields: { id: 'string', name: 'string' } }) {}
  const proxy = new RestProxy({ baseUrl: 'http://a.test', url: '/users', dialect, ...options });
  const { request, refused } = await explain(proxy, { action: 'read', model: User, ...query } as never);
  return refused ?? decodeURIComponent(request?.url?.split('?')[1] ?? '');
}
const sorted = { sorters: [{ property: 'name', direction: 'ASC' }] };
const refusedBecause = (text: string) =>
  expect.objectContaining({ constructor: UnsupportedQueryError, message: expect.stringContaining(text) });

const TEMPLATES: readonly (readonly [string, Dialect])[] = [
  ['plain', plain({ page: '_page={page}&_limit={limit}' })],
  ['directus', directus()],
  ['feathers', feathers()],
  ['jsonApi', jsonApi()],
  ['jsonServer', jsonServer({ version: '0.17' })],
  ['laravel', laravel({ paging: 'json-api' })],
  ['pocketbase', pocketbase()],
  ['postgrest', postgrest()],
  ['redmine', redmine({ record: 'issue' })],
];

describe.each(TEMPLATES)('%s, which names the parameters of a page by a template', (_, dialect) => {
  test.each(['pageParam', 'startParam', 'limitParam'])('refuses another name in `%s`, also of none', async (option) => {
    const before = await asked(dialect, {});
    expect(before).toEqual(expect.any(String));
    expect(await asked(dialect, { [option]: 'other' })).toEqual(refusedBecause(option));
    const own = dialect.defaults[option as 'pageParam'];
    if (own) {
      expect(await asked(dialect, { [option]: '' })).toEqual(refusedBecause(option));
      expect(await asked(dialect, { [option]: own })).toBe(before);
    } else expect(await asked(dialect, { [option]: null })).toBe(before);
  });

  test('sorts under the name in `sortParam`, or refuses it', async () => {
    const query = await asked(dialect, { sortParam: 'by' }, sorted);
    expect(query).toEqual(
      typeof query === 'string' ? expect.stringMatching(/(^|&)by=/) : refusedBecause('`sortParam` of the proxy'),
    );
  });
});

test('templates for sorters refuse `sortParam`, and sort without it', async () => {
  const dialect = plain({ sort: { asc: '_sort={name}&_order=asc', desc: '_sort={name}&_order=desc' } });
  expect(await asked(dialect, {}, sorted)).toBe('_sort=name&_order=asc');
  expect(await asked(dialect, { sortParam: 'by' }, sorted)).toEqual(refusedBecause('`sortParam` of the proxy'));
});

test('without templates each name has its effect', async () => {
  const names = { pageParam: 'p', startParam: 's', limitParam: 'l', sortParam: 'by' };
  expect(await asked(plain(), names, { page: 2, start: 3, limit: 3, ...sorted })).toBe('p=2&s=3&l=3&by=name');
});

const ALL: readonly (readonly [string, Dialect])[] = [
  ...TEMPLATES,
  ['classic', classic],
  ['plain without templates', plain()],
  ['django', django()],
  ['ext6', ext6()],
  ['jsonServer 1', jsonServer({ version: '1' })],
  ['laravel without a template', laravel()],
  ['laravel with cursors', laravel({ paging: 'cursor' })],
  ['linkHeader', linkHeader()],
  ['odata4', odata4()],
  ['rails', rails()],
  ['rails with Ransack', rails({ ransack: true })],
  ['springData', springData()],
  ['springData with Querydsl', springData({ querydsl: true })],
  ['plain with one object of filters', plain({ filter: jsonFilter({ eq: '' }) })],
  ['plain with brackets', plain({ filter: bracketFilter({ eq: '' }) })],
  ['strapi', strapi({ version: 5 })],
];
const QUERIES = {
  pageParam: { page: 2, start: 3, limit: 3 },
  startParam: { page: 2, start: 3, limit: 3 },
  limitParam: { page: 2, start: 3, limit: 3 },
  sortParam: sorted,
  searchParam: { search: 'ada' },
  filterParam: { filters: [{ property: 'name', value: 'ada' }] },
  groupParam: { grouper: { property: 'name', direction: 'ASC' } },
  directionParam: sorted,
  groupDirectionParam: { grouper: { property: 'name', direction: 'ASC' } },
};

describe.each(ALL)('%s', (_, dialect) => {
  test.each(Object.entries(QUERIES))('sends the name in `%s`, or refuses it', async (option, query) => {
    const sent = await asked(dialect, { [option]: 'other' }, query);
    // The names of directions belong to the simple modes of `classic`.
    const isUnused = option.includes('irection') && dialect.capabilities.localFirst;
    expect(isUnused || sent instanceof UnsupportedQueryError || /(^|&)other[=[]/.test(String(sent))).toBe(true);
  });
});

const filtered = QUERIES.filterParam;

describe.each(ALL.filter(([, { defaults, capabilities }]) => !defaults['filterParam'] && !capabilities.localFirst))(
  '%s, in which each filter may have a parameter of its own',
  (_, dialect) => {
    test('takes the default of `filterParam`, and refuses an empty name or sends nothing under it', async () => {
      const before = await asked(dialect, {}, filtered);
      expect(await asked(dialect, { filterParam: dialect.defaults['filterParam'] ?? 'filter' }, filtered)).toEqual(
        before,
      );
      for (const none of ['', null]) {
        const sent = await asked(dialect, { filterParam: none }, filtered);
        expect(sent instanceof UnsupportedQueryError || sent === 'name=ada').toBe(true);
      }
    });
  },
);

test.each([
  ['plain', plain()],
  ['postgrest', postgrest()],
  ['redmine', redmine({ record: 'issue' })],
  ['odata4', odata4()],
])('%s refuses the modes of `classic`', async (_, dialect) => {
  for (const option of ['simpleSortMode', 'simpleGroupMode']) {
    expect(await asked(dialect, { [option]: true }, sorted)).toEqual(refusedBecause('only `classic` has it'));
    expect(await asked(dialect, { [option]: false }, sorted)).toEqual(expect.any(String));
  }
});

test('a name of filters that has no effect is refused by the first load, also one that `plain()` was given', async () => {
  expect(await asked(plain({ filterParam: 'where' }), {})).toEqual(refusedBecause('`filterParam` of the proxy'));
  expect(await asked(pocketbase(), { filterParam: 'where' }, filtered)).toBe("where=name='ada'");
});
