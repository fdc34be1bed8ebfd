import type { LockManager, LoggedItem, OutboxStorage, StorageChange, StoredItem } from 'repose/outbox';
import { memoryStorage } from 'repose/outbox';

/** A storage with a method for tests: all changes that are stored. */
export interface TestStorage extends OutboxStorage {
  all(): Promise<readonly LoggedItem[]>;
}

/** A storage that outlives its process: a later process opens it, though the earlier one was never closed. */
export function disk(inner: OutboxStorage = memoryStorage(), shared = false): TestStorage {
  let opening: Promise<void> | undefined;
  const scopes = new Set<string>();
  return {
    shared,
    open: (problem) => (opening ??= inner.open(problem)),
    append: (items) => {
      for (const { scope } of items) scopes.add(scope);
      return inner.append(items);
    },
    read: (query) => inner.read(query),
    update: (...given) => inner.update(...given),
    remove: (...given) => inner.remove(...given),
    prune: (query) => inner.prune(query),
    watch: (listener) => inner.watch(listener),
    close: async () => undefined,
    all: async () => {
      const views = await Promise.all([...scopes].map((scope) => inner.read({ scope })));
      return views.flatMap(({ items }) => items);
    },
  };
}

/** A storage as it is, with the method for tests. */
export function listed(storage: OutboxStorage, scope = 'user-7'): TestStorage {
  return Object.assign(storage, { all: async () => (await storage.read({ scope })).items });
}

/** Copies what is stored, as another process would find it if this one ended now. */
export async function copyItems(from: TestStorage, to: TestStorage): Promise<void> {
  const items = await from.all();
  await to.open(() => undefined);
  const keys = await to.append(items.map(({ scope, record, data }) => ({ scope, record, data })));
  await to.update(items.map(({ progress }, at) => ({ key: keys[at] as number, progress })));
}

/** The storage of one tab. `end()` ends the tab without a word: it is told nothing any more. */
export interface TabStorage extends TestStorage {
  end(): void;
}

/** A storage that several tabs share, and that tells each of them what the others write. */
export function sharedStorage(): TestStorage & { tab(): TabStorage } {
  const storage = disk(memoryStorage(), true);
  const listeners = new Set<(change: StorageChange) => void>();
  const items = new Map<number, StoredItem>();
  const tab = (): TabStorage => {
    const own = new Set<(change: StorageChange) => void>();
    const tell = (changed: readonly StoredItem[]) => {
      for (const scope of new Set(changed.map((each) => each.scope))) {
        const records = changed.filter((each) => each.scope === scope).map(({ record }) => record);
        for (const listener of [...listeners])
          if (!own.has(listener)) queueMicrotask(() => listeners.has(listener) && listener({ scope, records }));
      }
    };
    return {
      ...storage,
      append: async (added) => {
        const keys = await storage.append(added);
        for (const [at, key] of keys.entries()) items.set(key, added[at] as StoredItem);
        tell(added);
        return keys;
      },
      update: async (...given) => {
        await storage.update(...given);
        tell(given[0].flatMap(({ key }) => items.get(key) ?? []));
      },
      remove: async (...given) => {
        await storage.remove(...given);
        tell([{ ...given[0], data: '' }]);
      },
      watch: (listener) => {
        own.add(listener);
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      end: () => {
        for (const listener of own) listeners.delete(listener);
      },
    };
  };
  return { ...storage, tab };
}

/** The Web Locks of one browser. */
export function fakeLocks(): LockManager {
  const tails = new Map<string, Promise<unknown>>();
  return {
    request(name, callback) {
      const held = (tails.get(name) ?? Promise.resolve()).then(callback);
      tails.set(
        name,
        held.catch(() => undefined),
      );
      return held;
    },
  };
}
