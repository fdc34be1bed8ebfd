import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { indexedDbStorage } from '../../../src/outbox/storage/indexed-db-storage.js';
import type { OutboxStorage } from '../../../src/outbox/storage/outbox-storage.js';
import { BrowserTabs } from './browser-tabs.js';
import { openFormat1, writeFormat1, writesOfFormat1 } from './write-format-1.js';

let tabs: BrowserTabs;
beforeEach(() => {
  vi.restoreAllMocks();
  tabs = new BrowserTabs();
  globalThis.indexedDB = tabs.factoryOfTab();
});

const change = (record: string, data = 'x') => ({ scope: 'a', record, data });
const sent = (record: string, keys: number[]) => ({ scope: 'a', record, keys, type: 'sent', data: '' }) as const;
const codesOf = (problems: readonly Error[]) => problems.map((each) => (each as Error & { code: string }).code);
const textsOf = async (storage: OutboxStorage) => (await storage.read({ scope: 'a' })).items.map(({ data }) => data);

async function open(problems: Error[] = []): Promise<OutboxStorage> {
  const storage = tabs.createStorage('mine');
  await storage.open((problem) => problems.push(problem));
  return storage;
}

function ended(request: IDBRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error as Error);
  });
}

describe('a database of version 1', () => {
  test('is converted when it is opened: each write becomes one change with the same text', async () => {
    const writes = writesOfFormat1();
    const old = await openFormat1('mine');
    await writeFormat1(old, writes);
    old.close();
    const storage = await open();
    const byKey = [...writes].sort((a, b) => (a.key < b.key ? -1 : 1)).filter(({ scope }) => scope === 'a');
    const { items } = await storage.read({ scope: 'a' });
    expect(items).toEqual(
      byKey.map(({ key, scope, data }) => ({ key: expect.any(Number), scope, record: key, data, progress: undefined })),
    );
    expect((await storage.read({ scope: 'b' })).items).toHaveLength(1);
    await storage.close();
    expect((await (await open()).read({ scope: 'a' })).items).toEqual(items);
  });

  test('is taken over from a tab with the older version, which then refuses it', async () => {
    const old = await openFormat1('mine');
    await writeFormat1(old, writesOfFormat1());
    const storage = await open();
    expect(await textsOf(storage)).toHaveLength(8);
    expect(() => old.transaction('items')).toThrow();
    await expect(openFormat1('mine')).rejects.toMatchObject({ name: 'VersionError' });
  });

  test('is waited for, and told, while a tab with the older version cannot close it', async () => {
    const old = await openFormat1('mine', { keepsOpen: true });
    await writeFormat1(old, writesOfFormat1());
    const problems: Error[] = [];
    const opening = open(problems);
    await vi.waitFor(() => expect(codesOf(problems)).toEqual(['outbox-blocked']));
    // The older tab still works, and what it stores is converted as well.
    await writeFormat1(old, [{ key: 'late', scope: 'a', data: 'late' }]);
    old.close();
    expect(await textsOf(await opening)).toHaveLength(9);
  });

  test('keeps writes that cannot be read aside, and tells their number', async () => {
    const old = await openFormat1('mine');
    await writeFormat1(old, [
      { key: 'good', scope: 'a', data: 'good' },
      { key: 'half', scope: 'a' },
      { key: 7, data: 'b' },
    ]);
    old.close();
    const problems: Error[] = [];
    const storage = await open(problems);
    expect(await textsOf(storage)).toEqual(['good']);
    expect(problems).toMatchObject([{ code: 'outbox-set-aside', params: { count: 2, store: 'damaged' } }]);
  });

  test('stays as it is when the conversion fails', async () => {
    const old = await openFormat1('mine');
    await writeFormat1(old, writesOfFormat1());
    old.close();
    const add = vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await expect(open()).rejects.toMatchObject({ name: 'OutboxError' });
    add.mockRestore();
    const again = await openFormat1('mine');
    const all = again.transaction('items').objectStore('items').getAll();
    await ended(all);
    expect(all.result).toHaveLength(9);
    again.close();
  });
});

describe('a database', () => {
  test('is opened once in a page', async () => {
    const first = indexedDbStorage('mine');
    await first.open(() => undefined);
    const second = indexedDbStorage('mine');
    await expect(second.open(() => undefined)).rejects.toMatchObject({ code: 'outbox-opened-twice' });
    await indexedDbStorage('other').open(() => undefined);
    await first.append([change('r')]);
    await first.close();
    await second.open(() => undefined);
    expect(await textsOf(second)).toEqual(['x']);
  });

  test('can be opened again after an opening that failed', async () => {
    const storage = indexedDbStorage('mine');
    const { open: openDatabase } = globalThis.indexedDB;
    globalThis.indexedDB.open = () => {
      throw new DOMException('no', 'InvalidStateError');
    };
    await expect(storage.open(() => undefined)).rejects.toMatchObject({ code: 'outbox-storage', retryable: true });
    globalThis.indexedDB.open = openDatabase;
    await storage.open(() => undefined);
    await storage.append([change('r')]);
  });

  test('is refused where the browser has none, as in some private windows', async () => {
    globalThis.indexedDB = undefined as unknown as IDBFactory;
    await expect(indexedDbStorage('mine').open(() => undefined)).rejects.toMatchObject({ code: 'outbox-storage' });
  });

  test('of a newer version is refused, and taken over by a newer tab with a word to the older one', async () => {
    const problems: Error[] = [];
    const storage = await open(problems);
    await storage.append([change('r')]);
    const request = indexedDB.open('mine', 3);
    await ended(request);
    expect(codesOf(problems)).toEqual(['outbox-version']);
    await expect(storage.append([change('r')])).rejects.toMatchObject({ code: 'outbox-version' });
    await storage.close();
    await expect(open()).rejects.toMatchObject({ code: 'outbox-version', params: { known: 2 } });
    const all = request.result.transaction('changes').objectStore('changes').getAll();
    await ended(all);
    expect(all.result).toHaveLength(1);
  });

  test('that the browser closes is told, and opened again for the next step', async () => {
    const problems: Error[] = [];
    const storage = tabs.createStorage('mine');
    await storage.open((problem) => problems.push(problem));
    await storage.append([change('r', 'one')]);
    tabs.disconnect(storage);
    await vi.waitFor(() => expect(codesOf(problems)).toEqual(['outbox-disconnected']));
    await storage.append([change('r', 'two')]);
    expect(await textsOf(storage)).toEqual(['one', 'two']);
    expect(problems).toHaveLength(1);
  });

  test('that is deleted is told, and made anew for the next step', async () => {
    const problems: Error[] = [];
    const storage = await open(problems);
    await storage.append([change('r', 'one')]);
    await ended(indexedDB.deleteDatabase('mine'));
    expect(codesOf(problems)).toEqual(['outbox-disconnected']);
    await storage.append([change('r', 'two')]);
    expect(codesOf(problems)).toEqual(['outbox-disconnected', 'outbox-emptied']);
    expect(await textsOf(storage)).toEqual(['two']);
  });

  test('leaves out items that cannot be read, tells it once, and keeps them', async () => {
    const problems: Error[] = [];
    const storage = await open(problems);
    await storage.append([change('r', 'one')]);
    const connection = indexedDB.open('mine');
    await ended(connection);
    const transaction = connection.result.transaction(['changes', 'outcomes'], 'readwrite');
    transaction.objectStore('changes').add({ scope: 'a', record: 'r' });
    transaction.objectStore('changes').add({ scope: 'a', record: 'r', data: 7 });
    transaction.objectStore('outcomes').add({ place: 5, scope: 'a', record: 'r', keys: 'none' });
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    for (let time = 0; time < 2; time += 1)
      expect(await storage.read({ scope: 'a' })).toMatchObject({ items: [{ data: 'one' }], outcomes: [] });
    expect(problems).toMatchObject([
      { code: 'outbox-set-aside', params: { count: 2, store: 'changes' } },
      { code: 'outbox-set-aside', params: { count: 1, store: 'outcomes' } },
    ]);
  });
});

describe('a full or failing database', () => {
  test.each(['add', 'put', 'delete', 'get', 'getAll'] as const)('refuses the step as a whole (%s)', async (name) => {
    const storage = await open();
    const [a = 0, b = 0] = await storage.append([change('r', 'one'), change('r', 'two')]);
    const prototypes = [IDBObjectStore.prototype, IDBIndex.prototype];
    for (const prototype of prototypes.filter((each) => name in each)) {
      const original = prototype[name as 'get'];
      let calls = 0;
      vi.spyOn(prototype, name as 'get').mockImplementation(function (this: IDBObjectStore & IDBIndex, ...args) {
        calls += 1;
        // The first call of a step succeeds where there are several.
        if (calls > 1) throw new DOMException('full', 'QuotaExceededError');
        return original.apply(this, args);
      });
    }
    const steps = [
      () => storage.append([change('r', 'three'), change('r', 'four')]),
      () =>
        storage.update([
          { key: a, progress: 'one' },
          { key: b, progress: 'one' },
        ]),
      () => storage.remove(sent('r', [a, b]), { identity: change('r', '7'), progress: [{ key: b, progress: 'x' }] }),
      () => storage.read({ scope: 'a', records: ['r', 's'] }),
    ];
    const results = await Promise.allSettled(steps.map((step) => step()));
    vi.restoreAllMocks();
    for (const [at, result] of results.entries()) {
      if (result.status === 'rejected')
        expect([at, result.reason]).toMatchObject([at, { code: 'outbox-quota', retryable: true }]);
    }
    const { items, identities, outcomes } = await storage.read({ scope: 'a' });
    const isDone = (at: number) => results[at]?.status === 'fulfilled';
    expect(items.map(({ data }) => data)).toEqual([
      ...(isDone(2) ? [] : ['one', 'two']),
      ...(isDone(0) ? ['three', 'four'] : []),
    ]);
    expect([identities.length, outcomes.length]).toEqual(isDone(2) ? [1, 1] : [0, 0]);
    expect(new Set(items.slice(0, 2).map(({ progress }) => progress)).size).toBe(1);
    expect(results.some(({ status }) => status === 'rejected')).toBe(true);
  });

  test('refuses a step whose transaction the browser aborts', async () => {
    const storage = await open();
    const put = vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(function (this: IDBObjectStore) {
      this.transaction.abort();
      throw new DOMException('aborted', 'AbortError');
    });
    await expect(storage.append([change('r')])).rejects.toMatchObject({ code: 'outbox-storage' });
    put.mockRestore();
    expect(await textsOf(storage)).toEqual([]);
  });
});
