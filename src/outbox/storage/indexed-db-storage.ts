import type { IDBPDatabase } from 'idb';
import { OutboxError } from '../outbox-error.js';
import { isItem, isOutcome } from './file-lines.js';
import {
  ABOUT,
  allRequests,
  changeProgress,
  DATABASE_VERSION,
  type LogDatabase,
  type LogTransaction,
  STORES,
  upgrade,
} from './log-database.js';
import { Occupancy, openDatabases } from './occupancy.js';
import type {
  ItemProgress,
  Leaving,
  LogQuery,
  LogView,
  OutboxStorage,
  Outcome,
  ProblemListener,
  PruneQuery,
  RemovalOptions,
  StorageChange,
  StoredItem,
} from './outbox-storage.js';
import { storageError } from './storage-error.js';
import { TabChannel } from './tab-channel.js';

/** Keeps changes in an IndexedDB database, which all tabs of the browser share. */
class IndexedDbStorage implements OutboxStorage {
  readonly shared: boolean = true;
  private readonly occupancy: Occupancy = new Occupancy();
  private channel: TabChannel | undefined = undefined;
  private database: IDBPDatabase<LogDatabase> | undefined = undefined;
  private connecting: Promise<IDBPDatabase<LogDatabase>> | undefined = undefined;
  /** The error of all calls until the storage is opened again. */
  private closedBy: OutboxError | undefined = new OutboxError('outbox-closed');
  /** Names the database, which the user or the browser may delete at any time; another one is then made. */
  private created: string | undefined = undefined;
  private problem: ProblemListener = () => undefined;
  /** The stores for which unreadable items were reported. */
  private readonly reported: Set<string> = new Set();

  constructor(private readonly name: string) {}

  async open(problem: ProblemListener, leaving?: Leaving): Promise<void> {
    const { name } = this;
    const refusal = () => new OutboxError('outbox-opened-twice', { what: `The database '${name}'` });
    await this.occupancy.take(openDatabases(), name, refusal, leaving);
    this.problem = problem;
    this.closedBy = undefined;
    this.created = undefined;
    try {
      await this.connected();
      this.channel = new TabChannel(`repose-outbox/${name}`);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async append(items: readonly StoredItem[]): Promise<readonly number[]> {
    const keys = await this.write(async (transaction) => {
      const changes = transaction.objectStore('changes');
      return await allRequests(
        items.map(
          ({ scope, record, data }) =>
            () =>
              changes.add({ scope, record, data }),
        ),
      );
    });
    this.tell(items);
    return keys as number[];
  }

  async read({ scope, records, after = 0 }: LogQuery): Promise<LogView> {
    const ranges = records
      ? [...new Set(records)].map((record) => IDBKeyRange.only([scope, record]))
      : [IDBKeyRange.bound([scope], [scope, []])];
    const view = await this.transact('read', 'readonly', async (transaction) => {
      const all = async <T>(read: (range: IDBKeyRange) => Promise<T[]>) =>
        (await allRequests(ranges.map((range) => () => read(range)))).flat() as T[];
      const outcomeStore = transaction.objectStore('outcomes');
      const [items, identities, outcomes, place] = await allRequests([
        () => all((range) => transaction.objectStore('changes').index('record').getAll(range)),
        () => all((range) => transaction.objectStore('identities').getAll(range)),
        () =>
          // Most reads ask for the newest outcomes of all records.
          records
            ? all((range) => outcomeStore.index('record').getAll(range))
            : outcomeStore.getAll(IDBKeyRange.lowerBound(after, true)),
        () => transaction.objectStore('about').get(ABOUT.place),
      ]);
      return { items, identities, outcomes, place: Number(place ?? 0) };
    });
    const items = this.readable('changes', view.items, isItem);
    const outcomes = this.readable('outcomes', view.outcomes, isOutcome);
    return {
      items: items
        .map(({ key, progress, ...item }) => ({ ...item, key: key as number, progress }))
        .sort((a, b) => a.key - b.key),
      identities: view.identities,
      outcomes: outcomes
        .filter((outcome) => outcome.scope === scope && outcome.place > after)
        .sort((a, b) => a.place - b.place),
      place: view.place,
    };
  }

  async update(progress: readonly ItemProgress[], unchanged: readonly ItemProgress[] = []): Promise<void> {
    this.tell(await this.write((transaction) => changeProgress(transaction, progress, unchanged)));
  }

  async remove(outcome: Outcome, { identity, progress = [], unchanged = [] }: RemovalOptions = {}): Promise<void> {
    const { scope, record, keys, type, data } = outcome;
    const changed = await this.write(async (transaction) => {
      const about = transaction.objectStore('about');
      const [others, place] = await allRequests([
        () => changeProgress(transaction, progress, unchanged),
        () => about.get(ABOUT.place),
      ]);
      const next = Number(place ?? 0) + 1;
      await allRequests([
        () => about.put(next, ABOUT.place),
        () => transaction.objectStore('outcomes').add({ place: next, scope, record, keys, type, data }),
        ...keys.map((key) => () => transaction.objectStore('changes').delete(key)),
        ...(identity ? [() => transaction.objectStore('identities').put(identity)] : []),
      ]);
      return others;
    });
    this.tell([outcome, ...changed]);
  }

  async prune({ scope, before, records }: PruneQuery): Promise<void> {
    await this.write(async (transaction) => {
      const outcomes = transaction.objectStore('outcomes');
      const old = await outcomes.getAll(IDBKeyRange.upperBound(before, true));
      await allRequests([
        ...old
          .filter((outcome) => outcome.scope === scope)
          .map(
            ({ place }) =>
              () =>
                outcomes.delete(place),
          ),
        ...records.map((record) => () => transaction.objectStore('identities').delete([scope, record])),
      ]);
    });
  }

  watch(listener: (change: StorageChange) => void): () => void {
    return this.channel?.listen(listener) ?? (() => undefined);
  }

  async close(): Promise<void> {
    this.closedBy = new OutboxError('outbox-closed');
    this.occupancy.leave();
    this.channel?.close();
    this.channel = undefined;
    const database = this.database ?? (await this.connecting?.catch(() => undefined));
    this.database = undefined;
    this.connecting = undefined;
    database?.close();
  }

  /** Tells other tabs which records were changed. */
  private tell(changed: readonly { readonly scope: string; readonly record: string }[]): void {
    for (const scope of new Set(changed.map((each) => each.scope))) {
      const records = changed.filter((each) => each.scope === scope).map(({ record }) => record);
      this.channel?.tell({ scope, records: [...new Set(records)] });
    }
  }

  /** Leaves out what cannot be read, and reports it once. */
  private readable<T, R extends T>(store: string, values: readonly T[], isReadable: (value: T) => boolean): R[] {
    const readable = values.filter(isReadable) as R[];
    const count = values.length - readable.length;
    if (count > 0 && !this.reported.has(store)) {
      this.reported.add(store);
      this.problem(new OutboxError('outbox-set-aside', { name: this.name, count, store }));
    }
    return readable;
  }

  private write<T>(work: (transaction: LogTransaction<'readwrite'>) => Promise<T>): Promise<T> {
    return this.transact('write to', 'readwrite', work);
  }

  /** Does one step of the storage in one transaction. Resolves when its result would survive a crash. */
  private async transact<Mode extends 'readonly' | 'readwrite', T>(
    what: string,
    mode: Mode,
    work: (transaction: LogTransaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const database = await this.connected();
    try {
      const transaction = database.transaction(STORES, mode, { durability: 'strict' });
      const working = work(transaction).catch((error: unknown) => {
        abort(transaction);
        throw error;
      });
      const [result] = await Promise.all([working, transaction.done]);
      return result;
    } catch (error) {
      throw storageError(`${what} '${this.name}'`, error);
    }
  }

  /** The open database. A database that the browser has closed is opened again. */
  private async connected(): Promise<IDBPDatabase<LogDatabase>> {
    if (this.closedBy) throw this.closedBy;
    if (this.database) return this.database;
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    return await this.connecting;
  }

  private async connect(): Promise<IDBPDatabase<LogDatabase>> {
    const { name } = this;
    let damaged = 0;
    let failure: unknown;
    try {
      const { openDB } = await import('idb');
      const database = await openDB<LogDatabase>(name, DATABASE_VERSION, {
        upgrade: async (opened, oldVersion, _, transaction) => {
          // The opening reports a failure.
          transaction.done.catch(() => undefined);
          damaged = await upgrade(opened, oldVersion, transaction).catch((error: unknown) => {
            failure = error;
            abort(transaction);
            return 0;
          });
        },
        blocked: () => this.problem(new OutboxError('outbox-blocked', { name })),
        blocking: (_, version) => this.makeWay(version),
        terminated: () => this.disconnected(),
      });
      const created = await database.get('about', ABOUT.created);
      const isAnother = this.created !== undefined && this.created !== created;
      this.created = String(created);
      if (this.closedBy) database.close();
      else this.database = database;
      if (damaged > 0) this.problem(new OutboxError('outbox-set-aside', { name, count: damaged, store: 'damaged' }));
      if (isAnother) this.problem(new OutboxError('outbox-emptied', { name }));
      return database;
    } catch (error) {
      if ((error as Error).name !== 'VersionError') throw storageError(`open '${name}'`, failure ?? error);
      const params = { what: `'${name}'`, version: 'newer', known: DATABASE_VERSION };
      throw new OutboxError('outbox-version', params, { cause: error });
    }
  }

  /** Closes the database for a tab with a newer version of the application, or for somebody who deletes it. Both have to wait otherwise. */
  private makeWay(version: number | null): void {
    const { database, name } = this;
    this.database = undefined;
    database?.close();
    if (version === null) return this.disconnected();
    this.closedBy = new OutboxError('outbox-version', { what: `'${name}'`, version, known: DATABASE_VERSION });
    this.problem(this.closedBy);
  }

  private disconnected(): void {
    this.database = undefined;
    if (!this.closedBy) this.problem(new OutboxError('outbox-disconnected', { name: this.name }));
  }
}

/** Takes back all that a transaction has done so far. Without this, the requests that have succeeded would be kept. */
function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // A request that failed has ended the transaction already.
  }
}

/**
 * A storage in the browser's IndexedDB, which all tabs share. Needs the package `idb`, which is loaded when the storage is opened. One
 * page opens each name only once.
 *
 * @example
 * ```ts
 * const kept = new Outbox({ scope: 'user-7', storage: indexedDbStorage('my-app'), models: [User] });
 * await kept.ready; // edits that were saved offline, also before a reload, are sent when there is a network
 * ```
 */
export function indexedDbStorage(name: string = 'repose-outbox'): OutboxStorage {
  return new IndexedDbStorage(name);
}
