import type { IDBPDatabase } from 'idb';
import { OutboxError } from './outbox-error.js';
import type { OutboxStorage, StorageChange, StoredItem } from './outbox-storage.js';
import { storageError } from './storage/node-files.js';

const VERSION = 1;
const ITEMS = 'items';

/** Keeps writes in an IndexedDB database, which all tabs of the browser share. */
class IndexedDbStorage implements OutboxStorage {
  readonly shared: boolean = true;
  private database: IDBPDatabase | undefined = undefined;

  constructor(private readonly name: string) {}

  async open(): Promise<void> {
    const { name } = this;
    try {
      const { openDB } = await import('idb');
      this.database = await openDB(name, VERSION, {
        upgrade: (database) => void database.createObjectStore(ITEMS, { keyPath: 'key' }),
        // A tab with a newer version of the page cannot open the database before this tab closes it.
        blocking: () => void this.close(),
        terminated: () => {
          this.database = undefined;
        },
      });
    } catch (error) {
      await this.close();
      if ((error as Error).name === 'VersionError')
        throw new OutboxError(
          'outbox-version',
          { what: `'${name}'`, version: 'newer', known: VERSION },
          { cause: error },
        );
      throw storageError(`open '${name}'`, error);
    }
  }

  async all(): Promise<readonly StoredItem[]> {
    return await this.withDatabase('read', (database) => database.getAll(ITEMS) as Promise<StoredItem[]>);
  }

  async get(key: string): Promise<StoredItem | undefined> {
    return await this.withDatabase('read', (database) => database.get(ITEMS, key) as Promise<StoredItem | undefined>);
  }

  async change(changes: readonly StorageChange[]): Promise<void> {
    await this.withDatabase('write to', async (database) => {
      const transaction = database.transaction(ITEMS, 'readwrite', { durability: 'strict' });
      const { store, done } = transaction;
      const requests = changes.map((change) => ('put' in change ? store.put(change.put) : store.delete(change.delete)));
      await Promise.all([...requests, done]);
    });
  }

  close(): Promise<void> {
    this.database?.close();
    this.database = undefined;
    return Promise.resolve();
  }

  private async withDatabase<T>(what: string, callback: (database: IDBPDatabase) => Promise<T>): Promise<T> {
    const { name, database } = this;
    if (!database) throw new OutboxError('outbox-closed');
    try {
      return await callback(database);
    } catch (error) {
      throw storageError(`${what} '${name}'`, error);
    }
  }
}

/** A storage in the browser's IndexedDB. Needs the package `idb`, which is loaded when the storage is opened. */
export function indexedDbStorage(name: string = 'repose-outbox'): OutboxStorage {
  return new IndexedDbStorage(name);
}
