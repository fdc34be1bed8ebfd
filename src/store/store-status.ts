import type { AnyDataError } from '../errors/is-data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { reuseMembers } from '../util/reuse.js';
import { ValueSource } from '../util/value-source.js';
import type { RecordSet } from './record-set.js';

/** The activity of a store or window at one moment: the value of the source `status`. Frozen. */
export interface StoreStatus {
  /** Whether a load is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether a write of one of the records is in flight or waits. */
  readonly saving: boolean;
  /** The error of the last load that failed; cleared by the next load that succeeds. The errors of writes stand at their records. */
  readonly error: AnyDataError | undefined;
  /** Whether a load has succeeded. */
  readonly loaded: boolean;
  /** Number of records that the next `sync()` would write: new, edited and removed ones. */
  readonly pending: number;
  /** Size of the whole collection; undefined if it is not known. */
  readonly total: number | undefined;
}

/** The part of the status that does not depend on single records. */
export type LoadStatus = Omit<StoreStatus, 'saving' | 'pending'>;

/** Makes the source `status` of a store. While it is watched, it follows which records are pending or being saved, one by one. */
export class StatusFeed<M extends BaseModel> {
  readonly source: ValueSource<StoreStatus> = new ValueSource<StoreStatus>(
    (previous) => this.read(previous),
    (isWatched) => (isWatched ? this.follow() : this.unfollow()),
  );
  private readonly pending: Set<M> = new Set();
  private readonly saving: Set<M> = new Set();
  private detach: (() => void) | undefined = undefined;
  private holds = 0;

  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly loadStatus: () => LoadStatus,
  ) {}

  /** Called after each change of what the status shows. */
  update(): void {
    if (this.holds === 0) this.source.update();
  }

  /** Runs a function that changes several things, and tells the listeners about all of them when it returns or throws. */
  hold<T>(change: () => T): T {
    this.holds += 1;
    try {
      return change();
    } finally {
      this.holds -= 1;
      this.update();
    }
  }

  private read(previous: StoreStatus | undefined): StoreStatus {
    if (!this.detach) this.countAll();
    const { loading, error, loaded, total } = this.loadStatus();
    const next = { loading, saving: this.saving.size > 0, error, loaded, pending: this.pending.size, total };
    return reuseMembers<StoreStatus>(previous, next);
  }

  private follow(): void {
    this.countAll();
    const changed = (record: M) => {
      this.count(record);
      this.update();
    };
    this.detach = this.recordSet.observers.attach({
      // Nearly all records that a load adds have no state but their row, and cannot change the status.
      recordAdded: (record) => inner(record)[CORE] && changed(record),
      recordChanged: changed,
      recordDropped: (record) => {
        this.pending.delete(record);
        this.saving.delete(record);
        this.update();
      },
    });
  }

  private unfollow(): void {
    this.detach?.();
    this.detach = undefined;
  }

  private countAll(): void {
    const { recordSet } = this;
    this.pending.clear();
    this.saving.clear();
    for (const record of [...recordSet.pendingRecords(), ...recordSet.removed, ...recordSet.erasing])
      this.count(record);
  }

  private count(record: M): void {
    const { recordSet, pending, saving } = this;
    const core = inner(record)[CORE];
    const isPending =
      recordSet.removed.has(record) || (!recordSet.hidden(record) && Boolean(core && (core.phantom || record.dirty)));
    if (recordSet.holds(record) && isPending) pending.add(record);
    else pending.delete(record);
    if (recordSet.holds(record) && core?.saving) saving.add(record);
    else saving.delete(record);
  }
}
