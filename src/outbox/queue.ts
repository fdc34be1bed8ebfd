import type { DataError } from '../errors/data-error.js';
import type { InnerRecord } from '../model/record.js';
import { type IdKey, idKeyOf } from '../store/id-index.js';
import { isPlainObject } from '../util/values.js';
import type { EntryCodec } from './entry-codec.js';
import { EntryIndex } from './entry-index.js';
import { type EntryState, isAgainstConflict, type OutboxEntry } from './outbox-entry.js';
import type { OutboxError } from './outbox-error.js';
import type { OutboxStorage, StorageChange, StoredItem } from './outbox-storage.js';

/** A stored write with its state in this process. */
export interface Item {
  entry: OutboxEntry;
  /** The record of the write, once there is one. */
  record: InnerRecord | undefined;
  /** When the write is to be sent again, in milliseconds since 1970. */
  dueAt: number;
  /** The wait after the last failure, in milliseconds. */
  wait: number;
  /** The number of failed attempts in this process. */
  failures: number;
  /** The number of failed attempts that the server has answered. */
  refusals: number;
  /** The attempt of the outbox to send the write; undefined: the outbox is not sending it. */
  sending: Promise<void> | undefined;
  /** Whether the journal has worked out the consequences of the last attempt. */
  isHandled: boolean;
  /** Whether the write is sent again at once if the attempt in flight fails. */
  retryAtOnce: boolean;
  /** The number of operations in progress that include the write. */
  activeWrites: number;
  /** Whether the write was stored when the outbox was opened. Another tab may have sent it since. */
  wasStored: boolean;
  /** The error of the last attempt in this process. */
  error: DataError | undefined;
}

/** A stored write that cannot be read. */
export interface Unreadable {
  readonly item: StoredItem;
  readonly error: OutboxError;
}

/** The writes of one scope, in memory and in the storage. */
export class Queue {
  /** The writes by the keys of their records, in their order. */
  readonly items: Map<string, Item> = new Map();
  /** The stored writes that cannot be read here, by the keys of their records. */
  readonly unreadable: Map<string, Unreadable> = new Map();
  readonly index: EntryIndex = new EntryIndex();
  private lastSeq = 0;
  /** Resolves when the latest changes have been handed to the storage. */
  private lastHandOver: Promise<unknown> = Promise.resolve();
  /** The keys whose state in the storage is outdated because the storage failed, each with a mark of its last failure. */
  private readonly unstored: Map<string, object> = new Map();
  /** The commits that the storage has not confirmed yet: the items before each of them, by key, to restore if the storage fails. */
  private readonly pendingCommits: Set<Map<string, unknown>> = new Set();
  /** For an entry that could not be stored, and that a newer entry has replaced: the entry that the storage still holds. */
  private readonly storedBefore: WeakMap<OutboxEntry, OutboxEntry | undefined> = new WeakMap();

  constructor(
    readonly scope: string,
    readonly storage: OutboxStorage,
    private readonly codec: EntryCodec,
    private readonly onChange: () => void,
  ) {}

  /** Reads the stored writes of the scope. */
  async load(): Promise<void> {
    const stored = (await this.storage.all()).filter(({ scope }) => scope === this.scope);
    const entries: OutboxEntry[] = [];
    for (const item of stored) {
      try {
        entries.push(await this.codec.read(item));
      } catch (error) {
        this.unreadable.set(item.key, { item, error: error as OutboxError });
      }
    }
    for (const entry of entries.sort((a, b) => a.seq - b.seq || a.createdAt - b.createdAt)) this.add(entry, true);
  }

  /** The next sequence number of an entry. */
  nextSeq(): number {
    this.lastSeq += 1;
    return this.lastSeq;
  }

  get(key: string): Item | undefined {
    return this.items.get(key);
  }

  /**
   * The writes of a model's records that have an id on the server, by the keys of these ids. If several record objects have the same id,
   * the first write counts.
   */
  byId(model: string): Map<IdKey, Item> {
    const byKey = new Map<IdKey, Item>();
    for (const item of this.items.values()) {
      const key = item.entry.model === model ? idOf(item.entry) : undefined;
      if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
    }
    return byKey;
  }

  /** The first queued write that was saved before the given one, of another record object with the same id. */
  earlierWrite(entry: OutboxEntry): Item | undefined {
    let first: Item | undefined;
    for (const key of idOf(entry) === undefined ? [] : this.index.ofRecord(entry)) {
      const item = this.items.get(key);
      const { seq = 0, state } = item?.entry ?? {};
      if (state === 'queued' && seq < (first ?? { entry }).entry.seq) first = item;
    }
    return first;
  }

  /** The writes that refer to a new record, given by its key. */
  referring(key: string): Item[] {
    return [...this.index.referringTo(key)].flatMap((each) => this.items.get(each) ?? []);
  }

  /** Replaces the entry of an item. */
  replaceEntry(item: Item, entry: OutboxEntry): void {
    this.remove(item.entry.key, false);
    item.entry = entry;
    this.items.set(entry.key, item);
    this.index.add(entry);
  }

  /** Removes an item from the index and, unless `fromMemory` is false, from memory. */
  remove(key: string, fromMemory: boolean = true): void {
    const item = this.items.get(key);
    if (item) this.index.remove(item.entry);
    if (fromMemory) this.items.delete(key);
  }

  add(entry: OutboxEntry, wasStored: boolean = false): Item {
    const item: Item = {
      ...{
        entry,
        wasStored,
        record: undefined,
        error: undefined,
        sending: undefined,
        isHandled: false,
        retryAtOnce: false,
      },
      ...{ dueAt: 0, wait: 0, failures: 0, refusals: 0, activeWrites: 0 },
    };
    this.replaceEntry(item, entry);
    this.lastSeq = Math.max(this.lastSeq, entry.seq);
    return item;
  }

  /**
   * Puts entries and drops others: in memory at once, and in the storage before it resolves. If the storage fails, the memory is
   * restored, and it rejects.
   */
  async commit(puts: readonly OutboxEntry[], drops: readonly string[] = []): Promise<void> {
    const itemsBefore = new Map<string, Item | undefined>();
    const entriesBefore = new Map<string, OutboxEntry>();
    for (const key of [...puts.map((each) => each.key), ...drops]) {
      const item = this.items.get(key);
      itemsBefore.set(key, item);
      if (item) entriesBefore.set(key, item.entry);
    }
    this.apply(puts, drops);
    this.pendingCommits.add(itemsBefore);
    try {
      await this.writeToStorage(puts, drops);
    } catch (error) {
      for (const [key, item] of itemsBefore) {
        const currentItem = this.items.get(key);
        const put = puts.find((each) => each.key === key);
        const entry = this.lastStored(entriesBefore.get(key));
        // A newer entry stays. If storing that one fails too, it must not fall back to this entry, which was never stored.
        if (currentItem && currentItem.entry !== put) {
          if (put) this.storedBefore.set(put, entry);
          continue;
        }
        if (item && entry) this.replaceEntry(item, entry);
        else this.remove(key);
      }
      this.onChange();
      throw error;
    } finally {
      this.pendingCommits.delete(itemsBefore);
    }
  }

  private lastStored(entry: OutboxEntry | undefined): OutboxEntry | undefined {
    return entry && this.storedBefore.has(entry) ? this.storedBefore.get(entry) : entry;
  }

  /** Like `commit`, for changes that cannot be undone: if the storage fails, they are stored together with the next changes. */
  async commitOrRetry(puts: readonly OutboxEntry[], drops: readonly string[]): Promise<void> {
    this.apply(puts, drops);
    try {
      await this.writeToStorage(puts, drops);
    } catch (error) {
      for (const key of [...drops, ...puts.map((each) => each.key)]) this.unstored.set(key, {});
      throw error;
    }
  }

  /** Removes the stored writes with these keys, whatever their scope. */
  async erase(keys: readonly string[]): Promise<void> {
    await this.commit([], keys);
    for (const key of keys) this.unreadable.delete(key);
    this.onChange();
  }

  /** Resolves when all changes made so far have been handed to the storage. */
  async handedOver(): Promise<void> {
    await this.lastHandOver;
  }

  /** Whether the storage failed to store the present state of an entry. */
  isUnstored(key: string): boolean {
    return this.unstored.has(key);
  }

  /**
   * Reads an entry from the storage; undefined: it is no longer stored. Rejects for an entry that cannot be read here, and leaves that
   * one to the tab that stored it.
   */
  async readStored(key: string): Promise<OutboxEntry | undefined> {
    // Changes that this tab has made must reach the storage before it is read.
    await this.handedOver();
    const item = await this.storage.get(key);
    try {
      return item && (await this.codec.read(item));
    } catch (error) {
      // The entry in memory is older than the stored one, and must not overwrite it.
      this.remove(key);
      this.unreadable.set(key, { item: item as StoredItem, error: error as OutboxError });
      this.onChange();
      throw error;
    }
  }

  read(item: StoredItem): Promise<OutboxEntry> {
    return this.codec.read(item);
  }

  private apply(puts: readonly OutboxEntry[], drops: readonly string[]): void {
    for (const key of drops) this.remove(key);
    for (const entry of puts) {
      const item = this.items.get(entry.key);
      if (item) this.replaceEntry(item, entry);
      else this.add(entry);
    }
    this.onChange();
  }

  private async writeToStorage(puts: readonly OutboxEntry[], drops: readonly string[]): Promise<void> {
    // Changes are encoded one after the other, because encryption may take a different time for each and must not reorder them.
    const handOver = this.lastHandOver.then(async () => {
      const ownKeys = new Set([...drops, ...puts.map((each) => each.key)]);
      // Entries of a commit that is not confirmed yet are stored by that commit, not here.
      const changing = [ownKeys, ...this.pendingCommits];
      const retried = [...this.unstored].filter(([key]) => !changing.some((each) => each.has(key)));
      const retriedDrops = retried.flatMap(([key]) => (this.items.has(key) ? [] : key));
      const retriedEntries = retried.flatMap(([key]) => this.items.get(key)?.entry ?? []);
      const written = await Promise.all([...retriedEntries, ...puts].map((entry) => this.codec.write(entry)));
      const changes: StorageChange[] = [
        ...written.map((put) => ({ put })),
        ...[...drops, ...retriedDrops].map((key) => ({ delete: key })),
      ];
      // The next change need not wait until the storage has finished this one: a storage may write several together.
      return { done: changes.length > 0 ? this.storage.change(changes) : Promise.resolve(), retried };
    });
    this.lastHandOver = handOver.catch(() => undefined);
    const { done, retried } = await handOver;
    await done;
    // A key whose state failed to be stored again in the meantime stays marked.
    for (const [key, why] of retried) if (this.unstored.get(key) === why) this.unstored.delete(key);
  }
}

/** The key of the id that a record has on the server; undefined for a new record. */
function idOf({ action, id }: OutboxEntry): IdKey | undefined {
  return action === 'create' ? undefined : idKeyOf(id);
}

/** The name of the lock of a record, which is the same in all tabs. */
export function lockName(entry: OutboxEntry): string {
  const { scope, model, key } = entry;
  return `repose-outbox/${scope}/${model}/${String(idOf(entry) ?? key)}`;
}

/** An error in the form in which it is stored: addresses are removed from its message and from the server's texts. */
export function errorData(error: DataError): object {
  return withoutAddresses(error.toJSON(), error.operation?.request?.url) as object;
}

function withoutAddresses(value: unknown, url: string | undefined): unknown {
  if (typeof value === 'string') {
    const text = url ? value.replaceAll(url, '…') : value;
    return text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, '…');
  }
  if (Array.isArray(value)) return value.map((each) => withoutAddresses(each, url));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => {
    // The `type` of a problem (RFC 9457) identifies it by a URI, which is not an address of the application.
    return [name, name === 'type' ? each : withoutAddresses(each, url)];
  });
  return Object.fromEntries(members);
}

/** A copy of an entry with another state and error. */
export function withState(entry: OutboxEntry, state: EntryState, error?: object): OutboxEntry {
  return Object.freeze({ ...entry, state, error });
}

/**
 * An entry, queued again. After a conflict it loses its notes, such as the ETag of the edited row, because that row is outdated and the
 * server's row is read before the write.
 */
export function requeued(entry: OutboxEntry): OutboxEntry {
  return isAgainstConflict(entry)
    ? withState({ ...entry, notes: undefined }, 'queued', entry.error)
    : withState(entry, 'queued');
}
