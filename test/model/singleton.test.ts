import {
  AddressError,
  action,
  conflicts,
  DefinitionError,
  etags,
  Model,
  Operation,
  plain,
  RestProxy,
  type RestProxyConfig,
  Store,
} from 'repose';
import { memoryStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { openOutbox } from '../outbox/open-outbox.js';

const server = useRestServer();

const define = (config: Partial<RestProxyConfig> = {}) =>
  class extends Model.define({
    name: 'config',
    fields: { name: { type: 'string', mapping: 'display_name' }, size: 'int' },
    actions: { reset: action({ reply: 'record' }) },
    proxy: server.proxy('/settings', { dialect: plain(), singleton: true, use: [conflicts()], ...config }),
  }) {};
const Settings = define();
const ListConfig = define({ url: '/lists/{listId}/config' });
const ROW = { display_name: 'two', size: 3 };
const sent = () => server.requests.map(({ method, url, text }) => `${method} ${url} ${text}`.trim());

describe('a singleton, a resource without an id', () => {
  test('is loaded, saved and erased at its address', async () => {
    server.reply({ json: ROW }, { json: { ...ROW, display_name: 'x' } }, { json: ROW }, { status: 204 });
    const settings = await Settings.load();
    expect([settings.name, settings.phantom, settings.getId()]).toEqual(['two', false, undefined]);
    settings.name = 'x';
    await settings.save();
    expect([settings.name, settings.dirty]).toEqual(['x', false]);
    await settings.load();
    await settings.erase();
    expect(sent()).toEqual([
      'GET /settings',
      'PATCH /settings {"display_name":"x"}',
      'GET /settings',
      'DELETE /settings',
    ]);
    expect(settings.erased).toBe(true);
  });

  test('sends the options of a call, and calls its callbacks', async () => {
    server.always(() => ({ json: ROW }));
    const called: unknown[] = [];
    const settings = await Settings.load({
      params: { id: 'own', verbose: 1 },
      headers: { 'X-A': '1' },
      success: (record, operation) => called.push(record, operation.action),
    });
    expect(called).toEqual([settings, 'read']);
    expect([sent(), server.last.headers['x-a']]).toEqual([['GET /settings?id=own&verbose=1'], '1']);
  });

  test('is sent whole in a PUT, without an id that the server did not send', async () => {
    server.reply({ json: { ...ROW, more: [1] } }, { status: 204 });
    const settings = await define({ dialect: undefined as never, noCache: false }).load();
    settings.size = 4;
    await settings.save();
    expect(sent()).toEqual(['GET /settings', 'PUT /settings {"display_name":"two","size":4,"more":[1]}']);
  });

  test('treats a member named `id` as data, also when it changes', async () => {
    server.reply(
      { json: { id: 5, ...ROW } },
      { json: { id: 6, ...ROW, display_name: 'x' } },
      { json: { id: 7, ...ROW } },
    );
    const settings = await Settings.load();
    settings.name = 'x';
    await settings.save();
    await settings.load();
    expect([sent(), settings.getId()]).toEqual([
      ['GET /settings', 'PATCH /settings {"display_name":"x"}', 'GET /settings'],
      7,
    ]);
  });

  test('is created at its address by a response that has no id', async () => {
    server.reply({ status: 201, headers: { Location: '/elsewhere/9' } }, { status: 204 });
    const settings = new Settings({ name: 'new', size: 1 });
    await settings.save();
    expect([settings.phantom, settings.getId(), settings.$.unconfirmed]).toEqual([false, undefined, false]);
    settings.size = 2;
    await settings.save();
    expect(sent()).toEqual(['POST /settings {"display_name":"new","size":1}', 'PATCH /settings {"size":2}']);
  });

  test('can be made from a row of another source', async () => {
    server.reply({ status: 204 });
    const settings = Settings.fromRow({ display_name: 'a' });
    settings.name = 'x';
    await settings.save();
    expect(sent()).toEqual(['PATCH /settings {"display_name":"x"}']);
  });

  test("uses the dialect's address step, the format and the trailing slash", async () => {
    server.always(() => ({ json: { id: 5, ...ROW } }));
    const suffixed = { ...plain(), address: (context: never) => `${plain().address(context)}/current` };
    await (await define({ dialect: suffixed as never, trailingSlash: true }).load()).load();
    await define({ format: 'json' }).load();
    expect(sent()).toEqual(['GET /settings/current/', 'GET /settings/current/', 'GET /settings.json']);
  });

  test('is not a collection: no paging, no `api.list`, no conditional list requests', async () => {
    server.always(() => ({ json: ROW, headers: { ETag: '"a"' } }));
    const Own = define({ use: [etags()], api: { list: '/all', read: '/settings/read' } });
    const settings = await Own.load();
    settings.name = 'x';
    await settings.save();
    expect([sent(), server.last.headers['if-match']]).toEqual([
      ['GET /settings/read', 'PATCH /settings {"display_name":"x"}'],
      '"a"',
    ]);
  });

  test('sends actions to its address', async () => {
    server.reply({ json: ROW }, { json: { ...ROW, size: 0 } });
    const settings = await Settings.load();
    await Settings.actions.reset(settings);
    expect([sent(), settings.size]).toEqual([['GET /settings', 'POST /settings/reset'], 0]);
  });

  test('works with the `ajax` proxy, which then sends no id', async () => {
    server.reply({ json: { id: 5, ...ROW } }, { status: 204 });
    class Own extends Model.define({
      fields: { id: 'int', name: { type: 'string', mapping: 'display_name' } },
      proxy: { type: 'ajax', url: '/settings', baseUrl: server.url, noCache: false, singleton: true },
    }) {}
    const settings = await Own.load();
    await settings.erase();
    expect(sent()).toEqual(['GET /settings', 'POST /settings']);
  });

  test('has conflicts that are decided like those of any record', async () => {
    const settings = Settings.fromRow(ROW);
    settings.name = 'mine';
    server.reply({ status: 412 }, { json: { ...ROW, size: 9 } }, { status: 204 });
    const error = (await settings.save().catch((each: unknown) => each)) as { merge(): Promise<void> };
    await error.merge();
    expect([settings.name, settings.size, server.lines.length]).toEqual(['mine', 9, 3]);
  });
});

describe('pathParams', () => {
  test('of a load are used by later saves, loads, actions and the erase', async () => {
    server.always(() => ({ json: ROW }));
    const config = await ListConfig.load({ pathParams: { listId: 'two' } });
    config.name = 'x';
    await config.save();
    await config.load();
    await ListConfig.actions.reset(config);
    await config.erase();
    expect(server.lines).toEqual([
      'GET /lists/two/config',
      'PATCH /lists/two/config',
      'GET /lists/two/config',
      'POST /lists/two/config/reset',
      'DELETE /lists/two/config',
    ]);
  });

  test("of a call take precedence over those of the load, and those over the proxy's", async () => {
    server.always(() => ({ json: ROW }));
    const Own = ListConfig.with({ proxy: { pathParams: { listId: 'proxy' } } });
    const config = await Own.load({ pathParams: { listId: 'load' } });
    await config.save({ pathParams: { listId: 'call' } });
    await config.save();
    await config.load({ pathParams: { listId: 'again' } });
    await config.save();
    expect(server.lines.map((line) => line.split('/')[2])).toEqual(['load', 'call', 'load', 'again', 'again']);
    await (await Own.load()).save();
    expect(server.last.path).toBe('/lists/proxy/config');
  });

  test('of a failed load are not remembered; those of a create are', async () => {
    server.reply({ json: ROW }, { status: 500 }, { status: 204 });
    const config = await ListConfig.load({ pathParams: { listId: 1 } });
    await expect(config.load({ pathParams: { listId: 2 } })).rejects.toMatchObject({ status: 500 });
    await config.save();
    expect(server.last.path).toBe('/lists/1/config');
    server.reply({ status: 201 }, { status: 204 });
    const fresh = new ListConfig({ name: 'new' });
    await fresh.save({ pathParams: { listId: 3 } });
    await fresh.save();
    expect(server.lines.slice(-2)).toEqual(['POST /lists/3/config', 'PATCH /lists/3/config']);
  });

  test('of records with ids are not remembered, because the row has the values', async () => {
    class Post extends Model.define({
      fields: { id: 'int', userId: 'int', text: 'string' },
      proxy: server.proxy('/users/{userId}/posts', { dialect: plain() }),
    }) {}
    server.reply({ json: { id: 1, userId: 4, text: 'a' } }, { status: 204 });
    const post = await Post.load(1, { pathParams: { userId: 3 } });
    await post.save();
    expect(server.lines).toEqual(['GET /users/3/posts/1', 'PATCH /users/4/posts/1']);
  });
});

describe('a singleton refuses', () => {
  const refused = async (call: Promise<unknown>, reason: string) => {
    const error = await call.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(AddressError);
    expect(error).toMatchObject({ reason });
    expect(server.lines).toEqual([]);
    return error as Error;
  };

  test('a load by an id', async () => {
    const error = await refused(Settings.load(7), 'id-singleton');
    expect(error.message).toMatch(/^config is a singleton/);
  });

  test('a load of a new record', () => refused(new Settings({ name: 'a' }).load(), 'id-missing'));

  test('a load without an id if the model is no singleton', async () => {
    const Other = define({ singleton: false });
    await refused(Other.load(), 'id-missing');
    await refused(Other.load({ params: { a: 1 } }), 'id-missing');
  });

  test('a response whose row is in an envelope that no root is set for', async () => {
    server.reply({ json: { data: ROW } });
    await expect(Settings.load()).rejects.toMatchObject({ reason: 'response-root' });
  });

  test('several records in one request', async () => {
    server.always(() => ({ status: 204 }));
    const Own = define({ batchActions: true });
    const proxy = Own.proxy as RestProxy;
    const records = [Own.fromRow(ROW), Own.fromRow(ROW)] as never[];
    expect(() => proxy.buildRequest(new Operation({ action: 'update', records }))).toThrow(AddressError);
    expect(() => proxy.buildRequest(new Operation({ action: 'create', records }))).toThrow(AddressError);
  });

  test('a load of a store, because stores hold records by their ids', async () => {
    const error = await refused(new Store({ model: Settings }).load(), 'url-singleton');
    expect(error.message).toMatch(/`load\(options\)` of the model/);
  });

  test('an outbox, because it identifies records by their ids', async () => {
    const outbox = await openOutbox({ scope: 'ada', storage: memoryStorage() });
    expect(() => new RestProxy({ url: '/settings', singleton: true, use: [outbox] })).toThrow(DefinitionError);
    expect(() => new RestProxy({ url: '/settings', singleton: true, use: [outbox] })).toThrow(/`use` of that proxy/);
    await outbox.close();
  });
});
