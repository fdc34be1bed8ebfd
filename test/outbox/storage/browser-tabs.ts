import 'fake-indexeddb/auto';
import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb';
import { indexedDbStorage } from '../../../src/outbox/storage/indexed-db-storage.js';
import type { OutboxStorage } from '../../../src/outbox/storage/outbox-storage.js';

/** The tabs of one browser: each sees the same databases through an `indexedDB` of its own. */
export class BrowserTabs {
  private readonly databases: IDBFactory = new IDBFactory();
  private readonly connections: Map<OutboxStorage, IDBDatabase[]> = new Map();

  /** A storage in a new tab. */
  createStorage(name: string = 'test'): OutboxStorage {
    const connections: IDBDatabase[] = [];
    const ofTab = this.factoryOfTab(connections);
    const storage = indexedDbStorage(name);
    const { open } = storage;
    storage.open = (problem) => {
      globalThis.indexedDB = ofTab;
      return open.call(storage, problem);
    };
    this.connections.set(storage, connections);
    return storage;
  }

  /** Ends the tab of a storage: the browser aborts what it has not done, and closes the connections. */
  kill(storage: OutboxStorage): void {
    for (const connection of this.connections.get(storage) ?? []) connection.close();
  }

  /** Closes the connections of a tab, as a browser does whose disk fails or whose user clears the data. */
  disconnect(storage: OutboxStorage): void {
    for (const connection of this.connections.get(storage) ?? []) forceCloseDatabase(connection as never);
  }

  /** The `indexedDB` of one page. */
  factoryOfTab(connections: IDBDatabase[] = []): IDBFactory {
    const { databases } = this;
    return {
      open: (name: string, version?: number) => {
        const request = databases.open(name, version);
        request.addEventListener('success', () => connections.push(request.result));
        return request;
      },
      deleteDatabase: (name: string) => databases.deleteDatabase(name),
      databases: () => databases.databases(),
      cmp: (a: unknown, b: unknown) => databases.cmp(a, b),
    } as IDBFactory;
  }
}
