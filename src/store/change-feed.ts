import type { BaseModel } from '../model/base-model.js';
import type { EventEmitter } from '../util/event-emitter.js';
import { type Difference, differenceOf, segmentsOf, splicesOf } from './difference.js';
import type { LiveList } from './live-list.js';
import { ChunkSnapshot } from './snapshot.js';
import type { StoreChange, StoreEvents } from './store-config.js';

/** Collects what happens in a tick into one `change`: the difference between what was shown and what is. */
export class ChangeFeed<M extends BaseModel> {
  /** Counts changes of what is shown. */
  private version = 0;
  private current: ChunkSnapshot<M> | undefined;
  /** What listeners know. */
  private told: ChunkSnapshot<M> | undefined;
  private changedRecords: Set<M> = new Set();
  private scheduled = false;
  private delivering = false;
  private held = 0;

  constructor(
    private readonly liveList: LiveList<M>,
    private readonly events: EventEmitter<StoreEvents<BaseModel>>,
  ) {}

  /** What is shown now. */
  snapshot(): ChunkSnapshot<M> {
    const list = this.liveList.get();
    if (this.current?.version !== this.version)
      this.current = new ChunkSnapshot(list.freeze(), list.count, this.version);
    return this.current;
  }

  /** Whoever begins to listen knows what is shown now: what came before is told to the others. */
  start(): void {
    this.flush();
    if (!this.events.has('change')) this.told = this.snapshot();
  }

  /** Notes that something changed; `record` where its values did. */
  markChanged(record?: M): void {
    this.version += 1;
    if (record) this.changedRecords.add(record);
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      if (this.held === 0) this.flush();
    });
  }

  /** Runs a function, and delivers what it changed when it returns. */
  batch<T>(fn: () => T): T {
    this.held += 1;
    try {
      return fn();
    } finally {
      this.held -= 1;
      if (this.held === 0) this.flush();
    }
  }

  /** Delivers now. What listeners change comes in an event of its own, so that all hear all events in one order. */
  flush(): void {
    if (!this.scheduled || this.delivering || this.held > 0) return;
    this.scheduled = false;
    const { changedRecords, told } = this;
    // Where a function of the application fails, nothing has been told: it comes with the next change.
    const now = this.events.has('change') ? this.snapshot() : undefined;
    const change = told && now && this.changeOf(told, now, changedRecords);
    this.changedRecords = new Set();
    this.told = now;
    this.delivering = true;
    try {
      if (change) this.events.emit('change', change);
      this.liveList.observer?.deliver();
    } finally {
      this.delivering = false;
    }
  }

  /** What happened; undefined where nothing did. What takes time is found out when it is asked for. */
  private changeOf(told: ChunkSnapshot<M>, now: ChunkSnapshot<M>, changedRecords: Set<M>): StoreChange<M> | undefined {
    const segments = told.chunks === now.chunks ? [] : segmentsOf(told.chunks, now.chunks);
    let found: Difference<M> | undefined;
    const difference = () => (found ??= differenceOf(segments));
    const fresh = changedRecords.size > 0 ? new Set(difference().added) : undefined;
    const updated = [...changedRecords].filter((record) => !fresh?.has(record) && this.liveList.find(record));
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
