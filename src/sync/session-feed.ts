import type { AnyDataError } from '../errors/is-data-error.js';
import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import { isOwner } from '../model/record-owner.js';
import type { SharingStore } from '../store/sharing.js';
import { type CountedRecords, StatusFeed } from '../store/status-feed.js';
import type { SharedRecords } from './shared-records.js';

/** The activity of a session at one moment: the value of the source `status`. Frozen. */
export interface SessionStatus {
  /** Whether a load of one of the stores, or a `load()` of the session, is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether a write of one of the records is in flight or waits. */
  readonly saving: boolean;
  /**
   * The error of the last load that failed, by the session or by one of its stores; the next load there that succeeds clears it. The
   * errors of writes stand at their records.
   */
  readonly error: AnyDataError | undefined;
  /** Number of records with changes that neither the server nor an outbox has: new, edited and removed ones. */
  readonly pending: number;
  /** Number of records of which an outbox keeps a save or the erase, and sends it by itself. */
  readonly queued: number;
}

type StoreActivity = Pick<SharingStore, 'loading' | 'lastError'>;

/** Makes the source `status` of a session, from its stores, its records and its own loads. */
export class SessionFeed implements CountedRecords<Model> {
  readonly feed: StatusFeed<Model, SessionStatus>;
  private loadCount = 0;
  private error: AnyDataError | undefined = undefined;
  /** The loads of each store as it reported them, while the status is watched: a store that is being created cannot be asked yet. */
  private activities: WeakMap<SharingStore, StoreActivity> | undefined = undefined;

  constructor(private readonly records: SharedRecords) {
    this.feed = new StatusFeed<Model, SessionStatus>(this, () => {
      const { activities } = this;
      const stores = records.stores.flatMap((store) => (activities ? (activities.get(store) ?? []) : store));
      return {
        loading: this.loadCount > 0 || stores.some((store) => store.loading),
        error: this.error ?? stores.find((store) => store.lastError)?.lastError,
      };
    });
  }

  /** Shows that the session loads until a promise settles, and then the error of that load. */
  async load<T>(read: () => Promise<T>): Promise<T> {
    this.loadCount += 1;
    this.feed.update();
    try {
      const loaded = await read();
      this.error = undefined;
      return loaded;
    } catch (error) {
      this.error = error as AnyDataError;
      throw error;
    } finally {
      this.loadCount -= 1;
      this.feed.update();
    }
  }

  candidates(): Iterable<Model> {
    const { pending, removed, stores } = this.records;
    return [...pending, ...removed, ...stores.flatMap(({ recordSet }) => [...recordSet.removed, ...recordSet.erasing])];
  }

  holds(record: Model): boolean {
    return isOwner(inner(record), this.records);
  }

  isRemoved(record: Model): boolean {
    const { removed, stores } = this.records;
    return removed.has(record) || stores.some(({ recordSet }) => recordSet.removed.has(record));
  }

  hidden(record: Model): boolean {
    return this.records.isHidden(record);
  }

  follow(changed: (record: Model) => void): () => void {
    const { records, feed } = this;
    const activities = new WeakMap<SharingStore, StoreActivity>();
    const note = (store: SharingStore) => {
      const { loading, lastError } = store;
      activities.set(store, { loading, lastError });
    };
    // Each function leads to its store, which the session must not hold.
    const stops = new WeakMap<SharingStore, () => void>();
    const followStore = (store: SharingStore) => {
      const statusChanged = () => {
        note(store);
        feed.update();
      };
      const storeDisposed = () => feed.update();
      stops.set(
        store,
        store.recordSet.observers.attach({
          ...{ recordChanged: changed, recordDropped: changed, statusChanged, storeDisposed },
        }),
      );
    };
    for (const store of records.stores) {
      note(store);
      followStore(store);
    }
    this.activities = activities;
    const stop = records.observers.attach({ recordChanged: changed, storeAttached: followStore });
    return () => {
      this.activities = undefined;
      stop();
      for (const store of records.stores) stops.get(store)?.();
    };
  }
}
