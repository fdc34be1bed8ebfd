import {
  AjaxProxy,
  DataProxy,
  DefinitionError,
  MemoryProxy,
  Model,
  Operation,
  RestProxy,
  ServerProxy,
  Store,
} from 'repose';
import * as Lib from 'repose/namespace';
import { describe, expect, test } from 'vitest';

describe('RestProxy', () => {
  test('extends AjaxProxy, which is ServerProxy too, and DataProxy', () => {
    const chain: unknown[] = [];
    for (
      let each: object | null = RestProxy;
      each && each !== Function.prototype;
      each = Object.getPrototypeOf(each) as object | null
    )
      chain.push(each);
    expect(chain).toEqual([RestProxy, AjaxProxy, DataProxy]);
    expect(ServerProxy).toBe(AjaxProxy);
    expect([RestProxy.alias, AjaxProxy.alias, MemoryProxy.alias]).toEqual(['proxy.rest', 'proxy.ajax', 'proxy.memory']);
  });

  test('calls the `buildUrl` of its parent class with an address that holds the id and the format', () => {
    const { buildUrl } = ServerProxy.prototype;
    const seen: (string | undefined)[] = [];
    try {
      ServerProxy.prototype.buildUrl = (request) => {
        seen.push(request.url);
        return `${request.url}?patched=1`;
      };
      const proxy = new RestProxy({ url: '/users', format: 'json', baseUrl: 'http://h', noCache: false });
      const { url, target } = proxy.buildRequest(new Operation({ action: 'read', id: 7 }));
      expect([url, target]).toEqual(['/users/7.json?patched=1', 'http://h/users/7.json?patched=1']);
      ServerProxy.prototype.buildUrl = function (request) {
        request.params['v'] = 2;
        return buildUrl.call(this, request);
      };
      expect(proxy.buildRequest(new Operation({ action: 'read', id: 7 })).url).toBe('/users/7.json?v=2');
    } finally {
      ServerProxy.prototype.buildUrl = buildUrl;
    }
    expect(seen).toEqual(['/users/7.json']);
  });

  test.each([new RestProxy({ url: 'http://h/users' }), new AjaxProxy({ url: 'http://h/users' })])(
    'builds a request once, in $constructor.name',
    (proxy) => {
      const request = proxy.buildRequest(new Operation({ action: 'read', id: 7 }));
      expect(() => proxy.buildUrl(request)).toThrow('was built before');
    },
  );

  test('refuses a change of `actionMethods`, which would have no effect', () => {
    const proxy = new RestProxy({ url: '/users', actionMethods: { update: 'PATCH' } });
    const methods = proxy.actionMethods as { update?: string };
    const changes = [
      () => {
        methods.update = 'PUT';
      },
      () => delete methods.update,
      () => Object.assign(methods, { update: 'PUT' }),
    ];
    for (const change of changes) {
      expect(change).toThrow(DefinitionError);
      expect(change).toThrow('proxy.with({ actionMethods');
    }
    expect({ ...methods }).toEqual({ create: 'POST', read: 'GET', update: 'PATCH', destroy: 'DELETE' });
  });

  test('has the options of its base classes, with their defaults', () => {
    expect(new RestProxy()).toMatchObject({
      url: undefined,
      baseUrl: undefined,
      api: {},
      appendId: true,
      format: undefined,
      trailingSlash: false,
      idParam: 'id',
      pageParam: 'page',
      startParam: 'start',
      limitParam: 'limit',
      sortParam: 'sort',
      filterParam: 'filter',
      groupParam: 'group',
      directionParam: 'dir',
      groupDirectionParam: 'groupDir',
      simpleSortMode: false,
      simpleGroupMode: false,
      extraParams: {},
      pathParams: {},
      noCache: true,
      cacheString: '_dc',
      timeout: 30_000,
      headers: {},
      fetch: undefined,
      withCredentials: false,
      useDefaultXhrHeader: false,
      batchActions: false,
      batchOrder: 'create,update,destroy',
    });
  });

  test('is created by `type`: by name or by class', () => {
    class OwnProxy extends RestProxy {}
    const fields = { id: 'int' } as const;
    expect(Model.define({ fields, proxy: { type: 'rest', url: '/a' } }).proxy).toBeInstanceOf(RestProxy);
    expect(Model.define({ fields, proxy: { url: '/a' } }).proxy).toBeInstanceOf(RestProxy);
    expect(Model.define({ fields, proxy: { type: OwnProxy, url: '/a' } }).proxy).toBeInstanceOf(OwnProxy);
    const proxy = new OwnProxy({ url: '/a' });
    expect(Model.define({ fields, proxy }).proxy).toBe(proxy);
    expect(Model.define({ fields, proxy: { type: RestProxy, url: '/a' } }).proxy).toBeInstanceOf(RestProxy);
  });

  test('is refused under an unknown type with a DefinitionError that names the known ones', () => {
    expect(() => Model.define({ fields: { id: 'int' }, proxy: { type: 'soap' as 'rest' } })).toThrow(DefinitionError);
    expect(() => Model.define({ fields: { id: 'int' }, proxy: { type: 'soap' as 'rest' } })).toThrow(/'soap'.*rest/);
    expect(() => Model.define({ fields: { id: 'int' }, proxy: { type: 'constructor' as 'rest' } })).toThrow(
      DefinitionError,
    );
  });
});

describe('the namespace', () => {
  test('has the dotted names', () => {
    expect(Lib.data.proxy).toMatchObject({
      Rest: RestProxy,
      Ajax: AjaxProxy,
      Server: ServerProxy,
      Proxy: DataProxy,
      Memory: MemoryProxy,
    });
    expect(Lib.data).toMatchObject({ RestProxy, AjaxProxy, MemoryProxy, Store, Model, Operation });
    expect(Lib.data.reader.Json).toBe(Lib.data.reader.Reader);
    expect(Lib.data.writer.Json).toBe(Lib.data.writer.Writer);
  });

  test('create makes an instance by its alias', () => {
    const rest = Lib.create('proxy.rest', { url: '/users', format: 'json' });
    expect(rest).toBeInstanceOf(RestProxy);
    expect(rest).toMatchObject({ url: '/users', format: 'json' });
    expect(Lib.create('proxy.ajax', { url: '/users' })).toBeInstanceOf(AjaxProxy);
    expect(Lib.create('proxy.memory')).toBeInstanceOf(MemoryProxy);
    class User extends Model.define({ fields: { id: 'int' }, proxy: { type: MemoryProxy } }) {}
    expect(Lib.create('store', { model: User })).toBeInstanceOf(Store);
  });

  test.each(['proxy.soap', 'constructor', '__proto__', ''])('create refuses %o', (alias) => {
    expect(() => Lib.create(alias as 'proxy.rest', {})).toThrow(DefinitionError);
  });
});
