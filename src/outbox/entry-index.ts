import type { OutboxEntry } from './outbox-entry.js';

/** Finds entries by what they have in common, because a search through thousands is slow. */
export class EntryIndex {
  /** The keys of the entries that wait for a decision of the application. */
  readonly undecided: Set<string> = new Set();
  /** The keys of the entries that refer to new records. */
  readonly dependent: Set<string> = new Set();
  /** The keys of the entries of each model, by its name. */
  readonly byModel: Map<string, Set<string>> = new Map();
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
    const { key, model, state, dependsOn } = entry;
    for (const name of namesOf(entry)) addKey(this.keys, name, key);
    addKey(this.byModel, model, key);
    if (state !== 'queued') this.undecided.add(key);
    if (Object.keys(dependsOn).length > 0) this.dependent.add(key);
  }

  /** Removes an entry from the index. */
  remove(entry: OutboxEntry): void {
    const { key, model } = entry;
    for (const name of namesOf(entry)) removeKey(this.keys, name, key);
    removeKey(this.byModel, model, key);
    this.undecided.delete(key);
    this.dependent.delete(key);
  }
}

function addKey(keysByName: Map<string, Set<string>>, name: string, key: string): void {
  const keys = keysByName.get(name);
  if (keys) keys.add(key);
  else keysByName.set(name, new Set([key]));
}

function removeKey(keysByName: Map<string, Set<string>>, name: string, key: string): void {
  const keys = keysByName.get(name);
  keys?.delete(key);
  if (keys?.size === 0) keysByName.delete(name);
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
