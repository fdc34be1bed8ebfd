import { DataError } from './data-error.js';

/** Thrown by `batch.orThrow()` if some records of the batch could not be written. */
export class BatchError extends DataError {
  override readonly name = 'BatchError' as const;
  readonly code = 'batch' as const;
  /** The error of each record that failed. */
  readonly errors: readonly DataError[];

  constructor(errors: readonly DataError[], total: number) {
    super('sync', { count: errors.length, total, first: errors[0]?.message ?? 'none' }, { cause: errors[0] });
    this.errors = errors;
  }
}
