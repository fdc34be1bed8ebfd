import type { AnyDataError } from '../errors/is-data-error.js';
import type { Model } from '../model/model.js';
import { hasUnsaved, queuedWrite } from '../model/queued-write.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import type { RecordSet } from './record-set.js';

/**
 * Why a list is stale. `gap`: changes may have been missed. `unknownRow`: a row was received or written here that the list does not hold, and
 * only the server knows where it belongs. `movedRow`: a row has changed in a way that may move it in the list, or out of it.
 * `unknownRemoved`: a record is gone that the list does not hold, so its number of rows may be wrong. `count`: the number of rows has changed
 * in a way that only the server knows. `fewerRows`: the total of the server counts rows that are on no page: it has sent fewer rows than it was
 * asked for, the same rows on two pages, or a smaller total than at the page before.
 */
export type StaleReason = 'gap' | 'unknownRow' | 'movedRow' | 'unknownRemoved' | 'count' | 'fewerRows';

/** The activity of a store or window at one moment: the value of the source `status`. Frozen. */
export interface StoreStatus {
  /** Whether a load is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether a write of one of the records is in flight or waits. */
  readonly saving: boolean;
  /**
   * The error of the last load that failed; cleared by the next load that succeeds, and by `setRecords()`. The errors of writes stand at their
   * records.
   */
  readonly error: AnyDataError | undefined;
  /** Whether a load has succeeded, or `setRecords()` has given the records. */
  readonly loaded: boolean;
  /** How many loads of the store have succeeded; `setRecords()` is none. */
  readonly loadCount: number;
  /** Whether the list may lack rows that `receive()` was given, or show them in a wrong place: `refreshStale()` loads it again. */
  readonly stale: boolean;
  /**
   * Why the list is `stale`; undefined if it is not. `gap`: changes may have been missed. `unknownRow`: a row was received or written that
   * the list does not hold. `movedRow`: such a row may stand in another place. `unknownRemoved`: a record is gone that the list does not
   * hold. `count`: only the server knows the number of rows. `fewerRows`: the total of the server counts rows that are on no page.
   *
   * A list is judged by each load, by `receive()`, and by the writes of this page: those of its own records, in a session also of other
   * lists. A record whose load, save or erase is answered 404 or 410 leaves every list, unless it has changes: then its lists are `stale`.
   * Windows, servers without a total, totals that are estimates, and answers during which records were created or erased here are not
   * judged for `fewerRows`; with tokens and addresses only the end of the list is.
   */
  readonly staleReason: StaleReason | undefined;
  /** Number of records with changes that neither the server nor an outbox has: new, edited and removed ones. */
  readonly pending: number;
  /** Number of records of which an outbox keeps a save or the erase, and sends it by itself. */
  readonly queued: number;
  /** Size of the whole collection; undefined if it is not known. */
  readonly total: number | undefined;
}

/** The part of a status that depends on single records. */
interface RecordsStatus {
  readonly saving: boolean;
  readonly pending: number;
  readonly queued: number;
}

/** The records whose pending changes and writes a status counts. */
export interface CountedRecords<M> {
  /** The records that may be pending or being saved. */
  candidates(): Iterable<M>;
  holds(record: M): boolean;
  /** Whether a record was removed and is not erased on the server yet. */
  isRemoved(record: M): boolean;
  /** Whether a record was removed, or is being erased. */
  hidden(record: M): boolean;
  /** Calls a function after each change of a record; returns the function that ends this. */
  follow(changed: (record: M) => void): () => void;
}

/** Makes the source `status` of a store or session. While it is watched, it follows which records are pending or being saved, one by one. */
export class StatusFeed<M extends Model, S extends RecordsStatus> {
  readonly source: ValueSource<S> = new ValueSource<S>(
    (previous) => this.read(previous),
    (isWatched) => {
      if (isWatched) this.follow();
      else this.unfollow();
      this.watched(isWatched);
    },
  );
  private readonly pending: Set<M> = new Set();
  private readonly saving: Set<M> = new Set();
  private readonly queued: Set<M> = new Set();
  private detach: (() => void) | undefined = undefined;
  private holds = 0;

  constructor(
    private readonly records: CountedRecords<M>,
    /** Reads the part of the status that does not depend on single records. */
    private readonly others: () => Omit<S, keyof RecordsStatus>,
    /** Called after each change that is not one of a single record, whether somebody watches or not. */
    private readonly onUpdate: () => void = () => undefined,
    /** Called when the source gets its first listener, and when its last one has gone. */
    private readonly watched: (isWatched: boolean) => void = () => undefined,
  ) {}

  /** Called after each change of what the status shows. */
  update(): void {
    if (this.holds > 0) return;
    this.source.update();
    this.onUpdate();
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

  private read(previous: S | undefined): S {
    if (!this.detach) this.countAll();
    const { pending, saving, queued } = this;
    const next = { ...this.others(), saving: saving.size > 0, pending: pending.size, queued: queued.size };
    return reuseMembers<S>(previous, next as S);
  }

  private follow(): void {
    this.countAll();
    this.detach = this.records.follow((record) => {
      this.count(record);
      if (this.holds === 0) this.source.update();
    });
  }

  private unfollow(): void {
    this.detach?.();
    this.detach = undefined;
  }

  private countAll(): void {
    this.pending.clear();
    this.saving.clear();
    this.queued.clear();
    for (const record of this.records.candidates()) this.count(record);
  }

  private count(record: M): void {
    const { records, pending, saving, queued } = this;
    const core = inner(record)[CORE];
    const isHeld = records.holds(record) && !core?.erased;
    const kept = isHeld ? queuedWrite(inner(record)) : undefined;
    if (kept) queued.add(record);
    else queued.delete(record);
    const isRemoved = records.isRemoved(record) && !kept?.erases;
    const isNew = core?.phantom && !kept;
    const isEdited = !records.hidden(record) && (isNew || hasUnsaved(inner(record), kept));
    if (isHeld && (isEdited || isRemoved)) pending.add(record);
    else pending.delete(record);
    if (isHeld && core?.saving) saving.add(record);
    else saving.delete(record);
  }
}

/** The records of a store, for its status. */
export function countedRecordsOf<M extends Model>(recordSet: RecordSet<M>): CountedRecords<M> {
  return {
    candidates: () => [...recordSet.pendingRecords(), ...recordSet.removed, ...recordSet.erasing],
    holds: (record) => recordSet.holds(record),
    isRemoved: (record) => recordSet.removed.has(record),
    hidden: (record) => recordSet.hidden(record),
    follow: (changed) =>
      recordSet.observers.attach({
        // Nearly all records that a load adds have no state but their row, and cannot change the status.
        recordAdded: (record) => inner(record)[CORE] && changed(record),
        recordChanged: changed,
        recordDropped: changed,
      }),
  };
}
