import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A write as version 1 of the database keeps it. */
export interface WriteOfFormat1 {
  readonly key: string;
  readonly scope: string;
  readonly data: string;
}

/** The writes in the file of format 1. */
export function writesOfFormat1(): WriteOfFormat1[] {
  const writes = new Map<string, WriteOfFormat1>();
  const text = readFileSync(path.join(import.meta.dirname, 'fixtures/format-1.jsonl'), 'utf8');
  for (const line of text.split('\n').slice(1).filter(Boolean)) {
    for (const change of JSON.parse(line) as ({ put: WriteOfFormat1 } | { delete: string })[]) {
      if ('put' in change) writes.set(change.put.key, change.put);
      else writes.delete(change.delete);
    }
  }
  return [...writes.values()];
}

/** Opens a database as version 1 of the package did. A newer tab can take it over unless `keepsOpen` is set. */
export async function openFormat1(name: string, { keepsOpen = false } = {}): Promise<IDBDatabase> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('items', { keyPath: 'key' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as Error);
  });
  database.onversionchange = () => {
    if (!keepsOpen) database.close();
  };
  return database;
}

/** Stores writes as version 1 of the package did. */
export async function writeFormat1(database: IDBDatabase, writes: readonly unknown[]): Promise<void> {
  const transaction = database.transaction('items', 'readwrite');
  for (const write of writes) transaction.objectStore('items').put(write);
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error as Error);
  });
}
