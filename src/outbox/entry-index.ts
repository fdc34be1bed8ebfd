import type { OutboxEntry } from './outbox-entry.js';

/** Finds entries by the id of their record and by the new records that they refer to, because a search through thousands is slow. */
export class EntryIndex {
  private readonly keys: Map<string, Set<string>> = new Map();

  /** The keys of the entries with the same record id as the given entry. */
  ofRecord(entry: OutboxEntry): Iterable<string> {
    return this.keys.get(recordName(entry)) ?? [];
  }

  /** The keys of the entries that refer to a new record, given by its key. */
  referringTo(key: string): Iterable<string> {
    return this.keys.get(parentName(key)) ?? [];
  }

  /** Adds an entry to the index. */
  add(entry: OutboxEntry): void {
    for (const name of namesOf(entry)) {
      const keys = this.keys.get(name);
      if (keys) keys.add(entry.key);
      else this.keys.set(name, new Set([entry.key]));
    }
  }

  /** Removes an entry from the index. */
  remove(entry: OutboxEntry): void {
    for (const name of namesOf(entry)) {
      const keys = this.keys.get(name);
      keys?.delete(entry.key);
      if (keys?.size === 0) this.keys.delete(name);
    }
  }
}

function namesOf(entry: OutboxEntry): string[] {
  const parents = Object.values(entry.dependsOn).map(parentName);
  return entry.action === 'create' ? parents : [recordName(entry), ...parents];
}

function recordName({ model, id }: OutboxEntry): string {
  return `id/${model}/${typeof id}/${String(id)}`;
}

function parentName(key: string): string {
  return `key/${key}`;
}
