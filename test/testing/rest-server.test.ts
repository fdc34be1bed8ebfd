import { AjaxProxy, formBodies, idempotency, isDataError, length, Model, plain, RestProxy, retry, Store } from 'repose';
import { systemClock } from 'repose/extend';
import { faultingFetch, type RestServer, type RestServerOptions, restServer } from 'repose/testing';
import { describe, expect, test, vi } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';

const USERS = [
  { id: 1, name: 'Ada', age: 36, city: 'London', joined: '2026-01-02T00:00:00Z' },
  { id: 2, name: 'Bob', age: 20, city: 'Paris', joined: '2026-01-01T12:00:00+02:00' },
  { id: 3, name: 'Cy', age: 20, city: null, joined: null },
];

const serve = (options: Partial<RestServerOptions> = {}) =>
  restServer({ collections: { '/users': USERS }, ...options });

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the body
  readonly body: any;
  readonly headers: Headers;
}

async function ask(
  server: RestServer,
  line: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = '', url = ''] = line.split(' ');
  const init: RequestInit = { method, headers: { 'Content-Type': 'application/json', ...headers } };
  if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await server.fetch(url, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

const names = async (server: RestServer, query: string) => {
  const { status, body } = await ask(server, `GET /users?${query}`);
  return status === 200 ? body.map((row: { name: string }) => row.name).join(' ') : `${status} ${body.detail}`;
};

describe('restServer', () => {
  describe('one row', () => {
    test('is read by its id, with or without a format or trailing slash', async () => {
      const server = serve();
      for (const url of [
        '/users/2',
        '/users/2.json',
        '/users/2/',
        '/users/2.json/',
        'https://api.example.com/users/2',
      ]) {
        expect(await ask(server, `GET ${url}`)).toMatchObject({ status: 200, body: USERS[1] });
      }
    });

    test('that does not exist is answered 404 with a message', async () => {
      expect(await ask(serve(), 'GET /users/9')).toMatchObject({
        status: 404,
        body: { status: 404, title: 'Not Found', detail: '/users has no row 9' },
      });
    });

    test('is created with 201, its address, its ETag and a new id', async () => {
      const server = serve();
      const { status, body, headers } = await ask(server, 'POST /users', { name: 'Di' });
      expect([status, body, headers.get('location')]).toEqual([201, { id: 4, name: 'Di' }, '/users/4']);
      expect(headers.get('etag')).toMatch(/^"\d+"$/);
      expect(server.rows('/users')).toEqual([...USERS, { id: 4, name: 'Di' }]);
    });

    test('is replaced by PUT and merged by PATCH, to any depth', async () => {
      const server = restServer({
        collections: { '/users': [{ id: 1, name: 'Ada', at: { city: 'London', zip: 'E1' } }] },
      });
      await ask(server, 'PATCH /users/1', { name: null, at: { zip: 'E2' } });
      expect(server.rows('/users')).toEqual([{ id: 1, name: null, at: { city: 'London', zip: 'E2' } }]);
      await ask(server, 'PATCH /users/1', { name: null }, { 'Content-Type': 'application/merge-patch+json' });
      expect(server.rows('/users')).toEqual([{ id: 1, at: { city: 'London', zip: 'E2' } }]);
      const { status, body } = await ask(server, 'PUT /users/1', { name: 'Bob' });
      expect([status, body]).toEqual([200, { id: 1, name: 'Bob' }]);
    });

    test('is removed by DELETE with 204, and answered 404 after that', async () => {
      const server = serve();
      expect((await ask(server, 'DELETE /users/2')).status).toBe(204);
      expect((await ask(server, 'DELETE /users/2')).status).toBe(404);
      expect(server.rows('/users').map(({ id }) => id)).toEqual([1, 3]);
    });

    test('can change to a free id; a taken one is answered 409', async () => {
      const server = serve();
      expect((await ask(server, 'POST /users', { id: 1 })).body).toMatchObject({ status: 409 });
      expect((await ask(server, 'PATCH /users/1', { id: 2 })).status).toBe(409);
      expect((await ask(server, 'PATCH /users/1', { id: 8 })).status).toBe(200);
      expect(server.rows('/users').map(({ id }) => id)).toEqual([8, 2, 3]);
      expect((await ask(server, 'POST /users', {})).body.id).toBe(9);
    });

    test('is found by a parameter or its body if the address has no id', async () => {
      const server = serve();
      await ask(server, 'PATCH /users?id=1', { age: 1 });
      await ask(server, 'PATCH /users', { id: 2, age: 2 });
      await ask(server, 'DELETE /users', { id: 3 });
      expect(server.rows('/users').map(({ id, age }) => [id, age])).toEqual([
        [1, 1],
        [2, 2],
      ]);
      expect((await ask(server, 'DELETE /users')).body).toMatchObject({
        status: 405,
        detail: 'DELETE /users names no row',
      });
      expect(server.rows('/users')).toHaveLength(2);
    });
  });

  describe('ids', () => {
    test.each([
      ['the next number', {}, [{ id: 4 }], 5],
      ['numbers as texts if ids are texts', {}, [{ id: '4' }], '5'],
      [
        'a uuid if ids are other texts',
        {},
        [{ id: 'a' }],
        expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      ],
      ["a uuid with `ids: 'uuid'`", { ids: 'uuid' }, [], expect.stringMatching(/-4...-/)],
      ['the result of a function', { ids: () => 'x' }, [], 'x'],
    ] as const)('%s', async (_, config, rows, id) => {
      const server = restServer({ collections: { '/users': { ...config, rows } } });
      expect((await ask(server, 'POST /users', {})).body).toEqual({ id });
    });

    test('are the same uuids for the same seed', async () => {
      const made = async (seed: number) => {
        const server = restServer({ collections: { '/users': { ids: 'uuid' } }, seed });
        return (await ask(server, 'POST /users', {})).body.id;
      };
      expect(await made(1)).toBe(await made(1));
      expect(await made(1)).not.toBe(await made(2));
    });

    test('are never reused', async () => {
      const server = serve();
      await ask(server, 'DELETE /users/3');
      expect((await ask(server, 'POST /users', {})).body.id).toBe(4);
    });

    test('can be in another member and need encoding', async () => {
      const server = restServer({
        collections: { '/files': { idProperty: 'meta.key', rows: [{ meta: { key: 'a/b?c#d %.json' } }] } },
      });
      expect((await ask(server, `GET /files/${encodeURIComponent('a/b?c#d %.json')}`)).status).toBe(200);
      expect((await ask(server, 'GET /files/%E0%A4%A')).status).toBe(400);
    });
  });

  describe('a list', () => {
    test.each([
      ['', 'Ada Bob Cy'],
      ['_dc=123', 'Ada Bob Cy'],
      ['page=2&start=2&limit=2', 'Cy'],
      ['page=2&limit=2', 'Cy'],
      ['start=1', 'Bob Cy'],
      ['sort=[{"property":"name","direction":"DESC"}]', 'Cy Bob Ada'],
      ['sort=[{"property":"age"},{"property":"name","direction":"DESC"}]', 'Cy Bob Ada'],
      ['sort=age,-name', 'Cy Bob Ada'],
      ['sort=age&sort=name&dir=DESC&dir=DESC', 'Ada Cy Bob'],
      ['group={"property":"age","direction":"ASC"}&sort=name', 'Bob Cy Ada'],
      ['group=name&groupDir=DESC', 'Cy Bob Ada'],
      ['filter=[{"property":"age","value":20}]', 'Bob Cy'],
      ['filter=[{"property":"age","operator":">","value":20}]', 'Ada'],
      ['filter=[{"property":"name","operator":"in","value":["Cy","Ada"]}]', 'Ada Cy'],
      ['filter=[{"property":"name","operator":"like","value":"A"}]', 'Ada'],
      ['filter=[{"property":"city","operator":"isNull"}]', 'Cy'],
      ['filter=[{"or":[{"property":"id","value":1},{"not":{"property":"age","value":36}}]}]', 'Ada Bob Cy'],
      ['age=20', 'Bob Cy'],
      ['age=20&name=Cy', 'Cy'],
      ['name=Ada&name=Cy', 'Ada Cy'],
      ['city=', 'Cy'],
      ['query=on', 'Ada'],
      ['search=PAR', 'Bob'],
    ])('?%s', async (query, expected) => {
      expect(await names(serve(), encodeURI(query))).toBe(expected);
    });

    test.each([
      ['page=0', "400 Pages count from 1: 'page' is 0"],
      ['page=2', "400 'page' without 'limit': how large is a page?"],
      ['limit=-1', "400 'limit' is no count: '-1'"],
      ['filter=[{]', expect.stringMatching(/^400 The parameter 'filter' is no JSON: /)],
      ['filter=[{"property":"age","operator":"about","value":1}]', expect.stringContaining("the operator 'about'")],
      ['sort=[{"direction":"ASC"}]', expect.stringMatching(/^400 /)],
      ['sort=nmae', "400 No row has 'nmae'. If it is meant for nothing, list it in `ignoredParams`"],
      ['v=2', "400 No row has 'v'. If it is meant for nothing, list it in `ignoredParams`"],
    ])('?%s is refused', async (query, expected) => {
      expect(await names(serve(), encodeURI(query))).toEqual(expected);
    });

    test('takes other names of parameters, and ignores parameters', async () => {
      const server = serve({
        pageParam: 'p',
        limitParam: 'size',
        sortParam: 'order',
        filterParam: 'where',
        searchParam: 'q',
        ignoredParams: ['v', '_dc'],
      });
      expect(await names(server, 'p=2&size=2&order=-name&v=2')).toBe('Ada');
      expect(await names(server, `q=bo&where=${encodeURIComponent('[{"property":"age","value":20}]')}`)).toBe('Bob');
    });

    test('is an array by default, with its size in a header', async () => {
      const { body, headers } = await ask(serve(), 'GET /users?limit=1');
      expect([body.length, headers.get('x-total-count')]).toEqual([1, '3']);
    });

    test('is wrapped in an envelope, and single rows too with `single: true`', async () => {
      const envelope = { rootProperty: 'data', totalProperty: 'count' };
      expect((await ask(serve({ envelope }), 'GET /users?limit=1')).body).toEqual({ count: 3, data: [USERS[0]] });
      expect((await ask(serve({ envelope }), 'GET /users/1')).body).toEqual(USERS[0]);
      expect((await ask(serve({ envelope: { ...envelope, single: true } }), 'GET /users/1')).body).toEqual({
        data: USERS[0],
      });
    });

    test('is sent as lines if the request accepts them', async () => {
      const response = await serve().fetch('/users', { headers: { Accept: 'application/x-ndjson' } });
      expect(response.headers.get('content-type')).toBe('application/x-ndjson');
      expect(
        (await response.text())
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(USERS);
    });

    test('uses the types and mappings of a model', async () => {
      class User extends Model.define({
        fields: { id: 'int', joinedAt: { type: 'date', mapping: 'joined' }, name: 'string' },
      }) {}
      const server = restServer({ collections: { '/users': { model: User, rows: USERS } } });
      expect(await names(server, 'sort=-joinedAt')).toBe('Ada Bob Cy');
      expect(await names(server, 'sort=joined')).toBe('Cy Bob Ada');
      const filter = [
        { property: 'joinedAt', operator: 'between', value: ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z'] },
      ];
      expect(await names(server, `filter=${encodeURIComponent(JSON.stringify(filter))}`)).toBe('Bob');
      expect(await names(server, 'joinedAt=2026-01-01T10:00:00Z')).toBe('Bob');
      expect(await names(server, 'query=ad')).toBe('Ada');
      expect(await names(server, 'city=Paris')).toBe('Bob');
    });
  });

  describe('a refused request', () => {
    test.each([
      ['POST /users', 'x{', {}, 400, /no JSON/],
      ['POST /users', '', {}, 400, /without a body/],
      ['POST /users', '7', {}, 400, /A row is an object, not 7/],
      ['PUT /users/1', '{}', { 'Content-Type': 'text/plain' }, 415, /The body is 'text\/plain', not application\/json/],
      ['POST /users/1', '{}', {}, 405, /POST is not for \/users\/1/],
      ['PURGE /users/1', undefined, {}, 405, /PURGE is not for/],
      ['PATCH /users', '[7,8]', {}, 207, /.*/],
      ['GET /nothing', undefined, {}, 404, /There is no collection at \/nothing, but: \/users/],
      ['GET /users/1/posts', undefined, {}, 404, /There is no collection/],
    ])('%s %j %j', async (line, body, headers, status, detail) => {
      const answer = await ask(serve(), line, body, headers);
      expect(answer.status).toBe(status);
      if (status !== 207) expect(answer.body.detail).toMatch(detail);
    });

    test('with a method that the collection does not allow lists the allowed ones', async () => {
      const server = restServer({ collections: { '/logs': { methods: ['GET'] } } });
      const answer = await ask(server, 'POST /logs', {});
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
      expect((await server.fetch('/logs', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET');
    });

    test('with an invalid row is answered with the issue of each member', async () => {
      class User extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
      const server = restServer({
        collections: {
          '/users': {
            validate: ({ name }) => (name === '' ? { name: 'must not be empty' } : name === 'root' ? 'no' : undefined),
          },
        },
      });
      const Tested = User.with({ proxy: { fetch: server.fetch, baseUrl: server.baseUrl, url: '/users' } });
      const user = new Tested({ name: '' });
      await expect(user.save()).rejects.toMatchObject({
        code: 'validation',
        issues: [{ path: ['name'], message: 'must not be empty' }],
      });
      await expect(user.set('name', 'root').save()).rejects.toMatchObject({ status: 422 });
      await user.set('name', 'Ada').save();
      expect(server.rows('/users')).toEqual([{ id: 1, name: 'Ada' }]);
    });

    test('whose validator throws is answered 500 with a message', async () => {
      const server = restServer({
        collections: {
          '/users': {
            validate() {
              throw new Error('oops');
            },
          },
        },
      });
      expect((await ask(server, 'POST /users', {})).body).toMatchObject({
        status: 500,
        detail: '`validate` of /users failed: Error: oops',
      });
    });
  });

  describe('several rows', () => {
    test('are created, updated and removed in one request', async () => {
      const server = serve();
      expect(await ask(server, 'POST /users', [{ name: 'Di' }, { name: 'Ed' }])).toMatchObject({
        status: 201,
        body: [{ id: 4 }, { id: 5 }],
      });
      expect(
        await ask(server, 'PATCH /users', [
          { id: 1, age: 1 },
          { id: 2, age: 2 },
        ]),
      ).toMatchObject({ status: 200, body: [{ age: 1 }, { age: 2 }] });
      expect((await ask(server, 'DELETE /users', [{ id: 1 }, 2])).status).toBe(204);
      expect(server.rows('/users').map(({ id }) => id)).toEqual([3, 4, 5]);
      expect(await ask(server, 'POST /users', [])).toMatchObject({ status: 201 });
    });

    test('are answered separately if one fails', async () => {
      const server = serve();
      const { status, body } = await ask(server, 'PATCH /users', [{ id: 9 }, { id: 2, age: 2 }, 'x']);
      expect(status).toBe(207);
      expect(body).toEqual([
        { title: 'Not Found', status: 404, detail: '/users has no row 9' },
        { ...USERS[1], age: 2 },
        expect.objectContaining({ status: 404 }),
      ]);
      expect((await ask(server, 'DELETE /users', [{ id: 9 }, { id: 1 }])).body).toMatchObject([
        { status: 404 },
        { status: 204 },
      ]);
    });

    test('may be an array of one at the address of a row', async () => {
      expect((await ask(serve(), 'PATCH /users/1', [{ age: 5 }])).body).toMatchObject({ id: 1, age: 5 });
    });
  });

  describe('ETags', () => {
    test('are compared with If-Match, and a write with another ETag is answered 412', async () => {
      const server = serve();
      const tag = (await ask(server, 'GET /users/1')).headers.get('etag') as string;
      const written = await ask(server, 'PATCH /users/1', { age: 1 }, { 'If-Match': tag });
      expect(written.headers.get('etag')).not.toBe(tag);
      const stale = await ask(server, 'PATCH /users/1', { age: 2 }, { 'If-Match': tag });
      expect([stale.status, stale.headers.get('etag')]).toEqual([412, written.headers.get('etag')]);
      expect((await ask(server, 'DELETE /users/1', undefined, { 'If-Match': tag })).status).toBe(412);
      expect(
        (await ask(server, 'PATCH /users/1', { age: 2 }, { 'If-Match': `"x", ${written.headers.get('etag')}` })).status,
      ).toBe(200);
      expect((await ask(server, 'DELETE /users/1', undefined, { 'If-Match': '*' })).status).toBe(204);
    });

    test('are compared with If-None-Match, and an unchanged row or list is answered 304', async () => {
      const server = serve();
      for (const url of ['/users/1', '/users?sort=name']) {
        const tag = (await ask(server, `GET ${url}`)).headers.get('etag') as string;
        expect(await ask(server, `GET ${url}`, undefined, { 'If-None-Match': tag })).toMatchObject({
          status: 304,
          body: undefined,
        });
        await ask(server, 'PATCH /users/1', { age: Math.random() });
        expect((await ask(server, `GET ${url}`, undefined, { 'If-None-Match': tag })).status).toBe(200);
      }
    });

    test('can be required, else 428, or switched off', async () => {
      expect((await ask(serve({ etags: 'required' }), 'PUT /users/1', {})).status).toBe(428);
      expect((await ask(serve({ etags: 'required' }), 'POST /users', {})).status).toBe(201);
      const server = serve({ etags: false });
      const { headers } = await ask(server, 'GET /users/1');
      expect(headers.get('etag')).toBe(null);
      expect((await ask(server, 'PUT /users/1', {}, { 'If-Match': '"x"' })).headers.get('etag')).toBe(null);
    });
  });

  describe('idempotency keys', () => {
    const key = { 'Idempotency-Key': 'k1' };

    test('give the same response again and change nothing', async () => {
      const server = serve();
      const first = await ask(server, 'POST /users', { name: 'Di' }, key);
      const again = await ask(server, 'POST /users?_dc=2', { name: 'Di' }, key);
      expect([again.status, again.body, again.headers.get('location')]).toEqual([201, first.body, '/users/4']);
      expect([first, again].map((each) => each.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      expect(server.rows('/users')).toHaveLength(4);
    });

    test('are answered 422 with another body', async () => {
      const server = serve();
      await ask(server, 'POST /users', { name: 'Di' }, key);
      expect((await ask(server, 'POST /users', { name: 'Ed' }, key)).body).toMatchObject({
        status: 422,
        detail: "The key 'k1' was used for another request",
      });
      expect((await ask(server, 'POST /users', { name: 'Ed' }, { 'Idempotency-Key': 'k2' })).status).toBe(201);
    });

    test('can be used again after a refusal, with another body', async () => {
      const server = restServer({
        collections: { '/users': { validate: ({ name }) => (name ? undefined : 'no name') } },
      });
      expect((await ask(server, 'POST /users', {}, key)).status).toBe(422);
      expect((await ask(server, 'POST /users', { name: 'Di' }, key)).status).toBe(201);
    });

    test('can be switched off', async () => {
      const server = serve({ idempotencyHeader: '' });
      for (let i = 0; i < 2; i++) await ask(server, 'POST /users', {}, key);
      expect(server.rows('/users')).toHaveLength(5);
    });
  });

  describe('nested collections', () => {
    const nested = () =>
      restServer({
        collections: {
          '/users': USERS,
          '/users/{userId}/posts': [
            { id: 1, userId: 1, title: 'a' },
            { id: 2, userId: 2, title: 'b' },
          ],
        },
      });

    test('hold the rows of their owner', async () => {
      const server = nested();
      expect((await ask(server, 'GET /users/1/posts')).body).toEqual([{ id: 1, userId: 1, title: 'a' }]);
      expect((await ask(server, 'GET /users/1/posts/2')).status).toBe(404);
      expect((await ask(server, 'GET /users/9/posts')).body).toMatchObject({
        status: 404,
        detail: '/users has no row 9',
      });
      expect(await ask(server, 'POST /users/2/posts', { title: 'c' })).toMatchObject({
        status: 201,
        body: { id: 3, userId: 2, title: 'c' },
      });
      expect((await ask(server, 'POST /users/2/posts', { userId: 1 })).status).toBe(422);
      expect((await ask(server, 'PUT /users/2/posts/3', { title: 'd' })).body).toEqual({
        id: 3,
        userId: 2,
        title: 'd',
      });
      expect(server.rows('/users/2/posts').map(({ id }) => id)).toEqual([2, 3]);
      expect(server.rows('/users/{userId}/posts')).toHaveLength(3);
    });

    test('prefer a word in a path to a placeholder in another', async () => {
      const server = restServer({ collections: { '/users': USERS, '/users/archive': [], '/{kind}/archive': [] } });
      expect((await ask(server, 'GET /users/archive')).body).toEqual([]);
      expect((await ask(server, 'POST /users/archive', {})).body).toEqual({ id: 1 });
      expect((await ask(server, 'POST /posts/archive', {})).body).toEqual({ id: 1, kind: 'posts' });
    });
  });

  describe('used as fetch', () => {
    test('returns responses of the platform, with a stream and a url', async () => {
      const response = await serve().fetch('/users/1');
      expect(response).toBeInstanceOf(Response);
      expect(response.body).toBeInstanceOf(ReadableStream);
      expect([response.url, response.ok]).toEqual(['http://test.local/users/1', true]);
    });

    test('rejects with the platform’s error on an abort before and during a call', async () => {
      const server = serve({ latency: 10, clock: manualClock() });
      await expect(server.fetch('/users', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        name: 'AbortError',
      });
      const controller = new AbortController();
      const running = server.fetch('/users', { signal: controller.signal });
      controller.abort();
      await expect(running).rejects.toBeInstanceOf(DOMException);
    });

    test('resolves relative addresses, and takes a Request and a URL', async () => {
      const server = serve({ baseUrl: 'http://h.local/api/v1' });
      expect((await server.fetch('/api/v1/users/1')).status).toBe(200);
      expect((await server.fetch(new URL('http://h.local/api/v1/users/1'))).status).toBe(200);
      expect((await server.fetch(new Request('http://h.local/api/v1/users/1'))).status).toBe(200);
      expect((await server.fetch('http://h.local/users/1')).status).toBe(404);
      expect((await ask(server, 'POST /api/v1/users', {})).headers.get('location')).toBe('/api/v1/users/4');
    });

    test('answers HEAD like GET, without a body', async () => {
      const response = await serve().fetch('/users', { method: 'HEAD' });
      expect([response.status, await response.text(), response.headers.get('x-total-count')]).toEqual([200, '', '3']);
    });

    test('answers other addresses by the function `otherwise`', async () => {
      const server = serve({ otherwise: ({ url }) => Response.json({ url }) });
      expect((await ask(server, 'POST /orders/7/cancel', {})).body).toEqual({
        url: 'http://test.local/orders/7/cancel',
      });
    });

    test('logs requests', async () => {
      const server = serve();
      await ask(server, 'PATCH /users/1', { age: 1 });
      expect(server.requests).toMatchObject([
        { number: 1, method: 'PATCH', url: 'http://test.local/users/1', body: '{"age":1}', status: 200, reached: true },
      ]);
    });

    test('handles requests in the order in which they are made', async () => {
      const server = serve();
      await Promise.all([
        ask(server, 'PUT /users/1', { n: 1 }),
        ask(server, 'PUT /users/1', { n: 2 }),
        ask(server, 'GET /users/1').then(({ body }) => expect(body).toEqual({ id: 1, n: 2 })),
      ]);
    });
  });

  describe('rows', () => {
    test('are copied when they are given and when they are read', async () => {
      const given = [{ id: 1, tags: ['a'] }];
      const server = restServer({ collections: { '/users': given } });
      given[0]?.tags.push('b');
      (server.rows('/users')[0] as { tags: string[] }).tags.push('c');
      expect(server.rows('/users')).toEqual([{ id: 1, tags: ['a'] }]);
    });

    test('get new ETags from setRows() if they have changed', async () => {
      const server = serve();
      const tags = async () =>
        Promise.all([1, 2].map(async (id) => (await ask(server, `GET /users/${id}`)).headers.get('etag')));
      const [one, two] = await tags();
      server.setRows(
        '/users',
        server.rows('/users').map((row) => (row['id'] === 1 ? { ...row, name: 'Eve' } : row)),
      );
      const [oneNow, twoNow] = await tags();
      expect([oneNow === one, twoNow === two]).toEqual([false, true]);
    });

    test("are left out of answers to writes with `replies: 'none'`", async () => {
      const server = serve({ replies: 'none' });
      expect(await ask(server, 'POST /users', {})).toMatchObject({ status: 201, body: undefined });
      expect(await ask(server, 'PUT /users/1', {})).toMatchObject({ status: 204, body: undefined });
    });
  });

  describe('its network', () => {
    const types = (server: RestServer) => server.requests.map(({ fault, status }) => `${fault?.type} ${status}`);
    const many = async (server: RestServer, count = 60) => {
      for (let n = 0; n < count; n++)
        await server
          .fetch(`/users/${(n % 3) + 1}`)
          .then((each) => each.text())
          .catch(() => undefined);
      return types(server);
    };
    const faults = { drop: 0.1, lose: 0.1, truncate: 0.1, malformed: 0.1, refuse: 0.1, break: 0.1 };

    test('has the same faults for the same seed and calls, and all kinds of them', async () => {
      const first = await many(serve({ faults, seed: 7 }));
      expect(await many(serve({ faults, seed: 7, latency: [1, 9] }))).toEqual(first);
      expect(await many(serve({ faults, seed: 8 }))).not.toEqual(first);
      expect(new Set((await many(serve({ faults, seed: 7 }), 300)).map((each) => each.split(' ')[0]))).toEqual(
        new Set(['pass', 'drop', 'lose', 'truncate', 'malformed', 'status']),
      );
    });

    test('refuses requests with Retry-After and no effect, and breaks others after their effect', async () => {
      const refusing = serve({ faults: { refuse: 1 } });
      const refused = await refusing.fetch('/users', {
        method: 'POST',
        body: '{}',
        headers: { 'Content-Type': 'application/json' },
      });
      expect([429, 503]).toContain(refused.status);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refusing.rows('/users')).toHaveLength(3);
      const breaking = serve({ faults: { break: 1 } });
      expect((await breaking.fetch('/users/1', { method: 'DELETE' })).status).toBeGreaterThanOrEqual(500);
      expect(breaking.rows('/users')).toHaveLength(2);
    });

    test('has no more faults after heal(), and releases held requests', async () => {
      const server = serve({ faults: { drop: 1 } });
      server.fetch.plan('hold', 'lose');
      const held = server.fetch('/users/1');
      await server.fetch.waitFor(1);
      server.heal();
      expect((await held).status).toBe(200);
      expect(await many(server, 3)).toEqual(['hold 200', 'pass 200', 'pass 200', 'pass 200']);
      expect(server.fetch.unused).toEqual([]);
      server.fetch.plan('drop');
      await expect(server.fetch('/users')).rejects.toThrow('fetch failed');
    });

    test('takes a script or a function as well', async () => {
      const server = serve({ faults: [{ type: 'status', status: 401 }] });
      expect(await many(server, 2)).toEqual(['status 401', 'pass 200']);
      expect(await many(serve({ faults: ({ number }) => (number === 2 ? 'drop' : undefined) }), 2)).toEqual([
        'pass 200',
        'drop undefined',
      ]);
    });

    test('waits for the latency on the given clock', async () => {
      const clock = manualClock();
      const server = serve({ latency: 50, clock });
      const ended = vi.fn();
      void server.fetch('/users').then(ended);
      await vi.waitFor(() => expect(clock.waiting).toEqual([50]));
      clock.advance(49);
      await Promise.resolve();
      expect(ended).not.toHaveBeenCalled();
      clock.advance(1);
      await vi.waitFor(() => expect(ended).toHaveBeenCalled());
    });

    test('leaves no timer after an abort', async () => {
      const clock = manualClock();
      const controller = new AbortController();
      const running = serve({ latency: 50, clock }).fetch('/users', { signal: controller.signal });
      await vi.waitFor(() => expect(clock.waiting).toEqual([50]));
      controller.abort();
      await expect(running).rejects.toThrow();
      expect(clock.waiting).toEqual([]);
    });

    test('without a clock does not wait, but orders answers by latency, even with fake timers', async () => {
      vi.useFakeTimers();
      try {
        const server = serve({ latency: [1, 100_000], seed: 3 });
        const order: number[] = [];
        await Promise.all(
          Array.from({ length: 8 }, (_, n) => server.fetch(`/users/1?id=${n}`).then(() => order.push(n))),
        );
        expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        expect(order).not.toEqual([...order].sort());
      } finally {
        vi.useRealTimers();
      }
    });

    test('can change the order of answers by chance', async () => {
      const order: number[] = [];
      const server = serve({ faults: { reorder: 0.3 }, seed: 5 });
      await Promise.all(Array.from({ length: 10 }, (_, n) => server.fetch('/users/1').then(() => order.push(n))));
      expect(order).not.toEqual([...order].sort());
      expect([...order].sort()).toHaveLength(10);
    });

    test('uses real time with the system clock', async () => {
      const started = Date.now();
      await serve({ latency: 20, clock: systemClock }).fetch('/users');
      expect(Date.now() - started).toBeGreaterThanOrEqual(15);
    });
  });

  describe('wrong options', () => {
    test.each([
      [{ collections: { users: [] } }, "'users' is no path of a collection: begin it with a slash"],
      [{ collections: { '/users?x=1': [] } }, 'is no path'],
      [{ collections: { '/users': [7] } }, "Row 0 of '/users' is not an object"],
      [{ collections: { '/users': [{ id: 1 }, { id: '1' }] } }, "Row 1 of '/users' has the id 1 of another row"],
      [{ collections: { '/users': [{ id: 1, n: 1n }] } }, "Row 0 of '/users' cannot be JSON: "],
      [{ collections: { '/users': { model: class {} } } }, "The `model` of '/users' must be a model class"],
      [{ collections: {}, faults: { drop: 2 } }, "The share of 'drop' must be from 0 to 1, not 2"],
      [
        { collections: {}, faults: { drop: 0.9, lose: 0.2 } },
        'The shares of all faults must not make more than 1, but make 1.1',
      ],
      [{ collections: {}, faults: { reorder: -1 } }, "The share of 'reorder' must be from 0 to 1, not -1"],
      [
        { collections: {}, latency: -1 },
        '`latency` must be a number of milliseconds, or a list of the least and the most, not -1',
      ],
      [{ collections: {}, latency: [5, 1] }, 'not [5,1]'],
      [undefined, 'restServer must be an object, not undefined'],
      [{}, 'restServer.collections must be an object, not null'],
      [{ collections: { '/users': 'x' } }, "collections['/users'] must be an object, not 'x'"],
      [
        { collections: { '/users': { row: [] } } },
        "'row' is not an option of collections['/users']: did you mean 'rows'?",
      ],
      [{ collections: { '/users': { rows: {} } } }, "collections['/users'].rows must be a list, not an object"],
      [
        { collections: { '/users': { methods: ['get'] } } },
        "collections['/users'].methods must be a list of GET, HEAD",
      ],
      [
        { collections: { '/users': { ids: 'guid' } } },
        "collections['/users'].ids must be 'number', 'uuid' or a function",
      ],
      [{ collections: {}, fault: { drop: 1 } }, "'fault' is not an option of restServer: did you mean 'faults'?"],
      [{ collections: {}, faults: { dropp: 1 } }, "'dropp' is not an option of faults: did you mean 'drop'?"],
      [{ collections: {}, faults: 'drop' }, "restServer.faults must be an object, a list or a function, not 'drop'"],
      [{ collections: {}, faults: null }, 'restServer.faults must be an object, a list or a function, not null'],
      [{ collections: {}, baseUrl: 'here' }, "restServer.baseUrl must be an absolute address, not 'here'"],
      [{ collections: {}, latency: null }, 'restServer.latency must be milliseconds, not null'],
      [{ collections: {}, replies: 'nothing' }, `restServer.replies must be "row" or "none", not 'nothing'`],
      [{ collections: {}, etags: 'yes' }, `restServer.etags must be true or false or "required", not 'yes'`],
      [{ collections: {}, seed: 'x' }, "restServer.seed must be a number, not 'x'"],
      [{ collections: {}, envelope: {} }, 'envelope.rootProperty must be a text, not null'],
    ])('%#', (options, text) => {
      expect(() => restServer(options as RestServerOptions)).toThrow(text);
      try {
        restServer(options as RestServerOptions);
      } catch (error) {
        expect(isDataError(error) && error.code).toBe('definition');
      }
    });

    test('are refused, as is an unknown collection', () => {
      expect(() => serve().rows('/user')).toThrow("The test server has no collection '/user'; it has: /users");
      expect(() => serve().setRows('/user', [])).toThrow('it has: /users');
      expect(() => restServer({ collections: {} }).rows('/x')).toThrow('it has: none');
    });
  });
});

describe('proxies over a test server', () => {
  test.each([
    ['classic', { reader: { rootProperty: 'data' } }],
    ['plain', { dialect: plain() }],
    ['with a format', { format: 'json' }],
    ['with slashes', { trailingSlash: true }],
    ['with the id as a parameter', { appendId: false }],
  ])('read, write and page: %s', async (name, options) => {
    const envelope = name === 'classic' ? { rootProperty: 'data' } : undefined;
    const server = serve(envelope ? { envelope } : {});
    class User extends Model.define({
      fields: { id: 'int', name: { type: 'string', validators: [length({ min: 1 })] }, age: 'int' },
      proxy: new RestProxy({ ...options, url: '/users', fetch: server.fetch, baseUrl: server.baseUrl }),
    }) {}
    const store = new Store({ model: User, pageSize: 2, remoteSort: true, remoteFilter: true, sorters: ['name'] });
    await store.load();
    expect(store.getAt(0)?.name).toBe('Ada');
    store.getAt(0)?.set('name', 'Eve');
    store.add({ name: 'Di', age: 4 });
    (await store.sync()).orThrow();
    expect(server.rows('/users').map((row) => row['name'])).toEqual(['Eve', 'Bob', 'Cy', 'Di']);
    expect((await User.load(4)).age).toBe(4);
  });

  test('AjaxProxy with an address per action', async () => {
    const server = serve();
    const proxy = new AjaxProxy({
      url: '/users',
      actionMethods: { update: 'PUT', destroy: 'DELETE' },
      fetch: server.fetch,
      baseUrl: server.baseUrl,
    });
    class User extends Model.define({ fields: { id: 'int', name: 'string' }, proxy }) {}
    const user = await User.load(2);
    await user.set('name', 'Eve').save();
    await user.erase();
    expect(server.rows('/users').map(({ id }) => id)).toEqual([1, 3]);
  });

  test('reads forms of both encodings', async () => {
    const server = serve({ collections: { '/photos': [] }, idempotencyHeader: 'Idempotency-Key' });
    class Photo extends Model.define({
      fields: { id: 'int', title: 'string', size: 'int', image: 'auto', more: 'json' },
      proxy: {
        url: '/photos',
        dialect: plain(),
        fetch: server.fetch,
        baseUrl: server.baseUrl,
        writer: { type: 'form', names: 'brackets' },
        use: [formBodies(), idempotency(), retry({ random: () => 0 })],
      },
    }) {}
    const photo = new Photo({ title: 'a', size: 7, more: { tags: ['x', 'y'], items: [{ id: 1 }, { id: 2 }] } });
    await photo.save();
    expect([photo.id, photo.size]).toEqual([1, 7]);
    expect(server.rows('/photos')[0]).toEqual({
      ...{ id: 1, title: 'a', size: '7' },
      more: { tags: ['x', 'y'], items: [{ id: '1' }, { id: '2' }] },
    });
    photo.image = new File(['…'], 'sea.jpg');
    await photo.save();
    expect([photo.image, server.rows('/photos')[0]?.['image']]).toEqual(['sea.jpg', 'sea.jpg']);
  });

  test('takes a repeated form with the same key for the same request', async () => {
    const server = serve({ collections: { '/photos': [] }, idempotencyHeader: 'Idempotency-Key' });
    const post = () => {
      const body = new FormData();
      body.append('image', new File(['…'], 'sea.jpg'));
      return server.fetch('/photos', { method: 'POST', body, headers: { 'Idempotency-Key': 'k' } });
    };
    expect([(await post()).status, (await post()).status, server.rows('/photos').length]).toEqual([201, 201, 1]);
  });

  test('behind another faulting fetch', async () => {
    const server = serve();
    const fetch = faultingFetch({ fetch: (request) => server.fetch(request), faults: ['lose'] });
    await expect(fetch('http://test.local/users/1', { method: 'DELETE' })).rejects.toThrow();
    expect(server.rows('/users')).toHaveLength(2);
  });
});
