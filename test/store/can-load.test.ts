import { AbortError, type DataError, DefinitionError, Model, type Operation, Store, type StoreConfig } from 'repose';
import { describe, expect, test } from 'vitest';
import { pageOf } from '../helpers/error-page.js';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { eventLog, page, rows, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

/** A store whose `canLoad` returns `allowed`, and the operations that it was called with. */
function open(config: Partial<StoreConfig<User>> = {}) {
  const gate = { allowed: true, asked: [] as Operation[] };
  const canLoad = (operation: Operation) => {
    gate.asked.push(operation);
    return gate.allowed;
  };
  return Object.assign(gate, { store: new Store({ model: User, pageSize: 2, canLoad, ...config }) });
}

describe('canLoad', () => {
  test('is called before each load, with the operation that would be sent', async () => {
    const gate = open({ remoteSort: true, sorters: ['name'] });
    server.always(() => page(rows(1, 2), 9));
    await gate.store.load({ page: 3, params: { team: 'red' } });
    await gate.store.loadMore();
    await gate.store.reload();
    expect(gate.asked.map(({ action, page, start, limit }) => [action, page, start, limit])).toEqual([
      ['read', 3, 4, 2],
      ['read', 4, 6, 2],
      // The reload of a list that was extended reads all of its pages.
      ['read', 3, 4, 2],
      ['read', 4, 6, 2],
    ]);
    expect([gate.asked[0]?.params, gate.asked[0]?.sorters]).toEqual([
      { team: 'red' },
      [{ property: 'name', direction: 'ASC' }],
    ]);
    expect(server.requests.length).toBe(4);
  });

  test('that returns false sends nothing, changes nothing, and rejects with the reason', async () => {
    const gate = open({ data: rows(1) });
    const { store } = gate;
    const log = eventLog(store);
    gate.allowed = false;
    const error: unknown = await store.load().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({
      code: 'abort',
      reason: 'load-refused',
      message: `A load of user was not sent: the option \`canLoad\` of the store refused it. Let \`canLoad\` return true to load${pageOf('load-refused')}`,
      operation: gate.asked[0],
    });
    await tick();
    expect([
      server.requests,
      log,
      store.status.get().loading,
      store.status.get().loaded,
      store.status.get().error,
      shown(store),
    ]).toEqual([[], [], false, false, undefined, [1]]);
  });

  test('leaves a load in flight alone when it returns false', async () => {
    const gate = open();
    const held = server.hold();
    const loading = gate.store.load();
    await held.request;
    gate.allowed = false;
    await expect(gate.store.load({ page: 2 })).rejects.toBeInstanceOf(AbortError);
    expect(gate.store.status.get().loading).toBe(true);
    held.answer(page(rows(1, 2), 2));
    expect(shown(await loading)).toEqual([1, 2]);
  });

  test('skips automatic loads silently, and the next load sends the newest query', async () => {
    const gate = open({ autoLoad: true, remoteSort: true });
    gate.allowed = false;
    const log = eventLog(gate.store);
    expect(gate.store.status.get().loading).toBe(true);
    await tick();
    expect([gate.store.status.get().loading, gate.store.status.get().error, log, gate.asked.length]).toEqual([
      false,
      undefined,
      [],
      1,
    ]);
    gate.allowed = true;
    server.always(() => page(rows(1), 1));
    await gate.store.load();
    gate.allowed = false;
    gate.store.sort('name');
    await tick();
    expect([gate.store.status.get().loading, server.requests.length, log]).toEqual([false, 1, ['change +1', 'load 1']]);
    gate.allowed = true;
    await gate.store.reload();
    expect(server.last.query.get('sort')).toBe('[{"property":"name","direction":"ASC"}]');
  });

  test('is called when a delay ends', async () => {
    const clock = manualClock();
    const gate = open({
      remoteFilter: true,
      proxy: server.proxy('/users', { reader: { rootProperty: 'rows' }, clock }),
    });
    server.always(() => page(rows(1), 1));
    await gate.store.load();
    gate.allowed = false;
    gate.store.search('a', { delay: 50 });
    await clock.advance(50);
    await tick();
    expect([gate.asked.length, server.requests.length, gate.store.status.get().loading]).toEqual([2, 1, false]);
  });

  test('is not called for a load that is already aborted or has invalid numbers', async () => {
    const gate = open();
    await expect(gate.store.load({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortError);
    await expect(gate.store.load({ page: 0 })).rejects.toMatchObject({ code: 'unsupported-query' });
    expect(gate.asked).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['a promise', async () => true, 'The result of `canLoad` must be true or false at once, not a Promise'],
    ['nothing', () => undefined, 'The result of `canLoad` must be true or false at once, not undefined'],
    [
      'an error',
      () => {
        throw new Error('broken');
      },
      'A function of the application failed: Error: broken',
    ],
  ])('that returns %s fails the load, and emits `exception` for automatic loads', async (_, canLoad, message) => {
    const store = new Store({ model: User, canLoad: canLoad as never });
    await expect(store.load()).rejects.toThrow(message);
    await expect(store.load()).rejects.toBeInstanceOf(DefinitionError);
    const scheduled = new Store({ model: User, canLoad: canLoad as never, autoLoad: true });
    const errors: DataError[] = [];
    scheduled.on('exception', ({ error }) => errors.push(error));
    await tick();
    expect([
      errors.map((error) => error.message.slice(0, message.length)),
      scheduled.status.get().error?.code,
      scheduled.status.get().loading,
    ]).toEqual([[message], 'definition', false]);
    expect(server.requests).toEqual([]);
  });

  test('that refuses the load behind a delayed search refuses the load that the search superseded', async () => {
    const clock = manualClock();
    const gate = open({
      remoteFilter: true,
      proxy: server.proxy('/users', { reader: { rootProperty: 'rows' }, clock }),
    });
    server.always(() => page(rows(1), 1));
    const superseded = gate.store.load();
    superseded.catch(() => undefined);
    gate.store.search('x', { delay: 5 });
    gate.allowed = false;
    clock.advance(5);
    await expect(superseded).rejects.toMatchObject({ code: 'abort', reason: 'load-refused' });
    expect(gate.store.status.get().loading).toBe(false);
  });
});
