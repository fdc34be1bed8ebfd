import type { LogView, OutboxStorage, Outcome, StoredItem } from '../outbox/storage/outbox-storage.js';
import type { StoragePlace } from './storage-contract.js';

/** The place of one test, and the storages that were opened over it. */
export class StorageFixture {
  private readonly opened: Set<OutboxStorage> = new Set();
  /** The problems that storages reported. */
  readonly problems: Error[] = [];

  constructor(private readonly place: StoragePlace) {}

  /** Opens a storage, as another tab or process does. */
  async open(): Promise<OutboxStorage> {
    const storage = await this.place.createStorage();
    await storage.open((error) => this.problems.push(error));
    this.opened.add(storage);
    return storage;
  }

  async close(storage: OutboxStorage): Promise<void> {
    this.opened.delete(storage);
    await storage.close();
  }

  /** Ends the tab or process of a storage without closing the storage. */
  async kill(storage: OutboxStorage): Promise<void> {
    this.opened.delete(storage);
    if (this.place.kill) await this.place.kill(storage);
    else await storage.close();
  }

  /** The contents, as a tab or process finds them that is opened after all others have ended. */
  async reopened(): Promise<LogView> {
    for (const storage of this.opened) await this.close(storage);
    const storage = await this.open();
    const view = await storage.read({ scope: 'a' });
    await this.close(storage);
    return view;
  }

  async end(): Promise<void> {
    for (const storage of this.opened) await this.close(storage).catch(() => undefined);
  }
}

/** A change of a record. */
export function change(record: string, data: string = `change of ${record}`, scope: string = 'a'): StoredItem {
  return { scope, record, data };
}

/** An outcome of changes of a record. */
export function sent(record: string, keys: readonly number[], data: string = 'sent'): Outcome {
  return { scope: 'a', record, keys, type: 'sent', data };
}

/** The texts of the changes in a view, in their order. */
export function textsOf({ items }: LogView): string[] {
  return items.map(({ data }) => data);
}

/** Lets work continue that is under way: once through the queue of tasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
