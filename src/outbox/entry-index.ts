import type { OutboxEntry } from './outbox-entry.js';

/** Finds entries by the id of their record, and by the new records that they refer to: with thousands queued, looking at all takes long. */
export class EntryIndex {
  private readonly keys: Map<string, Set<string>> = new Map();

  /** Keys of the writes of a record that the server knows. */
  ofRecord(entry: OutboxEntry): Iterable<string> {
    return this.keys.get(recordName(entry)) ?? [];
  }

  /** Keys of the writes that refer to a new record. */
  referringTo(key: string): Iterable<string> {
    return this.keys.get(parentName(key)) ?? [];
  }

  /** Takes in that an entry is there. */
  add(entry: OutboxEntry): void {
    for (const name of namesOf(entry)) {
      const keys = this.keys.get(name);
      if (keys) keys.add(entry.key);
      else this.keys.set(name, new Set([entry.key]));
    }
  }

  /** Takes in that an entry is there no more. */
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
