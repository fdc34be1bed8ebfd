import { DefinitionError, Model, off, plain, RestProxy, retry, safeWrites } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const names = (proxy: RestProxy) => proxy.extensions.map(({ name }) => name).sort();

describe('safeWrites()', () => {
  test('is everything that keeps writes safe, and keys on request', () => {
    const parts = ['confirm', 'conflicts', 'etags', 'retry'];
    expect(names(new RestProxy({ url: '/users', use: [safeWrites()] }))).toEqual(parts);
    const withKeys = [...parts.slice(0, 3), 'idempotency', 'retry'];
    expect(names(new RestProxy({ url: '/users', use: [safeWrites({ idempotency: true })] }))).toEqual(withKeys);
    expect(names(new RestProxy({ url: '/users', use: [safeWrites({ idempotency: {} })] }))).toEqual(withKeys);
  });

  test('lets later entries replace or remove its parts, in lists of lists too', () => {
    const once = retry({ limit: 1 });
    const { extensions } = new RestProxy({ url: '/users', use: [[safeWrites(), [off('etags'), once]]] });
    expect(extensions.map(({ name }) => name).sort()).toEqual(['confirm', 'conflicts', 'retry']);
    expect(extensions).toContain(once.find(({ name }) => name === 'retry'));
  });

  test('refuses a save over a row that has changed since it was read', async () => {
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string' },
      proxy: server.proxy('/users', { dialect: plain(), use: [safeWrites()] }),
    }) {}
    server.reply({ json: { id: 7, name: 'Ada' }, headers: { ETag: '"1"' } });
    const user = await User.load(7);
    user.name = 'Eve';
    server.reply({ status: 412, json: { id: 7, name: 'Bob' }, headers: { ETag: '"2"' } });
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict', mine: { name: 'Eve' } });
    expect(server.last.headers['if-match']).toBe('"1"');
  });

  test('refuses wrong options', () => {
    expect(() => safeWrites({ keys: true } as never)).toThrow(DefinitionError);
    expect(() => safeWrites({ idempotency: 'yes' } as never)).toThrow(/idempotency/);
  });
});
