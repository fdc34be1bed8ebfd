import { DefinitionError, explain, MemoryProxy, Model, printExplanation, RestProxy, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { withoutPage } from '../helpers/error-page.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = { id: 'int', name: 'string' } as const;

describe('a function as `extraParams`', () => {
  test('is called for each request, and yields to the params of the call', async () => {
    let language = 'en';
    class User extends Model.define({
      fields,
      proxy: server.proxy('/users', { extraParams: () => ({ language, v: 1 }) }),
    }) {}
    server.always(() => ({ json: { id: 7, name: 'Ada' } }));
    const user = await User.load(7);
    language = 'de';
    await user.save();
    await user.load({ params: { v: 2 } });
    expect(server.lines).toEqual([
      'GET /users/7?language=en&v=1',
      'PUT /users/7?language=de&v=1',
      'GET /users/7?v=2&language=de',
    ]);
  });

  test('makes a load with changed parameters supersede the earlier one', async () => {
    let team = 'a';
    class User extends Model.define({ fields, proxy: server.proxy('/users', { extraParams: () => ({ team }) }) }) {}
    const store = new Store({ model: User, pageSize: 0 });
    server.always(({ query }) => ({ json: [{ id: 1, name: query.get('team') }] }));
    const first = store.load();
    team = 'b';
    await Promise.all([first, store.load()]);
    expect(store.getAt(0)?.name).toBe('b');
    expect(server.lines.at(-1)).toBe('GET /users?team=b');
  });

  test.each([
    [
      'a promise',
      async () => ({ a: 1 }),
      'The function `extraParams` returned a promise, but an address is built at once: return an object, and get before the call what takes time. Only `headers` may be asynchronous',
    ],
    ['a text', () => 'a=1', 'The function `extraParams` must return an object of parameters, not a text'],
    ['nothing', () => undefined, 'The function `extraParams` must return an object of parameters, not undefined'],
    ['a list', () => ['a'], 'The function `extraParams` must return an object of parameters, not an array'],
  ])('that returns %s is refused before anything is sent', async (_, extraParams, message) => {
    class User extends Model.define({
      fields,
      proxy: server.proxy('/users', { extraParams: extraParams as never }),
    }) {}
    const error = await User.load(7).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(withoutPage(error as DefinitionError)).toBe(message);
    expect(server.requests).toEqual([]);
  });
});

describe('a function as `pathParams`', () => {
  test('is called once for each request, and the guard uses the same values', async () => {
    let calls = 0;
    const { type: _, ...config } = server.proxy('/teams/{team}/users', {
      pathParams: () => {
        calls += 1;
        return { team: calls };
      },
    });
    const proxy = new RestProxy(config);
    server.always(() => ({ json: {} }));
    for (const id of [7, 8]) await proxy.send({ method: 'GET', path: String(id) });
    expect(server.lines).toEqual(['GET /teams/1/users/7', 'GET /teams/2/users/8']);
  });

  test('yields to the values of the call', async () => {
    class User extends Model.define({
      fields,
      proxy: server.proxy('/teams/{team}/users', { pathParams: () => ({ team: 'own' }) }),
    }) {}
    server.always(() => ({ json: { id: 7, name: 'Ada' } }));
    await User.load(7, { pathParams: { team: 'other' } });
    await User.load(7);
    expect(server.lines).toEqual(['GET /teams/other/users/7', 'GET /teams/own/users/7']);
  });
});

test('`explain` shows the values that the functions return', async () => {
  const proxy = new RestProxy({
    url: '/teams/{team}/users',
    baseUrl: 'https://example.com',
    noCache: false,
    pathParams: () => ({ team: 3 }),
    extraParams: () => ({ language: 'en' }),
  });
  expect(printExplanation(await explain(proxy, { action: 'read', id: 7 }))).toBe(
    [
      'GET /teams/3/users/7?language=en',
      '  GET                       H13        actionMethods',
      '  /teams/3/users            H10        url',
      '  /7                        §4 rule 3  appendId',
      '  ?language=en              §4 rule 6  extraParams',
      '  Accept: application/json  H15        default',
    ].join('\n'),
  );
});

describe('store.setExtraParams()', () => {
  class User extends Model.define({
    fields,
    proxy: server.proxy('/users', { extraParams: { tenant: 1, v: 1 } }),
  }) {}

  test('adds to the parameters of the proxy in load() and sync() of this store alone', async () => {
    const [own, other] = [new Store({ model: User, pageSize: 0 }), new Store({ model: User, pageSize: 0 })];
    own.setExtraParams({ team: 'sales', v: 2 });
    server.always(({ method }) => ({ json: method === 'GET' ? [{ id: 7, name: 'Ada' }] : { id: 7, name: 'Bob' } }));
    await own.load();
    await other.load();
    own.getAt(0)?.set({ name: 'Bob' });
    await own.sync();
    await User.load(7).catch(() => undefined);
    expect(server.lines).toEqual([
      'GET /users?tenant=1&v=2&team=sales',
      'GET /users?tenant=1&v=1',
      'PUT /users/7?tenant=1&v=2&team=sales',
      'GET /users/7?tenant=1&v=1',
    ]);
  });

  test('does not load; a later call replaces the parameters of an earlier one', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.always(() => ({ json: [] }));
    await store.load();
    store.setExtraParams({ team: 'a' });
    store.setExtraParams({ city: 'b' });
    expect(server.requests).toHaveLength(1);
    await store.load();
    store.setExtraParams({});
    await store.load();
    expect(server.lines.slice(1)).toEqual(['GET /users?tenant=1&v=1&city=b', 'GET /users?tenant=1&v=1']);
  });

  test('makes the next load supersede one in flight with other parameters', async () => {
    const store = new Store({ model: User, pageSize: 0 });
    server.always(({ query }) => ({ json: [{ id: 1, name: query.get('team') }] }));
    const first = store.load();
    store.setExtraParams({ team: 'b' });
    await Promise.all([first, store.load()]);
    expect(store.getAt(0)?.name).toBe('b');
  });

  test('takes a function, which adds to a function of the proxy', async () => {
    let [tenant, team] = [1, 'a'];
    class Own extends Model.define({ fields, proxy: server.proxy('/users', { extraParams: () => ({ tenant }) }) }) {}
    const store = new Store({ model: Own, pageSize: 0 });
    store.setExtraParams(() => ({ team }));
    server.always(() => ({ json: [] }));
    await store.load();
    [tenant, team] = [2, 'b'];
    await store.load();
    expect(server.lines).toEqual(['GET /users?tenant=1&team=a', 'GET /users?tenant=2&team=b']);
  });

  test('works together with proxy options of the store, and is shown by explain', async () => {
    const store = new Store({ model: User, proxy: { url: '/people' } });
    store.setExtraParams({ team: 'a' });
    const { request } = await explain(store.proxy, { action: 'read', id: 7 });
    expect(request?.url).toBe('/people/7?tenant=1&v=1&team=a');
  });

  test('is refused by a proxy that makes no requests', () => {
    class Row extends Model.define({ fields, proxy: new MemoryProxy() }) {}
    expect(() => new Store({ model: Row }).setExtraParams({ a: 1 })).toThrow(
      "'extraParams' is not an option of MemoryProxy",
    );
  });
});
