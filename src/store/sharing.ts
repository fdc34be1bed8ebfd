import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { Session } from '../sync/session.js';
import type { ReceiveOptions } from './store-config.js';
import type { ObservedStore } from './store-observer.js';
import type { SyncSource } from './sync-job.js';

/** The members of a store that its session uses. */
export interface SharingStore extends ObservedStore<BaseModel> {
  readonly error: AnyDataError | undefined;
  syncSource(): SyncSource<BaseModel>;
  remove(...records: BaseModel[]): unknown;
  /** Checks rows from elsewhere. Returns the function that takes them. */
  prepareReceive(rows: readonly object[], options: ReceiveOptions<BaseModel>): () => readonly BaseModel[];
  refreshStale(): Promise<unknown>;
  rejectChanges(): void;
  clearPending(): void;
  dispose(): void;
}

/** Attaches the session of a store, if it has one, so that its records are shared. */
export function attachSession(session: Session | undefined, store: SharingStore): void {
  (session as unknown as { readonly records: { attach(store: SharingStore): void } } | undefined)?.records.attach(
    store,
  );
}
