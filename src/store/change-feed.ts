import type { Model } from '../model/model.js';
import type { Listeners, Notifier } from '../util/notifier.js';
import { ValueSource } from '../util/value-source.js';
import { type Chunks, hasSameRecords } from './chunks.js';
import type { LiveList } from './live-list.js';
import { ChunkSnapshot } from './snapshot.js';
import type { Touched } from './sorted-list.js';
import type { StoreChange, StoreEvents } from './store-config.js';

/** The list whose changes a feed tells. */
export interface FollowedList<M extends Model> extends Pick<LiveList<M>, 'get' | 'find' | 'takeTouched'> {
  readonly observer: { deliver(): void } | undefined;
}

/**
 * Collects all changes of a view in one tick: tells the listeners of `list` if the records or their order changed, and emits one `change`
 * event, the difference between two snapshots.
 */
export class ChangeFeed<M extends Model> {
  /** The chunks of the list when it was read last. They hold the same records as those of the snapshot, but may be other arrays. */
  private readChunks: Chunks<M> = [];
  /** The records in their order. Its listeners are told when the changes of the tick are delivered. */
  readonly list: ValueSource<ChunkSnapshot<M>>;
  /** The snapshot that the last `change` event led to; undefined while nobody listens. */
  private delivered: ChunkSnapshot<M> | undefined;
  private changedRecords: Set<M> = new Set();
  private scheduled = false;
  private delivering = false;
  private batchDepth = 0;

  constructor(
    private readonly liveList: FollowedList<M>,
    private readonly events: Notifier<Listeners<StoreEvents<Model>>>,
    /** Called when the list gets its first listener, and when its last one has gone. */
    watched: (isWatched: boolean) => void,
  ) {
    this.list = new ValueSource((previous) => this.read(previous), watched, 'always');
  }

  private read(previous: ChunkSnapshot<M> | undefined): ChunkSnapshot<M> {
    const { readChunks } = this;
    const list = this.liveList.get();
    const chunks = list.freeze();
    this.readChunks = chunks;
    return previous && hasSameRecords(readChunks, chunks) ? previous : new ChunkSnapshot(chunks, list.count);
  }

  /**
   * Called before a listener is added: delivers the pending changes to the other listeners, so that the new one gets later changes
   * only.
   */
  beforeListen(): void {
    this.flush();
    if (this.events.has('change')) return;
    this.delivered = this.list.get();
    this.liveList.takeTouched(true);
  }

  /** Marks the view as changed, and schedules the `change` event; `record` is a record whose values changed. */
  markChanged(record?: M): void {
    this.list.version += 1;
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

  /** Runs a function whose changes no `change` event tells, unless it runs in a batch or a listener. The changes before it are delivered. */
  silently<T>(fn: () => T): T {
    this.flush();
    const result = fn();
    if (this.batchDepth > 0 || this.delivering) return result;
    this.changedRecords = new Set();
    if (this.delivered) {
      this.delivered = this.list.get();
      this.liveList.takeTouched(true);
    }
    return result;
  }

  /**
   * Delivers the pending changes now. Changes made by listeners go into an event of their own, so that all listeners get the events
   * in the same order.
   */
  flush(): void {
    if (!this.scheduled || this.delivering || this.batchDepth > 0) return;
    this.scheduled = false;
    const { changedRecords, delivered } = this;
    const isHeard = this.events.has('change');
    // A filter or sorter of the application may throw here. The changes then stay pending, and are delivered with the next ones.
    const snapshot = isHeard || this.list.hasListeners ? this.list.get() : undefined;
    const now = isHeard ? snapshot : undefined;
    const touched = this.liveList.takeTouched(now !== undefined);
    const change = delivered && now && this.changeOf(delivered, now, changedRecords, touched);
    this.changedRecords = new Set();
    this.delivered = now;
    this.delivering = true;
    try {
      if (snapshot) this.list.deliver();
      if (change) this.events.emit('change', change);
      this.liveList.observer?.deliver();
    } finally {
      this.delivering = false;
    }
  }

  /** The event for the changes between two snapshots; undefined if there are none. */
  private changeOf(
    before: ChunkSnapshot<M>,
    now: ChunkSnapshot<M>,
    changedRecords: ReadonlySet<M>,
    touched: Touched<M> | undefined,
  ): ListChange<M> | undefined {
    const all = touched || changedRecords.size === 0 ? undefined : new Set(before);
    // A record that was not touched is in both lists, or in none.
    const isInBoth = (record: M) => {
      const touch = touched?.get(record);
      return touch ? touch.was && touch.is : (!all || all.has(record)) && this.liveList.find(record) !== undefined;
    };
    const updated = [...changedRecords].filter(isInBoth);
    if (updated.length === 0 && (before === now || hasSameRecords(before.chunks, now.chunks))) return undefined;
    return new ListChange(this.list.version, before, now, updated, touched);
  }
}

/** The event `change` of a store, view or tree. */
export class ListChange<M> implements StoreChange<M> {
  constructor(
    readonly version: number,
    readonly before: ChunkSnapshot<M>,
    readonly now: ChunkSnapshot<M>,
    readonly updated: readonly M[],
    /** The records that entered, left or moved; undefined if that is not known. */
    readonly touched: Touched<M> | undefined,
  ) {}
}
