import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { recordError } from '../model/record-error.js';
import { CORE } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { type IdKey, idKeyOf, serverId } from '../store/id-index.js';

/**
 * The records of one model in a session, by id: one object per id. They are held weakly, so that unused records can be collected.
 */
export class ModelRecords {
  private readonly refs: Map<IdKey, WeakRef<Model>> = new Map();
  private readonly reads: Map<IdKey, Promise<Model>> = new Map();
  private sweepAt = 1024;

  constructor(
    private readonly onAdopt: (record: Model) => void,
    /** Finds a record that is not here yet, in a fork: it copies that of the parent. */
    private readonly elsewhere: (id: unknown) => Model | undefined,
  ) {}

  find(id: unknown): Model | undefined {
    const record = this.known(id) ?? this.elsewhere(id);
    return record?.erased ? undefined : record;
  }

  /** Reads a record that is not known yet, unless it is being read already. */
  async shareRead<M extends Model>(id: unknown, read: () => Promise<M>): Promise<M> {
    const key = idKeyOf(id);
    if (key === undefined) return read();
    const running = this.reads.get(key);
    if (running) return running as Promise<M>;
    const reading = read();
    this.reads.set(key, reading);
    try {
      return await reading;
    } finally {
      this.reads.delete(key);
    }
  }

  isErasedSince(id: unknown, startedAt: number): boolean {
    const record = this.known(id);
    return Boolean(record?.erased && (inner(record)[CORE]?.settledAt ?? 0) > startedAt);
  }

  checkIds(records: readonly Model[]): void {
    for (const record of records) {
      const other = this.find(serverId(record));
      if (other && other !== record) throw recordError(inner(other), 'duplicate', 'session-duplicate');
    }
  }

  adopt(record: Model): void {
    this.set(record);
    this.onAdopt(record);
  }

  /** Stores a record under the id that the server knows now, and removes it from under `previousId`. */
  set(record: Model, previousId?: unknown): void {
    const id = serverId(record);
    const key = idKeyOf(id);
    if (previousId !== undefined && idKeyOf(previousId) !== key) this.forget(record, previousId);
    if (key === undefined || this.known(id) === record) return;
    inner(record)[MODEL].counters.skip(key);
    if (this.refs.size >= this.sweepAt) this.removeCollected();
    this.refs.set(key, new WeakRef(record));
  }

  forget(record: Model, id: unknown = serverId(record)): void {
    if (this.known(id) === record) this.refs.delete(idKeyOf(id) as IdKey);
  }

  /** All records that still exist. */
  all(): Model[] {
    return [...this.refs.values()].map((ref) => ref.deref()).filter((record) => record !== undefined);
  }

  /** The record with an id, even if it was erased. */
  known(id: unknown): Model | undefined {
    return this.refs.get(idKeyOf(id) as IdKey)?.deref();
  }

  private removeCollected(): void {
    for (const [key, ref] of this.refs) if (!ref.deref()) this.refs.delete(key);
    this.sweepAt = Math.max(1024, this.refs.size * 2);
  }
}
