import { DefinitionError, Model, plain, RestProxy, Store } from 'repose';
import { defineDialect } from 'repose/extend';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

describe('a dialect', () => {
  test('names the actions that several records can share a request of', async () => {
    const dialect = defineDialect({ ...plain(), name: 'house', capabilities: { bulk: [] } });
    const make = (batchActions: boolean | { create: boolean }) =>
      new RestProxy({ url: '/users', dialect, batchActions });
    expect(() => make(true)).toThrow(DefinitionError);
    expect(() => make({ create: true })).toThrow(
      /`RestProxy.batchActions` must be false with the dialect 'house', which has no request that can create several records/,
    );
    expect(make({ create: false }).batches('create')).toBe(false);
    class User extends Model.define({ fields: { id: 'int', name: 'string' } }) {}
    const store = new Store({ model: User, proxy: server.proxy('/users', { dialect }) });
    server.always(({ body }) => ({ status: 201, json: { id: body.name.length, ...body } }));
    store.add({ name: 'a' }, { name: 'bb' });
    (await store.sync()).orThrow();
    expect(server.lines).toEqual(['POST /users', 'POST /users']);
  });

  test('refuses an action that nobody writes', () => {
    const bulk = ['read'] as never;
    expect(() => defineDialect({ ...plain(), capabilities: { bulk } })).toThrow(
      /a list of 'create', 'update' and 'destroy'/,
    );
  });
});
