import type { BaseModel } from '../model/base-model.js';
import type { EventEmitter } from '../util/event-emitter.js';
import { type Difference, differenceOf, segmentsOf, splicesOf } from './difference.js';
import type { LiveList } from './live-list.js';
import { ChunkSnapshot } from './snapshot.js';
import type { StoreChange, StoreEvents } from './store-config.js';

/** Collects all changes of a view in one tick into one `change` event: the difference between two snapshots. */
export class ChangeFeed<M extends BaseModel> {
  /** Rises with every change that may alter the view. */
  private version = 0;
  private current: ChunkSnapshot<M> | undefined;
  /** The snapshot that the last `change` event led to; undefined while nobody listens. */
  private delivered: ChunkSnapshot<M> | undefined;
  private changedRecords: Set<M> = new Set();
  private scheduled = false;
  private delivering = false;
  private batchDepth = 0;

  constructor(
    private readonly liveList: LiveList<M>,
    private readonly events: EventEmitter<StoreEvents<BaseModel>>,
  ) {}

  /** The records that the view shows now; the same object until the view changes. */
  snapshot(): ChunkSnapshot<M> {
    const list = this.liveList.get();
    if (this.current?.version !== this.version)
      this.current = new ChunkSnapshot(list.freeze(), list.count, this.version);
    return this.current;
  }

  /**
   * Called before a listener is added: delivers the pending changes to the other listeners, so that the new one gets later changes
   * only.
   */
  beforeListen(): void {
    this.flush();
    if (!this.events.has('change')) this.delivered = this.snapshot();
  }

  /** Marks the view as changed, and schedules the `change` event; `record` is a record whose values changed. */
  markChanged(record?: M): void {
    this.version += 1;
    if (record) this.changedRecords.add(record);
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      if (this.batchDepth === 0) this.flush();
    });
  }

  /** Runs a function, and delivers all its changes in one event when it returns. */
  batch<T>(fn: () => T): T {
    this.batchDepth += 1;
    try {
      return fn();
    } finally {
      this.batchDepth -= 1;
      if (this.batchDepth === 0) this.flush();
    }
  }

  /**
   * Delivers the pending changes now. Changes made by listeners go into an event of their own, so that all listeners get the events
   * in the same order.
   */
  flush(): void {
    if (!this.scheduled || this.delivering || this.batchDepth > 0) return;
    this.scheduled = false;
    const { changedRecords, delivered } = this;
    // A filter or sorter of the application may throw here. The changes then stay pending, and are delivered with the next ones.
    const now = this.events.has('change') ? this.snapshot() : undefined;
    const change = delivered && now && this.changeOf(delivered, now, changedRecords);
    this.changedRecords = new Set();
    this.delivered = now;
    this.delivering = true;
    try {
      if (change) this.events.emit('change', change);
      this.liveList.observer?.deliver();
    } finally {
      this.delivering = false;
    }
  }

  /**
   * The event for the changes between two snapshots; undefined if there are none. Slow parts are computed when a listener reads
   * them.
   */
  private changeOf(
    before: ChunkSnapshot<M>,
    now: ChunkSnapshot<M>,
    changedRecords: Set<M>,
  ): StoreChange<M> | undefined {
    const segments = before.chunks === now.chunks ? [] : segmentsOf(before.chunks, now.chunks);
    let cached: Difference<M> | undefined;
    const difference = () => (cached ??= differenceOf(segments));
    const addedRecords = changedRecords.size > 0 ? new Set(difference().added) : undefined;
    const updated = [...changedRecords].filter((record) => !addedRecords?.has(record) && this.liveList.find(record));
    if (segments.length === 0 && updated.length === 0) return undefined;
    return {
      version: now.version,
      get added() {
        return difference().added;
      },
      get removed() {
        return difference().removed;
      },
      get moved() {
        return difference().moved;
      },
      updated,
      get splices() {
        return splicesOf(segments);
      },
    };
  }
}
