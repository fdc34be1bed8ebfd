import { OutboxError } from '../outbox-error.js';
import type {
  ItemProgress,
  LoggedItem,
  LogQuery,
  LogView,
  PruneQuery,
  StoredIdentity,
  StoredOutcome,
} from './outbox-storage.js';

/** One step of a storage. Its parts are applied together, in the order in which they stand here. */
export interface LogStep {
  readonly items?: readonly LoggedItem[] | undefined;
  readonly progress?: readonly ItemProgress[] | undefined;
  /** An outcome, whose changes are removed. */
  readonly outcome?: StoredOutcome | undefined;
  readonly identity?: StoredIdentity | undefined;
  readonly prune?: PruneQuery | undefined;
}

/** The part of one record. */
interface RecordLog {
  readonly scope: string;
  readonly record: string;
  readonly items: Map<number, LoggedItem>;
  outcomes: StoredOutcome[];
  identity: StoredIdentity | undefined;
}

/** The contents of a storage in memory: each record has its part, so that reading one record takes the same time however many wait. */
export class LogTables {
  private readonly records: Map<string, Map<string, RecordLog>> = new Map();
  private readonly recordOf: Map<number, RecordLog> = new Map();
  private lastKey = 0;
  private lastPlace = 0;

  /** The last key and the last place that were given. */
  get last(): { readonly key: number; readonly place: number } {
    return { key: this.lastKey, place: this.lastPlace };
  }

  /** A key for an item. */
  nextKey(): number {
    this.lastKey += 1;
    return this.lastKey;
  }

  /** A place for an outcome. */
  nextPlace(): number {
    this.lastPlace += 1;
    return this.lastPlace;
  }

  /** Makes sure that keys and places up to these are not given again. */
  skipTo({ key, place }: { readonly key: number; readonly place: number }): void {
    this.lastKey = Math.max(this.lastKey, key);
    this.lastPlace = Math.max(this.lastPlace, place);
  }

  /** Throws `OutboxError` unless each of these items is still stored with this progress. */
  check(unchanged: readonly ItemProgress[]): void {
    for (const { key, progress } of unchanged) {
      const item = this.recordOf.get(key)?.items.get(key);
      if (!item || item.progress !== progress) throw new OutboxError('outbox-taken-over');
    }
  }

  apply({ items = [], progress = [], outcome, identity, prune }: LogStep): void {
    for (const item of items) {
      const log = this.logOf(item);
      log.items.set(item.key, item);
      this.recordOf.set(item.key, log);
      this.skipTo({ key: item.key, place: 0 });
    }
    for (const each of progress) {
      const kept = this.recordOf.get(each.key)?.items;
      const item = kept?.get(each.key);
      // Replacing the value of a key leaves it at its place in the map.
      if (item) kept?.set(each.key, { ...item, progress: each.progress });
    }
    for (const key of outcome?.keys ?? []) {
      this.recordOf.get(key)?.items.delete(key);
      this.recordOf.delete(key);
    }
    if (outcome) {
      this.logOf(outcome).outcomes.push(outcome);
      this.skipTo({ key: 0, place: outcome.place });
    }
    if (identity) this.logOf(identity).identity = identity;
    if (prune) this.prune(prune);
  }

  read({ scope, records, after = 0 }: LogQuery): LogView {
    const inScope = this.records.get(scope) ?? new Map<string, RecordLog>();
    const logs = records ? [...new Set(records)].flatMap((record) => inScope.get(record) ?? []) : [...inScope.values()];
    const items = logs.flatMap((log) => [...log.items.values()]);
    const outcomes = logs.flatMap((log) => log.outcomes.filter(({ place }) => place > after));
    return {
      items: items.sort((a, b) => a.key - b.key),
      identities: logs.flatMap(({ identity }) => identity ?? []),
      outcomes: outcomes.sort((a, b) => a.place - b.place),
      place: this.lastPlace,
    };
  }

  /** Steps that make the same contents: one for each item, outcome and identity. */
  steps(): LogStep[] {
    const logs = this.all();
    return [
      ...logs.flatMap(({ identity }) => (identity ? { identity } : [])),
      ...logs.flatMap(({ outcomes }) => outcomes).map((outcome) => ({ outcome })),
      ...logs.flatMap(({ items }) => [...items.values()]).map((item) => ({ items: [item] })),
    ];
  }

  clear(): void {
    this.records.clear();
    this.recordOf.clear();
    this.lastKey = 0;
    this.lastPlace = 0;
  }

  private prune({ scope, before, records }: PruneQuery): void {
    const inScope = this.records.get(scope);
    for (const record of records) {
      const log = inScope?.get(record);
      if (log) log.identity = undefined;
    }
    for (const log of inScope?.values() ?? []) {
      log.outcomes = log.outcomes.filter(({ place }) => place >= before);
      if (log.items.size + log.outcomes.length === 0 && !log.identity) inScope?.delete(log.record);
    }
  }

  private all(): RecordLog[] {
    return [...this.records.values()].flatMap((inScope) => [...inScope.values()]);
  }

  private logOf({ scope, record }: { readonly scope: string; readonly record: string }): RecordLog {
    const inScope = this.records.get(scope) ?? new Map<string, RecordLog>();
    this.records.set(scope, inScope);
    const log = inScope.get(record) ?? { scope, record, items: new Map(), outcomes: [], identity: undefined };
    inScope.set(record, log);
    return log;
  }
}
