import { classic, type Dialect, explain, Model, plain, RestProxy, UnsupportedQueryError } from 'repose';
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
  ['springData', springData()],
  ['strapi', strapi({ version: 5 })],
];
const QUERIES = {
  pageParam: { page: 2, start: 3, limit: 3 },
  startParam: { page: 2, start: 3, limit: 3 },
  limitParam: { page: 2, start: 3, limit: 3 },
  sortParam: sorted,
  searchParam: { search: 'ada' },
};

describe.each(ALL)('%s', (_, dialect) => {
  test.each(Object.entries(QUERIES))('sends the name in `%s`, or refuses it', async (option, query) => {
    const sent = await asked(dialect, { [option]: 'other' }, query);
    expect(sent instanceof UnsupportedQueryError || /(^|&)other=/.test(String(sent))).toBe(true);
  });
});
