import { BatchError } from '../errors/batch-error.js';
import type { AnyDataError, AnyOutcomeError } from '../errors/is-data-error.js';
import type { Action } from './actions.js';

/** How the write of one record ended. */
export interface Outcome<M> {
  readonly action: Action;
  readonly record: M;
  /** Why it failed; undefined: it went well. */
  readonly error?: AnyOutcomeError;
  /**
   * With `onFailure: 'rollback'`: why a write that went well could not be undone. It stands; of a create that has the same `error`,
   * that is not known, and the record is in doubt.
   */
  readonly undoError?: AnyOutcomeError;
}

/** What a `sync()` did, record by record. Partial failure is a result, no exception. */
export class Batch<M> {
  constructor(
    /** One per record, in the order they were asked for. */
    readonly outcomes: readonly Outcome<M>[],
  ) {}

  /**
   * The outcomes of records that could not be written. Their errors are typed as those of operations; `outcomes` also tells of the
   * codes of `SyncError` and `DependencyError`.
   */
  get failures(): readonly (Outcome<M> & { readonly error: AnyDataError })[] {
    return this.outcomes.filter(
      (each): each is Outcome<M> & { readonly error: AnyDataError } => each.error !== undefined,
    );
  }

  /** Throws a `BatchError` if any record could not be written. */
  orThrow(): this {
    const { failures } = this;
    if (failures.length === 0) return this;
    throw new BatchError(
      failures.map((each) => each.error),
      this.outcomes.length,
    );
  }
}

/** Runs jobs, so many at a time, and gives their results in the order of the jobs. Jobs must not reject. */
export async function runParallel<T>(jobs: readonly (() => Promise<T>)[], concurrency: number): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < jobs.length; at = next++) results[at] = await (jobs[at] as () => Promise<T>)();
  };
  // At least one: a limit of none would leave jobs undone.
  const workers = Math.min(Math.max(concurrency, 1) || 1, jobs.length);
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}
