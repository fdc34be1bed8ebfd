import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Source } from '../util/value-source.js';
import { Collection } from './collection.js';
import { FirstLoad } from './first-load.js';
import type { StaleReason } from './receive-rows.js';
import { countedRecordsOf, StatusFeed, type StoreStatus } from './status-feed.js';

/** A collection whose activity a screen can watch. A call that changes several records is told once. */
export abstract class WatchedCollection<M extends BaseModel, O = unknown> extends Collection<M, O> {
  protected readonly statusFeed: StatusFeed<M, StoreStatus> = new StatusFeed<M, StoreStatus>(
    countedRecordsOf(this.recordSet),
    () => {
      const { loading, error, loaded, totalCount: total } = this;
      return { loading, error, loaded, stale: this.whyStale !== undefined, total };
    },
    () => {
      this.recordSet.observers.tell('statusChanged');
    },
    this.recordSet.watched,
  );
  protected readonly firstLoad: FirstLoad = new FirstLoad();
  protected lastError: AnyDataError | undefined = undefined;
  protected hasLoaded: boolean = false;
  /** Why the list may lack rows that were received, or show them in a wrong place; undefined: it does not. */
  protected whyStale: StaleReason | undefined = undefined;

  abstract get totalCount(): number | undefined;

  /** Whether a load has succeeded, or `setRecords()` has given the records. */
  get loaded(): boolean {
    return this.hasLoaded;
  }

  /** The error of the last load that failed; cleared by the next load that succeeds, and by `setRecords()`. */
  get error(): AnyDataError | undefined {
    return this.lastError;
  }

  /**
   * Why the list is `stale`; undefined if it is not. `gap`: changes may have been missed. `unknownRow`: a row was received that the list does
   * not hold. `movedRow`: a received row may stand in another place. `unknownRemoved`: a record is gone that the list does not hold. `count`:
   * only the server knows the number of rows.
   */
  get staleReason(): StaleReason | undefined {
    return this.whyStale;
  }

  /**
   * The activity of the store as a source, for a screen: `{ loading, saving, error, loaded, stale, pending, queued, total }`. It tells its
   * listeners at once, in the same call: the start and the end of each load and save, an edit, an error.
   *
   * @example
   * ```ts
   * users.status.subscribe(() => console.log(users.status.get().loading));
   * ```
   */
  get status(): Source<StoreStatus> {
    return this.statusFeed.source;
  }

  /**
   * A promise of the first load: the same one until that load has ended, and after it has succeeded. It never loads by itself. It rejects
   * with the error of the first load if that fails, is refused by `canLoad` or is aborted; the next load then has a promise of its own.
   *
   * @example
   * ```ts
   * void users.load();
   * await users.ready;
   * ```
   */
  get ready(): Promise<void> {
    return this.firstLoad.promise;
  }

  protected loadCancelled(error: AnyDataError): void {
    this.firstLoad.fail(error);
  }

  override batch<T>(fn: () => T): T {
    return this.statusFeed.hold(() => super.batch(fn));
  }

  override rejectChanges(): void {
    this.statusFeed.hold(() => super.rejectChanges());
  }

  override commitChanges(): void {
    this.statusFeed.hold(() => super.commitChanges());
  }

  override clearPending(): void {
    this.statusFeed.hold(() => super.clearPending());
  }

  override removeAll(silent?: boolean): M[] {
    return this.statusFeed.hold(() => super.removeAll(silent));
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    return this.statusFeed.hold(() => super.placeRecords(before, added));
  }

  protected override removeRecords(records: readonly M[]): M[] {
    return this.statusFeed.hold(() => super.removeRecords(records));
  }
}
