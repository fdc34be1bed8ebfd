import type { OutboxStorage, StorageChange, StoredItem } from './outbox-storage.js';

/** Keeps writes until the process ends: for tests, and for applications that only want failed writes to be sent again. */
class MemoryStorage implements OutboxStorage {
  readonly shared: boolean = false;
  private readonly items: Map<string, StoredItem> = new Map();

  open(): Promise<void> {
    return Promise.resolve();
  }

  all(): Promise<readonly StoredItem[]> {
    return Promise.resolve([...this.items.values()]);
  }

  get(key: string): Promise<StoredItem | undefined> {
    return Promise.resolve(this.items.get(key));
  }

  change(changes: readonly StorageChange[]): Promise<void> {
    for (const change of changes) {
      if ('put' in change) this.items.set(change.put.key, change.put);
      else this.items.delete(change.delete);
    }
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A storage in memory. It outlives its outbox: another outbox that is opened with it finds the remaining writes. */
export function memoryStorage(): OutboxStorage {
  return new MemoryStorage();
}
