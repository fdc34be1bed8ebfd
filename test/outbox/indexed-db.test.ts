import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { indexedDbStorage, type OutboxError, type OutboxStorage, type StoredItem } from 'repose/outbox';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { modelServer } from './server.js';
import { startApp } from './setting.js';
import { fakeLocks } from './shared-storage.js';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

const item = (key: string, data = 'x'): StoredItem => ({ key, scope: 's', data });

async function open(name?: string): Promise<OutboxStorage> {
  const storage = indexedDbStorage(name);
  await storage.open(() => undefined);
  return storage;
}

describe('an IndexedDB storage', () => {
  test('keeps the entries that were put, for all storages that have it open', async () => {
    const [a, b] = await Promise.all([open(), open()]);
    await a?.change([{ put: item('a') }, { put: item('b') }]);
    await b?.change([{ delete: 'a' }, { put: item('b', 'y') }]);
    expect(await a?.all()).toEqual([item('b', 'y')]);
    expect(await a?.get('b')).toEqual(item('b', 'y'));
    expect(await a?.get('a')).toBeUndefined();
    await Promise.all([a?.close(), b?.close()]);
    expect(await (await open()).all()).toEqual([item('b', 'y')]);
    await expect(a?.all()).rejects.toMatchObject({ code: 'outbox-closed' });
  });

  test('closes when a newer page upgrades the database, and refuses the newer version', async () => {
    const storage = await open('mine');
    await storage.change([{ put: item('a') }]);
    await new Promise((resolve, reject) => {
      const request = indexedDB.open('mine', 2);
      request.onsuccess = () => resolve(request.result.close());
      request.onerror = reject;
    });
    await expect(storage.all()).rejects.toMatchObject({ code: 'outbox-closed' });
    await expect(open('mine')).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-version' });
  });

  test('reports a full or broken database, and changes nothing', async () => {
    const storage = await open();
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    const error = (await storage
      .change([{ delete: 'a' }, { put: item('a') }])
      .catch((reason: unknown) => reason)) as OutboxError;
    expect(error).toMatchObject({ code: 'outbox-quota', retryable: true });
    put.mockRestore();
    expect(await storage.all()).toEqual([]);
    vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new Error('blocked');
    });
    await expect(open()).rejects.toMatchObject({ code: 'outbox-storage' });
  });

  test('keeps queued writes over a reload', async () => {
    const server = modelServer();
    const locks = fakeLocks();
    const first = await startApp({ server, locks, storage: indexedDbStorage() });
    server.fault = () => 'after';
    await new first.User({ name: 'Ada' }).save().catch(() => undefined);
    await first.outbox.close();
    server.fault = () => undefined;
    const { outbox } = await startApp({ server, locks, storage: indexedDbStorage() });
    await outbox.flush();
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Ada' }]);
    expect(outbox.size).toBe(0);
  });
});
