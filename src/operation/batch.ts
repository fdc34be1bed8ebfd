import type { AnyDataError, AnyOutcomeError } from '../errors/is-data-error.js';
import { BatchError } from '../errors/write-errors.js';
import type { Action } from './actions.js';

/**
 * The outcome of the write of one record.
 *
 * Without an error, the write was done, or nothing of it is left to write: the edits were rejected, the new record dropped, or the removal
 * taken back while the write waited. A create that `reject()` has taken back while it waited has an `AbortError`, because the record still
 * is pending.
 */
export interface Outcome<M> {
  /** The kind of write: `create`, `update` or `destroy`. */
  readonly action: Action;
  /** The record that was written, or was to be. */
  readonly record: M;
  /** Why the write failed; undefined if it succeeded. */
  readonly error?: AnyOutcomeError;
  /**
   * With `onFailure: rollback`: why a successful write could not be undone. The server then still has what was written. Only if a
   * create has the same error as `error`, this is not certain: the record is unconfirmed (`$.unconfirmed`).
   */
  readonly undoError?: AnyOutcomeError;
}

/**
 * The result of a `sync()`, record by record. Failures of some records are part of the result, not an exception.
 *
 * @example
 * ```ts
 * users.add({ name: 'Grace' }, { name: 'Alan' });
 * const batch = await users.sync();
 * show(`${batch.outcomes.length - batch.failures.length} saved`);
 * for (const { record, error } of batch.failures) show(record.name, error.userMessage);
 * ```
 */
export class Batch<M> {
  constructor(
    /** One outcome per record, in the order in which the writes were requested. */
    readonly outcomes: readonly Outcome<M>[],
  ) {}

  /**
   * The outcomes of records that could not be written. Their errors have the types of the errors of operations; in `outcomes` the
   * types also include `SyncError` and `DependencyError`.
   */
  get failures(): readonly (Outcome<M> & { readonly error: AnyDataError })[] {
    return this.outcomes.filter(
      (each): each is Outcome<M> & { readonly error: AnyDataError } => each.error !== undefined,
    );
  }

  /**
   * Throws a `BatchError` if any record could not be written.
   *
   * @example
   * ```ts
   * const { outcomes } = (await users.sync()).orThrow(); // all records were written
   * ```
   */
  orThrow(): this {
    const { failures } = this;
    if (failures.length === 0) return this;
    throw new BatchError(
      failures.map((each) => each.error),
      this.outcomes.length,
    );
  }
}

/** Runs at most `concurrency` jobs at a time. Resolves with their results, in the order of the jobs. Jobs must not reject. */
export async function runParallel<T>(jobs: readonly (() => Promise<T>)[], concurrency: number): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < jobs.length; at = next++) results[at] = await (jobs[at] as () => Promise<T>)();
  };
  // With no worker at all, the jobs would never run.
  const workers = Math.min(Math.max(concurrency, 1) || 1, jobs.length);
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}
