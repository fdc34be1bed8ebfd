import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb';
import { randomUuid } from '../../model/identifier.js';
import { OutboxError } from '../outbox-error.js';
import type { ItemProgress, StoredIdentity, StoredItem, StoredOutcome } from './outbox-storage.js';
import { isWholeWrite } from './whole-writes.js';

/** The version of the database. Version 1 held writes that were replaced as a whole, in the store `items`. */
export const DATABASE_VERSION = 2;

/** The keys of the store `about`. */
export const ABOUT = {
  /** Names the database, so that a database that was deleted and made again is recognised. */
  created: 'created',
  /** The greatest place of an outcome. */
  place: 'place',
} as const;

/** A change in the database, which gives it its key. */
interface DatabaseItem extends StoredItem {
  readonly key?: number;
  readonly progress?: string | undefined;
}

/** The stores of the database. */
export interface LogDatabase extends DBSchema {
  changes: { key: number; value: DatabaseItem; indexes: { record: [string, string] } };
  outcomes: { key: number; value: StoredOutcome; indexes: { record: [string, string] } };
  identities: { key: [string, string]; value: StoredIdentity };
  about: { key: string; value: string | number };
  /** Writes of format 1 that could not be read. */
  damaged: { key: number; value: unknown };
}

/** The stores that each step uses. */
export const STORES: ['changes', 'outcomes', 'identities', 'about'] = ['changes', 'outcomes', 'identities', 'about'];

/** A transaction over all stores that steps use. */
export type LogTransaction<Mode extends IDBTransactionMode> = IDBPTransaction<LogDatabase, typeof STORES, Mode>;

/**
 * Makes requests in parallel. A request that cannot even be made fails like the others, so that the failures of the others, which its end
 * of the transaction causes, are handled as well.
 */
export function allRequests<const Requests extends readonly (() => Promise<unknown>)[]>(
  requests: Requests,
): Promise<{ -readonly [At in keyof Requests]: Awaited<ReturnType<Requests[At]>> }> {
  const results = Promise.all(requests.map(async (request) => await request()));
  return results as Promise<never>;
}

/** Makes the stores, and converts the writes of version 1. Resolves with the number of writes that could not be read. */
export async function upgrade(
  database: IDBPDatabase<LogDatabase>,
  oldVersion: number,
  transaction: IDBPTransaction<LogDatabase, StoreNames<LogDatabase>[], 'versionchange'>,
): Promise<number> {
  const changes = database.createObjectStore('changes', { keyPath: 'key', autoIncrement: true });
  changes.createIndex('record', ['scope', 'record']);
  const outcomes = database.createObjectStore('outcomes', { keyPath: 'place' });
  outcomes.createIndex('record', ['scope', 'record']);
  database.createObjectStore('identities', { keyPath: ['scope', 'record'] });
  const about = database.createObjectStore('about');
  await about.add(randomUuid(), ABOUT.created);
  const damaged = database.createObjectStore('damaged', { autoIncrement: true });
  if (oldVersion !== 1) return 0;
  const old = database as unknown as IDBPDatabase;
  const writes: unknown[] = await (transaction as unknown as IDBPTransaction<unknown, string[], 'versionchange'>)
    .objectStore('items')
    .getAll();
  // The texts stay as they are, because they may be encrypted: the outbox reads both forms.
  const readable = writes.filter(isWholeWrite).map(({ key, scope, data }) => ({ scope, record: key, data }));
  const unreadable = writes.filter((write) => !isWholeWrite(write));
  await allRequests([
    ...readable.map((item) => () => changes.add(item)),
    ...unreadable.map((write) => () => damaged.add(write)),
  ]);
  old.deleteObjectStore('items');
  return unreadable.length;
}

/**
 * Replaces the progress of changes. Resolves with these changes. Throws `OutboxError` if one of `unchanged` is stored no longer or has
 * another progress.
 */
export async function changeProgress(
  transaction: LogTransaction<'readwrite'>,
  progress: readonly ItemProgress[],
  unchanged: readonly ItemProgress[],
): Promise<readonly StoredItem[]> {
  const changes = transaction.objectStore('changes');
  const expected = await allRequests(
    unchanged.map(
      ({ key }) =>
        () =>
          changes.get(key),
    ),
  );
  for (const [at, each] of unchanged.entries()) {
    if (!expected[at] || expected[at].progress !== each.progress) throw new OutboxError('outbox-taken-over');
  }
  const items = await allRequests(
    progress.map(
      ({ key }) =>
        () =>
          changes.get(key),
    ),
  );
  const changed = items.flatMap((item, at) => (item ? { ...item, progress: progress[at]?.progress } : []));
  await allRequests(changed.map((item) => () => changes.put(item)));
  return changed;
}
