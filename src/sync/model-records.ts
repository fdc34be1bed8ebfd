import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import { inner, nameOf } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { type IdKey, idKeyOf, serverId } from '../store/id-index.js';

/**
 * The records of one model in a session, by id: one object per id. They are held weakly, so that unused records can be collected.
 */
export class ModelRecords {
  private readonly refs: Map<IdKey, WeakRef<BaseModel>> = new Map();
  private room = 1024;

  constructor(private readonly adopted: (record: BaseModel) => void) {}

  find(id: unknown): BaseModel | undefined {
    const record = this.known(id);
    return record?.erased ? undefined : record;
  }

  isErasedSince(id: unknown, startedAt: number): boolean {
    const record = this.known(id);
    return Boolean(record?.erased && (inner(record)[CORE]?.settledAt ?? 0) > startedAt);
  }

  check(records: readonly BaseModel[]): void {
    for (const record of records) {
      const known = this.find(serverId(record));
      if (known && known !== record) throw new StateError('duplicate', 'session-duplicate', nameOf(inner(known)));
    }
  }

  adopt(record: BaseModel): void {
    this.put(record);
    this.adopted(record);
  }

  /** Stores a record under the id that the server knows now, and removes it from under `previousId`. */
  put(record: BaseModel, previousId?: unknown): void {
    const id = serverId(record);
    const key = idKeyOf(id);
    if (previousId !== undefined && idKeyOf(previousId) !== key) this.forget(record, previousId);
    if (key === undefined || this.known(id) === record) return;
    if (this.refs.size >= this.room) this.sweep();
    this.refs.set(key, new WeakRef(record));
  }

  forget(record: BaseModel, id: unknown = serverId(record)): void {
    if (this.known(id) === record) this.refs.delete(idKeyOf(id) as IdKey);
  }

  /** All records that still exist. */
  all(): BaseModel[] {
    return [...this.refs.values()].map((ref) => ref.deref()).filter((record) => record !== undefined);
  }

  /** The record with an id, even if it was erased. */
  private known(id: unknown): BaseModel | undefined {
    return this.refs.get(idKeyOf(id) as IdKey)?.deref();
  }

  private sweep(): void {
    for (const [key, ref] of this.refs) if (!ref.deref()) this.refs.delete(key);
    this.room = Math.max(1024, this.refs.size * 2);
  }
}
