import { type Dialect, Model, plain, type RestProxyConfig, Store } from 'repose';
import { django, odata4, springData } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { readPage, tableBelow } from './markdown.js';

/** The request of `store.loadPage(2)`, sorted by age and filtered by team. */
async function requestOf(dialect: Dialect | undefined): Promise<string> {
  let sent = '';
  const proxy: RestProxyConfig = {
    url: '/users',
    baseUrl: 'http://server.test',
    clock: { now: () => 1732170000000, after: () => () => {} },
    fetch: async (input, init) => {
      sent = `${init?.method ?? 'GET'} ${decodeURIComponent(String(input).replace('http://server.test', ''))}`;
      throw new TypeError('No response is needed here.');
    },
    ...(dialect && { dialect }),
  };
  class User extends Model.define({
    fields: { id: 'int', age: 'int', team: 'int' },
    proxy: { type: 'rest', ...proxy },
  }) {}
  const store = new Store({
    model: User,
    pageSize: 25,
    remoteSort: true,
    remoteFilter: true,
    sorters: [{ property: 'age', direction: 'DESC' }],
    filters: [{ property: 'team', value: 1 }],
  });
  await store.load({ page: 2 }).catch(() => {});
  return sent.replace(/_dc=\d+/, '_dc=<time>');
}

describe('docs/reference/dialects.md', () => {
  test('shows what one load sends under five dialects', async () => {
    const { text } = readPage('docs/reference/dialects.md');
    const rows = tableBelow(text, 'sorted by age and filtered by team, sends:');
    const dialects: readonly (readonly [string, Dialect | undefined])[] = [
      ['`classic`, the default', undefined],
      ['`plain()`', plain()],
      ['`springData({ querydsl: true })`', springData({ querydsl: true })],
      ["`django({ paging: 'limitOffset' })`", django({ paging: 'limitOffset' })],
      ['`odata4()`', odata4()],
    ];
    const expected = await Promise.all(
      dialects.map(async ([name, dialect]) => [name, `\`${await requestOf(dialect)}\``]),
    );
    expect(rows).toEqual(expected);
  });
});
