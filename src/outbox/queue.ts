import type { DataError } from '../errors/data-error.js';
import type { InnerRecord } from '../model/record.js';
import { type IdKey, idKeyOf } from '../store/id-index.js';
import { isPlainObject } from '../util/values.js';
import type { EntryCodec } from './entry-codec.js';
import { EntryIndex } from './entry-index.js';
import type { EntryState, OutboxEntry } from './outbox-entry.js';
import type { OutboxError } from './outbox-error.js';
import type { OutboxStorage, StorageChange, StoredItem } from './outbox-storage.js';

/** A write that is kept, and what is going on with it. */
export interface Item {
  entry: OutboxEntry;
  /** Its record, once there is one. */
  record: InnerRecord | undefined;
  /** When it is to be sent again. */
  dueAt: number;
  /** How long that was to be from when it failed, in milliseconds. */
  wait: number;
  /** Failures since it was found or made. */
  failures: number;
  /** Those of them that the server answered. */
  refusals: number;
  /** The outbox is sending it. */
  running: Promise<void> | undefined;
  /** Whether the end of its last write has been taken in. */
  judged: boolean;
  /** Whether it is to be sent again at once, should the attempt under way fail. */
  hurried: boolean;
  /** Operations under way that carry it. */
  flights: number;
  /** Whether it was there when the outbox was opened: another tab may have sent it since. */
  found: boolean;
  /** Why it failed last, of this process. */
  error: DataError | undefined;
}

/** A stored write that cannot be read. */
export interface Unreadable {
  readonly item: StoredItem;
  readonly error: OutboxError;
}

/** The writes of one scope: in memory as they are, in the storage as they survive. */
export class Queue {
  /** In the order of their entries. */
  readonly items: Map<string, Item> = new Map();
  readonly unreadable: Map<string, Unreadable> = new Map();
  private readonly index: EntryIndex = new EntryIndex();
  private last = 0;
  private tail: Promise<unknown> = Promise.resolve();
  /** Its last refusals, by the keys of what the storage has otherwise since. */
  private readonly stale: Map<string, object> = new Map();
  /** What stood before the changes that the storage has yet to take, by key: should it refuse them, that stands again. */
  private readonly open: Set<Map<string, unknown>> = new Set();
  /** What stood before entries that the storage refused when something else had come in their place. */
  private readonly refused: WeakMap<OutboxEntry, OutboxEntry | undefined> = new WeakMap();

  constructor(
    readonly scope: string,
    readonly storage: OutboxStorage,
    private readonly codec: EntryCodec,
    private readonly changed: () => void,
  ) {}

  /** Reads what is stored of the scope. Writes that were migrated are stored so. */
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

  /** The next number of an entry. */
  nextSeq(): number {
    this.last += 1;
    return this.last;
  }

  get(key: string): Item | undefined {
    return this.items.get(key);
  }

  /** Writes of the records of a model that the server knows, by the keys of their ids; of several objects the first. */
  byId(model: string): Map<IdKey, Item> {
    const found = new Map<IdKey, Item>();
    for (const item of this.items.values()) {
      const key = item.entry.model === model ? idOf(item.entry) : undefined;
      if (key !== undefined && !found.has(key)) found.set(key, item);
    }
    return found;
  }

  /** The first queued write of the same record of the server, by another object, that was asked for before. */
  before(entry: OutboxEntry): Item | undefined {
    let first: Item | undefined;
    for (const key of idOf(entry) === undefined ? [] : this.index.ofRecord(entry)) {
      const item = this.items.get(key);
      const { seq = 0, state } = item?.entry ?? {};
      if (state === 'queued' && seq < (first ?? { entry }).entry.seq) first = item;
    }
    return first;
  }

  /** Writes that refer to a new record, by its key. */
  referring(key: string): Item[] {
    return [...this.index.referringTo(key)].flatMap((each) => this.items.get(each) ?? []);
  }

  /** Puts an entry in the place of that of an item. */
  place(item: Item, entry: OutboxEntry): void {
    this.remove(item.entry.key, false);
    item.entry = entry;
    this.items.set(entry.key, item);
    this.index.add(entry);
  }

  /** Takes an item out of memory. */
  remove(key: string, wholly: boolean = true): void {
    const item = this.items.get(key);
    if (item) this.index.remove(item.entry);
    if (wholly) this.items.delete(key);
  }

  add(entry: OutboxEntry, found: boolean = false): Item {
    const item: Item = {
      ...{
        entry,
        found,
        record: undefined,
        error: undefined,
        running: undefined,
        judged: false,
        hurried: false,
      },
      ...{ dueAt: 0, wait: 0, failures: 0, refusals: 0, flights: 0 },
    };
    this.place(item, entry);
    this.last = Math.max(this.last, entry.seq);
    return item;
  }

  /**
   * Puts entries in the place of others, and drops some: in memory at once, and in the storage before it resolves. Where the
   * storage refuses, everything is as before, and it rejects.
   */
  async commit(puts: readonly OutboxEntry[], drops: readonly string[] = []): Promise<void> {
    const before = new Map<string, Item | undefined>();
    const entries = new Map<string, OutboxEntry>();
    for (const key of [...puts.map((each) => each.key), ...drops]) {
      const item = this.items.get(key);
      before.set(key, item);
      if (item) entries.set(key, item.entry);
    }
    this.apply(puts, drops);
    this.open.add(before);
    try {
      await this.store(puts, drops);
    } catch (error) {
      for (const [key, item] of before) {
        const now = this.items.get(key);
        const own = puts.find((each) => each.key === key);
        const entry = this.lastStored(entries.get(key));
        // What came later stands; should it be refused too, this one is not what it goes back to.
        if (now && now.entry !== own) {
          if (own) this.refused.set(own, entry);
          continue;
        }
        if (item && entry) this.place(item, entry);
        else this.remove(key);
      }
      this.changed();
      throw error;
    } finally {
      this.open.delete(before);
    }
  }

  private lastStored(entry: OutboxEntry | undefined): OutboxEntry | undefined {
    return entry && this.refused.has(entry) ? this.refused.get(entry) : entry;
  }

  /** The same, where there is no way back: what the storage refuses is tried again with what comes next. */
  async settle(puts: readonly OutboxEntry[], drops: readonly string[]): Promise<void> {
    this.apply(puts, drops);
    try {
      await this.store(puts, drops);
    } catch (error) {
      for (const key of [...drops, ...puts.map((each) => each.key)]) this.stale.set(key, {});
      throw error;
    }
  }

  /** Removes what is stored under keys, of whatever scope. */
  async erase(keys: readonly string[]): Promise<void> {
    await this.commit([], keys);
    for (const key of keys) this.unreadable.delete(key);
    this.changed();
  }

  /** Resolves when everything that was asked for so far has been handed to the storage. */
  async handedOver(): Promise<void> {
    await this.tail;
  }

  /** Whether the storage has refused what an entry is now. */
  isStale(key: string): boolean {
    return this.stale.has(key);
  }

  /** Reads an entry as it is stored now; undefined where it is gone. What cannot be read here is left to the tab that stored it. */
  async stored(key: string): Promise<OutboxEntry | undefined> {
    // What this tab is about to store itself comes first.
    await this.handedOver();
    const item = await this.storage.get(key);
    try {
      return item && (await this.codec.read(item));
    } catch (error) {
      // What is known of it here is older: it must not be stored over it.
      this.remove(key);
      this.unreadable.set(key, { item: item as StoredItem, error: error as OutboxError });
      this.changed();
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
      if (item) this.place(item, entry);
      else this.add(entry);
    }
    this.changed();
  }

  private async store(puts: readonly OutboxEntry[], drops: readonly string[]): Promise<void> {
    // One after the other, so that the last one that was asked for is the last one that is stored.
    const turn = this.tail.then(async () => {
      const own = new Set([...drops, ...puts.map((each) => each.key)]);
      // What others are about to change is not to be stored before they are.
      const changing = [own, ...this.open];
      const again = [...this.stale].filter(([key]) => !changing.some((each) => each.has(key)));
      const gone = again.flatMap(([key]) => (this.items.has(key) ? [] : key));
      const kept = again.flatMap(([key]) => this.items.get(key)?.entry ?? []);
      const written = await Promise.all([...kept, ...puts].map((entry) => this.codec.write(entry)));
      const changes: StorageChange[] = [
        ...written.map((put) => ({ put })),
        ...[...drops, ...gone].map((key) => ({ delete: key })),
      ];
      // Handed over in this order; they may be made durable together.
      return { done: changes.length > 0 ? this.storage.change(changes) : Promise.resolve(), again };
    });
    this.tail = turn.catch(() => undefined);
    const { done, again } = await turn;
    await done;
    // It may have refused another one meanwhile.
    for (const [key, why] of again) if (this.stale.get(key) === why) this.stale.delete(key);
  }
}

/** The key of the id that the server knows a record by. */
function idOf({ action, id }: OutboxEntry): IdKey | undefined {
  return action === 'create' ? undefined : idKeyOf(id);
}

/** Names of the locks of records: of one record in all tabs the same. */
export function lockName(entry: OutboxEntry): string {
  const { scope, model, key } = entry;
  return `repose-outbox/${scope}/${model}/${String(idOf(entry) ?? key)}`;
}

/** An error as it is stored: without addresses, which its text and what the server said may name. */
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
    // The type of a problem is a name, whatever it looks like.
    return [name, name === 'type' ? each : withoutAddresses(each, url)];
  });
  return Object.fromEntries(members);
}

/** An entry that stands otherwise. */
export function withState(entry: OutboxEntry, state: EntryState, error?: object): OutboxEntry {
  return Object.freeze({ ...entry, state, error });
}
