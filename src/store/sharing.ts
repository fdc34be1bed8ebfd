import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { Session } from '../sync/session.js';
import type { RecordSet } from './record-set.js';
import type { SyncSource } from './sync-job.js';

/** The records of one model that the stores of a session share. */
export interface SharedModel {
  /** The record with an id. */
  find(id: unknown): BaseModel | undefined;
  /** Whether the record with an id was erased after a read started. */
  isErasedSince(id: unknown, startedAt: number): boolean;
  /** Throws `StateError` for an id that another record has. */
  check(records: readonly BaseModel[]): void;
  adopt(record: BaseModel): void;
}

/** A store as a session sees it. */
export interface SharingStore {
  readonly recordSet: RecordSet<BaseModel>;
  readonly pages: { shared: SharedModel | undefined };
  syncSource(): SyncSource<BaseModel>;
  remove(...records: BaseModel[]): unknown;
  rejectChanges(): void;
  clearPending(): void;
}

/** What a session is to its stores. */
export interface Sharing {
  join(store: SharingStore): void;
  /** The shared records of a model. */
  of(model: ModelType<BaseModel>): SharedModel;
  /** A store holds a record no more. */
  dropped(record: BaseModel): void;
  /** A record is one of the session no more. */
  forget(record: BaseModel): void;
}

/** What a session is to its stores, behind its public type. */
export function sharingOf(session: Session | undefined): Sharing | undefined {
  return (session as unknown as { readonly records: Sharing } | undefined)?.records;
}
