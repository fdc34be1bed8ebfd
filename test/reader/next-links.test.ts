import { type Dialect, isDataError, Model, plain, Store } from 'repose';
import { django, jsonApi, laravel, odata4, springData } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

/** Loads the first page of a list, whose response names a next page, and then the next one. */
async function failureOf(dialect: Dialect, body: object): Promise<unknown> {
  class Item extends Model.define({
    name: 'item',
    fields: { id: 'string', title: 'string' },
    proxy: server.proxy('/items', { dialect }),
  }) {}
  const store = new Store({ model: Item, pageSize: 1 });
  server.reply({ json: body }, { json: [] });
  return (async () => {
    await store.load();
    await store.loadMore();
  })().then(
    () => undefined,
    (error: unknown) => error,
  );
}

const row = { id: '1', title: 'a' };
const families: readonly (readonly [string, Dialect, (next: unknown) => object])[] = [
  ['plain()', plain({ reader: { rootProperty: 'rows', nextProperty: 'next' } }), (next) => ({ rows: [row], next })],
  [
    'plain() with tokens',
    plain({ tokenParam: 'token', reader: { rootProperty: 'rows', nextProperty: 'next' } }),
    (next) => ({ rows: [row], next: typeof next === 'number' ? [next] : next }),
  ],
  ['odata4()', odata4(), (next) => ({ value: [row], '@odata.nextLink': next })],
  ['odata4() of version 4.01', odata4(), (next) => ({ value: [row], '@nextLink': next })],
  ['django() with cursors', django({ paging: 'cursor' }), (next) => ({ results: [row], next })],
  [
    'jsonApi()',
    jsonApi(),
    (next) => ({ data: [{ type: 'items', id: '1', attributes: { title: 'a' } }], links: { next } }),
  ],
  ['springData()', springData(), (next) => ({ _embedded: { items: [row] }, _links: { next: { href: next } } })],
  [
    'laravel() with cursors',
    laravel({ paging: 'cursor' }),
    (next) => ({ data: [row], next_cursor: typeof next === 'number' ? [next] : next }),
  ],
];
const wrong: readonly unknown[] = [
  5,
  true,
  ['/items?page=2'],
  { url: '/items?page=2' },
  { toString: 1 },
  { href: { a: 1 } },
];

describe.each(families)('%s', (_, dialect, answer) => {
  test.each(wrong)('tells a next page that is no text: %j', async (next) => {
    const error = await failureOf(dialect, answer(next));
    // Links of HAL that are no text have always been read as none.
    if (dialect.name !== 'springData' || error) {
      expect(isDataError(error) && error.code).toBe('read');
      expect((error as Error).message).toMatch(
        /the next page at .* is .*, where the text of an address or token was expected/,
      );
    }
    expect(server.requests.length).toBe(1);
  });

  test.each([null, '', undefined])('takes %j as no next page', async (next) => {
    expect(await failureOf(dialect, answer(next))).toBeUndefined();
    // Without a total, some dialects ask for the page behind a full one.
    expect(server.requests.every(({ path }) => /^\/items\/?$/.test(path))).toBe(true);
  });
});

test('the remedy names the member of an object that holds the address', async () => {
  const dialect = plain({ reader: { rootProperty: 'rows', nextProperty: 'next' } });
  const error = await failureOf(dialect, { rows: [row], next: { href: '/items?page=2' } });
  expect((error as Error).message).toContain("the next page at 'next' is an object");
  expect((error as Error).message).toContain('such as its member `href`');
});

test.each(['//', 'http://['])('a next page of Django that is no address is told: %s', async (next) => {
  const error = await failureOf(django({ paging: 'cursor' }), { results: [row], next });
  expect(isDataError(error) && error.code).toBe('read');
  expect(server.requests.length).toBe(1);
});

test('a token may be a number', async () => {
  const dialect = plain({ tokenParam: 'token', pageParam: '', reader: { rootProperty: 'rows', nextProperty: 'next' } });
  await failureOf(dialect, { rows: [row], next: 7 });
  expect(server.requests.map(({ query }) => query.get('token'))).toEqual([null, '7']);
});
