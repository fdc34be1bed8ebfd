import type { DataError } from '../errors/data-error.js';
import { SyncError } from '../errors/write-errors.js';
import type { RememberedWrite } from '../extension/keeper.js';
import type { Change } from '../model/change.js';
import type { Model } from '../model/model.js';
import { modelAndId } from '../model/record-error.js';
import { didChange } from '../model/record-owner.js';
import { CORE } from '../model/symbols.js';
import { UndoLog } from '../model/undo.js';
import type { Outcome } from '../operation/batch.js';
import { MODEL } from '../operation/operation-record.js';
import { type SyncJob, TAKEN_BACK } from './sync-job.js';

/** Follows the writes of one `sync()`, and undoes them if one fails. */
export interface SyncUndo<M extends Model> {
  /** The write of a record was captured. */
  captured(job: SyncJob<M>, change: Change): void;
  /** A write has ended. */
  ended(job: SyncJob<M>, error: DataError | undefined): void;
  /** All writes have ended: undoes the successful ones if one failed, with `concurrency` requests at a time. */
  finish(concurrency: number): Promise<void>;
}

/** The value `rollback` of the option `onFailure`. */
export interface RollbackOption {
  /** Begins to follow the writes of a `sync()`. Called by the `sync()` itself. */
  readonly openUndo: <M extends Model>(jobs: readonly SyncJob<M>[]) => SyncUndo<M>;
}

/**
 * Undoes the successful writes of a `sync()` if another one fails: the value of its option `onFailure`.
 *
 * The last writes are undone first. An erased record, one whose undoing the server refuses, and one to which such a record refers, cannot
 * be undone: they stand, and `undoError` of the outcome says why. Edits made while the `sync()` runs are never taken back.
 *
 * @example
 * ```ts
 * users.add({ name: 'Ada' }, { name: 'Grace' });
 * const batch = await users.sync({ onFailure: rollback }); // both records are created, or neither
 * ```
 */
export const rollback: RollbackOption = {
  openUndo: (jobs) => new Rollback(jobs),
};

/** Undoes the writes of a `sync()` if one of them fails. */
class Rollback<M extends Model> implements SyncUndo<M> {
  private readonly log: UndoLog = new UndoLog();
  /** The queued writes that the records had before. */
  private readonly queuedBefore: Map<SyncJob<M>, RememberedWrite> = new Map();

  /** The restoring of queued writes that is under way. */
  private readonly restoring: Promise<void>[] = [];

  private readonly detach: (() => void)[];

  constructor(private readonly jobs: readonly SyncJob<M>[]) {
    const records = new Set<unknown>(jobs.map(({ record }) => record));
    const stores = new Set(jobs.map(({ source }) => source.recordSet));
    // Stores drop off-page records when they are written. They must keep these, because a rollback makes them pending again.
    this.detach = [...stores].flatMap(
      (recordSet) => recordSet?.observers.attach({ keeps: (record) => records.has(record) }) ?? [],
    );
    for (const job of jobs) {
      const { keeper } = job.proxy.hooks;
      if (keeper) this.queuedBefore.set(job, keeper.remember(job.record));
    }
  }

  captured(job: SyncJob<M>, change: Change): void {
    // A write that an outbox sends in parts is captured for each of them.
    if (this.log.has(job)) return;
    this.log.remember(job, change);
    this.queuedBefore.get(job)?.begun();
  }

  /** A write has ended. A failed one is removed from its outbox, which must not send it after the others were undone. */
  ended(job: SyncJob<M>, error: DataError | undefined): void {
    this.log.ended(job, error);
    const before = error && this.queuedBefore.get(job);
    if (before) this.restoring.push(before.restoreFailed());
  }

  async finish(concurrency: number): Promise<void> {
    try {
      await this.undo(concurrency);
      await Promise.all(this.restoring);
    } finally {
      for (const detach of this.detach) detach();
      // Owners that kept a record for the rollback can drop it now if it has nothing pending.
      for (const { record } of this.jobs) didChange(record, { kind: 'failed', same: true, fields: [] });
    }
  }

  private async undo(concurrency: number): Promise<void> {
    const written = this.jobs.filter(({ outcome, sent }) => sent && !outcome?.error);
    const errors = this.jobs.map(({ outcome }) => outcome?.error as DataError | undefined);
    // A write that was taken back is no failure.
    const firstError = errors.find((error) => error && error.reason !== TAKEN_BACK);
    if (!firstError) return;
    // Taken before the undo: a record that becomes new again loses its id on the server.
    const namesBefore = new Map(written.map((job) => [job, modelAndId(job.record)]));
    const failures = await this.log.undo(written, concurrency);
    for (const job of written) {
      const cause = failures.get(job) ?? firstError;
      const failed = failures.has(job);
      const before = failed || job.action === 'destroy' ? undefined : this.queuedBefore.get(job);
      if (before) this.restoring.push(before.restoreUndone());
      const isUnconfirmed = failed && job.record[CORE]?.phantom;
      const remains = failed || job.action === 'destroy';
      const code = remains ? 'not-undone' : 'undone';
      const reason = isUnconfirmed ? 'sync-unconfirmed' : remains && !failed ? 'sync-gone' : (`sync-${code}` as const);
      const name = (isUnconfirmed && namesBefore.get(job)) || modelAndId(job.record);
      const { messages } = job.record[MODEL];
      const error = new SyncError(code, reason, { ...name, why: cause.message }, { cause, messages });
      const outcome = job.outcome as Outcome<M>;
      // An undone create without a response may or may not be on the server. Its outcome is an error, as for any unconfirmed create.
      job.outcome = { ...outcome, ...(remains && { undoError: error }), ...((isUnconfirmed || !remains) && { error }) };
    }
  }
}
