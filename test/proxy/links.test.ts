import {
  AddressError,
  auth,
  type Extension,
  etags,
  explain,
  Model,
  Operation,
  plain,
  RestProxy,
  type RestProxyConfig,
  retry,
  Store,
  telemetry,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { shown } from '../store/support.js';

const server = useRestServer();

class User extends Model.define({ name: 'user', fields: { id: 'int' } }) {}

const reader = { rootProperty: 'results', nextProperty: 'next' };
const HOST = 'http://rest.test';
/** A store whose `fetch` sends every origin's requests to the test server and records their addresses. */
function storeOf(config: RestProxyConfig = {}): { store: Store<User>; asked: string[]; inits: RequestInit[] } {
  const asked: string[] = [];
  const inits: RequestInit[] = [];
  const fetch: typeof globalThis.fetch = (input, init = {}) => {
    asked.push(String(input));
    inits.push(init);
    return globalThis.fetch(String(input).replace(/^https?:\/\/[^/]+/, server.url), init);
  };
  const proxy = { type: 'rest' as const, url: '/users', baseUrl: HOST, noCache: false, reader, fetch, ...config };
  return { store: new Store({ model: User, pageSize: 2, proxy }), asked, inits };
}
const answer = (ids: number[], next?: unknown, headers?: Record<string, string>): Reply => ({
  json: { results: ids.map((id) => ({ id })), ...(next !== undefined && { next }) },
  ...(headers && { headers }),
});

describe('H17: a link in the body', () => {
  test('is followed unchanged on the proxy’s own origin', async () => {
    const { store, asked } = storeOf({ extraParams: { v: 1 }, noCache: true });
    server.reply(answer([1, 2], `${HOST}/users?cursor=a%2Fb&limit=2`), answer([3], null));
    await store.load();
    expect(store.hasMore).toBe(true);
    await store.loadMore();
    expect(asked[1]).toBe(`${HOST}/users?cursor=a%2Fb&limit=2`);
    expect([shown(store), store.hasMore, store.total]).toEqual([[1, 2, 3], false, 3]);
  });

  test.each([
    ['?page=2', '/users.json?page=2'],
    ['/users.json?page=2', '/users.json?page=2'],
    ['/other/7?page=2', '/other/7?page=2'],
    ['//rest.test/users?page=2', '/users?page=2'],
  ])('may be relative to the address of the request: %s', async (next, url) => {
    const { store, asked } = storeOf({ format: 'json' });
    server.reply(answer([1], next), answer([2], null));
    await store.load();
    await store.loadMore();
    expect(asked[1]).toBe(HOST + url);
  });

  test.each([
    'https://rest.test/users/?page=2',
    'http://rest.test:8000/users/?page=2',
    'http://internal/api/users?page=2',
    'http://admin:pw@rest.test/users?page=2',
    'http://evil.test/users?page=2#x',
  ])("to another origin adds only its query to the proxy's own address: %s", async (next) => {
    const { store, asked } = storeOf({ trailingSlash: true, headers: { Authorization: 'secret' } });
    server.reply(answer([1], next), answer([2], null));
    await store.load();
    await store.loadMore();
    expect(asked[1]).toBe(`${HOST}/users/?page=2`);
    expect(server.last.headers.authorization).toBe('secret');
  });

  test.each([
    'http://evil.test/users',
    'javascript:alert(1)',
    'javascript:alert(1)?a=b',
    'data:application/json,[]?x',
    'file:///etc/passwd?x',
    'http://[',
  ])('that cannot be followed rejects with an AddressError, and nothing is sent or changed: %s', async (next) => {
    const { store, asked } = storeOf();
    server.reply(answer([1], next));
    await store.load();
    await expect(store.loadMore()).rejects.toBeInstanceOf(AddressError);
    expect([asked.length, shown(store), store.hasMore, store.status.get().error?.code]).toEqual([
      1,
      [1],
      true,
      'address',
    ]);
  });

  test('to an origin in `trustLinks` is followed, without the proxy’s headers and cookies', async () => {
    const config = { trustLinks: ['https://pages.test', HOST], withCredentials: true };
    const { store, asked, inits } = storeOf({ ...config, headers: { Authorization: 'secret' } });
    server.reply(answer([1], 'https://pages.test/a?page=2'), answer([2], `${HOST}/users?page=3`), answer([3], null));
    await store.load({ headers: { 'X-Call': 'yes' } });
    await store.loadMore();
    expect(asked[1]).toBe('https://pages.test/a?page=2');
    expect([server.last.headers.authorization, server.last.headers['x-call']]).toEqual([undefined, undefined]);
    await store.loadMore();
    expect([server.last.headers.authorization, server.last.headers['x-call']]).toEqual(['secret', 'yes']);
    expect(inits.map((init) => init.credentials)).toEqual(['include', 'omit', 'include']);
    expect(shown(store)).toEqual([1, 2, 3]);
  });

  test('to an origin in `trustLinks` gets no header but `Accept`, whoever has set it', async () => {
    let token = 'old';
    const renew = () => {
      token = 'secret';
    };
    const signed: Extension = {
      name: 'signed',
      layer: LAYERS.telemetry + 1,
      prepare(request) {
        request.headers = { ...request.headers, 'X-Prepared': 'secret' };
      },
      send(request, next) {
        request.onHeaders.push((headers) => headers.set('X-Signature', 'secret'));
        request.onHeaders.push((headers) => headers.set('Authorization', `again ${token}`));
        return next(request);
      },
    };
    const dialect = { ...plain(), headers: () => ({ 'X-Dialect': 'secret' }) };
    const { store, inits } = storeOf({
      trustLinks: ['https://pages.test'],
      useDefaultXhrHeader: true,
      dialect,
      headers: () => ({ Authorization: token, Cookie: 'session=secret' }),
      use: [auth({ renew }), retry({ random: () => 0 }), etags(), signed, telemetry({ operation: () => undefined })],
    });
    const link = 'https://pages.test/a?page=2';
    server.reply({ status: 401 }, answer([1], link, { ETag: '"1"' }), { status: 503 }, answer([2], link), answer([3]));
    const first = new Headers();
    await store.load({ headers: { 'X-Call': 'secret' } });
    for (const [name, value] of new Headers(inits[1]?.headers)) first.set(name, value);
    expect([...first.keys()]).toEqual([
      'accept',
      'authorization',
      'cookie',
      'x-call',
      'x-dialect',
      'x-prepared',
      'x-requested-with',
      'x-signature',
    ]);
    await store.loadMore({ headers: { 'X-More': 'secret' } });
    await store.loadMore();
    const elsewhere = inits.slice(2);
    expect(elsewhere).toHaveLength(3);
    for (const { headers, credentials } of elsewhere)
      expect([[...new Headers(headers)], credentials]).toEqual([[['accept', 'application/json']], 'omit']);
    const { headers } = await explain(store.proxy, { action: 'read', link, headers: { 'X-Call': 'secret' } });
    expect(JSON.stringify(headers)).not.toContain('secret');
  });

  test('to an origin in `trustLinks` stays without credentials where that origin redirects', async () => {
    const { store, inits } = storeOf({ trustLinks: ['https://pages.test'], withCredentials: true });
    server.reply(
      answer([1], 'https://pages.test/a?page=2'),
      { status: 302, headers: { Location: 'https://pages.test/b?page=2' } },
      answer([2]),
    );
    await store.load({ headers: { Authorization: 'secret' } });
    await store.loadMore();
    for (const { headers, credentials } of inits.slice(1))
      expect([[...new Headers(headers).keys()], credentials]).toEqual([['accept'], 'omit']);
    expect(inits).toHaveLength(3);
  });

  test('with a name and a password is never followed, because no `fetch` accepts it', async () => {
    const { store, asked } = storeOf({ trustLinks: ['https://pages.test', HOST] });
    const links = ['https://u:p@pages.test/users?page=2', 'http://u@rest.test/users?page=3'];
    server.reply(answer([1], links[0]), answer([2], links[1]), answer([3], null));
    await store.load();
    while (store.hasMore) await store.loadMore();
    expect(asked.slice(1)).toEqual([`${HOST}/users?page=2`, `${HOST}/users?page=3`]);
  });

  test("keeps the values of the collection's template", async () => {
    const { store, asked } = storeOf({ url: '/teams/{team}/users' });
    server.reply(answer([1], '?page=2'), answer([2], null));
    await store.load({ pathParams: { team: 5 } });
    await store.loadMore();
    expect(asked[1]).toBe(`${HOST}/teams/5/users?page=2`);
  });

  test('is shown by explain()', async () => {
    const proxy = new RestProxy({ url: '/users', baseUrl: HOST });
    const link = `${HOST}/users?page=2`;
    const { parts, request } = await explain(proxy, { action: 'read', link });
    expect([parts, request?.url]).toEqual([[{ text: link, rule: 'H17', option: 'link' }], link]);
    const { refused } = await explain(proxy, { action: 'read', link: 'http://evil.test/' });
    expect(refused).toMatchObject({ code: 'address', message: expect.stringContaining('http://evil.test/') });
  });

  test('is not used by other calls', () => {
    const proxy = new RestProxy({ url: '/users', baseUrl: HOST, noCache: false });
    expect(proxy.buildRequest(new Operation({ action: 'read' })).url).toBe('/users');
  });
});

describe('plain(): the header `Link`', () => {
  const first = `<${HOST}/users?page=1>; rel="first"`;
  const next = `<${HOST}/users?a=1,2&page=2>; rel="next"`;

  test.each<[string, string, string | undefined]>([
    ['among others', `${first}, ${next}, <${HOST}/users?page=9>; rel="last"`, '/users?a=1,2&page=2'],
    ['without quotes', '</users?page=2>; rel=next', '/users?page=2'],
    ['with several relations', '<?page=2>; title="a, \\"b\\"; rel=x"; rel="last Next"', '/users?page=2'],
    ['with space', '<?page=2> ; REL = "next" ; type="x"', '/users?page=2'],
    ['with another relation', '<?page=2>; rel="next-archive", <?page=1>; rel="prev"', undefined],
    ['on the last page', `${first}, <${HOST}/users?page=1>; rel="last"`, undefined],
  ])('%s', async (_, link, url) => {
    const { store, asked } = storeOf({ dialect: plain(), reader: { rootProperty: 'results' } });
    server.reply(
      answer([1, 2], undefined, { Link: link, 'X-Total-Count': '9' }),
      answer([3, 4], undefined, { Link: first }),
    );
    await store.load();
    expect(store.hasMore).toBe(url !== undefined);
    await store.loadMore();
    expect(asked.slice(1)).toEqual(url === undefined ? [] : [HOST + url]);
    expect(store.hasMore).toBe(false);
  });

  test('ends paging if a later page has none', async () => {
    const config = { dialect: plain(), reader: {} };
    const { store, asked } = storeOf(config);
    const to = (page: number) => ({ link: `</users?p=${page}>; rel="next"` });
    const rows = (...ids: number[]) => ids.map((id) => ({ id }));
    server.reply(
      { json: rows(1, 2), headers: to(2) },
      { json: rows(3, 4), headers: to(3) },
      { json: rows(5, 6), headers: { 'x-total-count': '99' } },
    );
    for (let i = 0; i < 4; i += 1) await store.loadMore();
    expect(asked).toHaveLength(3);
    expect([shown(store), store.hasMore]).toEqual([[1, 2, 3, 4, 5, 6], false]);
  });

  test('with another relation leaves paging to numbers', async () => {
    const { store, asked } = storeOf({ dialect: plain(), reader: { rootProperty: 'results' } });
    server.reply(answer([1, 2], undefined, { Link: '</schema>; rel="describedby"' }), answer([3]));
    await store.load();
    await store.loadMore();
    expect(asked[1]).toBe(`${HOST}/users?page=2&limit=2`);
  });

  test('yields to a link in the body', async () => {
    const { store } = storeOf({ dialect: plain() });
    server.reply(answer([1, 2], null, { Link: next }));
    await store.load();
    expect(store.hasMore).toBe(false);
  });
});
